//! Which records a project accepts.

use crate::event::{Adjudication, ComparedTexts, Decision, Event, Leased, SameMeaning};
use crate::moment::Moment;
use crate::queue::Ineligible;
use crate::record::NewRecord;
use crate::rules::{Activity, Role, RulesFault};
use crate::state::{Contribution, ContributionKind, ProjectState, live};
use crate::store::Derived;
use crate::text_check::{TextFault, text_faults};
use crate::verdict::{is_compared, texts_wanted};
use std::collections::BTreeSet;

/// Why a project does not accept a record.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The person is not a member.
    #[error("`{person}` is not a member of this project; the owner adds members")]
    NotAMember {
        /// The person.
        person: String,
    },
    /// The role does not allow it.
    #[error("{who} cannot do this; it needs the role {needed}", who = with_article(*.role))]
    Role {
        /// The role of the person.
        role: Role,
        /// The role that is needed.
        needed: &'static str,
    },
    /// The project is closed.
    #[error("the project is closed; the owner can open it again")]
    Closed,
    /// The task does not exist.
    #[error("there is no task `{task}`{}", nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    NoTask {
        /// The task.
        task: String,
        /// The nearest known one.
        nearest: Option<String>,
    },
    /// The record needs a task, or must not have one.
    #[error("a record `{kind}` {}", if *needs_task { "must name its task" } else { "must not name a task" })]
    TaskField {
        /// The kind.
        kind: &'static str,
        /// Whether it needs one.
        needs_task: bool,
    },
    /// The project does not have the activity, or not for the task.
    #[error("nobody does `{activity}` for this task")]
    NotAnActivity {
        /// The activity.
        activity: Activity,
    },
    /// The contribution does not exist, or was taken back.
    #[error("the task `{task}` has no contribution {of}, or its author took it back")]
    NoContribution {
        /// The task.
        task: String,
        /// The number of its record.
        of: u64,
    },
    /// The person did it before.
    #[error("you have done this already; change what you did instead")]
    DoneBefore,
    /// The text is the person's own.
    #[error("you wrote this text; others judge it")]
    OwnText,
    /// The person contributed to the task.
    #[error("you contributed to this task; somebody else settles it")]
    OwnWork,
    /// Somebody else has the task, or has done it.
    #[error("somebody else has this task now; ask for the next one")]
    Taken,
    /// It belongs to somebody else's share.
    #[error("this task belongs to somebody else's share")]
    OtherShare,
    /// The pilot is not finished.
    #[error("this task comes after the pilot, which is not finished")]
    AfterPilot,
    /// The person skipped it.
    #[error("you skipped this task")]
    Skipped,
    /// A lease that is too long or over.
    #[error("a lease ends at most {minutes} minutes from now")]
    LeaseTime {
        /// The maximum.
        minutes: u32,
    },
    /// There is no lease.
    #[error("you do not have this task")]
    NoLease,
    /// The text cannot be accepted.
    #[error("{fault}")]
    Text {
        /// Why.
        fault: TextFault,
    },
    /// Fluency is from 1 to 5.
    #[error("fluency {fluency} is not between 1 and 5")]
    Fluency {
        /// What was given.
        fluency: u8,
    },
    /// Neither answers nor "the KB does not say", or both.
    #[error("give answers, or say that the KB does not contain the answer, but not both")]
    Answers,
    /// The groups do not contain each text once.
    #[error("each text of the task must be in one group: {}", numbers(texts))]
    Groups {
        /// The texts of the task.
        texts: Vec<u64>,
    },
    /// Seconds that are not a time.
    #[error("{seconds} is not a number of seconds")]
    Seconds {
        /// What was given.
        seconds: f64,
    },
    /// Only the author can change a contribution.
    #[error("only its author can change a contribution")]
    NotTheAuthor,
    /// Others have built on it.
    #[error("it cannot be changed any more: {reason}")]
    TooLate {
        /// What happened since.
        reason: &'static str,
    },
    /// A revision of another kind.
    #[error("a `{found}` cannot replace this contribution")]
    OtherKind {
        /// The kind of the revision.
        found: &'static str,
    },
    /// The decision lacks something.
    #[error("the decision needs {0}")]
    Decision(&'static str),
    /// The rules cannot be.
    #[error(transparent)]
    Rules(#[from] RulesFault),
    /// There would be no owner.
    #[error("a project needs an owner")]
    NoOwner,
    /// Guidelines have increasing versions.
    #[error("the next version of the guidelines is {next}, not {found}")]
    GuidelinesVersion {
        /// The next version.
        next: u32,
        /// What was given.
        found: u32,
    },
}

fn with_article(role: Role) -> &'static str {
    match role {
        Role::Owner => "an owner",
        Role::Adjudicator => "an adjudicator",
        Role::Annotator => "an annotator",
        Role::Viewer => "a viewer",
    }
}

fn numbers(texts: &[u64]) -> String {
    texts.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// Who may submit a kind of record.
enum Needs {
    Program,
    Member,
    Contributor,
    Adjudicator,
    Owner,
}

fn needs(event: &Event) -> Needs {
    match event {
        Event::Opened(_) => Needs::Program,
        Event::Settings(_) | Event::Guidelines(_) | Event::Closed(_) | Event::Reopened(_) => Needs::Owner,
        Event::Adjudicated(_) => Needs::Adjudicator,
        Event::Leased(_)
        | Event::Released(_)
        | Event::Written(_)
        | Event::Paraphrased(_)
        | Event::Judged(_)
        | Event::Answered(_)
        | Event::Compared(_)
        | Event::Confusing(_)
        | Event::Skipped(_)
        | Event::Revised(_)
        | Event::Undone(_) => Needs::Contributor,
        Event::Commented(_) | Event::Feedback(_) => Needs::Member,
    }
}

/// Whether a state accepts a record.
pub(crate) fn check(state: &ProjectState, record: &NewRecord<Event>, now: Moment) -> Result<(), Refusal> {
    check_author(state, record)?;
    let NewRecord { by, task, event, .. } = record;
    let kind = crate::record::Events::kind(event);
    let at = match task {
        Some(task) => {
            let known = || state.tasks.iter().map(|task| task.id.as_str());
            let unknown = || Refusal::NoTask {
                task: task.clone(),
                nearest: touchstone_kb::nearest_name(task, known()).map(str::to_owned),
            };
            Some(state.place(task).ok_or_else(unknown)?)
        }
        None => None,
    };
    match event {
        Event::Opened(_)
        | Event::Settings(_)
        | Event::Guidelines(_)
        | Event::Closed(_)
        | Event::Reopened(_) => {
            if at.is_some() {
                return Err(Refusal::TaskField { kind, needs_task: false });
            }
            check_management(state, event)
        }
        Event::Commented(_) | Event::Feedback(_) => Ok(()),
        event => {
            let at = at.ok_or(Refusal::TaskField { kind, needs_task: true })?;
            if state.closed {
                return Err(Refusal::Closed);
            }
            check_task(state, at, by, event, now)
        }
    }
}

fn check_author(state: &ProjectState, record: &NewRecord<Event>) -> Result<(), Refusal> {
    let role = state.role(&record.by);
    let wants = |needed: &'static str, may: fn(Role) -> bool| match role {
        None => Err(Refusal::NotAMember { person: record.by.clone() }),
        Some(role) if may(role) => Ok(()),
        Some(role) => Err(Refusal::Role { role, needed }),
    };
    match needs(&record.event) {
        // The program itself, and the first settings, which make the owner a member.
        Needs::Program if record.by.is_empty() => Ok(()),
        Needs::Owner if state.members.is_empty() => Ok(()),
        Needs::Program | Needs::Owner => wants("owner", |role| role == Role::Owner),
        Needs::Member => wants("member", |_| true),
        Needs::Contributor => wants("annotator", Role::contributes),
        Needs::Adjudicator => wants("adjudicator", Role::adjudicates),
    }
}

fn check_management(state: &ProjectState, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::Settings(change) => {
            if let Some(rules) = &change.rules {
                rules.check()?;
            }
            match &change.members {
                Some(members) if !members.values().any(|role| *role == Role::Owner) => Err(Refusal::NoOwner),
                _ => Ok(()),
            }
        }
        Event::Guidelines(found) => {
            let next = state.guidelines.as_ref().map_or(1, |version| version.version + 1);
            match found.version == next {
                true => Ok(()),
                false => Err(Refusal::GuidelinesVersion { next, found: found.version }),
            }
        }
        _ => Ok(()),
    }
}

fn check_task(state: &ProjectState, at: usize, by: &str, event: &Event, now: Moment) -> Result<(), Refusal> {
    if let Some((activity, of)) = event.contribution() {
        check_contribution(state, at, by, activity, of)?;
        return check_body(state, at, event);
    }
    match event {
        Event::Leased(lease) => check_lease(state, at, by, lease, now),
        Event::Released(lease) => {
            let is_it = |own: &&crate::state::Lease| {
                own.by == by && own.activity == lease.activity && own.of == lease.of
            };
            let own = state.states[at].leases.iter().find(is_it);
            own.map(|_| ()).ok_or(Refusal::NoLease)
        }
        Event::Skipped(skipped) => check_contribution(state, at, by, skipped.activity, skipped.of),
        Event::Confusing(_) => match live(&state.states[at].confusing).any(|mark| mark.by == by) {
            true => Err(Refusal::DoneBefore),
            false => Ok(()),
        },
        Event::Undone(undone) => check_change(state, at, by, undone.of).map(|_| ()),
        Event::Revised(revision) => {
            let kind = check_change(state, at, by, revision.of)?;
            let fits = match (&*revision.event, kind) {
                (Event::Written(_), ContributionKind::Text) => state.rules.write.is_some(),
                (Event::Paraphrased(_), ContributionKind::Text) => state.rules.paraphrase.is_some(),
                (Event::Judged(judged), ContributionKind::Judgement(text)) => judged.of == text,
                (Event::Answered(_), ContributionKind::Answer)
                | (Event::Compared(_), ContributionKind::Comparison)
                | (Event::Confusing(_), ContributionKind::Confusing) => true,
                _ => false,
            };
            if !fits {
                return Err(Refusal::OtherKind { found: crate::record::Events::kind(&*revision.event) });
            }
            check_body(state, at, &revision.event)
        }
        Event::Adjudicated(decision) => check_decision(state, at, by, decision),
        _ => Ok(()),
    }
}

/// Whether a person may contribute to an activity of a task, whether or not it is still wanted: late work is kept.
fn check_contribution(
    state: &ProjectState,
    at: usize,
    by: &str,
    activity: Activity,
    of: u64,
) -> Result<(), Refusal> {
    if !state.rules.has(activity) {
        return Err(Refusal::NotAnActivity { activity });
    }
    let task = &state.states[at];
    let fits = match activity {
        Activity::Write | Activity::Paraphrase => texts_wanted(&state.rules, &state.tasks[at], task) > 0,
        Activity::Compare => is_compared(&state.rules, &state.tasks[at]),
        Activity::Judge | Activity::Answer => true,
    };
    if !fits {
        return Err(Refusal::NotAnActivity { activity });
    }
    if activity == Activity::Judge {
        let text = task.text(of);
        let unknown = || Refusal::NoContribution { task: state.tasks[at].id.clone(), of };
        if text.ok_or_else(unknown)?.by == by {
            return Err(Refusal::OwnText);
        }
    }
    match task.contributors(activity, of).contains(&by) {
        true => Err(Refusal::DoneBefore),
        false => Ok(()),
    }
}

fn check_lease(
    state: &ProjectState,
    at: usize,
    by: &str,
    lease: &Leased,
    now: Moment,
) -> Result<(), Refusal> {
    check_contribution(state, at, by, lease.activity, lease.of)?;
    let minutes = state.rules.lease_minutes;
    if lease.until <= now || lease.until > now.plus_seconds(minutes.saturating_mul(60)) {
        return Err(Refusal::LeaseTime { minutes });
    }
    let unit = state.unit(at, lease.activity, lease.of).ok_or(Refusal::Taken)?;
    state.eligible(at, unit, by, now).map_err(|why| match why {
        Ineligible::Taken => Refusal::Taken,
        Ineligible::Done => Refusal::DoneBefore,
        Ineligible::Skipped => Refusal::Skipped,
        Ineligible::Own => Refusal::OwnText,
        Ineligible::OtherShare => Refusal::OtherShare,
        Ineligible::AfterPilot => Refusal::AfterPilot,
    })
}

/// The content of a contribution.
fn check_body(state: &ProjectState, at: usize, event: &Event) -> Result<(), Refusal> {
    let text = |text: &str, activity, overridden: &str| {
        let faults = text_faults(state, at, activity, text);
        let stops = |fault: &TextFault| !fault.can_be_overridden() || overridden.trim().is_empty();
        match faults.into_iter().find(stops) {
            Some(fault) => Err(Refusal::Text { fault }),
            None => Ok(()),
        }
    };
    let seconds = match event {
        Event::Written(written) => {
            text(&written.text, Activity::Write, &written.overridden)?;
            written.seconds
        }
        Event::Paraphrased(paraphrased) => {
            text(&paraphrased.text, Activity::Paraphrase, &paraphrased.overridden)?;
            paraphrased.seconds
        }
        Event::Judged(judged) if !(1..=5).contains(&judged.fluency) => {
            return Err(Refusal::Fluency { fluency: judged.fluency });
        }
        Event::Judged(judged) => judged.seconds,
        Event::Answered(answered) if answered.answers.is_empty() != answered.none => {
            return Err(Refusal::Answers);
        }
        Event::Answered(answered) => answered.seconds,
        Event::Compared(compared) => {
            check_groups(state, at, compared)?;
            compared.seconds
        }
        _ => 0.0,
    };
    if seconds.is_finite() && seconds >= 0.0 { Ok(()) } else { Err(Refusal::Seconds { seconds }) }
}

fn check_groups(state: &ProjectState, at: usize, compared: &ComparedTexts) -> Result<(), Refusal> {
    let texts: BTreeSet<u64> = live(&state.states[at].texts).map(|text| text.n).collect();
    let mut grouped: Vec<u64> = compared.groups.iter().flatten().copied().collect();
    grouped.sort_unstable();
    let is_each_once = grouped.iter().eq(texts.iter()) && !compared.groups.iter().any(Vec::is_empty);
    if is_each_once { Ok(()) } else { Err(Refusal::Groups { texts: texts.into_iter().collect() }) }
}

/// Whether a person may change a contribution: it is the person's own, and nobody has built on it.
fn check_change(state: &ProjectState, at: usize, by: &str, of: u64) -> Result<ContributionKind, Refusal> {
    fn author<B>(list: &[Contribution<B>], of: u64) -> Option<&str> {
        live(list).find(|entry| entry.n == of).map(|entry| entry.by.as_str())
    }
    let unknown = || Refusal::NoContribution { task: state.tasks[at].id.clone(), of };
    let (place, kind) = *state.contributions.get(&of).ok_or_else(unknown)?;
    let task = &state.states[at];
    if usize::try_from(place) != Ok(at) {
        return Err(unknown());
    }
    let author = match kind {
        ContributionKind::Text => author(&task.texts, of),
        ContributionKind::Judgement(text) => {
            task.text(text).and_then(|text| author(&text.body.judgements, of))
        }
        ContributionKind::Answer => author(&task.answers, of),
        ContributionKind::Comparison => author(&task.comparisons, of),
        ContributionKind::Confusing => author(&task.confusing, of),
    };
    if author.ok_or_else(unknown)? != by {
        return Err(Refusal::NotTheAuthor);
    }
    let too_late = |reason| Err(Refusal::TooLate { reason });
    if live(&task.decisions).any(|decision| decision.n > of) {
        return too_late("the task was settled since");
    }
    match kind {
        ContributionKind::Text => {
            let is_judged = task.text(of).is_some_and(|text| live(&text.body.judgements).next().is_some());
            let is_compared = live(&task.comparisons).any(|compared| compared.n > of);
            match (is_judged, is_compared) {
                (true, _) => too_late("somebody has judged the text"),
                (_, true) => too_late("somebody has compared the text"),
                (false, false) => Ok(kind),
            }
        }
        // The next text was asked for because of what judges said.
        ContributionKind::Judgement(_) if live(&task.texts).any(|text| text.n > of) => {
            too_late("somebody has written another text since")
        }
        _ => Ok(kind),
    }
}

fn check_decision(state: &ProjectState, at: usize, by: &str, decision: &Adjudication) -> Result<(), Refusal> {
    let task = &state.states[at];
    let judges =
        |text: &crate::state::ProjectText| live(&text.body.judgements).any(|judgement| judgement.by == by);
    let contributed = live(&task.texts).any(|text| text.by == by || judges(text))
        || live(&task.answers).any(|answer| answer.by == by)
        || live(&task.comparisons).any(|compared| compared.by == by);
    if contributed {
        return Err(Refusal::OwnWork);
    }
    let has_note = !decision.note.trim().is_empty();
    let needs = |what| Err(Refusal::Decision(what));
    match decision.decision {
        Decision::Take | Decision::Edit if task.text(decision.of).is_none() => {
            Err(Refusal::NoContribution { task: state.tasks[at].id.clone(), of: decision.of })
        }
        Decision::Edit if decision.text.as_ref().is_none_or(|text| text.trim().is_empty()) => {
            needs("the changed text")
        }
        // A decision that nobody who worked on the task suggested has to be explained.
        Decision::Edit if !has_note => needs("a note, because nobody wrote this text"),
        Decision::Remove if !has_note && live(&task.confusing).next().is_none() => {
            needs("a note, because nobody finds the task confusing")
        }
        Decision::Reject if !has_note && !says_no(state, at) => {
            needs("a note, because no judge says that a text differs")
        }
        Decision::Another if state.tasks[at].text.is_some() => {
            needs("another choice: the text is from elsewhere, so nobody can be asked for another")
        }
        Decision::Take | Decision::Edit | Decision::Reject | Decision::Another | Decision::Remove => Ok(()),
    }
}

fn says_no(state: &ProjectState, at: usize) -> bool {
    let mut texts = live(&state.states[at].texts);
    texts.any(|text| live(&text.body.judgements).any(|judgement| judgement.body.same == SameMeaning::No))
}

impl ProjectState {
    /// Whether the project would accept a record now. [`crate::Project::submit`] checks it again.
    pub fn accepts(&self, record: &NewRecord<Event>, now: Moment) -> Result<(), Refusal> {
        Derived::check(self, record, now)
    }
}
