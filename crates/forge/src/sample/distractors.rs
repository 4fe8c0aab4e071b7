//! Whether the facts near an answer hold others that could be mistaken for it. Questions with distractors are chosen; no fact is added.

use crate::context::SamplingContext;
use crate::reject::RejectReason;
use touchstone_benchmark::ProofFact;
use touchstone_engine::Found;
use touchstone_kb::{ClassId, Kb, LiteralId, NodeId, Property};
use touchstone_logic::{Ask, Query, Set};

/// Maximum number of neighbours of a property to try.
const NEIGHBOURS: usize = 64;

/// Rejects a question whose answers belong to a class with fewer members.
pub(crate) fn check_class(
    context: &SamplingContext<'_>,
    found: &Found<'_>,
    min_class: usize,
) -> Result<(), RejectReason> {
    let Some(class) = class_of_answers(context, found) else { return Ok(()) };
    if context.kb().members(class).len() < min_class { Err(RejectReason::SmallAnswerClass) } else { Ok(()) }
}

/// Rejects a question whose answer stands alone: of the things that its facts name, none leads to another thing of the same class, or the
/// thing that it asks about has no other value of the kind.
pub(crate) fn check_distractors(
    context: &SamplingContext<'_>,
    query: &Query,
    found: &Found<'_>,
    proof: &[ProofFact],
) -> Result<(), RejectReason> {
    let kb = context.kb();
    let has_distractor = match (&query.answer, found) {
        (Ask::Attribute { of, attribute, .. }, Found::Things { literals, .. }) => {
            let other = kb.attribute(attribute).map(Property::Attribute);
            match (one_of(context, of), literals.first()) {
                (Some(node), Some(&answer)) => has_other_value(kb, node, other, LiteralId(answer)),
                _ => true,
            }
        }
        (Ask::Members(_) | Ask::SelectAmong { .. }, Found::Things { nodes, .. }) => {
            let class = class_of_answers(context, found);
            let named = proof.iter().flat_map(|fact| [&fact.subject, &fact.value]);
            let mut near = named
                .filter_map(|id| kb.node(id))
                .filter(|node| nodes.binary_search(&node.0).is_err())
                .peekable();
            // If only values describe the answers, all things of the class are compared by them.
            near.peek().is_none()
                || class.is_none_or(|class| near.any(|node| leads_to_other(kb, node, class, nodes)))
        }
        _ => true,
    };
    if has_distractor { Ok(()) } else { Err(RejectReason::NoDistractor) }
}

fn class_of_answers(context: &SamplingContext<'_>, found: &Found<'_>) -> Option<ClassId> {
    match found {
        Found::Things { nodes, .. } => context.class_of(NodeId(*nodes.first()?)),
        _ => None,
    }
}

fn one_of(context: &SamplingContext<'_>, set: &Set) -> Option<NodeId> {
    match context.run(&Query::new(Ask::Members(set.clone())))? {
        Found::Things { nodes, .. } => nodes.first().map(|&node| NodeId(node)),
        _ => None,
    }
}

/// Whether a thing has a value of the same kind under another attribute.
fn has_other_value(kb: &Kb, node: NodeId, asked: Option<Property>, answer: LiteralId) -> bool {
    kb.properties_of(node).any(|(property, values)| {
        matches!(property, Property::Attribute(_))
            && Some(property) != asked
            && values.iter().any(|&value| kb.literal_family(LiteralId(value)) == kb.literal_family(answer))
    })
}

/// Whether a thing is related to a member of a class that is not an answer.
fn leads_to_other(kb: &Kb, node: NodeId, class: ClassId, answers: &[u32]) -> bool {
    let members = kb.members(class);
    let is_other =
        |other: &u32| answers.binary_search(other).is_err() && members.binary_search(other).is_ok();
    let forward = kb.properties_of(node).filter(|(property, _)| matches!(property, Property::Relation(_)));
    let mut neighbours = forward.map(|(_, to)| to).chain(kb.relations_to(node).map(|(_, from)| from));
    neighbours.any(|others| others.iter().take(NEIGHBOURS).any(is_other))
}
