//! Axioms of grounded measures, checked on queries of a benchmark: the first table of the paper, computed.
//!
//! A1 the query: what says the same scores best and what says something else does not (half), and what says more of it scores more (full).
//! A2 execution: what runs scores more than what does not. A3 answers: better answers score more. Half of A2 and A3: never less, but as much.

use crate::comparison::tokens;
use crate::degrade::{Stock, without_bracket};
use crate::grader::Grader;
use crate::measure::Measure;
use crate::overlap::{BleuCounts, Pair, Smoothing};
use crate::prediction::Prediction;
use crate::summary::Collector;
use rayon::prelude::*;
use serde::Serialize;
use touchstone_forge::{Question, Random};
use touchstone_logic::Language;

/// How far an axiom holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Holds {
    /// There was no case to check it on.
    Unchecked,
    /// Not at all.
    No,
    /// In part.
    Half,
    /// Wherever it was checked.
    Full,
}

/// One measure and the axioms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The measure.
    pub measure: String,
    /// The query.
    pub a1: Holds,
    /// Execution.
    pub a2: Holds,
    /// Answers.
    pub a3: Holds,
    /// Whether it is one number for each question, and the score of a run is the mean.
    pub instance: Holds,
    /// Whether it has values between the worst and the best.
    pub partial: Holds,
    /// For each axiom that does not hold in full, a case.
    pub failures: Vec<Failure>,
}

/// A case against a measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// Which axiom.
    pub axiom: &'static str,
    /// The question.
    pub question: String,
    /// What should score more, and its value.
    pub better: String,
    /// Its value.
    pub better_value: f64,
    /// What should score less, and its value.
    pub worse: String,
    /// Its value.
    pub worse_value: f64,
}

/// A query with its grade.
struct Graded {
    text: String,
    values: Vec<f64>,
    bleu: f64,
    f1_sem: f64,
    f1_tri: f64,
    executes: bool,
    answers: Vec<String>,
    f1: f64,
}

/// All variants of one gold query.
struct Family<'q> {
    question: &'q Question,
    gold: Graded,
    /// Another query with the same answers.
    equal_answers: Option<Graded>,
    /// Queries that do not run: gold and the one above without a bracket.
    broken: Vec<Graded>,
    /// Queries that run and say something else; some with renamed variables.
    others: Vec<Graded>,
    /// Gold for one answer only, and gold without its last pattern: answers that are right in part.
    in_part: Vec<Graded>,
}

/// Checks all measures of a grader, its products included, on questions with SPARQL.
///
/// Names and other queries with the same answers are taken from `pool`.
pub fn axioms(grader: &Grader<'_>, questions: &[&Question], pool: &[&Question], seed: u64) -> Vec<Row> {
    let stock = Stock::of(pool);
    let families: Vec<Family<'_>> =
        questions.par_iter().filter_map(|question| family(grader, question, &stock, seed)).collect();
    let names: Vec<String> = Measure::ALL
        .iter()
        .map(|measure| measure.name().to_owned())
        .chain(grader.products.iter().map(|product| product.name.clone()))
        .collect();
    let mut rows: Vec<Row> =
        names.iter().enumerate().map(|(column, name)| row(name, column, &families)).collect();
    // BLEU was made for whole texts: if the score of a run is not the mean of its questions' scores, it is half a measure of questions.
    if let Some(bleu) = rows.iter_mut().find(|row| row.measure == Measure::Bleu.name())
        && !bleu_is_mean(&families)
    {
        bleu.instance = Holds::Half;
    }
    rows
}

fn bleu_is_mean(families: &[Family<'_>]) -> bool {
    let (mut corpus, mut sum, mut n) = (BleuCounts::default(), 0.0, 0.0);
    for family in families {
        let mut buffer = String::new();
        let gold = tokens(&family.gold.text, Language::Sparql, &mut buffer);
        for other in &family.others {
            let mut buffer = String::new();
            let other = tokens(&other.text, Language::Sparql, &mut buffer);
            let counts = Pair::new(&other, &gold).bleu();
            corpus.add(&counts);
            sum += counts.score(Smoothing::None);
            n += 1.0;
        }
    }
    (corpus.score(Smoothing::None) - sum / n).abs() < 1e-9
}

fn family<'q>(
    grader: &Grader<'_>,
    question: &'q Question,
    stock: &Stock<'_>,
    seed: u64,
) -> Option<Family<'q>> {
    let text = question.forms.sparql.as_deref()?;
    let mut random = Random::new(seed, &question.id);
    let grade = |text: &str| graded(grader, question, text);
    let equal = stock.same_answers(question, &mut random);
    let broken = [Some(text), equal].into_iter().flatten().filter_map(without_bracket).collect::<Vec<_>>();
    let mut others = Vec::new();
    for (percent, renamed) in [(0, true), (0, false), (40, false), (100, false), (40, true)] {
        if let Some(mut other) = stock.other_names(text, percent, &mut random) {
            if renamed {
                other = other.replace("?x", "?other").replace("?answer", "?wanted").replace("DISTINCT ", "");
            }
            others.push(grade(&other));
        }
    }
    Some(Family {
        question,
        gold: grade(text),
        equal_answers: equal.map(&grade),
        broken: broken.iter().map(|text| grade(text)).collect(),
        others,
        in_part: [Some(format!("{text}\nLIMIT 1")), without_last_pattern(text)]
            .into_iter()
            .flatten()
            .map(|text| grade(&text))
            .collect(),
    })
}

/// Without the last line that is a pattern.
fn without_last_pattern(sparql: &str) -> Option<String> {
    let lines: Vec<&str> = sparql.lines().collect();
    let last = lines.iter().rposition(|line| line.trim_end().ends_with(" ."))?;
    let rest = lines.iter().enumerate().filter(|(at, _)| *at != last).map(|(_, line)| *line);
    Some(rest.collect::<Vec<_>>().join("\n"))
}

fn graded(grader: &Grader<'_>, question: &Question, text: &str) -> Graded {
    // What a system says of its own text tells nothing of gold.
    let mut random = Random::new(0, text);
    let prediction = Prediction {
        id: question.id.clone(),
        logical_form: Some(text.to_owned()),
        language: Some(Language::Sparql),
        log_probs: (0..4).map(|_| -(random.below(1000) as f64 + 1.0) / 200.0).collect(),
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
        f1: value(Measure::F1),
        answers: grade.answers.iter().map(|answer| answer.text.to_string()).collect(),
        values: Collector::row(&grade).map(|value| value.unwrap_or(f64::NAN)).collect(),
    }
}

/// Collects cases for and against.
struct Trial<'f> {
    axiom: &'static str,
    column: usize,
    /// Less is better.
    reversed: bool,
    n: usize,
    tie: Option<(&'f Question, &'f Graded, &'f Graded)>,
    against: Option<(&'f Question, &'f Graded, &'f Graded)>,
}

impl<'f> Trial<'f> {
    fn new(axiom: &'static str, column: usize, reversed: bool) -> Trial<'f> {
        Trial { axiom, column, reversed, n: 0, tie: None, against: None }
    }

    fn pair(&mut self, question: &'f Question, better: &'f Graded, worse: &'f Graded) {
        let (mut high, mut low) = (better.values[self.column], worse.values[self.column]);
        if high.is_nan() || low.is_nan() {
            return;
        }
        if self.reversed {
            std::mem::swap(&mut high, &mut low);
        }
        self.n += 1;
        if high < low - 1e-12 {
            self.against.get_or_insert((question, better, worse));
        } else if high < low + 1e-12 {
            self.tie.get_or_insert((question, better, worse));
        }
    }

    fn holds(&self) -> Holds {
        match (self.n, &self.against, &self.tie) {
            (0, ..) => Holds::Unchecked,
            (_, Some(_), _) => Holds::No,
            (_, None, Some(_)) => Holds::Half,
            _ => Holds::Full,
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

fn row(name: &str, column: usize, families: &[Family<'_>]) -> Row {
    // Of perplexity less is better.
    let reversed = name == Measure::Perplexity.name();
    let all = || {
        families.iter().flat_map(|family| {
            let gold = std::iter::once(&family.gold);
            gold.chain(&family.equal_answers)
                .chain(&family.broken)
                .chain(&family.others)
                .chain(&family.in_part)
        })
    };
    let values = || all().map(|graded| graded.values[column]).filter(|value| !value.is_nan());
    let (least, most) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let partial = values().any(|value| value > least + 1e-9 && value < most - 1e-9);
    // The same query scores best, and one that says something else does not.
    let mut a1a = Trial::new("A1", column, reversed);
    let mut is_best = !reversed;
    // Of two that run and give the same, the one that says more of gold scores more.
    let mut a1b = Trial::new("A1", column, reversed);
    let mut a2 = Trial::new("A2", column, reversed);
    let mut a3 = Trial::new("A3", column, reversed);
    for family in families {
        let Family { question, gold, equal_answers, broken, others, in_part: _ } = family;
        is_best &= gold.values[column].is_nan() || gold.values[column] == most;
        if let Some(other) = equal_answers
            && other.f1_tri < 1.0
            && other.f1_sem < 1.0
        {
            a1a.pair(question, gold, other);
        }
        for (at, first) in others.iter().enumerate() {
            for second in &others[at + 1..] {
                if first.executes && second.executes && first.answers == second.answers {
                    for (better, worse) in [(first, second), (second, first)] {
                        let by_sem = better.f1_sem > worse.f1_sem && better.f1_sem < 1.0;
                        let by_tri = better.f1_tri > worse.f1_tri && better.f1_tri < 1.0;
                        // Each compound measure is held to the comparison that it is made of.
                        let ordered = match name {
                            "gek_2" | "f1_sem" => by_sem,
                            "gek_3" | "f1_tri" => by_tri,
                            _ => by_sem && by_tri,
                        };
                        if ordered {
                            a1b.pair(question, better, worse);
                        }
                    }
                }
            }
        }
        for runs in std::iter::once(gold).chain(equal_answers).filter(|graded| graded.executes) {
            broken.iter().filter(|graded| !graded.executes).for_each(|fails| a2.pair(question, runs, fails));
        }
        // A query that has nothing of gold and a right answer by chance may lose against one that has all of it: that is what products
        // with a floor do, and no case.
        let has_some = |graded: &&Graded| graded.f1 == 1.0 && graded.f1_sem > 0.0 && graded.f1_tri > 0.0;
        for right in std::iter::once(gold).chain(equal_answers).filter(has_some) {
            others
                .iter()
                .filter(|g| g.executes && g.f1 == 0.0)
                .for_each(|wrong| a3.pair(question, right, wrong));
        }
        // Answers that are partly right, for measures that tell; of queries that are equally near to gold.
        if partial {
            for better in others.iter().filter(|graded| graded.executes && graded.f1 < 1.0) {
                let worse = others.iter().filter(|w| w.executes && w.f1 < better.f1);
                worse
                    .filter(|w| (w.bleu, w.f1_sem, w.f1_tri) == (better.bleu, better.f1_sem, better.f1_tri))
                    .for_each(|worse| a3.pair(question, better, worse));
            }
        }
    }
    let first = is_best && a1a.holds() == Holds::Full;
    let a1 = match (is_best, a1a.holds(), a1b.holds()) {
        (true, Holds::Unchecked, _) => Holds::Unchecked,
        (true, Holds::Full, Holds::Full) => Holds::Full,
        (true, Holds::Full, _) => Holds::Half,
        _ => Holds::No,
    };
    let trials = [if first { &a1b } else { &a1a }, &a2, &a3];
    Row {
        measure: name.to_owned(),
        a1,
        a2: a2.holds(),
        a3: a3.holds(),
        instance: Holds::Full,
        partial: if partial { Holds::Full } else { Holds::No },
        failures: trials.iter().filter_map(|trial| trial.failure()).collect(),
    }
}
