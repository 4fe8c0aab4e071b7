//! `touchstone kb import`.

use crate::choice::choice;
use crate::output::{self, count, counted};
use crate::progress::Bar;
use anyhow::{Result, bail};
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;
use touchstone_kb::Kb;
use touchstone_kb::import::{self, FileKind, ImportReport, ImportRequest, Profile, Source, Subset};
use touchstone_kb::survey::Survey;
use touchstone_terminal::Table;

#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The files; gzip, zstd and bzip2 are recognised
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// What the files are [default: guessed from their names and beginnings]
    #[arg(long, value_parser = choice(KINDS))]
    from: Option<FileKind>,
    /// How RDF is read
    #[arg(long, value_parser = choice(PROFILES), default_value = "rdfs")]
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

const KINDS: [(&str, &str, FileKind); 4] = [
    ("kqapro", "KQA Pro's kb.json, of 2020 or 2022", FileKind::KqaPro),
    ("rdf", "RDF: .nt .nq .ttl .trig .n3 .rdf .owl .xml .jsonld", FileKind::Rdf),
    ("wikidata-json", "Wikidata's JSON dump", FileKind::WikidataJson),
    ("lines", "KB lines, Touchstone's own format", FileKind::Lines),
];

const PROFILES: [(&str, &str, Profile); 4] = [
    ("rdfs", "RDF Schema, SKOS, RDF 1.2 annotations", Profile::Rdfs),
    ("freebase", "", Profile::Freebase),
    ("dbpedia", "", Profile::Dbpedia),
    ("wikidata", "Statements with qualifiers (p:, ps:, pq:)", Profile::Wikidata),
];

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
        output::note(lacking_names(&survey, matches!(request.source, Source::Rdf(_))));
    }
    Ok(())
}

/// The request that the arguments stand for.
fn request(args: &ImportArgs) -> Result<ImportRequest> {
    let from = args.from.map_or_else(|| FileKind::of(&args.inputs), Ok)?;
    let is_rdf = from == FileKind::Rdf;
    if args.ontology.is_some() && (!is_rdf || args.profile != Profile::Freebase) {
        bail!("--ontology is for `--from rdf --profile freebase`");
    }
    if !is_rdf && args.profile != Profile::Rdfs {
        bail!("--profile is for `--from rdf`");
    }
    if !is_rdf && !args.label_properties.is_empty() {
        bail!("--label-property is for `--from rdf`; other formats mark their names");
    }
    if from != FileKind::WikidataJson && (args.seeds.is_some() || args.same_name > 0 || args.keep_identifiers)
    {
        bail!("--seeds, --same-name and --keep-identifiers are for `--from wikidata-json`");
    }
    let source = match from {
        FileKind::KqaPro => Source::KqaPro,
        FileKind::Rdf => Source::Rdf(args.profile),
        FileKind::WikidataJson => Source::WikidataJson(Subset {
            seeds: args.seeds.clone(),
            same_name: args.same_name,
            keep_identifiers: args.keep_identifiers,
        }),
        FileKind::Lines => Source::Lines,
    };
    let mut request = ImportRequest::new(source, args.inputs.clone());
    request.ontology.clone_from(&args.ontology);
    request.lang.clone_from(&args.lang);
    request.label_properties.clone_from(&args.label_properties);
    request.strict = args.strict;
    request.name = args.name.clone().unwrap_or_default();
    request.license = args.license.clone().unwrap_or_default();
    request.max_record = args.max_record.max(1).saturating_mul(1 << 20).min(usize::MAX - 1);
    request.max_closure = args.max_closure;
    request.force = args.force;
    request.memory = args.memory.max(1).saturating_mul(1 << 20);
    Ok(request)
}

/// A warning about entities without a name, with what to do about it.
fn lacking_names(survey: &Survey, is_rdf: bool) -> String {
    let unnamed = survey.unnamed();
    let mut text = format!(
        "{} of {} {} no name. Such entities are shown by the last part of their id,\nand few questions can be built about them.",
        count(unnamed),
        counted(survey.entities - survey.blank, "entity", "entities"),
        if unnamed == 1 { "has" } else { "have" },
    );
    if !survey.name_like.is_empty() {
        text.push_str("\nThese properties look like names:");
        for property in &survey.name_like {
            let entities = counted(property.entities, "entity", "entities");
            let example = output::shortened(&property.example);
            let _ = write!(text, "\n  {} ({entities}, such as {example})", property.id);
        }
        if is_rdf {
            text.push_str("\nImport again with those that are:");
            for property in &survey.name_like {
                let _ = write!(text, "\n  --label-property '{}'", property.id);
            }
        }
    } else if is_rdf {
        text.push_str("\nIf a property holds their names, import again with --label-property IRI;\nfor names in a language other than English, with --lang.");
    }
    text
}

/// Cycles of the class hierarchy that are shown.
const CYCLES_SHOWN: usize = 5;

fn readable(report: &ImportReport, args: &ImportArgs, start: Instant) -> String {
    let exact = report.compiled.is_exact_rdf;
    let mut table = Table::new(&["records", "", "result"]);
    let mut section = |rows: &[(&str, u64)], prefix: &str| {
        for (what, n) in rows {
            table.add_row([count(*n), prefix.to_owned(), (*what).to_owned()]);
        }
    };
    section(&report.kept.0, "kept");
    section(&report.graph_only.0, "graph only");
    section(&report.skipped.0, "skipped");
    if report.n_problems > 0 {
        section(&[("could not be understood, see below", report.n_problems)], "skipped");
    }
    section(&[("read in all", report.n_records())], "total");
    section(&report.compiled.left_out, if exact { "not in model" } else { "of these" });
    if report.compiled.duplicate_facts > 0 {
        section(&[("duplicate facts", report.compiled.duplicate_facts)], "merged");
    }
    section(&report.notes.0, "note");
    let mut text = format!("{table}\n");
    for cycle in report.compiled.cycles.iter().take(CYCLES_SHOWN) {
        let _ = writeln!(text, "cycle in the class hierarchy, cut: {} -> {}", cycle.join(" -> "), cycle[0]);
    }
    if report.compiled.cycles.len() > CYCLES_SHOWN {
        let more = report.compiled.cycles.len() - CYCLES_SHOWN;
        let _ = writeln!(text, "... and {}", counted(more, "more cycle", "more cycles"));
    }
    for problem in report.problems.iter().take(args.problems) {
        let _ = writeln!(text, "{problem}");
    }
    let more_problems = report.n_problems.saturating_sub(args.problems as u64);
    if more_problems > 0 {
        let problems = counted(more_problems, "more problem", "more problems");
        let _ = writeln!(text, "... and {problems} (--problems N)");
    }
    let manifest = &report.compiled.manifest;
    let counts = &manifest.counts;
    let facts = counts.relational_facts + counts.literal_facts;
    let parts = [
        counted(counts.entities, "entity", "entities"),
        counted(counts.classes, "class", "classes"),
        counted(counts.relations, "relation", "relations"),
        counted(counts.attributes, "attribute", "attributes"),
        counted(facts, "fact", "facts"),
    ];
    text.push_str(&format!(
        "\n{} ({} with qualifiers) in {:.1} s\nfingerprint {}\nLook at it with: touchstone kb info --kb {}\n",
        parts.join(", "),
        count(counts.qualified_facts),
        start.elapsed().as_secs_f64(),
        manifest.fingerprint,
        args.out.display(),
    ));
    text
}
