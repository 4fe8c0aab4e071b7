//! The figures that published data must give. Skipped, with a message, if the data is absent.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod support;

use serde_json::Value as Json;
use std::collections::BTreeMap;
use support::{json, lines, shared_data};
use touchstone_logic::equal::{Canonical, OfficialMatcher};
use touchstone_logic::kopl::infer_dependencies;
use touchstone_logic::sexpr::GraphQuery;
use touchstone_logic::sparql::{Dialect, Namespaces, parse, recognise};
use touchstone_logic::{Form, Ontology, Program, QueryGraph, Spelling, kopl, sparql};

fn graph_query(item: &Json) -> GraphQuery {
    serde_json::from_value(item["graph_query"].clone()).unwrap()
}

fn text<'j>(item: &'j Json, key: &str) -> &'j str {
    item[key].as_str().unwrap()
}

fn table(codes: impl IntoIterator<Item = String>) -> BTreeMap<String, usize> {
    let mut table = BTreeMap::new();
    for code in codes {
        *table.entry(code).or_insert(0) += 1;
    }
    table
}

#[test]
fn graph_queries_give_the_published_s_expressions() {
    let Some(data) = shared_data("grailqa/train_sample.json") else { return };
    let items = json(&data);
    for item in items.as_array().unwrap() {
        assert_eq!(
            graph_query(item).to_form().unwrap().to_string(),
            text(item, "s_expression"),
            "{}",
            item["qid"]
        );
    }
    assert_eq!(items.as_array().unwrap().len(), 1000);
}

#[test]
fn parsing_and_printing_is_the_identity() {
    let Some(data) = shared_data("grailqa/dev.json") else { return };
    let items = json(&data);
    for item in items.as_array().unwrap() {
        let written = text(item, "s_expression");
        let form = Form::parse(written, &Spelling).unwrap_or_else(|e| panic!("{written}: {e}"));
        assert_eq!(form.to_string(), written);
        let (again, lost) = Form::from_query(&form.to_query().unwrap()).unwrap();
        assert_eq!((again.to_string().as_str(), lost), (written, vec![]));
    }
    assert_eq!(items.as_array().unwrap().len(), 6763);
}

#[test]
fn shapes_of_grailqa_are_those_of_the_paper() {
    let Some(data) = shared_data("grailqa/dev.json") else { return };
    let items = json(&data);
    let shape = |item: &Json| QueryGraph::of_graph_query(&graph_query(item)).unwrap().shape();
    let all = table(items.as_array().unwrap().iter().map(|item| shape(item).plain));
    let expected: [(&str, usize); 6] = [
        ("T1:(())", 4950),
        ("T1:((()))", 1179),
        ("T1:(()())", 349),
        ("T1:(()(()))", 128),
        ("T1:((()()))", 93),
        ("T1:(((())))", 62),
    ];
    for (code, count) in expected {
        assert_eq!(all.get(code), Some(&count), "{code} in {all:?}");
    }
    let rare: Vec<_> =
        all.iter().filter(|(code, _)| expected.iter().all(|(known, _)| known != code)).collect();
    assert!(rare.len() == 2 && rare.iter().all(|(_, count)| **count == 1), "{rare:?}");
    let zero_shot = items.as_array().unwrap().iter().filter(|item| item["level"] == "zero-shot");
    let zero_shot = table(
        zero_shot.map(|item| shape(item).alias.map_or_else(String::new, |alias| alias.name.to_owned())),
    );
    // Table 1 of the paper, and how many more there are in the file: the paper also leaves out questions whose relation has an inverse that
    // was seen in training, and the levels of 2,942 of the 3,659 zero-shot questions in the file are derived (`level_source`).
    let published = [
        ("Iso-0", 2809, 52),
        ("Iso-1", 559, 3),
        ("Iso-2", 135, 0),
        ("Iso-3", 18, 0),
        ("Iso-4", 61, 0),
        ("Iso-5", 22, 0),
    ];
    for (name, in_paper, more) in published {
        assert_eq!(zero_shot.get(name), Some(&(in_paper + more)), "{name} in {zero_shot:?}");
    }
    assert_eq!(published.iter().map(|(_, in_paper, _)| in_paper).sum::<usize>(), 3604);
}

#[test]
fn shapes_of_s_expressions_equal_shapes_of_graphs() {
    let Some(data) = shared_data("grailqa/train_sample.json") else { return };
    let items = json(&data);
    let mut different = Vec::new();
    for item in items.as_array().unwrap() {
        let from_graph = QueryGraph::of_graph_query(&graph_query(item)).unwrap().shape().code;
        let form = Form::parse(text(item, "s_expression"), &Spelling).unwrap();
        let from_form = QueryGraph::of(&form.to_query().unwrap()).shape().code;
        if from_graph != from_form {
            different.push((item["qid"].clone(), from_graph, from_form));
        }
    }
    assert!(different.len() <= 1, "{different:?}");
}

#[test]
fn official_exact_match_agrees_with_the_official_evaluator() {
    let Some(data) = shared_data("grailqa/dev.json") else { return };
    let (Some(ranking), Some(freebase)) =
        (shared_data("grailqa/bert_ranking_1000.jsonl"), shared_data("freebase"))
    else {
        return;
    };
    let ontology = Ontology::load(&freebase).unwrap();
    let items = json(&data);
    let gold: BTreeMap<u64, &str> = items
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["qid"].as_u64().unwrap(), text(item, "s_expression")))
        .collect();
    for legacy in [false, true] {
        let mut matcher = OfficialMatcher::new(&ontology).legacy(legacy);
        let mut checked = 0;
        for line in lines(&ranking) {
            let gold = gold[&line["qid"].as_u64().unwrap()];
            let predicted = text(&line, "logical_form");
            assert_eq!(
                matcher.equal(gold, predicted),
                line["official_em"].as_bool().unwrap(),
                "{gold}\n{predicted}"
            );
            assert_eq!(matcher.explain(gold, predicted).equal, line["official_em"].as_bool().unwrap());
            checked += 1;
        }
        assert_eq!(checked, 1000);
    }
}

/// How many queries are recognised, and why the others are not.
fn recognition<'q>(queries: impl IntoIterator<Item = &'q str>) -> (usize, usize, BTreeMap<String, usize>) {
    let (mut all, mut recognised, mut reasons) = (0, 0, BTreeMap::new());
    for query in queries {
        all += 1;
        let parsed = parse(query).unwrap_or_else(|error| panic!("{error}\n{query}"));
        match recognise(&parsed.query, &Namespaces::default()) {
            Ok(_) => recognised += 1,
            Err(error) => *reasons.entry(error.reason.to_string()).or_insert(0) += 1,
        }
    }
    (all, recognised, reasons)
}

#[test]
fn complex_web_questions_are_recognised() {
    let Some(data) = shared_data("cwq/test.json") else { return };
    let items = json(&data);
    let (all, recognised, reasons) =
        recognition(items.as_array().unwrap().iter().map(|item| text(item, "sparql")));
    eprintln!("CWQ: {recognised} of {all}; {reasons:#?}");
    assert_eq!(all, 3531);
    assert!(recognised * 100 >= all * 95);
}

#[test]
fn shapes_of_complex_web_questions_are_those_of_the_paper() {
    let Some(data) = shared_data("cwq/test.json") else { return };
    let items = json(&data);
    let queries = items
        .as_array()
        .unwrap()
        .iter()
        .map(|item| text(item, "sparql"))
        .filter(|query| !query.contains("#MANUAL"));
    let codes = table(queries.filter_map(|query| {
        let recognised = recognise(&parse(query).unwrap().query, &Namespaces::default()).ok()?;
        Some(QueryGraph::of(&recognised.query).shape().plain)
    }));
    // The paper has 325 of the first and 42 of the tenth: five questions find an entity by its name, which it counts as a relation.
    let expected = [
        ("((())(()))", 321),
        ("(()((())))", 20),
        ("((()(())))", 96),
        ("(()(()()))", 22),
        ("(()(())(()))", 16),
        ("((()((()))))", 115),
        ("(()(((()))))", 10),
        ("((((()))))", 130),
        ("((())(()()))", 49),
        ("(()()(()))", 41),
        ("((()()(())))", 5),
        ("((()()((()))))", 10),
    ];
    let found: Vec<(&str, usize)> = expected
        .iter()
        .map(|(code, _)| (*code, codes.get(&format!("T1:{code}")).copied().unwrap_or(0)))
        .collect();
    assert_eq!(found, expected);
    assert!(codes.keys().all(|code| code.starts_with("T1:")), "no cycles in the test set");
}

#[test]
fn kqa_pro_is_recognised() {
    let Some(data) = shared_data("kqapro/train_sparql.jsonl") else { return };
    let items = lines(&data);
    let (all, recognised, reasons) = recognition(items.iter().map(|item| text(item, "sparql")));
    eprintln!("KQA Pro: {recognised} of {all}; {reasons:#?}");
    assert_eq!(all, 1873);
    assert!(recognised * 100 >= all * 99);
}

#[test]
fn lc_quad_is_recognised() {
    let Some(data) = shared_data("lcquad/train.json") else { return };
    let items = json(&data);
    let (all, recognised, reasons) =
        recognition(items.as_array().unwrap().iter().map(|item| text(item, "sparql_query")));
    eprintln!("LC-QuAD: {recognised} of {all}; {reasons:#?}");
    assert_eq!(all, 4000);
    assert!(recognised * 100 >= all * 99);
}

/// GrailQA's own SPARQL is more specific than the S-expression (types of inner things, inequalities), so it is compared with the graph.
#[test]
fn grailqa_sparql_is_recognised_and_has_the_shape_of_its_graph() {
    let Some(data) = shared_data("grailqa/train_sample.json") else { return };
    let items = json(&data);
    let (all, recognised, reasons) =
        recognition(items.as_array().unwrap().iter().map(|item| text(item, "sparql_query")));
    eprintln!("GrailQA: {recognised} of {all}; {reasons:#?}");
    assert_eq!(recognised, all);
    for item in items.as_array().unwrap() {
        let recognised =
            recognise(&parse(text(item, "sparql_query")).unwrap().query, &Namespaces::default()).unwrap();
        let from_graph = QueryGraph::of_graph_query(&graph_query(item)).unwrap().shape().code;
        assert_eq!(QueryGraph::of(&recognised.query).shape().code, from_graph, "{}", item["qid"]);
    }
}

/// Each language round-trips.
#[test]
fn s_expressions_survive_sparql() {
    let Some(data) = shared_data("grailqa/dev.json") else { return };
    let items = json(&data);
    for item in items.as_array().unwrap() {
        let query = Form::parse(text(item, "s_expression"), &Spelling).unwrap().to_query().unwrap();
        let printed = sparql::print(&query, &Dialect::Freebase).unwrap();
        let again = recognise(&parse(&printed.text).unwrap().query, &Namespaces::default());
        let again = again.unwrap_or_else(|error| panic!("{error}\n{}", printed.text));
        let (gold, found) = (Canonical::of(&query, &()), Canonical::of(&again.query, &()));
        assert_eq!(gold.compare(&found).why, None, "{}\n{}", text(item, "s_expression"), printed.text);
    }
}

/// SPARQL that is recognised, printed for its own graph and recognised again is the same query.
fn survives(path: &str, key: &str) {
    let Some(data) = shared_data(path) else { return };
    for item in json(&data).as_array().unwrap() {
        let Ok(first) = recognise(&parse(text(item, key)).unwrap().query, &Namespaces::default()) else {
            continue;
        };
        let printed = sparql::print(&first.query, &first.dialect)
            .unwrap_or_else(|error| panic!("{error}\n{}", text(item, key)));
        let again = recognise(&parse(&printed.text).unwrap().query, &Namespaces::default());
        let again = again.unwrap_or_else(|error| panic!("{error}\n{}", printed.text));
        let (gold, found) = (Canonical::of(&first.query, &()), Canonical::of(&again.query, &()));
        assert_eq!(gold.compare(&found).why, None, "{}\n{}", text(item, key), printed.text);
        assert_eq!(again.dialect, first.dialect);
    }
}

#[test]
fn sparql_survives_sparql() {
    survives("cwq/test.json", "sparql");
    survives("lcquad/train.json", "sparql_query");
    survives("grailqa/train_sample.json", "sparql_query");
}

#[test]
fn s_expressions_survive_programs() {
    let Some(data) = shared_data("grailqa/dev.json") else { return };
    let (items, mut programs) = (json(&data), 0);
    for item in items.as_array().unwrap() {
        let query = Form::parse(text(item, "s_expression"), &Spelling).unwrap().to_query().unwrap();
        let Ok((program, lost)) = kopl::from_query(&query, &()) else { continue };
        // Only with ids for names, which are read back as names.
        if lost.is_empty() {
            let again = program.to_query(&()).unwrap();
            let why = Canonical::of(&query, &()).compare(&Canonical::of(&again, &())).why;
            assert_eq!(why, None, "{}\n{}", text(item, "s_expression"), program.to_readable().unwrap());
            programs += 1;
        }
    }
    assert!(programs > 500, "{programs}");
}

#[test]
fn kqa_pro_survives_programs_and_sparql() {
    let Some(data) = shared_data("kqapro/train_sparql.jsonl") else { return };
    let mut programs = 0;
    for item in lines(&data) {
        let Ok(recognised) = recognise(&parse(text(&item, "sparql")).unwrap().query, &Namespaces::default())
        else {
            continue;
        };
        let gold = Canonical::of(&recognised.query, &());
        let printed = sparql::print(&recognised.query, &Dialect::KqaPro).unwrap();
        let again = recognise(&parse(&printed.text).unwrap().query, &Namespaces::default());
        let again = again.unwrap_or_else(|error| panic!("{error}\n{}", printed.text));
        assert_eq!(gold.compare(&Canonical::of(&again.query, &())).why, None, "{}", printed.text);
        let (program, _) = kopl::from_query(&recognised.query, &())
            .unwrap_or_else(|e| panic!("{e}\n{}", text(&item, "sparql")));
        let again =
            program.to_query(&support::KqaProKeys::load()).unwrap_or_else(|e| panic!("{e}\n{program:?}"));
        assert_eq!(
            gold.compare(&Canonical::of(&again, &())).why,
            None,
            "{}\n{program:?}",
            text(&item, "sparql")
        );
        programs += 1;
    }
    assert!(programs >= 1855);
}

#[test]
fn kqa_pro_programs_check_and_translate() {
    let Some(data) = shared_data("kqapro/train_first100.json") else { return };
    let items = json(&data);
    let keys = support::KqaProKeys::load();
    let official: BTreeMap<String, String> =
        shared_data("kqapro/train_sparql.jsonl").map_or_else(BTreeMap::new, |data| {
            lines(&data)
                .iter()
                .map(|item| (text(item, "question").to_owned(), text(item, "sparql").to_owned()))
                .collect()
        });
    let mut compared = 0;
    for item in items.as_array().unwrap() {
        let program = Program::from_deserializer(&item["program"]).unwrap();
        program.check().unwrap();
        let functions: Vec<_> = program.steps.iter().map(|step| step.function).collect();
        let stored: Vec<_> = program.steps.iter().map(|step| step.dependencies.clone()).collect();
        assert_eq!(infer_dependencies(&functions).unwrap(), stored);
        assert_eq!(Program::from_linear(&program.to_linear().unwrap()).unwrap(), program);
        assert_eq!(Program::from_readable(&program.to_readable().unwrap()).unwrap(), program);
        assert_eq!(serde_json::json!(program), item["program"]);
        let query = program.to_query(&keys).unwrap();
        let gold = Canonical::of(&query, &());
        let printed = sparql::print(&query, &Dialect::KqaPro).unwrap();
        let mut texts = vec![printed.text];
        if let Some(sparql) = official.get(text(item, "question")) {
            compared += 1;
            texts.push(sparql.clone());
        }
        for sparql in texts {
            let again = recognise(&parse(&sparql).unwrap().query, &Namespaces::default());
            let again = again.unwrap_or_else(|error| panic!("{error}\n{sparql}"));
            assert_eq!(
                gold.compare(&Canonical::of(&again.query, &())).why,
                None,
                "{}\n{sparql}",
                program.to_readable().unwrap()
            );
        }
    }
    eprintln!("{compared} programs have an official SPARQL query in the sample");
}
