//! Confirms the answers of a benchmark on a SPARQL server that holds the KB.

use crate::cast;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;
use touchstone_benchmark::Question;
use touchstone_benchmark::Random;
use touchstone_benchmark::package::Benchmark;
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::{Answers, Engine, Outcome, Session, Settings};
use touchstone_kb::{Kb, Progress};
use touchstone_logic::{Answer, Language};

/// The result of a confirmation by a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Confirmed {
    /// Questions with the same answers.
    pub same: u64,
    /// Questions that it could not answer, or not in time (for example without qualifiers, or on a slow server).
    pub open: u64,
}

/// Why a server does not confirm a benchmark.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfirmError {
    /// Two engines disagree.
    #[error("the server disagrees on {id}:\n  {form}\n  gives {got}\n  instead of {expected}")]
    Differs {
        /// The question.
        id: String,
        /// The form that was sent.
        form: String,
        /// The server's answers.
        got: String,
        /// The benchmark's answers.
        expected: String,
    },
    /// The server answered no question.
    #[error("the server answered none of {asked} questions; the first reason it gave: {reason}")]
    Silent {
        /// Number of questions sent.
        asked: u64,
        /// The reason.
        reason: String,
    },
}

enum Verdict {
    Same,
    Open(String),
    Differs(ConfirmError),
}

/// Sends a share of the questions to a server, chosen by the benchmark's seed, in their own logical forms.
pub(crate) fn confirm(
    kb: &Kb,
    benchmark: &Benchmark,
    share: f64,
    server: &Arc<dyn Engine>,
    progress: &dyn Progress,
) -> Result<Confirmed, ConfirmError> {
    let seed = benchmark.manifest.recipe_number("seed").unwrap_or(1);
    let permille = cast::truncated((share * 1000.0).ceil()) as u64;
    let is_chosen = |question: &&Question| {
        Random::new(seed, &format!("server {}", question.id)).number() % 1000 < permille
    };
    let mut chosen: Vec<&Question> = benchmark.questions.iter().filter(is_chosen).collect();
    if chosen.is_empty() {
        // At least one, so that an unreachable server is noticed.
        chosen.extend(benchmark.questions.first());
    }
    progress.stage("asking the server", Some(chosen.len() as u64));
    let session = Session::new(kb).without_suggestions();
    let settings = Settings { engine: Arc::clone(server), limits: Limits::default(), ..Settings::default() };
    let verdicts: Vec<Verdict> = chosen
        .par_iter()
        .map(|question| {
            progress.advance(1);
            asked(&session, question, &settings)
        })
        .collect();
    let (mut confirmed, mut first) = (Confirmed::default(), None);
    for verdict in verdicts {
        match verdict {
            Verdict::Same => confirmed.same += 1,
            Verdict::Open(reason) => {
                confirmed.open += 1;
                first.get_or_insert(reason);
            }
            Verdict::Differs(error) => return Err(error),
        }
    }
    match first {
        Some(reason) if confirmed.same == 0 => Err(ConfirmError::Silent { asked: confirmed.open, reason }),
        _ => Ok(confirmed),
    }
}

fn asked(session: &Session<'_>, question: &Question, settings: &Settings) -> Verdict {
    let forms = &question.forms;
    let form = match (&forms.sexpr, &forms.program) {
        (Some(text), _) => (Language::Sexpr, text),
        (_, Some(text)) => (Language::Kopl, text),
        _ => return Verdict::Open("none of its forms states which view it is for".to_owned()),
    };
    let reply = session.run(form.0, form.1, settings, &Cancel::default());
    let answers = match reply.outcome {
        Outcome::Answered(Answers::List { answers, .. }) => answers,
        Outcome::Answered(_) => return Verdict::Open("it answered with a table".to_owned()),
        Outcome::Failed(reason) | Outcome::Unparsable(reason) => return Verdict::Open(reason),
        Outcome::OverBudget(stopped) => return Verdict::Open(stopped.to_string()),
    };
    if Answer::are_same(&answers, &question.answers) {
        return Verdict::Same;
    }
    let shown = |answers: &[Answer]| answers.iter().take(5).map(Answer::text).collect::<Vec<_>>().join(", ");
    Verdict::Differs(ConfirmError::Differs {
        id: question.id.clone(),
        form: form.1.clone(),
        got: format!("{} ({})", answers.len(), shown(&answers)),
        expected: format!("{} ({})", question.answers.len(), shown(&question.answers)),
    })
}
