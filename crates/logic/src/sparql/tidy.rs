//! Repairs the spellings that Virtuoso accepts and SPARQL 1.1 does not, and says what it repaired.
//!
//! The text is cut into tokens, so nothing inside strings, IRIs or comments is touched, and places in the repaired text can be traced back.

use super::neural::{decode_neural, is_neural};
use super::tokens::{SparqlToken, TokenKind, sparql_tokens};
use crate::text::{SyntaxError, SyntaxErrorKind};
use std::fmt;

/// Maximum depth of brackets: the parser is recursive.
const MAX_BRACKETS: usize = 100;
/// Maximum number of operators: each makes the parser's result one level deeper.
const MAX_OPERATORS: usize = 2_000;

/// A repair that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// `OR` or `AND` between conditions.
    WordOperator {
        /// The word.
        word: String,
    },
    /// An aggregate without brackets, or without a name for its result.
    Aggregate {
        /// As it was.
        was: String,
    },
    /// `?a AS ?b` without brackets.
    Alias {
        /// As it was.
        was: String,
    },
    /// `DESC ?x` without brackets.
    Order {
        /// As it was.
        was: String,
    },
    /// A prefix that is used and not declared.
    Prefix {
        /// The prefix.
        prefix: String,
    },
    /// `xsd:datetime` for `xsd:dateTime`.
    DateTime,
    /// A character that an IRI may not hold.
    Iri {
        /// As it was.
        was: String,
    },
    /// The tokens of neural SPARQL machines (`brack_open`, `var_x`).
    Tokens,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repair::WordOperator { word } if word.eq_ignore_ascii_case("or") => {
                write!(f, "`{word}` written as `||`")
            }
            Repair::WordOperator { word } => write!(f, "`{word}` written as `&&`"),
            Repair::Aggregate { was } => write!(f, "brackets and a name added to `{was}`"),
            Repair::Alias { was } | Repair::Order { was } => write!(f, "brackets added to `{was}`"),
            Repair::Prefix { prefix } => write!(f, "prefix `{prefix}:` declared"),
            Repair::DateTime => f.write_str("`xsd:datetime` written as `xsd:dateTime`"),
            Repair::Iri { was } => write!(f, "characters that an IRI cannot hold encoded in `{was}`"),
            Repair::Tokens => f.write_str("tokens such as `brack_open` decoded"),
        }
    }
}

/// A text that the parser can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tidied {
    /// The text.
    pub text: String,
    /// What was repaired.
    pub repairs: Vec<Repair>,
    /// How deeply brackets are nested.
    pub(super) depth: usize,
    /// Where copied pieces start: in the repaired text, in the source.
    places: Vec<(usize, usize)>,
}

impl Tidied {
    /// The place in the source of a place in the repaired text.
    pub(super) fn source_place(&self, at: usize) -> usize {
        let i = self.places.partition_point(|&(out, _)| out <= at);
        let (out, source) = if i == 0 { (0, 0) } else { self.places[i - 1] };
        source + (at - out)
    }
}

/// Prefixes that are so common that their declaration is often left out.
pub(super) const KNOWN_PREFIXES: [(&str, &str); 21] = [
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("foaf", "http://xmlns.com/foaf/0.1/"),
    ("dct", "http://purl.org/dc/terms/"),
    ("dcterms", "http://purl.org/dc/terms/"),
    ("geo", "http://www.w3.org/2003/01/geo/wgs84_pos#"),
    ("georss", "http://www.georss.org/georss/"),
    ("yago", "http://dbpedia.org/class/yago/"),
    ("ns", "http://rdf.freebase.com/ns/"),
    ("", "http://rdf.freebase.com/ns/"),
    ("dbo", "http://dbpedia.org/ontology/"),
    ("dbp", "http://dbpedia.org/property/"),
    ("dbr", "http://dbpedia.org/resource/"),
    ("res", "http://dbpedia.org/resource/"),
    ("dbc", "http://dbpedia.org/resource/Category:"),
    ("wd", "http://www.wikidata.org/entity/"),
    ("wdt", "http://www.wikidata.org/prop/direct/"),
    ("pq", "http://www.wikidata.org/prop/qualifier/"),
];

/// Whether a prefix needs no declaration.
pub(super) fn is_known_prefix(prefix: &str) -> bool {
    KNOWN_PREFIXES.iter().any(|(name, _)| *name == prefix)
}

/// The namespace of a prefix that needs no declaration.
pub fn known_prefix(prefix: &str) -> Option<&'static str> {
    KNOWN_PREFIXES.iter().find(|(name, _)| *name == prefix).map(|(_, namespace)| *namespace)
}

/// Repairs a query.
pub fn tidy(source: &str) -> Result<Tidied, SyntaxError> {
    if is_neural(source) {
        let mut tidied = tidy_text(&decode_neural(source))?;
        tidied.repairs.insert(0, Repair::Tokens);
        return Ok(tidied);
    }
    tidy_text(source)
}

fn tidy_text(source: &str) -> Result<Tidied, SyntaxError> {
    let tokens: Vec<SparqlToken<'_>> = sparql_tokens(source).collect();
    let depth = check_size(source, &tokens)?;
    let mut writer = Writer {
        source,
        tokens: &tokens,
        at: 0,
        declared: Vec::new(),
        copied_from: None,
        named: 0,
        out: Tidied {
            text: String::with_capacity(source.len() + 256),
            repairs: Vec::new(),
            depth,
            places: Vec::new(),
        },
    };
    writer.run();
    Ok(writer.out)
}

/// A name that no variable begins with, for the results of aggregates: `count`, with underscores until it is one.
fn fresh_name(source: &str) -> String {
    let longest = source
        .match_indices("?count")
        .map(|(at, _)| source[at + 6..].bytes().take_while(|&b| b == b'_').count() + 1)
        .max();
    format!("count{}", "_".repeat(longest.unwrap_or(0)))
}

/// Words that make the parser's result one level deeper.
const OPERATOR_WORDS: [&str; 10] =
    ["UNION", "FILTER", "OPTIONAL", "MINUS", "BIND", "OR", "AND", "EXISTS", "SELECT", "VALUES"];

/// Refuses what would make a recursive parser run out of stack, and brackets without their counterpart; gives the depth of brackets.
fn check_size(source: &str, tokens: &[SparqlToken<'_>]) -> Result<usize, SyntaxError> {
    let mut open: Vec<&SparqlToken<'_>> = Vec::new();
    let (mut deepest, mut operators, mut row) = (0usize, 0usize, 0usize);
    // What looks like an IRI may be a comparison with brackets inside.
    let mut is_sure = true;
    for token in tokens {
        let text = token.text;
        match token.kind {
            TokenKind::Open => {
                open.push(token);
                deepest = deepest.max(open.len());
            }
            TokenKind::Close => check_closing(open.pop(), token, is_sure).map_err(|e| e.located(source))?,
            TokenKind::Mark if !matches!(text, "." | "," | ";") => {
                operators += text.len();
                row += text.len();
            }
            TokenKind::Mark | TokenKind::Blank => {}
            TokenKind::Word if OPERATOR_WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) => {
                operators += 1;
            }
            // `1-1-1` is one word here.
            TokenKind::Word | TokenKind::Name | TokenKind::LanguageTag => {
                operators += text.bytes().filter(|&b| b == b'-').count();
            }
            TokenKind::Iri => is_sure &= text.contains(':') || !text.contains(['(', ')', '[', ']']),
            TokenKind::Text | TokenKind::Variable => {}
        }
        if !matches!(token.kind, TokenKind::Mark | TokenKind::Open | TokenKind::Close | TokenKind::Blank) {
            row = 0;
        }
        if open.len() > MAX_BRACKETS || row > MAX_BRACKETS {
            let message = format!("brackets are nested deeper than {MAX_BRACKETS} levels");
            let kind = SyntaxErrorKind::TooDeep { maximum: MAX_BRACKETS };
            return Err(SyntaxError::new(token.span(), message).of_kind(kind).located(source));
        }
        if operators > MAX_OPERATORS {
            let message = format!("more than {MAX_OPERATORS} operators in one query");
            let kind = SyntaxErrorKind::TooManyOperators { maximum: MAX_OPERATORS };
            return Err(SyntaxError::new(token.span(), message).of_kind(kind).located(source));
        }
    }
    match open.pop() {
        Some(opened) if is_sure => {
            let message = format!("the `{}` here is not closed", opened.text);
            Err(SyntaxError::new(opened.span(), message).located(source))
        }
        _ => Ok(deepest),
    }
}

/// Refuses a closing bracket that does not match the last one that was opened, where it is sure that both are brackets.
fn check_closing(
    opened: Option<&SparqlToken<'_>>,
    closing: &SparqlToken<'_>,
    is_sure: bool,
) -> Result<(), SyntaxError> {
    match opened {
        _ if !is_sure => Ok(()),
        Some(opened) if matches!((opened.text, closing.text), ("(", ")") | ("{", "}") | ("[", "]")) => Ok(()),
        Some(opened) => {
            let message = format!("the `{}` here is not closed before `{}`", opened.text, closing.text);
            Err(SyntaxError::new(opened.span(), message))
        }
        None => Err(SyntaxError::new(closing.span(), format!("this `{}` closes nothing", closing.text))),
    }
}

struct Writer<'s> {
    source: &'s str,
    tokens: &'s [SparqlToken<'s>],
    at: usize,
    declared: Vec<(&'s str, &'s str)>,
    /// Where the tokens begin that were copied and are not yet written: most queries are one piece.
    copied_from: Option<usize>,
    /// How many results of aggregates were given a name.
    named: usize,
    out: Tidied,
}

impl<'s> Writer<'s> {
    fn text(&self, token: usize) -> &'s str {
        self.tokens[token].text
    }

    fn kind(&self, token: usize) -> Option<TokenKind> {
        self.tokens.get(token).map(|t| t.kind)
    }

    fn is_word(&self, token: usize, word: &str) -> bool {
        self.tokens.get(token).is_some_and(|token| token.is_word(word))
    }

    fn is_mark(&self, token: usize, mark: &str) -> bool {
        self.tokens.get(token).is_some_and(|token| token.is_mark(mark))
    }

    /// The next token after `token` that is not blank.
    fn after(&self, token: usize) -> usize {
        let mut next = token + 1;
        while self.kind(next) == Some(TokenKind::Blank) {
            next += 1;
        }
        next
    }

    fn source_between(&self, first: usize, last: usize) -> String {
        let range = self.tokens[first].start..self.tokens[last].end();
        self.source[range].split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Copies a token as it is.
    fn copy(&mut self) {
        if self.copied_from.is_none() {
            self.place();
            self.copied_from = Some(self.tokens[self.at].start);
        }
        self.at += 1;
    }

    /// Writes what was copied up to the next token.
    fn flush(&mut self) {
        if let Some(start) = self.copied_from.take() {
            let end = self.tokens.get(self.at).map_or(self.source.len(), |token| token.start);
            self.out.text.push_str(&self.source[start..end]);
        }
    }

    /// Notes that what is written next stands for what is read next.
    fn place(&mut self) {
        self.flush();
        let source = self.tokens.get(self.at).map_or(self.source.len(), |t| t.start);
        let out = self.out.text.len();
        // Only where a piece does not simply go on.
        if self.out.places.last().is_none_or(|&(o, s)| s + (out - o) != source) {
            self.out.places.push((out, source));
        }
    }

    fn repaired(&mut self, repair: Repair) {
        // A list of hundreds is not more useful.
        if self.out.repairs.len() < 100 && !self.out.repairs.contains(&repair) {
            self.out.repairs.push(repair);
        }
    }

    fn run(&mut self) {
        while self.at < self.tokens.len() {
            match self.tokens[self.at].kind {
                TokenKind::Word => self.word(),
                TokenKind::Name => self.name(),
                TokenKind::Iri => self.iri(),
                _ => self.copy(),
            }
        }
        self.flush();
    }

    fn word(&mut self) {
        let word = self.text(self.at);
        if word.eq_ignore_ascii_case("PREFIX") {
            return self.prefix();
        }
        if word.eq_ignore_ascii_case("SELECT") {
            return self.select();
        }
        for (name, operator) in [("OR", "||"), ("AND", "&&")] {
            if word.eq_ignore_ascii_case(name) {
                self.repaired(Repair::WordOperator { word: word.to_owned() });
                self.place();
                self.out.text.push_str(operator);
                self.at += 1;
                return;
            }
        }
        if word.eq_ignore_ascii_case("DESC") || word.eq_ignore_ascii_case("ASC") {
            let next = self.after(self.at);
            if self.kind(next) == Some(TokenKind::Variable) {
                self.repaired(Repair::Order { was: self.source_between(self.at, next) });
                self.place();
                self.out.text.push_str(&format!("{word}({})", self.text(next)));
                self.at = next + 1;
                return;
            }
        }
        self.copy();
    }

    /// A prefixed name. Names of several dots are written out, since the parser reads only one dot in a name.
    fn name(&mut self) {
        let word = self.text(self.at);
        let Some((prefix, local)) = word.split_once(':') else { return self.copy() };
        let declared = self.declared.iter().rev().find(|(name, _)| *name == prefix).map(|&(_, iri)| iri);
        let known = KNOWN_PREFIXES.iter().find(|(name, _)| *name == prefix).map(|&(_, iri)| iri);
        let Some(namespace) = declared.or(known) else { return self.copy() };
        let mut local = local;
        if declared.is_none() {
            self.repaired(Repair::Prefix { prefix: prefix.to_owned() });
        }
        if local == "datetime" && namespace.ends_with("XMLSchema#") {
            self.repaired(Repair::DateTime);
            local = "dateTime";
        } else if declared.is_some() && local.matches('.').count() < 2
            || local.contains('\\') && declared.is_some()
        {
            return self.copy();
        }
        self.place();
        self.out.text.push('<');
        self.out.text.push_str(namespace);
        self.out.text.extend(local.chars().filter(|&c| c != '\\'));
        self.out.text.push('>');
        self.at += 1;
    }

    fn prefix(&mut self) {
        let name = self.after(self.at);
        let iri = self.after(name);
        if self.tokens.get(name).is_some_and(|name| name.word_or_name().is_some())
            && self.kind(iri) == Some(TokenKind::Iri)
        {
            let iri = self.text(iri);
            self.declared.push((self.text(name).trim_end_matches(':'), &iri[1..iri.len() - 1]));
        }
        while self.at <= iri && self.at < self.tokens.len() {
            self.copy();
        }
    }

    fn iri(&mut self) {
        let iri = self.text(self.at);
        if !iri.contains(['"', '|', '^', '`', '\\']) || iri.contains("\\u") || iri.contains("\\U") {
            return self.copy();
        }
        self.repaired(Repair::Iri { was: iri.to_owned() });
        self.place();
        for c in iri.chars() {
            match c {
                '"' | '|' | '^' | '`' | '\\' => self.out.text.push_str(&format!("%{:02X}", u32::from(c))),
                c => self.out.text.push(c),
            }
        }
        self.at += 1;
    }

    /// What stands between SELECT and the pattern.
    fn select(&mut self) {
        self.copy();
        while self.at < self.tokens.len() {
            let at = self.at;
            match self.tokens[at].kind {
                TokenKind::Word
                    if ["COUNT", "MAX", "MIN", "SUM", "AVG", "SAMPLE"]
                        .iter()
                        .any(|w| self.is_word(at, w)) =>
                {
                    if !self.aggregate() {
                        self.copy();
                    }
                }
                TokenKind::Word if self.is_word(at, "DISTINCT") || self.is_word(at, "REDUCED") => self.copy(),
                TokenKind::Variable => {
                    let (word, name) = (self.after(at), self.after(self.after(at)));
                    if self.is_word(word, "AS") && self.kind(name) == Some(TokenKind::Variable) {
                        self.repaired(Repair::Alias { was: self.source_between(at, name) });
                        self.place();
                        self.out.text.push_str(&format!("({} AS {})", self.text(at), self.text(name)));
                        self.at = name + 1;
                    } else {
                        self.copy();
                    }
                }
                TokenKind::Open if self.is_mark(at, "(") => self.bracket(),
                TokenKind::Mark if self.is_mark(at, "*") => self.copy(),
                TokenKind::Blank => self.copy(),
                _ => return,
            }
        }
    }

    /// Copies up to the closing bracket, repairing names inside.
    fn bracket(&mut self) {
        let mut depth = 0usize;
        while self.at < self.tokens.len() {
            if self.is_mark(self.at, "(") {
                depth += 1;
            } else if self.is_mark(self.at, ")") {
                depth -= 1;
            }
            match self.tokens[self.at].kind {
                TokenKind::Name => self.name(),
                TokenKind::Iri => self.iri(),
                _ => self.copy(),
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// `COUNT(?x)`, `COUNT DISTINCT ?x`, `COUNT(DISTINCT ?x) AS ?n`, ... outside brackets.
    fn aggregate(&mut self) -> bool {
        let start = self.at;
        let function = self.text(start);
        let mut next = self.after(start);
        let bracket = self.is_mark(next, "(");
        if bracket {
            next = self.after(next);
        }
        let distinct = self.is_word(next, "DISTINCT");
        if distinct {
            next = self.after(next);
        }
        let operand = next;
        if self.kind(operand) != Some(TokenKind::Variable) && !self.is_mark(operand, "*") {
            return false;
        }
        let mut last = operand;
        if bracket {
            last = self.after(operand);
            if !self.is_mark(last, ")") {
                return false;
            }
        }
        let name_at = self.after(self.after(last));
        let named = self.is_word(self.after(last), "AS") && self.kind(name_at) == Some(TokenKind::Variable);
        let name = if named {
            last = name_at;
            self.text(name_at).to_owned()
        } else {
            self.named += 1;
            match (fresh_name(self.source), self.named) {
                (fresh, 1) => format!("?{fresh}"),
                (fresh, number) => format!("?{fresh}_{number}"),
            }
        };
        self.repaired(Repair::Aggregate { was: self.source_between(start, last) });
        self.place();
        let distinct = if distinct { "DISTINCT " } else { "" };
        self.out.text.push_str(&format!("({function}({distinct}{}) AS {name})", self.text(operand)));
        self.at = last + 1;
        true
    }
}
