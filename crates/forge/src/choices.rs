//! Ten candidate answers: the right one, answers of the query with a clause left out, and others of the same kind.

use crate::cast;
use crate::context::SamplingContext;
use crate::reject::RejectReason;
use crate::sample::filters::with_set;
use touchstone_benchmark::Random;
use touchstone_engine::{Answer as Given, Found};
use touchstone_kb::{ClassId, Kb, NodeId, RelationId};
use touchstone_logic::{Ask, Query, Set, without_one};

/// Number of choices.
const CHOICES: usize = 10;

/// Choices in random order; none for questions with several answers, or if there are too few candidates of the kind.
pub(crate) fn choices(
    context: &SamplingContext<'_>,
    random: &mut Random,
    query: &Query,
    answers: &[Given],
) -> Vec<String> {
    let [answer] = answers else { return Vec::new() };
    let mut found = vec![answer.text().into_owned()];
    match answer {
        Given::Boolean { value } => {
            found.push(if *value { "no" } else { "yes" }.to_owned());
            // KQA Pro pads them in the same way.
            found.extend(std::iter::repeat_n("unknown".to_owned(), CHOICES - 2));
        }
        Given::Number { value } => {
            let value = value.as_u64().unwrap_or(0);
            let spread = (value / 2).max(10);
            // The rank of the answer is chosen first, so that no rank is more likely than another, as far as there are smaller numbers.
            let below = random.below(CHOICES).min(cast::index(value));
            while found.len() <= below {
                add(
                    &mut found,
                    (value - 1 - random.below(cast::index(spread.min(value))) as u64).to_string(),
                );
            }
            while found.len() < CHOICES {
                add(&mut found, (value + 1 + random.below(cast::index(spread)) as u64).to_string());
            }
        }
        _ => {
            if let Ask::SelectBetween { left, right, .. } = &query.answer {
                // Both are in the question: both are offered.
                for side in [left, right] {
                    let both = context.run(&Query::new(Ask::Members(side.clone())));
                    let text = both.and_then(|found| found.answer(context.kb(), 0));
                    text.into_iter().for_each(|text| add(&mut found, text.text().into_owned()));
                }
            }
            for near in near_misses(query) {
                let others = context.run(&near);
                for other in others.iter().flat_map(|found| some_answers(context, found, random)) {
                    add(&mut found, other);
                }
            }
            found.truncate(CHOICES);
            for _ in 0..200 {
                if found.len() == CHOICES {
                    break;
                }
                if let Some(other) = same_kind(context, random, answer, query) {
                    add(&mut found, other);
                }
            }
            fill(context, random, answer, &mut found);
            if found.len() < CHOICES {
                return Vec::new();
            }
        }
    }
    random.shuffle(&mut found);
    found
}

/// Fills the rest where the KB has too few of the kind: relations at one of the two ends and then any, years near the answer, and for values
/// of which there are few, "unknown", as for yes and no.
fn fill(context: &SamplingContext<'_>, random: &mut Random, answer: &Given, found: &mut Vec<String>) {
    let kb = context.kb();
    match answer {
        Given::Relation { id, .. } => {
            let Some(right) = kb.relation(id) else { return };
            let mut relations: Vec<RelationId> = kb.relations().collect();
            random.shuffle(&mut relations);
            let ends = |relation| [kb.relation_domain(relation), kb.relation_range(relation)];
            let is_near = |relation: &RelationId| {
                let (own, other) = (ends(right), ends(*relation));
                (0..2).any(|end| own[end].is_some() && own[end] == other[end])
            };
            relations.sort_by_key(|relation| !is_near(relation));
            relations.iter().for_each(|&relation| add(found, kb.relation_label(relation).to_owned()));
        }
        Given::Time { .. } => {
            let text = answer.text().into_owned();
            let Some((year, rest)) = text.split_at_checked(4) else { return };
            let Ok(year) = year.parse::<u32>() else { return };
            for _ in 0..200 {
                add(found, format!("{}{rest}", year.saturating_sub(15) + cast::index32(random.below(31))));
            }
        }
        Given::Text { .. } | Given::Entity { .. } if found.len() > 1 => {
            found.resize(CHOICES, "unknown".to_owned());
        }
        _ => {}
    }
}

fn add(found: &mut Vec<String>, text: String) {
    if found.len() < CHOICES && !found.contains(&text) {
        found.push(text);
    }
}

/// The first three answers of a query.
fn some_answers(context: &SamplingContext<'_>, found: &Found<'_>, random: &mut Random) -> Vec<String> {
    let n = found.len();
    let places = (0..if n > 0 { 3 } else { 0 }).map(|_| random.below(n));
    places.filter_map(|at| found.answer(context.kb(), at)).map(|answer| answer.text().into_owned()).collect()
}

/// Variants of the query with one clause left out.
fn near_misses(query: &Query) -> Vec<Query> {
    let set = match &query.answer {
        Ask::Members(Set::Superlative(superlative)) => &superlative.of,
        Ask::Members(set) | Ask::SelectAmong { among: set, .. } | Ask::Attribute { of: set, .. } => set,
        _ => return Vec::new(),
    };
    let mut out: Vec<Query> = without_one(set).into_iter().map(|wider| with_set(query, 0, wider)).collect();
    if let Ask::Attribute { of, attribute, conditions } = &query.answer
        && !conditions.is_empty()
    {
        let (of, attribute) = (of.clone(), attribute.clone());
        out.push(Query::new(Ask::Attribute { of, attribute, conditions: Vec::new() }));
    }
    out
}

/// Whether things can be in both classes: one is the other or above it.
fn share_class(kb: &Kb, one: Option<ClassId>, other: Option<ClassId>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return true };
    let is_above =
        |above: ClassId, below: ClassId| above == below || kb.ancestors(below).any(|class| class == above);
    is_above(one, other) || is_above(other, one)
}

/// Whether another relation could hold between the same things, by the schema.
fn fits_like(kb: &Kb, other: RelationId, right: RelationId) -> bool {
    share_class(kb, kb.relation_domain(other), kb.relation_domain(right))
        && share_class(kb, kb.relation_range(other), kb.relation_range(right))
}

/// Number of other relations that must fit the things of a question for a relation: otherwise their classes give the answer away.
const FITTING_RELATIONS: usize = 2;

/// Rejects a question for a relation if the classes of the two things give it away.
pub(crate) fn check_relation(kb: &Kb, found: &Found<'_>) -> Result<(), RejectReason> {
    let Found::Relations(relations) = found else { return Ok(()) };
    let fits = |right: &RelationId| {
        let others = kb.relations().filter(|other| other != right && fits_like(kb, *other, *right));
        others.take(FITTING_RELATIONS).count() == FITTING_RELATIONS
    };
    if relations.iter().all(fits) { Ok(()) } else { Err(RejectReason::OnlyFittingRelation) }
}

/// Another answer of the same kind.
fn same_kind(
    context: &SamplingContext<'_>,
    random: &mut Random,
    answer: &Given,
    query: &Query,
) -> Option<String> {
    let kb = context.kb();
    match answer {
        Given::Entity { id, .. } => {
            let class = context.class_of(kb.node(id)?)?;
            let node = NodeId(*random.choose(kb.direct_members(class))?);
            context.has_speakable_name(node).then(|| kb.label(node).to_owned())
        }
        Given::Relation { id, .. } => {
            let relation = kb.relations().nth(random.below(kb.n_relations()))?;
            let right = kb.relation(id)?;
            // Most of the others could hold between the two things, as far as there are any.
            (fits_like(kb, relation, right) || random.percent(4))
                .then(|| kb.relation_label(relation).to_owned())
        }
        _ => {
            let attribute = match &query.answer {
                Ask::Attribute { attribute, .. } => kb.attribute(attribute),
                _ => None,
            };
            // Without an attribute: values of the same qualifier are literals near the answer.
            let column = match attribute {
                Some(attribute) => kb.facts_by_value(attribute),
                None => {
                    let all: Vec<_> = kb.attributes().filter(|&a| !kb.facts_by_value(a).is_empty()).collect();
                    kb.facts_by_value(*random.choose(&all)?)
                }
            };
            let literal = kb.literal(column.value(random.below(column.len())));
            let other = Given::literal(&literal);
            let is_alike = match (&other, answer) {
                (Given::Quantity { unit, .. }, Given::Quantity { unit: wanted, .. }) => unit == wanted,
                (other, answer) => std::mem::discriminant(other) == std::mem::discriminant(answer),
            };
            is_alike.then(|| other.text().into_owned())
        }
    }
}
