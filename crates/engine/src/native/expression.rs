//! The values of expressions in a row. An error is not a value.

use super::cells::Cell;
use super::run::{Halt, Runner};
use super::tree::{Call, Expr, ExprKind, Operator};
use super::values::{arithmetic, compare, equal, truth};
use crate::sparql::casts::{cast, cast_name};
use oxrdf::{Term, Variable};
use spareval::ExpressionTerm as Value;
use spargebra::algebra::Function;
use sparopt::algebra::Expression as Delegated;

/// The longest computed text that is matched with a regular expression: the time is the product of both lengths at worst.
const LONGEST_MATCHED: usize = 256 << 10;

type Found = Result<Option<Value>, Halt>;

impl Runner<'_> {
    /// Whether an expression is true in a row; not, if it is an error.
    pub(super) fn is_true(&mut self, expression: &Expr, row: &mut [Cell]) -> Result<bool, Halt> {
        self.spend(1)?;
        Ok(self.truth(expression, row)? == Some(true))
    }

    /// The effective boolean value; `None` is an error.
    fn truth(&mut self, expression: &Expr, row: &mut [Cell]) -> Result<Option<bool>, Halt> {
        Ok(match &expression.kind {
            ExprKind::Bound(slot) => Some(row[*slot] != Cell::Unbound),
            ExprKind::Exists(existence) => Some(self.exists(existence, row)?),
            ExprKind::Not(inner) => self.truth(inner, row)?.map(|value| !value),
            ExprKind::Or(operands) => return self.any_is(true, operands, row),
            ExprKind::And(operands) => return self.any_is(false, operands, row),
            ExprKind::Equal(pair) => {
                let [a, b] = &**pair;
                match (self.value(a, row)?, self.value(b, row)?) {
                    (Some(a), Some(b)) => equal(&a, &b),
                    _ => None,
                }
            }
            ExprKind::SameTerm(pair) => {
                let [a, b] = &**pair;
                let (a, b) = (self.cell(a, row)?, self.cell(b, row)?);
                (a != Cell::Unbound && b != Cell::Unbound).then_some(a == b)
            }
            ExprKind::Compare(order, pair) => {
                let [a, b] = &**pair;
                match (self.value(a, row)?, self.value(b, row)?) {
                    (Some(a), Some(b)) => compare(*order, &a, &b),
                    _ => None,
                }
            }
            ExprKind::In(first, list) => {
                let first = self.value(first, row)?;
                let mut failed = false;
                for candidate in list {
                    let candidate = self.value(candidate, row)?;
                    match first.as_ref().zip(candidate.as_ref()).and_then(|(a, b)| equal(a, b)) {
                        Some(true) => return Ok(Some(true)),
                        Some(false) => {}
                        None => failed = true,
                    }
                }
                (!failed).then_some(false)
            }
            _ => self.value(expression, row)?.as_ref().and_then(truth),
        })
    }

    /// Whether an operand has the truth value that decides; the other one if none has it, an error if one of the others is one.
    fn any_is(&mut self, deciding: bool, operands: &[Expr], row: &mut [Cell]) -> Result<Option<bool>, Halt> {
        let mut failed = false;
        for operand in operands {
            match self.truth(operand, row)? {
                Some(value) if value == deciding => return Ok(Some(deciding)),
                Some(_) => {}
                None => failed = true,
            }
        }
        Ok((!failed).then_some(!deciding))
    }

    /// The term of an expression; no value is an error.
    pub(super) fn cell(&mut self, expression: &Expr, row: &mut [Cell]) -> Result<Cell, Halt> {
        Ok(match &expression.kind {
            ExprKind::Const(cell, _) => *cell,
            ExprKind::Slot(slot) => row[*slot],
            ExprKind::Coalesce(list) if list.iter().all(is_term) => {
                for candidate in list {
                    let cell = self.cell(candidate, row)?;
                    if cell != Cell::Unbound {
                        return Ok(cell);
                    }
                }
                Cell::Unbound
            }
            ExprKind::If(parts) if is_term(&parts[1]) && is_term(&parts[2]) => {
                match self.truth(&parts[0], row)? {
                    Some(true) => return self.cell(&parts[1], row),
                    Some(false) => return self.cell(&parts[2], row),
                    None => Cell::Unbound,
                }
            }
            _ => match self.value(expression, row)? {
                Some(value) => self.terms.cell_of_value(value),
                None => Cell::Unbound,
            },
        })
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expression: &Expr, row: &mut [Cell]) -> Found {
        Ok(match &expression.kind {
            ExprKind::Const(_, value) => Some(value.clone()),
            ExprKind::Slot(slot) => self.terms.value(row[*slot]),
            ExprKind::Arithmetic(operator, pair) => {
                let [a, b] = &**pair;
                let (Some(a), Some(b)) = (self.value(a, row)?, self.value(b, row)?) else { return Ok(None) };
                match arithmetic(*operator, &a, &b) {
                    Ok(result) => result,
                    Err(()) => self.delegate(vec![a, b], |mut operands| {
                        let b = Box::new(operands.pop()?);
                        let a = Box::new(operands.pop()?);
                        Some(match operator {
                            Operator::Add => Delegated::Add(a, b),
                            Operator::Subtract => Delegated::Subtract(a, b),
                            Operator::Multiply => Delegated::Multiply(a, b),
                            Operator::Divide => Delegated::Divide(a, b),
                        })
                    }),
                }
            }
            ExprKind::Plus(inner) => {
                let Some(value) = self.value(inner, row)? else { return Ok(None) };
                self.delegate(vec![value], |mut v| v.pop().map(|v| Delegated::UnaryPlus(Box::new(v))))
            }
            ExprKind::Minus(inner) => {
                let Some(value) = self.value(inner, row)? else { return Ok(None) };
                self.delegate(vec![value], |mut v| v.pop().map(|v| Delegated::UnaryMinus(Box::new(v))))
            }
            ExprKind::If(parts) => match self.truth(&parts[0], row)? {
                Some(true) => return self.value(&parts[1], row),
                Some(false) => return self.value(&parts[2], row),
                None => None,
            },
            ExprKind::Coalesce(list) => {
                for candidate in list {
                    if let Some(value) = self.value(candidate, row)? {
                        return Ok(Some(value));
                    }
                }
                None
            }
            ExprKind::Call(call) => return self.call(call, row),
            _ => self.truth(expression, row)?.map(Value::from),
        })
    }

    /// The value of a call, which is remembered if it depends on one variable only.
    fn call(&mut self, call: &Call, row: &mut [Cell]) -> Found {
        let Some((slot, number)) = call.remembered else { return self.call_again(call, row) };
        let cell = row[slot];
        if let Some(value) = self.calls[number].get(&cell) {
            return Ok(value.clone());
        }
        let value = self.call_again(call, row)?;
        self.hold(128 + value.as_ref().map_or(0, text_length) as u64)?;
        self.calls[number].insert(cell, value.clone());
        Ok(value)
    }

    fn call_again(&mut self, call: &Call, row: &mut [Cell]) -> Found {
        self.spend(1)?;
        if let (Function::Str, [Expr { kind: ExprKind::Slot(slot), .. }]) =
            (&call.function, &call.arguments[..])
            && let Some(text) = self.terms.written_number(row[*slot])
        {
            return Ok(Some(Value::StringLiteral(text)));
        }
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            match self.value(argument, row)? {
                Some(value) => arguments.push(value),
                None => return Ok(None),
            }
        }
        let value = match (&call.function, &call.regex) {
            (Function::Regex, _) if text_length(&arguments[0]) > LONGEST_MATCHED => {
                self.measure(usize::MAX)?;
                None
            }
            (Function::Regex, Some(regex)) => {
                text_of(&arguments[0]).map(|text| Value::from(regex.is_match(text)))
            }
            (Function::Replace, _) => {
                let replacement = arguments.get(2).map_or(0, text_length);
                let longest = text_length(&arguments[0]).saturating_mul(2 * (replacement + 1));
                self.measure(longest)?;
                self.delegate_call(&call.function, arguments)
            }
            (Function::Concat, _) => {
                self.measure(arguments.iter().map(text_length).sum())?;
                self.delegate_call(&call.function, arguments)
            }
            (Function::Custom(name), _) => cast(cast_name(name.as_str()), arguments.pop()),
            (function, _) => match simple_call(function, &arguments) {
                Some(value) => value,
                None => self.delegate_call(function, arguments),
            },
        };
        if let Some(value) = &value {
            self.measure(text_length(value))?;
        }
        Ok(value)
    }

    fn delegate_call(&self, function: &Function, arguments: Vec<Value>) -> Option<Value> {
        self.delegate(arguments, |operands| Some(Delegated::FunctionCall(function.clone(), operands)))
    }

    /// Lets the evaluator work out an expression of values.
    fn delegate(
        &self,
        values: Vec<Value>,
        expression: impl FnOnce(Vec<Delegated>) -> Option<Delegated>,
    ) -> Option<Value> {
        let variables: Vec<Variable> =
            (0..values.len()).map(|number| Variable::new_unchecked(format!("v{number}"))).collect();
        let operands = variables.iter().cloned().map(Delegated::Variable).collect();
        let expression = expression(operands)?;
        let values = variables.iter().zip(values.into_iter().map(Term::from));
        self.evaluator.evaluate_expression(&expression, values).map(Value::from)
    }
}

/// Whether an expression gives a term as it is, without working out a value.
fn is_term(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Const(..) | ExprKind::Slot(_) => true,
        ExprKind::Coalesce(list) => list.iter().all(is_term),
        ExprKind::If(parts) => is_term(&parts[1]) && is_term(&parts[2]),
        _ => false,
    }
}

/// The text of a plain literal, with or without a language.
pub(super) fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::StringLiteral(text)
        | Value::LangStringLiteral { value: text, .. }
        | Value::DirLangStringLiteral { value: text, .. } => Some(text),
        _ => None,
    }
}

/// The bytes of a text; 0 for values that cannot be long.
pub(super) fn text_length(value: &Value) -> usize {
    match value {
        Value::NamedNode(iri) => iri.as_str().len(),
        Value::OtherTypedLiteral { value, .. } => value.len(),
        Value::Triple(triple) => text_length(&triple.object),
        other => text_of(other).map_or(0, str::len),
    }
}

/// A text with the language and direction of another value.
fn like(value: &Value, text: String) -> Value {
    match value {
        Value::LangStringLiteral { language, .. } => {
            Value::LangStringLiteral { value: text, language: language.clone() }
        }
        Value::DirLangStringLiteral { language, direction, .. } => {
            Value::DirLangStringLiteral { value: text, language: language.clone(), direction: *direction }
        }
        _ => Value::StringLiteral(text),
    }
}

/// The usual functions; `None` for all others.
fn simple_call(function: &Function, arguments: &[Value]) -> Option<Option<Value>> {
    let value = arguments.first()?;
    Some(match function {
        Function::Str => match value {
            Value::StringLiteral(text) => Some(Value::StringLiteral(text.clone())),
            other => match Term::from(other.clone()) {
                Term::NamedNode(iri) => Some(Value::StringLiteral(iri.into_string())),
                Term::Literal(literal) => Some(Value::StringLiteral(literal.destruct().0)),
                Term::BlankNode(_) | Term::Triple(_) => None,
            },
        },
        Function::Lang => match value {
            Value::LangStringLiteral { language, .. } | Value::DirLangStringLiteral { language, .. } => {
                Some(Value::StringLiteral(language.clone()))
            }
            Value::NamedNode(_) | Value::BlankNode(_) | Value::Triple(_) => None,
            _ => Some(Value::StringLiteral(String::new())),
        },
        Function::IsIri => Some(Value::from(matches!(value, Value::NamedNode(_)))),
        Function::IsBlank => Some(Value::from(matches!(value, Value::BlankNode(_)))),
        Function::IsLiteral => {
            Some(Value::from(!matches!(value, Value::NamedNode(_) | Value::BlankNode(_) | Value::Triple(_))))
        }
        Function::LCase => text_of(value).map(|text| like(value, text.to_lowercase())),
        Function::UCase => text_of(value).map(|text| like(value, text.to_uppercase())),
        Function::StrLen => {
            let length = text_of(value).and_then(|text| i64::try_from(text.chars().count()).ok());
            length.map(|length| Value::IntegerLiteral(length.into()))
        }
        Function::Contains => texts(arguments).map(|(a, b)| Value::from(a.contains(b))),
        Function::StrStarts => texts(arguments).map(|(a, b)| Value::from(a.starts_with(b))),
        Function::StrEnds => texts(arguments).map(|(a, b)| Value::from(a.ends_with(b))),
        _ => return None,
    })
}

/// Two texts that may be compared: the second has no language, or that of the first.
fn texts(arguments: &[Value]) -> Option<(&str, &str)> {
    let [a, b] = arguments else { return None };
    let fits = match (a, b) {
        (_, Value::StringLiteral(_)) => true,
        (Value::LangStringLiteral { language: a, .. }, Value::LangStringLiteral { language: b, .. }) => {
            a == b
        }
        (
            Value::DirLangStringLiteral { language: a, direction: towards_a, .. },
            Value::DirLangStringLiteral { language: b, direction: towards_b, .. },
        ) => a == b && towards_a == towards_b,
        _ => false,
    };
    fits.then_some(())?;
    Some((text_of(a)?, text_of(b)?))
}
