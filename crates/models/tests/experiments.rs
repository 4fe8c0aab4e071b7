//! Whole experiments, with a small system and few steps.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use touchstone_benchmark::EmbeddedKb;
use touchstone_engine::budget::Cancel;
use touchstone_engine::{Engine, Session};
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::{Kb, NoProgress};
use touchstone_models::experiment::{
    Experiment, ExperimentCell, ExperimentConfig, ExperimentObserver, NoExperimentObserver, PublishedPairs,
    ROWS, Row, StudyResult, experiment_state, run_experiment, tables,
};
use touchstone_models::systems;
use touchstone_protocol::{Endpoint, EndpointSettings, ServeOptions, serve};
use touchstone_train::settings::ModelScale;
use touchstone_train::{StepReport, Trainable};

const MINE: &str = r#"
    name = "mine"
    fractions = [0.5, 1.0]
    [[benchmarks]]
    name = "b"
    recipe = "quick"
    change = { questions = 120 }
    [[systems]]
    name = "nspm"
    settings = { network = { units = 8 }, training = { max_steps = 6, parts = 1 } }
    [[tables]]
    kind = "sensitivity"
    title = "S"
    benchmark = "b"
    measures = ["em_answer"]
    [[tables]]
    kind = "transformations"
    title = "E"
    benchmark = "b"
    [[tables]]
    kind = "axioms"
    title = "A"
    benchmark = "b"
    questions = 5
    [[tables]]
    kind = "scores"
    title = "T"
    benchmark = "b"
    measures = ["em_string", "corpus_bleu", "gek_3"]
"#;

fn world() -> EmbeddedKb {
    EmbeddedKb {
        name: "world",
        fingerprint: Some(touchstone_world::FINGERPRINT),
        open: || Ok(touchstone_world::open(&NoProgress)?),
    }
}

fn config<'c>(text: &str, systems: &'c [Box<dyn Trainable>], out: &Path) -> ExperimentConfig<'c> {
    ExperimentConfig {
        experiment: Experiment::parse(text, "mine.toml").unwrap(),
        scale: ModelScale::Smoke,
        systems,
        out: out.to_owned(),
        embedded: Some(world()),
        changes: Vec::new(),
        only: Vec::new(),
        cells: None,
        jobs: Some(2),
        pairs: None,
    }
}

/// Stops after some steps, and counts them.
struct Stopping {
    steps: AtomicUsize,
    limit: usize,
}

impl Stopping {
    fn after(limit: usize) -> Stopping {
        Stopping { steps: AtomicUsize::new(0), limit }
    }
}

impl ExperimentObserver for Stopping {
    fn step(&self, _: &ExperimentCell, _: &StepReport) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.steps.load(Ordering::Relaxed) >= self.limit
    }
}

/// The rows without what depends on time.
fn scores(rows: &[Row]) -> Vec<String> {
    let mut scores: Vec<String> = rows
        .iter()
        .filter_map(|row| match row {
            Row::Cell(row) => {
                Some(format!("{} {:?} {:?} {:?}", row.hash, row.scores, row.curve, row.evaluations))
            }
            Row::Study(_) => None,
        })
        .collect();
    scores.sort_unstable();
    scores
}

#[test]
fn a_stopped_experiment_continues_to_the_same_rows() {
    let systems = systems();
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let done = run_experiment(&config(MINE, &systems, &whole), &NoExperimentObserver).unwrap();
    assert_eq!((done.ran, done.missing, done.failed, done.rows.len()), (2, 0, 0, 5));
    assert!(!done.stopped && done.other_settings == 0);
    let cells = done.rows.iter().filter_map(|row| if let Row::Cell(row) = row { Some(row) } else { None });
    let row = cells.into_iter().find(|row| row.fraction == 1.0).unwrap();
    assert_eq!((row.steps, row.sizes.training_pairs), (6, row.sizes.train));
    assert!((81..=96).contains(&row.pairs_seen), "six batches of at most 16: {}", row.pairs_seen);
    assert!(
        row.stopping_rule.starts_with("at most 6 steps; of the networks after every"),
        "{}",
        row.stopping_rule
    );
    assert!(row.scores.contains_key("corpus_bleu") && row.outcomes.values().sum::<usize>() == row.sizes.test);
    for row in &done.rows {
        if let Row::Study(row) = row
            && let StudyResult::Transformations { queries, .. } = &row.result
        {
            assert_eq!(queries.len(), 4);
            assert!(queries[1..].iter().all(|(_, query)| *query != queries[0].1), "{queries:?}");
        }
    }
    let shown = tables(&experiment(), ModelScale::Smoke, &done.rows);
    assert!(
        shown[3].table.rows.iter().all(|row| !row.contains(&"–".to_owned())),
        "{:?}",
        shown[3].table.rows
    );

    // Nothing is run twice.
    let steps = Stopping::after(usize::MAX);
    let again = run_experiment(&config(MINE, &systems, &whole), &steps).unwrap();
    assert_eq!((again.ran, steps.steps.into_inner()), (0, 0));
    assert_eq!(again.rows, done.rows);

    // Stopped in the middle of training, and continued one cell at a time.
    let parts = folder.path().join("parts");
    let one = |cells| ExperimentConfig { jobs: Some(1), cells, ..config(MINE, &systems, &parts) };
    let stopped = run_experiment(&one(None), &Stopping::after(3)).unwrap();
    assert!(stopped.stopped && stopped.ran == 0 && stopped.missing == 2);
    let first = run_experiment(&one(Some(1)), &NoExperimentObserver).unwrap();
    assert_eq!((first.ran, first.missing), (1, 1));
    assert_eq!(experiment_state(&one(None)).unwrap().missing, 1);
    let last = run_experiment(&one(None), &NoExperimentObserver).unwrap();
    assert_eq!((last.ran, last.missing), (1, 0));
    assert_eq!(scores(&last.rows), scores(&done.rows));

    // Other settings are other cells.
    let changed =
        ExperimentConfig { changes: vec!["max_steps=7".to_owned()], ..config(MINE, &systems, &whole) };
    let state = experiment_state(&changed).unwrap();
    assert_eq!((state.missing, state.other_settings), (2, 2));
}

fn experiment() -> Experiment {
    Experiment::parse(MINE, "mine.toml").unwrap()
}

#[test]
fn a_cell_that_fails_does_not_stop_the_others() {
    let text = MINE.replace("[[tables]]\n    kind = \"sensitivity\"", "[[systems]]\n    name = \"bad\"\n    system = \"nspm\"\n    settings = { network = { units = 8 }, training = { max_steps = 6 }, optimiser = { learning_rate = 1e39 } }\n    [[tables]]\n    kind = \"sensitivity\"");
    let systems = systems();
    let folder = tempfile::tempdir().unwrap();
    let state = run_experiment(&config(&text, &systems, folder.path()), &NoExperimentObserver).unwrap();
    assert_eq!((state.ran, state.failed, state.missing), (2, 2, 2));
    assert!(fs::read_to_string(folder.path().join(ROWS)).unwrap().lines().count() == 5);
}

/// Countries with their capitals, as DBpedia and DBNQA have them.
fn dbpedia(folder: &Path) {
    let (mut facts, mut questions, mut queries) = (String::new(), String::new(), String::new());
    for at in 0..60 {
        let property = ["capital", "language", "currency"][at % 3];
        let (thing, value) = (format!("Country_{at}"), format!("Value_{at}"));
        facts += &format!(
            "<http://dbpedia.org/resource/{thing}> <http://dbpedia.org/ontology/{property}> <http://dbpedia.org/resource/{value}> .\n"
        );
        questions += &format!("what is the {property} of country {at} ?\n");
        queries += &format!(
            "SELECT DISTINCT var_uri where brack_open dbr_{thing} dbo_{property} var_uri brack_close\n"
        );
    }
    fs::write(folder.join("facts.nt"), facts).unwrap();
    let data = folder.join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("data.en"), questions).unwrap();
    fs::write(data.join("data.sparql"), queries).unwrap();
}

/// An engine for a server that holds the facts. The server lives as long as the process.
fn server(folder: &Path) -> Arc<dyn Engine> {
    let store = folder.join("kb");
    let request = ImportRequest::new(Source::Rdf(Profile::Dbpedia), vec![folder.join("facts.nt")]);
    import(&request, &store, &NoProgress).unwrap();
    let kb: &'static Kb = Box::leak(Box::new(Kb::open(&store).unwrap()));
    let session: &'static Session<'static> = Box::leak(Box::new(Session::new(kb)));
    let options = ServeOptions { address: SocketAddr::from(([127, 0, 0, 1], 0)), ..ServeOptions::default() };
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        serve(session, &options, &Cancel::default(), |address| {
            sender.send(address).unwrap();
        })
    });
    let url = format!("http://{}/sparql", receiver.recv().unwrap());
    Arc::new(Endpoint::new(&url, EndpointSettings::default()).unwrap())
}

#[test]
fn published_pairs_run_on_a_server() {
    let folder = tempfile::tempdir().unwrap();
    dbpedia(folder.path());
    let engine = server(folder.path());
    let systems = systems();
    let pairs = PublishedPairs::find(&folder.path().join("data"), 4).unwrap();
    let text = MINE.replace("recipe = \"quick\"", "recipe = \"quick\"\n    division = \"instance\"");
    let out = folder.path().join("out");
    let with = |engine| ExperimentConfig {
        pairs: Some((pairs.clone(), engine)),
        embedded: None,
        ..config(&text, &systems, &out)
    };
    let nobody: Arc<dyn Engine> =
        Arc::new(Endpoint::new("http://127.0.0.1:9/sparql", EndpointSettings::default()).unwrap());
    let error = run_experiment(&with(nobody), &NoExperimentObserver).unwrap_err().to_string();
    assert!(error.contains("answers none of the first"), "{error}");
    let state = run_experiment(&with(engine), &NoExperimentObserver).unwrap();
    assert_eq!((state.ran, state.missing), (2, 0));
    for row in &state.rows {
        match row {
            Row::Cell(row) => assert_eq!((row.sizes.test, row.sizes.dev), (4, 4)),
            Row::Study(row) => {
                if let StudyResult::Sensitivity(rows) = &row.result {
                    // Gold answers come from the server, and gold queries give them.
                    let least = rows[0].scores.iter().find(|(name, _)| name == "em_answer").unwrap().1;
                    assert!(least >= 0.75, "{rows:?}");
                }
            }
        }
    }
}
