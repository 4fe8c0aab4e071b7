//! `touchstone build`.

use crate::output::{counted, questions};
use crate::progress::Bar;
use crate::{Outcome, output};
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use touchstone_benchmark::{Benchmark, BenchmarkManifest};
use touchstone_engine::Engine;
use touchstone_forge::confirm::Confirmed;
use touchstone_forge::{BuildConfig, Built, RecipeChanges, build, built_in_recipe, load_recipe};
use touchstone_grade::attack::{Attack, attack_limits, attacks, exceeded};
use touchstone_kb::Kb;
use touchstone_protocol::{Endpoint, EndpointSettings};

/// Arguments of `touchstone build`.
#[derive(Args)]
pub(crate) struct BuildArgs {
    /// A recipe: quick, grailqa++, kqapro, hard, or a TOML file
    #[arg(value_name = "RECIPE", required_unless_present = "print_recipe")]
    recipe: Option<String>,
    /// `world` (embedded), or the directory of a compiled KB
    #[arg(long, default_value = "world", value_name = "world|DIR")]
    kb: String,
    /// The folder of the benchmark; an earlier benchmark there is replaced
    #[arg(long, value_name = "DIR", required_unless_present = "print_recipe")]
    out: Option<PathBuf>,
    /// Write into a folder that also holds other files, which are kept, and replace files of an earlier benchmark that were edited
    #[arg(long)]
    force: bool,
    /// The name of the benchmark, which its ids begin with, instead of the recipe's
    #[arg(long, value_parser = BenchmarkManifest::checked_name)]
    name: Option<String>,
    /// The number of questions, instead of the recipe's
    #[arg(long, value_name = "N")]
    questions: Option<usize>,
    /// The seed, instead of the recipe's
    #[arg(long)]
    seed: Option<u64>,
    /// The share of questions whose SPARQL is also run by the general evaluator, or `all`
    #[arg(long, value_name = "SHARE|all")]
    verify: Option<String>,
    /// A SPARQL server that holds the KB, to confirm the same share of answers
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The graph of the server to query, if it holds several (Virtuoso does)
    #[arg(long, value_name = "IRI", requires = "server")]
    default_graph: Option<String>,
    /// Words for the KB, instead of those that come with it or are derived from its labels
    #[arg(long, value_name = "FILE.toml")]
    lexicon: Option<PathBuf>,
    /// Print a recipe, as a starting point for your own
    #[arg(long, value_name = "NAME", conflicts_with_all = ["recipe", "out"])]
    print_recipe: Option<String>,
    /// Report how far trivial attacks get, and exit with 1 if one exceeds its limit in the section `check` of the recipe
    #[arg(long)]
    check: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &BuildArgs) -> Result<Outcome> {
    if let Some(name) = &args.print_recipe {
        output::exact(built_in_recipe(name)?)?;
        return Ok(Outcome::Done);
    }
    let (Some(name), Some(out)) = (&args.recipe, &args.out) else { bail!("give a recipe and --out DIR") };
    let changes = RecipeChanges {
        name: args.name.clone(),
        questions: args.questions,
        seed: args.seed,
        verify: args.verify.clone(),
    };
    let recipe = changes.apply(load_recipe(name)?)?;
    let limits = attack_limits(&recipe.check)?;
    let kb = crate::open_kb::open_kb(&args.kb)?;
    let config = BuildConfig {
        lexicon: args.lexicon.clone(),
        server: args.server.as_deref().map(|url| server(args, url)).transpose()?,
        force: args.force,
        ..BuildConfig::new(&kb, recipe, out)
    };
    let bar = Bar::new();
    let built = build(&config, &bar)?;
    drop(bar);
    if let Some(path) = &args.lexicon {
        super::note_unknown(path, &built.unknown_words);
    }
    if let Some(Confirmed { same, open }) = built.confirmed {
        note!("the server confirmed {}; it could not answer {}", questions(same), output::count(open));
    }
    if args.json {
        output::json(&built.benchmark.manifest)?;
    } else {
        summary(&built, out)?;
    }
    let is_within_limits = !args.check || is_within(&built.benchmark, &kb, &limits, args.json)?;
    Outcome::found(is_within_limits && !built.benchmark.questions.is_empty())
}

/// Prints how far trivial attacks get, and whether all stay within their limits.
fn is_within(benchmark: &Benchmark, kb: &Kb, limits: &[(Attack, f64)], json: bool) -> Result<bool> {
    let figures = attacks(benchmark, Some(kb));
    if !json {
        super::attack_table(&figures)?;
    }
    let beyond = exceeded(&figures, limits);
    beyond.iter().for_each(output::note);
    Ok(beyond.is_empty())
}

fn server(args: &BuildArgs, url: &str) -> Result<Arc<dyn Engine>> {
    let settings = EndpointSettings { default_graph: args.default_graph.clone(), ..Default::default() };
    Ok(Arc::new(Endpoint::new(url, settings)?))
}

fn summary(built: &Built, out: &Path) -> Result<()> {
    let manifest = &built.benchmark.manifest;
    super::counts(&manifest.counts)?;
    built.notes().iter().try_for_each(output::text)?;
    say!(
        "{} written to {}; the general evaluator confirmed {} of SPARQL",
        questions(built.benchmark.questions.len()),
        out.display(),
        counted(manifest.verified, "form", "forms")
    )
}
