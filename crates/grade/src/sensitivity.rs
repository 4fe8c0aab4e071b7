//! How measures respond to synthetic degradations: the third table of the paper on grounded measures.

use crate::cast::float;
use crate::degrade::{Degradation, check_share, check_text, degrade};
use crate::grade_error::GradeError;
use crate::grader::Grader;
use crate::measure::Measure;
use crate::null_as_nan;
use crate::summary::Collector;
use crate::table::ScoreTable;
use crate::time_limit::with_time_limit;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use touchstone_benchmark::{OpenBenchmark, Question};
use touchstone_engine::QueryContext;
use touchstone_kb::Progress;

/// The scores of a synthetic run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SensitivityRow {
    /// The degradation.
    pub degradation: Degradation,
    /// The requested share of degraded questions.
    pub share: f64,
    /// The actual share.
    #[serde(default)]
    pub changed: f64,
    /// Each measure with its mean.
    #[serde(deserialize_with = "null_as_nan::named_numbers")]
    pub scores: Vec<(String, f64)>,
}

/// How strongly a measure responds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// By less than a tenth of the share.
    None,
    /// By at least a tenth of the share (one dagger).
    Moderate,
    /// By at least half of the share (two daggers).
    Sensitive,
}

impl Reaction {
    /// The definition in the paper: the score is at most 1 - 0.1 x, or 1 - 0.5 x.
    pub fn of(score: f64, share: f64) -> Reaction {
        if score <= 1.0 - 0.5 * share {
            Reaction::Sensitive
        } else if score <= 1.0 - 0.1 * share {
            Reaction::Moderate
        } else {
            Reaction::None
        }
    }

    /// The sign in tables.
    pub fn sign(self) -> &'static str {
        match self {
            Reaction::None => "",
            Reaction::Moderate => "†",
            Reaction::Sensitive => "‡",
        }
    }
}

/// The measures of the table, before the compound ones.
const MEASURES: [Measure; 8] = [
    Measure::EmString,
    Measure::EmAnswer,
    Measure::Bleu,
    Measure::RougeL,
    Measure::Exec,
    Measure::F1,
    Measure::F1Sem,
    Measure::F1Tri,
];

/// Configuration of the synthetic runs.
#[derive(Debug, Clone, PartialEq)]
pub struct SensitivityConfig {
    /// The degradations.
    pub degradations: Vec<Degradation>,
    /// The shares of questions to degrade, from 0 to 1.
    pub shares: Vec<f64>,
    /// The same seed degrades the same questions.
    pub seed: u64,
}

/// Grades synthetic runs on the selected questions of a benchmark.
pub fn sensitivity_of_benchmark(
    open: &OpenBenchmark,
    config: &SensitivityConfig,
    progress: &dyn Progress,
) -> Result<Vec<SensitivityRow>, GradeError> {
    let SensitivityConfig { degradations, shares, seed } = config;
    shares.iter().try_for_each(|&share| check_share(share))?;
    let context = QueryContext::new(open.kb.as_ref(), open.ontology.as_ref()).without_suggestions();
    let grader = Grader::for_benchmark(open, &context);
    let questions = open.questions()?;
    if degradations.iter().any(|degradation| degradation.is_of_text()) {
        check_text(&questions)?;
    }
    Ok(with_time_limit(progress, None, &grader.cancel, || {
        sensitivity(&grader, &questions, &open.all_questions(), degradations, shares, *seed, progress)
    }))
}

/// The scores of each synthetic run as a column, with the signs of [`Reaction`].
pub fn sensitivity_table(rows: &[SensitivityRow]) -> ScoreTable {
    let heading = |row: &SensitivityRow| format!("{} {:.0}\u{a0}%", row.degradation, row.share * 100.0);
    let columns = rows.iter().map(heading);
    let mut table = ScoreTable::new("", std::iter::once("measure".to_owned()).chain(columns));
    let changed = rows.iter().map(|row| format!("{:.3}", row.changed));
    table.add(std::iter::once("changed".to_owned()).chain(changed));
    let names = rows.first().map_or(&[][..], |row| &row.scores);
    for (at, (name, _)) in names.iter().enumerate() {
        let cells = rows.iter().map(|row| {
            let score = row.scores[at].1;
            format!("{score:.3}{}", Reaction::of(score, row.share).sign())
        });
        table.add(std::iter::once(name.clone()).chain(cells));
    }
    table
}

/// Grades synthetic runs.
pub fn sensitivity(
    grader: &Grader<'_>,
    questions: &[&Question],
    pool: &[&Question],
    degradations: &[Degradation],
    shares: &[f64],
    seed: u64,
    progress: &dyn Progress,
) -> Vec<SensitivityRow> {
    let mut rows = Vec::new();
    progress
        .stage("grading synthetic runs", Some((degradations.len() * shares.len() * questions.len()) as u64));
    for &degradation in degradations {
        for &share in shares {
            let run = degrade(questions, pool, degradation, share, seed, &grader.knowledge);
            let by_id: hashbrown::HashMap<&str, &Question> =
                questions.iter().map(|question| (question.id.as_str(), *question)).collect();
            let values: Vec<Vec<Option<f64>>> = run
                .predictions
                .par_iter()
                .filter_map(|prediction| {
                    progress.advance(1);
                    let question = by_id.get(prediction.id.as_str())?;
                    Some(Collector::row(&grader.grade(question, Some(prediction))).collect())
                })
                .collect();
            let names = MEASURES.iter().map(|measure| (measure.name().to_owned(), measure.index()));
            let products = grader.products.iter().enumerate();
            let products = products.map(|(at, product)| (product.name.clone(), Measure::ALL.len() + at));
            let mean = |column: usize| {
                let measured: Vec<f64> = values.iter().filter_map(|row| row[column]).collect();
                measured.iter().sum::<f64>() / float(measured.len().max(1))
            };
            let scores = names.chain(products).map(|(name, column)| (name, mean(column))).collect();
            let changed = float(run.changed) / float(run.predictions.len().max(1));
            rows.push(SensitivityRow { degradation, share, changed, scores });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn daggers_follow_the_definition() {
        assert_eq!(Reaction::of(0.995, 0.1), Reaction::None);
        assert_eq!(Reaction::of(0.99, 0.1), Reaction::Moderate);
        assert_eq!(Reaction::of(0.951, 0.1), Reaction::Moderate);
        assert_eq!(Reaction::of(0.95, 0.1), Reaction::Sensitive);
        assert_eq!(Reaction::of(0.9, 0.2), Reaction::Sensitive);
    }
}
