//! The client against a server that misbehaves.

use crate::endpoint_support::{JSON, Server, good, numbers, reply, select_all};
use flate2::Compression;
use flate2::write::GzEncoder;
use oxrdf::{BlankNode, Literal, Term};
use std::io::Write;
use std::thread::sleep;
use std::time::{Duration, Instant};
use touchstone_engine::budget::{Budget, Cancel, Limit, Limits};
use touchstone_protocol::endpoint::{
    Credentials, Endpoint, EndpointError, EndpointRows, EndpointSettings, Method, TOKEN_VARIABLE,
};

const SELECT: &str = "SELECT ?x { ?x a <urn:c> }";

fn quick() -> EndpointSettings {
    EndpointSettings { back_off: Duration::from_millis(5), ..EndpointSettings::default() }
}

fn endpoint(server: &Server, settings: EndpointSettings) -> Endpoint {
    Endpoint::with_credentials(&server.url(), settings, Credentials::default()).expect("an address")
}

fn budget() -> Budget<'static> {
    Budget::new(Limits { time: Duration::from_secs(30), ..Limits::default() })
}

fn select(server: &Server) -> Result<EndpointRows, EndpointError> {
    endpoint(server, quick()).select(SELECT, &budget())
}

fn ten() -> String {
    numbers(1..=10)
}

#[test]
fn queries_are_sent_as_forms() {
    let server = Server::start(|_, _, stream| good(stream, &ten()));
    let settings = EndpointSettings { default_graph: Some("urn:g".to_owned()), ..quick() };
    let table = endpoint(&server, settings)
        .select("SELECT ?x { ?x ?y \"a&b=c+\u{e9}\" }", &budget())
        .expect("a table");
    assert_eq!(table.rows.len(), 10);
    assert_eq!(table.rows[2], [Some(Literal::from("3").into())]);
    assert!(table.bytes as usize == ten().len());
    let request = &server.requests()[0];
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/sparql"));
    assert_eq!(request.query(), "SELECT ?x { ?x ?y \"a&b=c+\u{e9}\" }");
    assert_eq!(request.parameter("default-graph-uri").as_deref(), Some("urn:g"));
    assert_eq!(request.header("content-type"), Some("application/x-www-form-urlencoded"));
    assert!(
        request.header("accept").is_some_and(|accept| accept.starts_with("application/sparql-results+json"))
    );
    assert!(request.header("accept-encoding").is_some_and(|encoding| encoding.contains("gzip")));
    assert_eq!(request.header("authorization"), None);
}

#[test]
fn short_queries_go_into_the_address_if_asked() {
    let server = Server::start(|_, _, stream| good(stream, &ten()));
    let endpoint = endpoint(&server, EndpointSettings { method: Method::GetIfShort, ..quick() });
    endpoint.select(SELECT, &budget()).expect("a table");
    let long = format!("SELECT ?x {{ ?x a \"{}\" }}", "y".repeat(3000));
    endpoint.select(&long, &budget()).expect("a table");
    let requests = server.requests();
    assert_eq!((requests[0].method.as_str(), requests[0].query().as_str()), ("GET", SELECT));
    assert_eq!((requests[1].method.as_str(), requests[1].query().as_str()), ("POST", long.as_str()));
}

#[test]
fn what_may_pass_is_tried_again() {
    for status in
        ["429 Too Many Requests", "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"]
    {
        let server = Server::start(move |_, number, stream| match number {
            0 | 1 => reply(stream, status, &[], b"wait"),
            _ => good(stream, &ten()),
        });
        assert_eq!(select(&server).expect("a table").rows.len(), 10);
        assert_eq!(server.requests().len(), 3, "{status}");
    }
    let deadlock = b"Virtuoso 40001 Error SR172: Transaction deadlocked\n\nSPARQL query:\nSELECT";
    let server = Server::start(move |_, number, stream| match number {
        0 => reply(stream, "500 SPARQL Request Failed", &[("Content-Type", "text/plain")], deadlock),
        _ => good(stream, &ten()),
    });
    assert!(select(&server).is_ok());
    let server = Server::start(|_, _, stream| reply(stream, "503 Service Unavailable", &[], b"closed"));
    let error = select(&server).expect_err("never");
    assert!(
        matches!(&error, EndpointError::Status { status: 503, attempts: 5, message, .. } if message == "closed"),
        "{error}"
    );
    assert_eq!(error.to_string(), format!("{}: HTTP status 503 (tried 5 times): closed", server.url()));
}

#[test]
fn what_does_not_pass_is_not_tried_again() {
    let words =
        b"Virtuoso 37000 Error SP030: SPARQL compiler, line 2: syntax error\n\nSPARQL query:\nSELECT secret";
    for status in ["400 Bad Request", "500 SPARQL Request Failed", "401 Unauthorized", "404 Not Found"] {
        let server = Server::start(move |_, _, stream| {
            reply(stream, status, &[("Content-Type", "text/plain")], words)
        });
        let error = select(&server).expect_err("refused");
        assert!(
            error.to_string().ends_with("Virtuoso 37000 Error SP030: SPARQL compiler, line 2: syntax error"),
            "{error}"
        );
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn servers_say_when_to_come_back() {
    let server = Server::start(|_, number, stream| match number {
        0 => reply(stream, "503 Service Unavailable", &[("Retry-After", "1")], b""),
        _ => good(stream, &ten()),
    });
    let started = Instant::now();
    assert!(select(&server).is_ok());
    assert!(started.elapsed() >= Duration::from_secs(1));
    let server =
        Server::start(|_, _, stream| reply(stream, "429 Too Many", &[("Retry-After", "3600")], b"tomorrow"));
    let started = Instant::now();
    assert!(matches!(select(&server), Err(EndpointError::Status { status: 429, attempts: 1, .. })));
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn no_server_is_a_connection_error() {
    let address = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("an address")
    };
    let settings = EndpointSettings { retries: 2, ..quick() };
    let endpoint =
        Endpoint::with_credentials(&format!("http://{address}/"), settings, Credentials::default())
            .expect("good");
    let error = endpoint.select(SELECT, &budget()).expect_err("nothing listens there");
    assert!(matches!(error, EndpointError::Connection { attempts: 3, .. }), "{error}");
}

/// Begins an answer, and then sends it slowly.
fn slow(server_sends: &'static str, pause: Duration) -> Server {
    Server::start(move |_, _, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\n\r\n");
        let _ = stream.write_all(br#"{"head":{"vars":["x"]},"results":{"bindings":["#);
        while stream.write_all(server_sends.as_bytes()).and_then(|()| stream.flush()).is_ok() {
            sleep(pause);
        }
    })
}

#[test]
fn slow_answers_end_at_the_timeout_or_with_the_budget() {
    let server = slow(" ", Duration::from_millis(20));
    let settings = EndpointSettings { timeout: Duration::from_millis(300), ..quick() };
    let started = Instant::now();
    let error = endpoint(&server, settings.clone()).select(SELECT, &budget()).expect_err("too slow");
    assert!(matches!(error, EndpointError::Timeout { after, .. } if after == settings.timeout), "{error}");
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(server.requests().len(), 1);
    let hurried = Budget::new(Limits { time: Duration::from_millis(200), ..Limits::none() });
    let error = endpoint(&server, quick()).select(SELECT, &hurried).expect_err("too slow");
    assert!(matches!(&error, EndpointError::Stopped(stopped) if stopped.limit == Limit::Time), "{error}");
    // A server that stops in the middle, on a connection that was used before.
    let server = Server::start(|_, _, stream| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\n";
        let _ = write!(stream, "{head}Content-Length: {}\r\n\r\n{}", ten().len(), ten());
        let _ = std::io::Read::read(stream, &mut [0; 4096]);
        let _ = write!(stream, "{head}Content-Length: 100000\r\n\r\n{}", &ten()[..100]);
        sleep(Duration::from_secs(10));
    });
    let client = endpoint(&server, settings.clone());
    client.select(SELECT, &budget()).expect("the first time");
    let started = Instant::now();
    let error = client.select(SELECT, &budget()).expect_err("silent");
    assert!(matches!(error, EndpointError::Timeout { .. }), "{error}");
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(server.requests().len(), 1, "the connection was not used again");
    // A server that never answers.
    let server = Server::start(|_, _, _| sleep(Duration::from_secs(10)));
    let error = endpoint(&server, settings).select(SELECT, &budget()).expect_err("silent");
    assert!(matches!(error, EndpointError::Timeout { .. }), "{error}");
    let hurried = Budget::new(Limits { time: Duration::from_millis(200), ..Limits::none() });
    let error = endpoint(&server, quick()).select(SELECT, &hurried).expect_err("silent");
    assert_eq!(error.word(), "time", "{error}");
}

#[test]
fn cancelling_ends_reading_and_waiting() {
    let in_a_moment = |cancel: &Cancel| {
        let cancel = cancel.clone();
        std::thread::spawn(move || {
            sleep(Duration::from_millis(150));
            cancel.cancel();
        });
    };
    for server in [
        slow(" ", Duration::from_millis(10)),
        Server::start(|_, _, stream| reply(stream, "503 Service Unavailable", &[("Retry-After", "20")], b"")),
    ] {
        let cancel = Cancel::default();
        let budget = Budget::new(Limits::none()).stopped_by(&cancel);
        in_a_moment(&cancel);
        let started = Instant::now();
        let error = endpoint(&server, quick()).select(SELECT, &budget).expect_err("cancelled");
        assert_eq!(error.word(), "cancelled", "{error}");
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn endless_answers_end_at_the_limits() {
    let row = r#"{"x":{"type":"literal","value":"1"}},"#;
    let server = slow(row, Duration::ZERO);
    let limits = Limits { memory: 1 << 20, rows: u64::MAX, ..Limits::none() };
    let budget = Budget::new(limits);
    let error = endpoint(&server, quick()).select(SELECT, &budget).expect_err("endless");
    assert_eq!(error.word(), "memory", "{error}");
    assert!(budget.hold(1 << 20).is_ok(), "the memory was not released");
    let budget = Budget::new(Limits { rows: 1000, ..Limits::none() });
    let error = endpoint(&server, quick()).select(SELECT, &budget).expect_err("endless");
    assert_eq!(error.to_string(), "stopped at 1,000 answers");
    // Blanks before, and inside a text.
    for filling in
        ["                                                              ", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n"]
    {
        let budget = Budget::new(limits);
        let error =
            endpoint(&slow(filling, Duration::ZERO), quick()).select(SELECT, &budget).expect_err("endless");
        assert_eq!(error.word(), "memory", "{error}");
    }
    // An endless error page is not read to its end.
    let server = Server::start(|_, _, stream| {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad\r\nContent-Type: text/plain\r\n\r\n");
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    });
    let error = select(&server).expect_err("refused");
    assert!(
        matches!(&error, EndpointError::Status { status: 400, message, .. } if message.len() <= 600),
        "{error}"
    );
}

#[test]
fn cut_answers_are_no_answers() {
    let body = ten();
    let half = body[..body.len() / 2].to_owned();
    let (whole, cut) = (body.clone(), half.clone());
    let server = Server::start(move |_, number, stream| {
        if number == 0 {
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                whole.len()
            );
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(cut.as_bytes());
        } else {
            good(stream, &whole);
        }
    });
    let budget = Budget::new(Limits { rows: 10, ..Limits::default() });
    let table = endpoint(&server, quick()).select(SELECT, &budget).expect("the second time");
    assert_eq!((table.rows.len(), budget.cost().rows, server.requests().len()), (10, 10, 2));
    // Without a length, only the text shows that it is truncated.
    let server = Server::start(move |_, _, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
        let _ = stream.write_all(half.as_bytes());
    });
    let error = select(&server).expect_err("cut");
    assert_eq!(error.word(), "malformed", "{error}");
}

#[test]
fn formats_are_checked() {
    for (kind, found) in [
        ("text/html; charset=UTF-8", "text/html"),
        ("application/sparql-results+json; charset=ISO-8859-1", "text in iso-8859-1"),
    ] {
        let server =
            Server::start(move |_, _, stream| reply(stream, "200 OK", &[("Content-Type", kind)], b"{}"));
        let error = select(&server).expect_err("no results");
        assert!(matches!(&error, EndpointError::ContentType { found: f, .. } if f == found), "{error}");
    }
    let xml = r#"<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="x"/></head>
        <results><result><binding name="x"><bnode>nodeID://b7</bnode></binding></result></results></sparql>"#;
    let headers = [
        ("Content-Type", "application/sparql-results+xml; charset=UTF-8"),
        ("Server", "Virtuoso/07.20.3229"),
    ];
    let server = Server::start(move |_, _, stream| reply(stream, "200 OK", &headers, xml.as_bytes()));
    assert_eq!(select(&server).expect("a table").rows, [[Some(Term::from(BlankNode::new_unchecked("b7")))]]);
    for garbage in ["", "nothing", "{}", "[]", r#"{"head":{"vars":["x"]},"results":{"bindings":[{"x":5}]}}"#]
    {
        let server = Server::start(move |_, _, stream| good(stream, garbage));
        assert_eq!(select(&server).expect_err("garbage").word(), "malformed", "{garbage}");
    }
}

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn compressed_answers_are_read_and_counted_as_what_they_are() {
    let body = zipped(ten().as_bytes());
    let server = Server::start(move |_, _, stream| {
        reply(stream, "200 OK", &[JSON, ("Content-Encoding", "gzip")], &body)
    });
    assert_eq!(select(&server).expect("a table").rows.len(), 10);
    let bomb = zipped(&vec![b' '; 50 << 20]);
    assert!(bomb.len() < 1 << 20);
    let server = Server::start(move |_, _, stream| {
        reply(stream, "200 OK", &[JSON, ("Content-Encoding", "gzip")], &bomb)
    });
    let budget = Budget::new(Limits { memory: 4 << 20, ..Limits::none() });
    let error = endpoint(&server, quick()).select(SELECT, &budget).expect_err("a bomb");
    assert_eq!(error.word(), "memory", "{error}");
}

#[test]
fn secrets_stay_where_they_belong() {
    let credentials =
        Credentials::look_up(|name| (name == TOKEN_VARIABLE).then(|| "hunter2".to_owned())).expect("a token");
    let other = Server::start(|_, _, stream| good(stream, &ten()));
    let elsewhere = other.url();
    let server = Server::start(move |request, _, stream| match request.target.as_str() {
        "/sparql" => reply(stream, "307 Temporary Redirect", &[("Location", "/here")], b""),
        "/here" => reply(stream, "301 Moved Permanently", &[("Location", &elsewhere)], b""),
        _ => reply(stream, "404 Not Found", &[], b""),
    });
    let endpoint = Endpoint::with_credentials(&server.url(), quick(), credentials.clone()).expect("good");
    assert_eq!(endpoint.select(SELECT, &budget()).expect("a table").rows.len(), 10);
    let seen: Vec<Option<String>> =
        server.requests().iter().map(|request| request.header("authorization").map(str::to_owned)).collect();
    assert_eq!(seen, [Some("Bearer hunter2".to_owned()), Some("Bearer hunter2".to_owned())]);
    let last = &other.requests()[0];
    assert_eq!(
        (last.method.as_str(), last.query().as_str(), last.header("authorization")),
        ("POST", SELECT, None)
    );
    assert!(!format!("{endpoint:?}").contains("hunter2"));
    let server = Server::start(|_, _, stream| reply(stream, "401 Unauthorized", &[], b"who are you?"));
    let endpoint = Endpoint::with_credentials(&server.url(), quick(), credentials).expect("good");
    let error = endpoint.select(SELECT, &budget()).expect_err("refused");
    assert!(!format!("{error} {error:?}").contains("hunter2"));
}

#[test]
fn redirects_end() {
    let server = Server::start(|_, _, stream| reply(stream, "302 Found", &[("Location", "/again")], b""));
    let error = select(&server).expect_err("in circles");
    assert!(matches!(error, EndpointError::Redirect { reason: "too many redirects", .. }), "{error}");
    let server = Server::start(|_, _, stream| reply(stream, "303 See Other", &[("Location", "/page")], b""));
    assert_eq!(select(&server).expect_err("elsewhere").word(), "redirect");
    let server =
        Server::start(|_, _, stream| reply(stream, "302 Found", &[("Location", "http://a:b@c/")], b""));
    let error = select(&server).expect_err("with a secret");
    assert!(!error.to_string().contains("a:b"), "{error}");
}

/// The number after a word in a query.
fn number_after(query: &str, word: &str) -> Option<u64> {
    query.split_once(word)?.1.split_whitespace().next()?.parse().ok()
}

/// A server with a number of rows and a maximum for each answer; `from` computes where a page begins.
fn capping(rows: u64, cap: u64, says_so: bool, from: impl Fn(u64) -> u64 + Send + Sync + 'static) -> Server {
    Server::start(move |request, _, stream| {
        let query = request.query();
        if query.contains("COUNT(*)") {
            return good(stream, &numbers([rows]));
        }
        let start = from(number_after(&query, "OFFSET").unwrap_or(0)).min(rows);
        let count = number_after(&query, "LIMIT").unwrap_or(u64::MAX).min(cap).min(rows - start);
        let cap = cap.to_string();
        let mut headers = vec![JSON];
        if says_so && count.to_string() == cap {
            headers.push(("X-SPARQL-MaxRows", &cap));
        }
        reply(stream, "200 OK", &headers, numbers(start..start + count).as_bytes());
    })
}

fn values(table: &EndpointRows) -> Vec<u64> {
    let value = |row: &Vec<Option<Term>>| match &row[0] {
        Some(Term::Literal(literal)) => literal.value().parse().expect("a number"),
        other => panic!("{other:?}"),
    };
    table.rows.iter().map(value).collect()
}

#[test]
fn results_that_the_server_says_are_cut_are_completed() {
    let server = capping(25, 7, true, |offset| offset);
    let budget = Budget::new(Limits { rows: 25, ..Limits::default() });
    // Also without checks of suspicious results.
    let settings = EndpointSettings { detect_caps: false, ..quick() };
    let table = endpoint(&server, settings).select(SELECT, &budget).expect("everything");
    assert_eq!(values(&table), (0..25).collect::<Vec<u64>>());
    assert_eq!(budget.cost().rows, 25);
    // The query, the count, four pages.
    assert_eq!(server.requests().len(), 6);
    let budget = Budget::new(Limits { rows: 24, ..Limits::default() });
    assert_eq!(endpoint(&server, quick()).select(SELECT, &budget).expect_err("too many").word(), "rows");
    // Limits of the query itself.
    let part = endpoint(&server, quick())
        .select(&format!("{SELECT} LIMIT 10 OFFSET 3"), &self::budget())
        .expect("a part");
    assert_eq!(values(&part), (3..13).collect::<Vec<u64>>());
    let part =
        endpoint(&server, quick()).select(&format!("{SELECT} LIMIT 7"), &self::budget()).expect("a part");
    assert_eq!(values(&part), (0..7).collect::<Vec<u64>>());
}

#[test]
fn suspicious_results_are_doubted() {
    let server = capping(250, 100, false, |offset| offset);
    assert_eq!(select(&server).expect("everything").rows.len(), 250);
    let server = capping(100, 1000, false, |offset| offset);
    assert_eq!(select(&server).expect("everything").rows.len(), 100);
    assert_eq!(server.requests().len(), 2);
    let server = capping(250, 100, false, |offset| offset);
    let trusting = endpoint(&server, EndpointSettings { detect_caps: false, ..quick() });
    assert_eq!(trusting.select(SELECT, &budget()).expect("the truncated table").rows.len(), 100);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn pages_can_be_asked_for() {
    let server = capping(95, 1000, false, |offset| offset);
    let paging = endpoint(&server, EndpointSettings { page_size: Some(40), ..quick() });
    assert_eq!(values(&paging.select(SELECT, &budget()).expect("everything")), (0..95).collect::<Vec<u64>>());
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.query().contains("COUNT") || request.query().contains("LIMIT"))
    );
}

#[test]
fn what_cannot_be_completed_is_an_error() {
    // The same page every time; overlapping pages; nothing after the first page.
    for from in [
        (|_| 0) as fn(u64) -> u64,
        |offset| offset.saturating_sub(2),
        |offset| if offset > 0 { 1000 } else { 0 },
    ] {
        let server = capping(25, 7, true, from);
        let error = select(&server).expect_err("cut");
        assert!(matches!(error, EndpointError::Capped { expected: Some(25), cap: Some(7), .. }), "{error}");
    }
    let headers = [JSON, ("X-SQL-State", "S1TAT"), ("X-SQL-Message", "RC...: Returning incomplete results")];
    let server = Server::start(move |_, _, stream| reply(stream, "200 OK", &headers, ten().as_bytes()));
    let error = select(&server).expect_err("partial");
    assert!(matches!(&error, EndpointError::Interrupted { state, .. } if state == "S1TAT"), "{error}");
}

#[test]
fn booleans_and_graphs() {
    for (body, truth) in [
        (r#"{"head":{},"boolean":true}"#, true),
        (r#"{"head":{"link":[],"vars":["__ASK_RETVAL"]},"results":{"bindings":[]}}"#, false),
        (
            r#"{"head":{"vars":["__ASK_RETVAL"]},"results":{"bindings":[{"__ASK_RETVAL":{"type":"typed-literal","datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"1"}}]}}"#,
            true,
        ),
    ] {
        let server = Server::start(move |_, _, stream| good(stream, body));
        assert_eq!(endpoint(&server, quick()).ask("ASK { ?s ?p ?o }", &budget()).expect("an answer"), truth);
    }
    let server = Server::start(|_, _, stream| {
        reply(stream, "200 OK", &[("Content-Type", "text/turtle")], b"<urn:a> <urn:b> 1, 1, 2 .");
    });
    let graph = endpoint(&server, quick()).graph("DESCRIBE <urn:a>", &budget()).expect("a graph");
    assert_eq!(graph.triples.len(), 2);
    let server = capping(250, 100, false, |offset| offset);
    let graph = endpoint(&server, quick())
        .graph("CONSTRUCT { <urn:a> <urn:b> ?x } { ?s ?p ?x }", &budget())
        .expect("a graph");
    assert_eq!(graph.triples.len(), 250);
    let error = endpoint(&server, quick()).select("ASK {}", &budget()).expect_err("another form");
    assert_eq!(error.to_string(), "not a SELECT: ASK");
}

#[test]
fn several_at_a_time_keep_their_order() {
    let server = Server::start(|request, number, stream| {
        sleep(Duration::from_millis(if number % 2 == 0 { 10 } else { 0 }));
        good(stream, &numbers([number_after(&request.query(), "?x").expect("a number")]));
    });
    let mut texts: Vec<String> =
        (0..40).map(|i| format!("SELECT ?x {{ VALUES ?x {{ {i} }} }} # ?x {i}")).collect();
    texts[7] = "no query".to_owned();
    let texts: Vec<String> = texts
        .iter()
        .map(|text| text.replacen("SELECT ?x {", "SELECT * {", 1).replace("VALUES ?x", "VALUES ?y"))
        .collect();
    let answers = select_all(&endpoint(&server, quick()), &texts, 4);
    assert_eq!(answers.len(), 40);
    for (i, answer) in answers.into_iter().enumerate() {
        match answer {
            Ok(table) => assert_eq!(values(&table), [i as u64]),
            other => assert!(i == 7 && other.is_err()),
        }
    }
}
