//! What the query page knows about a query: its answers with every step, its shape and graph, the same in the other languages and in
//! English, and for a program what each step finds.

use super::Studio;
use crate::drawing::{FlowChart, FlowStep, StepState};
use serde::Serialize;
use touchstone_datasets::convert::{Converted, Converter, ProgramStyle, TargetLanguage};
use touchstone_datasets::{DataSet, Record};
use touchstone_engine::budget::Cancel;
use touchstone_engine::{Answers, Outcome, QueryContext, Reply, Settings, program_steps};
use touchstone_forge::english::{VerbalisedQuestion, verbalise_form};
use touchstone_kb::counts::counted;
use touchstone_logic::graph::draw;
use touchstone_logic::{Language, Program, QueryGraph, ReadError, ReadForm, Shape};

/// Results of a step that are shown in the flow chart.
const FIRST: usize = 3;

/// A query with everything that is known about it.
#[derive(Serialize)]
pub(super) struct QueryResult<'q> {
    #[serde(serialize_with = "super::parts::language_as_word")]
    pub(super) language: Language,
    pub(super) query: &'q str,
    /// The same as `touchstone query --trace --json`.
    pub(super) reply: Reply,
    /// Where the text is wrong, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error_span: Option<(usize, usize)>,
    /// The same as `touchstone shape --json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) shape: Option<Shape>,
    /// The graph as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) drawing: Option<String>,
    #[serde(skip)]
    pub(super) graph: Option<QueryGraph>,
    /// The same as `touchstone convert --kb --json`.
    pub(super) translations: Vec<Translation>,
    /// The same as `touchstone verbalise --json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) english: Option<VerbalisedQuestion>,
    /// Why there is no English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) english_error: Option<String>,
    /// What each step of the program finds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) program: Vec<ProgramStepResult>,
}

/// A query in another language.
#[derive(Serialize)]
pub(super) struct Translation {
    #[serde(serialize_with = "super::parts::language_as_word")]
    pub(super) language: Language,
    #[serde(flatten)]
    pub(super) converted: Converted,
}

/// A step of a program with what it finds.
#[derive(Serialize)]
pub(super) struct ProgramStepResult {
    pub(super) function: &'static str,
    pub(super) inputs: Vec<String>,
    /// The steps that it uses, from 0.
    pub(super) dependencies: Vec<usize>,
    /// The number of results; absent if it has no meaning alone, or failed.
    pub(super) found: Option<usize>,
    /// The first results.
    pub(super) first: Vec<String>,
}

impl<'q> QueryResult<'q> {
    /// Runs a query and works out everything else. What the settings limit applies to each part.
    pub(super) fn of(
        studio: &Studio,
        language: Language,
        query: &'q str,
        settings: &Settings,
        cancel: &Cancel,
    ) -> QueryResult<'q> {
        let kb = studio.kb();
        let context = QueryContext::new(Some(kb), None);
        let knowledge = context.knowledge();
        let reply =
            studio.session.run(language, query, &Settings { trace: true, ..settings.clone() }, cancel);
        let form = ReadForm::read(language, query, &knowledge);
        let error_span = match (&reply.outcome, form.error()) {
            (Outcome::Unparsable(_), Some(ReadError::Syntax(error))) => {
                Some((index(error.span.start), index(error.span.end)))
            }
            _ => None,
        };
        let readable = !matches!(reply.outcome, Outcome::Unparsable(_));
        let graph = form.graph().ok().filter(|_| readable);
        let converter = |target| Converter {
            data_set: DataSet::Forms(language),
            target,
            strict: false,
            knowledge: knowledge.clone(),
        };
        let targets = [
            (Language::Kopl, TargetLanguage::Kopl(ProgramStyle::Readable)),
            (Language::Sexpr, TargetLanguage::Sexpr),
            (Language::Sparql, TargetLanguage::Sparql(None)),
        ];
        let record =
            Record { line: 1, text: query.to_owned(), json: query.trim_start().starts_with(['[', '{']) };
        let others = targets.into_iter().filter(|(other, _)| *other != language && readable);
        let translations: Vec<Translation> = others
            .map(|(language, target)| Translation { language, converted: converter(target).convert(&record) })
            .collect();
        let english = readable.then(|| verbalise_form(query, kb, &studio.lexicon, true, 1));
        let (english, english_error) = match english {
            Some(Ok(english)) => (Some(english), None),
            Some(Err(error)) => (None, Some(error.to_string())),
            None => (None, None),
        };
        let program = program_of(language, query, &translations);
        let program = program.map_or_else(Vec::new, |program| steps(studio, &program, settings, cancel));
        QueryResult {
            language,
            query,
            error_span,
            shape: graph.as_ref().map(QueryGraph::shape),
            drawing: graph.as_ref().map(draw),
            graph,
            reply,
            translations,
            english,
            english_error,
            program,
        }
    }

    /// The flow chart of the program.
    pub(super) fn flow(&self) -> Option<FlowChart> {
        (!self.program.is_empty()).then(|| flow(&self.program))
    }
}

/// A position of a text.
fn index(position: u32) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

/// The program itself, or the one that the query is translated to.
fn program_of(language: Language, query: &str, translations: &[Translation]) -> Option<Program> {
    let text = match language {
        Language::Kopl => query,
        _ => translations.iter().find(|other| other.language == Language::Kopl)?.converted.text.as_deref()?,
    };
    Program::parse(text).ok().filter(|program| program.check().is_ok())
}

fn steps(studio: &Studio, program: &Program, settings: &Settings, cancel: &Cancel) -> Vec<ProgramStepResult> {
    let replies = program_steps(studio.session, program, settings, cancel);
    let step = |(step, reply): (&touchstone_logic::kopl::ProgramStep, Option<Reply>)| {
        let (found, first) = match reply.as_ref().map(|reply| &reply.outcome) {
            Some(Outcome::Answered(answers)) => (Some(answers.len()), first(answers)),
            _ => (None, Vec::new()),
        };
        ProgramStepResult {
            function: step.function.name(),
            inputs: step.inputs.clone(),
            dependencies: step.dependencies.clone(),
            found,
            first,
        }
    };
    program.steps.iter().zip(replies).map(step).collect()
}

/// The first answers in words.
fn first(answers: &Answers) -> Vec<String> {
    match answers {
        Answers::List { answers } => {
            answers.iter().take(FIRST).map(|answer| answer.text().into_owned()).collect()
        }
        Answers::Table { .. } | Answers::Rdf(_) => Vec::new(),
    }
}

/// The flow chart of steps with their results.
pub(super) fn flow(program: &[ProgramStepResult]) -> FlowChart {
    let step = |step: &ProgramStepResult| {
        let is_value = step.found == Some(1);
        let mut results = match step.found {
            // FindAll finds everything, which says nothing.
            Some(0) => vec!["nothing found".to_owned()],
            Some(1) => Vec::new(),
            Some(found) => vec![counted(found, "result", "results")],
            None => Vec::new(),
        };
        results.extend(step.first.iter().cloned());
        if !is_value && step.found.is_some_and(|found| found > step.first.len()) && !step.first.is_empty() {
            results.push("…".to_owned());
        }
        FlowStep {
            function: step.function.to_owned(),
            inputs: step.inputs.clone(),
            results,
            state: match step.found {
                Some(0) => StepState::Nothing,
                Some(_) => StepState::Found,
                None => StepState::Unknown,
            },
            uses: step.dependencies.clone(),
        }
    };
    FlowChart::of(&program.iter().map(step).collect::<Vec<_>>())
}
