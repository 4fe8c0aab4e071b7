//! `touchstone shell`: run queries interactively.

use super::complete::{Brackets, Words};
use super::{RunArgs, show};
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use reedline::{
    ColumnarMenu, DefaultPrompt, DefaultPromptSegment, Emacs, FileBackedHistory, KeyCode, KeyModifiers,
    MenuBuilder, Reedline, ReedlineEvent, ReedlineMenu, Signal, default_emacs_keybindings,
};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use touchstone_engine::{Session, Settings};
use touchstone_kb::{Kb, cache_dir};
use touchstone_logic::typed::{is_complete, is_english};

/// Arguments of `touchstone shell`.
#[derive(Args)]
pub(crate) struct ShellArgs {
    #[command(flatten)]
    run: RunArgs,
}

const HELP: &str = "A query in any of the three languages; it continues on the next line while brackets are open, an empty line ends it.
.show NAME          everything about an entity or a class
.find NAME          entities and classes with this name, or one like it
.ask QUESTION       try to answer a question in English
.trace on|off       show every step with its rows and time
.engine NAME        auto, embedded, spareval, endpoint:URL
.kb world|DIR       switch to another KB
.lang NAME          auto, sexpr, kopl, sparql
.json on|off        print answers as JSON
.help               this list (also `help`)
.quit               leave (also `quit`, `exit` or Ctrl-D)
Tab completes names of functions, classes, relations, attributes and entities; Ctrl-C stops a query.";

/// What begins with a dot.
pub(super) const COMMANDS: [&str; 11] =
    [".ask", ".engine", ".exit", ".find", ".help", ".json", ".kb", ".lang", ".quit", ".show", ".trace"];

/// What a line led to.
enum Next {
    Continue,
    OpenKb(String),
    Quit,
}

/// The state between lines.
struct Shell {
    args: RunArgs,
    settings: Settings,
    json: bool,
    failed: bool,
}

pub(crate) fn run(args: &ShellArgs) -> Result<Outcome> {
    let mut shell =
        Shell { args: args.run.clone(), settings: args.run.settings()?, json: false, failed: false };
    let mut kb = Arc::new(crate::open_kb::open_kb(&shell.args.kb)?);
    let interactive = std::io::stdin().is_terminal();
    if interactive {
        output::note(&format!("{}; .help lists the commands", kb.manifest().name));
    }
    let mut lines = std::io::stdin().lines();
    loop {
        let session = Session::new(&kb);
        let name = if interactive {
            edited_lines(&mut shell, &session, &kb)?
        } else {
            piped_lines(&mut shell, &session, &mut lines)?
        };
        let Some(name) = name else { break };
        drop(session);
        match crate::open_kb::open_kb(&name) {
            Ok(opened) => {
                kb = Arc::new(opened);
                shell.args.kb = name;
                output::note(&format!("the KB is now {}", kb.manifest().name));
            }
            // The old one stays.
            Err(error) => shell.report(&error),
        }
    }
    // In a pipe, the exit code reports whether everything worked.
    Ok(if shell.failed && !interactive { Outcome::NothingFound } else { Outcome::Done })
}

/// Lines with an editor; the name of the KB that is wanted next, if one is.
fn edited_lines(shell: &mut Shell, session: &Session<'_>, kb: &Arc<Kb>) -> Result<Option<String>> {
    let mut keys = default_emacs_keybindings();
    keys.add_binding(
        KeyModifiers::NONE,
        KeyCode::Tab,
        ReedlineEvent::UntilFound(vec![
            ReedlineEvent::Menu("completions".to_owned()),
            ReedlineEvent::MenuNext,
        ]),
    );
    let menu = Box::new(ColumnarMenu::default().with_name("completions"));
    let mut editor = Reedline::create()
        .with_completer(Box::new(Words::new(Arc::clone(kb))))
        .with_menu(ReedlineMenu::EngineCompleter(menu))
        .with_validator(Box::new(Brackets))
        .with_edit_mode(Box::new(Emacs::new(keys)));
    // The shell also works without a history, for example where the folder cannot be written.
    if let Ok(history) = FileBackedHistory::with_file(1000, cache_dir().join("shell-history")) {
        editor = editor.with_history(Box::new(history));
    }
    let prompt = DefaultPrompt::new(
        DefaultPromptSegment::Basic(output::visible(&kb.manifest().name).into_owned()),
        DefaultPromptSegment::Empty,
    );
    let must_end = Arc::new(AtomicBool::new(false));
    editor = editor.with_break_signal(Arc::clone(&must_end));
    loop {
        let watch = Watch::start(&must_end);
        let read = editor.read_line(&prompt).context("cannot read from the terminal")?;
        drop(watch);
        match read {
            Signal::Success(line) => {
                // Also what is typed last before the terminal goes away is kept.
                let _ = editor.sync_history();
                match shell.line(&line, session) {
                    Next::Continue => {}
                    Next::OpenKb(name) => return Ok(Some(name)),
                    Next::Quit => return Ok(None),
                }
            }
            Signal::CtrlD | Signal::ExternalBreak(_) => return Ok(None),
            _ => {}
        }
    }
}

/// Looks after the terminal while a line is read from it.
struct Watch {
    ended: Arc<AtomicBool>,
}

/// How often to look.
const WATCH_EVERY: Duration = Duration::from_millis(200);

impl Watch {
    /// Sets `must_end` when a signal ends the program: while a line is edited, Ctrl-C is a key, not a signal.
    fn start(must_end: &Arc<AtomicBool>) -> Watch {
        let ended = Arc::new(AtomicBool::new(false));
        let (has_ended, must_end) = (Arc::clone(&ended), Arc::clone(must_end));
        let signal = crate::progress::next_interrupt();
        std::thread::spawn(move || {
            while !has_ended.load(Ordering::Relaxed) {
                if !std::io::stdin().is_terminal() {
                    // The editor would try to read from it forever, and cannot be stopped.
                    std::process::exit(0);
                }
                if signal.is_cancelled() {
                    must_end.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(WATCH_EVERY);
            }
        });
        Watch { ended }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// Lines from a pipe: a query ends when it is complete.
fn piped_lines(
    shell: &mut Shell,
    session: &Session<'_>,
    lines: &mut dyn Iterator<Item = std::io::Result<String>>,
) -> Result<Option<String>> {
    let mut text = String::new();
    loop {
        let line = lines.next().transpose().context("cannot read standard input")?;
        let at_end = line.is_none();
        if let Some(line) = line {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&line);
        }
        if !at_end && !text.trim().is_empty() && !is_complete(&text) {
            continue;
        }
        let query = std::mem::take(&mut text);
        match shell.line(&query, session) {
            Next::Continue if at_end => return Ok(None),
            Next::Continue => {}
            Next::OpenKb(name) => return Ok(Some(name)),
            Next::Quit => return Ok(None),
        }
    }
}

impl Shell {
    fn line(&mut self, line: &str, session: &Session<'_>) -> Next {
        let line = line.trim();
        if line.is_empty() {
            return Next::Continue;
        }
        let word = line.to_ascii_lowercase();
        let command = match word.as_str() {
            "help" | "?" | "quit" | "exit" => Some(format!(".{}", word.replace('?', "help"))),
            _ => line.starts_with('.').then(|| line.to_owned()),
        };
        if let Some(command) = command {
            return self.command(&command).unwrap_or_else(|error| {
                self.report(&error);
                Next::Continue
            });
        }
        if is_english(line) {
            self.failed = true;
            output::note(&format!(
                "This looks like a question in English, not like a query. To answer it, try:\n  .ask {line}\n.help lists the other commands."
            ));
            return Next::Continue;
        }
        let bar = Bar::after_interrupt();
        let reply = session.run(self.args.language(line), line, &self.settings, &bar.cancel());
        drop(bar);
        let shown = if self.json { show::json(&reply) } else { show::table(&reply, false) };
        if let Err(error) = shown {
            self.report(&error);
        }
        Next::Continue
    }

    /// Runs another command about the same KB.
    fn look_up(&mut self, command: &[&str], name: &str) -> Result<()> {
        let kb = format!("--kb={}", self.args.kb);
        let mut line = [&["touchstone"], command, &[kb.as_str()]].concat();
        line.extend(self.json.then_some("--json"));
        line.extend(["--", name]);
        let outcome = crate::done(crate::parsed(line.into_iter().map(str::to_owned))?)?;
        self.failed |= outcome == Outcome::NothingFound;
        Ok(())
    }

    fn report(&mut self, error: &anyhow::Error) {
        self.failed = true;
        output::error(error);
    }

    fn command(&mut self, line: &str) -> Result<Next> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let switch = |rest: &str, now: bool| match rest {
            "on" => Ok(true),
            "off" => Ok(false),
            "" => Ok(!now),
            other => bail!("`{other}` is neither on nor off"),
        };
        let report =
            |what: &str, on: bool| output::note(&format!("{what} is {}", if on { "on" } else { "off" }));
        match name {
            ".help" => output::note(HELP),
            ".quit" | ".exit" => return Ok(Next::Quit),
            ".trace" => {
                self.settings.trace = switch(rest, self.settings.trace)?;
                report(".trace", self.settings.trace);
            }
            ".json" => {
                self.json = switch(rest, self.json)?;
                report(".json", self.json);
            }
            ".engine" if rest.is_empty() => {
                output::note(&format!("the engine is {}", self.settings.engine.name()))
            }
            ".engine" => {
                self.settings.engine = self.args.engine(rest)?;
                output::note(&format!("the engine is {}", self.settings.engine.name()));
            }
            ".lang" => {
                self.args.lang = super::LanguageName::from_str(rest, true)
                    .map_err(|_| anyhow::anyhow!("`{rest}` is none of auto, sexpr, kopl, sparql"))?;
            }
            ".show" | ".find" | ".ask" if rest.is_empty() => {
                bail!("{name} needs something to look for, as in `{name} Paris`")
            }
            ".show" => self.look_up(&["kb", "show"], rest)?,
            ".find" => self.look_up(&["kb", "find"], rest)?,
            ".ask" => self.look_up(&["ask"], rest)?,
            ".kb" if rest.is_empty() => output::note(&format!("the KB is {}", self.args.kb)),
            ".kb" => return Ok(Next::OpenKb(rest.to_owned())),
            other => {
                let nearest = touchstone_kb::nearest_name(other, COMMANDS).unwrap_or(".help");
                bail!("there is no command `{other}`; did you mean `{nearest}`?");
            }
        }
        Ok(Next::Continue)
    }
}
