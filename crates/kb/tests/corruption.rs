//! Damaged stores: always an error, never a crash, never a wrong answer.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{Content, NaiveKb, Rng};
use touchstone_kb::{Kb, KbError, STORE_FORMAT};

fn store(dir: &Path) -> PathBuf {
    let path = dir.join("kb");
    drop(NaiveKb::random(7, 30, Content::Everything).compile(&path, 1, 1 << 20));
    path
}

/// All files with data: the stamp only records that a check took place, the marker what was written.
fn files(store: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(store).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| {
        !["verified", ".touchstone.json"].map(Some).contains(&path.file_name().unwrap().to_str())
    });
    files.sort();
    assert!(files.len() > 50);
    files
}

fn error(store: &Path) -> String {
    match Kb::open(store) {
        Ok(_) => panic!("a damaged store was opened"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn any_flipped_bit_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let rng = &mut Rng::new(1);
    for path in files(&store) {
        let good = fs::read(&path).unwrap();
        for _ in 0..good.len().min(12) {
            let mut bad = good.clone();
            bad[rng.below(good.len())] ^= 1 << rng.below(8);
            fs::write(&path, &bad).unwrap();
            let message = error(&store);
            assert!(
                message.contains("damaged") || message.contains("format"),
                "{}: {message}",
                path.display()
            );
        }
        fs::write(&path, &good).unwrap();
        Kb::open(&store).unwrap();
    }
}

#[test]
fn any_cut_or_missing_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let rng = &mut Rng::new(2);
    for path in files(&store) {
        let good = fs::read(&path).unwrap();
        if !good.is_empty() {
            fs::write(&path, &good[..rng.below(good.len())]).unwrap();
            error(&store);
        }
        let longer = [good.clone(), vec![0; 8]].concat();
        fs::write(&path, longer).unwrap();
        error(&store);
        fs::remove_file(&path).unwrap();
        error(&store);
        fs::write(&path, &good).unwrap();
        Kb::open(&store).unwrap();
    }
}

#[test]
fn another_version_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let path = store.join("manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace(&format!("\"touchstone_store\": {STORE_FORMAT}"), "\"touchstone_store\": 99"),
    )
    .unwrap();
    let result = Kb::open(&store);
    assert!(matches!(result, Err(KbError::UnknownVersion { found: 99, supported: STORE_FORMAT, .. })));
    let result = Kb::open(dir.path());
    assert!(matches!(result, Err(KbError::NotAStore { .. })));
}

/// Correct checksums of wrong content: the structure is checked as well, so that every look-up stays within bounds.
#[test]
fn a_forged_store_is_refused_too() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let sums_path = store.join("checksums");
    let good_sums = fs::read_to_string(&sums_path).unwrap();
    let mut n_refused = 0;
    for path in files(&store) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let good = fs::read(&path).unwrap();
        // Numbers far out of range; unconstrained data (float keys, sources) may have any value.
        let free = [
            "literal_key.col",
            "literal_kind.col",
            "literal_number_type.col",
            "fact_source.col",
            "names.col",
            "words.col",
        ];
        if good.is_empty() || free.contains(&name.as_str()) || !name.ends_with(".col") {
            continue;
        }
        let bad = vec![0xEE; good.len()];
        fs::write(&path, &bad).unwrap();
        let mut list = String::new();
        for line in good_sums.lines().filter(|line| !line.ends_with("  -")) {
            let (hash, file) = line.split_once("  ").unwrap();
            let hash = if file == name { blake3::hash(&bad).to_string() } else { hash.to_owned() };
            list.push_str(&format!("{hash}  {file}\n"));
        }
        list.push_str(&format!("{}  -\n", blake3::hash(list.as_bytes())));
        fs::write(&sums_path, list).unwrap();
        let message = error(&store);
        assert!(message.contains("damaged"), "{name}: {message}");
        n_refused += 1;
        fs::write(&path, &good).unwrap();
        fs::write(&sums_path, &good_sums).unwrap();
    }
    assert!(n_refused > 40, "{n_refused}");
}

#[test]
fn a_second_opening_trusts_the_stamp_but_not_a_changed_file() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    assert!(store.join("verified").is_file());
    fs::remove_file(store.join("verified")).unwrap();
    Kb::open(&store).unwrap();
    assert!(store.join("verified").is_file(), "a successful check leaves its stamp");
    let path = store.join("fact_value.col");
    let mut bytes = fs::read(&path).unwrap();
    bytes[0] ^= 1;
    fs::write(&path, bytes).unwrap();
    error(&store);
}
