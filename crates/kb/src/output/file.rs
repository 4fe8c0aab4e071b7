//! A single output file: written under a temporary name, renamed when complete.

use super::error::OutputError;
use super::failpoint::failpoint;
use super::folder::{create_missing, remove_empty};
use super::staging::sync_folder;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that appears complete or not at all, and replaces only files that this program wrote.
///
/// The user's cache folder has a record of each written file: path, length and hash. A file that differs from its record belongs to the user.
pub struct OutputFile {
    path: PathBuf,
    /// Absent for pipes and devices, which are written to directly.
    partial: Option<PathBuf>,
    file: File,
    hasher: blake3::Hasher,
    bytes: u64,
    /// The file with its record.
    remembered: Option<PathBuf>,
    /// Whether it must survive a crash of the machine.
    is_durable: bool,
    /// Folders that were created for it, the innermost last.
    created: Vec<PathBuf>,
}

impl OutputFile {
    /// Checks that a file can be written without losing anything, and creates it under a temporary name. With `force`, any file is replaced.
    ///
    /// `cache` is the folder with the records of written files; if `None`, every existing file belongs to the user.
    pub fn reserve(path: &Path, cache: Option<&Path>, force: bool) -> Result<OutputFile, OutputError> {
        let (path, created) = resolve(path)?;
        if let Some(direct) = OutputFile::direct(&path)? {
            return Ok(direct);
        }
        let remembered = cache.map(|cache| Remembered::place(cache, &path));
        let is_there = fs::metadata(&path).is_ok_and(|about| about.len() > 0);
        let is_ours = || {
            remembered
                .as_deref()
                .and_then(Remembered::read)
                .is_some_and(|versions| versions.is_unchanged(&path))
        };
        if is_there && !force && !is_ours() {
            return Err(OutputError::FileExists { path });
        }
        let mut file = OutputFile::aside(path, remembered, false)?;
        file.created = created;
        Ok(file)
    }

    /// A pipe or a device.
    fn direct(path: &Path) -> Result<Option<OutputFile>, OutputError> {
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => Err(OutputError::NotAFile { path: path.to_path_buf() }),
            Ok(about) if !about.is_file() => {
                let file = File::options().write(true).open(path).map_err(OutputError::io("write", path))?;
                let (path, hasher) = (path.to_path_buf(), blake3::Hasher::new());
                Ok(Some(OutputFile {
                    path,
                    partial: None,
                    file,
                    hasher,
                    bytes: 0,
                    remembered: None,
                    is_durable: false,
                    created: Vec::new(),
                }))
            }
            _ => Ok(None),
        }
    }

    fn aside(path: PathBuf, remembered: Option<PathBuf>, waits: bool) -> Result<OutputFile, OutputError> {
        let partial = partial(&path);
        if fs::symlink_metadata(&partial).is_ok_and(|about| !about.is_file()) {
            return Err(OutputError::NotOurs { path: partial });
        }
        loop {
            let file = File::options().create(true).truncate(false).write(true).open(&partial);
            let file = file.map_err(OutputError::io("create", &partial))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if waits => {
                    file.lock().map_err(OutputError::io("lock", &partial))?;
                }
                Err(TryLockError::WouldBlock) => return Err(OutputError::Busy { path }),
                Err(TryLockError::Error(error)) => return Err(OutputError::io("lock", &partial)(error)),
            }
            // The process that held the lock has renamed or removed the file.
            if is_same_file(&file, &partial) {
                file.set_len(0).map_err(OutputError::io("write", &partial))?;
                failpoint("file-created");
                let hasher = blake3::Hasher::new();
                return Ok(OutputFile {
                    path,
                    partial: Some(partial),
                    file,
                    hasher,
                    bytes: 0,
                    remembered,
                    is_durable: true,
                    created: Vec::new(),
                });
            }
        }
    }

    /// Gives the file its name.
    pub fn commit(mut self) -> Result<(), OutputError> {
        let Some(partial) = &self.partial else { return Ok(()) };
        if self.is_durable {
            self.file.sync_all().map_err(OutputError::io("write", &self.path))?;
        }
        failpoint("file-written");
        // Recorded before the rename, next to the old version: a process that is killed in between leaves no unknown file.
        if let Some(place) = &self.remembered {
            let blake3 = self.hasher.finalize().to_hex().to_string();
            Remembered { path: self.path.clone(), bytes: self.bytes, blake3 }.write(place, &self.path);
        }
        failpoint("file-remembered");
        fs::rename(partial, &self.path).map_err(OutputError::io("write", &self.path))?;
        self.partial = None;
        if self.is_durable {
            sync_folder(parent(&self.path));
        }
        Ok(())
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            let _ = fs::remove_file(partial);
            remove_empty(&self.created);
        }
    }
}

/// Replaces a file of this program atomically. Its folder must exist. A file that can be rebuilt need not be durable.
pub fn replace_file(path: &Path, bytes: &[u8], is_durable: bool) -> Result<(), OutputError> {
    let mut file = OutputFile::aside(path.to_path_buf(), None, true)?;
    file.is_durable = is_durable;
    file.write_all(bytes).map_err(OutputError::io("write", path))?;
    file.commit()
}

/// A file as it was written.
#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
    path: PathBuf,
    bytes: u64,
    blake3: String,
}

impl Remembered {
    fn place(cache: &Path, path: &Path) -> PathBuf {
        let name = blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex();
        cache.join("written").join(format!("{}.json", &name[..32]))
    }

    /// The recorded versions: usually one, two if a replacement was interrupted.
    fn read(place: &Path) -> Option<Versions> {
        serde_json::from_slice(&fs::read(place).ok()?).ok()
    }

    /// Records the new version next to the current one. Without a cache folder, the file then counts as the user's.
    fn write(self, place: &Path, path: &Path) {
        let there = Remembered::read(place).into_iter().flat_map(|Versions(versions)| versions);
        let mut versions: Vec<Remembered> = there.filter(|version| version.is_unchanged(path)).collect();
        versions.push(self);
        let write = || -> Result<(), OutputError> {
            let folder = parent(place);
            fs::create_dir_all(folder).map_err(OutputError::io("create", folder))?;
            replace_file(place, &serde_json::to_vec(&versions).unwrap_or_default(), false)
        };
        if let Err(error) = write() {
            tracing::debug!(%error, "cannot record the output");
        }
    }

    fn is_unchanged(&self, path: &Path) -> bool {
        let hash = || {
            let mut hasher = blake3::Hasher::new();
            hasher.update_reader(File::open(path)?)?;
            io::Result::Ok(hasher.finalize().to_hex().to_string())
        };
        self.path == path
            && fs::metadata(path).is_ok_and(|about| about.len() == self.bytes)
            && hash().is_ok_and(|found| found == self.blake3)
    }
}

/// Versions of a file that this program wrote.
#[derive(Debug, Deserialize)]
struct Versions(Vec<Remembered>);

impl Versions {
    fn is_unchanged(&self, path: &Path) -> bool {
        self.0.iter().any(|version| version.is_unchanged(path))
    }
}

/// The file that a path names, with links resolved, and the folders that were created for it.
fn resolve(path: &Path) -> Result<(PathBuf, Vec<PathBuf>), OutputError> {
    if let Ok(path) = path.canonicalize() {
        return Ok((path, Vec::new()));
    }
    if let Ok(target) = fs::read_link(path) {
        return Err(OutputError::DanglingLink { path: path.to_path_buf(), target });
    }
    let Some(name) = path.file_name() else { return Err(OutputError::NotAFile { path: path.to_path_buf() }) };
    let folder = parent(path);
    let created = create_missing(folder)?;
    let folder = folder.canonicalize().map_err(OutputError::io("read", folder))?;
    Ok((folder.join(name), created))
}

/// The temporary name of a file: always the same for each file, so that files of killed processes do not accumulate.
fn partial(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    parent(path).join(format!(".{name}.touchstone-partial"))
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same_file(_: &File, path: &Path) -> bool {
    path.exists()
}
