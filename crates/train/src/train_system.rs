//! A whole training: from a benchmark to the folder of a model.

use crate::cast;
use crate::checkpoint::{
    MODEL_FORMAT, MODEL_OUTPUT, Model, ModelManifest, SavedTraining, TrainedBenchmark, TrainingHeader,
};
use crate::error::TrainError;
use crate::session::{FinishedTraining, TrainObserver, TrainSession};
use crate::settings::{ModelScale, typed};
use crate::trainable::{Trainable, TrainingData};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use toml::Table;
use touchstone_benchmark::{KbIdentity, OpenBenchmark, Prediction, Question, Random, Split};
use touchstone_engine::QueryContext;
use touchstone_grade::{Grader, Measure};
use touchstone_kb::nearest_name;
use touchstone_kb::output::OutputFolder;

/// Maximum number of points of the loss curve in `model.json`.
const CURVE_POINTS: usize = 200;

/// The section `development` of the settings of every system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DevelopmentSettings {
    /// The measure of early stopping.
    pub measure: String,
    /// Maximum number of development questions that are predicted at each evaluation; 0: all.
    pub questions: usize,
}

/// What to train.
pub struct TrainConfig<'c> {
    /// The system.
    pub system: &'c dyn Trainable,
    /// The benchmark.
    pub benchmark: &'c OpenBenchmark,
    /// The KB as the user named it, for resuming: `world`, `none` or a folder.
    pub kb: Option<String>,
    /// The scale that the settings began with.
    pub scale: ModelScale,
    /// All settings.
    pub settings: Table,
    /// The share of the training questions to learn from. A smaller share is part of a greater one.
    pub fraction: f64,
    /// The seed.
    pub seed: u64,
    /// The folder of the model.
    pub out: &'c Path,
}

/// A KB as the user named it, for a later command in another directory.
fn absolute(kb: &str) -> String {
    match kb {
        "world" | "none" => kb.to_owned(),
        folder => std::path::absolute(folder).map_or(folder.to_owned(), |path| path.display().to_string()),
    }
}

/// Trains a system, and writes its model.
///
/// ```
/// use touchstone_train::settings::ModelScale;
/// use touchstone_train::{NoTrainObserver, TrainConfig, Trainable, train_system};
///
/// # mod most_frequent_form { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/most_frequent_form/mod.rs")); }
/// # use most_frequent_form::{MostFrequentForm, small_benchmark};
/// # let folder = tempfile::tempdir()?;
/// # let benchmark = small_benchmark(&folder.path().join("bench"))?;
/// # let model = folder.path().join("model");
/// # let system = MostFrequentForm::new();
/// let config = TrainConfig {
///     system: &system,
///     benchmark: &benchmark,
///     kb: None,
///     scale: ModelScale::Small,
///     settings: system.settings(ModelScale::Small),
///     fraction: 1.0,
///     seed: 1,
///     out: &model,
/// };
/// let manifest = train_system(&config, &mut NoTrainObserver)?;
/// assert_eq!((manifest.training.questions, manifest.steps), (3, 20));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn train_system(
    config: &TrainConfig<'_>,
    observer: &mut dyn TrainObserver,
) -> Result<ModelManifest, TrainError> {
    config.system.check(&config.settings)?;
    if Model::is_in(config.out) {
        return Err(TrainError::Exists { path: config.out.to_owned() });
    }
    let about = config.system.about();
    let identity = &config.benchmark.benchmark;
    let path = config.benchmark.path.clone().unwrap_or_default();
    let (name, kb) = (identity.manifest.name.clone(), identity.manifest.kb.clone());
    let header = TrainingHeader {
        system: about.name.to_owned(),
        scale: config.scale,
        settings: config.settings.clone(),
        seed: config.seed,
        fraction: config.fraction,
        benchmark: TrainedBenchmark {
            name,
            identity: identity.identity.clone(),
            path,
            kb: config.kb.as_deref().map(absolute),
        },
        kb: KbIdentity { fingerprint: config.benchmark.kb_fingerprint().to_owned(), ..kb },
        questions: 0,
        dev_questions: 0,
        examples: 0,
        parameters: 0,
        measure: String::new(),
        notes: Vec::new(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    Job { system: config.system, benchmark: config.benchmark, folder: config.out, header, saved: None }
        .run(observer)
}

/// Continues a training that was stopped, with the benchmark that it began with.
pub fn resume_training(
    system: &dyn Trainable,
    saved: SavedTraining,
    folder: &Path,
    benchmark: &OpenBenchmark,
    observer: &mut dyn TrainObserver,
) -> Result<ModelManifest, TrainError> {
    let header = saved.training().clone();
    if header.benchmark.identity != benchmark.benchmark.identity {
        return Err(TrainError::OtherBenchmark {
            path: folder.to_owned(),
            name: header.benchmark.name,
            trained: header.benchmark.identity,
            benchmark: benchmark.path.clone().unwrap_or_default(),
            found: benchmark.benchmark.identity.clone(),
        });
    }
    Job { system, benchmark, folder, header, saved: Some(saved) }.run(observer)
}

/// A training, new or resumed.
struct Job<'j> {
    system: &'j dyn Trainable,
    benchmark: &'j OpenBenchmark,
    folder: &'j Path,
    header: TrainingHeader,
    saved: Option<SavedTraining>,
}

impl Job<'_> {
    fn run(self, observer: &mut dyn TrainObserver) -> Result<ModelManifest, TrainError> {
        let Job { system, benchmark, folder, mut header, saved } = self;
        let about = system.about();
        if about.needs.kb && benchmark.kb.is_none() {
            return Err(TrainError::NoKb { system: about.name.to_owned() });
        }
        let development: DevelopmentSettings = match header.settings.get("development") {
            Some(section) => typed(about.name, section.as_table().unwrap_or(&Table::new()))?,
            None => DevelopmentSettings { measure: Measure::EmString.name().to_owned(), questions: 0 },
        };
        let measure = measure(&development.measure)?;
        let data = training_data(about.name, &header, benchmark, &development, system)?;
        let files = saved.as_ref().map(|saved| &saved.files);
        let preparation = system.prepare(&header.settings, &data, files)?;
        header.questions = data.train.len();
        header.dev_questions = data.dev.len();
        header.examples = preparation.examples();
        header.measure = development.measure.clone();
        header.notes = preparation.notes().to_vec();
        if data.dev.is_empty() {
            header.notes.push("There are no development questions: the last network is kept.".to_owned());
        }
        // Reserved before the work: two trainings cannot write the same model.
        let output = OutputFolder::reserve(folder, &MODEL_OUTPUT, &[], false)?;
        let words =
            QueryContext::new(benchmark.kb.as_ref(), benchmark.ontology.as_ref()).without_suggestions();
        let grader = Grader::for_benchmark(benchmark, &words);
        let score = |predictions: &[Prediction]| mean_score(&grader, measure, &data.dev, predictions);
        let dev = data.dev.clone();
        let mut session =
            TrainSession { folder, header, dev: &dev, score: &score, observer, saved, finished: None };
        preparation.train(&mut session)?;
        let TrainSession { header, finished, .. } = session;
        let Some(finished) = finished else {
            let problem = "the system did not train a network".to_owned();
            return Err(TrainError::Setting { system: header.system, key: "training".to_owned(), problem });
        };
        let manifest = manifest(header, &finished);
        let manifest = Model::publish(output, manifest, preparation.files(), &finished.network)?;
        if manifest.is_finished() {
            SavedTraining::remove(folder)?;
        }
        Ok(manifest)
    }
}

fn manifest(training: TrainingHeader, finished: &FinishedTraining) -> ModelManifest {
    ModelManifest {
        touchstone_model: MODEL_FORMAT,
        training,
        steps: finished.state.step,
        epochs: finished.state.epoch,
        seconds: finished.seconds,
        stop: finished.stop,
        best: finished.state.best(),
        curve: finished.state.curve(CURVE_POINTS),
        evaluations: finished.state.evaluations.clone(),
        files: BTreeMap::new(),
    }
}

/// The measure with a name.
fn measure(name: &str) -> Result<Measure, TrainError> {
    let found = Measure::ALL.iter().copied().find(|measure| measure.name() == name);
    found.ok_or_else(|| TrainError::Measure {
        name: name.to_owned(),
        nearest: nearest_name(name, Measure::ALL.iter().map(|measure| measure.name())).map(str::to_owned),
    })
}

fn mean_score(
    grader: &Grader<'_>,
    measure: Measure,
    questions: &[&Question],
    predictions: &[Prediction],
) -> Result<f64, TrainError> {
    let (mut sum, mut n) = (0.0, 0_usize);
    for (question, prediction) in questions.iter().zip(predictions) {
        if let Some(value) = grader.grade(question, Some(prediction)).values.get(measure) {
            sum += value;
            n += 1;
        }
    }
    if n == 0 {
        return Err(TrainError::NotMeasured { measure: measure.name().to_owned() });
    }
    Ok(sum / cast::float(n))
}

/// The training questions that the fraction leaves, and the development questions.
fn training_data<'d>(
    system: &str,
    header: &TrainingHeader,
    benchmark: &'d OpenBenchmark,
    development: &DevelopmentSettings,
    trainable: &dyn Trainable,
) -> Result<TrainingData<'d>, TrainError> {
    let name = &benchmark.benchmark.manifest.name;
    let needed = trainable.about().needs.form;
    let has_form = |question: &&Question| needed.is_none_or(|form| form.of(question).is_some());
    let training = benchmark.training();
    if training.is_empty() {
        return Err(TrainError::NoTraining { benchmark: name.clone() });
    }
    let n = training.len();
    let usable: Vec<&Question> = training.into_iter().filter(has_form).collect();
    if let Some(form) = needed.filter(|_| usable.is_empty()) {
        return Err(TrainError::NoForm {
            system: system.to_owned(),
            form: form.words(),
            questions: n,
            benchmark: name.clone(),
        });
    }
    let train = share(usable, header.fraction, header.seed)?;
    let dev = benchmark.benchmark.questions.iter().filter(|question| question.split == Split::Dev);
    let dev: Vec<&Question> = dev.filter(has_form).collect();
    Ok(TrainingData {
        benchmark: name,
        train,
        dev: spaced(dev, development.questions),
        kb: benchmark.kb.as_ref(),
        seed: header.seed,
    })
}

/// A share of the questions, in their order. A smaller share is part of a greater one of the same seed.
fn share(questions: Vec<&Question>, fraction: f64, seed: u64) -> Result<Vec<&Question>, TrainError> {
    if !(fraction > 0.0 && fraction <= 1.0) {
        return Err(TrainError::Fraction { fraction });
    }
    let n = cast::whole((cast::float(questions.len()) * fraction).round());
    if n == 0 {
        return Err(TrainError::FractionLeavesNothing { fraction, questions: questions.len() });
    }
    let number = |question: &Question| Random::new(seed, &question.id).number();
    let mut order: Vec<usize> = (0..questions.len()).collect();
    order.sort_by_cached_key(|&at| (number(questions[at]), at));
    order.truncate(n);
    order.sort_unstable();
    Ok(order.into_iter().map(|at| questions[at]).collect())
}

/// At most `most` questions, evenly spaced; 0: all.
fn spaced(questions: Vec<&Question>, most: usize) -> Vec<&Question> {
    if most == 0 || questions.len() <= most {
        return questions;
    }
    (0..most).map(|at| questions[at * questions.len() / most]).collect()
}
