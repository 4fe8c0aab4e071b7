//! Progress and cancellation of long operations.

/// Receives the progress of an import or export, and may ask it to stop.
pub trait Progress: Sync {
    /// A new stage begins; `total` is the amount of work in it, if known.
    fn stage(&self, name: &str, total: Option<u64>);
    /// `amount` more of the current stage is done.
    fn advance(&self, amount: u64);
    /// Whether the work should stop as soon as it can.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Reports nothing and never stops.
pub struct NoProgress;

impl Progress for NoProgress {
    fn stage(&self, _name: &str, _total: Option<u64>) {}
    fn advance(&self, _amount: u64) {}
}
