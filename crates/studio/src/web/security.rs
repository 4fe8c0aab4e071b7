//! What protects every page: only requests to this machine's own names, no changes on behalf of other sites, and headers that let a page
//! use nothing but its own files.
//!
//! `GET` never changes anything. Requests that change something are checked by `tower_http::csrf`: a browser names the site that a
//! request comes from in `Sec-Fetch-Site` or `Origin`.

use super::Shared;
use super::problem::Problem;
use super::request::PageRequest;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use axum::middleware::Next;
use touchstone_protocol::{host_name, is_local_host};
use tower_http::csrf::ProtectionError;

/// What a page may load and do: its own files only, nothing inline.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Headers of every response. With `no-referrer`, a form would be sent with the origin `null`, and be refused.
static HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

/// Refuses foreign hosts, turns refusals into pages, and adds the headers.
pub(super) async fn guard(State(shared): State<Shared>, request: Request, next: Next) -> Response<Body> {
    let about = PageRequest::of(request.method(), request.uri(), request.headers(), b"");
    let mut response = if host_is_allowed(request.headers(), &shared.hosts) {
        next.run(request).await
    } else {
        let problem = Problem::new(StatusCode::FORBIDDEN, "this studio answers requests to localhost only");
        problem
            .hint("Open it as http://localhost with its port, or start it with --host NAME to allow another name.")
            .reply(about.wants_json)
            .into_response()
    };
    if response.extensions().get::<ProtectionError>().is_some() {
        let problem = Problem::new(StatusCode::FORBIDDEN, "this request comes from another site");
        response = problem
            .hint("Nothing was changed. Use the forms of the studio itself.")
            .reply(about.wants_json)
            .into_response();
    }
    for (name, value) in &HEADERS {
        response.headers_mut().insert(name, value.clone());
    }
    response
}

/// Whether the request is to this machine, or to a name that the user allowed. A page of another site whose name resolves to this machine
/// must not read from it. Browsers always send a host.
fn host_is_allowed(headers: &HeaderMap, allowed: &[String]) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let Ok(host) = host.to_str() else { return false };
    is_local_host(host) || allowed.iter().any(|name| name.eq_ignore_ascii_case(host_name(host)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_hosts() {
        let allowed = ["studio.example".to_owned()];
        for (host, fine) in [
            ("localhost", true),
            ("LOCALHOST:8080", true),
            ("127.0.0.1:1", true),
            ("[::1]:9", true),
            ("studio.example:80", true),
            ("studio.example.org", false),
            ("localhost.example", false),
            ("10.0.0.1", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static(host))]);
            assert_eq!(host_is_allowed(&headers, &allowed), fine, "{host}");
        }
        assert!(!host_is_allowed(&HeaderMap::new(), &allowed));
        let mut twice = HeaderMap::new();
        twice.append(header::HOST, HeaderValue::from_static("localhost"));
        twice.append(header::HOST, HeaderValue::from_static("evil.example"));
        assert!(!host_is_allowed(&twice, &allowed));
    }
}
