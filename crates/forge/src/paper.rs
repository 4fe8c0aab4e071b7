//! The distributions that a built-in recipe reproduces, beside those of the benchmark that was built.

use crate::cast;
use serde::Serialize;
use touchstone_benchmark::package::Benchmark;
use touchstone_benchmark::{Question, Split};

/// One figure of a paper, and the same figure of a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperFigure {
    /// What is measured, of which questions.
    pub name: String,
    /// The figure in the paper: a percentage, or a mean.
    pub published: f64,
    /// The figure of the benchmark.
    pub built: f64,
    /// Whether it is a percentage.
    pub is_percentage: bool,
}

/// Percentages of GrailQA's training questions, by shape.
const GRAILQA_SHAPES: &[(&str, f64)] = &[
    ("Iso-0", 68.8),
    ("Iso-1", 20.1),
    ("Iso-2", 6.0),
    ("Iso-3", 2.4),
    ("Iso-4", 1.2),
    ("Iso-5", 1.2),
    ("Iso-6", 0.1),
];
/// Percentages of GrailQA's development questions, by function.
const GRAILQA_FUNCTIONS: &[(&str, f64)] =
    &[("none", 81.5), ("count", 6.5), ("comparative", 4.5), ("superlative", 7.5)];
/// Percentages of GrailQA's development questions, by level.
const GRAILQA_LEVELS: &[(&str, f64)] = &[("i.i.d.", 25.0), ("compositional", 25.0), ("zero-shot", 50.0)];
/// Percentages in Table 1 of GrailQA++.
const GRAILQA_PP_SHAPES: &[(&str, f64)] = &[
    ("Iso-0", 16.1),
    ("Iso-1", 23.0),
    ("Iso-2", 11.0),
    ("Iso-3", 21.0),
    ("Iso-4", 7.2),
    ("Iso-5", 9.9),
    ("Iso-6", 7.8),
    ("Iso-8", 1.9),
    ("Iso-11", 2.2),
];
/// Percentages of KQA Pro's validation questions, by type.
const KQAPRO_TYPES: &[(&str, f64)] = &[
    ("QueryName", 12.4),
    ("Count", 11.2),
    ("SelectAmong", 4.6),
    ("SelectBetween", 13.6),
    ("QueryAttribute", 12.0),
    ("Verify", 12.3),
    ("HighLevelLiteral", 10.3),
    ("Relation", 15.1),
    ("HighLevelRelational", 8.5),
];

/// The figures of the paper that a built-in recipe follows; none for other benchmarks.
pub fn paper_figures(benchmark: &Benchmark) -> Vec<PaperFigure> {
    let of = |is_training: bool| -> Vec<&Question> {
        benchmark.questions.iter().filter(|q| (q.split == Split::Train) == is_training).collect()
    };
    let (training, evaluation) = (of(true), of(false));
    let all: Vec<&Question> = benchmark.questions.iter().collect();
    let shape = |q: &Question| q.alias.clone().unwrap_or_else(|| q.shape.clone());
    match benchmark.manifest.name.as_str() {
        "grailqa" => [
            shares("training", &training, GRAILQA_SHAPES, &shape),
            shares("evaluation", &evaluation, GRAILQA_FUNCTIONS, &|q| q.function.to_string()),
            shares("evaluation", &evaluation, GRAILQA_LEVELS, &|q| {
                q.level.map_or_else(String::new, |level| level.name().to_owned())
            }),
        ]
        .concat(),
        "grailqa++" => shares("evaluation", &evaluation, GRAILQA_PP_SHAPES, &shape),
        "kqapro" => {
            let mut figures = shares("all", &all, KQAPRO_TYPES, &|q| q.kind.to_string());
            let share = |name: &str, published: f64, holds: &dyn Fn(&Question) -> bool| PaperFigure {
                name: format!("all, {name}"),
                published,
                built: percentage(&all, holds),
                is_percentage: true,
            };
            figures.push(share("several hops", 74.0, &|q| {
                let graph: touchstone_logic::QueryGraph = (&q.graph).into();
                graph.shape().hops > 1
            }));
            figures.push(share("with a program", 100.0, &|q| q.forms.program.is_some()));
            figures.push(share("with ten choices", 100.0, &|q| q.choices.len() == 10));
            figures.push(PaperFigure {
                name: "all, functions in a program".to_owned(),
                published: 4.8,
                built: program_length(&all),
                is_percentage: false,
            });
            figures
        }
        _ => Vec::new(),
    }
}

/// The shares of values among some questions, in the order of the paper.
fn shares(
    part: &str,
    questions: &[&Question],
    published: &[(&str, f64)],
    value: &dyn Fn(&Question) -> String,
) -> Vec<PaperFigure> {
    let figure = |&(name, published): &(&str, f64)| PaperFigure {
        name: format!("{part}, {name}"),
        published,
        built: percentage(questions, &|question| value(question) == name),
        is_percentage: true,
    };
    published.iter().map(figure).collect()
}

fn percentage(questions: &[&Question], holds: &dyn Fn(&Question) -> bool) -> f64 {
    let n = questions.iter().filter(|question| holds(question)).count();
    100.0 * cast::float(n) / cast::float(questions.len().max(1))
}

/// The mean number of functions in a program.
fn program_length(questions: &[&Question]) -> f64 {
    let length = |question: &&Question| {
        let program = touchstone_logic::Program::parse(question.forms.program.as_deref()?).ok()?;
        Some(program.steps.len())
    };
    let lengths: Vec<usize> = questions.iter().filter_map(length).collect();
    cast::float(lengths.iter().sum()) / cast::float(lengths.len().max(1))
}
