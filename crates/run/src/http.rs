//! A system behind a URL: a question in, a prediction out; or GERBIL's protocol.

use crate::system::{System, SystemInput, Worker};
use crate::system_error::{SystemError, parse_reply, reply_id};
use crate::web::{Request, Web, WebSettings};
use serde_json::Value as Json;
use touchstone_benchmark::Prediction;
use touchstone_datasets::qald;
use touchstone_logic::sparql::Namespaces;

/// The request and reply format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contract {
    /// The question as a JSON object; a prediction as `docs/grading.md` describes it.
    Ours,
    /// `query` and `lang` as a form; QALD's JSON.
    Gerbil {
        /// How the IRIs of its answers become ids of the KB.
        namespaces: Namespaces,
    },
}

/// A system that is called by POST.
pub struct HttpSystem {
    url: String,
    contract: Contract,
    web: Web,
}

impl HttpSystem {
    /// A system at an address.
    pub fn new(url: &str, contract: Contract, settings: WebSettings) -> HttpSystem {
        HttpSystem { url: url.to_owned(), contract, web: Web::new(settings) }
    }

    fn body(&self, input: &SystemInput) -> Result<(&'static str, String), SystemError> {
        Ok(match &self.contract {
            Contract::Ours => {
                ("application/json", serde_json::to_string(input).map_err(SystemError::Question)?)
            }
            Contract::Gerbil { .. } => {
                let mut form = form_urlencoded::Serializer::new(String::new());
                form.append_pair("query", &input.question).append_pair("lang", "en");
                ("application/x-www-form-urlencoded", form.finish())
            }
        })
    }
}

/// A prediction from QALD's JSON with one question.
fn of_qald(id: &str, reply: &Json, namespaces: &Namespaces) -> Result<Prediction, SystemError> {
    let question = reply.pointer("/questions/0").ok_or(SystemError::ReplyWithoutQuestions)?;
    let prediction = Prediction { id: id.to_owned(), ..qald::prediction(question, namespaces) };
    // A system that gives only a query sends an empty list of results.
    let has_results = !matches!(question.get("answers"), Some(Json::Array(list)) if list.is_empty());
    Ok(Prediction { answers: prediction.answers.filter(|_| has_results), ..prediction })
}

impl System for HttpSystem {
    fn name(&self) -> String {
        let contract = if self.contract == Contract::Ours { "http" } else { "gerbil" };
        format!("{contract}:{}", self.url)
    }

    fn takes_side_information(&self) -> bool {
        self.contract == Contract::Ours
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Client(self))
    }
}

struct Client<'s>(&'s HttpSystem);

impl Worker for Client<'_> {
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError> {
        let HttpSystem { url, contract, web } = self.0;
        let (content_type, body) = self.0.body(input)?;
        let reply = web.post(&Request { url, content_type, key: None, body: &body, continues: false })?;
        let reply = parse_reply(&reply.text)?;
        match contract {
            Contract::Gerbil { namespaces } => of_qald(&input.id, &reply, namespaces),
            Contract::Ours => match reply_id(&reply) {
                Some(id) if id != input.id => Err(SystemError::ReplyToOther { id }),
                _ => Ok(Prediction::from_reply(&input.id, reply)?),
            },
        }
    }
}
