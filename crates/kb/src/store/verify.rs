//! Detects damage of a store: checksums of every file, verified once per file identity.
//!
//! `checksums` lists the BLAKE3 hash of every file in the format of `b3sum`, and ends with the hash of the
//! list itself. Hashing takes time in proportion to the store, and opening must not: so a successful check
//! writes a stamp (`verified`) with length, modification time and inode of each file, and as long as
//! those are unchanged the next opening trusts it. Writing into a file changes its modification
//! time, and the file is checked again.

use crate::error::{KbError, Result};
use rayon::prelude::*;
use std::fs;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

/// The file that describes the store.
pub(crate) const MANIFEST: &str = "manifest.json";
/// The list of checksums.
pub(crate) const CHECKSUMS: &str = "checksums";
/// The stamp of the last successful check.
pub(crate) const STAMP: &str = "verified";

/// Writes `checksums` and the stamp for files that were just written.
pub(crate) fn write_checksums(dir: &Path, hashes: &[(String, blake3::Hash)]) -> Result<()> {
    let mut list = String::new();
    for (name, hash) in hashes {
        list.push_str(&format!("{hash}  {name}\n"));
    }
    list.push_str(&format!("{}  -\n", blake3::hash(list.as_bytes())));
    let path = dir.join(CHECKSUMS);
    fs::write(&path, &list).map_err(KbError::io("write", &path))?;
    // File systems with coarse clocks could give a later write the same modification time as ours:
    // dating our files back by ten seconds makes every later write visible in the stamp.
    for (name, _) in hashes {
        let path = dir.join(name);
        let back = |file: fs::File| {
            let now = file.metadata()?.modified()?;
            file.set_modified(now - Duration::from_secs(10))
        };
        fs::File::options().write(true).open(&path).and_then(back).map_err(KbError::io("date", &path))?;
    }
    write_stamp(dir, hashes.iter().map(|(name, _)| name.as_str()), &list);
    Ok(())
}

/// Checks the store's files. `structure` is called if the bytes had to be hashed, to check in addition
/// that the columns are consistent.
pub(crate) fn verify(dir: &Path, structure: impl FnOnce() -> Result<()>) -> Result<()> {
    let (list, files) = read_checksums(dir)?;
    let names = files.iter().map(|(name, _)| name.as_str());
    if let Some(stamp) = stamp(dir, names.clone(), &list)
        && fs::read_to_string(dir.join(STAMP)).is_ok_and(|found| found == stamp)
    {
        return Ok(());
    }
    tracing::debug!(dir = %dir.display(), "checking all checksums");
    check_all(dir, &files)?;
    structure()?;
    write_stamp(dir, names, &list);
    Ok(())
}

/// The files of a store if all of them are as they were written, and no file otherwise.
pub(crate) fn valid_files(dir: &Path) -> Vec<String> {
    match read_checksums(dir).and_then(|(_, files)| check_all(dir, &files).map(|()| files)) {
        Ok(files) => {
            let ours = [CHECKSUMS, STAMP].map(str::to_owned);
            files.into_iter().map(|(name, _)| name).chain(ours).collect()
        }
        Err(_) => Vec::new(),
    }
}

/// Hashes files.
fn check_all(dir: &Path, files: &[(String, blake3::Hash)]) -> Result<()> {
    files.par_iter().try_for_each(|(name, expected)| {
        let path = dir.join(name);
        let file = fs::File::open(&path).map_err(|_| KbError::damaged(&path, "the file is missing"))?;
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file).map_err(KbError::io("read", &path))?;
        if hasher.finalize() == *expected {
            Ok(())
        } else {
            Err(KbError::damaged(&path, "its checksum is wrong (truncated, or bits flipped)"))
        }
    })
}

/// Reads and checks the list of checksums: its text, and (file, hash).
fn read_checksums(dir: &Path) -> Result<(String, Vec<(String, blake3::Hash)>)> {
    let path = dir.join(CHECKSUMS);
    let bytes = fs::read(&path)
        .map_err(|_| KbError::NotAStore { path: dir.to_path_buf(), missing: CHECKSUMS.to_owned() })?;
    let damaged = || KbError::damaged(&path, "the list of checksums is not as it was written");
    let text = String::from_utf8(bytes).map_err(|_| damaged())?;
    let mut files = Vec::new();
    let mut at = 0;
    let mut closed = false;
    for line in text.split_inclusive('\n') {
        let (hash, name) = line.strip_suffix('\n').and_then(|l| l.split_once("  ")).ok_or_else(damaged)?;
        let hash = blake3::Hash::from_hex(hash).map_err(|_| damaged())?;
        if closed {
            return Err(damaged());
        }
        if name == "-" {
            closed = blake3::hash(&text.as_bytes()[..at]) == hash;
        } else {
            files.push((name.to_owned(), hash));
        }
        at += line.len();
    }
    // Hex digits have two spellings; only the one that this program writes is accepted.
    if !closed || text.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err(damaged());
    }
    Ok((text, files))
}

/// The stamp for the current files; `None` if a file cannot be inspected.
fn stamp<'a>(dir: &Path, names: impl Iterator<Item = &'a str>, list: &str) -> Option<String> {
    let mut stamp = format!("{}\n", blake3::hash(list.as_bytes()));
    for name in names {
        let meta = fs::metadata(dir.join(name)).ok()?;
        let modified = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        stamp.push_str(&format!("{name} {} {modified} {}\n", meta.len(), inode(&meta)));
    }
    Some(stamp)
}

/// Writes the stamp. A store in a read-only place has none, and is checked at every opening.
fn write_stamp<'a>(dir: &Path, names: impl Iterator<Item = &'a str>, list: &str) {
    let Some(stamp) = stamp(dir, names, list) else { return };
    // Written in place: a truncated stamp is not trusted, so a killed process does no harm.
    if let Err(error) = fs::write(dir.join(STAMP), stamp) {
        tracing::debug!(%error, "cannot write the stamp of the check");
    }
}

#[cfg(unix)]
fn inode(meta: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(meta)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}
