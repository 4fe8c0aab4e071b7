//! The tokens of neural SPARQL machines (NSpM), in which DBNQA is written.
//!
//! Their text is words with blanks between them, so decoding needs no tokeniser. Encoding does not use the tokeniser of SPARQL
//! ([`super::tokens`]) on purpose: the published encoding replaces texts one after the other, also inside IRIs and strings, and cuts
//! `<.../Alien_(film)>` into five words.

use super::tidy::KNOWN_PREFIXES;
use crate::text::first_byte;
use memchr::memmem;
use std::borrow::Cow;
use std::sync::LazyLock;

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

/// The codes of brackets, operators and other marks.
const MARK_CODES: [(&str, &str); 12] = [
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

/// The mark of SPARQL that a word stands for in the tokens of neural SPARQL machines: `{` for `brack_open`.
#[must_use]
pub fn neural_mark(word: &str) -> Option<&'static str> {
    MARK_CODES.iter().find(|(code, _)| *code == word).map(|(_, mark)| *mark)
}

/// Whether a word is a name in the tokens of neural SPARQL machines: `dbo_birthPlace`.
#[must_use]
pub fn is_neural_name(word: &str) -> bool {
    NAMESPACES.iter().any(|(code, _)| word.starts_with(code))
}

/// Whether a query is written in the tokens of neural SPARQL machines.
pub(super) fn is_neural(source: &str) -> bool {
    !source.contains('{') && source.contains("brack_open")
}

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

/// What is looked for in every query, and what takes its place.
struct Replacement {
    finder: memmem::Finder<'static>,
    old: &'static str,
    new: &'static str,
}

/// Everything that is replaced by a name: namespaces, then properties, in this order. Looking for a text is prepared once.
static REPLACEMENTS: LazyLock<(Vec<Replacement>, Vec<Replacement>)> = LazyLock::new(|| {
    let replacement =
        |old: &'static str, new| Replacement { finder: memmem::Finder::new(old.as_bytes()), old, new };
    let namespaces = NAMESPACES.iter().flat_map(|(code, written)| written.iter().map(|old| (*old, *code)));
    let replacements = namespaces.map(|(old, new)| replacement(old, new)).collect();
    (replacements, UNIFIED.iter().map(|(old, new)| replacement(old, new)).collect())
});

/// Writes SPARQL in the tokens of neural SPARQL machines, as their releases and DBNQA do. Declarations of prefixes are left out.
///
/// Those machines replace one text after the other. Here names are replaced so, and all marks on one way through the text.
#[must_use]
pub fn encode_neural(sparql: &str) -> String {
    let mut text = Cow::Borrowed(without_prefixes(sparql).trim());
    if !text.is_ascii() {
        // Blanks of other scripts.
        text = text.split_whitespace().collect::<Vec<_>>().join(" ").into();
    }
    let (namespaces, unified) = &*REPLACEMENTS;
    let (may_have, has_codes) = spaces_of_names(&text);
    replace(&mut text, namespaces, &may_have);
    if has_codes || ["dbo:", "dbp:", "http://dbpedia.org/"].into_iter().any(may_have) {
        replace(&mut text, unified, |_| true);
    }
    let marked = with_coded_marks(&text);
    if has_order(&marked) { with_coded_order(&marked) } else { marked }
}

/// Which namespaces a text may have, and whether it has codes of DBpedia's: a look at its colons and underscores is quicker than looking for
/// each of them.
fn spaces_of_names(text: &str) -> (impl Fn(&str) -> bool + use<>, bool) {
    let bytes = text.as_bytes();
    let (mut of_dbpedia, mut of_w3, mut short, mut has_codes) = (false, false, false, false);
    for at in memchr::memchr2_iter(b':', b'_', bytes) {
        let before = if let Some(last) = bytes[..at].last_chunk::<3>() { *last } else { [0; 3] };
        let of_database = before[0] == b'd' && before[1] == b'b';
        if bytes[at] == b'_' {
            has_codes |= of_database && matches!(before[2], b'o' | b'p');
            continue;
        }
        let behind = &bytes[at + 1..];
        if behind.starts_with(b"//") {
            of_dbpedia |= behind.starts_with(b"//dbpedia.org/");
            of_w3 |= behind.starts_with(b"//www.w3.org/");
        }
        short |= of_database
            || matches!(
                &before,
                b"res" | b"dct" | b"geo" | b"rss" | b"rdf" | b"dfs" | b"oaf" | b"owl" | b"ago" | b"kos"
            );
    }
    let may_have = move |namespace: &str| match namespace {
        _ if namespace.starts_with("http://dbpedia.org/") => of_dbpedia,
        _ if namespace.starts_with("http://www.w3.org/") => of_w3,
        _ => short,
    };
    (may_have, has_codes)
}

/// Most texts have few of all that is replaced: searching first is quicker than copying.
fn replace(text: &mut Cow<'_, str>, replacements: &[Replacement], may_have: impl Fn(&str) -> bool) {
    for Replacement { finder, old, new } in replacements.iter().filter(|r| may_have(r.old)) {
        let mut found = finder.find_iter(text.as_bytes()).peekable();
        if found.peek().is_none() {
            continue;
        }
        let (mut replaced, mut from) = (String::with_capacity(text.len()), 0);
        for at in found {
            replaced.push_str(&text[from..at]);
            replaced.push_str(new);
            from = at + old.len();
        }
        replaced.push_str(&text[from..]);
        *text = replaced.into();
    }
}

/// Words with one blank between them; brackets and full stops become words of their own.
struct Coded {
    text: String,
    /// Whether the next word begins here.
    is_apart: bool,
}

impl Coded {
    fn push(&mut self, part: &str) {
        if part.is_empty() {
            return;
        }
        if self.is_apart && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.is_apart = false;
        self.text.push_str(part);
    }

    fn word(&mut self, word: &str) {
        self.is_apart = true;
        self.push(word);
        self.is_apart = true;
    }
}

/// By byte: whether it means something where marks are coded.
const MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    let all = b" \t\n\r\x0b\x0c(){}.?*<>";
    let mut at = 0;
    while at < all.len() {
        marks[all[at] as usize] = true;
        at += 1;
    }
    marks
};

const BLANK: u8 = 1;

/// By byte: blanks, and marks that will have blanks on both sides.
const APART: [u8; 256] = {
    let mut apart = [0; 256];
    let (blanks, brackets, mut at) = (b" \t\n\r\x0b\x0c", b"(){}", 0);
    while at < blanks.len() {
        apart[blanks[at] as usize] = BLANK;
        at += 1;
    }
    at = 0;
    while at < brackets.len() {
        apart[brackets[at] as usize] = 2;
        at += 1;
    }
    apart
};

/// A text with codes for its marks. What a bracket or an operator is depends on the blanks next to it, and one blank serves one mark only.
fn with_coded_marks(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Coded { text: String::with_capacity(text.len() + text.len() / 2), is_apart: false };
    let is_blank = |at: usize| bytes.get(at).is_some_and(|&byte| APART[usize::from(byte)] == BLANK);
    // Blanks, and marks that will have blanks on both sides.
    let is_apart = |at: usize| bytes.get(at).is_some_and(|&byte| APART[usize::from(byte)] != 0);
    let is_stop = |at: usize| bytes.get(at) == Some(&b'.') && is_apart(at + 1);
    let behind_blanks = |mut at: usize| {
        while is_blank(at) {
            at += 1;
        }
        at
    };
    // Where the text begins that is not yet written, and after which blanks the last mark of each kind was found.
    let (mut from, mut opened, mut closed, mut compared) = (0, 0, 0, (0, ""));
    let mut next = 0;
    while let Some(length) = first_byte(&bytes[next..], |byte| MARKS[usize::from(byte)]) {
        let at = next + length;
        next = at + 1;
        let stands_alone = |served: usize| at > 0 && at != served && is_blank(at - 1) && is_blank(at + 1);
        let code = match bytes[at] {
            b'(' if stands_alone(opened) => {
                opened = behind_blanks(at + 1);
                "par_open"
            }
            b'(' => "attr_open",
            b')' if stands_alone(closed) => {
                closed = behind_blanks(at + 1);
                "par_close"
            }
            b')' => "attr_close",
            b'{' => "brack_open",
            b'}' => "brack_close",
            b'.' if is_apart(at + 1) => "sep_dot",
            b'.' => continue,
            mark @ (b'?' | b'*') => {
                out.push(&text[from..at]);
                out.push(if mark == b'?' { "var_" } else { "wildcard" });
                from = next;
                continue;
            }
            // Of an IRI.
            b'<' | b'>' if at == 0 || !is_apart(at - 1) => continue,
            b'<' if bytes.get(next).is_some_and(u8::is_ascii_alphanumeric) => continue,
            b'<' | b'>' => {
                let end = next + usize::from(bytes.get(next) == Some(&b'='));
                let operator = &text[at..end];
                let is_alone = is_apart(end) || is_stop(end);
                if !is_alone || compared == (at, operator) {
                    continue;
                }
                compared = (if is_blank(end) { behind_blanks(end) } else { 0 }, operator);
                out.push(&text[from..at]);
                out.word(match operator {
                    "<=" => "math_leq",
                    ">=" => "math_geq",
                    "<" => "math_lt",
                    _ => "math_gt",
                });
                from = end;
                continue;
            }
            _ => {
                out.push(&text[from..at]);
                out.is_apart = true;
                next = behind_blanks(next);
                from = next;
                continue;
            }
        };
        out.push(&text[from..at]);
        out.word(code);
        from = next;
    }
    out.push(&text[from..]);
    out.text
}

/// Whether `order` may be a word of it: of its letters, this one is the rarest in queries.
fn has_order(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'd', b'D', bytes)
        .any(|at| at > 1 && bytes[at - 2..].get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"order")))
}

/// `order by desc ( ?x )` becomes `_obd_ ?x`.
fn with_coded_order(text: &str) -> String {
    // One blank stands between words.
    let words: Vec<&str> = text.split(' ').collect();
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

/// The query after its declarations.
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
#[must_use]
pub fn decode_neural(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut words = source.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if !text.is_empty() {
            text.push(' ');
        }
        if let Some(mark) = neural_mark(word) {
            text.push_str(mark);
        } else if word == "_oba_" || word == "_obd_" {
            let order = if word == "_oba_" { "ASC" } else { "DESC" };
            let operand = words.next().unwrap_or("").replacen("var_", "?", 1);
            text.push_str(&format!("ORDER BY {order}({operand})"));
        } else if let Some(name) = word.strip_prefix("var_") {
            text.push('?');
            text.push_str(name);
        } else {
            decode_name(word, &mut words, &mut text);
        }
    }
    text
}

/// `dbr_Alien_ attr_open film attr_close` is one name that was cut at its brackets.
fn decode_name<'w>(
    word: &'w str,
    words: &mut std::iter::Peekable<impl Iterator<Item = &'w str>>,
    text: &mut String,
) {
    let bare = word.trim_start_matches('<').trim_end_matches('>');
    let is_prefix = |prefix: &str| NAMESPACES.iter().any(|(code, _)| code.strip_suffix('_') == Some(prefix));
    let Some((prefix, local)) = bare.split_once('_').filter(|(prefix, _)| is_prefix(prefix)) else {
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

    /// As neural SPARQL machines do it: one replacement after the other.
    fn by_the_book(sparql: &str) -> String {
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
        let mut text = without_prefixes(sparql).split_whitespace().collect::<Vec<_>>().join(" ");
        let namespaces = NAMESPACES.iter().flat_map(|(code, all)| all.iter().map(move |old| (*old, *code)));
        for (old, new) in namespaces.chain(MARKS).chain(UNIFIED) {
            text = text.replace(old, new);
        }
        with_coded_order(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn marks_are_replaced_as_if_one_after_the_other() {
        const PIECES: &[&str] = &[
            " ",
            " ",
            " ",
            " ",
            "(",
            ")",
            "{",
            "}",
            ".",
            "?",
            "*",
            "<",
            ">",
            "=",
            "<=",
            "a",
            "é",
            "\u{a0}",
            "\n",
            "dbp:spouse",
            "dbr:",
            "http://dbpedia.org/resource/Category:",
            "rdfs:",
            "dbo_stateOfOrigin",
            " order by ",
            "desc",
            "PREFIX ",
            " < ",
            " > ",
            " ( ",
            " ) ",
            " . ",
        ];
        let mut state = 1u64;
        let mut n_marked = 0;
        for _ in 0..200_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(PIECES[(state >> 33) as usize % PIECES.len()]);
            }
            let encoded = encode_neural(&text);
            assert_eq!(encoded, by_the_book(&text), "{text:?}");
            n_marked += usize::from(encoded.contains("math_") && encoded.contains("par_"));
        }
        assert!(n_marked > 1000);
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
