//! Query graphs and their shapes.

mod alias;
mod ascii;
mod code;
mod cyclic;
mod from_query;
mod from_sparql;
mod parts;
mod query_graph;
mod shape;
mod shape_counts;

pub use alias::{Alias, CLASSES, Certainty, Class};
pub use ascii::{Style, draw, draw_in};
pub use code::{Coder, INVALID};
pub use query_graph::{Edge, QueryGraph, Skeleton, Traversal, Vertex, is_unprintable};
pub use shape::Shape;
pub use shape_counts::{NoShape, QuestionShape, ShapeCount, ShapeCounts};
