//! The pages for people with a system or a KB of their own are followed, command by command.
//!
//! A block of `sh` is run; a block with a name after its language is a file.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use support::{FOLLOWED, root, touchstone};

/// Follows a page in an empty folder that has the documents; gives what was printed.
fn follow(page: &str, folder: &Path) -> String {
    assert!(FOLLOWED.contains(&page), "{page} is not on the list");
    let text = fs::read_to_string(root().join("docs").join(page)).unwrap();
    fs::create_dir(folder.join("docs")).unwrap();
    fs::copy(root().join("docs/elements.ttl"), folder.join("docs/elements.ttl")).unwrap();
    let program = touchstone();
    let binary = Path::new(program.get_program()).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut printed = String::new();
    let mut n_run = 0;
    for block in text.split("```").skip(1).step_by(2) {
        let (info, body) = block.split_once('\n').unwrap();
        match info.split_whitespace().collect::<Vec<_>>()[..] {
            ["sh"] => {
                let mut shell = Command::new("sh");
                shell.args(["-e", "-c", body]).current_dir(folder).env("PATH", &path);
                shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
                let output = shell.output().unwrap();
                let (out, err) =
                    (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
                assert!(output.status.success(), "{page}:\n{body}\n{out}\n{err}");
                printed.push_str(&out);
                n_run += 1;
            }
            [_, name] => fs::write(folder.join(name), body).unwrap(),
            _ => {}
        }
    }
    assert!(n_run > 3, "{page} has commands");
    printed
}

#[test]
fn a_system_of_ones_own() {
    if Command::new("python3").arg("--version").output().is_err() {
        touchstone_testing::skipped("there is no python3");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let printed = follow("your-system.md", folder.path());
    assert!(printed.contains("report.html written"), "{printed}");
    assert!(printed.contains("Answer with one KoPL query in a code block"), "{printed}");
    let predictions = fs::read_to_string(folder.path().join("runs/mine/predictions.jsonl")).unwrap();
    assert!(!predictions.contains("\"error\"") && predictions.lines().count() > 50);
}

#[test]
fn continuous_integration() {
    if Command::new("python3").arg("--version").output().is_err() {
        touchstone_testing::skipped("there is no python3");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    follow("ci.md", folder.path());
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("grades.xml").contains("failures=\"0\""), "{}", read("grades.xml"));
    assert!(read("comparison.md").contains("| runs/new | f1 |"), "{}", read("comparison.md"));
    // The workflow runs what the test ran.
    let page = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let workflow = page.split("```yaml").nth(1).unwrap();
    let blocks = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    for line in blocks.flat_map(str::lines).filter(|line| line.starts_with("touchstone")) {
        assert!(workflow.contains(line), "the workflow has no `{line}`");
    }
}

#[test]
fn a_kb_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let printed = follow("your-kb.md", folder.path());
    assert!(printed.contains("no problems found"), "{printed}");
    // Humphry Davy discovered six elements.
    assert!(printed.lines().any(|line| line == "6") && printed.contains("polonium"), "{printed}");
    assert!(printed.contains("elements.html written"), "{printed}");
}

#[test]
fn questions_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let printed = follow("your-questions.md", folder.path());
    assert!(printed.contains("no problems found"), "{printed}");
    assert!(printed.contains("3 questions written to nolan/; 0 records could not be read"), "{printed}");
    let f1 = printed.lines().find(|line| line.starts_with(" f1 ")).unwrap_or_else(|| panic!("{printed}"));
    assert!(f1.contains("1.000"), "{printed}");
}

#[test]
fn a_recipe_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let printed = follow("recipes.md", folder.path());
    assert!(printed.contains("no problems found"), "{printed}");
}

#[test]
fn an_experiment_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let printed = follow("experiments.md", folder.path());
    assert!(printed.contains("NSpM 50 %") && printed.contains("LSTM with attention 50 %"), "{printed}");
    let text = fs::read_to_string(folder.path().join("mine.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((json["cells"].as_u64(), json["missing"].as_u64()), (Some(4), Some(0)));
    let page = fs::read_to_string(folder.path().join("mine/experiment.html")).unwrap();
    assert!(page.contains("Attention") && page.contains("<polyline"), "the page has curves");
}
