//! What a SPARQL query does on top of its patterns.

use spargebra::Query;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern};

/// What a SPARQL query does on top of its patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SparqlOutline {
    /// It asks whether something is found.
    pub verifies: bool,
    /// It counts.
    pub counts: bool,
    /// It takes the first of an order, or the greatest or smallest value.
    pub takes_extreme: bool,
    /// It compares by order.
    pub compares: bool,
}

impl SparqlOutline {
    /// Of a parsed query.
    #[must_use]
    pub fn of(query: &Query) -> SparqlOutline {
        let (Query::Select { pattern, .. }
        | Query::Ask { pattern, .. }
        | Query::Construct { pattern, .. }
        | Query::Describe { pattern, .. }) = query;
        let mut outline =
            SparqlOutline { verifies: matches!(query, Query::Ask { .. }), ..SparqlOutline::default() };
        let mut stack = vec![pattern];
        while let Some(pattern) = stack.pop() {
            match pattern {
                GraphPattern::Slice { inner, .. } => {
                    outline.takes_extreme |= is_ordered(inner);
                    stack.push(inner);
                }
                GraphPattern::Group { inner, aggregates, .. } => {
                    aggregates.iter().for_each(|(_, aggregate)| outline.aggregate(aggregate));
                    stack.push(inner);
                }
                GraphPattern::Filter { expr, inner } => {
                    outline.compares |= compares(expr);
                    stack.push(inner);
                }
                GraphPattern::Join { left, right }
                | GraphPattern::Lateral { left, right }
                | GraphPattern::Union { left, right }
                | GraphPattern::Minus { left, right }
                | GraphPattern::LeftJoin { left, right, .. } => stack.extend([left.as_ref(), right.as_ref()]),
                GraphPattern::Extend { inner, .. }
                | GraphPattern::Graph { inner, .. }
                | GraphPattern::Service { inner, .. }
                | GraphPattern::Project { inner, .. }
                | GraphPattern::Distinct { inner }
                | GraphPattern::Reduced { inner }
                | GraphPattern::OrderBy { inner, .. } => stack.push(inner),
                GraphPattern::Bgp { .. } | GraphPattern::Path { .. } | GraphPattern::Values { .. } => {}
            }
        }
        outline
    }

    fn aggregate(&mut self, aggregate: &AggregateExpression) {
        match aggregate {
            AggregateExpression::CountSolutions { .. } => self.counts = true,
            AggregateExpression::FunctionCall { name, .. } => match name {
                AggregateFunction::Count => self.counts = true,
                AggregateFunction::Min | AggregateFunction::Max => self.takes_extreme = true,
                _ => {}
            },
        }
    }
}

fn is_ordered(mut pattern: &GraphPattern) -> bool {
    loop {
        pattern = match pattern {
            GraphPattern::OrderBy { .. } => return true,
            GraphPattern::Project { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner } => inner,
            _ => return false,
        };
    }
}

fn compares(expression: &Expression) -> bool {
    let mut stack = vec![expression];
    while let Some(expression) = stack.pop() {
        if let Expression::Less(..)
        | Expression::LessOrEqual(..)
        | Expression::Greater(..)
        | Expression::GreaterOrEqual(..) = expression
        {
            return true;
        }
        super::operands(expression, &mut stack);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparql::parse;

    #[test]
    fn what_is_done_on_top() {
        let of = |text: &str| {
            let outline = SparqlOutline::of(&parse(text).expect("SPARQL").query);
            let SparqlOutline { verifies, counts, takes_extreme, compares } = outline;
            [verifies, counts, takes_extreme, compares].map(u8::from)
        };
        assert_eq!(of("SELECT ?x { ?x <urn:p> ?y }"), [0, 0, 0, 0]);
        assert_eq!(of("ASK { ?x <urn:p> ?y }"), [1, 0, 0, 0]);
        assert_eq!(of("SELECT ?x (COUNT(*) AS ?n) { ?x <urn:p> ?y } GROUP BY ?x"), [0, 1, 0, 0]);
        assert_eq!(of("SELECT DISTINCT ?x { ?x <urn:p> ?y } ORDER BY ?y LIMIT 3"), [0, 0, 1, 0]);
        assert_eq!(of("SELECT (MAX(?y) AS ?m) { ?x <urn:p> ?y FILTER(?y = 3 || ?y > 5) }"), [0, 0, 1, 1]);
        assert_eq!(of("SELECT ?x { ?x <urn:p> ?y } LIMIT 3"), [0, 0, 0, 0]);
    }
}
