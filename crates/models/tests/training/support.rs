//! A tiny benchmark without a KB.

use std::path::{Path, PathBuf};
use touchstone_benchmark::{
    Benchmark, BenchmarkManifest, KbIdentity, KbSource, OpenBenchmark, Prediction, Question, QuestionSource,
    Selection,
};
use touchstone_engine::QueryContext;
use touchstone_grade::{Grader, Measure};
use touchstone_models::systems;
use touchstone_run::{System, SystemInput};
use touchstone_train::settings::{ModelScale, SettingsEditor};
use touchstone_train::{
    ModelManifest, ModelSystem, NoTrainObserver, TrainConfig, TrainError, TrainObserver, system_named,
    train_system,
};

const PEOPLE: [&str; 12] =
    ["Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jana", "Karl", "Lea"];
const RELATIONS: [(&str, &str); 5] = [
    ("director", "Which film did {} direct?"),
    ("birthplace", "Where was {} born?"),
    ("spouse", "Whom did {} marry?"),
    ("employer", "For whom does {} work?"),
    ("author", "Which book is by {}?"),
];

fn question(split: &str, number: usize) -> Question {
    let (name, (relation, text)) = (PEOPLE[number / 5], RELATIONS[number % 5]);
    let id = name.to_lowercase();
    let json = serde_json::json!({
        "id": format!("{split}-{number}"), "split": split, "level": "", "question": text.replace("{}", name),
        "forms": {
            "sparql": format!("SELECT DISTINCT ?x WHERE {{ <urn:t:{id}> <urn:t:{relation}> ?x . }}"),
            "sparql_kqapro": format!(
                "SELECT DISTINCT ?e WHERE {{ ?p <pred:name> \"{name} Smith\"^^xsd:string . ?p <{relation}> ?e . }}"
            ),
            "program": format!("Find({name}) > Relate({relation}, forward) > What()"),
        },
        "graph": { "root": 0, "vertices": [], "edges": [] }, "shape": "", "alias": null, "function": "none",
        "type": "QueryName", "categories": [], "answers": [], "choices": [], "template": relation,
        "schema_items": [], "entities": [], "proof": [], "source": "test",
    });
    serde_json::from_value(json).unwrap()
}

/// Sixty training questions, and the first six of them again for development.
pub fn benchmark() -> Benchmark {
    let train = (0..60).map(|number| question("train", number));
    benchmark_of(train.chain((0..6).map(|number| question("dev", number * 9))).collect())
}

pub fn benchmark_of(questions: Vec<Question>) -> Benchmark {
    let manifest = BenchmarkManifest {
        touchstone_benchmark: 1,
        name: "tiny".to_owned(),
        identity: String::new(),
        description: String::new(),
        tool_version: String::new(),
        kb: KbIdentity { name: "none".to_owned(), fingerprint: "f0".repeat(16) },
        recipe: None,
        license: String::new(),
        held_out: Vec::new(),
        held_out_items: Vec::new(),
        as_of: None,
        completeness: String::new(),
        counts: BenchmarkManifest::counts(&questions),
        rejections: Default::default(),
        unfilled: Vec::new(),
        most_used_phrases: Vec::new(),
        unsaid: Vec::new(),
        verified: 0,
    };
    Benchmark::new(manifest, questions)
}

/// Writes a benchmark and opens it.
pub fn opened(benchmark: &Benchmark, folder: &Path) -> OpenBenchmark {
    benchmark.write(folder).unwrap();
    let questions = Some(QuestionSource::Folder(PathBuf::from(folder)));
    Selection { questions, kb: KbSource::None, ..Selection::default() }.open().unwrap()
}

/// Trains with settings that differ from those of `smoke`.
pub fn train(
    name: &str,
    benchmark: &OpenBenchmark,
    settings: &[&str],
    out: &Path,
    observer: &mut dyn TrainObserver,
) -> Result<ModelManifest, TrainError> {
    train_share(name, benchmark, settings, out, 1.0, observer)
}

pub fn train_share(
    name: &str,
    benchmark: &OpenBenchmark,
    settings: &[&str],
    out: &Path,
    fraction: f64,
    observer: &mut dyn TrainObserver,
) -> Result<ModelManifest, TrainError> {
    let systems = systems();
    let system = system_named(&systems, name)?;
    let mut editor = SettingsEditor::new(name, system.settings(ModelScale::Smoke));
    settings.iter().try_for_each(|setting| editor.set(setting))?;
    let settings = editor.into_settings();
    let scale = ModelScale::Smoke;
    let config = TrainConfig { system, benchmark, kb: None, scale, settings, fraction, seed: 7, out };
    train_system(&config, observer)
}

/// The share of training questions whose form a trained system predicts exactly, and the predictions.
pub fn memorised(benchmark: &OpenBenchmark, model: &Path) -> (f64, Vec<Prediction>) {
    let system = ModelSystem::open(&systems(), model).unwrap();
    let mut worker = system.worker();
    let words = QueryContext::new(None, None).without_suggestions();
    let grader = Grader::for_benchmark(benchmark, &words);
    let questions = benchmark.training();
    let mut right = 0.0;
    let mut predictions = Vec::new();
    for question in &questions {
        let prediction = worker.answer(&SystemInput::new(&question.id, &question.question)).unwrap();
        right += grader.grade(question, Some(&prediction)).values.get(Measure::EmString).unwrap_or(0.0);
        predictions.push(prediction);
    }
    (right / questions.len() as f64, predictions)
}

pub fn quiet() -> NoTrainObserver {
    NoTrainObserver
}
