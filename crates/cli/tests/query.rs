//! `query`, `shell` and `kb serve`, as a user runs them.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use support::{run, stderr, stdout, touchstone};

fn json(output: &std::process::Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

const DIRECTOR: &str = "Find(The Shawshank Redemption) > Relate(director, forward) > What()";

#[test]
fn one_query_in_three_languages_on_two_engines() {
    let sexpr = "(JOIN (R director) film/tt0111161)";
    let sparql = "SELECT DISTINCT ?x WHERE { <urn:touchstone:world:film/tt0111161> <urn:touchstone:world:property:director> ?x }";
    for query in [DIRECTOR, sexpr, sparql] {
        for engine in ["auto", "embedded", "spareval"] {
            let output = run(&["query", "--engine", engine, "--json", query]);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            let reply = json(&output);
            assert_eq!(reply["outcome"], "answered");
            assert_eq!(reply["answers"][0]["id"], "person/f-frank-darabont", "{engine} {query}");
            assert_eq!(reply["answers"].as_array().unwrap().len(), 1);
        }
    }
}

#[test]
fn known_namespaces_in_plain_rdf_are_found_by_all_engines() {
    let dir = tempfile::tempdir().unwrap();
    let (file, kb) = (dir.path().join("m.nt"), dir.path().join("m.kb"));
    let kb = kb.to_str().unwrap();
    for object in ["http://www.wikidata.org/entity/Q1", "http://rdf.freebase.com/ns/m.02"] {
        fs::write(&file, format!("<http://e/a> <http://e/in> <{object}> .\n")).unwrap();
        let imported = run(&["kb", "import", "--from", "rdf", file.to_str().unwrap(), "--out", kb]);
        assert_eq!(imported.status.code(), Some(0), "{}", stderr(&imported));
        let query = format!("SELECT DISTINCT ?x {{ ?x <http://e/in> <{object}> }}");
        for engine in ["auto", "embedded", "spareval"] {
            let output = run(&["query", "--kb", kb, "--engine", engine, "--json", &query]);
            assert_eq!(output.status.code(), Some(0), "{engine}: {}", stderr(&output));
            assert_eq!(json(&output)["answers"][0]["id"], "http://e/a");
        }
        let sexpr = run(&["convert", "--kb", kb, "--to", "sexpr", &query]);
        assert!(stdout(&sexpr).contains(object), "{}", stdout(&sexpr));
        let sparql = run(&["convert", "--kb", kb, "--to", "sparql", stdout(&sexpr).trim()]);
        let answers = run(&["query", "--kb", kb, "--json", &stdout(&sparql)]);
        assert_eq!(json(&answers)["answers"][0]["id"], "http://e/a", "{}", stdout(&sparql));
        fs::remove_dir_all(kb).unwrap();
    }
}

#[test]
fn relative_iris_are_kqa_pros_or_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let (file, kb) = (dir.path().join("m.nt"), dir.path().join("m.kb"));
    let kb = kb.to_str().unwrap();
    fs::write(&file, "<http://e/a> <http://e/in> <http://e/b> .\n").unwrap();
    assert!(run(&["kb", "import", "--from", "rdf", file.to_str().unwrap(), "--out", kb]).status.success());
    for query in ["CONSTRUCT { <a> <b> <c> } WHERE {}", "SELECT ?x { <a> <in> ?x }", "ASK { <a> <in> <b> }"] {
        for engine in ["auto", "spareval", "embedded"] {
            let output = run(&["query", "--kb", kb, "--engine", engine, query]);
            assert_eq!(output.status.code(), Some(2), "{query}: {}", stdout(&output));
            assert!(stderr(&output).contains("<a> is relative"), "{}", stderr(&output));
        }
    }
    let with_base = "BASE <http://e/> CONSTRUCT { <a> <b> <c> } WHERE { <a> <in> <b> }";
    let output = run(&["query", "--kb", kb, "--format", "nt", with_base]);
    assert_eq!(stdout(&output).trim(), "<http://e/a> <http://e/b> <http://e/c> .", "{}", stderr(&output));
    let unbound = run(&["query", "--kb", kb, "--format", "csv", "SELECT (IRI('a') AS ?x) {}"]);
    assert!(!stdout(&unbound).contains("invalid"), "{}", stdout(&unbound));
    // KQA Pro's own queries are written with relative IRIs.
    let kqapro = "SELECT ?x { ?x <pred:name> ?n . ?x <in> ?y }";
    assert_ne!(run(&["query", "--kb", kb, kqapro]).status.code(), Some(2));
}

#[test]
fn outcomes_and_exit_codes() {
    let output = run(&["query", "Find(The Shawshank Redemption) > Relat(director, forward)"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `Relate`?"), "{}", stderr(&output));
    let output = run(&["query", "Find(Pariss) > QueryAttr(populatio)"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""));
    assert!(stderr(&output).contains("the nearest is `population`"), "{}", stderr(&output));
    let output = run(&[
        "query",
        "--max-operations",
        "1000",
        "--json",
        "FindAll() > FilterConcept(film) > Relate(cast member, forward) > Count()",
    ]);
    assert_eq!(output.status.code(), Some(1));
    let reply = json(&output);
    assert_eq!((&reply["outcome"], &reply["limit"]), (&"over_budget".into(), &"operations".into()));
    assert!(reply["error"].as_str().unwrap().starts_with("stopped after "), "{reply}");
    assert!(reply["answers"].is_null());
    let output = run(&["query", "--engine", "wrong", DIRECTOR]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("endpoint:URL"));
    let output =
        run(&["query", "--engine", "endpoint:http://127.0.0.1:1/sparql", "--max-time", "2", DIRECTOR]);
    assert_eq!(
        output.status.code(),
        Some(if stderr(&output).contains("stopped") { 1 } else { 2 }),
        "{}",
        stderr(&output)
    );
}

#[test]
fn traces_and_formats() {
    let output = run(&["query", "--trace", "(COUNT (AND film (JOIN director person/f-frank-darabont)))"]);
    let text = stdout(&output);
    assert!(
        text.contains("└─ all of") && text.contains("class film") && text.trim_end().ends_with('4'),
        "{text}"
    );
    let output = run(&["query", "--trace", "--json", DIRECTOR]);
    assert_eq!(json(&output)["trace"]["children"][0]["rows"], 1);
    let output = run(&["query", "--format", "sparql-json", DIRECTOR]);
    assert_eq!(
        json(&output)["results"]["bindings"][0]["answer"]["value"],
        "urn:touchstone:world:person/f-frank-darabont"
    );
    let output = run(&[
        "query",
        "--format",
        "nt",
        "CONSTRUCT { ?x <urn:p> 1 } WHERE { <urn:touchstone:world:film/tt0111161> <urn:touchstone:world:property:director> ?x }",
    ]);
    assert!(
        stdout(&output).starts_with("<urn:touchstone:world:person/f-frank-darabont> <urn:p> "),
        "{}",
        stderr(&output)
    );
    let output = run(&["query", "--format", "docx", DIRECTOR]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("sparql-json"), "{}", stderr(&output));
}

#[test]
fn batches_keep_their_order_and_survive_everything() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let mut lines = String::new();
    for n in 0..3000 {
        lines.push_str(&match n % 4 {
            0 => format!("{{\"id\": {n}, \"query\": \"{DIRECTOR}\"}}\n"),
            1 => format!("{{\"id\": {n}, \"lang\": \"sexpr\", \"query\": \"(COUNT film)\"}}\n"),
            2 => format!("{{\"id\": {n}, \"lang\": \"sparql\", \"query\": \"SELECT * WHERE {{\"}}\n"),
            _ => "no JSON\n".to_owned(),
        });
    }
    fs::write(path("queries.jsonl"), lines).unwrap();
    let output = run(&["query", "--batch", &path("queries.jsonl"), "--out", &path("results.jsonl")]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("3,000 queries: 1,500 answered, 1,500 unparsable"),
        "{}",
        stderr(&output)
    );
    let results = fs::read_to_string(path("results.jsonl")).unwrap();
    for (n, line) in results.lines().enumerate() {
        let result: serde_json::Value = serde_json::from_str(line).unwrap();
        match n % 4 {
            0 => assert_eq!(
                (&result["id"], &result["answers"][0]["text"]),
                (&n.into(), &"Frank Darabont".into())
            ),
            1 => assert_eq!(result["answers"][0]["value"], 17470),
            2 => assert!(result["error"].as_str().unwrap().contains("line 1, column"), "{result}"),
            _ => assert!(result["error"].as_str().unwrap().starts_with(&format!("line {}: not JSON", n + 1))),
        }
    }
    assert_eq!(results.lines().count(), 3000);
    let again =
        run(&["query", "--batch", &path("queries.jsonl"), "--out", &path("queries.jsonl/results.jsonl")]);
    assert_eq!(again.status.code(), Some(2));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is left behind");
}

#[test]
fn the_shell_takes_a_pipe() {
    let mut child = touchstone()
        .arg("shell")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input =
        format!(".engine embedded\n{DIRECTOR}\n(COUNT\n film)\n.trac on\n.trace on\n(COUNT film)\n.quit\n");
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("Frank Darabont")
            && text.matches("17470").count() >= 2
            && text.contains("the number of"),
        "{text}"
    );
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("did you mean `.trace`?"), "{errors}");
    assert_eq!(output.status.code(), Some(1));
}

/// One request; the whole response.
fn request(address: &str, text: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

/// The value of a header of a reply.
fn header<'r>(reply: &'r str, name: &str) -> Option<&'r str> {
    let lines = reply.split("\r\n\r\n").next()?.lines().skip(1);
    let mut fields = lines.filter_map(|line| line.split_once(": "));
    fields.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

#[test]
fn the_server_speaks_the_protocol() {
    let mut child = touchstone()
        .args(["kb", "serve", "--port", "0", "--max-time", "2"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let get = |query: &str, headers: &str| {
        let query = query
            .replace(' ', "%20")
            .replace('{', "%7B")
            .replace('}', "%7D")
            .replace('?', "%3F")
            .replace('<', "%3C")
            .replace('>', "%3E");
        request(
            &address,
            &format!(
                "GET /sparql?query={query} HTTP/1.1\r\nHost: {address}\r\n{headers}Connection: close\r\n\r\n"
            ),
        )
    };
    let post = |content: &str, body: &str| {
        request(
            &address,
            &format!(
                "POST /sparql HTTP/1.1\r\nHost: {address}\r\nContent-Type: {content}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            ),
        )
    };
    let ask = "ASK { <urn:touchstone:world:film/tt0111161> <urn:touchstone:world:property:director> ?x }";
    let answer = get(ask, "");
    assert!(
        answer.starts_with("HTTP/1.1 200")
            && answer.contains("application/sparql-results+json")
            && answer.contains("true"),
        "{answer}"
    );
    let select = "SELECT ?x WHERE { <urn:touchstone:world:film/tt0111161> <urn:touchstone:world:property:director> ?x }";
    assert!(get(select, "Accept: text/csv\r\n").contains("urn:touchstone:world:person/f-frank-darabont"));
    assert!(
        get(select, "Accept: application/sparql-results+xml;q=0.5, text/html\r\n")
            .contains("<uri>urn:touchstone:world:person/f-frank-darabont</uri>")
    );
    assert!(get(select, "Accept: image/png\r\n").starts_with("HTTP/1.1 406"));
    assert!(post("application/sparql-query", ask).contains("true"));
    assert!(post("application/x-www-form-urlencoded", "query=ASK%7B%7D").contains("true"));
    assert!(post("application/sparql-update", "DROP ALL").starts_with("HTTP/1.1 400"));
    assert!(post("text/plain", ask).starts_with("HTTP/1.1 415"));
    assert!(get("SELECT * WHERE {", "").starts_with("HTTP/1.1 400"));
    assert!(
        get("SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f }", "").contains("the query was stopped")
    );
    let elsewhere = request(&address, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    assert!(elsewhere.starts_with("HTTP/1.1 403"), "{elsewhere}");
    assert!(
        request(
            &address,
            &format!("DELETE /sparql HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")
        )
        .starts_with("HTTP/1.1 405")
    );
    for (accept, content) in [
        ("text/csv", "text/csv; charset=utf-8"),
        ("text/*", "text/csv; charset=utf-8"),
        ("text/tab-separated-values", "text/tab-separated-values; charset=utf-8"),
        ("text/xml", "application/sparql-results+xml"),
    ] {
        let answer = get(select, &format!("Accept: {accept}\r\n"));
        assert_eq!(header(&answer, "content-type"), Some(content), "{accept}");
    }
    let construct = "CONSTRUCT WHERE { <urn:touchstone:world:film/tt0111161> <urn:touchstone:world:property:director> ?x }";
    for (accept, content) in [
        ("text/turtle", "text/turtle; charset=utf-8"),
        ("text/*", "text/turtle; charset=utf-8"),
        ("text/n3", "text/n3; charset=utf-8"),
        ("application/ld+json", "application/ld+json"),
    ] {
        let answer = get(construct, &format!("Accept: {accept}\r\n"));
        assert_eq!(header(&answer, "content-type"), Some(content), "{accept}");
        assert!(answer.contains("urn:touchstone:world:person/f-frank-darabont"), "{answer}");
    }
    let at = |method: &str, path: &str| {
        request(
            &address,
            &format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"),
        )
    };
    for path in ["/sparql", "/sparql/", "/kqapro/sparql", "/kqapro/sparql/"] {
        let path = format!("{path}?query=ASK%7B%7D");
        assert!(at("GET", &path).contains("true"), "{path}");
        let head = at("HEAD", &path);
        assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
    }
    let nothing = at("GET", "/sparq");
    assert!(nothing.starts_with("HTTP/1.1 404") && nothing.contains("/sparql"), "{nothing}");
    let relative = get("CONSTRUCT { <a> <b> <c> } WHERE {}", "");
    assert!(relative.starts_with("HTTP/1.1 400") && relative.contains("<a> is relative"), "{relative}");
    // Our own client understands our own server.
    let engine = format!("endpoint:http://{address}/sparql");
    let output = run(&["query", "--engine", &engine, "--json", DIRECTOR]);
    assert_eq!(json(&output)["answers"][0]["id"], "person/f-frank-darabont", "{}", stderr(&output));
    child.kill().unwrap();
    child.wait().unwrap();
}
