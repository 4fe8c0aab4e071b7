//! The result of a plan, as ids of the KB.

use std::borrow::Cow;
use touchstone_kb::{Kb, LiteralId, NodeId, RelationId};
use touchstone_logic::Answer;

/// The result of a plan, as ids of the KB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<'k> {
    /// Entities, classes and literals: sorted, without duplicates.
    Things {
        /// Nodes.
        nodes: Cow<'k, [u32]>,
        /// Literals.
        literals: Cow<'k, [u32]>,
    },
    /// Relations, sorted.
    Relations(Vec<RelationId>),
    /// A count.
    Count(u64),
    /// Yes or no.
    Boolean(bool),
}

impl<'k> Found<'k> {
    pub(crate) fn things(nodes: Cow<'k, [u32]>, literals: Cow<'k, [u32]>) -> Found<'k> {
        Found::Things { nodes, literals }
    }

    /// The number of answers.
    pub fn len(&self) -> usize {
        match self {
            Found::Things { nodes, literals } => nodes.len() + literals.len(),
            Found::Relations(relations) => relations.len(),
            Found::Count(_) | Found::Boolean(_) => 1,
        }
    }

    /// Only the first answer.
    pub(crate) fn first(self) -> Found<'k> {
        let first = |ids: &[u32]| -> Cow<'k, [u32]> { Cow::Owned(ids.iter().take(1).copied().collect()) };
        match self {
            Found::Things { nodes, literals } if nodes.is_empty() => Found::things(nodes, first(&literals)),
            Found::Things { nodes, .. } => Found::things(first(&nodes), Cow::Borrowed(&[])),
            Found::Relations(relations) => Found::Relations(relations.into_iter().take(1).collect()),
            one @ (Found::Count(_) | Found::Boolean(_)) => one,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The answers with ids and labels.
    pub fn answers(&self, kb: &Kb) -> Vec<Answer> {
        match self {
            Found::Things { nodes, literals } => {
                let mut answers = Vec::with_capacity(nodes.len() + literals.len());
                answers.extend(nodes.iter().map(|&node| Answer::node(kb, NodeId(node))));
                answers.extend(literals.iter().map(|&id| Answer::literal(&kb.literal(LiteralId(id)))));
                answers
            }
            _ => (0..self.len()).filter_map(|at| self.answer(kb, at)).collect(),
        }
    }

    /// One of the answers, with its id and label.
    pub fn answer(&self, kb: &Kb, at: usize) -> Option<Answer> {
        match self {
            Found::Things { nodes, literals } => match nodes.get(at) {
                Some(&node) => Some(Answer::node(kb, NodeId(node))),
                None => literals.get(at - nodes.len()).map(|&id| Answer::literal(&kb.literal(LiteralId(id)))),
            },
            Found::Relations(relations) => relations.get(at).map(|&relation| Answer::Relation {
                id: kb.relation_id(relation).to_owned(),
                label: kb.relation_label(relation).to_owned(),
            }),
            Found::Count(count) => (at == 0).then_some(Answer::count(*count)),
            Found::Boolean(value) => (at == 0).then_some(Answer::Boolean { value: *value }),
        }
    }
}
