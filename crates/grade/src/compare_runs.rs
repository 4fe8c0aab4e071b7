//! Compares graded runs of the same benchmark, question by question.

use crate::grade_error::GradeError;
use crate::grade_files::{read_about, read_rows};
use crate::paired::{PairedValues, test_all};
use crate::same::{About, RunQuestions, same_benchmark};
use crate::statistics::PairedComparison;
use crate::table::Check;
use crate::usage::UsageSummary;
use hashbrown::HashMap;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use touchstone_benchmark::{GradeRow, Usage};

/// Configuration of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompareConfig {
    /// Folders of graded runs; the first is compared with each of the others.
    pub runs: Vec<PathBuf>,
    /// The measures.
    pub measures: Vec<String>,
    /// A facet to also compare by.
    pub by: Option<String>,
    /// Measures in which no run may be significantly worse than the first; they are compared, too.
    pub no_regression: Vec<String>,
}

/// A run and its grades.
pub struct GradedFolder {
    /// Its folder, as given.
    pub name: String,
    /// Its benchmark.
    pub about: About,
    /// The grades by the ids of questions.
    pub rows: HashMap<String, GradeRow>,
}

impl GradedFolder {
    /// Reads the grades in a folder.
    fn read(folder: &Path) -> Result<GradedFolder, GradeError> {
        touchstone_kb::output::read(folder, || {
            let mut rows = HashMap::new();
            for row in read_rows(folder)? {
                let row = row?;
                rows.insert(row.id.clone(), row);
            }
            Ok(GradedFolder { name: folder.display().to_string(), about: read_about(folder)?, rows })
        })
    }

    /// The value of a measure for a question.
    pub fn value(&self, measure: &str, id: &str) -> Option<f64> {
        self.rows.get(id)?.measures.get(measure).copied()
    }

    fn questions(&self) -> RunQuestions<'_> {
        let questions = self.rows.iter().map(|(id, row)| (id.as_str(), row.question.as_str()));
        RunQuestions { name: &self.name, about: &self.about, questions: questions.collect() }
    }
}

/// One measure of two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunComparison {
    /// The first run.
    pub first: String,
    /// The second run.
    pub second: String,
    /// The measure.
    pub measure: String,
    /// Questions for which it has a value in both runs.
    pub n: usize,
    /// The mean of the first run.
    pub first_mean: f64,
    /// The mean of the second run.
    pub second_mean: f64,
    /// The test of the difference.
    pub comparison: PairedComparison,
    /// The p-value of the bootstrap, corrected for all comparisons.
    pub p_corrected: f64,
    /// Whether the second run is significantly worse.
    pub regression: bool,
    /// The ids of questions that only one of the runs answers correctly.
    pub flipped: Vec<String>,
}

/// One measure of two runs, over the questions with one value of a facet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FacetComparison {
    /// The value of the facet.
    pub value: String,
    /// The second run.
    pub second: String,
    /// The measure.
    pub measure: String,
    /// Questions for which it has a value in both runs.
    pub n: usize,
    /// The mean of the first run.
    pub first_mean: f64,
    /// The mean of the second run.
    pub second_mean: f64,
    /// The test of the difference.
    pub comparison: PairedComparison,
    /// The p-value of the bootstrap, corrected for all rows.
    pub p_corrected: f64,
}

/// The result of a comparison.
pub struct ComparedRuns {
    /// The runs.
    pub runs: Vec<GradedFolder>,
    /// The ids of the common questions, sorted.
    pub common: Vec<String>,
    /// The comparisons of each measure, for each run after the first.
    pub comparisons: Vec<RunComparison>,
    /// The facet, and the comparisons by its values.
    pub by: Option<(String, Vec<FacetComparison>)>,
    /// The cost of the runs over the common questions, as far as known.
    pub usage: Vec<Option<UsageSummary>>,
    /// Each comparison as a check that the measure did not regress.
    pub checks: Vec<Check>,
}

/// Compares the first of some graded runs with each of the others.
///
/// ```
/// use touchstone_benchmark::GradeRow;
/// use touchstone_grade::{CompareConfig, compare_runs};
///
/// // What `grade_run` writes: a row for each question.
/// let folder = tempfile::tempdir()?;
/// let run = |name: &str, scores: [f64; 3]| -> Result<_, Box<dyn std::error::Error>> {
///     let run = folder.path().join(name);
///     std::fs::create_dir(&run)?;
///     let mut lines = String::new();
///     for (id, f1) in ["q1", "q2", "q3"].into_iter().zip(scores) {
///         let measures = [("f1".to_owned(), f1)].into_iter().collect();
///         let row = GradeRow { id: id.to_owned(), measures, ..GradeRow::default() };
///         lines += &(serde_json::to_string(&row)? + "\n");
///     }
///     std::fs::write(run.join("grades.jsonl"), lines)?;
///     Ok(run)
/// };
/// let compared = compare_runs(&CompareConfig {
///     runs: vec![run("before", [1.0, 0.5, 0.0])?, run("after", [1.0, 1.0, 0.0])?],
///     measures: vec!["f1".to_owned()],
///     by: None,
///     no_regression: Vec::new(),
/// })?;
/// let f1 = &compared.comparisons[0];
/// assert_eq!((f1.comparison.won, f1.comparison.lost), (1, 0));
/// assert_eq!(f1.flipped, ["q2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare_runs(config: &CompareConfig) -> Result<ComparedRuns, GradeError> {
    let runs: Vec<GradedFolder> =
        config.runs.iter().map(|folder| GradedFolder::read(folder)).collect::<Result<_, _>>()?;
    same_benchmark(&runs.iter().map(GradedFolder::questions).collect::<Vec<_>>())?;
    let (first, others) = runs.split_first().ok_or(GradeError::NoRuns)?;
    let is_common = |id: &&String| others.iter().all(|run| run.rows.contains_key(*id));
    let mut common: Vec<String> = first.rows.keys().filter(is_common).cloned().collect();
    common.sort();
    if common.is_empty() {
        return Err(GradeError::NoCommonQuestion);
    }
    let mut measures = config.measures.clone();
    for measure in &config.no_regression {
        if !measures.contains(measure) {
            measures.push(measure.clone());
        }
    }
    let comparisons = comparisons(first, others, &measures, &common)?;
    let checks = comparisons.iter().map(|row| row.check(config.no_regression.contains(&row.measure)));
    let by = match &config.by {
        Some(facet) => Some((facet.clone(), by_facet(&runs, &comparisons, &common, facet)?)),
        None => None,
    };
    Ok(ComparedRuns {
        checks: checks.collect(),
        usage: runs.iter().map(|run| usage(run, &common)).collect(),
        by,
        comparisons,
        common,
        runs,
    })
}

fn comparisons(
    first: &GradedFolder,
    others: &[GradedFolder],
    measures: &[String],
    common: &[String],
) -> Result<Vec<RunComparison>, GradeError> {
    let mut pairs: Vec<PairedValues<'_>> = Vec::new();
    for second in others {
        for measure in measures {
            let paired = paired(first, second, measure, common.iter().map(String::as_str));
            pairs.push(paired.ok_or_else(|| GradeError::NotMeasured(measure.clone()))?);
        }
    }
    let names = others.iter().flat_map(|second| measures.iter().map(move |measure| (second, measure)));
    let rows = names.zip(&pairs).zip(test_all(&pairs));
    let rows = rows.map(|(((second, measure), paired), test)| RunComparison {
        first: first.name.clone(),
        second: second.name.clone(),
        measure: measure.clone(),
        n: test.n,
        first_mean: test.first_mean,
        second_mean: test.second_mean,
        comparison: test.comparison,
        p_corrected: test.p_corrected,
        regression: test.is_regression(),
        flipped: paired.flipped().map(str::to_owned).collect(),
    });
    Ok(rows.collect())
}

/// The values of two runs for those of the questions that have one in both.
fn paired<'i>(
    first: &GradedFolder,
    second: &GradedFolder,
    measure: &str,
    ids: impl Iterator<Item = &'i str>,
) -> Option<PairedValues<'i>> {
    PairedValues::of(ids, |id| first.value(measure, id), |id| second.value(measure, id))
}

impl RunComparison {
    /// As a check; where it is required, a regression is a failure.
    fn check(&self, is_required: bool) -> Check {
        let RunComparison { second, measure, n, first_mean, second_mean, p_corrected: p, .. } = self;
        let failure = (is_required && self.regression).then(|| {
            format!(
                "{measure} of {second} fell from {first_mean:.3} to {second_mean:.3} ({:+.3}, corrected p {p:.3})",
                self.comparison.difference
            )
        });
        Check {
            name: format!("{measure} of {second}"),
            found: format!("{first_mean:.3} to {second_mean:.3} over {n}, corrected p {p:.3}"),
            failure,
        }
    }
}

/// The same comparisons for each value of a facet, the largest groups first.
fn by_facet(
    runs: &[GradedFolder],
    comparisons: &[RunComparison],
    common: &[String],
    facet: &str,
) -> Result<Vec<FacetComparison>, GradeError> {
    let first = &runs[0];
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for row in common.iter().filter_map(|id| first.rows.get(id)) {
        known.extend(row.facets.iter().map(|(name, _)| name));
        for value in row.facets.get(facet).into_iter().flatten() {
            groups.entry(value).or_default().push(&row.id);
        }
    }
    if groups.is_empty() {
        return Err(GradeError::NotGradedBy {
            run: first.name.clone(),
            facet: facet.to_owned(),
            known: known.into_iter().map(str::to_owned).collect(),
        });
    }
    let mut groups: Vec<(&str, Vec<&str>)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
    let per_run = comparisons.len() / (runs.len() - 1).max(1);
    let mut names = Vec::new();
    let mut pairs = Vec::new();
    for (at, RunComparison { measure, .. }) in comparisons.iter().enumerate() {
        let second = &runs[1 + at / per_run];
        for (value, ids) in &groups {
            let Some(paired) = paired(first, second, measure, ids.iter().copied()) else { continue };
            names.push((*value, second, measure));
            pairs.push(paired);
        }
    }
    let rows = names.into_iter().zip(test_all(&pairs));
    let rows = rows.map(|((value, second, measure), test)| FacetComparison {
        value: value.to_owned(),
        second: second.name.clone(),
        measure: measure.clone(),
        n: test.n,
        first_mean: test.first_mean,
        second_mean: test.second_mean,
        comparison: test.comparison,
        p_corrected: test.p_corrected,
    });
    Ok(rows.collect())
}

fn usage(run: &GradedFolder, common: &[String]) -> Option<UsageSummary> {
    let rows = common.iter().filter_map(|id| run.rows.get(id));
    UsageSummary::of(&rows.map(|row| row.usage.unwrap_or_default()).collect::<Vec<Usage>>())
}
