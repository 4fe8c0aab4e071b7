//! The progress bar, and stopping on Ctrl-C.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Display;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use touchstone_engine::budget::Cancel;
use touchstone_kb::Progress;

/// What Ctrl-C stops: the current work, which cleans up and reports.
fn current_work() -> &'static Mutex<Cancel> {
    static CURRENT_WORK: OnceLock<Mutex<Cancel>> = OnceLock::new();
    CURRENT_WORK.get_or_init(|| {
        // Without a handler Ctrl-C still ends the program, only less tidily.
        let _ = ctrlc::set_handler(|| {
            if interrupted().is_cancelled() {
                // The second Ctrl-C ends the program: 128 plus the number of the signal.
                std::process::exit(130);
            }
            interrupted().cancel();
            note!("stopping; press Ctrl-C again to quit immediately");
        });
        Mutex::new(Cancel::default())
    })
}

/// What the next signal stops, between two pieces of work: an earlier signal is forgotten.
pub(crate) fn next_interrupt() -> Cancel {
    let next = Cancel::default();
    *current_work().lock().unwrap_or_else(PoisonError::into_inner) = next.clone();
    next
}

fn interrupted() -> Cancel {
    current_work().lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A bar on standard error that shows up when work takes over a second.
pub(crate) struct Bar {
    bar: ProgressBar,
    start: Instant,
    /// What is being done.
    name: Mutex<String>,
}

impl Bar {
    pub(crate) fn new() -> Bar {
        interrupted();
        Bar { bar: ProgressBar::hidden(), start: Instant::now(), name: Mutex::default() }
    }

    /// A bar for the next work of an interactive program: an earlier Ctrl-C does not stop it.
    pub(crate) fn after_interrupt() -> Bar {
        next_interrupt();
        Bar::new()
    }

    /// What Ctrl-C stops.
    pub(crate) fn cancel(&self) -> Cancel {
        interrupted()
    }

    /// Shows a text next to the name of the stage.
    pub(crate) fn add_to_message(&self, text: &dyn Display) {
        let name = self.name.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.bar.set_message(one_line(&format!("{name} ({text})")));
    }

    fn show_when_due(&self) {
        if self.bar.is_hidden() && self.start.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

/// A message that neither moves the cursor nor takes a second line.
fn one_line(text: &str) -> String {
    crate::output::visible(text).replace(['\n', '\t'], " ")
}

impl Progress for Bar {
    fn stage(&self, name: &str, total: Option<u64>) {
        let template = match total {
            Some(_) => "{msg} {wide_bar} {percent}% {eta}",
            None => "{spinner} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        match total {
            Some(total) => self.bar.set_length(total),
            None => self.bar.unset_length(),
        }
        self.bar.set_position(0);
        name.clone_into(&mut self.name.lock().unwrap_or_else(PoisonError::into_inner));
        self.bar.set_message(one_line(name));
        self.show_when_due();
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    fn advance(&self, amount: u64) {
        self.bar.inc(amount);
        self.show_when_due();
    }

    fn cancelled(&self) -> bool {
        interrupted().is_cancelled()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
