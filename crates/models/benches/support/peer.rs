//! PyTorch in a process of its own.

use crate::task::Task;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use touchstone_train::{END, START};

/// The environment variable that names a Python with PyTorch.
const PYTHON: &str = "TOUCHSTONE_TORCH";

pub struct Peer {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _folder: tempfile::TempDir,
}

impl Peer {
    /// `None` if there is no PyTorch.
    pub fn start(project: &Path, system: &str, sizes: Value, task: &Task, threads: usize) -> Option<Peer> {
        let python = std::env::var_os(PYTHON).filter(|python| !python.is_empty())?;
        let folder = tempfile::tempdir().unwrap();
        let batches: Vec<Value> = task.batches().iter().map(|examples| batch(task, examples)).collect();
        let description = json!({
            "system": system, "sizes": sizes, "words": crate::task::WORDS, "threads": threads,
            "clip": task.clip, "batches": batches,
        });
        std::fs::write(folder.path().join("task.json"), description.to_string()).unwrap();
        let mut process = Command::new(python)
            .arg(project.join("../../tools/models/bench.py"))
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Some(Peer { process, input, output: BufReader::new(output), _folder: folder })
    }

    /// The answer to a command.
    pub fn ask(&mut self, command: &str) -> f64 {
        writeln!(self.input, "{command}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().parse().unwrap_or_else(|_| panic!("bench.py answered `{line}` to `{command}`"))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Padded rows, as [`Task::batch_of`] has them.
fn batch(task: &Task, examples: &[usize]) -> Value {
    let padded = |rows: Vec<Vec<u32>>| {
        let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
        let row = |mut row: Vec<u32>| {
            row.resize(longest, 0);
            row
        };
        rows.into_iter().map(row).collect::<Vec<_>>()
    };
    let pairs = || examples.iter().map(|&at| &task.pairs[at]);
    let full = padded(pairs().map(|pair| [&[START], &pair.target[..], &[END]].concat()).collect());
    let steps = full[0].len() - 1;
    json!({
        "source": padded(pairs().map(|pair| pair.source.clone()).collect()),
        "input": full.iter().map(|row| &row[..steps]).collect::<Vec<_>>(),
        "output": full.iter().map(|row| &row[1..]).collect::<Vec<_>>(),
        "ends": pairs().map(|pair| pair.target.len() + 1).collect::<Vec<_>>(),
    })
}

/// The peak memory of this process in MB.
pub fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: Option<f64> = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
}
