//! Programs are planned directly: the plan must equal that of the query.

use crate::programs::import_kqapro;
use crate::programs::random::Random;
use crate::programs::random_kb::random_kb;
use crate::programs::random_programs;
use std::collections::BTreeSet;
use touchstone_engine::Words;
use touchstone_engine::plan::{Plan, PlanError};
use touchstone_logic::Program;
use touchstone_logic::kopl::{KoplFunction, ProgramStep};

/// Inputs that are wrong in most positions and right in some; dates with unusual spellings.
const WRONG: [&str; 10] = [
    "",
    "nobody",
    "1990",
    "5 metre",
    "2000-02-29",
    "name 1",
    "1990- 1-02",
    "1990-+1-02",
    "1_90-01-02",
    "1990/1/2",
];

/// The plan through the algebra, and the direct plan. Only the order of unknown names may differ.
fn both_ways(program: &Program, words: &Words<'_>) -> [Result<String, String>; 2] {
    let written = |plan: Result<Plan, PlanError>| match plan {
        Ok(mut plan) => {
            plan.unknown.sort();
            Ok(format!("{plan:?}"))
        }
        Err(error) => Err(error.to_string()),
    };
    let by_query = match program.to_query(words) {
        Ok(query) => written(Plan::of(&query, words)),
        Err(error) => Err(error.to_string()),
    };
    [by_query, written(Plan::of_program(program, words))]
}

#[test]
fn a_program_has_the_plan_of_its_query() {
    let mut functions = BTreeSet::new();
    let (mut n_planned, mut n_wrong) = (0, 0);
    for seed in 0..6 {
        let dir = tempfile::tempdir().expect("a folder");
        let json = random_kb(seed, 40);
        let path = dir.path().join("kb.json");
        std::fs::write(&path, json.to_string()).expect("written");
        let kb = import_kqapro(&path, &dir.path().join("kb"));
        let (words, all) = (Words::new(&kb), random_programs::Words::of(&json));
        let mut random = Random::new(seed + 100);
        for _ in 0..500 {
            let mut program = all.program(&mut random);
            // Occasionally the program, or a name in it, is wrong.
            let step = random.below(program.steps.len());
            let step = &mut program.steps[step];
            // Two names of one class, or of none, are one class here and two there.
            if random.percent(30) && step.function != KoplFunction::FilterConcept && !step.inputs.is_empty() {
                let at = random.below(step.inputs.len());
                step.inputs[at] = (*random.choose(&WRONG)).to_owned();
            }
            let [expected, found] = both_ways(&program, &words);
            assert_eq!(found, expected, "{}", program.to_readable().unwrap_or_default());
            match found {
                Ok(_) => n_planned += 1,
                Err(_) => n_wrong += 1,
            }
            functions.extend(program.steps.iter().map(|step| step.function));
        }
    }
    assert_eq!(functions.len(), KoplFunction::ALL.len(), "every function occurs");
    assert!(n_planned > 2000 && n_wrong > 0, "{n_planned} planned, {n_wrong} wrong");
}

#[test]
fn steps_that_are_used_twice() {
    let kb = touchstone_world::open(&touchstone_kb::NoProgress).expect("World");
    let words = Words::new(&kb);
    let step = |function, inputs: &[&str], dependencies: &[usize]| ProgramStep {
        function,
        inputs: inputs.iter().map(|&input| input.to_owned()).collect(),
        dependencies: dependencies.to_vec(),
    };
    let shared = Program {
        steps: vec![
            step(KoplFunction::FindAll, &[], &[]),
            step(KoplFunction::FilterConcept, &["country"], &[0]),
            step(KoplFunction::FilterNum, &["population", "5000000", ">"], &[1]),
            step(KoplFunction::Or, &[], &[2, 1]),
            step(KoplFunction::And, &[], &[3, 1]),
            step(KoplFunction::Count, &[], &[4]),
        ],
    };
    let [expected, found] = both_ways(&shared, &words);
    assert!(found.is_ok());
    assert_eq!(found, expected);
    let mut steps = vec![step(KoplFunction::Find, &["France"], &[])];
    steps.extend((0..30).map(|at| step(KoplFunction::And, &[], &[at, at])));
    let [expected, found] = both_ways(&Program { steps }, &words);
    assert!(found.as_ref().is_err_and(|error| error.contains("too often")), "{found:?}");
    assert_eq!(found, expected);
}
