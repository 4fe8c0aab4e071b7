//! Points in time of four precisions, packed into integers with the same order.

use std::fmt;

/// The precision of a time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Precision {
    /// A year, negative before the common era.
    Year,
    /// A month of a year.
    Month,
    /// A calendar day.
    Day,
    /// A time of day.
    Second,
}

/// A point in time, as written: a time zone is kept in the literal's text, and neither shifts the
/// day nor affects comparisons ("born on 1 May" is 1 May everywhere).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Time {
    key: i64,
    precision: Precision,
}

const YEAR_SHIFT: u32 = 36;
const MONTH_SHIFT: u32 = 32;
const DAY_SHIFT: u32 = 27;
const SECOND_SHIFT: u32 = 10;
/// Maximum year that fits into the packed key.
const MAX_YEAR: u64 = 100_000_000;

impl Time {
    /// A year; `None` beyond a hundred million years from now.
    pub fn year_only(year: i64) -> Option<Time> {
        Self::pack(year, 0, 0, 0, Precision::Year)
    }

    /// A day that the calendar has; `None` beyond a hundred million years from now.
    pub fn date_only(year: i64, month: u32, day: u32) -> Option<Time> {
        Self::pack(year, month.into(), day.into(), 0, Precision::Day)
    }

    fn pack(year: i64, month: i64, day: i64, millis: i64, precision: Precision) -> Option<Time> {
        if year.unsigned_abs() > MAX_YEAR {
            return None;
        }
        let (second, milli) = (millis / 1000, millis % 1000);
        let key = (year << YEAR_SHIFT)
            | (month << MONTH_SHIFT)
            | (day << DAY_SHIFT)
            | (second << SECOND_SHIFT)
            | milli;
        Some(Time { key, precision })
    }

    pub(crate) fn from_key(key: i64, precision: Precision) -> Time {
        Time { key, precision }
    }

    /// The packed key: larger is later; a year sorts before the days in it.
    pub fn key(self) -> i64 {
        self.key
    }

    /// The precision of the time.
    pub fn precision(self) -> Precision {
        self.precision
    }

    /// The year, negative before the common era.
    pub fn year(self) -> i64 {
        self.key >> YEAR_SHIFT
    }

    fn month(self) -> i64 {
        (self.key >> MONTH_SHIFT) & 0xf
    }

    fn day(self) -> i64 {
        (self.key >> DAY_SHIFT) & 0x1f
    }

    /// The key, truncated to a coarser precision.
    pub fn key_at(self, precision: Precision) -> i64 {
        let shift = match precision {
            Precision::Year => YEAR_SHIFT,
            Precision::Month => MONTH_SHIFT,
            Precision::Day => DAY_SHIFT,
            Precision::Second => 0,
        };
        (self.key >> shift) << shift
    }

    /// The calendar day, month or year as text, without a time of day.
    pub fn date_text(self) -> String {
        match self.precision {
            Precision::Year => format!("{}", self.year()),
            Precision::Month => format!("{}-{:02}", Padded(self.year()), self.month()),
            Precision::Day | Precision::Second => {
                format!("{}-{:02}-{:02}", Padded(self.year()), self.month(), self.day())
            }
        }
    }

    /// Reads a year such as `1994`, `-44` or `0044`, with an optional time zone.
    pub(crate) fn parse_year(text: &str) -> Option<Time> {
        Self::year_only(parse_integer(strip_zone(text.trim()))?)
    }

    /// Reads `yyyy-mm`, with an optional time zone.
    pub(crate) fn parse_month(text: &str) -> Option<Time> {
        let (year, rest) = split_year(strip_zone(text.trim()))?;
        let month = two_digits(rest)?;
        (1..=12).contains(&month).then_some(())?;
        Self::pack(year, month, 0, 0, Precision::Month)
    }

    /// Reads `yyyy-mm-dd` or `yyyy/mm/dd`, with an optional time zone.
    pub fn parse_date(text: &str) -> Option<Time> {
        if let Some((year, month, day)) = plain_date(text) {
            return Self::pack(year, month, day, 0, Precision::Day);
        }
        let (year, month, day) = split_date(strip_zone(text.trim()))?;
        Self::pack(year, month, day, 0, Precision::Day)
    }

    /// Reads `yyyy-mm-ddThh:mm:ss`, with optional fraction and time zone.
    pub(crate) fn parse_datetime(text: &str) -> Option<Time> {
        let (date, clock) = text.trim().split_once('T')?;
        let (year, month, day) = split_date(date)?;
        let clock = clock.strip_suffix('Z').unwrap_or(clock);
        let clock = match clock.find(['+', '-']) {
            Some(at) => &clock[..at],
            None => clock,
        };
        let mut parts = clock.split(':');
        let hour = two_digits(parts.next()?)?;
        let minute = two_digits(parts.next()?)?;
        let seconds = parts.next().unwrap_or("00");
        if parts.next().is_some() {
            return None;
        }
        let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
        let second = two_digits(whole)?;
        if hour > 24 || minute > 59 || second > 60 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let milli: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
        let millis = ((hour * 60 + minute) * 60 + second) * 1000 + milli;
        Self::pack(year, month, day, millis, Precision::Second)
    }
}

/// A year with at least four digits, as XML Schema writes it.
struct Padded(i64);

impl fmt::Display for Padded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{:04}", self.0.abs())
    }
}

/// The lexical form of a year in XML Schema: four digits at least.
pub(crate) fn padded_year(year: i64) -> String {
    Padded(year).to_string()
}

/// Removes `Z`, `+02:00` or `-08:00` from the end.
fn strip_zone(text: &str) -> &str {
    if let Some(rest) = text.strip_suffix('Z') {
        return rest;
    }
    let bytes = text.as_bytes();
    let n = bytes.len();
    let is_zone = n > 6
        && bytes[n - 3] == b':'
        && matches!(bytes[n - 6], b'+' | b'-')
        && [n - 5, n - 4, n - 2, n - 1].iter().all(|&i| bytes[i].is_ascii_digit());
    if is_zone { &text[..n - 6] } else { text }
}

fn parse_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

fn two_digits(text: &str) -> Option<i64> {
    (matches!(text.len(), 1 | 2) && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

fn split_year(text: &str) -> Option<(i64, &str)> {
    let signed = text.strip_prefix(['-', '+']).unwrap_or(text);
    let at = signed.find(['-', '/'])? + (text.len() - signed.len());
    Some((parse_integer(&text[..at])?, &text[at + 1..]))
}

/// Year, month and day of `yyyy-mm-dd`, the usual form of dates; `None` for every other text and for days that the calendar does not have.
pub fn plain_date(text: &str) -> Option<(i64, i64, i64)> {
    let &[y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = text.as_bytes() else { return None };
    let digits = [y0, y1, y2, y3, m0, m1, d0, d1].map(|byte| byte.wrapping_sub(b'0'));
    if digits.iter().any(|&digit| digit > 9) {
        return None;
    }
    let [y0, y1, y2, y3, m0, m1, d0, d1] = digits.map(i64::from);
    on_the_calendar(((y0 * 10 + y1) * 10 + y2) * 10 + y3, m0 * 10 + m1, d0 * 10 + d1)
}

fn split_date(text: &str) -> Option<(i64, i64, i64)> {
    let (year, rest) = split_year(text)?;
    let (month, day) = rest.split_once(['-', '/'])?;
    on_the_calendar(year, two_digits(month)?, two_digits(day)?)
}

fn on_the_calendar(year: i64, month: i64, day: i64) -> Option<(i64, i64, i64)> {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        _ => return None,
    };
    (1..=days).contains(&day).then_some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_datasets_write() {
        for (text, expected) in [
            ("1984-12-30", Some("1984-12-30")),
            ("1984/12/30", Some("1984-12-30")),
            ("2003-6-6", Some("2003-06-06")),
            ("1990-01-02-08:00", Some("1990-01-02")),
            ("1990-01-02Z", Some("1990-01-02")),
            ("-0044-03-15", Some("-0044-03-15")),
            ("2023-02-29", None),
            ("2024-02-29", Some("2024-02-29")),
            ("2024-13-01", None),
            ("2024-00-10", None),
            ("14 May 2017", None),
            ("", None),
            ("-", None),
        ] {
            let got = Time::parse_date(text).map(Time::date_text);
            assert_eq!(got.as_deref(), expected, "{text:?}");
        }
        assert_eq!(Time::parse_year("-44").map(Time::year), Some(-44));
        assert_eq!(Time::parse_year("1990-08:00").map(Time::year), Some(1990));
        assert_eq!(Time::parse_year("0044").map(Time::year), Some(44));
        assert_eq!(Time::parse_year("99999999999"), None);
        assert_eq!(Time::parse_year("19x"), None);
        assert!(Time::parse_month("1990-05").is_some());
        assert!(Time::parse_month("1990-13").is_none());
        assert!(Time::parse_datetime("1994-09-23T20:00:00.5+02:00").is_some());
        assert!(Time::parse_datetime("1994-09-23T25:00:00").is_none());
        assert!(Time::parse_datetime("1994-09-23").is_none());
    }

    #[test]
    fn keys_are_in_order_also_before_the_common_era() {
        let times = [
            Time::parse_year("-500"),
            Time::parse_date("-0500-01-01"),
            Time::parse_date("-0044-03-15"),
            Time::parse_year("1"),
            Time::parse_year("1990"),
            Time::parse_month("1990-05"),
            Time::parse_date("1990-05-06"),
            Time::parse_datetime("1990-05-06T00:00:01"),
            Time::parse_datetime("1990-05-06T23:59:59.999"),
            Time::parse_date("1990-05-07"),
            Time::parse_year("1991"),
        ];
        let keys: Vec<i64> = times.iter().map(|t| t.expect("all valid").key()).collect();
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
    }
}
