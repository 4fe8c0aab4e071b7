//! A moment in time, in milliseconds, as the journal writes it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment, to the millisecond, written like `2026-11-17T13:20:01.123Z`.
///
/// ```
/// use touchstone_annotate::Moment;
/// let start: Moment = serde_json::from_str("\"2026-11-17T13:20:01.123Z\"")?;
/// assert_eq!(start.plus_seconds(60).to_string(), "2026-11-17T13:21:01.123Z");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(i64);

/// About the last millisecond that can be written in every time zone, at the end of the year 9999.
const LATEST: i64 = 253_402_207_199_999;

impl Moment {
    /// The present.
    pub fn now() -> Moment {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Moment::from_millis(i64::try_from(since.as_millis()).unwrap_or(LATEST))
    }

    /// A number of milliseconds after the beginning of 1970, in UTC.
    pub fn from_millis(millis: i64) -> Moment {
        Moment(millis.clamp(0, LATEST))
    }

    /// Milliseconds after the beginning of 1970, in UTC.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// The moment a number of seconds later.
    #[must_use]
    pub fn plus_seconds(self, seconds: u32) -> Moment {
        Moment::from_millis(self.0.saturating_add(i64::from(seconds) * 1000))
    }

    /// The time from an earlier moment to this one; zero if it is not earlier.
    pub fn since(self, earlier: Moment) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        write!(f, "{time:.3}")
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Moment, D::Error> {
        let text = Cow::<'_, str>::deserialize(deserializer)?;
        let time: jiff::Timestamp = text.parse().map_err(|_| {
            serde::de::Error::custom(format!("`{text}` is not a moment like 2026-11-17T13:20:01.123Z"))
        })?;
        Ok(Moment::from_millis(time.as_millisecond()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_and_read() {
        for millis in [0, 1, 999, 1_794_853_201_123, LATEST] {
            let moment = Moment::from_millis(millis);
            let text = serde_json::to_string(&moment).expect("JSON");
            assert_eq!(text.len(), "\"2026-11-17T13:20:01.123Z\"".len(), "{text}");
            assert_eq!(serde_json::from_str::<Moment>(&text).expect("a moment"), moment);
        }
        assert!(serde_json::from_str::<Moment>("\"yesterday\"").is_err());
        assert_eq!(Moment::from_millis(5).since(Moment::from_millis(9)), Duration::ZERO);
    }
}
