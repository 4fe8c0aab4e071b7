//! Full SPARQL on the RDF views of a KB, within a budget.
//!
//! [`evaluate`] runs a parsed query (see `touchstone_logic::sparql::parse`) on a view without copying any data, [`write()`] writes the
//! results in one of the standard formats. There is one graph, the default one: `FROM` and `SERVICE` are refused, `GRAPH` matches nothing.

mod admission;
mod bindings;
pub(crate) mod casts;
mod dataset;
mod evaluate;
mod format;
mod held;
pub(crate) mod measures;
mod stoppable;
mod walk;
mod watchdog;

pub use evaluate::{Results, evaluate};
pub use format::{FormatError, GraphFormat, ReplyFormat, ResultFormat, UnknownFormat, negotiate, write};

pub(crate) use admission::is_shallow;
pub(crate) use held::row_bytes;
pub(crate) use walk::for_each_inside;

use crate::budget::Stopped;

/// Why a SPARQL query has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SparqlError {
    /// A limit was reached. There is no partial answer.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The query has a `SERVICE` block.
    #[error("SERVICE {name} is not supported: queries see this KB only, never the network")]
    Service {
        /// The service, or the variable that stands for it.
        name: String,
    },
    /// The query has a `FROM` or `FROM NAMED` clause.
    #[error("FROM and FROM NAMED are not supported: a KB has one graph only, which is the default")]
    OneGraph,
    /// The query is too large or too deep to be planned in bounded time.
    #[error("the query is too complex: more than {most} {what}")]
    TooComplex {
        /// What there is too much of.
        what: &'static str,
        /// The maximum.
        most: usize,
    },
    /// The query asks for something that cannot be evaluated, such as an unknown function.
    #[error("the query cannot be evaluated: {reason}")]
    Evaluation {
        /// The evaluator's message.
        reason: String,
    },
    /// No thread could be started.
    #[error("the evaluation could not be started")]
    Thread(#[source] std::io::Error),
}
