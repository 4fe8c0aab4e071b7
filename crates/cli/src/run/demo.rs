//! `touchstone demo`: the whole product in one command, made of the commands that it teaches.

use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Instant;
use touchstone_benchmark::Benchmark;

/// Arguments of `touchstone demo`.
#[derive(Args)]
pub(crate) struct DemoArgs {
    /// Number of questions in the benchmark
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(100..))]
    questions: u32,
    /// Where everything is written; existing files are reused
    #[arg(long, value_name = "DIR", default_value = "touchstone-demo")]
    out: PathBuf,
    /// Open the report in the browser
    #[arg(long)]
    open: bool,
}

/// The systems, with the folders of their runs and what they are.
const SYSTEMS: [(&str, &str, &str); 3] = [
    ("oracle", "oracle", "Gold as a system: must score 1.0"),
    ("nearest", "nearest", "A real baseline: reuses the query of the most similar training question"),
    ("degraded:T2:0.2", "degraded", "Gold with random names in a fifth of its queries: must score about 0.8"),
];

pub(crate) fn run(args: &DemoArgs) -> Result<()> {
    let start = Instant::now();
    let shown = |path: &Path| path.display().to_string();
    let benchmark = shown(&args.out.join("benchmark"));
    let runs = args.out.join("runs");
    let folder = |name: &str| shown(&runs.join(name));
    if let Ok(there) = Benchmark::read(&args.out.join("benchmark"))
        && there
            .manifest
            .recipe_number("questions")
            .is_some_and(|questions| questions != u64::from(args.questions))
    {
        bail!(
            "{} contains a demo with a different number of questions; give another --out",
            args.out.display()
        );
    }
    std::fs::create_dir_all(&runs).with_context(|| format!("cannot make {}", runs.display()))?;
    let number = args.questions.to_string();
    step(
        "A benchmark: questions about the embedded World KB, each with its answers and queries, verified as it is built",
        &["build", "quick", "--questions", &number, "--out", &benchmark],
    )?;
    for (system, name, about) in SYSTEMS {
        step(about, &["run", system, "--benchmark", &benchmark, "--out", &folder(name)])?;
    }
    for (_, name, _) in SYSTEMS {
        step(
            &format!("Grades of `{name}`: answers and reasoning, each score with its interval"),
            &[
                &["grade", "--benchmark", &benchmark, "--predictions", &folder(name)][..],
                &["--measures", "exec,em_answer,f1,gek_3", "--by", "level,function,shape"],
                &["--out", &folder(name), "--brief"],
            ]
            .concat(),
        )?;
    }
    step(
        "Is the difference between two systems more than luck?",
        &["compare", &folder("nearest"), &folder("degraded"), "--measures", "f1,gek_3", "--flips", "2"],
    )?;
    let report = args.out.join("report.html");
    let mut line = vec!["report".to_owned()];
    line.extend(SYSTEMS.iter().map(|(_, name, _)| folder(name)));
    line.extend(["--out".to_owned(), shown(&report)]);
    step(
        "One page with everything: scores, breakdowns, every question with both graphs",
        &line.iter().map(String::as_str).collect::<Vec<_>>(),
    )?;
    step("All runs at a glance", &["runs", &shown(&runs)])?;
    say!(
        "\nThe report is {}: open it in a browser.\nDone in {:.1} s",
        report.display(),
        start.elapsed().as_secs_f64()
    )?;
    if args.open {
        open(&report);
    }
    Ok(())
}

/// Shows a command and runs it.
fn step(about: &str, arguments: &[&str]) -> Result<()> {
    let quoted = |word: &&str| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() };
    let line: Vec<String> = arguments.iter().map(quoted).collect();
    output::item(&format!("\n# {about}"), 2)?;
    say!("$ touchstone {}", line.join(" "))?;
    let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
    if crate::run_line(&arguments)? != Outcome::Done {
        bail!("the demonstration was stopped; the same command resumes it");
    }
    Ok(())
}

/// Opens a file or an address with what the system has for it.
pub(crate) fn open(target: &Path) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let started = std::process::Command::new(program).args(before).arg(target).status();
    if !started.is_ok_and(|status| status.success()) {
        note!("no browser could be started with `{program}`; open {} by hand", target.display());
    }
}
