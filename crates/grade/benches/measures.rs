//! All measures of queries and answers beside sacrebleu and rouge-score alone, on the same pairs:
//! `TOUCHSTONE_TEXT_PYTHON=... cargo bench -p touchstone-grade --bench measures`. The scores are compared on the way.
#![allow(missing_docs, clippy::print_stdout)]

use rayon::prelude::*;
use serde_json::Value as Json;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use touchstone_engine::Words;
use touchstone_forge::english::Lexicon;
use touchstone_forge::{Question, Recipe, make};
use touchstone_grade::answers::Known;
use touchstone_grade::degrade::{Degradation, degrade};
use touchstone_grade::overlap::{BleuCounts, Numbering, Smoothing, rouge_l};
use touchstone_grade::{Grader, Prediction, tokens};
use touchstone_kb::{NoProgress, world};
use touchstone_logic::dataset::Knowledge;
use touchstone_logic::sparql::Namespaces;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PREDICTIONS: usize = 100_000;
/// The peers are asked about so many; their time per pair does not depend on it.
const PEER_PAIRS: usize = 10_000;

fn peer(pairs: &[(String, String)]) -> Option<Json> {
    let python = std::env::var_os("TOUCHSTONE_TEXT_PYTHON")?;
    let dir = tempfile::tempdir().expect("a folder");
    let (asked, out) = (dir.path().join("pairs.json"), dir.path().join("out.json"));
    std::fs::write(&asked, serde_json::to_vec(pairs).expect("JSON")).expect("written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/text_measures.py");
    assert!(Command::new(python).arg(script).args([&asked, &out]).status().expect("Python").success());
    Some(serde_json::from_slice(&std::fs::read(out).expect("results")).expect("JSON"))
}

fn main() {
    let kb = world::open(&NoProgress).expect("World");
    let words = Words::new(&kb);
    let knowledge = || Knowledge {
        lookup: &kb,
        names: &words,
        namespaces: Namespaces { base: Some(kb.manifest().base.clone()) },
    };
    let mut recipe = Recipe::parse(Recipe::text("grailqa++").expect("a recipe")).expect("a recipe");
    recipe.questions = 6000;
    let benchmark = make(&kb, &recipe, &Lexicon::of(&kb), &NoProgress).expect("a benchmark");
    let questions: Vec<&Question> = benchmark.questions.iter().filter(|q| q.forms.sexpr.is_some()).collect();
    // Half of the predictions are wrong, each in one of several ways.
    let ways = [Degradation::Drop, Degradation::Flip, Degradation::Function, Degradation::Year];
    let mut cases: Vec<(&Question, Prediction)> = Vec::new();
    for seed in 0.. {
        let run = degrade(&questions, &questions, ways[seed as usize % ways.len()], 0.9, seed, &knowledge());
        for (question, mut prediction) in questions.iter().zip(run.predictions) {
            let other = &questions[(seed as usize * 31 + cases.len()) % questions.len()];
            let answers = if cases.len().is_multiple_of(2) { &question.answers } else { &other.answers };
            prediction.answers = Some(answers.iter().map(Known::of_json).collect());
            cases.push((question, prediction));
        }
        if cases.len() >= PREDICTIONS {
            break;
        }
    }
    cases.truncate(PREDICTIONS);
    let changed = cases.iter().filter(|(question, p)| question.forms.sexpr != p.logical_form).count();
    let grader = Grader::new(knowledge(), &kb);
    let start = Instant::now();
    let sum: f64 = cases
        .par_iter()
        .map(|(question, prediction)| {
            let grade = grader.grade(question, Some(prediction));
            grade.values.0.iter().flatten().sum::<f64>()
        })
        .sum();
    let ours = start.elapsed().as_secs_f64();
    let rate = PREDICTIONS as f64 / ours;
    println!(
        "{PREDICTIONS} predictions, {changed} of them not gold, graded by all measures in {ours:.2} s: {rate:.0} a second (sum {sum:.1})"
    );
    let spaced = |text: &str, prediction: &Prediction| {
        let language = prediction.language.expect("a language");
        tokens(text, language).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let pairs: Vec<(String, String)> = cases
        .iter()
        .take(PEER_PAIRS)
        .map(|(question, p)| {
            let gold = question.forms.sexpr.as_deref().expect("a form");
            (spaced(p.logical_form.as_deref().expect("a form"), p), spaced(gold, p))
        })
        .collect();
    let Some(theirs) = peer(&pairs) else {
        println!("TOUCHSTONE_TEXT_PYTHON is not set: no peers");
        return;
    };
    let (mut worst, mut corpus) = (0f64, BleuCounts::default());
    for (at, (predicted, gold)) in pairs.iter().enumerate() {
        let mut numbering = Numbering::default();
        let (predicted, gold) = (numbering.numbers(predicted.split(' ')), numbering.numbers(gold.split(' ')));
        let counts = BleuCounts::of(&predicted, &gold);
        corpus.add(&counts);
        let number = |name: &str| theirs[name][at].as_f64().expect("a number");
        worst = worst.max((counts.score(Smoothing::None) - number("bleu")).abs());
        worst = worst.max((rouge_l(&predicted, &gold) - number("rouge_l")).abs());
    }
    worst =
        worst.max((corpus.score(Smoothing::None) - theirs["corpus_bleu"].as_f64().expect("a number")).abs());
    let their_rate = PEER_PAIRS as f64 / theirs["seconds"].as_f64().expect("seconds");
    println!(
        "sacrebleu + rouge-score: {their_rate:.0} pairs a second; ratio {:.0} (wanted 50); the largest difference of a score {worst:.1e} (wanted 1e-9)",
        rate / their_rate
    );
}
