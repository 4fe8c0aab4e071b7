//! What the README and the pages of `docs/` show is what the program prints.
//!
//! Every `console` block is run; with `COMPLETE=1` the files are rewritten with what comes out.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::PathBuf;
use support::{root, stderr, stdout, touchstone};

/// The README and the pages of the documentation.
fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    pages.sort();
    pages.insert(0, root().join("README.md"));
    pages
}

/// Runs the commands of a block and gives the block as it should be.
fn played(block: &str) -> String {
    let mut out = String::new();
    for line in block.lines().filter(|line| line.starts_with("$ ")) {
        let arguments = words(line.strip_prefix("$ touchstone ").expect("only touchstone is run"));
        let output = touchstone().args(arguments).output().unwrap();
        if !out.is_empty() {
            out.push('\n');
        }
        let printed = format!("{line}\n{}{}", stdout(&output), stderr(&output));
        // Some messages name a place in full, which is another one on every machine.
        out.push_str(&printed.replace(&root().display().to_string(), "/home/me/touchstone"));
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

/// Times differ from run to run: those after "in", those of the steps of a query, and the seconds per question of a run (as a table, or
/// in Markdown).
fn without_times(text: &str) -> String {
    let (mut in_steps, mut in_usage) = (false, false);
    let line = |line: &str| {
        in_usage = line.starts_with(" per question ") || in_usage && line.starts_with([' ', '─']);
        if let Some((before, _)) = line.split_once("| seconds |") {
            return format!("{before}| seconds |");
        }
        if in_usage {
            return line.split_whitespace().next().unwrap_or_default().replace('─', "");
        }
        in_steps = line.starts_with("step ") && line.contains(" µs ") || in_steps && !line.is_empty();
        if in_steps {
            let is_time = |word: &&str| word.contains('.') && word.parse::<f64>().is_ok();
            return line.split_whitespace().filter(|word| !is_time(word)).collect::<Vec<_>>().join(" ");
        }
        match line.rsplit_once(" in ") {
            Some((before, time)) if time.ends_with(" s") => format!("{before} in ... s"),
            _ => line.to_owned(),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn only_times_may_differ() {
    let steps = |time: &str| {
        format!("$ touchstone ask\nstep   rows   µs  operations\n└─ all of  3  {time}  49\n\nend 1.5")
    };
    assert_eq!(without_times(&steps("20.2")), without_times(&steps("  7.0")));
    assert_ne!(without_times("3.5"), without_times("3.6"));
    assert_ne!(without_times("step  µs x\n3 1.0"), without_times("step  µs x\n4 1.0"));
    assert_eq!(without_times("done in 1.5 s"), without_times("done in 20 s"));
    let usage = |rule: &str, seconds: &str| {
        without_times(&format!(" per question  mean  n\n{rule}\n seconds  {seconds}  7\nend"))
    };
    assert_eq!(usage("───", "0.5"), usage("────", "12.5"));
    assert_eq!(without_times("| a | seconds | 0.1 |"), without_times("| a | seconds | 0.25 |"));
}

#[test]
fn console_blocks_are_true() {
    // Runs that are there already would go on.
    for name in ["target/readme-nearest", "target/loop", "target/prospector"] {
        let _ = fs::remove_dir_all(root().join(name));
    }
    // What an earlier version wrote, or one with another cache folder, is not replaced.
    for name in ["target/world.json", "target/t2.jsonl"] {
        let _ = fs::remove_file(root().join(name));
    }
    let (mut n_blocks, mut wrong) = (0, Vec::new());
    for path in pages() {
        let text = fs::read_to_string(&path).unwrap();
        let mut parts: Vec<String> = Vec::new();
        for (number, part) in text.split("```").enumerate() {
            // Odd parts are code blocks.
            match part.strip_prefix("console\n").filter(|_| number % 2 == 1) {
                Some(block) => {
                    n_blocks += 1;
                    let expected = played(block);
                    if without_times(block) == without_times(&expected) {
                        // Other times are no reason to change a page.
                        parts.push(part.to_owned());
                        continue;
                    }
                    wrong.push(format!("--- {}\n{block}\n--- the program\n{expected}", path.display()));
                    parts.push(format!("console\n{expected}"));
                }
                None => parts.push(part.to_owned()),
            }
        }
        if std::env::var_os("COMPLETE").is_some() {
            fs::write(path, parts.join("```")).unwrap();
        }
    }
    assert!(n_blocks > 15, "there is a tour");
    if std::env::var_os("COMPLETE").is_none() {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// A block with our commands is played here (`console`), followed by the test `docs` (`sh` on its pages), or says why it cannot be run.
#[test]
fn no_block_with_commands_is_left_out() {
    let is_command = |line: &str| line.trim_start_matches("$ ").starts_with("touchstone ");
    let mut left_out = Vec::new();
    for path in pages() {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_followed = support::FOLLOWED.contains(&name.as_str());
        for block in text.split("```").skip(1).step_by(2) {
            let (info, body) = block.split_once('\n').unwrap_or((block, ""));
            let fine = match info {
                "console" => true,
                "sh" => is_followed,
                info => info.split_once(" not run: ").is_some_and(|(_, reason)| !reason.is_empty()),
            };
            if !fine && body.lines().any(is_command) {
                left_out.push(format!("{name}: ```{info}\n{body}"));
            }
        }
    }
    assert!(left_out.is_empty(), "{}", left_out.join("\n"));
}

/// What a newcomer reads first is short; every page of the documentation has an example that a test runs.
#[test]
fn pages_are_short_and_have_examples() {
    for path in pages() {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(name != "README.md" || text.lines().count() <= 150, "the README has more than 150 lines");
        let is_followed = support::FOLLOWED.contains(&name.as_str());
        assert!(is_followed || text.contains("```console\n"), "docs/{name} has no example");
    }
}

/// Links between pages lead somewhere.
#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for path in pages() {
        let text = fs::read_to_string(&path).unwrap();
        let prose: String = text.split("```").step_by(2).collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            if !file.is_empty() && !file.contains("://") && !path.parent().unwrap().join(file).exists() {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
