//! What makes a query a good question; what does not is counted with its reason.

use crate::ground::Ground;
use crate::words::entities;
use std::collections::BTreeMap;
use touchstone_engine::Found;
use touchstone_kb::NodeId;
use touchstone_logic::{Answer, Query, Set};

/// Why a query was not taken.
pub type Rejected = &'static str;

/// How many queries were not taken, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rejections(pub BTreeMap<Rejected, u64>);

impl Rejections {
    /// Counts one.
    pub fn add(&mut self, reason: Rejected) {
        *self.0.entry(reason).or_default() += 1;
    }

    /// Adds the counts of another log.
    pub fn merge(&mut self, other: &Rejections) {
        for (reason, n) in &other.0 {
            *self.0.entry(reason).or_default() += n;
        }
    }
}

/// Runs a query and checks that it makes a good question: it has answers, not too many, every constraint narrows them, and no answer is
/// named in it.
pub fn checked<'k>(ground: &Ground<'k>, query: &Query, max_answers: usize) -> Result<Found<'k>, Rejected> {
    if says_its_answer(query) {
        return Err("the question says its answer");
    }
    let found = ground.run(query).ok_or("takes too long")?;
    if found.is_empty() || matches!(found, Found::Count(0)) {
        return Err("unanswerable");
    }
    if found.len() > max_answers {
        return Err("too many answers");
    }
    if let Found::Things { nodes, .. } = &found {
        if nodes.iter().any(|&node| !ground.has_speakable_name(NodeId(node))) {
            return Err("an answer has no name in English");
        }
        let named = entities(query);
        let kb = ground.kb();
        let is_answer =
            |word: &str| nodes.iter().any(|&n| kb.node_id(NodeId(n)) == word || kb.label(NodeId(n)) == word);
        if named.iter().any(|word| is_answer(word)) && !matches!(query.answer, Answer::SelectBetween { .. }) {
            return Err("an answer is named in the question");
        }
    }
    let among = match &query.answer {
        Answer::SelectAmong { among, .. } => Some(among),
        Answer::Members(Set::Superlative(superlative)) => Some(&superlative.of),
        _ => None,
    };
    let enough =
        |set: &Set| !matches!(ground.run(&Query::new(Answer::Count(set.clone()))), Some(Found::Count(0 | 1)));
    if !among.is_none_or(enough) {
        return Err("nothing to choose among");
    }
    if is_redundant(ground, query, &found) {
        return Err("a constraint that does not narrow the answers");
    }
    Ok(found)
}

/// Whether a question for the value of an attribute describes the thing by this attribute.
fn says_its_answer(query: &Query) -> bool {
    let (Answer::Attribute { of, attribute, .. } | Answer::Verify { of, attribute, .. }) = &query.answer
    else {
        return false;
    };
    of.conjuncts().iter().any(|part| matches!(part, Set::Relate(relate) if relate.property == *attribute))
}

/// Whether some constraint can be left out without changing the members of the sets that are asked about.
fn is_redundant(ground: &Ground<'_>, query: &Query, found: &Found<'_>) -> bool {
    // How many members there are is the answer already, or its length.
    let known = match (&query.answer, found) {
        (Answer::Count(_), Found::Count(count)) => Some(*count),
        (Answer::Members(Set::Superlative(_)), _) => None,
        (Answer::Members(_), found) => Some(found.len() as u64),
        _ => None,
    };
    let mut redundant = false;
    query.sets(&mut |set| {
        let set = match set {
            Set::Superlative(superlative) => &superlative.of,
            other => other,
        };
        if redundant {
            return;
        }
        let members = |set: &Set| ground.run(&Query::new(Answer::Count(set.clone())));
        let counted = known.map(Found::Count).or_else(|| members(set));
        let Some(Found::Count(all)) = counted else { return };
        redundant = without_one(set).iter().any(|wider| match members(wider) {
            Some(Found::Count(more)) => more <= all,
            // It takes too long, so there are more.
            _ => false,
        });
    });
    redundant
}

/// The set without one of its constraints, for each of them; classes stay, because questions need nouns.
pub fn without_one(set: &Set) -> Vec<Set> {
    match set {
        Set::And(parts) => {
            let mut out = Vec::new();
            for (at, part) in parts.iter().enumerate() {
                let others =
                    || parts.iter().enumerate().filter(move |(i, _)| *i != at).map(|(_, part)| part.clone());
                if !matches!(part, Set::Class(_)) {
                    out.push(Set::and(others()));
                }
                out.extend(without_one(part).into_iter().map(|changed| Set::and(others().chain([changed]))));
            }
            out
        }
        Set::Or(parts) => {
            let mut out = Vec::new();
            for (at, part) in parts.iter().enumerate() {
                let changed = without_one(part).into_iter().map(|changed| {
                    let mut parts = parts.clone();
                    parts[at] = changed;
                    Set::Or(parts)
                });
                out.extend(changed);
            }
            out
        }
        Set::Relate(relate) => {
            let with_from = |from: Set| {
                let mut relate = relate.clone();
                relate.from = from;
                Set::Relate(relate)
            };
            let inner = match &relate.from {
                Set::And(_) => without_one(&relate.from),
                // The only constraint of a vertex in between: what is left is that there is such a thing.
                Set::Relate(inner) => {
                    let mut out = without_one(&relate.from);
                    out.push(Set::relate(Set::All, inner.property.clone(), inner.direction));
                    out
                }
                _ => Vec::new(),
            };
            let mut out: Vec<Set> = inner.into_iter().map(with_from).collect();
            for at in 0..relate.conditions.len() {
                let mut relate = relate.clone();
                relate.conditions.remove(at);
                out.push(Set::Relate(relate));
            }
            out
        }
        Set::Marked(mark, inner) => {
            without_one(inner).into_iter().map(|changed| Set::Marked(*mark, Box::new(changed))).collect()
        }
        _ => Vec::new(),
    }
}
