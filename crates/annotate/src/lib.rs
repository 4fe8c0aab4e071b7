#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )
)]

pub mod agreement;
mod cast;
mod checks;
mod dispute;
mod event;
mod export;
mod moment;
mod near_misses;
mod paraphrase;
mod people;
mod plan;
mod preset;
mod progress;
mod project;
mod queue;
mod record;
mod refusal;
mod rules;
mod state;
mod store;
mod task;
mod text_check;
mod unit;
mod verdict;

pub use agreement::ProjectAgreement;
pub use checks::{Fault, check_numbers, is_far_enough};
pub use dispute::{Dispute, DisputeReason};
pub use event::{
    Adjudication, AnsweredQuestion, Comment, ComparedTexts, ConfusingTask, ConfusionCause, Decision,
    DecisionCause, DisagreementCause, Event, Feedback, GuidelinesVersion, JudgedText, Leased,
    MeaningDifference, Opened, ParaphrasedText, Released, Revision, SameMeaning, SettingsChange, SkippedTask,
    Undone, WrittenText,
};
pub use export::{AnnotationExportConfig, AnnotationExportError, AnnotationExportSummary};
pub use moment::Moment;
pub use near_misses::near_misses;
pub use paraphrase::{
    ParaphraseConfig, ParaphraseError, ParaphraseReport, Rejected, paraphrase, paraphrase_prompt,
};
pub use people::{
    People, PeopleError, PeopleEvent, PeopleOpened, PeopleRefusal, PeopleState, Person, PersonRecord,
    PersonRenamed, PersonRevoked, TokenRecord,
};
pub use plan::{PilotPlan, PlanFault, PlanSummary, ProjectPlan, SourceFilter, Strata, TaskSource};
pub use preset::Preset;
pub use progress::{ActivityProgress, PersonProgress, ProjectProgress, Quartiles, VerdictCounts};
pub use project::{NewProject, Project, ProjectError, ProjectSettings, ProjectSource, verify_project};
pub use queue::{Assignment, NextTask, NothingLeft};
pub use record::{Events, NewRecord, StoredRecord, UnreadableRecord};
pub use refusal::Refusal;
pub use rules::{
    Activity, AnswerRules, AnswerTools, CompareRules, JudgeRules, ParaphraseRules, ProjectRules, Role,
    RulesFault, Shares, WriteRules,
};
pub use state::{Contribution, Lease, MemberState, ProjectState, ProjectText, TaskState, TextBody};
pub use store::{Ack, Derived, ReadOnly, StateGuard, Store, StoreError, SubmitError};
pub use task::{Task, TaskRole};
pub use text_check::{TextCheck, TextFault, TextWarning, text_distance};
pub use unit::Unit;
pub use verdict::{ApprovedText, TaskVerdict};
