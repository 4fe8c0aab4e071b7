//! GrailQA: questions with a graph and an S-expression over Freebase.

use crate::compared_answer::ComparedAnswer;
use crate::data_set::Published;
use crate::export::{Export, ExportError, ExportJob, Exported, LeftOut};
use crate::freebase;
use crate::importer::Importer;
use crate::item::ItemSource;
use crate::official::{Evaluator, OfficialInput, ratio};
use crate::questions::ReadQuestions;
use hashbrown::HashSet;
use serde_json::{Value as Json, json};
use touchstone_benchmark::{Function, Graph, GraphVertex, Question};
use touchstone_kb::Kb;
use touchstone_logic::Answer;
use touchstone_logic::level::Level;

/// The data set.
pub(crate) struct GrailQa;

impl Published for GrailQa {
    fn name(&self) -> &'static str {
        "grailqa"
    }

    fn description(&self) -> &'static str {
        "GrailQA: graph_query, s_expression"
    }

    fn questions(&self) -> Option<&dyn ReadQuestions> {
        Some(self)
    }

    fn predictions(&self) -> Option<&'static str> {
        Some("GrailQA's lines of {\"qid\", \"logical_form\", \"answer\"}")
    }

    fn export(&self) -> Option<&dyn Export> {
        Some(self)
    }

    fn evaluator(&self) -> Option<&dyn Evaluator> {
        Some(self)
    }
}

impl ReadQuestions for GrailQa {
    fn expected(&self) -> &'static str {
        "`graph_query` or `s_expression`"
    }

    fn source(&self, json: &Json) -> Option<ItemSource> {
        graph(json).or_else(|| ItemSource::sexpr(json))
    }

    fn answers(&self, json: &Json, function: Function, _importer: &Importer<'_>) -> Vec<Answer> {
        freebase::answers(json.get("answer"), function)
    }

    fn lists_answers(&self, json: &Json) -> bool {
        json.get("answer").is_some_and(Json::is_array)
    }
}

/// The graph of a record.
pub(crate) fn graph(json: &Json) -> Option<ItemSource> {
    serde_json::from_value(json.get("graph_query")?.clone()).ok().map(ItemSource::Graph)
}

impl Export for GrailQa {
    fn write(&self, job: &ExportJob<'_>) -> Result<Exported, ExportError> {
        job.write_json(|question| record(job.kb, question), Json::Array)
    }
}

fn record(kb: &Kb, question: &Question) -> Result<Json, LeftOut> {
    let sexpr = question.forms.sexpr.as_ref().ok_or(LeftOut::NoSexpr)?;
    let answer = |answer: &Answer| match answer {
        Answer::Entity { id, label } => {
            json!({ "answer_type": "Entity", "answer_argument": id, "entity_name": label })
        }
        value => json!({ "answer_type": "Value", "answer_argument": value.text() }),
    };
    let Graph { vertices, edges, root } = &question.graph;
    let name = |id: &str| kb.node(id).map_or(id, |node| kb.label(node)).to_owned();
    let node = |(nid, vertex): (usize, &GraphVertex)| {
        let kind = match (vertex.grounded, kb.node(&vertex.label)) {
            (true, Some(_)) => "entity",
            (true, None) => "literal",
            (false, _) => "class",
        };
        let function = match vertex.note.as_str() {
            note @ ("count" | "argmax" | "argmin" | "<" | "<=" | ">" | ">=") => note,
            _ => "none",
        };
        json!({
            "nid": nid, "node_type": kind, "id": vertex.label, "class": if kind == "class" { &vertex.label } else { "" },
            "friendly_name": name(&vertex.label), "question_node": u8::from(nid == *root), "function": function,
        })
    };
    let relation = |id: &str| {
        kb.relation(id)
            .map_or_else(|| kb.attribute(id).map_or(id, |a| kb.attribute_label(a)), |r| kb.relation_label(r))
            .to_owned()
    };
    let edges: Vec<Json> = edges
        .iter()
        .map(|edge| json!({ "start": edge.from, "end": edge.to, "relation": edge.label, "friendly_name": relation(&edge.label) }))
        .collect();
    Ok(json!({
        "qid": question.id, "question": question.question, "answer": question.answers.iter().map(answer).collect::<Vec<_>>(),
        "function": question.function, "num_node": vertices.len(), "num_edge": edges.len(),
        "graph_query": { "nodes": vertices.iter().enumerate().map(node).collect::<Vec<_>>(), "edges": edges },
        "sparql_query": question.forms.sparql, "level": question.level.map_or("", Level::name), "s_expression": sexpr,
    }))
}

/// Exact match of graphs, and F1 that is 1 whenever the match is exact.
impl Evaluator for GrailQa {
    fn scores(&self) -> &'static [&'static str] {
        &["grailqa_em", "grailqa_f1"]
    }

    fn difference(&self) -> &'static str {
        "GrailQA's F1 is 1 whenever the forms match, without looking at the answers, and 0 if both answer sets are empty; ours looks at the answers"
    }

    fn evaluate(&self, input: &OfficialInput<'_>) -> Vec<f64> {
        let exact = input.is_exact_match;
        vec![f64::from(exact), f1(exact, input.predicted, input.gold)]
    }
}

fn f1(exact: bool, predicted: &[ComparedAnswer<'_>], gold: &[ComparedAnswer<'_>]) -> f64 {
    if exact {
        return 1.0;
    }
    let predicted: HashSet<&str> = predicted.iter().map(ComparedAnswer::id_or_value).collect();
    let gold: HashSet<&str> = gold.iter().map(ComparedAnswer::id_or_value).collect();
    let common = predicted.intersection(&gold).count();
    if common == 0 {
        return 0.0;
    }
    let (precision, recall) = (ratio(common, predicted.len()), ratio(common, gold.len()));
    2.0 * precision * recall / (precision + recall)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compared_answer::known;

    #[test]
    fn oddities_of_the_f1() {
        let (a, b, none) = (known(json!(["m.1", "m.1"])), known(json!(["m.1", "m.2"])), known(json!([])));
        assert_eq!(f1(true, &none, &a), 1.0, "the answers are not looked at");
        assert_eq!(f1(false, &none, &none), 0.0, "both are empty");
        assert_eq!(f1(false, &a, &b), 2.0 / 3.0, "sets");
    }
}
