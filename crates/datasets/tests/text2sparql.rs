//! The scores of the TEXT2SPARQL challenge are reproduced for the participants whose result sets are published.
#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::Value as Json;
use std::collections::HashMap;
use std::fs::{File, read};
use std::io::BufReader;
use touchstone_datasets::{
    ComparedAnswer, DataSet, ImportConfig, Importer, OfficialInput, PredictionReader, ResultSets, import,
};
use touchstone_kb::NoProgress;
use touchstone_logic::Knowledge;
use touchstone_logic::sparql::Namespaces;
use touchstone_testing::shared_data;

#[test]
fn the_scores_of_the_challenge_are_reproduced() {
    let Some(folder) = shared_data("text2sparql") else { return };
    let importer = Importer { data_set: DataSet::Text2Sparql, knowledge: Knowledge::of_spelling(), kb: None };
    let questions = folder.join("questions_db25.yaml");
    let mut config = ImportConfig::of_file(importer, questions.to_str().unwrap());
    config.answers =
        Some(ResultSets::read(File::open(folder.join("db25_true_result_set.json")).unwrap()).unwrap());
    let imported = import(&config, &NoProgress).unwrap();
    assert!(imported.unread.is_empty(), "{:?}", imported.unread);
    assert_eq!(imported.benchmark.questions.len(), 200);
    for participant in ["AIFB", "FRANZ", "IIS-Q", "INFAI"] {
        let folder = folder.join("results").join(participant);
        let file = File::open(folder.join("db25_system_result_set.json")).unwrap();
        let predictions =
            PredictionReader::new(DataSet::Text2Sparql, BufReader::new(file), Namespaces::default());
        let predictions: HashMap<String, Vec<_>> = predictions
            .map(Result::unwrap)
            .map(|prediction| (prediction.id, prediction.answers.unwrap()))
            .collect();
        let official: Json = serde_json::from_slice(&read(folder.join("db25_eval.json")).unwrap()).unwrap();
        let mut different = Vec::new();
        for question in &imported.benchmark.questions {
            let of = |answers: &'_ [_]| -> Vec<ComparedAnswer<'static>> {
                answers.iter().cloned().map(ComparedAnswer::of_owned).collect()
            };
            let (predicted, gold) = (of(&predictions[&question.id]), of(&question.answers));
            let input =
                OfficialInput { predicted: &predicted, gold: &gold, other_gold: &[], is_exact_match: false };
            let scores = DataSet::Text2Sparql.evaluate(&input);
            let published =
                ["set_P", "set_recall", "set_F"].map(|name| official[&question.id][name].as_f64().unwrap());
            let is_same = scores.iter().zip(published).all(|(ours, theirs)| (ours - theirs).abs() < 1e-9);
            if !is_same {
                different.push(format!("{}: {scores:?} instead of {published:?}", question.id));
            }
        }
        assert!(different.is_empty(), "{participant}: {different:#?}");
    }
}
