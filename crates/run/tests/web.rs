//! Web services, with a real server that misbehaves in every way.
#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use touchstone_benchmark::english::Lexicon;
use touchstone_engine::Session;
use touchstone_kb::{Kb, NoProgress};
use touchstone_logic::Knowledge;
use touchstone_logic::Language;
use touchstone_logic::sparql::Namespaces;
use touchstone_run::{
    Cache, Cached, Contract, HttpSystem, LlmSettings, LlmSystem, Nearest, System, SystemError, SystemInput,
    WebSettings,
};

/// A server that answers request number n (from 0) with the result of `answer`; it records requests.
struct Server {
    url: String,
    requests: Arc<Mutex<Vec<Seen>>>,
}

#[derive(Clone, Debug)]
struct Seen {
    head: String,
    body: String,
}

impl Server {
    fn new(answer: impl Fn(usize, &Seen, &mut TcpStream) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/ask", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer, number) = (requests.clone(), Arc::new(answer), Arc::new(AtomicUsize::new(0)));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (seen, answer, number) = (seen.clone(), answer.clone(), number.clone());
                std::thread::spawn(move || {
                    let mut stream = stream.unwrap();
                    while let Some(request) = read(&mut stream) {
                        seen.lock().unwrap().push(request.clone());
                        answer(number.fetch_add(1, Ordering::SeqCst), &request, &mut stream);
                    }
                });
            }
        });
        Server { url, requests }
    }

    fn n_requests(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Seen { head, body: String::from_utf8(body).unwrap() })
}

fn reply(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

fn quick() -> WebSettings {
    WebSettings {
        timeout: Duration::from_millis(800),
        back_off: Duration::from_millis(5),
        longest_wait: Duration::from_secs(3),
        ..WebSettings::default()
    }
}

/// The line of the prediction, or of the error.
fn ask(system: &dyn System, question: &str) -> Json {
    match system.worker().answer(&SystemInput::new("q", question)) {
        Ok(prediction) => serde_json::to_value(prediction).unwrap(),
        Err(error) => json!({ "id": "q", "error": error.to_string() }),
    }
}

fn http(answer: impl Fn(usize, &Seen, &mut TcpStream) + Send + Sync + 'static) -> (Json, usize) {
    let server = Server::new(answer);
    let system = HttpSystem::new(&server.url, Contract::Ours, quick());
    (ask(&system, "Why?"), server.n_requests())
}

#[test]
fn a_good_server_answers() {
    let (answer, _) = http(|_, seen, stream| {
        let question: Json = serde_json::from_str(&seen.body).unwrap();
        assert_eq!(question, json!({ "id": "q", "question": "Why?" }));
        assert!(seen.head.starts_with("POST /ask"), "{}", seen.head);
        reply(stream, "200 OK", "", br#"{"answers": ["because"]}"#);
    });
    assert_eq!(answer, json!({ "id": "q", "answers": ["because"] }));
}

#[test]
fn servers_that_misbehave_are_errors_not_answers() {
    let error = |answer: fn(&mut TcpStream)| -> (String, usize) {
        let (answer, n) = http(move |_, _, stream| answer(stream));
        (answer["error"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned(), n)
    };
    let (text, n) = error(|stream| reply(stream, "200 OK", "", b"<html>"));
    assert_eq!((text.as_str(), n), ("the reply is not JSON: <html>", 1));
    let (text, n) = error(|stream| reply(stream, "200 OK", "", b"{\"answers\": [\"\xff\"]}"));
    assert_eq!((text.as_str(), n), ("the reply is not UTF-8", 1));
    let (text, n) = error(|stream| reply(stream, "404 Not Found", "", b"no such page"));
    assert_eq!((text.as_str(), n), ("status 404: no such page", 1));
    let (text, n) = error(|stream| reply(stream, "500 Oops", "", b"oops"));
    assert_eq!((text.as_str(), n), ("status 500: oops (5 attempts)", 5));
    let (text, n) = error(|_| std::thread::sleep(Duration::from_secs(3)));
    assert_eq!((text.as_str(), n), ("no answer within 0.8 s", 1));
    let (text, _) = error(|stream| {
        // It announces a hundred bytes, sends ten, and closes the connection.
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"answers\"");
        let _ = stream.shutdown(std::net::Shutdown::Both);
    });
    assert!(text.starts_with("the reply was cut off"), "{text}");
    let (text, _) = error(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n");
        let block = vec![b'a'; 1 << 20];
        for _ in 0..100 {
            if stream.write_all(&block).is_err() {
                break;
            }
        }
    });
    assert_eq!(text, "the reply is longer than 16 MB");
    let (text, n) = error(|stream| reply(stream, "200 OK", "", br#"{"id": "another", "answers": []}"#));
    assert_eq!((text.as_str(), n), ("the reply has the id `another`", 1));
}

/// A redirected POST becomes a GET without the question; its reply is not a prediction.
#[test]
fn redirects_are_errors_not_answers() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = Server::new(|_, _, stream| {
            reply(stream, "200 OK", "", br#"{"answers": ["another host's"], "questions": [{}]}"#);
        });
        let location = format!("Location: {}\r\n", elsewhere.url);
        let server =
            Server::new(move |_, _, stream| reply(stream, &format!("{status} Moved"), &location, b""));
        let ours = HttpSystem::new(&server.url, Contract::Ours, quick());
        let gerbil =
            HttpSystem::new(&server.url, Contract::Gerbil { namespaces: Namespaces::default() }, quick());
        for system in [&ours, &gerbil] {
            let answer = ask(system, "Why?");
            let error = answer["error"].as_str().unwrap_or_else(|| panic!("{status}: {answer}"));
            assert!(error.contains(&status.to_string()) && error.contains(&elsewhere.url), "{error}");
        }
        assert_eq!((server.n_requests(), elsewhere.n_requests()), (2, 0), "{status}");
    }
}

#[test]
fn what_passes_is_tried_again_when_the_server_says() {
    let start = Instant::now();
    let (answer, n) = http(|number, _, stream| match number {
        0 => reply(stream, "429 Too Many Requests", "Retry-After: 1\r\n", b""),
        1 => reply(stream, "503 Busy", "", b""),
        _ => reply(stream, "200 OK", "", br#"{"answers": [1]}"#),
    });
    assert_eq!((answer["answers"].clone(), n), (json!([1]), 3));
    assert!(start.elapsed() >= Duration::from_secs(1));
    // It asks for a longer wait than allowed.
    let (answer, n) = http(|_, _, stream| reply(stream, "429 No", "Retry-After: 3600\r\n", b"later"));
    assert_eq!(answer["error"], json!("status 429: later; the server says to wait 3600 s"));
    assert_eq!(n, 1);
}

#[test]
fn no_server_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let answer = ask(&HttpSystem::new(&url, Contract::Ours, quick()), "Why?");
    assert!(answer["error"].as_str().unwrap().starts_with("the connection failed"), "{answer}");
}

#[test]
fn requests_keep_to_the_rate_and_stop_when_told() {
    let server = Server::new(|_, _, stream| reply(stream, "200 OK", "", b"{}"));
    let settings = WebSettings { rate: Some(20.0), ..quick() };
    let stop = settings.stop.clone();
    let system = HttpSystem::new(&server.url, Contract::Ours, settings);
    let start = Instant::now();
    for _ in 0..5 {
        ask(&system, "Why?");
    }
    assert!(start.elapsed() >= Duration::from_millis(200), "{:?}", start.elapsed());
    stop.cancel();
    let stopped = system.worker().answer(&SystemInput::new("q", "Why?"));
    assert!(matches!(stopped, Err(SystemError::Stopped)), "{stopped:?}");
}

#[test]
fn gerbils_contract() {
    let server = Server::new(|_, seen, stream| {
        assert_eq!(seen.body, "query=Who+was+it%3F&lang=en");
        let body = json!({ "questions": [{
            "query": { "sparql": "SELECT ?x {}" },
            "answers": [{ "head": { "vars": ["x"] }, "results": { "bindings": [
                { "x": { "type": "uri", "value": "urn:kb:person/1" } }, { "x": { "type": "literal", "value": "1990" } },
            ] } }],
        }] });
        reply(stream, "200 OK", "Content-Type: application/json\r\n", body.to_string().as_bytes());
    });
    let namespaces = Namespaces { base: Some("urn:kb:".to_owned()), ..Namespaces::default() };
    let contract = Contract::Gerbil { namespaces };
    let answer = ask(&HttpSystem::new(&server.url, contract, quick()), "Who was it?");
    assert_eq!(
        answer,
        json!({
            "id": "q",
            "answers": [{ "type": "entity", "id": "person/1", "label": "" }, { "type": "text", "value": "1990" }],
            "logical_form": "SELECT ?x {}",
            "lang": "sparql",
        })
    );
}

#[test]
fn replies_are_kept_by_all_that_influences_them() {
    let server = Server::new(|number, _, stream| match number {
        0 => reply(stream, "404 No", "", b""),
        _ => reply(stream, "200 OK", "", format!("{{\"answers\": [{number}]}}").as_bytes()),
    });
    let dir = tempfile::tempdir().unwrap();
    let cached = |version: &str, kb: &str| {
        let system = HttpSystem::new(&server.url, Contract::Ours, quick());
        Cached::new(Box::new(system), version, kb, Cache::new(dir.path()))
    };
    assert!(ask(&cached("1", "kb"), "Why?").get("error").is_some());
    // The error was not cached; the answer is.
    let first = ask(&cached("1", "kb"), "Why?");
    assert_eq!(first["answers"], json!([1]));
    assert_eq!(ask(&cached("1", "kb"), "Why?"), first);
    assert_eq!(server.n_requests(), 2);
    for (version, kb, question) in [("2", "kb", "Why?"), ("1", "other", "Why?"), ("1", "kb", "Who?")] {
        assert_ne!(ask(&cached(version, kb), question)["cache"], first["cache"]);
    }
    assert_eq!(server.n_requests(), 5);
    let kept = Cache::new(dir.path()).get(first["cache"].as_str().unwrap()).unwrap();
    assert_eq!((kept.key.version.as_str(), kept.key.asked.question.as_str()), ("1", "Why?"));
    assert!(Cache::new(dir.path()).get("../../../../etc/passwd").is_none());
}

fn world() -> Kb {
    touchstone_world::open(&NoProgress).unwrap()
}

fn llm<'k>(kb: &'k Kb, server: &Server, change: impl FnOnce(&mut LlmSettings)) -> LlmSystem<'k> {
    let words = touchstone_engine::Words::new(kb);
    let knowledge = Knowledge::new(&words, Namespaces::of(kb));
    let nearest = Nearest::new(kb, &Lexicon::of(kb), &[], &knowledge);
    let mut settings = LlmSettings::new(server.url.trim_end_matches("/ask"), "test-model");
    settings.web = quick();
    settings.key = Some("a secret".to_owned());
    change(&mut settings);
    LlmSystem::new(settings, nearest, Session::new(kb))
}

const FORM: &str = "Find(Frank Darabont) > Relate(director, backward) > Count()";

fn completion(text: &str) -> Vec<u8> {
    json!({ "choices": [{ "message": { "role": "assistant", "content": text } }] }).to_string().into_bytes()
}

#[test]
fn a_model_is_asked_and_understood() {
    let kb = world();
    let server = Server::new(|number, seen, stream| {
        assert!(seen.head.starts_with("POST /chat/completions"), "{}", seen.head);
        assert!(seen.head.to_ascii_lowercase().contains("authorization: bearer a secret"));
        let body: Json = serde_json::from_str(&seen.body).unwrap();
        assert_eq!((body["model"].as_str(), body["stream"].as_bool()), (Some("test-model"), Some(false)));
        let prompt = body["messages"][0]["content"].as_str().unwrap();
        assert!(prompt.contains("Question: How many films did Frank Darabont direct?"), "{prompt}");
        assert!(prompt.contains("relation director: from film"), "{prompt}");
        assert!(prompt.contains("- Frank Darabont"), "{prompt}");
        match number {
            0 => reply(stream, "429 Slow down", "Retry-After: 0\r\n", b""),
            1 => reply(stream, "500 Oops", "", b""),
            _ => reply(stream, "200 OK", "", &completion(&format!("It is:\n```kopl\n{FORM}\n```"))),
        }
    });
    let system = llm(&kb, &server, |_| {});
    let answer = ask(&system, "How many films did Frank Darabont direct?");
    assert_eq!((answer["logical_form"].as_str(), answer["lang"].as_str()), (Some(FORM), Some("kopl")));
    assert_eq!(server.n_requests(), 3);
    assert!(!system.name().contains("secret") && !answer.to_string().contains("secret"));
}

#[test]
fn replies_in_pieces() {
    let kb = world();
    let server = Server::new(|_, _, stream| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        let mut send = |line: &str| {
            let text = format!("data: {line}\n\n");
            stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).unwrap();
            std::thread::sleep(Duration::from_millis(5));
        };
        for piece in ["```\nFind(Frank Dara", "bont) > Relate(director, back", "ward) > Count()\n```"] {
            send(&json!({ "choices": [{ "delta": { "content": piece } }] }).to_string());
        }
        send("[DONE]");
        stream.write_all(b"0\r\n\r\n").unwrap();
    });
    let answer = ask(&llm(&kb, &server, |settings| settings.stream = true), "How many?");
    assert_eq!(answer["logical_form"].as_str(), Some(FORM), "{answer}");
}

#[test]
fn a_model_uses_tools() {
    let kb = world();
    let server = Server::new(|number, seen, stream| {
        let body: Json = serde_json::from_str(&seen.body).unwrap();
        let messages = body["messages"].as_array().unwrap();
        let call = |name: &str, arguments: Json| {
            let function = json!({ "name": name, "arguments": arguments.to_string() });
            let calls = json!([{ "id": format!("call{number}"), "type": "function", "function": function }]);
            json!({ "choices": [{ "message": { "content": null, "tool_calls": calls } }] })
                .to_string()
                .into_bytes()
        };
        let said = || messages.last().unwrap()["content"].as_str().unwrap().to_owned();
        match number {
            0 => {
                assert_eq!(body["tools"].as_array().unwrap().len(), 2);
                reply(stream, "200 OK", "", &call("search_names", json!({ "name": "frank darabont" })));
            }
            1 => {
                assert!(said().contains("person/f-frank-darabont"), "{}", said());
                reply(stream, "200 OK", "", &call("run_query", json!({ "query": FORM })));
            }
            2 => {
                assert!(said().starts_with("1 answers"), "{}", said());
                reply(stream, "200 OK", "", &call("format_disk", json!({})));
            }
            _ => {
                assert!(said().starts_with("there is no tool `format_disk`"), "{}", said());
                // The rounds are used up, so there are no more tools.
                assert_eq!(body["tool_choice"], json!("none"));
                reply(stream, "200 OK", "", &completion(FORM));
            }
        }
    });
    let answer = ask(&llm(&kb, &server, |settings| settings.tool_rounds = 3), "How many?");
    assert_eq!(answer["logical_form"].as_str(), Some(FORM), "{answer}");
    assert_eq!(answer["trace"]["tools"].as_array().unwrap().len(), 3);
}

#[test]
fn what_models_say_wrong() {
    let kb = world();
    for (body, error) in [
        ("nonsense", "the reply is not JSON: nonsense"),
        ("{}", "the reply has no `choices`"),
        (
            r#"{"choices": [{"message": {"content": "Find("}, "finish_reason": "length"}]}"#,
            "the reply is longer than --max-tokens 1024 and was cut off",
        ),
        (
            r#"{"error": {"message": "the model is loading"}}"#,
            "the model's server reports: the model is loading",
        ),
    ] {
        let server = Server::new(move |_, _, stream| reply(stream, "200 OK", "", body.as_bytes()));
        let answer = ask(&llm(&kb, &server, |_| {}), "How many?");
        assert_eq!(answer["error"].as_str(), Some(error), "{answer}");
    }
    // Without a logical form it abstains.
    let server = Server::new(|_, _, stream| reply(stream, "200 OK", "", &completion("I do not know.")));
    let answer = ask(&llm(&kb, &server, |settings| settings.language = Language::Sparql), "How many?");
    assert!(answer.get("logical_form").is_none() && answer.get("error").is_none(), "{answer}");
    assert_eq!(answer["trace"]["reply"], json!("I do not know."));
}
