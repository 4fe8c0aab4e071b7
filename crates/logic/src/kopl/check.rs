//! Checks programs: dependencies, types and textual inputs. Also parses the values of programs.

use super::error::ProgramError;
use super::functions::{Input, InputKind, KoplFunction, Type, nearest_word};
use super::program::{PerStep, Program, ProgramStep, zeros};
use crate::text::MAX_DEPTH;
use std::borrow::Cow;
use touchstone_kb::plain_date;

/// A number in a program, with its unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberText<'t> {
    /// The number as written, without underscores: an optional sign, digits, optionally a decimal point and an
    /// exponent.
    pub number: Cow<'t, str>,
    /// The unit, `1` if there is none.
    pub unit: Cow<'t, str>,
}

/// A time in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeText {
    /// A year, negative before the common era.
    Year(i64),
    /// A valid day of the calendar.
    Date {
        /// 1 to 9999.
        year: i64,
        /// 1 to 12.
        month: u32,
        /// From 1.
        day: u32,
    },
}

/// Parses a number and its unit: the first word as Python parses floating-point numbers, so that `1e5` and
/// `1_000` are numbers and `1,000` is not; the other words are the unit. Numbers in a
/// KB are finite.
pub fn parse_number(text: &str) -> Option<NumberText<'_>> {
    let mut words = text.split_whitespace();
    let number = without_underscores(words.next()?)?;
    // Rust also parses `inf` and `nan`.
    let plain = number.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    if !plain || !number.parse::<f64>().is_ok_and(f64::is_finite) {
        return None;
    }
    let mut unit = Cow::Borrowed(words.next().unwrap_or("1"));
    for word in words {
        unit.to_mut().push(' ');
        unit.to_mut().push_str(word);
    }
    Some(NumberText { number, unit })
}

/// Parses a time: a date if there is a `/`, or a `-` after the first character, otherwise a year. There are no
/// dates before the year 1, nor after the year 9999.
pub fn parse_time(text: &str) -> Option<TimeText> {
    if let Some((year @ 1.., month, day)) = plain_date(text) {
        let (month, day) = (u32::try_from(month).ok()?, u32::try_from(day).ok()?);
        return Some(TimeText::Date { year, month, day });
    }
    let text = text.trim();
    let separator = if text.contains('/') { '/' } else { '-' };
    if separator == '-' && (text.starts_with('-') || !text.contains('-')) {
        return integer(text).map(TimeText::Year);
    }
    let (year, rest) = text.split_once(separator)?;
    let (month, day) = rest.split_once(separator)?;
    let (year, month, day) = (integer(year)?, integer(month)?, integer(day)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=9999).contains(&year) || !(1..=days).contains(&day) {
        return None;
    }
    Some(TimeText::Date { year, month: u32::try_from(month).ok()?, day: u32::try_from(day).ok()? })
}

/// Underscores may occur between two digits.
fn without_underscores(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('_') {
        return Some(Cow::Borrowed(text));
    }
    let bytes = text.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let allowed = |i: usize| i > 0 && digit(i - 1) && digit(i + 1);
    let wrong = bytes.iter().enumerate().any(|(i, &byte)| byte == b'_' && !allowed(i));
    if wrong { None } else { Some(Cow::Owned(text.replace('_', ""))) }
}

fn integer(text: &str) -> Option<i64> {
    without_underscores(text.trim())?.parse().ok()
}

impl Program {
    /// Finds what would fail when the program is run on any KB: the first mistake in the order of the
    /// steps, of dependencies before types and inputs, and of those before nesting.
    pub fn check(&self) -> Result<(), ProgramError> {
        self.checked_uses().map(|_| ())
    }

    /// The number of uses of each step, for a program without mistakes.
    pub(super) fn checked_uses(&self) -> Result<PerStep, ProgramError> {
        if self.steps.is_empty() {
            return Err(ProgramError::Empty);
        }
        let mut uses = zeros(self.steps.len());
        self.count_uses(&mut uses)?;
        for i in 0..self.steps.len() {
            self.check_types(i)?;
            check_inputs(i, &self.steps[i])?;
        }
        if self.steps.len() > MAX_DEPTH {
            self.check_depth()?;
        }
        Ok(uses)
    }

    fn check_depth(&self) -> Result<(), ProgramError> {
        let mut depths = zeros(self.steps.len());
        for (i, ProgramStep { function, dependencies, .. }) in self.steps.iter().enumerate() {
            depths[i] = dependencies.iter().map(|&d| depths[d]).max().unwrap_or(0) + 1;
            if depths[i] as usize > MAX_DEPTH {
                return Err(ProgramError::TooDeep { step: i + 1, function: *function });
            }
        }
        Ok(())
    }

    /// Checks that every step depends on as many earlier steps as it needs, and that every result but the last is used. `uses`, a zero for
    /// each step, becomes the number of uses.
    pub(super) fn count_uses(&self, uses: &mut [u32]) -> Result<(), ProgramError> {
        let steps = self.steps.len();
        for (i, ProgramStep { function, dependencies, .. }) in self.steps.iter().enumerate() {
            let (step, function) = (i + 1, *function);
            if dependencies.len() != function.takes().len() {
                return Err(ProgramError::DependencyCount { step, function, found: dependencies.len() });
            }
            for &dependency in dependencies {
                if dependency >= steps {
                    return Err(ProgramError::UnknownDependency { step, function, dependency, steps });
                }
                if dependency >= i {
                    return Err(ProgramError::LateDependency { step, function, dependency });
                }
                uses[dependency] += 1;
            }
        }
        match uses[..steps.saturating_sub(1)].iter().position(|&uses| uses == 0) {
            Some(i) => Err(ProgramError::Unused { step: i + 1, function: self.steps[i].function }),
            None => Ok(()),
        }
    }

    fn check_types(&self, i: usize) -> Result<(), ProgramError> {
        let ProgramStep { function, dependencies, .. } = &self.steps[i];
        let (step, function) = (i + 1, *function);
        for (&needed, &dependency) in function.takes().iter().zip(dependencies) {
            let (on, on_function) = (dependency + 1, self.steps[dependency].function);
            let given = on_function.gives();
            if !given.serves_as(needed) {
                return Err(match (needed, given) {
                    (Type::Facts, Type::Entities) => {
                        ProgramError::NoFacts { step, function, on, on_function }
                    }
                    _ => ProgramError::WrongType { step, function, needed, on, on_function },
                });
            }
        }
        Ok(())
    }
}

fn check_inputs(i: usize, step: &ProgramStep) -> Result<(), ProgramError> {
    let (number, function) = (i + 1, step.function);
    if step.inputs.len() != function.inputs().len() {
        return Err(ProgramError::InputCount { step: number, function, found: step.inputs.len() });
    }
    for (input, found) in function.inputs().iter().zip(&step.inputs) {
        if !is_allowed(input.kind, found) {
            return Err(bad_input(number, function, input, found));
        }
    }
    Ok(())
}

fn is_allowed(kind: InputKind, text: &str) -> bool {
    match kind {
        InputKind::Number => parse_number(text).is_some(),
        InputKind::Time => parse_time(text).is_some(),
        kind => kind.is_any_text() || kind.words().contains(&text),
    }
}

#[cold]
fn bad_input(step: usize, function: KoplFunction, input: &Input, found: &str) -> ProgramError {
    let (expected, hint) = match input.kind {
        InputKind::Number => ("a number, perhaps with a unit, like `5 metre`".to_owned(), number_hint(found)),
        InputKind::Time => {
            ("a year like `1990` or `-500`, or a date like `1990-05-06`".to_owned(), time_hint(found))
        }
        kind => (either(kind.words()), word_hint(kind, found)),
    };
    ProgramError::BadInput { step, function, input: input.name, found: found.to_owned(), expected, hint }
}

/// "`a`, `b` or `c`".
fn either(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Words that are not similar in spelling but in meaning.
const MEANT: &[(InputKind, &[&str], &str)] = &[
    (InputKind::Comparison, &["==", "===", "is", "equal"], "="),
    (InputKind::Comparison, &["≠", "<>", "=!", "not"], "!="),
    (InputKind::Comparison, &["less", "before"], "<"),
    (InputKind::Comparison, &["greater", "more", "after"], ">"),
    (InputKind::LessGreater, &["<", "smaller", "smallest", "fewer", "lower"], "less"),
    (InputKind::LessGreater, &[">", "larger", "largest", "more", "higher"], "greater"),
    (InputKind::SmallestLargest, &["<", "less", "smaller", "least", "lowest", "min"], "smallest"),
    (
        InputKind::SmallestLargest,
        &[">", "greater", "greatest", "larger", "most", "highest", "max"],
        "largest",
    ),
    (InputKind::Direction, &["back", "backwards", "reverse", "inverse"], "backward"),
];

fn word_hint(kind: InputKind, found: &str) -> Option<String> {
    let found = found.trim();
    if kind == InputKind::Comparison {
        match found {
            "<=" | "=<" | "≤" => {
                return Some("KoPL has no `<=`; ask for `<` and `=` separately".to_owned());
            }
            ">=" | "=>" | "≥" => {
                return Some("KoPL has no `>=`; ask for `>` and `=` separately".to_owned());
            }
            _ => {}
        }
    }
    let meant =
        MEANT.iter().find(|(of, words, _)| *of == kind && words.contains(&found)).map(|(_, _, word)| *word);
    // Every one-letter word is one edit away from every operator.
    let near = || nearest_word(found, kind.words().iter().copied()).filter(|_| kind != InputKind::Comparison);
    let same = || kind.words().iter().copied().find(|word| *word == found);
    meant.or_else(same).or_else(near).map(|word| format!("did you mean `{word}`?"))
}

fn number_hint(found: &str) -> Option<String> {
    let first = found.split_whitespace().next()?;
    let plain = first.replace(',', "");
    if first != plain && parse_number(&plain).is_some() {
        return Some(format!("write it without commas: `{}`", super::error::shown(&plain)));
    }
    // "5km": the unit must follow a space.
    let end = found.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-'))?;
    let glued = !found[end..].starts_with([',', '_']) && parse_number(&found[..end]).is_some();
    glued.then(|| "put a space between the number and its unit".to_owned())
}

fn time_hint(found: &str) -> Option<String> {
    let rest = found.trim().strip_prefix('-')?;
    match parse_time(rest) {
        Some(TimeText::Date { .. }) => Some("before the year 1, only whole years are possible".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::functions::KoplFunction;
    use super::super::program::arbitrary;
    use super::*;
    use proptest::prelude::*;

    /// Invalid programs, in the readable form or as JSON, and the messages about them.
    const WRONG: &[(&str, &str)] = &[
        ("", "the program is empty; the shortest one is like `Find(Yao Ming) > What()`"),
        ("[]", "the program is empty; the shortest one is like `Find(Yao Ming) > What()`"),
        (
            "Find(A) > FilterConcept(film) > QFilterStr(role, x) > What()",
            "step 3, QFilterStr: needs the facts of a Filter, QFilter or Relate, but step 2 is FilterConcept; put it before FilterConcept",
        ),
        (
            "Find(A) > QFilterYear(start time, 1990, =) > What()",
            "step 2, QFilterYear: needs the facts of a Filter, QFilter or Relate, but step 1 is Find; put it directly after the Filter or Relate whose qualifier it tests",
        ),
        (
            "Find(A) > Count() > QFilterStr(role, x)",
            "step 3, QFilterStr: needs entities with facts, but step 2 is Count, which gives a number",
        ),
        (
            "Find(A) > Find(B) > Count() > And()",
            "step 4, And: needs entities, but step 3 is Count, which gives a number",
        ),
        ("Find(A) > What() > What()", "step 3, What: needs entities, but step 2 is What, which gives names"),
        (
            "Find(A) > Find(B) > QueryRelation() > VerifyStr(x)",
            "step 4, VerifyStr: needs values, but step 3 is QueryRelation, which gives relations",
        ),
        (
            "Find(A) > QueryAttr(k) > VerifyStr(x) > Count()",
            "step 4, Count: needs entities, but step 3 is VerifyStr, which gives yes or no",
        ),
        (
            "Find(A) > VerifyNum(5, =)",
            "step 2, VerifyNum: needs values, but step 1 is Find, which gives entities",
        ),
        (
            "Find(A) > Find(B) > What()",
            "step 1, Find: no later step uses its result; join it with another by And or Or, or leave it out",
        ),
        ("Find() > What()", "step 1, Find: takes 1 input (name), not 0"),
        (
            "Find(Washington, D.C.) > What()",
            "step 1, Find: takes 1 input (name), not 2; in the readable form an input with a comma needs double quotes",
        ),
        ("FindAll(A) > What()", "step 1, FindAll: takes no inputs, not 1"),
        ("Find(A) > Relate(spouse) > What()", "step 2, Relate: takes 2 inputs (relation, direction), not 1"),
        (
            "FindAll() > FilterNum(area, 5) > What()",
            "step 2, FilterNum: takes 3 inputs (key, value, op), not 2",
        ),
        (
            "Find(A) > Relate(spouse, foward) > What()",
            "step 2, Relate: the direction is `foward`, but must be `forward` or `backward`; did you mean `forward`?",
        ),
        (
            "Find(A) > Relate(spouse, Backward) > What()",
            "step 2, Relate: the direction is `Backward`, but must be `forward` or `backward`; did you mean `backward`?",
        ),
        (
            "Find(A) > Relate(spouse, up) > What()",
            "step 2, Relate: the direction is `up`, but must be `forward` or `backward`",
        ),
        (
            "FindAll() > FilterNum(area, 5, ==) > What()",
            "step 2, FilterNum: the op is `==`, but must be `=`, `!=`, `<` or `>`; did you mean `=`?",
        ),
        (
            "FindAll() > FilterYear(inception, 1990, <=) > What()",
            "step 2, FilterYear: the op is `<=`, but must be `=`, `!=`, `<` or `>`; KoPL has no `<=`; ask for `<` and `=` separately",
        ),
        (
            "FindAll() > FilterNum(area, 5, ~) > What()",
            "step 2, FilterNum: the op is `~`, but must be `=`, `!=`, `<` or `>`",
        ),
        (
            "Find(A) > Find(B) > SelectBetween(area, lesser)",
            "step 3, SelectBetween: the op is `lesser`, but must be `less` or `greater`; did you mean `less`?",
        ),
        (
            "FindAll() > SelectAmong(area, greater)",
            "step 2, SelectAmong: the op is `greater`, but must be `smallest` or `largest`; did you mean `largest`?",
        ),
        (
            "FindAll() > FilterNum(area, big, =) > What()",
            "step 2, FilterNum: the value is `big`, but must be a number, perhaps with a unit, like `5 metre`",
        ),
        (
            "FindAll() > FilterNum(area, \"1,000 metre\", =) > What()",
            "step 2, FilterNum: the value is `1,000 metre`, but must be a number, perhaps with a unit, like `5 metre`; write it without commas: `1000`",
        ),
        (
            "Find(A) > QueryAttr(height) > VerifyNum(5km, <)",
            "step 3, VerifyNum: the value is `5km`, but must be a number, perhaps with a unit, like `5 metre`; put a space between the number and its unit",
        ),
        (
            "FindAll() > FilterDate(born, 1990-02-30, =) > What()",
            "step 2, FilterDate: the value is `1990-02-30`, but must be a year like `1990` or `-500`, or a date like `1990-05-06`",
        ),
        (
            "Find(A) > Relate(spouse, forward) > QFilterDate(start time, -500-01-01, =) > What()",
            "step 3, QFilterDate: the qvalue is `-500-01-01`, but must be a year like `1990` or `-500`, or a date like `1990-05-06`; before the year 1, only whole years are possible",
        ),
        (
            r#"[{"function": "Find", "dependencies": [], "inputs": ["A"]}, {"function": "What", "dependencies": [], "inputs": []}]"#,
            "step 2, What: needs 1 result, but depends on none",
        ),
        (
            r#"[{"function": "FindAll", "dependencies": [0], "inputs": []}]"#,
            "step 1, FindAll: needs no result of another step, but depends on 1 step",
        ),
        (
            r#"[{"function": "FindAll", "dependencies": []}, {"function": "What", "dependencies": [2]}]"#,
            "step 2, What: depends on 2, but the last step is 1 (dependencies count from 0)",
        ),
        (
            r#"[{"function": "What", "dependencies": [1]}, {"function": "FindAll", "dependencies": []}]"#,
            "step 1, What: depends on 1, which is step 2; a step takes results of earlier steps only (dependencies count from 0)",
        ),
        (
            r#"[{"function": "FindAll", "dependencies": []}, {"function": "What", "dependencies": [1]}]"#,
            "step 2, What: depends on 1, which is the step itself; a step takes results of earlier steps only (dependencies count from 0)",
        ),
    ];

    #[test]
    fn messages() {
        for (text, message) in WRONG {
            let program = Program::parse(text).expect(text);
            assert_eq!(program.check().expect_err(text).to_string(), *message, "{text}");
        }
    }

    #[test]
    fn depth_is_limited() {
        let chain = |relations: usize| {
            Program::parse(&format!("FindAll(){}", " > Relate(a, forward)".repeat(relations)))
                .expect("a chain")
        };
        assert_eq!(chain(MAX_DEPTH - 1).check(), Ok(()));
        assert_eq!(
            chain(MAX_DEPTH).check().expect_err("too deep").to_string(),
            "step 201, Relate: depends on a chain of more than 200 steps; make the program shorter"
        );
    }

    #[test]
    fn numbers() {
        for (text, number, unit) in [
            ("669", "669", "1"),
            ("141 minute", "141", "minute"),
            ("-30  square   metre ", "-30", "square metre"),
            ("1_000", "1000", "1"),
            ("1e5 km", "1e5", "km"),
            ("+1_0.5_0E-1_0", "+10.50E-10", "1"),
            (".5", ".5", "1"),
            ("5. 1", "5.", "1"),
        ] {
            let expected = NumberText { number: number.into(), unit: unit.into() };
            assert_eq!(parse_number(text), Some(expected), "{text}");
        }
        for text in [
            "", " ", "km", "1,000", "_1", "1_", "1__0", "1_.0", "1e", ".", "-", "0x10", "nan", "inf",
            "1e999", "५",
        ] {
            assert_eq!(parse_number(text), None, "{text}");
        }
    }

    #[test]
    fn times() {
        for (text, time) in [
            ("1990", TimeText::Year(1990)),
            (" -500 ", TimeText::Year(-500)),
            ("0", TimeText::Year(0)),
            ("1_000", TimeText::Year(1000)),
            ("1990-05-06", TimeText::Date { year: 1990, month: 5, day: 6 }),
            ("1990/5/6", TimeText::Date { year: 1990, month: 5, day: 6 }),
            ("2000-02-29", TimeText::Date { year: 2000, month: 2, day: 29 }),
        ] {
            assert_eq!(parse_time(text), Some(time), "{text}");
        }
        for text in [
            "",
            "x",
            "1990-05",
            "1990-13-01",
            "1990-04-31",
            "1900-02-29",
            "-500-01-01",
            "-500/01/01",
            "0/1/1",
            "10000-01-01",
            "1990-05-06-07",
            "1990.5",
            "99999999999999999999",
            "1990-00-01",
            "1990-01-00",
            "-",
            "/",
            "//",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(arbitrary::cases(300))]

        #[test]
        fn built_programs_are_right(program in arbitrary::programs(arbitrary::PIECES)) {
            prop_assert_eq!(program.check(), Ok(()));
        }

        /// One function replaced by another with the same number of dependencies and inputs: valid exactly if the types
        /// still match.
        #[test]
        fn types_decide(program in arbitrary::programs(&["a"]), at in any::<usize>(), other in any::<usize>()) {
            let mut program = program;
            let at = at % program.steps.len();
            let old = program.steps[at].function;
            let kinds = |f: KoplFunction| f.inputs().iter().map(|input| input.kind).collect::<Vec<_>>();
            let same = |f: &KoplFunction| f.takes().len() == old.takes().len() && kinds(*f) == kinds(old);
            let candidates: Vec<_> = KoplFunction::ALL.into_iter().filter(same).collect();
            program.steps[at].function = candidates[other % candidates.len()];
            let fits = program.steps.iter().all(|step| {
                let given = step.dependencies.iter().map(|&d| program.steps[d].function.gives());
                given.zip(step.function.takes()).all(|(given, needed)| given.serves_as(*needed))
            });
            prop_assert_eq!(program.check().is_ok(), fits);
        }
    }
}
