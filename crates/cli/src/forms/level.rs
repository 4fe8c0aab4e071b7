//! `touchstone level`.

use super::{FormatName, KnowledgeArgs, Reasons, each_record, item, own_question, percent, questions_of};
use crate::{Outcome, output};
use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use touchstone_benchmark::Split;
use touchstone_logic::level::{Level, Training, Traits};

#[derive(Args)]
pub(crate) struct LevelArgs {
    /// The training questions; of a benchmark its training split
    #[arg(long, value_name = "FILE|DIR")]
    train: String,
    /// The questions to judge; of a benchmark all but its training split
    #[arg(long, value_name = "FILE|DIR|-")]
    test: String,
    /// What the files are
    #[arg(long, value_enum, default_value_t = FormatName::Auto)]
    format: FormatName,
    /// GrailQA++: a relation counts as seen when its inverse is
    #[arg(long)]
    inverse_rule: bool,
    #[command(flatten)]
    known: KnowledgeArgs,
    /// Print a JSON line for each question
    #[arg(long)]
    per_question: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct QuestionJson<'q> {
    id: &'q str,
    level: &'static str,
    /// #Z: how many schema items training does not have.
    z: usize,
    unseen: &'q [String],
}

#[derive(Serialize)]
struct RowJson {
    level: &'static str,
    count: usize,
    share: f64,
    mean_z: f64,
}

#[derive(Serialize)]
struct SummaryJson {
    training_questions: usize,
    schema_items: usize,
    templates: usize,
    questions: usize,
    unreadable: usize,
    levels: Vec<RowJson>,
}

pub(crate) fn run(args: &LevelArgs) -> Result<Outcome> {
    let known = args.known.open()?;
    if args.inverse_rule && known.ontology.is_none() && known.kb().is_none() {
        bail!("the inverse rule needs to know inverse relations: give --ontology DIR, or --kb");
    }
    if args.train == "-" && args.test == "-" {
        bail!("only one of --train and --test can be standard input");
    }
    let knowledge = known.knowledge();
    let format = args.format.format();
    let mut training = Training::default();
    // Questions of benchmarks tell their schema items and template; beside other files, their forms are read like those.
    let [train_is_own, test_is_own] = [&args.train, &args.test].map(|file| questions_of(file).is_some());
    let both_own = train_is_own && test_is_own;
    let read = |record: &_, wanted: &dyn Fn(Split) -> bool| {
        if let Some(question) = own_question(record) {
            if !wanted(question.split) {
                return Ok(None);
            }
            let query = if both_own { None } else { question.query(&knowledge) };
            let traits = match query {
                Some(query) => Traits::of(&query, known.inverses(), args.inverse_rule),
                None => question.traits(known.kb(), known.inverses(), args.inverse_rule),
            };
            return Ok(Some((question.id, traits)));
        }
        let item = item(format, record)?;
        let reading = item.source.read(&knowledge).map_err(|error| (item.id.clone(), error.to_string()))?;
        let traits = Traits::of(&reading.query, known.inverses(), args.inverse_rule);
        Ok::<_, (String, String)>(Some((item.id, traits)))
    };
    let (mut trained, mut unread) = (0usize, Reasons::default());
    let is_training = |split: Split| split == Split::Train || !train_is_own;
    each_record(
        &args.train,
        |record| read(record, &is_training),
        |result| {
            match result {
                Ok(None) => {}
                Ok(Some((_, traits))) => {
                    trained += 1;
                    training.add(traits);
                }
                Err((id, error)) => unread.add(&id, error),
            }
            Ok(())
        },
    )?;
    unread.tell(&format!("of {} left out", args.train));
    if trained == 0 {
        let hint = if train_is_own { " (the benchmark has no training split)" } else { "" };
        bail!("there is no training question in {}{hint}", args.train);
    }
    let (mut counts, mut unseen) = ([0usize; 3], [0usize; 3]);
    let mut unjudged = Reasons::default();
    let is_test = |split: Split| split != Split::Train || !test_is_own;
    each_record(
        &args.test,
        |record| read(record, &is_test),
        |result| {
            let (id, traits) = match result {
                Ok(Some(found)) => found,
                Ok(None) => return Ok(()),
                Err((id, error)) => {
                    if args.per_question {
                        output::json_line(&serde_json::json!({"id": id, "error": error}))?;
                    }
                    unjudged.add(&id, error);
                    return Ok(());
                }
            };
            let judgement = training.judge(&traits);
            counts[judgement.level as usize] += 1;
            unseen[judgement.level as usize] += judgement.unseen.len();
            if args.per_question {
                let question = QuestionJson {
                    id: &id,
                    level: judgement.level.name(),
                    z: judgement.unseen.len(),
                    unseen: &judgement.unseen,
                };
                output::json_line(&question)?;
            }
            Ok(())
        },
    )?;
    let total: usize = counts.iter().sum();
    if args.json {
        let rows = Level::ALL.iter().map(|&level| {
            let count = counts[level as usize];
            RowJson {
                level: level.name(),
                count,
                share: ratio(count, total),
                mean_z: ratio(unseen[level as usize], count),
            }
        });
        output::json(&SummaryJson {
            training_questions: trained,
            schema_items: training.item_count(),
            templates: training.template_count(),
            questions: total,
            unreadable: unjudged.total,
            levels: rows.collect(),
        })?;
    } else if !args.per_question {
        let mut table = output::table(&["level", "questions", "share", "mean #Z"]);
        for level in Level::ALL {
            let count = counts[level as usize];
            let mean = format!("{:.2}", ratio(unseen[level as usize], count));
            table.add_row([level.name().to_owned(), output::count(count), percent(count, total), mean]);
        }
        output::text(&format!("{table}\n"))?;
        output::note(&format!(
            "training: {}, {} schema items, {} templates",
            output::counted(trained as u64, "question", "questions"),
            output::count(training.item_count()),
            output::count(training.template_count())
        ));
    }
    unjudged.tell(&format!("of {} that cannot be judged", args.test));
    Ok(if total == 0 || unjudged.total > 0 { Outcome::NothingFound } else { Outcome::Done })
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
