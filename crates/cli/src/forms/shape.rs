//! `touchstone shape`.

use crate::args::KnowledgeArgs;
use crate::data_set_arg::forms_formats;
use crate::output::{percent, report_reasons};
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_datasets::{CountedShapes, DataSet, RecordInput, ShapedQuestion};
use touchstone_logic::graph::{Certainty, NoShape, QuestionShape, ShapeCounts};
use touchstone_studio::DrawingFolder;
use touchstone_terminal::Table;

#[derive(Args)]
pub(crate) struct ShapeArgs {
    /// A file of questions or logical forms, the folder of a benchmark, `-` for standard input, or a logical form itself
    #[arg(value_name = "FILE|DIR|-")]
    file: String,
    /// What the file is
    #[arg(long, value_parser = forms_formats(), default_value = "auto")]
    format: DataSet,
    /// Print a JSON line for each question
    #[arg(long)]
    per_question: bool,
    /// Draw an example of each shape (each question with --per-question) into this folder
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Also replace drawings that were edited
    #[arg(long, requires = "svg")]
    force: bool,
    #[command(flatten)]
    known: KnowledgeArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ShapeArgs) -> Result<Outcome> {
    let opened = args.known.open()?;
    let known = opened.context();
    let knowledge = known.knowledge();
    let drawings = args.svg.as_ref().map(|dir| DrawingFolder::reserve(dir, args.force)).transpose()?;
    let input = RecordInput::file_or_form(&args.file)?;
    let counted = args.format.count_shapes(&input, &knowledge, &Bar::new(), |question| {
        if !args.per_question {
            return Ok(());
        }
        let ShapedQuestion { id, question, graph, .. } = question;
        match graph {
            Err(error) => output::json_line(&NoShape::new(id, &error.to_string())),
            Ok((graph, shape)) => {
                output::json_line(&QuestionShape { id, question: question.as_deref(), shape })?;
                Ok(drawings.as_ref().map_or(Ok(()), |drawings| drawings.add(id, graph))?)
            }
        }
    })?;
    let CountedShapes { counts, without_shape, first_error } = counted;
    if let (1, Some(error), false) = (counts.questions, &first_error, args.per_question) {
        anyhow::bail!("{error}");
    }
    if !args.per_question {
        if let Some(drawings) = &drawings {
            drawings.add_shapes(&counts)?;
        }
        report(args, &counts)?;
    }
    report_reasons(&without_shape, "without a shape");
    if let Some(drawings) = drawings {
        drawings.commit()?;
    }
    if counts.questions == 0 {
        note!("no logical forms found in {}", args.file);
    }
    Outcome::found(counts.questions > 0 && without_shape.total() == 0)
}

fn report(args: &ShapeArgs, counts: &ShapeCounts) -> Result<()> {
    if args.json {
        return output::json(counts);
    }
    let rows = counts.by_frequency();
    if let ([row], 1) = (rows.as_slice(), counts.questions) {
        return output::text(row.page());
    }
    if rows.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&["shape", "alias", "count", "share", "example"]).whole(&["shape"]);
    for row in &rows {
        table.add_row([
            &row.shape.plain,
            &row.shape.names(),
            &output::count(row.count),
            &percent(row.count, counts.questions),
            &output::shortened(&row.example),
        ]);
    }
    output::text(&table)?;
    if rows.iter().any(|row| row.shape.alias.is_some_and(|alias| alias.certainty != Certainty::Certain)) {
        note!(
            "~ inferred from counts and structure, ? weakly inferred: the papers do not print these shapes",
        );
    }
    Ok(())
}
