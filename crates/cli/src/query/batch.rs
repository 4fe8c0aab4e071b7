//! `touchstone query --batch`.

use super::QueryArgs;
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Context, Result};
use std::io::{BufWriter, Write};
use std::path::Path;
use touchstone_engine::batch::{BatchConfig, open_batch, run_batch};
use touchstone_engine::{Session, Settings};

pub(super) fn run(
    session: &Session<'_>,
    file: &str,
    out: &Path,
    settings: Settings,
    args: &QueryArgs,
) -> Result<Outcome> {
    let reserved = if out == Path::new("-") { None } else { Some(output::file(out, args.force)?) };
    let bar = Bar::new();
    let mut input = open_batch(file, &bar)?;
    let config = BatchConfig { settings, language: args.session.lang, jobs: args.jobs };
    let mut run = |out: &mut dyn Write| run_batch(session, &config, &mut input, out, &bar.cancel(), &bar);
    let summary = match reserved {
        None => {
            let mut stdout = BufWriter::new(output::data());
            let summary = run(&mut stdout)?;
            stdout.flush()?;
            summary
        }
        Some(file) => {
            let mut writer = BufWriter::new(file);
            let summary = run(&mut writer)?;
            let file = writer.into_inner().map_err(|error| error.into_error());
            file.context("cannot write the results")?.commit()?;
            summary
        }
    };
    drop(input);
    drop(bar);
    if args.json {
        output::note(serde_json::to_string(&summary)?);
    } else {
        output::note(&summary);
    }
    Outcome::found(summary.all_answered())
}
