//! The kinds of questions: their splits, the functions on top of their queries, and KQA Pro's types.

use crate::named::named_enum;
use touchstone_kb::Comparison;
use touchstone_logic::sparql::SparqlOutline;
use touchstone_logic::{Ask, Query, Set};

/// The part of a benchmark that a question belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Split {
    /// Systems may learn from it.
    Train,
    /// For choosing among versions of a system.
    Dev,
    /// For the final score.
    Test,
}

named_enum!(Split, "split", { Train => "train", Dev => "dev", Test => "test" });

/// The function on top of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// The members of a set.
    None,
    /// How many members a set has.
    Count,
    /// One constraint is a comparison of a quantity or a time.
    Comparative,
    /// The member with the greatest or smallest value.
    Superlative,
    /// Whether something holds.
    Verify,
    /// The values of an attribute.
    Attribute,
    /// How two things are related.
    Relation,
    /// The value of a qualifier.
    Qualifier,
    /// Which of two things has the greater or smaller value.
    Between,
}

named_enum!(Function, "function", {
    None => "none",
    Count => "count",
    Comparative => "comparative",
    Superlative => "superlative",
    Verify => "verify",
    Attribute => "attribute",
    Relation => "relation",
    Qualifier => "qualifier",
    Between => "between",
});

impl Function {
    /// The function on top of a query.
    pub fn of(query: &Query) -> Function {
        fn compares(set: &Set) -> bool {
            let own = matches!(set, Set::Values(comparison, _) if !matches!(comparison, Comparison::Equal | Comparison::NotEqual));
            let mut found = own;
            set.children(&mut |child| found |= compares(child));
            found
        }
        let mut comparative = false;
        query.sets(&mut |set| comparative |= compares(set));
        match &query.answer {
            Ask::Members(Set::Superlative(_)) | Ask::SelectAmong { .. } => Function::Superlative,
            Ask::Count(_) => Function::Count,
            Ask::Members(_) if comparative => Function::Comparative,
            Ask::Members(_) => Function::None,
            Ask::Exists(_) | Ask::Verify { .. } => Function::Verify,
            Ask::Attribute { .. } => Function::Attribute,
            Ask::Relation { .. } => Function::Relation,
            Ask::AttributeQualifier { .. } | Ask::RelationQualifier { .. } => Function::Qualifier,
            Ask::SelectBetween { .. } => Function::Between,
        }
    }
}

impl From<SparqlOutline> for Function {
    fn from(outline: SparqlOutline) -> Function {
        match outline {
            SparqlOutline { verifies: true, .. } => Function::Verify,
            SparqlOutline { takes_extreme: true, .. } => Function::Superlative,
            SparqlOutline { counts: true, .. } => Function::Count,
            SparqlOutline { compares: true, .. } => Function::Comparative,
            _ => Function::None,
        }
    }
}

/// The nine ways to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum QuestionType {
    QueryName,
    Count,
    SelectAmong,
    SelectBetween,
    QueryAttribute,
    Verify,
    HighLevelLiteral,
    Relation,
    HighLevelRelational,
}

named_enum!(QuestionType, "type", {
    QueryName => "QueryName",
    Count => "Count",
    SelectAmong => "SelectAmong",
    SelectBetween => "SelectBetween",
    QueryAttribute => "QueryAttribute",
    Verify => "Verify",
    HighLevelLiteral => "HighLevelLiteral",
    Relation => "Relation",
    HighLevelRelational => "HighLevelRelational",
});

impl QuestionType {
    /// The type of a query, as KQA Pro sorts its questions.
    pub fn of(query: &Query) -> QuestionType {
        match &query.answer {
            Ask::Members(Set::Superlative(_)) | Ask::SelectAmong { .. } => QuestionType::SelectAmong,
            Ask::Members(_) => QuestionType::QueryName,
            Ask::Count(_) => QuestionType::Count,
            Ask::Exists(_) | Ask::Verify { .. } => QuestionType::Verify,
            Ask::Attribute { .. } => QuestionType::QueryAttribute,
            Ask::Relation { .. } => QuestionType::Relation,
            Ask::AttributeQualifier { .. } => QuestionType::HighLevelLiteral,
            Ask::RelationQualifier { .. } => QuestionType::HighLevelRelational,
            Ask::SelectBetween { .. } => QuestionType::SelectBetween,
        }
    }
}

impl From<SparqlOutline> for QuestionType {
    fn from(outline: SparqlOutline) -> QuestionType {
        match outline {
            SparqlOutline { verifies: true, .. } => QuestionType::Verify,
            SparqlOutline { takes_extreme: true, .. } => QuestionType::SelectAmong,
            SparqlOutline { counts: true, .. } => QuestionType::Count,
            _ => QuestionType::QueryName,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        assert_eq!(serde_json::to_string(&Split::ALL).expect("JSON"), r#"["train","dev","test"]"#);
        assert_eq!(serde_json::from_str::<Function>("\"count\"").expect("a function"), Function::Count);
        for kind in QuestionType::ALL {
            assert_eq!(kind.to_string(), format!("{kind:?}"));
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert_eq!("TEST".parse(), Ok(Split::Test), "the command line ignores case");
        let error = serde_json::from_str::<Split>("\"validation\"").expect_err("no split").to_string();
        assert!(error.starts_with("unknown split `validation`; known: train, dev, test"), "{error}");
    }
}
