//! What the exact printer prints gives exactly the plan's answers.

use crate::support::naive::{self, AnswerKey};
use crate::support::random::RandomQueries;
use crate::support::random_kb::{Flavour, random_kb};
use crate::support::server::Server;
use crate::support::statistics::{answer_kind, set_kinds};
use exact::{ExactAnswer, ExactPrinter};
use std::collections::{BTreeMap, BTreeSet};
use touchstone_engine::exact;
use touchstone_engine::plan::Plan;
use touchstone_engine::{View, Words};
use touchstone_logic::Query;

fn canonical(printer: &ExactPrinter<'_>, answers: &BTreeSet<AnswerKey>) -> BTreeSet<ExactAnswer> {
    let answer = |key: &AnswerKey| {
        printer.canonical(match *key {
            AnswerKey::Node(node) => ExactAnswer::Node(node),
            AnswerKey::Literal(literal) => ExactAnswer::Literal(literal),
            AnswerKey::Relation(relation) => ExactAnswer::Relation(relation),
            AnswerKey::Count(count) => ExactAnswer::Count(count),
            AnswerKey::Boolean(value) => ExactAnswer::Boolean(value),
        })
    };
    answers.iter().map(answer).collect()
}

#[derive(Default)]
struct Tally {
    asked: BTreeMap<&'static str, usize>,
    inexpressible: BTreeMap<(&'static str, &'static str), usize>,
    n: usize,
    agree: usize,
    shown: usize,
    unfinished: usize,
}

impl Tally {
    fn check(
        &mut self,
        kb: u64,
        query: &Query,
        plan: &Plan,
        printer: &ExactPrinter<'_>,
        run: &dyn Fn(&exact::ExactQuery) -> Result<exact::Results, String>,
        expected: &BTreeSet<AnswerKey>,
    ) {
        let kind = answer_kind(query);
        *self.asked.entry(kind).or_default() += 1;
        self.n += 1;
        let printed = match printer.print(plan) {
            Ok(printed) => printed,
            Err(error) => {
                *self.inexpressible.entry((kind, error.what)).or_default() += 1;
                return;
            }
        };
        let got =
            run(&printed).and_then(|results| printer.read(&printed, &results).map_err(|e| e.to_string()));
        let expected = canonical(printer, expected);
        if got.as_ref().is_ok_and(|got| got.iter().copied().collect::<BTreeSet<_>>() == expected) {
            self.agree += 1;
        } else if got.as_ref().is_err_and(|error| error.contains("cancelled") || error.contains("timed out"))
        {
            self.unfinished += 1;
        } else {
            self.shown += 1;
            if self.shown < 14 {
                eprintln!(
                    "KB {kb} {kind} {:?}\n {query:?}\n{}\n expected {expected:?}\n got {got:?}\n",
                    set_kinds(query),
                    printed.text
                );
            }
        }
    }

    fn report(&self, name: &str) {
        let inexpressible: usize = self.inexpressible.values().sum();
        eprintln!(
            "{name}: {} queries, {} agree, {inexpressible} inexpressible, {} unfinished, {} differ",
            self.n, self.agree, self.unfinished, self.shown
        );
        for ((kind, what), n) in &self.inexpressible {
            eprintln!("   {kind} ({} of {}): {what}", n, self.asked[kind]);
        }
    }
}

#[test]
fn small_kbs() {
    for view in [View::Direct, View::KqaPro] {
        let mut tally = Tally::default();
        for seed in 0..24 {
            let flavour = Flavour {
                odd_values: seed % 2 == 1,
                homonyms: seed % 4 >= 2,
                classes_as_members: seed % 8 >= 4,
            };
            let kb = random_kb(seed, flavour);
            let words = Words::new(&kb);
            let mut queries = RandomQueries::new(&kb, 100 + seed);
            let server = Server::new(&kb, view);
            let printer = ExactPrinter::new(&kb, view).listing_at_most([64, 0, 1][(seed / 8 % 3) as usize]);
            for _ in 0..300 {
                let query = queries.query();
                let Ok(plan) = Plan::of(&query, &words) else { continue };
                let expected = naive::answer(&kb, &plan);
                tally.check(seed, &query, &plan, &printer, &|query| server.run(query), &expected);
            }
        }
        tally.report(&format!("{view:?}"));
        assert_eq!(tally.shown, 0, "{view:?}");
        assert!(tally.agree > tally.n / 2, "{view:?}");
    }
}
