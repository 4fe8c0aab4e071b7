//! The embedded engine against the naive one.

use crate::support::naive::{self, AnswerKey};
use crate::support::random::RandomQueries;
use crate::support::random_kb::{Flavour, kb_of, random_kb};
use crate::support::rng::Rng;
use crate::support::statistics::{answer_kind, set_kinds};
use std::collections::BTreeSet;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::plan::Plan;
use touchstone_engine::{Found, Words, embedded};
use touchstone_kb::export::{ExportFormat, ExportRequest, ExportView, export};
use touchstone_kb::{Change, Comparison, Kb, LiteralId, NoProgress, NodeId};
use touchstone_logic::{Ask, Query, Set, Value};

fn keys(found: &Found<'_>) -> BTreeSet<AnswerKey> {
    match found {
        Found::Things { nodes, literals } => {
            let nodes = nodes.iter().map(|&node| AnswerKey::Node(NodeId(node)));
            nodes.chain(literals.iter().map(|&id| AnswerKey::Literal(LiteralId(id)))).collect()
        }
        Found::Relations(relations) => relations.iter().map(|&r| AnswerKey::Relation(r)).collect(),
        Found::Count(count) => [AnswerKey::Count(*count)].into(),
        Found::Boolean(value) => [AnswerKey::Boolean(*value)].into(),
    }
}

/// A KB of one of eight kinds.
fn kb_number(seed: u64) -> Kb {
    let flavour =
        Flavour { odd_values: seed % 2 == 1, homonyms: seed % 4 >= 2, classes_as_members: seed % 8 >= 4 };
    random_kb(seed, flavour)
}

/// The answers by both evaluators, which must be the same.
fn agreed(kb: &Kb, plan: &Plan, query: &Query, place: &str) -> BTreeSet<AnswerKey> {
    let expected = naive::answer(kb, plan);
    let got = embedded::run(kb, plan, &Budget::new(Limits::none())).map(|found| keys(&found));
    let kinds = (answer_kind(query), set_kinds(query));
    assert_eq!(got.as_ref().ok(), Some(&expected), "{place} {kinds:?}\n {query:?}\n got {got:?}");
    expected
}

#[test]
fn embedded_agrees_with_naive() {
    let (mut n, mut empty) = (0, 0);
    for seed in 0..24 {
        let kb = kb_number(seed);
        let words = Words::new(&kb);
        let mut queries = RandomQueries::new(&kb, seed);
        for _ in 0..500 {
            let query = queries.query();
            let Ok(plan) = Plan::of(&query, &words) else { continue };
            let found = agreed(&kb, &plan, &query, &format!("KB {seed}"));
            let is_empty = found.is_empty()
                || found.contains(&AnswerKey::Boolean(false))
                || found.contains(&AnswerKey::Count(0));
            n += 1;
            empty += usize::from(is_empty);
        }
    }
    assert!(n > 10_000 && empty * 2 < n, "{empty} of {n} queries have no answers");
}

/// An overlay gives the same answers as a KB that was imported with the same content.
#[test]
fn an_overlay_answers_like_an_import() {
    let (mut n, mut answered) = (0, 0);
    for seed in 0..24 {
        let kb = kb_number(seed);
        let overlay = kb.overlay(&random_change(&kb, seed)).unwrap();
        let mut lines = Vec::new();
        let request =
            ExportRequest { format: ExportFormat::Lines, view: ExportView::Direct, qualifiers: true };
        export(&overlay, &request, &mut lines, &NoProgress).unwrap();
        let imported = kb_of(&String::from_utf8(lines).unwrap());
        let (words, other_words) = (Words::new(&overlay), Words::new(&imported));
        let mut queries = RandomQueries::new(&overlay, seed);
        for _ in 0..400 {
            let query = queries.query();
            let Ok(plan) = Plan::of(&query, &words) else { continue };
            let other_plan = Plan::of(&query, &other_words).unwrap();
            let answers = |kb: &Kb, plan: &Plan| {
                let found = embedded::run(kb, plan, &Budget::new(Limits::none())).unwrap();
                let mut answers = found.answers(kb);
                answers.sort();
                answers
            };
            let found = answers(&overlay, &plan);
            assert_eq!(found, answers(&imported, &other_plan), "KB {seed}: {query:?}");
            agreed(&overlay, &plan, &query, &format!("over KB {seed}"));
            agreed(&imported, &other_plan, &query, &format!("imported from over KB {seed}"));
            n += 1;
            answered += usize::from(!found.is_empty());
        }
    }
    assert!(n > 5_000 && answered * 2 > n, "{answered} of {n} queries have answers");
}

/// As an answer, everything means all entities; a union may add classes and literals.
#[test]
fn a_union_with_everything_keeps_what_it_names() {
    let mut n = 0;
    for seed in 0..8 {
        let kb = kb_number(seed);
        let words = Words::new(&kb);
        let n_entities = kb.n_entities();
        let class = kb.class_node(kb.classes().next().unwrap());
        let named = Set::Entity(kb.node_id(class).into());
        let literals = Set::Values(Comparison::NotEqual, Box::new(Value::text("no such text")));
        for also in [named.clone(), literals, Set::Or(vec![named, Set::All])] {
            let union = Set::Or(vec![also.clone(), Set::All]);
            let shapes = [
                union.clone(),
                Set::And(vec![union.clone(), Set::All]),
                Set::And(vec![Set::All, Set::Marked(0, union.clone().into())]),
                Set::Marked(0, Set::Or(vec![Set::All, also]).into()),
            ];
            for shape in shapes {
                let query = Query::new(Ask::Members(shape));
                let plan = Plan::of(&query, &words).unwrap();
                let found = agreed(&kb, &plan, &query, &format!("KB {seed}"));
                assert!(found.len() > n_entities, "KB {seed}: {query:?}");
                n += 1;
            }
        }
    }
    assert_eq!(n, 8 * 3 * 4);
}

/// Removes a share of the facts, and moves others to other subjects.
fn random_change(kb: &Kb, seed: u64) -> Change {
    let rng = &mut Rng::new(seed);
    let mut change = Change::default();
    for fact in kb.nodes().flat_map(|node| kb.facts_about(node)) {
        if rng.percent(15) {
            change.removed.push(fact.id);
        }
        if rng.percent(15) {
            change.added.push((NodeId(rng.below(kb.n_nodes()) as u32), fact.property, fact.value));
        }
    }
    change
}
