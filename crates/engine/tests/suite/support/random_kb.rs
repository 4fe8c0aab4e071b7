//! Small random KBs with everything that a KB can have.

use super::rng::Rng;
use std::fmt::Write as _;
use touchstone_kb::export::{ExportFormat, ExportRequest, ExportView, export_to};
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::{Kb, NoProgress};

/// A KB from KB lines. Its folder lives as long as the process.
pub fn kb_of(lines: &str) -> Kb {
    let dir = tempfile::tempdir().expect("a folder").keep();
    let file = dir.join("kb.jsonl");
    std::fs::write(&file, lines).expect("written");
    let mut request = ImportRequest::new(Source::Lines, vec![file]);
    request.strict = true;
    let store = dir.join("store");
    import(&request, &store, &NoProgress).expect("imported");
    let kb = Kb::open(&store).expect("opened");
    // The columns are mapped, so the files can be deleted.
    let _ = std::fs::remove_dir_all(&dir);
    kb
}

/// The features of a random KB.
#[derive(Debug, Clone, Copy)]
pub struct Flavour {
    /// Months, date-times, years before the common era, unusual spellings.
    pub odd_values: bool,
    /// Relations, attributes and qualifiers with the same label, and things without one.
    pub homonyms: bool,
    /// Classes that are members of classes, and facts about classes.
    pub classes_as_members: bool,
}

/// A KB of about thirty entities.
pub fn random_kb(seed: u64, flavour: Flavour) -> Kb {
    kb_of(&random_lines(seed, flavour))
}

/// A KB made from a plain RDF file, and the file. The schema is only partly declared, names have predicates of
/// their own, and some types are unknown to the model.
pub fn random_rdf_kb(seed: u64, flavour: Flavour) -> (Kb, std::path::PathBuf) {
    let kb = random_kb(seed, flavour);
    let dir = tempfile::tempdir().expect("a folder").keep();
    let (export, file) = (dir.join("export.nt"), dir.join("file.nt"));
    let request =
        ExportRequest { format: ExportFormat::NTriples, view: ExportView::Direct, qualifiers: true };
    export_to(&kb, &request, &export, &NoProgress).expect("exported");
    let rng = &mut Rng::new(seed);
    let mut text = String::new();
    for line in std::fs::read_to_string(&export).expect("read").lines() {
        let marks = line.contains("#type> <http://www.w3.org/2002/07/owl#")
            || line.contains("#type> <http://www.w3.org/2000/01/rdf-schema#Class>")
            || line.contains("schema:Qualifier>");
        if line.contains("<urn:touchstone:schema:base>") || marks && rng.percent(70) {
            continue;
        }
        let line = line.replace("rdf-schema#Class>", "owl#NamedIndividual>");
        text += &match rng.percent(50) {
            true => line.replace(
                "http://www.w3.org/2000/01/rdf-schema#label",
                "http://www.w3.org/2004/02/skos/core#prefLabel",
            ),
            false => line,
        };
        text.push('\n');
    }
    std::fs::write(&file, text).expect("written");
    let store = dir.join("store");
    let request = ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file.clone()]);
    let report = import(&request, &store, &NoProgress).expect("imported");
    assert!(report.problems.is_empty() && report.compiled.is_exact_rdf);
    (Kb::open(&store).expect("opened"), file)
}

const N_ENTITIES: usize = 30;

/// The same as KB lines.
pub fn random_lines(seed: u64, flavour: Flavour) -> String {
    let rng = &mut Rng::new(seed);
    let mut out = String::from("{\"touchstone_kb\":1,\"name\":\"random\",\"lang\":\"en\"}\n");
    let parents = ["", "\"thing\"", "\"thing\"", "\"person\"", "\"person\",\"place\"", ""];
    for (class, parents) in ["thing", "person", "place", "artist", "museum", "rare"].iter().zip(parents) {
        let member =
            if flavour.classes_as_members && rng.percent(40) { ",\"classes\":[\"rare\"]" } else { "" };
        let _ =
            writeln!(out, "{{\"class\":\"{class}\",\"label\":\"{class}\",\"parents\":[{parents}]{member}}}");
    }
    let label = |id: &str, other: &str| if flavour.homonyms { other.to_owned() } else { id.to_owned() };
    for (relation, other) in
        [("knows", "knows"), ("likes", "knows"), ("part_of", "size"), ("born_in", "born in")]
    {
        let _ = writeln!(out, "{{\"relation\":\"{relation}\",\"label\":\"{}\"}}", label(relation, other));
    }
    for (attribute, other, unit) in [
        ("size", "size", ",\"unit\":\"metre\""),
        ("width", "size", ",\"unit\":\"metre\""),
        ("weight", "weight", ",\"unit\":\"gram\""),
        ("rank", "rank", ""),
        ("begin", "since", ""),
        ("end", "end", ""),
        ("motto", "motto", ""),
        ("anything", "anything", ",\"unit\":\"metre\""),
    ] {
        let _ = writeln!(
            out,
            "{{\"attribute\":\"{attribute}\",\"label\":\"{}\"{unit}}}",
            label(attribute, other)
        );
    }
    for (key, other) in [("since", "since"), ("share", "rank"), ("by", "by"), ("note", "by")] {
        let _ = writeln!(out, "{{\"qualifier\":\"{key}\",\"label\":\"{}\"}}", label(key, other));
    }
    for entity in 0..N_ENTITIES {
        let classes: Vec<String> = (0..rng.below(3)).map(|_| class(rng)).collect();
        let name = match rng.below(10) {
            0 => ",\"label\":\"Alex\"".to_owned(),
            1 if flavour.homonyms => String::new(),
            _ => format!(",\"label\":\"Entity {entity}\",\"aliases\":[\"E{entity}\"]"),
        };
        let (relations, attributes) = (relations(rng, flavour), attributes(rng, flavour));
        let _ = writeln!(
            out,
            "{{\"entity\":\"e{entity}\"{name},\"classes\":[{}],\"relations\":[{relations}],\"attributes\":[{attributes}]}}",
            classes.join(",")
        );
    }
    if flavour.classes_as_members {
        let (relations, attributes) = (relations(rng, flavour), attributes(rng, flavour));
        let _ = writeln!(
            out,
            "{{\"class\":\"odd\",\"label\":\"odd\",\"classes\":[\"thing\"],\"relations\":[{relations}],\"attributes\":[{attributes}]}}"
        );
    }
    out
}

fn class(rng: &mut Rng) -> String {
    let classes = ["\"thing\"", "\"person\"", "\"place\"", "\"artist\"", "\"museum\""];
    classes[rng.below(classes.len())].to_owned()
}

fn node(rng: &mut Rng, flavour: Flavour) -> String {
    if rng.percent(if flavour.classes_as_members { 12 } else { 0 }) {
        class(rng)
    } else {
        // Few, so that there are cycles.
        let range = if rng.percent(70) { 8 } else { N_ENTITIES };
        format!("\"e{}\"", rng.below(range))
    }
}

fn relations(rng: &mut Rng, flavour: Flavour) -> String {
    let mut facts = Vec::new();
    for _ in 0..1 + rng.below(4) {
        let relation = ["knows", "knows", "likes", "part_of", "born_in"][rng.below(5)];
        let value = node(rng, flavour);
        // The same triple more than once, with other qualifiers.
        for _ in 0..1 + rng.below(8) / 6 {
            facts.push(format!("[\"{relation}\",{value},{}]", qualifiers(rng, flavour)));
        }
    }
    facts.join(",")
}

fn attributes(rng: &mut Rng, flavour: Flavour) -> String {
    let mut facts = Vec::new();
    for _ in 0..1 + rng.below(6) {
        let attribute =
            ["size", "width", "weight", "rank", "begin", "end", "motto", "anything"][rng.below(8)];
        let value = match attribute {
            "size" | "width" | "weight" => quantity(rng, attribute),
            "rank" => format!("[\"{}\"]", rng.below(6)),
            "begin" | "end" => time(rng, flavour),
            "motto" => text(rng, flavour),
            _ => match rng.below(5) {
                0 => quantity(rng, "size"),
                1 => time(rng, flavour),
                2 => text(rng, flavour),
                3 => format!("{{\"bool\":{}}}", rng.percent(50)),
                _ => format!("[\"{}\"]", rng.below(6)),
            },
        };
        for _ in 0..1 + rng.below(8) / 7 {
            facts.push(format!("[\"{attribute}\",{value},{}]", qualifiers(rng, flavour)));
        }
    }
    facts.join(",")
}

fn qualifiers(rng: &mut Rng, flavour: Flavour) -> String {
    let mut keys = Vec::new();
    for key in ["since", "share", "by", "note"] {
        if !rng.percent(20) {
            continue;
        }
        let values: Vec<String> = (0..1 + rng.below(2))
            .map(|_| match key {
                "since" => time(rng, flavour),
                "share" => format!("[\"{}\",\"percent\"]", rng.below(100)),
                "by" if rng.percent(70) => format!("{{\"id\":{}}}", node(rng, flavour)),
                _ => text(rng, flavour),
            })
            .collect();
        keys.push(format!("\"{key}\":[{}]", values.join(",")));
    }
    format!("{{{}}}", keys.join(","))
}

fn quantity(rng: &mut Rng, attribute: &str) -> String {
    let usual = if attribute == "weight" { "gram" } else { "metre" };
    let number = match rng.below(6) {
        0 => format!("{}.5", rng.below(6)),
        1 => format!("-{}", 1 + rng.below(6)),
        2 => format!("{}e1", 1 + rng.below(3)),
        3 => format!("{}.0", rng.below(6)),
        _ => rng.below(30).to_string(),
    };
    match rng.below(10) {
        0 => format!("[\"{number}\",\"foot\"]"),
        1 => format!("[\"{number}\"]"),
        2 => format!("[\"{number}\",\"{usual}\",\"double\"]"),
        _ => format!("[\"{number}\",\"{usual}\"]"),
    }
}

fn time(rng: &mut Rng, flavour: Flavour) -> String {
    let year = 1988 + rng.below(5);
    let (month, day) = (1 + rng.below(3), 1 + rng.below(3));
    match rng.below(if flavour.odd_values { 10 } else { 5 }) {
        0..=2 => format!("{{\"date\":\"{year}-{month:02}-{day:02}\"}}"),
        3 | 4 => format!("{{\"year\":{year}}}"),
        5 => format!("{{\"month\":\"{year}-{month:02}\"}}"),
        6 => format!("{{\"datetime\":\"{year}-{month:02}-{day:02}T1{}:00:00Z\"}}", rng.below(3)),
        7 => format!("{{\"year\":-{}}}", 40 + rng.below(3)),
        8 => format!("{{\"date\":\"-0044-0{month}-0{day}\"}}"),
        _ => format!("{{\"date\":\"{year}-{month}-{day}+02:00\"}}"),
    }
}

fn text(rng: &mut Rng, flavour: Flavour) -> String {
    let word = ["red", "blue", "5", "1990", "Entity 3", "Alex", "say \\\"hi\\\""][rng.below(7)];
    match rng.below(if flavour.odd_values { 8 } else { 5 }) {
        0..=4 => format!("\"{word}\""),
        5 => format!("{{\"text\":\"{word}\",\"lang\":\"fr\"}}"),
        6 => format!("{{\"text\":\"{word}\",\"lang\":\"en-gb\"}}"),
        _ => format!("{{\"text\":\"P{word}\",\"datatype\":\"http://www.w3.org/2001/XMLSchema#duration\"}}"),
    }
}
