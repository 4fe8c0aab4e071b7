//! From the parser's nested patterns to flat groups.

use super::group::{Group, Path, Table};
use super::select::Select;
use super::variables::{self, Names};
use super::{Simplifier, languages, paths, texts};
use spargebra::algebra::{Expression, GraphPattern, PropertyPathExpression};
use spargebra::term::{BlankNode, GroundTerm, NamedNode, NamedNodePattern, TermPattern, TriplePattern};

/// The service that gives names to the variables of a query: `?xLabel` for `?x`.
const LABEL_SERVICE: &str = "http://wikiba.se/ontology#label";

impl Simplifier {
    /// A pattern, laid out flat.
    pub(super) fn group(&mut self, pattern: &GraphPattern) -> Option<Group> {
        self.depth += 1;
        let group = if self.depth > super::MAX_DEPTH { None } else { self.group_here(pattern) };
        self.depth -= 1;
        group
    }

    fn group_here(&mut self, pattern: &GraphPattern) -> Option<Group> {
        Some(match pattern {
            GraphPattern::Bgp { patterns } => Group { triples: patterns.clone(), ..Group::default() },
            GraphPattern::Path { subject, path, object } => {
                self.path(subject, &paths::one_way(path, self.rows_count), object)
            }
            GraphPattern::Join { left, right } => self.group(left)?.join(self.group(right)?),
            GraphPattern::Filter { expr, inner } => {
                let mut group = self.group(inner)?;
                for conjunct in conjuncts(expr) {
                    let conjunct = self.expression(conjunct.clone())?;
                    group.filters.push(conjunct);
                }
                group
            }
            GraphPattern::Union { .. } => {
                let mut branches = Vec::new();
                let mut stack = vec![pattern];
                while let Some(pattern) = stack.pop() {
                    match pattern {
                        GraphPattern::Union { left, right } => stack.extend([right.as_ref(), left.as_ref()]),
                        branch => branches.push(self.group(branch)?),
                    }
                }
                let listed = Group::list_of_branches(&branches, self);
                listed.unwrap_or_else(|| Group { unions: vec![branches], ..Group::default() })
            }
            GraphPattern::LeftJoin { left, right, expression } => {
                let left = self.group(left)?;
                let mut right = self.group(right)?;
                let mut conditions = Vec::new();
                for conjunct in expression.iter().flat_map(conjuncts) {
                    conditions.push(self.expression(conjunct.clone())?);
                }
                // A filter inside an optional part is a condition of it; the parser writes both alike.
                conditions.append(&mut right.filters);
                if right.is_empty() { left } else { left.with_optional(right, conditions) }
            }
            GraphPattern::Minus { left, right } => {
                let (left, right) = (self.group(left)?, self.group(right)?);
                subtract(left, right)
            }
            GraphPattern::Extend { inner, variable, expression } => {
                let mut group = self.group(inner)?;
                match constant(expression) {
                    Some(term) => group.join(Group {
                        values: vec![Table {
                            variables: vec![variable.clone()],
                            rows: vec![vec![Some(term)]],
                        }],
                        ..Group::default()
                    }),
                    None => {
                        let expression = self.expression(expression.clone())?;
                        group.binds.push((variable.clone(), expression));
                        group
                    }
                }
            }
            GraphPattern::Values { variables, bindings } => Group {
                values: vec![Table { variables: variables.clone(), rows: bindings.clone() }],
                ..Group::default()
            },
            GraphPattern::Service { name: NamedNodePattern::NamedNode(name), inner, .. }
                if name.as_str() == LABEL_SERVICE =>
            {
                self.names_by_service(inner)
            }
            GraphPattern::Project { .. }
            | GraphPattern::Distinct { .. }
            | GraphPattern::Reduced { .. }
            | GraphPattern::Slice { .. }
            | GraphPattern::OrderBy { .. }
            | GraphPattern::Group { .. } => self.nested_select(pattern)?,
            GraphPattern::Graph { .. } | GraphPattern::Service { .. } | GraphPattern::Lateral { .. } => {
                Group::opaque(pattern.clone())
            }
        })
    }

    /// The label service gives names to variables, and binds nothing else.
    fn names_by_service(&mut self, pattern: &GraphPattern) -> Group {
        self.label_service = true;
        self.service_languages.extend(languages::of_service(pattern));
        Group::default()
    }

    /// A nested SELECT: its pattern where it only hides variables, else as it is.
    fn nested_select(&mut self, pattern: &GraphPattern) -> Option<Group> {
        let outer_service = std::mem::replace(&mut self.label_service, false);
        let mut select = Select::of(pattern, self)?;
        select.simplify(self, false);
        self.label_service = outer_service;
        let mut visible = Names::default();
        select.columns.iter().for_each(|column| visible.add(column.name.as_str()));
        let hidden: Vec<String> =
            select.group.scope().iter().filter(|name| !visible.has(name)).map(str::to_owned).collect();
        // Without its variables, a row may come up more than once.
        let removes_repetition = self.rows_count && select.distinct && !hidden.is_empty();
        if !select.is_plain() || removes_repetition {
            return Some(Group::opaque(select.pattern(self.rows_count)));
        }
        let Select { mut group, .. } = select;
        for name in hidden {
            let new = self.fresh();
            group.rename(&name, &new);
        }
        Some(group)
    }

    /// The group of a pattern, in which it matters or not how often each row comes up.
    pub(super) fn group_in(&mut self, pattern: &GraphPattern, rows_count: bool) -> Option<Group> {
        let outer = std::mem::replace(&mut self.rows_count, rows_count);
        let group = self.group(pattern);
        self.rows_count = outer;
        group
    }

    /// A name that no variable of the query has.
    pub(super) fn fresh(&mut self) -> String {
        self.fresh += 1;
        format!("hidden {}", self.fresh)
    }

    /// A path: sequences, inverses and alternatives of steps become triples and unions.
    fn path(&mut self, subject: &TermPattern, path: &PropertyPathExpression, object: &TermPattern) -> Group {
        match path {
            PropertyPathExpression::NamedNode(iri) => {
                Group { triples: triple(subject, iri, object), ..Group::default() }
            }
            PropertyPathExpression::Reverse(inner) => self.path(object, inner, subject),
            PropertyPathExpression::Sequence(first, second) => {
                let middle = TermPattern::BlankNode(BlankNode::new_unchecked(self.fresh().replace(' ', "")));
                let first = self.path(subject, first, &middle);
                first.join(self.path(&middle, second, object))
            }
            PropertyPathExpression::Alternative(..) => {
                let mut branches = Vec::new();
                let mut stack = vec![path];
                while let Some(path) = stack.pop() {
                    match path {
                        PropertyPathExpression::Alternative(left, right) => {
                            stack.extend([right.as_ref(), left.as_ref()]);
                        }
                        branch => branches.push(self.path(subject, branch, object)),
                    }
                }
                Group { unions: vec![branches], ..Group::default() }
            }
            PropertyPathExpression::ZeroOrMore(_)
            | PropertyPathExpression::OneOrMore(_)
            | PropertyPathExpression::ZeroOrOne(_)
            | PropertyPathExpression::NegatedPropertySet(_) => {
                let path = Path { subject: subject.clone(), path: path.clone(), object: object.clone() };
                Group { paths: vec![path], ..Group::default() }
            }
        }
    }

    /// An expression whose EXISTS patterns are laid out in the same order.
    pub(super) fn expression(&mut self, mut expression: Expression) -> Option<Expression> {
        let mut stack = vec![&mut expression];
        while let Some(expression) = stack.pop() {
            texts::plain_search(expression);
            match expression {
                Expression::Exists(pattern) => {
                    let mut group = self.group_in(pattern, false)?;
                    group.rewrite_conditions(false);
                    group.deduplicate();
                    **pattern = group.pattern();
                }
                other => variables::operands_mut(other, &mut stack),
            }
        }
        Some(expression)
    }
}

fn triple(subject: &TermPattern, predicate: &NamedNode, object: &TermPattern) -> Vec<TriplePattern> {
    vec![TriplePattern {
        subject: subject.clone(),
        predicate: NamedNodePattern::NamedNode(predicate.clone()),
        object: object.clone(),
    }]
}

/// The conditions that `&&` joins.
pub(in super::super) fn conjuncts(expression: &Expression) -> Vec<&Expression> {
    let (mut found, mut stack) = (Vec::new(), vec![expression]);
    while let Some(expression) = stack.pop() {
        match expression {
            Expression::And(left, right) => stack.extend([right.as_ref(), left.as_ref()]),
            other => found.push(other),
        }
    }
    found
}

/// The term of an expression without variables and functions.
fn constant(expression: &Expression) -> Option<GroundTerm> {
    match expression {
        Expression::NamedNode(iri) => Some(GroundTerm::NamedNode(iri.clone())),
        Expression::Literal(literal) => Some(GroundTerm::Literal(literal.clone())),
        _ => None,
    }
}

/// MINUS says the same as NOT EXISTS where both sides certainly bind what they share, and nothing where they share nothing.
fn subtract(mut left: Group, right: Group) -> Group {
    let (inside, outside) = (right.scope(), left.scope());
    if inside.is_disjoint(&outside) {
        return left;
    }
    let (left_certain, right_certain) = (left.certain(), right.certain());
    let certain = inside
        .iter()
        .filter(|name| outside.has(name))
        .all(|name| left_certain.has(name) && right_certain.has(name));
    let closed = right.filters.iter().all(|filter| {
        let mut names = Names::default();
        variables::of_expression(filter, &mut names);
        names.iter().all(|name| right_certain.has(name))
    });
    if certain && closed && right.nested.is_empty() && right.optionals.is_empty() && right.binds.is_empty() {
        let exists = Expression::Exists(Box::new(right.pattern()));
        left.filters.push(Expression::Not(Box::new(exists)));
        left
    } else {
        left.without(right)
    }
}
