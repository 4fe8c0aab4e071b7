//! The clauses of a query's text, and new queries made of them.

use super::error::EndpointError;
use oxrdf::Variable;
use touchstone_logic::sparql::tokens::{TokenKind, sparql_tokens};

/// What a query asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Select,
    Ask,
    Construct,
    Describe,
}

/// The clauses of a query, as pieces of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Anatomy<'a> {
    pub(super) text: &'a str,
    pub(super) form: Form,
    /// Everything before the query form: `PREFIX`, `BASE`, and extensions of servers.
    pub(super) prologue: &'a str,
    /// From the form to what follows: `SELECT DISTINCT ?x`, or `CONSTRUCT { ... }`.
    pub(super) head: &'a str,
    /// `FROM` clauses, which are not allowed in sub-selects.
    datasets: &'a str,
    /// With its braces. Empty in some `DESCRIBE` queries.
    pub(super) pattern: &'a str,
    /// `GROUP BY` and `HAVING`.
    groups: &'a str,
    /// What follows `ORDER BY`.
    order: &'a str,
    pub(super) limit: Option<u64>,
    pub(super) offset: u64,
    /// A `VALUES` clause after everything else.
    values: &'a str,
}

/// A range of bytes in a text.
type Place = std::ops::Range<usize>;

impl<'a> Anatomy<'a> {
    /// The clauses of a query. Only words outside brackets are examined, so the pattern need not be valid.
    pub(super) fn of(text: &'a str) -> Result<Anatomy<'a>, EndpointError> {
        let tokens = outermost(text);
        let (first, form) = (0..tokens.len())
            .find_map(|at| Some((at, form_of(&tokens[at].keyword(text))?)))
            .ok_or_else(|| not_a_query("neither SELECT nor ASK, CONSTRUCT or DESCRIBE"))?;
        let mut next = first + 1;
        // The template of a CONSTRUCT comes before its pattern.
        if form == Form::Construct
            && tokens.get(next).is_some_and(|token| text[token.range.clone()].starts_with('{'))
        {
            next += 1;
        }
        let mut clauses = Clauses::default();
        let mut head_end = None;
        while let Some(token) = tokens.get(next) {
            match clauses.add(text, &tokens, next)? {
                Some(after) => {
                    head_end.get_or_insert(token.range.start);
                    next = after;
                }
                // Still part of the selected or described expressions.
                None => next += 1,
            }
        }
        if clauses.pattern.is_none() && form != Form::Describe {
            return Err(not_a_query("no pattern in braces"));
        }
        let start = tokens[first].range.start;
        let piece = |place: Option<Place>| place.map_or("", |place| text[place].trim());
        Ok(Anatomy {
            text,
            form,
            prologue: &text[..start],
            head: text[start..head_end.unwrap_or(text.len())].trim(),
            datasets: piece(clauses.datasets),
            pattern: piece(clauses.pattern),
            groups: piece(clauses.groups),
            order: piece(clauses.order),
            limit: clauses.limit,
            offset: clauses.offset.unwrap_or(0),
            values: piece(clauses.values),
        })
    }

    /// Whether equal rows are returned only once.
    pub(super) fn is_distinct(&self) -> bool {
        let mut words = self.head.split_whitespace();
        words.next();
        words.next().is_some_and(|word| word.eq_ignore_ascii_case("DISTINCT"))
    }

    /// The same query with other limits.
    pub(super) fn sliced(&self, limit: u64) -> String {
        let order = if self.order.is_empty() { String::new() } else { format!("ORDER BY {}", self.order) };
        let Anatomy { prologue, head, datasets, pattern, groups, values, offset, .. } = self;
        format!(
            "{prologue}{head}\n{datasets}\nWHERE {pattern}\n{groups}\n{order}\nLIMIT {limit} OFFSET {offset}\n{values}"
        )
    }

    /// The query without rows: its result has only the names of the columns.
    pub(super) fn columns(&self) -> String {
        let Anatomy { prologue, head, datasets, pattern, groups, values, .. } = self;
        format!("{prologue}{head}\n{datasets}\nWHERE {pattern}\n{groups}\nLIMIT 0\n{values}")
    }

    /// The query that counts the rows without limits.
    pub(super) fn counted(&self, distinct: bool) -> String {
        let Anatomy { prologue, datasets, pattern, groups, values, .. } = self;
        let head = if distinct && !self.is_distinct() {
            // The distinct rows of another projection.
            let selected = self.head["SELECT".len()..].trim_start();
            let reduced = selected.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("REDUCED"));
            format!("SELECT DISTINCT {}", if reduced { &selected[7..] } else { selected })
        } else {
            self.head.to_owned()
        };
        format!(
            "{prologue}SELECT (COUNT(*) AS ?touchstone_count)\n{datasets}\n\
             WHERE {{ {{ {head}\nWHERE {pattern}\n{groups}\n{values}\n}} }}"
        )
    }

    /// A page of the query's rows in an order that all pages share: the query's own order, then all variables.
    ///
    /// `nested` sorts in a sub-select and limits outside: Virtuoso sorts at most 10,000 rows in a query that also has a limit. The standard
    /// does not guarantee the order of a sub-select, so other servers get both in one query.
    pub(super) fn page(&self, variables: &[Variable], limit: u64, offset: u64, nested: bool) -> String {
        let Anatomy { prologue, head, datasets, pattern, groups, order, values, .. } = self;
        let names: Vec<String> = variables.iter().map(ToString::to_string).collect();
        let names = names.join(" ");
        if nested {
            format!(
                "{prologue}SELECT {names}\n{datasets}\n\
                 WHERE {{ {{ {head}\nWHERE {pattern}\n{groups}\nORDER BY {order} {names}\n{values}\n}} }}\nLIMIT {limit} OFFSET {offset}"
            )
        } else {
            format!(
                "{prologue}{head}\n{datasets}\nWHERE {pattern}\n{groups}\nORDER BY {order} {names}\n\
                 LIMIT {limit} OFFSET {offset}\n{values}"
            )
        }
    }

    /// The pattern of a CONSTRUCT as a SELECT of the variables that its template has.
    pub(super) fn selected(&self, variables: &[Variable]) -> String {
        let names: Vec<String> = variables.iter().map(ToString::to_string).collect();
        let names = if names.is_empty() { "*".to_owned() } else { names.join(" ") };
        // What follows the head is the same in both forms.
        let rest = &self.text[self.prologue.len() + self.head.len()..];
        format!("{}SELECT {names} {rest}", self.prologue)
    }
}

/// The places of the clauses that were found so far.
#[derive(Default)]
struct Clauses {
    datasets: Option<Place>,
    pattern: Option<Place>,
    groups: Option<Place>,
    order: Option<Place>,
    values: Option<Place>,
    limit: Option<u64>,
    offset: Option<u64>,
}

impl Clauses {
    /// Reads the clause that begins with a token. Returns the index of the token after it, or `None` if no clause begins there.
    fn add(&mut self, text: &str, tokens: &[OuterToken], at: usize) -> Result<Option<usize>, EndpointError> {
        let token = &tokens[at];
        let start = token.range.start;
        let until = |words: &[&str]| {
            let mut end = at + 1;
            while tokens.get(end).is_some_and(|token| !words.contains(&token.keyword(text).as_str())) {
                end += 1;
            }
            end
        };
        let number = || tokens.get(at + 1).and_then(|next| text[next.range.clone()].parse::<u64>().ok());
        let first_start = |place: Option<Place>| place.map_or(start, |place| place.start);
        let is_group = token.kind == TokenKind::Open && text[start..].starts_with('{');
        Ok(Some(match token.keyword(text).as_str() {
            "FROM" if self.pattern.is_none() => {
                let named = tokens.get(at + 1).is_some_and(|next| next.keyword(text) == "NAMED");
                let next = at + if named { 3 } else { 2 };
                let end = tokens.get(next - 1).map_or(text.len(), |last| last.range.end);
                self.datasets = Some(first_start(self.datasets.take())..end);
                next
            }
            "WHERE" => at + 1,
            _ if is_group && self.pattern.is_none() => {
                self.pattern = Some(token.range.clone());
                at + 1
            }
            "GROUP" | "HAVING" => {
                let next = until(&["ORDER", "LIMIT", "OFFSET", "VALUES"]);
                self.groups = Some(first_start(self.groups.take())..end_before(tokens, next));
                next
            }
            "ORDER" => {
                let next = until(&["LIMIT", "OFFSET", "VALUES"]);
                // The keys, without ORDER BY.
                let keys = tokens.get(at + 2).map_or(text.len(), |key| key.range.start);
                self.order = Some(keys..end_before(tokens, next).max(keys));
                next
            }
            "LIMIT" => {
                self.limit = Some(number().ok_or_else(|| not_a_query("LIMIT without a number"))?);
                at + 2
            }
            "OFFSET" => {
                self.offset = Some(number().ok_or_else(|| not_a_query("OFFSET without a number"))?);
                at + 2
            }
            "VALUES" => {
                self.values = Some(start..text.len());
                tokens.len()
            }
            _ if self.pattern.is_none() => return Ok(None),
            other => return Err(not_a_query(&format!("{other:?} after the pattern"))),
        }))
    }
}

fn not_a_query(found: &str) -> EndpointError {
    EndpointError::Query { expected: "a query", found: found.to_owned() }
}

fn form_of(word: &str) -> Option<Form> {
    match word {
        "SELECT" => Some(Form::Select),
        "ASK" => Some(Form::Ask),
        "CONSTRUCT" => Some(Form::Construct),
        "DESCRIBE" => Some(Form::Describe),
        _ => None,
    }
}

fn end_before(tokens: &[OuterToken], next: usize) -> usize {
    tokens[next - 1].range.end
}

/// A token outside all brackets, or a pair of brackets with everything inside.
struct OuterToken {
    kind: TokenKind,
    range: Place,
}

impl OuterToken {
    /// A keyword or the name of a function in capitals; empty for every other token.
    fn keyword(&self, text: &str) -> String {
        let word = &text[self.range.clone()];
        let is_keyword = self.kind == TokenKind::Word
            && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if is_keyword { word.to_ascii_uppercase() } else { String::new() }
    }
}

/// The tokens outside all brackets; what is in brackets is one token. Blanks and comments are left out.
///
/// A parser would reject the extensions of servers; tokens are enough to find the clauses.
fn outermost(text: &str) -> Vec<OuterToken> {
    let mut out: Vec<OuterToken> = Vec::new();
    let mut depth = 0usize;
    for token in sparql_tokens(text).filter(|token| token.kind != TokenKind::Blank) {
        if depth == 0 {
            depth += usize::from(token.kind == TokenKind::Open);
            out.push(OuterToken { kind: token.kind, range: token.range() });
        } else {
            match token.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth -= 1,
                _ => {}
            }
            if let Some(bracket) = out.last_mut() {
                bracket.range.end = token.end();
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
