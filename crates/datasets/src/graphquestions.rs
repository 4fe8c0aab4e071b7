//! GraphQuestions, in GrailQA's format, as GrailQA's authors re-released it.

use crate::data_set::Published;
use crate::grailqa::GrailQa;
use crate::questions::ReadQuestions;

/// The data set.
pub(crate) struct GraphQuestions;

impl Published for GraphQuestions {
    fn name(&self) -> &'static str {
        "graphquestions"
    }

    fn description(&self) -> &'static str {
        "GraphQuestions in GrailQA's format: graph_query, s_expression"
    }

    fn questions(&self) -> Option<&dyn ReadQuestions> {
        Some(&GrailQa)
    }
}
