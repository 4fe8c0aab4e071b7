//! KQA Pro: questions with a KoPL program, SPARQL, ten choices and one answer.

use crate::data_set::Published;
use crate::export::{Export, ExportError, ExportJob, Exported, LeftOut};
use crate::importer::Importer;
use crate::item::{Item, ItemSource};
use crate::official::{Evaluator, OfficialInput};
use crate::questions::{ReadQuestions, entity, forms};
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use std::io::BufRead;
use touchstone_benchmark::{Forms, Function, Prediction, PredictionError, Question};
use touchstone_logic::{Answer, Program};

/// The data set.
pub(crate) struct KqaPro;

impl Published for KqaPro {
    fn name(&self) -> &'static str {
        "kqapro"
    }

    fn description(&self) -> &'static str {
        "KQA Pro: program, sparql"
    }

    fn questions(&self) -> Option<&dyn ReadQuestions> {
        Some(self)
    }

    fn predictions(&self) -> Option<&'static str> {
        Some("KQA Pro's: one answer per line, in the order of the questions")
    }

    fn export(&self) -> Option<&dyn Export> {
        Some(self)
    }

    fn evaluator(&self) -> Option<&dyn Evaluator> {
        Some(self)
    }
}

impl ReadQuestions for KqaPro {
    fn expected(&self) -> &'static str {
        "`program` or `sparql`"
    }

    fn source(&self, json: &Json) -> Option<ItemSource> {
        ItemSource::kopl(json).or_else(|| ItemSource::sparql(json))
    }

    fn forms(&self, item: &Item, json: &Json) -> Forms {
        let Forms { program, sparql, .. } = forms(item, json);
        Forms { program, sparql_kqapro: sparql, ..Forms::default() }
    }

    fn answers(&self, json: &Json, function: Function, _importer: &Importer<'_>) -> Vec<Answer> {
        let answer = json.get("answer").and_then(Json::as_str);
        answer.map(|text| typed_answer(text, function)).into_iter().collect()
    }

    fn lists_answers(&self, json: &Json) -> bool {
        json.get("answer").is_some_and(Json::is_string)
    }
}

/// KQA Pro's answers are texts; the query determines their types.
pub(crate) fn typed_answer(text: &str, function: Function) -> Answer {
    match function {
        Function::Count => match text.parse::<u64>() {
            Ok(value) => Answer::count(value),
            Err(_) => Answer::plain(text),
        },
        Function::Verify if matches!(text, "yes" | "no") => Answer::Boolean { value: text == "yes" },
        Function::None | Function::Comparative | Function::Superlative | Function::Between => {
            entity("", text)
        }
        Function::Relation => Answer::Relation { id: String::new(), label: text.to_owned() },
        _ => Answer::plain(text),
    }
}

/// Predictions: one answer per line, in the order of the questions, without ids.
pub(crate) struct AnswerLines<R> {
    reader: R,
    buffer: String,
}

impl<R: BufRead> AnswerLines<R> {
    pub(crate) fn new(reader: R) -> AnswerLines<R> {
        AnswerLines { reader, buffer: String::new() }
    }

    pub(crate) fn next_prediction(&mut self) -> Result<Option<Prediction>, PredictionError> {
        self.buffer.clear();
        if self.reader.read_line(&mut self.buffer)? == 0 {
            return Ok(None);
        }
        let text = self.buffer.trim();
        let answers = if text.is_empty() { Vec::new() } else { vec![Answer::plain(text)] };
        Ok(Some(Prediction { answers: Some(answers), ..Prediction::default() }))
    }
}

impl Export for KqaPro {
    fn write(&self, job: &ExportJob<'_>) -> Result<Exported, ExportError> {
        job.write_json(record, Json::Array)
    }
}

fn record(question: &Question) -> Result<Json, LeftOut> {
    let program = question.forms.program.as_ref().ok_or(LeftOut::NoProgram)?;
    let program = Program::parse(program).map_err(|_| LeftOut::NoProgram)?;
    let [answer] = &question.answers[..] else { return Err(LeftOut::NotOneAnswer) };
    if question.choices.len() != 10 {
        return Err(LeftOut::NoChoices);
    }
    Ok(json!({
        "question": question.question, "choices": question.choices, "program": program,
        "sparql": question.forms.sparql_kqapro, "answer": answer.text(),
    }))
}

/// Compares the first answer, with its own definition of equality.
impl Evaluator for KqaPro {
    fn scores(&self) -> &'static [&'static str] {
        &["kqapro_accuracy_official"]
    }

    fn difference(&self) -> &'static str {
        "KQA Pro's evaluator cuts numbers to integers within 1e-5 (negative ones always), prints others as Python does, and considers a year equal to all of its dates; ours compares values and units"
    }

    fn evaluate(&self, input: &OfficialInput<'_>) -> Vec<f64> {
        let is_same = match (input.predicted.first(), input.gold.first()) {
            (Some(predicted), Some(gold)) => same_answer(&predicted.text, &gold.text),
            _ => false,
        };
        vec![f64::from(is_same)]
    }
}

/// Whether KQA Pro's evaluator considers two texts equal.
pub fn same_answer(predicted: &str, gold: &str) -> bool {
    // Most answers are names. (`inf` and `nan` are numbers.)
    let is_name = |text: &str| text.starts_with(|c: char| c.is_alphabetic() && !"iInN".contains(c));
    if predicted == gold || is_name(predicted) && is_name(gold) {
        return predicted == gold;
    }
    let (predicted, gold) = (cut_number(predicted), cut_number(gold));
    match (day_or_year(&predicted), day_or_year(&gold)) {
        (Some(Day::Date(a)), Some(Day::Date(b))) => a == b,
        (Some(a), Some(b)) => a.year() == b.year(),
        _ => predicted == gold,
    }
}

/// The text with the number at its beginning truncated to an integer, if it is just above one; negative ones always are.
fn cut_number(text: &str) -> String {
    let mut parts: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let Some(number) = parts.first().and_then(|first| python_float(first)) else { return text.to_owned() };
    // Python has no integer for these, and leaves the text unchanged.
    if !number.is_finite() {
        return text.to_owned();
    }
    if number - number.trunc() < 1e-5 {
        parts[0] = format!("{:.0}", number.trunc());
        if parts[0] == "-0" {
            parts[0] = "0".to_owned();
        }
    } else {
        parts[0] = python_text(number);
    }
    parts.join(" ")
}

/// A number that is not an integer as Python prints it: the shortest digits that are read back as this number, with an exponent below 1e-4.
fn python_text(number: f64) -> String {
    if number.abs() >= 1e-4 {
        return number.to_string();
    }
    let text = format!("{number:e}");
    match text.split_once("e-") {
        Some((digits, exponent)) => format!("{digits}e-{exponent:0>2}"),
        None => text,
    }
}

/// Zeros of other scripts: Python reads the ten characters from each as digits.
const ZEROS: [u32; 65] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0,
    0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50,
    0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0,
    0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50,
    0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140,
    0x1e2f0, 0x1e950, 0x1fbf0,
];

/// The text with ASCII digits in place of those of other scripts.
fn ascii_digits(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let digit = |c: char| {
        let zero = ZEROS[..ZEROS.partition_point(|&zero| zero <= u32::from(c))].last()?;
        char::from_digit(u32::from(c) - zero, 10)
    };
    text.chars().map(|c| digit(c).unwrap_or(c)).collect::<String>().into()
}

/// A number as Python reads it: `1e3`, `1_000`.
fn python_float(text: &str) -> Option<f64> {
    let text = &*ascii_digits(text);
    let digits_around = |at: usize| {
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        digit(text[..at].chars().next_back()) && digit(text[at + 1..].chars().next())
    };
    if text.match_indices('_').any(|(at, _)| !digits_around(at)) {
        return None;
    }
    text.replace('_', "").parse().ok()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Day {
    Date((i64, i64, i64)),
    Year(i64),
}

impl Day {
    fn year(self) -> i64 {
        match self {
            Day::Date((year, ..)) | Day::Year(year) => year,
        }
    }
}

fn day_or_year(text: &str) -> Option<Day> {
    let text = text.trim();
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return python_int(text).map(Day::Year);
    };
    let (year, month, day) = (python_int(year)?, python_int(month)?, python_int(day)?);
    let is_day = touchstone_kb::Literal::date(&format!("{year:04}-{month:02}-{day:02}")).is_some();
    (is_day && (1..=9999).contains(&year)).then_some(Day::Date((year, month, day)))
}

fn python_int(text: &str) -> Option<i64> {
    let text = &*ascii_digits(text);
    python_float(text.trim()).filter(|_| text.chars().all(|c| c.is_ascii_digit() || "+-_ ".contains(c)))?;
    text.trim().replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oddities_of_kqa_pro() {
        for (a, b) in [
            ("1984", "1984-05-06"),
            ("-2.5 m", "-2.9 m"),
            ("-2.5 m", "-2 m"),
            ("3.000009 kg", "3 kg"),
            ("1e3 kg", "1_000 kg"),
            ("1000 kg", "1e3 kg"),
            ("5  km", "5 km"),
            ("0000 0001 2121", "0 0001 2121"),
            ("12", "12-04-05"),
            ("yes", "yes"),
            ("1984-05-06", "1984-05-06"),
        ] {
            assert!(same_answer(a, b), "{a} = {b}");
        }
        for (a, b) in [
            ("yes", "Yes"),
            ("3.1 kg", "3 kg"),
            ("3 kg", "3 g"),
            ("1984-05-06", "1984-05-07"),
            ("a", "b"),
            ("1984", "1985-01-01"),
        ] {
            assert!(!same_answer(a, b), "{a} != {b}");
        }
    }

    /// Numbers are printed as Python prints them.
    #[test]
    fn numbers_of_kqa_pro() {
        for (a, b) in [
            ("3.1 kg", "3.10 kg"),
            ("0.5 m", ".5 m"),
            ("1.25e0 m", "1.25 m"),
            ("2.675", "2.6750"),
            ("2e-5", "0.00002"),
            ("1e22", "9999999999999999999999"),
            ("٣", "3"),
        ] {
            assert!(same_answer(a, b), "{a} = {b}");
        }
        for (a, b) in [("3.1 kg", "3.1"), ("nan", "NaN"), ("inf", "infinity"), ("2.675", "2.676"), ("", "  ")]
        {
            assert!(!same_answer(a, b), "{a} != {b}");
        }
        assert_eq!(python_text(0.000_02), "2e-05");
        assert_eq!(python_text(0.000_123), "0.000123");
    }
}
