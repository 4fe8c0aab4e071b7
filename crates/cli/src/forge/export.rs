//! `touchstone export-dataset`.

use crate::args::kb_for;
use crate::output::questions;
use crate::progress::Bar;
use crate::{Outcome, data_set_arg, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::Benchmark;
use touchstone_datasets::{DataSet, ExportConfig, Exported, export};

/// Arguments of `touchstone export-dataset`.
#[derive(Args)]
pub(crate) struct ExportArgs {
    /// The folder of a benchmark
    #[arg(value_name = "DIR")]
    benchmark: PathBuf,
    #[arg(long, value_name = "FORMAT", help = format!("The format: {}", data_set_arg::list(DataSet::exports)))]
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
    let data_set = DataSet::named(&args.format, "format", DataSet::exports)?;
    let benchmark = Benchmark::read(&args.benchmark)?;
    let kb = match kb_for(&benchmark, &args.benchmark, args.kb.as_deref())? {
        Some(kb) => kb,
        None => {
            note!("the benchmark does not name its KB; names are taken from World (--kb names another)");
            crate::open_kb::open_kb("world")?
        }
    };
    let config =
        ExportConfig { data_set, benchmark: &benchmark, kb: &kb, folder: &args.out, force: args.force };
    let exported = export(&config, &Bar::new())?;
    if args.json {
        output::json(&exported)?;
    } else {
        show(args, &exported)?;
    }
    Outcome::found(!exported.written.is_empty())
}

fn show(args: &ExportArgs, exported: &Exported) -> Result<()> {
    for (file, n) in &exported.written {
        say!("{}: {}", args.out.join(file).display(), questions(*n))?;
    }
    if let Some(card) = &exported.card {
        say!("{}: the dataset card", args.out.join(card).display())?;
    }
    for (reason, n) in &exported.left_out {
        note!("{} left out: {reason}", questions(*n));
    }
    Ok(())
}
