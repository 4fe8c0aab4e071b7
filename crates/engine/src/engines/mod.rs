//! The engines of this crate. The engine for SPARQL servers is in `touchstone-protocol`.

mod as_sparql;
mod auto;
mod embedded;
mod spareval;

pub use as_sparql::run_plan_as_sparql;
pub use auto::AutoEngine;
pub use embedded::EmbeddedEngine;
pub use spareval::SparevalEngine;
