//! Errors as pages and as JSON: what is wrong, where, and what to do next.

use super::layout::{Frame, Section, frame};
use super::response::Reply;
use axum::http::StatusCode;
use maud::html;
use serde::Serialize;

/// Something else that the user may have meant.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Suggestion {
    pub(super) label: String,
    /// Where it is.
    pub(super) href: String,
    /// A few words about it.
    pub(super) about: String,
}

/// Why there is no page.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    pub(super) message: String,
    pub(super) field: Option<&'static str>,
    pub(super) hint: Option<String>,
    pub(super) suggestions: Vec<Suggestion>,
}

#[derive(Serialize)]
struct ProblemJson<'p> {
    error: &'static str,
    message: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'p str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    did_you_mean: &'p [Suggestion],
}

impl Problem {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Problem {
        Problem { status, message: message.into(), field: None, hint: None, suggestions: Vec::new() }
    }

    /// A parameter is wrong.
    pub(super) fn bad(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, message)
    }

    /// Nothing is there.
    pub(super) fn not_found(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, message)
    }

    /// A defect of the program.
    pub(super) fn defect(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// Names the parameter.
    pub(super) fn field(self, field: &'static str) -> Problem {
        Problem { field: Some(field), ..self }
    }

    /// Says what to do next.
    pub(super) fn hint(self, hint: impl Into<String>) -> Problem {
        Problem { hint: Some(hint.into()), ..self }
    }

    /// Offers what the user may have meant.
    pub(super) fn suggest(self, suggestions: Vec<Suggestion>) -> Problem {
        Problem { suggestions, ..self }
    }

    /// One word for programs.
    fn word(&self) -> &'static str {
        match self.status.as_u16() {
            400 => "bad_request",
            403 => "refused",
            404 => "not_found",
            405 => "method_not_allowed",
            408 => "too_slow",
            413 => "too_large",
            429 => "too_many_requests",
            503 => "unavailable",
            507 => "disk_full",
            _ => "failed",
        }
    }

    fn title(&self) -> &'static str {
        match self.status.as_u16() {
            400 => "This request cannot be understood",
            403 => "This request was refused",
            404 => "There is no such page",
            405 => "This page does not accept that",
            408 | 413 => "The request could not be read",
            503 => "Not available at the moment",
            _ => "Something went wrong",
        }
    }

    pub(super) fn reply(&self, wants_json: bool) -> Reply {
        let json = ProblemJson {
            error: self.word(),
            message: &self.message,
            field: self.field,
            hint: self.hint.as_deref(),
            did_you_mean: &self.suggestions,
        };
        if wants_json {
            return Reply::json(&json).with_status(self.status);
        }
        let body = html! {
            h1 { (self.title()) }
            p.lead { (self.message) }
            @if let Some(hint) = &self.hint { p { (hint) } }
            @if !self.suggestions.is_empty() {
                section.panel {
                    h2 { "Did you mean" }
                    ul.results {
                        @for suggestion in &self.suggestions {
                            li {
                                a href=(suggestion.href) { (suggestion.label) }
                                @if !suggestion.about.is_empty() { " " span.muted { (suggestion.about) } }
                            }
                        }
                    }
                }
            }
            p { a.button href="/" { "Start page" } " " a.button.quiet href="/kb" { "Knowledge base" } }
        };
        let page = frame(&Frame::new(self.title(), Section::None, &[]), &body);
        Reply::html(page).with_status(self.status)
    }
}
