//! The output directory: written aside under a lock, then renamed into place.

use crate::error::{KbError, Result};
use crate::store::is_store;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// A directory that becomes `target` when committed and vanishes otherwise.
pub(crate) struct PendingDir {
    partial: PathBuf,
    target: PathBuf,
    /// Held while the import runs, so that a later one can tell a dead partial directory from a live one.
    lock: Option<File>,
}

const LOCK: &str = ".lock";

impl PendingDir {
    /// Prepares to write `target`, and removes what killed imports to the same place left behind.
    pub(crate) fn create(target: &Path) -> Result<PendingDir> {
        let in_the_way = target.exists()
            && !is_store(target)
            && fs::read_dir(target).map_or(true, |mut entries| entries.next().is_some());
        if in_the_way {
            return Err(KbError::OutputInTheWay { path: target.to_path_buf() });
        }
        let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        fs::create_dir_all(&parent).map_err(KbError::io("create", &parent))?;
        let prefix = format!(".{name}.partial-");
        remove_dead(&parent, &prefix);
        let unique = tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(&parent)
            .map_err(KbError::io("create a directory in", &parent))?;
        let partial = unique.keep();
        let lock_path = partial.join(LOCK);
        let lock = File::create(&lock_path).map_err(KbError::io("create", &lock_path))?;
        lock.lock().map_err(KbError::io("lock", &lock_path))?;
        Ok(PendingDir { partial, target: target.to_path_buf(), lock: Some(lock) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.partial
    }

    /// Moves the finished directory into place. An older store there is replaced.
    pub(crate) fn commit(mut self) -> Result<()> {
        let lock = self.lock.take();
        let _ = fs::remove_file(self.partial.join(LOCK));
        set_readable_by_all(&self.partial);
        let target = self.target.clone();
        let moved = if is_store(&target) {
            let old = self.partial.with_extension("old");
            fs::rename(&target, &old).and_then(|()| {
                fs::rename(&self.partial, &target).inspect_err(|_| drop(fs::rename(&old, &target)))?;
                fs::remove_dir_all(&old)
            })
        } else {
            // rename replaces an empty directory
            fs::rename(&self.partial, &target)
        };
        drop(lock);
        moved.map_err(KbError::io("move the finished KB to", &target))
    }
}

impl Drop for PendingDir {
    fn drop(&mut self) {
        if self.partial.exists() {
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

/// Temporary directories are private; a KB is as readable as any other directory.
fn set_readable_by_all(dir: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(dir, fs::Permissions::from_mode(0o755));
    }
    #[cfg(not(unix))]
    let _ = dir;
}

/// Removes partial directories whose import is no longer running.
fn remove_dead(parent: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(prefix) {
            continue;
        }
        let alive = File::open(entry.path().join(LOCK))
            .is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
        if !alive {
            tracing::info!(dir = %entry.path().display(), "removing what an interrupted import left");
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
