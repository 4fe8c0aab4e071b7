//! From a record of a published file to a question of a benchmark.

use crate::data_set::DataSet;
use crate::item::{ItemSource, RecordError, word};
use crate::meaning::Meaning;
use crate::questions::local_name;
use crate::records::Record;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use touchstone_benchmark::{Mention, Question, QuestionParts, Split};
use touchstone_kb::Kb;
use touchstone_logic::level::{Level, Traits};
use touchstone_logic::{Knowledge, Language, Program};

/// Reads questions of one data set.
pub struct Importer<'k> {
    /// The data set.
    pub data_set: DataSet,
    /// What is known about the words in its logical forms.
    pub knowledge: Knowledge<'k>,
    /// The KB that the questions are about, if it is available: it gives the ids of the names in programs.
    pub kb: Option<&'k Kb>,
}

/// A question that was read.
#[derive(Debug, Clone)]
pub struct ImportedQuestion {
    /// The question.
    pub question: Question,
    /// What its level depends on.
    pub(crate) traits: Traits,
}

/// A record that could not be read.
#[derive(Debug, Clone)]
pub struct UnreadRecord {
    /// The question's id, or the line.
    pub id: String,
    /// What is wrong.
    pub reason: UnreadReason,
}

/// Why a record could not be read.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum UnreadReason {
    /// The record or its logical form is broken.
    #[error(transparent)]
    Record(Box<RecordError>),
    /// The record has a logical form but no question.
    #[error("the record has no question")]
    NoQuestion,
    /// WebQSP's annotators marked no parse as good and complete.
    #[error("none of its parses is good and complete; WebQSP's evaluator skips it as well")]
    NoGoodParse,
}

impl From<RecordError> for UnreadReason {
    fn from(error: RecordError) -> UnreadReason {
        UnreadReason::Record(Box::new(error))
    }
}

impl Importer<'_> {
    /// The question of a record, for a split, with the name of its source.
    pub fn question(
        &self,
        record: &Record,
        split: Split,
        source: &str,
    ) -> Result<ImportedQuestion, UnreadRecord> {
        let line = record.line.to_string();
        let json = if record.json { serde_json::from_str(&record.text).ok() } else { None };
        let item = match &json {
            Some(json) => self.data_set.json_item(json, record.line),
            None => self.data_set.item(record),
        };
        let item = item.map_err(|error| UnreadRecord { id: line.clone(), reason: error.into() })?;
        let json: Json = json.unwrap_or_default();
        let unread = |reason: UnreadReason| UnreadRecord { id: item.id.clone(), reason };
        let text = item.question.clone().filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| unread(UnreadReason::NoQuestion))?;
        let questions = self.data_set.questions();
        if let Some(reason) = questions.left_out(&json) {
            return Err(unread(reason));
        }
        let failed = |error| unread(RecordError::Form(error).into());
        // The shape comes from GrailQA's graph; the query from the expression, which has the complete literals.
        let written = json.get("s_expression").and_then(Json::as_str);
        let written = written.map(|text| ItemSource::Text(Language::Sexpr, text.to_owned()));
        let meaning = written.and_then(|source| Meaning::of(&source, &self.knowledge).ok());
        let meaning = match meaning {
            Some(meaning) => meaning,
            None => Meaning::of(&item.source, &self.knowledge).map_err(failed)?,
        };
        let graph = match &item.source {
            ItemSource::Graph(_) => item.source.graph(&self.knowledge),
            _ => meaning.graph(),
        };
        let graph = graph.map_err(failed)?;
        let meaning = match self.kb {
            Some(kb) => meaning.with_ids(kb),
            None => meaning,
        };
        let template = meaning.template(self.knowledge.words);
        let (function, kind) = meaning.kind();
        let answers = questions.answers(&json, function, self);
        let items = meaning.schema_items();
        let forms = questions.forms(&item, &json);
        let program = forms.program.as_deref().and_then(|text| Program::parse(text).ok());
        let parts = QuestionParts {
            function,
            kind,
            graph: &graph,
            items: &items,
            template: &template,
            program: program.as_ref(),
        };
        let question = Question {
            // If the record has no id, its line number is the id, which is the same in every file.
            id: if item.id == line { format!("{split}-{line}") } else { item.id.clone() },
            split,
            level: level_in(&json),
            answers_empty: answers.is_empty() && questions.lists_answers(&json),
            answers,
            other_answers: questions.other_answers(&json, function),
            choices: strings(json.get("choices")),
            entities: mentions(&meaning, &names_in(&json), &text),
            source: source.to_owned(),
            question: text,
            forms,
            ..Question::about(&parts)
        };
        let traits = Traits::new(items, template, self.knowledge.words, true);
        Ok(ImportedQuestion { question, traits })
    }
}

/// The mentions of the query's entities in the question, as far as they can be found.
fn mentions(meaning: &Meaning, names: &BTreeMap<String, String>, text: &str) -> Vec<Mention> {
    let mut mentions: Vec<Mention> = meaning
        .entities()
        .into_iter()
        .filter_map(|id| {
            let (start, end) = names
                .get(&id)
                .and_then(|name| place(text, name))
                .or_else(|| place(text, &local_name(&id)))?;
            let text = text.chars().skip(start).take(end - start).collect();
            Some(Mention { id, text, start, end })
        })
        .collect();
    mentions.sort_by_key(|mention| (mention.start, mention.end));
    mentions.dedup();
    mentions
}

fn strings(list: Option<&Json>) -> Vec<String> {
    let list = list.and_then(Json::as_array).into_iter().flatten();
    list.map(word).collect()
}

/// The level of a record. Values with which other data sets mean something else are ignored.
fn level_in(json: &Json) -> Option<Level> {
    let name = json.get("level")?.as_str()?;
    Level::ALL.into_iter().find(|level| level.name() == name)
}

/// The names of entities that a record has.
fn names_in(json: &Json) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let mut add = |id: Option<&Json>, name: Option<&Json>| {
        if let (Some(id), Some(name)) = (id.and_then(Json::as_str), name.and_then(Json::as_str)) {
            names.insert(id.to_owned(), name.to_owned());
        }
    };
    for node in json.pointer("/graph_query/nodes").and_then(Json::as_array).into_iter().flatten() {
        add(node.get("id"), node.get("friendly_name"));
    }
    for parse in json.get("Parses").and_then(Json::as_array).into_iter().flatten() {
        add(parse.get("TopicEntityMid"), parse.get("PotentialTopicEntityMention"));
    }
    for (id, name) in json.get("topic_entity").and_then(Json::as_object).into_iter().flatten() {
        add(Some(&Json::String(id.clone())), Some(name));
    }
    names
}

/// The position of a name in a text, in characters, ignoring case.
fn place(text: &str, name: &str) -> Option<(usize, usize)> {
    let lower =
        |text: &str| -> Vec<char> { text.chars().map(|c| c.to_lowercase().next().unwrap_or(c)).collect() };
    let (text, name) = (lower(text), lower(name));
    if name.is_empty() {
        return None;
    }
    let start = text.windows(name.len()).position(|window| window == name)?;
    Some((start, start + name.len()))
}

/// The question in the text of one record, for tests.
#[cfg(test)]
pub(crate) fn import_text(data_set: DataSet, text: &str) -> Result<Question, UnreadRecord> {
    let knowledge = Knowledge::of_spelling();
    let importer = Importer { data_set, knowledge, kb: None };
    let record = Record { line: 1, text: text.to_owned(), json: true };
    importer.question(&record, Split::Test, "here").map(|imported| imported.question)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::questions::entity;
    use touchstone_benchmark::Function;
    use touchstone_logic::Answer;

    #[test]
    fn every_format_gives_a_question_with_answers() {
        let graph = r#"{"qid": 21, "question": "what has oliver heese?", "answer": [{"answer_type": "Entity", "answer_argument": "m.06", "entity_name": "N"}], "level": "i.i.d.", "graph_query": {"nodes": [{"nid": 0, "node_type": "class", "id": "a.b", "question_node": 1, "function": "none"}, {"nid": 1, "node_type": "entity", "id": "m.1", "friendly_name": "Oliver Heese", "question_node": 0, "function": "none"}], "edges": [{"start": 0, "end": 1, "relation": "a.b.c"}]}}"#;
        let question = import_text(DataSet::GrailQa, graph).unwrap();
        assert_eq!(question.forms.sexpr.as_deref(), Some("(AND a.b (JOIN a.b.c m.1))"));
        assert_eq!(question.answers, [entity("m.06", "N")]);
        assert_eq!((question.level, question.source.as_str()), (Some(Level::Iid), "here"));
        assert_eq!((question.entities[0].start, question.entities[0].text.as_str()), (9, "oliver heese"));

        let webqsp = r#"{"QuestionId": "T-0", "RawQuestion": "what?", "Parses": [{"Sparql": "SELECT ?x WHERE { ns:m.1 ns:a.b ?x }", "Answers": [{"AnswerType": "Value", "AnswerArgument": "2010", "EntityName": null}]}]}"#;
        assert_eq!(import_text(DataSet::WebQsp, webqsp).unwrap().answers, [Answer::plain("2010")]);

        let several = r#"{"QuestionId": "T-1", "RawQuestion": "what?", "Parses": [{"AnnotatorComment": {"ParseQuality": "Incomplete", "QuestionQuality": "Good"}, "Sparql": "SELECT ?x WHERE { ns:m.1 ns:a.b ?x }", "Answers": []}, {"AnnotatorComment": {"ParseQuality": "Complete", "QuestionQuality": "Good"}, "Sparql": "SELECT ?x WHERE { ns:m.1 ns:a.c ?x }", "Answers": [{"AnswerType": "Entity", "AnswerArgument": "m.2", "EntityName": "Two"}]}]}"#;
        let question = import_text(DataSet::WebQsp, several).unwrap();
        assert!(question.answers.is_empty());
        assert_eq!(question.other_answers, [[entity("m.2", "Two")]]);
        let left_out = import_text(DataSet::WebQsp, &several.replace("Complete", "Incomplete")).unwrap_err();
        assert!(matches!(left_out.reason, UnreadReason::NoGoodParse), "{left_out:?}");

        let own = r#"{"question": "How many A?", "query": "FindAll() > FilterConcept(A) > Count()", "answers": [2]}"#;
        let question = import_text(DataSet::Lines, own).unwrap();
        assert_eq!(question.forms.program.as_deref(), Some("FindAll() > FilterConcept(A) > Count()"));
        assert_eq!(question.answers, [Answer::count(2)]);

        let cwq = r#"{"ID": "W-1", "question": "q", "sparql": "SELECT ?x WHERE { ?x ns:a.b ns:m.1 }", "answer": ["m.02"]}"#;
        assert_eq!(import_text(DataSet::Cwq, cwq).unwrap().answers, [entity("m.02", "")]);

        let kqapro = r#"{"question": "How many A?", "program": [{"function": "FindAll", "inputs": []}, {"function": "FilterConcept", "inputs": ["A"]}, {"function": "Count", "inputs": []}], "choices": ["1", "2"], "answer": "2", "sparql": "SELECT"}"#;
        let question = import_text(DataSet::KqaPro, kqapro).unwrap();
        assert_eq!(question.answers, [Answer::count(2)]);
        assert_eq!(question.forms.program.as_deref(), Some("FindAll() > FilterConcept(A) > Count()"));
        assert_eq!(question.choices, ["1", "2"]);

        let qald = r#"{"id": 5, "question": [{"language": "en", "string": "What is in Bonn?"}], "query": {"sparql": "SELECT ?x WHERE { <http://dbpedia.org/resource/Bonn> <http://dbpedia.org/ontology/has> ?x }"}, "answers": [{"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "uri", "value": "http://dbpedia.org/resource/Old_Town"}}]}}]}"#;
        let question = import_text(DataSet::Qald, qald).unwrap();
        assert_eq!(question.answers[0].text(), "Old Town");
        assert_eq!(question.entities[0].text, "Bonn");
        assert_eq!(
            import_text(
                DataSet::LcQuad,
                r#"{"corrected_question": "q", "sparql_query": "ASK { <http://a> <http://b> <http://c> }"}"#
            )
            .unwrap()
            .function,
            Function::Verify
        );

        let wrong = import_text(DataSet::Cwq, r#"{"ID": "W-1", "sparql": "SELECT"}"#).unwrap_err();
        assert_eq!(
            (wrong.id.as_str(), wrong.reason.to_string()),
            ("W-1", "the record has no question".to_owned())
        );
    }
}
