//! The ask page: one question to one or several systems, side by side, with everything that explains the answers, and feedback.

use super::Studio;
use super::ask_systems::{AskSystems, PROSPECTOR};
use super::folder::Feedback;
use super::layout::{Frame, Section};
use super::links::{self, link};
use super::parts::{NamedGraph, answer};
use super::problem::Problem;
use super::query::language_name;
use super::query_result::QueryResult;
use super::request::PageRequest;
use super::response::Reply as Sent;
use axum::http::StatusCode;
use maud::{Markup, html};
use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};
use touchstone_benchmark::JournalError;
use touchstone_engine::{Answers, Outcome, Reply, Settings};
use touchstone_kb::counts::{counted, grouped};
use touchstone_kb::nearest_name;
use touchstone_logic::Language;
use touchstone_run::{AskedSystem, ask_system};

/// Answers that are shown.
const SHOWN: usize = 50;
/// Systems that are asked at once.
const AT_ONCE: usize = 4;
/// The longest question, in bytes.
const LONGEST: usize = 1_000;
/// What can be wrong with an answer.
const CAUSES: [(&str, &str); 6] = [
    ("", "no reason"),
    ("mention", "a name was understood wrongly"),
    ("relation", "a wrong relation"),
    ("direction", "the wrong direction"),
    ("function", "a wrong function, such as a count"),
    ("kb", "the knowledge base does not have it"),
];

/// What a system gave.
#[derive(Serialize)]
struct AskedOne<'a> {
    system: &'a str,
    /// The same as `touchstone ask --system --json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<&'a AskedSystem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

#[derive(Serialize)]
struct Asked<'a> {
    question: &'a str,
    systems: Vec<&'a str>,
    asked: Vec<AskedOne<'a>>,
}

/// What a system gave, before it is shown.
enum Given {
    Asked(Box<AskedSystem>),
    Failed(String),
}

pub(super) fn page(studio: &Studio, request: &PageRequest) -> Result<Sent, Problem> {
    let question = request.text("q")?;
    if question.len() > LONGEST {
        return Err(Problem::bad(format!("the question is longer than {LONGEST} bytes")).field("q"));
    }
    let systems = match studio.systems.get() {
        None => return Ok(preparing(request, question)),
        Some(Err(error)) => {
            let problem =
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, format!("no system can be asked: {error}"));
            return Err(
                problem.hint("Start the studio again with a system that works, such as --system NAME=SPEC.")
            );
        }
        Some(Ok(systems)) => systems,
    };
    let names = systems.names();
    let chosen = chosen(request, &names)?;
    let given: Vec<(&str, Given)> = match question {
        "" => Vec::new(),
        _ => chosen.iter().map(|&name| (name, give(studio, request, systems, name, question))).collect(),
    };
    let asked = given.iter().map(|(system, given)| match given {
        Given::Asked(asked) => AskedOne { system, asked: Some(asked), error: None },
        Given::Failed(error) => AskedOne { system, asked: None, error: Some(error) },
    });
    let data = Asked { question, systems: names.clone(), asked: asked.collect() };
    let frame = Frame::new("Ask", Section::Ask, &["suggest.js"]);
    let thanks = request.text("thanks")? == "1";
    Ok(Sent::page(request, &frame, &data, || {
        html! {
            h1 { "Ask" }
            (form(question, &names, &chosen))
            @if thanks { p.notice.good role="status" { "Thank you: the feedback is stored in the folder of this studio." } }
            @if question.is_empty() { (never_asked(studio)) }
            div.panels data-count=(given.len()) {
                @for (name, given) in &given { (panel(studio, request, question, name, given)) }
            }
        }
    }))
}

/// The systems are not open yet.
fn preparing(request: &PageRequest, question: &str) -> Sent {
    let frame = Frame { again_after: Some(3), ..Frame::new("Ask", Section::Ask, &[]) };
    let data =
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the systems are being opened; try again in a moment");
    if request.wants_json {
        return data.reply(true);
    }
    Sent::page(request, &frame, &(), || {
        html! {
            h1 { "Ask" }
            @if !question.is_empty() { p.lead { (question) } }
            div.empty-pane role="status" aria-busy="true" {
                h2 { "Getting ready" }
                p { "The built-in system learns from questions about this knowledge base once, which can take minutes. This page loads again by itself." }
            }
        }
    })
}

/// The names of the systems to ask: the first one unless others are chosen.
fn chosen<'s>(request: &PageRequest, names: &[&'s str]) -> Result<Vec<&'s str>, Problem> {
    let mut chosen: Vec<&'s str> = Vec::new();
    for wanted in request.all("system").filter(|name| !name.is_empty()) {
        let Some(&name) = names.iter().find(|&&name| name == wanted) else {
            let nearest = nearest_name(wanted, names.iter().copied())
                .unwrap_or(names.first().copied().unwrap_or("none"));
            let problem =
                Problem::bad("this studio was not started with a system of this name").field("system");
            return Err(problem.hint(format!("It has: {}. The nearest is {nearest}.", names.join(", "))));
        };
        if !chosen.contains(&name) {
            chosen.push(name);
        }
    }
    chosen.truncate(AT_ONCE);
    if chosen.is_empty() {
        chosen.extend(names.first());
    }
    Ok(chosen)
}

fn give(studio: &Studio, request: &PageRequest, systems: &AskSystems, name: &str, question: &str) -> Given {
    let Some(other) = systems.systems.iter().find(|other| other.name == name) else {
        return Given::Failed("the system is gone".to_owned());
    };
    match ask_system(other.system, question, Some(studio.kb()), &request.cancel) {
        Ok(asked) => Given::Asked(Box::new(asked)),
        Err(error) => Given::Failed(error.to_string()),
    }
}

fn form(question: &str, names: &[&str], chosen: &[&str]) -> Markup {
    html! {
        form.ask #ask-form action="/ask" method="get" {
            label.visually-hidden for="question" { "Question" }
            input #question type="text" name="q" value=(question) placeholder="Which films did Christopher Nolan direct?" autocomplete="off" maxlength="1000";
            button type="submit" { "Ask" }
            @if names.len() > 1 {
                fieldset.systems {
                    legend { "Systems, up to " (AT_ONCE) }
                    @for name in names {
                        label { input type="checkbox" name="system" value=(name) checked[chosen.contains(name)]; " " (name) }
                    }
                }
            }
        }
    }
}

fn never_asked(studio: &Studio) -> Markup {
    let questions: Vec<&str> =
        studio.examples().queries.iter().filter_map(|query| query.english.as_deref()).take(6).collect();
    html! {
        div.empty-pane {
            h2 { "Ask a question about " (studio.info().name) }
            p { "You get the answer with everything that leads to it: the names that were found, the query in three languages, its graph and its steps." }
            @if !questions.is_empty() {
                ul.query-list {
                    @for question in questions { li { a href=(link("/ask", &[("q", question)])) { span.query-english { (question) } } } }
                }
            }
        }
    }
}

fn panel(studio: &Studio, request: &PageRequest, question: &str, name: &str, given: &Given) -> Markup {
    html! {
        section.panel.system-panel {
            h2 { (name) }
            @match given {
                Given::Asked(asked) => (asked_panel(studio, request, question, name, asked)),
                Given::Failed(error) => p.error-text role="alert" { "The system failed: " (error) },
            }
        }
    }
}

fn asked_panel(
    studio: &Studio,
    request: &PageRequest,
    question: &str,
    name: &str,
    asked: &AskedSystem,
) -> Markup {
    let prediction = &asked.prediction;
    let form = prediction.logical_form.as_deref().map(str::trim);
    let form = form.map(|form| (prediction.language.unwrap_or_else(|| Language::guess(form)), form));
    let settings = Settings { limits: studio.limits, ..Settings::default() };
    let result =
        form.map(|(language, text)| QueryResult::of(studio, language, text, &settings, &request.cancel));
    html! {
        @if let Some(error) = &prediction.error { p.error-text role="alert" { (error) } }
        @match (&prediction.answers, &asked.reply) {
            (Some(answers), _) => (answer_list(&Answers::List { answers: answers.clone() })),
            (None, Some(Reply { outcome: Outcome::Answered(answers), .. })) => (answer_list(answers)),
            (None, Some(Reply { outcome: Outcome::Unparsable(error) | Outcome::Failed(error), .. })) => {
                h3 { "The query cannot be run" } pre.error-text { (error) }
            },
            (None, Some(Reply { outcome: Outcome::OverBudget(stopped), .. })) => p.error-text { "The query was " (stopped.to_string()) },
            (None, None) => h3 { "The system gives no answer" },
        }
        @if let Some(confidence) = prediction.confidence {
            p.muted { "Confidence " (format!("{confidence:.2}")) }
        }
        (feedback_form(question, name, form))
        @if let Some((language, text)) = form {
            h3 { (language_name(language)) }
            pre.form-text { (text) }
            p { a.button.quiet href=(links::query(language, text)) { "Correct the query" } }
        }
        @if let Some(flow) = result.as_ref().and_then(QueryResult::flow) {
            figure.graph {
                div.scroll tabindex="0" role="region" aria-label="Flow chart" { (flow.svg("flow chart of the program, with what each step finds")) }
                figcaption { details.as-text { summary { "As text" } pre { (flow.text().trim_end()) } } }
            }
        }
        @if let Some(graph) = result.as_ref().and_then(|result| result.graph.as_ref()) {
            (NamedGraph::of(studio.kb(), graph).figure("The answer is green, what the query names is red"))
        }
    }
}

fn answer_list(found: &Answers) -> Markup {
    html! {
        @match found {
            Answers::List { answers } if found.single_value().is_some() => p.single-answer { @for one in answers { (answer(one)) } },
            Answers::List { answers } => {
                h3 { (counted(answers.len(), "answer", "answers")) }
                ul.answer-chips {
                    @for one in answers.iter().take(SHOWN) { li { (answer(one)) } }
                }
                @if answers.len() > SHOWN { p.fine { "The first " (grouped(SHOWN)) " of " (grouped(answers.len())) "." } }
            },
            other => h3 { (counted(other.len(), "answer", "answers")) },
        }
    }
}

fn feedback_form(question: &str, system: &str, form: Option<(Language, &str)>) -> Markup {
    html! {
        form.feedback action="/ask/feedback" method="post" aria-label={ "Feedback on " (system) } {
            input type="hidden" name="q" value=(question);
            input type="hidden" name="system" value=(system);
            @if let Some((language, text)) = form {
                input type="hidden" name="form" value=(text);
                input type="hidden" name="lang" value=(language.word());
            }
            button.quiet type="submit" name="right" value="yes" { "Right" }
            button.quiet type="submit" name="right" value="no" { "Wrong" }
            label { span.muted { "because of " } select name="because" { @for (value, text) in CAUSES { option value=(value) { (text) } } } }
        }
    }
}

/// Stores what somebody said about an answer.
pub(super) fn feedback(studio: &Studio, request: &PageRequest) -> Result<Sent, Problem> {
    let question = request.text("q")?;
    let system = request.text("system")?;
    if question.is_empty() || question.len() > LONGEST {
        return Err(Problem::bad("give the question that the feedback is about").field("q"));
    }
    let known = match studio.systems.get() {
        Some(Ok(systems)) => systems.names(),
        _ => vec![PROSPECTOR],
    };
    if !known.contains(&system) {
        return Err(Problem::bad("this studio was not started with a system of this name").field("system"));
    }
    let right = request.choice("right", &["yes", "no"])? == "yes";
    let because = request.choice("because", &CAUSES.map(|(word, _)| word))?;
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let feedback = Feedback {
        at: now,
        question: question.to_owned(),
        system: system.to_owned(),
        form: text(request.text("form")?),
        language: Language::from_word(request.text("lang")?).map(|language| language.word().to_owned()),
        right,
        because: text(because).filter(|_| !right),
    };
    studio.folder.add_feedback(&feedback).map_err(|error| {
        let is_full = matches!(&error, JournalError::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull);
        let status = if is_full { StatusCode::INSUFFICIENT_STORAGE } else { StatusCode::INTERNAL_SERVER_ERROR };
        Problem::new(status, error.to_string())
    })?;
    Ok(Sent::see(link("/ask", &[("q", question), ("system", system), ("thanks", "1")])))
}
