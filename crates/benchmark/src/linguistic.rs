//! Measures of the language of questions: words and readability, counted as the library does that the GrailQA++ paper used.

use crate::cast;
use serde::Serialize;

/// The tokens of a question: words with their apostrophes and hyphens, numbers, and every other mark on its own.
pub fn tokens(text: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let end_of = |at: usize| chars.get(at).map_or(text.len(), |(place, _)| *place);
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let first = chars[at].1;
        if first.is_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        if first.is_alphanumeric() || first == '_' {
            while at < chars.len() {
                let c = chars[at].1;
                let inside = matches!(c, '\'' | '’' | '-')
                    && chars[at - 1].1.is_alphabetic()
                    && chars.get(at + 1).is_some_and(|(_, next)| next.is_alphabetic());
                let in_number = matches!(c, ',' | '.' | ':' | '/' | '-')
                    && chars[at - 1].1.is_ascii_digit()
                    && chars.get(at + 1).is_some_and(|(_, next)| next.is_ascii_digit());
                if !(c.is_alphanumeric() || c == '_' || inside || in_number) {
                    break;
                }
                at += 1;
            }
        }
        tokens.push(&text[chars[start].0..end_of(at)]);
    }
    tokens
}

/// The words of a question. A question mark counts as one; other marks do not.
pub fn words(text: &str) -> Vec<&str> {
    let is_mark = |token: &&str| token.len() == 1 && ".,/#!$%'^&*;:{}=-_`~()".contains(*token);
    tokens(text).into_iter().filter(|token| !is_mark(token)).collect()
}

/// The syllables of an English word, by its groups of vowels.
fn syllables(word: &str) -> usize {
    let lower = word.to_lowercase();
    if lower.chars().count() <= 3 {
        return 1;
    }
    let is_vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let silent = |ending: &str| {
        let stem = lower.strip_suffix(ending)?;
        stem.chars().last().is_some_and(|c| !is_vowel(c) && c != 'l').then(|| stem.to_owned())
    };
    let stem = silent("es").or_else(|| silent("e")).unwrap_or_else(|| lower.clone());
    let stem = stem.strip_prefix('y').unwrap_or(&stem);
    let (mut groups, mut run) = (0, 0);
    for c in stem.chars() {
        run = if is_vowel(c) { run + 1 } else { 0 };
        // A third vowel in a row starts another group.
        groups += usize::from(run % 2 == 1);
    }
    groups
}

fn sentences(text: &str) -> usize {
    let ends = text.match_indices(['.', '?', '!']).filter(|(at, _)| {
        let mut after = text[at + 1..].chars();
        after.next().is_some_and(char::is_whitespace) && after.next().is_some_and(char::is_uppercase)
    });
    1 + ends.count()
}

/// How easy a text is to read (Flesch): 100 is very easy, 0 very hard.
pub fn reading_ease(text: &str) -> f64 {
    let words = words(text);
    if words.is_empty() {
        return 0.0;
    }
    let n = cast::float(words.len() as u64);
    let syllables: usize = words.iter().map(|word| syllables(word)).sum();
    206.835 - 1.015 * (n / cast::float(sentences(text) as u64)) - 84.6 * (cast::float(syllables as u64) / n)
}

/// A mean with its standard deviation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

impl std::fmt::Display for Mean {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1} ({:.1})", self.mean, self.deviation)
    }
}

impl Mean {
    /// Of some numbers.
    pub fn of(numbers: impl Iterator<Item = f64> + Clone) -> Mean {
        let n = cast::float(numbers.clone().count().max(1) as u64);
        let mean = numbers.clone().sum::<f64>() / n;
        let variance = numbers.map(|number| (number - mean).powi(2)).sum::<f64>() / n;
        Mean { mean, deviation: variance.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_syllables() {
        assert_eq!(tokens("Who's in New-York, at 3.5?"), ["Who's", "in", "New-York", ",", "at", "3.5", "?"]);
        assert_eq!(words("a, b?"), ["a", "b", "?"]);
        let counted = ["the", "time", "table", "question", "yellow", "queue"].map(syllables);
        assert_eq!(counted, [1, 1, 2, 2, 2, 2]);
        assert_eq!(sentences("Is it? Yes. it is"), 2);
        let mean = Mean::of([1.0, 3.0].into_iter());
        assert_eq!((mean.mean, mean.deviation), (2.0, 1.0));
    }

    /// The figures of the specification for the whole test set of ComplexWebQuestions: 14.5 (3.3) words, reading ease 64.2 (17.9).
    #[test]
    fn published_figures_are_met() {
        let Some(path) = touchstone_testing::shared_data("cwq/test.json") else { return };
        let text = std::fs::read_to_string(path).expect("text");
        let items: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
        let questions: Vec<&str> = items.iter().filter_map(|item| item["question"].as_str()).collect();
        let counts = Mean::of(questions.iter().map(|question| words(question).len() as f64));
        let ease = Mean::of(questions.iter().map(|question| reading_ease(question)));
        assert!((counts.mean - 14.5).abs() < 0.1 && (counts.deviation - 3.3).abs() < 0.1, "{counts:?}");
        assert!((ease.mean - 64.2).abs() < 0.5 && (ease.deviation - 17.9).abs() < 0.3, "{ease:?}");
    }
}
