//! Checks the axioms of grounded measures on queries of a benchmark: computes the first table of the paper.
//!
//! Every gold query gets variants: rewritten, broken, with other names, with fewer answers, with none. All of them are graded, and all
//! pairs of variants of one question that an axiom covers are compared. `docs/grading.md` lists these pairs and where the result differs
//! from the published table.

use crate::cast::float;
use crate::degrade::{Stock, without_bracket};
use crate::grade_error::GradeError;
use crate::grader::Grader;
use crate::measure::Measure;
use crate::overlap::{BleuCounts, Smoothing};
use crate::statistics::Estimate;
use crate::summary::Collector;
use crate::table::ScoreTable;
use crate::time_limit::with_time_limit;
use rayon::prelude::*;
use serde::Serialize;
use spargebra::algebra::GraphPattern;
use touchstone_benchmark::{OpenBenchmark, Prediction, Question, Random};
use touchstone_engine::QueryContext;
use touchstone_kb::Progress;
use touchstone_logic::{Language, sparql};

/// To what extent an axiom holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AxiomHolds {
    /// Not computed: there was no case to check it on.
    Unchecked,
    /// Not at all: it is violated in some case, or the better variant scores more in no case.
    No,
    /// Partly: never violated, but some cases are ties; for A1, only the part about gold itself.
    Half,
    /// In every case.
    Full,
}

impl AxiomHolds {
    /// The sign in tables.
    pub fn sign(self) -> &'static str {
        match self {
            AxiomHolds::Unchecked => "–",
            AxiomHolds::No => "○",
            AxiomHolds::Half => "◐",
            AxiomHolds::Full => "●",
        }
    }
}

/// The axioms for one measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AxiomRow {
    /// The measure.
    pub measure: String,
    /// A1: the query.
    pub a1: AxiomHolds,
    /// A2: execution.
    pub a2: AxiomHolds,
    /// A3: answers.
    pub a3: AxiomHolds,
    /// Whether it has one value per question, and every score of a run is the mean of these.
    pub instance: AxiomHolds,
    /// Whether it has values between the minimum and the maximum.
    pub partial: AxiomHolds,
    /// The published signs in this order, if the measure is in the paper.
    pub published: Option<[AxiomHolds; 5]>,
    /// Number of pairs that A1, A2 and A3 were checked on.
    pub pairs: [usize; 3],
    /// A counter-example for each axiom that does not hold fully.
    pub failures: Vec<Failure>,
}

impl AxiomRow {
    /// The five cells: A1, A2, A3, per question, partial.
    pub fn cells(&self) -> [AxiomHolds; 5] {
        [self.a1, self.a2, self.a3, self.instance, self.partial]
    }
}

/// An axiom of grounded measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Axiom {
    /// A query closer to gold scores more.
    A1,
    /// A query that runs scores more.
    A2,
    /// A query with better answers scores more.
    A3,
}

impl std::fmt::Display for Axiom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Axiom::A1 => "A1",
            Axiom::A2 => "A2",
            Axiom::A3 => "A3",
        })
    }
}

/// A counter-example for a measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// The axiom.
    pub axiom: Axiom,
    /// The question.
    pub question: String,
    /// The variant that should score more.
    pub better: String,
    /// Its score.
    pub better_value: f64,
    /// The variant that should score less.
    pub worse: String,
    /// Its score.
    pub worse_value: f64,
}

/// The published table (Table 1 of the paper on grounded measures): A1, A2, A3, instance level, partial reward.
fn published(measure: &str) -> Option<[AxiomHolds; 5]> {
    let signs = match measure {
        "em_string" => "hhhxo",
        "em_answer" => "oxxxo",
        "accuracy" | "f1" | "recall" | "precision" => "oxxxx",
        "perplexity" => "oooxx",
        "bleu" => "hoohx",
        "rouge_l" => "hooxx",
        "gek_1" => "hxxxx",
        "gek_2" | "gek_3" => "xxxxx",
        _ => return None,
    };
    let mut cells = [AxiomHolds::No; 5];
    for (cell, sign) in cells.iter_mut().zip(signs.bytes()) {
        *cell = match sign {
            b'x' => AxiomHolds::Full,
            b'h' => AxiomHolds::Half,
            _ => AxiomHolds::No,
        };
    }
    Some(cells)
}

/// A query with its grade.
struct Graded {
    text: String,
    values: Vec<f64>,
    counts: Option<BleuCounts>,
    bleu: f64,
    f1_sem: f64,
    f1_tri: f64,
    executes: bool,
    answers: Vec<String>,
    /// F1 of its results.
    f1: f64,
}

/// All variants of one gold query.
struct Family<'q> {
    question: &'q Question,
    /// The variants, gold first.
    all: Vec<Graded>,
    /// The index of gold with renamed variables, if there is one.
    rewritten: Option<usize>,
}

/// The measures of the paper's table.
pub const PAPER: [&str; 12] = [
    "em_string",
    "em_answer",
    "accuracy",
    "f1",
    "recall",
    "precision",
    "perplexity",
    "bleu",
    "rouge_l",
    "gek_1",
    "gek_2",
    "gek_3",
];

/// Configuration of the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxiomsConfig {
    /// Maximum number of questions.
    pub limit: usize,
    /// The same seed makes the same cases.
    pub seed: u64,
    /// Whether to check all measures, not only those of the paper's table.
    pub all_measures: bool,
}

/// The axioms checked on a benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedAxioms {
    /// One row per measure.
    pub rows: Vec<AxiomRow>,
    /// Number of questions that they were checked on.
    pub questions: usize,
}

impl CheckedAxioms {
    /// The signs of each measure; a different sign in the paper follows ours in brackets.
    pub fn table(&self) -> ScoreTable {
        let headings = ["measure", "A1 query", "A2 runs", "A3 answers", "per question", "partial"];
        let mut table = ScoreTable::new("", headings);
        for row in &self.rows {
            let ours = row.cells();
            let published = row.published.unwrap_or(ours);
            let cells = ours.into_iter().zip(published).map(|(ours, published)| match published {
                published if published != ours => format!("{} [{}]", ours.sign(), published.sign()),
                _ => ours.sign().to_owned(),
            });
            table.add(std::iter::once(row.measure.clone()).chain(cells));
        }
        table
    }
}

/// Checks the axioms on the selected questions of a benchmark.
pub fn axioms_on_benchmark(
    open: &OpenBenchmark,
    config: &AxiomsConfig,
    progress: &dyn Progress,
) -> Result<CheckedAxioms, GradeError> {
    let context = QueryContext::new(open.kb.as_ref(), open.ontology.as_ref()).without_suggestions();
    let grader = Grader::for_benchmark(open, &context);
    let mut questions = open.questions()?;
    questions.retain(|question| question.forms.sparql.is_some());
    if questions.is_empty() {
        return Err(GradeError::NoSparql);
    }
    questions.truncate(config.limit);
    let mut rows = with_time_limit(progress, None, &grader.cancel, || {
        axioms(&grader, &questions, &open.all_questions(), config.seed)
    });
    if !config.all_measures {
        rows.retain(|row| PAPER.contains(&row.measure.as_str()));
        rows.sort_by_key(|row| PAPER.iter().position(|name| *name == row.measure));
    }
    Ok(CheckedAxioms { rows, questions: questions.len() })
}

/// Checks all measures of a grader, including its products, on questions with SPARQL.
///
/// Names and other queries with the same answers are taken from `pool`.
pub fn axioms(grader: &Grader<'_>, questions: &[&Question], pool: &[&Question], seed: u64) -> Vec<AxiomRow> {
    let stock = Stock::of(pool);
    let families: Vec<Family<'_>> =
        questions.par_iter().filter_map(|question| family(grader, question, &stock, seed)).collect();
    let names = Measure::ALL.iter().map(|measure| measure.name().to_owned());
    let names = names.chain(grader.products.iter().map(|product| product.name.clone()));
    names.enumerate().map(|(column, name)| row(name, column, &families)).collect()
}

fn family<'q>(
    grader: &Grader<'_>,
    question: &'q Question,
    stock: &Stock<'_>,
    seed: u64,
) -> Option<Family<'q>> {
    let text = question.forms.sparql.as_deref()?;
    let mut random = Random::new(seed, &question.id);
    let mut texts: Vec<String> = vec![text.to_owned()];
    let rewritten = rewritten(text).map(|text| {
        texts.push(text);
        texts.len() - 1
    });
    let equal = stock.same_answers(question, &mut random);
    texts.extend(equal.map(str::to_owned));
    for (percent, renamed) in [(0, true), (0, false), (40, false), (100, false), (40, true)] {
        if let Some(mut other) = stock.other_names(text, percent, &mut random) {
            if renamed {
                other = other.replace("?x", "?other").replace("?answer", "?wanted").replace("DISTINCT ", "");
            }
            texts.push(other);
        }
    }
    texts.extend(without_last_pattern(text));
    // Runs and returns nothing.
    texts.push("SELECT ?x WHERE { ?x a <urn:touchstone:nothing> }".to_owned());
    texts.extend(with_fewer_answers(text, question.answers.len()));
    let broken: Vec<String> = texts.iter().take(6).filter_map(|text| without_bracket(text)).collect();
    texts.extend(broken);
    let all = texts.iter().map(|text| graded(grader, question, text)).collect();
    Some(Family { question, all, rewritten })
}

/// Gold with renamed variables. A question mark in a literal is not a variable.
fn rewritten(sparql: &str) -> Option<String> {
    (!sparql.contains(['"', '\''])).then(|| sparql.replace('?', "?renamed_"))
}

/// Gold with a limit: the same names and patterns, with fewer answers or all of them.
fn with_fewer_answers(sparql: &str, n_answers: usize) -> Vec<String> {
    if n_answers < 2 || !sparql::parse(sparql).is_ok_and(|parsed| lists_all_answers(&parsed.query)) {
        return Vec::new();
    }
    let mut limits = vec![0, 1, 2, n_answers / 2, n_answers - 1, n_answers];
    limits.sort_unstable();
    limits.dedup();
    limits.iter().map(|limit| format!("{sparql}\nLIMIT {limit}")).collect()
}

/// Whether a query lists its answers, without a limit, an order or groups of its own.
fn lists_all_answers(query: &spargebra::Query) -> bool {
    let spargebra::Query::Select { pattern, .. } = query else { return false };
    let projected = match pattern {
        GraphPattern::Distinct { inner } | GraphPattern::Reduced { inner } => inner,
        pattern => pattern,
    };
    let GraphPattern::Project { inner, .. } = projected else { return false };
    let mut pattern = &**inner;
    // Computed columns and conditions on groups surround the groups; a subquery may have anything.
    while let GraphPattern::Extend { inner, .. } | GraphPattern::Filter { inner, .. } = pattern {
        pattern = inner;
    }
    !matches!(pattern, GraphPattern::OrderBy { .. } | GraphPattern::Group { .. })
}

/// The query without its last pattern line.
fn without_last_pattern(sparql: &str) -> Option<String> {
    let lines: Vec<&str> = sparql.lines().collect();
    let last = lines.iter().rposition(|line| line.trim_end().ends_with(" ."))?;
    let rest = lines.iter().enumerate().filter(|(at, _)| *at != last).map(|(_, line)| *line);
    Some(rest.collect::<Vec<_>>().join("\n"))
}

fn graded(grader: &Grader<'_>, question: &Question, text: &str) -> Graded {
    // No model assigns probabilities to tokens, so perplexity is not measured.
    let prediction = Prediction {
        id: question.id.clone(),
        logical_form: Some(text.to_owned()),
        language: Some(Language::Sparql),
        ..Prediction::default()
    };
    let grade = grader.grade(question, Some(&prediction));
    let value = |measure| grade.values.get(measure).unwrap_or(0.0);
    Graded {
        text: text.to_owned(),
        bleu: value(Measure::Bleu),
        f1_sem: value(Measure::F1Sem),
        f1_tri: value(Measure::F1Tri),
        executes: value(Measure::Exec) == 1.0,
        f1: value(Measure::F1Exec),
        answers: grade.answers.iter().map(|answer| answer.text.to_string()).collect(),
        counts: grade.bleu,
        values: Collector::row(&grade).map(|value| value.unwrap_or(f64::NAN)).collect(),
    }
}

/// Counts pairs for and against an axiom.
struct Trial<'f> {
    axiom: Axiom,
    column: usize,
    n: usize,
    n_greater: usize,
    tie: Option<(&'f Question, &'f Graded, &'f Graded)>,
    against: Option<(&'f Question, &'f Graded, &'f Graded)>,
}

impl<'f> Trial<'f> {
    fn new(axiom: Axiom, column: usize) -> Trial<'f> {
        Trial { axiom, column, n: 0, n_greater: 0, tie: None, against: None }
    }

    fn pair(&mut self, question: &'f Question, better: &'f Graded, worse: &'f Graded) {
        let (high, low) = (better.values[self.column], worse.values[self.column]);
        if high.is_nan() || low.is_nan() {
            return;
        }
        self.n += 1;
        // Products are as small as 1e-12, so values are compared by their first digits.
        if (high - low).abs() <= 1e-9 * high.abs().max(low.abs()) {
            self.tie.get_or_insert((question, better, worse));
        } else if high < low {
            self.against.get_or_insert((question, better, worse));
        } else {
            self.n_greater += 1;
        }
    }

    fn holds(&self) -> AxiomHolds {
        match (self.n, &self.against, &self.tie) {
            (0, ..) => AxiomHolds::Unchecked,
            (_, Some(_), _) => AxiomHolds::No,
            _ if self.n_greater == 0 => AxiomHolds::No,
            (_, None, Some(_)) => AxiomHolds::Half,
            _ => AxiomHolds::Full,
        }
    }

    fn failure(&self) -> Option<Failure> {
        let (question, better, worse) = self.against.or(self.tie)?;
        Some(Failure {
            axiom: self.axiom,
            question: question.question.clone(),
            better: better.text.clone(),
            better_value: better.values[self.column],
            worse: worse.text.clone(),
            worse_value: worse.values[self.column],
        })
    }
}

fn row(name: String, column: usize, families: &[Family<'_>]) -> AxiomRow {
    let values = || {
        let all = families.iter().flat_map(|family| &family.all).map(|graded| graded.values[column]);
        all.filter(|value| !value.is_nan())
    };
    let partial = match values().next() {
        None => AxiomHolds::Unchecked,
        Some(_) => {
            let (least, most) =
                values().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
            let is_between = |value: f64| value > least + 1e-9 && value < most - 1e-9;
            if values().any(is_between) { AxiomHolds::Full } else { AxiomHolds::No }
        }
    };
    // A query that is not gold but has the same results scores less than gold.
    let mut other = Trial::new(Axiom::A1, column);
    // Of two queries with the same execution and results, the one that shares more with gold (names or patterns) scores more.
    let (mut by_names, mut by_patterns) = (Trial::new(Axiom::A1, column), Trial::new(Axiom::A1, column));
    let (mut a2, mut a3) = (Trial::new(Axiom::A2, column), Trial::new(Axiom::A3, column));
    let (mut gold_is_best, mut rewritten_is_best) = (true, true);
    for Family { question, all, rewritten } in families {
        let gold = &all[0];
        let best = all.iter().map(|graded| graded.values[column]).fold(f64::NEG_INFINITY, f64::max);
        gold_is_best &= gold.values[column].is_nan() || gold.values[column] >= best;
        rewritten_is_best &= rewritten.is_none_or(|at| all[at].values[column] >= gold.values[column]);
        for better in all {
            for worse in all {
                let same_results = better.executes == worse.executes && better.answers == worse.answers;
                if std::ptr::eq(better, gold) && same_results && worse.f1_sem < 1.0 && worse.f1_tri < 1.0 {
                    other.pair(question, better, worse);
                }
                if same_results && better.f1_sem < 1.0 && better.f1_sem > worse.f1_sem {
                    by_names.pair(question, better, worse);
                }
                if same_results && better.f1_tri < 1.0 && better.f1_tri > worse.f1_tri {
                    by_patterns.pair(question, better, worse);
                }
                if better.executes && !worse.executes {
                    a2.pair(question, better, worse);
                }
                let same_query =
                    (better.bleu, better.f1_sem, better.f1_tri) == (worse.bleu, worse.f1_sem, worse.f1_tri);
                if better.executes && worse.executes && same_query && better.f1 > worse.f1 {
                    a3.pair(question, better, worse);
                }
            }
        }
    }
    let more = if by_names.holds() >= by_patterns.holds() { by_names } else { by_patterns };
    let a1 = match (gold_is_best, other.holds()) {
        (_, AxiomHolds::Unchecked) => AxiomHolds::Unchecked,
        (true, AxiomHolds::Full) if rewritten_is_best && more.holds() == AxiomHolds::Full => AxiomHolds::Full,
        (true, AxiomHolds::Full) => AxiomHolds::Half,
        _ => AxiomHolds::No,
    };
    let trials = [if a1 == AxiomHolds::No { &other } else { &more }, &a2, &a3];
    AxiomRow {
        a1,
        a2: a2.holds(),
        a3: a3.holds(),
        instance: instance(&name, column, families),
        partial,
        published: published(&name),
        pairs: [other.n + more.n, a2.n, a3.n],
        failures: trials
            .iter()
            .filter(|trial| trial.holds() != AxiomHolds::Full)
            .filter_map(|trial| trial.failure())
            .collect(),
        measure: name,
    }
}

/// Whether there is a value per question, and the scores of a run are the means of these. BLEU has two scores of a run: the mean, and one
/// over the whole corpus.
fn instance(name: &str, column: usize, families: &[Family<'_>]) -> AxiomHolds {
    let all = || families.iter().flat_map(|family| &family.all);
    let values: Vec<f64> =
        all().map(|graded| graded.values[column]).filter(|value| !value.is_nan()).collect();
    let Some(run) = Estimate::of(&values) else { return AxiomHolds::Unchecked };
    let mean = values.iter().sum::<f64>() / float(values.len());
    let is_mean = |score: f64| (score - mean).abs() < 1e-9;
    let mut scores = vec![run.mean];
    if name == Measure::Bleu.name() {
        let mut corpus = BleuCounts::default();
        all().filter_map(|graded| graded.counts.as_ref()).for_each(|counts| corpus.add(counts));
        scores.push(corpus.score(Smoothing::None));
    }
    match (scores.iter().all(|&score| is_mean(score)), scores.iter().any(|&score| is_mean(score))) {
        (true, _) => AxiomHolds::Full,
        (false, true) => AxiomHolds::Half,
        (false, false) => AxiomHolds::No,
    }
}

#[cfg(test)]
mod tests {
    use super::with_fewer_answers;

    #[test]
    fn limits_are_added_to_queries_that_list_their_answers() {
        for sparql in [
            "SELECT DISTINCT ?x WHERE { ?x <urn:p> <urn:o> }",
            "SELECT ?x WHERE { { SELECT ?x WHERE { ?x <urn:p> ?y } ORDER BY ?y LIMIT 9 } }",
            "PREFIX : <urn:>\nselect ?x { ?x :p ?y . FILTER(?y != \"COUNT(\") } # all",
        ] {
            let limited = with_fewer_answers(sparql, 4);
            assert_eq!(limited.len(), 5, "{sparql}");
            assert_eq!(limited[0], format!("{sparql}\nLIMIT 0"));
        }
        for sparql in [
            "ASK { ?x <urn:p> <urn:o> }",
            "SELECT (COUNT (DISTINCT ?x) AS ?n) WHERE { ?x <urn:p> <urn:o> }",
            "SELECT ?x WHERE { ?x <urn:p> ?y } ORDER BY ?y LIMIT 1",
            "SELECT ?x WHERE { ?x <urn:p> ?y } ORDER BY ?y",
            "SELECT ?x WHERE { ?x <urn:p> ?y } LIMIT 5",
            "SELECT ?x WHERE { ?x <urn:p> ?y } GROUP BY ?x HAVING (COUNT(?y) > 1)",
            "SELECT ?x WHERE { ?x <urn:p> ",
        ] {
            assert_eq!(with_fewer_answers(sparql, 4), Vec::<String>::new(), "{sparql}");
        }
        assert_eq!(with_fewer_answers("SELECT ?x { ?x <urn:p> 1 }", 1), Vec::<String>::new());
    }
}
