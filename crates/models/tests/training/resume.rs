//! A training that is killed at any moment and resumed gives what an undisturbed one gives.

use crate::support::{benchmark, opened, quiet, train};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use touchstone_benchmark::{KbSource, OpenBenchmark, QuestionSource, Selection};
use touchstone_models::systems;
use touchstone_train::{
    Model, ModelManifest, SavedTraining, StepReport, StopReason, TrainError, TrainObserver, resume_training,
    system_named,
};

const SYSTEM: &str = "nspm-att2";
const SETTINGS: [&str; 4] =
    ["max_steps=60", "training.evaluate_every=9", "training.save_every=4", "dropout=0.1"];
/// The folder with `bench` and `model`, for the child process.
const FOLDER: &str = "TOUCHSTONE_TEST_TRAINING";

fn bench_in(folder: &Path) -> OpenBenchmark {
    let questions = Some(QuestionSource::Folder(folder.join("bench")));
    Selection { questions, kb: KbSource::None, ..Selection::default() }.open().unwrap()
}

fn resumed(folder: &Path) -> Result<ModelManifest, TrainError> {
    let model = folder.join("model");
    let saved = SavedTraining::read(&model)?;
    let systems = systems();
    let system = system_named(&systems, &saved.training().system)?;
    resume_training(system, saved, &model, &bench_in(folder), &mut quiet())
}

/// Not a test of its own: the process that is killed.
#[test]
fn child_trains() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    if folder.join("model/state/training.json").exists()
        || folder.join("model/state/.touchstone-staging").exists()
    {
        match resumed(&folder) {
            Ok(_) | Err(TrainError::Finished { .. }) => {}
            // Killed before the first state was in place.
            Err(TrainError::NotAModel { .. }) => begin(&folder),
            Err(error) => panic!("{error}"),
        }
    } else {
        begin(&folder);
    }
}

fn begin(folder: &Path) {
    train(SYSTEM, &bench_in(folder), &SETTINGS, &folder.join("model"), &mut quiet()).unwrap();
}

/// Starts the child, and kills it after a time unless it is done before.
fn child(folder: &Path, after: Option<Duration>, failpoint: Option<&str>) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "resume::child_trains"]).env(FOLDER, folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(failpoint) = failpoint {
        command.env("TOUCHSTONE_FAILPOINT", failpoint);
    }
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        if after.is_some_and(|after| start.elapsed() > after) {
            // SIGKILL on Unix.
            child.kill().unwrap();
            child.wait().unwrap();
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn same(one: &ModelManifest, other: &ModelManifest) {
    assert_eq!(one.curve, other.curve);
    assert_eq!(one.evaluations, other.evaluations);
    assert_eq!(one.best, other.best);
    assert_eq!(one.files, other.files);
}

#[test]
fn killed_trainings_continue_as_if_undisturbed() {
    let folder = tempfile::tempdir().unwrap();
    opened(&benchmark(), &folder.path().join("bench"));
    let start = Instant::now();
    begin(folder.path());
    let duration = start.elapsed();
    let undisturbed = Model::manifest(&folder.path().join("model")).unwrap();
    std::fs::rename(folder.path().join("model"), folder.path().join("undisturbed")).unwrap();
    assert_eq!((undisturbed.steps, undisturbed.stop), (60, StopReason::Limit));

    let mut kills = 0;
    for part in 1..200 {
        let after = duration.mul_f64(0.1 + 0.07 * f64::from(part % 7));
        if child(folder.path(), Some(after), None) {
            break;
        }
        kills += 1;
        // Whatever the moment, what is there can be read or says why not.
        match Model::read(&folder.path().join("model")) {
            Ok(_) | Err(TrainError::Unfinished { .. } | TrainError::NotAModel { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert!(kills >= 2, "the child was killed {kills} times only");
    same(&Model::read(&folder.path().join("model")).unwrap().manifest, &undisturbed);
    assert!(!folder.path().join("model/state").exists());
}

/// The places in the middle of saving where a kill is most likely to do harm.
#[test]
fn kills_while_saving_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    opened(&benchmark(), &folder.path().join("bench"));
    begin(folder.path());
    let undisturbed = Model::manifest(&folder.path().join("model")).unwrap();
    std::fs::remove_dir_all(folder.path().join("model")).unwrap();
    for failpoint in [
        "state-written:2",
        "before-commit:3",
        "after-commit:2",
        "placed:9",
        "marked:2",
        "cleared:1",
        "model-written",
    ] {
        assert!(!child(folder.path(), None, Some(failpoint)), "{failpoint} was not reached");
    }
    assert!(child(folder.path(), None, None));
    same(&Model::read(&folder.path().join("model")).unwrap().manifest, &undisturbed);
}

/// Stops after some steps, as Ctrl-C does.
struct StopAt(u64);

impl TrainObserver for StopAt {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        if report.step >= self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn stopped_trainings_have_a_model_and_continue() {
    let folder = tempfile::tempdir().unwrap();
    let benchmark = opened(&benchmark(), &folder.path().join("bench"));
    let undisturbed =
        train("sup-program", &benchmark, &SETTINGS, &folder.path().join("undisturbed"), &mut quiet())
            .unwrap();
    // Also at a step after which there is an evaluation.
    let model = folder.path().join("model");
    let stopped = train("sup-program", &benchmark, &SETTINGS, &model, &mut StopAt(18)).unwrap();
    assert_eq!((stopped.stop, stopped.steps), (StopReason::Cancelled, 18));
    assert!(!stopped.is_finished());
    assert!(Model::read(&model).is_ok());
    let again = train("sup-program", &benchmark, &SETTINGS, &model, &mut quiet()).unwrap_err();
    assert!(again.to_string().contains("--resume"), "{again}");
    same(&resumed(folder.path()).unwrap(), &undisturbed);
    assert!(matches!(resumed(folder.path()), Err(TrainError::Finished { .. })));
}
