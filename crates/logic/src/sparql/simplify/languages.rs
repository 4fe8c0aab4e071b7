//! The languages of names.

use super::Simplifier;
use super::flatten::conjuncts;
use super::group::{Group, Optional, predicate};
use super::variables;
use spargebra::algebra::{Expression, Function, GraphPattern};
use spargebra::term::TermPattern;

/// What tells the label service in which language names are wanted.
const SERVICE_LANGUAGE: &str = "http://wikiba.se/ontology#language";

/// The language that the label service is asked for first; it gives another one only to what has no name in this one.
pub(super) fn of_service(pattern: &GraphPattern) -> Option<String> {
    let GraphPattern::Bgp { patterns } = pattern else { return None };
    let triple = patterns.iter().find(|triple| predicate(triple) == Some(SERVICE_LANGUAGE))?;
    let TermPattern::Literal(list) = &triple.object else { return None };
    let mut languages = list.value().split(',').map(str::trim);
    languages.find(|language| !language.is_empty() && !language.starts_with('[')).map(str::to_ascii_lowercase)
}

impl Simplifier {
    /// Notes the languages that a group wants a name in.
    pub(super) fn note_languages(&mut self, group: &Group, name: &str) {
        let optionals = group.optional_groups();
        let groups = || std::iter::once(group).chain(optionals.iter().copied());
        let own = groups().flat_map(|group| &group.filters);
        let conditions =
            groups().flat_map(|group| &group.optionals).flat_map(|Optional { conditions, .. }| conditions);
        for condition in own.chain(conditions) {
            collect(condition, name, &mut self.languages);
        }
    }
}

/// Adds the languages that a condition compares that of a variable with.
fn collect(condition: &Expression, name: &str, languages: &mut std::collections::BTreeSet<String>) {
    let is_language = |expression: &Expression| is_language_of(expression, name);
    let mut stack = vec![(condition, false)];
    while let Some((expression, is_denied)) = stack.pop() {
        let mut add = |expression: &Expression| {
            if let Expression::Literal(literal) = expression
                && literal.value() != "*"
            {
                let not = if is_denied { "not " } else { "" };
                languages.insert(format!("{not}{}", literal.value().to_ascii_lowercase()));
            }
        };
        match expression {
            Expression::Equal(left, right) if is_language(left) => add(right),
            Expression::Equal(left, right) if is_language(right) => add(left),
            Expression::In(of, list) if is_language(of) => list.iter().for_each(add),
            Expression::FunctionCall(Function::LangMatches, arguments) => match &arguments[..] {
                [of, range] if is_language(of) => add(range),
                _ => {}
            },
            Expression::Not(inner) => stack.push((inner, !is_denied)),
            other => {
                let mut inner = Vec::new();
                variables::operands(other, &mut inner);
                stack.extend(inner.into_iter().map(|expression| (expression, is_denied)));
            }
        }
    }
}

/// Whether a condition says which one language a variable has.
pub(super) fn is_fixed(condition: &Expression, name: &str) -> bool {
    conjuncts(condition).into_iter().any(|condition| {
        let (left, right) = match condition {
            Expression::Equal(left, right) => (left.as_ref(), right.as_ref()),
            Expression::In(left, list) if list.len() == 1 => match list.first() {
                Some(right) => (left.as_ref(), right),
                None => return false,
            },
            _ => return false,
        };
        let is_literal = |expression: &Expression| matches!(expression, Expression::Literal(_));
        (is_language_of(left, name) && is_literal(right)) || (is_language_of(right, name) && is_literal(left))
    })
}

/// Whether an expression is the language of a variable.
fn is_language_of(expression: &Expression, name: &str) -> bool {
    match expression {
        Expression::FunctionCall(Function::Lang, arguments) => {
            matches!(&arguments[..], [Expression::Variable(variable)] if variable.as_str() == name)
        }
        Expression::FunctionCall(Function::LCase, arguments) => {
            matches!(&arguments[..], [inner] if is_language_of(inner, name))
        }
        _ => false,
    }
}
