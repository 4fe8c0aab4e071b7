//! Whole runs graded by the library: a benchmark of the World KB, predictions of known quality, and the folder of grades.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{
    Benchmark, EmbeddedKb, Gives, GradeRow, KbSource, PackageError, Prediction, PredictionOutcome, Question,
    QuestionSource, RunHeader, RunJournal, Selection, SelectionError, Split,
};
use touchstone_engine::Words;
use touchstone_forge::{Recipe, make};
use touchstone_grade::degrade::{Degradation, degrade};
use touchstone_grade::summary::Summary;
use touchstone_grade::{GradeConfig, GradeError, GradeOptions, PredictionSource, grade_run, read_rows};
use touchstone_kb::{NoProgress, Progress};
use touchstone_logic::sparql::Namespaces;
use touchstone_logic::{Knowledge, Language};

/// A folder with a benchmark.
struct Prepared {
    folder: tempfile::TempDir,
    benchmark: Benchmark,
}

fn world() -> touchstone_kb::Kb {
    touchstone_world::open(&NoProgress).unwrap()
}

impl Prepared {
    fn new() -> Prepared {
        let folder = tempfile::tempdir().unwrap();
        let mut recipe = Recipe::parse(Recipe::text("quick").unwrap()).unwrap();
        recipe.questions = 120;
        let kb = world();
        let made = make(&kb, &recipe, &Lexicon::of(&kb), &NoProgress).unwrap();
        made.write(&folder.path().join("benchmark")).unwrap();
        let benchmark = Benchmark::read(&folder.path().join("benchmark")).unwrap();
        Prepared { folder, benchmark }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// All but the training questions.
    fn questions(&self) -> Vec<&Question> {
        self.benchmark.questions.iter().filter(|question| question.split != Split::Train).collect()
    }

    /// A run whose system gives these predictions.
    fn run(&self, system: &str, predictions: &[Prediction]) -> PathBuf {
        let folder = self.path(system);
        let header = RunHeader {
            benchmark: self.benchmark.manifest.name.clone(),
            benchmark_identity: self.benchmark.identity.clone(),
            benchmark_path: self.path("benchmark").display().to_string(),
            questions: RunHeader::hash_questions(&self.questions()),
            kb: touchstone_world::FINGERPRINT.to_owned(),
            gives: Some(Gives::Both),
            ..RunHeader::new(system)
        };
        let mut journal = RunJournal::open(&folder, &header, &[], false).unwrap();
        predictions.iter().for_each(|prediction| journal.add(prediction).unwrap());
        journal.close(true).unwrap();
        folder
    }

    /// Grades predictions; the questions are those of their run.
    fn config(&self, predictions: &Path) -> GradeConfig<'static> {
        let mut options = GradeOptions::new(PredictionSource::Path(predictions.to_owned()));
        options.out = Some(self.path("grades"));
        GradeConfig { selection: selection(None, KbSource::OfBenchmark), options }
    }
}

fn selection(benchmark: Option<PathBuf>, kb: KbSource) -> Selection<'static> {
    Selection {
        questions: benchmark.map(QuestionSource::Folder),
        kb,
        embedded: Some(EmbeddedKb {
            name: "world",
            fingerprint: Some(touchstone_world::FINGERPRINT),
            open: || Ok(touchstone_world::open(&NoProgress)?),
        }),
        ..Selection::default()
    }
}

/// The answers and the first form of gold.
fn gold(question: &Question) -> Prediction {
    let forms = &question.forms;
    let (language, form) = match (&forms.sexpr, &forms.program) {
        (Some(text), _) => (Language::Sexpr, text),
        (None, Some(text)) => (Language::Kopl, text),
        (None, None) => (Language::Sparql, forms.sparql.as_ref().unwrap()),
    };
    Prediction {
        id: question.id.clone(),
        answers: Some(question.answers.clone()),
        logical_form: Some(form.clone()),
        language: Some(language),
        ..Prediction::default()
    }
}

fn rows(folder: &Path) -> Vec<GradeRow> {
    read_rows(folder).unwrap().collect::<Result<_, _>>().unwrap()
}

#[derive(Default)]
struct Recorder {
    stages: Mutex<Vec<(String, Option<u64>)>>,
    advanced: AtomicU64,
    is_cancelled: bool,
}

impl Progress for Recorder {
    fn stage(&self, name: &str, total: Option<u64>) {
        self.stages.lock().unwrap().push((name.to_owned(), total));
    }

    fn advance(&self, amount: u64) {
        self.advanced.fetch_add(amount, Ordering::SeqCst);
    }

    fn cancelled(&self) -> bool {
        self.is_cancelled
    }
}

#[test]
fn gold_scores_one_in_every_measure() {
    let prepared = Prepared::new();
    let questions = prepared.questions();
    let n = questions.len();
    let run = prepared.run("oracle", &questions.iter().map(|question| gold(question)).collect::<Vec<_>>());
    let progress = Recorder::default();
    let graded = grade_run(&prepared.config(&run), &progress).unwrap();
    assert_eq!((graded.selected, graded.not_selected), (n, 0));
    assert_eq!((graded.gives, graded.gives_is_declared), (Gives::Both, true));
    let summary = &graded.summary;
    assert_eq!(summary.about.identity, prepared.benchmark.identity);
    assert_eq!(summary.kb.as_deref(), Some(touchstone_world::FINGERPRINT));
    assert_eq!((summary.questions, summary.outcomes["answered"]), (n, n));
    for name in ["em_canonical", "em_string", "exec", "f1", "f1_sem", "f1_tri", "em_answer", "gek_1"] {
        let score = &summary.measures[name];
        assert_eq!((score.all.mean, score.all.low, score.all.n), (1.0, 1.0, n), "{name}");
        assert_eq!(score.answered.map(|answered| answered.mean), Some(1.0), "{name}");
    }
    let stages = progress.stages.lock().unwrap();
    assert_eq!(stages[0], ("grading".to_owned(), Some(n as u64)));
    assert_eq!(progress.advanced.load(Ordering::SeqCst), n as u64);

    // The files hold the same, and are read back by the types that write them.
    let text = std::fs::read_to_string(prepared.path("grades/summary.json")).unwrap();
    let read: Summary = serde_json::from_str(&text).unwrap();
    assert_eq!(read, *summary);
    assert_eq!(serde_json::to_string_pretty(&read).unwrap() + "\n", text);
    let rows = rows(&prepared.path("grades"));
    assert_eq!(rows.len(), n);
    assert!(rows.iter().all(|row| row.outcome == PredictionOutcome::Answered));
}

#[test]
fn degraded_gold_scores_its_share() {
    let prepared = Prepared::new();
    let questions = prepared.questions();
    let kb = world();
    let words = Words::new(&kb);
    let knowledge = Knowledge::new(&words, Namespaces::of(&kb));
    let degraded = degrade(&questions, &questions, Degradation::T1, 0.5, 1, &knowledge);
    assert!(degraded.changed > 5 && degraded.predictions.len() == questions.len());
    let run = prepared.run("degraded", &degraded.predictions);
    let summary = grade_run(&prepared.config(&run), &NoProgress).unwrap().summary;
    // Without a bracket a form cannot be run; all others are gold.
    let right = questions.len() - degraded.changed;
    assert_eq!((summary.outcomes["unparsable"], summary.outcomes["answered"]), (degraded.changed, right));
    let share = right as f64 / questions.len() as f64;
    for name in ["exec", "f1", "em_answer"] {
        let score = &summary.measures[name];
        assert!((score.all.mean - share).abs() < 1e-9, "{name}: {} instead of {share}", score.all.mean);
        assert!(score.all.low < share && share < score.all.high, "{name}: {:?}", score.all);
    }
    assert_eq!(summary.measures["f1"].answered.map(|answered| answered.mean), Some(1.0));
    for row in rows(&prepared.path("grades")) {
        let is_right = row.outcome == PredictionOutcome::Answered;
        assert_eq!((row.measures.get("f1"), row.cause.is_none()), (Some(&f64::from(is_right)), is_right));
    }
}

#[test]
fn every_question_counts_unless_only_predicted_ones_are_graded() {
    let prepared = Prepared::new();
    let questions = prepared.questions();
    let (n, half) = (questions.len(), questions.len() / 2);
    let predictions: Vec<Prediction> = questions[..half].iter().map(|question| gold(question)).collect();
    let run = prepared.run("stopped", &predictions);
    let mut config = prepared.config(&run);
    let summary = grade_run(&config, &NoProgress).unwrap().summary;
    assert_eq!((summary.questions, summary.outcomes["missing"]), (n, n - half));
    assert!((summary.measures["f1"].all.mean - half as f64 / n as f64).abs() < 1e-9);
    config.options.only_predicted = true;
    let summary = grade_run(&config, &NoProgress).unwrap().summary;
    assert_eq!((summary.questions, summary.measures["f1"].all.mean), (half, 1.0));
    assert_eq!(rows(&prepared.path("grades")).len(), half, "earlier grades are replaced");
}

#[test]
fn what_cannot_be_graded_is_refused() {
    let prepared = Prepared::new();
    let questions = prepared.questions();
    let run = prepared.run("oracle", &[gold(questions[0])]);
    let error = |config: &GradeConfig<'_>| grade_run(config, &NoProgress).unwrap_err();
    let good = prepared.config(&run);

    let mut config = good.clone();
    config.selection.questions = Some(QuestionSource::Folder(prepared.path("nothing")));
    let found = error(&config);
    let is_missing =
        matches!(&found, GradeError::Selection(SelectionError::Package(PackageError::Missing { .. })));
    assert!(is_missing, "{found}");

    let mut config = good.clone();
    config.options.facets = vec!["colour".to_owned()];
    assert!(matches!(error(&config), GradeError::UnknownFacet { .. }), "{}", error(&config));

    // Of another benchmark: none of their questions is known.
    let text = |content: &str| PredictionSource::Text { name: "mine".to_owned(), content: content.into() };
    let mut config = good.clone();
    config.selection = selection(Some(prepared.path("benchmark")), KbSource::None);
    config.options.predictions = text(r#"{"id": "elsewhere", "answers": []}"#);
    let found = error(&config);
    assert!(matches!(found, GradeError::NothingInCommon { predictions: 1, .. }), "{found}");
    config.options.predictions = text("");
    assert!(matches!(error(&config), GradeError::NoPredictions { .. }));
    let id = &questions[0].id;
    config.options.predictions = text(&format!(
        "{{\"id\": \"{id}\", \"answers\": [\"a\"]}}\n{{\"id\": \"{id}\", \"answers\": [\"b\"]}}\n"
    ));
    assert!(matches!(error(&config), GradeError::Contradiction { .. }));

    let cancelled = Recorder { is_cancelled: true, ..Recorder::default() };
    assert!(matches!(grade_run(&good, &cancelled), Err(GradeError::Cancelled)));
    assert!(!prepared.path("grades").join("summary.json").exists(), "no refused grades are left behind");
}
