//! Writes plans as SPARQL with exactly the same answers, on one of the RDF views of a KB.
//!
//! The languages of `touchstone_logic` print queries as data sets write them, with losses. Here nothing may be lost: the KB is
//! known, so each condition is printed in a form that is correct for the values in the KB, and what a view cannot express is an error.
//! Everything is SPARQL 1.1, except conditions on qualifiers in the direct view, which are RDF 1.2 and need SPARQL 1.2.
//!
//! `conjuncts.rs` moves alternatives to the outside, `resolve.rs` determines the kind of each variable, `knowledge.rs` and `wanted.rs`
//! look up which values occur and which of them pass, `printer.rs`, `literals.rs` and `ask.rs` write the query with the patterns of
//! `direct.rs`, `direct_values.rs`, `kqapro.rs` and `kqapro_values.rs`, and `keys.rs` and `answers.rs` read the results of a server.

mod answers;
mod ask;
mod conjuncts;
mod direct;
mod direct_values;
mod group;
mod kb_values;
mod keys;
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
use kb_values::KbValues;
use kqapro::KqaPro;
use touchstone_kb::Kb;

/// A plan that a view cannot express.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("SPARQL for this view cannot express this exactly: {what}")]
#[non_exhaustive]
pub struct NoExactForm {
    /// What cannot be expressed.
    pub what: &'static str,
}

impl NoExactForm {
    fn new(what: &'static str) -> NoExactForm {
        NoExactForm { what }
    }
}

/// A query with exactly the answers of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactQuery {
    /// The SPARQL.
    pub text: String,
    /// The content of its result.
    pub holds: Holds,
}

/// The content of the result of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holds {
    /// Nodes and literals.
    Things {
        /// The content of each column.
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
    /// A number as text: Virtuoso rounds numbers to six digits, but not their text.
    Number,
    /// The unit of a number.
    Unit,
    /// The year of a time.
    Year,
    /// The date of a time.
    Date,
}

impl Column {
    /// The column in the `SELECT` clause.
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

enum ViewDialect<'k> {
    Direct(Box<Direct<'k>>),
    KqaPro(Box<KqaPro<'k>>),
}

/// Prints plans for one view of one KB, and reads the answers. Creating one takes time proportional to the size of the schema; look-ups of
/// the KB's values are cached.
pub struct ExactPrinter<'k> {
    knowledge: KbValues<'k>,
    dialect: ViewDialect<'k>,
}

impl<'k> ExactPrinter<'k> {
    /// A printer for a view of a KB.
    pub fn new(kb: &'k Kb, view: View) -> ExactPrinter<'k> {
        let dialect = match view {
            View::Direct => ViewDialect::Direct(Box::new(Direct::new(kb))),
            View::KqaPro => ViewDialect::KqaPro(Box::new(KqaPro::new(kb))),
        };
        ExactPrinter { knowledge: KbValues::new(kb), dialect }
    }

    /// Sets the maximum number of literals to list if a comparison could also describe them. Lists are found by indexes; comparisons are
    /// shorter and easier to read.
    #[must_use]
    pub fn listing_at_most(mut self, literals: usize) -> ExactPrinter<'k> {
        self.knowledge.max_listed = literals;
        self
    }

    /// The query for a plan.
    pub fn print(&self, plan: &Plan) -> Result<ExactQuery, NoExactForm> {
        ask::print(&printer::Printer::new(&self.knowledge, &self.dialect, plan))
    }

    /// The answers of a server, sorted, without duplicates.
    pub fn read(&self, query: &ExactQuery, results: &Results) -> Result<Vec<ExactAnswer>, Unreadable> {
        answers::read(self, query, results)
    }

    /// The representative of all answers that are indistinguishable in the view: numbers that differ only in their spelling, and in KQA
    /// Pro's graph texts that differ in their language, months and their years, and relations with the same name. Apply this to answers
    /// from other sources before comparing them with the result of [`ExactPrinter::read`].
    pub fn canonical(&self, answer: ExactAnswer) -> ExactAnswer {
        answers::canonical(self, answer)
    }

    fn kb(&self) -> &'k Kb {
        self.knowledge.kb
    }

    fn view(&self) -> View {
        match self.dialect {
            ViewDialect::Direct(_) => View::Direct,
            ViewDialect::KqaPro(_) => View::KqaPro,
        }
    }
}
