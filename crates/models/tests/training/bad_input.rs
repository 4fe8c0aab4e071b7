//! What cannot be trained or loaded, and the messages about it.

use crate::support::{benchmark, benchmark_of, opened, quiet, train, train_share};
use std::fs;
use std::path::{Path, PathBuf};
use touchstone_benchmark::OpenBenchmark;
use touchstone_models::systems;
use touchstone_train::{Model, ModelManifest, ModelSystem, SavedTraining, TrainError};

const SHORT: [&str; 2] = ["max_steps=2", "training.batch=4"];

fn message(result: Result<ModelManifest, TrainError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn benchmarks_without_what_is_needed_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (bench, out) = (folder.path().join("bench"), folder.path().join("model"));
    let mut without_programs = benchmark();
    without_programs.questions.iter_mut().for_each(|question| question.forms.program = None);
    let open = opened(&benchmark_of(without_programs.questions), &bench);
    let found = message(train("sup-program", &open, &SHORT, &out, &mut quiet()));
    assert!(
        found.contains("learns KoPL programs, and none of the 60 training questions of `tiny`"),
        "{found}"
    );
    let dev = benchmark().questions.split_off(60);
    let open = opened(&benchmark_of(dev), &folder.path().join("dev"));
    let found = message(train("nspm", &open, &SHORT, &out, &mut quiet()));
    assert!(found.contains("has no training questions"), "{found}");
    let open = opened(&benchmark(), &folder.path().join("all"));
    let share = |fraction| message(train_share("nspm", &open, &SHORT, &out, fraction, &mut quiet()));
    assert!(share(0.001).contains("leaves none of 60 training questions; give at least 0.0167"));
    assert!(share(1.5).contains("1.5 is not a fraction"));
    assert!(share(f64::NAN).contains("is not a fraction"));
    let setting = |setting: &str| message(train("transformer", &open, &[setting], &out, &mut quiet()));
    assert!(setting("heads=5").contains("5 heads do not divide network.size = 32"));
    assert!(setting("development.measure=em_strin").contains("did you mean `em_string`?"));
    assert!(
        setting("development.measure=f1").contains("cannot be computed"),
        "{}",
        setting("development.measure=f1")
    );
    assert!(setting("positions=50").contains("not enough"));
    assert!(setting("learning_rate=0").contains("above 0"));
    assert!(
        message(train("transfromer", &open, &[], &out, &mut quiet())).contains("did you mean `transformer`?")
    );
    // Nothing is left of all this.
    assert!(!out.join("model.json").exists());
}

#[test]
fn diverging_trainings_are_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let open = opened(&benchmark(), &folder.path().join("bench"));
    let settings =
        ["optimiser.learning_rate=1e30", "optimiser.clip=0", "max_steps=50", "optimiser.optimiser=sgd"];
    let found = message(train("nspm", &open, &settings, &folder.path().join("model"), &mut quiet()));
    assert!(found.contains("training diverges") && found.contains("optimiser.learning_rate"), "{found}");
    assert!(!found.contains("warm-up"), "{found}");

    // The message names the setting's own value, and the rate that the warm-up has reached beside it.
    let settings = ["learning_rate=1e6", "warm_up=50", "clip=0", "max_steps=50", "optimiser.optimiser=sgd"];
    let found = message(train("nspm", &open, &settings, &folder.path().join("warm"), &mut quiet()));
    let (_, rest) = found.split_once(" at step ").unwrap();
    let step: u64 = rest.split_once(';').unwrap().0.parse().unwrap();
    let rates =
        format!("learning_rate (now 1000000; {} at this step, after warm-up and decay)", step * 20_000);
    assert!(found.contains(&rates), "{rates}: {found}");
}

#[test]
fn what_is_cut_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let open = opened(&benchmark(), &folder.path().join("bench"));
    let settings = [&SHORT[..], &["data.max_length=5"]].concat();
    let trained = train("nspm", &open, &settings, &folder.path().join("model"), &mut quiet()).unwrap();
    // "Where was Ada born ?" and "Whom did Ada marry ?" have five words, the other questions six.
    let notes = [
        "36 of 60 training questions are longer than data.max_length and were cut.",
        "60 of 60 training queries are longer than data.max_length and were cut.",
    ];
    assert_eq!(trained.training.notes, notes);
}

/// A model, and a copy of it to damage.
struct Damaged {
    folder: tempfile::TempDir,
    benchmark: OpenBenchmark,
}

impl Damaged {
    fn new() -> Damaged {
        let folder = tempfile::tempdir().unwrap();
        let benchmark = opened(&benchmark(), &folder.path().join("bench"));
        train("nspm-att2", &benchmark, &SHORT, &folder.path().join("good"), &mut quiet()).unwrap();
        Damaged { folder, benchmark }
    }

    fn model(&self) -> PathBuf {
        self.folder.path().join("gold")
    }

    /// The message after a change to a copy.
    fn after(&self, change: impl Fn(&Path)) -> String {
        let _ = fs::remove_dir_all(self.model());
        fs::create_dir(self.model()).unwrap();
        for entry in fs::read_dir(self.folder.path().join("good")).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), self.model().join(entry.file_name())).unwrap();
        }
        change(&self.model());
        match ModelSystem::open(&systems(), &self.model()) {
            Ok(_) => "opened".to_owned(),
            Err(error) => error.to_string(),
        }
    }
}

fn change_text(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn damaged_and_foreign_models_are_refused() {
    let damaged = Damaged::new();
    assert_eq!(damaged.after(|_| {}), "opened");
    let expect = |part: &str, change: &dyn Fn(&Path)| {
        let found = damaged.after(change);
        assert!(found.contains(part), "{part}: {found}");
    };
    let cut = |path: PathBuf, length: usize| {
        fs::write(
            &path,
            fs::read(&path)
                .map(|mut bytes| {
                    bytes.truncate(length);
                    bytes
                })
                .unwrap(),
        )
        .unwrap()
    };
    expect("bytes instead of", &|model| cut(model.join("model.safetensors"), 100));
    expect("changed after it was written", &|model| {
        let path = model.join("model.safetensors");
        let mut bytes = fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&path, bytes).unwrap();
    });
    expect("the file is missing", &|model| fs::remove_file(model.join("source.words.json")).unwrap());
    expect("there is no model in", &|model| fs::remove_file(model.join("model.json")).unwrap());
    expect("did you mean", &|model| {
        fs::rename(model.join("model.json"), model.join("other.json")).unwrap();
    });
    expect("has format 2, and this program reads format 1: a newer version", &|model| {
        change_text(&model.join("model.json"), "\"touchstone_model\": 1", "\"touchstone_model\": 2");
    });
    expect("Touchstone did not write it", &|model| fs::write(model.join("model.json"), "{}").unwrap());
    expect("EOF while parsing", &|model| cut(model.join("model.json"), 50));
    expect("not UTF-8", &|model| fs::write(model.join("model.json"), [0xff, 0xfe]).unwrap());
    expect("no trainable system is named `nspm-att3`; choose from", &|model| {
        change_text(&model.join("model.json"), "nspm-att2", "nspm-att3");
    });
    expect("not the name of a file", &|model| {
        change_text(&model.join("model.json"), "\"source.words.json\"", "\"../source.words.json\"");
    });
    for length in (0..2000).step_by(97) {
        let found = damaged.after(|model| cut(model.join("model.json"), length));
        assert_ne!(found, "opened", "{length}");
    }
}

/// The vocabulary of another model, with its hash in `model.json`.
#[test]
fn vocabularies_must_fit_the_network() {
    let damaged = Damaged::new();
    let found = damaged.after(|model| {
        let path = model.join("source.words.json");
        let before = fs::read(&path).unwrap();
        let after = "[\"<pad>\",\"<unk>\",\"<s>\",\"</s>\",\"one\"]\n";
        fs::write(&path, after).unwrap();
        let manifest = model.join("model.json");
        let hash = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
        change_text(&manifest, &hash(&before), &hash(after.as_bytes()));
        let listed = format!("\"bytes\": {}", before.len());
        change_text(&manifest, &listed, &format!("\"bytes\": {}", after.len()));
    });
    assert!(found.contains("have 5 and") && found.contains("belong to different models"), "{found}");
}

#[test]
fn models_are_for_their_kb() {
    let damaged = Damaged::new();
    let model = damaged.folder.path().join("good");
    let system = ModelSystem::open(&systems(), &model).unwrap();
    system.check_kb(&model, &damaged.benchmark).unwrap();
    let mut other = benchmark();
    other.manifest.kb.fingerprint = "ab".repeat(16);
    let other = opened(&other, &damaged.folder.path().join("other"));
    let found = system.check_kb(&model, &other).unwrap_err().to_string();
    assert!(found.contains("`none` (f0f0f0f0f0f0)") && found.contains("abababababab"), "{found}");
}

/// A benchmark that was changed since training began, and a state that cannot be written.
#[test]
fn states_fit_their_benchmark_and_survive_failed_writes() {
    use crate::support::opened as open;
    use std::ops::ControlFlow;
    use touchstone_train::{StepReport, TrainObserver, resume_training, system_named};
    /// Puts a folder where a file of the state belongs, as any failed write.
    struct Blocks(PathBuf);
    impl TrainObserver for Blocks {
        fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
            if report.step == 6 {
                let file = self.0.join("state/last.safetensors");
                fs::rename(&file, self.0.join("kept")).unwrap();
                fs::create_dir(&file).unwrap();
            }
            ControlFlow::Continue(())
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let benchmark = open(&benchmark(), &folder.path().join("bench"));
    let model = folder.path().join("model");
    let settings = ["max_steps=20", "training.save_every=4"];
    let found = message(train("nspm", &benchmark, &settings, &model, &mut Blocks(model.clone())));
    assert!(found.contains("the state after 8 steps cannot be saved"), "{found}");
    assert!(found.contains("`touchstone train --resume"), "{found}");
    // With the place free again, training continues from the state before.
    fs::remove_dir(model.join("state/last.safetensors")).unwrap();
    fs::rename(model.join("kept"), model.join("state/last.safetensors")).unwrap();
    let systems = systems();
    let saved = SavedTraining::read(&model).unwrap();
    assert_eq!(saved.steps(), 4);
    let system = system_named(&systems, "nspm").unwrap();
    let mut changed = crate::support::benchmark();
    changed.questions.pop();
    let changed = open(&benchmark_of(changed.questions), &folder.path().join("changed"));
    let found = message(resume_training(system, saved.clone(), &model, &changed, &mut quiet()));
    assert!(found.contains("train a new model with --out"), "{found}");
    let done = resume_training(system, saved, &model, &benchmark, &mut quiet()).unwrap();
    assert_eq!(done.steps, 20);
    assert!(Model::read(&model).is_ok());
}
