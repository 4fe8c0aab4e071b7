//! `touchstone level`.

use super::{each_record, item, percent};
use crate::args::KnowledgeArgs;
use crate::data_set_arg::FormsFormat;
use crate::output::report_reasons;
use crate::{Outcome, output};
use anyhow::{Result, bail};
use clap::Args;
use touchstone_benchmark::Split;
use touchstone_datasets::{ReasonCounts, benchmark_question, benchmark_questions};
use touchstone_logic::level::{LevelCounts, LevelSummary, NoLevel, QuestionLevel, Training, Traits};

#[derive(Args)]
pub(crate) struct LevelArgs {
    /// The training questions; of a benchmark its training split
    #[arg(long, value_name = "FILE|DIR")]
    train: String,
    /// The test questions; of a benchmark all but its training split
    #[arg(long, value_name = "FILE|DIR|-")]
    test: String,
    /// What the files are
    #[arg(long, value_enum, default_value_t = FormsFormat::AUTO)]
    format: FormsFormat,
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

pub(crate) fn run(args: &LevelArgs) -> Result<Outcome> {
    let opened = args.known.open()?;
    let known = opened.context();
    if args.inverse_rule && known.ontology().is_none() && known.kb().is_none() {
        bail!("the inverse rule needs inverse relations: give --ontology DIR or --kb");
    }
    if args.train == "-" && args.test == "-" {
        bail!("only one of --train and --test can be standard input");
    }
    let knowledge = known.knowledge();
    let format = args.format.0;
    let mut training = Training::default();
    // Questions of benchmarks list their schema items and template; beside other files, their forms are read like those.
    let [train_is_own, test_is_own] =
        [&args.train, &args.test].map(|file| benchmark_questions(file).is_some());
    let both_own = train_is_own && test_is_own;
    let read = |record: &_, wanted: &dyn Fn(Split) -> bool| {
        if let Some(question) = benchmark_question(record) {
            if !wanted(question.split) {
                return Ok(None);
            }
            let query = if both_own { None } else { question.query(&knowledge) };
            let traits = match query {
                Some(query) => Traits::of(&query, &known, args.inverse_rule),
                None => question.traits(known.kb(), &known, args.inverse_rule),
            };
            return Ok(Some((question.id, traits)));
        }
        let item = item(format, record)?;
        let reading = item.source.read(&knowledge).map_err(|error| (item.id.clone(), error.to_string()))?;
        let traits = Traits::of(&reading.query, &known, args.inverse_rule);
        Ok::<_, (String, String)>(Some((item.id, traits)))
    };
    let (mut trained, mut unread) = (0usize, ReasonCounts::default());
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
    report_reasons(&unread, &format!("of {} left out", args.train));
    if trained == 0 {
        let hint = if train_is_own { " (the benchmark has no training split)" } else { "" };
        bail!("there is no training question in {}{hint}", args.train);
    }
    let mut counts = LevelCounts::default();
    let mut unjudged = ReasonCounts::default();
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
                        output::json_line(&NoLevel { id: &id, error: &error })?;
                    }
                    unjudged.add(&id, error);
                    return Ok(());
                }
            };
            let judgement = training.judge(&traits);
            counts.add(&judgement);
            if args.per_question {
                output::json_line(&QuestionLevel::new(&id, &judgement))?;
            }
            Ok(())
        },
    )?;
    let summary = counts.summary(&training, trained, unjudged.total());
    show(args, &summary, trained)?;
    report_reasons(&unjudged, &format!("of {} that cannot be judged", args.test));
    Ok(if summary.questions == 0 || unjudged.total() > 0 { Outcome::NothingFound } else { Outcome::Done })
}

/// Prints the number of questions of each level.
fn show(args: &LevelArgs, summary: &LevelSummary, trained: usize) -> Result<()> {
    if args.json {
        return output::json(summary);
    }
    if args.per_question {
        return Ok(());
    }
    let mut table = output::table(&["level", "questions", "share", "mean #Z"]);
    for row in &summary.levels {
        let share = percent(row.count, summary.questions);
        table.add_row([row.level, &output::count(row.count), &share, &format!("{:.2}", row.mean_z)]);
    }
    output::text(&format!("{table}\n"))?;
    output::note(&format!(
        "training: {}, {} schema items, {} templates",
        output::counted(trained as u64, "question", "questions"),
        output::count(summary.schema_items),
        output::count(summary.templates)
    ));
    Ok(())
}
