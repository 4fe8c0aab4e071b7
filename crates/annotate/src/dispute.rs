//! What an adjudicator has to settle.

use crate::event::SameMeaning;
use crate::state::{ProjectState, live};
use crate::task::TaskRole;
use crate::verdict::{TaskVerdict, counted_texts, is_settled};
use serde::Serialize;

/// Why a task has to be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeReason {
    /// Somebody finds it confusing.
    Confusing,
    /// A control task was judged wrong.
    ControlFailed,
    /// The texts do not mean the same.
    DifferentTexts,
    /// Neither rule of judging is met.
    Undecided,
}

/// A task that has to be settled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dispute {
    /// The task.
    pub task: String,
    /// Why.
    pub reason: DisputeReason,
    /// The share of judges, or texts, in the largest group that agrees.
    pub agreement: f64,
}

impl ProjectState {
    /// The tasks that an adjudicator has to settle, those with the lowest agreement first.
    pub fn disputes(&self) -> Vec<Dispute> {
        let disputed = (0..self.tasks.len()).filter(|at| self.states[*at].verdict == TaskVerdict::Disputed);
        let mut found: Vec<Dispute> = disputed.map(|at| self.dispute(at)).collect();
        found.sort_by(|a, b| a.agreement.total_cmp(&b.agreement).then_with(|| a.task.cmp(&b.task)));
        found
    }

    fn dispute(&self, at: usize) -> Dispute {
        let (task, state) = (&self.tasks[at], &self.states[at]);
        let after = state.last_another();
        let is_confusing = live(&state.confusing).any(|mark| mark.n > after) && !is_settled(state);
        let compared = crate::verdict::counted_comparisons(state).next();
        let reason = match () {
            () if is_confusing => DisputeReason::Confusing,
            () if task.role == TaskRole::Control => DisputeReason::ControlFailed,
            () if compared.is_some() => DisputeReason::DifferentTexts,
            () => DisputeReason::Undecided,
        };
        let agreement = match compared {
            Some(compared) => {
                let sizes = compared.body.groups.iter().map(Vec::len);
                share(sizes.clone().max().unwrap_or(0), sizes.sum())
            }
            None => {
                let texts = counted_texts(&self.rules, task, state);
                let judgements: Vec<SameMeaning> = texts
                    .iter()
                    .flat_map(|text| live(&text.body.judgements).map(|judged| judged.body.same))
                    .collect();
                let of = |same| judgements.iter().filter(|said| **said == same).count();
                let most = [SameMeaning::Yes, SameMeaning::No, SameMeaning::Unsure].map(of);
                share(most.into_iter().max().unwrap_or(0), judgements.len())
            }
        };
        Dispute { task: task.id.clone(), reason, agreement }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { crate::cast::float(part) / crate::cast::float(whole) }
}
