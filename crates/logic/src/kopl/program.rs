//! Programs: steps that use the results of earlier steps.

use super::error::ProgramError;
use super::functions::KoplFunction;
use std::borrow::Cow;

/// A KoPL program. The result of the last step is the answer.
///
/// ```
/// use touchstone_logic::Program;
/// let program = Program::parse("Find <arg> Yao Ming <func> What")?;
/// assert_eq!(program.to_readable()?, "Find(Yao Ming) > What()");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The steps, each after those it depends on.
    pub steps: Vec<ProgramStep>,
}

/// A step of a program: a function applied to results and texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramStep {
    /// The function.
    pub function: KoplFunction,
    /// The textual inputs.
    pub inputs: Vec<String>,
    /// The steps whose results it uses, counted from 0.
    pub dependencies: Vec<usize>,
}

/// A number for each step; most programs have few.
pub(super) type PerStep = smallvec::SmallVec<[u32; 8]>;

/// A zero for each step.
pub(super) fn zeros(n_steps: usize) -> PerStep {
    if n_steps <= 8 { PerStep::from_buf_and_len([0; 8], n_steps) } else { PerStep::from_elem(0, n_steps) }
}

/// Maximum length in bytes of a program that is written as one line: steps that are used several times are repeated,
/// so twenty steps could grow to a million.
pub(super) const MAX_LINE: usize = 1 << 20;

impl Program {
    /// Parses a program in any of the three forms: JSON begins with `[` or `{`, the linear form has its
    /// markers `<func>` and `<arg>`, everything else is the readable form. [`Program::check`] is a separate
    /// step.
    pub fn parse(text: &str) -> Result<Program, ProgramError> {
        // A marker may also occur inside an input of the readable form, but then a bracket is open before it.
        let has_mark = memchr::memchr(b'<', text.as_bytes()).is_some();
        let markers = if has_mark { &["<func>", "<arg>"][..] } else { &[] };
        let marker = markers.iter().filter_map(|marker| text.find(marker)).min();
        if text.trim_start().starts_with(['[', '{']) {
            Program::from_json(text)
        } else if marker.is_some_and(|at| !text[..at].contains('(')) {
            Program::from_linear(text)
        } else {
            Program::from_readable(text)
        }
    }

    /// A program from functions and their textual inputs, with the dependencies that the order implies.
    pub fn from_sequence(
        steps: impl IntoIterator<Item = (KoplFunction, Vec<String>)>,
    ) -> Result<Program, ProgramError> {
        let (functions, inputs): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
        let dependencies = infer_dependencies(&functions)?;
        let parts = functions.into_iter().zip(inputs).zip(dependencies);
        let steps =
            parts.map(|((function, inputs), dependencies)| ProgramStep { function, inputs, dependencies });
        Ok(Program { steps: steps.collect() })
    }

    /// The program with its steps in post-order, so that their order alone implies the dependencies.
    /// A step that is used several times is repeated. A program in post-order is returned unchanged.
    pub fn in_order(&self) -> Result<Cow<'_, Program>, ProgramError> {
        if self.is_in_order() {
            return Ok(Cow::Borrowed(self));
        }
        self.count_uses(&mut zeros(self.steps.len()))?;
        let mut sizes: Vec<usize> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            // The name and the markers of a step take less than 32 bytes, those of an input at most 8.
            let own = step.inputs.iter().fold(32, |sum, input| sum + 8 + input.len());
            sizes.push(step.dependencies.iter().fold(own, |sum, &d| sum.saturating_add(sizes[d])));
        }
        if sizes.last().is_some_and(|&size| size > MAX_LINE) {
            return Err(ProgramError::TooLong);
        }
        // From the last step backwards, the right branch first: the reverse of post-order.
        let mut backwards = Vec::new();
        let mut open: Vec<usize> = self.steps.len().checked_sub(1).into_iter().collect();
        while let Some(i) = open.pop() {
            backwards.push((self.steps[i].function, self.steps[i].inputs.clone()));
            open.extend(&self.steps[i].dependencies);
        }
        Program::from_sequence(backwards.into_iter().rev()).map(Cow::Owned)
    }

    fn is_in_order(&self) -> bool {
        let functions: Vec<_> = self.steps.iter().map(|step| step.function).collect();
        let inferred = infer_dependencies(&functions);
        inferred.is_ok_and(|all| {
            all.iter().zip(&self.steps).all(|(inferred, step)| *inferred == step.dependencies)
        })
    }
}

/// The dependencies of each step if only the order of the functions is known, as in the linear form:
/// a function uses the last results that are not used yet.
pub fn infer_dependencies(functions: &[KoplFunction]) -> Result<Vec<Vec<usize>>, ProgramError> {
    let mut results: Vec<usize> = Vec::new();
    let mut all = Vec::with_capacity(functions.len());
    for (i, &function) in functions.iter().enumerate() {
        let Some(first) = results.len().checked_sub(function.takes().len()) else {
            return Err(ProgramError::MissingDependency { step: i + 1, function, found: results.len() });
        };
        all.push(results.split_off(first));
        results.push(i);
    }
    Ok(all)
}

/// Random programs, well-typed by construction.
#[cfg(test)]
pub(super) mod arbitrary {
    use super::*;
    use crate::kopl::functions::InputKind;
    use crate::kopl::functions::Type;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    /// The settings of a property test: the same cases in every run.
    pub(in crate::kopl) fn cases(count: u32) -> ProptestConfig {
        ProptestConfig {
            cases: count,
            rng_seed: RngSeed::Fixed(7),
            failure_persistence: None,
            ..Default::default()
        }
    }

    /// Programs whose inputs are made of the pieces.
    pub(in crate::kopl) fn programs(pieces: &'static [&'static str]) -> impl Strategy<Value = Program> {
        let text = prop::collection::vec(prop::sample::select(pieces), 0..4).prop_map(|parts| parts.concat());
        let choice = (any::<u8>(), prop::collection::vec(text, 3));
        prop::collection::vec(choice, 1..24).prop_map(|choices| build(&choices))
    }

    /// Names, words and everything that has a meaning in one of the forms.
    pub(in crate::kopl) const PIECES: &[&str] = &[
        "Yao Ming", "a", " ", "  ", ",", "(", ")", ">", "->", "→", "\"", "\\", "\\n", "\n", "\r", "\t", "é",
        "東京", "[", "{", "<", "=", "1990", "-5", "<func>", "<arg>", "What()",
    ];

    fn build(choices: &[(u8, Vec<String>)]) -> Program {
        let mut steps: Vec<(KoplFunction, Vec<String>)> = Vec::new();
        // The types of the results that are not used yet.
        let mut open: Vec<Type> = Vec::new();
        let add = |function: KoplFunction, texts: &[String], open: &mut Vec<Type>, steps: &mut Vec<_>| {
            open.truncate(open.len() - function.takes().len());
            open.push(function.gives());
            let inputs = function.inputs().iter().zip(texts);
            steps.push((function, inputs.map(|(input, text)| value(input.kind, text)).collect()));
        };
        for (choice, texts) in choices {
            let fitting: Vec<_> = KoplFunction::ALL.into_iter().filter(|f| fits(*f, &open)).collect();
            add(fitting[usize::from(*choice) % fitting.len()], texts, &mut open, &mut steps);
            if !open.iter().all(|t| t.serves_as(Type::Entities) || *t == Type::Values && open.len() == 1) {
                break;
            }
        }
        while open.len() > 1 {
            add(KoplFunction::And, &[], &mut open, &mut steps);
        }
        Program::from_sequence(steps).expect("built with enough results")
    }

    /// Whether the function can come next and all results can still be joined afterwards.
    fn fits(function: KoplFunction, open: &[Type]) -> bool {
        let takes = function.takes();
        let Some(first) = open.len().checked_sub(takes.len()) else { return false };
        let typed = open[first..].iter().zip(takes).all(|(given, needed)| given.serves_as(*needed));
        let joinable = |t: &Type| t.serves_as(Type::Entities);
        typed && (first == 0 || open[..first].iter().all(joinable) && joinable(&function.gives()))
    }

    fn value(kind: InputKind, text: &str) -> String {
        let pick = |values: &[&str]| values[text.len() % values.len()].to_owned();
        match kind {
            InputKind::Number => {
                pick(&["0", "-2.5 square metre", "1e5", "1_000 United States dollar", ".5", "7  km"])
            }
            InputKind::Time => pick(&["1990", "-500", "1990-05-06", "2000/2/29", "0"]),
            kind if kind.words().is_empty() => text.to_owned(),
            kind => pick(kind.words()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn functions(names: &str) -> Vec<KoplFunction> {
        names.split(' ').map(|name| KoplFunction::from_name(name).expect("a function")).collect()
    }

    #[test]
    fn dependencies_by_the_stack_rule() {
        for (names, expected) in [
            ("Find What", "[] [0]"),
            ("FindAll FilterStr Find Relate And Count", "[] [0] [] [2] [1, 3] [4]"),
            ("Find Find Find And And What", "[] [] [] [1, 2] [0, 3] [4]"),
            ("Find Find And Find And What", "[] [] [0, 1] [] [2, 3] [4]"),
            ("Find Find What", "[] [] [1]"),
        ] {
            let found = infer_dependencies(&functions(names)).expect("enough results");
            let found: Vec<_> = found.iter().map(|d| format!("{d:?}")).collect();
            assert_eq!(found.join(" "), expected, "{names}");
        }
        assert_eq!(infer_dependencies(&[]), Ok(vec![]));
    }

    #[test]
    fn dependencies_that_are_missing() {
        for (names, message) in [
            ("What", "step 1, What: needs 1 result before it, but there is none; begin with Find or FindAll"),
            (
                "Find Relate Or What",
                "step 3, Or: needs 2 results before it, but there is only 1; put another Find or FindAll before it",
            ),
        ] {
            let error = infer_dependencies(&functions(names)).expect_err(names);
            assert_eq!(error.to_string(), message);
        }
    }

    fn step(function: KoplFunction, input: &str, dependencies: &[usize]) -> ProgramStep {
        let inputs = if input.is_empty() { vec![] } else { vec![input.to_owned()] };
        ProgramStep { function, inputs, dependencies: dependencies.to_vec() }
    }

    #[test]
    fn steps_are_put_in_order_and_repeated() {
        use KoplFunction::{And, Find, What};
        let swapped = Program {
            steps: vec![
                step(Find, "A", &[]),
                step(Find, "B", &[]),
                step(And, "", &[1, 0]),
                step(What, "", &[2]),
            ],
        };
        let ordered = swapped.in_order().expect("valid");
        assert_eq!(ordered.to_readable().expect("short"), "Find(B) > Find(A) > And() > What()");
        let shared =
            Program { steps: vec![step(Find, "A", &[]), step(And, "", &[0, 0]), step(What, "", &[1])] };
        assert_eq!(shared.to_readable().expect("short"), "Find(A) > Find(A) > And() > What()");
        assert!(matches!(ordered.in_order(), Ok(Cow::Borrowed(_))));
    }

    #[test]
    fn repeating_steps_is_limited() {
        let mut steps = vec![step(KoplFunction::Find, "A", &[])];
        steps.extend((0..100).map(|i| step(KoplFunction::And, "", &[i, i])));
        let program = Program { steps };
        assert_eq!(program.check(), Ok(()));
        assert_eq!(program.to_linear(), Err(ProgramError::TooLong));
        assert_eq!(
            program.to_readable().expect_err("too long").to_string(),
            "the program repeats steps too often: one line of it would be longer than 1048576 bytes; keep it as JSON"
        );
    }

    #[test]
    fn the_form_is_seen_from_the_text() {
        let expected = Program::from_readable("Find(Yao Ming) > What()").expect("a program");
        for text in [
            "Find(Yao Ming) > What()",
            " Find <arg> Yao Ming <func> What",
            " [{\"function\": \"Find\", \"inputs\": [\"Yao Ming\"]}, {\"function\": \"What\", \"inputs\": []}]",
            "{\"question\": \"?\", \"program\": [{\"function\": \"Find\", \"inputs\": [\"Yao Ming\"]}, {\"function\": \"What\"}]}",
        ] {
            assert_eq!(Program::parse(text).as_ref(), Ok(&expected), "{text}");
        }
        let marker = Program::parse("Find(the <arg> marker) > What").expect("a program");
        assert_eq!(marker.steps[0].inputs, ["the <arg> marker"]);
        assert_eq!(Program::parse(" \n"), Ok(Program::default()));
    }

    /// The same program in another order: a random topological order of the same tree unfolds to the same line.
    fn shuffled(program: &Program, seeds: &[usize]) -> Program {
        let mut order: Vec<usize> = Vec::new();
        let mut seeds = seeds.iter().cycle();
        while order.len() < program.steps.len() {
            let ready = |i: &usize| {
                !order.contains(i) && program.steps[*i].dependencies.iter().all(|d| order.contains(d))
            };
            let ready: Vec<_> = (0..program.steps.len()).filter(ready).collect();
            order.push(ready[seeds.next().expect("cycles") % ready.len()]);
        }
        let place = |old: &usize| order.iter().position(|i| i == old).expect("ordered");
        let moved = order.iter().map(|&i| {
            let step = program.steps[i].clone();
            ProgramStep { dependencies: step.dependencies.iter().map(place).collect(), ..step }
        });
        Program { steps: moved.collect() }
    }

    proptest! {
        #![proptest_config(arbitrary::cases(300))]

        #[test]
        fn any_order_of_the_steps_is_the_same_line(
            program in arbitrary::programs(&["a", "b"]), seeds in prop::collection::vec(any::<usize>(), 1..9)
        ) {
            let other = shuffled(&program, &seeds);
            prop_assert_eq!(other.check(), Ok(()));
            prop_assert_eq!(other.in_order().expect("valid").into_owned(), program);
        }

        #[test]
        fn parse_sees_every_form(program in arbitrary::programs(arbitrary::PIECES)) {
            prop_assert_eq!(Program::parse(&program.to_json()), Ok(program.clone()));
            let line = program.to_readable().expect("in order");
            prop_assert_eq!(Program::parse(&line), Ok(program.clone()), "{}", line);
            if let Ok(line) = program.to_linear() {
                prop_assert_eq!(Program::parse(&line), Ok(program.clone()), "{}", line);
            }
        }

        #[test]
        fn no_text_panics(text in prop::collection::vec(prop::sample::select(SCRAPS), 0..20)) {
            if let Ok(program) = Program::parse(&text.concat()) {
                let _ = program.check();
                let _ = (program.to_json(), program.to_linear(), program.to_readable());
            }
        }
    }

    const SCRAPS: &[&str] = &[
        "Find",
        "FindAll",
        "And",
        "Relate",
        "QFilterStr",
        "What",
        "(",
        ")",
        ",",
        ">",
        "\"",
        "\\",
        " ",
        "\n",
        "é",
        "<func>",
        "<arg>",
        "[",
        "]",
        "{",
        "}",
        "\"function\":",
        "\"dependencies\":",
        "\"inputs\":",
        "\"Find\"",
        "0",
        "-1",
        "1e999",
        "forward",
    ];
}
