//! The errors of this crate, with their operands.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// The result of operations on KBs.
pub type Result<T, E = KbError> = std::result::Result<T, E>;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KbError {
    /// Reading or writing a file failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The operation that failed: "read", "create", ...
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The directory holds no compiled KB.
    #[error("{} is not a compiled KB: it has no {missing}; make one with `touchstone kb import`", path.display())]
    NotAStore {
        /// The directory.
        path: PathBuf,
        /// The missing file.
        missing: String,
    },
    /// The store was written by another version.
    #[error(
        "{} has store format {found}, this program reads format {supported}; import the source again",
        path.display()
    )]
    UnknownVersion {
        /// The directory.
        path: PathBuf,
        /// The version in the manifest.
        found: u64,
        /// The version that this program writes and reads.
        supported: u64,
    },
    /// The store's bytes differ from those that were written.
    #[error("{} is damaged: {detail}; import the source again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// The output cannot be written, or only by overwriting files of the user.
    #[error(transparent)]
    Output(#[from] crate::output::OutputError),
    /// The input cannot be read at all, or `--strict` was given.
    #[error("{0}")]
    Input(Box<crate::import::Problem>),
    /// The syntax of an RDF file is unknown.
    #[error("cannot tell the RDF syntax of {} from its name; known extensions: {known}", path.display())]
    UnknownSyntax {
        /// The file.
        path: PathBuf,
        /// The known extensions.
        known: String,
    },
    /// The kind of file is not recognised.
    #[error("cannot recognise the format of {}; give --from kqapro, rdf, wikidata-json or lines", path.display())]
    UnknownInput {
        /// The file.
        path: PathBuf,
    },
    /// Files of several kinds cannot be imported together.
    #[error(
        "{} is {first_kind} and {} is {second_kind}; import files of one kind, or give --from",
        first.display(), second.display()
    )]
    MixedInputs {
        /// A file.
        first: PathBuf,
        /// What it is.
        first_kind: &'static str,
        /// Another file.
        second: PathBuf,
        /// What that is.
        second_kind: &'static str,
    },
    /// No triple has the property that the user chose for names.
    #[error(
        "--label-property {property}: no triple has this property; {}",
        match nearest {
            Some(nearest) => format!("did you mean {nearest}?"),
            None => "give its whole IRI".to_owned(),
        }
    )]
    UnknownLabelProperty {
        /// The property as given.
        property: String,
        /// The property that was probably meant.
        nearest: Option<String>,
    },
    /// More items than 32-bit ids can number.
    #[error("too many {what}: a store holds at most {limit}")]
    TooMany {
        /// The kind of item.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The classes have so many superclasses that the list of all ancestors, or of all members, of every class would be too long.
    #[error(
        "the class hierarchy is too deep: there would be more than {limit} {what}; `{class}` alone has {ancestors} super-classes. \
         Leave out some of the sub-class links, or raise the limit with --max-closure"
    )]
    DeepHierarchy {
        /// The pairs of which there are too many.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// The id of a class with very many superclasses.
        class: String,
        /// Their number.
        ancestors: usize,
    },
    /// A change cannot be applied to the KB.
    #[error("the KB cannot be changed: {0}")]
    Change(#[from] ChangeError),
    /// The operation was cancelled.
    #[error("interrupted")]
    Interrupted,
}

/// Why a change cannot be applied to a KB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The KB is an overlay already.
    #[error("an overlay cannot be placed on another overlay; combine both changes")]
    NestedOverlay,
    /// A fact to remove does not exist.
    #[error("there is no fact number {number}")]
    NoSuchFact {
        /// Its number.
        number: u32,
    },
    /// A fact to add has a part that the KB does not have.
    #[error("a fact to add has {part} that the KB does not have")]
    UnknownPart {
        /// The part, with its article.
        part: &'static str,
    },
}

/// Whether an error or one of its causes is that the reader of an output has closed it, as in `touchstone ... | head`.
pub fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let io = match error.downcast_ref() {
            Some(KbError::Io { source, .. }) => Some(source),
            _ => error.downcast_ref::<io::Error>(),
        };
        if io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            return true;
        }
        cause = error.source();
    }
    false
}

impl KbError {
    /// Wraps a system error with the file it is about.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> KbError {
        let path = path.to_path_buf();
        move |source| KbError::Io { action, path, source }
    }

    pub(crate) fn damaged(path: &Path, detail: impl Into<String>) -> KbError {
        KbError::Damaged { path: path.to_path_buf(), detail: detail.into() }
    }
}
