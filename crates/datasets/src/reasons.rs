//! Counts of records left out, by reason.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use touchstone_kb::counts::{counted, grouped};

/// Reasons with their counts. Reasons that differ only in line and column are counted as one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReasonCounts {
    counts: BTreeMap<String, (usize, String)>,
    total: usize,
}

impl ReasonCounts {
    /// Counts a reason, with the id of the record.
    pub fn add(&mut self, id: &str, reason: String) {
        self.total += 1;
        // Line and column differ from record to record.
        let general = match reason.split_once(": ") {
            Some((place, rest)) if place.starts_with("line ") => {
                rest.split(" in `").next().unwrap_or(rest).to_owned()
            }
            _ => reason,
        };
        self.counts.entry(general).or_insert_with(|| (0, id.to_owned())).0 += 1;
    }

    /// The number of records.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total
    }

    /// How often each reason occurred.
    #[must_use]
    pub(crate) fn by_reason(&self) -> BTreeMap<String, u64> {
        self.counts.iter().map(|(reason, (count, _))| (reason.clone(), *count as u64)).collect()
    }

    /// The most frequent reasons as lines for people; empty without reasons. `what`: what is said of the records.
    #[must_use]
    pub fn lines(&self, what: &str) -> Vec<String> {
        const SHOWN: usize = 10;
        if self.total == 0 {
            return Vec::new();
        }
        let sorted = self.most_frequent();
        let shown = sorted.iter().take(SHOWN);
        let mut lines = vec![format!("{} {what}:", counted(self.total, "record", "records"))];
        lines.extend(shown.map(|(reason, n, id)| format!("  {} {reason} (first: {id})", grouped(*n))));
        if sorted.len() > SHOWN {
            lines.push(format!("  and {} other reasons", sorted.len() - SHOWN));
        }
        lines
    }

    /// The reasons with their counts and the first record of each, most frequent first.
    #[must_use]
    pub fn most_frequent(&self) -> Vec<(&str, usize, &str)> {
        let all = self.counts.iter();
        let mut sorted: Vec<(&str, usize, &str)> =
            all.map(|(reason, (count, id))| (reason.as_str(), *count, id.as_str())).collect();
        sorted.sort_by_key(|(reason, count, _)| (Reverse(*count), *reason));
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_do_not_matter() {
        let mut reasons = ReasonCounts::default();
        reasons.add("1", "no question".to_owned());
        reasons.add("2", "line 1, column 3: expected `)` in `(a`".to_owned());
        reasons.add("3", "line 2, column 9: expected `)` in `(b`".to_owned());
        assert_eq!(reasons.most_frequent(), [("expected `)`", 2, "2"), ("no question", 1, "1")]);
        assert_eq!(reasons.total(), 3);
    }
}
