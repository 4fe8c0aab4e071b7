//! Every system learns sixty questions by heart, but not if the output of its encoder is zero.

use crate::support::{benchmark, memorised, opened, quiet, train};
use std::collections::BTreeSet;
use std::time::Instant;
use touchstone_logic::Language;

/// What is enough for sixty questions.
fn check(name: &str, settings: &[&str]) {
    // The last network is kept, not the first one that knows the few development questions.
    let settings = &[settings, &["training.evaluate_every=1000"]].concat();
    let folder = tempfile::tempdir().unwrap();
    let benchmark = opened(&benchmark(), &folder.path().join("bench"));
    let start = Instant::now();
    let model = folder.path().join("model");
    let manifest = train(name, &benchmark, settings, &model, &mut quiet()).unwrap();
    let (score, predictions) = memorised(&benchmark, &model);
    eprintln!("{name}: {score:.3}, {} steps, {:.1} s", manifest.steps, start.elapsed().as_secs_f64());
    assert!(score >= 0.95, "{name} has learned {score} only: {:?}", predictions[0]);
    let first = &predictions[0];
    let is_program = name == "sup-program";
    assert_eq!(first.language, Some(if is_program { Language::Kopl } else { Language::Sparql }));
    assert!(!first.log_probs.is_empty() && first.log_probs.iter().all(|value| *value <= 0.0));
    assert_eq!(first.alternatives.is_empty(), is_program);

    // The control: the output of the encoder is zero, so the decoder writes the same form for every question.
    let blind: Vec<&str> = settings.iter().copied().chain(["data.blind=true", "max_steps=150"]).collect();
    let model = folder.path().join("blind");
    train(name, &benchmark, &blind, &model, &mut quiet()).unwrap();
    let (score, predictions) = memorised(&benchmark, &model);
    let forms: BTreeSet<_> = predictions.iter().map(|prediction| &prediction.logical_form).collect();
    assert_eq!(forms.len(), 1, "{name} tells questions apart: {forms:?}");
    assert!(score < 0.2, "{name} knows {score} of the forms without reading questions");
}

#[test]
fn nspm_memorises() {
    check(
        "nspm",
        &["network.layers=1", "network.units=64", "learning_rate=1e-2", "batch=30", "max_steps=700"],
    );
}

#[test]
fn nspm_att1_memorises() {
    check("nspm-att1", &["network.layers=1", "network.units=64", "batch=30", "max_steps=350"]);
}

#[test]
fn nspm_att2_memorises() {
    check("nspm-att2", &["network.layers=1", "network.units=64", "batch=30", "max_steps=600"]);
}

#[test]
fn convs2s_memorises() {
    check("convs2s", &["learning_rate=1e-3", "batch=30", "max_steps=1200"]);
}

#[test]
fn transformer_memorises() {
    check("transformer", &["batch=30", "max_steps=500"]);
}

#[test]
fn sup_sparql_memorises() {
    check("sup-sparql", &["hidden=96", "batch=30", "max_steps=700"]);
}

#[test]
fn sup_program_memorises() {
    check("sup-program", &["batch=30", "max_steps=400"]);
}
