//! Which queries are evaluated at all.
//!
//! Planning cannot be interrupted, and a stack that overflows takes the process with it: so what a query may look like is bounded before
//! anything else is done with it. The bounds are far from what people and programs write.

use super::SparqlError;
use super::walk::operands;
use spargebra::Query;
use spargebra::algebra::{
    AggregateExpression, Expression, GraphPattern, OrderExpression, PropertyPathExpression,
};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};

/// Levels of nesting; `a || b || c` and `A UNION B UNION C` are nested, too.
pub(super) const DEEPEST: usize = 1000;
/// Patterns, expressions and steps of paths.
const MOST_PARTS: usize = 20_000;
/// Patterns and `OPTIONAL`s in one group. The time to bring them into an order grows with the fourth power.
const MOST_JOINED: usize = 64;
/// `OPTIONAL` within `OPTIONAL`. Each level may double the time for planning.
const MOST_OPTIONALS: usize = 10;

/// What was found out about a query that may be evaluated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Levels of nesting.
    pub(super) depth: usize,
}

/// Whether a query may be evaluated.
pub(super) fn admit(query: &Query) -> Result<Shape, SparqlError> {
    if query.dataset().is_some() {
        return Err(SparqlError::OneGraph);
    }
    let mut inspector = Inspector { parts: 0, depth: 0, deepest: 0, ordering: 0 };
    let (Query::Select { pattern, .. }
    | Query::Construct { pattern, .. }
    | Query::Describe { pattern, .. }
    | Query::Ask { pattern, .. }) = query;
    inspector.pattern(pattern, 0)?;
    if let Query::Construct { template, .. } = query {
        template.iter().try_for_each(|triple| inspector.triple(triple))?;
    }
    Ok(Shape { depth: inspector.deepest })
}

struct Inspector {
    parts: usize,
    depth: usize,
    deepest: usize,
    /// About the time for planning: the sum of the fourth powers of the sizes of groups, twice as much in each `OPTIONAL`.
    ordering: usize,
}

impl Inspector {
    /// Looks at something one level deeper.
    fn deeper<T>(
        &mut self,
        look: impl FnOnce(&mut Inspector) -> Result<T, SparqlError>,
    ) -> Result<T, SparqlError> {
        self.parts += 1;
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        if self.depth > DEEPEST {
            return Err(SparqlError::TooComplex { what: "levels of nesting", most: DEEPEST });
        }
        if self.parts > MOST_PARTS {
            return Err(SparqlError::TooComplex { what: "parts", most: MOST_PARTS });
        }
        let result = look(self);
        self.depth -= 1;
        result
    }

    fn pattern(&mut self, pattern: &GraphPattern, optionals: usize) -> Result<(), SparqlError> {
        let joined = self.part_of_group(pattern, optionals)?;
        self.ordering = self.ordering.saturating_add(joined.saturating_pow(4) << optionals);
        // Four groups of the greatest size take about a second.
        if joined > MOST_JOINED || self.ordering > 4 * MOST_JOINED.pow(4) {
            return Err(SparqlError::TooComplex { what: "patterns to be joined", most: MOST_JOINED });
        }
        Ok(())
    }

    /// Returns how many patterns this one adds to a group of patterns that are joined.
    fn part_of_group(&mut self, pattern: &GraphPattern, optionals: usize) -> Result<usize, SparqlError> {
        self.deeper(|this| this.pattern_inside(pattern, optionals))
    }

    fn pattern_inside(&mut self, pattern: &GraphPattern, optionals: usize) -> Result<usize, SparqlError> {
        match pattern {
            GraphPattern::Bgp { patterns } => {
                patterns.iter().try_for_each(|triple| self.triple(triple))?;
                return Ok(patterns.len());
            }
            GraphPattern::Path { subject, path, object } => {
                self.term(subject)?;
                self.path(path)?;
                self.term(object)?;
            }
            GraphPattern::Join { left, right } => {
                return Ok(self.part_of_group(left, optionals)? + self.part_of_group(right, optionals)?);
            }
            GraphPattern::LeftJoin { left, right, expression } => {
                if optionals == MOST_OPTIONALS {
                    let what = "levels of OPTIONAL";
                    return Err(SparqlError::TooComplex { what, most: MOST_OPTIONALS });
                }
                self.pattern(right, optionals + 1)?;
                expression.iter().try_for_each(|expression| self.expression(expression))?;
                return Ok(self.part_of_group(left, optionals)? + 1);
            }
            GraphPattern::Lateral { left, right }
            | GraphPattern::Union { left, right }
            | GraphPattern::Minus { left, right } => {
                self.pattern(left, optionals)?;
                self.pattern(right, optionals)?;
            }
            GraphPattern::Filter { expr, inner } => {
                self.expression(expr)?;
                self.pattern(inner, optionals)?;
            }
            // The name of the graph goes to every pattern inside.
            GraphPattern::Graph { inner, .. } => return self.part_of_group(inner, optionals),
            GraphPattern::Extend { inner, expression, .. } => {
                self.expression(expression)?;
                self.pattern(inner, optionals)?;
            }
            GraphPattern::Values { bindings, .. } => {
                // Rows cost memory only; what is nested in them costs stack.
                let terms = bindings.iter().flatten().flatten();
                terms
                    .filter(|term| matches!(term, GroundTerm::Triple(_)))
                    .try_for_each(|t| self.ground(t))?;
            }
            GraphPattern::OrderBy { inner, expression } => {
                for key in expression {
                    let (OrderExpression::Asc(expression) | OrderExpression::Desc(expression)) = key;
                    self.expression(expression)?;
                }
                self.pattern(inner, optionals)?;
            }
            GraphPattern::Project { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Slice { inner, .. } => {
                self.pattern(inner, optionals)?;
            }
            GraphPattern::Group { inner, aggregates, .. } => {
                for (_, aggregate) in aggregates {
                    if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                        self.expression(expr)?;
                    }
                }
                self.pattern(inner, optionals)?;
            }
            // Also with SILENT: an answer without what was asked for would look like a complete one.
            GraphPattern::Service { name, .. } => {
                return Err(SparqlError::Service {
                    name: match name {
                        NamedNodePattern::NamedNode(iri) => iri.to_string(),
                        NamedNodePattern::Variable(variable) => variable.to_string(),
                    },
                });
            }
        }
        Ok(1)
    }

    fn expression(&mut self, expression: &Expression) -> Result<(), SparqlError> {
        self.deeper(|this| match expression {
            Expression::Exists(pattern) => this.pattern(pattern, 0),
            other => operands(other).into_iter().try_for_each(|operand| this.expression(operand)),
        })
    }

    fn path(&mut self, path: &PropertyPathExpression) -> Result<(), SparqlError> {
        self.deeper(|this| match path {
            PropertyPathExpression::NamedNode(_) | PropertyPathExpression::NegatedPropertySet(_) => Ok(()),
            PropertyPathExpression::Reverse(inner)
            | PropertyPathExpression::ZeroOrMore(inner)
            | PropertyPathExpression::OneOrMore(inner)
            | PropertyPathExpression::ZeroOrOne(inner) => this.path(inner),
            PropertyPathExpression::Sequence(a, b) | PropertyPathExpression::Alternative(a, b) => {
                this.path(a)?;
                this.path(b)
            }
        })
    }

    fn triple(&mut self, triple: &TriplePattern) -> Result<(), SparqlError> {
        self.deeper(|this| {
            this.term(&triple.subject)?;
            this.term(&triple.object)
        })
    }

    fn term(&mut self, term: &TermPattern) -> Result<(), SparqlError> {
        match term {
            TermPattern::Triple(triple) => self.triple(triple),
            _ => Ok(()),
        }
    }

    fn ground(&mut self, term: &GroundTerm) -> Result<(), SparqlError> {
        match term {
            GroundTerm::Triple(triple) => self.deeper(|this| this.ground(&triple.object)),
            GroundTerm::NamedNode(_) | GroundTerm::Literal(_) => Ok(()),
        }
    }
}
