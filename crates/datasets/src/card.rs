//! The dataset card next to Parquet files: `README.md` with the YAML header that Hugging Face reads.

use crate::parquet::{self, Shown};
use std::collections::BTreeMap;
use std::fmt::Write;
use touchstone_benchmark::package::{Benchmark, BenchmarkManifest};

/// The file.
pub(crate) const FILE: &str = "README.md";

/// Licences by the ids of Hugging Face's hub.
const LICENCES: [(&str, &str); 10] = [
    ("CC0-1.0", "cc0-1.0"),
    ("CC0", "cc0-1.0"),
    ("CC BY 4.0", "cc-by-4.0"),
    ("CC-BY-4.0", "cc-by-4.0"),
    ("CC BY-SA 4.0", "cc-by-sa-4.0"),
    ("CC-BY-SA-4.0", "cc-by-sa-4.0"),
    ("MIT", "mit"),
    ("Apache-2.0", "apache-2.0"),
    ("ODbL-1.0", "odbl"),
    ("PDDL-1.0", "pddl"),
];

/// The card of a benchmark, given the files of its splits with their numbers of questions.
pub(crate) fn card(benchmark: &Benchmark, files: &BTreeMap<String, usize>) -> String {
    let manifest = &benchmark.manifest;
    let splits: Vec<(&str, &str, usize)> = files
        .iter()
        .filter_map(|(file, n)| Some((file.strip_suffix(".parquet")?, file.as_str(), *n)))
        .collect();
    let mut card = header(manifest, &splits);
    let _ = writeln!(card, "\n# {}\n", manifest.name);
    if !manifest.description.is_empty() {
        let _ = writeln!(card, "{}.\n", manifest.description.trim_end_matches('.'));
    }
    card.push_str(
        "Questions over a knowledge base, with logical forms, answers, query graphs and proofs.\n\n",
    );
    let kb = match manifest.kb.name.as_str() {
        "" => "not named".to_owned(),
        name => format!("{name}, fingerprint `{}`", manifest.kb.fingerprint),
    };
    let _ = writeln!(card, "- Knowledge base: {kb}");
    let licence = if manifest.license.is_empty() { "not stated" } else { &manifest.license };
    let _ = writeln!(card, "- Licence: {licence}");
    let _ = writeln!(card, "- Made by: touchstone {}", manifest.tool_version);
    if !manifest.held_out.is_empty() {
        let _ = writeln!(card, "- Domains kept out of training: {}", manifest.held_out.join(", "));
    }
    if let Some(year) = &manifest.as_of {
        let _ = writeln!(card, "- Facts that change with time are as of: {year}");
    }
    if !manifest.completeness.is_empty() {
        let _ = writeln!(card, "- Completeness of the knowledge base: {}", manifest.completeness);
    }
    card.push_str("\n## Splits\n\n| split | file | questions |\n|---|---|---|\n");
    for (split, file, n) in &splits {
        let _ = writeln!(card, "| {split} | {file} | {n} |");
    }
    let levels: Vec<(&str, &u64)> = manifest
        .counts
        .iter()
        .filter(|(name, _)| name.contains(' '))
        .map(|(name, n)| (name.as_str(), n))
        .collect();
    if !levels.is_empty() {
        card.push_str("\nBy level:\n\n| split and level | questions |\n|---|---|\n");
        for (name, n) in levels {
            let _ = writeln!(card, "| {name} | {n} |");
        }
    }
    card.push_str("\n## Columns\n\n| column | type | meaning |\n|---|---|---|\n");
    for (name, shown) in parquet::columns() {
        let kind = match shown {
            Shown::Text => "text",
            Shown::Maybe => "text or null",
            Shown::List => "list of texts",
            Shown::Json => "JSON text",
        };
        let _ = writeln!(card, "| `{name}` | {kind} | {} |", meaning(name));
    }
    if let Some(recipe) = &manifest.recipe {
        let recipe = serde_json::to_string_pretty(recipe).unwrap_or_default();
        let _ = writeln!(card, "\n## Recipe\n\n```json\n{recipe}\n```");
    }
    card
}

/// The YAML header. Strings are written as in JSON, which is valid YAML.
fn header(manifest: &BenchmarkManifest, splits: &[(&str, &str, usize)]) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let known = LICENCES.iter().find(|(name, _)| name.eq_ignore_ascii_case(manifest.license.trim()));
    let mut yaml = String::from("---\n");
    match known {
        Some((_, id)) => yaml.push_str(&format!("license: {id}\n")),
        None if manifest.license.is_empty() => yaml.push_str("license: unknown\n"),
        None => yaml.push_str(&format!("license: other\nlicense_name: {}\n", quoted(&manifest.license))),
    }
    let n: usize = splits.iter().map(|(.., n)| n).sum();
    let _ = writeln!(yaml, "pretty_name: {}", quoted(&manifest.name));
    yaml.push_str("language:\n- en\ntask_categories:\n- question-answering\ntags:\n- knowledge-base\n- kbqa\n- sparql\n");
    let _ = writeln!(yaml, "size_categories:\n- {}", size(n));
    yaml.push_str("configs:\n- config_name: default\n  data_files:\n");
    for (split, file, _) in splits {
        let _ = writeln!(yaml, "  - split: {split}\n    path: {}", quoted(file));
    }
    yaml.push_str("dataset_info:\n  features:\n");
    for (name, shown) in parquet::columns() {
        let kind = if shown == Shown::List { "list: string" } else { "dtype: string" };
        let _ = writeln!(yaml, "  - name: {name}\n    {kind}");
    }
    yaml.push_str("  splits:\n");
    for (split, _, n) in splits {
        let _ = writeln!(yaml, "  - name: {split}\n    num_examples: {n}");
    }
    let kb = &manifest.kb;
    let _ = writeln!(
        yaml,
        "touchstone:\n  kb: {}\n  kb_fingerprint: {}",
        quoted(&kb.name),
        quoted(&kb.fingerprint)
    );
    yaml + "---\n"
}

/// The hub's size category for a number of rows.
fn size(n: usize) -> &'static str {
    match n {
        0..1_000 => "n<1K",
        1_000..10_000 => "1K<n<10K",
        10_000..100_000 => "10K<n<100K",
        100_000..1_000_000 => "100K<n<1M",
        1_000_000..10_000_000 => "1M<n<10M",
        _ => "10M<n<100M",
    }
}

fn meaning(column: &str) -> &'static str {
    match column {
        "id" => "Unique id of the question",
        "split" => "`train`, `dev` or `test`",
        "level" => "`i.i.d.`, `compositional` or `zero-shot`, relative to training; empty in training",
        "question" => "The question in English",
        "sexpr" => "The query as an S-expression",
        "program" => "The query as a KoPL program",
        "sparql" => "The query in SPARQL",
        "sparql_kqapro" => "The query in SPARQL on KQA Pro's graph",
        "shape" => "Canonical code of the shape of the query graph",
        "alias" => "Name of the shape in the literature",
        "function" => "`none`, `count`, `comparative`, `superlative`, or another way of asking",
        "type" => "KQA Pro's type of question",
        "template" => "Key that questions with the same template share",
        "source" => "Strategy or data set that the question comes from",
        "categories" => "KQA Pro's categories",
        "choices" => "Ten answers to choose from",
        "schema_items" => "Classes, properties and qualifier keys of the query",
        "answers" => "The gold answers with type, id and label, or value",
        "entities" => "The entities that the question names, with their positions",
        "proof" => "Facts that make the answers true",
        "graph" => "The query graph",
        _ => "",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use touchstone_benchmark::package::KbIdentity;

    fn benchmark(license: &str) -> Benchmark {
        let manifest = BenchmarkManifest {
            description: "For a test.".to_owned(),
            kb: KbIdentity { name: "World".to_owned(), fingerprint: "abc".to_owned() },
            recipe: Some(serde_json::json!({ "questions": 2000 })),
            license: license.to_owned(),
            counts: BTreeMap::from([("test zero-shot".to_owned(), 3)]),
            ..BenchmarkManifest::named("mine: \"a\"")
        };
        Benchmark::new(manifest, Vec::new())
    }

    #[test]
    fn every_column_and_split_is_in_the_header_and_explained() {
        let files = BTreeMap::from([("train.parquet".to_owned(), 1_500), ("test.parquet".to_owned(), 3)]);
        let card = card(&benchmark("CC BY 4.0"), &files);
        let (header, body) = card.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
        for line in [
            "license: cc-by-4.0",
            "pretty_name: \"mine: \\\"a\\\"\"",
            "- 1K<n<10K",
            "  - split: test\n    path: \"test.parquet\"",
            "  - name: train\n    num_examples: 1500",
            "  - name: choices\n    list: string",
            "  kb_fingerprint: \"abc\"",
        ] {
            assert!(header.contains(line), "{line}\n{header}");
        }
        for (name, _) in parquet::columns() {
            assert!(header.contains(&format!("- name: {name}\n")), "{name}");
            assert!(!meaning(name).is_empty(), "{name}");
        }
        assert!(body.contains("fingerprint `abc`") && body.contains("| test zero-shot | 3 |"), "{body}");
        assert!(body.contains("\"questions\": 2000"), "{body}");
    }

    #[test]
    fn unknown_licences_are_named() {
        let header = |license: &str| card(&benchmark(license), &BTreeMap::new());
        assert!(
            header("MIT; CC BY 4.0 by field")
                .contains("license: other\nlicense_name: \"MIT; CC BY 4.0 by field\"\n")
        );
        assert!(header("").contains("license: unknown\n"));
    }
}
