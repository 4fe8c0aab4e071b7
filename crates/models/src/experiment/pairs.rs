//! Published question-query pairs as a benchmark: divided into splits if they are not, with answers from a server.

use super::error::ExperimentError;
use super::plan::PublishedPairs;
use super::spec::Division;
use crate::cast;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use touchstone_benchmark::{Answer, Benchmark, BenchmarkManifest, KbIdentity, Question, Random, Split};
use touchstone_datasets::{DataSet, ImportConfig, Importer, LevelSource, SplitFile, import};
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::{Answers, Engine, Outcome, QueryContext, Session, Settings};
use touchstone_kb::{Kb, Progress};
use touchstone_logic::Language;

/// The shares of training and development; the rest is for testing.
const TRAIN_SHARE: f64 = 0.8;
const DEV_SHARE: f64 = 0.1;

/// Number of gold queries after which a server that answered none is given up.
const PATIENCE: usize = 20;

/// The ending of the files with queries; the questions are beside them.
const QUERIES: &str = "sparql";

impl PublishedPairs {
    /// The pairs in a folder.
    pub fn find(folder: &Path, limit: usize) -> Result<PublishedPairs, ExperimentError> {
        let mut hasher = blake3::Hasher::new();
        for (_, file) in files(folder)? {
            for path in [file.with_extension("en"), file] {
                let opened = std::fs::File::open(&path).map_err(ExperimentError::io("read", &path))?;
                hasher.update_reader(opened).map_err(ExperimentError::io("read", &path))?;
            }
        }
        let hash = hasher.finalize().to_hex().as_str()[..16].to_owned();
        Ok(PublishedPairs { folder: folder.to_owned(), hash, limit })
    }
}

/// The files with queries: one for each split, or one without a split.
fn files(folder: &Path) -> Result<Vec<(Option<Split>, PathBuf)>, ExperimentError> {
    let is_pair = |path: &PathBuf| path.is_file() && path.with_extension("en").is_file();
    let named = |name: &str| Some(folder.join(format!("{name}.{QUERIES}"))).filter(is_pair);
    let dev = named("dev").or_else(|| named("valid"));
    let of_splits = [(Split::Train, named("train")), (Split::Dev, dev), (Split::Test, named("test"))];
    if of_splits[0].1.is_some() && of_splits[2].1.is_some() {
        return Ok(of_splits.into_iter().filter_map(|(split, path)| Some((Some(split), path?))).collect());
    }
    let entries = std::fs::read_dir(folder).map_err(ExperimentError::io("read", folder))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let pairs: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == QUERIES)).filter(is_pair).collect();
    match <[PathBuf; 1]>::try_from(pairs) {
        Ok([one]) => Ok(vec![(None, one)]),
        Err(_) => Err(ExperimentError::NoPairs { path: folder.to_owned() }),
    }
}

/// Imports pairs, runs the gold queries of development and test, and writes the benchmark.
pub(crate) fn import_pairs(
    (pairs, division): (&PublishedPairs, Division),
    name: &str,
    (kb, engine): (&Kb, &Arc<dyn Engine>),
    out: &Path,
    progress: &dyn Progress,
) -> Result<(), ExperimentError> {
    let folder = Benchmark::reserve(out, false)?;
    let files = files(&pairs.folder)?;
    let context = QueryContext::new(None, None);
    let split_files = files.iter().map(|(split, path)| SplitFile {
        split: split.unwrap_or(Split::Train),
        file: path.display().to_string(),
    });
    let config = ImportConfig {
        importer: Importer { data_set: DataSet::Nspm, knowledge: context.knowledge(), kb: None },
        name: name.to_owned(),
        files: split_files.collect(),
        kb: KbIdentity { name: String::new(), fingerprint: String::new() },
        levels: LevelSource::Keep,
        answers: None,
        looks_up_answers: false,
    };
    let imported = import(&config, progress)?;
    let unread = &imported.unread;
    let mut questions = imported.benchmark.questions;
    if questions.is_empty() {
        let first =
            unread.first().map_or("there is none".to_owned(), |(_, unread)| unread.reason.to_string());
        return Err(ExperimentError::UnreadablePairs {
            path: pairs.folder.clone(),
            records: unread.len(),
            first,
        });
    }
    if files.iter().any(|(split, _)| split.is_none()) {
        divide(&mut questions, division)?;
    }
    let questions = [Split::Train, Split::Dev, Split::Test].into_iter().flat_map(|split| {
        let limit = if split == Split::Train { 0 } else { pairs.limit };
        spaced(questions.iter().filter(|question| question.split == split).cloned().collect(), limit)
    });
    let questions = with_answers(questions.collect(), (kb, engine), progress)?;
    let manifest = BenchmarkManifest {
        description: format!("published pairs, {} of which could not be read", unread.len()),
        counts: BenchmarkManifest::counts(&questions),
        ..imported.benchmark.manifest
    };
    Ok(Benchmark::new(manifest, questions).write_to(folder)?)
}

/// At most `most` items, evenly spaced; 0: all.
fn spaced<T>(items: Vec<T>, most: usize) -> Vec<T> {
    let n = items.len();
    if most == 0 || n <= most {
        return items;
    }
    let wanted: BTreeSet<usize> = (0..most).map(|at| at * n / most).collect();
    items.into_iter().enumerate().filter(|(at, _)| wanted.contains(at)).map(|(_, item)| item).collect()
}

/// What a query is apart from its entities: the template that it was made from.
fn template(question: &Question) -> String {
    const RESOURCE: &str = "http://dbpedia.org/resource/";
    let sparql = question.forms.sparql.as_deref().unwrap_or_default();
    let is_entity = |word: &str| {
        let word = word.trim_start_matches('<');
        ["dbr:", "dbr_", "res:", RESOURCE].iter().any(|start| word.starts_with(start))
    };
    let words = sparql.split_whitespace().map(|word| if is_entity(word) { "<entity>" } else { word });
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Divides questions into splits. The division depends on the questions only, not on their order.
fn divide(questions: &mut [Question], division: Division) -> Result<(), ExperimentError> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, question) in questions.iter().enumerate() {
        let group = match division {
            Division::Template => template(question),
            Division::Instance => question.id.clone(),
        };
        groups.entry(group).or_default().push(at);
    }
    let mut names: Vec<&String> = groups.keys().collect();
    Random::new(1, "division").shuffle(&mut names);
    let count = names.len();
    let (mut seen, all) = (0.0, cast::float(questions.len()));
    let mut found: BTreeMap<Split, usize> = BTreeMap::new();
    let mut splits: Vec<Split> = vec![Split::Train; questions.len()];
    for name in names {
        let share = seen / all;
        let split = if share < TRAIN_SHARE {
            Split::Train
        } else if share < TRAIN_SHARE + DEV_SHARE {
            Split::Dev
        } else {
            Split::Test
        };
        let members = &groups[name];
        members.iter().for_each(|&at| splits[at] = split);
        *found.entry(split).or_default() += members.len();
        seen += cast::float(members.len());
    }
    if let Some(split) = [Split::Train, Split::Test].into_iter().find(|split| !found.contains_key(split)) {
        let is_by_template = division == Division::Template;
        return Err(ExperimentError::EmptySplit { split: split.to_string(), count, is_by_template });
    }
    for (question, split) in questions.iter_mut().zip(splits) {
        question.split = split;
    }
    Ok(())
}

/// Runs the gold queries of development and test questions. A question whose query the server cannot run is left out.
fn with_answers(
    questions: Vec<Question>,
    (kb, engine): (&Kb, &Arc<dyn Engine>),
    progress: &dyn Progress,
) -> Result<Vec<Question>, ExperimentError> {
    let session = Session::new(kb).without_suggestions();
    let settings = Settings { engine: engine.clone(), limits: Limits::default(), ..Settings::default() };
    let (mut kept, asked): (Vec<Question>, Vec<Question>) =
        questions.into_iter().partition(|question| question.split == Split::Train);
    progress.stage("running gold queries on the server", Some(asked.len() as u64));
    let mut last = None;
    let mut answered = 0_usize;
    for (number, chunk) in asked.chunks(PATIENCE).enumerate() {
        if progress.cancelled() {
            return Err(ExperimentError::Stopped);
        }
        let results: Vec<Result<Question, String>> = chunk
            .par_iter()
            .map(|question| {
                let result = answers(question, &session, &settings);
                progress.advance(1);
                let answers = result?;
                Ok(Question { answers_empty: answers.is_empty(), answers, ..question.clone() })
            })
            .collect();
        for result in results {
            match result {
                Ok(question) => {
                    answered += 1;
                    kept.push(question);
                }
                Err(reason) => last = Some(reason),
            }
        }
        if let Some(reply) = last.clone().filter(|_| answered == 0 && number == 0) {
            let engine = engine.name().to_owned();
            return Err(ExperimentError::NoAnswers { engine, queries: chunk.len(), reply });
        }
    }
    Ok(kept)
}

fn answers(question: &Question, session: &Session<'_>, settings: &Settings) -> Result<Vec<Answer>, String> {
    let sparql = question.forms.sparql.as_deref().ok_or("there is no query")?;
    match session.run(Language::Sparql, sparql, settings, &Cancel::default()).outcome {
        Outcome::Answered(Answers::List { answers, .. }) => Ok(answers),
        Outcome::Answered(Answers::Table { rows, .. }) => {
            Ok(rows.into_iter().map(|cells| Answer::Tuple { cells }).collect())
        }
        Outcome::Answered(Answers::Rdf(_)) => Err("a graph is not an answer".to_owned()),
        Outcome::Unparsable(reason) | Outcome::Failed(reason) => Err(reason),
        Outcome::OverBudget(stopped) => Err(stopped.to_string()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_or_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| std::fs::write(folder.path().join(name), "x\n").unwrap();
        let found = || PublishedPairs::find(folder.path(), 0);
        assert!(found().unwrap_err().to_string().contains("it needs train.en with train.sparql"));
        write("data.sparql");
        write("data.en");
        let first = found().unwrap();
        std::fs::write(folder.path().join("data.en"), "y\n").unwrap();
        assert_ne!(found().unwrap().hash, first.hash);
        ["train.sparql", "train.en", "test.sparql", "test.en", "valid.en", "valid.sparql"]
            .into_iter()
            .for_each(write);
        let splits: Vec<Option<Split>> =
            files(folder.path()).unwrap().into_iter().map(|(split, _)| split).collect();
        assert_eq!(splits, [Some(Split::Train), Some(Split::Dev), Some(Split::Test)]);
        assert!(
            PublishedPairs::find(Path::new("/no/such/folder"), 0)
                .unwrap_err()
                .to_string()
                .contains("cannot read")
        );
    }

    #[test]
    fn spaced_items_are_even() {
        assert_eq!(spaced((0..10).collect::<Vec<_>>(), 4), [0, 2, 5, 7]);
        assert_eq!(spaced(vec![1, 2], 0), [1, 2]);
        assert_eq!(spaced(vec![1, 2], 5), [1, 2]);
    }

    fn questions(n: usize) -> Vec<Question> {
        let one = |at: usize| {
            let sparql = format!("SELECT ?x WHERE {{ dbr:Thing_{at} dbo:property{} ?x }}", at % 20);
            let json = serde_json::json!({ "question": format!("q {at}"), "sparql": sparql }).to_string();
            let context = QueryContext::new(None, None);
            let importer = Importer { data_set: DataSet::Nspm, knowledge: context.knowledge(), kb: None };
            let record = touchstone_datasets::Record { line: at + 1, text: json, json: true };
            importer.question(&record, Split::Train, "x").unwrap().question
        };
        (0..n).map(one).collect()
    }

    #[test]
    fn a_template_is_in_one_split() {
        let mut all = questions(200);
        divide(&mut all, Division::Template).unwrap();
        let mut splits: BTreeMap<String, BTreeSet<Split>> = BTreeMap::new();
        for question in &all {
            splits.entry(template(question)).or_default().insert(question.split);
        }
        assert_eq!(splits.len(), 20);
        assert!(splits.values().all(|splits| splits.len() == 1));
        let count = |split| all.iter().filter(|question| question.split == split).count();
        assert_eq!([Split::Train, Split::Dev, Split::Test].map(count), [160, 20, 20]);
        divide(&mut all, Division::Instance).unwrap();
        let templates = |split| {
            all.iter().filter(|question| question.split == split).map(template).collect::<BTreeSet<_>>().len()
        };
        assert!(templates(Split::Test) > 5 && templates(Split::Train) == 20);
        let message = divide(&mut all[..1], Division::Template).unwrap_err().to_string();
        assert_eq!(message, "1 templates leave no test questions; give files for each split");
    }
}
