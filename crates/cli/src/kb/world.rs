//! The World KB, if this program was built with it (cargo feature `world`, on by default).

use anyhow::Result;
use touchstone_kb::Kb;

/// Opens the World KB; prepares it first if that has not been done yet.
#[cfg(feature = "world")]
pub(super) fn open() -> Result<Kb> {
    use touchstone_kb::KbError;
    touchstone_world::open(&crate::progress::Bar::new()).map_err(|error| match error {
        KbError::Io { .. } => anyhow::Error::new(error)
            .context("the World KB cannot be prepared; set TOUCHSTONE_CACHE to a folder that can be written"),
        other => other.into(),
    })
}

/// Reports that there is no World KB.
#[cfg(not(feature = "world"))]
pub(super) fn open() -> Result<Kb> {
    anyhow::bail!(
        "this program was built without the World KB; name the directory of a compiled KB with --kb DIR, or build the program with the cargo feature `world`"
    )
}

/// The fingerprint of the World KB in this program.
pub(super) const FINGERPRINT: Option<&str> = {
    #[cfg(feature = "world")]
    {
        Some(touchstone_world::FINGERPRINT)
    }
    #[cfg(not(feature = "world"))]
    {
        None
    }
};
