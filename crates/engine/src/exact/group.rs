//! The parts of a group, in an order that all engines run efficiently.

use super::NoExactForm;
use oxrdf::Term;
use touchstone_logic::sparql::write;

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
        let triple = write::triple(subject, predicate, object);
        if !self.triples.contains(&triple) {
            self.triples.push(triple);
        }
    }

    /// A variable has one of these values.
    pub(super) fn one_of(&mut self, variable: &str, terms: impl IntoIterator<Item = String>) {
        let terms: Vec<String> = terms.into_iter().collect();
        self.values.push(write::values(variable, &terms));
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

    /// Nothing matches this pattern.
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
pub(super) fn term(term: &Term) -> Result<String, NoExactForm> {
    match term {
        Term::NamedNode(iri) => Ok(write::iri_ref(iri.as_str())),
        Term::Literal(literal) => Ok(match (literal.language(), literal.datatype()) {
            (Some(language), _) => format!("{}@{language}", write::quoted(literal.value())),
            (None, datatype) if datatype == oxrdf::vocab::xsd::STRING => write::quoted(literal.value()),
            (None, datatype) => {
                format!("{}^^{}", write::quoted(literal.value()), write::iri_ref(datatype.as_str()))
            }
        }),
        Term::BlankNode(_) => Err(NoExactForm::new("a blank node: queries cannot name it")),
        Term::Triple(_) => Err(NoExactForm::new("a triple as a value")),
    }
}
