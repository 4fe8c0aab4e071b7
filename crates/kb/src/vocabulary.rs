//! Which IRIs a KB's *direct* RDF view uses for what every KB has: types, labels, the class hierarchy.

use serde::{Deserialize, Serialize};

/// The family of IRIs, after the source of the KB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Vocabulary {
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
/// The namespace of what only Touchstone says: units, inverse labels, domains of the schema.
pub const TOUCHSTONE: &str = "urn:touchstone:schema:";

/// What an IRI of the vocabulary stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Term {
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

impl Term {
    /// All of them.
    pub const ALL: [Term; 20] = [
        Term::Type,
        Term::Label,
        Term::Alias,
        Term::Description,
        Term::SubClassOf,
        Term::Class,
        Term::Relation,
        Term::Attribute,
        Term::QualifierKey,
        Term::SchemaType,
        Term::PropertyLabel,
        Term::PropertyDescription,
        Term::Domain,
        Term::Range,
        Term::InverseOf,
        Term::Symmetric,
        Term::Reifies,
        Term::InverseLabel,
        Term::Unit,
        Term::Group,
    ];
}

impl Vocabulary {
    /// The first term with the same IRI: one IRI, one term.
    pub fn canonical(self, term: Term) -> Term {
        let iri = self.iri(term);
        Term::ALL.into_iter().find(|&t| self.iri(t) == iri).unwrap_or(term)
    }

    /// The term that an IRI stands for.
    pub fn term(self, iri: &str) -> Option<Term> {
        Term::ALL.into_iter().find(|&t| self.iri(t) == iri)
    }

    /// The IRI of a term.
    pub fn iri(self, term: Term) -> &'static str {
        use Vocabulary::*;
        match (term, self) {
            (Term::Type, Freebase) => "http://rdf.freebase.com/ns/type.object.type",
            (Term::Type, Wikidata) => "http://www.wikidata.org/prop/direct/P31",
            (Term::Type | Term::SchemaType, _) => "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
            (Term::Label, Freebase) => "http://rdf.freebase.com/ns/type.object.name",
            (Term::Label | Term::PropertyLabel, _) => "http://www.w3.org/2000/01/rdf-schema#label",
            (Term::Alias, Freebase) => "http://rdf.freebase.com/ns/common.topic.alias",
            (Term::Alias, _) => "http://www.w3.org/2004/02/skos/core#altLabel",
            (Term::Description, Freebase) => "http://rdf.freebase.com/ns/common.topic.description",
            (Term::Description, Wikidata) => "http://schema.org/description",
            (Term::Description | Term::PropertyDescription, _) => {
                "http://www.w3.org/2000/01/rdf-schema#comment"
            }
            (Term::SubClassOf, Wikidata) => "http://www.wikidata.org/prop/direct/P279",
            (Term::SubClassOf, _) => "http://www.w3.org/2000/01/rdf-schema#subClassOf",
            (Term::Class, _) => "http://www.w3.org/2000/01/rdf-schema#Class",
            (Term::Relation, _) => "http://www.w3.org/2002/07/owl#ObjectProperty",
            (Term::Attribute, _) => "http://www.w3.org/2002/07/owl#DatatypeProperty",
            (Term::QualifierKey, _) => "urn:touchstone:schema:Qualifier",
            (Term::Domain, _) => "http://www.w3.org/2000/01/rdf-schema#domain",
            (Term::Range, _) => "http://www.w3.org/2000/01/rdf-schema#range",
            (Term::InverseOf, _) => "http://www.w3.org/2002/07/owl#inverseOf",
            (Term::Symmetric, _) => "http://www.w3.org/2002/07/owl#SymmetricProperty",
            (Term::Reifies, _) => "http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies",
            (Term::InverseLabel, _) => "urn:touchstone:schema:inverseLabel",
            (Term::Unit, _) => "urn:touchstone:schema:unit",
            (Term::Group, _) => "urn:touchstone:schema:group",
        }
    }
}
