//! The RDF views: pattern look-ups against brute force, codes against terms.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod support;

use proptest::prelude::*;
use support::{Content, NaiveKb, Rng, check_view, import_file, random_change};
use touchstone_kb::export::{ExportFormat, ExportRequest, ExportView, export_to};
use touchstone_kb::import::Source;
use touchstone_kb::rdf::{DirectView, KqaProView, RdfView};
use touchstone_kb::{Kb, NoProgress};

proptest! {
    #![proptest_config(support::cases(40))]

    #[test]
    fn look_ups_agree_with_brute_force(seed in 0u64..1_000_000, size in 1usize..25) {
        let model = NaiveKb::random(seed, size, Content::Everything);
        let dir = tempfile::tempdir().unwrap();
        let kb = model.compile(&dir.path().join("kb"), seed, 1 << 20);
        check_view(&DirectView::new(&kb), seed);
        check_view(&KqaProView::new(&kb), seed);
    }
}

/// All triples as text, without the numbers of facts and qualifiers, which two stores need not have in common.
fn without_numbers(view: &dyn RdfView) -> Vec<String> {
    let mut triples: Vec<String> = view
        .triples()
        .map(|triple| {
            let text = view.decode_triple(triple).unwrap().to_string();
            let words = text.split(' ').map(|word| match word.starts_with("_:") {
                true => word.trim_end_matches(|c: char| c.is_ascii_digit()),
                false => word,
            });
            words.collect::<Vec<_>>().join(" ")
        })
        .collect();
    triples.sort();
    triples
}

/// The views of an overlay are those of a KB that was imported with the same content.
#[test]
fn views_of_an_overlay() {
    for seed in 0..15 {
        let model = NaiveKb::random(seed, 20, Content::Everything);
        let dir = tempfile::tempdir().unwrap();
        let kb = model.compile(&dir.path().join("kb"), seed, 1 << 20);
        let (change, _) = random_change(&kb, &model, &mut Rng::new(seed));
        let overlay = kb.overlay(&change).unwrap();
        check_view(&DirectView::new(&overlay), seed);
        check_view(&KqaProView::new(&overlay), seed);
        let lines = dir.path().join("lines.jsonl");
        let request =
            ExportRequest { format: ExportFormat::Lines, view: ExportView::Direct, qualifiers: true };
        export_to(&overlay, &request, &lines, &NoProgress).unwrap();
        let store = dir.path().join("imported");
        import_file(Source::Lines, &[&lines], &store).unwrap();
        let imported = Kb::open(&store).unwrap();
        assert_eq!(without_numbers(&DirectView::new(&overlay)), without_numbers(&DirectView::new(&imported)));
        assert_eq!(without_numbers(&KqaProView::new(&overlay)), without_numbers(&KqaProView::new(&imported)));
    }
}

/// The graph that KQA Pro's loader would build for one fact with one qualifier, written out.
#[test]
fn kqapro_graph_of_one_fact() {
    let mut model = NaiveKb::default();
    for (id, label) in [("Q1", "LeBron James"), ("Q2", "Cavaliers"), ("C1", "player"), ("C2", "athlete")] {
        model.labels.insert(id.into(), label.into());
    }
    model.classes.extend(["C1".into(), "C2".into()]);
    model.parents.insert(("C1".into(), "C2".into()));
    model.class_of.insert(("Q1".into(), "C1".into()));
    let number = support::Val::Number("23".into(), String::new(), "decimal");
    let qualifiers = [("sport number".to_owned(), number)].into();
    model.facts.insert((
        "Q1".into(),
        "member of sports team".into(),
        support::Val::Node("Q2".into()),
        qualifiers,
    ));
    let date = support::Val::Date("1984-12-30".into());
    model.facts.insert(("Q1".into(), "date of birth".into(), date, Default::default()));
    let dir = tempfile::tempdir().unwrap();
    let kb = model.compile(&dir.path().join("kb"), 1, 1 << 20);
    let view = KqaProView::new(&kb);
    let mut triples: Vec<String> = view
        .triples()
        .map(|t| view.decode_triple(t).unwrap().to_string().replace("http://kqapro.invalid/", ""))
        .collect();
    triples.sort();
    let double = "^^<http://www.w3.org/2001/XMLSchema#double>";
    let expected = [
        "<C1> <pred:name> \"player\"".to_owned(),
        "<C2> <pred:name> \"athlete\"".to_owned(),
        "<Q1> <date_of_birth> _:value1".to_owned(),
        "<Q1> <member_of_sports_team> <Q2>".to_owned(),
        "<Q1> <pred:instance_of> <C1>".to_owned(),
        "<Q1> <pred:instance_of> <C2>".to_owned(),
        "<Q1> <pred:name> \"LeBron James\"".to_owned(),
        "<Q2> <pred:name> \"Cavaliers\"".to_owned(),
        "_:fact0 <pred:fact_h> <Q1>".to_owned(),
        "_:fact0 <pred:fact_r> <member_of_sports_team>".to_owned(),
        "_:fact0 <pred:fact_t> <Q2>".to_owned(),
        "_:fact0 <sport_number> _:qualifier0".to_owned(),
        "_:fact1 <pred:fact_h> <Q1>".to_owned(),
        "_:fact1 <pred:fact_r> <date_of_birth>".to_owned(),
        "_:fact1 <pred:fact_t> _:value1".to_owned(),
        "_:qualifier0 <pred:unit> \"1\"".to_owned(),
        format!("_:qualifier0 <pred:value> \"23\"{double}"),
        "_:value1 <pred:date> \"1984-12-30\"^^<http://www.w3.org/2001/XMLSchema#date>".to_owned(),
        "_:value1 <pred:year> \"1984\"^^<http://www.w3.org/2001/XMLSchema#integer>".to_owned(),
    ];
    assert_eq!(triples, expected);
}
