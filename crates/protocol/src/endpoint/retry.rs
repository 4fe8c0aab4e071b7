//! Retries after temporary failures.

use super::Endpoint;
use super::error::EndpointError;
use super::meter::Meter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// An attempt that failed.
pub(super) enum Failure {
    /// A temporary failure, with the wait that the server asked for, if any.
    Temporary { error: EndpointError, wait: Option<Duration> },
    /// A permanent failure.
    Permanent(EndpointError),
}

impl From<EndpointError> for Failure {
    fn from(error: EndpointError) -> Failure {
        Failure::Permanent(error)
    }
}

impl From<touchstone_engine::budget::Stopped> for Failure {
    fn from(stopped: touchstone_engine::budget::Stopped) -> Failure {
        Failure::Permanent(stopped.into())
    }
}

/// The interval at which waits check for cancellation.
const LOOK_EVERY: Duration = Duration::from_millis(20);

impl Endpoint {
    /// Tries until an attempt succeeds or fails permanently, or the number of attempts is used up. Each attempt gets its number, from 1.
    pub(super) fn with_retries<T>(
        &self,
        meter: &Meter<'_>,
        mut attempt: impl FnMut(u32) -> Result<T, Failure>,
    ) -> Result<T, EndpointError> {
        let mut number = 1;
        loop {
            meter.begin()?;
            let (error, asked) = match attempt(number) {
                Ok(result) => return Ok(result),
                Err(Failure::Permanent(error)) => return Err(error),
                Err(Failure::Temporary { error, wait }) => (error, wait),
            };
            let wait = asked.unwrap_or_else(|| self.back_off(number));
            // If there is no time for the wait, the error is returned at once: it is more informative than a timeout.
            if number > self.settings.retries
                || wait > self.settings.longest_wait
                || wait >= meter.time_left()
            {
                return Err(error);
            }
            tracing::debug!(attempt = number, wait_ms = wait.as_millis(), %error, "trying again");
            sleep(meter, wait)?;
            number += 1;
        }
    }

    /// Doubled every time, and shortened at random so that several clients do not retry at the same moment.
    fn back_off(&self, number: u32) -> Duration {
        let whole =
            self.settings.back_off.saturating_mul(1 << (number - 1).min(20)).min(self.settings.longest_wait);
        whole.mul_f64(0.5 + 0.5 * random(&self.random))
    }
}

fn sleep(meter: &Meter<'_>, mut wait: Duration) -> Result<(), EndpointError> {
    while !wait.is_zero() {
        meter.budget().look()?;
        let nap = wait.min(LOOK_EVERY);
        std::thread::sleep(nap);
        wait -= nap;
    }
    Ok(())
}

/// The seed of the random numbers: always the same, for reproducible tests.
pub(super) const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// From 0 to below 1.
#[expect(clippy::cast_precision_loss, reason = "the shifted number has 53 bits, which a float holds exactly")]
fn random(state: &AtomicU64) -> f64 {
    let mut bits = state.fetch_add(SEED, Ordering::Relaxed);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((bits ^ bits >> 31) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_repeatable_and_spread() {
        let draw = || {
            let state = AtomicU64::new(SEED);
            (0..1000).map(|_| random(&state)).collect::<Vec<f64>>()
        };
        let numbers = draw();
        assert_eq!(numbers, draw());
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        assert!((0.45..0.55).contains(&(numbers.iter().sum::<f64>() / 1000.0)));
    }
}
