//! What a reader wants to know first: which system is better, by how much, whether that is significant, and where each fails.

use super::facets::FacetTable;
use super::measures::main_measure;
use super::model::{Report, ReportRun};
use hashbrown::HashMap;
use touchstone_benchmark::GradeRow;
use touchstone_grade::statistics::Estimate;
use touchstone_grade::{PairedTest, PairedValues, test_all};

/// Fewer questions say too little about a shape, a function or a level.
const MIN_QUESTIONS: usize = 10;

/// Maximum number of weak spots of a facet.
const MAX_WEAK: usize = 3;

/// The facets in which weak spots are looked for, with what a value of each is called.
pub(crate) const WEAK_FACETS: [(&str, &str); 3] =
    [("shape", "Shapes"), ("function", "Functions"), ("level", "Levels")];

/// The rows of all runs by question.
pub(crate) struct RowIndex<'r> {
    runs: Vec<HashMap<&'r str, &'r GradeRow>>,
    /// The ids of the questions that all runs have, sorted, as `compare` takes them.
    pub(crate) common: Vec<&'r str>,
}

impl<'r> RowIndex<'r> {
    pub(crate) fn of(report: &'r Report) -> RowIndex<'r> {
        let by_id = |run: &'r ReportRun| run.grades.iter().map(|row| (row.id.as_str(), row)).collect();
        let runs: Vec<HashMap<&str, &GradeRow>> = report.runs.iter().map(by_id).collect();
        let in_all = |id: &&str| runs.iter().all(|run| run.contains_key(*id));
        let mut common: Vec<&str> =
            runs.first().into_iter().flat_map(|run| run.keys().copied()).filter(in_all).collect();
        common.sort_unstable();
        RowIndex { runs, common }
    }

    /// The row of a question.
    pub(crate) fn row(&self, run: usize, id: &str) -> Option<&'r GradeRow> {
        self.runs.get(run)?.get(id).copied()
    }

    /// The value of a measure for a question.
    pub(crate) fn value(&self, run: usize, measure: &str, id: &str) -> Option<f64> {
        self.row(run, id)?.measures.get(measure).copied()
    }

    /// The values of two runs for those of the questions that have one in both.
    pub(crate) fn paired<'i>(
        &self,
        runs: (usize, usize),
        measure: &str,
        ids: impl Iterator<Item = &'i str>,
    ) -> Option<PairedValues<'i>> {
        PairedValues::of(ids, |id| self.value(runs.0, measure, id), |id| self.value(runs.1, measure, id))
    }
}

/// A test for each run but the reference, which has none; those that cannot be tested have none, either.
pub(crate) type RunTests = Vec<Option<PairedTest>>;

/// Which runs are tested against which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Compared {
    pub(crate) reference: usize,
    /// The others, without those that repeat gold.
    pub(crate) others: Vec<usize>,
    pub(crate) n_runs: usize,
}

/// Tests runs against the reference in each of some measures, over groups of questions; everything is corrected together.
pub(crate) fn tests_against(
    index: &RowIndex<'_>,
    compared: &Compared,
    cells: &[(&str, &[&str])],
) -> Vec<RunTests> {
    let mut places = Vec::new();
    let mut pairs = Vec::new();
    for (cell, (measure, ids)) in cells.iter().enumerate() {
        for &run in &compared.others {
            if let Some(paired) = index.paired((compared.reference, run), measure, ids.iter().copied()) {
                places.push((cell, run));
                pairs.push(paired);
            }
        }
    }
    let mut tests = vec![vec![None; compared.n_runs]; cells.len()];
    for ((cell, run), test) in places.into_iter().zip(test_all(&pairs)) {
        tests[cell][run] = Some(test);
    }
    tests
}

/// What the opening of a report says.
pub(crate) struct Findings {
    /// The measure that it is about.
    pub(crate) main: String,
    /// The runs, the best first.
    pub(crate) ranking: Vec<usize>,
    /// The best run that does not repeat gold: the others are compared with it.
    pub(crate) reference: usize,
    /// The best run that makes mistakes: what is shown of one run at a time starts with it.
    pub(crate) focus: usize,
    /// The reference and the runs that are tested against it.
    pub(crate) compared: Compared,
    /// Their tests in the main measure.
    pub(crate) tests: RunTests,
}

impl Findings {
    pub(crate) fn of(report: &Report, index: &RowIndex<'_>) -> Findings {
        let main = main_measure(report);
        let mean = |run: usize| report.runs[run].mean(&main).unwrap_or(f64::NEG_INFINITY);
        let mut ranking: Vec<usize> = (0..report.runs.len()).collect();
        ranking.sort_by(|a, b| mean(*b).total_cmp(&mean(*a)));
        let first = ranking.first().copied().unwrap_or(0);
        let best = |fits: &dyn Fn(usize) -> bool| ranking.iter().copied().find(|run| fits(*run));
        let competes = |run: usize| !report.runs[run].is_oracle();
        let reference = best(&competes).unwrap_or(first);
        let focus = best(&|run| competes(run) && mean(run) < 1.0).unwrap_or(reference);
        let cells = [(main.as_str(), &index.common[..])];
        let others = (0..report.runs.len()).filter(|run| *run != reference && competes(*run)).collect();
        let compared = Compared { reference, others, n_runs: report.runs.len() };
        let tests = tests_against(index, &compared, &cells).remove(0);
        Findings { main, ranking, reference, focus, compared, tests }
    }

    /// The runs that the reference is compared with, the best first.
    pub(crate) fn rivals<'f>(&'f self, report: &'f Report) -> impl Iterator<Item = (usize, &'f PairedTest)> {
        let others = self.ranking.iter().copied();
        let others = others.filter(move |run| *run != self.reference && !report.runs[*run].is_oracle());
        others.filter_map(|run| Some((run, self.tests.get(run)?.as_ref()?)))
    }
}

/// A group of questions in which a run is clearly worse than over all: the interval of the group lies below the mean over all.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WeakSpot<'f> {
    /// The value of the facet.
    pub(crate) value: &'f str,
    pub(crate) score: Estimate,
}

/// The weak spots of a run in a facet, the worst first.
pub(crate) fn weak_spots<'f>(
    table: &'f FacetTable<'_>,
    measure: &str,
    run: usize,
    overall: f64,
) -> Vec<WeakSpot<'f>> {
    let spot = |value: &'f super::facets::FacetValue<'_>| {
        let score = (*value.score(table, measure, run))?;
        let is_weak = score.n >= MIN_QUESTIONS && score.high < overall;
        is_weak.then_some(WeakSpot { value: value.name, score })
    };
    let mut spots: Vec<WeakSpot<'f>> = table.values.iter().filter_map(spot).collect();
    spots.sort_by(|a, b| a.score.mean.total_cmp(&b.score.mean));
    spots.truncate(MAX_WEAK);
    spots
}
