//! The progress bar, and stopping on Ctrl-C.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use touchstone_engine::budget::Cancel;
use touchstone_kb::Progress;

/// Set by Ctrl-C: the work in hand stops, cleans up and reports.
fn interrupted() -> &'static Cancel {
    static INTERRUPTED: OnceLock<Cancel> = OnceLock::new();
    INTERRUPTED.get_or_init(|| {
        // Without a handler Ctrl-C still ends the program, only less tidily.
        let _ = ctrlc::set_handler(|| {
            if interrupted().is_cancelled() {
                // The second time is meant: 128 plus the number of the signal.
                std::process::exit(130);
            }
            interrupted().cancel();
        });
        Cancel::default()
    })
}

/// A bar on standard error that shows up when work takes over a second.
pub(crate) struct Bar {
    bar: ProgressBar,
    start: Instant,
}

impl Bar {
    pub(crate) fn new() -> Bar {
        interrupted();
        Bar { bar: ProgressBar::hidden(), start: Instant::now() }
    }

    /// What Ctrl-C stops.
    pub(crate) fn cancel(&self) -> Cancel {
        interrupted().clone()
    }

    fn show_when_due(&self) {
        if self.bar.is_hidden() && self.start.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
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
        self.bar.set_message(name.to_owned());
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
