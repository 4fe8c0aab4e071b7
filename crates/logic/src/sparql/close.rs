//! Reads SPARQL that has lost brackets, as cut and damaged queries have: closes them where the parser can go on.

use super::neural::{decode_neural, is_neural};
use super::tokens::{SparqlToken, TokenKind, sparql_tokens};
use super::{Parsed, parse};
use std::borrow::Cow;

/// Maximum number of places at which a lost bracket is tried.
const MAX_PLACES: usize = 8;

/// Words that follow the group of a query.
const BEHIND_GROUP: [&str; 6] = ["ORDER", "GROUP", "HAVING", "LIMIT", "OFFSET", "VALUES"];

/// Parses a query whose brackets do not match: lost ones are put at the end or before ORDER BY and its like, those that close nothing are
/// left out, and of a text that ends in the middle of a triple that triple is left out. `None` if it cannot be parsed in any of these ways.
pub fn parse_closed(source: &str) -> Option<Parsed> {
    let source = if is_neural(source) { Cow::Owned(decode_neural(source)) } else { Cow::Borrowed(source) };
    let tokens: Vec<SparqlToken<'_>> = sparql_tokens(&source).collect();
    let balanced = balanced(&source, &tokens, None)?;
    if let Ok(parsed) = parse(&balanced) {
        return Some(parsed);
    }
    let is_behind = |token: &SparqlToken<'_>| BEHIND_GROUP.iter().any(|word| token.is_word(word));
    let places = tokens.iter().enumerate().filter(|(_, token)| is_behind(token)).map(|(at, _)| at);
    let places: Vec<usize> = places.collect();
    let closed_before = |&at: &usize| parse(&self::balanced(&source, &tokens, Some(at))?).ok();
    places.iter().rev().take(MAX_PLACES).find_map(closed_before).or_else(|| {
        // The last triple may be half of one.
        let last = tokens.iter().rposition(|token| token.is_mark("."))?;
        parse(&self::balanced(&source, &tokens[..=last], None)?).ok()
    })
}

/// The text with every bracket closed, one of them before the token `early`; `None` if there is nothing to close.
fn balanced(source: &str, tokens: &[SparqlToken<'_>], early: Option<usize>) -> Option<String> {
    let mut text = String::with_capacity(source.len() + 8);
    let mut open: Vec<&str> = Vec::new();
    let closing = |opened: &str| match opened {
        "{" => " } ",
        "(" => ")",
        _ => "]",
    };
    let mut is_changed = false;
    for (at, token) in tokens.iter().enumerate() {
        let piece = token.text;
        if early == Some(at) {
            if open.last() != Some(&"{") {
                return None;
            }
            open.pop();
            text.push_str(" } ");
            is_changed = true;
        }
        match token.kind {
            TokenKind::Open => open.push(piece),
            TokenKind::Close => {
                let is_own = |opened: &&str| closing(opened).trim() == piece;
                let Some(place) = open.iter().rposition(is_own) else {
                    is_changed = true;
                    continue;
                };
                while open.len() > place + 1 {
                    is_changed = true;
                    text.push_str(open.pop().map_or("", closing));
                }
                open.pop();
            }
            _ => {}
        }
        text.push_str(piece);
    }
    let is_cut = tokens.last().is_none_or(|last| last.end() < source.len());
    is_changed |= is_cut || !open.is_empty();
    // A comment would swallow it.
    if !open.is_empty() {
        text.push('\n');
    }
    while let Some(opened) = open.pop() {
        text.push_str(closing(opened));
    }
    is_changed.then_some(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sparql::Statements;

    #[test]
    fn lost_brackets_are_found() {
        let queries = [
            "SELECT ?x WHERE { ?x <urn:p> <urn:o> . ?x <urn:q> 5 }",
            "SELECT ?x WHERE { ?x <urn:p> ?y } ORDER BY DESC(?y) LIMIT 1",
            "SELECT ?x WHERE { { SELECT ?x WHERE { ?x <urn:p> ?y } ORDER BY ?y LIMIT 3 } ?x <urn:q> ?z }",
            "SELECT ?x WHERE { ?x <urn:p> ?y FILTER(?y > 5 && ?y < 9) } GROUP BY ?x HAVING (COUNT(?y) > 2)",
            "ASK { ?x <urn:p> \"}\" } # {",
            "select var_a where brack_open dbr_Paris dbo_country var_a brack_close",
            "SELECT ?x { ?x <urn:p> ?y } VALUES ?y { <urn:a> <urn:b> }",
        ];
        for query in queries {
            let whole = parse(query).unwrap();
            for (at, bracket) in query.match_indices(['}', ')']).chain(query.match_indices(" brack_close")) {
                if bracket == "}" && query[..at].ends_with('"') {
                    continue;
                }
                let broken = format!("{}{}", &query[..at], &query[at + bracket.len()..]);
                let Some(closed) = parse_closed(&broken) else { continue };
                assert_eq!(
                    Statements::of(&closed.query).patterns.len(),
                    Statements::of(&whole.query).patterns.len(),
                    "{broken}"
                );
            }
            // The last one is always found.
            let at = query.replace("# {", "   ").rfind(['}']).or_else(|| query.rfind("brack_close")).unwrap();
            let length = if query[at..].starts_with('}') { 1 } else { "brack_close".len() };
            let broken = format!("{}{}", &query[..at], &query[at + length..]);
            let closed = parse_closed(&broken).unwrap_or_else(|| panic!("{broken}"));
            assert_eq!(Statements::of(&closed.query).iris.len(), Statements::of(&whole.query).iris.len());
        }
    }

    #[test]
    fn cut_and_overfull_texts() {
        let patterns = |text: &str| Statements::of(&parse_closed(text).unwrap().query).patterns.len();
        assert_eq!(patterns("SELECT ?x WHERE { ?x <urn:p> <urn:o> . ?x <urn:q"), 1);
        assert_eq!(patterns("SELECT ?x WHERE { ?x <urn:p> <urn:o> . ?x <urn:q> ?y . } }"), 2);
        for text in
            ["", "}", "{", "SELECT", "not a query", "SELECT ?x WHERE", "ASK { <", "\"", "((((", "a.b."]
        {
            parse_closed(text);
        }
    }
}
