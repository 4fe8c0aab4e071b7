//! ARCHITECTURE.md and the crates stay in step.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use support::root;

fn crates() -> BTreeSet<String> {
    let entries = fs::read_dir(root().join("crates")).unwrap();
    entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// Everything in backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_crate_is_described_and_every_path_exists() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let outside_blocks: String = text.split("```").step_by(2).collect();
    let quoted = quoted(&outside_blocks);
    for name in crates() {
        let path = format!("crates/{name}");
        assert!(quoted.contains(&path.as_str()), "ARCHITECTURE.md does not describe `{path}`");
    }
    for path in quoted
        .iter()
        .filter(|q| q.starts_with("crates/") || q.starts_with("tools/") || q.starts_with("docs/"))
    {
        assert!(root().join(path).exists(), "ARCHITECTURE.md speaks of `{path}`, which does not exist");
    }
}

/// The part of the code map about a crate.
fn section<'t>(text: &'t str, name: &str) -> &'t str {
    let start = text.find(&format!("### `crates/{name}`")).unwrap_or_else(|| panic!("no section on {name}"));
    let section = &text[start + 1..];
    &section[..section.find("\n### ").unwrap_or(section.len())]
}

/// Each module of a crate is named in that crate's part of the code map, and each module named there exists.
#[test]
fn every_module_is_on_the_map() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for name in crates() {
        let section = section(&text, &name);
        let src = root().join("crates").join(&name).join("src");
        for entry in fs::read_dir(&src).unwrap() {
            let path = entry.unwrap().path();
            let module = path.file_stem().unwrap().to_string_lossy().into_owned();
            let is_code = path.is_dir() || path.extension().is_some_and(|e| e == "rs");
            // A folder next to its file is described with it.
            let is_part = path.is_dir() && src.join(format!("{module}.rs")).exists();
            if is_code && !is_part && !["lib", "main"].contains(&module.as_str()) {
                let wanted = if path.is_dir() { format!("`{module}/`") } else { format!("`{module}.rs`") };
                assert!(section.contains(&wanted), "ARCHITECTURE.md does not name {wanted} of crates/{name}");
            }
        }
        for module in quoted(section).iter().filter(|quoted| quoted.ends_with(".rs")) {
            let file = module.rsplit('/').next().unwrap();
            assert!(
                has_file(&src, file),
                "ARCHITECTURE.md names `{module}`, which crates/{name} does not have"
            );
        }
    }
}

/// Whether a folder or one inside it has a file of this name.
fn has_file(folder: &Path, name: &str) -> bool {
    let mut entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.any(|path| {
        if path.is_dir() { has_file(&path, name) } else { path.file_name().is_some_and(|file| file == name) }
    })
}

/// What each crate may depend on among our own, and what its tests may use in addition. A crate may come before it depends on all of these.
const ALLOWED: [(&str, &str, &str); 18] = [
    ("testing", "", ""),
    ("kb", "", "testing"),
    ("world", "kb", ""),
    ("logic", "kb", "testing"),
    ("engine", "kb logic", "testing world"),
    ("protocol", "engine logic", "kb testing world"),
    ("benchmark", "kb logic", "testing world"),
    ("terminal", "", "benchmark"),
    ("datasets", "benchmark engine kb logic", "testing"),
    ("forge", "benchmark engine kb logic", "datasets testing world"),
    ("grade", "benchmark datasets engine kb logic", "forge testing world"),
    ("run", "benchmark datasets engine kb logic protocol", "forge world"),
    ("train", "benchmark engine grade kb logic run", "testing"),
    ("models", "benchmark datasets engine forge grade kb logic run train", "protocol testing world"),
    ("prospector", "benchmark engine forge kb logic run", "world"),
    ("annotate", "benchmark engine forge grade kb logic run", "testing world"),
    ("studio", "benchmark datasets engine forge grade kb logic prospector protocol run", "world"),
    (
        "cli",
        "annotate benchmark datasets engine forge grade kb logic models prospector protocol run studio terminal train world",
        "testing",
    ),
];

/// The arrow points down only: each crate depends on those that the table allows, and on no other.
#[test]
fn dependencies_point_down() {
    for name in crates() {
        let (_, normal, in_tests) = *ALLOWED.iter().find(|(of, ..)| *of == name).unwrap();
        let path = root().join("crates").join(&name).join("Cargo.toml");
        let mut allowed: Vec<&str> = Vec::new();
        for line in fs::read_to_string(path).unwrap().lines() {
            match line {
                "[dependencies]" => allowed = normal.split(' ').collect(),
                "[dev-dependencies]" => allowed = normal.split(' ').chain(in_tests.split(' ')).collect(),
                _ => {}
            }
            let Some(dependency) = line.strip_prefix("touchstone-") else { continue };
            let other = dependency.split(['.', ' ']).next().unwrap();
            assert!(allowed.contains(&other), "crates/{name} depends on touchstone-{other}");
        }
    }
}

/// A crate that makes or grades benchmarks does not build a server or a client.
#[test]
fn forge_and_grade_do_not_need_a_network() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let mut texts = package.lines().filter_map(|line| line.split('"').nth(1));
        let name = texts.next().unwrap();
        let listed = package.split_once("dependencies = [").map_or("", |(_, listed)| listed);
        let names = listed.split('"').skip(1).step_by(2).filter_map(|text| text.split(' ').next());
        uses.entry(name).or_default().extend(names);
    }
    for start in ["touchstone-forge", "touchstone-grade"] {
        let (mut seen, mut next) = (BTreeSet::new(), vec![start]);
        while let Some(package) = next.pop() {
            if seen.insert(package) {
                next.extend(&uses[package]);
            }
        }
        assert!(seen.contains("touchstone-engine"), "{start}: {seen:?}");
        for network in ["axum", "hyper", "tokio", "ureq"] {
            assert!(!seen.contains(network), "{start} depends on {network}");
        }
    }
}

/// A command does not use another one: what two commands share is in the folder's `mod.rs` or next to the folders.
#[test]
fn commands_do_not_import_each_other() {
    const FOLDERS: [&str; 8] = ["kb", "forms", "query", "shell", "forge", "grade", "run", "train"];
    let src = root().join("crates/cli/src");
    for folder in FOLDERS {
        let files = fs::read_dir(src.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let files: Vec<_> = files.collect();
        let names: Vec<&str> = files.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
        for (path, own) in files.iter().zip(&names) {
            let text = fs::read_to_string(path).unwrap();
            for other in FOLDERS {
                let used = format!("crate::{other}::");
                assert!(!text.contains(&used), "{} uses {used}", path.display());
            }
            let siblings = names.iter().filter(|name| *name != own && *own != "mod");
            for sibling in siblings {
                let used = format!("super::{sibling}::");
                assert!(!text.contains(&used), "{} uses {used}", path.display());
            }
        }
    }
}

/// A search for a public type finds only one.
#[test]
fn public_types_have_unique_names() {
    // What facts hold as their value, and a value as a query writes it: both are called so where they are used.
    const SHARED: [&str; 1] = ["Value"];
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in crates().iter().filter(|name| name.as_str() != "cli") {
        public_types(&root().join("crates").join(name).join("src"), &mut found);
    }
    assert!(found.len() > 300, "only {} public types were found", found.len());
    found.retain(|name, places| places.len() > 1 && !SHARED.contains(&name.as_str()));
    assert!(found.is_empty(), "types with the same name: {found:#?}");
}

fn public_types(folder: &Path, found: &mut BTreeMap<String, Vec<String>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            public_types(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        for line in text.lines().filter(|_| path.extension().is_some_and(|extension| extension == "rs")) {
            let mut words = line.trim().split([' ', '<', '(', ';', ':', '{']);
            if words.next() == Some("pub")
                && ["struct", "enum", "trait", "type"].contains(&words.next().unwrap_or_default())
            {
                let name = words.next().unwrap().to_owned();
                found.entry(name).or_default().push(path.display().to_string());
            }
        }
    }
}

/// One audited place.
#[test]
fn unsafe_code_is_in_one_module_only() {
    fn visit(dir: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs")
                && fs::read_to_string(&path).unwrap().contains("allow(unsafe_code)")
            {
                found.push(path.strip_prefix(root()).unwrap().display().to_string());
            }
        }
    }
    let mut found = Vec::new();
    for name in crates() {
        visit(&root().join("crates").join(name).join("src"), &mut found);
    }
    assert_eq!(found, ["crates/kb/src/store/mapping.rs"]);
}

/// Every library crate can be understood and published alone.
#[test]
fn every_library_crate_explains_itself() {
    for name in crates().iter().filter(|name| !["cli", "testing"].contains(&name.as_str())) {
        let folder = root().join("crates").join(name);
        let lib = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        assert!(lib.starts_with("#![doc = include_str!(\"../README.md\")]"), "crates/{name}/src/lib.rs");
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        for part in ["**Useful for:**", "**Not useful for:**"] {
            assert!(readme.contains(part), "crates/{name}/README.md has no {part}");
        }
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for key in ["description", "readme", "keywords", "categories"] {
            assert!(manifest.contains(&format!("{key} = ")), "crates/{name}/Cargo.toml has no {key}");
        }
        let examples = fs::read_dir(folder.join("examples")).map_or(0, Iterator::count);
        assert!(examples > 0, "crates/{name} has no examples");
        let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let dependency = format!("touchstone-{name} = {{ path = \"crates/{name}\", version = ");
        assert!(workspace.contains(&dependency), "the dependency on crates/{name} has no version");
    }
}

/// CONTRIBUTING.md lists the steps of the gate in their order.
#[test]
fn contributing_lists_the_steps_of_the_gate() {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let gate = fs::read_to_string(root().join(".ci/run")).unwrap();
    let mut from = 0;
    for line in gate.lines() {
        let Some((_, command)) = line.split_once("step ").or_else(|| line.split_once("'\\n== ")) else {
            continue;
        };
        let mut words = command.split_whitespace();
        let step = match words.next().unwrap() {
            "cargo" => format!("cargo {}", words.next().unwrap()),
            script if script.contains('/') => script.to_owned(),
            _ => continue,
        };
        let at = page[from..].find(&step);
        from += at.unwrap_or_else(|| panic!("CONTRIBUTING.md does not list `{step}` in its place"));
    }
    assert!(from > 0);
}
