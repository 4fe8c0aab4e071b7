//! How SPARQL is written: terms, triples and expressions. Both printers use it, the one of this crate and the exact one of the engine.

use crate::value::is_language;
use std::fmt::Write as _;
use touchstone_kb::rdf::KqaProPredicate;
use touchstone_kb::{XSD, iri};

/// An IRI in angle brackets. What was read from a KB is not always a valid IRI; what would end it early is written as an escape.
#[must_use]
pub fn iri_ref(iri: &str) -> String {
    let mut out = String::with_capacity(iri.len() + 2);
    out.push('<');
    for c in iri.chars() {
        match c {
            '\0'..=' ' | '<' | '>' | '"' | '{' | '}' | '|' | '^' | '`' | '\\' => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('>');
    out
}

/// A text in quotes; nothing in it can end it early.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A literal with its language or datatype; without both, a plain text.
#[must_use]
pub fn literal(text: &str, datatype: &str, language: &str) -> String {
    if is_language(language) {
        format!("{}@{language}", quoted(text))
    } else if iri::is_absolute(datatype) {
        format!("{}^^<{datatype}>", quoted(text))
    } else if !datatype.is_empty() {
        // A datatype that is not an IRI must not end one early.
        format!("{}^^<{}>", quoted(text), iri::encode("urn:touchstone:datatype:", datatype))
    } else {
        quoted(text)
    }
}

/// A datatype of XML Schema: `xsd("date")`.
#[must_use]
pub fn xsd(name: &str) -> String {
    format!("<{XSD}{name}>")
}

/// A literal of a datatype of XML Schema.
#[must_use]
pub fn typed(text: &str, xsd_name: &str) -> String {
    format!("{}^^{}", quoted(text), xsd(xsd_name))
}

/// A number as a double, with all its digits.
#[must_use]
pub fn double(number: f64) -> String {
    typed(&number.to_string(), "double")
}

/// A predicate of KQA Pro's graph.
#[must_use]
pub fn kqapro(predicate: KqaProPredicate) -> String {
    format!("<{}>", predicate.iri())
}

/// A triple with its full stop.
#[must_use]
pub fn triple(subject: &str, predicate: &str, object: &str) -> String {
    format!("{subject} {predicate} {object} .")
}

/// A triple term of SPARQL 1.2.
#[must_use]
pub fn triple_term(subject: &str, predicate: &str, object: &str) -> String {
    format!("<<( {subject} {predicate} {object} )>>")
}

/// A variable, or several in parentheses, with their values.
#[must_use]
pub fn values(variables: &str, terms: &[String]) -> String {
    format!("VALUES {variables} {{ {} }}", terms.join(" "))
}

/// Alternatives of an expression.
#[must_use]
pub fn any(mut expressions: Vec<String>) -> String {
    match expressions.len() {
        1 => expressions.remove(0),
        _ => {
            let braced: Vec<String> = expressions.iter().map(|e| format!("({e})")).collect();
            braced.join(" || ")
        }
    }
}

/// A list for `IN`.
#[must_use]
pub fn list(terms: impl IntoIterator<Item = String>) -> String {
    let terms: Vec<String> = terms.into_iter().collect();
    format!("({})", terms.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_term_early() {
        assert_eq!(iri_ref("urn:a>b c"), r"<urn:a\u003Eb\u0020c>");
        assert_eq!(quoted("a\"\\\n"), r#""a\"\\\n""#);
        assert_eq!(literal("1", "a>b", ""), r#""1"^^<urn:touchstone:datatype:a%3Eb>"#);
        assert_eq!(literal("a", "", "en"), r#""a"@en"#);
        assert_eq!(double(1.5), r#""1.5"^^<http://www.w3.org/2001/XMLSchema#double>"#);
    }
}
