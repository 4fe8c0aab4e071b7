//! The next task of a person: a pure function of the state, the person, the activity and the time.

use crate::moment::Moment;
use crate::rules::{Activity, Role, Shares};
use crate::state::{MemberState, ProjectState};
use crate::task::TaskRole;
use crate::unit::{Phase, Unit, UnitKey};
use std::collections::BTreeSet;

/// A task for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The task.
    pub task: String,
    /// The activity.
    pub activity: Activity,
    /// The text to judge: the number of its record, or 0.
    pub of: u64,
    /// When the lease that the person has already ends.
    pub leased_until: Option<Moment>,
}

/// The next task, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextTask {
    /// A task.
    Task(Assignment),
    /// None.
    Nothing(NothingLeft),
}

impl NextTask {
    /// The task.
    pub fn task(self) -> Option<Assignment> {
        match self {
            NextTask::Task(assignment) => Some(assignment),
            NextTask::Nothing(_) => None,
        }
    }
}

/// Why there is no task for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NothingLeft {
    /// Everything is done.
    #[error("everything is done")]
    AllDone,
    /// Other people have to do something first, or are doing it.
    #[error("{tasks} may come when others have done their part")]
    WaitsForOthers {
        /// Number of tasks.
        tasks: usize,
    },
    /// What is left belongs to other people.
    #[error("your share is done; {tasks} are left in those of others")]
    OutsideShare {
        /// Number of tasks.
        tasks: usize,
    },
    /// Everything that is left was done, written or skipped by the person.
    #[error("{tasks} are left, which you have done, written or skipped")]
    ForOthers {
        /// Number of tasks.
        tasks: usize,
    },
    /// The project is closed.
    #[error("the project is closed")]
    Closed,
    /// The person may not contribute.
    #[error("you do not contribute to this project")]
    NotAContributor,
    /// The project does not have the activity.
    #[error("nobody does this in this project")]
    NotAnActivity,
}

/// Why a unit is not for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ineligible {
    /// Enough people do it or have done it.
    Taken,
    /// The person did it.
    Done,
    /// The person skipped it.
    Skipped,
    /// The person wrote the text.
    Own,
    /// It belongs to somebody else's share.
    OtherShare,
    /// The pilot is not finished.
    AfterPilot,
}

/// The order among equals: a hash, so that nobody can tell what others see.
fn hash_of(parts: [&str; 2], number: u64) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&part.len().to_le_bytes()).update(part.as_bytes());
    }
    let mut key = [0; 8];
    key.copy_from_slice(&hasher.update(&number.to_le_bytes()).finalize().as_bytes()[..8]);
    u64::from_le_bytes(key)
}

impl ProjectState {
    /// The next task of a person for an activity. The same state, person, activity and time give the same task.
    ///
    /// First comes what the person has a lease for, then training, then the pilot, then the rest. Writing, paraphrasing and answering begin with
    /// the tasks that have the fewest contributions, judging with those that have the most, so that texts are finished.
    pub fn next_task(&self, person: &str, activity: Activity, now: Moment) -> NextTask {
        let nothing = NextTask::Nothing;
        if !self.role(person).is_some_and(Role::contributes) {
            return nothing(NothingLeft::NotAContributor);
        }
        if !self.rules.has(activity) {
            return nothing(NothingLeft::NotAnActivity);
        }
        if self.closed {
            return nothing(NothingLeft::Closed);
        }
        if let Some(leased) = self.leased_task(person, activity, now) {
            return NextTask::Task(leased);
        }
        let found = Phase::ALL.into_iter().find_map(|phase| self.next_of_phase(person, activity, phase, now));
        match found {
            Some((at, of)) => NextTask::Task(Assignment {
                task: self.tasks[at].id.clone(),
                activity,
                of,
                leased_until: None,
            }),
            None => nothing(self.why_nothing(person, activity, now)),
        }
    }

    /// What the person has a lease for and is still wanted.
    fn leased_task(&self, person: &str, activity: Activity, now: Moment) -> Option<Assignment> {
        let leases = self.people.get(person)?.leases.iter();
        let mut own = leases.filter(|((_, of_activity, _), until)| *of_activity == activity && **until > now);
        own.find_map(|(&(place, _, of), until)| {
            let at = usize::try_from(place).ok()?;
            let unit = self.unit(at, activity, of)?;
            let can_do = self.eligible(at, unit, person, now).is_ok();
            can_do.then(|| Assignment {
                task: self.tasks[at].id.clone(),
                activity,
                of,
                leased_until: Some(*until),
            })
        })
    }

    /// The open unit of a task.
    pub(crate) fn unit(&self, at: usize, activity: Activity, of: u64) -> Option<&Unit> {
        let is_it = |unit: &&Unit| unit.activity == activity && unit.of == of && unit.is_open();
        self.states[at].units.iter().find(is_it)
    }

    /// Whether a person can do a unit now.
    pub(crate) fn eligible(
        &self,
        at: usize,
        unit: &Unit,
        person: &str,
        now: Moment,
    ) -> Result<(), Ineligible> {
        let Unit { activity, of, .. } = *unit;
        let state = &self.states[at];
        if state.contributors(activity, of).contains(&person) {
            return Err(Ineligible::Done);
        }
        if activity == Activity::Judge && state.text(of).is_some_and(|text| text.by == person) {
            return Err(Ineligible::Own);
        }
        let has_skipped = |who: &str| state.skips.contains(&(who.to_owned(), activity, of));
        if has_skipped(person) {
            return Err(Ineligible::Skipped);
        }
        if activity == Activity::Write && unit.phase == Phase::Main {
            if self.pilots_waiting > 0 {
                return Err(Ineligible::AfterPilot);
            }
            if self.share_owner(at).is_some_and(|owner| owner != person && !has_skipped(owner)) {
                return Err(Ineligible::OtherShare);
            }
        }
        let others = state.leases.iter().filter(|lease| {
            lease.activity == activity
                && lease.of == of
                && lease.by != person
                && lease.until > now
                && !state.contributors(activity, of).contains(&lease.by.as_str())
        });
        if unit.done.saturating_add(others.count()) >= unit.wanted { Err(Ineligible::Taken) } else { Ok(()) }
    }

    /// The person whose share a task belongs to, if there are shares.
    pub(crate) fn share_owner(&self, at: usize) -> Option<&str> {
        let has_shares = self.rules.write.as_ref().is_some_and(|rules| rules.shares == Shares::Equal);
        if !has_shares || self.tasks[at].role != TaskRole::Ordinary {
            return None;
        }
        let n = self.annotators().count();
        self.annotators().nth(self.states[at].ordinal.checked_rem(n)?)
    }

    fn next_of_phase(
        &self,
        person: &str,
        activity: Activity,
        phase: Phase,
        now: Moment,
    ) -> Option<(usize, u64)> {
        if activity == Activity::Write && phase == Phase::Main && self.pilots_waiting > 0 {
            return None;
        }
        let by_done = self.open.of(activity, phase)?;
        let start = self.start(person, activity);
        let mut in_set = |keys: &BTreeSet<UnitKey>| {
            let in_turn = keys.range(start..).chain(keys.range(..start));
            let mut places = in_turn.filter_map(|(place, of)| Some((usize::try_from(*place).ok()?, *of)));
            places.find(|&(at, of)| {
                let unit = self.unit(at, activity, of);
                unit.is_some_and(|unit| self.eligible(at, unit, person, now).is_ok())
            })
        };
        match activity {
            Activity::Judge => by_done.values().rev().find_map(&mut in_set),
            Activity::Write | Activity::Paraphrase | Activity::Answer | Activity::Compare => {
                by_done.values().find_map(&mut in_set)
            }
        }
    }

    /// Where the search for a person begins. Those who write go on from their last task, because neighbours in the file have different shapes;
    /// others begin anywhere each time.
    fn start(&self, person: &str, activity: Activity) -> UnitKey {
        let nobody = MemberState::default();
        let member = self.people.get(person).unwrap_or(&nobody);
        let n = u64::try_from(self.tasks.len().max(1)).unwrap_or(1);
        let anywhere = |number| u32::try_from(hash_of([person, activity.name()], number) % n).unwrap_or(0);
        let place = match (activity, member.last.get(&activity)) {
            (Activity::Write | Activity::Compare, Some(last)) => last + 1,
            (Activity::Write | Activity::Compare, None) => anywhere(0),
            (Activity::Paraphrase | Activity::Judge | Activity::Answer, _) => {
                anywhere(member.contributed.get(&activity).copied().unwrap_or(0))
            }
        };
        (place, 0)
    }

    fn why_nothing(&self, person: &str, activity: Activity, now: Moment) -> NothingLeft {
        let (mut waits, mut outside, mut for_others) = (0, 0, 0);
        for (at, state) in self.states.iter().enumerate() {
            if self.tasks[at].role == TaskRole::Training {
                continue;
            }
            let mut open =
                state.units.iter().filter(|unit| unit.activity == activity && unit.is_open()).peekable();
            if open.peek().is_none() {
                // Work of other activities may lead to work of this one.
                let leads_here = match activity {
                    Activity::Judge | Activity::Compare => true,
                    // A rejected text is replaced.
                    Activity::Paraphrase => {
                        let rules = self.rules.paraphrase.as_ref();
                        let n = state.contributors(Activity::Paraphrase, 0).len();
                        self.rules.judge.is_some() && rules.is_some_and(|rules| n < rules.attempts)
                    }
                    Activity::Write | Activity::Answer => false,
                };
                let is_open = state.units.iter().any(Unit::is_open);
                waits += usize::from(leads_here && is_open);
                continue;
            }
            let faults: Vec<Ineligible> =
                open.filter_map(|unit| self.eligible(at, unit, person, now).err()).collect();
            if faults.contains(&Ineligible::Taken) || faults.contains(&Ineligible::AfterPilot) {
                waits += 1;
            } else if faults.contains(&Ineligible::OtherShare) {
                outside += 1;
            } else {
                for_others += 1;
            }
        }
        match (waits, outside, for_others) {
            (0, 0, 0) => NothingLeft::AllDone,
            (0, 0, tasks) => NothingLeft::ForOthers { tasks },
            (0, tasks, _) => NothingLeft::OutsideShare { tasks },
            (tasks, _, _) => NothingLeft::WaitsForOthers { tasks },
        }
    }
}
