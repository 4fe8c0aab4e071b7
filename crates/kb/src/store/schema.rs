//! The schema: relations, attributes, qualifier keys and the domains they are grouped in.

use super::columns::{Strings, check_len, path_of};
use super::id_index::IdIndex;
use super::kb::{Kb, check_optional, optional, readable_id};
use super::manifest::Counts;
use super::mapping::Column;
use crate::cast::{index32, to_usize};
use crate::error::Result;
use crate::ids::{AttributeId, ClassId, LiteralId, Property, QualifierId, RelationId};
use std::path::Path;
use std::sync::Arc;

/// What kind of values an attribute or a qualifier key has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ValueKind {
    /// There are no values.
    Unknown = 0,
    /// Text.
    Text = 1,
    /// Numbers.
    Quantity = 2,
    /// Years, months, dates, date-times.
    Time = 3,
    /// true or false.
    Boolean = 4,
    /// Entities or classes (qualifier keys only).
    Entity = 5,
    /// Several kinds.
    Mixed = 6,
}

impl ValueKind {
    const ALL: [ValueKind; 7] = [
        ValueKind::Unknown,
        ValueKind::Text,
        ValueKind::Quantity,
        ValueKind::Time,
        ValueKind::Boolean,
        ValueKind::Entity,
        ValueKind::Mixed,
    ];

    /// The kind's name, as in KB lines.
    pub fn name(self) -> &'static str {
        match self {
            ValueKind::Unknown => "unknown",
            ValueKind::Text => "text",
            ValueKind::Quantity => "quantity",
            ValueKind::Time => "time",
            ValueKind::Boolean => "boolean",
            ValueKind::Entity => "entity",
            ValueKind::Mixed => "mixed",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<ValueKind> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    fn from_u32(code: u32) -> ValueKind {
        Self::ALL.get(code as usize).copied().unwrap_or(ValueKind::Unknown)
    }
}

/// One optional or plain number per schema item.
macro_rules! schema_columns {
    ($($name:ident: $of:ident < $limit:ident),* $(,)?) => {
        #[derive(Clone)]
        pub(super) struct SchemaColumns {
            relation_id: Strings,
            attribute_id: Strings,
            attribute_unit: Strings,
            qualifier_id: Strings,
            relation_index: Arc<IdIndex>,
            attribute_index: Arc<IdIndex>,
            qualifier_index: Arc<IdIndex>,
            groups: Strings,
            $($name: Column<u32>,)*
        }

        impl SchemaColumns {
            pub(super) fn open(dir: &Path) -> Result<SchemaColumns> {
                Ok(SchemaColumns {
                    relation_id: Strings::open(dir, "relation_id")?,
                    attribute_id: Strings::open(dir, "attribute_id")?,
                    attribute_unit: Strings::open(dir, "attribute_unit")?,
                    qualifier_id: Strings::open(dir, "qualifier_id")?,
                    relation_index: Arc::default(),
                    attribute_index: Arc::default(),
                    qualifier_index: Arc::default(),
                    groups: Strings::open(dir, "group")?,
                    $($name: Column::open(&path_of(dir, stringify!($name)))?,)*
                })
            }

            pub(super) fn check(&self, dir: &Path, counts: &Counts) -> Result<()> {
                let sizes = Sizes {
                    classes: to_usize(counts.classes),
                    relations: to_usize(counts.relations),
                    attributes: to_usize(counts.attributes),
                    qualifiers: to_usize(counts.qualifiers),
                    literals: to_usize(counts.literals),
                    groups: self.groups.len(),
                    codes: ValueKind::ALL.len(),
                };
                self.groups.check(dir, "group", sizes.groups)?;
                self.relation_id.check(dir, "relation_id", sizes.relations)?;
                self.attribute_id.check(dir, "attribute_id", sizes.attributes)?;
                self.attribute_unit.check(dir, "attribute_unit", sizes.attributes)?;
                self.qualifier_id.check(dir, "qualifier_id", sizes.qualifiers)?;
                $(
                    check_len(dir, stringify!($name), self.$name.len(), sizes.$of)?;
                    check_optional(dir, stringify!($name), &self.$name, sizes.$limit)?;
                )*
                Ok(())
            }
        }
    };
}

/// The numbers of items that columns refer to.
struct Sizes {
    classes: usize,
    relations: usize,
    attributes: usize,
    qualifiers: usize,
    literals: usize,
    groups: usize,
    /// Limit of columns that hold small codes.
    codes: usize,
}

schema_columns! {
    class_group: classes < groups,
    relation_label: relations < literals,
    relation_description: relations < literals,
    relation_inverse_label: relations < literals,
    relation_domain: relations < classes,
    relation_range: relations < classes,
    relation_inverse: relations < relations,
    relation_symmetric: relations < codes,
    relation_group: relations < groups,
    attribute_label: attributes < literals,
    attribute_description: attributes < literals,
    attribute_domain: attributes < classes,
    attribute_group: attributes < groups,
    attribute_kind: attributes < codes,
    qualifier_label: qualifiers < literals,
    qualifier_group: qualifiers < groups,
    qualifier_kind: qualifiers < codes,
}

impl Kb {
    /// The number of relations.
    pub fn n_relations(&self) -> usize {
        self.schema.relation_id.len()
    }

    /// All relations, by id.
    pub fn relations(&self) -> impl ExactSizeIterator<Item = RelationId> + use<> {
        (0..index32(self.n_relations())).map(RelationId)
    }

    /// The relation with this id.
    pub fn relation(&self, id: &str) -> Option<RelationId> {
        let found = self.schema.relation_index.find_in(&self.schema.relation_id, id);
        found.map(|index| RelationId(index32(index)))
    }

    /// The id of a relation.
    pub fn relation_id(&self, relation: RelationId) -> &str {
        self.schema.relation_id.get(relation.index())
    }

    /// The label of a relation; the readable part of its id if it has none.
    pub fn relation_label(&self, relation: RelationId) -> &str {
        match self.relation_label_literal(relation) {
            Some(label) => self.literal(label).text(),
            None => readable_id(self.relation_id(relation)),
        }
    }

    /// The label of a relation as a literal.
    pub(crate) fn relation_label_literal(&self, relation: RelationId) -> Option<LiteralId> {
        optional(&self.schema.relation_label, relation.index()).map(LiteralId)
    }

    /// The description of a relation.
    pub(crate) fn relation_description(&self, relation: RelationId) -> Option<LiteralId> {
        optional(&self.schema.relation_description, relation.index()).map(LiteralId)
    }

    /// The class of a relation's subjects.
    pub fn relation_domain(&self, relation: RelationId) -> Option<ClassId> {
        optional(&self.schema.relation_domain, relation.index()).map(ClassId)
    }

    /// The class of a relation's values.
    pub fn relation_range(&self, relation: RelationId) -> Option<ClassId> {
        optional(&self.schema.relation_range, relation.index()).map(ClassId)
    }

    /// The inverse relation.
    pub fn relation_inverse(&self, relation: RelationId) -> Option<RelationId> {
        optional(&self.schema.relation_inverse, relation.index()).map(RelationId)
    }

    /// The label of a relation in the inverse direction.
    pub fn relation_inverse_label(&self, relation: RelationId) -> Option<LiteralId> {
        optional(&self.schema.relation_inverse_label, relation.index()).map(LiteralId)
    }

    /// Whether a relation always holds in both directions.
    pub fn is_symmetric(&self, relation: RelationId) -> bool {
        self.schema.relation_symmetric[relation.index()] == 1
    }

    /// The number of attributes.
    pub fn n_attributes(&self) -> usize {
        self.schema.attribute_id.len()
    }

    /// All attributes, by id.
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = AttributeId> + use<> {
        (0..index32(self.n_attributes())).map(AttributeId)
    }

    /// The attribute with this id.
    pub fn attribute(&self, id: &str) -> Option<AttributeId> {
        let found = self.schema.attribute_index.find_in(&self.schema.attribute_id, id);
        found.map(|index| AttributeId(index32(index)))
    }

    /// The id of an attribute.
    pub fn attribute_id(&self, attribute: AttributeId) -> &str {
        self.schema.attribute_id.get(attribute.index())
    }

    /// The label of an attribute; the readable part of its id if it has none.
    pub fn attribute_label(&self, attribute: AttributeId) -> &str {
        match self.attribute_label_literal(attribute) {
            Some(label) => self.literal(label).text(),
            None => readable_id(self.attribute_id(attribute)),
        }
    }

    /// The label of an attribute as a literal.
    pub fn attribute_label_literal(&self, attribute: AttributeId) -> Option<LiteralId> {
        optional(&self.schema.attribute_label, attribute.index()).map(LiteralId)
    }

    /// The description of an attribute.
    pub(crate) fn attribute_description(&self, attribute: AttributeId) -> Option<LiteralId> {
        optional(&self.schema.attribute_description, attribute.index()).map(LiteralId)
    }

    /// The class of an attribute's subjects.
    pub fn attribute_domain(&self, attribute: AttributeId) -> Option<ClassId> {
        optional(&self.schema.attribute_domain, attribute.index()).map(ClassId)
    }

    /// What kind of values an attribute has.
    pub fn attribute_kind(&self, attribute: AttributeId) -> ValueKind {
        ValueKind::from_u32(self.schema.attribute_kind[attribute.index()])
    }

    /// The usual unit of an attribute's quantities; empty if there is none.
    pub fn attribute_unit(&self, attribute: AttributeId) -> &str {
        self.schema.attribute_unit.get(attribute.index())
    }

    /// The number of qualifier keys.
    pub fn n_qualifier_keys(&self) -> usize {
        self.schema.qualifier_id.len()
    }

    /// All qualifier keys, by id.
    pub fn qualifier_keys(&self) -> impl ExactSizeIterator<Item = QualifierId> + use<> {
        (0..index32(self.n_qualifier_keys())).map(QualifierId)
    }

    /// The qualifier key with this id.
    pub fn qualifier_key(&self, id: &str) -> Option<QualifierId> {
        let found = self.schema.qualifier_index.find_in(&self.schema.qualifier_id, id);
        found.map(|index| QualifierId(index32(index)))
    }

    /// The id of a qualifier key.
    pub fn qualifier_id(&self, qualifier: QualifierId) -> &str {
        self.schema.qualifier_id.get(qualifier.index())
    }

    /// The label of a qualifier key; the readable part of its id if it has none.
    pub fn qualifier_label(&self, qualifier: QualifierId) -> &str {
        match self.qualifier_label_literal(qualifier) {
            Some(label) => self.literal(label).text(),
            None => readable_id(self.qualifier_id(qualifier)),
        }
    }

    /// The label of a qualifier key as a literal.
    pub(crate) fn qualifier_label_literal(&self, qualifier: QualifierId) -> Option<LiteralId> {
        optional(&self.schema.qualifier_label, qualifier.index()).map(LiteralId)
    }

    /// What kind of values a qualifier key has.
    pub fn qualifier_kind(&self, qualifier: QualifierId) -> ValueKind {
        ValueKind::from_u32(self.schema.qualifier_kind[qualifier.index()])
    }

    /// The id of a property.
    pub fn property_id(&self, property: Property) -> &str {
        match property {
            Property::Relation(relation) => self.relation_id(relation),
            Property::Attribute(attribute) => self.attribute_id(attribute),
        }
    }

    /// The label of a property.
    pub fn property_label(&self, property: Property) -> &str {
        match property {
            Property::Relation(relation) => self.relation_label(relation),
            Property::Attribute(attribute) => self.attribute_label(attribute),
        }
    }

    /// The domain of the schema that a class belongs to.
    pub fn class_group(&self, class: ClassId) -> Option<&str> {
        self.group(&self.schema.class_group, class.index())
    }

    /// The domain of the schema that a property belongs to.
    pub fn property_group(&self, property: Property) -> Option<&str> {
        match property {
            Property::Relation(r) => self.group(&self.schema.relation_group, r.index()),
            Property::Attribute(a) => self.group(&self.schema.attribute_group, a.index()),
        }
    }

    /// The domain of the schema that a qualifier key belongs to.
    pub fn qualifier_group(&self, qualifier: QualifierId) -> Option<&str> {
        self.group(&self.schema.qualifier_group, qualifier.index())
    }

    fn group(&self, column: &[u32], index: usize) -> Option<&str> {
        optional(column, index).map(|group| self.schema.groups.get(group as usize))
    }

    /// The domains of the schema, sorted.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.schema.groups.len()).map(|group| self.schema.groups.get(group))
    }
}
