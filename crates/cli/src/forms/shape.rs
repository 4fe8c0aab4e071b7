//! `touchstone shape`.

use super::each_record;
use crate::args::KnowledgeArgs;
use crate::data_set_arg::forms_formats;
use crate::output::{percent, report_reasons};
use crate::{Outcome, output};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use touchstone_datasets::{DataSet, ReasonCounts, ShapedQuestion};
use touchstone_logic::Shape;
use touchstone_logic::graph::{Certainty, NoShape, QuestionShape, ShapeCount, ShapeCounts, draw};
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
    let (mut counts, mut reasons, mut first_error) = (ShapeCounts::default(), ReasonCounts::default(), None);
    each_record(
        &args.file,
        |record| args.format.shaped(record, &knowledge),
        |ShapedQuestion { id, question, example, graph }| {
            let (graph, shape) = match graph {
                Ok(found) => found,
                Err(error) => {
                    let error = error.to_string();
                    counts.add_unreadable();
                    if args.per_question {
                        output::json_line(&NoShape::new(&id, &error))?;
                    }
                    first_error.get_or_insert_with(|| error.clone());
                    reasons.add(&id, error);
                    return Ok(());
                }
            };
            if args.per_question {
                output::json_line(&QuestionShape { id: &id, question: question.as_deref(), shape: &shape })?;
                if let Some(drawings) = &drawings {
                    drawings.add(&id, &graph)?;
                }
            }
            counts.add(shape, graph, example);
            Ok(())
        },
    )?;
    if let (1, Some(error), false) = (counts.questions, &first_error, args.per_question) {
        anyhow::bail!("{error}");
    }
    if !args.per_question {
        if let Some(drawings) = &drawings {
            for row in counts.by_frequency() {
                drawings.add(&drawing_name(&row.shape), &row.graph)?;
            }
        }
        report(args, &counts)?;
    }
    report_reasons(&reasons, "without a shape");
    if let Some(drawings) = drawings {
        drawings.commit()?;
    }
    if counts.questions == 0 {
        note!("there is no logical form in {}", args.file);
    }
    Outcome::found(counts.questions > 0 && reasons.total() == 0)
}

fn report(args: &ShapeArgs, counts: &ShapeCounts) -> Result<()> {
    if args.json {
        return output::json(counts);
    }
    let rows = counts.by_frequency();
    if let ([row], 1) = (rows.as_slice(), counts.questions) {
        return output::text(one(row));
    }
    if rows.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&["shape", "alias", "count", "share", "example"]).whole(&["shape"]);
    for row in &rows {
        table.add_row([
            &row.shape.plain,
            &names(&row.shape),
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

/// The names of a shape in the literature.
fn names(shape: &Shape) -> String {
    let Some(alias) = shape.alias else { return String::new() };
    let path = alias.reasoning_path.map_or_else(String::new, |path| format!(", {path}"));
    format!("{alias}{path}")
}

/// One question: its drawing and its features.
fn one(row: &ShapeCount) -> String {
    let shape = &row.shape;
    let mut text = format!("{}\n\n", draw(&row.graph).trim_end());
    let mut line = |what: &str, value: &str| text.push_str(&format!("{what:<12} {value}\n"));
    line("shape", &shape.code);
    if shape.alias.is_some() {
        line("alias", &names(shape));
    }
    line("relations", &shape.relations.to_string());
    let depths: Vec<String> = shape.depths.iter().map(ToString::to_string).collect();
    let distances =
        if depths.is_empty() { String::new() } else { format!(" at distance {}", depths.join(", ")) };
    line("constraints", &format!("{}{distances}", shape.constraints));
    line("cycle", if shape.cycle { "yes" } else { "no" });
    line("class", if shape.simple { "simple" } else { "complex" });
    text
}

/// A name for the drawing of a shape: its alias, or its code in letters that every file system takes.
fn drawing_name(shape: &Shape) -> String {
    match shape.alias {
        Some(alias) => alias.name.to_owned(),
        None => shape
            .plain
            .replace(':', "-")
            .replace('(', "d")
            .replace(')', "u")
            .replace(['[', ']', '{', '}', '/', ','], "_"),
    }
}
