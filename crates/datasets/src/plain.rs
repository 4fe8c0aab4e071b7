//! Files of logical forms of one language, as text or in JSON.

use crate::data_set::Published;
use crate::item::ItemSource;
use crate::questions::ReadQuestions;
use serde_json::Value as Json;
use touchstone_logic::Language;

/// The forms of one language.
pub(crate) struct PlainForms {
    language: Language,
    name: &'static str,
    description: &'static str,
    expected: &'static str,
}

/// S-expressions.
pub(crate) const SEXPR: PlainForms = PlainForms {
    language: Language::Sexpr,
    name: "sexpr",
    description: "S-expressions, one per line or in JSON",
    expected: "`s_expression` or `query`",
};

/// SPARQL.
pub(crate) const SPARQL: PlainForms = PlainForms {
    language: Language::Sparql,
    name: "sparql",
    description: "SPARQL queries, as text or in JSON",
    expected: "`sparql` or `query`",
};

/// KoPL programs.
pub(crate) const KOPL: PlainForms = PlainForms {
    language: Language::Kopl,
    name: "kopl",
    description: "KoPL programs, one per line or in JSON",
    expected: "`program` or `query`",
};

impl Published for PlainForms {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn questions(&self) -> Option<&dyn ReadQuestions> {
        Some(self)
    }
}

impl ReadQuestions for PlainForms {
    fn expected(&self) -> &'static str {
        self.expected
    }

    fn source(&self, json: &Json) -> Option<ItemSource> {
        let under_key = match self.language {
            Language::Sexpr => ItemSource::sexpr(json),
            Language::Kopl => ItemSource::kopl(json),
            Language::Sparql => ItemSource::sparql(json),
        };
        under_key.or_else(|| bare(json, Some(self.language)))
    }
}

/// A record that is itself a form: a text, or a program in JSON.
pub(crate) fn bare(json: &Json, language: Option<Language>) -> Option<ItemSource> {
    match json {
        Json::String(text) => {
            Some(ItemSource::Text(language.unwrap_or_else(|| Language::guess(text)), text.clone()))
        }
        Json::Array(_) => Some(ItemSource::Program(json.clone())),
        _ => None,
    }
}
