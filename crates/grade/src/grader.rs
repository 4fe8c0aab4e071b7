//! Grades one prediction: its outcome and all measures.

use crate::answers::{AnswerMatch, match_answers};
use crate::cast::float;
use crate::comparison::{Compared, GoldForm, GoldForms, Predicted, Read};
use crate::gold_order::GoldOrder;
use crate::measure::{Measure, Product, Values};
use crate::neighbour::agree;
use crate::overlap::{BleuCounts, Smoothing};
use crate::scan::scan;
use crate::sets::Overlap;
use hashbrown::HashMap;
use std::borrow::Cow;
use touchstone_benchmark::{Answer, Gives, OpenBenchmark, Prediction, PredictionOutcome, Question};
use touchstone_datasets::{ComparedAnswer, DataSet, OfficialInput, kqapro};
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::{Answers, Outcome as Ran, QueryContext, Reply, Session, Settings};
use touchstone_kb::Change;
use touchstone_logic::{Knowledge, Language, Ontology, QueryGraph, ReadForm, SparqlForm};

/// Grades predictions.
///
/// ```
/// use touchstone_benchmark::{Answer, Prediction, Split};
/// use touchstone_datasets::{DataSet, Importer, Records};
/// use touchstone_grade::{Grader, Measure};
/// use touchstone_logic::Knowledge;
///
/// let file = r#"[{"id": "q1", "question": "Who directed M?", "answers": ["Fritz Lang"],
///     "query": "Find(M) > Relate(director, forward) > What()"}]"#;
/// let record = Records::new(file.as_bytes()).next().ok_or("empty")??;
/// let importer = Importer { data_set: DataSet::Lines, knowledge: Knowledge::of_spelling(), kb: None };
/// let question = importer.question(&record, Split::Test, "mine").map_err(|unread| unread.reason)?.question;
///
/// let answers = Some(vec![Answer::plain("Fritz Lang"), Answer::plain("Thea von Harbou")]);
/// let prediction = Prediction { id: "q1".to_owned(), answers, ..Prediction::default() };
/// let grader = Grader::new(Knowledge::of_spelling());
/// let grade = grader.grade(&question, Some(&prediction));
/// assert_eq!(grade.values.get(Measure::Precision), Some(0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Grader<'k> {
    /// Runs logical forms; `None` without a KB.
    pub session: Option<Session<'k>>,
    /// Parses logical forms.
    pub knowledge: Knowledge<'k>,
    /// The ontology for GrailQA's exact match.
    pub ontology: Option<&'k Ontology>,
    /// Compound measures.
    pub products: Vec<Product>,
    /// The data set whose official evaluator to reproduce.
    pub compat: Option<DataSet>,
    /// Settings for running logical forms.
    pub settings: Settings,
    /// Stops running logical forms.
    pub cancel: Cancel,
    /// What the system gives: a question without it scores 0 in its measures, and what the system does not give is not measured.
    pub gives: Gives,
    /// Whether a form whose text equals the gold form is accepted without comparison. It scores 1 either way; this
    /// saves time.
    pub trusts_gold_text: bool,
    /// Whether the KB is the one that the gold answers come from: then gold forms need not be run.
    pub gold_is_true: bool,
    /// How BLEU treats orders without a match.
    pub smoothing: Smoothing,
    /// Changes to the KB by question: predictions with the right answers are run on each changed KB.
    pub neighbours: HashMap<String, Vec<Change>>,
}

/// The grade of one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Grade<'g> {
    /// The outcome.
    pub outcome: PredictionOutcome,
    /// Why there is no answer.
    pub cause: Option<String>,
    /// All measures.
    pub values: Values,
    /// Counts for corpus BLEU, if a form was compared.
    pub bleu: Option<BleuCounts>,
    /// Whether there is a form, but no gold form to compare it with: it scores 0 in all measures of forms.
    pub is_incomparable: bool,
    /// Where the gold answers come from.
    pub gold_answers: GoldAnswers,
    /// The compound measures.
    pub products: Vec<Option<f64>>,
    /// The scores of the official evaluator; `None` if not measured.
    pub official: Vec<Option<f64>>,
    /// The shape of the predicted query; `None` without a form, `INVALID` for one that cannot be parsed.
    pub predicted_shape: Option<String>,
    /// The graph of the predicted query.
    pub predicted_graph: Option<QueryGraph>,
    /// Whether the predicted query gives gold's answers on all neighbours of the KB; `None` if it was not checked.
    pub robust: Option<bool>,
    /// The answers that were graded.
    pub answers: Vec<ComparedAnswer<'g>>,
}

/// Where the gold answers of a question come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoldAnswers {
    /// The benchmark, which may have an empty set.
    Given,
    /// The benchmark has none; they are the results of the gold query on the KB.
    FromKb,
    /// They are unknown: answer measures are not computed.
    Unknown,
}

/// The results of a form, or why there are none.
type Returned<'a> = Result<Vec<ComparedAnswer<'a>>, (PredictionOutcome, String)>;

/// Default maximum number of operations of a logical form.
pub(crate) const MAX_OPERATIONS: u64 = 2_000_000;

/// The answers of a reply, without the columns that only name or describe what is found.
fn returned(reply: Reply, decoration: &[String]) -> Returned<'static> {
    match reply.outcome {
        Ran::Answered(Answers::List { answers, .. }) => {
            Ok(answers.into_iter().map(ComparedAnswer::of_owned).collect())
        }
        Ran::Answered(Answers::Table { variables, rows, .. }) => {
            let is_asked = |&at: &usize| !decoration.contains(&variables[at]);
            let asked: Vec<usize> = (0..variables.len()).filter(is_asked).collect();
            if let [only] = asked[..] {
                let answers = rows.into_iter().filter_map(|mut row| row.swap_remove(only));
                return Ok(answers.map(ComparedAnswer::of_owned).collect());
            }
            let names: Vec<String> = asked.iter().map(|&at| variables[at].clone()).collect();
            let row = |row: Vec<Option<Answer>>| {
                let cells: Vec<Option<Answer>> = asked.iter().map(|&at| row[at].clone()).collect();
                ComparedAnswer::of_row(&names, &cells)
            };
            Ok(rows.into_iter().map(row).collect())
        }
        Ran::Answered(Answers::Rdf(_)) => {
            Err((PredictionOutcome::FailedToExecute, "a graph is not an answer".to_owned()))
        }
        Ran::Unparsable(cause) => Err((PredictionOutcome::Unparsable, cause)),
        Ran::Failed(cause) => Err((PredictionOutcome::FailedToExecute, cause)),
        Ran::OverBudget(stopped) => Err((PredictionOutcome::OverBudget, stopped.to_string())),
    }
}

/// The measures of what a form returns; `gold` if that is known.
fn run_measures(
    returned: Option<&Returned<'_>>,
    gold: Option<&[ComparedAnswer<'_>]>,
    order: Option<&GoldOrder<'_>>,
    values: &mut Values,
) {
    let answers = returned.and_then(|returned| returned.as_ref().ok());
    values.set(Measure::Exec, f64::from(answers.is_some()));
    if let Some(gold) = gold {
        let f1 = answers.map_or(0.0, |answers| match_gold(answers, gold, order).overlap.f1());
        values.set(Measure::F1Exec, f1);
    }
}

/// Maximum number of answers to keep in a grade: wrong queries may have millions.
const MAX_KEPT: usize = 1000;

impl<'k> Grader<'k> {
    /// A grader with the published products, and without a KB.
    pub fn new(knowledge: Knowledge<'k>) -> Grader<'k> {
        Grader {
            session: None,
            knowledge: knowledge.without_suggestions(),
            ontology: None,
            products: Product::published().to_vec(),
            compat: None,
            settings: Settings::default(),
            cancel: Cancel::default(),
            gives: Gives::Both,
            trusts_gold_text: true,
            gold_is_true: false,
            smoothing: Smoothing::None,
            neighbours: HashMap::new(),
        }
    }

    /// A grader for the questions of a benchmark: runs logical forms on its KB, if that is open.
    pub fn for_benchmark(open: &'k OpenBenchmark, context: &'k QueryContext<'_>) -> Grader<'k> {
        Grader {
            session: open.kb.as_ref().map(|kb| Session::new(kb).without_suggestions()),
            ontology: open.ontology.as_ref(),
            settings: Settings {
                limits: Limits { operations: MAX_OPERATIONS, ..Limits::default() },
                ..Settings::default()
            },
            // Only forms that were run on this KB, and not changed since, need not be run again.
            gold_is_true: open.benchmark.is_proven() && open.has_own_kb(),
            gives: open.gives.unwrap_or(Gives::Both),
            ..Grader::new(context.knowledge())
        }
    }

    /// Grades a prediction, or its absence.
    pub fn grade<'g>(&self, question: &'g Question, prediction: Option<&'g Prediction>) -> Grade<'g> {
        // A prediction with an error has no answer, whatever else it contains.
        let usable = prediction.filter(|prediction| prediction.error.is_none());
        let gold = GoldForms::new(question);
        let (gold_answers, gold_from) = self.gold_answers(&gold);
        let form = usable.and_then(|usable| self.read(&gold, usable));
        let is_gold = form.as_ref().is_some_and(|form| matches!(form.read, Read::Gold));
        let returned: Option<Returned<'g>> = match &form {
            Some(_)
                if is_gold
                    && self.gold_is_true
                    && self.session.is_some()
                    && gold_from != GoldAnswers::Unknown =>
            {
                Some(Ok(gold_answers.clone()))
            }
            Some(form) => self.run(form),
            None => None,
        };
        let order = self.gold_order(&gold);
        let mut values = Values::default();
        let Compared { bleu, is_incomparable } = self.query_measures(&gold, form.as_ref(), &mut values);
        if let Some(canonical) = values.get(Measure::EmCanonical) {
            let alternatives = usable.map_or(&[][..], |usable| &usable.alternatives);
            values.set(Measure::MrrForm, self.mrr_form(&gold, alternatives, canonical));
        }
        let knows_gold = gold_from != GoldAnswers::Unknown;
        if self.gives.forms() && self.session.is_some() {
            let right = knows_gold.then_some(&gold_answers[..]);
            run_measures(returned.as_ref(), right, order.as_ref(), &mut values);
        }
        let (outcome, cause, answers) = self.outcome(prediction, form.as_ref(), returned);
        let is_measured = outcome != PredictionOutcome::Answered || answers.is_some();
        let mut given = answers.unwrap_or_default();
        if is_measured && knows_gold {
            let matched = (outcome == PredictionOutcome::Answered)
                .then(|| match_gold(&given, &gold_answers, order.as_ref()));
            answer_measures(question, usable, &given, &gold_answers, matched, &mut values);
            if order.is_some_and(|order| !order.is_in_order(&given)) {
                values.set(Measure::EmAnswer, 0.0);
            }
        }
        if let Some(usable) = usable
            && !usable.log_probs.is_empty()
        {
            let mean = usable.log_probs.iter().sum::<f64>() / float(usable.log_probs.len());
            values.set(Measure::Perplexity, (-mean).exp());
        }
        let official = self.official(question, prediction, &given, &gold_answers, knows_gold, &values);
        given.truncate(MAX_KEPT);
        let is_same = values.get(Measure::EmCanonical) == Some(1.0);
        let predicted_shape = form.as_ref().map(|form| shape_code(form, question, is_same));
        let robust = match &form {
            Some(form) if values.get(Measure::EmAnswer) == Some(1.0) => self.robust(&gold, form),
            _ => None,
        };
        let predicted_graph = form.and_then(|form| match form.read {
            Read::Query(_, graph) | Read::Outside(graph) => Some(graph),
            _ => None,
        });
        Grade {
            outcome,
            cause,
            products: self.products.iter().map(|product| product.value(&values)).collect(),
            official,
            values,
            bleu,
            is_incomparable,
            gold_answers: gold_from,
            predicted_shape,
            predicted_graph,
            robust,
            answers: given,
        }
    }

    /// The gold answers: from the benchmark, otherwise the results of the gold query on the KB, if there is one.
    fn gold_answers<'g>(&self, gold: &GoldForms<'g>) -> (Vec<ComparedAnswer<'g>>, GoldAnswers) {
        if gold.question.has_gold_answers() {
            let mut answers: Vec<ComparedAnswer<'g>> =
                gold.question.answers.iter().map(ComparedAnswer::of).collect();
            if answers.iter().any(|answer| answer.cells.is_some()) {
                self.drop_decoration(gold, &mut answers);
            }
            return (answers, GoldAnswers::Given);
        }
        let forms = [GoldForm::Sparql, GoldForm::Sexpr, GoldForm::Program, GoldForm::SparqlKqaPro];
        let run = |which: GoldForm| {
            let session = self.session.as_ref()?;
            let form = gold.own_form(which, &self.knowledge)?;
            let decoration = form.sparql_form().map_or(&[][..], SparqlForm::decoration);
            returned(session.run_form(form, &self.settings, &self.cancel), decoration).ok()
        };
        match forms.into_iter().find_map(run) {
            Some(answers) => (answers, GoldAnswers::FromKb),
            None => (Vec::new(), GoldAnswers::Unknown),
        }
    }

    /// Drops the columns of rows that only name or describe what the gold query finds.
    fn drop_decoration(&self, gold: &GoldForms<'_>, answers: &mut [ComparedAnswer<'_>]) {
        let form = gold.own_form(GoldForm::Sparql, &self.knowledge).and_then(ReadForm::sparql_form);
        let Some(form) = form.filter(|form| !form.decoration().is_empty()) else { return };
        let asked: Vec<bool> = form.columns().iter().map(|name| !form.decoration().contains(name)).collect();
        for answer in answers {
            if answer.cells.as_ref().is_none_or(|cells| cells.len() != asked.len()) {
                continue;
            }
            let cells = answer.cells.take().unwrap_or_default();
            let mut cells: Vec<ComparedAnswer<'_>> =
                cells.into_iter().zip(&asked).filter(|(_, asked)| **asked).map(|(cell, _)| cell).collect();
            match cells.len() {
                1 => *answer = cells.remove(0),
                _ => answer.cells = Some(cells.into()),
            }
        }
    }

    /// The order or limit of the gold query, if it has one and there is a KB to run it on.
    fn gold_order(&self, gold: &GoldForms<'_>) -> Option<GoldOrder<'static>> {
        let session = self.session.as_ref()?;
        let text = gold.question.forms.sparql.as_deref()?;
        // Parsing takes longer than the rest, and a query without these words has neither.
        let has =
            |word: &[u8]| text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
        if !has(b"limit") && !has(b"order") {
            return None;
        }
        let form = gold.own_form(GoldForm::Sparql, &self.knowledge)?.sparql_form()?;
        GoldOrder::of(form, session, &self.settings, &self.cancel)
    }

    fn robust(&self, gold: &GoldForms<'_>, form: &Predicted<'_>) -> Option<bool> {
        let neighbours = self.neighbours.get(&gold.question.id)?;
        let kb = self.session.as_ref()?.kb();
        match &form.read {
            Read::Gold => Some(true),
            Read::Query(query, _) => {
                let gold = match self.gold_query(gold, form) {
                    Some((query, _)) => Cow::Borrowed(query),
                    None => Cow::Owned(self.any_gold_query(gold)?),
                };
                // SPARQL without units may be right as SPARQL and give nothing in the algebra: that is not luck.
                let is_as_read = form.language != Language::Sparql
                    || agree(kb, &[Change::default()], &gold, query) == Some(true);
                if is_as_read { agree(kb, neighbours, &gold, query) } else { None }
            }
            _ => None,
        }
    }

    /// The outcome, why there is no answer, and the answers if known: the claimed ones, otherwise the results of the form.
    #[allow(clippy::type_complexity)]
    fn outcome<'g>(
        &self,
        prediction: Option<&'g Prediction>,
        form: Option<&Predicted<'_>>,
        returned: Option<Returned<'g>>,
    ) -> (PredictionOutcome, Option<String>, Option<Vec<ComparedAnswer<'g>>>) {
        let Some(prediction) = prediction else { return (PredictionOutcome::Missing, None, None) };
        if let Some(error) = &prediction.error {
            return (PredictionOutcome::SystemError, Some(error.clone()), None);
        }
        match (&prediction.answers, returned) {
            (Some(given), _) => {
                (PredictionOutcome::Answered, None, Some(given.iter().map(ComparedAnswer::of).collect()))
            }
            (None, Some(Ok(answers))) => (PredictionOutcome::Answered, None, Some(answers)),
            (None, Some(Err((outcome, cause)))) => (outcome, Some(cause), None),
            (None, None) => match form {
                None => (PredictionOutcome::Abstained, None, None),
                Some(form) if matches!(form.read, Read::Unreadable) => {
                    (PredictionOutcome::Unparsable, Some(self.why_unreadable(form)), None)
                }
                // Without a KB the answers are unknown; a system that gives both answers and forms omitted them here.
                Some(_) if self.gives.answers() => (PredictionOutcome::Answered, None, Some(Vec::new())),
                Some(_) => (PredictionOutcome::Answered, None, None),
            },
        }
    }

    /// Runs a form; `None` without a KB.
    fn run(&self, form: &Predicted<'_>) -> Option<Returned<'static>> {
        let session = self.session.as_ref()?;
        let reply = match &form.form {
            Some(read) => session.run_form(read, &self.settings, &self.cancel),
            None => session.run(form.language, form.text, &self.settings, &self.cancel),
        };
        let sparql = form.form.as_ref().and_then(ReadForm::sparql_form);
        Some(returned(reply, sparql.map_or(&[][..], SparqlForm::decoration)))
    }

    fn official(
        &self,
        question: &Question,
        prediction: Option<&Prediction>,
        given: &[ComparedAnswer<'_>],
        gold: &[ComparedAnswer<'_>],
        knows_gold: bool,
        values: &Values,
    ) -> Vec<Option<f64>> {
        let Some(compat) = self.compat else { return Vec::new() };
        if compat == DataSet::Gek {
            return self.literal_gek(question, prediction, values);
        }
        let n_scores = compat.official_scores().len();
        if !knows_gold {
            return vec![None; n_scores];
        }
        if prediction.is_none() {
            return vec![Some(0.0); n_scores];
        }
        let is_exact_match =
            values.get(Measure::EmOfficial).unwrap_or(0.0) == 1.0 && question.forms.sexpr.is_some();
        let other_gold = &question.other_answers[..];
        let scores = compat.evaluate(&OfficialInput { predicted: given, gold, other_gold, is_exact_match });
        scores.into_iter().map(Some).collect()
    }

    /// F1Sem and F1Tri exactly as in the paper, on the tokens of the SPARQL text, and their products.
    fn literal_gek(
        &self,
        question: &Question,
        prediction: Option<&Prediction>,
        values: &Values,
    ) -> Vec<Option<f64>> {
        let n_scores = DataSet::Gek.official_scores().len();
        let Some(gold) = question.forms.sparql.as_deref().filter(|_| self.gives.forms()) else {
            return vec![None; n_scores];
        };
        let form = prediction.filter(|prediction| prediction.error.is_none());
        let form = form.and_then(|prediction| prediction.logical_form.as_deref()).unwrap_or_default();
        let (predicted, gold) = (scan(form), scan(gold));
        let f1_sem = Overlap::of(&predicted.iris, &gold.iris).f1();
        let f1_tri = Overlap::of(&predicted.patterns, &gold.patterns).f1();
        let mut literal = *values;
        literal.set(Measure::F1Sem, f1_sem);
        literal.set(Measure::F1Tri, f1_tri);
        let products = Product::published();
        let products = products.iter().map(|product| product.value(&literal));
        [Some(f1_sem), Some(f1_tri)].into_iter().chain(products).collect()
    }
}

/// Compares answers with gold, or with another choice that the limit of the gold query allows.
fn match_gold(
    predicted: &[ComparedAnswer<'_>],
    gold: &[ComparedAnswer<'_>],
    order: Option<&GoldOrder<'_>>,
) -> AnswerMatch {
    let matched = match_answers(predicted, gold);
    let other = || order?.nearest_choice(gold, predicted);
    match matched.overlap.is_exact() {
        true => matched,
        false => other().map_or(matched, |choice| match_answers(predicted, &choice)),
    }
}

/// The shape of a predicted query. The patterns of SPARQL outside the algebra may have another shape than the question that they ask, so a
/// query that is the same as gold has gold's shape.
fn shape_code(form: &Predicted<'_>, question: &Question, is_same: bool) -> String {
    match &form.read {
        _ if is_same => question.shape.clone(),
        Read::Gold => question.shape.clone(),
        Read::Query(_, graph) | Read::Outside(graph) => graph.shape().code,
        Read::Unreadable => "INVALID".to_owned(),
    }
}

fn answer_measures(
    question: &Question,
    prediction: Option<&Prediction>,
    given: &[ComparedAnswer<'_>],
    gold: &[ComparedAnswer<'_>],
    matched: Option<AnswerMatch>,
    values: &mut Values,
) {
    let overlap = |measure: fn(Overlap) -> f64| matched.map_or(0.0, |matched| measure(matched.overlap));
    values.set(Measure::EmAnswer, overlap(|overlap| f64::from(overlap.is_exact())));
    values.set(Measure::Precision, overlap(Overlap::precision));
    values.set(Measure::Recall, overlap(Overlap::recall));
    values.set(Measure::F1, overlap(Overlap::f1));
    values.set(Measure::Accuracy, overlap(Overlap::accuracy));
    let both_empty =
        matched.is_some_and(|matched| matched.overlap.predicted == 0 && matched.overlap.gold == 0);
    let first = matched.and_then(|matched| matched.first_right);
    values.set(Measure::Hits1, f64::from(both_empty || first == Some(1)));
    values.set(Measure::Mrr, if both_empty { 1.0 } else { first.map_or(0.0, |place| 1.0 / float(place)) });
    // KQA Pro has one gold answer; if there are several, their order has no meaning.
    let same =
        |first: &ComparedAnswer<'_>| gold.iter().any(|gold| kqapro::same_answer(&first.text, &gold.text));
    let same = matched.is_some() && given.first().is_some_and(same);
    values.set(Measure::KqaPro, f64::from(same || both_empty));
    if !question.choices.is_empty() {
        let chosen = prediction.and_then(|prediction| prediction.choice.as_deref());
        let chosen = chosen.or_else(|| given.first().map(|answer| &*answer.text));
        let right = gold.first().map(|answer| &*answer.text);
        let is_choice = chosen.is_some_and(|chosen| question.choices.iter().any(|choice| choice == chosen));
        values.set(Measure::Choice, f64::from(is_choice && chosen == right));
    }
}
