//! The figures of docs/llm-predictions.md: how much of the SPARQL that language models wrote can be compared, and what remains.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use touchstone_logic::equal::{NotComparable, compare_forms};
use touchstone_logic::sparql::OutsideAlgebra;
use touchstone_logic::{Knowledge, Language, ReadError, ReadForm};
use touchstone_testing::shared_data;

/// The counts of one row of the table.
#[derive(Debug, Default, Clone)]
struct Counts {
    n: usize,
    parsed: usize,
    in_algebra: usize,
    with_shape: usize,
    comparable: usize,
    same: usize,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.n += other.n;
        self.parsed += other.parsed;
        self.in_algebra += other.in_algebra;
        self.with_shape += other.with_shape;
        self.comparable += other.comparable;
        self.same += other.same;
    }

    fn row(&self, graph: &str, model: &str) -> String {
        let share = |n: usize| {
            let tenths = (n * 2_000 / self.n).div_ceil(2);
            format!("{}.{} %", tenths / 10, tenths % 10)
        };
        let counts = [self.parsed, self.in_algebra, self.with_shape, self.comparable, self.same];
        let shares: Vec<String> = counts.into_iter().map(share).collect();
        format!("| {graph} | {model} | {} | {} |", with_commas(self.n), shares.join(" | "))
    }
}

fn with_commas(n: usize) -> String {
    if n < 1_000 { n.to_string() } else { format!("{},{:03}", n / 1_000, n % 1_000) }
}

fn graph_of(benchmark: &str) -> &'static str {
    match benchmark.split('/').next().unwrap() {
        "dblp" => "DBLP",
        "dbpedia" => "DBpedia",
        "freebase" => "Freebase",
        "osm-planet" => "OpenStreetMap",
        "wikidata" => "Wikidata",
        other => panic!("{other}"),
    }
}

fn model_of(system: &str) -> &'static str {
    let models = [("gpt-41", "GPT-4.1"), ("qwen25-72b", "Qwen2.5-72B"), ("qwen3-32b", "Qwen3-32B")];
    models.iter().find(|(key, _)| system.contains(key)).unwrap().1
}

/// Why a parsed query is outside the algebra, without what is particular to it.
fn reason(outside: &OutsideAlgebra) -> String {
    match outside {
        OutsideAlgebra::Columns { .. } => "an answer of several columns".to_owned(),
        OutsideAlgebra::Slice { .. } => "a limit on the answers".to_owned(),
        OutsideAlgebra::Filter { .. } | OutsideAlgebra::FilterOutOfScope { .. } => {
            "another filter".to_owned()
        }
        OutsideAlgebra::Order { .. }
        | OutsideAlgebra::OrderBySeveralValues
        | OutsideAlgebra::OrderOfAnswers => "an order by something computed or by several values".to_owned(),
        other => {
            let text = other.to_string();
            let is_particular = text.contains(['?', '<']);
            if is_particular { "something else".to_owned() } else { text }
        }
    }
}

/// The reasons, the most frequent first; those below ten are one.
fn remaining(reasons: &BTreeMap<String, usize>) -> Vec<String> {
    let mut sorted: Vec<(&str, usize)> = Vec::new();
    let mut others = reasons.get("something else").copied().unwrap_or(0);
    for (reason, &n) in reasons.iter().filter(|(reason, _)| *reason != "something else") {
        if n < 10 { others += n } else { sorted.push((reason, n)) }
    }
    sorted.sort_by_key(|(reason, n)| (std::cmp::Reverse(*n), *reason));
    sorted.push(("something else", others));
    sorted.into_iter().map(|(reason, n)| format!("| {reason} | {} |", with_commas(n))).collect()
}

#[test]
fn the_figures_of_the_page_are_those_of_the_corpus() {
    let Some(path) = shared_data("llm-sparql/predictions.jsonl") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let knowledge = Knowledge::of_spelling();
    let read = |text: &str| ReadForm::read(Language::Sparql, text, &knowledge);
    let mut rows: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
    let mut outside: BTreeMap<String, usize> = BTreeMap::new();
    let (mut empty_gold, mut broken_gold, mut broken) = (0, 0, 0);
    for line in text.lines() {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        let field = |key: &str| pair[key].as_str().unwrap_or_default();
        let (gold, predicted) = (read(field("gold")), read(field("predicted")));
        let verdict = compare_forms(&gold, &predicted, knowledge.words);
        let counts = Counts {
            n: 1,
            parsed: usize::from(predicted.sparql().is_some()),
            in_algebra: usize::from(predicted.query().is_some()),
            with_shape: usize::from(predicted.graph().is_ok_and(|graph| !graph.shape().code.is_empty())),
            comparable: usize::from(verdict.is_ok()),
            same: usize::from(verdict.as_ref().is_ok_and(|verdict| verdict.equal)),
        };
        rows.entry((graph_of(field("benchmark")), model_of(field("system")))).or_default().add(&counts);
        match verdict {
            Err(NotComparable::Gold(_)) if field("gold").trim().is_empty() => empty_gold += 1,
            Err(NotComparable::Gold(_)) => broken_gold += 1,
            Err(_) => broken += 1,
            Ok(_) => {}
        }
        if let Some(ReadError::NotRecognised(error)) = predicted.error() {
            *outside.entry(reason(&error.reason)).or_default() += 1;
        }
    }
    let mut all = Counts::default();
    rows.values().for_each(|counts| all.add(counts));
    let mut lines: Vec<String> =
        rows.iter().map(|((graph, model), counts)| counts.row(graph, model)).collect();
    lines.push(all.row("all", "").replace("|  |", "| |"));
    lines.push(format!("| the gold query is empty | {empty_gold} |"));
    lines.push(format!("| the gold query does not parse | {broken_gold} |"));
    lines.push(format!("| the predicted query does not parse | {broken} |"));
    lines.extend(remaining(&outside));
    let page = include_str!("../../../docs/llm-predictions.md");
    let missing: Vec<&String> = lines.iter().filter(|line| !page.contains(line.as_str())).collect();
    assert!(missing.is_empty(), "docs/llm-predictions.md lacks {missing:#?} of\n\n{}", lines.join("\n"));
}
