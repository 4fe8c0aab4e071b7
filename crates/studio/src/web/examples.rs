//! Names and queries that work on the KB at hand, so that nobody starts from an empty field.

use serde::Serialize;
use std::cmp::Reverse;
use std::time::Duration;
use touchstone_benchmark::english::Lexicon;
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::{Outcome, Session, Settings};
use touchstone_forge::english::verbalise_form;
use touchstone_kb::entity_page::NodeSummary;
use touchstone_kb::{AttributeId, ClassId, Kb, NodeId, Property, RelationId, ValueKind};
use touchstone_logic::Language;

/// Number of names.
const NAMES: usize = 6;
/// Maximum number of members of a class to look at.
const MEMBERS: usize = 2_000;

/// A query that works.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ExampleQuery {
    #[serde(serialize_with = "super::parts::language_as_word")]
    pub(super) language: Language,
    pub(super) query: String,
    /// The query in English.
    pub(super) english: Option<String>,
}

/// Names and queries that work.
#[derive(Debug, Serialize)]
pub(super) struct Examples {
    pub(super) names: Vec<NodeSummary<'static>>,
    pub(super) queries: Vec<ExampleQuery>,
}

impl Examples {
    /// Takes the best connected members of the largest classes, and keeps the queries about them that have answers.
    pub(super) fn of(session: &'static Session<'static>) -> Examples {
        let kb = session.kb();
        let mut classes: Vec<ClassId> =
            kb.classes().filter(|&class| !kb.direct_members(class).is_empty()).collect();
        classes.sort_by_key(|&class| (Reverse(kb.direct_members(class).len()), class));
        let mut names: Vec<(ClassId, NodeId)> = Vec::new();
        for class in classes.into_iter().take(4 * NAMES) {
            let members = kb.direct_members(class).iter().take(MEMBERS).map(|&member| NodeId(member));
            let named = members.filter(|&member| is_plain(kb.label(member)));
            if let Some(best) = named.max_by_key(|&member| (kb.degree(member), Reverse(member)))
                && names.iter().all(|&(_, known)| known != best)
            {
                names.push((class, best));
            }
        }
        let lexicon = Lexicon::of(kb);
        let mut queries: Vec<ExampleQuery> = Vec::new();
        for (at, &(class, node)) in names.iter().enumerate() {
            let fitting = candidates(kb, class, node, at).into_iter();
            queries.extend(
                fitting.filter_map(|(language, text)| checked(session, &lexicon, language, text)).take(2),
            );
        }
        queries.sort_by_key(|query| Reverse(query.english.is_some()));
        let mut said: Vec<String> = Vec::new();
        queries.retain(|query| match &query.english {
            Some(english) if said.contains(english) => false,
            Some(english) => {
                said.push(english.clone());
                true
            }
            None => true,
        });
        queries.truncate(12);
        names.truncate(NAMES);
        let names = names.into_iter().map(|(_, node)| NodeSummary::of(kb, node)).collect();
        Examples { names, queries }
    }

    /// The examples in one language, or one of each.
    pub(super) fn for_query_page(&self) -> Vec<&ExampleQuery> {
        let mut chosen: Vec<&ExampleQuery> = Vec::new();
        for language in [Language::Kopl, Language::Sexpr, Language::Sparql] {
            chosen.extend(self.queries.iter().filter(|query| query.language == language).take(3));
        }
        chosen
    }
}

/// Whether a name can stand in a program without quotes.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() < 40
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | '\''))
}

/// Queries about a class and a member of it. The position varies the kinds.
fn candidates(kb: &Kb, class: ClassId, node: NodeId, position: usize) -> Vec<(Language, String)> {
    let relation = kb.properties_of(node).filter_map(|(property, values)| match property {
        Property::Relation(relation) => Some((values.len(), relation)),
        Property::Attribute(_) => None,
    });
    let relation: Option<RelationId> = relation.filter(|(n, _)| *n <= 30).max().map(|(_, relation)| relation);
    let back = kb.relations_to(node).map(|(relation, subjects)| (subjects.len(), relation));
    let back: Option<RelationId> =
        back.filter(|(n, _)| (2..=60).contains(n)).max().map(|(_, relation)| relation);
    let number = kb.properties_of(node).find_map(|(property, _)| match property {
        Property::Attribute(attribute) => {
            (kb.attribute_kind(attribute) == ValueKind::Quantity).then_some(attribute)
        }
        Property::Relation(_) => None,
    });
    let number: Option<AttributeId> = number;
    let (label, id) = (kb.label(node), kb.node_id(node));
    let (class_label, class_id) = (kb.label(kb.class_node(class)), kb.node_id(kb.class_node(class)));
    let mut found = Vec::new();
    if let Some(relation) = back {
        let name = kb.relation_label(relation);
        found.push((Language::Kopl, format!("Find({label}) > Relate({name}, backward) > What()")));
        found.push((Language::Sexpr, format!("(COUNT (JOIN {} {id}))", kb.relation_id(relation))));
    }
    if let Some(relation) = relation {
        let name = kb.relation_label(relation);
        found.push((Language::Kopl, format!("Find({label}) > Relate({name}, forward) > What()")));
        found.push((Language::Sexpr, format!("(JOIN (R {}) {id})", kb.relation_id(relation))));
    }
    if let Some(attribute) = number {
        let name = kb.attribute_label(attribute);
        found.push((Language::Kopl, format!("Find({label}) > QueryAttr({name})")));
        found.push((
            Language::Kopl,
            format!("FindAll() > FilterConcept({class_label}) > SelectAmong({name}, largest)"),
        ));
        found.push((Language::Sexpr, format!("(ARGMAX {class_id} {})", kb.attribute_id(attribute))));
    }
    found.push((Language::Kopl, format!("FindAll() > FilterConcept({class_label}) > Count()")));
    let n = found.len();
    found.rotate_left(position % n);
    found
}

/// The query with its English text, if it has answers.
fn checked(
    session: &Session<'static>,
    lexicon: &Lexicon,
    language: Language,
    query: String,
) -> Option<ExampleQuery> {
    let limits = Limits { time: Duration::from_millis(500), operations: 5_000_000, ..Limits::default() };
    let reply =
        session.run(language, &query, &Settings { limits, ..Settings::default() }, &Cancel::default());
    let Outcome::Answered(answers) = &reply.outcome else { return None };
    if answers.is_empty() || !reply.notes.is_empty() {
        return None;
    }
    let english = verbalise_form(&query, session.kb(), lexicon, true, 1).ok().map(|question| question.text);
    Some(ExampleQuery { language, query, english })
}
