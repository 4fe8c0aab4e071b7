//! A SELECT: its columns, what is grouped, ordered and cut off, and the group below.

use super::Simplifier;
use super::flatten::conjuncts;
use super::group::{Group, Table};
use super::variables::{self, Names};
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern, OrderExpression};
use spargebra::term::Variable;

/// A SELECT as a set of rows: neither repetitions nor an order without a limit count.
#[derive(Debug, Clone)]
pub(super) struct Select {
    pub(super) columns: Vec<Column>,
    pub(super) group: Group,
    pub(super) grouping: Option<Grouping>,
    pub(super) order: Vec<OrderExpression>,
    pub(super) slice: Option<(usize, Option<usize>)>,
    /// Whether rows come up once.
    pub(super) distinct: bool,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    /// The variable below.
    pub(super) source: Variable,
    /// The name that is seen from outside.
    pub(super) name: Variable,
}

/// GROUP BY with what is computed of each group.
#[derive(Debug, Clone, Default)]
pub(super) struct Grouping {
    pub(super) keys: Vec<Variable>,
    pub(super) aggregates: Vec<(Variable, AggregateExpression)>,
    pub(super) having: Vec<Expression>,
    /// Names for computed values, in order.
    pub(super) named: Vec<(Variable, Expression)>,
}

impl Grouping {
    /// Whether it matters how often each row comes up.
    pub(super) fn counts_rows(&self) -> bool {
        self.aggregates.iter().any(|(_, aggregate)| !ignores_repetition(aggregate))
    }
}

impl Select {
    /// Takes the parser's pattern of a SELECT apart.
    pub(super) fn of(pattern: &GraphPattern, simplifier: &mut Simplifier) -> Option<Select> {
        let (mut at, mut slice, mut order) = (pattern, None, Vec::new());
        if let GraphPattern::Slice { inner, start, length } = at {
            slice = Some((*start, *length));
            at = inner;
        }
        let mut distinct = false;
        while let GraphPattern::Distinct { inner } | GraphPattern::Reduced { inner } = at {
            distinct |= matches!(at, GraphPattern::Distinct { .. });
            at = inner;
        }
        let columns = match at {
            GraphPattern::Project { inner, variables } => {
                at = inner;
                let column = |name: &Variable| Column { source: name.clone(), name: name.clone() };
                variables.iter().map(column).collect()
            }
            _ => return None,
        };
        if let GraphPattern::OrderBy { inner, expression } = at {
            order = expression.clone();
            at = inner;
        }
        let (mut named, mut having, mut tables) = (Vec::new(), Vec::new(), Vec::new());
        let below = at;
        loop {
            match at {
                GraphPattern::Extend { inner, variable, expression } => {
                    named.push((variable.clone(), expression.clone()));
                    at = inner;
                }
                GraphPattern::Filter { expr, inner } => {
                    having.extend(conjuncts(expr).into_iter().cloned());
                    at = inner;
                }
                GraphPattern::Join { left, right } => match right.as_ref() {
                    GraphPattern::Values { variables, bindings } => {
                        tables.push(Table { variables: variables.clone(), rows: bindings.clone() });
                        at = left;
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        let grouping = match at {
            GraphPattern::Group { inner, variables, aggregates } if tables.is_empty() => {
                named.reverse();
                let grouping =
                    Grouping { keys: variables.clone(), aggregates: aggregates.clone(), having, named };
                let rows_count = grouping.counts_rows();
                let group = simplifier.group_in(inner, rows_count)?;
                return Some(Select { columns, group, grouping: Some(grouping), order, slice, distinct });
            }
            GraphPattern::Group { .. } => return None,
            _ => None,
        };
        let mut select = Select { columns, group: Group::default(), grouping, order, slice, distinct };
        select.group = simplifier.group_in(below, select.repeats_rows(simplifier))?;
        Some(select)
    }

    /// The pattern of an ASK: whether anything is found does not depend on columns, order and repetition.
    pub(super) fn existing(pattern: &GraphPattern, simplifier: &mut Simplifier) -> Option<Select> {
        let mut at = pattern;
        while let GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Slice { inner, start: 0, length: Some(1..) | None } = at
        {
            at = inner;
        }
        let group = simplifier.group_in(at, false)?;
        Some(Select {
            columns: Vec::new(),
            group,
            grouping: None,
            order: Vec::new(),
            slice: None,
            distinct: true,
        })
    }

    /// Whether a limit may cut off rows, and keeps more than the first.
    pub(super) fn is_cut(&self) -> bool {
        !matches!(self.slice, None | Some((0, Some(0..=1))))
    }

    /// Whether a row without groups may come up several times where that matters: in what is around it, or under a limit.
    pub(super) fn repeats_rows(&self, simplifier: &Simplifier) -> bool {
        !self.distinct && (simplifier.rows_count || (self.is_cut() && self.grouping.is_none()))
    }

    /// The pattern of an ASK.
    pub(super) fn pattern_of_ask(self) -> GraphPattern {
        self.group.pattern()
    }

    /// Whether it does nothing but hide variables.
    pub(super) fn is_plain(&self) -> bool {
        self.grouping.is_none() && self.slice.is_none()
    }

    /// Applies all rules. `is_outermost`: only there are columns decoration.
    pub(super) fn simplify(&mut self, simplifier: &mut Simplifier, is_outermost: bool) {
        self.push_into_nested(simplifier);
        self.merge_inner(simplifier);
        self.name_aggregates();
        self.rewrite_conditions(simplifier);
        self.rewrite_parts(simplifier);
        simplifier.n_meant += self.group.join_statements(&self.used_above());
        self.substitute(is_outermost);
        self.group.deduplicate();
        if is_outermost {
            self.remove_decoration(simplifier);
        }
        self.remove_unused_aggregates();
        if self.grouping.is_some() || !self.repeats_rows(simplifier) {
            self.remove_unused_optionals();
        }
        self.count_distinct();
        self.find_distinct();
        if self.slice.is_none() {
            self.order.clear();
        }
        self.order.iter_mut().for_each(strip_casts_of_order);
        self.group.deduplicate();
    }

    /// A SELECT around nothing but another SELECT is that one with fewer columns.
    fn merge_inner(&mut self, simplifier: &mut Simplifier) {
        let alone = !simplifier.rows_count
            && self.grouping.is_none()
            && self.slice.is_none()
            && self.order.is_empty()
            && self.group.nested.len() == 1
            && {
                let rest = Group { nested: Vec::new(), ..self.group.clone() };
                rest.is_empty()
            };
        if !alone || !simplifier.may_look_again() {
            return;
        }
        let inner = self.group.nested.first().and_then(|pattern| match pattern {
            GraphPattern::Project { .. } | GraphPattern::Slice { .. } | GraphPattern::Distinct { .. } => {
                Select::of(pattern, simplifier)
            }
            _ => None,
        });
        let Some(inner) = inner else { return };
        let column = |outer: &Column| {
            let found = inner.columns.iter().find(|column| column.name == outer.source)?;
            Some(Column { source: found.source.clone(), name: outer.name.clone() })
        };
        if let Some(columns) = self.columns.iter().map(column).collect::<Option<Vec<_>>>() {
            *self = Select { columns, ..inner };
        }
    }

    /// Computed values that only rename an aggregate are the aggregate, and equal aggregates are one.
    fn name_aggregates(&mut self) {
        let Some(grouping) = &mut self.grouping else { return };
        let mut renamed: Vec<(String, String)> = Vec::new();
        grouping.named.retain(|(variable, expression)| match expression {
            Expression::Variable(source) => {
                renamed.push((variable.as_str().to_owned(), source.as_str().to_owned()));
                false
            }
            _ => true,
        });
        let mut kept: Vec<(Variable, AggregateExpression)> = Vec::new();
        for (variable, aggregate) in std::mem::take(&mut grouping.aggregates) {
            match kept.iter().find(|(_, known)| *known == aggregate) {
                Some((known, _)) => {
                    renamed.push((variable.as_str().to_owned(), known.as_str().to_owned()));
                }
                None => kept.push((variable, aggregate)),
            }
        }
        grouping.aggregates = kept;
        // A name may stand for a name.
        for (from, to) in renamed.iter().rev() {
            self.rename_outside(from, to);
        }
        for (from, to) in &renamed {
            self.rename_outside(from, to);
        }
    }

    /// Renames a variable above the group.
    fn rename_outside(&mut self, from: &str, to: &str) {
        let to = Variable::new_unchecked(to);
        let expression = Expression::Variable(to.clone());
        for column in self.columns.iter_mut().filter(|column| column.source.as_str() == from) {
            column.source = to.clone();
        }
        for order in &mut self.order {
            let (OrderExpression::Asc(key) | OrderExpression::Desc(key)) = order;
            super::substitute::in_expression(key, from, &expression);
        }
        if let Some(grouping) = &mut self.grouping {
            grouping.having.iter_mut().for_each(|e| super::substitute::in_expression(e, from, &expression));
            for (_, e) in &mut grouping.named {
                super::substitute::in_expression(e, from, &expression);
            }
            for key in grouping.keys.iter_mut().filter(|key| key.as_str() == from) {
                *key = to.clone();
            }
        }
    }

    /// The variables used above the group: by columns, orders and aggregates.
    pub(super) fn used_above(&self) -> Names {
        let mut names = Names::default();
        for order in &self.order {
            let (OrderExpression::Asc(key) | OrderExpression::Desc(key)) = order;
            variables::of_expression(key, &mut names);
        }
        self.columns.iter().for_each(|column| names.add(column.source.as_str()));
        if let Some(grouping) = &self.grouping {
            grouping.keys.iter().for_each(|key| names.add(key.as_str()));
            grouping.having.iter().for_each(|e| variables::of_expression(e, &mut names));
            grouping.named.iter().for_each(|(_, e)| variables::of_expression(e, &mut names));
            for (_, aggregate) in &grouping.aggregates {
                if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                    variables::of_expression(expr, &mut names);
                }
            }
        }
        names
    }

    /// Aggregates that nothing refers to go, and groups of which nothing is computed are rows without repetition.
    pub(super) fn remove_unused_aggregates(&mut self) {
        let Some(grouping) = &mut self.grouping else { return };
        let mut used = Names::default();
        self.columns.iter().for_each(|column| used.add(column.source.as_str()));
        for order in &self.order {
            let (OrderExpression::Asc(key) | OrderExpression::Desc(key)) = order;
            variables::of_expression(key, &mut used);
        }
        grouping.having.iter().for_each(|e| variables::of_expression(e, &mut used));
        grouping.named.retain(|(variable, _)| used.has(variable.as_str()));
        grouping.named.iter().for_each(|(_, e)| variables::of_expression(e, &mut used));
        grouping.aggregates.retain(|(variable, _)| used.has(variable.as_str()));
        let only_keys = grouping.aggregates.is_empty()
            && grouping.named.is_empty()
            && grouping.having.is_empty()
            && !grouping.keys.is_empty()
            && self.columns.iter().all(|column| grouping.keys.contains(&column.source));
        let ordered_by_keys = self.order.is_empty() || self.slice.is_none();
        if only_keys && ordered_by_keys {
            self.grouping = None;
            self.distinct = true;
        }
    }

    /// Optional parts that only bind what nothing uses do not change a set of rows.
    fn remove_unused_optionals(&mut self) {
        if self.grouping.as_ref().is_some_and(Grouping::counts_rows) {
            return;
        }
        let used = self.used_above();
        self.group.remove_unused_optionals(&used);
    }

    /// Rows in which every variable is a column come up once.
    fn find_distinct(&mut self) {
        if self.is_cut() && self.grouping.is_none() && self.group.is_set() {
            let shown = |name: &str| self.columns.iter().any(|column| column.source.as_str() == name);
            self.distinct |= self.group.certain().iter().all(shown);
        }
    }

    /// COUNT counts each answer once if a solution is nothing but its answer.
    fn count_distinct(&mut self) {
        let Some(grouping) = &mut self.grouping else { return };
        let group = &self.group;
        if !group.is_set() {
            return;
        }
        let names = group.certain();
        let keys = &grouping.keys;
        let mut counted = names.iter().filter(|name| !keys.iter().any(|key| key.as_str() == *name));
        let only = match (counted.next(), counted.next()) {
            (Some(name), None) if !name.starts_with("_:") => Some(Variable::new_unchecked(name)),
            _ => None,
        };
        for (_, aggregate) in &mut grouping.aggregates {
            // Rows are the values of the only variable.
            if let (AggregateExpression::CountSolutions { .. }, Some(only)) = (&*aggregate, &only) {
                *aggregate = AggregateExpression::FunctionCall {
                    name: AggregateFunction::Count,
                    expr: Expression::Variable(only.clone()),
                    distinct: true,
                };
            }
            if let AggregateExpression::FunctionCall {
                name: AggregateFunction::Count,
                expr: Expression::Variable(counted),
                distinct,
            } = aggregate
            {
                let known = |name: &str| counted.as_str() == name || keys.iter().any(|k| k.as_str() == name);
                *distinct |= names.iter().all(known);
            }
        }
    }

    /// The SELECT as a pattern of the parser. `rows_count`: whether it matters how often each row comes up.
    pub(super) fn pattern(self, rows_count: bool) -> GraphPattern {
        let keeps_repetition = self.is_cut() && self.grouping.is_none();
        let Select { columns, group, grouping, order, slice, distinct } = self;
        let mut pattern = group.pattern();
        if let Some(Grouping { keys, aggregates, having, named }) = grouping {
            pattern = GraphPattern::Group { inner: Box::new(pattern), variables: keys, aggregates };
            for expr in having {
                pattern = GraphPattern::Filter { expr, inner: Box::new(pattern) };
            }
            for (variable, expression) in named {
                pattern = GraphPattern::Extend { inner: Box::new(pattern), variable, expression };
            }
        }
        for Column { source, name } in &columns {
            if source != name {
                let (variable, expression) = (name.clone(), Expression::Variable(source.clone()));
                pattern = GraphPattern::Extend { inner: Box::new(pattern), variable, expression };
            }
        }
        let projected = columns.into_iter().map(|column| column.name).collect();
        if !order.is_empty() {
            pattern = GraphPattern::OrderBy { inner: Box::new(pattern), expression: order };
        }
        pattern = GraphPattern::Project { inner: Box::new(pattern), variables: projected };
        if distinct || !(rows_count || keeps_repetition) {
            pattern = GraphPattern::Distinct { inner: Box::new(pattern) };
        }
        match slice {
            Some((start, length)) => GraphPattern::Slice { inner: Box::new(pattern), start, length },
            None => pattern,
        }
    }
}

/// Whether an aggregate is the same for rows with and without repetition.
fn ignores_repetition(aggregate: &AggregateExpression) -> bool {
    match aggregate {
        AggregateExpression::CountSolutions { .. } => false,
        AggregateExpression::FunctionCall { name, distinct, .. } => {
            *distinct
                || matches!(name, AggregateFunction::Max | AggregateFunction::Min | AggregateFunction::Sample)
        }
    }
}

/// An order by `xsd:date(?x)` is one by `?x`.
fn strip_casts_of_order(order: &mut OrderExpression) {
    let (OrderExpression::Asc(key) | OrderExpression::Desc(key)) = order;
    while let Expression::FunctionCall(spargebra::algebra::Function::Custom(name), arguments) = key {
        let is_cast = name.as_str().starts_with(touchstone_kb::XSD);
        match (is_cast, arguments.len()) {
            (true, 1) => *key = arguments.remove(0),
            _ => break,
        }
    }
}
