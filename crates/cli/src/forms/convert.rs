//! `touchstone convert`.

use crate::args::KnowledgeArgs;
use crate::choice::{Auto, choice, choice_or};
use crate::data_set_arg::forms_formats;
use crate::output::report_reasons;
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use touchstone_datasets::convert::{Converted, Converter, DialectChoice, ProgramStyle, TargetLanguage};
use touchstone_datasets::{DataSet, RecordInput};
use touchstone_logic::Language;

#[derive(Args)]
pub(crate) struct ConvertArgs {
    /// A file of logical forms or questions, `-` for standard input, or a logical form itself
    #[arg(value_name = "FILE|-")]
    file: String,
    /// The language to write
    #[arg(long, value_parser = choice(Language::NAMED))]
    to: Language,
    /// What the file is
    #[arg(long, value_parser = forms_formats(), default_value = "auto", value_name = "FORMAT")]
    from: DataSet,
    /// How to write KoPL
    #[arg(long, value_parser = choice(ProgramStyle::NAMED), default_value = "readable", value_name = "STYLE")]
    style: ProgramStyle,
    /// The graph that SPARQL is written for
    #[arg(long, value_parser = choice_or(OF_SOURCE, DialectChoice::NAMED), default_value = "auto", value_name = "DIALECT")]
    dialect: Auto<DialectChoice>,
    /// Refuse forms that cannot be translated exactly
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    known: KnowledgeArgs,
    /// Print JSON lines, with what was repaired and what is lost
    #[arg(long)]
    json: bool,
}

const OF_SOURCE: (&str, &str) = (
    "auto",
    "That of a SPARQL source, kqapro for programs, and for S-expressions plain with --kb, else freebase",
);

pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome> {
    let opened = args.known.open()?;
    let known = opened.context();
    let converter = Converter {
        data_set: args.from,
        target: target(args),
        strict: args.strict,
        knowledge: known.knowledge(),
    };
    let input = RecordInput::file_or_form(&args.file)?;
    let counts = converter.convert_all(&input, &Bar::new(), |converted| match args.json {
        true => output::json_line(converted),
        false => line(converted),
    })?;
    match &counts.only {
        Some(only) if args.json => output::json_line(only)?,
        Some(only) => return alone(only),
        None => {}
    }
    if !args.json {
        report_reasons(&counts.failed, "that could not be translated");
        if counts.lossy > 0 {
            let forms = output::counted(counts.lossy, "form", "forms");
            note!("{forms} not exactly the same as the source; --json shows where");
        }
    }
    if counts.total() == 0 {
        note!("no logical forms found in {}", args.file);
    }
    Outcome::found(counts.failed.total() == 0 && counts.done > 0)
}

/// One of many: a line; empty where there is no translation, so that lines stay in step.
fn line(converted: &Converted) -> Result<()> {
    let text = converted.text.as_deref().unwrap_or("");
    output::exact(&format!("{}\n", text.split('\n').collect::<Vec<_>>().join(" ")))
}

/// The only one: as it is, with notes.
fn alone(converted: &Converted) -> Result<Outcome> {
    for repair in &converted.repairs {
        note!("repaired: {repair}");
    }
    for loss in &converted.lost {
        note!("not the same: {loss}");
    }
    if let Some(error) = &converted.error {
        anyhow::bail!("{error}");
    }
    output::exact(converted.text.as_deref().unwrap_or(""))?;
    Ok(Outcome::Done)
}

fn target(args: &ConvertArgs) -> TargetLanguage {
    match args.to {
        Language::Sexpr => TargetLanguage::Sexpr,
        Language::Kopl => TargetLanguage::Kopl(args.style),
        Language::Sparql => TargetLanguage::Sparql(args.dialect),
    }
}
