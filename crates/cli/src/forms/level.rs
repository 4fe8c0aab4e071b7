//! `touchstone level`.

use crate::args::KnowledgeArgs;
use crate::data_set_arg::forms_formats;
use crate::output::{count, percent, questions, report_reasons};
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Result, bail};
use clap::Args;
use touchstone_datasets::{DataSet, JudgedLevels, LevelConfig, LevelJudge};
use touchstone_logic::level::{LevelSummary, NoLevel, QuestionLevel};
use touchstone_terminal::Table;

#[derive(Args)]
pub(crate) struct LevelArgs {
    /// The training questions; of a benchmark its training split
    #[arg(long, value_name = "FILE|DIR")]
    train: String,
    /// The test questions; of a benchmark all but its training split
    #[arg(long, value_name = "FILE|DIR|-")]
    test: String,
    /// What the files are
    #[arg(long, value_parser = forms_formats(), default_value = "auto")]
    format: DataSet,
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
    let config = LevelConfig {
        train: args.train.clone(),
        test: args.test.clone(),
        data_set: args.format,
        context: &known,
        inverse_rule: args.inverse_rule,
    };
    let judge = LevelJudge::train(&config, &Bar::new())?;
    report_reasons(&judge.unread, &format!("of {} left out", args.train));
    if judge.trained == 0 {
        let hint = if judge.train_is_benchmark { " (the benchmark has no training split)" } else { "" };
        bail!("no training questions found in {}{hint}", args.train);
    }
    let JudgedLevels { summary, unjudged } = judge.judge(&Bar::new(), |id, judged| match judged {
        _ if !args.per_question => Ok(()),
        Ok(judgement) => output::json_line(&QuestionLevel::new(id, judgement)),
        Err(error) => output::json_line(&NoLevel { id, error: &error.to_string() }),
    })?;
    show(args, &summary)?;
    report_reasons(&unjudged, &format!("of {} that cannot be judged", args.test));
    Outcome::found(summary.questions > 0 && unjudged.total() == 0)
}

/// Prints the number of questions of each level.
fn show(args: &LevelArgs, summary: &LevelSummary) -> Result<()> {
    if args.json {
        return output::json(summary);
    }
    if args.per_question {
        return Ok(());
    }
    let mut table = Table::new(&["level", "questions", "share", "mean #Z"]);
    for row in &summary.levels {
        let share = percent(row.count, summary.questions);
        table.add_row([row.level, &count(row.count), &share, &format!("{:.2}", row.mean_z)]);
    }
    output::text(&table)?;
    note!(
        "training: {}, {} schema items, {} templates",
        questions(summary.training_questions),
        count(summary.schema_items),
        count(summary.templates)
    );
    Ok(())
}
