//! What is wrong with a query that cannot be parsed, in the terms of the person who writes it.
//!
//! The parser lists what could stand at the place where it gave up, which is seldom what the writer forgot. The
//! usual slips are found by going through the tokens once more.

use super::tidy::is_known_prefix;
use super::tokens::{SparqlToken, TokenKind, sparql_tokens};
use crate::text::{Span, SyntaxError};

/// Words that begin clauses, modifiers and filters, and words inside them.
const KEYWORDS: &[&str] = &[
    "SELECT",
    "ASK",
    "CONSTRUCT",
    "DESCRIBE",
    "PREFIX",
    "BASE",
    "FROM",
    "NAMED",
    "WHERE",
    "DISTINCT",
    "REDUCED",
    "AS",
    "GROUP",
    "BY",
    "HAVING",
    "ORDER",
    "ASC",
    "DESC",
    "LIMIT",
    "OFFSET",
    "VALUES",
    "OPTIONAL",
    "GRAPH",
    "UNION",
    "FILTER",
    "BIND",
    "SERVICE",
    "SILENT",
    "MINUS",
    "UNDEF",
    "IN",
    "NOT",
    "EXISTS",
    "SEPARATOR",
    "LATERAL",
    "TRUE",
    "FALSE",
    "A",
    "COUNT",
    "SUM",
    "MIN",
    "MAX",
    "AVG",
    "SAMPLE",
    "GROUP_CONCAT",
    "VERSION",
    "NIL",
];

/// Functions that are called by a bare word.
const FUNCTIONS: &[&str] = &[
    "STR",
    "LANG",
    "LANGMATCHES",
    "DATATYPE",
    "BOUND",
    "IRI",
    "URI",
    "BNODE",
    "RAND",
    "ABS",
    "CEIL",
    "FLOOR",
    "ROUND",
    "CONCAT",
    "STRLEN",
    "UCASE",
    "LCASE",
    "ENCODE_FOR_URI",
    "CONTAINS",
    "STRSTARTS",
    "STRENDS",
    "STRBEFORE",
    "STRAFTER",
    "YEAR",
    "MONTH",
    "DAY",
    "HOURS",
    "MINUTES",
    "SECONDS",
    "TIMEZONE",
    "TZ",
    "NOW",
    "UUID",
    "STRUUID",
    "MD5",
    "SHA1",
    "SHA256",
    "SHA384",
    "SHA512",
    "COALESCE",
    "IF",
    "STRLANG",
    "STRDT",
    "SAMETERM",
    "ISIRI",
    "ISURI",
    "ISBLANK",
    "ISLITERAL",
    "ISNUMERIC",
    "REGEX",
    "SUBSTR",
    "REPLACE",
    "ADJUST",
    "TRIPLE",
    "SUBJECT",
    "PREDICATE",
    "OBJECT",
    "ISTRIPLE",
    "LANGDIR",
    "STRLANGDIR",
    "HASLANG",
    "HASLANGDIR",
    "EXISTS",
];

/// The first usual slip in a query that the parser refuses.
pub(super) fn diagnose(source: &str) -> Option<SyntaxError> {
    let tokens: Vec<SparqlToken<'_>> =
        sparql_tokens(source).filter(|token| token.kind != TokenKind::Blank).collect();
    unknown_word(&tokens)
        .or_else(|| undeclared_prefix(&tokens))
        .or_else(|| without_brackets(&tokens))
        .or_else(|| without_number(&tokens))
        .or_else(|| incomplete_triple(source, &tokens))
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.iter().chain(FUNCTIONS).any(|known| known.eq_ignore_ascii_case(word))
}

/// A bare word that is neither a keyword nor a function.
fn unknown_word(tokens: &[SparqlToken<'_>]) -> Option<SyntaxError> {
    let is_bare = |word: &str| word.starts_with(|c: char| c.is_alphabetic());
    let wrong = tokens
        .iter()
        .find(|token| token.kind == TokenKind::Word && is_bare(token.text) && !is_keyword(token.text))?;
    let shown: String = wrong.text.chars().take(40).collect();
    let error = SyntaxError::new(wrong.span(), format!("`{shown}` is not a word of SPARQL"));
    let error = error
        .hint("variables begin with `?`, IRIs are written in `<...>`, names have a prefix as in `ex:name`");
    Some(error.nearest(&wrong.text.to_ascii_uppercase(), KEYWORDS.iter().chain(FUNCTIONS).copied()))
}

/// A name whose prefix nothing declares.
fn undeclared_prefix(tokens: &[SparqlToken<'_>]) -> Option<SyntaxError> {
    let mut declared: Vec<&str> = vec!["_"];
    for pair in tokens.windows(2) {
        let name = pair[1].word_or_name().filter(|_| pair[0].is_word("PREFIX"));
        declared.extend(name.and_then(|name| name.split(':').next()));
    }
    let is_unknown = |prefix: &str| !declared.contains(&prefix) && !is_known_prefix(prefix);
    let (token, prefix) = tokens.iter().find_map(|token| {
        let (prefix, _) = token.word_or_name()?.split_once(':')?;
        is_unknown(prefix).then_some((token, prefix))
    })?;
    let shown: String = prefix.chars().take(40).collect();
    let error = SyntaxError::new(token.span(), format!("the prefix `{shown}:` is not declared"));
    Some(error.hint(format!("write PREFIX {shown}: <...> first")))
}

/// A condition of FILTER that is neither in brackets nor a function.
fn without_brackets(tokens: &[SparqlToken<'_>]) -> Option<SyntaxError> {
    let is_condition = |token: &SparqlToken<'_>| {
        token.word_or_name().is_some() || token.kind == TokenKind::Iri || token.is_mark("(")
    };
    let pair = tokens.windows(2).find(|pair| pair[0].is_word("FILTER") && !is_condition(&pair[1]))?;
    let error = SyntaxError::new(pair[1].span(), "the condition of FILTER is not in brackets");
    Some(error.hint("write FILTER(...)"))
}

/// LIMIT or OFFSET without a number.
fn without_number(tokens: &[SparqlToken<'_>]) -> Option<SyntaxError> {
    tokens.iter().enumerate().find_map(|(at, token)| {
        let wants_number = ["LIMIT", "OFFSET"].into_iter().find(|known| token.is_word(known))?;
        let next = tokens.get(at + 1).map(|next| next.text);
        let is_number = next.is_some_and(|next| next.bytes().all(|byte| byte.is_ascii_digit()));
        (!is_number)
            .then(|| SyntaxError::new(token.span(), format!("{wants_number} needs a whole number after it")))
    })
}

/// A statement of one or two plain terms.
fn incomplete_triple(source: &str, tokens: &[SparqlToken<'_>]) -> Option<SyntaxError> {
    let is_term = |token: &&SparqlToken<'_>| match token.kind {
        TokenKind::Iri | TokenKind::Text | TokenKind::Variable | TokenKind::Name => true,
        TokenKind::Word => token.text == "a",
        TokenKind::LanguageTag => token.text.contains(':'),
        _ => false,
    };
    for (at, token) in tokens.iter().enumerate() {
        // The list of VALUES has no triples.
        let is_list =
            at >= 2 && tokens[at - 1].kind == TokenKind::Variable && tokens[at - 2].is_word("VALUES");
        if !["{", ".", "}"].iter().any(|mark| token.is_mark(mark)) || is_list {
            continue;
        }
        let statement: Vec<&SparqlToken<'_>> = tokens[at + 1..].iter().take_while(is_term).collect();
        let (Some(first), Some(last)) = (statement.first(), statement.last()) else { continue };
        let ended = tokens.get(at + 1 + statement.len()).is_none_or(|next| matches!(next.text, "." | "}"));
        if ended && statement.len() < 3 {
            let range = first.start..last.end();
            let shown: String = source[range.clone()].chars().take(60).collect();
            let error = SyntaxError::new(
                Span::new(range.start, range.end),
                format!("the triple `{shown}` is not complete"),
            );
            return Some(error.hint("a triple has a subject, a predicate and an object"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn usual_slips_are_named() {
        for (query, message) in [
            ("SELECT ?x WHERE { ?x a <u:film> . FILTR(?x > 3) }", "`FILTR` is not a word of SPARQL in"),
            ("SELECT ?x { ?x <u:p> ?y } ORDR BY ?x", "did you mean `ORDER`?"),
            ("SELECT x { ?x <u:p> ?y }", "line 1, column 8: `x` is not a word of SPARQL"),
            ("SELECT ?x { ?x foo ?y }", "variables begin with `?`"),
            ("SELECT ?x { ?x <u:p> }", "the triple `?x <u:p>` is not complete"),
            ("SELECT ?x { ?x <u:p> ?y . ?y }", "the triple `?y` is not complete"),
            ("SELECT ?x { ?x <u:p> ?y FILTER ?y > 3 }", "write FILTER(...)"),
            ("SELECT ?x { ?x <u:p> ?y } LIMIT", "LIMIT needs a whole number after it"),
            ("SELECT ?x { ?x ex:p ?y }", "the prefix `ex:` is not declared in"),
            (
                "PREFIX ex: <u:> SELECT ?x { VALUES ?x { ex:a ex:b } ?x ex:p }",
                "the triple `?x ex:p` is not complete",
            ),
            ("SELECT ?x { ?x <u:p> ?y } LIMIT ten", "`ten` is not a word of SPARQL"),
        ] {
            let error = parse(query).expect_err(query).to_string();
            assert!(error.contains(message), "{query}: {error}");
        }
    }

    #[test]
    fn no_message_lists_what_only_the_parser_knows() {
        // Everything that can be cut off or doubled in a query.
        let query = "PREFIX ex: <u:> SELECT DISTINCT ?x (COUNT(?y) AS ?n) WHERE { ?x ex:p/ex:q* ?y . OPTIONAL { ?y a ex:c } FILTER(?y > 3 && STR(?y) != \"a\") } GROUP BY ?x HAVING(?n > 1) ORDER BY DESC(?n) LIMIT 3";
        let pieces: Vec<&str> = query.split(' ').collect();
        for at in 0..pieces.len() {
            let mut without = pieces.clone();
            without.remove(at);
            let mut doubled = pieces.clone();
            doubled.insert(at, pieces[at]);
            for text in [without.join(" "), doubled.join(" ")] {
                let Err(error) = parse(&text) else { continue };
                let error = error.to_string();
                let odd =
                    ["LATERAL", "[_]", "other things", "expected "].iter().find(|odd| error.contains(**odd));
                assert_eq!(odd, None, "{text}: {error}");
            }
        }
    }
}
