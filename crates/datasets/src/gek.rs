//! The measures of the GEK paper, exactly as published. Grading computes them, because they compare logical forms and not answers.

use crate::data_set::Published;
use crate::official::{Evaluator, OfficialInput};

/// The measures of the paper.
pub(crate) struct Gek;

impl Published for Gek {
    fn name(&self) -> &'static str {
        "gek"
    }

    fn description(&self) -> &'static str {
        "the measures of the GEK paper exactly as published: over the tokens of SPARQL as written"
    }

    fn evaluator(&self) -> Option<&dyn Evaluator> {
        Some(self)
    }
}

impl Evaluator for Gek {
    fn scores(&self) -> &'static [&'static str] {
        &["literal_f1_sem", "literal_f1_tri", "literal_gek_1", "literal_gek_2", "literal_gek_3"]
    }

    fn difference(&self) -> &'static str {
        "the paper finds entities, predicates and triple patterns in the tokens of the text, so that another prefix or `a` for rdf:type is another name, and two queries without any are the same; ours compares parsed queries"
    }

    fn evaluate(&self, _input: &OfficialInput<'_>) -> Vec<f64> {
        Vec::new()
    }
}
