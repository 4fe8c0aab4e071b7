//! Checks that graded runs belong to the same benchmark.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The benchmark of a graded run, as in `summary.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct About {
    /// The name of the benchmark.
    pub benchmark: String,
    /// Its identity; runs of 0.1 have none.
    pub identity: String,
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` (identity {})", self.benchmark, self.identity)
    }
}

/// The questions of a graded run.
pub struct RunQuestions<'r> {
    /// Its name in messages.
    pub name: &'r str,
    /// Its benchmark.
    pub about: &'r About,
    /// The text of each question by its id.
    pub questions: HashMap<&'r str, &'r str>,
}

/// Runs of different benchmarks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DifferentBenchmarks {
    /// The identities differ.
    #[error(
        "{first} and {second} are about different benchmarks: {} and {}; grade both on the same benchmark",
        .abouts[0],
        .abouts[1]
    )]
    Identity {
        /// A run.
        first: String,
        /// Another run.
        second: String,
        /// Their benchmarks.
        abouts: Box<[About; 2]>,
    },
    /// The same id belongs to two different questions.
    #[error("{first} and {second} are about different benchmarks: `{id}` is a different question in each")]
    Question {
        /// A run.
        first: String,
        /// Another run.
        second: String,
        /// The id.
        id: String,
    },
    /// No question is in both, and no identity shows that they belong together.
    #[error("{first} and {second} have no question in common: they are about different benchmarks")]
    NothingInCommon {
        /// A run.
        first: String,
        /// Another run.
        second: String,
    },
}

/// Rejects runs of different benchmarks.
pub fn same_benchmark(runs: &[RunQuestions<'_>]) -> Result<(), DifferentBenchmarks> {
    let Some((first, others)) = runs.split_first() else { return Ok(()) };
    for second in others {
        let names = || (first.name.to_owned(), second.name.to_owned());
        let (one, other) = (&first.about.identity, &second.about.identity);
        if !one.is_empty() && !other.is_empty() {
            if one != other {
                let (first_name, second_name) = names();
                return Err(DifferentBenchmarks::Identity {
                    first: first_name,
                    second: second_name,
                    abouts: Box::new([first.about.clone(), second.about.clone()]),
                });
            }
            continue;
        }
        let mut common: Vec<(&str, bool)> = second
            .questions
            .iter()
            .filter_map(|(id, text)| Some((*id, first.questions.get(id)? == text)))
            .collect();
        common.sort_unstable();
        if let Some((id, _)) = common.iter().find(|(_, is_same)| !is_same) {
            let (first, second) = names();
            return Err(DifferentBenchmarks::Question { first, second, id: (*id).to_owned() });
        }
        if common.is_empty() && !(first.questions.is_empty() && second.questions.is_empty()) {
            let (first, second) = names();
            return Err(DifferentBenchmarks::NothingInCommon { first, second });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        first: &About,
        second: &About,
        one: &[(&'static str, &'static str)],
        two: &[(&'static str, &'static str)],
    ) -> Result<(), DifferentBenchmarks> {
        let (one, two) = (one.iter().copied().collect(), two.iter().copied().collect());
        same_benchmark(&[
            RunQuestions { name: "x", about: first, questions: one },
            RunQuestions { name: "y", about: second, questions: two },
        ])
    }

    #[test]
    fn different_benchmarks_are_told_apart() {
        let about = |identity: &str| About { benchmark: "quick".to_owned(), identity: identity.to_owned() };
        let (a, b, old) = (about("a"), about("b"), about(""));
        let (one, other) = (&[("q-1", "Who?"), ("q-2", "What?")][..], &[("q-1", "Where?")][..]);
        assert!(matches!(check(&a, &b, one, one), Err(DifferentBenchmarks::Identity { .. })));
        assert_eq!(check(&a, &a, one, one), Ok(()));
        // Parts of one benchmark.
        assert_eq!(check(&a, &a, &one[..1], &one[1..]), Ok(()));
        // Runs without an identity are distinguished by their questions.
        assert_eq!(check(&old, &b, one, &one[..1]), Ok(()));
        assert!(
            matches!(check(&old, &b, one, other), Err(DifferentBenchmarks::Question { id, .. }) if id == "q-1")
        );
        assert!(matches!(
            check(&old, &old, one, &[("p-9", "Who?")]),
            Err(DifferentBenchmarks::NothingInCommon { .. })
        ));
    }
}
