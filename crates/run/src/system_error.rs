//! Why a system gives no prediction for a question.

use crate::llm::ChatError;
use crate::web::WebError;
use serde_json::Value as Json;
use std::process::ExitStatus;
use touchstone_benchmark::{Prediction, UnusableReply};

/// Why a system gives no prediction for a question.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// The user stopped the run before an answer arrived.
    #[error("the run was stopped")]
    Stopped,
    /// A program cannot be started.
    #[error("cannot start the program: {0}")]
    Start(#[source] std::io::Error),
    /// The shell cannot find or start a program.
    #[error("the shell cannot find or start `{command}`; check the path, and that the file is executable")]
    CommandNotFound {
        /// The command line.
        command: String,
    },
    /// A program exited without an answer.
    #[error("the program ended without an answer{}", .status.map_or(String::new(), |status| format!(" ({status})")))]
    ProgramEnded {
        /// Its exit status, if it exited in time.
        status: Option<ExitStatus>,
    },
    /// No answer arrived in time.
    #[error("no answer within {seconds} s{}", about_others(*.other_replies))]
    TimedOut {
        /// The time limit.
        seconds: f32,
        /// Number of replies to other questions that arrived instead.
        other_replies: usize,
    },
    /// The reply is too long.
    #[error("the reply is longer than 16 MB")]
    ReplyTooLong,
    /// The reply is not text.
    #[error("the reply is not UTF-8")]
    ReplyNotUtf8,
    /// The reply is not JSON.
    #[error("the reply is not JSON: {start}")]
    ReplyNotJson {
        /// The first characters of the reply.
        start: String,
    },
    /// The reply does not name its question.
    #[error("the reply has no `id`")]
    ReplyWithoutId,
    /// The reply is about another question.
    #[error("the reply has the id `{id}`")]
    ReplyToOther {
        /// The id in the reply.
        id: String,
    },
    /// The reply of a GERBIL system has no question.
    #[error("the reply has no `questions`")]
    ReplyWithoutQuestions,
    /// The reply is not a prediction.
    #[error(transparent)]
    Unusable(#[from] UnusableReply),
    /// A request failed.
    #[error(transparent)]
    Web(WebError),
    /// A language model's reply cannot be used.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// The question cannot be written as JSON.
    #[error("cannot write the question: {0}")]
    Question(#[source] serde_json::Error),
    /// The adapter of the system panicked.
    #[error("internal error in the system adapter")]
    Panicked,
    /// Anything else, for systems that are implemented elsewhere.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl From<WebError> for SystemError {
    fn from(error: WebError) -> SystemError {
        match error {
            WebError::Stopped => SystemError::Stopped,
            error => SystemError::Web(error),
        }
    }
}

/// Maximum number of characters of a reply in an error message.
const SHOWN: usize = 80;

/// Parses a reply.
pub(crate) fn parse_reply(text: &str) -> Result<Json, SystemError> {
    serde_json::from_str(text)
        .map_err(|_| SystemError::ReplyNotJson { start: text.chars().take(SHOWN).collect() })
}

/// The id in a reply, as text.
pub(crate) fn reply_id(reply: &Json) -> Option<String> {
    reply.get("id").map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned))
}

fn about_others(n: usize) -> String {
    if n == 0 { String::new() } else { format!("; {n} of its replies have a different `id`") }
}

impl SystemError {
    /// What is recorded for the question; `None` if the run was stopped.
    pub(crate) fn into_prediction(self, id: &str) -> Option<Prediction> {
        match self {
            SystemError::Stopped => None,
            SystemError::Unusable(unusable) => Some(unusable.into_prediction(id)),
            error => Some(Prediction::failed(id, error.to_string())),
        }
    }
}
