//! What the README shows is what the program prints.
//!
//! Every `console` block is run; with `COMPLETE=1` the README is rewritten with what comes out.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::fs;
use support::{root, stderr, stdout, touchstone};

/// Runs the commands of a block and gives the block as it should be.
fn played(block: &str) -> String {
    let mut out = String::new();
    for line in block.lines().filter(|line| line.starts_with("$ ")) {
        let arguments = words(line.strip_prefix("$ touchstone ").expect("only touchstone is run"));
        let output = touchstone().args(arguments).output().unwrap();
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("{line}\n{}{}", stdout(&output), stderr(&output)));
    }
    out
}

/// Splits a command line at blanks outside of double quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// Times differ from run to run.
fn without_times(text: &str) -> String {
    let line = |line: &str| match line.rsplit_once(" in ") {
        Some((before, time)) if time.ends_with(" s") => format!("{before} in ... s"),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn console_blocks_are_true() {
    let path = root().join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    // A run that is there already would go on.
    let _ = fs::remove_dir_all(root().join("target/readme-nearest"));
    let mut parts: Vec<String> = Vec::new();
    let mut wrong = Vec::new();
    for (number, part) in readme.split("```").enumerate() {
        // Odd parts are code blocks.
        match part.strip_prefix("console\n").filter(|_| number % 2 == 1) {
            Some(block) => {
                let expected = played(block);
                if without_times(block) != without_times(&expected) {
                    wrong.push(format!("--- README\n{block}\n--- the program\n{expected}"));
                }
                parts.push(format!("console\n{expected}"));
            }
            None => parts.push(part.to_owned()),
        }
    }
    assert!(parts.len() > 15, "the README has a tour");
    if std::env::var_os("COMPLETE").is_some() {
        fs::write(path, parts.join("```")).unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
