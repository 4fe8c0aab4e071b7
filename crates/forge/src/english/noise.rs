//! Surface noise: what people do to questions when they type quickly. Names and numbers stay as they are.

use super::verbalise::VerbalisedQuestion;
use touchstone_benchmark::{Mention, Random};

/// A piece of a question.
enum Piece {
    Plain(String),
    Name(Mention),
}

/// The question with one or two of: lower case, missing articles, a typo, no mark at the end.
pub(crate) fn noisy(mut question: VerbalisedQuestion, random: &mut Random) -> VerbalisedQuestion {
    let (new_words, phrases) = (question.new_words, std::mem::take(&mut question.phrases));
    let mut pieces = pieces(question);
    let first = random.below(4);
    let second = if random.percent(40) { random.below(4) } else { first };
    for change in [first, second].into_iter().take(if first == second { 1 } else { 2 }) {
        match change {
            0 => each_plain(&mut pieces, |text| *text = text.to_lowercase()),
            1 => each_plain(&mut pieces, |text| *text = without_articles(text)),
            2 => typo(&mut pieces, random),
            _ => {
                if let Some(Piece::Plain(text)) = pieces.last_mut() {
                    text.truncate(text.trim_end_matches(['?', '.']).len());
                }
            }
        }
    }
    VerbalisedQuestion { new_words, phrases, ..joined(pieces) }
}

fn pieces(question: VerbalisedQuestion) -> Vec<Piece> {
    let chars: Vec<char> = question.text.chars().collect();
    let (mut pieces, mut at) = (Vec::new(), 0);
    for mention in question.mentions {
        pieces.push(Piece::Plain(chars[at..mention.start].iter().collect()));
        at = mention.end;
        pieces.push(Piece::Name(mention));
    }
    pieces.push(Piece::Plain(chars[at..].iter().collect()));
    pieces
}

fn joined(pieces: Vec<Piece>) -> VerbalisedQuestion {
    let (mut text, mut mentions, mut length) = (String::new(), Vec::new(), 0);
    for piece in pieces {
        match piece {
            Piece::Plain(plain) => {
                length += plain.chars().count();
                text.push_str(&plain);
            }
            Piece::Name(mention) => {
                let end = length + mention.text.chars().count();
                text.push_str(&mention.text);
                mentions.push(Mention { start: length, end, ..mention });
                length = end;
            }
        }
    }
    VerbalisedQuestion { text, mentions, new_words: false, phrases: Vec::new() }
}

fn each_plain(pieces: &mut [Piece], mut change: impl FnMut(&mut String)) {
    for piece in pieces {
        if let Piece::Plain(text) = piece {
            change(text);
        }
    }
}

/// The text without "a", "an" and "the" between blanks.
fn without_articles(text: &str) -> String {
    let is_article = |word: &&str| !matches!(*word, "a" | "an" | "the");
    text.split(' ').filter(is_article).collect::<Vec<_>>().join(" ")
}

/// Swaps two letters inside a long word.
fn typo(pieces: &mut [Piece], random: &mut Random) {
    let places: Vec<(usize, usize)> = pieces
        .iter()
        .enumerate()
        .flat_map(|(at, piece)| match piece {
            Piece::Plain(text) => long_words(text).into_iter().map(move |word| (at, word)).collect(),
            Piece::Name(_) => Vec::new(),
        })
        .collect();
    let Some(&(at, start)) = random.choose(&places) else { return };
    if let Piece::Plain(text) = &mut pieces[at] {
        let mut chars: Vec<char> = text.chars().collect();
        chars.swap(start + 1, start + 2);
        *text = chars.into_iter().collect();
    }
}

/// The first characters of words of at least five letters.
fn long_words(text: &str) -> Vec<usize> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut start) = (Vec::new(), 0);
    for at in 0..=chars.len() {
        if at == chars.len() || !chars[at].is_alphabetic() {
            if at - start >= 5 {
                found.push(start);
            }
            start = at + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_stay() {
        let text = "Which of the films by Ang Lee came out in a year after 2001?";
        let mention = Mention { id: "x".to_owned(), text: "Ang Lee".to_owned(), start: 22, end: 29 };
        for seed in 0..50 {
            let question = VerbalisedQuestion {
                text: text.to_owned(),
                mentions: vec![mention.clone()],
                new_words: true,
                phrases: Vec::new(),
            };
            let noisy = noisy(question, &mut Random::new(seed, "noise"));
            assert!(noisy.text.contains("Ang Lee") && noisy.text.contains("2001"), "{}", noisy.text);
            assert_ne!(noisy.text, text);
            let chars: Vec<char> = noisy.text.chars().collect();
            let Mention { start, end, .. } = noisy.mentions[0];
            assert_eq!(chars[start..end].iter().collect::<String>(), "Ang Lee");
        }
    }
}
