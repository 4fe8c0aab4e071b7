//! Decides which queries are evaluated at all.
//!
//! Planning cannot be interrupted, and a stack overflow ends the process. Therefore the size and depth of a query are limited before
//! anything else happens. The limits are far beyond the queries that people and programs write.

use super::SparqlError;
use super::walk::operands;
use spargebra::Query;
use spargebra::algebra::{
    AggregateExpression, Expression, GraphPattern, OrderExpression, PropertyPathExpression,
};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};

/// Maximum nesting depth; `a || b || c` and `A UNION B UNION C` are nested, too.
pub(super) const DEEPEST: usize = 1000;
/// Maximum number of patterns, expressions and steps of paths.
const MOST_PARTS: usize = 20_000;
/// Maximum number of patterns and `OPTIONAL`s in one group. The time to order them grows with the fourth power.
const MOST_JOINED: usize = 64;
/// Maximum depth of `OPTIONAL` within `OPTIONAL`. Each level may double the time for planning.
const MOST_OPTIONALS: usize = 10;

/// Properties of an admitted query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Nesting depth.
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

/// Up to this depth, a query can be compiled and run on the stack of the caller.
const SHALLOW: usize = 40;

/// Whether a query may be evaluated, and is not nested deeply.
pub(crate) fn is_shallow(query: &Query) -> bool {
    admit(query).is_ok_and(|shape| shape.depth <= SHALLOW)
}

struct Inspector {
    parts: usize,
    depth: usize,
    deepest: usize,
    /// An estimate of the time for planning: the sum of the fourth powers of the sizes of groups, doubled in each `OPTIONAL`.
    ordering: usize,
}

impl Inspector {
    /// Visits something one level deeper.
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
        // Four groups of the maximum size take about a second.
        if joined > MOST_JOINED || self.ordering > 4 * MOST_JOINED.pow(4) {
            return Err(SparqlError::TooComplex { what: "patterns to be joined", most: MOST_JOINED });
        }
        Ok(())
    }

    /// Returns the number of patterns that this one adds to a group of joined patterns.
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
            // The name of the graph is added to every pattern inside.
            GraphPattern::Graph { inner, .. } => return self.part_of_group(inner, optionals),
            GraphPattern::Extend { inner, expression, .. } => {
                self.expression(expression)?;
                self.pattern(inner, optionals)?;
            }
            GraphPattern::Values { bindings, .. } => {
                // Rows cost only memory; nesting inside them costs stack.
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
            // Also with SILENT: incomplete results would look complete.
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
