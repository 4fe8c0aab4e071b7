//! Checks of a paraphrase that need no second opinion: names, values, form and distance.

use serde::Serialize;
use std::fmt;
use touchstone_benchmark::english::inflect::MONTHS;
use touchstone_benchmark::{Mention, Question};
use touchstone_kb::Kb;
use touchstone_logic::{Query, Word};

/// Why a paraphrase is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// A name of the question is missing.
    MentionLost,
    /// A number, a unit or a month differs.
    ValueChanged,
    /// It is not a question or a request.
    NotAQuestion,
    /// It is almost the question itself, or another paraphrase of it.
    TooClose,
    /// A reader takes it for another question.
    Misread,
}

impl Fault {
    /// All of them, in the order of the checks.
    pub const ALL: [Fault; 5] =
        [Fault::MentionLost, Fault::ValueChanged, Fault::NotAQuestion, Fault::TooClose, Fault::Misread];

    /// A description for people.
    pub fn description(self) -> &'static str {
        match self {
            Fault::MentionLost => "a name is missing",
            Fault::ValueChanged => "a number, unit or month differs",
            Fault::NotAQuestion => "not a question",
            Fault::TooClose => "almost the same words",
            Fault::Misread => "read as another question",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description())
    }
}

/// The places of the entities in a paraphrase: each must be there under a name of its own.
pub(crate) fn check_mentions(question: &Question, kb: &Kb, text: &str) -> Result<Vec<Mention>, Fault> {
    let found = mentions_in(question, Some(kb), text);
    if found.len() == question.entities.len() { Ok(found) } else { Err(Fault::MentionLost) }
}

/// The places of the entities of a question in another text, where they can be found. Without the KB only the names in the question are looked for.
pub(crate) fn mentions_in(question: &Question, kb: Option<&Kb>, text: &str) -> Vec<Mention> {
    let mut taken: Vec<(usize, usize)> = Vec::new();
    let mut found = Vec::new();
    // Longer names first: "New York City" is not a mention of New York.
    let mut mentions: Vec<&Mention> = question.entities.iter().collect();
    mentions.sort_by_key(|mention| std::cmp::Reverse(mention.text.len()));
    for mention in mentions {
        let mut names = vec![mention.text.clone()];
        if let Some((kb, node)) = kb.and_then(|kb| Some((kb, kb.node(&mention.id)?))) {
            names.push(kb.label(node).to_owned());
            names.extend(kb.aliases(node).map(|alias| kb.literal_text(alias).to_owned()));
        }
        // "Mercury (the planet)" may lose its bracket.
        names.extend(mention.text.split_once(" (").map(|(name, _)| name.to_owned()));
        let Some(place) = names.iter().find_map(|name| place_of(text, name, &taken)) else { continue };
        taken.push(place);
        let chars = |bytes: usize| text[..bytes].chars().count();
        found.push(Mention {
            id: mention.id.clone(),
            text: text[place.0..place.1].to_owned(),
            start: chars(place.0),
            end: chars(place.1),
        });
    }
    found.sort_by_key(|mention| mention.start);
    found
}

/// The bytes of a name as whole words, where no other name is.
fn place_of(text: &str, name: &str, taken: &[(usize, usize)]) -> Option<(usize, usize)> {
    let is_free = |&(start, end): &(usize, usize)| {
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_whole = !is_word(text[..start].chars().next_back()) && !is_word(text[end..].chars().next());
        is_whole && taken.iter().all(|&(from, to)| end <= from || to <= start)
    };
    let places = text.char_indices().filter_map(|(at, _)| Some((at, at + prefix_length(&text[at..], name)?)));
    if name.is_empty() { None } else { places.into_iter().find(is_free) }
}

/// The number of bytes of a text that are a name, whatever the case.
fn prefix_length(text: &str, name: &str) -> Option<usize> {
    let mut chars = text.chars();
    let mut length = 0;
    for wanted in name.chars() {
        let found = chars.next()?;
        if found != wanted && !found.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
        length += found.len_utf8();
    }
    Some(length)
}

/// Both texts must have the same numbers; separators and the form of a year do not matter.
pub fn check_numbers(question: &str, text: &str) -> Result<(), Fault> {
    if numbers(question) == numbers(text) { Ok(()) } else { Err(Fault::ValueChanged) }
}

fn numbers(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let is_inside = |at: usize| {
            let next_is_digit = chars.get(at + 1).is_some_and(char::is_ascii_digit);
            chars[at].is_ascii_digit() || matches!(chars[at], ',' | '.') && next_is_digit
        };
        while at < chars.len() && is_inside(at) {
            at += 1;
        }
        let is_negative = start > 0
            && matches!(chars[start - 1], '-' | '−')
            && (start < 2 || !chars[start - 2].is_alphanumeric());
        let digits: String = chars[start..at].iter().filter(|c| **c != ',').collect();
        found.push(if is_negative { format!("-{digits}") } else { digits });
    }
    found.sort_unstable();
    found
}

/// Numbers outside of names, units and months must be those of the question.
pub(crate) fn check_values(
    question: &Question,
    query: Option<&Query>,
    text: &str,
    mentions: &[Mention],
) -> Result<(), Fault> {
    let (before, after) = (without(&question.question, &question.entities), without(text, mentions));
    check_numbers(&before, &after)?;
    let months = |text: &str| -> Vec<String> {
        let mut found: Vec<String> = text
            .split(|c: char| !c.is_alphabetic())
            .filter(|word| MONTHS.contains(word))
            .map(str::to_owned)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    let (words_before, words_after) = (stems(&before), stems(&after));
    let units = query.map(units).unwrap_or_default();
    let mut unit_words = units.iter().flat_map(|unit| stems(unit));
    let is_kept = |stem: String| !words_before.contains(&stem) || words_after.contains(&stem);
    if months(&before) == months(&after) && unit_words.all(is_kept) {
        Ok(())
    } else {
        Err(Fault::ValueChanged)
    }
}

/// The units of the values in a query.
fn units(query: &Query) -> Vec<String> {
    let mut units = Vec::new();
    query.clone().words_mut(&mut |word| {
        if let Word::Value(value) = word {
            units.push(value.unit.to_string());
        }
    });
    units
}

/// Words without the end that makes them plural.
fn stems(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words.map(|word| word.to_lowercase().trim_end_matches('s').to_owned()).collect()
}

/// The text without the names in it.
fn without(text: &str, mentions: &[Mention]) -> String {
    let inside = |at: usize| mentions.iter().any(|mention| (mention.start..mention.end).contains(&at));
    text.chars().enumerate().map(|(at, c)| if inside(at) { ' ' } else { c }).collect()
}

/// Words that requests begin with.
const REQUESTS: [&str; 30] = [
    "name",
    "list",
    "give",
    "tell",
    "find",
    "show",
    "count",
    "identify",
    "state",
    "specify",
    "determine",
    "provide",
    "report",
    "mention",
    "write",
    "pick",
    "choose",
    "compare",
    "decide",
    "check",
    "enumerate",
    "output",
    "return",
    "please",
    "say",
    "work",
    "look",
    "get",
    "describe",
    "explain",
];

/// Whether a text is one question or request, and neither an answer nor a remark about the task.
pub(crate) fn is_request(text: &str) -> bool {
    let lower = text.to_lowercase();
    let remarks =
        ["paraphras", "rephras", "reworded", "as an ai", "i cannot", "i can't", "i'm sorry", "sorry,"];
    let codes = ["select ", "(and ", "(join ", "(count ", "find(", "where {", "```"];
    // A request may come after other sentences or a clause: "It lies in Peru. Name its capital."
    let begins_with_request = |clause: &str| {
        let first = clause.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty());
        first.is_some_and(|word| REQUESTS.contains(&word))
    };
    let wishes = ["like to know", "want to know", "wonder"].iter().any(|wish| lower.contains(wish));
    let asks = text.contains('?') || wishes || lower.split(['.', ',', ';', '!']).any(begins_with_request);
    asks && !remarks.iter().chain(&codes).any(|part| lower.contains(part))
        && !text.contains(['\n', '{', '}', '|'])
}

/// Whether a text differs enough: the share of words to insert, remove or replace, relative to the longer one.
pub fn is_far_enough(question: &str, text: &str, least: f64) -> bool {
    distance(question, text) >= least
}

pub(crate) fn distance(question: &str, text: &str) -> f64 {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let (a, b) = (words(question), words(text));
    let changes = strsim::generic_levenshtein(&a, &b);
    let longest = u32::try_from(a.len().max(b.len()).max(1)).unwrap_or(u32::MAX);
    f64::from(u32::try_from(changes).unwrap_or(u32::MAX)) / f64::from(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_values() {
        assert_eq!(numbers("at least 40,000 of 3.5, -100 in 1994."), ["-100", "1994", "3.5", "40000"]);
        assert_eq!(numbers("silver-120"), ["120"]);
        assert_eq!(check_numbers("over 3,000", "over 3000"), Ok(()));
        assert_eq!(check_numbers("below -100", "below 100"), Err(Fault::ValueChanged));
    }

    #[test]
    fn only_requests_are_questions() {
        for text in [
            "It lies in Peru. Name its capital.",
            "I'd like to know its area.",
            "Which is it?",
            "List them.",
            "In 1990, who won?",
            "Please name the largest one.",
        ] {
            assert!(is_request(text), "{text}");
        }
        for text in ["It is Paris.", "Sure! Here is a paraphrase: which is it?", "(AND film (JOIN a b))?", ""]
        {
            assert!(!is_request(text), "{text}");
        }
    }

    #[test]
    fn distances_count_words() {
        assert_eq!(distance("a b c d", "A, b c d!"), 0.0);
        assert_eq!(distance("a b c d", "a b c e"), 0.25);
        assert_eq!(distance("a b", "c d e f"), 1.0);
    }
}
