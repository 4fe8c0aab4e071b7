//! Units of work: what is wanted for a task, and the index of what is still open.

use crate::rules::{Activity, ProjectRules};
use crate::state::{TaskState, live};
use crate::task::{Task, TaskRole};
use crate::verdict::{counted_comparisons, counted_texts, is_compared, is_settled, texts_wanted};
use std::collections::{BTreeMap, BTreeSet};

/// The order in which a person gets tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Phase {
    Training,
    Pilot,
    Main,
}

impl Phase {
    pub(crate) const ALL: [Phase; 3] = [Phase::Training, Phase::Pilot, Phase::Main];

    pub(crate) fn of(role: TaskRole) -> Phase {
        match role {
            TaskRole::Training => Phase::Training,
            TaskRole::Pilot => Phase::Pilot,
            TaskRole::Ordinary | TaskRole::Control => Phase::Main,
        }
    }
}

/// Contributions of one kind that a task wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// The activity.
    pub activity: Activity,
    /// The text to judge: the number of its record, or 0.
    pub of: u64,
    /// Number of contributions that are wanted.
    pub wanted: usize,
    /// Number of contributions, at most as many as wanted.
    pub done: usize,
    pub(crate) phase: Phase,
}

impl Unit {
    /// Whether a contribution is missing.
    pub fn is_open(&self) -> bool {
        self.done < self.wanted
    }
}

/// All that a task wants at this point.
pub(crate) fn open_units(rules: &ProjectRules, task: &Task, state: &TaskState) -> Vec<Unit> {
    let mut units = Vec::new();
    let phase = Phase::of(task.role);
    let mut add = |activity, of, wanted: usize, done: usize| {
        units.push(Unit { activity, of, wanted, done: done.min(wanted), phase });
    };
    if is_settled(state) || state.verdict.ends_work() {
        return units;
    }
    let everybody = usize::MAX;
    let is_training = task.role == TaskRole::Training;
    let n_texts = live(&state.texts).filter(|text| text.body.activity != Activity::Judge).count();
    let wanted_texts = texts_wanted(rules, task, state);
    for activity in [Activity::Write, Activity::Paraphrase] {
        if wanted_texts > 0 && rules.has(activity) {
            add(activity, 0, wanted_texts, n_texts);
        }
    }
    if let Some(compare) = &rules.compare
        && is_compared(rules, task)
        && n_texts >= wanted_texts
    {
        add(Activity::Compare, 0, compare.comparers, counted_comparisons(state).count());
    }
    if let Some(judge) = &rules.judge
        && !is_compared(rules, task)
    {
        let judges = if is_training { everybody } else { judge.judges };
        for text in counted_texts(rules, task, state) {
            add(Activity::Judge, text.n, judges, live(&text.body.judgements).count());
        }
    }
    if let Some(answer) = &rules.answer
        && task.text.is_none()
    {
        let overlap = if is_training { everybody } else { answer.overlap };
        add(Activity::Answer, 0, overlap, live(&state.answers).count());
    }
    units
}

/// A task by its place, and a text of it.
pub(crate) type UnitKey = (u32, u64);

/// The tasks of an activity and a phase, by the number of contributions that they have.
pub(crate) type ByDone = BTreeMap<usize, BTreeSet<UnitKey>>;

/// What is open, so that the next task is found without a look at all of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OpenUnits {
    by_activity: BTreeMap<(Activity, Phase), ByDone>,
}

impl OpenUnits {
    pub(crate) fn insert(&mut self, place: u32, unit: &Unit) {
        if unit.is_open() {
            let by_done = self.by_activity.entry((unit.activity, unit.phase)).or_default();
            by_done.entry(unit.done).or_default().insert((place, unit.of));
        }
    }

    pub(crate) fn remove(&mut self, place: u32, unit: &Unit) {
        let Some(by_done) = self.by_activity.get_mut(&(unit.activity, unit.phase)) else { return };
        if let Some(keys) = by_done.get_mut(&unit.done) {
            keys.remove(&(place, unit.of));
            if keys.is_empty() {
                by_done.remove(&unit.done);
            }
        }
    }

    pub(crate) fn of(&self, activity: Activity, phase: Phase) -> Option<&ByDone> {
        self.by_activity.get(&(activity, phase))
    }
}
