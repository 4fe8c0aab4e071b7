//! Numbers in texts for people.

use std::time::Duration;

/// A number with separators: 1,234,567.
pub fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(0).to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun: 1 entity, 2 entities.
pub fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(0);
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// A share of a whole in percent.
pub fn percent(part: impl TryInto<u64>, whole: impl TryInto<u64>) -> String {
    match [part.try_into().unwrap_or(0), whole.try_into().unwrap_or(0)] {
        [_, 0] => "-".to_owned(),
        [part, whole] => format!("{:.1} %", 100.0 * float(part) / float(whole)),
    }
}

/// A size in megabytes.
pub fn megabytes(bytes: impl TryInto<u64>) -> String {
    format!("{:.1} MB", float(bytes.try_into().unwrap_or(0)) / 1e6)
}

/// A short time: 12 µs, 3.4 ms, 5.6 s.
pub fn short_time(time: Duration) -> String {
    match time.as_secs_f64() * 1e6 {
        micros if micros < 1e3 => format!("{micros:.0} µs"),
        micros if micros < 1e6 => format!("{:.1} ms", micros / 1e3),
        micros => format!("{:.1} s", micros / 1e6),
    }
}

/// A large number in thousands or millions: 950 k, 1.2 M.
pub fn abbreviated(number: u64) -> String {
    match number {
        0..1_000_000 => format!("{} k", number.div_ceil(1000)),
        _ => format!("{}.{} M", number / 1_000_000, number / 100_000 % 10),
    }
}

/// A count as a float.
#[expect(clippy::cast_precision_loss, reason = "counts and sizes stay far below 2^53")]
pub const fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{abbreviated, grouped, short_time};
    use std::time::Duration;

    #[test]
    fn times_and_large_numbers() {
        for (micros, text) in [(7, "7 µs"), (1_500, "1.5 ms"), (2_340_000, "2.3 s")] {
            assert_eq!(short_time(Duration::from_micros(micros)), text);
        }
        for (number, text) in [(1, "1 k"), (950_000, "950 k"), (1_250_000, "1.2 M")] {
            assert_eq!(abbreviated(number), text);
        }
    }

    #[test]
    fn thousands() {
        for (number, text) in [(0u64, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
