//! Queries that are sent: short ones go into the address, long ones are stored under their hash.

use super::Studio;
use super::folder::StoredQuery;
use super::links::link;
use super::problem::Problem;
use super::query;
use super::request::PageRequest;
use super::response::Reply;
use axum::http::StatusCode;
use std::io::ErrorKind;

/// The longest query in an address, in bytes. Programs that pass addresses on accept about 8,000.
const LONGEST_IN_ADDRESS: usize = 2_000;

/// Sends the browser to the page of a query.
pub(super) fn save(studio: &Studio, request: &PageRequest) -> Result<Reply, Problem> {
    let text = query::typed(request)?;
    let lang = query::language_word(request)?;
    let settings = [("engine", query::engine_word(request)?), ("time", request.text("time")?)];
    let shown = |word: &'static str| if word == "auto" { "" } else { word };
    let settings = settings.map(|(name, value)| (name, if value == "auto" { "" } else { value }));
    if text.len() <= LONGEST_IN_ADDRESS {
        let parameters = [("lang", shown(lang)), ("q", text), settings[0], settings[1]];
        return Ok(Reply::see(link("/query", &parameters)));
    }
    let stored = StoredQuery { lang: lang.to_owned(), text: text.to_owned() };
    let hash = studio.folder.store(&stored).map_err(|error| {
        let is_full = matches!(&error, super::folder::StoreError::Full)
            || matches!(&error, super::folder::StoreError::Io(source) if source.kind() == ErrorKind::StorageFull);
        let status = if is_full { StatusCode::INSUFFICIENT_STORAGE } else { StatusCode::INTERNAL_SERVER_ERROR };
        Problem::new(status, error.to_string())
    })?;
    Ok(Reply::see(link(&format!("/query/{hash}"), &settings)))
}

/// The page of a stored query.
pub(super) fn page(studio: &Studio, request: &PageRequest) -> Result<Reply, Problem> {
    let hash = request.path.rsplit('/').next().unwrap_or("");
    let stored = studio.folder.stored(hash);
    let stored = stored.ok_or_else(|| {
        Problem::not_found("no query is stored under this address")
            .hint("Only the studio that stored it has it.")
    })?;
    query::shown(studio, request, &stored.lang, &stored.text)
}
