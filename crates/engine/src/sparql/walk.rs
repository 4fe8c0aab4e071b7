//! Patterns within patterns.

use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};

/// Calls back for the patterns directly inside, also for those in expressions.
pub(super) fn for_each_inside(pattern: &GraphPattern, found: &mut dyn FnMut(&GraphPattern)) {
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
        Expression::NamedNode(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Bound(_) => {}
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
        | Expression::Divide(a, b) => {
            for_each_exists(a, found);
            for_each_exists(b, found);
        }
        Expression::UnaryPlus(e) | Expression::UnaryMinus(e) | Expression::Not(e) => {
            for_each_exists(e, found)
        }
        Expression::In(e, list) => {
            for_each_exists(e, found);
            list.iter().for_each(|e| for_each_exists(e, found));
        }
        Expression::Coalesce(list) | Expression::FunctionCall(_, list) => {
            list.iter().for_each(|e| for_each_exists(e, found));
        }
        Expression::If(a, b, c) => [a, b, c].into_iter().for_each(|e| for_each_exists(e, found)),
        Expression::Exists(pattern) => found(pattern),
    }
}
