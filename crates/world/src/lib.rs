#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )
)]

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::time::Duration;
use touchstone_kb::{
    Kb, KbBuilder, KbError, Progress, Result, STORE_FORMAT, Workspace, cache_dir, import, is_store,
};

/// The KB in lines, compressed; made by `tools/world-kb`.
static WORLD: &[u8] = include_bytes!("../world.jsonl.zst");

/// What Prospector learned from questions generated from this KB, made by `touchstone train prospector --kb world`.
pub static SCORER: &[u8] = include_bytes!("../prospector.scorer");

/// The fingerprint of the compiled World KB. It changes with the data and with the importer, so
/// the cache of another version of this program is never used (a test compares it with a new compilation).
pub const FINGERPRINT: &str = "ecbefc03d6322cce5208750d3f45318b";

/// The first digits of the hash of the file. The fingerprint does not cover everything in it, such as how complete the KB is.
const FILE_HASH: &str = "473e728347b8";

/// Opens the World KB, compiling it first if that has not been done yet.
pub fn open(progress: &dyn Progress) -> Result<Kb> {
    open_in(&cache_dir(), progress)
}

/// Opens the World KB in a given cache folder.
fn open_in(cache: &Path, progress: &dyn Progress) -> Result<Kb> {
    // The content and the layout are part of the name: no version of the program opens the store of another one.
    let dir = cache.join(format!("world-{FILE_HASH}-{}-{STORE_FORMAT}", &FINGERPRINT[..12]));
    if is_store(&dir) {
        match Kb::open(&dir) {
            Ok(kb) => return Ok(kb),
            Err(error) => tracing::warn!(%error, "the cached World KB cannot be opened; compiling it again"),
        }
    }
    fs::create_dir_all(cache).map_err(KbError::io("create", cache))?;
    let lock_path = cache.join("world.lock");
    let lock = File::create(&lock_path).map_err(KbError::io("create", &lock_path))?;
    wait_for(&lock, &lock_path, progress)?;
    // Another process may have finished it while this one waited.
    if is_store(&dir)
        && let Ok(kb) = Kb::open(&dir)
    {
        return Ok(kb);
    }
    if dir.exists() {
        // It is incomplete or damaged.
        fs::remove_dir_all(&dir).map_err(KbError::io("remove", &dir))?;
    }
    compile(&dir, progress)?;
    Kb::open(&dir)
}

/// Waits for another process that compiles the World KB, and can be interrupted while it waits.
fn wait_for(lock: &File, path: &Path, progress: &dyn Progress) -> Result<()> {
    progress.stage("waiting for another process that prepares the World KB", None);
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if progress.cancelled() => return Err(KbError::Interrupted),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::Error(error)) => return Err(KbError::io("lock", path)(error)),
        }
    }
}

fn compile(dir: &Path, progress: &dyn Progress) -> Result<()> {
    progress.stage("preparing the World KB (once)", None);
    let parent = dir.parent().unwrap_or(Path::new("."));
    let mut builder = KbBuilder::new(Workspace { dir: parent.to_path_buf(), memory: 1 << 30 });
    import::read_packed_lines(WORLD, "the embedded KB", &mut builder)?;
    builder.compile(dir, progress).map(drop)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use touchstone_kb::NoProgress;

    #[test]
    fn the_cache_is_named_after_what_it_holds() {
        let hash = &blake3::hash(WORLD).to_hex()[..12];
        assert_eq!(
            hash, FILE_HASH,
            "the World KB has changed: write the new hash into crates/world/src/lib.rs"
        );
        let cache = tempfile::tempdir().unwrap();
        let kb = open_in(cache.path(), &NoProgress).unwrap();
        let found = &kb.manifest().fingerprint;
        assert_eq!(
            found, FINGERPRINT,
            "the World KB has changed: write the new fingerprint into crates/world/src/lib.rs"
        );
    }
}
