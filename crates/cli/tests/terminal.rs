//! What happens on a terminal: nothing that a KB says is obeyed, and nothing waits for one that is gone.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::Duration;
use support::{json, run, stderr, stdout, touchstone};

/// A label that would set the title of the window, clear the screen and turn the line round.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31mA\u{202e}txt\u{2066}\r";

fn obeyed(text: &str) -> Vec<char> {
    let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().filter(|&c| c != '\n' && (c.is_control() || turns(c))).collect()
}

#[test]
fn a_terminal_obeys_no_label() {
    let dir = tempfile::tempdir().unwrap();
    let (lines, kb) = (dir.path().join("kb.jsonl"), dir.path().join("kb"));
    let kb = kb.to_str().unwrap();
    let quoted = serde_json::to_string(HOSTILE).unwrap();
    let inner = quoted.trim_matches('"');
    let text = [
        format!(r#"{{"touchstone_kb":1,"name":{quoted},"source":{quoted},"license":{quoted}}}"#),
        format!(r#"{{"class":"c","label":"class {inner}","description":{quoted}}}"#),
        format!(r#"{{"relation":"r","label":"relation {inner}"}}"#),
        format!(
            r#"{{"entity":"e","label":"entity {inner}","aliases":[{quoted}],"description":{quoted},"classes":["c"],"relations":[["r","e"]]}}"#
        ),
    ];
    std::fs::write(&lines, text.join("\n")).unwrap();
    let lines = lines.to_str().unwrap();
    let imported = run(&["kb", "import", "--from", "lines", lines, "--out", kb]);
    assert!(imported.status.success(), "{}", stderr(&imported));
    let commands: [&[&str]; 9] = [
        &["kb", "info", "--kb", kb],
        &["kb", "show", "e", "--kb", kb],
        &["kb", "show", "c", "--kb", kb],
        &["kb", "find", "entity", "--kb", kb],
        &["kb", "show", "entit", "--kb", kb],
        &["query", "--kb", kb, "--trace", "(JOIN r e)"],
        &["query", "--kb", kb, "SELECT ?x ?l WHERE { ?x <http://www.w3.org/2000/01/rdf-schema#label> ?l }"],
        &["verbalise", "--kb", kb, "(JOIN r e)"],
        &["shape", &format!("(JOIN {HOSTILE} e)")],
    ];
    for command in commands {
        let output = run(command);
        let (out, err) = (stdout(&output), stderr(&output));
        assert_eq!(obeyed(&out), [], "{command:?}: {out:?}");
        assert_eq!(obeyed(&err), [], "{command:?}: {err:?}");
    }
    assert!(stdout(&run(&["kb", "show", "e", "--kb", kb])).contains("\u{fffd}]0;owned\u{fffd}"));
    // Programs get exactly what the KB holds, in characters that a terminal shows.
    let shown = run(&["kb", "show", "e", "--kb", kb, "--json"]);
    assert_eq!(obeyed(&stdout(&shown)), []);
    assert_eq!(json(&["kb", "show", "e", "--kb", kb, "--json"])["label"], format!("entity {HOSTILE}"));
    let answers = json(&["query", "--kb", kb, "--json", "(JOIN r e)"]);
    assert_eq!(answers["answers"][0]["label"], format!("entity {HOSTILE}"));
}

/// The shell on a terminal of its own, at its prompt.
fn shell() -> (Child, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let slave = || Stdio::from(File::options().read(true).write(true).open(&name).unwrap());
    let child = touchstone().arg("shell").stdin(slave()).stdout(slave()).stderr(slave()).spawn().unwrap();
    let mut master = File::from(master);
    let mut seen = Vec::new();
    // The editor asks where the cursor is, and then shows its prompt.
    while !String::from_utf8_lossy(&seen).contains("> ") {
        let mut bytes = [0; 1024];
        let n = master.read(&mut bytes).unwrap();
        if bytes[..n].windows(4).any(|window| window == b"\x1b[6n") {
            master.write_all(b"\x1b[1;1R").unwrap();
        }
        seen.extend_from_slice(&bytes[..n]);
    }
    (child, master)
}

/// How a program ends that is to end by itself.
fn ended(mut child: Child) -> std::process::ExitStatus {
    for _ in 0..600 {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    child.kill().unwrap();
    panic!("it does not end");
}

#[test]
fn the_shell_ends_with_its_terminal() {
    let (child, terminal) = shell();
    drop(terminal);
    ended(child);
}

#[test]
fn the_shell_ends_when_it_is_told_to() {
    let (child, terminal) = shell();
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert!(ended(child).success());
    drop(terminal);
}

#[test]
fn the_shell_is_kind_to_people() {
    let mut child = touchstone()
        .arg("shell")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input = "help\nWho directed Alien?\n.show The Shawshank Redemption\n.find shawshank\n.show\nexit\n(COUNT film)\n";
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let (out, err) = (stdout(&output), stderr(&output));
    for expected in [".ask QUESTION", ".show needs a name"] {
        assert!(err.contains(expected), "{expected}: {err}");
    }
    assert!(out.contains("Ridley Scott"), "{out}");
    assert!(out.contains("Frank Darabont") && out.contains("film/tt0111161"), "{out}");
    // Nothing is read after `exit`.
    assert!(!out.contains("17470") && !err.contains("unknown function"), "{out}{err}");
}
