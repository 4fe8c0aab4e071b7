//! Imports a published file, and shows its questions with their shapes and answers: `import_dataset FORMAT FILE`.
//!
//! Without arguments it imports two questions of its own. It also computes the official scores of a prediction.
#![allow(clippy::print_stdout)]

use std::error::Error;
use touchstone_benchmark::{KbIdentity, Split};
use touchstone_datasets::{
    ComparedAnswer, DataSet, ImportConfig, Importer, LevelSource, OfficialInput, SplitFile, import,
};
use touchstone_kb::NoProgress;
use touchstone_logic::Knowledge;

const EXAMPLE: &str = r#"[
    {"qid": 1, "question": "films by Nolan?", "s_expression": "(AND film.film (JOIN film.film.directed_by m.01))",
     "answer": [{"answer_type": "Entity", "answer_argument": "m.02", "entity_name": "Inception"}]},
    {"qid": 2, "question": "how many?", "s_expression": "(COUNT (AND film.film (JOIN film.film.directed_by m.01)))",
     "answer": [{"answer_type": "Value", "answer_argument": "12"}]},
    {"qid": 3, "question": "broken?", "s_expression": "(COUNT"}
]"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let own = std::env::temp_dir().join(format!("import_dataset_{}.json", std::process::id()));
    let (data_set, file) = match (arguments.next(), arguments.next()) {
        (Some(name), Some(file)) => (DataSet::from_name(&name).ok_or("there is no such format")?, file),
        _ => {
            std::fs::write(&own, EXAMPLE)?;
            (DataSet::GrailQa, own.display().to_string())
        }
    };
    let config = ImportConfig {
        importer: Importer { data_set, knowledge: Knowledge::of_spelling(), kb: None },
        name: data_set.name().to_owned(),
        files: vec![SplitFile { split: Split::Test, file }],
        kb: KbIdentity::of(None),
        levels: LevelSource::Keep,
        answers: None,
        looks_up_answers: false,
    };
    let imported = import(&config, &NoProgress);
    if own.exists() {
        std::fs::remove_file(&own)?;
    }
    let imported = imported?;
    for question in &imported.benchmark.questions {
        let answers: Vec<_> = question.answers.iter().map(|answer| answer.text()).collect();
        println!("{} [{}] {} -> {}", question.id, question.shape, question.question, answers.join("; "));
    }
    for (_, unread) in &imported.unread {
        println!("{} could not be read: {}", unread.id, unread.reason);
    }
    let (predicted, gold) = ([ComparedAnswer::plain("12")], [ComparedAnswer::plain("12.0")]);
    let input = OfficialInput { predicted: &predicted, gold: &gold, other_gold: &[], is_exact_match: false };
    println!("KQA Pro considers 12 and 12.0 equal: {:?}", DataSet::KqaPro.evaluate(&input));
    Ok(())
}
