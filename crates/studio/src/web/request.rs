//! What a page knows about the request.

use super::problem::Problem;
use axum::http::{HeaderMap, Method, Uri, header};
use touchstone_engine::budget::Cancel;

/// The longest parameter that pages other than the query page accept, in bytes.
const LONGEST_PARAMETER: usize = 4096;

/// A request: parameters of the address, or of the form that was sent.
pub(super) struct PageRequest {
    pub(super) path: String,
    parameters: Vec<(String, String)>,
    /// Whether the client asks for the JSON twin of a page.
    pub(super) wants_json: bool,
    /// Stops the work when the client hangs up.
    pub(super) cancel: Cancel,
}

impl PageRequest {
    pub(super) fn of(method: &Method, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> PageRequest {
        let address = form_urlencoded::parse(uri.query().unwrap_or("").as_bytes()).into_owned();
        let form = (*method == Method::POST).then(|| form_urlencoded::parse(body).into_owned());
        let parameters: Vec<(String, String)> = form.into_iter().flatten().chain(address).collect();
        let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or("");
        let mut request = PageRequest {
            path: uri.path().to_owned(),
            parameters,
            wants_json: false,
            cancel: Cancel::default(),
        };
        let format = request.raw("format");
        request.wants_json = format == "json" || (format.is_empty() && prefers_json(accept));
        request
    }

    /// A parameter as it was sent; empty if it is absent. Of several with the name, the first counts.
    pub(super) fn raw(&self, name: &str) -> &str {
        self.parameters.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_str())
    }

    /// All values of a parameter.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.parameters.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A parameter without spaces around it; one that is too long is refused.
    pub(super) fn text(&self, name: &'static str) -> Result<&str, Problem> {
        let value = self.raw(name).trim();
        if value.len() > LONGEST_PARAMETER {
            let message = format!("`{name}` is longer than {LONGEST_PARAMETER} bytes");
            return Err(Problem::bad(message).field(name));
        }
        Ok(value)
    }

    /// A parameter that is a number from 1; 1 if it is absent.
    pub(super) fn number(&self, name: &'static str, most: usize) -> Result<usize, Problem> {
        match self.text(name)? {
            "" => Ok(1),
            text => text.parse().ok().filter(|number| (1..=most).contains(number)).ok_or_else(|| {
                Problem::bad(format!("`{name}` must be a number between 1 and {most}")).field(name)
            }),
        }
    }

    /// A parameter with a closed list of values; the first of them if it is absent.
    pub(super) fn choice<'c>(&self, name: &'static str, choices: &[&'c str]) -> Result<&'c str, Problem> {
        let value = self.text(name)?;
        let chosen =
            if value.is_empty() { choices.first() } else { choices.iter().find(|known| **known == value) };
        chosen.copied().ok_or_else(|| {
            Problem::bad(format!("`{name}` must be one of: {}", choices.join(", "))).field(name)
        })
    }
}

/// Whether JSON is accepted before HTML.
fn prefers_json(accept: &str) -> bool {
    let named = accept.split(',').map(|part| part.split(';').next().unwrap_or("").trim());
    named.take_while(|media| !matches!(*media, "text/html" | "*/*")).any(|media| media == "application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(address: &str, accept: &str) -> PageRequest {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept.parse().expect("a header"));
        PageRequest::of(&Method::GET, &address.parse().expect("an address"), &headers, b"")
    }

    #[test]
    fn json_is_chosen_by_parameter_or_header() {
        for (address, accept, json) in [
            ("/kb", "text/html,application/json", false),
            ("/kb", "application/json, text/html", true),
            ("/kb", "*/*", false),
            ("/kb?format=json", "text/html", true),
            ("/kb?format=csv", "application/json", false),
        ] {
            assert_eq!(request(address, accept).wants_json, json, "{address} {accept}");
        }
    }

    #[test]
    fn parameters_are_checked() {
        let request = request("/kb?page=7&kind=class&q=+a%26b+", "");
        assert_eq!(request.text("q").expect("short"), "a&b");
        assert_eq!(request.number("page", 10).expect("a number"), 7);
        assert!(request.number("page", 6).is_err() && request.number("kind", 6).is_err());
        assert_eq!(request.choice("kind", &["all", "class"]).expect("known"), "class");
        assert_eq!(request.choice("other", &["all", "class"]).expect("absent"), "all");
        assert!(request.choice("q", &["all"]).is_err());
    }
}
