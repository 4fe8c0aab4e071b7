//! Benchmarks as Parquet: a row for each question. Structured values (answers, entities, proof, graph) are JSON.

use crate::card;
use crate::data_set::Published;
use crate::export::{Export, ExportError, ExportJob, Exported, failed};
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::data_type::{ByteArray, ByteArrayType};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use serde::Serialize;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use touchstone_benchmark::Question;
use touchstone_logic::level::Level;

/// The format.
pub(crate) struct Parquet;

impl Published for Parquet {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn description(&self) -> &'static str {
        "Parquet with a row for each question, and a dataset card"
    }

    fn export(&self) -> Option<&dyn Export> {
        Some(self)
    }
}

impl Export for Parquet {
    fn endings(&self) -> &'static [&'static str] {
        &["parquet"]
    }

    fn card(&self) -> Option<&'static str> {
        Some(card::FILE)
    }

    fn write(&self, job: &ExportJob<'_>) -> Result<Exported, ExportError> {
        let (splits, mut exported) = job.by_split(Ok);
        for (split, questions) in splits {
            let name = format!("{split}.parquet");
            write(&questions, &job.path(&name))?;
            exported.written.insert(name, questions.len());
        }
        let path = job.path(card::FILE);
        std::fs::write(&path, card::card(job.benchmark, &exported.written))
            .map_err(failed("write", &path))?;
        exported.card = Some(card::FILE.to_owned());
        Ok(exported)
    }
}

/// Where a column's values come from.
enum Column {
    Text(fn(&Question) -> &str),
    Maybe(fn(&Question) -> Option<&str>),
    List(fn(&Question) -> &[String]),
    Json(fn(&Question) -> String),
}

static COLUMNS: [(&str, Column); 21] = [
    ("id", Column::Text(|q| &q.id)),
    ("split", Column::Text(|q| q.split.name())),
    ("level", Column::Text(|q| q.level.map_or("", Level::name))),
    ("question", Column::Text(|q| &q.question)),
    ("sexpr", Column::Maybe(|q| q.forms.sexpr.as_deref())),
    ("program", Column::Maybe(|q| q.forms.program.as_deref())),
    ("sparql", Column::Maybe(|q| q.forms.sparql.as_deref())),
    ("sparql_kqapro", Column::Maybe(|q| q.forms.sparql_kqapro.as_deref())),
    ("shape", Column::Text(|q| &q.shape)),
    ("alias", Column::Maybe(|q| q.alias.as_deref())),
    ("function", Column::Text(|q| q.function.name())),
    ("type", Column::Text(|q| q.kind.name())),
    ("template", Column::Text(|q| &q.template)),
    ("source", Column::Text(|q| &q.source)),
    ("categories", Column::List(|q| &q.categories)),
    ("choices", Column::List(|q| &q.choices)),
    ("schema_items", Column::List(|q| &q.schema_items)),
    ("answers", Column::Json(|q| json(&q.answers))),
    ("entities", Column::Json(|q| json(&q.entities))),
    ("proof", Column::Json(|q| json(&q.proof))),
    ("graph", Column::Json(|q| json(&q.graph))),
];

/// The type of a column, as the dataset card describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Text,
    Maybe,
    List,
    Json,
}

/// The columns in their order.
pub(crate) fn columns() -> impl Iterator<Item = (&'static str, Shown)> {
    COLUMNS.iter().map(|(name, column)| {
        let shown = match column {
            Column::Text(_) => Shown::Text,
            Column::Maybe(_) => Shown::Maybe,
            Column::List(_) => Shown::List,
            Column::Json(_) => Shown::Json,
        };
        (*name, shown)
    })
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Number of rows written at once.
const GROUP: usize = 50_000;

/// Writes questions to a file.
fn write(questions: &[&Question], path: &Path) -> Result<(), ExportError> {
    let file = File::create(path).map_err(failed("write", path))?;
    write_rows(questions, &file).map_err(|error| failed("write", path)(std::io::Error::other(error)))
}

fn write_rows(questions: &[&Question], file: &File) -> Result<(), ParquetError> {
    let fields: String = COLUMNS
        .iter()
        .map(|(name, column)| match column {
            Column::Text(_) => format!("required binary {name} (UTF8); "),
            Column::Maybe(_) => format!("optional binary {name} (UTF8); "),
            Column::Json(_) => format!("required binary {name} (JSON); "),
            Column::List(_) => {
                format!("required group {name} (LIST) {{ repeated group list {{ required binary element (UTF8); }} }} ")
            }
        })
        .collect();
    let schema = Arc::new(parse_message_type(&format!("message question {{ {fields} }}"))?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(format!("touchstone {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    for rows in questions.chunks(GROUP) {
        let mut group = writer.next_row_group()?;
        for (_, column) in &COLUMNS {
            let Some(mut out) = group.next_column()? else { break };
            let Cells { values, defined, repeated } = Cells::of(column, rows);
            let levels = |levels: &'_ [i16]| (!levels.is_empty()).then(|| levels.to_vec());
            out.typed::<ByteArrayType>().write_batch(
                &values,
                levels(&defined).as_deref(),
                levels(&repeated).as_deref(),
            )?;
            out.close()?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

/// The values of a column, with Parquet's levels of definition and repetition.
#[derive(Default)]
struct Cells {
    values: Vec<ByteArray>,
    defined: Vec<i16>,
    repeated: Vec<i16>,
}

impl Cells {
    fn of(column: &Column, rows: &[&Question]) -> Cells {
        let mut cells = Cells::default();
        for question in rows {
            match column {
                Column::Text(value) => cells.values.push(value(question).into()),
                Column::Json(value) => cells.values.push(value(question).into_bytes().into()),
                Column::Maybe(value) => {
                    let value = value(question);
                    cells.defined.push(i16::from(value.is_some()));
                    cells.values.extend(value.map(ByteArray::from));
                }
                Column::List(list) => cells.add_list(list(question)),
            }
        }
        cells
    }

    fn add_list(&mut self, list: &[String]) {
        if list.is_empty() {
            self.defined.push(0);
            self.repeated.push(0);
        }
        for (at, value) in list.iter().enumerate() {
            self.values.push(value.as_str().into());
            self.defined.push(1);
            self.repeated.push(i16::from(at > 0));
        }
    }
}
