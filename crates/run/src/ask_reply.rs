//! What `touchstone ask --json` prints.

use crate::link::{Linked, Thing};
use crate::nearest::Adapted;
use serde::Serialize;
use std::borrow::Cow;
use touchstone_benchmark::{Answer, Forms};
use touchstone_kb::{Kb, NodeId};

/// A question, with what it names and what was found.
#[derive(Debug, Clone, Serialize)]
pub struct AskReply<'q> {
    /// The question.
    pub question: &'q str,
    /// The parts of it that name something.
    pub links: Vec<LinkRow<'q>>,
    /// The query that answers it, in every language that can express it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forms: Option<&'q Forms>,
    /// The answers; null if no query was found.
    pub answers: Option<&'q [Answer]>,
    /// The training question that the query comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbour: Option<NeighbourRow<'q>>,
}

/// A part of a question that names something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkRow<'q> {
    /// The part.
    pub text: &'q str,
    /// What kind of thing it names: entity, class, number, date or text.
    pub kind: &'static str,
    /// Ids or values, the most likely first.
    pub things: Vec<&'q str>,
}

/// A training question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NeighbourRow<'q> {
    /// Its id.
    pub id: &'q str,
    /// Its text.
    pub question: &'q str,
    /// Its similarity.
    pub score: f32,
}

impl<'q> AskReply<'q> {
    /// A reply without a query.
    pub fn without_answers(kb: &'q Kb, question: &'q str, links: &'q [Linked]) -> AskReply<'q> {
        let links = links.iter().map(|link| LinkRow::of(kb, question, link)).collect();
        AskReply { question, links, forms: None, answers: None, neighbour: None }
    }

    /// A reply with what was found.
    #[must_use]
    pub fn with_answers(
        self,
        adapted: &'q Adapted<'_>,
        forms: &'q Forms,
        answers: &'q [Answer],
    ) -> AskReply<'q> {
        let neighbour = NeighbourRow {
            id: &adapted.neighbour,
            question: &adapted.neighbour_question,
            score: adapted.score,
        };
        AskReply { forms: Some(forms), answers: Some(answers), neighbour: Some(neighbour), ..self }
    }
}

impl Linked {
    /// A row for each thing that the part of the question may name: the part, what it is, and the id or value.
    pub fn rows<'q>(&'q self, kb: &'q Kb, question: &'q str) -> Vec<[Cow<'q, str>; 3]> {
        let text = &question[self.start..self.end];
        let row = |what: &'static str, value: &'q str| vec![[text.into(), what.into(), value.into()]];
        match &self.thing {
            Thing::Entities(nodes) => {
                let entity = |&node: &NodeId| {
                    let classes = kb.classes_of(node).map(|class| kb.label(kb.class_node(class)));
                    let classes = classes.collect::<Vec<_>>().join(", ");
                    [text.into(), classes.into(), kb.node_id(node).into()]
                };
                nodes.iter().map(entity).collect()
            }
            Thing::Class(id) => row("a class", id),
            Thing::Number(number) => row("a number or year", number),
            Thing::Date(date) => row("a date", date),
            Thing::Text(value) => row("a value", value),
        }
    }
}

impl<'q> LinkRow<'q> {
    fn of(kb: &'q Kb, question: &'q str, link: &'q Linked) -> LinkRow<'q> {
        let (kind, things): (&str, Vec<&str>) = match &link.thing {
            Thing::Entities(nodes) => ("entity", nodes.iter().map(|&node| kb.node_id(node)).collect()),
            Thing::Class(id) => ("class", vec![id]),
            Thing::Number(text) => ("number", vec![text]),
            Thing::Date(text) => ("date", vec![text]),
            Thing::Text(text) => ("text", vec![text]),
        };
        LinkRow { text: &question[link.start..link.end], kind, things }
    }
}
