//! Records which runs were started here. A run's folder holds a command line; one that comes from another user may run anything.

use std::path::{Path, PathBuf};
use touchstone_benchmark::RunManifest;
use touchstone_kb::output::{OutputError, replace_file};

/// Whether this user started a run, or has trusted it before. `cache` is the user's cache folder.
pub fn was_started_here(about: &RunManifest, cache: &Path) -> bool {
    place(about, cache).is_file()
}

/// Records that this user started a run.
pub(crate) fn remember_started(about: &RunManifest, cache: &Path) -> Result<(), OutputError> {
    let place = place(about, cache);
    let folder = place.parent().unwrap_or(cache);
    std::fs::create_dir_all(folder).map_err(|source| OutputError::Io {
        action: "create",
        path: folder.to_owned(),
        source,
    })?;
    if place.is_file() { Ok(()) } else { replace_file(&place, b"", false) }
}

/// A run is identified by what it would do and when it was started: it stays known if its folder is moved, and a changed command line
/// makes it unknown.
fn place(about: &RunManifest, cache: &Path) -> PathBuf {
    let identity = serde_json::json!([about.header, about.arguments, about.directory, about.started]);
    let hash = blake3::hash(identity.to_string().as_bytes()).to_hex();
    cache.join("started-runs").join(&hash[..32])
}
