//! What a page gives: HTML, JSON, a file or another address.

use super::layout::{Frame, frame};
use super::problem::Problem;
use super::request::PageRequest;
use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use maud::Markup;
use serde::Serialize;

/// What is sent back.
#[derive(Debug)]
pub(super) struct Reply {
    status: StatusCode,
    media: &'static str,
    body: Vec<u8>,
    /// Where to go instead.
    location: Option<String>,
    /// The name under which the browser saves it.
    file_name: Option<&'static str>,
}

impl Reply {
    fn new(media: &'static str, body: Vec<u8>) -> Reply {
        Reply { status: StatusCode::OK, media, body, location: None, file_name: None }
    }

    /// A page, or the data that it shows.
    pub(super) fn page(
        request: &PageRequest,
        about: &Frame<'_>,
        data: &impl Serialize,
        body: impl FnOnce() -> Markup,
    ) -> Reply {
        if request.wants_json { Reply::json(data) } else { Reply::html(frame(about, &body())) }
    }

    pub(super) fn html(page: String) -> Reply {
        Reply::new("text/html; charset=utf-8", page.into_bytes())
    }

    pub(super) fn json(data: &impl Serialize) -> Reply {
        match serde_json::to_vec_pretty(data) {
            Ok(mut bytes) => {
                bytes.push(b'\n');
                Reply::new("application/json", bytes)
            }
            Err(error) => {
                Problem::defect(format!("the reply cannot be written as JSON: {error}")).reply(false)
            }
        }
    }

    /// A file that pages load.
    pub(super) fn asset(media: &'static str, content: &'static str) -> Reply {
        Reply::new(media, content.as_bytes().to_vec())
    }

    /// A file that the browser saves.
    pub(super) fn file(media: &'static str, file_name: &'static str, body: Vec<u8>) -> Reply {
        Reply { file_name: Some(file_name), ..Reply::new(media, body) }
    }

    /// Another address, to be read with GET.
    pub(super) fn see(location: String) -> Reply {
        Reply {
            status: StatusCode::SEE_OTHER,
            location: Some(location),
            ..Reply::new("text/plain; charset=utf-8", Vec::new())
        }
    }

    pub(super) fn with_status(self, status: StatusCode) -> Reply {
        Reply { status, ..self }
    }

    pub(super) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(header::VARY, HeaderValue::from_static("Accept"));
        if let Some(name) = self.file_name
            && let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""))
        {
            headers.insert(header::CONTENT_DISPOSITION, value);
        }
        if let Some(location) = self.location.and_then(|location| HeaderValue::from_str(&location).ok()) {
            headers.insert(header::LOCATION, location);
        }
        response
    }
}
