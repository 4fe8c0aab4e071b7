//! Any program as a system: one question per line on its standard input, one prediction per line on its standard output.

use crate::system::{System, SystemInput, Worker};
use crate::system_error::{SystemError, parse_reply, reply_id};
use std::io::{BufReader, Read, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::time::{Duration, Instant};
use touchstone_benchmark::Prediction;

/// A program that the shell starts, once for each worker, and again if it exits.
pub struct CommandSystem {
    command: String,
    timeout: Duration,
    /// The directory to start it in, if not the current one.
    directory: Option<PathBuf>,
    /// The shell could not find or start it: retrying for each question would only repeat the message.
    missing: AtomicBool,
}

/// The exit codes of a shell that cannot find or start a program.
const CANNOT_START: [i32; 2] = [126, 127];

/// Maximum number of bytes of a reply.
const MAX_REPLY: usize = 16 << 20;

impl CommandSystem {
    /// A command line, and the time limit of an answer.
    pub fn new(command: &str, timeout: Duration) -> CommandSystem {
        CommandSystem {
            command: command.to_owned(),
            timeout,
            directory: None,
            missing: AtomicBool::new(false),
        }
    }

    /// Starts it in a directory other than the current one.
    #[must_use]
    pub(crate) fn in_directory(self, directory: &Path) -> CommandSystem {
        CommandSystem { directory: Some(directory.to_owned()), ..self }
    }

    fn not_found(&self) -> SystemError {
        SystemError::CommandNotFound { command: self.command.clone() }
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
    /// Ends all processes that the program started, when this is dropped.
    #[cfg(unix)]
    _guard: Guard,
    /// Queued questions: a separate thread writes them, because a program that does not read must not block us.
    questions: Option<Sender<String>>,
    lines: Receiver<Line>,
    /// Whether it has replied at least once.
    has_answered: bool,
}

/// A process that leads the process group of a program and ends the group when we end, however that happens: its input is a
/// pipe from us that no other process has.
#[cfg(unix)]
struct Guard(Child);

#[cfg(unix)]
impl Guard {
    /// Nothing is ever written to its input, so it blocks until every writer is gone.
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
    TooLong,
    NotUtf8,
}

impl Running {
    fn start(system: &CommandSystem) -> Result<Running, SystemError> {
        let mut shell = Command::new("sh");
        shell.args(["-c", &system.command]).stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(directory) = &system.directory {
            shell.current_dir(directory);
        }
        #[cfg(unix)]
        let guard = Guard::start().map_err(SystemError::Start)?;
        #[cfg(unix)]
        shell.process_group(guard.group().as_raw_nonzero().get());
        let mut child = shell.spawn().map_err(SystemError::Start)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(SystemError::Start(std::io::ErrorKind::BrokenPipe.into()));
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

    /// Its exit status, if it exits soon.
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

    /// Closes its input and lets it exit by itself.
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
        // Dropping the guard after this ends the processes that it started.
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

/// The next line. A line longer than [`MAX_REPLY`] is read to its end and discarded.
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
        _ if too_long => Line::TooLong,
        Ok(text) => Line::Text(text),
        Err(_) => Line::NotUtf8,
    })
}

impl Worker for Program<'_> {
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError> {
        let question = serde_json::to_string(input).map_err(SystemError::Question)? + "\n";
        loop {
            if self.system.missing.load(Ordering::Relaxed) {
                return Err(self.system.not_found());
            }
            let running = match &mut self.running {
                Some(running) => running,
                None => self.running.insert(Running::start(self.system)?),
            };
            // A reply that arrived before the question is not an answer to it.
            while running.lines.try_recv().is_ok() {}
            // If it has exited since, the missing reply shows it.
            let _ = running.questions.as_ref().map(|questions| questions.send(question.clone()));
            let error = match reply(running, &input.id, self.system.timeout) {
                Ok(prediction) => {
                    running.has_answered = true;
                    return Ok(prediction);
                }
                // The program works; only its reply is unusable.
                Err(error @ SystemError::Unusable(_)) => {
                    running.has_answered = true;
                    return Err(error);
                }
                Err(SystemError::ProgramEnded { .. }) => {
                    let status = running.ending();
                    let has_answered = running.has_answered;
                    self.running = None;
                    if has_answered {
                        continue;
                    }
                    if status
                        .and_then(|status| status.code())
                        .is_some_and(|code| CANNOT_START.contains(&code))
                    {
                        self.system.missing.store(true, Ordering::Relaxed);
                        return Err(self.system.not_found());
                    }
                    SystemError::ProgramEnded { status }
                }
                Err(error) => error,
            };
            // Start a new process for the next question: this one might answer the wrong question.
            self.running = None;
            return Err(error);
        }
    }
}

/// The reply to a question. Late replies to earlier ones are skipped.
fn reply(running: &Running, id: &str, timeout: Duration) -> Result<Prediction, SystemError> {
    let deadline = Instant::now() + timeout;
    let mut other_replies = 0;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(SystemError::TimedOut { seconds: timeout.as_secs_f32(), other_replies });
        }
        match running.lines.recv_timeout(left) {
            Ok(Line::TooLong) => return Err(SystemError::ReplyTooLong),
            Ok(Line::NotUtf8) => return Err(SystemError::ReplyNotUtf8),
            Ok(Line::Text(text)) if text.trim().is_empty() => {}
            Ok(Line::Text(text)) => {
                let reply = parse_reply(&text)?;
                match reply_id(&reply) {
                    Some(found) if found == id => return Ok(Prediction::from_reply(id, reply)?),
                    Some(_) => other_replies += 1,
                    None => return Err(SystemError::ReplyWithoutId),
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(SystemError::ProgramEnded { status: None }),
        }
    }
}
