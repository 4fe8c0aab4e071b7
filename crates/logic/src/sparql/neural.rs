//! The tokens of neural SPARQL machines (NSpM), in which DBNQA is written.

use super::tidy::KNOWN_PREFIXES;
use memchr::memmem;

/// Namespaces of DBpedia and their codes, in the order in which they are replaced.
const NAMESPACES: [(&str, &[&str]); 13] = [
    ("dbo_", &["dbo:", "http://dbpedia.org/ontology/"]),
    ("dbp_", &["dbp:", "http://dbpedia.org/property/"]),
    ("dbc_", &["dbc:", "http://dbpedia.org/resource/Category:"]),
    ("dbr_", &["dbr:", "res:", "http://dbpedia.org/resource/"]),
    ("dct_", &["dct:"]),
    ("geo_", &["geo:"]),
    ("georss_", &["georss:"]),
    ("rdf_", &["rdf:", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"]),
    ("rdfs_", &["rdfs:", "http://www.w3.org/2000/01/rdf-schema#"]),
    ("foaf_", &["foaf:"]),
    ("owl_", &["owl:"]),
    ("yago_", &["yago:"]),
    ("skos_", &["skos:"]),
];

/// Marks and their codes, in the order in which they are replaced.
const MARKS: [(&str, &str); 15] = [
    (" ( ", "  par_open  "),
    (" ) ", "  par_close  "),
    ("(", " attr_open "),
    (") ", " attr_close "),
    (")", " attr_close "),
    ("{", " brack_open "),
    ("}", " brack_close "),
    (" . ", " sep_dot "),
    (". ", " sep_dot "),
    ("?", "var_"),
    ("*", "wildcard"),
    (" <= ", " math_leq "),
    (" >= ", " math_geq "),
    (" < ", " math_lt "),
    (" > ", " math_gt "),
];

/// Properties of DBpedia that are taken for one.
const UNIFIED: [(&str, &str); 17] = [
    ("dbp_almaMater", "dbo_almaMater"),
    ("dbp_awards", "dbo_award"),
    ("dbp_birthPlace", "dbo_birthPlace"),
    ("dbp_placeOfBirth", "dbo_birthPlace"),
    ("dbp_deathPlace", "dbo_deathPlace"),
    ("dbp_placeOfDeath", "dbo_deathPlace"),
    ("dbp_children", "dbo_child"),
    ("dbp_college", "dbo_college"),
    ("dbp_hometown", "dbo_hometown"),
    ("dbo_stateOfOrigin", "dbo_nationality"),
    ("dbp_relatives", "dbo_relative"),
    ("dbp_restingPlaces", "dbo_restingPlace"),
    ("dbp_restingplace", "dbo_restingPlace"),
    ("dbp_placeOfBurial", "dbo_restingPlace"),
    ("dbo_placeOfBurial", "dbo_restingPlace"),
    ("dbp_spouse", "dbo_spouse"),
    ("dbp_partner", "dbo_partner"),
];

/// Writes SPARQL in the tokens of neural SPARQL machines, as their releases and DBNQA do. Declarations of prefixes are left out.
#[must_use]
pub fn encode_neural(sparql: &str) -> String {
    let mut text = without_prefixes(sparql).split_whitespace().collect::<Vec<_>>().join(" ");
    for (code, written) in NAMESPACES {
        for namespace in written {
            replace(&mut text, namespace, code);
        }
    }
    for (mark, code) in MARKS {
        replace(&mut text, mark, code);
    }
    for (property, unified) in UNIFIED {
        replace(&mut text, property, unified);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let is = |at: usize, word: &str| words.get(at).is_some_and(|found| found.eq_ignore_ascii_case(word));
    let opens = |at: usize| is(at, "par_open") || is(at, "attr_open");
    let mut out: Vec<&str> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        if !(is(at, "order") && is(at + 1, "by")) {
            out.push(words[at]);
            at += 1;
            continue;
        }
        let descending = is(at + 2, "desc");
        at += 2 + usize::from(descending || is(at + 2, "asc"));
        out.push(if descending { "_obd_" } else { "_oba_" });
        let in_brackets = opens(at);
        at += usize::from(in_brackets);
        out.extend(words.get(at));
        at += 1 + usize::from(in_brackets);
    }
    out.join(" ")
}

/// Most texts have few of all that is replaced: looking first is quicker than copying.
fn replace(text: &mut String, old: &str, new: &str) {
    if memmem::find(text.as_bytes(), old.as_bytes()).is_some() {
        *text = text.replace(old, new);
    }
}

/// The query behind its declarations.
fn without_prefixes(sparql: &str) -> &str {
    let mut rest = sparql.trim_start();
    while rest.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("prefix"))
        && let Some(end) = rest.find('>')
    {
        rest = rest[end + 1..].trim_start();
    }
    rest
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_encoded_as_published() {
        let cases = [
            (
                "SELECT DISTINCT ?uri where { dbr:A dbp:b ?uri }",
                "SELECT DISTINCT var_uri where brack_open dbr_A dbp_b var_uri brack_close",
            ),
            (
                "PREFIX dbo: <http://dbpedia.org/ontology/> SELECT ?x WHERE { ?x dbo:height ?h . ?x a dbo:Person } ORDER BY DESC(?h) LIMIT 1",
                "SELECT var_x WHERE brack_open var_x dbo_height var_h sep_dot var_x a dbo_Person brack_close _obd_ var_h LIMIT 1",
            ),
            (
                "ask where { <http://dbpedia.org/resource/Alien_(film)> dbp:spouse ?y }",
                // The bracket sets the mark apart, and so it is taken for a comparison.
                "ask where brack_open <dbr_Alien_ attr_open film attr_close math_gt dbo_spouse var_y brack_close",
            ),
            (
                "select ?x where { ?x ?p 3 } order by ?x",
                "select var_x where brack_open var_x var_p 3 brack_close _oba_ var_x",
            ),
        ];
        for (sparql, tokens) in cases {
            assert_eq!(encode_neural(sparql), tokens);
        }
    }

    #[test]
    fn what_is_encoded_is_read_again() {
        for sparql in [
            "SELECT DISTINCT ?uri WHERE { dbr:A dbo:b ?uri . ?uri a dbo:C }",
            "ASK { dbr:A dbo:b dbr:Alien_(film) }",
        ] {
            let parsed = super::super::parse(&encode_neural(sparql)).expect("a query");
            assert!(parsed.query.to_string().contains("http://dbpedia.org/ontology/b"), "{}", parsed.query);
        }
    }
}
