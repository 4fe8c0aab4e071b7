//! BLEU and ROUGE-L compared with the standard packages: `TOUCHSTONE_TEXT_PYTHON=$(tools/peers/install.sh target/peers) cargo test`.
#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::Value as Json;
use std::path::Path;
use std::process::Command;
use touchstone_grade::overlap::{BleuCounts, Pair, Smoothing};

/// Random texts with a small vocabulary, so that one shares much with the other, in another order and with other frequencies.
fn pairs(n: usize) -> Vec<(String, String)> {
    let mut state = 11u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let words = ["(", ")", "AND", "JOIN", "film", "film.film", "?x", "m.0184jc", "été", "1994^^xsd:gYear"];
    let mut pairs = Vec::new();
    for at in 0..n {
        let mut text = |longest: u64, known: u64| -> Vec<&str> {
            (0..=random(longest)).map(|_| words[random(known) as usize]).collect()
        };
        let gold = text(40, 1 + at as u64 % 10);
        let predicted = match at % 4 {
            // Gold with a piece removed.
            0 => gold[gold.len() / 3..].to_vec(),
            1 => gold.clone(),
            _ => text(40, 10),
        };
        pairs.push((predicted.join(" "), gold.join(" ")));
    }
    pairs
}

#[test]
fn scores_are_those_of_the_packages() {
    let Some(python) = touchstone_testing::variable("TOUCHSTONE_TEXT_PYTHON") else { return };
    let pairs = pairs(2000);
    let dir = tempfile::tempdir().unwrap();
    let (asked, out) = (dir.path().join("pairs.json"), dir.path().join("out.json"));
    std::fs::write(&asked, serde_json::to_vec(&pairs).unwrap()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/text_measures.py");
    assert!(Command::new(python).arg(script).args([&asked, &out]).arg("1").status().unwrap().success());
    let theirs: Json = serde_json::from_slice(&std::fs::read(out).unwrap()).unwrap();
    let same = |ours: f64, theirs: &Json, what: &str| {
        let theirs = theirs.as_f64().unwrap();
        assert!((ours - theirs).abs() < 1e-9, "{what}: {ours} against {theirs}");
    };
    let mut corpus = BleuCounts::default();
    let mut n_between = 0;
    for (at, (predicted, gold)) in pairs.iter().enumerate() {
        let what = format!("`{predicted}` against `{gold}`");
        let (predicted, gold): (Vec<&str>, Vec<&str>) =
            (predicted.split(' ').collect(), gold.split(' ').collect());
        let pair = Pair::new(&predicted, &gold);
        let bleu = pair.bleu();
        corpus.add(&bleu);
        let score = bleu.score(Smoothing::None);
        n_between += usize::from(score > 0.0 && score < 1.0);
        same(score, &theirs["bleu"][at], &what);
        same(pair.rouge_l(), &theirs["rouge_l"][at], &what);
    }
    same(corpus.score(Smoothing::None), &theirs["corpus_bleu"], "all of them");
    assert!(n_between > 200, "{n_between} of the scores are neither 0 nor 1");
}
