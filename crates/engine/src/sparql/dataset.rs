//! A view of a KB as a data set of the evaluator.

use super::held::{Alive, HeldTerm};
use super::watchdog::{Halt, Watched, checkpoint};
use crate::budget::{Budget, Limit, Stopped};
use hashbrown::HashMap;
use oxrdf::Term;
use spareval::{ExpressionTerm, InternalQuad, QueryableDataset};
use std::cell::RefCell;
use std::fmt;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::Arc;
use touchstone_kb::rdf::{MODEL_GRAPH, RdfTerm, RdfView, Triples};

/// Maximum nesting depth of triple terms: more than queries need, and small enough for any stack.
const DEEPEST_TRIPLE: usize = 64;

/// Maximum number of cached numbers and dates; sorting reads each of them repeatedly.
const MOST_REMEMBERED: usize = 1 << 16;

/// A term of the view, or one that does not occur in it.
///
/// Two of them are equal if and only if the RDF terms are: a term that the view has is never [`ViewTerm::Foreign`].
#[derive(PartialEq, Eq, Hash, Clone)]
pub(super) enum ViewTerm {
    Known(RdfTerm, Alive),
    Foreign(Rc<HeldTerm>, Alive),
}

impl ViewTerm {
    #[inline]
    fn known(code: RdfTerm) -> ViewTerm {
        ViewTerm::Known(code, Alive::new())
    }
}

/// The evaluation was stopped. This error is visible only if stacks are not unwound; otherwise unwinding bypasses it.
#[derive(Debug)]
pub(super) struct Halted;

impl std::error::Error for Halted {}

impl fmt::Display for Halted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the evaluation was stopped")
    }
}

/// The limits of one evaluation.
pub(super) struct Account<'b> {
    pub(super) budget: &'b Budget<'b>,
    pub(super) watched: Arc<Watched>,
    /// Maximum length of a computed text, in bytes.
    pub(super) longest_text: usize,
}

impl Account<'_> {
    /// Stops the evaluation.
    #[cold]
    pub(super) fn halt(&self, limit: Limit) -> Halted {
        self.watched.request_stop(limit);
        checkpoint();
        Halted
    }

    #[inline]
    fn spend(&self) -> Result<(), Halted> {
        self.budget.spend(1).map_err(|stopped| self.halt(stopped.limit))
    }

    /// Counts one answer and its bytes.
    pub(super) fn keep(&self, bytes: u64) -> Result<(), Stopped> {
        self.budget.spend(1)?;
        self.budget.add_rows(1)?;
        self.budget.hold(bytes)
    }
}

/// A view with the budget of one evaluation: the default graph, and [`MODEL_GRAPH`] if there is one.
pub(super) struct ViewDataset<'a> {
    view: &'a dyn RdfView,
    account: &'a Account<'a>,
    remembered: RefCell<HashMap<RdfTerm, ExpressionTerm>>,
}

impl<'a> ViewDataset<'a> {
    pub(super) fn new(view: &'a dyn RdfView, account: &'a Account<'a>) -> ViewDataset<'a> {
        ViewDataset { view, account, remembered: RefCell::default() }
    }

    fn internal(&self, term: Term, value: Option<ExpressionTerm>) -> ViewTerm {
        match self.view.encode(&term) {
            // `"01"^^xsd:integer` has the code of `"1"^^xsd:integer`, but is a different term.
            Some(code) if self.view.decode(code) == term => ViewTerm::known(code),
            _ => ViewTerm::Foreign(Rc::new(HeldTerm::new(term, value)), Alive::new()),
        }
    }

    /// Whether a term names the graph of derived triples of an RDF import.
    fn is_model(&self, graph: &ViewTerm) -> bool {
        let is_named = |term: &Term| matches!(term, Term::NamedNode(iri) if iri.as_str() == MODEL_GRAPH);
        let named = match graph {
            ViewTerm::Known(code, _) => is_named(&self.view.decode(*code)),
            ViewTerm::Foreign(term, _) => is_named(term.term()),
        };
        named && self.view.matching_in_model(None, None, None).is_some()
    }

    /// The value of a literal.
    fn remembered(&self, code: RdfTerm) -> ExpressionTerm {
        let mut remembered = self.remembered.borrow_mut();
        if let Some(value) = remembered.get(&code) {
            return value.clone();
        }
        let value = ExpressionTerm::from(self.view.decode(code));
        let is_text = text_length(&value) > 0;
        if !is_text {
            if remembered.len() >= MOST_REMEMBERED {
                remembered.clear();
            }
            remembered.insert(code, value.clone());
        }
        value
    }
}

impl<'a> QueryableDataset<'a> for ViewDataset<'a> {
    type InternalTerm = ViewTerm;
    type Error = Halted;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&ViewTerm>,
        predicate: Option<&ViewTerm>,
        object: Option<&ViewTerm>,
        graph_name: Option<Option<&ViewTerm>>,
    ) -> impl Iterator<Item = Result<InternalQuad<ViewTerm>, Halted>> + use<'a> {
        // `None` means all named graphs. The model graph is excluded: a query must name it.
        let in_model = graph_name.flatten().filter(|graph| self.is_model(graph)).cloned();
        let in_default_graph = graph_name == Some(None);
        let code = |term: Option<&ViewTerm>| match term {
            None => Some(None),
            Some(ViewTerm::Known(code, _)) => Some(Some(*code)),
            Some(ViewTerm::Foreign(..)) => None,
        };
        let triples = match (code(subject), code(predicate), code(object)) {
            (Some(subject), Some(predicate), Some(object)) if in_default_graph => {
                Some(self.view.matching(subject, predicate, object))
            }
            (Some(subject), Some(predicate), Some(object)) if in_model.is_some() => {
                self.view.matching_in_model(subject, predicate, object)
            }
            _ => None,
        };
        Quads { triples, graph: in_model, account: self.account }
    }

    fn internal_named_graphs(&self) -> impl Iterator<Item = Result<ViewTerm, Halted>> + use<'a> {
        std::iter::empty()
    }

    fn contains_internal_graph_name(&self, graph: &ViewTerm) -> Result<bool, Halted> {
        Ok(self.is_model(graph))
    }

    fn internalize_term(&self, term: Term) -> Result<ViewTerm, Halted> {
        Ok(self.internal(term, None))
    }

    fn externalize_term(&self, term: ViewTerm) -> Result<Term, Halted> {
        Ok(match &term {
            ViewTerm::Known(code, _) => self.view.decode(*code),
            ViewTerm::Foreign(term, _) => term.term().clone(),
        })
    }

    fn externalize_expression_term(&self, term: ViewTerm) -> Result<ExpressionTerm, Halted> {
        Ok(match &term {
            // Numbers need not be printed and parsed again.
            ViewTerm::Known(RdfTerm::Double(bits), _) => {
                ExpressionTerm::DoubleLiteral(f64::from_bits(*bits).into())
            }
            ViewTerm::Known(RdfTerm::Integer(number), _) => ExpressionTerm::IntegerLiteral((*number).into()),
            ViewTerm::Known(code @ (RdfTerm::Literal(_) | RdfTerm::Date(_)), _) => self.remembered(*code),
            ViewTerm::Known(code, _) => self.view.decode(*code).into(),
            ViewTerm::Foreign(term, _) => term.value(),
        })
    }

    fn internalize_expression_term(&self, term: ExpressionTerm) -> Result<ViewTerm, Halted> {
        if triple_depth(&term) > DEEPEST_TRIPLE || text_length(&term) > self.account.longest_text {
            return Err(self.account.halt(Limit::Memory));
        }
        let value = (text_length(&term) == 0).then(|| term.clone());
        Ok(self.internal(term.into(), value))
    }
}

/// The bytes of a text; 0 for terms that cannot be long.
fn text_length(term: &ExpressionTerm) -> usize {
    match term {
        ExpressionTerm::NamedNode(iri) => iri.as_str().len(),
        ExpressionTerm::StringLiteral(value)
        | ExpressionTerm::LangStringLiteral { value, .. }
        | ExpressionTerm::DirLangStringLiteral { value, .. }
        | ExpressionTerm::OtherTypedLiteral { value, .. } => value.len(),
        ExpressionTerm::Triple(triple) => text_length(&triple.object),
        _ => 0,
    }
}

fn triple_depth(mut term: &ExpressionTerm) -> usize {
    let mut depth = 0;
    while let ExpressionTerm::Triple(triple) = term {
        depth += 1;
        term = &triple.object;
    }
    depth
}

/// The triples that match a pattern, each counted in the budget.
struct Quads<'a> {
    triples: Option<Triples<'a>>,
    graph: Option<ViewTerm>,
    account: &'a Account<'a>,
}

impl Iterator for Quads<'_> {
    type Item = Result<InternalQuad<ViewTerm>, Halted>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let triples = self.triples.as_mut()?;
        checkpoint();
        // A look-up that finds nothing also has a cost.
        if let Err(halted) = self.account.spend() {
            self.triples = None;
            return Some(Err(halted));
        }
        let [subject, predicate, object] = triples.next()?;
        Some(Ok(InternalQuad {
            subject: ViewTerm::known(subject),
            predicate: ViewTerm::known(predicate),
            object: ViewTerm::known(object),
            graph_name: self.graph.clone(),
        }))
    }
}

/// Resumes unwinding if this is any other panic.
pub(super) fn expect_halt(thrown: Box<dyn std::any::Any + Send>) {
    if !thrown.is::<Halt>() {
        resume_unwind(thrown);
    }
}
