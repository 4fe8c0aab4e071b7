//! What can be asked about the sets that a search found.

use crate::leaves::LeafThing;
use crate::search::{ConditionsId, NO_CONDITIONS, PartId, Search, Step, extreme_members};
use hashbrown::HashSet;
use std::sync::Arc;
use touchstone_kb::compare::satisfies;
use touchstone_kb::{
    AttributeId, ClassId, Comparison, FactId, Kb, LiteralId, NodeId, Property, QualifierId, RelationId,
    Value, ValueKind,
};
use touchstone_logic::{Ask, Extreme, Query, Set};

/// What a candidate asks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Asked {
    /// The members of a part.
    Members(PartId),
    /// How many there are.
    Count(PartId),
    /// An attribute of the members, of facts that satisfy conditions.
    Attribute(PartId, AttributeId, ConditionsId),
    /// Whether an entity is a member.
    Exists { entity: PartId, of: PartId },
    /// Which of two entities has the greater or smaller value.
    Between { left: PartId, right: PartId, attribute: AttributeId, extreme: Extreme },
    /// Whether members have a value that compares as a leaf says, by facts that satisfy conditions.
    Verify { of: PartId, leaf: usize, value: usize, conditions: ConditionsId },
    /// How two entities are related.
    Relation { from: PartId, to: PartId },
    /// A qualifier of the facts with the value that a leaf names.
    ValueQualifier { of: PartId, leaf: usize, value: usize, qualifier: QualifierId },
    /// A qualifier of the fact that relates two entities.
    Qualifier { from: PartId, relation: RelationId, to: PartId, qualifier: QualifierId },
}

/// The answer to a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Denotation {
    /// Entities and classes.
    Nodes(Arc<[u32]>),
    /// Literals.
    Literals(Vec<u32>),
    /// Relations.
    Relations(Vec<RelationId>),
    /// A count.
    Count(u64),
    /// Yes or no.
    Boolean(bool),
}

/// A query that might be meant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) asked: Asked,
    pub(crate) denotation: Denotation,
}

/// Maximum number of members whose attributes are asked for.
const ASKED_MEMBERS: usize = 20;

/// Minimum score of a part, compared with the best one, for what is asked about it.
const BELOW_BEST: f32 = 6.0;

/// Maximum number of members whose qualifiers are asked for.
const FEW: usize = 3;

/// Maximum number of parts that are asked about.
const ASKED_ABOUT: usize = 800;

/// Number of parts of which other descriptions are tried.
const REWRITTEN: usize = 200;

/// Maximum number of entities whose relations and values are compared.
const RELATED: usize = 40;

/// Maximum number of classes that all members of a part have.
const IMPLIED: usize = 4;

/// Number of members that are looked at for a class that all may have.
const CLASSIFIED: usize = 50;

/// The candidates of a search.
pub(crate) fn candidates(search: &mut Search<'_, '_>) -> Vec<Candidate> {
    let best = search.parts.iter().map(|part| part.score).fold(f32::NEG_INFINITY, f32::max);
    let ids = 0..search.parts.len() as PartId;
    let is_good =
        |id: &PartId| search.part(*id).score >= best - BELOW_BEST || search.part(*id).relations <= 1;
    let mut good: Vec<PartId> = ids.filter(is_good).collect();
    good.sort_by(|&one, &other| search.part(other).score.total_cmp(&search.part(one).score));
    good.truncate(ASKED_ABOUT);
    let mut found = Vec::new();
    for (place, &id) in good.iter().enumerate() {
        let mut all = vec![id];
        if place < REWRITTEN {
            all.extend(search.alternatives(id, 1));
            for id in all.clone() {
                let plain = search.plain(id);
                all.extend((plain != id).then_some(plain));
            }
        }
        for id in all {
            about_part(search, id, &mut found);
            with_class(search, id, &mut found);
        }
    }
    if is_yes_or_no(search) {
        for &id in &good {
            verify(search, id, &mut found);
        }
    }
    for &id in &good {
        value_qualifiers(search, id, &mut found);
    }
    let search = &*search;
    let is_entity = |id: &PartId| matches!(search.part(*id).step, Step::Entity(_));
    let entities: Vec<PartId> = (0..search.parts.len() as PartId).filter(is_entity).take(RELATED).collect();
    // What is described as a single thing is related like what is named.
    let is_single = |id: &PartId| !is_entity(id) && search.part(*id).members.len() == 1;
    let singles = good.iter().copied().filter(is_single).take(RELATED);
    let singles: Vec<PartId> = entities.iter().copied().chain(singles).collect();
    if is_yes_or_no(search) {
        for &entity in &entities {
            exists(search, entity, &good, &mut found);
        }
    }
    let (compares, asks_for_relation) = (compares(search), asks_for_relation(search));
    for (at, &left) in singles.iter().enumerate() {
        for &right in &singles[at + 1..] {
            if search.part(left).words & search.part(right).words == 0 {
                if compares {
                    between(search, left, right, &mut found);
                }
                relations(search, (left, right), asks_for_relation, &mut found);
                relations(search, (right, left), asks_for_relation, &mut found);
            }
        }
    }
    found
}

/// The members and the number of a part, said to be of a class that all of them have: that of the relation that leads to them, or the smallest
/// one that they have in common. Questions name it with a word like "who", or in the word for the relation.
fn with_class(search: &mut Search<'_, '_>, id: PartId, found: &mut Vec<Candidate>) {
    let part = search.part(id).clone();
    if search.has_class(id) || matches!(part.step, Step::Entity(_)) {
        return;
    }
    let kb = search.kb;
    // The greatest of some things is said to be the greatest of their class.
    let described = match part.step {
        Step::Superlative { of, .. } => of,
        _ => id,
    };
    let members = search.part(described).members.clone();
    let stride = members.len().div_ceil(CLASSIFIED);
    let is_common = |class: &ClassId| {
        members.iter().step_by(stride).all(|&node| kb.is_member(NodeId(node), *class))
            && members.iter().all(|&node| kb.is_member(NodeId(node), *class))
    };
    let Some(&first) = members.first() else { return };
    let all: Vec<ClassId> = kb.classes_of(NodeId(first)).collect();
    let mut classes: Vec<ClassId> = all.into_iter().filter(is_common).collect();
    classes.sort_by_key(|&class| kb.members(class).len());
    classes.truncate(IMPLIED);
    for class in classes {
        let id = search.add_implied_class(id, class);
        found.push(Candidate {
            asked: Asked::Members(id),
            denotation: Denotation::Nodes(part.members.clone()),
        });
        let denotation = Denotation::Count(part.members.len() as u64);
        found.push(Candidate { asked: Asked::Count(id), denotation });
        if part.members.len() <= FEW {
            attributes_of(search, id, found);
        }
    }
}

/// Whether a question compares two things.
fn compares(search: &Search<'_, '_>) -> bool {
    const WORDS: [&str; 12] =
        ["more", "less", "vs", "versus", "or", "between", "first", "last", "most", "least", "two", "both"];
    search.question.words.iter().any(|word| {
        let lower = word.lower.as_str();
        WORDS.contains(&lower) || lower.ends_with("er") || lower.ends_with("est")
    })
}

/// Whether a question asks how two things are related.
fn asks_for_relation(search: &Search<'_, '_>) -> bool {
    const STARTS: [&str; 8] = ["relat", "connect", "link", "associat", "involv", "role", "tie", "kind"];
    let words = &search.question.words;
    words.iter().any(|word| STARTS.iter().any(|start| word.lower.starts_with(start)))
        || words
            .windows(3)
            .any(|three| three[0].lower == "have" && three[1].lower == "to" && three[2].lower == "do")
}

fn is_yes_or_no(search: &Search<'_, '_>) -> bool {
    search.question.is_yes_or_no()
}

/// Members, number and attributes of a part.
fn about_part(search: &mut Search<'_, '_>, id: PartId, found: &mut Vec<Candidate>) {
    let part = search.part(id).clone();
    if !matches!(part.step, Step::Entity(_)) {
        let denotation = Denotation::Nodes(part.members.clone());
        found.push(Candidate { asked: Asked::Members(id), denotation });
        let denotation = Denotation::Count(part.members.len() as u64);
        found.push(Candidate { asked: Asked::Count(id), denotation });
    }
    if part.members.len() <= ASKED_MEMBERS && !matches!(part.step, Step::Class(_)) {
        attributes_of(search, id, found);
    }
}

/// The values of the attributes of a part.
fn attributes_of(search: &mut Search<'_, '_>, id: PartId, found: &mut Vec<Candidate>) {
    let part = search.part(id).clone();
    let mut attributes: Vec<AttributeId> = Vec::new();
    for &node in part.members.iter() {
        for (property, _) in search.schema.properties_of(NodeId(node)) {
            if let Property::Attribute(attribute) = property
                && !attributes.contains(&attribute)
            {
                attributes.push(attribute);
            }
        }
    }
    for attribute in attributes {
        let values = |&node: &u32| search.kb.literals(NodeId(node), attribute).iter().copied();
        let mut literals: Vec<u32> = part.members.iter().flat_map(values).collect();
        literals.sort_unstable();
        literals.dedup();
        let denotation = Denotation::Literals(literals);
        found.push(Candidate { asked: Asked::Attribute(id, attribute, NO_CONDITIONS), denotation });
        for conditions in search.attribute_conditions(id, attribute) {
            let denotation = Denotation::Literals(conditioned(search, id, attribute, conditions));
            found.push(Candidate { asked: Asked::Attribute(id, attribute, conditions), denotation });
        }
    }
}

/// The values of an attribute by the facts that satisfy conditions.
fn conditioned(
    search: &Search<'_, '_>,
    id: PartId,
    attribute: AttributeId,
    conditions: ConditionsId,
) -> Vec<u32> {
    let kb = search.kb;
    let satisfies = |fact: u32| {
        search.stated(conditions).iter().all(|condition| {
            kb.fact_qualifiers(FactId(fact)).any(|qualifier| {
                qualifier.key == condition.qualifier
                    && match qualifier.value {
                        Value::Node(node) => *condition.value.text == *kb.label(node),
                        Value::Literal(literal) => {
                            let literal = kb.literal(literal);
                            let wanted = condition.value.literal();
                            satisfies(&literal, condition.comparison, &wanted) == Ok(true)
                        }
                    }
            })
        })
    };
    let mut found = Vec::new();
    for &node in search.part(id).members.iter() {
        let facts = kb.facts_of(NodeId(node), Property::Attribute(attribute));
        let values = kb.values_of(facts.clone());
        found.extend(facts.zip(values).filter(|(fact, _)| satisfies(*fact)).map(|(_, &value)| value));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether members of a part have the values that the question names.
fn verify(search: &mut Search<'_, '_>, of: PartId, found: &mut Vec<Candidate>) {
    let part = search.part(of).clone();
    if part.members.len() > ASKED_MEMBERS || matches!(part.step, Step::Class(_) | Step::Compared { .. }) {
        return;
    }
    for (leaf, one) in search.question.leaves.iter().enumerate() {
        let LeafThing::Value { comparison, values } = &one.thing else { continue };
        if one.words & part.words != 0 {
            continue;
        }
        for (value, (attribute, wanted)) in values.iter().enumerate() {
            let has = |&node: &u32| !search.kb.literals(NodeId(node), *attribute).is_empty();
            if !part.members.iter().any(has) {
                continue;
            }
            let wanted = wanted.literal();
            let mut all = vec![NO_CONDITIONS];
            all.extend(search.attribute_conditions(of, *attribute));
            for conditions in all {
                let stated = search.stated(conditions).iter().fold(0, |words, one| words | one.words);
                if stated & one.words != 0 {
                    continue;
                }
                let holds = conditioned(search, of, *attribute, conditions).iter().any(|&id| {
                    let literal = search.kb.literal(LiteralId(id));
                    satisfies(&literal, *comparison, &wanted) == Ok(true)
                });
                let asked = Asked::Verify { of, leaf, value, conditions };
                found.push(Candidate { asked, denotation: Denotation::Boolean(holds) });
            }
        }
    }
}

fn verify_query(
    search: &Search<'_, '_>,
    of: PartId,
    (leaf, at): (usize, usize),
    conditions: ConditionsId,
) -> Ask {
    let LeafThing::Value { comparison, values } = &search.question.leaves[leaf].thing else {
        return Ask::Exists(search.set(of));
    };
    let (attribute, value) = &values[at];
    Ask::Verify {
        of: search.set(of),
        attribute: search.kb.attribute_id(*attribute).into(),
        conditions: search.conditions(conditions),
        comparison: *comparison,
        value: Box::new(value.clone()),
    }
}

fn value_qualifier_query(
    search: &Search<'_, '_>,
    of: PartId,
    (leaf, at): (usize, usize),
    qualifier: QualifierId,
) -> Ask {
    let LeafThing::Value { values, .. } = &search.question.leaves[leaf].thing else {
        return Ask::Members(search.set(of));
    };
    let (attribute, value) = &values[at];
    Ask::AttributeQualifier {
        of: search.set(of),
        attribute: search.kb.attribute_id(*attribute).into(),
        value: Box::new(value.clone()),
        qualifier: search.kb.qualifier_id(qualifier).into(),
    }
}

/// Whether an entity is in the parts that do not use its words.
fn exists(search: &Search<'_, '_>, entity: PartId, good: &[PartId], found: &mut Vec<Candidate>) {
    let Step::Entity(node) = search.part(entity).step else { return };
    for &of in good {
        let part = search.part(of);
        let is_own = matches!(part.step, Step::Entity(_) | Step::Compared { .. });
        if is_own || part.words & search.part(entity).words != 0 || part.relations > 3 {
            continue;
        }
        let is_member = part.members.binary_search(&node.0).is_ok();
        let denotation = Denotation::Boolean(is_member);
        found.push(Candidate { asked: Asked::Exists { entity, of }, denotation });
    }
}

fn between(search: &Search<'_, '_>, left: PartId, right: PartId, found: &mut Vec<Candidate>) {
    let kb = search.kb;
    let mut both: Vec<u32> = [left, right].iter().flat_map(|&id| search.part(id).members.to_vec()).collect();
    both.sort_unstable();
    both.dedup();
    let [one, other] = both[..] else { return };
    for (property, _) in search.schema.properties_of(NodeId(one)) {
        let Property::Attribute(attribute) = property else { continue };
        let is_ordered = matches!(kb.attribute_kind(attribute), ValueKind::Quantity | ValueKind::Time);
        if !is_ordered || kb.literals(NodeId(other), attribute).is_empty() {
            continue;
        }
        for extreme in [Extreme::Max, Extreme::Min] {
            let members = extreme_members(kb, &both, attribute, extreme);
            let asked = Asked::Between { left, right, attribute, extreme };
            found.push(Candidate { asked, denotation: Denotation::Nodes(members.into()) });
        }
    }
}

fn relations(
    search: &Search<'_, '_>,
    (from, to): (PartId, PartId),
    asks_for_relation: bool,
    found: &mut Vec<Candidate>,
) {
    let (&[one], &[other]) = (&*search.part(from).members, &*search.part(to).members) else { return };
    let (one, other) = (NodeId(one), NodeId(other));
    let leads = |(property, values): (Property, &[u32])| match property {
        Property::Relation(relation) if values.binary_search(&other.0).is_ok() => Some(relation),
        _ => None,
    };
    let relations: Vec<RelationId> = search.schema.properties_of(one).filter_map(leads).collect();
    for &relation in &relations {
        qualifiers(search, (from, to), (one, other), relation, found);
    }
    if asks_for_relation && !relations.is_empty() {
        found.push(Candidate {
            asked: Asked::Relation { from, to },
            denotation: Denotation::Relations(relations),
        });
    }
}

/// The qualifiers of the facts of a part with the values that the question names.
fn value_qualifiers(search: &Search<'_, '_>, of: PartId, found: &mut Vec<Candidate>) {
    let (kb, part) = (search.kb, search.part(of));
    if part.members.len() > FEW || matches!(part.step, Step::Class(_)) {
        return;
    }
    for (leaf, one) in search.question.leaves.iter().enumerate() {
        let LeafThing::Value { comparison: Comparison::Equal, values } = &one.thing else { continue };
        if one.words & part.words != 0 {
            continue;
        }
        for (value, (attribute, wanted)) in values.iter().enumerate() {
            let wanted = wanted.literal();
            let facts = part.members.iter().flat_map(|&node| {
                let facts = kb.facts_of(NodeId(node), Property::Attribute(*attribute));
                facts.clone().zip(kb.values_of(facts))
            });
            let is_wanted =
                |value: u32| satisfies(&kb.literal(LiteralId(value)), Comparison::Equal, &wanted) == Ok(true);
            let facts = facts.filter(|(_, value)| is_wanted(**value)).map(|(fact, _)| FactId(fact));
            for (qualifier, denotation) in qualifier_values(kb, facts) {
                let asked = Asked::ValueQualifier { of, leaf, value, qualifier };
                found.push(Candidate { asked, denotation });
            }
        }
    }
}

/// The values of each qualifier of some facts.
fn qualifier_values(kb: &Kb, facts: impl Iterator<Item = FactId>) -> Vec<(QualifierId, Denotation)> {
    let all: Vec<touchstone_kb::Qualifier> = facts.flat_map(|fact| kb.fact_qualifiers(fact)).collect();
    let mut keys: Vec<QualifierId> = all.iter().map(|qualifier| qualifier.key).collect();
    keys.sort_unstable();
    keys.dedup();
    let values = |key: QualifierId| {
        let (mut nodes, mut literals) = (Vec::new(), Vec::new());
        for one in all.iter().filter(|one| one.key == key) {
            match one.value {
                Value::Node(node) => nodes.push(node.0),
                Value::Literal(literal) => literals.push(literal.0),
            }
        }
        if literals.is_empty() {
            Denotation::Nodes(sorted(nodes).into())
        } else {
            Denotation::Literals(sorted(literals))
        }
    };
    keys.into_iter().map(|key| (key, values(key))).collect()
}

/// The qualifiers of the fact that relates two entities.
fn qualifiers(
    search: &Search<'_, '_>,
    (from, to): (PartId, PartId),
    (one, other): (NodeId, NodeId),
    relation: RelationId,
    found: &mut Vec<Candidate>,
) {
    let kb = search.kb;
    let facts = kb.facts_of(one, Property::Relation(relation));
    let values = kb.values_of(facts.clone());
    let facts = facts.zip(values).filter(|(_, value)| **value == other.0).map(|(fact, _)| FactId(fact));
    for (qualifier, denotation) in qualifier_values(kb, facts) {
        found.push(Candidate { asked: Asked::Qualifier { from, relation, to, qualifier }, denotation });
    }
}

fn sorted(mut ids: Vec<u32>) -> Vec<u32> {
    ids.sort_unstable();
    ids.dedup();
    ids
}

impl Candidate {
    /// The query.
    pub(crate) fn query(&self, search: &Search<'_, '_>) -> Query {
        let attribute = |id: AttributeId| search.kb.attribute_id(id).into();
        Query::new(match self.asked {
            Asked::Members(id) => Ask::Members(search.set(id)),
            Asked::Count(id) => Ask::Count(search.set(id)),
            Asked::Attribute(of, id, conditions) => Ask::Attribute {
                of: search.set(of),
                attribute: attribute(id),
                conditions: search.conditions(conditions),
            },
            Asked::Exists { entity, of } => Ask::Exists(Set::and([search.set(entity), search.set(of)])),
            Asked::Between { left, right, attribute: id, extreme } => Ask::SelectBetween {
                left: search.set(left),
                right: search.set(right),
                attribute: attribute(id),
                extreme,
            },
            Asked::Verify { of, leaf, value, conditions } => {
                verify_query(search, of, (leaf, value), conditions)
            }
            Asked::ValueQualifier { of, leaf, value, qualifier } => {
                value_qualifier_query(search, of, (leaf, value), qualifier)
            }
            Asked::Relation { from, to } => Ask::Relation { from: search.set(from), to: search.set(to) },
            Asked::Qualifier { from, relation, to, qualifier } => Ask::RelationQualifier {
                from: search.set(from),
                relation: search.kb.relation_id(relation).into(),
                to: search.set(to),
                qualifier: search.kb.qualifier_id(qualifier).into(),
            },
        })
    }

    /// The conditions of an attribute that is asked for.
    pub(crate) fn conditions(&self) -> ConditionsId {
        match self.asked {
            Asked::Attribute(_, _, conditions) | Asked::Verify { conditions, .. } => conditions,
            _ => NO_CONDITIONS,
        }
    }

    /// The parts that it asks about.
    pub(crate) fn parts(&self) -> impl Iterator<Item = PartId> + use<> {
        let (one, other) = match self.asked {
            Asked::Members(id)
            | Asked::Count(id)
            | Asked::Attribute(id, ..)
            | Asked::Verify { of: id, .. }
            | Asked::ValueQualifier { of: id, .. } => (id, None),
            Asked::Exists { entity: one, of: other }
            | Asked::Between { left: one, right: other, .. }
            | Asked::Relation { from: one, to: other }
            | Asked::Qualifier { from: one, to: other, .. } => (one, Some(other)),
        };
        [one].into_iter().chain(other)
    }

    /// The name of what it asks.
    pub(crate) fn kind(&self) -> &'static str {
        match self.asked {
            Asked::Members(_) => "members",
            Asked::Count(_) => "count",
            Asked::Attribute(..) => "attribute",
            Asked::Exists { .. } => "exists",
            Asked::Verify { .. } => "verify",
            Asked::ValueQualifier { .. } => "value qualifier",
            Asked::Qualifier { .. } => "qualifier",
            Asked::Between { .. } => "between",
            Asked::Relation { .. } => "relation",
        }
    }
}

/// The names of different entities that the parts of a candidate use.
pub(crate) fn leaf_words(search: &Search<'_, '_>, candidate: &Candidate) -> u64 {
    let stated = search.stated(candidate.conditions()).iter().fold(0, |words, one| words | one.words);
    let own = match candidate.asked {
        Asked::Verify { leaf, .. } | Asked::ValueQualifier { leaf, .. } => search.question.leaves[leaf].words,
        _ => 0,
    };
    candidate.parts().fold(stated | own, |words, id| words | search.part(id).words)
}

/// The leaves of a question that name an entity or value and share no word with a set of words: those that surely do, and the others.
pub(crate) fn unused_leaves(search: &Search<'_, '_>, words: u64) -> (usize, usize) {
    let (mut sure, mut unsure): (HashSet<u64>, HashSet<u64>) = (HashSet::new(), HashSet::new());
    for leaf in &search.question.leaves {
        if matches!(leaf.thing, LeafThing::Class(_)) || leaf.words & words != 0 || leaf.fit < 0.5 {
            continue;
        }
        let is_sure = leaf.is_sure || matches!(leaf.thing, LeafThing::Value { .. });
        (if is_sure { &mut sure } else { &mut unsure }).insert(leaf.words);
    }
    (sure.len(), unsure.len())
}
