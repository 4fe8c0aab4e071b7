//! Why an output cannot be written.

use std::io;
use std::path::{Path, PathBuf};

/// An output that cannot be written, or only by overwriting files of the user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// Reading or writing failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The operation that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system reported.
        source: io::Error,
    },
    /// Something that is not a folder has the name of the folder.
    #[error("{} already exists and is not a folder; choose another --out", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// A folder has the name of the file.
    #[error("{} is a folder; choose the name of a file for the output", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// A symbolic link without a target.
    #[error(
        "{} is a symbolic link to {}, which does not exist; create that folder, or choose another --out",
        path.display(), target.display()
    )]
    DanglingLink {
        /// The link.
        path: PathBuf,
        /// Where it points.
        target: PathBuf,
    },
    /// The folder holds files of the user.
    #[error(
        "{} already exists and holds files that are not part of a {kind} written by Touchstone: {}; choose another --out, or give \
         --force to write next to them (they are kept)",
        folder.display(), listed(found)
    )]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// The kind of output.
        kind: &'static str,
        /// The names of the files and folders in the way; folders end with a slash.
        found: Vec<String>,
    },
    /// A file of the user has the name of a file to be written.
    #[error(
        "{} already exists and was not written by Touchstone, so it is not replaced, not even with --force; \
         move it away, or choose another --out",
        path.display()
    )]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// A file of an earlier output that was edited.
    #[error(
        "{} was changed after Touchstone wrote it; choose another --out, or give --force to replace it",
        path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A single file that is not known to be an earlier output.
    #[error(
        "{} already exists, and Touchstone has no record of writing its current content; choose another name, or give --force to replace it",
        path.display()
    )]
    FileExists {
        /// The file.
        path: PathBuf,
    },
    /// Another process is writing to the same place.
    #[error("another process is writing to {}; wait for it, or choose another --out", path.display())]
    Busy {
        /// The folder or file.
        path: PathBuf,
    },
    /// A record of a replacement that this program did not write, or that was damaged.
    #[error("{} is damaged: {detail}; remove it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
}

impl OutputError {
    /// Wraps a system error with the file it is about.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> OutputError {
        let path = path.to_path_buf();
        move |source| OutputError::Io { action, path, source }
    }
}

/// Maximum number of names to list in a message.
const NAMES_LISTED: usize = 3;

fn listed(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMES_LISTED).map(String::as_str).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
