//! Neighbours of the KB: made, written, and used to find out luck.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use serde_json::Value as Json;
use std::fs;
use std::path::Path;
use support::{json, run, stderr, stdout};

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn succeed(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    stdout(&output)
}

fn lines(path: &str) -> Vec<Json> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn number(line: &Json, field: &str) -> u64 {
    line[field].as_u64().unwrap()
}

#[test]
fn luck_is_found_out_and_gold_is_not_blamed() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| text(&dir.path().join(name));
    let (bench, neighbours) = (file("bench"), file("neighbours.jsonl"));
    succeed(&["build", "quick", "--questions", "500", "--seed", "1", "--out", &bench]);
    let said = succeed(&["distil", "--benchmark", &bench, "--out", &neighbours]);

    let distilled = lines(&neighbours);
    assert!(distilled.len() > 50, "{} questions", distilled.len());
    let mut n_neighbours = 0;
    for line in &distilled {
        assert!(number(line, "distinguished") <= number(line, "misses"), "{line}");
        assert!(number(line, "lucky") <= number(line, "misses"), "{line}");
        assert!(
            number(line, "lucky_distinguished") <= number(line, "lucky").min(number(line, "distinguished")),
            "{line}"
        );
        let own = line["neighbours"].as_array().unwrap();
        assert!(
            !own.is_empty() || (number(line, "distinguished") == 0 && line["moves_gold"] == false),
            "{line}"
        );
        let is_change = |one: &Json| ["removed", "added"].iter().any(|way| one[way][0].is_array());
        assert!(own.iter().all(is_change), "{line}");
        n_neighbours += own.len();
    }
    let start = format!("{n_neighbours} neighbours of {} questions written to", distilled.len());
    assert!(said.starts_with(&start), "{said}");
    let moved = distilled.iter().filter(|line| line["moves_gold"] == true).count();
    assert!(moved * 10 > distilled.len() * 9, "gold moves in {moved} of {}", distilled.len());

    let again = file("again.jsonl");
    succeed(&["distil", "--benchmark", &bench, "--out", &again]);
    assert_eq!(fs::read(&neighbours).unwrap(), fs::read(&again).unwrap(), "the same seed, other neighbours");

    let robust = |predictions: &str| {
        let args =
            ["grade", "--benchmark", &bench, "--predictions", predictions, "--robust", &neighbours, "--json"];
        json(&args)["robust"].clone()
    };
    let oracle = file("oracle");
    succeed(&["run", "oracle", "--benchmark", &bench, "--out", &oracle]);
    let checked = robust(&oracle);
    assert!(number(&checked, "checked") > 50, "{checked}");
    assert_eq!(number(&checked, "failed"), 0, "{checked}");

    let lucky = file("t3.jsonl");
    succeed(&["degrade", "--benchmark", &bench, "--transform", "T3", "--share", "1", "--out", &lucky]);
    let checked = robust(&lucky);
    assert!(number(&checked, "failed") > 0, "{checked}");
    assert!(number(&checked, "failed") < number(&checked, "checked"), "{checked}");

    let good = fs::read_to_string(&neighbours).unwrap();
    let first = good.lines().next().unwrap();
    let unknown = r#"{"id":"x","misses":1,"told":1,"lucky":0,"lucky_told":0,"neighbours":[{"removed":[["nobody","nothing",{"id":"nowhere"}]]}]}"#;
    for (second, reason) in [("{\"id\": 1", "not a line of neighbours"), (unknown, "made for a different KB")]
    {
        let damaged = file("damaged.jsonl");
        fs::write(&damaged, format!("{first}\n{second}\n")).unwrap();
        let refused = run(&["grade", "--benchmark", &bench, "--predictions", &lucky, "--robust", &damaged]);
        assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
        assert!(stderr(&refused).contains(&format!("{damaged}, line 2")), "{}", stderr(&refused));
        assert!(stderr(&refused).contains(reason), "{}", stderr(&refused));
    }
}
