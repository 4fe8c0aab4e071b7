//! One question to any system: `touchstone ask --system`.

use super::registry;
use crate::args::BenchmarkArgs;
use crate::progress::Bar;
use crate::{Outcome, output, reply};
use anyhow::Result;
use std::path::{Path, PathBuf};
use touchstone_benchmark::OpenBenchmark;
use touchstone_engine::QueryContext;
use touchstone_run::{AskedSystem, SystemContext, SystemSettings, SystemSpec};
use touchstone_train::Model;

/// The benchmark and the KB that a model was trained on, if they are still there.
pub(super) fn benchmark_of_model(system: &str) -> Result<Option<(PathBuf, Option<String>)>> {
    let Some(folder) = system.strip_prefix("model:") else { return Ok(None) };
    let benchmark = Model::manifest(Path::new(folder))?.training.benchmark;
    Ok(benchmark.path.join("benchmark.json").is_file().then_some((benchmark.path, benchmark.kb)))
}

/// Asks a system, and runs the form that it gives.
pub(super) fn ask_system(
    system: &str,
    question: &str,
    benchmark: &BenchmarkArgs,
    json: bool,
) -> Result<Outcome> {
    let gold: OpenBenchmark = benchmark.open()?;
    let context = QueryContext::new(gold.kb.as_ref(), gold.ontology.as_ref()).without_suggestions();
    let knowledge = context.knowledge();
    let context = SystemContext { benchmark: &gold, questions: &[], knowledge: &knowledge };
    let bar = Bar::new();
    let opened = registry(None).open(&SystemSpec::parse(system)?, &SystemSettings::default(), &context)?;
    let asked = touchstone_run::ask_system(&*opened, question, gold.kb.as_ref(), &bar.cancel())?;
    drop(bar);
    let AskedSystem { prediction, reply: form, .. } = &asked;
    if json {
        output::json(&asked)?;
        return Outcome::found(prediction.answers.is_some() || prediction.logical_form.is_some());
    }
    if let Some(error) = &prediction.error {
        note!("{error}");
    }
    if let Some(form) = &prediction.logical_form {
        let language = prediction.language.map_or(String::new(), |language| format!("{language}:\n  "));
        say!("{language}{}\n", form.trim().replace('\n', "\n  "))?;
    }
    for (alternative, _) in &prediction.alternatives {
        output::item(&format!("or: {alternative}"), 4)?;
    }
    match (&prediction.answers, form) {
        (Some(answers), _) => {
            answers.iter().try_for_each(output::text)?;
            Outcome::found(!answers.is_empty())
        }
        (None, Some(form)) => reply::table(form, false),
        (None, None) => {
            note!("the system gives no answer");
            Ok(Outcome::NothingFound)
        }
    }
}
