//! Trained models as systems: `model:DIR`.

use crate::checkpoint::{Model, ModelManifest};
use crate::error::TrainError;
use crate::trainable::{Predictor, Trainable};
use std::error::Error;
use std::path::{Path, PathBuf};
use touchstone_benchmark::{Gives, OpenBenchmark, Prediction};
use touchstone_kb::nearest_name;
use touchstone_run::{System, SystemContext, SystemError, SystemFactory, SystemInput, Worker};

/// The system with a name.
pub fn system_named<'s>(
    systems: &'s [Box<dyn Trainable>],
    name: &str,
) -> Result<&'s dyn Trainable, TrainError> {
    let found = systems.iter().find(|system| system.about().name == name);
    found.map(|system| &**system).ok_or_else(|| {
        let known: Vec<String> = systems.iter().map(|system| system.about().name.to_owned()).collect();
        let nearest = nearest_name(name, known.iter().map(String::as_str)).map(str::to_owned);
        TrainError::UnknownSystem { name: name.to_owned(), known, nearest }
    })
}

/// A trained model as a system.
///
/// ```
/// use touchstone_run::{System, SystemInput};
/// use touchstone_train::{ModelSystem, Trainable};
///
/// # mod most_frequent_form { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/most_frequent_form/mod.rs")); }
/// # use most_frequent_form::{MostFrequentForm, small_benchmark};
/// # let folder = tempfile::tempdir()?;
/// # let benchmark = small_benchmark(&folder.path().join("bench"))?;
/// # let model = folder.path().join("model");
/// # let system = MostFrequentForm::new();
/// # let settings = system.settings(touchstone_train::settings::ModelScale::Small);
/// # let config = touchstone_train::TrainConfig {
/// #     system: &system, benchmark: &benchmark, kb: None, scale: touchstone_train::settings::ModelScale::Small, settings,
/// #     fraction: 1.0, seed: 1, out: &model,
/// # };
/// # touchstone_train::train_system(&config, &mut touchstone_train::NoTrainObserver)?;
/// // The systems that the model may be of, and the folder that `train_system` wrote.
/// let systems: Vec<Box<dyn Trainable>> = vec![Box::new(system)];
/// let trained = ModelSystem::open(&systems, &model)?;
/// let prediction = trained.worker().answer(&SystemInput::new("q1", "Who directed Metropolis?"))?;
/// assert_eq!(prediction.logical_form.as_deref(), Some("(JOIN (R director) m)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ModelSystem {
    manifest: ModelManifest,
    gives: Gives,
    predictor: Box<dyn Predictor>,
}

impl ModelSystem {
    /// Opens the model in a folder.
    pub fn open(systems: &[Box<dyn Trainable>], folder: &Path) -> Result<ModelSystem, TrainError> {
        let Model { manifest, files, network, .. } = Model::read(folder)?;
        let system = system_named(systems, &manifest.training.system)?;
        let settings = &manifest.training.settings;
        system.check(settings)?;
        let predictor = system.open(settings, &files, &network, folder)?;
        Ok(ModelSystem { gives: system.about().gives, manifest, predictor })
    }

    /// `model.json`.
    pub fn manifest(&self) -> &ModelManifest {
        &self.manifest
    }

    /// Refuses a KB that the model was not trained on.
    pub fn check_kb(&self, folder: &Path, benchmark: &OpenBenchmark) -> Result<(), TrainError> {
        const DIGITS: usize = 12;
        let (trained, found) = (&self.manifest.training.kb, benchmark.kb_fingerprint());
        if trained.fingerprint.is_empty() || found.is_empty() || trained.fingerprint == found {
            return Ok(());
        }
        let start = |text: &str| text.chars().take(DIGITS).collect();
        Err(TrainError::OtherKb {
            path: folder.to_owned(),
            trained: trained.name.clone(),
            trained_fingerprint: start(&trained.fingerprint),
            found: start(found),
        })
    }
}

impl System for ModelSystem {
    fn name(&self) -> String {
        format!("model:{} {}", self.manifest.training.system, self.manifest.identity())
    }

    fn gives(&self) -> Option<Gives> {
        Some(self.gives)
    }

    fn trained_on(&self) -> Option<String> {
        let training = &self.manifest.training;
        Some(format!(
            "{} ({}), {} training questions, seed {}",
            training.benchmark.name, training.benchmark.identity, training.questions, training.seed
        ))
    }

    fn takes_side_information(&self) -> bool {
        false
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Asking(&*self.predictor))
    }
}

struct Asking<'p>(&'p dyn Predictor);

impl Worker for Asking<'_> {
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError> {
        Ok(self.0.predict(input))
    }
}

/// Opens systems that are named like `model:DIR`.
pub struct ModelFactory {
    systems: Vec<Box<dyn Trainable>>,
    directory: Option<PathBuf>,
}

impl ModelFactory {
    /// A factory for models of these systems. Relative paths are resolved against `directory`, or else the current one.
    pub fn new(systems: Vec<Box<dyn Trainable>>, directory: Option<PathBuf>) -> ModelFactory {
        ModelFactory { systems, directory }
    }
}

impl SystemFactory for ModelFactory {
    fn kind(&self) -> &str {
        "model"
    }

    fn example(&self) -> &str {
        "model:DIR"
    }

    fn is_harmless(&self) -> bool {
        true
    }

    fn open<'c>(
        &self,
        argument: &str,
        context: &SystemContext<'c>,
    ) -> Result<Box<dyn System + 'c>, Box<dyn Error + Send + Sync>> {
        if argument.is_empty() {
            return Err(
                "write the system like model:DIR, with the folder of a model that `touchstone train` made"
                    .into(),
            );
        }
        let folder = match &self.directory {
            Some(directory) => directory.join(argument),
            None => PathBuf::from(argument),
        };
        let system = ModelSystem::open(&self.systems, &folder)?;
        system.check_kb(&folder, context.benchmark)?;
        Ok(Box::new(system))
    }
}
