//! A whole annotation project in a temporary folder: questions of the World KB are paraphrased and judged by simulated people, and exported.
//!
//!     cargo run -p touchstone-annotate --example annotate_project
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;
use touchstone_annotate::{
    Activity, AnnotationExportConfig, Event, JudgedText, Moment, NewProject, NewRecord, NextTask,
    ParaphrasedText, Preset, Project, ProjectPlan, Role, SameMeaning, TaskSource,
};
use touchstone_benchmark::english::Lexicon;
use touchstone_forge::{Recipe, make};
use touchstone_kb::NoProgress;

fn main() -> Result<(), Box<dyn Error>> {
    let kb = touchstone_world::open(&NoProgress)?;
    let mut recipe = Recipe::parse(Recipe::text("quick").ok_or("the recipe quick is built in")?)?;
    recipe.questions = 30;
    let benchmark = make(&kb, &recipe, &Lexicon::of(&kb), &NoProgress)?;

    // One owner and six annotators: a text has five judges who did not write it.
    let people: Vec<String> = (1..=6).map(|n| format!("p{n}")).collect();
    let mut members: BTreeMap<String, Role> =
        people.iter().map(|person| (person.clone(), Role::Annotator)).collect();
    members.insert("p0".to_owned(), Role::Owner);
    let plan = ProjectPlan {
        name: "example".to_owned(),
        questions: Some(10),
        control_share: 0.1,
        ..Preset::ParaphraseAndValidate.plan()
    };
    let source = TaskSource { kb: Some(&kb), ..TaskSource::new(&benchmark) };
    let work = plan.summary(&source, &members)?;
    println!(
        "{} questions, {} control tasks, {} contributions for each person",
        work.ordinary, work.controls, work.per_person
    );

    let folder = tempfile::tempdir()?;
    let new = NewProject { plan: &plan, source, members, guidelines: "Keep the meaning." };
    let project = Project::create(&folder.path().join("project"), new, "p0", Moment::now())?;
    while people
        .iter()
        .try_fold(false, |any, person| Ok::<_, Box<dyn Error>>(any | work_once(&project, person)?))?
    {}

    let progress = project.progress();
    println!("verdicts: {:?}", progress.verdicts);
    if let Some(judging) = project.agreement().judging {
        println!("alpha of {} ratings: {:?}", judging.same.ratings, judging.same.alpha.value);
    }
    let out = folder.path().join("export");
    let exported = project.export(&out, &AnnotationExportConfig { kb: Some(&kb), names: None })?;
    println!("exported {} questions and {} annotations", exported.questions, exported.annotations);
    Ok(())
}

/// A person paraphrases one question and judges one text. Returns whether there was something to do.
fn work_once(project: &Project, person: &str) -> Result<bool, Box<dyn Error>> {
    let now = Moment::now();
    let mut worked = false;
    if let NextTask::Task(next) = project.lease_next(person, Activity::Paraphrase, now)? {
        let task = project.task(&next.task).ok_or("the task exists")?;
        let text = format!(
            "There is something that I am curious to learn, and I hope that you know it: {}",
            task.question.question
        );
        let event = Event::Paraphrased(ParaphrasedText { text, seconds: 40.0, ..ParaphrasedText::default() });
        project.submit(NewRecord::about(person, &next.task, event), now)?;
        worked = true;
    }
    if let NextTask::Task(next) = project.lease_next(person, Activity::Judge, now)? {
        let task = project.task(&next.task).ok_or("the task exists")?;
        // These people notice every text that is wrong on purpose.
        let same = task.expected.unwrap_or(SameMeaning::Yes);
        let judged = JudgedText { of: next.of, same, fluency: 4, differs: Vec::new(), seconds: 8.0 };
        project.submit(NewRecord::about(person, &next.task, Event::Judged(judged)), now)?;
        worked = true;
    }
    Ok(worked)
}
