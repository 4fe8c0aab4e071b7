//! The settings of systems on the command line, and the systems that only the command registers.

use crate::progress::Bar;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;
use touchstone_engine::budget::Cancel;
use touchstone_grade::degrade::{DegradedShare, degrade};
use touchstone_logic::Language;
use touchstone_prospector::{ModelOrProspector, ProspectorFactory};
use touchstone_run::{
    DEFAULT_PROMPT, LlmSettings, SystemContext, SystemRegistry, SystemSettings, WebSettings,
};
use touchstone_train::ModelFactory;

/// Settings of some systems.
#[derive(Args)]
pub(super) struct SystemArgs {
    /// Maximum number of seconds for an answer
    #[arg(long, default_value_t = 60.0)]
    timeout: f32,
    /// Maximum number of requests per second to systems on the web
    #[arg(long, value_name = "REQUESTS")]
    rate: Option<f64>,
    /// Maximum number of retries after 429, 5xx and broken connections
    #[arg(long, default_value_t = 4)]
    retries: u32,
    /// Your name for this state of your system: its replies are cached, and used again as long as the name is the same
    #[arg(long, value_name = "NAME")]
    system_version: Option<String>,
    /// Do not use cached replies or cache new ones
    #[arg(long)]
    no_cache: bool,
    /// The address of an OpenAI-compatible server, up to `/chat/completions`, or OPENAI_BASE_URL; the key is in OPENAI_API_KEY
    #[arg(long, value_name = "URL", help_heading = "llm")]
    llm_url: Option<String>,
    /// A file with the prompt: {question}, and any of {language}, {guide}, {schema}, {entities}, {examples}, {choices}
    #[arg(long, value_name = "FILE", help_heading = "llm")]
    prompt: Option<PathBuf>,
    /// Print the prompt for the first question without asking
    #[arg(long, help_heading = "llm")]
    pub(super) show_prompt: bool,
    /// The language of the model's logical forms: kopl, sexpr or sparql
    #[arg(long, default_value = "kopl", help_heading = "llm")]
    language: String,
    /// Number of similar training questions to show to the model
    #[arg(long, default_value_t = 5, help_heading = "llm")]
    shots: usize,
    /// Approximate number of tokens of the prompt that are for the schema
    #[arg(long, default_value_t = 1000, help_heading = "llm")]
    schema_tokens: usize,
    /// The temperature of the model
    #[arg(long, default_value_t = 0.0, help_heading = "llm")]
    temperature: f64,
    /// Maximum number of tokens in a reply of the model
    #[arg(long, default_value_t = 1024, help_heading = "llm")]
    max_tokens: u32,
    /// Stream replies
    #[arg(long, help_heading = "llm")]
    stream: bool,
    /// Maximum number of times that the model may look up names and run queries before it answers
    #[arg(long, value_name = "ROUNDS", default_value_t = 0, help_heading = "llm")]
    tools: usize,
    /// Ask for the log-probabilities of tokens, for perplexity
    #[arg(long, help_heading = "llm")]
    log_probs: bool,
}

impl SystemArgs {
    /// The settings; paths are relative to `directory`, if it is given.
    pub(super) fn settings(
        &self,
        is_llm: bool,
        directory: Option<&Path>,
        stop: &Cancel,
    ) -> Result<SystemSettings> {
        let timeout = Duration::try_from_secs_f32(self.timeout).ok().filter(|time| !time.is_zero());
        let web = WebSettings {
            timeout: timeout.context("--timeout must be a number of seconds above 0")?,
            retries: self.retries,
            rate: self.rate,
            stop: stop.clone(),
            ..WebSettings::default()
        };
        let cache = (!self.no_cache).then(|| touchstone_kb::cache_dir().join("replies"));
        let llm = if is_llm { self.llm(directory)? } else { LlmSettings::new("", "") };
        let (version, directory) = (self.system_version.clone(), directory.map(Path::to_path_buf));
        Ok(SystemSettings { web, version, cache, llm, directory })
    }

    fn llm(&self, directory: Option<&Path>) -> Result<LlmSettings> {
        let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let url = self.llm_url.clone().or_else(|| environment("OPENAI_BASE_URL"));
        if url.is_none() && !self.show_prompt {
            bail!("no model server; give --llm-url, like http://127.0.0.1:8000/v1, or set OPENAI_BASE_URL");
        }
        let prompt = match &self.prompt {
            Some(path) => {
                let path = directory.map_or_else(|| path.clone(), |directory| directory.join(path));
                std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?
            }
            None => DEFAULT_PROMPT.to_owned(),
        };
        let language = Language::from_word(&self.language).with_context(|| {
            format!("`{}` is not a language; choose kopl, sexpr or sparql", self.language)
        })?;
        Ok(LlmSettings {
            key: environment("OPENAI_API_KEY"),
            prompt,
            language,
            shots: self.shots,
            schema_tokens: self.schema_tokens,
            temperature: self.temperature,
            max_tokens: self.max_tokens,
            stream: self.stream,
            tool_rounds: self.tools,
            log_probs: self.log_probs,
            ..LlmSettings::new(&url.unwrap_or_default(), "")
        })
    }
}

/// All systems; relative paths of models are resolved against `directory`, if it is given.
pub(super) fn registry(directory: Option<&Path>) -> SystemRegistry {
    registry_with(directory, false)
}

/// The same; with `allows_lexicon` also scorers of Prospector that learned from the lexicon that may have worded a benchmark.
pub(super) fn registry_with(directory: Option<&Path>, allows_lexicon: bool) -> SystemRegistry {
    let directory = directory.map(Path::to_path_buf);
    let models = ModelFactory::new(touchstone_models::systems(), directory.clone());
    let models = ModelOrProspector::new(models, directory, allows_lexicon);
    let prospector = ProspectorFactory::new(touchstone_kb::cache_dir(), Box::new(Bar::new()));
    // Gold, a share of it made worse.
    let degraded = |argument: &str, context: &SystemContext<'_>| {
        let DegradedShare { degradation, share } = argument.parse()?;
        let pool = context.benchmark.all_questions();
        Ok(degrade(context.questions, &pool, degradation, share, SEED, context.knowledge).predictions)
    };
    SystemRegistry::new()
        .with_predictions("degraded", "degraded:T2:0.2", degraded)
        .with(models)
        .with(prospector)
}

/// The same questions are made worse every time.
const SEED: u64 = 1;
