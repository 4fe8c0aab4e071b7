//! `touchstone import-dataset`.

use crate::forms::{KnowledgeArgs, Reasons, each_record, must_exist};
use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use touchstone_forge::Benchmark;
use touchstone_forge::import::{Imported, Importer, Origin, Unread, benchmark, nspm_records};
use touchstone_forge::package::KbIdentity;
use touchstone_logic::Silent;
use touchstone_logic::dataset::Knowledge;

/// Arguments of `touchstone import-dataset`.
#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The format: grailqa, graphquestions, webqsp, cwq, kqapro, lcquad, lcquad2, qald, nspm
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
    #[command(flatten)]
    knowledge: KnowledgeArgs,
    /// For machines
    #[arg(long)]
    json: bool,
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
    let splits = [("train", &args.train), ("dev", &args.dev), ("test", &args.test)];
    if splits.iter().all(|(_, files)| files.is_empty()) {
        bail!("there is nothing to import: give files with --train, --dev or --test");
    }
    let folder = Benchmark::reserve(&args.out, args.force)?;
    let known = args.knowledge.open()?;
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
    let benchmark = benchmark(name, known.identity(), imported, reasons.by_reason());
    benchmark.write_to(folder)?;
    let n_unread = unread.len() as u64;
    if args.json {
        let unread: Vec<_> = unread
            .iter()
            .map(|(file, Unread { id, reason })| json!({ "file": file, "id": id, "reason": reason }))
            .collect();
        output::json(&json!({ "counts": benchmark.manifest.counts, "unread": unread }))?;
    } else {
        counts(&benchmark.manifest.counts)?;
        output::text(&format!(
            "{} written to {}; {} could not be read",
            output::counted(benchmark.questions.len() as u64, "question", "questions"),
            args.out.display(),
            output::counted(n_unread, "record", "records"),
        ))?;
        reasons.tell("could not be read");
    }
    Ok(if benchmark.questions.is_empty() { Outcome::NothingFound } else { Outcome::Done })
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
fn neural(file: &Path) -> Result<Vec<touchstone_logic::dataset::Record>> {
    let open = |path: &Path| {
        File::open(path).map(BufReader::new).with_context(|| format!("cannot read {}", path.display()))
    };
    let is_pair = file.extension().is_some_and(|end| end == "sparql");
    let questions = if is_pair { Some(open(&file.with_extension("en"))?) } else { None };
    nspm_records(questions, open(file)?).with_context(|| file.display().to_string())
}

impl crate::forms::Known {
    /// Which KB the questions are about.
    fn identity(&self) -> KbIdentity {
        match self.kb() {
            Some(kb) => KbIdentity {
                name: kb.manifest().name.clone(),
                fingerprint: kb.manifest().fingerprint.clone(),
            },
            None => KbIdentity { name: String::new(), fingerprint: String::new() },
        }
    }
}
