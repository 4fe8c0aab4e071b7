//! The language of questions, as the GrailQA++ paper looks at it: what of it explains scores?

use hashbrown::{HashMap, HashSet};
use touchstone_forge::Question;
use touchstone_forge::linguistic::{reading_ease, tokens, words};

/// The columns, with what they are.
pub const COLUMNS: [(&str, &str); 6] = [
    ("words", "#W: tokens without marks; a question mark counts"),
    ("nouns", "#N: common nouns, told by endings and neighbours (a substitute for the tagger of the paper)"),
    ("unseen", "#Z: classes and properties that the training questions do not have"),
    ("readability", "Flesch reading ease"),
    ("clauses", "complexity: relative and coordinate clauses (a substitute for the classifier of the paper)"),
    (
        "coherence",
        "log-likelihood per token under a trigram model of the training questions (a substitute for the model of the paper)",
    ),
];

/// Works the columns out for questions of a benchmark.
pub struct Analyst {
    seen: HashSet<String>,
    model: Trigrams,
}

impl Analyst {
    /// With the training questions of a benchmark.
    pub fn new(training: &[&Question]) -> Analyst {
        let seen = training.iter().flat_map(|question| question.schema_items.iter().cloned()).collect();
        let mut model = Trigrams::default();
        for question in training {
            model.add(&question.question);
        }
        Analyst { seen, model }
    }

    /// The values for a question, in the order of [`COLUMNS`].
    pub fn values(&self, question: &Question) -> [f64; COLUMNS.len()] {
        let text = &question.question;
        let unseen = question.schema_items.iter().filter(|item| !self.seen.contains(*item)).count();
        [
            words(text).len() as f64,
            nouns(text) as f64,
            unseen as f64,
            reading_ease(text),
            clauses(text) as f64,
            self.model.likelihood(text),
        ]
    }
}

/// Words that are no nouns, however they end.
const CLOSED: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "those", "which", "what", "who", "whom", "whose", "when",
    "where", "why", "how", "many", "much", "some", "any", "each", "every", "all", "both", "either",
    "neither", "no", "not", "one", "ones", "in", "on", "at", "by", "for", "from", "of", "to", "with",
    "within", "without", "into", "onto", "over", "under", "after", "before", "between", "among", "through",
    "during", "until", "since", "about", "against", "as", "than", "and", "or", "but", "nor", "so", "if",
    "is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did", "done", "has", "have",
    "had", "having", "can", "could", "may", "might", "must", "shall", "should", "will", "would", "it", "its",
    "they", "their", "them", "he", "his", "him", "she", "her", "we", "our", "us", "you", "your", "i", "my",
    "me", "same", "true", "there", "here", "more", "most", "less", "least", "fewer", "fewest", "later",
    "earlier", "first", "last", "latest", "earliest", "greater", "greatest", "larger", "largest", "smaller",
    "smallest", "higher", "highest", "lower", "lowest", "longer", "longest", "shorter", "shortest", "older",
    "oldest", "younger", "youngest", "also", "other", "another", "named", "called", "such", "only", "just",
    "very", "up", "out", "off",
];

/// How many common nouns there are: words in small letters that are nouns by their ending, or by what stands before them.
fn nouns(text: &str) -> usize {
    let tokens = tokens(text);
    let is_word = |token: &str| token.chars().next().is_some_and(char::is_alphabetic);
    let lower = |token: &str| token.to_lowercase();
    let mut n = 0;
    for (at, token) in tokens.iter().enumerate() {
        let word = lower(token);
        let is_name = at > 0 && token.starts_with(char::is_uppercase);
        if !is_word(token) || is_name || CLOSED.contains(&word.as_str()) {
            continue;
        }
        let by_ending = [
            "tion", "sion", "ment", "ness", "ity", "ship", "ism", "ance", "ence", "ers", "ors", "ies", "ure",
        ];
        let verbal = ["ed", "ing", "ly", "ous", "ful", "ive", "able", "ible", "al", "ic", "ent", "ant"];
        let before = at.checked_sub(1).map(|at| lower(tokens[at])).unwrap_or_default();
        let after_determiner =
            ["a", "an", "the", "which", "what", "many", "some", "its", "their", "of", "same", "that"]
                .contains(&before.as_str());
        let before_verb = tokens.get(at + 1).is_some_and(|next| {
            [
                "that", "who", "which", "of", "in", "is", "are", "was", "were", "has", "have", "had", "?",
                "and", "or", "by",
            ]
            .contains(&lower(next).as_str())
        });
        let is_noun = by_ending.iter().any(|end| word.ends_with(end))
            || after_determiner && !verbal.iter().any(|end| word.ends_with(end))
            || before_verb && !verbal.iter().any(|end| word.ends_with(end));
        n += usize::from(is_noun);
    }
    n
}

/// How many clauses there are beside the main one.
fn clauses(text: &str) -> usize {
    let tokens: Vec<String> = tokens(text).iter().map(|token| token.to_lowercase()).collect();
    let opens = |token: &&String| ["that", "who", "whom", "whose", "where", "when"].contains(&token.as_str());
    // The first word asks.
    tokens.iter().skip(1).filter(opens).count()
}

/// A model of word sequences: trigrams, bigrams and words, mixed.
#[derive(Default)]
struct Trigrams {
    counts: HashMap<[u32; 3], u32>,
    pairs: HashMap<[u32; 2], u32>,
    singles: HashMap<u32, u32>,
    numbers: HashMap<String, u32>,
    total: u32,
}

/// The shares of trigrams, bigrams and words; the rest is for words that were never seen.
const MIXED: [f64; 3] = [0.5, 0.3, 0.18];

impl Trigrams {
    fn sequence(&self, text: &str) -> Vec<u32> {
        let known = |token: &&str| self.numbers.get(&token.to_lowercase()).copied().unwrap_or(u32::MAX);
        tokens(text).iter().map(known).chain([0]).collect()
    }

    fn add(&mut self, text: &str) {
        for token in tokens(text) {
            // 0 is the end.
            let next = self.numbers.len() as u32 + 1;
            self.numbers.entry(token.to_lowercase()).or_insert(next);
        }
        let (mut a, mut b) = (0, 0);
        for c in self.sequence(text) {
            *self.counts.entry([a, b, c]).or_default() += 1;
            *self.pairs.entry([a, b]).or_default() += 1;
            *self.singles.entry(c).or_default() += 1;
            self.total += 1;
            (a, b) = (b, c);
        }
    }

    /// The mean logarithm of the probabilities of tokens, the end included.
    fn likelihood(&self, text: &str) -> f64 {
        let sequence = self.sequence(text);
        let (mut a, mut b, mut sum) = (0, 0, 0.0);
        let ratio = |n: Option<&u32>, of: Option<&u32>| match (n, of) {
            (Some(&n), Some(&of)) if of > 0 => f64::from(n) / f64::from(of),
            _ => 0.0,
        };
        let vocabulary = self.numbers.len() as f64 + 2.0;
        for &c in &sequence {
            let three = ratio(self.counts.get(&[a, b, c]), self.pairs.get(&[a, b]));
            let two = ratio(self.pairs.get(&[b, c]), self.singles.get(&b));
            let one = ratio(self.singles.get(&c), Some(&self.total.max(1)));
            let rest = (1.0 - MIXED.iter().sum::<f64>()) / vocabulary;
            sum += (MIXED[0] * three + MIXED[1] * two + MIXED[2] * one + rest).ln();
            (a, b) = (b, c);
        }
        sum / sequence.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_is_counted() {
        assert_eq!(nouns("Which countries border a country that has a population of 3?"), 3);
        assert_eq!(
            clauses("Which films were made by a person who was born in a city that lies in France?"),
            2
        );
        let mut model = Trigrams::default();
        model.add("Which films were made in France?");
        let (known, other) = (
            model.likelihood("Which films were made in France?"),
            model.likelihood("France in made were films?"),
        );
        assert!(known > other && other > -20.0, "{known} {other}");
    }
}
