//! Which names of a query mean something inside a part of it only.
//!
//! `?a` in two branches of a UNION, or in two EXISTS, is two variables unless something around them binds it.

use super::super::operands;
use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};
use std::collections::{HashMap, HashSet};

/// How often names occur in a part of a query.
#[derive(Debug, Default)]
struct Counts<'q> {
    /// Outside of what is excluded or must exist.
    direct: HashMap<&'q str, usize>,
    all: HashMap<&'q str, usize>,
}

/// A part with names of its own.
#[derive(Debug, Default)]
struct Scope<'q> {
    counts: Counts<'q>,
    /// The names that what is around it does not know.
    local: HashSet<&'q str>,
}

/// The part that is looked at, and those around it.
#[derive(Debug, Default)]
pub(super) struct Scopes<'q>(Vec<Scope<'q>>);

impl<'q> Scopes<'q> {
    /// Of a whole query.
    pub(super) fn of(pattern: &'q GraphPattern, template: &'q [TriplePattern]) -> Scopes<'q> {
        let mut counts = Counts::of(pattern);
        template.iter().for_each(|triple| counts.triple(triple, false));
        Scopes(vec![Scope { counts, local: HashSet::new() }])
    }

    /// Whether the parts around the innermost one have a name.
    fn is_known_outside(&self, name: &str) -> bool {
        let mut inner: Option<&Scope<'q>> = None;
        for scope in self.0.iter().rev() {
            if let Some(inner) = inner {
                if inner.local.contains(name) {
                    return false;
                }
                if scope.counts.direct.contains_key(name) {
                    return true;
                }
            }
            inner = Some(scope);
        }
        false
    }

    /// The names that occur in a union and nowhere else.
    pub(super) fn local_to_union(&self, union: &'q GraphPattern) -> HashSet<&'q str> {
        let Some(scope) = self.0.last() else { return HashSet::new() };
        let counts = Counts::of(union);
        let is_local = |name: &str, n: usize| {
            scope.counts.all.get(name) == Some(&n)
                && (scope.local.contains(name) || !self.is_known_outside(name))
        };
        counts.all.iter().filter(|(name, n)| is_local(name, **n)).map(|(name, _)| *name).collect()
    }

    pub(super) fn enter_branch(&mut self, branch: &'q GraphPattern, local: &HashSet<&'q str>) {
        self.0.push(Scope { counts: Counts::of(branch), local: local.clone() });
    }

    /// Enters what is excluded or must exist.
    pub(super) fn enter_body(&mut self, body: &'q GraphPattern) {
        let counts = Counts::of(body);
        let is_known = |name: &str| {
            self.0.last().is_some_and(|scope| {
                scope.counts.direct.contains_key(name)
                    || !scope.local.contains(name) && self.is_known_outside(name)
            })
        };
        let local = counts.all.keys().copied().filter(|name| !is_known(name)).collect();
        self.0.push(Scope { counts, local });
    }

    /// Leaves the innermost part and gives its own names.
    pub(super) fn leave(&mut self) -> HashSet<&'q str> {
        self.0.pop().map(|scope| scope.local).unwrap_or_default()
    }
}

impl<'q> Counts<'q> {
    fn of(pattern: &'q GraphPattern) -> Counts<'q> {
        let mut counts = Counts::default();
        let mut stack = vec![(pattern, false)];
        while let Some((pattern, is_hidden)) = stack.pop() {
            counts.pattern(pattern, is_hidden, &mut stack);
        }
        counts
    }

    fn add(&mut self, name: &'q str, is_hidden: bool) {
        *self.all.entry(name).or_default() += 1;
        if !is_hidden {
            *self.direct.entry(name).or_default() += 1;
        }
    }

    fn term(&mut self, term: &'q TermPattern, is_hidden: bool) {
        match term {
            TermPattern::Variable(variable) => self.add(variable.as_str(), is_hidden),
            TermPattern::Triple(triple) => self.triple(triple, is_hidden),
            _ => {}
        }
    }

    fn triple(&mut self, triple: &'q TriplePattern, is_hidden: bool) {
        self.term(&triple.subject, is_hidden);
        self.term(&triple.object, is_hidden);
        self.name(&triple.predicate, is_hidden);
    }

    fn name(&mut self, name: &'q NamedNodePattern, is_hidden: bool) {
        if let NamedNodePattern::Variable(variable) = name {
            self.add(variable.as_str(), is_hidden);
        }
    }

    fn expression(&mut self, expression: &'q Expression, is_hidden: bool, parts: &mut Parts<'q>) {
        let mut stack = vec![expression];
        while let Some(expression) = stack.pop() {
            match expression {
                Expression::Variable(variable) | Expression::Bound(variable) => {
                    self.add(variable.as_str(), is_hidden);
                }
                Expression::Exists(pattern) => parts.push((pattern, true)),
                other => operands(other, &mut stack),
            }
        }
    }

    fn pattern(&mut self, pattern: &'q GraphPattern, is_hidden: bool, parts: &mut Parts<'q>) {
        match pattern {
            GraphPattern::Bgp { patterns } => {
                patterns.iter().for_each(|triple| self.triple(triple, is_hidden))
            }
            GraphPattern::Path { subject, object, .. } => {
                self.term(subject, is_hidden);
                self.term(object, is_hidden);
            }
            GraphPattern::Join { left, right }
            | GraphPattern::Lateral { left, right }
            | GraphPattern::Union { left, right } => {
                parts.extend([(&**left, is_hidden), (&**right, is_hidden)])
            }
            GraphPattern::Minus { left, right } => parts.extend([(&**left, is_hidden), (&**right, true)]),
            GraphPattern::LeftJoin { left, right, expression } => {
                expression.iter().for_each(|condition| self.expression(condition, is_hidden, parts));
                parts.extend([(&**left, is_hidden), (&**right, is_hidden)]);
            }
            GraphPattern::Filter { expr, inner } => {
                self.expression(expr, is_hidden, parts);
                parts.push((inner, is_hidden));
            }
            GraphPattern::Extend { inner, variable, expression } => {
                self.add(variable.as_str(), is_hidden);
                self.expression(expression, is_hidden, parts);
                parts.push((inner, is_hidden));
            }
            GraphPattern::Values { variables, .. } => {
                variables.iter().for_each(|variable| self.add(variable.as_str(), is_hidden));
            }
            GraphPattern::OrderBy { inner, expression } => {
                for OrderExpression::Asc(key) | OrderExpression::Desc(key) in expression {
                    self.expression(key, is_hidden, parts);
                }
                parts.push((inner, is_hidden));
            }
            GraphPattern::Project { inner, variables } => {
                variables.iter().for_each(|variable| self.add(variable.as_str(), is_hidden));
                parts.push((inner, is_hidden));
            }
            GraphPattern::Group { inner, variables, aggregates } => {
                variables.iter().for_each(|variable| self.add(variable.as_str(), is_hidden));
                for (variable, aggregate) in aggregates {
                    self.add(variable.as_str(), is_hidden);
                    if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                        self.expression(expr, is_hidden, parts);
                    }
                }
                parts.push((inner, is_hidden));
            }
            GraphPattern::Graph { name, inner } | GraphPattern::Service { name, inner, .. } => {
                self.name(name, is_hidden);
                parts.push((inner, is_hidden));
            }
            GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Slice { inner, .. } => parts.push((inner, is_hidden)),
        }
    }
}

/// Parts to look at, with whether they are excluded or must exist.
type Parts<'q> = Vec<(&'q GraphPattern, bool)>;
