//! JSON Schemas of the files, generated from the types.

use crate::grade_row::GradeRow;
use crate::package::BenchmarkManifest;
use crate::prediction_line::{AlternativeLine, PredictionLine};
use crate::question::Question;
use crate::run_manifest::RunManifest;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value as Json;
use touchstone_logic::Answer;
use touchstone_logic::level::Level;

/// A JSON Schema with the name of its file under `docs`.
pub struct FileSchema {
    /// The name of the file.
    pub file: &'static str,
    /// The schema.
    pub schema: Json,
}

/// The schemas of all files, as Touchstone writes them.
pub fn file_schemas() -> Vec<FileSchema> {
    vec![
        file::<Question>(
            "question.schema.json",
            "A question of a benchmark: one line of questions.jsonl",
            true,
        ),
        file::<BenchmarkManifest>("benchmark.schema.json", "benchmark.json of a benchmark", true),
        file::<PredictionLine<'_>>(
            "prediction.schema.json",
            "A prediction: one line of predictions.jsonl",
            false,
        ),
        file::<GradeRow>("grade.schema.json", "The grade of a prediction: one line of grades.jsonl", false),
        file::<RunManifest>("run.schema.json", "run.json of a run", false),
    ]
}

/// `is_closed`: whether fields of other names are errors.
fn file<T: JsonSchema>(file: &'static str, title: &str, is_closed: bool) -> FileSchema {
    let generate =
        |settings: SchemaSettings| settings.into_generator().into_root_schema_for::<T>().to_value();
    let mut schema = generate(SchemaSettings::draft2020_12().for_serialize());
    // Files of older versions lack some fields that are written today.
    let read = generate(SchemaSettings::draft2020_12().for_deserialize());
    let needed = read["required"].as_array().cloned().unwrap_or_default();
    if let Some(required) = schema["required"].as_array_mut() {
        required.retain(|field| needed.contains(field));
    }
    schema["title"] = title.into();
    if is_closed {
        close(&mut schema);
    }
    FileSchema { file, schema }
}

/// Allows no fields but those that objects have.
fn close(schema: &mut Json) {
    match schema {
        Json::Object(fields) => {
            if fields.contains_key("properties") && !fields.contains_key("additionalProperties") {
                fields.insert("additionalProperties".to_owned(), false.into());
            }
            fields.values_mut().for_each(close);
        }
        Json::Array(list) => list.iter_mut().for_each(close),
        _ => {}
    }
}

/// The level of a question: empty, or one of the levels.
pub(crate) fn level(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = std::iter::once("").chain(Level::ALL.map(Level::name)).collect();
    json_schema!({ "enum": names })
}

/// Predicted answers: systems may write bare texts, numbers and booleans.
pub(crate) fn predicted_answers(generator: &mut SchemaGenerator) -> Schema {
    let answer = generator.subschema_for::<Answer>();
    let bare = json_schema!({ "type": ["string", "number", "boolean"] });
    json_schema!({ "type": ["array", "null"], "items": { "anyOf": [answer, bare] } })
}

/// Other logical forms: systems may write bare texts.
pub(crate) fn alternatives(generator: &mut SchemaGenerator) -> Schema {
    let alternative = generator.subschema_for::<AlternativeLine<'_>>();
    json_schema!({ "type": "array", "items": { "anyOf": [alternative, { "type": "string" }] } })
}
