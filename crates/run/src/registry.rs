//! Opens systems by their names: the built-in ones, and those that the caller registers.

use crate::cache::{Cache, Cached};
use crate::command::CommandSystem;
use crate::http::{Contract, HttpSystem};
use crate::llm::{LlmSettings, LlmSystem};
use crate::nearest::Nearest;
use crate::system::{FixedPredictions, System};
use crate::system_spec::{InvalidSystemSpec, SystemSpec, is_url, without_password};
use crate::web::WebSettings;
use serde_json::Value as Json;
use std::error::Error;
use std::path::{Path, PathBuf};
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{InvalidPrediction, OpenBenchmark, Prediction, Question};
use touchstone_engine::Session;
use touchstone_kb::{Kb, nearest_name};
use touchstone_logic::Knowledge;
use touchstone_logic::sparql::Namespaces;

/// What systems are made from.
#[derive(Clone, Copy)]
pub struct SystemContext<'c> {
    /// The benchmark, with its training questions and its KB, if available.
    pub benchmark: &'c OpenBenchmark,
    /// The questions that are asked.
    pub questions: &'c [&'c Question],
    /// What is known about the names in logical forms.
    pub knowledge: &'c Knowledge<'c>,
}

impl<'c> SystemContext<'c> {
    fn require_kb(&self, system: &'static str) -> Result<&'c Kb, OpenSystemError> {
        self.benchmark.kb.as_ref().ok_or(OpenSystemError::NoKb { system })
    }
}

/// Settings of the built-in systems.
#[derive(Clone)]
pub struct SystemSettings {
    /// Settings of requests to servers; its time-out also applies to programs.
    pub web: WebSettings,
    /// The user's name for this version of the system: its replies are cached under it.
    pub version: Option<String>,
    /// The folder of cached replies; `None`: replies are neither read from the cache nor added to it.
    pub cache: Option<PathBuf>,
    /// The language model; its model is set from the system's name.
    pub llm: LlmSettings,
    /// The directory in which programs are started and against which the path of a file is resolved; `None`: the current one.
    pub directory: Option<PathBuf>,
}

impl SystemSettings {
    /// The settings of a system that answers other texts than questions: a language model gets them as its prompt.
    #[must_use]
    pub fn without_prompt(mut self) -> SystemSettings {
        "{question}".clone_into(&mut self.llm.prompt);
        (self.llm.shots, self.llm.tool_rounds) = (0, 0);
        self
    }
}

impl Default for SystemSettings {
    fn default() -> SystemSettings {
        SystemSettings {
            web: WebSettings::default(),
            version: None,
            cache: None,
            llm: LlmSettings::new("", ""),
            directory: None,
        }
    }
}

/// Opens systems of one kind.
pub trait SystemFactory {
    /// The prefix of their names, before the first colon.
    fn kind(&self) -> &str;

    /// An example of a name, like `degraded:T2:0.2`.
    fn example(&self) -> &str;

    /// Whether its systems neither run a program nor send anything to a server, so that an untrusted run may use them.
    fn is_harmless(&self) -> bool;

    /// Opens the system with this part of its name after the first colon.
    fn open<'c>(
        &self,
        argument: &str,
        context: &SystemContext<'c>,
    ) -> Result<Box<dyn System + 'c>, Box<dyn Error + Send + Sync>>;
}

/// Makes the predictions of a system from a part of its name and the questions that are asked.
type Predict = dyn Fn(&str, &SystemContext<'_>) -> Result<Vec<Prediction>, Box<dyn Error + Send + Sync>>;

/// Systems whose predictions are known when they are opened.
struct PredictedInAdvance {
    kind: &'static str,
    example: &'static str,
    predict: Box<Predict>,
}

impl SystemFactory for PredictedInAdvance {
    fn kind(&self) -> &str {
        self.kind
    }

    fn example(&self) -> &str {
        self.example
    }

    fn is_harmless(&self) -> bool {
        true
    }

    fn open<'c>(
        &self,
        argument: &str,
        context: &SystemContext<'c>,
    ) -> Result<Box<dyn System + 'c>, Box<dyn Error + Send + Sync>> {
        let predictions = (self.predict)(argument, context)?;
        Ok(Box::new(FixedPredictions::new(&format!("{}:{argument}", self.kind), predictions)))
    }
}

/// Why a system cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenSystemError {
    /// No system has this name.
    #[error("there is no system `{name}`; choose from {}{}", listed(.known), hint(.nearest.as_deref()))]
    Unknown {
        /// The name.
        name: String,
        /// The names of all systems.
        known: Vec<String>,
        /// The nearest of them.
        nearest: Option<String>,
    },
    /// The name is invalid.
    #[error(transparent)]
    Spec(#[from] InvalidSystemSpec),
    /// The system needs the KB.
    #[error("`{system}` needs the KB of the benchmark; give it with --kb")]
    NoKb {
        /// The kind of system.
        system: &'static str,
    },
    /// The system learns, and there are no training questions.
    #[error("`nearest` learns from the training split, and this benchmark has none")]
    NoTraining,
    /// The address of the model's server is invalid.
    #[error("`{url}` is not an address without parameters, like http://127.0.0.1:8000/v1")]
    LlmUrl {
        /// What was given as the address.
        url: String,
    },
    /// The prompt does not contain the question.
    #[error("the prompt has no {{question}} placeholder; write it where the question belongs")]
    Prompt,
    /// The temperature is out of range.
    #[error("the temperature must be between 0 and 10, not {temperature}")]
    Temperature {
        /// The temperature.
        temperature: f64,
    },
    /// The maximum length of a reply is 0.
    #[error("the maximum number of tokens of a reply must be above 0")]
    MaxTokens,
    /// The time-out is out of range.
    #[error("a time-out must be above 0 seconds")]
    Timeout,
    /// The rate is out of range.
    #[error("the rate must be at least 0.001 requests per second, not {rate}")]
    Rate {
        /// The rate.
        rate: f64,
    },
    /// A file of predictions cannot be read.
    #[error("cannot read {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A line of a file of predictions is not JSON.
    #[error("{path}, line {line}: not JSON: {source}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The problem.
        source: serde_json::Error,
    },
    /// A line of a file of predictions does not name its question.
    #[error("{path}, line {line}: {problem}")]
    Prediction {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The problem.
        problem: InvalidPrediction,
    },
    /// A registered factory failed.
    #[error(transparent)]
    Factory(Box<dyn Error + Send + Sync>),
}

fn listed(known: &[String]) -> String {
    match known.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => known.join(""),
    }
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}

/// The built-in systems, and those that are registered.
///
/// ```
/// use touchstone_benchmark::{Answer, Prediction, Question};
/// use touchstone_run::{SystemContext, SystemInput, SystemRegistry, SystemSettings, SystemSpec};
///
/// # use touchstone_benchmark::{Benchmark, BenchmarkManifest, OpenBenchmark};
/// # use touchstone_logic::Knowledge;
/// # let question = serde_json::from_str(r#"{"id": "q1", "split": "test", "level": "", "question": "Who directed M?", "forms": {},
/// #     "graph": {"root": 0, "vertices": [], "edges": []}, "shape": "", "alias": null, "function": "none", "type": "QueryName",
/// #     "categories": [], "answers": [], "choices": [], "template": "", "schema_items": [], "entities": [], "proof": [], "source": ""}"#)?;
/// # let benchmark = Benchmark::new(BenchmarkManifest::named("films"), vec![question]);
/// # let benchmark = OpenBenchmark {
/// #     benchmark, path: None, split: None, limit: None, kb: None, missing_kb: None, ontology: None, gives: None, warnings: Vec::new(),
/// # };
/// # let (questions, knowledge) = (benchmark.questions()?, Knowledge::of_spelling());
/// # let context = SystemContext { benchmark: &benchmark, questions: &questions, knowledge: &knowledge };
/// // A kind of system of your own, beside the built-in ones: `always:TEXT` gives the same answer to every question.
/// let registry = SystemRegistry::new().with_predictions("always", "always:TEXT", |text, context| {
///     let prediction = |question: &&Question| Prediction {
///         id: question.id.clone(),
///         answers: Some(vec![Answer::plain(text)]),
///         ..Prediction::default()
///     };
///     Ok(context.questions.iter().map(prediction).collect())
/// });
/// let spec = SystemSpec::parse("always:Fritz Lang")?;
/// let system = registry.open(&spec, &SystemSettings::default(), &context)?;
/// let prediction = system.worker().answer(&SystemInput::new("q1", "Who directed M?"))?;
/// assert_eq!(prediction.answers, Some(vec![Answer::plain("Fritz Lang")]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct SystemRegistry {
    factories: Vec<Box<dyn SystemFactory>>,
}

impl SystemRegistry {
    /// A registry with the built-in systems.
    pub fn new() -> SystemRegistry {
        SystemRegistry::default()
    }

    /// Adds another kind of system.
    #[must_use]
    pub fn with(mut self, factory: impl SystemFactory + 'static) -> SystemRegistry {
        self.factories.push(Box::new(factory));
        self
    }

    /// Adds a kind of system whose predictions follow from its name and the questions: it neither runs a program nor sends anything.
    #[must_use]
    pub fn with_predictions(
        self,
        kind: &'static str,
        example: &'static str,
        predict: impl Fn(&str, &SystemContext<'_>) -> Result<Vec<Prediction>, Box<dyn Error + Send + Sync>>
        + 'static,
    ) -> SystemRegistry {
        self.with(PredictedInAdvance { kind, example, predict: Box::new(predict) })
    }

    fn factory(&self, kind: &str) -> Option<&dyn SystemFactory> {
        self.factories.iter().find(|factory| factory.kind() == kind).map(|factory| &**factory)
    }

    /// Whether a system neither runs a program nor sends anything to a server.
    pub fn is_harmless(&self, spec: &SystemSpec) -> bool {
        spec.is_harmless().unwrap_or_else(|| match spec {
            SystemSpec::Registered { kind, .. } => self.factory(kind).is_some_and(SystemFactory::is_harmless),
            _ => false,
        })
    }

    /// Opens a system.
    pub fn open<'c>(
        &self,
        spec: &SystemSpec,
        settings: &SystemSettings,
        context: &SystemContext<'c>,
    ) -> Result<Box<dyn System + 'c>, OpenSystemError> {
        let web = || checked_web(&settings.web);
        Ok(match spec {
            SystemSpec::Oracle => Box::new(FixedPredictions::oracle(context.questions)),
            SystemSpec::Nearest => Box::new(open_nearest(context)?),
            SystemSpec::File(path) => Box::new(open_file(spec, &in_directory(settings, path))?),
            SystemSpec::Command(command) => {
                let mut system = CommandSystem::new(command, web()?.timeout);
                if let Some(directory) = &settings.directory {
                    system = system.in_directory(directory);
                }
                cached(Box::new(system), settings, context, false)
            }
            SystemSpec::Http(url) => {
                let system = HttpSystem::new(url, Contract::Ours, web()?);
                cached(Box::new(system), settings, context, false)
            }
            SystemSpec::Gerbil(url) => {
                let namespaces = context.benchmark.kb.as_ref().map(Namespaces::of).unwrap_or_default();
                let system = HttpSystem::new(url, Contract::Gerbil { namespaces }, web()?);
                cached(Box::new(system), settings, context, false)
            }
            SystemSpec::Llm(model) => {
                let url = &settings.llm.url;
                if !is_url(url) || url.contains(['?', '#']) {
                    return Err(OpenSystemError::LlmUrl { url: url.clone() });
                }
                without_password(url)?;
                cached(Box::new(open_llm(model, settings, context)?), settings, context, true)
            }
            SystemSpec::Registered { kind, argument } => match self.factory(kind) {
                Some(factory) => factory.open(argument, context).map_err(OpenSystemError::Factory)?,
                None => return Err(self.unknown(spec)),
            },
        })
    }

    fn unknown(&self, spec: &SystemSpec) -> OpenSystemError {
        let registered = self.factories.iter().map(|factory| factory.example());
        let known: Vec<String> =
            SystemSpec::BUILT_IN.into_iter().chain(registered).map(str::to_owned).collect();
        let name: String = spec.to_string().chars().take(MAX_SHOWN).collect();
        let kinds = known.iter().map(|name| kind_of(name));
        let nearest = nearest_name(kind_of(&name), kinds)
            .and_then(|kind| known.iter().find(|name| kind_of(name) == kind).cloned());
        OpenSystemError::Unknown { name, known, nearest }
    }
}

/// The part of a system's name before the first colon.
fn kind_of(name: &str) -> &str {
    name.split_once(':').map_or(name, |(kind, _)| kind)
}

/// Maximum number of characters of a name in an error.
const MAX_SHOWN: usize = 80;

fn in_directory(settings: &SystemSettings, path: &str) -> PathBuf {
    settings.directory.as_ref().map_or_else(|| PathBuf::from(path), |directory| directory.join(path))
}

/// The system with its replies cached: always, or only if the user gives its version.
fn cached<'c>(
    system: Box<dyn System + 'c>,
    settings: &SystemSettings,
    context: &SystemContext<'c>,
    without_version: bool,
) -> Box<dyn System + 'c> {
    match (&settings.cache, &settings.version) {
        (Some(folder), version) if version.is_some() || without_version => {
            let version = version.as_deref().unwrap_or_default();
            Box::new(Cached::new(system, version, context.benchmark.kb_fingerprint(), Cache::new(folder)))
        }
        _ => system,
    }
}

fn checked_web(web: &WebSettings) -> Result<WebSettings, OpenSystemError> {
    if web.timeout.is_zero() {
        return Err(OpenSystemError::Timeout);
    }
    match web.rate {
        Some(rate) if !(0.001..1e9).contains(&rate) => Err(OpenSystemError::Rate { rate }),
        _ => Ok(web.clone()),
    }
}

/// The most similar training question's query; see [`Nearest`].
pub fn open_nearest<'c>(context: &SystemContext<'c>) -> Result<Nearest<'c>, OpenSystemError> {
    let kb = context.require_kb("nearest")?;
    let training = context.benchmark.training();
    if training.is_empty() {
        return Err(OpenSystemError::NoTraining);
    }
    Ok(Nearest::new(kb, &Lexicon::of(kb), &training, context.knowledge))
}

/// A language model, without its cache. The address is not checked, so that prompts can be printed without a server.
pub fn open_llm<'c>(
    model: &str,
    settings: &SystemSettings,
    context: &SystemContext<'c>,
) -> Result<LlmSystem<'c>, OpenSystemError> {
    let kb = context.require_kb("llm")?;
    let llm =
        LlmSettings { model: model.to_owned(), web: checked_web(&settings.web)?, ..settings.llm.clone() };
    if !llm.prompt.contains("{question}") {
        return Err(OpenSystemError::Prompt);
    }
    if !(0.0..=10.0).contains(&llm.temperature) {
        return Err(OpenSystemError::Temperature { temperature: llm.temperature });
    }
    if llm.max_tokens == 0 {
        return Err(OpenSystemError::MaxTokens);
    }
    let training = context.benchmark.training();
    let nearest = Nearest::new(kb, &Lexicon::of(kb), &training, context.knowledge);
    Ok(LlmSystem::new(llm, nearest, Session::new(kb)))
}

/// The predictions of a file; of several for one question the first one counts, as in grading.
fn open_file(spec: &SystemSpec, path: &Path) -> Result<FixedPredictions, OpenSystemError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| OpenSystemError::File { path: path.to_owned(), source })?;
    let mut predictions = Vec::new();
    for (line, content) in (1..).zip(text.lines()).filter(|(_, content)| !content.trim().is_empty()) {
        let path = || path.to_owned();
        let json: Json = serde_json::from_str(content).map_err(|source| OpenSystemError::Line {
            path: path(),
            line,
            source,
        })?;
        let id = json.get("id").or_else(|| json.get("qid"));
        let id = id.map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
        let problem = InvalidPrediction::NoId;
        let id = id.ok_or_else(|| OpenSystemError::Prediction { path: path(), line, problem })?;
        let read = Prediction::from_reply(&id, json);
        predictions.push(read.unwrap_or_else(|unusable| unusable.into_prediction(&id)));
    }
    predictions.reverse();
    let content = &blake3::hash(text.as_bytes()).to_hex()[..16];
    Ok(FixedPredictions::new(&format!("{spec}; content {content}"), predictions))
}
