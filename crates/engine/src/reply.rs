//! The reply of a session.

use crate::budget::{Cost, Stopped};
use crate::embedded::TraceNode;
use crate::sparql::Results;
use touchstone_logic::Answer;

/// The outcome of a query, with notes, cost and trace.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The answers, or why there are none.
    pub outcome: Outcome,
    /// The name of the engine that ran it.
    pub engine: Option<&'static str>,
    /// Notes for the user: repairs, unknown names.
    pub notes: Vec<String>,
    /// The cost.
    pub cost: Cost,
    /// The trace of each step, if it was requested and the engine records it.
    pub trace: Option<TraceNode>,
}

/// The outcome of a query; see [`Reply`]. The names are those of benchmark runs.
///
/// The texts of failures come from the engines, servers and parsers of several crates and are only shown: callers decide by the
/// variant. Callers that need the typed error of a parser read the form first (`ReadForm::error`).
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The query completed. It may have no answers.
    Answered(Answers),
    /// The text is not a query.
    Unparsable(String),
    /// The query cannot be run.
    Failed(String),
    /// A limit was reached.
    OverBudget(Stopped),
}

impl Outcome {
    /// One word for files and JSON output.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Answered(_) => "answered",
            Outcome::Unparsable(_) => "unparsable",
            Outcome::Failed(_) => "failed_to_execute",
            Outcome::OverBudget(_) => "over_budget",
        }
    }
}

/// The answers to a query.
#[derive(Debug, Clone)]
pub enum Answers {
    /// A list: of KoPL, of S-expressions, and of SPARQL with one column.
    List {
        /// The answers.
        answers: Vec<Answer>,
    },
    /// Rows of SPARQL with several columns.
    Table {
        /// The columns.
        variables: Vec<String>,
        /// The rows.
        rows: Vec<Vec<Option<Answer>>>,
    },
    /// RDF results: whatever was asked, if they were requested, and always for SPARQL's CONSTRUCT and DESCRIBE.
    Rdf(Results),
}

impl Answers {
    /// The number of answers.
    pub fn len(&self) -> usize {
        match self {
            Answers::List { answers } => answers.len(),
            Answers::Table { rows, .. } => rows.len(),
            Answers::Rdf(Results::Graph(triples)) => triples.len(),
            Answers::Rdf(Results::Solutions { rows, .. }) => rows.len(),
            Answers::Rdf(Results::Boolean(_)) => 1,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The only answer, if it is a number or yes or no.
    pub fn single_value(&self) -> Option<&Answer> {
        match self {
            Answers::List { answers } => match answers.as_slice() {
                [only @ (Answer::Boolean { .. } | Answer::Number { .. })] => Some(only),
                _ => None,
            },
            _ => None,
        }
    }

    /// The first answers as a table of texts: a list has a column of answers and, if any of them has an id, one of ids. RDF results
    /// have none.
    pub fn table(&self, limit: usize) -> Option<AnswerTable> {
        match self {
            Answers::List { answers } => {
                let with_ids = answers.iter().any(|answer| answer.id().is_some());
                let row = |answer: &Answer| {
                    let id = with_ids.then(|| answer.id().unwrap_or_default().to_owned());
                    [answer.to_string()].into_iter().chain(id).collect()
                };
                let headings = if with_ids { vec!["answer", "id"] } else { vec!["answer"] };
                let headings = headings.into_iter().map(str::to_owned).collect();
                Some(AnswerTable { headings, rows: answers.iter().take(limit).map(row).collect() })
            }
            Answers::Table { variables, rows } => {
                let cell = |cell: &Option<Answer>| cell.as_ref().map_or(String::new(), ToString::to_string);
                let rows = rows.iter().take(limit).map(|row| row.iter().map(cell).collect()).collect();
                Some(AnswerTable { headings: variables.clone(), rows })
            }
            Answers::Rdf(_) => None,
        }
    }
}

/// Answers as texts in columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerTable {
    /// The names of the columns.
    pub headings: Vec<String>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_become_rows() {
        let yes = Answers::List { answers: vec![Answer::Boolean { value: true }] };
        assert!(yes.single_value().is_some());
        let paris = Answer::Entity { id: "paris".to_owned(), label: "Paris".to_owned() };
        let both = Answers::List { answers: vec![Answer::plain("a text"), paris] };
        assert!(both.single_value().is_none());
        let table = both.table(10).expect("a list");
        assert_eq!(table.headings, ["answer", "id"]);
        assert_eq!(table.rows, [["a text", ""], ["Paris", "paris"]]);
        assert_eq!(both.table(1).expect("a list").rows.len(), 1);
    }
}
