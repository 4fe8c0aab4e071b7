//! Where two simplified queries differ, in words.

use super::super::statements::{StatementTerm, Statements};
use super::{ConditionKind, Structure, StructureCondition};
use spargebra::Query;
use spargebra::algebra::GraphPattern;

/// Where two simplified queries differ first; the first is the gold one.
pub fn difference(gold: &Query, predicted: &Query) -> String {
    if kind(gold) != kind(predicted) {
        return format!("gold is {}, predicted is {}", kind(gold), kind(predicted));
    }
    let columns = (n_columns(gold).unwrap_or(0), n_columns(predicted).unwrap_or(0));
    if columns.0 != columns.1 {
        return format!("gold has {}, predicted has {}", counted(columns.0), counted(columns.1));
    }
    let (ours, theirs) = (patterns(gold), patterns(predicted));
    if let Some(only) = first_missing(&ours, &theirs) {
        return format!("only gold has {only}");
    }
    if let Some(only) = first_missing(&theirs, &ours) {
        return format!("only predicted has {only}");
    }
    if let (Some(ours), Some(theirs)) = (Structure::of(gold), Structure::of(predicted))
        && let Some(why) = other_condition(&ours, &theirs)
    {
        return why;
    }
    "the same parts, joined differently".to_owned()
}

/// The first kind of condition in which two queries differ.
fn other_condition(gold: &Structure<'_>, predicted: &Structure<'_>) -> Option<String> {
    let (gold, predicted) = (gold.conditions(), predicted.conditions());
    for kind in ConditionKind::ALL {
        let numbers = |conditions: &[StructureCondition<'_>]| {
            let mut numbers: Vec<u64> =
                conditions.iter().filter(|condition| condition.kind == kind).map(|c| c.number).collect();
            numbers.sort_unstable();
            numbers
        };
        let (ours, theirs) = (numbers(&gold), numbers(&predicted));
        let (only_ours, only_theirs) = (first_missing(&ours, &theirs), first_missing(&theirs, &ours));
        let who = match (only_ours, only_theirs) {
            (None, None) => continue,
            (Some(_), None) => "only gold has",
            (None, Some(_)) => "only predicted has",
            (Some(_), Some(_)) => return Some(format!("another {}", kind.word())),
        };
        let (n, word) = (ours.len().min(theirs.len()), kind.word());
        let article = if word.starts_with(['a', 'o']) { "an" } else { "a" };
        return Some(match n {
            0 => format!("{who} {article} {word}"),
            _ => format!("{who} a further {word}"),
        });
    }
    None
}

fn kind(query: &Query) -> &'static str {
    match query {
        Query::Select { .. } => "a SELECT query",
        Query::Ask { .. } => "an ASK query",
        Query::Construct { .. } => "a CONSTRUCT query",
        Query::Describe { .. } => "a DESCRIBE query",
    }
}

fn counted(columns: usize) -> String {
    if columns == 1 { "1 column".to_owned() } else { format!("{columns} columns") }
}

/// The number of columns of a simplified query; 0 for ASK, `None` for CONSTRUCT and DESCRIBE.
pub(super) fn n_columns(query: &Query) -> Option<usize> {
    let pattern = match query {
        Query::Select { pattern, .. } => pattern,
        Query::Ask { .. } => return Some(0),
        Query::Construct { .. } | Query::Describe { .. } => return None,
    };
    let mut pattern = pattern;
    while let GraphPattern::Distinct { inner }
    | GraphPattern::Reduced { inner }
    | GraphPattern::Slice { inner, .. } = pattern
    {
        pattern = inner;
    }
    match pattern {
        GraphPattern::Project { variables, .. } => Some(variables.len()),
        _ => None,
    }
}

/// The triple patterns without the names of their variables, sorted.
fn patterns(query: &Query) -> Vec<String> {
    let Statements { patterns, literals, .. } = Statements::of(query);
    let literal = |text: &str| literals.iter().find(|(known, _)| known == text).map(|(_, literal)| literal);
    let shown = |term: &StatementTerm<'_>| match term {
        StatementTerm::Variable(_) | StatementTerm::Blank(_) => "?".to_owned(),
        StatementTerm::Fixed(text) => match literal(text) {
            Some(literal) => literal.value().to_owned(),
            None => short_name(text),
        },
    };
    let pattern = |terms: [StatementTerm<'_>; 3]| {
        format!("`{} {} {}`", shown(&terms[0]), shown(&terms[1]), shown(&terms[2]))
    };
    let mut patterns: Vec<String> = patterns.into_iter().map(pattern).collect();
    patterns.sort_unstable();
    patterns
}

/// The last part of an IRI; with the usual prefix for Wikidata's statements, whose names would look like those of direct properties.
fn short_name(iri: &str) -> String {
    const PREFIXES: [(&str, &str); 4] = [
        ("http://www.wikidata.org/prop/direct/", ""),
        ("http://www.wikidata.org/prop/statement/", "ps:"),
        ("http://www.wikidata.org/prop/qualifier/", "pq:"),
        ("http://www.wikidata.org/prop/", "p:"),
    ];
    for (namespace, prefix) in PREFIXES {
        if let Some(local) = iri.strip_prefix(namespace) {
            return format!("{prefix}{local}");
        }
    }
    match iri.rsplit(['/', '#']).next() {
        Some(local) if !local.is_empty() && iri.starts_with("http") => local.to_owned(),
        _ => iri.to_owned(),
    }
}

/// The first of a sorted list that another one does not have as often.
fn first_missing<'t, T: Ord>(list: &'t [T], other: &[T]) -> Option<&'t T> {
    let mut rest = other.iter().peekable();
    for item in list {
        while rest.peek().is_some_and(|next| *next < item) {
            rest.next();
        }
        if rest.peek() == Some(&item) {
            rest.next();
        } else {
            return Some(item);
        }
    }
    None
}
