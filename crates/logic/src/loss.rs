//! The differences in meaning that a translation introduces.

use crate::query::Rules;
use std::fmt;

/// The language of a logical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// GrailQA's S-expressions.
    Sexpr,
    /// KQA Pro's programs.
    Kopl,
    /// SPARQL 1.1.
    Sparql,
}

impl Language {
    /// All languages, each with its name in commands and a description.
    pub const NAMED: [(&'static str, &'static str, Language); 3] = [
        ("sexpr", "S-expressions", Language::Sexpr),
        ("kopl", "KoPL programs", Language::Kopl),
        ("sparql", "SPARQL", Language::Sparql),
    ];

    /// Its name in commands.
    pub fn word(self) -> &'static str {
        match self {
            Language::Sexpr => "sexpr",
            Language::Kopl => "kopl",
            Language::Sparql => "sparql",
        }
    }

    /// The language with a name.
    pub fn from_word(word: &str) -> Option<Language> {
        Language::NAMED.into_iter().find(|(known, ..)| *known == word).map(|(.., language)| language)
    }

    /// The language of a text, guessed from its first characters: `(`, a SPARQL keyword, or else a program.
    pub fn guess(text: &str) -> Language {
        let start = text.trim_start();
        let word: String = start.chars().take_while(|c| c.is_ascii_alphabetic()).collect();
        let keyword = ["prefix", "base", "select", "ask", "construct", "describe"]
            .contains(&word.to_ascii_lowercase().as_str());
        let one_word = !start.trim_end().contains(char::is_whitespace) && !start.contains(['(', '[']);
        // Neither a program nor an expression has variables in braces: this is SPARQL with a typing error.
        let braces = start.contains('{') && start.contains('?') && !start.starts_with(['{', '[']);
        if start.starts_with('(') || one_word {
            Language::Sexpr
        } else if start.starts_with('#') || keyword || braces {
            Language::Sparql
        } else {
            Language::Kopl
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::Sexpr => "S-expression",
            Language::Kopl => "KoPL",
            Language::Sparql => "SPARQL",
        })
    }
}

/// A translated text, with its differences in meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// The text.
    pub text: String,
    /// The losses; empty if both mean the same.
    pub lost: Vec<Loss>,
}

/// A difference in meaning between a query and its translation, or between a text and the query that was recognised in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Loss {
    /// A superlative's path starts at a thing inside the description; the S-expression repeats the path to it, so it may reach another thing.
    SharedNode {
        /// The repeated steps.
        repeated: String,
    },
    /// Inequalities that the other language leaves to its converter.
    Different {
        /// Number of inequalities.
        pairs: usize,
    },
    /// The restriction to English.
    English,
    /// An id written where a name is expected.
    IdAsName {
        /// The id.
        id: String,
    },
    /// `LIMIT 1` keeps one of the answers that tie; the algebra keeps them all.
    OneOfTies,
    /// `COUNT` without `DISTINCT` counts solutions; the algebra counts answers.
    CountsRows,
    /// `SELECT` without `DISTINCT` repeats answers; the algebra has sets.
    Repeats,
    /// A value is cast before it is compared or ordered; the algebra compares it unchanged.
    Cast {
        /// The function.
        function: String,
    },
    /// Only the characters of a literal are compared, whatever its language or type; the algebra compares texts without a language.
    TextOnly {
        /// The text.
        text: String,
    },
    /// Values of all units are compared as bare numbers; the algebra compares within a unit.
    UnitsIgnored,
    /// Inequalities that apply only while the extreme is chosen.
    InnerOnly,
    /// The program does not give the kind of a value, and it is not known otherwise.
    Guessed {
        /// The value.
        value: String,
        /// The assumed kind.
        kind: &'static str,
    },
    /// Two statements about facts may refer to two equal facts; the algebra treats them as one.
    SameFact,
    /// A year or month is matched literally; the algebra also accepts dates in it.
    YearItself,
    /// Dates are compared only with dates; the algebra also compares them with years.
    DatesOnly,
    /// Names and descriptions that are shown besides the answer, and the condition that there are any.
    Labels {
        /// The columns that the query does not have.
        columns: Vec<String>,
    },
    /// Something is found by its name, in whatever language the name is written.
    FindsByName,
    /// Optional parts that nothing uses, casts of sort keys and repetitions are left out.
    Simplified,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::SharedNode { repeated } => write!(
                f,
                "the superlative is about the same thing that `{repeated}` reaches; the S-expression follows that path again and may reach a different one"
            ),
            Loss::Different { pairs: 1 } => f.write_str("one inequality between things is dropped"),
            Loss::Different { pairs } => write!(f, "{pairs} inequalities between things are dropped"),
            Loss::English => f.write_str("the restriction to English texts is dropped"),
            Loss::IdAsName { id } => {
                write!(
                    f,
                    "`{id}` is an id, but KoPL needs a name that no other entity has; give --kb to look names up"
                )
            }
            Loss::OneOfTies => f.write_str("LIMIT 1 keeps one of the answers that tie, the query keeps all"),
            Loss::CountsRows => f.write_str("COUNT without DISTINCT counts rows, the query counts answers"),
            Loss::Repeats => f.write_str("SELECT without DISTINCT may repeat answers, the query does not"),
            Loss::Cast { function } => write!(
                f,
                "{function}(...) converts a value before comparing it, the query compares it as it is"
            ),
            Loss::TextOnly { text } => {
                write!(f, "str(...) = {text:?} ignores language and datatype, the query compares plain text")
            }
            Loss::UnitsIgnored => f.write_str(
                "SPARQL compares numbers without regard to their units, the query compares within a unit",
            ),
            Loss::InnerOnly => f.write_str(
                "the inequalities hold while the extreme is chosen, the query applies them to the answer too",
            ),
            Loss::Guessed { value, kind } => write!(
                f,
                "the program does not say what `{value}` is; it was taken to be a {kind}; give --kb to find out"
            ),
            Loss::SameFact => {
                f.write_str("the conditions may be met by two equal facts, while the query asks for one fact")
            }
            Loss::YearItself => {
                f.write_str("SPARQL matches the year itself, the query accepts dates in it, too")
            }
            Loss::DatesOnly => {
                f.write_str("SPARQL compares dates only, the query also compares values that are years")
            }
            Loss::Labels { columns } if columns.is_empty() => {
                f.write_str("the condition that things have a name or description is dropped")
            }
            Loss::Labels { columns } => {
                write!(f, "names and descriptions are not part of the query: ?{}", columns.join(", ?"))
            }
            Loss::FindsByName => f.write_str("names are compared without their language"),
            Loss::Simplified => {
                f.write_str("the SPARQL was simplified: repeated rows and unused parts do not count")
            }
        }
    }
}

impl Rules {
    /// The losses of a language without side conditions.
    pub(crate) fn lost(&self) -> impl Iterator<Item = Loss> {
        let different =
            (!self.different.is_empty()).then_some(Loss::Different { pairs: self.different.len() });
        different.into_iter().chain(self.english.then_some(Loss::English))
    }
}

/// Something that a language cannot express.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{language} cannot express {what}{}", hint.as_ref().map(|h| format!("; {h}")).unwrap_or_default())]
#[non_exhaustive]
pub struct Inexpressible {
    /// The language.
    pub language: Language,
    /// What it cannot express.
    pub what: String,
    /// What to do instead.
    pub hint: Option<String>,
}

impl Inexpressible {
    /// An error without advice.
    pub fn new(language: Language, what: impl Into<String>) -> Inexpressible {
        Inexpressible { language, what: what.into(), hint: None }
    }
}
