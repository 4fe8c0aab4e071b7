//! Functions that are added to queries before evaluation: they check the length of texts and distinguish kinds of terms.

use super::casts::with_derived_casts;
use super::watchdog::{Watched, checkpoint};
use crate::budget::Limit;
use oxrdf::{Literal, NamedNode, Term};
use spareval::{ExpressionTerm, QueryEvaluator};
use spargebra::algebra::{Expression, Function};
use std::sync::Arc;

const MEASURED: &str = "urn:touchstone:sparql:measured";
const KIND: &str = "urn:touchstone:sparql:kind";

/// Returns its argument; stops the evaluation if it is a text with more bytes than allowed.
pub(super) fn measured(expression: Expression, longest: usize) -> Expression {
    let longest = Literal::from(i64::try_from(longest).unwrap_or(i64::MAX));
    call(MEASURED, vec![expression, Expression::Literal(longest)])
}

/// A number for the kind of a value. Values of one kind are totally ordered.
pub(super) fn kind_of(expression: Expression) -> Expression {
    call(KIND, vec![expression])
}

fn call(name: &str, arguments: Vec<Expression>) -> Expression {
    Expression::FunctionCall(Function::Custom(NamedNode::new_unchecked(name)), arguments)
}

/// An evaluator with these functions.
pub(super) fn with_measures(evaluator: QueryEvaluator, watched: &Arc<Watched>) -> QueryEvaluator {
    let watched = Arc::clone(watched);
    let measured = move |arguments: &[Term]| {
        let [value, Term::Literal(longest)] = arguments else { return None };
        let length = match value {
            Term::Literal(literal) => literal.value().len(),
            Term::NamedNode(iri) => iri.as_str().len(),
            Term::BlankNode(_) | Term::Triple(_) => 0,
        };
        if length > longest.value().parse().ok()? {
            watched.request_stop(Limit::Memory);
            checkpoint();
            return None;
        }
        Some(value.clone())
    };
    let kind = |arguments: &[Term]| {
        let [value] = arguments else { return None };
        Some(Term::Literal(Literal::from(kind(&ExpressionTerm::from(value.clone())))))
    };
    with_derived_casts(evaluator)
        .with_custom_function(NamedNode::new_unchecked(MEASURED), measured)
        .with_custom_function(NamedNode::new_unchecked(KIND), kind)
}

/// SPARQL requires blank nodes before IRIs before literals before triples; the order of the kinds of literals is ours.
pub(crate) fn kind(value: &ExpressionTerm) -> i64 {
    match value {
        ExpressionTerm::BlankNode(_) => 0,
        ExpressionTerm::NamedNode(_) => 1,
        ExpressionTerm::BooleanLiteral(_) => 2,
        ExpressionTerm::IntegerLiteral(_)
        | ExpressionTerm::DecimalLiteral(_)
        | ExpressionTerm::FloatLiteral(_)
        | ExpressionTerm::DoubleLiteral(_) => 3,
        ExpressionTerm::DateTimeLiteral(_) => 4,
        ExpressionTerm::DateLiteral(_) => 5,
        ExpressionTerm::TimeLiteral(_) => 6,
        ExpressionTerm::GYearLiteral(_) => 7,
        ExpressionTerm::GYearMonthLiteral(_) => 8,
        ExpressionTerm::GMonthLiteral(_) => 9,
        ExpressionTerm::GMonthDayLiteral(_) => 10,
        ExpressionTerm::GDayLiteral(_) => 11,
        ExpressionTerm::DurationLiteral(_) => 12,
        ExpressionTerm::YearMonthDurationLiteral(_) => 13,
        ExpressionTerm::DayTimeDurationLiteral(_) => 14,
        ExpressionTerm::StringLiteral(_) => 15,
        ExpressionTerm::LangStringLiteral { .. } => 16,
        ExpressionTerm::DirLangStringLiteral { .. } => 17,
        ExpressionTerm::OtherTypedLiteral { .. } => 18,
        ExpressionTerm::Triple(_) => 19,
    }
}
