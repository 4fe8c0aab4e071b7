//! Overlap of token sequences: BLEU and ROUGE-L.

use hashbrown::HashMap;

/// How BLEU treats orders without a match.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Smoothing {
    /// The score is 0.
    #[default]
    None,
    /// This is added to matches and n-grams of all orders above 1.
    AddK(f64),
    /// This takes the place of 0 matches.
    Floor(f64),
    /// Each order without a match counts for half of the one before.
    Exponential,
}

impl Smoothing {
    /// By a word: none, exp, floor (0.1) or add-k (1).
    pub fn from_word(word: &str) -> Option<Smoothing> {
        match word {
            "none" => Some(Smoothing::None),
            "exp" => Some(Smoothing::Exponential),
            "floor" => Some(Smoothing::Floor(0.1)),
            "add-k" => Some(Smoothing::AddK(1.0)),
            _ => None,
        }
    }
}

/// The highest order of n-grams.
pub const MAX_ORDER: usize = 4;

/// What BLEU needs to know of a pair, or of many pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BleuCounts {
    matches: [u64; MAX_ORDER],
    ngrams: [u64; MAX_ORDER],
    predicted: u64,
    gold: u64,
}

impl BleuCounts {
    /// Of one pair of sequences.
    pub fn of(predicted: &[u32], gold: &[u32]) -> BleuCounts {
        let mut counts = BleuCounts {
            predicted: predicted.len() as u64,
            gold: gold.len() as u64,
            ..BleuCounts::default()
        };
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for order in 1..=MAX_ORDER {
            counts.ngrams[order - 1] = (predicted.len() + 1).saturating_sub(order) as u64;
            ngrams(predicted, order, &mut left);
            ngrams(gold, order, &mut right);
            counts.matches[order - 1] = common(&left, &right);
        }
        counts
    }

    /// Of a sequence of so many tokens with itself.
    pub fn identical(tokens: usize) -> BleuCounts {
        let ngrams = std::array::from_fn(|order| tokens.saturating_sub(order) as u64);
        BleuCounts { matches: ngrams, ngrams, predicted: tokens as u64, gold: tokens as u64 }
    }

    /// Adds the counts of another pair.
    pub fn add(&mut self, other: &BleuCounts) {
        for order in 0..MAX_ORDER {
            self.matches[order] += other.matches[order];
            self.ngrams[order] += other.ngrams[order];
        }
        self.predicted += other.predicted;
        self.gold += other.gold;
    }

    /// The score, from 0 to 1. Orders that are longer than the prediction do not count.
    pub fn score(&self, smoothing: Smoothing) -> f64 {
        if self.matches.iter().all(|&n| n == 0) {
            return 0.0;
        }
        let (mut logarithms, mut orders, mut halved) = (0.0, 0, 1.0);
        for order in 0..MAX_ORDER {
            let (mut matches, mut ngrams) = (self.matches[order] as f64, self.ngrams[order] as f64);
            if let (Smoothing::AddK(k), 1..) = (smoothing, order) {
                (matches, ngrams) = (matches + k, ngrams + k);
            }
            if ngrams == 0.0 {
                break;
            }
            orders += 1;
            let precision = match smoothing {
                _ if matches > 0.0 => matches / ngrams,
                Smoothing::None | Smoothing::AddK(_) => return 0.0,
                Smoothing::Floor(floor) => floor / ngrams,
                Smoothing::Exponential => {
                    halved *= 2.0;
                    1.0 / (halved * ngrams)
                }
            };
            logarithms += precision.ln();
        }
        let brevity = if self.predicted < self.gold {
            (1.0 - self.gold as f64 / self.predicted as f64).exp()
        } else {
            1.0
        };
        brevity * (logarithms / f64::from(orders)).exp()
    }
}

/// The n-grams of an order, sorted. Token numbers of a pair are small, so that four of them fit.
fn ngrams(tokens: &[u32], order: usize, out: &mut Vec<u128>) {
    out.clear();
    out.extend(
        tokens.windows(order).map(|gram| gram.iter().fold(0, |key, &token| key << 32 | u128::from(token))),
    );
    out.sort_unstable();
}

/// How many elements two sorted lists have in common, each as often as both have it.
fn common(left: &[u128], right: &[u128]) -> u64 {
    let (mut i, mut j, mut n) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        match left[i].cmp(&right[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, n) = (i + 1, j + 1, n + 1),
        }
    }
    n
}

/// ROUGE-L: the balanced mean of what the longest common subsequence is of both sequences. 1 for two empty ones.
pub fn rouge_l(predicted: &[u32], gold: &[u32]) -> f64 {
    if predicted.is_empty() && gold.is_empty() {
        return 1.0;
    }
    let common = longest_common(predicted, gold) as f64;
    if common == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (common / predicted.len() as f64, common / gold.len() as f64);
    2.0 * precision * recall / (precision + recall)
}

fn longest_common(a: &[u32], b: &[u32]) -> usize {
    // What both begin and end with is part of it.
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let mut row = vec![0usize; b.len() + 1];
    for x in a {
        let mut corner = 0;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y { corner + 1 } else { above.max(row[j]) };
            corner = above;
        }
    }
    start + end + row.last().copied().unwrap_or(0)
}

/// Numbers for the tokens of a pair: the same token has the same number.
#[derive(Debug, Default)]
pub struct Numbering<'t>(HashMap<&'t str, u32>);

impl<'t> Numbering<'t> {
    /// The numbers of tokens.
    pub fn numbers(&mut self, tokens: impl Iterator<Item = &'t str>) -> Vec<u32> {
        tokens
            .map(|token| {
                let next = self.0.len() as u32;
                *self.0.entry(token).or_insert(next)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(predicted: &str, gold: &str) -> (Vec<u32>, Vec<u32>) {
        let mut numbering = Numbering::default();
        (numbering.numbers(predicted.split(' ')), numbering.numbers(gold.split(' ')))
    }

    #[test]
    fn bleu_of_known_pairs() {
        let score = |predicted: &str, gold: &str, smoothing| {
            let (predicted, gold) = pair(predicted, gold);
            BleuCounts::of(&predicted, &gold).score(smoothing)
        };
        assert_eq!(score("a b c d e", "a b c d e", Smoothing::None), 1.0);
        assert_eq!(score("a b", "a b", Smoothing::None), 1.0, "shorter than four tokens");
        assert_eq!(BleuCounts::identical(3), BleuCounts::of(&[1, 2, 3], &[1, 2, 3]));
        assert_eq!(score("a c e g", "a b c d", Smoothing::None), 0.0);
        // One token less of 10: the brevity penalty alone.
        let (all, less) = ("a b c d e f g h i j", "a b c d e f g h i");
        assert!((score(less, all, Smoothing::None) - (1.0f64 - 10.0 / 9.0).exp()).abs() < 1e-12);
        assert!(score("a b x y", "a b c d", Smoothing::Exponential) > 0.0);
        assert_eq!(score("x", "y", Smoothing::Floor(0.1)), 0.0, "nothing at all in common");
    }

    #[test]
    fn rouge_of_known_pairs() {
        let score = |predicted: &str, gold: &str| {
            let (predicted, gold) = pair(predicted, gold);
            rouge_l(&predicted, &gold)
        };
        assert_eq!(score("a b c", "a b c"), 1.0);
        assert_eq!(score("a c", "a b c d"), 2.0 * 1.0 * 0.5 / 1.5);
        assert_eq!(score("x", "y"), 0.0);
        assert_eq!(score("a x b y c", "a b c"), 2.0 * 0.6 * 1.0 / 1.6);
        assert_eq!(rouge_l(&[], &[]), 1.0);
    }
}
