//! Systems by their names on the command line.

use crate::output;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value as Json;
use std::path::PathBuf;
use std::time::Duration;
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{OpenBenchmark, Prediction, Question};
use touchstone_engine::budget::Cancel;
use touchstone_engine::{QueryContext, Session};
use touchstone_grade::degrade::degrade;
use touchstone_logic::Language;
use touchstone_run::{
    Cache, Cached, CommandSystem, Contract, DEFAULT_PROMPT, FixedPredictions, HttpSystem, LlmSettings,
    LlmSystem, Nearest, System, SystemInput, WebSettings,
};

/// Settings of some systems.
#[derive(Args)]
pub(super) struct SystemArgs {
    /// How many seconds an answer may take
    #[arg(long, default_value_t = 60.0)]
    timeout: f32,
    /// Maximum number of requests a second to systems on the web
    #[arg(long, value_name = "REQUESTS")]
    rate: Option<f64>,
    /// How often to try again what may pass: 429, 5xx, broken connections
    #[arg(long, default_value_t = 4)]
    retries: u32,
    /// What you call this state of your system: its replies are then kept, and used again as long as you call it so
    #[arg(long, value_name = "NAME")]
    system_version: Option<String>,
    /// Do not use replies that are kept, and keep none
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
    /// The language that the model shall write: kopl, sexpr or sparql
    #[arg(long, default_value = "kopl", help_heading = "llm")]
    language: String,
    /// Number of similar training questions to show to it
    #[arg(long, default_value_t = 5, help_heading = "llm")]
    shots: usize,
    /// About so many tokens of the prompt are for the schema
    #[arg(long, default_value_t = 1000, help_heading = "llm")]
    schema_tokens: usize,
    /// Its temperature
    #[arg(long, default_value_t = 0.0, help_heading = "llm")]
    temperature: f64,
    /// Maximum number of tokens of its reply
    #[arg(long, default_value_t = 1024, help_heading = "llm")]
    max_tokens: u32,
    /// Get replies in pieces
    #[arg(long, help_heading = "llm")]
    stream: bool,
    /// So often it may look up names and run queries before it answers
    #[arg(long, value_name = "ROUNDS", default_value_t = 0, help_heading = "llm")]
    tools: usize,
    /// Ask for the log-probabilities of tokens, for perplexity
    #[arg(long, help_heading = "llm")]
    log_probs: bool,
}

const KINDS: &str = "oracle, degraded:T2:0.2, nearest, command:PROGRAM ARGUMENTS, http:URL, gerbil:URL, llm:MODEL and file:PATH";

impl SystemArgs {
    /// The system with a name.
    pub(super) fn system<'g>(
        &self,
        name: &str,
        gold: &'g OpenBenchmark,
        questions: &[&Question],
        context: &QueryContext<'_>,
        stop: &Cancel,
    ) -> Result<Box<dyn System + 'g>> {
        let (kind, rest) = name.split_once(':').unwrap_or((name, ""));
        let kb = gold.kb_fingerprint();
        let cache = || Cache::new(&touchstone_kb::cache_dir().join("replies"));
        let versioned = |system: Box<dyn System + 'g>| -> Box<dyn System + 'g> {
            match &self.system_version {
                Some(version) if !self.no_cache => Box::new(Cached::new(system, version, kb, cache())),
                _ => system,
            }
        };
        Ok(match (kind, rest) {
            ("oracle", "") => Box::new(FixedPredictions::oracle(questions)),
            ("degraded", rest) => Box::new(degraded(name, rest, gold, questions, context)?),
            ("nearest", "") => Box::new(nearest(gold, context, true)?),
            ("file", path) if !path.is_empty() => {
                let (content, predictions) = predictions(path)?;
                Box::new(FixedPredictions::new(&format!("{name}; content {content}"), predictions))
            }
            ("command", command) if !command.is_empty() => {
                versioned(Box::new(CommandSystem::new(command, self.timeout()?)))
            }
            ("http" | "https", rest) if rest.starts_with("//") => {
                versioned(Box::new(HttpSystem::new(without_password(name)?, Contract::Ours, self.web(stop)?)))
            }
            ("http", url) if is_url(url) => {
                versioned(Box::new(HttpSystem::new(without_password(url)?, Contract::Ours, self.web(stop)?)))
            }
            ("gerbil", url) if is_url(url) => {
                let namespaces = context.namespaces();
                versioned(Box::new(HttpSystem::new(
                    without_password(url)?,
                    Contract::Gerbil { namespaces },
                    self.web(stop)?,
                )))
            }
            ("http" | "https" | "gerbil", _) => {
                bail!("write the system like {kind}:http://127.0.0.1:8080/ask")
            }
            ("llm", model) if !model.is_empty() => {
                let system: Box<dyn System + 'g> = Box::new(self.llm(model, gold, context, stop)?);
                if self.no_cache {
                    return Ok(system);
                }
                Box::new(Cached::new(system, self.system_version.as_deref().unwrap_or_default(), kb, cache()))
            }
            _ => bail!("there is no system `{}`; there are {KINDS}", output::shortened(name)),
        })
    }

    /// What a model would be asked first.
    pub(super) fn prompt_of(
        &self,
        name: &str,
        gold: &OpenBenchmark,
        context: &QueryContext<'_>,
        asked: &[SystemInput],
    ) -> Result<String> {
        let model = name.strip_prefix("llm:").context("--show-prompt is for llm:MODEL")?;
        let first = asked.first().context("there is no question")?;
        Ok(self.llm(model, gold, context, &Cancel::default())?.prompt(first))
    }

    fn llm<'g>(
        &self,
        model: &str,
        gold: &'g OpenBenchmark,
        context: &QueryContext<'_>,
        stop: &Cancel,
    ) -> Result<LlmSystem<'g>> {
        let from_environment = std::env::var("OPENAI_BASE_URL").ok().filter(|url| !url.is_empty());
        let url = match self.llm_url.as_ref().or(from_environment.as_ref()) {
            Some(url) if is_url(url) && !url.contains(['?', '#']) => without_password(url)?,
            Some(_) => bail!("--llm-url is an address like http://127.0.0.1:8000/v1, without parameters"),
            None if self.show_prompt => "",
            None => bail!(
                "where is the model? Give --llm-url, like http://127.0.0.1:8000/v1, or set OPENAI_BASE_URL"
            ),
        };
        let kb = gold.kb.as_ref().context("`llm` needs the KB of the benchmark; give it with --kb")?;
        let prompt = match &self.prompt {
            Some(path) => {
                std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?
            }
            None => DEFAULT_PROMPT.to_owned(),
        };
        if !prompt.contains("{question}") {
            bail!("the prompt has no place for the question: write {{question}} where it belongs");
        }
        if !(0.0..=10.0).contains(&self.temperature) || self.max_tokens == 0 {
            bail!("--temperature is a number from 0 to 10, and --max-tokens one above 0");
        }
        let language = Language::from_word(&self.language)
            .with_context(|| format!("`{}` is not a language: kopl, sexpr or sparql", self.language))?;
        let settings = LlmSettings {
            key: std::env::var("OPENAI_API_KEY").ok().filter(|key| !key.is_empty()),
            prompt,
            language,
            shots: self.shots,
            schema_tokens: self.schema_tokens,
            temperature: self.temperature,
            max_tokens: self.max_tokens,
            stream: self.stream,
            tool_rounds: self.tools,
            log_probs: self.log_probs,
            web: self.web(stop)?,
            ..LlmSettings::new(url, model)
        };
        Ok(LlmSystem::new(settings, nearest(gold, context, false)?, Session::new(kb)))
    }

    fn timeout(&self) -> Result<Duration> {
        if !(self.timeout > 0.0 && self.timeout < 1e6) {
            bail!("--timeout is a number of seconds above 0");
        }
        Ok(Duration::from_secs_f32(self.timeout))
    }

    fn web(&self, stop: &Cancel) -> Result<WebSettings> {
        if self.rate.is_some_and(|rate| !(0.001..1e9).contains(&rate)) {
            bail!("--rate is a number of requests a second, at least 0.001");
        }
        Ok(WebSettings {
            timeout: self.timeout()?,
            retries: self.retries,
            rate: self.rate,
            stop: stop.clone(),
            ..WebSettings::default()
        })
    }
}

fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// Addresses are written down: passwords do not belong there.
fn without_password(url: &str) -> Result<&str> {
    let authority = url.split("//").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    if authority.contains('@') {
        bail!(
            "there is a user or password in the address, and addresses are written down; use a server that does without"
        );
    }
    Ok(url)
}

/// With the training split of a benchmark.
pub(super) fn nearest<'g>(
    gold: &'g OpenBenchmark,
    context: &QueryContext<'_>,
    must_learn: bool,
) -> Result<Nearest<'g>> {
    let kb = gold.kb.as_ref().context("`nearest` needs the KB of the benchmark; give it with --kb")?;
    let training = gold.training();
    if training.is_empty() && must_learn {
        bail!("`nearest` learns from the training split, and this benchmark has none");
    }
    Ok(Nearest::new(kb, &Lexicon::of(kb), &training, &context.knowledge()))
}

fn degraded(
    name: &str,
    rest: &str,
    gold: &OpenBenchmark,
    questions: &[&Question],
    context: &QueryContext<'_>,
) -> Result<FixedPredictions> {
    let (transform, share) = rest.split_once(':').unwrap_or((rest, "0.1"));
    let share: f64 = share.parse().ok().filter(|share| (0.0..=1.0).contains(share)).with_context(|| {
        format!("`{share}` is not a share between 0 and 1; write the system like degraded:T2:0.2")
    })?;
    let run = degrade(questions, &gold.all_questions(), transform.parse()?, share, 1, &context.knowledge());
    Ok(FixedPredictions::new(name, run.predictions))
}

/// The predictions in a file, with a hash of it.
fn predictions(path: &str) -> Result<(String, Vec<Prediction>)> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    let mut predictions = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let json: Json =
            serde_json::from_str(line).with_context(|| format!("{path}, line {}: not JSON", number + 1))?;
        let id = json.get("id").or_else(|| json.get("qid"));
        let id = id.with_context(|| format!("{path}, line {}: it has no `id`", number + 1))?;
        let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        let read = Prediction::from_reply(&id, json);
        predictions.push(read.unwrap_or_else(|unusable| unusable.into_prediction(&id)));
    }
    // Of several for one question the first counts, as in `grade`.
    predictions.reverse();
    Ok((blake3::hash(text.as_bytes()).to_hex()[..16].to_owned(), predictions))
}
