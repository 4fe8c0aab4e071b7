//! Cuts SPARQL into tokens, so that repairs touch nothing inside of strings, IRIs and comments.

use std::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Iri,
    Text,
    Variable,
    /// A keyword, a function, a prefixed name.
    Word,
    Mark,
}

/// A piece of the text.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// Cuts a text into tokens; nothing is left out.
pub(super) fn tokens(source: &str) -> Vec<Token> {
    let bytes = source.as_bytes();
    let mut tokens = Vec::with_capacity(source.len() / 4);
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        let kind = match byte {
            b if b.is_ascii_whitespace() => {
                while at < bytes.len() && bytes[at].is_ascii_whitespace() {
                    at += 1;
                }
                Kind::Blank
            }
            b'#' => {
                at = memchr::memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |end| at + end);
                Kind::Blank
            }
            b'<' => match iri_end(bytes, at) {
                Some(end) => {
                    at = end;
                    Kind::Iri
                }
                None => {
                    at += 1;
                    Kind::Mark
                }
            },
            b'"' | b'\'' => {
                at = string_end(bytes, at);
                Kind::Text
            }
            b'?' | b'$' if bytes.get(at + 1).is_some_and(|&b| is_name(b)) => {
                at += 1;
                while at < bytes.len() && is_name(bytes[at]) {
                    at += 1;
                }
                Kind::Variable
            }
            b if is_name(b) || b == b':' || b == b'@' => {
                at = word_end(bytes, at);
                Kind::Word
            }
            _ => {
                at += 1;
                Kind::Mark
            }
        };
        tokens.push(Token { kind, range: start..at });
    }
    tokens
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// A keyword or prefixed name; a dot belongs to it only if a name goes on behind it.
fn word_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    let mut local = bytes[start] == b':';
    while at < bytes.len() {
        let byte = bytes[at];
        let goes_on = match byte {
            b if is_name(b) || b == b'-' => true,
            b':' => {
                local = true;
                true
            }
            b'%' if local => true,
            b'\\' if local && at + 1 < bytes.len() => {
                at += 1;
                true
            }
            b'.' if local => {
                let mut behind = at;
                while behind < bytes.len() && bytes[behind] == b'.' {
                    behind += 1;
                }
                let name = behind < bytes.len()
                    && (is_name(bytes[behind]) || matches!(bytes[behind], b':' | b'%' | b'-'));
                if name {
                    at = behind - 1;
                }
                name
            }
            _ => false,
        };
        if !goes_on {
            break;
        }
        at += 1;
    }
    at.min(bytes.len())
}

/// The end of `<...>`, or none if this `<` is an operator.
fn iri_end(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = &bytes[start + 1..];
    if matches!(rest.first(), Some(b'<' | b'=')) {
        return None;
    }
    let end = rest.iter().position(|&byte| IRI_ENDS[usize::from(byte)])?;
    if rest[end] != b'>' {
        return None;
    }
    // Without a colon, these characters belong to an expression between `<` and `>`.
    let inside = &rest[..end];
    let is_expression =
        || inside.iter().any(|b| b"\"|^`\\".contains(b)) || inside.windows(2).any(|pair| pair == b"&&");
    if memchr::memchr(b':', inside).is_none() && is_expression() { None } else { Some(start + end + 2) }
}

/// By byte: whether an IRI ends before it.
const IRI_ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte <= b' ' as usize {
        ends[byte] = true;
        byte += 1;
    }
    (ends[b'<' as usize], ends[b'>' as usize], ends[b'{' as usize], ends[b'}' as usize]) =
        (true, true, true, true);
    ends
};

fn string_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let long = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if long { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b if b == quote && !long => return at + 1,
            b if b == quote && bytes[at..].starts_with(&[quote; 3]) => return at + 3,
            // A short string ends with its line at the latest.
            b'\n' | b'\r' if !long => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}
