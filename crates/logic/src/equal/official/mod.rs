//! GrailQA's exact match: whether two S-expressions have the same graph, decided as the official evaluator does.
//!
//! The evaluator's oddities are kept, since published scores depend on them: a relation that the ontology does not know
//! vanishes, of the classes that meet in a node the first argument's wins, arguments in excess and text after the
//! end are ignored. Two things are different unless [`OfficialMatcher::legacy`] asks for them: blanks inside brackets
//! (`( AND a b )`) are allowed, and comparing nodes does not change them.

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

/// What a system writes when it has no prediction. It matches nothing, wherever it stands.
const UNKNOWN: &[u8] = b"@@UNKNOWN@@";

/// Compares S-expressions as GrailQA's evaluator does. Keeps its memory from one comparison to the next.
#[derive(Debug)]
pub struct OfficialMatcher<'o> {
    names: KnownNames<'o>,
    legacy: bool,
    gold: Form,
    predicted: Form,
    isomorphism: Isomorphism,
}

/// The outcome of a comparison, with a reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfficialVerdict {
    /// Whether the forms match.
    pub equal: bool,
    /// Why they do not; or, in legacy mode, why they match only by mistake.
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
    /// A matcher for the forms over an ontology.
    pub fn new(ontology: &'o Ontology) -> OfficialMatcher<'o> {
        OfficialMatcher {
            names: KnownNames::new(ontology),
            legacy: false,
            gold: Form::default(),
            predicted: Form::default(),
            isomorphism: Isomorphism::default(),
        }
    }

    /// Whether the evaluator's mistakes are repeated too: a bracket between blanks makes a form unreadable, and
    /// comparing two nodes removes their functions and time constraints, so that they are not seen when the search
    /// comes back to the nodes. That makes about one pair in thousands equal or unequal by mistake.
    ///
    /// The search is followed for graphs of up to 64 nodes, and not without end: for real forms, which have ten nodes
    /// at most, for some 10,000 steps. Beyond that, the verdict is the one without the mistake.
    #[must_use]
    pub fn legacy(mut self, legacy: bool) -> OfficialMatcher<'o> {
        self.legacy = legacy;
        self
    }

    /// Whether the two forms match. A form that cannot be read matches nothing, not even itself.
    ///
    /// The order matters in legacy mode only.
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

    /// As [`OfficialMatcher::equal`], with the reason when the forms do not match. Slower.
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
