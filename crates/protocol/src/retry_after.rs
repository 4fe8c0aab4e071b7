//! The wait that servers ask clients for.

use std::time::{Duration, SystemTime};

/// The wait that a `Retry-After` header asks for: seconds, or a date like `Mon, 16 Nov 2026 03:56:01 GMT`. `None` for anything else.
pub fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

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
            assert_eq!(retry_after(header, now), seconds.map(Duration::from_secs), "{header}");
        }
    }
}
