//! Pictures of query graphs: one layout, drawn as a file of its own, as a small picture of a shape, or by the script
//! of the report.

mod flow;
mod folder;
mod labels;
mod layout;
mod plan;
mod shape_picture;
mod svg;

pub(crate) use flow::{FlowChart, FlowStep, StepState};
pub use folder::{DrawingError, DrawingFolder};
pub(crate) use plan::GraphPlan;
pub(crate) use shape_picture::ShapePictures;
pub(crate) use svg::linked_svg;
pub use svg::svg;

/// Graphs for the tests of this module.
#[cfg(test)]
mod samples {
    use touchstone_logic::QueryGraph;
    use touchstone_logic::graph::{Edge, Vertex};

    /// A graph from short words: vertices are `label`, `=label` (grounded), each with an optional `|note`;
    /// edges are `from`, `to`, relation. The first vertex is the answer.
    pub(super) fn graph(vertices: &[&str], edges: &[(usize, usize, &str)]) -> QueryGraph {
        let vertex = |text: &&str| {
            let (label, note) = text.split_once('|').unwrap_or((text, ""));
            let grounded = label.starts_with('=');
            let label = label.strip_prefix('=').unwrap_or(label);
            Vertex { grounded, label: label.into(), note: note.into() }
        };
        let edge = |&(from, to, label): &(usize, usize, &str)| Edge { from, to, label: label.into() };
        QueryGraph {
            vertices: vertices.iter().map(vertex).collect(),
            edges: edges.iter().map(edge).collect(),
            root: 0,
        }
    }

    /// Who directed it, and who stars in it.
    pub(super) fn film() -> QueryGraph {
        graph(
            &["film.film|count", "=m.0abc", "", "=m.0def"],
            &[
                (0, 1, "film.film.directed_by"),
                (0, 2, "film.film.starring"),
                (2, 3, "film.performance.actor"),
            ],
        )
    }

    /// A chain with a number of vertices.
    pub(super) fn chain(length: usize) -> QueryGraph {
        let vertices =
            (0..length).map(|i| Vertex { grounded: i + 1 == length, ..Vertex::default() }).collect();
        let edges = (1..length).map(|i| Edge { from: i - 1, to: i, label: "next".into() }).collect();
        QueryGraph { vertices, edges, root: 0 }
    }
}
