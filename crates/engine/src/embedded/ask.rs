//! Computes the answer from sets.

use super::evaluate::{Evaluator, Outcome};
use super::superlative::without;
use super::things::{Thing, Things};
use crate::found::Found;
use crate::plan::{PlanSet, PlannedAsk, QualifiersOf, SetKind, Side};
use crate::sorted::{intersects, sorted};
use std::borrow::Cow;
use touchstone_kb::{FactId, LiteralFamily, LiteralId, LiteralKind, NodeId, Property, RelationId, Value};
use touchstone_logic::Direction;

impl<'k> Evaluator<'k, '_> {
    /// The answer.
    pub(super) fn answer(&self) -> Outcome<Found<'k>> {
        let found = match &self.plan.ask {
            PlannedAsk::Members(set) => {
                let Things::Listed { nodes, literals } = self.answers(set)? else {
                    return Ok(Found::things(Cow::Borrowed(&[]), Cow::Borrowed(&[])));
                };
                Found::things(nodes, literals)
            }
            PlannedAsk::Count(set) => Found::Count(self.answers(set)?.len().unwrap_or(0) as u64),
            PlannedAsk::Exists(set) => Found::Boolean(!self.answers(set)?.is_empty()),
            PlannedAsk::Relations { from, to } => Found::Relations(self.relations(from, to)?),
            PlannedAsk::Qualifiers(of) => {
                let QualifiersOf { from, properties, to, keys } = &**of;
                let from = self.exact(from)?;
                let to = self.exact(to)?;
                let (mut nodes, mut literals) = (Vec::new(), Vec::new());
                for &property in properties {
                    // Start at the smaller side.
                    let forward = from.len().unwrap_or(usize::MAX) <= to.len().unwrap_or(usize::MAX);
                    let (start, direction) =
                        if forward { (&from, Direction::Forward) } else { (&to, Direction::Backward) };
                    self.each_fact(start, property, direction, &mut |fact, subject, value| {
                        self.budget.spend(1)?;
                        let fits = if forward {
                            to.contains(thing(value))
                        } else {
                            from.contains(Thing::Node(subject.0))
                        };
                        if fits {
                            for qualifier in self.kb.fact_qualifiers(FactId(fact)) {
                                if keys.contains(&qualifier.key) {
                                    self.keep(2)?;
                                    match qualifier.value {
                                        Value::Node(node) => nodes.push(node.0),
                                        Value::Literal(literal) => literals.push(literal.0),
                                    }
                                }
                            }
                        }
                        Ok(())
                    })?;
                }
                let nodes = Cow::Owned(sorted(nodes, self.kb.n_nodes()));
                let literals = Cow::Owned(sorted(literals, self.kb.n_literals()));
                match self.in_language(Things::Listed { nodes, literals }) {
                    Things::Listed { nodes, literals } => Found::things(nodes, literals),
                    _ => Found::things(Cow::Borrowed(&[]), Cow::Borrowed(&[])),
                }
            }
        };
        self.budget.add_rows(found.len() as u64)?;
        Ok(found)
    }

    /// The members of a set, with its marks.
    fn exact<'s>(&self, set: &'s PlanSet) -> Outcome<Things<'s>>
    where
        'k: 's,
    {
        if set.has_marks { self.solved(set, false) } else { self.start(set) }
    }

    /// The members of a set that satisfy the side conditions.
    fn answers(&self, set: &PlanSet) -> Outcome<Things<'k>> {
        let no_conditions = self.plan.different.is_empty() && !self.plan.english;
        if no_conditions && !set.has_marks && !matches!(set.kind, SetKind::Superlative(_)) {
            return Ok(self.listed_answers(set)?.0);
        }
        let banned = match self.banned() {
            Some(banned) => banned,
            None => return Ok(Things::none()),
        };
        let mut outermost = set;
        while let SetKind::Marked(_, inner) = &outermost.kind {
            outermost = inner;
        }
        let found = match &outermost.kind {
            // The extreme is taken among those that satisfy the side conditions.
            SetKind::Superlative(extremes) if set.has_marks => {
                let outer = self.budget.enter(Some((outermost.step, self.plan.n_steps)));
                let started = self.recorder.start(self.budget);
                let contenders = self.contenders_by_solutions(extremes, &banned, true)?;
                let found = self.winners(contenders, extremes.extreme);
                let how = super::trace::How::Evaluated;
                self.recorder.finish(outermost.step, how, found.len(), started, self.budget);
                self.budget.enter(outer);
                found
            }
            SetKind::Superlative(extremes) => {
                let outer = self.budget.enter(Some((outermost.step, self.plan.n_steps)));
                let started = self.recorder.start(self.budget);
                let found = self.superlative(extremes, &banned, outermost.step)?;
                let how = super::trace::How::Evaluated;
                self.recorder.finish(outermost.step, how, found.len(), started, self.budget);
                self.budget.enter(outer);
                found
            }
            _ if set.has_marks => self.solved(set, true)?,
            _ => without(self.listed_answers(set)?.0, &banned),
        };
        Ok(self.in_language(found))
    }

    /// The nodes excluded from the answer, sorted; `None` if the side conditions cannot hold at all.
    fn banned(&self) -> Option<Vec<u32>> {
        let mut banned = Vec::new();
        for pair in &self.plan.different {
            match pair {
                (Side::Answer, Side::Node(node)) | (Side::Node(node), Side::Answer) => banned.extend(node),
                (Side::Answer, Side::Answer) => return None,
                (Side::Marked(a), Side::Marked(b)) if a == b => return None,
                (Side::Node(Some(a)), Side::Node(Some(b))) if a == b => return None,
                _ => {}
            }
        }
        banned.sort_unstable();
        banned.dedup();
        Some(banned)
    }

    /// Removes texts in languages other than English, if the query requires it.
    fn in_language(&self, found: Things<'k>) -> Things<'k> {
        if !self.plan.english {
            return found;
        }
        let Things::Listed { nodes, literals } = found else { return found };
        let fits = |id: u32| {
            let literal = self.kb.literal(LiteralId(id));
            if literal.kind().family() != LiteralFamily::Text || literal.kind() != LiteralKind::LanguageText {
                return true;
            }
            let language = literal.language().to_ascii_lowercase();
            language == "en" || language.starts_with("en-")
        };
        let kept: Vec<u32> = literals.iter().copied().filter(|&literal| fits(literal)).collect();
        Things::Listed {
            nodes,
            literals: if kept.len() == literals.len() { literals } else { Cow::Owned(kept) },
        }
    }

    fn distinct_relations(&self, relations: impl Iterator<Item = RelationId>) -> Outcome<Vec<RelationId>> {
        let mut seen = vec![false; self.kb.n_relations()];
        for relation in relations {
            self.budget.spend(1)?;
            seen[relation.index()] = true;
        }
        Ok(self.kb.relations().filter(|relation| seen[relation.index()]).collect())
    }

    fn relations(&self, from: &PlanSet, to: &PlanSet) -> Outcome<Vec<RelationId>> {
        let (from, to) = (self.exact(from)?, self.exact(to)?);
        let (from, to) = match (&from, &to) {
            (Things::Ranges(_), _) | (_, Things::Ranges(_)) => return Ok(Vec::new()),
            (Things::All, Things::All) => {
                let mut relations: Vec<RelationId> = self.kb.relations().collect();
                relations.retain(|&relation| self.kb.objects_with(relation).len() > 0);
                return Ok(relations);
            }
            // Everything: any relation leads to and from it.
            (Things::Listed { nodes, .. }, Things::All) => {
                let relations_of =
                    |&node: &u32| self.kb.properties_of(NodeId(node)).map(|(property, _)| property);
                let relation = |property| match property {
                    Property::Relation(relation) => Some(relation),
                    Property::Attribute(_) => None,
                };
                return self.distinct_relations(nodes.iter().flat_map(relations_of).filter_map(relation));
            }
            (Things::All, Things::Listed { nodes, .. }) => {
                let relations_to =
                    |&node: &u32| self.kb.relations_to(NodeId(node)).map(|(relation, _)| relation);
                return self.distinct_relations(nodes.iter().flat_map(relations_to));
            }
            (Things::Listed { nodes: from, .. }, Things::Listed { nodes: to, .. }) => (from, to),
        };
        let kb = self.kb;
        let mut found = Vec::new();
        if from.len() <= to.len() {
            for &subject in from.iter() {
                for (property, values) in kb.properties_of(NodeId(subject)) {
                    self.budget.spend(1 + values.len().min(to.len()) as u64)?;
                    if let Property::Relation(relation) = property
                        && !found.contains(&relation)
                        && intersects(values, to)
                    {
                        found.push(relation);
                    }
                }
            }
        } else {
            for &object in to.iter() {
                for (relation, subjects) in kb.relations_to(NodeId(object)) {
                    self.budget.spend(1 + subjects.len().min(from.len()) as u64)?;
                    if !found.contains(&relation) && intersects(subjects, from) {
                        found.push(relation);
                    }
                }
            }
        }
        found.sort_unstable();
        Ok(found)
    }
}

fn thing(value: Value) -> Thing {
    match value {
        Value::Node(node) => Thing::Node(node.0),
        Value::Literal(literal) => Thing::Literal(literal.0),
    }
}
