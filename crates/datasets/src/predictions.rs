//! Predictions in the formats of data sets.

use crate::data_set::DataSet;
use crate::kqapro::AnswerLines;
use crate::qald::QaldPredictions;
use crate::text2sparql::ChallengePredictions;
use std::io::BufRead;
use touchstone_benchmark::{Gives, Prediction, PredictionError, Predictions};
use touchstone_logic::sparql::Namespaces;

/// Reads predictions one by one.
///
/// ```
/// use touchstone_datasets::{DataSet, PredictionReader};
/// use touchstone_logic::sparql::Namespaces;
/// let file = r#"{"questions": [{"id": "7", "answers": [{"boolean": true}]}]}"#;
/// let mut predictions = PredictionReader::new(DataSet::Qald, file.as_bytes(), Namespaces::default());
/// let prediction = predictions.next().ok_or("empty")??;
/// assert_eq!((prediction.id.as_str(), prediction.answers.ok_or("no answers")?[0].text().as_ref()), ("7", "yes"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PredictionReader<R>(Format<R>);

enum Format<R> {
    Lines(Predictions<R>),
    Answers(AnswerLines<R>),
    Qald(QaldPredictions<R>),
    Text2Sparql(ChallengePredictions<R>),
}

impl<R: BufRead> PredictionReader<R> {
    /// Predictions in the format of a data set; those of data sets without a format of their own are lines. Namespaces turn the IRIs of
    /// QALD and TEXT2SPARQL into ids.
    pub fn new(data_set: DataSet, reader: R, namespaces: Namespaces) -> PredictionReader<R> {
        PredictionReader(match data_set {
            DataSet::KqaPro => Format::Answers(AnswerLines::new(reader)),
            DataSet::Qald => Format::Qald(QaldPredictions::new(reader, namespaces)),
            DataSet::Text2Sparql => Format::Text2Sparql(ChallengePredictions::new(reader, namespaces)),
            _ => Format::Lines(Predictions::new(reader)),
        })
    }

    /// The next prediction whose line is `wanted`; in formats other than lines, the next one.
    pub(crate) fn next_if(
        &mut self,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Option<Prediction>, PredictionError> {
        match &mut self.0 {
            Format::Lines(predictions) => predictions.next_if(wanted),
            Format::Answers(predictions) => predictions.next_prediction(),
            Format::Qald(predictions) => predictions.next_prediction(),
            Format::Text2Sparql(predictions) => predictions.next_prediction(),
        }
    }

    /// What the predictions provide: forms if any prediction has one, answers if any prediction has some.
    pub fn gives(mut self) -> Result<Gives, PredictionError> {
        let (mut answers, mut forms) = (false, false);
        // Lines that cannot change the result are not parsed.
        let decides = |line: &str, answers: bool, forms: bool| {
            let has = |key: &str| memchr::memmem::find(line.as_bytes(), key.as_bytes()).is_some();
            !forms && has("\"logical_form\"") || !answers && has("\"answer")
        };
        while let Some(prediction) = self.next_if(|line| decides(line, answers, forms))? {
            answers |= prediction.answers.is_some();
            forms |= prediction.logical_form.is_some();
            if answers && forms {
                break;
            }
        }
        Ok(Gives::of(answers, forms))
    }
}

impl<R: BufRead> Iterator for PredictionReader<R> {
    type Item = Result<Prediction, PredictionError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_if(|line| !line.trim().is_empty()).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_does_not_depend_on_the_order_of_lines() {
        let answers = "{\"id\": 1, \"answers\": [\"a\"]}\n".repeat(5000);
        let form = "{\"id\": 2, \"logical_form\": \"(JOIN a b)\"}\n";
        let empty = "{\"id\": 3, \"logical_form\": null, \"trace\": {\"logical_form\": 1}}\n";
        let gives = |text: String| {
            let predictions = PredictionReader::new(DataSet::Lines, text.as_bytes(), Namespaces::default());
            predictions.gives().expect("read")
        };
        assert_eq!(gives(format!("{form}{answers}")), Gives::Both);
        assert_eq!(gives(format!("{answers}{form}")), Gives::Both);
        assert_eq!(gives(format!("{answers}{empty}")), Gives::Answers);
        assert_eq!(gives(format!("{empty}{form}{empty}")), Gives::Forms);
        assert_eq!(gives(empty.to_owned()), Gives::Answers);
        assert_eq!(gives(String::new()), Gives::Answers);
    }

    #[test]
    fn files_of_kqa_pro_have_an_answer_a_line() {
        let file = "yes\n\n206 cm\n";
        let predictions = PredictionReader::new(DataSet::KqaPro, file.as_bytes(), Namespaces::default());
        let answers: Vec<usize> =
            predictions.flatten().map(|prediction| prediction.answers.map_or(0, |list| list.len())).collect();
        assert_eq!(answers, [1, 0, 1]);
    }

    #[test]
    fn iris_of_qald_are_ids_of_the_kb() {
        let qald = r#"{"dataset": {}, "questions": [{"id": 1, "query": {"sparql": "ASK {}"}, "answers": [{"results": {"bindings": [
            {"x": {"type": "uri", "value": "urn:kb:country/C%C3%B4te"}}, {"x": {"type": "uri", "value": "urn:other"}},
            {"x": {"type": "literal", "value": "7"}}]}}]}]}"#;
        let namespaces = Namespaces { base: Some("urn:kb:".to_owned()), ..Namespaces::default() };
        let mut read = PredictionReader::new(DataSet::Qald, qald.as_bytes(), namespaces);
        let prediction = read.next().expect("one").expect("read");
        assert_eq!((prediction.id.as_str(), prediction.logical_form.as_deref()), ("1", Some("ASK {}")));
        let answers = prediction.answers.expect("answers");
        let ids: Vec<Option<&str>> = answers.iter().map(|answer| answer.id()).collect();
        assert_eq!(ids, [Some("country/Côte"), Some("urn:other"), None]);
        assert!(read.next().is_none());
        let broken = PredictionReader::new(DataSet::Qald, &b"{}"[..], Namespaces::default()).next();
        assert!(matches!(broken, Some(Err(PredictionError::NoQuestions))));
    }
}
