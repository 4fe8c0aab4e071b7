//! Sources of predictions: the folder of a run, a file, or a text.

use crate::grade_error::{GradeError, io};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use touchstone_benchmark::Gives;
use touchstone_datasets::{DataSet, PredictionReader};
use touchstone_logic::sparql::Namespaces;

/// Predictions that can be read more than once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PredictionSource {
    /// The folder of a run, or a file.
    Path(PathBuf),
    /// A text, such as standard input.
    Text {
        /// Its name in messages.
        name: String,
        /// Its content.
        content: Vec<u8>,
    },
}

impl PredictionSource {
    /// The source that a user names: a path, or `-` for standard input, which is read.
    pub fn named(name: &str) -> Result<PredictionSource, GradeError> {
        if name != "-" {
            return Ok(PredictionSource::Path(PathBuf::from(name)));
        }
        let mut content = Vec::new();
        std::io::stdin().read_to_end(&mut content).map_err(io("read", "standard input"))?;
        Ok(PredictionSource::Text { name: name.to_owned(), content })
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            PredictionSource::Path(path) => path.display().to_string(),
            PredictionSource::Text { name, .. } => name.clone(),
        }
    }

    /// The folder of a run, or a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            PredictionSource::Path(path) => Some(path),
            PredictionSource::Text { .. } => None,
        }
    }

    /// Opens it from the start.
    pub(crate) fn open(&self) -> Result<Box<dyn BufRead + '_>, GradeError> {
        match self {
            PredictionSource::Text { content, .. } => Ok(Box::new(&content[..])),
            PredictionSource::Path(path) => {
                let of_run = path.join("predictions.jsonl");
                let path = if of_run.is_file() { &of_run } else { path };
                let file = File::open(path).map_err(io("read", path))?;
                Ok(Box::new(BufReader::with_capacity(1 << 20, file)))
            }
        }
    }

    /// What the predictions give, derived from all of them.
    pub(crate) fn gives(&self, format: DataSet) -> Result<Gives, GradeError> {
        PredictionReader::new(format, self.open()?, Namespaces::default())
            .gives()
            .map_err(|source| GradeError::Predictions { name: self.name(), source })
    }
}
