//! The usual patterns of KQA Pro's graph without an iterator on the heap, and estimates of how many triples a pattern has.

use super::direct_lookup::{as_f64, each_once};
use super::kqapro::Key;
use super::{KqaProPredicate as Pred, KqaProView, Position, RdfTerm, TripleSink};
use crate::cast::index32;
use crate::ids::{FactId, LiteralId, NodeId, Property, Value};
use crate::literal::LiteralFamily;
use std::ops::{ControlFlow, Range};

impl KqaProView<'_> {
    /// Passes the triples that fit a pattern to a sink, each once; `None` for patterns that are left to the iterators.
    pub(super) fn look_up(
        &self,
        subject: Option<RdfTerm>,
        predicate: Option<RdfTerm>,
        object: Option<RdfTerm>,
        sink: TripleSink<'_>,
    ) -> Option<ControlFlow<()>> {
        // Facts of an overlay have several numbers.
        let predicate = predicate.filter(|_| !self.kb.is_overlay())?;
        if let RdfTerm::Predicate(fixed) = predicate {
            return self.look_up_fixed(subject, fixed, object, sink);
        }
        let key = self.as_key(predicate)?;
        match subject {
            Some(RdfTerm::Node(node)) if key.relations.len() <= 1 => {
                Some(self.edges_of(node, key, predicate, object, sink))
            }
            None if key.relations.len() <= 1 && key.qualifiers.is_empty() => match object {
                Some(object @ RdfTerm::Node(value)) => {
                    let subjects = key.relations.first().map_or(&[][..], |&r| self.kb.subjects(r, value));
                    Some(each_once(subjects, |s| sink([RdfTerm::Node(NodeId(s)), predicate, object])))
                }
                Some(_) => None,
                None => {
                    let relations = key.relations.iter().map(|&r| Property::Relation(r));
                    let mut properties =
                        relations.chain(key.attributes.iter().map(|&a| Property::Attribute(a)));
                    Some(properties.try_for_each(|property| {
                        self.kb
                            .subjects_with(property)
                            .try_for_each(|node| self.edges_with(node, property, predicate, None, sink))
                    }))
                }
            },
            _ => None,
        }
    }

    fn edges_of(
        &self,
        node: NodeId,
        key: &Key,
        predicate: RdfTerm,
        object: Option<RdfTerm>,
        sink: TripleSink<'_>,
    ) -> ControlFlow<()> {
        for &relation in &key.relations {
            self.edges_with(node, Property::Relation(relation), predicate, object, sink)?;
        }
        for &attribute in &key.attributes {
            self.edges_with(node, Property::Attribute(attribute), predicate, object, sink)?;
        }
        ControlFlow::Continue(())
    }

    /// The edges of one property from a node. A relation must be the only one of its name.
    fn edges_with(
        &self,
        node: NodeId,
        property: Property,
        predicate: RdfTerm,
        object: Option<RdfTerm>,
        sink: TripleSink<'_>,
    ) -> ControlFlow<()> {
        let subject = RdfTerm::Node(node);
        match property {
            Property::Relation(relation) => {
                let objects = self.kb.objects(node, relation);
                match object {
                    None => each_once(objects, |v| sink([subject, predicate, RdfTerm::Node(NodeId(v))])),
                    Some(RdfTerm::Node(value)) if objects.binary_search(&value.0).is_ok() => {
                        sink([subject, predicate, RdfTerm::Node(value)])
                    }
                    Some(_) => ControlFlow::Continue(()),
                }
            }
            Property::Attribute(_) => {
                let mut values = self.kb.facts_of(node, property).map(|fact| RdfTerm::ValueOf(FactId(fact)));
                values.try_for_each(|value| {
                    if object.is_none_or(|object| object == value) {
                        sink([subject, predicate, value])
                    } else {
                        ControlFlow::Continue(())
                    }
                })
            }
        }
    }

    fn look_up_fixed(
        &self,
        subject: Option<RdfTerm>,
        predicate: Pred,
        object: Option<RdfTerm>,
        sink: TripleSink<'_>,
    ) -> Option<ControlFlow<()>> {
        let fits = |found: RdfTerm| object.is_none_or(|object| object == found);
        let predicate_term = RdfTerm::Predicate(predicate);
        match (subject, predicate) {
            (Some(RdfTerm::Node(node)), Pred::Name) => {
                let named = self.kb.label_literal(node).map(|_| self.name_triple(node));
                Some(match named.filter(|[.., name]| fits(*name)) {
                    Some(triple) => sink(triple),
                    None => ControlFlow::Continue(()),
                })
            }
            (Some(RdfTerm::Node(node)), Pred::InstanceOf) => {
                let Some(RdfTerm::Node(class_node)) = object else { return None };
                let is_member = self.kb.as_class(node).is_none()
                    && self.kb.as_class(class_node).is_some_and(|class| self.kb.is_member(node, class));
                Some(if is_member {
                    sink([RdfTerm::Node(node), predicate_term, RdfTerm::Node(class_node)])
                } else {
                    ControlFlow::Continue(())
                })
            }
            (
                Some(value @ (RdfTerm::ValueOf(_) | RdfTerm::QualifierValueOf(_))),
                Pred::Value | Pred::Unit | Pred::Year | Pred::Date,
            ) => {
                let literal = self.literal_of_value(value);
                let mut triples = literal.into_iter().flat_map(|id| self.literal_triples(value, id));
                Some(triples.try_for_each(|triple| {
                    if triple[1] == predicate_term && fits(triple[2]) {
                        sink(triple)
                    } else {
                        ControlFlow::Continue(())
                    }
                }))
            }
            (None, Pred::Value) => match object {
                Some(text @ RdfTerm::Literal(id)) => Some(self.values_with_text(id, text, sink)),
                _ => None,
            },
            _ => None,
        }
    }

    fn literal_of_value(&self, value: RdfTerm) -> Option<LiteralId> {
        let value = match value {
            RdfTerm::ValueOf(fact) => self.kb.fact(fact)?.value,
            RdfTerm::QualifierValueOf(position) => self.qualifier_value(position)?,
            _ => return None,
        };
        match value {
            Value::Literal(literal) => Some(literal),
            Value::Node(_) => None,
        }
    }

    /// The literals that are shown as one text: those that differ in their language only.
    fn literals_with_text(&self, first: LiteralId) -> Range<usize> {
        let literal = self.kb.literal(first);
        let is_text = literal.kind().family() == LiteralFamily::Text && literal.as_bool().is_none();
        let mut end = first.index() + 1;
        while is_text && end < self.kb.n_literals() {
            let next = self.kb.literal(LiteralId(index32(end)));
            if next.kind().family() != LiteralFamily::Text || next.text() != literal.text() {
                break;
            }
            end += 1;
        }
        first.index()..end
    }

    /// The value nodes of a text or truth value.
    fn values_with_text(&self, id: LiteralId, text: RdfTerm, sink: TripleSink<'_>) -> ControlFlow<()> {
        let literals = self.literals_with_text(id);
        let value = RdfTerm::Predicate(Pred::Value);
        let mut check = |node: RdfTerm, id: LiteralId| {
            let shown = self.literal_triples(node, id).any(|triple| triple == [node, value, text]);
            if shown { sink([node, value, text]) } else { ControlFlow::Continue(()) }
        };
        for attribute in self.kb.attributes() {
            let facts = self.kb.facts_by_value(attribute);
            for at in facts.positions(literals.clone()) {
                check(RdfTerm::ValueOf(FactId(facts.facts[at])), facts.value(at))?;
            }
        }
        for position in self.kb.all_qualifier_positions() {
            if let Value::Literal(id) = self.kb.qualifier_at(position).value
                && literals.contains(&id.index())
            {
                check(RdfTerm::QualifierValueOf(index32(position)), id)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The number of facts with one of the properties of a name.
    fn key_size(&self, key: &Key) -> usize {
        *key.size.get_or_init(|| {
            let relations = key.relations.iter().map(|&relation| {
                let subjects = self.kb.subjects_with(Property::Relation(relation));
                subjects.map(|subject| self.kb.objects(subject, relation).len()).sum::<usize>()
            });
            let attributes = key.attributes.iter().map(|&a| self.kb.facts_by_value(a).len());
            relations.chain(attributes).sum()
        })
    }

    /// About how many triples fit a pattern.
    pub(super) fn estimate_pattern(&self, subject: Position, predicate: Position, object: Position) -> f64 {
        match predicate {
            Position::Term(RdfTerm::Predicate(fixed)) => self.estimate_fixed(subject, fixed, object),
            Position::Term(term) => match self.as_key(term) {
                Some(key) => self.estimate_key(subject, key, object),
                None => 0.0,
            },
            _ => match (subject, object) {
                (Position::Open, Position::Open) => as_f64(6 * self.kb.n_facts()),
                (Position::Term(RdfTerm::Node(node)), _)
                | (Position::Open, Position::Term(RdfTerm::Node(node))) => {
                    as_f64(2 * self.kb.degree(node) + 4)
                }
                (Position::Open, Position::Term(RdfTerm::Literal(_))) => as_f64(self.kb.n_facts()),
                _ => 20.0,
            },
        }
    }

    fn estimate_key(&self, subject: Position, key: &Key, object: Position) -> f64 {
        let kb = self.kb;
        let facts = as_f64(self.key_size(key));
        let relations = key.relations.iter().map(|&r| Property::Relation(r));
        let properties = relations.chain(key.attributes.iter().map(|&a| Property::Attribute(a)));
        let subjects = as_f64(properties.map(|p| kb.subjects_with(p).len()).sum::<usize>().max(1));
        let objects = as_f64(key.relations.iter().map(|&r| kb.objects_with(r).len()).sum::<usize>().max(1));
        let qualifiers = if key.qualifiers.is_empty() { 0.0 } else { as_f64(kb.n_qualifiers()) };
        let into = |node: NodeId| as_f64(key.relations.iter().map(|&r| kb.subjects(r, node).len()).sum());
        match (subject, object) {
            (Position::Open, Position::Open) => facts + qualifiers,
            (Position::Open, Position::Term(RdfTerm::Node(node))) => into(node) + qualifiers,
            (Position::Open, _) if key.relations.is_empty() => 1.0 + qualifiers,
            (Position::Open, _) => facts / objects + qualifiers,
            (Position::Term(RdfTerm::Node(node)), Position::Open) => {
                let relations = key.relations.iter().map(|&r| kb.objects(node, r).len());
                let attributes = key.attributes.iter().map(|&a| kb.literals(node, a).len());
                as_f64(relations.chain(attributes).sum())
            }
            (_, Position::Open) => facts / subjects,
            (_, Position::Term(RdfTerm::Node(node))) => (into(node) / subjects).min(1.0),
            _ => (facts / subjects / objects).min(1.0),
        }
    }

    fn estimate_fixed(&self, subject: Position, predicate: Pred, object: Position) -> f64 {
        let kb = self.kb;
        let (facts, nodes) = (as_f64(kb.n_facts()), as_f64(kb.n_nodes().max(1)));
        match predicate {
            Pred::InstanceOf => {
                let members = match object {
                    Position::Term(RdfTerm::Node(node)) => {
                        kb.as_class(node).map_or(0.0, |class| as_f64(kb.members(class).len()))
                    }
                    Position::Term(_) => 0.0,
                    Position::Bound => nodes / as_f64(kb.n_classes().max(1)),
                    Position::Open => 2.0 * nodes,
                };
                if subject.is_open() { members } else { members / nodes }
            }
            Pred::Name => match (subject, object) {
                (Position::Open, Position::Open) => nodes,
                (Position::Open, _) => 1.5,
                (_, Position::Open) => 1.0,
                _ => 0.01,
            },
            Pred::Value | Pred::Unit | Pred::Year | Pred::Date => match (subject, object) {
                (Position::Open, Position::Open) => facts,
                (Position::Open, Position::Term(RdfTerm::Literal(_))) if predicate == Pred::Value => {
                    as_f64(kb.n_attributes() + kb.n_qualifiers())
                }
                (Position::Open, _) => facts / 4.0,
                (_, Position::Open) => 1.0,
                _ => 0.4,
            },
            Pred::FactSubject | Pred::FactRelation | Pred::FactValue => match (subject, object) {
                (Position::Open, Position::Open) => facts,
                (Position::Open, Position::Term(term)) => match (predicate, term) {
                    (Pred::FactRelation, term) => self.as_key(term).map_or(0.0, |k| as_f64(self.key_size(k))),
                    (_, RdfTerm::Node(node)) => as_f64(kb.degree(node)),
                    _ => 1.0,
                },
                (Position::Open, _) if predicate == Pred::FactRelation => facts / 10.0,
                (Position::Open, _) => 20.0,
                (_, Position::Open) => 1.0,
                _ => 0.3,
            },
        }
    }
}
