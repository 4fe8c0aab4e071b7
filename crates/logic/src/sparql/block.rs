//! The parts of a SPARQL pattern, laid out flat: triples, filters, unions, sub-selects.

use super::{NotRecognised, OutsideAlgebra};
use crate::query::Extreme;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern, OrderExpression};
use spargebra::term::{GroundTerm, TriplePattern, Variable};

/// A group of patterns that are joined.
#[derive(Default)]
pub(super) struct Block<'q> {
    pub(super) triples: Vec<&'q TriplePattern>,
    pub(super) filters: Vec<&'q Expression>,
    pub(super) unions: Vec<Vec<&'q GraphPattern>>,
    pub(super) values: Vec<(&'q Variable, Vec<&'q GroundTerm>)>,
    pub(super) extremes: Vec<ExtremeSelect<'q>>,
}

/// A sub-select that finds the greatest or smallest value of a variable.
pub(super) struct ExtremeSelect<'q> {
    /// The variable outside that is bound to it.
    pub(super) outer: &'q Variable,
    /// The variable inside.
    pub(super) inner: &'q Variable,
    pub(super) extreme: Extreme,
    pub(super) pattern: &'q GraphPattern,
}

/// What stands around the pattern of a SELECT.
pub(super) struct Head<'q> {
    pub(super) variable: &'q Variable,
    pub(super) distinct: bool,
    pub(super) count: Option<Count>,
    /// The order and whether it is descending, when it is followed by LIMIT 1.
    pub(super) order: Option<(&'q Expression, Extreme)>,
    pub(super) pattern: &'q GraphPattern,
}

/// How answers are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    Distinct,
    Rows,
}

impl<'q> Block<'q> {
    pub(super) fn of(pattern: &'q GraphPattern) -> Result<Block<'q>, NotRecognised> {
        let mut block = Block::default();
        // Each pattern with whether it stands in a group inside the block.
        let mut stack = vec![(pattern, false)];
        while let Some((pattern, nested)) = stack.pop() {
            match pattern {
                GraphPattern::Bgp { patterns } => block.triples.extend(patterns),
                GraphPattern::Join { left, right } => {
                    stack.push((right, true));
                    stack.push((left, true));
                }
                GraphPattern::Filter { expr, inner } => {
                    if nested {
                        check_scope(expr, inner)?;
                    }
                    block.filters.push(expr);
                    stack.push((inner, nested));
                }
                GraphPattern::Union { .. } => block.unions.push(branches(pattern)),
                GraphPattern::Values { variables, bindings } => {
                    let [variable] = &variables[..] else {
                        return Err(NotRecognised::new(OutsideAlgebra::ValuesOfSeveralVariables));
                    };
                    let terms = bindings.iter().filter_map(|row| row[0].as_ref()).collect::<Vec<_>>();
                    if terms.len() != bindings.len() || terms.is_empty() {
                        return Err(NotRecognised::new(OutsideAlgebra::ValuesUndefined));
                    }
                    block.values.push((variable, terms));
                }
                GraphPattern::Project { .. } | GraphPattern::Slice { .. } => {
                    block.extremes.push(extreme_select(pattern)?)
                }
                GraphPattern::LeftJoin { .. } => return Err(NotRecognised::new(OutsideAlgebra::Optional)),
                GraphPattern::Minus { .. } => return Err(NotRecognised::new(OutsideAlgebra::Minus)),
                GraphPattern::Path { .. } => return Err(NotRecognised::new(OutsideAlgebra::PropertyPath)),
                GraphPattern::Graph { .. } => return Err(NotRecognised::new(OutsideAlgebra::Graph)),
                GraphPattern::Service { .. } => return Err(NotRecognised::new(OutsideAlgebra::Service)),
                GraphPattern::Extend { .. } => return Err(NotRecognised::new(OutsideAlgebra::Bind)),
                GraphPattern::Group { .. } => return Err(NotRecognised::new(OutsideAlgebra::GroupBy)),
                _ => return Err(NotRecognised::new(OutsideAlgebra::NestedSelect)),
            }
        }
        Ok(block)
    }
}

/// A filter of a group inside the block sees that group's variables only.
fn check_scope(expression: &Expression, group: &GraphPattern) -> Result<(), NotRecognised> {
    let mut known = Vec::new();
    group.on_in_scope_variable(|variable| known.push(variable));
    let mut stack = vec![expression];
    while let Some(expression) = stack.pop() {
        match expression {
            Expression::Variable(variable) if !known.contains(&variable) => {
                return Err(NotRecognised::variable(variable.as_str(), |variable| {
                    OutsideAlgebra::FilterOutOfScope { variable }
                }));
            }
            Expression::Or(a, b)
            | Expression::And(a, b)
            | Expression::Equal(a, b)
            | Expression::Greater(a, b)
            | Expression::GreaterOrEqual(a, b)
            | Expression::Less(a, b)
            | Expression::LessOrEqual(a, b) => stack.extend([a.as_ref(), b.as_ref()]),
            Expression::Not(a) => stack.push(a),
            Expression::FunctionCall(_, arguments) => stack.extend(arguments),
            // What else there is, the algebra does not know; EXISTS has variables of its own.
            _ => {}
        }
    }
    Ok(())
}

/// The branches of a union of unions.
fn branches(pattern: &GraphPattern) -> Vec<&GraphPattern> {
    let mut branches = Vec::new();
    let mut stack = vec![pattern];
    while let Some(pattern) = stack.pop() {
        match pattern {
            GraphPattern::Union { left, right } => {
                stack.push(right);
                stack.push(left);
            }
            other => branches.push(other),
        }
    }
    branches
}

/// `{ SELECT (MAX(?y) AS ?x) WHERE {...} }` or `{ SELECT ?x WHERE {...} ORDER BY DESC(?x) LIMIT 1 }`.
fn extreme_select(pattern: &GraphPattern) -> Result<ExtremeSelect<'_>, NotRecognised> {
    let unknown = || NotRecognised::new(OutsideAlgebra::NestedSelect);
    if let GraphPattern::Slice { .. } = pattern {
        let head = select_head(pattern)?;
        let Some((Expression::Variable(ordered), extreme)) = head.order else { return Err(unknown()) };
        if ordered != head.variable || head.count.is_some() {
            return Err(unknown());
        }
        return Ok(ExtremeSelect {
            outer: head.variable,
            inner: head.variable,
            extreme,
            pattern: head.pattern,
        });
    }
    let GraphPattern::Project { inner, variables } = pattern else { return Err(unknown()) };
    let ([outer], GraphPattern::Extend { inner, variable, expression: Expression::Variable(named) }) =
        (&variables[..], inner.as_ref())
    else {
        return Err(unknown());
    };
    let GraphPattern::Group { inner: pattern, variables, aggregates } = inner.as_ref() else {
        return Err(unknown());
    };
    let [(aggregate, AggregateExpression::FunctionCall { name, expr: Expression::Variable(inner), .. })] =
        &aggregates[..]
    else {
        return Err(unknown());
    };
    let extreme = match name {
        AggregateFunction::Max => Extreme::Max,
        AggregateFunction::Min => Extreme::Min,
        _ => return Err(unknown()),
    };
    if variable != outer || aggregate != named || !variables.is_empty() {
        return Err(unknown());
    }
    Ok(ExtremeSelect { outer, inner, extreme, pattern })
}

/// A limit that is not that of a superlative.
fn slice_of_answers(start: usize, length: Option<usize>) -> NotRecognised {
    NotRecognised::new(OutsideAlgebra::Slice { offset: start, limit: length })
}

/// The name of a count, the variable that is counted, and what is counted of it.
fn counted_variable(
    aggregates: &[(Variable, AggregateExpression)],
) -> Result<(&Variable, &Variable, Count), NotRecognised> {
    let [
        (
            name,
            AggregateExpression::FunctionCall {
                name: AggregateFunction::Count,
                expr: Expression::Variable(counted),
                distinct,
            },
        ),
    ] = aggregates
    else {
        return Err(NotRecognised::new(OutsideAlgebra::Aggregate));
    };
    Ok((name, counted, if *distinct { Count::Distinct } else { Count::Rows }))
}

/// The one value that answers are ordered by.
fn order_key(keys: &[OrderExpression]) -> Result<(&Expression, Extreme), NotRecognised> {
    match keys {
        [OrderExpression::Asc(expression)] => Ok((expression, Extreme::Min)),
        [OrderExpression::Desc(expression)] => Ok((expression, Extreme::Max)),
        _ => Err(NotRecognised::new(OutsideAlgebra::OrderBySeveralValues)),
    }
}

/// Takes a SELECT apart.
pub(super) fn select_head(pattern: &GraphPattern) -> Result<Head<'_>, NotRecognised> {
    let (mut distinct, mut limited, mut order) = (false, false, None);
    let mut renamed: Option<&Variable> = None;
    let mut count = None;
    let mut projected: Option<&Variable> = None;
    let mut at = pattern;
    loop {
        match at {
            GraphPattern::Slice { inner, start: 0, length: Some(1) } if projected.is_none() => {
                limited = true;
                at = inner;
            }
            GraphPattern::Slice { start, length, .. } => {
                if projected.is_some() {
                    return Err(NotRecognised::new(OutsideAlgebra::InnerLimit));
                }
                return Err(slice_of_answers(*start, *length));
            }
            GraphPattern::Distinct { inner } => {
                distinct = true;
                at = inner;
            }
            GraphPattern::Reduced { inner } => at = inner,
            GraphPattern::Project { inner, variables } => {
                let [variable] = &variables[..] else {
                    return Err(NotRecognised::new(OutsideAlgebra::Columns { columns: variables.len() }));
                };
                // An inner SELECT must give what the outer one asks for.
                if let Some(wanted) = renamed.or(projected).filter(|&wanted| wanted != variable) {
                    return Err(NotRecognised::variable(wanted.as_str(), |variable| {
                        OutsideAlgebra::NestedSelectOfOther { variable }
                    }));
                }
                projected = Some(variable);
                renamed = None;
                at = inner;
            }
            GraphPattern::Extend { inner, variable, expression: Expression::Variable(source) }
                if projected.is_some_and(|p| p == variable) && renamed.is_none() =>
            {
                renamed = Some(source);
                at = inner;
            }
            GraphPattern::Group { inner, variables, aggregates }
                if variables.is_empty() && renamed.is_some() && count.is_none() =>
            {
                let (name, counted, rows_or_answers) = counted_variable(aggregates)?;
                if renamed != Some(name) {
                    return Err(NotRecognised::new(OutsideAlgebra::ComputedAnswer));
                }
                count = Some(rows_or_answers);
                renamed = Some(counted);
                at = inner;
            }
            GraphPattern::OrderBy { .. } if !limited || order.is_some() => {
                return Err(NotRecognised::new(OutsideAlgebra::OrderOfAnswers));
            }
            GraphPattern::OrderBy { inner, expression } => {
                order = Some(order_key(expression)?);
                at = inner;
            }
            _ => break,
        }
    }
    let variable =
        renamed.or(projected).ok_or_else(|| NotRecognised::new(OutsideAlgebra::NoAnswerVariable))?;
    if limited && order.is_none() {
        return Err(NotRecognised::new(OutsideAlgebra::AnyOneAnswer));
    }
    if limited && count.is_some() {
        return Err(NotRecognised::new(OutsideAlgebra::LimitedCount));
    }
    // Counting rows of a SELECT DISTINCT is counting answers.
    if count == Some(Count::Rows) && distinct && matches!(at_projection(pattern), Some(true)) {
        count = Some(Count::Distinct);
    }
    Ok(Head { variable, distinct, count, order, pattern: at })
}

/// Whether the innermost projection below a count is distinct.
fn at_projection(pattern: &GraphPattern) -> Option<bool> {
    let mut below_group = false;
    let mut at = pattern;
    loop {
        at = match at {
            GraphPattern::Group { inner, .. } => {
                below_group = true;
                inner
            }
            GraphPattern::Distinct { .. } if below_group => return Some(true),
            GraphPattern::Slice { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Project { inner, .. }
            | GraphPattern::Extend { inner, .. }
            | GraphPattern::OrderBy { inner, .. } => inner,
            _ => return None,
        }
    }
}

/// Whether some VALUES of a pattern list something twice, so that rows come up more than once.
pub(super) fn repeats_values(pattern: &GraphPattern) -> bool {
    let mut stack = vec![pattern];
    while let Some(pattern) = stack.pop() {
        match pattern {
            GraphPattern::Values { bindings, .. } => {
                let mut seen = std::collections::HashSet::new();
                if !bindings.iter().all(|row| seen.insert(row)) {
                    return true;
                }
            }
            GraphPattern::Join { left, right } | GraphPattern::Union { left, right } => {
                stack.extend([left.as_ref(), right.as_ref()]);
            }
            GraphPattern::Filter { inner, .. } => stack.push(inner),
            _ => {}
        }
    }
    false
}
