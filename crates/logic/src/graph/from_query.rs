//! From queries to query graphs, by the vertex rules of the GrailQA++ paper.
//!
//! | part of a query | vertex? |
//! |---|---|
//! | class, also `common.topic.notable_types` | no: it labels its vertex; but a class that is the only condition of an inner thing is its constraint |
//! | entity, literal, each time it occurs | yes, a constraint |
//! | the value of a superlative | yes, a constraint |
//! | count, period, condition on a qualifier | no |
//! | a step that a superlative's path shares with the description | not again |
//!
//! The papers do not cover KoPL's questions. Here, the branches of a union are attached to the same vertex. The root of a yes/no question,
//! which has no answer vertex, is the vertex with the shortest code; that of a question for a relation or a qualifier is the subject of
//! the fact.

use super::code::Coder;
use super::query_graph::{Edge, QueryGraph, Vertex};
use crate::query::{Ask, Direction, Mark, Query, Set, Step, Superlative};
use crate::sexpr::{GraphQuery, GraphQueryError, NodeType};
use crate::value::Symbol;
use touchstone_kb::Comparison;

/// Freebase's most notable type of a thing; WebQSP and ComplexWebQuestions use it like a class.
const NOTABLE_TYPES: &str = "common.topic.notable_types";

impl QueryGraph {
    /// The graph of a query.
    pub fn of(query: &Query) -> QueryGraph {
        let mut builder = Builder::default();
        let root = builder.vertex();
        match &query.answer {
            Ask::Members(set) | Ask::Exists(set) => builder.set(set, root, false),
            Ask::Count(set) => {
                builder.note(root, "count");
                builder.set(set, root, false);
            }
            Ask::Attribute { of, attribute, .. } => builder.step(of, attribute, Direction::Forward, root),
            Ask::Verify { of, attribute, comparison, value, .. } => {
                builder.set(of, root, false);
                let values = Set::Values(*comparison, value.clone());
                builder.step(&values, attribute, Direction::Backward, root);
            }
            Ask::Relation { from, to } => {
                builder.set(from, root, false);
                builder.step(to, "?", Direction::Backward, root);
            }
            Ask::AttributeQualifier { of, attribute, value, qualifier } => {
                builder.set(of, root, false);
                builder.note(root, &format!("asks for {qualifier}"));
                let values = Set::Values(Comparison::Equal, value.clone());
                builder.step(&values, attribute, Direction::Backward, root);
            }
            Ask::RelationQualifier { from, relation, to, qualifier } => {
                builder.set(from, root, false);
                builder.note(root, &format!("asks for {qualifier}"));
                builder.step(to, relation, Direction::Backward, root);
            }
            Ask::SelectBetween { left, right, attribute, extreme } => {
                builder.set(left, root, false);
                builder.set(right, root, false);
                builder.extreme(root, attribute, Direction::Forward, extreme.word());
            }
            Ask::SelectAmong { among, attribute, extreme } => {
                builder.set(among, root, false);
                builder.extreme(root, attribute, Direction::Forward, extreme.word());
            }
        }
        let mut graph = builder.graph;
        if matches!(query.answer, Ask::Exists(_) | Ask::Verify { .. }) {
            graph.root = simplest_root(&graph);
        }
        graph
    }

    /// The graph of GrailQA's `graph_query`.
    pub fn of_graph_query(query: &GraphQuery) -> Result<QueryGraph, GraphQueryError> {
        let root = query.root()?;
        let vertices: Vec<Vertex> = query
            .nodes
            .iter()
            .map(|node| {
                let extreme = node.function.extreme();
                let note = match (node.function.comparison(), extreme) {
                    (Some(comparison), _) => comparison.symbol(),
                    (_, Some(extreme)) => extreme.word(),
                    _ if node.function == crate::sexpr::GraphFunction::Count => "count",
                    _ => "",
                };
                // The literal of a superlative is a placeholder.
                let label = if extreme.is_some() {
                    "value".to_owned()
                } else {
                    node.id.split("^^").next().unwrap_or("").to_owned()
                };
                Vertex { grounded: node.node_type != NodeType::Class, label: label.into(), note: note.into() }
            })
            .collect();
        let ends = query.ends()?;
        let edges = query.edges.iter().zip(ends).map(|(edge, (from, to))| Edge {
            from,
            to,
            label: edge.relation.as_str().into(),
        });
        Ok(QueryGraph { vertices, edges: edges.collect(), root })
    }
}

#[derive(Default)]
struct Builder {
    graph: QueryGraph,
    marks: Vec<(Mark, usize)>,
    /// The marks where the path of a superlative starts.
    starts: Vec<Mark>,
}

impl Builder {
    fn vertex(&mut self) -> usize {
        self.graph.vertices.push(Vertex::default());
        self.graph.vertices.len() - 1
    }

    fn note(&mut self, vertex: usize, note: &str) {
        let notes = &mut self.graph.vertices[vertex].note;
        *notes = if notes.is_empty() { note.into() } else { format!("{notes}, {note}").into() };
    }

    /// Adds to a label; entities and literals ground their vertex.
    fn label(&mut self, vertex: usize, label: &str, grounded: bool) {
        let vertex = &mut self.graph.vertices[vertex];
        if grounded && !vertex.grounded {
            // A name is more specific than the class.
            vertex.label = Symbol::default();
            vertex.grounded = true;
        } else if vertex.grounded && !grounded || vertex.label == label {
            return;
        }
        vertex.label =
            if vertex.label.is_empty() { label.into() } else { format!("{} & {label}", vertex.label).into() };
    }

    fn edge(&mut self, from: usize, to: usize, label: &str) {
        self.graph.edges.push(Edge { from, to, label: label.into() });
    }

    /// Adds the conditions of a set to a vertex. `inner`: the vertex is not the answer.
    fn set(&mut self, set: &Set, vertex: usize, inner: bool) {
        let mut parts = Vec::new();
        self.collect(set, vertex, &mut parts);
        let only_types = !self.starts.iter().any(|&mark| self.marked(mark) == Some(vertex))
            && parts.iter().all(|part| matches!(part, Set::Class(_)) || notable_type(part).is_some());
        for part in parts {
            match part {
                Set::Class(class) if only_types && inner => {
                    let constraint = self.vertex();
                    self.label(constraint, class, true);
                    self.edge(vertex, constraint, "type");
                }
                Set::Class(class) => self.label(vertex, class, false),
                Set::Entity(name) | Set::Named(name) => self.label(vertex, name, true),
                Set::Values(comparison, value) => {
                    self.label(vertex, &value.to_string(), true);
                    if *comparison != Comparison::Equal {
                        self.note(vertex, comparison.symbol());
                    }
                }
                Set::Relate(relate) => match notable_type(part).filter(|_| !only_types) {
                    Some(class) => self.label(vertex, class, false),
                    None => self.step(&relate.from, &relate.property, relate.direction, vertex),
                },
                Set::Or(branches) => branches.iter().for_each(|branch| self.set(branch, vertex, false)),
                Set::Superlative(superlative) => self.superlative(superlative, vertex),
                Set::During(period) => {
                    let note = format!("during {} to {}", period.earliest_end, period.latest_start);
                    self.note(vertex, &note);
                }
                // As a step, this leads to the other vertex; by itself, it merges two vertices.
                Set::Same(mark) => {
                    if let Some(other) = self.marked(*mark) {
                        self.edge(vertex, other, "=");
                    }
                }
                Set::All | Set::And(_) | Set::Marked(..) => {}
            }
        }
    }

    /// The parts of a conjunction; marks are recorded.
    fn collect<'s>(&mut self, set: &'s Set, vertex: usize, parts: &mut Vec<&'s Set>) {
        match set {
            Set::And(inner) => inner.iter().for_each(|part| self.collect(part, vertex, parts)),
            Set::Marked(mark, inner) => {
                self.marks.push((*mark, vertex));
                self.collect(inner, vertex, parts);
            }
            other => parts.push(other),
        }
    }

    fn marked(&self, mark: Mark) -> Option<usize> {
        self.marks.iter().rev().find(|(known, _)| *known == mark).map(|&(_, vertex)| vertex)
    }

    fn step(&mut self, from: &Set, property: &str, direction: Direction, vertex: usize) {
        let other = match from {
            Set::Same(mark) => self.marked(*mark),
            _ => None,
        };
        let known = other.is_some();
        let other = other.unwrap_or_else(|| self.vertex());
        match direction {
            Direction::Forward => self.edge(other, vertex, property),
            Direction::Backward => self.edge(vertex, other, property),
        }
        if !known {
            self.set(from, other, true);
        }
    }

    fn superlative(&mut self, superlative: &Superlative, vertex: usize) {
        self.starts.extend(superlative.start);
        self.set(&superlative.of, vertex, false);
        let Some((last, first)) = superlative.path.split_last() else { return };
        let mut at = superlative.start.and_then(|mark| self.marked(mark)).unwrap_or(vertex);
        let mut before = None;
        for step in first {
            let next = self.follow(at, step, before);
            before = Some(at);
            at = next;
        }
        self.extreme(at, &last.property, last.direction, superlative.extreme.word());
    }

    /// Follows a step of a superlative's path: along an existing edge, if it neither ends at a constraint nor leads back.
    fn follow(&mut self, at: usize, step: &Step, before: Option<usize>) -> usize {
        let there = self.graph.edges.iter().find_map(|edge| {
            let (near, far) = if step.direction == Direction::Forward {
                (edge.from, edge.to)
            } else {
                (edge.to, edge.from)
            };
            (near == at
                && edge.label == step.property
                && Some(far) != before
                && far != self.graph.root
                && !self.graph.vertices[far].grounded)
                .then_some(far)
        });
        there.unwrap_or_else(|| {
            let next = self.vertex();
            match step.direction {
                Direction::Forward => self.edge(at, next, &step.property),
                Direction::Backward => self.edge(next, at, &step.property),
            }
            next
        })
    }

    fn extreme(&mut self, at: usize, property: &str, direction: Direction, word: &str) {
        let value = self.vertex();
        self.label(value, "value", true);
        self.note(value, word);
        match direction {
            Direction::Forward => self.edge(at, value, property),
            Direction::Backward => self.edge(value, at, property),
        }
    }
}

/// The type that a part gives by Freebase's most notable type.
fn notable_type(part: &Set) -> Option<&str> {
    match part {
        Set::Relate(relate)
            if relate.property == NOTABLE_TYPES && relate.direction == Direction::Backward =>
        {
            match &relate.from {
                Set::Entity(class) => Some(class),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The vertex from which the graph has the shortest code; among ties, the first. The order of triples does not affect the code.
pub(super) fn simplest_root(graph: &QueryGraph) -> usize {
    let all: Vec<usize> = (0..graph.vertices.len()).collect();
    simplest_of(graph, &all).unwrap_or(graph.root)
}

/// The same, of some vertices.
pub(super) fn simplest_of(graph: &QueryGraph, vertices: &[usize]) -> Option<usize> {
    // Codes of large graphs with cycles are slow, and their shapes are not interesting: take the first.
    let tree = graph.edges.len() + graph.traversal().starts.len() <= graph.vertices.len();
    if vertices.len() < 2 || graph.vertices.len() > if tree { 200 } else { 10 } {
        return vertices.first().copied();
    }
    let mut coder = Coder::new();
    let mut skeleton = graph.skeleton();
    let mut code = |root: usize| {
        skeleton.root = u32::try_from(root).unwrap_or(0);
        let code = coder.code(&skeleton).to_owned();
        (code.len(), code)
    };
    vertices.iter().copied().min_by_key(|&root| code(root))
}
