//! The meaning of predicates, by profile.

use super::Profile;
use super::wikidata_rdf::{self, StatementRole};
use crate::build::{KbBuilder, NameKind, RawProperty};
use crate::iri::IriScheme;
use crate::literal::{UNIT_NAMESPACE, XSD};
use crate::vocabulary::{FREEBASE, OWL, RDF, RDFS, SKOS, TOUCHSTONE};

/// DBpedia's entities.
pub(super) const DBPEDIA_RESOURCE: &str = "http://dbpedia.org/resource/";
/// DBpedia's datatypes, which are units.
pub(super) const DBPEDIA_DATATYPE: &str = "http://dbpedia.org/datatype/";
const DBPEDIA_ONTOLOGY: &str = "http://dbpedia.org/ontology/";
const DBPEDIA_PROPERTY: &str = "http://dbpedia.org/property/";
const FOAF: &str = "http://xmlns.com/foaf/0.1/";

/// The reason for leaving out metadata of the source.
pub(super) const HOUSEKEEPING: &str = "housekeeping of the source (versions, page links, ...)";

/// The role of a predicate's triples.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Type,
    /// The inverse of a type: class, instance.
    Instance,
    SubClassOf,
    Name(NameKind),
    /// The subject is an alias of the object.
    Redirect,
    Domain,
    Range,
    InverseOf,
    Reifies,
    InverseLabel,
    Unit,
    Group,
    /// The base of the ids of an exported KB.
    Base,
    Statement(StatementRole, RawProperty),
    /// The rank of a statement.
    Rank,
    /// A fact that is replaced by a statement.
    Truthy(RawProperty),
    Fact(RawProperty),
    Skip(&'static str),
}

/// The role of a predicate.
pub(super) fn role_of(profile: Profile, iri: &str, scheme: &IriScheme, builder: &mut KbBuilder) -> Role {
    let profile_role = match profile {
        Profile::Freebase => freebase_role(iri),
        Profile::Dbpedia => dbpedia_role(iri),
        Profile::Wikidata => wikidata_rdf::role(iri, builder),
        Profile::Rdfs => None,
    };
    if let Some(role) = profile_role {
        return role;
    }
    let local = |namespace: &str| iri.strip_prefix(namespace);
    let common = match (local(RDF), local(RDFS), local(OWL), local(SKOS), local(TOUCHSTONE)) {
        (Some("type"), ..) => Some(Role::Type),
        (Some("reifies"), ..) => Some(Role::Reifies),
        (_, Some("subClassOf"), ..) => Some(Role::SubClassOf),
        (_, Some("label"), ..) | (.., Some("prefLabel"), _) => Some(Role::Name(NameKind::Label)),
        (.., Some("altLabel"), _) => Some(Role::Name(NameKind::Alias)),
        (_, Some("comment"), ..) | (.., Some("definition"), _) => Some(Role::Name(NameKind::Description)),
        (_, Some("domain"), ..) => Some(Role::Domain),
        (_, Some("range"), ..) => Some(Role::Range),
        (_, _, Some("inverseOf"), ..) => Some(Role::InverseOf),
        (.., Some("inverseLabel")) => Some(Role::InverseLabel),
        (.., Some("unit")) => Some(Role::Unit),
        (.., Some("group")) => Some(Role::Group),
        (.., Some("base")) => Some(Role::Base),
        _ if iri == "http://schema.org/description" => Some(Role::Name(NameKind::Description)),
        _ => None,
    };
    common.unwrap_or_else(|| Role::Fact(builder.property(&scheme.resource(iri).id())))
}

fn freebase_role(iri: &str) -> Option<Role> {
    Some(match iri.strip_prefix(FREEBASE)? {
        "type.object.type" => Role::Type,
        "type.type.instance" => Role::Instance,
        "type.object.name" => Role::Name(NameKind::Label),
        "common.topic.alias" => Role::Name(NameKind::Alias),
        "common.topic.description" => Role::Name(NameKind::Description),
        _ => return None,
    })
}

fn dbpedia_role(iri: &str) -> Option<Role> {
    if let Some(local) = iri.strip_prefix(FOAF) {
        return match local {
            "name" => Some(Role::Name(NameKind::Alias)),
            "isPrimaryTopicOf" | "primaryTopic" | "depiction" | "homepage" => Some(Role::Skip(HOUSEKEEPING)),
            _ => None,
        };
    }
    if let Some(local) = iri.strip_prefix(DBPEDIA_ONTOLOGY) {
        return match local {
            "wikiPageRedirects" => Some(Role::Redirect),
            "abstract" => Some(Role::Skip("abstract (the comment is the description)")),
            "alias" => Some(Role::Name(NameKind::Alias)),
            "thumbnail" => Some(Role::Skip(HOUSEKEEPING)),
            _ if local.starts_with("wikiPage") => Some(Role::Skip(HOUSEKEEPING)),
            _ => None,
        };
    }
    let skipped = iri == "http://www.w3.org/ns/prov#wasDerivedFrom"
        || iri.strip_prefix(OWL) == Some("sameAs")
        || iri.strip_prefix(DBPEDIA_PROPERTY).is_some_and(|local| local.starts_with("wikiPageUses"));
    skipped.then_some(Role::Skip(HOUSEKEEPING))
}

/// Whether a range means that the values are literals.
pub(super) fn is_literal_range(iri: &str) -> bool {
    let rdf_types = ["langString", "dirLangString", "HTML", "XMLLiteral", "JSON", "PlainLiteral"];
    iri.starts_with(XSD)
        || iri.starts_with(DBPEDIA_DATATYPE)
        || iri.starts_with(UNIT_NAMESPACE)
        || iri.strip_prefix(RDFS) == Some("Literal")
        || iri.strip_prefix(RDF).is_some_and(|local| rdf_types.contains(&local))
}
