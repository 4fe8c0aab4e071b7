//! The reply of a session.

use crate::budget::{Cost, Stopped};
use crate::embedded::TraceNode;
use crate::sparql::Results;
use touchstone_logic::Answer;

/// The outcome of a query, with notes, cost and trace.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The answers, or why there are none.
    pub outcome: Outcome,
    /// The name of the engine that ran it.
    pub engine: Option<&'static str>,
    /// Notes for the user: repairs, unknown names.
    pub notes: Vec<String>,
    /// The cost.
    pub cost: Cost,
    /// The trace of each step, if it was requested and the engine records it.
    pub trace: Option<TraceNode>,
}

/// The outcome of a query; see [`Reply`]. The names are those of benchmark runs.
///
/// The texts of failures come from the engines, servers and parsers of several crates and are only shown: callers decide by the
/// variant. Callers that need the typed error of a parser read the form first (`ReadForm::error`).
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The query completed. It may have no answers.
    Answered(Answers),
    /// The text is not a query.
    Unparsable(String),
    /// The query cannot be run.
    Failed(String),
    /// A limit was reached.
    OverBudget(Stopped),
}

impl Outcome {
    /// One word for files and JSON output.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Answered(_) => "answered",
            Outcome::Unparsable(_) => "unparsable",
            Outcome::Failed(_) => "failed_to_execute",
            Outcome::OverBudget(_) => "over_budget",
        }
    }
}

/// The answers to a query.
#[derive(Debug, Clone)]
pub enum Answers {
    /// A list: of KoPL, of S-expressions, and of SPARQL with one column.
    List {
        /// The answers.
        answers: Vec<Answer>,
    },
    /// Rows of SPARQL with several columns.
    Table {
        /// The columns.
        variables: Vec<String>,
        /// The rows.
        rows: Vec<Vec<Option<Answer>>>,
    },
    /// RDF results: whatever was asked, if they were requested, and always for SPARQL's CONSTRUCT and DESCRIBE.
    Rdf(Results),
}

impl Answers {
    /// The number of answers.
    pub fn len(&self) -> usize {
        match self {
            Answers::List { answers } => answers.len(),
            Answers::Table { rows, .. } => rows.len(),
            Answers::Rdf(Results::Graph(triples)) => triples.len(),
            Answers::Rdf(Results::Solutions { rows, .. }) => rows.len(),
            Answers::Rdf(Results::Boolean(_)) => 1,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
