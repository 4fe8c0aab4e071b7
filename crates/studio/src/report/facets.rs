//! The scores of all runs by the values of a facet, with intervals and paired tests.

use super::findings::{Findings, RowIndex, RunTests, tests_against};
use super::model::{Report, ReportRun};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use touchstone_benchmark::GradeRow;
use touchstone_grade::USUAL_BY_FACET;
use touchstone_grade::statistics::Estimate;

/// The values of a facet with the scores of all runs.
pub(crate) struct FacetTable<'r> {
    /// The facet.
    pub(crate) name: &'r str,
    /// The measures.
    pub(crate) measures: Vec<&'r str>,
    /// Its values, the most frequent first.
    pub(crate) values: Vec<FacetValue<'r>>,
}

/// The questions with one value of a facet.
pub(crate) struct FacetValue<'r> {
    pub(crate) name: &'r str,
    /// Number of questions.
    pub(crate) n: usize,
    /// For each measure, the score of each run.
    pub(crate) scores: Vec<Vec<Option<Estimate>>>,
    /// For each measure, the test of each run against the reference.
    pub(crate) tests: Vec<RunTests>,
}

impl FacetValue<'_> {
    /// The score of a run in a measure of the table.
    pub(crate) fn score(&self, table: &FacetTable<'_>, measure: &str, run: usize) -> &Option<Estimate> {
        let at = table.measures.iter().position(|known| *known == measure);
        at.and_then(|at| self.scores.get(at)?.get(run)).unwrap_or(&None)
    }
}

/// The measures that breakdowns show: the main one first.
pub(crate) fn facet_measures<'r>(report: &'r Report, main: &'r str) -> Vec<&'r str> {
    let others = USUAL_BY_FACET.into_iter().filter(|measure| *measure != main);
    let is_computed = |measure: &&str| report.runs.iter().any(|run| run.mean(measure).is_some());
    [main].into_iter().chain(others).filter(is_computed).collect()
}

/// The tables of all facets by which the runs are graded, those of general interest first. Facets with one value are left out, but for the
/// shape.
pub(crate) fn facet_tables<'r>(
    report: &'r Report,
    index: &RowIndex<'r>,
    findings: &'r Findings,
) -> Vec<FacetTable<'r>> {
    let mut names = vec!["shape", "function", "level"];
    for row in report.runs.iter().flat_map(|run| run.grades.first()) {
        for (name, _) in row.facets.iter() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let measures = facet_measures(report, &findings.main);
    let tables = names.into_iter().map(|name| FacetTable::of(name, &measures, report, index, findings));
    tables
        .filter(|table| table.values.len() > 1 || (table.name == "shape" && !table.values.is_empty()))
        .collect()
}

/// The values of a facet of a row.
pub(crate) fn values_of<'r>(row: &'r GradeRow, facet: &str) -> impl Iterator<Item = &'r str> {
    let shape = (facet == "shape" && !row.shape.is_empty()).then_some(row.shape.as_str());
    let others = if facet == "shape" { None } else { row.facets.get(facet) };
    shape.into_iter().chain(others.into_iter().flatten().map(String::as_str))
}

impl<'r> FacetTable<'r> {
    fn of(
        name: &'r str,
        measures: &[&'r str],
        report: &'r Report,
        index: &RowIndex<'r>,
        findings: &Findings,
    ) -> FacetTable<'r> {
        // By value: the ids of each run's questions.
        let mut groups: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
        for (run, graded) in report.runs.iter().enumerate() {
            for row in &graded.grades {
                for value in values_of(row, name) {
                    let ids = groups.entry(value).or_insert_with(|| vec![Vec::new(); report.runs.len()]);
                    ids[run].push(&row.id);
                }
            }
        }
        let largest = |ids: &[Vec<&str>]| ids.iter().map(Vec::len).max().unwrap_or(0);
        let mut groups: Vec<(&str, Vec<Vec<&str>>)> = groups.into_iter().collect();
        groups.sort_by_key(|(_, ids)| Reverse(largest(ids)));
        let in_all: Vec<Vec<&str>> =
            groups.iter().map(|(value, _)| common_with(index, name, value)).collect();
        let mut values: Vec<FacetValue<'_>> = Vec::with_capacity(groups.len());
        for (value, ids) in &groups {
            let of_measure = |measure: &&str| {
                let runs = report.runs.iter().enumerate();
                runs.map(|(run, graded)| score(graded, index, (name, value, measure), (run, &ids[run])))
                    .collect()
            };
            let scores = measures.iter().map(of_measure).collect();
            values.push(FacetValue { name: value, n: largest(ids), scores, tests: Vec::new() });
        }
        // As `compare --by`: the values of a facet are corrected together, each measure on its own.
        for measure in measures {
            let cells: Vec<(&str, &[&str])> = in_all.iter().map(|ids| (*measure, &ids[..])).collect();
            let tests = tests_against(index, &findings.compared, &cells);
            values.iter_mut().zip(tests).for_each(|(value, tests)| value.tests.push(tests));
        }
        FacetTable { name, measures: measures.to_vec(), values }
    }
}

/// The questions with a value of a facet that all runs have.
fn common_with<'r>(index: &RowIndex<'r>, facet: &str, value: &str) -> Vec<&'r str> {
    let fits = |id: &&str| index.row(0, id).is_some_and(|row| values_of(row, facet).any(|own| own == value));
    index.common.iter().copied().filter(fits).collect()
}

/// The score of a run: as the summary has it, or else from its rows.
fn score(
    graded: &ReportRun,
    index: &RowIndex<'_>,
    (facet, value, measure): (&str, &str, &str),
    (run, ids): (usize, &[&str]),
) -> Option<Estimate> {
    let known = || graded.summary.by.get(facet)?.get(value)?.measures.get(measure).copied();
    let values = || ids.iter().filter_map(|id| index.value(run, measure, id)).collect::<Vec<f64>>();
    known().or_else(|| Estimate::of(&values()))
}

/// The scores of one run by shape and function.
pub(crate) struct HeatMap<'r> {
    /// The functions, the most frequent first.
    pub(crate) functions: Vec<&'r str>,
    /// The shapes, the most frequent first.
    pub(crate) shapes: Vec<&'r str>,
    /// By shape, then function, then measure.
    pub(crate) cells: Vec<Vec<Vec<Option<Estimate>>>>,
}

/// Maximum number of shapes of a heat map.
const MAX_SHAPES: usize = 25;

impl<'r> HeatMap<'r> {
    pub(crate) fn of(run: &'r ReportRun, measures: &[&str]) -> HeatMap<'r> {
        let functions = by_frequency(run.grades.iter().flat_map(|row| values_of(row, "function")));
        let mut shapes = by_frequency(run.grades.iter().flat_map(|row| values_of(row, "shape")));
        shapes.truncate(MAX_SHAPES);
        let mut values: BTreeMap<(&str, &str), Vec<&GradeRow>> = BTreeMap::new();
        for row in &run.grades {
            for function in values_of(row, "function") {
                values.entry((&row.shape, function)).or_default().push(row);
            }
        }
        let cell = |shape: &str, function: &str| -> Vec<Option<Estimate>> {
            let rows = values.get(&(shape, function)).map_or(&[][..], Vec::as_slice);
            let score = |measure: &&str| {
                let values: Vec<f64> =
                    rows.iter().filter_map(|row| row.measures.get(measure).copied()).collect();
                Estimate::of(&values)
            };
            measures.iter().map(score).collect()
        };
        let row = |shape: &&str| functions.iter().map(|function| cell(shape, function)).collect();
        HeatMap { cells: shapes.iter().map(row).collect(), functions, shapes }
    }
}

/// Different texts, the most frequent first.
fn by_frequency<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    texts.for_each(|text| *counts.entry(text).or_default() += 1);
    let mut found: Vec<(&str, usize)> = counts.into_iter().collect();
    found.sort_by_key(|(_, n)| Reverse(*n));
    found.into_iter().map(|(text, _)| text).collect()
}
