//! Expensive queries: every limit is enforced, and no partial answer looks like a complete one.

use crate::sparql_support::generator::Generator;
use crate::sparql_support::{Spelling, small_kb};
use spargebra::{Query, SparqlParser};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use touchstone_engine::budget::{Budget, Cancel, Limit, Limits};
use touchstone_engine::sparql::{Results, SparqlError, evaluate};
use touchstone_kb::Kb;
use touchstone_kb::rdf::{DirectView, RdfView};

/// Memory is measured for the whole process, so these tests run one after another.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

struct World {
    kb: Kb,
    _dir: tempfile::TempDir,
}

fn world() -> World {
    let dir = tempfile::tempdir().unwrap();
    World { kb: small_kb(&dir.path().join("kb"), 3, Spelling::Canonical), _dir: dir }
}

fn parse(text: &str) -> Query {
    SparqlParser::new().parse_query(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn run(view: &dyn RdfView, text: &str, limits: Limits) -> Result<Results, SparqlError> {
    evaluate(view, &parse(text), &Budget::new(limits))
}

fn limit_of(name: &str, result: Result<Results, SparqlError>) -> Limit {
    match result {
        Err(SparqlError::Stopped(stopped)) => stopped.limit,
        Err(error) => panic!("{name}: {error}"),
        Ok(_) => panic!("{name}: an answer"),
    }
}

fn many(n: usize) -> String {
    (0..n).map(|i| format!("{i} ")).collect()
}

/// Loops of the evaluator that never request a triple.
fn endless() -> Vec<(&'static str, String)> {
    let block = |name: &str| format!("VALUES ?{name} {{ {} }} ", many(2000));
    let undefined = |name: &str| format!("VALUES ?{name} {{ {} }} ", "UNDEF ".repeat(2000));
    let four = |block: &dyn Fn(&str) -> String| ["a", "b", "c", "d"].map(block).concat();
    let twice = "{ {} UNION {} } ";
    vec![
        ("product", format!("SELECT (COUNT(*) AS ?n) {{ {} }}", four(&block))),
        ("product of nothing", format!("SELECT (COUNT(*) AS ?n) {{ {} }}", four(&undefined))),
        (
            "rows without columns",
            format!("SELECT (COUNT(*) AS ?n) {{ {} }}", "VALUES () { () () () () () () () () } ".repeat(20)),
        ),
        ("empty unions", format!("SELECT (COUNT(*) AS ?n) {{ {} }}", twice.repeat(50))),
        (
            "sub-selects of nothing",
            format!("SELECT (COUNT(*) AS ?n) {{ {} }}", "{ SELECT ?nothing { ?s ?p ?o } } ".repeat(8)),
        ),
        ("product in ASK", format!("ASK {{ {} FILTER(?a + ?b + ?c + ?d < 0) }}", four(&block))),
        (
            "product in EXISTS",
            format!("ASK {{ ?s ?p ?o FILTER EXISTS {{ {} FILTER(?a + ?b + ?c + ?d < 0) }} }}", four(&block)),
        ),
        (
            "product in OPTIONAL",
            format!("SELECT * {{ ?s ?p ?o OPTIONAL {{ {} FILTER(?a + ?b + ?c + ?d < 0) }} }}", four(&block)),
        ),
        ("product under MINUS", format!("SELECT * {{ {} MINUS {{ {} }} }}", block("a"), four(&block))),
        (
            "difference",
            format!(
                "SELECT (COUNT(*) AS ?n) {{ {{ {} {} OPTIONAL {{ ?x <p:none> ?y }} }} MINUS {{ {} {} OPTIONAL {{ ?a <p:none> ?y }} }} }}",
                block("a"),
                block("b"),
                block("c"),
                block("d"),
            ),
        ),
        (
            "product in BIND",
            format!("SELECT * {{ BIND(EXISTS {{ {} FILTER(?a + ?b + ?c + ?d < 0) }} AS ?x) }}", four(&block)),
        ),
        ("offset", format!("SELECT * {{ {} }} OFFSET 9223372036854775807", four(&block))),
        ("distinct", format!("SELECT DISTINCT ?nothing {{ {} }}", four(&block))),
        ("reduced", format!("SELECT REDUCED ?nothing {{ {} }}", four(&block))),
        (
            "condition",
            format!("ASK {{ {} FILTER(SHA512(CONCAT(STR(?a), STR(?b), STR(?c))) = \"\") }}", four(&block)),
        ),
    ]
}

#[test]
fn time_holds_in_loops_without_triples() {
    let _guard = ONE_AT_A_TIME.lock();
    let world = world();
    let view = DirectView::new(&world.kb);
    for (name, text) in endless() {
        let query = parse(&text);
        let started = Instant::now();
        let limits = Limits { time: Duration::from_millis(200), ..Limits::none() };
        let result = evaluate(&view, &query, &Budget::new(limits));
        let took = started.elapsed();
        eprintln!("{name}: {took:?}");
        assert_eq!(limit_of(name, result), Limit::Time, "{name}");
        assert!(took < Duration::from_secs(4), "{name} took {took:?}");
    }
}

#[test]
fn cancellation_holds_in_loops_without_triples() {
    let _guard = ONE_AT_A_TIME.lock();
    let world = world();
    let view = DirectView::new(&world.kb);
    for (name, text) in endless() {
        let cancel = Cancel::default();
        let budget = Budget::new(Limits::none()).stopped_by(&cancel);
        let query = parse(&text);
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(60));
                cancel.cancel();
            });
            evaluate(&view, &query, &budget)
        });
        assert_eq!(limit_of(name, result), Limit::Cancelled, "{name}");
    }
}

/// Regular expressions do not take exponential time, and no text is too long for the time limit.
#[test]
fn regular_expressions_are_bounded() {
    let _guard = ONE_AT_A_TIME.lock();
    let world = world();
    let view = DirectView::new(&world.kb);
    let values = many(2000);
    for pattern in ["[ab]*a[ab]{1000}$", "(a*)*(a*)*(b*)*(a*)*c", "((a|b|ab|ba)*a){9}c", "(x+x+)+y"] {
        let text = format!(
            "SELECT (COUNT(?m) AS ?n) {{ VALUES ?a {{ {values} }} VALUES ?b {{ {values} }} BIND(REGEX(CONCAT(STR(?a), \"{}\"), \"{pattern}\") AS ?m) }}",
            "ab".repeat(5000)
        );
        let query = parse(&text);
        let started = Instant::now();
        let limits = Limits { time: Duration::from_millis(200), ..Limits::none() };
        let result = evaluate(&view, &query, &Budget::new(limits));
        assert_eq!(limit_of(pattern, result), Limit::Time, "{pattern}");
        assert!(started.elapsed() < Duration::from_secs(4), "{pattern} took {:?}", started.elapsed());
    }
}

#[test]
fn memory_holds_where_it_cannot_be_counted() {
    let _guard = ONE_AT_A_TIME.lock();
    let world = world();
    let view = DirectView::new(&world.kb);
    let block = |name: &str| format!("VALUES ?{name} {{ {} }} ", many(3000));
    let (a, b) = (block("a"), block("b"));
    let doubling: String =
        (1..60).map(|i| format!("BIND(CONCAT(?x{}, ?x{}) AS ?x{i}) ", i - 1, i - 1)).collect();
    let thousand = "a".repeat(1000);
    let replace =
        (0..6).fold(format!("\"{thousand}\""), |inner, _| format!("REPLACE({inner}, \"a\", \"{thousand}\")"));
    let replaced_by =
        (0..6).fold(format!("\"{thousand}\""), |inner, _| format!("REPLACE(\"{thousand}\", \"a\", {inner})"));
    let concat = (0..4).fold("?x".to_owned(), |inner, _| format!("CONCAT({})", vec![inner; 9].join(", ")));
    let cases = [
        ("sorting", format!("SELECT * {{ {a} {b} }} ORDER BY ?a ?b")),
        ("sorting by nothing", format!("SELECT * {{ {a} {b} }} ORDER BY RAND()")),
        ("grouping", format!("SELECT ?a ?b (COUNT(*) AS ?n) {{ {a} {b} }} GROUP BY ?a ?b")),
        ("distinct rows", format!("SELECT (COUNT(*) AS ?n) {{ SELECT DISTINCT ?a ?b {{ {a} {b} }} }}")),
        ("doubling", format!("SELECT * {{ BIND(\"abc\" AS ?x0) {doubling} }}")),
        ("replace", format!("SELECT ({replace} AS ?x) {{ }}")),
        ("replacement", format!("SELECT ({replaced_by} AS ?x) {{ }}")),
        ("concat", format!("ASK {{ BIND(\"{}\" AS ?x) FILTER({concat} = \"\") }}", "x".repeat(10_000))),
        (
            "group concat",
            format!(
                "SELECT (GROUP_CONCAT(STR(?a); separator=\"{}\") AS ?x) {{ {a} {b} }}",
                "s".repeat(10_000)
            ),
        ),
        ("triples of triples", {
            let nest: String =
                (1..400).map(|i| format!("BIND(TRIPLE(<a:a>, <a:b>, ?x{}) AS ?x{i}) ", i - 1)).collect();
            format!("SELECT * {{ BIND(1 AS ?x0) {nest} }}")
        }),
    ];
    for (name, text) in cases {
        let query = parse(&text);
        let started = Instant::now();
        let limits = Limits { memory: 64 << 20, time: Duration::from_secs(60), ..Limits::none() };
        let result = evaluate(&view, &query, &Budget::new(limits));
        assert_eq!(limit_of(name, result), Limit::Memory, "{name}");
        eprintln!("{name}: {:?}", started.elapsed());
    }
}

#[test]
fn counted_limits_hold() {
    let _guard = ONE_AT_A_TIME.lock();
    let world = world();
    let view = DirectView::new(&world.kb);
    let none = Limits::none();
    let all = "SELECT * { ?a ?p ?b . ?c ?q ?d }";
    assert_eq!(limit_of("all", run(&view, all, Limits { rows: 1000, ..none })), Limit::Rows);
    assert_eq!(limit_of("all", run(&view, all, Limits { memory: 50_000, ..none })), Limit::Memory);
    assert_eq!(limit_of("all", run(&view, all, Limits { operations: 1000, ..none })), Limit::Operations);
    let graph = "CONSTRUCT { ?a ?q ?d } { ?a ?p ?b . ?c ?q ?d }";
    assert_eq!(limit_of("graph", run(&view, graph, Limits { rows: 100, ..none })), Limit::Rows);
    let paths = [
        "SELECT (COUNT(*) AS ?n) { ?a ((<p:x>|!<p:y>)*/(!<p:z>|^!<p:y>)*)* ?b . ?b (!<p:x>)* ?c . ?c (!<p:x>)* ?d }",
        "SELECT (COUNT(*) AS ?n) { ?a (!<p:x>|^!<p:x>)*/(!<p:x>|^!<p:x>)*/(!<p:x>|^!<p:x>)* ?b }",
    ];
    for path in paths {
        assert_eq!(
            limit_of(path, run(&view, path, Limits { operations: 100_000, ..none })),
            Limit::Operations,
            "{path}"
        );
    }
    // Earlier costs also count.
    let budget = Budget::new(Limits { operations: 1000, ..none });
    budget.spend(990).unwrap();
    assert_eq!(
        limit_of("used", evaluate(&view, &parse("SELECT * { ?a ?p ?b }"), &budget)),
        Limit::Operations
    );
    let deep = format!("SELECT * {{ ?a ?p ?b FILTER({}?b) }}", "!".repeat(100));
    let budget = Budget::new(Limits { operations: 1000, ..none });
    budget.spend(990).unwrap();
    assert_eq!(limit_of("used", evaluate(&view, &parse(&deep), &budget)), Limit::Operations);
    let budget = Budget::new(Limits { operations: 100_000, ..none });
    evaluate(&view, &parse(&deep), &budget).unwrap();
    assert!(budget.cost().operations > 100, "the other thread's costs are counted here");
}

/// With any number of operations: the complete answer or none.
#[test]
fn a_part_is_never_taken_for_the_whole() {
    let _guard = ONE_AT_A_TIME.lock();
    let world = world();
    let view = DirectView::new(&world.kb);
    let graph: Vec<oxrdf::Triple> = view.triples().map(|t| view.decode_triple(t).unwrap()).collect();
    let mut texts: Vec<String> = (0..60).map(|seed| Generator::new(77_000 + seed, &graph).query()).collect();
    let fixed = [
        "SELECT * { ?s ?p ?o MINUS { ?s ?q ?o . ?o ?r ?x } }",
        "SELECT * { ?s ?p ?o FILTER NOT EXISTS { ?o ?q ?x } }",
        "SELECT * { ?s ?p ?o OPTIONAL { ?o ?q ?x FILTER(EXISTS { ?x ?y ?z }) } }",
        "ASK { ?s ?p ?o FILTER(!EXISTS { ?s ?q ?x }) }",
        "SELECT (COUNT(*) AS ?n) (SUM(?o) AS ?t) { ?s ?p ?o }",
        "SELECT ?s (EXISTS { ?s ?p ?s } AS ?x) { ?s ?q ?o }",
        "SELECT * { ?s ?p ?o BIND(IF(EXISTS { ?o ?q ?x }, 1, 2) AS ?y) } ORDER BY ?y",
        "DESCRIBE ?s { ?s ?p ?o }",
        "SELECT DISTINCT ?x { ?s (!<a:b>)+ ?x }",
    ];
    texts.extend(fixed.map(str::to_owned));
    let (mut stopped, mut answered) = (0, 0);
    for text in texts {
        let query = parse(&text);
        let whole = |operations: u64| {
            let budget = Budget::new(Limits { operations, ..Limits::none() });
            (evaluate(&view, &query, &budget), budget.cost().operations)
        };
        let (Ok(complete), needed) = whole(30_000) else { continue };
        let mut operations = 0;
        while operations <= needed {
            match whole(operations).0 {
                Ok(results) => {
                    assert_eq!(results, complete, "{text} with {operations} operations");
                    answered += 1;
                }
                Err(SparqlError::Stopped(_)) => stopped += 1,
                Err(error) => panic!("{text}: {error}"),
            }
            operations += 1 + needed / 40;
        }
    }
    eprintln!("{stopped} stopped, {answered} answered");
    assert!(stopped > 500 && answered > 30);
}

#[test]
fn what_is_refused() {
    let world = world();
    let view = DirectView::new(&world.kb);
    let refused = |text: &str| run(&view, text, Limits::default()).unwrap_err().to_string();
    let service = refused("SELECT * { SERVICE <http://example.org/> { ?s ?p ?o } }");
    assert_eq!(
        service,
        "SERVICE <http://example.org/> is not supported: queries see this KB only, never the network"
    );
    for text in [
        "SELECT * { SERVICE SILENT <http://example.org/> { ?s ?p ?o } }",
        "SELECT * { ?s ?p ?o FILTER EXISTS { SERVICE SILENT <http://example.org/> { ?s ?p ?o } } }",
        "SELECT (EXISTS { SERVICE ?s { ?s ?p ?o } } AS ?x) { ?s ?p ?o }",
    ] {
        assert!(refused(text).starts_with("SERVICE"), "{text}");
    }
    assert!(refused("SELECT * FROM <http://g/> { ?s ?p ?o }").contains("one graph only"));
    assert!(refused("ASK FROM NAMED <http://g/> { GRAPH ?g { ?s ?p ?o } }").contains("one graph only"));
    let unknown = refused("SELECT (<http://no/such>(1) AS ?x) { }");
    assert!(unknown.contains("http://no/such"), "{unknown}");
    let nothing = run(&view, "SELECT * { GRAPH ?g { ?s ?p ?o } }", Limits::default()).unwrap();
    assert!(matches!(nothing, Results::Solutions { rows, .. } if rows.is_empty()));
    assert_eq!(
        run(&view, "ASK { GRAPH <http://g/> {} }", Limits::default()).unwrap(),
        Results::Boolean(false)
    );
}

/// Queries with this number of levels.
fn nested(levels: usize) -> Vec<(&'static str, String)> {
    let wrap = |start: &str, before: &str, after: &str| {
        format!("{}{start}{}", before.repeat(levels), after.repeat(levels))
    };
    let triple = "?s ?p ?o";
    vec![
        ("not", format!("SELECT * {{ {triple} FILTER({}) }}", wrap("?o", "!(", ")"))),
        ("sum", format!("SELECT ({} AS ?x) {{ {triple} }}", wrap("1", "1+(", ")"))),
        ("long sum", format!("SELECT (1{} AS ?x) {{ {triple} }}", "+1".repeat(levels))),
        ("long or", format!("SELECT * {{ {triple} FILTER(?o = 1{}) }}", " || ?o = 2".repeat(levels))),
        ("if", format!("SELECT ({} AS ?x) {{ {triple} }}", wrap("1", "IF(true,", ",2)"))),
        ("concat", format!("SELECT ({} AS ?x) {{ {triple} }}", wrap("?s", "CONCAT(STR(", "),\"\")"))),
        ("exists", format!("SELECT * {{ {triple} {} }}", wrap("", "FILTER EXISTS { ?s ?p ?o ", "}"))),
        ("unions", format!("SELECT * {{ {} }}", wrap("{ ?s ?p ?o }", "{", "} UNION { ?s ?p ?o }"))),
        ("long union", format!("SELECT * {{ {{ {triple} }} {} }}", "UNION { ?s ?p ?o }".repeat(levels))),
        ("sub-selects", format!("SELECT * {{ {} }}", wrap(triple, "{ SELECT DISTINCT * {", "} }"))),
        ("minus", format!("SELECT * {{ {} }}", wrap(triple, "?s ?p ?o MINUS {", "}"))),
        (
            "binds",
            format!(
                "SELECT * {{ {triple} {} }}",
                (0..levels).map(|i| format!("BIND({i} AS ?b{i}) ")).collect::<String>()
            ),
        ),
        ("filters", format!("SELECT * {{ {} }}", wrap(triple, "{ ?s ?p ?o FILTER(?o != 1) } UNION {", "}"))),
        (
            "groups",
            format!("SELECT * {{ {} }}", wrap(triple, "{ SELECT ?s ?p ?o { ", " } GROUP BY ?s ?p ?o }")),
        ),
        ("orders", format!("SELECT * {{ {} }}", wrap(triple, "{ SELECT * { ", " } ORDER BY STR(?s) }"))),
        ("path", format!("SELECT * {{ ?s {} ?o }}", wrap("<p:x>", "(<p:x>/", ")*"))),
        ("long path", format!("SELECT * {{ ?s <p:x>{} ?o }}", "/<p:x>".repeat(levels))),
        ("alternatives", format!("SELECT * {{ ?s (<p:x>{}) ?o }}", "|<p:x>".repeat(levels))),
        ("triple terms", format!("SELECT * {{ ?s ?p {} }}", wrap("?o", "<<( ?s ?p ", " )>>"))),
    ]
}

fn on_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

/// A stack overflow ends the process: if this test ends at all, there was none.
#[test]
fn deep_queries_do_not_overflow_the_stack() {
    let _guard = ONE_AT_A_TIME.lock();
    let world = world();
    let view = DirectView::new(&world.kb);
    for levels in [5, 12, 20, 40, 200, 330, 900, 3000] {
        for (name, text) in nested(levels) {
            let query = on_stack(1 << 30, || parse(&text));
            let limits = Limits { operations: 20_000, time: Duration::from_secs(10), ..Limits::default() };
            let started = Instant::now();
            let result = on_stack(1 << 20, || evaluate(&view, &query, &Budget::new(limits)));
            let took = started.elapsed();
            if took > Duration::from_millis(500) {
                eprintln!(
                    "{levels} {name}: {took:?} {}",
                    result.as_ref().map_or_else(ToString::to_string, |_| String::new())
                );
            }
            assert!(took < Duration::from_secs(15), "{levels} {name}: {took:?}");
            if levels >= 3000 {
                assert!(
                    matches!(result, Err(SparqlError::TooComplex { .. })),
                    "{name} with {levels} levels: {result:?}"
                );
            }
            on_stack(1 << 30, || drop(query));
        }
    }
}

/// Planning cannot be stopped, so it must be short for everything that is admitted.
#[test]
fn planning_is_bounded() {
    let _guard = ONE_AT_A_TIME.lock();
    let world = world();
    let view = DirectView::new(&world.kb);
    let chain: String = (0..64).map(|i| format!("?x{i} <p:x> ?x{} . ", i + 1)).collect();
    let star: String = (0..64).map(|i| format!("?x <p:x> ?x{i} . ")).collect();
    let optional = (0..10).fold("?a ?b ?c MINUS { ?a ?d ?c }".to_owned(), |inner, i| {
        format!("?a <p:x> ?o{i} OPTIONAL {{ {inner} }}")
    });
    let optionals: String = (0..63).map(|i| format!("OPTIONAL {{ ?x <p:x> ?x{i} }} ")).collect();
    let too_many: String = (0..64).map(|i| format!("OPTIONAL {{ ?x <p:x> ?x{i} }} ")).collect();
    let inner: String = (0..11).map(|i| format!("?a <p:x> ?i{i} . ")).collect();
    let heavy_optional = (0..10).fold(format!("{inner} MINUS {{ ?a ?d ?c }}"), |inner, i| {
        format!("?a <p:x> ?o{i} OPTIONAL {{ {inner} }}")
    });
    let filters: String = (0..200).map(|i| format!("FILTER(?x{i} != ?x{}) ", i + 1)).collect();
    let union: String = (0..200).map(|i| format!("UNION {{ ?x{i} <p:x> ?y }} ")).collect();
    let items: String = (0..9000).map(|i| format!(", {i}")).collect();
    let cases = [
        ("chain", format!("ASK {{ {chain} }}")),
        ("star", format!("ASK {{ {star} }}")),
        ("star of groups", format!("ASK {{ {} }}", star.replace(" . ", " } ").replace("?x <", "{ ?x <"))),
        (
            "two chains",
            format!("ASK {{ {{ {chain} }} UNION {{ {chain} }} }}")
                .replace("?x63", "?y")
                .replace("?x64", "?y"),
        ),
        ("too many chains", format!("ASK {{ {{}} {} }}", format!("UNION {{ {chain} }}").repeat(150))),
        ("nested optionals", format!("ASK {{ {optional} }}")),
        ("heavy optionals", format!("ASK {{ {heavy_optional} }}")),
        ("many optionals", format!("ASK {{ ?x <p:x> ?y {optionals} }}")),
        ("too many optionals", format!("ASK {{ ?x <p:x> ?y {too_many} }}")),
        ("many filters", format!("ASK {{ {chain} {filters} }}")),
        ("filters over unions", format!("ASK {{ {{}} {union} {filters} }}")),
        ("long list", format!("ASK {{ ?x <p:x> ?y FILTER(?y IN (1{items})) }}")),
    ];
    for (name, text) in cases {
        let query = parse(&text);
        let started = Instant::now();
        let limits = Limits { time: Duration::from_secs(1), ..Limits::default() };
        let result = evaluate(&view, &query, &Budget::new(limits));
        let took = started.elapsed();
        eprintln!("{name}: {took:?} {result:?}");
        assert!(took < Duration::from_secs(10), "{name}: {took:?}");
        let refused = matches!(result, Err(SparqlError::TooComplex { .. }));
        assert_eq!(refused, name.starts_with("too many"), "{name}: {result:?}");
    }
}
