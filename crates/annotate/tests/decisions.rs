//! What adjudicators decide, what authors may change, training, and rules that change later.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use support::{Simulation, question};
use touchstone_annotate::{
    Activity, Adjudication, CompareRules, ComparedTexts, ConfusingTask, ConfusionCause, Decision,
    DecisionCause, DisputeReason, Event, JudgeRules, JudgedText, Moment, NewRecord, NextTask, NothingLeft,
    ParaphraseRules, ParaphrasedText, People, PeopleError, ProjectRules, Refusal, Revision, Role,
    SameMeaning, SettingsChange, Shares, SubmitError, Task, TaskRole, TaskVerdict, Undone, WriteRules,
    WrittenText,
};

fn paraphrasing(judges: usize, min_same: usize) -> ProjectRules {
    ProjectRules {
        paraphrase: Some(ParaphraseRules { attempts: 2, min_distance: 0.15, min_changed_words: 2 }),
        judge: Some(JudgeRules { judges, min_same, min_fluency: 3.0 }),
        ..ProjectRules::default()
    }
}

/// A project of one task with five annotators, the owner `p0`, and the adjudicator `p9`.
fn project(rules: ProjectRules, role: TaskRole) -> Simulation {
    let task =
        Task { role, ..Task::new("t1", question("q1", "chain", "What is the answer to it all?", &[])) };
    let mut simulation = Simulation::new(rules, vec![task], 5, 1);
    let mut members = simulation.state.members.clone();
    members.insert("p9".to_owned(), Role::Adjudicator);
    let change = SettingsChange { rules: None, members: Some(members) };
    simulation.submit(NewRecord::new("p0", Event::Settings(change))).unwrap();
    simulation
}

impl Simulation {
    /// Submits a record about the task and returns its number.
    fn add(&mut self, by: &str, event: Event) -> Result<u64, Refusal> {
        self.submit(NewRecord::about(by, "t1", event)).map(|_| self.records.len() as u64)
    }

    fn paraphrase(&mut self, by: &str) -> u64 {
        let text = format!("Could {by} be told the reply to everything?");
        self.add(by, Event::Paraphrased(ParaphrasedText { text, ..ParaphrasedText::default() })).unwrap()
    }

    fn judge(&mut self, by: &str, of: u64, same: SameMeaning, fluency: u8) -> u64 {
        let judged = JudgedText { of, same, fluency, differs: Vec::new(), seconds: 1.0 };
        self.add(by, Event::Judged(judged)).unwrap()
    }

    fn decide(
        &mut self,
        by: &str,
        decision: Decision,
        of: u64,
        text: &str,
        note: &str,
    ) -> Result<u64, Refusal> {
        let text = (!text.is_empty()).then(|| text.to_owned());
        let cause = DecisionCause::Ambiguous;
        self.add(by, Event::Adjudicated(Adjudication { decision, of, text, cause, note: note.to_owned() }))
    }

    fn verdict(&self) -> TaskVerdict {
        self.state.states[0].verdict
    }
}

#[test]
fn verdicts_follow_from_the_rules() {
    use SameMeaning::{No, Unsure, Yes};
    use TaskVerdict::{Approved, Disputed, Rejected, Waiting};
    // Three of four must say the same, with a mean fluency of 3; there is one attempt.
    for (said, fluency, expected) in [
        ([Yes, Yes, Yes, No], [3, 3, 3, 3], Approved),
        ([Yes, Yes, Yes, No], [3, 3, 3, 2], Rejected),
        ([Yes, Yes, No, No], [5, 5, 5, 5], Rejected),
        ([Yes, Yes, No, Unsure], [5, 5, 5, 5], Disputed),
        ([Unsure, Unsure, Unsure, Unsure], [5, 5, 5, 5], Disputed),
    ] {
        let mut rules = paraphrasing(4, 3);
        rules.paraphrase.as_mut().unwrap().attempts = 1;
        let mut simulation = project(rules, TaskRole::Ordinary);
        let of = simulation.paraphrase("p1");
        for (at, (same, fluency)) in said.into_iter().zip(fluency).enumerate() {
            assert_eq!(simulation.verdict(), Waiting);
            simulation.judge(&format!("p{}", at + 2), of, same, fluency);
        }
        assert_eq!(simulation.verdict(), expected, "{said:?} {fluency:?}");
    }
}

#[test]
fn adjudicators_settle_what_rules_do_not() {
    let disputed = || {
        let mut simulation = project(paraphrasing(4, 3), TaskRole::Ordinary);
        let of = simulation.paraphrase("p1");
        for (person, same) in [
            ("p2", SameMeaning::Yes),
            ("p3", SameMeaning::Yes),
            ("p4", SameMeaning::Unsure),
            ("p5", SameMeaning::No),
        ] {
            simulation.judge(person, of, same, 4);
        }
        (simulation, of)
    };
    let (simulation, of) = disputed();
    let disputes = simulation.state.disputes();
    assert_eq!((disputes.len(), disputes[0].reason), (1, DisputeReason::Undecided));
    assert_eq!(disputes[0].agreement, 0.5);
    for (decision, text, verdict) in [
        (Decision::Take, "", TaskVerdict::Approved),
        (Decision::Edit, "What is it, then?", TaskVerdict::Approved),
        (Decision::Reject, "", TaskVerdict::Rejected),
        (Decision::Remove, "", TaskVerdict::Removed),
    ] {
        let (mut simulation, of) = disputed();
        simulation.decide("p9", decision, of, text, "because").unwrap();
        assert_eq!(simulation.verdict(), verdict, "{decision:?}");
        assert!(simulation.state.disputes().is_empty());
        let late = simulation.add("p5", Event::Undone(Undone { of: of + 4 }));
        assert!(matches!(late, Err(Refusal::TooLate { .. })), "{late:?}");
    }
    let (mut simulation, _) = disputed();
    for (by, decision, text, note) in [
        ("p1", Decision::Take, "", ""),
        ("p9", Decision::Edit, "", "because"),
        ("p9", Decision::Edit, "What is it, then?", ""),
        ("p9", Decision::Remove, "", ""),
    ] {
        let refused = simulation.decide(by, decision, of, text, note);
        assert!(refused.is_err(), "{by} {decision:?}");
    }
    // Somebody who contributed does not settle the task, whatever the role.
    let mut members = simulation.state.members.clone();
    members.insert("p2".to_owned(), Role::Adjudicator);
    let change = SettingsChange { rules: None, members: Some(members) };
    simulation.submit(NewRecord::new("p0", Event::Settings(change))).unwrap();
    assert_eq!(simulation.decide("p2", Decision::Take, of, "", ""), Err(Refusal::OwnWork));
    // Somebody else is asked, and the new text is judged.
    simulation.decide("p9", Decision::Another, 0, "", "").unwrap();
    assert_eq!(simulation.verdict(), TaskVerdict::Waiting);
    let next = simulation.state.next_task("p3", Activity::Paraphrase, simulation.now);
    assert!(next.task().is_some());
    let second = simulation.paraphrase("p3");
    for person in ["p1", "p2", "p4", "p5"] {
        simulation.judge(person, second, SameMeaning::Yes, 5);
    }
    assert_eq!(simulation.verdict(), TaskVerdict::Approved);
}

#[test]
fn authors_change_their_work_until_others_build_on_it() {
    let mut simulation = project(paraphrasing(2, 1), TaskRole::Ordinary);
    let of = simulation.paraphrase("p1");
    let other = |text: &str| {
        let text = text.to_owned();
        Box::new(Event::Paraphrased(ParaphrasedText { text, ..ParaphrasedText::default() }))
    };
    let revise = |event| Event::Revised(Revision { of, event });
    assert_eq!(simulation.add("p2", revise(other("Mine, not yours, is it?"))), Err(Refusal::NotTheAuthor));
    simulation.add("p1", revise(other("Would somebody reveal the reply to everything?"))).unwrap();
    let text = &simulation.state.states[0].texts[0];
    assert_eq!((text.n, text.body.text.as_str()), (of, "Would somebody reveal the reply to everything?"));
    let wrong = Box::new(Event::Judged(JudgedText {
        of,
        same: SameMeaning::Yes,
        fluency: 1,
        differs: Vec::new(),
        seconds: 0.0,
    }));
    assert!(matches!(simulation.add("p1", revise(wrong)), Err(Refusal::OtherKind { .. })));
    let judged = simulation.judge("p2", of, SameMeaning::No, 3);
    let late = simulation.add("p1", revise(other("Too late for this one?")));
    assert!(matches!(late, Err(Refusal::TooLate { .. })), "{late:?}");
    // The judgement is taken back, so the text can be.
    simulation.add("p2", Event::Undone(Undone { of: judged })).unwrap();
    simulation.add("p1", Event::Undone(Undone { of })).unwrap();
    assert_eq!(simulation.state.progress().activities[&Activity::Paraphrase].done, 0);
    let again = simulation.paraphrase("p1");
    assert!(again > of);
    assert_eq!(simulation.replayed().progress(), simulation.state.progress());
}

#[test]
fn pilots_are_settled_by_comparison() {
    let rules = ProjectRules {
        write: Some(WriteRules { writers: 1, pilot_writers: 3, shares: Shares::Open }),
        compare: Some(CompareRules { comparers: 1 }),
        ..ProjectRules::default()
    };
    let mut simulation = project(rules, TaskRole::Pilot);
    let write = |simulation: &mut Simulation, by: &str| {
        let text = format!("What would {by} reply?");
        simulation.add(by, Event::Written(WrittenText { text, ..WrittenText::default() })).unwrap()
    };
    let mut texts: Vec<u64> = ["p1", "p2", "p3"].map(|by| write(&mut simulation, by)).to_vec();
    let compare =
        |groups: Vec<Vec<u64>>| Event::Compared(ComparedTexts { groups, ..ComparedTexts::default() });
    let partial = simulation.add("p1", compare(vec![texts[..2].to_vec()]));
    assert_eq!(partial, Err(Refusal::Groups { texts: texts.clone() }));
    let all_differ = compare(texts.iter().map(|text| vec![*text]).collect());
    simulation.add("p1", all_differ).unwrap();
    assert_eq!(simulation.verdict(), TaskVerdict::Disputed);
    assert_eq!(simulation.state.disputes()[0].reason, DisputeReason::DifferentTexts);
    // One more writes, and the texts are compared again.
    simulation.decide("p9", Decision::Another, 0, "", "").unwrap();
    assert_eq!(simulation.verdict(), TaskVerdict::Waiting);
    texts.push(write(&mut simulation, "p4"));
    let groups = vec![vec![texts[0], texts[1], texts[3]], vec![texts[2]]];
    simulation.add("p1", compare(groups)).unwrap();
    assert_eq!(simulation.verdict(), TaskVerdict::Approved);
    let writing = simulation.state.agreement().writing.unwrap();
    assert_eq!((writing.all_agree.count, writing.two_agree.count), (0, 1));
}

#[test]
fn confusing_tasks_are_removed_or_settled() {
    for removes in [true, false] {
        let rules = ProjectRules { confusing_removes: removes, ..paraphrasing(2, 1) };
        let mut simulation = project(rules, TaskRole::Ordinary);
        let of = simulation.paraphrase("p1");
        let mark = ConfusingTask { cause: ConfusionCause::FactsWrong, comment: String::new() };
        simulation.add("p2", Event::Confusing(mark.clone())).unwrap();
        let expected = if removes { TaskVerdict::Removed } else { TaskVerdict::Disputed };
        assert_eq!(simulation.verdict(), expected);
        assert_eq!(simulation.add("p2", Event::Confusing(mark)), Err(Refusal::DoneBefore));
        let next = simulation.state.next_task("p3", Activity::Judge, simulation.now);
        assert_eq!(next, NextTask::Nothing(NothingLeft::AllDone));
        // Work that was under way is kept.
        simulation.judge("p3", of, SameMeaning::Yes, 5);
        assert_eq!(simulation.verdict(), expected);
    }
}

#[test]
fn training_comes_first_and_is_counted_apart() {
    let text = |n: usize| Some(format!("The reply to number {n} is what?"));
    let make = |n: usize, role| Task {
        role,
        text: text(n),
        expected: (role == TaskRole::Training).then_some(SameMeaning::Yes),
        ..Task::new(&format!("t{n}"), question(&format!("q{n}"), "chain", "What is it?", &[]))
    };
    let tasks = (1..=6).map(|n| make(n, if n > 4 { TaskRole::Training } else { TaskRole::Ordinary }));
    let rules = ProjectRules {
        judge: Some(JudgeRules { judges: 2, min_same: 1, min_fluency: 1.0 }),
        ..ProjectRules::default()
    };
    let mut simulation = Simulation::new(rules, tasks.collect(), 3, 1);
    simulation.run();
    let progress = simulation.state.progress();
    assert_eq!((progress.tasks, progress.training, progress.verdicts.total()), (6, 2, 4));
    assert_eq!(progress.activities[&Activity::Judge].done, 8, "without training");
    for person in &simulation.people {
        let own = simulation.records.iter().filter(|record| record.by == *person);
        let judged: Vec<&str> = own
            .filter(|record| matches!(record.event, Event::Judged(_)))
            .map(|record| record.task.as_deref().unwrap())
            .collect();
        assert!(
            judged.len() >= 2 && judged[..2].iter().all(|task| ["t5", "t6"].contains(task)),
            "{judged:?}"
        );
    }
}

#[test]
fn rules_that_change_later_change_verdicts() {
    let mut simulation = project(paraphrasing(2, 2), TaskRole::Ordinary);
    let of = simulation.paraphrase("p1");
    simulation.judge("p2", of, SameMeaning::Yes, 5);
    simulation.judge("p3", of, SameMeaning::No, 5);
    assert_eq!(simulation.verdict(), TaskVerdict::Waiting, "another paraphrase is wanted");
    let change = |rules| Event::Settings(SettingsChange { rules: Some(rules), members: None });
    simulation.submit(NewRecord::new("p0", change(paraphrasing(2, 1)))).unwrap();
    assert_eq!(simulation.verdict(), TaskVerdict::Approved);
    let refused = simulation.submit(NewRecord::new("p0", change(paraphrasing(2, 3))));
    assert!(matches!(refused, Err(Refusal::Rules(_))), "{refused:?}");
    let members = BTreeMap::from([("p1".to_owned(), Role::Annotator)]);
    let change = SettingsChange { rules: None, members: Some(members) };
    assert_eq!(simulation.submit(NewRecord::new("p0", Event::Settings(change))), Err(Refusal::NoOwner));
}

#[test]
fn links_expire_and_are_revoked() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("people.jsonl");
    let people = People::open(&file).unwrap();
    let now = Moment::from_millis(1_794_853_201_000);
    let owner = people.add("Grace", Role::Owner, "en", "", now).unwrap();
    let ada = people.add("Ada", Role::Annotator, "en", &owner, now).unwrap();
    assert_eq!((owner.as_str(), ada.as_str()), ("p1", "p2"));
    let short = people.issue_token(&ada, Some(now.plus_seconds(60)), &owner, now).unwrap();
    let long = people.issue_token(&ada, None, &owner, now).unwrap();
    assert_eq!((short.len(), short == long), (32, false));
    let who = |people: &People, token: &str, now| people.state().of_token(token, now).map(|p| p.name.clone());
    assert_eq!(who(&people, &short, now), Some("Ada".to_owned()));
    assert_eq!(who(&people, &short, now.plus_seconds(60)), None);
    people.rename(&ada, "Ada L.", &ada, now).unwrap();
    for refused in [
        people.add("Eve", Role::Owner, "en", &ada, now).map(|_| ()),
        people.set_role(&owner, Role::Viewer, &owner, now).map(|_| ()),
        people.add(" ", Role::Viewer, "en", &owner, now).map(|_| ()),
        people.rename(&owner, "Eve", &ada, now).map(|_| ()),
    ] {
        assert!(matches!(refused, Err(PeopleError::Submit(SubmitError::Refused(_)))), "{refused:?}");
    }
    // What is on disk does not contain a token.
    drop(people);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains(&long) && text.contains("Ada L."));
    let people = People::open(&file).unwrap();
    assert_eq!(who(&people, &long, now), Some("Ada L.".to_owned()));
    people.revoke(&ada, &owner, now).unwrap();
    assert_eq!((who(&people, &long, now), people.state().get(&ada).unwrap().epoch), (None, 1));
    let again = people.issue_token(&ada, None, &owner, now).unwrap();
    assert_eq!(who(&people, &again, now), Some("Ada L.".to_owned()));
}
