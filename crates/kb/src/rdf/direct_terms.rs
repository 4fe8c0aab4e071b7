//! The terms of the *direct* view: from RDF to their codes and back.

use super::literals::{language_of, read, unit_of, write};
use super::{DirectView, Position, RdfTerm, RdfTriple, RdfView, TripleSink, Triples, matching};
use crate::ids::{FactId, LiteralId, Property};
use crate::iri::IriScheme;
use crate::literal::{Literal, LiteralKind, NumberType, UNIT_NAMESPACE};
use crate::vocabulary::RdfVocabulary;
use oxrdf::{BlankNode, NamedNode, Term, Triple};
use std::ops::ControlFlow;

impl DirectView<'_> {
    /// The code of a literal.
    fn encode_literal(&self, literal: &oxrdf::Literal) -> Option<RdfTerm> {
        if self.asserted.is_some() {
            return self.encode_exactly(literal);
        }
        let datatype = literal.datatype();
        let text = literal.value();
        let unit_one = format!("{UNIT_NAMESPACE}1");
        if datatype.as_str() == unit_one {
            return self.kb.find_literal(&Literal::quantity(text, "")?).map(RdfTerm::Dimensionless);
        }
        let decoded_unit = datatype.as_str().strip_prefix(UNIT_NAMESPACE).map(|_| {
            let scheme = IriScheme { base: UNIT_NAMESPACE.to_owned(), vocabulary: RdfVocabulary::Freebase };
            scheme.resource(datatype.as_str()).id().into_owned()
        });
        let parsed = match &decoded_unit {
            Some(unit) => Literal::quantity(text, unit)?,
            None => Literal::from_rdf(text, datatype.as_str(), literal.language().unwrap_or("")),
        };
        if parsed.kind() == LiteralKind::Year {
            let year = parsed.as_time()?.year();
            let bare = year.to_string();
            let padded = crate::time::padded_year(year) == text;
            let found = Literal::year(&bare).filter(|_| padded).and_then(|y| self.kb.find_literal(&y));
            return found.or_else(|| self.kb.find_literal(&parsed)).map(RdfTerm::Literal);
        }
        let found = self.kb.find_literal(&parsed).map(RdfTerm::Literal);
        found.or_else(|| self.schema_text(text).filter(|_| parsed.kind() == LiteralKind::Text))
    }

    /// The code of a literal with exactly this spelling.
    fn encode_exactly(&self, literal: &oxrdf::Literal) -> Option<RdfTerm> {
        let (text, datatype) = (literal.value(), literal.datatype().as_str());
        let (language, unit) = (language_of(literal), unit_of(datatype, self.units));
        let as_read = read(literal, &language, unit.as_deref());
        // Years are stored without the zeros that XML Schema requires.
        let year = as_read.as_time().filter(|_| as_read.kind() == LiteralKind::Year);
        let year = year.map(|time| time.year().to_string());
        let candidates = [year.as_deref().and_then(Literal::year), Some(as_read)];
        let found = candidates.into_iter().flatten().filter_map(|candidate| self.kb.find_literal(&candidate));
        let mut written = found.filter(|&id| self.literal_of(id) == *literal);
        if let Some(id) = written.next() {
            return Some(RdfTerm::Literal(id));
        }
        self.schema_text(text).filter(|_| as_read.kind() == LiteralKind::Text)
    }

    fn literal_of(&self, id: LiteralId) -> oxrdf::Literal {
        write(&self.kb.literal(id), self.units)
    }
}

impl RdfView for DirectView<'_> {
    fn matching(
        &self,
        subject: Option<RdfTerm>,
        predicate: Option<RdfTerm>,
        object: Option<RdfTerm>,
    ) -> Triples<'_> {
        match &self.asserted {
            Some(asserted) => self.exactly_matching(asserted, subject, predicate, object),
            None => matching(self, subject, predicate, object),
        }
    }

    fn for_each_match(
        &self,
        subject: Option<RdfTerm>,
        predicate: Option<RdfTerm>,
        object: Option<RdfTerm>,
        sink: TripleSink<'_>,
    ) -> ControlFlow<()> {
        match self.look_up(subject, predicate, object, sink) {
            Some(flow) => flow,
            None => self.matching(subject, predicate, object).try_for_each(sink),
        }
    }

    fn estimate(&self, subject: Position, predicate: Position, object: Position) -> f64 {
        self.estimate_pattern(subject, predicate, object)
    }

    fn quoted_triple(&self, term: RdfTerm) -> Option<RdfTriple> {
        let RdfTerm::Quoted(fact) = term else { return None };
        let fact = self.kb.fact(fact)?;
        Some([RdfTerm::Node(fact.subject), self.property_term(fact.property), self.value_term(&fact)])
    }

    fn triple_term(&self, [subject, predicate, object]: RdfTriple) -> Option<RdfTerm> {
        let RdfTerm::Node(node) = subject else { return None };
        let (relation, attribute) = self.properties_of(predicate);
        if let (Some(relation), RdfTerm::Node(value)) = (relation, object) {
            let first = self.kb.first_fact(node, Property::Relation(relation), value.0);
            return first.map(RdfTerm::Quoted);
        }
        let attribute = attribute?;
        // A literal is mostly stored as it is shown, or in the attribute's usual unit.
        if let Some(stored) = self.stored_literal(attribute, object)
            && let Some(first) = self.kb.first_fact(node, Property::Attribute(attribute), stored.0)
        {
            return Some(RdfTerm::Quoted(first));
        }
        let mut facts = self.kb.facts_of(node, Property::Attribute(attribute));
        let shown = |&id: &u32| self.kb.fact(FactId(id)).is_some_and(|fact| self.value_term(&fact) == object);
        facts.find(shown).map(|id| RdfTerm::Quoted(FactId(id)))
    }

    fn quotes_own_triples_only(&self) -> bool {
        self.asserted.is_none()
    }

    fn matching_in_model(
        &self,
        subject: Option<RdfTerm>,
        predicate: Option<RdfTerm>,
        object: Option<RdfTerm>,
    ) -> Option<Triples<'_>> {
        self.asserted.as_ref().map(|_| matching(self, subject, predicate, object))
    }

    fn has_doubles(&self) -> bool {
        *self.has_doubles.get_or_init(|| self.kb.has_number_of_type(NumberType::Double))
    }

    fn encode(&self, term: &Term) -> Option<RdfTerm> {
        match term {
            Term::NamedNode(iri) => self.encode_iri(iri.as_str()),
            Term::BlankNode(blank) => {
                let label = blank.as_str();
                let id = format!("_:{label}");
                if let Some(node) = self.kb.node(&id) {
                    return Some(RdfTerm::Node(node));
                }
                if let Some(asserted) = &self.asserted {
                    return asserted.find(&id);
                }
                let number: u32 = label.strip_prefix("fact")?.parse().ok()?;
                self.kb.fact(FactId(number)).map(|fact| RdfTerm::Fact(fact.id))
            }
            Term::Literal(literal) => self.encode_literal(literal),
            Term::Triple(triple) => {
                if let Some(asserted) = &self.asserted {
                    return asserted.find(&term.to_string());
                }
                let subject = self.encode(&Term::from(triple.subject.clone()))?;
                let predicate = self.encode(&Term::NamedNode(triple.predicate.clone()))?;
                let object = self.encode(&triple.object)?;
                self.triple_term([subject, predicate, object])
            }
        }
    }

    fn decode(&self, term: RdfTerm) -> Term {
        let iri = |iri: String| Term::NamedNode(NamedNode::new_unchecked(iri));
        match term {
            RdfTerm::Node(node) => {
                let id = self.kb.node_id(node);
                match id.strip_prefix("_:").and_then(|label| BlankNode::new(label).ok()) {
                    Some(blank) => Term::BlankNode(blank),
                    None => iri(self.scheme.node(id)),
                }
            }
            RdfTerm::Relation(relation) => iri(self.scheme.property(self.kb.relation_id(relation))),
            RdfTerm::Attribute(attribute) => iri(self.scheme.property(self.kb.attribute_id(attribute))),
            RdfTerm::Qualifier(qualifier) => iri(self.scheme.qualifier(self.kb.qualifier_id(qualifier))),
            RdfTerm::Vocabulary(word) => iri(self.vocabulary.iri(word).to_owned()),
            RdfTerm::Literal(literal) => Term::Literal(self.literal_of(literal)),
            RdfTerm::Dimensionless(literal) => {
                let datatype = NamedNode::new_unchecked(format!("{UNIT_NAMESPACE}1"));
                let text = self.kb.literal(literal).text();
                Term::Literal(oxrdf::Literal::new_typed_literal(text, datatype))
            }
            RdfTerm::SchemaText(at) => {
                Term::Literal(oxrdf::Literal::new_simple_literal(self.schema_texts[at as usize].as_str()))
            }
            RdfTerm::Fact(fact) => Term::BlankNode(BlankNode::new_unchecked(format!("fact{}", fact.0))),
            RdfTerm::Quoted(fact) => {
                let triple = self.kb.fact(fact).and_then(|fact| {
                    let terms = [
                        RdfTerm::Node(fact.subject),
                        self.property_term(fact.property),
                        self.value_term(&fact),
                    ];
                    self.decode_triple(terms)
                });
                match triple {
                    Some(triple) => Term::Triple(Box::<Triple>::new(triple)),
                    None => Term::BlankNode(BlankNode::new_unchecked("none")),
                }
            }
            RdfTerm::Asserted(text) => match &self.asserted {
                Some(asserted) => asserted.decode(text),
                None => Term::BlankNode(BlankNode::new_unchecked("none")),
            },
            // Codes of the other view.
            RdfTerm::ValueOf(_)
            | RdfTerm::QualifierValueOf(_)
            | RdfTerm::Key(_)
            | RdfTerm::Predicate(_)
            | RdfTerm::Double(_)
            | RdfTerm::Integer(_)
            | RdfTerm::Date(_) => Term::BlankNode(BlankNode::new_unchecked("none")),
        }
    }
}
