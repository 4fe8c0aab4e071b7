//! Overlays: a KB with some facts removed and others added, which shares everything else with the store that it lies on.
//!
//! Every group of facts (one subject, one property) that changes is rewritten after the stored facts, so that look-ups still
//! return ranges and slices. A fact that moves this way keeps its old number as a second one: lists that only differ in numbers
//! (the facts that lead to a node, the facts of an attribute by value, those with qualifiers) are unchanged, and [`Kb::fact`] returns the same
//! fact for both numbers. So the cost of an overlay is proportional to the groups that it changes, not to the KB; the
//! list of an attribute by value, if it changes, is built when it is first used.

use super::facts::Fact;
use super::kb::{ABSENT, Kb};
use crate::cast::index32;
use crate::error::{ChangeError, KbError, Result};
use crate::ids::{FactId, LiteralId, NodeId, Property, RelationId, Value};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

/// What an overlay changes: facts to remove, by number, and facts to add, without qualifiers, about nodes and with literals that the KB
/// has. (A new literal would change the numbers of all that sort after it.) Adding an existing fact changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The facts to remove.
    pub removed: Vec<FactId>,
    /// The facts to add.
    pub added: Vec<(NodeId, Property, Value)>,
}

/// The changes on top of a store.
#[derive(Clone)]
pub(super) struct Delta {
    /// The number of stored facts: the first number of a new fact.
    first: u32,
    /// By number of a new fact, from `first` on.
    subject: Vec<u32>,
    property: Vec<u32>,
    pub(super) value: Vec<u32>,
    /// Its number as a stored fact, `ABSENT` if it was added.
    origin: Vec<u32>,
    /// The facts of each subject and property that changed; an empty range if none are left.
    out: HashMap<(u32, u32), Range<usize>>,
    /// The properties of each subject that changed.
    out_properties: HashMap<u32, Vec<u32>>,
    /// The facts that lead by a relation to a value, where they changed.
    incoming: HashMap<(u32, u32), Incoming>,
    in_relations: HashMap<u32, Vec<u32>>,
    by_value: HashMap<u32, ByValue>,
    /// By property: removed and added subjects.
    subjects: HashMap<u32, Membership>,
    /// By relation: removed and added values.
    objects: HashMap<u32, Membership>,
    /// Removed facts with qualifiers, sorted, and the number of their qualifiers.
    unqualified: Vec<u32>,
    n_qualifiers_gone: usize,
    qualified: OnceLock<Vec<u32>>,
    pub(super) n_facts: usize,
}

/// Parallel lists of subjects and facts.
#[derive(Clone, Default)]
struct Incoming {
    subjects: Vec<u32>,
    facts: Vec<u32>,
}

/// The change of the list of an attribute by value, and the list itself once it was used.
#[derive(Clone, Default)]
struct ByValue {
    removed: HashSet<u32>,
    /// Value, subject, fact.
    added: Vec<(u32, u32, u32)>,
    list: OnceLock<Incoming>,
}

/// The change of a sorted list.
#[derive(Clone, Default)]
struct Membership {
    gone: Vec<u32>,
    new: Vec<u32>,
}

/// The change of one group.
#[derive(Default)]
struct GroupChange {
    removed: Vec<u32>,
    added: Vec<u32>,
}

impl Kb {
    /// This KB with a change. Both share the mapped columns; names, classes and the schema are unchanged, the records of a file in
    /// their order ([`Kb::records`]) are left out. The fingerprint is computed from that of this KB and the change: it differs from the one that
    /// an import of the changed content would have.
    pub fn overlay(&self, change: &Change) -> Result<Kb> {
        if self.delta.is_some() {
            return Err(ChangeError::NestedOverlay.into());
        }
        let delta = Delta::of(self, change)?;
        let mut kb = self.clone();
        kb.describe_change(&delta);
        kb.file_order = None;
        kb.delta = Some(Box::new(delta));
        Ok(kb)
    }

    /// Whether this is a store with a change applied to it.
    pub fn is_overlay(&self) -> bool {
        self.delta.is_some()
    }

    /// Updates the manifest for a change.
    fn describe_change(&mut self, delta: &Delta) {
        let n_relations = index32(self.n_relations());
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.manifest().fingerprint.as_bytes());
        let mut groups: Vec<_> = delta.out.iter().collect();
        groups.sort_unstable_by_key(|(group, _)| **group);
        let (mut relational, mut literal) = (0i64, 0i64);
        for (&(subject, property), range) in groups {
            let stored = self.facts.out.entries(subject as usize, property).len();
            let grown = range.len().cast_signed() as i64 - stored.cast_signed() as i64;
            *(if property < n_relations { &mut relational } else { &mut literal }) += grown;
            for number in [subject, property, index32(range.len())] {
                hasher.update(&number.to_le_bytes());
            }
            for new in range.clone().map(|fact| fact - delta.first as usize) {
                hasher.update(&delta.value[new].to_le_bytes());
                hasher.update(&delta.origin[new].to_le_bytes());
            }
        }
        let manifest = self.manifest_mut();
        manifest.fingerprint = hasher.finalize().to_hex()[..32].to_owned();
        let counts = &mut manifest.counts;
        counts.relational_facts = counts.relational_facts.saturating_add_signed(relational);
        counts.literal_facts = counts.literal_facts.saturating_add_signed(literal);
        counts.qualified_facts -= delta.unqualified.len() as u64;
    }

    /// A fact of an overlay by either of its numbers.
    #[cold]
    pub(super) fn changed_fact(&self, delta: &Delta, id: FactId) -> Option<Fact> {
        if let Some(new) = id.0.checked_sub(delta.first) {
            let subject = NodeId(*delta.subject.get(new as usize)?);
            let property = self.property_of_code(delta.property[new as usize]);
            return Some(self.make_fact(id.index(), subject, property));
        }
        let stored = self.stored_fact(id)?;
        match delta.out_entries(stored.subject, self.property_code(stored.property)) {
            None => Some(stored),
            Some(range) => {
                let range = range.start - delta.first as usize..range.end - delta.first as usize;
                let value = self.value_at(id.index());
                let from = range.start + delta.value[range.clone()].partition_point(|&v| v < value);
                let mut twins = (from..range.end).take_while(|&at| delta.value[at] == value);
                let new = twins.find(|&at| delta.origin[at] == id.0)?;
                Some(Fact { id: FactId(delta.first + index32(new)), ..stored })
            }
        }
    }

    /// The stored fact that has the qualifiers and the source of a fact; `None` for one that was added.
    #[cold]
    pub(super) fn origin(&self, delta: &Delta, id: FactId) -> Option<FactId> {
        match id.0.checked_sub(delta.first) {
            None => Some(id),
            Some(new) => Some(*delta.origin.get(new as usize)?).filter(|&old| old != ABSENT).map(FactId),
        }
    }

    /// The subjects and facts of an attribute by value, if they changed.
    #[cold]
    pub(super) fn changed_by_value<'k>(
        &'k self,
        delta: &'k Delta,
        attribute: u32,
    ) -> Option<(&'k [u32], &'k [u32])> {
        let change = delta.by_value.get(&attribute)?;
        let list = change.list.get_or_init(|| {
            let stored = self.stored_by_value(attribute as usize);
            let n = stored.len() + change.added.len() - change.removed.len();
            let mut list = Incoming { subjects: Vec::with_capacity(n), facts: Vec::with_capacity(n) };
            let mut at = 0;
            let mut copy = |list: &mut Incoming, to: usize| {
                for position in at..to {
                    if !change.removed.contains(&stored.facts[position]) {
                        list.subjects.push(stored.subjects[position]);
                        list.facts.push(stored.facts[position]);
                    }
                }
                at = to;
            };
            for &(value, subject, fact) in &change.added {
                let equal = stored.positions(value as usize..value as usize + 1);
                let before = stored.subjects[equal.clone()].partition_point(|&other| other <= subject);
                copy(&mut list, equal.start + before);
                list.subjects.push(subject);
                list.facts.push(fact);
            }
            copy(&mut list, stored.len());
            list
        });
        Some((&list.subjects, &list.facts))
    }

    /// The facts with qualifiers, if some were removed.
    #[cold]
    pub(super) fn changed_qualified<'k>(&'k self, delta: &'k Delta) -> Option<&'k [u32]> {
        if delta.unqualified.is_empty() {
            return None;
        }
        Some(delta.qualified.get_or_init(|| {
            let stored = self.facts.qualified.iter().copied();
            stored.filter(|fact| delta.unqualified.binary_search(fact).is_err()).collect()
        }))
    }
}

impl Delta {
    fn of(kb: &Kb, change: &Change) -> Result<Delta> {
        let mut removed: Vec<Fact> = Vec::with_capacity(change.removed.len());
        for &id in &change.removed {
            let fact = kb.stored_fact(id);
            removed.push(fact.ok_or(ChangeError::NoSuchFact { number: id.0 })?);
        }
        removed.sort_unstable_by_key(|fact| fact.id);
        removed.dedup();
        let mut groups: BTreeMap<(u32, u32), GroupChange> = BTreeMap::new();
        for fact in &removed {
            groups
                .entry((fact.subject.0, kb.property_code(fact.property)))
                .or_default()
                .removed
                .push(fact.id.0);
        }
        for &(subject, property, value) in &change.added {
            let value = known(kb, subject, property, value)?;
            groups.entry((subject.0, kb.property_code(property))).or_default().added.push(value);
        }
        let mut delta = Delta {
            first: index32(kb.facts.value.len()),
            subject: Vec::new(),
            property: Vec::new(),
            value: Vec::new(),
            origin: Vec::new(),
            out: HashMap::new(),
            out_properties: HashMap::new(),
            incoming: HashMap::new(),
            in_relations: HashMap::new(),
            by_value: HashMap::new(),
            subjects: HashMap::new(),
            objects: HashMap::new(),
            unqualified: Vec::new(),
            n_qualifiers_gone: 0,
            qualified: OnceLock::new(),
            n_facts: kb.facts.value.len(),
        };
        for fact in &removed {
            let n_qualifiers = kb.qualifier_positions(fact.id).len();
            if n_qualifiers > 0 {
                delta.unqualified.push(fact.id.0);
                delta.n_qualifiers_gone += n_qualifiers;
            }
        }
        // The changes at the other end: (value, relation) to (subject, fact).
        let mut ends: BTreeMap<(u32, u32), Ends> = BTreeMap::new();
        for ((subject, property), group) in groups {
            delta.rewrite(kb, subject, property, group, &mut ends)?;
        }
        for ((value, relation), ends) in ends {
            delta.relink(kb, value, relation, ends);
        }
        // By value, then by subject, as the stored list is.
        delta.by_value.values_mut().for_each(|change| change.added.sort_unstable());
        Ok(delta)
    }

    /// Rewrites one group.
    fn rewrite(
        &mut self,
        kb: &Kb,
        subject: u32,
        property: u32,
        group: GroupChange,
        ends: &mut BTreeMap<(u32, u32), Ends>,
    ) -> Result<()> {
        let n_relations = index32(kb.n_relations());
        let stored = kb.facts.out.entries(subject as usize, property);
        let removed = group.removed;
        let kept = stored.clone().filter(|&fact| removed.binary_search(&index32(fact)).is_err());
        let mut facts: Vec<(u32, u32)> = kept.map(|fact| (kb.facts.value[fact], index32(fact))).collect();
        let mut n_added = 0;
        for value in group.added {
            let from = facts.partition_point(|&(v, _)| v < value);
            let mut twins = facts[from..].iter().take_while(|(v, _)| *v == value);
            let is_plain = |old: u32| old == ABSENT || kb.qualifier_positions(FactId(old)).is_empty();
            if twins.any(|&(_, old)| is_plain(old)) {
                continue;
            }
            let to = from + facts[from..].partition_point(|&(v, _)| v <= value);
            facts.insert(to, (value, ABSENT));
            n_added += 1;
        }
        if n_added == 0 && removed.is_empty() {
            return Ok(());
        }
        let start = self.first as usize + self.value.len();
        if start + facts.len() >= ABSENT as usize {
            return Err(KbError::TooMany { what: "facts", limit: ABSENT.into() });
        }
        for (at, &(value, origin)) in facts.iter().enumerate() {
            if origin == ABSENT {
                let new = index32(start + at);
                match property.checked_sub(n_relations) {
                    None => ends.entry((value, property)).or_default().added.push((subject, new)),
                    Some(attribute) => {
                        self.by_value.entry(attribute).or_default().added.push((value, subject, new));
                    }
                }
            }
            self.subject.push(subject);
            self.property.push(property);
            self.value.push(value);
            self.origin.push(origin);
        }
        for &fact in &removed {
            match property.checked_sub(n_relations) {
                None => ends
                    .entry((kb.facts.value[fact as usize], property))
                    .or_default()
                    .removed
                    .push((subject, fact)),
                Some(attribute) => {
                    self.by_value.entry(attribute).or_default().removed.insert(fact);
                }
            }
        }
        self.n_facts = self.n_facts + n_added - removed.len();
        self.out.insert((subject, property), start..start + facts.len());
        let properties = self.out_properties.entry(subject);
        let properties = properties.or_insert_with(|| kb.facts.out.properties(subject as usize).to_vec());
        let members = self.subjects.entry(property).or_default();
        note_change(stored.is_empty(), facts.is_empty(), subject, property, members, properties);
        Ok(())
    }

    /// Rewrites the list of facts that lead to a value.
    fn relink(&mut self, kb: &Kb, value: u32, relation: u32, ends: Ends) {
        let stored = kb.facts.incoming.entries(value as usize, relation);
        let mut list = Incoming {
            subjects: kb.facts.in_subject[stored.clone()].to_vec(),
            facts: kb.facts.in_fact[stored.clone()].to_vec(),
        };
        for (subject, fact) in ends.removed {
            let from = list.subjects.partition_point(|&other| other < subject);
            if let Some(at) = list.facts[from..].iter().position(|&other| other == fact) {
                list.subjects.remove(from + at);
                list.facts.remove(from + at);
            }
        }
        for (subject, fact) in ends.added {
            let at = list.subjects.partition_point(|&other| other <= subject);
            list.subjects.insert(at, subject);
            list.facts.insert(at, fact);
        }
        let relations = self.in_relations.entry(value);
        let relations = relations.or_insert_with(|| kb.facts.incoming.properties(value as usize).to_vec());
        let members = self.objects.entry(relation).or_default();
        note_change(stored.is_empty(), list.facts.is_empty(), value, relation, members, relations);
        self.incoming.insert((value, relation), list);
    }

    /// The facts of a subject with a property, if they changed.
    #[cold]
    pub(super) fn out_entries(&self, subject: NodeId, property: u32) -> Option<Range<usize>> {
        self.out.get(&(subject.0, property)).cloned()
    }

    /// The properties of a subject, if they or their facts changed.
    #[cold]
    pub(super) fn properties_of(&self, subject: NodeId) -> Option<&[u32]> {
        self.out_properties.get(&subject.0).map(Vec::as_slice)
    }

    /// The subjects and facts that lead by a relation to a value, if they changed.
    #[cold]
    pub(super) fn incoming(&self, relation: RelationId, value: NodeId) -> Option<(&[u32], &[u32])> {
        self.incoming.get(&(value.0, relation.0)).map(|list| (&list.subjects[..], &list.facts[..]))
    }

    /// The relations that lead to a value, if they or their facts changed.
    #[cold]
    pub(super) fn relations_to(&self, value: NodeId) -> Option<&[u32]> {
        self.in_relations.get(&value.0).map(Vec::as_slice)
    }

    /// The values of a range of new facts.
    #[cold]
    pub(super) fn values(&self, facts: Range<usize>) -> &[u32] {
        let first = self.first as usize;
        &self.value[facts.start - first..facts.end - first]
    }

    /// The number of qualifiers removed with their facts.
    pub(super) fn n_qualifiers_gone(&self) -> usize {
        self.n_qualifiers_gone
    }

    /// Removed and added subjects of a property.
    pub(super) fn subjects_with(&self, property: u32) -> (&[u32], &[u32]) {
        self.subjects.get(&property).map_or((&[], &[]), |change| (&change.gone, &change.new))
    }

    /// Removed and added values of a relation.
    pub(super) fn objects_with(&self, relation: RelationId) -> (&[u32], &[u32]) {
        self.objects.get(&relation.0).map_or((&[], &[]), |change| (&change.gone, &change.new))
    }
}

/// Removed and added facts that lead to a value: (subject, fact).
#[derive(Default)]
struct Ends {
    removed: Vec<(u32, u32)>,
    added: Vec<(u32, u32)>,
}

/// Records that a group was created or removed. Groups come in the order of their nodes, so lists of members stay sorted.
fn note_change(
    was_empty: bool,
    is_empty: bool,
    node: u32,
    property: u32,
    members: &mut Membership,
    properties: &mut Vec<u32>,
) {
    match (was_empty, is_empty, properties.binary_search(&property)) {
        (true, false, Err(at)) => {
            properties.insert(at, property);
            members.new.push(node);
        }
        (false, true, Ok(at)) => {
            properties.remove(at);
            members.gone.push(node);
        }
        _ => {}
    }
}

/// The number of the value of a fact to add, if the KB knows all parts of the fact.
fn known(kb: &Kb, subject: NodeId, property: Property, value: Value) -> Result<u32> {
    let unknown = |part: &'static str| Err(ChangeError::UnknownPart { part }.into());
    if subject.index() >= kb.n_nodes() {
        return unknown("a subject");
    }
    match (property, value) {
        (Property::Relation(relation), _) if relation.index() >= kb.n_relations() => unknown("a relation"),
        (Property::Attribute(attribute), _) if attribute.index() >= kb.n_attributes() => {
            unknown("an attribute")
        }
        (Property::Relation(_), Value::Node(NodeId(node))) if (node as usize) < kb.n_nodes() => Ok(node),
        (Property::Attribute(_), Value::Literal(LiteralId(id))) if (id as usize) < kb.n_literals() => Ok(id),
        _ => unknown("a value"),
    }
}
