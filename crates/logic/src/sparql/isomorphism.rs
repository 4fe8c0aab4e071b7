//! Whether two parsed SPARQL queries are the same up to the names of variables and the order of what is joined.
//!
//! For queries that the algebra of this crate cannot express. A query becomes a tree whose nodes know whether the order of their children
//! matters; variables get colours by where they stand, refined until nothing changes, and ties are broken by trying each variable.

use super::statements::{literal_text, path_text};
use spargebra::Query;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern, OrderExpression};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern, Variable};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Deeper queries are not looked at: this is recursive.
const MAX_DEPTH: usize = 200;
/// Ties are broken in so many ways at most.
const MAX_REFINEMENTS: usize = 2_000;

/// What is compared of a parsed query.
#[derive(Debug, Clone)]
pub struct Structure<'q> {
    nodes: Vec<Node>,
    root: usize,
    /// By number: the name, with whether it is a blank node's.
    variables: Vec<&'q str>,
    /// The nodes of conditions: filters, bindings, aggregates, orders and limits.
    conditions: Vec<usize>,
    /// The variable that the query asks for, if it is one.
    answer: Option<&'q str>,
}

/// A condition of a query: the same number for conditions that differ in the names of their variables only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition<'q> {
    /// What it says.
    pub number: u64,
    /// The names of its variables, each once.
    pub variables: Vec<&'q str>,
}

#[derive(Debug, Clone)]
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
        let mut builder = Builder::default();
        let (kind, pattern) = match query {
            Query::Select { pattern, .. } => ("select", answers(pattern)),
            Query::Ask { pattern, .. } => ("ask", existing(pattern)),
            Query::Construct { pattern, .. } => ("construct", pattern),
            Query::Describe { pattern, .. } => ("describe", pattern),
        };
        let mut children = Vec::new();
        let inner = match pattern {
            GraphPattern::Project { inner, variables } if kind == "select" => {
                for variable in variables {
                    children.push(builder.variable(variable.as_str(), false));
                }
                // `SELECT *` lists variables by their names.
                if may_be_star(inner, variables) {
                    children = vec![builder.node("any order", false, children)];
                }
                // The answers are a set.
                match inner.as_ref() {
                    GraphPattern::OrderBy { inner, .. } => inner,
                    _ => inner,
                }
            }
            other => other,
        };
        children.push(builder.group(inner)?);
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
        let Builder { nodes, names, conditions, .. } = builder;
        let variables = names.into_iter().map(|(name, _)| name).collect();
        Some(Structure { nodes, root, variables, conditions, answer: answer(pattern) })
    }

    /// The variable that the query asks for, if it is one.
    pub fn answer(&self) -> Option<&'q str> {
        self.answer
    }

    /// Whether both queries are the same up to the names of variables and the order of what is joined. `false`, too, if it would take too
    /// long to tell.
    pub fn is_isomorphic_to(&self, other: &Structure<'_>) -> bool {
        if (self.nodes.len(), self.variables.len()) != (other.nodes.len(), other.variables.len()) {
            return false;
        }
        let plain = |structure: &Structure<'_>| {
            let colours = structure.refined(vec![0; structure.variables.len()]);
            structure.hashes(&colours)[structure.root]
        };
        plain(self) == plain(other) && matches!((self.key(), other.key()), (Some(a), Some(b)) if a == b)
    }

    /// A number that is the same for isomorphic queries; `None` if it takes too long to find.
    fn key(&self) -> Option<u64> {
        let mut left = MAX_REFINEMENTS;
        self.least_key(vec![0; self.variables.len()], &mut left)
    }

    fn least_key(&self, colours: Vec<u64>, left: &mut usize) -> Option<u64> {
        *left = left.checked_sub(1)?;
        let colours = self.refined(colours);
        let mut sorted = colours.clone();
        sorted.sort_unstable();
        let Some(tied) = sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]) else {
            return Some(self.hashes(&colours)[self.root]);
        };
        let mut least: Option<u64> = None;
        for variable in (0..colours.len()).filter(|&variable| colours[variable] == tied) {
            let mut chosen = colours.clone();
            chosen[variable] = hash((tied, "chosen"));
            let key = self.least_key(chosen, left)?;
            least = Some(least.map_or(key, |least| least.min(key)));
        }
        least
    }

    /// Colours by where variables stand, until there are no more of them.
    fn refined(&self, mut colours: Vec<u64>) -> Vec<u64> {
        let count = |colours: &[u64]| {
            let mut sorted = colours.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            sorted.len()
        };
        let mut n_colours = 0;
        for _ in 0..=colours.len() {
            let hashes = self.hashes(&colours);
            let mut contexts = vec![0u64; self.nodes.len()];
            let mut found = vec![0u64; colours.len()];
            // Parents come behind their children.
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
        colours
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

    /// The conditions of the query: what it says beside its triple patterns.
    pub fn conditions(&self) -> Vec<Condition<'q>> {
        let hashes = self.hashes(&vec![0; self.variables.len()]);
        let condition = |&at: &usize| {
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
            Condition { number: hashes[at], variables }
        };
        self.conditions.iter().map(condition).collect()
    }
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

fn may_be_star(inner: &GraphPattern, variables: &[Variable]) -> bool {
    let mut all: Vec<&Variable> = Vec::new();
    inner.on_in_scope_variable(|variable| all.push(variable));
    all.sort_unstable();
    all.dedup();
    variables.len() > 1 && variables.iter().eq(all)
}

#[derive(Default)]
struct Builder<'q> {
    nodes: Vec<Node>,
    /// All variables, with whether they are blank nodes.
    names: Vec<(&'q str, bool)>,
    /// The variables that can be seen, by number.
    seen: Vec<usize>,
    conditions: Vec<usize>,
    depth: usize,
}

impl<'q> Builder<'q> {
    fn node(&mut self, tag: impl Hash, ordered: bool, children: Vec<usize>) -> usize {
        self.nodes.push(Node { tag: hash(tag), ordered, children, variable: None });
        self.nodes.len() - 1
    }

    fn leaf(&mut self, tag: impl Hash) -> usize {
        self.node(tag, true, Vec::new())
    }

    fn condition(&mut self, node: usize) -> usize {
        self.conditions.push(node);
        node
    }

    fn variable(&mut self, name: &'q str, is_blank: bool) -> usize {
        let known = self.seen.iter().copied().find(|&known| self.names[known] == (name, is_blank));
        let number = known.unwrap_or_else(|| {
            self.names.push((name, is_blank));
            self.seen.push(self.names.len() - 1);
            self.names.len() - 1
        });
        self.nodes.push(Node {
            tag: hash("variable"),
            ordered: true,
            children: Vec::new(),
            variable: Some(number),
        });
        self.nodes.len() - 1
    }

    /// One level further down.
    fn deeper(&mut self, build: impl FnOnce(&mut Self) -> Option<usize>) -> Option<usize> {
        self.depth += 1;
        let found = if self.depth > MAX_DEPTH { None } else { build(self) };
        self.depth -= 1;
        found
    }

    /// What is joined, in any order, with the filters on it.
    fn group(&mut self, pattern: &'q GraphPattern) -> Option<usize> {
        self.deeper(|builder| {
            let mut parts = Vec::new();
            let mut inner = pattern;
            while let GraphPattern::Filter { expr, inner: filtered } = inner {
                for conjunct in operands(expr, |e| match e {
                    Expression::And(left, right) => Some((left, right)),
                    _ => None,
                }) {
                    let condition = builder.expression(conjunct)?;
                    let condition = builder.node("filter", true, vec![condition]);
                    parts.push(builder.condition(condition));
                }
                inner = filtered;
            }
            let mut joined = vec![inner];
            while let Some(pattern) = joined.pop() {
                match pattern {
                    GraphPattern::Join { left, right } => joined.extend([right.as_ref(), left.as_ref()]),
                    GraphPattern::Bgp { patterns } => {
                        for triple in patterns {
                            parts.push(builder.triple(triple));
                        }
                    }
                    GraphPattern::Filter { .. } => parts.push(builder.group(pattern)?),
                    other => parts.push(builder.part(other)?),
                }
            }
            Some(match parts[..] {
                [part] => part,
                _ => builder.node("group", false, parts),
            })
        })
    }

    fn part(&mut self, pattern: &'q GraphPattern) -> Option<usize> {
        Some(match pattern {
            GraphPattern::Path { subject, path, object } => {
                let (text, is_reversed) = path_text(path);
                let (subject, object) = (self.term(subject), self.term(object));
                let ends =
                    if is_reversed == Some(true) { vec![object, subject] } else { vec![subject, object] };
                self.node(("path", text), is_reversed.is_some(), ends)
            }
            GraphPattern::Union { .. } => {
                let mut branches = Vec::new();
                let mut stack = vec![pattern];
                while let Some(pattern) = stack.pop() {
                    match pattern {
                        GraphPattern::Union { left, right } => stack.extend([right.as_ref(), left.as_ref()]),
                        branch => branches.push(self.group(branch)?),
                    }
                }
                self.node("union", false, branches)
            }
            GraphPattern::LeftJoin { left, right, expression } => {
                let mut children = vec![self.group(left)?, self.group(right)?];
                if let Some(expression) = expression {
                    let condition = self.expression(expression)?;
                    children.push(self.condition(condition));
                }
                self.node("optional", true, children)
            }
            GraphPattern::Minus { left, right } => {
                let children = vec![self.group(left)?, self.group(right)?];
                self.node("minus", true, children)
            }
            GraphPattern::Lateral { left, right } => {
                let children = vec![self.group(left)?, self.group(right)?];
                self.node("lateral", true, children)
            }
            GraphPattern::Graph { name, inner } => {
                let children = vec![self.name(name), self.group(inner)?];
                self.node("graph", true, children)
            }
            GraphPattern::Service { name, inner, silent } => {
                let children = vec![self.name(name), self.group(inner)?];
                self.node(("service", silent), true, children)
            }
            GraphPattern::Extend { inner, variable, expression } => {
                let inner = self.group(inner)?;
                let expression = self.expression(expression)?;
                let variable = self.variable(variable.as_str(), false);
                let bound = self.node("bind", true, vec![variable, expression]);
                self.condition(bound);
                self.node("extend", true, vec![inner, bound])
            }
            GraphPattern::Values { variables, bindings } => {
                let mut rows = Vec::new();
                for row in bindings {
                    let mut cells = Vec::new();
                    for (variable, term) in variables.iter().zip(row) {
                        let variable = self.variable(variable.as_str(), false);
                        let term = match term {
                            Some(GroundTerm::NamedNode(iri)) => self.leaf(("iri", iri.as_str())),
                            Some(GroundTerm::Literal(literal)) => {
                                self.leaf(("literal", literal_text(literal)))
                            }
                            Some(other) => self.leaf(("term", other.to_string())),
                            None => self.leaf("undef"),
                        };
                        cells.push(self.node("cell", true, vec![variable, term]));
                    }
                    rows.push(self.node("row", false, cells));
                }
                self.node("values", false, rows)
            }
            GraphPattern::OrderBy { inner, expression } => {
                let mut orders = Vec::new();
                for order in expression {
                    let (way, expression) = match order {
                        OrderExpression::Asc(expression) => ("ascending", expression),
                        OrderExpression::Desc(expression) => ("descending", expression),
                    };
                    let expression = self.expression(expression)?;
                    let order = self.node(way, true, vec![expression]);
                    orders.push(self.condition(order));
                }
                orders.insert(0, self.group(inner)?);
                self.node("ordered", true, orders)
            }
            GraphPattern::Project { inner, variables } => {
                // What is not projected cannot be seen from outside, whatever its name.
                let mut projected: Vec<usize> =
                    variables.iter().map(|variable| self.variable(variable.as_str(), false)).collect();
                let numbers: Vec<usize> =
                    projected.iter().filter_map(|&node| self.nodes[node].variable).collect();
                let outside = std::mem::replace(&mut self.seen, numbers);
                let inner = self.group(inner)?;
                self.seen = outside;
                projected.push(inner);
                self.node("project", false, projected)
            }
            GraphPattern::Distinct { inner } => {
                let inner = self.group(inner)?;
                self.node("distinct", true, vec![inner])
            }
            GraphPattern::Reduced { inner } => {
                let inner = self.group(inner)?;
                self.node("reduced", true, vec![inner])
            }
            GraphPattern::Slice { inner, start, length } => {
                let inner = self.group(inner)?;
                let slice = self.leaf(("slice", start, length));
                self.condition(slice);
                self.node("sliced", true, vec![inner, slice])
            }
            GraphPattern::Group { inner, variables, aggregates } => {
                let inner = self.group(inner)?;
                let keys = variables.iter().map(|key| self.variable(key.as_str(), false)).collect();
                let keys = self.node("keys", false, keys);
                let mut found = Vec::new();
                for (variable, aggregate) in aggregates {
                    let aggregate = self.aggregate(aggregate)?;
                    let variable = self.variable(variable.as_str(), false);
                    let aggregate = self.node("aggregate", true, vec![variable, aggregate]);
                    found.push(self.condition(aggregate));
                }
                let found = self.node("aggregates", false, found);
                self.node("grouped", true, vec![inner, keys, found])
            }
            GraphPattern::Bgp { .. } | GraphPattern::Join { .. } | GraphPattern::Filter { .. } => {
                self.group(pattern)?
            }
        })
    }

    fn aggregate(&mut self, aggregate: &'q AggregateExpression) -> Option<usize> {
        Some(match aggregate {
            AggregateExpression::CountSolutions { distinct } => self.leaf(("count *", distinct)),
            AggregateExpression::FunctionCall { name, expr, distinct } => {
                let name = match name {
                    AggregateFunction::GroupConcat { separator } => format!("group_concat {separator:?}"),
                    other => other.to_string(),
                };
                let inner = self.expression(expr)?;
                self.node(("call", name, distinct), true, vec![inner])
            }
        })
    }

    fn triple(&mut self, triple: &'q TriplePattern) -> usize {
        let children =
            vec![self.term(&triple.subject), self.name(&triple.predicate), self.term(&triple.object)];
        self.node("triple", true, children)
    }

    fn name(&mut self, name: &'q NamedNodePattern) -> usize {
        match name {
            NamedNodePattern::NamedNode(iri) => self.leaf(("iri", iri.as_str())),
            NamedNodePattern::Variable(variable) => self.variable(variable.as_str(), false),
        }
    }

    fn term(&mut self, term: &'q TermPattern) -> usize {
        match term {
            TermPattern::NamedNode(iri) => self.leaf(("iri", iri.as_str())),
            TermPattern::Literal(literal) => self.leaf(("literal", literal_text(literal))),
            TermPattern::Variable(variable) => self.variable(variable.as_str(), false),
            TermPattern::BlankNode(node) => self.variable(node.as_str(), true),
            TermPattern::Triple(triple) => {
                let triple = self.triple(triple);
                self.node("quoted", true, vec![triple])
            }
        }
    }

    fn expression(&mut self, expression: &'q Expression) -> Option<usize> {
        self.deeper(|builder| builder.expression_here(expression))
    }

    fn expression_here(&mut self, expression: &'q Expression) -> Option<usize> {
        let (tag, ordered, operands): (&str, bool, Vec<&Expression>) = match expression {
            Expression::NamedNode(iri) => return Some(self.leaf(("iri", iri.as_str()))),
            Expression::Literal(literal) => return Some(self.leaf(("literal", literal_text(literal)))),
            Expression::Variable(variable) => return Some(self.variable(variable.as_str(), false)),
            Expression::Bound(variable) => {
                let variable = self.variable(variable.as_str(), false);
                return Some(self.node("bound", true, vec![variable]));
            }
            Expression::Exists(pattern) => {
                let inner = self.group(pattern)?;
                return Some(self.node("exists", true, vec![inner]));
            }
            Expression::And(..) => {
                let all = operands(expression, |e| match e {
                    Expression::And(left, right) => Some((left, right)),
                    _ => None,
                });
                ("and", false, all)
            }
            Expression::Or(..) => {
                let all = operands(expression, |e| match e {
                    Expression::Or(left, right) => Some((left, right)),
                    _ => None,
                });
                ("or", false, all)
            }
            Expression::Equal(left, right) => ("=", false, vec![left, right]),
            Expression::SameTerm(left, right) => ("sameTerm", false, vec![left, right]),
            Expression::Less(left, right) | Expression::Greater(right, left) => {
                ("<", true, vec![left, right])
            }
            Expression::LessOrEqual(left, right) | Expression::GreaterOrEqual(right, left) => {
                ("<=", true, vec![left, right])
            }
            Expression::Add(left, right) => ("+", false, vec![left, right]),
            Expression::Subtract(left, right) => ("-", true, vec![left, right]),
            Expression::Multiply(left, right) => ("*", false, vec![left, right]),
            Expression::Divide(left, right) => ("/", true, vec![left, right]),
            Expression::UnaryPlus(inner) => ("+ of one", true, vec![inner]),
            Expression::UnaryMinus(inner) => ("- of one", true, vec![inner]),
            Expression::Not(inner) => ("not", true, vec![inner]),
            Expression::If(condition, yes, no) => ("if", true, vec![condition, yes, no]),
            Expression::Coalesce(list) => ("coalesce", true, list.iter().collect()),
            Expression::In(left, list) => {
                let left = self.expression(left)?;
                let list = list.iter().map(|item| self.expression(item)).collect::<Option<Vec<_>>>()?;
                let list = self.node("list", false, list);
                return Some(self.node("in", true, vec![left, list]));
            }
            Expression::FunctionCall(function, arguments) => {
                let children =
                    arguments.iter().map(|item| self.expression(item)).collect::<Option<Vec<_>>>()?;
                return Some(self.node(("call", function.to_string()), true, children));
            }
        };
        let children = operands.into_iter().map(|e| self.expression(e)).collect::<Option<Vec<_>>>()?;
        Some(self.node(tag, ordered, children))
    }
}

/// The operands of an operator that nests.
fn operands<'e>(
    expression: &'e Expression,
    split: impl Fn(&'e Expression) -> Option<(&'e Expression, &'e Expression)>,
) -> Vec<&'e Expression> {
    let (mut found, mut stack) = (Vec::new(), vec![expression]);
    while let Some(expression) = stack.pop() {
        match split(expression) {
            Some((left, right)) => stack.extend([right, left]),
            None => found.push(expression),
        }
    }
    found
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
