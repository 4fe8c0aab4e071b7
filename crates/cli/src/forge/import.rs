//! `touchstone import-dataset`.

use crate::args::KnowledgeArgs;
use crate::forms::{Reasons, each_record, must_exist};
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use touchstone_benchmark::package::KbIdentity;
use touchstone_benchmark::{Benchmark, Split};
use touchstone_forge::import::{
    Imported, Importer, LevelCounts, Levels, Origin, Unread, benchmark, look_up_answers, nspm_records,
};
use touchstone_logic::Knowledge;
use touchstone_logic::Silent;

/// Arguments of `touchstone import-dataset`.
#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The format: grailqa, graphquestions, webqsp, cwq, kqapro, lcquad, lcquad2, qald, nspm, or
    /// lines for your own questions: JSON objects with question, query (S-expression, KoPL or SPARQL) and, if known, answers
    #[arg(long, value_name = "FORMAT")]
    format: String,
    /// Files with training questions. For nspm: a table of templates, or the .sparql file of a pair with its .en file beside it
    #[arg(long, value_name = "FILE")]
    train: Vec<String>,
    /// Files with development questions
    #[arg(long, value_name = "FILE")]
    dev: Vec<String>,
    /// Files with test questions
    #[arg(long, value_name = "FILE")]
    test: Vec<String>,
    /// The folder of the benchmark; an earlier benchmark there is replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write into a folder that also holds other files, which are kept, and replace files of an earlier benchmark that were edited
    #[arg(long)]
    force: bool,
    /// The name of the benchmark, and the source of its questions; the format otherwise
    #[arg(long)]
    name: Option<String>,
    /// Levels that the files tell: keep them, or compute them from the training questions
    #[arg(long, value_enum, default_value_t = LevelsName::Keep)]
    levels: LevelsName,
    #[command(flatten)]
    knowledge: KnowledgeArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Where levels come from.
#[derive(Clone, Copy, ValueEnum)]
enum LevelsName {
    Keep,
    Compute,
}

pub(crate) fn run(args: &ImportArgs) -> Result<Outcome> {
    let origin = Origin::from_name(&args.format).with_context(|| {
        let known: Vec<&str> = Origin::ALL.iter().map(|(name, _)| *name).collect();
        let nearest = touchstone_kb::nearest_name(&args.format, known.iter().copied());
        let hint = nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
        format!(
            "there is no format `{}`; there are {}{hint}",
            output::shortened(&args.format),
            known.join(", ")
        )
    })?;
    let splits = [(Split::Train, &args.train), (Split::Dev, &args.dev), (Split::Test, &args.test)];
    if splits.iter().all(|(_, files)| files.is_empty()) {
        bail!("there is nothing to import: give files with --train, --dev or --test");
    }
    let folder = Benchmark::reserve(&args.out, args.force)?;
    let opened = args.knowledge.open()?;
    let known = opened.context();
    // Thousands of records may have words that are not known: looking for the nearest of each would take hours.
    let knowledge = known.knowledge();
    let silent = Silent(knowledge.lookup);
    let knowledge = Knowledge { lookup: &silent, ..knowledge };
    let importer = Importer { origin, knowledge, inverses: known.inverses(), kb: known.kb() };
    let name = args.name.as_deref().unwrap_or(&args.format);
    let mut imported: Vec<Imported> = Vec::new();
    let mut unread: Vec<(String, Unread)> = Vec::new();
    for (split, file) in splits.iter().flat_map(|(split, files)| files.iter().map(move |file| (*split, file)))
    {
        let mut take = |result: Result<Imported, Unread>| match result {
            Ok(question) => imported.push(question),
            Err(error) => unread.push((file.clone(), error)),
        };
        if origin == Origin::Nspm {
            for record in neural(Path::new(file))? {
                take(importer.question(&record, split, name));
            }
        } else {
            must_exist(file)?;
            each_record(
                file,
                |record| importer.question(record, split, name),
                |result| {
                    take(result);
                    Ok(())
                },
            )?;
        }
    }
    let mut reasons = Reasons::default();
    for (_, error) in &unread {
        reasons.add(&error.id, error.reason.clone());
    }
    let n_unread = unread.len() as u64;
    if imported.is_empty() {
        reasons.tell("could not be read");
        bail!("no question could be imported, so nothing is written to {}", args.out.display());
    }
    let mut without_answers = Reasons::default();
    let mut n_looked_up = 0;
    if let Some(kb) = known.kb() {
        let bar = Bar::new();
        let (found, failed) = look_up_answers(&mut imported, kb, &bar);
        n_looked_up = found;
        failed.into_iter().for_each(|Unread { id, reason }| without_answers.add(&id, reason));
    }
    let levels = match args.levels {
        LevelsName::Keep => Levels::Keep,
        LevelsName::Compute => Levels::Compute,
    };
    let (benchmark, level_counts) =
        benchmark(name, KbIdentity::of(known.kb()), imported, reasons.by_reason(), levels);
    benchmark.write_to(folder)?;
    if args.json {
        let unread: Vec<_> = unread
            .iter()
            .map(|(file, Unread { id, reason })| json!({ "file": file, "id": id, "reason": reason }))
            .collect();
        output::json(&json!({
            "counts": benchmark.manifest.counts,
            "unread": unread,
            "answers_looked_up": n_looked_up,
            "without_answers": without_answers.by_reason(),
            "levels": {
                "given": level_counts.given,
                "different": level_counts.comparable.then_some(level_counts.different),
            },
        }))?;
    } else {
        counts(&benchmark.manifest.counts)?;
        output::text(&format!(
            "{} written to {}; {} could not be read",
            output::counted(benchmark.questions.len() as u64, "question", "questions"),
            args.out.display(),
            output::counted(n_unread, "record", "records"),
        ))?;
        if n_looked_up > 0 {
            output::text(&format!(
                "{} from running the gold query on the KB",
                output::counted(
                    n_looked_up as u64,
                    "question has its answers",
                    "questions have their answers"
                ),
            ))?;
        }
        tell_levels(&level_counts, levels);
        reasons.tell("could not be read");
        without_answers.tell("have no gold answers");
    }
    Ok(Outcome::Done)
}

/// Where the levels come from, if the files tell them.
fn tell_levels(counts: &LevelCounts, levels: Levels) {
    if counts.given == 0 {
        return;
    }
    let given = output::counted(counts.given as u64, "question", "questions");
    let different = output::count(counts.different);
    output::note(&match (counts.comparable, levels) {
        (false, _) => {
            format!("levels: kept as the files give them for {given}; without --train they cannot be checked")
        }
        (true, Levels::Keep) => format!(
            "levels: kept as the files give them for {given}; {different} of them differ from those that the training questions give (--levels compute uses these)"
        ),
        (true, Levels::Compute) => format!(
            "levels: computed from the training questions; {different} of {given} differ from those in the files"
        ),
    });
}

/// A table of numbers of questions.
pub(super) fn counts(counts: &BTreeMap<String, u64>) -> Result<()> {
    let mut table = output::table(&["", "questions"]);
    for (name, n) in counts {
        table.add_row([name.as_str(), &output::count(*n)]);
    }
    output::text(&table.to_string())
}

/// Templates, or a pair of texts.
fn neural(file: &Path) -> Result<Vec<touchstone_datasets::Record>> {
    let open = |path: &Path| {
        File::open(path).map(BufReader::new).with_context(|| format!("cannot read {}", path.display()))
    };
    let is_pair = file.extension().is_some_and(|end| end == "sparql");
    let questions = if is_pair { Some(open(&file.with_extension("en"))?) } else { None };
    nspm_records(questions, open(file)?).with_context(|| file.display().to_string())
}
