//! The language of questions, as in the GrailQA++ paper: which properties explain scores?

use crate::cast::{float, index32};
use crate::grade_error::GradeError;
use crate::tagger::Tagger;
use hashbrown::{HashMap, HashSet};
use touchstone_benchmark::Question;
use touchstone_benchmark::linguistic::{reading_ease, tokens, words};

/// The columns, with their descriptions.
pub(crate) const COLUMNS: [(&str, &str); 7] = [
    ("words", "#W: tokens without marks; a question mark counts"),
    ("nouns", "#N: common nouns, by a Brill tagger (the paper uses a different one)"),
    ("unseen", "#Z: classes and properties that the training questions do not have"),
    ("readability", "Flesch reading ease"),
    (
        "grammaticality",
        "log-likelihood per token of the order of parts of speech and small words, under a trigram model of the training questions (a substitute for the classifier of the paper)",
    ),
    ("clauses", "complexity: relative and coordinate clauses (a substitute for the classifier of the paper)"),
    (
        "coherence",
        "log-likelihood per token under a trigram model of the training questions (a substitute for the model of the paper)",
    ),
];

/// Computes the columns for questions of a benchmark.
pub(crate) struct Analyst {
    tagger: Tagger,
    seen: HashSet<String>,
    /// Of words.
    words: Trigrams,
    /// Of parts of speech.
    grammar: Trigrams,
}

impl Analyst {
    /// Models of the training questions of a benchmark.
    pub(crate) fn new(training: &[&Question]) -> Result<Analyst, GradeError> {
        let tagger = Tagger::new()?;
        let seen = training.iter().flat_map(|question| question.schema_items.iter().cloned()).collect();
        let (mut words, mut grammar) = (Trigrams::default(), Trigrams::default());
        for question in training {
            words.add(&small_words(&question.question));
            grammar.add(&parts_of_speech(&tagger, &question.question));
        }
        Ok(Analyst { tagger, seen, words, grammar })
    }

    /// The values for a question, in the order of [`COLUMNS`].
    pub(crate) fn values(&self, question: &Question) -> [f64; COLUMNS.len()] {
        let text = &question.question;
        let unseen = question.schema_items.iter().filter(|item| !self.seen.contains(*item)).count();
        [
            float(words(text).len()),
            float(nouns(&self.tagger, text)),
            float(unseen),
            reading_ease(text),
            self.grammar.likelihood(&parts_of_speech(&self.tagger, text)),
            float(clauses(text)),
            self.words.likelihood(&small_words(text)),
        ]
    }
}

/// Number of common nouns. Names and question words do not count.
fn nouns(tagger: &Tagger, text: &str) -> usize {
    let tokens: Vec<String> = tokens(text).into_iter().map(str::to_owned).collect();
    tagger.tags(&tokens).iter().filter(|tag| tag.as_deref() == Some("NOUN")).count()
}

/// The words in lower case.
fn small_words(text: &str) -> Vec<String> {
    tokens(text).iter().map(|token| token.to_lowercase()).collect()
}

/// The parts of speech; function words like `of` are parts of their own.
fn parts_of_speech(tagger: &Tagger, text: &str) -> Vec<String> {
    let tokens: Vec<String> = tokens(text).into_iter().map(str::to_owned).collect();
    let tags = tagger.tags(&tokens);
    let kind = |(token, tag): (&String, Option<String>)| match tag {
        Some(tag) if ["NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"].contains(&tag.as_str()) => tag,
        Some(_) => token.to_lowercase(),
        None => "?".to_owned(),
    };
    tokens.iter().zip(tags).map(kind).collect()
}

/// The number of clauses besides the main one.
fn clauses(text: &str) -> usize {
    let tokens: Vec<String> = tokens(text).iter().map(|token| token.to_lowercase()).collect();
    let opens = |token: &&String| ["that", "who", "whom", "whose", "where", "when"].contains(&token.as_str());
    // The first word is the question word.
    tokens.iter().skip(1).filter(opens).count()
}

/// A language model: an interpolation of trigrams, bigrams and unigrams.
#[derive(Default)]
struct Trigrams {
    counts: HashMap<[u32; 3], u32>,
    pairs: HashMap<[u32; 2], u32>,
    singles: HashMap<u32, u32>,
    numbers: HashMap<String, u32>,
    total: u32,
}

/// The weights of trigrams, bigrams and unigrams; the rest is for unseen words.
const MIXED: [f64; 3] = [0.5, 0.3, 0.18];

impl Trigrams {
    fn sequence(&self, tokens: &[String]) -> Vec<u32> {
        let known = |token: &String| self.numbers.get(token).copied().unwrap_or(u32::MAX);
        tokens.iter().map(known).chain([0]).collect()
    }

    fn add(&mut self, tokens: &[String]) {
        for token in tokens {
            // 0 marks the end.
            let next = index32(self.numbers.len()) + 1;
            if !self.numbers.contains_key(token) {
                self.numbers.insert(token.clone(), next);
            }
        }
        let (mut a, mut b) = (0, 0);
        for c in self.sequence(tokens) {
            *self.counts.entry([a, b, c]).or_default() += 1;
            *self.pairs.entry([a, b]).or_default() += 1;
            *self.singles.entry(c).or_default() += 1;
            self.total += 1;
            (a, b) = (b, c);
        }
    }

    /// The mean log-probability of the tokens, including the end.
    fn likelihood(&self, tokens: &[String]) -> f64 {
        let sequence = self.sequence(tokens);
        let (mut a, mut b, mut sum) = (0, 0, 0.0);
        let ratio = |n: Option<&u32>, of: Option<&u32>| match (n, of) {
            (Some(&n), Some(&of)) if of > 0 => f64::from(n) / f64::from(of),
            _ => 0.0,
        };
        let vocabulary = float(self.numbers.len()) + 2.0;
        for &c in &sequence {
            let three = ratio(self.counts.get(&[a, b, c]), self.pairs.get(&[a, b]));
            let two = ratio(self.pairs.get(&[b, c]), self.singles.get(&b));
            let one = ratio(self.singles.get(&c), Some(&self.total.max(1)));
            let rest = (1.0 - MIXED.iter().sum::<f64>()) / vocabulary;
            sum += (MIXED[0] * three + MIXED[1] * two + MIXED[2] * one + rest).ln();
            (a, b) = (b, c);
        }
        sum / float(sequence.len())
    }
}

#[cfg(all(test, feature = "tagger"))]
mod tests {
    use super::*;

    #[test]
    fn language_is_counted() {
        let tagger = Tagger::new().expect("built with the tagger");
        assert_eq!(
            nouns(&tagger, "Which films were directed by a person who was born in a city of France?"),
            3
        );
        assert_eq!(
            clauses("Which films were made by a person who was born in a city that lies in France?"),
            2
        );
        let mut model = Trigrams::default();
        model.add(&small_words("Which films were made in France?"));
        let (known, other) = (
            model.likelihood(&small_words("Which films were made in France?")),
            model.likelihood(&small_words("France in made were films?")),
        );
        assert!(known > other && other > -20.0, "{known} {other}");
        // Other words in the same order are equally grammatical; the same words in another order are not.
        let mut grammar = Trigrams::default();
        grammar.add(&parts_of_speech(&tagger, "Which films were made in France?"));
        let (known, other) = (
            grammar.likelihood(&parts_of_speech(&tagger, "Which houses were built in Norway?")),
            grammar.likelihood(&parts_of_speech(&tagger, "Films which in were France made?")),
        );
        assert!(known > other, "{known} {other}");
    }
}
