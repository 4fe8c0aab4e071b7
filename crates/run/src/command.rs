//! Any program as a system: a question a line on its standard input, a prediction a line on its standard output.

use crate::system::{Asked, System, Worker};
use serde_json::{Value as Json, json};
use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// A program that is started by the shell, once for each worker, and again if it dies.
pub struct CommandSystem {
    command: String,
    timeout: Duration,
}

/// Longer replies are no replies.
const MAX_REPLY: usize = 16 << 20;

impl CommandSystem {
    /// A command line, and how long an answer may take.
    pub fn new(command: &str, timeout: Duration) -> CommandSystem {
        CommandSystem { command: command.to_owned(), timeout }
    }
}

impl System for CommandSystem {
    fn name(&self) -> String {
        format!("command:{}", self.command)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Program { system: self, running: None })
    }
}

struct Program<'s> {
    system: &'s CommandSystem,
    running: Option<Running>,
}

/// A started program.
struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Line>,
}

enum Line {
    Text(String),
    Bad(&'static str),
}

impl Running {
    fn start(command: &str) -> Result<Running, String> {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::piped());
        // A group of its own, so that what the shell starts ends with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut child = shell.spawn().map_err(|error| format!("cannot start it: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("cannot talk to it".to_owned());
        };
        let (sender, lines) = sync_channel(16);
        std::thread::spawn(move || {
            let mut reader = BufReader::new(output);
            while let Some(line) = next_line(&mut reader) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Running { child, input, lines })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            let group = format!("-{}", self.child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A line of at most so many bytes; longer ones are read to their end and thrown away.
fn next_line(reader: &mut impl Read) -> Option<Line> {
    let mut line = Vec::new();
    let mut too_long = false;
    let mut byte = [0u8; 1];
    loop {
        match reader.read(&mut byte) {
            Ok(0) | Err(_) => {
                if line.is_empty() && !too_long {
                    return None;
                }
                break;
            }
            Ok(_) if byte[0] == b'\n' => break,
            Ok(_) if line.len() < MAX_REPLY => line.push(byte[0]),
            Ok(_) => too_long = true,
        }
    }
    Some(match String::from_utf8(line) {
        _ if too_long => Line::Bad("the reply is longer than 16 MB"),
        Ok(text) => Line::Text(text),
        Err(_) => Line::Bad("the reply is no UTF-8"),
    })
}

impl Worker for Program<'_> {
    fn answer(&mut self, asked: &Asked) -> Option<Json> {
        Some(self.ask(asked).unwrap_or_else(|error| json!({ "id": asked.id, "error": error })))
    }
}

impl Program<'_> {
    fn ask(&mut self, asked: &Asked) -> Result<Json, String> {
        let question = serde_json::to_string(asked).map_err(|error| error.to_string())? + "\n";
        // It may have died since the last question: that is noticed when writing, and it gets a second chance.
        for attempt in 0..2 {
            let running = match &mut self.running {
                Some(running) => running,
                None => self.running.insert(Running::start(&self.system.command)?),
            };
            let written = running.input.write_all(question.as_bytes()).and_then(|()| running.input.flush());
            let replied = match written {
                Ok(()) => self.reply(&asked.id),
                Err(_) => Err(Failure::Died),
            };
            match replied {
                Ok(reply) => return Ok(reply),
                Err(Failure::Died) => {
                    self.running = None;
                    if attempt == 1 {
                        return Err("the program ends without an answer".to_owned());
                    }
                }
                Err(Failure::Other(error)) => return Err(error),
            }
        }
        Err("the program ends without an answer".to_owned())
    }

    /// The reply to a question. Late replies to earlier ones are skipped.
    fn reply(&mut self, id: &str) -> Result<Json, Failure> {
        let deadline = Instant::now() + self.system.timeout;
        loop {
            let Some(running) = &self.running else { return Err(Failure::Died) };
            let left = deadline.saturating_duration_since(Instant::now());
            match running.lines.recv_timeout(left) {
                Ok(Line::Bad(what)) => return Err(Failure::Other(what.to_owned())),
                Ok(Line::Text(text)) if text.trim().is_empty() => {}
                Ok(Line::Text(text)) => {
                    let Ok(reply) = serde_json::from_str::<Json>(&text) else {
                        let start: String = text.chars().take(80).collect();
                        return Err(Failure::Other(format!("the reply is no JSON: {start}")));
                    };
                    match reply.get("id").map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned))
                    {
                        Some(other) if other != id => {}
                        _ => return Ok(reply),
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    // It is stuck: a new one answers the next question.
                    self.running = None;
                    let seconds = self.system.timeout.as_secs_f32();
                    return Err(Failure::Other(format!("no answer within {seconds} s")));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(Failure::Died),
            }
        }
    }
}

enum Failure {
    Died,
    Other(String),
}
