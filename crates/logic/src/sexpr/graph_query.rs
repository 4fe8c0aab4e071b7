//! GrailQA's `graph_query`, and the S-expression that GrailQA derives from it.

use super::form::{Binary, Form};
use crate::query::Extreme;
use serde::Deserialize;
use touchstone_kb::Comparison;

/// A query graph in GrailQA's files.
#[derive(Debug, Clone, Deserialize)]
pub struct GraphQuery {
    /// Its nodes.
    pub nodes: Vec<GraphNode>,
    /// Its edges.
    pub edges: Vec<GraphQueryEdge>,
}

/// A node of a [`GraphQuery`].
#[derive(Debug, Clone, Deserialize)]
pub struct GraphNode {
    /// Its number.
    pub nid: i64,
    /// Its kind.
    pub node_type: NodeType,
    /// A class, an entity or a literal `text^^type`.
    pub id: String,
    /// Its class.
    #[serde(default)]
    pub class: String,
    /// 1 for the answer.
    pub question_node: u8,
    /// Its function.
    #[serde(default)]
    pub function: GraphFunction,
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeType {
    /// A variable of a class.
    Class,
    /// An entity.
    Entity,
    /// A literal.
    Literal,
}

/// The function at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum GraphFunction {
    /// None.
    #[default]
    #[serde(rename = "none")]
    None,
    /// Counts the answers.
    #[serde(rename = "count")]
    Count,
    /// The greatest value.
    #[serde(rename = "argmax")]
    ArgMax,
    /// The smallest value.
    #[serde(rename = "argmin")]
    ArgMin,
    /// Less than the literal.
    #[serde(rename = "<")]
    Less,
    /// At most the literal.
    #[serde(rename = "<=")]
    LessOrEqual,
    /// Greater than the literal.
    #[serde(rename = ">")]
    Greater,
    /// At least the literal.
    #[serde(rename = ">=")]
    GreaterOrEqual,
}

impl GraphFunction {
    /// The comparison operator, if it is one.
    pub fn comparison(self) -> Option<Comparison> {
        match self {
            GraphFunction::Less => Some(Comparison::Less),
            GraphFunction::LessOrEqual => Some(Comparison::LessOrEqual),
            GraphFunction::Greater => Some(Comparison::Greater),
            GraphFunction::GreaterOrEqual => Some(Comparison::GreaterOrEqual),
            _ => None,
        }
    }

    /// The superlative, if it is one.
    pub(crate) fn extreme(self) -> Option<Extreme> {
        match self {
            GraphFunction::ArgMax => Some(Extreme::Max),
            GraphFunction::ArgMin => Some(Extreme::Min),
            _ => None,
        }
    }
}

/// An edge of a [`GraphQuery`]: start, relation, end.
#[derive(Debug, Clone, Deserialize)]
pub struct GraphQueryEdge {
    /// The subject's number.
    pub start: i64,
    /// The object's number.
    pub end: i64,
    /// The relation.
    pub relation: String,
}

/// Why a graph is not a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphQueryError {
    /// The answer is missing.
    #[error("the graph has no question node")]
    NoAnswer,
    /// An edge leads to a missing node.
    #[error("edge {edge} (from 0) leads to node {node}, which does not exist")]
    NoSuchNode {
        /// The edge, from 0.
        edge: usize,
        /// The node's number.
        node: i64,
    },
    /// The superlative's value is not connected to the answer.
    #[error("no path leads from the answer to the value of the superlative")]
    NoPath,
    /// The graph is too deep.
    #[error("the graph is deeper than {} edges", crate::text::MAX_DEPTH)]
    TooDeep,
}

/// An outgoing edge of a node.
#[derive(Clone, Copy)]
struct Way {
    edge: usize,
    to: usize,
    reversed: bool,
}

impl GraphQuery {
    /// The index of the answer's node in `nodes`.
    pub fn root(&self) -> Result<usize, GraphQueryError> {
        self.nodes.iter().position(|node| node.question_node == 1).ok_or(GraphQueryError::NoAnswer)
    }

    /// The two ends of each edge, as indexes in `nodes`.
    pub fn ends(&self) -> Result<Vec<(usize, usize)>, GraphQueryError> {
        let place = |edge: usize, nid: i64| {
            let found = self.nodes.iter().position(|node| node.nid == nid);
            found.ok_or(GraphQueryError::NoSuchNode { edge, node: nid })
        };
        self.edges
            .iter()
            .enumerate()
            .map(|(i, edge)| Ok((place(i, edge.start)?, place(i, edge.end)?)))
            .collect()
    }

    /// GrailQA's S-expression for the graph, identical as a string.
    pub fn to_form(&self) -> Result<Form, GraphQueryError> {
        let root = self.root()?;
        let mut writer = Writer { graph: self, ways: self.ways()?, used: vec![false; self.edges.len()] };
        let last = self
            .nodes
            .iter()
            .rev()
            .find(|node| node.function != GraphFunction::None)
            .map(|node| node.function);
        let extreme = self.nodes.iter().position(|node| node.function.extreme().is_some());
        if last == Some(GraphFunction::Count) {
            return Ok(Form::Count(Box::new(writer.expression(root, 0)?)));
        }
        let Some(value) = extreme else { return writer.expression(root, 0) };
        let path = writer.path(root, value).ok_or(GraphQueryError::NoPath)?;
        writer.cut(&path);
        let relations = path.iter().map(|&(_, way)| writer.binary(way)).collect();
        let kind = self.nodes[value].function.extreme().unwrap_or(Extreme::Max);
        Ok(Form::Superlative(kind, Box::new(writer.expression(root, 0)?), relations))
    }

    /// The outgoing edges of each node: in file order, those to the same neighbour together.
    fn ways(&self) -> Result<Vec<Vec<Way>>, GraphQueryError> {
        let mut ways: Vec<Vec<Way>> = vec![Vec::new(); self.nodes.len()];
        for (edge, (start, end)) in self.ends()?.into_iter().enumerate() {
            insert(&mut ways[start], Way { edge, to: end, reversed: false });
            if start != end {
                insert(&mut ways[end], Way { edge, to: start, reversed: true });
            }
        }
        Ok(ways)
    }
}

fn insert(ways: &mut Vec<Way>, way: Way) {
    let behind = ways.iter().rposition(|other| other.to == way.to).map_or(ways.len(), |at| at + 1);
    ways.insert(behind, way);
}

struct Writer<'g> {
    graph: &'g GraphQuery,
    ways: Vec<Vec<Way>>,
    used: Vec<bool>,
}

impl Writer<'_> {
    fn binary(&self, way: Way) -> Binary {
        Binary { relation: self.graph.edges[way.edge].relation.as_str().into(), reversed: way.reversed }
    }

    fn expression(&mut self, at: usize, depth: usize) -> Result<Form, GraphQueryError> {
        if depth > crate::text::MAX_DEPTH {
            return Err(GraphQueryError::TooDeep);
        }
        let node = &self.graph.nodes[at];
        match node.node_type {
            // Grounded nodes are never expanded, even if the graph continues after them.
            NodeType::Entity => return Ok(Form::Entity(node.id.as_str().into())),
            NodeType::Literal => return Ok(Form::Literal(node.id.as_str().into())),
            NodeType::Class => {}
        }
        let mut clauses = Vec::new();
        if node.question_node == 1 {
            clauses.push(Form::Class(node.id.as_str().into()));
        }
        for way in self.ways[at].clone() {
            if std::mem::replace(&mut self.used[way.edge], true) {
                continue;
            }
            let relation = self.binary(way);
            let inner = Box::new(self.expression(way.to, depth + 1)?);
            clauses.push(match self.graph.nodes[way.to].function.comparison() {
                Some(comparison) => Form::Compare(comparison, relation, inner),
                None => Form::Join(relation, inner),
            });
        }
        Ok(Form::and(clauses).unwrap_or_else(|| Form::Class(node.id.as_str().into())))
    }

    /// The simple path from `from` to `to`: each node, with the edge taken from it.
    fn path(&self, from: usize, to: usize) -> Option<Vec<(usize, Way)>> {
        let mut came: Vec<Option<(usize, Way)>> = vec![None; self.ways.len()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for &way in &self.ways[at] {
                if way.to != from && came[way.to].is_none() {
                    came[way.to] = Some((at, way));
                    queue.push_back(way.to);
                }
            }
        }
        let mut path = Vec::new();
        let mut at = to;
        while at != from {
            let (before, way) = came[at]?;
            path.push((before, way));
            at = before;
        }
        path.reverse();
        Some(path)
    }

    /// Removes the path from the superlative's end, up to the first node with another condition.
    fn cut(&mut self, path: &[(usize, Way)]) {
        for &(node, way) in path.iter().rev() {
            let degree = self.ways[node].iter().filter(|other| !self.used[other.edge]).count();
            self.used[way.edge] = true;
            if degree > 2 {
                break;
            }
        }
    }
}
