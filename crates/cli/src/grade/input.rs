//! Predictions as they are given to `touchstone grade`: a file, the folder of a run, or standard input.

use crate::output;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use touchstone_benchmark::{Gives, PredictionFormat};

/// Where predictions are read, more than once.
pub(super) enum Input {
    /// All of standard input.
    Text(Vec<u8>),
    File(PathBuf),
}

impl Input {
    pub(super) fn new(path: &str) -> Result<Input> {
        if path == "-" {
            let mut text = Vec::new();
            std::io::stdin().read_to_end(&mut text).context("cannot read standard input")?;
            return Ok(Input::Text(text));
        }
        // The folder of a run will do.
        let run = Path::new(path).join("predictions.jsonl");
        Ok(Input::File(if run.is_file() { run } else { PathBuf::from(path) }))
    }

    pub(super) fn open(&self) -> Result<Box<dyn BufRead + '_>> {
        match self {
            Input::Text(text) => Ok(Box::new(&text[..])),
            Input::File(path) => {
                let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
                Ok(Box::new(BufReader::with_capacity(1 << 20, file)))
            }
        }
    }

    /// What the system gives: as declared, or as the whole file shows.
    pub(super) fn what_is_given(
        &self,
        declared: Option<Gives>,
        name: &str,
        format: PredictionFormat,
    ) -> Result<Gives> {
        if let Some(gives) = declared {
            return Ok(gives);
        }
        let gives = Gives::of_file(self.open()?, format).with_context(|| name.to_owned())?;
        match gives {
            Gives::Answers => output::note(
                "no prediction has a logical form: measures of forms are not measured (`--gives both` counts them 0)",
            ),
            Gives::Forms => {}
            Gives::Both => output::note(
                "predictions have answers and logical forms: a question without a form scores 0 in measures of forms (`--gives answers` leaves them out)",
            ),
        }
        Ok(gives)
    }
}
