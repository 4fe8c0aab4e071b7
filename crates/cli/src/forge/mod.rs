//! The commands about benchmarks: `build`, `lint`, `stats`, `show`, `verbalise`, `lexicon`, `mix`, `import-dataset`, `export-dataset`.

pub(crate) mod build;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod lexicon;
pub(crate) mod lint;
pub(crate) mod mix;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod verbalise;

use anyhow::{Context, Result};
use std::path::Path;
use touchstone_benchmark::english::Lexicon;
use touchstone_kb::Kb;

/// The lexicon of a file, or the one that comes with the KB.
fn lexicon(path: Option<&Path>, kb: &Kb) -> Result<Lexicon> {
    let Some(path) = path else { return Ok(Lexicon::of(kb)) };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lexicon = Lexicon::parse(&text, kb).with_context(|| path.display().to_string())?;
    for unknown in lexicon.unknown(kb).iter().take(5) {
        crate::output::note(&format!("{}: the KB has no {unknown}", path.display()));
    }
    Ok(lexicon)
}
