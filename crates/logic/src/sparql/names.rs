//! IRIs and the words that the algebra has for them.

use crate::value::Value;
use spargebra::term::Literal;
use touchstone_kb::rdf::KQAPRO_BASE;
use touchstone_kb::{FREEBASE, UNIT_NAMESPACE, iri};

const WIKIDATA_ENTITY: &str = "http://www.wikidata.org/entity/";
const WIKIDATA_DIRECT: &str = "http://www.wikidata.org/prop/direct/";
const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const FREEBASE_TYPE: &str = "http://rdf.freebase.com/ns/type.object.type";
const WIKIDATA_TYPE: &str = "http://www.wikidata.org/prop/direct/P31";

/// Which names stand for which IRIs: those of Freebase and Wikidata without their namespace, those of a KB's own base without the base.
#[derive(Debug, Clone, Default)]
pub struct Namespaces {
    /// The base of a KB whose ids are no IRIs.
    pub base: Option<String>,
}

impl Namespaces {
    /// The word for an entity or class.
    pub fn node(&self, text: &str) -> String {
        for namespace in [FREEBASE, WIKIDATA_ENTITY] {
            if let Some(local) = text.strip_prefix(namespace) {
                return iri::decode(local).into_owned();
            }
        }
        match self.base.as_deref().and_then(|base| text.strip_prefix(base)) {
            Some(local) => iri::decode(local).into_owned(),
            // Relative IRIs were put behind the base of the parser.
            None => text.strip_prefix(KQAPRO_BASE).map_or_else(
                || text.to_owned(),
                |local| iri::decode(local.strip_prefix("property:").unwrap_or(local)).into_owned(),
            ),
        }
    }

    /// The word for a relation or attribute.
    pub fn property(&self, text: &str) -> String {
        for namespace in [FREEBASE, WIKIDATA_DIRECT] {
            if let Some(local) = text.strip_prefix(namespace) {
                return iri::decode(local).into_owned();
            }
        }
        match self.base.as_deref().and_then(|base| text.strip_prefix(base)?.strip_prefix("property:")) {
            Some(local) => iri::decode(local).into_owned(),
            // Relative IRIs were put behind the base of the parser.
            None => text.strip_prefix(KQAPRO_BASE).map_or_else(
                || text.to_owned(),
                |local| iri::decode(local.strip_prefix("property:").unwrap_or(local)).into_owned(),
            ),
        }
    }

    /// Whether the predicate says that its subject is a member of a class.
    pub fn is_type(&self, iri: &str) -> bool {
        matches!(iri, RDF_TYPE | FREEBASE_TYPE | WIKIDATA_TYPE)
    }

    /// The value of a literal.
    pub fn value(&self, literal: &Literal) -> Value {
        if let Some(language) = literal.language() {
            return Value { language: language.into(), ..Value::text(literal.value()) };
        }
        let datatype = literal.datatype();
        if let Some(unit) = datatype.as_str().strip_prefix(UNIT_NAMESPACE) {
            return Value { unit: iri::decode(unit).into(), ..Value::xsd(literal.value(), "double") };
        }
        Value::typed(literal.value(), datatype.as_str().to_owned()).without_zone()
    }
}

/// KQA Pro's own predicates.
pub(super) mod kqapro {
    pub(in crate::sparql) const ALL: [&str; 9] =
        [NAME, INSTANCE_OF, VALUE, UNIT, YEAR, DATE, FACT_H, FACT_R, FACT_T];
    pub(in crate::sparql) const NAME: &str = "pred:name";
    pub(in crate::sparql) const INSTANCE_OF: &str = "pred:instance_of";
    pub(in crate::sparql) const VALUE: &str = "pred:value";
    pub(in crate::sparql) const UNIT: &str = "pred:unit";
    pub(in crate::sparql) const YEAR: &str = "pred:year";
    pub(in crate::sparql) const DATE: &str = "pred:date";
    pub(in crate::sparql) const FACT_H: &str = "pred:fact_h";
    pub(in crate::sparql) const FACT_R: &str = "pred:fact_r";
    pub(in crate::sparql) const FACT_T: &str = "pred:fact_t";
}

/// The name of a relation or key of KQA Pro: its IRI is the name with `_` for blanks.
pub(super) fn kqapro_name(text: &str) -> String {
    iri::decode(&text.strip_prefix(KQAPRO_BASE).unwrap_or(text).replace('_', " ")).into_owned()
}

/// The id of an entity of KQA Pro.
pub(super) fn kqapro_id(text: &str) -> String {
    iri::decode(text.strip_prefix(KQAPRO_BASE).unwrap_or(text)).into_owned()
}
