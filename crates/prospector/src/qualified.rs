//! Conditions on the qualifiers of facts that the words of a question may state: "in 1990", "for the Libertarian Party".

use crate::leaves::{Leaf, LeafThing, Question};
use crate::text::{label_stems, likeness};
use hashbrown::HashMap;
use std::ops::Range;
use touchstone_kb::compare::satisfies;
use touchstone_kb::{
    Comparison, FactId, Kb, Literal, LiteralFamily, NodeId, Qualifier, QualifierId, Value as KbValue,
};
use touchstone_logic::{Condition, Value};

/// A condition on a qualifier, with the words that state it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StatedCondition {
    pub(crate) qualifier: QualifierId,
    pub(crate) comparison: Comparison,
    pub(crate) value: Value,
    /// The words that state it, as bits.
    pub(crate) words: u64,
    /// How well they fit, from 0 to 1.
    pub(crate) fit: f32,
}

impl StatedCondition {
    /// The condition in a query.
    pub(crate) fn condition(&self, kb: &Kb) -> Condition {
        Condition {
            qualifier: kb.qualifier_id(self.qualifier).into(),
            comparison: self.comparison,
            value: self.value.clone(),
        }
    }
}

/// Maximum number of facts whose qualifiers are read.
const FACTS: usize = 1000;

/// Maximum number of conditions on the facts of a relation.
const CONDITIONS: usize = 6;

/// Minimum share of the words of a name that are in the question.
const NAMED: f32 = 0.5;

/// Finds conditions that a question states. Each qualifier is compared with the question once.
pub(crate) struct ConditionFinder<'q, 'k> {
    kb: &'k Kb,
    question: &'q Question,
    times: Vec<StatedTime<'q>>,
    /// All conditions that were found.
    known: Vec<StatedCondition>,
    /// The places in `satisfied` of those that a qualifier satisfies.
    by_qualifier: HashMap<Qualifier, Range<usize>>,
    satisfied: Vec<usize>,
}

/// A time that the question compares with.
struct StatedTime<'q> {
    leaf: &'q Leaf,
    comparison: Comparison,
    value: &'q Value,
    literal: Literal<'q>,
}

impl<'q, 'k> ConditionFinder<'q, 'k> {
    pub(crate) fn new(kb: &'k Kb, question: &'q Question) -> ConditionFinder<'q, 'k> {
        let time = |leaf: &'q Leaf| match &leaf.thing {
            LeafThing::Value { comparison, values } => {
                let (_, value) = values.iter().find(|(_, value)| is_time(value))?;
                Some(StatedTime { leaf, comparison: *comparison, value, literal: value.literal() })
            }
            _ => None,
        };
        ConditionFinder {
            kb,
            question,
            times: question.leaves.iter().filter_map(time).collect(),
            known: Vec::new(),
            by_qualifier: HashMap::new(),
            satisfied: Vec::new(),
        }
    }

    /// The conditions on some of these facts that the question states with words other than `used`, the best first.
    pub(crate) fn conditions(
        &mut self,
        facts: impl Iterator<Item = FactId>,
        used: u64,
    ) -> Vec<StatedCondition> {
        let mut found: Vec<usize> = Vec::new();
        let kb = self.kb;
        for fact in facts.take(FACTS) {
            for qualifier in kb.fact_qualifiers(fact) {
                for at in self.satisfied_by(qualifier) {
                    let number = self.satisfied[at];
                    if self.known[number].words & used == 0 && !found.contains(&number) {
                        found.push(number);
                    }
                }
            }
        }
        found.sort_by(|&one, &other| {
            let (a, b) = (&self.known[one], &self.known[other]);
            b.fit.total_cmp(&a.fit).then(one.cmp(&other))
        });
        found.into_iter().take(CONDITIONS).map(|number| self.known[number].clone()).collect()
    }

    /// The places in `satisfied` of the conditions that a qualifier satisfies.
    fn satisfied_by(&mut self, qualifier: Qualifier) -> Range<usize> {
        if let Some(known) = self.by_qualifier.get(&qualifier) {
            return known.clone();
        }
        let start = self.satisfied.len();
        for condition in self.stated(qualifier) {
            let known = self.known.iter().position(|known| *known == condition);
            self.satisfied.push(known.unwrap_or(self.known.len()));
            if known.is_none() {
                self.known.push(condition);
            }
        }
        let range = start..self.satisfied.len();
        self.by_qualifier.insert(qualifier, range.clone());
        range
    }

    /// The conditions that a qualifier satisfies.
    fn stated(&self, qualifier: Qualifier) -> Vec<StatedCondition> {
        let compared = self.compared(qualifier);
        if !compared.is_empty() {
            return compared;
        }
        let Some((words, fit)) = self.named(qualifier) else { return Vec::new() };
        let value = match qualifier.value {
            KbValue::Node(node) => Value::text(self.kb.label(node)),
            KbValue::Literal(literal) => Value::of(&self.kb.literal(literal)),
        };
        let (qualifier, comparison) = (qualifier.key, Comparison::Equal);
        vec![StatedCondition { qualifier, comparison, value, words, fit }]
    }

    /// The times of the question that the value of a qualifier satisfies.
    fn compared(&self, qualifier: Qualifier) -> Vec<StatedCondition> {
        let KbValue::Literal(literal) = qualifier.value else { return Vec::new() };
        let own = self.kb.literal(literal);
        let satisfied =
            self.times.iter().filter(|time| satisfies(&own, time.comparison, &time.literal) == Ok(true));
        satisfied
            .map(|time| StatedCondition {
                qualifier: qualifier.key,
                comparison: time.comparison,
                value: time.value.clone(),
                words: time.leaf.words,
                fit: time.leaf.fit,
            })
            .collect()
    }

    /// The words that name the value of a qualifier.
    fn named(&self, qualifier: Qualifier) -> Option<(u64, f32)> {
        match qualifier.value {
            KbValue::Node(node) => self.leaf_of(node).or_else(|| self.label_words(self.kb.label(node))),
            KbValue::Literal(literal) if self.kb.literal_family(literal) == LiteralFamily::Text => {
                self.label_words(self.kb.literal_text(literal))
            }
            KbValue::Literal(_) => None,
        }
    }

    fn leaf_of(&self, node: NodeId) -> Option<(u64, f32)> {
        let names = self.question.leaves.iter().filter(|leaf| leaf.thing == LeafThing::Entity(node));
        names.map(|leaf| (leaf.words, leaf.fit)).max_by(|one, other| one.1.total_cmp(&other.1))
    }

    /// The words of the question that are like those of a label.
    fn label_words(&self, label: &str) -> Option<(u64, f32)> {
        let stems = label_stems(label);
        let (mut words, mut sum) = (0_u64, 0.0);
        for stem in &stems {
            let mut most = (0.5, 0);
            for (at, word) in self.question.words.iter().enumerate().filter(|(_, word)| !word.is_plain) {
                let like = likeness(stem, &word.stem);
                if like > most.0 {
                    most = (like, 1_u64 << at);
                }
            }
            if most.1 != 0 {
                sum += most.0;
                words |= most.1;
            }
        }
        let fit = sum / stems.len().max(1) as f32;
        (fit >= NAMED).then_some((words, fit))
    }
}

fn is_time(value: &Value) -> bool {
    value.xsd_name().is_some_and(|name| name.starts_with('g') || name == "date" || name == "dateTime")
}
