//! The texts of a drawing: short enough, measured, and without characters that cannot be shown.

use touchstone_logic::graph::is_unprintable;

/// Maximum number of characters of a relation.
pub(super) const MAX_RELATION: usize = 30;

/// The end of a relation's name: the last two parts of a dotted name, the last part of an IRI.
pub(super) fn relation_text(label: &str) -> String {
    let is_one_word = !label.contains(char::is_whitespace);
    let end = if label.contains("://") && is_one_word {
        without_namespace(label)
    } else if is_one_word {
        let second_dot = label.rmatch_indices('.').nth(1);
        second_dot.map_or(label, |(at, _)| &label[at + 1..])
    } else {
        label
    };
    shortened(&printable(end), MAX_RELATION)
}

/// The last part of an IRI, and a literal without its datatype; any other text as it is.
pub(super) fn without_namespace(label: &str) -> &str {
    if let Some((value, _)) = label.split_once("^^") {
        return value;
    }
    let is_iri = label.contains("://") && !label.contains(char::is_whitespace);
    let end = label.trim_end_matches(['/', '#', '>']).rsplit(['/', '#']).next();
    if is_iri { end.unwrap_or(label) } else { label }
}

/// The beginning and the end of a long text: names differ at the end as often as at the beginning.
pub(super) fn shortened(text: &str, max: usize) -> String {
    let count = text.chars().count();
    if count <= max {
        return text.to_owned();
    }
    let end = (max - 1) * 2 / 5;
    let start: String = text.chars().take(max - 1 - end).collect();
    let end: String = text.chars().skip(count - end).collect();
    format!("{}…{}", start.trim_end(), end.trim_start())
}

/// The text with spaces for line breaks and `U+FFFD` for characters that XML cannot hold or that disturb others.
pub(super) fn printable(text: &str) -> String {
    let shown = |c| match c {
        '\t' | '\n' | '\r' => ' ',
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c if is_unprintable(c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// The approximate width of a text in any sans-serif font of this size; rather too much than too little.
pub(super) fn text_width(text: &str, font_size: i64) -> i64 {
    // In hundredths of the font size.
    let width = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 36,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | '"' => 44,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 98,
        'A'..='Z' | '<' | '>' | '=' | '+' | '~' | '#' | '≤' | '≥' => 78,
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}' => 100,
        '\u{1f000}'.. => 130,
        _ => 64,
    };
    text.chars().map(width).sum::<i64>() * font_size / 100
}

#[cfg(test)]
mod tests {
    use super::{printable, relation_text, shortened, without_namespace};

    #[test]
    fn relations_are_shown_by_their_end() {
        for (label, shown) in [
            ("film.film.directed_by", "film.directed_by"),
            ("film.directed_by", "film.directed_by"),
            ("directed_by", "directed_by"),
            ("", ""),
            ("...", "."),
            ("place of birth. Or so. Perhaps", "place of birth. Or so. Perhaps"),
            ("http://www.wikidata.org/prop/direct/P31", "P31"),
            ("http://example.org/ns#made.by.hand", "made.by.hand"),
            ("http://", "http:"),
        ] {
            assert_eq!(relation_text(label), shown);
        }
    }

    #[test]
    fn names_lose_what_is_the_same_in_all() {
        for (label, shown) in [
            ("http://example.org/poke/25", "25"),
            ("1994^^http://www.w3.org/2001/XMLSchema#gYear", "1994"),
            ("see http://example.org/", "see http://example.org/"),
            ("m.0abc", "m.0abc"),
        ] {
            assert_eq!(without_namespace(label), shown);
        }
    }

    #[test]
    fn long_labels_are_shortened() {
        assert_eq!(shortened("exactly ten", 11), "exactly ten");
        assert_eq!(shortened("abcdefghijklmnop", 11), "abcdef…mnop");
        assert_eq!(shortened("ééééééééééé éééé", 11), "éééééé…éééé");
    }

    #[test]
    fn labels_are_printable() {
        assert_eq!(printable("a\nb\u{1b}[31m\u{202e}\u{ffff}é"), "a b\u{fffd}[31m\u{fffd}\u{fffd}é");
    }
}
