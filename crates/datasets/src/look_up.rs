//! Gold answers for imported questions without answers.

use crate::importer::ImportedQuestion;
use rayon::prelude::*;
use touchstone_benchmark::Question;
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::{Answers, Outcome, Session, Settings};
use touchstone_kb::{Kb, Progress};
use touchstone_logic::{Answer, Language};

/// A question that has no gold answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The question's id.
    pub id: String,
    /// Why its query has no answers.
    pub reason: UnansweredReason,
}

/// Why the gold query of a question gives no answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum UnansweredReason {
    /// There is no query.
    #[error("it has no query")]
    NoQuery,
    /// There are no answers on this KB.
    #[error("its query gives no answers")]
    NoAnswers,
    /// The result is a graph.
    #[error("its query gives a graph")]
    Graph,
    /// The query was stopped.
    #[error("its query takes too long")]
    OverBudget,
    /// The query does not fit the KB.
    #[error("its query cannot be run on this KB")]
    CannotRun,
}

/// Maximum number of operations for a gold query.
const GOLD_OPERATIONS: u64 = 20_000_000;

/// Runs the queries of questions without answers. Returns the number of questions that have answers now, and why the others have none.
pub(crate) fn look_up_answers(
    imported: &mut [ImportedQuestion],
    kb: &Kb,
    progress: &dyn Progress,
) -> (usize, Vec<Unanswered>) {
    let session = Session::new(kb).without_suggestions();
    let settings = Settings {
        limits: Limits { operations: GOLD_OPERATIONS, ..Limits::default() },
        ..Settings::default()
    };
    let without = imported.iter_mut().filter(|imported| !imported.question.has_gold_answers());
    let without: Vec<&mut Question> = without.map(|imported| &mut imported.question).collect();
    progress.stage("running gold queries", Some(without.len() as u64));
    let results: Vec<Result<(), Unanswered>> = without
        .into_par_iter()
        .map(|question| {
            progress.advance(1);
            look_up(question, &session, &settings)
                .map_err(|reason| Unanswered { id: question.id.clone(), reason })
        })
        .collect();
    let found = results.iter().filter(|result| result.is_ok()).count();
    (found, results.into_iter().filter_map(Result::err).collect())
}

fn look_up(
    question: &mut Question,
    session: &Session<'_>,
    settings: &Settings,
) -> Result<(), UnansweredReason> {
    let forms = &question.forms;
    let (language, text) = [
        (Language::Sparql, &forms.sparql),
        (Language::Sparql, &forms.sparql_kqapro),
        (Language::Kopl, &forms.program),
        (Language::Sexpr, &forms.sexpr),
    ]
    .into_iter()
    .find_map(|(language, form)| Some((language, form.as_deref()?)))
    .ok_or(UnansweredReason::NoQuery)?;
    match session.run(language, text, settings, &Cancel::default()).outcome {
        Outcome::Answered(Answers::List { answers, .. }) if answers.is_empty() => {
            Err(UnansweredReason::NoAnswers)
        }
        Outcome::Answered(Answers::List { answers, .. }) => {
            question.answers = answers;
            Ok(())
        }
        Outcome::Answered(Answers::Table { rows, .. }) if rows.is_empty() => Err(UnansweredReason::NoAnswers),
        Outcome::Answered(Answers::Table { rows, .. }) => {
            question.answers = rows.into_iter().map(|cells| Answer::Tuple { cells }).collect();
            Ok(())
        }
        Outcome::Answered(Answers::Rdf(_)) => Err(UnansweredReason::Graph),
        Outcome::OverBudget(_) => Err(UnansweredReason::OverBudget),
        Outcome::Unparsable(_) | Outcome::Failed(_) => Err(UnansweredReason::CannotRun),
    }
}
