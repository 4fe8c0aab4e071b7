//! Grades one prediction: its outcome and all measures.

use crate::aligned::aligned;
use crate::answers::{Known, Meeting, meet};
use crate::compat::{self, Compat};
use crate::measure::{Family, Measure, Product, Values};
use crate::outcome::Outcome;
use crate::overlap::{BleuCounts, Numbering, Smoothing, rouge_l};
use crate::prediction::Prediction;
use crate::scan::{Scanned, scan};
use crate::sets::Overlap;
use std::borrow::Cow;
use touchstone_engine::budget::Cancel;
use touchstone_engine::{Answers, Outcome as Ran, Session, Settings};
use touchstone_forge::{Question, with_ids};
use touchstone_logic::dataset::{Knowledge, Source};
use touchstone_logic::equal::{Canonical, OfficialMatcher};
use touchstone_logic::sparql::encode_neural;
use touchstone_logic::{Inverses, Language, Ontology, Query, QueryGraph};

/// Grades predictions.
pub struct Grader<'k> {
    /// Runs logical forms; `None` if the KB is not at hand.
    pub session: Option<Session<'k>>,
    /// Reads logical forms.
    pub knowledge: Knowledge<'k>,
    /// Relations that say the same the other way round.
    pub inverses: &'k (dyn Inverses + Sync),
    /// For GrailQA's exact match.
    pub ontology: Option<&'k Ontology>,
    /// Compound measures.
    pub products: Vec<Product>,
    /// An official evaluator to repeat.
    pub compat: Option<Compat>,
    /// How logical forms are run.
    pub settings: Settings,
    /// Whether the system gives logical forms: then a question without one scores 0 in measures of forms.
    pub gives_forms: bool,
    /// Whether the KB is the one that the gold answers come from: then gold forms need not be run again.
    pub gold_is_true: bool,
}

/// The grade of one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Grade {
    /// What came of it.
    pub outcome: Outcome,
    /// Why there is no answer.
    pub cause: Option<String>,
    /// All measures.
    pub values: Values,
    /// The compound measures.
    pub products: Vec<Option<f64>>,
    /// The scores of the official evaluator.
    pub official: Vec<f64>,
    /// The shape of the predicted query; `None` without a form, `INVALID` for one that cannot be read.
    pub predicted_shape: Option<String>,
    /// The answers that were graded.
    pub answers: Vec<Known>,
}

/// A logical form that was predicted.
struct Predicted<'p> {
    text: &'p str,
    language: Language,
    query: Result<Query, String>,
}

impl<'k> Grader<'k> {
    /// Grades a prediction, or its absence.
    pub fn grade(&self, question: &Question, prediction: Option<&Prediction>) -> Grade {
        let gold: Vec<Known> = question.answers.iter().map(Known::of_json).collect();
        let form = prediction.and_then(|prediction| self.read(prediction));
        let is_gold = form.as_ref().is_some_and(|form| gold_text(question, form) == Some(form.text));
        let known = (is_gold && self.gold_is_true && self.session.is_some()).then_some(&gold[..]);
        let (outcome, cause, answers, executes) = self.outcome(prediction, form.as_ref(), known);
        let mut values = Values::default();
        self.query_measures(question, form.as_ref(), &mut values);
        if self.gives_forms {
            values.set(
                Measure::Exec,
                executes.map(f64::from).or_else(|| self.session.is_some().then_some(0.0)),
            );
        }
        let is_measured = outcome != Outcome::Answered || answers.is_some();
        let given = answers.unwrap_or_default();
        if is_measured {
            let meeting = (outcome == Outcome::Answered).then(|| meet(&given, &gold));
            answer_measures(question, prediction, &given, &gold, meeting, &mut values);
        }
        if let Some(prediction) = prediction
            && !prediction.log_probs.is_empty()
        {
            let mean = prediction.log_probs.iter().sum::<f64>() / prediction.log_probs.len() as f64;
            values.set(Measure::Perplexity, (-mean).exp());
        }
        let predicted_shape = form.as_ref().map(|form| match &form.query {
            Ok(query) => QueryGraph::of(query).shape().code,
            Err(_) => "INVALID".to_owned(),
        });
        Grade {
            outcome,
            cause,
            products: self.products.iter().map(|product| product.value(&values)).collect(),
            official: self.official(question, prediction, &given, &gold, &values),
            values,
            predicted_shape,
            answers: given,
        }
    }

    fn read<'p>(&self, prediction: &'p Prediction) -> Option<Predicted<'p>> {
        let text = prediction.logical_form.as_deref().filter(|text| !text.trim().is_empty())?;
        let language = prediction.language.unwrap_or_else(|| Language::guess(text));
        let query = Source::Text(language, text.to_owned())
            .read(&self.knowledge)
            .map(|reading| match &self.session {
                Some(session) => with_ids(reading.query, session.kb()),
                None => reading.query,
            })
            .map_err(|error| error.to_string());
        Some(Predicted { text, language, query })
    }

    /// The outcome, why there is no answer, the answers if they are known, and whether the form runs if that is known.
    #[allow(clippy::type_complexity)]
    fn outcome(
        &self,
        prediction: Option<&Prediction>,
        form: Option<&Predicted<'_>>,
        known: Option<&[Known]>,
    ) -> (Outcome, Option<String>, Option<Vec<Known>>, Option<bool>) {
        let Some(prediction) = prediction else { return (Outcome::Missing, None, None, None) };
        if let Some(error) = &prediction.error {
            return (Outcome::SystemError, Some(error.clone()), None, None);
        }
        let ran = match known {
            Some(answers) => Some(Ok(answers.to_vec())),
            None => form.and_then(|form| self.run(form)),
        };
        let executes = ran.as_ref().map(Result::is_ok);
        match (&prediction.answers, ran) {
            (Some(given), _) => (Outcome::Answered, None, Some(given.clone()), executes),
            (None, Some(Ok(answers))) => (Outcome::Answered, None, Some(answers), executes),
            (None, Some(Err((outcome, cause)))) => (outcome, Some(cause), None, executes),
            (None, None) => match form.map(|form| &form.query) {
                None => (Outcome::Abstained, None, None, None),
                Some(Err(cause)) => (Outcome::Unparsable, Some(cause.clone()), None, None),
                // Without a KB nobody knows the answers.
                Some(Ok(_)) => (Outcome::Answered, None, None, None),
            },
        }
    }

    /// Runs a form; `None` without a KB.
    fn run(&self, form: &Predicted<'_>) -> Option<Result<Vec<Known>, (Outcome, String)>> {
        let session = self.session.as_ref()?;
        let reply = session.run(form.language, form.text, &self.settings, &Cancel::default());
        Some(match reply.outcome {
            Ran::Answered(Answers::List { answers, .. }) => {
                Ok(answers.iter().map(Known::of_engine).collect())
            }
            // A row is one answer.
            Ran::Answered(Answers::Table { rows, .. }) => {
                let cell = |cell: &Option<_>| cell.as_ref().map_or(String::new(), ToString::to_string);
                let row = |row: &Vec<_>| row.iter().map(cell).collect::<Vec<_>>().join(" | ");
                Ok(rows.iter().map(|r| Known { id: None, text: row(r), value: None }).collect())
            }
            Ran::Answered(Answers::Graph(_)) => {
                Err((Outcome::FailedToExecute, "a graph is no answer".to_owned()))
            }
            Ran::Unparsable(cause) => Err((Outcome::Unparsable, cause)),
            Ran::Failed(cause) => Err((Outcome::FailedToExecute, cause)),
            Ran::OverBudget(stopped) => Err((Outcome::OverBudget, stopped.to_string())),
        })
    }

    fn query_measures(&self, question: &Question, form: Option<&Predicted<'_>>, values: &mut Values) {
        let Some(form) = form else {
            if self.gives_forms {
                for &measure in Measure::ALL.iter().filter(|measure| measure.family() == Family::Query) {
                    // What needs an ontology is not measured for some questions only.
                    if measure != Measure::EmOfficial || self.ontology.is_some() {
                        values.set(measure, 0.0);
                    }
                }
            }
            return;
        };
        let gold_query = question.query(&self.knowledge).map(|query| match &self.session {
            Some(session) => with_ids(query, session.kb()),
            None => query,
        });
        let predicted = form.query.as_ref().ok();
        if let Some(gold) = &gold_query {
            let key = |query: &Query| Canonical::of(query, self.inverses).key().to_owned();
            let same = predicted.is_some_and(|predicted| predicted == gold || key(predicted) == key(gold));
            values.set(Measure::EmCanonical, f64::from(same));
        }
        let gold_graph = gold_query.as_ref().map(QueryGraph::of);
        let graph = predicted.map(QueryGraph::of);
        if let Some(gold) = &gold_graph {
            let f1 = |inverses: Option<&dyn Inverses>| {
                graph.as_ref().map_or(0.0, |graph| aligned(graph, gold, inverses).f1())
            };
            values.set(Measure::F1Aligned, f1(None));
            values.set(Measure::F1Inverse, f1(Some(self.inverses)));
        }
        let gold_text = gold_text(question, form);
        if let Some(gold) = gold_text {
            let (left, right) = (tokens(form.text, form.language), tokens(gold, form.language));
            let mut numbering = Numbering::default();
            let predicted = numbering.numbers(left.split_whitespace());
            let gold = numbering.numbers(right.split_whitespace());
            values.set(Measure::EmString, f64::from(predicted == gold));
            values.set(Measure::Bleu, BleuCounts::of(&predicted, &gold).score(Smoothing::None));
            values.set(Measure::RougeL, rouge_l(&predicted, &gold));
        }
        match (form.language, gold_text, &gold_graph) {
            (Language::Sparql, Some(gold), _) => {
                let (predicted, gold) = (scan(form.text), scan(gold));
                values.set(Measure::F1Sem, Overlap::of(&predicted.iris, &gold.iris).f1());
                values.set(Measure::F1Tri, Overlap::of(&predicted.patterns, &gold.patterns).f1());
            }
            (_, _, Some(gold)) => {
                let gold = scanned(gold);
                let predicted = graph.as_ref().map(scanned).unwrap_or_default();
                values.set(Measure::F1Sem, Overlap::of(&predicted.iris, &gold.iris).f1());
                values.set(Measure::F1Tri, Overlap::of(&predicted.patterns, &gold.patterns).f1());
            }
            _ => {}
        }
        if let (Some(ontology), Language::Sexpr, Some(gold)) =
            (self.ontology, form.language, &question.forms.sexpr)
        {
            let same = OfficialMatcher::new(ontology).explain(gold, form.text).equal;
            values.set(Measure::EmOfficial, f64::from(same));
        }
    }

    fn official(
        &self,
        question: &Question,
        prediction: Option<&Prediction>,
        given: &[Known],
        gold: &[Known],
        values: &Values,
    ) -> Vec<f64> {
        let Some(compat) = self.compat else { return Vec::new() };
        let list = |(precision, recall, f1): (f64, f64, f64)| vec![precision, recall, f1];
        if prediction.is_none() {
            return vec![0.0; compat.scores().len()];
        }
        match compat {
            Compat::GrailQa => {
                let exact =
                    values.get(Measure::EmOfficial).unwrap_or(0.0) == 1.0 && question.forms.sexpr.is_some();
                vec![f64::from(exact), compat::grailqa_f1(exact, given, gold)]
            }
            Compat::WebQsp => {
                let mut scores = list(compat::webqsp(given, gold));
                scores.push(f64::from(scores[2] == 1.0));
                scores
            }
            Compat::KqaPro => {
                let same = matches!((given.first(), gold.first()), (Some(a), Some(b)) if compat::kqapro_same(&a.text, &b.text));
                vec![f64::from(same)]
            }
            Compat::Qald => list(compat::by_text(given, gold, 1.0)),
            Compat::Gerbil => list(compat::by_text(given, gold, 0.0)),
        }
    }
}

/// The gold form in the language of the prediction; of SPARQL, for the graph that the prediction speaks of.
fn gold_text<'q>(question: &'q Question, form: &Predicted<'_>) -> Option<&'q str> {
    let forms = &question.forms;
    match form.language {
        Language::Sexpr => forms.sexpr.as_deref(),
        Language::Kopl => forms.program.as_deref(),
        Language::Sparql if form.text.contains("<pred:") => forms.sparql_kqapro.as_deref(),
        Language::Sparql => forms.sparql.as_deref(),
    }
}

/// The tokens of a logical form, with blanks between them.
pub fn tokens(text: &str, language: Language) -> Cow<'_, str> {
    if language == Language::Sparql {
        return Cow::Owned(encode_neural(text));
    }
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    for c in text.chars() {
        match c {
            '(' | ')' | ',' | '>' => out.extend([' ', c, ' ']),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// What a query graph says, as patterns and names.
fn scanned(graph: &QueryGraph) -> Scanned<'_> {
    let mut found = Scanned::default();
    let name = |at: usize| -> Cow<'_, str> {
        match graph.vertices.get(at) {
            Some(vertex) if vertex.grounded => Cow::Borrowed(&vertex.label),
            _ => Cow::Borrowed("?"),
        }
    };
    for edge in &graph.edges {
        found.patterns.push([name(edge.from), Cow::Borrowed(&edge.label), name(edge.to)]);
        found.iris.push(Cow::Borrowed(&edge.label));
    }
    for (at, vertex) in graph.vertices.iter().enumerate().filter(|(_, vertex)| !vertex.label.is_empty()) {
        found.iris.push(Cow::Borrowed(&vertex.label));
        if !vertex.grounded {
            found.patterns.push([name(at), Cow::Borrowed("a"), Cow::Borrowed(&vertex.label)]);
        }
    }
    found.patterns.sort_unstable();
    found.patterns.dedup();
    found.iris.sort_unstable();
    found.iris.dedup();
    found
}

fn answer_measures(
    question: &Question,
    prediction: Option<&Prediction>,
    given: &[Known],
    gold: &[Known],
    meeting: Option<Meeting>,
    values: &mut Values,
) {
    let overlap = |measure: fn(Overlap) -> f64| meeting.map_or(0.0, |meeting| measure(meeting.overlap));
    values.set(Measure::EmAnswer, overlap(|overlap| f64::from(overlap.is_exact())));
    values.set(Measure::Precision, overlap(Overlap::precision));
    values.set(Measure::Recall, overlap(Overlap::recall));
    values.set(Measure::F1, overlap(Overlap::f1));
    values.set(Measure::Accuracy, overlap(Overlap::accuracy));
    let both_empty =
        meeting.is_some_and(|meeting| meeting.overlap.predicted == 0 && meeting.overlap.gold == 0);
    let first = meeting.and_then(|meeting| meeting.first_right);
    values.set(Measure::Hits1, f64::from(both_empty || first == Some(1)));
    values.set(Measure::Mrr, if both_empty { 1.0 } else { first.map_or(0.0, |place| 1.0 / place as f64) });
    let same =
        matches!((given.first(), gold.first()), (Some(a), Some(b)) if compat::kqapro_same(&a.text, &b.text));
    values.set(Measure::KqaPro, f64::from(same || both_empty));
    if !question.choices.is_empty() {
        let chosen = prediction.and_then(|prediction| prediction.choice.clone());
        let chosen = chosen.or_else(|| given.first().map(|answer| answer.text.clone()));
        let right = gold.first().map(|answer| answer.text.as_str());
        let is_choice = chosen.as_ref().is_some_and(|chosen| question.choices.contains(chosen));
        values.set(Measure::Choice, f64::from(is_choice && chosen.as_deref() == right));
    }
}
