//! Conditions of a query around grouped rows are conditions on the groups.

use super::Simplifier;
use super::conditions::{Known, rewritten};
use super::group::Group;
use super::select::{Grouping, Select};
use super::substitute::in_expression;
use super::variables::{self, Names};
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern};
use spargebra::term::Variable;

impl Select {
    /// Whether it matters how often each row of the group comes up.
    pub(super) fn counts_rows(&self, simplifier: &Simplifier) -> bool {
        match &self.grouping {
            Some(grouping) => grouping.counts_rows(),
            None => self.repeats_rows(simplifier),
        }
    }

    /// Writes conditions in one way.
    pub(super) fn rewrite_conditions(&mut self, simplifier: &Simplifier) {
        let rows_count = self.counts_rows(simplifier);
        self.group.rewrite_conditions(rows_count);
        if !rows_count {
            self.group.join_repeated_steps(&self.used_above());
        }
        if let Some(grouping) = &mut self.grouping {
            let having = std::mem::take(&mut grouping.having);
            grouping.having = rewritten(having, &Known::integers(grouping.counts()));
        }
    }

    /// A condition on what a nested query computes of groups is a condition on these groups.
    pub(super) fn push_into_nested(&mut self, simplifier: &mut Simplifier) {
        if self.group.filters.is_empty() {
            return;
        }
        for at in 0..self.group.nested.len() {
            if !is_grouped(&self.group.nested[at]) {
                continue;
            }
            if !simplifier.may_look_again() {
                return;
            }
            let Some(mut inner) = Select::of(&self.group.nested[at], simplifier) else { continue };
            if inner.slice.is_some() || inner.grouping.is_none() {
                continue;
            }
            let rest = Group { filters: Vec::new(), ..self.group.clone() };
            let around = Group { nested: without(&rest.nested, at), ..rest }.names();
            let n_before = self.group.filters.len();
            self.group.filters.retain(|filter| !inner.take_condition(filter, &around));
            if self.group.filters.len() < n_before {
                self.hide_unused(&mut inner, &around, simplifier.rows_count);
                // It comes up as often as it was written.
                self.group.nested[at] = inner.pattern(true);
            }
        }
    }

    /// Takes a condition from outside, if it is one on what is computed of groups.
    fn take_condition(&mut self, filter: &Expression, around: &Names) -> bool {
        let mut names = Names::default();
        variables::of_expression(filter, &mut names);
        let Some(grouping) = &self.grouping else { return false };
        let certain = self.group.certain();
        let source = |name: &str| {
            let column = self.columns.iter().find(|column| column.name.as_str() == name)?;
            Some(column.source.clone())
        };
        let is_key = |name: &str| {
            source(name).is_some_and(|source| {
                grouping.keys.contains(&source) && (certain.has(source.as_str()) || !around.has(name))
            })
        };
        let is_computed = |name: &str| {
            source(name).is_some_and(|source| !grouping.keys.contains(&source)) && !around.has(name)
        };
        if looks_at_patterns(filter)
            || !names.iter().all(|name| is_key(name) || is_computed(name))
            || !names.iter().any(is_computed)
        {
            return false;
        }
        let mut condition = filter.clone();
        let sources = names.iter().filter_map(|name| Some((name, Expression::Variable(source(name)?))));
        sources.for_each(|(name, source)| in_expression(&mut condition, name, &source));
        for (name, expression) in grouping.named.iter().rev() {
            in_expression(&mut condition, name.as_str(), expression);
        }
        if let Some(grouping) = &mut self.grouping {
            grouping.having.push(condition);
        }
        true
    }

    /// Removes the columns of a nested query that nothing uses any more.
    fn hide_unused(&self, inner: &mut Select, around: &Names, rows_count: bool) {
        let mut used = self.used_above();
        used.extend(around.clone());
        for filter in &self.group.filters {
            variables::of_expression(filter, &mut used);
        }
        let Some(Grouping { keys, .. }) = &inner.grouping else { return };
        let shows = |key: &Variable| inner.columns.iter().any(|column| column.source == *key);
        // With all its keys, each group is one row.
        if rows_count && !keys.iter().all(shows) {
            return;
        }
        let keys = keys.clone();
        inner.columns.retain(|column| used.has(column.name.as_str()) || keys.contains(&column.source));
        inner.remove_unused_aggregates();
    }
}

impl Grouping {
    /// The variables that count something.
    fn counts(&self) -> Names {
        let counts = |aggregate: &AggregateExpression| match aggregate {
            AggregateExpression::CountSolutions { .. } => true,
            AggregateExpression::FunctionCall { name, .. } => *name == AggregateFunction::Count,
        };
        let counting = self.aggregates.iter().filter(|(_, aggregate)| counts(aggregate));
        counting.map(|(variable, _)| variable.as_str().to_owned()).collect()
    }
}

fn without(patterns: &[GraphPattern], at: usize) -> Vec<GraphPattern> {
    let others = patterns.iter().enumerate().filter(|(other, _)| *other != at);
    others.map(|(_, pattern)| pattern.clone()).collect()
}

/// Whether a pattern is a query for groups.
fn is_grouped(mut pattern: &GraphPattern) -> bool {
    loop {
        match pattern {
            GraphPattern::Group { .. } => return true,
            GraphPattern::Distinct { inner }
            | GraphPattern::Project { inner, .. }
            | GraphPattern::Extend { inner, .. }
            | GraphPattern::Filter { inner, .. } => pattern = inner,
            _ => return false,
        }
    }
}

/// Whether a condition asks whether something is bound or exists.
fn looks_at_patterns(condition: &Expression) -> bool {
    let mut stack = vec![condition];
    while let Some(expression) = stack.pop() {
        match expression {
            Expression::Exists(_) | Expression::Bound(_) | Expression::Coalesce(_) => return true,
            other => variables::operands(other, &mut stack),
        }
    }
    false
}
