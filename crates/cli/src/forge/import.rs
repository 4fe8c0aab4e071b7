//! `touchstone import-dataset`.

use crate::args::KnowledgeArgs;
use crate::choice::choice;
use crate::output::{counted, questions, report_reasons};
use crate::progress::Bar;
use crate::{data_set_arg, output};
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;
use touchstone_benchmark::{Benchmark, KbIdentity, Split};
use touchstone_datasets::{
    DataSet, ImportConfig, Imported, Importer, LevelSource, ResultSets, SplitFile, import,
};

/// Arguments of `touchstone import-dataset`.
#[derive(Args)]
pub(crate) struct ImportArgs {
    #[arg(long, value_name = "FORMAT", help = format_help())]
    format: String,
    /// Files with training questions. For nspm: a table of templates, or the .sparql file of a pair with its .en file next to it
    #[arg(long, value_name = "FILE")]
    train: Vec<String>,
    /// Files with development questions
    #[arg(long, value_name = "FILE")]
    dev: Vec<String>,
    /// Files with test questions
    #[arg(long, value_name = "FILE")]
    test: Vec<String>,
    /// Gold answers in a file of their own: TEXT2SPARQL's result sets, an object of question ids with their cells
    #[arg(long, value_name = "FILE.json")]
    answers: Option<PathBuf>,
    /// The folder of the benchmark; an earlier benchmark there is replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write into a folder that also holds other files, which are kept, and replace files of an earlier benchmark that were edited
    #[arg(long)]
    force: bool,
    /// The name of the benchmark, and the source of its questions; the format otherwise
    #[arg(long)]
    name: Option<String>,
    /// Levels in the files: keep them, or compute them from the training questions
    #[arg(long, value_parser = choice(LevelSource::NAMED), default_value = "keep")]
    levels: LevelSource,
    #[command(flatten)]
    knowledge: KnowledgeArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn format_help() -> String {
    format!(
        "The format: {}. `lines` are your own questions: JSON objects with question, query (S-expression, KoPL or SPARQL) and, if known, answers",
        data_set_arg::list(DataSet::reads_questions)
    )
}

pub(crate) fn run(args: &ImportArgs) -> Result<()> {
    let data_set = DataSet::named(&args.format, "format", DataSet::reads_questions)?;
    let splits = [(Split::Train, &args.train), (Split::Dev, &args.dev), (Split::Test, &args.test)];
    let files = splits
        .into_iter()
        .flat_map(|(split, files)| files.iter().map(move |file| SplitFile { split, file: file.clone() }));
    let files: Vec<SplitFile> = files.collect();
    if files.is_empty() {
        bail!("there is nothing to import: give files with --train, --dev or --test");
    }
    let folder = Benchmark::reserve(&args.out, args.force)?;
    let opened = args.knowledge.open()?;
    let known = opened.context();
    let config = ImportConfig {
        importer: Importer { data_set, knowledge: known.knowledge(), kb: known.kb() },
        name: args.name.clone().unwrap_or_else(|| args.format.clone()),
        files,
        kb: KbIdentity::of(known.kb()),
        levels: args.levels,
        answers: args.answers.as_deref().map(ResultSets::open).transpose()?,
        looks_up_answers: true,
    };
    let imported = import(&config, &Bar::new())?;
    if imported.benchmark.questions.is_empty() {
        report_reasons(&imported.unread_reasons(), "could not be read");
        bail!("no question could be imported, so nothing is written to {}", args.out.display());
    }
    imported.benchmark.write_to(folder)?;
    if args.json { output::json(&imported.summary()) } else { show(args, &imported) }
}

fn show(args: &ImportArgs, imported: &Imported) -> Result<()> {
    let Imported { benchmark, unread, n_looked_up, .. } = imported;
    super::counts(&benchmark.manifest.counts)?;
    say!(
        "{} written to {}; {} could not be read",
        questions(benchmark.questions.len()),
        args.out.display(),
        counted(unread.len(), "record", "records"),
    )?;
    if *n_looked_up > 0 {
        let answered = counted(*n_looked_up, "question got its answers", "questions got their answers");
        say!("{answered} by running the gold query on the KB")?;
    }
    imported.levels.describe(args.levels).iter().for_each(output::note);
    report_reasons(&imported.unread_reasons(), "could not be read");
    report_reasons(&imported.unanswered_reasons(), "without gold answers");
    Ok(())
}
