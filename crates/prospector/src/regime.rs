//! What a [`Prospector`](crate::Prospector) may learn from, so that its scores can be compared with those of other systems.

use std::fmt;
use std::str::FromStr;
use touchstone_kb::nearest_name;

/// What a system learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Regime {
    /// Z0: the training questions of the benchmark, and the labels of the schema.
    #[default]
    TrainingSplit,
    /// Z1: also questions generated from the KB, worded by its labels.
    Generated,
    /// Z2: also questions generated from the KB, worded by its lexicon, and the phrases of the lexicon. Questions of a benchmark that was worded
    /// by the same lexicon are no test of such a system.
    Lexicon,
}

/// All regimes with their names.
const NAMES: [(&str, Regime); 3] =
    [("Z0", Regime::TrainingSplit), ("Z1", Regime::Generated), ("Z2", Regime::Lexicon)];

impl Regime {
    /// The regime in words.
    pub fn description(self) -> &'static str {
        match self {
            Regime::TrainingSplit => "the training split and the labels of the schema",
            Regime::Generated => "the training split, and questions generated with labels",
            Regime::Lexicon => "the training split, and questions generated with the lexicon of the KB",
        }
    }
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, regime)| regime == self).map_or("", |(name, _)| *name);
        f.write_str(name)
    }
}

/// A name that is not that of a regime.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a regime: Z0, Z1 or Z2{}", .nearest.map_or(String::new(), |nearest| format!("; did you mean {nearest}?")))]
pub struct UnknownRegime {
    /// The name.
    pub name: String,
    /// The nearest name of a regime.
    pub nearest: Option<&'static str>,
}

impl FromStr for Regime {
    type Err = UnknownRegime;

    fn from_str(name: &str) -> Result<Regime, UnknownRegime> {
        let found = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, regime)| *regime).ok_or_else(|| UnknownRegime {
            name: name.to_owned(),
            nearest: nearest_name(name, NAMES.iter().map(|(known, _)| *known)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for (name, regime) in NAMES {
            assert_eq!(regime.to_string(), name);
            assert_eq!(name.to_lowercase().parse(), Ok(regime));
        }
        let error = "Z3".parse::<Regime>().map(drop).map_err(|error| error.to_string());
        assert!(error.is_err_and(|message| message.contains("Z0, Z1 or Z2")));
    }
}
