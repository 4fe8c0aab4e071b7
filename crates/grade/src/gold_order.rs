//! Gold queries with an order or a limit: which other answers are as right, and whether answers come in the order that gold asks for.
//!
//! `ORDER BY ?value LIMIT 3` may choose among things with the same value. The gold query is run without its limit and with its sort keys as
//! columns, so that every valid choice is known.

use crate::answers::compared;
use hashbrown::{HashMap, HashSet};
use spargebra::Query;
use spargebra::algebra::{GraphPattern, OrderExpression};
use spargebra::term::Variable;
use std::borrow::Cow;
use touchstone_datasets::ComparedAnswer;
use touchstone_engine::budget::Cancel;
use touchstone_engine::{Answers, Outcome, Session, Settings};
use touchstone_logic::{Answer, SparqlForm};

/// The prefix of the columns with sort keys.
const KEY: &str = "touchstone_sort_key_";

/// The answers of a gold query without its limit, in its order.
pub(crate) struct GoldOrder<'a> {
    /// Each answer once, with the number of its place; answers with the same sort keys have the same place.
    answers: Vec<(ComparedAnswer<'a>, usize)>,
    /// The place of the last answer within the limit; `None` without a limit that cuts something off.
    last: Option<usize>,
    /// Whether the query asks for an order.
    is_ordered: bool,
}

impl GoldOrder<'static> {
    /// Runs a gold query without its limit; `None` for queries without order and limit, and for those that cannot be run so.
    pub(crate) fn of(
        form: &SparqlForm,
        session: &Session<'_>,
        settings: &Settings,
        cancel: &Cancel,
    ) -> Option<GoldOrder<'static>> {
        let Unlimited { query, n_columns, limit, is_ordered } =
            unlimited(&form.parsed.query, form.decoration())?;
        let reply = session.run_sparql_query(query, settings, cancel);
        let rows: Vec<Vec<Option<Answer>>> = match reply.outcome {
            Outcome::Answered(Answers::Table { rows, .. }) => rows,
            Outcome::Answered(Answers::List { answers, .. }) => {
                answers.into_iter().map(|answer| vec![Some(answer)]).collect()
            }
            _ => return None,
        };
        let last_row = limit.filter(|&limit| 0 < limit && limit < rows.len()).map(|limit| limit - 1);
        let (mut answers, mut seen, mut last) = (Vec::new(), HashSet::new(), None);
        let (mut place, mut keys): (usize, Option<&[Option<Answer>]>) = (0, None);
        for (at, row) in rows.iter().enumerate() {
            let (cells, own) = row.split_at_checked(n_columns)?;
            if keys.is_some_and(|keys| keys != own) {
                place += 1;
            }
            keys = Some(own);
            if Some(at) == last_row {
                last = Some(place);
            }
            let answer = match cells {
                [one] => ComparedAnswer::of_owned(one.clone()?),
                many => ComparedAnswer::of_owned(Answer::Tuple { cells: many.to_vec() }),
            };
            let (is_id, text) = key(&answer);
            if seen.insert((is_id, text.into_owned())) {
                answers.push((answer, place));
            }
        }
        Some(GoldOrder { answers, last, is_ordered })
    }
}

impl<'a> GoldOrder<'a> {
    /// The valid choice of gold answers that has most in common with the predicted ones; `None` if there is no choice, or if `gold` is not one
    /// of the valid choices, which is so if it comes from another KB.
    pub(crate) fn nearest_choice(
        &self,
        gold: &[ComparedAnswer<'_>],
        predicted: &[ComparedAnswer<'_>],
    ) -> Option<Vec<ComparedAnswer<'a>>> {
        let last = self.last?;
        let gold: HashSet<Key<'_>> = gold.iter().map(key).collect();
        let mut chosen = Vec::new();
        let mut ties = Vec::new();
        for (answer, place) in &self.answers {
            match place.cmp(&last) {
                std::cmp::Ordering::Less => chosen.push(answer),
                std::cmp::Ordering::Equal => ties.push(answer),
                std::cmp::Ordering::Greater => break,
            }
        }
        let is_valid = chosen.len() <= gold.len()
            && chosen.iter().all(|answer| gold.contains(&key(answer)))
            && chosen.len() + ties.iter().filter(|answer| gold.contains(&key(answer))).count() == gold.len();
        if !is_valid {
            return None;
        }
        let free = gold.len() - chosen.len();
        let predicted: HashSet<Key<'_>> = predicted.iter().map(key).collect();
        let texts: HashSet<&str> =
            predicted.iter().filter(|(is_id, _)| !is_id).map(|(_, text)| &**text).collect();
        let is_predicted = |answer: &ComparedAnswer<'_>| {
            predicted.contains(&key(answer)) || texts.contains(&*compared(&answer.text))
        };
        ties.sort_by_key(|answer| !is_predicted(answer));
        chosen.extend(ties.into_iter().take(free));
        Some(chosen.into_iter().cloned().collect())
    }

    /// Whether answers come in the order that gold asks for; answers with the same sort keys may come in any order.
    pub(crate) fn is_in_order(&self, predicted: &[ComparedAnswer<'_>]) -> bool {
        if !self.is_ordered {
            return true;
        }
        let places: HashMap<Key<'_>, usize> =
            self.answers.iter().map(|(answer, place)| (key(answer), *place)).collect();
        predicted.iter().filter_map(|answer| places.get(&key(answer))).is_sorted()
    }
}

/// Whether it is an id, and the id or the text.
type Key<'k> = (bool, Cow<'k, str>);

fn key<'k>(answer: &'k ComparedAnswer<'_>) -> Key<'k> {
    match &answer.id {
        Some(id) => (true, Cow::Borrowed(id.as_ref())),
        None => (false, compared(&answer.text)),
    }
}

/// A query without its limit.
struct Unlimited {
    query: Query,
    /// The number of columns before the sort keys.
    n_columns: usize,
    limit: Option<usize>,
    is_ordered: bool,
}

/// Without the columns that only name or describe what is found.
fn unlimited(query: &Query, decoration: &[String]) -> Option<Unlimited> {
    let Query::Select { pattern, dataset, base_iri } = query else { return None };
    let (limit, mut at) = match pattern {
        GraphPattern::Slice { inner, start: 0, length: Some(length) } => (Some(*length), inner.as_ref()),
        GraphPattern::Slice { .. } => return None,
        other => (None, other),
    };
    let is_distinct = matches!(at, GraphPattern::Distinct { .. });
    if let GraphPattern::Distinct { inner } | GraphPattern::Reduced { inner } = at {
        at = inner;
    }
    let GraphPattern::Project { inner, variables } = at else { return None };
    let (body, orders): (&GraphPattern, &[OrderExpression]) = match inner.as_ref() {
        GraphPattern::OrderBy { inner, expression } => (inner, expression),
        other => (other, &[]),
    };
    if limit.is_none() && orders.is_empty() {
        return None;
    }
    let is_asked = |variable: &&Variable| !decoration.iter().any(|name| name == variable.as_str());
    let mut columns: Vec<Variable> = variables.iter().filter(is_asked).cloned().collect();
    let n_columns = columns.len();
    let mut pattern = body.clone();
    for (at, order) in orders.iter().enumerate() {
        let (OrderExpression::Asc(expression) | OrderExpression::Desc(expression)) = order;
        let variable = Variable::new_unchecked(format!("{KEY}{at}"));
        columns.push(variable.clone());
        pattern = GraphPattern::Extend { inner: Box::new(pattern), variable, expression: expression.clone() };
    }
    if !orders.is_empty() {
        pattern = GraphPattern::OrderBy { inner: Box::new(pattern), expression: orders.to_vec() };
    }
    pattern = GraphPattern::Project { inner: Box::new(pattern), variables: columns };
    if is_distinct {
        pattern = GraphPattern::Distinct { inner: Box::new(pattern) };
    }
    Some(Unlimited {
        query: Query::Select { pattern, dataset: dataset.clone(), base_iri: base_iri.clone() },
        n_columns,
        limit,
        // The order of one answer does not matter.
        is_ordered: !orders.is_empty() && limit != Some(1),
    })
}
