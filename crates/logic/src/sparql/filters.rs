//! What the filters of the known dialects say.

use super::names::Namespaces;
use super::{NotRecognised, OutsideAlgebra};
use crate::loss::Loss;
use crate::query::{During, Set};
use crate::value::Value;
use spargebra::algebra::{Expression, Function, GraphPattern};
use spargebra::term::{Literal, NamedNodePattern, TermPattern, Variable};
use touchstone_kb::Comparison;

/// A condition, as one of the dialects writes it.
pub(super) enum Condition<'q> {
    /// Two things are different.
    Different(&'q Variable, Side<'q>),
    /// A variable's value compares so.
    Value(&'q Variable, Comparison, Value),
    /// The variable is not a text, or it is an English one.
    English(&'q Variable),
    /// Half of a period: a property, and the bound on its value.
    Bound(&'q Variable, &'q str, Comparison, Value),
}

pub(super) enum Side<'q> {
    Variable(&'q Variable),
    Iri(&'q str),
}

/// Reads filters; `&&` separates conditions.
pub(super) fn read<'q>(
    filters: &[&'q Expression],
    names: &Namespaces,
    lost: &mut Vec<Loss>,
) -> Result<Vec<Condition<'q>>, NotRecognised> {
    let mut conditions = Vec::new();
    let mut stack: Vec<&Expression> = filters.iter().rev().copied().collect();
    while let Some(expression) = stack.pop() {
        if let Expression::And(a, b) = expression {
            stack.push(b);
            stack.push(a);
        } else {
            let condition = condition(expression, names, lost);
            conditions.push(condition.ok_or_else(|| NotRecognised::filter(expression))?);
        }
    }
    Ok(conditions)
}

fn condition<'q>(
    expression: &'q Expression,
    names: &Namespaces,
    lost: &mut Vec<Loss>,
) -> Option<Condition<'q>> {
    if let Some(variable) = english(expression) {
        return Some(Condition::English(variable));
    }
    if let Some(bound) = bound(expression, names) {
        return Some(bound);
    }
    let (comparison, left, right) = match expression {
        Expression::Not(inner) => match inner.as_ref() {
            Expression::Equal(a, b) => (Comparison::NotEqual, a.as_ref(), b.as_ref()),
            _ => return None,
        },
        other => compared(other)?,
    };
    match (left, right) {
        (Expression::Variable(a), Expression::Variable(b)) if comparison == Comparison::NotEqual => {
            Some(Condition::Different(a, Side::Variable(b)))
        }
        (Expression::Variable(a), Expression::NamedNode(b))
        | (Expression::NamedNode(b), Expression::Variable(a))
            if comparison == Comparison::NotEqual =>
        {
            Some(Condition::Different(a, Side::Iri(b.as_str())))
        }
        (Expression::Literal(value), other) => {
            value_condition(other, flipped(comparison), value, names, lost)
        }
        (other, Expression::Literal(value)) => value_condition(other, comparison, value, names, lost),
        _ => None,
    }
}

fn compared(expression: &Expression) -> Option<(Comparison, &Expression, &Expression)> {
    Some(match expression {
        Expression::Equal(a, b) => (Comparison::Equal, a, b),
        Expression::Less(a, b) => (Comparison::Less, a, b),
        Expression::LessOrEqual(a, b) => (Comparison::LessOrEqual, a, b),
        Expression::Greater(a, b) => (Comparison::Greater, a, b),
        Expression::GreaterOrEqual(a, b) => (Comparison::GreaterOrEqual, a, b),
        _ => return None,
    })
}

fn flipped(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        same => same,
    }
}

fn value_condition<'q>(
    operand: &'q Expression,
    comparison: Comparison,
    value: &Literal,
    names: &Namespaces,
    lost: &mut Vec<Loss>,
) -> Option<Condition<'q>> {
    match operand {
        Expression::Variable(variable) => Some(Condition::Value(variable, comparison, names.value(value))),
        Expression::FunctionCall(Function::Str, arguments) => {
            let [Expression::Variable(variable)] = &arguments[..] else { return None };
            lost.push(Loss::TextOnly { text: value.value().to_owned() });
            Some(Condition::Value(variable, comparison, Value::text(value.value())))
        }
        _ => {
            let variable = uncast(operand, lost)?;
            Some(Condition::Value(variable, comparison, names.value(value)))
        }
    }
}

/// The variable inside `xsd:type(?x)`.
pub(super) fn uncast<'q>(expression: &'q Expression, lost: &mut Vec<Loss>) -> Option<&'q Variable> {
    match expression {
        Expression::Variable(variable) => Some(variable),
        Expression::FunctionCall(Function::Custom(name), arguments) => {
            let short = name.as_str().strip_prefix(touchstone_kb::XSD)?;
            let [Expression::Variable(variable)] = &arguments[..] else { return None };
            lost.push(Loss::Cast { function: format!("xsd:{short}") });
            Some(variable)
        }
        _ => None,
    }
}

/// `!isLiteral(?x) || lang(?x) = '' || langMatches(lang(?x), 'en')`
pub(super) fn english(expression: &Expression) -> Option<&Variable> {
    let Expression::Or(first, third) = expression else { return None };
    let Expression::Or(first, second) = first.as_ref() else { return None };
    let call = |expression: &'_ Expression, wanted: Function| match expression {
        Expression::FunctionCall(function, arguments) if *function == wanted => Some(arguments.clone()),
        _ => None,
    };
    let Expression::Not(not) = first.as_ref() else { return None };
    let Expression::FunctionCall(Function::IsLiteral, literal) = not.as_ref() else { return None };
    let [Expression::Variable(variable)] = &literal[..] else { return None };
    let same = |arguments: &[Expression]| matches!(arguments, [Expression::Variable(v)] if v == variable);
    let Expression::Equal(language, empty) = second.as_ref() else { return None };
    let is_empty = matches!(empty.as_ref(), Expression::Literal(text) if text.value().is_empty());
    let lang_matches = call(third, Function::LangMatches)?;
    let [inner, Expression::Literal(range)] = &lang_matches[..] else { return None };
    let languages = same(&call(language, Function::Lang)?) && same(&call(inner, Function::Lang)?);
    (languages && is_empty && range.value().eq_ignore_ascii_case("en")).then_some(variable)
}

/// `NOT EXISTS {?y p ?a} || EXISTS {?y p ?b . FILTER(?b <= "...")}`
fn bound<'q>(expression: &'q Expression, names: &Namespaces) -> Option<Condition<'q>> {
    let Expression::Or(absent, present) = expression else { return None };
    let Expression::Not(absent) = absent.as_ref() else { return None };
    let (Expression::Exists(absent), Expression::Exists(present)) = (absent.as_ref(), present.as_ref())
    else {
        return None;
    };
    let GraphPattern::Bgp { patterns } = absent.as_ref() else { return None };
    let GraphPattern::Filter { expr, inner } = present.as_ref() else { return None };
    let GraphPattern::Bgp { patterns: inner } = inner.as_ref() else { return None };
    let ([first], [second]) = (&patterns[..], &inner[..]) else { return None };
    let (TermPattern::Variable(thing), NamedNodePattern::NamedNode(property)) =
        (&first.subject, &first.predicate)
    else {
        return None;
    };
    let TermPattern::Variable(value) = &second.object else { return None };
    if second.subject != first.subject || second.predicate != first.predicate {
        return None;
    }
    let mut casts = Vec::new();
    let (comparison, left, Expression::Literal(limit)) = compared(expr)? else { return None };
    if uncast(left, &mut casts)? != value {
        return None;
    }
    if !matches!(&first.object, TermPattern::Variable(absent) if absent != thing && absent != value) {
        return None;
    }
    // Dates of all precisions are meant to be compared here: the algebra does that without a cast.
    Some(Condition::Bound(thing, property.as_str(), comparison, names.value(limit)))
}

/// Joins the two halves of each period.
pub(super) fn periods<'q>(
    bounds: &[(&'q Variable, &'q str, Comparison, Value)],
    names: &Namespaces,
) -> Result<Vec<(&'q Variable, Set)>, NotRecognised> {
    let mut periods = Vec::new();
    for (variable, start, comparison, latest) in bounds {
        if *comparison != Comparison::LessOrEqual {
            continue;
        }
        let ends: Vec<_> =
            bounds.iter().filter(|(v, _, c, _)| v == variable && *c == Comparison::GreaterOrEqual).collect();
        let [(_, end, _, earliest)] = ends[..] else {
            return Err(NotRecognised::new(OutsideAlgebra::OneSidedPeriod));
        };
        let during = During {
            start: names.property(start).into(),
            end: names.property(end).into(),
            latest_start: latest.clone(),
            earliest_end: earliest.clone(),
        };
        periods.push((*variable, Set::During(Box::new(during))));
    }
    if periods.len() * 2 != bounds.len() {
        return Err(NotRecognised::new(OutsideAlgebra::OneSidedPeriod));
    }
    Ok(periods)
}
