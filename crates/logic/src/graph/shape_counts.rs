//! Counts the shapes of many questions.

use super::alias::{Alias, Certainty};
use super::ascii::draw;
use super::query_graph::QueryGraph;
use super::shape::Shape;
use crate::cast::float;
use serde::{Serialize, Serializer};
use std::cmp::Reverse;
use std::collections::BTreeMap;

impl Serialize for Certainty {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Certainty::Certain => "certain",
            Certainty::Strong => "strong",
            Certainty::Weak => "weak",
        })
    }
}

/// The names of a shape in the literature, for JSON.
#[derive(Serialize)]
struct AliasFields {
    alias: Option<&'static str>,
    certainty: Option<Certainty>,
    reasoning_path: Option<&'static str>,
}

impl AliasFields {
    fn of(alias: Option<Alias>) -> AliasFields {
        AliasFields {
            alias: alias.map(|alias| alias.name),
            certainty: alias.map(|alias| alias.certainty),
            reasoning_path: alias.and_then(|alias| alias.reasoning_path),
        }
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'s> {
            code: &'s str,
            plain: &'s str,
            #[serde(flatten)]
            alias: AliasFields,
            relations: u32,
            constraints: u32,
            depths: &'s [u32],
            hops: u32,
            cycle: bool,
            simple: bool,
        }
        let fields = Fields {
            code: &self.code,
            plain: &self.plain,
            alias: AliasFields::of(self.alias),
            relations: self.relations,
            constraints: self.constraints,
            depths: &self.depths,
            hops: self.hops,
            cycle: self.cycle,
            simple: self.simple,
        };
        fields.serialize(serializer)
    }
}

/// A question with its shape: a line of JSON.
#[derive(Debug, Serialize)]
pub struct QuestionShape<'s> {
    /// The id of the question.
    pub id: &'s str,
    /// The question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<&'s str>,
    /// Its shape.
    #[serde(flatten)]
    pub shape: &'s Shape,
}

/// A question without a shape: a line of JSON.
#[derive(Debug, Serialize)]
pub struct NoShape<'s> {
    id: &'s str,
    code: &'static str,
    error: &'s str,
}

impl<'s> NoShape<'s> {
    /// Why the question has no shape.
    pub fn new(id: &'s str, error: &'s str) -> NoShape<'s> {
        NoShape { id, code: super::code::INVALID, error }
    }
}

/// A shape, ignoring grounding, with the number of its questions.
#[derive(Debug, Clone)]
pub struct ShapeCount {
    /// The shape of the first question.
    pub shape: Shape,
    /// The graph of the first question.
    pub graph: QueryGraph,
    /// The first question, or its logical form.
    pub example: String,
    /// The number of questions.
    pub count: usize,
}

impl ShapeCount {
    /// The drawing of the first question and the features of its shape, as text for people.
    pub fn page(&self) -> String {
        let shape = &self.shape;
        let mut page = format!("{}\n\n", draw(&self.graph).trim_end());
        let mut line = |what: &str, value: &str| page.push_str(&format!("{what:<12} {value}\n"));
        line("shape", &shape.code);
        if shape.alias.is_some() {
            line("alias", &shape.names());
        }
        line("relations", &shape.relations.to_string());
        let depths: Vec<String> = shape.depths.iter().map(ToString::to_string).collect();
        let distances =
            if depths.is_empty() { String::new() } else { format!(" at distance {}", depths.join(", ")) };
        line("constraints", &format!("{}{distances}", shape.constraints));
        line("cycle", if shape.cycle { "yes" } else { "no" });
        line("class", if shape.simple { "simple" } else { "complex" });
        page
    }
}

impl Shape {
    /// Its names in the literature, with a mark if they are inferred; empty if it has none.
    pub fn names(&self) -> String {
        let Some(alias) = self.alias else { return String::new() };
        let path = alias.reasoning_path.map_or_else(String::new, |path| format!(", {path}"));
        format!("{alias}{path}")
    }
}

/// The number of questions of each shape.
#[derive(Debug, Clone, Default)]
pub struct ShapeCounts {
    /// By plain code.
    rows: BTreeMap<String, ShapeCount>,
    /// The number of questions.
    pub questions: usize,
    /// The number of questions without a shape.
    pub unreadable: usize,
}

impl ShapeCounts {
    /// Counts a question.
    pub fn add(&mut self, shape: Shape, graph: QueryGraph, example: String) {
        self.questions += 1;
        match self.rows.get_mut(&shape.plain) {
            Some(row) => row.count += 1,
            None => {
                self.rows.insert(shape.plain.clone(), ShapeCount { shape, graph, example, count: 1 });
            }
        }
    }

    /// Counts a question without a shape.
    pub fn add_unreadable(&mut self) {
        self.questions += 1;
        self.unreadable += 1;
    }

    /// The shapes, the most frequent first, then the smallest.
    pub fn by_frequency(&self) -> Vec<&ShapeCount> {
        let mut rows: Vec<&ShapeCount> = self.rows.values().collect();
        rows.sort_by_key(|row| (Reverse(row.count), row.shape.plain.len()));
        rows
    }
}

impl Serialize for ShapeCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row<'s> {
            code: &'s str,
            #[serde(flatten)]
            alias: AliasFields,
            count: usize,
            share: f64,
            example: &'s str,
        }
        #[derive(Serialize)]
        struct Fields<'s> {
            questions: usize,
            unreadable: usize,
            shapes: Vec<Row<'s>>,
        }
        let shapes = self.by_frequency().into_iter().map(|row| Row {
            code: &row.shape.plain,
            alias: AliasFields::of(row.shape.alias),
            count: row.count,
            share: float(row.count) / float(self.questions),
            example: &row.example,
        });
        let shapes = shapes.collect();
        Fields { questions: self.questions, unreadable: self.unreadable, shapes }.serialize(serializer)
    }
}
