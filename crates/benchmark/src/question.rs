//! One question of a benchmark: a line of `questions.jsonl`. `docs/benchmark-format.md` describes every field.

use crate::kinds::{Function, QuestionType, Split};
use serde::{Deserialize, Serialize};
use touchstone_kb::Kb;
use touchstone_logic::equal::Canonical;
use touchstone_logic::level::{Level, SchemaItems, Traits};
use touchstone_logic::{Answer, Ask, Language, Program, Query, QueryGraph, Vocabulary};
use touchstone_logic::{Knowledge, read_text};

/// A question with everything that is known about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Question {
    /// Unique in the benchmark.
    pub id: String,
    /// train, dev or test.
    pub split: Split,
    /// The level relative to the training split; `None`, written as an empty text, in the training split and where it is unknown.
    #[serde(with = "level_name")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::schema::level"))]
    pub level: Option<Level>,
    /// The question in English.
    pub question: String,
    /// The logical forms that can express it.
    pub forms: Forms,
    /// The query graph.
    pub graph: Graph,
    /// The canonical code of the graph's shape.
    pub shape: String,
    /// Its name in the literature, if it has one.
    pub alias: Option<String>,
    /// The function on top of the query.
    pub function: Function,
    /// KQA Pro's type.
    #[serde(rename = "type")]
    pub kind: QuestionType,
    /// KQA Pro's categories that the program falls into.
    pub categories: Vec<String>,
    /// The answers with type, id and label; empty if there are none, or if they are unknown: see `answers_empty`.
    pub answers: Vec<Answer>,
    /// Whether the answers are known and there are none. Without answers and without this mark they are unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answers_empty: bool,
    /// The answers of the question's other readings, for data sets that have several (WebQSP's parses).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_answers: Vec<Vec<Answer>>,
    /// Ten answers to choose from, if the question has one answer.
    pub choices: Vec<String>,
    /// A key that questions with the same template share.
    pub template: String,
    /// Classes, properties and qualifier keys.
    pub schema_items: Vec<String>,
    /// Entities with their places in the question.
    pub entities: Vec<Mention>,
    /// Facts that make the answers true; of the first answers, if there are many.
    pub proof: Vec<ProofFact>,
    /// The strategy or data set that it comes from.
    pub source: String,
    /// Whether it has a phrase that no training question has, because the lexicon keeps it for zero-shot questions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub new_words: bool,
    /// Other wordings of the same question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paraphrases: Vec<Paraphrase>,
    /// The question as the program wrote it, if a person wrote the one above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_question: Option<String>,
    /// Who wrote and judged the question, if people did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// Who wrote and judged a question. People are named by pseudonyms.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Provenance {
    /// The name of the annotation project.
    pub project: String,
    /// The task of the project.
    pub task: String,
    /// Who wrote the text; empty for a text from elsewhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub writer: String,
    /// Who settled the task, if its verdict does not follow from the rules alone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub adjudicator: String,
    /// Whether the text was changed after its writer wrote it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// The version of the guidelines that the writer saw; 0 if there were none.
    #[serde(default)]
    pub guidelines: u32,
    /// What judges say about the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judgements: Vec<ProvenanceJudgement>,
}

/// What a judge says about a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProvenanceJudgement {
    /// The judge.
    pub judge: String,
    /// Whether it means the same as the machine's question: `yes`, `no` or `unsure`.
    pub same: String,
    /// From 1, not fluent, to 5, fluent.
    pub fluency: u8,
}

impl Question {
    /// What the query alone determines. The rest is empty, the split is test, and the level is unknown.
    pub fn about(parts: &QuestionParts<'_>) -> Question {
        let SchemaItems { classes, properties, qualifiers } = parts.items;
        let shape = parts.graph.shape();
        Question {
            id: String::new(),
            split: Split::Test,
            level: None,
            question: String::new(),
            forms: Forms::default(),
            graph: parts.graph.into(),
            alias: shape.alias.map(|alias| alias.name.to_owned()),
            shape: shape.code,
            function: parts.function,
            kind: parts.kind,
            categories: parts.program.map(categories).unwrap_or_default(),
            answers: Vec::new(),
            answers_empty: false,
            other_answers: Vec::new(),
            choices: Vec::new(),
            template: parts.template.to_owned(),
            schema_items: classes
                .iter()
                .chain(properties)
                .chain(qualifiers)
                .map(ToString::to_string)
                .collect(),
            entities: Vec::new(),
            proof: Vec::new(),
            source: String::new(),
            new_words: false,
            paraphrases: Vec::new(),
            machine_question: None,
            provenance: None,
        }
    }

    /// Whether the gold answers are known; there may be none.
    pub fn has_gold_answers(&self) -> bool {
        !self.answers.is_empty() || self.answers_empty
    }

    /// The schema items and the template, which decide the level of the question. Without a KB it is unknown which items are
    /// properties, so inverse relations are unknown, too.
    pub fn traits(&self, kb: Option<&Kb>, inverses: &dyn Vocabulary, inverse_rule: bool) -> Traits {
        let mut items = SchemaItems::default();
        for item in &self.schema_items {
            let of_kind = match kb {
                Some(kb) if kb.class(item).is_some() => &mut items.classes,
                Some(kb) if kb.relation(item).is_some() || kb.attribute(item).is_some() => {
                    &mut items.properties
                }
                Some(_) | None => &mut items.qualifiers,
            };
            of_kind.insert(item.as_str().into());
        }
        Traits::new(items, self.template.clone(), inverses, inverse_rule)
    }

    /// The schema items and the template of the query of this question. A relation that the question asks for is one of the items.
    pub fn traits_of(&self, query: &Query, inverses: &dyn Vocabulary, inverse_rule: bool) -> Traits {
        let mut items = SchemaItems::of(query);
        if let Ask::Relation { .. } = query.answer {
            let asked = self.answers.iter().filter(|answer| matches!(answer, Answer::Relation { .. }));
            items.properties.extend(asked.filter_map(Answer::id).map(Into::into));
        }
        Traits::new(items, Canonical::template(query, inverses).key().to_owned(), inverses, inverse_rule)
    }

    /// The query, from the first of its forms that can be read.
    pub fn query(&self, knowledge: &Knowledge<'_>) -> Option<Query> {
        let Forms { sexpr, program, sparql, sparql_kqapro } = &self.forms;
        let forms = [
            (Language::Sexpr, sexpr),
            (Language::Kopl, program),
            (Language::Sparql, sparql),
            (Language::Sparql, sparql_kqapro),
        ];
        let read = |(language, text): (Language, &Option<String>)| {
            Some(read_text(language, text.as_deref()?, knowledge).ok()?.query)
        };
        forms.into_iter().find_map(read)
    }
}

/// A query with what is known about it.
#[derive(Debug, Clone, Copy)]
pub struct QuestionParts<'q> {
    /// The function on top of it.
    pub function: Function,
    /// KQA Pro's type.
    pub kind: QuestionType,
    /// Its graph.
    pub graph: &'q QueryGraph,
    /// Its schema items.
    pub items: &'q SchemaItems,
    /// Its template.
    pub template: &'q str,
    /// Its program, which its categories follow from.
    pub program: Option<&'q Program>,
}

/// The level as a text, which is empty if there is none.
mod level_name {
    use crate::named::UnknownName;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use std::borrow::Cow;
    use touchstone_logic::level::Level;

    pub(super) fn serialize<S: Serializer>(level: &Option<Level>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(level.map_or("", Level::name))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Level>, D::Error> {
        let text = Cow::<'_, str>::deserialize(deserializer)?;
        if text.is_empty() {
            return Ok(None);
        }
        let found = Level::ALL.into_iter().find(|level| level.name() == text);
        let unknown = || UnknownName::new("level", &text, &Level::ALL.map(Level::name));
        found.map(Some).ok_or_else(|| D::Error::custom(unknown()))
    }
}

/// Where a question names an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mention {
    /// The entity.
    pub id: String,
    /// The name as it stands in the question.
    pub text: String,
    /// Its first character, counted from 0.
    pub start: usize,
    /// The character after its last one.
    pub end: usize,
}

/// Another wording of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Paraphrase {
    /// The question in other words.
    pub text: String,
    /// Entities with their places in it.
    pub entities: Vec<Mention>,
    /// The system that wrote it.
    pub system: String,
    /// The share of words that differ from the question.
    pub distance: f64,
}

/// A fact as people read it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProofFact {
    /// The id of the subject.
    pub subject: String,
    /// The id of the relation or attribute.
    pub property: String,
    /// The id of the entity, or the literal.
    pub value: String,
}

/// Logical forms; what a language cannot express is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forms {
    /// S-expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sexpr: Option<String>,
    /// KoPL program in the readable form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// SPARQL on the direct view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparql: Option<String>,
    /// SPARQL on KQA Pro's graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparql_kqapro: Option<String>,
}

/// A query graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Graph {
    /// The answer's place in `vertices`.
    pub root: usize,
    /// The answer, the constraints and the variables.
    pub vertices: Vec<GraphVertex>,
    /// The relations.
    pub edges: Vec<GraphEdge>,
}

/// The answer, a constraint or a variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphVertex {
    /// The entity's id or name, the literal, or the class of a variable.
    pub label: String,
    /// Whether the query names it.
    pub grounded: bool,
    /// Functions on it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// A relation between two vertices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphEdge {
    /// The subject.
    pub from: usize,
    /// The value.
    pub to: usize,
    /// The relation.
    pub label: String,
}

impl From<&touchstone_logic::QueryGraph> for Graph {
    fn from(graph: &touchstone_logic::QueryGraph) -> Graph {
        let vertex = |vertex: &touchstone_logic::graph::Vertex| GraphVertex {
            label: vertex.label.to_string(),
            grounded: vertex.grounded,
            note: vertex.note.to_string(),
        };
        let edge = |edge: &touchstone_logic::graph::Edge| GraphEdge {
            from: edge.from,
            to: edge.to,
            label: edge.label.to_string(),
        };
        Graph {
            root: graph.root,
            vertices: graph.vertices.iter().map(vertex).collect(),
            edges: graph.edges.iter().map(edge).collect(),
        }
    }
}

impl From<&Graph> for touchstone_logic::QueryGraph {
    fn from(graph: &Graph) -> touchstone_logic::QueryGraph {
        let vertex = |vertex: &GraphVertex| touchstone_logic::graph::Vertex {
            grounded: vertex.grounded,
            label: vertex.label.as_str().into(),
            note: vertex.note.as_str().into(),
        };
        let edge = |edge: &GraphEdge| touchstone_logic::graph::Edge {
            from: edge.from,
            to: edge.to,
            label: edge.label.as_str().into(),
        };
        touchstone_logic::QueryGraph {
            vertices: graph.vertices.iter().map(vertex).collect(),
            edges: graph.edges.iter().map(edge).collect(),
            root: graph.root,
        }
    }
}

/// KQA Pro's categories of a program, by the names of its functions.
fn categories(program: &Program) -> Vec<String> {
    let has = |fits: &dyn Fn(&str) -> bool| program.steps.iter().any(|step| fits(step.function.name()));
    let is_qualifier = |name: &str| {
        name.starts_with("QFilter")
            || matches!(name, "QueryAttrUnderCondition" | "QueryAttrQualifier" | "QueryRelationQualifier")
    };
    let all = [
        ("multihop", has(&|name| name == "Relate" || name.starts_with("Filter"))),
        ("qualifier", has(&is_qualifier)),
        ("comparison", has(&|name| matches!(name, "SelectBetween" | "SelectAmong"))),
        ("logical", has(&|name| matches!(name, "And" | "Or"))),
        ("count", has(&|name| name == "Count")),
        ("verify", has(&|name| name.starts_with("Verify"))),
    ];
    all.into_iter().filter(|(_, fits)| *fits).map(|(category, _)| category.to_owned()).collect()
}
