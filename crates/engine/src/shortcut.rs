//! Decides which SPARQL queries the embedded engine may run.
//!
//! SPARQL has exact terms, direct classes, no subclasses, and no containment of times. The algebra is more permissive. The embedded engine
//! runs a recognised query only if both interpretations give the same answers on this KB; in doubt, the general evaluator runs it. All
//! conditions here are sufficient, not necessary, and a differential test checks that both engines give the same answers.

use crate::values::satisfying;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use touchstone_kb::rdf::{DirectView, RdfTerm, RdfView};
use touchstone_kb::{AttributeId, Comparison, Kb, LiteralId, LiteralKind, NumberType, Property};
use touchstone_logic::sparql::{Dialect, QueryIris, Recognised};
use touchstone_logic::{Ask, Direction, Loss, Operand, Query, Relate, Set, Superlative, Value};

/// The graph that a SPARQL query is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum View {
    /// Plain triples.
    Direct,
    /// KQA Pro's graph, with nodes for values and facts.
    KqaPro,
}

impl View {
    /// Both views, each with its name and a description.
    pub const NAMED: [(&'static str, &'static str, View); 2] = [
        ("direct", "Plain triples", View::Direct),
        ("kqapro", "KQA Pro's graph: values and facts are nodes", View::KqaPro),
    ];
}

/// Caches which attributes have only plain numbers: that requires a scan of all their values.
#[derive(Debug, Default)]
pub(crate) struct PlainNumbers(Mutex<HashMap<AttributeId, bool>>);

impl PlainNumbers {
    /// Whether all values of an attribute are numbers in its usual unit that SPARQL orders as we do: no floats, whose digits are truncated, no
    /// more digits than a double holds, and no number with two spellings.
    fn only(&self, kb: &Kb, attribute: AttributeId) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(attribute).or_insert_with(|| {
            let (column, unit) = (kb.facts_by_value(attribute), kb.plain_unit(attribute));
            let mut before: Option<(LiteralId, f64)> = None;
            (0..column.len()).map(|at| column.value(at)).all(|id| {
                if before.is_some_and(|(other, _)| other == id) {
                    return true;
                }
                let literal = kb.literal(id);
                let Some(number) = literal.number().filter(|_| literal.unit() == unit) else { return false };
                let alike = before.replace((id, number)).is_some_and(|(_, other)| other == number);
                let digits = literal.text().bytes().filter(u8::is_ascii_digit).count();
                // Some numbers are not valid for their datatype; SPARQL does not treat them as numbers.
                let well_written = match literal.number_type() {
                    NumberType::Double => true,
                    NumberType::Decimal => !literal.text().contains(['e', 'E']),
                    NumberType::Integer => !literal.text().contains(['e', 'E', '.']),
                    _ => false,
                };
                !alike && well_written && digits <= 15
            })
        })
    }
}

/// A query of the algebra to run instead of a SPARQL query.
pub(crate) struct Shortcut {
    pub(crate) query: Query,
    /// Whether SPARQL keeps one of the answers: any of those that tie.
    pub(crate) is_one_of_ties: bool,
}

/// The query to run instead, if it has the same answers. `iris` are those of the SPARQL query.
pub(crate) fn shortcut(
    recognised: &Recognised,
    iris: &QueryIris,
    kb: &Kb,
    view: View,
    terms: &DirectView<'_>,
    numbers: &PlainNumbers,
) -> Option<Shortcut> {
    let is_one_of_ties = recognised.lost == [Loss::OneOfTies];
    // In KQA Pro's graph, values are nodes, and the spelling of a value decides what a pattern finds: no equivalence can be assumed.
    if !(is_one_of_ties || recognised.lost.is_empty())
        || recognised.dialect == Dialect::KqaPro
        || view == View::KqaPro
    {
        return None;
    }
    let adapter = Adapter { kb, terms, iris, numbers };
    let query = &recognised.query;
    let answer = match &query.answer {
        Ask::Members(Set::Superlative(superlative)) if is_one_of_ties && has_superlative(&superlative.of) => {
            return None;
        }
        ask if is_one_of_ties && !matches!(ask, Ask::Members(Set::Superlative(_))) => return None,
        Ask::Members(set) => Ask::Members(adapter.answers(set)?),
        Ask::Count(set) => Ask::Count(adapter.set(set)?),
        Ask::Exists(set) => Ask::Exists(adapter.set(set)?),
        // Predicates of the vocabulary are answers in SPARQL only.
        _ => return None,
    };
    for (a, b) in &query.rules.different {
        for operand in [a, b] {
            if let Operand::Entity(id) = operand {
                adapter.node(id)?;
            }
        }
    }
    Some(Shortcut { query: Query { answer, rules: query.rules.clone() }, is_one_of_ties })
}

fn has_superlative(set: &Set) -> bool {
    let mut found = matches!(set, Set::Superlative(_));
    set.children(&mut |inner| found = found || has_superlative(inner));
    found
}

struct Adapter<'k> {
    kb: &'k Kb,
    terms: &'k DirectView<'k>,
    iris: &'k QueryIris,
    numbers: &'k PlainNumbers,
}

impl Adapter<'_> {
    /// The set that is the answer: it may be the values of one attribute.
    fn answers(&self, set: &Set) -> Option<Set> {
        match set {
            Set::Relate(relate) if relate.direction == Direction::Forward => {
                let properties = self.property(&relate.property)?;
                if let [Property::Attribute(_)] = properties.as_slice()
                    && relate.conditions.is_empty()
                {
                    let from = self.set(&relate.from)?;
                    return Some(Set::relate(from, relate.property.clone(), Direction::Forward));
                }
                self.set(set)
            }
            _ => self.set(set),
        }
    }

    /// A set of nodes with the same meaning in SPARQL.
    fn set(&self, set: &Set) -> Option<Set> {
        match set {
            Set::Entity(id) => {
                self.node(id)?;
                Some(set.clone())
            }
            Set::Class(word) => {
                self.node(word)?;
                let class = self.kb.class(word)?;
                let members = self.kb.members(class);
                let same = members.len() == self.kb.direct_members(class).len();
                let same = same && self.terms.types_are_members(class);
                same.then(|| set.clone())
            }
            Set::Relate(relate) => self.relate(relate),
            Set::And(parts) => Some(Set::And(self.all(parts)?)),
            Set::Or(parts) => Some(Set::Or(self.all(parts)?)),
            Set::Marked(mark, inner) => Some(Set::Marked(*mark, Box::new(self.set(inner)?))),
            Set::Same(_) => Some(set.clone()),
            Set::Superlative(superlative) => {
                let of = self.set(&superlative.of)?;
                let (last, before) = superlative.path.split_last()?;
                for step in before {
                    let properties = self.property(&step.property)?;
                    properties.iter().all(|p| matches!(p, Property::Relation(_))).then_some(())?;
                }
                // Only numbers in one unit: then SPARQL's order equals ours.
                let properties = self.property(&last.property)?;
                let [Property::Attribute(attribute)] = properties.as_slice() else { return None };
                self.numbers.only(self.kb, *attribute).then_some(())?;
                Some(Set::Superlative(Box::new(Superlative { of, ..superlative.as_ref().clone() })))
            }
            // Everything, values on their own, periods, and names in plain triples.
            Set::All | Set::Values(..) | Set::During(_) | Set::Named(_) => None,
        }
    }

    fn all(&self, parts: &[Set]) -> Option<Vec<Set>> {
        parts.iter().map(|part| self.set(part)).collect()
    }

    fn relate(&self, relate: &Relate) -> Option<Set> {
        let properties = self.property(&relate.property)?;
        // Qualifiers need SPARQL 1.2, so they are excluded.
        relate.conditions.is_empty().then_some(())?;
        let from = match &relate.from {
            Set::Values(comparison, value) => {
                let [Property::Attribute(attribute)] = properties.as_slice() else { return None };
                (relate.direction == Direction::Backward).then_some(())?;
                Set::Values(*comparison, Box::new(self.direct_value(*attribute, *comparison, value)?))
            }
            // The other end is unrestricted: a fact is sufficient.
            Set::All => Set::All,
            // Inner literals would be joined by their spelling.
            from => {
                properties.iter().all(|p| matches!(p, Property::Relation(_))).then_some(())?;
                self.set(from)?
            }
        };
        let forward_literals = relate.direction == Direction::Forward
            && properties.iter().any(|p| matches!(p, Property::Attribute(_)));
        if forward_literals {
            return None;
        }
        Some(Set::Relate(Box::new(Relate { from, ..relate.clone() })))
    }

    /// Names come from IRIs of several namespaces: the namespace in the query must be that of the KB.
    fn is_written(&self, term: RdfTerm) -> Option<()> {
        match self.terms.decode(term) {
            oxrdf::Term::NamedNode(iri) => self.iris.contains(iri.as_str()).then_some(()),
            _ => None,
        }
    }

    /// An entity or class, by its IRI.
    fn node(&self, id: &str) -> Option<()> {
        self.is_written(RdfTerm::Node(self.kb.node(id)?))
    }

    /// The properties that a name denotes, if SPARQL agrees.
    fn property(&self, word: &str) -> Option<Vec<Property>> {
        let relation = self.kb.relation(word).map(Property::Relation);
        let attribute = self.kb.attribute(word).map(Property::Attribute);
        let by_id: Vec<Property> = relation.into_iter().chain(attribute).collect();
        by_id.iter().all(|&property| self.terms.triples_are_facts(property, false)).then_some(())?;
        self.is_written(match *by_id.first()? {
            Property::Relation(relation) => RdfTerm::Relation(relation),
            Property::Attribute(attribute) => RdfTerm::Attribute(attribute),
        })?;
        Some(by_id)
    }

    /// A value in plain triples, with the unit that is not written there.
    fn direct_value(&self, attribute: AttributeId, comparison: Comparison, value: &Value) -> Option<Value> {
        let literal = value.literal();
        let usual = self.kb.plain_unit(attribute);
        let is_number = literal.kind() == LiteralKind::Quantity && value.unit.is_empty();
        // A double holds fifteen digits.
        if is_number && value.text.bytes().filter(u8::is_ascii_digit).count() > 15 {
            return None;
        }
        match comparison {
            Comparison::Equal => self.same_term(attribute, value),
            _ if is_number && self.numbers.only(self.kb, attribute) => {
                Some(Value { unit: usual.into(), ..value.clone() })
            }
            _ => None,
        }
    }

    /// A value that equals at most one literal of the attribute, with the same spelling.
    fn same_term(&self, attribute: AttributeId, value: &Value) -> Option<Value> {
        let usual = self.kb.plain_unit(attribute);
        let is_number = value.literal().kind() == LiteralKind::Quantity;
        if is_number && !value.unit.is_empty() {
            return None;
        }
        let value = if is_number { Value { unit: usual.into(), ..value.clone() } } else { value.clone() };
        let wanted = value.literal();
        let ranges = satisfying(self.kb, Comparison::Equal, &wanted).ok()?;
        let column = self.kb.facts_by_value(attribute);
        let mut found: Option<LiteralId> = None;
        for range in ranges.ranges() {
            let positions = column.positions(range.start as usize..range.end as usize);
            let (Some(first), Some(last)) = (positions.clone().next(), positions.clone().next_back()) else {
                continue;
            };
            let (first, last) = (column.value(first), column.value(last));
            if first != last || found.is_some_and(|other| other != first) {
                return None;
            }
            found = Some(first);
        }
        let same = found.is_none_or(|id| {
            let literal = self.kb.literal(id);
            // Years are written with four digits.
            let shown = match literal.as_time() {
                Some(_) => matches!(self.terms.decode(RdfTerm::Literal(id)), oxrdf::Term::Literal(l) if l.value() == value.text),
                None => true,
            };
            shown
                && literal.kind() == wanted.kind()
                && literal.text() == wanted.text()
                && literal.language() == wanted.language()
                && literal.datatype() == wanted.datatype()
                && literal.number_type() == wanted.number_type()
        });
        same.then_some(value)
    }
}
