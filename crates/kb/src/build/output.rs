//! The output directory: written aside under a lock, then renamed into place.

use crate::error::{KbError, Result};
use crate::store::is_store;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// A directory that becomes `target` when committed and vanishes otherwise.
pub(crate) struct PendingDir {
    target: PathBuf,
    partial: PathBuf,
    old: PathBuf,
    /// Held until everything is in place: only one import at a time writes to a target.
    _lock: Lock,
}

impl PendingDir {
    /// Prepares to write `target`, and clears up what a killed import to the same place left behind.
    pub(crate) fn create(target: &Path) -> Result<PendingDir> {
        let in_the_way = || KbError::OutputInTheWay { path: target.to_path_buf() };
        let name = target.file_name().ok_or_else(in_the_way)?.to_string_lossy().into_owned();
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        fs::create_dir_all(&parent).map_err(KbError::io("create", &parent))?;
        let beside = |ending: &str| parent.join(format!(".{name}.{ending}"));
        let lock = Lock::take(&beside("lock"), target)?;
        let (partial, old) = (beside("partial"), beside("old"));
        remove_dir(&partial)?;
        if is_store(&old) && !target.exists() {
            // Killed between the two renames of a replacement.
            fs::rename(&old, target).map_err(KbError::io("restore", target))?;
        }
        remove_dir(&old)?;
        let is_empty_dir = || fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none());
        if target.exists() && !is_store(target) && !is_empty_dir() {
            return Err(in_the_way());
        }
        fs::create_dir(&partial).map_err(KbError::io("create", &partial))?;
        Ok(PendingDir { target: target.to_path_buf(), partial, old, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.partial
    }

    /// Moves the finished directory into place. An older store there is replaced.
    pub(crate) fn commit(self) -> Result<()> {
        let failed = || KbError::io("move the finished KB to", &self.target);
        if is_store(&self.target) {
            fs::rename(&self.target, &self.old).map_err(failed())?;
            if let Err(error) = fs::rename(&self.partial, &self.target) {
                let _ = fs::rename(&self.old, &self.target);
                return Err(failed()(error));
            }
            // The new KB is in place; what is left of the old one is cleared up by the next import.
            let _ = fs::remove_dir_all(&self.old);
            return Ok(());
        }
        // rename replaces an empty directory
        fs::rename(&self.partial, &self.target).map_err(failed())
    }
}

impl Drop for PendingDir {
    fn drop(&mut self) {
        let _ = remove_dir(&self.partial);
    }
}

fn remove_dir(dir: &Path) -> Result<()> {
    if dir.exists() {
        tracing::debug!(dir = %dir.display(), "removing");
        fs::remove_dir_all(dir).map_err(KbError::io("remove", dir))?;
    }
    Ok(())
}

/// A locked file that exists as long as it is held.
struct Lock {
    path: PathBuf,
    _file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While still holding it: whoever opened it in the meantime finds that it is gone and starts over.
        let _ = fs::remove_file(&self.path);
    }
}

impl Lock {
    fn take(path: &Path, target: &Path) -> Result<Lock> {
        loop {
            let file = File::create(path).map_err(KbError::io("create", path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(KbError::Busy { path: target.to_path_buf() }),
                Err(TryLockError::Error(error)) => return Err(KbError::io("lock", path)(error)),
            }
            // Its holder may have removed it between our opening and locking it.
            if is_same_file(&file, path) {
                return Ok(Lock { path: path.to_path_buf(), _file: file });
            }
        }
    }
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same_file(_: &File, path: &Path) -> bool {
    path.exists()
}
