//! Benchmarks in the formats of others. What a format cannot hold is left out and counted.

mod card;
mod parquet;

use serde::Serialize;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use touchstone_benchmark::package::{Benchmark, PackageError};
use touchstone_benchmark::{Graph, GraphVertex, Question};
use touchstone_kb::Kb;
use touchstone_kb::output::{OutputFolder, OutputKind, failpoint};
use touchstone_logic::Answer;
use touchstone_logic::Program;
use touchstone_logic::level::Level;
use touchstone_logic::sparql::encode_neural;

/// A format of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// GrailQA's JSON: `graph_query`, `s_expression`, `answer`.
    GrailQa,
    /// KQA Pro's JSON: `program`, `sparql`, `choices`, `answer`.
    KqaPro,
    /// QALD's JSON: `question`, `query`, `answers` as SPARQL results.
    Qald,
    /// Two texts for neural SPARQL machines: a question and its encoded query on the same line.
    Nspm,
    /// Parquet with a row for each question.
    Parquet,
}

impl Target {
    /// The format with a name.
    pub fn from_name(name: &str) -> Option<Target> {
        Some(match name {
            "grailqa" => Target::GrailQa,
            "kqapro" => Target::KqaPro,
            "qald" => Target::Qald,
            "nspm" => Target::Nspm,
            "parquet" => Target::Parquet,
            _ => return None,
        })
    }

    /// The names.
    pub const NAMES: [&str; 5] = ["grailqa", "kqapro", "qald", "nspm", "parquet"];
}

/// What was written, by file, and what was left out, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// Files with their numbers of questions.
    pub written: BTreeMap<String, usize>,
    /// Reasons with their numbers of questions.
    pub left_out: BTreeMap<&'static str, usize>,
    /// The dataset card, if the format has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
}

/// Files for others as an output: they may lie among files of the user.
const DATASET_OUTPUT: OutputKind = OutputKind {
    name: "dataset",
    manifest: "",
    owns_folder: false,
    is_durable: true,
    volatile: &[],
    unmarked: |_| Vec::new(),
};

/// Reserves a folder for the files that a benchmark becomes, before the work of making them. Files of an earlier export are replaced;
/// with `force` also if they were edited.
pub fn reserve(
    benchmark: &Benchmark,
    target: Target,
    dir: &Path,
    force: bool,
) -> Result<OutputFolder, PackageError> {
    let splits: BTreeSet<&str> = benchmark.questions.iter().map(|question| question.split.name()).collect();
    let endings: &[&str] = match target {
        Target::Nspm => &["en", "sparql"],
        Target::Parquet => &["parquet"],
        _ => &["json"],
    };
    let card = (target == Target::Parquet).then(|| card::FILE.to_owned());
    let names = splits.iter().flat_map(|split| endings.iter().map(move |end| format!("{split}.{end}")));
    let names: Vec<String> = names.chain(card).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok(OutputFolder::reserve(dir, &DATASET_OUTPUT, &names, force)?)
}

/// Writes a file for each split into a folder: all files or none.
pub fn export(kb: &Kb, benchmark: &Benchmark, target: Target, dir: &Path) -> Result<Exported, PackageError> {
    export_to(kb, benchmark, target, reserve(benchmark, target, dir, false)?)
}

/// Writes a file for each split into a folder that was reserved for them: all files or none.
pub fn export_to(
    kb: &Kb,
    benchmark: &Benchmark,
    target: Target,
    folder: OutputFolder,
) -> Result<Exported, PackageError> {
    let exported = write_files(kb, benchmark, target, &folder.path())?;
    folder.commit()?;
    Ok(exported)
}

fn write_files(kb: &Kb, benchmark: &Benchmark, target: Target, dir: &Path) -> Result<Exported, PackageError> {
    let io = |action, path: &Path| {
        let path = path.to_path_buf();
        move |source| PackageError::Io { action, path, source }
    };
    let mut exported = Exported::default();
    if target == Target::Parquet {
        let mut splits: BTreeMap<&str, Vec<&Question>> = BTreeMap::new();
        for question in &benchmark.questions {
            splits.entry(question.split.name()).or_default().push(question);
        }
        for (split, questions) in splits {
            let name = format!("{split}.parquet");
            parquet::write(&questions, &dir.join(&name))?;
            exported.written.insert(name, questions.len());
        }
        let path = dir.join(card::FILE);
        std::fs::write(&path, card::card(benchmark, &exported.written)).map_err(io("write", &path))?;
        exported.card = Some(card::FILE.to_owned());
        return Ok(exported);
    }
    let mut splits: BTreeMap<&str, Vec<Json>> = BTreeMap::new();
    for question in &benchmark.questions {
        let record = match target {
            Target::GrailQa => grailqa(kb, question),
            Target::KqaPro => kqapro(question),
            Target::Qald => qald(kb, question),
            Target::Nspm | Target::Parquet => nspm(question),
        };
        match record {
            Ok(record) => splits.entry(question.split.name()).or_default().push(record),
            Err(reason) => *exported.left_out.entry(reason).or_default() += 1,
        }
    }
    for (split, records) in splits {
        if target == Target::Nspm {
            for (end, at) in [("en", 0), ("sparql", 1)] {
                let name = format!("{split}.{end}");
                let path = dir.join(&name);
                let lines =
                    records.iter().map(|pair| pair[at].as_str().unwrap_or_default().to_owned() + "\n");
                let text: String = lines.collect();
                std::fs::write(&path, text).map_err(io("write", &path))?;
                failpoint("split-written");
                exported.written.insert(name, records.len());
            }
            continue;
        }
        let name = format!("{split}.json");
        let path = dir.join(&name);
        exported.written.insert(name, records.len());
        let whole = match target {
            Target::Qald => json!({ "dataset": { "id": benchmark.manifest.name }, "questions": records }),
            _ => Json::Array(records),
        };
        let file = std::fs::File::create(&path).map_err(io("create", &path))?;
        serde_json::to_writer_pretty(std::io::BufWriter::new(file), &whole)
            .map_err(|source| PackageError::Json { path: path.clone(), line: 0, source })?;
        failpoint("split-written");
    }
    Ok(exported)
}

fn grailqa(kb: &Kb, question: &Question) -> Result<Json, &'static str> {
    let sexpr = question.forms.sexpr.as_ref().ok_or("no S-expression")?;
    let answer = |answer: &Answer| match answer {
        Answer::Entity { id, label } => {
            json!({ "answer_type": "Entity", "answer_argument": id, "entity_name": label })
        }
        value => json!({ "answer_type": "Value", "answer_argument": value.text() }),
    };
    let Graph { vertices, edges, root } = &question.graph;
    let name = |id: &str| kb.node(id).map_or(id, |node| kb.label(node)).to_owned();
    let node = |(nid, vertex): (usize, &GraphVertex)| {
        let kind = match (vertex.grounded, kb.node(&vertex.label)) {
            (true, Some(_)) => "entity",
            (true, None) => "literal",
            (false, _) => "class",
        };
        let function = match vertex.note.as_str() {
            note @ ("count" | "argmax" | "argmin" | "<" | "<=" | ">" | ">=") => note,
            _ => "none",
        };
        json!({
            "nid": nid, "node_type": kind, "id": vertex.label, "class": if kind == "class" { &vertex.label } else { "" },
            "friendly_name": name(&vertex.label), "question_node": u8::from(nid == *root), "function": function,
        })
    };
    let relation = |id: &str| {
        kb.relation(id)
            .map_or_else(|| kb.attribute(id).map_or(id, |a| kb.attribute_label(a)), |r| kb.relation_label(r))
            .to_owned()
    };
    let edges: Vec<Json> = edges
        .iter()
        .map(|edge| json!({ "start": edge.from, "end": edge.to, "relation": edge.label, "friendly_name": relation(&edge.label) }))
        .collect();
    Ok(json!({
        "qid": question.id, "question": question.question, "answer": question.answers.iter().map(answer).collect::<Vec<_>>(),
        "function": question.function, "num_node": vertices.len(), "num_edge": edges.len(),
        "graph_query": { "nodes": vertices.iter().enumerate().map(node).collect::<Vec<_>>(), "edges": edges },
        "sparql_query": question.forms.sparql, "level": question.level.map_or("", Level::name), "s_expression": sexpr,
    }))
}

fn kqapro(question: &Question) -> Result<Json, &'static str> {
    let program = question.forms.program.as_ref().ok_or("no program")?;
    let program = Program::parse(program).map_err(|_| "no program")?;
    let [answer] = &question.answers[..] else { return Err("not one answer") };
    if question.choices.len() != 10 {
        return Err("no ten choices");
    }
    Ok(json!({
        "question": question.question, "choices": question.choices, "program": program.to_json(),
        "sparql": question.forms.sparql_kqapro, "answer": answer.text(),
    }))
}

/// The question in lower case with its punctuation set apart, and the encoded query.
fn nspm(question: &Question) -> Result<Json, &'static str> {
    let sparql = question.forms.sparql.as_ref().ok_or("no SPARQL")?;
    let mut english = String::with_capacity(question.question.len() + 8);
    for c in question.question.chars().flat_map(char::to_lowercase) {
        match c {
            '?' | '.' | '!' | ',' | ';' => english.extend([' ', c, ' ']),
            _ => english.push(c),
        }
    }
    let english: Vec<&str> = english.split_whitespace().collect();
    Ok(json!([english.join(" "), encode_neural(sparql)]))
}

fn qald(kb: &Kb, question: &Question) -> Result<Json, &'static str> {
    let sparql = question.forms.sparql.as_ref().ok_or("no SPARQL")?;
    let base = &kb.manifest().base;
    let binding = |answer: &Answer| {
        let value = match answer {
            Answer::Entity { id, .. } | Answer::Class { id, .. } => {
                let is_iri = id.contains("://") || id.starts_with("urn:");
                let iri = if is_iri { id.clone() } else { format!("{base}{id}") };
                json!({ "type": "uri", "value": iri })
            }
            value => json!({ "type": "literal", "value": value.text() }),
        };
        json!({ "answer": value })
    };
    let answers = match &question.answers[..] {
        [Answer::Boolean { value }] => json!({ "head": {}, "boolean": value }),
        many => json!({
            "head": { "vars": ["answer"] },
            "results": { "bindings": many.iter().map(binding).collect::<Vec<_>>() },
        }),
    };
    Ok(json!({
        "id": question.id,
        "question": [{ "language": "en", "string": question.question }],
        "query": { "sparql": sparql },
        "answers": [answers],
    }))
}
