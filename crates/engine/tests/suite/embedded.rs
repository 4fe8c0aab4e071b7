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
use touchstone_kb::export::{ExportRequest, Format, View, export};
use touchstone_kb::{Change, Kb, LiteralId, NoProgress, NodeId};

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

#[test]
fn embedded_agrees_with_naive() {
    let (mut n, mut differ, mut empty, mut refused) = (0, 0, 0, 0);
    for seed in 0..24 {
        let flavour =
            Flavour { odd_values: seed % 2 == 1, homonyms: seed % 4 >= 2, classes_as_members: seed % 8 >= 4 };
        let kb = random_kb(seed, flavour);
        let words = Words::new(&kb);
        let mut queries = RandomQueries::new(&kb, seed);
        for _ in 0..500 {
            let query = queries.query();
            let plan = match Plan::of(&query, &words) {
                Ok(plan) => plan,
                Err(_) => {
                    refused += 1;
                    continue;
                }
            };
            n += 1;
            let expected = naive::answer(&kb, &plan);
            empty += usize::from(
                expected.is_empty()
                    || expected.contains(&AnswerKey::Boolean(false))
                    || expected.contains(&AnswerKey::Count(0)),
            );
            let got = embedded::run(&kb, &plan, &Budget::new(Limits::none())).map(|found| keys(&found));
            if got.as_ref().ok() != Some(&expected) {
                differ += 1;
                if differ < 12 {
                    eprintln!(
                        "KB {seed} {} {:?}\n {query:?}\n expected {expected:?}\n got {got:?}",
                        answer_kind(&query),
                        set_kinds(&query)
                    );
                }
            }
        }
    }
    eprintln!("{n} queries, {empty} without answers, {refused} refused, {differ} differ");
}

/// An overlay answers like a KB that was imported with the same content.
#[test]
fn an_overlay_answers_like_an_import() {
    let (mut n, mut answered) = (0, 0);
    for seed in 0..24 {
        let flavour =
            Flavour { odd_values: seed % 2 == 1, homonyms: seed % 4 >= 2, classes_as_members: seed % 8 >= 4 };
        let kb = random_kb(seed, flavour);
        let overlay = kb.overlay(&random_change(&kb, seed)).unwrap();
        let mut lines = Vec::new();
        let request = ExportRequest { format: Format::Lines, view: View::Direct, qualifiers: true };
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
            // On `Or([.., All])` with a class among the members the two evaluators differ, overlay or not; nowhere may only one side do.
            let is_naive = |kb: &Kb, plan: &Plan| {
                let found = embedded::run(kb, plan, &Budget::new(Limits::none())).unwrap();
                keys(&found) == naive::answer(kb, plan)
            };
            assert_eq!(is_naive(&overlay, &plan), is_naive(&imported, &other_plan), "KB {seed}: {query:?}");
            n += 1;
            answered += usize::from(!found.is_empty());
        }
    }
    assert!(n > 5_000 && answered * 2 > n, "{answered} of {n} queries have answers");
}

/// A share of the facts removed, others given to other subjects.
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
