//! SPARQL as nearly all queries are written, read in a tenth of the time that the general parser takes.
//!
//! What is not plain is left to the general parser, errors included: property paths, blank nodes, arithmetic, grouping, escapes and all
//! that is rare. What is read here is read as the general parser reads it; tests hold the two to the same algebra.

use spargebra::Query;
use spargebra::algebra::{
    AggregateExpression, AggregateFunction, Expression, Function, GraphPattern, OrderExpression,
};
use spargebra::term::{
    GroundTerm, Literal, NamedNode, NamedNodePattern, TermPattern, TriplePattern, Variable,
};
use std::sync::LazyLock;
use touchstone_kb::XSD;
use touchstone_kb::rdf::KQAPRO_BASE;

/// Groups and brackets may not be nested deeper: the reader is recursive, and so are those who walk through what it gives.
const MAX_DEPTH: usize = 16;
/// There may not be more of what makes the algebra one level deeper.
const MAX_LEVELS: usize = 200;

/// What a query without anything is: its base is that of all others.
static NOTHING: LazyLock<Option<Query>> = LazyLock::new(|| {
    spargebra::SparqlParser::new().with_base_iri(KQAPRO_BASE).ok()?.parse_query("ASK {}").ok()
});

const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/// Reads a query; `None` if it is not plain, or none at all.
pub(super) fn read(text: &str) -> Option<Query> {
    let mut reader = Reader { text, at: 0, depth: 0, levels: 0, prefixes: Vec::new(), aggregates: None };
    reader.blanks();
    while reader.keyword("PREFIX") {
        reader.prefix()?;
    }
    let is_ask = reader.keyword("ASK");
    let pattern = if is_ask {
        let found = reader.where_clause()?;
        projected(found, None)
    } else if reader.keyword("SELECT") {
        reader.select()?
    } else {
        return None;
    };
    reader.blanks();
    if reader.at < text.len() {
        return None;
    }
    let (Query::Ask { base_iri, .. } | Query::Select { base_iri, .. }) = NOTHING.as_ref()? else {
        return None;
    };
    let base_iri = base_iri.clone();
    Some(match is_ask {
        true => Query::Ask { dataset: None, pattern, base_iri },
        false => Query::Select { dataset: None, pattern, base_iri },
    })
}

/// Some variables of a pattern; all that it has, if they are not named.
fn projected(pattern: GraphPattern, variables: Option<Vec<Variable>>) -> GraphPattern {
    let variables = variables.unwrap_or_else(|| {
        let mut all: Vec<Variable> = Vec::new();
        pattern.on_in_scope_variable(|variable| {
            if !all.contains(variable) {
                all.push(variable.clone());
            }
        });
        all.sort();
        all
    });
    GraphPattern::Project { inner: Box::new(pattern), variables }
}

fn has_variable(pattern: &GraphPattern, wanted: &Variable) -> bool {
    let mut found = false;
    pattern.on_in_scope_variable(|variable| found |= variable == wanted);
    found
}

/// Both patterns; triples of both are one pattern.
fn joined(left: GraphPattern, right: GraphPattern) -> GraphPattern {
    match (left, right) {
        (GraphPattern::Bgp { patterns }, other) | (other, GraphPattern::Bgp { patterns })
            if patterns.is_empty() =>
        {
            other
        }
        (GraphPattern::Bgp { mut patterns }, GraphPattern::Bgp { patterns: others }) => {
            patterns.extend(others);
            GraphPattern::Bgp { patterns }
        }
        (left, right) => GraphPattern::Join { left: Box::new(left), right: Box::new(right) },
    }
}

/// By byte: letters, digits and what else is plain in an IRI.
const IRI_BYTES: [bool; 256] = bytes(b"-._~!$&'()*+,;=:@/?#");
/// By byte: letters, digits and the underscore.
const NAME_BYTES: [bool; 256] = bytes(b"_");

const fn bytes(others: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut at = 0;
    while at < others.len() {
        table[others[at] as usize] = true;
        at += 1;
    }
    table
}

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

/// A place in the text, moving forward only.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    levels: usize,
    prefixes: Vec<(&'t str, &'t str)>,
    /// Where aggregates are allowed, and those that there are.
    aggregates: Option<Vec<(Variable, AggregateExpression)>>,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> u8 {
        self.byte(0)
    }

    /// A byte further on; 0 behind the end.
    fn byte(&self, further: usize) -> u8 {
        self.text.as_bytes().get(self.at + further).copied().unwrap_or(0)
    }

    fn blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'#' => {
                    let rest = &self.text.as_bytes()[self.at..];
                    self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Moves past a mark and the blanks behind it, if it comes next.
    fn mark(&mut self, mark: &str) -> bool {
        let found = self.text.as_bytes()[self.at..].starts_with(mark.as_bytes());
        if found {
            self.at += mark.len();
            self.blanks();
        }
        found
    }

    /// Moves past a whole word and the blanks behind it, if it comes next.
    fn keyword(&mut self, word: &str) -> bool {
        let bytes = self.text.as_bytes();
        let end = self.at + word.len();
        let found = bytes.get(self.at..end).is_some_and(|next| next.eq_ignore_ascii_case(word.as_bytes()))
            && !bytes
                .get(end)
                .is_some_and(|&byte| NAME_BYTES[usize::from(byte)] || byte == b':' || byte >= 128);
        if found {
            self.at = end;
            self.blanks();
        }
        found
    }

    /// The bytes from here on that are in a table.
    fn run(&mut self, table: &[bool; 256]) -> &'t str {
        let bytes = &self.text.as_bytes()[self.at..];
        let length = bytes.iter().position(|&byte| !table[usize::from(byte)]).unwrap_or(bytes.len());
        let found = &self.text[self.at..self.at + length];
        self.at += length;
        found
    }

    /// One level further down.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let found = if self.depth > MAX_DEPTH { None } else { read(self) };
        self.depth -= 1;
        found
    }

    /// Counts what makes the algebra one level deeper.
    fn level(&mut self) -> Option<()> {
        self.levels += 1;
        (self.levels <= MAX_LEVELS).then_some(())
    }

    fn prefix(&mut self) -> Option<()> {
        let name = self.run(&const { bytes(b"_-") });
        if !self.mark(":") {
            return None;
        }
        let iri = self.iri_text().filter(|iri| is_plain_iri(iri))?;
        self.prefixes.push((name, iri));
        Some(())
    }

    /// What stands in angle brackets.
    fn iri_text(&mut self) -> Option<&'t str> {
        if self.peek() != b'<' {
            return None;
        }
        self.at += 1;
        let iri = self.run(&IRI_BYTES);
        if self.peek() != b'>' {
            return None;
        }
        self.at += 1;
        self.blanks();
        Some(iri)
    }

    /// An IRI that means itself, or one of KQA Pro's names.
    fn iri(&mut self) -> Option<NamedNode> {
        if self.peek() == b'<' {
            let iri = self.iri_text()?;
            if is_plain_iri(iri) {
                return Some(NamedNode::new_unchecked(iri));
            }
            let is_name = !iri.is_empty() && iri.bytes().all(|byte| NAME_BYTES[usize::from(byte)]);
            return is_name.then(|| NamedNode::new_unchecked([KQAPRO_BASE, iri].concat()));
        }
        let name = self.run(&const { bytes(b"_-") });
        if self.peek() != b':' {
            return None;
        }
        self.at += 1;
        let local = self.run(&const { bytes(b"_-.") });
        // A full stop at the end is the end of the triple. Names may hold more than is plain.
        let kept = local.trim_end_matches('.');
        self.at -= local.len() - kept.len();
        let is_odd = matches!(self.peek(), b':' | b'%' | b'\\' | 128..) || kept.starts_with(['-', '.']);
        let namespace = self.prefixes.iter().rev().find(|(known, _)| *known == name)?.1;
        if is_odd || kept.contains("..") || kept == "datetime" {
            return None;
        }
        let iri = [namespace, kept].concat();
        self.blanks();
        is_plain_iri(&iri).then(|| NamedNode::new_unchecked(iri))
    }

    fn variable(&mut self) -> Option<Variable> {
        if !matches!(self.peek(), b'?' | b'$') {
            return None;
        }
        self.at += 1;
        let name = self.run(&NAME_BYTES);
        if name.is_empty() || self.peek() >= 128 {
            return None;
        }
        self.blanks();
        Some(Variable::new_unchecked(name))
    }

    /// A text or a number.
    fn literal(&mut self) -> Option<Literal> {
        let quote = self.peek();
        if quote.is_ascii_digit() {
            return self.number();
        }
        if !matches!(quote, b'"' | b'\'') || self.byte(1) == quote && self.byte(2) == quote {
            return None;
        }
        let rest = &self.text.as_bytes()[self.at + 1..];
        let end = memchr::memchr3(quote, b'\\', b'\n', rest).filter(|&end| rest[end] == quote)?;
        let value = &self.text[self.at + 1..self.at + 1 + end];
        self.at += end + 2;
        self.blanks();
        if self.mark("^^") {
            let datatype = self.iri()?;
            return Some(Literal::new_typed_literal(value, datatype));
        }
        (self.peek() != b'@' && !value.contains('\r')).then(|| Literal::new_simple_literal(value))
    }

    fn number(&mut self) -> Option<Literal> {
        let start = self.at;
        let is_digit = &const { bytes_of_digits() };
        self.run(is_digit);
        let mut name = "integer";
        if self.peek() == b'.' && self.byte(1).is_ascii_digit() {
            self.at += 1;
            self.run(is_digit);
            name = "decimal";
        }
        // Exponents, and names that begin with a digit.
        if NAME_BYTES[usize::from(self.peek())] || matches!(self.peek(), b':' | 128..) {
            return None;
        }
        let text = &self.text[start..self.at];
        // `1.` may be a number, or the end of a triple.
        if self.peek() == b'.' && !matches!(self.byte(1), b' ' | b'\n') {
            return None;
        }
        self.blanks();
        Some(Literal::new_typed_literal(text, NamedNode::new_unchecked([XSD, name].concat())))
    }

    /// What may stand at the ends of a triple.
    fn term(&mut self) -> Option<TermPattern> {
        Some(match self.peek() {
            b'?' | b'$' => self.variable()?.into(),
            b'<' if self.byte(1) == b'<' => return self.deeper(Self::triple_term),
            b'"' | b'\'' | b'0'..=b'9' => self.literal()?.into(),
            _ => self.iri()?.into(),
        })
    }

    /// `<<( s p o )>>`
    fn triple_term(&mut self) -> Option<TermPattern> {
        if !self.mark("<<(") {
            return None;
        }
        let subject = self.subject()?;
        let predicate = self.predicate()?;
        let object = self.term()?;
        let triple = TriplePattern { subject, predicate, object };
        self.mark(")>>").then(|| TermPattern::Triple(Box::new(triple)))
    }

    fn subject(&mut self) -> Option<TermPattern> {
        match self.peek() {
            b'?' | b'$' => self.variable().map(Into::into),
            b'<' if self.byte(1) == b'<' => None,
            _ => self.iri().map(Into::into),
        }
    }

    /// A variable, an IRI or `a`; no path.
    fn predicate(&mut self) -> Option<NamedNodePattern> {
        let predicate: NamedNodePattern = match self.peek() {
            b'?' | b'$' => self.variable()?.into(),
            b'a' | b'A' if self.text[self.at..].starts_with("a") && self.keyword("a") => {
                NamedNode::new_unchecked(TYPE).into()
            }
            _ => self.iri()?.into(),
        };
        let is_path = matches!(self.peek(), b'/' | b'|' | b'^' | b'*' | b'+' | b'-' | b'(' | b'!');
        (!is_path).then_some(predicate)
    }

    /// The triples of one subject.
    fn triples(&mut self, patterns: &mut Vec<TriplePattern>) -> Option<()> {
        let subject = self.subject()?;
        loop {
            let predicate = self.predicate()?;
            loop {
                let object = self.term()?;
                let (subject, predicate) = (subject.clone(), predicate.clone());
                patterns.push(TriplePattern { subject, predicate, object });
                // Annotations.
                if self.peek() == b'~' || self.peek() == b'{' && self.byte(1) == b'|' {
                    return None;
                }
                if !self.mark(",") {
                    break;
                }
            }
            if !self.mark(";") {
                return Some(());
            }
            while self.mark(";") {}
            if matches!(self.peek(), b'.' | b'}') {
                return Some(());
            }
        }
    }

    /// Triples with full stops between them.
    fn block(&mut self) -> Option<GraphPattern> {
        let mut patterns = Vec::with_capacity(4);
        loop {
            self.triples(&mut patterns)?;
            if !self.mark(".") || !self.begins_triple() {
                return Some(GraphPattern::Bgp { patterns });
            }
        }
    }

    fn begins_triple(&self) -> bool {
        match self.peek() {
            b'?' | b'$' | b'<' => true,
            _ => self.begins_name(),
        }
    }

    /// Whether a name with a prefix comes next; no keyword, no function.
    fn begins_name(&self) -> bool {
        let is_name = |byte: &u8| NAME_BYTES[usize::from(*byte)] || *byte == b'-';
        self.text.as_bytes()[self.at..].iter().find(|byte| !is_name(byte)) == Some(&b':')
    }

    fn where_clause(&mut self) -> Option<GraphPattern> {
        self.keyword("WHERE");
        self.filtered_group()
    }

    /// A group with its filters on top.
    fn filtered_group(&mut self) -> Option<GraphPattern> {
        let (inner, filter) = self.deeper(Self::group)?;
        Some(match filter {
            Some(expr) => GraphPattern::Filter { expr, inner: Box::new(inner) },
            None => inner,
        })
    }

    /// A group and its filters.
    fn group(&mut self) -> Option<(GraphPattern, Option<Expression>)> {
        if !self.mark("{") {
            return None;
        }
        // Aggregates belong to the clause that a group is part of.
        let outer = self.aggregates.take();
        let found = if self.keyword("SELECT") { (self.select()?, None) } else { self.parts()? };
        self.aggregates = outer;
        self.mark("}").then_some(found)
    }

    fn parts(&mut self) -> Option<(GraphPattern, Option<Expression>)> {
        let mut found = GraphPattern::default();
        let mut filter: Option<Expression> = None;
        loop {
            if self.begins_triple() {
                found = joined(found, self.block()?);
                // Two blocks of triples have something between them.
                if self.begins_triple() {
                    return None;
                }
            }
            match self.peek() {
                b'}' => return Some((found, filter)),
                b'{' => {
                    self.level()?;
                    let mut union = self.filtered_group()?;
                    while self.keyword("UNION") {
                        self.level()?;
                        let right = Box::new(self.filtered_group()?);
                        union = GraphPattern::Union { left: Box::new(union), right };
                    }
                    found = joined(found, union);
                }
                _ if self.keyword("FILTER") => {
                    self.level()?;
                    let condition = self.constraint()?;
                    filter = Some(match filter {
                        Some(others) => Expression::And(Box::new(others), Box::new(condition)),
                        None => condition,
                    });
                }
                _ if self.keyword("OPTIONAL") => {
                    self.level()?;
                    let (right, expression) = self.deeper(Self::group)?;
                    found =
                        GraphPattern::LeftJoin { left: Box::new(found), right: Box::new(right), expression };
                }
                _ if self.keyword("BIND") => {
                    self.level()?;
                    let (expression, variable) = self.named_expression()?;
                    if has_variable(&found, &variable) {
                        return None;
                    }
                    found = GraphPattern::Extend { inner: Box::new(found), variable, expression };
                }
                _ if self.keyword("VALUES") => {
                    self.level()?;
                    found = joined(found, self.values()?);
                }
                _ => return None,
            }
            self.mark(".");
        }
    }

    /// The values of one variable.
    fn values(&mut self) -> Option<GraphPattern> {
        let variable = self.variable()?;
        if !self.mark("{") {
            return None;
        }
        let mut bindings: Vec<Vec<Option<GroundTerm>>> = Vec::new();
        while !self.mark("}") {
            let term: GroundTerm = match self.peek() {
                b'"' | b'\'' | b'0'..=b'9' => self.literal()?.into(),
                b'<' if self.byte(1) == b'<' => return None,
                _ => self.iri()?.into(),
            };
            bindings.push(vec![Some(term)]);
        }
        Some(GraphPattern::Values { variables: vec![variable], bindings })
    }

    /// `( expression AS ?variable )`
    fn named_expression(&mut self) -> Option<(Expression, Variable)> {
        if !self.mark("(") {
            return None;
        }
        let expression = self.expression()?;
        if !self.keyword("AS") {
            return None;
        }
        let variable = self.variable()?;
        self.mark(")").then_some((expression, variable))
    }

    /// A selection behind its SELECT.
    fn select(&mut self) -> Option<GraphPattern> {
        let is_distinct = self.keyword("DISTINCT");
        self.aggregates = Some(Vec::new());
        let (mut columns, mut is_all) = (Vec::new(), false);
        loop {
            match self.peek() {
                b'?' | b'$' => columns.push((None, self.variable()?)),
                b'(' => {
                    let (expression, variable) = self.named_expression()?;
                    columns.push((Some(expression), variable));
                }
                b'*' if columns.is_empty() && self.mark("*") => {
                    is_all = true;
                    break;
                }
                _ => break,
            }
        }
        let aggregates = self.aggregates.take()?;
        if columns.is_empty() && !is_all {
            return None;
        }
        let mut pattern = self.where_clause()?;
        let has_aggregates = !aggregates.is_empty();
        if has_aggregates {
            pattern = GraphPattern::Group { inner: Box::new(pattern), variables: Vec::new(), aggregates };
        }
        let order = if self.keyword("ORDER") { Some(self.order()?) } else { None };
        let slice = self.slice()?;
        let mut variables: Vec<Variable> = Vec::with_capacity(columns.len());
        for (expression, variable) in columns {
            // What the general parser refuses, it may refuse.
            let is_bound = has_variable(&pattern, &variable);
            if variables.contains(&variable) || is_bound == expression.is_some() && has_aggregates {
                return None;
            }
            if let Some(expression) = expression {
                let is_count =
                    matches!(&expression, Expression::Variable(found) if has_variable(&pattern, found));
                if is_bound || has_aggregates && !is_count {
                    return None;
                }
                let inner = Box::new(pattern);
                pattern = GraphPattern::Extend { inner, variable: variable.clone(), expression };
            }
            variables.push(variable);
        }
        if let Some(expression) = order {
            let variables = (!is_all).then_some(variables);
            // The order comes first, but all variables are those of the pattern.
            let GraphPattern::Project { inner, variables } = projected(pattern, variables) else {
                return None;
            };
            let inner = Box::new(GraphPattern::OrderBy { inner, expression });
            pattern = GraphPattern::Project { inner, variables };
        } else {
            pattern = projected(pattern, (!is_all).then_some(variables));
        }
        if is_distinct {
            pattern = GraphPattern::Distinct { inner: Box::new(pattern) };
        }
        if let Some((start, length)) = slice {
            pattern = GraphPattern::Slice { inner: Box::new(pattern), start, length };
        }
        Some(pattern)
    }

    /// The conditions behind ORDER.
    fn order(&mut self) -> Option<Vec<OrderExpression>> {
        if !self.keyword("BY") {
            return None;
        }
        let mut found = Vec::new();
        loop {
            if self.keyword("ASC") {
                found.push(OrderExpression::Asc(self.bracketed()?));
            } else if self.keyword("DESC") {
                found.push(OrderExpression::Desc(self.bracketed()?));
            } else if matches!(self.peek(), b'?' | b'$') {
                found.push(OrderExpression::Asc(self.variable()?.into()));
            } else {
                return (!found.is_empty()).then_some(found);
            }
        }
    }

    /// Limit and offset.
    fn slice(&mut self) -> Option<Option<(usize, Option<usize>)>> {
        let (mut limit, mut offset) = (None, None);
        loop {
            let place = if self.keyword("LIMIT") {
                &mut limit
            } else if self.keyword("OFFSET") {
                &mut offset
            } else {
                break;
            };
            let digits = self.run(&const { bytes_of_digits() });
            let number: usize = digits.parse().ok()?;
            if NAME_BYTES[usize::from(self.peek())] || place.replace(number).is_some() {
                return None;
            }
            self.blanks();
        }
        Some(match (limit, offset) {
            (None, None) => None,
            (limit, offset) => Some((offset.unwrap_or(0), limit)),
        })
    }

    /// What may stand behind FILTER.
    fn constraint(&mut self) -> Option<Expression> {
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

    fn bracketed(&mut self) -> Option<Expression> {
        if !self.mark("(") {
            return None;
        }
        let expression = self.expression()?;
        self.mark(")").then_some(expression)
    }

    fn expression(&mut self) -> Option<Expression> {
        self.deeper(|reader| {
            let mut left = reader.conjunction()?;
            while reader.mark("||") {
                reader.level()?;
                left = Expression::Or(Box::new(left), Box::new(reader.conjunction()?));
            }
            Some(left)
        })
    }

    fn conjunction(&mut self) -> Option<Expression> {
        let mut left = self.comparison()?;
        while self.mark("&&") {
            self.level()?;
            left = Expression::And(Box::new(left), Box::new(self.comparison()?));
        }
        Some(left)
    }

    fn comparison(&mut self) -> Option<Expression> {
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

    fn no_arithmetic(&self, expression: Expression) -> Option<Expression> {
        (!matches!(self.peek(), b'+' | b'-' | b'*' | b'/')).then_some(expression)
    }

    fn unary(&mut self) -> Option<Expression> {
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

    fn custom(&mut self, name: NamedNode) -> Option<Expression> {
        let arguments = self.arguments()?;
        Some(Expression::FunctionCall(Function::Custom(name), arguments))
    }

    /// One or more expressions in brackets.
    fn arguments(&mut self) -> Option<Vec<Expression>> {
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
    fn call(&mut self) -> Option<Expression> {
        for (name, n, function) in &FUNCTIONS {
            if self.keyword(name) {
                let arguments = self.arguments()?;
                let function = function.clone();
                return (arguments.len() == *n).then(|| Expression::FunctionCall(function, arguments));
            }
        }
        if self.keyword("SUBSTR") {
            let arguments = self.arguments()?;
            let fits = matches!(arguments.len(), 2 | 3);
            return fits.then(|| Expression::FunctionCall(Function::SubStr, arguments));
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
    fn aggregate(&mut self) -> Option<Expression> {
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
            // No aggregate inside of another.
            AggregateExpression::FunctionCall { name, expr: self.expression()?, distinct }
        };
        if !self.mark(")") || aggregates.iter().any(|(_, known)| *known == aggregate) {
            return None;
        }
        // A name that nobody writes: the general parser takes a random one.
        let number = 0x7a1c_93e5_d0b4_4f26_8e31_5c6f_a972_0000u128 + self.levels as u128;
        self.level()?;
        let variable = Variable::new_unchecked(format!("{number:x}"));
        aggregates.push((variable.clone(), aggregate));
        self.aggregates = Some(aggregates);
        Some(variable.into())
    }
}

const fn bytes_of_digits() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = b'0';
    while byte <= b'9' {
        table[byte as usize] = true;
        byte += 1;
    }
    table
}

/// Whether an IRI is absolute and means itself, whatever the base: it has a scheme, no parts like `..`, and a plain host if any.
fn is_plain_iri(iri: &str) -> bool {
    let bytes = iri.as_bytes();
    let Some(colon) = memchr::memchr(b':', bytes) else { return false };
    let (scheme, rest) = (&bytes[..colon], &bytes[colon + 1..]);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric());
    let is_host = match rest.strip_prefix(b"//") {
        None => !rest.starts_with(b"."),
        Some(authority) => {
            let end = memchr::memchr3(b'/', b'?', b'#', authority).unwrap_or(authority.len());
            authority[..end].iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        }
    };
    let has_dots = || memchr::memchr_iter(b'/', bytes).any(|at| bytes.get(at + 1) == Some(&b'.'));
    let n_fragments = || memchr::memchr_iter(b'#', bytes).count();
    is_scheme && is_host && !has_dots() && n_fragments() < 2
}

#[cfg(test)]
mod tests {
    use super::super::parse_any;
    use super::*;

    /// Plain queries, as the printers of this program and published datasets write them.
    const PLAIN: &str = include_str!("plain_cases.txt");

    /// The algebra as text. Aggregates have random names.
    fn shown(query: &Query) -> String {
        let text = format!("{query:?}");
        let is_random = |word: &str| word.len() > 24 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let words = text.split('"').map(|word| if is_random(word) { "random" } else { word });
        words.collect::<Vec<_>>().join("\"")
    }

    fn check(text: &str) -> bool {
        let Some(read) = read(text) else { return false };
        match parse_any(text) {
            Ok(parsed) => {
                assert_eq!(shown(&read), shown(&parsed.query), "{text}");
                assert_eq!(parsed.repairs, [], "{text}");
            }
            Err(error) => panic!("{text}\n{error}"),
        }
        true
    }

    #[test]
    fn plain_queries_are_read_as_by_the_general_parser() {
        for text in PLAIN.split("\n---\n") {
            assert!(check(text), "not plain: {text}");
        }
    }

    #[test]
    fn others_are_left_to_the_general_parser() {
        for text in [
            "",
            "SELECT",
            "SELECT ?x",
            "SELECT ?x {",
            "ASK { ?x ?y }",
            "ASK { ?x <a/b> ?y }",
            "ASK { [] <urn:b> ?y }",
            "ASK { ?x <urn:a>/<urn:b> ?y }",
            "ASK { ?x <urn:a>* ?y }",
            "ASK { ?x ^<urn:a> ?y }",
            "ASK { ?x ns:a ?y }",
            "ASK { ?x <urn:a> \"x\"@en }",
            "ASK { FILTER(1 + 1 = 2) }",
            "ASK { FILTER(-1 < 2) }",
            "ASK {} LIMIT 1",
            "SELECT ?x { ?x <urn:a> ?y } GROUP BY ?x",
            "SELECT ?x ?x { ?x <urn:a> ?y }",
            "ASK { ?x <http://a/../b> ?y }",
            "SELECT ?y (COUNT(?x) AS ?n) { ?x <urn:a> ?y }",
            "SELECT COUNT(?x) { ?x <urn:a> ?y }",
            "ASK { ?x <urn:a b> ?y }",
            "ASK { ?x <urn:%zz> ?y }",
            "ASK { ?é ?b ?c }",
            "ASK { ?x <urn:a> ?y ?x <urn:b> ?y }",
            "ASK { BIND(1 AS ?x) BIND(2 AS ?x) }",
            "CONSTRUCT { ?a ?b ?c } { ?a ?b ?c }",
        ] {
            assert!(read(text).is_none(), "{text}");
        }
        let deep = format!("ASK {}{}", "{".repeat(50), "}".repeat(50));
        let long = format!("ASK {{ FILTER(?x{}) }}", " || ?x".repeat(1000));
        assert!(read(&deep).is_none() && read(&long).is_none());
    }

    /// Those of the datasets at hand; skipped, with a message, where there are none.
    #[test]
    #[allow(clippy::print_stderr)]
    fn published_queries_are_read_as_by_the_general_parser() {
        let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        for (name, least) in
            [("kqapro/train_sparql.jsonl", 0.6), ("cwq/test.json", 0.02), ("lcquad/train.json", 0.8)]
        {
            let Ok(text) = std::fs::read_to_string(data.join(name)) else {
                eprintln!("skipped: there is no ../shared/data/{name}");
                continue;
            };
            let (mut n, mut n_plain) = (0, 0);
            let mut add = |record: &serde_json::Value| {
                let sparql = record.get("sparql").or_else(|| record.get("sparql_query"));
                if let Some(sparql) = sparql.and_then(serde_json::Value::as_str) {
                    (n, n_plain) = (n + 1, n_plain + usize::from(check(sparql)));
                }
            };
            match serde_json::from_str::<Vec<serde_json::Value>>(&text) {
                Ok(records) => records.iter().for_each(add),
                Err(_) => text
                    .lines()
                    .take(20_000)
                    .filter_map(|l| serde_json::from_str(l).ok())
                    .for_each(|r| add(&r)),
            }
            eprintln!("{name}: {n_plain} of {n} are plain");
            assert!(n_plain as f64 >= least * f64::from(n), "{name}: {n_plain} of {n}");
        }
    }

    /// Whatever is done to a query: what is still plain is read as by the general parser.
    #[test]
    fn changed_queries_are_read_as_by_the_general_parser() {
        let pieces: Vec<&str> =
            PLAIN.split_inclusive([' ', '\n', '(', ')', '{', '}', '.', '>', '<']).collect();
        let cases: Vec<Vec<&str>> = PLAIN
            .split("\n---\n")
            .map(|case| case.split_inclusive([' ', '\n', '(', ')', '{', '}', '.', '>', '<']).collect())
            .collect();
        let mut state = 5u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut n_plain = 0;
        for _ in 0..100_000 {
            let mut case = cases[random(cases.len())].clone();
            for _ in 0..1 + random(3) {
                let (at, other) = (random(case.len()), random(case.len()));
                match random(5) {
                    0 => _ = case.remove(at),
                    1 => case.insert(at, pieces[random(pieces.len())]),
                    2 => case[at] = pieces[random(pieces.len())],
                    3 => case.swap(at, other),
                    _ => case[at] = case[at].trim_end_matches(|c: char| c.is_ascii_punctuation() || c == ' '),
                }
                if case.is_empty() {
                    break;
                }
            }
            n_plain += usize::from(check(&case.concat()));
        }
        assert!(n_plain > 10_000, "{n_plain}");
    }
}
