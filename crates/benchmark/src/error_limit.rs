//! How many errors of a system are too many.

use std::str::FromStr;

/// Maximum number or share of questions that may fail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ErrorLimit {
    /// A number of questions.
    Count(usize),
    /// A share of the questions, from 0 to 1.
    Share(f64),
}

/// A text that is not a limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a number of questions, like 5, nor a share, like 10%")]
#[non_exhaustive]
pub struct InvalidErrorLimit(String);

impl FromStr for ErrorLimit {
    type Err = InvalidErrorLimit;

    fn from_str(text: &str) -> Result<ErrorLimit, InvalidErrorLimit> {
        let wrong = || InvalidErrorLimit(text.to_owned());
        match text.strip_suffix('%') {
            Some(percent) => {
                let percent: f64 = percent.trim().parse().map_err(|_| wrong())?;
                (0.0..=100.0)
                    .contains(&percent)
                    .then_some(ErrorLimit::Share(percent / 100.0))
                    .ok_or_else(wrong)
            }
            None => text.parse().map(ErrorLimit::Count).map_err(|_| wrong()),
        }
    }
}

impl std::fmt::Display for ErrorLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ErrorLimit::Count(count) => write!(f, "{count}"),
            ErrorLimit::Share(share) => write!(f, "{} %", share * 100.0),
        }
    }
}

impl ErrorLimit {
    /// Whether a number of errors among a number of questions is above the limit.
    pub fn is_exceeded(self, errors: usize, questions: usize) -> bool {
        match self {
            ErrorLimit::Count(limit) => errors > limit,
            ErrorLimit::Share(limit) => to_f64(errors) > limit * to_f64(questions),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "benchmarks have far fewer than 2^53 questions")]
fn to_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_counts_or_shares() {
        let limit = |text: &str| text.parse::<ErrorLimit>();
        assert_eq!(limit("5"), Ok(ErrorLimit::Count(5)));
        assert_eq!(limit("12.5%"), Ok(ErrorLimit::Share(0.125)));
        for wrong in ["", "%", "-1", "101%", "many", "0.5"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
        assert!(ErrorLimit::Share(0.1).is_exceeded(3, 3) && !ErrorLimit::Share(0.1).is_exceeded(1, 10));
        assert!(ErrorLimit::Count(0).is_exceeded(1, 100) && !ErrorLimit::Count(0).is_exceeded(0, 0));
        assert!(!ErrorLimit::Share(1.0).is_exceeded(3, 3));
    }
}
