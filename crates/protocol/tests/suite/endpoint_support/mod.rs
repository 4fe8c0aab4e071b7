//! A small web server on a real socket that misbehaves on demand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_protocol::endpoint::{Endpoint, EndpointError, EndpointRows};

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|header| header.0.eq_ignore_ascii_case(name)).map(|header| header.1.as_str())
    }

    /// A parameter of the form or of the address.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let source = if self.method == "POST" { &self.body } else { self.target.split_once('?')?.1 };
        source.split('&').find_map(|pair| {
            let (found, value) = pair.split_once('=')?;
            (found == name).then(|| decoded(value))
        })
    }

    pub(crate) fn query(&self) -> String {
        self.parameter("query").unwrap_or_default()
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = std::str::from_utf8(&rest[..2]).expect("digits");
                rest = &rest[2..];
                u8::from_str_radix(digits, 16).expect("digits")
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// A server on loopback. It ends with the test.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers every request with what the closure writes; the closure gets the request and its number, from 0.
    pub(crate) fn start(answer: impl Fn(&Request, usize, &mut TcpStream) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let log = Arc::clone(&requests);
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                thread::spawn(move || {
                    let mut stream = stream;
                    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
                    let Some(request) = receive(&stream) else { return };
                    let number = {
                        let mut log = log.lock().expect("no panic");
                        log.push(request.clone());
                        log.len() - 1
                    };
                    answer(&request, number, &mut stream);
                });
            }
        });
        Server { address, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/sparql", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no panic").clone()
    }
}

fn receive(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut request = Request { method, target, headers, body: String::new() };
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    request.body = String::from_utf8(body).ok()?;
    Some(request)
}

/// Writes a whole answer. Errors are ignored: the client may have closed the connection.
pub(crate) fn reply(stream: &mut TcpStream, status: &str, headers: &[(&str, &str)], body: &[u8]) {
    let mut text = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    let _ = stream.write_all(text.as_bytes());
    let _ = stream.write_all(body);
}

pub(crate) const JSON: (&str, &str) = ("Content-Type", "application/sparql-results+json");

/// A good answer.
pub(crate) fn good(stream: &mut TcpStream, body: &str) {
    reply(stream, "200 OK", &[JSON], body.as_bytes());
}

/// A table with one column `x` of numbers.
pub(crate) fn numbers(numbers: impl IntoIterator<Item = u64>) -> String {
    let rows: Vec<String> = numbers
        .into_iter()
        .map(|number| format!(r#"{{"x":{{"type":"literal","value":"{number}"}}}}"#))
        .collect();
    format!(r#"{{"head":{{"vars":["x"]}},"results":{{"bindings":[{}]}}}}"#, rows.join(","))
}

/// The answers to several queries, in their order, asked by several threads that share the endpoint.
pub(crate) fn select_all(
    endpoint: &Endpoint,
    texts: &[String],
    threads: usize,
) -> Vec<Result<EndpointRows, EndpointError>> {
    let chunks = texts.chunks(texts.len().div_ceil(threads).max(1));
    thread::scope(|scope| {
        let workers: Vec<_> = chunks
            .map(|texts| {
                scope.spawn(|| {
                    let select = |text: &String| endpoint.select(text, &Budget::new(Limits::default()));
                    texts.iter().map(select).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    })
}
