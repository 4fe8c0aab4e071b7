//! A disk that is full while a training saves loses nothing: on a real file system of a few megabytes.

use crate::support::{benchmark, opened, quiet, train};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use touchstone_models::systems;
use touchstone_train::{Model, SavedTraining, StepReport, TrainObserver, resume_training, system_named};

/// The small file system, for the process that is inside of it.
const SMALL_DISK: &str = "TOUCHSTONE_TEST_SMALL_DISK";
/// Mounts 8 MB of memory on `$1`, then runs the rest of the arguments.
const MOUNT: &str = "mount -t tmpfs -o size=8m none \"$1\" && shift && exec \"$@\"";

/// Runs a program where `disk` is a small file system; only this program sees it.
fn on_small_disk(disk: &Path, program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", MOUNT, "sh"]).arg(disk).arg(program).args(arguments);
    command
}

#[test]
fn a_full_disk_loses_nothing() {
    let disk = tempfile::tempdir().unwrap();
    let can_mount = on_small_disk(disk.path(), Path::new("true"), &[]).output();
    if !can_mount.is_ok_and(|output| output.status.success()) {
        touchstone_testing::skipped("a user cannot mount a file system here (`unshare -rm`)");
        return;
    }
    let this = std::env::current_exe().unwrap();
    let arguments = ["--exact", "full_disk::child_fills_the_disk"];
    let output = on_small_disk(disk.path(), &this, &arguments).env(SMALL_DISK, disk.path()).output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("1 passed"), "{text}{errors}");
    assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 0, "the small disk was not used");
}

/// Fills the disk at step 6.
struct Fills(PathBuf);

impl TrainObserver for Fills {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        if report.step == 6 {
            let mut block = vec![7_u8; 1 << 20];
            for number in 0.. {
                if fs::write(self.0.join(number.to_string()), &block).is_err() {
                    let half = block.len() / 2;
                    block.truncate(half);
                }
                if block.len() < 512 {
                    break;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Not a test of its own: the process on the small disk.
#[test]
fn child_fills_the_disk() {
    let Some(disk) = std::env::var_os(SMALL_DISK).map(PathBuf::from) else { return };
    let (model, filler) = (disk.join("model"), disk.join("filler"));
    fs::create_dir(&filler).unwrap();
    let bench = opened(&benchmark(), &disk.join("bench"));
    let settings = ["max_steps=20", "training.save_every=4"];
    let error = train("nspm", &bench, &settings, &model, &mut Fills(filler.clone())).unwrap_err();
    let found = error.to_string();
    assert!(found.contains("the state after 8 steps cannot be saved"), "{found}");
    assert!(found.contains("No space left on device") && found.contains("--resume"), "{found}");

    // The disk is still full: the state of step 4 is whole, and resuming stops in the same way.
    let systems = systems();
    let system = system_named(&systems, "nspm").unwrap();
    let saved = SavedTraining::read(&model).unwrap();
    assert_eq!(saved.steps(), 4);
    let again = resume_training(system, saved, &model, &bench, &mut quiet());
    assert!(again.unwrap_err().to_string().contains("cannot be saved"));

    fs::remove_dir_all(&filler).unwrap();
    let saved = SavedTraining::read(&model).unwrap();
    assert_eq!(saved.steps(), 4);
    let resumed = resume_training(system, saved, &model, &bench, &mut quiet()).unwrap();
    let undisturbed = train("nspm", &bench, &settings, &disk.join("undisturbed"), &mut quiet()).unwrap();
    assert_eq!(resumed.curve, undisturbed.curve);
    assert!(Model::read(&model).is_ok());
}
