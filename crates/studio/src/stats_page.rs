//! The page of `touchstone stats --html`: what a benchmark is made of, in tables and figures.

use crate::cast::float;
use crate::drawing::ShapePictures;
use crate::page::{facts, hash_start, heading, page};
use crate::sunburst::sunburst;
use maud::{Markup, html};
use serde::Serialize;
use touchstone_benchmark::{Benchmark, BenchmarkManifest, Split};
use touchstone_forge::stats::{self, Stats, StatsTable};
use touchstone_grade::attack::{AttackFigure, PUBLISHED};
use touchstone_kb::counts::{counted, grouped, percent};
use touchstone_logic::QueryGraph;

/// Maximum number of rows of a table to show.
const MAX_ROWS: usize = 30;

const STYLE: &str = include_str!("stats.css");

/// The statistics of a benchmark with how far trivial attacks get on it, as one object of JSON.
#[derive(Debug, Serialize)]
pub struct StatsWithAttacks {
    /// The statistics.
    #[serde(flatten)]
    pub stats: Stats,
    /// The figures of the attacks.
    pub attacks: Vec<AttackFigure>,
}

/// The tables about the wording of questions; all others are about what is asked.
const WORDING: [&str; 2] = ["words in the question", "first words"];

/// The tables and figures of a benchmark as one HTML page that needs nothing else.
pub fn stats_page(benchmark: &Benchmark, attacks: &[AttackFigure]) -> String {
    let manifest = &benchmark.manifest;
    let tables = stats::tables(benchmark);
    let filled = || tables.iter().filter(|table| !table.rows.is_empty() && table.name != "shape");
    let (wording, asked): (Vec<&StatsTable>, Vec<&StatsTable>) =
        filled().partition(|table| WORDING.contains(&table.name));
    let mut pictures = ShapePictures::default();
    for question in &benchmark.questions {
        let name = question.alias.as_ref().unwrap_or(&question.shape);
        pictures.add(name, || QueryGraph::from(&question.graph));
    }
    let body = html! {
        (pictures.symbols())
        header { (opening(benchmark)) }
        main {
            @for table in tables.iter().filter(|table| table.name == "shape") {
                section { h2 { "Shapes" } (shape_table(table, &pictures)) }
            }
            h2.part { "What is asked" }
            div.columns { @for table in asked { section { h2 { (capitalized(table.name)) } (bar_table(table)) } } }
            h2.part { "How it is worded" }
            div.columns {
                section { h2 { "Language" } (language(benchmark)) }
                @for table in wording { section { h2 { (capitalized(table.name)) } (bar_table(table)) } }
            }
            section { h2 { "The first four words" } (sunburst(benchmark)) }
            @if !attacks.is_empty() { section { h2 { "Trivial attacks" } (attack_table(attacks)) } }
            @if !manifest.unfilled.is_empty() {
                section { h2 { "Questions that the knowledge base could not provide" } (unfilled(manifest)) }
            }
        }
    };
    page(&manifest.name, STYLE, &body)
}

fn opening(benchmark: &Benchmark) -> Markup {
    let manifest = &benchmark.manifest;
    let kb = &manifest.kb;
    let mut found = vec![
        ("Questions", html! { (grouped(benchmark.questions.len())) }),
        (
            "Knowledge base",
            html! {
                (if kb.name.is_empty() { "unknown" } else { &kb.name })
                @if !kb.fingerprint.is_empty() { " " (hash_start(&kb.fingerprint)) }
            },
        ),
        ("Made by", html! { "Touchstone " (manifest.tool_version) }),
    ];
    if !benchmark.identity.is_empty() {
        found.push(("Identity", hash_start(&benchmark.identity)));
    }
    if let Some(as_of) = &manifest.as_of {
        found.push(("Facts as of", html! { (as_of) }));
    }
    if let Some(seed) = manifest.recipe_number("seed") {
        found.push(("Seed", html! { (seed) }));
    }
    if !manifest.license.is_empty() {
        found.push(("Licence", html! { (manifest.license) }));
    }
    html! {
        (heading("Touchstone benchmark", &manifest.name))
        @if !manifest.description.is_empty() { p.description { (manifest.description) } }
        (facts(found))
        (splits(benchmark))
    }
}

/// How many questions each split has.
fn splits(benchmark: &Benchmark) -> Markup {
    let number = |split| benchmark.questions.iter().filter(|question| question.split == split).count();
    let all = benchmark.questions.len();
    let numbers = Split::ALL.map(|split| number(split) as u64);
    html! {
        div.splits {
            (bar(&numbers, all as u64))
            ul { @for (split, number) in Split::ALL.into_iter().zip(numbers) {
                li { i.(split.name()) {} b { (grouped(number)) } " " (split) " " span.soft { (percent(number, (all as u64).max(1))) } }
            } }
        }
    }
}

/// The shapes with pictures, as in Tables 1 and 7 of the GrailQA++ paper.
fn shape_table(table: &StatsTable, pictures: &ShapePictures) -> Markup {
    let largest = largest(table);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Shapes" {
            table.shapes {
                thead { tr {
                    th scope="col" { "shape" }
                    @for split in Split::ALL { th.n scope="col" { (split) } }
                    th.n scope="col" { "all" } th scope="col" { span.unseen { "as a bar" } }
                } }
                tbody { @for (name, numbers) in table.rows.iter().take(MAX_ROWS) {
                    @let description = pictures.name(name).map_or("", |name| name.description);
                    tr {
                        td { div.shape-cell { (pictures.show(name)) div { (name) @if !description.is_empty() { span.small { (description) } } } } }
                        @for number in numbers { td.n { (grouped(*number)) } }
                        td.n { b { (grouped(numbers.iter().sum::<u64>())) } }
                        td.bar { (bar(numbers, largest)) }
                    }
                } }
            }
        }
        (more(table))
    }
}

fn bar_table(table: &StatsTable) -> Markup {
    let largest = largest(table);
    html! {
        table {
            thead.unseen { tr { th scope="col" { (table.name) } th scope="col" { "questions" } th scope="col" { "as a bar" } } }
            tbody { @for (name, numbers) in table.rows.iter().take(MAX_ROWS) {
                tr {
                    th scope="row" { (name.trim().chars().take(60).collect::<String>()) }
                    td.n { (grouped(numbers.iter().sum::<u64>())) }
                    td.bar { (bar(numbers, largest)) }
                }
            } }
        }
        (more(table))
    }
}

fn largest(table: &StatsTable) -> u64 {
    table.rows.iter().map(|(_, numbers)| numbers.iter().sum()).max().unwrap_or(1)
}

fn more(table: &StatsTable) -> Markup {
    html! { @if table.rows.len() > MAX_ROWS { p.small { "and " (table.rows.len() - MAX_ROWS) " more" } } }
}

/// The numbers of the three splits, one after the other.
fn bar(numbers: &[u64; 3], largest: u64) -> Markup {
    let share = |number: u64| format!("{}%", tenths(100.0 * float(number) / float(largest.max(1))));
    let text: Vec<String> = Split::ALL
        .iter()
        .zip(numbers)
        .map(|(split, number)| format!("{split}: {}", grouped(*number)))
        .collect();
    html! {
        svg.bar role="img" aria-label=(text.join(", ")) {
            @for (at, (number, split)) in numbers.iter().zip(Split::ALL).enumerate() {
                @if *number > 0 {
                    rect.(split.name()) x=(share(numbers[..at].iter().sum())) width=(share(*number)) height="100%" {
                        title { (text[at]) }
                    }
                }
            }
        }
    }
}

/// A coordinate with one decimal.
pub(crate) fn tenths(number: f64) -> String {
    format!("{number:.1}")
}

fn language(benchmark: &Benchmark) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Language" {
            table {
                thead { tr { th scope="col" { "mean (standard deviation)" } @for split in Split::ALL { th.n scope="col" { (split) } } } }
                tbody { @for (name, means) in stats::means(benchmark) {
                    tr {
                        th scope="row" { (name) }
                        @for mean in means {
                            td.n { (mean.map_or("–".to_owned(), |mean| format!("{:.1} ({:.1})", mean.mean, mean.deviation))) }
                        }
                    }
                } }
            }
        }
        p.small { "Words and reading ease are counted as in the GrailQA++ paper." }
    }
}

fn attack_table(attacks: &[AttackFigure]) -> Markup {
    let cell = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2}"));
    html! {
        p.soft { "What can be guessed without understanding a question, and how varied questions are, beside published data sets. docs/attacks.md explains each." }
        div.scroll tabindex="0" role="region" aria-label="Trivial attacks" {
            table {
                thead { tr {
                    th scope="col" { "attack" } th.n scope="col" { "here" } th.n scope="col" { "chance" } th.n scope="col" { "questions" }
                    @for set in PUBLISHED { th.n scope="col" title=(set.source) { (set.name) } }
                } }
                tbody { @for figure in attacks {
                    tr {
                        th scope="row" { (figure.attack.key().replace('_', " ")) }
                        td.n { b { (cell(Some(figure.value))) } }
                        td.n { (cell(figure.chance)) }
                        td.n { (grouped(figure.questions)) }
                        @for set in PUBLISHED { td.n { (cell(set.figure(figure.attack))) } }
                    }
                } }
            }
        }
    }
}

fn unfilled(manifest: &BenchmarkManifest) -> Markup {
    html! {
        p.soft { (counted(manifest.unfilled.len(), "kind of question has", "kinds of questions have")) " fewer questions than the recipe wanted." }
        div.scroll tabindex="0" role="region" aria-label="Missing questions" {
            table {
                thead { tr {
                    th scope="col" { "kind" } th scope="col" { "level" } th.n scope="col" { "wanted" } th.n scope="col" { "made" }
                    th scope="col" { "most frequent reason" }
                } }
                tbody { @for cell in &manifest.unfilled {
                    tr {
                        th scope="row" { (cell.kind) } td { (cell.level) }
                        td.n { (grouped(cell.wanted)) } td.n { (grouped(cell.made)) }
                        td { (cell.reason) }
                    }
                } }
            }
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
