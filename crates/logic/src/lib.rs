#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )
)]

mod answer;
mod cast;
pub mod equal;
pub mod graph;
pub mod kopl;
pub mod level;
mod level_counts;
mod loss;
mod ontology;
mod pattern;
mod query;
mod read_form;
mod reading;
mod relax;
mod schema_ids;
pub mod sexpr;
pub mod sparql;
mod text;
pub mod typed;
mod value;
mod vocabulary;
mod words;

pub use answer::{Answer, Number};
pub use graph::{QueryGraph, Shape};
pub use kopl::Program;
pub use loss::{Inexpressible, Language, Loss, Printed};
pub use ontology::{Ontology, OntologyError};
pub use query::{
    Ask, Condition, Direction, During, Extreme, Mark, Operand, Query, Relate, Rules, Set, Step, Superlative,
};
pub use read_form::{ParsedForm, ReadForm, SparqlForm};
pub use reading::{Knowledge, ReadError, Reading, UnknownWords, read_graph, read_program, read_text};
pub use relax::{each_without_one, without_one};
pub use schema_ids::{entities, only_entity, with_ids};
pub use sexpr::Form;
pub use text::{Span, SyntaxError, SyntaxErrorKind};
pub use value::{Symbol, Value};
pub use vocabulary::{KeyKind, SAME_AS, Spelling, Vocabulary};
pub use words::Word;
