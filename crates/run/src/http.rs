//! A system behind a URL: a question in, a prediction out; or GERBIL's contract.

use crate::system::{Asked, System, Worker};
use crate::web::{Request, Web, WebError, WebSettings};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use touchstone_logic::sparql::Namespaces;

/// What is sent and what comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contract {
    /// The question as an object of JSON; a prediction as `docs/grading.md` describes it.
    Ours,
    /// `query` and `lang` as a form; QALD's JSON.
    Gerbil {
        /// How the IRIs of its answers become ids of the KB.
        namespaces: Namespaces,
    },
}

/// A system that is asked by POST.
pub struct HttpSystem {
    url: String,
    contract: Contract,
    web: Web,
}

impl HttpSystem {
    /// With its address.
    pub fn new(url: &str, contract: Contract, settings: WebSettings) -> HttpSystem {
        HttpSystem { url: url.to_owned(), contract, web: Web::new(settings) }
    }

    fn ask(&self, asked: &Asked) -> Result<Json, WebError> {
        let failed = |message: String| WebError::Failed(message);
        let (content_type, body) = match &self.contract {
            Contract::Ours => {
                let body = serde_json::to_string(asked).map_err(|error| failed(error.to_string()))?;
                ("application/json", body)
            }
            Contract::Gerbil { .. } => {
                ("application/x-www-form-urlencoded", format!("query={}&lang=en", encoded(&asked.question)))
            }
        };
        let reply = self.web.post(&Request {
            url: &self.url,
            content_type,
            key: None,
            body: &body,
            goes_on: false,
        })?;
        let json: Json = serde_json::from_str(&reply.text).map_err(|_| {
            let start: String = reply.text.chars().take(80).collect();
            failed(format!("the reply is no JSON: {start}"))
        })?;
        match &self.contract {
            Contract::Gerbil { namespaces } => of_qald(&json, namespaces).map_err(failed),
            Contract::Ours => {
                match json.get("id").map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned)) {
                    Some(id) if id != asked.id => Err(failed(format!("the reply is about `{id}`"))),
                    _ => Ok(json),
                }
            }
        }
    }
}

/// A prediction from QALD's JSON with one question.
fn of_qald(json: &Json, namespaces: &Namespaces) -> Result<Json, String> {
    let question = json.pointer("/questions/0").ok_or("the reply has no `questions`")?;
    let mut prediction = json!({});
    let mut answers = Vec::new();
    // Some servers give one object where the format has a list.
    let given = match question.get("answers") {
        Some(Json::Array(list)) => list.iter().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    };
    for given in &given {
        answers.extend(given.get("boolean").cloned());
        let rows = given.pointer("/results/bindings").and_then(Json::as_array);
        for cell in rows.into_iter().flatten().filter_map(Json::as_object).flat_map(|row| row.values()) {
            let text = cell.get("value").and_then(Json::as_str).unwrap_or_default();
            answers.push(match cell.get("type").and_then(Json::as_str) {
                Some("uri") => {
                    // As grading reads QALD's files.
                    let id = namespaces.node(text);
                    json!({ "type": "entity", "id": id })
                }
                _ => json!(text),
            });
        }
    }
    if !given.is_empty() {
        prediction["answers"] = json!(answers);
    }
    if let Some(sparql) = question.pointer("/query/sparql").and_then(Json::as_str) {
        prediction["logical_form"] = json!(sparql);
        prediction["lang"] = json!("sparql");
    }
    Ok(prediction)
}

/// A text as forms write it.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 3 / 2);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte as char),
            b' ' => out.push('+'),
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}

impl System for HttpSystem {
    fn name(&self) -> String {
        let contract = if self.contract == Contract::Ours { "http" } else { "gerbil" };
        format!("{contract}:{}", self.url)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Client(self))
    }
}

struct Client<'s>(&'s HttpSystem);

impl Worker for Client<'_> {
    fn answer(&mut self, asked: &Asked) -> Option<Json> {
        match self.0.ask(asked) {
            Ok(reply) => Some(reply),
            Err(WebError::Stopped) => None,
            Err(WebError::Failed(error)) => Some(json!({ "id": asked.id, "error": error })),
        }
    }
}
