//! `touchstone convert`.

use super::{each_record, item, report_reasons};
use crate::args::KnowledgeArgs;
use crate::data_set_arg::FormsFormat;
use crate::{Outcome, output};
use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;
use touchstone_datasets::{DataSet, ReasonCounts, Record};
use touchstone_engine::QueryContext;
use touchstone_kb::RdfVocabulary;
use touchstone_logic::sparql::Dialect;
use touchstone_logic::{Knowledge, Reading};
use touchstone_logic::{Language, Printed, kopl, sexpr, sparql};

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
    #[arg(long, value_enum, default_value_t = ProgramStyle::Readable, value_name = "STYLE")]
    style: ProgramStyle,
    /// The graph that SPARQL is written for
    #[arg(long, value_enum, default_value_t = DialectName::Auto, value_name = "DIALECT")]
    dialect: DialectName,
    /// Refuse what cannot be said exactly
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
enum ProgramStyle {
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

/// A translated form.
#[derive(Serialize)]
struct Converted {
    id: String,
    from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repairs: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome> {
    let opened = args.known.open()?;
    let known = opened.context();
    let knowledge = known.knowledge();
    let format = args.from.0;
    let (mut done, mut lossy, mut reasons) = (0usize, 0usize, ReasonCounts::default());
    let mut single: Option<Converted> = None;
    each_record(
        &args.file,
        |record| converted(args, format, record, &known, &knowledge),
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
            // The first is kept back: alone, it is shown with everything there is to say.
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

fn converted(
    args: &ConvertArgs,
    format: DataSet,
    record: &Record,
    known: &QueryContext<'_>,
    knowledge: &Knowledge<'_>,
) -> Converted {
    let failed = |id: String, from, error: String| Converted {
        id,
        from,
        text: None,
        repairs: Vec::new(),
        lost: Vec::new(),
        error: Some(error),
    };
    let item = match item(format, record) {
        Ok(item) => item,
        Err((id, error)) => return failed(id, None, error),
    };
    let language = item.source.language();
    let reading = match item.source.read(knowledge) {
        Ok(reading) => reading,
        Err(error) => return failed(item.id, Some(language.word()), error.to_string()),
    };
    let printed = print(args, language, &reading, known);
    let repairs = reading.repairs.iter().map(ToString::to_string).collect();
    let mut lost: Vec<String> = reading.lost.iter().map(ToString::to_string).collect();
    match printed {
        Ok(printed) => {
            lost.extend(printed.lost.iter().map(ToString::to_string));
            lost.dedup();
            let error = (args.strict && !lost.is_empty())
                .then(|| format!("not exactly the same: {}", lost.join("; ")));
            let text = if error.is_some() { None } else { Some(printed.text) };
            Converted { id: item.id, from: Some(language.word()), text, repairs, lost, error }
        }
        Err(error) => Converted {
            id: item.id,
            from: Some(language.word()),
            text: None,
            repairs,
            lost,
            error: Some(error),
        },
    }
}

fn print(
    args: &ConvertArgs,
    from: Language,
    reading: &Reading,
    known: &QueryContext<'_>,
) -> Result<Printed, String> {
    let query = &reading.query;
    match args.to {
        Target::Sexpr => sexpr::print(query).map_err(|error| error.to_string()),
        Target::Sparql => {
            let namespaces = known.namespaces();
            let plain =
                Dialect::Plain { base: namespaces.base.unwrap_or_else(|| "urn:touchstone:kb:".to_owned()) };
            let dialect = match args.dialect {
                DialectName::Kqapro => Dialect::KqaPro,
                DialectName::Freebase => Dialect::Freebase,
                DialectName::Plain => plain,
                DialectName::Auto if from == Language::Kopl => Dialect::KqaPro,
                DialectName::Auto if reading.dialect.is_some() => {
                    reading.dialect.clone().unwrap_or(Dialect::Freebase)
                }
                DialectName::Auto => match namespaces.vocabulary {
                    None | Some(RdfVocabulary::Freebase) => Dialect::Freebase,
                    Some(RdfVocabulary::Rdfs | RdfVocabulary::Wikidata) => plain,
                },
            };
            sparql::print(query, &dialect).map_err(|error| error.to_string())
        }
        Target::Kopl => {
            let (program, lost) = kopl::from_query(query, known).map_err(|error| error.to_string())?;
            let text = match args.style {
                ProgramStyle::Readable => program.to_readable(),
                ProgramStyle::Linear => program.to_linear(),
                ProgramStyle::Json => Ok(program.to_json().to_string()),
            };
            Ok(Printed { text: text.map_err(|error| error.to_string())?, lost })
        }
    }
}
