//! `touchstone export-dataset`.

use crate::args::kb_for;
use crate::{Outcome, output};
use anyhow::{Context, Result};
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::Benchmark;
use touchstone_forge::export::{Target, export_to, reserve};

/// Arguments of `touchstone export-dataset`.
#[derive(Args)]
pub(crate) struct ExportArgs {
    /// The folder of a benchmark
    #[arg(value_name = "DIR")]
    benchmark: PathBuf,
    /// The format: grailqa, kqapro, qald, nspm, parquet
    #[arg(long, value_name = "FORMAT")]
    format: String,
    /// The folder to write to: a file for each split. Files of an earlier export are replaced, others are kept
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replace files of an earlier export also if they were edited
    #[arg(long)]
    force: bool,
    /// `world` (embedded), or the directory of a compiled KB; without it the KB that the benchmark was made from, found by its fingerprint
    #[arg(long, value_name = "world|DIR")]
    kb: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ExportArgs) -> Result<Outcome> {
    let target = Target::from_name(&args.format).with_context(|| {
        format!(
            "there is no format `{}`; there are {}",
            output::shortened(&args.format),
            Target::NAMES.join(", ")
        )
    })?;
    let benchmark = Benchmark::read(&args.benchmark)?;
    let folder = reserve(&benchmark, target, &args.out, args.force)?;
    let kb = match kb_for(&benchmark, &args.benchmark, args.kb.as_deref())? {
        Some(kb) => kb,
        None => {
            output::note(
                "the benchmark does not name its KB; names are taken from World (--kb names another)",
            );
            crate::kb::open("world")?
        }
    };
    let exported = export_to(&kb, &benchmark, target, folder)?;
    if args.json {
        output::json(&exported)?;
        return Ok(if exported.written.is_empty() { Outcome::NothingFound } else { Outcome::Done });
    }
    for (file, n) in &exported.written {
        output::text(&format!(
            "{}: {}",
            args.out.join(file).display(),
            output::counted(*n as u64, "question", "questions")
        ))?;
    }
    if let Some(card) = &exported.card {
        output::text(&format!("{}: the dataset card", args.out.join(card).display()))?;
    }
    for (reason, n) in &exported.left_out {
        output::note(&format!("{} left out: {reason}", output::counted(*n as u64, "question", "questions")));
    }
    Ok(if exported.written.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}
