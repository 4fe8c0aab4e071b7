//! Cuts the text of a query into tokens: just enough to find its clauses.
//!
//! A parser would refuse what servers add to SPARQL; this does not look inside.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Keywords and names of functions: letters and underscores without a colon.
    Word,
    /// `{`, `(` or `[`.
    Open,
    /// `}`, `)` or `]`.
    Close,
    /// IRIs, prefixed names, texts, variables, numbers, operators.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// The tokens of a text; blanks and comments are left out. Texts without end reach to the end.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let kind = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'#' => {
                at = end_where(bytes, at, |byte| matches!(byte, b'\n' | b'\r'));
                continue;
            }
            b'{' | b'(' | b'[' => {
                at += 1;
                Kind::Open
            }
            b'}' | b')' | b']' => {
                at += 1;
                Kind::Close
            }
            b'<' => {
                at = end_of_iri(bytes, at).unwrap_or(at + 1);
                Kind::Other
            }
            b'"' | b'\'' => {
                at = end_of_text(bytes, at);
                Kind::Other
            }
            b'?' | b'$' | b'@' => {
                at = end_where(bytes, at + 1, |byte| !is_name(byte) && byte != b'-');
                Kind::Other
            }
            _ if is_name(byte) || byte == b':' => {
                at = end_of_name(bytes, at);
                let word = bytes[start..at].iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
                if word { Kind::Word } else { Kind::Other }
            }
            _ => {
                at += 1;
                Kind::Other
            }
        };
        tokens.push(Token { kind, range: start..at });
    }
    tokens
}

/// Bytes of names, with everything outside ASCII.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn end_where(bytes: &[u8], from: usize, stop: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|byte| stop(*byte)).map_or(bytes.len(), |at| from + at)
}

/// Words, numbers and prefixed names: with `.`, `-`, `%` and escapes inside of the latter.
fn end_of_name(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    let mut local = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b':' => local = true,
            b'-' | b'%' if local || at > from => {}
            // A dot ends a triple if nothing of the name follows.
            b'.' if bytes.get(at + 1).is_some_and(|next| is_name(*next)) => {}
            b'\\' if local => at += 1,
            _ if is_name(byte) => {}
            _ => break,
        }
        at += 1;
    }
    at.min(bytes.len())
}

/// The end of `<...>`, if it is an IRI and not a comparison.
fn end_of_iri(bytes: &[u8], from: usize) -> Option<usize> {
    let end = end_where(bytes, from + 1, |byte| byte <= b' ' || b"<>\"{}|^`".contains(&byte));
    (bytes.get(end) == Some(&b'>')).then_some(end + 1)
}

fn end_of_text(bytes: &[u8], from: usize) -> usize {
    let quote = bytes[from];
    let long = bytes.get(from + 1) == Some(&quote) && bytes.get(from + 2) == Some(&quote);
    let mut at = from + if long { 3 } else { 1 };
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' {
            at += 2;
        } else if !long && byte == quote {
            return at + 1;
        } else if long && bytes[at..].starts_with(&[quote; 3]) {
            // Up to two more quotes belong to the text.
            let more = bytes[at + 3..].iter().take(2).take_while(|byte| **byte == quote).count();
            return at + 3 + more;
        } else {
            at += 1;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|token| &text[token.range]).collect()
    }

    #[test]
    fn texts_iris_and_comments_hide_braces() {
        assert_eq!(
            cut("SELECT * { ?s <urn:a{> \"}\\\"{\" # } {\n . }"),
            ["SELECT", "*", "{", "?s", "<", "urn:a", "{", ">", "\"}\\\"{\"", ".", "}"]
        );
        assert_eq!(
            cut("<urn:a#b> '''a'b''}''' \"\"\"x\"\"\"@en-GB"),
            ["<urn:a#b>", "'''a'b''}'''", "\"\"\"x\"\"\"", "@en-GB"]
        );
        assert_eq!(
            cut("FILTER(?a<?b && ?b>3)"),
            ["FILTER", "(", "?a", "<", "?b", "&", "&", "?b", ">", "3", ")"]
        );
        assert_eq!(cut("t:select-limit.x t:a. :b\\(c"), ["t:select-limit.x", "t:a", ".", ":b\\(c"]);
        assert_eq!(cut("\"no end {"), ["\"no end {"]);
        assert_eq!(cut("\"ends with an escape \\"), ["\"ends with an escape \\"]);
    }

    #[test]
    fn words_are_not_prefixed_names() {
        let kinds: Vec<Kind> =
            tokens("SELECT select: select:x ?select 'select' strlen").iter().map(|t| t.kind).collect();
        use Kind::{Other, Word};
        assert_eq!(kinds, [Word, Other, Other, Other, Other, Word]);
    }
}
