//! Look-ups of facts: by subject, by value, by property.

use super::columns::{check_below, check_len, check_starts, path_of};
use super::groups::Groups;
use super::kb::Kb;
use super::manifest::Counts;
use super::mapping::Column;
use super::merged::{Either, Merged};
use crate::cast::{index32, to_usize};
use crate::error::{KbError, Result};
use crate::ids::{AttributeId, FactId, LiteralId, NodeId, Property, RelationId, Value};
use std::ops::Range;
use std::path::Path;

pub(super) const LITERAL_BIT: u32 = 1 << 31;

/// One statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// Its number.
    pub id: FactId,
    /// Its subject.
    pub subject: NodeId,
    /// Its property.
    pub property: Property,
    /// Its value.
    pub value: Value,
}

/// The facts of an attribute in the order of their values.
#[derive(Clone, Copy)]
pub struct LiteralFacts<'a> {
    /// Subjects, parallel to `facts`.
    pub subjects: &'a [u32],
    /// Fact ids.
    pub facts: &'a [u32],
    values: &'a [u32],
    /// The values of the facts that an overlay adds after the stored ones.
    new_values: &'a [u32],
}

impl LiteralFacts<'_> {
    #[inline]
    fn value_of(&self, fact: u32) -> u32 {
        match self.values.get(fact as usize) {
            Some(&value) => value,
            None => self.new_values[fact as usize - self.values.len()],
        }
    }

    /// The number of facts.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// The value of the fact at a position.
    pub fn value(&self, position: usize) -> LiteralId {
        LiteralId(self.value_of(self.facts[position]))
    }

    /// The positions whose values have ids in a range.
    pub fn positions(&self, literals: Range<usize>) -> Range<usize> {
        let from = self.facts.partition_point(|&f| (self.value_of(f) as usize) < literals.start);
        let to = self.facts.partition_point(|&f| (self.value_of(f) as usize) < literals.end);
        from..to
    }
}

#[derive(Clone)]
pub(super) struct FactColumns {
    pub(super) out: Groups,
    pub(super) incoming: Groups,
    subject: Column<u32>,
    pub(super) value: Column<u32>,
    source: Column<u16>,
    pub(super) in_subject: Column<u32>,
    pub(super) in_fact: Column<u32>,
    literal_start: Column<u32>,
    literal_subject: Column<u32>,
    literal_fact: Column<u32>,
    pub(super) qualified: Column<u32>,
    pub(super) qualifier_start: Column<u32>,
    pub(super) qualifier_key: Column<u32>,
    pub(super) qualifier_value: Column<u32>,
}

impl FactColumns {
    pub(super) fn open(dir: &Path) -> Result<FactColumns> {
        let column = |name: &str| Column::open(&path_of(dir, name));
        Ok(FactColumns {
            out: Groups::open(dir, "out")?,
            incoming: Groups::open(dir, "in")?,
            subject: column("fact_subject")?,
            value: column("fact_value")?,
            source: Column::open(&path_of(dir, "fact_source"))?,
            in_subject: column("in_subject")?,
            in_fact: column("in_fact")?,
            literal_start: column("by_literal.starts")?,
            literal_subject: column("by_literal_subject")?,
            literal_fact: column("by_literal_fact")?,
            qualified: column("qualified_fact")?,
            qualifier_start: column("qualifier_start")?,
            qualifier_key: column("qualifier_key")?,
            qualifier_value: column("qualifier_value")?,
        })
    }

    pub(super) fn check(&self, dir: &Path, counts: &Counts) -> Result<()> {
        let n_nodes = to_usize(counts.entities + counts.classes);
        let (n_relations, n_attributes) = (to_usize(counts.relations), to_usize(counts.attributes));
        let (n_relational, n_literal) = (to_usize(counts.relational_facts), to_usize(counts.literal_facts));
        let n_facts = n_relational + n_literal;
        self.out.check(dir, "out", n_nodes, n_relations + n_attributes, n_facts)?;
        self.incoming.check(dir, "in", n_nodes, n_relations, n_relational)?;
        for (name, column, len, limit) in [
            ("fact_subject", &self.subject, n_facts, n_nodes),
            ("in_subject", &self.in_subject, n_relational, n_nodes),
            ("in_fact", &self.in_fact, n_relational, n_facts),
            ("by_literal_subject", &self.literal_subject, n_literal, n_nodes),
            ("by_literal_fact", &self.literal_fact, n_literal, n_facts),
            ("qualified_fact", &self.qualified, to_usize(counts.qualified_facts), n_facts),
            ("qualifier_key", &self.qualifier_key, self.qualifier_value.len(), to_usize(counts.qualifiers)),
        ] {
            check_len(dir, name, column.len(), len)?;
            check_below(dir, name, column, limit)?;
        }
        check_len(dir, "fact_value", self.value.len(), n_facts)?;
        if !self.source.is_empty() {
            check_len(dir, "fact_source", self.source.len(), n_facts)?;
        }
        check_starts(dir, "by_literal.starts", &self.literal_start, n_attributes, n_literal)?;
        check_starts(
            dir,
            "qualifier_start",
            &self.qualifier_start,
            self.qualified.len(),
            self.qualifier_key.len(),
        )?;
        let n_literals = to_usize(counts.literals);
        let fits = |value: u32| {
            let index = (value & !LITERAL_BIT) as usize;
            index < if value & LITERAL_BIT != 0 { n_literals } else { n_nodes }
        };
        if !self.qualifier_value.iter().all(|&value| fits(value)) {
            return Err(KbError::damaged(
                &path_of(dir, "qualifier_value"),
                "it refers to items that do not exist",
            ));
        }
        for group in 0..self.out.property.len() {
            let is_relation = (self.out.property[group] as usize) < n_relations;
            let limit = if is_relation { n_nodes } else { n_literals };
            check_below(dir, "fact_value", &self.value[self.out.entries_of_group(group)], limit)?;
        }
        Ok(())
    }

    pub(super) fn degree(&self, node: usize) -> usize {
        self.out.entries_of_node(node).len() + self.incoming.entries_of_node(node).len()
    }
}

impl Kb {
    /// The number of facts. The numbers of an overlay's facts can be higher than that: [`Kb::facts_about`] visits all facts.
    pub fn n_facts(&self) -> usize {
        match &self.delta {
            None => self.facts.value.len(),
            Some(delta) => delta.n_facts,
        }
    }

    pub(super) fn property_code(&self, property: Property) -> u32 {
        match property {
            Property::Relation(relation) => relation.0,
            Property::Attribute(attribute) => attribute.0 + index32(self.n_relations()),
        }
    }

    pub(super) fn property_of_code(&self, code: u32) -> Property {
        match code.checked_sub(index32(self.n_relations())) {
            None => Property::Relation(RelationId(code)),
            Some(attribute) => Property::Attribute(AttributeId(attribute)),
        }
    }

    /// The facts of a subject with one property.
    #[inline]
    fn out_entries(&self, subject: NodeId, property: u32) -> Range<usize> {
        if let Some(delta) = &self.delta
            && let Some(changed) = delta.out_entries(subject, property)
        {
            return changed;
        }
        self.facts.out.entries(subject.index(), property)
    }

    /// The values of facts, which are either all stored or all in the overlay.
    #[inline]
    fn values(&self, facts: Range<usize>) -> &[u32] {
        match (self.facts.value.get(facts.clone()), &self.delta) {
            (Some(values), _) => values,
            (None, Some(delta)) => delta.values(facts),
            (None, None) => &[],
        }
    }

    #[inline]
    pub(super) fn value_at(&self, fact: usize) -> u32 {
        match (self.facts.value.get(fact), &self.delta) {
            (Some(&value), _) => value,
            (None, delta) => delta.as_ref().map_or(0, |delta| delta.values(fact..fact + 1)[0]),
        }
    }

    /// The groups of facts about a subject.
    fn out_groups(&self, subject: NodeId) -> impl ExactSizeIterator<Item = (u32, Range<usize>)> + '_ {
        if let Some(delta) = &self.delta
            && let Some(properties) = delta.properties_of(subject)
        {
            let group = move |&property: &u32| (property, self.out_entries(subject, property));
            return Either::Changed(properties.iter().map(group));
        }
        let out = &self.facts.out;
        let group = move |group: usize| (out.property[group], out.entries_of_group(group));
        Either::Stored(out.groups(subject.index()).map(group))
    }

    /// The relations that lead to a value, each with parallel lists of subjects and facts.
    fn in_groups(&self, value: NodeId) -> impl ExactSizeIterator<Item = (RelationId, &[u32], &[u32])> + '_ {
        if let Some(delta) = &self.delta
            && let Some(relations) = delta.relations_to(value)
        {
            let group = move |&relation: &u32| {
                let relation = RelationId(relation);
                (relation, self.subjects(relation, value), self.facts_into(relation, value))
            };
            return Either::Changed(relations.iter().map(group));
        }
        let facts = &self.facts;
        let group = move |group: usize| {
            let range = facts.incoming.entries_of_group(group);
            let relation = RelationId(facts.incoming.property[group]);
            (relation, &facts.in_subject[range.clone()], &facts.in_fact[range])
        };
        Either::Stored(facts.incoming.groups(value.index()).map(group))
    }

    /// What `subject` points to by `relation`: a sorted slice of nodes, with repetitions if several
    /// facts have the same triple with different qualifiers.
    #[inline]
    pub fn objects(&self, subject: NodeId, relation: RelationId) -> &[u32] {
        self.values(self.out_entries(subject, relation.0))
    }

    /// What points to `value` by `relation`: a sorted slice of nodes.
    #[inline]
    pub fn subjects(&self, relation: RelationId, value: NodeId) -> &[u32] {
        if let Some(delta) = &self.delta
            && let Some((subjects, _)) = delta.incoming(relation, value)
        {
            return subjects;
        }
        &self.facts.in_subject[self.facts.incoming.entries(value.index(), relation.0)]
    }

    /// The facts behind [`Kb::subjects`], in the same order. On an overlay a fact may have another number here than elsewhere:
    /// [`Kb::fact`] returns the same fact for both.
    #[inline]
    pub fn facts_into(&self, relation: RelationId, value: NodeId) -> &[u32] {
        if let Some(delta) = &self.delta
            && let Some((_, facts)) = delta.incoming(relation, value)
        {
            return facts;
        }
        &self.facts.in_fact[self.facts.incoming.entries(value.index(), relation.0)]
    }

    /// The literals of `subject` under `attribute`, sorted.
    #[inline]
    pub fn literals(&self, subject: NodeId, attribute: AttributeId) -> &[u32] {
        self.values(self.out_entries(subject, self.property_code(Property::Attribute(attribute))))
    }

    /// The ids of the facts about `subject` with one property: `Kb::objects` or `Kb::literals` are their values.
    #[inline]
    pub fn facts_of(&self, subject: NodeId, property: Property) -> Range<u32> {
        let range = self.out_entries(subject, self.property_code(property));
        index32(range.start)..index32(range.end)
    }

    /// The values of a range of facts: nodes or literals, depending on their property.
    #[inline]
    pub fn values_of(&self, facts: Range<u32>) -> &[u32] {
        self.values(facts.start as usize..facts.end as usize)
    }

    /// All facts about `subject`, by property.
    pub fn facts_about(&self, subject: NodeId) -> impl Iterator<Item = Fact> + '_ {
        self.out_groups(subject).flat_map(move |(code, facts)| {
            let property = self.property_of_code(code);
            facts.map(move |fact| self.make_fact(fact, subject, property))
        })
    }

    /// All facts whose value is `value`, by relation.
    pub fn facts_to(&self, value: NodeId) -> impl Iterator<Item = Fact> + '_ {
        self.in_groups(value).flat_map(move |(relation, subjects, facts)| {
            facts.iter().zip(subjects).map(move |(&fact, &subject)| {
                let fact = Fact {
                    id: FactId(fact),
                    subject: NodeId(subject),
                    property: Property::Relation(relation),
                    value: Value::Node(value),
                };
                match &self.delta {
                    None => fact,
                    // The number that it has as a fact about its subject.
                    Some(delta) => self.changed_fact(delta, fact.id).unwrap_or(fact),
                }
            })
        })
    }

    /// The properties that `subject` has, and their values: sorted ids of nodes or of literals.
    pub fn properties_of(&self, subject: NodeId) -> impl ExactSizeIterator<Item = (Property, &[u32])> + '_ {
        self.out_groups(subject).map(move |(code, facts)| (self.property_of_code(code), self.values(facts)))
    }

    /// The relations that lead to `value`, and the sorted nodes that they come from.
    pub fn relations_to(&self, value: NodeId) -> impl ExactSizeIterator<Item = (RelationId, &[u32])> + '_ {
        self.in_groups(value).map(|(relation, subjects, _)| (relation, subjects))
    }

    /// All facts with a property, by subject.
    pub fn facts_with(&self, property: Property) -> impl Iterator<Item = Fact> + '_ {
        let (out, code) = (&self.facts.out, self.property_code(property));
        let groups = match &self.delta {
            None => Either::Stored(out.by_property.row(code as usize).iter().map(move |&group| {
                let facts = out.entries_of_group(group as usize);
                (NodeId(self.facts.subject[facts.start]), facts)
            })),
            Some(_) => Either::Changed(
                self.subjects_with(property).map(move |subject| (subject, self.out_entries(subject, code))),
            ),
        };
        groups
            .flat_map(move |(subject, facts)| facts.map(move |fact| self.make_fact(fact, subject, property)))
    }

    /// The distinct subjects of a property, sorted.
    pub fn subjects_with(&self, property: Property) -> impl ExactSizeIterator<Item = NodeId> + '_ {
        let (out, code) = (&self.facts.out, self.property_code(property));
        let groups = out.by_property.row(code as usize).iter();
        let stored = groups.map(move |&group| self.facts.subject[out.start[group as usize] as usize]);
        let subjects = match &self.delta {
            None => Either::Stored(stored),
            Some(delta) => Either::Changed(Merged::new(stored, delta.subjects_with(code))),
        };
        subjects.map(NodeId)
    }

    /// The distinct values of a relation, sorted.
    pub fn objects_with(&self, relation: RelationId) -> impl ExactSizeIterator<Item = NodeId> + '_ {
        let incoming = &self.facts.incoming;
        let stored = incoming.by_property.row(relation.index()).iter().map(move |&group| {
            let fact = self.facts.in_fact[incoming.start[group as usize] as usize];
            self.facts.value[fact as usize]
        });
        let objects = match &self.delta {
            None => Either::Stored(stored),
            Some(delta) => Either::Changed(Merged::new(stored, delta.objects_with(relation))),
        };
        objects.map(NodeId)
    }

    /// The facts of an attribute in the order of values: ranges and extremes are a binary search. On an overlay a fact may have another
    /// number here than elsewhere: [`Kb::fact`] returns the same fact for both.
    #[inline]
    pub fn facts_by_value(&self, attribute: AttributeId) -> LiteralFacts<'_> {
        if let Some(delta) = &self.delta
            && let Some((subjects, facts)) = self.changed_by_value(delta, attribute.0)
        {
            return LiteralFacts { subjects, facts, values: &self.facts.value, new_values: &delta.value };
        }
        self.stored_by_value(attribute.index())
    }

    #[inline]
    pub(super) fn stored_by_value(&self, attribute: usize) -> LiteralFacts<'_> {
        let starts = &self.facts.literal_start;
        let range = starts[attribute] as usize..starts[attribute + 1] as usize;
        LiteralFacts {
            subjects: &self.facts.literal_subject[range.clone()],
            facts: &self.facts.literal_fact[range],
            values: &self.facts.value,
            new_values: &[],
        }
    }

    /// A fact by its id.
    pub fn fact(&self, id: FactId) -> Option<Fact> {
        match &self.delta {
            None => self.stored_fact(id),
            Some(delta) => self.changed_fact(delta, id),
        }
    }

    pub(super) fn stored_fact(&self, id: FactId) -> Option<Fact> {
        let subject = NodeId(*self.facts.subject.get(id.index())?);
        let out = &self.facts.out;
        let groups = out.groups(subject.index());
        let starts = &out.start[groups.clone()];
        let group = groups.start + starts.partition_point(|&start| start <= id.0) - 1;
        Some(self.make_fact(id.index(), subject, self.property_of_code(out.property[group])))
    }

    /// The facts with the same triple as this one and other qualifiers, which are adjacent.
    pub(crate) fn same_triple(&self, fact: &Fact) -> Range<u32> {
        let facts = self.facts_of(fact.subject, fact.property);
        let values = self.values_of(facts.clone());
        let value = self.value_at(fact.id.index());
        let from = index32(values.partition_point(|&v| v < value));
        let to = index32(values.partition_point(|&v| v <= value));
        facts.start + from..facts.start + to
    }

    /// The first of the facts with a triple.
    pub(crate) fn first_fact(&self, subject: NodeId, property: Property, value: u32) -> Option<FactId> {
        let facts = self.facts_of(subject, property);
        let values = self.values_of(facts.clone());
        let at = values.partition_point(|&v| v < value);
        (values.get(at) == Some(&value)).then(|| FactId(facts.start + index32(at)))
    }

    pub(super) fn make_fact(&self, fact: usize, subject: NodeId, property: Property) -> Fact {
        let value = self.value_at(fact);
        let value = match property {
            Property::Relation(_) => Value::Node(NodeId(value)),
            Property::Attribute(_) => Value::Literal(LiteralId(value)),
        };
        Fact { id: FactId(index32(fact)), subject, property, value }
    }

    /// The source of a fact, from the manifest's list of sources.
    pub fn fact_source(&self, fact: FactId) -> Option<&str> {
        let stored = match &self.delta {
            None => fact,
            Some(delta) => self.origin(delta, fact)?,
        };
        let position = usize::from(*self.facts.source.get(stored.index())?).checked_sub(1)?;
        self.manifest().sources.get(position).map(String::as_str)
    }

    /// The number of facts with a node as subject or value.
    pub fn degree(&self, node: NodeId) -> usize {
        match &self.delta {
            None => self.facts.degree(node.index()),
            Some(_) => {
                let about: usize = self.out_groups(node).map(|(_, facts)| facts.len()).sum();
                about + self.in_groups(node).map(|(_, _, facts)| facts.len()).sum::<usize>()
            }
        }
    }
}
