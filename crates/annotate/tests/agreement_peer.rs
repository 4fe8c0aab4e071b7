//! Verdicts and agreement of 1,000 simulated journals compared with an independent computation in Python (`krippendorff`, `statsmodels`):
//! `TOUCHSTONE_TEXT_PYTHON=$(tools/peers/install.sh target/peers) cargo test`.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value as Json, json};
use std::path::Path;
use std::process::Command;
use support::{Simulation, question};
use touchstone_annotate::agreement::{
    Metric, Ratings, cohen_kappa, fleiss_kappa, krippendorff_alpha, wilson,
};
use touchstone_annotate::{
    JudgeRules, ParaphraseRules, ProjectRules, SameMeaning, Task, TaskRole, TaskVerdict,
};
use touchstone_benchmark::Random;

const JOURNALS: u64 = 1000;

/// A project whose texts are judged, in some state of progress.
fn project(seed: u64) -> Simulation {
    let mut random = Random::new(seed, "peer");
    let judges = 2 + random.below(4);
    let judge = JudgeRules {
        judges,
        min_same: 1 + random.below(judges),
        min_fluency: [1.0, 2.0, 2.5, 3.0][random.below(4)],
    };
    let rules = ProjectRules {
        paraphrase: Some(ParaphraseRules {
            attempts: 1 + random.below(3),
            min_distance: 0.15,
            min_changed_words: 2,
        }),
        judge: Some(judge),
        confusing_removes: random.percent(50),
        ..ProjectRules::default()
    };
    let tasks = (1..=8 + random.below(30)).map(|n| {
        let text = format!("What is the answer to question {n}?");
        let mut task = Task::new(&format!("t{n}"), question(&format!("q{n}"), "chain", &text, &[]));
        if random.percent(15) {
            task.role = TaskRole::Control;
            task.text = Some(format!("What is not the answer to question {n}?"));
            task.expected = Some(SameMeaning::No);
        }
        task
    });
    let tasks: Vec<Task> = tasks.collect();
    let people = judges + 1 + random.below(3);
    let mut simulation = Simulation::new(rules, tasks, people, seed);
    // Texts of removed tasks have fewer judges, and Fleiss' kappa is then not defined.
    (simulation.confused, simulation.late) = (u64::from(seed.is_multiple_of(3)), 5);
    if !seed.is_multiple_of(4) {
        simulation.run();
        return simulation;
    }
    // Not all projects are finished.
    for _ in 0..random.below(300) {
        let person = simulation.people[random.below(people)].clone();
        let activities: Vec<_> = simulation.state.rules.activities().collect();
        simulation.step(&person, activities[random.below(2)]);
    }
    simulation
}

/// The project as Python reads it.
fn line(simulation: &Simulation) -> Json {
    let lines = simulation.records.iter().map(|record| record.line().unwrap().get().to_owned());
    let records: Vec<Json> = lines.map(|line| serde_json::from_str(&line).unwrap()).collect();
    json!({"rules": simulation.state.rules, "tasks": *simulation.state.tasks, "records": records})
}

fn same(ours: Option<f64>, theirs: &Json, what: &str) -> bool {
    match (ours, theirs.as_f64()) {
        (Some(ours), Some(theirs)) => {
            assert!((ours - theirs).abs() < 1e-9, "{what}: {ours} against {theirs}");
            true
        }
        (None, None) => false,
        (ours, theirs) => panic!("{what}: {ours:?} against {theirs:?}"),
    }
}

/// Compares the coefficients of some ratings, and counts those that are defined.
fn compare(ratings: &Ratings, metric: Metric, theirs: &Json, what: &str, defined: &mut [usize; 3]) {
    let alpha = krippendorff_alpha(ratings, metric).ok();
    defined[0] += usize::from(same(alpha, &theirs["alpha"], &format!("{what}: alpha")));
    let interval = krippendorff_alpha(ratings, Metric::Interval).ok();
    same(interval, &theirs["interval"], &format!("{what}: interval"));
    let fleiss = fleiss_kappa(ratings).ok();
    defined[1] += usize::from(same(fleiss, &theirs["fleiss"], &format!("{what}: Fleiss")));
    let people: Vec<&str> = ratings.people().into_iter().collect();
    for (at, a) in people.iter().enumerate() {
        for b in &people[at + 1..] {
            let kappa = cohen_kappa(ratings, a, b).0.ok();
            let theirs = &theirs["pairs"][format!("{a} {b}")];
            // With one value only they differ in what they call it, never in a value.
            defined[2] += usize::from(same(kappa, theirs, &format!("{what}: {a} {b}")));
        }
    }
}

#[test]
fn figures_are_those_of_the_packages() {
    let Some(python) = touchstone_testing::variable("TOUCHSTONE_TEXT_PYTHON") else { return };
    let simulations: Vec<Simulation> = (0..JOURNALS).map(project).collect();
    let dir = tempfile::tempdir().unwrap();
    let (asked, out) = (dir.path().join("projects.jsonl"), dir.path().join("out.jsonl"));
    let lines: Vec<String> = simulations.iter().map(|simulation| line(simulation).to_string()).collect();
    std::fs::write(&asked, lines.join("\n")).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/agreement.py");
    assert!(Command::new(python).arg(script).args([&asked, &out]).status().unwrap().success());
    let theirs = std::fs::read_to_string(out).unwrap();
    assert_eq!(theirs.lines().count(), simulations.len());
    let (mut of_same, mut of_fluency) = ([0; 3], [0; 3]);
    let mut verdicts = [0; 5];
    for (seed, (simulation, theirs)) in simulations.iter().zip(theirs.lines()).enumerate() {
        let theirs: Json = serde_json::from_str(theirs).unwrap();
        let state = &simulation.state;
        for (task, known) in state.tasks.iter().zip(&state.states) {
            let verdict = theirs["verdicts"][&task.id].as_str().unwrap();
            assert_eq!(known.verdict.name(), verdict, "journal {seed}, {}", task.id);
            let at = TaskVerdict::ALL.iter().position(|known| known.name() == verdict).unwrap();
            verdicts[at] += 1;
        }
        let (same_meaning, fluency) = state.judgement_ratings();
        compare(&same_meaning, Metric::Nominal, &theirs["same"], &format!("journal {seed}"), &mut of_same);
        compare(&fluency, Metric::Ordinal, &theirs["fluency"], &format!("journal {seed}"), &mut of_fluency);
        let approved = state.states.iter().filter(|known| known.verdict == TaskVerdict::Approved).count();
        let share = wilson(approved, state.tasks.len());
        same(Some(share.low), &theirs["wilson"][0], "Wilson");
        same(Some(share.high), &theirs["wilson"][1], "Wilson");
    }
    // The comparison is worth something: everything occurs.
    for defined in [of_same, of_fluency] {
        assert!(defined.iter().all(|n| *n > 100), "{of_same:?} {of_fluency:?}");
    }
    assert!(verdicts.iter().all(|n| *n > 50), "{verdicts:?}");
}
