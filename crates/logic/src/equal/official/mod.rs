//! GrailQA's exact match: whether two S-expressions have the same graph, decided as the official evaluator does.
//!
//! The evaluator's quirks are kept, since published scores depend on them: a relation that is not in the ontology
//! is dropped, the first argument decides the class of a merged node, and extra arguments and text after the
//! end are ignored. Two quirks are reproduced only with [`OfficialMatcher::legacy`]: spaces inside brackets
//! (`( AND a b )`) are an error, and comparing nodes changes them.

mod explain;
mod graph;
mod isomorphism;
mod reader;
mod replay;

use crate::ontology::Ontology;
use crate::text::Span;
use graph::{Graph, KnownNames};
use isomorphism::Isomorphism;
use reader::{Fault, Items, What};

/// The text that a system writes if it has no prediction. It matches nothing, wherever it occurs.
const UNKNOWN: &[u8] = b"@@UNKNOWN@@";

/// Compares S-expressions as GrailQA's evaluator does. Reuses its memory between comparisons.
#[derive(Debug)]
pub struct OfficialMatcher<'o> {
    names: KnownNames<'o>,
    legacy: bool,
    gold: Form,
    predicted: Form,
    isomorphism: Isomorphism,
}

/// The result of a comparison, with a reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfficialVerdict {
    /// Whether the forms match.
    pub equal: bool,
    /// Why they do not; or, in legacy mode, why they match only because of a bug.
    pub why: Option<String>,
}

/// One side of a comparison.
#[derive(Debug, Default)]
struct Form {
    items: Items,
    graph: Graph,
}

impl Form {
    fn read(&mut self, text: &str, lenient: bool, names: &mut KnownNames<'_>) -> Result<(), Fault> {
        if let Some(at) = memchr::memchr(b'@', text.as_bytes())
            && let Some(offset) = memchr::memmem::find(&text.as_bytes()[at..], UNKNOWN)
        {
            let span = Span::new(at + offset, at + offset + UNKNOWN.len());
            return Err(Fault { what: What::UnknownToken, span });
        }
        let root = self.items.read(text, lenient)?;
        self.graph.build(text, &self.items, root, names)
    }
}

impl<'o> OfficialMatcher<'o> {
    /// A matcher for forms over an ontology.
    pub fn new(ontology: &'o Ontology) -> OfficialMatcher<'o> {
        OfficialMatcher {
            names: KnownNames::new(ontology),
            legacy: false,
            gold: Form::default(),
            predicted: Form::default(),
            isomorphism: Isomorphism::default(),
        }
    }

    /// Whether to also reproduce the evaluator's bugs: a bracket between spaces makes a form unreadable, and
    /// comparing two nodes removes their functions and time constraints, so that they are missing when the search
    /// returns to the nodes. That makes about one pair in thousands equal or unequal by mistake.
    ///
    /// The search is replayed for graphs of up to 64 nodes, within a limit of about 10,000 steps for real forms, which
    /// have at most ten nodes. Beyond that, the verdict is the one without the bug.
    #[must_use]
    pub fn legacy(mut self, legacy: bool) -> OfficialMatcher<'o> {
        self.legacy = legacy;
        self
    }

    /// Whether the two forms match. A form that cannot be parsed matches nothing, not even itself.
    ///
    /// The order matters only in legacy mode.
    pub fn equal(&mut self, gold: &str, predicted: &str) -> bool {
        self.names.clear();
        if self.predicted.read(predicted, !self.legacy, &mut self.names).is_err() {
            return false;
        }
        if gold == predicted && !self.legacy {
            return true;
        }
        self.gold.read(gold, !self.legacy, &mut self.names).is_ok() && self.match_graphs()
    }

    /// Like [`OfficialMatcher::equal`], with the reason if the forms do not match. Slower.
    pub fn explain(&mut self, gold: &str, predicted: &str) -> OfficialVerdict {
        self.names.clear();
        for (form, text, side) in
            [(&mut self.gold, gold, "gold"), (&mut self.predicted, predicted, "predicted")]
        {
            if let Err(fault) = form.read(text, !self.legacy, &mut self.names) {
                return OfficialVerdict {
                    equal: false,
                    why: Some(format!("{side}: {}", fault.located(text))),
                };
            }
        }
        let equal = self.match_graphs();
        let unbiased = self.isomorphism.test(&self.predicted.graph, &self.gold.graph, true);
        let difference = if unbiased { None } else { Some(self.difference(gold, predicted)) };
        let why = match (equal, unbiased) {
            (true, true) => None,
            (true, false) => {
                difference.map(|why| format!("equal by a mistake of the official evaluator: {why}"))
            }
            (false, true) => Some("unequal by a mistake of the official evaluator".to_owned()),
            (false, false) => difference,
        };
        OfficialVerdict { equal, why }
    }

    fn match_graphs(&mut self) -> bool {
        // The evaluator passes the prediction first.
        let (one, two) = (&self.predicted.graph, &self.gold.graph);
        if self.legacy && one.nodes.iter().chain(&two.nodes).any(|&node| node != node.bare()) {
            if !self.isomorphism.test(one, two, false) {
                return false;
            }
            if let Some(verdict) = replay::replay(one, two) {
                return verdict;
            }
        }
        self.isomorphism.test(one, two, true)
    }
}

#[cfg(test)]
mod tests;
