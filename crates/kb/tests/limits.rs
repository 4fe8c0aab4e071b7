//! Inputs that would exhaust the memory are rejected, and imports end soon after they are cancelled, at every stage.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use touchstone_kb::import::{ImportRequest, Profile, Source, Subset, import};
use touchstone_kb::{KbError, NoProgress, Progress};

fn write(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    path
}

/// A failed import leaves nothing next to its input.
fn is_clean(dir: &Path, input: &Path) -> bool {
    fs::read_dir(dir).unwrap().all(|entry| entry.unwrap().path() == input)
}

#[test]
fn records_have_a_longest_length() {
    const LIMIT: usize = 64 << 10;
    let long = "x".repeat(1 << 20);
    let rdf = || Source::Rdf(Profile::Rdfs);
    let cases: [(&str, String, Source); 8] = [
        ("kb.nt", format!("<urn:a> <urn:b> \"c\" .\n<urn:a> <urn:b> \"{long}\" .\n"), rdf()),
        ("kb.ttl", format!("<urn:a> <urn:b> \"c\", \"{long}\" .\n"), rdf()),
        ("comment.ttl", format!("<urn:a> <urn:b> \"c\" .\n# {long}"), rdf()),
        (
            "kb.rdf",
            format!(
                "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:u=\"urn:u:\"><rdf:Description rdf:about=\"urn:a\"><u:b>c</u:b><u:b><![CDATA[<{long}>]]></u:b></rdf:Description></rdf:RDF>"
            ),
            rdf(),
        ),
        ("kb.jsonld", format!("{{\"@id\":\"urn:a\",\"urn:b\":[\"c\",\"{long}\"]}}"), rdf()),
        (
            "kb.jsonl",
            format!("{{\"touchstone_kb\":1}}\n{{\"entity\":\"a\",\"label\":\"{long}\"}}\n"),
            Source::Lines,
        ),
        (
            "kb.json",
            format!("{{\"concepts\":{{\"Q1\":{{\"name\":\"{long}\"}}}},\"entities\":{{}}}}"),
            Source::KqaPro,
        ),
        (
            "dump.json",
            format!("[\n{{\"type\":\"item\",\"id\":\"Q1\",\"x\":\"{long}\"}}\n]\n"),
            Source::WikidataJson(Subset::default()),
        ),
    ];
    for (name, text, source) in cases {
        let dir = tempfile::tempdir().unwrap();
        let input = write(dir.path(), name, &text);
        let mut request = ImportRequest::new(source, vec![input.clone()]);
        request.max_record = LIMIT;
        let error = import(&request, &dir.path().join("kb"), &NoProgress).expect_err(name);
        assert!(matches!(error, KbError::Input(_)), "{name}: {error}");
        assert!(error.to_string().contains("a record is longer than 65536 bytes"), "{name}: {error}");
        assert!(is_clean(dir.path(), &input), "{name}");
    }
}

/// A small file that unpacks to a line of 256 MB is rejected after its first part.
#[test]
fn a_bomb_is_not_unpacked() {
    struct Read(AtomicU64);
    impl Progress for Read {
        fn stage(&self, _name: &str, _total: Option<u64>) {}
        fn advance(&self, amount: u64) {
            self.0.fetch_add(amount, Ordering::Relaxed);
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("bomb.nt.gz");
    let mut gzip =
        flate2::write::GzEncoder::new(fs::File::create(&input).unwrap(), flate2::Compression::fast());
    gzip.write_all(b"<urn:a> <urn:b> \"").unwrap();
    let block = vec![b'x'; 1 << 20];
    for _ in 0..256 {
        gzip.write_all(&block).unwrap();
    }
    gzip.finish().unwrap();
    let mut request = ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![input.clone()]);
    request.max_record = 1 << 20;
    let read = Read(AtomicU64::new(0));
    let error = import(&request, &dir.path().join("kb"), &read).expect_err("too long");
    assert!(error.to_string().contains("a record is longer than 1048576 bytes"), "{error}");
    let (read, size) = (read.0.into_inner(), fs::metadata(&input).unwrap().len());
    assert!(read <= size / 4, "{read} of {size} bytes were read");
}

/// Classes 0 to n-1, each below the next, with a member each.
fn chain(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let class = format!("<urn:class:{i}>");
        let _ = writeln!(
            text,
            "{class} <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:class:{}> .",
            i + 1
        );
        let _ =
            writeln!(text, "<urn:entity:{i}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> {class} .");
        let _ = writeln!(text, "<urn:entity:{i}> <urn:p> \"{i}\" .");
    }
    text
}

#[test]
fn a_deep_hierarchy_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let input = write(dir.path(), "chain.nt", &chain(1000));
    let mut request = ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![input.clone()]);
    let out = dir.path().join("kb");
    request.max_closure = Some(100_000);
    let error = import(&request, &out, &NoProgress).expect_err("too deep");
    assert!(matches!(error, KbError::DeepHierarchy { limit: 100_000, .. }), "{error}");
    assert!(error.to_string().contains("--max-closure"), "{error}");
    assert!(is_clean(dir.path(), &input));
    // 500,500 pairs of classes, and as many of classes and members.
    request.max_closure = Some(600_000);
    let report = import(&request, &out, &NoProgress).unwrap();
    assert_eq!(report.compiled.manifest.counts.classes, 1001);
    // Twenty members of the lowest class: few classes, few members, many pairs.
    let mut text = chain(100);
    for i in 0..20_000 {
        let _ = writeln!(
            text,
            "<urn:more:{i}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:class:0> ."
        );
    }
    let input = write(dir.path(), "members.nt", &text);
    let mut request = ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![input]);
    request.max_closure = Some(100_000);
    let error = import(&request, &dir.path().join("kb2"), &NoProgress).expect_err("too many");
    assert!(error.to_string().contains("pairs of a class and a member"), "{error}");
}

/// Cancels the work at a given number of checks, and counts the checks after that.
struct StopAfter {
    left: AtomicU64,
    asked_after: AtomicU64,
}

impl Progress for StopAfter {
    fn stage(&self, _name: &str, _total: Option<u64>) {}
    fn advance(&self, _amount: u64) {}
    fn cancelled(&self) -> bool {
        let stops =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err();
        if stops {
            self.asked_after.fetch_add(1, Ordering::Relaxed);
        }
        stops
    }
}

#[test]
fn an_import_can_be_stopped_at_every_stage() {
    let dir = tempfile::tempdir().unwrap();
    let input = write(dir.path(), "chain.nt", &chain(50));
    let request = ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![input.clone()]);
    let mut n_stops = 0;
    for after in 0.. {
        let stop = StopAfter { left: AtomicU64::new(after), asked_after: AtomicU64::new(0) };
        match import(&request, &dir.path().join("kb"), &stop) {
            Err(KbError::Interrupted) => {
                n_stops += 1;
                assert!(is_clean(dir.path(), &input), "after {after}");
                // Two parts of the work run in parallel.
                assert!(stop.asked_after.into_inner() <= 2, "after {after}");
            }
            Err(error) => panic!("after {after}: {error}"),
            Ok(_) => break,
        }
    }
    assert!(n_stops > 60, "{n_stops}");
}
