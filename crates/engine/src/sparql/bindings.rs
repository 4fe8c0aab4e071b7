//! Determines which variables have a value in every row of a pattern.

use spargebra::algebra::{AggregateExpression, Expression, GraphPattern};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};
use std::collections::HashSet;

/// The names of variables that have a value in every row; possibly not all of them.
pub(super) fn surely_bound(pattern: &GraphPattern) -> HashSet<&str> {
    let mut bound = HashSet::new();
    match pattern {
        GraphPattern::Bgp { patterns } => patterns.iter().for_each(|triple| in_triple(triple, &mut bound)),
        GraphPattern::Path { subject, object, .. } => {
            in_term(subject, &mut bound);
            in_term(object, &mut bound);
        }
        GraphPattern::Join { left, right } | GraphPattern::Lateral { left, right } => {
            bound = surely_bound(left);
            bound.extend(surely_bound(right));
        }
        GraphPattern::LeftJoin { left, .. } | GraphPattern::Minus { left, .. } => bound = surely_bound(left),
        GraphPattern::Union { left, right } => {
            bound = surely_bound(left);
            let right = surely_bound(right);
            bound.retain(|name| right.contains(name));
        }
        GraphPattern::Extend { inner, variable, expression } => {
            bound = surely_bound(inner);
            // Other expressions may fail.
            if matches!(expression, Expression::NamedNode(_) | Expression::Literal(_)) {
                bound.insert(variable.as_str());
            }
        }
        GraphPattern::Values { variables, bindings } => {
            let columns = variables.iter().enumerate();
            let full = columns
                .filter(|(at, _)| bindings.iter().all(|row| row.get(*at).is_some_and(Option::is_some)));
            bound.extend(full.map(|(_, variable)| variable.as_str()));
        }
        GraphPattern::Project { inner, variables } => {
            let inner = surely_bound(inner);
            bound.extend(variables.iter().map(|v| v.as_str()).filter(|name| inner.contains(name)));
        }
        GraphPattern::Group { inner, variables, aggregates } => {
            let inner = surely_bound(inner);
            bound.extend(variables.iter().map(|v| v.as_str()).filter(|name| inner.contains(name)));
            let counts = aggregates
                .iter()
                .filter(|(_, aggregate)| matches!(aggregate, AggregateExpression::CountSolutions { .. }));
            bound.extend(counts.map(|(variable, _)| variable.as_str()));
        }
        GraphPattern::Filter { inner, .. }
        | GraphPattern::Graph { inner, .. }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. } => bound = surely_bound(inner),
        GraphPattern::Service { .. } => {}
    }
    bound
}

/// Whether there is at most one row, as far as that is easy to determine.
pub(super) fn at_most_one_row(pattern: &GraphPattern) -> bool {
    match pattern {
        GraphPattern::Bgp { patterns } => patterns.iter().all(is_constant),
        GraphPattern::Values { bindings, .. } => bindings.len() <= 1,
        GraphPattern::Group { variables, .. } => variables.is_empty(),
        GraphPattern::Join { left, right }
        | GraphPattern::Lateral { left, right }
        | GraphPattern::LeftJoin { left, right, .. } => at_most_one_row(left) && at_most_one_row(right),
        GraphPattern::Minus { left: inner, .. }
        | GraphPattern::Filter { inner, .. }
        | GraphPattern::Extend { inner, .. }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner } => at_most_one_row(inner),
        GraphPattern::Slice { inner, length, .. } => length.is_some_and(|n| n <= 1) || at_most_one_row(inner),
        GraphPattern::Path { .. }
        | GraphPattern::Union { .. }
        | GraphPattern::Graph { .. }
        | GraphPattern::Service { .. } => false,
    }
}

fn in_triple<'a>(triple: &'a TriplePattern, bound: &mut HashSet<&'a str>) {
    in_term(&triple.subject, bound);
    in_term(&triple.object, bound);
    if let NamedNodePattern::Variable(variable) = &triple.predicate {
        bound.insert(variable.as_str());
    }
}

fn in_term<'a>(term: &'a TermPattern, bound: &mut HashSet<&'a str>) {
    match term {
        TermPattern::Variable(variable) => drop(bound.insert(variable.as_str())),
        TermPattern::Triple(triple) => in_triple(triple, bound),
        TermPattern::NamedNode(_) | TermPattern::Literal(_) | TermPattern::BlankNode(_) => {}
    }
}

fn is_constant(triple: &TriplePattern) -> bool {
    let constant = |term: &TermPattern| match term {
        TermPattern::NamedNode(_) | TermPattern::Literal(_) => true,
        TermPattern::Variable(_) | TermPattern::BlankNode(_) => false,
        TermPattern::Triple(inner) => is_constant(inner),
    };
    constant(&triple.subject)
        && constant(&triple.object)
        && matches!(triple.predicate, NamedNodePattern::NamedNode(_))
}
