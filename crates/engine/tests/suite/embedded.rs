//! The embedded engine against the naive one.

use crate::support::naive::{self, AnswerKey};
use crate::support::random::RandomQueries;
use crate::support::random_kb::{Flavour, random_kb};
use crate::support::statistics::{answer_kind, set_kinds};
use std::collections::BTreeSet;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::plan::Plan;
use touchstone_engine::{Found, Words, embedded};
use touchstone_kb::{LiteralId, NodeId};

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
