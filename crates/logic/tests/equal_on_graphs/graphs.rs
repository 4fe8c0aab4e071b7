//! Small random graphs made from the words of queries.

use oxrdf::{Dataset, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};
use spargebra::Query;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use touchstone_logic::sparql::{StatementTerm, Statements};

pub(crate) const LABELS: [&str; 10] = [
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://xmlns.com/foaf/0.1/name",
    "http://schema.org/name",
    "http://schema.org/description",
    "http://dbpedia.org/ontology/abstract",
    "http://rdf.freebase.com/ns/type.object.name",
    "http://rdf.freebase.com/ns/common.topic.description",
];
const STATEMENT: &str = "http://www.wikidata.org/prop/";

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % n.max(1) as u64).unwrap()
    }

    fn one<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// The words that graphs for some queries are made of.
#[derive(Default)]
pub(crate) struct Words {
    predicates: BTreeSet<String>,
    nodes: BTreeSet<String>,
}

impl Words {
    pub(crate) fn of(queries: &[&Query]) -> Words {
        let mut words = Words::default();
        for query in queries {
            let statements = Statements::of(query);
            for [subject, predicate, object] in &statements.patterns {
                if let StatementTerm::Fixed(iri) = predicate
                    && NamedNode::new(iri.as_ref()).is_ok()
                {
                    words.predicates.insert(iri.to_string());
                }
                for end in [subject, object] {
                    if let StatementTerm::Fixed(iri) = end
                        && iri.contains(':')
                        && NamedNode::new(iri.as_ref()).is_ok()
                    {
                        words.nodes.insert(iri.to_string());
                    }
                }
            }
            // Those of paths and conditions: as predicates and as nodes.
            for iri in &statements.iris {
                if NamedNode::new(iri.as_ref()).is_ok() && words.nodes.len() < 12 {
                    words.predicates.insert(iri.to_string());
                    words.nodes.insert(iri.to_string());
                }
            }
        }
        words
    }

    /// A graph that holds solutions of the patterns of some queries.
    pub(crate) fn graph_with_solutions(&self, random: &mut Random, queries: &[&Query]) -> Dataset {
        let mut graph = self.graph(random);
        let asks_for_names = LABELS.iter().any(|label| self.predicates.contains(*label));
        for query in queries {
            let statements = Statements::of(query);
            let things: Vec<Term> = self.nodes.iter().take(6).map(|iri| iri_term(iri)).collect();
            for _ in 0..2 {
                let with_literals = !asks_for_names;
                let mut solution =
                    Solution { statements: &statements, things: &things, with_literals, known: Vec::new() };
                plant(&mut graph, &mut solution, random);
            }
        }
        graph
    }

    pub(crate) fn graph(&self, random: &mut Random) -> Dataset {
        let mut nodes: Vec<Term> = self.nodes.iter().take(12).map(|iri| iri_term(iri)).collect();
        nodes.extend((0..3).map(|n| iri_term(&format!("urn:node:{n}"))));
        let subjects: Vec<NamedOrBlankNode> = nodes.iter().filter_map(subject).collect();
        let mut objects = nodes.clone();
        // A literal has no name, so a query for names would not find it.
        let asks_for_names = LABELS.iter().any(|label| self.predicates.contains(*label));
        let literals = [
            Term::from(Literal::from(2)),
            Literal::from(3).into(),
            Literal::new_typed_literal("2.0", oxrdf::vocab::xsd::DECIMAL).into(),
            Literal::new_typed_literal("2.5", oxrdf::vocab::xsd::DECIMAL).into(),
            Literal::new_simple_literal("9").into(),
            Literal::new_language_tagged_literal("name", "en").unwrap().into(),
            Literal::new_typed_literal("1994-03-02", oxrdf::vocab::xsd::DATE).into(),
            Literal::new_typed_literal("2001-03-02T00:00:00Z", oxrdf::vocab::xsd::DATE_TIME).into(),
        ];
        if !asks_for_names {
            objects.extend(literals);
        }
        let mut graph = Dataset::new();
        let mut add = |subject: &NamedOrBlankNode, predicate: &str, object: &Term| {
            let predicate = NamedNode::new_unchecked(predicate);
            let quad = Quad::new(subject.clone(), predicate, object.clone(), GraphName::DefaultGraph);
            graph.insert(quad.as_ref());
        };
        for predicate in self.predicates.iter().take(24) {
            if LABELS.contains(&predicate.as_str()) {
                continue;
            }
            let id = predicate.strip_prefix(STATEMENT);
            for _ in 0..3 + random.below(6) {
                let (from, to) = (random.one(&subjects).clone(), random.one(&objects).clone());
                match id.and_then(|id| id.rsplit('/').next()) {
                    Some(id) if id.starts_with('P') => {
                        let node = statement(id, &from, &to);
                        add(&from, &format!("{STATEMENT}{id}"), &node);
                        add(&from, &format!("{STATEMENT}direct/{id}"), &to);
                        add(&subject(&node).unwrap(), &format!("{STATEMENT}statement/{id}"), &to);
                    }
                    _ => add(&from, predicate, &to),
                }
            }
        }
        let all: BTreeSet<String> = subjects.iter().map(ToString::to_string).collect();
        for (subject, name) in subjects.iter().zip(all) {
            for label in LABELS {
                // Some things have names in further languages.
                for language in ["en", "en-gb", "sv"] {
                    if language == "en" || random.below(3) == 0 {
                        let name = Literal::new_language_tagged_literal(&name, language).unwrap();
                        add(subject, label, &name.into());
                    }
                }
            }
        }
        graph
    }
}

/// The node of a statement: there is one for each fact.
fn statement(id: &str, from: &NamedOrBlankNode, to: &Term) -> Term {
    let mut hasher = DefaultHasher::new();
    (from.to_string(), to.to_string()).hash(&mut hasher);
    iri_term(&format!("urn:statement:{id}:{:x}", hasher.finish()))
}

/// One way to satisfy the patterns of a query: a term for each variable.
struct Solution<'s> {
    statements: &'s Statements<'s>,
    things: &'s [Term],
    with_literals: bool,
    known: Vec<(String, Term)>,
}

impl Solution<'_> {
    fn term(&mut self, term: &StatementTerm<'_>, random: &mut Random) -> Option<Term> {
        let name = match term {
            StatementTerm::Fixed(text) => {
                let literal = self.statements.literals.iter().find(|(known, _)| known == text);
                return match literal {
                    Some((_, literal)) => Some(Term::from((*literal).clone())),
                    None => NamedNode::new(text.as_ref()).ok().map(Term::from),
                };
            }
            StatementTerm::Variable(name) | StatementTerm::Blank(name) => *name,
        };
        if let Some((_, known)) = self.known.iter().find(|(known, _)| known == name) {
            return Some(known.clone());
        }
        let is_subject = self.statements.patterns.iter().any(|[subject, ..]| subject == term);
        let is_literal = self.with_literals && !is_subject && random.below(3) == 0;
        let found = match (is_literal, self.things.is_empty() || random.below(4) == 0) {
            (true, _) => Term::from(Literal::from(1 + i32::try_from(random.below(4)).unwrap())),
            (false, true) => iri_term(&format!("urn:node:{}", random.below(3))),
            (false, false) => random.one(self.things).clone(),
        };
        self.known.push((name.to_owned(), found.clone()));
        Some(found)
    }

    /// The node of a statement stands for its fact.
    fn statement(&mut self, [from, id, node]: [&StatementTerm<'_>; 3], random: &mut Random) -> Option<()> {
        let (StatementTerm::Fixed(property), StatementTerm::Variable(name) | StatementTerm::Blank(name)) =
            (id, node)
        else {
            return None;
        };
        let id = property.strip_prefix(STATEMENT).filter(|id| !id.contains('/'))?;
        let is_value = |pattern: &&[StatementTerm<'_>; 3]| {
            pattern[0] == *node
                && matches!(&pattern[1], StatementTerm::Fixed(p) if **p == *format!("{STATEMENT}statement/{id}"))
        };
        let value = self.statements.patterns.iter().find(is_value);
        let from = subject(&self.term(from, random)?)?;
        let to = match value {
            Some([.., value]) => self.term(value, random)?,
            None => iri_term("urn:node:0"),
        };
        self.known.push(((*name).to_owned(), statement(id, &from, &to)));
        Some(())
    }
}

/// Adds the triples of one solution of all patterns; a path is not walked.
fn plant(graph: &mut Dataset, solution: &mut Solution<'_>, random: &mut Random) {
    let statements = solution.statements;
    for [from, property, to] in &statements.patterns {
        let _ = solution.statement([from, property, to], random);
    }
    for [from, property, to] in &statements.patterns {
        let StatementTerm::Fixed(property) = property else { continue };
        if NamedNode::new(property.as_ref()).is_err() || LABELS.contains(&property.as_ref()) {
            continue;
        }
        let (Some(from), Some(to)) = (solution.term(from, random), solution.term(to, random)) else {
            continue;
        };
        let Some(from) = subject(&from) else { continue };
        let mut add = |subject: &NamedOrBlankNode, property: &str, object: &Term| {
            let property = NamedNode::new_unchecked(property);
            let quad = Quad::new(subject.clone(), property, object.clone(), GraphName::DefaultGraph);
            graph.insert(quad.as_ref());
        };
        add(&from, property, &to);
        // A direct triple and its statement always come together.
        if let Some(id) = property.strip_prefix(STATEMENT).and_then(|id| id.strip_prefix("direct/")) {
            let node = statement(id, &from, &to);
            add(&from, &format!("{STATEMENT}{id}"), &node);
            add(&subject(&node).unwrap(), &format!("{STATEMENT}statement/{id}"), &to);
        }
        for [node, value_property, value] in &statements.patterns {
            if let StatementTerm::Fixed(value_property) = value_property
                && let Some(id) = property.strip_prefix(STATEMENT)
                && value_property.strip_prefix(STATEMENT).and_then(|p| p.strip_prefix("statement/"))
                    == Some(id)
                && solution.term(node, random).as_ref() == Some(&to)
                && let Some(value) = solution.term(value, random)
            {
                add(&from, &format!("{STATEMENT}direct/{id}"), &value);
            }
        }
    }
}

fn iri_term(iri: &str) -> Term {
    NamedNode::new_unchecked(iri).into()
}

fn subject(term: &Term) -> Option<NamedOrBlankNode> {
    match term {
        Term::NamedNode(iri) => Some(iri.clone().into()),
        _ => None,
    }
}
