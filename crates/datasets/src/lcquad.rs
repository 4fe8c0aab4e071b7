//! LC-QuAD: questions with SPARQL over DBpedia; its second edition is over Wikidata. Neither has answers.

use crate::data_set::Published;
use crate::item::ItemSource;
use crate::questions::ReadQuestions;
use serde_json::Value as Json;

/// An edition of the data set.
pub(crate) struct LcQuad {
    name: &'static str,
    description: &'static str,
}

/// The first edition.
pub(crate) const FIRST: LcQuad = LcQuad { name: "lcquad", description: "LC-QuAD: sparql_query" };

/// The second edition.
pub(crate) const SECOND: LcQuad = LcQuad { name: "lcquad2", description: "LC-QuAD 2: sparql_wikidata" };

impl Published for LcQuad {
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

impl ReadQuestions for LcQuad {
    fn expected(&self) -> &'static str {
        "`sparql_query` or `sparql_wikidata`"
    }

    fn source(&self, json: &Json) -> Option<ItemSource> {
        ItemSource::sparql(json)
    }
}
