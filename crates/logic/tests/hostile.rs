//! Inputs of 64 KB that are made to be slow, deep or large. They only have to finish, on a thread with the usual stack.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

use std::fmt::Write;
use touchstone_logic::equal::{Canonical, OfficialMatcher};
use touchstone_logic::graph::{Style, draw_in, svg};
use touchstone_logic::sparql::{Dialect, Namespaces};
use touchstone_logic::{Form, Ontology, Program, Query, QueryGraph, Spelling, kopl, sexpr, sparql};

const SIZE: usize = 1 << 16;
const STACK: usize = 2 << 20;

/// An input, with a word for what is hostile about it.
type Case = (String, String);

#[test]
fn s_expressions() {
    all(s_expression_cases(), s_expression);
}

#[test]
fn pairs_of_s_expressions() {
    all(pair_cases(), pair);
}

#[test]
fn programs() {
    all(program_cases(), program);
}

#[test]
fn sparql_queries() {
    all(sparql_cases(), sparql_query);
}

fn all(cases: Vec<Case>, run: fn(&str)) {
    for (name, text) in cases {
        assert!(text.len() <= SIZE * 5 / 4, "{name}: {} bytes", text.len());
        // The name first: after a stack overflow, nothing else would tell.
        eprint!("{name}: ");
        let start = std::time::Instant::now();
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || run(&text));
        assert!(thread.unwrap().join().is_ok(), "{name}");
        eprintln!("{} ms", start.elapsed().as_millis());
    }
}

fn s_expression(text: &str) {
    match Form::parse(text, &Spelling) {
        Ok(form) => {
            let printed = form.to_string();
            assert_eq!(Form::parse(&printed, &Spelling).as_ref(), Ok(&form));
            if let Ok(query) = form.to_query() {
                everything(&query);
            }
        }
        Err(error) => assert!(error.to_string().len() < 4000),
    }
    pair(&format!("{text}\n{text}"));
}

fn pair(text: &str) {
    let (gold, predicted) = text.split_once('\n').unwrap_or((text, ""));
    let ontology = Ontology::default();
    for legacy in [false, true] {
        let mut matcher = OfficialMatcher::new(&ontology).legacy(legacy);
        let equal = matcher.equal(gold, predicted);
        assert_eq!(matcher.explain(gold, predicted).equal, equal);
    }
}

fn program(text: &str) {
    match Program::parse(text) {
        Ok(program) => {
            let _ = program.check().map_err(|error| error.to_string());
            let json = program.to_json().to_string();
            assert_eq!(Program::from_json(&json).as_ref(), Ok(&program));
            for line in [program.to_linear(), program.to_readable()].into_iter().flatten() {
                let again = Program::parse(&line).unwrap();
                assert_eq!(again, *program.in_order().unwrap());
            }
            if let Ok(query) = program.to_query(&()) {
                everything(&query);
            }
        }
        Err(error) => assert!(error.to_string().len() < 4000),
    }
}

fn sparql_query(text: &str) {
    match sparql::parse(text) {
        Ok(parsed) => match sparql::recognise(&parsed.query, &Namespaces::default()) {
            Ok(recognised) => everything(&recognised.query),
            Err(error) => assert!(error.to_string().len() < 4000),
        },
        Err(error) => assert!(error.to_string().len() < 4000),
    }
}

/// Everything that can be said about a query without running it.
fn everything(query: &Query) {
    for (_, stage) in STAGES {
        stage(query);
    }
}

type Stage = (&'static str, fn(&Query));

const STAGES: [Stage; 9] = [
    ("canonical", |query| {
        let canonical = Canonical::of(query, &());
        assert!(canonical.compare(&Canonical::template(query, &())).why.is_none_or(|why| !why.is_empty()));
    }),
    ("shape", |query| {
        QueryGraph::of(query).shape();
    }),
    ("draw", |query| {
        draw_in(&QueryGraph::of(query), Style::Ascii);
    }),
    ("svg", |query| {
        svg(&QueryGraph::of(query));
    }),
    ("print sexpr", |query| {
        let _ = sexpr::print(query);
    }),
    ("print kopl", |query| {
        let _ = kopl::print(query, &());
    }),
    ("print freebase", |query| reread(query, &Dialect::Freebase, None)),
    ("print kqapro", |query| reread(query, &Dialect::KqaPro, None)),
    ("print plain", |query| {
        let base = "http://example.org/".to_owned();
        reread(query, &Dialect::Plain { base: base.clone() }, Some(base));
    }),
];

/// Printed queries may be longer than what is read, or outside of what is recognised; they only have to end.
fn reread(query: &Query, dialect: &Dialect, base: Option<String>) {
    let Ok(printed) = sparql::print(query, dialect) else { return };
    let Ok(parsed) = sparql::parse(&printed.text) else { return };
    let _ = sparql::recognise(&parsed.query, &Namespaces { base });
}

/// A unit as often as it fits, between two ends.
fn flood(before: &str, unit: &str, after: &str) -> String {
    let times = (SIZE - before.len() - after.len()) / unit.len();
    format!("{before}{}{after}", unit.repeat(times))
}

/// Numbered units, as many as fit.
fn numbered(before: &str, unit: impl Fn(usize) -> String, after: &str) -> String {
    let mut text = before.to_owned();
    for i in 0.. {
        let next = unit(i);
        if text.len() + next.len() + after.len() > SIZE {
            break;
        }
        text.push_str(&next);
    }
    text + after
}

/// `open` that many times, then the middle, then `close` as often; cut to what fits.
fn nested(before: &str, open: &str, middle: &str, close: &str, after: &str, depth: usize) -> String {
    let room = SIZE - before.len() - middle.len() - after.len();
    let depth = depth.min(room / (open.len() + close.len()));
    format!("{before}{}{middle}{}{after}", open.repeat(depth), close.repeat(depth))
}

/// A tree with two branches at each inner node.
fn balanced(depth: usize, inner: &str, leaf: &dyn Fn(usize) -> String, at: usize) -> String {
    if depth == 0 {
        return leaf(at);
    }
    let half = |side| balanced(depth - 1, inner, leaf, 2 * at + side);
    format!("({inner} {} {})", half(0), half(1))
}

fn case(name: impl Into<String>, text: impl Into<String>) -> Case {
    (name.into(), text.into())
}

const EVERY_DEPTH: [usize; 4] = [30, 90, 198, SIZE];

fn s_expression_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for unit in [
        "(",
        ")",
        "\"",
        "\\",
        "\"\\",
        "\"\\\" ",
        "()",
        "( ",
        "a ",
        "^^",
        "(R ",
        "\u{e9}",
        " ",
        "\n",
        "@@UNKNOWN@@",
    ] {
        cases.push(case(format!("flood of {unit:?}"), flood("", unit, "")));
        cases.push(case(format!("AND over a flood of {unit:?}"), flood("(AND ", unit, ")")));
        cases.push(case(format!("JOIN with a flood of {unit:?}"), flood("(JOIN ", unit, " m.1)")));
    }
    for depth in EVERY_DEPTH {
        for (open, close) in [
            ("(AND a ", ")"),
            ("(AND (JOIN r m.1) ", ")"),
            ("(JOIN r ", ")"),
            ("(JOIN (R r) ", ")"),
            ("(COUNT ", ")"),
            ("(ARGMAX ", " r)"),
            ("(ARGMIN (AND c ", ") (JOIN r s))"),
            ("(TC ", " a.from NOW)"),
            ("(CONS ", " r m.1)"),
            ("(lt r ", ")"),
            ("(", ")"),
            ("(OR a ", ")"),
        ] {
            cases.push(case(format!("{depth} {open}"), nested("", open, "m.0", close, "", depth)));
        }
        cases.push(case(format!("{depth} R"), nested("(JOIN ", "(R ", "r", ")", " m.1)", depth)));
        cases.push(case(format!("path of {depth}"), nested("(ARGMAX c ", "(JOIN r ", "s", ")", ")", depth)));
        cases.push(case(
            format!("{depth} JOINs with classes"),
            nested("", "(AND c (JOIN r ", "m.0", "))", "", depth / 2),
        ));
    }
    cases.push(case("AND of many", numbered("(AND", |i| format!(" c{i}"), ")")));
    cases.push(case("AND of many joins", numbered("(AND", |i| format!(" (JOIN r m.{i})"), ")")));
    cases.push(case("AND of many equal joins", flood("(AND", " (JOIN r m.1)", ")")));
    cases.push(case("AND of many paths", flood("(AND", " (JOIN r (JOIN s (JOIN t m.1)))", ")")));
    cases.push(case("AND of many superlatives", flood("(AND", " (ARGMAX c r)", ")")));
    cases.push(case("AND of many periods", flood("(AND", " (TC c a.from 1990)", ")")));
    cases.push(case("AND of many comparisons", flood("(AND", " (lt r 1^^xsd:integer)", ")")));
    cases.push(case("AND of many CONS", flood("(AND", " (CONS c r m.1)", ")")));
    cases.push(case("balanced AND", balanced(12, "AND", &|_| "(JOIN r m.1)".to_owned(), 0)));
    cases.push(case(
        "balanced AND, numbered",
        balanced(11, "AND", &|i| format!("(JOIN r{} m.{i})", i % 7), 0),
    ));
    cases.push(case("JOIN below AND", balanced(11, "AND", &|_| "(JOIN r (JOIN s m.1))".to_owned(), 0)));
    cases.push(case("a long word", flood("(AND ", "x", " y)")));
    cases.push(case("a long relation", flood("(JOIN ", "x", " m.1)")));
    cases.push(case("a long quoted name", flood("(JOIN r \"", "\\\"", "\")")));
    cases.push(case("a long literal", flood("(JOIN r ", "9", "^^xsd:integer)")));
    cases.push(case("a long unknown operator", flood("(", "x", " y)")));
    cases.push(case("a long time", flood("(TC c r ", "9", ")")));
    cases
}

/// Two forms of half the size.
fn pair_cases() -> Vec<Case> {
    let half = |one: &str, two: &str| format!("{}\n{}", short(one), short(two));
    let tree = |depth: usize, leaf: &dyn Fn(usize) -> String| balanced(depth, "AND", leaf, 0);
    let mut cases = Vec::new();
    for depth in [4, 5, 6, 8, 10] {
        let equal = tree(depth, &|_| "(JOIN r m.1)".to_owned());
        let one_off = tree(depth, &|i| format!("(JOIN r m.{})", if i == 1 { 2 } else { 1 }));
        let last_off = tree(depth, &|i| format!("(JOIN r m.{})", if i + 1 == 1 << depth { 2 } else { 1 }));
        cases.push(case(format!("equal stars of 2^{depth}"), half(&equal, &equal)));
        cases.push(case(format!("stars of 2^{depth}, one leaf differs"), half(&equal, &one_off)));
        cases.push(case(format!("stars of 2^{depth}, leaves in another order"), half(&last_off, &one_off)));
        let paths = |odd: usize| {
            tree(depth.min(9), &|i| {
                format!("(JOIN r (JOIN r (AND (JOIN r m.{}) c)))", if i == odd { 2 } else { 1 })
            })
        };
        cases.push(case(format!("paths of 2^{depth}, one differs"), half(&paths(0), &paths(usize::MAX))));
        cases.push(case(format!("paths of 2^{depth} in another order"), half(&paths(0), &paths(3))));
        let functions = |odd: usize| {
            tree(depth.min(9), &|i| {
                format!("(JOIN r (ARGMAX (JOIN r m.1) {}))", if i == odd { "s" } else { "t" })
            })
        };
        cases
            .push(case(format!("superlatives, 2^{depth}, one differs"), half(&functions(0), &functions(99))));
        cases.push(case(format!("superlatives, 2^{depth}, reordered"), half(&functions(0), &functions(3))));
        let comparisons = |odd: usize| {
            tree(depth.min(9), &|i| format!("(JOIN r ({} r 1^^x))", if i == odd { "lt" } else { "ge" }))
        };
        cases.push(case(
            format!("comparisons, 2^{depth}, one differs"),
            half(&comparisons(0), &comparisons(99)),
        ));
        cases
            .push(case(format!("comparisons, 2^{depth}, reordered"), half(&comparisons(0), &comparisons(3))));
    }
    cases
}

fn short(text: &str) -> &str {
    &text[..text.len().min(SIZE / 2 - 1)]
}

fn program_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for unit in [
        "(",
        ")",
        "[",
        "{",
        "\"",
        "\\",
        "\"\\",
        "[{",
        "{\"a\":",
        "[[],",
        ",",
        "<func>",
        "<arg>",
        "<func> <arg>",
        ">",
        "->",
        "→",
        "\u{e9}",
        " ",
        "\n",
        "Find",
        "Find(a",
        "Find(a) > ",
        "FindAll > ",
        "9",
        "[9,",
        "\"\\u0041",
    ] {
        cases.push(case(format!("flood of {unit:?}"), flood("", unit, "")));
        cases.push(case(format!("Find( and a flood of {unit:?}"), flood("Find(", unit, ") > What()")));
        cases.push(case(
            format!("Find <arg> and a flood of {unit:?}"),
            flood("Find <arg> ", unit, " <func> What"),
        ));
        cases.push(case(
            format!("JSON and a flood of {unit:?}"),
            flood("[{\"function\":\"Find\",\"inputs\":[\"", unit, "\"]}]"),
        ));
    }
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{\"program\":", "}"), ("[{\"function\":", "}]"), ("Find(", ")")]
    {
        cases.push(case(format!("nested {open}"), nested("", open, "", close, "", SIZE)));
        cases.push(case(
            format!("Find( and nested {open}"),
            nested("Find(", open, "a", close, ") > What()", SIZE),
        ));
    }
    for step in [
        "Relate(r, forward)",
        "Relate(r, backward)",
        "FilterConcept(c)",
        "FilterStr(k, v)",
        "FilterNum(k, 5 metre, <)",
        "FilterYear(k, 1990, =)",
        "FilterDate(k, 1990-01-01, !=)",
        "Relate(r, forward) > QFilterStr(k, v)",
        "QFilterNum(k, 5, <)",
        "Find(b) > And()",
        "Find(b) > Or()",
        "FindAll() > FilterConcept(c) > Or()",
        "Find(b) > Relate(r, forward) > And()",
        "Count()",
    ] {
        for times in [50, 150, 195, usize::MAX] {
            let unit = format!(" > {step}");
            let times = times.min((SIZE - 32) / unit.len());
            for end in ["What()", "Count()", "QueryAttr(k)", "SelectAmong(k, largest)"] {
                let text = format!("Find(a){} > {end}", unit.repeat(times));
                cases.push(case(format!("{times} of {step}, {end}"), text));
            }
        }
    }
    for times in [100, 190, 1000, usize::MAX] {
        let first = "Find(a) > ";
        for join in ["And() > ", "Or() > "] {
            let times = times.min((SIZE - 32) / (first.len() + join.len()));
            let text = format!("{first}{}{}What()", first.repeat(times), join.repeat(times));
            cases.push(case(format!("{times} of {join}to the right"), text));
        }
    }
    for join in ["And", "Or"] {
        for depth in [20, 60, 190, 700] {
            let mut text = "[{\"function\":\"Find\",\"dependencies\":[],\"inputs\":[\"a\"]}".to_owned();
            for i in 0..depth {
                let _ = write!(text, ",{{\"function\":\"{join}\",\"dependencies\":[{i},{i}]}}");
            }
            let _ = write!(text, ",{{\"function\":\"What\",\"dependencies\":[{depth}]}}]");
            cases.push(case(format!("{depth} doublings with {join}"), text));
        }
    }
    let step = |i: usize| {
        format!(",{{\"function\":\"Relate\",\"dependencies\":[{i}],\"inputs\":[\"r\",\"forward\"]}}")
    };
    let first = "[{\"function\":\"FindAll\",\"dependencies\":[],\"inputs\":[]}";
    cases.push(case("a long chain in JSON", numbered(first, step, "]")));
    cases.push(case(
        "many unused steps",
        flood("[{\"function\":\"FindAll\"}", ",{\"function\":\"FindAll\"}", "]"),
    ));
    cases.push(case("many dependencies", flood("[{\"function\":\"What\",\"dependencies\":[0", ",0", "]}]")));
    cases.push(case("many inputs", flood("Find(a", ", a", ") > What()")));
    cases.push(case("balanced And", balanced_program(11)));
    cases.push(case("a long name", flood("Find(", "x", ") > What()")));
    cases.push(case("a long number", flood("FindAll() > FilterNum(k, ", "9", ", <) > What()")));
    cases.push(case("a long year", flood("FindAll() > FilterYear(k, ", "9", ", <) > What()")));
    cases.push(case("a long direction", flood("Find(a) > Relate(r, ", "f", ") > What()")));
    cases.push(case("a long function", flood("", "F", "(a)")));
    cases
}

fn balanced_program(depth: usize) -> String {
    let mut text = "Find(a)".to_owned();
    for i in 1..1usize << depth {
        text.push_str(" > Find(a)");
        text.push_str(&" > And()".repeat(i.trailing_ones() as usize));
    }
    text + " > What()"
}

fn sparql_cases() -> Vec<Case> {
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

fn numbered_sparql_cases() -> Vec<Case> {
    type Unit = fn(usize) -> String;
    let units: [(&str, &str, Unit, &str); 24] = [
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
fn graphs(count: usize) -> Vec<(&'static str, Vec<(usize, usize)>)> {
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
