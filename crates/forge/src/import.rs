//! Published data sets as benchmarks.

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::BufRead;
use touchstone_benchmark::Mention;
use touchstone_benchmark::package::{Benchmark, FORMAT, KbIdentity, Manifest};
use touchstone_benchmark::{Forms, Question, Split};
use touchstone_datasets::{Format, Item, Record, Source};
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::{Answers, Outcome, Session, Settings};
use touchstone_kb::{Kb, Progress};
use touchstone_logic::Knowledge;
use touchstone_logic::equal::Canonical;
use touchstone_logic::level::{Level, SchemaItems, Training, Traits};
use touchstone_logic::{Answer, Ask, Inverses, Language, Program, Query};
use touchstone_logic::{entities, with_ids};

/// A published format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Origin {
    GrailQa,
    GraphQuestions,
    WebQsp,
    Cwq,
    KqaPro,
    LcQuad,
    LcQuad2,
    Qald,
    Nspm,
    Lines,
}

impl Origin {
    /// All of them, by the names of commands.
    pub const ALL: [(&str, Origin); 10] = [
        ("grailqa", Origin::GrailQa),
        ("graphquestions", Origin::GraphQuestions),
        ("webqsp", Origin::WebQsp),
        ("cwq", Origin::Cwq),
        ("kqapro", Origin::KqaPro),
        ("lcquad", Origin::LcQuad),
        ("lcquad2", Origin::LcQuad2),
        ("qald", Origin::Qald),
        ("nspm", Origin::Nspm),
        ("lines", Origin::Lines),
    ];

    /// The format with a name.
    pub fn from_name(name: &str) -> Option<Origin> {
        Origin::ALL.iter().find(|(known, _)| *known == name).map(|(_, origin)| *origin)
    }

    fn format(self) -> Format {
        match self {
            Origin::GrailQa | Origin::GraphQuestions => Format::GrailQa,
            Origin::WebQsp => Format::WebQsp,
            Origin::Cwq => Format::Cwq,
            Origin::KqaPro => Format::KqaPro,
            Origin::LcQuad | Origin::LcQuad2 => Format::LcQuad,
            Origin::Qald => Format::Qald,
            Origin::Nspm => Format::Nspm,
            Origin::Lines => Format::Any,
        }
    }
}

/// Reads questions of one data set.
pub struct Importer<'k> {
    /// Its format.
    pub origin: Origin,
    /// What is known about the words in its logical forms.
    pub knowledge: Knowledge<'k>,
    /// Relations that say the same the other way round.
    pub inverses: &'k (dyn Inverses + Sync),
    /// The KB that the questions are about, if it is at hand: it gives ids to what programs name.
    pub kb: Option<&'k Kb>,
}

/// A question that was read.
pub struct Imported {
    question: Question,
    traits: Traits,
}

/// A record that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The question's id, or the line.
    pub id: String,
    /// What is wrong.
    pub reason: String,
}

impl Importer<'_> {
    /// The question of a record.
    pub fn question(&self, record: &Record, split: Split, source: &str) -> Result<Imported, Unread> {
        let unread = |id: &str, reason: String| Unread { id: id.to_owned(), reason };
        let line = record.line.to_string();
        let item = self.origin.format().item(record).map_err(|error| unread(&line, error.to_string()))?;
        let json: Json = serde_json::from_str(&record.text).unwrap_or_default();
        let text = item.question.clone().filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| unread(&item.id, "the record has no question".to_owned()))?;
        if self.origin == Origin::WebQsp && !has_good_parse(&json) {
            let reason = "no parse of it is good and complete; WebQSP's evaluator leaves it out, too";
            return Err(unread(&item.id, reason.to_owned()));
        }
        let explain = |error: touchstone_logic::ReadError| unread(&item.id, error.to_string());
        // GrailQA's graph tells the shape; the expression says the same with all that is written in literals.
        let written = json.get("s_expression").and_then(Json::as_str);
        let written = written.map(|text| Source::Text(Language::Sexpr, text.to_owned()));
        let reading = written.and_then(|source| source.read(&self.knowledge).ok());
        let reading = match reading {
            Some(reading) => reading,
            None => item.source.read(&self.knowledge).map_err(explain)?,
        };
        let graph = item.source.graph(&self.knowledge).map_err(explain)?;
        let forms = forms(&item, &json, self.origin);
        let names = names_in(&json);
        let query = match self.kb {
            Some(kb) => with_ids(reading.query, kb),
            None => reading.query,
        };
        let template = Canonical::template(&query, self.inverses);
        let answers = self.answers(&json, &query);
        let question = Question {
            // Without an id of its own the line is its id, and every file has such a line.
            id: if item.id == line { format!("{split}-{line}") } else { item.id.clone() },
            split,
            level: level_in(&json),
            answers_empty: answers.is_empty() && self.lists_answers(&json),
            answers,
            other_answers: match self.origin {
                Origin::WebQsp => {
                    parses(&json).iter().skip(1).map(|parse| parse_answers(parse, &query)).collect()
                }
                _ => Vec::new(),
            },
            choices: strings(json.get("choices")),
            entities: self.mentions(&query, &names, &text),
            source: source.to_owned(),
            question: text,
            ..Question::about(&query, &graph, template.key(), forms)
        };
        let items = SchemaItems::of(&query);
        Ok(Imported { question, traits: Traits::new(items, template.key().to_owned(), self.inverses, true) })
    }

    fn answers(&self, json: &Json, query: &Query) -> Vec<Answer> {
        let listed = |value: Option<&Json>| value.and_then(Json::as_array).cloned().unwrap_or_default();
        match self.origin {
            Origin::GrailQa | Origin::GraphQuestions => {
                listed(json.get("answer")).iter().map(|answer| freebase_answer(answer, query)).collect()
            }
            Origin::WebQsp => parses(json).first().map_or(Vec::new(), |parse| parse_answers(parse, query)),
            Origin::Cwq => match json.get("answers").or(json.get("answer")) {
                Some(Json::Array(answers)) => {
                    answers.iter().map(|answer| freebase_answer(answer, query)).collect()
                }
                Some(one) => vec![freebase_answer(one, query)],
                None => Vec::new(),
            },
            Origin::KqaPro => json
                .get("answer")
                .and_then(Json::as_str)
                .map(|text| kqapro_answer(text, query))
                .into_iter()
                .collect(),
            Origin::Qald => self.qald_answers(json),
            Origin::Lines => match json.get("answers").or(json.get("answer")) {
                Some(Json::Array(answers)) => {
                    answers.iter().map(|answer| self.own_answer(answer, query)).collect()
                }
                None | Some(Json::Null) => Vec::new(),
                Some(one) => vec![self.own_answer(one, query)],
            },
            Origin::LcQuad | Origin::LcQuad2 | Origin::Nspm => Vec::new(),
        }
    }

    /// Whether the record says what the answers are, be it that there are none.
    fn lists_answers(&self, json: &Json) -> bool {
        match self.origin {
            Origin::GrailQa | Origin::GraphQuestions => json.get("answer").is_some_and(Json::is_array),
            Origin::WebQsp => parses(json).first().is_some_and(|parse| parse.get("Answers").is_some()),
            Origin::Cwq => json.get("answers").or(json.get("answer")).is_some(),
            Origin::KqaPro => json.get("answer").is_some_and(Json::is_string),
            Origin::Qald => json.pointer("/answers/0").is_some_and(|answer| {
                answer.get("boolean").is_some()
                    || answer.get("results").is_some()
                    || answer.get("head").is_some()
            }),
            Origin::Lines => {
                json.get("answers").or(json.get("answer")).is_some_and(|answers| !answers.is_null())
            }
            Origin::LcQuad | Origin::LcQuad2 | Origin::Nspm => false,
        }
    }

    /// An answer as people write it: an id, an IRI, a name, a value, or an object as in `questions.jsonl`.
    fn own_answer(&self, answer: &Json, query: &Query) -> Answer {
        let text = match answer {
            Json::String(text) => text.as_str(),
            Json::Array(_) | Json::Null => return Answer::plain(answer.to_string()),
            other => return Answer::deserialize(other).unwrap_or_else(|_| Answer::plain(other.to_string())),
        };
        if let Some(kb) = self.kb {
            let mut named = kb.nodes_labelled(text);
            let only = match (named.next(), named.next()) {
                (Some(node), None) => Some(node),
                _ => None,
            };
            let node = kb.node(text).or_else(|| kb.node(&self.knowledge.namespaces.node(text))).or(only);
            if let Some(node) = node {
                return entity(kb.node_id(node), kb.label(node));
            }
        }
        match text.contains("://") {
            true => entity(&self.knowledge.namespaces.node(text), &local_name(text)),
            false => kqapro_answer(text, query),
        }
    }

    fn qald_answers(&self, json: &Json) -> Vec<Answer> {
        if let Some(value) = json.pointer("/answers/0/boolean").and_then(Json::as_bool) {
            return vec![Answer::Boolean { value }];
        }
        let bindings = json.pointer("/answers/0/results/bindings").and_then(Json::as_array);
        let terms = bindings.into_iter().flatten().filter_map(|row| row.as_object()?.values().next());
        let answer = |term: &Json| {
            let value = term.get("value").and_then(Json::as_str).unwrap_or_default();
            match term.get("type").is_some_and(|kind| kind == "uri") {
                true => entity(&self.knowledge.namespaces.node(value), &local_name(value)),
                false => Answer::plain(value),
            }
        };
        terms.map(answer).collect()
    }

    /// Where the question names the entities of the query, as far as they can be found.
    fn mentions(&self, query: &Query, names: &BTreeMap<String, String>, text: &str) -> Vec<Mention> {
        let mut mentions: Vec<Mention> = entities(query)
            .into_iter()
            .filter_map(|id| {
                let (start, end) = names
                    .get(id)
                    .and_then(|name| place(text, name))
                    .or_else(|| place(text, &local_name(id)))?;
                let text = text.chars().skip(start).take(end - start).collect();
                Some(Mention { id: id.to_owned(), text, start, end })
            })
            .collect();
        mentions.sort_by_key(|mention| (mention.start, mention.end));
        mentions.dedup();
        mentions
    }
}

/// The forms that the record has, as it has them.
fn forms(item: &Item, json: &Json, origin: Origin) -> Forms {
    let text =
        |keys: &[&str]| keys.iter().find_map(|key| json.get(key)).and_then(Json::as_str).map(str::to_owned);
    let sparql = match &item.source {
        Source::Text(Language::Sparql, text) => Some(text.clone()),
        _ => text(&["sparql_query", "sparql"]),
    };
    let program = match &item.source {
        Source::Program(json) => {
            Program::from_value(json).ok().and_then(|program| program.to_readable().ok())
        }
        Source::Text(Language::Kopl, text) => Some(text.clone()),
        _ => None,
    };
    let sexpr = match &item.source {
        // The graph is what was annotated; the expression may have been derived from it.
        Source::Graph(_) => text(&["s_expression"]).or_else(|| item.source.text().ok()),
        Source::Text(Language::Sexpr, text) => Some(text.clone()),
        _ => None,
    };
    match origin {
        Origin::KqaPro => Forms { program, sparql_kqapro: sparql, ..Forms::default() },
        _ => Forms { sexpr, program, sparql, sparql_kqapro: None },
    }
}

fn strings(list: Option<&Json>) -> Vec<String> {
    let list = list.and_then(Json::as_array).into_iter().flatten();
    list.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()
}

fn entity(id: &str, label: &str) -> Answer {
    Answer::Entity { id: id.to_owned(), label: label.to_owned() }
}

fn is_mid(text: &str) -> bool {
    (text.starts_with("m.") || text.starts_with("g.")) && text.len() > 3
}

/// The readings of a question of WebQSP.
fn parses(json: &Json) -> &[Json] {
    json.get("Parses").and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

fn parse_answers(parse: &Json, query: &Query) -> Vec<Answer> {
    let answers = parse.get("Answers").and_then(Json::as_array);
    answers.into_iter().flatten().map(|answer| freebase_answer(answer, query)).collect()
}

/// Whether its annotators found some parse good and complete; where they say nothing, it is.
fn has_good_parse(json: &Json) -> bool {
    let says = |parse: &Json, key: &str, wanted: &str| {
        parse.pointer(&format!("/AnnotatorComment/{key}")).is_none_or(|found| found == wanted)
    };
    let good =
        |parse: &Json| says(parse, "QuestionQuality", "Good") && says(parse, "ParseQuality", "Complete");
    parses(json).is_empty() || parses(json).iter().any(good)
}

/// GrailQA's and WebQSP's objects, ComplexWebQuestions' objects, or only a text.
fn freebase_answer(answer: &Json, query: &Query) -> Answer {
    let get = |keys: [&str; 2]| keys.iter().find_map(|key| answer.get(key)).and_then(Json::as_str);
    if let Some(argument) = get(["answer_argument", "AnswerArgument"]).or(get(["answer_id", "id"])) {
        let name = get(["entity_name", "EntityName"]).or(get(["answer", "name"])).unwrap_or_default();
        let kind = get(["answer_type", "AnswerType"]).unwrap_or_default();
        if kind == "Entity" || is_mid(argument) {
            return entity(argument, name);
        }
        return match argument.parse::<u64>() {
            Ok(value) if matches!(query.answer, Ask::Count(_)) => Answer::count(value),
            _ => Answer::plain(argument),
        };
    }
    match answer.as_str() {
        Some(id) if is_mid(id) => entity(id, ""),
        Some(text) => entity("", text),
        None => Answer::plain(answer.to_string()),
    }
}

/// KQA Pro's answers are texts; the query tells what they are.
fn kqapro_answer(text: &str, query: &Query) -> Answer {
    match &query.answer {
        Ask::Count(_) => match text.parse::<u64>() {
            Ok(value) => Answer::count(value),
            Err(_) => Answer::plain(text),
        },
        Ask::Exists(_) | Ask::Verify { .. } if matches!(text, "yes" | "no") => {
            Answer::Boolean { value: text == "yes" }
        }
        Ask::Members(_) | Ask::SelectAmong { .. } | Ask::SelectBetween { .. } => entity("", text),
        Ask::Relation { .. } => Answer::Relation { id: String::new(), label: text.to_owned() },
        _ => Answer::plain(text),
    }
}

/// The level that a record has. Other data sets mean other things by this word; those are not levels.
fn level_in(json: &Json) -> Option<Level> {
    let name = json.get("level")?.as_str()?;
    Level::ALL.into_iter().find(|level| level.name() == name)
}

/// The names of entities that a record tells.
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

/// The end of an IRI, as people would say it; other words stay as they are.
fn local_name(word: &str) -> String {
    match word.contains("://") {
        true => word.rsplit(['/', '#']).next().unwrap_or(word).replace('_', " "),
        false => word.replace('_', " "),
    }
}

/// Where a name stands in a text, in characters, whatever its case.
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

/// How many operations a gold query may take, when its answers are looked up.
const GOLD_OPERATIONS: u64 = 20_000_000;

/// Runs the queries of questions that came without answers. Gives the number of questions that have answers now, and why
/// others have none.
pub fn look_up_answers(imported: &mut [Imported], kb: &Kb, progress: &dyn Progress) -> (usize, Vec<Unread>) {
    let session = Session::new(kb).without_suggestions();
    let settings = Settings {
        limits: Limits { operations: GOLD_OPERATIONS, ..Limits::default() },
        ..Settings::default()
    };
    let without = imported.iter_mut().filter(|imported| !imported.question.has_gold_answers());
    let without: Vec<&mut Question> = without.map(|imported| &mut imported.question).collect();
    progress.stage("running gold queries", Some(without.len() as u64));
    let look_up = |question: &mut Question| {
        progress.advance(1);
        let forms = &question.forms;
        let (language, text) = [
            (Language::Sparql, &forms.sparql),
            (Language::Sparql, &forms.sparql_kqapro),
            (Language::Kopl, &forms.program),
            (Language::Sexpr, &forms.sexpr),
        ]
        .into_iter()
        .find_map(|(language, form)| Some((language, form.as_deref()?)))
        .ok_or("it has no query")?;
        match session.run(language, text, &settings, &Cancel::default()).outcome {
            Outcome::Answered(Answers::List { answers, .. }) if answers.is_empty() => {
                Err("its query gives no answers")
            }
            Outcome::Answered(Answers::List { answers, .. }) => {
                question.answers = answers;
                Ok(())
            }
            Outcome::Answered(_) => Err("its query gives more than one column"),
            Outcome::OverBudget(_) => Err("its query takes too long"),
            Outcome::Unparsable(_) | Outcome::Failed(_) => Err("its query cannot be run on this KB"),
        }
    };
    let results: Vec<Result<(), Unread>> = without
        .into_par_iter()
        .map(|question| {
            look_up(question).map_err(|why| Unread { id: question.id.clone(), reason: why.to_owned() })
        })
        .collect();
    let found = results.iter().filter(|result| result.is_ok()).count();
    (found, results.into_iter().filter_map(Result::err).collect())
}

/// Where the levels of questions come from, if the files tell them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Levels {
    /// The files.
    #[default]
    Keep,
    /// The training questions.
    Compute,
}

/// How the levels that the files tell compare with those that the training questions give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LevelCounts {
    /// Questions with a level in the files.
    pub given: usize,
    /// Those of them for which the training questions give another one.
    pub different: usize,
    /// Whether there are training questions to compare with.
    pub comparable: bool,
}

/// Puts what was read together; levels that the files do not tell are judged by the training questions.
pub fn benchmark(
    name: &str,
    kb: KbIdentity,
    imported: Vec<Imported>,
    unread: BTreeMap<String, u64>,
    levels: Levels,
) -> (Benchmark, LevelCounts) {
    let mut training = Training::default();
    for Imported { question, traits } in &imported {
        if question.split == Split::Train {
            training.add(traits.clone());
        }
    }
    let comparable = training.template_count() > 0;
    let mut counts = LevelCounts { comparable, ..LevelCounts::default() };
    let judge = |Imported { mut question, traits }| {
        if question.split == Split::Train {
            question.level = None;
            return question;
        }
        let computed = comparable.then(|| training.judge(&traits).level);
        let is_given = question.level.is_some();
        counts.given += usize::from(is_given);
        if let Some(computed) = computed {
            counts.different += usize::from(is_given && question.level != Some(computed));
            if !is_given || levels == Levels::Compute {
                question.level = Some(computed);
            }
        }
        question
    };
    let questions: Vec<Question> = imported.into_iter().map(judge).collect();
    let manifest = Manifest {
        touchstone_benchmark: FORMAT,
        name: name.to_owned(),
        identity: String::new(),
        description: String::new(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        kb,
        recipe: None,
        license: String::new(),
        held_out: Vec::new(),
        counts: Manifest::counts(&questions),
        rejections: unread,
        unfilled: Vec::new(),
        verified: 0,
    };
    (Benchmark::new(manifest, questions), counts)
}

/// The records of neural SPARQL machines: rows of templates (`...;question;query;...`), or two texts with a question and its query on
/// the same line.
pub fn nspm_records<R: BufRead>(questions: Option<R>, queries: R) -> std::io::Result<Vec<Record>> {
    let mut records = Vec::new();
    let mut record = |line: usize, question: &str, query: &str| {
        let text = serde_json::json!({ "question": question, "sparql": query }).to_string();
        records.push(Record { line: line + 1, text, json: true });
    };
    match questions {
        Some(questions) => {
            let mut questions = questions.lines();
            let mut queries = queries.lines();
            for line in 0.. {
                match (questions.next().transpose()?, queries.next().transpose()?) {
                    (Some(question), Some(query)) => record(line, question.trim(), query.trim()),
                    (None, None) => break,
                    _ => {
                        let message =
                            format!("the two texts do not have the same number of lines: one ends at {line}");
                        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, message));
                    }
                }
            }
        }
        None => {
            for (line, row) in queries.lines().enumerate() {
                let row = row?;
                let cells: Vec<&str> = row.split(';').map(str::trim).collect();
                let starts = |cell: &str, word: &str| {
                    cell.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
                };
                let is_query =
                    |cell: &&str| ["select", "ask", "prefix"].iter().any(|word| starts(cell, word));
                match cells.iter().position(is_query) {
                    Some(at) if at > 0 => record(line, cells[at - 1], cells[at]),
                    _ if row.trim().is_empty() => {}
                    _ => record(line, cells.first().unwrap_or(&""), ""),
                }
            }
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use touchstone_benchmark::Function;
    use touchstone_logic::Spelling;
    use touchstone_logic::sparql::Namespaces;

    fn import(origin: Origin, text: &str) -> Result<Question, Unread> {
        let knowledge = Knowledge { lookup: &Spelling, names: &(), namespaces: Namespaces::default() };
        let importer = Importer { origin, knowledge, inverses: &(), kb: None };
        let record = Record { line: 1, text: text.to_owned(), json: true };
        importer.question(&record, Split::Test, "here").map(|imported| imported.question)
    }

    #[test]
    fn every_format_gives_a_question_with_answers() {
        let graph = r#"{"qid": 21, "question": "what has oliver heese?", "answer": [{"answer_type": "Entity", "answer_argument": "m.06", "entity_name": "N"}], "level": "i.i.d.", "graph_query": {"nodes": [{"nid": 0, "node_type": "class", "id": "a.b", "question_node": 1, "function": "none"}, {"nid": 1, "node_type": "entity", "id": "m.1", "friendly_name": "Oliver Heese", "question_node": 0, "function": "none"}], "edges": [{"start": 0, "end": 1, "relation": "a.b.c"}]}}"#;
        let question = import(Origin::GrailQa, graph).unwrap();
        assert_eq!(question.forms.sexpr.as_deref(), Some("(AND a.b (JOIN a.b.c m.1))"));
        assert_eq!(question.answers, [entity("m.06", "N")]);
        assert_eq!((question.level, question.source.as_str()), (Some(Level::Iid), "here"));
        assert_eq!((question.entities[0].start, question.entities[0].text.as_str()), (9, "oliver heese"));

        let webqsp = r#"{"QuestionId": "T-0", "RawQuestion": "what?", "Parses": [{"Sparql": "SELECT ?x WHERE { ns:m.1 ns:a.b ?x }", "Answers": [{"AnswerType": "Value", "AnswerArgument": "2010", "EntityName": null}]}]}"#;
        assert_eq!(import(Origin::WebQsp, webqsp).unwrap().answers, [Answer::plain("2010")]);

        let several = r#"{"QuestionId": "T-1", "RawQuestion": "what?", "Parses": [{"AnnotatorComment": {"ParseQuality": "Incomplete", "QuestionQuality": "Good"}, "Sparql": "SELECT ?x WHERE { ns:m.1 ns:a.b ?x }", "Answers": []}, {"AnnotatorComment": {"ParseQuality": "Complete", "QuestionQuality": "Good"}, "Sparql": "SELECT ?x WHERE { ns:m.1 ns:a.c ?x }", "Answers": [{"AnswerType": "Entity", "AnswerArgument": "m.2", "EntityName": "Two"}]}]}"#;
        let question = import(Origin::WebQsp, several).unwrap();
        assert!(question.answers.is_empty());
        assert_eq!(question.other_answers, [[entity("m.2", "Two")]]);
        let left_out = import(Origin::WebQsp, &several.replace("Complete", "Incomplete")).unwrap_err();
        assert!(left_out.reason.contains("leaves it out"), "{}", left_out.reason);

        let own = r#"{"question": "How many A?", "query": "FindAll() > FilterConcept(A) > Count()", "answers": [2]}"#;
        let question = import(Origin::Lines, own).unwrap();
        assert_eq!(question.forms.program.as_deref(), Some("FindAll() > FilterConcept(A) > Count()"));
        assert_eq!(question.answers, [Answer::count(2)]);

        let cwq = r#"{"ID": "W-1", "question": "q", "sparql": "SELECT ?x WHERE { ?x ns:a.b ns:m.1 }", "answer": ["m.02"]}"#;
        assert_eq!(import(Origin::Cwq, cwq).unwrap().answers, [entity("m.02", "")]);

        let kqapro = r#"{"question": "How many A?", "program": [{"function": "FindAll", "inputs": []}, {"function": "FilterConcept", "inputs": ["A"]}, {"function": "Count", "inputs": []}], "choices": ["1", "2"], "answer": "2", "sparql": "SELECT"}"#;
        let question = import(Origin::KqaPro, kqapro).unwrap();
        assert_eq!(question.answers, [Answer::count(2)]);
        assert_eq!(question.forms.program.as_deref(), Some("FindAll() > FilterConcept(A) > Count()"));
        assert_eq!(question.choices, ["1", "2"]);

        let qald = r#"{"id": 5, "question": [{"language": "en", "string": "What is in Bonn?"}], "query": {"sparql": "SELECT ?x WHERE { <http://dbpedia.org/resource/Bonn> <http://dbpedia.org/ontology/has> ?x }"}, "answers": [{"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "uri", "value": "http://dbpedia.org/resource/Old_Town"}}]}}]}"#;
        let question = import(Origin::Qald, qald).unwrap();
        assert_eq!(question.answers[0].text(), "Old Town");
        assert_eq!(question.entities[0].text, "Bonn");
        assert_eq!(
            import(
                Origin::LcQuad,
                r#"{"corrected_question": "q", "sparql_query": "ASK { <http://a> <http://b> <http://c> }"}"#
            )
            .unwrap()
            .function,
            Function::Verify
        );

        let wrong = import(Origin::Cwq, r#"{"ID": "W-1", "sparql": "SELECT"}"#).unwrap_err();
        assert_eq!(wrong, Unread { id: "W-1".to_owned(), reason: "the record has no question".to_owned() });
    }

    #[test]
    fn neural_sparql_is_read_from_templates_and_pairs() {
        let rows = "dbo:Monument;;;where is <A> located in;select ?x where { <A> dbo:location ?x };select distinct ?a where { ?a dbo:location [] }\n\nnothing here\n";
        let records = nspm_records(None, rows.as_bytes()).unwrap();
        assert_eq!(records.len(), 2);
        let question = import(Origin::Nspm, &records[0].text).unwrap();
        assert_eq!(question.question, "where is <A> located in");
        assert_eq!(question.shape, "T1:(())");
        assert!(import(Origin::Nspm, &records[1].text).is_err());

        let pairs = nspm_records(
            Some(&b"where is x\n"[..]),
            &b"select var_a where brack_open dbr_X dbo_location var_a brack_close\n"[..],
        )
        .unwrap();
        assert_eq!(import(Origin::Nspm, &pairs[0].text).unwrap().shape, "T1:(())");
        assert!(nspm_records(Some(&b"a\nb\n"[..]), &b"c\n"[..]).is_err());
    }
}
