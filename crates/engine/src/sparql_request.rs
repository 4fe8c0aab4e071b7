//! A parsed SPARQL query, as a session passes it to engines.

use crate::engine::EngineError;
use crate::shortcut::View;
use oxrdf::Variable;
use spargebra::Query;
use spargebra::algebra::GraphPattern;
use touchstone_kb::Kb;
use touchstone_kb::rdf::KQAPRO_BASE;
use touchstone_logic::SparqlForm;
use touchstone_logic::sparql::tokens::{TokenKind, sparql_tokens};
use touchstone_logic::sparql::{Dialect, NotRecognised, Parsed, QueryIris, Recognised};

/// A SPARQL query to run.
#[derive(Debug, Clone)]
pub struct SparqlRequest {
    /// The text after repair, for servers.
    pub text: String,
    /// The parsed query.
    pub query: Query,
    /// The graph that it is about.
    pub view: View,
    /// Whether RDF results are preferred to things of the KB.
    pub terms: bool,
    /// Whether to record every step, if the engine can.
    pub trace: bool,
    /// The query in the algebra, or why it is outside the algebra.
    pub(crate) recognised: Result<Recognised, NotRecognised>,
    /// The IRIs of the query.
    pub(crate) iris: QueryIris,
    /// A relative IRI without a base, as written in the query.
    relative: Option<String>,
}

impl SparqlRequest {
    /// A parsed query on a view; if absent, on the view that the query itself is written for. `text` is what was parsed.
    pub fn new(form: SparqlForm, text: &str, view: Option<View>, kb: &Kb) -> SparqlRequest {
        let SparqlForm { parsed: Parsed { mut query, text: repaired, .. }, recognised, .. } = form;
        let iris = QueryIris::of(&query);
        let view = view.unwrap_or_else(|| match &recognised {
            Ok(recognised) if recognised.dialect == Dialect::KqaPro => View::KqaPro,
            // KQA Pro writes relative IRIs; if ids are IRIs, they must also have its predicates.
            _ if iris.relative().is_some() && (iris.has_kqapro_predicate() || has_short_ids(kb)) => {
                View::KqaPro
            }
            _ => View::Direct,
        });
        let mut relative = None;
        if view == View::Direct {
            // The base is KQA Pro's: in any other graph, relative IRIs have no base.
            relative = iris.relative().filter(|_| !writes_kqapro_base(text)).map(str::to_owned);
            remove_kqapro_base(&mut query);
        }
        SparqlRequest { text: repaired, query, view, terms: false, trace: false, recognised, iris, relative }
    }

    /// Rejects a query with a relative IRI and no base. Local engines call it; a server may have its own base.
    pub(crate) fn check_iris(&self) -> Result<(), EngineError> {
        match &self.relative {
            Some(iri) => Err(EngineError::RelativeIri { iri: iri.clone() }),
            None => Ok(()),
        }
    }

    /// The columns of the query.
    pub(crate) fn projected(&self) -> Vec<Variable> {
        let Query::Select { pattern, .. } = &self.query else { return Vec::new() };
        let mut pattern = pattern;
        loop {
            pattern = match pattern {
                GraphPattern::Project { variables, .. } => return variables.clone(),
                GraphPattern::Distinct { inner }
                | GraphPattern::Reduced { inner }
                | GraphPattern::Slice { inner, .. }
                | GraphPattern::OrderBy { inner, .. } => inner,
                _ => return Vec::new(),
            };
        }
    }
}

/// Whether the ids of a KB are short names, as KQA Pro's are, and not IRIs. (Ids are sorted, blank nodes first.)
fn has_short_ids(kb: &Kb) -> bool {
    let last = kb.nodes().take(kb.n_entities()).last().or_else(|| kb.nodes().last());
    last.is_some_and(|node| !touchstone_kb::iri::is_absolute(kb.node_id(node)))
}

/// Whether a text has IRIs with KQA Pro's base written out.
fn writes_kqapro_base(text: &str) -> bool {
    let has_base = |iri: &str| iri.strip_prefix('<').is_some_and(|iri| iri.starts_with(KQAPRO_BASE));
    sparql_tokens(text).any(|token| token.kind == TokenKind::Iri && has_base(token.text))
}

/// Removes KQA Pro's base, so that `IRI("a")` is an error, as it is without a base.
fn remove_kqapro_base(query: &mut Query) {
    let (Query::Select { base_iri, .. }
    | Query::Ask { base_iri, .. }
    | Query::Construct { base_iri, .. }
    | Query::Describe { base_iri, .. }) = query;
    if base_iri.as_ref().is_some_and(|base| base.as_str() == KQAPRO_BASE) {
        *base_iri = None;
    }
}
