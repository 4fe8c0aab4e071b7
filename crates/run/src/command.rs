//! Any program as a system: a question a line on its standard input, a prediction a line on its standard output.

use crate::system::{Asked, System, Worker};
use serde_json::{Value as Json, json};
use std::io::{BufReader, Read, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::time::{Duration, Instant};

/// A program that is started by the shell, once for each worker, and again if it dies.
pub struct CommandSystem {
    command: String,
    timeout: Duration,
    /// The shell could not find or start it: trying again for each question would only repeat the message.
    missing: AtomicBool,
}

/// The exit codes of a shell that cannot start or find a program.
const CANNOT_START: [i32; 2] = [126, 127];

/// Longer replies are no replies.
const MAX_REPLY: usize = 16 << 20;

impl CommandSystem {
    /// A command line, and how long an answer may take.
    pub fn new(command: &str, timeout: Duration) -> CommandSystem {
        CommandSystem { command: command.to_owned(), timeout, missing: AtomicBool::new(false) }
    }

    fn cannot_start(&self) -> String {
        format!(
            "the shell cannot find or start `{}`; check the path, and that the file is executable",
            self.command
        )
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
    /// Ends what the program has started, when this is dropped.
    #[cfg(unix)]
    _guard: Guard,
    /// Questions on their way: written by a thread of its own, because a program that does not read must not hold us up.
    questions: Option<Sender<String>>,
    lines: Receiver<Line>,
    /// Whether it has answered something.
    has_answered: bool,
}

/// A process that leads the group of a program and all that it starts, and ends the group when we end, in whatever way: its input is a
/// pipe from us that no other process has.
#[cfg(unix)]
struct Guard(Child);

#[cfg(unix)]
impl Guard {
    /// Nothing is ever written to its input, so it waits until every writer is gone.
    fn start() -> std::io::Result<Guard> {
        let mut guard = Command::new("sh");
        guard.args(["-c", "read -r line; kill -s KILL 0"]).process_group(0);
        guard.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(Guard)
    }

    fn group(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.0)
    }
}

#[cfg(unix)]
impl Drop for Guard {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process_group(self.group(), rustix::process::Signal::KILL);
        let _ = self.0.wait();
    }
}

enum Line {
    Text(String),
    Bad(&'static str),
}

impl Running {
    fn start(command: &str) -> Result<Running, String> {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::piped());
        #[cfg(unix)]
        let guard = Guard::start().map_err(|error| format!("cannot start it: {error}"))?;
        #[cfg(unix)]
        shell.process_group(guard.group().as_raw_nonzero().get());
        let mut child = shell.spawn().map_err(|error| format!("cannot start it: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("cannot talk to it".to_owned());
        };
        let (questions, asked) = channel::<String>();
        std::thread::spawn(move || write_all(input, &asked));
        let (sender, lines) = sync_channel(16);
        std::thread::spawn(move || {
            let mut reader = BufReader::new(output);
            while let Some(line) = next_line(&mut reader) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Running {
            child,
            #[cfg(unix)]
            _guard: guard,
            questions: Some(questions),
            lines,
            has_answered: false,
        })
    }

    /// How it ended, if it does so soon.
    fn ending(&mut self) -> Option<ExitStatus> {
        self.questions = None;
        (0..50).find_map(|_| {
            let status = self.child.try_wait().ok().flatten();
            if status.is_none() {
                std::thread::sleep(Duration::from_millis(10));
            }
            status
        })
    }

    /// Lets it end by itself: it sees the end of its input.
    fn let_go(mut self) {
        self.ending();
    }
}

/// Writes questions until there are no more, or the program stops reading.
fn write_all(mut input: ChildStdin, questions: &Receiver<String>) {
    for question in questions {
        if input.write_all(question.as_bytes()).and_then(|()| input.flush()).is_err() {
            break;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // What it has started ends with the guard, which is dropped after this.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.let_go();
        }
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
        loop {
            if self.system.missing.load(Ordering::Relaxed) {
                return Err(self.system.cannot_start());
            }
            let running = match &mut self.running {
                Some(running) => running,
                None => self.running.insert(Running::start(&self.system.command)?),
            };
            // A reply without a question is not the answer to this one.
            while running.lines.try_recv().is_ok() {}
            // That it has died since is noticed when there is no reply.
            let _ = running.questions.as_ref().map(|questions| questions.send(question.clone()));
            match reply(running, &asked.id, self.system.timeout) {
                Ok(reply) => {
                    running.has_answered = true;
                    return Ok(reply);
                }
                Err(failure) => {
                    // Whatever went wrong, the next question is for a new one: with this one, answers might come to the wrong questions.
                    let again = failure.is_none() && running.has_answered;
                    let ending = if failure.is_none() { running.ending() } else { None };
                    self.running = None;
                    if again {
                        continue;
                    }
                    if ending
                        .and_then(|status| status.code())
                        .is_some_and(|code| CANNOT_START.contains(&code))
                    {
                        self.system.missing.store(true, Ordering::Relaxed);
                        return Err(self.system.cannot_start());
                    }
                    let ending = ending.map_or(String::new(), |status| format!(" ({status})"));
                    return Err(
                        failure.unwrap_or_else(|| format!("the program ends without an answer{ending}"))
                    );
                }
            }
        }
    }
}

/// The reply to a question. Late replies to earlier ones are skipped. `None`: the program has ended.
fn reply(running: &Running, id: &str, timeout: Duration) -> Result<Json, Option<String>> {
    let deadline = Instant::now() + timeout;
    let mut about_others = 0;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let others = match about_others {
                0 => String::new(),
                n => format!("; {n} of its replies have another `id`"),
            };
            return Err(Some(format!("no answer within {} s{others}", timeout.as_secs_f32())));
        }
        match running.lines.recv_timeout(left) {
            Ok(Line::Bad(what)) => return Err(Some(what.to_owned())),
            Ok(Line::Text(text)) if text.trim().is_empty() => {}
            Ok(Line::Text(text)) => {
                let Ok(reply) = serde_json::from_str::<Json>(&text) else {
                    let start: String = text.chars().take(80).collect();
                    return Err(Some(format!("the reply is no JSON: {start}")));
                };
                match reply.get("id").map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned)) {
                    Some(found) if found == id => return Ok(reply),
                    Some(_) => about_others += 1,
                    None => return Err(Some("the reply has no `id`".to_owned())),
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(None),
        }
    }
}
