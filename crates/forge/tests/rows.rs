//! Questions of SPARQL queries for rows: several columns, groups.
#![allow(clippy::unwrap_used)]

use touchstone_benchmark::english::Lexicon;
use touchstone_forge::english::verbalise_form;
use touchstone_kb::NoProgress;

const PREFIXES: &str = "PREFIX w: <urn:touchstone:world:> PREFIX p: <urn:touchstone:world:property:> ";

/// `tests/cases/rows.txt`: a SPARQL query on World, and its English.
#[test]
fn rows_in_english() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let lexicon = Lexicon::of(&kb);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/rows.txt");
    let cases = std::fs::read_to_string(path).unwrap();
    let (mut wrong, mut rewritten) = (Vec::new(), String::new());
    for line in cases.lines() {
        let Some((query, expected)) = line.split_once(" | ").filter(|_| !line.starts_with('#')) else {
            rewritten += &format!("{line}\n");
            continue;
        };
        let said = verbalise_form(&format!("{PREFIXES}{query}"), &kb, &lexicon, true, 1)
            .map_or_else(|why| format!("! {why}"), |question| question.text);
        if said != expected {
            wrong.push(format!("{query}\n  is    {said}\n  not   {expected}"));
        }
        rewritten += &format!("{query} | {said}\n");
    }
    if std::env::var_os("COMPLETE").is_some() {
        std::fs::write(path, rewritten).unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
