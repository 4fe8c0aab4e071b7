//! RDF views of a KB: the same columns seen as triples, without a second copy.
//!
//! - [`DirectView`]: `subject property value`, with the vocabulary of the source; quantities in the usual unit
//!   of their attribute are plain numbers; facts with qualifiers have a name that reifies the triple (RDF 1.2).
//!   A KB imported from RDF shows the triples of the file and no others; see [`MODEL_GRAPH`].
//! - [`KqaProView`]: KQA Pro's graph: a node for every value and every fact.
//!
//! Terms are small copyable codes ([`RdfTerm`]); two terms are the same RDF term if and only if their codes
//! are equal. `encode` and `decode` translate to and from `oxrdf`.

mod asserted;
mod direct;
mod direct_lookup;
mod direct_schema;
mod direct_terms;
mod kqapro;
mod kqapro_lookup;
mod kqapro_values;
mod literal_memo;
pub(crate) mod literals;

pub use direct::DirectView;
pub use kqapro::{KQAPRO_BASE, KqaProView};

use crate::ids::{AttributeId, FactId, LiteralId, NodeId, QualifierId, RelationId};
use crate::vocabulary::VocabularyTerm;
use oxrdf::{NamedOrBlankNode, Term, Triple};
use std::ops::ControlFlow;

/// An RDF term of a view.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RdfTerm {
    /// An entity or a class.
    Node(NodeId),
    /// A relation.
    Relation(RelationId),
    /// An attribute whose IRI is not also that of a relation.
    Attribute(AttributeId),
    /// A qualifier key whose IRI is not also that of a property.
    Qualifier(QualifierId),
    /// An IRI of the vocabulary.
    Vocabulary(VocabularyTerm),
    /// A literal.
    Literal(LiteralId),
    /// A number without a unit, of an attribute that usually has one.
    Dimensionless(LiteralId),
    /// A text of the schema (unit or domain), as a position in the view's own list.
    SchemaText(u32),
    /// The name of a fact.
    Fact(FactId),
    /// The triple of a fact, as a term.
    Quoted(FactId),
    /// The value node of a fact (KQA Pro).
    ValueOf(FactId),
    /// The value node of a qualifier, by its position (KQA Pro).
    QualifierValueOf(u32),
    /// A property IRI made from a name, as a position in the view's own list (KQA Pro).
    Key(u32),
    /// A term of an RDF file that is not part of the model, as a position in the store's list of them.
    Asserted(u32),
    /// A fixed predicate of KQA Pro's graph.
    Predicate(KqaProPredicate),
    /// A number (KQA Pro), by its bits.
    Double(u64),
    /// A year (KQA Pro).
    Integer(i64),
    /// A day (KQA Pro), as a packed time.
    Date(i64),
}

/// The fixed predicates of KQA Pro's graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum KqaProPredicate {
    Name,
    InstanceOf,
    FactSubject,
    FactRelation,
    FactValue,
    Value,
    Unit,
    Year,
    Date,
}

impl KqaProPredicate {
    /// All of them.
    pub const ALL: [KqaProPredicate; 9] = [
        KqaProPredicate::Name,
        KqaProPredicate::InstanceOf,
        KqaProPredicate::FactSubject,
        KqaProPredicate::FactRelation,
        KqaProPredicate::FactValue,
        KqaProPredicate::Value,
        KqaProPredicate::Unit,
        KqaProPredicate::Year,
        KqaProPredicate::Date,
    ];

    /// The IRI, as in KQA Pro's queries.
    pub const fn iri(self) -> &'static str {
        match self {
            KqaProPredicate::Name => "pred:name",
            KqaProPredicate::InstanceOf => "pred:instance_of",
            KqaProPredicate::FactSubject => "pred:fact_h",
            KqaProPredicate::FactRelation => "pred:fact_r",
            KqaProPredicate::FactValue => "pred:fact_t",
            KqaProPredicate::Value => "pred:value",
            KqaProPredicate::Unit => "pred:unit",
            KqaProPredicate::Year => "pred:year",
            KqaProPredicate::Date => "pred:date",
        }
    }
}

/// A triple of a view.
pub type RdfTriple = [RdfTerm; 3];

/// Triples that a look-up yields.
pub type Triples<'a> = Box<dyn Iterator<Item = RdfTriple> + 'a>;

/// Receives the triples of a look-up, one by one, and decides whether more are wanted.
pub type TripleSink<'s> = &'s mut dyn FnMut(RdfTriple) -> ControlFlow<()>;

/// What is known of one position of a pattern when its triples are estimated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// Any term fits.
    Open,
    /// One term fits; which one is not known yet.
    Bound,
    /// This term fits.
    Term(RdfTerm),
}

impl Position {
    /// Whether any term fits.
    pub fn is_open(self) -> bool {
        self == Position::Open
    }
}

/// The graph that the model derives from an RDF file: names, classes, kinds of properties, inverses. The triples
/// of the file itself are in the default graph.
pub const MODEL_GRAPH: &str = "urn:touchstone:model";

/// A KB seen as RDF.
pub trait RdfView: Sync {
    /// All triples, each once.
    fn triples(&self) -> Triples<'_> {
        self.matching(None, None, None)
    }

    /// The triples that match a pattern; `None` matches everything.
    fn matching(
        &self,
        subject: Option<RdfTerm>,
        predicate: Option<RdfTerm>,
        object: Option<RdfTerm>,
    ) -> Triples<'_>;

    /// The triples of [`MODEL_GRAPH`] that match a pattern; `None` if there is no such graph because the default graph
    /// is derived from the model.
    fn matching_in_model(
        &self,
        _subject: Option<RdfTerm>,
        _predicate: Option<RdfTerm>,
        _object: Option<RdfTerm>,
    ) -> Option<Triples<'_>> {
        None
    }

    /// Passes the triples that fit a pattern to a sink, each once: the same as [`RdfView::matching`], without an iterator on the heap for
    /// the usual patterns.
    fn for_each_match(
        &self,
        subject: Option<RdfTerm>,
        predicate: Option<RdfTerm>,
        object: Option<RdfTerm>,
        sink: TripleSink<'_>,
    ) -> ControlFlow<()> {
        self.matching(subject, predicate, object).try_for_each(sink)
    }

    /// About how many triples fit a pattern; for planning only. Below 1 where most look-ups find nothing.
    fn estimate(&self, subject: Position, predicate: Position, object: Position) -> f64;

    /// The triple that a triple term is made of; `None` for other terms, and where triple terms need not be triples of the view.
    fn quoted_triple(&self, _term: RdfTerm) -> Option<RdfTriple> {
        None
    }

    /// The triple term of a triple; `None` if no such term occurs in the view.
    fn triple_term(&self, _triple: RdfTriple) -> Option<RdfTerm> {
        None
    }

    /// Whether every triple term of the view is made of one of its triples.
    fn quotes_own_triples_only(&self) -> bool {
        true
    }

    /// Whether there may be finite numbers of type `xsd:double`.
    fn has_doubles(&self) -> bool {
        true
    }

    /// The code of a term; `None` if it does not occur in this view.
    fn encode(&self, term: &Term) -> Option<RdfTerm>;

    /// The term of a code that came from this view.
    fn decode(&self, term: RdfTerm) -> Term;

    /// A triple in terms of `oxrdf`; `None` if it is not a valid triple, which does not happen for triples
    /// that come from a view.
    fn decode_triple(&self, [subject, predicate, object]: RdfTriple) -> Option<Triple> {
        let subject = match self.decode(subject) {
            Term::NamedNode(node) => NamedOrBlankNode::NamedNode(node),
            Term::BlankNode(node) => NamedOrBlankNode::BlankNode(node),
            Term::Literal(_) | Term::Triple(_) => return None,
        };
        let Term::NamedNode(predicate) = self.decode(predicate) else { return None };
        Some(Triple { subject, predicate, object: self.decode(object) })
    }
}

/// A superset of the triples that match a pattern, each at most once.
trait Candidates {
    /// For a known subject.
    fn with_subject(&self, subject: RdfTerm, predicate: Option<RdfTerm>) -> Triples<'_>;
    /// For an open subject and a known predicate.
    fn with_predicate(&self, predicate: RdfTerm, object: Option<RdfTerm>) -> Triples<'_>;
    /// For an open subject and predicate and a known object.
    fn with_object(&self, object: RdfTerm) -> Triples<'_>;
    /// For an open pattern.
    fn all(&self) -> Triples<'_>;
}

/// The triples of a view that match a pattern.
fn matching(
    view: &impl Candidates,
    subject: Option<RdfTerm>,
    predicate: Option<RdfTerm>,
    object: Option<RdfTerm>,
) -> Triples<'_> {
    let candidates = match (subject, predicate, object) {
        (Some(subject), predicate, _) => view.with_subject(subject, predicate),
        (None, Some(predicate), object) => view.with_predicate(predicate, object),
        (None, None, Some(object)) => view.with_object(object),
        (None, None, None) => view.all(),
    };
    let fits = |wanted: Option<RdfTerm>, found: RdfTerm| wanted.is_none_or(|wanted| wanted == found);
    Box::new(candidates.filter(move |t| fits(subject, t[0]) && fits(predicate, t[1]) && fits(object, t[2])))
}
