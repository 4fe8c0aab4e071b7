//! Questions with their logical forms, as in published files.

use crate::data_set::DataSet;
use crate::records::Record;
use serde_json::Value as Json;
use touchstone_logic::sexpr::GraphQuery;
use touchstone_logic::{
    Knowledge, Language, Program, QueryGraph, ReadError, ReadForm, Reading, read_graph, read_program,
    read_text,
};

/// A question.
#[derive(Debug, Clone)]
pub struct Item {
    /// Its id; the line number if it has none.
    pub id: String,
    /// Its text, if the file has it.
    pub question: Option<String>,
    /// Its logical form.
    pub source: ItemSource,
}

/// A logical form as in the file.
#[derive(Debug, Clone)]
pub enum ItemSource {
    /// GrailQA's graph.
    Graph(GraphQuery),
    /// A program in JSON.
    Program(Json),
    /// A text.
    Text(Language, String),
}

/// What is wrong with a record or its logical form.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The record is not JSON.
    #[error("not JSON: {0}")]
    Json(String),
    /// There is no logical form in the record.
    #[error("no logical form: expected {expected}; the record has {found}")]
    NoForm {
        /// The expected keys.
        expected: &'static str,
        /// The keys of the record.
        found: String,
    },
    /// The logical form cannot be read.
    #[error(transparent)]
    Form(#[from] ReadError),
}

impl DataSet {
    /// The question in a record. Data sets without logical forms look for one under any of the usual keys.
    pub fn item(self, record: &Record) -> Result<Item, RecordError> {
        if !record.json {
            let language = match self {
                DataSet::Forms(language) => language,
                _ => Language::guess(&record.text),
            };
            let source = ItemSource::Text(language, record.text.clone());
            return Ok(Item { id: record.line.to_string(), question: None, source });
        }
        let json: Json =
            serde_json::from_str(&record.text).map_err(|error| RecordError::Json(error.to_string()))?;
        self.json_item(&json, record.line)
    }

    /// The question in a record that is parsed.
    pub(crate) fn json_item(self, json: &Json, line: usize) -> Result<Item, RecordError> {
        let id = first(json, &["qid", "QuestionId", "ID", "split_id", "id", "_id", "uid"])
            .map_or_else(|| line.to_string(), word);
        let question =
            first(json, &["question", "corrected_question", "RawQuestion", "paraphrased_question"])
                .and_then(in_english)
                .map(str::to_owned);
        let questions = self.questions();
        let source = questions.source(json).ok_or_else(|| {
            let keys = json
                .as_object()
                .map(|object| object.keys().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", "));
            RecordError::NoForm {
                expected: questions.expected(),
                found: keys.filter(|keys| !keys.is_empty()).unwrap_or_else(|| "none".to_owned()),
            }
        })?;
        Ok(Item { id, question, source })
    }
}

impl ItemSource {
    /// The text under the first of some keys; a program may be JSON.
    pub(crate) fn under(json: &Json, keys: &[&str], language: Language) -> Option<ItemSource> {
        match first(json, keys)? {
            Json::String(text) => Some(ItemSource::Text(language, text.clone())),
            other if language == Language::Kopl => Some(ItemSource::Program(other.clone())),
            _ => None,
        }
    }

    /// An S-expression under one of the usual keys.
    pub(crate) fn sexpr(json: &Json) -> Option<ItemSource> {
        ItemSource::under(json, &["s_expression", "sexpr", "logical_form", "query"], Language::Sexpr)
    }

    /// A program under one of the usual keys.
    pub(crate) fn kopl(json: &Json) -> Option<ItemSource> {
        ItemSource::under(json, &["program", "kopl", "query"], Language::Kopl)
    }

    /// SPARQL under one of the usual keys.
    pub(crate) fn sparql(json: &Json) -> Option<ItemSource> {
        ItemSource::under(json, &["sparql", "sparql_query", "sparql_wikidata", "query"], Language::Sparql)
    }

    /// The language it is written in; a graph counts as the S-expression derived from it.
    pub fn language(&self) -> Language {
        match self {
            ItemSource::Graph(_) => Language::Sexpr,
            ItemSource::Program(_) => Language::Kopl,
            ItemSource::Text(language, _) => *language,
        }
    }

    /// The logical form as text.
    pub fn text(&self) -> Result<String, ReadError> {
        match self {
            ItemSource::Graph(graph) => Ok(graph.to_form()?.to_string()),
            ItemSource::Program(json) => Ok(json.to_string()),
            ItemSource::Text(_, text) => Ok(text.clone()),
        }
    }

    /// The query that it stands for.
    pub fn read(&self, knowledge: &Knowledge<'_>) -> Result<Reading, ReadError> {
        match self {
            ItemSource::Graph(graph) => read_graph(graph),
            ItemSource::Program(json) => read_program(&Program::from_deserializer(json)?, knowledge),
            ItemSource::Text(language, text) => read_text(*language, text, knowledge),
        }
    }

    /// The query graph: GrailQA's own if there is one.
    pub fn graph(&self, knowledge: &Knowledge<'_>) -> Result<QueryGraph, ReadError> {
        match self {
            ItemSource::Graph(graph) => Ok(QueryGraph::of_graph_query(graph)?),
            ItemSource::Program(_) => Ok(QueryGraph::of(&self.read(knowledge)?.query)),
            ItemSource::Text(language, text) => ReadForm::read(*language, text, knowledge).graph(),
        }
    }
}

/// The value under the first of some keys.
pub(crate) fn first<'j>(record: &'j Json, keys: &[&str]) -> Option<&'j Json> {
    keys.iter().filter_map(|key| record.get(key)).find(|value| !value.is_null())
}

/// A text, or the English one of several.
fn in_english(question: &Json) -> Option<&str> {
    match question {
        Json::String(text) => Some(text),
        Json::Array(texts) => {
            let english =
                texts.iter().find(|text| text.get("language").is_some_and(|language| language == "en"));
            english.or(texts.first())?.get("string")?.as_str()
        }
        _ => None,
    }
}

/// A text as it is, other values as JSON.
pub(crate) fn word(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn item(data_set: DataSet, text: &str) -> Result<Item, RecordError> {
        data_set.item(&Record { line: 7, text: text.to_owned(), json: text.starts_with(['{', '"']) })
    }

    /// The id, the language and the shape of a record.
    fn found(data_set: DataSet, text: &str) -> (String, Language, String) {
        let item = item(data_set, text).unwrap();
        let knowledge = Knowledge::of_spelling();
        let shape = item.source.graph(&knowledge).unwrap().shape().code;
        (item.id, item.source.language(), shape)
    }

    #[test]
    fn every_format_is_read() {
        let one = |id: &str, language| (id.to_owned(), language, "T1:(())".to_owned());
        let graph = r#"{"qid": 21, "graph_query": {"nodes": [{"nid": 0, "node_type": "class", "id": "a.b", "question_node": 1, "function": "none"}, {"nid": 1, "node_type": "entity", "id": "m.1", "question_node": 0, "function": "none"}], "edges": [{"start": 0, "end": 1, "relation": "a.b.c"}]}, "s_expression": "wrong"}"#;
        assert_eq!(found(DataSet::GrailQa, graph), one("21", Language::Sexpr));
        assert_eq!(
            found(DataSet::GrailQa, r#"{"s_expression": "(JOIN a.b m.1)"}"#),
            one("7", Language::Sexpr)
        );
        assert_eq!(
            found(DataSet::Cwq, r#"{"ID": "W-1", "sparql": "SELECT ?x WHERE { ?x ns:a.b ns:m.1 }"}"#),
            one("W-1", Language::Sparql)
        );
        let webqsp = r#"{"QuestionId": "T-0", "Parses": [{"Sparql": "SELECT ?x WHERE { ns:m.1 ns:a.b ?x }"}, {"Sparql": "broken"}]}"#;
        assert_eq!(found(DataSet::WebQsp, webqsp), one("T-0", Language::Sparql));
        let program = r#"{"split_id": "train-0", "program": [{"function": "Find", "inputs": ["A"]}, {"function": "Relate", "inputs": ["r", "forward"]}, {"function": "What", "inputs": []}], "sparql": "broken"}"#;
        assert_eq!(found(DataSet::KqaPro, program), one("train-0", Language::Kopl));
        assert_eq!(
            found(
                DataSet::LcQuad,
                r#"{"_id": "9", "sparql_query": "ASK { <http://a> <http://b> <http://c> }"}"#
            ),
            one("9", Language::Sparql)
        );
        let qald = r#"{"id": 5, "question": [{"language": "de", "string": "Was?"}, {"language": "en", "string": "What?"}], "query": {"sparql": "SELECT ?x WHERE { <http://a> <http://b> ?x }"}}"#;
        assert_eq!(found(DataSet::Qald, qald), one("5", Language::Sparql));
        assert_eq!(item(DataSet::Qald, qald).unwrap().question.as_deref(), Some("What?"));
        assert_eq!(found(DataSet::Lines, qald), one("5", Language::Sparql));
        let second =
            r#"{"uid": 4, "question": "What?", "sparql_wikidata": "SELECT ?x WHERE { wd:Q1 wdt:P1 ?x }"}"#;
        assert_eq!(found(DataSet::LcQuad, second), one("4", Language::Sparql));
        assert_eq!(found(DataSet::Forms(Language::Kopl), "Find(A) > QueryAttr(k)"), one("7", Language::Kopl));
        for text in [graph, webqsp, program, r#"{"id": 3, "query": "(JOIN a.b m.1)"}"#, "(JOIN a.b m.1)"] {
            assert_eq!(found(DataSet::Lines, text).2, "T1:(())", "{text}");
        }
    }

    #[test]
    fn what_is_missing_is_reported() {
        let message = |data_set: DataSet, text: &str| item(data_set, text).unwrap_err().to_string();
        assert_eq!(
            message(DataSet::Cwq, r#"{"question": "?", "answer": 1}"#),
            "no logical form: expected `sparql`; the record has `question`, `answer`"
        );
        assert!(message(DataSet::Lines, "{\"a\": ").starts_with("not JSON"));
        let knowledge = Knowledge::of_spelling();
        let wrong = item(DataSet::Lines, r#"{"query": "Find(A) > Wat()"}"#)
            .unwrap()
            .source
            .read(&knowledge)
            .unwrap_err();
        assert!(wrong.to_string().contains("did you mean `What`?"), "{wrong}");
    }
}
