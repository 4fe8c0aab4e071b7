//! Programs as one readable line: `Find(Yao Ming) > Relate(place of birth, forward) > What()`. The
//! dependencies are left out; the order of the functions implies them.

use super::error::{ProgramError, shown};
use super::functions::KoplFunction;
use super::program::Program;
use crate::text::{Span, SyntaxError};

impl Program {
    /// Parses the readable form.
    ///
    /// Inputs may be in double quotes, with `\"`, `\\`, `\n`, `\r` and `\t`. Without quotes, an input ends
    /// at the next `,` or `)` that is not inside brackets of its own, and everything else in it is taken
    /// literally. `->` and `→` are accepted for `>`.
    pub fn from_readable(text: &str) -> Result<Program, ProgramError> {
        let mut reader = Reader { text, at: 0 };
        let steps = reader.steps().map_err(|error| error.located(text))?;
        Program::from_sequence(steps)
    }

    /// The readable form. A step that is used several times is repeated.
    pub fn to_readable(&self) -> Result<String, ProgramError> {
        let program = self.in_order()?;
        let mut text = String::new();
        for (i, step) in program.steps.iter().enumerate() {
            if i > 0 {
                text.push_str(" > ");
            }
            text.push_str(step.function.name());
            text.push('(');
            for (i, input) in step.inputs.iter().enumerate() {
                if i > 0 {
                    text.push_str(", ");
                }
                write_input(&mut text, input);
            }
            text.push(')');
        }
        Ok(text)
    }
}

fn write_input(text: &mut String, input: &str) {
    let special = |c: char| matches!(c, ',' | '(' | ')' | '>' | '"' | '\\') || c.is_control();
    // The operator is between a comma and a bracket, so it cannot be mistaken for the end of a step.
    if input == ">" || !input.is_empty() && input.trim() == input && !input.contains(special) {
        text.push_str(input);
        return;
    }
    text.push('"');
    for c in input.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c => text.push(c),
        }
    }
    text.push('"');
}

const FORM: &str = "the form is `Find(Yao Ming) > What()`";

/// A position in the text that only moves forward.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn steps(&mut self) -> Result<Vec<(KoplFunction, Vec<String>)>, SyntaxError> {
        let mut steps = Vec::new();
        self.skip_blanks();
        if self.rest().is_empty() {
            return Ok(steps);
        }
        loop {
            let function = self.function()?;
            steps.push((function, self.inputs()?));
            if self.rest().is_empty() {
                return Ok(steps);
            }
            let Some(arrow) = [">", "->", "→"].into_iter().find(|arrow| self.rest().starts_with(arrow))
            else {
                let message = format!("expected `>` between two steps, found {}", self.found());
                return Err(SyntaxError::new(self.here(), message)
                    .hint("an input with brackets or commas needs double quotes"));
            };
            self.at += arrow.len();
            self.skip_blanks();
        }
    }

    fn function(&mut self) -> Result<KoplFunction, SyntaxError> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if length == 0 {
            let message = format!("expected a function name, found {}", self.found());
            return Err(SyntaxError::new(self.here(), message).hint(FORM));
        }
        let name = &rest[..length];
        let Some(function) = KoplFunction::from_name(name) else {
            let message = format!("unknown function `{}`", shown(name));
            let span = Span::new(self.at, self.at + length);
            return Err(SyntaxError::new(span, message).hint(KoplFunction::suggestion(name)));
        };
        self.at += length;
        self.skip_blanks();
        Ok(function)
    }

    /// The inputs in brackets, if there are any.
    fn inputs(&mut self) -> Result<Vec<String>, SyntaxError> {
        let mut inputs = Vec::new();
        let open = Span::new(self.at, self.at + 1);
        if !self.take('(') || self.take(')') {
            return Ok(inputs);
        }
        loop {
            inputs.push(if self.rest().starts_with('"') { self.quoted()? } else { self.unquoted(open)? });
            if self.take(')') {
                return Ok(inputs);
            }
            if self.rest().is_empty() {
                return Err(not_closed(open));
            }
            if !self.take(',') {
                let message = format!("expected `,` or `)` after a quoted input, found {}", self.found());
                return Err(
                    SyntaxError::new(self.here(), message).hint("write `\\\"` for a quote inside quotes")
                );
            }
        }
    }

    /// Up to the next `,` or `)` outside brackets that the input itself opens.
    fn unquoted(&mut self, open: Span) -> Result<String, SyntaxError> {
        let rest = self.rest();
        let mut depth = 0usize;
        let end = rest.bytes().position(|byte| match byte {
            b'(' => {
                depth += 1;
                false
            }
            b')' if depth > 0 => {
                depth -= 1;
                false
            }
            b',' => depth == 0,
            byte => byte == b')',
        });
        let Some(end) = end else { return Err(not_closed(open)) };
        let input = rest[..end].trim();
        if input.is_empty() {
            let message = format!("expected an input, found {}", self.found());
            return Err(SyntaxError::new(self.here(), message).hint("write `\"\"` for an empty text"));
        }
        self.at += end;
        Ok(input.to_owned())
    }

    fn quoted(&mut self) -> Result<String, SyntaxError> {
        let start = self.at;
        let mut input = String::new();
        let mut chars = self.text[start..].char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + i + 1;
                    self.skip_blanks();
                    return Ok(input);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => input.push('\n'),
                    Some('r') => input.push('\r'),
                    Some('t') => input.push('\t'),
                    Some(c @ ('"' | '\\')) => input.push(c),
                    Some(c) => {
                        let span = Span::new(start + i, start + i + 1 + c.len_utf8());
                        let hint = "write `\\\\` for a backslash inside quotes";
                        return Err(SyntaxError::new(span, format!("unknown escape `\\{c}`")).hint(hint));
                    }
                    None => break,
                },
                c => input.push(c),
            }
        }
        Err(SyntaxError::new(Span::new(start, start + 1), "the quote here is not closed")
            .hint("end it with `\"`"))
    }

    /// Skips the character and the spaces after it, if it comes next.
    fn take(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
            self.skip_blanks();
        }
        found
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The next character.
    fn here(&self) -> Span {
        Span::new(self.at, self.at + self.rest().chars().next().map_or(0, char::len_utf8))
    }

    fn found(&self) -> String {
        self.rest().chars().next().map_or_else(|| "the end".to_owned(), |c| format!("`{c}`"))
    }
}

fn not_closed(open: Span) -> SyntaxError {
    SyntaxError::new(open, "the `(` here is not closed").hint("end the inputs with `)`")
}

#[cfg(test)]
mod tests {
    use super::super::program::arbitrary;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn written_and_read() {
        for line in [
            "Find(Yao Ming) > Relate(place of birth, forward) > What()",
            "FindAll() > FilterStr(\"GSS code (2011)\", E1) > Find(A) > And() > Count()",
            "FindAll() > FilterNum(area, 270 square kilometre, >) > FilterConcept(county of England) > Count()",
            r#"Find("Washington, D.C.") > QueryAttr("a \"quoted\" \\ key") > VerifyStr("two\nlines")"#,
            r#"Find("") > FilterStr(" a ", '70s) > What()"#,
        ] {
            let program = Program::from_readable(line).expect(line);
            assert_eq!(program.to_readable().expect("in order"), line);
        }
    }

    #[test]
    fn other_spellings_are_read() {
        for (text, line) in [
            ("FindAll>What", "FindAll() > What()"),
            ("FindAll ( ) -> QueryName →  Count\n", "FindAll() > What() > Count()"),
            ("Find( \"Yao Ming\" )\n  > What", "Find(Yao Ming) > What()"),
            ("FindAll > FilterNum(area, 5, >)", "FindAll() > FilterNum(area, 5, >)"),
            ("FindAll > FilterStr(GSS code (a, b), E1)", "FindAll() > FilterStr(\"GSS code (a, b)\", E1)"),
            (r#"Find(AC\DC "live")"#, r#"Find("AC\\DC \"live\"")"#),
        ] {
            let program = Program::from_readable(text).expect(text);
            assert_eq!(program.to_readable().expect("in order"), line);
        }
    }

    #[test]
    fn messages() {
        for (text, message) in [
            (
                "Find(Yao Ming) > Relat(a, forward)",
                "line 1, column 18: unknown function `Relat` in `Find(Yao Ming) > Relat(a, forward)`; did you mean `Relate`?",
            ),
            (
                "Find(A) >",
                "line 1, column 10: expected a function name, found the end in `Find(A) >`; the form is `Find(Yao Ming) > What()`",
            ),
            (
                "> What",
                "line 1, column 1: expected a function name, found `>` in `> What`; the form is `Find(Yao Ming) > What()`",
            ),
            (
                "Find(A) What",
                "line 1, column 9: expected `>` between two steps, found `W` in `Find(A) What`; an input with brackets or commas needs double quotes",
            ),
            (
                "Find(A > What()",
                "line 1, column 5: the `(` here is not closed in `Find(A > What()`; end the inputs with `)`",
            ),
            (
                "Find(\"A\"",
                "line 1, column 5: the `(` here is not closed in `Find(\"A\"`; end the inputs with `)`",
            ),
            (
                "Find(\"A) > What",
                "line 1, column 6: the quote here is not closed in `Find(\"A) > What`; end it with `\"`",
            ),
            (
                "Find(\"A\" b)",
                "line 1, column 10: expected `,` or `)` after a quoted input, found `b` in `Find(\"A\" b)`; write `\\\"` for a quote inside quotes",
            ),
            (
                "Find(\n\"a\\x\")",
                "line 2, column 3: unknown escape `\\x` in `\"a\\x\")`; write `\\\\` for a backslash inside quotes",
            ),
            (
                "FindAll > Relate(a, )",
                "line 1, column 21: expected an input, found `)` in `FindAll > Relate(a, )`; write `\"\"` for an empty text",
            ),
        ] {
            assert_eq!(Program::from_readable(text).expect_err(text).to_string(), message);
        }
    }

    #[test]
    fn errors_point_at_bytes() {
        let text = "Find(東京) > Relat(a)";
        let Err(ProgramError::Syntax(error)) = Program::from_readable(text) else {
            panic!("no syntax error")
        };
        assert_eq!(error.span.of(text), "Relat");
    }

    proptest! {
        #![proptest_config(arbitrary::cases(500))]

        #[test]
        fn round_trip(program in arbitrary::programs(arbitrary::PIECES)) {
            let line = program.to_readable().expect("in order");
            prop_assert!(!line.contains(['\n', '\r']));
            prop_assert_eq!(Program::from_readable(&line), Ok(program.clone()), "{}", line);
        }
    }
}
