#![allow(clippy::unwrap_used)]
use crate::equal::{NotComparable, compare_forms};
use crate::{Knowledge, Language, ReadForm};

const PREFIXES: &str = "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX : <urn:> \
    PREFIX wd: <http://www.wikidata.org/entity/> PREFIX wdt: <http://www.wikidata.org/prop/direct/> \
    PREFIX p: <http://www.wikidata.org/prop/> PREFIX ps: <http://www.wikidata.org/prop/statement/> \
    PREFIX pq: <http://www.wikidata.org/prop/qualifier/> PREFIX wikibase: <http://wikiba.se/ontology#> \
    PREFIX bd: <http://www.bigdata.com/rdf#> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ";

fn read(text: &str) -> ReadForm {
    let form = ReadForm::read(Language::Sparql, &format!("{PREFIXES}{text}"), &Knowledge::of_spelling());
    assert!(form.sparql().is_some(), "{text}: {:?}", form.error());
    form
}

fn same(one: &str, other: &str) -> bool {
    let (one, other) = (read(one), read(other));
    let verdict = compare_forms(&one, &other, &()).unwrap();
    assert_eq!(verdict.equal, compare_forms(&other, &one, &()).unwrap().equal);
    assert_eq!(verdict.equal, verdict.why.is_none());
    verdict.equal
}

#[test]
fn decoration_does_not_change_what_is_asked() {
    let gold = "SELECT DISTINCT ?x WHERE { wd:Q30 wdt:P122 ?x }";
    for written in [
        "SELECT ?g ?gLabel { wd:Q30 wdt:P122 ?g OPTIONAL { ?g rdfs:label ?gLabel FILTER(LANG(?gLabel) = 'en') } }",
        "SELECT ?g ?gLabel { wd:Q30 wdt:P122 ?g . ?g rdfs:label ?gLabel . FILTER(LANG(?gLabel) = 'en') }",
        "SELECT ?g { wd:Q30 wdt:P122 ?g . ?g rdfs:label ?gLabel . FILTER(LANGMATCHES(LANG(?gLabel), 'en')) }",
        "SELECT ?g ?gLabel { wd:Q30 wdt:P122 ?g SERVICE wikibase:label { bd:serviceParam wikibase:language 'en' } }",
        "SELECT ?g (SAMPLE(?l) AS ?name) { wd:Q30 wdt:P122 ?g . ?g rdfs:label ?l } GROUP BY ?g",
        "SELECT ?g ?l { wd:Q30 wdt:P122 ?g . OPTIONAL { ?g rdfs:label ?l } } GROUP BY ?g ?l ORDER BY ?l",
        "SELECT ?c ?g { BIND(wd:Q30 AS ?c) ?c wdt:P122 ?g }",
        "SELECT ?g ?c { VALUES ?c { wd:Q30 } ?c wdt:P122 ?g }",
        "SELECT ?g { ?c wdt:P122 ?g FILTER(?c = wd:Q30) }",
        "SELECT ?g { wd:Q30 p:P122 ?s . ?s ps:P122 ?g }",
        "SELECT ?g { wd:Q30 p:P122/ps:P122 ?g }",
        "SELECT ?y { wd:Q30 wdt:P122 ?g BIND(?g AS ?y) }",
        "SELECT ?g { ?g ^wdt:P122 wd:Q30 OPTIONAL { ?g wdt:P1 ?unused } }",
        "SELECT ?g { { SELECT ?g { wd:Q30 wdt:P122 ?g } } }",
    ] {
        assert!(same(gold, written), "{written}");
    }
}

#[test]
fn what_cannot_be_parsed_is_the_problem() {
    let outside = read("SELECT ?x ?y { ?x :p ?y }");
    let broken = ReadForm::read(Language::Sparql, "SELECT (3 AS", &Knowledge::of_spelling());
    let problem = |gold, predicted| compare_forms(gold, predicted, &()).unwrap_err();
    assert!(matches!(problem(&outside, &broken), NotComparable::Predicted(_)));
    assert!(matches!(problem(&broken, &outside), NotComparable::Gold(_)));
    assert!(matches!(problem(&broken, &broken), NotComparable::Gold(_)));
    // Of one column, so it may be the same; several columns are something else.
    let one_column = read("SELECT ?x { ?x :p+ ?y }");
    let sexpr = ReadForm::read(Language::Sexpr, "(JOIN a.b m.1)", &Knowledge::of_spelling());
    assert!(matches!(problem(&one_column, &sexpr), NotComparable::Gold(_)));
    assert!(matches!(problem(&sexpr, &one_column), NotComparable::Predicted(_)));
    assert!(!compare_forms(&sexpr, &outside, &()).unwrap().equal);
}

#[test]
fn classes_of_wikidata_are_known() {
    let form = read("SELECT DISTINCT ?x { ?x wdt:P31 wd:Q5 ; wdt:P26 wd:Q2 }");
    assert!(form.query().is_some(), "{:?}", form.error());
    assert_eq!(form.graph().unwrap().shape().code, "T1:(())");
}

#[test]
fn labels_inside_optional_parts_are_decoration() {
    let gold = "SELECT ?x ?g { ?x wdt:P1 wd:Q1 OPTIONAL { ?x wdt:P2 ?g } }";
    let labelled = "SELECT ?x ?g ?gLabel { ?x wdt:P1 wd:Q1 OPTIONAL { ?x wdt:P2 ?g OPTIONAL { ?g rdfs:label ?gLabel } } }";
    assert!(same(gold, labelled));
    assert!(!same(
        gold,
        "SELECT ?x ?g { ?x wdt:P1 wd:Q1 OPTIONAL { ?x wdt:P2 ?g OPTIONAL { ?g wdt:P3 ?h } } ?y wdt:P4 ?h }"
    ));
}

#[test]
fn direct_triples_that_statements_repeat_go() {
    let gold = "SELECT (COUNT(DISTINCT ?t) AS ?n) { wd:Q1 p:P166 ?s . ?s ps:P166 wd:Q2 ; pq:P585 ?t }";
    let repeated =
        "SELECT (COUNT(DISTINCT ?t) AS ?n) { wd:Q1 wdt:P166 wd:Q2 ; p:P166 [ ps:P166 wd:Q2 ; pq:P585 ?t ] }";
    assert!(same(gold, repeated));
    let another =
        "SELECT (COUNT(DISTINCT ?t) AS ?n) { wd:Q1 wdt:P166 wd:Q3 ; p:P166 [ ps:P166 wd:Q2 ; pq:P585 ?t ] }";
    assert!(!same(gold, another));
}

#[test]
fn differences_are_shown_as_written() {
    let why = |one: &str, other: &str| compare_forms(&read(one), &read(other), &()).unwrap().why.unwrap();
    let gold = "SELECT ?x ?y { ?x :p ?y ; :year '2016'^^xsd:gYear }";
    assert_eq!(why(gold, "SELECT ?x ?y { ?x :p ?y }"), "only gold has `? urn:year 2016`");
    let statement = "SELECT ?x ?t { wd:Q1 p:P1 ?s . ?s ps:P1 ?x ; pq:P2 ?t }";
    assert_eq!(
        why(statement, "SELECT ?x ?t { wd:Q1 wdt:P1 ?x . ?x wdt:P2 ?t }"),
        "only gold has `? pq:P2 ?`"
    );
}

#[test]
fn different_questions_stay_different() {
    let gold = "SELECT DISTINCT ?x WHERE { wd:Q30 wdt:P122 ?x }";
    for written in [
        "SELECT ?xLabel { wd:Q30 wdt:P122 ?x . ?x rdfs:label ?xLabel }",
        "SELECT ?x ?y { wd:Q30 wdt:P122 ?x . ?x wdt:P1 ?y }",
        "SELECT ?x { wd:Q30 wdt:P122 ?x . ?x rdfs:label ?l FILTER(CONTAINS(?l, 'republic')) }",
        "SELECT ?x { wd:Q30 wdt:P122 ?x . ?x rdfs:label 'republic'@en }",
        "SELECT ?x { wd:Q30 wdt:P122 ?x OPTIONAL { ?x wdt:P1 ?y } FILTER(!BOUND(?y)) }",
        "SELECT ?x { wd:Q30 p:P122 ?s . ?s ps:P122 ?x ; pq:P580 ?when }",
        "SELECT ?x { wd:Q30 wdt:P122* ?x }",
        "SELECT ?x { wd:Q30 wdt:P122 ?x } LIMIT 1",
        "SELECT (COUNT(?x) AS ?n) { wd:Q30 wdt:P122 ?x }",
        "ASK { wd:Q30 wdt:P122 ?x }",
        "SELECT ?x { wd:Q31 wdt:P122 ?x }",
        "SELECT ?x { wd:Q30 wdt:P122 ?x MINUS { ?x wdt:P1 ?y } }",
    ] {
        assert!(!same(gold, written), "{written}");
    }
}

#[test]
fn equivalent_spellings_outside_the_algebra_are_equal() {
    for (one, other) in [
        (
            "SELECT ?x { ?p :a ?x } GROUP BY ?x ORDER BY DESC(COUNT(?p)) LIMIT 1",
            "SELECT ?c { SELECT ?c (COUNT(?q) AS ?n) { ?q :a ?c } GROUP BY ?c ORDER BY DESC(?n) LIMIT 1 }",
        ),
        ("SELECT ?x ?y { ?x :a ?y . ?y :b ?z }", "SELECT ?v ?u { ?u :a/:b ?w . ?u :a ?v . ?v :b ?w2 }"),
        ("SELECT ?x { ?x :a|:b ?y }", "SELECT ?x { { ?x :b ?z } UNION { ?x :a ?z } }"),
        (
            "SELECT ?x { ?x :a ?y MINUS { ?x :b :c } }",
            "SELECT ?x { ?x :a ?y FILTER NOT EXISTS { ?x :b :c } }",
        ),
        ("SELECT ?x ?y { ?x :a ?y }", "SELECT ?y ?x { ?x :a ?y }"),
        (
            "SELECT ?x ?y ?z { ?x :a ?w OPTIONAL { ?x :b ?y } OPTIONAL { ?x :c ?z } }",
            "SELECT ?x ?y ?z { ?x :a ?w OPTIONAL { ?x :c ?z } OPTIONAL { ?x :b ?y } }",
        ),
        (
            "SELECT ?x { ?x :a ?d FILTER(YEAR(?d) > 1990) } ORDER BY ?d LIMIT 3",
            "SELECT ?b { FILTER(1990 < YEAR(?e)) ?b :a ?e } ORDER BY ASC(xsd:dateTime(?e)) LIMIT 3",
        ),
        ("SELECT (COUNT(DISTINCT ?x) AS ?n) { :k :a ?x }", "SELECT (COUNT(?y) AS ?m) { :k :a ?y }"),
    ] {
        // A path that repeats a triple is the same only if the repetition is one.
        let expected = !one.contains("?y . ?y :b ?z");
        assert_eq!(same(one, other), expected, "{one}\n{other}");
    }
}

#[test]
fn what_depends_on_order_is_not_reordered() {
    for (one, other) in [
        // The second optional part uses what the first one binds.
        (
            "SELECT ?x ?y ?z { ?x :a ?w OPTIONAL { ?x :b ?y } OPTIONAL { ?x :c ?y ; :d ?z } }",
            "SELECT ?x ?y ?z { ?x :a ?w OPTIONAL { ?x :c ?y ; :d ?z } OPTIONAL { ?x :b ?y } }",
        ),
        // A triple after an optional part joins with it.
        (
            "SELECT ?x ?y { ?x :a ?w OPTIONAL { ?x :b ?y } ?y :c ?x }",
            "SELECT ?x ?y { ?x :a ?w . ?y :c ?x OPTIONAL { ?x :b ?y } }",
        ),
        // A filter in a nested group does not see the variable outside.
        (
            "SELECT ?x { ?x :a ?w { ?x :b ?v FILTER(?w > ?v) } }",
            "SELECT ?x { ?x :a ?w . ?x :b ?v FILTER(?w > ?v) }",
        ),
        ("SELECT (COUNT(?x) AS ?n) { ?x :a ?y }", "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :a ?y }"),
    ] {
        assert!(!same(one, other), "{one}\n{other}");
    }
}

#[test]
fn every_query_has_a_graph() {
    for (text, code) in [
        ("SELECT ?x ?y { ?x :a ?y . ?y :b :c }", "T1:((()))"),
        ("SELECT ?x { :k :a* ?x }", "T1:(())"),
        ("SELECT ?x { ?x :a :b OPTIONAL { ?x :c ?y } } GROUP BY ?x HAVING(COUNT(?y) > 2)", "T0:((){})"),
        ("SELECT ?x { ?p :a ?x } GROUP BY ?x ORDER BY DESC(COUNT(?p)) LIMIT 1", "T0:({})"),
    ] {
        let graph = read(text).graph().unwrap();
        assert_eq!(
            graph.shape().code.split(':').nth(1),
            code.split(':').nth(1),
            "{text}: {}",
            graph.shape().code
        );
    }
}

#[test]
fn equal_variables_are_one() {
    let joined = "SELECT ?x { ?x :p ?y . ?y :q :a }";
    assert!(same(joined, "SELECT ?x { ?x :p ?y . ?z :q :a FILTER(?y = ?z) }"));
    assert!(same(joined, "SELECT ?x { ?x :p ?y . ?z :q :a FILTER(sameTerm(?z, ?y)) }"));
    assert!(same(
        "SELECT ?x { ?x :p ?y . :a :q ?y }",
        "SELECT ?x { ?x :p ?y . :a :q ?z FILTER(sameTerm(?z, ?y)) }"
    ));
    // 1 and 1.0 are equal, and not the same term.
    assert!(!same("SELECT ?x { ?x :p ?y . :a :q ?y }", "SELECT ?x { ?x :p ?y . :a :q ?z FILTER(?z = ?y) }"));
    assert!(!same(joined, "SELECT ?x { ?x :p ?y . ?z :q :a FILTER(?y != ?z) }"));
    assert!(!same(joined, "SELECT ?x { ?x :p ?y . OPTIONAL { ?z :q :a } FILTER(?y = ?z) }"));
}

#[test]
fn searches_of_texts_are_the_same_in_every_spelling() {
    let searched = |condition: &str| format!("SELECT ?x {{ ?x :p ?y . ?x :note ?l FILTER({condition}) }}");
    let same = |one: &str, other: &str| same(&searched(one), &searched(other));
    assert!(same("REGEX(?l, 'film', 'i')", "CONTAINS(LCASE(?l), 'film')"));
    assert!(same("REGEX(?l, 'Film', 'i')", "CONTAINS(UCASE(?l), 'FILM')"));
    assert!(same("REGEX(LCASE(?l), 'film', 'i')", "CONTAINS(LCASE(?l), 'film')"));
    assert!(same("REGEX(?l, 'film')", "CONTAINS(?l, 'film')"));
    assert!(same("REGEX(STR(?l), '^Film')", "STRSTARTS(STR(?l), 'Film')"));
    assert!(same("REGEX(?l, 'film$', '')", "STRENDS(?l, 'film')"));
    assert!(!same("REGEX(?l, 'film', 'i')", "CONTAINS(?l, 'film')"));
    assert!(!same("REGEX(?l, 'f.lm')", "CONTAINS(?l, 'f.lm')"));
    assert!(!same("CONTAINS(UCASE(?l), 'film')", "CONTAINS(LCASE(?l), 'film')"));
    assert!(!same("REGEX(?l, '^film')", "CONTAINS(?l, 'film')"));
}

#[test]
fn comparisons_of_two_names_are_decided() {
    let gold = "ASK { wd:Q1 wdt:P50 ?x . wd:Q2 wdt:P50 ?x }";
    assert!(same(gold, "ASK { wd:Q1 wdt:P50 ?x . wd:Q2 wdt:P50 ?x FILTER(wd:Q1 != wd:Q2) }"));
    assert!(same(
        gold,
        "ASK { VALUES ?a { wd:Q1 } VALUES ?b { wd:Q2 } ?a wdt:P50 ?x . ?b wdt:P50 ?x FILTER(?a != ?b) }"
    ));
    assert!(!same(gold, "ASK { wd:Q1 wdt:P50 ?x . wd:Q2 wdt:P50 ?x FILTER(wd:Q1 = wd:Q2) }"));
}

#[test]
fn names_that_are_asked_for_have_a_language() {
    let in_language = |columns: &str, language: &str| {
        format!(
            "SELECT {columns} {{ wd:Q1 wdt:P1 ?x . ?x wdt:P2 ?y ; rdfs:label ?l FILTER(LANG(?l) = '{language}') }}"
        )
    };
    // The name is the answer, or stands for the thing beside another column.
    for columns in ["?l", "?y ?l"] {
        assert!(!same(&in_language(columns, "en"), &in_language(columns, "de")), "{columns}");
        assert!(same(&in_language(columns, "en"), &in_language(columns, "en")), "{columns}");
    }
    // Beside the thing, it is decoration in any language.
    assert!(same(&in_language("?x ?y ?l", "en"), &in_language("?x ?y ?l", "de")));
    assert!(same(&in_language("?y ?l", "en"), "SELECT ?x ?y { wd:Q1 wdt:P1 ?x . ?x wdt:P2 ?y }"));
    let counted = |language: &str| {
        format!(
            "SELECT ?l (COUNT(?y) AS ?n) {{ ?y wdt:P1 ?x . ?x rdfs:label ?l FILTER(LANG(?l) = '{language}') }} GROUP BY ?l"
        )
    };
    assert!(!same(&counted("en"), &counted("de")));
    let by_service = |columns: &str, language: &str| {
        format!(
            "SELECT {columns} {{ wd:Q1 wdt:P1 ?x . ?x wdt:P2 ?y \
             SERVICE wikibase:label {{ bd:serviceParam wikibase:language '{language}' }} }}"
        )
    };
    assert!(!same(&by_service("?xLabel", "en"), &by_service("?xLabel", "de")));
    assert!(!same(&by_service("?y ?xLabel", "en"), &by_service("?y ?xLabel", "de,en")));
    assert!(same(&by_service("?y ?xLabel", "en"), &by_service("?y ?xLabel", "[AUTO_LANGUAGE],en")));
    assert!(same(&by_service("?y ?xLabel", "en"), &in_language("?y ?l", "en")));
}

#[test]
fn several_labels_may_share_a_language() {
    let gold = "SELECT ?x { wd:Q1 wdt:P1 ?x }";
    let described = "?x rdfs:label ?l . ?x <http://schema.org/description> ?d";
    for conditions in [
        "FILTER(LANG(?l) = 'en' && LANG(?d) = LANG(?l))",
        "FILTER(LANGMATCHES(LANG(?l), 'en')) FILTER(LCASE(LANG(?d)) = 'en')",
        "FILTER(LANG(?l) IN ('en', 'de')) FILTER(LANGMATCHES(LANG(?d), 'en'))",
    ] {
        let written = format!("SELECT ?x ?l ?d {{ wd:Q1 wdt:P1 ?x . {described} {conditions} }}");
        assert!(same(gold, &written), "{written}");
    }
}

#[test]
fn statements_that_a_union_shares_stay() {
    assert!(!same(
        "SELECT ?x { { ?x p:P1 ?s . ?s ps:P1 ?y } UNION { ?x :q ?s } ?s pq:P2 ?t }",
        "SELECT ?x { { ?x wdt:P1 ?y } UNION { ?x :q ?s } ?s pq:P2 ?t }"
    ));
}

#[test]
fn casts_stay_where_they_change_something() {
    let searched =
        |condition: &str| format!("SELECT ?x ?y {{ ?x :p ?y ; :date ?d ; :size ?n FILTER({condition}) }}");
    let same = |one: &str, other: &str| same(&searched(one), &searched(other));
    assert!(same("xsd:integer(YEAR(?d)) > 1990", "YEAR(?d) > xsd:integer('1990')"));
    assert!(same("?d > xsd:date('1990-01-02')", "?d > '1990-01-02'^^xsd:date"));
    assert!(same("xsd:decimal(STRLEN(?n)) > 2", "STRLEN(?n) > 2"));
    for cast in ["integer", "decimal", "double"] {
        assert!(!same(&format!("xsd:{cast}(?n) > 3"), "?n > 3"), "{cast}");
    }
    assert!(!same("?d > xsd:date('1990-02-31')", "?d > '1990-02-31'^^xsd:date"));
    assert!(!same("?n > xsd:integer('x')", "?n > 3"));
}

#[test]
fn casts_of_values_are_compared_in_the_algebra_too() {
    let with = |operand: &str| format!("SELECT DISTINCT ?x {{ ?x a :C ; :size ?n FILTER({operand} > 3) }}");
    assert!(read(&with("?n")).query().is_some() && read(&with("xsd:integer(?n)")).query().is_some());
    assert!(!same(&with("?n"), &with("xsd:integer(?n)")));
    assert!(same(&with("xsd:integer(?n)"), &with("xsd:integer(?n)")));
}
