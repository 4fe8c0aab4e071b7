//! The order of KQA Pro's file: node ranks and records.
#![allow(missing_docs)]

use std::path::Path;
use touchstone_kb::export::{ExportFormat, ExportRequest, ExportView, export};
use touchstone_kb::import::{ImportRequest, Source, import};
use touchstone_kb::{FileRecord, Kb, NoProgress, NodeId, Value};

const TOWNS: &str = r#"{
 "concepts": {
  "C2": {"name": "town", "subclassOf": ["C1"]},
  "C1": {"name": "place", "subclassOf": []}
 },
 "entities": {
  "E2": {"name": "Beta", "instanceOf": ["C2"],
   "attributes": [
    {"key": "size", "value": {"type": "quantity", "value": 9, "unit": "1"}, "qualifiers": {"year": [{"type": "year", "value": 2003}, {"type": "date", "value": "1999"}, {"type": "year", "value": 2003}]}},
    {"key": "size", "value": {"type": "quantity", "value": 5, "unit": "1"}, "qualifiers": {}},
    {"key": "size", "value": {"type": "quantity", "value": 9, "unit": "1"}, "qualifiers": {}},
    {"key": "size", "value": {"type": "quantity", "value": 5, "unit": "1"}, "qualifiers": {}},
    {"key": "born", "value": {"type": "year", "value": "1990/5/6"}, "qualifiers": {}}],
   "relations": [
    {"relation": "near", "direction": "forward", "object": "E1", "qualifiers": {}},
    {"relation": "kind", "direction": "forward", "object": "C1", "qualifiers": {}}]},
  "E1": {"name": "Alpha", "instanceOf": ["C2"], "attributes": [],
   "relations": [
    {"relation": "near", "direction": "backward", "object": "E2", "qualifiers": {}},
    {"relation": "far", "direction": "backward", "object": "E3", "qualifiers": {}},
    {"relation": "kind", "direction": "backward", "object": "C1", "qualifiers": {}},
    {"relation": "near", "direction": "forward", "object": "E2", "qualifiers": {}}]}
 }
}"#;

fn open(dir: &Path, name: &str, source: Source, memory: usize) -> Kb {
    let mut request = ImportRequest::new(source, vec![dir.join(name)]);
    request.memory = memory;
    let out = dir.join(format!("{name}.{memory}"));
    let report = import(&request, &out, &NoProgress).expect("a KB");
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    Kb::open(&out).expect("a store")
}

fn towns(dir: &Path, memory: usize) -> Kb {
    std::fs::write(dir.join("towns.json"), TOWNS).expect("written");
    open(dir, "towns.json", Source::KqaPro, memory)
}

fn shown(kb: &Kb, record: &FileRecord) -> String {
    let value = |value| match value {
        Value::Node(node) => kb.node_id(node).to_owned(),
        Value::Literal(literal) => kb.literal(literal).to_string(),
    };
    let arrow = if record.backward { "<-" } else { "->" };
    let qualifiers: Vec<String> = kb.record_qualifiers(record).map(|q| value(q.value)).collect();
    format!("{} {arrow} {} [{}]", kb.property_id(record.property), value(record.value), qualifiers.join(" "))
}

fn records(kb: &Kb, id: &str) -> Vec<String> {
    let node = kb.node(id).expect("a node");
    kb.records(node).map(|record| shown(kb, &record)).collect()
}

/// Also with so little memory that everything is sorted on disk.
#[test]
fn records_are_kept_as_they_stand_in_the_file() {
    let dir = tempfile::tempdir().expect("a folder");
    for memory in [1 << 20, 64] {
        let kb = towns(dir.path(), memory);
        assert!(kb.keeps_file_order());
        assert_eq!(
            records(&kb, "E2"),
            [
                "size -> 9 [2003 1999 2003]",
                "size -> 5 []",
                "size -> 9 []",
                "size -> 5 []",
                "born -> 1990-5-6 []",
                "near -> E1 []",
                "kind -> C1 []"
            ]
        );
        assert_eq!(records(&kb, "E1"), ["near <- E2 []", "far <- E3 []", "kind <- C1 []", "near -> E2 []"]);
        assert_eq!(records(&kb, "C1"), ["kind <- E2 []", "kind -> E1 []"], "from the other ends");
        assert!(records(&kb, "E3").is_empty() && records(&kb, "C2").is_empty());
        // Facts are sorted and distinct, as always.
        assert_eq!(kb.n_facts(), 4 + 5);
    }
}

#[test]
fn nodes_know_their_place_in_the_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let kb = towns(dir.path(), 1 << 20);
    let rank = |id: &str| kb.node_rank(kb.node(id).expect("a node"));
    assert_eq!(["C2", "C1", "E2", "E1"].map(rank), [Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(rank("E3"), None, "it is only mentioned");
}

/// The order is not part of the content: other formats do not have it, and the fingerprint is the same.
#[test]
fn other_formats_have_no_order() {
    let dir = tempfile::tempdir().expect("a folder");
    let kb = towns(dir.path(), 1 << 20);
    let mut lines = Vec::new();
    let request = ExportRequest { format: ExportFormat::Lines, view: ExportView::Direct, qualifiers: true };
    export(&kb, &request, &mut lines, &NoProgress).expect("an export");
    std::fs::write(dir.path().join("towns.jsonl"), lines).expect("written");
    let other = open(dir.path(), "towns.jsonl", Source::Lines, 1 << 20);
    assert!(!other.keeps_file_order());
    assert_eq!(other.manifest().fingerprint, kb.manifest().fingerprint);
    assert_eq!(other.node_rank(NodeId(2)), Some(2));
    assert_eq!(other.records(NodeId(0)).count(), 0);
}

#[test]
fn a_store_without_its_order_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    drop(towns(dir.path(), 1 << 20));
    let store = dir.path().join(format!("towns.json.{}", 1 << 20));
    std::fs::remove_file(store.join("node_rank.col")).expect("removed");
    let error = Kb::open(&store).err().expect("damage").to_string();
    assert!(error.contains("node_rank.col"), "{error}");
}
