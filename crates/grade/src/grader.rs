//! Grades one prediction: its outcome and all measures.

use crate::answers::{Known, Meeting, meet};
use crate::comparison::{Gold, Predicted, Read};
use crate::compat::{self, Compat};
use crate::measure::{Measure, Product, Values};
use crate::neighbour::agree;
use crate::outcome::Outcome;
use crate::overlap::{BleuCounts, Smoothing};
use crate::prediction::Prediction;
use crate::sets::Overlap;
use hashbrown::HashMap;
use std::borrow::Cow;
use touchstone_engine::budget::Cancel;
use touchstone_engine::{Answers, Outcome as Ran, Session, Settings};
use touchstone_forge::Question;
use touchstone_kb::Change;
use touchstone_logic::dataset::Knowledge;
use touchstone_logic::{Inverses, Language, Ontology, QueryGraph};

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
    /// Stops logical forms that are being run.
    pub cancel: Cancel,
    /// Whether the system gives logical forms: then a question without one scores 0 in measures of forms.
    pub gives_forms: bool,
    /// Whether the KB is the one that the gold answers come from: then gold forms need not be run again.
    pub gold_is_true: bool,
    /// How BLEU treats orders without a match.
    pub smoothing: Smoothing,
    /// Changes of the KB by question: predictions with the right answers are run on the KB with each of them.
    pub neighbours: HashMap<String, Vec<Change>>,
}

/// The grade of one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Grade<'g> {
    /// What came of it.
    pub outcome: Outcome,
    /// Why there is no answer.
    pub cause: Option<String>,
    /// All measures.
    pub values: Values,
    /// What BLEU over all questions needs to know of this one, if a form was compared.
    pub bleu: Option<BleuCounts>,
    /// The compound measures.
    pub products: Vec<Option<f64>>,
    /// The scores of the official evaluator.
    pub official: Vec<f64>,
    /// The shape of the predicted query; `None` without a form, `INVALID` for one that cannot be read, `OUTSIDE` for SPARQL that says what
    /// query graphs cannot.
    pub predicted_shape: Option<String>,
    /// The graph of the predicted query.
    pub predicted_graph: Option<QueryGraph>,
    /// Whether the predicted query gives what gold gives on all neighbours of the KB; `None` if it was not checked.
    pub robust: Option<bool>,
    /// The answers that were graded.
    pub answers: Cow<'g, [Known<'g>]>,
}

/// So many answers are kept with a grade: wrong queries may have millions.
const MAX_KEPT: usize = 1000;

impl<'k> Grader<'k> {
    /// With the published products, and without a KB to run forms on.
    pub fn new(knowledge: Knowledge<'k>, inverses: &'k (dyn Inverses + Sync)) -> Grader<'k> {
        Grader {
            session: None,
            knowledge,
            inverses,
            ontology: None,
            products: Product::published().to_vec(),
            compat: None,
            settings: Settings::default(),
            cancel: Cancel::default(),
            gives_forms: true,
            gold_is_true: false,
            smoothing: Smoothing::None,
            neighbours: HashMap::new(),
        }
    }

    /// Grades a prediction, or its absence.
    pub fn grade<'g>(&self, question: &'g Question, prediction: Option<&'g Prediction>) -> Grade<'g> {
        // An error is never an answer, whatever stands beside it.
        let said = prediction.filter(|prediction| prediction.error.is_none());
        let gold = Gold::new(question);
        let gold_answers: Vec<Known<'_>> = question.answers.iter().map(Known::of_json).collect();
        let form = said.and_then(|said| self.read(&gold, said));
        let is_gold = form.as_ref().is_some_and(|form| matches!(form.read, Read::Gold));
        let known = (is_gold && self.gold_is_true && self.session.is_some()).then_some(&gold_answers[..]);
        let (outcome, cause, answers, executes) = self.outcome(prediction, form.as_ref(), known);
        let mut values = Values::default();
        let bleu = self.query_measures(&gold, form.as_ref(), &mut values);
        if let Some(canonical) = values.get(Measure::EmCanonical) {
            let alternatives = said.map_or(&[][..], |said| &said.alternatives);
            values.set(Measure::MrrForm, self.mrr_form(&gold, alternatives, canonical));
        }
        if self.gives_forms {
            values.set(
                Measure::Exec,
                executes.map(f64::from).or_else(|| self.session.is_some().then_some(0.0)),
            );
        }
        let is_measured = outcome != Outcome::Answered || answers.is_some();
        let given = answers.unwrap_or_default();
        if is_measured {
            let meeting = (outcome == Outcome::Answered).then(|| meet(&given, &gold_answers));
            answer_measures(question, said, &given, &gold_answers, meeting, &mut values);
        }
        if let Some(said) = said
            && !said.log_probs.is_empty()
        {
            let mean = said.log_probs.iter().sum::<f64>() / said.log_probs.len() as f64;
            values.set(Measure::Perplexity, (-mean).exp());
        }
        let official = self.official(question, prediction, &given, &gold_answers, &values);
        let kept = match given {
            Cow::Borrowed(given) => Cow::Borrowed(&given[..given.len().min(MAX_KEPT)]),
            Cow::Owned(mut given) => {
                given.truncate(MAX_KEPT);
                Cow::Owned(given)
            }
        };
        let predicted_shape = form.as_ref().map(|form| match &form.read {
            Read::Gold => question.shape.clone(),
            Read::Query(_, graph) => graph.shape().code,
            Read::Outside => "OUTSIDE".to_owned(),
            Read::Unreadable => "INVALID".to_owned(),
        });
        let robust = match &form {
            Some(form) if values.get(Measure::EmAnswer) == Some(1.0) => self.robust(&gold, form),
            _ => None,
        };
        let predicted_graph = form.and_then(|form| match form.read {
            Read::Query(_, graph) => Some(graph),
            _ => None,
        });
        Grade {
            outcome,
            cause,
            products: self.products.iter().map(|product| product.value(&values)).collect(),
            official,
            values,
            bleu,
            predicted_shape,
            predicted_graph,
            robust,
            answers: kept,
        }
    }

    fn robust(&self, gold: &Gold<'_>, form: &Predicted<'_>) -> Option<bool> {
        let neighbours = self.neighbours.get(&gold.question.id)?;
        let kb = self.session.as_ref()?.kb();
        match &form.read {
            Read::Gold => Some(true),
            Read::Query(query, _) => {
                let gold = match self.gold_query(gold, form) {
                    Some((query, _)) => Cow::Borrowed(query),
                    None => Cow::Owned(self.any_gold_query(gold)?),
                };
                // SPARQL without units may be right as SPARQL and give nothing as it is read here: that is no luck.
                let is_as_read = form.language != Language::Sparql
                    || agree(kb, &[Change::default()], &gold, query) == Some(true);
                if is_as_read { agree(kb, neighbours, &gold, query) } else { None }
            }
            _ => None,
        }
    }

    /// The outcome, why there is no answer, the answers if they are known, and whether the form runs if that is known.
    #[allow(clippy::type_complexity)]
    fn outcome<'g>(
        &self,
        prediction: Option<&'g Prediction>,
        form: Option<&Predicted<'_>>,
        known: Option<&[Known<'g>]>,
    ) -> (Outcome, Option<String>, Option<Cow<'g, [Known<'g>]>>, Option<bool>) {
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
            (Some(given), _) => (Outcome::Answered, None, Some(Cow::Borrowed(given)), executes),
            (None, Some(Ok(answers))) => (Outcome::Answered, None, Some(Cow::Owned(answers)), executes),
            (None, Some(Err((outcome, cause)))) => (outcome, Some(cause), None, executes),
            (None, None) => match form {
                None => (Outcome::Abstained, None, None, None),
                Some(form) if matches!(form.read, Read::Unreadable) => {
                    (Outcome::Unparsable, Some(self.why_unreadable(form)), None, None)
                }
                // Without a KB nobody knows the answers.
                Some(_) => (Outcome::Answered, None, None, None),
            },
        }
    }

    /// Runs a form; `None` without a KB.
    fn run(&self, form: &Predicted<'_>) -> Option<Result<Vec<Known<'static>>, (Outcome, String)>> {
        let session = self.session.as_ref()?;
        let reply = session.run(form.language, form.text, &self.settings, &self.cancel);
        Some(match reply.outcome {
            Ran::Answered(Answers::List { answers, .. }) => {
                Ok(answers.into_iter().map(Known::of_engine).collect())
            }
            // A row is one answer.
            Ran::Answered(Answers::Table { rows, .. }) => {
                let cell = |cell: &Option<_>| cell.as_ref().map_or(String::new(), ToString::to_string);
                let row = |row: &Vec<_>| row.iter().map(cell).collect::<Vec<_>>().join(" | ");
                Ok(rows.iter().map(|r| Known::plain(row(r))).collect())
            }
            Ran::Answered(Answers::Graph(_)) => {
                Err((Outcome::FailedToExecute, "a graph is no answer".to_owned()))
            }
            Ran::Unparsable(cause) => Err((Outcome::Unparsable, cause)),
            Ran::Failed(cause) => Err((Outcome::FailedToExecute, cause)),
            Ran::OverBudget(stopped) => Err((Outcome::OverBudget, stopped.to_string())),
        })
    }

    fn official(
        &self,
        question: &Question,
        prediction: Option<&Prediction>,
        given: &[Known<'_>],
        gold: &[Known<'_>],
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
                // The best of the question's readings counts.
                let others = question.other_answers.iter().map(|other| {
                    let other: Vec<Known<'_>> = other.iter().map(Known::of_json).collect();
                    compat::webqsp(given, &other)
                });
                let better = |best: (f64, f64, f64), other: (f64, f64, f64)| {
                    if other.2 > best.2 { other } else { best }
                };
                let mut scores = list(others.fold(compat::webqsp(given, gold), better));
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

fn answer_measures(
    question: &Question,
    prediction: Option<&Prediction>,
    given: &[Known<'_>],
    gold: &[Known<'_>],
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
        let chosen = prediction.and_then(|prediction| prediction.choice.as_deref());
        let chosen = chosen.or_else(|| given.first().map(|answer| &*answer.text));
        let right = gold.first().map(|answer| &*answer.text);
        let is_choice = chosen.is_some_and(|chosen| question.choices.iter().any(|choice| choice == chosen));
        values.set(Measure::Choice, f64::from(is_choice && chosen == right));
    }
}
