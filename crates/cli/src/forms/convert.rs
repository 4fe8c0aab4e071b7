//! `touchstone convert`.

use super::each_record;
use crate::args::KnowledgeArgs;
use crate::data_set_arg::FormsFormat;
use crate::output::report_reasons;
use crate::{Outcome, output};
use anyhow::Result;
use clap::{Args, ValueEnum};
use touchstone_datasets::ReasonCounts;
use touchstone_datasets::convert::{Converted, Converter, DialectChoice, ProgramStyle, TargetLanguage};

#[derive(Args)]
pub(crate) struct ConvertArgs {
    /// A file of logical forms or questions, `-` for standard input, or a logical form itself
    #[arg(value_name = "FILE|-")]
    file: String,
    /// The language to write
    #[arg(long)]
    to: Target,
    /// What the file is
    #[arg(long, value_enum, default_value_t = FormsFormat::AUTO, value_name = "FORMAT")]
    from: FormsFormat,
    /// How to write KoPL
    #[arg(long, value_enum, default_value_t = StyleName::Readable, value_name = "STYLE")]
    style: StyleName,
    /// The graph that SPARQL is written for
    #[arg(long, value_enum, default_value_t = DialectName::Auto, value_name = "DIALECT")]
    dialect: DialectName,
    /// Refuse forms that cannot be translated exactly
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    known: KnowledgeArgs,
    /// Print JSON lines, with what was repaired and what is lost
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Target {
    Sexpr,
    Kopl,
    Sparql,
}

#[derive(Clone, Copy, ValueEnum)]
enum StyleName {
    Readable,
    Linear,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DialectName {
    /// That of a SPARQL source, kqapro for programs, and for S-expressions plain with --kb, else freebase
    Auto,
    Freebase,
    Kqapro,
    Plain,
}

pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome> {
    let opened = args.known.open()?;
    let known = opened.context();
    let converter = Converter {
        data_set: args.from.0,
        target: target(args),
        strict: args.strict,
        knowledge: known.knowledge(),
    };
    let (mut done, mut lossy, mut reasons) = (0usize, 0usize, ReasonCounts::default());
    let mut single: Option<Converted> = None;
    each_record(
        &args.file,
        |record| converter.convert(record),
        |converted| {
            match (&converted.error, converted.lost.is_empty()) {
                (Some(error), _) => reasons.add(&converted.id, error.clone()),
                (None, exact) => {
                    done += 1;
                    lossy += usize::from(!exact);
                }
            }
            if args.json {
                return output::json_line(&converted);
            }
            // The first is kept back: if it is the only one, it is shown with all notes.
            if done + reasons.total() == 1 {
                single = Some(converted);
                return Ok(());
            }
            if let Some(first) = single.take() {
                line(&first)?;
            }
            line(&converted)
        },
    )?;
    if let Some(only) = single {
        return alone(&only);
    }
    if !args.json {
        report_reasons(&reasons, "that could not be translated");
        if lossy > 0 {
            output::note(&format!(
                "{} not exactly the same as the source; --json shows where",
                output::counted(lossy as u64, "form", "forms")
            ));
        }
    }
    if done + reasons.total() == 0 {
        output::note(&format!("there is no logical form in {}", args.file));
    }
    Ok(if reasons.total() > 0 || done == 0 { Outcome::NothingFound } else { Outcome::Done })
}

/// One of many: a line; empty where there is no translation, so that lines stay in step.
fn line(converted: &Converted) -> Result<()> {
    let text = converted.text.as_deref().unwrap_or("");
    output::exact(&format!("{}\n", text.split('\n').collect::<Vec<_>>().join(" ")))
}

/// The only one: as it is, with notes.
fn alone(converted: &Converted) -> Result<Outcome> {
    for repair in &converted.repairs {
        output::note(&format!("repaired: {repair}"));
    }
    for loss in &converted.lost {
        output::note(&format!("not the same: {loss}"));
    }
    if let Some(error) = &converted.error {
        anyhow::bail!("{error}");
    }
    output::exact(converted.text.as_deref().unwrap_or(""))?;
    Ok(Outcome::Done)
}

fn target(args: &ConvertArgs) -> TargetLanguage {
    match args.to {
        Target::Sexpr => TargetLanguage::Sexpr,
        Target::Kopl => TargetLanguage::Kopl(match args.style {
            StyleName::Readable => ProgramStyle::Readable,
            StyleName::Linear => ProgramStyle::Linear,
            StyleName::Json => ProgramStyle::Json,
        }),
        Target::Sparql => TargetLanguage::Sparql(match args.dialect {
            DialectName::Auto => None,
            DialectName::Freebase => Some(DialectChoice::Freebase),
            DialectName::Kqapro => Some(DialectChoice::KqaPro),
            DialectName::Plain => Some(DialectChoice::Plain),
        }),
    }
}
