//! How queries are run: arguments of `query` and `shell`.

use crate::choice::{Auto, choice, choice_or};
use anyhow::{Result, bail};
use clap::Args;
use std::sync::Arc;
use std::time::Duration;
use touchstone_engine::budget::Limits;
use touchstone_engine::compat::Compat;
use touchstone_engine::{Engine, Settings, View};
use touchstone_logic::Language;
use touchstone_protocol::{EndpointSettings, named_engine};

/// How queries are run.
#[derive(Args, Clone)]
pub(crate) struct SessionArgs {
    /// `world` (embedded), or the directory of a compiled KB
    #[arg(long, default_value = "world", value_name = "world|DIR")]
    pub(crate) kb: String,
    /// The language of the query
    #[arg(long, value_parser = choice_or(GUESSED, Language::NAMED), default_value = "auto")]
    pub(crate) lang: Auto<Language>,
    /// What runs the query: auto, embedded, spareval, endpoint:URL (a SPARQL server that holds the KB; see docs/running-queries.md)
    #[arg(long, default_value = "auto", value_name = "ENGINE")]
    engine: String,
    /// The graph of the endpoint to query, if it holds several (Virtuoso does)
    #[arg(long, value_name = "IRI")]
    default_graph: Option<String>,
    /// Get results of an endpoint in pages of this size [default: only results that the server cuts]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..))]
    page_size: Option<u32>,
    /// Run KoPL programs as a published executor does, mistakes included
    #[arg(long, value_parser = choice(Compat::NAMED))]
    compat: Option<Compat>,
    /// The graph that SPARQL queries refer to
    #[arg(long, value_parser = choice_or(GUESSED, View::NAMED), default_value = "auto")]
    view: Auto<View>,
    /// Maximum number of seconds for a query
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS")]
    max_time: f64,
    /// Maximum number of operations for a query
    #[arg(long, default_value_t = Limits::default().operations, value_name = "N")]
    max_operations: u64,
    /// Maximum number of answers to a query
    #[arg(long, default_value_t = Limits::default().rows, value_name = "N")]
    max_rows: u64,
    /// Maximum number of megabytes that a query may hold in memory
    #[arg(long, default_value_t = Limits::default().memory >> 20, value_name = "MB")]
    max_memory: u64,
}

const GUESSED: (&str, &str) = ("auto", "Guessed from the query");

impl SessionArgs {
    /// How the arguments say to run a query.
    pub(crate) fn settings(&self) -> Result<Settings> {
        if !(self.max_time >= 0.0 && self.max_time.is_finite()) {
            bail!("--max-time {} is not a number of seconds", self.max_time);
        }
        Ok(Settings {
            engine: self.engine(&self.engine)?,
            view: self.view,
            compat: self.compat,
            limits: Limits {
                operations: self.max_operations,
                rows: self.max_rows,
                memory: self.max_memory.saturating_mul(1 << 20),
                time: self.max_time(),
            },
            ..Settings::default()
        })
    }

    fn max_time(&self) -> Duration {
        Duration::try_from_secs_f64(self.max_time).unwrap_or(Duration::MAX)
    }

    /// The engine with a name.
    pub(crate) fn engine(&self, name: &str) -> Result<Arc<dyn Engine>> {
        let settings = EndpointSettings {
            timeout: self.max_time(),
            page_size: self.page_size.map(|rows| rows as usize),
            default_graph: self.default_graph.clone(),
            ..Default::default()
        };
        Ok(named_engine(name, settings)?)
    }

    /// The language of a query.
    pub(crate) fn language(&self, text: &str) -> Language {
        self.lang.unwrap_or_else(|| Language::guess(text))
    }
}
