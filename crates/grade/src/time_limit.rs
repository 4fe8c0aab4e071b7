//! Stops running work when the user stops the program or the time limit is reached.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Thread, park_timeout};
use std::time::{Duration, Instant};
use touchstone_engine::budget::Cancel;
use touchstone_kb::Progress;

/// Interval between checks whether the work must stop.
const INTERVAL: Duration = Duration::from_millis(20);

/// Ends the monitoring thread, even if the work panics.
struct End<'e> {
    is_over: &'e AtomicBool,
    watch: Thread,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.watch.unpark();
    }
}

/// Runs a closure, while a thread cancels `stop` when the user requests it, or at the deadline.
pub(crate) fn with_time_limit<T>(
    progress: &dyn Progress,
    deadline: Option<Instant>,
    stop: &Cancel,
    work: impl FnOnce() -> T,
) -> T {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                if progress.cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    stop.cancel();
                    break;
                }
                park_timeout(INTERVAL);
            }
        });
        let _end = End { is_over: &is_over, watch: watch.thread().clone() };
        work()
    })
}
