//! Query graphs and their shapes.

mod alias;
mod ascii;
mod code;
mod cyclic;
mod from_query;
mod layout;
mod query_graph;
mod shape;
mod svg;

pub use alias::{Alias, CLASSES, Certainty, Class};
pub use ascii::{Style, draw, draw_in};
pub use code::{Coder, INVALID};
pub use query_graph::{Edge, QueryGraph, Skeleton, Vertex};
pub use shape::Shape;
pub use svg::svg;
