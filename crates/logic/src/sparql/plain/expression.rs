//! The expressions of plain SPARQL.

use super::Reader;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, Function};
use spargebra::term::{NamedNode, Variable};

/// Functions with a fixed number of arguments.
const FUNCTIONS: [(&str, usize, Function); 12] = [
    ("STR", 1, Function::Str),
    ("LANG", 1, Function::Lang),
    ("LANGMATCHES", 2, Function::LangMatches),
    ("DATATYPE", 1, Function::Datatype),
    ("YEAR", 1, Function::Year),
    ("MONTH", 1, Function::Month),
    ("DAY", 1, Function::Day),
    ("STRLEN", 1, Function::StrLen),
    ("LCASE", 1, Function::LCase),
    ("UCASE", 1, Function::UCase),
    ("CONTAINS", 2, Function::Contains),
    ("STRSTARTS", 2, Function::StrStarts),
];

impl Reader<'_> {
    /// What may follow FILTER.
    pub(super) fn constraint(&mut self) -> Option<Expression> {
        match self.peek() {
            b'(' => self.bracketed(),
            byte if byte == b'<' || self.begins_name() => {
                let name = self.iri()?;
                if self.peek() == b'(' { self.custom(name) } else { None }
            }
            byte if byte.is_ascii_alphabetic() => self.call(),
            _ => None,
        }
    }

    pub(super) fn bracketed(&mut self) -> Option<Expression> {
        if !self.mark("(") {
            return None;
        }
        let expression = self.expression()?;
        self.mark(")").then_some(expression)
    }

    pub(super) fn expression(&mut self) -> Option<Expression> {
        self.deeper(|reader| {
            let mut left = reader.conjunction()?;
            while reader.mark("||") {
                reader.level()?;
                left = Expression::Or(Box::new(left), Box::new(reader.conjunction()?));
            }
            Some(left)
        })
    }

    pub(super) fn conjunction(&mut self) -> Option<Expression> {
        let mut left = self.comparison()?;
        while self.mark("&&") {
            self.level()?;
            left = Expression::And(Box::new(left), Box::new(self.comparison()?));
        }
        Some(left)
    }

    pub(super) fn comparison(&mut self) -> Option<Expression> {
        type Two = fn(Box<Expression>, Box<Expression>) -> Expression;
        const OPERATORS: [(&str, Two); 6] = [
            ("=", Expression::Equal),
            ("!=", |a, b| Expression::Not(Box::new(Expression::Equal(a, b)))),
            (">=", Expression::GreaterOrEqual),
            (">", Expression::Greater),
            ("<=", Expression::LessOrEqual),
            ("<", Expression::Less),
        ];
        let left = self.unary()?;
        for (operator, build) in OPERATORS {
            if self.mark(operator) {
                let right = self.unary()?;
                return self.no_arithmetic(build(Box::new(left), Box::new(right)));
            }
        }
        if self.keyword("IN") {
            let list = self.arguments()?;
            return Some(Expression::In(Box::new(left), list));
        }
        if self.keyword("NOT") {
            if !self.keyword("IN") {
                return None;
            }
            let list = self.arguments()?;
            return Some(Expression::Not(Box::new(Expression::In(Box::new(left), list))));
        }
        self.no_arithmetic(left)
    }

    pub(super) fn no_arithmetic(&self, expression: Expression) -> Option<Expression> {
        (!matches!(self.peek(), b'+' | b'-' | b'*' | b'/')).then_some(expression)
    }

    pub(super) fn unary(&mut self) -> Option<Expression> {
        if self.peek() == b'!' && self.byte(1) != b'=' && self.mark("!") {
            let inner = self.deeper(Self::unary)?;
            return Some(Expression::Not(Box::new(inner)));
        }
        match self.peek() {
            b'(' => self.bracketed(),
            b'?' | b'$' => self.variable().map(Into::into),
            b'"' | b'\'' | b'0'..=b'9' => self.literal().map(Into::into),
            b'<' if self.byte(1) == b'<' => None,
            byte if byte == b'<' || self.begins_name() => {
                let name = self.iri()?;
                if self.peek() == b'(' { self.custom(name) } else { Some(name.into()) }
            }
            byte if byte.is_ascii_alphabetic() => self.call(),
            _ => None,
        }
    }

    pub(super) fn custom(&mut self, name: NamedNode) -> Option<Expression> {
        let arguments = self.arguments()?;
        Some(Expression::FunctionCall(Function::Custom(name), arguments))
    }

    /// One or more expressions in brackets.
    pub(super) fn arguments(&mut self) -> Option<Vec<Expression>> {
        if !self.mark("(") {
            return None;
        }
        let mut found = Vec::with_capacity(2);
        loop {
            found.push(self.expression()?);
            if self.mark(")") {
                return Some(found);
            }
            if !self.mark(",") {
                return None;
            }
        }
    }

    /// A function with its arguments.
    pub(super) fn call(&mut self) -> Option<Expression> {
        for (name, n, function) in &FUNCTIONS {
            if self.keyword(name) {
                let arguments = self.arguments()?;
                let function = function.clone();
                return (arguments.len() == *n).then_some(Expression::FunctionCall(function, arguments));
            }
        }
        if self.keyword("SUBSTR") {
            let arguments = self.arguments()?;
            let fits = matches!(arguments.len(), 2 | 3);
            return fits.then_some(Expression::FunctionCall(Function::SubStr, arguments));
        }
        if self.keyword("BOUND") {
            if !self.mark("(") {
                return None;
            }
            let variable = self.variable()?;
            return self.mark(")").then_some(Expression::Bound(variable));
        }
        if self.keyword("COALESCE") {
            return self.arguments().map(Expression::Coalesce);
        }
        if self.keyword("IF") {
            let [condition, yes, no] = <[Expression; 3]>::try_from(self.arguments()?).ok()?;
            return Some(Expression::If(Box::new(condition), Box::new(yes), Box::new(no)));
        }
        if self.keyword("EXISTS") {
            return Some(Expression::Exists(Box::new(self.filtered_group()?)));
        }
        if self.keyword("NOT") {
            if !self.keyword("EXISTS") {
                return None;
            }
            let inner = Expression::Exists(Box::new(self.filtered_group()?));
            return Some(Expression::Not(Box::new(inner)));
        }
        self.aggregate()
    }

    /// COUNT, MIN and MAX among the columns of a selection.
    pub(super) fn aggregate(&mut self) -> Option<Expression> {
        let name = if self.keyword("COUNT") {
            AggregateFunction::Count
        } else if self.keyword("MIN") {
            AggregateFunction::Min
        } else if self.keyword("MAX") {
            AggregateFunction::Max
        } else {
            return None;
        };
        let mut aggregates = self.aggregates.take()?;
        if !self.mark("(") {
            return None;
        }
        let distinct = self.keyword("DISTINCT");
        let aggregate = if name == AggregateFunction::Count && self.mark("*") {
            AggregateExpression::CountSolutions { distinct }
        } else {
            // No aggregate inside another.
            AggregateExpression::FunctionCall { name, expr: self.expression()?, distinct }
        };
        if !self.mark(")") || aggregates.iter().any(|(_, known)| *known == aggregate) {
            return None;
        }
        // A name that does not occur in queries: the general parser takes a random one.
        let number = 0x7a1c_93e5_d0b4_4f26_8e31_5c6f_a972_0000u128 + self.levels as u128;
        self.level()?;
        let variable = Variable::new_unchecked(format!("{number:x}"));
        aggregates.push((variable.clone(), aggregate));
        self.aggregates = Some(aggregates);
        Some(variable.into())
    }
}
