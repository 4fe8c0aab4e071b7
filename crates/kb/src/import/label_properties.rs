//! The properties that the user chose as names: IRIs, or a well-known prefix and a name.

use crate::build::KbBuilder;
use crate::cast::index32;
use crate::error::KbError;
use crate::names::nearest_name;
use crate::store::readable_id;

/// Prefixes that need no declaration, with their namespaces.
const PREFIXES: [(&str, &[&str]); 14] = [
    ("rdfs", &["http://www.w3.org/2000/01/rdf-schema#"]),
    ("skos", &["http://www.w3.org/2004/02/skos/core#"]),
    ("foaf", &["http://xmlns.com/foaf/0.1/"]),
    ("schema", &["http://schema.org/", "https://schema.org/"]),
    ("dct", &["http://purl.org/dc/terms/"]),
    ("dcterms", &["http://purl.org/dc/terms/"]),
    ("dc", &["http://purl.org/dc/elements/1.1/"]),
    ("vcard", &["http://www.w3.org/2006/vcard/ns#"]),
    ("gn", &["http://www.geonames.org/ontology#"]),
    ("dbo", &["http://dbpedia.org/ontology/"]),
    ("dbp", &["http://dbpedia.org/property/"]),
    ("gndo", &["https://d-nb.info/standards/elementset/gnd#"]),
    ("wdt", &["http://www.wikidata.org/prop/direct/"]),
    ("fb", &["http://rdf.freebase.com/ns/"]),
];

/// The possible IRIs: the IRI itself (with or without `<>`), or those with the namespaces of a well-known prefix.
pub(super) fn expand(typed: &str) -> Vec<String> {
    let typed = typed.trim().trim_start_matches('<').trim_end_matches('>');
    let known = typed.split_once(':').and_then(|(prefix, name)| {
        let namespaces = PREFIXES.iter().find(|(known, _)| *known == prefix)?.1;
        Some(namespaces.iter().map(|namespace| format!("{namespace}{name}")).collect())
    });
    known.unwrap_or_else(|| vec![typed.to_owned()])
}

/// The error for a property that no triple has, with a suggestion.
pub(super) fn unknown(typed: &str, builder: &KbBuilder) -> KbError {
    let known: Vec<&str> =
        (0..index32(builder.properties.len())).map(|id| builder.properties.get(id)).collect();
    let typed_end = readable_end(typed);
    let same_end = known.iter().find(|id| readable_id(id).eq_ignore_ascii_case(typed_end)).copied();
    let nearest = same_end.or_else(|| {
        let end = nearest_name(typed_end, known.iter().map(|id| readable_id(id)))?;
        known.iter().find(|id| readable_id(id) == end).copied()
    });
    KbError::UnknownLabelProperty { property: typed.to_owned(), nearest: nearest.map(str::to_owned) }
}

/// What follows the last separator, also of a name with a prefix.
fn readable_end(typed: &str) -> &str {
    typed.trim_end_matches('>').rsplit(['/', '#', ':']).next().unwrap_or(typed)
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn prefixes_are_expanded() {
        assert_eq!(expand("foaf:name"), ["http://xmlns.com/foaf/0.1/name"]);
        assert_eq!(expand("schema:name"), ["http://schema.org/name", "https://schema.org/name"]);
        assert_eq!(expand("<http://e/name>"), ["http://e/name"]);
        assert_eq!(expand("urn:x:name"), ["urn:x:name"]);
    }
}
