//! Oxigraph in memory next to a session: rows of RDF terms from the text of a query on both sides.

use oxigraph::model::{GraphName, Term};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::sparql::Results;
use touchstone_engine::{Answers, Outcome, Session, Settings};
use touchstone_kb::Kb;
use touchstone_kb::rdf::{DirectView, RdfView};
use touchstone_logic::Language;

/// The plain triples of a KB in Oxigraph.
pub fn loaded_view(kb: &Kb) -> Store {
    let view = DirectView::new(kb);
    let store = Store::new().unwrap();
    let mut loader = store.bulk_loader();
    let triples = view.triples().filter_map(|triple| view.decode_triple(triple));
    let quads = triples.map(|triple| triple.in_graph(GraphName::DefaultGraph));
    loader.load_quads(quads).unwrap();
    loader.commit().unwrap();
    store
}

/// The rows of a query as RDF terms, through the session, as `query` and the server run it.
pub fn rows_ours(session: &Session<'_>, language: Language, text: &str) -> Vec<Vec<Option<Term>>> {
    let settings = Settings { terms: true, limits: Limits::none(), ..Settings::default() };
    let reply = session.run(language, text, &settings, &Cancel::default());
    match reply.outcome {
        Outcome::Answered(Answers::Rdf(Results::Solutions { rows, .. })) => rows,
        other => panic!("{text}: {other:?}"),
    }
}

/// The rows of a query in Oxigraph.
pub fn rows_peer(store: &Store, text: &str) -> Vec<Vec<Option<Term>>> {
    let results = SparqlEvaluator::new().parse_query(text).unwrap().on_store(store).execute().unwrap();
    let QueryResults::Solutions(solutions) = results else { panic!("{text}: no solutions") };
    solutions.map(|solution| solution.unwrap().values().to_vec()).collect()
}

/// Rows in a canonical order.
pub fn texts(rows: Vec<Vec<Option<Term>>>) -> Vec<String> {
    let cell = |cell: &Option<Term>| cell.as_ref().map_or(String::new(), ToString::to_string);
    let row = |row: &Vec<Option<Term>>| row.iter().map(cell).collect::<Vec<_>>().join(" ");
    let mut texts: Vec<String> = rows.iter().map(row).collect();
    texts.sort_unstable();
    texts
}
