//! Programs as JSON, as in the files of KQA Pro: a list of objects with `function`, `dependencies` and
//! `inputs`.

use super::error::{ProgramError, shown};
use super::functions::KoplFunction;
use super::program::{Program, ProgramStep};
use crate::text::{Span, SyntaxError};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

impl Program {
    /// Parses the JSON form: a list of steps, or an object with such a list as its `program`, like the records
    /// of KQA Pro. `dependencies` may be missing in all steps and is then inferred; `inputs` may be
    /// missing if there are none. `func` is accepted for `function`, and a number for its text.
    ///
    /// ```
    /// use touchstone_logic::Program;
    /// let program = Program::from_json(r#"[{"function": "Find", "inputs": ["Yao Ming"]}, {"function": "What"}]"#)?;
    /// assert_eq!(program.to_readable()?, "Find(Yao Ming) > What()");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Program, ProgramError> {
        let value: Value = serde_json::from_str(text).map_err(|error| not_json(text, &error))?;
        Program::from_value(&value)
    }

    /// The program in JSON that is already parsed, such as a part of a record. Unlike [`Deserialize`], it returns an error with the step
    /// and its problem as fields. See [`Program::from_json`].
    pub fn from_deserializer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Program, ProgramError> {
        let value = Value::deserialize(deserializer)
            .map_err(|error| ProgramError::NotAProgram { detail: error.to_string() })?;
        Program::from_value(&value)
    }

    fn from_value(value: &Value) -> Result<Program, ProgramError> {
        let value = value.get("program").unwrap_or(value);
        let Value::Array(items) = value else {
            let detail = match value {
                Value::Object(_) => "an object without `program`".to_owned(),
                other => format!("{} is not a program", shown(&other.to_string())),
            };
            return Err(ProgramError::NotAProgram { detail });
        };
        let mut steps = Vec::with_capacity(items.len());
        let mut without = None;
        for (i, item) in items.iter().enumerate() {
            let step = i + 1;
            let Value::Object(item) = item else {
                return Err(not_a_step(step, format!("{} is not an object", shown(&item.to_string()))));
            };
            let dependencies = match item.get("dependencies").filter(|value| !value.is_null()) {
                Some(value) => dependencies(step, value)?,
                None => {
                    without.get_or_insert((step, 0)).1 += 1;
                    Vec::new()
                }
            };
            steps.push(ProgramStep {
                function: function(step, item)?,
                inputs: inputs(step, item)?,
                dependencies,
            });
        }
        match without {
            None => Ok(Program { steps }),
            Some((_, missing)) if missing == steps.len() => {
                Program::from_sequence(steps.into_iter().map(|step| (step.function, step.inputs)))
            }
            Some((step, _)) => Err(ProgramError::SomeDependencies { step }),
        }
    }

    /// The JSON form as text.
    pub fn to_json(&self) -> String {
        json!(self).to_string()
    }
}

/// The JSON form: a list of steps.
impl Serialize for Program {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.steps.serialize(serializer)
    }
}

/// With the keys in the order of KQA Pro.
impl Serialize for ProgramStep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut step = serializer.serialize_struct("ProgramStep", 3)?;
        step.serialize_field("function", self.function.name())?;
        step.serialize_field("dependencies", &self.dependencies)?;
        step.serialize_field("inputs", &self.inputs)?;
        step.end()
    }
}

impl<'de> Deserialize<'de> for Program {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Program, D::Error> {
        Program::from_deserializer(deserializer).map_err(serde::de::Error::custom)
    }
}

fn function(step: usize, item: &Map<String, Value>) -> Result<KoplFunction, ProgramError> {
    match item.get("function").or_else(|| item.get("func")) {
        Some(Value::String(name)) => {
            let function = KoplFunction::from_name(name.trim());
            function.ok_or_else(|| ProgramError::UnknownFunction { step, name: name.trim().to_owned() })
        }
        Some(other) => {
            Err(not_a_step(step, format!("`function` is {}, not a text", shown(&other.to_string()))))
        }
        None => Err(not_a_step(step, "has no `function`".to_owned())),
    }
}

fn dependencies(step: usize, value: &Value) -> Result<Vec<usize>, ProgramError> {
    let Value::Array(items) = value else {
        let detail = format!("`dependencies` is {}, not a list", shown(&value.to_string()));
        return Err(not_a_step(step, detail));
    };
    let number = |item: &Value| {
        let number = match item {
            Value::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let detail =
            || format!("dependency {} is not the number of a step (from 0)", shown(&item.to_string()));
        number.ok_or_else(|| not_a_step(step, detail()))
    };
    items.iter().map(number).collect()
}

fn inputs(step: usize, item: &Map<String, Value>) -> Result<Vec<String>, ProgramError> {
    let items = match item.get("inputs") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(other) => {
            return Err(not_a_step(step, format!("`inputs` is {}, not a list", shown(&other.to_string()))));
        }
    };
    let text = |item: &Value| match item {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => {
            Err(not_a_step(step, format!("input {} is not a text or a number", shown(&other.to_string()))))
        }
    };
    items.iter().map(text).collect()
}

fn not_a_step(step: usize, detail: String) -> ProgramError {
    ProgramError::NotAStep { step, detail }
}

/// Converts a position: the parser counts lines from 1 and bytes in the line; a span counts bytes of the text.
fn not_json(text: &str, error: &serde_json::Error) -> ProgramError {
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(|line| line.len()).sum();
    let at = (line_start + error.column().saturating_sub(1)).min(text.len());
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    SyntaxError::new(Span::new(at, at), format!("not JSON: {message}")).located(text).into()
}

#[cfg(test)]
mod tests {
    use super::super::program::arbitrary;
    use super::*;
    use proptest::prelude::*;

    const PROGRAM: &str = r#"[{"function":"Find","dependencies":[],"inputs":["Yao Ming"]},{"function":"QueryAttr","dependencies":[0],"inputs":["height"]},{"function":"VerifyNum","dependencies":[1],"inputs":["2 metre",">"]}]"#;

    #[test]
    fn read_and_written() {
        let program = Program::from_json(PROGRAM).expect("a program");
        assert_eq!(
            program.to_readable().expect("in order"),
            r#"Find(Yao Ming) > QueryAttr(height) > VerifyNum(2 metre, >)"#
        );
        assert_eq!(program.to_json(), PROGRAM);
    }

    #[test]
    fn other_spellings_are_read() {
        let program = Program::from_json(PROGRAM).expect("a program");
        for other in [
            PROGRAM.replace("\"function\"", "\"func\""),
            PROGRAM
                .replace("\"dependencies\":[],", "")
                .replace("\"dependencies\":[0],", "")
                .replace("\"dependencies\":[1],", ""),
            PROGRAM.replace("[0]", "[\"0\"]"),
            format!("{{\"answer\": \"no\", \"program\": {PROGRAM}}}"),
        ] {
            assert_eq!(Program::from_json(&other).as_ref(), Ok(&program), "{other}");
        }
        let numbers = Program::from_json(&PROGRAM.replace("\"2 metre\"", "2")).expect("a program");
        assert_eq!(numbers.steps[2].inputs, ["2", ">"]);
        let name =
            Program::from_json(r#"[{"function":"FindAll"},{"function":"QueryName"}]"#).expect("a program");
        assert_eq!(name.steps[1].function, KoplFunction::What);
    }

    #[test]
    fn messages() {
        let list = "a program is a list of objects with `function`, `dependencies` and `inputs`";
        for (text, message) in [
            ("[", "line 1, column 1: not JSON: EOF while parsing a list in `[`".to_owned()),
            (
                "[\n {\"function\" 1}]",
                "line 2, column 14: not JSON: expected `:` in `{\"function\" 1}]`".to_owned(),
            ),
            ("{}", format!("an object without `program`; {list}")),
            ("7", format!("7 is not a program; {list}")),
            ("[7]", "step 1: 7 is not an object".to_owned()),
            ("[{}]", "step 1: has no `function`".to_owned()),
            ("[{\"function\": 1}]", "step 1: `function` is 1, not a text".to_owned()),
            (
                "[{\"function\": \"FindAl\"}]",
                "step 1: unknown function `FindAl`; did you mean `FindAll`?".to_owned(),
            ),
            (
                "[{\"function\": \"Find\", \"dependencies\": 0}]",
                "step 1: `dependencies` is 0, not a list".to_owned(),
            ),
            (
                "[{\"function\": \"Find\", \"dependencies\": [-1]}]",
                "step 1: dependency -1 is not the number of a step (from 0)".to_owned(),
            ),
            (
                "[{\"function\": \"Find\", \"inputs\": \"A\"}]",
                "step 1: `inputs` is \"A\", not a list".to_owned(),
            ),
            (
                "[{\"function\": \"Find\", \"inputs\": [true]}]",
                "step 1: input true is not a text or a number".to_owned(),
            ),
            (
                "[{\"function\": \"FindAll\", \"dependencies\": []}, {\"function\": \"What\"}]",
                "step 2: has no `dependencies`, but other steps have; give them for all steps or for none"
                    .to_owned(),
            ),
        ] {
            assert_eq!(Program::from_json(text).expect_err(text).to_string(), message);
        }
    }

    proptest! {
        #![proptest_config(arbitrary::cases(300))]

        #[test]
        fn round_trip(program in arbitrary::programs(arbitrary::PIECES)) {
            prop_assert_eq!(Program::from_json(&program.to_json()), Ok(program.clone()));
            prop_assert_eq!(Program::from_deserializer(json!(program)), Ok(program.clone()));
            prop_assert_eq!(serde_json::from_str::<Program>(&program.to_json()).ok(), Some(program));
        }
    }
}
