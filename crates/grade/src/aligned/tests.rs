use super::*;
use touchstone_logic::{Form, Spelling};

fn graph(text: &str) -> QueryGraph {
    QueryGraph::of(&Form::parse(text, &Spelling).expect("a form").to_query().expect("a query"))
}

fn f1(predicted: &str, gold: &str) -> f64 {
    aligned((&graph(predicted), &[]), (&graph(gold), &[]), None).f1()
}

#[test]
fn one_entity_may_have_two_ids() {
    struct Ids;
    impl Vocabulary for Ids {
        fn inverse(&self, _: &str) -> Option<&str> {
            None
        }
        fn same(&self, entity: &str) -> Option<&str> {
            (entity == "m.02").then_some("m.01")
        }
    }
    let (predicted, gold) = (graph("(AND t.a (JOIN t.a.r m.02))"), graph("(AND t.a (JOIN t.a.r m.01))"));
    let (predicted, gold) = ((&predicted, &[][..]), (&gold, &[][..]));
    assert!(aligned(predicted, gold, None).f1() < 1.0);
    assert_eq!(aligned(predicted, gold, Some(&Ids)).f1(), 1.0);
}

#[test]
fn patterns_without_a_graph() {
    let f1 = |predicted: &str, gold: &str| {
        let parse = |text: &str| touchstone_logic::sparql::parse(text).expect("SPARQL");
        let (predicted, gold) = (parse(predicted), parse(gold));
        let [predicted, gold] = [&predicted.query, &gold.query].map(|query| ParsedQuery {
            statements: Statements::of(query),
            structure: Structure::of(query).expect("a structure"),
            languages: &[],
        });
        aligned_patterns(&predicted, &gold).f1()
    };
    let gold = "SELECT ?x { ?x <urn:p>* ?y . ?y <urn:q> ?z OPTIONAL { ?z <urn:r> ?w } FILTER(?w > 3) }";
    let renamed = gold.replace('?', "?other_");
    assert_eq!(f1(&renamed, gold), 1.0);
    let reordered = "SELECT ?c { ?b <urn:q> ?a . ?c <urn:p>* ?b OPTIONAL { ?a <urn:r> ?e } FILTER(3 < ?e) }";
    assert_eq!(f1(reordered, gold), 1.0);
    assert_eq!(f1(&gold.replace("> 3", "> 4"), gold), 0.8);
    let required = gold.replace("OPTIONAL { ?z <urn:r> ?w }", ". ?z <urn:r> ?w .");
    assert!(f1(&required, gold) < 1.0 && f1(gold, &required) < 1.0, "an optional part that is required");
    let union = "SELECT ?x ?y { { ?x <urn:p> ?y } UNION { ?y <urn:q> ?x } }";
    assert_eq!(f1(&union.replace('?', "?other_"), union), 1.0);
    let joined = union.replace(" UNION ", " ");
    assert!(f1(&joined, union) < 1.0 && f1(union, &joined) < 1.0, "a union that is joined");
    assert!(f1(&gold.replace("SELECT ?x", "SELECT ?z"), gold) < 1.0, "another answer");
    assert_eq!(f1("SELECT ?x { ?x <urn:a>* <urn:b> }", gold), 0.0);
    let groups =
        "SELECT ?x ?y (COUNT(?z) AS ?n) { ?z <urn:p> ?x ; <urn:q> ?y } GROUP BY ?x ?y HAVING(COUNT(?z) > 1)";
    assert_eq!(f1(&groups.replace('?', "?other_"), groups), 1.0);
    assert_eq!(f1(&groups.replacen("?x ?y", "?y ?x", 1), groups), 1.0, "another order of columns");
    assert!(f1(&groups.replacen("?x ?y", "?x", 1), groups) < 1.0, "a column less");
    let pairs = "SELECT ?x ?y { ?x <urn:p> ?y . ?y <urn:q> ?z }";
    assert!(f1(&pairs.replace("?x ?y {", "?x ?z {"), pairs) < 1.0, "another column");
    let keys = groups.replacen("?x ?y", "?x", 1);
    assert!(f1(&keys.replace("BY ?x ?y", "BY ?x"), &keys) < 1.0, "a key less");
    assert!(f1(&keys.replace("BY ?x ?y", "BY ?x ?z"), &keys) < 1.0, "another key");
    assert!(f1(&groups.replace("COUNT(?z) AS", "COUNT(?y) AS"), groups) < 1.0, "another count");
    let other = "SELECT ?x ?y (COUNT(?z) AS ?n) { ?x <urn:c> ?y ; <urn:d> ?z } GROUP BY ?x ?y";
    assert!(f1(other, groups) < 0.2, "nothing but the count in common");
    assert_eq!(f1("SELECT ?x ?y { ?x <urn:c> ?y }", pairs), 0.0, "nothing but columns in common");
    // Many variables: not all alignments can be tried, and they need not be.
    let chain = |names: &mut dyn Iterator<Item = usize>| {
        let names: Vec<usize> = names.collect();
        let triples = names.windows(2).map(|pair| format!("?v{} <urn:p> ?v{} . ", pair[0], pair[1]));
        format!("SELECT ?v{} {{ {} }}", names[0], triples.collect::<String>())
    };
    assert_eq!(f1(&chain(&mut (0..14)), &chain(&mut (0..14).rev())), 1.0);
}

/// The best overlap of all alignments, by brute force.
fn overlap_by_trying(predicted: &GraphStatements<'_>, gold: &GraphStatements<'_>) -> usize {
    fn place(
        predicted: &GraphStatements<'_>,
        gold: &GraphStatements<'_>,
        map: &mut Vec<Option<usize>>,
    ) -> usize {
        let n = predicted.n_constants;
        if map.len() == predicted.n_variables {
            let made = |(label, ends): &&Statement<'_>| {
                let place = |&end: &usize| if end < n { Some(end) } else { map[end - n] };
                let Some(mut ends) = ends.iter().map(place).collect::<Option<Ends>>() else {
                    return false;
                };
                if matches!(label, Label::Condition(_)) {
                    ends.sort_unstable();
                }
                gold.all.contains(&(*label, ends))
            };
            return predicted.all.iter().filter(made).count();
        }
        let is_root = predicted.root == Some(n + map.len()) && gold.root.is_some();
        let free = (n..n + gold.n_variables).filter(|to| {
            !map.contains(&Some(*to))
                && if is_root {
                    gold.root == Some(*to)
                } else {
                    predicted.root.is_none() || gold.root != Some(*to)
                }
        });
        let free: Vec<usize> = free.collect();
        let mut best = 0;
        for to in free.into_iter().map(Some).chain((!is_root).then_some(None)) {
            map.push(to);
            best = best.max(place(predicted, gold, map));
            map.pop();
        }
        best
    }
    place(predicted, gold, &mut Vec::new())
}

#[test]
fn the_best_alignment_is_found() {
    let mut state = 1u64;
    let mut random = move |range: std::ops::Range<usize>| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        range.start + (state >> 33) as usize % range.len()
    };
    let mut n_partial = 0;
    for _ in 0..2_000 {
        let n_constants = random(0..3);
        let mut made = |n_variables: usize| {
            let n = n_constants + n_variables;
            let mut all: Vec<Statement<'static>> = Vec::new();
            for _ in 0..random(1..8) {
                let mut end = |from: usize| random(from..n);
                let (one, other, variable) = (end(0), end(0), end(n_constants));
                let relation = ["p", "q"][one % 2];
                all.push(match random(0..5) {
                    0 => (Label::Quality("c"), Ends::from_slice(&[variable])),
                    1 => {
                        let second = random(n_constants..n);
                        let mut ends = Ends::from_buf([variable, second]);
                        ends.sort_unstable();
                        ends.dedup();
                        (Label::Condition(7), ends)
                    }
                    _ => (Label::Relation(relation), Ends::from_buf([one, other])),
                });
            }
            all.sort_unstable();
            all.dedup();
            let root = (random(0..10) < 7).then_some(n_constants);
            GraphStatements { all, n_constants, n_variables, root }
        };
        let (predicted, gold) = (made(3), made(4));
        let best = best_overlap(&predicted, &gold);
        assert_eq!(best.common, overlap_by_trying(&predicted, &gold));
        n_partial += usize::from(best.common > 0 && best.common < best.predicted.min(best.gold));
    }
    assert!(n_partial > 500, "{n_partial}");
}

#[test]
fn variables_stand_for_variables() {
    let chain = "(AND t.a (JOIN t.a.r (AND t.b (JOIN t.b.s m.01))))";
    assert_eq!(f1(chain, chain), 1.0);
    // One relation of two is right, and both classes are.
    let other = "(AND t.a (JOIN t.a.r (AND t.b (JOIN t.b.q m.01))))";
    assert!(f1(other, chain) > 0.5 && f1(other, chain) < 1.0);
    // The same relations in another arrangement.
    let star = "(AND t.a (AND (JOIN t.a.r m.01) (JOIN t.b.s m.01)))";
    assert!(f1(star, chain) < 0.7, "{}", f1(star, chain));
    assert_eq!(f1("(AND t.x (JOIN t.x.y m.09))", chain), 0.0);
}
