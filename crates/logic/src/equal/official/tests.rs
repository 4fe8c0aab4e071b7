#![allow(clippy::unwrap_used)]

use super::OfficialMatcher;
use crate::ontology::Ontology;

/// Films, and a class of nodes that all look alike.
fn ontology() -> Ontology {
    Ontology::from_parts(
        [
            ("film.film", "film.film.director", "film.director"),
            ("film.director", "film.director.film", "film.film"),
            ("film.film", "film.film.date", "type.datetime"),
            ("film.film", "film.film.length", "type.float"),
            ("film.film", "film.film.sequel", "film.film"),
            ("film.film", "film.film.prequel", "film.film"),
            ("people.person", "people.person.spouse", "people.person"),
            ("award.honor", "award.honor.winner", "people.person"),
            ("award.honor", "award.honor.work", "film.film"),
        ],
        [
            ("film.director", "people.person"),
            ("film.film", "common.topic"),
            ("people.person", "common.topic"),
            ("film.film.both", "common.topic"),
        ],
        [
            ("film.film.director", "film.director.film"),
            ("film.director.film", "film.film.director"),
            ("film.film.sequel", "film.film.prequel"),
            ("film.film.prequel", "film.film.sequel"),
            ("award.honor.work", "no.such.relation"),
        ],
    )
}

fn check(cases: &[(&str, &str, bool)]) {
    let ontology = ontology();
    let mut matcher = OfficialMatcher::new(&ontology);
    for &(gold, predicted, equal) in cases {
        for (gold, predicted) in [(gold, predicted), (predicted, gold)] {
            assert_eq!(matcher.equal(gold, predicted), equal, "{gold} / {predicted}");
            let verdict = matcher.explain(gold, predicted);
            assert_eq!((verdict.equal, verdict.why.is_none()), (equal, equal), "{gold} / {predicted}");
        }
    }
}

#[test]
fn relations_and_inverses() {
    check(&[
        (
            "(AND film.film (JOIN film.film.director m.1))",
            "(AND film.film (JOIN film.film.director m.1))",
            true,
        ),
        (
            "(AND film.film (JOIN film.film.director m.1))",
            "(AND film.film (JOIN film.film.director m.2))",
            false,
        ),
        (
            "(AND film.film (JOIN film.film.director m.1))",
            "(AND film.film (JOIN (R film.director.film) m.1))",
            true,
        ),
        (
            "(AND film.film (JOIN film.film.director m.1))",
            "(AND film.film (JOIN (R film.film.director) m.1))",
            false,
        ),
        (
            "(AND film.film (JOIN film.film.sequel m.1))",
            "(AND film.film (JOIN (R film.film.prequel) m.1))",
            true,
        ),
        (
            "(AND film.film (JOIN film.film.sequel m.1))",
            "(AND film.film (JOIN film.film.prequel m.1))",
            false,
        ),
        // An inverse that has no domain and range still is an edge.
        ("(JOIN award.honor.work m.1)", "(JOIN (R no.such.relation) m.1)", false),
        ("(JOIN award.honor.work m.1)", "(JOIN (R (R award.honor.work)) m.1)", true),
    ]);
}

#[test]
fn joining() {
    let two = "(AND film.film (AND (JOIN film.film.director m.1) (JOIN film.film.sequel m.2)))";
    check(&[
        (two, "(AND film.film (AND (JOIN film.film.sequel m.2) (JOIN film.film.director m.1)))", true),
        (two, "(AND (AND film.film (JOIN film.film.director m.1)) (JOIN film.film.sequel m.2))", true),
        (two, "(AND film.film (AND (JOIN film.film.director m.2) (JOIN film.film.sequel m.1)))", false),
        (two, "(AND film.film (JOIN film.film.sequel (AND m.2 (JOIN film.film.director m.1))))", false),
        // The same entity twice is two nodes.
        (
            "(AND film.film (AND (JOIN film.film.sequel m.1) (JOIN film.film.sequel m.1)))",
            "(AND film.film (JOIN film.film.sequel m.1))",
            false,
        ),
        // Like nodes in a row: the path and the star have the same nodes and relations.
        (
            "(JOIN film.film.sequel (JOIN film.film.sequel (JOIN film.film.sequel film.film)))",
            "(AND (JOIN film.film.sequel film.film) (AND (JOIN film.film.sequel film.film) (JOIN film.film.sequel film.film)))",
            false,
        ),
        (
            "(JOIN film.film.sequel (JOIN film.film.sequel (JOIN film.film.sequel film.film)))",
            "(JOIN (R film.film.sequel) (JOIN (R film.film.sequel) (JOIN (R film.film.sequel) film.film)))",
            true,
        ),
    ]);
}

#[test]
fn classes() {
    check(&[
        ("(AND film.film (JOIN film.film.sequel m.1))", "(JOIN film.film.sequel m.1)", true),
        ("(AND common.topic (JOIN film.film.sequel m.1))", "(JOIN film.film.sequel m.1)", false),
        // The first argument of AND says the class.
        (
            "(AND common.topic (JOIN film.film.sequel m.1))",
            "(AND (JOIN film.film.sequel m.1) common.topic)",
            false,
        ),
        // A class that only the relations know is an entity, and loses against the class of the relation if first.
        ("(AND award.honor (JOIN award.honor.winner m.1))", "(JOIN award.honor.winner m.1)", true),
        ("(AND (JOIN award.honor.winner m.1) award.honor)", "(JOIN award.honor.winner m.1)", false),
        // A direct superclass gives way to the relation's class, one two steps up does not.
        ("(JOIN film.film.director people.person)", "(JOIN film.film.director film.director)", true),
        ("(JOIN film.film.director common.topic)", "(JOIN film.film.director film.director)", false),
        ("(JOIN people.person.spouse film.director)", "(JOIN people.person.spouse people.person)", false),
        // A literal is one whatever its name, and a class before it is a relation.
        ("1^^film.film", "1^^film.film", true),
        ("(JOIN film.film.date 1^^film.film)", "(JOIN film.film.date 2^^film.film)", false),
    ]);
    let ontology = Ontology::from_parts([("a", "a.b", "c")], [("a.b", "a")], []);
    let mut matcher = OfficialMatcher::new(&ontology);
    assert!(matcher.equal("(JOIN a.b m.1)", "m.1"), "a class and relation is a class, and has no edge");
}

#[test]
fn unknown_relations_vanish() {
    check(&[
        ("(AND film.film (JOIN no.such.relation m.1))", "(AND film.film (JOIN other.relation m.1))", true),
        ("(AND film.film (JOIN no.such.relation m.1))", "m.1", true),
        ("(JOIN no.such.relation m.1)", "(JOIN film.film.sequel m.1)", false),
    ]);
    let empty = Ontology::default();
    let mut matcher = OfficialMatcher::new(&empty);
    assert!(matcher.equal("(AND a (JOIN b c))", "(JOIN x c)"));
    assert!(!matcher.equal("(AND a (JOIN b c))", "(JOIN x d)"));
}

#[test]
fn functions() {
    let count = "(COUNT (AND film.film (JOIN film.film.sequel m.1)))";
    let longest = "(ARGMAX film.film film.film.length)";
    check(&[
        (count, "(COUNT (JOIN (R film.film.prequel) m.1))", true),
        (count, "(AND film.film (JOIN film.film.sequel m.1))", false),
        (longest, longest, true),
        (longest, "(ARGMIN film.film film.film.length)", false),
        (longest, "(ArgMAX film.film film.film.length)", false),
        (longest, "(ARGmax film.film film.film.length)", true),
        (longest, "(ARGMAX film.film film.film.date)", false),
        (
            "(ARGMAX film.film (JOIN film.film.sequel film.film.length))",
            "(ARGMAX film.film (JOIN (R film.film.prequel) film.film.length))",
            true,
        ),
        ("(AND film.film (lt film.film.length 9^^f))", "(AND film.film (lt film.film.length 9^^f))", true),
        ("(AND film.film (lt film.film.length 9^^f))", "(AND film.film (le film.film.length 9^^f))", false),
        ("(AND film.film (lt film.film.length 9^^f))", "(AND film.film (gt film.film.length 9^^f))", false),
        ("(AND film.film (lt film.film.length 9^^f))", "(AND film.film (JOIN film.film.length 9^^f))", false),
        // The function of a comparison goes to the first node, not to the answer of the argument.
        (
            "(ge film.film.sequel (JOIN film.film.sequel m.1))",
            "(JOIN film.film.sequel (ge film.film.sequel m.1))",
            true,
        ),
    ]);
}

#[test]
fn time_constraints() {
    let now = "(TC (JOIN people.person.spouse m.1) people.marriage.from NOW)";
    check(&[
        (now, now, true),
        (now, "(TC (JOIN (R people.person.spouse) m.1) people.marriage.from NOW)", false),
        (now, "(TC (JOIN people.person.spouse m.1) people.marriage.from 1999)", false),
        (now, "(TC (JOIN people.person.spouse m.1) people.marriage.to NOW)", false),
        (now, "(JOIN people.person.spouse m.1)", false),
        ("(TC m.1 (a (b) c) NOW)", "(TC m.1 (a (b) c ) NOW)", true),
        ("(TC m.1 (a (b) c) NOW)", "(TC m.1 (a (b c)) NOW)", false),
    ]);
}

#[test]
fn odd_texts() {
    let form = "(AND film.film (JOIN film.film.sequel m.1))";
    check(&[
        (form, "( AND film.film\t( JOIN film.film.sequel  m.1 ) )", true),
        (form, "(AND film.film (JOIN film.film.sequel m.1)) and so on", true),
        (form, "(AND film.film (JOIN film.film.sequel m.1 m.2 (FOO)) COUNT)", true),
        (form, "(A)ND film.film (JOIN film.film.sequel m).1))", true),
        (form, "((AND film.film (JOIN film.film.sequel m.1))", true),
        (form, "(AND film.film (JOIN film.film.sequel m.1)", false),
        (form, "(AND film.film (JOIN film.film.sequel m.1)))", false),
        (form, "((AND film.film (JOIN film.film.sequel m.1)))", false),
        (form, "(AND film.film(JOIN film.film.sequel m.1))", false),
        (form, "(AND\u{a0}film.film\u{2003}(JOIN film.film.sequel\x1cm.1))", true),
        (form, "(AND film.film (JOIN film.film.sequel m.1é))", false),
        // Not readable, so not even equal to themselves.
        ("", "", false),
        ("()", "()", false),
        ("( )", "( )", false),
        ("(", "(", false),
        (")", ")", false),
        ("(FOO a b)", "(FOO a b)", false),
        ("(AND film.film)", "(AND film.film)", false),
        ("(R)", "(R)", false),
        ("(TC a b)", "(TC a b)", false),
        ("(JOIN @@UNKNOWN@@ m.1)", "(JOIN @@UNKNOWN@@ m.1)", false),
        ("m.1", "m.1", true),
    ]);
    let ontology = ontology();
    let mut legacy = OfficialMatcher::new(&ontology).legacy(true);
    assert!(legacy.equal(form, form));
    assert!(!legacy.equal(form, "( AND film.film (JOIN film.film.sequel m.1))"));
    assert!(!legacy.equal(form, "(AND film.film (JOIN film.film.sequel m.1) )"));
}

#[test]
fn legacy_forgets_functions() {
    let ontology = ontology();
    let mut matcher = OfficialMatcher::new(&ontology);
    let mut legacy = OfficialMatcher::new(&ontology).legacy(true);
    // Verdicts of the official evaluator with networkx 3.6.1: by default, in legacy mode.
    let counted = "(COUNT (JOIN (R film.film.sequel) film.film))";
    let cases = [
        ("(JOIN film.film.prequel film.film)", "(COUNT (JOIN film.film.sequel film.film))", false, true),
        ("(COUNT (JOIN film.film.sequel film.film))", "(JOIN film.film.prequel film.film)", false, true),
        ("(JOIN film.film.prequel film.film)", "(JOIN film.film.sequel (TC film.film r NOW))", false, true),
        (
            "(COUNT (JOIN film.film.sequel film.film))",
            "(JOIN film.film.prequel (COUNT film.film))",
            true,
            false,
        ),
        // Not even equal to itself.
        (counted, counted, true, false),
        // The search depends on the direction in which the relation is written.
        (
            "(COUNT (JOIN film.film.sequel film.film))",
            "(COUNT (JOIN film.film.sequel film.film))",
            true,
            true,
        ),
        ("(COUNT (JOIN film.film.sequel m.1))", "(JOIN film.film.sequel m.1)", false, false),
    ];
    for (gold, predicted, equal, equal_in_legacy) in cases {
        assert_eq!(matcher.equal(gold, predicted), equal, "{gold} / {predicted}");
        assert_eq!(legacy.equal(gold, predicted), equal_in_legacy, "legacy: {gold} / {predicted}");
        let why = legacy.explain(gold, predicted).why.unwrap_or_default();
        assert_eq!(why.contains("by a mistake"), equal != equal_in_legacy, "{why}");
    }
}

#[test]
fn reasons() {
    let ontology = ontology();
    let mut matcher = OfficialMatcher::new(&ontology);
    for (gold, predicted, why) in [
        (
            "(COUNT m.1)",
            "(COUMT m.1)",
            "predicted: line 1, column 2: unknown operator `COUMT` in `(COUMT m.1)`; did you mean `COUNT`?",
        ),
        ("(COUNT m.1)", "(AND m.1)", "predicted: line 1, column 2: `AND` needs 2 arguments in `(AND m.1)`"),
        ("(R)", "m.1", "gold: line 1, column 2: `R` needs 1 argument in `(R)`"),
        ("m.1", "m.1)", "predicted: line 1, column 4: one `)` too many in `m.1)`"),
        ("m.1", "(AND m.1 m.2", "predicted: a `)` is missing; entity AND instead of m.1"),
        (
            "m.1",
            "@@UNKNOWN@@",
            "predicted: line 1, column 1: the text contains `@@UNKNOWN@@`, which never matches in `@@UNKNOWN@@`",
        ),
        ("(JOIN film.film.sequel m.2)", "(JOIN film.film.sequel m.1)", "entity m.1 instead of m.2"),
        (
            "(JOIN film.film.date m.1)",
            "(JOIN film.film.sequel m.1)",
            "relation film.film.sequel instead of film.film.date",
        ),
        ("(COUNT film.film)", "film.film", "function count is missing"),
        ("film.film", "(COUNT film.film)", "function count is unexpected"),
        ("film.film", "people.person", "class people.person instead of film.film"),
        (
            "(JOIN film.film.sequel m.2)",
            "(JOIN film.film.sequal m.2)",
            "predicted: film.film.sequal is not a relation of the ontology and does not count; relation film.film.sequel is missing",
        ),
        (
            "(AND film.film (JOIN film.film.sequel m.1))",
            "(AND film.film (JOIN (R film.film.sequel) m.1))",
            "relation film.film.sequel points the other way",
        ),
        (
            "(JOIN film.film.sequel (COUNT (JOIN film.film.date 1^^t)))",
            "(COUNT (JOIN film.film.sequel (JOIN film.film.date 1^^t)))",
            "the functions or time constraints are on other nodes",
        ),
        (
            "(JOIN film.film.sequel (AND (JOIN film.film.sequel film.film) (JOIN film.film.sequel m.1)))",
            "(JOIN film.film.sequel (JOIN film.film.sequel (AND film.film (JOIN film.film.sequel m.1))))",
            "same nodes and relations, joined differently",
        ),
    ] {
        let verdict = matcher.explain(gold, predicted);
        assert_eq!(verdict.why.as_deref(), Some(why), "{gold} / {predicted}");
        assert!(!verdict.equal);
    }
    assert_eq!(matcher.explain("m.1", "m.1").why, None);
}

/// Random trees of nodes that all look alike, written in two ways. Forms of 2,000 nodes are far beyond what a search
/// could compare.
#[test]
fn large_forms() {
    let ontology = ontology();
    let mut state = 1_u64;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for n_nodes in [2, 3, 5, 16, 17, 64, 65, 2000] {
        let mut forms = vec![("film.film".to_owned(), "film.film".to_owned()); n_nodes];
        while forms.len() > 1 {
            let at = random(forms.len());
            let (below, same_below) = forms.swap_remove(at);
            let at = random(forms.len());
            let (form, same) = &mut forms[at];
            *form = format!("(AND {form} (JOIN film.film.sequel {below}))");
            *same = format!("(AND (JOIN (R film.film.prequel) {same_below}) {same})");
        }
        let (form, same) = &forms[0];
        for legacy in [false, true] {
            let mut matcher = OfficialMatcher::new(&ontology).legacy(legacy);
            assert!(matcher.equal(form, same), "{form} / {same}");
            assert!(!matcher.equal(form, &format!("(JOIN film.film.sequel {same})")));
        }
        let mut matcher = OfficialMatcher::new(&ontology);
        assert!(!matcher.equal(form, &format!("(COUNT {same})")));
        assert!(matcher.equal(&format!("(COUNT {form})"), &format!("(COUNT {same})")));
    }
}
