//! `touchstone shape`.

use super::{FormatName, KnowledgeArgs, Reasons, each_record, item, own_question, percent};
use crate::{Outcome, output};
use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use touchstone_datasets::{Format, Record};
use touchstone_kb::output::{OutputFolder, OutputKind};
use touchstone_logic::Knowledge;
use touchstone_logic::graph::{Certainty, draw};
use touchstone_logic::{QueryGraph, Shape};
use touchstone_studio::svg;

#[derive(Args)]
pub(crate) struct ShapeArgs {
    /// A file of questions or logical forms, the folder of a benchmark, `-` for standard input, or a logical form itself
    #[arg(value_name = "FILE|DIR|-")]
    file: String,
    /// What the file is
    #[arg(long, value_enum, default_value_t = FormatName::Auto)]
    format: FormatName,
    /// Print a JSON line for each question
    #[arg(long)]
    per_question: bool,
    /// Draw an example of each shape (each question with --per-question) into this folder
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Replace drawings of an earlier time also if they were edited
    #[arg(long, requires = "svg")]
    force: bool,
    #[command(flatten)]
    known: KnowledgeArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The shape of one question.
#[derive(Serialize)]
struct ShapeJson<'s> {
    id: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<&'s str>,
    code: &'s str,
    /// The code without regard to what is grounded.
    plain: &'s str,
    alias: Option<&'static str>,
    /// How sure the alias is.
    certainty: Option<&'static str>,
    reasoning_path: Option<&'static str>,
    relations: u32,
    constraints: u32,
    depths: &'s [u32],
    hops: u32,
    cycle: bool,
    simple: bool,
}

/// A question that has no shape.
#[derive(Serialize)]
struct NoShapeJson<'s> {
    id: &'s str,
    code: &'static str,
    error: &'s str,
}

#[derive(Serialize)]
struct SummaryJson<'s> {
    questions: usize,
    unreadable: usize,
    shapes: Vec<RowJson<'s>>,
}

/// A row of the table.
#[derive(Serialize)]
struct RowJson<'s> {
    code: &'s str,
    alias: Option<&'static str>,
    /// How sure the alias is.
    certainty: Option<&'static str>,
    reasoning_path: Option<&'static str>,
    count: usize,
    share: f64,
    example: &'s str,
}

struct Found {
    id: String,
    question: Option<String>,
    example: String,
    graph: Result<(QueryGraph, Shape), String>,
}

/// Drawings as an output: they may lie among files of the user.
const DRAWINGS_OUTPUT: OutputKind = OutputKind {
    name: "drawings",
    manifest: "",
    owns_folder: false,
    is_durable: false,
    volatile: &[],
    unmarked: |_| Vec::new(),
};

struct Row {
    count: usize,
    example: String,
    shape: Shape,
    graph: QueryGraph,
}

pub(crate) fn run(args: &ShapeArgs) -> Result<Outcome> {
    let known = args.known.open()?;
    let knowledge = known.knowledge();
    let format = args.format.format();
    let drawings = args.svg.as_ref().map(|dir| OutputFolder::reserve(dir, &DRAWINGS_OUTPUT, &[], args.force));
    let drawings = drawings.transpose()?;
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let (mut total, mut reasons, mut first_error) = (0usize, Reasons::default(), None);
    each_record(
        &args.file,
        |record| found(format, record, &knowledge),
        |found| {
            total += 1;
            let (graph, shape) = match found.graph {
                Ok(found) => found,
                Err(error) => {
                    if args.per_question {
                        output::json_line(&NoShapeJson { id: &found.id, code: "INVALID", error: &error })?;
                    }
                    first_error.get_or_insert_with(|| error.clone());
                    reasons.add(&found.id, error);
                    return Ok(());
                }
            };
            if args.per_question {
                output::json_line(&shape_json(&found.id, found.question.as_deref(), &shape))?;
                if let Some(drawings) = &drawings {
                    write_drawing(&drawings.path(), &found.id, &graph)?;
                }
                return Ok(());
            }
            match rows.get_mut(&shape.plain) {
                Some(row) => row.count += 1,
                None => {
                    rows.insert(shape.plain.clone(), Row { count: 1, example: found.example, shape, graph });
                }
            }
            Ok(())
        },
    )?;
    if let (1, Some(error), false) = (total, &first_error, args.per_question) {
        anyhow::bail!("{error}");
    }
    if args.per_question {
        reasons.tell("without a shape");
    } else {
        let mut sorted: Vec<&Row> = rows.values().collect();
        sorted.sort_by_key(|row| {
            (std::cmp::Reverse(row.count), row.shape.plain.len(), row.shape.plain.clone())
        });
        if let Some(drawings) = &drawings {
            for row in &sorted {
                write_drawing(&drawings.path(), &drawing_name(&row.shape), &row.graph)?;
            }
        }
        tell(args, &sorted, total, &reasons)?;
    }
    if let Some(drawings) = drawings {
        drawings.commit()?;
    }
    if total == 0 {
        output::note(&format!("there is no logical form in {}", args.file));
    }
    Ok(if total == 0 || reasons.total > 0 { Outcome::NothingFound } else { Outcome::Done })
}

fn tell(args: &ShapeArgs, rows: &[&Row], total: usize, reasons: &Reasons) -> Result<()> {
    if args.json {
        let rows: Vec<RowJson<'_>> = rows
            .iter()
            .map(|row| RowJson {
                code: &row.shape.plain,
                alias: row.shape.alias.map(|alias| alias.name),
                certainty: row.shape.alias.map(|alias| certainty(alias.certainty)),
                reasoning_path: row.shape.alias.and_then(|alias| alias.reasoning_path),
                count: row.count,
                share: row.count as f64 / total as f64,
                example: &row.example,
            })
            .collect();
        output::json(&SummaryJson { questions: total, unreadable: reasons.total, shapes: rows })?;
        reasons.tell("without a shape");
        return Ok(());
    }
    if let ([row], 1) = (rows, total) {
        return output::text(&one(row));
    }
    if !rows.is_empty() {
        let mut table = output::table(&["shape", "alias", "count", "share", "example"]).whole(&["shape"]);
        for row in rows {
            let alias = row.shape.alias.map_or_else(String::new, |alias| match alias.reasoning_path {
                Some(path) => format!("{alias}, {path}"),
                None => alias.to_string(),
            });
            table.add_row([
                row.shape.plain.clone(),
                alias,
                output::count(row.count),
                percent(row.count, total),
                output::shortened(&row.example),
            ]);
        }
        output::text(&format!("{table}\n"))?;
        if rows.iter().any(|row| row.shape.alias.is_some_and(|alias| alias.certainty != Certainty::Certain)) {
            output::note(
                "~ inferred from counts and structure, ? weakly inferred: the papers do not print these shapes",
            );
        }
    }
    reasons.tell("without a shape");
    Ok(())
}

/// One question: its drawing and its features.
fn one(row: &Row) -> String {
    let shape = &row.shape;
    let mut text = format!("{}\n\n", draw(&row.graph).trim_end());
    let mut line = |what: &str, value: String| text.push_str(&format!("{what:<12} {value}\n"));
    line("shape", shape.code.clone());
    if let Some(alias) = shape.alias {
        let path = alias.reasoning_path.map_or_else(String::new, |path| format!(", {path}"));
        line("alias", format!("{alias}{path}"));
    }
    line("relations", shape.relations.to_string());
    let depths: Vec<String> = shape.depths.iter().map(ToString::to_string).collect();
    line(
        "constraints",
        if depths.is_empty() {
            "0".to_owned()
        } else {
            format!("{} at distance {}", shape.constraints, depths.join(", "))
        },
    );
    line("cycle", if shape.cycle { "yes" } else { "no" }.to_owned());
    line("class", if shape.simple { "simple" } else { "complex" }.to_owned());
    text
}

fn found(format: Format, record: &Record, knowledge: &Knowledge<'_>) -> Found {
    if let Some(question) = own_question(record) {
        let graph = QueryGraph::from(&question.graph);
        let shape = graph.shape();
        return Found {
            id: question.id,
            example: question.question.clone(),
            question: Some(question.question),
            graph: Ok((graph, shape)),
        };
    }
    let item = match item(format, record) {
        Ok(item) => item,
        Err((id, error)) => {
            return Found { id, question: None, example: String::new(), graph: Err(error) };
        }
    };
    let graph = item.source.graph(knowledge).map_err(|error| error.to_string()).map(|graph| {
        let shape = graph.shape();
        (graph, shape)
    });
    let example = item.question.clone().or_else(|| item.source.text().ok()).unwrap_or_default();
    Found {
        id: item.id,
        question: item.question,
        example: example.split_whitespace().collect::<Vec<_>>().join(" "),
        graph,
    }
}

fn shape_json<'s>(id: &'s str, question: Option<&'s str>, shape: &'s Shape) -> ShapeJson<'s> {
    ShapeJson {
        id,
        question,
        code: &shape.code,
        plain: &shape.plain,
        alias: shape.alias.map(|alias| alias.name),
        certainty: shape.alias.map(|alias| certainty(alias.certainty)),
        reasoning_path: shape.alias.and_then(|alias| alias.reasoning_path),
        relations: shape.relations,
        constraints: shape.constraints,
        depths: &shape.depths,
        hops: shape.hops,
        cycle: shape.cycle,
        simple: shape.simple,
    }
}

fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Certain => "certain",
        Certainty::Strong => "strong",
        Certainty::Weak => "weak",
    }
}

/// A file name for a shape: its alias, or its code in letters that every file system takes.
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

/// Writes a drawing. Ids come from files of strangers: only harmless letters are kept.
fn write_drawing(dir: &Path, name: &str, graph: &QueryGraph) -> Result<()> {
    let mut safe: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' })
        .take(100)
        .collect();
    safe = safe.trim_start_matches('.').to_owned();
    if safe != name {
        // Different ids must not end in the same file.
        let mut hasher = std::hash::DefaultHasher::new();
        std::hash::Hash::hash(name, &mut hasher);
        safe.push_str(&format!("-{:08x}", std::hash::Hasher::finish(&hasher) as u32));
    }
    let path = dir.join(format!("{safe}.svg"));
    std::fs::write(&path, svg(graph)).with_context(|| format!("cannot write {}", path.display()))
}
