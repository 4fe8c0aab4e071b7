//! Cuts possibly malformed SPARQL into tokens, and finds its literal triple patterns without a parser.
//!
//! Degraded queries lack a bracket, predicted ones may be cut off; their content can still be compared.

use crate::elements::{Elements, Pattern, after_brackets, is_condition};
use std::borrow::Cow;
use touchstone_logic::sparql::tokens::{SparqlTokens, TokenKind, sparql_tokens};
use touchstone_logic::sparql::{is_neural_name, neural_mark};

/// A token of SPARQL.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Token<'t> {
    /// `<...>`, `prefix:name`, or a name with a prefix of neural SPARQL machines like `dbo_birthPlace`.
    Iri(Cow<'t, str>),
    /// `?x`, `$x`, `var_x`.
    Variable(&'t str),
    /// A text, a number, `true` or `false`.
    Literal(Cow<'t, str>),
    /// A keyword.
    Word(&'t str),
    /// A bracket, a full stop, an operator.
    Mark(&'t str),
}

/// The tokens of a text, as far as patterns need them: a literal with its datatype or language is one token, and so are names with dots
/// and paths of short names.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::with_capacity(text.len() / 8);
    let mut rest = sparql_tokens(text);
    while let Some(token) = rest.next() {
        let found = match token.kind {
            TokenKind::Blank => continue,
            TokenKind::Iri => Token::Iri(Cow::Borrowed(token.text)),
            TokenKind::Variable => Token::Variable(token.text),
            TokenKind::Text => {
                let end = end_of_literal(token.end(), &mut rest);
                Token::Literal(Cow::Borrowed(&text[token.start..end]))
            }
            TokenKind::Word | TokenKind::Name => {
                let end = end_of_name(token.end(), &mut rest);
                let is_prefixed = token.kind == TokenKind::Name;
                word_token(&text[token.start..end], is_prefixed)
            }
            // A language tag separate from its text.
            TokenKind::LanguageTag => {
                let (mark, language) = token.text.split_at(1);
                out.push(Token::Mark(mark));
                if language.is_empty() {
                    continue;
                }
                word_token(language, false)
            }
            TokenKind::Open | TokenKind::Close | TokenKind::Mark => Token::Mark(token.text),
        };
        out.push(found);
    }
    out
}

/// The end of a string with its datatype or language, which are taken from the following tokens.
fn end_of_literal(end: usize, rest: &mut SparqlTokens<'_>) -> usize {
    if !matches!(rest.next_byte(), Some(b'^' | b'@')) {
        return end;
    }
    let mut ahead = rest.clone();
    let Some(next) = ahead.next() else { return end };
    if next.kind == TokenKind::LanguageTag {
        *rest = ahead;
        return next.end();
    }
    if !next.is_mark("^^") {
        return end;
    }
    *rest = ahead.clone();
    match ahead.next() {
        Some(datatype) if datatype.kind == TokenKind::Iri => {
            *rest = ahead;
            datatype.end()
        }
        Some(datatype) if matches!(datatype.kind, TokenKind::Word | TokenKind::Name) => {
            *rest = ahead;
            end_of_name(datatype.end(), rest)
        }
        _ => next.end(),
    }
}

/// The end of a name that may continue after dots and slashes, like `m.0k8z` and `wdt:P31/wdt:P279`.
fn end_of_name(mut end: usize, rest: &mut SparqlTokens<'_>) -> usize {
    if !matches!(rest.next_byte(), Some(b'.' | b'/' | b'%')) {
        return end;
    }
    let mut ahead = rest.clone();
    while let Some(next) = ahead.next() {
        let is_part =
            matches!(next.kind, TokenKind::Word | TokenKind::Name) || matches!(next.text, "%" | "-");
        if is_part {
            end = next.end();
            *rest = ahead.clone();
        } else if !matches!(next.text, "." | "/") {
            break;
        }
    }
    end
}

/// The kind of a word or a name.
fn word_token(word: &str, is_prefixed: bool) -> Token<'_> {
    if is_prefixed || word == "a" {
        return Token::Iri(Cow::Borrowed(word));
    }
    if let Some(mark) = neural_mark(word).filter(|mark| matches!(*mark, "{" | "}" | "(" | ")" | ".")) {
        return Token::Mark(mark);
    }
    if word.starts_with("var_") {
        return Token::Variable(word);
    }
    if word.contains(':') || is_neural_name(word) {
        return Token::Iri(Cow::Borrowed(word));
    }
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    if is_number || word.eq_ignore_ascii_case("true") || word.eq_ignore_ascii_case("false") {
        return Token::Literal(Cow::Borrowed(word));
    }
    Token::Word(word)
}

/// Finds the triple patterns of a text from its tokens alone, each as written: what F1Sem and F1Tri compare exactly as in the paper
/// (`--compat gek`).
pub(crate) fn scan(text: &str) -> Elements<'_> {
    let tokens = tokens(text);
    let mut scanned = Literal::default();
    let mut at = tokens.iter().position(|token| *token == Token::Mark("{")).map_or(0, |at| at + 1);
    let mut terms: Vec<Cow<'_, str>> = Vec::new();
    while at < tokens.len() {
        match &tokens[at] {
            Token::Word(word) if is_condition(word) => {
                scanned.add(&mut terms, true);
                at = after_brackets(&tokens, at + 1);
                continue;
            }
            Token::Word(word) if word.eq_ignore_ascii_case("values") => {
                scanned.add(&mut terms, true);
                let end = tokens[at..].iter().position(|token| *token == Token::Mark("}"));
                let end = end.map_or(tokens.len(), |end| at + end + 1);
                let listed = tokens[at..end].iter().filter_map(|token| match token {
                    Token::Iri(iri) => Some(iri.clone()),
                    _ => None,
                });
                scanned.iris.extend(listed);
                at = end;
                continue;
            }
            Token::Word(_) => scanned.add(&mut terms, true),
            Token::Iri(term) | Token::Literal(term) => terms.push(term.clone()),
            Token::Variable(_) => terms.push(Cow::Borrowed("?")),
            // The same subject again.
            Token::Mark(";") => scanned.add(&mut terms, false),
            Token::Mark(_) => scanned.add(&mut terms, true),
        }
        at += 1;
    }
    scanned.add(&mut terms, true);
    Elements::of(scanned.patterns, scanned.iris)
}

/// The patterns found so far.
#[derive(Default)]
struct Literal<'t> {
    patterns: Vec<Pattern<'t>>,
    iris: Vec<Cow<'t, str>>,
}

impl<'t> Literal<'t> {
    /// Adds a pattern, if it is complete; keeps the subject unless the pattern has ended.
    fn add(&mut self, terms: &mut Vec<Cow<'t, str>>, over: bool) {
        if let [subject, predicate, object] = &terms[..] {
            let named = terms.iter().filter(|term| is_iri(term));
            self.iris.extend(named.cloned());
            self.patterns.push([subject.clone(), predicate.clone(), object.clone()]);
        }
        terms.truncate(usize::from(!over));
    }
}

fn is_iri(term: &str) -> bool {
    !term.starts_with(['?', '"', '\'']) && !term.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_text_says_what_it_said() {
        let whole = "SELECT DISTINCT ?x WHERE { ?x a <urn:film> . ?x dbo:director ?y ; dbo:year \"1994\"^^xsd:gYear . FILTER(?y > 3 && regex(?z, \"a.b\")) ?y <urn:p> <urn:o> . }";
        let found = scan(whole);
        assert_eq!(found.patterns.len(), 4, "{found:?}");
        assert_eq!(found.iris, ["<urn:film>", "<urn:o>", "<urn:p>", "a", "dbo:director", "dbo:year"]);
        for cut in ["", " ", "}"] {
            let broken = whole.trim_end_matches('}').to_owned() + cut;
            assert_eq!(scan(&broken).patterns, found.patterns);
        }
        let renamed = whole.replace("?x", "?q").replace("?y", "?w");
        assert_eq!(scan(&renamed).patterns, found.patterns);
    }

    #[test]
    fn neural_tokens_and_lists() {
        let coded = "select distinct var_a where brack_open dbr_Paris dbo_country var_a sep_dot var_a rdf_type dbo_Country brack_close";
        assert_eq!(scan(coded).patterns.len(), 2);
        assert_eq!(scan(coded).iris, ["dbo_Country", "dbo_country", "dbr_Paris", "rdf_type"]);
        let listed = "ASK { VALUES ?a { <urn:x> <urn:y> } ?a <urn:p> 4 . }";
        assert_eq!(scan(listed).iris, ["<urn:p>", "<urn:x>", "<urn:y>"]);
        assert_eq!(scan(listed).patterns, [["?", "<urn:p>", "4"].map(Cow::Borrowed)]);
    }

    #[test]
    fn anything_is_read() {
        for text in [
            "", "{", "}}}{", "\"", "'\\", "<", "<a b>", "?", "a.b.", "\"x\"^^", "\"x\"@", "FILTER",
            "FILTER(", "VALUES", "é<ü>", "§",
        ] {
            scan(text);
        }
    }
}
