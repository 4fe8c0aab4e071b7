//! A studio that runs, and a client that sends exactly what a test says.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::time::Duration;
use tempfile::TempDir;
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_kb::{Kb, NoProgress};
use touchstone_studio::{AskSystems, OpenSystems, Studio, StudioFolder, StudioOptions, serve_studio};

/// Much longer than any request here: a missing answer fails the test instead of blocking it.
const NEVER: Duration = Duration::from_secs(120);

/// A running studio.
pub struct Running {
    pub address: SocketAddr,
    pub kb: &'static Kb,
    pub folder: TempDir,
    stop: Cancel,
}

/// A response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Response {
    /// The value of a header; empty if it is absent.
    pub fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines
            .filter(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
            .next()
            .unwrap_or("")
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// The studio of the World KB that most tests share.
pub fn world() -> &'static Running {
    static WORLD: OnceLock<Running> = OnceLock::new();
    WORLD.get_or_init(|| {
        Running::start(leaked(touchstone_world::open(&NoProgress).unwrap()), Limits::default())
    })
}

pub fn leaked(kb: Kb) -> &'static Kb {
    Box::leak(Box::new(kb))
}

impl Running {
    pub fn start(kb: &'static Kb, limits: Limits) -> Running {
        // Without systems: the ask page has tests of its own.
        let none: OpenSystems = Box::new(|| Ok(AskSystems::default()));
        Running::with_systems(kb, limits, none)
    }

    pub fn with_systems(kb: &'static Kb, limits: Limits, systems: OpenSystems) -> Running {
        let folder = tempfile::tempdir().unwrap();
        let opened = StudioFolder::open(&folder.path().join("studio"), &kb.manifest().fingerprint).unwrap();
        let studio = Studio::new(kb, opened);
        let address = (Ipv4Addr::LOCALHOST, 0).into();
        let options = StudioOptions {
            address,
            limits,
            hosts: vec!["studio.example".to_owned()],
            ..StudioOptions::default()
        };
        let stop = Cancel::default();
        let (sender, ready) = channel();
        let stopped = stop.clone();
        std::thread::spawn(move || {
            serve_studio(studio, &options, systems, &stopped, |address| sender.send(address).unwrap())
                .unwrap();
        });
        let address = ready.recv_timeout(NEVER).unwrap();
        Running { address, kb, folder, stop }
    }

    pub fn studio_folder(&self) -> std::path::PathBuf {
        Path::new(self.folder.path()).join("studio")
    }

    /// Sends a request as it is and reads everything until the server closes the connection.
    pub fn send(&self, request: &str) -> Response {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(NEVER)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        // A server that refuses a body closes before it has read everything.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) =
            text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no response to {request}: {text}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
        Response { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// A request with headers besides the host.
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if headers.iter().all(|(name, _)| *name != "Host") {
            request.push_str(&format!("Host: localhost:{}\r\n", self.address.port()));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if method == "POST" {
            request.push_str(&format!(
                "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
                body.len()
            ));
        }
        self.send(&format!("{request}\r\n{body}"))
    }

    pub fn get(&self, path: &str) -> Response {
        self.request("GET", path, &[("Accept", "text/html")], "")
    }

    pub fn get_json(&self, path: &str) -> Response {
        self.request("GET", path, &[("Accept", "application/json")], "")
    }

    pub fn post(&self, path: &str, body: &str) -> Response {
        self.request("POST", path, &[("Sec-Fetch-Site", "same-origin")], body)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// A parameter as it stands in an address.
pub fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}
