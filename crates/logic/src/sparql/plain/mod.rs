//! SPARQL as nearly all queries are written, read with about a sixth of the instructions that the general parser takes.
//!
//! What is not plain is left to the general parser, errors included: property paths, blank nodes, arithmetic, grouping, escapes and all
//! that is rare. What is read here is read as the general parser reads it; tests hold the two to the same algebra.

mod expression;
mod lexis;
#[cfg(test)]
mod tests;

use lexis::{NAME_BYTES, bytes, bytes_of_digits, is_plain_iri};
use spargebra::Query;
use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};
use spargebra::term::{GroundTerm, NamedNode, NamedNodePattern, TermPattern, TriplePattern, Variable};
use std::sync::LazyLock;
use touchstone_kb::rdf::KQAPRO_BASE;

/// Maximum depth of groups and brackets: the reader is recursive, and so is the code that visits its result.
const MAX_DEPTH: usize = 16;
/// Maximum number of elements that make the algebra one level deeper.
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
    Some(if is_ask {
        Query::Ask { dataset: None, pattern, base_iri }
    } else {
        Query::Select { dataset: None, pattern, base_iri }
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
        // A prefix begins with a letter.
        if !self.mark(":") || name.starts_with(|first: char| !first.is_ascii_alphabetic()) {
            return None;
        }
        let iri = self.iri_text().filter(|iri| is_plain_iri(iri))?;
        self.prefixes.push((name, iri));
        Some(())
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

    /// A selection after its SELECT.
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

    /// The conditions after ORDER.
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
}
