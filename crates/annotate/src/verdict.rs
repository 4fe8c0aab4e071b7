//! Verdicts: what the rules say about texts and tasks.

use crate::event::{Adjudication, ComparedTexts, Decision, SameMeaning};
use crate::rules::{Activity, JudgeRules, ProjectRules};
use crate::state::{Contribution, ProjectText, TaskState, live};
use crate::task::{Task, TaskRole};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What became of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskVerdict {
    /// Contributions are missing.
    Waiting,
    /// It has what was wanted.
    Approved,
    /// No text of it was approved.
    Rejected,
    /// An adjudicator has to settle it.
    Disputed,
    /// It is not part of the result.
    Removed,
}

impl TaskVerdict {
    /// All of them.
    pub const ALL: [TaskVerdict; 5] = [
        TaskVerdict::Waiting,
        TaskVerdict::Approved,
        TaskVerdict::Rejected,
        TaskVerdict::Disputed,
        TaskVerdict::Removed,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            TaskVerdict::Waiting => "waiting",
            TaskVerdict::Approved => "approved",
            TaskVerdict::Rejected => "rejected",
            TaskVerdict::Disputed => "disputed",
            TaskVerdict::Removed => "removed",
        }
    }

    /// Whether nobody is asked any more.
    pub(crate) fn ends_work(self) -> bool {
        matches!(self, TaskVerdict::Disputed | TaskVerdict::Removed)
    }
}

impl fmt::Display for TaskVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The decision that settles a task.
pub(crate) fn settled(state: &TaskState) -> Option<&Contribution<Adjudication>> {
    live(&state.decisions).last().filter(|decision| decision.body.decision != Decision::Another)
}

pub(crate) fn is_settled(state: &TaskState) -> bool {
    settled(state).is_some()
}

/// Whether the texts of a task are compared with each other instead of being judged.
pub(crate) fn is_compared(rules: &ProjectRules, task: &Task) -> bool {
    rules.compare.is_some() && writers(rules, task) >= 2
}

/// Number of people who write for a task at first.
fn writers(rules: &ProjectRules, task: &Task) -> usize {
    match (&rules.write, task.role) {
        _ if task.text.is_some() || task.role == TaskRole::Training => 0,
        (Some(write), TaskRole::Pilot) => write.pilot_writers,
        (Some(write), _) => write.writers,
        (None, _) => usize::from(rules.paraphrase.is_some()),
    }
}

/// Maximum number of texts of a task.
fn max_texts(rules: &ProjectRules, task: &Task, state: &TaskState) -> usize {
    let attempts = rules.paraphrase.as_ref().map_or(1, |rules| rules.attempts);
    let another = live(&state.decisions).filter(|decision| decision.body.decision == Decision::Another);
    match writers(rules, task) {
        0 => 0,
        writers => writers + attempts.saturating_sub(1) + another.count(),
    }
}

/// Whether an adjudicator gave up a text, by asking somebody else after it.
fn is_set_aside(state: &TaskState, text: &ProjectText) -> bool {
    text.n < state.last_another()
}

/// The texts that count, and how many are wanted: the first ones, and one more for each that failed.
fn counted(rules: &ProjectRules, task: &Task, state: &TaskState) -> (usize, usize) {
    let (mut wanted, most) = (writers(rules, task), max_texts(rules, task, state));
    let mut own = live(&state.texts).filter(|text| text.body.activity != Activity::Judge);
    if is_compared(rules, task) {
        return (own.by_ref().take(most).count(), most);
    }
    let mut n = 0;
    for text in own {
        if n >= wanted {
            break;
        }
        n += 1;
        if is_set_aside(state, text) || text_verdict(rules, task, text) == TaskVerdict::Rejected {
            wanted = (wanted + 1).min(most);
        }
    }
    (n, wanted)
}

/// Number of texts that a task wants at this point.
pub(crate) fn texts_wanted(rules: &ProjectRules, task: &Task, state: &TaskState) -> usize {
    counted(rules, task, state).1
}

/// The texts that count: those from elsewhere, and no more than were wanted. Texts that were given up are left out.
pub(crate) fn counted_texts<'s>(
    rules: &ProjectRules,
    task: &Task,
    state: &'s TaskState,
) -> Vec<&'s ProjectText> {
    let (n, _) = counted(rules, task, state);
    let (elsewhere, own): (Vec<_>, Vec<_>) =
        live(&state.texts).partition(|text| text.body.activity == Activity::Judge);
    let all = elsewhere.into_iter().chain(own.into_iter().take(n));
    all.filter(|text| is_compared(rules, task) || !is_set_aside(state, text)).collect()
}

/// What the judges of a text say, where no more than were wanted count.
pub(crate) fn text_verdict(rules: &ProjectRules, task: &Task, text: &ProjectText) -> TaskVerdict {
    let Some(judge) = rules.judge.as_ref().filter(|_| !is_compared(rules, task)) else {
        return TaskVerdict::Approved;
    };
    let judgements: Vec<_> = live(&text.body.judgements).take(judge.judges).collect();
    if judgements.len() < judge.judges {
        return TaskVerdict::Waiting;
    }
    let saying = |same| judgements.iter().filter(|judgement| judgement.body.same == same).count();
    let fluency: u32 = judgements.iter().map(|judgement| u32::from(judgement.body.fluency)).sum();
    judged(judge, saying(SameMeaning::Yes), saying(SameMeaning::No), fluency)
}

/// The verdict on a text with all its judgements: approved if enough judges say "same" and it is fluent enough. Rejected if it is not fluent
/// enough, or if so many say "not the same" that it could not be approved. Otherwise too many cannot tell.
fn judged(judge: &JudgeRules, yes: usize, no: usize, fluency: u32) -> TaskVerdict {
    let judges = u32::try_from(judge.judges).unwrap_or(u32::MAX);
    match () {
        () if yes >= judge.min_same && f64::from(fluency) >= judge.min_fluency * f64::from(judges) => {
            TaskVerdict::Approved
        }
        () if yes >= judge.min_same || no > judge.judges - judge.min_same => TaskVerdict::Rejected,
        () => TaskVerdict::Disputed,
    }
}

/// The largest group of a comparison; of equal ones, that with the earliest text.
pub(crate) fn largest_group(compared: &ComparedTexts) -> &[u64] {
    let first = |group: &[u64]| std::cmp::Reverse(group.iter().min().copied().unwrap_or(u64::MAX));
    let largest = compared.groups.iter().max_by_key(|group| (group.len(), first(group)));
    largest.map_or(&[], Vec::as_slice)
}

/// The comparisons after the last time that somebody else was asked.
pub(crate) fn counted_comparisons(state: &TaskState) -> impl Iterator<Item = &Contribution<ComparedTexts>> {
    let after = state.last_another();
    live(&state.comparisons).filter(move |compared| compared.n > after)
}

/// Whether a comparison finds that more than half of the texts mean the same.
fn has_majority(compared: &ComparedTexts) -> bool {
    let n: usize = compared.groups.iter().map(Vec::len).sum();
    2 * largest_group(compared).len() > n
}

/// The verdict on a task.
pub(crate) fn task_verdict(rules: &ProjectRules, task: &Task, state: &TaskState) -> TaskVerdict {
    if let Some(decision) = settled(state) {
        return match decision.body.decision {
            Decision::Take | Decision::Edit => TaskVerdict::Approved,
            Decision::Reject => TaskVerdict::Rejected,
            Decision::Remove => TaskVerdict::Removed,
            Decision::Another => TaskVerdict::Waiting,
        };
    }
    if live(&state.confusing).any(|mark| mark.n > state.last_another()) {
        return if rules.confusing_removes { TaskVerdict::Removed } else { TaskVerdict::Disputed };
    }
    let of_texts = verdict_of_texts(rules, task, state);
    let wants_answers =
        rules.answer.as_ref().filter(|_| task.text.is_none()).map_or(0, |answer| answer.overlap);
    let has_answers = live(&state.answers).count() >= wants_answers;
    match (of_texts, task.expected) {
        (TaskVerdict::Approved, _) if !has_answers => TaskVerdict::Waiting,
        // A text that is known to be wrong must be rejected, and one that is known to be right approved.
        (TaskVerdict::Approved, Some(SameMeaning::No)) => TaskVerdict::Disputed,
        (TaskVerdict::Rejected, Some(SameMeaning::Yes)) => TaskVerdict::Disputed,
        (verdict, _) => verdict,
    }
}

fn verdict_of_texts(rules: &ProjectRules, task: &Task, state: &TaskState) -> TaskVerdict {
    if task.role == TaskRole::Training {
        return TaskVerdict::Waiting;
    }
    let (n, wanted) = counted(rules, task, state);
    if is_compared(rules, task) {
        let comparers = rules.compare.as_ref().map_or(0, |compare| compare.comparers);
        let compared: Vec<_> = counted_comparisons(state).take(comparers).collect();
        return match () {
            () if n < wanted || compared.len() < comparers => TaskVerdict::Waiting,
            () if compared.iter().all(|compared| has_majority(&compared.body)) => TaskVerdict::Approved,
            () => TaskVerdict::Disputed,
        };
    }
    let texts = counted_texts(rules, task, state);
    let verdicts: Vec<TaskVerdict> = texts.iter().map(|text| text_verdict(rules, task, text)).collect();
    let has = |verdict| verdicts.contains(&verdict);
    match () {
        // Nothing is to be written or judged.
        () if texts.is_empty() && wanted == 0 => TaskVerdict::Approved,
        () if has(TaskVerdict::Disputed) => TaskVerdict::Disputed,
        () if n < wanted || has(TaskVerdict::Waiting) => TaskVerdict::Waiting,
        () if has(TaskVerdict::Approved) => TaskVerdict::Approved,
        () => TaskVerdict::Rejected,
    }
}

/// The approved wording of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedText {
    /// The text.
    pub text: String,
    /// Further wordings of its author.
    pub others: Vec<String>,
    /// The number of the record of the text that it is, or that it was made from.
    pub of: u64,
    /// Whether it was changed after its author wrote it.
    pub is_edited: bool,
}

/// The approved wording of a task; `None` if there is none, or if nothing was to be written.
pub(crate) fn approved_text(rules: &ProjectRules, task: &Task, state: &TaskState) -> Option<ApprovedText> {
    if state.verdict != TaskVerdict::Approved {
        return None;
    }
    let as_is = |text: &ProjectText| ApprovedText {
        text: text.body.text.clone(),
        others: text.body.others.clone(),
        of: text.n,
        is_edited: false,
    };
    let changed =
        |text: &str, of: u64| ApprovedText { text: text.to_owned(), others: Vec::new(), of, is_edited: true };
    if let Some(Contribution { body: Adjudication { of, text, .. }, .. }) = settled(state) {
        let taken = state.text(*of);
        return match text {
            Some(text) if taken.is_none_or(|taken| taken.body.text != *text) => Some(changed(text, *of)),
            _ => taken.map(as_is),
        };
    }
    if is_compared(rules, task) {
        let compared = &counted_comparisons(state).next()?.body;
        let first = state.text(*largest_group(compared).iter().min()?)?;
        return match &compared.wording {
            Some(wording) if *wording != first.body.text => Some(changed(wording, first.n)),
            _ => Some(as_is(first)),
        };
    }
    let texts = counted_texts(rules, task, state);
    let approved = |text: &&&ProjectText| text_verdict(rules, task, text) == TaskVerdict::Approved;
    texts.iter().find(approved).map(|text| as_is(text))
}
