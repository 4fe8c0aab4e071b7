//! Addresses of pages.

use form_urlencoded::Serializer;
use touchstone_logic::Language;

/// A path with parameters; empty ones are left out.
pub(super) fn link(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = Serializer::new(String::new());
    for (name, value) in parameters.iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// The page of an entity or a class.
pub(super) fn node(id: &str) -> String {
    link("/kb/show", &[("id", id)])
}

/// The page of a property.
pub(super) fn property(id: &str) -> String {
    link("/kb/property", &[("id", id)])
}

/// The page of a query.
pub(super) fn query(language: Language, text: &str) -> String {
    link("/query", &[("lang", language.word()), ("q", text)])
}

#[cfg(test)]
mod tests {
    use super::link;

    #[test]
    fn parameters_are_encoded() {
        assert_eq!(link("/kb", &[]), "/kb");
        assert_eq!(link("/kb", &[("a", ""), ("id", "a&b=c/é \"<")]), "/kb?id=a%26b%3Dc%2F%C3%A9+%22%3C");
    }
}
