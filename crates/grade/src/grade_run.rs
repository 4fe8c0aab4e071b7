//! Grades a complete run: from a file of predictions to scores, rows and a summary on disk.

use crate::distil::Distilled;
use crate::facets::{self, SeenItems};
use crate::grade_error::{GradeError, NeedsKb, io};
use crate::grade_files::GradeWriter;
use crate::grader::{Grade, Grader, MAX_OPERATIONS};
use crate::measure::{Product, known_names};
use crate::overlap::Smoothing;
use crate::prediction_source::PredictionSource;
use crate::same::About;
use crate::summary::{Collector, Summary};
use crate::time_limit::with_time_limit;
use crate::usage::UsageSummary;
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use touchstone_benchmark::{Gives, GradeRow, Graph, OpenBenchmark, Prediction, Question, Selection, Usage};
use touchstone_datasets::{DataSet, PredictionReader};
use touchstone_engine::budget::Limits;
use touchstone_engine::{Engine, QueryContext};
use touchstone_kb::counts::counted;
use touchstone_kb::{Change, Kb, Progress};

/// Configuration of grading.
#[derive(Clone)]
pub struct GradeConfig<'e> {
    /// The questions; if absent, those of the run that the predictions belong to.
    pub selection: Selection<'e>,
    /// Settings.
    pub options: GradeOptions,
}

/// Settings of grading.
#[derive(Clone)]
pub struct GradeOptions {
    /// The predictions.
    pub predictions: PredictionSource,
    /// The data set in whose format they are written.
    pub format: DataSet,
    /// What the system gives; if absent, what the run declares, otherwise what the whole file has.
    pub gives: Option<Gives>,
    /// Grade only questions with a prediction; otherwise the others score 0.
    pub only_predicted: bool,
    /// A file with the ids of the questions to grade, one per line.
    pub ids: Option<PathBuf>,
    /// Compound measures in addition to the published ones.
    pub products: Vec<Product>,
    /// An official evaluator to reproduce.
    pub compat: Option<DataSet>,
    /// How BLEU treats orders of n-grams without a match.
    pub smoothing: Smoothing,
    /// The facets to group by; two with `*` between them are crossed.
    pub facets: Vec<String>,
    /// A file of neighbours of the KB, as written by `distil`: right predictions are run on them.
    pub neighbours: Option<PathBuf>,
    /// A folder for `grades.jsonl` and `summary.json`.
    pub out: Option<PathBuf>,
    /// Replace earlier grades in it even if they were edited.
    pub force: bool,
    /// The limits of one logical form.
    pub limits: Limits,
    /// What runs logical forms; without it the embedded engines.
    pub engine: Option<Arc<dyn Engine>>,
    /// The total time limit; predictions after it are not graded.
    pub max_total_time: Option<Duration>,
}

impl GradeOptions {
    /// Default settings: our own prediction lines, and groups by level, function and shape.
    pub fn new(predictions: PredictionSource) -> GradeOptions {
        GradeOptions {
            predictions,
            format: DataSet::Lines,
            gives: None,
            only_predicted: false,
            ids: None,
            products: Vec::new(),
            compat: None,
            smoothing: Smoothing::None,
            facets: ["level", "function", "shape"].map(str::to_owned).to_vec(),
            neighbours: None,
            out: None,
            force: false,
            limits: Limits { operations: MAX_OPERATIONS, ..Limits::default() },
            engine: None,
            max_total_time: None,
        }
    }

    /// Rejects a name that is not a measure, a compound measure or a score of the official evaluator.
    pub fn check_measure(&self, name: &str) -> Result<(), GradeError> {
        let own = self.products.iter().map(|product| product.name.as_str());
        let official = self.compat.map_or(&[][..], DataSet::official_scores).iter().copied();
        let known: Vec<&str> =
            known_names().map(|name| -> &str { name }).chain(own).chain(official).collect();
        if known.contains(&name) {
            return Ok(());
        }
        let nearest = touchstone_kb::nearest_name(name, known.iter().copied()).map(str::to_owned);
        Err(GradeError::UnknownMeasure { name: name.to_owned(), nearest })
    }
}

/// The result of grading a run.
#[derive(Debug, Clone, PartialEq)]
pub struct GradedRun {
    /// The scores.
    pub summary: Summary,
    /// Number of questions to grade.
    pub selected: usize,
    /// Number of predictions for questions of the benchmark that were not selected.
    pub not_selected: usize,
    /// What the predictions give.
    pub gives: Gives,
    /// Whether that was declared, by the run or by the caller; otherwise it was derived from the whole file.
    pub gives_is_declared: bool,
}

impl GradedRun {
    /// What the user should know before the scores.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match self.gives {
            _ if self.gives_is_declared => {}
            Gives::Answers => notes.push(
                "no prediction has a logical form: measures of forms are not computed (`--gives both` scores them 0)"
                    .to_owned(),
            ),
            Gives::Forms => {}
            Gives::Both => notes.push(
                "predictions have answers and logical forms: a question without a form scores 0 in measures of forms (`--gives answers` leaves them out)"
                    .to_owned(),
            ),
        }
        if self.not_selected > 0 {
            let predictions = counted(self.not_selected, "prediction is", "predictions are");
            notes.push(format!(
                "{predictions} for questions of the benchmark that were not selected for grading"
            ));
        }
        notes
    }
}

/// Grades a run, or any other file of predictions.
///
/// ```
/// use touchstone_benchmark::{KbSource, QuestionSource, Selection};
/// use touchstone_datasets::{DataSet, ImportConfig, Importer, import};
/// use touchstone_grade::{GradeConfig, GradeOptions, PredictionSource, grade_run};
/// use touchstone_kb::NoProgress;
/// use touchstone_logic::Knowledge;
///
/// // A benchmark of one question, and a prediction with a right and a wrong answer. Without a KB, forms are not run.
/// let folder = tempfile::tempdir()?;
/// let path = |name: &str| folder.path().join(name);
/// std::fs::write(path("mine.json"), r#"[{"id": "q1", "question": "Who directed M?",
///     "query": "Find(M) > Relate(director, forward) > What()", "answers": ["Fritz Lang"]}]"#)?;
/// let importer = Importer { data_set: DataSet::Lines, knowledge: Knowledge::of_spelling(), kb: None };
/// let file = path("mine.json").display().to_string();
/// import(&ImportConfig::of_file(importer, &file), &NoProgress)?.benchmark.write(&path("benchmark"))?;
/// let lines = br#"{"id": "q1", "answers": ["Fritz Lang", "Thea von Harbou"]}"#;
///
/// let questions = Some(QuestionSource::Folder(path("benchmark")));
/// let selection = Selection { questions, kb: KbSource::None, ..Selection::default() };
/// let predictions = PredictionSource::Text { name: "mine".to_owned(), content: lines.to_vec() };
/// let graded = grade_run(&GradeConfig { selection, options: GradeOptions::new(predictions) }, &NoProgress)?;
/// let score = |measure: &str| graded.summary.measures[measure].all.mean;
/// assert_eq!((score("precision"), score("recall")), (0.5, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn grade_run(config: &GradeConfig<'_>, progress: &dyn Progress) -> Result<GradedRun, GradeError> {
    facets::check(&config.options.facets)?;
    let mut selection = config.selection.clone();
    if selection.run.is_none() {
        selection.run = config.options.predictions.path().map(Path::to_path_buf);
    }
    let open = selection.open()?;
    open.require_kb()?;
    grade_benchmark(&open, &config.options, progress)
}

/// Grades predictions for an open benchmark.
pub fn grade_benchmark(
    open: &OpenBenchmark,
    options: &GradeOptions,
    progress: &dyn Progress,
) -> Result<GradedRun, GradeError> {
    facets::check(&options.facets)?;
    if options.compat == Some(DataSet::GrailQa) && open.ontology.is_none() {
        return Err(GradeError::NoOntology);
    }
    let context = QueryContext::new(open.kb.as_ref(), open.ontology.as_ref()).without_suggestions();
    let mut grader = Grader::for_benchmark(open, &context);
    grader.products.extend(options.products.iter().cloned());
    (grader.compat, grader.smoothing) = (options.compat, options.smoothing);
    grader.settings.limits = options.limits;
    if let Some(engine) = &options.engine {
        grader.settings.engine = engine.clone();
    }
    if let Some(path) = &options.neighbours {
        let kb = open.kb.as_ref().ok_or(GradeError::NoKb(NeedsKb::Robust))?;
        grader.neighbours = read_neighbours(kb, path)?;
    }
    let mut questions = open.questions()?;
    if let Some(path) = &options.ids {
        questions = with_ids_in(questions, path)?;
    }
    let declared = options.gives.or(open.gives);
    grader.gives = match declared {
        Some(gives) => gives,
        None => options.predictions.gives(options.format)?,
    };
    let mut grading = Grading::new(open, &questions, &grader, options)?;
    progress.stage("grading", Some(questions.len() as u64));
    let deadline = options.max_total_time.map(|time| Instant::now() + time);
    let stop = grader.cancel.clone();
    let summary = with_time_limit(progress, deadline, &stop, || {
        grading.grade_all(progress)?;
        grading.summary(progress)
    })?;
    let not_selected = grading.assignment.not_selected;
    grading.finish(&summary)?;
    Ok(GradedRun {
        summary,
        selected: questions.len(),
        not_selected,
        gives: grader.gives,
        gives_is_declared: declared.is_some(),
    })
}

/// Maximum number of predictions in memory.
const CHUNK: usize = 4096;

/// Maximum number of answers in a row.
const MAX_ANSWERS: usize = 50;

/// The index of a question, with its prediction.
type Assigned = (usize, Option<Prediction>);

/// A grade, with the values of the question's facets and its row as a line of JSON.
struct GradedQuestion<'g> {
    grade: Grade<'g>,
    facets: Vec<Vec<String>>,
    line: Vec<u8>,
}

/// The state of grading a run.
struct Grading<'a, 'k> {
    open: &'a OpenBenchmark,
    questions: &'a [&'a Question],
    grader: &'a Grader<'k>,
    options: &'a GradeOptions,
    /// The schema items of the training questions.
    seen: SeenItems,
    names: Vec<String>,
    collector: Collector,
    assignment: Assignment<'a>,
    usages: Vec<Usage>,
    not_graded: usize,
    writer: Option<GradeWriter>,
}

impl<'a, 'k> Grading<'a, 'k> {
    fn new(
        open: &'a OpenBenchmark,
        questions: &'a [&'a Question],
        grader: &'a Grader<'k>,
        options: &'a GradeOptions,
    ) -> Result<Grading<'a, 'k>, GradeError> {
        let official = options.compat.map_or(&[][..], DataSet::official_scores);
        let collector = Collector::new(questions.len(), &grader.products, official, &options.facets);
        let writer = options.out.as_deref().map(|folder| GradeWriter::reserve(folder, options.force));
        Ok(Grading {
            seen: facets::seen_items(&open.training()),
            names: collector.names().map(str::to_owned).collect(),
            collector,
            assignment: Assignment::new(open, questions, options),
            usages: Vec::new(),
            not_graded: 0,
            writer: writer.transpose()?,
            open,
            questions,
            grader,
            options,
        })
    }

    /// Grades all predictions, then the questions without one.
    fn grade_all(&mut self, progress: &dyn Progress) -> Result<(), GradeError> {
        let source = &self.options.predictions;
        let namespaces = self.grader.knowledge.namespaces.clone();
        let mut predictions = PredictionReader::new(self.options.format, source.open()?, namespaces);
        loop {
            let mut chunk: Vec<Assigned> = Vec::with_capacity(CHUNK);
            while chunk.len() < CHUNK {
                let next = predictions.next().transpose();
                let next = next.map_err(|source_error| GradeError::Predictions {
                    name: source.name(),
                    source: source_error,
                })?;
                let Some(prediction) = next else { break };
                if let Some(at) = self.assignment.assign(&prediction)? {
                    chunk.push((at, Some(prediction)));
                }
            }
            let is_last = chunk.is_empty();
            if is_last {
                self.assignment.check_any()?;
                if !self.options.only_predicted {
                    chunk = self.assignment.without_prediction().map(|at| (at, None)).collect();
                }
            }
            self.grade_chunk(&chunk, progress)?;
            if is_last {
                return Ok(());
            }
        }
    }

    fn grade_chunk(&mut self, chunk: &[Assigned], progress: &dyn Progress) -> Result<(), GradeError> {
        let graded: Vec<Option<GradedQuestion<'_>>> =
            chunk.par_iter().map(|assigned| self.grade_one(assigned, progress)).collect();
        if progress.cancelled() {
            return Err(GradeError::Cancelled);
        }
        for (graded, (at, prediction)) in graded.iter().zip(chunk) {
            let Some(GradedQuestion { grade, facets, line }) = graded else {
                self.not_graded += 1;
                continue;
            };
            self.usages.extend(prediction.as_ref().map(|prediction| prediction.usage));
            self.collector.add(*at, grade, &self.questions[*at].shape, facets);
            if let Some(writer) = &mut self.writer {
                writer.add(line)?;
            }
        }
        Ok(())
    }

    /// Grades one prediction, or its absence; `None` if the time limit was reached.
    fn grade_one<'g>(
        &self,
        (at, prediction): &'g Assigned,
        progress: &dyn Progress,
    ) -> Option<GradedQuestion<'g>>
    where
        'a: 'g,
    {
        let question = self.questions[*at];
        let must_stop = || prediction.is_some() && self.grader.cancel.is_cancelled();
        if must_stop() {
            return None;
        }
        let grade = self.grader.grade(question, prediction.as_ref());
        // A form that was stopped has no known result.
        if must_stop() {
            return None;
        }
        let values = |facet: &String| facets::crossed_values(facet, question, &self.seen);
        let facets: Vec<Vec<String>> = self.options.facets.iter().map(values).collect();
        let mut line = Vec::new();
        if self.writer.is_some() {
            let row = self.row(question, prediction.as_ref(), &grade, &facets);
            line = serde_json::to_vec(&row).unwrap_or_default();
            line.push(b'\n');
        }
        progress.advance(1);
        Some(GradedQuestion { grade, facets, line })
    }

    /// A row of `grades.jsonl`.
    fn row(
        &self,
        question: &Question,
        prediction: Option<&Prediction>,
        grade: &Grade<'_>,
        facets: &[Vec<String>],
    ) -> GradeRow {
        let measures = self.names.iter().zip(Collector::row(grade));
        let facets = self.options.facets.iter().cloned().zip(facets.iter().cloned());
        let forms = &question.forms;
        let gold = forms.sexpr.as_ref().or(forms.program.as_ref()).or(forms.sparql.as_ref());
        GradeRow {
            id: question.id.clone(),
            outcome: grade.outcome,
            cause: grade.cause.clone(),
            measures: measures.filter_map(|(name, value)| Some((name.clone(), value?))).collect(),
            facets: facets.collect(),
            shape: question.shape.clone(),
            predicted_shape: grade.predicted_shape.clone(),
            robust: grade.robust,
            question: question.question.clone(),
            graph: Some(question.graph.clone()),
            predicted_graph: grade.predicted_graph.as_ref().map(Graph::from),
            gold: gold.cloned(),
            predicted: prediction.and_then(|prediction| prediction.logical_form.clone()),
            gold_answers: question.answers.clone(),
            answers: grade.answers.iter().take(MAX_ANSWERS).map(|answer| answer.text.to_string()).collect(),
            trace: prediction.and_then(|prediction| prediction.trace.clone()),
            confidence: prediction.and_then(|prediction| prediction.confidence),
            usage: prediction.map(|prediction| prediction.usage).filter(|usage| !usage.is_unknown()),
        }
    }

    fn summary(&self, progress: &dyn Progress) -> Result<Summary, GradeError> {
        progress.stage("computing intervals", None);
        let benchmark = &self.open.benchmark;
        let about =
            About { benchmark: benchmark.manifest.name.clone(), identity: benchmark.identity.clone() };
        let mut summary = self.collector.summary(about, self.assignment.unknown, self.assignment.repeated);
        summary.kb = self.open.kb.as_ref().map(|kb| kb.manifest().fingerprint.clone());
        summary.not_graded = self.not_graded;
        summary.usage = UsageSummary::of(&self.usages);
        if self.open.has_other_kb() {
            summary.gold_differs = self.gold_differs(progress);
        }
        if progress.cancelled() { Err(GradeError::Cancelled) } else { Ok(summary) }
    }

    /// Number of gold queries that do not give the gold answers on the KB; `None` if the time limit was reached.
    fn gold_differs(&self, progress: &dyn Progress) -> Option<usize> {
        progress.stage("running gold on this KB", Some(self.questions.len() as u64));
        let differs = |question: &&Question| {
            let holds = self.grader.gold_holds(question);
            progress.advance(1);
            if self.grader.cancel.is_cancelled() { None } else { Some(usize::from(holds == Some(false))) }
        };
        self.questions.par_iter().map(differs).sum()
    }

    fn finish(self, summary: &Summary) -> Result<(), GradeError> {
        match self.writer {
            Some(writer) => writer.finish(summary),
            None => Ok(()),
        }
    }
}

/// Assigns predictions to questions.
struct Assignment<'a> {
    source: &'a PredictionSource,
    benchmark: &'a str,
    /// Whether predictions have no ids and follow the order of the questions.
    is_in_order: bool,
    places: HashMap<&'a str, usize>,
    /// The ids of all questions of the benchmark.
    all: HashSet<&'a str>,
    /// The content of each question's prediction.
    assigned: Vec<Option<u64>>,
    read: usize,
    /// Number of predictions for questions that are not in the benchmark.
    unknown: usize,
    /// Number of predictions for questions that are not to be graded.
    not_selected: usize,
    /// Number of identical repeated predictions.
    repeated: usize,
}

impl<'a> Assignment<'a> {
    fn new(open: &'a OpenBenchmark, questions: &[&'a Question], options: &'a GradeOptions) -> Assignment<'a> {
        Assignment {
            source: &options.predictions,
            benchmark: &open.benchmark.manifest.name,
            is_in_order: options.format == DataSet::KqaPro,
            places: questions.iter().enumerate().map(|(at, question)| (question.id.as_str(), at)).collect(),
            all: open.benchmark.questions.iter().map(|question| question.id.as_str()).collect(),
            assigned: vec![None; questions.len()],
            read: 0,
            unknown: 0,
            not_selected: 0,
            repeated: 0,
        }
    }

    /// The index of the question that a prediction is for; `None` if it is not to be graded.
    fn assign(&mut self, prediction: &Prediction) -> Result<Option<usize>, GradeError> {
        let place = if self.is_in_order {
            Some(self.read).filter(|&at| at < self.assigned.len())
        } else {
            self.places.get(prediction.id.as_str()).copied()
        };
        self.read += 1;
        let Some(at) = place else {
            let is_known = self.all.contains(prediction.id.as_str());
            *(if is_known { &mut self.not_selected } else { &mut self.unknown }) += 1;
            return Ok(None);
        };
        let content = prediction.content_hash();
        match self.assigned[at] {
            None => {
                self.assigned[at] = Some(content);
                Ok(Some(at))
            }
            Some(earlier) if earlier == content => {
                self.repeated += 1;
                Ok(None)
            }
            // Otherwise the order of the file would decide which one counts.
            Some(_) => Err(GradeError::Contradiction { name: self.source.name(), id: prediction.id.clone() }),
        }
    }

    /// Rejects a file without any prediction to grade.
    fn check_any(&self) -> Result<(), GradeError> {
        let name = self.source.name();
        if self.read == 0 {
            return Err(GradeError::NoPredictions { name });
        }
        if self.assigned.iter().any(Option::is_some) {
            return Ok(());
        }
        Err(GradeError::NothingInCommon {
            name,
            predictions: self.read,
            is_elsewhere: self.not_selected > 0,
            benchmark: self.benchmark.to_owned(),
        })
    }

    fn without_prediction(&self) -> impl Iterator<Item = usize> {
        (0..self.assigned.len()).filter(|&at| self.assigned[at].is_none())
    }
}

/// Keeps the questions whose ids are in a file.
fn with_ids_in<'q>(questions: Vec<&'q Question>, path: &Path) -> Result<Vec<&'q Question>, GradeError> {
    let text = std::fs::read_to_string(path).map_err(io("read", path))?;
    let mut wanted: HashMap<&str, usize> = HashMap::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        wanted.entry(line.trim()).or_insert(number + 1);
    }
    if wanted.is_empty() {
        return Err(GradeError::NoIds(path.to_path_buf()));
    }
    let kept: Vec<&Question> =
        questions.into_iter().filter(|question| wanted.remove(question.id.as_str()).is_some()).collect();
    match wanted.iter().min_by_key(|(_, line)| **line) {
        None => Ok(kept),
        Some((id, line)) => Err(GradeError::UnknownId {
            path: path.to_path_buf(),
            line: *line,
            id: (*id).to_owned(),
            others: wanted.len() - 1,
        }),
    }
}

/// The neighbours from [`crate::distil`], in the ids of the KB. Neighbours of another KB are an error.
fn read_neighbours(kb: &Kb, path: &Path) -> Result<HashMap<String, Vec<Change>>, GradeError> {
    let text = std::fs::read_to_string(path).map_err(io("read", path))?;
    let mut neighbours = HashMap::new();
    for (line, text) in text.lines().enumerate().map(|(at, text)| (at + 1, text)) {
        let path = || path.to_path_buf();
        let distilled: Distilled = serde_json::from_str(text).map_err(|source| GradeError::Neighbours {
            path: path(),
            line,
            source,
        })?;
        let changes: Result<Vec<Change>, _> =
            distilled.neighbours.iter().map(|neighbour| neighbour.change(kb)).collect();
        let changes = changes.map_err(|source| GradeError::OtherNeighbours { path: path(), line, source })?;
        neighbours.insert(distilled.id, changes);
    }
    Ok(neighbours)
}
