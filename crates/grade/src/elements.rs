//! The semantic elements of a query, in the terms of the paper on grounded measures: what F1Sem and F1Tri compare.

use crate::qualifiers::Qualified;
use crate::scan::{Token, tokens};
use crate::sets::Overlap;
use hashbrown::HashMap;
use std::borrow::Cow;
use touchstone_logic::QueryGraph;
use touchstone_logic::sparql::{StatementTerm, Statements, known_prefix};

/// A triple pattern; all variables are equal.
pub(crate) type Pattern<'t> = [Cow<'t, str>; 3];

/// The placeholder of all variables in patterns.
const VARIABLE: Cow<'static, str> = Cow::Borrowed("?");

const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/// The semantic elements of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Elements<'t> {
    /// The triple patterns: sorted, without duplicates.
    pub(crate) patterns: Vec<Pattern<'t>>,
    /// The IRIs, or the names of entities, classes and properties: sorted, without duplicates.
    pub(crate) iris: Vec<Cow<'t, str>>,
}

impl<'t> Elements<'t> {
    /// The elements from lists with duplicates.
    pub(crate) fn of(mut patterns: Vec<Pattern<'t>>, mut iris: Vec<Cow<'t, str>>) -> Elements<'t> {
        patterns.sort_unstable();
        patterns.dedup();
        iris.sort_unstable();
        iris.dedup();
        Elements { patterns, iris }
    }

    /// The elements of a parsed SPARQL query.
    pub(crate) fn of_statements(statements: Statements<'t>) -> Elements<'t> {
        let term = |term: StatementTerm<'t>| match term {
            StatementTerm::Variable(_) | StatementTerm::Blank(_) => VARIABLE,
            StatementTerm::Fixed(text) => text,
        };
        let patterns = statements.patterns.into_iter().map(|pattern| pattern.map(term)).collect();
        Elements::of(patterns, statements.iris)
    }

    /// The elements of a query of the algebra: its graph, and its conditions on qualifiers, which are patterns about a fact.
    pub(crate) fn of_graph(graph: &'t QueryGraph, conditions: &[Qualified<'t>]) -> Elements<'t> {
        let (mut patterns, mut names) = (Vec::new(), Vec::new());
        let name = |at: usize| -> Cow<'t, str> {
            match graph.vertices.get(at) {
                Some(vertex) if vertex.grounded => Cow::Borrowed(&vertex.label),
                _ => VARIABLE,
            }
        };
        for edge in &graph.edges {
            patterns.push([name(edge.from), Cow::Borrowed(edge.label.as_str()), name(edge.to)]);
            names.push(Cow::Borrowed(edge.label.as_str()));
        }
        for (at, vertex) in graph.vertices.iter().enumerate().filter(|(_, vertex)| !vertex.label.is_empty()) {
            names.push(Cow::Borrowed(vertex.label.as_str()));
            if !vertex.grounded {
                patterns.push([name(at), Cow::Borrowed("a"), Cow::Borrowed(&vertex.label)]);
            }
        }
        for condition in conditions {
            let (qualifier, value) = (condition.qualifier, condition.value.clone());
            patterns.push([VARIABLE, Cow::Borrowed(qualifier), Cow::Owned(value.clone())]);
            names.extend([Cow::Borrowed(qualifier), Cow::Owned(value)]);
        }
        Elements::of(patterns, names)
    }

    /// The elements of SPARQL that cannot be parsed, as far as its tokens show: declared and well-known prefixes are expanded, `a`, `;` and
    /// `,` are understood, conditions are ignored.
    pub(crate) fn of_broken(text: &'t str) -> Elements<'t> {
        Scanner::new(text).scan()
    }

    /// F1 of the IRIs, then of the triple patterns. `None` if neither query has any.
    pub(crate) fn compare(&self, gold: &Elements<'_>) -> (Option<f64>, Option<f64>) {
        let f1 = |overlap: Overlap| (overlap.predicted + overlap.gold > 0).then(|| overlap.f1());
        let patterns = Overlap::of::<Pattern<'_>>(&self.patterns, &gold.patterns);
        (f1(Overlap::of::<Cow<'_, str>>(&self.iris, &gold.iris)), f1(patterns))
    }
}

/// Finds triple patterns from tokens.
struct Scanner<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    prefixes: HashMap<&'t str, &'t str>,
    /// The terms of an incomplete pattern.
    terms: Vec<Cow<'t, str>>,
    patterns: Vec<Pattern<'t>>,
    iris: Vec<Cow<'t, str>>,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Scanner<'t> {
        let tokens = tokens(text);
        let mut prefixes = HashMap::new();
        for (at, token) in tokens.iter().enumerate() {
            if let (Token::Word(word), Some(Token::Iri(name)), Some(Token::Iri(iri))) =
                (token, tokens.get(at + 1), tokens.get(at + 2))
                && word.eq_ignore_ascii_case("prefix")
                && let (Cow::Borrowed(name), Cow::Borrowed(iri)) = (name, iri)
                && let Some(prefix) = name.strip_suffix(':')
            {
                prefixes.insert(prefix, without_brackets(iri));
            }
        }
        let at = tokens.iter().position(|token| *token == Token::Mark("{")).map_or(0, |at| at + 1);
        Scanner { tokens, at, prefixes, terms: Vec::new(), patterns: Vec::new(), iris: Vec::new() }
    }

    fn scan(mut self) -> Elements<'t> {
        while let Some(token) = self.tokens.get(self.at).cloned() {
            self.at += 1;
            match token {
                Token::Word(word) if is_condition(word) => {
                    self.end(0);
                    self.at = after_brackets(&self.tokens, self.at);
                }
                Token::Word(word) if word.eq_ignore_ascii_case("values") => {
                    self.end(0);
                    while let Some(token) = self.tokens.get(self.at).cloned() {
                        self.at += 1;
                        match token {
                            Token::Iri(iri) => {
                                let iri = self.expanded(iri);
                                self.iris.push(iri);
                            }
                            Token::Mark("}") => break,
                            _ => {}
                        }
                    }
                }
                Token::Word(_) => self.end(0),
                Token::Iri(iri) => {
                    let iri = self.named(iri);
                    self.term(iri);
                }
                Token::Variable(_) => self.term(VARIABLE),
                Token::Literal(text) => self.term(literal(text, false)),
                Token::Mark("-" | "+") if matches!(self.tokens.get(self.at), Some(Token::Literal(_))) => {
                    let is_negative = self.tokens[self.at - 1] == Token::Mark("-");
                    if let Some(Token::Literal(text)) = self.tokens.get(self.at).cloned() {
                        self.term(literal(text, is_negative));
                    }
                    self.at += 1;
                }
                // A path replaces a property.
                Token::Mark(mark @ ("^" | "!" | "(")) if self.terms.len() == 1 => self.path(mark),
                Token::Mark(mark @ ("/" | "|" | "*" | "+" | "?")) if self.terms.len() == 2 => self.path(mark),
                // The same subject, or the same subject and property again.
                Token::Mark(";") => self.end(1),
                Token::Mark(",") => self.end(2),
                Token::Mark(_) => self.end(0),
            }
        }
        self.end(0);
        Elements::of(self.patterns, self.iris)
    }

    fn term(&mut self, term: Cow<'t, str>) {
        self.terms.push(term);
    }

    /// Adds a pattern, if it is complete, and keeps the given number of its terms.
    fn end(&mut self, kept: usize) {
        if let [subject, predicate, object] = &self.terms[..] {
            self.patterns.push([subject.clone(), predicate.clone(), object.clone()]);
        }
        self.terms.truncate(kept);
    }

    /// An IRI that counts; the steps of a path of short names are one token.
    fn named(&mut self, iri: Cow<'t, str>) -> Cow<'t, str> {
        let is_predicate = self.terms.len() == 1;
        if is_predicate && iri == "a" {
            self.iris.push(RDF_TYPE.into());
            return RDF_TYPE.into();
        }
        if !is_predicate || iri.starts_with('<') || !iri.contains('/') {
            let iri = self.expanded(iri);
            self.iris.push(iri.clone());
            return iri;
        }
        let steps: Vec<String> =
            iri.split('/').map(|step| self.expanded(Cow::Owned(step.to_owned())).into_owned()).collect();
        self.iris.extend(steps.iter().map(|step| Cow::Owned(step.clone())));
        steps.join(" / ").into()
    }

    fn expanded(&self, iri: Cow<'t, str>) -> Cow<'t, str> {
        if iri.starts_with('<') {
            return match iri {
                Cow::Borrowed(iri) => without_brackets(iri).into(),
                Cow::Owned(iri) => without_brackets(&iri).to_owned().into(),
            };
        }
        let Some((prefix, local)) = iri.split_once(':') else { return iri };
        match self.prefixes.get(prefix).copied().or_else(|| known_prefix(prefix)) {
            Some(namespace) => [namespace, local].concat().into(),
            None => iri,
        }
    }

    /// Adds an operator to the path, with everything after it that belongs to the path.
    fn path(&mut self, mark: &'t str) {
        let mut path = if self.terms.len() == 2 {
            self.terms.pop().unwrap_or_default().into_owned()
        } else {
            String::new()
        };
        let mut is_open = matches!(mark, "^" | "!" | "(" | "/" | "|");
        path.push_str(&format!(" {mark}"));
        while let Some(token) = self.tokens.get(self.at).cloned() {
            match token {
                Token::Iri(iri) if is_open => {
                    let iri = self.named(iri);
                    path.push_str(&format!(" {iri}"));
                    is_open = false;
                }
                Token::Mark(mark @ ("^" | "!" | "(" | "/" | "|")) => {
                    path.push_str(&format!(" {mark}"));
                    is_open = true;
                }
                Token::Mark(mark @ (")" | "*" | "+" | "?")) => path.push_str(&format!(" {mark}")),
                _ => break,
            }
            self.at += 1;
        }
        self.terms.push(path.into());
    }
}

fn without_brackets(iri: &str) -> &str {
    iri.trim_start_matches('<').trim_end_matches('>')
}

/// Numbers by value, other literals as written.
fn literal(text: Cow<'_, str>, is_negative: bool) -> Cow<'_, str> {
    if text.starts_with(['"', '\'']) {
        return text;
    }
    match text.parse::<f64>() {
        Ok(number) => format!("\"{}", if is_negative { -number } else { number }).into(),
        Err(_) => format!("\"{}", text.to_ascii_lowercase()).into(),
    }
}

/// Whether a word begins a condition or a clause after the group of a query.
pub(crate) fn is_condition(word: &str) -> bool {
    ["filter", "bind", "having", "limit", "offset", "order", "group"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

/// The position after the brackets that begin soon.
pub(crate) fn after_brackets(tokens: &[Token<'_>], mut at: usize) -> usize {
    // FILTER regex(...), ORDER BY DESC(...).
    while at < tokens.len() && matches!(tokens[at], Token::Word(_)) {
        at += 1;
    }
    if tokens.get(at) != Some(&Token::Mark("(")) {
        return at + usize::from(matches!(tokens.get(at), Some(Token::Literal(_) | Token::Variable(_))));
    }
    let mut depth = 0usize;
    while at < tokens.len() {
        match tokens[at] {
            Token::Mark("(") => depth += 1,
            Token::Mark(")") => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_text_says_what_it_said() {
        let elements = Elements::of_broken;
        let plain =
            elements("ASK { ?x a <urn:c> . ?x <urn:p> 5 . ?x <urn:p> <urn:o> . ?x <urn:q> -3 nonsense");
        let short = elements("PREFIX : <urn:> ASK { ?y a :c ; :p 5.0 , :o ; :q -3.0 nonsense");
        assert_eq!(plain, short);
        assert_eq!(plain.patterns.len(), 4);
        assert_eq!(plain.iris, [RDF_TYPE, "urn:c", "urn:o", "urn:p", "urn:q"]);
        let path = elements("ASK { ?x wdt:P31/wdt:P279* wd:Q5 . ?x ^<urn:p>/<urn:q> ?y nonsense");
        assert_eq!((path.patterns.len(), path.iris.len()), (2, 5), "{path:?}");
        let other = elements("ASK { ?x wdt:P31/wdt:P280* wd:Q5 . ?x ^<urn:p>/<urn:q> ?y nonsense");
        assert_eq!(path.compare(&other), (Some(0.8), Some(0.5)));
        assert_eq!(elements("nothing").compare(&elements("at all")), (None, None));
    }
}
