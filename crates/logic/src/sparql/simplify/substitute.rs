//! Variables that stand for one known thing, or for another variable, are replaced by it.

use super::group::{Group, Optional, Table};
use super::select::Select;
use super::variables::{self, Names};
use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern, Variable};

/// What replaces a variable.
#[derive(Debug, Clone)]
enum Replacement {
    Variable(Variable),
    Term(GroundTerm),
}

impl Replacement {
    fn term(&self) -> Option<TermPattern> {
        match self {
            Replacement::Variable(variable) => Some(TermPattern::Variable(variable.clone())),
            Replacement::Term(GroundTerm::NamedNode(iri)) => Some(TermPattern::NamedNode(iri.clone())),
            Replacement::Term(GroundTerm::Literal(literal)) => Some(TermPattern::Literal(literal.clone())),
            Replacement::Term(GroundTerm::Triple(_)) => None,
        }
    }

    fn expression(&self) -> Option<Expression> {
        match self {
            Replacement::Variable(variable) => Some(Expression::Variable(variable.clone())),
            Replacement::Term(GroundTerm::NamedNode(iri)) => Some(Expression::NamedNode(iri.clone())),
            Replacement::Term(GroundTerm::Literal(literal)) => Some(Expression::Literal(literal.clone())),
            Replacement::Term(GroundTerm::Triple(_)) => None,
        }
    }
}

/// Maximum number of variables to replace; each costs a walk over the query.
const MAX_REPLACEMENTS: usize = 100;

/// Whether a filter compares two IRIs with a result that no data can change.
fn is_always_true(filter: &Expression) -> bool {
    let iris = |a: &Expression, b: &Expression| match (a, b) {
        (Expression::NamedNode(a), Expression::NamedNode(b)) => Some(a == b),
        _ => None,
    };
    match filter {
        Expression::Equal(a, b) | Expression::SameTerm(a, b) => iris(a, b) == Some(true),
        Expression::Not(inner) => match inner.as_ref() {
            Expression::Equal(a, b) | Expression::SameTerm(a, b) => iris(a, b) == Some(false),
            _ => false,
        },
        _ => false,
    }
}

impl Select {
    /// Replaces variables that the group makes the same as something else.
    pub(super) fn substitute(&mut self, is_outermost: bool) {
        let mut fixed = self.used_in_patterns();
        if !is_outermost {
            // What is around sees these.
            self.columns.iter().for_each(|column| fixed.add(column.source.as_str()));
        }
        for _ in 0..MAX_REPLACEMENTS {
            // The last column stays, even if it is the same in every row.
            let last = match &self.columns[..] {
                [column] => Some(column.source.as_str()),
                _ => None,
            };
            let Some((name, replacement)) = self.group.take_replacement(&fixed, last) else { break };
            self.replace(&name, &replacement);
        }
        self.group.filters.retain(|filter| !is_always_true(filter));
    }

    /// Names that must stay variables, because a pattern that is not laid out flat has them.
    fn used_in_patterns(&self) -> Names {
        let mut names = Names::default();
        self.group.nested.iter().for_each(|pattern| all_names(pattern, &mut names));
        names
    }

    fn replace(&mut self, name: &str, replacement: &Replacement) {
        let (Some(term), Some(expression)) = (replacement.term(), replacement.expression()) else { return };
        self.group.replace(name, &term, &expression);
        for order in &mut self.order {
            let (OrderExpression::Asc(key) | OrderExpression::Desc(key)) = order;
            in_expression(key, name, &expression);
        }
        if let Some(grouping) = &mut self.grouping {
            grouping.having.iter_mut().for_each(|e| in_expression(e, name, &expression));
            grouping.named.iter_mut().for_each(|(_, e)| in_expression(e, name, &expression));
            for (_, aggregate) in &mut grouping.aggregates {
                if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                    in_expression(expr, name, &expression);
                }
            }
            match replacement {
                Replacement::Variable(to) if grouping.keys.contains(to) => {
                    grouping.keys.retain(|key| key.as_str() != name);
                }
                Replacement::Variable(to) => {
                    let renamed = grouping.keys.iter_mut().filter(|key| key.as_str() == name);
                    renamed.for_each(|key| *key = to.clone());
                }
                Replacement::Term(_) => grouping.keys.retain(|key| key.as_str() != name),
            }
        }
        match replacement {
            Replacement::Variable(to) if self.columns.iter().any(|column| column.source == *to) => {
                self.columns.retain(|column| column.source.as_str() != name);
            }
            Replacement::Variable(to) => {
                let renamed = self.columns.iter_mut().filter(|column| column.source.as_str() == name);
                renamed.for_each(|column| column.source = to.clone());
            }
            // A column that is the same in every row goes.
            Replacement::Term(_) => self.columns.retain(|column| column.source.as_str() != name),
        }
    }
}

impl Group {
    /// Takes out one condition that makes a variable the same as something else.
    fn take_replacement(&mut self, fixed: &Names, last: Option<&str>) -> Option<(String, Replacement)> {
        let certain = self.certain();
        let is_free = |variable: &Variable| !fixed.has(variable.as_str());
        if let Some(at) = self.binds.iter().position(|(variable, expression)| {
            is_free(variable) && matches!(expression, Expression::Variable(source) if is_free(source))
        }) {
            let (variable, expression) = self.binds.remove(at);
            let Expression::Variable(source) = expression else { return None };
            return Some((variable.as_str().to_owned(), Replacement::Variable(source)));
        }
        let single = |table: &Table| match (&table.variables[..], &table.rows[..]) {
            ([variable], [row]) if is_free(variable) && last != Some(variable.as_str()) => {
                match row.first() {
                    Some(Some(term)) => Some((variable.as_str().to_owned(), term.clone())),
                    _ => None,
                }
            }
            _ => None,
        };
        let found = self.values.iter().enumerate().find_map(|(at, table)| {
            let (name, term) = single(table)?;
            let used = Group { values: Vec::new(), ..self.clone() }.scope().has(&name);
            (used && self.can_be(&name, &term)).then_some((at, name, term))
        });
        if let Some((at, name, term)) = found {
            self.values.remove(at);
            return Some((name, Replacement::Term(term)));
        }
        let found = self.filters.iter().enumerate().find_map(|(at, filter)| {
            let (variable, term) = equal_to_iri(filter)?;
            let is_bound =
                certain.has(variable.as_str()) && is_free(variable) && last != Some(variable.as_str());
            (is_bound && self.can_be(variable.as_str(), &term)).then(|| (at, variable.clone(), term))
        });
        if let Some((at, variable, term)) = found {
            self.filters.remove(at);
            return Some((variable.as_str().to_owned(), Replacement::Term(term)));
        }
        let found = self.filters.iter().enumerate().find_map(|(at, filter)| {
            let (one, other) = equal_variables(filter)?;
            let is_bound = |variable: &Variable| certain.has(variable.as_str()) && is_free(variable);
            let is_join = one != other && is_bound(one) && is_bound(other);
            // Equal literals may be different terms.
            let is_term = matches!(filter, Expression::SameTerm(..))
                || self.is_resource(one)
                || self.is_resource(other);
            (is_join && is_term).then(|| (at, one.clone(), other.clone()))
        });
        let (at, one, other) = found?;
        self.filters.remove(at);
        Some((one.as_str().to_owned(), Replacement::Variable(other)))
    }

    /// Whether a variable is in a place where no literal can be.
    pub(super) fn is_resource(&self, variable: &Variable) -> bool {
        self.triples.iter().any(|triple| {
            matches!(&triple.subject, TermPattern::Variable(subject) if subject == variable)
                || matches!(&triple.predicate, NamedNodePattern::Variable(predicate) if predicate == variable)
        })
    }

    /// Whether a term may stand wherever a variable stands.
    fn can_be(&self, name: &str, term: &GroundTerm) -> bool {
        if matches!(term, GroundTerm::NamedNode(_)) {
            return true;
        }
        let is = |term: &TermPattern| variables::name_of(term).as_deref() == Some(name);
        let in_triples = self.triples.iter().any(|triple| {
            is(&triple.subject)
                || matches!(&triple.predicate, NamedNodePattern::Variable(v) if v.as_str() == name)
        });
        let in_paths = self.paths.iter().any(|path| is(&path.subject) || is(&path.object));
        let parts = self.unions.iter().flatten().chain(self.minus.iter());
        let mut parts = parts.chain(self.optionals.iter().map(|optional| &optional.group));
        let bound = self.filters.iter().any(|filter| mentions_bound(filter, name));
        !in_triples && !in_paths && !bound && parts.all(|part| part.can_be(name, term))
    }

    /// Puts a term in the place of a variable.
    fn replace(&mut self, name: &str, term: &TermPattern, expression: &Expression) {
        self.triples.iter_mut().for_each(|triple| in_triple(triple, name, term));
        for path in &mut self.paths {
            in_term(&mut path.subject, name, term);
            in_term(&mut path.object, name, term);
        }
        for part in self.unions.iter_mut().flatten().chain(self.minus.iter_mut()) {
            part.replace(name, term, expression);
        }
        for Optional { group, conditions } in &mut self.optionals {
            group.replace(name, term, expression);
            conditions.iter_mut().for_each(|condition| in_expression(condition, name, expression));
        }
        for table in &mut self.values {
            if let Expression::Variable(to) = expression {
                table.variables.iter_mut().filter(|v| v.as_str() == name).for_each(|v| *v = to.clone());
            }
        }
        self.binds.iter_mut().for_each(|(_, bound)| in_expression(bound, name, expression));
        self.filters.iter_mut().for_each(|filter| in_expression(filter, name, expression));
    }

    /// Gives a variable another name.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let variable = Variable::new_unchecked(to);
        let (term, expression) =
            (TermPattern::Variable(variable.clone()), Expression::Variable(variable.clone()));
        self.replace(from, &term, &expression);
        for part in self.unions.iter_mut().flatten().chain(self.minus.iter_mut()) {
            part.rename_bound(from, &variable);
        }
        self.rename_bound(from, &variable);
    }

    fn rename_bound(&mut self, from: &str, to: &Variable) {
        for (variable, _) in self.binds.iter_mut().filter(|(variable, _)| variable.as_str() == from) {
            *variable = to.clone();
        }
    }

    /// Removes optional parts that bind nothing that is used.
    pub(super) fn remove_unused_optionals(&mut self, used: &Names) {
        let optionals = std::mem::take(&mut self.optionals);
        let mut inside = used.clone();
        inside.extend(self.scope());
        let of = |expression: &Expression, names: &mut Names| variables::of_expression(expression, names);
        self.filters.iter().for_each(|filter| of(filter, &mut inside));
        self.binds.iter().for_each(|(_, expression)| of(expression, &mut inside));
        self.minus.iter().for_each(|minus| inside.extend(minus.scope()));
        let certain = self.certain();
        self.optionals = optionals
            .into_iter()
            .filter(|optional| {
                let scope = optional.group.scope();
                scope.iter().any(|name| inside.has(name) && !certain.has(name))
            })
            .collect();
    }
}

/// `?x = ?y` or `sameTerm(?x, ?y)`.
fn equal_variables(filter: &Expression) -> Option<(&Variable, &Variable)> {
    let (Expression::Equal(left, right) | Expression::SameTerm(left, right)) = filter else { return None };
    match (left.as_ref(), right.as_ref()) {
        (Expression::Variable(left), Expression::Variable(right)) => Some((left, right)),
        _ => None,
    }
}

/// `?x = <iri>`, `sameTerm(?x, <iri>)` or `?x IN (<iri>)`.
fn equal_to_iri(filter: &Expression) -> Option<(&Variable, GroundTerm)> {
    let (left, right) = match filter {
        Expression::Equal(left, right) | Expression::SameTerm(left, right) => (left.as_ref(), right.as_ref()),
        Expression::In(left, list) if list.len() == 1 => (left.as_ref(), list.first()?),
        _ => return None,
    };
    match (left, right) {
        (Expression::Variable(variable), Expression::NamedNode(iri))
        | (Expression::NamedNode(iri), Expression::Variable(variable)) => {
            Some((variable, GroundTerm::NamedNode(iri.clone())))
        }
        _ => None,
    }
}

fn mentions_bound(expression: &Expression, name: &str) -> bool {
    let mut stack = vec![expression];
    while let Some(expression) = stack.pop() {
        match expression {
            Expression::Bound(variable) if variable.as_str() == name => return true,
            Expression::Exists(_) => return true,
            other => variables::operands(other, &mut stack),
        }
    }
    false
}

fn in_term(term: &mut TermPattern, name: &str, replacement: &TermPattern) {
    if let TermPattern::Triple(triple) = term {
        in_triple(triple, name, replacement);
    } else if variables::name_of(term).as_deref() == Some(name) {
        *term = replacement.clone();
    }
}

fn in_triple(triple: &mut TriplePattern, name: &str, replacement: &TermPattern) {
    in_term(&mut triple.subject, name, replacement);
    in_term(&mut triple.object, name, replacement);
    if let NamedNodePattern::Variable(variable) = &triple.predicate
        && variable.as_str() == name
    {
        match replacement {
            TermPattern::NamedNode(iri) => triple.predicate = NamedNodePattern::NamedNode(iri.clone()),
            TermPattern::Variable(variable) => {
                triple.predicate = NamedNodePattern::Variable(variable.clone());
            }
            _ => {}
        }
    }
}

/// Puts an expression in the place of a variable.
pub(super) fn in_expression(expression: &mut Expression, name: &str, replacement: &Expression) {
    let mut stack = vec![expression];
    while let Some(expression) = stack.pop() {
        match expression {
            Expression::Variable(variable) if variable.as_str() == name => *expression = replacement.clone(),
            Expression::Bound(variable) if variable.as_str() == name => {
                *expression = match replacement {
                    Expression::Variable(to) => Expression::Bound(to.clone()),
                    _ => Expression::Literal(spargebra::term::Literal::from(true)),
                };
            }
            Expression::Exists(pattern) => in_pattern(pattern, name, replacement),
            other => variables::operands_mut(other, &mut stack),
        }
    }
}

/// Puts a term in the place of a variable of EXISTS.
fn in_pattern(pattern: &mut GraphPattern, name: &str, replacement: &Expression) {
    let term = match replacement {
        Expression::Variable(variable) => TermPattern::Variable(variable.clone()),
        Expression::NamedNode(iri) => TermPattern::NamedNode(iri.clone()),
        Expression::Literal(literal) => TermPattern::Literal(literal.clone()),
        _ => return,
    };
    let mut stack = vec![pattern];
    while let Some(pattern) = stack.pop() {
        match pattern {
            GraphPattern::Bgp { patterns } => {
                patterns.iter_mut().for_each(|triple| in_triple(triple, name, &term));
            }
            GraphPattern::Path { subject, object, .. } => {
                in_term(subject, name, &term);
                in_term(object, name, &term);
            }
            GraphPattern::Join { left, right }
            | GraphPattern::Union { left, right }
            | GraphPattern::Minus { left, right }
            | GraphPattern::LeftJoin { left, right, .. }
            | GraphPattern::Lateral { left, right } => stack.extend([left.as_mut(), right.as_mut()]),
            GraphPattern::Filter { expr, inner } => {
                in_expression(expr, name, replacement);
                stack.push(inner);
            }
            GraphPattern::Extend { inner, expression, .. } => {
                in_expression(expression, name, replacement);
                stack.push(inner);
            }
            GraphPattern::Graph { inner, .. } | GraphPattern::Service { inner, .. } => stack.push(inner),
            // What is hidden below another SELECT has names of its own.
            _ => {}
        }
    }
}

/// All names in a pattern, hidden ones included.
fn all_names(pattern: &GraphPattern, names: &mut Names) {
    variables::in_scope(pattern, names);
    let text = pattern.to_string();
    for token in super::super::tokens::sparql_tokens(&text) {
        if let Some(name) = token.text.strip_prefix('?') {
            names.add(name);
        }
    }
}
