//! Runs the program as a user does.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The program, started in the root, with a cache folder that all tests share.
pub fn touchstone() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchstone"));
    command.current_dir(root()).env("TOUCHSTONE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.env_remove("TOUCHSTONE_LOG");
    command
}

pub fn run(args: &[&str]) -> Output {
    touchstone().args(args).output().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Standard output of a command that must succeed, as JSON.
pub fn json(args: &[&str]) -> serde_json::Value {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The pages whose `sh` blocks are run, one after the other, in an empty folder.
pub const FOLLOWED: [&str; 6] =
    ["ci.md", "experiments.md", "recipes.md", "your-kb.md", "your-questions.md", "your-system.md"];
