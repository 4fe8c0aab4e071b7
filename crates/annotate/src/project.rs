//! A project on disk.

use crate::agreement::ProjectAgreement;
use crate::dispute::Dispute;
use crate::event::{Event, GuidelinesVersion, Leased, Opened, SettingsChange};
use crate::moment::Moment;
use crate::plan::{PlanFault, ProjectPlan, TaskSource};
use crate::progress::ProjectProgress;
use crate::queue::{Assignment, NextTask};
use crate::record::NewRecord;
use crate::refusal::Refusal;
use crate::rules::{Activity, Role};
use crate::state::ProjectState;
use crate::store::{Ack, ReadOnly, StateGuard, Store, StoreError, SubmitError};
use crate::task::Task;
use crate::text_check::{TextCheck, text_distance};
use crate::verdict::TaskVerdict;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use touchstone_benchmark::{JournalError, KbIdentity};
use touchstone_kb::output::{OutputError, replace_file};

/// The version of `project.json`.
const FORMAT: u32 = 1;

const SETTINGS: &str = "project.json";
const TASKS: &str = "tasks.jsonl";
const JOURNAL: &str = "journal.jsonl";
const GUIDELINES: &str = "guidelines";

/// `project.json`: written once, when the project is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectSettings {
    /// The version of the format.
    pub touchstone_project: u32,
    /// When the project was made.
    pub created: Moment,
    /// The benchmark that the tasks are from.
    pub source: ProjectSource,
    /// How the tasks were drawn, and the rules at the beginning.
    pub plan: ProjectPlan,
}

/// The benchmark that tasks are from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectSource {
    /// Its name.
    pub benchmark: String,
    /// The hash of its content.
    pub identity: String,
    /// Its KB.
    pub kb: KbIdentity,
    /// Its licence.
    #[serde(default)]
    pub license: String,
    /// The year of the facts that change with time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// How its questions treat what the KB does not have.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub completeness: String,
}

/// A project that is to be made.
pub struct NewProject<'s> {
    /// What is done with which questions.
    pub plan: &'s ProjectPlan,
    /// Where they come from.
    pub source: TaskSource<'s>,
    /// The members, by the id of the person. One of them is an owner.
    pub members: BTreeMap<String, Role>,
    /// The guidelines, as Markdown; empty if there are none yet.
    pub guidelines: &'s str,
}

/// Why a project cannot be made or opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// The plan cannot be carried out.
    #[error(transparent)]
    Plan(#[from] PlanFault),
    /// There is something in the folder.
    #[error("{} already exists; choose another folder", folder.display())]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// There is no project in the folder.
    #[error("no project found in {}: project.json is missing", folder.display())]
    Missing {
        /// The folder.
        folder: PathBuf,
    },
    /// Reading or writing failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A file cannot be parsed.
    #[error("{}, line {line}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A newer format.
    #[error("{} has format {found}; this program reads format {FORMAT}: a newer one may read it", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// A file that is written once was changed.
    #[error("{} was changed after the project was made; restore it from a copy", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The journal lacks its first record, which every project has.
    #[error("{} is empty or missing; restore it from a copy", path.display())]
    NoJournal {
        /// The file.
        path: PathBuf,
    },
    /// The journal.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be replaced.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A record that every project has was refused or not written.
    #[error(transparent)]
    Submit(#[from] SubmitError<Refusal>),
}

fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ProjectError {
    let path = path.to_owned();
    move |source| ProjectError::Io { action, path, source }
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// A project on disk. `README.md` has an example.
pub struct Project {
    folder: PathBuf,
    settings: ProjectSettings,
    tasks: Arc<Vec<Task>>,
    store: Store<ProjectState>,
}

/// How often a lease is tried when somebody else takes the task first.
const LEASE_TRIES: usize = 64;

impl Project {
    /// Makes a project in a folder that does not exist or is empty: all of it or nothing.
    pub fn create(
        folder: &Path,
        new: NewProject<'_>,
        by: &str,
        now: Moment,
    ) -> Result<Project, ProjectError> {
        let tasks = new.plan.tasks(&new.source, &new.members)?;
        if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) || folder.is_file() {
            return Err(ProjectError::Exists { folder: folder.to_owned() });
        }
        let manifest = &new.source.benchmark.manifest;
        let settings = ProjectSettings {
            touchstone_project: FORMAT,
            created: now,
            source: ProjectSource {
                benchmark: manifest.name.clone(),
                identity: new.source.benchmark.identity.clone(),
                kb: manifest.kb.clone(),
                license: manifest.license.clone(),
                as_of: manifest.as_of.clone(),
                completeness: manifest.completeness.clone(),
            },
            plan: new.plan.clone(),
        };
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let partial = folder.with_file_name(format!(".{name}.touchstone-partial"));
        if partial.exists() {
            // Left by a process that was killed.
            fs::remove_dir_all(&partial).map_err(io("remove", &partial))?;
        }
        fs::create_dir_all(&partial).map_err(io("create", &partial))?;
        write_project(&partial, &settings, &tasks, new, by, now)?;
        if folder.exists() {
            fs::remove_dir(folder).map_err(io("replace", folder))?;
        }
        fs::rename(&partial, folder).map_err(io("create", folder))?;
        if let Some(Ok(parent)) = folder.parent().map(fs::File::open) {
            let _ = parent.sync_all();
        }
        Project::open(folder, now)
    }

    /// Opens a project for reading and writing. A torn last line of the journal, which was not acknowledged, is cut off.
    pub fn open(folder: &Path, now: Moment) -> Result<Project, ProjectError> {
        let project = Project::read(folder, Store::open)?;
        let (version, files) = {
            let state = project.state();
            (state.version.clone(), state.files.clone())
        };
        if version != env!("CARGO_PKG_VERSION")
            && project.read_only().is_none()
            && let Some((project_hash, tasks_hash)) = files
        {
            // A program that does not know a later kind of record can then name the version that does.
            let opened = opened(project_hash, tasks_hash);
            project.store.submit(NewRecord::new("", Event::Opened(opened)), now)?;
        }
        Ok(project)
    }

    /// Opens a project for reading, also while another process has it open for writing.
    pub fn open_read_only(folder: &Path) -> Result<Project, ProjectError> {
        Project::read(folder, Store::open_read_only)
    }

    fn read(
        folder: &Path,
        open: impl FnOnce(&Path, ProjectState) -> Result<Store<ProjectState>, StoreError>,
    ) -> Result<Project, ProjectError> {
        let path = folder.join(SETTINGS);
        let text = fs::read(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => ProjectError::Missing { folder: folder.to_owned() },
            _ => io("read", &path)(error),
        })?;
        let json = |line, path: &Path| {
            let path = path.to_owned();
            move |source: serde_json::Error| ProjectError::Json {
                line: if line == 0 { source.line() } else { line },
                path,
                source,
            }
        };
        #[derive(Deserialize)]
        struct Version {
            touchstone_project: u32,
        }
        let version: Version = serde_json::from_slice(&text).map_err(json(0, &path))?;
        if version.touchstone_project != FORMAT {
            return Err(ProjectError::Version { path, found: version.touchstone_project });
        }
        let settings: ProjectSettings = serde_json::from_slice(&text).map_err(json(0, &path))?;
        let tasks_path = folder.join(TASKS);
        let lines = fs::read(&tasks_path).map_err(io("read", &tasks_path))?;
        let mut tasks = Vec::new();
        for (at, line) in lines.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty())
        {
            tasks.push(serde_json::from_slice(line).map_err(json(at + 1, &tasks_path))?);
        }
        let tasks: Arc<Vec<Task>> = Arc::new(tasks);
        let state = ProjectState::new(settings.plan.rules.clone(), Arc::clone(&tasks));
        let journal = folder.join(JOURNAL);
        if !journal.is_file() {
            return Err(ProjectError::NoJournal { path: journal });
        }
        let store = open(&journal, state)?;
        let files = store.state().files.clone();
        let Some((settings_hash, tasks_hash)) = files else {
            return Err(ProjectError::NoJournal { path: journal });
        };
        let checked = [(path, hash(&text), settings_hash), (tasks_path, hash(&lines), tasks_hash)];
        if let Some((path, ..)) = checked.into_iter().find(|(_, found, wanted)| found != wanted) {
            return Err(ProjectError::Changed { path });
        }
        Ok(Project { folder: folder.to_owned(), settings, tasks, store })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What `project.json` says.
    pub fn settings(&self) -> &ProjectSettings {
        &self.settings
    }

    /// The tasks, in the order of `tasks.jsonl`.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// A task.
    pub fn task(&self, id: &str) -> Option<&Task> {
        self.tasks.get(self.state().place(id)?)
    }

    /// Everything that is derived from the journal. Nothing is acknowledged while the guard exists, so it should not be kept.
    pub fn state(&self) -> StateGuard<'_, ProjectState> {
        self.store.state()
    }

    /// Why nothing can be submitted.
    pub fn read_only(&self) -> Option<ReadOnly> {
        self.store.read_only()
    }

    /// Number of records.
    pub fn records(&self) -> u64 {
        self.store.records()
    }

    /// How often the disk was waited for since the project was opened.
    pub fn batches(&self) -> u64 {
        self.store.batches()
    }

    /// Adds a record, and returns when it is on disk. The same attempt again returns the same acknowledgement.
    pub fn submit(&self, record: NewRecord<Event>, now: Moment) -> Result<Ack, SubmitError<Refusal>> {
        let record = self.with_distance(record);
        self.store.submit(record, now)
    }

    /// With the distance of a paraphrase, which is ours to measure.
    fn with_distance(&self, mut record: NewRecord<Event>) -> NewRecord<Event> {
        let event = match &mut record.event {
            Event::Revised(revision) => &mut *revision.event,
            event => event,
        };
        if let Event::Paraphrased(paraphrased) = event
            && let Some(task) = record.task.as_deref().and_then(|task| self.task(task))
        {
            paraphrased.distance = text_distance(&task.question.question, &paraphrased.text);
        }
        record
    }

    /// The next task of a person. The same journal and time give the same task.
    pub fn next_task(&self, person: &str, activity: Activity, now: Moment) -> NextTask {
        self.state().next_task(person, activity, now)
    }

    /// The next task of a person, with a lease for it.
    pub fn lease_next(
        &self,
        person: &str,
        activity: Activity,
        now: Moment,
    ) -> Result<NextTask, SubmitError<Refusal>> {
        let mut tries = 0;
        loop {
            tries += 1;
            let (next, minutes) = {
                let state = self.state();
                (state.next_task(person, activity, now), state.rules.lease_minutes)
            };
            let NextTask::Task(assignment) = next else { return Ok(next) };
            if assignment.leased_until.is_some() {
                return Ok(NextTask::Task(assignment));
            }
            let until = now.plus_seconds(minutes.saturating_mul(60));
            match self.lease(person, &assignment, until, now) {
                Ok(_) => {
                    return Ok(NextTask::Task(Assignment { leased_until: Some(until), ..assignment }));
                }
                // Somebody else was faster.
                Err(SubmitError::Refused(Refusal::Taken)) if tries < LEASE_TRIES => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Leases a task, or renews the lease.
    pub fn lease(
        &self,
        person: &str,
        assignment: &Assignment,
        until: Moment,
        now: Moment,
    ) -> Result<Ack, SubmitError<Refusal>> {
        let Assignment { task, activity, of, .. } = assignment;
        let leased = Event::Leased(Leased { activity: *activity, of: *of, until });
        self.store.submit(NewRecord::about(person, task, leased), now)
    }

    /// Checks a text that a person is writing; `None` if the task does not exist.
    pub fn check_text(&self, task: &str, activity: Activity, text: &str) -> Option<TextCheck> {
        self.state().check_text(task, activity, text)
    }

    /// The verdict on a task; `None` if it does not exist.
    pub fn verdict(&self, task: &str) -> Option<TaskVerdict> {
        self.state().task_state(task).map(|state| state.verdict)
    }

    /// What an adjudicator has to settle, the tasks with the lowest agreement first.
    pub fn adjudication(&self) -> Vec<Dispute> {
        self.state().disputes()
    }

    /// How far the project is.
    pub fn progress(&self) -> ProjectProgress {
        self.state().progress()
    }

    /// How far people agree.
    pub fn agreement(&self) -> ProjectAgreement {
        self.state().agreement()
    }

    /// Writes a new version of the guidelines.
    pub fn set_guidelines(&self, text: &str, by: &str, now: Moment) -> Result<Ack, ProjectError> {
        if let Some(reason) = self.read_only() {
            return Err(SubmitError::ReadOnly(reason).into());
        }
        let version = self.state().guidelines.as_ref().map_or(1, |version| version.version + 1);
        let record = guidelines_record(by, version, text);
        // Only who may change the guidelines writes a file.
        self.state().accepts(&record, now).map_err(SubmitError::Refused)?;
        write_guidelines(&self.folder, version, text)?;
        Ok(self.store.submit(record, now)?)
    }

    /// A version of the guidelines, as Markdown.
    pub fn guidelines(&self, version: u32) -> Result<String, ProjectError> {
        let path = self.folder.join(GUIDELINES).join(format!("{version}.md"));
        fs::read_to_string(&path).map_err(io("read", &path))
    }
}

fn opened(project: String, tasks: String) -> Opened {
    Opened { version: env!("CARGO_PKG_VERSION").to_owned(), project, tasks }
}

fn guidelines_record(by: &str, version: u32, text: &str) -> NewRecord<Event> {
    NewRecord::new(by, Event::Guidelines(GuidelinesVersion { version, hash: hash(text.as_bytes()) }))
}

fn write_guidelines(folder: &Path, version: u32, text: &str) -> Result<(), ProjectError> {
    let folder = folder.join(GUIDELINES);
    fs::create_dir_all(&folder).map_err(io("create", &folder))?;
    Ok(replace_file(&folder.join(format!("{version}.md")), text.as_bytes(), true)?)
}

/// Writes all files of a project, and its first records.
fn write_project(
    folder: &Path,
    settings: &ProjectSettings,
    tasks: &[Task],
    new: NewProject<'_>,
    by: &str,
    now: Moment,
) -> Result<(), ProjectError> {
    let json = |name: &str| {
        let path = folder.join(name);
        move |source| ProjectError::Json { path, line: 0, source }
    };
    let mut text = serde_json::to_vec_pretty(settings).map_err(json(SETTINGS))?;
    text.push(b'\n');
    let mut lines = Vec::new();
    for task in tasks {
        serde_json::to_writer(&mut lines, task).map_err(json(TASKS))?;
        lines.push(b'\n');
    }
    replace_file(&folder.join(SETTINGS), &text, true)?;
    replace_file(&folder.join(TASKS), &lines, true)?;
    let state = ProjectState::new(settings.plan.rules.clone(), Arc::new(tasks.to_vec()));
    let store = Store::open(&folder.join(JOURNAL), state)?;
    let opened = opened(hash(&text), hash(&lines));
    store.submit(NewRecord::new("", Event::Opened(opened)), now)?;
    let change = SettingsChange { rules: None, members: Some(new.members) };
    store.submit(NewRecord::new(by, Event::Settings(change)), now)?;
    if !new.guidelines.is_empty() {
        write_guidelines(folder, 1, new.guidelines)?;
        store.submit(guidelines_record(by, 1, new.guidelines), now)?;
    }
    Ok(())
}

/// Checks a project without changing it: that its files are those it was made with, and that no line of its journal was changed or is missing.
/// Returns the number of records.
pub fn verify_project(folder: &Path) -> Result<u64, ProjectError> {
    let project = Project::open_read_only(folder)?;
    match project.read_only() {
        Some(reason @ ReadOnly::Newer { .. }) => Err(SubmitError::ReadOnly(reason).into()),
        _ => Ok(project.records()),
    }
}

impl ProjectError {
    /// Whether another process has the project open.
    pub fn is_busy(&self) -> bool {
        matches!(self, ProjectError::Store(StoreError::Journal(JournalError::Busy { .. })))
    }
}
