//! Rows for tests.

use super::rows::{CellRow, CellSeconds, Row, Sizes};
use std::collections::BTreeMap;
use touchstone_train::settings::ModelScale;
use touchstone_train::{CurvePoint, DevEvaluation, StopReason};

/// A row with one score.
pub(super) fn cell_row(system: &str, fraction: f64, seed: u64, hash: &str, bleu: f64) -> Row {
    Row::Cell(Box::new(CellRow {
        experiment: "gek".to_owned(),
        scale: ModelScale::Smoke,
        hash: hash.to_owned(),
        system: system.to_owned(),
        trainable: system.to_owned(),
        benchmark: "dbnqa".to_owned(),
        benchmark_identity: "i".to_owned(),
        fraction,
        seed,
        sizes: Sizes { train: 10, training_pairs: 10, dev: 2, test: 4, parameters: 99 },
        settings: toml::Table::new(),
        steps: 7,
        pairs_seen: 70,
        stopping_rule: "at most 7 steps".to_owned(),
        stop: StopReason::Limit,
        best: None,
        scores: BTreeMap::from([("bleu".to_owned(), bleu), ("corpus_bleu".to_owned(), bleu)]),
        outcomes: BTreeMap::from([("answered".to_owned(), 4)]),
        curve: vec![CurvePoint { step: 1, loss: 3.0 }, CurvePoint { step: 7, loss: 1.0 }],
        evaluations: vec![DevEvaluation { step: 7, score: 0.5 }],
        seconds: CellSeconds { train: 60.0, run: 1.0, grade: 1.0 },
        notes: Vec::new(),
        tool_version: "0".to_owned(),
    }))
}
