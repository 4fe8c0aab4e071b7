//! Comparison of names: folded, so that `beyonce` finds Beyoncé, and by edit distance, so that for a typing
//! error the nearest known name can be suggested.

use crate::cast::to_usize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The folded form of a name: lower case, without accents; dots and apostrophes are removed, other
/// punctuation separates words, words are separated by one blank.
/// A name of nothing but punctuation folds to itself.
///
/// ```
/// use touchstone_kb::fold;
/// assert_eq!(fold("Beyoncé  Knowles-Carter"), "beyonce knowles carter");
/// assert_eq!(fold("U.S.A."), "usa");
/// assert_eq!(fold("?!"), "?!");
/// ```
pub fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    if name.is_ascii() {
        name.bytes().for_each(|b| fold_char(char::from(b), &mut folded));
    } else {
        name.nfkd().filter(|&c| !is_combining_mark(c)).for_each(|c| fold_char(c, &mut folded));
    }
    if folded.ends_with(' ') {
        folded.pop();
    }
    if folded.is_empty() { name.trim().to_lowercase() } else { folded }
}

/// The bucket of a name in the index of exact names, which has `n_buckets` buckets, a power of two. Stores depend on it.
pub(crate) fn name_bucket(name: &str, n_buckets: usize) -> usize {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = name.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step);
    to_usize(hash ^ hash >> 32) & (n_buckets - 1)
}

fn fold_char(c: char, out: &mut String) {
    match c {
        'a'..='z' | '0'..='9' => out.push(c),
        'A'..='Z' => out.push(c.to_ascii_lowercase()),
        '.' | '\'' | '’' | '‘' | 'ʼ' | '´' | '`' => {}
        'ß' | 'ẞ' => out.push_str("ss"),
        'æ' | 'Æ' => out.push_str("ae"),
        'œ' | 'Œ' => out.push_str("oe"),
        'ø' | 'Ø' => out.push('o'),
        'đ' | 'Đ' | 'ð' | 'Ð' => out.push('d'),
        'ł' | 'Ł' => out.push('l'),
        'ħ' | 'Ħ' => out.push('h'),
        'ı' => out.push('i'),
        'þ' | 'Þ' => out.push_str("th"),
        c if c.is_alphanumeric() => out.extend(c.to_lowercase()),
        _ if out.is_empty() || out.ends_with(' ') => {}
        _ => out.push(' '),
    }
}

/// Maximum number of characters of a name in a message.
const MAX_SHOWN: usize = 60;

/// A text, shortened for a message.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// The edit distance in characters: insertions, deletions, replacements, and two neighbours swapped.
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(a, b)
}

/// The known name that was probably meant by an unknown one.
///
/// ```
/// use touchstone_kb::nearest_name;
/// assert_eq!(nearest_name("lable", ["label", "class"]), Some("label"));
/// assert_eq!(nearest_name("xyz", ["label", "class"]), None);
/// ```
pub fn nearest_name<'n>(wrong: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // A word of this length is not a typing error, and the search would take long.
    if wrong.len() > 100 {
        return None;
    }
    let allowed = (wrong.chars().count() * 2 / 5).clamp(1, 3);
    let near = known.into_iter().map(|name| (edit_distance(wrong, name), name));
    near.filter(|&(distance, _)| distance <= allowed).min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::{edit_distance, fold};

    #[test]
    fn distances() {
        for (a, b, distance) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("lable", "label", 1),
            ("untied", "united", 1),
            ("abc", "abd", 1),
            ("shawshnk", "shawshank", 1),
            ("", "äb", 2),
        ] {
            assert_eq!(edit_distance(a, b), distance);
            assert_eq!(edit_distance(b, a), distance);
        }
    }

    #[test]
    fn folding() {
        for (name, folded) in [
            ("", ""),
            ("  Paris ", "paris"),
            ("São Paulo", "sao paulo"),
            ("Łódź", "lodz"),
            ("O'Brien", "obrien"),
            ("Spider-Man: No Way Home", "spider man no way home"),
            ("ＦＵＬＬ", "full"),
            ("Straße", "strasse"),
            ("東京", "東京"),
            ("Αθήνα", "αθηνα"),
            ("$", "$"),
        ] {
            assert_eq!(fold(name), folded, "{name:?}");
        }
    }
}
