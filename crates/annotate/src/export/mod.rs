//! What comes out of a project: a benchmark, tables of annotations, agreement, and runs of people.

mod annotations;
mod human_runs;
mod questions;

use crate::agreement::ProjectAgreement;
use crate::project::Project;
use crate::state::{ProjectState, live};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use touchstone_benchmark::{PackageError, RunJournalError};
use touchstone_kb::Kb;

/// How a project is exported.
#[derive(Clone, Copy, Default)]
pub struct AnnotationExportConfig<'c> {
    /// The KB of the benchmark. With it, more names are found in texts, and levels are computed.
    pub kb: Option<&'c Kb>,
    /// The names of people, by id. Without them people are called `a1`, `a2` and so on.
    pub names: Option<&'c BTreeMap<String, String>>,
}

/// What was exported.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AnnotationExportSummary {
    /// Number of questions in the benchmark of approved questions.
    pub questions: usize,
    /// Number of approved texts that are left out because another question has the same text.
    pub duplicates: usize,
    /// Number of approved questions in which the name of an entity was not found.
    pub without_mention: usize,
    /// Number of annotations.
    pub annotations: usize,
    /// The folders of runs of people.
    pub runs: Vec<PathBuf>,
}

/// Why a project cannot be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnnotationExportError {
    /// There is something in the folder.
    #[error("{} already exists; choose another folder", folder.display())]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// An annotation cannot be written as JSON.
    #[error("cannot write {}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A benchmark cannot be written.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// A run cannot be written.
    #[error(transparent)]
    Run(#[from] RunJournalError),
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> AnnotationExportError {
    let path = path.to_owned();
    move |source| AnnotationExportError::Io { path, source }
}

impl Project {
    /// Writes everything that came out of the project to a folder that does not exist or is empty:
    ///
    /// - `benchmark/`, the approved questions, if questions were written or texts judged;
    /// - `annotations.jsonl` and `annotations.csv`, everything that was contributed and not taken back;
    /// - `agreement.json`;
    /// - if questions were answered, for each person a run `human-a1/` and so on, and the questions that it is about.
    pub fn export(
        &self,
        folder: &Path,
        config: &AnnotationExportConfig<'_>,
    ) -> Result<AnnotationExportSummary, AnnotationExportError> {
        if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) || folder.is_file() {
            return Err(AnnotationExportError::Exists { folder: folder.to_owned() });
        }
        fs::create_dir_all(folder).map_err(io(folder))?;
        // A copy, so that people can go on working.
        let state = self.state().clone();
        let people = Pseudonyms::new(&state, config.names);
        let mut summary = AnnotationExportSummary::default();
        let rules = &state.rules;
        if rules.write.is_some() || rules.paraphrase.is_some() || rules.judge.is_some() {
            let exported = questions::approved(self, &state, &people, config.kb);
            summary.questions = exported.benchmark.questions.len();
            (summary.duplicates, summary.without_mention) = (exported.duplicates, exported.without_mention);
            exported.benchmark.write(&folder.join("benchmark"))?;
        }
        summary.annotations = annotations::write(&state, &people, folder)?;
        let path = folder.join("agreement.json");
        let agreement = state.agreement().renamed(&|person| people.of(person));
        let mut text = serde_json::to_vec_pretty(&agreement)
            .map_err(|source| AnnotationExportError::Json { path: path.clone(), source })?;
        text.push(b'\n');
        fs::write(&path, text).map_err(io(&path))?;
        if rules.answer.is_some() {
            summary.runs = human_runs::write(self, &state, &people, folder)?;
        }
        Ok(summary)
    }
}

/// What people are called outside the project.
pub(crate) struct Pseudonyms(BTreeMap<String, String>);

impl Pseudonyms {
    /// `a1`, `a2` and so on in the order of the ids, or their names.
    fn new(state: &ProjectState, names: Option<&BTreeMap<String, String>>) -> Pseudonyms {
        let mut people: BTreeSet<&str> = state.members.keys().map(String::as_str).collect();
        for task in &state.states {
            people.extend(live(&task.texts).map(|text| text.by.as_str()));
            let judgements = live(&task.texts).flat_map(|text| live(&text.body.judgements));
            people.extend(judgements.map(|judged| judged.by.as_str()));
            people.extend(live(&task.answers).map(|answer| answer.by.as_str()));
            people.extend(live(&task.comparisons).map(|compared| compared.by.as_str()));
            people.extend(live(&task.decisions).map(|decision| decision.by.as_str()));
        }
        people.remove("");
        let mut people: Vec<&str> = people.into_iter().collect();
        // p2 before p10.
        people.sort_by_key(|id| (id.len(), *id));
        let called = people.iter().enumerate().map(|(at, id)| {
            let name = names.and_then(|names| names.get(*id)).cloned();
            ((*id).to_owned(), name.unwrap_or_else(|| format!("a{}", at + 1)))
        });
        Pseudonyms(called.collect())
    }

    fn of(&self, person: &str) -> String {
        self.0.get(person).cloned().unwrap_or_default()
    }
}

impl ProjectAgreement {
    /// With other names for people.
    fn renamed(mut self, name: &dyn Fn(&str) -> String) -> ProjectAgreement {
        if let Some(judging) = &mut self.judging {
            for summary in [&mut judging.same, &mut judging.fluency] {
                for pair in &mut summary.pairs {
                    (pair.a, pair.b) = (name(&pair.a), name(&pair.b));
                }
                let without = std::mem::take(&mut summary.without);
                summary.without = without.into_iter().map(|(who, alpha)| (name(&who), alpha)).collect();
            }
        }
        if let Some(answering) = &mut self.answering {
            let by_person = std::mem::take(&mut answering.by_person);
            answering.by_person = by_person.into_iter().map(|(who, share)| (name(&who), share)).collect();
        }
        self
    }
}
