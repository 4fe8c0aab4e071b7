//! Requirements on a run: minimum scores, and that everything could be graded.

use crate::summary::Summary;
use crate::table::Check;
use std::str::FromStr;
use touchstone_benchmark::{ErrorLimit, PredictionOutcome};
use touchstone_kb::counts::{counted, grouped};

/// A minimum mean of a measure, written like `f1=0.6`.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// The measure.
    pub measure: String,
    /// The minimum score.
    pub least: f64,
}

/// Error: a text is not a threshold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a measure and a number from 0 to 1; write it like f1=0.6")]
#[non_exhaustive]
pub struct NotAThreshold(String);

impl FromStr for Threshold {
    type Err = NotAThreshold;

    fn from_str(text: &str) -> Result<Threshold, NotAThreshold> {
        let wrong = || NotAThreshold(text.to_owned());
        let (measure, least) = text.split_once('=').ok_or_else(wrong)?;
        let least: f64 = least.trim().parse().map_err(|_| wrong())?;
        if measure.trim().is_empty() || !(0.0..=1.0).contains(&least) {
            return Err(wrong());
        }
        Ok(Threshold { measure: measure.trim().to_owned(), least })
    }
}

impl Threshold {
    /// Why a run fails it; `None` if it passes.
    fn failure(&self, summary: &Summary) -> Option<String> {
        let Threshold { measure, least } = self;
        match summary.measures.get(measure) {
            None => Some(format!("{measure} is not measured, but must be at least {least}")),
            Some(score) if score.all.mean < *least => {
                Some(format!("{measure} is {:.4}, but must be at least {least}", score.all.mean))
            }
            Some(_) => None,
        }
    }
}

/// The requirements on a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Requirements {
    /// Minimum scores.
    pub thresholds: Vec<Threshold>,
    /// Maximum number or share of system errors.
    pub max_errors: Option<ErrorLimit>,
}

impl Requirements {
    /// Checks the displayed measures against their minimum scores, and that everything could be graded.
    pub fn check(&self, summary: &Summary, shown: &[String]) -> Vec<Check> {
        let mut checks: Vec<Check> = Vec::new();
        for name in shown.iter().filter(|name| summary.measures.contains_key(*name)) {
            let all = &summary.measures[name].all;
            let found = format!("{:.4} ({:.4} to {:.4}) over {}", all.mean, all.low, all.high, all.n);
            checks.push(Check { name: name.clone(), found, failure: None });
        }
        for threshold in &self.thresholds {
            let failure = threshold.failure(summary);
            match checks.iter_mut().find(|check| check.name == threshold.measure) {
                Some(check) => check.failure = check.failure.take().or(failure),
                None => {
                    let found = format!("at least {} is required", threshold.least);
                    checks.push(Check { name: threshold.measure.clone(), found, failure });
                }
            }
        }
        checks.extend(self.check_counts(summary));
        checks
    }

    fn check_counts(&self, summary: &Summary) -> [Check; 3] {
        let check = |name: &str, n: usize, failure: Option<String>| Check {
            name: name.to_owned(),
            found: n.to_string(),
            failure,
        };
        let errors = summary.outcomes.get(PredictionOutcome::SystemError.word()).copied().unwrap_or(0);
        let exceeded = self.max_errors.filter(|limit| limit.is_exceeded(errors, summary.questions));
        let too_many = |limit| {
            format!(
                "the system failed on {} of {} questions, but may fail on at most {limit} (--max-errors)",
                grouped(errors),
                grouped(summary.questions)
            )
        };
        let predictions = |n: usize| counted(n, "prediction is", "predictions are");
        let unknown = (summary.unknown > 0).then(|| {
            format!("{} for questions that the benchmark does not have", predictions(summary.unknown))
        });
        let not_graded = (summary.not_graded > 0).then(|| {
            format!(
                "{} not graded: the time limit was reached (--max-total-time)",
                predictions(summary.not_graded)
            )
        });
        [
            check("errors of the system", errors, exceeded.map(too_many)),
            check("predictions for unknown questions", summary.unknown, unknown),
            check("predictions that are not graded", summary.not_graded, not_graded),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_from_the_command_line() {
        let read: Threshold = " f1 = 0.6".parse().expect("a threshold");
        assert_eq!(read, Threshold { measure: "f1".to_owned(), least: 0.6 });
        for wrong in ["f1", "f1=", "=0.5", "f1=much", "f1=1.5", "f1=-1", "f1=NaN"] {
            assert!(wrong.parse::<Threshold>().is_err(), "{wrong}");
        }
    }
}
