//! Overlap of token sequences: BLEU and ROUGE-L.

use smallvec::SmallVec;

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
        for order in 1..=MAX_ORDER {
            counts.ngrams[order - 1] = (predicted.len() + 1).saturating_sub(order) as u64;
        }
        counts.matches = matches(predicted, gold);
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

/// No n-gram.
const NONE: u64 = u64::MAX;

/// For each order, how many n-grams two sequences have in common, each as often as both have it. An n-gram is the one before it and one
/// more token, so it is found by a pair of numbers; where a prediction leaves gold, longer ones need not be looked for.
fn matches(predicted: &[u32], gold: &[u32]) -> [u64; MAX_ORDER] {
    const LEFT: u32 = u32::MAX;
    let size = (gold.len() * 2).next_power_of_two().max(16);
    let mut table: SmallVec<[(u64, u32); 256]> = SmallVec::from_elem((NONE, 0), size);
    // By the place of its first token: where the n-gram of the last order was found.
    let mut of_gold: SmallVec<[u32; 128]> = SmallVec::from_elem(0, gold.len());
    let mut of_predicted: SmallVec<[u32; 128]> = SmallVec::from_elem(0, predicted.len());
    let (table, of_gold, of_predicted) = (&mut table[..], &mut of_gold[..], &mut of_predicted[..]);
    let shift = 64 - size.trailing_zeros();
    fn find(table: &[(u64, u32)], ngram: u64, shift: u32) -> usize {
        let mut place = (ngram.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize;
        while table[place].0 != ngram && table[place].0 != NONE {
            place = (place + 1) & (table.len() - 1);
        }
        place
    }
    std::array::from_fn(|order| {
        table.fill((NONE, 0));
        for (shorter, token) in of_gold.iter_mut().zip(gold.get(order..).unwrap_or_default()) {
            let ngram = u64::from(*shorter) << 32 | u64::from(*token);
            let place = find(table, ngram, shift);
            table[place] = (ngram, table[place].1 + 1);
            *shorter = place as u32;
        }
        let mut total = 0;
        for (shorter, token) in of_predicted.iter_mut().zip(predicted.get(order..).unwrap_or_default()) {
            if *shorter == LEFT {
                continue;
            }
            let ngram = u64::from(*shorter) << 32 | u64::from(*token);
            let place = find(table, ngram, shift);
            let (found, left) = &mut table[place];
            *shorter = if *found == NONE { LEFT } else { place as u32 };
            if *left > 0 {
                *left -= 1;
                total += 1;
            }
        }
        total
    })
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
    let mut row: SmallVec<[usize; 64]> = SmallVec::from_elem(0, b.len() + 1);
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
#[derive(Debug)]
pub struct Numbering<'t> {
    tokens: Vec<&'t str>,
    /// By hash: the number of a token, plus 1. Nearly all pairs have fewer different tokens than there are places: the table never grows.
    places: SmallVec<[u32; 256]>,
}

impl Default for Numbering<'_> {
    fn default() -> Self {
        Numbering { tokens: Vec::with_capacity(64), places: SmallVec::from_elem(0, 256) }
    }
}

impl<'t> Numbering<'t> {
    /// The numbers of tokens.
    pub fn numbers(&mut self, tokens: impl Iterator<Item = &'t str>) -> Vec<u32> {
        tokens.map(|token| self.number(token)).collect()
    }

    fn number(&mut self, token: &'t str) -> u32 {
        let place = self.place(token);
        if self.places[place] > 0 {
            return self.places[place] - 1;
        }
        self.tokens.push(token);
        self.places[place] = self.tokens.len() as u32;
        if self.tokens.len() * 2 > self.places.len() {
            self.grow();
        }
        self.tokens.len() as u32 - 1
    }

    /// Where a token stands, or where it is to be put.
    fn place(&self, token: &str) -> usize {
        let last = self.places.len() - 1;
        let mut place = hash(token.as_bytes()) as usize & last;
        while let Some(number) = self.places[place].checked_sub(1)
            && self.tokens[number as usize] != token
        {
            place = (place + 1) & last;
        }
        place
    }

    fn grow(&mut self) {
        self.places = SmallVec::from_elem(0, self.places.len() * 4);
        for number in 0..self.tokens.len() {
            let place = self.place(self.tokens[number]);
            self.places[place] = number as u32 + 1;
        }
    }
}

/// Tokens are short: eight bytes at a time.
fn hash(token: &[u8]) -> u64 {
    let mix = |hash: u64, bytes: u64| {
        let product = (hash ^ bytes).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ product >> 32
    };
    let Some((_, last)) = token.split_last_chunk::<8>() else {
        return mix(1, token.iter().fold(token.len() as u64, |rest, &byte| rest << 8 | u64::from(byte)));
    };
    let (chunks, _) = token.as_chunks::<8>();
    let whole = chunks.iter().fold(token.len() as u64, |hash, chunk| mix(hash, u64::from_le_bytes(*chunk)));
    mix(whole, u64::from_le_bytes(*last))
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
    fn the_same_token_has_the_same_number() {
        let tokens: Vec<String> = (0..3000).map(|n| format!("{}{n}", "token ".repeat(n % 4))).collect();
        let mut numbering = Numbering::default();
        let twice = tokens.iter().chain(&tokens).map(String::as_str);
        let numbers = numbering.numbers(twice);
        assert!(numbers.iter().enumerate().all(|(at, &number)| number as usize == at % 3000));
    }

    /// By the definition.
    #[test]
    fn matches_of_all_orders() {
        let mut state = 7u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..500 {
            let (n, m, kinds) = (random(24) as usize, random(24) as usize, 1 + random(6));
            let predicted: Vec<u32> = (0..n).map(|_| random(kinds)).collect();
            let gold: Vec<u32> = (0..m).map(|_| random(kinds)).collect();
            let expected: [u64; MAX_ORDER] = std::array::from_fn(|order| {
                let mut left: Vec<&[u32]> = gold.windows(order + 1).collect();
                let is_left = |gram: &&[u32]| {
                    let place = left.iter().position(|other| other == gram);
                    place.map(|at| left.swap_remove(at)).is_some()
                };
                predicted.windows(order + 1).filter(is_left).count() as u64
            });
            assert_eq!(matches(&predicted, &gold), expected, "{predicted:?} {gold:?}");
        }
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
