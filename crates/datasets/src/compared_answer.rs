//! An answer in the ways in which evaluators compare it.

use std::borrow::Cow;
use touchstone_logic::Answer;

/// An answer in the ways in which it can be written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComparedAnswer<'a> {
    /// Its id, if it has one.
    pub id: Option<Cow<'a, str>>,
    /// Its text: a name, or a value with its unit.
    pub text: Cow<'a, str>,
    /// Its value without the unit, if it has one.
    pub value: Option<Cow<'a, str>>,
    /// Yes or no, if it is one of them.
    pub boolean: Option<bool>,
    /// The cells of an answer of several columns; an unbound cell has neither id nor text.
    pub cells: Option<Box<[ComparedAnswer<'a>]>>,
}

impl<'a> ComparedAnswer<'a> {
    /// A bare text.
    pub fn plain(text: impl Into<Cow<'a, str>>) -> ComparedAnswer<'a> {
        ComparedAnswer { text: text.into(), ..ComparedAnswer::default() }
    }

    /// An answer in the ways in which it can be written.
    pub fn of(answer: &'a Answer) -> ComparedAnswer<'a> {
        let cells = match answer {
            Answer::Tuple { cells } => Some(
                cells.iter().map(|cell| cell.as_ref().map(ComparedAnswer::of).unwrap_or_default()).collect(),
            ),
            _ => None,
        };
        ComparedAnswer {
            id: answer.id().map(Cow::Borrowed),
            text: answer.text(),
            value: answer.value_without_unit().map(Cow::Borrowed),
            boolean: match answer {
                Answer::Boolean { value } => Some(*value),
                _ => None,
            },
            cells,
        }
    }

    /// The same from an owned answer.
    pub fn of_owned(answer: Answer) -> ComparedAnswer<'static> {
        match answer {
            Answer::Entity { id, label } | Answer::Class { id, label } | Answer::Relation { id, label }
                if !id.is_empty() && !label.is_empty() =>
            {
                ComparedAnswer { id: Some(id.into()), text: label.into(), ..ComparedAnswer::default() }
            }
            other => ComparedAnswer::of(&other).into_owned(),
        }
    }

    /// A row of several columns. On KQA Pro's graph the parts of a value are columns (`value`, `number` and `unit`, or `year` and `date`): such
    /// a row is one value. Any other row is one answer with all of its cells.
    pub fn of_row(variables: &[String], row: &[Option<Answer>]) -> ComparedAnswer<'static> {
        let text = |name: &str| {
            let at = variables.iter().position(|variable| variable == name)?;
            row.get(at)?.as_ref().map(|cell| cell.text().into_owned())
        };
        let is_of_value =
            |variable: &String| ["value", "number", "unit", "year", "date"].contains(&variable.as_str());
        if variables.iter().all(is_of_value) {
            let number = text("number").or_else(|| text("value"));
            match (number, text("unit").filter(|unit| unit != "1"), text("date").or_else(|| text("year"))) {
                (Some(number), Some(unit), _) => {
                    return ComparedAnswer {
                        text: format!("{number} {unit}").into(),
                        value: Some(number.into()),
                        ..ComparedAnswer::default()
                    };
                }
                (Some(value), None, _) | (None, _, Some(value)) => return ComparedAnswer::plain(value),
                (None, _, None) => {}
            }
        }
        ComparedAnswer::of(&Answer::Tuple { cells: row.to_vec() }).into_owned()
    }

    /// The same with owned texts.
    pub(crate) fn into_owned(self) -> ComparedAnswer<'static> {
        let owned = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        let of_cells = |cells: Box<[ComparedAnswer<'a>]>| {
            cells.into_vec().into_iter().map(ComparedAnswer::into_owned).collect()
        };
        ComparedAnswer {
            id: self.id.map(owned),
            text: owned(self.text),
            value: self.value.map(owned),
            boolean: self.boolean,
            cells: self.cells.map(of_cells),
        }
    }

    /// The answer as official files write it: the id, or the value without its unit.
    #[must_use]
    pub(crate) fn id_or_value(&self) -> &str {
        self.id.as_deref().or(self.value.as_deref()).unwrap_or(&self.text)
    }
}

/// Answers for tests.
#[cfg(test)]
pub(crate) fn known(list: serde_json::Value) -> Vec<ComparedAnswer<'static>> {
    let answers: Vec<Answer> = serde_json::from_value(list).expect("answers");
    answers.into_iter().map(ComparedAnswer::of_owned).collect()
}
