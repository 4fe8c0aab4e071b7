//! The JSON Schemas under `docs` are those of the types, and real lines have no fields that they lack.
//! With `COMPLETE=1` the files are rewritten.
#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::Value as Json;
use touchstone_benchmark::schema::{FileSchema, file_schemas};

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");

#[test]
fn files_are_what_the_types_give() {
    for FileSchema { file, schema } in file_schemas() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path = format!("{DOCS}/{file}");
        if std::env::var_os("COMPLETE").is_some() {
            std::fs::write(&path, text).unwrap();
        } else {
            let found = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(found == text, "{path} is not what the types give; COMPLETE=1 rewrites it");
        }
    }
}

/// Whether a value fits a schema, as far as these schemas go: types, enumerations, fields, lists, references and alternatives.
fn fits(value: &Json, schema: &Json, root: &Json) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{what}: {value}"));
    if let Some(name) = schema["$ref"].as_str() {
        return fits(value, root.pointer(name.trim_start_matches('#')).unwrap(), root);
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(options) = schema[key].as_array()
            && !options.iter().any(|option| fits(value, option, root).is_ok())
        {
            return wrong(&format!("nothing of {key} fits"));
        }
    }
    if schema.get("const").is_some_and(|only| only != value) {
        return wrong("another constant");
    }
    if schema["enum"].as_array().is_some_and(|all| !all.contains(value)) {
        return wrong("not in the enumeration");
    }
    let is = |kind: &Json| match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type {other}"),
    };
    let has_type = match &schema["type"] {
        Json::Array(kinds) => kinds.iter().any(is),
        Json::Null => true,
        kind => is(kind),
    };
    if !has_type {
        return wrong("another type");
    }
    if let (Some(items), true) = (value.as_array(), schema["items"].is_object()) {
        items.iter().try_for_each(|item| fits(item, &schema["items"], root))?;
    }
    let Some(fields) = value.as_object() else { return Ok(()) };
    for name in schema["required"].as_array().into_iter().flatten() {
        if !fields.contains_key(name.as_str().unwrap()) {
            return wrong(&format!("{name} is missing"));
        }
    }
    for (name, value) in fields {
        match (schema["properties"].get(name), &schema["additionalProperties"]) {
            (Some(property), _) => fits(value, property, root).map_err(|error| format!("{name}: {error}"))?,
            (None, Json::Bool(false)) => return wrong(&format!("unknown field {name}")),
            (None, others @ Json::Object(_)) => fits(value, others, root)?,
            _ => {}
        }
    }
    Ok(())
}

fn check(file: &str, value: &Json) {
    let schema = file_schemas().into_iter().find(|schema| schema.file == file).unwrap().schema;
    if let Err(error) = fits(value, &schema, &schema) {
        panic!("{file}: {error}");
    }
}

const QUESTION: &str = r#"{"id": "q1", "split": "test", "level": "", "question": "Is it?", "forms": {"sexpr": "(AND a b)"},
    "graph": {"root": 0, "vertices": [{"label": "a", "grounded": false}], "edges": []}, "shape": "T1:()", "alias": null,
    "function": "verify", "type": "Verify", "categories": [], "answers": [{"type": "boolean", "value": true},
    {"type": "entity", "label": "A"}, {"type": "time", "value": "1990", "precision": "year"}, {"type": "number", "value": 3},
    {"type": "tuple", "cells": [null, {"type": "text", "value": "x"}]}], "answers_empty": true, "other_answers": [[]],
    "choices": [], "template": "t", "schema_items": ["a"], "entities": [{"id": "e", "text": "E", "start": 0, "end": 1}],
    "proof": [{"subject": "s", "property": "p", "value": "v"}], "source": "here"}"#;

#[test]
fn lines_fit_their_schemas() {
    use touchstone_benchmark::{GradeRow, Prediction, Question, RunHeader, RunManifest};
    let question: Question = serde_json::from_str(QUESTION).unwrap();
    let written = serde_json::to_value(&question).unwrap();
    check("question.schema.json", &written);
    let mut wrong = written.clone();
    wrong["split"] = "validation".into();
    let schema = &file_schemas()[0].schema;
    assert!(fits(&wrong, schema, schema).unwrap_err().contains("validation"));

    let row = GradeRow { id: "q1".to_owned(), gold_answers: question.answers.clone(), ..GradeRow::default() };
    check("grade.schema.json", &serde_json::to_value(&row).unwrap());

    let line = r#"{"id": "q1", "answers": ["x"], "logical_form": "(AND a b)", "lang": "sexpr", "alternatives": ["(AND a c)"],
        "log_probs": [-0.5], "confidence": 0.5, "usage": {"seconds": 1.5, "tokens_in": 10}, "trace": {"steps": 3}}"#;
    let prediction: Prediction = serde_json::from_str(line).unwrap();
    check("prediction.schema.json", &serde_json::to_value(&prediction).unwrap());

    let header = RunHeader::new("oracle");
    let manifest = serde_json::to_value(&header).unwrap();
    let manifest: RunManifest = serde_json::from_value(manifest).unwrap();
    check("run.schema.json", &serde_json::to_value(&manifest).unwrap());
}
