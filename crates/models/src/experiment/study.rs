//! What is computed on a benchmark without training: axioms, examples of degradations, and how measures react to them.

use super::error::ExperimentError;
use super::plan::Study;
use super::rows::{AxiomSigns, StudyResult, rounded};
use super::spec::TableKind;
use std::sync::Arc;
use touchstone_benchmark::{Function, OpenBenchmark, Prediction, Question};
use touchstone_engine::{Engine, QueryContext, Settings};
use touchstone_grade::Grader;
use touchstone_grade::axioms::{AxiomHolds, AxiomRow, PAPER, axioms};
use touchstone_grade::degrade::{Degradation, degrade};
use touchstone_grade::sensitivity::{SensitivityRow, sensitivity};
use touchstone_kb::Progress;

/// The degradations of the paper.
const PAPER_DEGRADATIONS: [Degradation; 3] = [Degradation::T1, Degradation::T2, Degradation::T3];

/// The shares of degraded queries in the paper.
const SHARES: [f64; 2] = [0.1, 0.2];

/// The seed of degradations and of the cases for axioms.
const SEED: u64 = 1;

/// Computes a study on the test questions of a benchmark.
pub(crate) fn run_study(
    study: &Study,
    open: &OpenBenchmark,
    engine: Option<&Arc<dyn Engine>>,
    progress: &dyn Progress,
) -> Result<StudyResult, ExperimentError> {
    let context = QueryContext::new(open.kb.as_ref(), open.ontology.as_ref()).without_suggestions();
    let mut grader = Grader::for_benchmark(open, &context);
    if let Some(engine) = engine {
        grader.settings = Settings { engine: engine.clone(), ..grader.settings };
    }
    let mut questions = open.questions()?;
    questions.retain(|question| question.forms.sparql.is_some());
    let pool = open.all_questions();
    Ok(match study.kind {
        TableKind::Axioms => {
            questions.truncate(study.questions.max(1));
            progress.stage("checking axioms", None);
            let rows = axioms(&grader, &questions, &pool, SEED);
            let of_paper = |name: &&str| rows.iter().find(|row| row.measure == **name).map(signs);
            StudyResult::Axioms(PAPER.iter().filter_map(of_paper).collect())
        }
        TableKind::Transformations => example(&questions, &pool, &grader),
        _ => {
            let degradations = &PAPER_DEGRADATIONS;
            let rows = sensitivity(&grader, &questions, &pool, degradations, &SHARES, SEED, progress);
            StudyResult::Sensitivity(rows.into_iter().map(short).collect())
        }
    })
}

/// A row with rounded numbers.
fn short(row: SensitivityRow) -> SensitivityRow {
    let scores = row.scores.into_iter().map(|(name, score)| (name, rounded(score))).collect();
    SensitivityRow { changed: rounded(row.changed), scores, ..row }
}

fn signs(row: &AxiomRow) -> AxiomSigns {
    let texts = |cells: [AxiomHolds; 5]| cells.map(|holds| holds.sign().to_owned());
    AxiomSigns {
        measure: row.measure.clone(),
        ours: texts(row.cells()),
        published: row.published.map(texts),
        pairs: row.pairs,
    }
}

/// A gold query that all three degradations change, with what they make of it: the shortest together.
fn example(questions: &[&Question], pool: &[&Question], grader: &Grader<'_>) -> StudyResult {
    // As in the paper: a query for entities.
    let asked: Vec<&Question> =
        questions.iter().copied().filter(|question| question.function == Function::None).collect();
    let questions = if asked.is_empty() { questions } else { &asked };
    let worse = |degradation| degrade(questions, pool, degradation, 1.0, SEED, &grader.knowledge).predictions;
    let all: Vec<Vec<Prediction>> = PAPER_DEGRADATIONS.into_iter().map(worse).collect();
    let text = |prediction: &Prediction| prediction.logical_form.clone().unwrap_or_default();
    let gold = |at: usize| questions[at].forms.sparql.clone().unwrap_or_default();
    let is_changed =
        |at: &usize| all.iter().all(|run| run.get(*at).is_some_and(|one| text(one) != gold(*at)));
    let length = |at: usize| all.iter().filter_map(|run| Some(text(run.get(at)?).len())).sum::<usize>();
    let shortest = (0..questions.len()).filter(is_changed).min_by_key(|&at| (length(at), at));
    let Some(at) = shortest.or((!questions.is_empty()).then_some(0)) else {
        return StudyResult::Transformations { question: String::new(), queries: Vec::new() };
    };
    let changed = PAPER_DEGRADATIONS.iter().zip(&all).filter_map(|(name, run)| {
        let query = text(run.get(at)?);
        Some((name.name().to_owned(), query))
    });
    let queries = std::iter::once(("T0".to_owned(), gold(at))).chain(changed);
    let queries = queries.map(|(name, query)| (name, query.split_whitespace().collect::<Vec<_>>().join(" ")));
    StudyResult::Transformations { question: questions[at].question.clone(), queries: queries.collect() }
}
