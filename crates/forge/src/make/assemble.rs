//! Assembles the questions of all kinds into one benchmark.

use super::Maker;
use super::batch::Batch;
use super::candidate::Candidate;
use super::cell::{Cell, PerCell};
use crate::recipe::Wanted;
use crate::reject::{RejectReason, Rejections};
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use std::collections::BTreeSet;
use touchstone_benchmark::package::{Benchmark, BenchmarkManifest, FORMAT, KbIdentity, PhraseUse, Unfilled};
use touchstone_benchmark::{Question, Random, Split};
use touchstone_logic::Symbol;
use touchstone_logic::level::{Training, Traits};

/// All questions, before they are divided into splits.
#[derive(Default)]
struct Collected {
    candidates: PerCell<Vec<Candidate>>,
    rejections: Rejections,
    unfilled: Vec<Unfilled>,
    unsayable: BTreeSet<Symbol>,
}

impl Collected {
    /// Adds the questions of a batch, each query and each text once.
    fn new(wanted: &[Wanted], batches: Vec<Batch>) -> Collected {
        let mut collected = Collected::default();
        let (mut keys, mut texts) = (HashSet::new(), HashSet::new());
        for (wanted, batch) in wanted.iter().zip(batches) {
            collected.rejections.merge(&batch.rejections);
            collected.unsayable.extend(batch.unsayable.iter().cloned());
            let causes = Cell::ALL.map(|cell| (cell, batch.cause(cell)));
            for (cell, candidates) in batch.filled.into_iter() {
                let (target, made) = (batch.targets[cell], candidates.len());
                if made < target {
                    let reason = causes.iter().find(|(of, _)| *of == cell).and_then(|(_, cause)| *cause);
                    collected.unfilled.push(Unfilled {
                        kind: wanted.kind.name(),
                        level: cell.name().to_owned(),
                        wanted: target,
                        made,
                        reason: reason.map_or("", RejectReason::as_str).to_owned(),
                    });
                }
                for candidate in candidates {
                    if keys.insert(candidate.key) && texts.insert(candidate.question.question.clone()) {
                        collected.candidates[cell].push(candidate);
                    } else {
                        collected.rejections.add(RejectReason::Duplicate);
                    }
                }
            }
        }
        collected
    }
}

impl Maker<'_, '_> {
    /// Assembles the questions: each one once, and only those that have the level they were made for.
    pub(super) fn assemble(&self, wanted: &[Wanted], batches: Vec<Batch>) -> Benchmark {
        let Collected { candidates, mut rejections, unfilled, mut unsayable } =
            Collected::new(wanted, batches);
        let Divided { mut questions, verified, phrases } = self.divided(candidates, &mut rejections);
        for item in questions.iter().flat_map(|question| &question.schema_items) {
            unsayable.remove(item.as_str());
        }
        let (recipe, kb) = (self.recipe, self.context.kb().manifest());
        // A random order reveals nothing about kinds and splits.
        Random::new(recipe.seed, "order").shuffle(&mut questions);
        let prefix = id_prefix(&recipe.name, &kb.fingerprint, &questions);
        for (number, question) in questions.iter_mut().enumerate() {
            question.id = format!("{prefix}-{:06}", number + 1);
        }
        let manifest = BenchmarkManifest {
            touchstone_benchmark: FORMAT,
            name: recipe.name.clone(),
            identity: String::new(),
            description: recipe.description.clone(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            kb: KbIdentity { name: kb.name.clone(), fingerprint: kb.fingerprint.clone() },
            recipe: serde_json::to_value(recipe).ok(),
            license: kb.license.clone(),
            held_out: self.division.held_out.clone(),
            held_out_items: self.division.held_out_items(),
            as_of: kb.coverage.as_of().map(str::to_owned),
            completeness: crate::complete::treatment(self.context.kb()),
            counts: BenchmarkManifest::counts(&questions),
            rejections: rejections.by_text(),
            unfilled,
            most_used_phrases: most_used(phrases),
            unsaid: unsayable.iter().map(ToString::to_string).collect(),
            verified,
        };
        Benchmark::new(manifest, questions)
    }

    /// The questions with their splits and levels.
    fn divided(&self, mut candidates: PerCell<Vec<Candidate>>, rejections: &mut Rejections) -> Divided {
        let words = &self.context.words;
        let traits = |candidate: &mut Candidate| {
            let items = std::mem::take(&mut candidate.items);
            Traits::new(items, candidate.question.template.clone(), words, self.recipe.splits.inverse_rule)
        };
        let mut training = Training::default();
        let of_training: Vec<Traits> = candidates[Cell::Train].par_iter_mut().map(traits).collect();
        of_training.into_iter().for_each(|traits| training.add(traits));
        let splits = &self.recipe.splits;
        let dev = splits.dev / (splits.dev + splits.test).max(f64::MIN_POSITIVE);
        let mut divided = Divided::default();
        for (cell, mut candidates) in candidates.into_iter() {
            let level = cell.level();
            let mut random = Random::new(self.recipe.seed, cell.name());
            let fits = |candidate: &mut Candidate| {
                level.is_none_or(|level| training.judge(&traits(candidate)).level == level)
            };
            let fitting: Vec<bool> = candidates.par_iter_mut().map(fits).collect();
            for (candidate, fits) in candidates.into_iter().zip(fitting) {
                if !fits {
                    rejections.add(RejectReason::UnexpectedLevel);
                    continue;
                }
                let is_dev = random.share() < dev;
                let split = match cell {
                    Cell::Train => Split::Train,
                    Cell::Evaluation(_) if is_dev => Split::Dev,
                    Cell::Evaluation(_) => Split::Test,
                };
                divided.verified += candidate.verified as u64;
                for phrase in candidate.phrases {
                    *divided.phrases.entry(phrase).or_default() += 1;
                }
                divided.questions.push(Question { split, level, ..candidate.question });
            }
        }
        divided
    }
}

/// The questions of a benchmark with their splits and levels.
#[derive(Default)]
struct Divided {
    questions: Vec<Question>,
    /// Number of SPARQL forms that the general evaluator confirmed.
    verified: u64,
    /// How often each phrase of the lexicon occurs.
    phrases: HashMap<String, u64>,
}

/// Number of phrases in the manifest.
const MOST_USED: usize = 10;

/// The phrases that occur most.
fn most_used(phrases: HashMap<String, u64>) -> Vec<PhraseUse> {
    let mut uses: Vec<PhraseUse> =
        phrases.into_iter().map(|(phrase, questions)| PhraseUse { phrase, questions }).collect();
    uses.sort_by(|one, other| (other.questions, &one.phrase).cmp(&(one.questions, &other.phrase)));
    uses.truncate(MOST_USED);
    uses
}

/// The prefix of ids: the name, and a few digits of a hash of what is asked, so that questions of two benchmarks with the same name have
/// different ids.
fn id_prefix(name: &str, kb: &str, questions: &[Question]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kb.as_bytes());
    for question in questions {
        hasher
            .update(question.question.as_bytes())
            .update(b"\n")
            .update(question.template.as_bytes())
            .update(b"\n");
    }
    format!("{name}-{}", &hasher.finalize().to_hex()[..4])
}
