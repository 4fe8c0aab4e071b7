//! Simulated people who work on a project, without a disk: the state and its records.
#![allow(dead_code, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use touchstone_annotate::{
    Activity, AnswerRules, AnswerTools, AnsweredQuestion, CompareRules, ComparedTexts, ConfusingTask,
    ConfusionCause, Derived, Event, JudgeRules, JudgedText, Leased, Moment, NewRecord, NextTask,
    ParaphraseRules, ParaphrasedText, ProjectRules, ProjectState, Refusal, Released, Role, SameMeaning,
    SettingsChange, Shares, SkippedTask, StoredRecord, Task, TaskRole, Undone, WriteRules, WrittenText,
};
use touchstone_benchmark::{Answer, Question, Random};

/// A question without a query.
pub(crate) fn question(id: &str, shape: &str, text: &str, categories: &[&str]) -> Question {
    let line = serde_json::json!({
        "id": id, "split": "test", "level": "", "question": text, "forms": {},
        "graph": {"root": 0, "vertices": [], "edges": []}, "shape": shape, "alias": null, "function": "none",
        "type": "QueryName", "categories": categories, "choices": [], "template": id, "schema_items": [],
        "entities": [], "proof": [], "source": "test", "answers": [{"type": "text", "value": format!("gold {id}")}],
    });
    serde_json::from_value(line).unwrap()
}

/// The project as it would be on disk.
#[derive(Clone)]
pub(crate) struct Simulation {
    pub(crate) start: ProjectState,
    pub(crate) state: ProjectState,
    pub(crate) records: Vec<StoredRecord<Event>>,
    pub(crate) now: Moment,
    pub(crate) random: Random,
    pub(crate) people: Vec<String>,
    /// Chances in a hundred.
    pub(crate) skips: u64,
    pub(crate) confused: u64,
    pub(crate) late: u64,
    pub(crate) undoes: u64,
}

impl Simulation {
    pub(crate) fn new(rules: ProjectRules, tasks: Vec<Task>, n_people: usize, seed: u64) -> Simulation {
        let start = ProjectState::new(rules, Arc::new(tasks));
        let people: Vec<String> = (1..=n_people).map(|n| format!("p{n}")).collect();
        let mut simulation = Simulation {
            state: start.clone(),
            start,
            records: Vec::new(),
            now: Moment::from_millis(1_794_853_201_000),
            random: Random::new(seed, "simulation"),
            people,
            skips: 0,
            confused: 0,
            late: 0,
            undoes: 0,
        };
        let members = simulation.people.iter().map(|person| (person.clone(), Role::Annotator));
        let owner = ("p0".to_owned(), Role::Owner);
        let members: BTreeMap<String, Role> = members.chain([owner]).collect();
        let change = SettingsChange { rules: None, members: Some(members) };
        simulation.submit(NewRecord::new("p0", Event::Settings(change))).unwrap();
        simulation
    }

    /// Checks and applies a record, as a store does.
    pub(crate) fn submit(&mut self, record: NewRecord<Event>) -> Result<bool, Refusal> {
        self.state.check(&record, self.now)?;
        let n = self.records.len() as u64 + 1;
        let NewRecord { by, task, attempt, event } = record;
        let stored = StoredRecord { n, at: self.now, by, task, attempt, event, after: String::new() };
        self.records.push(stored.clone());
        Ok(self.state.apply(stored))
    }

    /// The state that the records give, read again.
    pub(crate) fn replayed(&self) -> ProjectState {
        let mut state = self.start.clone();
        for record in &self.records {
            state.apply(record.clone());
        }
        state
    }

    /// One step of one person: asks for a task and does something with it. Returns whether there was one.
    pub(crate) fn step(&mut self, person: &str, activity: Activity) -> bool {
        let now = self.now;
        let next = self.state.next_task(person, activity, now);
        assert_eq!(next, self.state.next_task(person, activity, now), "the same state gives the same task");
        let NextTask::Task(assignment) = next else { return false };
        let (task, of) = (assignment.task, assignment.of);
        let about = |event| NewRecord::about(person, &task, event);
        if assignment.leased_until.is_none() {
            let until = now.plus_seconds(self.state.rules.lease_minutes * 60);
            self.submit(about(Event::Leased(Leased { activity, of, until }))).unwrap();
        }
        let chance = self.random.below(100) as u64;
        if chance < self.skips {
            let skipped = SkippedTask { activity, of, comment: String::new() };
            self.submit(about(Event::Skipped(skipped))).unwrap();
            return true;
        }
        if chance < self.skips + self.confused {
            let mark = ConfusingTask { cause: ConfusionCause::Other, comment: String::new() };
            // A person can only say it once.
            let _ = self.submit(about(Event::Confusing(mark)));
            return true;
        }
        if chance < self.skips + self.confused + self.late {
            match self.random.below(3) {
                // Goes away; the lease ends by itself.
                0 => return true,
                1 => {
                    self.submit(about(Event::Released(Released { activity, of }))).unwrap();
                    return true;
                }
                // Comes back after the lease.
                _ => self.now = now.plus_seconds(self.state.rules.lease_minutes * 60 + 1),
            }
        }
        let n = self.records.len() as u64 + 1;
        let event = self.contribution(&task, activity, of);
        self.submit(about(event)).unwrap();
        if self.random.percent(self.undoes) {
            self.submit(NewRecord::about(person, &task, Event::Undone(Undone { of: n }))).unwrap();
        }
        self.now = self.now.plus_seconds(20);
        true
    }

    pub(crate) fn contribution(&mut self, task: &str, activity: Activity, of: u64) -> Event {
        let seconds = 1.0 + self.random.below(600) as f64 / 10.0;
        let n = self.records.len() + 1;
        let text = format!("Could somebody tell me the answer to number {n}, please?");
        match activity {
            Activity::Write => Event::Written(WrittenText { text, seconds, ..WrittenText::default() }),
            Activity::Paraphrase => {
                Event::Paraphrased(ParaphrasedText { text, seconds, ..ParaphrasedText::default() })
            }
            Activity::Judge => {
                // Texts differ in how good they are, so that judges agree to some extent.
                let is_good = !of.is_multiple_of(3);
                let same = match (self.random.below(10), is_good) {
                    (0, _) => SameMeaning::Unsure,
                    (1, true) | (2..=9, false) => SameMeaning::No,
                    _ => SameMeaning::Yes,
                };
                let fluency = 1 + (of as usize % 3 + self.random.below(3)) as u8;
                Event::Judged(JudgedText { of, same, fluency, differs: Vec::new(), seconds })
            }
            Activity::Answer => {
                let gold = self.state.task_state(task).is_some() && self.random.percent(70);
                let at = self.state.place(task).unwrap();
                let answers = match gold {
                    true => self.state.tasks[at].question.answers.clone(),
                    false => vec![Answer::plain(format!("guess {}", self.random.below(3)))],
                };
                Event::Answered(AnsweredQuestion { answers, seconds, ..AnsweredQuestion::default() })
            }
            Activity::Compare => {
                let texts: Vec<u64> = {
                    let state = self.state.task_state(task).unwrap();
                    state.texts.iter().filter(|text| !text.undone).map(|text| text.n).collect()
                };
                let groups = match self.random.below(3) {
                    0 => texts.iter().map(|text| vec![*text]).collect(),
                    1 => vec![texts[..1].to_vec(), texts[1..].to_vec()],
                    _ => vec![texts],
                };
                Event::Compared(ComparedTexts { groups, seconds, ..ComparedTexts::default() })
            }
        }
    }

    /// Lets everybody work until nobody has anything to do.
    pub(crate) fn run(&mut self) {
        let activities: Vec<Activity> = self.state.rules.activities().collect();
        let mut idle = 0;
        for turn in 0.. {
            assert!(turn < 200_000, "the project does not end");
            let person = self.people[self.random.below(self.people.len())].clone();
            let activity = activities[self.random.below(activities.len())];
            if self.step(&person, activity) {
                idle = 0;
                continue;
            }
            idle += 1;
            if idle % 40 == 0 {
                // Leases end.
                self.now = self.now.plus_seconds(self.state.rules.lease_minutes * 60 + 1);
            }
            let nobody = |simulation: &Simulation| {
                simulation.people.iter().all(|person| {
                    activities.iter().all(|activity| {
                        simulation.state.next_task(person, *activity, simulation.now).task().is_none()
                    })
                })
            };
            if idle > 80 && nobody(self) {
                return;
            }
        }
    }
}

/// Rules and tasks of a small random project.
pub(crate) fn random_project(seed: u64) -> (ProjectRules, Vec<Task>, usize) {
    let mut random = Random::new(seed, "project");
    let mut rules = ProjectRules { lease_minutes: 1 + random.below(40) as u32, ..ProjectRules::default() };
    let judges = 1 + random.below(5);
    let judge = JudgeRules { judges, min_same: 1 + random.below(judges), min_fluency: 2.0 };
    let n_tasks = 1 + random.below(8);
    let mut people = 1 + random.below(7);
    let mut tasks: Vec<Task> = Vec::new();
    let mut needed = judges + 1;
    let kind = random.below(4);
    match kind {
        0 => {
            let attempts = 1 + random.below(3);
            rules.paraphrase = Some(ParaphraseRules { attempts, min_distance: 0.15, min_changed_words: 2 });
            rules.judge = Some(judge);
            rules.confusing_removes = random.percent(50);
            needed = needed.max(attempts);
        }
        1 => {
            let pilot_writers = 2 + random.below(2);
            let shares = if random.percent(50) { Shares::Equal } else { Shares::Open };
            rules.write = Some(WriteRules { writers: 1, pilot_writers, shares });
            rules.compare = Some(CompareRules { comparers: 1 + random.below(2) });
            needed = pilot_writers;
        }
        2 => {
            let overlap = 1 + random.below(3);
            rules.answer = Some(AnswerRules { overlap, tools: AnswerTools::Browse, choices: false });
            needed = overlap;
        }
        _ => {
            rules.judge = Some(judge);
            needed = judges;
        }
    }
    // In some projects there are too few people.
    if random.percent(70) {
        people = people.max(needed);
    }
    for n in 1..=n_tasks {
        let id = format!("t{n}");
        let shape = ["chain", "star", "tree"][random.below(3)];
        let text = format!("What is the answer to question {n}?");
        let mut task = Task::new(&id, question(&format!("q{n}"), shape, &text, &[]));
        if kind == 1 && random.percent(30) {
            task.role = TaskRole::Pilot;
        }
        if kind == 3 {
            task.text = Some(format!("The answer to question {n} is what?"));
        }
        if rules.judge.is_some() && random.percent(15) {
            task.role = TaskRole::Control;
            task.text = Some(format!("What is not the answer to question {n}?"));
            task.expected = Some(SameMeaning::No);
        }
        tasks.push(task);
    }
    (rules, tasks, people)
}

/// Whether every task can be finished: enough people, whatever is rejected.
pub(crate) fn people_suffice(rules: &ProjectRules, tasks: &[Task], people: usize) -> bool {
    let judges = rules.judge.as_ref().map_or(0, |judge| judge.judges);
    let writes = rules.paraphrase.is_some();
    let of_judges = if writes { judges + 1 } else { judges };
    let attempts = rules.paraphrase.as_ref().map_or(0, |rules| rules.attempts);
    let has_pilot = tasks.iter().any(|task| task.role == TaskRole::Pilot);
    let writers = rules.write.as_ref().map_or(0, |write| if has_pilot { write.pilot_writers } else { 1 });
    let comparers = rules.compare.as_ref().map_or(0, |compare| compare.comparers);
    let overlap = rules.answer.as_ref().map_or(0, |answer| answer.overlap);
    let needed = [of_judges, attempts, writers, comparers, overlap].into_iter().max().unwrap();
    people >= needed
}

/// The people who did something with a task or a text, with repetitions.
pub(crate) fn doers(simulation: &Simulation) -> BTreeMap<(String, Activity, u64), Vec<String>> {
    let undone: BTreeSet<u64> = simulation
        .records
        .iter()
        .filter_map(|record| if let Event::Undone(undone) = &record.event { Some(undone.of) } else { None })
        .collect();
    let mut doers: BTreeMap<(String, Activity, u64), Vec<String>> = BTreeMap::new();
    for record in simulation.records.iter().filter(|record| !undone.contains(&record.n)) {
        if let Some((activity, of)) = record.event.contribution() {
            let task = record.task.clone().unwrap();
            doers.entry((task, activity, of)).or_default().push(record.by.clone());
        }
    }
    doers
}
