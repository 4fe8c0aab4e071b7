//! What a parsed SPARQL query states: its triple patterns and IRIs, however they are written.
//!
//! Prefixes, `a`, lists with `;` and `,` and sequences of properties are gone after parsing. Here inverse paths become patterns the other way
//! round, and literals with the same value become the same term.

use super::Namespaces;
use spargebra::Query;
use spargebra::algebra::{
    AggregateExpression, Expression, Function, GraphPattern, OrderExpression, PropertyPathExpression,
};
use spargebra::term::{GroundTerm, Literal, NamedNodePattern, TermPattern, TriplePattern};
use std::borrow::Cow;

/// A term of a triple pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatementTerm<'q> {
    /// A variable, by its name.
    Variable(&'q str),
    /// A blank node, by its label: a variable that is not asked for.
    Blank(&'q str),
    /// An IRI, a literal by its value (it begins with `"`), a property path or a quoted triple (they begin with `(` and `<<`).
    Fixed(Cow<'q, str>),
}

/// The triple patterns and IRIs of a query, those of unions, optional parts, filters and sub-selects included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statements<'q> {
    /// The triple patterns as they come, repetitions included.
    pub patterns: Vec<[StatementTerm<'q>; 3]>,
    /// The literals of triple patterns, by the text that stands for them in patterns.
    pub literals: Vec<(String, &'q Literal)>,
    /// The properties of triple patterns and paths as they come.
    pub properties: Vec<&'q str>,
    /// The IRIs of patterns, of listed values and of conditions as they come; not those of datatypes and functions.
    pub iris: Vec<Cow<'q, str>>,
    /// The IRIs of datatypes and functions, of the template of CONSTRUCT and of FROM.
    pub other_iris: Vec<&'q str>,
    /// The texts that have a language, those of conditions included, with their languages as they come.
    pub texts: Vec<(&'q str, &'q str)>,
}

/// What is left to look at.
enum Part<'q> {
    Pattern(&'q GraphPattern),
    Expression(&'q Expression),
}

impl<'q> Statements<'q> {
    /// Of a parsed query.
    pub fn of(query: &'q Query) -> Statements<'q> {
        let (Query::Select { pattern, .. }
        | Query::Ask { pattern, .. }
        | Query::Construct { pattern, .. }
        | Query::Describe { pattern, .. }) = query;
        let mut found = Statements::default();
        found.head(query);
        let mut parts = vec![Part::Pattern(pattern)];
        while let Some(part) = parts.pop() {
            match part {
                Part::Pattern(pattern) => found.pattern(pattern, &mut parts),
                Part::Expression(expression) => found.expression(expression, &mut parts),
            }
        }
        found
    }

    /// The IRIs of FROM and of a template.
    fn head(&mut self, query: &'q Query) {
        let (Query::Select { dataset, .. }
        | Query::Ask { dataset, .. }
        | Query::Construct { dataset, .. }
        | Query::Describe { dataset, .. }) = query;
        if let Some(dataset) = dataset {
            let graphs = dataset.default.iter().chain(dataset.named.iter().flatten());
            self.other_iris.extend(graphs.map(|iri| iri.as_str()));
        }
        if let Query::Construct { template, .. } = query {
            let mut of_template = Statements::default();
            template.iter().for_each(|triple| of_template.triple(triple));
            self.other_iris.extend(of_template.iris.into_iter().filter_map(|iri| match iri {
                Cow::Borrowed(iri) => Some(iri),
                Cow::Owned(_) => None,
            }));
            self.other_iris.extend(of_template.other_iris);
        }
    }

    fn pattern(&mut self, pattern: &'q GraphPattern, parts: &mut Vec<Part<'q>>) {
        match pattern {
            GraphPattern::Bgp { patterns } => patterns.iter().for_each(|triple| self.triple(triple)),
            GraphPattern::Path { subject, path, object } => self.path(subject, path, object),
            GraphPattern::Join { left, right }
            | GraphPattern::Lateral { left, right }
            | GraphPattern::Union { left, right }
            | GraphPattern::Minus { left, right } => {
                parts.extend([Part::Pattern(right), Part::Pattern(left)]);
            }
            GraphPattern::LeftJoin { left, right, expression } => {
                parts.extend(expression.as_ref().map(Part::Expression));
                parts.extend([Part::Pattern(right), Part::Pattern(left)]);
            }
            GraphPattern::Filter { expr: expression, inner }
            | GraphPattern::Extend { inner, expression, .. } => {
                parts.extend([Part::Expression(expression), Part::Pattern(inner)]);
            }
            GraphPattern::Graph { name, inner } | GraphPattern::Service { name, inner, .. } => {
                if let NamedNodePattern::NamedNode(name) = name {
                    self.iris.push(name.as_str().into());
                }
                parts.push(Part::Pattern(inner));
            }
            GraphPattern::Values { bindings, .. } => {
                for term in bindings.iter().flatten().flatten() {
                    match term {
                        GroundTerm::NamedNode(iri) => self.iris.push(iri.as_str().into()),
                        GroundTerm::Literal(literal) => self.datatype(literal),
                        GroundTerm::Triple(_) => {}
                    }
                }
            }
            GraphPattern::OrderBy { inner, expression } => {
                parts.extend(expression.iter().map(|order| match order {
                    OrderExpression::Asc(expression) | OrderExpression::Desc(expression) => {
                        Part::Expression(expression)
                    }
                }));
                parts.push(Part::Pattern(inner));
            }
            GraphPattern::Group { inner, aggregates, .. } => {
                for (_, aggregate) in aggregates {
                    if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                        parts.push(Part::Expression(expr));
                    }
                }
                parts.push(Part::Pattern(inner));
            }
            GraphPattern::Project { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Slice { inner, .. } => parts.push(Part::Pattern(inner)),
        }
    }

    fn expression(&mut self, expression: &'q Expression, parts: &mut Vec<Part<'q>>) {
        match expression {
            Expression::NamedNode(iri) => self.iris.push(iri.as_str().into()),
            Expression::Exists(pattern) => parts.push(Part::Pattern(pattern)),
            Expression::Literal(literal) => self.datatype(literal),
            Expression::Variable(_) | Expression::Bound(_) => {}
            Expression::UnaryPlus(inner) | Expression::UnaryMinus(inner) | Expression::Not(inner) => {
                parts.push(Part::Expression(inner));
            }
            Expression::Or(left, right)
            | Expression::And(left, right)
            | Expression::Equal(left, right)
            | Expression::SameTerm(left, right)
            | Expression::Greater(left, right)
            | Expression::GreaterOrEqual(left, right)
            | Expression::Less(left, right)
            | Expression::LessOrEqual(left, right)
            | Expression::Add(left, right)
            | Expression::Subtract(left, right)
            | Expression::Multiply(left, right)
            | Expression::Divide(left, right) => {
                parts.extend([Part::Expression(right), Part::Expression(left)]);
            }
            Expression::If(condition, yes, no) => {
                parts.extend([condition, yes, no].map(|inner| Part::Expression(inner)));
            }
            Expression::In(left, list) => {
                parts.push(Part::Expression(left));
                parts.extend(list.iter().map(Part::Expression));
            }
            Expression::FunctionCall(function, list) => {
                if let Function::Custom(iri) = function {
                    self.other_iris.push(iri.as_str());
                }
                parts.extend(list.iter().map(Part::Expression));
            }
            Expression::Coalesce(list) => parts.extend(list.iter().map(Part::Expression)),
        }
    }

    fn datatype(&mut self, literal: &'q Literal) {
        match literal.language() {
            Some(language) => self.texts.push((literal.value(), language)),
            None => self.other_iris.push(literal.datatype().as_str()),
        }
    }

    fn triple(&mut self, triple: &'q TriplePattern) {
        let subject = self.term(&triple.subject);
        let predicate = match &triple.predicate {
            NamedNodePattern::Variable(variable) => StatementTerm::Variable(variable.as_str()),
            NamedNodePattern::NamedNode(iri) => {
                self.iris.push(iri.as_str().into());
                self.properties.push(iri.as_str());
                StatementTerm::Fixed(iri.as_str().into())
            }
        };
        let object = self.term(&triple.object);
        self.patterns.push([subject, predicate, object]);
    }

    fn path(&mut self, subject: &'q TermPattern, path: &'q PropertyPathExpression, object: &'q TermPattern) {
        let subject = self.term(subject);
        let first = self.properties.len();
        iris_of_path(path, &mut self.properties);
        self.iris.extend(self.properties[first..].iter().map(|&iri| Cow::Borrowed(iri)));
        let object = self.term(object);
        let (path, is_reversed) = path_text(path);
        let swapped = match is_reversed {
            Some(is_reversed) => is_reversed,
            // It says the same both ways.
            None => object < subject,
        };
        let (from, to) = if swapped { (object, subject) } else { (subject, object) };
        self.patterns.push([from, StatementTerm::Fixed(path.into()), to]);
    }

    fn term(&mut self, term: &'q TermPattern) -> StatementTerm<'q> {
        match term {
            TermPattern::Variable(variable) => StatementTerm::Variable(variable.as_str()),
            TermPattern::BlankNode(node) => StatementTerm::Blank(node.as_str()),
            TermPattern::NamedNode(iri) => {
                self.iris.push(iri.as_str().into());
                StatementTerm::Fixed(iri.as_str().into())
            }
            TermPattern::Literal(literal) => {
                self.datatype(literal);
                let text = literal_text(literal);
                self.literals.push((text.clone(), literal));
                StatementTerm::Fixed(text.into())
            }
            TermPattern::Triple(triple) => {
                // What is quoted is a statement, too.
                self.triple(triple);
                let mut text = "<<".to_owned();
                if let Some(quoted) = self.patterns.last() {
                    for term in quoted {
                        text.push(' ');
                        text.push_str(match term {
                            StatementTerm::Fixed(term) => term,
                            StatementTerm::Variable(_) | StatementTerm::Blank(_) => "?",
                        });
                    }
                }
                StatementTerm::Fixed(text.into())
            }
        }
    }
}

/// A text that is the same for two literals exactly when they have the same value: `5` and `5.0`, `true` and `"1"^^xsd:boolean`.
pub(super) fn literal_text(literal: &Literal) -> String {
    let value = Namespaces::default().value(literal);
    format!("\"{}", value.key())
}

fn iris_of_path<'q>(path: &'q PropertyPathExpression, iris: &mut Vec<&'q str>) {
    let mut parts = vec![path];
    while let Some(path) = parts.pop() {
        match path {
            PropertyPathExpression::NamedNode(iri) => iris.push(iri.as_str()),
            PropertyPathExpression::Reverse(inner)
            | PropertyPathExpression::ZeroOrMore(inner)
            | PropertyPathExpression::OneOrMore(inner)
            | PropertyPathExpression::ZeroOrOne(inner) => parts.push(inner),
            PropertyPathExpression::Sequence(left, right)
            | PropertyPathExpression::Alternative(left, right) => {
                parts.extend([right.as_ref(), left.as_ref()]);
            }
            PropertyPathExpression::NegatedPropertySet(list) => {
                iris.extend(list.iter().map(|iri| iri.as_str()));
            }
        }
    }
}

/// A path as people read it, with the words of its properties, and whether that is the path the other way round.
pub(crate) fn named_path(path: &PropertyPathExpression, names: &Namespaces) -> (String, Option<bool>) {
    let property = |iri: &str| names.property(iri);
    match path {
        PropertyPathExpression::ZeroOrMore(inner)
        | PropertyPathExpression::OneOrMore(inner)
        | PropertyPathExpression::ZeroOrOne(inner) => {
            let mark = match path {
                PropertyPathExpression::ZeroOrMore(_) => '*',
                PropertyPathExpression::OneOrMore(_) => '+',
                _ => '?',
            };
            match inner.as_ref() {
                PropertyPathExpression::NamedNode(iri) => {
                    (format!("{}{mark}", property(iri.as_str())), Some(false))
                }
                PropertyPathExpression::Reverse(inner) => match inner.as_ref() {
                    PropertyPathExpression::NamedNode(iri) => {
                        (format!("{}{mark}", property(iri.as_str())), Some(true))
                    }
                    _ => path_text(path),
                },
                _ => path_text(path),
            }
        }
        _ => path_text(path),
    }
}

/// A path as text, and whether that is the path the other way round; `None` if both ways are the same. Of the two ways the one with fewer
/// inverse steps is taken, then the first in the order of texts.
pub(super) fn path_text(path: &PropertyPathExpression) -> (String, Option<bool>) {
    let (mut forward, mut backward) = (String::new(), String::new());
    write_path(path, false, &mut forward);
    write_path(path, true, &mut backward);
    if forward == backward {
        return (forward, None);
    }
    let key = |text: &str| memchr::memchr_iter(b'^', text.as_bytes()).count();
    let is_reversed = (key(&backward), &backward) < (key(&forward), &forward);
    (if is_reversed { backward } else { forward }, Some(is_reversed))
}

fn write_path(path: &PropertyPathExpression, reversed: bool, out: &mut String) {
    let mark = |out: &mut String| {
        if reversed {
            out.push('^');
        }
    };
    match path {
        PropertyPathExpression::NamedNode(iri) => {
            mark(out);
            out.push_str(iri.as_str());
        }
        PropertyPathExpression::Reverse(inner) => write_path(inner, !reversed, out),
        PropertyPathExpression::Sequence(..) => {
            let mut steps = operands(path, |path| match path {
                PropertyPathExpression::Sequence(left, right) => Some((left, right)),
                _ => None,
            });
            if reversed {
                steps.reverse();
            }
            out.push_str("(/");
            for step in steps {
                out.push(' ');
                write_path(step, reversed, out);
            }
            out.push(')');
        }
        PropertyPathExpression::Alternative(..) => {
            let branches = operands(path, |path| match path {
                PropertyPathExpression::Alternative(left, right) => Some((left, right)),
                _ => None,
            });
            let mut texts: Vec<String> = branches
                .into_iter()
                .map(|branch| {
                    let mut text = String::new();
                    write_path(branch, reversed, &mut text);
                    text
                })
                .collect();
            texts.sort_unstable();
            out.push_str("(|");
            for text in texts {
                out.push(' ');
                out.push_str(&text);
            }
            out.push(')');
        }
        PropertyPathExpression::ZeroOrMore(inner) => repeated("(* ", inner, reversed, out),
        PropertyPathExpression::OneOrMore(inner) => repeated("(+ ", inner, reversed, out),
        PropertyPathExpression::ZeroOrOne(inner) => repeated("(? ", inner, reversed, out),
        PropertyPathExpression::NegatedPropertySet(list) => {
            let mut names: Vec<&str> = list.iter().map(|iri| iri.as_str()).collect();
            names.sort_unstable();
            out.push('(');
            mark(out);
            out.push('!');
            for name in names {
                out.push(' ');
                out.push_str(name);
            }
            out.push(')');
        }
    }
}

fn repeated(sign: &str, inner: &PropertyPathExpression, reversed: bool, out: &mut String) {
    out.push_str(sign);
    write_path(inner, reversed, out);
    out.push(')');
}

/// The operands of an operator that nests, in their order.
fn operands<'p>(
    path: &'p PropertyPathExpression,
    split: impl Fn(&'p PropertyPathExpression) -> Option<(&'p PropertyPathExpression, &'p PropertyPathExpression)>,
) -> Vec<&'p PropertyPathExpression> {
    let (mut found, mut parts) = (Vec::new(), vec![path]);
    while let Some(path) = parts.pop() {
        match split(path) {
            Some((left, right)) => parts.extend([right, left]),
            None => found.push(path),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sparql::parse;

    /// The patterns with one sign for all variables, and the IRIs; sorted, each once.
    fn said(sparql: &str) -> (Vec<String>, Vec<String>) {
        let parsed = parse(sparql).unwrap();
        let Statements { patterns, iris, .. } = Statements::of(&parsed.query);
        let term = |term: StatementTerm<'_>| match term {
            StatementTerm::Fixed(text) => text.into_owned(),
            _ => "?".to_owned(),
        };
        let mut patterns: Vec<String> =
            patterns.into_iter().map(|pattern| pattern.map(term).join(" ")).collect();
        let mut iris: Vec<String> = iris.into_iter().map(Cow::into_owned).collect();
        patterns.sort();
        patterns.dedup();
        iris.sort();
        iris.dedup();
        (patterns, iris)
    }

    fn body(text: &str) -> (Vec<String>, Vec<String>) {
        said(&format!("PREFIX : <urn:> SELECT ?x WHERE {{ {text} }}"))
    }

    #[test]
    fn other_words_state_the_same() {
        for (one, other) in [
            ("?x <urn:p> <urn:o> . ?x a <urn:c>", "?y a :c ; :p :o ."),
            ("?x :p :a . ?x :p :b", "?x :p :a , :b"),
            ("?x :p ?y", "?y ^:p ?x"),
            (":a :p ?m . ?m :q ?x", ":a :p/:q ?x"),
            (":a :p ?m . ?x :q ?m", ":a :p/^:q ?x"),
            ("?x :p|:q ?y", "?x :q|:p ?y"),
            ("?x (:p|:q)* ?y", "?y (^:q|^:p)* ?x"),
            ("?x (:p/:q)+ ?y", "?y (^:q/^:p)+ ?x"),
            ("?x (:p|^:p)+ :a", ":a (^:p|:p)+ ?x"),
            ("?x !(:p|:q) ?y", "?x !(:q|:p) ?y"),
            ("?x :p 5", "?x :p 5.0"),
            ("?x :p 05.50", "?x :p \"5.5\"^^<http://www.w3.org/2001/XMLSchema#double>"),
            ("?x :p -5", "?x :p -5.0"),
            ("?x :p true", "?x :p \"1\"^^<http://www.w3.org/2001/XMLSchema#boolean>"),
            ("?x :p \"a\"", "?x :p 'a'^^<http://www.w3.org/2001/XMLSchema#string>"),
            ("?x :p _:b . _:b :q ?y", "?x :p [ :q ?y ]"),
        ] {
            assert_eq!(body(one), body(other), "{one} / {other}");
        }
    }

    #[test]
    fn other_things_are_told_apart() {
        for (one, other) in [
            ("?x :p ?y", "?x :q ?y"),
            ("?x :p* ?y", "?x :p+ ?y"),
            ("?x :p* :a", ":a :p* ?x"),
            ("?x :p -5", "?x :p 5"),
            ("?x :p true", "?x :p false"),
            ("?x :p \"5\"", "?x :p 5"),
            ("?x :p \"a\"@en", "?x :p \"a\"@de"),
            ("?x !:p ?y", "?y !:p :a"),
        ] {
            assert_ne!(body(one).0, body(other).0, "{one} / {other}");
        }
    }

    #[test]
    fn every_part_counts() {
        let (patterns, iris) = body(
            "{ ?x :a 1 } UNION { ?x :b 2 } OPTIONAL { ?x :c 3 FILTER(?x != :i) } MINUS { ?x :d 4 } \
             FILTER NOT EXISTS { ?x :e 5 } { SELECT ?x (COUNT(?y) AS ?n) { ?x :f ?y } GROUP BY ?x } \
             VALUES ?z { :v :w } FILTER(?z IN (:u, 7)) GRAPH :g { ?x :h true } \
             FILTER(<http://www.w3.org/2001/XMLSchema#integer>(?n) > 3)",
        );
        assert_eq!(patterns.len(), 7, "{patterns:?}");
        let short: Vec<&str> = iris.iter().map(|iri| iri.trim_start_matches("urn:")).collect();
        assert_eq!(short, ["a", "b", "c", "d", "e", "f", "g", "h", "i", "u", "v", "w"]);
    }
}
