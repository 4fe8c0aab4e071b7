//! Benchmarks made from the embedded World KB and from a small one: reproducible, verifiable, and in English.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{Benchmark, Function, Paraphrase, Provenance, Question, Split};
use touchstone_datasets::{
    DataSet, ExportConfig, Exported, ImportConfig, Importer, LevelSource, SplitFile, export, import,
};
use touchstone_engine::{QueryContext, Words};
use touchstone_forge::english::{Wording, verbalise};
use touchstone_forge::{Recipe, lint, make, stats};
use touchstone_kb::{Kb, NoProgress};
use touchstone_logic::level::Level;
use touchstone_logic::{Form, Language, Program, Query};

fn recipe(name: &str, questions: usize) -> Recipe {
    let mut recipe = Recipe::parse(Recipe::text(name).unwrap()).unwrap();
    recipe.questions = questions;
    recipe
}

fn read(kb: &Kb, text: &str) -> Query {
    match Language::guess(text) {
        Language::Sexpr => Form::parse(text, &Words::new(kb)).unwrap().to_query().unwrap(),
        _ => Program::parse(text).unwrap().to_query(&Words::new(kb)).unwrap(),
    }
}

#[test]
fn the_same_recipe_gives_the_same_bytes_and_lint_finds_nothing() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let lexicon = Lexicon::of(&kb);
    let recipe = recipe("quick", 300);
    let benchmark = make(&kb, &recipe, &lexicon, &NoProgress).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    benchmark.write(&one).unwrap();
    make(&kb, &recipe, &lexicon, &NoProgress).unwrap().write(&two).unwrap();
    for file in ["benchmark.json", "questions.jsonl"] {
        assert!(
            std::fs::read(one.join(file)).unwrap() == std::fs::read(two.join(file)).unwrap(),
            "{file} differs"
        );
    }
    let again = Benchmark::read(&one).unwrap();
    assert_eq!(again, benchmark);
    assert!(benchmark.questions.len() > 240, "{}", benchmark.questions.len());
    let report = lint::lint(&kb, &again, &NoProgress);
    assert!(report.same_kb && report.findings.is_empty(), "{:?}", report.findings);
    assert!(report.forms_run > 400);
    let levels: BTreeSet<&str> =
        benchmark.questions.iter().map(|question| question.level.map_or("", Level::name)).collect();
    assert_eq!(levels.into_iter().collect::<Vec<_>>(), ["", "compositional", "i.i.d.", "zero-shot"]);
    assert!(stats::tables(&benchmark).iter().any(|table| table.name == "shape" && table.rows.len() > 5));
}

/// Errors that lint must find, each injected on purpose.
#[test]
fn lint_finds_what_is_wrong() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let good = make(&kb, &recipe("quick", 120), &Lexicon::of(&kb), &NoProgress).unwrap();
    let rules = |benchmark: &Benchmark| -> Vec<&'static str> {
        lint::lint(&kb, benchmark, &NoProgress).by_rule().keys().map(|rule| rule.name()).collect()
    };
    let with = |change: &dyn Fn(&mut Benchmark)| {
        let mut bad = good.clone();
        change(&mut bad);
        rules(&bad)
    };
    assert!(rules(&good).is_empty());
    assert_eq!(with(&|b| b.questions[0].answers.clear()), ["wrong answers"]);
    assert!(with(&|b| drop(b.questions.pop())).contains(&"count"));
    assert_eq!(with(&|b| b.questions.clear()), ["count", "empty"]);
    assert!(with(&|b| b.questions[0].id = b.questions[1].id.clone()).contains(&"duplicate id"));
    assert!(
        with(&|b| b.questions[0].question = b.questions[1].question.clone())
            .contains(&"one question, two queries")
    );
    let test = good.questions.iter().position(|q| q.split == Split::Test).unwrap();
    let train =
        good.questions.iter().position(|q| q.split == Split::Train && q.forms.sexpr.is_some()).unwrap();
    let other = Level::ALL.into_iter().find(|level| good.questions[test].level != Some(*level));
    assert!(with(&|b| b.questions[test].level = other).contains(&"wrong level"));
    assert!(
        with(&|b| {
            let mut copy = b.questions[train].clone();
            copy.split = Split::Test;
            b.questions.push(copy);
        })
        .contains(&"leak")
    );
    assert!(
        with(&|b| b.questions[train].forms.sexpr = Some("(AND film".to_owned())).contains(&"unreadable form")
    );
    let named = good.questions.iter().position(|q| !q.entities.is_empty()).unwrap();
    assert!(with(&|b| b.questions[named].entities[0].start += 1).contains(&"wrong mention"));
}

#[test]
fn all_functions_of_programs_occur() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let benchmark = make(&kb, &recipe("kqapro", 1200), &Lexicon::of(&kb), &NoProgress).unwrap();
    let programs = benchmark.questions.iter().filter_map(|question| question.forms.program.as_deref());
    let functions: BTreeSet<&str> = programs
        .flat_map(|text| Program::parse(text).unwrap().steps)
        .map(|step| step.function.name())
        .collect();
    let missing: Vec<&str> = touchstone_logic::kopl::KoplFunction::ALL
        .iter()
        .map(|function| function.name())
        .filter(|name| !functions.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    for question in &benchmark.questions {
        assert!(matches!(question.choices.len(), 0 | 10), "{}", question.id);
        assert_eq!(question.answers.len(), 1, "{}", question.id);
    }
}

/// `tests/cases/english.txt`: a logical form on World, and its English.
#[test]
fn english() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let lexicon = Lexicon::of(&kb);
    assert!(lexicon.unknown(&kb).is_empty(), "{:?}", lexicon.unknown(&kb));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/english.txt");
    let cases = std::fs::read_to_string(path).unwrap();
    let (mut wrong, mut rewritten) = (Vec::new(), String::new());
    for line in cases.lines() {
        let Some((form, expected)) = line.split_once(" | ").filter(|_| !line.starts_with('#')) else {
            rewritten += &format!("{line}\n");
            continue;
        };
        let said = verbalise(
            &read(&kb, form),
            &Words::new(&kb),
            &lexicon,
            Wording { many: true, seed: 1, new_words: false },
        )
        .map_or_else(|why| format!("! {why}"), |spoken| spoken.text);
        if said != expected {
            wrong.push(format!("{form}\n  is    {said}\n  not   {expected}"));
        }
        rewritten += &format!("{form} | {said}\n");
    }
    if std::env::var_os("COMPLETE").is_some() {
        std::fs::write(path, rewritten).unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Words derived from labels, on a KB without a lexicon.
#[test]
fn any_kb_can_be_asked_about() {
    use touchstone_kb::import::{ImportRequest, Profile, Source, import};
    let dir = tempfile::tempdir().unwrap();
    let turtle = dir.path().join("kb.ttl");
    let mut text =
        "@prefix : <http://example.org/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
            .to_owned();
    for i in 0..40 {
        text += &format!(
            ":book{i} a :Book ; rdfs:label \"Book {i}\" ; :writtenBy :author{} ; :publisher :house{} ; :pages {} .\n",
            i % 11,
            i % 5,
            100 + 7 * i
        );
    }
    for i in 0..11 {
        text += &format!(":author{i} a :Author ; rdfs:label \"Author {i}\" ; :memberOf :club{} .\n", i % 3);
    }
    for i in 0..5 {
        text += &format!(
            ":house{i} a :House ; rdfs:label \"House {i}\" .\n:club{} a :Club ; rdfs:label \"Club {}\" .\n",
            i % 3,
            i % 3
        );
    }
    std::fs::write(&turtle, text).unwrap();
    let request = ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![turtle]);
    import(&request, &dir.path().join("kb"), &NoProgress).unwrap();
    let kb = Kb::open(&dir.path().join("kb")).unwrap();
    let lexicon = Lexicon::of(&kb);
    let benchmark = make(&kb, &recipe("quick", 150), &lexicon, &NoProgress).unwrap();
    assert!(benchmark.questions.len() > 60, "{}", benchmark.questions.len());
    let report = lint::lint(&kb, &benchmark, &NoProgress);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let said = |form: &str| {
        verbalise(
            &read(&kb, form),
            &Words::new(&kb),
            &lexicon,
            Wording { many: true, seed: 1, new_words: false },
        )
        .unwrap()
        .text
    };
    let base = "http://example.org/";
    let books = said(&format!("(AND {base}Book (JOIN {base}writtenBy {base}author3))"));
    assert!(books.contains("books were written by Author 3"), "{books}");
    let members = said(&format!("(AND {base}Author (JOIN {base}memberOf {base}club1))"));
    assert!(members.contains("authors are members of Club 1"), "{members}");
}

/// The namespace of a plain RDF file makes no difference, not even if it is Wikidata's or Freebase's.
#[test]
fn known_namespaces_in_plain_rdf_are_nothing_special() {
    use touchstone_kb::import::{ImportRequest, Profile, Source, import};
    let dir = tempfile::tempdir().unwrap();
    let turtle =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/elements.ttl")).unwrap();
    let properties: BTreeSet<&str> = turtle
        .lines()
        .filter(|line| line.contains("rdfs:domain"))
        .filter_map(|line| line.split(' ').next())
        .collect();
    let made = |name: &str, nodes: &str, direct: &str| {
        let mut text = turtle.replace("http://example.org/elements/", nodes);
        text.insert_str(0, &format!("@prefix p: <{direct}> .\n"));
        for property in &properties {
            for (before, after) in [("\n", " "), (" ", " ")] {
                let renamed = property.replace(':', "p:");
                text =
                    text.replace(&format!("{before}{property}{after}"), &format!("{before}{renamed}{after}"));
            }
        }
        let file = dir.path().join(format!("{name}.ttl"));
        std::fs::write(&file, text).unwrap();
        let out = dir.path().join(name);
        import(&ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file]), &out, &NoProgress).unwrap();
        let kb = Kb::open(&out).unwrap();
        let benchmark = make(&kb, &recipe("quick", 200), &Lexicon::of(&kb), &NoProgress).unwrap();
        let report = lint::lint(&kb, &benchmark, &NoProgress);
        assert!(report.findings.is_empty(), "{name}: {:?}", report.findings);
        let with_sparql = benchmark.questions.iter().filter(|q| q.forms.sparql.is_some()).count();
        (benchmark.questions.len(), with_sparql)
    };
    let plain = made("plain", "http://example.net/", "http://example.net/p/");
    assert!(plain.0 > 100 && plain.1 > 100, "{plain:?}");
    // The seed chooses what is held out of training by ids, so two namespaces usually differ by a few questions.
    let similar = |other: (usize, usize)| {
        let near = |n: usize, other: usize| n.abs_diff(other) * 10 <= n;
        assert!(near(plain.0, other.0) && near(plain.1, other.1), "{other:?} is not like {plain:?}");
    };
    similar(made("wikidata", "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"));
    similar(made("freebase", "http://rdf.freebase.com/ns/", "http://rdf.freebase.com/ns/"));
}

/// A benchmark in the format of a data set.
fn exported(kb: &Kb, benchmark: &Benchmark, data_set: DataSet, folder: &Path) -> Exported {
    export(&ExportConfig { data_set, benchmark, kb, folder, force: false }, &NoProgress).unwrap()
}

#[test]
fn others_can_read_it() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let benchmark = make(&kb, &recipe("quick", 100), &Lexicon::of(&kb), &NoProgress).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let by_text = |text: &str| benchmark.questions.iter().find(|q| q.question == text).unwrap();
    for data_set in DataSet::ALL.into_iter().filter(|data_set| data_set.exports()) {
        let name = data_set.name();
        let out = dir.path().join(name);
        let exported = exported(&kb, &benchmark, data_set, &out);
        let written = exported.written.iter().filter(|(file, _)| !file.ends_with(".en"));
        let n: usize = written.map(|(_, n)| n).chain(exported.left_out.values()).sum();
        assert_eq!(n, benchmark.questions.len(), "{name}: every question is written or counted");
        if matches!(name, "nspm" | "parquet") {
            continue;
        }
        let mut n_read = 0;
        for file in exported.written.keys() {
            let json: serde_json::Value =
                serde_json::from_slice(&std::fs::read(out.join(file)).unwrap()).unwrap();
            let records = json.get("questions").unwrap_or(&json).as_array().unwrap();
            for record in records {
                n_read += 1;
                match name {
                    "grailqa" => {
                        let question = by_text(record["question"].as_str().unwrap());
                        let form = record["s_expression"].as_str().unwrap();
                        assert_eq!(Some(form), question.forms.sexpr.as_deref());
                        assert_eq!(record["answer"].as_array().unwrap().len(), question.answers.len());
                        assert_eq!(record["num_edge"].as_u64().unwrap() as usize, question.graph.edges.len());
                    }
                    "kqapro" => {
                        let question = by_text(record["question"].as_str().unwrap());
                        let program = Program::parse(&record["program"].to_string()).unwrap();
                        assert_eq!(
                            program,
                            Program::parse(question.forms.program.as_ref().unwrap()).unwrap()
                        );
                        let choices = record["choices"].as_array().unwrap();
                        assert!(choices.len() == 10 && choices.contains(&record["answer"]), "{record}");
                    }
                    _ => {
                        let sparql = record["query"]["sparql"].as_str().unwrap();
                        assert!(touchstone_logic::sparql::parse(sparql).is_ok());
                        let answers = &record["answers"][0];
                        assert!(
                            answers.get("boolean").is_some()
                                || !answers["results"]["bindings"].as_array().unwrap().is_empty()
                        );
                    }
                }
            }
        }
        assert!(n_read > 20, "{name}: {n_read}");
    }
}

#[test]
fn cycles_and_superlatives_along_paths() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let recipe = Recipe::parse(
        r#"
        name = "cycles"
        questions = 80
        [shapes]
        weight = 1
        functions = { none = 2, superlative = 1 }
        shapes = { "G1:rcv/0-2,0-2,1-2" = 1, "G1:rcvv/0-2,0-3,1-3,2-3" = 1, "T1:((()()))" = 1, "T1:(((())))" = 1 }
        "#,
    )
    .unwrap();
    let benchmark = make(&kb, &recipe, &Lexicon::of(&kb), &NoProgress).unwrap();
    let with = |shape: &str, function: Function| {
        let all = benchmark.questions.iter();
        all.filter(|question| question.shape == shape && question.function == function).collect::<Vec<_>>()
    };
    for shape in ["G1:rcv/0-2,0-2,1-2", "G1:rcvv/0-2,0-3,1-3,2-3"] {
        let questions = with(shape, Function::None);
        assert!(questions.len() >= 5, "{shape}: {}", questions.len());
        for question in questions {
            assert!(question.question.contains("that same "), "{}", question.question);
            assert!(question.forms.sparql.is_some() && question.proof.len() >= 3, "{question:?}");
        }
    }
    let along = with("T1:(((())))", Function::Superlative);
    assert!(along.len() >= 3, "{}", along.len());
    assert!(along.iter().all(|question| question.proof.len() >= 3));
    assert!(!with("T1:((()()))", Function::Superlative).is_empty());
    let unfilled = &benchmark.manifest.unfilled;
    assert!(unfilled.iter().any(|cell| cell.reason == "the shape has no place for a value"));
    let report = lint::lint(&kb, &benchmark, &NoProgress);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}

/// The schemas in `docs` list exactly the fields that are written.
#[test]
fn schemas_are_in_step() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let benchmark = make(&kb, &recipe("quick", 60), &Lexicon::of(&kb), &NoProgress).unwrap();
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let fields = |value: &serde_json::Value| -> BTreeSet<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    let schema = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(format!("{docs}/{name}")).unwrap()).unwrap()
    };
    let mut question = benchmark.questions[0].clone();
    // What only some questions have.
    question.other_answers.push(Vec::new());
    question.answers_empty = true;
    question.new_words = true;
    question.paraphrases.push(Paraphrase {
        text: String::new(),
        entities: Vec::new(),
        system: String::new(),
        distance: 1.0,
    });
    question.machine_question = Some(String::new());
    question.provenance = Some(Provenance::default());
    let question = serde_json::to_value(&question).unwrap();
    assert_eq!(fields(&schema("question.schema.json")["properties"]), fields(&question));
    let mut manifest = benchmark.manifest.clone();
    manifest.unsaid.push(String::new());
    let manifest = serde_json::to_value(&manifest).unwrap();
    assert_eq!(fields(&schema("benchmark.schema.json")["properties"]), fields(&manifest));
}

/// Exported benchmarks can be imported again, and questions that are new to a training set can be selected.
#[test]
fn data_sets_come_back() {
    use touchstone_forge::mix::{MixConfig, mix};
    use touchstone_logic::Knowledge;
    use touchstone_logic::sparql::Namespaces;
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let made = make(&kb, &recipe("quick", 150), &Lexicon::of(&kb), &NoProgress).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let words = Words::new(&kb);
    let knowledge = || Knowledge::new(&words, Namespaces::of(&kb));
    let imported = |data_set: DataSet, files: &[(Split, PathBuf)]| {
        let importer = Importer { data_set, knowledge: knowledge(), kb: Some(&kb) };
        let file = |(split, path): &(Split, PathBuf)| SplitFile {
            split: *split,
            file: path.to_str().unwrap().to_owned(),
        };
        let config = ImportConfig {
            importer,
            name: data_set.name().to_owned(),
            files: files.iter().map(file).collect(),
            kb: made.manifest.kb.clone(),
            levels: LevelSource::Keep,
            answers: None,
            looks_up_answers: false,
        };
        import(&config, &NoProgress).unwrap()
    };
    for data_set in [DataSet::GrailQa, DataSet::KqaPro, DataSet::Qald] {
        let out = dir.path().join(data_set.name());
        let exported = exported(&kb, &made, data_set, &out);
        let file = |file: &String| (file.trim_end_matches(".json").parse().unwrap(), out.join(file));
        let again = imported(data_set, &exported.written.keys().map(file).collect::<Vec<_>>());
        let n_written: usize = exported.written.values().sum();
        let questions = &again.benchmark.questions;
        assert_eq!(questions.len() + again.unread.len(), n_written, "all records are found");
        // Some of our SPARQL is more specific than the algebra.
        let n_least = if data_set == DataSet::Qald { made.questions.len() / 2 } else { n_written };
        assert!(questions.len() >= n_least, "{data_set:?}: {:?}", again.unread);
        for question in questions {
            let original = made.questions.iter().find(|other| other.question == question.question).unwrap();
            assert_eq!(question.split, original.split);
            // A program may state one constraint twice, on both sides of `And`.
            if data_set == DataSet::GrailQa {
                assert_eq!(question.shape, original.shape, "{}", question.question);
            }
            assert_eq!(question.answers.len(), original.answers.len(), "{}", question.question);
        }
        if data_set != DataSet::Qald {
            let findings = lint::lint(&kb, &again.benchmark, &NoProgress).findings;
            let is_wrong = findings.iter().any(|finding| finding.rule == lint::LintRule::WrongAnswers);
            assert!(!is_wrong, "{data_set:?}: {findings:?}");
        }
    }
    let out = dir.path().join("nspm");
    exported(&kb, &made, DataSet::Nspm, &out);
    let pairs = imported(DataSet::Nspm, &[(Split::Train, out.join("train.sparql"))]);
    let n_train = made.questions.iter().filter(|question| question.split == Split::Train).count();
    assert_eq!(pairs.benchmark.questions.len() + pairs.unread.len(), n_train);

    let tests = made.questions.iter().filter(|question| question.split != Split::Train).cloned().collect();
    let tests = Benchmark::new(made.manifest.clone(), tests);
    let config = MixConfig {
        name: "mixed".to_owned(),
        against: &made,
        sources: &[tests],
        context: &QueryContext::new(Some(&kb), None),
        levels: vec![Level::ZeroShot],
        shapes: BTreeMap::new(),
        seed: 1,
        with_training: true,
    };
    let mixed = mix(&config, &NoProgress).unwrap();
    let count = |benchmark: &Benchmark, level: Level| {
        benchmark.questions.iter().filter(|question| question.level == Some(level)).count()
    };
    let rejections = &mixed.manifest.rejections;
    // A few have only forms that the algebra cannot read: exact SPARQL about ambiguous names.
    let knowledge = knowledge();
    let unread = |question: &&Question| {
        question.level == Some(Level::ZeroShot) && question.query(&knowledge).is_none()
    };
    let n_unread = made.questions.iter().filter(unread).count();
    assert!(n_unread < 3);
    assert_eq!(count(&mixed, Level::ZeroShot) + n_unread, count(&made, Level::ZeroShot), "{rejections:?}");
    assert_eq!(count(&mixed, Level::Iid), 0);
    assert!(lint::lint(&kb, &mixed, &NoProgress).findings.is_empty());
}
