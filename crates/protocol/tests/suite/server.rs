//! The server under clients that use too many resources.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;
use touchstone_engine::Session;
use touchstone_engine::budget::Cancel;
use touchstone_kb::NoProgress;
use touchstone_protocol::{ConnectionLimits, ServeOptions, Served, serve};

/// Much longer than any request here: a missing answer fails the test instead of blocking it.
const NEVER: Duration = Duration::from_secs(120);

struct Running {
    address: SocketAddr,
    stop: Cancel,
    thread: JoinHandle<Served>,
}

impl Running {
    fn start(options: ServeOptions) -> Running {
        let kb = Box::leak(Box::new(touchstone_world::open(&NoProgress).unwrap()));
        let session: &'static Session<'static> = Box::leak(Box::new(Session::new(kb)));
        let options = ServeOptions { address: (Ipv4Addr::LOCALHOST, 0).into(), ..options };
        let stop = Cancel::default();
        let (sender, ready) = channel();
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            serve(session, &options, &stopped, |address| sender.send(address).unwrap()).unwrap()
        });
        Running { address: ready.recv().unwrap(), stop, thread }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(NEVER)).unwrap();
        stream
    }

    /// A client that has sent `text` and waits.
    fn sent(&self, text: &str) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    fn stop(self) -> Served {
        self.stop.cancel();
        self.thread.join().unwrap()
    }
}

/// All that comes until the server closes the connection.
fn rest(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    match stream.read_to_end(&mut text) {
        Ok(_) => {}
        // A server that closes before it has read everything resets the connection.
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the connection stays open: {error}"),
    }
    String::from_utf8(text).unwrap()
}

fn post(length: usize, body: &str) -> String {
    format!(
        "POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

const ASK: &str = "GET /sparql?query=ASK%7B%7D HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

#[test]
fn connections_are_limited_and_others_wait() {
    let server = Running::start(ServeOptions {
        connections: ConnectionLimits { at_once: 3, ..ConnectionLimits::default() },
        ..ServeOptions::default()
    });
    let clients: Vec<TcpStream> = (0..20).map(|_| server.sent(ASK)).collect();
    for client in clients {
        let answer = rest(client);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    let served = server.stop();
    assert_eq!(served.connections, 20);
    assert!((1..=3).contains(&served.most_connections), "{served:?}");
}

#[test]
fn headers_that_never_end_and_idle_connections_are_closed() {
    let server = Running::start(ServeOptions {
        connections: ConnectionLimits {
            at_once: 4,
            header_time: Duration::from_millis(100),
            ..ConnectionLimits::default()
        },
        ..ServeOptions::default()
    });
    let half = "POST /sparql HTTP/1.1\r\nHost: localhost\r\nX-a: ";
    let slow: Vec<TcpStream> = (0..12).map(|_| server.sent(half)).collect();
    let idle = server.connect();
    let kept = server.sent(&ASK.replace("Connection: close\r\n", ""));
    // Sixteen clients never send a request, and another one is still answered.
    let answer = rest(server.sent(ASK));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    for stream in slow {
        assert!(!rest(stream).starts_with("HTTP/1.1 200"));
    }
    assert_eq!(rest(idle), "");
    // Kept open for a second request that is never sent.
    assert!(rest(kept).starts_with("HTTP/1.1 200"));
    assert!(server.stop().most_connections <= 4);
}

#[test]
fn bodies_that_never_end_are_refused() {
    let server = Running::start(ServeOptions {
        body_time: Duration::from_millis(100),
        max_bodies: 4096,
        at_once: 1,
        ..ServeOptions::default()
    });
    // Each of them reserves all memory for bodies.
    let slow: Vec<TcpStream> = (0..3).map(|_| server.sent(&post(100_000, "ASK"))).collect();
    let answer = rest(server.sent(&post(5, "ASK{}")));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    for stream in slow {
        let answer = rest(stream);
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    }
    server.stop();
}

#[test]
fn bodies_are_read_only_if_there_is_memory_for_them() {
    let server = Running::start(ServeOptions { max_bodies: 1 << 20, at_once: 1, ..ServeOptions::default() });
    let text = format!("ASK{{}} #{}", "x".repeat(200_000));
    let request = post(text.len(), &text);
    let clients: Vec<JoinHandle<()>> = (0..40)
        .map(|_| {
            let (request, mut stream) = (request.clone(), server.connect());
            std::thread::spawn(move || {
                stream.write_all(request.as_bytes()).unwrap();
                let answer = rest(stream);
                assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            })
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
    let served = server.stop();
    assert!((400_000..=1 << 20).contains(&served.most_body_bytes), "{served:?}");
}

#[test]
fn bodies_that_are_too_long_are_refused_before_they_are_read() {
    let server = Running::start(ServeOptions::default());
    let answer = rest(server.sent(&post(2 << 20, "ASK{}")));
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    // Also without a length.
    let mut chunked = server.sent(
        "POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    for _ in 0..17 {
        // The server may have closed the connection before the last one.
        if chunked.write_all(chunk.as_bytes()).is_err() {
            break;
        }
    }
    let mut start = [0; 12];
    chunked.read_exact(&mut start).unwrap();
    assert_eq!(std::str::from_utf8(&start).unwrap(), "HTTP/1.1 413");
    drop(chunked);
    server.stop();
}

#[test]
fn an_origin_that_may_ask_does_not_open_the_server_to_other_hosts() {
    let server = Running::start(ServeOptions {
        cors: Some("https://example.org".to_owned()),
        ..ServeOptions::default()
    });
    let answer = rest(server.sent(ASK));
    assert!(
        answer.starts_with("HTTP/1.1 200")
            && answer.to_ascii_lowercase().contains("access-control-allow-origin: https://example.org"),
        "{answer}"
    );
    for host in ["evil.example", "127.0.0.1.evil.example", "example.org"] {
        let answer = rest(server.sent(&ASK.replace("localhost", host)));
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
    }
    server.stop();
}
