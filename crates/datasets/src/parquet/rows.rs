//! Writes questions as rows of a Parquet file.

use super::{COLUMNS, Column};
use crate::export::{ExportError, failed};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use touchstone_benchmark::Question;

/// Number of rows written at once.
const GROUP: usize = 50_000;

/// Writes questions to a file.
pub(super) fn write(questions: &[&Question], path: &Path) -> Result<(), ExportError> {
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
