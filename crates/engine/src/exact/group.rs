//! Writing SPARQL: terms, and the parts of a group in an order that every engine takes well.

use super::Inexpressible;
use oxrdf::{NamedNode, Term};
use std::fmt::Write as _;
use touchstone_kb::XSD;

/// The parts of `{ ... }`.
#[derive(Debug, Default)]
pub(super) struct Group {
    values: Vec<String>,
    triples: Vec<String>,
    selects: Vec<String>,
    binds: Vec<String>,
    optionals: Vec<String>,
    filters: Vec<String>,
}

impl Group {
    pub(super) fn triple(&mut self, subject: &str, predicate: &str, object: &str) {
        let triple = format!("{subject} {predicate} {object} .");
        if !self.triples.contains(&triple) {
            self.triples.push(triple);
        }
    }

    /// A variable has one of these values.
    pub(super) fn one_of(&mut self, variable: &str, terms: impl IntoIterator<Item = String>) {
        let terms: Vec<String> = terms.into_iter().collect();
        self.values.push(format!("VALUES {variable} {{ {} }}", terms.join(" ")));
    }

    pub(super) fn select(&mut self, text: String) {
        self.selects.push(text);
    }

    pub(super) fn bind(&mut self, expression: &str, variable: &str) {
        self.binds.push(format!("BIND({expression} AS {variable})"));
    }

    pub(super) fn optional(&mut self, subject: &str, predicate: &str, object: &str) {
        let optional = format!("OPTIONAL {{ {subject} {predicate} {object} }}");
        if !self.optionals.contains(&optional) {
            self.optionals.push(optional);
        }
    }

    pub(super) fn filter(&mut self, expression: &str) {
        let filter = format!("FILTER({expression})");
        if !self.filters.contains(&filter) {
            self.filters.push(filter);
        }
    }

    /// There is nothing like this.
    pub(super) fn none(&mut self, pattern: &str) {
        self.filters.push(format!("FILTER NOT EXISTS {{ {pattern} }}"));
    }

    /// The text, without braces.
    pub(super) fn text(&self) -> String {
        let mut values = self.values.clone();
        if self.triples.is_empty() && self.selects.is_empty() && !values.is_empty() {
            // Virtuoso loses the other branches of a union if one of them is a bare list.
            values = vec![format!("{{ SELECT * WHERE {{ {} }} }}", values.join(" "))];
        }
        let parts = [&values, &self.triples, &self.selects, &self.binds, &self.optionals, &self.filters];
        let lines: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        lines.join("\n")
    }
}

/// Groups as alternatives.
pub(super) fn union(groups: &[String]) -> String {
    match groups {
        [] => String::new(),
        [only] => only.clone(),
        several => {
            let braced: Vec<String> =
                several.iter().map(|group| format!("{{\n{}\n}}", indented(group))).collect();
            braced.join(" UNION ")
        }
    }
}

pub(super) fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

/// A term as SPARQL writes it. Blank nodes have no name in queries.
pub(super) fn term(term: &Term) -> Result<String, Inexpressible> {
    match term {
        Term::NamedNode(iri) => Ok(self::iri(iri.as_str())),
        Term::Literal(literal) => Ok(match (literal.language(), literal.datatype()) {
            (Some(language), _) => format!("{}@{language}", text(literal.value())),
            (None, datatype) if datatype == oxrdf::vocab::xsd::STRING => text(literal.value()),
            (None, datatype) => format!("{}^^{}", text(literal.value()), iri(datatype.as_str())),
        }),
        Term::BlankNode(_) => Err(Inexpressible::new("a blank node: queries cannot name it")),
        Term::Triple(_) => Err(Inexpressible::new("a triple as a value")),
    }
}

pub(super) fn iri(iri: &str) -> String {
    // What was read from a KB is not always a valid IRI; what would end it early is written as an escape.
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

/// A string literal.
pub(super) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A number as a double, with all its digits.
pub(super) fn double(number: f64) -> String {
    format!("\"{number}\"^^{}", xsd("double"))
}

pub(super) fn xsd(name: &str) -> String {
    iri(NamedNode::new_unchecked(format!("{XSD}{name}")).as_str())
}

/// Alternatives of an expression.
pub(super) fn any(mut expressions: Vec<String>) -> String {
    match expressions.len() {
        1 => expressions.remove(0),
        _ => {
            let braced: Vec<String> = expressions.iter().map(|e| format!("({e})")).collect();
            braced.join(" || ")
        }
    }
}

/// A list for `IN`.
pub(super) fn list(terms: impl IntoIterator<Item = String>) -> String {
    let terms: Vec<String> = terms.into_iter().collect();
    format!("({})", terms.join(", "))
}
