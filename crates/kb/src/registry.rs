//! The folders of compiled KBs, by the fingerprint of their content.
//!
//! Imports are recorded in a small file of the cache folder. The file is only a hint: a folder counts only if the manifest
//! in it has the requested fingerprint, so entries whose folder was removed or changed are ignored, and dropped when the file is next
//! written.

use crate::error::{KbError, Result};
use crate::output::replace_file;
use crate::store::{KbManifest, is_store};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The file in the cache folder.
const FILE: &str = "kbs.json";

/// Maximum number of entries of a folder to check in search of a KB.
const MAX_ENTRIES: usize = 10_000;

/// A KB that was imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegistryEntry {
    /// The fingerprint of its content.
    pub fingerprint: String,
    /// Its folder, absolute.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// When it was recorded, in seconds since 1970.
    pub time: u64,
}

impl RegistryEntry {
    /// Whether the folder still holds this content.
    fn is_current(&self) -> bool {
        has_fingerprint(&self.path, &self.fingerprint)
    }
}

/// Records the KB in a folder. The cache folder is created if it does not exist.
pub fn record(cache: &Path, dir: &Path) -> Result<()> {
    let manifest = KbManifest::read(dir)?;
    let path = fs::canonicalize(dir).map_err(KbError::io("read", dir))?;
    fs::create_dir_all(cache).map_err(KbError::io("create", cache))?;
    let lock_path = cache.join("kbs.lock");
    let lock = File::create(&lock_path).map_err(KbError::io("create", &lock_path))?;
    // Held only for the time of a small write.
    lock.lock().map_err(KbError::io("lock", &lock_path))?;
    let mut entries = entries(cache);
    entries.retain(|entry| entry.path != path && entry.is_current());
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    entries.push(RegistryEntry { fingerprint: manifest.fingerprint, path, name: manifest.name, time });
    let file = cache.join(FILE);
    let mut text = serde_json::to_vec_pretty(&entries).unwrap_or_default();
    text.push(b'\n');
    replace_file(&file, &text, false)?;
    Ok(())
}

/// All entries, whether their folders still exist or not. A file that cannot be read counts as empty.
pub fn entries(cache: &Path) -> Vec<RegistryEntry> {
    let path = cache.join(FILE);
    match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!(path = %path.display(), %error, "the list of imported KBs cannot be read; starting a new one");
            Vec::new()
        }),
        Err(_) => Vec::new(),
    }
}

/// Finds the folder of the KB with a fingerprint: one that was imported, or one that is, or is directly in, one of the given folders.
pub fn find(cache: &Path, fingerprint: &str, near: &[&Path]) -> Option<PathBuf> {
    if fingerprint.is_empty() {
        return None;
    }
    let mut recorded = entries(cache);
    // The latest first.
    recorded.reverse();
    if let Some(entry) =
        recorded.into_iter().find(|entry| entry.fingerprint == fingerprint && entry.is_current())
    {
        return Some(entry.path);
    }
    near.iter().find_map(|folder| in_folder(folder, fingerprint))
}

/// The folder itself, or one directly in it.
fn in_folder(folder: &Path, fingerprint: &str) -> Option<PathBuf> {
    if has_fingerprint(folder, fingerprint) {
        return Some(folder.to_path_buf());
    }
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .ok()?
        .take(MAX_ENTRIES)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| has_fingerprint(path, fingerprint))
        .collect();
    // Copies have the same content; the choice does not depend on the order of the folder.
    found.sort();
    found.into_iter().next()
}

fn has_fingerprint(dir: &Path, fingerprint: &str) -> bool {
    is_store(dir) && KbManifest::read(dir).is_ok_and(|manifest| manifest.fingerprint == fingerprint)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::progress::NoProgress;
    use crate::{import, import::ImportRequest, import::Source};

    /// A KB of one triple, whose content depends on the word.
    fn kb(folder: &Path, word: &str) -> String {
        let lines = folder.with_extension("nt");
        let triple = format!("<http://e/{word}> <http://e/knows> <http://e/b> .\n");
        fs::write(&lines, triple).unwrap();
        let request = ImportRequest::new(Source::Rdf(import::Profile::Rdfs), vec![lines]);
        import::import(&request, folder, &NoProgress).unwrap().compiled.manifest.fingerprint
    }

    #[test]
    fn found_by_what_is_in_it_only() {
        let dir = tempfile::tempdir().unwrap();
        let (cache, near) = (dir.path().join("cache"), dir.path().join("near"));
        fs::create_dir(&near).unwrap();
        assert_eq!(find(&cache, "", &[&near]), None, "an unknown KB is not just any KB");
        let (a, b) = (dir.path().join("a"), near.join("b"));
        let (first, second) = (kb(&a, "x"), kb(&b, "y"));
        assert_ne!(first, second);
        // One is found by the record, the other one next to the given folder.
        record(&cache, &a).unwrap();
        let at = |path: &Path| Some(fs::canonicalize(path).unwrap());
        assert_eq!(find(&cache, &first, &[]), at(&a));
        assert_eq!(find(&cache, &second, &[]), None);
        assert_eq!(find(&cache, &second, &[&near]), Some(b.clone()));
        assert_eq!(find(&cache, &second, &[&b]), Some(b.clone()));
        // Another content in the same folder is not the KB that was recorded.
        let changed = kb(&a, "z");
        assert_eq!(find(&cache, &first, &[]), None);
        assert_eq!(find(&cache, &changed, &[]), None);
        record(&cache, &b).unwrap();
        let known: Vec<String> = entries(&cache).into_iter().map(|entry| entry.fingerprint).collect();
        assert_eq!(known, std::slice::from_ref(&second), "the outdated entry is dropped");
        record(&cache, &b).unwrap();
        assert_eq!(entries(&cache).len(), 1, "one folder, one entry");
        fs::remove_dir_all(&b).unwrap();
        assert_eq!(find(&cache, &second, &[&near]), None);
        // A damaged record only loses hints.
        fs::write(cache.join(FILE), "{").unwrap();
        assert_eq!(find(&cache, &changed, &[]), None);
        record(&cache, &a).unwrap();
        assert_eq!(find(&cache, &changed, &[]), at(&a));
    }
}
