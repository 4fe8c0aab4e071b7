//! The triples of an RDF file in the *direct* view: facts of the model, and the other triples of the file.
//! Nothing else is shown; the triples that the model derives from the file are in a separate graph, [`MODEL_GRAPH`](super::MODEL_GRAPH).

use super::direct_lookup::as_f64;
use super::{DirectView, Position, RdfTerm, RdfTriple, Triples};
use crate::ids::{ClassId, Property};
use crate::store::Kb;
use crate::store::asserted::{AssertedColumns, AssertedTerm};
use crate::vocabulary::VocabularyTerm;
use hashbrown::HashMap;
use oxrdf::{BlankNode, NamedNode, Term};
use std::str::FromStr;

/// The asserted triples of a KB, with the codes of the terms that the model knows under another name.
pub(super) struct AssertedTriples<'k> {
    columns: &'k AssertedColumns,
    /// Properties, qualifier keys and words of the vocabulary among the texts of asserted triples.
    codes: HashMap<u32, RdfTerm>,
    /// The same the other way around.
    texts: HashMap<RdfTerm, u32>,
}

impl<'k> AssertedTriples<'k> {
    /// For a KB imported from RDF. `known` are the terms of the schema, each with its IRI.
    pub(super) fn new(
        kb: &'k Kb,
        known: impl Iterator<Item = (String, RdfTerm)>,
    ) -> Option<AssertedTriples<'k>> {
        let columns = kb.asserted.as_ref()?;
        let (mut codes, mut texts) = (HashMap::new(), HashMap::new());
        for (iri, term) in known {
            if let Some(text) = columns.find(&iri) {
                codes.entry(text).or_insert(term);
                texts.entry(term).or_insert(text);
            }
        }
        Some(AssertedTriples { columns, codes, texts })
    }

    fn code(&self, term: AssertedTerm) -> RdfTerm {
        match term {
            AssertedTerm::Node(node) => RdfTerm::Node(node),
            AssertedTerm::Literal(literal) => RdfTerm::Literal(literal),
            AssertedTerm::Other(text) => self.codes.get(&text).copied().unwrap_or(RdfTerm::Asserted(text)),
        }
    }

    /// `None` for a term that no asserted triple has.
    fn term(&self, code: RdfTerm) -> Option<AssertedTerm> {
        match code {
            RdfTerm::Node(node) => Some(AssertedTerm::Node(node)),
            RdfTerm::Literal(literal) => Some(AssertedTerm::Literal(literal)),
            RdfTerm::Asserted(text) => Some(AssertedTerm::Other(text)),
            other => self.texts.get(&other).copied().map(AssertedTerm::Other),
        }
    }

    /// The code of a text: an IRI, a blank node or a triple term.
    pub(super) fn find(&self, text: &str) -> Option<RdfTerm> {
        self.columns.find(text).map(|text| self.code(AssertedTerm::Other(text)))
    }

    /// The term of [`RdfTerm::Asserted`].
    pub(super) fn decode(&self, text: u32) -> Term {
        let text = self.columns.text(text);
        if let Some(label) = text.strip_prefix("_:") {
            return Term::BlankNode(BlankNode::new_unchecked(label));
        }
        match Term::from_str(text) {
            Ok(triple @ Term::Triple(_)) => triple,
            _ => Term::NamedNode(NamedNode::new_unchecked(text)),
        }
    }

    fn is_triple(&self, code: RdfTerm) -> bool {
        matches!(code, RdfTerm::Asserted(text) if self.columns.text(text).starts_with("<<("))
    }

    /// About how many asserted triples fit a pattern with a known predicate.
    pub(super) fn estimate(&self, subject_is_open: bool, predicate: RdfTerm, object: Position) -> f64 {
        let Some(predicate) = self.term(predicate) else { return 0.0 };
        if !subject_is_open {
            return if object.is_open() { 1.2 } else { 0.3 };
        }
        match object {
            Position::Term(object) => {
                self.term(object).map_or(0.0, |object| as_f64(self.columns.count(predicate, Some(object))))
            }
            Position::Open => as_f64(self.columns.count(predicate, None)),
            Position::Bound => as_f64(self.columns.count(predicate, None)).sqrt(),
        }
    }

    pub(super) fn matching(
        &self,
        subject: Option<RdfTerm>,
        predicate: Option<RdfTerm>,
        object: Option<RdfTerm>,
    ) -> Triples<'_> {
        let term = |code: Option<RdfTerm>| match code {
            None => Some(None),
            Some(code) => self.term(code).map(Some),
        };
        match (term(subject), term(predicate), term(object)) {
            (Some(subject), Some(predicate), Some(object)) => {
                let triples = self.columns.matching(subject, predicate, object);
                Box::new(triples.map(|triple| triple.map(|term| self.code(term))))
            }
            _ => Box::new(std::iter::empty()),
        }
    }
}

impl DirectView<'_> {
    /// The triples of the RDF file that match a pattern.
    pub(super) fn exactly_matching<'v>(
        &'v self,
        asserted: &'v AssertedTriples<'_>,
        subject: Option<RdfTerm>,
        predicate: Option<RdfTerm>,
        object: Option<RdfTerm>,
    ) -> Triples<'v> {
        let facts = match (subject, predicate, object) {
            (Some(RdfTerm::Node(node)), None, _) => self.facts_about(node),
            (Some(RdfTerm::Node(node)), Some(predicate), _) => self.facts_of(node, predicate),
            (Some(_), ..) => Box::new(std::iter::empty()),
            (None, Some(predicate), object) => {
                let (relation, attribute) = self.properties_of(predicate);
                let by_relation = relation.into_iter().flat_map(move |r| self.relation_triples(r, object));
                let by_attribute = attribute.into_iter().flat_map(move |a| self.attribute_triples(a, object));
                Box::new(by_relation.chain(by_attribute))
            }
            (None, None, Some(object)) => self.facts_with_value(object),
            (None, None, None) => Box::new(self.kb.nodes().flat_map(|node| self.facts_about(node))),
        };
        let fits = move |triple: &RdfTriple| {
            let wanted = [subject, predicate, object];
            wanted.iter().zip(triple).all(|(wanted, found)| wanted.is_none_or(|wanted| wanted == *found))
        };
        Box::new(facts.filter(fits).chain(asserted.matching(subject, predicate, object)))
    }

    /// Whether the triples with the IRI of a class as their type are exactly its direct members. Always true if the
    /// view is derived from the model.
    pub fn types_are_members(&self, class: ClassId) -> bool {
        let Some(asserted) = &self.asserted else { return true };
        let (Some(rdf_type), class_term) =
            (asserted.term(self.word(VocabularyTerm::Type)), RdfTerm::Node(self.kb.class_node(class)))
        else {
            return self.kb.direct_members(class).is_empty();
        };
        asserted.columns.count(rdf_type, asserted.term(class_term)) == self.kb.direct_members(class).len()
    }

    /// Whether the triples with the IRI of a property as their predicate are exactly its facts. With `reifiers`, those
    /// whose subject is the name of a triple are allowed as well. Always true if the view is derived from the model.
    pub fn triples_are_facts(&self, property: Property, reifiers: bool) -> bool {
        let Some(asserted) = &self.asserted else { return true };
        let Some(predicate) = asserted.term(self.property_term(property)) else { return true };
        if !reifiers || asserted.columns.count(predicate, None) == 0 {
            return asserted.columns.count(predicate, None) == 0;
        }
        asserted.columns.matching(None, Some(predicate), None).all(|[subject, ..]| {
            let subject = asserted.code(subject);
            asserted.matching(Some(subject), Some(self.word(VocabularyTerm::Reifies)), None).next().is_some()
        })
    }

    /// The predicates of triples besides the facts that lead to something other than a literal; none if the view is
    /// derived from the model.
    pub fn linking_predicates(&self) -> Vec<RdfTerm> {
        let Some(asserted) = &self.asserted else { return Vec::new() };
        asserted.columns.linking_predicates().into_iter().map(|term| asserted.code(term)).collect()
    }

    /// Whether a triple names another triple, or has such a name as its subject.
    pub(crate) fn is_about_a_triple(&self, triple: &RdfTriple) -> bool {
        match &self.asserted {
            None => matches!(triple[0], RdfTerm::Fact(_)),
            Some(asserted) => {
                let names =
                    asserted.matching(Some(triple[0]), Some(self.word(VocabularyTerm::Reifies)), None);
                names.chain([*triple]).any(|[.., object]| asserted.is_triple(object))
            }
        }
    }
}
