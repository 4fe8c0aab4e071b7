//! The graphs that SPARQL queries are written for.

use super::tokens::{TokenKind, sparql_tokens};
use touchstone_kb::rdf::KQAPRO_BASE;

/// The graph that a SPARQL query is written for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialect {
    /// Freebase: `ns:` names, dates with the dump's time zone.
    Freebase,
    /// KQA Pro: values and facts are nodes.
    KqaPro,
    /// A KB of plain triples: ids that are not IRIs follow a base.
    Plain {
        /// The base.
        base: String,
    },
}

/// All IRIs of Freebase begin so.
const FREEBASE_HOST: &str = "<http://rdf.freebase.com/";
/// The prefix of Freebase's names.
const FREEBASE_PREFIX: &str = "ns:";
/// KQA Pro's own predicates begin so.
const KQAPRO_PREDICATE: &str = "<pred:";

impl Dialect {
    /// The dialect of a text, by the IRIs and names among its tokens alone: also of a text that cannot be parsed. `base` is that of the KB.
    #[must_use]
    pub fn of_text(text: &str, base: Option<&str>) -> Dialect {
        let mut is_freebase = false;
        for token in sparql_tokens(text) {
            match token.kind {
                TokenKind::Iri if token.text.starts_with(KQAPRO_PREDICATE) => return Dialect::KqaPro,
                TokenKind::Iri => is_freebase |= token.text.starts_with(FREEBASE_HOST),
                TokenKind::Name => is_freebase |= token.text.starts_with(FREEBASE_PREFIX),
                _ => {}
            }
        }
        if is_freebase {
            return Dialect::Freebase;
        }
        Dialect::Plain { base: base.unwrap_or(KQAPRO_BASE).to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_texts_have_a_dialect() {
        let plain = |base: &str| Dialect::Plain { base: base.to_owned() };
        for (text, dialect) in [
            ("SELECT ?x { ?x <pred:name> \"ns:a\"", Dialect::KqaPro),
            ("ASK { ns:m.1 <urn:p", Dialect::Freebase),
            ("ASK { <http://rdf.freebase.com/ns/m.1> ?p ?o ", Dialect::Freebase),
            ("ASK { ?x ?p \"<pred:name> ns:m.1\" ", plain("http://kb/")),
            ("", plain("http://kb/")),
        ] {
            assert_eq!(Dialect::of_text(text, Some("http://kb/")), dialect, "{text}");
        }
    }
}
