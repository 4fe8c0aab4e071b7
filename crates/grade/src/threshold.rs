//! A score that must be reached.

use crate::summary::Summary;
use std::str::FromStr;

/// `f1=0.6`: the mean of a measure must not be lower.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// The measure.
    pub measure: String,
    /// The lowest score that will do.
    pub least: f64,
}

/// A text that is not a threshold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a measure and a number from 0 to 1; write it like f1=0.6")]
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
    pub fn failure(&self, summary: &Summary) -> Option<String> {
        let Threshold { measure, least } = self;
        match summary.measures.get(measure) {
            None => Some(format!("{measure} is not measured, and must be at least {least}")),
            Some(score) if score.all.mean < *least => {
                Some(format!("{measure} is {:.4}, and must be at least {least}", score.all.mean))
            }
            Some(_) => None,
        }
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
