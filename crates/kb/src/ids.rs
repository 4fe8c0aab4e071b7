//! Dense identifiers, one type per kind, so that a class can never be used where a relation is meant.
//!
//! Ids are positions in sorted tables of the compiled store: they are valid for one store only.
//! The text id (`Kb::node_id`, ...) and the fingerprint are permanent.

macro_rules! dense_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

dense_id! {
    /// An entity or a class, as the subject or value of a fact: entities first, then classes.
    NodeId
}
dense_id! {
    /// A class; `Kb::class_node` returns its node.
    ClassId
}
dense_id! {
    /// A property whose values are entities or classes.
    RelationId
}
dense_id! {
    /// A property whose values are literals.
    AttributeId
}
dense_id! {
    /// The key of a qualifier.
    QualifierId
}
dense_id! {
    /// One statement. Facts are numbered by subject, then property, then value.
    FactId
}
dense_id! {
    /// A literal. Within quantities of one unit, within times and within texts, ids are in value order.
    LiteralId
}

/// The property of a fact: a relation or an attribute.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Property {
    /// The value is an entity or a class.
    Relation(RelationId),
    /// The value is a literal.
    Attribute(AttributeId),
}

/// The value of a fact or of a qualifier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// An entity or a class.
    Node(NodeId),
    /// A literal.
    Literal(LiteralId),
}
