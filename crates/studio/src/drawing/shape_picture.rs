//! Small pictures of shapes: a circle for the answer, squares for constraints, rings for variables.

use super::layout::{Size, Spacing, lay_out};
use super::plan::VertexKind;
use maud::{Markup, html};
use std::collections::BTreeMap;
use touchstone_logic::QueryGraph;
use touchstone_logic::graph::{CLASSES, Shape};

const SPACING: Spacing = Spacing { margin: 2, row_gap: 3, column_gap: (5, 9), port_gap: 0 };
/// The width and the height of a vertex.
const VERTEX: i64 = 9;

/// What a shape is called.
pub(crate) struct ShapeName {
    /// Its name in the literature, else its code.
    pub(crate) short: String,
    /// Its name, its code and a description.
    pub(crate) long: String,
    /// What it looks like; empty if it has no name in the literature.
    pub(crate) description: &'static str,
}

impl ShapeName {
    /// The names of a shape.
    pub(crate) fn of(shape: &Shape) -> ShapeName {
        let Some(alias) = shape.alias else {
            return ShapeName {
                short: shape.code.clone(),
                long: format!("shape {}", shape.code),
                description: "",
            };
        };
        let class = CLASSES.iter().find(|class| class.alias == alias);
        let description = class.map_or("", |class| class.description);
        let short =
            if shape.code == shape.plain { alias.to_string() } else { format!("{alias} {}", shape.code) };
        ShapeName { long: format!("{alias} ({}): {description}", shape.code), short, description }
    }
}

/// The pictures of the shapes on a page: each is drawn once and shown where it is named.
#[derive(Default)]
pub(crate) struct ShapePictures {
    shapes: BTreeMap<String, (ShapeName, Picture)>,
}

struct Picture {
    size: Size,
    content: Markup,
}

impl ShapePictures {
    /// Adds the picture of a shape under its key, unless there is one; `graph` is an example.
    pub(crate) fn add(&mut self, key: &str, graph: impl FnOnce() -> QueryGraph) {
        if !self.shapes.contains_key(key) {
            let graph = graph();
            self.shapes.insert(key.to_owned(), (ShapeName::of(&graph.shape()), picture(&graph)));
        }
    }

    /// For each key: the number of its symbol, its names, and the size of its picture.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &ShapeName, [i64; 2])> {
        self.shapes
            .iter()
            .map(|(key, (name, picture))| (key.as_str(), name, [picture.size.width, picture.size.height]))
    }

    /// All pictures as symbols, for the beginning of the body.
    pub(crate) fn symbols(&self) -> Markup {
        html! {
            svg.symbols width="0" height="0" aria-hidden="true" {
                @for (number, (_, picture)) in self.shapes.values().enumerate() {
                    symbol id={ "shape-" (number) } viewBox=(view_box(picture.size)) { (picture.content) }
                }
            }
        }
    }

    /// The names of the shape with a key.
    pub(crate) fn name(&self, key: &str) -> Option<&ShapeName> {
        self.shapes.get(key).map(|(name, _)| name)
    }

    /// The picture with a key; nothing if there is none.
    pub(crate) fn show(&self, key: &str) -> Markup {
        let found = self.shapes.iter().enumerate().find(|(_, (known, _))| known.as_str() == key);
        html! {
            @if let Some((number, (_, (name, picture)))) = found {
                svg.shape role="img" aria-label=(name.long) width=(picture.size.width) height=(picture.size.height)
                    viewBox=(view_box(picture.size)) {
                    title { (name.long) }
                    use href={ "#shape-" (number) } {}
                }
            }
        }
    }
}

fn view_box(size: Size) -> String {
    format!("0 0 {} {}", size.width, size.height)
}

fn picture(graph: &QueryGraph) -> Picture {
    let boxes = vec![Size { width: VERTEX, height: VERTEX }; graph.vertices.len()];
    let layout = lay_out(graph, &boxes, &vec![Size::default(); graph.edges.len()], &SPACING);
    let content = html! {
        @for route in layout.routes.iter().flatten() { path.line d=(route.path()) {} }
        @for (v, place) in layout.vertices.iter().enumerate() {
            @let kind = VertexKind::of(graph, v);
            rect class=(kind.name()) x=(place.x) y=(place.y) width=(VERTEX) height=(VERTEX)
                rx=(if kind == VertexKind::Constraint { 1 } else { VERTEX / 2 + 1 }) {}
        }
    };
    Picture { size: layout.size, content }
}

#[cfg(test)]
mod tests {
    use super::ShapePictures;
    use crate::drawing::samples::{film, graph};

    #[test]
    fn one_picture_for_each_shape() {
        let mut pictures = ShapePictures::default();
        for _ in 0..3 {
            pictures.add("T1:(()(()))", film);
        }
        pictures.add("T1:([()])", || graph(&["", "=a", "=b"], &[(0, 1, ""), (1, 2, "")]));
        let symbols = pictures.symbols().into_string();
        assert_eq!(symbols.matches("<symbol").count(), 2);
        assert_eq!(symbols.matches("class=\"constraint\"").count(), 4);
        let shown = pictures.show("T1:(()(()))").into_string();
        assert!(
            shown.contains("<title>Iso-3 (T1:(()(()))): one constraint at one hop, one at two hops</title>")
        );
        let names: Vec<&str> = pictures.iter().map(|(_, name, _)| name.short.as_str()).collect();
        assert_eq!(names, ["Iso-3", "Iso-1 T1:([()])"]);
        assert_eq!(pictures.show("INVALID").into_string(), "");
    }
}
