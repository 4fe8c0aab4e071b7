//! From an experiment and a scale to benchmarks and cells, each with a hash of everything that its result depends on.

use super::error::ExperimentError;
use super::spec::{BenchmarkSpec, Division, Experiment, TableKind, TableSpec, TrainedSpec, merged};
use serde::Serialize;
use std::path::PathBuf;
use toml::Table;
use touchstone_forge::{Recipe, built_in_recipe};
use touchstone_kb::nearest_name;
use touchstone_train::settings::{ModelScale, SettingsEditor};
use touchstone_train::{Trainable, system_named};

/// Published question-query pairs that take the place of recipes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PublishedPairs {
    /// The folder.
    #[serde(skip)]
    pub folder: PathBuf,
    /// The hash of the files.
    pub hash: String,
    /// Maximum number of development and of test questions, evenly spaced; 0: all.
    pub limit: usize,
}

/// Where a benchmark comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BenchmarkSource {
    /// A recipe.
    Recipe(Box<Recipe>),
    /// A folder.
    Folder(PathBuf),
    /// Published pairs.
    Pairs {
        /// The pairs.
        pairs: PublishedPairs,
        /// How they are divided.
        division: Division,
    },
}

/// A benchmark of an experiment at a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedBenchmark {
    /// Its name in the experiment.
    pub name: String,
    /// Where it comes from.
    pub source: BenchmarkSource,
    /// The KB, as the experiment names it.
    pub kb: Option<String>,
    /// The hash of its source and KB.
    pub hash: String,
}

/// One training with a run and grades.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentCell {
    /// The name of the system in the experiment.
    pub system: String,
    /// The trainable system.
    pub trainable: String,
    /// The benchmark.
    pub benchmark: String,
    /// The share of the training questions.
    pub fraction: f64,
    /// The seed.
    pub seed: u64,
    /// All settings of the system.
    pub settings: Table,
    /// The hash of everything that the result depends on.
    pub hash: String,
}

/// Something that is computed on a benchmark without training.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Study {
    /// What.
    pub kind: TableKind,
    /// The benchmark.
    pub benchmark: String,
    /// Maximum number of questions, for axioms.
    pub questions: usize,
    /// The hash of everything that the result depends on.
    pub hash: String,
}

/// All benchmarks, studies and cells of an experiment at a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentPlan {
    /// The benchmarks.
    pub benchmarks: Vec<PlannedBenchmark>,
    /// The studies.
    pub studies: Vec<Study>,
    /// The cells, in the order in which they are run.
    pub cells: Vec<ExperimentCell>,
}

/// What an experiment is planned for.
pub struct PlanConfig<'c> {
    /// The experiment.
    pub experiment: &'c Experiment,
    /// The scale.
    pub scale: ModelScale,
    /// The systems that can be trained.
    pub systems: &'c [Box<dyn Trainable>],
    /// Further changes of the settings of all systems, as `key=value`.
    pub changes: &'c [String],
    /// The systems of the experiment to train; empty: all.
    pub only: &'c [String],
    /// Published pairs that take the place of recipes.
    pub pairs: Option<&'c PublishedPairs>,
    /// The fingerprint of the KB that this program carries.
    pub embedded: Option<&'c str>,
}

/// The KB of recipes by default.
const DEFAULT_KB: &str = "world";

/// The version of what is hashed.
const HASH_VERSION: u32 = 1;

impl ExperimentPlan {
    /// The hashes of all cells and studies.
    pub fn hashes(&self) -> Vec<&str> {
        let studies = self.studies.iter().map(|study| study.hash.as_str());
        studies.chain(self.cells.iter().map(|cell| cell.hash.as_str())).collect()
    }
}

impl ExperimentCell {
    /// What it is, in words.
    pub fn words(&self) -> String {
        format!("{}, {} of {}, seed {}", self.system, percent(self.fraction), self.benchmark, self.seed)
    }

    /// A name for its folder.
    pub(crate) fn folder_name(&self) -> String {
        let percent = format!("{}", self.fraction * 100.0).replace('.', "_");
        format!("{}-{}-{percent}-{}-{}", self.system, self.benchmark, self.seed, &self.hash[..8])
    }
}

/// A fraction in percent: 12.5 %.
pub(crate) fn percent(fraction: f64) -> String {
    format!("{}\u{a0}%", (fraction * 1e5).round() / 1e3)
}

/// Plans an experiment.
pub fn plan(config: &PlanConfig<'_>) -> Result<ExperimentPlan, ExperimentError> {
    let experiment = config.experiment;
    let systems = selected(experiment, config.only)?;
    let benchmarks = experiment.benchmarks.iter().map(|benchmark| planned(benchmark, config));
    let benchmarks: Vec<PlannedBenchmark> = benchmarks.collect::<Result<_, _>>()?;
    let mut cells = Vec::new();
    for (benchmark, spec) in benchmarks.iter().zip(&experiment.benchmarks) {
        for fraction in experiment.fractions(spec, config.scale) {
            for system in &systems {
                for &seed in experiment.seeds(config.scale) {
                    cells.push(cell(system, benchmark, (fraction, seed), config)?);
                }
            }
        }
    }
    let studies = experiment.tables.iter().filter_map(|table| study(table, &benchmarks)).collect();
    Ok(ExperimentPlan { benchmarks, studies, cells })
}

/// What a table needs besides cells.
fn study(table: &TableSpec, benchmarks: &[PlannedBenchmark]) -> Option<Study> {
    let questions = match table.kind {
        TableKind::Axioms => table.questions,
        TableKind::Transformations | TableKind::Sensitivity => 0,
        TableKind::Scores | TableKind::Comparison => return None,
    };
    let benchmark = benchmarks.iter().find(|benchmark| benchmark.name == table.benchmark)?;
    let hash = hashed(&(HASH_VERSION, table.kind, questions, &benchmark.hash));
    Some(Study { kind: table.kind, benchmark: benchmark.name.clone(), questions, hash })
}

/// The systems with these names; all if there are none.
fn selected<'e>(
    experiment: &'e Experiment,
    only: &[String],
) -> Result<Vec<&'e TrainedSpec>, ExperimentError> {
    let known = || experiment.systems.iter().map(|system| system.name.as_str());
    if let Some(name) = only.iter().find(|name| !known().any(|known| known == *name)) {
        return Err(ExperimentError::NoSystem {
            name: name.clone(),
            known: known().map(str::to_owned).collect(),
            nearest: nearest_name(name, known()).map(str::to_owned),
        });
    }
    let is_selected = |system: &&TrainedSpec| only.is_empty() || only.contains(&system.name);
    Ok(experiment.systems.iter().filter(is_selected).collect())
}

fn planned(spec: &BenchmarkSpec, config: &PlanConfig<'_>) -> Result<PlannedBenchmark, ExperimentError> {
    let kb = spec.kb.clone().map(|kb| match kb.as_str() {
        DEFAULT_KB => kb,
        folder => config.experiment.folder.join(folder).display().to_string(),
    });
    let (source, kb) = match (&spec.folder, &spec.recipe, config.pairs) {
        (_, Some(_), Some(pairs)) => {
            (BenchmarkSource::Pairs { pairs: pairs.clone(), division: spec.division }, None)
        }
        (Some(folder), ..) => (BenchmarkSource::Folder(config.experiment.folder.join(folder)), kb),
        (None, name, _) => {
            let recipe = recipe(spec, name.as_deref().unwrap_or_default(), config)?;
            (BenchmarkSource::Recipe(Box::new(recipe)), Some(kb.unwrap_or_else(|| DEFAULT_KB.to_owned())))
        }
    };
    let fingerprint = config.embedded.filter(|_| kb.as_deref() == Some(DEFAULT_KB));
    let hash = hashed(&(HASH_VERSION, &source, &kb, fingerprint));
    Ok(PlannedBenchmark { name: spec.name.clone(), source, kb, hash })
}

/// The recipe of a benchmark with the changes of the experiment.
fn recipe(spec: &BenchmarkSpec, name: &str, config: &PlanConfig<'_>) -> Result<Recipe, ExperimentError> {
    let path = config.experiment.folder.join(name);
    let text = match path.is_file() {
        true => std::fs::read_to_string(&path).map_err(ExperimentError::io("read", &path))?,
        false => built_in_recipe(name)?.to_owned(),
    };
    let wrong = |source| ExperimentError::Recipe { benchmark: spec.name.clone(), source };
    let table: Table = toml::from_str(&text).map_err(|error| wrong(error.into()))?;
    let table = merged(&table, &spec.change);
    let table = match spec.scales.get(&config.scale) {
        Some(changes) => merged(&table, changes),
        None => table,
    };
    Recipe::parse(&table.to_string()).map_err(wrong)
}

fn cell(
    spec: &TrainedSpec,
    benchmark: &PlannedBenchmark,
    (fraction, seed): (f64, u64),
    config: &PlanConfig<'_>,
) -> Result<ExperimentCell, ExperimentError> {
    let system = system_named(config.systems, spec.trainable())?;
    let mut editor = SettingsEditor::new(spec.trainable(), system.settings(config.scale));
    editor.apply(&spec.settings)?;
    if let Some(changes) = spec.scales.get(&config.scale) {
        editor.apply(changes)?;
    }
    for change in config.changes {
        editor.set(change)?;
    }
    let settings = editor.into_settings();
    system.check(&settings)?;
    let hash = hashed(&(HASH_VERSION, spec.trainable(), &settings, &benchmark.hash, fraction, seed));
    Ok(ExperimentCell {
        system: spec.name.clone(),
        trainable: spec.trainable().to_owned(),
        benchmark: benchmark.name.clone(),
        fraction,
        seed,
        settings,
        hash,
    })
}

/// A short hash of a value.
pub(crate) fn hashed(value: &impl Serialize) -> String {
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    blake3::hash(&bytes).to_hex().as_str()[..16].to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::systems;
    use std::collections::BTreeSet;

    fn planned(text: &str, changes: &[&str], only: &[&str]) -> Result<ExperimentPlan, ExperimentError> {
        let experiment = Experiment::parse(text, "mine.toml")?;
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        plan(&PlanConfig {
            experiment: &experiment,
            scale: ModelScale::Smoke,
            systems: &systems(),
            changes: &texts(changes),
            only: &texts(only),
            pairs: None,
            embedded: Some("fingerprint"),
        })
    }

    fn gek(changes: &[&str], only: &[&str]) -> Result<ExperimentPlan, ExperimentError> {
        planned(Experiment::text("gek").unwrap(), changes, only)
    }

    #[test]
    fn every_cell_has_a_hash_of_its_own() {
        let plan = gek(&[], &[]).unwrap();
        // Five systems with two fractions by template, and with all data by instance.
        assert_eq!((plan.cells.len(), plan.studies.len(), plan.benchmarks.len()), (15, 3, 2));
        let hashes: BTreeSet<&str> = plan.hashes().into_iter().collect();
        assert_eq!(hashes.len(), 18);
        assert_eq!(plan, gek(&[], &[]).unwrap());
        let changed = gek(&["training.batch=8"], &[]).unwrap();
        assert!(changed.cells.iter().zip(&plan.cells).all(|(a, b)| a.hash != b.hash));
        assert_eq!(changed.studies, plan.studies);
        let only = gek(&[], &["convs2s"]).unwrap();
        assert_eq!(only.cells.len(), 3);
        assert!(only.cells.iter().all(|cell| plan.cells.contains(cell)));
        assert_eq!(plan.cells[0].words(), "nspm, 50\u{a0}% of dbnqa, seed 1");
        assert!(plan.cells[0].folder_name().starts_with("nspm-dbnqa-50-1-"));
    }

    #[test]
    fn settings_and_recipes_can_be_changed() {
        let text = r#"
            name = "mine"
            [[benchmarks]]
            name = "b"
            recipe = "quick"
            change = { seed = 7, splits = { train = 0.9 } }
            scales = { smoke = { questions = 50 } }
            [[systems]]
            name = "wide"
            system = "nspm"
            settings = { network = { units = 16 }, training = { batch = 3 } }
            scales = { smoke = { training = { batch = 5 } } }
        "#;
        let plan = planned(text, &["max_steps=4"], &[]).unwrap();
        let BenchmarkSource::Recipe(recipe) = &plan.benchmarks[0].source else { panic!("no recipe") };
        assert_eq!((recipe.seed, recipe.questions, recipe.splits.train), (7, 50, 0.9));
        let number = |section: &str, key: &str| plan.cells[0].settings[section][key].as_integer();
        assert_eq!(number("network", "units"), Some(16));
        assert_eq!(number("training", "batch"), Some(5));
        assert_eq!(number("training", "max_steps"), Some(4));
        let wrong = planned(&text.replace("units = 16", "unit = 16"), &[], &[]).unwrap_err().to_string();
        assert!(wrong.contains("did you mean `network.units`?"), "{wrong}");
        let wrong =
            planned(&text.replace("questions = 50", "qestions = 50"), &[], &[]).unwrap_err().to_string();
        assert!(
            wrong.contains("the benchmark `b`") && wrong.contains("did you mean `questions`?"),
            "{wrong}"
        );
        let wrong = planned(text, &[], &["wid"]).unwrap_err().to_string();
        assert!(wrong.contains("choose from wide; did you mean `wide`?"), "{wrong}");
        let wrong = planned(&text.replace("\"nspm\"", "\"nspn\""), &[], &[]).unwrap_err().to_string();
        assert!(wrong.contains("did you mean `nspm`?"), "{wrong}");
    }
}
