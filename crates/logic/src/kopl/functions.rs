//! The functions of KoPL: one table of their inputs and results.

use std::fmt;
use touchstone_kb::nearest_name;

/// A function of KoPL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KoplFunction {
    /// The entities and concepts with a name.
    Find,
    /// All entities.
    FindAll,
    /// Keeps the members of a concept.
    FilterConcept,
    /// Keeps entities with a text under an attribute key.
    FilterStr,
    /// Keeps entities with a matching number under an attribute key.
    FilterNum,
    /// Keeps entities with a matching time under an attribute key; the value is a year.
    FilterYear,
    /// Keeps entities with a matching time under an attribute key; the value is a date.
    FilterDate,
    /// Keeps the facts with a text under a qualifier key.
    QFilterStr,
    /// Keeps the facts with a matching number under a qualifier key.
    QFilterNum,
    /// Keeps the facts with a matching time under a qualifier key; the value is a year.
    QFilterYear,
    /// Keeps the facts with a matching time under a qualifier key; the value is a date.
    QFilterDate,
    /// Follows a relation.
    Relate,
    /// Intersection.
    And,
    /// Union.
    Or,
    /// The names.
    What,
    /// The number of entities.
    Count,
    /// The one of two with the smaller or greater value.
    SelectBetween,
    /// Those with the smallest or largest value.
    SelectAmong,
    /// The values under an attribute key.
    QueryAttr,
    /// The values under an attribute key whose fact has a qualifier.
    QueryAttrUnderCondition,
    /// Whether the values are a text.
    VerifyStr,
    /// Whether the values compare to a number.
    VerifyNum,
    /// Whether the values compare to a time; the value is a year.
    VerifyYear,
    /// Whether the values compare to a time; the value is a date.
    VerifyDate,
    /// The relations from the first to the second.
    QueryRelation,
    /// The qualifier values of an attribute fact.
    QueryAttrQualifier,
    /// The qualifier values of a relation fact.
    QueryRelationQualifier,
}

/// The type of a step's result, and of the results that it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// Entities, each with the fact that led to it. Accepted wherever entities are.
    Facts,
    /// Entities.
    Entities,
    /// Names of entities.
    Names,
    /// Values of attributes or qualifiers.
    Values,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// Relations.
    Relations,
}

impl Type {
    /// Whether a result of this type is accepted where the other one is required.
    pub fn serves_as(self, needed: Type) -> bool {
        self == needed || (self == Type::Facts && needed == Type::Entities)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Facts => "entities with facts",
            Type::Entities => "entities",
            Type::Names => "names",
            Type::Values => "values",
            Type::Number => "a number",
            Type::Boolean => "yes or no",
            Type::Relations => "relations",
        })
    }
}

/// The kind of a textual input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// The name of an entity or a concept.
    EntityName,
    /// The name of a concept.
    Concept,
    /// The key of an attribute.
    AttributeKey,
    /// The key of a qualifier.
    QualifierKey,
    /// The name of a relation.
    Relation,
    /// `forward` or `backward`.
    Direction,
    /// `=`, `!=`, `<` or `>`.
    Comparison,
    /// `less` or `greater`.
    LessGreater,
    /// `smallest` or `largest`.
    SmallestLargest,
    /// Any text.
    Text,
    /// A number, optionally with a unit.
    Number,
    /// A year or a date.
    Time,
    /// A text, number or time: the KB's type of the key decides.
    Value,
}

impl InputKind {
    /// Whether every text is valid.
    pub(super) fn is_any_text(self) -> bool {
        use InputKind::*;
        matches!(self, EntityName | Concept | AttributeKey | QualifierKey | Relation | Text | Value)
    }

    /// The allowed words, if there are only a few.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            InputKind::Direction => &["forward", "backward"],
            InputKind::Comparison => &["=", "!=", "<", ">"],
            InputKind::LessGreater => &["less", "greater"],
            InputKind::SmallestLargest => &["smallest", "largest"],
            _ => &[],
        }
    }
}

/// A textual input of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input {
    /// Its name in messages and documentation.
    pub name: &'static str,
    /// Its kind.
    pub kind: InputKind,
}

/// A row of the table of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// The function.
    pub function: KoplFunction,
    /// Its name in KQA Pro.
    pub name: &'static str,
    /// The types of the results that it depends on.
    pub takes: &'static [Type],
    /// Its textual inputs, in order.
    pub inputs: &'static [Input],
    /// The type of its result.
    pub gives: Type,
}

const NAME: Input = Input { name: "name", kind: InputKind::EntityName };
const CONCEPT: Input = Input { name: "concept", kind: InputKind::Concept };
const KEY: Input = Input { name: "key", kind: InputKind::AttributeKey };
const QKEY: Input = Input { name: "qkey", kind: InputKind::QualifierKey };
const RELATION: Input = Input { name: "relation", kind: InputKind::Relation };
const DIRECTION: Input = Input { name: "direction", kind: InputKind::Direction };
const OP: Input = Input { name: "op", kind: InputKind::Comparison };
const BETWEEN: Input = Input { name: "op", kind: InputKind::LessGreater };
const AMONG: Input = Input { name: "op", kind: InputKind::SmallestLargest };
const TEXT: Input = Input { name: "value", kind: InputKind::Text };
const NUMBER: Input = Input { name: "value", kind: InputKind::Number };
const TIME: Input = Input { name: "value", kind: InputKind::Time };
const VALUE: Input = Input { name: "value", kind: InputKind::Value };
const QTEXT: Input = Input { name: "qvalue", kind: InputKind::Text };
const QNUMBER: Input = Input { name: "qvalue", kind: InputKind::Number };
const QTIME: Input = Input { name: "qvalue", kind: InputKind::Time };
const QVALUE: Input = Input { name: "qvalue", kind: InputKind::Value };

const fn row(
    function: KoplFunction,
    name: &'static str,
    takes: &'static [Type],
    inputs: &'static [Input],
    gives: Type,
) -> Signature {
    Signature { function, name, takes, inputs, gives }
}

/// In the order of the enum, so that a function's number is its row.
const TABLE: [Signature; 27] = {
    use KoplFunction::*;
    use Type::*;
    [
        row(Find, "Find", &[], &[NAME], Entities),
        row(FindAll, "FindAll", &[], &[], Entities),
        row(FilterConcept, "FilterConcept", &[Entities], &[CONCEPT], Entities),
        row(FilterStr, "FilterStr", &[Entities], &[KEY, TEXT], Facts),
        row(FilterNum, "FilterNum", &[Entities], &[KEY, NUMBER, OP], Facts),
        row(FilterYear, "FilterYear", &[Entities], &[KEY, TIME, OP], Facts),
        row(FilterDate, "FilterDate", &[Entities], &[KEY, TIME, OP], Facts),
        row(QFilterStr, "QFilterStr", &[Facts], &[QKEY, QTEXT], Facts),
        row(QFilterNum, "QFilterNum", &[Facts], &[QKEY, QNUMBER, OP], Facts),
        row(QFilterYear, "QFilterYear", &[Facts], &[QKEY, QTIME, OP], Facts),
        row(QFilterDate, "QFilterDate", &[Facts], &[QKEY, QTIME, OP], Facts),
        row(Relate, "Relate", &[Entities], &[RELATION, DIRECTION], Facts),
        row(And, "And", &[Entities, Entities], &[], Entities),
        row(Or, "Or", &[Entities, Entities], &[], Entities),
        row(What, "What", &[Entities], &[], Names),
        row(Count, "Count", &[Entities], &[], Number),
        row(SelectBetween, "SelectBetween", &[Entities, Entities], &[KEY, BETWEEN], Names),
        row(SelectAmong, "SelectAmong", &[Entities], &[KEY, AMONG], Names),
        row(QueryAttr, "QueryAttr", &[Entities], &[KEY], Values),
        row(QueryAttrUnderCondition, "QueryAttrUnderCondition", &[Entities], &[KEY, QKEY, QVALUE], Values),
        row(VerifyStr, "VerifyStr", &[Values], &[TEXT], Boolean),
        row(VerifyNum, "VerifyNum", &[Values], &[NUMBER, OP], Boolean),
        row(VerifyYear, "VerifyYear", &[Values], &[TIME, OP], Boolean),
        row(VerifyDate, "VerifyDate", &[Values], &[TIME, OP], Boolean),
        row(QueryRelation, "QueryRelation", &[Entities, Entities], &[], Relations),
        row(QueryAttrQualifier, "QueryAttrQualifier", &[Entities], &[KEY, VALUE, QKEY], Values),
        row(
            QueryRelationQualifier,
            "QueryRelationQualifier",
            &[Entities, Entities],
            &[RELATION, QKEY],
            Values,
        ),
    ]
};

/// How the KoPL engine spells `What`.
const QUERY_NAME: &str = "QueryName";

impl KoplFunction {
    /// All functions.
    pub const ALL: [KoplFunction; 27] = {
        let mut all = [KoplFunction::Find; 27];
        let mut i = 0;
        while i < all.len() {
            all[i] = TABLE[i].function;
            i += 1;
        }
        all
    };

    /// The function with a name. `QueryName`, the KoPL engine's name, is `What`.
    pub fn from_name(name: &str) -> Option<KoplFunction> {
        if name == QUERY_NAME {
            return Some(KoplFunction::What);
        }
        TABLE.iter().find(|row| row.name == name).map(|row| row.function)
    }

    /// The row of the table.
    pub fn signature(self) -> &'static Signature {
        const ROWS: &[Signature; 27] = &TABLE;
        &ROWS[self as usize]
    }

    /// The name in KQA Pro.
    pub fn name(self) -> &'static str {
        self.signature().name
    }

    /// The types of the results that it depends on.
    pub fn takes(self) -> &'static [Type] {
        self.signature().takes
    }

    /// Its textual inputs, in order.
    pub fn inputs(self) -> &'static [Input] {
        self.signature().inputs
    }

    /// The type of its result.
    pub fn gives(self) -> Type {
        self.signature().gives
    }

    /// The advice for an unknown function name.
    pub(super) fn suggestion(wrong: &str) -> String {
        let names = || TABLE.iter().map(|row| row.name).chain([QUERY_NAME]);
        match nearest_word(wrong, names()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("the functions are {}", TABLE.map(|row| row.name).join(", ")),
        }
    }
}

impl fmt::Display for KoplFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The known word that a wrong one was probably meant to be: the same except for case, or a few edits away.
pub(super) fn nearest_word(
    wrong: &str,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Option<&'static str> {
    // A long text is not a misspelt word, and the edit distance to it is slow to compute.
    if wrong.len() > 60 {
        return None;
    }
    let same = known.clone().find(|word| word.eq_ignore_ascii_case(wrong));
    same.or_else(|| nearest_name(wrong, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (i, function) in KoplFunction::ALL.into_iter().enumerate() {
            assert_eq!(function as usize, i);
            assert_eq!(function.signature().function, function);
            assert_eq!(format!("{function:?}"), function.name());
            assert_eq!(KoplFunction::from_name(function.name()), Some(function));
        }
        assert_eq!(
            KoplFunction::ALL.map(KoplFunction::name).iter().collect::<std::collections::BTreeSet<_>>().len(),
            27
        );
        assert_eq!(KoplFunction::from_name("QueryName"), Some(KoplFunction::What));
        assert_eq!(KoplFunction::from_name("find"), None);
    }

    /// The stack rule holds only because the functions fall into three classes.
    #[test]
    fn dependencies_are_none_one_or_two() {
        let of = |n| KoplFunction::ALL.into_iter().filter(move |f| f.takes().len() == n);
        assert_eq!(of(0).collect::<Vec<_>>(), [KoplFunction::Find, KoplFunction::FindAll]);
        assert_eq!(
            of(2).map(KoplFunction::name).collect::<Vec<_>>(),
            ["And", "Or", "SelectBetween", "QueryRelation", "QueryRelationQualifier"]
        );
        assert_eq!(of(1).count(), 20);
    }

    #[test]
    fn suggestions() {
        for (wrong, suggestion) in [
            ("Relat", "did you mean `Relate`?"),
            ("queryattrundercondition", "did you mean `QueryAttrUnderCondition`?"),
            ("FilterString", "did you mean `FilterStr`?"),
            ("Queryname", "did you mean `QueryName`?"),
        ] {
            assert_eq!(KoplFunction::suggestion(wrong), suggestion);
        }
        assert!(
            KoplFunction::suggestion("Lookup").starts_with("the functions are Find, FindAll, FilterConcept")
        );
        assert!(KoplFunction::suggestion(&"x".repeat(1 << 16)).starts_with("the functions are"));
    }
}
