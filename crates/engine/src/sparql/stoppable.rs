//! Rewrites queries before evaluation so that the evaluator can be stopped and every step is bounded. Their meaning does not
//! change.
//!
//! - Rows without any value: the evaluator copies no terms when it multiplies them, so it would reach no checkpoint. Sides of a join whose
//!   rows may be empty get a hidden value.
//! - Sort keys are computed once for each row, not at every comparison, and terms of different kinds are kept apart: the evaluator's
//!   order of mixed terms has cycles, for which the standard library's sorting may panic.
//! - The length of texts that are computed from computed texts is checked at each step: `REPLACE` multiplies lengths.

use super::bindings::{at_most_one_row, surely_bound};
use super::measures;
use super::walk::{for_each_inside, operands_mut};
use oxrdf::{Literal, Variable};
use spargebra::Query;
use spargebra::algebra::{AggregateExpression, Expression, Function, GraphPattern, OrderExpression};

use std::collections::HashSet;

/// Number of arguments of `CONCAT` between two length checks of computed texts.
const CONCAT_AT_ONCE: usize = 8;
/// Maximum length of a replacement without a length check.
const SHORT_REPLACEMENT: usize = 1 << 10;
/// Maximum length of a computed text in which computed text is inserted by `REPLACE`.
const LONGEST_REPLACED: usize = 4 << 10;
/// Maximum length of a computed text to match with a regular expression: the time is at worst the product of both lengths.
const LONGEST_MATCHED: usize = 256 << 10;

/// The query to evaluate instead of this one.
pub(super) fn stoppable(query: &Query, longest_text: usize) -> Query {
    let mut query = query.clone();
    let (Query::Select { pattern, .. }
    | Query::Construct { pattern, .. }
    | Query::Describe { pattern, .. }
    | Query::Ask { pattern, .. }) = &mut query;
    let mut rewriter = Rewriter { hidden: 0, computed: HashSet::new(), longest_text };
    rewriter.note_computed(pattern);
    rewriter.pattern(pattern);
    query
}

struct Rewriter {
    /// Number of hidden variables.
    hidden: usize,
    /// Variables whose values may be computed.
    computed: HashSet<Variable>,
    longest_text: usize,
}

impl Rewriter {
    /// A variable that no query can name.
    fn hidden_variable(&mut self) -> Variable {
        self.hidden += 1;
        Variable::new_unchecked(format!("hidden {}", self.hidden))
    }

    fn note_computed(&mut self, pattern: &GraphPattern) {
        match pattern {
            GraphPattern::Extend { variable, .. } => drop(self.computed.insert(variable.clone())),
            GraphPattern::Group { aggregates, .. } => {
                self.computed.extend(aggregates.iter().map(|(variable, _)| variable.clone()));
            }
            GraphPattern::Values { variables, .. } => self.computed.extend(variables.iter().cloned()),
            _ => {}
        }
        for_each_inside(pattern, &mut |inner| self.note_computed(inner));
    }

    fn pattern(&mut self, pattern: &mut GraphPattern) {
        match pattern {
            GraphPattern::Bgp { .. } | GraphPattern::Path { .. } | GraphPattern::Values { .. } => {}
            GraphPattern::Service { .. } => {}
            GraphPattern::Join { left, right }
            | GraphPattern::Lateral { left, right }
            | GraphPattern::Minus { left, right } => {
                self.pattern(left);
                self.pattern(right);
                self.mark(left);
                self.mark(right);
            }
            GraphPattern::LeftJoin { left, right, expression } => {
                self.pattern(left);
                self.pattern(right);
                expression.iter_mut().for_each(|expression| self.expression(expression));
                self.mark(left);
                self.mark(right);
            }
            GraphPattern::Union { left, right } => {
                self.pattern(left);
                self.pattern(right);
            }
            GraphPattern::Filter { expr, inner } => {
                self.expression(expr);
                self.pattern(inner);
            }
            GraphPattern::Extend { inner, expression, .. } => {
                self.expression(expression);
                self.pattern(inner);
            }
            GraphPattern::OrderBy { inner, expression } => {
                self.pattern(inner);
                self.sort_keys(inner, expression);
            }
            GraphPattern::Graph { inner, .. }
            | GraphPattern::Project { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Slice { inner, .. } => self.pattern(inner),
            GraphPattern::Group { inner, aggregates, .. } => {
                let visible = in_scope(inner);
                self.pattern(inner);
                let mut counts_distinct_rows = false;
                for (_, aggregate) in aggregates {
                    match aggregate {
                        AggregateExpression::CountSolutions { distinct } => counts_distinct_rows |= *distinct,
                        AggregateExpression::FunctionCall { expr, .. } => self.expression(expr),
                    }
                }
                // The evaluator also counts blank nodes of the pattern and hidden variables.
                if counts_distinct_rows {
                    replace(inner, |inner| GraphPattern::Project { inner, variables: visible });
                }
            }
        }
    }

    /// Adds a value to every row, if several rows may have none.
    fn mark(&mut self, pattern: &mut Box<GraphPattern>) {
        if !at_most_one_row(pattern) && surely_bound(pattern).is_empty() {
            let variable = self.hidden_variable();
            let expression = Expression::Literal(Literal::from(true));
            replace(pattern, |inner| GraphPattern::Extend { inner, variable, expression });
        }
    }

    fn sort_keys(&mut self, inner: &mut Box<GraphPattern>, keys: &mut Vec<OrderExpression>) {
        let mut rewritten = Vec::with_capacity(2 * keys.len());
        for key in keys.drain(..) {
            let (mut expression, wrap): (Expression, fn(Expression) -> OrderExpression) = match key {
                OrderExpression::Asc(expression) => (expression, OrderExpression::Asc),
                OrderExpression::Desc(expression) => (expression, OrderExpression::Desc),
            };
            self.expression(&mut expression);
            let variable = match expression {
                Expression::Variable(variable) => variable,
                expression => {
                    let variable = self.hidden_variable();
                    let name = variable.clone();
                    replace(inner, |inner| GraphPattern::Extend { inner, variable, expression });
                    name
                }
            };
            let kind = self.hidden_variable();
            let expression = measures::kind_of(Expression::Variable(variable.clone()));
            let name = kind.clone();
            replace(inner, |inner| GraphPattern::Extend { inner, variable: name, expression });
            rewritten.extend([wrap(Expression::Variable(kind)), wrap(Expression::Variable(variable))]);
        }
        *keys = rewritten;
    }

    fn expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Exists(pattern) => self.pattern(pattern),
            Expression::FunctionCall(function, arguments) => {
                let from_kb: Vec<bool> = arguments.iter().map(|e| self.is_from_kb(e)).collect();
                arguments.iter_mut().for_each(|e| self.expression(e));
                match function {
                    Function::Concat if from_kb.contains(&false) => self.concat(expression),
                    Function::EncodeForUri if !from_kb[0] => measure(expression, self.longest_text),
                    Function::Replace => self.replace_text(arguments, from_kb[0]),
                    Function::Regex if !from_kb[0] => measure(&mut arguments[0], LONGEST_MATCHED),
                    _ => {}
                }
            }
            other => operands_mut(other).into_iter().for_each(|operand| self.expression(operand)),
        }
    }

    fn concat(&self, expression: &mut Expression) {
        let Expression::FunctionCall(Function::Concat, arguments) = expression else { return };
        while arguments.len() > CONCAT_AT_ONCE {
            let mut parts = std::mem::take(arguments).into_iter();
            while parts.len() > 0 {
                let part: Vec<Expression> = parts.by_ref().take(CONCAT_AT_ONCE).collect();
                let part = Expression::FunctionCall(Function::Concat, part);
                arguments.push(measures::measured(part, self.longest_text));
            }
        }
        measure(expression, self.longest_text);
    }

    /// The result is at most twice as long as the product of the lengths of text and replacement.
    fn replace_text(&self, arguments: &mut [Expression], text_is_from_kb: bool) {
        let [text, _, replacement, ..] = arguments else { return };
        match replacement {
            Expression::Literal(literal) if text_is_from_kb && literal.value().len() <= SHORT_REPLACEMENT => {
            }
            Expression::Literal(literal) => {
                let product = self.longest_text / (2 * (literal.value().len() + 1));
                measure(text, product.min(LONGEST_MATCHED));
            }
            replacement => {
                measure(text, LONGEST_REPLACED);
                measure(replacement, LONGEST_REPLACED);
            }
        }
    }

    /// Whether texts in the value of this expression come from the KB or the query, and are not lengthened.
    fn is_from_kb(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Variable(variable) => !self.computed.contains(variable),
            Expression::FunctionCall(Function::Concat | Function::Replace | Function::EncodeForUri, _) => {
                false
            }
            Expression::FunctionCall(_, arguments) | Expression::Coalesce(arguments) => {
                arguments.iter().all(|e| self.is_from_kb(e))
            }
            Expression::If(_, a, b) => self.is_from_kb(a) && self.is_from_kb(b),
            // Constants, numbers and truth values.
            _ => true,
        }
    }
}

fn measure(expression: &mut Expression, longest: usize) {
    let inner = std::mem::replace(expression, Expression::Coalesce(Vec::new()));
    *expression = measures::measured(inner, longest);
}

fn replace(pattern: &mut Box<GraphPattern>, wrap: impl FnOnce(Box<GraphPattern>) -> GraphPattern) {
    let inner = std::mem::replace(pattern, Box::new(GraphPattern::Bgp { patterns: Vec::new() }));
    **pattern = wrap(inner);
}

fn in_scope(pattern: &GraphPattern) -> Vec<Variable> {
    let mut variables = Vec::new();
    let mut seen = HashSet::new();
    pattern.on_in_scope_variable(|variable| {
        if seen.insert(variable) {
            variables.push(variable.clone());
        }
    });
    variables
}
