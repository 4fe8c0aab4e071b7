//! What a line at the prompt of a shell means.

use touchstone_kb::nearest_name;
use touchstone_logic::Language;
use touchstone_logic::typed::is_english;

/// A line of a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShellLine<'l> {
    /// Nothing.
    Empty,
    /// A query.
    Query(&'l str),
    /// A question in English.
    English(&'l str),
    /// `.help`
    Help,
    /// `.quit`
    Quit,
    /// `.trace`: show every step; without a value the other way round.
    Trace(Option<bool>),
    /// `.json`: print answers as JSON.
    Json(Option<bool>),
    /// `.engine`: switch to the engine with this name, or show which it is.
    Engine(Option<&'l str>),
    /// `.lang`: the language of queries; `None` guesses it.
    Language(Option<Language>),
    /// `.kb`: switch to another KB, or show which it is.
    Kb(Option<&'l str>),
    /// `.show`: everything about an entity or a class.
    Show(&'l str),
    /// `.find`: entities and classes by name.
    Find(&'l str),
    /// `.ask`: answer a question in English.
    Ask(&'l str),
}

/// A line that is a command, but a wrong one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShellLineError {
    /// A switch is set to something else.
    #[error("`{0}` is neither on nor off")]
    NotASwitch(String),
    /// There is no such language.
    #[error("`{0}` is not one of auto, sexpr, kopl, sparql")]
    NotALanguage(String),
    /// A command stands alone.
    #[error("{0} needs a name, as in `{0} Paris`")]
    Incomplete(String),
    /// There is no such command.
    #[error("there is no command `{name}`; did you mean `{nearest}`?")]
    Unknown {
        /// Its name.
        name: String,
        /// The nearest command, or `.help`.
        nearest: &'static str,
    },
}

impl<'l> ShellLine<'l> {
    /// All commands.
    pub const COMMANDS: [&'static str; 11] =
        [".ask", ".engine", ".exit", ".find", ".help", ".json", ".kb", ".lang", ".quit", ".show", ".trace"];

    /// What a line means.
    ///
    /// ```
    /// use touchstone_engine::ShellLine;
    /// assert_eq!(ShellLine::parse(".trace on"), Ok(ShellLine::Trace(Some(true))));
    /// assert_eq!(ShellLine::parse("Who directed Alien?"), Ok(ShellLine::English("Who directed Alien?")));
    /// assert!(ShellLine::parse(".shwo Paris").is_err());
    /// ```
    pub fn parse(line: &'l str) -> Result<ShellLine<'l>, ShellLineError> {
        let line = line.trim();
        match line.to_ascii_lowercase().as_str() {
            "" => return Ok(ShellLine::Empty),
            "help" | "?" => return Ok(ShellLine::Help),
            "quit" | "exit" => return Ok(ShellLine::Quit),
            _ if line.starts_with('.') => {}
            _ if is_english(line) => return Ok(ShellLine::English(line)),
            _ => return Ok(ShellLine::Query(line)),
        }
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = Some(rest.trim()).filter(|rest| !rest.is_empty());
        let wanted = || rest.ok_or_else(|| ShellLineError::Incomplete(name.to_owned()));
        Ok(match name {
            ".help" => ShellLine::Help,
            ".quit" | ".exit" => ShellLine::Quit,
            ".trace" => ShellLine::Trace(switch(rest)?),
            ".json" => ShellLine::Json(switch(rest)?),
            ".engine" => ShellLine::Engine(rest),
            ".lang" => ShellLine::Language(language(rest.unwrap_or_default())?),
            ".kb" => ShellLine::Kb(rest),
            ".show" => ShellLine::Show(wanted()?),
            ".find" => ShellLine::Find(wanted()?),
            ".ask" => ShellLine::Ask(wanted()?),
            other => {
                let nearest = nearest_name(other, ShellLine::COMMANDS).unwrap_or(".help");
                return Err(ShellLineError::Unknown { name: other.to_owned(), nearest });
            }
        })
    }
}

fn switch(value: Option<&str>) -> Result<Option<bool>, ShellLineError> {
    match value {
        None => Ok(None),
        Some("on") => Ok(Some(true)),
        Some("off") => Ok(Some(false)),
        Some(other) => Err(ShellLineError::NotASwitch(other.to_owned())),
    }
}

fn language(name: &str) -> Result<Option<Language>, ShellLineError> {
    match name.to_ascii_lowercase().as_str() {
        "auto" => Ok(None),
        "sexpr" => Ok(Some(Language::Sexpr)),
        "kopl" => Ok(Some(Language::Kopl)),
        "sparql" => Ok(Some(Language::Sparql)),
        _ => Err(ShellLineError::NotALanguage(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands_questions_or_queries() {
        for (line, meaning) in [
            ("  ", ShellLine::Empty),
            ("?", ShellLine::Help),
            ("Exit", ShellLine::Quit),
            (".json", ShellLine::Json(None)),
            (".lang KoPL", ShellLine::Language(Some(Language::Kopl))),
            (".kb  my kb ", ShellLine::Kb(Some("my kb"))),
            (".ask Who directed Alien?", ShellLine::Ask("Who directed Alien?")),
            ("Find(Paris) > What()", ShellLine::Query("Find(Paris) > What()")),
        ] {
            assert_eq!(ShellLine::parse(line), Ok(meaning), "{line}");
        }
        for (line, message) in [
            (".trace maybe", "`maybe` is neither on nor off"),
            (".lang french", "`french` is not one of auto, sexpr, kopl, sparql"),
            (".show", ".show needs a name, as in `.show Paris`"),
            (".finds x", "there is no command `.finds`; did you mean `.find`?"),
        ] {
            assert_eq!(ShellLine::parse(line).expect_err(line).to_string(), message);
        }
    }
}
