//! `touchstone kb import`.

use crate::choice::choice;
use crate::output::{self, count};
use crate::progress::Bar;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;
use touchstone_kb::Kb;
use touchstone_kb::import::{
    self, FileKind, ImportOptions, ImportReport, ImportRequest, Profile, Source, Subset,
};
use touchstone_kb::survey::Survey;
use touchstone_terminal::Table;

#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The files; gzip, zstd and bzip2 are recognised
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// What the files are [default: guessed from their names and beginnings]
    #[arg(long, value_parser = choice(FileKind::NAMED))]
    from: Option<FileKind>,
    /// How RDF is read
    #[arg(long, value_parser = choice(Profile::NAMED), default_value = "rdfs")]
    profile: Profile,
    /// Freebase's ontology: fb_roles, fb_types, reverse_properties, domain_info
    #[arg(long, value_name = "DIR")]
    ontology: Option<PathBuf>,
    /// The folder of the compiled KB; an earlier KB there is replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write into a folder that also holds other files, which are kept, and replace files of an earlier KB that were edited
    #[arg(long)]
    force: bool,
    /// Stop at the first record that cannot be read
    #[arg(long)]
    strict: bool,
    /// The language of names and descriptions; `any` keeps all of them
    #[arg(long, default_value = "en")]
    lang: String,
    /// A property whose values are names, before rdfs:label: an IRI, or foaf:name, schema:name, ... (rdf; repeatable, the best first)
    #[arg(long = "label-property", value_name = "IRI")]
    label_properties: Vec<String>,
    /// The name of the KB
    #[arg(long)]
    name: Option<String>,
    /// The licence of the data
    #[arg(long)]
    license: Option<String>,
    /// Import only these items and relations among them: a file with Wikidata or Freebase ids (wikidata-json)
    #[arg(long, value_name = "FILE")]
    seeds: Option<PathBuf>,
    /// Add up to N items that share a seed's name (wikidata-json)
    #[arg(long, value_name = "N", default_value_t = 0)]
    same_name: usize,
    /// Keep identifiers, links and media as attributes (wikidata-json)
    #[arg(long)]
    keep_identifiers: bool,
    /// Maximum number of megabytes that each sorting stage keeps in memory
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    memory: usize,
    /// Maximum size of a record in megabytes: a line, an object, the text between two statements
    #[arg(long, value_name = "MB", default_value_t = 16)]
    max_record: usize,
    /// Maximum number of pairs of a class with a super-class, or with a member [default: 50000000, or 64 for each class or member if that is more]
    #[arg(long, value_name = "N")]
    max_closure: Option<u64>,
    /// Maximum number of problems to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    problems: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ImportArgs) -> Result<()> {
    let request = request(args)?;
    let start = Instant::now();
    let report = {
        let bar = Bar::new();
        import::import(&request, &args.out, &bar)?
    };
    // Benchmarks find their KB by this record; without it they need --kb.
    if let Err(error) = touchstone_kb::registry::record(&touchstone_kb::cache_dir(), &args.out) {
        note!("the KB could not be recorded for benchmarks to find ({error}); give it with --kb");
    }
    let survey = Survey::of(&Kb::open(&args.out)?);
    if args.json {
        output::json(&report.summary(&args.out, &survey, args.problems))?;
    } else {
        output::text(readable(&report, args, start))?;
    }
    if survey.lacks_names() {
        output::note(survey.advice(matches!(request.source, Source::Rdf(_))));
    }
    Ok(())
}

/// The request that the arguments stand for.
fn request(args: &ImportArgs) -> Result<ImportRequest> {
    let options = ImportOptions {
        kind: args.from,
        profile: args.profile,
        ontology: args.ontology.clone(),
        label_properties: args.label_properties.clone(),
        subset: Subset {
            seeds: args.seeds.clone(),
            same_name: args.same_name,
            keep_identifiers: args.keep_identifiers,
        },
    };
    Ok(ImportRequest {
        lang: args.lang.clone(),
        strict: args.strict,
        name: args.name.clone().unwrap_or_default(),
        license: args.license.clone().unwrap_or_default(),
        max_record: args.max_record.max(1).saturating_mul(1 << 20).min(usize::MAX - 1),
        max_closure: args.max_closure,
        force: args.force,
        memory: args.memory.max(1).saturating_mul(1 << 20),
        ..options.request(args.inputs.clone())?
    })
}

fn readable(report: &ImportReport, args: &ImportArgs, start: Instant) -> String {
    let mut table = Table::new(&["records", "", "result"]);
    for (n, fate, what) in report.rows() {
        table.add_row([count(n), fate.to_owned(), what.to_owned()]);
    }
    let (details, counts) = (report.details(args.problems), &report.compiled.manifest.counts);
    let (seconds, fingerprint) = (start.elapsed().as_secs_f64(), &report.compiled.manifest.fingerprint);
    let look = format!("Look at it with: touchstone kb info --kb {}", args.out.display());
    format!("{table}\n{details}\n{counts} in {seconds:.1} s\nfingerprint {fingerprint}\n{look}\n")
}
