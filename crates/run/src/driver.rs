//! Asks the questions in parallel and writes the predictions.

use crate::errors::ErrorMessages;
use crate::system::{System, SystemInput};
use crate::system_error::SystemError;
use crate::usage::answer_or_error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use touchstone_benchmark::{Prediction, Prices, RunJournal, RunJournalError};
use touchstone_kb::Progress;

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunProgress {
    /// Questions asked in this call.
    pub asked: usize,
    /// Questions that were answered earlier.
    pub before: usize,
    /// Questions that failed in this call.
    pub errors: usize,
    /// Questions that had failed earlier.
    pub errors_before: usize,
    /// The error messages of this call.
    pub messages: ErrorMessages,
    /// Whether all questions are answered; otherwise the user stopped the run.
    pub complete: bool,
    /// The error of the last question, if all of the first questions failed and the run was aborted. They are not written.
    pub gave_up: Option<String>,
}

/// Settings of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AskSettings {
    /// Number of questions to ask at once; at least one.
    pub workers: usize,
    /// Prices of tokens, for predictions without a cost.
    pub prices: Option<Prices>,
}

/// After this many errors without an answer, the system is at fault, not the questions.
const MAX_FIRST_ERRORS: usize = 20;

/// Maximum number of predictions that wait to be written. Without a buffer, fast systems would wait after each reply; with slow
/// systems it is always empty.
const MAX_WAITING: usize = 64;

/// Asks a system all questions that the journal does not have, and passes each prediction to the observer. After a stop, questions that
/// were already asked are finished and written.
pub fn ask_all(
    system: &dyn System,
    inputs: &[SystemInput],
    journal: &mut RunJournal,
    settings: AskSettings,
    progress: &dyn Progress,
    observer: &mut dyn FnMut(&SystemInput, &Prediction),
) -> Result<RunProgress, RunJournalError> {
    let left: Vec<&SystemInput> = inputs.iter().filter(|input| !journal.contains(&input.id)).collect();
    let before = inputs.len() - left.len();
    progress.stage(&format!("asking {}", short_name(&system.name())), Some(left.len() as u64));
    let queue = Queue { inputs: &left, next: AtomicUsize::new(0), gave_up: AtomicBool::new(false) };
    let workers = settings.workers.clamp(1, left.len().max(1));
    let (sender, receiver) = sync_channel(MAX_WAITING);
    let done = RunProgress { before, errors_before: journal.errors(), ..RunProgress::default() };
    let mut writer = Writer { journal, progress, observer, done, held_back: Vec::new() };
    let result = std::thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, queue) = (sender.clone(), &queue);
            scope.spawn(move || queue.work(system, settings.prices, progress, &sender));
        }
        drop(sender);
        // When writing fails, dropping the receiver stops the workers.
        for (at, prediction) in receiver {
            writer.add(&queue, at, prediction)?;
        }
        Ok(())
    });
    result.and_then(|()| writer.finish(&left))
}

/// The questions to ask, shared by all workers.
struct Queue<'q> {
    inputs: &'q [&'q SystemInput],
    next: AtomicUsize,
    gave_up: AtomicBool,
}

impl Queue<'_> {
    /// Asks until no questions are left, or the run is stopped.
    fn work(
        &self,
        system: &dyn System,
        prices: Option<Prices>,
        progress: &dyn Progress,
        sender: &SyncSender<(usize, Prediction)>,
    ) {
        let mut worker = system.worker();
        let is_timed = system.is_timed();
        while !progress.cancelled() && !self.gave_up.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&input) = self.inputs.get(at) else { break };
            let ask = || answer_or_error(&mut *worker, input, is_timed);
            let prediction = match catch_unwind(AssertUnwindSafe(ask)) {
                Ok(prediction) => prediction,
                Err(_) => {
                    // The worker is discarded with its state.
                    worker = system.worker();
                    SystemError::Panicked.into_prediction(&input.id)
                }
            };
            let Some(mut prediction) = prediction else { break };
            if let Some(prices) = prices {
                prediction.usage = prediction.usage.priced(prices);
            }
            if sender.send((at, prediction)).is_err() {
                break;
            }
        }
    }
}

/// Writes predictions as they arrive.
struct Writer<'w> {
    journal: &'w mut RunJournal,
    progress: &'w dyn Progress,
    observer: &'w mut dyn FnMut(&SystemInput, &Prediction),
    done: RunProgress,
    /// The errors since the first question, until one is answered.
    held_back: Vec<(usize, Prediction)>,
}

impl Writer<'_> {
    fn add(&mut self, queue: &Queue<'_>, at: usize, prediction: Prediction) -> Result<(), RunJournalError> {
        self.done.asked += 1;
        if let Some(error) = &prediction.error {
            self.done.errors += 1;
            self.done.messages.add(error);
        }
        self.held_back.push((at, prediction));
        if self.done.before == 0 && self.done.errors == self.done.asked {
            if self.held_back.len() == MAX_FIRST_ERRORS {
                queue.gave_up.store(true, Ordering::Relaxed);
            }
            return Ok(());
        }
        for (at, prediction) in &std::mem::take(&mut self.held_back) {
            self.journal.add(prediction)?;
            (self.observer)(queue.inputs[*at], prediction);
            self.progress.advance(1);
        }
        Ok(())
    }

    fn finish(mut self, left: &[&SystemInput]) -> Result<RunProgress, RunJournalError> {
        let errors = std::mem::take(&mut self.held_back);
        if errors.len() >= MAX_FIRST_ERRORS {
            self.done.gave_up = errors.last().and_then(|(_, prediction)| prediction.error.clone());
        } else {
            for (_, prediction) in &errors {
                self.journal.add(prediction)?;
            }
        }
        self.done.complete = self.done.asked == left.len() && self.done.gave_up.is_none();
        self.journal.close(self.done.complete)?;
        Ok(self.done)
    }
}

/// The name of a system without its configuration.
fn short_name(name: &str) -> String {
    name.split([',', ';', '\n']).next().unwrap_or_default().chars().take(40).collect()
}
