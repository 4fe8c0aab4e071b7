//! Grows descriptions of sets from the leaves of a question, by the number of their relations. Each is executed when it is made, and what is
//! empty is dropped. Descriptions of the same things by the same words are grown once, and all of them are kept for scoring.

use crate::leaves::{Leaf, LeafThing, Question};
use crate::qualified::{ConditionFinder, StatedCondition};
use crate::schema::SchemaNames;
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::plan::Plan;
use touchstone_engine::{EmbeddedEngine, Engine, Found, KbContext, PlanRequest, Words};
use touchstone_kb::{AttributeId, ClassId, FactId, Kb, NodeId, Property, QualifierId, RelationId, ValueKind};
use touchstone_logic::{Ask, Condition, Direction, Extreme, Query, Relate, Set, Value};

/// The number of a part.
pub(crate) type PartId = u32;

/// The number of a list of conditions.
pub(crate) type ConditionsId = u32;

/// No conditions.
pub(crate) const NO_CONDITIONS: ConditionsId = 0;

/// How a part is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    /// A named entity.
    Entity(NodeId),
    /// The members of a named class.
    Class(ClassId),
    /// What the members of another part lead to, by facts that satisfy conditions.
    Relate { from: PartId, relation: RelationId, direction: Direction, conditions: ConditionsId },
    /// What has a value that compares as the leaf with this number says.
    Compared { leaf: usize, value: usize },
    /// What has a boolean attribute with this value.
    Flagged { attribute: AttributeId, value: bool },
    /// What is in both.
    Both(PartId, PartId),
    /// What is in one of them.
    Either(PartId, PartId),
    /// The members with the greatest or smallest value.
    Superlative { of: PartId, attribute: AttributeId, extreme: Extreme },
    /// The members that a relation leads to what has the greatest or smallest value.
    SuperlativeAlong {
        of: PartId,
        relation: RelationId,
        direction: Direction,
        attribute: AttributeId,
        extreme: Extreme,
    },
}

/// A set that is described and known.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) step: Step,
    /// Its members, sorted.
    pub(crate) members: Arc<[u32]>,
    /// The words of its leaves, as bits.
    pub(crate) words: u64,
    /// The words that its relations and attributes fit, as bits.
    pub(crate) explained: u64,
    /// Number of relations, comparisons and superlatives.
    pub(crate) relations: usize,
    /// How well its leaves and items fit the question.
    pub(crate) score: f32,
    /// A hash of its members.
    members_hash: u64,
}

impl Part {
    /// Parts with the same key describe the same things by the same words.
    fn key(&self) -> (u64, u64) {
        (self.words, self.members_hash)
    }
}

/// A part before its members are known to be any.
struct Sketch {
    step: Step,
    words: u64,
    explained: u64,
    relations: usize,
    score: f32,
}

/// Limits of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchLimits {
    /// Maximum number of sets to compute.
    pub executions: usize,
    /// Maximum number of relations, comparisons and superlatives in a query.
    pub relations: usize,
    /// Number of sets that are grown further, of those that use the same words.
    pub beam: usize,
}

impl Default for SearchLimits {
    fn default() -> SearchLimits {
        SearchLimits { executions: 12_000, relations: 4, beam: 25 }
    }
}

/// A schema item, as scores see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Item {
    Relation(RelationId, Direction),
    Attribute(AttributeId),
    Class(ClassId),
    Qualifier(QualifierId),
}

/// How well a schema item fits the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ItemScore {
    pub(crate) score: f32,
    /// The words that it fits, as bits.
    pub(crate) words: u64,
}

impl ItemScore {
    /// What the item adds to a query that explains some words already: a word speaks for one item only.
    fn beside(self, explained: u64) -> f32 {
        if self.words & explained == 0 || self.score <= 0.0 {
            return self.score;
        }
        self.score * (self.words & !explained).count_ones() as f32 / self.words.count_ones() as f32
    }
}

/// How well schema items fit the question.
pub(crate) trait ItemScores {
    /// The score of an item.
    fn item(&mut self, item: Item) -> ItemScore;
    /// The score of taking the extreme of an attribute.
    fn extreme(&mut self, attribute: AttributeId, extreme: Extreme) -> ItemScore;
}

/// Maximum number of other descriptions of a part.
const ALTERNATIVES: usize = 8;

/// Maximum number of parts that may take the place of one with the same members.
const SAME: usize = 3;

/// Maximum number of members of a set that is followed along relations.
const FOLLOWED: usize = 1500;

/// Maximum number of relations that are followed from a part that is not named itself: those that fit best.
const STEPS: usize = 16;

/// Maximum number of members whose relations are looked at.
const LOOKED_AT: usize = 100;

/// Maximum number of members of a set whose facts are searched for conditions.
const CONDITIONED: usize = 20;

/// Maximum number of attributes of a set by which superlatives are tried.
const EXTREMES: usize = 8;

/// Maximum number of relations, and of attributes, of superlatives along a relation.
const PATHS: usize = 4;

/// Maximum number of operations for the things with a value.
const OPERATIONS: u64 = 2_000_000;

/// A search for one question.
pub(crate) struct Search<'s, 'k> {
    pub(crate) kb: &'k Kb,
    words: &'s Words<'k>,
    pub(crate) question: &'s Question,
    limits: SearchLimits,
    pub(crate) parts: Vec<Part>,
    pub(crate) executions: usize,
    /// The parts that are grown, by their number of relations.
    open: Vec<Vec<PartId>>,
    /// The least number of relations of the parts with a key.
    seen: HashMap<(u64, u64), usize>,
    /// The parts with a key.
    by_key: HashMap<(u64, u64), Vec<PartId>>,
    extremes: Vec<Extreme>,
    finder: ConditionFinder<'s, 'k>,
    /// Lists of conditions on qualifiers; the first is empty.
    conditions: Vec<Vec<StatedCondition>>,
    /// Whether the question says "or".
    has_or: bool,
    pub(crate) schema: &'s SchemaNames<'k>,
}

impl<'s, 'k> Search<'s, 'k> {
    /// Searches until nothing is left to grow, or the limits are reached.
    pub(crate) fn run(
        schema: &'s SchemaNames<'k>,
        words: &'s Words<'k>,
        question: &'s Question,
        limits: SearchLimits,
        scores: &mut dyn ItemScores,
    ) -> Search<'s, 'k> {
        let mut search = Search {
            kb: schema.kb,
            words,
            question,
            limits,
            parts: Vec::new(),
            executions: 0,
            open: Vec::new(),
            seen: HashMap::new(),
            by_key: HashMap::new(),
            extremes: extremes(question),
            finder: ConditionFinder::new(schema.kb, question),
            conditions: vec![Vec::new()],
            schema,
            has_or: has_or(question),
        };
        search.leaves(scores);
        for level in 1..=limits.relations {
            if search.is_over() {
                break;
            }
            search.level(level, scores);
        }
        search
    }

    fn is_over(&self) -> bool {
        self.executions >= self.limits.executions
    }

    pub(crate) fn part(&self, id: PartId) -> &Part {
        &self.parts[id as usize]
    }

    /// Entities and classes, and what has the named values.
    fn leaves(&mut self, scores: &mut dyn ItemScores) {
        let (mut named, mut compared) = (Vec::new(), Vec::new());
        for (number, leaf) in self.question.leaves.iter().enumerate() {
            match &leaf.thing {
                LeafThing::Entity(node) => {
                    let members = Arc::from([node.0]);
                    let score = leaf.weight();
                    let step = Step::Entity(*node);
                    let sketch = Sketch { step, words: leaf.words, explained: 0, relations: 0, score };
                    named.extend(self.add(members, sketch));
                }
                LeafThing::Class(class) => {
                    let members = Arc::from(self.kb.members(*class));
                    let score = 0.5 + scores.item(Item::Class(*class)).score;
                    let step = Step::Class(*class);
                    let sketch = Sketch { step, words: leaf.words, explained: 0, relations: 0, score };
                    named.extend(self.add(members, sketch));
                }
                LeafThing::Value { values, .. } => {
                    for at in 0..values.len() {
                        compared.extend(self.compared(number, at, leaf, scores));
                    }
                }
            }
        }
        compared.extend(self.flagged(scores));
        self.open.push(named);
        self.open.push(self.best(compared));
    }

    fn compared(
        &mut self,
        number: usize,
        at: usize,
        leaf: &Leaf,
        scores: &mut dyn ItemScores,
    ) -> Option<PartId> {
        let LeafThing::Value { values, .. } = &leaf.thing else { return None };
        let (attribute, _) = values[at];
        let step = Step::Compared { leaf: number, value: at };
        let members = self.executed(&self.set_of_step(step))?;
        let item = scores.item(Item::Attribute(attribute));
        let score = leaf.fit + item.score;
        self.add(members, Sketch { step, words: leaf.words, explained: item.words, relations: 1, score })
    }

    /// What has a boolean attribute that the question names.
    fn flagged(&mut self, scores: &mut dyn ItemScores) -> Vec<PartId> {
        let mut found = Vec::new();
        for attribute in self.schema.attributes_of_kind(ValueKind::Boolean) {
            let item = scores.item(Item::Attribute(attribute));
            if item.score < FLAG {
                continue;
            }
            let values: &[bool] = if self.is_negated() { &[true, false] } else { &[true] };
            for &value in values {
                let step = Step::Flagged { attribute, value };
                if let Some(members) = self.executed(&self.set_of_step(step)) {
                    let (explained, score) = (item.words, item.score);
                    found
                        .extend(self.add(members, Sketch { step, words: 0, explained, relations: 1, score }));
                }
            }
        }
        found
    }

    fn is_negated(&self) -> bool {
        self.question
            .words
            .iter()
            .any(|word| matches!(word.lower.as_str(), "not" | "no" | "isn't" | "aren't"))
    }

    /// The members of a set, by the engine.
    fn executed(&mut self, set: &Set) -> Option<Arc<[u32]>> {
        self.executions += 1;
        let query = Query::new(Ask::Members(set.clone()));
        let plan = Plan::of(&query, self.words).ok()?;
        let limits = Limits { operations: OPERATIONS, ..Limits::default() };
        let reply =
            EmbeddedEngine.run_plan(&PlanRequest::new(&plan), &KbContext::new(self.kb), &Budget::new(limits));
        match reply.result.ok()? {
            Found::Things { nodes, .. } => Some(Arc::from(&*nodes)),
            _ => None,
        }
    }

    /// Adds a part that has members; the part is to be grown if no other describes the same things by the same words with fewer relations.
    fn add(&mut self, members: Arc<[u32]>, sketch: Sketch) -> Option<PartId> {
        let Sketch { step, words, explained, relations, score } = sketch;
        if members.is_empty() {
            return None;
        }
        let part = Part { step, words, explained, relations, score, members_hash: hash(&members), members };
        let fewest = self.seen.entry(part.key()).or_insert(relations);
        let is_new = *fewest >= relations;
        let id = self.parts.len() as PartId;
        self.by_key.entry(part.key()).or_default().push(id);
        self.parts.push(part);
        is_new.then_some(id)
    }

    /// The parts with this number of relations.
    fn level(&mut self, level: usize, scores: &mut dyn ItemScores) {
        let mut found = match self.open.get_mut(level) {
            Some(open) => std::mem::take(open),
            None => {
                self.open.push(Vec::new());
                Vec::new()
            }
        };
        for from in self.open[level - 1].clone() {
            self.relate(from, scores, &mut found);
            self.superlatives(from, scores, &mut found);
            self.superlatives_along(from, scores, &mut found);
            if self.is_over() {
                break;
            }
        }
        self.open[level] = self.best(found);
        let mut both = Vec::new();
        // Two of the same level are paired once; a class or value of level 0 with everything that was just found.
        for lower in 0..=level / 2 {
            self.pairs(lower, level - lower, &mut both);
        }
        let mut all = std::mem::take(&mut self.open[level]);
        all.extend(both);
        self.open[level] = self.best(all);
    }

    /// The best of some parts: for each set of words, those with the highest scores.
    fn best(&self, mut parts: Vec<PartId>) -> Vec<PartId> {
        parts.sort_by(|&one, &other| {
            self.part(other).score.total_cmp(&self.part(one).score).then(one.cmp(&other))
        });
        let mut counts: HashMap<u64, usize> = HashMap::new();
        // Of those that describe the same things by the same words, the first has the highest score.
        let mut known: HashSet<(u64, u64)> = HashSet::new();
        parts.retain(|&id| {
            if !known.insert(self.part(id).key()) {
                return false;
            }
            let count = counts.entry(self.part(id).words).or_default();
            *count += 1;
            *count <= self.limits.beam
        });
        parts
    }

    /// Everything that one relation leads to from a part.
    fn relate(&mut self, from: PartId, scores: &mut dyn ItemScores, found: &mut Vec<PartId>) {
        let Part { members, words, explained, relations, score, step, .. } = self.part(from).clone();
        if members.len() > FOLLOWED || matches!(step, Step::Class(_)) {
            return;
        }
        let mut steps = self.steps_from(&members);
        if relations > 0 && steps.len() > STEPS {
            let mut ranked: Vec<(f32, (RelationId, Direction))> = steps
                .into_iter()
                .map(|step| (scores.item(Item::Relation(step.0, step.1)).beside(explained), step))
                .collect();
            ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
            steps = ranked.into_iter().take(STEPS).map(|(_, step)| step).collect();
        }
        for (relation, direction) in steps {
            if self.is_over() {
                return;
            }
            self.executions += 1;
            let members = related(self.kb, &members, relation, direction);
            let item = scores.item(Item::Relation(relation, direction));
            let step = Step::Relate { from, relation, direction, conditions: NO_CONDITIONS };
            let score = score + item.beside(explained) - STEP;
            let explained = explained | item.words;
            found.extend(
                self.add(members, Sketch { step, words, explained, relations: relations + 1, score }),
            );
            self.relate_with_conditions((from, explained, score), relation, direction, found);
        }
    }

    /// The same along the facts that satisfy conditions that the question states.
    fn relate_with_conditions(
        &mut self,
        (from, explained, score): (PartId, u64, f32),
        relation: RelationId,
        direction: Direction,
        found: &mut Vec<PartId>,
    ) {
        let Part { members, words, relations, .. } = self.part(from).clone();
        if members.len() > CONDITIONED || !self.schema.is_qualified[relation.index()] {
            return;
        }
        let kb = self.kb;
        let facts = members.iter().flat_map(|&node| match direction {
            Direction::Forward => kb.facts_of(NodeId(node), Property::Relation(relation)).collect(),
            Direction::Backward => kb.facts_into(relation, NodeId(node)).to_vec(),
        });
        let stated = self.finder.conditions(facts.map(FactId), words);
        for conditions in lists(&stated) {
            let all = conditions.iter().fold(words, |all, one| all | one.words);
            let fit: f32 = conditions.iter().map(|one| 1.5 * one.fit).sum();
            let number = self.add_conditions(conditions);
            let step = Step::Relate { from, relation, direction, conditions: number };
            if let Some(members) = self.executed(&self.set_of(step)) {
                let (relations, score) = (relations + 1, score + fit);
                found.extend(self.add(members, Sketch { step, words: all, explained, relations, score }));
            }
        }
    }

    /// The conditions on the values of an attribute that the question states, as lists.
    pub(crate) fn attribute_conditions(&mut self, of: PartId, attribute: AttributeId) -> Vec<ConditionsId> {
        let Part { members, words, .. } = self.part(of).clone();
        let is_qualified = self.schema.is_qualified[self.kb.n_relations() + attribute.index()];
        if members.len() > CONDITIONED || !is_qualified {
            return Vec::new();
        }
        let kb = self.kb;
        let facts =
            members.iter().flat_map(|&node| kb.facts_of(NodeId(node), Property::Attribute(attribute)));
        let stated = self.finder.conditions(facts.map(FactId), words);
        lists(&stated).into_iter().map(|conditions| self.add_conditions(conditions)).collect()
    }

    fn add_conditions(&mut self, conditions: Vec<StatedCondition>) -> ConditionsId {
        let known = self.conditions.iter().position(|one| *one == conditions);
        let at = known.unwrap_or_else(|| {
            self.conditions.push(conditions);
            self.conditions.len() - 1
        });
        at as ConditionsId
    }

    /// A list of conditions.
    pub(crate) fn stated(&self, conditions: ConditionsId) -> &[StatedCondition] {
        &self.conditions[conditions as usize]
    }

    /// A list of conditions in a query.
    pub(crate) fn conditions(&self, conditions: ConditionsId) -> Vec<Condition> {
        self.stated(conditions).iter().map(|one| one.condition(self.kb)).collect()
    }

    /// Parts of two levels that use different words and have members in common.
    fn pairs(&mut self, lower: usize, upper: usize, found: &mut Vec<PartId>) {
        let (lows, ups) = (self.open[lower].clone(), self.open[upper].clone());
        for (at, &one) in lows.iter().enumerate() {
            // An entity itself is no description that others share.
            if matches!(self.part(one).step, Step::Entity(_)) {
                continue;
            }
            let others = if lower == upper { &ups[at + 1..] } else { &ups[..] };
            for &other in others {
                if self.is_over() {
                    return;
                }
                let (a, b) = (self.part(one), self.part(other));
                let shares = a.words & b.words != 0 || a.words == 0 && b.words == 0;
                if shares || matches!(b.step, Step::Entity(_)) || self.repeats(one, other) {
                    continue;
                }
                let (words, relations) = (a.words | b.words, a.relations + b.relations);
                let twice = (a.explained & b.explained).count_ones() as f32;
                let (score, explained) = (a.score + b.score - TWICE * twice, a.explained | b.explained);
                let members = intersection(&a.members, &b.members);
                let either = self.has_or && lower == upper && a.relations > 0 && b.relations > 0;
                let either = either.then(|| union(&a.members, &b.members));
                self.executions += 1;
                let step = Step::Both(other, one);
                found.extend(self.add(members.into(), Sketch { step, words, explained, relations, score }));
                if let Some(members) = either {
                    self.executions += 1;
                    let step = Step::Either(other, one);
                    found.extend(
                        self.add(members.into(), Sketch { step, words, explained, relations, score }),
                    );
                }
            }
        }
    }

    /// Whether one part already is a class or flag of the other.
    fn repeats(&self, one: PartId, other: PartId) -> bool {
        match self.part(one).step {
            Step::Class(_) | Step::Flagged { .. } => match self.part(other).step {
                Step::Both(left, right) => {
                    self.part(right).step == self.part(one).step
                        || self.part(left).step == self.part(one).step
                        || matches!(self.part(one).step, Step::Class(_))
                            && matches!(self.part(right).step, Step::Class(_))
                }
                Step::Class(_) => matches!(self.part(one).step, Step::Class(_)),
                _ => false,
            },
            _ => false,
        }
    }

    /// The attributes of some things whose values have an order.
    fn ordered_attributes(&self, members: &[u32]) -> Vec<AttributeId> {
        let mut attributes: Vec<AttributeId> = Vec::new();
        let stride = members.len().div_ceil(LOOKED_AT / 4).max(1);
        for &node in members.iter().step_by(stride) {
            for (property, _) in self.schema.properties_of(NodeId(node)) {
                if let Property::Attribute(attribute) = property
                    && matches!(self.kb.attribute_kind(attribute), ValueKind::Quantity | ValueKind::Time)
                    && !attributes.contains(&attribute)
                {
                    attributes.push(attribute);
                }
            }
        }
        attributes
    }

    /// The relations that lead from some things, in both directions.
    fn steps_from(&self, members: &[u32]) -> Vec<(RelationId, Direction)> {
        let mut steps: Vec<(RelationId, Direction)> = Vec::new();
        let stride = members.len().div_ceil(LOOKED_AT).max(1);
        for &node in members.iter().step_by(stride) {
            let out = self.schema.properties_of(NodeId(node)).filter_map(|(property, _)| match property {
                Property::Relation(relation) => Some((relation, Direction::Forward)),
                Property::Attribute(_) => None,
            });
            let into = self.kb.relations_to(NodeId(node)).map(|(relation, _)| relation);
            let into = into.filter(|&relation| self.schema.is_visible(Property::Relation(relation)));
            let into = into.map(|relation| (relation, Direction::Backward));
            for step in out.chain(into) {
                if !steps.contains(&step) {
                    steps.push(step);
                }
            }
        }
        steps
    }

    /// The members with extreme values, if the question has a superlative.
    fn superlatives(&mut self, of: PartId, scores: &mut dyn ItemScores, found: &mut Vec<PartId>) {
        let Part { members, words, explained, relations, score, step, .. } = self.part(of).clone();
        if self.extremes.is_empty() || members.len() < 2 || matches!(step, Step::Superlative { .. }) {
            return;
        }
        let attributes = self.ordered_attributes(&members);
        for extreme in self.extremes.clone() {
            let mut ranked: Vec<(ItemScore, AttributeId)> =
                attributes.iter().map(|&id| (scores.extreme(id, extreme), id)).collect();
            ranked.sort_by(|one, other| other.0.score.total_cmp(&one.0.score).then(one.1.cmp(&other.1)));
            for (item, attribute) in ranked.into_iter().take(EXTREMES) {
                self.executions += 1;
                let members = extreme_members(self.kb, &members, attribute, extreme);
                let step = Step::Superlative { of, attribute, extreme };
                let score = score + item.beside(explained) - STEP;
                let (explained, relations) = (explained | item.words, relations + 1);
                found.extend(self.add(members.into(), Sketch { step, words, explained, relations, score }));
            }
        }
    }

    /// The members that a relation leads to what has an extreme value, if the question has a superlative.
    fn superlatives_along(&mut self, of: PartId, scores: &mut dyn ItemScores, found: &mut Vec<PartId>) {
        let Part { members, words, explained, relations, score, .. } = self.part(of).clone();
        let is_bounded = (2..=FOLLOWED).contains(&members.len());
        if self.extremes.is_empty() || !is_bounded || !self.has_class(of) || relations > 1 {
            return;
        }
        let mut steps = self.steps_from(&members);
        let fit = |scores: &mut dyn ItemScores, step: &(RelationId, Direction)| {
            scores.item(Item::Relation(step.0, step.1))
        };
        steps.sort_by(|one, other| {
            fit(scores, other).score.total_cmp(&fit(scores, one).score).then(one.cmp(other))
        });
        steps.truncate(PATHS);
        for (relation, direction) in steps {
            let reached = related(self.kb, &members, relation, direction);
            let item = scores.item(Item::Relation(relation, direction));
            let score = score + item.beside(explained) - 2.0 * STEP;
            let explained = explained | item.words;
            let attributes = self.ordered_attributes(&reached);
            for extreme in self.extremes.clone() {
                let mut ranked: Vec<(ItemScore, AttributeId)> =
                    attributes.iter().map(|&id| (scores.extreme(id, extreme), id)).collect();
                ranked.sort_by(|one, other| other.0.score.total_cmp(&one.0.score).then(one.1.cmp(&other.1)));
                for (item, attribute) in ranked.into_iter().take(PATHS) {
                    let step = Step::SuperlativeAlong { of, relation, direction, attribute, extreme };
                    let Some(members) = self.executed(&self.set_of(step)) else { continue };
                    let score = score + item.beside(explained);
                    let (explained, relations) = (explained | item.words, relations + 2);
                    found.extend(self.add(members, Sketch { step, words, explained, relations, score }));
                }
            }
        }
    }

    /// Whether a part says the class of its members.
    pub(crate) fn has_class(&self, id: PartId) -> bool {
        match self.part(id).step {
            Step::Class(_) => true,
            Step::Both(one, other) => self.has_class(one) || self.has_class(other),
            Step::Superlative { of, .. } | Step::SuperlativeAlong { of, .. } => self.has_class(of),
            _ => false,
        }
    }

    /// The class of what the last relation of a part leads to.
    pub(crate) fn class_of_relation(&self, id: PartId) -> Option<ClassId> {
        match self.part(id).step {
            Step::Relate { relation, direction: Direction::Forward, .. } => self.kb.relation_range(relation),
            Step::Relate { relation, direction: Direction::Backward, .. } => {
                self.kb.relation_domain(relation)
            }
            Step::Both(one, other) => self.class_of_relation(one).or_else(|| self.class_of_relation(other)),
            Step::Superlative { of, .. } | Step::SuperlativeAlong { of, .. } => self.class_of_relation(of),
            _ => None,
        }
    }

    /// The same part with a class that all its members have and that no word of the question names.
    pub(crate) fn add_implied_class(&mut self, id: PartId, class: ClassId) -> PartId {
        let part = self.part(id).clone();
        let described = match part.step {
            Step::Superlative { of, .. } => of,
            _ => id,
        };
        let next = self.parts.len() as PartId;
        let members = Arc::from(self.kb.members(class));
        let step = Step::Class(class);
        self.parts.push(Part {
            step,
            members,
            words: 0,
            explained: 0,
            relations: 0,
            score: 0.0,
            members_hash: 0,
        });
        self.parts.push(Part { step: Step::Both(described, next), ..self.part(described).clone() });
        if let Step::Superlative { attribute, extreme, .. } = part.step {
            self.parts.push(Part { step: Step::Superlative { of: next + 1, attribute, extreme }, ..part });
        }
        self.parts.len() as PartId - 1
    }

    /// Other descriptions of the same things by the same words: with other parts inside.
    pub(crate) fn alternatives(&mut self, id: PartId, depth: usize) -> Vec<PartId> {
        let part = self.part(id).clone();
        let mut found = Vec::new();
        let mut steps: Vec<(Step, PartId, PartId)> = Vec::new();
        let inner = match part.step {
            Step::Relate { from, .. } => vec![from],
            Step::Both(one, other) => vec![one, other],
            Step::Superlative { of, .. } => vec![of],
            _ => Vec::new(),
        };
        for old in inner {
            for new in self.same(old, depth) {
                let step = match part.step {
                    Step::Relate { relation, direction, conditions, .. } => {
                        Step::Relate { from: new, relation, direction, conditions }
                    }
                    Step::Both(one, other) if one == old => Step::Both(new, other),
                    Step::Both(one, _) => Step::Both(one, new),
                    Step::Superlative { attribute, extreme, .. } => {
                        Step::Superlative { of: new, attribute, extreme }
                    }
                    step => step,
                };
                steps.push((step, old, new));
            }
        }
        for (step, old, new) in steps.into_iter().take(ALTERNATIVES) {
            let (old, new) = (self.part(old), self.part(new));
            let score = part.score + new.score - old.score;
            let explained = part.explained & !old.explained | new.explained;
            found.push(self.parts.len() as PartId);
            self.parts.push(Part { step, score, explained, ..part.clone() });
        }
        found
    }

    /// The same part without the classes inside that only repeat what all members are.
    pub(crate) fn plain(&mut self, id: PartId) -> PartId {
        let part = self.part(id).clone();
        let step = match part.step {
            Step::Relate { from, relation, direction, conditions } => {
                let inner = self.unclassified(from);
                if inner == from {
                    return id;
                }
                Step::Relate { from: inner, relation, direction, conditions }
            }
            Step::Both(one, other) => {
                let inner = (self.plain(one), self.plain(other));
                if inner == (one, other) {
                    return id;
                }
                Step::Both(inner.0, inner.1)
            }
            _ => return id,
        };
        self.parts.push(Part { step, ..part });
        self.parts.len() as PartId - 1
    }

    /// What is inside of a part if its class only repeats what all members are.
    fn unclassified(&mut self, id: PartId) -> PartId {
        if let Step::Both(inner, class) = self.part(id).step
            && matches!(self.part(class).step, Step::Class(_))
            && self.part(inner).members_hash == self.part(id).members_hash
        {
            return self.unclassified(inner);
        }
        self.plain(id)
    }

    /// Parts with the same members and words.
    fn same(&mut self, id: PartId, depth: usize) -> Vec<PartId> {
        let part = self.part(id).clone();
        let all = self.by_key.get(&part.key()).map_or(&[][..], Vec::as_slice);
        let mut found: Vec<PartId> = all.iter().copied().filter(|&other| other != id).collect();
        found.sort_by(|&one, &other| {
            self.part(other).score.total_cmp(&self.part(one).score).then(one.cmp(&other))
        });
        found.truncate(SAME);
        if depth > 0 {
            found.extend(self.alternatives(id, depth - 1));
        }
        found
    }

    /// The description of a part.
    pub(crate) fn set(&self, id: PartId) -> Set {
        self.set_of(self.part(id).step)
    }

    fn set_of(&self, step: Step) -> Set {
        match step {
            Step::Relate { from, relation, direction, conditions } => Set::Relate(Box::new(Relate {
                from: self.set(from),
                property: self.kb.relation_id(relation).into(),
                direction,
                conditions: self.conditions(conditions),
            })),
            Step::Both(one, other) => Set::and([self.set(one), self.set(other)]),
            Step::Either(one, other) => Set::Or(vec![self.set(one), self.set(other)]),
            Step::Superlative { of, attribute, extreme } => {
                Set::Superlative(Box::new(touchstone_logic::Superlative {
                    of: self.set(of),
                    path: vec![touchstone_logic::Step {
                        property: self.kb.attribute_id(attribute).into(),
                        direction: Direction::Forward,
                    }],
                    extreme,
                    start: None,
                }))
            }
            Step::SuperlativeAlong { of, relation, direction, attribute, extreme } => {
                let step = |property: &str, direction| touchstone_logic::Step {
                    property: property.into(),
                    direction,
                };
                Set::Superlative(Box::new(touchstone_logic::Superlative {
                    of: self.set(of),
                    path: vec![
                        step(self.kb.relation_id(relation), direction),
                        step(self.kb.attribute_id(attribute), Direction::Forward),
                    ],
                    extreme,
                    start: None,
                }))
            }
            step => self.set_of_step(step),
        }
    }

    /// The description of a leaf.
    fn set_of_step(&self, step: Step) -> Set {
        let with = |attribute: AttributeId, comparison, value: Value| {
            let values = Set::Values(comparison, Box::new(value));
            Set::relate(values, self.kb.attribute_id(attribute), Direction::Backward)
        };
        match step {
            Step::Entity(node) => Set::Entity(self.kb.node_id(node).into()),
            Step::Class(class) => Set::Class(self.kb.node_id(self.kb.class_node(class)).into()),
            Step::Compared { leaf, value } => match &self.question.leaves[leaf].thing {
                LeafThing::Value { comparison, values } => {
                    let (attribute, value) = values[value].clone();
                    with(attribute, *comparison, value)
                }
                _ => Set::All,
            },
            Step::Flagged { attribute, value } => {
                let value = Value::xsd(if value { "true" } else { "false" }, "boolean");
                with(attribute, touchstone_kb::Comparison::Equal, value)
            }
            Step::Relate { .. }
            | Step::Both(..)
            | Step::Either(..)
            | Step::Superlative { .. }
            | Step::SuperlativeAlong { .. } => Set::All,
        }
    }
}

/// What every step costs: of two descriptions that fit the same words, the shorter one is grown first.
const STEP: f32 = 0.4;

/// What it costs that two parts explain the same word.
const TWICE: f32 = 1.0;

/// Minimum score of a boolean attribute that stands for itself.
const FLAG: f32 = 0.5;

/// The extremes that the words of a question may ask for.
fn extremes(question: &Question) -> Vec<Extreme> {
    const OTHER: [&str; 8] =
        ["west", "forest", "interest", "request", "budapest", "guest", "contest", "test"];
    const ASKING: [&str; 9] = ["most", "least", "first", "last", "top", "maximum", "minimum", "max", "min"];
    let is_superlative = |at: usize| {
        let word = question.words[at].lower.as_str();
        let follows_at = at > 0 && question.words[at - 1].lower == "at";
        // "Longest-lived" asks for an extreme, too.
        let word = word.split('-').next().unwrap_or(word);
        let has_ending = word.len() > 4 && word.ends_with("est") && !OTHER.contains(&word);
        !follows_at && (has_ending || ASKING.contains(&word))
    };
    let found = (0..question.words.len()).any(is_superlative);
    if found { vec![Extreme::Max, Extreme::Min] } else { Vec::new() }
}

/// Whether a question names alternatives: "or" that is not part of a name or a comparison.
fn has_or(question: &Question) -> bool {
    const COMPARING: [&str; 8] = ["more", "less", "fewer", "later", "after", "before", "earlier", "higher"];
    let in_name = question.leaves.iter().fold(0, |words, leaf| words | leaf.words);
    question.words.iter().enumerate().any(|(at, word)| {
        let next = question.words.get(at + 1).map_or("", |next| next.lower.as_str());
        word.lower == "or" && in_name & (1 << at) == 0 && !COMPARING.contains(&next)
    })
}

fn hash(members: &[u32]) -> u64 {
    let mix =
        |hash: u64, &node: &u32| (hash.rotate_left(5) ^ u64::from(node)).wrapping_mul(0x517c_c1b7_2722_0a95);
    members.iter().fold(members.len() as u64, mix)
}

/// What the members of a set lead to, sorted.
fn related(kb: &Kb, members: &[u32], relation: RelationId, direction: Direction) -> Arc<[u32]> {
    let step = |node: u32| match direction {
        Direction::Forward => kb.objects(NodeId(node), relation),
        Direction::Backward => kb.subjects(relation, NodeId(node)),
    };
    let mut found: Vec<u32> = members.iter().flat_map(|&node| step(node)).copied().collect();
    if members.len() > 1 {
        found.sort_unstable();
    }
    found.dedup();
    found.into()
}

/// Single conditions, and pairs that different words state about different qualifiers.
fn lists(stated: &[StatedCondition]) -> Vec<Vec<StatedCondition>> {
    let mut lists: Vec<Vec<StatedCondition>> = stated.iter().map(|one| vec![one.clone()]).collect();
    for (at, one) in stated.iter().enumerate() {
        for other in &stated[at + 1..] {
            if one.words & other.words == 0 && one.qualifier != other.qualifier {
                lists.push(vec![one.clone(), other.clone()]);
            }
        }
    }
    lists
}

/// The members of either of two sorted sets.
fn union(one: &[u32], other: &[u32]) -> Vec<u32> {
    let mut all = [one, other].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// The common members of two sorted sets.
pub(crate) fn intersection(one: &[u32], other: &[u32]) -> Vec<u32> {
    let (few, many) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let mut rest = many;
    let mut found = Vec::new();
    for &node in few {
        let mut step = 1;
        while step < rest.len() && rest[step] < node {
            step *= 2;
        }
        let end = rest.len().min(step + 1);
        let at = rest[..end].partition_point(|&other| other < node);
        rest = &rest[at..];
        match rest.first() {
            None => break,
            Some(&first) if first == node => found.push(node),
            Some(_) => {}
        }
    }
    found
}

/// The members with the greatest or smallest value of an attribute in its usual unit.
pub(crate) fn extreme_members(
    kb: &Kb,
    members: &[u32],
    attribute: AttributeId,
    extreme: Extreme,
) -> Vec<u32> {
    let mut best: Option<u32> = None;
    let mut found = Vec::new();
    for &node in members {
        let values = kb.literals(NodeId(node), attribute);
        let value = match extreme {
            Extreme::Max => values.last(),
            Extreme::Min => values.first(),
        };
        let Some(&value) = value else { continue };
        let is_better = best.is_none_or(|best| match extreme {
            Extreme::Max => value > best,
            Extreme::Min => value < best,
        });
        if is_better {
            best = Some(value);
            found.clear();
        }
        if best == Some(value) {
            found.push(node);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::intersection;

    #[test]
    fn intersections_are_those_of_sets() {
        assert_eq!(intersection(&[1, 5, 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 10]), [1, 5]);
        assert_eq!(intersection(&[], &[1]), [0; 0]);
        assert_eq!(intersection(&[7], &[1, 2, 7]), [7]);
    }
}
