//! Nothing of the user's is lost: what is in the way is refused, what is next to it is left alone, and a killed command leaves the old output or
//! the new one.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};
use support::{run, stderr, touchstone};

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Runs a command line that has no blanks in its words.
fn line(line: &str) -> Output {
    run(&line.split_whitespace().collect::<Vec<_>>())
}

fn succeeds(command: &str) {
    let output = line(command);
    assert!(output.status.success(), "{command}: {}", stderr(&output));
}

/// The command must end with code 2 and a message that contains all of these.
fn refused(command: &str, parts: &[&str]) {
    let output = line(command);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{command}: {message}");
    for part in parts {
        assert!(message.contains(part), "{command}: no `{part}` in {message}");
    }
}

fn build(out: &Path, seed: u32) -> String {
    format!("build quick --questions 60 --seed {seed} --out {}", text(out))
}

/// Every file below a folder with its bytes, without what is for the tool itself.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn visit(at: &Path, root: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != ".touchstone-staging" {
                    visit(&path, root, found);
                }
            // The stamp of a KB has inodes in it.
            } else if name != ".touchstone.json"
                && name != "verified"
                && !name.ends_with(".touchstone-partial")
            {
                found.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    if folder.is_dir() {
        visit(folder, folder, &mut found);
    }
    found
}

/// Names in a folder that a killed process left there.
fn leftovers(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with('.') && name.contains("touchstone-")).collect()
}

#[test]
fn a_thesis_survives_a_build() {
    let dir = tempfile::tempdir().unwrap();
    let thesis = dir.path().join("thesis");
    fs::create_dir_all(thesis.join("chapters")).unwrap();
    fs::write(thesis.join("benchmark.json"), "{}").unwrap();
    fs::write(thesis.join("chapters/thesis.tex"), "200 pages").unwrap();
    let before = content(&thesis);
    refused(&build(&thesis, 1), &["benchmark.json", "chapters/", "choose another --out", "--force"]);
    // A file of the user is not replaced even then.
    refused(&format!("{} --force", build(&thesis, 1)), &["benchmark.json", "was not written by Touchstone"]);
    assert_eq!(content(&thesis), before);
    fs::remove_file(thesis.join("benchmark.json")).unwrap();
    succeeds(&format!("{} --force", build(&thesis, 1)));
    assert_eq!(fs::read_to_string(thesis.join("chapters/thesis.tex")).unwrap(), "200 pages");
    succeeds(&format!("stats {} --json", text(&thesis)));
    assert_eq!(leftovers(&thesis), [""; 0]);
}

#[test]
fn runs_and_notes_in_a_benchmark_survive() {
    let dir = tempfile::tempdir().unwrap();
    let bench = dir.path().join("b");
    succeeds(&build(&bench, 1));
    let first = content(&bench);
    succeeds(&build(&bench, 1));
    assert_eq!(content(&bench), first, "a benchmark of ours is replaced");
    let b = text(&bench);
    succeeds(&format!("run oracle --benchmark {b} --out {b}/runs/oracle"));
    fs::write(bench.join("NOTES.md"), "notes").unwrap();
    refused(&build(&bench, 2), &["NOTES.md", "runs/", "they are kept"]);
    succeeds(&format!("{} --force", build(&bench, 2)));
    let now = content(&bench);
    assert_eq!(now[Path::new("NOTES.md")], b"notes");
    assert!(now.contains_key(Path::new("runs/oracle/predictions.jsonl")));
    assert_ne!(now[Path::new("questions.jsonl")], first[Path::new("questions.jsonl")]);
    // A question that was mended by hand is the user's work.
    fs::remove_dir_all(bench.join("runs")).unwrap();
    fs::remove_file(bench.join("NOTES.md")).unwrap();
    let mended = fs::read_to_string(bench.join("questions.jsonl")).unwrap().replacen("Wh", "wh", 1);
    fs::write(bench.join("questions.jsonl"), &mended).unwrap();
    refused(&build(&bench, 2), &["questions.jsonl was changed", "--force"]);
    assert_eq!(fs::read_to_string(bench.join("questions.jsonl")).unwrap(), mended);
    succeeds(&format!("{} --force", build(&bench, 2)));
}

#[test]
fn packages_of_the_first_version_are_replaced_if_they_validate() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, kb) = (dir.path().join("bench"), dir.path().join("kb"));
    let import = format!("kb import --from rdf docs/example.ttl --out {}", text(&kb));
    for (folder, command) in [(&bench, build(&bench, 1)), (&kb, import)] {
        succeeds(&command);
        fs::remove_file(folder.join(".touchstone.json")).unwrap();
        succeeds(&command);
        assert!(folder.join(".touchstone.json").exists());
        fs::remove_file(folder.join(".touchstone.json")).unwrap();
        fs::write(folder.join("mine.txt"), "mine").unwrap();
        refused(&command, &["mine.txt"]);
        fs::remove_file(folder.join("mine.txt")).unwrap();
    }
    // What does not validate may be anybody's.
    fs::write(bench.join("questions.jsonl"), "my own questions\n").unwrap();
    refused(&build(&bench, 1), &["benchmark.json, questions.jsonl"]);
    assert_eq!(fs::read_to_string(bench.join("questions.jsonl")).unwrap(), "my own questions\n");
}

#[test]
fn nothing_beside_a_kb_is_touched() {
    let dir = tempfile::tempdir().unwrap();
    let k = dir.path();
    fs::create_dir_all(k.join(".thesis.old")).unwrap();
    fs::create_dir_all(k.join(".thesis.partial")).unwrap();
    fs::create_dir_all(k.join("thesis")).unwrap();
    fs::write(k.join(".thesis.old/backup.tex"), "precious").unwrap();
    fs::write(k.join(".thesis.partial/draft.tex"), "precious").unwrap();
    fs::write(k.join(".thesis.lock"), "precious").unwrap();
    fs::write(k.join("thesis/thesis.tex"), "x").unwrap();
    let before = content(k);
    let import = format!("kb import --from rdf docs/example.ttl --out {}", text(&k.join("thesis")));
    refused(&import, &["thesis.tex", "choose another --out"]);
    assert_eq!(content(k), before);
    succeeds(&format!("{import} --force"));
    let after = content(k);
    for (path, bytes) in &before {
        assert_eq!(after.get(path), Some(bytes), "{}", path.display());
    }
    // Files of the user among those of a KB.
    refused(&import, &["thesis.tex"]);
    fs::remove_file(k.join("thesis/thesis.tex")).unwrap();
    succeeds(&import);
    // A failed import leaves nothing.
    fs::write(k.join("broken.nt"), "nonsense\n").unwrap();
    refused(
        &format!(
            "kb import --strict --from rdf {} --out {}",
            text(&k.join("broken.nt")),
            text(&k.join("new/kb"))
        ),
        &[],
    );
    assert!(!k.join("new").exists());
}

#[test]
#[cfg(unix)]
fn links_are_followed_or_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("real")).unwrap();
    std::os::unix::fs::symlink(at("real"), at("link")).unwrap();
    std::os::unix::fs::symlink(at("nowhere"), at("dangling")).unwrap();
    let import = |out: &str| format!("kb import --from rdf docs/example.ttl --out {}", text(&at(out)));
    succeeds(&import("link"));
    assert!(at("link").is_symlink() && at("real/manifest.json").is_file());
    refused(&import("dangling"), &["symbolic link", "does not exist"]);
    refused(&build(&at("dangling"), 1), &["symbolic link", "does not exist"]);
    assert!(!at("nowhere").exists());
    fs::write(at("file"), "mine").unwrap();
    refused(&build(&at("file"), 1), &["not a folder"]);
    // A file to which a link in the output folder leads is not written to.
    fs::remove_file(at("real/manifest.json")).unwrap();
    std::os::unix::fs::symlink(at("file"), at("real/manifest.json")).unwrap();
    refused(&import("real"), &["manifest.json was changed"]);
    succeeds(&format!("{} --force", import("real")));
    assert_eq!(fs::read_to_string(at("file")).unwrap(), "mine");
}

#[test]
fn files_of_the_user_are_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let bench = at("bench");
    succeeds(&build(Path::new(&bench), 1));
    succeeds(&format!("run oracle --benchmark {bench} --out {}", at("run")));
    succeeds(&format!("grade --benchmark {bench} --predictions {0} --out {0}", at("run")));
    let commands = [
        format!("report {} --out", at("run")),
        format!("stats {bench} --html"),
        format!("degrade --benchmark {bench} --transform T2 --out"),
        "kb export --format lines --out".to_owned(),
    ];
    for (number, command) in commands.iter().enumerate() {
        let out = at(&format!("out{number}"));
        let command = format!("{command} {out}");
        succeeds(&command);
        let written = fs::read(&out).unwrap();
        succeeds(&command);
        assert_eq!(fs::read(&out).unwrap(), written);
        fs::write(&out, "mine").unwrap();
        refused(&command, &["already exists", "--force"]);
        assert_eq!(fs::read(&out).unwrap(), b"mine");
        succeeds(&format!("{command} --force"));
        assert_eq!(fs::read(&out).unwrap(), written);
    }
    assert_eq!(leftovers(dir.path()), [""; 0]);
    // Grades lie among other files, but replace none that is not theirs.
    fs::write(dir.path().join("run/notes.md"), "mine").unwrap();
    succeeds(&format!("grade --benchmark {bench} --predictions {0} --out {0}", at("run")));
    fs::create_dir(dir.path().join("other")).unwrap();
    fs::write(dir.path().join("other/summary.json"), "{}").unwrap();
    let grade = format!("grade --benchmark {bench} --predictions {} --out {}", at("run"), at("other"));
    refused(&grade, &["summary.json", "was not written by Touchstone"]);
    refused(&format!("{grade} --force"), &["summary.json"]);
    assert_eq!(fs::read(dir.path().join("other/summary.json")).unwrap(), b"{}");
    // Exports, too.
    fs::write(dir.path().join("other/train.json"), "mine").unwrap();
    refused(&format!("export-dataset {bench} --format grailqa --out {}", at("other")), &["train.json"]);
    assert_eq!(fs::read(dir.path().join("other/train.json")).unwrap(), b"mine");
}

#[test]
fn errors_are_retried_only_in_the_own_run() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let bench = at("bench");
    succeeds(&build(Path::new(&bench), 1));
    let predictions = dir.path().join("r/predictions.jsonl");
    // Every second question comes to an error.
    let system = r#"command:n=0; while read -r line; do id=$(printf '%s' "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/'); n=$((n+1)); sleep 0.5; if [ $((n % 2)) = 0 ]; then printf '{"id": "%s", "error": "oops"}\n' "$id"; else printf '{"id": "%s", "answers": ["x"]}\n' "$id"; fi; done"#;
    let start = |more: &[&str]| {
        let mut command = touchstone();
        command.args(["run", system, "--benchmark", &bench, "--out", &at("r")]).args(more);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let first = start(&[]);
    let begun = Instant::now();
    while fs::read_to_string(&predictions).unwrap_or_default().lines().count() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the run does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    // Another process has it open: nothing is touched.
    let second = start(&["--retry-errors"]).wait_with_output().unwrap();
    assert_eq!(second.status.code(), Some(2));
    assert!(stderr(&second).contains("another process is using"), "{}", stderr(&second));
    assert!(first.wait_with_output().unwrap().status.code() != Some(2));
    let lines = |path: &Path| fs::read_to_string(path).unwrap_or_default().lines().count();
    let whole = json_lines(&Path::new(&bench).join("questions.jsonl"));
    let asked = whole.iter().filter(|question| question["split"] != "train").count();
    assert_eq!(lines(&predictions), asked, "no answer is lost");
    // A run of another system.
    let before = fs::read(&predictions).unwrap();
    let other = run(&["run", "oracle", "--retry-errors", "--benchmark", &bench, "--out", &at("r")]);
    assert!(stderr(&other).contains("holds another run"), "{}", stderr(&other));
    assert_eq!(fs::read(&predictions).unwrap(), before);
    // Predictions without a run.
    fs::create_dir(dir.path().join("p")).unwrap();
    let mine = "{\"id\": \"1\", \"error\": \"mine\"}\n";
    fs::write(dir.path().join("p/predictions.jsonl"), mine).unwrap();
    let other = run(&["run", "oracle", "--retry-errors", "--benchmark", &bench, "--out", &at("p")]);
    assert_eq!(other.status.code(), Some(2));
    assert_eq!(fs::read_to_string(dir.path().join("p/predictions.jsonl")).unwrap(), mine);
    // The own run.
    let errors = |path: &Path| json_lines(path).iter().filter(|line| !line["error"].is_null()).count();
    let before = errors(&predictions);
    start(&["--retry-errors"]).wait_with_output().unwrap();
    assert_eq!(lines(&predictions), asked);
    assert!(errors(&predictions) < before);
}

fn json_lines(path: &Path) -> Vec<serde_json::Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn commands_of_strangers_are_not_run() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let bench = at("bench");
    succeeds(&build(Path::new(&bench), 1));
    let system = format!("command:touch {}; cat", at("PWNED"));
    let own = ["run", &system, "--benchmark", &bench, "--limit", "3", "--out", &at("own")];
    assert!(run(&own).status.code() != Some(2));
    let pwned = dir.path().join("PWNED");
    fs::remove_file(&pwned).unwrap();
    // The own one, also from another place.
    fs::rename(dir.path().join("own"), dir.path().join("moved")).unwrap();
    fs::remove_file(dir.path().join("moved/predictions.jsonl")).unwrap();
    let resumed = run(&["run", "--resume", &at("moved")]);
    assert!(pwned.exists(), "{}", stderr(&resumed));
    fs::remove_file(&pwned).unwrap();
    // One that another user started: it is what a cache without it does not know.
    fs::remove_file(dir.path().join("moved/predictions.jsonl")).unwrap();
    let stranger = |more: &[&str]| {
        let mut command = touchstone();
        command.args(["run", "--resume", &at("moved")]).args(more).stdin(Stdio::null());
        command.env("TOUCHSTONE_CACHE", dir.path().join("cache")).output().unwrap()
    };
    let refused = stranger(&[]);
    assert_eq!(refused.status.code(), Some(2));
    for part in ["was not started here", "PWNED", "--trust"] {
        assert!(stderr(&refused).contains(part), "{}", stderr(&refused));
    }
    assert!(!pwned.exists() && !dir.path().join("moved/predictions.jsonl").exists());
    // A command that was changed in run.json is not the own one any more.
    let about = fs::read_to_string(dir.path().join("moved/run.json")).unwrap();
    fs::write(dir.path().join("moved/run.json"), about.replace("; cat", "; cat ")).unwrap();
    let changed = run(&["run", "--resume", &at("moved")]);
    assert!(stderr(&changed).contains("was not started here"), "{}", stderr(&changed));
    fs::write(dir.path().join("moved/run.json"), about).unwrap();
    stranger(&["--trust"]);
    assert!(pwned.exists());
    let other = run(&["run", "--resume", &at("moved"), "--limit", "5"]);
    assert!(stderr(&other).contains("--limit"), "{}", stderr(&other));
}

/// Two versions of an output: each is written by its command, killed in the middle, again and again.
struct Versions {
    /// The folder or file.
    out: PathBuf,
    commands: [String; 2],
    /// Finishes what was interrupted, if there is a command that reads the output.
    reader: Option<String>,
    failpoints: &'static [&'static str],
    /// Files of the user in the folder.
    among: bool,
}

/// Kills between the first write and the end.
const FOLDER_FAILPOINTS: [&str; 10] = [
    "staging-created",
    "staging-owned",
    "staged",
    "before-commit",
    "after-commit",
    "placed",
    "placed:2",
    "marked",
    "clearing",
    "cleared",
];

const FILE_FAILPOINTS: [&str; 4] = ["file-created", "file-written", "file-remembered", "file-remembered:2"];

impl Versions {
    fn content(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = content(&self.out);
        if self.out.is_file() {
            found.insert(PathBuf::new(), fs::read(&self.out).unwrap());
        }
        found.remove(Path::new("NOTES.md"));
        found
    }

    fn killed_again_and_again(&self) {
        let parent = self.out.parent().unwrap();
        let name = self.out.file_name().unwrap().to_string_lossy().into_owned();
        let mut versions = Vec::new();
        let mut took = Duration::ZERO;
        for command in &self.commands {
            let start = Instant::now();
            succeeds(command);
            took = start.elapsed();
            versions.push(self.content());
        }
        assert_ne!(versions[0], versions[1]);
        // What a user may have next to it.
        fs::create_dir(parent.join(format!(".{name}.old"))).unwrap();
        fs::write(parent.join(format!(".{name}.old/backup")), "precious").unwrap();
        fs::write(parent.join(format!(".{name}.lock")), "precious").unwrap();
        fs::write(parent.join(format!("{name}.tmp")), "precious").unwrap();
        if self.among {
            fs::write(self.out.join("NOTES.md"), "precious").unwrap();
        }
        let beside = |folder: &Path| {
            let mut found = content(folder);
            found.retain(|path, _| !path.starts_with(&name));
            found
        };
        let around = beside(parent);
        let mut moment = 11u64;
        let (mut n_killed, mut n_old, mut n_new) = (0, 0, 0);
        let random_moments = 10usize.saturating_sub(self.failpoints.len()).max(3);
        let places = self.failpoints.iter().map(Some).chain((0..random_moments).map(|_| None));
        for (attempt, place) in places.enumerate() {
            // The other version than the one that is there.
            let now = usize::from(self.content() == versions[1]);
            let mut command = touchstone();
            command
                .args(self.commands[1 - now].split_whitespace())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            if let Some(place) = place {
                command.env("TOUCHSTONE_FAILPOINT", place);
            }
            let mut child = command.spawn().unwrap();
            if place.is_none() {
                moment =
                    moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                std::thread::sleep(took.mul_f64((moment >> 40) as f64 / (1u64 << 24) as f64));
                let _ = child.kill();
            }
            let ended = child.wait().unwrap();
            assert!(place.is_none() || !ended.success(), "{name}: it was not killed at {place:?}");
            n_killed += usize::from(!ended.success());
            if let Some(reader) = &self.reader {
                succeeds(reader);
            }
            let found = self.content();
            n_old += usize::from(found == versions[now]);
            n_new += usize::from(found == versions[1 - now]);
            // Files that no command reads together may be old and new next to each other, but each of them is whole.
            let is_half = self.reader.is_none() && !versions.contains(&found);
            let is_whole = |(path, bytes): (&PathBuf, &Vec<u8>)| {
                versions.iter().any(|version| version.get(path) == Some(bytes))
            };
            assert!(
                is_half || versions.contains(&found),
                "{name}: neither old nor new after kill {attempt} ({place:?})"
            );
            let ours = found.iter().filter(|(path, _)| !path.to_string_lossy().starts_with(".touchstone"));
            assert!(ours.clone().all(is_whole), "{name}: a torn file after kill {attempt} ({place:?})");
            assert_eq!(beside(parent), around, "{name}: after kill {attempt} ({place:?})");
            let folder = if self.out.is_dir() { &self.out } else { parent };
            assert!(leftovers(folder).len() <= 1, "{name}: {:?}", leftovers(folder));
            if is_half {
                succeeds(&self.commands[now]);
            }
        }
        // How many random kills come in time depends on the machine; those at failpoints always do, the first before anything is replaced.
        assert!(n_killed >= self.failpoints.len(), "{name}: {n_killed} killed");
        assert!(self.failpoints.is_empty() || n_old > 0, "{name}: {n_old} old, {n_new} new");
        for (command, version) in self.commands.iter().zip(&versions) {
            succeeds(command);
            assert_eq!(self.content(), *version);
        }
        assert_eq!(leftovers(parent), [""; 0]);
        if self.out.is_dir() {
            assert_eq!(leftovers(&self.out), [""; 0]);
        }
        if self.among {
            assert_eq!(fs::read_to_string(self.out.join("NOTES.md")).unwrap(), "precious");
        }
    }
}

#[test]
fn killed_builds() {
    for among in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("bench");
        let force = if among { " --force" } else { "" };
        Versions {
            commands: [1, 2].map(|seed| build(&out, seed) + force),
            reader: Some(format!("stats {} --json", text(&out))),
            failpoints: &FOLDER_FAILPOINTS,
            among,
            out,
        }
        .killed_again_and_again();
    }
}

#[test]
fn killed_imports_of_kbs() {
    for among in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("kb");
        let force = if among { " --force" } else { "" };
        Versions {
            commands: ["example", "elements"]
                .map(|name| format!("kb import --from rdf docs/{name}.ttl --out {}{force}", text(&out))),
            reader: Some(format!("kb info --kb {} --json", text(&out))),
            failpoints: &FOLDER_FAILPOINTS,
            among,
            out,
        }
        .killed_again_and_again();
    }
}

#[test]
fn killed_mixes_datasets_and_grades() {
    let inputs = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&inputs.path().join(name));
    for seed in [1, 2] {
        succeeds(&build(&inputs.path().join(format!("b{seed}")), seed));
    }
    succeeds(&format!("export-dataset {} --format grailqa --out {}", at("b1"), at("grailqa")));
    for transform in ["T2", "drop"] {
        let out = at(&format!("{transform}.jsonl"));
        succeeds(&format!(
            "degrade --benchmark {} --transform {transform} --share 0.5 --out {out}",
            at("b1")
        ));
    }
    let folder = |kind: &str| tempfile::Builder::new().prefix(kind).tempdir().unwrap();
    let (mixed, imported, graded, exported) = (folder("m"), folder("i"), folder("g"), folder("e"));
    let out = mixed.path().join("out");
    Versions {
        commands: ["one", "two"].map(|name| {
            format!("mix {0} --against {0} --level all --name {name} --out {1}", at("b1"), text(&out))
        }),
        reader: Some(format!("stats {} --json", text(&out))),
        failpoints: &FOLDER_FAILPOINTS,
        among: false,
        out,
    }
    .killed_again_and_again();
    let out = imported.path().join("out");
    Versions {
        commands: ["one", "two"].map(|name| {
            let train = at("grailqa/train.json");
            format!(
                "import-dataset --format grailqa --train {train} --name {name} --kb world --out {}",
                text(&out)
            )
        }),
        reader: Some(format!("stats {} --json", text(&out))),
        failpoints: &FOLDER_FAILPOINTS,
        among: false,
        out,
    }
    .killed_again_and_again();
    let out = graded.path().join("out");
    Versions {
        commands: ["T2", "drop"].map(|transform| {
            let predictions = at(&format!("{transform}.jsonl"));
            format!("grade --benchmark {} --predictions {predictions} --out {} --json", at("b1"), text(&out))
        }),
        reader: Some(format!("compare {0} {0} --json", text(&out))),
        failpoints: &FOLDER_FAILPOINTS,
        among: true,
        out,
    }
    .killed_again_and_again();
    let out = exported.path().join("out");
    Versions {
        commands: [1, 2].map(|seed| {
            format!("export-dataset {} --format grailqa --out {}", at(&format!("b{seed}")), text(&out))
        }),
        // Read by others: each file is whole, and the next export finishes the set.
        reader: None,
        failpoints: &FOLDER_FAILPOINTS,
        among: true,
        out,
    }
    .killed_again_and_again();
}

#[test]
fn killed_files() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    succeeds(&build(&dir.path().join("bench"), 1));
    for (transform, run) in [("oracle", "r1"), ("degraded:T2:0.5", "r2")] {
        succeeds(&format!("run {transform} --benchmark {} --out {}", at("bench"), at(run)));
        succeeds(&format!("grade --benchmark {} --predictions {1} --out {1}", at("bench"), at(run)));
    }
    succeeds(&format!("kb import --from rdf docs/example.ttl --out {}", at("kb")));
    let (reports, exports) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let out = reports.path().join("report.html");
    Versions {
        commands: ["r1", "r2"].map(|run| format!("report {} --out {}", at(run), text(&out))),
        reader: None,
        failpoints: &FILE_FAILPOINTS,
        among: false,
        out,
    }
    .killed_again_and_again();
    let out = exports.path().join("kb.export");
    Versions {
        commands: ["nt", "lines"]
            .map(|format| format!("kb export --kb {} --format {format} --out {}", at("kb"), text(&out))),
        reader: None,
        failpoints: &FILE_FAILPOINTS,
        among: false,
        out,
    }
    .killed_again_and_again();
}

#[test]
fn killed_runs() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    succeeds(&build(&dir.path().join("bench"), 1));
    let command = |out: &str| format!("run degraded:T2:0.5 --benchmark {} --out {}", at("bench"), at(out));
    let start = Instant::now();
    succeeds(&command("whole"));
    let took = start.elapsed();
    let sorted = |out: &str| {
        let text = fs::read_to_string(dir.path().join(out).join("predictions.jsonl")).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let places = ["run-locked", "file-created", "file-written"].map(Some).into_iter().chain([None; 7]);
    for (attempt, place) in places.enumerate() {
        let out = format!("run{}", attempt / 5);
        let mut killed = touchstone();
        killed.args(command(&out).split_whitespace()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some(place) = place {
            killed.env("TOUCHSTONE_FAILPOINT", place);
        }
        let mut child = killed.spawn().unwrap();
        if place.is_none() {
            std::thread::sleep(took.mul_f64(attempt as f64 / 10.0));
            let _ = child.kill();
        }
        child.wait().unwrap();
        if dir.path().join(&out).is_dir() {
            assert!(leftovers(&dir.path().join(&out)).len() <= 1);
        }
    }
    for out in ["run0", "run1"] {
        succeeds(&command(out));
        assert_eq!(sorted(out), sorted("whole"));
        assert_eq!(leftovers(&dir.path().join(out)), [""; 0]);
    }
    // Errors are left out, or they are not.
    let predictions = dir.path().join("run0/predictions.jsonl");
    let mut lines: Vec<serde_json::Value> = json_lines(&predictions);
    for line in lines.iter_mut().take(5) {
        *line = serde_json::json!({ "id": line["id"], "error": "oops" });
    }
    let with_errors: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&predictions, &with_errors).unwrap();
    let mut killed = touchstone();
    killed.args(command("run0").split_whitespace()).arg("--retry-errors").stderr(Stdio::null());
    assert!(!killed.env("TOUCHSTONE_FAILPOINT", "errors-left-out").status().unwrap().success());
    assert_eq!(fs::read_to_string(&predictions).unwrap(), with_errors);
    succeeds(&(command("run0") + " --retry-errors"));
    assert_eq!(sorted("run0"), sorted("whole"));
    assert_eq!(leftovers(&dir.path().join("run0")), [""; 0]);
}
