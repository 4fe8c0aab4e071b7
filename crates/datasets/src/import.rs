//! Imports published files as benchmarks.

use crate::data_set::DataSet;
use crate::importer::{ImportedQuestion, Importer, UnreadRecord};
use crate::input::{InputError, RecordInput};
use crate::look_up::{Unanswered, look_up_answers};
use crate::nspm;
use crate::reasons::ReasonCounts;
use crate::text2sparql::ResultSets;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use touchstone_benchmark::{Benchmark, BenchmarkManifest, KbIdentity, Question, Split};
use touchstone_kb::Progress;
use touchstone_kb::counts::{counted, grouped};
use touchstone_logic::level::Training;

/// The configuration of an import.
pub struct ImportConfig<'k> {
    /// How records become questions.
    pub importer: Importer<'k>,
    /// The name of the benchmark, and the source of its questions.
    pub name: String,
    /// The files.
    pub files: Vec<SplitFile>,
    /// The KB that the benchmark names as its own.
    pub kb: KbIdentity,
    /// Where levels come from.
    pub levels: LevelSource,
    /// The gold answers, if they are in a file of their own.
    pub answers: Option<ResultSets>,
    /// Whether the queries of questions without answers are run on the importer's KB.
    pub looks_up_answers: bool,
}

/// A file with the questions of a split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitFile {
    /// The split.
    pub split: Split,
    /// The file; `-` stands for standard input, and the folder of a benchmark for its questions.
    pub file: String,
}

/// Where the levels of questions come from, if the files have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LevelSource {
    /// The files.
    #[default]
    Keep,
    /// The training questions.
    Compute,
}

impl LevelSource {
    /// Both sources, each with its name and a description.
    pub const NAMED: [(&'static str, &'static str, LevelSource); 2] = [
        ("keep", "The levels in the files", LevelSource::Keep),
        ("compute", "Computed from the training questions", LevelSource::Compute),
    ];
}

impl<'k> ImportConfig<'k> {
    /// The questions of one file as they are, to be graded: levels are kept, and no query is run.
    pub fn of_file(importer: Importer<'k>, file: &str) -> ImportConfig<'k> {
        ImportConfig {
            name: importer.data_set.name().to_owned(),
            importer,
            files: vec![SplitFile { split: Split::Dev, file: file.to_owned() }],
            kb: KbIdentity::of(None),
            levels: LevelSource::Keep,
            answers: None,
            looks_up_answers: false,
        }
    }
}

/// How the levels in the files compare with those computed from the training questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LevelAgreement {
    /// Questions with a level in the files.
    pub given: usize,
    /// Those for which the level computed from the training questions is different.
    pub different: usize,
    /// Whether there are training questions to compare with.
    pub comparable: bool,
}

impl LevelAgreement {
    /// Where the levels come from, in words; `None` if the files have none.
    #[must_use]
    pub fn describe(&self, source: LevelSource) -> Option<String> {
        let given = counted(self.given, "question", "questions");
        let different = grouped(self.different);
        let sentence = match (self.comparable, source) {
            (false, _) => {
                format!(
                    "levels: kept as the files give them for {given}; without --train they cannot be checked"
                )
            }
            (true, LevelSource::Keep) => format!(
                "levels: kept as the files give them for {given}; {different} of them differ from those that the training questions give (--levels compute uses these)"
            ),
            (true, LevelSource::Compute) => format!(
                "levels: computed from the training questions; {different} of {given} differ from those in the files"
            ),
        };
        (self.given > 0).then_some(sentence)
    }
}

/// What was read.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The benchmark; without questions if none could be read.
    pub benchmark: Benchmark,
    /// Records that could not be read, with their files.
    pub unread: Vec<(String, UnreadRecord)>,
    /// Questions whose answers come from running the gold query.
    pub n_looked_up: usize,
    /// Questions whose gold query was run and gave no answers.
    pub unanswered: Vec<Unanswered>,
    /// How the levels compare.
    pub levels: LevelAgreement,
}

/// A summary of the import for JSON output.
#[derive(Debug, Clone, Serialize)]
pub struct ImportSummary {
    counts: BTreeMap<String, u64>,
    unread: Vec<UnreadRow>,
    answers_looked_up: usize,
    without_answers: BTreeMap<String, u64>,
    levels: LevelRow,
}

#[derive(Debug, Clone, Serialize)]
struct UnreadRow {
    file: String,
    id: String,
    reason: String,
}

#[derive(Debug, Clone, Serialize)]
struct LevelRow {
    given: usize,
    different: Option<usize>,
}

impl Imported {
    /// Why records could not be read.
    #[must_use]
    pub fn unread_reasons(&self) -> ReasonCounts {
        reasons(&self.unread)
    }

    /// Why questions have no answers.
    #[must_use]
    pub fn unanswered_reasons(&self) -> ReasonCounts {
        let mut reasons = ReasonCounts::default();
        for Unanswered { id, reason } in &self.unanswered {
            reasons.add(id, reason.to_string());
        }
        reasons
    }

    /// Everything but the questions.
    #[must_use]
    pub fn summary(&self) -> ImportSummary {
        let row = |(file, record): &(String, UnreadRecord)| UnreadRow {
            file: file.clone(),
            id: record.id.clone(),
            reason: record.reason.to_string(),
        };
        ImportSummary {
            counts: self.benchmark.manifest.counts.clone(),
            unread: self.unread.iter().map(row).collect(),
            answers_looked_up: self.n_looked_up,
            without_answers: self.unanswered_reasons().by_reason(),
            levels: LevelRow {
                given: self.levels.given,
                different: self.levels.comparable.then_some(self.levels.different),
            },
        }
    }
}

fn reasons(unread: &[(String, UnreadRecord)]) -> ReasonCounts {
    let mut reasons = ReasonCounts::default();
    for (_, UnreadRecord { id, reason }) in unread {
        reasons.add(id, reason.to_string());
    }
    reasons
}

/// Reads all files. Records that cannot be read are listed in the result, and counted by reason in the manifest.
pub fn import(config: &ImportConfig<'_>, progress: &dyn Progress) -> Result<Imported, InputError> {
    let Importer { data_set, ref knowledge, kb } = config.importer;
    // Thousands of records may have unknown words: searching the nearest name for each would take hours.
    let importer = Importer { data_set, knowledge: knowledge.clone().without_suggestions(), kb };
    let mut questions: Vec<ImportedQuestion> = Vec::new();
    let mut unread: Vec<(String, UnreadRecord)> = Vec::new();
    for SplitFile { split, file } in &config.files {
        let mut take = |result: Result<ImportedQuestion, UnreadRecord>| match result {
            Ok(question) => questions.push(question),
            Err(error) => unread.push((file.clone(), error)),
        };
        if data_set == DataSet::Nspm {
            for record in nspm::records_of_file(Path::new(file))? {
                take(importer.question(&record, *split, &config.name));
            }
            continue;
        }
        let read = |record: &_| importer.question(record, *split, &config.name);
        RecordInput::file(file)?.for_each(progress, read, |result| {
            take(result);
            Ok::<(), InputError>(())
        })?;
    }
    if let Some(sets) = &config.answers {
        for ImportedQuestion { question, .. } in &mut questions {
            if let Some(answers) = sets.answers(&question.id, &knowledge.namespaces) {
                question.answers_empty = answers.is_empty();
                question.answers = answers;
            }
        }
    }
    let (n_looked_up, unanswered) = match kb {
        Some(kb) if config.looks_up_answers => look_up_answers(&mut questions, kb, progress),
        _ => (0, Vec::new()),
    };
    let rejections = reasons(&unread).by_reason();
    let (benchmark, levels) = assemble(config, questions, rejections);
    Ok(Imported { benchmark, unread, n_looked_up, unanswered, levels })
}

/// Builds the benchmark; levels that the files do not have are computed from the training questions.
fn assemble(
    config: &ImportConfig<'_>,
    imported: Vec<ImportedQuestion>,
    rejections: BTreeMap<String, u64>,
) -> (Benchmark, LevelAgreement) {
    let mut training = Training::default();
    for ImportedQuestion { question, traits } in &imported {
        if question.split == Split::Train {
            training.add(traits.clone());
        }
    }
    let comparable = training.template_count() > 0;
    let mut counts = LevelAgreement { comparable, ..LevelAgreement::default() };
    let judge = |ImportedQuestion { mut question, traits }| {
        if question.split == Split::Train {
            question.level = None;
            return question;
        }
        let computed = comparable.then(|| training.judge(&traits).level);
        let is_given = question.level.is_some();
        counts.given += usize::from(is_given);
        if let Some(computed) = computed {
            counts.different += usize::from(is_given && question.level != Some(computed));
            if !is_given || config.levels == LevelSource::Compute {
                question.level = Some(computed);
            }
        }
        question
    };
    let questions: Vec<Question> = imported.into_iter().map(judge).collect();
    let manifest = BenchmarkManifest {
        kb: config.kb.clone(),
        counts: BenchmarkManifest::counts(&questions),
        rejections,
        ..BenchmarkManifest::named(&config.name)
    };
    (Benchmark::new(manifest, questions), counts)
}
