//! Wikidata's statement nodes without qualifiers.

use super::group::{Group, predicate};
use super::variables::{Names, name_of, of_expression};
use spargebra::term::{NamedNode, NamedNodePattern, TriplePattern};

const STATEMENT: &str = "http://www.wikidata.org/prop/";
const VALUE: &str = "http://www.wikidata.org/prop/statement/";
const DIRECT: &str = "http://www.wikidata.org/prop/direct/";

/// Whether a triple leads to a statement node.
pub(super) fn is_statement(triple: &TriplePattern) -> bool {
    property(triple).is_some()
}

fn property(triple: &TriplePattern) -> Option<&str> {
    predicate(triple)?.strip_prefix(STATEMENT).filter(|id| !id.contains('/'))
}

/// The property of a triple from a statement node to its value.
fn value_property(triple: &TriplePattern) -> Option<&str> {
    predicate(triple)?.strip_prefix(VALUE)
}

impl Group {
    /// `?x p:P1 ?s . ?s ps:P1 ?y` is `?x wdt:P1 ?y` if nothing else is stated about `?s`.
    pub(super) fn join_statements(&mut self, used: &Names) -> usize {
        let mut joined_statements = 0;
        self.each_part(used, &mut |part, around| joined_statements += part.join_statements(around));
        let mut at = 0;
        while let Some(first) = self.triples.get(at) {
            match self.value_of_statement(at, first, used) {
                Some((value, joined)) => {
                    self.triples[at] = joined;
                    self.triples.remove(value);
                    joined_statements += 1;
                    at = 0;
                }
                None => at += 1,
            }
        }
        joined_statements + self.remove_repeated_statements()
    }

    /// `?x wdt:P1 ?y` goes if a statement with qualifiers says the same: `?x p:P1 ?s . ?s ps:P1 ?y`.
    fn remove_repeated_statements(&mut self) -> usize {
        let mut said = Vec::new();
        for statement in &self.triples {
            let Some(property) = property(statement) else { continue };
            let of_node = self.triples.iter().filter(|triple| triple.subject == statement.object);
            for value in of_node.filter(|triple| value_property(triple) == Some(property)) {
                said.push((property.to_owned(), statement.subject.clone(), value.object.clone()));
            }
        }
        if said.is_empty() {
            return 0;
        }
        let before = self.triples.len();
        self.triples.retain(|triple| {
            let direct = predicate(triple).and_then(|iri| iri.strip_prefix(DIRECT));
            !direct.is_some_and(|direct| {
                said.iter().any(|(property, subject, object)| {
                    property == direct && *subject == triple.subject && *object == triple.object
                })
            })
        });
        before - self.triples.len()
    }

    /// The triple from a statement node to its value, and the triple that says the same as both.
    fn value_of_statement(
        &self,
        at: usize,
        first: &TriplePattern,
        used: &Names,
    ) -> Option<(usize, TriplePattern)> {
        let property = property(first)?;
        let node = name_of(&first.object)?;
        let is_node = |term| name_of(term).as_deref() == Some(node.as_str());
        let mut others =
            self.triples.iter().enumerate().filter(|(other, triple)| {
                *other != at && (is_node(&triple.subject) || is_node(&triple.object))
            });
        let (value, second) = others.next()?;
        if others.next().is_some() || used.has(&node) || is_node(&second.object) {
            return None;
        }
        if value_property(second)? != property {
            return None;
        }
        let rest = Group { triples: Vec::new(), ..self.clone() };
        let mut elsewhere = rest.scope();
        rest.filters.iter().for_each(|filter| of_expression(filter, &mut elsewhere));
        rest.binds.iter().for_each(|(_, expression)| of_expression(expression, &mut elsewhere));
        rest.minus.iter().for_each(|minus| elsewhere.extend(minus.scope()));
        if elsewhere.has(&node) {
            return None;
        }
        let direct = NamedNode::new(format!("{DIRECT}{property}")).ok()?;
        let joined = TriplePattern {
            subject: first.subject.clone(),
            predicate: NamedNodePattern::NamedNode(direct),
            object: second.object.clone(),
        };
        Some((value, joined))
    }
}
