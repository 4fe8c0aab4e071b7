//! Errors of programs, and their messages.

use super::functions::{KoplFunction, Type};
use super::program::MAX_LINE;
use crate::text::{MAX_DEPTH, SyntaxError};

/// An error in a program. Steps are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The text does not follow the grammar.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The JSON value is not a list of steps.
    #[error("{detail}; a program is a list of objects with `function`, `dependencies` and `inputs`")]
    NotAProgram {
        /// What it is instead.
        detail: String,
    },
    /// A part of a step in JSON is invalid.
    #[error("step {step}: {detail}")]
    NotAStep {
        /// The step.
        step: usize,
        /// The problem, and what to do.
        detail: String,
    },
    /// No function has this name.
    #[error("step {step}: unknown function `{}`; {}", shown(name), KoplFunction::suggestion(name))]
    UnknownFunction {
        /// The step.
        step: usize,
        /// The name.
        name: String,
    },
    /// Only some steps have dependencies.
    #[error("step {step}: has no `dependencies`, but other steps have; give them for all steps or for none")]
    SomeDependencies {
        /// The first step without dependencies.
        step: usize,
    },
    /// There are no steps.
    #[error("the program is empty; the shortest one is like `Find(Yao Ming) > What()`")]
    Empty,
    /// There are too few results before a step, so its dependencies cannot be inferred.
    #[error(
        "step {step}, {function}: needs {} before it, but {}; {}",
        results(function.takes().len()),
        there_are(*found),
        before(*found)
    )]
    MissingDependency {
        /// The step.
        step: usize,
        /// Its function.
        function: KoplFunction,
        /// Number of results.
        found: usize,
    },
    /// The step has too few or too many dependencies.
    #[error(
        "step {step}, {function}: needs {}, but depends on {}",
        results(function.takes().len()),
        steps_of(*found)
    )]
    DependencyCount {
        /// The step.
        step: usize,
        /// Its function.
        function: KoplFunction,
        /// Number of dependencies.
        found: usize,
    },
    /// The step depends on one that does not exist.
    #[error(
        "step {step}, {function}: depends on {dependency}, but the last step is {} (dependencies count from 0)",
        steps.saturating_sub(1)
    )]
    UnknownDependency {
        /// The step.
        step: usize,
        /// Its function.
        function: KoplFunction,
        /// The dependency, counted from 0.
        dependency: usize,
        /// Number of steps.
        steps: usize,
    },
    /// The step depends on itself or on a later one.
    #[error(
        "step {step}, {function}: depends on {dependency}, which is {}; a step takes results of earlier steps only (dependencies count from 0)",
        if dependency + 1 == *step { "the step itself".to_owned() } else { format!("step {}", dependency + 1) }
    )]
    LateDependency {
        /// The step.
        step: usize,
        /// Its function.
        function: KoplFunction,
        /// The dependency, counted from 0.
        dependency: usize,
    },
    /// The step has too few or too many textual inputs.
    #[error(
        "step {step}, {function}: takes {}, not {found}{}",
        inputs_of(*function),
        comma_hint(*function, *found)
    )]
    InputCount {
        /// The step.
        step: usize,
        /// Its function.
        function: KoplFunction,
        /// Number of inputs.
        found: usize,
    },
    /// Programs can ask for a qualifier, but verifying one has no defined meaning.
    #[error(
        "step {step}, {function}: verifies values of an attribute, but step {on} is {on_function}; end with {on_function} to ask for the qualifier, or filter by it with a QFilter"
    )]
    VerifiesQualifier {
        /// The step.
        step: usize,
        /// Its function.
        function: KoplFunction,
        /// The step that it depends on.
        on: usize,
        /// The function of that step.
        on_function: KoplFunction,
    },
    /// A qualifier filter on a result without facts.
    #[error(
        "step {step}, {function}: needs the facts of a Filter, QFilter or Relate, but step {on} is {on_function}; {}",
        facts_hint(*on_function)
    )]
    NoFacts {
        /// The step.
        step: usize,
        /// Its function.
        function: KoplFunction,
        /// The step it depends on, counted from 1.
        on: usize,
        /// That step's function.
        on_function: KoplFunction,
    },
    /// A result of a type that the function does not take.
    #[error(
        "step {step}, {function}: needs {needed}, but step {on} is {on_function}, which gives {}",
        on_function.gives()
    )]
    WrongType {
        /// The step.
        step: usize,
        /// Its function.
        function: KoplFunction,
        /// The required type.
        needed: Type,
        /// The step it depends on, counted from 1.
        on: usize,
        /// That step's function.
        on_function: KoplFunction,
    },
    /// A textual input that is not an allowed word, a number or a time.
    #[error(
        "step {step}, {function}: the {input} is `{}`, but must be {expected}{}",
        shown(found),
        after_semicolon(hint)
    )]
    BadInput {
        /// The step.
        step: usize,
        /// Its function.
        function: KoplFunction,
        /// The name of the input.
        input: &'static str,
        /// The input.
        found: String,
        /// What it must be.
        expected: String,
        /// What to do, if known.
        hint: Option<String>,
    },
    /// An unused result.
    #[error(
        "step {step}, {function}: no later step uses its result; join it with another by And or Or, or leave it out"
    )]
    Unused {
        /// The step.
        step: usize,
        /// Its function.
        function: KoplFunction,
    },
    /// A chain of dependencies that is too long.
    #[error(
        "step {step}, {function}: depends on a chain of more than {MAX_DEPTH} steps; make the program shorter"
    )]
    TooDeep {
        /// The step.
        step: usize,
        /// Its function.
        function: KoplFunction,
    },
    /// Repeating steps that are used several times would make the line too long.
    #[error(
        "the program repeats steps too often: one line of it would be longer than {} bytes; keep it as JSON",
        MAX_LINE
    )]
    TooLong,
    /// An input that the linear form cannot represent.
    #[error(
        "step {step}, {function}: the input `{}` {problem}, so there is no linear form; use JSON or the readable form",
        shown(input)
    )]
    NotLinear {
        /// The step.
        step: usize,
        /// Its function.
        function: KoplFunction,
        /// The input.
        input: String,
        /// Why it cannot be written.
        problem: String,
    },
}

/// A text for a message: on one line and not too long.
pub(super) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(60).is_some() {
        short.push('…');
    }
    short
}

fn results(count: usize) -> String {
    match count {
        0 => "no result of another step".to_owned(),
        1 => "1 result".to_owned(),
        _ => format!("{count} results"),
    }
}

fn steps_of(count: usize) -> String {
    match count {
        0 => "none".to_owned(),
        1 => "1 step".to_owned(),
        _ => format!("{count} steps"),
    }
}

fn there_are(count: usize) -> String {
    match count {
        0 => "there is none".to_owned(),
        1 => "there is only 1".to_owned(),
        _ => format!("there are only {count}"),
    }
}

fn before(found: usize) -> &'static str {
    if found == 0 { "begin with Find or FindAll" } else { "put another Find or FindAll before it" }
}

fn inputs_of(function: KoplFunction) -> String {
    let names: Vec<_> = function.inputs().iter().map(|input| input.name).collect();
    match names.len() {
        0 => "no inputs".to_owned(),
        1 => format!("1 input ({})", names[0]),
        count => format!("{count} inputs ({})", names.join(", ")),
    }
}

fn comma_hint(function: KoplFunction, found: usize) -> &'static str {
    let expected = function.inputs().len();
    if expected > 0 && found > expected {
        "; in the readable form an input with a comma needs double quotes"
    } else {
        ""
    }
}

fn facts_hint(on: KoplFunction) -> String {
    match on {
        KoplFunction::FilterConcept => "put it before FilterConcept".to_owned(),
        _ => "put it directly after the Filter or Relate whose qualifier it tests".to_owned(),
    }
}

fn after_semicolon(hint: &Option<String>) -> String {
    hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default()
}
