//! What people answered, as runs that are graded like those of systems.

use super::{AnnotationExportError, Pseudonyms, io};
use crate::AnsweredQuestion;
use crate::project::Project;
use crate::state::{Contribution, ProjectState, live};
use crate::task::TaskRole;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use touchstone_benchmark::{
    Benchmark, BenchmarkManifest, Gives, Prediction, Question, RunHeader, RunJournal, Split, Usage,
};

/// The answers of a person, by the place of the task.
type OfPerson<'s> = BTreeMap<usize, &'s Contribution<AnsweredQuestion>>;

/// Writes a run for each person, with the questions that the person answered.
pub(super) fn write(
    project: &Project,
    state: &ProjectState,
    people: &Pseudonyms,
    folder: &Path,
) -> Result<Vec<PathBuf>, AnnotationExportError> {
    let mut by_person: BTreeMap<&str, OfPerson<'_>> = BTreeMap::new();
    for (at, (task, known)) in state.tasks.iter().zip(&state.states).enumerate() {
        if task.role == TaskRole::Ordinary {
            for answer in live(&known.answers) {
                by_person.entry(&answer.by).or_default().insert(at, answer);
            }
        }
    }
    let mut runs = Vec::new();
    for (person, answers) in by_person {
        let name = people.of(person);
        let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
        let file_name: String = name.chars().map(safe).collect();
        let questions_folder = folder.join(format!("questions-{file_name}"));
        let questions: Vec<Question> = answers.keys().map(|at| asked(&state.tasks[*at].question)).collect();
        let benchmark = benchmark_of(project, &name, questions);
        benchmark.write(&questions_folder)?;
        let run = folder.join(format!("human-{file_name}"));
        write_run(project, state, &name, &benchmark, &questions_folder, &answers, &run)?;
        runs.push(run);
    }
    Ok(runs)
}

/// A question as it is graded. Training questions are not, so here they are test questions.
fn asked(question: &Question) -> Question {
    match question.split {
        Split::Train => Question { split: Split::Test, ..question.clone() },
        Split::Dev | Split::Test => question.clone(),
    }
}

fn benchmark_of(project: &Project, name: &str, questions: Vec<Question>) -> Benchmark {
    let source = &project.settings().source;
    let manifest = BenchmarkManifest {
        description: format!(
            "The questions that {name} answered in the annotation project {}, from the benchmark {} with identity {}",
            project.settings().plan.name,
            source.benchmark,
            source.identity
        ),
        kb: source.kb.clone(),
        license: source.license.clone(),
        as_of: source.as_of.clone(),
        completeness: source.completeness.clone(),
        counts: BenchmarkManifest::counts(&questions),
        ..BenchmarkManifest::named(&format!("{} ({name})", project.settings().plan.name))
    };
    Benchmark::new(manifest, questions)
}

fn write_run(
    project: &Project,
    state: &ProjectState,
    name: &str,
    benchmark: &Benchmark,
    questions_folder: &Path,
    answers: &OfPerson<'_>,
    run: &Path,
) -> Result<(), AnnotationExportError> {
    let path = questions_folder.canonicalize().map_err(io(questions_folder))?;
    let questions: Vec<&Question> = benchmark.questions.iter().collect();
    let header = RunHeader {
        benchmark: benchmark.manifest.name.clone(),
        benchmark_identity: benchmark.identity.clone(),
        benchmark_path: path.display().to_string(),
        questions: RunHeader::hash_questions(&questions),
        kb: project.settings().source.kb.fingerprint.clone(),
        choices: state.rules.answer.as_ref().is_some_and(|answer| answer.choices),
        gives: Some(Gives::Answers),
        ..RunHeader::new(&format!("human:{name}"))
    };
    let mut journal = RunJournal::open(run, &header, &[], false)?;
    for (at, answer) in answers {
        journal.add(&Prediction {
            id: state.tasks[*at].question.id.clone(),
            answers: Some(answer.body.answers.clone()),
            usage: Usage { seconds: Some(answer.body.seconds), ..Usage::default() },
            ..Prediction::default()
        })?;
    }
    Ok(journal.close(true)?)
}
