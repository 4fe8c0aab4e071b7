//! The query page: a field on one side, and on the other everything that is known about the query.

use super::Studio;
use super::layout::{Frame, Section};
use super::links::{self, link};
use super::parts::{NamedGraph, answer};
use super::problem::Problem;
use super::query_result::QueryResult;
use super::query_steps;
use super::request::PageRequest;
use super::response::Reply as Sent;
use axum::http::StatusCode;
use maud::{Markup, html};
use std::sync::Arc;
use std::time::Duration;
use touchstone_engine::budget::{Limit, Limits, Stopped};
use touchstone_engine::sparql::{ReplyFormat, ResultFormat, Results, write};
use touchstone_engine::{
    Answers, AutoEngine, EmbeddedEngine, Engine, Outcome, Reply, Settings, SparevalEngine,
};
use touchstone_kb::counts::{counted, grouped, short_time};
use touchstone_logic::Language;

/// Answers that are shown.
const SHOWN: usize = 200;
/// The time for a query unless the user chooses more.
const USUAL_SECONDS: u64 = 5;
/// The longest query, in bytes.
const LONGEST: usize = 1 << 20;

pub(super) const LANGUAGES: [(&str, &str); 4] =
    [("auto", "guess"), ("kopl", "KoPL"), ("sexpr", "S-expression"), ("sparql", "SPARQL")];
const ENGINES: [(&str, &str); 3] = [("auto", "auto"), ("embedded", "embedded"), ("spareval", "spareval")];

/// What the user chose.
struct Choice<'c> {
    lang: &'c str,
    engine: &'c str,
    seconds: u64,
    text: &'c str,
}

/// The query as it was typed.
pub(super) fn typed(request: &PageRequest) -> Result<&str, Problem> {
    let text = request.raw("q").trim();
    if text.len() > LONGEST {
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "the query is longer than 1 MB").field("q"));
    }
    Ok(text)
}

pub(super) fn language_word(request: &PageRequest) -> Result<&'static str, Problem> {
    request.choice("lang", &LANGUAGES.map(|(word, _)| word))
}

pub(super) fn engine_word(request: &PageRequest) -> Result<&'static str, Problem> {
    request.choice("engine", &ENGINES.map(|(word, _)| word))
}

/// The name of a language for people.
pub(super) fn language_name(language: Language) -> &'static str {
    LANGUAGES.iter().find(|(word, _)| *word == language.word()).map_or("", |(_, name)| *name)
}

fn engine(word: &str) -> Arc<dyn Engine> {
    match word {
        "embedded" => Arc::new(EmbeddedEngine),
        "spareval" => Arc::new(SparevalEngine),
        _ => Arc::new(AutoEngine),
    }
}

pub(super) fn page(studio: &Studio, request: &PageRequest) -> Result<Sent, Problem> {
    let lang = language_word(request)?;
    let text = typed(request)?;
    shown(studio, request, lang, text)
}

/// The page of a query, or an empty one.
pub(super) fn shown(studio: &Studio, request: &PageRequest, lang: &str, text: &str) -> Result<Sent, Problem> {
    let longest = studio.limits.time.as_secs().max(1);
    let seconds = match request.text("time")? {
        "" => USUAL_SECONDS.min(longest),
        given => given.parse().ok().filter(|seconds| (1..=longest).contains(seconds)).ok_or_else(|| {
            Problem::bad(format!("`time` must be a number of seconds between 1 and {longest}")).field("time")
        })?,
    };
    let choice = Choice { lang, engine: engine_word(request)?, seconds, text };
    let settings = Settings {
        engine: engine(choice.engine),
        limits: Limits { time: Duration::from_secs(seconds).min(studio.limits.time), ..studio.limits },
        ..Settings::default()
    };
    let language = Language::from_word(lang).unwrap_or_else(|| Language::guess(text));
    let format = request.choice("format", &["", "html", "json", "csv", "tsv"])?;
    if let Some(format) = match format {
        "csv" => Some(ResultFormat::Csv),
        "tsv" => Some(ResultFormat::Tsv),
        _ => None,
    } {
        return download(studio, request, language, text, &settings, format);
    }
    let frame = Frame::new("Query", Section::Query, &["suggest.js", "query.js"]);
    if text.is_empty() {
        return Ok(Sent::page(request, &frame, studio.examples(), || {
            layout(studio, &choice, language, None)
        }));
    }
    let result = QueryResult::of(studio, language, text, &settings, &request.cancel);
    let status = match result.reply.outcome {
        Outcome::Unparsable(_) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    };
    Ok(Sent::page(request, &frame, &result, || layout(studio, &choice, language, Some(&result)))
        .with_status(status))
}

/// The answers as a file.
fn download(
    studio: &Studio,
    request: &PageRequest,
    language: Language,
    text: &str,
    settings: &Settings,
    format: ResultFormat,
) -> Result<Sent, Problem> {
    let settings = Settings { terms: true, ..settings.clone() };
    let reply = studio.session.run(language, text, &settings, &request.cancel);
    let (media, name) = match format {
        ResultFormat::Tsv => ("text/tab-separated-values; charset=utf-8", "answers.tsv"),
        _ => ("text/csv; charset=utf-8", "answers.csv"),
    };
    match reply.outcome {
        Outcome::Answered(Answers::Rdf(Results::Boolean(value))) => {
            Ok(Sent::file(media, name, format!("answer\n{value}\n").into_bytes()))
        }
        Outcome::Answered(Answers::Rdf(results)) => {
            let mut bytes = Vec::new();
            write(&results, ReplyFormat::Results(format), &mut bytes)
                .map_err(|error| Problem::bad(error.to_string()).field("format"))?;
            Ok(Sent::file(media, name, bytes))
        }
        Outcome::Answered(_) => Err(Problem::defect("the answers are no table")),
        Outcome::Unparsable(message) => Err(Problem::bad(message).field("q")),
        Outcome::Failed(message) => Err(Problem::defect(message)),
        Outcome::OverBudget(stopped) => {
            let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, format!("the query was {stopped}"));
            Err(problem.hint("Choose a longer time on the query page."))
        }
    }
}

fn layout(
    studio: &Studio,
    choice: &Choice<'_>,
    language: Language,
    result: Option<&QueryResult<'_>>,
) -> Markup {
    html! {
        div.two-panes {
            div.pane.editor {
                h1 { "Query" }
                (form(studio, choice, language, result))
                (examples(studio, result.is_none()))
            }
            div.pane.outcome #result {
                @match result {
                    None => (never_run()),
                    Some(result) => (outcome(studio, choice, result)),
                }
            }
        }
    }
}

fn form(
    studio: &Studio,
    choice: &Choice<'_>,
    language: Language,
    result: Option<&QueryResult<'_>>,
) -> Markup {
    let longest = studio.limits.time.as_secs().max(1);
    let mut times: Vec<u64> = [1, 5, 10, 30, 60].into_iter().filter(|&seconds| seconds < longest).collect();
    times.push(longest);
    let span = result.and_then(|result| result.error_span);
    let is_wrong = result.is_some_and(|result| matches!(result.reply.outcome, Outcome::Unparsable(_)));
    html! {
        form #query-form action="/query" method="post" {
            label for="query" { "Logical form" }
            textarea #query name="q" rows="9" spellcheck="false" autocomplete="off" autocapitalize="off"
                aria-describedby="query-help" aria-invalid=[is_wrong.then_some("true")]
                data-wrong-from=[span.map(|(from, _)| utf16(choice.text, from))]
                data-wrong-to=[span.map(|(_, to)| utf16(choice.text, to))] {
                // A line break at the start of a text area is not part of its value.
                "\n" (choice.text)
            }
            p.fine #query-help {
                @if choice.lang == "auto" && !choice.text.is_empty() { "Read as " (language_name(language)) ". " }
                span.needs-script { kbd { "Ctrl" } "+" kbd { "Space" } " completes, " kbd { "Ctrl" } "+" kbd { "Enter" } " runs." }
            }
            div.row {
                (select("lang", "Language", LANGUAGES.iter().map(|(word, name)| ((*word).to_owned(), (*name).to_owned())), choice.lang))
                (select("engine", "Engine", ENGINES.iter().map(|(word, name)| ((*word).to_owned(), (*name).to_owned())), choice.engine))
                (select("time", "At most", times.iter().map(|seconds| (seconds.to_string(), format!("{seconds} s"))), &choice.seconds.to_string()))
            }
            div.row.run {
                button type="submit" { "Run" }
                button.quiet.needs-script type="button" data-action="stop" hidden { "Stop" }
                span.fine #elapsed {}
            }
        }
    }
}

/// A position in UTF-16 units, as scripts count.
fn utf16(text: &str, at: usize) -> usize {
    text.get(..at.min(text.len())).map_or(0, |before| before.encode_utf16().count())
}

fn select(name: &str, label: &str, options: impl Iterator<Item = (String, String)>, chosen: &str) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                @for (value, text) in options {
                    option value=(value) selected[value == chosen] { (text) }
                }
            }
        }
    }
}

fn examples(studio: &Studio, open: bool) -> Markup {
    let examples = studio.examples().for_query_page();
    html! {
        @if !examples.is_empty() {
            details.examples open[open] {
                summary { "Examples" }
                ul.query-list {
                    @for example in examples {
                        li {
                            a href=(links::query(example.language, &example.query)) {
                                @if let Some(english) = &example.english { span.query-english { (english) } }
                                code { (example.query) }
                            }
                        }
                    }
                }
            }
        }
        details.needs-script #recent-queries hidden {
            summary { "Recent queries in this browser" }
            ul.query-list {}
        }
    }
}

fn never_run() -> Markup {
    html! {
        div.empty-pane {
            h2 { "Answers appear here" }
            p { "Write a query in KoPL, as an S-expression or in SPARQL, or start with an example. The language is guessed." }
            p { "Besides the answers you get every step with what it found, the graph with its shape, the program as a flow chart, the query in the other languages, and in English." }
        }
    }
}

fn outcome(studio: &Studio, choice: &Choice<'_>, result: &QueryResult<'_>) -> Markup {
    let kb = studio.kb();
    html! {
        (answers(choice, result))
        @if let Some(english) = &result.english {
            section #english { h2 { "In English" } p.quotation lang="en" { (english.text) } }
        } @else if let Some(error) = &result.english_error {
            section #english { h2 { "In English" } p.muted { (error) } }
        }
        @if let Some(flow) = result.flow() {
            section #flow {
                h2 { "Program" }
                figure.graph {
                    div.scroll tabindex="0" role="region" aria-label="Flow chart" { (flow.svg("flow chart of the program, with what each step finds")) }
                    figcaption {
                        "Each step with what it finds; the last one is the answer."
                        details.as-text { summary { "As text" } pre { (flow.text().trim_end()) } }
                    }
                }
            }
        }
        @if let Some(graph) = &result.graph {
            section #graph {
                h2 { "Graph" }
                (NamedGraph::of(kb, graph).figure("The answer is green, what the query names is red"))
                @if let Some(shape) = &result.shape {
                    dl.pairs {
                        div { dt { "Shape" } dd { code { (shape.code) } @if let Some(alias) = shape.alias { " · " (alias.to_string()) } } }
                        div { dt { "Relations" } dd { (shape.relations) } }
                        div { dt { "Constraints" } dd { (shape.constraints) } }
                        div { dt { "Kind" } dd { @if shape.simple { "simple" } @else { "complex" } @if shape.cycle { ", with a cycle" } } }
                    }
                }
            }
        }
        @if let Some(trace) = &result.reply.trace {
            section #steps { h2 { "Steps" } (query_steps::table(trace)) }
        }
        @if !result.translations.is_empty() { (translations(result)) }
    }
}

fn translations(result: &QueryResult<'_>) -> Markup {
    html! {
        section #languages {
            h2 { "In the other languages" }
            @for other in &result.translations {
                h3 { (language_name(other.language)) }
                @match (&other.converted.text, &other.converted.error) {
                    (Some(text), _) => {
                        pre.form-text { (text.trim()) }
                        @for lost in &other.converted.lost { p.fine { "Not the same: " (lost) } }
                        p { a href=(links::query(other.language, text.trim())) { "Open as " (language_name(other.language)) } }
                    },
                    (None, Some(error)) => p.muted { (error) },
                    (None, None) => p.muted { "There is no translation." },
                }
            }
        }
    }
}

fn answers(choice: &Choice<'_>, result: &QueryResult<'_>) -> Markup {
    let reply = &result.reply;
    html! {
        section.answers #answers {
            @match &reply.outcome {
                Outcome::Answered(found) if found.is_empty() => (nothing(reply)),
                Outcome::Answered(found) => {
                    h2 { (counted(found.len(), "answer", "answers")) }
                    (answer_table(found))
                    (cost(reply))
                    (downloads(choice))
                },
                Outcome::Unparsable(message) => {
                    h2 { "This cannot be read as " (language_name(result.language)) }
                    pre.error-text role="alert" { (message) }
                    @if choice.lang == "auto" { p.muted { "The language was guessed; choose it if that is wrong." } }
                },
                Outcome::Failed(message) => {
                    h2 { "This cannot be run" }
                    pre.error-text role="alert" { (message) }
                },
                Outcome::OverBudget(stopped) => (over_budget(choice, stopped)),
            }
            @for note in &reply.notes { p.notice { (note) } }
        }
    }
}

fn nothing(reply: &Reply) -> Markup {
    let step = reply.trace.as_ref().and_then(query_steps::first_empty);
    html! {
        h2 { "Nothing found" }
        @match step {
            Some(step) => p { "The first step that finds nothing: " strong { (step.operation) } "." },
            None => p { "The query ran, and nothing in the knowledge base fits it." },
        }
        (cost(reply))
    }
}

fn over_budget(choice: &Choice<'_>, stopped: &Stopped) -> Markup {
    html! {
        h2 { "Stopped before there was an answer" }
        p role="alert" { "The query was " (stopped.to_string()) ". It used " (grouped(stopped.cost.operations)) " operations in " (short_time(stopped.cost.time)) "." }
        @if stopped.limit == Limit::Time {
            p { "Choose a longer time under “At most”, now " (choice.seconds) " s, and run it again." }
        } @else {
            p { "The owner of this studio sets this limit (" code { "--max-" (stopped.limit.word()) } "). A query with fewer or more specific steps needs less." }
        }
    }
}

fn cost(reply: &Reply) -> Markup {
    html! {
        p.fine {
            (short_time(reply.cost.time)) " · " (counted(reply.cost.operations, "operation", "operations"))
            @if let Some(engine) = reply.engine { " · " (engine) }
        }
    }
}

fn downloads(choice: &Choice<'_>) -> Markup {
    let address = |format: &str| {
        let lang = if choice.lang == "auto" { "" } else { choice.lang };
        link("/query", &[("lang", lang), ("q", choice.text), ("format", format)])
    };
    html! {
        @if choice.text.len() <= 2_000 {
            p.fine {
                "All answers as "
                a href=(address("csv")) { "CSV" } ", " a href=(address("tsv")) { "TSV" } ", " a href=(address("json")) { "JSON" }
            }
        }
    }
}

fn answer_table(found: &Answers) -> Markup {
    let n = found.len();
    html! {
        @match found {
            Answers::List { answers } if found.single_value().is_some() => {
                p.single-answer { @for one in answers { (answer(one)) } }
            },
            Answers::List { answers } => {
                ol.answer-list data-list="" {
                    @for one in answers.iter().take(SHOWN) {
                        li { (answer(one)) @if let Some(id) = one.id() { " " code.id { (id) } } }
                    }
                }
            },
            Answers::Table { variables, rows } => {
                div.scroll tabindex="0" role="region" aria-label="Answers" {
                    table {
                        thead { tr { @for variable in variables { th scope="col" { (variable) } } } }
                        tbody {
                            @for row in rows.iter().take(SHOWN) {
                                tr { @for cell in row { td { @if let Some(cell) = cell { (answer(cell)) } } } }
                            }
                        }
                    }
                }
            },
            Answers::Rdf(Results::Graph(triples)) => {
                pre.form-text { @for triple in triples.iter().take(SHOWN) { (triple.to_string()) " .\n" } }
            },
            Answers::Rdf(_) => p.muted { "These answers can be downloaded." },
        }
        @if n > SHOWN { p.fine { "The first " (grouped(SHOWN)) " of " (grouped(n)) "." } }
    }
}
