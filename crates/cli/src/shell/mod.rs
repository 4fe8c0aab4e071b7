//! `touchstone shell`: run queries interactively.

mod editor;

use crate::progress::Bar;
use crate::session_args::SessionArgs;
use crate::{Outcome, output, reply};
use anyhow::{Context, Result};
use clap::Args;
use editor::{Brackets, Words};
use reedline::{
    ColumnarMenu, DefaultPrompt, DefaultPromptSegment, Emacs, FileBackedHistory, KeyCode, KeyModifiers,
    MenuBuilder, Reedline, ReedlineEvent, ReedlineMenu, Signal, default_emacs_keybindings,
};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use touchstone_engine::{Session, Settings, ShellLine, complete_lines};
use touchstone_kb::{Kb, cache_dir};

/// Arguments of `touchstone shell`.
#[derive(Args)]
pub(crate) struct ShellArgs {
    #[command(flatten)]
    session: SessionArgs,
}

const HELP: &str = "A question in English, or a query in any of the three languages; a query continues on the next line while brackets are open, an empty line ends it.
.show NAME          everything about an entity or a class
.find NAME          entities and classes with this name, or one like it
.ask QUESTION       answer a question in English, also one that looks like a query
.trace on|off       show every step with its rows and time
.engine NAME        auto, embedded, spareval, endpoint:URL
.kb world|DIR       switch to another KB
.lang NAME          auto, sexpr, kopl, sparql
.json on|off        print answers as JSON
.help               this list (also `help`)
.quit               leave (also `quit`, `exit` or Ctrl-D)
Tab completes names of functions, classes, relations, attributes and entities; Ctrl-C stops a query.";

/// What a line led to.
enum Next {
    Continue,
    OpenKb(String),
    Quit,
}

/// The state between lines.
struct Shell {
    args: SessionArgs,
    settings: Settings,
    json: bool,
    failed: bool,
}

pub(crate) fn run(args: &ShellArgs) -> Result<Outcome> {
    let (args, settings) = (args.session.clone(), args.session.settings()?);
    let mut shell = Shell { args, settings, json: false, failed: false };
    let mut kb = Arc::new(crate::open_kb::open_kb(&shell.args.kb)?);
    let interactive = std::io::stdin().is_terminal();
    if interactive {
        note!("{}; .help lists the commands", kb.manifest().name);
    }
    let mut texts = complete_lines(std::io::stdin().lines());
    loop {
        let session = Session::new(&kb);
        let name = if interactive {
            edited_lines(&mut shell, &session, &kb)?
        } else {
            piped_lines(&mut shell, &session, &mut texts)?
        };
        let Some(name) = name else { break };
        drop(session);
        match crate::open_kb::open_kb(&name) {
            Ok(opened) => {
                kb = Arc::new(opened);
                shell.args.kb = name;
                note!("the KB is now {}", kb.manifest().name);
            }
            // The old one stays.
            Err(error) => shell.report(&error),
        }
    }
    // In a pipe, the exit code reports whether everything worked.
    Outcome::found(interactive || !shell.failed)
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

/// Lines from a pipe; the name of the KB that is wanted next, if one is.
fn piped_lines(
    shell: &mut Shell,
    session: &Session<'_>,
    texts: &mut dyn Iterator<Item = std::io::Result<String>>,
) -> Result<Option<String>> {
    for text in texts {
        match shell.line(&text.context("cannot read standard input")?, session) {
            Next::Continue => {}
            Next::OpenKb(name) => return Ok(Some(name)),
            Next::Quit => return Ok(None),
        }
    }
    Ok(None)
}

impl Shell {
    fn line(&mut self, line: &str, session: &Session<'_>) -> Next {
        self.run(line, session).unwrap_or_else(|error| {
            self.report(&error);
            Next::Continue
        })
    }

    fn run(&mut self, line: &str, session: &Session<'_>) -> Result<Next> {
        let word = |on: bool| if on { "on" } else { "off" };
        match ShellLine::parse(line)? {
            ShellLine::Query(query) => self.query(query, session)?,
            ShellLine::English(question) => self.look_up(&["ask"], question)?,
            ShellLine::Help => output::note(HELP),
            ShellLine::Quit => return Ok(Next::Quit),
            ShellLine::Trace(on) => {
                self.settings.trace = on.unwrap_or(!self.settings.trace);
                note!(".trace is {}", word(self.settings.trace));
            }
            ShellLine::Json(on) => {
                self.json = on.unwrap_or(!self.json);
                note!(".json is {}", word(self.json));
            }
            ShellLine::Engine(name) => {
                if let Some(name) = name {
                    self.settings.engine = self.args.engine(name)?;
                }
                note!("the engine is {}", self.settings.engine.name());
            }
            ShellLine::Language(language) => self.args.lang = language,
            ShellLine::Show(name) => self.look_up(&["kb", "show"], name)?,
            ShellLine::Find(name) => self.look_up(&["kb", "find"], name)?,
            ShellLine::Ask(question) => self.look_up(&["ask"], question)?,
            ShellLine::Kb(None) => note!("the KB is {}", self.args.kb),
            ShellLine::Kb(Some(name)) => return Ok(Next::OpenKb(name.to_owned())),
            _ => {}
        }
        Ok(Next::Continue)
    }

    fn query(&self, query: &str, session: &Session<'_>) -> Result<()> {
        let bar = Bar::after_interrupt();
        let reply = session.run(self.args.language(query), query, &self.settings, &bar.cancel());
        drop(bar);
        if self.json {
            reply::json(&reply)?
        } else {
            reply::table(&reply, false)?
        };
        Ok(())
    }

    /// Runs another command about the same KB.
    fn look_up(&mut self, command: &[&str], name: &str) -> Result<()> {
        let kb = format!("--kb={}", self.args.kb);
        let mut line = [command, &[kb.as_str()]].concat();
        line.extend(self.json.then_some("--json"));
        line.extend(["--", name]);
        let line: Vec<String> = line.into_iter().map(str::to_owned).collect();
        self.failed |= crate::run_line(&line)? == Outcome::NothingFound;
        Ok(())
    }

    fn report(&mut self, error: &anyhow::Error) {
        self.failed = true;
        output::error(error);
    }
}
