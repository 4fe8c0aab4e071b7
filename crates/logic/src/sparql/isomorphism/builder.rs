//! Makes the tree of a parsed query.

use super::super::Namespaces;
use super::super::statements::{literal_text, path_text};
use super::scopes::Scopes;
use super::{ConditionKind, Node, hash};
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern, OrderExpression};
use spargebra::term::{GroundTerm, Literal, NamedNodePattern, TermPattern, TriplePattern, Variable};
use std::collections::HashSet;
use std::hash::Hash;

/// Maximum depth of queries to compare: this is recursive.
const MAX_DEPTH: usize = 200;

/// Collects the nodes of a query.
#[derive(Default)]
pub(super) struct Builder<'q> {
    pub(super) nodes: Vec<Node>,
    /// All variables, with whether they are blank nodes.
    pub(super) names: Vec<(&'q str, bool)>,
    /// The variables that can be seen, by number.
    seen: Vec<usize>,
    pub(super) conditions: Vec<(usize, ConditionKind)>,
    /// What groups are made by.
    pub(super) keys: Vec<&'q str>,
    depth: usize,
    /// Which names mean something inside a part of the query only.
    pub(super) scopes: Scopes<'q>,
    /// Columns that only give another name to a variable.
    pub(super) aliases: Vec<(&'q str, &'q str)>,
    /// For templates, in which all entities are one and all literals are one: finds the properties that lead to classes, which stay.
    pub(super) template: Option<&'q Namespaces>,
}

impl<'q> Builder<'q> {
    pub(super) fn node(&mut self, tag: impl Hash, ordered: bool, children: Vec<usize>) -> usize {
        self.nodes.push(Node { tag: hash(tag), ordered, children, variable: None });
        self.nodes.len() - 1
    }

    fn leaf(&mut self, tag: impl Hash) -> usize {
        self.node(tag, true, Vec::new())
    }

    /// A thing.
    fn iri(&mut self, iri: &str) -> usize {
        match self.template {
            Some(_) => self.leaf("entity"),
            None => self.leaf(("iri", iri)),
        }
    }

    fn literal(&mut self, literal: &Literal) -> usize {
        match self.template {
            Some(_) => self.leaf("literal"),
            None => self.leaf(("literal", literal_text(literal))),
        }
    }

    fn condition(&mut self, kind: ConditionKind, node: usize) -> usize {
        self.conditions.push((node, kind));
        node
    }

    /// The variable that a column gives another name to, or the column itself.
    pub(super) fn source(&self, column: &'q str) -> &'q str {
        self.aliases.iter().find(|(name, _)| *name == column).map_or(column, |(_, source)| source)
    }

    pub(super) fn variable(&mut self, name: &'q str, is_blank: bool) -> usize {
        let known = self.seen.iter().copied().find(|&known| self.names[known] == (name, is_blank));
        let number = known.unwrap_or_else(|| {
            self.names.push((name, is_blank));
            self.seen.push(self.names.len() - 1);
            self.names.len() - 1
        });
        self.nodes.push(Node {
            tag: hash("variable"),
            ordered: true,
            children: Vec::new(),
            variable: Some(number),
        });
        self.nodes.len() - 1
    }

    /// One level further down.
    fn deeper(&mut self, build: impl FnOnce(&mut Self) -> Option<usize>) -> Option<usize> {
        self.depth += 1;
        let found = if self.depth > MAX_DEPTH { None } else { build(self) };
        self.depth -= 1;
        found
    }

    /// A part with names of its own: a branch of a union, or what is excluded.
    fn part_of_its_own(&mut self, pattern: &'q GraphPattern) -> Option<usize> {
        let part = self.group(pattern)?;
        let (names, local) = (&self.names, self.scopes.leave());
        self.seen.retain(|&number| !local.contains(names[number].0));
        Some(part)
    }

    /// What is excluded or must exist.
    fn body(&mut self, pattern: &'q GraphPattern) -> Option<usize> {
        self.scopes.enter_body(pattern);
        self.part_of_its_own(pattern)
    }

    /// What is joined, in any order, with the filters on it.
    pub(super) fn group(&mut self, pattern: &'q GraphPattern) -> Option<usize> {
        self.group_without(pattern, &|_| false)
    }

    /// The same without some of its filters.
    pub(super) fn group_without(
        &mut self,
        pattern: &'q GraphPattern,
        is_ignored: &dyn Fn(&Expression) -> bool,
    ) -> Option<usize> {
        self.deeper(|builder| {
            let mut parts = Vec::new();
            let mut inner = pattern;
            let kind = kind_of_filters(pattern);
            while let GraphPattern::Filter { expr, inner: filtered } = inner {
                for conjunct in operands(expr, |e| match e {
                    Expression::And(left, right) => Some((left, right)),
                    _ => None,
                }) {
                    if is_ignored(conjunct) {
                        continue;
                    }
                    let condition = builder.expression(conjunct)?;
                    let condition = builder.node("filter", true, vec![condition]);
                    parts.push(builder.condition(kind, condition));
                }
                inner = filtered;
            }
            // What is bound or subtracted can be in any order, too, unless one uses what a later one binds.
            let mut later: HashSet<&str> = HashSet::new();
            while let GraphPattern::Extend { inner: extended, variable, expression } = inner {
                if !is_independent(expression, &later) {
                    break;
                }
                later.insert(variable.as_str());
                parts.push(builder.bound(variable, expression)?);
                inner = extended;
            }
            while let GraphPattern::Minus { left, right } = inner {
                let subtracted = builder.body(right)?;
                let minus = builder.node("minus", true, vec![subtracted]);
                parts.push(builder.condition(ConditionKind::Minus, minus));
                inner = left;
            }
            // In a simplified query, optional parts that follow each other do not depend on each other.
            while let GraphPattern::LeftJoin { left, right, expression } = inner {
                parts.push(builder.optional(right, expression.as_ref())?);
                inner = left;
            }
            let mut joined = vec![inner];
            while let Some(pattern) = joined.pop() {
                match pattern {
                    GraphPattern::Join { left, right } => joined.extend([right.as_ref(), left.as_ref()]),
                    GraphPattern::Bgp { patterns } => {
                        for triple in patterns {
                            parts.push(builder.triple(triple));
                        }
                    }
                    GraphPattern::Filter { .. } => parts.push(builder.group(pattern)?),
                    GraphPattern::Extend { .. } | GraphPattern::Minus { .. }
                        if !std::ptr::eq(pattern, inner) =>
                    {
                        parts.push(builder.group(pattern)?);
                    }
                    other => parts.push(builder.part(other)?),
                }
            }
            Some(match parts[..] {
                [part] => part,
                _ => builder.node("group", false, parts),
            })
        })
    }

    fn part(&mut self, pattern: &'q GraphPattern) -> Option<usize> {
        Some(match pattern {
            GraphPattern::Path { subject, path, object } => {
                let (text, is_reversed) = path_text(path);
                let (subject, object) = (self.term(subject), self.term(object));
                let ends =
                    if is_reversed == Some(true) { vec![object, subject] } else { vec![subject, object] };
                self.node(("path", text), is_reversed.is_some(), ends)
            }
            GraphPattern::Union { .. } => {
                let mut found = Vec::new();
                let mut stack = vec![pattern];
                while let Some(pattern) = stack.pop() {
                    match pattern {
                        GraphPattern::Union { left, right } => stack.extend([right.as_ref(), left.as_ref()]),
                        branch => found.push(branch),
                    }
                }
                let local = self.scopes.local_to_union(pattern);
                let mut branches = Vec::new();
                for branch in found {
                    self.scopes.enter_branch(branch, &local);
                    branches.push(self.part_of_its_own(branch)?);
                }
                let union = self.node("union", false, branches);
                self.condition(ConditionKind::Union, union)
            }
            GraphPattern::LeftJoin { left, right, expression } => {
                let children = vec![self.group(left)?, self.optional(right, expression.as_ref())?];
                self.node("optional join", true, children)
            }
            GraphPattern::Minus { left, right } => {
                let children = vec![self.group(left)?, self.body(right)?];
                let minus = self.node("subtracted", true, children);
                self.condition(ConditionKind::Minus, minus)
            }
            GraphPattern::Lateral { left, right } => {
                let children = vec![self.group(left)?, self.group(right)?];
                self.node("lateral", true, children)
            }
            GraphPattern::Graph { name, inner } => {
                let children = vec![self.name(name), self.group(inner)?];
                self.node("graph", true, children)
            }
            GraphPattern::Service { name, inner, silent } => {
                let children = vec![self.name(name), self.group(inner)?];
                self.node(("service", silent), true, children)
            }
            GraphPattern::Extend { inner, variable, expression } => {
                let inner = self.group(inner)?;
                let bound = self.bound(variable, expression)?;
                self.node("extend", true, vec![inner, bound])
            }
            GraphPattern::Values { variables, bindings } => self.values(variables, bindings),
            GraphPattern::OrderBy { inner, expression } => self.ordered(inner, expression)?,
            GraphPattern::Project { inner, variables } => self.projected(inner, variables)?,
            GraphPattern::Distinct { inner } => {
                let inner = self.group(inner)?;
                let distinct = self.leaf("no repetition");
                self.condition(ConditionKind::Distinct, distinct);
                self.node("distinct", true, vec![inner, distinct])
            }
            GraphPattern::Reduced { inner } => {
                let inner = self.group(inner)?;
                self.node("reduced", true, vec![inner])
            }
            GraphPattern::Slice { inner, start, length } => {
                let inner = self.group(inner)?;
                let limit = self.leaf(("limit", length));
                if length.is_some() {
                    self.condition(ConditionKind::Limit, limit);
                }
                let offset = self.leaf(("offset", start));
                if *start > 0 {
                    self.condition(ConditionKind::Offset, offset);
                }
                self.node("sliced", true, vec![inner, limit, offset])
            }
            GraphPattern::Group { inner, variables, aggregates } => {
                self.grouped(inner, variables, aggregates)?
            }
            GraphPattern::Bgp { .. } | GraphPattern::Join { .. } | GraphPattern::Filter { .. } => {
                self.group(pattern)?
            }
        })
    }

    /// What a variable is bound to.
    fn bound(&mut self, variable: &'q Variable, expression: &'q Expression) -> Option<usize> {
        let expression = self.expression(expression)?;
        let variable = self.variable(variable.as_str(), false);
        let bound = self.node("bind", true, vec![variable, expression]);
        Some(self.condition(ConditionKind::Expression, bound))
    }

    /// An optional part with its conditions.
    fn optional(&mut self, pattern: &'q GraphPattern, condition: Option<&'q Expression>) -> Option<usize> {
        let mut children = vec![self.group(pattern)?];
        let conjuncts = condition.map(|condition| {
            operands(condition, |e| match e {
                Expression::And(left, right) => Some((left, right)),
                _ => None,
            })
        });
        for conjunct in conjuncts.into_iter().flatten() {
            let condition = self.expression(conjunct)?;
            let condition = self.node("filter", true, vec![condition]);
            children.push(self.condition(ConditionKind::Filter, condition));
        }
        let optional = self.node("optional", false, children);
        Some(self.condition(ConditionKind::Optional, optional))
    }

    /// A table of values.
    fn values(&mut self, variables: &'q [Variable], bindings: &'q [Vec<Option<GroundTerm>>]) -> usize {
        let mut rows = Vec::new();
        for row in bindings {
            let mut cells = Vec::new();
            for (variable, term) in variables.iter().zip(row) {
                let variable = self.variable(variable.as_str(), false);
                let term = match term {
                    Some(GroundTerm::NamedNode(iri)) => self.iri(iri.as_str()),
                    Some(GroundTerm::Literal(literal)) => self.literal(literal),
                    Some(other) => self.leaf(("term", other.to_string())),
                    None => self.leaf("undef"),
                };
                cells.push(self.node("cell", true, vec![variable, term]));
            }
            rows.push(self.node("row", false, cells));
        }
        self.node("values", false, rows)
    }

    /// Solutions in an order.
    fn ordered(&mut self, inner: &'q GraphPattern, expression: &'q [OrderExpression]) -> Option<usize> {
        let mut orders = Vec::new();
        for order in expression {
            let (way, expression) = match order {
                OrderExpression::Asc(expression) => ("ascending", expression),
                OrderExpression::Desc(expression) => ("descending", expression),
            };
            let expression = self.expression(expression)?;
            let order = self.node(way, true, vec![expression]);
            orders.push(self.condition(ConditionKind::Order, order));
        }
        orders.insert(0, self.group(inner)?);
        Some(self.node("ordered", true, orders))
    }

    /// The columns of a nested query.
    fn projected(&mut self, inner: &'q GraphPattern, variables: &'q [Variable]) -> Option<usize> {
        // What is not projected cannot be seen from outside, whatever its name.
        let mut projected: Vec<usize> =
            variables.iter().map(|variable| self.variable(variable.as_str(), false)).collect();
        let numbers: Vec<usize> = projected.iter().filter_map(|&node| self.nodes[node].variable).collect();
        let outside = std::mem::replace(&mut self.seen, numbers);
        let inner = self.group(inner)?;
        self.seen = outside;
        projected.push(inner);
        Some(self.node("project", false, projected))
    }

    /// Groups of solutions.
    fn grouped(
        &mut self,
        inner: &'q GraphPattern,
        variables: &'q [Variable],
        aggregates: &'q [(Variable, AggregateExpression)],
    ) -> Option<usize> {
        let inner = self.group(inner)?;
        self.keys.extend(variables.iter().map(Variable::as_str));
        let keys = variables.iter().map(|key| self.variable(key.as_str(), false)).collect();
        let keys = self.node("keys", false, keys);
        let mut found = Vec::new();
        for (variable, aggregate) in aggregates {
            let aggregate = self.aggregate(aggregate)?;
            let variable = self.variable(variable.as_str(), false);
            let aggregate = self.node("aggregate", true, vec![variable, aggregate]);
            found.push(self.condition(ConditionKind::Aggregate, aggregate));
        }
        let found = self.node("aggregates", false, found);
        Some(self.node("grouped", true, vec![inner, keys, found]))
    }

    fn aggregate(&mut self, aggregate: &'q AggregateExpression) -> Option<usize> {
        Some(match aggregate {
            AggregateExpression::CountSolutions { distinct } => self.leaf(("count *", distinct)),
            AggregateExpression::FunctionCall { name, expr, distinct } => {
                let name = match name {
                    AggregateFunction::GroupConcat { separator } => format!("group_concat {separator:?}"),
                    other => other.to_string(),
                };
                let inner = self.expression(expr)?;
                self.node(("call", name, distinct), true, vec![inner])
            }
        })
    }

    pub(super) fn triple(&mut self, triple: &'q TriplePattern) -> usize {
        let is_type = |names: &Namespaces| matches!(&triple.predicate, NamedNodePattern::NamedNode(p) if names.is_type(p.as_str()));
        let (subject, predicate) = (self.term(&triple.subject), self.name(&triple.predicate));
        let object = match &triple.object {
            TermPattern::NamedNode(class) if self.template.is_some_and(is_type) => {
                self.leaf(("iri", class.as_str()))
            }
            object => self.term(object),
        };
        self.node("triple", true, vec![subject, predicate, object])
    }

    fn name(&mut self, name: &'q NamedNodePattern) -> usize {
        match name {
            NamedNodePattern::NamedNode(iri) => self.leaf(("iri", iri.as_str())),
            NamedNodePattern::Variable(variable) => self.variable(variable.as_str(), false),
        }
    }

    fn term(&mut self, term: &'q TermPattern) -> usize {
        match term {
            TermPattern::NamedNode(iri) => self.iri(iri.as_str()),
            TermPattern::Literal(literal) => self.literal(literal),
            TermPattern::Variable(variable) => self.variable(variable.as_str(), false),
            TermPattern::BlankNode(node) => self.variable(node.as_str(), true),
            TermPattern::Triple(triple) => {
                let triple = self.triple(triple);
                self.node("quoted", true, vec![triple])
            }
        }
    }

    fn expression(&mut self, expression: &'q Expression) -> Option<usize> {
        self.deeper(|builder| builder.expression_here(expression))
    }

    fn expression_here(&mut self, expression: &'q Expression) -> Option<usize> {
        let (tag, ordered, operands): (&str, bool, Vec<&Expression>) = match expression {
            Expression::NamedNode(iri) => return Some(self.iri(iri.as_str())),
            Expression::Literal(literal) => return Some(self.literal(literal)),
            Expression::Variable(variable) => return Some(self.variable(variable.as_str(), false)),
            Expression::Bound(variable) => {
                let variable = self.variable(variable.as_str(), false);
                return Some(self.node("bound", true, vec![variable]));
            }
            Expression::Exists(pattern) => {
                let inner = self.body(pattern)?;
                return Some(self.node("exists", true, vec![inner]));
            }
            Expression::And(..) => {
                let all = operands(expression, |e| match e {
                    Expression::And(left, right) => Some((left, right)),
                    _ => None,
                });
                ("and", false, all)
            }
            Expression::Or(..) => {
                let all = operands(expression, |e| match e {
                    Expression::Or(left, right) => Some((left, right)),
                    _ => None,
                });
                ("or", false, all)
            }
            Expression::Equal(left, right) => ("=", false, vec![left, right]),
            Expression::SameTerm(left, right) => ("sameTerm", false, vec![left, right]),
            Expression::Less(left, right) | Expression::Greater(right, left) => {
                ("<", true, vec![left, right])
            }
            Expression::LessOrEqual(left, right) | Expression::GreaterOrEqual(right, left) => {
                ("<=", true, vec![left, right])
            }
            Expression::Add(left, right) => ("+", false, vec![left, right]),
            Expression::Subtract(left, right) => ("-", true, vec![left, right]),
            Expression::Multiply(left, right) => ("*", false, vec![left, right]),
            Expression::Divide(left, right) => ("/", true, vec![left, right]),
            Expression::UnaryPlus(inner) => ("+ of one", true, vec![inner]),
            Expression::UnaryMinus(inner) => ("- of one", true, vec![inner]),
            Expression::Not(inner) => ("not", true, vec![inner]),
            Expression::If(condition, yes, no) => ("if", true, vec![condition, yes, no]),
            Expression::Coalesce(list) => ("coalesce", true, list.iter().collect()),
            Expression::In(left, list) => {
                let left = self.expression(left)?;
                let list = list.iter().map(|item| self.expression(item)).collect::<Option<Vec<_>>>()?;
                let list = self.node("list", false, list);
                return Some(self.node("in", true, vec![left, list]));
            }
            Expression::FunctionCall(function, arguments) => {
                let children =
                    arguments.iter().map(|item| self.expression(item)).collect::<Option<Vec<_>>>()?;
                return Some(self.node(("call", function.to_string()), true, children));
            }
        };
        let children = operands.into_iter().map(|e| self.expression(e)).collect::<Option<Vec<_>>>()?;
        Some(self.node(tag, ordered, children))
    }
}

/// Filters around groups are conditions on these.
fn kind_of_filters(mut pattern: &GraphPattern) -> ConditionKind {
    while let GraphPattern::Filter { inner, .. } = pattern {
        pattern = inner;
    }
    match pattern {
        GraphPattern::Group { .. } => ConditionKind::Having,
        _ => ConditionKind::Filter,
    }
}

/// Whether an expression does not depend on some variables, as far as can be seen.
fn is_independent(expression: &Expression, of: &HashSet<&str>) -> bool {
    let mut stack = vec![expression];
    while let Some(expression) = stack.pop() {
        match expression {
            Expression::Variable(variable) | Expression::Bound(variable)
                if of.contains(variable.as_str()) =>
            {
                return false;
            }
            Expression::Exists(_) if !of.is_empty() => return false,
            other => super::super::operands(other, &mut stack),
        }
    }
    true
}

/// The operands of an operator that nests.
fn operands<'e>(
    expression: &'e Expression,
    split: impl Fn(&'e Expression) -> Option<(&'e Expression, &'e Expression)>,
) -> Vec<&'e Expression> {
    let (mut found, mut stack) = (Vec::new(), vec![expression]);
    while let Some(expression) = stack.pop() {
        match split(expression) {
            Some((left, right)) => stack.extend([right, left]),
            None => found.push(expression),
        }
    }
    found
}
