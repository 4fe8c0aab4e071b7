//! Asks the questions, in parallel, and writes down what is said.

use crate::errors::ErrorMessages;
use crate::system::{Asked, System};
use crate::usage::timed;
use serde_json::{Value as Json, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use touchstone_benchmark::{Journal, JournalError, has_error};
use touchstone_benchmark::{PredictionFormat, Predictions};
use touchstone_kb::Progress;

/// What a run has done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progressed {
    /// Questions asked now.
    pub asked: usize,
    /// Questions that were answered before.
    pub before: usize,
    /// Questions that came to an error now.
    pub errors: usize,
    /// Questions that had come to an error before.
    pub errors_before: usize,
    /// What the errors of now say.
    pub messages: ErrorMessages,
    /// Whether all questions are answered; otherwise the user stopped it.
    pub complete: bool,
    /// The error of the last question, if nothing but errors came and the run was given up. They are not written down.
    pub hopeless: Option<String>,
}

/// After so many errors without a single answer something is wrong with the system, not with the questions.
const HOPELESS: usize = 20;

/// Asks a system all questions that the journal does not have, and shows `watch` each reply. After a stop, what is in flight is finished and
/// written.
pub fn run(
    system: &dyn System,
    questions: &[Asked],
    journal: &mut Journal,
    workers: usize,
    progress: &dyn Progress,
    watch: &mut dyn FnMut(&Asked, &Json),
) -> Result<Progressed, JournalError> {
    let left: Vec<&Asked> = questions.iter().filter(|asked| !journal.has(&asked.id)).collect();
    let mut done = Progressed {
        before: questions.len() - left.len(),
        errors_before: journal.errors(),
        ..Progressed::default()
    };
    progress.stage(&format!("asking {}", short(&system.name())), Some(left.len() as u64));
    let (next, given_up) = (AtomicUsize::new(0), AtomicBool::new(false));
    let workers = workers.clamp(1, left.len().max(1));
    // Room for a few, or quick systems would wait for the writer after each reply; behind slow ones it is empty.
    let (sender, receiver) = sync_channel::<(usize, Json)>(64);
    // Errors from the very beginning are held back until something is answered.
    let mut held: Option<Vec<(usize, Json)>> = (done.before == 0).then(Vec::new);
    let mut result = Ok(());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, next, left, given_up) = (sender.clone(), &next, &left, &given_up);
            scope.spawn(move || {
                let mut worker = system.worker();
                let is_timed = system.is_timed();
                while !progress.cancelled() && !given_up.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(asked) = left.get(at) else { break };
                    let ask = || match is_timed {
                        true => timed(&mut *worker, asked),
                        false => worker.answer(asked),
                    };
                    let reply = match catch_unwind(AssertUnwindSafe(ask)) {
                        Ok(Some(reply)) => checked(reply, &asked.id),
                        Ok(None) => break,
                        // What it was working on is thrown away with it.
                        Err(_) => {
                            worker = system.worker();
                            json!({ "id": asked.id, "error": "a defect in the adapter of the system" })
                        }
                    };
                    if sender.send((at, reply)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // When writing fails, dropping the receiver stops the workers.
        for (at, reply) in receiver {
            done.asked += 1;
            if has_error(&reply) {
                done.errors += 1;
                done.messages.add(&reply);
            }
            let mut ready = vec![(at, reply)];
            if let Some(mut errors) = held.take() {
                errors.append(&mut ready);
                let only_errors = errors.iter().all(|(_, reply)| has_error(reply));
                if only_errors {
                    if errors.len() == HOPELESS {
                        given_up.store(true, Ordering::Relaxed);
                    }
                    held = Some(errors);
                    continue;
                }
                ready = errors;
            }
            for (at, reply) in &ready {
                result = journal.add(&left[*at].id, reply);
                if result.is_err() {
                    return;
                }
                watch(left[*at], reply);
                progress.advance(1);
            }
        }
    });
    result?;
    if let Some(errors) = held {
        if errors.len() >= HOPELESS {
            let (_, last) = errors.last().unwrap_or(&(0, Json::Null)).clone();
            done.hopeless = Some(last["error"].as_str().unwrap_or_default().to_owned());
        } else {
            for (at, reply) in &errors {
                journal.add(&left[*at].id, reply)?;
            }
        }
    }
    done.complete = done.asked == left.len() && done.hopeless.is_none();
    journal.close(done.complete)?;
    Ok(done)
}

/// The name of a system without its configuration.
fn short(name: &str) -> String {
    name.split([',', ';', '\n']).next().unwrap_or_default().chars().take(40).collect()
}

/// The reply with the id that was asked for. What cannot be graded is an error now, not when it is graded; and an error is no answer.
fn checked(mut reply: Json, id: &str) -> Json {
    if !reply.is_object() {
        return json!({ "id": id, "error": "the reply is not an object" });
    }
    reply["id"] = json!(id);
    if has_error(&reply) {
        return without_answers(reply);
    }
    let line = reply.to_string();
    match Predictions::new(line.as_bytes(), PredictionFormat::Lines).next() {
        Some(Ok(_)) => reply,
        Some(Err(error)) => {
            reply["error"] = json!(format!("the reply cannot be used: {error}"));
            without_answers(reply)
        }
        None => json!({ "id": id, "error": "the reply is empty" }),
    }
}

/// An error; what came with it goes into the trace, where it is not taken for an answer.
fn without_answers(reply: Json) -> Json {
    let mut kept = json!({ "id": reply["id"], "error": reply["error"] });
    if !reply["usage"].is_null() {
        kept["usage"] = reply["usage"].clone();
    }
    if let Json::Object(fields) = reply {
        let rest: serde_json::Map<String, Json> = fields
            .into_iter()
            .filter(|(name, _)| !["id", "error", "usage"].contains(&name.as_str()))
            .collect();
        if !rest.is_empty() {
            kept["trace"] = Json::Object(rest);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_used_is_an_error() {
        assert_eq!(checked(json!({ "answers": [1] }), "q"), json!({ "answers": [1], "id": "q" }));
        assert_eq!(checked(json!([1]), "q")["error"], json!("the reply is not an object"));
        let odd = checked(json!({ "logical_form": "x", "lang": "prolog" }), "q");
        assert!(odd["error"].as_str().is_some_and(|error| error.contains("prolog")), "{odd}");
        let both = checked(json!({ "error": "oops", "answers": [1], "choice": "a" }), "q");
        assert_eq!(both, json!({ "id": "q", "error": "oops", "trace": { "answers": [1], "choice": "a" } }));
    }
}
