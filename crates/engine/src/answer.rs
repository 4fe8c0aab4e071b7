//! Answers: typed, with ids and labels.

use serde::Serialize;
use std::borrow::Cow;
use std::fmt;
use touchstone_kb::{Kb, Literal, LiteralId, LiteralKind, NodeId, RelationId};

/// What a plan found, as ids of the KB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<'k> {
    /// Entities and classes, and literals: sorted, each once.
    Things {
        /// Nodes.
        nodes: Cow<'k, [u32]>,
        /// Literals.
        literals: Cow<'k, [u32]>,
    },
    /// Relations, sorted.
    Relations(Vec<RelationId>),
    /// A number of things.
    Count(u64),
    /// Yes or no.
    Boolean(bool),
}

impl<'k> Found<'k> {
    pub(crate) fn things(nodes: Cow<'k, [u32]>, literals: Cow<'k, [u32]>) -> Found<'k> {
        Found::Things { nodes, literals }
    }

    /// How many answers there are.
    pub fn len(&self) -> usize {
        match self {
            Found::Things { nodes, literals } => nodes.len() + literals.len(),
            Found::Relations(relations) => relations.len(),
            Found::Count(_) | Found::Boolean(_) => 1,
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
            Found::Count(count) => (at == 0).then_some(Answer::Number { value: *count }),
            Found::Boolean(value) => (at == 0).then_some(Answer::Boolean { value: *value }),
        }
    }
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    /// An entity.
    Entity {
        /// Its id.
        id: String,
        /// Its name.
        label: String,
    },
    /// A class.
    Class {
        /// Its id.
        id: String,
        /// Its name.
        label: String,
    },
    /// A relation.
    Relation {
        /// Its id.
        id: String,
        /// Its name.
        label: String,
    },
    /// A text.
    Text {
        /// The text.
        value: String,
        /// Its language, if it has one.
        #[serde(skip_serializing_if = "String::is_empty")]
        language: String,
        /// Its datatype, if it has one of its own.
        #[serde(skip_serializing_if = "String::is_empty")]
        datatype: String,
    },
    /// A quantity.
    Quantity {
        /// The number as the KB writes it.
        value: String,
        /// The unit, if there is one.
        #[serde(skip_serializing_if = "String::is_empty")]
        unit: String,
    },
    /// A year, month, date or date-time.
    Time {
        /// As the KB writes it.
        value: String,
        /// `year`, `month`, `date` or `datetime`.
        precision: &'static str,
    },
    /// A boolean, as a value of a fact or as the answer to a question.
    Boolean {
        /// Yes or no.
        value: bool,
    },
    /// How many there are.
    Number {
        /// So many.
        value: u64,
    },
    /// Something else that SPARQL can answer: an IRI or blank node that is nothing in the KB, a triple; as N-Triples.
    Term {
        /// The term.
        value: String,
    },
}

impl Answer {
    /// An entity or a class.
    pub fn node(kb: &Kb, node: NodeId) -> Answer {
        let (id, label) = (kb.node_id(node).to_owned(), kb.label(node).to_owned());
        if kb.as_class(node).is_some() { Answer::Class { id, label } } else { Answer::Entity { id, label } }
    }

    /// A literal.
    #[inline]
    pub fn literal(literal: &Literal<'_>) -> Answer {
        let value = literal.text().to_owned();
        let time = |value, precision| Answer::Time { value, precision };
        match literal.kind() {
            LiteralKind::Boolean => Answer::Boolean { value: literal.as_bool().unwrap_or(false) },
            LiteralKind::Quantity => Answer::Quantity { value, unit: literal.unit().to_owned() },
            LiteralKind::Year => time(value, "year"),
            LiteralKind::Month => time(value, "month"),
            LiteralKind::Date => time(value, "date"),
            LiteralKind::DateTime => time(value, "datetime"),
            LiteralKind::Text => Answer::Text { value, language: String::new(), datatype: String::new() },
            LiteralKind::LanguageText => {
                Answer::Text { value, language: literal.language().to_owned(), datatype: String::new() }
            }
            LiteralKind::TypedText => {
                Answer::Text { value, language: String::new(), datatype: literal.datatype().to_owned() }
            }
        }
    }

    /// The id, for what has one.
    pub fn id(&self) -> Option<&str> {
        match self {
            Answer::Entity { id, .. } | Answer::Class { id, .. } | Answer::Relation { id, .. } => Some(id),
            _ => None,
        }
    }
}

impl Answer {
    /// As KQA Pro writes answers: names, `206 centimetre`, `yes` and `no`.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Answer::Entity { label, .. } | Answer::Class { label, .. } | Answer::Relation { label, .. } => {
                Cow::Borrowed(label)
            }
            Answer::Quantity { value, unit } if !unit.is_empty() => Cow::Owned(format!("{value} {unit}")),
            Answer::Text { value, .. }
            | Answer::Quantity { value, .. }
            | Answer::Time { value, .. }
            | Answer::Term { value } => Cow::Borrowed(value),
            Answer::Boolean { value } => Cow::Borrowed(if *value { "yes" } else { "no" }),
            Answer::Number { value } => Cow::Owned(value.to_string()),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
