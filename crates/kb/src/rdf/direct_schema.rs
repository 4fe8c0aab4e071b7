//! The *direct* view's triples about classes, properties and qualifier keys.

use super::{DirectView, RdfTerm, RdfTriple};
use crate::ids::{AttributeId, ClassId, Property, QualifierId, RelationId};
use crate::vocabulary::VocabularyTerm;

impl DirectView<'_> {
    pub(super) fn class_schema(&self, class: ClassId) -> impl Iterator<Item = RdfTriple> + '_ {
        let subject = RdfTerm::Node(self.kb.class_node(class));
        let marked = [subject, self.word(VocabularyTerm::SchemaType), self.word(VocabularyTerm::Class)];
        // In KBs of KBs a class may be an ordinary member of rdfs:Class.
        let as_member =
            |class| [subject, self.word(VocabularyTerm::Type), RdfTerm::Node(self.kb.class_node(class))];
        let is_stated = self.kb.classes_of(self.kb.class_node(class)).any(|class| as_member(class) == marked);
        let marked = Some(marked).filter(|_| !is_stated);
        let parents = self.kb.parents(class).map(move |parent| {
            [subject, self.word(VocabularyTerm::SubClassOf), RdfTerm::Node(self.kb.class_node(parent))]
        });
        let group = self.kb.class_group(class).and_then(|group| self.schema_text(group));
        marked
            .into_iter()
            .chain(parents)
            .chain(group.map(|group| [subject, self.word(VocabularyTerm::Group), group]))
    }

    pub(super) fn relation_schema(&self, relation: RelationId) -> impl Iterator<Item = RdfTriple> + '_ {
        let kb = self.kb;
        let subject = self.relation_terms[relation.index()];
        let class = |class: ClassId| RdfTerm::Node(kb.class_node(class));
        let symmetric = kb
            .is_symmetric(relation)
            .then(|| (VocabularyTerm::SchemaType, self.word(VocabularyTerm::Symmetric)));
        let parts = [
            Some((VocabularyTerm::SchemaType, self.word(VocabularyTerm::Relation))),
            symmetric,
            kb.relation_label_literal(relation).map(|l| (VocabularyTerm::PropertyLabel, RdfTerm::Literal(l))),
            kb.relation_description(relation)
                .map(|l| (VocabularyTerm::PropertyDescription, RdfTerm::Literal(l))),
            kb.relation_domain(relation).map(|c| (VocabularyTerm::Domain, class(c))),
            kb.relation_range(relation).map(|c| (VocabularyTerm::Range, class(c))),
            kb.relation_inverse(relation)
                .map(|r| (VocabularyTerm::InverseOf, self.relation_terms[r.index()])),
            kb.relation_inverse_label(relation).map(|l| (VocabularyTerm::InverseLabel, RdfTerm::Literal(l))),
            kb.property_group(Property::Relation(relation))
                .and_then(|g| self.schema_text(g))
                .map(|g| (VocabularyTerm::Group, g)),
        ];
        parts.into_iter().flatten().map(move |(word, value)| [subject, self.word(word), value])
    }

    pub(super) fn attribute_schema(&self, attribute: AttributeId) -> impl Iterator<Item = RdfTriple> + '_ {
        let kb = self.kb;
        let subject = self.attribute_terms[attribute.index()];
        // A property that is both was described as a relation already; only what differs is added.
        let shared = kb
            .relation(kb.attribute_id(attribute))
            .is_some_and(|r| self.relation_terms[r.index()] == subject);
        let domain = kb.attribute_domain(attribute).map(|c| RdfTerm::Node(kb.class_node(c)));
        let unit = Some(kb.attribute_unit(attribute)).filter(|unit| !unit.is_empty());
        let parts = [
            Some((VocabularyTerm::SchemaType, self.word(VocabularyTerm::Attribute))),
            kb.attribute_label_literal(attribute)
                .filter(|_| !shared)
                .map(|l| (VocabularyTerm::PropertyLabel, RdfTerm::Literal(l))),
            kb.attribute_description(attribute)
                .filter(|_| !shared)
                .map(|l| (VocabularyTerm::PropertyDescription, RdfTerm::Literal(l))),
            domain.filter(|_| !shared).map(|c| (VocabularyTerm::Domain, c)),
            unit.and_then(|unit| self.schema_text(unit)).map(|unit| (VocabularyTerm::Unit, unit)),
            kb.property_group(Property::Attribute(attribute))
                .filter(|_| !shared)
                .and_then(|g| self.schema_text(g))
                .map(|g| (VocabularyTerm::Group, g)),
        ];
        parts.into_iter().flatten().map(move |(word, value)| [subject, self.word(word), value])
    }

    pub(super) fn qualifier_schema(&self, qualifier: QualifierId) -> impl Iterator<Item = RdfTriple> + '_ {
        let kb = self.kb;
        let subject = self.qualifier_terms[qualifier.index()];
        let shared = !matches!(subject, RdfTerm::Qualifier(_));
        let parts = [
            Some((VocabularyTerm::SchemaType, self.word(VocabularyTerm::QualifierKey))),
            kb.qualifier_label_literal(qualifier)
                .filter(|_| !shared)
                .map(|l| (VocabularyTerm::PropertyLabel, RdfTerm::Literal(l))),
            kb.qualifier_group(qualifier)
                .filter(|_| !shared)
                .and_then(|g| self.schema_text(g))
                .map(|g| (VocabularyTerm::Group, g)),
        ];
        parts.into_iter().flatten().map(move |(word, value)| [subject, self.word(word), value])
    }
}
