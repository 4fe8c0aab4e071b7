//! Ids as IRIs, and back.
//!
//! An id that is an absolute IRI stands for itself. Any other id is appended to the KB's base: entities and
//! classes as `BASE` + id, properties as `BASE` + `property:` + id, qualifier keys as `BASE` + `qualifier:` + id.
//! Characters that are not allowed in an IRI, and `:`, are percent-encoded, so the three never collide.
//! Freebase and Wikidata have their own namespaces, which are kept.

use crate::vocabulary::{FREEBASE, RdfVocabulary};
use std::borrow::Cow;

/// Wikidata's entities.
pub(crate) const WIKIDATA_ENTITY: &str = "http://www.wikidata.org/entity/";
/// Wikidata's direct properties.
pub(crate) const WIKIDATA_DIRECT: &str = "http://www.wikidata.org/prop/direct/";
/// Wikidata's qualifiers.
pub(crate) const WIKIDATA_QUALIFIER: &str = "http://www.wikidata.org/prop/qualifier/";

const PROPERTY: &str = "property:";
const QUALIFIER: &str = "qualifier:";

/// How the ids of one KB become IRIs.
#[derive(Clone, Debug)]
pub(crate) struct IriScheme {
    pub(crate) base: String,
    pub(crate) vocabulary: RdfVocabulary,
}

/// What an IRI stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resource<'i> {
    /// An entity or a class (or, where ids are IRIs, anything).
    Node(Cow<'i, str>),
    /// A relation or an attribute.
    Property(Cow<'i, str>),
    /// A qualifier key.
    Qualifier(Cow<'i, str>),
}

impl<'i> Resource<'i> {
    /// The id, whatever it stands for.
    pub(crate) fn id(self) -> Cow<'i, str> {
        match self {
            Resource::Node(id) | Resource::Property(id) | Resource::Qualifier(id) => id,
        }
    }
}

impl IriScheme {
    pub(crate) fn node(&self, id: &str) -> String {
        if is_absolute(id) { id.to_owned() } else { encode(&self.base, id) }
    }

    /// The id appended to the base, even if it is an IRI itself.
    pub(crate) fn node_in_base(&self, id: &str) -> String {
        encode(&self.base, id)
    }

    pub(crate) fn property(&self, id: &str) -> String {
        match self.vocabulary {
            _ if is_absolute(id) => id.to_owned(),
            RdfVocabulary::Freebase => encode(FREEBASE, id),
            RdfVocabulary::Wikidata => encode(WIKIDATA_DIRECT, id),
            RdfVocabulary::Rdfs => encode(&format!("{}{PROPERTY}", self.base), id),
        }
    }

    pub(crate) fn qualifier(&self, id: &str) -> String {
        match self.vocabulary {
            _ if is_absolute(id) => id.to_owned(),
            RdfVocabulary::Freebase => encode(FREEBASE, id),
            RdfVocabulary::Wikidata => encode(WIKIDATA_QUALIFIER, id),
            RdfVocabulary::Rdfs => encode(&format!("{}{QUALIFIER}", self.base), id),
        }
    }

    /// What an IRI stands for.
    pub(crate) fn resource<'i>(&self, iri: &'i str) -> Resource<'i> {
        if self.vocabulary == RdfVocabulary::Wikidata {
            if let Some(local) = iri.strip_prefix(WIKIDATA_DIRECT) {
                return Resource::Property(decode(local));
            }
            if let Some(local) = iri.strip_prefix(WIKIDATA_QUALIFIER) {
                return Resource::Qualifier(decode(local));
            }
        }
        let Some(local) = iri.strip_prefix(self.base.as_str()).filter(|_| !self.base.is_empty()) else {
            return Resource::Node(Cow::Borrowed(iri));
        };
        if self.vocabulary == RdfVocabulary::Rdfs {
            if let Some(id) = local.strip_prefix(PROPERTY) {
                return Resource::Property(decode(id));
            }
            if let Some(id) = local.strip_prefix(QUALIFIER) {
                return Resource::Qualifier(decode(id));
            }
        }
        Resource::Node(decode(local))
    }
}

/// Whether an id is an absolute IRI.
pub fn is_absolute(id: &str) -> bool {
    id.contains(':') && oxrdf::NamedNode::new(id).is_ok()
}

/// The IRI of an id in a namespace: characters that are not allowed in an IRI are percent-encoded.
pub fn encode(namespace: &str, id: &str) -> String {
    let mut iri = String::with_capacity(namespace.len() + id.len());
    iri.push_str(namespace);
    for c in id.chars() {
        match c {
            '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' | '%' | ':' | ' ' => percent(c, &mut iri),
            // Control characters, and those that RFC 3987 reserves for private use.
            c if c.is_control() || ('\u{e000}'..='\u{f8ff}').contains(&c) || c >= '\u{e0000}' => {
                percent(c, &mut iri)
            }
            '\u{fdd0}'..='\u{fdef}' | '\u{fff0}'..='\u{ffff}' => percent(c, &mut iri),
            c if u32::from(c) & 0xfffe == 0xfffe => percent(c, &mut iri),
            '[' | ']' | '#' | '?' => percent(c, &mut iri),
            c => iri.push(c),
        }
    }
    iri
}

fn percent(c: char, out: &mut String) {
    let mut buffer = [0; 4];
    for byte in c.encode_utf8(&mut buffer).bytes() {
        out.push_str(&format!("%{byte:02X}"));
    }
}

/// The id that was encoded.
pub fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match hex.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| bytes[at] == b'%') {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_being_iris() {
        let scheme = IriScheme { base: "urn:touchstone:kb:".into(), vocabulary: RdfVocabulary::Rdfs };
        for id in
            ["Q42", "a b", "property:x", "50%", "é/#?[]", "http://example.org/x", "c:AD", "\u{e000}", "x\ny"]
        {
            let node = scheme.node(id);
            assert!(oxrdf::NamedNode::new(&node).is_ok(), "{node}");
            assert_eq!(scheme.resource(&node), Resource::Node(id.into()), "{node}");
            if !is_absolute(id) {
                assert_eq!(scheme.resource(&scheme.property(id)), Resource::Property(id.into()));
                assert_eq!(scheme.resource(&scheme.qualifier(id)), Resource::Qualifier(id.into()));
            }
        }
        let wikidata = IriScheme { base: WIKIDATA_ENTITY.into(), vocabulary: RdfVocabulary::Wikidata };
        assert_eq!(wikidata.property("P31"), "http://www.wikidata.org/prop/direct/P31");
        assert_eq!(
            wikidata.resource("http://www.wikidata.org/prop/qualifier/P580"),
            Resource::Qualifier("P580".into())
        );
        assert_eq!(wikidata.resource("http://www.wikidata.org/entity/Q42"), Resource::Node("Q42".into()));
    }
}
