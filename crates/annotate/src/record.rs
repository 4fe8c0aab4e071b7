//! Records: the lines of a journal. Each has a number, a time, an author, a kind with its body, and the hash of the line before.

use crate::moment::Moment;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A set of kinds of records. A macro of this crate implements it.
pub trait Events: Clone + Send + Sync + Sized + 'static {
    /// The names of all kinds.
    const KINDS: &'static [&'static str];

    /// The name of the kind.
    fn kind(&self) -> &'static str;

    /// The body as JSON.
    fn body(&self) -> Result<Box<RawValue>, serde_json::Error>;

    /// Reads a body; `None` if the kind is not known.
    fn read(kind: &str, body: &str) -> Option<Result<Self, serde_json::Error>>;

    /// The version of the program, if the record names one. It tells who wrote the records after it.
    fn version(&self) -> Option<&str>;
}

/// Defines the kinds of a journal: an enum with a variant for each kind, whose body is a type.
macro_rules! events {
    ($(#[$about:meta])* $type:ident, $opened:ident, { $($(#[$doc:meta])* $variant:ident($body:ty) => $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $type {
            $($(#[$doc])* $variant($body),)+
        }

        impl $crate::record::Events for $type {
            const KINDS: &'static [&'static str] = &[$($name),+];

            fn kind(&self) -> &'static str {
                match self {
                    $($type::$variant(_) => $name,)+
                }
            }

            fn body(&self) -> Result<Box<serde_json::value::RawValue>, serde_json::Error> {
                match self {
                    $($type::$variant(body) => serde_json::value::to_raw_value(body),)+
                }
            }

            fn read(kind: &str, body: &str) -> Option<Result<$type, serde_json::Error>> {
                match kind {
                    $($name => Some(serde_json::from_str(body).map($type::$variant)),)+
                    _ => None,
                }
            }

            fn version(&self) -> Option<&str> {
                match self {
                    $type::$opened(opened) => Some(&opened.version),
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use events;

/// What a caller submits. The store adds the number, the time and the hash.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRecord<E> {
    /// The person.
    pub by: String,
    /// The task that it is about.
    pub task: Option<String>,
    /// An id that the caller chooses for this attempt. The same attempt again, after a double click or a lost reply, has no further effect.
    pub attempt: Option<String>,
    /// What happened.
    pub event: E,
}

impl<E> NewRecord<E> {
    /// A record about the whole project.
    pub fn new(by: &str, event: E) -> NewRecord<E> {
        NewRecord { by: by.to_owned(), task: None, attempt: None, event }
    }

    /// A record about a task.
    pub fn about(by: &str, task: &str, event: E) -> NewRecord<E> {
        NewRecord { task: Some(task.to_owned()), ..NewRecord::new(by, event) }
    }

    /// With the id of an attempt.
    #[must_use]
    pub fn with_attempt(self, attempt: &str) -> NewRecord<E> {
        NewRecord { attempt: Some(attempt.to_owned()), ..self }
    }
}

/// A record as it is in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRecord<E> {
    /// Its number, from 1 without gaps. Numbers order records, not times.
    pub n: u64,
    /// When it was submitted.
    pub at: Moment,
    /// The person.
    pub by: String,
    /// The task that it is about.
    pub task: Option<String>,
    /// The id of the attempt.
    pub attempt: Option<String>,
    /// What happened.
    pub event: E,
    /// The first 16 digits of the BLAKE3 hash of the line before; zeros in the first line.
    pub after: String,
}

/// A line of a journal.
#[derive(Serialize, Deserialize)]
struct RecordLine<'l> {
    n: u64,
    at: Moment,
    #[serde(borrow)]
    by: Cow<'l, str>,
    #[serde(borrow)]
    kind: Cow<'l, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    task: Option<Cow<'l, str>>,
    #[serde(borrow, rename = "try", default, skip_serializing_if = "Option::is_none")]
    attempt: Option<Cow<'l, str>>,
    body: Cow<'l, RawValue>,
    #[serde(borrow)]
    after: Cow<'l, str>,
}

/// Why a line is not a record that this program knows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnreadableRecord {
    /// Not a record at all.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A kind that a newer version of the program has.
    #[error("the kind `{kind}` is not known")]
    UnknownKind {
        /// The kind.
        kind: String,
        /// The number of the record.
        n: u64,
        /// The hash of the line before.
        after: String,
    },
}

/// The `after` of the first line.
pub(crate) const FIRST: &str = "0000000000000000";

/// What the next line names as the line before it.
pub(crate) fn line_hash(line: &str) -> String {
    blake3::hash(line.as_bytes()).to_hex()[..FIRST.len()].to_owned()
}

impl<E: Events> StoredRecord<E> {
    /// The record as a line, without the line break.
    pub fn line(&self) -> Result<Box<RawValue>, serde_json::Error> {
        serde_json::value::to_raw_value(&RecordLine {
            n: self.n,
            at: self.at,
            by: Cow::Borrowed(&self.by),
            kind: Cow::Borrowed(self.event.kind()),
            task: self.task.as_deref().map(Cow::Borrowed),
            attempt: self.attempt.as_deref().map(Cow::Borrowed),
            body: Cow::Owned(self.event.body()?),
            after: Cow::Borrowed(&self.after),
        })
    }

    /// Reads a line.
    pub fn read(line: &str) -> Result<StoredRecord<E>, UnreadableRecord> {
        let RecordLine { n, at, by, kind, task, attempt, body, after } = serde_json::from_str(line)?;
        let Some(event) = E::read(&kind, body.get()) else {
            return Err(UnreadableRecord::UnknownKind {
                kind: kind.into_owned(),
                n,
                after: after.into_owned(),
            });
        };
        Ok(StoredRecord {
            n,
            at,
            by: by.into_owned(),
            task: task.map(Cow::into_owned),
            attempt: attempt.map(Cow::into_owned),
            event: event?,
            after: after.into_owned(),
        })
    }
}
