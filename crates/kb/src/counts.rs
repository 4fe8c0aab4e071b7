//! Numbers in texts for people.

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

/// A count as a float.
#[expect(clippy::cast_precision_loss, reason = "counts and sizes stay far below 2^53")]
pub const fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands() {
        for (number, text) in [(0u64, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
