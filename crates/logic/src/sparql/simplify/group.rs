//! A group of patterns, laid out flat.
//!
//! A group means: join the triples, paths, unions, tables and nested patterns; then the optional parts, then what is subtracted, then what is
//! bound, then the filters. A pattern that means something else in this order stays nested, so nothing here changes the answers.

use super::variables::{self, Names};
use spargebra::algebra::{Expression, GraphPattern, PropertyPathExpression};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern, Variable};
use std::collections::BTreeMap;

/// Joined patterns with what applies to all of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Group {
    pub(super) triples: Vec<TriplePattern>,
    pub(super) paths: Vec<Path>,
    pub(super) unions: Vec<Vec<Group>>,
    pub(super) values: Vec<Table>,
    /// Patterns that cannot be laid out flat.
    pub(super) nested: Vec<GraphPattern>,
    pub(super) optionals: Vec<Optional>,
    pub(super) minus: Vec<Group>,
    pub(super) binds: Vec<(Variable, Expression)>,
    pub(super) filters: Vec<Expression>,
}

/// A property path that is not a plain step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Path {
    pub(super) subject: TermPattern,
    pub(super) path: PropertyPathExpression,
    pub(super) object: TermPattern,
}

/// Listed values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub(super) variables: Vec<Variable>,
    pub(super) rows: Vec<Vec<Option<GroundTerm>>>,
}

/// An optional part, with the conditions under which it is joined.
#[derive(Debug, Clone)]
pub(super) struct Optional {
    pub(super) group: Group,
    pub(super) conditions: Vec<Expression>,
}

impl Group {
    /// A pattern that stays as it is.
    pub(super) fn opaque(pattern: GraphPattern) -> Group {
        Group { nested: vec![pattern], ..Group::default() }
    }

    /// Whether there is nothing in it.
    pub(super) fn is_empty(&self) -> bool {
        self.triples.is_empty()
            && self.paths.is_empty()
            && self.unions.is_empty()
            && self.values.is_empty()
            && self.nested.is_empty()
            && self.optionals.is_empty()
            && self.minus.is_empty()
            && self.binds.is_empty()
            && self.filters.is_empty()
    }

    /// Whether no solution comes up twice, because it is made of nothing but triples and paths.
    pub(super) fn is_set(&self) -> bool {
        self.unions.is_empty()
            && self.values.is_empty()
            && self.nested.is_empty()
            && self.optionals.is_empty()
            && self.binds.is_empty()
            // A pair may come up once for each of several properties.
            && self.paths.iter().all(|path| !matches!(path.path, PropertyPathExpression::NegatedPropertySet(_)))
    }

    /// The variables that every solution binds.
    pub(super) fn certain(&self) -> Names {
        let mut names = Names::default();
        for triple in &self.triples {
            variables::of_triple(triple, &mut names);
        }
        for path in &self.paths {
            variables::of_term(&path.subject, &mut names);
            variables::of_term(&path.object, &mut names);
        }
        for branches in &self.unions {
            let mut branches = branches.iter().map(Group::certain);
            if let Some(first) = branches.next() {
                names.extend(branches.fold(first, |all, branch| all.and(&branch)));
            }
        }
        for table in &self.values {
            for (at, variable) in table.variables.iter().enumerate() {
                if table.rows.iter().all(|row| row.get(at).is_some_and(Option::is_some)) {
                    names.add(variable.as_str());
                }
            }
        }
        names
    }

    /// All variables that can be seen from outside.
    pub(super) fn scope(&self) -> Names {
        let mut names = self.certain();
        self.unions.iter().flatten().for_each(|branch| names.extend(branch.scope()));
        self.values.iter().flat_map(|table| &table.variables).for_each(|v| names.add(v.as_str()));
        for pattern in &self.nested {
            variables::in_scope(pattern, &mut names);
        }
        self.optionals.iter().for_each(|optional| names.extend(optional.group.scope()));
        self.binds.iter().for_each(|(variable, _)| names.add(variable.as_str()));
        names
    }

    /// All variables that occur in it, those of conditions included.
    pub(super) fn names(&self) -> Names {
        let mut names = self.scope();
        let expressions = self.filters.iter().chain(self.binds.iter().map(|(_, expression)| expression));
        expressions.for_each(|expression| variables::of_expression(expression, &mut names));
        for branch in self.unions.iter().flatten().chain(&self.minus) {
            names.extend(branch.names());
        }
        for Optional { group, conditions } in &self.optionals {
            names.extend(group.names());
            conditions.iter().for_each(|condition| variables::of_expression(condition, &mut names));
        }
        names
    }

    /// Whether a variable occurs anywhere in it.
    pub(super) fn mentions(&self, name: &str) -> bool {
        self.names().has(name)
    }

    /// Visits the branches of unions and the optional parts, with those of their names that are used around them.
    pub(super) fn each_part(&mut self, used: &Names, visit: &mut dyn FnMut(&mut Group, &Names)) {
        if self.unions.is_empty() && self.optionals.is_empty() {
            return;
        }
        let (unions, mut optionals) = (std::mem::take(&mut self.unions), std::mem::take(&mut self.optionals));
        let mut own = self.names();
        own.extend(used.clone());
        for condition in optionals.iter().flat_map(|optional| &optional.conditions) {
            variables::of_expression(condition, &mut own);
        }
        // In how many places each name is. The branches of a union do not see each other.
        let mut places: BTreeMap<String, usize> = own.iter().map(|name| (name.to_owned(), 1)).collect();
        let mut add =
            |names: &Names| names.iter().for_each(|name| *places.entry(name.to_owned()).or_default() += 1);
        let mut unions: Vec<(Vec<Group>, Names)> = unions
            .into_iter()
            .map(|branches| {
                let mut names = Names::default();
                branches.iter().for_each(|branch| names.extend(branch.names()));
                add(&names);
                (branches, names)
            })
            .collect();
        let of_optionals: Vec<Names> = optionals.iter().map(|optional| optional.group.names()).collect();
        of_optionals.iter().for_each(add);
        let around = |names: &Names| {
            let is_shared = |name: &&str| places.get(*name).is_some_and(|&n| n > 1);
            names.iter().filter(is_shared).map(str::to_owned).collect::<Names>()
        };
        for (branches, names) in &mut unions {
            let around = around(names);
            branches.iter_mut().for_each(|branch| visit(branch, &around));
        }
        for (optional, names) in optionals.iter_mut().zip(&of_optionals) {
            visit(&mut optional.group, &around(names));
        }
        self.unions = unions.into_iter().map(|(branches, _)| branches).collect();
        self.optionals = optionals;
    }

    /// Joins two groups; what cannot be laid out flat is nested.
    pub(super) fn join(mut self, other: Group) -> Group {
        let left = self.nested_unless(&other);
        let right = other.nested_unless(&left);
        self = left;
        self.triples.extend(right.triples);
        self.paths.extend(right.paths);
        self.unions.extend(right.unions);
        self.values.extend(right.values);
        self.nested.extend(right.nested);
        self.optionals.extend(right.optionals);
        self.minus.extend(right.minus);
        self.binds.extend(right.binds);
        self.filters.extend(right.filters);
        self
    }

    /// The group itself if it may be merged with another one, else nested.
    fn nested_unless(self, other: &Group) -> Group {
        let outside = other.scope();
        let certain = self.certain();
        let clashes = |names: &Names| names.iter().any(|name| !certain.has(name) && outside.has(name));
        let free = |names: Names| names.iter().any(|name| !certain.has(name));
        let of = |expression: &Expression| {
            let mut names = Names::default();
            variables::of_expression(expression, &mut names);
            names
        };
        let blocked = self.optionals.iter().any(|optional| clashes(&optional.group.scope()))
            || self.minus.iter().any(|minus| clashes(&minus.scope()))
            || self.filters.iter().any(|filter| clashes(&of(filter)))
            || self.binds.iter().any(|(variable, expression)| {
                outside.has(variable.as_str()) || clashes(&of(expression)) || {
                    let uses = other.filters.iter().any(|filter| of(filter).has(variable.as_str()));
                    uses && free(of(expression))
                }
            });
        if blocked { Group::opaque(self.pattern()) } else { self }
    }

    /// Adds an optional part.
    pub(super) fn with_optional(self, group: Group, conditions: Vec<Expression>) -> Group {
        let certain = self.certain();
        let inside = group.scope();
        let new = |name: &str| inside.has(name) && !certain.has(name);
        let of = |expression: &Expression| {
            let mut names = Names::default();
            variables::of_expression(expression, &mut names);
            names
        };
        let blocked = self.optionals.iter().any(|other| other.group.scope().iter().any(new))
            || self.minus.iter().any(|minus| minus.scope().iter().any(new))
            || self.filters.iter().any(|filter| of(filter).iter().any(new))
            || self.binds.iter().any(|(variable, expression)| {
                inside.has(variable.as_str()) || of(expression).iter().any(new)
            });
        let mut whole = if blocked { Group::opaque(self.pattern()) } else { self };
        whole.optionals.push(Optional { group, conditions });
        whole
    }

    /// Subtracts a group.
    pub(super) fn without(self, group: Group) -> Group {
        let inside = group.scope();
        let blocked = self.binds.iter().any(|(variable, _)| inside.has(variable.as_str()));
        let mut whole = if blocked { Group::opaque(self.pattern()) } else { self };
        whole.minus.push(group);
        whole
    }

    /// The group as a pattern of the parser, in a fixed order.
    pub(super) fn pattern(self) -> GraphPattern {
        let Group { triples, paths, unions, values, nested, optionals, minus, binds, filters } = self;
        let mut joined: Vec<GraphPattern> = Vec::new();
        if !triples.is_empty() {
            joined.push(GraphPattern::Bgp { patterns: triples });
        }
        joined.extend(paths.into_iter().map(|Path { subject, path, object }| GraphPattern::Path {
            subject,
            path,
            object,
        }));
        joined.extend(
            values
                .into_iter()
                .map(|Table { variables, rows }| GraphPattern::Values { variables, bindings: rows }),
        );
        joined.extend(unions.into_iter().filter_map(|branches| {
            branches
                .into_iter()
                .map(Group::pattern)
                .reduce(|left, right| GraphPattern::Union { left: Box::new(left), right: Box::new(right) })
        }));
        // Joined with nothing, an optional part is not mistaken for one of this group.
        let nothing = || Box::new(GraphPattern::Bgp { patterns: Vec::new() });
        joined.extend(
            nested.into_iter().map(|inner| GraphPattern::Join { left: nothing(), right: Box::new(inner) }),
        );
        let join = |left, right| GraphPattern::Join { left: Box::new(left), right: Box::new(right) };
        let mut pattern =
            joined.into_iter().reduce(join).unwrap_or(GraphPattern::Bgp { patterns: Vec::new() });
        for Optional { group, conditions } in optionals {
            pattern = GraphPattern::LeftJoin {
                left: Box::new(pattern),
                right: Box::new(group.pattern()),
                expression: conditions.into_iter().reduce(|a, b| Expression::And(Box::new(a), Box::new(b))),
            };
        }
        for group in minus {
            pattern = GraphPattern::Minus { left: Box::new(pattern), right: Box::new(group.pattern()) };
        }
        for (variable, expression) in binds {
            pattern = GraphPattern::Extend { inner: Box::new(pattern), variable, expression };
        }
        for expr in filters {
            pattern = GraphPattern::Filter { expr, inner: Box::new(pattern) };
        }
        pattern
    }

    /// Removes what is stated twice.
    pub(super) fn deduplicate(&mut self) {
        fn once<T: PartialEq>(items: &mut Vec<T>) {
            // Long lists are never written by hand, and comparing each with each takes long.
            if items.len() > 500 {
                return;
            }
            let mut kept: Vec<T> = Vec::with_capacity(items.len());
            for item in items.drain(..) {
                if !kept.contains(&item) {
                    kept.push(item);
                }
            }
            *items = kept;
        }
        once(&mut self.triples);
        once(&mut self.paths);
        once(&mut self.filters);
        once(&mut self.values);
        self.unions.iter_mut().flatten().for_each(Group::deduplicate);
        self.optionals.iter_mut().for_each(|optional| optional.group.deduplicate());
        self.minus.iter_mut().for_each(Group::deduplicate);
    }
}

/// The predicate of a triple, if it is an IRI.
pub(super) fn predicate(triple: &TriplePattern) -> Option<&str> {
    match &triple.predicate {
        NamedNodePattern::NamedNode(iri) => Some(iri.as_str()),
        NamedNodePattern::Variable(_) => None,
    }
}
