//! `touchstone verbalise`.

use crate::{Outcome, output};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use touchstone_engine::Words;
use touchstone_engine::plan::Plan;
use touchstone_forge::english;
use touchstone_logic::sparql::Namespaces;
use touchstone_logic::{Form, Language, Program, Query};

/// Arguments of `touchstone verbalise`.
#[derive(Args)]
pub(crate) struct VerbaliseArgs {
    /// A logical form
    #[arg(value_name = "QUERY")]
    query: String,
    /// `world` (embedded), or the directory of a compiled KB
    #[arg(long, default_value = "world", value_name = "world|DIR")]
    kb: String,
    /// Chooses among phrasings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Ask for one thing, not for several
    #[arg(long)]
    one: bool,
    /// Words for the KB, instead of those that come with it or are derived from its labels
    #[arg(long, value_name = "FILE.toml")]
    lexicon: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &VerbaliseArgs) -> Result<Outcome> {
    let kb = crate::kb::open(&args.kb)?;
    let lexicon = super::lexicon(args.lexicon.as_deref(), &kb)?;
    let text = &args.query;
    let query: Query = match Language::guess(text) {
        Language::Sexpr => Form::parse(text, &Words::new(&kb))?.to_query()?,
        Language::Kopl => Program::parse(text)?.to_query(&Words::new(&kb))?,
        Language::Sparql => {
            let parsed = touchstone_logic::sparql::parse(text)?;
            let names = Namespaces::of(&kb);
            touchstone_logic::sparql::recognise(&parsed.query, &names)
                .context("this SPARQL is outside of what can be said")?
                .query
        }
    };
    if let Some(unknown) =
        Plan::of(&query, &Words::new(&kb)).ok().and_then(|plan| plan.unknown.into_iter().next())
    {
        bail!("this cannot be said in English: {unknown}");
    }
    match english::verbalise(&query, &kb, &lexicon, !args.one, args.seed) {
        Ok(spoken) if args.json => {
            output::json(&json!({ "question": spoken.text, "entities": spoken.mentions }))?
        }
        Ok(spoken) => output::text(&spoken.text)?,
        Err(why) => bail!("this cannot be said in English: {why}"),
    }
    Ok(Outcome::Done)
}
