//! The page of `touchstone stats --html`: what a benchmark is made of, in tables and figures.

use crate::cast::float;
use crate::drawing::ShapePictures;
use crate::page::page;
use crate::sunburst::sunburst;
use maud::{Markup, html};
use serde::Serialize;
use touchstone_benchmark::{Benchmark, BenchmarkManifest, Split};
use touchstone_forge::stats::{self, Stats, StatsTable};
use touchstone_grade::attack::{AttackFigure, PUBLISHED};
use touchstone_kb::counts::grouped;
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

/// The tables and figures of a benchmark as one HTML page that needs nothing else.
pub fn stats_page(benchmark: &Benchmark, attacks: &[AttackFigure]) -> String {
    let manifest = &benchmark.manifest;
    let tables = stats::tables(benchmark);
    let (shapes, others): (Vec<&StatsTable>, Vec<&StatsTable>) =
        tables.iter().partition(|table| table.name == "shape");
    let mut pictures = ShapePictures::default();
    for question in &benchmark.questions {
        let name = question.alias.as_ref().unwrap_or(&question.shape);
        pictures.add(name, || QueryGraph::from(&question.graph));
    }
    let body = html! {
        (pictures.symbols())
        (header(benchmark))
        main {
            @for table in shapes { section { h2 { "Shapes" } (shape_table(table, &pictures)) } }
            div.columns {
                @for table in others { section { h2 { (capitalized(table.name)) } (bar_table(table)) } }
            }
            section { h2 { "First words" } (sunburst(benchmark)) }
            section { h2 { "Language" } (language(benchmark)) }
            @if !attacks.is_empty() { section { h2 { "Trivial attacks" } (attack_table(attacks)) } }
            @if !manifest.unfilled.is_empty() {
                section { h2 { "Questions that the knowledge base could not provide" } (unfilled(manifest)) }
            }
        }
    };
    page(&manifest.name, STYLE, &body)
}

fn header(benchmark: &Benchmark) -> Markup {
    let manifest = &benchmark.manifest;
    let kb = &manifest.kb;
    html! {
        header {
            h1 { (manifest.name) }
            p { (manifest.description) }
            p.key {
                (grouped(benchmark.questions.len())) " questions on "
                (if kb.name.is_empty() { "an unknown KB" } else { &kb.name }) " "
                span title=(kb.fingerprint) { "(" (kb.fingerprint.get(..12).unwrap_or("no fingerprint")) ")" }
                ", made by touchstone " (manifest.tool_version) "."
                @for split in Split::ALL { i style={ "background:var(--" (split) ")" } {} (split) }
            }
        }
    }
}

/// The shapes with pictures, as in Tables 1 and 7 of the GrailQA++ paper.
fn shape_table(table: &StatsTable, pictures: &ShapePictures) -> Markup {
    let largest = largest(table);
    html! {
        table {
            thead { tr {
                th { "shape" } th {}
                @for split in Split::ALL { th.n { (split) } }
                th.n { "all" } th {}
            } }
            @for (name, numbers) in table.rows.iter().take(MAX_ROWS) {
                tr {
                    td { (name) } td { (pictures.show(name)) }
                    @for number in numbers { td.n { (grouped(*number)) } }
                    td.n { (grouped(numbers.iter().sum::<u64>())) }
                    td { (bar(numbers, largest, 200.0)) }
                }
            }
        }
        (more(table))
    }
}

fn bar_table(table: &StatsTable) -> Markup {
    let largest = largest(table);
    html! {
        table {
            @for (name, numbers) in table.rows.iter().take(MAX_ROWS) {
                tr {
                    td { (name.trim().chars().take(60).collect::<String>()) }
                    td.n { (grouped(numbers.iter().sum::<u64>())) }
                    td { (bar(numbers, largest, 160.0)) }
                }
            }
        }
        (more(table))
    }
}

fn largest(table: &StatsTable) -> u64 {
    table.rows.iter().map(|(_, numbers)| numbers.iter().sum()).max().unwrap_or(1)
}

fn more(table: &StatsTable) -> Markup {
    html! { @if table.rows.len() > MAX_ROWS { p { "and " (table.rows.len() - MAX_ROWS) " more" } } }
}

/// The numbers of the three splits, one after the other.
fn bar(numbers: &[u64; 3], largest: u64, width: f64) -> Markup {
    let length = |number: u64| width * float(number) / float(largest.max(1));
    let text: Vec<String> = Split::ALL
        .iter()
        .zip(numbers)
        .map(|(split, number)| format!("{split}: {}", grouped(*number)))
        .collect();
    html! {
        svg width=(width) height="12" role="img" aria-label=(text.join(", ")) {
            @for (at, (number, split)) in numbers.iter().zip(Split::ALL).enumerate() {
                @if *number > 0 {
                    rect x=(tenths(numbers[..at].iter().map(|number| length(*number)).sum()))
                        width=(tenths(length(*number))) height="12" style={ "fill:var(--" (split) ")" } {
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
        table {
            thead { tr { th { "measure" } @for split in Split::ALL { th.n { (split) } } } }
            @for (name, means) in stats::means(benchmark) {
                tr {
                    td { (name) }
                    @for mean in means {
                        td.n { (mean.map_or("-".to_owned(), |mean| format!("{:.1} ({:.1})", mean.mean, mean.deviation))) }
                    }
                }
            }
        }
        p { "Means with standard deviations. Words and reading ease are counted as in the GrailQA++ paper." }
    }
}

fn attack_table(attacks: &[AttackFigure]) -> Markup {
    let cell = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    html! {
        table {
            thead { tr {
                th { "attack" } th.n { "here" } th.n { "chance" } th.n { "questions" }
                @for set in PUBLISHED { th.n title=(set.source) { (set.name) } }
            } }
            @for figure in attacks {
                tr {
                    td { (figure.attack.key().replace('_', " ")) }
                    td.n { (cell(Some(figure.value))) }
                    td.n { (cell(figure.chance)) }
                    td.n { (grouped(figure.questions)) }
                    @for set in PUBLISHED { td.n { (cell(set.figure(figure.attack))) } }
                }
            }
        }
        p { "What can be guessed without understanding a question, and how varied questions are; docs/attacks.md explains each." }
    }
}

fn unfilled(manifest: &BenchmarkManifest) -> Markup {
    html! {
        table {
            thead { tr {
                th { "kind" } th { "level" } th.n { "wanted" } th.n { "made" } th { "most frequent reason" }
            } }
            @for cell in &manifest.unfilled {
                tr {
                    td { (cell.kind) } td { (cell.level) }
                    td.n { (grouped(cell.wanted)) } td.n { (grouped(cell.made)) }
                    td { (cell.reason) }
                }
            }
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
