//! The text of a query: given, in a file, or on standard input.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why there is no text.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QueryTextError {
    /// Standard input cannot be read.
    #[error("cannot read standard input")]
    StandardInput(#[source] io::Error),
    /// A file cannot be read.
    #[error("cannot read {}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Standard input is too long to be a query: something else was piped in by mistake.
    #[error("the query is longer than {} MB", MAX_QUERY >> 20)]
    TooLong,
    /// A file is too long to be a query.
    #[error("{} is longer than {} MB: is it a batch? Then give --batch", .0.display(), MAX_QUERY >> 20)]
    FileTooLong(PathBuf),
}

/// Maximum number of bytes of a query.
const MAX_QUERY: u64 = 4 << 20;

/// Maximum length of the name of a file; a longer text is a query.
const MAX_NAME: usize = 1000;

/// Reads a query: `-` is standard input, the name of a file its content, and any other text is the query itself.
pub fn query_text(query: &str) -> Result<String, QueryTextError> {
    if query == "-" {
        let mut text = String::new();
        let mut input = io::stdin().take(MAX_QUERY + 1);
        input.read_to_string(&mut text).map_err(QueryTextError::StandardInput)?;
        return if text.len() as u64 > MAX_QUERY { Err(QueryTextError::TooLong) } else { Ok(text) };
    }
    let path = Path::new(query);
    if query.len() >= MAX_NAME || !path.is_file() {
        return Ok(query.to_owned());
    }
    if path.metadata().is_ok_and(|meta| meta.len() > MAX_QUERY) {
        return Err(QueryTextError::FileTooLong(path.to_owned()));
    }
    std::fs::read_to_string(path).map_err(|source| QueryTextError::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_and_other_texts_are_queries() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("query.rq");
        std::fs::write(&file, "ASK {}").expect("written");
        assert_eq!(query_text(&file.display().to_string()).expect("a file"), "ASK {}");
        assert_eq!(query_text("Find(Paris) > What()").expect("a query"), "Find(Paris) > What()");
        std::fs::write(&file, vec![b' '; (MAX_QUERY + 1).try_into().expect("small")]).expect("written");
        assert!(matches!(query_text(&file.display().to_string()), Err(QueryTextError::FileTooLong(_))));
    }
}
