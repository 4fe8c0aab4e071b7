//! The records of a file, of standard input or of a text, processed in parallel.

use crate::records::{Record, Records, RecordsError};
use rayon::prelude::*;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use touchstone_benchmark::Question;
use touchstone_kb::{KbError, Progress};

/// Where records come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordInput {
    /// Standard input.
    StandardInput,
    /// A file, compressed or not.
    File(PathBuf),
    /// Logical forms given as text.
    Text(String),
}

/// Records that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// There is no file with this name.
    #[error("there is no file `{}`", shortened(.0))]
    NoFile(String),
    /// There is no file with this name, and it does not look like a logical form.
    #[error("there is no file `{}`, and it is not a logical form either", shortened(.0))]
    NoFileOrForm(String),
    /// A folder that does not hold a benchmark.
    #[error("{} is a folder without a benchmark; give a file, or the folder of a benchmark", .0.display())]
    Folder(PathBuf),
    /// The file cannot be opened.
    #[error(transparent)]
    Open(#[from] KbError),
    /// The file cannot be cut into records.
    #[error("cannot read {}: {source}", .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        source: RecordsError,
    },
    /// The two texts of a pair for neural SPARQL machines do not match.
    #[error("{}: the two texts do not have the same number of lines: one ends at {line}", .file.display())]
    UnequalTexts {
        /// The text with the queries.
        file: PathBuf,
        /// The number of lines of the shorter one.
        line: usize,
    },
    /// The work was cancelled.
    #[error("stopped")]
    Interrupted,
}

/// A name, shortened for a message.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_owned(),
    }
}

/// Number of records processed at once, which bounds the memory for files of any size.
const BATCH: usize = 4096;

impl RecordInput {
    /// A file by its name; `-` is standard input, and the folder of a benchmark its questions.
    pub fn file(name: &str) -> Result<RecordInput, InputError> {
        if name == "-" {
            return Ok(RecordInput::StandardInput);
        }
        let path = benchmark_questions(name).unwrap_or_else(|| PathBuf::from(name));
        if path.is_dir() {
            Err(InputError::Folder(path))
        } else if path.exists() {
            Ok(RecordInput::File(path))
        } else {
            Err(InputError::NoFile(name.to_owned()))
        }
    }

    /// The same, or a logical form in place of a file.
    pub fn file_or_form(name: &str) -> Result<RecordInput, InputError> {
        let looks_like_form =
            || name.contains(['(', '{', '[']) || name.contains("<arg>") || name.contains("<func>");
        match RecordInput::file(name) {
            Err(InputError::NoFile(_)) if looks_like_form() => Ok(RecordInput::Text(name.to_owned())),
            Err(InputError::NoFile(name)) => Err(InputError::NoFileOrForm(name)),
            other => other,
        }
    }

    /// The name for messages.
    fn name(&self) -> PathBuf {
        match self {
            RecordInput::StandardInput => PathBuf::from("-"),
            RecordInput::File(path) => path.clone(),
            RecordInput::Text(text) => PathBuf::from(text),
        }
    }

    fn open<'p>(&'p self, progress: &'p dyn Progress) -> Result<Box<dyn BufRead + Send + 'p>, InputError> {
        Ok(match self {
            RecordInput::StandardInput => {
                progress.stage("reading standard input", None);
                Box::new(std::io::BufReader::new(std::io::stdin()))
            }
            RecordInput::File(path) => {
                let length = path.metadata().ok().map(|meta| meta.len());
                progress.stage(&format!("reading {}", path.display()), length);
                touchstone_kb::import::open(path, progress)?
            }
            RecordInput::Text(text) => Box::new(text.as_bytes()),
        })
    }

    /// Reads the records, processes them in parallel, and passes on the results in the order of the file.
    pub fn for_each<T: Send, E: From<InputError>>(
        &self,
        progress: &dyn Progress,
        work: impl Fn(&Record) -> T + Sync,
        mut hand_on: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut records = Records::new(self.open(progress)?);
        loop {
            let mut batch: Vec<Record> = Vec::new();
            for record in records.by_ref().take(BATCH) {
                batch.push(record.map_err(|source| InputError::Read { file: self.name(), source })?);
            }
            if batch.is_empty() {
                return Ok(());
            }
            for result in batch.par_iter().map(&work).collect::<Vec<T>>() {
                hand_on(result)?;
            }
            if progress.cancelled() {
                return Err(InputError::Interrupted.into());
            }
        }
    }
}

/// The file with the questions of a benchmark, given by its folder or itself.
pub(crate) fn benchmark_questions(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    let folder =
        if path.is_dir() { path } else { path.parent().filter(|_| path.ends_with("questions.jsonl"))? };
    let questions = folder.join("questions.jsonl");
    (folder.join("benchmark.json").is_file() && questions.is_file()).then_some(questions)
}

/// The question of a record, if it is a line of a benchmark.
pub(crate) fn benchmark_question(record: &Record) -> Option<Question> {
    let may_be = record.json && record.text.contains("\"schema_items\"");
    if may_be { serde_json::from_str(&record.text).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_kb::NoProgress;

    #[test]
    fn files_and_forms_are_told_apart() {
        let message = |name: &str| RecordInput::file_or_form(name).expect_err(name).to_string();
        assert_eq!(message("nowhere"), "there is no file `nowhere`, and it is not a logical form either");
        assert_eq!(
            RecordInput::file("(COUNT x)").expect_err("a form").to_string(),
            "there is no file `(COUNT x)`"
        );
        assert_eq!(RecordInput::file_or_form("-").expect("read"), RecordInput::StandardInput);
        let input = RecordInput::file_or_form("(COUNT x)").expect("a form");
        let mut found = Vec::new();
        let read = input.for_each(
            &NoProgress,
            |record| record.text.clone(),
            |text| {
                found.push(text);
                Ok::<(), InputError>(())
            },
        );
        assert!(read.is_ok());
        assert_eq!(found, ["(COUNT x)"]);
    }
}
