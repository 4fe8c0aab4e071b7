//! The state of a project: a fold over its records. Nothing of it is stored.

use crate::event::{
    Adjudication, AnsweredQuestion, ComparedTexts, ConfusingTask, Decision, Event, GuidelinesVersion,
    JudgedText,
};
use crate::moment::Moment;
use crate::record::StoredRecord;
use crate::refusal::Refusal;
use crate::rules::{Activity, ProjectRules, Role};
use crate::store::Derived;
use crate::task::{Task, TaskRole};
use crate::unit::{OpenUnits, Unit};
use crate::verdict::TaskVerdict;
use hashbrown::HashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A contribution of a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution<B> {
    /// The number of its record.
    pub n: u64,
    /// When it was submitted, or revised.
    pub at: Moment,
    /// The person; empty for what is not from a person of the project.
    pub by: String,
    /// Whether its author took it back. Then it does not count.
    pub undone: bool,
    /// The content.
    pub body: B,
}

/// A text of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct TextBody {
    /// Whether it was written or is a paraphrase; `Judge` for a text from elsewhere.
    pub activity: Activity,
    /// The text.
    pub text: String,
    /// Further wordings.
    pub others: Vec<String>,
    /// A remark.
    pub comment: String,
    /// Seconds of work.
    pub seconds: f64,
    /// The version of the guidelines that its author saw.
    pub guidelines: u32,
    /// What judges say of it.
    pub judgements: Vec<Contribution<JudgedText>>,
}

/// A text with its judgements.
pub type ProjectText = Contribution<TextBody>;

/// A task that is shown to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Lease {
    /// The person.
    pub by: String,
    /// For which activity.
    pub activity: Activity,
    /// The text to judge: the number of its record, or 0.
    pub of: u64,
    /// When it ends.
    pub until: Moment,
}

/// What is known about a task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskState {
    /// Its texts, in the order of their records. A text from elsewhere has the number 0.
    pub texts: Vec<ProjectText>,
    /// The answers to its question.
    pub answers: Vec<Contribution<AnsweredQuestion>>,
    /// Comparisons of its texts.
    pub comparisons: Vec<Contribution<ComparedTexts>>,
    /// Who finds it confusing.
    pub confusing: Vec<Contribution<ConfusingTask>>,
    /// Who does not want it: person, activity and text.
    pub skips: BTreeSet<(String, Activity, u64)>,
    /// To whom it is shown.
    pub leases: Vec<Lease>,
    /// How it was settled, in the order of the records.
    pub decisions: Vec<Contribution<Adjudication>>,
    /// Its verdict.
    pub verdict: TaskVerdict,
    /// Its place among the ordinary tasks.
    pub(crate) ordinal: usize,
    /// What is wanted for it.
    pub(crate) units: Vec<Unit>,
}

/// The contributions that their authors did not take back.
pub(crate) fn live<B>(contributions: &[Contribution<B>]) -> impl Iterator<Item = &Contribution<B>> {
    contributions.iter().filter(|contribution| !contribution.undone)
}

impl TaskState {
    fn new(task: &Task, ordinal: usize) -> TaskState {
        let text = task.text.as_ref().map(|text| ProjectText {
            n: 0,
            at: Moment::default(),
            by: String::new(),
            undone: false,
            body: TextBody {
                activity: Activity::Judge,
                text: text.clone(),
                others: Vec::new(),
                comment: String::new(),
                seconds: 0.0,
                guidelines: 0,
                judgements: Vec::new(),
            },
        });
        TaskState {
            texts: text.into_iter().collect(),
            answers: Vec::new(),
            comparisons: Vec::new(),
            confusing: Vec::new(),
            skips: BTreeSet::new(),
            leases: Vec::new(),
            decisions: Vec::new(),
            verdict: TaskVerdict::Waiting,
            ordinal,
            units: Vec::new(),
        }
    }

    /// The text with a number, if its author did not take it back.
    pub fn text(&self, of: u64) -> Option<&ProjectText> {
        live(&self.texts).find(|text| text.n == of)
    }

    /// What is wanted for it at this point.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The people who wrote a text of it.
    pub fn authors(&self) -> impl Iterator<Item = &str> {
        live(&self.texts).map(|text| text.by.as_str())
    }

    /// The people who contributed to an activity, for a text if it is judging.
    pub fn contributors(&self, activity: Activity, of: u64) -> Vec<&str> {
        match activity {
            Activity::Write | Activity::Paraphrase => {
                let own = live(&self.texts).filter(|text| text.body.activity == activity);
                own.map(|text| text.by.as_str()).collect()
            }
            Activity::Judge => {
                let judgements = self.text(of).map_or(&[][..], |text| &text.body.judgements);
                live(judgements).map(|judgement| judgement.by.as_str()).collect()
            }
            Activity::Answer => live(&self.answers).map(|answer| answer.by.as_str()).collect(),
            Activity::Compare => {
                crate::verdict::counted_comparisons(self).map(|compared| compared.by.as_str()).collect()
            }
        }
    }

    /// The number of the last decision to ask somebody else; what was marked before is then settled.
    pub(crate) fn last_another(&self) -> u64 {
        let another = live(&self.decisions).filter(|decision| decision.body.decision == Decision::Another);
        another.map(|decision| decision.n).max().unwrap_or(0)
    }
}

/// A member's work, for the pages of people.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemberState {
    /// When the person last did something.
    pub last_seen: Option<Moment>,
    /// Tasks that are shown to the person: index of the task, activity and text, with the end of the lease.
    pub(crate) leases: BTreeMap<(u32, Activity, u64), Moment>,
    /// The last task of each activity, for the order of tasks.
    pub(crate) last: BTreeMap<Activity, u32>,
    /// Number of contributions to each activity.
    pub(crate) contributed: BTreeMap<Activity, u64>,
}

/// The state of a project.
#[derive(Debug, Clone)]
pub struct ProjectState {
    /// The tasks, in the order of `tasks.jsonl`.
    pub tasks: Arc<Vec<Task>>,
    /// What is known about each task, in the same order.
    pub states: Vec<TaskState>,
    /// The rules.
    pub rules: ProjectRules,
    /// The members, by the id of the person.
    pub members: BTreeMap<String, Role>,
    /// Whether nothing is accepted until it is opened again.
    pub closed: bool,
    /// The version of the guidelines.
    pub guidelines: Option<GuidelinesVersion>,
    /// The hashes of `project.json` and `tasks.jsonl` when the project was made.
    pub(crate) files: Option<(String, String)>,
    /// The version of the program that last opened the project.
    pub(crate) version: String,
    pub(crate) places: HashMap<String, u32>,
    pub(crate) people: HashMap<String, MemberState>,
    pub(crate) open: OpenUnits,
    /// The task and the kind of each contribution.
    pub(crate) contributions: HashMap<u64, (u32, ContributionKind)>,
    /// Number of pilot tasks that wait for somebody.
    pub(crate) pilots_waiting: usize,
    /// The folded texts of tasks, to notice two tasks with the same text.
    pub(crate) text_users: HashMap<String, BTreeSet<u32>>,
}

/// What a record with a number contributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContributionKind {
    Text,
    /// A judgement of a text.
    Judgement(u64),
    Answer,
    Comparison,
    Confusing,
}

/// The first rank number of a task index.
fn index_of(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

impl ProjectState {
    /// The state before the first record.
    pub fn new(rules: ProjectRules, tasks: Arc<Vec<Task>>) -> ProjectState {
        let mut ordinal = 0;
        let states = tasks.iter().map(|task| {
            let state = TaskState::new(task, ordinal);
            ordinal += usize::from(task.role == TaskRole::Ordinary);
            state
        });
        let states = states.collect();
        let places = tasks.iter().enumerate().map(|(at, task)| (task.id.clone(), index_of(at))).collect();
        let mut state = ProjectState {
            tasks,
            states,
            rules,
            members: BTreeMap::new(),
            closed: false,
            guidelines: None,
            files: None,
            version: String::new(),
            places,
            people: HashMap::new(),
            open: OpenUnits::default(),
            contributions: HashMap::new(),
            pilots_waiting: 0,
            text_users: HashMap::new(),
        };
        state.reindex_all();
        state
    }

    /// The place of a task.
    pub fn place(&self, task: &str) -> Option<usize> {
        self.places.get(task).map(|place| usize::try_from(*place).unwrap_or(usize::MAX))
    }

    /// What is known about a task.
    pub fn task_state(&self, task: &str) -> Option<&TaskState> {
        Some(&self.states[self.place(task)?])
    }

    /// The role of a member.
    pub fn role(&self, person: &str) -> Option<Role> {
        self.members.get(person).copied()
    }

    /// When a member was last seen.
    pub fn last_seen(&self, person: &str) -> Option<Moment> {
        self.people.get(person)?.last_seen
    }

    /// The members who contribute, in the order of their ids.
    pub fn annotators(&self) -> impl Iterator<Item = &str> {
        let annotators = self.members.iter().filter(|(_, role)| **role == Role::Annotator);
        annotators.map(|(person, _)| person.as_str())
    }

    /// All units of work again, after the rules changed.
    fn reindex_all(&mut self) {
        self.open = OpenUnits::default();
        self.pilots_waiting = 0;
        for at in 0..self.states.len() {
            self.states[at].units.clear();
            self.pilots_waiting += usize::from(self.tasks[at].role == TaskRole::Pilot);
            self.states[at].verdict = TaskVerdict::Waiting;
            self.reindex(at);
        }
    }

    /// The units of work and the verdict of a task again, after a record about it.
    fn reindex(&mut self, at: usize) {
        let (task, state) = (&self.tasks[at], &mut self.states[at]);
        for unit in state.units.drain(..) {
            self.open.remove(index_of(at), &unit);
        }
        let was_waiting = state.verdict == TaskVerdict::Waiting;
        state.verdict = crate::verdict::task_verdict(&self.rules, task, state);
        if task.role == TaskRole::Pilot {
            match (was_waiting, state.verdict == TaskVerdict::Waiting) {
                (true, false) => self.pilots_waiting -= 1,
                (false, true) => self.pilots_waiting += 1,
                (true, true) | (false, false) => {}
            }
        }
        let units = crate::unit::open_units(&self.rules, task, state);
        for unit in &units {
            self.open.insert(index_of(at), unit);
        }
        self.states[at].units = units;
    }

    /// Adds what a record says about a task. Returns whether it is a contribution beyond what was wanted.
    fn apply_to_task(&mut self, at: usize, record: StoredRecord<Event>) -> bool {
        let StoredRecord { n, at: time, by, event, .. } = record;
        let mut surplus = false;
        if let Some((activity, of)) = event.contribution() {
            let wanted = self.states[at].units.iter().find(|unit| unit.activity == activity && unit.of == of);
            surplus = wanted.is_none_or(|unit| unit.done >= unit.wanted);
            self.end_lease(at, &by, activity, of);
            let person = self.people.entry(by.clone()).or_default();
            person.last.insert(activity, index_of(at));
            *person.contributed.entry(activity).or_default() += 1;
        }
        match event {
            Event::Leased(lease) => {
                self.end_lease(at, &by, lease.activity, lease.of);
                let person = self.people.entry(by.clone()).or_default();
                person.leases.insert((index_of(at), lease.activity, lease.of), lease.until);
                let leases = &mut self.states[at].leases;
                leases.retain(|other| other.until > time);
                leases.push(Lease { by, activity: lease.activity, of: lease.of, until: lease.until });
                return false;
            }
            Event::Released(lease) => {
                self.end_lease(at, &by, lease.activity, lease.of);
                return false;
            }
            Event::Skipped(skipped) => {
                self.end_lease(at, &by, skipped.activity, skipped.of);
                self.states[at].skips.insert((by, skipped.activity, skipped.of));
                return false;
            }
            Event::Confusing(body) => {
                self.end_leases(at, &by);
                self.contributions.insert(n, (index_of(at), ContributionKind::Confusing));
                let mark = Contribution { n, at: time, by, undone: false, body };
                self.states[at].confusing.push(mark);
            }
            Event::Adjudicated(body) => {
                self.states[at].decisions.push(Contribution { n, at: time, by, undone: false, body });
            }
            Event::Undone(undone) => self.undo(at, undone.of),
            Event::Revised(revision) => self.revise(at, revision.of, time, *revision.event),
            event => self.contribute(at, n, time, by, event),
        }
        self.reindex(at);
        surplus
    }

    fn contribute(&mut self, at: usize, n: u64, time: Moment, by: String, event: Event) {
        let state = &mut self.states[at];
        let kind = match event {
            Event::Written(_) | Event::Paraphrased(_) => {
                let Some(body) = text_body(event) else { return };
                self.text_users.entry(touchstone_kb::fold(&body.text)).or_default().insert(index_of(at));
                state.texts.push(Contribution { n, at: time, by, undone: false, body });
                ContributionKind::Text
            }
            Event::Judged(body) => {
                let Some(text) = state.texts.iter_mut().find(|text| text.n == body.of) else { return };
                let kind = ContributionKind::Judgement(body.of);
                text.body.judgements.push(Contribution { n, at: time, by, undone: false, body });
                kind
            }
            Event::Answered(body) => {
                state.answers.push(Contribution { n, at: time, by, undone: false, body });
                ContributionKind::Answer
            }
            Event::Compared(body) => {
                state.comparisons.push(Contribution { n, at: time, by, undone: false, body });
                ContributionKind::Comparison
            }
            // The other kinds are handled where they come from; a remark changes nothing.
            _ => return,
        };
        self.contributions.insert(n, (index_of(at), kind));
    }

    fn undo(&mut self, at: usize, of: u64) {
        fn mark<B>(list: &mut [Contribution<B>], of: u64) {
            list.iter_mut().filter(|entry| entry.n == of).for_each(|entry| entry.undone = true);
        }
        let Some((_, kind)) = self.contributions.get(&of).copied() else { return };
        let state = &mut self.states[at];
        match kind {
            ContributionKind::Text => {
                mark(&mut state.texts, of);
                let undone = state.texts.iter().find(|text| text.n == of);
                if let Some(folded) = undone.map(|text| touchstone_kb::fold(&text.body.text)) {
                    self.forget_text(at, &folded);
                }
            }
            ContributionKind::Judgement(text) => {
                let judged = state.texts.iter_mut().find(|entry| entry.n == text);
                judged.into_iter().for_each(|text| mark(&mut text.body.judgements, of));
            }
            ContributionKind::Answer => mark(&mut state.answers, of),
            ContributionKind::Comparison => mark(&mut state.comparisons, of),
            ContributionKind::Confusing => mark(&mut state.confusing, of),
        }
    }

    fn revise(&mut self, at: usize, of: u64, time: Moment, event: Event) {
        fn replace<B>(list: &mut [Contribution<B>], of: u64, time: Moment, body: B) {
            if let Some(entry) = list.iter_mut().find(|entry| entry.n == of) {
                (entry.body, entry.at) = (body, time);
            }
        }
        let state = &mut self.states[at];
        match event {
            Event::Written(_) | Event::Paraphrased(_) => {
                let Some(body) = text_body(event) else { return };
                let before = state.texts.iter().find(|text| text.n == of);
                let before = before.map(|text| touchstone_kb::fold(&text.body.text)).unwrap_or_default();
                let after = touchstone_kb::fold(&body.text);
                replace(&mut state.texts, of, time, body);
                self.forget_text(at, &before);
                self.text_users.entry(after).or_default().insert(index_of(at));
            }
            Event::Judged(body) => {
                let text = state.texts.iter_mut().find(|text| text.n == body.of);
                text.into_iter().for_each(|text| replace(&mut text.body.judgements, of, time, body.clone()));
            }
            Event::Answered(body) => replace(&mut state.answers, of, time, body),
            Event::Compared(body) => replace(&mut state.comparisons, of, time, body),
            Event::Confusing(body) => replace(&mut state.confusing, of, time, body),
            // Nothing else can be revised.
            _ => {}
        }
    }

    /// Forgets that a task has a text, unless another text of it is the same.
    fn forget_text(&mut self, at: usize, folded: &str) {
        let texts = &self.states[at].texts;
        if live(texts).any(|text| touchstone_kb::fold(&text.body.text) == folded) {
            return;
        }
        if let Some(users) = self.text_users.get_mut(folded) {
            users.remove(&index_of(at));
            if users.is_empty() {
                self.text_users.remove(folded);
            }
        }
    }

    fn end_lease(&mut self, at: usize, person: &str, activity: Activity, of: u64) {
        let is_it = |lease: &Lease| lease.by == person && lease.activity == activity && lease.of == of;
        self.states[at].leases.retain(|lease| !is_it(lease));
        if let Some(member) = self.people.get_mut(person) {
            member.leases.remove(&(index_of(at), activity, of));
        }
    }

    fn end_leases(&mut self, at: usize, person: &str) {
        self.states[at].leases.retain(|lease| lease.by != person);
        if let Some(member) = self.people.get_mut(person) {
            member.leases.retain(|(place, ..), _| *place != index_of(at));
        }
    }
}

/// The text of a record that has one.
fn text_body(event: Event) -> Option<TextBody> {
    let judgements = Vec::new();
    match event {
        Event::Written(written) => Some(TextBody {
            activity: Activity::Write,
            text: written.text,
            others: written.others,
            comment: written.comment,
            seconds: written.seconds,
            guidelines: written.guidelines,
            judgements,
        }),
        Event::Paraphrased(paraphrased) => Some(TextBody {
            activity: Activity::Paraphrase,
            text: paraphrased.text,
            others: Vec::new(),
            comment: String::new(),
            seconds: paraphrased.seconds,
            guidelines: paraphrased.guidelines,
            judgements,
        }),
        _ => None,
    }
}

impl Derived for ProjectState {
    type Event = Event;
    type Refusal = Refusal;

    fn check(&self, record: &crate::record::NewRecord<Event>, now: Moment) -> Result<(), Refusal> {
        crate::refusal::check(self, record, now)
    }

    fn apply(&mut self, record: StoredRecord<Event>) -> bool {
        if !record.by.is_empty() {
            self.people.entry(record.by.clone()).or_default().last_seen = Some(record.at);
        }
        if let Some(task) = &record.task {
            let Some(at) = self.place(task) else { return false };
            return self.apply_to_task(at, record);
        }
        match record.event {
            Event::Opened(opened) => {
                self.version = opened.version;
                self.files.get_or_insert((opened.project, opened.tasks));
            }
            Event::Settings(change) => {
                self.members = change.members.unwrap_or_else(|| std::mem::take(&mut self.members));
                if let Some(rules) = change.rules {
                    self.rules = rules;
                    self.reindex_all();
                }
            }
            Event::Guidelines(version) => self.guidelines = Some(version),
            Event::Closed(_) => self.closed = true,
            Event::Reopened(_) => self.closed = false,
            // A remark or feedback changes nothing; the others are about a task.
            _ => {}
        }
        false
    }
}
