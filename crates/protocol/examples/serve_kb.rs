//! Serves a small KB by the SPARQL protocol, and queries it as any other client would.
//!
//!     cargo run -p touchstone-protocol --example serve_kb
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::net::SocketAddr;
use std::sync::mpsc;
use touchstone_engine::Session;
use touchstone_engine::budget::{Budget, Cancel, Limits};
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::{Kb, NoProgress};
use touchstone_protocol::{Endpoint, EndpointSettings, ServeOptions, serve};

const ELEMENTS: &str = r#"
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:radium rdfs:label "radium"@en ; :discoverer :marie, :pierre .
:polonium rdfs:label "polonium"@en ; :discoverer :marie, :pierre .
:marie rdfs:label "Marie Curie"@en .
:pierre rdfs:label "Pierre Curie"@en .
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("elements.ttl");
    std::fs::write(&file, ELEMENTS)?;
    let store = folder.path().join("kb");
    import(&ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file]), &store, &NoProgress)?;

    // 1. The server lives as long as the program, and so does its KB. Port 0: any free port.
    let kb: &'static Kb = Box::leak(Box::new(Kb::open(&store)?));
    let session: &'static Session<'static> = Box::leak(Box::new(Session::new(kb)));
    let options = ServeOptions { address: SocketAddr::from(([127, 0, 0, 1], 0)), ..ServeOptions::default() };
    let stop = Cancel::default();
    let (sender, receiver) = mpsc::channel();
    let server = {
        let stop = stop.clone();
        std::thread::spawn(move || {
            serve(session, &options, &stop, |address| {
                let _ = sender.send(address);
            })
        })
    };
    let address = receiver.recv()?;

    // 2. A client: complete results, or an error.
    let endpoint = Endpoint::new(&format!("http://{address}/sparql"), EndpointSettings::default())?;
    let query = "SELECT ?name WHERE { ?e <http://example.org/discoverer> <http://example.org/marie> ; \
                 <http://www.w3.org/2000/01/rdf-schema#label> ?name } ORDER BY ?name";
    let table = endpoint.select(query, &Budget::new(Limits::default()))?;
    for row in &table.rows {
        println!("{}", row[0].as_ref().map_or(String::new(), ToString::to_string));
    }

    // 3. Stop the server.
    stop.cancel();
    let served = server.join().map_err(|_| "the server panicked")??;
    println!("{} connections", served.connections);
    Ok(())
}
