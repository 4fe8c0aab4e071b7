//! `touchstone shell`: ask one thing after the other.

use super::complete::{Brackets, Words, is_complete};
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
use touchstone_engine::{Session, Settings};
use touchstone_kb::{Kb, world};

/// Arguments of `touchstone shell`.
#[derive(Args)]
pub(crate) struct ShellArgs {
    #[command(flatten)]
    run: RunArgs,
}

const HELP: &str = "A query in any of the three languages, over several lines if brackets are open; an empty line ends it anyway.
.trace on|off       show every step with its rows and time
.engine NAME        auto, embedded, spareval, endpoint:URL
.kb world|DIR       another KB
.lang NAME          auto, sexpr, kopl, sparql
.json on|off        answers for machines
.help               this
.quit               leave (or Ctrl-D)
Tab completes names of functions, classes, relations, attributes and entities; Ctrl-C stops a query.";

/// What a line led to.
enum Next {
    Go,
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
    let mut kb = Arc::new(crate::kb::open(&shell.args.kb)?);
    let interactive = std::io::stdin().is_terminal();
    if interactive {
        output::note(&format!("{}; .help tells what there is", kb.manifest().name));
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
        match crate::kb::open(&name) {
            Ok(opened) => {
                kb = Arc::new(opened);
                shell.args.kb = name;
                output::note(&format!("now {}", kb.manifest().name));
            }
            // The old one stays.
            Err(error) => shell.report(&error),
        }
    }
    // In a pipe, the exit code tells whether everything worked.
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
    // Without a place for it there is no history, and that is no reason not to start.
    if let Ok(history) = FileBackedHistory::with_file(1000, world::cache_dir().join("shell-history")) {
        editor = editor.with_history(Box::new(history));
    }
    let prompt = DefaultPrompt::new(
        DefaultPromptSegment::Basic(kb.manifest().name.clone()),
        DefaultPromptSegment::Empty,
    );
    loop {
        match editor.read_line(&prompt).context("cannot read from the terminal")? {
            Signal::Success(line) => match shell.line(&line, session) {
                Next::Go => {}
                Next::OpenKb(name) => return Ok(Some(name)),
                Next::Quit => return Ok(None),
            },
            Signal::CtrlD => return Ok(None),
            _ => {}
        }
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
            Next::Go if at_end => return Ok(None),
            Next::Go => {}
            Next::OpenKb(name) => return Ok(Some(name)),
            Next::Quit => return Ok(None),
        }
    }
}

impl Shell {
    fn line(&mut self, line: &str, session: &Session<'_>) -> Next {
        let line = line.trim();
        if line.is_empty() {
            return Next::Go;
        }
        if line.starts_with('.') {
            return self.command(line).unwrap_or_else(|error| {
                self.report(&error);
                Next::Go
            });
        }
        let bar = Bar::again();
        let reply = session.run(self.args.language(line), line, &self.settings, &bar.cancel());
        drop(bar);
        let shown = if self.json { show::json(&reply) } else { show::table(&reply, false) };
        if let Err(error) = shown {
            self.report(&error);
        }
        Next::Go
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
        let told =
            |what: &str, on: bool| output::note(&format!("{what} is {}", if on { "on" } else { "off" }));
        match name {
            ".help" => output::note(HELP),
            ".quit" | ".exit" => return Ok(Next::Quit),
            ".trace" => {
                self.settings.trace = switch(rest, self.settings.trace)?;
                told(".trace", self.settings.trace);
            }
            ".json" => {
                self.json = switch(rest, self.json)?;
                told(".json", self.json);
            }
            ".engine" if rest.is_empty() => {
                output::note(&format!("the engine is {}", self.settings.engine.word()))
            }
            ".engine" => {
                self.settings.engine = self.args.engine(rest)?;
                output::note(&format!("the engine is {}", self.settings.engine.word()));
            }
            ".lang" => {
                self.args.lang = super::LanguageName::from_str(rest, true)
                    .map_err(|_| anyhow::anyhow!("`{rest}` is none of auto, sexpr, kopl, sparql"))?;
            }
            ".kb" if rest.is_empty() => output::note(&format!("the KB is {}", self.args.kb)),
            ".kb" => return Ok(Next::OpenKb(rest.to_owned())),
            other => {
                let known = [".engine", ".help", ".json", ".kb", ".lang", ".quit", ".trace"];
                let nearest = touchstone_kb::nearest_name(other, known).unwrap_or(".help");
                bail!("there is no command `{other}`; did you mean `{nearest}`?");
            }
        }
        Ok(Next::Go)
    }
}
