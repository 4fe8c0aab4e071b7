//! Traversal of nested patterns and expressions.

use smallvec::{SmallVec, smallvec};
use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};

/// Visits the patterns directly inside, including those in expressions.
pub(crate) fn for_each_inside(pattern: &GraphPattern, found: &mut dyn FnMut(&GraphPattern)) {
    match pattern {
        GraphPattern::Bgp { .. } | GraphPattern::Path { .. } | GraphPattern::Values { .. } => {}
        GraphPattern::Join { left, right }
        | GraphPattern::Lateral { left, right }
        | GraphPattern::Union { left, right }
        | GraphPattern::Minus { left, right } => {
            found(left);
            found(right);
        }
        GraphPattern::LeftJoin { left, right, expression } => {
            found(left);
            found(right);
            expression.iter().for_each(|expression| for_each_exists(expression, found));
        }
        GraphPattern::Filter { expr: expression, inner } | GraphPattern::Extend { inner, expression, .. } => {
            for_each_exists(expression, found);
            found(inner);
        }
        GraphPattern::OrderBy { inner, expression } => {
            for key in expression {
                let (OrderExpression::Asc(expression) | OrderExpression::Desc(expression)) = key;
                for_each_exists(expression, found);
            }
            found(inner);
        }
        GraphPattern::Group { inner, aggregates, .. } => {
            for (_, aggregate) in aggregates {
                if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                    for_each_exists(expr, found);
                }
            }
            found(inner);
        }
        GraphPattern::Graph { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. }
        | GraphPattern::Service { inner, .. } => found(inner),
    }
}

fn for_each_exists(expression: &Expression, found: &mut dyn FnMut(&GraphPattern)) {
    match expression {
        Expression::Exists(pattern) => found(pattern),
        other => operands(other).into_iter().for_each(|operand| for_each_exists(operand, found)),
    }
}

/// Defines a function that lists the expressions directly inside an expression; the pattern of `EXISTS` is not one of them.
macro_rules! define_operands {
    ($name:ident, $iter:ident $(, $mutable:tt)?) => {
        /// The expressions directly inside an expression, in their order; the pattern of `EXISTS` is not one of them.
        pub(super) fn $name(expression: &$($mutable)? Expression) -> SmallVec<[&$($mutable)? Expression; 3]> {
            match expression {
                Expression::NamedNode(_)
                | Expression::Literal(_)
                | Expression::Variable(_)
                | Expression::Bound(_)
                | Expression::Exists(_) => SmallVec::new(),
                Expression::Or(a, b)
                | Expression::And(a, b)
                | Expression::Equal(a, b)
                | Expression::SameTerm(a, b)
                | Expression::Greater(a, b)
                | Expression::GreaterOrEqual(a, b)
                | Expression::Less(a, b)
                | Expression::LessOrEqual(a, b)
                | Expression::Add(a, b)
                | Expression::Subtract(a, b)
                | Expression::Multiply(a, b)
                | Expression::Divide(a, b) => smallvec![&$($mutable)? **a, &$($mutable)? **b],
                Expression::UnaryPlus(inner) | Expression::UnaryMinus(inner) | Expression::Not(inner) => {
                    smallvec![&$($mutable)? **inner]
                }
                Expression::In(inner, list) => {
                    std::iter::once(&$($mutable)? **inner).chain(list.$iter()).collect()
                }
                Expression::Coalesce(list) | Expression::FunctionCall(_, list) => list.$iter().collect(),
                Expression::If(a, b, c) => {
                    smallvec![&$($mutable)? **a, &$($mutable)? **b, &$($mutable)? **c]
                }
            }
        }
    };
}

define_operands!(operands, iter);
define_operands!(operands_mut, iter_mut, mut);
