//! Gold queries with an order or a limit: which other answers are as right, and whether answers come in the order that gold asks for.
//!
//! `ORDER BY ?value LIMIT 3` may choose among things with the same value. The gold query is run without its limit and with its sort keys as
//! columns, so that every valid choice is known.

use crate::answers::compared;
use crate::columns::matching_cells;
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
    answers: Vec<ComparedAnswer<'a>>,
    places: Vec<usize>,
    /// The place of the first answer after an offset; `None` without an offset.
    first: Option<usize>,
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
        let Unlimited { query, n_columns, offset, limit, is_ordered } =
            unlimited(&form.parsed.query, form.decoration())?;
        let reply = session.run_sparql_query(query, settings, cancel);
        let rows: Vec<Vec<Option<Answer>>> = match reply.outcome {
            Outcome::Answered(Answers::Table { rows, .. }) => rows,
            Outcome::Answered(Answers::List { answers, .. }) => {
                answers.into_iter().map(|answer| vec![Some(answer)]).collect()
            }
            _ => return None,
        };
        let end = limit.filter(|&limit| limit > 0).and_then(|limit| offset.checked_add(limit));
        let last_row = end.filter(|&end| end < rows.len()).map(|end| end - 1);
        let (mut answers, mut places, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        let (mut first, mut last) = (None, None);
        let (mut place, mut keys): (usize, Option<&[Option<Answer>]>) = (0, None);
        for (at, row) in rows.iter().enumerate() {
            let (cells, own) = row.split_at_checked(n_columns)?;
            if keys.is_some_and(|keys| keys != own) {
                place += 1;
            }
            keys = Some(own);
            if at == offset && offset > 0 {
                first = Some(place);
            }
            if Some(at) == last_row {
                last = Some(place);
            }
            let answer = match cells {
                [one] => ComparedAnswer::of_owned(one.clone()?),
                many => ComparedAnswer::of_owned(Answer::Tuple { cells: many.to_vec() }),
            };
            let (is_id, text) = key(&answer);
            if seen.insert((is_id, text.into_owned())) {
                answers.push(answer);
                places.push(place);
            }
        }
        Some(GoldOrder { answers, places, first, last, is_ordered })
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
        if self.first.is_none() && self.last.is_none() {
            return None;
        }
        let gold: HashSet<Key<'_>> = gold.iter().map(key).collect();
        let (mut chosen, mut ties_first, mut ties_last) = (Vec::new(), Vec::new(), Vec::new());
        for (at, &place) in self.places.iter().enumerate() {
            match place {
                _ if self.first.is_some_and(|first| place < first) => {}
                _ if self.last.is_some_and(|last| place > last) => break,
                _ if self.first == Some(place) => ties_first.push(at),
                _ if self.last == Some(place) => ties_last.push(at),
                _ => chosen.push(at),
            }
        }
        let n_gold =
            |list: &[usize]| list.iter().filter(|&&at| gold.contains(&key(&self.answers[at]))).count();
        let free = (n_gold(&ties_first), n_gold(&ties_last));
        if n_gold(&chosen) != chosen.len() || chosen.len() + free.0 + free.1 != gold.len() {
            return None;
        }
        let (predicted, own) = matching_cells(predicted, &self.answers);
        let predicted: HashSet<&[u32]> = predicted.iter().map(Vec::as_slice).collect();
        for (mut ties, free) in [(ties_first, free.0), (ties_last, free.1)] {
            ties.sort_by_key(|&at| !predicted.contains(own[at].as_slice()));
            chosen.extend(ties.into_iter().take(free));
        }
        Some(chosen.into_iter().map(|at| self.answers[at].clone()).collect())
    }

    /// Whether answers come in the order that gold asks for; answers with the same sort keys may come in any order.
    pub(crate) fn is_in_order(&self, predicted: &[ComparedAnswer<'_>]) -> bool {
        if !self.is_ordered {
            return true;
        }
        let (predicted, own) = matching_cells(predicted, &self.answers);
        // Without one of the columns, an answer may have several places.
        let mut places: HashMap<&[u32], Vec<usize>> = HashMap::new();
        for (row, &place) in own.iter().zip(&self.places) {
            places.entry(row).or_default().push(place);
        }
        let mut least = 0;
        predicted.iter().filter_map(|row| places.get(row.as_slice())).all(|places| {
            let next = places.iter().find(|&&place| place >= least);
            least = next.copied().unwrap_or(least);
            next.is_some()
        })
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
    offset: usize,
    limit: Option<usize>,
    is_ordered: bool,
}

/// Without the columns that only name or describe what is found.
fn unlimited(query: &Query, decoration: &[String]) -> Option<Unlimited> {
    let Query::Select { pattern, dataset, base_iri } = query else { return None };
    let (offset, limit, mut at) = match pattern {
        GraphPattern::Slice { inner, start, length } => (*start, *length, inner.as_ref()),
        other => (0, None, other),
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
    if offset == 0 && limit.is_none() && orders.is_empty() {
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
        offset,
        limit,
        // The order of one answer does not matter.
        is_ordered: !orders.is_empty() && limit != Some(1),
    })
}
