//! Serves the studio for the embedded World KB, with the built-in system.
//!
//! `cargo run -p touchstone-studio --example serve_studio -- 8080`; without a port, it reads one page as JSON, prints it and stops.
#![allow(clippy::print_stdout, missing_docs)]

use std::error::Error;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use touchstone_engine::budget::Cancel;
use touchstone_kb::{Kb, NoProgress, cache_dir};
use touchstone_studio::{AskSystems, OpenSystems, Studio, StudioFolder, StudioOptions, serve_studio};

fn open_world() -> Result<Kb, Box<dyn Error + Send + Sync>> {
    Ok(touchstone_world::open(&NoProgress)?)
}

/// The built-in system, with the scorer that comes with World.
fn built_in_system(kb: &'static Kb) -> Result<AskSystems, String> {
    let found = AskSystems::built_in(kb, Some(touchstone_world::SCORER), &cache_dir(), &NoProgress);
    found.map_err(|error| error.to_string())
}

/// Reads a page as JSON.
fn read(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nConnection: close\r\n\r\n"
    )?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let port: Option<u16> = std::env::args().nth(1).map(|port| port.parse()).transpose()?;
    // The server lives as long as the program.
    let kb: &'static Kb = Box::leak(Box::new(open_world()?));
    let folder = match std::env::args().nth(2) {
        Some(folder) => PathBuf::from(folder),
        None => std::env::temp_dir().join(format!("studio-{}", std::process::id())),
    };
    let studio = Studio::new(kb, StudioFolder::open(&folder, &kb.manifest().fingerprint)?);
    let options = StudioOptions {
        address: (Ipv4Addr::LOCALHOST, port.unwrap_or(0)).into(),
        ..StudioOptions::default()
    };
    let systems: OpenSystems = match port {
        Some(_) => Box::new(move || built_in_system(kb)),
        None => Box::new(|| Ok(AskSystems::default())),
    };
    let stop = Cancel::default();
    let stopped = stop.clone();
    serve_studio(studio, &options, systems, &stop, |address| {
        println!("http://{address}/");
        if port.is_none() {
            std::thread::spawn(move || {
                println!(
                    "{}",
                    read(address, "/kb/suggest?q=marie+cur").unwrap_or_else(|error| error.to_string())
                );
                stopped.cancel();
            });
        }
    })?;
    if port.is_none() {
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(())
}
