//! Presets do what the papers did.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use support::{Simulation, question};
use touchstone_annotate::{
    Activity, PlanFault, Preset, ProjectPlan, Role, Task, TaskRole, TaskSource, TaskVerdict,
};
use touchstone_benchmark::{Benchmark, BenchmarkManifest, Question, Random};

/// KQA Pro's categories with the chance in a hundred that a question has each.
const CATEGORIES: [(&str, u64); 6] =
    [("multihop", 80), ("qualifier", 35), ("comparison", 20), ("logical", 15), ("count", 10), ("verify", 8)];

/// A benchmark with nine shapes and questions of several categories.
fn benchmark(n: usize) -> Benchmark {
    let mut random = Random::new(7, "benchmark");
    let one = |n: usize| {
        let categories: Vec<&str> =
            CATEGORIES.iter().filter(|(_, chance)| random.percent(*chance)).map(|(name, _)| *name).collect();
        let text = format!("What is the answer to question {n} of the test?");
        question(&format!("q{n}"), &format!("shape {}", n % 9), &text, &categories)
    };
    let questions: Vec<Question> = (0..n).map(one).collect();
    Benchmark::new(BenchmarkManifest::named("large"), questions)
}

fn members(n: usize) -> BTreeMap<String, Role> {
    let people = (1..=n).map(|n| (format!("p{n}"), Role::Annotator));
    people.chain([("p0".to_owned(), Role::Owner)]).collect()
}

fn named(preset: Preset) -> ProjectPlan {
    ProjectPlan { name: "test".to_owned(), ..preset.plan() }
}

#[test]
fn experts_write_a_pilot_of_35_and_then_share_the_rest() {
    let benchmark = benchmark(300);
    let source = TaskSource::new(&benchmark);
    let plan = ProjectPlan { questions: Some(91), ..named(Preset::ExpertQuestions) };
    let tasks = plan.tasks(&source, &members(3)).unwrap();
    assert_eq!(tasks, plan.tasks(&source, &members(3)).unwrap(), "the same seed draws the same");
    let mut pilot: BTreeMap<&str, usize> = BTreeMap::new();
    for task in tasks.iter().filter(|task| task.role == TaskRole::Pilot) {
        *pilot.entry(task.shape()).or_default() += 1;
    }
    assert_eq!((pilot.len(), pilot.values().sum::<usize>()), (7, 35));
    assert!(pilot.values().all(|n| *n == 5), "{pilot:?}");
    let ids: BTreeSet<&str> = tasks.iter().map(|task| task.question.id.as_str()).collect();
    assert_eq!((tasks.len(), ids.len()), (126, 126), "no question is drawn twice");
    // Neighbours have different shapes.
    let ordinary: Vec<&Task> = tasks.iter().filter(|task| task.role == TaskRole::Ordinary).collect();
    let same = ordinary.windows(2).filter(|pair| pair[0].shape() == pair[1].shape()).count();
    assert!(same < 10, "{same} neighbours have the same shape");
    let mut simulation = Simulation::new(plan.rules.clone(), tasks, 3, 1);
    simulation.run();
    let mut shares: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (task, known) in simulation.state.tasks.iter().zip(&simulation.state.states) {
        let authors: Vec<&str> = known.texts.iter().map(|text| text.by.as_str()).collect();
        match task.role {
            TaskRole::Pilot => {
                assert_eq!((authors.len(), known.comparisons.len()), (3, 1), "all three write, then compare");
                assert_ne!(known.verdict, TaskVerdict::Waiting);
            }
            _ => {
                assert_eq!((authors.len(), known.verdict), (1, TaskVerdict::Approved));
                shares.entry(authors[0]).or_default().insert(&task.id);
            }
        }
    }
    let sizes: Vec<usize> = shares.values().map(BTreeSet::len).collect();
    assert_eq!(sizes, [31, 30, 30], "equal shares");
    let writing = simulation.state.agreement().writing.unwrap();
    assert_eq!((writing.all_agree.n, writing.two_agree.n), (35, 35));
    assert!(writing.two_agree.count >= writing.all_agree.count);
}

#[test]
fn the_pilot_says_what_is_missing() {
    let small = benchmark(30);
    let fault = named(Preset::ExpertQuestions).tasks(&TaskSource::new(&small), &members(3)).unwrap_err();
    assert!(matches!(fault, PlanFault::TooFewQuestions { wanted: 5, .. }), "{fault}");
    let fault =
        named(Preset::ExpertQuestions).tasks(&TaskSource::new(&benchmark(300)), &members(2)).unwrap_err();
    let text = "3 people are needed for a task (write.pilot_writers), but the project has 2";
    assert_eq!(fault.to_string(), text);
    let one_shape: Vec<Question> =
        small.questions.iter().map(|q| Question { shape: "s".to_owned(), ..q.clone() }).collect();
    let one_shape = Benchmark::new(BenchmarkManifest::named("one"), one_shape);
    let fault = named(Preset::ExpertQuestions).tasks(&TaskSource::new(&one_shape), &members(3)).unwrap_err();
    assert_eq!(fault, PlanFault::TooFewShapes { wanted: 7, found: 1 });
}

#[test]
fn paraphrases_have_five_judges_of_whom_three_agree() {
    let benchmark = benchmark(40);
    let plan = ProjectPlan { control_share: 0.0, ..named(Preset::ParaphraseAndValidate) };
    let judge = plan.rules.judge.clone().unwrap();
    assert_eq!((judge.judges, judge.min_same, judge.min_fluency), (5, 3, 3.0));
    let tasks = plan.tasks(&TaskSource::new(&benchmark), &members(6)).unwrap();
    let mut simulation = Simulation::new(plan.rules.clone(), tasks, 6, 3);
    simulation.run();
    let mut approved = 0;
    for known in &simulation.state.states {
        assert!(known.texts.len() <= 2, "there are at most two attempts");
        let verdicts = known.texts.iter().map(|text| {
            assert_eq!(text.body.judgements.len(), 5);
            let yes = text.body.judgements.iter().filter(|judged| judged.body.same.name() == "yes").count();
            let fluency: u32 = text.body.judgements.iter().map(|judged| u32::from(judged.body.fluency)).sum();
            yes >= 3 && fluency >= 15
        });
        let has_approved = verdicts.into_iter().any(|is_good| is_good);
        assert_eq!(known.verdict == TaskVerdict::Approved, has_approved);
        approved += usize::from(has_approved);
    }
    assert!(approved > 5, "{approved}");
    let fault = named(Preset::ParaphraseAndValidate).tasks(&TaskSource::new(&benchmark), &members(6));
    assert_eq!(fault.unwrap_err(), PlanFault::ControlsNeedKb);
}

#[test]
fn people_answer_200_questions_in_proportion_to_the_categories() {
    let benchmark = benchmark(3000);
    let plan = named(Preset::HumanPerformance);
    let tasks = plan.tasks(&TaskSource::new(&benchmark), &members(2)).unwrap();
    assert_eq!(tasks.len(), 200);
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for category in benchmark.questions.iter().flat_map(|question| &question.categories) {
        *sizes.entry(category).or_default() += 1;
    }
    let rarest = |question: &Question| {
        let rarest = question.categories.iter().min_by_key(|category| sizes[category.as_str()]);
        rarest.cloned().unwrap_or_else(|| "-".to_owned())
    };
    // Each question counts once, under its rarest category.
    let mut drawn: BTreeMap<String, usize> = BTreeMap::new();
    for task in &tasks {
        assert_eq!(task.stratum, rarest(&task.question));
        *drawn.entry(task.stratum.clone()).or_default() += 1;
    }
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    for question in &benchmark.questions {
        *all.entry(rarest(question)).or_default() += 1;
    }
    assert_eq!(drawn.len(), 7, "six categories, and questions of none: {drawn:?}");
    for (category, n) in all {
        let exact = 200.0 * n as f64 / 3000.0;
        assert!(
            (drawn[&category] as f64 - exact).abs() < 1.0,
            "{category}: {} for {exact}",
            drawn[&category]
        );
    }
    let summary = plan.summary(&TaskSource::new(&benchmark), &members(2)).unwrap();
    assert_eq!((summary.ordinary, summary.contributions, summary.per_person), (200, 200, 100));
    let mut simulation = Simulation::new(plan.rules.clone(), tasks, 2, 5);
    simulation.run();
    assert_eq!(simulation.state.progress().verdicts.approved, 200);
    let answering = simulation.state.agreement().answering.unwrap();
    assert_eq!((answering.accuracy.n, answering.equal_pairs.n), (200, 0));
    let right = simulation.state.states.iter().zip(simulation.state.tasks.iter());
    let right = right.filter(|(known, task)| known.answers[0].body.answers == task.question.answers).count();
    assert_eq!(answering.accuracy.count, right);
    assert_eq!(answering.by_category.len(), 6, "here a question counts in all of its categories");
}

#[test]
fn texts_from_elsewhere_are_judged() {
    let benchmark = benchmark(20);
    let plan = ProjectPlan { control_share: 0.0, ..named(Preset::JudgeOnly) };
    let fault = plan.tasks(&TaskSource::new(&benchmark), &members(5)).unwrap_err();
    assert_eq!(fault, PlanFault::NoTexts);
    let texts = [("q3".to_owned(), "One?".to_owned()), ("q3".to_owned(), "Two?".to_owned())];
    let source = TaskSource { texts: &texts, ..TaskSource::new(&benchmark) };
    let tasks = plan.tasks(&source, &members(5)).unwrap();
    assert_eq!(tasks.len(), 2);
    let mut simulation = Simulation::new(plan.rules.clone(), tasks, 5, 1);
    simulation.run();
    for known in &simulation.state.states {
        assert_eq!((known.texts[0].n, known.texts[0].body.judgements.len()), (0, 5));
    }
    let unknown = [("q33".to_owned(), "One?".to_owned())];
    let source = TaskSource { texts: &unknown, ..TaskSource::new(&benchmark) };
    let fault = plan.tasks(&source, &members(5)).unwrap_err().to_string();
    assert!(fault.contains("the question `q33`, which the benchmark does not have"), "{fault}");
    assert_eq!(Preset::ALL.map(|preset| Preset::from_name(preset.name())), Preset::ALL.map(Some));
    assert_eq!(Activity::from_name("judge"), Some(Activity::Judge));
}
