//! The kinds of records of a project, with their bodies.

use crate::moment::Moment;
use crate::record::{Events, events};
use crate::rules::{Activity, ProjectRules, Role};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use touchstone_benchmark::Answer;

events! {
    /// What can happen in a project.
    Event, Opened, {
        /// The project was made, or opened by another version of the program.
        Opened(Opened) => "opened",
        /// Rules or members changed.
        Settings(SettingsChange) => "settings",
        /// The guidelines have a new version.
        Guidelines(GuidelinesVersion) => "guidelines",
        /// Nothing is accepted until it is opened again.
        Closed(Comment) => "closed",
        /// Records are accepted again.
        Reopened(Comment) => "reopened",
        /// A task is shown to a person for a while.
        Leased(Leased) => "leased",
        /// The person gives it back.
        Released(Released) => "released",
        /// A question was written.
        Written(WrittenText) => "written",
        /// A paraphrase was written.
        Paraphrased(ParaphrasedText) => "paraphrased",
        /// A text was judged.
        Judged(JudgedText) => "judged",
        /// A question was answered.
        Answered(AnsweredQuestion) => "answered",
        /// Texts for the same query were compared.
        Compared(ComparedTexts) => "compared",
        /// The task cannot be done.
        Confusing(ConfusingTask) => "confusing",
        /// The person does not want the task.
        Skipped(SkippedTask) => "skipped",
        /// A contribution was replaced by its author.
        Revised(Revision) => "revised",
        /// A contribution was taken back by its author.
        Undone(Undone) => "undone",
        /// A task was settled.
        Adjudicated(Adjudication) => "adjudicated",
        /// A remark.
        Commented(Comment) => "commented",
        /// Whether the reply to a question was right.
        Feedback(Feedback) => "feedback",
    }
}

impl Event {
    /// The activity that the record contributes to, and the text that it is about (0 if it is about the task itself).
    pub fn contribution(&self) -> Option<(Activity, u64)> {
        match self {
            Event::Written(_) => Some((Activity::Write, 0)),
            Event::Paraphrased(_) => Some((Activity::Paraphrase, 0)),
            Event::Judged(judged) => Some((Activity::Judge, judged.of)),
            Event::Answered(_) => Some((Activity::Answer, 0)),
            Event::Compared(_) => Some((Activity::Compare, 0)),
            Event::Opened(_)
            | Event::Settings(_)
            | Event::Guidelines(_)
            | Event::Closed(_)
            | Event::Reopened(_)
            | Event::Leased(_)
            | Event::Released(_)
            | Event::Confusing(_)
            | Event::Skipped(_)
            | Event::Revised(_)
            | Event::Undone(_)
            | Event::Adjudicated(_)
            | Event::Commented(_)
            | Event::Feedback(_) => None,
        }
    }
}

/// The body of `opened`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The version of the program.
    pub version: String,
    /// The hash of `project.json`.
    pub project: String,
    /// The hash of `tasks.jsonl`.
    pub tasks: String,
}

/// The body of `settings`: what is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SettingsChange {
    /// The rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<ProjectRules>,
    /// The members, by the id of the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members: Option<BTreeMap<String, Role>>,
}

/// The body of `guidelines`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuidelinesVersion {
    /// The version, from 1: the file is `guidelines/1.md`.
    pub version: u32,
    /// The BLAKE3 hash of the file.
    pub hash: String,
}

/// The body of `closed`, `reopened` and `commented`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// The body of `leased`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leased {
    /// For which activity.
    pub activity: Activity,
    /// The text to judge: the number of its record, or 0.
    #[serde(default)]
    pub of: u64,
    /// When the lease ends.
    pub until: Moment,
}

/// The body of `released`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {
    /// The activity of the lease.
    pub activity: Activity,
    /// The text of the lease.
    #[serde(default)]
    pub of: u64,
}

/// The body of `written`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WrittenText {
    /// The question.
    pub text: String,
    /// Further wordings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// A remark.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// Why a text that contains an answer is right nevertheless; empty if nothing was overridden.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub overridden: String,
    /// Seconds of work.
    #[serde(default)]
    pub seconds: f64,
    /// The version of the guidelines that the person saw.
    #[serde(default)]
    pub guidelines: u32,
}

/// The body of `paraphrased`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ParaphrasedText {
    /// The paraphrase.
    pub text: String,
    /// How much it differs from the question: the share of characters of the folded text.
    #[serde(default)]
    pub distance: f64,
    /// Why a text that contains an answer is right nevertheless; empty if nothing was overridden.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub overridden: String,
    /// Seconds of work.
    #[serde(default)]
    pub seconds: f64,
    /// The version of the guidelines that the person saw.
    #[serde(default)]
    pub guidelines: u32,
}

/// Whether two texts mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SameMeaning {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Cannot tell.
    Unsure,
}

impl SameMeaning {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            SameMeaning::Yes => "yes",
            SameMeaning::No => "no",
            SameMeaning::Unsure => "unsure",
        }
    }
}

/// In what two texts differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeaningDifference {
    /// An entity.
    Entity,
    /// A relation.
    Relation,
    /// The direction of a relation.
    Direction,
    /// A condition.
    Condition,
    /// An amount.
    Amount,
    /// Something else.
    Other,
}

/// The body of `judged`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedText {
    /// The text: the number of its record, or 0 for the text of the task.
    #[serde(default)]
    pub of: u64,
    /// Whether it means the same as the question.
    pub same: SameMeaning,
    /// From 1, not English, to 5, fluent.
    pub fluency: u8,
    /// In what they differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<MeaningDifference>,
    /// Seconds of work.
    #[serde(default)]
    pub seconds: f64,
}

/// The body of `answered`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AnsweredQuestion {
    /// The answers, as in a benchmark; none if `none` is set.
    #[serde(default)]
    pub answers: Vec<Answer>,
    /// Whether the KB does not contain the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub none: bool,
    /// Whether the person is sure.
    #[serde(default)]
    pub sure: bool,
    /// The tools that the person could use, such as `browse` and `query`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Number of pages of the KB that the person opened.
    #[serde(default)]
    pub pages: u32,
    /// Seconds of work.
    #[serde(default)]
    pub seconds: f64,
}

/// Why texts for one query do not mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisagreementCause {
    /// The direction of a relation.
    Direction,
    /// How explicitly entities are named.
    Explicitness,
    /// Whether a variable of the query is named.
    HiddenNode,
    /// A wrong constraint.
    Constraint,
    /// Something else.
    Other,
}

/// The body of `compared`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedTexts {
    /// Groups of texts that mean the same, by the numbers of their records. Each text is in one group.
    pub groups: Vec<Vec<u64>>,
    /// Why there are several groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<DisagreementCause>,
    /// The wording that was agreed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wording: Option<String>,
    /// A note for the guidelines.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Seconds of work.
    #[serde(default)]
    pub seconds: f64,
}

/// Why a task confuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfusionCause {
    /// It cannot be understood.
    CannotUnderstand,
    /// It contradicts itself.
    LogicalError,
    /// The facts are wrong.
    FactsWrong,
    /// Something else.
    Other,
}

/// The body of `confusing`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfusingTask {
    /// Why.
    pub cause: ConfusionCause,
    /// A remark.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
}

/// The body of `skipped`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedTask {
    /// The activity.
    pub activity: Activity,
    /// The text to judge: the number of its record, or 0.
    #[serde(default)]
    pub of: u64,
    /// A remark.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
}

/// The body of `undone`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// The number of the record.
    pub of: u64,
}

/// The body of `revised`: a new body for an earlier contribution.
#[derive(Debug, Clone, PartialEq)]
pub struct Revision {
    /// The number of the contribution.
    pub of: u64,
    /// What replaces it: a contribution of the same kind.
    pub event: Box<Event>,
}

#[derive(Serialize, Deserialize)]
struct RevisionBody<'l> {
    of: u64,
    #[serde(borrow)]
    kind: Cow<'l, str>,
    body: Box<RawValue>,
}

impl Serialize for Revision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = self.event.body().map_err(serde::ser::Error::custom)?;
        RevisionBody { of: self.of, kind: Cow::Borrowed(self.event.kind()), body }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Revision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Revision, D::Error> {
        let RevisionBody { of, kind, body } = RevisionBody::deserialize(deserializer)?;
        match Event::read(&kind, body.get()) {
            Some(Ok(event)) => Ok(Revision { of, event: Box::new(event) }),
            Some(Err(error)) => Err(serde::de::Error::custom(error)),
            None => Err(serde::de::Error::custom(format!("the kind `{kind}` is not known"))),
        }
    }
}

/// How a task is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// A text is approved.
    Take,
    /// A text is approved with changes.
    Edit,
    /// No text is approved.
    Reject,
    /// Somebody else is asked.
    Another,
    /// The task is removed.
    Remove,
}

/// Why a task had to be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionCause {
    /// The question is ambiguous.
    Ambiguous,
    /// The guidelines do not cover the case.
    GuidelineGap,
    /// An annotator made a mistake.
    AnnotatorMistake,
    /// The benchmark is wrong.
    BenchmarkMistake,
    /// A rare case.
    EdgeCase,
}

/// The body of `adjudicated`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// The decision.
    pub decision: Decision,
    /// The text that is taken or edited: the number of its record, or 0.
    #[serde(default)]
    pub of: u64,
    /// The changed text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why it had to be settled.
    pub cause: DecisionCause,
    /// A note.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// The body of `feedback`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// The question that was asked.
    pub question: String,
    /// The logical form of the reply, or the corrected one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub form: String,
    /// Whether the reply was right.
    pub right: bool,
    /// What was wrong: mention, relation, direction, function, nothing in the KB.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cause: String,
}
