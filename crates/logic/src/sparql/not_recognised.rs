//! Why a SPARQL query is outside the algebra.

use super::tokens::{TokenKind, sparql_tokens};
use crate::pattern::PatternError;
use spargebra::algebra::Expression;
use spargebra::term::Variable;

/// Why a SPARQL query is outside the algebra. It can still be run as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("outside the algebra: {reason}")]
#[non_exhaustive]
pub struct NotRecognised {
    /// What the algebra cannot express.
    pub reason: OutsideAlgebra,
}

impl NotRecognised {
    pub(super) fn new(reason: OutsideAlgebra) -> NotRecognised {
        NotRecognised { reason }
    }

    /// Something about a variable of the query.
    pub(super) fn variable(variable: &str, reason: impl FnOnce(String) -> OutsideAlgebra) -> NotRecognised {
        NotRecognised::new(reason(stable_names(&format!("?{variable}"))))
    }

    /// A filter that no dialect writes.
    pub(super) fn filter(expression: &Expression) -> NotRecognised {
        NotRecognised::new(OutsideAlgebra::Filter { expression: shown(expression) })
    }

    /// An order by something other than a variable.
    pub(super) fn order(expression: &Expression) -> NotRecognised {
        NotRecognised::new(OutsideAlgebra::Order { expression: stable_names(&expression.to_string()) })
    }

    /// A variable that the pattern does not bind.
    pub(super) fn not_in_pattern(variable: &Variable) -> NotRecognised {
        NotRecognised::variable(variable.as_str(), |variable| OutsideAlgebra::NotInPattern { variable })
    }
}

impl From<PatternError> for NotRecognised {
    fn from(error: PatternError) -> NotRecognised {
        NotRecognised::new(match error {
            PatternError::Disconnected => OutsideAlgebra::Disconnected,
            PatternError::TooDeep => OutsideAlgebra::TooDeep,
            PatternError::NotALeaf => OutsideAlgebra::SuperlativeValueNotALeaf,
        })
    }
}

/// What the algebra cannot express. The messages document the variants.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum OutsideAlgebra {
    #[error("OPTIONAL")]
    Optional,
    #[error("MINUS")]
    Minus,
    #[error("a property path")]
    PropertyPath,
    #[error("GRAPH")]
    Graph,
    #[error("SERVICE")]
    Service,
    #[error("BIND")]
    Bind,
    #[error("GROUP BY")]
    GroupBy,
    #[error("FROM")]
    From,
    #[error("CONSTRUCT")]
    Construct,
    #[error("DESCRIBE")]
    Describe,
    #[error("a triple term")]
    TripleTerm,
    #[error("VALUES with several variables")]
    ValuesOfSeveralVariables,
    #[error("a COUNT of rows over VALUES that list something twice")]
    CountOfRepeatedValues,
    #[error("VALUES with UNDEF or without values")]
    ValuesUndefined,
    #[error("a nested SELECT that is not a superlative")]
    NestedSelect,
    #[error("an aggregate other than COUNT of a variable")]
    Aggregate,
    #[error("a limit inside the query")]
    InnerLimit,
    #[error("a computed answer")]
    ComputedAnswer,
    #[error("an order of the answers")]
    OrderOfAnswers,
    #[error("an order by several values")]
    OrderBySeveralValues,
    #[error("no answer variable")]
    NoAnswerVariable,
    #[error("LIMIT 1 without an order: any one answer")]
    AnyOneAnswer,
    #[error("a limit on a count")]
    LimitedCount,
    #[error("a filter that does not compare a value")]
    FilterWithoutComparison,
    #[error("two values that are equal")]
    EqualValues,
    #[error("a filter on something that is not a value")]
    FilterOnNonValue,
    #[error("a fact node without its three parts")]
    IncompleteFactNode,
    #[error("a class, a fact or a qualifier that is used in two places")]
    HelperNodeUsedTwice,
    #[error("a unit of something that is not a number")]
    UnitOfNonNumber,
    #[error("a unit without a value")]
    UnitWithoutValue,
    #[error("a count of values")]
    CountOfValues,
    #[error("a pattern without triples")]
    NoTriples,
    #[error("a nested SELECT in KQA Pro's graph")]
    NestedSelectInKqaPro,
    #[error("VALUES that are not entities in KQA Pro's graph")]
    ValuesNotEntities,
    #[error("a variable for a relation")]
    RelationVariable,
    #[error("a qualifier with any value")]
    AnyQualifierValue,
    #[error("any value of a kind")]
    AnyValue,
    #[error("a literal as subject or object of a relation")]
    LiteralInRelation,
    #[error("a variable for the relation of a fact")]
    FactRelationVariable,
    #[error("a class without a name of its own")]
    UnnamedClass,
    #[error("a value with a name")]
    NamedValue,
    #[error("two values of one value node")]
    TwoValuesOfNode,
    #[error("an IRI as a value")]
    IriAsValue,
    #[error("a condition on the value that is asked for")]
    ConditionOnAskedValue,
    #[error("a value of several facts")]
    ValueOfSeveralFacts,
    #[error("a fact that is not in the pattern")]
    FactNotInPattern,
    #[error("a qualifier of a fact under a condition")]
    QualifierOfConditionedFact,
    #[error("a qualifier of a fact whose value is not given")]
    QualifierOfOpenFact,
    #[error("two things that are connected in several ways")]
    SeveralConnections,
    #[error("a superlative together with something that is left open")]
    OpenSuperlative,
    #[error("a superlative over several facts")]
    SuperlativeOverSeveralFacts,
    #[error("a superlative over something that is not the answer's own value")]
    SuperlativeOverOtherValue,
    #[error("a part of a fact or a value that is stated twice")]
    PartStatedTwice,
    #[error("a name or unit that is not a text")]
    NameNotText,
    #[error("a class that is not an IRI")]
    ClassNotIri,
    #[error("a condition inside a branch of UNION")]
    ConditionInUnion,
    #[error("two superlatives")]
    TwoSuperlatives,
    #[error("a superlative inside a superlative")]
    NestedSuperlative,
    #[error("a superlative whose value is not in the pattern")]
    SuperlativeValueNotInPattern,
    #[error("a superlative over something other than the pattern around it")]
    SuperlativeOverOtherPattern,
    #[error("an inequality only inside a superlative")]
    InequalityInSuperlative,
    #[error("other inequalities inside a superlative than around it")]
    OtherInequalitiesInSuperlative,
    #[error("a UNION whose branches share several variables")]
    UnionBranchesShareVariables,
    #[error("a UNION that shares several variables with the rest")]
    UnionSharesVariables,
    #[error("a UNION with a branch that shares several variables with the rest")]
    UnionBranchSharesVariables,
    #[error("a period with one end only")]
    OneSidedPeriod,
    #[error("a slice of the answers ({})", slice(*.offset, *.limit))]
    Slice { offset: usize, limit: Option<usize> },
    #[error("an answer of {columns} columns")]
    Columns { columns: usize },
    #[error("a filter on {variable} in a group without it")]
    FilterOutOfScope { variable: String },
    #[error("a nested SELECT that does not give {variable}")]
    NestedSelectOfOther { variable: String },
    #[error("the filter {expression}")]
    Filter { expression: String },
    #[error("the order by {expression}")]
    Order { expression: String },
    #[error("{variable} is not in the pattern")]
    NotInPattern { variable: String },
    #[error("{variable} is not a value")]
    NotAValue { variable: String },
    #[error("a language for {variable}")]
    LanguageOfOther { variable: String },
    #[error("{variable}, which joins a branch of UNION with something else")]
    UnionLeak { variable: String },
    #[error("{}", PatternError::Disconnected)]
    Disconnected,
    #[error("{}", PatternError::TooDeep)]
    TooDeep,
    #[error("{}", PatternError::NotALeaf)]
    SuperlativeValueNotALeaf,
}

fn slice(offset: usize, limit: Option<usize>) -> String {
    let limit = limit.map_or(String::new(), |n| format!(" LIMIT {n}"));
    let offset = if offset > 0 { format!(" OFFSET {offset}") } else { String::new() };
    format!("{limit}{offset}").trim().to_owned()
}

/// An expression, shortened.
fn shown(expression: &Expression) -> String {
    let text = stable_names(&expression.to_string());
    if text.chars().count() > 120 {
        format!("{}…", text.chars().take(120).collect::<String>())
    } else {
        text
    }
}

/// Minimum number of digits of a name that the parser made up; it writes random numbers of 128 bits in hexadecimal digits.
const RANDOM_DIGITS: usize = 20;

/// A printed expression in which the random names that the parser gives to blank nodes and computed values are numbered, so that the same
/// query has the same message every time.
fn stable_names(text: &str) -> String {
    let is_random = |name: &str| {
        name.len() >= RANDOM_DIGITS && name.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    let mut known: Vec<&str> = Vec::new();
    let mut stable = String::with_capacity(text.len());
    for token in sparql_tokens(text) {
        let (mark, name) = match token.kind {
            TokenKind::Name => ("_:b", token.text.strip_prefix("_:")),
            TokenKind::Variable => ("?_", token.text.strip_prefix('?')),
            _ => ("", None),
        };
        match name.filter(|name| is_random(name)) {
            Some(name) => {
                let number = known.iter().position(|other| *other == name).unwrap_or_else(|| {
                    known.push(name);
                    known.len() - 1
                });
                stable.push_str(&format!("{mark}{}", number + 1));
            }
            None => stable.push_str(token.text),
        }
    }
    stable
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{Namespaces, parse, recognise};

    #[test]
    fn reasons_do_not_depend_on_random_names() {
        let reason = |text: &str| {
            recognise(&parse(text).unwrap().query, &Namespaces::default()).unwrap_err().reason.to_string()
        };
        for text in [
            "SELECT ?x { ?x <urn:p> ?y FILTER NOT EXISTS { ?x <urn:q> [ <urn:r> [] ] } }",
            "SELECT ?x { ?x <urn:p> ?y FILTER (COUNT(?y) > 1) }",
            "SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x ORDER BY COUNT(?y) LIMIT 1",
        ] {
            if parse(text).is_ok() {
                assert_eq!(reason(text), reason(text), "{text}");
            }
        }
        let exists = "SELECT ?x { ?x <urn:p> ?y FILTER NOT EXISTS { ?x <urn:q> [ <urn:r> [] ] } }";
        assert!(reason(exists).contains("_:b1"), "{}", reason(exists));
    }
}
