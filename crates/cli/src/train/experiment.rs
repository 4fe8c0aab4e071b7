//! `touchstone experiment`.

use super::{ExperimentWatcher, Outputs, scales, show};
use crate::Outcome;
use crate::open_kb::embedded_kb;
use crate::output::{self, counted};
use anyhow::{Result, bail};
use clap::Args;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use touchstone_engine::Engine;
use touchstone_models::experiment::{
    Experiment, ExperimentConfig, ExperimentError, ExperimentState, PublishedPairs, experiment_state,
    run_experiment,
};
use touchstone_models::systems;
use touchstone_protocol::{Endpoint, EndpointSettings};
use touchstone_train::settings::ModelScale;

/// Arguments of `touchstone experiment`.
#[derive(Args)]
pub(crate) struct ExperimentArgs {
    /// A built-in experiment (gek), or a TOML file; docs/experiments.md explains its keys
    #[arg(value_name = "NAME|FILE")]
    experiment: String,
    /// The folder with benchmarks, models, runs and results; what is finished there is not run again
    #[arg(long, value_name = "DIR", required_unless_present = "print")]
    out: Option<PathBuf>,
    /// How large benchmarks and systems are
    #[arg(long, default_value = "small", value_parser = scales())]
    scale: ModelScale,
    /// Print the tables of what was run so far, without running anything
    #[arg(long)]
    tables: bool,
    /// Only these systems of the experiment, separated by commas
    #[arg(long, value_name = "SYSTEM", value_delimiter = ',')]
    only: Vec<String>,
    /// Maximum number of cells to run now
    #[arg(long, value_name = "N")]
    cells: Option<usize>,
    /// Number of cells to run at a time; without it, the number of processors divided by the threads of a training
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    /// A setting of all systems that differs, like training.batch=64; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Published question-query pairs in place of the recipes: a folder with train.en, train.sparql, test.en, test.sparql, dev.en and
    /// dev.sparql, or with one pair of files, which is divided
    #[arg(long, value_name = "DIR", requires = "engine")]
    data: Option<PathBuf>,
    /// What runs queries about published pairs: endpoint:URL, a SPARQL server that holds their KB
    #[arg(long, value_name = "endpoint:URL", requires = "data")]
    engine: Option<String>,
    /// The graph of the server to query, if it has several (as Virtuoso can)
    #[arg(long, value_name = "IRI", requires = "engine")]
    default_graph: Option<String>,
    /// Maximum number of development and of test questions of published pairs, evenly spaced; 0: all
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "data")]
    data_limit: usize,
    /// Replace the files with tables and the page even if they were edited
    #[arg(long)]
    force: bool,
    /// Print the file of a built-in experiment, as a starting point for your own
    #[arg(long)]
    print: bool,
    /// Print the rows and tables as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ExperimentArgs) -> Result<Outcome> {
    let experiment = Experiment::load(&args.experiment)?;
    let out = match &args.out {
        Some(out) if !args.print => out.clone(),
        _ => {
            let Some(text) = Experiment::text(&args.experiment) else {
                bail!("--print prints built-in experiments")
            };
            output::exact(text)?;
            return Ok(Outcome::Done);
        }
    };
    let systems = systems();
    let config = ExperimentConfig {
        experiment,
        scale: args.scale,
        systems: &systems,
        out,
        embedded: Some(embedded_kb()),
        changes: args.settings.clone(),
        only: args.only.clone(),
        cells: args.cells,
        jobs: args.jobs.map(NonZero::get),
        pairs: pairs(args)?,
    };
    if args.tables {
        return shown(args, &config, &experiment_state(&config)?);
    }
    let outputs = Outputs::reserve(&config.out, args.force)?;
    let watcher = ExperimentWatcher::new();
    let state = run_experiment(&config, &watcher)?;
    drop(watcher);
    outputs.write(&config, &state)?;
    shown(args, &config, &state)
}

/// Prints the tables, and says what is missing.
fn shown(args: &ExperimentArgs, config: &ExperimentConfig<'_>, state: &ExperimentState) -> Result<Outcome> {
    show(config, state, args.json)?;
    if state.other_settings > 0 {
        note!(
            "{} made with different settings or a different benchmark than this program would use now",
            counted(state.other_settings, "row was", "rows were")
        );
    }
    if state.failed > 0 {
        note!("{} failed; run the same command to try again", counted(state.failed, "cell", "cells"));
    } else if state.stopped {
        note!("stopped; run the same command to finish {}", counted(state.missing, "cell", "cells"));
    } else if state.missing > 0 {
        let missing = counted(state.missing, "cell is", "cells are");
        note!("{missing} not run yet; the same command without --tables and --cells runs them");
    }
    Ok(if state.failed > 0 || state.stopped { Outcome::NothingFound } else { Outcome::Done })
}

/// The published pairs, and the server that runs queries about them.
fn pairs(args: &ExperimentArgs) -> Result<Option<(PublishedPairs, Arc<dyn Engine>)>> {
    let (data, engine) = match (&args.data, &args.engine) {
        (None, None) => return Ok(None),
        (Some(_), None) => return Err(ExperimentError::DataWithoutEngine.into()),
        (None, Some(_)) => return Err(ExperimentError::EngineWithoutData.into()),
        (Some(data), Some(engine)) => (data, engine),
    };
    let Some(url) = engine.strip_prefix("endpoint:") else {
        bail!("`{engine}` cannot run queries about published pairs; write endpoint:URL")
    };
    let settings =
        EndpointSettings { default_graph: args.default_graph.clone(), ..EndpointSettings::default() };
    let endpoint: Arc<dyn Engine> = Arc::new(Endpoint::new(url, settings)?);
    Ok(Some((PublishedPairs::find(data, args.data_limit)?, endpoint)))
}
