//! A drawing of a query graph before it is drawn: every place and every text. It is drawn as SVG here, and by the
//! script of the report.

use super::labels::{MAX_RELATION, printable, relation_text, shortened, text_width, without_namespace};
use super::layout::{Rectangle, Route, Size, Spacing, lay_out};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use touchstone_logic::QueryGraph;
use touchstone_logic::graph::{Edge, Vertex};

/// Maximum number of characters of a vertex and of the note below it.
const MAX_LABEL: usize = 26;
const MAX_NOTE: usize = 24;
/// The font sizes of vertices, of notes below them and of relations.
pub(super) const VERTEX_FONT: i64 = 13;
pub(super) const NOTE_FONT: i64 = 11;
pub(super) const RELATION_FONT: i64 = 11;
/// The height of a relation's label.
pub(super) const RELATION_HEIGHT: i64 = 18;

const SPACING: Spacing = Spacing { margin: 12, row_gap: 16, column_gap: (26, 80), port_gap: 11 };

/// What a vertex is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VertexKind {
    /// What is asked for.
    Answer,
    /// An entity or a literal that the query names.
    Constraint,
    /// Everything else.
    Variable,
}

impl VertexKind {
    pub(super) fn of(graph: &QueryGraph, v: usize) -> VertexKind {
        if v == graph.root {
            VertexKind::Answer
        } else if graph.vertices[v].grounded {
            VertexKind::Constraint
        } else {
            VertexKind::Variable
        }
    }

    /// Its name, which is also the class of the element.
    pub(super) fn name(self) -> &'static str {
        match self {
            VertexKind::Answer => "answer",
            VertexKind::Constraint => "constraint",
            VertexKind::Variable => "variable",
        }
    }

    /// What is shown for a vertex without a label.
    fn unlabelled(self) -> &'static str {
        match self {
            VertexKind::Answer => "answer",
            VertexKind::Constraint => "\"\"",
            VertexKind::Variable => "?",
        }
    }
}

/// A vertex in its place.
#[derive(Debug)]
pub(super) struct PlannedVertex {
    pub(super) kind: VertexKind,
    pub(super) place: Rectangle,
    pub(super) text: String,
    pub(super) note: String,
    /// Its label and its note, not shortened; the id after the name, if it has one.
    full: (String, String),
    /// Which of the graphs that this one is compared with lack it, as bits.
    differs: i64,
}

impl PlannedVertex {
    /// Everything about it.
    pub(super) fn title(&self) -> String {
        let (label, note) = &self.full;
        let label = if label.is_empty() { String::new() } else { format!(": {label}") };
        let note = if note.is_empty() { String::new() } else { format!(" [{note}]") };
        format!("{}{label}{note}", self.kind.name())
    }
}

/// An edge in its place.
#[derive(Debug)]
pub(super) struct PlannedEdge {
    pub(super) route: Route,
    /// The shown end of the relation's name; empty if it has none.
    pub(super) text: String,
    /// The width of the label.
    pub(super) width: i64,
    /// The relation, not shortened; its id after the name, if it has one.
    pub(super) title: String,
    /// The vertices at its near and its far end.
    ends: (usize, usize),
    /// Which of the graphs that this one is compared with lack it, as bits.
    differs: i64,
}

/// A query graph with the place of everything.
#[derive(Debug)]
pub(crate) struct GraphPlan {
    pub(super) size: Size,
    pub(super) vertices: Vec<PlannedVertex>,
    pub(super) edges: Vec<PlannedEdge>,
}

/// Maximum number of graphs to compare one with.
const MAX_OTHERS: usize = 32;

impl GraphPlan {
    /// Lays a graph out.
    pub(crate) fn of(graph: &QueryGraph) -> GraphPlan {
        GraphPlan::compared(graph, &[], &BTreeMap::new())
    }

    /// Lays a graph out with the names of its ids; what one of the others lacks is marked.
    pub(crate) fn compared(
        graph: &QueryGraph,
        others: &[Option<&QueryGraph>],
        names: &BTreeMap<String, String>,
    ) -> GraphPlan {
        let others = &others[..others.len().min(MAX_OTHERS)];
        let vertices: Vec<PlannedVertex> = graph
            .vertices
            .iter()
            .enumerate()
            .map(|(v, vertex)| {
                let kind = VertexKind::of(graph, v);
                let (shown, full) = named(&vertex.label, names);
                let shown = if shown.is_empty() { kind.unlabelled().to_owned() } else { shown };
                let note = printable(&vertex.note);
                let says = |other: &QueryGraph| {
                    vertex_statement(vertex).is_none_or(|own| {
                        other.vertices.iter().any(|vertex| vertex_statement(vertex) == Some(own))
                    })
                };
                PlannedVertex {
                    kind,
                    place: Rectangle::default(),
                    text: shortened(&shown, MAX_LABEL),
                    note: shortened(&note, MAX_NOTE),
                    full: (full, note),
                    differs: lacking(others, says),
                }
            })
            .collect();
        let relations: Vec<(String, String)> =
            graph.edges.iter().map(|edge| relation(&edge.label, names)).collect();
        let boxes: Vec<Size> = vertices.iter().map(|v| vertex_size(&v.text, &v.note)).collect();
        let labels: Vec<Size> = relations.iter().map(|(text, _)| relation_size(text)).collect();
        let layout = lay_out(graph, &boxes, &labels, &SPACING);
        let vertices = vertices.into_iter().zip(layout.vertices);
        let edges = graph.edges.iter().zip(layout.routes).zip(relations).zip(&labels);
        let edges = edges.filter_map(|(((edge, route), (text, title)), size)| {
            let own = statement(graph, edge);
            let says = |other: &QueryGraph| other.edges.iter().any(|edge| statement(other, edge) == own);
            let route = route?;
            let ends = if route.forward { (edge.from, edge.to) } else { (edge.to, edge.from) };
            Some(PlannedEdge { route, text, width: size.width, title, ends, differs: lacking(others, says) })
        });
        GraphPlan {
            size: layout.size,
            vertices: vertices.map(|(vertex, place)| PlannedVertex { place, ..vertex }).collect(),
            edges: edges.collect(),
        }
    }

    /// The graph in words: every vertex, and every relation with its ends.
    pub(super) fn description(&self) -> String {
        let vertices = self.vertices.iter().map(PlannedVertex::title);
        let name = |v: usize| self.vertices.get(v).map_or("", |vertex| vertex.text.as_str());
        let relations = self.edges.iter().map(|edge| {
            let (near, far) = edge.ends;
            let (from, to) = if edge.route.forward { (near, far) } else { (far, near) };
            format!("{}: {} to {}", edge.title, name(from), name(to))
        });
        vertices.chain(relations).collect::<Vec<_>>().join("; ")
    }
}

/// A bit for each graph that lacks something.
fn lacking(others: &[Option<&QueryGraph>], has: impl Fn(&QueryGraph) -> bool) -> i64 {
    let lacks = |other: &Option<&QueryGraph>| other.is_some_and(|other| !has(other));
    others.iter().enumerate().filter(|(_, other)| lacks(other)).map(|(at, _)| 1 << at).sum()
}

/// What is shown of a vertex's label, and all of it.
fn named(id: &str, names: &BTreeMap<String, String>) -> (String, String) {
    let full = printable(id);
    match names.get(id) {
        Some(name) => {
            let name = printable(name);
            (name.clone(), format!("{name} ({full})"))
        }
        None => (without_namespace(&full).to_owned(), full),
    }
}

/// What is shown of a relation, and all of it.
fn relation(id: &str, names: &BTreeMap<String, String>) -> (String, String) {
    match names.get(id) {
        Some(name) => {
            let name = printable(name);
            (shortened(&name, MAX_RELATION), format!("{name} ({})", printable(id)))
        }
        None => (relation_text(id), printable(id)),
    }
}

fn vertex_size(text: &str, note: &str) -> Size {
    let width = text_width(text, VERTEX_FONT).max(text_width(note, NOTE_FONT)) + 24;
    Size { width: width.max(40), height: if note.is_empty() { 30 } else { 44 } }
}

fn relation_size(text: &str) -> Size {
    let width = if text.is_empty() { 12 } else { text_width(text, RELATION_FONT) + 12 };
    Size { width, height: RELATION_HEIGHT }
}

/// What an edge states: the names of its ends, if the query names them, and its relation.
type Statement<'g> = (Option<&'g str>, &'g str, Option<&'g str>);

fn statement<'g>(graph: &'g QueryGraph, edge: &'g Edge) -> Statement<'g> {
    let name = |v: usize| graph.vertices.get(v).filter(|v| v.grounded).map(|v| v.label.as_str());
    (name(edge.from), &edge.label, name(edge.to))
}

/// What a vertex states: a name or a class, and its note; nothing for a variable without both.
fn vertex_statement(vertex: &Vertex) -> Option<(bool, &str, &str)> {
    let is_blank = !vertex.grounded && vertex.label.is_empty() && vertex.note.is_empty();
    (!is_blank).then_some((vertex.grounded, vertex.label.as_str(), vertex.note.as_str()))
}

/// A number or a text in the data of the report.
#[derive(Serialize)]
#[serde(untagged)]
enum Datum<'p> {
    Number(i64),
    Text(&'p str),
}

/// For the script of the report, in short lists: the page holds thousands of graphs.
#[derive(Serialize)]
struct PlanData<'p> {
    /// Width and height.
    s: [i64; 2],
    /// Vertices: x, y, width, height, kind (0 answer, 1 constraint, 2 variable) plus 4 times the bits of the graphs that
    /// lack it, text, note, and the whole label if the text is shorter. Empty texts at the end are left out.
    v: Vec<Vec<Datum<'p>>>,
    /// Edges: near x, near y, left and right of the column of labels, y, far x, far y; 1 if the fact points to the far
    /// end, plus 2 times the bits of the graphs that lack it; the width of the label, the vertices at both ends, its
    /// text, and the relation if the text is shorter.
    e: Vec<Vec<Datum<'p>>>,
}

impl PlannedVertex {
    fn data(&self) -> Vec<Datum<'_>> {
        let Rectangle { x, y, size } = self.place;
        let label = self.full.0.as_str();
        let full = if label == self.text { "" } else { label };
        let kind = self.kind as i64 + 4 * self.differs;
        record(&[x, y, size.width, size.height, kind], &[&self.text, &self.note, full])
    }
}

impl PlannedEdge {
    fn data(&self) -> Vec<Datum<'_>> {
        let Route { near, far, label_column, y, forward } = self.route;
        let flags = i64::from(forward) + 2 * self.differs;
        let end = |v: usize| i64::try_from(v).unwrap_or(-1);
        let ends = (end(self.ends.0), end(self.ends.1));
        let full = if self.title == self.text { "" } else { self.title.as_str() };
        let route = [
            near.0,
            near.1,
            label_column.0,
            label_column.1,
            y,
            far.0,
            far.1,
            flags,
            self.width,
            ends.0,
            ends.1,
        ];
        record(&route, &[&self.text, full])
    }
}

/// Numbers and then texts, without the empty ones at the end.
fn record<'p>(numbers: &[i64], texts: &[&'p str]) -> Vec<Datum<'p>> {
    let kept = texts.iter().rposition(|text| !text.is_empty()).map_or(0, |last| last + 1);
    let numbers = numbers.iter().map(|&number| Datum::Number(number));
    numbers.chain(texts[..kept].iter().map(|text| Datum::Text(text))).collect()
}

impl Serialize for GraphPlan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let data = PlanData {
            s: [self.size.width, self.size.height],
            v: self.vertices.iter().map(PlannedVertex::data).collect(),
            e: self.edges.iter().map(PlannedEdge::data).collect(),
        };
        data.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::GraphPlan;
    use crate::drawing::samples::{film, graph};
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use touchstone_logic::QueryGraph;
    use touchstone_logic::graph::{Edge, Vertex};

    #[test]
    fn data_for_the_script() {
        let gold = graph(&["", "=Rome"], &[(0, 1, "capital")]);
        let other = graph(&["", "=Paris"], &[(0, 1, "capital")]);
        let data = |others: &[Option<&QueryGraph>]| {
            serde_json::to_string(&GraphPlan::compared(&gold, others, &BTreeMap::new())).expect("JSON")
        };
        assert_eq!(
            data(&[]),
            r#"{"s":[266,54],"v":[[12,12,75,30,0,"answer"],[191,12,63,30,1,"Rome"]],"e":[[87,27,113,165,27,191,27,1,52,0,1,"capital"]]}"#
        );
        assert_eq!(data(&[Some(&gold), None]), data(&[]));
        let marked = data(&[Some(&gold), None, Some(&other)]);
        assert!(marked.contains(r#",27,9,52,0,1,"capital""#), "the third lacks the edge: {marked}");
        assert!(marked.contains(r#",30,17,"Rome""#), "and the constraint: {marked}");
    }

    #[test]
    fn names_stand_for_ids() {
        let gold = graph(&["", "=Q64"], &[(0, 1, "P36")]);
        let names = [("Q64", "Berlin"), ("P36", "capital")];
        let names = names.map(|(id, name)| (id.to_owned(), name.to_owned())).into();
        let plan = GraphPlan::compared(&gold, &[], &names);
        assert_eq!((plan.vertices[1].text.as_str(), plan.edges[0].text.as_str()), ("Berlin", "capital"));
        assert_eq!(plan.description(), "answer; constraint: Berlin (Q64); capital (P36): answer to Berlin");
        let iri =
            graph(&["", "=http://example.org/poke/pikachu"], &[(1, 0, "http://example.org/evolves_to")]);
        let plan = GraphPlan::of(&iri);
        assert_eq!((plan.vertices[1].text.as_str(), plan.edges[0].text.as_str()), ("pikachu", "evolves_to"));
    }

    proptest! {
        #[test]
        fn the_description_names_everything(
            vertices in prop::collection::vec(("[a-z]{0,12}", any::<bool>(), "[a-z]{0,5}"), 1..8),
            edges in prop::collection::vec((0..8_usize, 0..8_usize, "[a-z.]{1,12}"), 0..10),
        ) {
            let vertices = vertices.into_iter().map(|(label, grounded, note)| {
                Vertex { grounded, label: label.as_str().into(), note: note.as_str().into() }
            });
            let edges = edges.into_iter().map(|(from, to, label)| Edge { from, to, label: label.as_str().into() });
            let graph = QueryGraph { vertices: vertices.collect(), edges: edges.collect(), root: 0 };
            let description = GraphPlan::of(&graph).description();
            for vertex in &graph.vertices {
                prop_assert!(description.contains(vertex.label.as_str()) && description.contains(vertex.note.as_str()));
            }
            for edge in graph.edges.iter().filter(|edge| graph.is_whole(edge)) {
                prop_assert!(description.contains(edge.label.as_str()), "{}", description);
            }
            // A graph differs from itself in nothing.
            let plan = GraphPlan::compared(&graph, &[Some(&graph)], &BTreeMap::new());
            prop_assert!(plan.vertices.iter().all(|v| v.differs == 0) && plan.edges.iter().all(|e| e.differs == 0));
        }
    }

    #[test]
    fn a_missing_constraint_is_marked() {
        let without = graph(&["film.film|count", "=m.0abc"], &[(0, 1, "film.film.directed_by")]);
        let plan = GraphPlan::compared(&film(), &[Some(&without)], &BTreeMap::new());
        let differing: Vec<i64> = plan.edges.iter().map(|edge| edge.differs).collect();
        assert_eq!(differing, [0, 1, 1]);
        let differing: Vec<i64> = plan.vertices.iter().map(|vertex| vertex.differs).collect();
        assert_eq!(differing, [0, 0, 0, 1], "a variable says nothing that could be missing");
    }
}
