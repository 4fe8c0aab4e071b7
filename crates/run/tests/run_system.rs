//! Whole runs by the library: a benchmark of the World KB, systems that know gold, and the folder that a run leaves.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{
    EmbeddedKb, ErrorLimit, Gives, KbSource, OpenBenchmark, PackageError, Prediction, Question,
    QuestionSource, RunHeader, RunJournalError, RunManifest, Selection, SelectionError,
};
use touchstone_forge::{Recipe, make};
use touchstone_kb::{NoProgress, Progress};
use touchstone_run::{
    ErrorMessage, FixedPredictions, RunConfig, RunError, RunSummary, System, SystemError, SystemInput,
    Worker, run_system,
};

fn selection(benchmark: &Path, kb: KbSource) -> Selection<'static> {
    Selection {
        questions: Some(QuestionSource::Folder(benchmark.to_owned())),
        kb,
        embedded: Some(EmbeddedKb {
            name: "world",
            fingerprint: Some(touchstone_world::FINGERPRINT),
            open: || Ok(touchstone_world::open(&NoProgress)?),
        }),
        ..Selection::default()
    }
}

/// Writes a small benchmark into a folder and opens it.
fn open_benchmark(folder: &Path, kb: KbSource) -> OpenBenchmark {
    let world = touchstone_world::open(&NoProgress).unwrap();
    let mut recipe = Recipe::parse(Recipe::text("quick").unwrap()).unwrap();
    recipe.questions = 120;
    let benchmark = make(&world, &recipe, &Lexicon::of(&world), &NoProgress).unwrap();
    benchmark.write(&folder.join("benchmark")).unwrap();
    selection(&folder.join("benchmark"), kb).open().unwrap()
}

/// Records what is reported, and stops after some questions.
struct Recorder {
    stages: Mutex<Vec<(String, Option<u64>)>>,
    advanced: AtomicU64,
    stop_after: u64,
}

impl Recorder {
    fn new(stop_after: u64) -> Recorder {
        Recorder { stages: Mutex::default(), advanced: AtomicU64::new(0), stop_after }
    }
}

impl Progress for Recorder {
    fn stage(&self, name: &str, total: Option<u64>) {
        self.stages.lock().unwrap().push((name.to_owned(), total));
    }

    fn advance(&self, amount: u64) {
        self.advanced.fetch_add(amount, Ordering::SeqCst);
    }

    fn cancelled(&self) -> bool {
        self.advanced.load(Ordering::SeqCst) >= self.stop_after
    }
}

/// The lines of the journal; no question has two.
fn journal(folder: &Path) -> BTreeMap<String, Prediction> {
    let text = std::fs::read_to_string(folder.join("predictions.jsonl")).unwrap();
    let mut predictions = BTreeMap::new();
    for line in text.lines() {
        let prediction: Prediction = serde_json::from_str(line).unwrap();
        let earlier = predictions.insert(prediction.id.clone(), prediction);
        assert!(earlier.is_none(), "two predictions: {line}");
    }
    predictions
}

fn ids(questions: &[&Question]) -> Vec<String> {
    let mut ids: Vec<String> = questions.iter().map(|question| question.id.clone()).collect();
    ids.sort();
    ids
}

#[test]
fn a_run_leaves_its_manifest_and_all_predictions() {
    let folder = tempfile::tempdir().unwrap();
    let open = open_benchmark(folder.path(), KbSource::OfBenchmark);
    let questions = open.questions().unwrap();
    let oracle = FixedPredictions::oracle(&questions);
    let out = folder.path().join("run");
    let config = RunConfig {
        workers: 2,
        arguments: vec!["--system".to_owned(), "oracle".to_owned()],
        ..RunConfig::new(&oracle, &open, &questions, &out)
    };
    let progress = Recorder::new(u64::MAX);
    let mut observed = Vec::new();
    let summary = run_system(&config, &progress, &mut |input, prediction| {
        observed.push((input.id.clone(), prediction.id.clone()));
    });
    let n = questions.len();
    assert!(n > 20, "{n}");
    let expected = RunSummary {
        asked: n,
        before: 0,
        errors: 0,
        complete: true,
        run: out.clone(),
        error_messages: Vec::new(),
        errors_before: 0,
        too_many_errors: false,
    };
    assert_eq!(summary.unwrap(), expected);
    assert_eq!(*progress.stages.lock().unwrap(), [("asking oracle".to_owned(), Some(n as u64))]);
    assert_eq!(progress.advanced.load(Ordering::SeqCst), n as u64);
    assert!(observed.len() == n && observed.iter().all(|(input, prediction)| input == prediction));

    let RunManifest { header, arguments, started, ended, .. } = RunManifest::read(&out).unwrap();
    let expected = RunHeader {
        benchmark: open.benchmark.manifest.name.clone(),
        benchmark_identity: open.benchmark.identity.clone(),
        benchmark_path: open.path.as_ref().unwrap().display().to_string(),
        questions: RunHeader::hash_questions(&questions),
        kb: touchstone_world::FINGERPRINT.to_owned(),
        gives: Some(Gives::Both),
        ..RunHeader::new("oracle")
    };
    assert_eq!((header, arguments), (expected, config.arguments.clone()));
    assert!(!started.is_empty() && ended.is_some());
    let predictions = journal(&out);
    assert_eq!(predictions.keys().cloned().collect::<Vec<_>>(), ids(&questions));
    for question in &questions {
        let prediction = &predictions[&question.id];
        assert_eq!(prediction.answers.as_deref(), Some(&question.answers[..]), "{}", question.id);
        let forms = &question.forms;
        let form = forms.sexpr.as_ref().or(forms.program.as_ref()).or(forms.sparql.as_ref());
        assert!(form.is_some() && prediction.logical_form.as_ref() == form, "{}", question.id);
    }
}

/// Knows gold, and is stopped after some questions.
struct Stopped<'q> {
    gold: &'q FixedPredictions,
    left: AtomicU64,
}

impl System for Stopped<'_> {
    fn name(&self) -> String {
        "stopped".to_owned()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(StoppedWorker { left: &self.left, gold: self.gold.worker() })
    }
}

struct StoppedWorker<'s> {
    left: &'s AtomicU64,
    gold: Box<dyn Worker + 's>,
}

impl Worker for StoppedWorker<'_> {
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError> {
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        left.map_err(|_| SystemError::Stopped)?;
        self.gold.answer(input)
    }
}

#[test]
fn a_run_that_was_cut_resumes_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let open = open_benchmark(folder.path(), KbSource::None);
    let questions = open.questions().unwrap();
    let n = questions.len();
    let gold = FixedPredictions::oracle(&questions);
    let out = folder.path().join("run");
    let path = out.join("predictions.jsonl");
    let run = |questions_until_stop: u64, progress: &Recorder| {
        let system = Stopped { gold: &gold, left: AtomicU64::new(questions_until_stop) };
        run_system(&RunConfig::new(&system, &open, &questions, &out), progress, &mut |_, _| {}).unwrap()
    };

    let first = run(10, &Recorder::new(u64::MAX));
    assert_eq!((first.before, first.asked, first.complete), (0, 10, false));
    assert_eq!(RunManifest::read(&out).unwrap().ended, None);
    // A power cut tears the last line.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 9]).unwrap();
    let kept: Vec<&str> = text.lines().take(9).collect();

    // The user cancels before the first question.
    let cancelled = run(u64::MAX, &Recorder::new(0));
    assert_eq!((cancelled.before, cancelled.asked, cancelled.complete), (9, 0, false));

    let progress = Recorder::new(u64::MAX);
    let second = run(u64::MAX, &progress);
    assert_eq!((second.before, second.asked, second.complete), (9, n - 9, true));
    assert_eq!(*progress.stages.lock().unwrap(), [("asking stopped".to_owned(), Some(n as u64 - 9))]);
    assert_eq!(journal(&out).into_keys().collect::<Vec<_>>(), ids(&questions));
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().take(9).collect::<Vec<_>>(), kept, "earlier predictions are kept as they are");
    let ended = RunManifest::read(&out).unwrap().ended;
    assert!(ended.is_some());

    let third = run(u64::MAX, &Recorder::new(u64::MAX));
    assert_eq!((third.before, third.asked, third.complete), (n, 0, true));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert_eq!(RunManifest::read(&out).unwrap().ended, ended);
}

/// Knows gold, and fails on some questions.
struct Unreliable<'q> {
    gold: &'q FixedPredictions,
    fails_on: Vec<&'q str>,
}

impl System for Unreliable<'_> {
    fn name(&self) -> String {
        "unreliable".to_owned()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(UnreliableWorker { fails_on: &self.fails_on, gold: self.gold.worker() })
    }
}

struct UnreliableWorker<'s> {
    fails_on: &'s [&'s str],
    gold: Box<dyn Worker + 's>,
}

impl Worker for UnreliableWorker<'_> {
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError> {
        if self.fails_on.contains(&input.id.as_str()) {
            return Err(SystemError::Other("out of paper".into()));
        }
        self.gold.answer(input)
    }
}

#[test]
fn errors_are_counted_kept_and_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let open = open_benchmark(folder.path(), KbSource::None);
    let questions = open.questions().unwrap();
    let n = questions.len();
    let gold = FixedPredictions::oracle(&questions);
    let fails_on: Vec<&str> = questions.iter().skip(1).step_by(5).map(|question| &*question.id).collect();
    let failed = fails_on.len();
    let (bad, good) =
        (Unreliable { gold: &gold, fails_on }, Unreliable { gold: &gold, fails_on: Vec::new() });
    let out = folder.path().join("run");
    let config = RunConfig {
        max_errors: ErrorLimit::Count(failed - 1),
        ..RunConfig::new(&bad, &open, &questions, &out)
    };
    let summary = run_system(&config, &NoProgress, &mut |_, _| {}).unwrap();
    assert_eq!((summary.asked, summary.errors, summary.complete), (n, failed, true));
    assert_eq!(summary.error_messages, [ErrorMessage { message: "out of paper".to_owned(), n: failed }]);
    assert!(summary.too_many_errors);
    let errors = journal(&out).into_values().filter(|prediction| prediction.error.is_some()).count();
    assert_eq!(errors, failed);

    // Without a request to retry them, errors count as asked.
    let config =
        RunConfig { max_errors: ErrorLimit::Count(failed), ..RunConfig::new(&good, &open, &questions, &out) };
    let summary = run_system(&config, &NoProgress, &mut |_, _| {}).unwrap();
    assert_eq!((summary.asked, summary.before, summary.errors_before), (0, n, failed));
    assert!(!summary.too_many_errors);
    let config = RunConfig { retry_errors: true, ..config };
    let summary = run_system(&config, &NoProgress, &mut |_, _| {}).unwrap();
    assert_eq!((summary.asked, summary.before, summary.errors_before), (failed, n - failed, 0));
    assert!(journal(&out).into_values().all(|prediction| prediction.error.is_none()));
}

#[test]
fn what_cannot_be_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let missing = selection(&folder.path().join("nothing"), KbSource::None).open().err();
    let is_missing = matches!(missing, Some(SelectionError::Package(PackageError::Missing { .. })));
    assert!(is_missing, "{missing:?}");

    let open = open_benchmark(folder.path(), KbSource::None);
    let questions = open.questions().unwrap();
    let gold = FixedPredictions::oracle(&questions);
    let out = folder.path().join("run");
    let run = |config: RunConfig<'_>| run_system(&config, &NoProgress, &mut |_, _| {});
    let schema = RunConfig { schema: true, ..RunConfig::new(&gold, &open, &questions, &out) };
    assert!(matches!(run(schema), Err(RunError::SchemaWithoutKb)));
    assert!(!out.exists(), "nothing is written before the run is possible");

    // All of the first questions fail: the run is not worth keeping.
    let fails_on = questions.iter().map(|question| question.id.as_str()).collect();
    let broken = Unreliable { gold: &gold, fails_on };
    let gave_up = run(RunConfig::new(&broken, &open, &questions, &out));
    assert!(
        matches!(&gave_up, Err(RunError::GaveUp { errors, last }) if *errors >= 20 && last == "out of paper"),
        "{gave_up:?}"
    );
    assert_eq!(std::fs::read_to_string(out.join("predictions.jsonl")).unwrap(), "");

    // The folder holds a run of another system now.
    let other = run(RunConfig::new(&gold, &open, &questions, &out));
    assert!(
        matches!(&other, Err(RunError::Journal(RunJournalError::AnotherRun { field, .. })) if field == "system"),
        "{other:?}"
    );
    assert_eq!(RunManifest::read(&out).unwrap().header.system, "unreliable");
}
