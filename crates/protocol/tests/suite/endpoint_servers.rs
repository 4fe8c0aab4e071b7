//! The client against real servers that hold World's direct view without qualifiers:
//!
//! ```sh
//! touchstone kb export --kb world --format nt --view direct --no-qualifiers --out world.nt
//! export TOUCHSTONE_TEST_VIRTUOSO=$(VIRTUOSO_MAX_ROWS=5000 tools/servers/virtuoso.sh start DIR1 world.nt)
//! export TOUCHSTONE_TEST_OXIGRAPH=$(OXIGRAPH=... tools/servers/oxigraph.sh start DIR2 world.nt)
//! ```
//!
//! Without these variables there is nothing to test here.

use crate::endpoint_support::select_all;
use oxrdf::Term;
use std::collections::HashSet;
use std::time::Duration;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_protocol::endpoint::{Credentials, Endpoint, EndpointError, EndpointRows, EndpointSettings};

const PREFIXES: &str = "PREFIX p: <urn:touchstone:world:property:> PREFIX w: <urn:touchstone:world:> \
     PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ";
/// The graph that `virtuoso.sh` loads into by default.
const GRAPH: &str = "urn:touchstone:test";

fn server(variable: &str, settings: EndpointSettings) -> Option<Endpoint> {
    let url = touchstone_testing::variable(variable)?.into_string().expect("an address");
    Some(Endpoint::with_credentials(&url, settings, Credentials::default()).expect("an address"))
}

fn virtuoso() -> Option<Endpoint> {
    let graph = std::env::var("TOUCHSTONE_TEST_VIRTUOSO_GRAPH").unwrap_or_else(|_| GRAPH.to_owned());
    server(
        "TOUCHSTONE_TEST_VIRTUOSO",
        EndpointSettings { default_graph: Some(graph), ..EndpointSettings::default() },
    )
}

fn oxigraph() -> Option<Endpoint> {
    server("TOUCHSTONE_TEST_OXIGRAPH", EndpointSettings::default())
}

/// The same server with other settings.
fn again(endpoint: &Endpoint, settings: EndpointSettings) -> Endpoint {
    Endpoint::with_credentials(endpoint.url(), settings, Credentials::default()).expect("an address")
}

fn both() -> impl Iterator<Item = Endpoint> {
    [virtuoso(), oxigraph()].into_iter().flatten()
}

fn budget() -> Budget<'static> {
    Budget::new(Limits { time: Duration::from_secs(120), ..Limits::default() })
}

fn select(endpoint: &Endpoint, text: &str) -> EndpointRows {
    endpoint
        .select(&format!("{PREFIXES}{text}"), &budget())
        .unwrap_or_else(|error| panic!("{}: {text}: {error}", endpoint.url()))
}

fn rows(table: &EndpointRows) -> HashSet<Vec<String>> {
    table
        .rows
        .iter()
        .map(|row| row.iter().map(|term| term.as_ref().map_or_else(String::new, Term::to_string)).collect())
        .collect()
}

#[test]
fn simple_questions() {
    for endpoint in both() {
        let ask = |text: &str| endpoint.ask(&format!("{PREFIXES}{text}"), &budget()).expect("an answer");
        assert!(ask("ASK { <urn:touchstone:world:country/FR> p:capital ?c }"));
        assert!(!ask(
            "ASK { <urn:touchstone:world:country/FR> p:capital <urn:touchstone:world:country/FR> }"
        ));
        let table = select(&endpoint, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }");
        assert_eq!(
            rows(&table).into_iter().next().expect("a row"),
            ["\"1244966\"^^<http://www.w3.org/2001/XMLSchema#integer>"]
        );
        assert!(table.bytes > 0);
        let empty = select(&endpoint, "SELECT ?s ?o { ?s p:nothing ?o }");
        assert_eq!((empty.variables.len(), empty.rows.len()), (2, 0));
        let optional = select(&endpoint, "SELECT ?x ?y { BIND(1 AS ?x) OPTIONAL { ?x p:nothing ?y } }");
        assert_eq!(optional.rows.len(), 1);
        assert_eq!(optional.rows[0][1], None);
    }
}

#[test]
fn large_results_are_complete_and_equal() {
    let zones: Vec<(String, HashSet<Vec<String>>)> = both()
        .map(|endpoint| {
            let budget = budget();
            let table = endpoint
                .select(&format!("{PREFIXES}SELECT ?s ?o {{ ?s p:time_zone ?o }}"), &budget)
                .expect("all");
            assert_eq!(table.rows.len(), 42_235, "{}", endpoint.url());
            assert_eq!(budget.cost().rows, 42_235);
            // Now the caller holds the memory.
            assert!(budget.cost().memory >= table.bytes && table.bytes > 42_235 * 50);
            (endpoint.url().to_owned(), rows(&table))
        })
        .collect();
    for (url, zone) in &zones {
        assert_eq!(zone.len(), 42_235, "{url}");
        assert_eq!(*zone, zones[0].1, "{url}");
    }
}

#[test]
fn limits_and_orders_of_queries_are_kept() {
    for endpoint in both() {
        let all = select(&endpoint, "SELECT ?s ?n { ?s p:population ?n } ORDER BY DESC(?n) ?s LIMIT 12345");
        assert_eq!(all.rows.len(), 12_345, "{}", endpoint.url());
        let number = |row: &Vec<Option<Term>>| match &row[1] {
            Some(Term::Literal(value)) => value.value().parse::<f64>().expect("a number"),
            other => panic!("{other:?}"),
        };
        assert!(all.rows.is_sorted_by(|a, b| number(a) >= number(b)));
        // Virtuoso does not support an offset without a limit.
        let rest = select(&endpoint, "SELECT ?s ?n { ?s p:population ?n } ORDER BY DESC(?n) ?s OFFSET 12300");
        assert_eq!(rest.rows[..45], all.rows[12_300..], "{}", endpoint.url());
        let distinct = select(&endpoint, "SELECT DISTINCT ?o { ?s p:time_zone ?o }");
        assert_eq!((distinct.rows.len(), rows(&distinct).len()), (414, 414));
        // Equal rows are kept: names of zones, one for each place.
        let repeated = select(&endpoint, "SELECT ?o { ?s p:time_zone ?o }");
        assert_eq!((repeated.rows.len(), rows(&repeated).len()), (42_235, 414));
    }
}

#[test]
fn pages_of_a_size() {
    for endpoint in both() {
        let settings = EndpointSettings { page_size: Some(1000), ..endpoint.settings().clone() };
        let paging = again(&endpoint, settings);
        let text = "SELECT ?s { ?s p:official_language ?o }";
        let (paged, whole) = (select(&paging, text), select(&endpoint, text));
        assert_eq!((rows(&paged), paged.rows.len()), (rows(&whole), whole.rows.len()));
    }
}

#[test]
fn graphs() {
    for endpoint in both() {
        let graph =
            |text: &str| endpoint.graph(&format!("{PREFIXES}{text}"), &budget()).expect("a graph").triples;
        let zones = graph("CONSTRUCT { ?o <urn:used-by> ?s } WHERE { ?s p:time_zone ?o }");
        assert_eq!(zones.len(), 42_235, "{}", endpoint.url());
        let france = graph("DESCRIBE <urn:touchstone:world:country/FR>");
        assert!(france.len() > 20);
        let trusting = EndpointSettings { detect_caps: false, ..endpoint.settings().clone() };
        let trusting = again(&endpoint, trusting);
        let text = "CONSTRUCT WHERE { <urn:touchstone:world:country/FR> ?p ?o }";
        let as_sent: HashSet<_> =
            trusting.graph(text, &budget()).expect("a graph").triples.into_iter().collect();
        let as_made: HashSet<_> =
            endpoint.graph(text, &budget()).expect("a graph").triples.into_iter().collect();
        assert_eq!(as_sent, as_made, "{}", endpoint.url());
    }
}

#[test]
fn values_come_back_as_they_were_written() {
    for endpoint in both() {
        let values = select(&endpoint, "SELECT ?o { ?s p:radioactive ?o }");
        assert_eq!(values.rows.len(), 118);
        assert!(
            rows(&values).iter().all(|row| row[0].starts_with("\"true\"") || row[0].starts_with("\"false\""))
        );
        let dates =
            select(&endpoint, "SELECT ?o { <urn:touchstone:world:country/AE> p:independence_date ?o }");
        assert!(
            rows(&dates)
                .contains(&vec!["\"1971-12-02\"^^<http://www.w3.org/2001/XMLSchema#date>".to_owned()])
        );
        let decimals = select(&endpoint, "SELECT ?o { <urn:touchstone:world:airport/AAA> p:longitude ?o }");
        assert_eq!(
            rows(&decimals),
            HashSet::from([vec!["\"-145.50999\"^^<http://www.w3.org/2001/XMLSchema#decimal>".to_owned()]])
        );
        let labels = select(&endpoint, "SELECT ?o { <urn:touchstone:world:country/FR> rdfs:label ?o }");
        assert_eq!(rows(&labels), HashSet::from([vec!["\"France\"@en".to_owned()]]));
    }
}

#[test]
fn mistakes_are_explained_by_the_server() {
    for endpoint in both() {
        let error = endpoint.select("SELECT ?x { ?x ?y }", &budget()).expect_err("no triple");
        assert!(
            matches!(&error, EndpointError::Status { status: 400, attempts: 1, message, .. } if !message.is_empty()),
            "{error}"
        );
        assert!(!error.to_string().contains("SPARQL query:"), "{error}");
    }
}

#[test]
fn budgets_hold() {
    for endpoint in both() {
        let text = format!("{PREFIXES}SELECT ?s ?o {{ ?s p:time_zone ?o }}");
        for (limits, word) in [
            (Limits { rows: 1500, ..Limits::none() }, "rows"),
            (Limits { memory: 100_000, ..Limits::none() }, "memory"),
        ] {
            let budget = Budget::new(limits);
            assert_eq!(
                endpoint.select(&text, &budget).expect_err("too much").word(),
                word,
                "{}",
                endpoint.url()
            );
            assert!(budget.hold(limits.memory.min(100_000)).is_ok());
        }
        // Not too heavy: servers continue the query after the client disconnects.
        let heavy = format!(
            "{PREFIXES}SELECT (COUNT(*) AS ?n) {{ ?a rdfs:label ?l FILTER(REGEX(REPLACE(STR(?l), \"a\", \"bb\"), \"b.*b\")) }}"
        );
        let hurried = Budget::new(Limits { time: Duration::from_millis(20), ..Limits::none() });
        assert_eq!(
            endpoint.select(&heavy, &hurried).expect_err("too slow").word(),
            "time",
            "{}",
            endpoint.url()
        );
    }
}

#[test]
fn threads_share_an_endpoint() {
    for endpoint in both() {
        let codes = select(&endpoint, "SELECT ?s { ?s a w:country } ORDER BY ?s LIMIT 60");
        let texts: Vec<String> =
            rows(&codes).iter().map(|row| format!("SELECT ?p ?o {{ {} ?p ?o }}", row[0])).collect();
        let one = select_all(&endpoint, &texts, 1);
        let four = select_all(&endpoint, &texts, 4);
        for (text, (one, four)) in texts.iter().zip(one.into_iter().zip(four)) {
            let (one, four) = (one.expect("an answer"), four.expect("an answer"));
            assert!(one.rows.len() > 3, "{text}");
            assert_eq!(rows(&one), rows(&four), "{text}");
        }
    }
}
