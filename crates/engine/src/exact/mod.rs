//! Plans as SPARQL that gives exactly their answers, on one of the RDF views of a KB.
//!
//! The languages of `touchstone_logic` print queries as datasets write them, with what that loses. Here nothing may be lost: the KB is
//! known, so each condition is printed in a form that is right for the values that the KB has, and what a view cannot say is an error.
//! Everything is SPARQL 1.1, but for conditions on qualifiers in the direct view, which are RDF 1.2 and need SPARQL 1.2.
//!
//! `conjuncts.rs` brings alternatives to the outside, `resolve.rs` finds out what each variable stands for, `knowledge.rs` and `wanted.rs`
//! know which values occur and which of them are wanted, `printer.rs`, `literals.rs` and `ask.rs` write the query with the words of
//! `direct.rs`, `direct_values.rs`, `kqapro.rs` and `kqapro_values.rs`, `keys.rs` and `answers.rs` read what a server answers.

mod answers;
mod ask;
mod conjuncts;
mod direct;
mod direct_values;
mod group;
mod keys;
mod knowledge;
mod kqapro;
mod kqapro_values;
mod literals;
mod printer;
mod resolve;
mod wanted;

pub use answers::{ExactAnswer, Unreadable};

use crate::plan::Plan;
use crate::shortcut::View;
use crate::sparql::Results;
use direct::Direct;
use knowledge::Knowledge;
use kqapro::KqaPro;
use touchstone_kb::Kb;

/// A plan that a view has no words for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("SPARQL for this view cannot say it exactly: {what}")]
pub struct NoExactForm {
    /// What cannot be said.
    pub what: &'static str,
}

impl NoExactForm {
    fn new(what: &'static str) -> NoExactForm {
        NoExactForm { what }
    }
}

/// A query that gives exactly the answers of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactQuery {
    /// The SPARQL.
    pub text: String,
    /// What its result holds.
    pub holds: Holds,
}

/// What the result of a query holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holds {
    /// Nodes and literals.
    Things {
        /// What stands in each column.
        columns: Vec<Column>,
        /// The unit of numbers that are written without one.
        unit: String,
    },
    /// Relations, in one column.
    Relations,
    /// A number, in one column.
    Count,
    /// Yes or no: the query is an `ASK`.
    Boolean,
}

/// A column of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    /// A node, or a literal of the direct view.
    Answer,
    /// The number, text or boolean of a value node.
    Value,
    /// A number as text: Virtuoso rounds numbers to six digits when it writes them, but not their text.
    Number,
    /// The unit of a number.
    Unit,
    /// The year of a time.
    Year,
    /// The date of a time.
    Date,
}

impl Column {
    /// The column, as `SELECT` wants it.
    fn selected(self) -> &'static str {
        match self {
            Column::Answer => "?answer",
            Column::Value => "?value",
            Column::Number => "(STR(?value) AS ?number)",
            Column::Unit => "?unit",
            Column::Year => "?year",
            Column::Date => "?date",
        }
    }

    /// The variable, without its question mark.
    pub fn name(self) -> &'static str {
        match self {
            Column::Answer => "answer",
            Column::Value => "value",
            Column::Number => "number",
            Column::Unit => "unit",
            Column::Year => "year",
            Column::Date => "date",
        }
    }
}

enum Dialect<'k> {
    Direct(Direct<'k>),
    KqaPro(KqaPro<'k>),
}

/// Prints plans for one view of one KB, and reads the answers. Making one takes time in proportion to the schema; what it learns about the
/// KB's values is remembered.
pub struct ExactPrinter<'k> {
    knowledge: Knowledge<'k>,
    dialect: Dialect<'k>,
}

impl<'k> ExactPrinter<'k> {
    /// A printer for a view of a KB.
    pub fn new(kb: &'k Kb, view: View) -> ExactPrinter<'k> {
        let dialect = match view {
            View::Direct => Dialect::Direct(Direct::new(kb)),
            View::KqaPro => Dialect::KqaPro(KqaPro::new(kb)),
        };
        ExactPrinter { knowledge: Knowledge::new(kb), dialect }
    }

    /// Sets the maximum number of literals that are listed where a comparison could describe them as well. Lists are found by indexes; comparisons are shorter
    /// and say what is meant.
    #[must_use]
    pub fn listing_at_most(mut self, literals: usize) -> ExactPrinter<'k> {
        self.knowledge.max_listed = literals;
        self
    }

    /// The query for a plan.
    pub fn print(&self, plan: &Plan) -> Result<ExactQuery, NoExactForm> {
        ask::print(&printer::Printer::new(&self.knowledge, &self.dialect, plan))
    }

    /// The answers that a server gave, sorted, each once.
    pub fn read(&self, query: &ExactQuery, results: &Results) -> Result<Vec<ExactAnswer>, Unreadable> {
        answers::read(self, query, results)
    }

    /// The answer that stands for all those that the view shows alike: numbers that differ in their spelling only, and in KQA Pro's graph
    /// texts that differ in their language, months and their years, and relations of one name. Answers from elsewhere must go through this
    /// before they are compared with what [`ExactPrinter::read`] gives.
    pub fn canonical(&self, answer: ExactAnswer) -> ExactAnswer {
        answers::canonical(self, answer)
    }

    fn kb(&self) -> &'k Kb {
        self.knowledge.kb
    }

    fn view(&self) -> View {
        match self.dialect {
            Dialect::Direct(_) => View::Direct,
            Dialect::KqaPro(_) => View::KqaPro,
        }
    }
}
