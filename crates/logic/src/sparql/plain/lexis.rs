//! The words of plain SPARQL: marks, names, IRIs, literals.

use super::Reader;
use crate::text::first_byte;
use spargebra::term::{Literal, NamedNode, Variable};
use touchstone_kb::XSD;
use touchstone_kb::rdf::KQAPRO_BASE;

/// By byte: letters, digits and what else is plain in an IRI.
const IRI_BYTES: [bool; 256] = bytes(b"-._~!$&'()*+,;=:@/?#");
/// By byte: letters, digits and the underscore.
pub(super) const NAME_BYTES: [bool; 256] = bytes(b"_");

pub(super) const fn bytes(others: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    let mut at = 0;
    while at < others.len() {
        table[others[at] as usize] = true;
        at += 1;
    }
    table
}

pub(super) const fn bytes_of_digits() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = b'0';
    while byte <= b'9' {
        table[byte as usize] = true;
        byte += 1;
    }
    table
}

impl<'t> Reader<'t> {
    pub(super) fn peek(&self) -> u8 {
        self.byte(0)
    }

    /// A byte further on; 0 past the end.
    pub(super) fn byte(&self, further: usize) -> u8 {
        self.text.as_bytes().get(self.at + further).copied().unwrap_or(0)
    }

    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'#' => {
                    let rest = &self.text.as_bytes()[self.at..];
                    self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Moves past a mark and the blanks after it, if it comes next.
    pub(super) fn mark(&mut self, mark: &str) -> bool {
        let found = self.text.as_bytes()[self.at..].starts_with(mark.as_bytes());
        if found {
            self.at += mark.len();
            self.blanks();
        }
        found
    }

    /// Moves past a whole word and the blanks after it, if it comes next.
    pub(super) fn keyword(&mut self, word: &str) -> bool {
        let bytes = self.text.as_bytes();
        let end = self.at + word.len();
        let found = bytes.get(self.at..end).is_some_and(|next| next.eq_ignore_ascii_case(word.as_bytes()))
            && !bytes
                .get(end)
                .is_some_and(|&byte| NAME_BYTES[usize::from(byte)] || byte == b':' || byte >= 128);
        if found {
            self.at = end;
            self.blanks();
        }
        found
    }

    /// The bytes from here on that are in a table.
    pub(super) fn run(&mut self, table: &[bool; 256]) -> &'t str {
        let bytes = &self.text.as_bytes()[self.at..];
        let length = first_byte(bytes, |byte| !table[usize::from(byte)]).unwrap_or(bytes.len());
        let found = &self.text[self.at..self.at + length];
        self.at += length;
        found
    }

    /// What stands in angle brackets.
    pub(super) fn iri_text(&mut self) -> Option<&'t str> {
        if self.peek() != b'<' {
            return None;
        }
        self.at += 1;
        let iri = self.run(&IRI_BYTES);
        if self.peek() != b'>' {
            return None;
        }
        self.at += 1;
        self.blanks();
        Some(iri)
    }

    /// An IRI that means itself, or one of KQA Pro's names.
    pub(super) fn iri(&mut self) -> Option<NamedNode> {
        if self.peek() == b'<' {
            let iri = self.iri_text()?;
            if is_plain_iri(iri) {
                return Some(NamedNode::new_unchecked(iri));
            }
            let is_name = !iri.is_empty() && iri.bytes().all(|byte| NAME_BYTES[usize::from(byte)]);
            return is_name.then(|| NamedNode::new_unchecked([KQAPRO_BASE, iri].concat()));
        }
        let name = self.run(&const { bytes(b"_-") });
        if self.peek() != b':' {
            return None;
        }
        self.at += 1;
        let local = self.run(&const { bytes(b"_-.") });
        // A full stop at the end is the end of the triple. Names may hold more than is plain.
        let kept = local.trim_end_matches('.');
        self.at -= local.len() - kept.len();
        let is_odd = matches!(self.peek(), b':' | b'%' | b'\\' | 128..) || kept.starts_with(['-', '.']);
        let namespace = self.prefixes.iter().rev().find(|(known, _)| *known == name)?.1;
        if is_odd || kept.contains("..") || kept == "datetime" {
            return None;
        }
        let iri = [namespace, kept].concat();
        self.blanks();
        is_plain_iri(&iri).then(|| NamedNode::new_unchecked(iri))
    }

    pub(super) fn variable(&mut self) -> Option<Variable> {
        if !matches!(self.peek(), b'?' | b'$') {
            return None;
        }
        self.at += 1;
        let name = self.run(&NAME_BYTES);
        if name.is_empty() || self.peek() >= 128 {
            return None;
        }
        self.blanks();
        Some(Variable::new_unchecked(name))
    }

    /// A text or a number.
    pub(super) fn literal(&mut self) -> Option<Literal> {
        let quote = self.peek();
        if quote.is_ascii_digit() {
            return self.number();
        }
        if !matches!(quote, b'"' | b'\'') || self.byte(1) == quote && self.byte(2) == quote {
            return None;
        }
        let rest = &self.text.as_bytes()[self.at + 1..];
        let end = memchr::memchr3(quote, b'\\', b'\n', rest).filter(|&end| rest[end] == quote)?;
        let value = &self.text[self.at + 1..self.at + 1 + end];
        self.at += end + 2;
        self.blanks();
        if self.mark("^^") {
            let datatype = self.iri()?;
            return Some(Literal::new_typed_literal(value, datatype));
        }
        (self.peek() != b'@' && !value.contains('\r')).then(|| Literal::new_simple_literal(value))
    }

    pub(super) fn number(&mut self) -> Option<Literal> {
        let start = self.at;
        let is_digit = &const { bytes_of_digits() };
        self.run(is_digit);
        let mut name = "integer";
        if self.peek() == b'.' && self.byte(1).is_ascii_digit() {
            self.at += 1;
            self.run(is_digit);
            name = "decimal";
        }
        // Exponents, and names that begin with a digit.
        if NAME_BYTES[usize::from(self.peek())] || matches!(self.peek(), b':' | 128..) {
            return None;
        }
        let text = &self.text[start..self.at];
        // `1.` may be a number, or the end of a triple.
        if self.peek() == b'.' && !matches!(self.byte(1), b' ' | b'\n') {
            return None;
        }
        self.blanks();
        Some(Literal::new_typed_literal(text, NamedNode::new_unchecked([XSD, name].concat())))
    }

    /// Whether a name with a prefix comes next; no keyword, no function.
    pub(super) fn begins_name(&self) -> bool {
        let is_name = |byte: &u8| NAME_BYTES[usize::from(*byte)] || *byte == b'-';
        self.text.as_bytes()[self.at..].iter().find(|byte| !is_name(byte)) == Some(&b':')
    }
}

/// Whether an IRI is absolute and means itself, whatever the base: it has a scheme, no parts like `..`, and a plain host if any.
pub(super) fn is_plain_iri(iri: &str) -> bool {
    let bytes = iri.as_bytes();
    let Some(colon) = memchr::memchr(b':', bytes) else { return false };
    let (scheme, rest) = (&bytes[..colon], &bytes[colon + 1..]);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric());
    let is_host = match rest.strip_prefix(b"//") {
        None => !rest.starts_with(b"."),
        Some(authority) => {
            let end = memchr::memchr3(b'/', b'?', b'#', authority).unwrap_or(authority.len());
            authority[..end].iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        }
    };
    let has_dots = || memchr::memchr_iter(b'/', rest).any(|at| rest.get(at + 1) == Some(&b'.'));
    let has_fragments = || memchr::memchr_iter(b'#', rest).nth(1).is_some();
    is_scheme && is_host && !has_dots() && !has_fragments()
}
