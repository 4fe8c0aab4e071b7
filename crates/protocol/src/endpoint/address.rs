//! Addresses of endpoints: which are accepted, how they are shown, and which share credentials.

use super::error::EndpointError;
use ureq::http::Uri;

/// An address that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    uri: Uri,
    shown: String,
}

impl Address {
    pub(super) fn parse(text: &str) -> Result<Address, EndpointError> {
        let wrong = |reason: String| EndpointError::Address { url: without_secrets(text), reason };
        let uri: Uri = text.trim().parse().map_err(|error| wrong(format!("{error}")))?;
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(wrong(format!(
                "has a user or password in it, which ends up in logs: leave them out and set {} and {} instead",
                super::credentials::USER_VARIABLE,
                super::credentials::PASSWORD_VARIABLE
            )));
        }
        match uri.scheme_str() {
            Some("http" | "https") if uri.host().is_some_and(|host| !host.is_empty()) => {}
            _ => return Err(wrong("must begin with http:// or https:// and a host".to_owned())),
        }
        Ok(Address { shown: without_secrets(text), uri })
    }

    /// For messages.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// The address with parameters added.
    pub(super) fn with_parameters(&self, parameters: &str) -> String {
        let joint = if self.uri.query().is_some() { '&' } else { '?' };
        format!("{}{joint}{parameters}", self.uri)
    }

    pub(super) fn as_uri(&self) -> &Uri {
        &self.uri
    }

    /// Whether credentials for one address may be sent to the other.
    pub(super) fn same_place(&self, other: &Address) -> bool {
        let port =
            |uri: &Uri| uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
        self.uri.scheme_str() == other.uri.scheme_str()
            && self.uri.host().map(str::to_ascii_lowercase) == other.uri.host().map(str::to_ascii_lowercase)
            && port(&self.uri) == port(&other.uri)
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.uri.scheme_str() == Some("https")
    }

    /// The target of a `Location` header. Paths relative to a path are refused: servers no longer send them.
    pub(super) fn follow(&self, location: &str) -> Result<Address, EndpointError> {
        let scheme = self.uri.scheme_str().unwrap_or("http");
        let authority = self.uri.authority().map_or("", |authority| authority.as_str());
        if location.contains("://") {
            Address::parse(location)
        } else if location.starts_with("//") {
            Address::parse(&format!("{scheme}:{location}"))
        } else if location.starts_with('/') {
            Address::parse(&format!("{scheme}://{authority}{location}"))
        } else {
            Err(EndpointError::Redirect {
                url: self.shown.clone(),
                to: without_secrets(location),
                reason: "not an address",
            })
        }
    }
}

/// An address without user, password, parameters and fragment.
fn without_secrets(text: &str) -> String {
    let text = text.trim();
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let text = &text[..end];
    let start = text.find("://").map_or(0, |at| at + 3);
    let path = text[start..].find('/').map_or(text.len(), |at| start + at);
    // Up to the last @ of the authority: passwords may contain any character.
    match text[start..path].rfind('@') {
        Some(at) => format!("{}{}", &text[..start], &text[start + at + 1..]),
        None => text.to_owned(),
    }
}

/// Parameters as in a form: `a=b&c=d`.
pub(super) fn form(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_addresses_are_refused_and_never_shown() {
        let error = Address::parse("http://me:hunter2@example.org/sparql?key=hunter2")
            .expect_err("secret")
            .to_string();
        assert!(error.contains("http://example.org/sparql: has a user"), "{error}");
        assert!(error.contains("TOUCHSTONE_ENDPOINT_USER") && !error.contains("hunter2"), "{error}");
        let address = Address::parse("http://example.org/sparql?key=hunter2").expect("good");
        assert_eq!(address.shown(), "http://example.org/sparql");
        assert_eq!(address.with_parameters("a=b"), "http://example.org/sparql?key=hunter2&a=b");
        assert_eq!(without_secrets("http://a:b@c@d.org:80/x#y"), "http://d.org:80/x");
        for bad in ["", "sparql", "ftp://example.org/", "http://", "file:///etc/passwd", "http://exa mple/"] {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn redirects_know_their_place() {
        let from = Address::parse("http://example.org/a/b?x=y").expect("good");
        let to = |location: &str| from.follow(location).expect("good");
        assert_eq!(to("/c").as_uri().to_string(), "http://example.org/c");
        assert_eq!(to("//other.org/c").as_uri().to_string(), "http://other.org/c");
        assert!(from.same_place(&to("/c")) && from.same_place(&to("http://EXAMPLE.org:80/")));
        for elsewhere in [
            "http://other.org/",
            "http://example.org:81/",
            "https://example.org/",
            "http://example.org.evil/",
        ] {
            assert!(!from.same_place(&to(elsewhere)), "{elsewhere}");
        }
        assert!(from.follow("c").is_err());
        assert!(from.follow("http://u:p@other.org/").is_err());
    }

    #[test]
    fn forms_are_encoded() {
        assert_eq!(form(&[("query", "a b&c=\u{e9}+"), ("x", "~")]), "query=a+b%26c%3D%C3%A9%2B&x=%7E");
    }
}
