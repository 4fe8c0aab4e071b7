//! Whether two parsed SPARQL queries are the same up to the names of variables and the order of what is joined.
//!
//! For queries that the algebra of this crate cannot express, after [simplification](super::Simplified). A query becomes a tree whose nodes know whether the order of their children
//! matters; variables get colours by where they stand, refined until nothing changes, and ties are broken by trying each variable.

mod builder;
mod difference;
mod scopes;

pub use difference::difference;

use super::Namespaces;
use super::filters::english;
use super::statements::{StatementTerm, Statements};
use builder::Builder;
use scopes::Scopes;
use spargebra::Query;
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::Variable;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Maximum number of nodes to look at for one key: about 50 ms. Queries of up to a hundred patterns need a small part of it.
const MAX_STEPS: usize = 2_000_000;

const FREEBASE: &str = "http://rdf.freebase.com/ns/";

/// What is compared of a parsed query.
#[derive(Debug, Clone)]
pub struct Structure<'q> {
    nodes: Vec<Node>,
    root: usize,
    /// By number: the name, with whether it is a blank node's.
    variables: Vec<&'q str>,
    /// The nodes of conditions with their kinds.
    conditions: Vec<(usize, ConditionKind)>,
    /// The variable that the query asks for, if it is one.
    answer: Option<&'q str>,
    /// The variables that the columns show, each once.
    columns: Vec<&'q str>,
    /// What groups are made by.
    keys: Vec<&'q str>,
}

/// What a query states besides its triple patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConditionKind {
    /// A filter, or a condition of an optional part.
    Filter,
    /// A condition on groups.
    Having,
    /// A value that is computed and named.
    Expression,
    /// An aggregate.
    Aggregate,
    /// A key of an order.
    Order,
    /// LIMIT
    Limit,
    /// OFFSET
    Offset,
    /// DISTINCT, where it matters.
    Distinct,
    /// An optional part as a whole.
    Optional,
    /// A union as a whole.
    Union,
    /// What is subtracted, as a whole.
    Minus,
}

impl ConditionKind {
    /// All kinds, the most particular first: the parts as a whole contain the others.
    pub const ALL: [ConditionKind; 11] = [
        ConditionKind::Filter,
        ConditionKind::Having,
        ConditionKind::Expression,
        ConditionKind::Aggregate,
        ConditionKind::Order,
        ConditionKind::Limit,
        ConditionKind::Offset,
        ConditionKind::Distinct,
        ConditionKind::Optional,
        ConditionKind::Union,
        ConditionKind::Minus,
    ];

    /// Its name in messages.
    pub fn word(self) -> &'static str {
        match self {
            ConditionKind::Filter => "filter",
            ConditionKind::Having => "condition on groups",
            ConditionKind::Expression => "computed value",
            ConditionKind::Aggregate => "aggregate",
            ConditionKind::Order => "order",
            ConditionKind::Limit => "limit",
            ConditionKind::Offset => "offset",
            ConditionKind::Distinct => "DISTINCT",
            ConditionKind::Optional => "optional part",
            ConditionKind::Union => "union",
            ConditionKind::Minus => "MINUS",
        }
    }
}

/// A condition of a query: the same number for conditions that differ in the names of their variables only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureCondition<'q> {
    /// What it is.
    pub kind: ConditionKind,
    /// What it says.
    pub number: u64,
    /// The names of its variables, each once.
    pub variables: Vec<&'q str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    /// What it is, constants included.
    tag: u64,
    ordered: bool,
    children: Vec<usize>,
    variable: Option<usize>,
}

fn hash(parts: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

impl<'q> Structure<'q> {
    /// Of a parsed query; `None` if it is nested too deep.
    pub fn of(query: &'q Query) -> Option<Structure<'q>> {
        Structure::build(query, None)
    }

    /// A key that queries share if they differ in entities and literals only; `None` if they are nested too deep or too regular. The
    /// namespaces tell classes, which are part of the key.
    pub fn template_key(query: &'q Query, names: &'q Namespaces) -> Option<String> {
        let key = Structure::build(query, Some(names))?.key()?;
        Some(format!("sparql {key:016x}"))
    }

    fn build(query: &'q Query, template: Option<&'q Namespaces>) -> Option<Structure<'q>> {
        let mut builder = Builder::default();
        builder.template = template;
        let (kind, pattern) = match query {
            Query::Select { pattern, .. } => ("select", answers(pattern)),
            Query::Ask { pattern, .. } => ("ask", existing(pattern)),
            Query::Construct { pattern, .. } => ("construct", pattern),
            Query::Describe { pattern, .. } => ("describe", pattern),
        };
        builder.scopes = match query {
            Query::Construct { template, .. } => Scopes::of(pattern, template),
            _ => Scopes::of(pattern, &[]),
        };
        let mut children = Vec::new();
        let mut columns: Vec<&str> = Vec::new();
        let mut asked: &[Variable] = &[];
        let mut answer = answer(pattern);
        let inner = match pattern {
            GraphPattern::Project { inner, variables } if kind == "select" => {
                // The answers are a set.
                let mut inner = match inner.as_ref() {
                    GraphPattern::OrderBy { inner, .. } => inner,
                    _ => inner,
                };
                // The names of columns do not matter.
                while let GraphPattern::Extend {
                    inner: below,
                    variable,
                    expression: Expression::Variable(of),
                } = inner.as_ref()
                    && variables.contains(variable)
                {
                    builder.aliases.push((variable.as_str(), of.as_str()));
                    inner = below;
                }
                answer = answer.map(|name| builder.source(name));
                let mut sources: Vec<&str> =
                    variables.iter().map(|variable| builder.source(variable.as_str())).collect();
                // Neither does their order, and a column that repeats another says nothing.
                sources.sort_unstable();
                sources.dedup();
                for &source in &sources {
                    children.push(builder.variable(source, false));
                }
                columns = sources;
                children = vec![builder.node("columns", false, children)];
                asked = variables;
                inner
            }
            other => other,
        };
        let is_side = |filter: &Expression| is_side_condition(filter, asked, query);
        children.push(builder.group_without(inner, &is_side)?);
        if let Query::Construct { template, .. } = query {
            let triples = template.iter().map(|triple| builder.triple(triple)).collect();
            children.push(builder.node("template", false, triples));
        }
        let dataset = match query {
            Query::Select { dataset, .. }
            | Query::Ask { dataset, .. }
            | Query::Construct { dataset, .. }
            | Query::Describe { dataset, .. } => dataset.as_ref().map(ToString::to_string),
        };
        let root = builder.node((kind, dataset), true, children);
        let Builder { nodes, names, conditions, keys, .. } = builder;
        let variables = names.into_iter().map(|(name, _)| name).collect();
        Some(Structure { nodes, root, variables, conditions, answer, columns, keys })
    }

    /// The number of columns of a simplified query; 0 for ASK, `None` for CONSTRUCT and DESCRIBE.
    pub(crate) fn n_columns(query: &Query) -> Option<usize> {
        difference::n_columns(query)
    }

    /// The variable that the query asks for, if it is one.
    pub fn answer(&self) -> Option<&'q str> {
        self.answer
    }

    /// The variables that the columns show, each once.
    pub fn columns(&self) -> &[&'q str] {
        &self.columns
    }

    /// The variables that groups are made by, those of nested queries included.
    pub fn keys(&self) -> &[&'q str] {
        &self.keys
    }

    /// Whether both queries are the same up to the names of variables and the order of what is joined. `false`, too, if it would take too
    /// long to tell.
    pub fn is_isomorphic_to(&self, other: &Structure<'_>) -> bool {
        if (self.nodes.len(), self.variables.len()) != (other.nodes.len(), other.variables.len()) {
            return false;
        }
        // Variables are numbered as they come, so queries that are written in the same order have the same nodes.
        if self.nodes == other.nodes {
            return true;
        }
        let plain = |structure: &Structure<'_>| {
            let mut left = MAX_STEPS;
            let colours = structure.refined(vec![0; structure.variables.len()], &mut left)?;
            Some(structure.hashes(&colours)[structure.root])
        };
        plain(self) == plain(other) && matches!((self.key(), other.key()), (Some(a), Some(b)) if a == b)
    }

    /// A number that is the same for isomorphic queries; `None` if it takes too long to find.
    fn key(&self) -> Option<u64> {
        let mut left = MAX_STEPS;
        self.least_key(vec![0; self.variables.len()], &mut left)
    }

    fn least_key(&self, colours: Vec<u64>, left: &mut usize) -> Option<u64> {
        let colours = self.refined(colours, left)?;
        let tied = tied(&colours);
        let Some((&first, others)) = tied.split_first() else {
            return Some(self.hashes(&colours)[self.root]);
        };
        // Variables that can all be swapped are the same whatever comes first.
        if self.are_exchangeable(&tied, left)? {
            return self.least_key(chosen(&colours, &tied), left);
        }
        let mut least = self.least_key(chosen(&colours, &[first]), left)?;
        // A choice that leads to the same query as an earlier one is as good as that.
        let mut known = vec![self.greedy_key(chosen(&colours, &[first]), left)?];
        for &variable in others {
            let reached = self.greedy_key(chosen(&colours, &[variable]), left)?;
            if !known.contains(&reached) {
                known.push(reached);
                least = least.min(self.least_key(chosen(&colours, &[variable]), left)?);
            }
        }
        Some(least)
    }

    /// The hash of the query after breaking each tie by the first of its variables.
    fn greedy_key(&self, mut colours: Vec<u64>, left: &mut usize) -> Option<u64> {
        loop {
            colours = self.refined(colours, left)?;
            match tied(&colours).first() {
                Some(&first) => colours = chosen(&colours, &[first]),
                None => return Some(self.hashes(&colours)[self.root]),
            }
        }
    }

    /// Whether swapping any two of some variables leaves the query as it is.
    fn are_exchangeable(&self, variables: &[usize], left: &mut usize) -> Option<bool> {
        let Some((&first, others)) = variables.split_first() else { return Some(true) };
        let own: Vec<u64> = (0..self.variables.len()).map(|variable| hash(("own", variable))).collect();
        let unchanged = self.hashes(&own)[self.root];
        for &other in others {
            *left = left.checked_sub(self.nodes.len())?;
            let mut swapped = own.clone();
            swapped.swap(first, other);
            if self.hashes(&swapped)[self.root] != unchanged {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Colours by where variables stand, until there are no more of them; `None` if it takes too long.
    fn refined(&self, mut colours: Vec<u64>, left: &mut usize) -> Option<Vec<u64>> {
        let count = |colours: &[u64]| {
            let mut sorted = colours.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            sorted.len()
        };
        let mut n_colours = 0;
        for _ in 0..=colours.len() {
            *left = left.checked_sub(self.nodes.len())?;
            let hashes = self.hashes(&colours);
            let mut contexts = vec![0u64; self.nodes.len()];
            let mut found = vec![0u64; colours.len()];
            // Parents come after their children.
            for (at, node) in self.nodes.iter().enumerate().rev() {
                for (place, &child) in node.children.iter().enumerate() {
                    let place = if node.ordered { place } else { usize::MAX };
                    contexts[child] = hash((contexts[at], hashes[at], place));
                }
                if let Some(variable) = node.variable {
                    found[variable] = found[variable].wrapping_add(hash(contexts[at]));
                }
            }
            for (colour, found) in colours.iter_mut().zip(found) {
                *colour = hash((*colour, found));
            }
            let n = count(&colours);
            if n == n_colours {
                break;
            }
            n_colours = n;
        }
        Some(colours)
    }

    fn hashes(&self, colours: &[u64]) -> Vec<u64> {
        let mut hashes: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let mut children: Vec<u64> = node.children.iter().map(|&child| hashes[child]).collect();
            if !node.ordered {
                children.sort_unstable();
            }
            hashes.push(hash((node.tag, node.variable.map(|variable| colours[variable]), children)));
        }
        hashes
    }

    /// The conditions of the query: what it states besides its triple patterns.
    pub fn conditions(&self) -> Vec<StructureCondition<'q>> {
        let hashes = self.hashes(&vec![0; self.variables.len()]);
        let condition = |&(at, kind): &(usize, ConditionKind)| {
            let (mut variables, mut nodes) = (Vec::new(), vec![at]);
            while let Some(at) = nodes.pop() {
                let node = &self.nodes[at];
                if let Some(variable) = node.variable
                    && !variables.contains(&self.variables[variable])
                {
                    variables.push(self.variables[variable]);
                }
                nodes.extend(node.children.iter().rev());
            }
            StructureCondition { kind, number: hashes[at], variables }
        };
        self.conditions.iter().map(condition).collect()
    }
}

/// The variables of the tie with the least colour; none if there is no tie.
fn tied(colours: &[u64]) -> Vec<usize> {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    let colour = sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    (0..colours.len()).filter(|&variable| Some(colours[variable]) == colour).collect()
}

/// Colours with some variables told apart from the others with their colour.
fn chosen(colours: &[u64], variables: &[usize]) -> Vec<u64> {
    let mut colours = colours.to_vec();
    for (place, &variable) in variables.iter().enumerate() {
        colours[variable] = hash((colours[variable], "chosen", place));
    }
    colours
}

/// The pattern of a SELECT without what does not change the set of its answers.
fn answers(mut pattern: &GraphPattern) -> &GraphPattern {
    while let GraphPattern::Distinct { inner } | GraphPattern::Reduced { inner } = pattern {
        pattern = inner;
    }
    pattern
}

/// The variable that a SELECT asks for, if it is one.
fn answer(mut pattern: &GraphPattern) -> Option<&str> {
    while let GraphPattern::Distinct { inner }
    | GraphPattern::Reduced { inner }
    | GraphPattern::Slice { inner, .. } = pattern
    {
        pattern = inner;
    }
    match pattern {
        GraphPattern::Project { variables, .. } => match &variables[..] {
            [variable] => Some(variable.as_str()),
            _ => None,
        },
        _ => None,
    }
}

/// The pattern of an ASK: whether anything is found does not depend on what is projected.
fn existing(mut pattern: &GraphPattern) -> &GraphPattern {
    while let GraphPattern::Distinct { inner }
    | GraphPattern::Reduced { inner }
    | GraphPattern::OrderBy { inner, .. }
    | GraphPattern::Project { inner, .. } = pattern
    {
        pattern = inner;
    }
    pattern
}

/// Whether a filter is one of those that data sets of Freebase add to every query: the answer is not one of the things that the patterns
/// name, and it is not a text in another language. The algebra does not compare them either (see [`crate::Rules`]).
fn is_side_condition(filter: &Expression, asked: &[Variable], query: &Query) -> bool {
    if english(filter).is_some_and(|variable| asked.contains(variable)) {
        return true;
    }
    let Expression::Not(equal) = filter else { return false };
    let Expression::Equal(left, right) = equal.as_ref() else { return false };
    match (left.as_ref(), right.as_ref()) {
        (Expression::Variable(variable), Expression::NamedNode(iri))
        | (Expression::NamedNode(iri), Expression::Variable(variable)) => {
            let is_named = |term: &StatementTerm<'_>| matches!(term, StatementTerm::Fixed(text) if **text == *iri.as_str());
            iri.as_str().starts_with(FREEBASE)
                && asked.contains(variable)
                && Statements::of(query).patterns.iter().flatten().any(is_named)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sparql::parse;

    fn same(one: &str, other: &str) -> bool {
        let (one, other) = (parse(one).unwrap(), parse(other).unwrap());
        let same = Structure::of(&one.query).unwrap().is_isomorphic_to(&Structure::of(&other.query).unwrap());
        assert_eq!(
            same,
            Structure::of(&other.query).unwrap().is_isomorphic_to(&Structure::of(&one.query).unwrap())
        );
        same
    }

    #[test]
    fn names_and_order_do_not_matter() {
        for (one, other) in [
            ("SELECT ?x { ?x <urn:p> ?y . ?y <urn:q> ?z }", "SELECT ?a { ?b <urn:q> ?c . ?a <urn:p> ?b }"),
            (
                "SELECT ?x { ?x <urn:p> ?y FILTER(?y > 3) FILTER(?y < 9) }",
                "SELECT DISTINCT ?a { FILTER(9.0 > ?n && 3 < ?n) ?a <urn:p> ?n }",
            ),
            (
                "SELECT ?x { { ?x a <urn:a> } UNION { ?x a <urn:b> } }",
                "SELECT ?z { { ?z a <urn:b> } UNION { ?z a <urn:a> } }",
            ),
            ("SELECT * { ?x <urn:p> ?y }", "SELECT * { ?y <urn:p> ?x }"),
            (
                "SELECT ?x { ?x <urn:p> ?m { SELECT (MAX(?n) AS ?m) { ?y <urn:p> ?n } } }",
                "SELECT ?a { { SELECT (MAX(?k) AS ?v) { ?a <urn:p> ?k } } ?a <urn:p> ?v }",
            ),
            (
                "SELECT ?x { VALUES ?x { <urn:a> <urn:b> } ?x <urn:p>* ?y }",
                "SELECT ?u { ?u <urn:p>* ?v VALUES ?u { <urn:b> <urn:a> } }",
            ),
            // Ties that only trying breaks.
            (
                "ASK { ?a <urn:p> ?b . ?b <urn:p> ?c . ?c <urn:p> ?d . ?d <urn:p> ?a }",
                "ASK { ?w <urn:p> ?x . ?y <urn:p> ?z . ?x <urn:p> ?y . ?z <urn:p> ?w }",
            ),
        ] {
            assert!(same(one, other), "{one}\n{other}");
        }
    }

    #[test]
    fn what_differs_is_told() {
        for (one, other) in [
            ("SELECT ?x { ?x <urn:p> ?y }", "SELECT ?y { ?x <urn:p> ?y }"),
            ("SELECT ?x { ?x <urn:p> ?y . ?y <urn:q> ?z }", "SELECT ?x { ?x <urn:p> ?y . ?x <urn:q> ?z }"),
            ("SELECT ?x { ?x <urn:p> ?y FILTER(?y > 3) }", "SELECT ?x { ?x <urn:p> ?y FILTER(?y >= 3) }"),
            ("SELECT ?x { ?x <urn:p> ?y } LIMIT 1", "SELECT ?x { ?x <urn:p> ?y } LIMIT 2"),
            (
                "SELECT (COUNT(?x) AS ?n) { ?x <urn:p> ?y }",
                "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x <urn:p> ?y }",
            ),
            (
                "SELECT ?x { ?x <urn:p> ?y } ORDER BY ?y LIMIT 1",
                "SELECT ?x { ?x <urn:p> ?y } ORDER BY DESC(?y) LIMIT 1",
            ),
            ("ASK { ?x <urn:p> ?y OPTIONAL { ?y <urn:q> ?z } }", "ASK { ?x <urn:p> ?y . ?y <urn:q> ?z }"),
            ("ASK { ?x <urn:p>* ?y }", "ASK { ?x <urn:r>* ?y }"),
            // Two triangles and one hexagon: refinement alone cannot tell them.
            (
                "ASK { ?a <urn:p> ?b . ?b <urn:p> ?c . ?c <urn:p> ?a . ?d <urn:p> ?e . ?e <urn:p> ?f . ?f <urn:p> ?d }",
                "ASK { ?a <urn:p> ?b . ?b <urn:p> ?c . ?c <urn:p> ?d . ?d <urn:p> ?e . ?e <urn:p> ?f . ?f <urn:p> ?a }",
            ),
        ] {
            assert!(!same(one, other), "{one}\n{other}");
        }
    }

    #[test]
    fn conditions_have_their_variables() {
        let of = |text: &str| {
            let parsed = parse(text).unwrap();
            let structure = Structure::of(&parsed.query).unwrap();
            let conditions = structure.conditions();
            conditions.iter().map(|c| (c.number, c.variables.join(" "))).collect::<Vec<_>>()
        };
        let one = of("SELECT ?x { ?x <urn:p> ?y FILTER(?y > 3) } ORDER BY ?y LIMIT 1");
        let other = of("SELECT ?a { ?a <urn:p> ?b FILTER(3 < ?b) } ORDER BY ?b LIMIT 1");
        assert_eq!(one.len(), 3);
        assert!(one.iter().zip(&other).all(|(one, other)| one.0 == other.0));
        assert_eq!((one[1].1.as_str(), other[1].1.as_str()), ("y", "b"));
    }
}
