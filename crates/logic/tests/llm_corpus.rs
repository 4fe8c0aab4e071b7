//! The figures of docs/llm-predictions.md: how much of the SPARQL that language models wrote can be compared, and what remains.
//! `COMPLETE=1` writes them into the page.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;
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

    fn row(&self, names: &str) -> String {
        let share = |n: usize| {
            let tenths = (n * 2_000 / self.n).div_ceil(2);
            format!("{}.{} %", tenths / 10, tenths % 10)
        };
        let counts = [self.parsed, self.in_algebra, self.with_shape, self.comparable, self.same];
        let shares: Vec<String> = counts.into_iter().map(share).collect();
        format!("| {names} | {} | {} |", with_commas(self.n), shares.join(" | "))
    }
}

fn with_commas(n: usize) -> String {
    if n < 1_000 { n.to_string() } else { format!("{},{:03}", n / 1_000, n % 1_000) }
}

/// The rows below the line of the page that a table begins with.
fn rows_of<'p>(page: &'p str, head: &str) -> &'p str {
    let at = page.find(head).unwrap_or_else(|| panic!("docs/llm-predictions.md has no table {head:?}"));
    let below = page[at..].match_indices('\n').nth(1).map_or(page.len(), |(end, _)| at + end + 1);
    let length = page[below..].find("\n\n").map_or(page.len() - below, |end| end + 1);
    &page[below..below + length]
}

fn benchmark_of(benchmark: &str) -> &'static str {
    match benchmark {
        "dblp/dblp-quad" => "DBLP-QuAD",
        "dblp/tgdk-examples" => "TGDK examples",
        "dbpedia/lcquad" => "LC-QuAD",
        "dbpedia/qald7" => "QALD-7 (DBpedia)",
        "dbpedia/simplequestions" => "SimpleQuestions (DBpedia)",
        "freebase/cwq" => "ComplexWebQuestions",
        "freebase/simplequestions" => "SimpleQuestions (Freebase)",
        "freebase/wqsp" => "WebQSP",
        "osm-planet/examples" => "OpenStreetMap examples",
        "wikidata/lcquad2" => "LC-QuAD 2.0",
        "wikidata/qald10" => "QALD-10",
        "wikidata/qald7" => "QALD-7 (Wikidata)",
        "wikidata/simplequestions" => "SimpleQuestions (Wikidata)",
        "wikidata/wwq" => "WWQ",
        other => panic!("{other}"),
    }
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
    let knowledge = Knowledge::of_spelling().without_suggestions();
    let read = |text: &str| ReadForm::read(Language::Sparql, text, &knowledge);
    let mut rows: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
    let mut benchmarks: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut differences: BTreeMap<String, usize> = BTreeMap::new();
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
            with_shape: usize::from(predicted.graph().is_ok_and(|graph| graph.shape().is_valid())),
            comparable: usize::from(verdict.is_ok()),
            same: usize::from(verdict.as_ref().is_ok_and(|verdict| verdict.equal)),
        };
        // Everything that parses can be drawn and, with gold that parses, compared.
        assert_eq!(counts.parsed, counts.with_shape, "{}", field("predicted"));
        let is_compared = counts.parsed == 0 || gold.sparql().is_none() || counts.comparable == 1;
        assert!(is_compared, "{}\n{}", field("gold"), field("predicted"));
        rows.entry((graph_of(field("benchmark")), model_of(field("system")))).or_default().add(&counts);
        benchmarks.entry(benchmark_of(field("benchmark"))).or_default().add(&counts);
        if let Some(why) = verdict.as_ref().ok().and_then(|verdict| verdict.why.as_deref()) {
            *differences.entry(shortened(why)).or_default() += 1;
        }
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
    let of_all = |mut lines: Vec<String>, names: &str| {
        lines.push(all.row(names));
        lines
    };
    let by_model = rows.iter().map(|((graph, model), counts)| counts.row(&format!("{graph} | {model}")));
    let by_benchmark = benchmarks.iter().map(|(name, counts)| counts.row(name));
    let not_comparable = vec![
        format!("| the gold query is empty | {empty_gold} |"),
        format!("| the gold query does not parse | {broken_gold} |"),
        format!("| the predicted query does not parse | {broken} |"),
    ];
    let tables = [
        ("| graph | model | queries", of_all(by_model.collect(), "all |")),
        ("| question set | queries", of_all(by_benchmark.collect(), "all")),
        ("| reason | pairs", not_comparable),
        ("| reason | predictions", remaining(&outside)),
        ("| difference | pairs", remaining(&differences)),
    ];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/llm-predictions.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut complete = page.clone();
    for (head, lines) in &tables {
        let rows = rows_of(&complete, head).to_owned();
        complete = complete.replacen(&rows, &format!("{}\n", lines.join("\n")), 1);
    }
    if std::env::var_os("COMPLETE").is_some() {
        return std::fs::write(path, complete).unwrap();
    }
    assert_eq!(page, complete, "COMPLETE=1 rewrites docs/llm-predictions.md");
}

/// A reason without the names in it.
fn shortened(why: &str) -> String {
    const KINDS: [(&str, &str); 16] = [
        ("only gold has `", "only gold has a triple pattern"),
        ("only predicted has `", "only the prediction has a triple pattern"),
        ("gold has", "another number of columns"),
        ("gold is", "a SELECT query and an ASK query"),
        ("entity", "another entity"),
        ("relation", "another relation"),
        ("class", "another class"),
        ("value", "another value"),
        ("named", "another name"),
        ("superlative", "another superlative"),
        ("the superlative", "another superlative"),
        ("period", "another period"),
        ("cycle through", "things joined differently"),
        ("the alternative", "another alternative of a union"),
        ("asks for", "another question: members, count or yes/no"),
        ("gold asks for names", "names in another language"),
    ];
    let known = KINDS.iter().find(|(start, _)| why.starts_with(start));
    known.map_or_else(|| why.to_owned(), |(_, kind)| (*kind).to_owned())
}
