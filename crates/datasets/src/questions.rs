//! The interface by which the questions of a data set are read.

use crate::importer::{Importer, UnreadReason};
use crate::item::{Item, ItemSource};
use serde::Deserialize;
use serde_json::Value as Json;
use touchstone_benchmark::{Forms, Function};
use touchstone_logic::{Answer, Language, Program};

/// Finds the parts of a question in a record.
pub(crate) trait ReadQuestions: Sync {
    /// The keys that may hold a logical form.
    fn expected(&self) -> &'static str;

    /// The logical form of a record.
    fn source(&self, json: &Json) -> Option<ItemSource>;

    /// Why the record is not a question, although it is readable.
    fn left_out(&self, _json: &Json) -> Option<UnreadReason> {
        None
    }

    /// The forms of the record, unchanged.
    fn forms(&self, item: &Item, json: &Json) -> Forms {
        forms(item, json)
    }

    /// The gold answers.
    fn answers(&self, _json: &Json, _function: Function, _importer: &Importer<'_>) -> Vec<Answer> {
        Vec::new()
    }

    /// The gold answers of other readings of the question.
    fn other_answers(&self, _json: &Json, _function: Function) -> Vec<Vec<Answer>> {
        Vec::new()
    }

    /// Whether the record lists its answers, even if there are none.
    fn lists_answers(&self, _json: &Json) -> bool {
        false
    }
}

/// The forms of a record, unchanged.
pub(crate) fn forms(item: &Item, json: &Json) -> Forms {
    let text =
        |keys: &[&str]| keys.iter().find_map(|key| json.get(key)).and_then(Json::as_str).map(str::to_owned);
    let sparql = match &item.source {
        ItemSource::Text(Language::Sparql, text) => Some(text.clone()),
        _ => text(&["sparql_query", "sparql"]),
    };
    let program = match &item.source {
        ItemSource::Program(json) => {
            Program::from_deserializer(json).ok().and_then(|program| program.to_readable().ok())
        }
        ItemSource::Text(Language::Kopl, text) => Some(text.clone()),
        _ => None,
    };
    let sexpr = match &item.source {
        // The graph was annotated; the expression may be derived from it.
        ItemSource::Graph(_) => text(&["s_expression"]).or_else(|| item.source.text().ok()),
        ItemSource::Text(Language::Sexpr, text) => Some(text.clone()),
        _ => None,
    };
    Forms { sexpr, program, sparql, sparql_kqapro: None }
}

/// An answer in any spelling; everything else is a text.
pub(crate) fn any_answer(json: &Json) -> Answer {
    Answer::deserialize(json).unwrap_or_else(|_| Answer::plain(json.to_string()))
}

/// An entity as an answer.
pub(crate) fn entity(id: &str, label: &str) -> Answer {
    Answer::Entity { id: id.to_owned(), label: label.to_owned() }
}

/// The last part of an IRI, or another word, with spaces in place of underscores.
pub(crate) fn local_name(word: &str) -> String {
    let name = if word.contains("://") { word.rsplit(['/', '#']).next().unwrap_or(word) } else { word };
    name.replace('_', " ")
}
