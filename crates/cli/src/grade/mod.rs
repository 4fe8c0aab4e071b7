//! The commands about grades: `grade`, `compare`, `degrade`, `sensitivity`, `axioms`, `measures`, `report`.

pub(crate) mod axioms;
pub(crate) mod compare;
pub(crate) mod degrade;
pub(crate) mod distil;
pub(crate) mod grading;
mod input;
pub(crate) mod measures;
pub(crate) mod regress;
pub(crate) mod report;
pub(crate) mod sensitivity;
mod written;

use crate::forms::{each_record, must_exist};
use crate::kb::Chosen;
use crate::output;
use crate::progress::Bar;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use touchstone_benchmark::Gives;
use touchstone_benchmark::package::KbIdentity;
use touchstone_benchmark::{Benchmark, Question, RunHeader, RunManifest, Split};
use touchstone_engine::budget::Limits;
use touchstone_engine::{Session, Settings, Words};
use touchstone_forge::import::{Importer, Origin, benchmark};
use touchstone_grade::Grader;
use touchstone_kb::Kb;
use touchstone_logic::Knowledge;
use touchstone_logic::sparql::Namespaces;
use touchstone_logic::{Inverses, Lookup, Names, Ontology, Spelling};
use touchstone_run::benchmark_of;

/// The questions, and what is known about their words.
#[derive(Args, Clone)]
pub(crate) struct GoldArgs {
    /// The folder of a benchmark
    #[arg(long, value_name = "DIR")]
    benchmark: Option<PathBuf>,
    /// Or a file of a published data set: grailqa:FILE, kqapro:FILE, cwq:FILE ...
    #[arg(long, value_name = "FORMAT:FILE", conflicts_with = "benchmark")]
    dataset: Option<String>,
    /// Only this split: train, dev or test; without it all but train
    #[arg(long)]
    split: Option<Split>,
    /// `world` (embedded), the directory of a compiled KB, or `none`; without it the KB that the benchmark was made from, found by its fingerprint
    #[arg(long, value_name = "world|DIR|none")]
    kb: Option<String>,
    /// A folder with Freebase's fb_roles, fb_types and reverse_properties
    #[arg(long, value_name = "DIR")]
    ontology: Option<PathBuf>,
    /// The run whose predictions are at hand.
    #[arg(skip)]
    run: Option<OfRun>,
}

/// What a run knows about the KB that it was made with.
#[derive(Clone)]
struct OfRun {
    folder: PathBuf,
    /// The fingerprint of the KB.
    kb: String,
}

/// What grading needs.
pub(crate) struct Gold {
    pub(crate) benchmark: Benchmark,
    /// The folder of the benchmark, absolute.
    pub(crate) path: Option<PathBuf>,
    /// Only this split; without it all but training.
    pub(crate) split: Option<Split>,
    /// Maximum number of questions.
    pub(crate) limit: Option<usize>,
    /// What the system of a run gives, if the run declares it.
    pub(crate) gives: Option<Gives>,
    known: Known,
}

/// What is known about words: a KB, an ontology, both or none.
struct Known {
    kb: Option<Kb>,
    ontology: Option<Ontology>,
}

impl GoldArgs {
    /// A benchmark with its KB.
    pub(crate) fn of(benchmark: PathBuf, kb: Option<String>) -> GoldArgs {
        GoldArgs { benchmark: Some(benchmark), dataset: None, split: None, kb, ontology: None, run: None }
    }

    /// The same for the predictions of a run: with its KB, and with the benchmark that it was made on unless the questions are given.
    pub(crate) fn for_run(&self, folder: &Path) -> Result<GoldArgs> {
        if !folder.join("run.json").is_file() {
            return Ok(self.clone());
        }
        let header = RunManifest::read(folder)?.header;
        let run = Some(OfRun { folder: folder.to_path_buf(), kb: header.kb.clone() });
        if self.benchmark.is_some() || self.dataset.is_some() {
            return Ok(GoldArgs { run, ..self.clone() });
        }
        let Some(benchmark) = benchmark_of(folder, &header) else {
            bail!(
                "cannot find the benchmark of {}, `{}`: it is neither at {} nor beside the run; give it with --benchmark DIR",
                folder.display(),
                output::shortened(&header.benchmark),
                if header.benchmark_path.is_empty() { "a known place" } else { &header.benchmark_path }
            );
        };
        Ok(GoldArgs { benchmark: Some(benchmark), run, ..self.clone() })
    }

    /// With the KB of the benchmark; without it, there is no point.
    pub(crate) fn open(&self) -> Result<Gold> {
        let (gold, missing) = self.open_with_or_without()?;
        match missing {
            Some(missing) => {
                bail!("{missing}, or --kb none to go without a KB (logical forms are not run then)")
            }
            None => Ok(gold),
        }
    }

    /// With the KB of the benchmark if it is found; otherwise without, and with what to report.
    pub(crate) fn open_with_or_without(&self) -> Result<(Gold, Option<String>)> {
        let ontology = self.ontology.as_deref().map(Ontology::load).transpose()?;
        let benchmark = self.benchmark.as_deref().map(read_benchmark).transpose()?;
        let mut wanted = match &benchmark {
            Some(benchmark) => benchmark.manifest.kb.clone(),
            None => KbIdentity { name: String::new(), fingerprint: String::new() },
        };
        if let (Some(run), None) = (&self.run, &self.kb)
            && !run.kb.is_empty()
            && run.kb != wanted.fingerprint
        {
            if !wanted.fingerprint.is_empty() {
                output::note(
                    "warning: the run was made on another KB than the benchmark; it is graded on the KB of the run",
                );
            }
            wanted = KbIdentity { name: String::new(), fingerprint: run.kb.clone() };
        }
        let run = self.run.as_ref().map(|run| run.folder.as_path());
        let near: Vec<&Path> = self.benchmark.as_deref().into_iter().chain(run).collect();
        let (kb, missing) = match crate::kb::choose(self.kb.as_deref(), &wanted, &near)? {
            Chosen::Kb(kb) => (Some(*kb), None),
            Chosen::None => (None, None),
            Chosen::Missing(message) => (None, Some(message)),
        };
        let known = Known { kb, ontology };
        let benchmark = match (benchmark, &self.dataset) {
            (Some(benchmark), _) => benchmark,
            (None, Some(dataset)) => known.dataset(dataset)?,
            (None, None) => {
                bail!("give --benchmark DIR or --dataset FORMAT:FILE, or the folder of a run")
            }
        };
        let path = self.benchmark.as_deref().and_then(|path| path.canonicalize().ok());
        Ok((Gold { benchmark, path, split: self.split, limit: None, gives: None, known }, missing))
    }
}

/// A benchmark, or what else is in the folder.
pub(crate) fn read_benchmark(folder: &Path) -> Result<Benchmark> {
    if !folder.join("benchmark.json").exists() {
        bail!(
            "there is no benchmark in {}: it has no benchmark.json (`touchstone build` and `touchstone import-dataset` make one)",
            folder.display()
        );
    }
    Ok(Benchmark::read(folder)?)
}

impl Known {
    fn dataset(&self, dataset: &str) -> Result<Benchmark> {
        let (format, file) = dataset
            .split_once(':')
            .with_context(|| format!("`{dataset}` is not a data set; write it like grailqa:dev.json"))?;
        let origin = Origin::from_name(format).with_context(|| format!("there is no format `{format}`"))?;
        let words = self.kb.as_ref().map(|kb| Words::new(kb).without_suggestions());
        let knowledge = self.knowledge(words.as_ref());
        let importer =
            Importer { origin, knowledge, inverses: self.inverses(words.as_ref()), kb: self.kb.as_ref() };
        must_exist(file)?;
        let (mut imported, mut unread) = (Vec::new(), 0u64);
        each_record(
            file,
            |record| importer.question(record, Split::Dev, format),
            |result| {
                match result {
                    Ok(question) => imported.push(question),
                    Err(_) => unread += 1,
                }
                Ok(())
            },
        )?;
        if unread > 0 {
            output::note(&format!(
                "{} of {file} cannot be read and are not graded; `touchstone import-dataset` tells why",
                output::counted(unread, "record", "records")
            ));
        }
        let kb = KbIdentity { name: String::new(), fingerprint: String::new() };
        Ok(benchmark(format, kb, imported, Default::default(), Default::default()).0)
    }

    fn inverses<'a>(&'a self, words: Option<&'a Words<'_>>) -> &'a (dyn Inverses + Sync) {
        match (words, &self.ontology) {
            (_, Some(ontology)) => ontology,
            (Some(words), _) => words,
            _ => &(),
        }
    }

    fn knowledge<'a>(&'a self, words: Option<&'a Words<'_>>) -> Knowledge<'a> {
        let lookup: &(dyn Lookup + Sync) = match (words, &self.ontology) {
            (_, Some(ontology)) => ontology,
            (Some(words), _) => words,
            _ => &Spelling,
        };
        let names: &(dyn Names + Sync) = match words {
            Some(words) => words,
            None => &(),
        };
        Knowledge { lookup, names, namespaces: self.kb.as_ref().map(Namespaces::of).unwrap_or_default() }
    }
}

impl Gold {
    pub(crate) fn words(&self) -> Option<Words<'_>> {
        self.known.kb.as_ref().map(|kb| Words::new(kb).without_suggestions())
    }

    pub(crate) fn knowledge<'a>(&'a self, words: Option<&'a Words<'_>>) -> Knowledge<'a> {
        self.known.knowledge(words)
    }

    /// The questions that a run asked, if the predictions are those of a run.
    pub(crate) fn as_asked_by(&mut self, folder: &Path) -> Result<()> {
        if !folder.join("run.json").is_file() {
            return Ok(());
        }
        let header = RunManifest::read(folder)?.header;
        self.gives = header.gives;
        if !header.benchmark_identity.is_empty() && header.benchmark_identity != self.benchmark.identity {
            bail!(
                "the run in {} was made on another benchmark: `{}` with identity {}, and this is `{}` with identity {}",
                folder.display(),
                output::shortened(&header.benchmark),
                header.benchmark_identity,
                output::shortened(&self.benchmark.manifest.name),
                self.benchmark.identity
            );
        }
        if self.split.is_none() {
            (self.split, self.limit) = (header.split, header.limit);
            if RunHeader::hash_questions(&self.questions()?) != header.questions {
                bail!(
                    "the run in {} was made on other questions (of the benchmark `{}`) than these",
                    folder.display(),
                    header.benchmark
                );
            }
        }
        Ok(())
    }

    /// A grader with the published products.
    pub(crate) fn grader<'a>(&'a self, words: Option<&'a Words<'_>>) -> Grader<'a> {
        Grader {
            session: self.known.kb.as_ref().map(|kb| Session::new(kb).without_suggestions()),
            ontology: self.known.ontology.as_ref(),
            settings: Settings {
                limits: Limits { operations: 2_000_000, ..Limits::default() },
                ..Settings::default()
            },
            // Only what was run on this very KB, and not changed since, need not be run again.
            gold_is_true: self.benchmark.is_proven() && self.is_own_kb(),
            cancel: Bar::new().cancel(),
            ..Grader::new(self.known.knowledge(words), self.known.inverses(words))
        }
    }

    /// Whether the KB at hand is the one that the benchmark was made from.
    fn is_own_kb(&self) -> bool {
        let wanted = &self.benchmark.manifest.kb.fingerprint;
        self.known.kb.as_ref().is_some_and(|kb| kb.manifest().fingerprint == *wanted)
    }

    /// Whether the benchmark was made from a KB, and the one at hand is another.
    pub(crate) fn is_another_kb(&self) -> bool {
        self.known.kb.is_some() && !self.benchmark.manifest.kb.fingerprint.is_empty() && !self.is_own_kb()
    }

    /// The fingerprint of the KB at hand, or of the one that the benchmark was made of.
    pub(crate) fn kb_fingerprint(&self) -> &str {
        let own = self.known.kb.as_ref().map(|kb| kb.manifest().fingerprint.as_str());
        own.unwrap_or(&self.benchmark.manifest.kb.fingerprint)
    }

    pub(crate) fn kb(&self) -> Option<&Kb> {
        self.known.kb.as_ref()
    }

    /// All questions.
    pub(crate) fn pool(&self) -> Vec<&Question> {
        self.benchmark.questions.iter().collect()
    }

    /// The questions to grade.
    pub(crate) fn questions(&self) -> Result<Vec<&Question>> {
        let fits = |question: &&Question| match self.split {
            Some(split) => question.split == split,
            None => question.split != Split::Train,
        };
        let found = self.benchmark.questions.iter().filter(fits);
        let found: Vec<&Question> = found.take(self.limit.unwrap_or(usize::MAX)).collect();
        if let (true, Some(split)) = (found.is_empty(), self.split) {
            bail!("this benchmark has no split `{split}`; which it has, `touchstone stats` shows");
        }
        if found.is_empty() {
            bail!(
                "there is no question to grade in this benchmark; which splits it has, `touchstone stats` shows"
            );
        }
        Ok(found)
    }
}

/// What a system gives, by its name on the command line.
pub(crate) fn gives(name: &str) -> Result<Gives, String> {
    Gives::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Gives::ALL.iter().map(|(name, _)| *name).collect();
        format!("a system gives {}", names.join(", "))
    })
}

/// A share or score with three digits.
pub(crate) fn three(value: f64) -> String {
    format!("{value:.3}")
}
