//! A query for several columns or for groups, read as rows about one set of things.
//!
//! Columns that only show a property of the things are paths; the patterns that are left describe the set, in the algebra.

use super::Simplifier;
use super::select::{Grouping, Select};
use super::view::{Triples, Wanted};
use crate::query::{Extreme, Set, Step};
use crate::sparql::Namespaces;
use crate::value::Value;
use spargebra::Query;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, OrderExpression};
use spargebra::term::Variable;
use touchstone_kb::Comparison;

/// A query outside the algebra that asks for rows about one set of things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowQuery {
    /// The things; [`Set::All`] if nothing describes them but their columns.
    pub of: Set,
    /// What a row shows, in the order of the query; empty if there is a group.
    pub columns: Vec<RowColumn>,
    /// What is computed of groups of things.
    pub group: Option<Grouped>,
    /// By what the rows are ordered before the limit, and from which end. With a group, see [`Grouped::order`].
    pub order: Option<(RowColumn, Extreme)>,
    /// Maximum number of rows.
    pub limit: Option<usize>,
}

/// What a row shows of a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowColumn {
    /// The way from the thing; empty for the thing itself.
    pub path: Vec<Step>,
    /// Whether there are also rows without it.
    pub optional: bool,
    /// Whether the set says more about what the first step leads to: then the column is about that one.
    pub described: bool,
}

/// Groups of things, and what is computed of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouped {
    /// What the things of a group share; empty if there is one group.
    pub keys: Vec<RowColumn>,
    /// What is computed.
    pub aggregates: Vec<Aggregate>,
    /// Conditions on groups, each on the aggregate with this number.
    pub having: Vec<(usize, Comparison, Value)>,
    /// The aggregate that orders the groups before the limit, and from which end.
    pub order: Option<(usize, Extreme)>,
}

/// A value that is computed of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aggregate {
    /// How it is computed.
    pub function: RowFunction,
    /// Of what.
    pub of: RowColumn,
    /// Whether a row shows it; if not, it is only used by a condition or an order.
    pub shown: bool,
}

/// A function of the values of a group. The names are those of SPARQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum RowFunction {
    Count,
    Sum,
    Average,
    Min,
    Max,
}

/// Reads a query for several columns or for groups as rows about one set of things; `None` if it is something else.
pub fn rows(query: &Query, names: &Namespaces) -> Option<RowQuery> {
    let Query::Select { dataset: None, pattern, .. } = query else { return None };
    let mut simplifier = Simplifier::default();
    let mut select = Select::of(pattern, &mut simplifier)?;
    select.simplify(&mut simplifier, true);
    let limit = match select.slice {
        None => None,
        Some((0, limit)) => limit,
        Some(_) => return None,
    };
    let order = match &select.order[..] {
        [] => None,
        [OrderExpression::Desc(Expression::Variable(by))] => Some((by, Extreme::Max)),
        [OrderExpression::Asc(Expression::Variable(by))] => Some((by, Extreme::Min)),
        _ => return None,
    };
    match &select.grouping {
        None => tuples(&select, order, limit, names),
        Some(grouping) => groups(&select, grouping, order, limit, names),
    }
}

fn tuples(
    select: &Select,
    order: Option<(&Variable, Extreme)>,
    limit: Option<usize>,
    names: &Namespaces,
) -> Option<RowQuery> {
    let shown: Vec<&str> = select.columns.iter().map(|column| column.source.as_str()).collect();
    let mut wanted = shown.clone();
    wanted.extend(order.map(|(by, _)| by.as_str()).filter(|by| !shown.contains(by)));
    let triples = Triples::of(&select.group, names);
    let view = triples.view(&Wanted { all: &wanted, shown: &shown, counted: &[], measured: &[] })?;
    let columns = shown.iter().map(|name| view.column(name)).collect::<Option<Vec<_>>>()?;
    let repeats = |at: usize| columns[..at].iter().any(|column| column.path == columns[at].path);
    if columns.is_empty() || (1..columns.len()).any(repeats) {
        return None;
    }
    let order = match order {
        Some((by, extreme)) => Some((view.column(by.as_str())?, extreme)),
        None => None,
    };
    Some(RowQuery { of: view.of, columns, group: None, order, limit })
}

fn groups(
    select: &Select,
    grouping: &Grouping,
    order: Option<(&Variable, Extreme)>,
    limit: Option<usize>,
    names: &Namespaces,
) -> Option<RowQuery> {
    let Grouping { keys, aggregates, having, named } = grouping;
    let keys: Vec<&str> = keys.iter().map(Variable::as_str).collect();
    let is_shown = |name: &str| select.columns.iter().any(|column| column.source.as_str() == name);
    let known = |name: &str| keys.contains(&name) || aggregates.iter().any(|(own, _)| own.as_str() == name);
    let all_known = select.columns.iter().all(|column| known(column.source.as_str()));
    let hides_key = keys.len() > 1 && !keys.iter().all(|key| is_shown(key));
    if !named.is_empty() || !all_known || hides_key || (limit.is_some() && order.is_none()) {
        return None;
    }
    // Without another variable, a row of a group is one thing.
    let scope = select.group.scope();
    let mut others = scope.iter().filter(|name| !keys.contains(name));
    let row = others.next().filter(|_| others.next().is_none());
    let mut read = Vec::new();
    for (variable, aggregate) in aggregates {
        let (function, source, distinct) = computed(aggregate)?;
        read.push((variable.as_str(), function, source.or(row)?, distinct));
    }
    let (mut wanted, mut counted, mut measured) = (keys.clone(), Vec::new(), Vec::new());
    for &(_, function, source, _) in &read {
        if !wanted.contains(&source) {
            wanted.push(source);
        }
        if function == RowFunction::Count { &mut counted } else { &mut measured }.push(source);
    }
    let triples = Triples::of(&select.group, names);
    let view =
        triples.view(&Wanted { all: &wanted, shown: &keys, counted: &counted, measured: &measured })?;
    let keys = keys.iter().map(|key| view.column(key)).collect::<Option<Vec<_>>>()?;
    let per_thing = matches!(&keys[..], [key] if key.path.is_empty());
    let mut aggregates = Vec::new();
    for &(variable, function, source, distinct) in &read {
        let of = view.column(source)?;
        // Rows are not different things unless each thing is a group.
        if function == RowFunction::Count && !of.path.is_empty() && !per_thing && !distinct {
            return None;
        }
        aggregates.push(Aggregate { function, of, shown: is_shown(variable) });
    }
    let number = |name: &str| read.iter().position(|(own, ..)| *own == name);
    let having = having.iter().map(|e| condition(e, &number, names)).collect::<Option<Vec<_>>>()?;
    let order = match order {
        Some((by, extreme)) => Some((number(by.as_str())?, extreme)),
        None => None,
    };
    let group = Some(Grouped { keys, aggregates, having, order });
    Some(RowQuery { of: view.of, columns: Vec::new(), group, order: None, limit })
}

/// A function, the variable that it is computed of (`None` for rows), and whether each value counts once.
type Computed<'q> = (RowFunction, Option<&'q str>, bool);

fn computed(aggregate: &AggregateExpression) -> Option<Computed<'_>> {
    let (name, of, distinct) = match aggregate {
        AggregateExpression::CountSolutions { distinct } => {
            return Some((RowFunction::Count, None, *distinct));
        }
        AggregateExpression::FunctionCall { name, expr: Expression::Variable(of), distinct } => {
            (name, of, *distinct)
        }
        AggregateExpression::FunctionCall { .. } => return None,
    };
    let function = match name {
        AggregateFunction::Count => RowFunction::Count,
        AggregateFunction::Sum if !distinct => RowFunction::Sum,
        AggregateFunction::Avg if !distinct => RowFunction::Average,
        AggregateFunction::Min => RowFunction::Min,
        AggregateFunction::Max => RowFunction::Max,
        _ => return None,
    };
    Some((function, Some(of.as_str()), distinct))
}

/// A condition that compares an aggregate with a value.
fn condition(
    expression: &Expression,
    number: &dyn Fn(&str) -> Option<usize>,
    names: &Namespaces,
) -> Option<(usize, Comparison, Value)> {
    let (left, right, comparison, flipped) = match expression {
        Expression::Equal(a, b) => (a, b, Comparison::Equal, Comparison::Equal),
        Expression::Greater(a, b) => (a, b, Comparison::Greater, Comparison::Less),
        Expression::GreaterOrEqual(a, b) => (a, b, Comparison::GreaterOrEqual, Comparison::LessOrEqual),
        Expression::Less(a, b) => (a, b, Comparison::Less, Comparison::Greater),
        Expression::LessOrEqual(a, b) => (a, b, Comparison::LessOrEqual, Comparison::GreaterOrEqual),
        _ => return None,
    };
    match (left.as_ref(), right.as_ref()) {
        (Expression::Variable(of), Expression::Literal(value)) => {
            Some((number(of.as_str())?, comparison, names.value(value)))
        }
        (Expression::Literal(value), Expression::Variable(of)) => {
            Some((number(of.as_str())?, flipped, names.value(value)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sparql::parse;

    fn read(text: &str) -> Option<RowQuery> {
        rows(&parse(text).unwrap().query, &Namespaces::default())
    }

    fn paths(columns: &[RowColumn]) -> Vec<String> {
        let step = |step: &Step| format!("{}{}", step.direction.word(), step.property);
        columns.iter().map(|column| column.path.iter().map(step).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn the_order_of_columns_changes_nothing_else() {
        let body =
            "{ ?x a <film> ; <director> ?p ; <duration> ?d . ?p <born> ?c OPTIONAL { ?p <spouse> ?s } }";
        let one = read(&format!("SELECT ?x ?p ?d ?c ?s {body}")).unwrap();
        let other = read(&format!("SELECT ?s ?d ?c ?x ?p {body}")).unwrap();
        assert_eq!(one.of, Set::Class("film".into()));
        assert_eq!(one.of, other.of);
        let moved = [4, 2, 3, 0, 1].map(|at| one.columns[at].clone());
        assert_eq!(moved.to_vec(), other.columns);
        let expected = ["", "forwarddirector", "forwardduration", "forwarddirector forwardborn"];
        assert_eq!(paths(&one.columns)[..4], expected);
        assert!(one.columns[4].optional && !one.columns[1].described);
    }

    #[test]
    fn groups_count_the_things() {
        for count in ["COUNT(?x)", "COUNT(DISTINCT ?x)", "COUNT(*)"] {
            let text = format!("SELECT ?p ({count} AS ?n) {{ ?x <director> ?p }} GROUP BY ?p HAVING(5 < ?n)");
            let rows = read(&text).unwrap();
            let group = rows.group.unwrap();
            assert_eq!(rows.of, Set::All, "{text}");
            assert_eq!(paths(&group.keys), ["forwarddirector"]);
            assert!(group.aggregates[0].of.path.is_empty() && group.aggregates[0].shown);
            assert_eq!(group.having[0].1, Comparison::Greater);
        }
    }

    #[test]
    fn other_queries_are_not_rows() {
        for text in [
            "SELECT ?x ?y { ?x <a> <z> . ?y <b> <z> }",
            "SELECT ?x ?y { ?x <a> ?y } LIMIT 3 OFFSET 3",
            "SELECT ?x ?p { ?x ?p <y> }",
            "SELECT ?x ?y { ?x <a> ?y MINUS { ?x <b> ?y } }",
            "SELECT ?p (COUNT(?c) AS ?n) { ?x <director> ?p ; <cast> ?c } GROUP BY ?p",
            "SELECT (SUM(DISTINCT ?d) AS ?n) { ?x <duration> ?d }",
            "ASK { ?x <a> ?y }",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
