//! Runs the steps of a program in order and passes results between them.

use super::answer::CompatAnswer;
use super::error::{CompatError, Exception, Fault, raise};
use super::file_view::{Entry, FileView};
use super::value::Value;
use super::{Compat, kopl, python, rule};
use crate::budget::Budget;
use std::collections::HashMap;
use touchstone_kb::NodeId;
use touchstone_logic::Program;
use touchstone_logic::kopl::{KoplFunction, ProgramStep};

/// The pair that locating functions return.
pub(super) struct Rows {
    pub(super) ids: Vec<NodeId>,
    /// The record that led to each id, if the function keeps it.
    pub(super) facts: Option<Vec<Entry>>,
}

impl Rows {
    /// Ids without records.
    pub(super) fn plain(ids: Vec<NodeId>) -> Outcome<'static> {
        Outcome::Rows(Rows { ids, facts: None })
    }

    /// Ids with the records that led to them.
    pub(super) fn with_facts(rows: Vec<(NodeId, Entry)>) -> Outcome<'static> {
        let (ids, facts) = rows.into_iter().unzip();
        Outcome::Rows(Rows { ids, facts: Some(facts) })
    }

    /// The first id, as RULE takes it.
    pub(super) fn first(&self) -> Result<NodeId, Fault> {
        match self.ids.first() {
            Some(&first) => Ok(first),
            None => raise(Exception::IndexError, "there is no first entity"),
        }
    }

    /// Rows with their records; a qualifier filter needs them.
    pub(super) fn pairs(&self) -> Result<impl Iterator<Item = (NodeId, Entry)> + '_, Fault> {
        match &self.facts {
            Some(facts) => Ok(self.ids.iter().copied().zip(facts.iter().copied())),
            None => raise(Exception::TypeError, "the result before it has no facts"),
        }
    }
}

/// The result of a step.
pub(super) enum Outcome<'k> {
    Rows(Rows),
    /// RULE's values.
    Value(Value<'k>),
    /// KOPL's values.
    Values(Vec<Value<'k>>),
    Text(String),
    Texts(Vec<String>),
    Number(usize),
    Null,
}

impl Outcome<'_> {
    /// Approximate size in bytes.
    fn size(&self) -> u64 {
        (match self {
            Outcome::Rows(rows) => {
                rows.ids.len() * size_of::<NodeId>()
                    + rows.facts.as_ref().map_or(0, |facts| facts.len() * size_of::<Entry>())
            }
            Outcome::Values(values) => values.len() * size_of::<Value<'_>>(),
            Outcome::Texts(texts) => texts.iter().map(|text| text.len() + size_of::<String>()).sum(),
            Outcome::Text(text) => text.len(),
            Outcome::Value(_) | Outcome::Number(_) | Outcome::Null => 0,
        }) as u64
    }
}

/// The arguments of a function call.
pub(super) struct Call<'c, 'k> {
    pub(super) function: KoplFunction,
    inputs: &'c [String],
    results: Vec<&'c Outcome<'k>>,
    pub(super) budget: &'c Budget<'c>,
    compat: Compat,
}

impl<'c, 'k> Call<'c, 'k> {
    /// A text input; KOPL checks the number of inputs at the call.
    pub(super) fn input(&self, at: usize) -> Result<&'c str, Fault> {
        match self.inputs.get(at) {
            Some(input) => Ok(input),
            None => raise(Exception::IndexError, format!("there is no input {}", at + 1)),
        }
    }

    fn result(&self, at: usize) -> Result<&'c Outcome<'k>, Fault> {
        match self.results.get(at) {
            Some(result) => Ok(result),
            None => raise(Exception::IndexError, format!("there is no result {}", at + 1)),
        }
    }

    /// A result that must be a pair of ids and facts.
    pub(super) fn rows(&self, at: usize) -> Result<&'c Rows, Fault> {
        match self.result(at)? {
            Outcome::Rows(rows) => Ok(rows),
            Outcome::Values(_) | Outcome::Texts(_) | Outcome::Text(_) => {
                raise(Exception::ValueError, "the result before it is not a pair of ids and facts")
            }
            Outcome::Number(_) | Outcome::Value(_) | Outcome::Null => {
                raise(Exception::TypeError, "the result before it is not a pair of ids and facts")
            }
        }
    }

    /// The values to verify: all (KOPL), or one (RULE).
    pub(super) fn values(&self) -> Result<&'c [Value<'k>], Fault> {
        match self.result(0)? {
            Outcome::Values(values) => Ok(values),
            Outcome::Value(value) => Ok(std::slice::from_ref(value)),
            Outcome::Texts(texts) if texts.is_empty() && self.compat == Compat::Kopl => Ok(&[]),
            Outcome::Number(_) if self.compat == Compat::Kopl => {
                raise(Exception::TypeError, "a number has no elements")
            }
            _ => raise(Exception::AttributeError, "the result before it has no values"),
        }
    }

    fn check_arity(&self) -> Result<(), Fault> {
        let given = (self.inputs.len(), self.results.len());
        if self.compat == Compat::Kopl && given != (self.function.inputs().len(), self.function.takes().len())
        {
            return raise(
                Exception::TypeError,
                format!("{} is called with too few or too many", self.function),
            );
        }
        Ok(())
    }
}

/// Runs a program from its first step to its last.
pub(super) fn run(
    view: &mut FileView<'_>,
    asked: &mut HashMap<String, usize>,
    program: &Program,
    budget: &Budget<'_>,
) -> Result<CompatAnswer, CompatError> {
    let n_steps = program.steps.len();
    let mut results: Vec<Outcome<'_>> = Vec::with_capacity(n_steps);
    let mut held = 0;
    let mut failed = None;
    for (at, step) in program.steps.iter().enumerate() {
        budget.enter(Some((at + 1, n_steps)));
        let outcome = call(view, asked, step, &results, budget).and_then(|outcome| {
            held += outcome.size();
            budget.hold(outcome.size())?;
            Ok(outcome)
        });
        match outcome {
            Ok(outcome) => results.push(outcome),
            Err(fault) => {
                failed = Some((at + 1, fault));
                break;
            }
        }
    }
    budget.release(held);
    match failed {
        Some((_, Fault::Stopped(stopped))) => return Err(CompatError::Stopped(stopped)),
        Some((step, Fault::Raised(exception, reason))) => {
            return Err(CompatError::Raised { step, exception, reason });
        }
        None => {}
    }
    let answer = answer(view, results.last());
    let n_rows = if let CompatAnswer::List(texts) = &answer { texts.len() } else { 1 };
    budget.add_rows(n_rows as u64)?;
    budget.enter(None);
    Ok(answer)
}

fn call<'k>(
    view: &mut FileView<'k>,
    asked: &mut HashMap<String, usize>,
    step: &ProgramStep,
    results: &[Outcome<'k>],
    budget: &Budget<'_>,
) -> Result<Outcome<'k>, Fault> {
    let mut taken = Vec::with_capacity(step.dependencies.len());
    for &dependency in &step.dependencies {
        match results.get(dependency) {
            Some(result) => taken.push(result),
            None => return raise(Exception::IndexError, format!("there is no step {}", dependency + 1)),
        }
    }
    let compat = view.compat;
    let call = Call { function: step.function, inputs: &step.inputs, results: taken, budget, compat };
    call.check_arity()?;
    match compat {
        Compat::Kopl => kopl::call(view, &call),
        Compat::Rule => rule::call(view, asked, &call),
    }
}

/// Intersection; the same in both executors.
pub(super) fn and<'k>(view: &FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let (left, right) = (call.rows(0)?, call.rows(1)?);
    call.budget.spend((left.ids.len() + right.ids.len()) as u64)?;
    let mut right = right.ids.clone();
    right.sort_unstable();
    let both = left.ids.iter().copied().filter(|id| right.binary_search(id).is_ok()).collect();
    Ok(Rows::plain(view.as_set(both)))
}

/// Union; the same in both executors.
pub(super) fn or<'k>(view: &FileView<'k>, call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    let (left, right) = (call.rows(0)?, call.rows(1)?);
    call.budget.spend((left.ids.len() + right.ids.len()) as u64)?;
    Ok(Rows::plain(view.as_set([&left.ids[..], &right.ids[..]].concat())))
}

/// The number of rows, duplicates included; the same in both executors.
pub(super) fn count<'k>(call: &Call<'_, 'k>) -> Result<Outcome<'k>, Fault> {
    Ok(Outcome::Number(call.rows(0)?.ids.len()))
}

/// The last result as text. A program without steps returns Python's `None`.
fn answer(view: &FileView<'_>, last: Option<&Outcome<'_>>) -> CompatAnswer {
    let texts = |values: &[Value<'_>]| values.iter().map(Value::to_string).collect();
    match last {
        Some(Outcome::Values(values)) => CompatAnswer::List(texts(values)),
        Some(Outcome::Texts(texts)) => CompatAnswer::List(texts.clone()),
        Some(Outcome::Text(text)) => CompatAnswer::Text(text.clone()),
        Some(Outcome::Value(value)) => CompatAnswer::Text(value.to_string()),
        Some(Outcome::Number(number)) => CompatAnswer::Text(number.to_string()),
        Some(Outcome::Rows(rows)) => CompatAnswer::Text(pair_repr(view, rows)),
        Some(Outcome::Null) | None => CompatAnswer::Text("None".to_owned()),
    }
}

/// A pair as Python prints it; records are dictionaries printed as memory addresses, so only their number is shown.
fn pair_repr(view: &FileView<'_>, rows: &Rows) -> String {
    let ids: Vec<String> = rows.ids.iter().map(|&id| python::text_repr(view.kb.node_id(id))).collect();
    let facts = match &rows.facts {
        Some(facts) => format!("[{}]", vec!["{...}"; facts.len()].join(", ")),
        None => "None".to_owned(),
    };
    format!("([{}], {facts})", ids.join(", "))
}
