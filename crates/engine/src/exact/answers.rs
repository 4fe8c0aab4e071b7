//! Converts the results of a server to things of the KB.

use super::keys::{first_alike, from_term, quantity_alike};
use super::{Column, ExactPrinter, ExactQuery, Holds, View, ViewDialect};
use crate::sparql::Results;
use oxrdf::Term;
use touchstone_kb::rdf::{RdfTerm, RdfView};
use touchstone_kb::{Literal, LiteralId, NodeId, RelationId};

/// One answer. Literals and relations are the first of those that are indistinguishable in the view; see [`ExactPrinter::canonical`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExactAnswer {
    /// An entity or a class.
    Node(NodeId),
    /// A literal.
    Literal(LiteralId),
    /// A relation.
    Relation(RelationId),
    /// A count.
    Count(u64),
    /// Yes or no.
    Boolean(bool),
}

/// A result that does not match the query or the KB.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// Rows instead of a boolean, or the other way round.
    #[error("the server answered with {0}")]
    Form(&'static str),
    /// A row without a value that it must have.
    #[error("row {row} has no value in a column that must have one")]
    Missing {
        /// The row, counted from 0.
        row: usize,
    },
    /// A term that is not in the view.
    #[error("row {row}: the KB does not have {term}")]
    Unknown {
        /// The row, counted from 0.
        row: usize,
        /// The term.
        term: String,
    },
}

pub(super) fn read(
    printer: &ExactPrinter<'_>,
    query: &ExactQuery,
    results: &Results,
) -> Result<Vec<ExactAnswer>, Unreadable> {
    let rows = match (results, &query.holds) {
        (Results::Boolean(value), Holds::Boolean) => return Ok(vec![ExactAnswer::Boolean(*value)]),
        (Results::Boolean(_), _) => return Err(Unreadable::Form("yes or no where it should list things")),
        (Results::Graph(_), _) => return Err(Unreadable::Form("a graph")),
        (Results::Solutions { rows, .. }, Holds::Boolean) => {
            // Virtuoso answers `ASK` with 1 or with nothing.
            return match rows.as_slice() {
                [] => Ok(vec![ExactAnswer::Boolean(false)]),
                [row] => match row.as_slice() {
                    [Some(Term::Literal(value))] => {
                        Ok(vec![ExactAnswer::Boolean(matches!(value.value(), "1" | "true"))])
                    }
                    _ => Err(Unreadable::Form("a list where it should say yes or no")),
                },
                _ => Err(Unreadable::Form("a list where it should say yes or no")),
            };
        }
        (Results::Solutions { rows, .. }, _) => rows,
    };
    let mut answers = Vec::with_capacity(rows.len());
    for (number, row) in rows.iter().enumerate() {
        answers.push(answer(printer, query, row).map_err(|problem| problem.at(number, row))?);
    }
    answers.sort_unstable();
    answers.dedup();
    Ok(answers)
}

enum Problem {
    Missing,
    Unknown,
}

impl Problem {
    fn at(self, row: usize, terms: &[Option<Term>]) -> Unreadable {
        match self {
            Problem::Missing => Unreadable::Missing { row },
            Problem::Unknown => {
                let terms: Vec<String> = terms.iter().flatten().map(ToString::to_string).collect();
                Unreadable::Unknown { row, term: terms.join(" ") }
            }
        }
    }
}

fn answer(
    printer: &ExactPrinter<'_>,
    query: &ExactQuery,
    row: &[Option<Term>],
) -> Result<ExactAnswer, Problem> {
    let first = || row.first().and_then(Option::as_ref).ok_or(Problem::Missing);
    match &query.holds {
        Holds::Count | Holds::Boolean => match first()? {
            Term::Literal(count) => {
                count.value().parse().map(ExactAnswer::Count).map_err(|_| Problem::Unknown)
            }
            _ => Err(Problem::Unknown),
        },
        Holds::Relations => relation(printer, first()?).ok_or(Problem::Unknown),
        Holds::Things { columns, unit } => {
            let cell = |wanted: Column| {
                let at = columns.iter().position(|column| *column == wanted)?;
                row.get(at).and_then(Option::as_ref)
            };
            let text = |wanted: Column| match cell(wanted) {
                Some(Term::Literal(literal)) => Some(literal.value()),
                _ => None,
            };
            match cell(Column::Answer) {
                Some(Term::Literal(literal)) => {
                    let unit = text(Column::Unit).unwrap_or(unit);
                    from_term(printer.kb(), literal, unit).map(ExactAnswer::Literal).ok_or(Problem::Unknown)
                }
                Some(term) => node(printer, term).ok_or(Problem::Unknown),
                None => {
                    let (unit, year, date) = (text(Column::Unit), text(Column::Year), text(Column::Date));
                    let found = match (cell(Column::Value), date.or(year)) {
                        (Some(Term::Literal(value)), _) => {
                            let number = text(Column::Number).unwrap_or(value.value());
                            value_node(printer, value, unit.map(|unit| (number, unit)))
                        }
                        (_, Some(time)) => {
                            let literal = Literal::date(time).or_else(|| Literal::year(time));
                            literal.and_then(|l| first_alike(printer.kb(), View::KqaPro, &l))
                        }
                        _ => return Err(Problem::Missing),
                    };
                    found.map(ExactAnswer::Literal).ok_or(Problem::Unknown)
                }
            }
        }
    }
}

/// The literal of a value node. Servers may write booleans as numbers, but numbers have a unit.
fn value_node(
    printer: &ExactPrinter<'_>,
    value: &oxrdf::Literal,
    quantity: Option<(&str, &str)>,
) -> Option<LiteralId> {
    let literal = match quantity {
        Some((number, unit)) => return quantity_alike(printer.kb(), View::KqaPro, number, unit),
        None => match (value.datatype() == oxrdf::vocab::xsd::STRING, value.value()) {
            (true, text) => Literal::text_value(text),
            (false, "true" | "1") => Literal::boolean(true),
            (false, _) => Literal::boolean(false),
        },
    };
    first_alike(printer.kb(), View::KqaPro, &literal)
}

fn node(printer: &ExactPrinter<'_>, term: &Term) -> Option<ExactAnswer> {
    let code = match &printer.dialect {
        ViewDialect::Direct(direct) => direct.view.encode(term)?,
        ViewDialect::KqaPro(kqapro) => kqapro.view.encode(term)?,
    };
    match code {
        RdfTerm::Node(node) => Some(ExactAnswer::Node(node)),
        _ => None,
    }
}

fn relation(printer: &ExactPrinter<'_>, term: &Term) -> Option<ExactAnswer> {
    let Term::NamedNode(iri) = term else { return None };
    let relation = match &printer.dialect {
        ViewDialect::Direct(direct) => direct.relation(iri.as_str())?,
        ViewDialect::KqaPro(kqapro) => kqapro.relations(iri.as_str()).next()?,
    };
    Some(ExactAnswer::Relation(relation))
}

pub(super) fn canonical(printer: &ExactPrinter<'_>, answer: ExactAnswer) -> ExactAnswer {
    match (answer, &printer.dialect) {
        (ExactAnswer::Literal(id), _) => {
            let literal = printer.kb().literal(id);
            ExactAnswer::Literal(first_alike(printer.kb(), printer.view(), &literal).unwrap_or(id))
        }
        (ExactAnswer::Relation(relation), ViewDialect::KqaPro(kqapro)) => {
            ExactAnswer::Relation(kqapro.first_homonym(relation))
        }
        (other, _) => other,
    }
}
