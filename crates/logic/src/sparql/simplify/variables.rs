//! Which variables patterns and expressions have.

use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};
use std::collections::BTreeSet;

/// Names of variables; those of blank nodes begin with `_:`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    pub(super) fn add(&mut self, name: &str) {
        if !self.0.contains(name) {
            self.0.insert(name.to_owned());
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub(super) fn extend(&mut self, other: Names) {
        self.0.extend(other.0);
    }

    /// Those in both.
    pub(super) fn and(self, other: &Names) -> Names {
        Names(self.0.into_iter().filter(|name| other.has(name)).collect())
    }

    /// Whether no name is in both.
    pub(super) fn is_disjoint(&self, other: &Names) -> bool {
        self.0.is_disjoint(&other.0)
    }
}

impl FromIterator<String> for Names {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Names {
        Names(names.into_iter().collect())
    }
}

/// The name of a variable or blank node.
pub(super) fn name_of(term: &TermPattern) -> Option<String> {
    match term {
        TermPattern::Variable(variable) => Some(variable.as_str().to_owned()),
        TermPattern::BlankNode(node) => Some(format!("_:{}", node.as_str())),
        _ => None,
    }
}

pub(super) fn of_term(term: &TermPattern, names: &mut Names) {
    match term {
        TermPattern::Triple(triple) => of_triple(triple, names),
        other => {
            if let Some(name) = name_of(other) {
                names.add(&name);
            }
        }
    }
}

pub(super) fn of_triple(triple: &TriplePattern, names: &mut Names) {
    of_term(&triple.subject, names);
    of_term(&triple.object, names);
    if let NamedNodePattern::Variable(variable) = &triple.predicate {
        names.add(variable.as_str());
    }
}

/// The variables of an expression, those of patterns in EXISTS included.
pub(super) fn of_expression(expression: &Expression, names: &mut Names) {
    let mut stack = vec![expression];
    while let Some(expression) = stack.pop() {
        match expression {
            Expression::Variable(variable) | Expression::Bound(variable) => names.add(variable.as_str()),
            Expression::Exists(pattern) => in_scope(pattern, names),
            other => operands(other, &mut stack),
        }
    }
}

/// The operands of an expression.
pub(crate) fn operands<'e>(expression: &'e Expression, into: &mut Vec<&'e Expression>) {
    match expression {
        Expression::NamedNode(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Bound(_)
        | Expression::Exists(_) => {}
        Expression::UnaryPlus(inner) | Expression::UnaryMinus(inner) | Expression::Not(inner) => {
            into.push(inner);
        }
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
        | Expression::Divide(a, b) => into.extend([a.as_ref(), b.as_ref()]),
        Expression::If(a, b, c) => into.extend([a.as_ref(), b.as_ref(), c.as_ref()]),
        Expression::In(a, list) => {
            into.push(a);
            into.extend(list);
        }
        Expression::Coalesce(list) | Expression::FunctionCall(_, list) => into.extend(list),
    }
}

/// The same, to change them.
pub(super) fn operands_mut<'e>(expression: &'e mut Expression, into: &mut Vec<&'e mut Expression>) {
    match expression {
        Expression::NamedNode(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Bound(_)
        | Expression::Exists(_) => {}
        Expression::UnaryPlus(inner) | Expression::UnaryMinus(inner) | Expression::Not(inner) => {
            into.push(inner);
        }
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
        | Expression::Divide(a, b) => into.extend([a.as_mut(), b.as_mut()]),
        Expression::If(a, b, c) => into.extend([a.as_mut(), b.as_mut(), c.as_mut()]),
        Expression::In(a, list) => {
            into.push(a);
            into.extend(list);
        }
        Expression::Coalesce(list) | Expression::FunctionCall(_, list) => into.extend(list),
    }
}

/// The variables of a pattern that can be seen from outside; blank nodes are not visible.
pub(super) fn in_scope(pattern: &GraphPattern, names: &mut Names) {
    pattern.on_in_scope_variable(|variable| names.add(variable.as_str()));
}
