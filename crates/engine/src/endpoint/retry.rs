//! Trying again what may pass.

use super::Endpoint;
use super::error::EndpointError;
use super::meter::Meter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An attempt that failed.
pub(super) enum Failure {
    /// It may pass; perhaps the server said when.
    Passing { error: EndpointError, wait: Option<Duration> },
    /// Trying again is of no use.
    Final(EndpointError),
}

impl From<EndpointError> for Failure {
    fn from(error: EndpointError) -> Failure {
        Failure::Final(error)
    }
}

impl From<crate::budget::Stopped> for Failure {
    fn from(stopped: crate::budget::Stopped) -> Failure {
        Failure::Final(stopped.into())
    }
}

/// How often waits look whether they were cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(20);

impl Endpoint {
    /// Tries until it succeeds, is of no use, or was tried often enough. The attempt is told its number, from 1.
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
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Passing { error, wait }) => (error, wait),
            };
            let wait = asked.unwrap_or_else(|| self.back_off(number));
            // A wait that does not fit gives the error at once: it says more than that time is up.
            if number > self.settings.retries
                || wait > self.settings.longest_wait
                || wait >= meter.time_left()
            {
                return Err(error);
            }
            tracing::debug!(attempt = number, wait_ms = wait.as_millis() as u64, %error, "trying again");
            sleep(meter, wait)?;
            number += 1;
        }
    }

    /// Doubled every time, and shortened at random so that several clients do not come back together.
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

/// Where the random numbers begin: always the same, for tests that can be repeated.
pub(super) const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// From 0 to below 1.
fn random(state: &AtomicU64) -> f64 {
    let mut bits = state.fetch_add(SEED, Ordering::Relaxed);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((bits ^ bits >> 31) >> 11) as f64 / (1u64 << 53) as f64
}

/// What `Retry-After` asks for: seconds, or a date like `Mon, 16 Nov 2026 03:56:01 GMT`.
pub fn asked_wait(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let now = now.duration_since(UNIX_EPOCH).ok()?.as_secs();
    Some(Duration::from_secs(seconds_of_date(header)?.saturating_sub(now)))
}

/// Seconds from 1970 to a date as HTTP writes it.
fn seconds_of_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_once(", ")?.1.split(' ');
    let day: u64 = words.next()?.parse().ok().filter(|day| (1..=31).contains(day))?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? as u64;
    let year: u64 = words.next()?.parse().ok().filter(|year| (1970..10_000).contains(year))?;
    let mut clock = words.next()?.split(':').map(|part| part.parse::<u64>().ok().filter(|part| *part < 61));
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    Some((days - 719_468) * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_that_servers_ask_for() {
        let now = UNIX_EPOCH + Duration::from_secs(1_794_801_361);
        for (header, seconds) in [
            ("5", Some(5)),
            (" 0 ", Some(0)),
            ("Mon, 16 Nov 2026 03:56:01 GMT", Some(0)),
            ("Mon, 16 Nov 2026 03:57:02 GMT", Some(61)),
            ("Mon, 16 Nov 2020 03:56:01 GMT", Some(0)),
            ("soon", None),
            ("Mon, 16 Foo 2026 03:56:01 GMT", None),
            ("-1", None),
        ] {
            assert_eq!(asked_wait(header, now), seconds.map(Duration::from_secs), "{header}");
        }
        assert_eq!(seconds_of_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds_of_date("Tue, 29 Feb 2000 23:59:59 GMT"), Some(951_868_799));
        assert_eq!(seconds_of_date("Wed, 01 Mar 2000 00:00:00 GMT"), Some(951_868_800));
    }

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
