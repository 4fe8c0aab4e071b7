//! A drawing of a query graph before it is drawn: every place and every text. It is drawn as SVG here, and by the
//! script of the report.

use super::labels::{printable, relation_text, shortened, text_width};
use super::layout::{Rectangle, Route, Size, Spacing, lay_out};
use serde::{Serialize, Serializer};
use touchstone_logic::QueryGraph;
use touchstone_logic::graph::Edge;

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
    /// Its label and its note, not shortened.
    full: (String, String),
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
    /// The relation, not shortened.
    pub(super) title: String,
    /// Whether the graph that this one is compared with lacks the edge.
    differs: bool,
}

/// A query graph with the place of everything.
#[derive(Debug)]
pub(crate) struct GraphPlan {
    pub(super) size: Size,
    pub(super) vertices: Vec<PlannedVertex>,
    pub(super) edges: Vec<PlannedEdge>,
}

impl GraphPlan {
    /// Lays a graph out; edges that `other` lacks are marked.
    pub(crate) fn of(graph: &QueryGraph, other: Option<&QueryGraph>) -> GraphPlan {
        let full: Vec<(String, String)> =
            graph.vertices.iter().map(|v| (printable(&v.label), printable(&v.note))).collect();
        let texts: Vec<(VertexKind, String, String)> = full
            .iter()
            .enumerate()
            .map(|(v, (label, note))| {
                let kind = VertexKind::of(graph, v);
                let label = if label.is_empty() { kind.unlabelled() } else { label };
                (kind, shortened(label, MAX_LABEL), shortened(note, MAX_NOTE))
            })
            .collect();
        let relations: Vec<String> = graph.edges.iter().map(|edge| relation_text(&edge.label)).collect();
        let boxes: Vec<Size> = texts.iter().map(|(_, text, note)| vertex_size(text, note)).collect();
        let labels: Vec<Size> = relations.iter().map(|text| relation_size(text)).collect();
        let layout = lay_out(graph, &boxes, &labels, &SPACING);
        let vertices = texts.into_iter().zip(full).zip(layout.vertices);
        let vertices = vertices.map(|(((kind, text, note), full), place)| PlannedVertex {
            kind,
            place,
            text,
            note,
            full,
        });
        let known: Option<Vec<Statement<'_>>> =
            other.map(|other| other.edges.iter().map(|edge| statement(other, edge)).collect());
        let edges = graph.edges.iter().zip(layout.routes).zip(relations).zip(&labels);
        let edges = edges.filter_map(|(((edge, route), text), size)| {
            let differs = known.as_ref().is_some_and(|known| !known.contains(&statement(graph, edge)));
            Some(PlannedEdge {
                route: route?,
                text,
                width: size.width,
                title: printable(&edge.label),
                differs,
            })
        });
        GraphPlan { size: layout.size, vertices: vertices.collect(), edges: edges.collect() }
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
    /// Vertices: x, y, width, height, kind (0 answer, 1 constraint, 2 variable), text, note, and the whole label if the
    /// text is shorter. Empty texts at the end are left out.
    v: Vec<Vec<Datum<'p>>>,
    /// Edges: near x, near y, left and right of the column of labels, y, far x, far y; 1 if the fact points to the far
    /// end, plus 2 if the other graph lacks the edge; the width of the label, its text, and the relation if the text is
    /// shorter.
    e: Vec<Vec<Datum<'p>>>,
}

impl PlannedVertex {
    fn data(&self) -> Vec<Datum<'_>> {
        let Rectangle { x, y, size } = self.place;
        let label = self.full.0.as_str();
        let full = if label == self.text { "" } else { label };
        record(&[x, y, size.width, size.height, self.kind as i64], &[&self.text, &self.note, full])
    }
}

impl PlannedEdge {
    fn data(&self) -> Vec<Datum<'_>> {
        let Route { near, far, label_column, y, forward } = self.route;
        let flags = i64::from(forward) + 2 * i64::from(self.differs);
        let full = if self.title == self.text { "" } else { self.title.as_str() };
        let route = [near.0, near.1, label_column.0, label_column.1, y, far.0, far.1, flags, self.width];
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
    use crate::drawing::samples::graph;

    #[test]
    fn data_for_the_script() {
        let gold = graph(&["", "=Rome"], &[(0, 1, "capital")]);
        let other = graph(&["", "=Paris"], &[(0, 1, "capital")]);
        let data = |other| serde_json::to_string(&GraphPlan::of(&gold, other)).expect("JSON");
        assert_eq!(
            data(None),
            r#"{"s":[266,54],"v":[[12,12,75,30,0,"answer"],[191,12,63,30,1,"Rome"]],"e":[[87,27,113,165,27,191,27,1,52,"capital"]]}"#
        );
        assert_eq!(data(Some(&gold)), data(None));
        assert!(data(Some(&other)).contains(r#",27,3,52,"capital""#), "marked");
    }
}
