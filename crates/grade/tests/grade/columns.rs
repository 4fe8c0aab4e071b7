//! Answers of several columns, orders and limits, on World.

use super::{form, grader, quick};
use touchstone_benchmark::{Forms, Question};
use touchstone_engine::Words;
use touchstone_grade::Measure;
use touchstone_kb::{Kb, NoProgress};
use touchstone_logic::Language;

const PREFIXES: &str = "PREFIX w: <urn:touchstone:world:> PREFIX p: <urn:touchstone:world:property:> \
                        PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> ";

/// Grades SPARQL against gold SPARQL whose answers come from the KB.
struct Pairs {
    kb: Kb,
    question: Question,
}

impl Pairs {
    fn new() -> Pairs {
        let kb = touchstone_world::open(&NoProgress).unwrap();
        let mut question = quick(&kb, 30).questions.remove(0);
        (question.answers, question.answers_empty) = (Vec::new(), false);
        Pairs { kb, question }
    }

    /// Precision, recall, em_answer and f1_exec.
    fn scores(&self, gold: &str, predicted: &str) -> [f64; 4] {
        self.measures(
            gold,
            predicted,
            [Measure::Precision, Measure::Recall, Measure::EmAnswer, Measure::F1Exec],
        )
    }

    /// Whether both forms ask the same.
    fn canonical(&self, gold: &str, predicted: &str) -> f64 {
        let [same] = self.measures(gold, predicted, [Measure::EmCanonical]);
        same
    }

    fn measures<const N: usize>(&self, gold: &str, predicted: &str, measures: [Measure; N]) -> [f64; N] {
        let words = Words::new(&self.kb);
        let grader = grader(&self.kb, &words);
        let forms = Forms { sparql: Some(format!("{PREFIXES}{gold}")), ..Forms::default() };
        let question = Question { forms, ..self.question.clone() };
        let prediction = form(&format!("{PREFIXES}{predicted}"), Language::Sparql);
        let grade = grader.grade(&question, Some(&prediction));
        measures.map(|measure| grade.values.get(measure).unwrap_or(-1.0))
    }
}

#[test]
fn columns_are_compared_by_content() {
    let pairs = Pairs::new();
    let gold = "SELECT ?c ?t WHERE { ?c a w:country ; p:capital ?t ; p:continent <urn:touchstone:world:continent/EU> }";
    let body = "?x a w:country ; p:capital ?y ; p:continent <urn:touchstone:world:continent/EU>";
    for same in [
        format!("SELECT ?y ?x WHERE {{ {body} }}"),
        format!("SELECT ?x ?name ?y WHERE {{ {body} . ?x rdfs:label ?name }}"),
        format!(
            "SELECT ?x ?y ?yName WHERE {{ {body} OPTIONAL {{ ?y rdfs:label ?yName FILTER(LANG(?yName) = \"en\") }} }}"
        ),
    ] {
        assert_eq!(pairs.scores(gold, &same), [1.0; 4], "{same}");
    }
    // A column that is missing costs recall, one more costs precision.
    let [precision, recall, em, _] = pairs.scores(gold, &format!("SELECT ?x WHERE {{ {body} }}"));
    assert_eq!([precision, recall, em], [1.0, 0.5, 0.0]);
    let one = format!("SELECT ?x WHERE {{ {body} }}");
    let [precision, recall, em, _] = pairs.scores(&one, gold);
    assert_eq!([precision, recall, em], [0.5, 1.0, 0.0]);
    // Labels of gold do not count either.
    let labelled = format!("SELECT ?x ?name WHERE {{ {body} . ?x rdfs:label ?name }}");
    assert_eq!(pairs.scores(&labelled, &one), [1.0; 4]);
    assert_eq!(pairs.scores(&one, &labelled), [1.0; 4]);
}

#[test]
fn limits_may_choose_among_ties() {
    let pairs = Pairs::new();
    let gold = "SELECT ?c WHERE { ?c a w:continent } LIMIT 2";
    let others =
        |n: usize| format!("SELECT ?c WHERE {{ ?c a w:continent }} ORDER BY DESC(STR(?c)) LIMIT {n}");
    assert_eq!(pairs.scores(gold, &others(2)), [1.0; 4]);
    let [precision, recall, em, _] = pairs.scores(gold, &others(4));
    assert_eq!([precision, recall, em], [0.5, 1.0, 0.0]);
    assert_eq!(pairs.scores(gold, &others(1))[..3], [1.0, 0.5, 0.0]);
    assert_eq!(pairs.scores(gold, "SELECT ?c WHERE { ?c a w:country } LIMIT 2")[..3], [0.0, 0.0, 0.0]);
    // What comes before the ties is not a choice.
    let by_length = |order: &str, n: usize| {
        format!("SELECT DISTINCT ?c WHERE {{ ?c a w:continent }} ORDER BY {order} LIMIT {n}")
    };
    let gold = by_length("STRLEN(STR(?c))", 3);
    assert_eq!(pairs.scores(&gold, &by_length("DESC(STR(?c))", 3)), [1.0; 4], "all ids have the same length");
    let gold = by_length("STR(?c)", 3);
    assert_eq!(pairs.scores(&gold, &by_length("DESC(STR(?c))", 3))[2], 0.0);
}

#[test]
fn order_counts_where_gold_asks_for_it() {
    let pairs = Pairs::new();
    let select = |order: &str| format!("SELECT ?c WHERE {{ ?c a w:continent }} {order}");
    let em = |gold: &str, predicted: &str| pairs.scores(&select(gold), &select(predicted))[2];
    assert_eq!(em("ORDER BY ?c", "ORDER BY ?c"), 1.0);
    assert_eq!(em("ORDER BY ?c", "ORDER BY DESC(?c)"), 0.0);
    assert_eq!(em("", "ORDER BY DESC(?c)"), 1.0);
    assert_eq!(em("ORDER BY STRLEN(STR(?c))", "ORDER BY DESC(?c)"), 1.0, "ties may come in any order");
    assert_eq!(pairs.scores(&select("ORDER BY ?c"), &select("ORDER BY DESC(?c)"))[..2], [1.0, 1.0]);
}

#[test]
fn order_and_ties_do_not_depend_on_the_order_of_columns() {
    let pairs = Pairs::new();
    let body = "?x a w:country ; p:continent <urn:touchstone:world:continent/EU> ; p:population ?n";
    let select = |columns: &str, order: &str| format!("SELECT {columns} WHERE {{ {body} }} ORDER BY {order}");
    let gold = select("?x ?n", "DESC(?n)");
    for (columns, order, em) in
        [("?x ?n", "DESC(?n)", 1.0), ("?n ?x", "DESC(?n)", 1.0), ("?x ?n", "?n", 0.0), ("?n ?x", "?n", 0.0)]
    {
        assert_eq!(pairs.scores(&gold, &select(columns, order))[2], em, "{columns} {order}");
    }
    let ties = |columns: &str, order: &str, slice: &str| {
        format!("SELECT {columns} WHERE {{ ?x a w:country ; p:continent ?c }} ORDER BY {order} {slice}")
    };
    let last = "?c DESC(STR(?x))";
    for slice in ["LIMIT 3", "LIMIT 3 OFFSET 1"] {
        let gold = ties("?x ?c", "?c", slice);
        assert_eq!(pairs.scores(&gold, &ties("?x ?c", last, slice))[2], 1.0, "{slice}");
        assert_eq!(pairs.scores(&gold, &ties("?c ?x", last, slice))[2], 1.0, "{slice}");
        assert_eq!(pairs.scores(&gold, &ties("?c ?x", "DESC(?c) ?x", slice))[2], 0.0, "{slice}");
    }
}

#[test]
fn counts_of_rows_and_of_answers_differ() {
    let pairs = Pairs::new();
    let count =
        |what: &str| format!("SELECT (COUNT({what}) AS ?n) WHERE {{ ?x a w:country ; p:borders ?y }}");
    let (rows, answers) = (count("?x"), count("DISTINCT ?x"));
    assert_eq!(pairs.canonical(&answers, &answers), 1.0);
    assert_eq!(pairs.canonical(&answers, &rows), 0.0);
    assert_eq!(pairs.canonical(&rows, &answers), 0.0);
    let siblings = "<urn:touchstone:world:country/FR> p:continent ?y . ?x p:continent ?y";
    let others = format!("SELECT ?x WHERE {{ {siblings} FILTER(?x != <urn:touchstone:world:country/FR>) }}");
    assert_eq!(pairs.canonical(&others, &format!("SELECT ?x WHERE {{ {siblings} }}")), 0.0);
    assert_eq!(pairs.canonical(&others, &others.replace("?y", "?z")), 1.0);
}
