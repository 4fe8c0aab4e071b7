//! `touchstone kb`: look into a KB, import, export.

mod export;
mod find;
mod import;
mod info;
mod serve;
mod show;

use crate::output::count;
use crate::{Outcome, done};
use anyhow::Result;
use clap::Subcommand;
use touchstone_kb::entity_page::NodeSummary;
use touchstone_kb::{Kb, NameHit};
use touchstone_terminal::Table;

/// The commands about knowledge bases.
#[derive(Subcommand)]
pub(crate) enum KbCommand {
    /// Show what a KB holds: counts, fingerprint, source, licence.
    #[command(after_help = "Example:\n  touchstone kb info --json")]
    Info(info::InfoArgs),
    /// Show an entity or class: description, classes, facts from and to it.
    #[command(after_help = "Examples:\n  touchstone kb show Paris\n  touchstone kb show city/2988507 --all")]
    Show(show::ShowArgs),
    /// Find entities and classes by name, even with typing errors.
    #[command(after_help = "Example:\n  touchstone kb find \"shawshnk redemtion\"")]
    Find(find::FindArgs),
    /// Build a KB from files: KQA Pro, RDF, Wikidata's dump, KB lines.
    #[command(
        after_help = "Examples:\n  touchstone kb import elements.ttl --out my-kb\n  touchstone kb import films.ttl --label-property schema:name --out films-kb\n  touchstone kb import --from kqapro kb.json --out my-kb\n  touchstone kb import --from rdf --profile freebase --ontology ontology/ dump.nt.gz --out freebase\n  touchstone kb import --from wikidata-json --seeds ids.txt latest-all.json.bz2 --out wikidata"
    )]
    Import(import::ImportArgs),
    /// Write a KB as RDF, as KQA Pro's kb.json, or in KB lines.
    #[command(
        after_help = "Examples:\n  touchstone kb export --format ttl --out world.ttl\n  touchstone kb export --kb my-kb --format nt --view kqapro | gzip > my-kb.nt.gz"
    )]
    Export(export::ExportArgs),
    /// Serve a KB as a SPARQL 1.1 endpoint, by default on this machine only.
    #[command(
        after_help = "Examples:\n  touchstone kb serve\n  curl -G --data-urlencode 'query=SELECT ?x WHERE { ?x a <urn:touchstone:world:film> } LIMIT 5' http://127.0.0.1:7878/sparql\n  touchstone kb serve --kb my-kb --port 3030 --cors https://example.org"
    )]
    Serve(serve::ServeArgs),
}

/// Runs a command.
pub(crate) fn run(command: KbCommand) -> Result<Outcome> {
    match command {
        KbCommand::Info(args) => done(info::run(&args)),
        KbCommand::Show(args) => show::run(&args),
        KbCommand::Find(args) => find::run(&args),
        KbCommand::Import(args) => done(import::run(&args)),
        KbCommand::Export(args) => done(export::run(&args)),
        KbCommand::Serve(args) => done(serve::run(&args)),
    }
}

/// Names that were found.
fn hit_table(kb: &Kb, hits: &[NameHit]) -> Table {
    let mut table = Table::new(&["name", "what", "match", "facts", "id"]).whole(&["id"]).optional(&["match"]);
    for (hit, node) in hits.iter().zip(NodeSummary::of_hits(kb, hits)) {
        let label = node.label;
        let name = if hit.name == label { label.to_owned() } else { format!("{label} ({})", hit.name) };
        table.add_row([name.as_str(), &node.gist(), hit.matched.name(), &count(node.facts), node.id]);
    }
    table
}
