//! A KB with the data that engines need.

use crate::exact::ExactPrinter;
use crate::shortcut::{PlainNumbers, View};
use crate::terms::Views;
use crate::words::Words;
use std::sync::OnceLock;
use touchstone_kb::Kb;
use touchstone_kb::rdf::RdfView;

/// A KB with its names, its RDF views and its printers of exact SPARQL, each created on first use. Shared by threads; creating one
/// is cheap.
pub struct KbContext<'kb> {
    words: Words<'kb>,
    views: OnceLock<Views<'kb>>,
    direct_printer: OnceLock<ExactPrinter<'kb>>,
    kqapro_printer: OnceLock<ExactPrinter<'kb>>,
    pub(crate) numbers: PlainNumbers,
}

impl<'kb> KbContext<'kb> {
    /// A context for a KB.
    pub fn new(kb: &'kb Kb) -> KbContext<'kb> {
        KbContext {
            words: Words::new(kb),
            views: OnceLock::new(),
            direct_printer: OnceLock::new(),
            kqapro_printer: OnceLock::new(),
            numbers: PlainNumbers::default(),
        }
    }

    /// Does not suggest the nearest name for unknown ones (see [`Words::without_suggestions`]).
    pub fn without_suggestions(mut self) -> KbContext<'kb> {
        self.words = self.words.without_suggestions();
        self
    }

    /// The KB.
    pub fn kb(&self) -> &'kb Kb {
        self.words.kb()
    }

    /// Looks up names of queries in the KB.
    pub fn words(&self) -> &Words<'kb> {
        &self.words
    }

    /// The KB as RDF.
    pub fn rdf(&self, view: View) -> &dyn RdfView {
        self.views().get(view)
    }

    /// The printer of exact SPARQL for a view.
    pub fn printer(&self, view: View) -> &ExactPrinter<'kb> {
        let cell = match view {
            View::Direct => &self.direct_printer,
            View::KqaPro => &self.kqapro_printer,
        };
        cell.get_or_init(|| ExactPrinter::new(self.kb(), view))
    }

    pub(crate) fn views(&self) -> &Views<'kb> {
        self.views.get_or_init(|| Views::new(self.kb()))
    }
}
