//! Expressions of a parsed query as trees with numbered variables.

use super::cells::{Cell, slots_of};
use super::compile::Compiler;
use super::tree::{Call, Existence, Expr, ExprKind, Group, Operator, Order, Part, Tail};
use super::values::compiled_regex;
use crate::sparql::casts::is_cast;
use oxrdf::Term;
use spareval::ExpressionTerm;
use spargebra::algebra::{Expression, Function, GraphPattern};
use std::rc::Rc;

impl Compiler<'_, '_> {
    pub(super) fn expression(&mut self, expression: &Expression) -> Option<Expr> {
        let kind = match expression {
            Expression::NamedNode(iri) => self.constant(iri.clone().into()),
            Expression::Literal(literal) => self.constant(literal.clone().into()),
            Expression::Variable(variable) => ExprKind::Slot(self.variable(variable)?),
            Expression::Bound(variable) => ExprKind::Bound(self.variable(variable)?),
            Expression::Exists(pattern) => self.existence(pattern)?,
            Expression::Or(a, b) => {
                let mut operands = Vec::new();
                self.disjuncts(a, &mut operands)?;
                self.disjuncts(b, &mut operands)?;
                ExprKind::Or(operands)
            }
            Expression::And(a, b) => ExprKind::And(vec![self.expression(a)?, self.expression(b)?]),
            Expression::Not(inner) => ExprKind::Not(Box::new(self.expression(inner)?)),
            Expression::Equal(a, b) => ExprKind::Equal(self.pair(a, b)?),
            Expression::SameTerm(a, b) => ExprKind::SameTerm(self.pair(a, b)?),
            Expression::Greater(a, b) => ExprKind::Compare(Order::Greater, self.pair(a, b)?),
            Expression::GreaterOrEqual(a, b) => ExprKind::Compare(Order::GreaterOrEqual, self.pair(a, b)?),
            Expression::Less(a, b) => ExprKind::Compare(Order::Less, self.pair(a, b)?),
            Expression::LessOrEqual(a, b) => ExprKind::Compare(Order::LessOrEqual, self.pair(a, b)?),
            Expression::In(inner, list) => ExprKind::In(Box::new(self.expression(inner)?), self.list(list)?),
            Expression::Add(a, b) => ExprKind::Arithmetic(Operator::Add, self.pair(a, b)?),
            Expression::Subtract(a, b) => ExprKind::Arithmetic(Operator::Subtract, self.pair(a, b)?),
            Expression::Multiply(a, b) => ExprKind::Arithmetic(Operator::Multiply, self.pair(a, b)?),
            Expression::Divide(a, b) => ExprKind::Arithmetic(Operator::Divide, self.pair(a, b)?),
            Expression::UnaryPlus(inner) => ExprKind::Plus(Box::new(self.expression(inner)?)),
            Expression::UnaryMinus(inner) => ExprKind::Minus(Box::new(self.expression(inner)?)),
            Expression::If(a, b, c) => {
                ExprKind::If(Box::new([self.expression(a)?, self.expression(b)?, self.expression(c)?]))
            }
            Expression::Coalesce(list) => ExprKind::Coalesce(self.list(list)?),
            Expression::FunctionCall(function, arguments) => self.call(function, arguments)?,
        };
        let slots = mentioned(&kind);
        Some(Expr { kind, slots })
    }

    fn constant(&mut self, term: Term) -> ExprKind {
        let value = ExpressionTerm::from(term.clone());
        ExprKind::Const(self.terms.cell(term), value)
    }

    fn list(&mut self, list: &[Expression]) -> Option<Vec<Expr>> {
        list.iter().map(|expression| self.expression(expression)).collect()
    }

    fn pair(&mut self, a: &Expression, b: &Expression) -> Option<Box<[Expr; 2]>> {
        Some(Box::new([self.expression(a)?, self.expression(b)?]))
    }

    fn disjuncts(&mut self, expression: &Expression, operands: &mut Vec<Expr>) -> Option<()> {
        if let Expression::Or(a, b) = expression {
            self.disjuncts(a, operands)?;
            return self.disjuncts(b, operands);
        }
        operands.push(self.expression(expression)?);
        Some(())
    }

    fn existence(&mut self, pattern: &GraphPattern) -> Option<ExprKind> {
        let group = self.group(pattern)?;
        if !is_substituted_exactly(&group) {
            return None;
        }
        self.existences += 1;
        Some(ExprKind::Exists(Rc::new(Existence { id: self.existences - 1, group: Rc::new(group) })))
    }

    /// The number under which the values of a call are remembered. Equal calls share it: a superlative computes the same values inside and
    /// outside of its sub-select.
    fn remembered(&mut self, function: &Function, arguments: &[Expr]) -> usize {
        let mut parts = Vec::new();
        if !call_parts(function, arguments, &mut parts) {
            self.calls += 1;
            return self.calls - 1;
        }
        let next = self.calls;
        let number = *self.known_calls.entry(parts).or_insert(next);
        self.calls = self.calls.max(number + 1);
        number
    }

    fn call(&mut self, function: &Function, arguments: &[Expression]) -> Option<ExprKind> {
        match function {
            // Another value at every call.
            Function::Rand | Function::Now | Function::Uuid | Function::StrUuid | Function::BNode => {
                return None;
            }
            Function::Iri if self.has_base => return None,
            Function::Custom(name) if arguments.len() != 1 || !is_cast(name.as_str()) => return None,
            _ => {}
        }
        let mut arguments = self.list(arguments)?;
        let slots = arguments.iter().fold(0, |set, argument| set | argument.slots);
        let only = (slots.count_ones() == 1 && !arguments.iter().any(has_existence))
            .then(|| slots_of(slots).next())
            .flatten();
        let remembered = only.map(|slot| (slot, self.remembered(function, &arguments)));
        if remembered.is_some() {
            // The values of calls inside are part of the value that is remembered.
            for argument in &mut arguments {
                if let ExprKind::Call(inner) = &mut argument.kind {
                    inner.remembered = None;
                }
            }
        }
        let regex = match (function, arguments.get(1), arguments.get(2)) {
            (Function::Regex, Some(pattern), flags) => {
                match (constant_text(pattern), flags.map(constant_text)) {
                    (Some(pattern), None) => compiled_regex(pattern, ""),
                    (Some(pattern), Some(Some(flags))) => compiled_regex(pattern, flags),
                    _ => None,
                }
            }
            _ => None,
        };
        Some(ExprKind::Call(Box::new(Call { function: function.clone(), arguments, remembered, regex })))
    }
}

/// A part of a call: calls with the same parts have the same value for the same argument.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum CallPart {
    /// A function with its number of arguments.
    Function(Function, usize),
    Const(Cell),
    /// The only variable.
    Variable,
}

/// The parts of a call; `false` if there are others than calls, constants and the variable.
fn call_parts(function: &Function, arguments: &[Expr], parts: &mut Vec<CallPart>) -> bool {
    parts.push(CallPart::Function(function.clone(), arguments.len()));
    arguments.iter().all(|argument| match &argument.kind {
        ExprKind::Const(cell, _) => {
            parts.push(CallPart::Const(*cell));
            true
        }
        ExprKind::Slot(_) => {
            parts.push(CallPart::Variable);
            true
        }
        ExprKind::Call(call) => call_parts(&call.function, &call.arguments, parts),
        _ => false,
    })
}

fn constant_text(expression: &Expr) -> Option<&str> {
    match &expression.kind {
        ExprKind::Const(_, ExpressionTerm::StringLiteral(text)) => Some(text),
        _ => None,
    }
}

/// The expressions directly inside.
fn operands(kind: &ExprKind) -> &[Expr] {
    match kind {
        ExprKind::Const(..) | ExprKind::Slot(_) | ExprKind::Bound(_) | ExprKind::Exists(_) => &[],
        ExprKind::Or(list) | ExprKind::And(list) | ExprKind::Coalesce(list) => list,
        ExprKind::Not(inner) | ExprKind::Plus(inner) | ExprKind::Minus(inner) => {
            std::slice::from_ref(&**inner)
        }
        ExprKind::Equal(pair)
        | ExprKind::SameTerm(pair)
        | ExprKind::Compare(_, pair)
        | ExprKind::Arithmetic(_, pair) => &pair[..],
        // The first operand is not in the list.
        ExprKind::In(_, list) => list,
        ExprKind::If(parts) => &parts[..],
        ExprKind::Call(call) => &call.arguments,
    }
}

fn mentioned(kind: &ExprKind) -> super::cells::Slots {
    let own = match kind {
        ExprKind::Slot(slot) | ExprKind::Bound(slot) => super::cells::one(*slot),
        ExprKind::Exists(existence) => existence.group.mentions(),
        ExprKind::In(first, _) => first.slots,
        _ => 0,
    };
    operands(kind).iter().fold(own, |set, operand| set | operand.slots)
}

/// Whether there is an `EXISTS` in an expression.
fn has_existence(expression: &Expr) -> bool {
    let first = match &expression.kind {
        ExprKind::Exists(_) => true,
        ExprKind::In(first, _) => has_existence(first),
        _ => false,
    };
    first || operands(&expression.kind).iter().any(has_existence)
}

/// Whether it is clear what the values of variables outside mean inside `EXISTS`.
fn is_substituted_exactly(group: &Group) -> bool {
    let parts = group.parts.iter().all(|part| match part {
        Part::Triple(_) | Part::Quoted(..) | Part::Path(_) | Part::Table(_) | Part::Filter(_) => true,
        Part::Union(branches) => branches.iter().all(|branch| is_substituted_exactly(branch)),
        Part::Kept(_) | Part::Bind(..) => false,
    });
    parts
        && group.tail.iter().all(|tail| match tail {
            Tail::Optional(group, _) => is_substituted_exactly(group),
            Tail::Filter(_) => true,
            Tail::Minus(_) | Tail::Bind(..) => false,
        })
}
