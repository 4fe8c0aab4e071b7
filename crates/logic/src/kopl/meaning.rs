//! Visits the steps of a program and builds a query of the algebra from them, or directly the plan of an engine.
//!
//! Engines build their plan directly because a short program runs in a microsecond, and making a query first takes a third of that.

use super::check::{NumberText, TimeText, parse_number, parse_time};
use super::program::PerStep;
use super::{KoplFunction, Program, ProgramError, ProgramStep};
use crate::query::{Direction, Extreme};
use crate::value::Value;
use crate::vocabulary::KeyKind;
use smallvec::SmallVec;
use touchstone_kb::{Comparison, plain_date};

/// Builds something from the steps of a program.
pub trait ProgramBuilder {
    /// A description of things.
    type Set: Clone;
    /// A question about such descriptions.
    type Asked;

    /// Everything.
    fn all(&mut self) -> Self::Set;
    /// The entities and classes with a name.
    fn named(&mut self, name: &str) -> Self::Set;
    /// The members of a class.
    fn class(&mut self, word: &str) -> Self::Set;
    /// Things with a matching value under an attribute.
    fn having(&mut self, attribute: &str, comparison: Comparison, value: Value) -> Self::Set;
    /// What the members of a set lead to.
    fn related(&mut self, from: Self::Set, relation: &str, direction: Direction) -> Self::Set;
    /// Adds a condition to the fact of the last step.
    fn qualified(
        &mut self,
        of: Self::Set,
        qualifier: &str,
        comparison: Comparison,
        value: Value,
    ) -> Self::Set;
    /// Intersection.
    fn both(&mut self, a: Self::Set, b: Self::Set) -> Self::Set;
    /// Union.
    fn either(&mut self, a: Self::Set, b: Self::Set) -> Self::Set;
    /// The final question.
    fn ask(&mut self, question: ProgramAsk<'_, Self::Set>) -> Self::Asked;
}

/// The final question of a program.
pub enum ProgramAsk<'p, S> {
    /// The members of a set.
    Members(S),
    /// The number of members.
    Count(S),
    /// Values of an attribute.
    Attribute(AttributeValues<'p, S>),
    /// Whether some value of an attribute matches.
    Verify(AttributeValues<'p, S>, Comparison, Box<Value>),
    /// Which relations lead from one set to another.
    Relation(S, S),
    /// A qualifier of a literal fact.
    AttributeQualifier {
        /// The subjects of the fact.
        of: S,
        /// Its attribute.
        attribute: &'p str,
        /// Its value; the KB knows its kind.
        value: &'p str,
        /// The requested qualifier.
        qualifier: &'p str,
    },
    /// A qualifier of a relational fact.
    RelationQualifier {
        /// The subjects of the fact.
        from: S,
        /// Its relation.
        relation: &'p str,
        /// The objects of the fact.
        to: S,
        /// The requested qualifier.
        qualifier: &'p str,
    },
    /// Which of two has the greater or smaller value.
    SelectBetween(S, S, &'p str, Extreme),
    /// Which member has the greatest or smallest value.
    SelectAmong(S, &'p str, Extreme),
}

/// Values of an attribute, which are asked for or verified.
#[derive(Clone)]
pub struct AttributeValues<'p, S> {
    /// The things that have the values.
    pub of: S,
    /// The attribute.
    pub attribute: &'p str,
    /// A qualifier of the fact, and the value that it must have; the KB knows its kind.
    pub condition: Option<(&'p str, &'p str)>,
}

/// The result of a step.
#[derive(Clone)]
enum StepResult<'p, S> {
    Set(S),
    Values(AttributeValues<'p, S>),
}

/// The results of the steps so far, until their last use.
struct StepResults<'p, S> {
    /// Most programs fit without allocation.
    values: SmallVec<[Option<StepResult<'p, S>>; 6]>,
    uses: PerStep,
}

impl<'p, S: Clone> StepResults<'p, S> {
    fn take(&mut self, step: usize) -> Option<StepResult<'p, S>> {
        self.uses[step] -= 1;
        if self.uses[step] == 0 { self.values[step].take() } else { self.values[step].clone() }
    }
}

/// Maximum number of steps after repeated ones are expanded.
const MAX_STEPS: usize = 10_000;

impl Program {
    /// Checks the program and passes its steps to a builder.
    pub fn build<B: ProgramBuilder>(&self, builder: &mut B) -> Result<B::Asked, ProgramError> {
        let uses = self.checked_uses()?;
        if self.steps.len() > MAX_STEPS || uses.iter().any(|&uses| uses > 1) {
            self.check_size()?;
        }
        let (last, steps) = self.steps.split_last().ok_or(ProgramError::Empty)?;
        let mut results = StepResults { values: SmallVec::new(), uses };
        for (at, step) in steps.iter().enumerate() {
            use KoplFunction::*;
            let outcome = match step.function {
                QueryAttr | QueryAttrUnderCondition => {
                    StepResult::Values(values(step, &mut results, builder))
                }
                QueryAttrQualifier | QueryRelationQualifier => return Err(self.verified_qualifier(at)),
                _ => StepResult::Set(set(step, &mut results, builder)),
            };
            results.values.push(Some(outcome));
        }
        let question = question(last, &mut results, builder);
        Ok(builder.ask(question))
    }

    /// The types would match, but the algebra can only verify values of attributes.
    #[cold]
    fn verified_qualifier(&self, at: usize) -> ProgramError {
        let verifies = self.steps.iter().position(|step| step.dependencies.contains(&at)).unwrap_or(at);
        ProgramError::VerifiesQualifier {
            step: verifies + 1,
            function: self.steps[verifies].function,
            on: at + 1,
            on_function: self.steps[at].function,
        }
    }

    /// Steps that are used several times are expanded, so the result is limited in size.
    fn check_size(&self) -> Result<(), ProgramError> {
        let mut sizes = PerStep::with_capacity(self.steps.len());
        for step in &self.steps {
            let size = step.dependencies.iter().fold(1u32, |sum, &d| sum.saturating_add(sizes[d]));
            if size as usize > MAX_STEPS {
                return Err(ProgramError::TooLong);
            }
            sizes.push(size);
        }
        Ok(())
    }
}

/// The set that a step depends on.
fn taken<B: ProgramBuilder>(
    i: usize,
    step: &ProgramStep,
    results: &mut StepResults<'_, B::Set>,
    builder: &mut B,
) -> B::Set {
    match results.take(step.dependencies[i]) {
        Some(StepResult::Set(set)) => set,
        // The check ensures that it is a set.
        _ => builder.all(),
    }
}

fn set<B: ProgramBuilder>(
    step: &ProgramStep,
    results: &mut StepResults<'_, B::Set>,
    builder: &mut B,
) -> B::Set {
    use KoplFunction::*;
    let inputs = &step.inputs;
    match step.function {
        FindAll => builder.all(),
        Find => builder.named(&inputs[0]),
        Relate => {
            let direction = if inputs[1] == "forward" { Direction::Forward } else { Direction::Backward };
            let from = taken(0, step, results, builder);
            builder.related(from, &inputs[0], direction)
        }
        FilterConcept => {
            let of = taken(0, step, results, builder);
            let class = builder.class(&inputs[0]);
            builder.both(of, class)
        }
        FilterStr | FilterNum | FilterYear | FilterDate => {
            let of = taken(0, step, results, builder);
            let (comparison, value) = compared(step.function, &inputs[1..]);
            let having = builder.having(&inputs[0], comparison, value);
            builder.both(of, having)
        }
        QFilterStr | QFilterNum | QFilterYear | QFilterDate => {
            let of = taken(0, step, results, builder);
            let (comparison, value) = compared(step.function, &inputs[1..]);
            builder.qualified(of, &inputs[0], comparison, value)
        }
        And => {
            let (a, b) = (taken(0, step, results, builder), taken(1, step, results, builder));
            builder.both(a, b)
        }
        Or => {
            let (a, b) = (taken(0, step, results, builder), taken(1, step, results, builder));
            builder.either(a, b)
        }
        // The question is the last step, by its type or because the program was rejected.
        _ => builder.all(),
    }
}

fn values<'p, B: ProgramBuilder>(
    step: &'p ProgramStep,
    results: &mut StepResults<'p, B::Set>,
    builder: &mut B,
) -> AttributeValues<'p, B::Set> {
    let of = taken(0, step, results, builder);
    let condition = match &step.inputs[1..] {
        [qualifier, value] => Some((qualifier.as_str(), value.as_str())),
        _ => None,
    };
    AttributeValues { of, attribute: &step.inputs[0], condition }
}

fn question<'p, B: ProgramBuilder>(
    step: &'p ProgramStep,
    results: &mut StepResults<'p, B::Set>,
    builder: &mut B,
) -> ProgramAsk<'p, B::Set> {
    use KoplFunction::*;
    let inputs = &step.inputs;
    match step.function {
        QueryAttr | QueryAttrUnderCondition => ProgramAsk::Attribute(values(step, results, builder)),
        What => ProgramAsk::Members(taken(0, step, results, builder)),
        Count => ProgramAsk::Count(taken(0, step, results, builder)),
        SelectBetween => {
            let extreme = if inputs[1] == "greater" { Extreme::Max } else { Extreme::Min };
            let (left, right) = (taken(0, step, results, builder), taken(1, step, results, builder));
            ProgramAsk::SelectBetween(left, right, &inputs[0], extreme)
        }
        SelectAmong => {
            let extreme = if inputs[1] == "largest" { Extreme::Max } else { Extreme::Min };
            ProgramAsk::SelectAmong(taken(0, step, results, builder), &inputs[0], extreme)
        }
        VerifyStr | VerifyNum | VerifyYear | VerifyDate => {
            let (comparison, value) = compared(step.function, inputs);
            match results.take(step.dependencies[0]) {
                Some(StepResult::Values(values)) => ProgramAsk::Verify(values, comparison, Box::new(value)),
                // There are values, or the program was rejected.
                _ => ProgramAsk::Members(builder.all()),
            }
        }
        QueryRelation => {
            let (from, to) = (taken(0, step, results, builder), taken(1, step, results, builder));
            ProgramAsk::Relation(from, to)
        }
        QueryAttrQualifier => ProgramAsk::AttributeQualifier {
            of: taken(0, step, results, builder),
            attribute: &inputs[0],
            value: &inputs[1],
            qualifier: &inputs[2],
        },
        QueryRelationQualifier => ProgramAsk::RelationQualifier {
            from: taken(0, step, results, builder),
            to: taken(1, step, results, builder),
            relation: &inputs[0],
            qualifier: &inputs[1],
        },
        _ => ProgramAsk::Members(set(step, results, builder)),
    }
}

/// The operator and the value of a comparison: texts by equality only, others by the operator after the value.
fn compared(function: KoplFunction, inputs: &[String]) -> (Comparison, Value) {
    use KoplFunction::*;
    let text = &inputs[0];
    let value = match function {
        FilterStr | QFilterStr | VerifyStr => return (Comparison::Equal, Value::text(text)),
        FilterNum | QFilterNum | VerifyNum => number(text),
        _ => time_value(text).map(|(value, _)| value),
    };
    let comparison = inputs.get(1).and_then(|symbol| Comparison::from_symbol(symbol));
    (comparison.unwrap_or(Comparison::Equal), value.unwrap_or_else(|| Value::text(text)))
}

fn number(text: &str) -> Option<Value> {
    let NumberText { number, unit } = parse_number(text)?;
    Some(Value::quantity(number, &unit))
}

/// A year or date, and its parsed form.
#[inline]
pub fn time_value(text: &str) -> Option<(Value, TimeText)> {
    let time = parse_time(text)?;
    let value = match time {
        // The usual spelling.
        TimeText::Year(_) if is_plain_year(text) => Value::xsd(text, "gYear"),
        TimeText::Year(year) => Value::xsd(year.to_string(), "gYear"),
        TimeText::Date { .. } if plain_date(text).is_some() => Value::xsd(text, "date"),
        TimeText::Date { year, month, day } => Value::xsd(format!("{year:04}-{month:02}-{day:02}"), "date"),
    };
    Some((value, time))
}

/// Whether a year is written as numbers are printed.
fn is_plain_year(text: &str) -> bool {
    matches!(text.as_bytes(), [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit))
}

/// All interpretations of a text: itself, a number with its unit, a year or date. For [`Value::untyped`] under a key with values of
/// several kinds.
pub fn readings(text: &str) -> Vec<Value> {
    let time = time_value(text).map(|(value, _)| value);
    [Some(Value::text(text)), number(text), time].into_iter().flatten().collect()
}

/// A value whose kind the program does not give: KoPL takes the kind of the key from the KB. A full date cannot be anything else; another
/// value under an unknown key remains untyped.
pub fn keyed_value(kind: Option<KeyKind>, text: &str) -> Value {
    let typed = match kind {
        Some(KeyKind::Text) => Some(Value::text(text)),
        Some(KeyKind::Number) => number(text),
        Some(KeyKind::Time) => time_value(text).map(|(value, _)| value),
        None => match time_value(text) {
            Some((value, TimeText::Date { .. })) if text.len() == 10 => Some(value),
            _ => None,
        },
    };
    typed.unwrap_or_else(|| Value::untyped(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualifiers_are_not_verified() {
        for (text, message) in [
            (
                "Find(A) > Find(B) > QueryRelationQualifier(spouse, start time) > VerifyYear(1990, =)",
                "step 4, VerifyYear: verifies values of an attribute, but step 3 is QueryRelationQualifier; \
                 end with QueryRelationQualifier to ask for the qualifier, or filter by it with a QFilter",
            ),
            (
                "Find(A) > QueryAttrQualifier(population, 5, point in time) > VerifyStr(x)",
                "step 3, VerifyStr: verifies values of an attribute, but step 2 is QueryAttrQualifier; \
                 end with QueryAttrQualifier to ask for the qualifier, or filter by it with a QFilter",
            ),
        ] {
            let program = Program::parse(text).expect("a program");
            assert_eq!(program.check(), Ok(()), "published executors run it");
            assert_eq!(program.to_query(&()).expect_err("refused").to_string(), message);
        }
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        for (text, written) in [
            ("1990-01-02", "1990-01-02"),
            ("1990/1/2", "1990-01-02"),
            ("1990- 1-02", "1990-01-02"),
            ("1990-+1-02", "1990-01-02"),
            (" 1990", "1990"),
            ("-0500", "-500"),
        ] {
            let (value, _) = time_value(text).expect("a time");
            assert_eq!(value.text, written, "{text}");
            assert!(value.literal().as_time().is_some(), "{text}");
        }
    }
}
