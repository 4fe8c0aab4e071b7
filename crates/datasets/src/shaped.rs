//! The graph of the question in a record.

use crate::data_set::DataSet;
use crate::input::{InputError, RecordInput, benchmark_question};
use crate::item::RecordError;
use crate::reasons::ReasonCounts;
use crate::records::Record;
use touchstone_kb::Progress;
use touchstone_logic::graph::ShapeCounts;
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

/// The shapes of the questions in a file.
#[derive(Default)]
pub struct CountedShapes {
    /// The shapes, with an example of each.
    pub counts: ShapeCounts,
    /// Why questions have no shape.
    pub without_shape: ReasonCounts,
    /// The error of the first of these.
    pub first_error: Option<String>,
}

impl CountedShapes {
    fn add(&mut self, ShapedQuestion { id, example, graph, .. }: ShapedQuestion) {
        match graph {
            Ok((graph, shape)) => self.counts.add(shape, graph, example),
            Err(error) => {
                let error = error.to_string();
                self.counts.add_unreadable();
                self.first_error.get_or_insert_with(|| error.clone());
                self.without_shape.add(&id, error);
            }
        }
    }
}

impl DataSet {
    /// Counts the shapes of the questions of a file, in parallel. The questions are passed on in the order of the file.
    pub fn count_shapes<E: From<InputError>>(
        self,
        input: &RecordInput,
        knowledge: &Knowledge<'_>,
        progress: &dyn Progress,
        mut pass_on: impl FnMut(&ShapedQuestion) -> Result<(), E>,
    ) -> Result<CountedShapes, E> {
        let mut counted = CountedShapes::default();
        input.for_each(
            progress,
            |record| self.shaped(record, knowledge),
            |question| {
                pass_on(&question)?;
                counted.add(question);
                Ok::<(), E>(())
            },
        )?;
        Ok(counted)
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_kb::NoProgress;

    #[test]
    fn shapes_and_questions_without_one_are_counted() {
        let lines = "(COUNT (JOIN director lang))\n(COUNT (JOIN composer bach))\n(((";
        let input = RecordInput::Text(lines.to_owned());
        let mut passed = 0;
        let counted = DataSet::Lines.count_shapes(&input, &Knowledge::of_spelling(), &NoProgress, |_| {
            passed += 1;
            Ok::<(), InputError>(())
        });
        let counted = counted.expect("read");
        assert_eq!((counted.counts.questions, passed), (3, 3));
        assert_eq!((counted.counts.by_frequency().len(), counted.without_shape.total()), (1, 1));
        assert!(counted.first_error.is_some());
    }
}
