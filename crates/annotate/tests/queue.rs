//! Simulated projects: nobody judges own texts, nobody does a task twice, overlap is exact, leases end, all projects end, and the same journal gives
//! the same next task.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use support::{Simulation, doers, people_suffice, random_project};
use touchstone_annotate::{Activity, Event, TaskRole, TaskVerdict};

/// Number of projects. Debug builds try fewer.
const PROJECTS: u64 = if cfg!(debug_assertions) { 2_000 } else { 10_000 };

fn check_people(simulation: &Simulation, seed: u64) {
    let authors: BTreeMap<u64, &str> =
        simulation.records.iter().map(|record| (record.n, record.by.as_str())).collect();
    for ((task, activity, of), people) in doers(simulation) {
        let mut different = people.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), people.len(), "project {seed}: {task} {activity} {of} by {people:?}");
        if activity == Activity::Judge && of > 0 {
            assert!(!people.iter().any(|person| person == authors[&of]), "project {seed}: own text {of}");
        }
    }
}

/// Counts add up, whatever happened.
fn check_counts(simulation: &Simulation, seed: u64) {
    let progress = simulation.state.progress();
    let n = simulation.state.tasks.len();
    assert_eq!(progress.tasks, n, "project {seed}");
    let parts = progress.verdicts.total() + progress.controls.total() + progress.training;
    assert_eq!(parts, n, "project {seed}: {progress:?}");
    let by_shape: usize = progress.by_shape.values().map(|counts| counts.total()).sum();
    assert_eq!(by_shape, progress.verdicts.total(), "project {seed}");
    let mut contributed: BTreeMap<Activity, usize> = BTreeMap::new();
    for person in progress.people.values() {
        for (activity, n) in &person.done {
            *contributed.entry(*activity).or_default() += n;
        }
    }
    for (activity, counts) in &progress.activities {
        assert_eq!(counts.done + counts.left, counts.wanted, "project {seed}: {activity}");
        let by_people = contributed.get(activity).copied().unwrap_or(0);
        assert_eq!(counts.done + counts.surplus, by_people, "project {seed}: {activity}");
    }
}

/// The same records give the same state: next tasks, verdicts and counts.
fn check_replay(simulation: &Simulation, seed: u64) {
    let again = simulation.replayed();
    assert_eq!(again.progress(), simulation.state.progress(), "project {seed}");
    for person in &simulation.people {
        for activity in simulation.state.rules.activities() {
            let next =
                |state: &touchstone_annotate::ProjectState| state.next_task(person, activity, simulation.now);
            assert_eq!(next(&again), next(&simulation.state), "project {seed}: {person} {activity}");
        }
    }
}

#[test]
fn well_behaved_people_finish_every_project_with_exact_overlap() {
    let mut ended = 0;
    for seed in 0..PROJECTS {
        let (rules, tasks, people) = random_project(seed);
        let suffices = people_suffice(&rules, &tasks, people);
        let mut simulation = Simulation::new(rules.clone(), tasks, people, seed);
        simulation.run();
        check_people(&simulation, seed);
        check_counts(&simulation, seed);
        if seed % 5 == 0 {
            check_replay(&simulation, seed);
        }
        // With a lease for everything, nothing is done more often than wanted.
        let progress = simulation.state.progress();
        for (activity, counts) in &progress.activities {
            assert_eq!(counts.surplus, 0, "project {seed}: {activity}");
        }
        if suffices {
            ended += 1;
            assert_eq!(progress.verdicts.waiting, 0, "project {seed}: {progress:?}");
            assert_eq!(progress.controls.waiting, 0, "project {seed}");
            for state in &simulation.state.states {
                for unit in state.units() {
                    assert!(!unit.is_open(), "project {seed}: {unit:?} is open at the end");
                }
            }
        }
    }
    assert!(ended > PROJECTS / 2, "only {ended} projects could end");
}

#[test]
fn people_who_leave_skip_undo_and_come_late_harm_nothing() {
    for seed in 0..PROJECTS {
        let (rules, tasks, people) = random_project(seed);
        let suffices = people_suffice(&rules, &tasks, people);
        let mut simulation = Simulation::new(rules, tasks, people, seed);
        // Half of the projects have nobody who skips or is confused, so that they must end.
        let is_willing = seed % 2 == 0;
        (simulation.skips, simulation.confused) = if is_willing { (0, 0) } else { (5, 3) };
        (simulation.late, simulation.undoes) = (10, 5);
        simulation.run();
        check_people(&simulation, seed);
        check_counts(&simulation, seed);
        if seed % 5 == 0 {
            check_replay(&simulation, seed);
        }
        if suffices && is_willing {
            assert_eq!(simulation.state.progress().verdicts.waiting, 0, "project {seed}");
        }
    }
}

#[test]
fn skipped_tasks_do_not_come_back() {
    for seed in 0..PROJECTS / 10 {
        let (rules, tasks, people) = random_project(seed);
        let mut simulation = Simulation::new(rules, tasks, people, seed);
        simulation.skips = 40;
        simulation.run();
        let mut skipped = std::collections::BTreeSet::new();
        for record in &simulation.records {
            let key = |activity, of| (record.by.clone(), record.task.clone(), activity, of);
            match &record.event {
                Event::Skipped(skip) => {
                    assert!(skipped.insert(key(skip.activity, skip.of)), "project {seed}: skipped twice");
                }
                Event::Leased(lease) => {
                    assert!(
                        !skipped.contains(&key(lease.activity, lease.of)),
                        "project {seed}: it came back"
                    );
                }
                _ => {}
            }
        }
    }
}

#[test]
fn controls_and_pilots_end_as_they_should() {
    let mut seen = [0, 0];
    for seed in 0..PROJECTS / 4 {
        let (rules, tasks, people) = random_project(seed);
        if !people_suffice(&rules, &tasks, people) {
            continue;
        }
        let mut simulation = Simulation::new(rules, tasks, people, seed);
        simulation.run();
        for (task, state) in simulation.state.tasks.iter().zip(&simulation.state.states) {
            match task.role {
                TaskRole::Control => {
                    seen[0] += 1;
                    assert_ne!(state.verdict, TaskVerdict::Approved, "a wrong text is never approved");
                }
                TaskRole::Pilot => {
                    seen[1] += 1;
                    let last_write = state.texts.iter().map(|text| text.n).max().unwrap();
                    assert!(state.comparisons.iter().all(|compared| compared.n > last_write));
                    // What comes after the pilot begins when the pilot is done.
                    let compared = state.comparisons.iter().map(|compared| compared.n).min().unwrap();
                    let early = simulation.records.iter().filter(|record| record.n < compared);
                    for record in early.filter(|record| matches!(record.event, Event::Written(_))) {
                        let at = simulation.state.place(record.task.as_ref().unwrap()).unwrap();
                        assert_eq!(simulation.state.tasks[at].role, TaskRole::Pilot, "project {seed}");
                    }
                }
                TaskRole::Ordinary | TaskRole::Training => {}
            }
        }
    }
    assert!(seen.iter().all(|n| *n > 50), "{seen:?}");
}
