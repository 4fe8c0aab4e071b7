//! Reasons for which a query does not become a question.

use std::collections::BTreeMap;
use std::fmt;

macro_rules! reasons {
    ($($variant:ident => $text:literal),+ $(,)?) => {
        /// The reason for which a query does not become a question. The variants are in the order of their texts, so that maps by reason
        /// have the order of the file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum RejectReason {
            $(#[doc = $text] $variant,)+
        }

        impl RejectReason {
            #[cfg(test)]
            const ALL: &[RejectReason] = &[$(RejectReason::$variant),+];

            /// The text in `benchmark.json`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(RejectReason::$variant => $text,)+
                }
            }
        }
    };
}

reasons! {
    ChoiceBetweenClasses => "a choice between classes",
    EmptyClass => "a class without members",
    ComparedQualifier => "a comparison of a qualifier",
    RedundantConstraint => "a constraint that does not narrow the answers",
    CountOfOne => "a count of one thing",
    NoEnglishClause => "a description that English has no clause for",
    AmbiguousDescription => "a description that is not unique",
    ForwardReference => "a forward reference",
    UnspeakableName => "a name that is not English",
    AmbiguousName => "a name that several entities share",
    QualifierOnDescription => "a qualifier after a description",
    AlreadyIncluded => "a query or question that already exists",
    LevelIsFull => "a question of another level",
    UnreadableQuestion => "a question that cannot be read",
    TooManyWords => "a question with too many words",
    SuperlativeOnPath => "a superlative over an intermediate entity",
    SuperlativeWithoutValue => "a superlative without a value",
    DescribedByItself => "a thing is described by itself",
    IsolatedVertex => "a thing that is not connected to the rest",
    UnreadableTrainingQuestion => "a training question that cannot be read",
    HasValue => "a value",
    UnspeakableValue => "a value that cannot be verbalised",
    UnspeakableAnswer => "an answer has no name in English",
    AnswerIsNamed => "an answer is named in the question",
    AttributeWithoutValues => "an attribute without values",
    EmptyChoice => "an empty choice",
    EntityWithoutClass => "an entity without a class",
    UnknownAttribute => "an unknown attribute",
    UnknownEntity => "an unknown entity",
    UnknownName => "an unknown name",
    UnknownQualifier => "an unknown qualifier",
    UnknownRelation => "an unknown relation",
    OtherLevel => "another level",
    OtherShape => "another shape",
    SideConditions => "conditions that two things differ, or that a label is English",
    Duplicate => "duplicate",
    CommonAnswerClass => "enough questions for this class",
    ShapeIsFull => "enough questions of this shape",
    Incomplete => "facts that are incomplete in the KB",
    SeveralLimits => "more limits than one sentence can state",
    NoAttribute => "no attribute",
    NoClassWithFacts => "no class has such facts",
    NoNarrowingConstraints => "no constraints that narrow each other",
    NoCycle => "no cycle leads through the entity",
    NotAnEntity => "no entity",
    NoFact => "no fact",
    NoQualifiedFact => "no fact with qualifiers",
    NoSpeakableNeighbour => "no neighbour with a name in English",
    NoOtherEntities => "no other entities for the template",
    NoOtherEntityWithAttribute => "no other entity with this attribute",
    NoOtherMember => "no other member",
    NoOtherValue => "no other value of this kind",
    NoDistractor => "no plausible distractor near the answer",
    NoProof => "no proof",
    NoRoundNumber => "no round number near the value",
    NoRunnableForm => "no runnable logical form expresses it",
    OnlyFittingRelation => "no two other relations fit the entities",
    NoSharedTemplate => "no two questions with the same template",
    UnexpectedLevel => "not of the intended level",
    NothingToChooseAmong => "nothing to choose among",
    SeveralValues => "several values to compare",
    AmbiguousAnswer => "the answer is not unique",
    SmallAnswerClass => "the answers are of a small class",
    NothingToCompare => "the entities have no attribute to compare",
    TooFewRelations => "the entities have too few relations",
    NoAttributes => "the entity has no attributes",
    NoNeighbour => "the entity has no outgoing facts",
    NoOrderedAttribute => "the entity has no quantity and no time",
    ExtremeIsNotAbsolute => "the extreme is another entity, or several share it",
    NoPhrase => "the lexicon has no phrase for it",
    TakesTooLong => "the query takes too long",
    SaysAnswer => "the question contains its answer",
    GivesAnswerAway => "the question gives its answer away",
    RepeatedConstraint => "the same constraint twice",
    NoPlaceForValue => "the shape has no place for a value",
    NothingToReplace => "the template names nothing that could be replaced",
    SurveyYear => "the year of a survey, not of the fact",
    NoClass => "there is no class to ask about: none has three members of its own",
    TooManyAnswers => "too many answers",
    DifferentKinds => "two entities of different kinds",
    Unanswerable => "unanswerable",
    OtherTimes => "values of other times may be missing",
    ValuesAlone => "values that are not connected to the rest",
}

impl fmt::Display for RejectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::error::Error for RejectReason {}

/// The number of rejected queries by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rejections(BTreeMap<RejectReason, u64>);

impl Rejections {
    /// Counts one.
    pub(crate) fn add(&mut self, reason: RejectReason) {
        *self.0.entry(reason).or_default() += 1;
    }

    /// Adds the counts of another batch.
    pub(crate) fn merge(&mut self, other: &Rejections) {
        for (reason, n) in &other.0 {
            *self.0.entry(*reason).or_default() += n;
        }
    }

    /// The reason with the greatest count; among ties, the last by its text.
    pub(crate) fn most_frequent(&self) -> Option<RejectReason> {
        self.0.iter().max_by_key(|(_, n)| **n).map(|(reason, _)| *reason)
    }

    /// The counts as `benchmark.json` has them.
    pub(crate) fn by_text(&self) -> BTreeMap<String, u64> {
        self.0.iter().map(|(reason, n)| (reason.to_string(), *n)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_in_the_order_of_their_texts() {
        assert!(RejectReason::ALL.is_sorted_by_key(|reason| reason.as_str()));
    }
}
