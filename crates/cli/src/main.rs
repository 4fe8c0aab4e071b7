//! The `touchstone` command: arguments in, tables, progress bars and exit codes out.
//!
//! Exit codes: 0 done, 1 nothing was found, 2 an error.

mod kb;
mod output;
mod progress;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Imports allocate many small strings in several threads; the system's allocator is a third slower at that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Benchmarks, systems and grades for question answering over knowledge bases.
#[derive(Parser)]
#[command(
    name = "touchstone",
    version,
    after_help = "Start here:\n  touchstone kb show Paris       an entity of the embedded World KB\n  touchstone kb info             what the KB holds"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Knowledge bases: look into one, import your own, export it.
    #[command(subcommand)]
    Kb(kb::KbCommand),
}

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    NothingFound,
}

fn main() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_env("TOUCHSTONE_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().init();
    let result = match Cli::parse().command {
        Command::Kb(command) => kb::run(command),
    };
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::NothingFound) => ExitCode::from(1),
        // The reader of our output went away (`touchstone ... | head`): nobody is left to tell.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::from(2)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| match cause.downcast_ref::<touchstone_kb::KbError>() {
        Some(touchstone_kb::KbError::Io { source, .. }) => broken(source),
        _ => cause.downcast_ref::<std::io::Error>().is_some_and(broken),
    })
}
