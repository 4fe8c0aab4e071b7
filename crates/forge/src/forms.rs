//! Every logical form of a query: printed, read back, and run.

use crate::ground::Ground;
use touchstone_benchmark::Forms;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::exact::{ExactAnswer, ExactPrinter};
use touchstone_engine::plan::Plan;
use touchstone_engine::sparql::evaluate;
use touchstone_engine::{Found, View};
use touchstone_kb::rdf::{DirectView, KqaProView, RdfView};
use touchstone_kb::{Kb, LiteralId, NodeId};
use touchstone_logic::sparql::{self, Namespaces};
use touchstone_logic::{Ask, Form, Program, Query, Set, SyntaxErrorKind, kopl, sexpr};

/// What takes the general evaluator longer is not compared: it has no statistics, and may take minutes for what takes the engine
/// microseconds.
const VERIFY_OPERATIONS: u64 = 10_000;

/// Prints queries in all languages.
pub struct FormPrinter<'k> {
    direct: ExactPrinter<'k>,
    kqapro: ExactPrinter<'k>,
    direct_view: DirectView<'k>,
    kqapro_view: KqaProView<'k>,
    namespaces: Namespaces,
}

/// Two forms that do not give the same answers: a defect of this program, never of a recipe.
#[derive(Debug, thiserror::Error)]
#[error("{language} disagrees:\n  {form}\n  gives {got}\n  instead of {expected}\n  for {query}")]
pub struct Disagreement {
    /// Whose answers differ.
    pub language: &'static str,
    /// The form.
    pub form: String,
    /// Its answers.
    pub got: String,
    /// Those of the query.
    pub expected: String,
    /// The query.
    pub query: String,
}

impl<'k> FormPrinter<'k> {
    /// For a KB.
    pub fn new(kb: &'k Kb) -> FormPrinter<'k> {
        FormPrinter {
            direct: ExactPrinter::new(kb, View::Direct),
            kqapro: ExactPrinter::new(kb, View::KqaPro),
            direct_view: DirectView::new(kb),
            kqapro_view: KqaProView::new(kb),
            namespaces: Namespaces::of(kb),
        }
    }

    /// All forms that mean exactly the query. S-expressions and programs are read back and run; so is SPARQL on the direct view, where it
    /// is about entities only. (Values lose their unit there, and the text lists them.) The second is whether any form was read back.
    pub fn forms(
        &self,
        ground: &Ground<'k>,
        query: &Query,
        found: &Found<'_>,
    ) -> Result<(Forms, bool), Disagreement> {
        let kb = ground.kb();
        let expected = || found.answers(kb);
        let disagrees = |language, form: &str, got: String| Disagreement {
            language,
            form: form.to_owned(),
            got,
            expected: format!("{:?}", expected()),
            query: format!("{query:?}"),
        };
        let check = |language, form: &str, read: Option<Query>| -> Result<(), Disagreement> {
            let Some(again) = read else { return Err(disagrees(language, form, "no query".to_owned())) };
            match ground.run_again(&again) {
                Some(again) if again == *found || again.answers(kb) == expected() => Ok(()),
                other => {
                    let got = other.map_or("nothing".to_owned(), |found| format!("{:?}", found.answers(kb)));
                    Err(disagrees(language, form, got))
                }
            }
        };
        let mut forms = Forms::default();
        if let Ok(printed) = sexpr::print(query)
            && printed.lost.is_empty()
        {
            let read = Form::parse(&printed.text, &ground.words).ok().and_then(|form| form.to_query().ok());
            check("the S-expression", &printed.text, read)?;
            forms.sexpr = Some(printed.text);
        }
        if let Ok(printed) = kopl::print(query, &ground.words)
            && printed.lost.is_empty()
        {
            let read =
                Program::parse(&printed.text).ok().and_then(|program| program.to_query(&ground.words).ok());
            match check("the program", &printed.text, read) {
                Ok(()) => forms.program = Some(printed.text),
                // A program names things: where a name is that of several, it says something else.
                Err(_) if !all_names_are_clear(ground, query) => {}
                Err(disagreement) => return Err(disagreement),
            }
        }
        let mut is_read = forms.sexpr.is_some() || forms.program.is_some();
        if let Ok(plan) = Plan::of(query, &ground.words) {
            for (printer, form, view) in [
                (&self.direct, &mut forms.sparql, View::Direct),
                (&self.kqapro, &mut forms.sparql_kqapro, View::KqaPro),
            ] {
                if let Ok(printed) = printer.print(&plan) {
                    match sparql::parse(&printed.text) {
                        Ok(parsed) => {
                            if view == View::Direct
                                && is_about_entities(query)
                                && let Ok(read) = sparql::recognise(&parsed.query, &self.namespaces)
                                && read.lost.is_empty()
                            {
                                check("SPARQL", &printed.text, Some(read.query))?;
                                is_read = true;
                            }
                            *form = Some(printed.text);
                        }
                        // A text that is longer than parsers accept is of no use.
                        Err(error) if matches!(error.kind, SyntaxErrorKind::TooManyOperators { .. }) => {}
                        Err(error) => return Err(disagrees("SPARQL", &printed.text, error.to_string())),
                    }
                }
            }
        }
        Ok((forms, is_read))
    }

    /// Runs up to `wanted` SPARQL forms by the general evaluator. What takes it too long is not compared; the number of forms compared is
    /// told.
    pub fn verify(
        &self,
        ground: &Ground<'k>,
        query: &Query,
        found: &Found<'_>,
        wanted: usize,
    ) -> Result<usize, Disagreement> {
        let Ok(plan) = Plan::of(query, &ground.words) else { return Ok(0) };
        let mut n = 0;
        let views: [(&ExactPrinter<'k>, &dyn RdfView); 2] =
            [(&self.direct, &self.direct_view), (&self.kqapro, &self.kqapro_view)];
        for (printer, view) in views {
            if n == wanted {
                break;
            }
            let Ok(printed) = printer.print(&plan) else { continue };
            let Ok(parsed) = sparql::parse(&printed.text) else { continue };
            // Operations, not seconds: the same on every machine.
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
            let got = printer.read(&printed, &results).map(canonical);
            let expected = canonical(exact_answers(found));
            if got.as_ref().ok() != Some(&expected) {
                return Err(Disagreement {
                    language: "SPARQL",
                    form: printed.text.clone(),
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

fn all_names_are_clear(ground: &Ground<'_>, query: &Query) -> bool {
    fn visit(ground: &Ground<'_>, set: &Set, clear: &mut bool) {
        if let Set::Entity(id) = set {
            *clear &= ground.kb().node(id).is_some_and(|node| ground.has_clear_name(node));
        }
        set.children(&mut |child| visit(ground, child, clear));
    }
    let mut clear = true;
    query.sets(&mut |set| visit(ground, set, &mut clear));
    clear
}
