//! Compares pairs of a gold and a predicted logical form.

use crate::{DataSet, InputError, ReasonCounts, Record, RecordInput};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;
use thiserror::Error;
use touchstone_kb::Progress;
use touchstone_logic::equal::{OfficialMatcher, compare_forms};
use touchstone_logic::{Knowledge, Ontology, ReadForm};

/// The definition of equality of two forms.
pub enum Equality<'k> {
    /// GrailQA's exact match.
    Official {
        /// Freebase's ontology.
        ontology: &'k Ontology,
        /// Whether to reproduce the known error of the published evaluator.
        legacy: bool,
    },
    /// The same canonical form, across languages.
    Canonical {
        /// What is known about words.
        knowledge: Knowledge<'k>,
    },
}

/// Compares the forms of pairs.
pub struct PairMatcher<'k> {
    /// The definition of equality.
    pub equality: Equality<'k>,
}

/// Whether the forms of a pair are equal, and if not, why: a line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PairVerdict {
    /// The id of the pair, or its line.
    pub id: String,
    /// Whether the forms are equal.
    pub equal: bool,
    /// Why they are not.
    pub why: Option<String>,
}

/// How many pairs are equal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// Number of records.
    pub total: usize,
    /// Number of equal pairs.
    pub equal: usize,
    /// Why pairs differ.
    pub different: ReasonCounts,
    /// Why records are not pairs.
    pub broken: ReasonCounts,
}

/// A record that is not a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not an object with `gold` and `predicted`")]
#[non_exhaustive]
pub struct NotAPair {
    /// Its line.
    pub line: usize,
}

impl Serialize for NotAPair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("line", &self.line)?;
        map.serialize_entry("error", &self.to_string())?;
        map.end()
    }
}

impl PairCounts {
    fn add(&mut self, verdict: Result<PairVerdict, NotAPair>) {
        self.total += 1;
        match verdict {
            Ok(verdict) if verdict.equal => self.equal += 1,
            Ok(verdict) => {
                self.different.add(&verdict.id, verdict.why.unwrap_or_else(|| "different".to_owned()));
            }
            Err(error) => self.broken.add(&format!("line {}", error.line), error.to_string()),
        }
    }
}

#[derive(Deserialize)]
struct Pair {
    #[serde(alias = "qid")]
    id: Option<Json>,
    #[serde(alias = "s_expression")]
    gold: Json,
    #[serde(alias = "logical_form", alias = "pred")]
    predicted: Json,
}

impl PairMatcher<'_> {
    /// Compares all pairs of a file, in parallel. The verdicts are passed on in the order of the file.
    pub fn match_all<E: From<InputError>>(
        &self,
        input: &RecordInput,
        progress: &dyn Progress,
        mut pass_on: impl FnMut(&Result<PairVerdict, NotAPair>) -> Result<(), E>,
    ) -> Result<PairCounts, E> {
        let mut counts = PairCounts::default();
        input.for_each(
            progress,
            |record| self.verdict(record),
            |verdict| {
                pass_on(&verdict)?;
                counts.add(verdict);
                Ok::<(), E>(())
            },
        )?;
        Ok(counts)
    }

    /// Compares the forms of a record `{"id": ..., "gold": ..., "predicted": ...}`.
    pub fn verdict(&self, record: &Record) -> Result<PairVerdict, NotAPair> {
        let line = record.line;
        let pair: Pair = serde_json::from_str(&record.text).map_err(|_| NotAPair { line })?;
        let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let id = pair.id.as_ref().map_or_else(|| line.to_string(), text);
        if pair.predicted.is_null() {
            let why = Some("predicted: there is no prediction".to_owned());
            return Ok(PairVerdict { id, equal: false, why });
        }
        if pair.gold.is_null() {
            let why = Some("gold: there is no form".to_owned());
            return Ok(PairVerdict { id, equal: false, why });
        }
        let (gold, predicted) = (text(&pair.gold), text(&pair.predicted));
        let (equal, why) = match &self.equality {
            Equality::Official { ontology, legacy } => official(ontology, *legacy, &gold, &predicted),
            Equality::Canonical { knowledge } => canonical(line, &gold, &predicted, knowledge),
        };
        Ok(PairVerdict { id, equal, why })
    }
}

/// Whether a text is not an S-expression, although the official reader would accept it as one token.
fn is_other_language(text: &str) -> bool {
    !text.trim_start().starts_with('(') && text.trim().contains(char::is_whitespace)
}

fn official(ontology: &Ontology, legacy: bool, gold: &str, predicted: &str) -> (bool, Option<String>) {
    for (side, text) in [("gold", gold), ("predicted", predicted)] {
        if is_other_language(text) {
            let why = "official compares S-expressions; give --mode canonical for other languages";
            return (false, Some(format!("{side}: {why}")));
        }
    }
    let verdict = OfficialMatcher::new(ontology).legacy(legacy).explain(gold, predicted);
    (verdict.equal, verdict.why)
}

fn canonical(line: usize, gold: &str, predicted: &str, knowledge: &Knowledge<'_>) -> (bool, Option<String>) {
    let form = |side: &str, text: &str| {
        let record = Record { line, text: text.to_owned(), json: false };
        let item = DataSet::Lines.item(&record).map_err(|error| format!("{side}: {error}"))?;
        let text = item.source.text().map_err(|error| format!("{side}: {error}"))?;
        Ok::<_, String>(ReadForm::read(item.source.language(), &text, knowledge))
    };
    match (form("gold", gold), form("predicted", predicted)) {
        (Ok(gold), Ok(predicted)) => match compare_forms(&gold, &predicted, knowledge.words) {
            Ok(verdict) => (verdict.equal, verdict.why),
            Err(error) => (false, Some(error.to_string())),
        },
        (Err(error), _) | (_, Err(error)) => (false, Some(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_kb::NoProgress;

    #[test]
    fn equal_different_and_broken_pairs_are_counted() {
        let lines = r#"{"id": "a", "gold": "(COUNT film)", "predicted": "(COUNT film)"}
{"id": "b", "gold": "(COUNT film)", "predicted": null}
{"id": "c"}"#;
        let matcher = PairMatcher { equality: Equality::Canonical { knowledge: Knowledge::of_spelling() } };
        let mut passed = 0;
        let counts = matcher.match_all(&RecordInput::Text(lines.to_owned()), &NoProgress, |_| {
            passed += 1;
            Ok::<(), InputError>(())
        });
        let counts = counts.expect("read");
        assert_eq!((counts.total, counts.equal, passed), (3, 1, 3));
        assert_eq!((counts.different.total(), counts.broken.total()), (1, 1));
    }
}
