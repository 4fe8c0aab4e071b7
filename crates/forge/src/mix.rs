//! Combines several benchmarks into one, as GrailQA++ combines WebQSP, ComplexWebQuestions and GraphQuestions: it selects questions by their
//! level relative to a training set and by their shape.

use crate::reject::{RejectReason, Rejections};
use hashbrown::HashSet;
use std::collections::BTreeMap;
use std::num::ParseIntError;
use touchstone_benchmark::package::{Benchmark, BenchmarkManifest, KbIdentity};
use touchstone_benchmark::{Question, Random, Split};
use touchstone_engine::QueryContext;
use touchstone_kb::{Progress, shortened};
use touchstone_logic::equal::Canonical;
use touchstone_logic::graph::Class;
use touchstone_logic::level::{Level, Training};
use touchstone_logic::{Knowledge, Query, with_ids};

/// Which questions to take, and from which benchmarks.
pub struct MixConfig<'a, 'k> {
    /// The name of the new benchmark.
    pub name: String,
    /// The benchmark with the training questions that levels are relative to.
    pub against: &'a Benchmark,
    /// The benchmarks to take questions from.
    pub sources: &'a [Benchmark],
    /// What is known about the names in their logical forms.
    pub context: &'a QueryContext<'k>,
    /// Levels to take; all if there are none.
    pub levels: Vec<Level>,
    /// Shapes to take, by name or code, and the maximum number of questions of each; all if there are none.
    pub shapes: BTreeMap<String, Option<usize>>,
    /// Seed for choosing questions, if there are more than wanted.
    pub seed: u64,
    /// Whether the training questions become part of the new benchmark.
    pub with_training: bool,
}

/// Why benchmarks cannot be combined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MixError {
    /// Levels are relative to training questions.
    #[error("`{benchmark}` has no training questions, so levels cannot be determined")]
    NoTraining {
        /// The name of the benchmark.
        benchmark: String,
    },
    /// The work was cancelled.
    #[error("stopped")]
    Interrupted,
}

/// A level or a shape to take cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MixSelectionError {
    /// There is no such level.
    #[error("there is no level `{0}`; choose from i.i.d., compositional, zero-shot and all")]
    UnknownLevel(String),
    /// The number after a shape is not a number.
    #[error("--shape {text}: `{number}` is not a number of questions")]
    NotANumber {
        /// The shape and the number.
        text: String,
        /// The number.
        number: String,
        /// The problem.
        source: ParseIntError,
    },
    /// There is no such shape.
    #[error("there is no shape `{0}`; write a name like Iso-8 or a code like T1:(()())")]
    UnknownShape(String),
}

/// The levels with these names; none, which stands for all, if `all` is among them.
pub fn mixed_levels(names: &[String]) -> Result<Vec<Level>, MixSelectionError> {
    if names.iter().any(|name| name == "all") {
        return Ok(Vec::new());
    }
    let level = |name: &String| {
        let found = Level::ALL
            .into_iter()
            .find(|level| level.name() == name || (name == "iid" && *level == Level::Iid));
        found.ok_or_else(|| MixSelectionError::UnknownLevel(shortened(name)))
    };
    names.iter().map(level).collect()
}

/// A shape, by name or code, with the maximum number of its questions: `Iso-3`, or `Iso-3=100`.
pub fn mixed_shape(text: &str) -> Result<(String, Option<usize>), MixSelectionError> {
    let (name, number) = text.split_once('=').map_or((text, None), |(name, number)| (name, Some(number)));
    let most = number.map(|number| {
        let (text, owned) = (text.to_owned(), number.to_owned());
        number.parse().map_err(|source| MixSelectionError::NotANumber { text, number: owned, source })
    });
    let most = most.transpose()?;
    let is_code = ["T1:", "G1:", "D1:"].iter().any(|prefix| name.starts_with(prefix));
    if Class::by_name(name).is_none() && !is_code {
        return Err(MixSelectionError::UnknownShape(shortened(name)));
    }
    Ok((name.to_owned(), most))
}

/// Combines benchmarks. The manifest counts the rejected questions by reason.
pub fn mix(config: &MixConfig<'_, '_>, progress: &dyn Progress) -> Result<Benchmark, MixError> {
    let MixConfig { against, sources, .. } = config;
    if !against.questions.iter().any(|question| question.split == Split::Train) {
        return Err(MixError::NoTraining { benchmark: against.manifest.name.clone() });
    }
    let mut mixer = Mixer {
        config,
        knowledge: &config.context.knowledge(),
        training: Training::default(),
        left: config.shapes.clone(),
        keys: HashSet::new(),
        texts: HashSet::new(),
        ids: HashSet::new(),
        questions: Vec::new(),
        rejections: Rejections::default(),
    };
    for question in against.questions.iter().filter(|question| question.split == Split::Train) {
        mixer.add_training(question);
    }
    mixer.ids = mixer.questions.iter().map(|question| question.id.clone()).collect();
    let mut all: Vec<&Question> = sources.iter().flat_map(|source| &source.questions).collect();
    Random::new(config.seed, "mix").shuffle(&mut all);
    progress.stage("choosing questions", Some(all.len() as u64));
    for question in all {
        if let Err(reason) = mixer.add(question) {
            mixer.rejections.add(reason);
        }
        progress.advance(1);
        if progress.cancelled() {
            return Err(MixError::Interrupted);
        }
    }
    let mut kb = against.manifest.kb.clone();
    if sources.iter().any(|source| source.manifest.kb.fingerprint != kb.fingerprint) {
        // No single KB covers all questions.
        kb = KbIdentity::of(None);
    }
    let manifest = BenchmarkManifest {
        name: config.name.clone(),
        kb,
        description: format!("Levels are relative to the training questions of {}.", against.manifest.name),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: None,
        counts: BenchmarkManifest::counts(&mixer.questions),
        rejections: mixer.rejections.by_text(),
        unfilled: Vec::new(),
        most_used_phrases: Vec::new(),
        unsaid: Vec::new(),
        verified: 0,
        ..against.manifest.clone()
    };
    Ok(Benchmark::new(manifest, mixer.questions))
}

/// A benchmark under construction.
struct Mixer<'m, 'c, 'k> {
    config: &'m MixConfig<'c, 'k>,
    knowledge: &'m Knowledge<'m>,
    training: Training,
    /// For shapes with a limit: the number of questions still wanted.
    left: BTreeMap<String, Option<usize>>,
    /// What has been asked so far: queries, and questions in lower case.
    keys: HashSet<String>,
    texts: HashSet<String>,
    ids: HashSet<String>,
    questions: Vec<Question>,
    rejections: Rejections,
}

impl Mixer<'_, '_, '_> {
    /// The query of a question. Programs have names where S-expressions have ids.
    fn read(&self, question: &Question) -> Option<Query> {
        let query = question.query(self.knowledge)?;
        Some(match self.config.context.kb() {
            Some(kb) => with_ids(query, kb),
            None => query,
        })
    }

    fn add_training(&mut self, question: &Question) {
        let Some(query) = self.read(question) else {
            self.rejections.add(RejectReason::UnreadableTrainingQuestion);
            return;
        };
        self.training.add(question.traits_of(&query, self.knowledge.words, true));
        self.keys.insert(Canonical::of(&query, self.knowledge.words).key().to_owned());
        self.texts.insert(question.question.to_lowercase());
        if self.config.with_training {
            self.questions.push(question.clone());
        }
    }

    /// Takes a question for the test split.
    fn add(&mut self, question: &Question) -> Result<(), RejectReason> {
        let query = self.read(question).ok_or(RejectReason::UnreadableQuestion)?;
        let level = self.training.judge(&question.traits_of(&query, self.knowledge.words, true)).level;
        if !self.config.levels.is_empty() && !self.config.levels.contains(&level) {
            return Err(RejectReason::OtherLevel);
        }
        let quota = match self.config.shapes.is_empty() {
            true => None,
            false => {
                let mut names = question.alias.iter().chain([&question.shape]);
                let name = names.find(|name| self.left.contains_key(*name));
                Some(name.and_then(|name| self.left.get_mut(name)).ok_or(RejectReason::OtherShape)?)
            }
        };
        if quota.as_ref().is_some_and(|quota| **quota == Some(0)) {
            return Err(RejectReason::ShapeIsFull);
        }
        let key = Canonical::of(&query, self.knowledge.words).key().to_owned();
        if !self.texts.insert(question.question.to_lowercase()) || !self.keys.insert(key) {
            return Err(RejectReason::AlreadyIncluded);
        }
        if let Some(Some(quota)) = quota {
            *quota -= 1;
        }
        let mut question = Question { split: Split::Test, level: Some(level), ..question.clone() };
        if !self.ids.insert(question.id.clone()) {
            question.id = format!("{}-{}", question.source, question.id);
            self.ids.insert(question.id.clone());
        }
        self.questions.push(question);
        Ok(())
    }
}
