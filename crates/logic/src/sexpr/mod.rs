//! S-expressions: the language of GrailQA, and of the WebQSP and ComplexWebQuestions parsers that followed it.

pub(crate) mod convert;
mod form;
mod graph_query;
pub mod read;

pub use convert::print;
pub use form::{Binary, Form};
pub use graph_query::{GraphFunction, GraphNode, GraphQuery, GraphQueryEdge, GraphQueryError, NodeType};
