//! What is done in a project, by whom, and when a task is finished.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a person does with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Write the question of a query.
    Write,
    /// Say a question in other words.
    Paraphrase,
    /// Judge whether a text means the same as the question.
    Judge,
    /// Answer a question.
    Answer,
    /// Compare the texts that several people wrote for one query.
    Compare,
}

impl Activity {
    /// All of them.
    pub const ALL: [Activity; 5] =
        [Activity::Write, Activity::Paraphrase, Activity::Judge, Activity::Answer, Activity::Compare];

    /// The name in files and addresses.
    pub fn name(self) -> &'static str {
        match self {
            Activity::Write => "write",
            Activity::Paraphrase => "paraphrase",
            Activity::Judge => "judge",
            Activity::Answer => "answer",
            Activity::Compare => "compare",
        }
    }

    /// The activity with a name.
    pub fn from_name(name: &str) -> Option<Activity> {
        Activity::ALL.into_iter().find(|activity| activity.name() == name)
    }
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a person may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everything.
    Owner,
    /// Contribute, and settle tasks to which others contributed.
    Adjudicator,
    /// Contribute.
    Annotator,
    /// Look.
    Viewer,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 4] = [Role::Owner, Role::Adjudicator, Role::Annotator, Role::Viewer];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Role::Owner => "owner",
            Role::Adjudicator => "adjudicator",
            Role::Annotator => "annotator",
            Role::Viewer => "viewer",
        }
    }

    /// The role with a name.
    pub fn from_name(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Whether the person may contribute.
    pub fn contributes(self) -> bool {
        self != Role::Viewer
    }

    /// Whether the person may settle tasks.
    pub fn adjudicates(self) -> bool {
        matches!(self, Role::Owner | Role::Adjudicator)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The rules of a project. An activity takes place if it has rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectRules {
    /// Writing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<WriteRules>,
    /// Paraphrasing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paraphrase: Option<ParaphraseRules>,
    /// Judging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeRules>,
    /// Answering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerRules>,
    /// Comparing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compare: Option<CompareRules>,
    /// How long a task stays with a person who does nothing.
    pub lease_minutes: u32,
    /// Whether a task that confuses somebody is removed. Otherwise an adjudicator decides.
    #[serde(default)]
    pub confusing_removes: bool,
}

impl Default for ProjectRules {
    fn default() -> ProjectRules {
        ProjectRules {
            write: None,
            paraphrase: None,
            judge: None,
            answer: None,
            compare: None,
            lease_minutes: 30,
            confusing_removes: false,
        }
    }
}

/// Rules for writing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteRules {
    /// Number of people who write for each task.
    pub writers: usize,
    /// Number of people who write for each task of the pilot.
    pub pilot_writers: usize,
    /// Who writes for a task after the pilot.
    pub shares: Shares,
}

/// Who gets a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shares {
    /// Whoever comes first.
    Open,
    /// Annotators have equal shares that do not overlap. What one skips is open to the others.
    Equal,
}

/// Rules for paraphrasing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParaphraseRules {
    /// Maximum number of paraphrases of a task, each after the one before was rejected.
    pub attempts: usize,
    /// Minimum distance from the question: the share of characters of the folded text.
    pub min_distance: f64,
    /// Minimum number of words that differ.
    pub min_changed_words: usize,
}

/// Rules for judging.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeRules {
    /// Number of people who judge a text.
    pub judges: usize,
    /// Minimum number of judges who say that it means the same.
    pub min_same: usize,
    /// Minimum mean fluency.
    pub min_fluency: f64,
}

/// Rules for answering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerRules {
    /// Number of people who answer a question.
    pub overlap: usize,
    /// What people may use.
    pub tools: AnswerTools,
    /// Whether the choices are shown.
    #[serde(default)]
    pub choices: bool,
}

/// What people may use to answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerTools {
    /// The pages of the KB.
    Browse,
    /// The pages of the KB, and queries.
    BrowseAndQuery,
}

/// Rules for comparing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareRules {
    /// Number of people who compare the texts of a task.
    pub comparers: usize,
}

impl ProjectRules {
    /// Whether an activity takes place.
    pub fn has(&self, activity: Activity) -> bool {
        match activity {
            Activity::Write => self.write.is_some(),
            Activity::Paraphrase => self.paraphrase.is_some(),
            Activity::Judge => self.judge.is_some(),
            Activity::Answer => self.answer.is_some(),
            Activity::Compare => self.compare.is_some(),
        }
    }

    /// The activities that take place.
    pub fn activities(&self) -> impl Iterator<Item = Activity> + '_ {
        Activity::ALL.into_iter().filter(|activity| self.has(*activity))
    }

    /// Why no project can have these rules.
    pub fn check(&self) -> Result<(), RulesFault> {
        if self.activities().next().is_none() {
            return Err(RulesFault::NothingToDo);
        }
        if self.write.is_some() && self.paraphrase.is_some() {
            return Err(RulesFault::WriteAndParaphrase);
        }
        let numbers = [
            ("write.writers", self.write.as_ref().map(|rules| rules.writers)),
            ("write.pilot_writers", self.write.as_ref().map(|rules| rules.pilot_writers)),
            ("paraphrase.attempts", self.paraphrase.as_ref().map(|rules| rules.attempts)),
            ("judge.judges", self.judge.as_ref().map(|rules| rules.judges)),
            ("judge.min_same", self.judge.as_ref().map(|rules| rules.min_same)),
            ("answer.overlap", self.answer.as_ref().map(|rules| rules.overlap)),
            ("compare.comparers", self.compare.as_ref().map(|rules| rules.comparers)),
            ("lease_minutes", Some(self.lease_minutes.try_into().unwrap_or(usize::MAX))),
        ];
        if let Some((rule, _)) = numbers.into_iter().find(|(_, number)| *number == Some(0)) {
            return Err(RulesFault::Zero { rule });
        }
        match &self.judge {
            Some(JudgeRules { judges, min_same, .. }) if min_same > judges => {
                Err(RulesFault::TooMuchAgreement { judges: *judges, min_same: *min_same })
            }
            Some(JudgeRules { min_fluency, .. }) if !(1.0..=5.0).contains(min_fluency) => {
                Err(RulesFault::Fluency { min_fluency: *min_fluency })
            }
            _ => Ok(()),
        }
    }
}

/// Why no project can have some rules.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesFault {
    /// No activity.
    #[error("the rules have no activity; give at least one of write, paraphrase, judge, answer, compare")]
    NothingToDo,
    /// Both write texts.
    #[error("a task is written or paraphrased, not both; make two projects")]
    WriteAndParaphrase,
    /// A number that must be at least 1.
    #[error("`{rule}` is 0; it must be at least 1")]
    Zero {
        /// The rule.
        rule: &'static str,
    },
    /// A text could never be approved.
    #[error(
        "{min_same} judges have to say \"same\", but only {judges} judge a text; raise `judge.judges` or lower `judge.min_same`"
    )]
    TooMuchAgreement {
        /// Number of judges of a text.
        judges: usize,
        /// Minimum number of them who say "same".
        min_same: usize,
    },
    /// Fluency is from 1 to 5.
    #[error("`judge.min_fluency` is {min_fluency}; fluency is from 1 to 5")]
    Fluency {
        /// The minimum.
        min_fluency: f64,
    },
}
