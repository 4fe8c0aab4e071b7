//! Follows a recipe: samples, checks, says, divides.

use crate::choices::choices;
use crate::division::{Division, NoSuchDomain, Pool};
use crate::english::{Lexicon, verbalise};
use crate::forms::{Disagreement, FormPrinter};
use crate::ground::Ground;
use crate::package::{Benchmark, FORMAT, KbIdentity, Manifest, Unfilled};
use crate::proof::proof;
use crate::question::Question;
use crate::random::Random;
use crate::recipe::{Kind, Recipe, RecipeError, Wanted, apportioned};
use crate::sample::asking::{self, QuestionType};
use crate::sample::filters::{Rejections, checked};
use crate::sample::shapes::{self, Function};
use crate::sample::{again::again, tree::Tree};
use hashbrown::HashSet;
use rayon::prelude::*;
use std::collections::BTreeMap;

use touchstone_kb::{ClassId, Comparison, Kb, Progress};
use touchstone_logic::equal::Canonical;
use touchstone_logic::level::{Level, SchemaItems, Training, Traits};
use touchstone_logic::{Answer, Query, QueryGraph, Set};

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
    /// Somebody stopped it.
    #[error("stopped; nothing was written")]
    Cancelled,
}

/// A question on its way.
struct Candidate {
    question: Question,
    traits: Traits,
    key: String,
    pool: Pool,
    verified: usize,
}

/// The questions of one kind.
#[derive(Default)]
struct Batch {
    /// By level: training, i.i.d., compositional, zero-shot.
    filled: [Vec<Candidate>; 4],
    targets: [usize; 4],
    rejections: Rejections,
}

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
    let batches: Vec<Batch> =
        wanted.par_iter().map(|wanted| maker.batch(wanted, progress)).collect::<Result<_, MakeError>>()?;
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
        let reserve = if matches!(wanted.kind, Kind::Asking(_)) { batch.targets[1] } else { 0 };
        batch.targets[0] += reserve;
        let mut seen: HashSet<String> = HashSet::new();
        let (mut barren, mut number) = (0usize, 0u64);
        let patience = 20_000 + 40 * wanted.questions;
        // Training, compositional and zero-shot questions are sampled; i.i.d. ones follow from those of training.
        loop {
            let missing = |level: usize| batch.targets[level] > batch.filled[level].len();
            if !(missing(0) || missing(2) || missing(3)) || barren > patience {
                break;
            }
            if progress.cancelled() {
                return Err(MakeError::Cancelled);
            }
            let only_held = missing(3) && !(missing(0) || missing(2));
            let from_held = only_held || missing(3) && random.percent(40);
            let classes = if from_held && !self.held_classes.is_empty() && random.percent(70) {
                &self.held_classes
            } else {
                &self.seen_classes
            };
            barren += 1;
            let sampled = match &wanted.kind {
                Kind::Shape { tree, function, .. } => {
                    shapes::sample(&self.ground, &mut random, tree, *function, classes)
                }
                Kind::Asking(kind) => {
                    asking::sample(&self.ground, &mut random, *kind, self.recipe.asking.depth, classes)
                }
            };
            number += 1;
            let query = match sampled {
                Ok(query) => query,
                Err(reason) => {
                    batch.rejections.add(reason);
                    continue;
                }
            };
            let template = Canonical::template(&query, self.ground.kb());
            let pool = self.division.pool(&query, template.key());
            let level = match pool {
                Pool::Seen => 0,
                Pool::Template => 2,
                Pool::Items => 3,
            };
            if batch.targets[level] <= batch.filled[level].len() {
                continue;
            }
            if let Some(candidate) =
                self.candidate(&wanted.kind, query, pool, &mut seen, &mut batch.rejections, number)?
            {
                batch.filled[level].push(candidate);
                progress.advance(1);
                barren = 0;
            }
        }
        batch.targets[0] -= reserve;
        self.add_iid(wanted, &mut random, &mut batch, &mut seen, progress)?;
        Ok(batch)
    }

    /// Other questions with the templates of training.
    fn add_iid(
        &self,
        wanted: &Wanted,
        random: &mut Random,
        batch: &mut Batch,
        seen: &mut HashSet<String>,
        progress: &dyn Progress,
    ) -> Result<(), MakeError> {
        let (mut barren, mut number) = (0, 1 << 40);
        let can_move = matches!(wanted.kind, Kind::Shape { .. }) && !batch.filled[0].is_empty();
        while can_move && batch.filled[1].len() < batch.targets[1] && barren < 2000 {
            if progress.cancelled() {
                return Err(MakeError::Cancelled);
            }
            barren += 1;
            number += 1;
            let at = random.below(batch.filled[0].len());
            let Some(query) = self.read_back(&batch.filled[0][at].question) else { continue };
            let Some(query) = again(&self.ground, random, &query) else {
                batch.rejections.add("no other entities for the template");
                continue;
            };
            let pool = batch.filled[0][at].pool;
            if Canonical::template(&query, self.ground.kb()).key() != batch.filled[0][at].question.template {
                continue;
            }
            if let Some(candidate) =
                self.candidate(&wanted.kind, query, pool, seen, &mut batch.rejections, number)?
            {
                batch.filled[1].push(candidate);
                progress.advance(1);
                barren = 0;
            }
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

    /// The query of a question that was made before.
    fn read_back(&self, question: &Question) -> Option<Query> {
        let kb = self.ground.kb();
        let sexpr = question.forms.sexpr.as_ref();
        sexpr.and_then(|text| touchstone_logic::Form::parse(text, kb).ok()?.to_query().ok())
    }

    /// Checks a query and says it; `None` if it makes no good question.
    fn candidate(
        &self,
        kind: &Kind,
        query: Query,
        pool: Pool,
        seen: &mut HashSet<String>,
        rejections: &mut Rejections,
        number: u64,
    ) -> Result<Option<Candidate>, MakeError> {
        let kb = self.ground.kb();
        let mut reject = |reason| {
            rejections.add(reason);
            Ok(None)
        };
        let graph = QueryGraph::of(&query);
        let shape = graph.shape();
        if let Kind::Shape { tree, .. } = kind
            && Tree::parse(&shape.plain).is_none_or(|found| found.code() != tree.code())
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
        let key = Canonical::of(&query, kb).key().to_owned();
        if !seen.insert(key.clone()) {
            return reject("duplicate");
        }
        let seed = Random::new(self.recipe.seed, &key).number();
        let spoken = match verbalise(&query, kb, self.lexicon, found.len() > 1, seed) {
            Ok(spoken) => spoken,
            Err(reason) => return reject(reason),
        };
        let forms = self.printer.forms(&self.ground, &query, &found).map_err(Box::new)?;
        if forms.sexpr.is_none() && forms.program.is_none() {
            return reject("no logical form says it");
        }
        let Some(facts) = proof(kb, &query, &found) else { return reject("no proof") };
        let answers = found.answers(kb);
        let mut random = Random::new(seed, "choices");
        let verified = if random.below(1_000_000) < (self.recipe.filters.verify * 1e6) as usize {
            self.printer.verify(&self.ground, &query, &found).map_err(Box::new)?
        } else {
            0
        };
        let SchemaItems { classes, properties, qualifiers } = SchemaItems::of(&query);
        let categories = forms.program.as_deref().map(categories).unwrap_or_default();
        let question = Question {
            id: format!("{number}"),
            split: String::new(),
            level: String::new(),
            question: spoken.text,
            graph: (&graph).into(),
            alias: shape.alias.map(|alias| alias.name.to_owned()),
            shape: shape.code,
            function: function_of(&query).to_owned(),
            kind: QuestionType::of(&query).name().to_owned(),
            categories,
            choices: choices(&self.ground, &mut random, &query, &answers),
            answers: answers.iter().map(|answer| serde_json::to_value(answer).unwrap_or_default()).collect(),
            template: Canonical::template(&query, kb).key().to_owned(),
            schema_items: classes.into_iter().chain(properties).chain(qualifiers).collect(),
            entities: spoken.mentions,
            proof: facts,
            source: match kind {
                Kind::Shape { .. } => "shapes".to_owned(),
                Kind::Asking(_) => "asking".to_owned(),
            },
            forms,
        };
        Ok(Some(Candidate { question, traits: Traits::of(&query, kb, true), key, pool, verified }))
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
            let reason = batch.rejections.0.iter().max_by_key(|(_, n)| **n).map_or("", |(reason, _)| reason);
            for (level, candidates) in batch.filled.into_iter().enumerate() {
                let (target, made) = (batch.targets[level], candidates.len());
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
                    if keys.insert(candidate.key.clone()) && texts.insert(candidate.question.question.clone())
                    {
                        by_level[level].push(candidate);
                    } else {
                        rejections.add("duplicate");
                    }
                }
            }
        }
        let mut training = Training::default();
        for candidate in &by_level[0] {
            training.add(candidate.traits.clone());
        }
        let (mut questions, mut verified) = (Vec::new(), 0);
        let splits = &recipe.splits;
        let dev = splits.dev / (splits.dev + splits.test).max(f64::MIN_POSITIVE);
        for (level, candidates) in by_level.into_iter().enumerate() {
            let expected = [None, Some(Level::Iid), Some(Level::Compositional), Some(Level::ZeroShot)][level];
            let mut random = Random::new(recipe.seed, LEVELS[level]);
            for Candidate { mut question, traits, verified: n, .. } in candidates {
                if expected.is_some_and(|expected| training.judge(&traits).level != expected) {
                    rejections.add("not of the level it was made for");
                    continue;
                }
                let is_dev = (random.number() >> 11) as f64 / ((1u64 << 53) as f64) < dev;
                question.split = match expected {
                    None => "train",
                    Some(_) if is_dev => "dev",
                    Some(_) => "test",
                }
                .to_owned();
                question.level = expected.map_or("", Level::name).to_owned();
                verified += n as u64;
                questions.push(question);
            }
        }
        // In no order that tells anything.
        Random::new(recipe.seed, "order").shuffle(&mut questions);
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for (number, question) in questions.iter_mut().enumerate() {
            question.id = format!("{}-{:06}", recipe.name, number + 1);
            *counts.entry("questions".to_owned()).or_default() += 1;
            *counts.entry(question.split.clone()).or_default() += 1;
            if !question.level.is_empty() {
                *counts.entry(format!("{} {}", question.split, question.level)).or_default() += 1;
            }
        }
        let kb = self.ground.kb().manifest();
        let manifest = Manifest {
            touchstone_benchmark: FORMAT,
            name: recipe.name.clone(),
            description: recipe.description.clone(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            kb: KbIdentity { name: kb.name.clone(), fingerprint: kb.fingerprint.clone() },
            recipe: Some(recipe.clone()),
            license: kb.license.clone(),
            held_out: self.division.held_out.clone(),
            counts,
            rejections: rejections.0.iter().map(|(reason, n)| ((*reason).to_owned(), *n)).collect(),
            unfilled,
            verified,
        };
        Benchmark { manifest, questions }
    }
}

/// The function on top of a query.
pub fn function_of(query: &Query) -> &'static str {
    fn compares(set: &Set) -> bool {
        let own = matches!(set, Set::Values(comparison, _) if !matches!(comparison, Comparison::Equal | Comparison::NotEqual));
        let mut found = own;
        set.children(&mut |child| found |= compares(child));
        found
    }
    let mut comparative = false;
    query.sets(&mut |set| comparative |= compares(set));
    match &query.answer {
        Answer::Members(Set::Superlative(_)) | Answer::SelectAmong { .. } => Function::Superlative.name(),
        Answer::Count(_) => Function::Count.name(),
        Answer::Members(_) if comparative => Function::Comparative.name(),
        Answer::Members(_) => Function::None.name(),
        Answer::Exists(_) | Answer::Verify { .. } => "verify",
        Answer::Attribute { .. } => "attribute",
        Answer::Relation { .. } => "relation",
        Answer::AttributeQualifier { .. } | Answer::RelationQualifier { .. } => "qualifier",
        Answer::SelectBetween { .. } => "between",
    }
}

/// KQA Pro's categories of a program, by the names of its functions.
fn categories(program: &str) -> Vec<String> {
    let Ok(program) = touchstone_logic::Program::parse(program) else { return Vec::new() };
    let names: Vec<&str> = program.steps.iter().map(|step| step.function.name()).collect();
    let has = |test: &dyn Fn(&str) -> bool| names.iter().any(|name| test(name));
    let mut out = Vec::new();
    let mut add = |category: &str, fits: bool| {
        if fits {
            out.push(category.to_owned());
        }
    };
    add("multihop", has(&|name| name == "Relate" || name.starts_with("Filter")));
    add(
        "qualifier",
        has(&|name| {
            name.starts_with("QFilter")
                || matches!(name, "QueryAttrUnderCondition" | "QueryAttrQualifier" | "QueryRelationQualifier")
        }),
    );
    add("comparison", has(&|name| matches!(name, "SelectBetween" | "SelectAmong")));
    add("logical", has(&|name| matches!(name, "And" | "Or")));
    add("count", has(&|name| name == "Count"));
    add("verify", has(&|name| name.starts_with("Verify")));
    out
}
