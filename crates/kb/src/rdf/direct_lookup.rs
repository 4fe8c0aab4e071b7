//! The usual patterns of the *direct* view without an iterator on the heap, and estimates of how many triples a pattern has.

use super::{DirectView, Position, RdfTerm, TripleSink};
use crate::ids::{AttributeId, LiteralId, NodeId, Property, RelationId};
use crate::vocabulary::VocabularyTerm;
use std::ops::ControlFlow;

impl DirectView<'_> {
    /// Passes the triples that fit a pattern to a sink, each once; `None` for patterns that are left to the iterators.
    pub(super) fn look_up(
        &self,
        subject: Option<RdfTerm>,
        predicate: Option<RdfTerm>,
        object: Option<RdfTerm>,
        sink: TripleSink<'_>,
    ) -> Option<ControlFlow<()>> {
        let predicate = predicate.filter(|_| self.asserted.is_none())?;
        let (relation, attribute) = self.properties_of(predicate);
        match (subject, relation, attribute) {
            (Some(RdfTerm::Node(node)), None, None) => self.about_node_only(node, predicate, object, sink),
            (Some(RdfTerm::Node(node)), relation, attribute) => {
                if let Some(relation) = relation
                    && self.objects_of(node, relation, predicate, object, sink).is_break()
                {
                    return Some(ControlFlow::Break(()));
                }
                Some(attribute.map_or(ControlFlow::Continue(()), |attribute| {
                    self.literals_of(node, attribute, predicate, object, sink)
                }))
            }
            (None, Some(relation), None) if !self.qualifier_terms.contains(&predicate) => {
                let Some(object) = object else {
                    let mut subjects = self.kb.subjects_with(Property::Relation(relation));
                    return Some(
                        subjects.try_for_each(|node| self.objects_of(node, relation, predicate, None, sink)),
                    );
                };
                let RdfTerm::Node(value) = object else { return Some(ControlFlow::Continue(())) };
                Some(each_once(self.kb.subjects(relation, value), |subject| {
                    sink([RdfTerm::Node(NodeId(subject)), predicate, object])
                }))
            }
            (None, None, None) => {
                let Some(RdfTerm::Node(class_node)) = object else { return None };
                let is_type = self.word_terms.contains(&predicate)
                    && self.word(VocabularyTerm::Type) == predicate
                    && !self.qualifier_terms.contains(&predicate);
                let class = self.kb.as_class(class_node).filter(|_| is_type)?;
                let members = &mut self.kb.direct_members(class).iter();
                Some(members.try_for_each(|&member| {
                    sink([RdfTerm::Node(NodeId(member)), predicate, RdfTerm::Node(class_node)])
                }))
            }
            _ => None,
        }
    }

    fn objects_of(
        &self,
        node: NodeId,
        relation: RelationId,
        predicate: RdfTerm,
        object: Option<RdfTerm>,
        sink: TripleSink<'_>,
    ) -> ControlFlow<()> {
        let objects = self.kb.objects(node, relation);
        match object {
            None => each_once(objects, |value| {
                sink([RdfTerm::Node(node), predicate, RdfTerm::Node(NodeId(value))])
            }),
            Some(RdfTerm::Node(value)) if objects.binary_search(&value.0).is_ok() => {
                sink([RdfTerm::Node(node), predicate, RdfTerm::Node(value)])
            }
            Some(_) => ControlFlow::Continue(()),
        }
    }

    fn literals_of(
        &self,
        node: NodeId,
        attribute: AttributeId,
        predicate: RdfTerm,
        object: Option<RdfTerm>,
        sink: TripleSink<'_>,
    ) -> ControlFlow<()> {
        each_once(self.kb.literals(node, attribute), |literal| {
            let shown = self.literal_term(attribute, LiteralId(literal));
            if object.is_none_or(|object| object == shown) {
                sink([RdfTerm::Node(node), predicate, shown])
            } else {
                ControlFlow::Continue(())
            }
        })
    }

    /// Names and classes of a node that is nothing but an entity.
    fn about_node_only(
        &self,
        node: NodeId,
        predicate: RdfTerm,
        object: Option<RdfTerm>,
        sink: TripleSink<'_>,
    ) -> Option<ControlFlow<()>> {
        if self.kb.as_class(node).is_some() || self.property_nodes.contains(&node) {
            return None;
        }
        let subject = RdfTerm::Node(node);
        let fits = |found: RdfTerm| object.is_none_or(|object| object == found);
        let mut pass = |words: &[VocabularyTerm], word: VocabularyTerm, found: RdfTerm| {
            if self.word(word) == predicate && words.contains(&word) && fits(found) {
                sink([subject, predicate, found])
            } else {
                ControlFlow::Continue(())
            }
        };
        let words = [VocabularyTerm::Label, VocabularyTerm::Description, VocabularyTerm::Alias];
        let is_name = words.iter().any(|&word| self.word(word) == predicate);
        let is_type = self.word(VocabularyTerm::Type) == predicate;
        if !is_name && !is_type {
            return None;
        }
        let kb = self.kb;
        let label = kb.label_literal(node).map(|l| (VocabularyTerm::Label, RdfTerm::Literal(l)));
        let description =
            kb.description_literal(node).map(|l| (VocabularyTerm::Description, RdfTerm::Literal(l)));
        let aliases = kb.aliases(node).map(|l| (VocabularyTerm::Alias, RdfTerm::Literal(l)));
        let mut names = label.into_iter().chain(description).chain(aliases);
        if is_name && names.try_for_each(|(word, name)| pass(&words, word, name)).is_break() {
            return Some(ControlFlow::Break(()));
        }
        let mut classes = kb.classes_of(node);
        Some(if is_type {
            classes.try_for_each(|class| {
                pass(&[VocabularyTerm::Type], VocabularyTerm::Type, RdfTerm::Node(kb.class_node(class)))
            })
        } else {
            ControlFlow::Continue(())
        })
    }

    /// The number of facts of a relation.
    fn relation_size(&self, relation: RelationId) -> usize {
        *self.relation_sizes[relation.index()].get_or_init(|| {
            let subjects = self.kb.subjects_with(Property::Relation(relation));
            subjects.map(|subject| self.kb.objects(subject, relation).len()).sum()
        })
    }

    /// About how many triples fit a pattern.
    pub(super) fn estimate_pattern(&self, subject: Position, predicate: Position, object: Position) -> f64 {
        let Position::Term(predicate) = predicate else { return self.estimate_open(subject, object) };
        let stated = self
            .asserted
            .as_ref()
            .map_or(0.0, |asserted| asserted.estimate(subject.is_open(), predicate, object));
        let (relation, attribute) = self.properties_of(predicate);
        if relation.is_none() && attribute.is_none() {
            return if self.asserted.is_some() {
                stated
            } else {
                self.estimate_word(subject, predicate, object)
            };
        }
        let by_relation = relation.map_or(0.0, |relation| self.estimate_relation(subject, relation, object));
        let by_attribute =
            attribute.map_or(0.0, |attribute| self.estimate_attribute(subject, attribute, object));
        by_relation + by_attribute + stated
    }

    fn estimate_relation(&self, subject: Position, relation: RelationId, object: Position) -> f64 {
        let kb = self.kb;
        let facts = as_f64(self.relation_size(relation));
        let subjects = as_f64(kb.subjects_with(Property::Relation(relation)).len().max(1));
        let objects = as_f64(kb.objects_with(relation).len().max(1));
        match (subject, object) {
            (Position::Open, Position::Open) => facts,
            (Position::Term(RdfTerm::Node(node)), Position::Open) => as_f64(kb.objects(node, relation).len()),
            (Position::Open, Position::Term(RdfTerm::Node(node))) => {
                as_f64(kb.subjects(relation, node).len())
            }
            (Position::Bound, Position::Open) => facts / subjects,
            (Position::Open, Position::Bound) => facts / objects,
            (Position::Bound, Position::Term(RdfTerm::Node(node))) => {
                as_f64(kb.subjects(relation, node).len()) / subjects
            }
            (Position::Term(RdfTerm::Node(node)), Position::Bound) => {
                as_f64(kb.objects(node, relation).len()) / objects
            }
            (Position::Bound, Position::Bound)
            | (Position::Term(RdfTerm::Node(_)), Position::Term(RdfTerm::Node(_))) => {
                (facts / subjects / objects).min(1.0)
            }
            _ => 0.0,
        }
    }

    fn estimate_attribute(&self, subject: Position, attribute: AttributeId, object: Position) -> f64 {
        let kb = self.kb;
        let facts = as_f64(kb.facts_by_value(attribute).len());
        let subjects = as_f64(kb.subjects_with(Property::Attribute(attribute)).len().max(1));
        match (subject, object) {
            (Position::Open, Position::Open) => facts,
            (Position::Open, _) => facts.sqrt(),
            (Position::Term(RdfTerm::Node(node)), _) => as_f64(kb.literals(node, attribute).len()),
            (Position::Bound, Position::Open) => facts / subjects,
            (Position::Bound, _) => 0.2,
            _ => 0.0,
        }
    }

    /// A predicate of the vocabulary, or a qualifier key.
    fn estimate_word(&self, subject: Position, predicate: RdfTerm, object: Position) -> f64 {
        let kb = self.kb;
        let nodes = as_f64(kb.n_nodes().max(1));
        let is = |word: VocabularyTerm| self.word(word) == predicate;
        if !self.word_terms.contains(&predicate) {
            return if subject.is_open() { as_f64(kb.n_qualifiers()) } else { 0.8 };
        }
        if is(VocabularyTerm::Type) {
            let members = match object {
                Position::Term(RdfTerm::Node(node)) => {
                    kb.as_class(node).map_or(0.0, |class| as_f64(kb.direct_members(class).len()))
                }
                Position::Term(_) => as_f64(kb.n_relations() + kb.n_attributes()),
                Position::Bound => nodes / as_f64(kb.n_classes().max(1)),
                Position::Open => nodes,
            };
            return if subject.is_open() { members } else { members / nodes };
        }
        match (subject, object) {
            (Position::Open, Position::Open) if is(VocabularyTerm::Reifies) => as_f64(kb.n_qualifiers()),
            (Position::Open, Position::Open) => nodes,
            (Position::Open, _) if is(VocabularyTerm::Label) || is(VocabularyTerm::Alias) => 2.0,
            (Position::Open, _) if is(VocabularyTerm::Reifies) => 1.0,
            (Position::Open, _) => nodes / 10.0,
            (_, Position::Open) => 1.0,
            _ => 0.1,
        }
    }

    /// An open predicate.
    fn estimate_open(&self, subject: Position, object: Position) -> f64 {
        let kb = self.kb;
        let all = as_f64(kb.n_facts() + 2 * kb.n_nodes());
        let of = |position: Position, usual: f64| match position {
            Position::Open => all,
            Position::Term(RdfTerm::Node(node)) => as_f64(kb.degree(node) + 3),
            // Names and qualifiers are searched for such a term.
            Position::Term(RdfTerm::Literal(_)) => as_f64(kb.n_nodes()),
            _ => usual,
        };
        of(subject, 12.0).min(of(object, 30.0))
    }
}

/// Calls back for each of a sorted list, once for those that are repeated.
#[inline]
pub(super) fn each_once(sorted: &[u32], mut found: impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut last = None;
    for &id in sorted {
        if last.replace(id) != Some(id) {
            found(id)?;
        }
    }
    ControlFlow::Continue(())
}

/// For estimates, a rounded number does.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(super) fn as_f64(number: usize) -> f64 {
    number as f64
}
