//! The lossless tokeniser of SPARQL texts: every byte of a text belongs to exactly one token.
//!
//! It accepts any text. Repair, error messages, the search for clauses and the comparison of broken queries all work on its tokens, so
//! they agree on what is inside strings, IRIs and comments.

use crate::text::{Span, first_byte};
use std::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Whitespace, or a comment without the end of its line.
    Blank,
    /// `<...>`.
    Iri,
    /// A string in quotes, without its language tag or datatype.
    Text,
    /// `?x` or `$x`.
    Variable,
    /// A keyword, a function, a number: letters, digits, `_` and `-`, without a colon.
    Word,
    /// A name with a colon: `ex:name`, `ex:`, `_:b`.
    Name,
    /// `@en`.
    LanguageTag,
    /// `{`, `(` or `[`.
    Open,
    /// `}`, `)` or `]`.
    Close,
    /// Every other character, and the operators of two characters.
    Mark,
}

/// A piece of a SPARQL text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SparqlToken<'s> {
    /// What it is.
    pub kind: TokenKind,
    /// Where it starts in the source, in bytes.
    pub start: usize,
    /// The text.
    pub text: &'s str,
}

impl<'s> SparqlToken<'s> {
    /// One past its last byte in the source.
    #[must_use]
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Its bytes in the source.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start..self.end()
    }

    /// Its place for an error message.
    pub(crate) fn span(&self) -> Span {
        Span::new(self.start, self.end())
    }

    /// Whether it is a word, whatever the case of its letters.
    #[must_use]
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether it is a bracket, an operator or another mark.
    #[must_use]
    pub fn is_mark(&self, mark: &str) -> bool {
        matches!(self.kind, TokenKind::Open | TokenKind::Close | TokenKind::Mark) && self.text == mark
    }

    /// Its text if it is a word, a name or a language tag: everything that begins like a name.
    pub(crate) fn word_or_name(&self) -> Option<&'s str> {
        matches!(self.kind, TokenKind::Word | TokenKind::Name | TokenKind::LanguageTag).then_some(self.text)
    }
}

/// The tokens of a text, one after the other.
#[derive(Debug, Clone)]
pub struct SparqlTokens<'s> {
    source: &'s str,
    at: usize,
}

/// Cuts a text into tokens. Their texts, one after the other, are the source.
#[must_use]
pub fn sparql_tokens(source: &str) -> SparqlTokens<'_> {
    SparqlTokens { source, at: 0 }
}

impl<'s> SparqlTokens<'s> {
    /// The next byte that is not yet part of a token.
    #[must_use]
    pub fn next_byte(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }
}

impl<'s> Iterator for SparqlTokens<'s> {
    type Item = SparqlToken<'s>;

    #[inline]
    fn next(&mut self) -> Option<SparqlToken<'s>> {
        let start = self.at;
        let (kind, end) = token_at(self.source, start)?;
        self.at = end;
        Some(SparqlToken { kind, start, text: &self.source[start..end] })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // Queries have about one token for four bytes.
        let left = self.source.len() - self.at;
        (left.div_ceil(8).min(left), Some(left))
    }
}

/// The kind of the token that starts at a place, and where it ends; `None` at the end of the text.
fn token_at(source: &str, start: usize) -> Option<(TokenKind, usize)> {
    let bytes = source.as_bytes();
    let next = bytes.get(start + 1).copied();
    Some(match *bytes.get(start)? {
        byte if byte.is_ascii_whitespace() => (TokenKind::Blank, end_of_blanks(bytes, start)),
        b'#' => {
            let length = memchr::memchr2(b'\n', b'\r', &bytes[start..]).unwrap_or(bytes.len() - start);
            (TokenKind::Blank, start + length)
        }
        b'{' | b'(' | b'[' => (TokenKind::Open, start + 1),
        b'}' | b')' | b']' => (TokenKind::Close, start + 1),
        b'<' if let Some(end) = end_of_iri(bytes, start) => (TokenKind::Iri, end),
        b'"' | b'\'' => (TokenKind::Text, end_of_string(bytes, start)),
        b'?' | b'$' if next.is_some_and(is_name_byte) => {
            let name = &bytes[start + 1..];
            let length = name.iter().position(|&byte| !is_name_byte(byte)).unwrap_or(name.len());
            (TokenKind::Variable, start + 1 + length)
        }
        b'@' => (TokenKind::LanguageTag, end_of_word(bytes, start).0),
        byte if is_name_byte(byte) || byte == b':' => {
            let (end, has_colon) = end_of_word(bytes, start);
            (if has_colon { TokenKind::Name } else { TokenKind::Word }, end)
        }
        byte => {
            let is_operator = matches!(
                (byte, next),
                (b'<' | b'>' | b'!', Some(b'='))
                    | (b'&', Some(b'&'))
                    | (b'|', Some(b'|'))
                    | (b'^', Some(b'^'))
            );
            (TokenKind::Mark, start + 1 + usize::from(is_operator))
        }
    })
}

/// Letters, digits, the underscore, and everything outside ASCII.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn end_of_blanks(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start..];
    start + rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len())
}

/// The end of a word or a name, and whether it has a colon. A dot belongs to a name only if more of the name follows it.
fn end_of_word(bytes: &[u8], start: usize) -> (usize, bool) {
    let mut at = start + 1;
    let mut has_colon = bytes[start] == b':';
    while at < bytes.len() {
        match bytes[at] {
            byte if is_name_byte(byte) || byte == b'-' => {}
            b':' => has_colon = true,
            b'%' if has_colon => {}
            b'\\' if has_colon && at + 1 < bytes.len() => at += 1,
            b'.' if has_colon => {
                let dots = bytes[at..].iter().take_while(|&&byte| byte == b'.').count();
                let follows = bytes.get(at + dots).copied();
                if !follows.is_some_and(|byte| is_name_byte(byte) || matches!(byte, b':' | b'%' | b'-')) {
                    break;
                }
                at += dots - 1;
            }
            _ => break,
        }
        at += 1;
    }
    (at.min(bytes.len()), has_colon)
}

/// The end of `<...>`, or none if this `<` is an operator.
fn end_of_iri(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = &bytes[start + 1..];
    if matches!(rest.first(), Some(b'<' | b'=')) {
        return None;
    }
    let end = first_byte(rest, |byte| IRI_ENDS[usize::from(byte)])?;
    if rest[end] != b'>' {
        return None;
    }
    // Without a colon, these characters belong to an expression between `<` and `>`.
    let inside = &rest[..end];
    let is_expression = || {
        let is_escape = |at: usize| matches!(inside.get(at + 1), Some(b'u' | b'U'));
        let is_odd = |(at, byte): (usize, &u8)| b"\"|^`".contains(byte) || *byte == b'\\' && !is_escape(at);
        inside.iter().enumerate().any(is_odd) || inside.windows(2).any(|pair| pair == b"&&")
    };
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

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let is_long = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if is_long { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote && !is_long => return at + 1,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => return at + 3,
            // A short string ends with its line at the latest.
            b'\n' | b'\r' if !is_long => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(text: &str) -> Vec<&str> {
        sparql_tokens(text).filter(|token| token.kind != TokenKind::Blank).map(|token| token.text).collect()
    }

    #[test]
    fn strings_iris_and_comments_hide_brackets() {
        assert_eq!(
            cut("SELECT * { ?s <urn:a{> \"}\\\"{\" # } {\n . }"),
            ["SELECT", "*", "{", "?s", "<", "urn:a", "{", ">", "\"}\\\"{\"", ".", "}"]
        );
        assert_eq!(
            cut("<urn:a#b> '''a'b''}''' \"\"\"x\"\"\"@en-GB"),
            ["<urn:a#b>", "'''a'b''}'''", "\"\"\"x\"\"\"", "@en-GB"]
        );
        assert_eq!(
            cut("FILTER(?a<?b && ?b>=3)"),
            ["FILTER", "(", "?a", "<", "?b", "&&", "?b", ">=", "3", ")"]
        );
        assert_eq!(cut("t:select-limit.x t:a. :b\\(c"), ["t:select-limit.x", "t:a", ".", ":b\\(c"]);
        assert_eq!(cut("<\\u0078> <a|b>"), ["<\\u0078>", "<", "a", "|", "b", ">"]);
        assert_eq!(cut("\"no end {"), ["\"no end {"]);
        assert_eq!(cut("\"ends with an escape \\"), ["\"ends with an escape \\"]);
    }

    #[test]
    fn words_are_not_prefixed_names() {
        use TokenKind::{LanguageTag, Name, Text, Variable, Word};
        let text = "SELECT select: select:x ?select 'select'@en strlen _:b 12";
        let kinds: Vec<TokenKind> =
            sparql_tokens(text).map(|token| token.kind).filter(|kind| *kind != TokenKind::Blank).collect();
        assert_eq!(kinds, [Word, Name, Name, Variable, Text, LanguageTag, Word, Name, Word]);
    }

    proptest! {
        #[test]
        fn tokens_concatenate_to_their_source(
            pieces in proptest::collection::vec(
                prop_oneof![
                    "[ -~]{0,4}",
                    "\\PC{0,3}",
                    Just("<urn:a>".to_owned()),
                    Just("\"\"\"".to_owned()),
                    Just("\\".to_owned()),
                    Just("\n".to_owned()),
                    Just("ex:é.\\".to_owned()),
                ],
                0..12,
            )
        ) {
            let source = pieces.concat();
            let mut end = 0;
            for token in sparql_tokens(&source) {
                prop_assert_eq!(token.start, end);
                prop_assert!(!token.text.is_empty());
                end = token.end();
                prop_assert_eq!(&source[token.range()], token.text);
            }
            prop_assert_eq!(end, source.len());
        }
    }
}
