//! Trains systems as a user does: train, run, grade, ask, stop and resume.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::{json, run, stderr, stdout, touchstone};

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A small benchmark of World.
fn benchmark(folder: &Path) -> String {
    let out = text(&folder.join("bench"));
    let built = run(&["build", "dbnqa", "--questions", "150", "--out", &out]);
    assert!(built.status.success(), "{}", stderr(&built));
    out
}

fn error(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stdout(&output));
    stderr(&output)
}

#[test]
fn models_are_trained_run_graded_and_asked() {
    let folder = tempfile::tempdir().unwrap();
    let bench = benchmark(folder.path());
    let (model, runs) = (text(&folder.path().join("model")), text(&folder.path().join("run")));
    let short = ["--scale", "smoke", "--set", "max_steps=12", "--seed", "3"];
    let trained = json(
        &[&["train", "nspm-att2", "--benchmark", &bench, "--out", &model, "--json"], &short[..]].concat(),
    );
    assert_eq!((trained["steps"].as_u64(), trained["stop"].as_str()), (Some(12), Some("limit")));
    assert_eq!(trained["training"]["system"], "nspm-att2");
    assert!(!trained["training"]["kb"]["fingerprint"].as_str().unwrap().is_empty());
    for file in ["model.json", "model.safetensors", "source.words.json", "README.md", "loss.svg"] {
        assert!(Path::new(&model).join(file).is_file(), "{file}");
    }
    let card = fs::read_to_string(Path::new(&model).join("README.md")).unwrap();
    assert!(card.contains("| seed | 3 |") && card.contains("![The loss by step](loss.svg)"), "{card}");

    // The model is a system: it is run, graded and asked.
    let system = format!("model:{model}");
    let asked = run(&["run", &system, "--benchmark", &bench, "--limit", "5", "--out", &runs]);
    assert!(asked.status.success(), "{}", stderr(&asked));
    let header: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("run/run.json")).unwrap()).unwrap();
    assert_eq!(header["gives"], "forms");
    assert!(header["trained_on"].as_str().unwrap().contains("training questions"), "{header}");
    let grades = json(&["grade", &runs, "--json"]);
    assert!(
        grades.to_string().contains("perplexity") || grades.to_string().contains("em_string"),
        "{grades}"
    );
    let reply = json(&["ask", "--system", &system, "--json", "Who directed Alien?"]);
    assert_eq!(
        reply["prediction"]["language"].as_str().or(reply["prediction"]["lang"].as_str()),
        Some("sparql")
    );
    assert!(reply["prediction"]["alternatives"].as_array().is_some_and(|all| !all.is_empty()), "{reply}");

    // What is refused, with the way out.
    assert!(error(&["train", "--resume", &model]).contains("is finished; `touchstone run model:"));
    let again = [&["train", "nspm", "--benchmark", &bench, "--out", &model], &short[..]].concat();
    assert!(error(&again).contains("there is a model in"));
    assert!(error(&["run", "model:", "--benchmark", &bench, "--out", &runs]).contains("model:DIR"));
    let near = format!("{system}s");
    assert!(
        error(&["run", &near, "--benchmark", &bench, "--out", &text(&folder.path().join("r"))])
            .contains("did you mean")
    );
    let other = run(&[
        "build",
        "quick",
        "--questions",
        "30",
        "--kb",
        "world",
        "--out",
        &text(&folder.path().join("quick")),
    ]);
    assert!(other.status.success());
    let quick = folder.path().join("quick/benchmark.json");
    let manifest = fs::read_to_string(&quick).unwrap();
    let fingerprint = trained["training"]["kb"]["fingerprint"].as_str().unwrap();
    fs::write(&quick, manifest.replace(fingerprint, &"ab".repeat(fingerprint.len() / 2))).unwrap();
    let (quick, out) = (text(&folder.path().join("quick")), text(&folder.path().join("other-run")));
    let refused = error(&["run", &system, "--benchmark", &quick, "--kb", "none", "--out", &out]);
    assert!(refused.contains("was trained on questions about the KB"), "{refused}");
}

#[test]
fn mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let bench = benchmark(folder.path());
    let out = text(&folder.path().join("model"));
    let train = |arguments: &[&str]| {
        error(&[&["train"], arguments, &["--benchmark", &bench, "--out", &out]].concat())
    };
    assert!(train(&["transfromer"]).contains("did you mean `transformer`?"));
    assert!(train(&["nspm", "--set", "batsh=3"]).contains("did you mean `training.batch`?"));
    assert!(train(&["nspm", "--fraction", "0"]).contains("0 is not a fraction"));
    assert!(train(&["nspm", "--fraction", "0.0001"]).contains("leaves none of"));
    assert!(train(&["nspm", "--scale", "tiny"]).contains("possible values: smoke, small, paper"));
    let config = text(&folder.path().join("settings.toml"));
    fs::write(&config, "[network]\nunits = \"many\"\n").unwrap();
    assert!(train(&["nspm", "--config", &config]).contains("it is of type integer"));
    fs::write(&config, "[network\n").unwrap();
    assert!(train(&["nspm", "--config", &config]).contains("settings.toml"));
    assert!(train(&["nspm", "--config", "no-such-file.toml"]).contains("no-such-file.toml"));
    assert!(!Path::new(&out).exists(), "nothing is left of a refused training");
    assert!(error(&["train", "--resume", &out]).contains("there is no model in"));
    assert!(error(&["models", "nspm-att3"]).contains("did you mean `nspm-att"));
}

#[test]
fn systems_are_listed() {
    let systems = json(&["models", "--json"]);
    let systems = systems.as_array().unwrap();
    assert_eq!(systems.len(), 7);
    for system in systems {
        assert!(system["paper"].is_string() && system["needs"]["form"].is_string(), "{system}");
        assert!(
            system["scales"]["paper"]["parameters"].as_u64()
                > system["scales"]["small"]["parameters"].as_u64()
        );
        let name = system["name"].as_str().unwrap();
        let listed = stdout(&run(&["models", name, "--scale", "paper"]));
        assert!(listed.contains("[optimiser]") && listed.contains("[network]"), "{listed}");
        assert!(listed.lines().all(|line| line.chars().count() <= 80), "{listed}");
    }
    // The table has the expected time of each scale, without `on two cores`.
    let table = stdout(&run(&["models"]));
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    for system in systems {
        let name = format!(" {} ", system["name"].as_str().unwrap());
        let row = table.lines().find(|line| line.starts_with(&name)).unwrap();
        for scale in ["smoke", "small", "paper"] {
            let time = system["scales"][scale]["time"].as_str().unwrap();
            let time = time.split(" on two cores").next().unwrap();
            assert!(row.contains(&format!(", {time}")), "{time}: {row}");
        }
    }
}

/// Ctrl-C saves: the model of what was learned so far, and the state to continue from.
#[test]
#[cfg(unix)]
fn a_training_that_is_interrupted_continues() {
    let folder = tempfile::tempdir().unwrap();
    let bench = benchmark(folder.path());
    let train = |out: &str| {
        let mut command = touchstone();
        command.args(["train", "nspm", "--benchmark", &bench, "--scale", "smoke", "--set", "max_steps=150"]);
        command.args(["--set", "training.save_every=5", "--out", out, "--json"]);
        command
    };
    let (whole, stopped) = (text(&folder.path().join("whole")), text(&folder.path().join("stopped")));
    let undisturbed = train(&whole).output().unwrap();
    assert!(undisturbed.status.success(), "{}", stderr(&undisturbed));
    let child = train(&stopped).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let state = Path::new(&stopped).join("state/training.json");
    let start = Instant::now();
    let has_steps = || fs::read_to_string(&state).is_ok_and(|text| !text.contains("\"step\": 0"));
    while !has_steps() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let interrupted =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("touchstone train --resume"), "{}", stderr(&output));
    assert!(Path::new(&stopped).join("model.json").is_file());
    let resumed = json(&["train", "--resume", &stopped, "--json"]);
    let whole: serde_json::Value = serde_json::from_slice(&undisturbed.stdout).unwrap();
    for key in ["curve", "evaluations", "steps", "files"] {
        assert_eq!(resumed[key], whole[key], "{key}");
    }
    assert!(!state.exists());
}
