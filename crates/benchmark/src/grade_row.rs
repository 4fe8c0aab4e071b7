//! The grade of one prediction: a line of `grades.jsonl`.

use crate::outcome::PredictionOutcome;
use crate::question::Graph;
use crate::usage::Usage;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;
use std::fmt;
use std::marker::PhantomData;
use touchstone_logic::Answer;

/// A line of `grades.jsonl`. Files of 0.1 may lack the fields that have a default.
///
/// ```
/// use touchstone_benchmark::{GradeRow, PredictionOutcome};
///
/// let line = r#"{"id": "q1", "outcome": "answered", "measures": {"f1": 0.5, "exec": 1.0}}"#;
/// let row: GradeRow = serde_json::from_str(line)?;
/// assert_eq!((row.outcome, row.measures.get("f1")), (PredictionOutcome::Answered, Some(&0.5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
// Without the example.
#[cfg_attr(
    feature = "schema",
    schemars(
        description = "A line of `grades.jsonl`. Files of 0.1 may lack the fields that have a default."
    )
)]
pub struct GradeRow {
    /// The id of the question.
    pub id: String,
    /// The outcome.
    pub outcome: PredictionOutcome,
    /// Why there is no answer.
    #[serde(default)]
    pub cause: Option<String>,
    /// The value of each measure that applies.
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, f64>"))]
    pub measures: NamedValues<f64>,
    /// The values of each facet.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, Vec<String>>"))]
    pub facets: NamedValues<Vec<String>>,
    /// The shape of the gold query.
    #[serde(default)]
    pub shape: String,
    /// The shape of the predicted query.
    #[serde(default)]
    pub predicted_shape: Option<String>,
    /// Whether the predicted query gives what gold gives on all neighbours of the KB, if that was checked.
    #[serde(default)]
    pub robust: Option<bool>,
    /// The question.
    #[serde(default)]
    pub question: String,
    /// The graph of the gold query.
    #[serde(default)]
    pub graph: Option<Graph>,
    /// The graph of the predicted query.
    #[serde(default)]
    pub predicted_graph: Option<Graph>,
    /// The gold form.
    #[serde(default)]
    pub gold: Option<String>,
    /// The predicted form.
    #[serde(default)]
    pub predicted: Option<String>,
    /// The gold answers.
    #[serde(default)]
    pub gold_answers: Vec<Answer>,
    /// The texts of the predicted answers.
    #[serde(default)]
    pub answers: Vec<String>,
    /// How the system found its prediction, if it reports that.
    #[serde(default)]
    pub trace: Option<Json>,
    /// How certain the system is, if it reports that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// What the prediction cost.
    #[serde(default)]
    pub usage: Option<Usage>,
}

/// Values by name, in the order in which they were added; written as a JSON object.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedValues<T>(Vec<(String, T)>);

impl<T> Default for NamedValues<T> {
    fn default() -> NamedValues<T> {
        NamedValues(Vec::new())
    }
}

impl<T> NamedValues<T> {
    /// The value with a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// All names and values, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl<T> FromIterator<(String, T)> for NamedValues<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(values: I) -> NamedValues<T> {
        NamedValues(values.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for NamedValues<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for NamedValues<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NamedValues<T>, D::Error> {
        struct Values<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Values<T> {
            type Value = NamedValues<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NamedValues<T>, A::Error> {
                let mut values = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    values.push(entry);
                }
                Ok(NamedValues(values))
            }
        }
        deserializer.deserialize_map(Values(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_written() {
        let row = GradeRow {
            id: "q1".to_owned(),
            outcome: PredictionOutcome::Answered,
            measures: [("f1".to_owned(), 1.0), ("bleu".to_owned(), 0.25)].into_iter().collect(),
            gold_answers: vec![Answer::Boolean { value: true }],
            answers: vec!["yes".to_owned()],
            ..GradeRow::default()
        };
        let text = serde_json::to_string(&row).expect("JSON");
        assert!(text.contains(r#""measures":{"f1":1.0,"bleu":0.25}"#), "{text}");
        assert_eq!(serde_json::from_str::<GradeRow>(&text).expect("a row"), row);
        let old = r#"{"id":"q1","outcome":"answered","measures":{}}"#;
        assert_eq!(serde_json::from_str::<GradeRow>(old).expect("a row").gold_answers, []);
        assert!(serde_json::from_str::<GradeRow>(r#"{"id":"q1"}"#).is_err());
    }
}
