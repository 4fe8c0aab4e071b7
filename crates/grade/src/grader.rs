//! Grades one prediction: its outcome and all measures.

use crate::aligned::aligned;
use crate::answers::{Known, Meeting, meet};
use crate::compat::{self, Compat};
use crate::measure::{Family, Measure, Product, Values};
use crate::neighbour::agree;
use crate::outcome::Outcome;
use crate::overlap::{BleuCounts, Numbering, Smoothing, rouge_l};
use crate::prediction::Prediction;
use crate::scan::{Scanned, scan};
use crate::sets::Overlap;
use hashbrown::HashMap;
use smallvec::SmallVec;
use std::borrow::Cow;
use touchstone_engine::budget::Cancel;
use touchstone_engine::{Answers, Outcome as Ran, Session, Settings};
use touchstone_forge::{Question, with_ids};
use touchstone_kb::Change;
use touchstone_logic::dataset::{Knowledge, ReadError, Source};
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
    /// How BLEU treats orders without a match.
    pub smoothing: Smoothing,
    /// Changes of the KB by question: predictions with the right answers are run on the KB with each of them.
    pub neighbours: HashMap<String, Vec<Change>>,
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
    pub answers: Vec<Known>,
}

/// So many answers are kept with a grade: wrong queries may have millions.
const MAX_KEPT: usize = 1000;

/// So many alternatives are looked at.
const MAX_ALTERNATIVES: usize = 100;

/// A logical form that was predicted.
struct Predicted<'p> {
    text: &'p str,
    language: Language,
    read: Read,
}

/// What a logical form was read as.
enum Read {
    /// The gold form itself: there is nothing to compare.
    Gold,
    Query(Box<Query>, QueryGraph),
    /// Good SPARQL that says what the algebra cannot.
    Outside,
    Unreadable(String),
}

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
            gives_forms: true,
            gold_is_true: false,
            smoothing: Smoothing::None,
            neighbours: HashMap::new(),
        }
    }

    /// Grades a prediction, or its absence.
    pub fn grade(&self, question: &Question, prediction: Option<&Prediction>) -> Grade {
        // An error is never an answer, whatever stands beside it.
        let failed = prediction.filter(|prediction| prediction.error.is_some()).map(|prediction| {
            Prediction { id: prediction.id.clone(), error: prediction.error.clone(), ..Prediction::default() }
        });
        let prediction = failed.as_ref().or(prediction);
        let gold: Vec<Known> = question.answers.iter().map(Known::of_json).collect();
        let form = prediction.and_then(|prediction| self.read(question, prediction));
        let is_gold = form.as_ref().is_some_and(|form| matches!(form.read, Read::Gold));
        let known = (is_gold && self.gold_is_true && self.session.is_some()).then_some(&gold[..]);
        let (outcome, cause, answers, executes) = self.outcome(prediction, form.as_ref(), known);
        let mut values = Values::default();
        let bleu = self.query_measures(question, form.as_ref(), &mut values);
        if let Some(canonical) = values.get(Measure::EmCanonical) {
            values.set(Measure::MrrForm, self.mrr_form(question, prediction, canonical));
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
            let meeting = (outcome == Outcome::Answered).then(|| meet(&given, &gold));
            answer_measures(question, prediction, &given, &gold, meeting, &mut values);
        }
        if let Some(prediction) = prediction
            && !prediction.log_probs.is_empty()
        {
            let mean = prediction.log_probs.iter().sum::<f64>() / prediction.log_probs.len() as f64;
            values.set(Measure::Perplexity, (-mean).exp());
        }
        let official = self.official(question, prediction, &given, &gold, &values);
        let mut kept = given;
        kept.truncate(MAX_KEPT);
        let predicted_shape = form.as_ref().map(|form| match &form.read {
            Read::Gold => question.shape.clone(),
            Read::Query(_, graph) => graph.shape().code,
            Read::Outside => "OUTSIDE".to_owned(),
            Read::Unreadable(_) => "INVALID".to_owned(),
        });
        let robust = match &form {
            Some(form) if values.get(Measure::EmAnswer) == Some(1.0) => self.robust(question, form),
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

    /// 1 / the place of the first form that is canonically gold's.
    fn mrr_form(&self, question: &Question, prediction: Option<&Prediction>, canonical: f64) -> f64 {
        if canonical == 1.0 {
            return 1.0;
        }
        let alternatives = prediction.map_or(&[][..], |prediction| &prediction.alternatives);
        let is_gold = |(text, language): &(String, Option<Language>)| {
            let mut values = Values::default();
            let form = self.read_form(question, text, *language);
            self.query_measures(question, Some(&form), &mut values);
            values.get(Measure::EmCanonical) == Some(1.0)
        };
        let place = alternatives.iter().take(MAX_ALTERNATIVES).position(is_gold);
        // The form itself is the first.
        place.map_or(0.0, |place| 1.0 / (place + 2) as f64)
    }

    fn read<'p>(&self, question: &Question, prediction: &'p Prediction) -> Option<Predicted<'p>> {
        let text = prediction.logical_form.as_deref().filter(|text| !text.trim().is_empty())?;
        Some(self.read_form(question, text, prediction.language))
    }

    fn read_form<'p>(&self, question: &Question, text: &'p str, language: Option<Language>) -> Predicted<'p> {
        let language = language.unwrap_or_else(|| Language::guess(text));
        let read = if gold_text(question, text, language) == Some(text) {
            Read::Gold
        } else {
            match Source::Text(language, text.to_owned()).read(&self.knowledge) {
                Ok(reading) => {
                    let query = self.with_ids(reading.query);
                    let graph = QueryGraph::of(&query);
                    Read::Query(Box::new(query), graph)
                }
                Err(ReadError::NotRecognised(_)) => Read::Outside,
                Err(error) => Read::Unreadable(error.to_string()),
            }
        };
        Predicted { text, language, read }
    }

    fn robust(&self, question: &Question, form: &Predicted<'_>) -> Option<bool> {
        let neighbours = self.neighbours.get(&question.id)?;
        let kb = self.session.as_ref()?.kb();
        match &form.read {
            Read::Gold => Some(true),
            Read::Query(query, _) => {
                let gold = self.gold_query(question, form).or_else(|| question.query(&self.knowledge))?;
                let gold = self.with_ids(gold);
                // SPARQL without units may be right as SPARQL and give nothing as it is read here: that is no luck.
                let is_as_read = form.language != Language::Sparql
                    || agree(kb, &[Change::default()], &gold, query) == Some(true);
                if is_as_read { agree(kb, neighbours, &gold, query) } else { None }
            }
            _ => None,
        }
    }

    fn with_ids(&self, query: Query) -> Query {
        match &self.session {
            Some(session) => with_ids(query, session.kb()),
            None => query,
        }
    }

    /// The gold query, read from the language of the prediction if possible: SPARQL lists values and leaves out units.
    fn gold_query(&self, question: &Question, form: &Predicted<'_>) -> Option<Query> {
        let same_language = gold_text(question, form.text, form.language).and_then(|text| {
            let source = Source::Text(form.language, text.to_owned());
            Some(source.read(&self.knowledge).ok()?.query)
        });
        let query = match form.language {
            Language::Sparql => same_language?,
            _ => same_language.or_else(|| question.query(&self.knowledge))?,
        };
        Some(self.with_ids(query))
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
            (None, None) => match form.map(|form| &form.read) {
                None => (Outcome::Abstained, None, None, None),
                Some(Read::Unreadable(cause)) => (Outcome::Unparsable, Some(cause.clone()), None, None),
                // Without a KB nobody knows the answers.
                Some(_) => (Outcome::Answered, None, None, None),
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

    fn query_measures(
        &self,
        question: &Question,
        form: Option<&Predicted<'_>>,
        values: &mut Values,
    ) -> Option<BleuCounts> {
        let Some(form) = form else {
            if self.gives_forms {
                for &measure in Measure::ALL.iter().filter(|measure| measure.family() == Family::Query) {
                    // What needs an ontology is not measured for some questions only.
                    if measure != Measure::EmOfficial || self.ontology.is_some() {
                        values.set(measure, 0.0);
                    }
                }
            }
            return None;
        };
        let bleu = if let Read::Gold = form.read {
            for &measure in Measure::ALL.iter().filter(|measure| measure.family() == Family::Query) {
                if measure != Measure::EmOfficial {
                    values.set(measure, 1.0);
                }
            }
            Some(BleuCounts::identical(tokens(form.text, form.language, &mut String::new()).len()))
        } else {
            self.compare_forms(question, form, values)
        };
        if let (Some(ontology), Language::Sexpr, Some(gold)) =
            (self.ontology, form.language, &question.forms.sexpr)
        {
            let same = OfficialMatcher::new(ontology).explain(gold, form.text).equal;
            values.set(Measure::EmOfficial, f64::from(same));
        }
        bleu
    }

    /// Measures of a form that is not the gold one.
    fn compare_forms(
        &self,
        question: &Question,
        form: &Predicted<'_>,
        values: &mut Values,
    ) -> Option<BleuCounts> {
        let gold_query = self.gold_query(question, form);
        let gold_graph = gold_query.as_ref().map(QueryGraph::of);
        let is_outside = matches!(form.read, Read::Outside);
        if let (Some(gold), Some(gold_graph), false) = (&gold_query, &gold_graph, is_outside) {
            let (mut same, mut f1, mut f1_inverse) = (false, 0.0, 0.0);
            if let Read::Query(query, graph) = &form.read {
                same = **query == *gold || self.are_equivalent((query, graph), (gold, gold_graph));
                f1 = aligned(graph, gold_graph, None).f1();
                let edges = graph.edges.iter().chain(&gold_graph.edges);
                let has_inverse = || edges.clone().any(|edge| self.inverses.inverse(&edge.label).is_some());
                let vertices = graph.vertices.iter().chain(&gold_graph.vertices);
                let has_other_id = || {
                    vertices
                        .clone()
                        .any(|vertex| vertex.grounded && self.inverses.same(&vertex.label).is_some())
                };
                f1_inverse = match f1 < 1.0 && (has_inverse() || has_other_id()) {
                    true => aligned(graph, gold_graph, Some(self.inverses)).f1(),
                    false => f1,
                };
            }
            values.set(Measure::EmCanonical, f64::from(same));
            values.set(Measure::F1Aligned, f1);
            values.set(Measure::F1Inverse, f1_inverse);
        }
        let gold_text = gold_text(question, form.text, form.language);
        let mut bleu = None;
        if let Some(gold) = gold_text {
            let (mut left, mut right) = (String::new(), String::new());
            let predicted = tokens(form.text, form.language, &mut left);
            let gold = tokens(gold, form.language, &mut right);
            let mut numbering = Numbering::default();
            let predicted = numbering.numbers(predicted.into_iter());
            let gold = numbering.numbers(gold.into_iter());
            values.set(Measure::EmString, f64::from(predicted == gold));
            let counts = BleuCounts::of(&predicted, &gold);
            values.set(Measure::Bleu, counts.score(self.smoothing));
            bleu = Some(counts);
            values.set(Measure::RougeL, rouge_l(&predicted, &gold));
        }
        let compared = match (form.language, gold_text, &gold_graph, &form.read) {
            (Language::Sparql, Some(gold), ..) => (scan(form.text), scan(gold)),
            (_, _, Some(gold), Read::Query(_, graph)) => (scanned(graph), scanned(gold)),
            (_, _, Some(gold), _) => (Scanned::default(), scanned(gold)),
            _ => return bleu,
        };
        let (predicted, gold) = compared;
        let by_patterns = Overlap::of(&predicted.patterns, &gold.patterns).f1();
        values.set(Measure::F1Sem, Overlap::of(&predicted.iris, &gold.iris).f1());
        values.set(Measure::F1Tri, by_patterns);
        // What the algebra cannot say has no graph to align.
        if values.get(Measure::EmCanonical).is_none() {
            values.set(Measure::EmCanonical, 0.0);
            values.set(Measure::F1Aligned, by_patterns);
            values.set(Measure::F1Inverse, by_patterns);
        }
        bleu
    }

    fn are_equivalent(&self, one: (&Query, &QueryGraph), other: (&Query, &QueryGraph)) -> bool {
        // Canonical forms are costly, and queries with other relations never have the same.
        fn relations<'g>(graph: &'g QueryGraph, inverses: &'g dyn Inverses) -> SmallVec<[&'g str; 8]> {
            let first = |label: &'g str| match inverses.inverse(label) {
                Some(inverse) if inverse < label => inverse,
                _ => label,
            };
            let mut relations: SmallVec<_> = graph.edges.iter().map(|edge| first(&edge.label)).collect();
            relations.sort_unstable();
            relations.dedup();
            relations
        }
        let canonical = |query: &Query| Canonical::of(query, self.inverses);
        relations(one.1, self.inverses) == relations(other.1, self.inverses)
            && canonical(one.0).key() == canonical(other.0).key()
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
                // The best of the question's readings counts.
                let others = question.other_answers.iter().map(|other| {
                    let other: Vec<Known> = other.iter().map(Known::of_json).collect();
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

/// The gold form in the language of the prediction; of SPARQL, for the graph that the prediction speaks of.
fn gold_text<'q>(question: &'q Question, predicted: &str, language: Language) -> Option<&'q str> {
    let forms = &question.forms;
    match language {
        Language::Sexpr => forms.sexpr.as_deref(),
        Language::Kopl => forms.program.as_deref(),
        Language::Sparql if predicted.contains("<pred:") => forms.sparql_kqapro.as_deref(),
        Language::Sparql => forms.sparql.as_deref(),
    }
}

/// The tokens of a logical form; those of SPARQL are encoded in `buffer`.
pub fn tokens<'t>(text: &'t str, language: Language, buffer: &'t mut String) -> Vec<&'t str> {
    if language == Language::Sparql {
        *buffer = encode_neural(text);
        return buffer.split_whitespace().collect();
    }
    let is_mark = |c: char| matches!(c, '(' | ')' | ',' | '>');
    let mut found = Vec::with_capacity(text.len() / 4);
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_end = |c: char| is_mark(c) || c.is_whitespace();
        let length = if is_mark(first) { 1 } else { rest.find(is_end).unwrap_or(rest.len()) };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
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
        let chosen = prediction.and_then(|prediction| prediction.choice.as_deref());
        let chosen = chosen.or_else(|| given.first().map(|answer| answer.text.as_str()));
        let right = gold.first().map(|answer| answer.text.as_str());
        let is_choice = chosen.is_some_and(|chosen| question.choices.iter().any(|choice| choice == chosen));
        values.set(Measure::Choice, f64::from(is_choice && chosen == right));
    }
}
