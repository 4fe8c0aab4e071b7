//! ComplexWebQuestions: questions with SPARQL over Freebase.

use crate::data_set::Published;
use crate::freebase;
use crate::importer::Importer;
use crate::item::ItemSource;
use crate::questions::ReadQuestions;
use serde_json::Value as Json;
use touchstone_benchmark::Function;
use touchstone_logic::Answer;

/// The data set.
pub(crate) struct Cwq;

impl Published for Cwq {
    fn name(&self) -> &'static str {
        "cwq"
    }

    fn description(&self) -> &'static str {
        "ComplexWebQuestions: sparql"
    }

    fn questions(&self) -> Option<&dyn ReadQuestions> {
        Some(self)
    }
}

impl ReadQuestions for Cwq {
    fn expected(&self) -> &'static str {
        "`sparql`"
    }

    fn source(&self, json: &Json) -> Option<ItemSource> {
        ItemSource::sparql(json)
    }

    fn answers(&self, json: &Json, function: Function, _importer: &Importer<'_>) -> Vec<Answer> {
        match listed(json) {
            Some(list @ Json::Array(_)) => freebase::answers(Some(list), function),
            Some(one) => vec![freebase::answer(one, function)],
            None => Vec::new(),
        }
    }

    fn lists_answers(&self, json: &Json) -> bool {
        listed(json).is_some()
    }
}

fn listed(json: &Json) -> Option<&Json> {
    json.get("answers").or(json.get("answer"))
}
