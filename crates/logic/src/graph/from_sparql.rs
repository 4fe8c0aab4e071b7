//! From SPARQL outside the algebra to query graphs: the graph of its patterns.
//!
//! The rules are those of the queries of the algebra: a constant is a constraint each time it occurs, a class labels its vertex unless it is
//! all that is known of a thing on the way, and the value of a superlative is a constraint. Optional parts, branches of UNION and what NOT EXISTS
//! excludes are patterns like others. The main column is the root; further columns are notes.

use super::from_query::{simplest_of, simplest_root};
use super::query_graph::{Edge, QueryGraph, Vertex};
use crate::sparql::{Namespaces, path_text};
use crate::value::Symbol;
use hashbrown::HashMap;
use spargebra::Query;
use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};
use spargebra::term::{GroundTerm, Literal, NamedNodePattern, TermPattern, TriplePattern, Variable};

/// Maximum number of listed values to show.
const MAX_SHOWN: usize = 3;

impl QueryGraph {
    /// The graph of a simplified SPARQL query.
    pub fn of_sparql(query: &Query, names: &Namespaces) -> QueryGraph {
        let (Query::Select { pattern, .. }
        | Query::Ask { pattern, .. }
        | Query::Construct { pattern, .. }
        | Query::Describe { pattern, .. }) = query;
        let mut builder = Builder {
            graph: QueryGraph::default(),
            variables: HashMap::new(),
            classes: Vec::new(),
            name_edges: Vec::new(),
            aliases: HashMap::new(),
            names,
        };
        builder.patterns(pattern);
        let asked = builder.head(pattern);
        if builder.graph.vertices.is_empty() {
            builder.vertex();
        }
        builder.classes_as_constraints(asked);
        let asked = builder.names_as_constraints(asked);
        let mut graph = builder.graph;
        graph.root = match asked {
            Some(root) => root,
            None => simplest_root(&graph),
        };
        graph
    }
}

struct Builder<'q> {
    graph: QueryGraph,
    /// The vertices of variables and blank nodes.
    variables: HashMap<String, usize>,
    /// The classes of vertices.
    classes: Vec<(usize, Symbol)>,
    /// The edges that lead to the name of something.
    name_edges: Vec<usize>,
    /// Computed variables, and the variable that they are computed from.
    aliases: HashMap<&'q str, &'q Variable>,
    names: &'q Namespaces,
}

impl<'q> Builder<'q> {
    fn vertex(&mut self) -> usize {
        self.graph.vertices.push(Vertex::default());
        self.graph.vertices.len() - 1
    }

    fn variable(&mut self, name: String) -> usize {
        if let Some(&known) = self.variables.get(&name) {
            return known;
        }
        let vertex = self.vertex();
        self.variables.insert(name, vertex);
        vertex
    }

    fn constant(&mut self, label: String) -> usize {
        let vertex = self.vertex();
        self.graph.vertices[vertex] = Vertex { grounded: true, label: label.into(), note: Symbol::default() };
        vertex
    }

    fn note(&mut self, vertex: usize, note: &str) {
        let notes = &mut self.graph.vertices[vertex].note;
        if !notes.split(", ").any(|known| known == note) {
            *notes = if notes.is_empty() { note.into() } else { format!("{notes}, {note}").into() };
        }
    }

    /// Grounds the vertex of a variable, if the pattern has it.
    fn ground(&mut self, variable: &Variable, label: &str, note: &str) {
        if let Some(&vertex) = self.variables.get(variable.as_str()) {
            let found = &mut self.graph.vertices[vertex];
            found.grounded = true;
            if found.label.is_empty() || label != "value" {
                found.label = label.into();
            }
            if !note.is_empty() {
                self.note(vertex, note);
            }
        }
    }

    fn term(&mut self, term: &TermPattern) -> usize {
        match term {
            TermPattern::Variable(variable) => self.variable(variable.as_str().to_owned()),
            TermPattern::BlankNode(node) => self.variable(format!("_:{}", node.as_str())),
            TermPattern::NamedNode(iri) => self.constant(self.names.node(iri.as_str())),
            TermPattern::Literal(literal) => self.constant(shown(literal, self.names)),
            TermPattern::Triple(triple) => {
                self.triple(triple);
                self.variable(format!("<< {triple} >>"))
            }
        }
    }

    fn triple(&mut self, triple: &TriplePattern) {
        if let (NamedNodePattern::NamedNode(predicate), TermPattern::NamedNode(class)) =
            (&triple.predicate, &triple.object)
            && self.names.is_type(predicate.as_str())
        {
            let subject = self.term(&triple.subject);
            self.classes.push((subject, self.names.node(class.as_str()).into()));
            return;
        }
        let (from, to) = (self.term(&triple.subject), self.term(&triple.object));
        let label: Symbol = match &triple.predicate {
            NamedNodePattern::NamedNode(predicate) => {
                if self.names.is_name(predicate.as_str()) {
                    self.name_edges.push(self.graph.edges.len());
                }
                self.names.property(predicate.as_str()).into()
            }
            NamedNodePattern::Variable(_) => "?".into(),
        };
        self.graph.edges.push(Edge { from, to, label });
    }

    /// Everything that a pattern states; conditions come last, when all vertices are there.
    fn patterns(&mut self, pattern: &'q GraphPattern) {
        let mut conditions: Vec<&'q Expression> = Vec::new();
        let mut tables = Vec::new();
        let mut stack = vec![pattern];
        loop {
            while let Some(pattern) = stack.pop() {
                self.pattern(pattern, &mut stack, &mut conditions, &mut tables);
            }
            let Some(condition) = conditions.pop() else { break };
            self.condition(condition, &mut stack, &mut conditions);
        }
        for (variable, label) in tables {
            self.ground(variable, &label, "");
        }
    }

    fn pattern(
        &mut self,
        pattern: &'q GraphPattern,
        stack: &mut Vec<&'q GraphPattern>,
        conditions: &mut Vec<&'q Expression>,
        tables: &mut Vec<(&'q Variable, String)>,
    ) {
        match pattern {
            GraphPattern::Bgp { patterns } => patterns.iter().for_each(|triple| self.triple(triple)),
            GraphPattern::Path { subject, path, object } => {
                let (from, to) = (self.term(subject), self.term(object));
                let (text, is_reversed) = path_text(path, self.names);
                let (from, to) = if is_reversed == Some(true) { (to, from) } else { (from, to) };
                self.graph.edges.push(Edge { from, to, label: text.into() });
            }
            GraphPattern::Join { left, right }
            | GraphPattern::Lateral { left, right }
            | GraphPattern::Union { left, right }
            | GraphPattern::Minus { left, right } => stack.extend([right.as_ref(), left.as_ref()]),
            GraphPattern::LeftJoin { left, right, expression } => {
                conditions.extend(expression);
                stack.extend([right.as_ref(), left.as_ref()]);
            }
            GraphPattern::Filter { expr, inner } => {
                conditions.push(expr);
                stack.push(inner);
            }
            GraphPattern::Extend { inner, variable, expression } => {
                if let Some(source) = first_variable(expression) {
                    self.aliases.insert(variable.as_str(), source);
                }
                stack.push(inner);
            }
            GraphPattern::Values { variables, bindings } => {
                for (at, variable) in variables.iter().enumerate() {
                    let terms = bindings.iter().filter_map(|row| row.get(at)?.as_ref());
                    let labels: Vec<String> =
                        terms.take(MAX_SHOWN).map(|term| ground_label(term, self.names)).collect();
                    let more = if bindings.len() > MAX_SHOWN { " | …" } else { "" };
                    tables.push((variable, format!("{}{more}", labels.join(" | "))));
                }
            }
            GraphPattern::Group { inner, aggregates, .. } => {
                for (variable, aggregate) in aggregates {
                    if let AggregateExpression::FunctionCall { expr, .. } = aggregate
                        && let Some(source) = first_variable(expr)
                    {
                        self.aliases.insert(variable.as_str(), source);
                    }
                }
                stack.push(inner);
            }
            GraphPattern::Graph { inner, .. }
            | GraphPattern::Service { inner, .. }
            | GraphPattern::Project { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::OrderBy { inner, .. }
            | GraphPattern::Slice { inner, .. } => stack.push(inner),
        }
    }

    /// A comparison with a literal makes its variable a constraint; other conditions are notes.
    fn condition(
        &mut self,
        condition: &'q Expression,
        stack: &mut Vec<&'q GraphPattern>,
        conditions: &mut Vec<&'q Expression>,
    ) {
        let (symbol, left, right) = match condition {
            Expression::And(left, right) => {
                conditions.extend([right.as_ref(), left.as_ref()]);
                return;
            }
            Expression::Exists(pattern) => {
                stack.push(pattern);
                return;
            }
            Expression::Not(inner) => {
                if let Expression::Exists(pattern) = inner.as_ref() {
                    stack.push(pattern);
                }
                return;
            }
            Expression::Equal(left, right) => ("", left, right),
            Expression::Less(left, right) => ("<", left, right),
            Expression::LessOrEqual(left, right) => ("<=", left, right),
            Expression::Greater(left, right) => (">", left, right),
            Expression::GreaterOrEqual(left, right) => (">=", left, right),
            other => {
                if let Some(variable) = first_variable(other)
                    && let Some(&vertex) = self.variables.get(variable.as_str())
                {
                    self.note(vertex, "filter");
                }
                return;
            }
        };
        let (symbol, operand, literal) = match (left.as_ref(), right.as_ref()) {
            (operand, Expression::Literal(literal)) => (symbol, operand, literal),
            (Expression::Literal(literal), operand) => (flipped(symbol), operand, literal),
            _ => return,
        };
        if let Some(variable) = first_variable(operand) {
            let label = shown(literal, self.names);
            self.ground(variable, &label, symbol);
        }
    }

    /// The columns, the order and what is counted. Gives the vertex of the main column.
    fn head(&mut self, pattern: &'q GraphPattern) -> Option<usize> {
        let (mut at, mut limited) = (pattern, false);
        let mut columns: &[Variable] = &[];
        let mut counted = None;
        loop {
            at = match at {
                GraphPattern::Slice { inner, .. } => {
                    limited = true;
                    inner
                }
                GraphPattern::Distinct { inner } | GraphPattern::Reduced { inner } => inner,
                GraphPattern::Project { inner, variables } => {
                    columns = if columns.is_empty() { variables } else { columns };
                    inner
                }
                GraphPattern::Extend { inner, .. } | GraphPattern::Filter { inner, .. } => inner,
                GraphPattern::OrderBy { inner, expression } => {
                    if limited && let Some(first) = expression.first() {
                        self.ordered(first);
                    }
                    inner
                }
                GraphPattern::Group { aggregates, .. } => {
                    counted = aggregates.first().map(|(_, aggregate)| match aggregate {
                        AggregateExpression::FunctionCall { name, expr, .. } => {
                            (name.to_string().to_lowercase(), first_variable(expr))
                        }
                        AggregateExpression::CountSolutions { .. } => ("count".to_owned(), None),
                    });
                    break;
                }
                _ => break,
            };
        }
        let mut found: Vec<usize> = columns.iter().filter_map(|column| self.resolved(column)).collect();
        found.dedup();
        let root = self.main_column(&found);
        if let Some((function, of)) = counted {
            let vertex = of.and_then(|of| self.resolved(of)).or(root);
            if let Some(vertex) = vertex {
                self.note(vertex, &function);
            }
        }
        for &further in found.iter().filter(|&&vertex| Some(vertex) != root) {
            self.note(further, "asked");
        }
        root
    }

    /// The column that is the subject of most triples; of several, the one that gives the simplest graph. So the order of the columns does not
    /// matter.
    fn main_column(&self, columns: &[usize]) -> Option<usize> {
        let degree = |vertex: usize| self.graph.edges.iter().filter(|edge| edge.from == vertex).count();
        let most = columns.iter().map(|&vertex| degree(vertex)).max()?;
        let candidates: Vec<usize> =
            columns.iter().copied().filter(|&vertex| degree(vertex) == most).collect();
        simplest_of(&self.graph, &candidates)
    }

    fn ordered(&mut self, order: &'q OrderExpression) {
        let (word, key) = match order {
            OrderExpression::Asc(key) => ("min", key),
            OrderExpression::Desc(key) => ("max", key),
        };
        let Some(variable) = first_variable(key) else { return };
        if self.variables.contains_key(variable.as_str()) {
            self.ground(variable, "value", word);
        } else if let Some(vertex) = self.resolved(variable) {
            self.note(vertex, word);
        }
    }

    /// The vertex of a variable, or of what it is computed from.
    fn resolved(&self, variable: &'q Variable) -> Option<usize> {
        let mut variable = variable;
        for _ in 0..16 {
            if let Some(&vertex) = self.variables.get(variable.as_str()) {
                return Some(vertex);
            }
            variable = self.aliases.get(variable.as_str())?;
        }
        None
    }

    /// A thing with a condition on its name is a constraint, as if it were named. Gives the new number of the vertex that is asked for.
    fn names_as_constraints(&mut self, asked: Option<usize>) -> Option<usize> {
        let mut asked = asked;
        // The last edge first, so that the numbers of the others stay.
        for at in std::mem::take(&mut self.name_edges).into_iter().rev() {
            let Edge { from, to, .. } = self.graph.edges[at];
            let name = &self.graph.vertices[to];
            let degree = self.graph.edges.iter().filter(|edge| edge.from == to || edge.to == to).count();
            let is_condition = name.grounded || !name.note.is_empty();
            let is_asked = asked == Some(to) || name.note.split(", ").any(|note| note == "asked");
            if degree != 1 || !is_condition || is_asked || self.graph.vertices[from].grounded {
                continue;
            }
            let label = if name.label.is_empty() { "name".into() } else { name.label.clone() };
            let note = name.note.clone();
            self.graph.vertices[from] = Vertex { grounded: true, label, note };
            self.graph.edges.remove(at);
            self.graph.vertices.remove(to);
            let moved = |vertex: &mut usize| *vertex -= usize::from(*vertex > to);
            for edge in &mut self.graph.edges {
                moved(&mut edge.from);
                moved(&mut edge.to);
            }
            asked.iter_mut().for_each(moved);
        }
        asked
    }

    /// Classes label their vertices; the class of a thing on the way that has no other condition is a constraint.
    fn classes_as_constraints(&mut self, root: Option<usize>) {
        for (vertex, class) in std::mem::take(&mut self.classes) {
            let degree =
                self.graph.edges.iter().filter(|edge| edge.from == vertex || edge.to == vertex).count();
            let found = &self.graph.vertices[vertex];
            if degree == 1 && Some(vertex) != root && !found.grounded && root.is_some() {
                let constraint = self.constant(class.to_string());
                self.graph.edges.push(Edge { from: vertex, to: constraint, label: "type".into() });
            } else if !found.grounded {
                let label = match found.label.is_empty() {
                    true => class,
                    false if found.label.split(" & ").any(|known| known == class) => continue,
                    false => format!("{} & {class}", found.label).into(),
                };
                self.graph.vertices[vertex].label = label;
            }
        }
    }
}

fn flipped(symbol: &'static str) -> &'static str {
    match symbol {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        same => same,
    }
}

/// A literal as people read it.
fn shown(literal: &Literal, names: &Namespaces) -> String {
    names.value(literal).to_string()
}

fn ground_label(term: &GroundTerm, names: &Namespaces) -> String {
    match term {
        GroundTerm::NamedNode(iri) => names.node(iri.as_str()),
        GroundTerm::Literal(literal) => shown(literal, names),
        GroundTerm::Triple(triple) => triple.to_string(),
    }
}

/// The first variable of an expression.
fn first_variable(expression: &Expression) -> Option<&Variable> {
    let mut stack = vec![expression];
    while let Some(expression) = stack.pop() {
        match expression {
            Expression::Variable(variable) | Expression::Bound(variable) => return Some(variable),
            other => {
                let at = stack.len();
                crate::sparql::operands(other, &mut stack);
                stack[at..].reverse();
            }
        }
    }
    None
}
