//! SPARQL that may be broken, cut into tokens; and its triple patterns by the letter, found without a parser.
//!
//! Degraded queries have lost a bracket, predicted ones end in the middle; what they say can still be compared.

use crate::elements::{Elements, Pattern, after_brackets, is_condition};
use std::borrow::Cow;
use touchstone_logic::first_byte;

/// A token of SPARQL.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Token<'t> {
    /// `<...>`, `prefix:name`, or a name with a prefix of neural SPARQL machines like `dbo_birthPlace`.
    Iri(Cow<'t, str>),
    /// `?x`, `$x`, `var_x`.
    Variable(&'t str),
    /// A text, a number, true or false.
    Literal(Cow<'t, str>),
    /// A keyword.
    Word(&'t str),
    /// A bracket, a full stop, an operator.
    Mark(&'t str),
}

/// The prefixes of neural SPARQL machines.
const CODED: [&str; 13] = [
    "dbo_", "dbp_", "dbc_", "dbr_", "dct_", "geo_", "georss_", "rdf_", "rdfs_", "foaf_", "owl_", "yago_",
    "skos_",
];

/// The marks of neural SPARQL machines.
const CODED_MARKS: [(&str, &str); 7] = [
    ("brack_open", "{"),
    ("brack_close", "}"),
    ("par_open", "("),
    ("par_close", ")"),
    ("attr_open", "("),
    ("attr_close", ")"),
    ("sep_dot", "."),
];

/// The tokens of a text.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::with_capacity(text.len() / 8);
    let (bytes, mut at) = (text.as_bytes(), 0);
    while let Some(&byte) = bytes.get(at) {
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            at += 1;
            continue;
        }
        let rest = &text[at..];
        let length = match byte {
            b'#' => rest.find('\n').unwrap_or(rest.len()),
            b'<' => match iri_length(rest) {
                Some(length) => {
                    out.push(Token::Iri(Cow::Borrowed(&rest[..length])));
                    length
                }
                None => mark(rest, &mut out),
            },
            b'?' | b'$' => {
                let length = 1 + word_length(&rest[1..]);
                out.push(if length > 1 { Token::Variable(&rest[..length]) } else { Token::Mark(&rest[..1]) });
                length
            }
            b'"' | b'\'' => {
                let length = literal_length(rest);
                out.push(Token::Literal(Cow::Borrowed(&rest[..length])));
                length
            }
            _ => match rest.chars().next() {
                Some(c) if c.is_whitespace() => c.len_utf8(),
                Some(c) if c.is_alphanumeric() || c == '_' || c == ':' => {
                    let length = name_length(rest);
                    out.push(name(&rest[..length]));
                    length
                }
                _ => mark(rest, &mut out),
            },
        };
        at += length.max(1);
    }
    out
}

fn mark<'t>(rest: &'t str, out: &mut Vec<Token<'t>>) -> usize {
    let two = ["<=", ">=", "!=", "&&", "||", "^^"].iter().any(|two| rest.starts_with(two));
    let length = if two { 2 } else { rest.chars().next().map_or(1, char::len_utf8) };
    out.push(Token::Mark(&rest[..length]));
    length
}

/// By byte: whether an IRI ends before it.
const IRI_ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let (all, mut at) = (b"><{} \"\n", 0);
    while at < all.len() {
        ends[all[at] as usize] = true;
        at += 1;
    }
    ends
};

/// `<...>` without blanks and brackets inside.
fn iri_length(rest: &str) -> Option<usize> {
    let end = first_byte(&rest.as_bytes()[1..], |byte| IRI_ENDS[usize::from(byte)])? + 1;
    rest[end..].starts_with('>').then_some(end + 1)
}

fn word_length(rest: &str) -> usize {
    length_of(rest, |byte| byte == b'_')
}

/// How far letters, digits and some other characters go.
fn length_of(text: &str, is_other: impl Fn(u8) -> bool) -> usize {
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        if byte.is_ascii() {
            if !byte.is_ascii_alphanumeric() && !is_other(byte) {
                break;
            }
            at += 1;
        } else {
            match text[at..].chars().next() {
                Some(c) if c.is_alphanumeric() => at += c.len_utf8(),
                _ => break,
            }
        }
    }
    at
}

/// Names with a prefix may contain dots and more, but do not end with one.
fn name_length(rest: &str) -> usize {
    let length = length_of(rest, |byte| b"_:-.%/".contains(&byte));
    rest[..length].trim_end_matches(['.', '/']).len().max(1)
}

fn literal_length(rest: &str) -> usize {
    let quote = &rest[..1];
    let mut end = 1;
    let mut chars = rest[1..].char_indices();
    while let Some((at, c)) = chars.next() {
        end = 1 + at + c.len_utf8();
        match c {
            '\\' => {
                if let Some((at, c)) = chars.next() {
                    end = 1 + at + c.len_utf8();
                }
            }
            c if quote.starts_with(c) => break,
            _ => {}
        }
    }
    let after = &rest[end..];
    if let Some(datatype) = after.strip_prefix("^^") {
        let length = if datatype.starts_with('<') {
            iri_length(datatype).unwrap_or(0)
        } else {
            name_length(datatype) * usize::from(!datatype.is_empty())
        };
        end += 2 + length;
    } else if let Some(language) = after.strip_prefix('@') {
        end += 1 + language.find(|c: char| !(c.is_alphanumeric() || c == '-')).unwrap_or(language.len());
    }
    end
}

fn name(word: &str) -> Token<'_> {
    if let Some((_, plain)) = CODED_MARKS.iter().find(|(code, _)| *code == word) {
        return Token::Mark(plain);
    }
    if word.starts_with("var_") {
        return Token::Variable(word);
    }
    if word == "a" || word.contains(':') || CODED.iter().any(|prefix| word.starts_with(prefix)) {
        return Token::Iri(Cow::Borrowed(word));
    }
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    if is_number || word.eq_ignore_ascii_case("true") || word.eq_ignore_ascii_case("false") {
        return Token::Literal(Cow::Borrowed(word));
    }
    Token::Word(word)
}

/// Finds the triple patterns of a text by its tokens alone, each as it is written: what F1Sem and F1Tri compare by the letter of the paper
/// (`--compat gek`).
pub fn scan(text: &str) -> Elements<'_> {
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

/// What was found so far.
#[derive(Default)]
struct Literal<'t> {
    patterns: Vec<Pattern<'t>>,
    iris: Vec<Cow<'t, str>>,
}

impl<'t> Literal<'t> {
    /// Takes a pattern, if there is a whole one; the subject stays unless the pattern is over.
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
