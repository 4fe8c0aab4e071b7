//! Logical forms: everything that can be said about a query without running it.
//!
//! Three languages translate to one algebra ([`Query`]) and back: S-expressions ([`sexpr`]), KoPL programs ([`kopl`]) and SPARQL ([`sparql`]).
//! From the algebra come query graphs and shapes ([`graph`]), schema items and levels ([`level`]), and equivalence ([`equal`]).
//!
//! ```
//! use touchstone_logic::{Form, QueryGraph, Spelling, kopl};
//! let form = Form::parse("(AND film.film (JOIN film.film.directed_by m.0184jc))", &Spelling)?;
//! let query = form.to_query()?;
//! assert_eq!(QueryGraph::of(&query).shape().code, "T1:(())");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
pub mod dataset;
pub mod equal;
pub mod graph;
pub mod kopl;
pub mod level;
mod lookup;
mod loss;
mod ontology;
mod pattern;
mod query;
pub mod sexpr;
pub mod sparql;
mod text;
mod value;
mod words;

pub use answer::{Answer, Number};
pub use graph::{QueryGraph, Shape};
pub use kopl::Program;
pub use lookup::{Inverses, KeyKind, Lookup, Names, SAME_AS, Silent, Spelling};
pub use loss::{Inexpressible, Language, Loss, Printed};
pub use ontology::{Ontology, OntologyError};
pub use query::{
    Ask, Condition, Direction, During, Extreme, Mark, Operand, Query, Relate, Rules, Set, Step, Superlative,
};
pub use sexpr::Form;
pub use text::{MAX_DEPTH, Span, SyntaxError, first_byte};
pub use value::{Symbol, UNTYPED, Value};
pub use words::Word;
