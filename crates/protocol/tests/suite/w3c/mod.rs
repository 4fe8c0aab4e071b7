//! The W3C's test suites for SPARQL 1.0 and 1.1: every query evaluation test with a default graph, through a session
//! (as `touchstone query`) and through the server, and all syntax tests. What fails must be listed, with a reason, in
//! `tests/cases/w3c-allowed.tsv`, and what is listed must fail.

mod manifest;
mod results;

use manifest::{Kind, Test, tests, url};
use results::Table;
use sparesults::QueryResultsFormat;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;
use touchstone_engine::budget::Cancel;
use touchstone_engine::sparql::{ReplyFormat, ResultFormat, write};
use touchstone_engine::{Answers, Outcome, Session, Settings};
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::{Kb, NoProgress};
use touchstone_logic::Language;
use touchstone_protocol::{ServeOptions, serve};

/// The suites, if they are available.
fn suites() -> Option<[PathBuf; 2]> {
    let shared = touchstone_testing::shared_data("w3c-sparql")?.canonicalize().unwrap();
    Some(["sparql10", "sparql11"].map(|suite| shared.join(suite)))
}

/// Tests that may fail, with the reason.
fn allowed() -> BTreeMap<&'static str, &'static str> {
    let lines = include_str!("../../cases/w3c-allowed.tsv").lines().filter(|line| !line.starts_with('#'));
    let allowed: Vec<_> = lines.map(|line| line.split_once('\t').expect("IRI, tab, reason")).collect();
    assert!(allowed.iter().all(|(_, reason)| reason.len() > 10), "every entry has a reason");
    allowed.into_iter().collect()
}

/// Fails if something failed that may not, or if something is listed that did not fail.
fn settle(what: &str, failed: &BTreeMap<String, String>, run: &BTreeSet<String>) {
    let allowed = allowed();
    let wrong: Vec<String> = failed
        .iter()
        .filter(|(iri, _)| !allowed.contains_key(iri.as_str()))
        .map(|(iri, why)| format!("{iri}: {why}"))
        .collect();
    let needless: Vec<&str> =
        allowed.keys().copied().filter(|iri| run.contains(*iri) && !failed.contains_key(*iri)).collect();
    eprintln!("{what}: {} run, {} failed, {} of them not allowed", run.len(), failed.len(), wrong.len());
    assert!(wrong.is_empty(), "{what}: {} fail:\n{}", wrong.len(), wrong.join("\n"));
    assert!(needless.is_empty(), "{what}: these pass and need not be listed: {needless:?}");
}

/// The KB of some files, in a folder of its own.
fn kb_of(data: &[PathBuf], dir: &Path) -> Result<Kb, String> {
    let empty = dir.join("empty.ttl");
    std::fs::write(&empty, "").unwrap();
    let inputs = if data.is_empty() { vec![empty] } else { data.to_vec() };
    let request = ImportRequest::new(Source::Rdf(Profile::Rdfs), inputs);
    let report = import(&request, &dir.join("kb"), &NoProgress).map_err(|error| error.to_string())?;
    match report.problems.first() {
        Some(problem) => Err(problem.to_string()),
        None => Kb::open(&dir.join("kb")).map_err(|error| error.to_string()),
    }
}

/// The text of a query; relative IRIs are relative to its file.
fn query_text(test: &Test) -> String {
    let text = std::fs::read_to_string(&test.query).unwrap();
    format!("BASE <{}>\n{text}", url(&test.query))
}

fn is_csv(test: &Test) -> bool {
    test.result.as_ref().is_some_and(|path| path.extension().is_some_and(|ending| ending == "csv"))
}

/// A query evaluation test that can be run on one graph.
fn on_one_graph(test: &Test) -> bool {
    let asks_others = || {
        let text = std::fs::read_to_string(&test.query).unwrap();
        // A line that begins so is a clause; the word occurs in texts, too.
        text.lines().any(|line| line.trim_start().starts_with("FROM ") || line.contains(" FROM <"))
            || text.contains("SERVICE ")
    };
    test.kind == Kind::Evaluation && test.needs.is_none() && test.result.is_some() && !asks_others()
}

fn compare(test: &Test, found: &Table) -> Result<(), String> {
    let expected = Table::expected(test.result.as_ref().unwrap());
    let same = match test.lax {
        true => expected.len() >= found.len() && expected.clone().distinct().same(&found.clone().distinct()),
        false => expected.same(found),
    };
    match same {
        true => Ok(()),
        false => Err(format!("expected {expected:?}, found {found:?}")),
    }
}

fn through_session(session: &Session<'_>, test: &Test) -> Result<(), String> {
    let settings = Settings { terms: true, ..Settings::default() };
    let reply = session.run(Language::Sparql, &query_text(test), &settings, &Cancel::default());
    let results = match reply.outcome {
        Outcome::Answered(Answers::Rdf(results)) => results,
        other => return Err(format!("{other:?}")),
    };
    if is_csv(test) {
        let mut csv = Vec::new();
        write(&results, ReplyFormat::Results(ResultFormat::Csv), &mut csv)
            .map_err(|error| error.to_string())?;
        return compare(test, &Table::of_csv(&String::from_utf8_lossy(&csv)));
    }
    compare(test, &Table::of(&results))
}

fn through_server(address: &str, test: &Test) -> Result<(), String> {
    let accept =
        if is_csv(test) { "text/csv" } else { "application/sparql-results+json, application/n-triples" };
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    let agent = config.timeout_global(Some(Duration::from_secs(60))).build().new_agent();
    let request =
        agent.post(address).header("accept", accept).header("content-type", "application/sparql-query");
    let mut reply = request.send(query_text(test)).map_err(|error| error.to_string())?;
    let (status, media_type) = (reply.status(), reply.headers()["content-type"].to_str().unwrap().to_owned());
    let body = reply.body_mut().read_to_vec().map_err(|error| error.to_string())?;
    if !status.is_success() {
        return Err(format!("{status}: {}", String::from_utf8_lossy(&body)));
    }
    if is_csv(test) {
        return compare(test, &Table::of_csv(&String::from_utf8_lossy(&body)));
    }
    if media_type.starts_with("application/n-triples") {
        let parser = oxrdfio::RdfParser::from_format(oxrdfio::RdfFormat::NTriples).for_slice(&body);
        return compare(test, &Table::of_triples(parser.map(|quad| quad.unwrap().into())));
    }
    compare(test, &Table::parsed(&body, QueryResultsFormat::Json))
}

#[test]
fn evaluation() {
    let Some(suites) = suites() else { return };
    let all: Vec<Test> = suites.iter().flat_map(|suite| tests(suite)).collect();
    let mut by_data: BTreeMap<Vec<PathBuf>, Vec<Test>> = BTreeMap::new();
    for test in all.into_iter().filter(on_one_graph) {
        by_data.entry(test.data.clone()).or_default().push(test);
    }
    let (mut run, mut in_session, mut on_server) = (BTreeSet::new(), BTreeMap::new(), BTreeMap::new());
    for (data, tests) in by_data {
        let dir = tempfile::tempdir().unwrap();
        let kb = match kb_of(&data, dir.path()) {
            Ok(kb) => kb,
            Err(error) => {
                in_session.extend(tests.iter().map(|test| (test.iri.clone(), error.clone())));
                run.extend(tests.into_iter().map(|test| test.iri));
                continue;
            }
        };
        // The server wants a session that lives as long as the process.
        let session: &'static Session<'static> = Box::leak(Box::new(Session::new(Box::leak(Box::new(kb)))));
        let (stop, (tell, told)) = (Cancel::default(), mpsc::channel());
        std::thread::scope(|scope| {
            let options = ServeOptions {
                address: "127.0.0.1:0".parse().unwrap(),
                at_once: 2,
                ..ServeOptions::default()
            };
            let stop = &stop;
            scope.spawn(move || {
                serve(session, &options, stop, |address| tell.send(address).unwrap()).unwrap();
            });
            let address = format!("http://{}/sparql", told.recv().unwrap());
            for test in &tests {
                run.insert(test.iri.clone());
                if let Err(why) = through_session(session, test) {
                    in_session.insert(test.iri.clone(), why);
                }
                if let Err(why) = through_server(&address, test) {
                    on_server.insert(test.iri.clone(), why);
                }
            }
            stop.cancel();
        });
    }
    assert!(run.len() > 450, "only {} tests were found", run.len());
    settle("evaluation by a session", &in_session, &run);
    settle("evaluation by the server", &on_server, &run);
}

#[test]
fn syntax() {
    let Some(suites) = suites() else { return };
    let dir = tempfile::tempdir().unwrap();
    let kb = kb_of(&[], dir.path()).unwrap();
    let session = Session::new(&kb);
    let (mut run, mut failed) = (BTreeSet::new(), BTreeMap::new());
    for test in suites.iter().flat_map(|suite| tests(suite)) {
        let Kind::Syntax { is_query } = test.kind else { continue };
        run.insert(test.iri.clone());
        let accepts = |text: &str| {
            let reply = session.run(Language::Sparql, text, &Settings::default(), &Cancel::default());
            !matches!(reply.outcome, Outcome::Unparsable(_))
        };
        // A base is needed where IRIs are relative, but may lead to another parser.
        let plain = std::fs::read_to_string(&test.query).unwrap();
        let accepted = accepts(&query_text(&test)) || !is_query && accepts(&plain);
        if accepted != is_query {
            failed.insert(test.iri.clone(), if is_query { "refused" } else { "accepted" }.to_owned());
        }
    }
    assert!(run.len() > 300, "only {} tests were found", run.len());
    settle("syntax", &failed, &run);
}
