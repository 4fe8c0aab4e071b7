//! Computes sets bottom-up. Marks are ignored here: a reference to a marked thing counts as everything, so the result is a superset of
//! the members; `solutions.rs` filters it if necessary.

use super::things::{Thing, Things};
use super::trace::{How, Recorder};
use crate::budget::{Budget, Stopped};
use crate::plan::{Period, Plan, PlanSet, SetKind, Test};
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use touchstone_kb::{ClassId, Comparison, FactId, Kb, LiteralFamily, LiteralId, NodeId, Property, Value};

/// Runs one plan.
pub(crate) struct Evaluator<'k, 'p> {
    pub(super) kb: &'k Kb,
    pub(super) plan: &'p Plan,
    pub(super) budget: &'p Budget<'p>,
    pub(super) recorder: &'p Recorder,
    /// Sets that are used repeatedly.
    cache: ByStep<Things<'k>>,
    /// The literals found by superlatives with marks.
    extremes: ByStep<Vec<u32>>,
    /// Number of values that may still be compared one by one.
    one_by_one: Cell<u32>,
}

/// Maximum number of things to handle one by one instead of as a set.
const FEW: usize = 4;

/// Maximum number of values to compare one by one; beyond it, computing all that pass is cheaper.
const ONE_BY_ONE: u32 = 8;

/// Sets computed once, by their number. Most queries need none.
type ByStep<T> = OnceCell<Vec<OnceCell<T>>>;

pub(crate) type Outcome<T> = Result<T, Stopped>;

impl<'k, 'p> Evaluator<'k, 'p> {
    pub(super) fn new(kb: &'k Kb, plan: &'p Plan, budget: &'p Budget<'p>, recorder: &'p Recorder) -> Self {
        Evaluator {
            kb,
            plan,
            budget,
            recorder,
            cache: OnceCell::new(),
            extremes: OnceCell::new(),
            one_by_one: Cell::new(ONE_BY_ONE),
        }
    }

    /// The members of a set.
    pub(super) fn things(&self, set: &PlanSet) -> Outcome<Things<'k>> {
        let outer = self.budget.enter(Some((set.step, self.plan.n_steps)));
        let started = self.recorder.start(self.budget);
        let things = match &set.kind {
            SetKind::All | SetKind::Same(_) => Things::All,
            SetKind::Nodes(nodes) => Things::nodes(Cow::Owned(nodes.to_vec())),
            SetKind::Classes(classes) => self.members(classes)?,
            SetKind::Values(test) => Things::Ranges(test.literals(self.kb).clone()),
            SetKind::Relate(relate) => {
                let from = self.start(&relate.from)?;
                self.budget.enter(Some((set.step, self.plan.n_steps)));
                self.related(&from, &relate.properties, relate.direction, &relate.conditions)?
            }
            SetKind::And(parts) => self.all_of(parts, set.step)?,
            SetKind::Or(parts) => {
                let mut union = Things::none();
                for part in parts {
                    let part = self.things(part)?;
                    self.budget.spend(part.len().unwrap_or(0) as u64 + union.len().unwrap_or(0) as u64)?;
                    union = union.union(part);
                }
                union
            }
            SetKind::Superlative(extremes) => self.superlative(extremes, &[], set.step)?,
            // Things without these dates: can only be tested for things that are known otherwise.
            SetKind::During(period) => {
                let mut kept = Vec::new();
                for node in self.kb.nodes() {
                    if self.is_during(period, node)? {
                        kept.push(node.0);
                    }
                }
                self.keep(kept.len())?;
                Things::nodes(Cow::Owned(kept))
            }
            SetKind::Marked(_, inner) => self.things(inner)?,
        };
        self.recorder.finish(set.step, How::Evaluated, things.len(), started, self.budget);
        self.budget.enter(outer);
        Ok(things)
    }

    /// The members of a set that a step starts from; named things are not copied.
    pub(super) fn start<'s>(&self, set: &'s PlanSet) -> Outcome<Things<'s>>
    where
        'k: 's,
    {
        let SetKind::Nodes(nodes) = &set.kind else { return self.things(set) };
        let started = self.recorder.start(self.budget);
        self.recorder.finish(set.step, How::Evaluated, Some(nodes.len()), started, self.budget);
        Ok(Things::nodes(Cow::Borrowed(nodes)))
    }

    /// The members of a set that is used more than once.
    pub(super) fn cached(&self, set: &PlanSet) -> Outcome<&Things<'k>> {
        let cell = self.cell(&self.cache, set);
        if let Some(things) = cell.get() {
            return Ok(things);
        }
        let things = self.things(set)?;
        Ok(cell.get_or_init(|| things))
    }

    fn cell<'c, T>(&self, cells: &'c ByStep<T>, set: &PlanSet) -> &'c OnceCell<T> {
        &cells.get_or_init(|| (0..=self.plan.n_steps).map(|_| OnceCell::new()).collect())[set.step]
    }

    /// The literals found by a superlative with marks.
    pub(super) fn extremes(&self, set: &PlanSet) -> &OnceCell<Vec<u32>> {
        self.cell(&self.extremes, set)
    }

    /// Counts the memory of a number of ids.
    pub(super) fn keep(&self, ids: usize) -> Outcome<()> {
        self.budget.hold(ids as u64 * 4)
    }

    fn members(&self, classes: &[ClassId]) -> Outcome<Things<'k>> {
        let mut union = Things::none();
        for &class in classes {
            let members = self.kb.members(class);
            if classes.len() > 1 {
                self.budget.spend(members.len() as u64)?;
            }
            union = union.union(Things::nodes(Cow::Borrowed(members)));
        }
        Ok(union)
    }

    /// Intersection: computes the smallest set, and computes or probes the others, whichever is cheaper.
    fn all_of(&self, parts: &[PlanSet], step: usize) -> Outcome<Things<'k>> {
        // For one or a few things: probe the others for each, whatever their size.
        let is_few = |part: &PlanSet| matches!(&part.kind, SetKind::Nodes(nodes) if nodes.len() <= FEW);
        if let Some(first) = parts.iter().position(is_few) {
            let mut found = self.things(&parts[first])?;
            for (_, part) in parts.iter().enumerate().filter(|(at, _)| *at != first) {
                if found.is_empty() {
                    break;
                }
                found = self.filtered(found, part)?;
            }
            return Ok(found);
        }
        let mut order: Vec<(usize, &PlanSet)> =
            parts.iter().map(|part| (self.estimate(part), part)).collect();
        order.sort_by_key(|(estimate, _)| *estimate);
        let Some((_, first)) = order.first() else { return Ok(Things::All) };
        let mut found = self.things(first)?;
        for (estimate, part) in &order[1..] {
            if found.is_empty() {
                break;
            }
            self.budget.enter(Some((step, self.plan.n_steps)));
            let listed = matches!(found, Things::Listed { .. });
            let n_found = found.len().unwrap_or(usize::MAX);
            if listed && !self.is_free(part) && *estimate / 4 > n_found {
                found = self.filtered(found, part)?;
            } else {
                let other = self.things(part)?;
                let shorter = other.len().unwrap_or(0).min(n_found);
                self.budget.spend(shorter as u64)?;
                found = found.intersection(other);
                self.keep(found.len().unwrap_or(0))?;
            }
        }
        Ok(found)
    }

    /// The members of a list that are in a set, which is probed for each.
    fn filtered(&self, found: Things<'k>, set: &PlanSet) -> Outcome<Things<'k>> {
        let outer = self.budget.enter(Some((set.step, self.plan.n_steps)));
        let started = self.recorder.start(self.budget);
        let (mut nodes, mut literals) = (Vec::new(), Vec::new());
        for thing in found.iter() {
            self.budget.spend(1)?;
            if self.has(set, thing)? {
                match thing {
                    Thing::Node(node) => nodes.push(node),
                    Thing::Literal(literal) => literals.push(literal),
                }
            }
        }
        self.keep(nodes.len() + literals.len())?;
        self.recorder.finish(set.step, How::Asked, Some(nodes.len() + literals.len()), started, self.budget);
        self.budget.enter(outer);
        Ok(Things::Listed { nodes: Cow::Owned(nodes), literals: Cow::Owned(literals) })
    }

    /// Whether computing a set is nearly free, because it is a slice of the store.
    fn is_free(&self, set: &PlanSet) -> bool {
        match &set.kind {
            SetKind::All | SetKind::Same(_) | SetKind::Nodes(_) | SetKind::Values(_) => true,
            SetKind::Classes(classes) => classes.len() <= 1,
            SetKind::Relate(relate) => {
                relate.conditions.is_empty()
                    && relate.properties.len() == 1
                    && matches!(&relate.from.kind, SetKind::Nodes(nodes) if nodes.len() == 1)
            }
            SetKind::Marked(_, inner) => self.is_free(inner),
            _ => false,
        }
    }

    /// A cheap estimate of the number of members of a set; never much too low.
    pub(super) fn estimate(&self, set: &PlanSet) -> usize {
        match &set.kind {
            SetKind::All | SetKind::Same(_) | SetKind::Values(_) | SetKind::During(_) => usize::MAX,
            SetKind::Nodes(nodes) => nodes.len(),
            SetKind::Classes(classes) => classes.iter().map(|&class| self.kb.members(class).len()).sum(),
            SetKind::Relate(relate) => self.estimate_related(relate),
            SetKind::And(parts) => parts.iter().map(|part| self.estimate(part)).min().unwrap_or(usize::MAX),
            SetKind::Or(parts) => parts.iter().fold(0, |sum, part| sum.saturating_add(self.estimate(part))),
            SetKind::Superlative(extremes) => self.estimate(&extremes.of),
            SetKind::Marked(_, inner) => self.estimate(inner),
        }
    }

    /// Whether the qualifiers of a fact satisfy all conditions.
    pub(super) fn passes(&self, fact: u32, conditions: &[Test]) -> Outcome<bool> {
        for test in conditions {
            let mut passed = false;
            for qualifier in self.kb.fact_qualifiers(FactId(fact)) {
                self.budget.spend(1)?;
                if test.keys.contains(&qualifier.key) && self.qualifier_passes(qualifier.value, test) {
                    passed = true;
                    break;
                }
            }
            if !passed {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a literal passes a test.
    pub(super) fn accepts(&self, test: &Test, literal: u32) -> bool {
        let left = self.one_by_one.get();
        if left == 0 || test.is_worked_out() {
            return test.literals(self.kb).contains(literal);
        }
        self.one_by_one.set(left - 1);
        test.accepts(self.kb, LiteralId(literal))
    }

    /// Whether a qualifier's value passes. An entity is compared by its name: KQA Pro writes names where others refer to entities.
    fn qualifier_passes(&self, value: Value, test: &Test) -> bool {
        match value {
            Value::Literal(literal) => self.accepts(test, literal.0),
            Value::Node(node) => {
                let is_text =
                    || test.value.is_untyped() || test.value.literal().kind().family() == LiteralFamily::Text;
                let same = self.kb.label(node) == test.value.text;
                match test.comparison {
                    Comparison::Equal => same && is_text(),
                    Comparison::NotEqual => !same && is_text(),
                    _ => false,
                }
            }
        }
    }

    /// Whether something held during a period; a missing date counts as open.
    pub(super) fn is_during(&self, period: &Period, node: NodeId) -> Outcome<bool> {
        for (properties, test) in [&period.start, &period.end] {
            let (mut some, mut passed) = (false, false);
            for &property in properties {
                self.budget.spend(1)?;
                match property {
                    Property::Attribute(attribute) => {
                        let literals = self.kb.literals(node, attribute);
                        some |= !literals.is_empty();
                        passed |= literals.iter().any(|&literal| self.accepts(test, literal));
                    }
                    Property::Relation(relation) => some |= !self.kb.objects(node, relation).is_empty(),
                }
            }
            if some && !passed {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
