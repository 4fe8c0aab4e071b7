//! From the text of a logical form to its answers, on any engine.

use crate::budget::{Budget, Cancel, Cost, Limits, Stopped};
use crate::column_units::column_units;
use crate::compat::{self, Compat, CompatError};
use crate::context::KbContext;
use crate::engine::{Engine, EngineError, EngineReply, PlanRequest, SparqlAnswers};
use crate::engines::AutoEngine;
use crate::found::Found;
use crate::plan::{Plan, PlanError};
use crate::reply::{Answers, Outcome, Reply};
use crate::shortcut::View;
use crate::sparql::Results;
use crate::sparql_request::SparqlRequest;
use crate::terms::answer_term;
use crate::words::Words;
use oxrdf::{Term, Variable};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use touchstone_kb::Kb;
use touchstone_logic::sparql::{Namespaces, Parsed};
use touchstone_logic::{Answer, Language, ParsedForm, Program, ReadForm, SparqlForm};

/// Settings of a query.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The engine.
    pub engine: Arc<dyn Engine>,
    /// The graph that a SPARQL query is about, or that a server holds; if absent, the query itself decides.
    pub view: Option<View>,
    /// Runs programs as a published executor does.
    pub compat: Option<Compat>,
    /// The limits.
    pub limits: Limits,
    /// Whether to record every step.
    pub trace: bool,
    /// Whether to return RDF results instead of answers with ids and labels.
    pub terms: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            engine: Arc::new(AutoEngine),
            view: None,
            compat: None,
            limits: Limits::default(),
            trace: false,
            terms: false,
        }
    }
}

/// Runs queries on one KB. Shared by threads.
///
/// ```
/// use touchstone_engine::budget::Cancel;
/// use touchstone_engine::{Answers, Outcome, Session, Settings};
/// use touchstone_kb::import::{ImportRequest, Source, import};
/// use touchstone_kb::{Kb, NoProgress};
/// use touchstone_logic::Language;
///
/// let folder = tempfile::tempdir()?;
/// let (lines, store) = (folder.path().join("cities.jsonl"), folder.path().join("kb"));
/// std::fs::write(&lines, r#"{"touchstone_kb": 1, "name": "cities"}
/// {"relation": "capital", "label": "capital"}
/// {"entity": "paris", "label": "Paris"}
/// {"entity": "france", "label": "France", "relations": [["capital", "paris"]]}"#)?;
/// import(&ImportRequest::new(Source::Lines, vec![lines]), &store, &NoProgress)?;
/// let kb = Kb::open(&store)?;
///
/// let session = Session::new(&kb);
/// let (settings, cancel) = (Settings::default(), Cancel::default());
/// let program = session.run(Language::Kopl, "Find(France) > Relate(capital, forward) > What()", &settings, &cancel);
/// let sexpr = session.run(Language::Sexpr, "(JOIN (R capital) france)", &settings, &cancel);
/// for reply in [program, sexpr] {
///     let Outcome::Answered(Answers::List { answers }) = reply.outcome else { panic!("no answer") };
///     assert_eq!(answers[0].id(), Some("paris"));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Session<'kb> {
    context: KbContext<'kb>,
    namespaces: Namespaces,
}

/// Why a query has no answers.
enum Failure {
    Unparsable(String),
    Failed(String),
    OverBudget(Stopped),
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Failure {
        match error {
            PlanError::Program(error) => unparsable(error),
            other => Failure::Failed(other.to_string()),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        match error {
            EngineError::Stopped(stopped) => Failure::OverBudget(stopped),
            EngineError::Plan(error) => error.into(),
            relative @ EngineError::RelativeIri { .. } => unparsable(relative),
            other => Failure::Failed(other.to_string()),
        }
    }
}

fn unparsable(error: impl std::fmt::Display) -> Failure {
    Failure::Unparsable(error.to_string())
}

impl<'kb> Session<'kb> {
    /// A session for a KB.
    pub fn new(kb: &'kb Kb) -> Session<'kb> {
        Session { context: KbContext::new(kb), namespaces: Namespaces::of(kb) }
    }

    /// Does not suggest the nearest name for unknown ones (see [`Words::without_suggestions`]).
    pub fn without_suggestions(self) -> Session<'kb> {
        Session { context: self.context.without_suggestions(), namespaces: self.namespaces }
    }

    /// The KB.
    pub fn kb(&self) -> &'kb Kb {
        self.context.kb()
    }

    /// Looks up names of queries in the KB.
    pub fn words(&self) -> &Words<'kb> {
        self.context.words()
    }

    /// The KB with the data that engines need, to run plans on the same views and printers.
    pub fn context(&self) -> &KbContext<'kb> {
        &self.context
    }

    /// Runs the text of a logical form. Whatever happens, including a panic, is in the reply.
    pub fn run(&self, language: Language, text: &str, settings: &Settings, cancel: &Cancel) -> Reply {
        self.reply(settings, cancel, |budget, reply| {
            check_compat(language, settings.compat)?;
            let parsed = ParsedForm::parse(language, text, self.words(), &self.namespaces);
            self.run_parsed(Cow::Owned(parsed.map_err(unparsable)?), text, settings, budget, reply)
        })
    }

    /// Runs a logical form that was parsed before. Whatever happens, including a panic, is in the reply.
    pub fn run_form(&self, form: &ReadForm, settings: &Settings, cancel: &Cancel) -> Reply {
        self.reply(settings, cancel, |budget, reply| {
            check_compat(form.language, settings.compat)?;
            let parsed = form.parsed.as_ref().map_err(unparsable)?;
            self.run_parsed(Cow::Borrowed(parsed), &form.text, settings, budget, reply)
        })
    }

    /// Runs SPARQL that was made from parsed SPARQL. Whatever happens, including a panic, is in the reply.
    pub fn run_sparql_query(&self, query: spargebra::Query, settings: &Settings, cancel: &Cancel) -> Reply {
        self.reply(settings, cancel, |budget, reply| {
            let parsed = Parsed { text: query.to_string(), query, repairs: Vec::new() };
            let text = parsed.text.clone();
            self.run_sparql(SparqlForm::new(parsed, &self.namespaces), &text, settings, budget, reply)
        })
    }

    /// Runs a closure within a budget.
    fn reply(
        &self,
        settings: &Settings,
        cancel: &Cancel,
        run: impl FnOnce(&Budget<'_>, &mut Reply) -> Result<Answers, Failure>,
    ) -> Reply {
        let budget = Budget::new(settings.limits).stopped_by(cancel);
        let mut reply = Reply {
            outcome: Outcome::Failed(String::new()),
            engine: None,
            notes: Vec::new(),
            cost: Cost::default(),
            trace: None,
        };
        // A panic in one query must not stop the others; its state is discarded.
        reply.outcome = match catch_unwind(AssertUnwindSafe(|| run(&budget, &mut reply))) {
            Ok(Ok(answers)) => Outcome::Answered(answers),
            Ok(Err(Failure::Unparsable(message))) => Outcome::Unparsable(message),
            Ok(Err(Failure::Failed(message))) => Outcome::Failed(message),
            Ok(Err(Failure::OverBudget(stopped))) => Outcome::OverBudget(stopped),
            Err(panic) => {
                Outcome::Failed(format!("internal error in the engine: {}", panic_message(panic.as_ref())))
            }
        };
        reply.cost = budget.cost();
        reply
    }

    fn run_parsed(
        &self,
        parsed: Cow<'_, ParsedForm>,
        text: &str,
        settings: &Settings,
        budget: &Budget<'_>,
        reply: &mut Reply,
    ) -> Result<Answers, Failure> {
        let form = match parsed {
            Cow::Owned(ParsedForm::Sparql(form)) => *form,
            parsed => match (&*parsed, settings.compat) {
                (ParsedForm::Sparql(form), _) => SparqlForm::clone(form),
                (ParsedForm::Kopl(program), Some(compat)) => {
                    return self.run_compat(program, compat, settings, budget);
                }
                (ParsedForm::Kopl(program), None) => {
                    let plan = Plan::of_program(program, self.words())?;
                    return self.run_plan(&plan, settings, budget, reply);
                }
                (ParsedForm::Sexpr(query), _) => {
                    let plan = Plan::of(query, self.words())?;
                    return self.run_plan(&plan, settings, budget, reply);
                }
            },
        };
        self.run_sparql(form, text, settings, budget, reply)
    }

    /// The plan of an S-expression or a program.
    fn run_plan(
        &self,
        plan: &Plan,
        settings: &Settings,
        budget: &Budget<'_>,
        reply: &mut Reply,
    ) -> Result<Answers, Failure> {
        reply.notes.extend(plan.unknown.iter().map(ToString::to_string));
        let request = PlanRequest { plan, view: settings.view, trace: settings.trace };
        let found = settings.engine.run_plan(&request, &self.context, budget);
        let found: Found<'kb> = reported(found, reply)?;
        Ok(self.listed(found.answers(self.kb()), settings))
    }

    /// A program as a published executor runs it: its answers are texts.
    fn run_compat(
        &self,
        program: &Program,
        compat: Compat,
        settings: &Settings,
        budget: &Budget<'_>,
    ) -> Result<Answers, Failure> {
        let answer = compat::run(self.kb(), program, compat, budget).map_err(|error| match error {
            CompatError::Stopped(stopped) => Failure::OverBudget(stopped),
            raised => Failure::Failed(raised.to_string()),
        })?;
        let texts = match answer {
            compat::CompatAnswer::List(texts) => texts,
            compat::CompatAnswer::Text(text) => vec![text],
        };
        let text = |value| Answer::Text { value, language: String::new(), datatype: String::new() };
        let answers = texts.into_iter().map(text).collect();
        Ok(self.listed(answers, settings))
    }

    fn run_sparql(
        &self,
        form: SparqlForm,
        text: &str,
        settings: &Settings,
        budget: &Budget<'_>,
        reply: &mut Reply,
    ) -> Result<Answers, Failure> {
        reply.notes.extend(form.parsed.repairs.iter().map(|repair| format!("repaired: {repair}")));
        let mut request = SparqlRequest::new(form, text, settings.view, self.kb());
        (request.terms, request.trace) = (settings.terms, settings.trace);
        let answers = settings.engine.run_sparql(&request, &self.context, budget);
        Ok(match reported(answers, reply)? {
            SparqlAnswers::Found(found) if settings.terms => {
                Answers::Rdf(self.one_column(&found.answers(self.kb()), Some(request.view)))
            }
            SparqlAnswers::Found(found) => Answers::List { answers: found.answers(self.kb()) },
            SparqlAnswers::Results(results) if settings.terms => Answers::Rdf(results),
            SparqlAnswers::Results(results) => self.typed(results, &request),
        })
    }

    /// A list of answers, or RDF results if requested.
    fn listed(&self, answers: Vec<Answer>, settings: &Settings) -> Answers {
        if settings.terms {
            return Answers::Rdf(self.one_column(&answers, settings.view));
        }
        Answers::List { answers }
    }

    /// RDF results with ids and labels.
    fn typed(&self, results: Results, request: &SparqlRequest) -> Answers {
        let view = request.view;
        let units = match &results {
            Results::Solutions { variables, .. } if view == View::Direct => {
                column_units(&request.query, variables, &self.context.views().direct, self.kb())
            }
            _ => Vec::new(),
        };
        let typed = |term: &Term, column: usize| match (
            self.context.views().answer(self.kb(), view, term),
            units.get(column),
        ) {
            (Answer::Quantity { value, unit }, Some(Some(usual))) if unit.is_empty() => {
                Answer::Quantity { value, unit: (*usual).to_owned() }
            }
            (answer, _) => answer,
        };
        let answer = |term: &Term| typed(term, 0);
        match &results {
            Results::Boolean(value) => Answers::List { answers: vec![Answer::Boolean { value: *value }] },
            Results::Solutions { variables, rows } if variables.len() == 1 => {
                let answers = rows.iter().filter_map(|row| row.first()?.as_ref()).map(answer).collect();
                Answers::List { answers }
            }
            Results::Solutions { variables, rows } => {
                let variables = variables.iter().map(|variable| variable.as_str().to_owned()).collect();
                let cell =
                    |(column, term): (usize, &Option<Term>)| term.as_ref().map(|term| typed(term, column));
                let rows = rows.iter().map(|row| row.iter().enumerate().map(cell).collect()).collect();
                Answers::Table { variables, rows }
            }
            Results::Graph(_) => Answers::Rdf(results),
        }
    }

    /// Answers as RDF results with one column.
    fn one_column(&self, answers: &[Answer], view: Option<View>) -> Results {
        if let [Answer::Boolean { value }] = answers {
            return Results::Boolean(*value);
        }
        let view = self.context.rdf(view.unwrap_or(View::Direct));
        Results::Solutions {
            variables: vec![Variable::new_unchecked("answer")],
            rows: answers.iter().map(|answer| vec![Some(answer_term(self.kb(), view, answer))]).collect(),
        }
    }
}

/// Rejects S-expressions if programs are to be run as a published executor does.
fn check_compat(language: Language, compat: Option<Compat>) -> Result<(), Failure> {
    match (language, compat) {
        (Language::Sexpr, Some(compat)) => Err(Failure::Failed(format!(
            "--compat {} is for KoPL programs; this is {language}",
            compat.name()
        ))),
        _ => Ok(()),
    }
}

/// Copies an engine's notes into the reply, and returns the answers.
fn reported<T>(from: EngineReply<T>, reply: &mut Reply) -> Result<T, Failure> {
    reply.engine = from.ran_by;
    reply.notes.extend(from.notes);
    reply.trace = from.trace;
    Ok(from.result?)
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked")
}
