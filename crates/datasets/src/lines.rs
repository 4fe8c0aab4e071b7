//! Lines of the user's own questions (`docs/your-questions.md`), and records of any kind with a logical form under one of the usual keys.

use crate::data_set::Published;
use crate::importer::Importer;
use crate::item::{ItemSource, first};
use crate::questions::{ReadQuestions, any_answer, entity, local_name};
use crate::{grailqa, kqapro, plain, qald, webqsp};
use serde_json::Value as Json;
use touchstone_benchmark::Function;
use touchstone_logic::{Answer, Language};

/// The format.
pub(crate) struct Lines;

impl Published for Lines {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn description(&self) -> &'static str {
        "Guessed from the records"
    }

    fn questions(&self) -> Option<&dyn ReadQuestions> {
        Some(self)
    }

    fn predictions(&self) -> Option<&'static str> {
        Some(
            "Lines of {\"id\", \"answers\", \"logical_form\", \"lang\"}, or GrailQA's {\"qid\", \"logical_form\", \"answer\"}",
        )
    }
}

impl ReadQuestions for Lines {
    fn expected(&self) -> &'static str {
        "`query`, `graph_query`, `s_expression`, `program` or `sparql`"
    }

    fn source(&self, json: &Json) -> Option<ItemSource> {
        let guessed = || {
            let text = first(json, &["query", "logical_form"])?.as_str()?;
            Some(ItemSource::Text(Language::guess(text), text.to_owned()))
        };
        guessed()
            .or_else(|| grailqa::graph(json))
            .or_else(|| ItemSource::sexpr(json))
            .or_else(|| qald::query(json))
            .or_else(|| ItemSource::kopl(json))
            .or_else(|| webqsp::parse(json))
            .or_else(|| ItemSource::sparql(json))
            .or_else(|| plain::bare(json, None))
    }

    fn answers(&self, json: &Json, function: Function, importer: &Importer<'_>) -> Vec<Answer> {
        match listed(json) {
            Some(Json::Array(answers)) => answers.iter().map(|one| answer(one, function, importer)).collect(),
            None | Some(Json::Null) => Vec::new(),
            Some(one) => vec![answer(one, function, importer)],
        }
    }

    fn lists_answers(&self, json: &Json) -> bool {
        listed(json).is_some_and(|answers| !answers.is_null())
    }
}

fn listed(json: &Json) -> Option<&Json> {
    json.get("answers").or(json.get("answer"))
}

/// An answer as users write it: an id, an IRI, a name, a value, or an object as in `questions.jsonl`.
fn answer(answer: &Json, function: Function, importer: &Importer<'_>) -> Answer {
    let text = match answer {
        Json::String(text) => text.as_str(),
        Json::Array(_) | Json::Null => return Answer::plain(answer.to_string()),
        other => return any_answer(other),
    };
    let namespaces = &importer.knowledge.namespaces;
    if let Some(kb) = importer.kb {
        let mut named = kb.nodes_labelled(text);
        let only = match (named.next(), named.next()) {
            (Some(node), None) => Some(node),
            _ => None,
        };
        if let Some(node) = kb.node(text).or_else(|| kb.node(&namespaces.node(text))).or(only) {
            return entity(kb.node_id(node), kb.label(node));
        }
    }
    if text.contains("://") {
        entity(&namespaces.node(text), &local_name(text))
    } else {
        kqapro::typed_answer(text, function)
    }
}
