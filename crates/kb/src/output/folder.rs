//! An output folder: reserved before the work, written to a staging folder, replaced atomically.

use super::error::OutputError;
use super::failpoint::failpoint;
use super::marker::{MARKER, Marker, Written};
use super::staging::{CommitRecord, STAGING, Staging};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The lock file, for systems that cannot lock folders.
const LOCK: &str = ".touchstone.lock";

/// The kind of output of a folder.
#[derive(Debug)]
pub struct OutputKind {
    /// Its name, in the marker and in messages.
    pub name: &'static str,
    /// The file that readers open first: it is moved into place after all others.
    pub manifest: &'static str,
    /// Whether the output owns its folder, so that other files in it are an error.
    pub owns_folder: bool,
    /// Whether it must survive a crash of the machine. Not needed for large outputs with checksums that can be rebuilt.
    pub is_durable: bool,
    /// Files that this program changes later.
    pub volatile: &'static [&'static str],
    /// The files of an output without a marker, as version 0.1 wrote it; none unless all of them validate.
    pub unmarked: fn(&Path) -> Vec<String>,
}

/// A folder that gets new content when committed, and keeps the old one otherwise.
#[derive(Debug)]
pub struct OutputFolder {
    folder: PathBuf,
    kind: &'static OutputKind,
    force: bool,
    /// Folders that were created for it, the innermost last.
    created: Vec<PathBuf>,
    /// Whether the staging folder is in use.
    is_staged: bool,
    /// Held until everything is in place: one process at a time writes to a folder.
    _lock: File,
}

impl OutputFolder {
    /// Checks that `path` can be written without losing anything, locks it, and clears what a killed process left there.
    ///
    /// `names` are the files that are known to be written. With `force`, files of the user may be in a folder that the output owns.
    pub fn reserve(
        path: &Path,
        kind: &'static OutputKind,
        names: &[&str],
        force: bool,
    ) -> Result<OutputFolder, OutputError> {
        let (lock, folder, created) = locked(path)?;
        let mut output = OutputFolder { folder, kind, force, created, is_staged: false, _lock: lock };
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Staging::of(&output.folder).recover()?;
        output.check(&names)?;
        output.is_staged = true;
        Staging::of(&output.folder).create()?;
        Ok(output)
    }

    /// The folder for new files until they are committed.
    pub fn path(&self) -> PathBuf {
        Staging::of(&self.folder).new_files()
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Replaces the old content by the new, atomically. Files of the user are kept.
    pub fn commit(self) -> Result<(), OutputError> {
        let new = self.path();
        let names: BTreeSet<String> = entries(&new)?.into_iter().collect();
        failpoint("staged");
        // Checked again, because hours may have passed.
        let mut remove = self.check(&names)?;
        // Outputs among files of the user may have been written at different times, so they are kept.
        remove.retain(|name| self.kind.owns_folder && !names.contains(name));
        let mut marker = Marker::read(&self.folder)?;
        let about = |name: &String| {
            let path = new.join(name);
            let is_volatile = self.kind.volatile.contains(&name.as_str());
            if self.kind.is_durable {
                File::open(&path)
                    .and_then(|file| file.sync_all())
                    .map_err(OutputError::io("write", &path))?;
            }
            Ok((name.clone(), Written::of(&path, is_volatile)?))
        };
        let written: BTreeMap<String, Written> = names.par_iter().map(about).collect::<Result<_, _>>()?;
        let marked = marker.outputs.entry(self.kind.name.to_owned()).or_default();
        if self.kind.owns_folder {
            marked.clear();
        }
        marked.extend(written);
        let mut place: Vec<String> = names.into_iter().collect();
        place.sort_by_key(|name| name == self.kind.manifest);
        Staging::of(&self.folder)
            .commit(&CommitRecord::new(remove, place, self.kind.is_durable), &marker.text())
    }

    /// Checks whether these files can be written; returns the unchanged files of the old output.
    fn check(&self, names: &BTreeSet<String>) -> Result<Vec<String>, OutputError> {
        let marker = Marker::read(&self.folder)?;
        let marked = marker.outputs.get(self.kind.name);
        let unmarked = if marked.is_none() { (self.kind.unmarked)(&self.folder) } else { Vec::new() };
        let state = |name: String| {
            let state = match marked.and_then(|marked| marked.get(&name)) {
                Some(written) if written.is_unchanged(&self.folder.join(&name)) => State::Unchanged,
                Some(_) => State::Changed,
                None if unmarked.contains(&name) => State::Unchanged,
                None => State::Foreign,
            };
            (name, state)
        };
        let states: Vec<(String, State)> = entries(&self.folder)?.into_par_iter().map(state).collect();
        let with =
            |wanted: State| states.iter().filter(move |(_, state)| *state == wanted).map(|(name, _)| name);
        if self.kind.owns_folder && !self.force {
            let found: Vec<String> = with(State::Foreign).map(|name| self.described(name)).collect();
            if !found.is_empty() {
                return Err(OutputError::Foreign {
                    folder: self.folder.clone(),
                    kind: self.kind.name,
                    found,
                });
            }
        }
        if let Some(name) = with(State::Foreign).find(|name| names.contains(*name)) {
            return Err(OutputError::NotOurs { path: self.folder.join(name) });
        }
        let is_replaced = |name: &&String| self.kind.owns_folder || names.contains(*name);
        if let Some(name) = with(State::Changed).find(is_replaced).filter(|_| !self.force) {
            return Err(OutputError::Changed { path: self.folder.join(name) });
        }
        Ok(with(State::Unchanged).cloned().collect())
    }

    /// A name for a message: folders end with a slash.
    fn described(&self, name: &str) -> String {
        if self.folder.join(name).is_dir() { format!("{name}/") } else { name.to_owned() }
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        let staging = Staging::of(&self.folder);
        // A replacement that has happened is finished by the next process.
        if self.is_staged
            && !staging.is_pending()
            && let Err(error) = staging.clear()
        {
            tracing::debug!(%error, "cannot clear the staging folder; the next process that writes there does");
        }
        remove_empty(&self.created);
    }
}

/// Removes folders, the innermost first, unless something is in them.
pub(super) fn remove_empty(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

/// The owner of an entry of the folder.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Written by this program, and unchanged.
    Unchanged,
    /// Written by this program, and edited since.
    Changed,
    /// The user's, or another kind of output.
    Foreign,
}

/// Reads the content of a folder, all of it from the same version: a replacement that was interrupted is finished first, and if one
/// happens in between, the content is read again.
pub fn read<T, E: From<OutputError>>(folder: &Path, mut read: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    const ATTEMPTS: usize = 5;
    for _ in 0..ATTEMPTS {
        settle(folder)?;
        let before = version(folder);
        let result = read();
        if version(folder) == before && !Staging::of(folder).is_pending() {
            return result;
        }
    }
    read()
}

/// Finishes a replacement that was interrupted; waits for one that is being made.
fn settle(folder: &Path) -> Result<(), OutputError> {
    let staging = Staging::of(folder);
    if !staging.is_pending() {
        return Ok(());
    }
    let (file, _) = lockable(folder)?;
    file.lock().map_err(OutputError::io("lock", folder))?;
    if staging.is_pending() { staging.recover() } else { Ok(()) }
}

/// Distinguishes versions of the content: each has its own marker.
fn version(folder: &Path) -> Option<(u64, Option<std::time::SystemTime>)> {
    let about = fs::metadata(folder.join(MARKER)).ok()?;
    Some((inode(&about), about.modified().ok()))
}

/// The names in a folder, without those that this module uses. Names that are not valid text are not in any list, so they are converted
/// lossily.
fn entries(folder: &Path) -> Result<Vec<String>, OutputError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(OutputError::io("read", folder))? {
        let name = entry.map_err(OutputError::io("read", folder))?.file_name();
        let name = name.to_string_lossy().into_owned();
        if ![MARKER, STAGING, LOCK].contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Creates a folder and its parents; returns its path without links, and the folders created.
fn create(path: &Path) -> Result<(PathBuf, Vec<PathBuf>), OutputError> {
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => {
            let folder = path.canonicalize().map_err(OutputError::io("read", path))?;
            return Ok((folder, Vec::new()));
        }
        Ok(_) => return Err(OutputError::NotAFolder { path: path.to_path_buf() }),
        Err(_) => {}
    }
    if let Ok(target) = fs::read_link(path) {
        return Err(OutputError::DanglingLink { path: path.to_path_buf(), target });
    }
    let created = create_missing(path)?;
    Ok((path.canonicalize().map_err(OutputError::io("read", path))?, created))
}

/// Creates a folder and its missing parents; returns the folders created, the innermost last.
pub(super) fn create_missing(folder: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let mut missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    missing.reverse();
    fs::create_dir_all(folder).map_err(OutputError::io("create", folder))?;
    let canonical = |folder: &Path| folder.canonicalize().map_err(OutputError::io("read", folder));
    missing.into_iter().map(canonical).collect()
}

/// How long to wait for a lock: a starting child process inherits the locks of its parent for a moment, a process that writes holds them longer.
const PATIENCE: Duration = Duration::from_millis(500);

/// Creates a folder if needed, and locks it; returns the lock, its path without links, and the folders created.
fn locked(path: &Path) -> Result<(File, PathBuf, Vec<PathBuf>), OutputError> {
    loop {
        let (folder, created) = create(path)?;
        match lock(&folder) {
            Ok(lock) if is_same_file(&lock, &folder) => return Ok((lock, folder, created)),
            // Another process removed it between its creation and the lock.
            Ok(_) => {}
            Err(_) if !folder.exists() => {}
            Err(error) => {
                remove_empty(&created);
                return Err(error);
            }
        }
    }
}

/// Locks a folder for writing.
fn lock(folder: &Path) -> Result<File, OutputError> {
    let (file, path) = lockable(folder)?;
    let until = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(PATIENCE / 50),
            Err(TryLockError::WouldBlock) => return Err(OutputError::Busy { path: folder.to_path_buf() }),
            Err(TryLockError::Error(error)) => return Err(OutputError::io("lock", &path)(error)),
        }
    }
}

/// The file to lock for a folder: the folder itself, or a file in it if the system or the file system (NFS) cannot lock folders.
fn lockable(folder: &Path) -> Result<(File, PathBuf), OutputError> {
    if let Ok(file) = File::open(folder)
        && matches!(file.try_lock_shared(), Ok(()) | Err(TryLockError::WouldBlock))
    {
        let _ = file.unlock();
        return Ok((file, folder.to_path_buf()));
    }
    let path = folder.join(LOCK);
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    Ok((file.map_err(OutputError::io("create", &path))?, path))
}

#[cfg(unix)]
fn inode(about: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(about)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}

/// Whether a lock still belongs to the folder.
#[cfg(unix)]
fn is_same_file(lock: &File, folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |path: &Path| match (lock.metadata(), fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    };
    same(folder) || same(&folder.join(LOCK))
}

#[cfg(not(unix))]
fn is_same_file(_: &File, folder: &Path) -> bool {
    folder.exists()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const OWNER: OutputKind = OutputKind {
        name: "thing",
        manifest: "m",
        owns_folder: true,
        is_durable: false,
        volatile: &["v"],
        unmarked: |_| Vec::new(),
    };
    const GUEST: OutputKind = OutputKind {
        name: "guest",
        manifest: "m",
        owns_folder: false,
        is_durable: false,
        volatile: &[],
        unmarked: |_| Vec::new(),
    };

    /// Every file of a folder except the marker.
    fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let names = entries(folder).unwrap();
        names.into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
    }

    fn write(
        folder: &Path,
        kind: &'static OutputKind,
        files: &BTreeMap<String, Vec<u8>>,
        force: bool,
    ) -> Result<(), OutputError> {
        let output = OutputFolder::reserve(folder, kind, &[], force)?;
        for (name, bytes) in files {
            fs::write(output.path().join(name), bytes).unwrap();
        }
        output.commit()
    }

    /// Random writes of both kinds among random changes by a user; a model tracks the owner of each file.
    #[test]
    fn files_of_the_user_are_never_lost() {
        let dir = tempfile::tempdir().unwrap();
        let mut state = 42u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        const NAMES: [&str; 6] = ["a", "b", "c", "d", "m", "v"];
        let (mut refused, mut written) = (0, 0);
        for round in 0..40 {
            let folder = dir.path().join(format!("{round}/out"));
            // By name: the owner, and whether the user has changed it.
            let mut model: BTreeMap<String, (Option<&'static str>, bool)> = BTreeMap::new();
            for step in 0..25 {
                let bytes = format!("{round} {step}").into_bytes();
                if random(3) == 0 && folder.is_dir() {
                    let name = NAMES[random(6) as usize];
                    let known = model.entry(name.to_owned()).or_insert((None, false));
                    if known.0.is_some() {
                        known.1 = true;
                    }
                    fs::write(folder.join(name), &bytes).unwrap();
                    continue;
                }
                let (kind, force) = (if random(2) == 0 { &OWNER } else { &GUEST }, random(2) == 0);
                let files: BTreeMap<String, Vec<u8>> = (0..1 + random(3))
                    .map(|_| (NAMES[random(6) as usize].to_owned(), bytes.clone()))
                    .collect();
                let before = if folder.is_dir() { content(&folder) } else { BTreeMap::new() };
                let is_mine = |name: &String| model.get(name).is_some_and(|(of, _)| *of == Some(kind.name));
                let is_edited = |name: &String| {
                    model.get(name).is_some_and(|(_, edited)| *edited)
                        && !kind.volatile.contains(&name.as_str())
                };
                let is_foreign = |name: &String| before.contains_key(name) && !is_mine(name);
                let collides = files.keys().any(is_foreign);
                let has_foreign = before.keys().any(is_foreign);
                let loses_edit = |name: &String| is_mine(name) && is_edited(name);
                let must_refuse = collides
                    || (!force && kind.owns_folder && (has_foreign || before.keys().any(loses_edit)))
                    || (!force && files.keys().any(loses_edit));
                let result = write(&folder, kind, &files, force);
                assert_eq!(result.is_err(), must_refuse, "{round} {step}: {result:?} {model:?} {files:?}");
                if must_refuse {
                    refused += 1;
                    let after = if folder.is_dir() { content(&folder) } else { BTreeMap::new() };
                    assert_eq!(after, before);
                    continue;
                }
                written += 1;
                let after = content(&folder);
                for (name, bytes) in &before {
                    let stays = is_foreign(name) || !kind.owns_folder || is_edited(name);
                    if stays && !files.contains_key(name) {
                        assert_eq!(after.get(name), Some(bytes), "{round} {step}: {name}");
                    }
                }
                for (name, bytes) in &files {
                    assert_eq!(after.get(name), Some(bytes));
                }
                if kind.owns_folder {
                    // An edited file that is no longer part of the output belongs to the user from now on.
                    model.retain(|name, (of, edited)| {
                        if *of == Some(kind.name) && *edited && after.contains_key(name) {
                            (*of, *edited) = (None, false);
                        }
                        *of != Some(kind.name)
                    });
                }
                model.extend(files.keys().map(|name| (name.clone(), (Some(kind.name), false))));
                assert_eq!(after.keys().collect::<Vec<_>>(), model.keys().collect::<Vec<_>>());
                assert!(!folder.join(STAGING).exists());
            }
        }
        assert!(refused > 50 && written > 50, "{refused} {written}");
    }

    #[test]
    fn what_is_abandoned_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("new/out");
        let output = OutputFolder::reserve(&folder, &OWNER, &[], false).unwrap();
        fs::write(output.path().join("a"), "a").unwrap();
        assert!(matches!(OutputFolder::reserve(&folder, &OWNER, &[], false), Err(OutputError::Busy { .. })));
        drop(output);
        assert!(!dir.path().join("new").exists());
    }

    /// A folder from an untrusted source cannot redirect moves out of it.
    #[test]
    #[cfg(unix)]
    fn hostile_records_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, mine) = (dir.path().join("out"), dir.path().join("mine"));
        let staging = folder.join(STAGING);
        fs::create_dir_all(staging.join("old")).unwrap();
        fs::create_dir(&mine).unwrap();
        fs::write(mine.join("secret"), "mine").unwrap();
        fs::write(staging.join("owner.json"), "").unwrap();
        let record =
            |place: &str| format!("{{\"touchstone_commit\": 1, \"remove\": [], \"place\": [\"{place}\"]}}");
        std::os::unix::fs::symlink(&mine, staging.join("new")).unwrap();
        fs::write(staging.join("commit.json"), record("secret")).unwrap();
        let opened = || read(&folder, || Ok::<(), OutputError>(()));
        assert!(matches!(opened(), Err(OutputError::NotOurs { .. })));
        fs::remove_file(staging.join("new")).unwrap();
        fs::create_dir(staging.join("new")).unwrap();
        fs::write(staging.join("commit.json"), record("../../mine/secret")).unwrap();
        assert!(matches!(opened(), Err(OutputError::Damaged { .. })));
        assert_eq!(fs::read_to_string(mine.join("secret")).unwrap(), "mine");
        // A folder with the name of the staging folder that this program did not create.
        fs::remove_dir_all(&staging).unwrap();
        fs::create_dir(&staging).unwrap();
        fs::write(staging.join("notes"), "mine").unwrap();
        assert!(matches!(
            OutputFolder::reserve(&folder, &OWNER, &[], true),
            Err(OutputError::NotOurs { .. })
        ));
        assert_eq!(fs::read_to_string(staging.join("notes")).unwrap(), "mine");
    }

    /// Replacements while the content is read are detected.
    #[test]
    fn one_version_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let files = |text: &str| ["a", "m"].map(|name| (name.to_owned(), text.as_bytes().to_vec())).into();
        write(dir.path(), &OWNER, &files("one"), false).unwrap();
        let mut times = 0;
        let found = read(dir.path(), || {
            times += 1;
            let a = fs::read_to_string(dir.path().join("a")).unwrap();
            if times == 1 {
                write(dir.path(), &OWNER, &files("two"), false).unwrap();
            }
            Ok::<_, OutputError>((a, fs::read_to_string(dir.path().join("m")).unwrap()))
        });
        assert_eq!(found.unwrap(), ("two".to_owned(), "two".to_owned()));
    }
}
