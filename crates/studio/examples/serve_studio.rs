//! Serves the studio for the embedded World KB, with the built-in system.
//!
//! `cargo run -p touchstone-studio --example serve_studio -- 8080`; without a port, it reads one page as JSON, prints it and stops.
#![allow(clippy::print_stdout, missing_docs)]

use std::error::Error;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use touchstone_benchmark::{EmbeddedKb, KbSource, QuestionSource, Selection};
use touchstone_engine::budget::Cancel;
use touchstone_forge::TrainingFolder;
use touchstone_kb::{Kb, NoProgress, cache_dir};
use touchstone_run::SystemRegistry;
use touchstone_studio::{AskSystems, OpenSystems, Studio, StudioFolder, StudioOptions, serve_studio};

fn open_world() -> Result<Kb, Box<dyn Error + Send + Sync>> {
    Ok(touchstone_world::open(&NoProgress)?)
}

/// The built-in system, with questions to learn from that are generated once.
fn built_in_system(kb: &Kb) -> Result<AskSystems, Box<dyn Error + Send + Sync>> {
    let training = TrainingFolder::of(kb, &cache_dir());
    if !training.exists() {
        training.make(kb, &NoProgress)?;
    }
    let fingerprint = Some(touchstone_world::FINGERPRINT);
    let selection = Selection {
        questions: Some(QuestionSource::Folder(training.path())),
        split: None,
        limit: None,
        kb: KbSource::Embedded,
        embedded: Some(EmbeddedKb { name: "world", fingerprint, open: open_world }),
        ontology: None,
        run: None,
        directory: None,
    };
    Ok(AskSystems::open(selection.open()?, &[], &SystemRegistry::new())?)
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
        Some(_) => Box::new(|| built_in_system(kb).map_err(|error| error.to_string())),
        None => Box::new(|| Ok(AskSystems::none())),
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
