//! Text under construction: mentions of entities are marked until the sentence is complete.

use crate::cast;
use touchstone_benchmark::english::inflect;

/// Private-use characters around a mention: they cannot occur in names, which are checked for usable characters.
const OPEN: char = '\u{f0000}';
const CLOSE: char = '\u{f0001}';
/// The index of the mention's entity, as a character after this one.
const NUMBERS: u32 = 0xf1000;

/// A mention of the entity with this index.
pub(super) fn mention(number: usize, text: &str) -> String {
    let number = char::from_u32(NUMBERS + cast::index32(number)).unwrap_or(OPEN);
    format!("{OPEN}{number}{text}{CLOSE}")
}

/// The finished text, and the mentions as (entity index, start, end) in characters.
pub(super) fn finish(text: &str) -> (String, Vec<(usize, usize, usize)>) {
    let (mut out, mut mentions) = (String::with_capacity(text.len()), Vec::new());
    let (mut n_chars, mut open, mut closed) = (0, None, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            OPEN => {
                let number = chars.next().map_or(0, |number| number as u32 - NUMBERS) as usize;
                open = Some((number, n_chars));
            }
            CLOSE => {
                if let Some((number, start)) = open.take() {
                    mentions.push((number, start, n_chars));
                    closed = Some(n_chars);
                }
            }
            // "Formaggi Fortini s.r.l." ends the sentence with its own dot.
            '.' if closed == Some(n_chars) && out.ends_with('.') => {}
            c => {
                out.push(c);
                n_chars += 1;
            }
        }
    }
    (out, mentions)
}

/// `a` or `an` before a text that may begin with a mention.
pub(super) fn with_article(text: &str) -> String {
    let (plain, _) = finish(text);
    let article = inflect::with_article(&plain);
    let article = article.split(' ').next().unwrap_or("a");
    format!("{article} {text}")
}

/// A text that ends with a mention, with another one after it: `belongs to both A and B`. `None` if it ends with something else.
pub(super) fn with_both(text: &str, other: &str) -> Option<String> {
    let (before, name) = text.strip_suffix(CLOSE)?.rsplit_once(OPEN)?;
    let (before, article) = before.strip_suffix("the ").map_or((before, ""), |before| (before, "the "));
    Some(format!("{before}both {article}{OPEN}{name}{CLOSE} and {other}"))
}

/// Whether a mention is a name alone, which can stand before a noun: no article and no explanation in brackets.
pub(super) fn is_bare_name(text: &str) -> bool {
    let (plain, _) = finish(text);
    !plain.starts_with("the ") && !plain.contains(['(', ',', '“'])
}

/// The singular or plural variant of a phrase like `was|were`.
pub(super) fn agreeing(phrase: &str, many: bool) -> &str {
    match phrase.split_once('|') {
        Some((_, plural)) if many => plural,
        Some((singular, _)) => singular,
        None => phrase,
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn joined(parts: &[String], word: &str) -> String {
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, [only])) => format!("{only} {word} {last}"),
        Some((last, others)) => format!("{}, {word} {last}", others.join(", ")),
        None => String::new(),
    }
}

/// A sentence with an initial capital.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// A sentence with an initial lower-case letter.
pub(super) fn uncapitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Removes commas at the end of the sentence and before other punctuation; phrases may begin and end with commas.
pub(super) fn punctuated(text: &str) -> String {
    text.replace(" ,", ",").replace(",,", ",").replace(",?", "?").replace(",.", ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_found_again() {
        let text = format!("Who directed {} and {}?", mention(0, "Amélie"), mention(2, "Jaws"));
        let (text, mentions) = finish(&text);
        assert_eq!(text, "Who directed Amélie and Jaws?");
        assert_eq!(mentions, [(0, 13, 19), (2, 24, 28)]);
        assert_eq!(finish(&format!("Name {}.", mention(0, "X Inc."))).0, "Name X Inc.");
        assert_eq!(agreeing("was made by|were made by", true), "were made by");
        assert_eq!(joined(&["a".to_owned(), "b".to_owned(), "c".to_owned()], "and"), "a, b, and c");
    }
}
