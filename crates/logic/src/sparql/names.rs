//! IRIs and the words that the algebra has for them.

use super::simplify::NAME_PROPERTIES;
use crate::value::Value;
use spargebra::term::Literal;
use touchstone_kb::rdf::KQAPRO_BASE;
use touchstone_kb::{FREEBASE, Kb, RdfVocabulary, UNIT_NAMESPACE, VocabularyTerm, iri};

const WIKIDATA_ENTITY: &str = "http://www.wikidata.org/entity/";
const WIKIDATA_DIRECT: &str = "http://www.wikidata.org/prop/direct/";
const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const FREEBASE_TYPE: &str = "http://rdf.freebase.com/ns/type.object.type";
const WIKIDATA_TYPE: &str = "http://www.wikidata.org/prop/direct/P31";

/// Which names stand for which IRIs.
///
/// With a KB, its manifest decides: only a Freebase KB has ids without Freebase's namespace, only a Wikidata KB ids without Wikidata's, and
/// the KB's own base is not part of an id. Without a KB (a published data set), both namespaces are dropped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Namespaces {
    /// The base of a KB whose ids are not IRIs.
    pub base: Option<String>,
    /// The KB's vocabulary; `None` without a KB.
    pub vocabulary: Option<RdfVocabulary>,
}

impl Namespaces {
    /// Those of a KB.
    pub fn of(kb: &Kb) -> Namespaces {
        let manifest = kb.manifest();
        Namespaces {
            base: Some(manifest.base.clone()).filter(|base| !base.is_empty()),
            vocabulary: Some(manifest.vocabulary),
        }
    }

    /// The word for an entity or class.
    pub fn node(&self, text: &str) -> String {
        if let Some(local) = self.without_namespace(text, WIKIDATA_ENTITY) {
            return local;
        }
        match self.base.as_deref().and_then(|base| text.strip_prefix(base)) {
            Some(local) => iri::decode(local).into_owned(),
            None => relative(text),
        }
    }

    /// The word for a relation or attribute.
    pub fn property(&self, text: &str) -> String {
        if let Some(local) = self.without_namespace(text, WIKIDATA_DIRECT) {
            return local;
        }
        match self.base.as_deref().and_then(|base| text.strip_prefix(base)?.strip_prefix("property:")) {
            Some(local) => iri::decode(local).into_owned(),
            None => relative(text),
        }
    }

    /// The id after Freebase's namespace or the given one of Wikidata, if ids go without it.
    fn without_namespace(&self, text: &str, wikidata: &str) -> Option<String> {
        let freebase = || text.strip_prefix(FREEBASE);
        let local = match self.vocabulary {
            None => freebase().or_else(|| text.strip_prefix(wikidata)),
            Some(RdfVocabulary::Freebase) => freebase(),
            Some(RdfVocabulary::Wikidata) => text.strip_prefix(wikidata),
            Some(RdfVocabulary::Rdfs) => None,
        };
        local.map(|local| iri::decode(local).into_owned())
    }

    /// Whether the predicate says that its subject is a member of a class.
    pub(crate) fn is_type(&self, iri: &str) -> bool {
        match self.vocabulary {
            None => matches!(iri, RDF_TYPE | FREEBASE_TYPE | WIKIDATA_TYPE),
            Some(vocabulary) => iri == RDF_TYPE || iri == vocabulary.iri(VocabularyTerm::Type),
        }
    }

    /// Whether the predicate leads to the name of its subject. Without a KB, any of the usual ones does.
    pub(crate) fn is_name(&self, iri: &str) -> bool {
        match self.vocabulary {
            None => NAME_PROPERTIES.contains(&iri),
            Some(vocabulary) => iri == NAME_PROPERTIES[0] || iri == vocabulary.iri(VocabularyTerm::Label),
        }
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

/// The word for a relative IRI, which the parser has appended to its base.
fn relative(text: &str) -> String {
    match text.strip_prefix(KQAPRO_BASE) {
        Some(local) => iri::decode(local.strip_prefix("property:").unwrap_or(local)).into_owned(),
        None => text.to_owned(),
    }
}

/// KQA Pro's own predicates.
pub(super) mod kqapro {
    use touchstone_kb::rdf::KqaProPredicate;

    pub(in crate::sparql) const ALL: [&str; 9] =
        [NAME, INSTANCE_OF, VALUE, UNIT, YEAR, DATE, FACT_H, FACT_R, FACT_T];
    pub(in crate::sparql) const NAME: &str = KqaProPredicate::Name.iri();
    pub(in crate::sparql) const INSTANCE_OF: &str = KqaProPredicate::InstanceOf.iri();
    pub(in crate::sparql) const VALUE: &str = KqaProPredicate::Value.iri();
    pub(in crate::sparql) const UNIT: &str = KqaProPredicate::Unit.iri();
    pub(in crate::sparql) const YEAR: &str = KqaProPredicate::Year.iri();
    pub(in crate::sparql) const DATE: &str = KqaProPredicate::Date.iri();
    pub(in crate::sparql) const FACT_H: &str = KqaProPredicate::FactSubject.iri();
    pub(in crate::sparql) const FACT_R: &str = KqaProPredicate::FactRelation.iri();
    pub(in crate::sparql) const FACT_T: &str = KqaProPredicate::FactValue.iri();
}

/// The name of a relation or key of KQA Pro: its IRI is the name with `_` for blanks.
pub(super) fn kqapro_name(text: &str) -> String {
    iri::decode(&text.strip_prefix(KQAPRO_BASE).unwrap_or(text).replace('_', " ")).into_owned()
}

/// The id of an entity of KQA Pro.
pub(super) fn kqapro_id(text: &str) -> String {
    iri::decode(text.strip_prefix(KQAPRO_BASE).unwrap_or(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOUGLAS: &str = "http://www.wikidata.org/entity/Q42";
    const DIRECT: &str = "http://www.wikidata.org/prop/direct/P19";

    #[test]
    fn only_a_kb_with_short_ids_loses_namespaces() {
        let of = |vocabulary| Namespaces { base: None, vocabulary };
        let topic = "http://rdf.freebase.com/ns/m.02";
        for (vocabulary, wikidata, freebase) in [
            (None, true, true),
            (Some(RdfVocabulary::Wikidata), true, false),
            (Some(RdfVocabulary::Freebase), false, true),
            (Some(RdfVocabulary::Rdfs), false, false),
        ] {
            let names = of(vocabulary);
            assert_eq!(names.node(DOUGLAS), if wikidata { "Q42" } else { DOUGLAS });
            assert_eq!(names.property(DIRECT), if wikidata { "P19" } else { DIRECT });
            assert_eq!(names.node(topic), if freebase { "m.02" } else { topic });
            assert_eq!(names.property(topic), if freebase { "m.02" } else { topic });
            assert_eq!(names.is_type(WIKIDATA_TYPE), wikidata);
            assert_eq!(names.is_type(FREEBASE_TYPE), freebase);
            assert!(names.is_type(RDF_TYPE));
        }
    }

    #[test]
    fn the_base_of_a_kb_is_not_part_of_its_ids() {
        let base = Some(WIKIDATA_ENTITY.to_owned());
        let names = Namespaces { base, vocabulary: Some(RdfVocabulary::Rdfs) };
        assert_eq!(names.node(DOUGLAS), "Q42");
        assert_eq!(names.property("http://www.wikidata.org/entity/property:a%20b"), "a b");
        assert_eq!(names.property(DIRECT), DIRECT);
    }
}
