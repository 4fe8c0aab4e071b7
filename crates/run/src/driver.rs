//! Asks the questions, in parallel, and writes down what is said.

use crate::journal::{Journal, JournalError};
use crate::system::{Asked, System};
use serde_json::{Value as Json, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use touchstone_kb::Progress;

/// What a run has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progressed {
    /// Questions asked now.
    pub asked: usize,
    /// Questions that were answered before.
    pub before: usize,
    /// Questions that came to an error.
    pub errors: usize,
    /// Whether all questions are answered; otherwise somebody stopped it.
    pub complete: bool,
}

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
    let mut done = Progressed { before: questions.len() - left.len(), ..Progressed::default() };
    progress.stage(&format!("asking {}", system.name()), Some(left.len() as u64));
    let next = AtomicUsize::new(0);
    let (sender, receiver) = sync_channel::<(usize, Json)>(1024);
    let mut result = Ok(());
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, left.len().max(1)) {
            let (sender, next, left) = (sender.clone(), &next, &left);
            scope.spawn(move || {
                let mut worker = system.worker();
                while !progress.cancelled() {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(asked) = left.get(at) else { break };
                    let Some(reply) = worker.answer(asked) else { break };
                    let reply = named(reply, &asked.id);
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
            done.errors += usize::from(reply.get("error").is_some_and(|error| !error.is_null()));
            result = journal.add(&left[at].id, &reply);
            if result.is_err() {
                break;
            }
            watch(left[at], &reply);
            progress.advance(1);
        }
    });
    result?;
    done.complete = done.asked == left.len();
    journal.close(done.complete)?;
    Ok(done)
}

/// The reply with the id that was asked for, whatever it says.
fn named(mut reply: Json, id: &str) -> Json {
    if !reply.is_object() {
        reply = json!({ "error": "the reply is no object" });
    }
    reply["id"] = json!(id);
    reply
}
