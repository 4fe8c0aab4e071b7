//! The tokens of neural SPARQL machines (NSpM), in which DBNQA is written.

use super::tidy::KNOWN_PREFIXES;

/// Turns the tokens of neural SPARQL machines back into SPARQL.
pub(super) fn decode_tokens(source: &str) -> String {
    const WORDS: [(&str, &str); 12] = [
        ("par_open", "("),
        ("par_close", ")"),
        ("attr_open", "("),
        ("attr_close", ")"),
        ("brack_open", "{"),
        ("brack_close", "}"),
        ("sep_dot", "."),
        ("wildcard", "*"),
        ("math_leq", "<="),
        ("math_geq", ">="),
        ("math_lt", "<"),
        ("math_gt", ">"),
    ];
    const PREFIXES: [&str; 13] =
        ["dbo", "dbp", "dbc", "dbr", "dct", "geo", "georss", "rdf", "rdfs", "foaf", "owl", "yago", "skos"];
    let mut text = String::with_capacity(source.len());
    let mut words = source.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if !text.is_empty() {
            text.push(' ');
        }
        if let Some((_, mark)) = WORDS.iter().find(|(name, _)| *name == word) {
            text.push_str(mark);
        } else if word == "_oba_" || word == "_obd_" {
            let order = if word == "_oba_" { "ASC" } else { "DESC" };
            let operand = words.next().unwrap_or("").replacen("var_", "?", 1);
            text.push_str(&format!("ORDER BY {order}({operand})"));
        } else if let Some(name) = word.strip_prefix("var_") {
            text.push('?');
            text.push_str(name);
        } else {
            decode_name(word, &mut words, &PREFIXES, &mut text);
        }
    }
    text
}

/// `dbr_Alien_ attr_open film attr_close` is one name that was cut at its brackets.
fn decode_name<'w>(
    word: &'w str,
    words: &mut std::iter::Peekable<impl Iterator<Item = &'w str>>,
    prefixes: &[&str],
    text: &mut String,
) {
    let bare = word.trim_start_matches('<').trim_end_matches('>');
    let Some((prefix, local)) = bare.split_once('_').filter(|(prefix, _)| prefixes.contains(prefix)) else {
        text.push_str(word);
        return;
    };
    let namespace = KNOWN_PREFIXES.iter().find(|(name, _)| *name == prefix).map_or("", |&(_, iri)| iri);
    let mut name = local.to_owned();
    while name.ends_with('_') && words.peek() == Some(&"attr_open") {
        words.next();
        name.push('(');
        for inner in words.by_ref() {
            if inner == "attr_close" {
                name.push(')');
                break;
            }
            name.push_str(inner);
        }
    }
    text.push_str(&format!("<{namespace}{name}>"));
}
