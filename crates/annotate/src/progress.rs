//! How far a project is. All counts add up to the number of tasks.

use crate::moment::Moment;
use crate::rules::{Activity, Role};
use crate::state::{Contribution, ProjectState, live};
use crate::task::TaskRole;
use crate::verdict::{TaskVerdict, text_verdict};
use serde::Serialize;
use std::collections::BTreeMap;

/// Numbers of tasks by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct VerdictCounts {
    /// Contributions are missing.
    pub waiting: usize,
    /// They have what was wanted.
    pub approved: usize,
    /// No text was approved.
    pub rejected: usize,
    /// An adjudicator has to settle them.
    pub disputed: usize,
    /// Not part of the result.
    pub removed: usize,
}

impl VerdictCounts {
    fn add(&mut self, verdict: TaskVerdict) {
        *match verdict {
            TaskVerdict::Waiting => &mut self.waiting,
            TaskVerdict::Approved => &mut self.approved,
            TaskVerdict::Rejected => &mut self.rejected,
            TaskVerdict::Disputed => &mut self.disputed,
            TaskVerdict::Removed => &mut self.removed,
        } += 1;
    }

    /// The number of tasks.
    pub fn total(&self) -> usize {
        let VerdictCounts { waiting, approved, rejected, disputed, removed } = *self;
        waiting + approved + rejected + disputed + removed
    }
}

/// How far a project is.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ProjectProgress {
    /// Number of tasks: those of `verdicts`, `controls` and `training`.
    pub tasks: usize,
    /// Ordinary tasks and those of the pilot.
    pub verdicts: VerdictCounts,
    /// Tasks whose result is known. Rejected and approved ones were judged as they should be.
    pub controls: VerdictCounts,
    /// Number of tasks for training.
    pub training: usize,
    /// The same numbers as `verdicts` by shape.
    pub by_shape: BTreeMap<String, VerdictCounts>,
    /// By activity.
    pub activities: BTreeMap<Activity, ActivityProgress>,
    /// By member.
    pub people: BTreeMap<String, PersonProgress>,
}

/// How far an activity is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ActivityProgress {
    /// Number of contributions that are wanted at this point, without training.
    pub wanted: usize,
    /// Number of those that were made.
    pub done: usize,
    /// Number of those that are missing: `wanted` less `done`.
    pub left: usize,
    /// Number of contributions beyond what was wanted.
    pub surplus: usize,
}

/// What a person has done.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PersonProgress {
    /// The role; absent if the person is not a member any more.
    pub role: Option<Role>,
    /// Number of contributions by activity.
    pub done: BTreeMap<Activity, usize>,
    /// The median of seconds of work on a contribution, with the quartiles.
    pub seconds: Option<Quartiles>,
    /// Number of tasks that the person skipped.
    pub skipped: usize,
    /// Number of tasks that the person finds confusing.
    pub confusing: usize,
    /// Number of the person's texts with a verdict.
    pub texts_judged: usize,
    /// Number of those that were approved.
    pub texts_approved: usize,
    /// Number of control tasks that the person judged.
    pub controls: usize,
    /// Number of those that the person judged as expected.
    pub controls_passed: usize,
    /// When the person last did something.
    pub last_seen: Option<Moment>,
    /// Number of contributions in less than 3 seconds.
    pub hasty: usize,
    /// Whether the person said the same of at least 10 texts, and never anything else.
    pub always_the_same: bool,
}

/// The quartiles of some values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Quartiles {
    /// A quarter is at most this.
    pub first: f64,
    /// Half is at most this.
    pub median: f64,
    /// Three quarters are at most this.
    pub third: f64,
}

impl Quartiles {
    fn of(mut values: Vec<f64>) -> Option<Quartiles> {
        values.sort_by(f64::total_cmp);
        let at = |quarter: usize| values.get((values.len().checked_sub(1)? * quarter).div_ceil(4)).copied();
        Some(Quartiles { first: at(1)?, median: at(2)?, third: at(3)? })
    }
}

/// Minimum number of judgements of a person who seems to say always the same.
const MANY: usize = 10;

/// Seconds below which a contribution may not be careful.
const HASTY: f64 = 3.0;

/// A contribution of a person with what progress needs of it.
struct Seen<'s> {
    by: &'s str,
    activity: Activity,
    seconds: f64,
}

impl ProjectState {
    /// Everything that was contributed and not taken back.
    fn contributed(&self) -> impl Iterator<Item = Seen<'_>> {
        fn seen<'s, B>(
            list: &'s [Contribution<B>],
            activity: Activity,
            seconds: impl Fn(&B) -> f64 + 's,
        ) -> impl Iterator<Item = Seen<'s>> {
            live(list).map(move |entry| Seen { by: &entry.by, activity, seconds: seconds(&entry.body) })
        }
        self.states.iter().flat_map(|state| {
            let own = live(&state.texts).filter(|text| text.body.activity != Activity::Judge);
            let texts = own.map(|text| Seen {
                by: &text.by,
                activity: text.body.activity,
                seconds: text.body.seconds,
            });
            let judgements = live(&state.texts)
                .flat_map(|text| seen(&text.body.judgements, Activity::Judge, |judged| judged.seconds));
            let answers = seen(&state.answers, Activity::Answer, |answer| answer.seconds);
            let compared = seen(&state.comparisons, Activity::Compare, |compared| compared.seconds);
            texts.chain(judgements).chain(answers).chain(compared)
        })
    }

    /// How far the project is.
    pub fn progress(&self) -> ProjectProgress {
        let mut progress = ProjectProgress { tasks: self.tasks.len(), ..ProjectProgress::default() };
        for (task, state) in self.tasks.iter().zip(&self.states) {
            match task.role {
                TaskRole::Training => progress.training += 1,
                TaskRole::Control => progress.controls.add(state.verdict),
                TaskRole::Ordinary | TaskRole::Pilot => {
                    progress.verdicts.add(state.verdict);
                    progress.by_shape.entry(task.shape().to_owned()).or_default().add(state.verdict);
                }
            }
        }
        for activity in self.rules.activities() {
            progress.activities.insert(activity, self.activity_progress(activity));
        }
        self.count_people(&mut progress.people);
        progress
    }

    fn activity_progress(&self, activity: Activity) -> ActivityProgress {
        let mut progress = ActivityProgress::default();
        for (task, state) in self.tasks.iter().zip(&self.states) {
            if task.role == TaskRole::Training {
                continue;
            }
            // What a settled task has was wanted before.
            let (mut wanted, mut done) = (0, 0);
            for unit in state.units.iter().filter(|unit| unit.activity == activity) {
                (wanted, done) = (wanted + unit.wanted, done + unit.done);
            }
            let made = match activity {
                Activity::Judge => {
                    live(&state.texts).map(|text| live(&text.body.judgements).count()).sum::<usize>()
                }
                _ => state.contributors(activity, 0).len(),
            };
            if state.units.is_empty() {
                (wanted, done) = (made, made);
            }
            progress.wanted += wanted;
            progress.done += done;
            progress.surplus += made.saturating_sub(done);
        }
        progress.left = progress.wanted - progress.done;
        progress
    }

    fn count_people(&self, people: &mut BTreeMap<String, PersonProgress>) {
        for (person, role) in &self.members {
            people.entry(person.clone()).or_default().role = Some(*role);
        }
        let mut seconds: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for Seen { by, activity, seconds: taken } in self.contributed() {
            let person = people.entry(by.to_owned()).or_default();
            *person.done.entry(activity).or_default() += 1;
            person.hasty += usize::from(taken < HASTY);
            seconds.entry(by).or_default().push(taken);
        }
        for (person, values) in seconds {
            people.entry(person.to_owned()).or_default().seconds = Quartiles::of(values);
        }
        let mut said: BTreeMap<&str, BTreeMap<(crate::SameMeaning, u8), usize>> = BTreeMap::new();
        for (task, state) in self.tasks.iter().zip(&self.states) {
            for (person, ..) in &state.skips {
                people.entry(person.clone()).or_default().skipped += 1;
            }
            for mark in live(&state.confusing) {
                people.entry(mark.by.clone()).or_default().confusing += 1;
            }
            for text in live(&state.texts) {
                let verdict = text_verdict(&self.rules, task, text);
                if !text.by.is_empty() && verdict != TaskVerdict::Waiting && self.rules.judge.is_some() {
                    let author = people.entry(text.by.clone()).or_default();
                    author.texts_judged += 1;
                    author.texts_approved += usize::from(verdict == TaskVerdict::Approved);
                }
                for judged in live(&text.body.judgements) {
                    let key = (judged.body.same, judged.body.fluency);
                    *said.entry(&judged.by).or_default().entry(key).or_default() += 1;
                    if let (TaskRole::Control, Some(expected)) = (task.role, task.expected) {
                        let judge = people.entry(judged.by.clone()).or_default();
                        judge.controls += 1;
                        judge.controls_passed += usize::from(judged.body.same == expected);
                    }
                }
            }
        }
        for (person, said) in said {
            let only = said.len() == 1 && said.values().sum::<usize>() >= MANY;
            people.entry(person.to_owned()).or_default().always_the_same = only;
        }
        for (person, progress) in people.iter_mut() {
            progress.last_seen = self.last_seen(person);
        }
    }
}
