//! Drawings of query graphs as SVG: one element that can stand in a page or in a file of its own.
//!
//! The answer is green, constraints are red rectangles, variables are white; arrows point as the facts do. Every label
//! has its full text as a tooltip. There is no background, and the colours are readable on light and on dark ones.
//! There are no styles, scripts, ids or references either, so drawings do not disturb each other or the page.

use super::layout::Rectangle;
use super::plan::{
    GraphPlan, NOTE_FONT, PlannedEdge, PlannedVertex, RELATION_FONT, RELATION_HEIGHT, VERTEX_FONT, VertexKind,
};
use maud::{Markup, html};
use touchstone_logic::QueryGraph;

/// Legible on white and on black.
const LINE: &str = "#7d858f";

/// How a kind of vertex is drawn.
struct Look {
    fill: &'static str,
    stroke: &'static str,
    stroke_width: &'static str,
    radius: i64,
}

fn look(kind: VertexKind) -> Look {
    match kind {
        VertexKind::Answer => Look { fill: "#c9efd4", stroke: "#1a7f37", stroke_width: "2.5", radius: 15 },
        VertexKind::Constraint => Look { fill: "#ffdcd8", stroke: "#c0392b", stroke_width: "1.5", radius: 3 },
        VertexKind::Variable => Look { fill: "#ffffff", stroke: LINE, stroke_width: "1.5", radius: 15 },
    }
}

/// Draws a graph as an `<svg>` element.
pub fn svg(graph: &QueryGraph) -> String {
    linked_svg(graph, &[], "").into_string() + "\n"
}

/// The same for a page: vertices link to the addresses given for them, and the description is for those who do not see the picture.
pub(crate) fn linked_svg(graph: &QueryGraph, links: &[Option<String>], description: &str) -> Markup {
    let plan = GraphPlan::of(graph);
    let (width, height) = (plan.size.width, plan.size.height);
    let name = format!("query graph, {} vertices, {} relations", graph.vertices.len(), graph.edges.len());
    // Links must be reachable, which they are not inside an image.
    let role = if links.iter().any(Option::is_some) { "group" } else { "img" };
    // Lines first: boxes and labels lie on them.
    html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) }
            role=(role) aria-label=(name) text-anchor="middle"
            font-family="'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif" {
            title { (name) }
            @if description.is_empty() { desc { (plan.description()) } } @else { desc { (description) } }
            g fill="none" stroke=(LINE) stroke-width="1.5" {
                @for edge in &plan.edges { path d=(edge.route.path()) {} }
            }
            g fill=(LINE) { @for edge in &plan.edges { path d=(edge.route.arrow()) {} } }
            g font-size=(RELATION_FONT) { @for edge in &plan.edges { (relation(edge)) } }
            g font-size=(VERTEX_FONT) {
                @for (at, planned) in plan.vertices.iter().enumerate() {
                    @match links.get(at).and_then(Option::as_deref) {
                        Some(link) => a href=(link) { (vertex(planned)) },
                        None => (vertex(planned)),
                    }
                }
            }
        }
    }
}

fn relation(edge: &PlannedEdge) -> Markup {
    let middle = i64::midpoint(edge.route.label_column.0, edge.route.label_column.1);
    html! {
        @if !edge.text.is_empty() {
            g {
                title { (edge.title) }
                rect x=(middle - edge.width / 2) y=(edge.route.y - RELATION_HEIGHT / 2) width=(edge.width)
                    height=(RELATION_HEIGHT) rx="4" fill="#f3f5f7" stroke="#c5cbd3" stroke-width="0.75" {}
                text x=(middle) y=(edge.route.y + 4) fill="#2b3138" { (edge.text) }
            }
        }
    }
}

fn vertex(vertex: &PlannedVertex) -> Markup {
    let Rectangle { x, y, size } = vertex.place;
    let Look { fill, stroke, stroke_width, radius } = look(vertex.kind);
    let (middle, line) = (x + size.width / 2, y + size.height / 2);
    let text_line = if vertex.note.is_empty() { line + 5 } else { line - 3 };
    html! {
        g {
            title { (vertex.title()) }
            rect x=(x) y=(y) width=(size.width) height=(size.height) rx=(radius)
                fill=(fill) stroke=(stroke) stroke-width=(stroke_width) {}
            text x=(middle) y=(text_line) fill="#16191d" { (vertex.text) }
            @if !vertex.note.is_empty() {
                text x=(middle) y=(line + 13) fill="#4a525c" font-size=(NOTE_FONT) font-style="italic" { (vertex.note) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::svg;
    use crate::drawing::samples::{chain, film, graph};
    use proptest::prelude::*;
    use touchstone_logic::QueryGraph;

    #[test]
    fn a_drawing() {
        let drawing = svg(&film());
        assert!(drawing.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""));
        assert!(drawing.ends_with("</svg>\n"));
        for part in [
            "<title>answer: film.film [count]</title>",
            "<title>constraint: m.0abc</title>",
            "<title>variable</title>",
            "<title>film.performance.actor</title>",
            ">performance.actor</text>",
            ">count</text>",
            ">?</text>",
            "aria-label=\"query graph, 4 vertices, 3 relations\"",
        ] {
            assert!(drawing.contains(part), "{part} in {drawing}");
        }
        let boxes = ["#c9efd4", "#ffdcd8", "#ffffff"].map(|fill| drawing.matches(fill).count());
        assert_eq!(boxes, [1, 2, 1], "answer, constraints, variable");
    }

    #[test]
    fn long_labels_are_in_tooltips() {
        let long = "a".repeat(500);
        let drawing = svg(&graph(&["", &format!("={long}|{long}")], &[(0, 1, &long)]));
        // In full in the tooltips of the vertex (label and note) and of the edge, and in the description.
        assert_eq!(drawing.matches(&long).count(), 6);
        // Shortened in both boxes, on the edge, and where the description says what the edge leads to.
        assert_eq!(drawing.matches('…').count(), 4);
    }

    #[test]
    fn arrows_point_as_facts_do() {
        // The tip of an arrow is the first point of its path; the answer is left of the constraint.
        let tip = |edges: &[(usize, usize, &str)]| -> i64 {
            let drawing = svg(&graph(&["a", "=b"], edges));
            let arrow = drawing.split("<path d=\"M").last().expect("an arrow");
            arrow.split(' ').next().and_then(|x| x.parse().ok()).expect("a number")
        };
        assert!(tip(&[(0, 1, "r")]) > tip(&[(1, 0, "r")]));
    }

    #[test]
    fn odd_graphs() {
        for odd in [
            QueryGraph::default(),
            QueryGraph { root: 3, ..QueryGraph::default() },
            graph(&[""], &[(0, 0, ""), (0, 5, "r"), (7, 8, "r")]),
            graph(&["", "", ""], &[(1, 2, ""), (2, 1, "r")]),
            chain(3_000),
        ] {
            let drawing = svg(&odd);
            assert!(drawing.starts_with("<svg") && drawing.ends_with("</svg>\n"), "{drawing}");
        }
    }

    proptest! {
        #[test]
        fn labels_add_no_markup(label in any::<String>(), hostile in "[<>&\"'a/!\\[\\]-]{1,12}") {
            let count = |text: &str, c: char| text.matches(c).count();
            let with = |label: &str| {
                let mut graph = film();
                graph.edges[0].label = format!("x{label}").into();
                graph.vertices[1].label = format!("x{label}").into();
                graph.vertices[2].note = format!("x{label}").into();
                svg(&graph)
            };
            let plain = with("x");
            for label in [label, hostile] {
                let drawing = with(&label);
                for c in ['<', '>', '"'] {
                    prop_assert_eq!(count(&drawing, c), count(&plain, c));
                }
                prop_assert!(drawing.chars().all(|c| c == '\n' || !c.is_control()));
                for part in drawing.split('&').skip(1) {
                    let known = ["amp;", "lt;", "gt;", "quot;"];
                    prop_assert!(known.iter().any(|known| part.starts_with(known)), "{}", part);
                }
            }
        }
    }
}
