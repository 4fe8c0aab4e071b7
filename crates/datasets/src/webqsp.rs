//! WebQSP: questions with several parses in SPARQL over Freebase.

use crate::compared_answer::ComparedAnswer;
use crate::data_set::Published;
use crate::freebase;
use crate::importer::{Importer, UnreadReason};
use crate::item::ItemSource;
use crate::official::{Evaluator, OfficialInput, Scores};
use crate::questions::ReadQuestions;
use serde_json::Value as Json;
use touchstone_benchmark::Function;
use touchstone_logic::{Answer, Language};

/// The data set.
pub(crate) struct WebQsp;

impl Published for WebQsp {
    fn name(&self) -> &'static str {
        "webqsp"
    }

    fn description(&self) -> &'static str {
        "WebQSP: Parses with Sparql"
    }

    fn questions(&self) -> Option<&dyn ReadQuestions> {
        Some(self)
    }

    fn evaluator(&self) -> Option<&dyn Evaluator> {
        Some(self)
    }
}

impl ReadQuestions for WebQsp {
    fn expected(&self) -> &'static str {
        "`Parses` with `Sparql`"
    }

    fn source(&self, json: &Json) -> Option<ItemSource> {
        parse(json).or_else(|| ItemSource::sparql(json))
    }

    fn left_out(&self, json: &Json) -> Option<UnreadReason> {
        (!has_good_parse(json)).then_some(UnreadReason::NoGoodParse)
    }

    fn answers(&self, json: &Json, function: Function, _importer: &Importer<'_>) -> Vec<Answer> {
        parses(json).first().map_or(Vec::new(), |parse| freebase::answers(parse.get("Answers"), function))
    }

    fn other_answers(&self, json: &Json, function: Function) -> Vec<Vec<Answer>> {
        parses(json).iter().skip(1).map(|parse| freebase::answers(parse.get("Answers"), function)).collect()
    }

    fn lists_answers(&self, json: &Json) -> bool {
        parses(json).first().is_some_and(|parse| parse.get("Answers").is_some())
    }
}

/// The first parse of a record.
pub(crate) fn parse(json: &Json) -> Option<ItemSource> {
    let parse = json.get("Parses")?.get(0)?;
    Some(ItemSource::Text(Language::Sparql, parse.get("Sparql")?.as_str()?.to_owned()))
}

fn parses(json: &Json) -> &[Json] {
    json.get("Parses").and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

/// Whether its annotators marked some parse as good and complete, or did not judge the parses.
fn has_good_parse(json: &Json) -> bool {
    let states = |parse: &Json, key: &str, wanted: &str| {
        parse.pointer(&format!("/AnnotatorComment/{key}")).is_none_or(|found| found == wanted)
    };
    let is_good =
        |parse: &Json| states(parse, "QuestionQuality", "Good") && states(parse, "ParseQuality", "Complete");
    parses(json).is_empty() || parses(json).iter().any(is_good)
}

/// Compares lists, not sets; the best of the question's parses counts.
impl Evaluator for WebQsp {
    fn scores(&self) -> &'static [&'static str] {
        &["webqsp_precision", "webqsp_recall", "webqsp_f1", "webqsp_accuracy"]
    }

    fn difference(&self) -> &'static str {
        "WebQSP's evaluator counts lists, so that an answer given twice counts twice, and a question without a prediction has precision 1"
    }

    fn evaluate(&self, input: &OfficialInput<'_>) -> Vec<f64> {
        let others = input.other_gold.iter().map(|other| {
            let other: Vec<ComparedAnswer<'_>> = other.iter().map(ComparedAnswer::of).collect();
            against_parse(input.predicted, &other)
        });
        let better = |best: Scores, other: Scores| if other.f1 > best.f1 { other } else { best };
        let best = others.fold(against_parse(input.predicted, input.gold), better);
        let mut scores = best.list();
        scores.push(f64::from(best.f1 == 1.0));
        scores
    }
}

/// Precision, recall and F1 against one parse.
fn against_parse(predicted: &[ComparedAnswer<'_>], gold: &[ComparedAnswer<'_>]) -> Scores {
    match (gold.is_empty(), predicted.is_empty()) {
        (true, true) => return Scores { precision: 1.0, recall: 1.0, f1: 1.0 },
        (true, false) => return Scores { precision: 0.0, recall: 1.0, f1: 0.0 },
        (false, true) => return Scores { precision: 1.0, recall: 0.0, f1: 0.0 },
        _ => {}
    }
    let predicted: Vec<&str> = predicted.iter().map(ComparedAnswer::id_or_value).collect();
    let gold: Vec<&str> = gold.iter().map(ComparedAnswer::id_or_value).collect();
    // As published, to avoid a division by 0.
    let mut right = 1e-40;
    let (mut missed, mut wrong) = (0.0, 0.0);
    for answer in &gold {
        if predicted.contains(answer) {
            right += 1.0;
        } else {
            missed += 1.0;
        }
    }
    for answer in &predicted {
        if !gold.contains(answer) {
            wrong += 1.0;
        }
    }
    let (precision, recall) = (right / (right + wrong), right / (right + missed));
    Scores { precision, recall, f1: 2.0 * precision * recall / (precision + recall) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compared_answer::known;
    use serde_json::json;

    #[test]
    fn oddities_of_the_evaluator() {
        let (one, none) = (known(json!(["m.1"])), known(json!([])));
        assert_eq!(against_parse(&none, &none).list(), [1.0, 1.0, 1.0]);
        assert_eq!(against_parse(&one, &none).list(), [0.0, 1.0, 0.0]);
        assert_eq!(against_parse(&none, &one).list(), [1.0, 0.0, 0.0]);
        let twice = known(json!(["m.1", "m.2", "m.2"]));
        let Scores { precision, recall, .. } = against_parse(&twice, &one);
        assert!((precision - 1.0 / 3.0).abs() < 1e-12 && recall == 1.0, "lists, not sets");
    }
}
