//! Opening the KB that an argument names: a compiled KB, or the World KB if this program was built with it (cargo feature
//! `world`, on by default).

use anyhow::{Result, bail};
use clap::Args;
use std::path::Path;
use touchstone_benchmark::EmbeddedKb;
use touchstone_kb::Kb;

/// The KB of a command.
#[derive(Args)]
pub(crate) struct KbArg {
    /// The KB: `world` (embedded), or the directory of a compiled KB
    #[arg(long, default_value = "world", value_name = "world|DIR")]
    kb: String,
}

impl KbArg {
    pub(crate) fn open(&self) -> Result<Kb> {
        open_kb(&self.kb)
    }

    /// `world`, or the directory.
    pub(crate) fn name(&self) -> &str {
        &self.kb
    }
}

/// Opens the embedded KB, or the one in a directory.
pub(crate) fn open_kb(kb: &str) -> Result<Kb> {
    if kb == "world" {
        return open_world();
    }
    let folder = Path::new(kb);
    if !folder.exists() {
        bail!(
            "there is no KB `{kb}`; give the directory of a compiled KB (see `touchstone kb import --help`), or `world`"
        );
    }
    Ok(Kb::open(folder)?)
}

/// The KB that this program carries.
pub(crate) fn embedded_kb() -> EmbeddedKb {
    EmbeddedKb { name: "world", fingerprint: WORLD_FINGERPRINT, open: || Ok(open_world()?) }
}

/// Opens the World KB; prepares it first if that has not been done yet.
#[cfg(feature = "world")]
fn open_world() -> Result<Kb> {
    use touchstone_kb::KbError;
    touchstone_world::open(&crate::progress::Bar::new()).map_err(|error| match error {
        KbError::Io { .. } => anyhow::Error::new(error)
            .context("the World KB cannot be prepared; set TOUCHSTONE_CACHE to a folder that can be written"),
        other => other.into(),
    })
}

/// Reports that there is no World KB.
#[cfg(not(feature = "world"))]
fn open_world() -> Result<Kb> {
    bail!(
        "this program was built without the World KB; name the directory of a compiled KB with --kb DIR, or build the program with the cargo feature `world`"
    )
}

/// The fingerprint of the World KB in this program.
const WORLD_FINGERPRINT: Option<&str> = {
    #[cfg(feature = "world")]
    {
        Some(touchstone_world::FINGERPRINT)
    }
    #[cfg(not(feature = "world"))]
    {
        None
    }
};
