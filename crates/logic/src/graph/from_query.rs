//! From queries to query graphs, by the vertex rules of the GrailQA++ paper.
//!
//! | part of a query | vertex? |
//! |---|---|
//! | class, also `common.topic.notable_types` | no: it labels its vertex |
//! | entity, literal, each time it occurs | yes, a constraint |
//! | the value of a superlative | yes, a constraint |
//! | count, period, condition on a qualifier | no |
//! | a step that a superlative's path shares with the description | no second time |
//!
//! The papers say nothing of KoPL's questions. Here, the branches of a union hang on the same vertex; a question for yes or no has the described thing
//! as its root, a question for a relation or a qualifier the subject of the fact.

use super::query_graph::{Edge, QueryGraph, Vertex};
use crate::query::{Answer, Direction, Mark, Query, Relate, Set, Step, Superlative};
use crate::sexpr::{GraphQuery, GraphQueryError, NodeType};
use touchstone_kb::Comparison;

/// Freebase's way to say the type that is best known; WebQSP and ComplexWebQuestions use it like a class.
const NOTABLE_TYPES: &str = "common.topic.notable_types";

impl QueryGraph {
    /// The graph of a query.
    pub fn of(query: &Query) -> QueryGraph {
        let mut builder = Builder::default();
        let root = builder.vertex();
        match &query.answer {
            Answer::Members(set) | Answer::Exists(set) => builder.set(set, root),
            Answer::Count(set) => {
                builder.note(root, "count");
                builder.set(set, root);
            }
            Answer::Attribute { of, attribute, .. } => builder.step(of, attribute, Direction::Forward, root),
            Answer::Verify { of, attribute, comparison, value, .. } => {
                builder.set(of, root);
                let values = Set::Values(*comparison, value.clone());
                builder.step(&values, attribute, Direction::Backward, root);
            }
            Answer::Relation { from, to } => {
                builder.set(from, root);
                builder.step(to, "?", Direction::Backward, root);
            }
            Answer::AttributeQualifier { of, attribute, value, qualifier } => {
                builder.set(of, root);
                builder.note(root, &format!("asks for {qualifier}"));
                let values = Set::Values(Comparison::Equal, value.clone());
                builder.step(&values, attribute, Direction::Backward, root);
            }
            Answer::RelationQualifier { from, relation, to, qualifier } => {
                builder.set(from, root);
                builder.note(root, &format!("asks for {qualifier}"));
                builder.step(to, relation, Direction::Backward, root);
            }
            Answer::SelectBetween { left, right, attribute, extreme } => {
                builder.set(left, root);
                builder.set(right, root);
                builder.extreme(root, attribute, Direction::Forward, extreme.word());
            }
            Answer::SelectAmong { among, attribute, extreme } => {
                builder.set(among, root);
                builder.extreme(root, attribute, Direction::Forward, extreme.word());
            }
        }
        builder.graph
    }

    /// The graph of GrailQA's `graph_query`.
    pub fn of_graph_query(query: &GraphQuery) -> Result<QueryGraph, GraphQueryError> {
        let root = query.root()?;
        let vertices = query
            .nodes
            .iter()
            .map(|node| {
                let extreme = node.function.extreme();
                let note = match (node.function.comparison(), extreme) {
                    (Some(comparison), _) => comparison.symbol(),
                    (_, Some(extreme)) => extreme.word(),
                    _ if node.function == crate::sexpr::Function::Count => "count",
                    _ => "",
                };
                // The literal of a superlative is a placeholder.
                let label = if extreme.is_some() {
                    String::new()
                } else {
                    node.id.split("^^").next().unwrap_or("").to_owned()
                };
                Vertex { grounded: node.node_type != NodeType::Class, label, note: note.to_owned() }
            })
            .collect();
        let ends = query.ends()?;
        let edges = query.edges.iter().zip(ends).map(|(edge, (from, to))| Edge {
            from,
            to,
            label: edge.relation.clone(),
        });
        Ok(QueryGraph { vertices, edges: edges.collect(), root })
    }
}

#[derive(Default)]
struct Builder {
    graph: QueryGraph,
    marks: Vec<(Mark, usize)>,
}

impl Builder {
    fn vertex(&mut self) -> usize {
        self.graph.vertices.push(Vertex::default());
        self.graph.vertices.len() - 1
    }

    fn note(&mut self, vertex: usize, note: &str) {
        let notes = &mut self.graph.vertices[vertex].note;
        if !notes.is_empty() {
            notes.push_str(", ");
        }
        notes.push_str(note);
    }

    /// Adds to a label; entities and literals ground their vertex.
    fn label(&mut self, vertex: usize, label: &str, grounded: bool) {
        let vertex = &mut self.graph.vertices[vertex];
        if grounded && !vertex.grounded {
            // A name says more than the class.
            vertex.label.clear();
            vertex.grounded = true;
        } else if vertex.grounded && !grounded || vertex.label == label {
            return;
        }
        if !vertex.label.is_empty() {
            vertex.label.push_str(" & ");
        }
        vertex.label.push_str(label);
    }

    fn edge(&mut self, from: usize, to: usize, label: &str) {
        self.graph.edges.push(Edge { from, to, label: label.to_owned() });
    }

    fn set(&mut self, set: &Set, vertex: usize) {
        match set {
            Set::All => {}
            Set::Entity(name) | Set::Named(name) => self.label(vertex, name, true),
            Set::Class(class) => self.label(vertex, class, false),
            Set::Values(comparison, value) => {
                self.label(vertex, &value.to_string(), true);
                if *comparison != Comparison::Equal {
                    self.note(vertex, comparison.symbol());
                }
            }
            Set::Relate(relate) => self.relate(relate, vertex),
            Set::And(parts) | Set::Or(parts) => parts.iter().for_each(|part| self.set(part, vertex)),
            Set::Superlative(superlative) => self.superlative(superlative, vertex),
            Set::During(period) => {
                let note = format!("during {} to {}", period.earliest_end, period.latest_start);
                self.note(vertex, &note);
            }
            Set::Marked(mark, inner) => {
                self.marks.push((*mark, vertex));
                self.set(inner, vertex);
            }
            // As a step, this leads to the other vertex; by itself, it would say that two vertices are one.
            Set::Same(mark) => {
                if let Some(other) = self.marked(*mark) {
                    self.edge(vertex, other, "=");
                }
            }
        }
    }

    fn marked(&self, mark: Mark) -> Option<usize> {
        self.marks.iter().rev().find(|(known, _)| *known == mark).map(|&(_, vertex)| vertex)
    }

    fn relate(&mut self, relate: &Relate, vertex: usize) {
        if relate.property == NOTABLE_TYPES && relate.direction == Direction::Backward {
            if let Set::Entity(class) = &relate.from {
                return self.label(vertex, class, false);
            }
        }
        self.step(&relate.from, &relate.property, relate.direction, vertex);
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
            self.set(from, other);
        }
    }

    fn superlative(&mut self, superlative: &Superlative, vertex: usize) {
        self.set(&superlative.of, vertex);
        let Some((last, first)) = superlative.path.split_last() else { return };
        let mut at = superlative.start.and_then(|mark| self.marked(mark)).unwrap_or(vertex);
        for step in first {
            at = self.follow(at, step);
        }
        self.extreme(at, &last.property, last.direction, superlative.extreme.word());
    }

    /// Follows a step of a superlative's path: along a way that is there already, if it does not end at a constraint.
    fn follow(&mut self, at: usize, step: &Step) -> usize {
        let there = self.graph.edges.iter().find_map(|edge| {
            let (near, far) = if step.direction == Direction::Forward {
                (edge.from, edge.to)
            } else {
                (edge.to, edge.from)
            };
            (near == at && edge.label == step.property && !self.graph.vertices[far].grounded).then_some(far)
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
        self.graph.vertices[value].grounded = true;
        self.note(value, word);
        match direction {
            Direction::Forward => self.edge(at, value, property),
            Direction::Backward => self.edge(value, at, property),
        }
    }
}
