//! Both sides of a bench are timed by one rule: the same number of rounds, in turns, and the best round of each counts.

use std::time::Instant;

/// Rounds of each side.
pub(crate) const ROUNDS: usize = 5;

/// The seconds of the best round of each side.
///
/// Sides take turns, so that load on a shared machine affects all of them equally.
pub(crate) fn best_rounds<const N: usize>(rounds: usize, mut sides: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for _ in 0..rounds {
        for (side, best) in sides.iter_mut().zip(&mut best) {
            let start = Instant::now();
            side();
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best
}
