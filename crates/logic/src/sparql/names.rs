//! IRIs and the words that the algebra has for them.

use crate::value::Value;
use spargebra::term::Literal;
use touchstone_kb::rdf::KQAPRO_BASE;
use touchstone_kb::{FREEBASE, XSD};

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
    pub fn node(&self, iri: &str) -> String {
        for namespace in [FREEBASE, WIKIDATA_ENTITY] {
            if let Some(local) = iri.strip_prefix(namespace) {
                return local.to_owned();
            }
        }
        match self.base.as_deref().and_then(|base| iri.strip_prefix(base)) {
            Some(local) => decoded(local),
            None => iri.to_owned(),
        }
    }

    /// The word for a relation or attribute.
    pub fn property(&self, iri: &str) -> String {
        for namespace in [FREEBASE, WIKIDATA_DIRECT] {
            if let Some(local) = iri.strip_prefix(namespace) {
                return local.to_owned();
            }
        }
        match self.base.as_deref().and_then(|base| iri.strip_prefix(base)?.strip_prefix("property:")) {
            Some(local) => decoded(local),
            None => iri.to_owned(),
        }
    }

    /// Whether the predicate says that its subject is a member of a class.
    pub fn is_type(&self, iri: &str) -> bool {
        matches!(iri, RDF_TYPE | FREEBASE_TYPE | WIKIDATA_TYPE)
    }

    /// The value of a literal. Freebase's dump writes a time zone behind dates, which means nothing.
    pub fn value(&self, literal: &Literal) -> Value {
        if let Some(language) = literal.language() {
            return Value { language: language.to_owned(), ..Value::text(literal.value()) };
        }
        let datatype = literal.datatype();
        let name = datatype.as_str().strip_prefix(XSD).unwrap_or("");
        let text = match name {
            "gYear" | "gYearMonth" | "date" => {
                literal.value().strip_suffix("-08:00").unwrap_or(literal.value())
            }
            _ => literal.value(),
        };
        Value::typed(text, datatype.as_str())
    }
}

fn decoded(local: &str) -> String {
    let mut bytes = Vec::with_capacity(local.len());
    let mut rest = local.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail
            .get(..2)
            .and_then(|pair| std::str::from_utf8(pair).ok())
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (first, hex) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            (byte, _) => {
                bytes.push(*byte);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| local.to_owned())
}

/// KQA Pro's own predicates.
pub(super) mod kqapro {
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
pub(super) fn kqapro_name(iri: &str) -> String {
    iri.strip_prefix(KQAPRO_BASE).unwrap_or(iri).replace('_', " ")
}
