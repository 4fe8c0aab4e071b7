//! Groups of rows and their aggregates.

use super::cells::{Cell, Slot, slots_of};
use super::expression::{text_length, text_of};
use super::nodes::set_of;
use super::plan::Goal;
use super::run::{Flow, Halt, Key, Outcome, Runner, Sink, key};
use super::tree::{Aggregate, AggregateFunction, Aggregation, Expr, ExprKind, Operator};
use super::values::{arithmetic, extreme_order};
use hashbrown::{HashMap, HashSet};
use oxrdf::BaseDirection;
use spareval::ExpressionTerm as Value;
use std::cmp::Ordering;

/// What an aggregate has found so far.
enum Sum {
    /// Counts rows or values; terms that were seen if only different ones count.
    Count { count: u64, seen: Option<HashSet<Key>> },
    /// Of values. After an error there is none.
    Values { values: Option<State>, seen: Option<HashSet<Value>> },
}

enum State {
    Count(u64),
    Sum { sum: Value, count: u64 },
    Extreme(Option<Value>),
    Sample(Option<Value>),
    Concat { text: String, language: Option<Language> },
}

/// `None` is the language of plain texts and of different languages.
type Language = Option<(String, Option<BaseDirection>)>;

struct Members {
    key: Key,
    sums: Vec<Sum>,
}

impl<'a> Runner<'a> {
    /// Passes one row for each group to a sink.
    pub(super) fn aggregate(&mut self, aggregation: &Aggregation, sink: Sink<'_, 'a>) -> Outcome {
        let Aggregation { input, keys, aggregates, visible } = aggregation;
        let shown: Vec<Slot> = slots_of(*visible).collect();
        let goal = if aggregates.iter().all(|(_, aggregate)| aggregate.ignores_repetitions()) {
            let used = aggregates.iter().fold(set_of(keys), |set, (_, aggregate)| match aggregate {
                Aggregate::CountRows { .. } => set | visible,
                Aggregate::Call { expression, .. } => set | expression.slots,
            });
            Goal::Set(used & input.possible())
        } else {
            Goal::Bag
        };
        let mut numbers: HashMap<Key, usize> = HashMap::new();
        let mut groups: Vec<Members> = Vec::new();
        if keys.is_empty() {
            numbers.insert(Key::new(), 0);
            groups
                .push(Members { key: Key::new(), sums: aggregates.iter().map(|(_, a)| start(a)).collect() });
        }
        self.node(input, goal, None, &mut |this, row| {
            this.spend(1)?;
            let key = key(keys, row);
            let at = match numbers.get(&key) {
                Some(&at) => at,
                None => {
                    this.hold(96 * (1 + aggregates.len() as u64))?;
                    let sums = aggregates.iter().map(|(_, aggregate)| start(aggregate)).collect();
                    groups.push(Members { key: key.clone(), sums });
                    numbers.insert(key, groups.len() - 1);
                    groups.len() - 1
                }
            };
            for ((_, aggregate), sum) in aggregates.iter().zip(&mut groups[at].sums) {
                this.add(aggregate, &shown, sum, row)?;
            }
            Ok(Flow::More)
        })?;
        let mut row = self.empty_row();
        for group in groups {
            keys.iter().zip(group.key).for_each(|(&slot, cell)| row[slot] = cell);
            for ((slot, aggregate), sum) in aggregates.iter().zip(group.sums) {
                row[*slot] = match finish(aggregate, sum) {
                    Some(value) => self.terms.cell(value.into()),
                    None => Cell::Unbound,
                };
            }
            if sink(self, &mut row)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        Ok(Flow::More)
    }

    /// Adds a row to an aggregate.
    fn add(
        &mut self,
        aggregate: &Aggregate,
        shown: &[Slot],
        sum: &mut Sum,
        row: &mut [Cell],
    ) -> Result<(), Halt> {
        match (aggregate, sum) {
            (Aggregate::CountRows { .. }, Sum::Count { count, seen }) => {
                self.count(count, seen, || key(shown, row))
            }
            (Aggregate::Call { expression, .. }, Sum::Count { count, seen }) => {
                let cell = self.cell(expression, row)?;
                if cell == Cell::Unbound {
                    Ok(())
                } else {
                    self.count(count, seen, || [cell].into_iter().collect())
                }
            }
            (Aggregate::Call { function, expression, .. }, Sum::Values { values, seen }) => {
                if values.is_none() {
                    return Ok(());
                }
                let Some(value) = self.value(expression, row)? else {
                    match function {
                        AggregateFunction::Sample => {}
                        // Whether errors count is understood differently.
                        AggregateFunction::Count => return Err(Halt::GiveUp),
                        _ => *values = None,
                    }
                    return Ok(());
                };
                if let Some(seen) = seen {
                    self.hold(96 + text_length(&value) as u64)?;
                    if !seen.insert(value.clone()) {
                        return Ok(());
                    }
                }
                self.add_value(function, values, value)
            }
            (Aggregate::CountRows { .. }, Sum::Values { .. }) => Err(Halt::GiveUp),
        }
    }

    fn count(
        &mut self,
        count: &mut u64,
        seen: &mut Option<HashSet<Key>>,
        key: impl FnOnce() -> Key,
    ) -> Result<(), Halt> {
        if let Some(seen) = seen {
            if !seen.insert(key()) {
                return Ok(());
            }
            self.hold(80)?;
        }
        *count += 1;
        Ok(())
    }

    fn add_value(
        &mut self,
        function: &AggregateFunction,
        values: &mut Option<State>,
        value: Value,
    ) -> Result<(), Halt> {
        let Some(state) = values else { return Ok(()) };
        let failed = match state {
            State::Count(count) => {
                *count += 1;
                false
            }
            State::Sum { sum, count } => {
                *count += 1;
                match arithmetic(Operator::Add, sum, &value) {
                    Ok(Some(added)) => {
                        *sum = added;
                        false
                    }
                    Ok(None) | Err(()) => true,
                }
            }
            State::Extreme(best) => {
                let wanted =
                    if *function == AggregateFunction::Min { Ordering::Less } else { Ordering::Greater };
                let is_better = match best {
                    Some(best) => extreme_order(&value, best).ok_or(Halt::GiveUp)? == wanted,
                    None => true,
                };
                if is_better {
                    *best = Some(value);
                }
                false
            }
            State::Sample(sample) => {
                sample.get_or_insert(value);
                false
            }
            State::Concat { text, language } => {
                let AggregateFunction::Concat { separator } = function else { return Err(Halt::GiveUp) };
                match text_of(&value) {
                    Some(added) => {
                        self.measure(text.len() + separator.len() + added.len())?;
                        append(text, language, separator, added, language_of(&value));
                        false
                    }
                    None => true,
                }
            }
        };
        if failed {
            *values = None;
        }
        Ok(())
    }
}

fn start(aggregate: &Aggregate) -> Sum {
    let seen = |distinct: bool| distinct.then(HashSet::new);
    match aggregate {
        Aggregate::CountRows { distinct } => Sum::Count { count: 0, seen: distinct.then(HashSet::new) },
        Aggregate::Call { function: AggregateFunction::Count, expression, distinct }
            if gives_terms(expression) =>
        {
            Sum::Count { count: 0, seen: distinct.then(HashSet::new) }
        }
        Aggregate::Call { function, distinct, .. } => Sum::Values {
            seen: seen(*distinct && *function != AggregateFunction::Sample),
            values: Some(match function {
                AggregateFunction::Count => State::Count(0),
                AggregateFunction::Sum | AggregateFunction::Avg => {
                    State::Sum { sum: Value::IntegerLiteral(0.into()), count: 0 }
                }
                AggregateFunction::Min | AggregateFunction::Max => State::Extreme(None),
                AggregateFunction::Sample => State::Sample(None),
                AggregateFunction::Concat { .. } => State::Concat { text: String::new(), language: None },
            }),
        },
    }
}

/// Whether an expression gives a term as it is.
fn gives_terms(expression: &Expr) -> bool {
    matches!(expression.kind, ExprKind::Slot(_) | ExprKind::Const(..))
}

fn finish(aggregate: &Aggregate, sum: Sum) -> Option<Value> {
    let number = |count: u64| Some(Value::IntegerLiteral(i64::try_from(count).ok()?.into()));
    let values = match sum {
        Sum::Count { count, .. } => return number(count),
        Sum::Values { values, .. } => values?,
    };
    match values {
        State::Count(count) => number(count),
        State::Sum { sum, count } => match aggregate {
            Aggregate::Call { function: AggregateFunction::Avg, .. } if count == 0 => number(0),
            Aggregate::Call { function: AggregateFunction::Avg, .. } => {
                arithmetic(Operator::Divide, &sum, &number(count)?).ok()?
            }
            _ => Some(sum),
        },
        State::Extreme(value) | State::Sample(value) => value,
        State::Concat { text, language } => Some(match language.flatten() {
            None => Value::StringLiteral(text),
            Some((language, None)) => Value::LangStringLiteral { value: text, language },
            Some((language, Some(direction))) => {
                Value::DirLangStringLiteral { value: text, language, direction }
            }
        }),
    }
}

fn language_of(value: &Value) -> Language {
    match value {
        Value::LangStringLiteral { language, .. } => Some((language.clone(), None)),
        Value::DirLangStringLiteral { language, direction, .. } => Some((language.clone(), Some(*direction))),
        _ => None,
    }
}

fn append(
    text: &mut String,
    language: &mut Option<Language>,
    separator: &str,
    added: &str,
    of_added: Language,
) {
    match language {
        None => *language = Some(of_added),
        Some(language) => {
            if *language != of_added {
                *language = None;
            }
            text.push_str(separator);
        }
    }
    text.push_str(added);
}
