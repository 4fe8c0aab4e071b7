//! `touchstone kb export`.

use crate::Outcome;
use crate::open_kb::KbArg;
use crate::output::{self, count};
use crate::progress::Bar;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use touchstone_kb::export::{self, ExportFormat, ExportRequest, ExportView};

#[derive(Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    kb: KbArg,
    /// The format
    #[arg(long, value_enum)]
    format: FormatArg,
    /// Which triples, for nt and ttl (direct if absent)
    #[arg(long, value_enum, value_name = "direct|kqapro")]
    view: Option<ViewArg>,
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

#[derive(Clone, Copy, ValueEnum)]
enum FormatArg {
    /// N-Triples
    Nt,
    /// Turtle
    Ttl,
    /// KQA Pro's kb.json
    KqaproJson,
    /// KB lines: holds everything
    Lines,
}

#[derive(Clone, Copy, ValueEnum)]
enum ViewArg {
    /// One triple per fact
    Direct,
    /// KQA Pro's graph: a node for every value and every fact
    Kqapro,
}

pub(crate) fn run(args: &ExportArgs) -> Result<Outcome> {
    let is_rdf = matches!(args.format, FormatArg::Nt | FormatArg::Ttl);
    if args.view.is_some() && !is_rdf {
        bail!("--view is for the formats nt and ttl");
    }
    if args.no_qualifiers && (!is_rdf || matches!(args.view, Some(ViewArg::Kqapro))) {
        bail!("--no-qualifiers is for the direct view of the formats nt and ttl");
    }
    let to_file = args.out.as_ref().filter(|path| path.as_os_str() != "-");
    if args.json && to_file.is_none() {
        bail!("--json reports about a file: give --out FILE (standard output carries the export itself)");
    }
    let mut file = to_file.map(|path| output::file(path, args.force)).transpose()?;
    let kb = args.kb.open()?;
    let request = ExportRequest {
        format: match args.format {
            FormatArg::Nt => ExportFormat::NTriples,
            FormatArg::Ttl => ExportFormat::Turtle,
            FormatArg::KqaproJson => ExportFormat::KqaProJson,
            FormatArg::Lines => ExportFormat::Lines,
        },
        view: match args.view {
            None | Some(ViewArg::Direct) => ExportView::Direct,
            Some(ViewArg::Kqapro) => ExportView::KqaPro,
        },
        qualifiers: !args.no_qualifiers,
    };
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
        output::json(&report)?;
    } else {
        output::note(&format!("{} records written", count(report.n_records)));
        for (what, n) in &report.lost {
            output::note(&format!("this format cannot hold: {what} ({})", count(*n)));
        }
    }
    Ok(Outcome::Done)
}
