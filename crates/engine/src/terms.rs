//! Converts between RDF terms and answers.

use crate::found::Found;
use crate::plan::{Plan, PlannedAsk, SetKind};
use crate::shortcut::View;
use oxrdf::{NamedNode, Term};
use touchstone_kb::rdf::{DirectView, KqaProView, RdfTerm, RdfView};
use touchstone_kb::{
    FactId, Kb, Literal, LiteralId, NodeId, Precision, Property, UNIT_NAMESPACE, Value, XSD, iri,
};
use touchstone_logic::{Answer, Direction};

/// Both views of a KB.
pub(crate) struct Views<'kb> {
    pub(crate) direct: DirectView<'kb>,
    pub(crate) kqapro: KqaProView<'kb>,
}

impl<'kb> Views<'kb> {
    pub(crate) fn new(kb: &'kb Kb) -> Views<'kb> {
        Views { direct: DirectView::new(kb), kqapro: KqaProView::new(kb) }
    }

    pub(crate) fn get(&self, view: View) -> &dyn RdfView {
        match view {
            View::Direct => &self.direct,
            View::KqaPro => &self.kqapro,
        }
    }

    /// An RDF term as an answer.
    pub(crate) fn answer(&self, kb: &Kb, view: View, term: &Term) -> Answer {
        let fact_value = |fact: FactId| match kb.fact(fact).map(|fact| fact.value) {
            Some(Value::Literal(literal)) => Some(Answer::literal(&kb.literal(literal))),
            Some(Value::Node(node)) => Some(Answer::node(kb, node)),
            None => None,
        };
        let known = match self.get(view).encode(term) {
            Some(RdfTerm::Node(node)) => Some(Answer::node(kb, node)),
            Some(RdfTerm::Relation(relation)) => Some(Answer::Relation {
                id: kb.relation_id(relation).to_owned(),
                label: kb.relation_label(relation).to_owned(),
            }),
            Some(RdfTerm::Attribute(attribute)) => Some(Answer::Relation {
                id: kb.attribute_id(attribute).to_owned(),
                label: kb.attribute_label(attribute).to_owned(),
            }),
            // KQA Pro asks for value nodes; users want the value.
            Some(RdfTerm::ValueOf(fact)) => fact_value(fact),
            Some(RdfTerm::QualifierValueOf(position)) => {
                self.kqapro.qualifier_value(position).map(|value| match value {
                    Value::Literal(literal) => Answer::literal(&kb.literal(literal)),
                    Value::Node(node) => Answer::node(kb, node),
                })
            }
            Some(RdfTerm::Key(key)) => self.kqapro.key_relation(key).map(|relation| Answer::Relation {
                id: kb.relation_id(relation).to_owned(),
                label: kb.relation_label(relation).to_owned(),
            }),
            _ => None,
        };
        known.unwrap_or_else(|| match term {
            Term::Literal(literal) => literal_answer(literal),
            other => Answer::Term { value: other.to_string() },
        })
    }

    /// The result of the embedded engine for a SPARQL query over plain triples, as terms.
    pub(crate) fn terms(&self, plan: &Plan, view: View, found: &Found<'_>) -> Vec<Term> {
        let attribute = answer_attribute(plan);
        let literal = |id: u32| match (attribute, view) {
            (Some(attribute), View::Direct) => {
                self.direct.decode(self.direct.literal_term(attribute, LiteralId(id)))
            }
            _ => self.get(view).decode(RdfTerm::Literal(LiteralId(id))),
        };
        match found {
            Found::Things { nodes, literals } => {
                let nodes = nodes.iter().map(|&node| self.get(view).decode(RdfTerm::Node(NodeId(node))));
                nodes.chain(literals.iter().map(|&id| literal(id))).collect()
            }
            Found::Relations(relations) => {
                relations.iter().map(|&relation| self.direct.decode(RdfTerm::Relation(relation))).collect()
            }
            Found::Count(count) => vec![Term::Literal((*count).into())],
            Found::Boolean(value) => vec![Term::Literal((*value).into())],
        }
    }
}

/// The only attribute whose values are the answers.
fn answer_attribute(plan: &Plan) -> Option<touchstone_kb::AttributeId> {
    let PlannedAsk::Members(set) = &plan.ask else { return None };
    match &set.kind {
        SetKind::Relate(relate) if relate.direction == Direction::Forward => {
            match relate.properties.as_slice() {
                [Property::Attribute(attribute)] => Some(*attribute),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A literal that need not be in the KB.
fn literal_answer(literal: &oxrdf::Literal) -> Answer {
    if let Some(unit) = literal.datatype().as_str().strip_prefix(UNIT_NAMESPACE) {
        let unit = iri::decode(unit);
        let unit = if unit == "1" { "" } else { unit.as_ref() };
        return Answer::Quantity { value: literal.value().to_owned(), unit: unit.to_owned() };
    }
    Answer::literal(&Literal::from_rdf(
        literal.value(),
        literal.datatype().as_str(),
        literal.language().unwrap_or(""),
    ))
}

/// An answer as a term, for result formats of SPARQL.
pub(crate) fn answer_term(kb: &Kb, view: &dyn RdfView, answer: &Answer) -> Term {
    let typed = |value: &str, datatype: String| {
        Term::Literal(oxrdf::Literal::new_typed_literal(value, NamedNode::new_unchecked(datatype)))
    };
    match answer {
        Answer::Entity { id, .. } | Answer::Class { id, .. } => match kb.node(id) {
            Some(node) => view.decode(RdfTerm::Node(node)),
            None => Term::Literal(id.as_str().into()),
        },
        Answer::Relation { id, .. } => match kb.relation(id) {
            Some(relation) => view.decode(RdfTerm::Relation(relation)),
            None => Term::Literal(id.as_str().into()),
        },
        Answer::Text { value, language, datatype } => {
            if !language.is_empty() {
                Term::Literal(oxrdf::Literal::new_language_tagged_literal_unchecked(value, language))
            } else if datatype.is_empty() {
                Term::Literal(value.as_str().into())
            } else {
                typed(value, datatype.clone())
            }
        }
        Answer::Quantity { value, unit } if unit.is_empty() => typed(value, format!("{XSD}decimal")),
        Answer::Quantity { value, unit } => typed(value, iri::encode(UNIT_NAMESPACE, unit)),
        Answer::Time { value, precision } => {
            let name = match *precision {
                Some(Precision::Year) => "gYear",
                Some(Precision::Month) => "gYearMonth",
                Some(Precision::Day) => "date",
                Some(Precision::Second) | None => "dateTime",
            };
            typed(value, format!("{XSD}{name}"))
        }
        Answer::Boolean { value } => Term::Literal((*value).into()),
        Answer::Number { value } => {
            let is_whole = value.as_str().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            typed(value.as_str(), format!("{XSD}{}", if is_whole { "integer" } else { "decimal" }))
        }
        Answer::Term { .. } | Answer::Tuple { .. } => Term::Literal(answer.text().as_ref().into()),
    }
}
