//! Statistics of a benchmark, as tables.

use crate::cast;
use crate::paper::{PaperFigure, paper_figures};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use touchstone_benchmark::linguistic::{Mean, reading_ease, words};
use touchstone_benchmark::package::Benchmark;
use touchstone_benchmark::{Question, Split};
use touchstone_kb::counts::{float, grouped};
use touchstone_logic::level::Level;

/// One table: values with their numbers by split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatsTable {
    /// What is counted.
    pub name: &'static str,
    /// Each value with the number of questions in training, development and test, most frequent first.
    pub rows: Vec<(String, [u64; 3])>,
}

impl StatsTable {
    /// The rows as text: a value, its numbers, and its share of all.
    pub fn cells(&self) -> impl Iterator<Item = [String; 5]> + '_ {
        let all: u64 = self.rows.iter().flat_map(|(_, numbers)| numbers).sum();
        self.rows.iter().map(move |(value, numbers)| {
            let share = 100.0 * (float(numbers.iter().sum()) / float(all.max(1)));
            let [train, dev, test] = numbers.map(grouped);
            [value.trim().to_owned(), train, dev, test, format!("{share:.1} %")]
        })
    }
}

/// Statistics of a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stats {
    /// Counts of questions.
    pub tables: Vec<StatsTable>,
    /// Means of linguistic measures by split. In JSON they are an object, by name.
    #[serde(serialize_with = "by_name")]
    pub means: Vec<MeansBySplit>,
    /// The figures of the paper that a built-in recipe follows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paper: Vec<PaperFigure>,
}

/// A measure with its mean for training, development and test, if there are such questions.
pub type MeansBySplit = (&'static str, [Option<Mean>; 3]);

impl Stats {
    /// Of a benchmark.
    pub fn of(benchmark: &Benchmark) -> Stats {
        Stats { tables: tables(benchmark), means: means(benchmark), paper: paper_figures(benchmark) }
    }
}

fn by_name<S: Serializer>(means: &[MeansBySplit], serializer: S) -> Result<S::Ok, S::Error> {
    let sorted: BTreeMap<&str, &[Option<Mean>; 3]> =
        means.iter().map(|(name, means)| (*name, means)).collect();
    sorted.serialize(serializer)
}

/// The tables of a benchmark.
pub fn tables(benchmark: &Benchmark) -> Vec<StatsTable> {
    let count = |name, value: &dyn Fn(&Question) -> Vec<String>| {
        let mut counts: BTreeMap<String, [u64; 3]> = BTreeMap::new();
        for question in &benchmark.questions {
            let split = question.split as usize;
            for value in value(question) {
                counts.entry(value).or_default()[split] += 1;
            }
        }
        let mut rows: Vec<(String, [u64; 3])> = counts.into_iter().collect();
        rows.sort_by_key(|(_, numbers)| std::cmp::Reverse(numbers.iter().sum::<u64>()));
        StatsTable { name, rows }
    };
    let one = |text: String| vec![text];
    let hops = |question: &Question| {
        let graph: touchstone_logic::QueryGraph = (&question.graph).into();
        graph.shape().hops.to_string()
    };
    vec![
        count("level", &|q| one(q.level.map_or("train", Level::name).to_owned())),
        count("shape", &|q| one(q.alias.clone().unwrap_or_else(|| q.shape.clone()))),
        count("function", &|q| one(q.function.to_string())),
        count("type", &|q| one(q.kind.to_string())),
        count("category", &|q| q.categories.clone()),
        count("hops", &|q| one(hops(q))),
        count("program length", &|q| {
            // A package stores programs as texts, and nothing else here needs them parsed.
            let program =
                q.forms.program.as_deref().and_then(|text| touchstone_logic::Program::parse(text).ok());
            program.map(|program| program.steps.len().to_string()).into_iter().collect()
        }),
        count("words in the question", &|q| one(bucket(q.question.split_whitespace().count()))),
        count("first words", &|q| one(q.question.split_whitespace().take(2).collect::<Vec<_>>().join(" "))),
        count("answers", &|q| one(bucket(q.answers.len()))),
        count("most frequent answers", &|q| {
            if q.answers.len() == 1 { one(q.answers[0].text().into_owned()) } else { Vec::new() }
        }),
        count("forms", &|q| {
            let forms = [
                ("S-expression", &q.forms.sexpr),
                ("program", &q.forms.program),
                ("SPARQL", &q.forms.sparql),
                ("SPARQL (KQA Pro)", &q.forms.sparql_kqapro),
            ];
            forms.iter().filter(|(_, form)| form.is_some()).map(|(name, _)| (*name).to_owned()).collect()
        }),
        count("source", &|q| one(q.source.clone())),
    ]
}

/// The means of linguistic measures for each split that has questions.
pub fn means(benchmark: &Benchmark) -> Vec<MeansBySplit> {
    let measure = |name, value: &dyn Fn(&Question) -> f64| {
        let means = Split::ALL.map(|split| {
            let numbers: Vec<f64> =
                benchmark.questions.iter().filter(|question| question.split == split).map(value).collect();
            (!numbers.is_empty()).then(|| Mean::of(numbers.into_iter()))
        });
        (name, means)
    };
    let trained: hashbrown::HashSet<&str> = benchmark
        .questions
        .iter()
        .filter(|question| question.split == Split::Train)
        .flat_map(|question| question.schema_items.iter().map(String::as_str))
        .collect();
    vec![
        measure("words", &|question| cast::float(words(&question.question).len())),
        measure("characters", &|question| cast::float(question.question.chars().count())),
        measure("reading ease", &|question| reading_ease(&question.question)),
        measure("relations in the query graph", &|question| cast::float(question.graph.edges.len())),
        measure("schema items that are not in training", &|question| {
            cast::float(question.schema_items.iter().filter(|item| !trained.contains(item.as_str())).count())
        }),
    ]
}

fn bucket(n: usize) -> String {
    match n {
        0..=5 => n.to_string(),
        6..=10 => " 6-10".to_owned(),
        11..=20 => "11-20".to_owned(),
        21..=50 => "21-50".to_owned(),
        _ => "over 50".to_owned(),
    }
}
