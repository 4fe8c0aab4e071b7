//! Programs as one line for sequence models: `Find <arg> Yao Ming <func> What`. The dependencies are left
//! out; the order of the functions implies them.

use super::error::{ProgramError, shown};
use super::functions::KoplFunction;
use super::program::Program;
use crate::text::{Span, SyntaxError};

const FUNCTION: &str = "<func>";
const ARGUMENT: &str = "<arg>";

impl Program {
    /// Parses the linear form. Spaces around names and inputs are ignored.
    pub fn from_linear(text: &str) -> Result<Program, ProgramError> {
        if text.trim().is_empty() {
            return Ok(Program::default());
        }
        let mut steps = Vec::new();
        let mut start = 0;
        for part in text.split(FUNCTION) {
            let mut pieces = part.split(ARGUMENT);
            let name = pieces.next().unwrap_or_default();
            let function = function(name, start).map_err(|error| error.located(text))?;
            steps.push((function, pieces.map(|input| input.trim().to_owned()).collect()));
            start += part.len() + FUNCTION.len();
        }
        Program::from_sequence(steps)
    }

    /// The linear form. A step that is used several times is repeated; inputs that the form
    /// cannot represent are an error.
    pub fn to_linear(&self) -> Result<String, ProgramError> {
        let program = self.in_order()?;
        let mut text = String::new();
        for (i, step) in program.steps.iter().enumerate() {
            if i > 0 {
                text.push_str(" <func> ");
            }
            text.push_str(step.function.name());
            for input in &step.inputs {
                if let Some(problem) = problem(input) {
                    let (function, input) = (step.function, input.clone());
                    return Err(ProgramError::NotLinear { step: i + 1, function, input, problem });
                }
                text.push_str(" <arg> ");
                text.push_str(input);
            }
        }
        Ok(text)
    }
}

/// Why an input would not be parsed back unchanged.
fn problem(input: &str) -> Option<String> {
    if let Some(marker) = [FUNCTION, ARGUMENT].into_iter().find(|marker| input.contains(marker)) {
        Some(format!("contains the marker `{marker}`"))
    } else if input.trim() != input {
        Some("begins or ends with a space".to_owned())
    } else {
        None
    }
}

/// The function with a name, possibly surrounded by spaces, that begins at a byte of the text.
fn function(name: &str, start: usize) -> Result<KoplFunction, SyntaxError> {
    let trimmed = name.trim();
    let start = start + name.len() - name.trim_start().len();
    let span = Span::new(start, start + trimmed.len());
    if trimmed.is_empty() {
        let hint = "the form is `Find <arg> Yao Ming <func> What`";
        return Err(SyntaxError::new(span, "a function name is missing").hint(hint));
    }
    KoplFunction::from_name(trimmed).ok_or_else(|| {
        let message = format!("unknown function `{}`", shown(trimmed));
        SyntaxError::new(span, message).hint(KoplFunction::suggestion(trimmed))
    })
}

#[cfg(test)]
mod tests {
    use super::super::program::arbitrary;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn read_and_written() {
        let line = "FindAll <func> FilterNum <arg> area <arg> 270 square kilometre <arg> > <func> Find <arg> A, (b) <func> And <func> QueryName";
        let program = Program::from_linear(line).expect("a program");
        assert_eq!(program.steps[1].inputs, ["area", "270 square kilometre", ">"]);
        assert_eq!(program.steps[3].dependencies, [1, 2]);
        assert_eq!(program.to_linear().expect("in order"), line.replace("QueryName", "What"));
    }

    #[test]
    fn blanks_do_not_count() {
        let line = "Find <arg> Yao  Ming <func> FilterStr <arg> alias <arg> <func> What";
        let program = Program::from_linear(line).expect("a program");
        assert_eq!(program.steps[1].inputs, ["alias", ""]);
        for other in [
            "Find<arg>Yao  Ming<func>FilterStr<arg>alias<arg><func>What",
            "\n Find  <arg>\tYao  Ming   <func>\nFilterStr <arg> alias <arg>    <func> What \n",
        ] {
            assert_eq!(Program::from_linear(other).as_ref(), Ok(&program), "{other}");
        }
    }

    #[test]
    fn messages() {
        for (text, message) in [
            (
                "Find <arg> A <func>  Relat <arg> b",
                "line 1, column 22: unknown function `Relat` in `Find <arg> A <func>  Relat <arg> b`; did you mean `Relate`?",
            ),
            (
                "Find <arg> A <func> <func> What",
                "line 1, column 21: a function name is missing in `Find <arg> A <func> <func> What`; the form is `Find <arg> Yao Ming <func> What`",
            ),
            (
                "What <func> Find <arg> A",
                "step 1, What: needs 1 result before it, but there is none; begin with Find or FindAll",
            ),
        ] {
            assert_eq!(Program::from_linear(text).expect_err(text).to_string(), message);
        }
    }

    #[test]
    fn inputs_that_the_form_cannot_hold() {
        for (input, problem) in [
            ("a <arg> b", "contains the marker `<arg>`"),
            ("<func>", "contains the marker `<func>`"),
            ("a ", "begins or ends with a space"),
        ] {
            let program =
                Program::from_sequence([(KoplFunction::Find, vec![input.to_owned()])]).expect("a program");
            assert_eq!(
                program.to_linear().expect_err(input).to_string(),
                format!(
                    "step 1, Find: the input `{input}` {problem}, so there is no linear form; use JSON or the readable form"
                )
            );
        }
    }

    proptest! {
        #![proptest_config(arbitrary::cases(300))]

        #[test]
        fn round_trip(program in arbitrary::programs(&["Yao Ming", "b", ",", "(", ")", ">", "\"", "\\", "é", "<", "func"])) {
            let line = program.to_linear().expect("no marker in the inputs");
            prop_assert_eq!(Program::from_linear(&line), Ok(program.clone()), "{}", line);
            let blanks = line.replace("<func>", "\n<func>  ").replace("<arg>", "  <arg>\t");
            prop_assert_eq!(Program::from_linear(&blanks), Ok(program.clone()), "{}", blanks);
        }

        #[test]
        fn what_is_written_is_read_back(program in arbitrary::programs(arbitrary::PIECES)) {
            if let Ok(line) = program.to_linear() {
                prop_assert_eq!(Program::from_linear(&line), Ok(program.clone()), "{}", line);
            }
        }
    }
}
