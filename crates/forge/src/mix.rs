//! One benchmark out of several, as GrailQA++ is made of WebQSP, ComplexWebQuestions and GraphQuestions: what has a level against a
//! training set, and a wanted shape.

use hashbrown::HashSet;
use std::collections::BTreeMap;
use touchstone_benchmark::package::{Benchmark, KbIdentity, Manifest};
use touchstone_benchmark::{Question, Random, Split};
use touchstone_kb::Kb;
use touchstone_logic::Knowledge;
use touchstone_logic::equal::Canonical;
use touchstone_logic::level::{Level, Training, Traits};
use touchstone_logic::with_ids;

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

/// Puts benchmarks together. Why questions were not taken is in the manifest.
pub fn mix(
    against: &Benchmark,
    sources: &[Benchmark],
    choice: &Choice,
    knowledge: &Knowledge<'_>,
    kb: Option<&Kb>,
) -> Benchmark {
    // Programs name what expressions have ids for.
    let read = |question: &Question| {
        let query = question.query(knowledge)?;
        Some(kb.map_or_else(|| query.clone(), |kb| with_ids(query.clone(), kb)))
    };
    let mut rejections: BTreeMap<String, u64> = BTreeMap::new();
    let mut reject = |reason: &str| *rejections.entry(reason.to_owned()).or_default() += 1;
    let mut training = Training::default();
    let (mut keys, mut texts) = (HashSet::new(), HashSet::new());
    let mut questions: Vec<Question> = Vec::new();
    for question in against.questions.iter().filter(|question| question.split == Split::Train) {
        let Some(query) = read(question) else {
            reject("a training question that cannot be read");
            continue;
        };
        training.add(Traits::of(&query, knowledge.words, true));
        keys.insert(Canonical::of(&query, knowledge.words).key().to_owned());
        texts.insert(question.question.to_lowercase());
        if choice.with_training {
            questions.push(question.clone());
        }
    }
    let mut all: Vec<&Question> = sources.iter().flat_map(|source| &source.questions).collect();
    Random::new(choice.seed, "mix").shuffle(&mut all);
    let mut left = choice.shapes.clone();
    let mut ids: HashSet<String> = questions.iter().map(|question| question.id.clone()).collect();
    for question in all {
        let Some(query) = read(question) else {
            reject("a question that cannot be read");
            continue;
        };
        let level = training.judge(&Traits::of(&query, knowledge.words, true)).level;
        if !choice.levels.is_empty() && !choice.levels.contains(&level) {
            reject("another level");
            continue;
        }
        let quota = match choice.shapes.is_empty() {
            true => None,
            false => {
                let name =
                    question.alias.iter().chain([&question.shape]).find(|name| left.contains_key(*name));
                let Some(quota) = name.and_then(|name| left.get_mut(name)) else {
                    reject("another shape");
                    continue;
                };
                Some(quota)
            }
        };
        if quota.as_ref().is_some_and(|quota| **quota == Some(0)) {
            reject("enough of this shape");
            continue;
        }
        let key = Canonical::of(&query, knowledge.words).key().to_owned();
        if !texts.insert(question.question.to_lowercase()) || !keys.insert(key) {
            reject("a query or question that is there already");
            continue;
        }
        if let Some(Some(quota)) = quota {
            *quota -= 1;
        }
        let mut question = question.clone();
        question.split = Split::Test;
        question.level = Some(level);
        if !ids.insert(question.id.clone()) {
            question.id = format!("{}-{}", question.source, question.id);
            ids.insert(question.id.clone());
        }
        questions.push(question);
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
        counts: Manifest::counts(&questions),
        rejections,
        unfilled: Vec::new(),
        verified: 0,
        ..against.manifest.clone()
    };
    Benchmark::new(manifest, questions)
}
