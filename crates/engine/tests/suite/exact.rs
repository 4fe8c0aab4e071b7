//! The output of the exact printer has exactly the plan's answers.

use crate::support::naive::{self, AnswerKey};
use crate::support::random::RandomQueries;
use crate::support::random_kb::{Flavour, random_kb, random_rdf_kb};
use crate::support::server::Server;
use crate::support::statistics::{answer_kind, set_kinds};
use exact::{ExactAnswer, ExactPrinter};
use std::collections::{BTreeMap, BTreeSet};
use touchstone_engine::exact;
use touchstone_engine::plan::Plan;
use touchstone_engine::sparql::Results;
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
        run: &dyn Fn(&exact::ExactQuery) -> Result<Results, String>,
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

/// The earliest, the latest and comparisons of times of day, with all spellings of fraction and zone.
#[test]
fn times_of_day() {
    use touchstone_kb::import::{ImportRequest, Profile, Source, import};
    use touchstone_kb::{Kb, NoProgress};
    let dir = tempfile::tempdir().unwrap();
    let kb_of = |name: &str, times: &[&str]| {
        let mut turtle = "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n".to_owned();
        for (i, time) in times.iter().enumerate() {
            let datatype = if time.contains('T') { "dateTime" } else { "date" };
            turtle +=
                &format!("<http://e/x{i}> a <http://e/C> ; <http://e/at> \"{time}\"^^xsd:{datatype} .\n");
        }
        let file = dir.path().join(format!("{name}.ttl"));
        std::fs::write(&file, turtle).unwrap();
        let out = dir.path().join(name);
        import(&ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file]), &out, &NoProgress).unwrap();
        Kb::open(&out).unwrap()
    };
    let forms = |times: &[&str]| {
        let mut forms: Vec<String> =
            ["ARGMAX", "ARGMIN"].iter().map(|f| format!("({f} http://e/C http://e/at)")).collect();
        for (comparison, time) in
            ["lt", "le", "gt", "ge"].iter().flat_map(|c| times.iter().map(move |t| (c, t)))
        {
            let datatype = if time.contains('T') { "dateTime" } else { "date" };
            forms.push(format!(
                "(AND http://e/C ({comparison} http://e/at {time}^^http://www.w3.org/2001/XMLSchema#{datatype}))"
            ));
        }
        forms
    };
    let mut n_printed = 0;
    for (name, times) in [
        ("z", vec!["2014-05-01T12:34:56Z", "2014-05-01T12:34:57Z", "2013-01-01T00:00:00Z"]),
        ("zeros", vec!["2014-05-01T12:34:56.000Z", "2014-05-01T12:34:57.000Z", "2013-01-01T00:00:00.000Z"]),
        ("bare", vec!["2014-05-01T12:34:56", "2014-05-01T12:34:57.5", "2013-01-01T00:00:00", "2013-01-01"]),
        ("zones", vec!["2014-05-01T12:34:56+02:00", "2014-05-01T12:34:56.0Z", "2014-05-01T12:34:55-08:00"]),
    ] {
        let kb = kb_of(name, &times);
        let words = Words::new(&kb);
        let server = Server::new(&kb, View::Direct);
        for listed in [64, 0] {
            let printer = ExactPrinter::new(&kb, View::Direct).listing_at_most(listed);
            let mut tally = Tally::default();
            for form in forms(&times) {
                let query = touchstone_logic::Form::parse(&form, &words).unwrap().to_query().unwrap();
                let plan = Plan::of(&query, &words).unwrap();
                let expected = naive::answer(&kb, &plan);
                tally.check(0, &query, &plan, &printer, &|query| server.run(query), &expected);
            }
            tally.report(name);
            assert_eq!(tally.agree, tally.n, "{name}: {:?}", tally.inexpressible);
            n_printed += tally.n;
        }
    }
    assert!(n_printed > 60, "{n_printed}");
    // What a view cannot distinguish is an error, not a guess.
    let kb = kb_of("fractions", &["2014-05-01T12:34:56.1Z", "2014-05-01T12:34:56.2Z"]);
    let query = touchstone_logic::Form::parse("(ARGMAX http://e/C http://e/at)", &Words::new(&kb))
        .unwrap()
        .to_query()
        .unwrap();
    let plan = Plan::of(&query, &Words::new(&kb)).unwrap();
    let refused = ExactPrinter::new(&kb, View::Direct).print(&plan).err().unwrap();
    assert!(refused.what.contains("less than a second"), "{}", refused.what);
}

/// A KB made from RDF: the printed query gives the plan's answers on the original file.
#[test]
fn on_the_original_file() {
    let (mut tally, mut relations) = (Tally::default(), 0);
    for seed in 0..12 {
        let flavour =
            Flavour { odd_values: seed % 2 == 1, homonyms: seed % 4 >= 2, classes_as_members: seed % 8 >= 4 };
        let (kb, file) = random_rdf_kb(seed, flavour);
        let words = Words::new(&kb);
        let mut queries = RandomQueries::new(&kb, 300 + seed);
        let server = Server::of_file(&file);
        let printer =
            ExactPrinter::new(&kb, View::Direct).listing_at_most([64, 0, 1][(seed / 4 % 3) as usize]);
        for _ in 0..300 {
            let query = queries.query();
            let Ok(plan) = Plan::of(&query, &words) else { continue };
            let expected = naive::answer(&kb, &plan);
            relations += usize::from(matches!(query.answer, touchstone_logic::Ask::Relation { .. }));
            tally.check(seed, &query, &plan, &printer, &|query| server.run(query), &expected);
        }
        std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }
    tally.report("the original file");
    assert_eq!(tally.shown, 0, "queries with other answers");
    assert!(tally.agree > tally.n / 2, "most queries can be printed");
    assert!(relations > 20, "questions for relations are among them");
}
