//! The IRIs of a KB's *direct* RDF view for types, labels and the class hierarchy.

use serde::{Deserialize, Serialize};

/// The family of IRIs, after the source of the KB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RdfVocabulary {
    /// RDF Schema and SKOS; also DBpedia's.
    #[default]
    Rdfs,
    /// Freebase: `type.object.type`, `type.object.name`, `common.topic.alias`.
    Freebase,
    /// Wikidata: `wdt:P31`, `wdt:P279`, `schema:description`.
    Wikidata,
}

/// The namespace of RDF.
pub const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
/// The namespace of RDF Schema.
pub const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
/// The namespace of OWL.
pub const OWL: &str = "http://www.w3.org/2002/07/owl#";
/// The namespace of SKOS.
pub const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
/// The namespace of Freebase.
pub const FREEBASE: &str = "http://rdf.freebase.com/ns/";
/// The namespace of Touchstone's own terms: units, inverse labels, domains of the schema.
pub(crate) const TOUCHSTONE: &str = "urn:touchstone:schema:";

/// The meaning of an IRI of the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum VocabularyTerm {
    Type,
    Label,
    Alias,
    Description,
    SubClassOf,
    Class,
    Relation,
    Attribute,
    QualifierKey,
    SchemaType,
    PropertyLabel,
    PropertyDescription,
    Domain,
    Range,
    InverseOf,
    Symmetric,
    Reifies,
    InverseLabel,
    Unit,
    Group,
}

impl VocabularyTerm {
    /// All of them.
    pub const ALL: [VocabularyTerm; 20] = [
        VocabularyTerm::Type,
        VocabularyTerm::Label,
        VocabularyTerm::Alias,
        VocabularyTerm::Description,
        VocabularyTerm::SubClassOf,
        VocabularyTerm::Class,
        VocabularyTerm::Relation,
        VocabularyTerm::Attribute,
        VocabularyTerm::QualifierKey,
        VocabularyTerm::SchemaType,
        VocabularyTerm::PropertyLabel,
        VocabularyTerm::PropertyDescription,
        VocabularyTerm::Domain,
        VocabularyTerm::Range,
        VocabularyTerm::InverseOf,
        VocabularyTerm::Symmetric,
        VocabularyTerm::Reifies,
        VocabularyTerm::InverseLabel,
        VocabularyTerm::Unit,
        VocabularyTerm::Group,
    ];
}

impl RdfVocabulary {
    /// The first term with the same IRI: one IRI, one term.
    pub fn canonical(self, term: VocabularyTerm) -> VocabularyTerm {
        let iri = self.iri(term);
        VocabularyTerm::ALL.into_iter().find(|&t| self.iri(t) == iri).unwrap_or(term)
    }

    /// The term that an IRI stands for.
    pub fn term(self, iri: &str) -> Option<VocabularyTerm> {
        VocabularyTerm::ALL.into_iter().find(|&t| self.iri(t) == iri)
    }

    /// The IRI of a term.
    pub fn iri(self, term: VocabularyTerm) -> &'static str {
        use RdfVocabulary::*;
        match (term, self) {
            (VocabularyTerm::Type, Freebase) => "http://rdf.freebase.com/ns/type.object.type",
            (VocabularyTerm::Type, Wikidata) => "http://www.wikidata.org/prop/direct/P31",
            (VocabularyTerm::Type | VocabularyTerm::SchemaType, _) => {
                "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
            }
            (VocabularyTerm::Label, Freebase) => "http://rdf.freebase.com/ns/type.object.name",
            (VocabularyTerm::Label | VocabularyTerm::PropertyLabel, _) => {
                "http://www.w3.org/2000/01/rdf-schema#label"
            }
            (VocabularyTerm::Alias, Freebase) => "http://rdf.freebase.com/ns/common.topic.alias",
            (VocabularyTerm::Alias, _) => "http://www.w3.org/2004/02/skos/core#altLabel",
            (VocabularyTerm::Description, Freebase) => "http://rdf.freebase.com/ns/common.topic.description",
            (VocabularyTerm::Description, Wikidata) => "http://schema.org/description",
            (VocabularyTerm::Description | VocabularyTerm::PropertyDescription, _) => {
                "http://www.w3.org/2000/01/rdf-schema#comment"
            }
            (VocabularyTerm::SubClassOf, Wikidata) => "http://www.wikidata.org/prop/direct/P279",
            (VocabularyTerm::SubClassOf, _) => "http://www.w3.org/2000/01/rdf-schema#subClassOf",
            (VocabularyTerm::Class, _) => "http://www.w3.org/2000/01/rdf-schema#Class",
            (VocabularyTerm::Relation, _) => "http://www.w3.org/2002/07/owl#ObjectProperty",
            (VocabularyTerm::Attribute, _) => "http://www.w3.org/2002/07/owl#DatatypeProperty",
            (VocabularyTerm::QualifierKey, _) => "urn:touchstone:schema:Qualifier",
            (VocabularyTerm::Domain, _) => "http://www.w3.org/2000/01/rdf-schema#domain",
            (VocabularyTerm::Range, _) => "http://www.w3.org/2000/01/rdf-schema#range",
            (VocabularyTerm::InverseOf, _) => "http://www.w3.org/2002/07/owl#inverseOf",
            (VocabularyTerm::Symmetric, _) => "http://www.w3.org/2002/07/owl#SymmetricProperty",
            (VocabularyTerm::Reifies, _) => "http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies",
            (VocabularyTerm::InverseLabel, _) => "urn:touchstone:schema:inverseLabel",
            (VocabularyTerm::Unit, _) => "urn:touchstone:schema:unit",
            (VocabularyTerm::Group, _) => "urn:touchstone:schema:group",
        }
    }
}
