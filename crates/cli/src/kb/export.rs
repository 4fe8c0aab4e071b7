//! `touchstone kb export`.

use crate::choice::choice;
use crate::open_kb::KbArg;
use crate::output::{self, count};
use crate::progress::Bar;
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;
use touchstone_kb::export::{self, ExportFormat, ExportRequest, ExportView};

#[derive(Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    kb: KbArg,
    /// The format
    #[arg(long, value_parser = choice(ExportFormat::NAMED))]
    format: ExportFormat,
    /// Which triples, for nt and ttl (direct if absent)
    #[arg(long, value_parser = choice(ExportView::NAMED), value_name = "direct|kqapro")]
    view: Option<ExportView>,
    /// Leave out qualifiers in the direct view: plain RDF 1.1, for systems that cannot read RDF 1.2
    #[arg(long)]
    no_qualifiers: bool,
    /// The file to write; standard output if absent or `-`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file even if Touchstone did not write it or it was changed since
    #[arg(long)]
    force: bool,
    /// Print the report as JSON (with --out)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ExportArgs) -> Result<()> {
    let request = ExportRequest::of_options(args.format, args.view, !args.no_qualifiers)?;
    let to_file = args.out.as_ref().filter(|path| path.as_os_str() != "-");
    if args.json && to_file.is_none() {
        bail!("--json reports on a file: give --out FILE (standard output carries the export itself)");
    }
    let mut file = to_file.map(|path| output::file(path, args.force)).transpose()?;
    let kb = args.kb.open()?;
    let bar = Bar::new();
    let report = match &mut file {
        Some(file) => export::export(&kb, &request, file, &bar)?,
        None => export::export(&kb, &request, &mut output::data(), &bar)?,
    };
    if let Some(file) = file {
        file.commit()?;
    }
    drop(bar);
    if args.json {
        return output::json(&report);
    }
    note!("{} records written", count(report.n_records));
    for (what, n) in &report.lost {
        note!("not representable in this format: {what} ({})", count(*n));
    }
    Ok(())
}
