//! Benchmarks as Parquet: a row for each question. Structured values (answers, entities, proof, graph) are JSON.
//! The files are written with the cargo feature `parquet`; without it, an export is an error.

#[cfg(feature = "parquet")]
mod rows;

use crate::card;
use crate::data_set::Published;
use crate::export::{Export, ExportError, ExportJob, Exported, failed};
use serde::Serialize;
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

    #[cfg(not(feature = "parquet"))]
    fn check(&self) -> Result<(), ExportError> {
        Err(ExportError::NoParquet)
    }

    fn write(&self, job: &ExportJob<'_>) -> Result<Exported, ExportError> {
        let (splits, mut exported) = job.by_split(Ok);
        for (split, questions) in splits {
            let name = format!("{split}.parquet");
            rows::write(&questions, &job.path(&name))?;
            exported.written.insert(name, questions.len());
        }
        let path = job.path(card::FILE);
        std::fs::write(&path, card::card(job.benchmark, &exported.written))
            .map_err(failed("write", &path))?;
        exported.card = Some(card::FILE.to_owned());
        Ok(exported)
    }
}

/// Without the feature nothing is written: `check` fails before.
#[cfg(not(feature = "parquet"))]
mod rows {
    use super::{ExportError, Question};
    use std::path::Path;

    pub(super) fn write(_: &[&Question], _: &Path) -> Result<(), ExportError> {
        Err(ExportError::NoParquet)
    }
}

/// Where a column's values come from.
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "only the rows read the values"))]
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

#[cfg(all(test, not(feature = "parquet")))]
mod tests {
    use super::*;

    #[test]
    fn without_the_feature_an_export_names_it() {
        let error = Parquet.check().expect_err("not built in").to_string();
        assert!(error.contains("cargo feature `parquet`"), "{error}");
    }
}
