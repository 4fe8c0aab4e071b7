//! How a prediction is written on a line, and how it is read: from a file, or from the reply of a system.

use crate::prediction::Prediction;
use crate::usage::Usage;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json, json};
use touchstone_logic::{Answer, Language};

/// Why JSON is not a prediction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidPrediction {
    /// A number, a text, a list.
    #[error("it is not an object")]
    NotAnObject,
    /// It does not name its question.
    #[error("it has no `id`")]
    NoId,
    /// Its logical form is in an unknown language.
    #[error("`{word}` is not a language: sexpr, kopl or sparql")]
    UnknownLanguage {
        /// The word in place of the language.
        word: String,
    },
    /// One of its alternatives is neither a text nor an object with a logical form.
    #[error("an alternative has no `logical_form`")]
    AlternativeWithoutForm,
    /// A file of result sets has something else in it.
    #[error("it is not an object of result sets: {{\"id\": {{\"cell\": 1}}}}")]
    NotResultSets,
}

/// A reply of a system that is not a prediction.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the reply cannot be used: {problem}")]
#[non_exhaustive]
pub struct UnusableReply {
    /// What is wrong with it.
    #[source]
    pub problem: InvalidPrediction,
    /// The reply.
    pub reply: Json,
}

impl UnusableReply {
    /// The error that is recorded for the question; the reply goes to its trace.
    pub fn into_prediction(self, id: &str) -> Prediction {
        let error = self.to_string();
        match self.reply {
            Json::Object(fields) => with_error(id, &Json::String(error), &fields),
            _ => Prediction::failed(id, error),
        }
    }
}

impl Prediction {
    /// An error in place of a prediction.
    pub fn failed(id: &str, error: impl Into<String>) -> Prediction {
        Prediction { id: id.to_owned(), error: Some(error.into()), ..Prediction::default() }
    }

    /// The prediction that a system sent for the question with this id. If the system reports an error, everything else that it sent
    /// goes to the trace, where it is not mistaken for an answer.
    pub fn from_reply(id: &str, reply: Json) -> Result<Prediction, UnusableReply> {
        let mut fields = match reply {
            Json::Object(fields) => fields,
            reply => return Err(UnusableReply { problem: InvalidPrediction::NotAnObject, reply }),
        };
        fields.insert("id".to_owned(), json!(id));
        if let Some(error) = fields.get("error").filter(|error| !error.is_null()) {
            return Ok(with_error(id, error, &fields));
        }
        match Prediction::from_fields(&fields) {
            Ok(prediction) => Ok(Prediction { reply: Some(Box::new(fields)), ..prediction }),
            Err(problem) => Err(UnusableReply { problem, reply: Json::Object(fields) }),
        }
    }

    /// The prediction in an object; `qid` and `answer` are other names of `id` and `answers`. Fields of other names are ignored.
    pub(crate) fn from_fields(fields: &Map<String, Json>) -> Result<Prediction, InvalidPrediction> {
        let id = fields.get("id").or_else(|| fields.get("qid")).ok_or(InvalidPrediction::NoId)?;
        let answers = match fields.get("answers").or_else(|| fields.get("answer")) {
            None | Some(Json::Null) => None,
            Some(Json::Array(list)) => Some(list.iter().map(read_answer).collect()),
            Some(one) => Some(vec![read_answer(one)]),
        };
        let text = |name: &str| fields.get(name).filter(|value| !value.is_null()).map(read_text);
        let language = read_language(fields.get("lang"))?;
        let mut alternatives = Vec::new();
        for other in fields.get("alternatives").and_then(Json::as_array).into_iter().flatten() {
            let form = other.as_str().or_else(|| other.get("logical_form").and_then(Json::as_str));
            let form = form.ok_or(InvalidPrediction::AlternativeWithoutForm)?;
            alternatives.push((form.to_owned(), read_language(other.get("lang"))?.or(language)));
        }
        let log_probs = fields.get("log_probs").and_then(Json::as_array);
        Ok(Prediction {
            id: read_text(id),
            answers,
            logical_form: text("logical_form"),
            language,
            alternatives,
            choice: text("choice"),
            log_probs: log_probs.into_iter().flatten().filter_map(Json::as_f64).collect(),
            confidence: fields.get("confidence").and_then(Json::as_f64),
            error: text("error"),
            trace: fields.get("trace").filter(|trace| !trace.is_null()).cloned(),
            usage: fields.get("usage").map(Usage::of_json).unwrap_or_default(),
            cache: fields.get("cache").and_then(Json::as_str).map(str::to_owned),
            reply: None,
        })
    }
}

/// An error with everything that was sent with it in its trace.
fn with_error(id: &str, error: &Json, fields: &Map<String, Json>) -> Prediction {
    let mut kept = Map::new();
    kept.insert("id".to_owned(), json!(id));
    kept.insert("error".to_owned(), error.clone());
    let usage = fields.get("usage").filter(|usage| !usage.is_null());
    kept.extend(usage.map(|usage| ("usage".to_owned(), usage.clone())));
    let rest = fields.iter().filter(|(name, _)| !["id", "error", "usage"].contains(&name.as_str()));
    let rest: Map<String, Json> = rest.map(|(name, value)| (name.clone(), value.clone())).collect();
    let trace = (!rest.is_empty()).then_some(Json::Object(rest));
    kept.extend(trace.clone().map(|trace| ("trace".to_owned(), trace)));
    Prediction {
        trace,
        usage: usage.map(Usage::of_json).unwrap_or_default(),
        reply: Some(Box::new(kept)),
        ..Prediction::failed(id, read_text(error))
    }
}

/// A text as it is, and anything else as JSON.
fn read_text(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

/// An answer in any spelling; what is not one is a text.
fn read_answer(json: &Json) -> Answer {
    Answer::deserialize(json).unwrap_or_else(|_| Answer::plain(json.to_string()))
}

fn read_language(word: Option<&Json>) -> Result<Option<Language>, InvalidPrediction> {
    let Some(word) = word.filter(|word| !word.is_null()) else { return Ok(None) };
    let word = read_text(word);
    match Language::from_word(&word) {
        Some(language) => Ok(Some(language)),
        None => Err(InvalidPrediction::UnknownLanguage { word }),
    }
}

/// Reads an object; it is written again with all its fields as they are.
impl<'de> Deserialize<'de> for Prediction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Prediction, D::Error> {
        let fields = Map::deserialize(deserializer)?;
        let prediction = Prediction::from_fields(&fields).map_err(D::Error::custom)?;
        Ok(Prediction { reply: Some(Box::new(fields)), ..prediction })
    }
}

/// Writes the line that `docs/grading.md` describes.
impl Serialize for Prediction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.reply {
            Some(reply) => updated_reply(self, reply).serialize(serializer),
            None => PredictionLine::new(self).serialize(serializer),
        }
    }
}

/// A reply as it was sent, with the fields that the run adds to it.
fn updated_reply(prediction: &Prediction, reply: &Map<String, Json>) -> Map<String, Json> {
    let mut fields = reply.clone();
    fields.insert("id".to_owned(), json!(prediction.id));
    if !prediction.usage.is_unknown() {
        let usage = fields.entry("usage").or_insert(Json::Null);
        if usage.is_null() {
            *usage = json!({});
        }
        if let (Some(sent), Ok(Json::Object(known))) =
            (usage.as_object_mut(), serde_json::to_value(UsageLine::new(&prediction.usage)))
        {
            let is_sent = |sent: &Map<String, Json>, name: &str| {
                sent.contains_key(name)
                    || name == "tokens_in" && sent.contains_key("prompt_tokens")
                    || name == "tokens_out" && sent.contains_key("completion_tokens")
            };
            for (name, value) in known {
                if !is_sent(sent, &name) {
                    sent.insert(name, value);
                }
            }
        }
    }
    if let Some(key) = &prediction.cache {
        fields.insert("cache".to_owned(), json!(key));
    }
    fields
}

/// A prediction with the field names of files.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PredictionLine<'p> {
    /// The id of the question.
    id: &'p str,
    /// The answers; absent if the logical form is to be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::schema::predicted_answers"))]
    answers: Option<&'p [Answer]>,
    /// The logical form.
    #[serde(skip_serializing_if = "Option::is_none")]
    logical_form: Option<&'p str>,
    /// The language of the logical form: sexpr, kopl or sparql.
    #[serde(skip_serializing_if = "Option::is_none")]
    lang: Option<&'static str>,
    /// Other logical forms, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::schema::alternatives"))]
    alternatives: Vec<AlternativeLine<'p>>,
    /// The choice, if the question has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<&'p str>,
    /// The log-probabilities of the tokens of the logical form.
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    log_probs: &'p [f64],
    /// How sure the system is, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// Why there is no prediction.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'p str>,
    /// How the system came to its prediction.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'p Json>,
    /// What the prediction cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageLine>,
    /// The key of the reply in the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache: Option<&'p str>,
}

/// Another logical form.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AlternativeLine<'p> {
    /// The logical form.
    logical_form: &'p str,
    /// The language of the logical form: sexpr, kopl or sparql.
    #[serde(skip_serializing_if = "Option::is_none")]
    lang: Option<&'static str>,
}

impl<'p> PredictionLine<'p> {
    fn new(prediction: &'p Prediction) -> PredictionLine<'p> {
        let alternative = |(form, language): &'p (String, Option<Language>)| AlternativeLine {
            logical_form: form,
            lang: language.map(Language::word),
        };
        PredictionLine {
            id: &prediction.id,
            answers: prediction.answers.as_deref(),
            logical_form: prediction.logical_form.as_deref(),
            lang: prediction.language.map(Language::word),
            alternatives: prediction.alternatives.iter().map(alternative).collect(),
            choice: prediction.choice.as_deref(),
            log_probs: &prediction.log_probs,
            confidence: prediction.confidence,
            error: prediction.error.as_deref(),
            trace: prediction.trace.as_ref(),
            usage: (!prediction.usage.is_unknown()).then(|| UsageLine::new(&prediction.usage)),
            cache: prediction.cache.as_deref(),
        }
    }
}

/// Usage as a prediction has it: tokens are counted, so they are written as integers.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct UsageLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_in: Option<serde_json::Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_out: Option<serde_json::Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
}

impl UsageLine {
    fn new(usage: &Usage) -> UsageLine {
        // A float that is a whole number is printed without a fraction.
        let count = |tokens: f64| match format!("{tokens}").parse::<u64>() {
            Ok(tokens) => Some(tokens.into()),
            Err(_) => serde_json::Number::from_f64(tokens),
        };
        UsageLine {
            tokens_in: usage.tokens_in.and_then(count),
            tokens_out: usage.tokens_out.and_then(count),
            seconds: usage.seconds,
            cost: usage.cost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(prediction: &Prediction) -> String {
        serde_json::to_string(prediction).expect("written")
    }

    #[test]
    fn lines_are_written_as_they_were_read() {
        for text in [
            r#"{"id":"1","answers":["Paris",3,true,{"id":"Q90","score":0.5}]}"#,
            r#"{"answers":"Paris","qid":7,"id":"7","mine":{"b":1,"a":2}}"#,
            r#"{"id":"1","logical_form":"(a b)","lang":"sexpr","alternatives":["(c d)",{"logical_form":"What()","lang":"kopl"}]}"#,
            r#"{"id":"1","choice":"a","log_probs":[-1,-0.5],"confidence":0.25,"usage":{"prompt_tokens":5,"seconds":1}}"#,
            r#"{"id":"1","error":{"code":1},"usage":{"seconds":0.5},"trace":{"answers":[1]}}"#,
        ] {
            let prediction: Prediction = serde_json::from_str(text).expect("read");
            assert_eq!(line(&prediction), text);
        }
    }

    #[test]
    fn predictions_made_here_have_the_documented_fields() {
        let prediction = Prediction {
            id: "1".to_owned(),
            answers: Some(vec![Answer::plain("Paris")]),
            logical_form: Some("(a b)".to_owned()),
            language: Some(Language::Sexpr),
            alternatives: vec![("What()".to_owned(), Some(Language::Kopl)), ("x".to_owned(), None)],
            choice: Some("Paris".to_owned()),
            log_probs: vec![-0.5],
            confidence: Some(0.75),
            trace: Some(json!({ "reply": "Paris" })),
            usage: Usage { seconds: Some(0.5), tokens_in: Some(9.0), tokens_out: Some(2.0), cost: Some(3.0) },
            cache: Some("key".to_owned()),
            ..Prediction::default()
        };
        let expected = concat!(
            r#"{"id":"1","answers":[{"type":"text","value":"Paris"}],"logical_form":"(a b)","lang":"sexpr","#,
            r#""alternatives":[{"logical_form":"What()","lang":"kopl"},{"logical_form":"x"}],"choice":"Paris","#,
            r#""log_probs":[-0.5],"confidence":0.75,"trace":{"reply":"Paris"},"#,
            r#""usage":{"tokens_in":9,"tokens_out":2,"seconds":0.5,"cost":3.0},"cache":"key"}"#
        );
        assert_eq!(line(&prediction), expected);
        let read: Prediction = serde_json::from_str(expected).expect("read");
        // A language that is not given is that of the first form.
        let alternatives =
            vec![("What()".to_owned(), Some(Language::Kopl)), ("x".to_owned(), Some(Language::Sexpr))];
        assert_eq!(Prediction { reply: None, ..read }, Prediction { alternatives, ..prediction });
        assert_eq!(line(&Prediction::failed("1", "time-out")), r#"{"id":"1","error":"time-out"}"#);
    }

    #[test]
    fn what_a_run_measures_is_added_to_a_reply() {
        let reply = json!({ "answers": [1], "usage": { "prompt_tokens": 7 } });
        let mut prediction = Prediction::from_reply("q", reply).expect("a prediction");
        assert_eq!((prediction.id.as_str(), prediction.usage.tokens_in), ("q", Some(7.0)));
        prediction.usage.seconds = Some(0.5);
        prediction.cache = Some("key".to_owned());
        assert_eq!(
            line(&prediction),
            r#"{"answers":[1],"usage":{"prompt_tokens":7,"seconds":0.5},"id":"q","cache":"key"}"#
        );
    }

    #[test]
    fn what_cannot_be_used_is_an_error() {
        let unusable = |reply: Json| Prediction::from_reply("q", reply).expect_err("not a prediction");
        assert_eq!(unusable(json!([1])).problem, InvalidPrediction::NotAnObject);
        let failed = unusable(json!([1])).into_prediction("q");
        assert_eq!(line(&failed), r#"{"id":"q","error":"the reply cannot be used: it is not an object"}"#);
        let odd = unusable(json!({ "logical_form": "x", "lang": "prolog" }));
        assert_eq!(odd.problem, InvalidPrediction::UnknownLanguage { word: "prolog".to_owned() });
        let odd = odd.into_prediction("q");
        assert_eq!(odd.trace, Some(json!({ "logical_form": "x", "lang": "prolog" })));
        assert_eq!((odd.logical_form, odd.language), (None, None));
        let both = json!({ "error": "oops", "answers": [1], "choice": "a" });
        let both = Prediction::from_reply("q", both).expect("an error");
        assert_eq!((both.answers.as_ref(), both.error.as_deref()), (None, Some("oops")));
        assert_eq!(line(&both), r#"{"id":"q","error":"oops","trace":{"answers":[1],"choice":"a"}}"#);
    }
}
