//! Trains on the training questions of a benchmark of World, and measures on its test questions: by level, function and shape.
//!
//!     cargo bench -p touchstone-prospector --bench questions -- bench/ [--link] [--train N] [--test N] [--executions N] [--beam N] [--lexicon]
//!     cargo bench -p touchstone-prospector --bench questions -- bench/ --reach          # only whether the search finds gold
//!     cargo bench -p touchstone-prospector --bench questions -- questions.jsonl --scorer model/   # questions as people type them
//!
//! Without a folder, 300 questions of the recipe `quick` are generated first.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::time::Instant;
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{Benchmark, Question, Split};
use touchstone_engine::Words;
use touchstone_forge::{Recipe, built_in_recipe, make};
use touchstone_kb::NoProgress;
use touchstone_logic::equal::Canonical;
use touchstone_logic::sparql::Namespaces;
use touchstone_logic::{Answer, Knowledge, Query, with_ids};
use touchstone_prospector::{MIN_CONFIDENCE, Prospector, SearchLimits};

/// Questions, equal queries, right answers, right among five.
type Tally = [usize; 4];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let folder = arguments.first().filter(|argument| !argument.starts_with("--"));
    if let Some(at) = arguments.iter().position(|argument| argument == "--scorer") {
        let kb = touchstone_world::open(&NoProgress)?;
        let prospector =
            Prospector::read_folder(&kb, Path::new(arguments.get(at + 1).ok_or("name a model")?))?;
        return human(Path::new(folder.ok_or("name the file of questions")?), &prospector);
    }
    let links = arguments.iter().any(|argument| argument == "--link");
    let kb = touchstone_world::open(&NoProgress)?;
    let words = Words::new(&kb);
    let knowledge = Knowledge::new(&words, Namespaces::of(&kb));
    let benchmark = match folder {
        Some(folder) => Benchmark::read(Path::new(folder))?,
        None => {
            let mut recipe = Recipe::parse(built_in_recipe("quick")?)?;
            recipe.questions = 300;
            make(&kb, &recipe, &Lexicon::of(&kb), &NoProgress)?
        }
    };
    let with_query = |split: &dyn Fn(Split) -> bool| -> Vec<(&Question, Query)> {
        let questions = benchmark.questions.iter().filter(|question| split(question.split));
        questions.filter_map(|question| Some((question, question.query(&knowledge)?))).collect()
    };
    let (train, test) =
        (with_query(&|split| split == Split::Train), with_query(&|split| split == Split::Test));
    let number = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)?.parse::<usize>().ok()
    };
    let (mut train, mut test) = (train, test);
    train.truncate(number("--train").unwrap_or(usize::MAX));
    test.truncate(number("--test").unwrap_or(usize::MAX));
    let mut prospector = Prospector::new(&kb);
    if arguments.iter().any(|argument| argument == "--lexicon") {
        prospector = prospector.with_lexicon(&Lexicon::of(&kb));
    }
    let default = SearchLimits::default();
    prospector = prospector.with_limits(SearchLimits {
        executions: number("--executions").unwrap_or(default.executions),
        beam: number("--beam").unwrap_or(default.beam),
        ..default
    });
    let shown = number("--show").unwrap_or(0);
    let started = Instant::now();
    if arguments.iter().any(|argument| argument == "--reach") {
        reach(&prospector, &test, links, shown);
        return Ok(());
    }
    let report = prospector.learn(&train, 1, &NoProgress)?;
    println!("training: {report:?}, {:.1} s", started.elapsed().as_secs_f32());
    if arguments.iter().any(|argument| argument == "--reach-trained") {
        reach(&prospector, &test, links, shown);
    }
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let (mut times, mut executions, mut n_shown) = (Vec::new(), Vec::new(), 0);
    for (question, gold) in &test {
        let given = (!links).then_some(&question.entities[..]);
        let started = Instant::now();
        let found = prospector.read(&question.question, given, 5);
        times.push(started.elapsed().as_secs_f32());
        executions.push(found.executions);
        let key = Canonical::of(&with_ids(gold.clone(), &kb), &words);
        let best = found.readings.first();
        let equal = best.is_some_and(|one| Canonical::of(&one.query, &words).key() == key.key());
        let gold_answers = texts(&question.answers);
        let is_right =
            |one: &touchstone_prospector::RankedReading<'_>| texts(&one.found.answers(&kb)) == gold_answers;
        let right = best.is_some_and(is_right);
        let among = found.readings.iter().any(is_right);
        let level = question.level.map_or("-".to_owned(), |level| format!("{level:?}"));
        for name in [
            "all".to_owned(),
            format!("level {level}"),
            format!("shape {} {level}", question.alias.as_deref().unwrap_or(&question.shape)),
            format!("function {:?}", question.function),
            format!("kind {:?}", question.kind),
        ] {
            let tally = tallies.entry(name).or_default();
            for (count, is) in tally.iter_mut().zip([true, equal, right, among]) {
                *count += usize::from(is);
            }
        }
        if !right && n_shown < shown {
            n_shown += 1;
            println!(
                "\n{}\n  gold  {}",
                question.question,
                question.forms.sexpr.as_deref().or(question.forms.program.as_deref()).unwrap_or("-")
            );
            for one in found.readings.iter().take(2) {
                println!(
                    "  {:.2}  {}",
                    one.probability,
                    touchstone_logic::sexpr::print(&one.query)
                        .map_or_else(|_| format!("{:?}", one.query.answer), |printed| printed.text)
                );
            }
        }
    }
    println!("{:>40} {:>6} {:>6} {:>6} {:>6}", "", "n", "EM", "right", "@5");
    for (name, [n, equal, right, among]) in tallies {
        let share = |count: usize| count as f32 / n as f32;
        println!("{name:>40} {n:>6} {:>6.3} {:>6.3} {:>6.3}", share(equal), share(right), share(among));
    }
    times.sort_by(f32::total_cmp);
    executions.sort_unstable();
    println!(
        "seconds: median {:.3}, 95 % {:.3}; executions: median {}, 95 % {}",
        times[times.len() / 2],
        times[times.len() * 95 / 100],
        executions[executions.len() / 2],
        executions[executions.len() * 95 / 100]
    );
    Ok(())
}

/// How often gold is among the candidates, by function and shape.
fn reach(prospector: &Prospector<'_>, questions: &[(&Question, Query)], links: bool, mut shown: usize) {
    let mut tallies: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    let mut executions = Vec::new();
    for (question, gold) in questions {
        let given = (!links).then_some(&question.entities[..]);
        let found = prospector.gold_rank(&question.question, given, gold);
        executions.push(found.executions);
        for name in [
            "all".to_owned(),
            format!("function {:?}", question.function),
            format!("shape {}", question.alias.as_deref().unwrap_or(&question.shape)),
        ] {
            let tally = tallies.entry(name).or_default();
            tally[0] += 1;
            tally[1] += usize::from(found.equal.is_some());
            tally[2] += usize::from(found.answers.is_some());
            tally[3] += usize::from(found.equal.is_some_and(|rank| rank < 20));
        }
        if found.equal.is_none() && shown > 0 {
            shown -= 1;
            let other = found.answering.as_ref().map(|query| {
                touchstone_logic::sexpr::print(query)
                    .map_or_else(|_| format!("{:?}", query.answer), |printed| printed.text)
            });
            println!(
                "{} {}\n  {}\n  {}\n  {}",
                found.answers.is_some(),
                found.executions,
                question.question,
                question.forms.sexpr.as_deref().or(question.forms.program.as_deref()).unwrap_or("-"),
                other.unwrap_or_default()
            );
        }
    }
    for (name, [n, equal, answers, top]) in tallies {
        let share = |count: usize| count as f32 / n as f32;
        println!("{name:>40} {n:>6} {:>6.3} {:>6.3} {:>6.3}", share(equal), share(answers), share(top));
    }
    executions.sort_unstable();
    println!(
        "executions: median {}, 95 % {}",
        executions[executions.len() / 2],
        executions[executions.len() * 95 / 100]
    );
}

fn texts(answers: &[Answer]) -> Vec<String> {
    let mut texts: Vec<String> = answers
        .iter()
        .map(|answer| answer.id().map_or_else(|| answer.text().to_string(), str::to_owned))
        .collect();
    texts.sort();
    texts
}

/// Questions as people type them: what is right, what is wrong, and what is not answered.
fn human(file: &Path, prospector: &Prospector<'_>) -> Result<(), Box<dyn Error>> {
    let lexicon = Lexicon::of(prospector.kb());
    let (mut right, mut wrong, mut abstained) = (0, 0, 0);
    let mut times = Vec::new();
    for line in std::fs::read_to_string(file)?.lines() {
        let row: serde_json::Value = serde_json::from_str(line)?;
        let question = row["question"].as_str().ok_or("no question")?;
        let is_answerable = row["answerable"].as_bool().unwrap_or(true);
        let mut gold: Vec<String> = row["answers"].as_array().map_or(Vec::new(), |answers| {
            let key = |answer: &serde_json::Value| {
                answer["id"].as_str().or(answer["text"].as_str()).unwrap_or_default().to_owned()
            };
            answers.iter().map(key).collect()
        });
        gold.sort();
        let started = Instant::now();
        let found = prospector.read(question, None, 4);
        times.push(started.elapsed().as_secs_f32());
        let reply = prospector.reply(question, &found, &lexicon, MIN_CONFIDENCE);
        let is_gold = |answers: &[Answer]| is_answerable && texts(answers) == gold;
        let mark = match (reply.abstained, is_answerable) {
            (true, false) => {
                right += 1;
                "right, abstained"
            }
            (true, true) => {
                abstained += 1;
                let knew =
                    found.readings.first().is_some_and(|best| is_gold(&best.found.answers(prospector.kb())));
                if knew { "abstained, knew" } else { "abstained" }
            }
            (false, _) if is_gold(&reply.answers) => {
                right += 1;
                "right"
            }
            (false, _) => {
                wrong += 1;
                "WRONG"
            }
        };
        let place = found.readings.iter().position(|one| is_gold(&one.found.answers(prospector.kb())));
        let place = place.map_or("-".to_owned(), |place| place.to_string());
        println!(
            "{mark} {:.2} [{place}] {question}\n      {}",
            reply.confidence,
            reply.form.unwrap_or_default().replace('\n', " ")
        );
    }
    times.sort_by(f32::total_cmp);
    println!(
        "{right} right, {wrong} wrong, {abstained} not answered; seconds: median {:.3}, 95 % {:.3}",
        times[times.len() / 2],
        times[times.len() * 95 / 100]
    );
    Ok(())
}
