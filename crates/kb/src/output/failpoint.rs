//! Places where tests kill the process.

/// In debug builds, aborts the process if `TOUCHSTONE_FAILPOINT` names this place, as `NAME`, or as `NAME:3` for the third time that it is reached.
/// In release builds it does nothing.
pub fn failpoint(name: &str) {
    #[cfg(debug_assertions)]
    {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static TIMES: AtomicUsize = AtomicUsize::new(0);
        let Ok(wanted) = std::env::var("TOUCHSTONE_FAILPOINT") else { return };
        let (wanted, time) = match wanted.split_once(':') {
            Some((wanted, time)) => (wanted, time.parse().unwrap_or(1)),
            None => (wanted.as_str(), 1),
        };
        if wanted == name && TIMES.fetch_add(1, Ordering::Relaxed) + 1 == time {
            std::process::abort();
        }
    }
    #[cfg(not(debug_assertions))]
    let _ = name;
}
