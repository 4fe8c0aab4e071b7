//! From the text of a logical form to its answers, on whichever engine.

use crate::budget::{Budget, Cancel, Cost, Limits, Stopped};
use crate::compat::{self, Compat, CompatError};
use crate::embedded::{self, TraceNode};
use crate::endpoint::{self, Endpoint, EndpointError};
use crate::exact::{self, ExactAnswer, ExactPrinter};
use crate::found::Found;
use crate::plan::{Plan, PlanError};
use crate::shortcut::{PlainNumbers, View, shortcut};
use crate::sparql::{self, Results, SparqlError};
use crate::terms::{Views, answer_term};
use crate::words::Words;
use oxrdf::{Term, Variable};
use spargebra::algebra::GraphPattern;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use touchstone_kb::Kb;
use touchstone_kb::rdf::KQAPRO_BASE;
use touchstone_logic::sparql::{Dialect, Namespaces, NotRecognised, Parsed, Recognised, recognise};
use touchstone_logic::{Answer, Form, Language, Lookup, Program};

/// Who runs a query.
#[derive(Debug, Clone, Default)]
pub enum Engine {
    /// The embedded engine where it gives exactly the answers, else `spareval`.
    #[default]
    Auto,
    /// The embedded engine. SPARQL is run as the algebra reads it; where that is not what SPARQL says, it is told.
    Embedded,
    /// The SPARQL evaluator on the RDF views.
    Spareval,
    /// A server that holds one of the views.
    Endpoint(Arc<Endpoint>),
}

impl Engine {
    /// One word for machines.
    pub fn word(&self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Embedded => "embedded",
            Engine::Spareval => "spareval",
            Engine::Endpoint(_) => "endpoint",
        }
    }
}

/// How to run a query.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// On which engine.
    pub engine: Engine,
    /// The graph that a SPARQL query speaks of, or that a server holds; told by the query itself if absent.
    pub view: Option<View>,
    /// Run programs as a published executor does.
    pub compat: Option<Compat>,
    /// What it may cost.
    pub limits: Limits,
    /// Whether to take notes about every step.
    pub trace: bool,
    /// Whether the answers are wanted as RDF terms, too.
    pub terms: bool,
}

/// What came of a query.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The answers, or why there are none.
    pub outcome: Outcome,
    /// Which engine ran it, in one word.
    pub engine: Option<&'static str>,
    /// What the user should know beside the answers: repairs, unknown words.
    pub notes: Vec<String>,
    /// What it cost.
    pub cost: Cost,
    /// What happened, where it was asked for and the engine can tell.
    pub trace: Option<TraceNode>,
}

/// See [`Reply`]. The words are those of benchmark runs.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// There are answers; none is an answer, too.
    Answered(Answers),
    /// The text is no query.
    Unparsable(String),
    /// The query cannot be run.
    Failed(String),
    /// A limit was reached.
    OverBudget(Stopped),
}

impl Outcome {
    /// One word for machines.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Answered(_) => "answered",
            Outcome::Unparsable(_) => "unparsable",
            Outcome::Failed(_) => "failed_to_execute",
            Outcome::OverBudget(_) => "over_budget",
        }
    }
}

/// The answers to a query.
#[derive(Debug, Clone)]
pub enum Answers {
    /// A list: of KoPL, of S-expressions, and of SPARQL with one column.
    List {
        /// The answers.
        answers: Vec<Answer>,
        /// As RDF results, where they were asked for.
        results: Option<Results>,
    },
    /// Rows of SPARQL with several columns.
    Table {
        /// The columns.
        variables: Vec<String>,
        /// The rows.
        rows: Vec<Vec<Option<Answer>>>,
        /// The same as RDF.
        results: Results,
    },
    /// A graph of SPARQL's CONSTRUCT and DESCRIBE.
    Graph(Results),
}

impl Answers {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Answers::List { answers, .. } => answers.len(),
            Answers::Table { rows, .. } => rows.len(),
            Answers::Graph(Results::Graph(triples)) => triples.len(),
            Answers::Graph(_) => 0,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Runs queries on one KB. Shared by threads.
pub struct Session<'kb> {
    words: Words<'kb>,
    views: OnceLock<Views<'kb>>,
    direct_printer: OnceLock<ExactPrinter<'kb>>,
    kqapro_printer: OnceLock<ExactPrinter<'kb>>,
    namespaces: Namespaces,
    numbers: PlainNumbers,
}

/// Why a query has no answers.
enum Failure {
    Unparsable(String),
    Failed(String),
    OverBudget(Stopped),
}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Failure {
        Failure::OverBudget(stopped)
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Failure {
        match error {
            PlanError::Program(error) => unparsable(error),
            other => Failure::Failed(other.to_string()),
        }
    }
}

impl From<SparqlError> for Failure {
    fn from(error: SparqlError) -> Failure {
        match error {
            SparqlError::Stopped(stopped) => Failure::OverBudget(stopped),
            other => Failure::Failed(other.to_string()),
        }
    }
}

fn unparsable(error: impl std::fmt::Display) -> Failure {
    Failure::Unparsable(error.to_string())
}

fn note_unknown(plan: &Plan, reply: &mut Reply) {
    reply.notes.extend(plan.unknown.iter().map(ToString::to_string));
}

impl<'kb> Session<'kb> {
    /// For a KB.
    pub fn new(kb: &'kb Kb) -> Session<'kb> {
        Session {
            words: Words::new(kb),
            views: OnceLock::new(),
            direct_printer: OnceLock::new(),
            kqapro_printer: OnceLock::new(),
            namespaces: Namespaces::of(kb),
            numbers: PlainNumbers::default(),
        }
    }

    /// Does not look for the nearest of words that are not known (see [`Words::without_suggestions`]).
    pub fn without_suggestions(mut self) -> Session<'kb> {
        self.words = self.words.without_suggestions();
        self
    }

    /// The KB.
    pub fn kb(&self) -> &'kb Kb {
        self.words.kb()
    }

    /// The words of the KB.
    pub fn words(&self) -> &Words<'kb> {
        &self.words
    }

    fn views(&self) -> &Views<'kb> {
        self.views.get_or_init(|| Views::new(self.kb()))
    }

    /// Runs one logical form. Whatever happens, including a panic, is in the reply.
    pub fn run(&self, language: Language, text: &str, settings: &Settings, cancel: &Cancel) -> Reply {
        let budget = Budget::new(settings.limits).stopped_by(cancel);
        let mut reply = Reply {
            outcome: Outcome::Failed(String::new()),
            engine: None,
            notes: Vec::new(),
            cost: Cost::default(),
            trace: None,
        };
        // A panic in one query must not end the others; what it was working on is thrown away.
        let run = AssertUnwindSafe(|| match language {
            Language::Sparql => self.run_sparql(text, settings, &budget, &mut reply),
            _ => self.run_query(language, text, settings, &budget, &mut reply),
        });
        reply.outcome = match catch_unwind(run) {
            Ok(Ok(answers)) => Outcome::Answered(answers),
            Ok(Err(Failure::Unparsable(message))) => Outcome::Unparsable(message),
            Ok(Err(Failure::Failed(message))) => Outcome::Failed(message),
            Ok(Err(Failure::OverBudget(stopped))) => Outcome::OverBudget(stopped),
            Err(panic) => {
                Outcome::Failed(format!("a defect in the engine: {}", panic_message(panic.as_ref())))
            }
        };
        reply.cost = budget.cost();
        reply
    }

    /// An S-expression or a program.
    fn run_query(
        &self,
        language: Language,
        text: &str,
        settings: &Settings,
        budget: &Budget<'_>,
        reply: &mut Reply,
    ) -> Result<Answers, Failure> {
        if let Some(compat) = settings.compat {
            return self.run_compat(language, text, compat, settings, budget);
        }
        let plan = match language {
            Language::Sexpr => {
                let form = Form::parse(text, &KnownWords(&self.words)).map_err(unparsable)?;
                Plan::of(&form.to_query().map_err(unparsable)?, &self.words)?
            }
            _ => Plan::of_program(&Program::parse(text).map_err(unparsable)?, &self.words)?,
        };
        note_unknown(&plan, reply);
        match settings.engine {
            Engine::Auto | Engine::Embedded => {
                let found = self.embedded(&plan, settings, budget, reply)?;
                let answers = found.answers(self.kb());
                let results = settings.terms.then(|| self.list_results(&answers, settings.view));
                Ok(Answers::List { answers, results })
            }
            Engine::Spareval | Engine::Endpoint(_) => {
                let answers = self.by_sparql(&plan, settings, budget, reply)?;
                let results = settings.terms.then(|| self.list_results(&answers, settings.view));
                Ok(Answers::List { answers, results })
            }
        }
    }

    /// A program as a published executor runs it: its answers are texts.
    fn run_compat(
        &self,
        language: Language,
        text: &str,
        compat: Compat,
        settings: &Settings,
        budget: &Budget<'_>,
    ) -> Result<Answers, Failure> {
        if language != Language::Kopl {
            return Err(Failure::Failed(format!(
                "--compat {} is for KoPL programs; this is {language}",
                compat.name()
            )));
        }
        let program = Program::parse(text).map_err(unparsable)?;
        let answer = compat::run(self.kb(), &program, compat, budget).map_err(|error| match error {
            CompatError::Stopped(stopped) => Failure::OverBudget(stopped),
            raised => Failure::Failed(raised.to_string()),
        })?;
        let texts = match answer {
            compat::CompatAnswer::List(texts) => texts,
            compat::CompatAnswer::Text(text) => vec![text],
        };
        let text = |value| Answer::Text { value, language: String::new(), datatype: String::new() };
        let answers: Vec<Answer> = texts.into_iter().map(text).collect();
        let results = settings.terms.then(|| self.list_results(&answers, settings.view));
        Ok(Answers::List { answers, results })
    }

    /// A plan as SPARQL that means exactly the same.
    fn by_sparql(
        &self,
        plan: &Plan,
        settings: &Settings,
        budget: &Budget<'_>,
        reply: &mut Reply,
    ) -> Result<Vec<Answer>, Failure> {
        let views = settings.view.map_or(vec![View::Direct, View::KqaPro], |view| vec![view]);
        // Without a choice, a server is taken to hold plain triples.
        let views = if matches!(settings.engine, Engine::Endpoint(_)) { &views[..1] } else { &views[..] };
        let mut refused = None;
        for &view in views {
            let printer = self.printer(view);
            let query = match printer.print(plan) {
                Ok(query) => query,
                Err(error) => {
                    refused.get_or_insert(error.to_string());
                    continue;
                }
            };
            let results = if let Engine::Endpoint(endpoint) = &settings.engine {
                reply.engine = Some("endpoint");
                self.ask_endpoint(endpoint, &query.text, budget)?
            } else {
                reply.engine = Some("spareval");
                let parsed = touchstone_logic::sparql::parse(&query.text)
                    .map_err(|error| Failure::Failed(format!("a defect in the printer: {error}")))?;
                sparql::evaluate(self.views().get(view), &parsed.query, budget)?
            };
            let results = match results {
                Results::Boolean(value) => exact::Results::Boolean(value),
                Results::Solutions { rows, .. } => exact::Results::Rows(rows),
                Results::Graph(_) => exact::Results::Rows(Vec::new()),
            };
            let found = printer.read(&query, &results).map_err(|error| Failure::Failed(error.to_string()))?;
            return Ok(found.into_iter().map(|answer| self.exact_answer(answer)).collect());
        }
        Err(Failure::Failed(refused.unwrap_or_else(|| "no view can say it".to_owned())))
    }

    fn printer(&self, view: View) -> &ExactPrinter<'kb> {
        let cell = match view {
            View::Direct => &self.direct_printer,
            View::KqaPro => &self.kqapro_printer,
        };
        cell.get_or_init(|| ExactPrinter::new(self.kb(), view))
    }

    fn exact_answer(&self, answer: ExactAnswer) -> Answer {
        let kb = self.kb();
        match answer {
            ExactAnswer::Node(node) => Answer::node(kb, node),
            ExactAnswer::Literal(literal) => Answer::literal(&kb.literal(literal)),
            ExactAnswer::Relation(relation) => Answer::Relation {
                id: kb.relation_id(relation).to_owned(),
                label: kb.relation_label(relation).to_owned(),
            },
            ExactAnswer::Count(value) => Answer::count(value),
            ExactAnswer::Boolean(value) => Answer::Boolean { value },
        }
    }

    fn ask_endpoint(&self, endpoint: &Endpoint, text: &str, budget: &Budget<'_>) -> Result<Results, Failure> {
        let results = endpoint.query(text, budget).map_err(|error| match error {
            EndpointError::Stopped(stopped) => Failure::OverBudget(stopped),
            other => Failure::Failed(other.to_string()),
        })?;
        Ok(match results {
            endpoint::Results::Table(table) => {
                Results::Solutions { variables: table.variables, rows: table.rows }
            }
            endpoint::Results::Boolean(value) => Results::Boolean(value),
            endpoint::Results::Graph(graph) => Results::Graph(graph.triples),
        })
    }

    fn embedded(
        &self,
        plan: &Plan,
        settings: &Settings,
        budget: &Budget<'_>,
        reply: &mut Reply,
    ) -> Result<Found<'kb>, Stopped> {
        reply.engine = Some("embedded");
        if !settings.trace {
            return embedded::run(self.kb(), plan, budget);
        }
        let (found, trace) = embedded::run_traced(self.kb(), plan, budget);
        reply.trace = trace;
        found
    }

    fn run_sparql(
        &self,
        text: &str,
        settings: &Settings,
        budget: &Budget<'_>,
        reply: &mut Reply,
    ) -> Result<Answers, Failure> {
        let mut parsed = touchstone_logic::sparql::parse(text).map_err(unparsable)?;
        reply.notes.extend(parsed.repairs.iter().map(|repair| format!("repaired: {repair}")));
        let recognised = recognise(&parsed.query, &self.namespaces);
        // With all IRIs written out, and without the base that relative ones were put behind.
        let written = parsed.query.to_string().replacen(&format!("BASE <{KQAPRO_BASE}>"), "", 1);
        let view = settings.view.unwrap_or_else(|| match &recognised {
            Ok(recognised) if recognised.dialect == Dialect::KqaPro => View::KqaPro,
            // KQA Pro writes relative IRIs; where ids are IRIs, they need its predicates beside them.
            _ if written.contains(KQAPRO_BASE)
                && (written.contains("<pred:") || has_short_ids(self.kb())) =>
            {
                View::KqaPro
            }
            _ => View::Direct,
        });
        if let Engine::Endpoint(endpoint) = &settings.engine {
            reply.engine = Some("endpoint");
            let results = self.ask_endpoint(endpoint, &parsed.text, budget)?;
            return Ok(self.typed(results, view));
        }
        if view == View::Direct {
            // The base is KQA Pro's: in any other graph, relative IRIs are relative to nothing.
            if let Some(relative) = relative_iri(&written).filter(|_| !text.contains(KQAPRO_BASE)) {
                return Err(Failure::Unparsable(format!(
                    "the IRI <{relative}> is relative, and the query has no BASE; write the whole IRI, or begin with BASE <...>"
                )));
            }
            without_kqapro_base(&mut parsed.query);
        }
        if !matches!(settings.engine, Engine::Spareval) {
            let quick = recognised.as_ref().ok().and_then(|found| {
                shortcut(found, &written, self.kb(), view, &self.views().direct, &self.numbers)
            });
            // What cannot be planned can still be evaluated.
            if let Some(plan) = quick.and_then(|query| Plan::of(&query, &self.words).ok()) {
                let found = self.embedded(&plan, settings, budget, reply)?;
                return Ok(self.quick_answers(&parsed, &plan, view, &found, settings));
            }
            if matches!(settings.engine, Engine::Embedded) {
                return self.as_the_algebra_reads_it(recognised, view, settings, budget, reply);
            }
        }
        reply.engine = Some("spareval");
        let results = sparql::evaluate(self.views().get(view), &parsed.query, budget)?;
        Ok(self.typed(results, view))
    }

    /// SPARQL by the embedded engine even where the algebra is kinder than SPARQL; that is told.
    fn as_the_algebra_reads_it(
        &self,
        recognised: Result<Recognised, NotRecognised>,
        view: View,
        settings: &Settings,
        budget: &Budget<'_>,
        reply: &mut Reply,
    ) -> Result<Answers, Failure> {
        let recognised = recognised.map_err(|error| {
            Failure::Failed(format!(
                "the embedded engine cannot run this query ({error}); use --engine auto or spareval"
            ))
        })?;
        let told = recognised.lost.iter().map(|loss| format!("not as SPARQL reads it: {loss}"));
        reply.notes.extend(told);
        if recognised.lost.is_empty() {
            let kinder = "subclasses, containment of times and units may count, which SPARQL does not know";
            reply.notes.push(format!("not as SPARQL reads it: {kinder}"));
        }
        let plan = Plan::of(&recognised.query, &self.words)?;
        note_unknown(&plan, reply);
        let found = self.embedded(&plan, settings, budget, reply)?;
        let answers = found.answers(self.kb());
        let results = settings.terms.then(|| self.list_results(&answers, Some(view)));
        Ok(Answers::List { answers, results })
    }

    /// What the embedded engine found for SPARQL.
    fn quick_answers(
        &self,
        parsed: &Parsed,
        plan: &Plan,
        view: View,
        found: &Found<'_>,
        settings: &Settings,
    ) -> Answers {
        let answers = found.answers(self.kb());
        let results = settings.terms.then(|| match found {
            Found::Boolean(value) => Results::Boolean(*value),
            _ => {
                let terms = self.views().terms(plan, view, found);
                Results::Solutions {
                    variables: projected(&parsed.query),
                    rows: terms.into_iter().map(|term| vec![Some(term)]).collect(),
                }
            }
        });
        Answers::List { answers, results }
    }

    /// RDF results with ids and labels.
    fn typed(&self, results: Results, view: View) -> Answers {
        let answer = |term: &Term| self.views().answer(self.kb(), view, term);
        match &results {
            Results::Boolean(value) => {
                Answers::List { answers: vec![Answer::Boolean { value: *value }], results: Some(results) }
            }
            Results::Solutions { variables, rows } if variables.len() == 1 => {
                let answers = rows.iter().filter_map(|row| row.first()?.as_ref()).map(answer).collect();
                Answers::List { answers, results: Some(results) }
            }
            Results::Solutions { variables, rows } => {
                let variables = variables.iter().map(|variable| variable.as_str().to_owned()).collect();
                let cell = |term: &Option<Term>| term.as_ref().map(answer);
                let rows = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
                Answers::Table { variables, rows, results }
            }
            Results::Graph(_) => Answers::Graph(results),
        }
    }

    /// Answers as RDF results with one column.
    fn list_results(&self, answers: &[Answer], view: Option<View>) -> Results {
        if let [Answer::Boolean { value }] = answers {
            return Results::Boolean(*value);
        }
        let view = self.views().get(view.unwrap_or(View::Direct));
        Results::Solutions {
            variables: vec![Variable::new_unchecked("answer")],
            rows: answers.iter().map(|answer| vec![Some(answer_term(self.kb(), view, answer))]).collect(),
        }
    }
}

/// Whether the ids of a KB are short words, as KQA Pro's are, and not IRIs. (Ids are sorted, blank nodes first.)
fn has_short_ids(kb: &Kb) -> bool {
    let last = kb.nodes().take(kb.n_entities()).last().or_else(|| kb.nodes().last());
    last.is_some_and(|node| !touchstone_kb::iri::is_absolute(kb.node_id(node)))
}

/// The first relative IRI of a query, as the user wrote it; the parser has put it behind KQA Pro's base.
fn relative_iri(written: &str) -> Option<&str> {
    let start = written.find(&format!("<{KQAPRO_BASE}"))? + 1 + KQAPRO_BASE.len();
    written[start..].split('>').next()
}

/// Takes KQA Pro's base away, so that `IRI("a")` is an error as it is without a base.
fn without_kqapro_base(query: &mut spargebra::Query) {
    let (spargebra::Query::Select { base_iri, .. }
    | spargebra::Query::Ask { base_iri, .. }
    | spargebra::Query::Construct { base_iri, .. }
    | spargebra::Query::Describe { base_iri, .. }) = query;
    if base_iri.as_ref().is_some_and(|base| base.as_str() == KQAPRO_BASE) {
        *base_iri = None;
    }
}

/// The columns of a query.
fn projected(query: &spargebra::Query) -> Vec<Variable> {
    let spargebra::Query::Select { pattern, .. } = query else { return Vec::new() };
    let mut pattern = pattern;
    loop {
        pattern = match pattern {
            GraphPattern::Project { variables, .. } => return variables.clone(),
            GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Slice { inner, .. }
            | GraphPattern::OrderBy { inner, .. } => inner,
            _ => return Vec::new(),
        };
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked")
}

/// Knows what words of a KB are, and is silent about others: they are told beside the answers.
struct KnownWords<'w, 'kb>(&'w Words<'kb>);

impl Lookup for KnownWords<'_, '_> {
    fn is_class(&self, word: &str) -> Option<bool> {
        Lookup::is_class(self.0, word).filter(|&known| known || self.0.kb().node(word).is_some())
    }

    fn is_property(&self, word: &str) -> Option<bool> {
        Lookup::is_property(self.0, word).filter(|&known| known)
    }

    fn is_entity(&self, word: &str) -> Option<bool> {
        Lookup::is_entity(self.0, word).filter(|&known| known || self.0.kb().class(word).is_some())
    }

    fn nearest_class(&self, wrong: &str) -> Option<String> {
        Lookup::nearest_class(self.0, wrong)
    }

    fn nearest_property(&self, wrong: &str) -> Option<String> {
        Lookup::nearest_property(self.0, wrong)
    }
}
