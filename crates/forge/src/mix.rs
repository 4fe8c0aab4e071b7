//! One benchmark out of several, as GrailQA++ is made of WebQSP, ComplexWebQuestions and GraphQuestions: what has a level against a
//! training set, and a wanted shape.

use crate::reject::{RejectReason, Rejections};
use hashbrown::HashSet;
use std::collections::BTreeMap;
use touchstone_benchmark::package::{Benchmark, KbIdentity, Manifest};
use touchstone_benchmark::{Question, Random, Split};
use touchstone_kb::Kb;
use touchstone_logic::equal::Canonical;
use touchstone_logic::level::{Level, Training, Traits};
use touchstone_logic::{Knowledge, Query, with_ids};

/// What to take.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The name of the new benchmark.
    pub name: String,
    /// Levels to take; all if there are none.
    pub levels: Vec<Level>,
    /// Shapes to take, by name or code, and how many of each at most; all if there are none.
    pub shapes: BTreeMap<String, Option<usize>>,
    /// Which ones, if there are more.
    pub seed: u64,
    /// Whether the training questions become part of the new benchmark.
    pub with_training: bool,
}

/// Puts benchmarks together. The manifest counts the questions that were not taken by reason.
pub fn mix(
    against: &Benchmark,
    sources: &[Benchmark],
    choice: &Choice,
    knowledge: &Knowledge<'_>,
    kb: Option<&Kb>,
) -> Benchmark {
    let mut mixer = Mixer {
        choice,
        knowledge,
        kb,
        training: Training::default(),
        left: choice.shapes.clone(),
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
    Random::new(choice.seed, "mix").shuffle(&mut all);
    for question in all {
        if let Err(reason) = mixer.add(question) {
            mixer.rejections.add(reason);
        }
    }
    let mut kb = against.manifest.kb.clone();
    if sources.iter().any(|source| source.manifest.kb.fingerprint != kb.fingerprint) {
        // No single KB holds for all of it.
        kb = KbIdentity { name: String::new(), fingerprint: String::new() };
    }
    let manifest = Manifest {
        name: choice.name.clone(),
        kb,
        description: format!("Levels are relative to the training questions of {}.", against.manifest.name),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: None,
        counts: Manifest::counts(&mixer.questions),
        rejections: mixer.rejections.by_text(),
        unfilled: Vec::new(),
        verified: 0,
        ..against.manifest.clone()
    };
    Benchmark::new(manifest, mixer.questions)
}

/// A benchmark that is being put together.
struct Mixer<'a> {
    choice: &'a Choice,
    knowledge: &'a Knowledge<'a>,
    kb: Option<&'a Kb>,
    training: Training,
    /// Of shapes with a limit: how many more questions are taken.
    left: BTreeMap<String, Option<usize>>,
    /// What is asked so far: queries, and questions in lower case.
    keys: HashSet<String>,
    texts: HashSet<String>,
    ids: HashSet<String>,
    questions: Vec<Question>,
    rejections: Rejections,
}

impl Mixer<'_> {
    /// The query of a question. Programs name what expressions have ids for.
    fn read(&self, question: &Question) -> Option<Query> {
        let query = question.query(self.knowledge)?;
        Some(match self.kb {
            Some(kb) => with_ids(query, kb),
            None => query,
        })
    }

    fn add_training(&mut self, question: &Question) {
        let Some(query) = self.read(question) else {
            self.rejections.add(RejectReason::UnreadableTrainingQuestion);
            return;
        };
        self.training.add(Traits::of(&query, self.knowledge.words, true));
        self.keys.insert(Canonical::of(&query, self.knowledge.words).key().to_owned());
        self.texts.insert(question.question.to_lowercase());
        if self.choice.with_training {
            self.questions.push(question.clone());
        }
    }

    /// Takes a question for the test split.
    fn add(&mut self, question: &Question) -> Result<(), RejectReason> {
        let query = self.read(question).ok_or(RejectReason::UnreadableQuestion)?;
        let level = self.training.judge(&Traits::of(&query, self.knowledge.words, true)).level;
        if !self.choice.levels.is_empty() && !self.choice.levels.contains(&level) {
            return Err(RejectReason::OtherLevel);
        }
        let quota = match self.choice.shapes.is_empty() {
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
