//! Decides whether a query makes a good question; rejections are counted by reason.

use crate::context::SamplingContext;
use crate::reject::RejectReason;
use touchstone_engine::Found;
use touchstone_kb::compare::satisfies;
use touchstone_kb::{Comparison, Kb, Literal, LiteralId, NodeId};
use touchstone_logic::entities;
use touchstone_logic::{Ask, Direction, Query, Set, Superlative, each_without_one};

/// Runs a query and checks that it makes a good question: it has answers, not too many, every constraint narrows them, and no answer is
/// named in it.
pub(crate) fn checked<'k>(
    context: &SamplingContext<'k>,
    query: &Query,
    max_answers: usize,
) -> Result<Found<'k>, RejectReason> {
    if says_its_answer(query) {
        return Err(RejectReason::SaysAnswer);
    }
    let found = context.run(query).ok_or(RejectReason::TakesTooLong)?;
    if found.is_empty() || matches!(found, Found::Count(0)) {
        return Err(RejectReason::Unanswerable);
    }
    if found.len() > max_answers {
        return Err(RejectReason::TooManyAnswers);
    }
    if let Found::Things { nodes, .. } = &found {
        if nodes.iter().any(|&node| !context.has_speakable_name(NodeId(node))) {
            return Err(RejectReason::UnspeakableAnswer);
        }
        let named = entities(query);
        let kb = context.kb();
        let is_answer = |word: &str| match kb.node(word) {
            Some(node) => nodes.binary_search(&node.0).is_ok(),
            None => nodes.iter().any(|&node| kb.label(NodeId(node)) == word),
        };
        if named.iter().any(|word| is_answer(word)) && !matches!(query.answer, Ask::SelectBetween { .. }) {
            return Err(RejectReason::AnswerIsNamed);
        }
    }
    if let (Ask::Count(set), Found::Count(1)) = (&query.answer, &found)
        && set.conjuncts().iter().filter(|part| !matches!(part, Set::Class(_))).count() == 1
    {
        return Err(RejectReason::CountOfOne);
    }
    if let Ask::Members(Set::Superlative(superlative)) = &query.answer
        && superlative.path.len() > 1
        && !is_absolute(context, superlative, &found)
    {
        return Err(RejectReason::ExtremeIsNotAbsolute);
    }
    let among = match &query.answer {
        Ask::SelectAmong { among, .. } => Some(among),
        Ask::Members(Set::Superlative(superlative)) => Some(&superlative.of),
        _ => None,
    };
    let enough = |set: &Set| !matches!(context.count(set), Some(0 | 1));
    if !among.is_none_or(enough) {
        return Err(RejectReason::NothingToChooseAmong);
    }
    if is_redundant(context, query, &found) {
        return Err(RejectReason::RedundantConstraint);
    }
    if describes_by_itself(context, query) {
        return Err(RejectReason::DescribedByItself);
    }
    Ok(found)
}

/// Whether a thing is described by itself: "the country that has the capital that is the capital of Peru".
fn describes_by_itself(context: &SamplingContext<'_>, query: &Query) -> bool {
    let mut found = false;
    if matches!(query.answer, Ask::Members(_) | Ask::Count(_) | Ask::SelectAmong { .. }) {
        return found;
    }
    query.sets(&mut |set| {
        if found || matches!(set, Set::Entity(_) | Set::Named(_)) {
            return;
        }
        let described = Query::new(Ask::Members(set.clone()));
        let named: Vec<NodeId> =
            entities(&described).into_iter().filter_map(|word| context.kb().node(word)).collect();
        if let Some(Found::Things { nodes, .. }) = context.run(&described) {
            found = named.iter().any(|node| nodes.binary_search(&node.0).is_ok());
        }
    });
    found
}

/// Whether a question that asks for the value of an attribute, or for the greatest value, describes things by the same attribute.
fn says_its_answer(query: &Query) -> bool {
    fn describes(set: &Set, attribute: &str) -> bool {
        set.conjuncts().iter().any(|part| match part {
            Set::Relate(relate) => relate.property == *attribute,
            Set::Or(parts) => parts.iter().any(|part| describes(part, attribute)),
            _ => false,
        })
    }
    match &query.answer {
        Ask::Attribute { of, attribute, .. } | Ask::Verify { of, attribute, .. } => describes(of, attribute),
        Ask::SelectBetween { left, right, attribute, .. } => {
            describes(left, attribute) || describes(right, attribute)
        }
        Ask::SelectAmong { among, attribute, .. } => describes(among, attribute),
        Ask::Members(Set::Superlative(superlative)) => match &superlative.path[..] {
            [step] => describes(&superlative.of, &step.property),
            _ => false,
        },
        Ask::Relation { from, to } | Ask::RelationQualifier { from, to, .. } => {
            let named = |set: &Set| {
                let asked = Query::new(Ask::Count(set.clone()));
                entities(&asked).into_iter().map(str::to_owned).collect::<Vec<_>>()
            };
            let (from, to) = (named(from), named(to));
            from.iter().any(|entity| to.contains(entity))
        }
        _ => false,
    }
}

/// Whether the thing with the greatest value has the greatest value overall, as the question implies: "flies to the airport that lies farthest
/// south" refers to all airports, not only to those that one of the candidates flies to.
fn is_absolute(context: &SamplingContext<'_>, superlative: &Superlative, found: &Found<'_>) -> bool {
    let kb = context.kb();
    let Some((last, steps)) = superlative.path.split_last() else { return false };
    let class = steps.last().and_then(|step| {
        let relation = kb.relation(&step.property)?;
        match step.direction {
            Direction::Forward => kb.relation_range(relation),
            Direction::Backward => kb.relation_domain(relation),
        }
    });
    let all = class.map_or(Set::All, |class| Set::Class(kb.node_id(kb.class_node(class)).into()));
    let path = vec![last.clone()];
    let best = Superlative { of: all, path, extreme: superlative.extreme, start: None };
    if !is_one(context, &best) {
        return false;
    }
    let reached = steps.iter().rev().fold(Set::Superlative(Box::new(best)), |set, step| {
        Set::relate(set, step.property.clone(), step.direction.flipped())
    });
    let literal = Query::new(Ask::Members(Set::and([superlative.of.clone(), reached])));
    context.run_with_large_budget(&literal).as_ref() == Some(found)
}

/// Whether the thing at the end of a path is unique: "the film with the highest score" is not if hundreds share the score.
fn is_one(context: &SamplingContext<'_>, best: &Superlative) -> bool {
    let best = Query::new(Ask::Members(Set::Superlative(Box::new(best.clone()))));
    context.run_with_large_budget(&best).is_some_and(|found| found.len() == 1)
}

/// Whether a question gives its answer away, by a name that contains it, or a year in the name of the thing that it asks about.
pub(crate) fn gives_away(question: &str, query: &Query, found: &Found<'_>, kb: &Kb) -> bool {
    match (&query.answer, found) {
        // One of the two is the answer, but their names must not reveal which.
        (Ask::SelectBetween { left, right, attribute, .. }, _) => {
            names_its_value(left, attribute, kb) || names_its_value(right, attribute, kb)
        }
        (Ask::Verify { of, attribute, .. }, _) => names_its_value(of, attribute, kb),
        (_, Found::Things { nodes, literals }) => {
            nodes.iter().any(|&node| says(question, kb.label(NodeId(node))))
                || literals.iter().any(|&literal| says_value(question, &kb.literal(LiteralId(literal))))
        }
        (Ask::Relation { from, to }, Found::Relations(relations)) => {
            // "How is the 2000 election in Ohio related to Ohio?"
            one_name_says_the_other(from, to, kb)
                || relations.iter().any(|&relation| says(question, kb.relation_label(relation)))
        }
        (_, Found::Relations(relations)) => {
            relations.iter().any(|&relation| says(question, kb.relation_label(relation)))
        }
        (_, Found::Count(_) | Found::Boolean(_)) => false,
    }
}

fn one_name_says_the_other(from: &Set, to: &Set, kb: &Kb) -> bool {
    let name = |set: &Set| match set {
        Set::Entity(id) => kb.node(id).map(|node| kb.label(node)),
        _ => None,
    };
    match (name(from), name(to)) {
        (Some(from), Some(to)) => says(from, to) || says(to, from),
        _ => false,
    }
}

/// Whether the name of a thing contains its value: the 1988 election, zinc-60.
fn names_its_value(set: &Set, attribute: &str, kb: &Kb) -> bool {
    let (Set::Entity(id), Some(attribute)) = (set, kb.attribute(attribute)) else { return false };
    let Some(node) = kb.node(id) else { return false };
    let values = kb.literals(node, attribute);
    values.iter().any(|&literal| says_value(kb.label(node), &kb.literal(LiteralId(literal))))
}

fn says_value(text: &str, literal: &Literal<'_>) -> bool {
    match literal.as_time() {
        Some(time) => says(text, &time.year().to_string()),
        None => says(text, literal.text()),
    }
}

/// Whether a text contains another one as whole words.
fn says(text: &str, words: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_whole = |at: usize| {
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + words.len()..].chars().next())
    };
    !words.is_empty() && text.match_indices(words).any(|(at, _)| is_whole(at))
}

/// Whether some constraint can be removed without changing the members of the sets that are asked about.
fn is_redundant(context: &SamplingContext<'_>, query: &Query, found: &Found<'_>) -> bool {
    // The number of members is already the answer, or the length of the answer.
    let known = match (&query.answer, found) {
        (Ask::Count(_), Found::Count(count)) => Some(*count),
        (Ask::Members(Set::Superlative(_)), _) => None,
        (Ask::Members(_), found) => Some(found.len() as u64),
        _ => None,
    };
    let mut redundant = false;
    query.sets(&mut |set| {
        // A set that exceeds the budget has more members, unless the constraint is a bound that everything satisfies.
        redundant |=
            !redundant && needless(context, set, known, &|set| bounds_nothing(context.kb(), set)).is_some();
    });
    redundant
}

/// A set without one of its constraints, if it has the same members; `is_same` decides for sets that exceed the budget.
fn needless(
    context: &SamplingContext<'_>,
    set: &Set,
    known: Option<u64>,
    is_same: &dyn Fn(&Set) -> bool,
) -> Option<Set> {
    let set = match set {
        Set::Superlative(superlative) => &superlative.of,
        other => other,
    };
    let all = known.or_else(|| context.count(set))?;
    let mut found = None;
    each_without_one(set, &mut |wider| {
        let is_needless = context.count(&wider).map_or_else(|| is_same(set), |more| more <= all);
        if is_needless {
            found = Some(wider);
        }
        is_needless
    });
    found
}

/// The query without a constraint that does not narrow what is asked about; `None` if there is no such constraint, or if only a
/// class would remain.
pub(crate) fn reduced(context: &SamplingContext<'_>, query: &Query) -> Option<Query> {
    fn says_something(set: &Set) -> bool {
        match set {
            Set::Or(parts) => parts.iter().all(says_something),
            other => other.conjuncts().iter().any(|part| !matches!(part, Set::Class(_) | Set::All)),
        }
    }
    let (mut place, mut wider) = (0, None);
    query.sets(&mut |set| {
        if wider.is_none() {
            wider = needless(context, set, None, &|_| false);
            place += usize::from(wider.is_none());
        }
    });
    wider.filter(says_something).map(|wider| with_set(query, place, wider))
}

/// The query with another description of what it asks about, at the position that [`Query::sets`] visits; for a superlative, the description
/// of the candidates.
pub(crate) fn with_set(query: &Query, place: usize, set: Set) -> Query {
    let (mut changed, mut number, mut set) = (query.clone(), 0, Some(set));
    changed.sets_mut(&mut |old| {
        if number == place
            && let Some(new) = set.take()
        {
            match old {
                Set::Superlative(superlative) => superlative.of = new,
                other => *other = new,
            }
        }
        number += 1;
    });
    changed
}

/// Whether a set is described by a comparison that all values of the attribute satisfy.
fn bounds_nothing(kb: &Kb, set: &Set) -> bool {
    set.conjuncts().iter().any(|part| {
        let Set::Relate(relate) = part else { return false };
        let (Set::Values(comparison, value), Some(attribute)) =
            (&relate.from, kb.attribute(&relate.property))
        else {
            return false;
        };
        // Values are sorted: if the first and the last satisfy it, all do.
        let column = kb.facts_by_value(attribute);
        let is_ordered = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let passes =
            |at: usize| satisfies(&kb.literal(column.value(at)), *comparison, &value.literal()) == Ok(true);
        is_ordered && !column.is_empty() && passes(0) && passes(column.len() - 1)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use touchstone_kb::NoProgress;
    use touchstone_logic::{Form, sexpr};

    #[test]
    fn needless_constraints_are_left_out() {
        let kb = touchstone_world::open(&NoProgress).unwrap();
        let context = SamplingContext::new(&kb, None);
        let read = |text: &str| Form::parse(text, &context.words).unwrap().to_query().unwrap();
        let said = |query: &Query| sexpr::print(query).unwrap().text;
        // Paris is the capital of one country, whatever that borders on.
        let paris = r#"(JOIN capital (ENTITY "city/2988507"))"#;
        let query = read(&format!(r#"(AND country (AND (JOIN borders (ENTITY "country/DE")) {paris}))"#));
        let found = context.run(&query).unwrap();
        assert!(is_redundant(&context, &query, &found));
        let least = reduced(&context, &query).unwrap();
        assert_eq!(said(&least), format!("(AND country {paris})"));
        assert_eq!(context.run(&least).unwrap(), found);
        assert_eq!(reduced(&context, &least), None, "what is left narrows");
    }

    #[test]
    fn things_are_not_described_by_themselves() {
        let kb = touchstone_world::open(&NoProgress).unwrap();
        let context = SamplingContext::new(&kb, None);
        let area =
            |of: Set| Query::new(Ask::Attribute { of, attribute: "area".into(), conditions: Vec::new() });
        let peru = || Set::Entity("country/PE".into());
        let there = Set::relate(peru(), "capital", Direction::Forward);
        let back = Set::relate(there, "capital", Direction::Backward);
        let by_itself = area(Set::and([Set::Class("country".into()), back]));
        assert_eq!(context.run(&by_itself).unwrap().len(), 1, "the area of Peru");
        assert!(describes_by_itself(&context, &by_itself));
        assert!(!describes_by_itself(&context, &area(peru())));
    }
}
