//! One way to write conditions that say the same.
//!
//! `?x IN (a, b)`, `?x = a || ?x = b` and `VALUES ?x { a b }`; the text of a name and the name; a cast that changes nothing. A cast of a stored
//! value stays: it makes a number of a text, and cuts the decimals of another number.

use super::decoration::label_of;
use super::group::{Group, Optional, Table};
use super::variables::{self, Names};
use spargebra::algebra::{Expression, Function};
use spargebra::term::{Literal, NamedNode, Variable};
use std::collections::{BTreeMap, HashSet};

const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// Maximum number of alternatives to join.
const MAX_ALTERNATIVES: usize = 500;

/// What is known about the variables of a condition.
#[derive(Default)]
pub(super) struct Known {
    /// Those that are the name or description of something: texts.
    texts: Names,
    /// Those that are integers wherever they have a value.
    integers: Names,
}

impl Known {
    /// Only that some variables are integers.
    pub(super) fn integers(names: Names) -> Known {
        Known { integers: names, ..Known::default() }
    }
}

impl Group {
    /// Writes its conditions in one way. `rows_count`: whether it matters how often each row comes up.
    pub(super) fn rewrite_conditions(&mut self, rows_count: bool) {
        let known = Known { texts: self.texts(), ..Known::default() };
        self.filters = rewritten(std::mem::take(&mut self.filters), &known);
        for branch in self.unions.iter_mut().flatten() {
            branch.rewrite_conditions(rows_count);
        }
        for optional in &mut self.optionals {
            let mut texts = optional.group.texts();
            texts.extend(self.triples.iter().filter_map(label_of).map(str::to_owned).collect());
            let known = Known { texts, ..Known::default() };
            optional.conditions = rewritten(std::mem::take(&mut optional.conditions), &known);
            optional.group.rewrite_conditions(rows_count);
        }
        self.minus.iter_mut().for_each(|minus| minus.rewrite_conditions(false));
        self.list_things();
        if !rows_count {
            self.values.iter_mut().for_each(Table::remove_repetition);
        }
    }

    /// The variables that are names or descriptions wherever they have a value.
    fn texts(&self) -> Names {
        let mut texts: Names = self.triples.iter().filter_map(label_of).map(str::to_owned).collect();
        if self.optionals.is_empty() {
            return texts;
        }
        // In how many optional parts a variable is, and in how many it is a name.
        let mut places: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for Optional { group, .. } in &self.optionals {
            group.scope().iter().for_each(|name| places.entry(name.to_owned()).or_default().0 += 1);
            let labels: Names = group.triples.iter().filter_map(label_of).map(str::to_owned).collect();
            labels.iter().for_each(|name| places.entry(name.to_owned()).or_default().1 += 1);
        }
        let elsewhere = Group { optionals: Vec::new(), ..self.clone() }.scope();
        let is_text =
            |(name, (n, n_labels)): &(String, (usize, usize))| n == n_labels && !elsewhere.has(name);
        texts.extend(places.into_iter().filter(is_text).map(|(name, _)| name).collect());
        texts
    }
}

impl Table {
    pub(super) fn remove_repetition(&mut self) {
        let mut seen = HashSet::new();
        self.rows.retain(|row| seen.insert(row.clone()));
    }
}

/// The variable that must be one of some things, and these things: `?x IN (:a, :b)`, `?x = :a`, `STR(?x) = "urn:a"`. `is_resource`: whether
/// a variable cannot be a literal, whose text may be that of an IRI.
pub(super) fn things_of_filter(
    filter: &Expression,
    is_resource: &dyn Fn(&Variable) -> bool,
) -> Option<(Variable, Vec<NamedNode>)> {
    let (of, list) = match filter {
        Expression::In(of, list) => (of.as_ref(), &list[..]),
        Expression::Equal(left, right) | Expression::SameTerm(left, right) => {
            let (of, constant) = if is_constant(left) { (right, left) } else { (left, right) };
            (of.as_ref(), std::slice::from_ref(constant.as_ref()))
        }
        _ => return None,
    };
    let iri = |item: &Expression| match item {
        Expression::NamedNode(iri) => Some(iri.clone()),
        _ => None,
    };
    let text = |item: &Expression| match item {
        Expression::Literal(literal) if literal.datatype().as_str() == XSD_STRING => {
            NamedNode::new(literal.value()).ok()
        }
        _ => None,
    };
    match of {
        Expression::Variable(variable) => {
            Some((variable.clone(), list.iter().map(iri).collect::<Option<Vec<_>>>()?))
        }
        Expression::FunctionCall(Function::Str, arguments) => match &arguments[..] {
            [Expression::Variable(variable)] if is_resource(variable) => {
                Some((variable.clone(), list.iter().map(text).collect::<Option<Vec<_>>>()?))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Conditions that all hold, each in one way. A condition that fails says the same as one that is false.
pub(super) fn rewritten(conditions: Vec<Expression>, known: &Known) -> Vec<Expression> {
    let mut found = Vec::with_capacity(conditions.len());
    let mut stack: Vec<Expression> = conditions.into_iter().rev().collect();
    while let Some(mut condition) = stack.pop() {
        rewrite(&mut condition, known);
        match condition {
            Expression::And(left, right) => stack.extend([*right, *left]),
            Expression::Not(inner) => match *inner {
                // None of them.
                Expression::In(of, list) if !list.is_empty() => {
                    let differs =
                        |item| Expression::Not(Box::new(Expression::Equal(of.clone(), Box::new(item))));
                    found.extend(list.into_iter().map(differs));
                }
                Expression::Or(left, right) => {
                    stack.extend([Expression::Not(right), Expression::Not(left)]);
                }
                inner => found.push(Expression::Not(Box::new(inner))),
            },
            other => found.push(other),
        }
    }
    found
}

/// Rewrites all parts of an expression.
fn rewrite(expression: &mut Expression, known: &Known) {
    let mut stack = vec![expression];
    while let Some(expression) = stack.pop() {
        while let Some(same) = without_denial(expression) {
            *expression = same;
        }
        match expression {
            Expression::Or(..) => join_alternatives(expression),
            Expression::FunctionCall(function, arguments) => {
                if let Some(text) = arguments.first_mut().filter(|_| reads_text_only(function)) {
                    strip_text(text, &known.texts);
                }
            }
            Expression::Equal(left, right)
            | Expression::Less(left, right)
            | Expression::LessOrEqual(left, right)
            | Expression::Greater(left, right)
            | Expression::GreaterOrEqual(left, right) => {
                strip_cast(left, &known.integers);
                strip_cast(right, &known.integers);
            }
            _ => {}
        }
        if let Expression::In(of, list) = expression {
            let mut seen = HashSet::new();
            list.retain(|item| seen.insert(item.clone()));
            if list.len() == 1
                && let Some(only) = list.pop()
            {
                *expression = Expression::Equal(of.clone(), Box::new(only));
            }
        }
        if let Some(literal) = cast_literal(expression) {
            *expression = Expression::Literal(literal);
        }
        if !matches!(expression, Expression::Or(..)) {
            variables::operands_mut(expression, &mut stack);
            continue;
        }
        // The alternatives of alternatives are joined with them.
        let mut alternatives = vec![expression];
        while let Some(alternative) = alternatives.pop() {
            match alternative {
                Expression::Or(left, right) => alternatives.extend([left.as_mut(), right.as_mut()]),
                other => stack.push(other),
            }
        }
    }
}

/// A denied comparison, or one of several conditions that is denied, without `!`. Both fail alike where a value is missing or has no order.
fn without_denial(expression: &mut Expression) -> Option<Expression> {
    let Expression::Not(inner) = expression else { return None };
    let empty = || Box::new(Expression::Coalesce(Vec::new()));
    let take = |operand: &mut Box<Expression>| std::mem::replace(operand, empty());
    Some(match inner.as_mut() {
        Expression::Less(a, b) => Expression::GreaterOrEqual(take(a), take(b)),
        Expression::LessOrEqual(a, b) => Expression::Greater(take(a), take(b)),
        Expression::Greater(a, b) => Expression::LessOrEqual(take(a), take(b)),
        Expression::GreaterOrEqual(a, b) => Expression::Less(take(a), take(b)),
        Expression::And(a, b) => {
            let (a, b) = (Expression::Not(take(a)), Expression::Not(take(b)));
            Expression::Or(Box::new(a), Box::new(b))
        }
        _ => return None,
    })
}

fn is_constant(expression: &Expression) -> bool {
    matches!(expression, Expression::NamedNode(_) | Expression::Literal(_))
}

/// `?x = a || ?x = b` is `?x IN (a, b)`, also between other alternatives.
fn join_alternatives(expression: &mut Expression) {
    let (mut parts, mut stack) = (Vec::new(), vec![&*expression]);
    while let Some(part) = stack.pop() {
        match part {
            Expression::Or(left, right) => stack.extend([right.as_ref(), left.as_ref()]),
            other => parts.push(other),
        }
    }
    // Long lists are never written by hand, and comparing each with each takes long.
    if parts.len() > MAX_ALTERNATIVES {
        return;
    }
    // Each expression with what it may be equal to.
    let mut joined: Vec<(&Expression, Vec<Expression>)> = Vec::new();
    let mut others: Vec<Expression> = Vec::new();
    let n_parts = parts.len();
    for part in parts {
        let (of, items) = match part {
            Expression::Equal(left, right) if is_constant(right) && !is_constant(left) => {
                (left.as_ref(), std::slice::from_ref(right.as_ref()))
            }
            Expression::Equal(left, right) if is_constant(left) && !is_constant(right) => {
                (right.as_ref(), std::slice::from_ref(left.as_ref()))
            }
            Expression::In(of, list) if list.iter().all(is_constant) => (of.as_ref(), &list[..]),
            other => {
                others.push(other.clone());
                continue;
            }
        };
        match joined.iter_mut().find(|(known, _)| *known == of) {
            Some((_, list)) => list.extend(items.iter().cloned()),
            None => joined.push((of, items.to_vec())),
        }
    }
    if joined.len() + others.len() == n_parts {
        return;
    }
    let lists = joined.into_iter().map(|(of, list)| Expression::In(Box::new(of.clone()), list));
    let all = lists.chain(others).reduce(|left, right| Expression::Or(Box::new(left), Box::new(right)));
    if let Some(all) = all {
        *expression = all;
    }
}

/// Whether a function gives the same for a text with a language and for the text alone.
fn reads_text_only(function: &Function) -> bool {
    matches!(
        function,
        Function::Contains | Function::StrStarts | Function::StrEnds | Function::Regex | Function::StrLen
    )
}

/// `STR(?l)` is `?l`, and `LCASE(STR(?l))` is `LCASE(?l)`, where `?l` is a text.
fn strip_text(expression: &mut Expression, texts: &Names) {
    let mut inner = &*expression;
    while let Expression::FunctionCall(Function::Str | Function::LCase | Function::UCase, arguments) = inner {
        match &arguments[..] {
            [only] => inner = only,
            _ => return,
        }
    }
    if !matches!(inner, Expression::Variable(variable) if texts.has(variable.as_str())) {
        return;
    }
    let mut at = expression;
    loop {
        while let Expression::FunctionCall(Function::Str, arguments) = at {
            match arguments.pop() {
                Some(inner) => *at = inner,
                None => return,
            }
        }
        match at {
            Expression::FunctionCall(_, arguments) => match arguments.first_mut() {
                Some(inner) => at = inner,
                None => return,
            },
            _ => return,
        }
    }
}

/// Takes the casts to a number from what is an integer; they do not change how it compares.
fn strip_cast(expression: &mut Expression, integers: &Names) {
    while let Expression::FunctionCall(Function::Custom(name), arguments) = expression {
        let is_number = ["integer", "decimal", "double"].iter().any(|kind| is_xsd(name, kind));
        match &arguments[..] {
            [only] if is_number && is_integer(only, integers) => {}
            _ => return,
        }
        match arguments.pop() {
            Some(inner) => *expression = inner,
            None => return,
        }
    }
}

fn is_xsd(name: &NamedNode, kind: &str) -> bool {
    name.as_str().strip_prefix(touchstone_kb::XSD) == Some(kind)
}

/// Whether an expression is an integer wherever it has a value.
fn is_integer(expression: &Expression, integers: &Names) -> bool {
    match expression {
        Expression::Variable(variable) => integers.has(variable.as_str()),
        Expression::FunctionCall(function, arguments) => match function {
            Function::Year
            | Function::Month
            | Function::Day
            | Function::Hours
            | Function::Minutes
            | Function::StrLen => true,
            Function::Custom(name) => {
                is_xsd(name, "integer")
                    || matches!(&arguments[..], [only] if is_xsd(name, "decimal") && is_integer(only, integers))
            }
            _ => false,
        },
        _ => false,
    }
}

/// The literal that a cast of a text makes: `xsd:integer("3")` is `3`.
fn cast_literal(expression: &Expression) -> Option<Literal> {
    let Expression::FunctionCall(Function::Custom(name), arguments) = expression else { return None };
    let [Expression::Literal(literal)] = &arguments[..] else { return None };
    let kind = name.as_str().strip_prefix(touchstone_kb::XSD)?;
    if literal.datatype().as_str() != XSD_STRING {
        return (literal.datatype() == name.as_ref()).then(|| literal.clone());
    }
    let text = literal.value();
    let is_valid = match kind {
        "integer" => text.parse::<i64>().is_ok(),
        "decimal" => is_decimal(text),
        "date" => is_date(text),
        "dateTime" => text.split_once('T').is_some_and(|(date, time)| is_date(date) && is_time(time)),
        _ => false,
    };
    is_valid.then(|| Literal::new_typed_literal(text, name.clone()))
}

fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits =
        |part: &str| !part.is_empty() && part.len() < 16 && part.bytes().all(|b| b.is_ascii_digit());
    all_digits(whole) && all_digits(rest)
}

/// Whether a text has digits where a form has `0`, and otherwise the same characters.
fn is_like(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text.bytes().zip(form.bytes()).all(|(b, f)| if f == b'0' { b.is_ascii_digit() } else { b == f })
}

fn is_date(text: &str) -> bool {
    let part =
        |at: std::ops::Range<usize>| text.get(at).and_then(|part| part.parse::<u32>().ok()).unwrap_or(0);
    // Not every month has more days.
    is_like(text, "0000-00-00") && (1..=12).contains(&part(5..7)) && (1..=28).contains(&part(8..10))
}

fn is_time(text: &str) -> bool {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let part =
        |at: std::ops::Range<usize>| text.get(at).and_then(|part| part.parse::<u32>().ok()).unwrap_or(99);
    is_like(text, "00:00:00") && part(0..2) < 24 && part(3..5) < 60 && part(6..8) < 60
}
