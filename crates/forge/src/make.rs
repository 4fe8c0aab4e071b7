//! Follows a recipe: samples, checks, says, divides.

use crate::choices::choices;
use crate::division::{Division, NoSuchDomain, Pool};
use crate::english::verbalise;
use crate::forms::{Disagreement, FormPrinter};
use crate::ground::Ground;
use crate::proof::proof;
use crate::recipe::{Kind, Outline, Recipe, RecipeError, Wanted, apportioned};
use crate::recipe_keys;
use crate::sample::again::again;
use crate::sample::asking;
use crate::sample::filters::{REDUNDANT, Rejected, Rejections, checked, gives_away, reduced};
use crate::sample::{cycles, shapes};
use hashbrown::HashSet;
use rayon::prelude::*;
use std::collections::BTreeMap;
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::package::{Benchmark, FORMAT, KbIdentity, Manifest, Unfilled};
use touchstone_benchmark::{Question, Random, Split};

use touchstone_kb::{ClassId, Kb, Progress};
use touchstone_logic::equal::Canonical;
use touchstone_logic::level::{Level, SchemaItems, Training, Traits};
use touchstone_logic::{Query, QueryGraph};

/// A benchmark that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// The recipe.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// A domain that is not there.
    #[error(transparent)]
    Domain(#[from] NoSuchDomain),
    /// Two forms of one question give different answers.
    #[error(transparent)]
    Disagreement(#[from] Box<Disagreement>),
    /// The user stopped it.
    #[error("stopped; nothing was written")]
    Cancelled,
}

/// A question on its way.
struct Candidate {
    question: Question,
    /// Until the questions of its kind are made: others with its template may follow.
    query: Option<Query>,
    /// What [`Traits`] is made of.
    items: SchemaItems,
    key: Key,
    /// Whether it names things that could be other ones.
    can_move: bool,
    pool: Pool,
    verified: usize,
}

/// The hash of what is the same for all queries that ask the same.
type Key = [u8; 16];

/// The questions of one kind.
#[derive(Default)]
struct Batch {
    /// By level: training, i.i.d., compositional, zero-shot.
    filled: [Vec<Candidate>; 4],
    targets: [usize; 4],
    rejections: Rejections,
    /// Why attempts to fill a level failed, by level.
    reasons: [Rejections; 4],
}

impl Batch {
    fn is_missing(&self, level: usize) -> bool {
        self.targets[level] > self.filled[level].len()
    }

    /// Counts an attempt that failed, for all levels that it could have filled.
    fn failed(&mut self, levels: &[usize], reason: &'static str) {
        self.rejections.add(reason);
        for &level in levels {
            self.reasons[level].add(reason);
        }
    }
}

/// Maximum number of times a good question is moved to other entities: a template that gives one good question mostly gives several, and
/// those of published data have several, too.
const MOVES: usize = 16;

const LEVELS: [&str; 4] = ["train", "i.i.d.", "compositional", "zero-shot"];

struct Maker<'k, 'r> {
    ground: Ground<'k>,
    recipe: &'r Recipe,
    lexicon: &'r Lexicon,
    printer: FormPrinter<'k>,
    division: Division,
    /// Classes to start from: those of training, and all.
    seen_classes: Vec<ClassId>,
    held_classes: Vec<ClassId>,
}

/// Makes a benchmark.
pub fn make(
    kb: &Kb,
    recipe: &Recipe,
    lexicon: &Lexicon,
    progress: &dyn Progress,
) -> Result<Benchmark, MakeError> {
    let wanted = recipe.wanted()?;
    recipe_keys::check_illegal(kb, recipe.filters.illegal.as_deref().unwrap_or_default())?;
    let division = Division::new(kb, &recipe.splits, recipe.seed)?;
    let ground = Ground::new(kb, recipe.filters.illegal.as_deref());
    let class_id = |class: &ClassId| kb.node_id(kb.class_node(*class));
    let (held_classes, seen_classes) =
        ground.classes.iter().partition(|&class| division.keeps_out(class_id(class)));
    let maker = Maker {
        printer: FormPrinter::new(kb),
        ground,
        recipe,
        lexicon,
        division,
        seen_classes,
        held_classes,
    };
    progress.stage("sampling questions", Some(recipe.questions as u64));
    // The longest first, so that no thread is left alone with one at the end.
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&at| {
        (matches!(wanted[at].kind, Kind::Shape { .. }), std::cmp::Reverse(wanted[at].questions))
    });
    let batches = order.par_iter().with_max_len(1).map(|&at| Ok((at, maker.batch(&wanted[at], progress)?)));
    let mut batches: Vec<(usize, Batch)> = batches.collect::<Result<_, MakeError>>()?;
    batches.sort_by_key(|(at, _)| *at);
    let batches: Vec<Batch> = batches.into_iter().map(|(_, batch)| batch).collect();
    if progress.cancelled() {
        return Err(MakeError::Cancelled);
    }
    progress.stage("dividing questions", None);
    Ok(maker.benchmark(&wanted, batches))
}

impl<'k> Maker<'k, '_> {
    /// How many questions of each level.
    fn targets(&self, questions: usize) -> [usize; 4] {
        let splits = &self.recipe.splits;
        let all = splits.train + splits.dev + splits.test;
        let evaluated = (splits.dev + splits.test) / all;
        let levels = splits.iid + splits.compositional + splits.zero_shot;
        let share = |weight: f64| if levels > 0.0 { evaluated * weight / levels } else { 0.0 };
        let train = if levels > 0.0 { splits.train / all } else { 1.0 };
        let shares = [train, share(splits.iid), share(splits.compositional), share(splits.zero_shot)];
        let numbers = apportioned(questions, &shares);
        [numbers[0], numbers[1], numbers[2], numbers[3]]
    }

    fn batch(&self, wanted: &Wanted, progress: &dyn Progress) -> Result<Batch, MakeError> {
        let name = wanted.kind.name();
        let mut random = Random::new(self.recipe.seed, &name);
        let mut batch = Batch { targets: self.targets(wanted.questions), ..Batch::default() };
        // Questions of this sort cannot be moved to other entities: those with a template in common are taken from training later.
        let can_move = matches!(&wanted.kind, Kind::Shape { .. });
        let reserve = if can_move { 0 } else { batch.targets[1] };
        batch.targets[0] += reserve;
        let mut seen: HashSet<Key> = HashSet::new();
        let (mut barren, mut attempts) = (0usize, 0usize);
        let started = std::time::Instant::now();
        let patience = 10_000 + 40 * wanted.questions;
        // Training, compositional and zero-shot questions are sampled; i.i.d. ones follow from those of training.
        loop {
            let missing: Vec<usize> =
                [0, 2, 3].into_iter().filter(|&level| batch.is_missing(level)).collect();
            if missing.is_empty() || barren > patience {
                break;
            }
            if progress.cancelled() {
                return Err(MakeError::Cancelled);
            }
            let from_held = missing == [3] || missing.contains(&3) && random.percent(40);
            let classes = if from_held && !self.held_classes.is_empty() && random.percent(70) {
                &self.held_classes
            } else {
                &self.seen_classes
            };
            barren += 1;
            attempts += 1;
            let sampled = match &wanted.kind {
                Kind::Shape { outline: Outline::Tree(tree), function, .. } => {
                    shapes::sample(&self.ground, &mut random, tree, *function, classes)
                }
                Kind::Shape { outline: Outline::Cyclic(cyclic), function, .. } => {
                    cycles::sample(&self.ground, &mut random, cyclic, *function, classes)
                }
                Kind::Asking(kind) => {
                    asking::sample(&self.ground, &mut random, *kind, self.recipe.asking.depth, classes)
                }
            };
            let query = match sampled {
                Ok(query) => query,
                Err(reason) => {
                    batch.failed(&missing, reason);
                    continue;
                }
            };
            let mut next = Some(query);
            // What says more than it needs to is asked without that, where no shape is wanted.
            while let Some(query) = next.take() {
                let template = Canonical::template(&query, &self.ground.words);
                let pool = self.division.pool(&query, template.key());
                let level = match pool {
                    Pool::Seen => 0,
                    Pool::Template => 2,
                    Pool::Items => 3,
                };
                if !batch.is_missing(level) {
                    missing.iter().for_each(|&level| batch.reasons[level].add("a question of another level"));
                    break;
                }
                let template = template.key();
                match self.candidate(&wanted.kind, query.clone(), template, pool, &mut seen)? {
                    Ok(candidate) => {
                        batch.filled[level].push(*candidate);
                        progress.advance(1);
                        barren = 0;
                        for _ in 0..if can_move { MOVES } else { 0 } {
                            if batch.is_missing(level)
                                && let Some(moved) = self.moved(&mut random, &query, template)
                            {
                                match self.candidate(&wanted.kind, moved, template, pool, &mut seen)? {
                                    Ok(candidate) => {
                                        batch.filled[level].push(*candidate);
                                        progress.advance(1);
                                    }
                                    Err(reason) => batch.failed(&[level], reason),
                                }
                            }
                        }
                    }
                    Err(reason) => {
                        batch.failed(&[level], reason);
                        // It took longer than an attempt that never came so far.
                        barren += 10;
                        if reason == REDUNDANT && !can_move {
                            next = reduced(&self.ground, &query);
                        }
                    }
                }
            }
        }
        batch.targets[0] -= reserve;
        let sampled = started.elapsed();
        self.add_iid(wanted, &mut random, &mut batch, &mut seen, progress)?;
        batch.filled.iter_mut().flatten().for_each(|candidate| candidate.query = None);
        tracing::debug!(
            kind = name,
            wanted = wanted.questions,
            made = batch.filled.iter().map(Vec::len).sum::<usize>(),
            attempts,
            sampled = sampled.as_secs_f32(),
            all = started.elapsed().as_secs_f32(),
            rejections = ?batch.rejections.0,
        );
        Ok(batch)
    }

    /// Other questions with the templates of training.
    fn add_iid(
        &self,
        wanted: &Wanted,
        random: &mut Random,
        batch: &mut Batch,
        seen: &mut HashSet<Key>,
        progress: &dyn Progress,
    ) -> Result<(), MakeError> {
        let mut barren = 0;
        let is_shape = matches!(&wanted.kind, Kind::Shape { .. });
        let can_move = is_shape && !batch.filled[0].is_empty();
        while can_move && batch.filled[1].len() < batch.targets[1] && barren < 2000 {
            if progress.cancelled() {
                return Err(MakeError::Cancelled);
            }
            barren += 1;
            let at = random.below(batch.filled[0].len());
            let Candidate { question, query, can_move, pool, .. } = &batch.filled[0][at];
            let Some(query) = query else { continue };
            if !can_move {
                batch.failed(&[1], "the template names nothing that could be something else");
                continue;
            }
            let Some(query) = self.moved(random, query, &question.template) else {
                batch.failed(&[1], "no other entities for the template");
                continue;
            };
            match self.candidate(&wanted.kind, query, &question.template, *pool, seen)? {
                Ok(candidate) => {
                    batch.filled[1].push(*candidate);
                    progress.advance(1);
                    barren = 0;
                }
                Err(reason) => batch.failed(&[1], reason),
            }
        }
        if !can_move && batch.is_missing(1) {
            batch.reasons[1].add("no two questions with the same template");
        }
        // What cannot be moved to other entities: questions that share their template with another one of training.
        let mut by_template: BTreeMap<String, usize> = BTreeMap::new();
        for candidate in &batch.filled[0] {
            *by_template.entry(candidate.question.template.clone()).or_default() += 1;
        }
        let mut kept = Vec::new();
        for candidate in std::mem::take(&mut batch.filled[0]) {
            let left = by_template.entry(candidate.question.template.clone()).or_default();
            if batch.filled[1].len() < batch.targets[1] && *left > 1 {
                *left -= 1;
                batch.filled[1].push(candidate);
            } else {
                kept.push(candidate);
            }
        }
        batch.filled[0] = kept;
        Ok(())
    }

    /// A query with the same template about other things; `None` if this attempt finds none.
    fn moved(&self, random: &mut Random, query: &Query, template: &str) -> Option<Query> {
        let moved = again(&self.ground, random, query)?;
        (Canonical::template(&moved, &self.ground.words).key() == template).then_some(moved)
    }

    /// Checks a query and says it, or tells why it makes no good question.
    fn candidate(
        &self,
        kind: &Kind,
        query: Query,
        template: &str,
        pool: Pool,
        seen: &mut HashSet<Key>,
    ) -> Result<Result<Box<Candidate>, Rejected>, MakeError> {
        let kb = self.ground.kb();
        let reject = |reason| Ok(Err(reason));
        let graph = QueryGraph::of(&query);
        if let Kind::Shape { outline, .. } = kind
            && !outline.fits(&graph.shape())
        {
            return reject("another shape");
        }
        let found = match checked(&self.ground, &query, self.recipe.filters.max_answers) {
            Ok(found) => found,
            Err(reason) => return reject(reason),
        };
        if let Kind::Asking(_) = kind
            && found.len() != 1
        {
            return reject("the answer is not unique");
        }
        let canonical = Canonical::of(&query, &self.ground.words);
        let mut key = Key::default();
        key.copy_from_slice(&blake3::hash(canonical.key().as_bytes()).as_bytes()[..16]);
        if !seen.insert(key) {
            return reject("duplicate");
        }
        let seed = Random::new(self.recipe.seed, canonical.key()).number();
        let spoken = match verbalise(&query, kb, self.lexicon, found.len() > 1, seed) {
            Ok(spoken) => spoken,
            Err(reason) => return reject(reason),
        };
        if gives_away(&spoken.text, &query, &found, kb) {
            return reject("the question gives its answer away");
        }
        let (forms, is_read) = self.printer.forms(&self.ground, &query, &found).map_err(Box::new)?;
        let Some(facts) = proof(kb, &query, &found) else { return reject("no proof") };
        let answers = found.answers(kb);
        let mut random = Random::new(seed, "choices");
        let is_in_sample = random.below(1_000_000) < (self.recipe.filters.verify * 1e6) as usize;
        // Every form is run: what no other reader of it knows, the general evaluator must confirm.
        let n_verified = if is_in_sample { 2 } else { usize::from(!is_read) };
        let verified = self.printer.verify(&self.ground, &query, &found, n_verified).map_err(Box::new)?;
        if !is_read && verified == 0 {
            return reject("no logical form that can be run says it");
        }
        let question = Question {
            question: spoken.text,
            choices: choices(&self.ground, &mut random, &query, &answers),
            answers,
            entities: spoken.mentions,
            proof: facts,
            source: match kind {
                Kind::Shape { .. } => "shapes".to_owned(),
                Kind::Asking(_) => "asking".to_owned(),
            },
            ..Question::about(&query, &graph, template, forms)
        };
        let items = SchemaItems::of(&query);
        let can_move = canonical.key() != template;
        Ok(Ok(Box::new(Candidate { question, query: Some(query), items, key, can_move, pool, verified })))
    }

    /// Puts the questions together: each once, with the level that the definition gives it.
    fn benchmark(&self, wanted: &[Wanted], batches: Vec<Batch>) -> Benchmark {
        let recipe = self.recipe;
        let mut rejections = Rejections::default();
        let mut unfilled = Vec::new();
        let (mut keys, mut texts) = (HashSet::new(), HashSet::new());
        let mut by_level: [Vec<Candidate>; 4] = Default::default();
        for (wanted, batch) in wanted.iter().zip(batches) {
            rejections.merge(&batch.rejections);
            for (level, candidates) in batch.filled.into_iter().enumerate() {
                let (target, made) = (batch.targets[level], candidates.len());
                let reasons = &batch.reasons[level].0;
                let reason = reasons.iter().max_by_key(|(_, n)| **n).map_or("", |(reason, _)| reason);
                if made < target {
                    unfilled.push(Unfilled {
                        kind: wanted.kind.name(),
                        level: LEVELS[level].to_owned(),
                        wanted: target,
                        made,
                        reason: reason.to_owned(),
                    });
                }
                for candidate in candidates {
                    if keys.insert(candidate.key) && texts.insert(candidate.question.question.clone()) {
                        by_level[level].push(candidate);
                    } else {
                        rejections.add("duplicate");
                    }
                }
            }
        }
        let words = &self.ground.words;
        let traits = |candidate: &mut Candidate| {
            let items = std::mem::take(&mut candidate.items);
            Traits::new(items, candidate.question.template.clone(), words, true)
        };
        let mut training = Training::default();
        let of_training: Vec<Traits> = by_level[0].par_iter_mut().map(traits).collect();
        of_training.into_iter().for_each(|traits| training.add(traits));
        let (mut questions, mut verified) = (Vec::new(), 0);
        let splits = &recipe.splits;
        let dev = splits.dev / (splits.dev + splits.test).max(f64::MIN_POSITIVE);
        for (level, mut candidates) in by_level.into_iter().enumerate() {
            let expected = [None, Some(Level::Iid), Some(Level::Compositional), Some(Level::ZeroShot)][level];
            let mut random = Random::new(recipe.seed, LEVELS[level]);
            let fits = |candidate: &mut Candidate| {
                expected.is_none_or(|expected| training.judge(&traits(candidate)).level == expected)
            };
            let fitting: Vec<bool> = candidates.par_iter_mut().map(fits).collect();
            for (Candidate { mut question, verified: n, .. }, fits) in candidates.into_iter().zip(fitting) {
                if !fits {
                    rejections.add("not of the level it was made for");
                    continue;
                }
                let is_dev = (random.number() >> 11) as f64 / ((1u64 << 53) as f64) < dev;
                question.split = match expected {
                    None => Split::Train,
                    Some(_) if is_dev => Split::Dev,
                    Some(_) => Split::Test,
                };
                question.level = expected;
                verified += n as u64;
                questions.push(question);
            }
        }
        // In no order that tells anything.
        Random::new(recipe.seed, "order").shuffle(&mut questions);
        let kb = self.ground.kb().manifest();
        let prefix = id_prefix(&recipe.name, &kb.fingerprint, &questions);
        for (number, question) in questions.iter_mut().enumerate() {
            question.id = format!("{prefix}-{:06}", number + 1);
        }
        let manifest = Manifest {
            touchstone_benchmark: FORMAT,
            name: recipe.name.clone(),
            identity: String::new(),
            description: recipe.description.clone(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            kb: KbIdentity { name: kb.name.clone(), fingerprint: kb.fingerprint.clone() },
            recipe: serde_json::to_value(recipe).ok(),
            license: kb.license.clone(),
            held_out: self.division.held_out.clone(),
            counts: Manifest::counts(&questions),
            rejections: rejections.0.iter().map(|(reason, n)| ((*reason).to_owned(), *n)).collect(),
            unfilled,
            verified,
        };
        Benchmark::new(manifest, questions)
    }
}

/// What ids begin with: the name, and a few digits of a hash of what is asked, so that questions of two benchmarks of one name have
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
