//! Every logical form of a query: printed, read back, and run.

use crate::context::SamplingContext;
use touchstone_benchmark::Forms;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::exact::{ExactAnswer, ExactPrinter, ExactQuery};
use touchstone_engine::plan::Plan;
use touchstone_engine::sparql::evaluate;
use touchstone_engine::{Found, View};
use touchstone_kb::rdf::{DirectView, KqaProView, RdfView};
use touchstone_kb::{ClassId, Kb, LiteralId, NodeId};
use touchstone_logic::sparql::{self, Namespaces};
use touchstone_logic::{Ask, Form, Program, Query, Set, SyntaxErrorKind, kopl, sexpr};

/// Budget of the general evaluator. It has no statistics and may take minutes for a query that takes the engine microseconds; a form that
/// exceeds the budget is not compared.
const VERIFY_OPERATIONS: u64 = 10_000;

/// Prints queries in all languages.
pub struct FormPrinter<'k> {
    direct: ExactPrinter<'k>,
    kqapro: ExactPrinter<'k>,
    direct_view: DirectView<'k>,
    kqapro_view: KqaProView<'k>,
    namespaces: Namespaces,
}

/// Two forms give different answers: a bug in this program, never in a recipe.
#[derive(Debug, thiserror::Error)]
#[error("{language} disagrees:\n  {form}\n  gives {got}\n  instead of {expected}\n  for {query}")]
#[non_exhaustive]
pub struct Disagreement {
    /// The language whose answers differ.
    pub language: &'static str,
    /// The form.
    pub form: String,
    /// Its answers.
    pub got: String,
    /// The answers of the query.
    pub expected: String,
    /// The query.
    pub query: String,
}

impl<'k> FormPrinter<'k> {
    /// A printer for a KB.
    pub fn new(kb: &'k Kb) -> FormPrinter<'k> {
        FormPrinter {
            direct: ExactPrinter::new(kb, View::Direct),
            kqapro: ExactPrinter::new(kb, View::KqaPro),
            direct_view: DirectView::new(kb),
            kqapro_view: KqaProView::new(kb),
            namespaces: Namespaces::of(kb),
        }
    }

    /// All forms that are equivalent to the query. S-expressions and programs are read back and run; so is SPARQL on the direct view if it
    /// returns only entities. (Values lose their unit there, and the result lists them as text.)
    pub fn forms(
        &self,
        context: &SamplingContext<'k>,
        query: &Query,
        found: &Found<'_>,
    ) -> Result<CheckedForms, Disagreement> {
        let check = Check { context, query, found };
        let mut checked = CheckedForms { sexpr: check.sexpr()?, ..CheckedForms::default() };
        checked.program = check.program()?;
        checked.is_read = checked.sexpr.is_some() || checked.program.is_some();
        let Ok(plan) = Plan::of(query, &context.words) else { return Ok(checked) };
        for view in [View::Direct, View::KqaPro] {
            let Ok(exact) = self.printer(view).print(&plan) else { continue };
            match sparql::parse(&exact.text) {
                Ok(parsed) => {
                    if view == View::Direct
                        && is_about_entities(query)
                        && let Ok(read) = sparql::recognise(&parsed.query, &self.namespaces)
                        && read.lost.is_empty()
                    {
                        check.same_answers("SPARQL", &exact.text, Some(&read.query))?;
                        checked.is_read = true;
                    }
                    checked.sparql.push(PrintedSparql { view, exact, parsed });
                }
                // A text that exceeds the limit of parsers is useless.
                Err(error) if matches!(error.kind, SyntaxErrorKind::TooManyOperators { .. }) => {}
                Err(error) => return Err(check.disagreement("SPARQL", &exact.text, error.to_string())),
            }
        }
        Ok(checked)
    }

    fn printer(&self, view: View) -> &ExactPrinter<'k> {
        match view {
            View::Direct => &self.direct,
            View::KqaPro => &self.kqapro,
        }
    }

    /// Runs up to `wanted` SPARQL forms with the general evaluator. Forms that exceed its budget are not compared. Returns the number of
    /// forms that were compared.
    pub(crate) fn verify(
        &self,
        query: &Query,
        forms: &CheckedForms,
        found: &Found<'_>,
        wanted: usize,
    ) -> Result<usize, Disagreement> {
        let mut n = 0;
        for PrintedSparql { view, exact, parsed } in &forms.sparql {
            if n == wanted {
                break;
            }
            let (printer, view): (_, &dyn RdfView) = match view {
                View::Direct => (&self.direct, &self.direct_view),
                View::KqaPro => (&self.kqapro, &self.kqapro_view),
            };
            // A limit of operations, not of seconds, gives the same result on every machine.
            let limits = Limits { operations: VERIFY_OPERATIONS, ..Limits::none() };
            let budget = Budget::new(limits);
            let Ok(results) = evaluate(view, &parsed.query, &budget) else { continue };
            let canonical = |answers: Vec<ExactAnswer>| {
                let mut answers: Vec<ExactAnswer> =
                    answers.into_iter().map(|answer| printer.canonical(answer)).collect();
                answers.sort_unstable();
                answers.dedup();
                answers
            };
            let got = printer.read(exact, &results).map(canonical);
            let expected = canonical(exact_answers(found));
            if got.as_ref().ok() != Some(&expected) {
                return Err(Disagreement {
                    language: "SPARQL",
                    form: exact.text.clone(),
                    got: format!("{got:?}"),
                    expected: format!("{expected:?}"),
                    query: format!("{query:?}"),
                });
            }
            n += 1;
        }
        Ok(n)
    }
}

/// The forms of a query, printed and checked, with their parsed queries.
#[derive(Default)]
pub struct CheckedForms {
    sexpr: Option<String>,
    program: Option<(String, Program)>,
    sparql: Vec<PrintedSparql>,
    /// Whether any form was read back to a query and run.
    pub(crate) is_read: bool,
}

/// A SPARQL form that can be parsed.
struct PrintedSparql {
    view: View,
    exact: ExactQuery,
    parsed: sparql::Parsed,
}

impl CheckedForms {
    /// The program.
    pub(crate) fn program(&self) -> Option<&Program> {
        self.program.as_ref().map(|(_, program)| program)
    }

    /// The texts.
    pub fn into_forms(self) -> Forms {
        let (mut sparql, mut sparql_kqapro) = (None, None);
        for PrintedSparql { view, exact, .. } in self.sparql {
            match view {
                View::Direct => sparql = Some(exact.text),
                View::KqaPro => sparql_kqapro = Some(exact.text),
            }
        }
        Forms { sexpr: self.sexpr, program: self.program.map(|(text, _)| text), sparql, sparql_kqapro }
    }
}

/// A query with its answers, which its forms must also give.
struct Check<'c, 'k> {
    context: &'c SamplingContext<'k>,
    query: &'c Query,
    found: &'c Found<'c>,
}

/// Puts a name and a class in place of each entity that shares its name, if the class tells it from the others.
fn find_by_class(set: &mut Set, context: &SamplingContext<'_>) {
    let kb = context.kb();
    match set {
        Set::Entity(id) => {
            let Some(node) = kb.node(id).filter(|&node| !context.has_clear_name(node)) else { return };
            let is_alone = |class: &ClassId| {
                let members = kb.members(*class);
                let namesakes = kb.nodes_labelled(kb.label(node));
                namesakes.filter(|other| members.binary_search(&other.0).is_ok()).count() == 1
            };
            if let Some(class) = kb.classes_of(node).find(is_alone) {
                let class = Set::Class(kb.node_id(kb.class_node(class)).into());
                *set = Set::and([Set::Named(kb.label(node).into()), class]);
            }
        }
        Set::And(parts) | Set::Or(parts) => parts.iter_mut().for_each(|part| find_by_class(part, context)),
        Set::Relate(relate) => find_by_class(&mut relate.from, context),
        Set::Superlative(superlative) => find_by_class(&mut superlative.of, context),
        Set::Marked(_, inner) => find_by_class(inner, context),
        Set::All | Set::Same(_) | Set::Named(_) | Set::Class(_) | Set::Values(..) | Set::During(_) => {}
    }
}

impl Check<'_, '_> {
    fn sexpr(&self) -> Result<Option<String>, Disagreement> {
        let printed = sexpr::print(self.query).ok().filter(|printed| printed.lost.is_empty());
        let Some(text) = printed.map(|printed| printed.text) else { return Ok(None) };
        let read = Form::parse(&text, &self.context.words).ok().and_then(|form| form.to_query().ok());
        self.same_answers("the S-expression", &text, read.as_ref())?;
        Ok(Some(text))
    }

    /// The program; a thing whose name others have is found by its name and class.
    fn program(&self) -> Result<Option<(String, Program)>, Disagreement> {
        let found = self.program_of(self.query)?;
        if found.is_some() || all_names_are_clear(self.context, self.query) {
            return Ok(found);
        }
        let mut query = self.query.clone();
        query.sets_mut(&mut |set| find_by_class(set, self.context));
        self.program_of(&query)
    }

    fn program_of(&self, query: &Query) -> Result<Option<(String, Program)>, Disagreement> {
        let printed = kopl::print(query, &self.context.words).ok();
        let Some(printed) = printed.filter(|printed| printed.lost.is_empty()) else { return Ok(None) };
        let program = Program::parse(&printed.text).ok();
        let read = program.as_ref().and_then(|program| program.to_query(&self.context.words).ok());
        match self.same_answers("the program", &printed.text, read.as_ref()) {
            Ok(()) => Ok(program.map(|program| (printed.text, program))),
            // A program refers to things by name: if several things share the name, its meaning differs.
            Err(_) if !all_names_are_clear(self.context, self.query) => Ok(None),
            Err(disagreement) => Err(disagreement),
        }
    }

    /// Runs the query that was parsed from a form.
    fn same_answers(
        &self,
        language: &'static str,
        form: &str,
        read: Option<&Query>,
    ) -> Result<(), Disagreement> {
        let kb = self.context.kb();
        let Some(read) = read else { return Err(self.disagreement(language, form, "no query".to_owned())) };
        match self.context.run_with_large_budget(read) {
            Some(got) if got == *self.found || got.answers(kb) == self.found.answers(kb) => Ok(()),
            other => {
                let got = other.map_or("nothing".to_owned(), |found| format!("{:?}", found.answers(kb)));
                Err(self.disagreement(language, form, got))
            }
        }
    }

    fn disagreement(&self, language: &'static str, form: &str, got: String) -> Disagreement {
        Disagreement {
            language,
            form: form.to_owned(),
            got,
            expected: format!("{:?}", self.found.answers(self.context.kb())),
            query: format!("{:?}", self.query),
        }
    }
}

/// Whether a query asks for members and has no values, superlatives and qualifiers.
fn is_about_entities(query: &Query) -> bool {
    fn fits(set: &Set) -> bool {
        let own = match set {
            Set::Values(..) | Set::Superlative(_) | Set::During(_) => false,
            Set::Relate(relate) => relate.conditions.is_empty(),
            _ => true,
        };
        let mut all = own;
        set.children(&mut |child| all &= fits(child));
        all
    }
    let mut all = matches!(query.answer, Ask::Members(_) | Ask::Count(_));
    query.sets(&mut |set| all &= fits(set));
    all
}

fn exact_answers(found: &Found<'_>) -> Vec<ExactAnswer> {
    match found {
        Found::Things { nodes, literals } => {
            let nodes = nodes.iter().map(|&node| ExactAnswer::Node(NodeId(node)));
            nodes.chain(literals.iter().map(|&id| ExactAnswer::Literal(LiteralId(id)))).collect()
        }
        Found::Relations(relations) => relations.iter().map(|&r| ExactAnswer::Relation(r)).collect(),
        Found::Count(count) => vec![ExactAnswer::Count(*count)],
        Found::Boolean(value) => vec![ExactAnswer::Boolean(*value)],
    }
}

fn all_names_are_clear(context: &SamplingContext<'_>, query: &Query) -> bool {
    fn visit(context: &SamplingContext<'_>, set: &Set, clear: &mut bool) {
        if let Set::Entity(id) = set {
            *clear &= context.kb().node(id).is_some_and(|node| context.has_clear_name(node));
        }
        set.children(&mut |child| visit(context, child, clear));
    }
    let mut clear = true;
    query.sets(&mut |set| visit(context, set, &mut clear));
    clear
}
