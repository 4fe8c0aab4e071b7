//! A finished project as a benchmark that passes `lint`, tables, and runs of people that are graded like those of systems.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use touchstone_annotate::{
    Activity, AnnotationExportConfig, AnnotationExportError, AnsweredQuestion, Event, JudgedText, Moment,
    NewProject, NewRecord, NextTask, ParaphrasedText, Preset, Project, ProjectPlan, Role, SameMeaning,
    TaskRole, TaskSource, TaskVerdict,
};
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{Benchmark, EmbeddedKb, GradeRow, KbSource, Selection};
use touchstone_forge::{Recipe, lint, make};
use touchstone_grade::{GradeConfig, GradeOptions, PredictionSource, grade_run, read_rows};
use touchstone_kb::{Kb, NoProgress};

fn members(n: usize) -> BTreeMap<String, Role> {
    let people = (1..=n).map(|n| (format!("p{n}"), Role::Annotator));
    people.chain([("p0".to_owned(), Role::Owner)]).collect()
}

fn made(kb: &Kb) -> Benchmark {
    let mut recipe = Recipe::parse(Recipe::text("quick").unwrap()).unwrap();
    recipe.questions = 60;
    make(kb, &recipe, &Lexicon::of(kb), &NoProgress).unwrap()
}

fn create(folder: PathBuf, plan: &ProjectPlan, benchmark: &Benchmark, kb: &Kb, people: usize) -> Project {
    let source = TaskSource { kb: Some(kb), ..TaskSource::new(benchmark) };
    let new = NewProject { plan, source, members: members(people), guidelines: "Write well." };
    Project::create(&folder, new, "p0", Moment::now()).unwrap()
}

/// Paraphrases every question, and judges all texts: what is expected of control tasks, "no" of every fifth paraphrase, "yes" of the others.
fn paraphrase_all(project: &Project) {
    let now = Moment::now();
    for turn in 0..100_000 {
        let person = format!("p{}", turn % 6 + 1);
        let mut idle = true;
        if let NextTask::Task(next) = project.lease_next(&person, Activity::Paraphrase, now).unwrap() {
            let question = &project.task(&next.task).unwrap().question.question;
            let text = format!(
                "I would like to know the following, please, if you have a moment to spare for me: {question}"
            );
            let event =
                Event::Paraphrased(ParaphrasedText { text, guidelines: 1, ..ParaphrasedText::default() });
            project.submit(NewRecord::about(&person, &next.task, event), now).unwrap();
            idle = false;
        }
        if let NextTask::Task(next) = project.lease_next(&person, Activity::Judge, now).unwrap() {
            let task = project.task(&next.task).unwrap();
            let number: usize = task.id[1..].parse().unwrap();
            let same = match task.expected {
                Some(expected) => expected,
                None if number.is_multiple_of(5) => SameMeaning::No,
                None => SameMeaning::Yes,
            };
            let judged = JudgedText { of: next.of, same, fluency: 4, differs: Vec::new(), seconds: 7.5 };
            project.submit(NewRecord::about(&person, &next.task, Event::Judged(judged)), now).unwrap();
            idle = false;
        }
        if idle && turn % 6 == 5 && project.progress().activities.values().all(|counts| counts.left == 0) {
            return;
        }
    }
    panic!("it does not end: {:?}", project.progress().activities);
}

#[test]
fn approved_paraphrases_are_a_benchmark_without_findings() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let benchmark = made(&kb);
    let dir = tempfile::tempdir().unwrap();
    let plan = ProjectPlan { name: "paraphrases".to_owned(), ..Preset::ParaphraseAndValidate.plan() };
    let project = create(dir.path().join("project"), &plan, &benchmark, &kb, 6);
    let controls = project.tasks().iter().filter(|task| task.role == TaskRole::Control).count();
    let expected = (benchmark.questions.len() as f64 * 0.05).round();
    assert_eq!(controls as f64, expected, "5 % of the questions");
    for task in project.tasks().iter().filter(|task| task.role == TaskRole::Control) {
        assert_ne!(task.text.as_ref().unwrap(), &task.question.question);
    }
    paraphrase_all(&project);
    let progress = project.progress();
    assert_eq!((progress.controls.rejected, progress.verdicts.waiting), (controls, 0));
    let out = dir.path().join("export");
    let config = AnnotationExportConfig { kb: Some(&kb), names: None };
    let summary = project.export(&out, &config).unwrap();
    assert_eq!(summary.questions, progress.verdicts.approved);
    assert_eq!((summary.duplicates, summary.without_mention), (0, 0));
    assert!(progress.verdicts.rejected > 0 && progress.verdicts.approved > 30, "{progress:?}");
    let exported = Benchmark::read(&out.join("benchmark")).unwrap();
    let report = lint::lint(&kb, &exported, &NoProgress);
    assert_eq!(report.findings, [], "the benchmark passes lint");
    assert!(report.same_kb && report.forms_run > 0);
    for question in &exported.questions {
        let machine = question.machine_question.as_ref().unwrap();
        assert_eq!(
            question.question,
            format!(
                "I would like to know the following, please, if you have a moment to spare for me: {machine}"
            )
        );
        let provenance = question.provenance.as_ref().unwrap();
        assert_eq!((provenance.judgements.len(), provenance.guidelines), (5, 1));
        let judges = provenance.judgements.iter().map(|judgement| &judgement.judge);
        assert!(judges.clone().all(|judge| judge.starts_with('a') && *judge != provenance.writer));
        assert!(provenance.writer.starts_with('a'), "{}", provenance.writer);
    }
    check_tables(&project, &out, summary.annotations);
    let again = project.export(&out, &config);
    assert!(matches!(again, Err(AnnotationExportError::Exists { .. })));
}

/// Both tables have all annotations, and no ids of people.
fn check_tables(project: &Project, out: &std::path::Path, annotations: usize) {
    let lines = std::fs::read_to_string(out.join("annotations.jsonl")).unwrap();
    let table = std::fs::read_to_string(out.join("annotations.csv")).unwrap();
    let agreement = std::fs::read_to_string(out.join("agreement.json")).unwrap();
    let done: usize = project.progress().activities.values().map(|counts| counts.done + counts.surplus).sum();
    assert_eq!((lines.lines().count(), table.lines().count()), (annotations, annotations + 1));
    assert_eq!(annotations, done);
    for text in [&lines, &table, &agreement] {
        assert!(!text.contains("\"p1\"") && !text.contains(",p1,"), "people are named by pseudonyms");
    }
    let agreement: serde_json::Value = serde_json::from_str(&agreement).unwrap();
    assert_eq!(agreement["judging"]["same"]["alpha"]["value"], 1.0);
    assert!(agreement["judging"]["fluency"]["alpha"]["undefined"] == "no_variation", "{agreement}");
}

#[test]
fn the_answers_of_people_are_graded_like_those_of_systems() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let benchmark = made(&kb);
    let dir = tempfile::tempdir().unwrap();
    let mut plan = ProjectPlan { name: "people".to_owned(), ..Preset::HumanPerformance.plan() };
    plan.questions = Some(20);
    plan.filter.splits.clear();
    let project = create(dir.path().join("project"), &plan, &benchmark, &kb, 2);
    let now = Moment::now();
    let mut right = BTreeMap::from([("p1", 0), ("p2", 0)]);
    for turn in 0..20 {
        let person = ["p1", "p2"][turn % 2];
        let NextTask::Task(next) = project.lease_next(person, Activity::Answer, now).unwrap() else {
            panic!()
        };
        let gold = project.task(&next.task).unwrap().question.answers.clone();
        let is_right = turn % 3 > 0;
        *right.get_mut(person).unwrap() += usize::from(is_right);
        let answers = if is_right { gold } else { Vec::new() };
        let answer = AnsweredQuestion {
            none: answers.is_empty(),
            answers,
            seconds: 30.0,
            ..AnsweredQuestion::default()
        };
        project.submit(NewRecord::about(person, &next.task, Event::Answered(answer)), now).unwrap();
    }
    assert!(project.state().states.iter().all(|known| known.verdict == TaskVerdict::Approved));
    let out = dir.path().join("export");
    let summary = project.export(&out, &AnnotationExportConfig { kb: Some(&kb), names: None }).unwrap();
    assert_eq!(summary.runs, [out.join("human-a2"), out.join("human-a3")], "a1 is the owner");
    let agreement = project.agreement().answering.unwrap();
    for (person, run) in ["p1", "p2"].into_iter().zip(&summary.runs) {
        let mut options = GradeOptions::new(PredictionSource::Path(run.clone()));
        options.out = Some(dir.path().join(person));
        let selection = Selection {
            kb: KbSource::OfBenchmark,
            embedded: Some(EmbeddedKb {
                name: "world",
                fingerprint: Some(touchstone_world::FINGERPRINT),
                open: || Ok(touchstone_world::open(&NoProgress)?),
            }),
            ..Selection::default()
        };
        let graded = grade_run(&GradeConfig { selection, options }, &NoProgress).unwrap();
        assert_eq!((graded.selected, graded.not_selected), (10, 0), "{person}");
        let rows: Vec<GradeRow> =
            read_rows(&dir.path().join(person)).unwrap().collect::<Result<_, _>>().unwrap();
        let n = rows.len();
        let exact = rows.iter().filter(|row| row.measures.get("em_answer") == Some(&1.0)).count();
        assert_eq!((n, exact), (10, right[person]), "{person}");
        assert_eq!((agreement.by_person[person].n, agreement.by_person[person].count), (10, exact));
    }
}
