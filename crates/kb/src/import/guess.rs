//! Detects the kind of files by the ending of their names and, for JSON, by their beginning.

use super::input;
use super::rdf::format_of;
use crate::error::{KbError, Result};
use crate::progress::NoProgress;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// A kind of files that can be imported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// KQA Pro's `kb.json`.
    KqaPro,
    /// RDF in any syntax.
    Rdf,
    /// Wikidata's JSON dump.
    WikidataJson,
    /// KB lines.
    Lines,
}

impl FileKind {
    /// All kinds, each with its name and a description.
    pub const NAMED: [(&'static str, &'static str, FileKind); 4] = [
        ("kqapro", "KQA Pro's kb.json, of 2020 or 2022", FileKind::KqaPro),
        ("rdf", "RDF: .nt .nq .ttl .trig .n3 .rdf .owl .xml .jsonld", FileKind::Rdf),
        ("wikidata-json", "Wikidata's JSON dump", FileKind::WikidataJson),
        ("lines", "KB lines, Touchstone's own format", FileKind::Lines),
    ];

    /// The value of `--from`.
    pub fn name(self) -> &'static str {
        FileKind::NAMED.iter().find(|(.., kind)| *kind == self).map_or("", |(name, ..)| name)
    }

    /// The kind of all files.
    pub fn of(inputs: &[PathBuf]) -> Result<FileKind> {
        let mut found: Option<(FileKind, &Path)> = None;
        for path in inputs {
            let kind = FileKind::of_file(path)?;
            match found {
                Some((other, first)) if other != kind => {
                    return Err(KbError::MixedInputs {
                        first: first.to_path_buf(),
                        first_kind: other.name(),
                        second: path.clone(),
                        second_kind: kind.name(),
                    });
                }
                _ => found = Some((kind, path)),
            }
        }
        let nothing = || KbError::UnknownInput { path: PathBuf::new() };
        found.map(|(kind, _)| kind).ok_or_else(nothing)
    }

    fn of_file(path: &Path) -> Result<FileKind> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let name = [".gz", ".zst", ".bz2"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
        let is_json = name.ends_with(".json") || name.ends_with(".jsonl") || !name.contains('.');
        if !is_json && format_of(path).is_ok() {
            return Ok(FileKind::Rdf);
        }
        let unknown = || KbError::UnknownInput { path: path.to_path_buf() };
        if !is_json {
            return Err(unknown());
        }
        let mut reader = input::open(path, &NoProgress)?;
        let start = reader.fill_buf().map_err(KbError::io("read", path))?;
        FileKind::of_json(&String::from_utf8_lossy(start)).ok_or_else(unknown)
    }

    /// The kind of a JSON file, by its beginning.
    fn of_json(start: &str) -> Option<FileKind> {
        let first_line = start.lines().find(|line| !line.trim().is_empty())?;
        let begins = |text: &str, key: &str| {
            text.trim_start().strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(key))
        };
        if first_line.contains("\"touchstone_kb\"") {
            Some(FileKind::Lines)
        } else if begins(start, "\"concepts\"") || begins(start, "\"entities\"") {
            Some(FileKind::KqaPro)
        } else if start.contains("\"@context\"") || start.contains("\"@id\"") || start.contains("\"@graph\"")
        {
            Some(FileKind::Rdf)
        } else if start.contains("\"claims\"") || start.contains("\"type\":\"item\"") {
            Some(FileKind::WikidataJson)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_importer_cases_are_what_their_names_say() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/importers");
        let mut n = 0;
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let other = [".expected", ".md", ".seeds", ".ontology"].iter().any(|end| name.ends_with(end));
            // The kind of an empty KB, or of records without claims, cannot be detected.
            if other || name.contains("empty") {
                continue;
            }
            let expected = name.split('.').next().unwrap();
            let kind = FileKind::of(std::slice::from_ref(&path)).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(kind.name(), expected, "{name}");
            n += 1;
        }
        assert!(n > 15, "{n}");
    }

    #[test]
    fn what_cannot_be_guessed_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let (csv, json) = (file("a.csv", "a,b\n"), file("a.json", "{\"x\": 1}"));
        for path in [&csv, &json] {
            assert!(
                matches!(FileKind::of(std::slice::from_ref(path)), Err(KbError::UnknownInput { .. })),
                "{path:?}"
            );
        }
        let turtle = file("a.ttl", "");
        let lines = file("b.jsonl", "{\"touchstone_kb\":1}\n");
        assert!(matches!(FileKind::of(&[turtle, lines]), Err(KbError::MixedInputs { .. })));
    }
}
