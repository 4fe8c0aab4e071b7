//! The graph of the question in a record.

use crate::data_set::DataSet;
use crate::input::benchmark_question;
use crate::item::RecordError;
use crate::records::Record;
use touchstone_logic::{Knowledge, QueryGraph, Shape};

/// A question with its graph and shape, or why it has none.
pub struct ShapedQuestion {
    /// Its id; its line if the record cannot be read.
    pub id: String,
    /// The question in words.
    pub question: Option<String>,
    /// The question in words, or else its logical form, in one line.
    pub example: String,
    /// The graph with its shape, or what is wrong.
    pub graph: Result<(QueryGraph, Shape), RecordError>,
}

impl DataSet {
    /// The question of a record with its graph; questions of benchmarks have theirs in the file.
    pub fn shaped(self, record: &Record, knowledge: &Knowledge<'_>) -> ShapedQuestion {
        let with_shape = |graph: QueryGraph| {
            let shape = graph.shape();
            (graph, shape)
        };
        if let Some(question) = benchmark_question(record) {
            return ShapedQuestion {
                id: question.id,
                example: question.question.clone(),
                question: Some(question.question),
                graph: Ok(with_shape(QueryGraph::from(&question.graph))),
            };
        }
        let item = match self.item(record) {
            Ok(item) => item,
            Err(error) => {
                let (id, graph) = (record.line.to_string(), Err(error));
                return ShapedQuestion { id, question: None, example: String::new(), graph };
            }
        };
        let example = item.question.clone().or_else(|| item.source.text().ok()).unwrap_or_default();
        ShapedQuestion {
            id: item.id,
            question: item.question,
            example: example.split_whitespace().collect::<Vec<_>>().join(" "),
            graph: item.source.graph(knowledge).map(with_shape).map_err(RecordError::from),
        }
    }
}
