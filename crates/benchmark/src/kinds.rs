//! The kinds of questions: the function on top of a query, and KQA Pro's types.

use serde::{Deserialize, Serialize};
use std::fmt;
use touchstone_kb::Comparison;
use touchstone_logic::{Ask, Query, Set};

/// The function on top of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

impl Function {
    /// The word in files, recipes and tables.
    pub fn name(self) -> &'static str {
        match self {
            Function::None => "none",
            Function::Count => "count",
            Function::Comparative => "comparative",
            Function::Superlative => "superlative",
            Function::Verify => "verify",
            Function::Attribute => "attribute",
            Function::Relation => "relation",
            Function::Qualifier => "qualifier",
            Function::Between => "between",
        }
    }

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

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The nine ways to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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

impl QuestionType {
    /// All of them.
    pub const ALL: [QuestionType; 9] = [
        QuestionType::QueryName,
        QuestionType::Count,
        QuestionType::SelectAmong,
        QuestionType::SelectBetween,
        QuestionType::QueryAttribute,
        QuestionType::Verify,
        QuestionType::HighLevelLiteral,
        QuestionType::Relation,
        QuestionType::HighLevelRelational,
    ];

    /// The word in recipes and tables.
    pub fn name(self) -> &'static str {
        match self {
            QuestionType::QueryName => "QueryName",
            QuestionType::Count => "Count",
            QuestionType::SelectAmong => "SelectAmong",
            QuestionType::SelectBetween => "SelectBetween",
            QuestionType::QueryAttribute => "QueryAttribute",
            QuestionType::Verify => "Verify",
            QuestionType::HighLevelLiteral => "HighLevelLiteral",
            QuestionType::Relation => "Relation",
            QuestionType::HighLevelRelational => "HighLevelRelational",
        }
    }

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

impl fmt::Display for QuestionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
