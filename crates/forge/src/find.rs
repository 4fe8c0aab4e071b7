//! Finds questions of a benchmark by their properties.

use std::collections::BTreeSet;
use std::fmt;
use touchstone_benchmark::{Benchmark, Question, Split};
use touchstone_kb::{nearest_name, shortened};

/// The required properties of questions. Names are compared case-insensitively.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuestionFilter {
    /// The id.
    pub id: Option<String>,
    /// The name or code of the shape.
    pub shape: Option<String>,
    /// The split.
    pub split: Option<Split>,
    /// The function, or KQA Pro's type.
    pub function: Option<String>,
}

/// A property of questions that a filter tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterField {
    /// The id.
    Id,
    /// The shape.
    Shape,
    /// The split.
    Split,
    /// The function or the type.
    Function,
}

impl FilterField {
    const ALL: [FilterField; 4] =
        [FilterField::Id, FilterField::Shape, FilterField::Split, FilterField::Function];

    fn values(self, question: &Question) -> Vec<&str> {
        match self {
            FilterField::Id => vec![&question.id],
            FilterField::Shape => {
                [Some(question.shape.as_str()), question.alias.as_deref()].into_iter().flatten().collect()
            }
            FilterField::Split => vec![question.split.name()],
            FilterField::Function => vec![question.function.name(), question.kind.name()],
        }
    }
}

impl fmt::Display for FilterField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FilterField::Id => "id",
            FilterField::Shape => "shape",
            FilterField::Split => "split",
            FilterField::Function => "function",
        })
    }
}

/// Why no question passes a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NothingFound {
    /// The benchmark is empty.
    NoQuestions,
    /// No question has the value that the filter requires.
    UnknownValue {
        /// The property.
        field: FilterField,
        /// The value.
        wanted: String,
        /// The nearest existing value.
        nearest: Option<String>,
        /// The existing values: the first twenty, without codes of shapes; none for ids.
        known: Vec<String>,
    },
    /// Each value occurs, but no question has all of them.
    NotTogether,
}

impl fmt::Display for NothingFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NothingFound::NoQuestions => f.write_str("the benchmark has no questions"),
            NothingFound::UnknownValue { field, wanted, nearest, known } => {
                let hint = nearest.as_ref().map_or(String::new(), |name| format!("; did you mean `{name}`?"));
                let known = match field {
                    FilterField::Id => String::new(),
                    _ if known.is_empty() => "; it has none".to_owned(),
                    _ => format!("; it has {}", known.join(", ")),
                };
                write!(f, "no question has the {field} `{}`{hint}{known}", shortened(wanted))
            }
            NothingFound::NotTogether => {
                f.write_str("no question matches all of these filters; leave one out")
            }
        }
    }
}

impl QuestionFilter {
    fn wanted(&self, field: FilterField) -> Option<&str> {
        match field {
            FilterField::Id => self.id.as_deref(),
            FilterField::Shape => self.shape.as_deref(),
            FilterField::Split => self.split.map(Split::name),
            FilterField::Function => self.function.as_deref(),
        }
    }

    /// Whether a question passes.
    pub fn fits(&self, question: &Question) -> bool {
        FilterField::ALL.iter().all(|field| {
            let Some(wanted) = self.wanted(*field) else { return true };
            field.values(question).iter().any(|value| value.eq_ignore_ascii_case(wanted))
        })
    }

    /// The questions that pass, in their order.
    pub fn find<'b>(&self, benchmark: &'b Benchmark) -> Vec<&'b Question> {
        benchmark.questions.iter().filter(|question| self.fits(question)).collect()
    }

    /// Why no question passes.
    pub fn explain(&self, benchmark: &Benchmark) -> NothingFound {
        for field in FilterField::ALL {
            let Some(wanted) = self.wanted(field) else { continue };
            let all: BTreeSet<&str> = benchmark
                .questions
                .iter()
                .flat_map(|question| field.values(question))
                .filter(|value| !value.is_empty())
                .collect();
            if all.iter().any(|value| value.eq_ignore_ascii_case(wanted)) {
                continue;
            }
            let nearest = nearest_name(wanted, all.iter().copied()).map(str::to_owned);
            let known = match field {
                FilterField::Id => Vec::new(),
                _ => all
                    .iter()
                    .filter(|value| !value.contains('('))
                    .take(20)
                    .map(ToString::to_string)
                    .collect(),
            };
            return NothingFound::UnknownValue { field, wanted: wanted.to_owned(), nearest, known };
        }
        match benchmark.questions.is_empty() {
            true => NothingFound::NoQuestions,
            false => NothingFound::NotTogether,
        }
    }
}
