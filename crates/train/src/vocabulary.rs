//! The words that a network knows, by number.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Fills short sequences.
pub const PAD: u32 = 0;
/// A word that training has not shown.
pub const UNKNOWN: u32 = 1;
/// Begins a target.
pub const START: u32 = 2;
/// Ends a target.
pub const END: u32 = 3;

/// The texts of the special words.
pub(crate) const SPECIAL: [&str; 4] = ["<pad>", "<unk>", "<s>", "</s>"];

/// Number of special words; they have the first numbers.
pub const SPECIAL_WORDS: usize = SPECIAL.len();

/// The words of one side, in the order of their numbers. Written as a list of words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub struct TokenVocabulary {
    words: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl From<Vec<String>> for TokenVocabulary {
    fn from(words: Vec<String>) -> TokenVocabulary {
        let numbers = words.iter().zip(0..).map(|(word, number)| (word.clone(), number)).collect();
        TokenVocabulary { words, numbers }
    }
}

impl From<TokenVocabulary> for Vec<String> {
    fn from(vocabulary: TokenVocabulary) -> Vec<String> {
        vocabulary.words
    }
}

impl TokenVocabulary {
    /// The words that occur at least `min_count` times, the most frequent first.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t [String]>, min_count: usize) -> TokenVocabulary {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for text in texts {
            text.iter().for_each(|word| *counts.entry(word).or_default() += 1);
        }
        counts.retain(|word, _| !SPECIAL.contains(word));
        let mut words: Vec<(&str, usize)> = counts.into_iter().filter(|(_, n)| *n >= min_count).collect();
        words.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        let all = SPECIAL.into_iter().chain(words.into_iter().map(|(word, _)| word));
        TokenVocabulary::from(all.map(str::to_owned).collect::<Vec<_>>())
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are only special words.
    pub fn is_empty(&self) -> bool {
        self.words.len() <= SPECIAL.len()
    }

    /// The number of a word.
    pub fn number(&self, word: &str) -> u32 {
        self.numbers.get(word).copied().unwrap_or(UNKNOWN)
    }

    /// The numbers of words.
    pub fn numbers(&self, words: &[String]) -> Vec<u32> {
        words.iter().map(|word| self.number(word)).collect()
    }

    /// The word of a number.
    pub fn word(&self, number: u32) -> &str {
        self.words.get(number as usize).map_or(SPECIAL[UNKNOWN as usize], String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_numbers_by_frequency() {
        let texts = [vec!["b".to_owned(), "a".to_owned()], vec!["b".to_owned(), "<s>".to_owned()]];
        let vocabulary = TokenVocabulary::of(texts.iter().map(Vec::as_slice), 1);
        assert_eq!(vocabulary.numbers(&texts[0]), [4, 5]);
        assert_eq!(
            (vocabulary.word(4), vocabulary.word(99), vocabulary.number("c")),
            ("b", "<unk>", UNKNOWN)
        );
        assert_eq!(TokenVocabulary::of(texts.iter().map(Vec::as_slice), 2).len(), 5);
        let list: Vec<String> = vocabulary.clone().into();
        assert_eq!(TokenVocabulary::from(list), vocabulary);
    }
}
