//! Pretrained word vectors from a file.

use crate::support::{benchmark, opened, quiet, train};
use safetensors::SafeTensors;
use std::fmt::Write;
use std::fs;
use touchstone_train::ModelManifest;

/// A step that changes nothing, so that the saved vectors are those of the file.
const ONE_STEP: [&str; 3] = ["max_steps=1", "learning_rate=1e-30", "training.batch=4"];

/// The vector of a word of the file.
fn vector(word: &str, size: usize) -> Vec<f32> {
    let first = f32::from(word.as_bytes()[0]);
    (0..size).map(|at| first + at as f32 / 64.0).collect()
}

fn size(manifest: &ModelManifest) -> usize {
    let network = manifest.training.settings["network"].as_table().unwrap();
    let key = ["embedding", "units"].into_iter().find(|key| network.contains_key(*key)).unwrap();
    usize::try_from(network[key].as_integer().unwrap()).unwrap()
}

#[test]
fn networks_start_from_the_vectors_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let bench = opened(&benchmark(), &folder.path().join("bench"));
    for (system, words) in
        [("nspm", "source.words.json"), ("sup-sparql", "source.words.json"), ("sup-program", "words.json")]
    {
        let plain =
            train(system, &bench, &ONE_STEP, &folder.path().join(format!("plain-{system}")), &mut quiet())
                .unwrap();
        let size = size(&plain);
        let mut text = String::new();
        for word in ["the", "which", "direct", "unused"] {
            let numbers: Vec<String> = vector(word, size).iter().map(f32::to_string).collect();
            writeln!(text, "{word} {}", numbers.join(" ")).unwrap();
        }
        let (file, model) = (folder.path().join("vectors.txt"), folder.path().join(system));
        fs::write(&file, text).unwrap();
        let setting = format!("data.vectors={}", file.display());
        let settings: Vec<&str> = ONE_STEP.into_iter().chain([setting.as_str()]).collect();
        let manifest = train(system, &bench, &settings, &model, &mut quiet()).unwrap();
        let note = manifest.training.notes.iter().find(|note| note.contains("have a vector in"));
        assert!(note.is_some_and(|note| note.starts_with("2 of ")), "{system}: {note:?}");

        let words: Vec<String> = serde_json::from_slice(&fs::read(model.join(words)).unwrap()).unwrap();
        let bytes = fs::read(model.join("model.safetensors")).unwrap();
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        let table = tensors.tensor("source.weight").unwrap();
        assert_eq!(table.shape(), [words.len(), size], "{system}");
        let rows: Vec<Vec<f32>> = table
            .data()
            .chunks_exact(4 * size)
            .map(|row| row.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect())
            .collect();
        let row = |word: &str| &rows[words.iter().position(|known| known == word).unwrap()];
        assert_eq!(*row("which"), vector("which", size), "{system}");
        assert_eq!(*row("direct"), vector("direct", size), "{system}");
        assert_eq!(*row("marry"), vector("the", size), "{system}");
    }
}

#[test]
fn vectors_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bench = opened(&benchmark(), &folder.path().join("bench"));
    let file = folder.path().join("vectors.txt");
    fs::write(&file, "the 1 2 3\nwhich 4 5 6\n").unwrap();
    let setting = format!("data.vectors={}", file.display());
    let message = |system: &str, setting: &str| {
        train(system, &bench, &[setting], &folder.path().join("model"), &mut quiet()).unwrap_err().to_string()
    };
    for system in ["nspm-att1", "sup-sparql", "sup-program"] {
        let found = message(system, &setting);
        assert!(found.contains("data.vectors") && found.contains("its vectors have 3 numbers"), "{found}");
    }
    let found = message("transformer", &setting);
    assert!(found.contains("only systems that read whole words"), "{found}");
    let found = message("nspm", "data.vectors=nowhere.txt");
    assert!(found.contains("cannot read nowhere.txt"), "{found}");
}
