//! Hostile SPARQL queries.

use crate::forms::{case, flood, nested, numbered};
use crate::{Case, SIZE};

pub(crate) fn sparql_cases() -> Vec<Case> {
    const HEAD: &str = "SELECT DISTINCT ?x WHERE { ";
    const FACT: &str = "SELECT DISTINCT ?x WHERE { ?x :a :m.1 . ";
    let mut cases = Vec::new();
    for unit in [
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<",
        "<<",
        "<<(",
        "<a",
        "<a ",
        "<|>",
        ">",
        "\"",
        "'",
        "\"\"\"",
        "'''",
        "\\",
        "\"\\",
        "!",
        "-",
        "+",
        "^",
        "*",
        "/",
        "|",
        "||",
        "&&",
        "=",
        "?",
        "?x ",
        "$",
        "@",
        "@en",
        "#",
        "#\n",
        ".",
        ",",
        ";",
        ":",
        "a:",
        "%",
        "_:",
        "a ",
        "\u{e9}",
        " ",
        "\n",
        "{}",
        "[]",
        "()",
        "1 ",
        "SELECT ",
        "PREFIX ",
        "PREFIX a: <b> ",
        "FILTER ",
        "UNION ",
        "NOT ",
        "EXISTS ",
        "IN ",
        "OR ",
        "COUNT(",
        "COUNT ",
        "DESC ",
        "DESC ?x ",
        "?x AS ?y ",
        "VALUES ",
        "brack_open ",
        "var_x ",
        "^^",
        "a|",
        "!(",
    ] {
        cases.push(case(format!("flood of {unit:?}"), flood("", unit, "")));
        cases.push(case(format!("SELECT and a flood of {unit:?}"), flood("SELECT ", unit, "")));
        cases.push(case(format!("a pattern and a flood of {unit:?}"), flood(FACT, unit, "}")));
        cases.push(case(
            format!("a filter and a flood of {unit:?}"),
            flood(&format!("{FACT}FILTER ("), unit, "?x) }"),
        ));
        cases.push(case(
            format!("a path and a flood of {unit:?}"),
            flood(&format!("{HEAD}?x "), unit, ":a ?y }"),
        ));
    }
    for depth in [7, 9, 33, 98, SIZE] {
        for (open, close) in [
            ("{ ", "} "),
            ("{ ?x :b ?y . ", "} "),
            ("OPTIONAL { ?x :b ?y ", "} "),
            ("MINUS { ?x :b ?y ", "} "),
            ("{ ?x :b ?y } UNION { ", "} "),
            ("{ SELECT ?x WHERE { ?x :b ?y ", "} } "),
            ("{ SELECT ?v WHERE { ?x :b ?v . ", "} ORDER BY ?v LIMIT 1 } "),
            ("{ SELECT (MAX(?w) AS ?v) WHERE { ?x :b ?v . ?x :b ?w . ", "} } "),
            ("{ SELECT ?x (COUNT(?y) AS ?n) WHERE { ?x :b ?y ", "} GROUP BY ?x } FILTER(?n > 1) "),
            (
                "{ SELECT ?x WHERE { { SELECT ?x (COUNT(?y) AS ?n) WHERE { ?x :b ?y ",
                "} GROUP BY ?x } FILTER(?n > 1) } } ",
            ),
            ("GRAPH ?g { ", "} "),
            ("FILTER EXISTS { ?x :b ?y ", "} "),
            ("FILTER NOT EXISTS { ?x :b ?y ", "} "),
            ("FILTER (NOT EXISTS { ?x :b ?y } || EXISTS { ?x :b ?y ", "}) "),
            ("?x :b [ :c ?y ; :d ?z ] . { ", "} "),
        ] {
            cases.push(case(format!("{depth} of {open}"), nested(FACT, open, "", close, "}", depth)));
        }
        for (open, close) in [
            ("(", ")"),
            ("!(", ")"),
            ("-(", ")"),
            ("! ! ! (", ")"),
            ("- - (", ")"),
            ("1 + (", ")"),
            ("(1 < ", ")"),
            ("?x = (", ")"),
            ("STR(", ")"),
            ("IF(?x, ?x, ", ")"),
            ("COALESCE(?x, ", ")"),
            ("xsd:integer(", ")"),
            ("?x IN (", ")"),
            ("?x || (", ")"),
            ("?x && (", ")"),
        ] {
            let before = format!("{FACT}FILTER (");
            cases.push(case(
                format!("{depth} of filter {open}"),
                nested(&before, open, "?x", close, ") }", depth),
            ));
        }
        for (open, close) in [
            ("(", ")"),
            ("^(", ")"),
            ("(:a/", ")"),
            ("(:a|", ")"),
            ("!(:a|", ")"),
            ("(", ")*"),
            ("(", ")+"),
            ("(", ")?"),
        ] {
            let before = format!("{HEAD}?x ");
            cases.push(case(
                format!("{depth} of path {open}{close}"),
                nested(&before, open, ":b", close, " ?y }", depth),
            ));
        }
        for (open, close) in
            [("[ :a ", "]"), ("( ", ")"), ("<<( :a :b ", ")>>"), ("( 1 ", ")"), ("[ :a 1 ; :b ", "]")]
        {
            let before = format!("{HEAD}?x :a ");
            cases.push(case(
                format!("{depth} of object {open}"),
                nested(&before, open, "?y", close, " }", depth),
            ));
        }
    }
    for (name, operator) in [
        ("||", " || ?x = ?y"),
        ("&&", " && ?x != ?y"),
        ("OR", " OR ?x = ?y"),
        ("AND", " AND ?x != :m.1"),
        ("+", " + 1"),
        ("-", " - 1"),
        ("*", " * 1"),
        ("/", " / 1"),
        ("<", " < 1"),
        ("=", " = 1"),
        ("-1", "-1"),
        ("+1", "+1"),
        ("comparisons", " && ?v > 5"),
        ("different comparisons", " && 5 < ?x"),
        ("in", " || ?x IN (1,2,3,4,5)"),
    ] {
        for times in [90, 400, 900, 1900, usize::MAX] {
            let times = times.min((SIZE - 100) / operator.len());
            let text = format!("{FACT}?x :n ?v . ?x :k ?y . FILTER (?x != ?y{}) }}", operator.repeat(times));
            cases.push(case(format!("{times} of {name}"), text));
        }
    }
    for operator in ["/:a", "|:a", "/^:a", "|^:a", "/:a*", "/!:a", "*", "+", "?"] {
        for times in [90, 900, 1900, usize::MAX] {
            let times = times.min((SIZE - 100) / operator.len());
            cases.push(case(
                format!("path of {times} {operator}"),
                format!("{HEAD}?x :a{} ?y }}", operator.repeat(times)),
            ));
        }
    }
    for (name, unit) in [
        ("UNION", "UNION { ?x :a :m.1 } "),
        ("UNION of others", "UNION { ?x :a ?y . ?y :b ?z . ?z a :c } "),
        ("FILTER", "FILTER (?x != :m.1) "),
        ("FILTER of values", "?x :b ?w FILTER (?w < 5) "),
        ("OPTIONAL", "OPTIONAL { ?x :b ?y } "),
        ("MINUS", "MINUS { ?x :b ?y } "),
        ("BIND", "BIND (1 AS ?y) "),
        ("VALUES", "VALUES ?x { :m.1 } "),
        ("groups", "{ ?x :b ?y } "),
        ("sub-selects", "{ SELECT ?v WHERE { ?x :a :m.1 . ?x :n ?v } ORDER BY ?v LIMIT 1 } "),
        ("triples", "?x :a :m.1 . "),
        ("loops", "?x :a ?x . "),
        ("two variables", "?x :a ?y . "),
        ("both ways", "?x :a ?y . ?y :a ?x . "),
        ("classes", "?x a :c . "),
        ("blank nodes", "?x :a [] . "),
        ("blank properties", "?x :a [ :b [ :c :d ] ] . "),
        ("collections", "?x :a (1 2 3) . "),
        ("predicates", "; :a :m.1 "),
        ("objects", ", :m.1 "),
        ("variables for relations", "?x ?p ?y . "),
        ("facts", "?x <pred:name> \"a\" . "),
        ("fact nodes", "?x <r> ?y . [ <pred:fact_h> ?x ; <pred:fact_r> <r> ; <pred:fact_t> ?y ] <q> ?w . "),
    ] {
        let first = match name {
            "predicates" | "objects" => "SELECT DISTINCT ?x WHERE { ?x :a :m.1 ".to_owned(),
            "UNION" | "UNION of others" => format!("{HEAD}{{ ?x :a :m.1 }} "),
            _ => FACT.to_owned(),
        };
        for times in [200, 700, 1900, usize::MAX] {
            let times = times.min((SIZE - first.len() - 2) / unit.len());
            cases.push(case(format!("{times} {name}"), format!("{first}{}}}", unit.repeat(times))));
        }
    }
    cases.extend(numbered_sparql_cases());
    for count in [10, 50, 150, 190, 400, 1000] {
        for (name, edges) in graphs(count) {
            for head in ["SELECT DISTINCT ?v0 WHERE {", "ASK {", "SELECT (COUNT(DISTINCT ?v0) AS ?n) WHERE {"]
            {
                let mut text = head.to_owned();
                for &(a, b) in &edges {
                    let edge = format!(" ?v{a} :r ?v{b} .");
                    if text.len() + edge.len() + 1 > SIZE {
                        break;
                    }
                    text.push_str(&edge);
                }
                text.push('}');
                cases.push(case(
                    format!("{name} of {count}, {}", head.split(" WHERE").next().unwrap_or(head)),
                    text,
                ));
            }
        }
    }
    cases
}

pub(crate) fn numbered_sparql_cases() -> Vec<Case> {
    type Unit = fn(usize) -> String;
    let units: [(&str, &str, Unit, &str); 30] = [
        ("hops", "SELECT DISTINCT ?v0 WHERE {", |i| format!(" ?v{i} :r ?v{} .", i + 1), "}"),
        ("hops backwards", "SELECT DISTINCT ?v0 WHERE {", |i| format!(" ?v{} :r ?v{i} .", i + 1), "}"),
        ("a star of variables", "SELECT DISTINCT ?x WHERE {", |i| format!(" ?x :r ?v{i} ."), "}"),
        ("a star of constants", "SELECT DISTINCT ?x WHERE {", |i| format!(" ?x :r :m.{i} ."), "}"),
        (
            "a star of paths",
            "SELECT DISTINCT ?x WHERE {",
            |i| format!(" ?x :r ?v{i} . ?v{i} :s ?w{i} ."),
            "}",
        ),
        ("parts that are apart", "SELECT DISTINCT ?v0 WHERE {", |i| format!(" ?v{i} :r ?w{i} ."), "}"),
        (
            "different variables",
            "SELECT DISTINCT ?x WHERE { ?x :r ?y",
            |i| format!(" . ?x :r ?v{i} FILTER (?x != ?v{i})"),
            "}",
        ),
        (
            "compared variables",
            "SELECT DISTINCT ?x WHERE { ?x :r ?y",
            |i| format!(" . ?x :r ?v{i} FILTER (?v{i} < {i})"),
            "}",
        ),
        (
            "searched labels",
            "SELECT DISTINCT ?x WHERE { ?x :r ?y",
            |i| {
                format!(
                    " OPTIONAL {{ ?x :r ?v{i} . ?v{i} rdfs:label ?l{i} }} FILTER (CONTAINS(STR(?l{i}), 'a'))"
                )
            },
            "}",
        ),
        (
            "optional statements",
            "SELECT DISTINCT * WHERE { ?x :r ?y",
            |i| format!(" OPTIONAL {{ ?x :r ?v{i} . ?v{i} :p* ?w{i} }}"),
            "}",
        ),
        (
            "alternatives",
            "SELECT DISTINCT ?x WHERE { ?x :r* ?y FILTER (?y = :a",
            |i| format!(" || ?y = :m.{i}"),
            ") }",
        ),
        (
            "listed things",
            "SELECT DISTINCT ?x WHERE { ?x :r* ?y FILTER (?y IN (:a",
            |i| format!(", :m.{i}"),
            ")) }",
        ),
        (
            "repeated steps",
            "SELECT DISTINCT ?x WHERE { ?x :r ?y",
            |i| format!(" . ?v{i} :p ?w{i} . ?w{i} :p* ?u{i}"),
            "}",
        ),
        (
            "groups under conditions",
            "SELECT DISTINCT ?x WHERE { ?x :r ?y",
            |i| {
                format!(
                    " {{ SELECT ?x (COUNT(?z) AS ?n{i}) {{ ?x :p ?z }} GROUP BY ?x }} FILTER (?n{i} > {i})"
                )
            },
            "}",
        ),
        ("classes", "SELECT DISTINCT ?x WHERE { ?x :r ?y", |i| format!(" . ?x a :c{i}"), "}"),
        (
            "unions of two",
            "SELECT DISTINCT ?x WHERE { ?x :r ?y",
            |i| format!(" . {{ ?x :a :m.{i} }} UNION {{ ?x :b ?v{i} }}"),
            "}",
        ),
        (
            "branches",
            "SELECT DISTINCT ?x WHERE { { ?x :r ?y }",
            |i| format!(" UNION {{ ?x :a :m.{i} }}"),
            "}",
        ),
        (
            "branches with variables",
            "SELECT DISTINCT ?x WHERE { { ?x :r ?y }",
            |i| format!(" UNION {{ ?x :a ?v{i} }}"),
            "}",
        ),
        ("values", "SELECT DISTINCT ?x WHERE { ?x :r ?y VALUES ?y {", |i| format!(" :m.{i}"), "} }"),
        ("equal values", "SELECT DISTINCT ?x WHERE { ?x :r ?y VALUES ?y {", |i| format!(" {}", i % 2), "} }"),
        (
            "values of many variables",
            "SELECT DISTINCT ?x WHERE { ?x :r ?y",
            |i| format!(" . ?x :r ?v{i} VALUES ?v{i} {{ 1 2 }}"),
            "}",
        ),
        (
            "rows of values",
            "SELECT DISTINCT ?x WHERE { ?x :r ?y VALUES (?x ?y) {",
            |i| format!(" (:m.{i} 1)"),
            "} }",
        ),
        (
            "prefixes",
            "",
            |i| format!("PREFIX p{i}: <http://e/{i}#> "),
            "SELECT DISTINCT ?x WHERE { ?x p1:a p2:b }",
        ),
        ("broken IRIs", "SELECT DISTINCT ?x WHERE {", |i| format!(" ?x <r|{i}> ?y ."), "}"),
        ("unknown prefixes", "SELECT DISTINCT ?x WHERE {", |i| format!(" ?x p{i}:r ?y ."), "}"),
        ("selected variables", "SELECT", |i| format!(" ?v{i}"), " WHERE { ?x :r ?y }"),
        ("aliases", "SELECT", |i| format!(" ?x AS ?v{i}"), " WHERE { ?x :r ?y }"),
        ("aggregates", "SELECT", |i| format!(" COUNT(?x{i})"), " WHERE { ?x :r ?y }"),
        ("orders", "SELECT ?x WHERE { ?x :r ?y } ORDER BY", |i| format!(" DESC ?v{i}"), ""),
        (
            "value nodes",
            "SELECT DISTINCT ?e WHERE { ?e <pred:name> \"a\"",
            |i| {
                format!(
                    " . ?e <r> ?pv{i} . ?pv{i} <pred:unit> \"m\" . ?pv{i} <pred:value> ?w{i} FILTER (?w{i} > {i})"
                )
            },
            "}",
        ),
    ];
    let mut cases = Vec::new();
    for (name, before, unit, after) in units {
        for count in [60, 190, 600, 1900, SIZE] {
            let limited = |i: usize| if i < count { unit(i) } else { " ".repeat(SIZE) };
            cases.push(case(format!("{name}, {count}"), numbered(before, limited, after)));
        }
    }
    let extreme = |i: usize| format!(" . ?x :r ?v{i} . ?v{i} :s ?w{i}");
    for count in [10, 100, 500] {
        let body: String = (0..count).map(extreme).collect();
        let text = format!(
            "SELECT DISTINCT ?x WHERE {{ ?x :n ?v{body} {{ SELECT (MAX(?v) AS ?v) WHERE {{ ?x :n ?v{body} }} }} }}"
        );
        cases.push(case(format!("a superlative over {count} paths"), text));
        let text = format!("SELECT DISTINCT ?x WHERE {{ ?x :n ?v{body} }} ORDER BY ?v LIMIT 1");
        cases.push(case(format!("an order over {count} paths"), text));
    }
    for count in [100, 1000, 1 << 15, SIZE - 40] {
        cases.push(case(
            format!("a name with {count} dots"),
            format!("SELECT ?x {{ ?x a:{}b ?y }}", ".".repeat(count)),
        ));
        cases.push(case(
            format!("{count} lines"),
            format!("SELECT ?x {{ {} ?x foo:b ?y }}", "\n".repeat(count)),
        ));
        cases.push(case(
            format!("a name of {count} bytes"),
            format!("SELECT ?x {{ ?x :{} ?y }}", "a".repeat(count)),
        ));
        cases.push(case(
            format!("a text of {count} bytes"),
            format!("SELECT ?x {{ ?x :r \"{}\" }}", "a".repeat(count)),
        ));
        cases.push(case(
            format!("a number of {count} digits"),
            format!("SELECT ?x {{ ?x :r {} }}", "9".repeat(count)),
        ));
        cases.push(case(
            format!("a variable of {count} bytes"),
            format!("SELECT ?x {{ ?x :r ?{} }}", "a".repeat(count)),
        ));
    }
    cases
}

/// Graphs that look the same from many vertices.
pub(crate) fn graphs(count: usize) -> Vec<(&'static str, Vec<(usize, usize)>)> {
    let side = (1..).find(|side| side * side >= count).unwrap_or(1);
    let grid = |wrap: bool| {
        let mut edges = Vec::new();
        for row in 0..side {
            for column in 0..side {
                let at = row * side + column;
                if wrap || column + 1 < side {
                    edges.push((at, row * side + (column + 1) % side));
                }
                if wrap || row + 1 < side {
                    edges.push((at, (row + 1) % side * side + column));
                }
            }
        }
        edges
    };
    let ring = |from: usize, size: usize| (0..size).map(move |i| (from + i, from + (i + 1) % size));
    let half = count / 2;
    vec![
        ("ring", ring(0, count).collect()),
        (
            "ring with alternating arrows",
            (0..count)
                .map(|i| if i % 2 == 0 { (i, (i + 1) % count) } else { ((i + 1) % count, i) })
                .collect(),
        ),
        ("complete", (0..side * 2).flat_map(|a| (a + 1..side * 2).map(move |b| (a, b))).collect()),
        ("two sides", (0..side).flat_map(|a| (side..2 * side).map(move |b| (a, b))).collect()),
        ("grid", grid(false)),
        ("torus", grid(true)),
        (
            "ladder",
            (0..half - 1).flat_map(|i| [(i, i + 1), (half + i, half + i + 1), (i, half + i)]).collect(),
        ),
        ("prism", ring(0, half).chain(ring(half, half)).chain((0..half).map(|i| (i, half + i))).collect()),
        ("wheel", (1..count).flat_map(|i| [(0, i), (i, i % (count - 1) + 1)]).collect()),
        (
            "triangles at one vertex",
            (0..half).flat_map(|i| [(0, 2 * i + 1), (2 * i + 1, 2 * i + 2), (2 * i + 2, 0)]).collect(),
        ),
        (
            "chain of squares",
            (0..count / 3)
                .flat_map(|i| {
                    [(3 * i, 3 * i + 1), (3 * i, 3 * i + 2), (3 * i + 1, 3 * i + 3), (3 * i + 2, 3 * i + 3)]
                })
                .collect(),
        ),
        (
            "cube",
            (0..count.next_power_of_two())
                .flat_map(|a| {
                    (0..count.next_power_of_two().trailing_zeros())
                        .map(move |b| (a, a ^ (1 << b)))
                        .filter(|(a, b)| a < b)
                })
                .collect(),
        ),
        ("spread", (0..count).flat_map(|i| [(i, (i + 1) % count), (i, (i * 7 + 3) % count)]).collect()),
        ("tree", (1..count).map(|i| ((i - 1) / 2, i)).collect()),
        ("tree with a closing edge", (1..count).map(|i| ((i - 1) / 2, i)).chain([(count - 1, 0)]).collect()),
    ]
}
