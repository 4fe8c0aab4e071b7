//! Peculiarities of Virtuoso (observed with 7.2.5): how it writes terms and errors.

use memchr::memmem;
use oxrdf::vocab::xsd;
use oxrdf::{BlankNode, Literal, Term};
use std::io::{self, Read};

/// Virtuoso's names for blank nodes begin with this. In queries, they can be used as IRIs.
const BLANK: &str = "nodeID://";

/// What precedes the label of a blank node in Virtuoso's JSON and XML. Quotes in JSON texts and `<` in XML texts are
/// escaped, so these cannot be part of the data.
const BEFORE_LABEL: [&[u8]; 2] = [b"\"bnode\", \"value\": \"nodeID://", b"<bnode>nodeID://"];

/// Removes `nodeID://` from the labels of blank nodes: parsers do not accept it there.
pub(super) struct PlainLabels<R> {
    inner: R,
    /// Bytes read and not yet returned; the first `ready` bytes were examined.
    pending: Vec<u8>,
    given: usize,
    ready: usize,
    ended: bool,
}

impl<R: Read> PlainLabels<R> {
    pub(super) fn new(inner: R) -> PlainLabels<R> {
        PlainLabels { inner, pending: Vec::new(), given: 0, ready: 0, ended: false }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.pending.drain(..self.given);
        self.given = 0;
        let start = self.pending.len();
        self.pending.resize(start + (64 << 10), 0);
        let read = self.inner.read(&mut self.pending[start..]);
        self.pending.truncate(start + *read.as_ref().unwrap_or(&0));
        self.ended = read? == 0;
        for before in BEFORE_LABEL {
            let found: Vec<usize> = memmem::find_iter(&self.pending, before).collect();
            for at in found.into_iter().rev() {
                let end = at + before.len();
                self.pending.drain(end - BLANK.len()..end);
            }
        }
        // The end may be the beginning of a match.
        let held_back = if self.ended {
            0
        } else {
            BEFORE_LABEL.iter().map(|before| before.len() - 1).max().unwrap_or(0)
        };
        self.ready = self.pending.len().saturating_sub(held_back);
        Ok(())
    }
}

impl<R: Read> Read for PlainLabels<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.ready && !self.ended {
            self.fill()?;
        }
        let count = buffer.len().min(self.ready - self.given);
        buffer[..count].copy_from_slice(&self.pending[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

/// The intended term: Virtuoso writes booleans as 1 and 0 in JSON, years before Christ with three digits, and some blank nodes as IRIs.
///
/// Numbers are unchanged: doubles have six digits, and the answer does not contain the others.
pub(super) fn tidy(term: Term) -> Term {
    match term {
        Term::NamedNode(node) => match node.as_str().strip_prefix(BLANK).map(BlankNode::new) {
            Some(Ok(blank)) => blank.into(),
            _ => node.into(),
        },
        Term::Literal(literal) => tidy_literal(literal).into(),
        term => term,
    }
}

fn tidy_literal(literal: Literal) -> Literal {
    let datatype = literal.datatype();
    let value = literal.value();
    if datatype == xsd::BOOLEAN {
        match value {
            "1" => return Literal::from(true),
            "0" => return Literal::from(false),
            _ => {}
        }
    } else if [xsd::G_YEAR, xsd::DATE, xsd::G_YEAR_MONTH, xsd::DATE_TIME].contains(&datatype)
        && let Some(rest) = value.strip_prefix('-')
    {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if (1..4).contains(&digits) {
            return Literal::new_typed_literal(
                format!("-{}{rest}", &"000"[digits - 1..]),
                datatype.into_owned(),
            );
        }
    }
    literal
}

/// The SQL state in an error message: `Virtuoso 40001 Error SR172: ...`.
pub(super) fn state_of(message: &str) -> Option<&str> {
    let mut words = message.split_whitespace();
    (words.next() == Some("Virtuoso")).then(|| words.next()).flatten()
}

/// Whether the same query may succeed later: deadlocks and lost connections inside the server.
pub(super) fn is_passing(state: &str) -> bool {
    state == "40001" || state.starts_with("08C")
}

/// Whether the server stopped because of its own time limit.
pub(super) fn is_interruption(state: &str) -> bool {
    state.starts_with("S1T")
}

/// Whether the server cannot return part of the rows as requested: it sorts at most 10,000 rows in a query with a limit (SR353), and
/// does not support an offset without a limit (SR350; SR352 if it also sorts).
pub(super) fn cannot_cut(message: &str) -> bool {
    state_of(message) == Some("22023")
        && ["SR350:", "SR352:", "SR353:"].iter().any(|code| message.contains(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdf::NamedNode;

    /// Returns one byte, then two, and so on, so that every boundary is tested.
    struct Pieces<'a>(&'a [u8], usize);
    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = self.1 % 7 + 1;
            let count = self.1.min(buffer.len()).min(self.0.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn labels_are_plain_whatever_the_pieces() {
        let text = r#"{ "type": "bnode", "value": "nodeID://b1" } "nodeID://b2" <bnode>nodeID://b3</bnode> "bnode", "value": "nodeID://b4"#;
        let plain =
            r#"{ "type": "bnode", "value": "b1" } "nodeID://b2" <bnode>b3</bnode> "bnode", "value": "b4"#;
        for start in 0..7 {
            let mut out = String::new();
            PlainLabels::new(Pieces(text.as_bytes(), start)).read_to_string(&mut out).expect("reads");
            assert_eq!(out, plain);
        }
        let mut out = String::new();
        PlainLabels::new(&b""[..]).read_to_string(&mut out).expect("reads");
        assert_eq!(out, "");
    }

    #[test]
    fn terms_are_tidied() {
        let typed = |value: &str, datatype: oxrdf::NamedNodeRef<'_>| {
            Term::from(Literal::new_typed_literal(value, datatype.into_owned()))
        };
        for (found, meant) in [
            (typed("1", xsd::BOOLEAN), typed("true", xsd::BOOLEAN)),
            (typed("0", xsd::BOOLEAN), typed("false", xsd::BOOLEAN)),
            (typed("1", xsd::INTEGER), typed("1", xsd::INTEGER)),
            (typed("-044-03-15", xsd::DATE), typed("-0044-03-15", xsd::DATE)),
            (typed("-5", xsd::G_YEAR), typed("-0005", xsd::G_YEAR)),
            (typed("-500", xsd::G_YEAR), typed("-0500", xsd::G_YEAR)),
            (typed("-12000", xsd::G_YEAR), typed("-12000", xsd::G_YEAR)),
            (typed("1.47561e+07", xsd::DOUBLE), typed("1.47561e+07", xsd::DOUBLE)),
            (NamedNode::new_unchecked("nodeID://b10000").into(), BlankNode::new_unchecked("b10000").into()),
            (NamedNode::new_unchecked("urn:a").into(), NamedNode::new_unchecked("urn:a").into()),
        ] {
            assert_eq!(tidy(found), meant);
        }
    }

    #[test]
    fn errors_have_states() {
        assert_eq!(state_of("Virtuoso 40001 Error SR172: Transaction deadlocked"), Some("40001"));
        assert_eq!(state_of("Bad Gateway 40001"), None);
        assert!(cannot_cut(
            "Virtuoso 22023 Error SR353: Sorted TOP clause specifies more then 12345 rows to sort."
        ));
        assert!(!cannot_cut("Virtuoso 22012 Error SR084: Division by 0."));
        assert!(is_passing("40001") && !is_passing("37000") && is_interruption("S1TAT"));
    }
}
