//! A SPARQL engine that holds a view of a KB.

use oxigraph::model::GraphName;
use oxigraph::sparql::{CancellationToken, QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;
use touchstone_engine::View;
use touchstone_engine::exact::{ExactQuery, Holds};
use touchstone_engine::sparql::Results;
use touchstone_kb::Kb;
use touchstone_kb::rdf::{DirectView, KqaProView, RdfView};

/// Oxigraph with the triples of a view.
pub struct Server(Store);

impl Server {
    /// Loads a view.
    pub fn new(kb: &Kb, view: View) -> Server {
        let store = Store::new().expect("a store");
        let load = |view: &dyn RdfView| {
            let mut loader = store.bulk_loader();
            let triples = view.triples().filter_map(|triple| view.decode_triple(triple));
            loader
                .load_quads(triples.map(|triple| triple.in_graph(GraphName::DefaultGraph)))
                .expect("loaded");
            loader.commit().expect("committed");
        };
        match view {
            View::Direct => load(&DirectView::new(kb)),
            View::KqaPro => load(&KqaProView::new(kb)),
        }
        Server(store)
    }

    /// Loads an original file.
    pub fn of_file(path: &std::path::Path) -> Server {
        let store = Store::new().expect("a store");
        let file = std::fs::File::open(path).expect("opened");
        store.load_from_reader(oxigraph::io::RdfFormat::NTriples, file).expect("loaded");
        Server(store)
    }

    /// Runs a query.
    pub fn run(&self, query: &ExactQuery) -> Result<Results, String> {
        // Some joins never finish in this engine; they count as time-outs.
        let token = CancellationToken::new();
        let (done, wait) = std::sync::mpsc::channel::<()>();
        let watched = token.clone();
        std::thread::spawn(move || {
            if wait.recv_timeout(Duration::from_secs(4)) == Err(RecvTimeoutError::Timeout) {
                watched.cancel();
            }
        });
        let evaluator = SparqlEvaluator::new().with_cancellation_token(token);
        let _done = done;
        let prepared = evaluator.parse_query(&query.text).map_err(|e| e.to_string())?;
        let columns: Vec<&str> = match &query.holds {
            Holds::Things { columns, .. } => columns.iter().map(|column| column.name()).collect(),
            Holds::Relations => vec!["relation"],
            Holds::Count => vec!["count"],
            Holds::Boolean => Vec::new(),
        };
        match prepared.on_store(&self.0).execute().map_err(|e| e.to_string())? {
            QueryResults::Boolean(value) => Ok(Results::Boolean(value)),
            QueryResults::Solutions(solutions) => {
                let variables = solutions.variables().to_vec();
                let mut rows = Vec::new();
                for solution in solutions {
                    let solution = solution.map_err(|e| e.to_string())?;
                    rows.push(columns.iter().map(|column| solution.get(*column).cloned()).collect());
                }
                Ok(Results::Solutions { variables, rows })
            }
            QueryResults::Graph(_) => Err("triples".to_owned()),
        }
    }
}
