//! Compares all measures of queries and answers with sacrebleu and rouge-score alone:
//! `TOUCHSTONE_TEXT_PYTHON=... cargo bench -p touchstone-grade --bench measures`.
//!
//! Both sides get the same pairs, none of them with the gold form itself, and run the same number of rounds, of which the best counts: one
//! thread against one process, and two threads against two processes. The scores are also compared.
//!
//! A word after `--` (sexpr, kopl, sparql) selects a language; `TOUCHSTONE_BENCH_PREDICTIONS` sets the number of predictions.
#![allow(missing_docs, clippy::print_stdout)]

use rayon::prelude::*;
use serde_json::Value as Json;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use touchstone_benchmark::Prediction;
use touchstone_benchmark::Question;
use touchstone_benchmark::english::Lexicon;
use touchstone_engine::Words;
use touchstone_forge::{Recipe, make};
use touchstone_grade::degrade::{Degradation, degrade};
use touchstone_grade::overlap::{BleuCounts, Pair, Smoothing};
use touchstone_grade::{Grader, tokens};
use touchstone_kb::NoProgress;
use touchstone_logic::Knowledge;
use touchstone_logic::Language;
use touchstone_logic::sparql::Namespaces;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Predictions in each language.
const PREDICTIONS: usize = 10_000;
/// Predictions for each question, wrong in several ways.
const OF_QUESTION: usize = 4;
/// Rounds of each side.
const ROUNDS: usize = 3;

fn peer(pairs: &[(String, String)]) -> Option<Json> {
    let python = std::env::var_os("TOUCHSTONE_TEXT_PYTHON")?;
    let dir = tempfile::tempdir().expect("a folder");
    let (asked, out) = (dir.path().join("pairs.json"), dir.path().join("out.json"));
    std::fs::write(&asked, serde_json::to_vec(pairs).expect("JSON")).expect("written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/text_measures.py");
    assert!(
        Command::new(python)
            .arg(script)
            .args([&asked, &out])
            .arg(ROUNDS.to_string())
            .status()
            .expect("Python")
            .success()
    );
    Some(serde_json::from_slice(&std::fs::read(out).expect("results")).expect("JSON"))
}

/// A question, and the prediction of a system.
type Case<'q> = (&'q Question, Prediction);

fn gold_form(question: &Question, language: Language) -> Option<String> {
    match language {
        Language::Sexpr => question.forms.sexpr.clone(),
        Language::Kopl => question.forms.program.clone(),
        Language::Sparql => question.forms.sparql.clone(),
    }
}

/// Predictions in one language: gold forms, each changed in one of several ways. Half of the answers are those of another question.
fn cases<'q>(
    questions: &[&'q Question],
    language: Language,
    n_predictions: usize,
    knowledge: &Knowledge<'_>,
) -> Vec<Case<'q>> {
    let form = |question: &Question| gold_form(question, language);
    // A degraded run is in the language of the first form that a question has.
    let said: Vec<Question> = questions
        .iter()
        .filter(|question| form(question).is_some())
        .map(|question| {
            let mut said = (*question).clone();
            let (sexpr, program, sparql) = match language {
                Language::Sexpr => (form(question), None, None),
                Language::Kopl => (None, form(question), None),
                Language::Sparql => (None, None, form(question)),
            };
            (said.forms.sexpr, said.forms.program, said.forms.sparql) = (sexpr, program, sparql);
            said.forms.sparql_kqapro = None;
            said
        })
        .collect();
    let said: Vec<&Question> = said.iter().collect();
    let questions: Vec<&Question> =
        questions.iter().copied().filter(|question| form(question).is_some()).collect();
    let ways = match language {
        // These change the text.
        Language::Sparql => [Degradation::T2, Degradation::T1, Degradation::T2, Degradation::T3],
        _ => [Degradation::Drop, Degradation::Flip, Degradation::Function, Degradation::Year],
    };
    let mut cases: Vec<Case<'_>> = Vec::new();
    for seed in 0.. {
        let run = degrade(&said, &said, ways[seed as usize % ways.len()], 1.0, seed, knowledge);
        for (question, mut prediction) in questions.iter().zip(run.predictions) {
            assert_eq!(prediction.language, Some(language));
            // Grading the gold form itself is only a comparison of texts.
            if prediction.logical_form == form(question) {
                continue;
            }
            let other = &questions[(seed as usize * 31 + cases.len()) % questions.len()];
            let answers = if cases.len().is_multiple_of(2) { &question.answers } else { &other.answers };
            prediction.answers = Some(answers.to_vec());
            cases.push((question, prediction));
        }
        if cases.len() >= n_predictions {
            break;
        }
    }
    cases.truncate(n_predictions);
    cases
}

fn main() {
    let kb = touchstone_world::open(&NoProgress).expect("World");
    let words = Words::new(&kb);
    let knowledge = || Knowledge::new(&words, Namespaces::of(&kb));
    let mut recipe = Recipe::parse(Recipe::text("grailqa++").expect("a recipe")).expect("a recipe");
    let n_predictions = std::env::var("TOUCHSTONE_BENCH_PREDICTIONS").ok().and_then(|n| n.parse().ok());
    let n_predictions = n_predictions.unwrap_or(PREDICTIONS);
    recipe.questions = n_predictions / OF_QUESTION;
    let benchmark = make(&kb, &recipe, &Lexicon::of(&kb), &NoProgress).expect("a benchmark");
    let questions: Vec<&Question> = benchmark.questions.iter().collect();
    let mut times: Vec<[f64; 4]> = Vec::new();
    let chosen = std::env::args().skip(1).find_map(|word| Language::from_word(&word));
    for language in [Language::Sexpr, Language::Kopl, Language::Sparql] {
        if chosen.is_some_and(|chosen| chosen != language) {
            continue;
        }
        let cases = cases(&questions, language, n_predictions, &knowledge());
        times.extend(measure(&cases, language, &Grader::new(knowledge())));
    }
    if times.len() == 3 {
        let sum = |column: usize| times.iter().map(|times| times[column]).sum::<f64>();
        println!(
            "all three languages, as many predictions of each: ratio {:.0} (one thread, one process), {:.0} (two of each)",
            sum(2) / sum(0),
            sum(3) / sum(1)
        );
    }
}

/// Seconds per prediction on one and on two threads, and seconds per pair of the peers in one and in two processes.
fn measure(cases: &[Case<'_>], language: Language, grader: &Grader<'_>) -> Option<[f64; 4]> {
    let grade = |(question, prediction): &Case<'_>| {
        grader.grade(question, Some(prediction)).values.0.iter().flatten().sum::<f64>()
    };
    // The first round is not counted, on either side.
    let best = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let mut seconds = f64::INFINITY;
        let mut sum = 0.0;
        for round in 0..=ROUNDS {
            let start = Instant::now();
            sum = pool.install(|| cases.par_iter().map(grade).sum::<f64>());
            if round > 0 {
                seconds = seconds.min(start.elapsed().as_secs_f64());
            }
        }
        (seconds / cases.len() as f64, sum)
    };
    let ((one, sum), (two, _)) = (best(1), best(2));
    println!(
        "{language:?}: {} predictions, none of them gold, graded by all measures: {:.0} a second on one thread, {:.0} on two (sum {sum:.1})",
        cases.len(),
        1.0 / one,
        1.0 / two
    );
    let spaced = |text: &str| tokens(text, language, &mut String::new()).join(" ");
    let pairs: Vec<(String, String)> = cases
        .iter()
        .map(|(question, prediction)| {
            let gold = gold_form(question, language).expect("a form");
            (spaced(prediction.logical_form.as_deref().expect("a form")), spaced(&gold))
        })
        .collect();
    let Some(theirs) = peer(&pairs) else {
        println!("TOUCHSTONE_TEXT_PYTHON is not set: no peers");
        return None;
    };
    let (mut worst, mut corpus) = (0f64, BleuCounts::default());
    for (at, (predicted, gold)) in pairs.iter().enumerate() {
        let (predicted, gold): (Vec<&str>, Vec<&str>) =
            (predicted.split(' ').collect(), gold.split(' ').collect());
        let pair = Pair::new(&predicted, &gold);
        let counts = pair.bleu();
        corpus.add(&counts);
        let number = |name: &str| theirs[name][at].as_f64().expect("a number");
        worst = worst.max((counts.score(Smoothing::None) - number("bleu")).abs());
        worst = worst.max((pair.rouge_l() - number("rouge_l")).abs());
    }
    worst =
        worst.max((corpus.score(Smoothing::None) - theirs["corpus_bleu"].as_f64().expect("a number")).abs());
    assert!(worst < 1e-9, "a score differs by {worst:.1e}");
    let seconds = |name: &str| theirs[name].as_f64().expect("seconds") / pairs.len() as f64;
    let (their_one, their_two) = (seconds("seconds"), seconds("seconds_two"));
    println!(
        "  sacrebleu + rouge-score: {:.0} pairs a second in one process, {:.0} in two; ratio {:.0} and {:.0}; all scores the same",
        1.0 / their_one,
        1.0 / their_two,
        their_one / one,
        their_two / two
    );
    Some([one, two, their_one, their_two])
}
