//! F1 over what two query graphs say, with their variables aligned in the best way.
//!
//! Comparing patterns with all variables taken for one forgives too much: a chain and a star of the same relations look alike. Here a
//! variable of the one graph stands for one variable of the other, and the answer for the answer.

use crate::sets::Overlap;
use touchstone_logic::graph::Vertex;
use touchstone_logic::sparql::{Statements, Structure, Term};
use touchstone_logic::{Inverses, QueryGraph};

/// What a query says: relations between vertices, what a vertex is, and conditions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Statement<'g> {
    Relation(usize, &'g str, usize),
    /// The class or the function of a vertex.
    Quality(usize, &'g str),
    /// A condition of SPARQL, by its number, with its variables in the order of their numbers.
    Condition(u64, Vec<usize>),
}

/// A query as statements; constraints are numbered by what they are, so that the same ones of both queries have one number.
struct Said<'g> {
    all: Vec<Statement<'g>>,
    variables: Vec<usize>,
    /// The answer, if it is one variable.
    root: Option<usize>,
}

/// Only so many partial alignments are tried: the best of them counts.
const MAX_TRIES: usize = 50_000;
/// So many variables are placed in all ways.
const FEW: usize = 3;

/// The overlap of what two graphs say, with the variables of `predicted` aligned to those of `gold`. With `inverses`, a relation and its
/// inverse the other way round are the same, and so are the ids of one entity.
pub fn aligned<'g>(
    predicted: &'g QueryGraph,
    gold: &'g QueryGraph,
    inverses: Option<&'g dyn Inverses>,
) -> Overlap {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for vertex in predicted.vertices.iter().chain(&gold.vertices).filter(|vertex| vertex.grounded) {
        names.push(name(vertex, inverses));
    }
    names.sort_unstable();
    names.dedup();
    best_overlap(&statements(predicted, &names, inverses), &statements(gold, &names, inverses))
}

/// The overlap of what two parsed SPARQL queries say, triple patterns and conditions, with the variables of `predicted` aligned to those of
/// `gold`: for queries that have no graph.
pub fn aligned_patterns<'q>(
    predicted: (&'q Statements<'q>, &'q Structure<'q>),
    gold: (&'q Statements<'q>, &'q Structure<'q>),
) -> Overlap {
    let fixed = |statements: &'q Statements<'q>| {
        statements.patterns.iter().flat_map(|[from, _, to]| [from, to]).filter_map(|term| match term {
            Term::Fixed(text) => Some(&**text),
            Term::Variable(_) | Term::Blank(_) => None,
        })
    };
    let mut names: Vec<&str> = fixed(predicted.0).chain(fixed(gold.0)).collect();
    names.sort_unstable();
    names.dedup();
    best_overlap(&patterns(predicted.0, predicted.1, &names), &patterns(gold.0, gold.1, &names))
}

fn best_overlap(predicted: &Said<'_>, gold: &Said<'_>) -> Overlap {
    let mut search =
        Search { predicted, gold, map: vec![None; predicted.variables.len()], best: 0, tries: 0 };
    // The answer stands for the answer.
    if let (Some(from), Some(to)) = (predicted.root, gold.root)
        && let Some(from) = predicted.variables.iter().position(|&variable| variable == from)
        && gold.variables.contains(&to)
    {
        search.map[from] = Some(to);
    }
    search.extend(0);
    Overlap { common: search.best, predicted: predicted.all.len(), gold: gold.all.len() }
}

/// A parsed query as statements.
fn patterns<'q>(statements: &'q Statements<'q>, structure: &Structure<'q>, names: &[&str]) -> Said<'q> {
    let mut known: Vec<&Term<'q>> = Vec::new();
    let mut number = |term: &'q Term<'q>| match term {
        Term::Fixed(text) => names.binary_search(&&**text).unwrap_or(usize::MAX),
        variable => {
            names.len()
                + known.iter().position(|known| *known == variable).unwrap_or_else(|| {
                    known.push(variable);
                    known.len() - 1
                })
        }
    };
    let mut all: Vec<Statement<'q>> = Vec::new();
    for [from, property, to] in &statements.patterns {
        let property: &str = match property {
            Term::Fixed(text) => text,
            Term::Variable(_) | Term::Blank(_) => "?",
        };
        all.push(Statement::Relation(number(from), property, number(to)));
    }
    let place = |name: &str| known.iter().position(|known| **known == Term::Variable(name));
    let root = structure.answer().and_then(place).map(|place| names.len() + place);
    for condition in structure.conditions() {
        let mut variables: Vec<usize> =
            condition.variables.iter().filter_map(|name| Some(names.len() + place(name)?)).collect();
        variables.sort_unstable();
        all.push(Statement::Condition(condition.number, variables));
    }
    all.sort_unstable();
    all.dedup();
    Said { all, variables: (names.len()..names.len() + known.len()).collect(), root }
}

/// What a constraint is.
fn name<'g>(vertex: &'g Vertex, inverses: Option<&'g dyn Inverses>) -> (&'g str, &'g str) {
    let same = inverses.filter(|_| vertex.grounded).and_then(|inverses| inverses.same(&vertex.label));
    (same.unwrap_or(&vertex.label), &vertex.note)
}

fn statements<'g>(
    graph: &'g QueryGraph,
    names: &[(&str, &str)],
    inverses: Option<&'g dyn Inverses>,
) -> Said<'g> {
    // Constraints come first, then the variables of this graph.
    let mut variables = Vec::new();
    let mut numbers = Vec::with_capacity(graph.vertices.len());
    for vertex in &graph.vertices {
        let known = names.binary_search(&name(vertex, inverses));
        numbers.push(match (vertex.grounded, known) {
            (true, Ok(number)) => number,
            _ => {
                variables.push(names.len() + variables.len());
                names.len() + variables.len() - 1
            }
        });
    }
    let mut all = Vec::new();
    for edge in &graph.edges {
        let (Some(&from), Some(&to)) = (numbers.get(edge.from), numbers.get(edge.to)) else { continue };
        let inverse = inverses.and_then(|inverses| inverses.inverse(&edge.label));
        all.push(match inverse {
            Some(inverse) if inverse < edge.label.as_str() => Statement::Relation(to, inverse, from),
            _ => Statement::Relation(from, &edge.label, to),
        });
    }
    for (vertex, &number) in graph.vertices.iter().zip(&numbers) {
        if !vertex.grounded {
            let qualities = [&vertex.label, &vertex.note].into_iter().filter(|text| !text.is_empty());
            all.extend(qualities.map(|text| Statement::Quality(number, text)));
        }
    }
    all.sort_unstable();
    all.dedup();
    Said { all, variables, root: numbers.get(graph.root).copied() }
}

struct Search<'s, 'g> {
    predicted: &'s Said<'g>,
    gold: &'s Said<'g>,
    /// For each variable of the prediction, the one it stands for.
    map: Vec<Option<usize>>,
    best: usize,
    tries: usize,
}

/// Where a vertex of the prediction stands in gold.
#[derive(Clone, Copy)]
enum Place {
    At(usize),
    /// It is not decided yet.
    Open,
    Nowhere,
}

impl Search<'_, '_> {
    /// Places the variables from `at` on in all ways that may be better than the best one so far.
    fn extend(&mut self, at: usize) {
        if self.tries > MAX_TRIES || self.best == self.predicted.all.len().min(self.gold.all.len()) {
            return;
        }
        self.tries += 1;
        if at == self.map.len() {
            self.best = self.best.max(self.possible(at));
            return;
        }
        // Where there are few ways, trying all is quicker.
        if self.map.len() > FEW && self.possible(at) <= self.best {
            return;
        }
        if self.map[at].is_some() {
            return self.extend(at + 1);
        }
        for &candidate in &self.gold.variables {
            if !self.map.contains(&Some(candidate)) {
                self.map[at] = Some(candidate);
                self.extend(at + 1);
                self.map[at] = None;
            }
        }
        // It may stand for nothing, if there are more variables than places.
        if self.predicted.variables.len() > self.gold.variables.len() {
            self.extend_without(at);
        }
    }

    fn extend_without(&mut self, at: usize) {
        let unplaced = self.map[..at].iter().filter(|place| place.is_none()).count();
        if unplaced < self.predicted.variables.len() - self.gold.variables.len() {
            self.extend(at + 1);
        }
    }

    /// How many statements gold has, too, if all that depends on the variables from `at` on turns out well.
    fn possible(&self, at: usize) -> usize {
        let first = self.predicted.variables.first().copied().unwrap_or(usize::MAX);
        let place = |vertex: usize| match vertex.checked_sub(first) {
            None => Place::At(vertex),
            Some(variable) => match self.map.get(variable).copied().flatten() {
                Some(vertex) => Place::At(vertex),
                None if variable >= at => Place::Open,
                None => Place::Nowhere,
            },
        };
        let has = |statement: &Statement<'_>| self.gold.all.binary_search(statement).is_ok();
        let may_be_said = |statement: &&Statement<'_>| match **statement {
            Statement::Relation(from, label, to) => match (place(from), place(to)) {
                (Place::At(from), Place::At(to)) => has(&Statement::Relation(from, label, to)),
                (Place::Nowhere, _) | (_, Place::Nowhere) => false,
                _ => true,
            },
            Statement::Quality(vertex, text) => match place(vertex) {
                Place::At(vertex) => has(&Statement::Quality(vertex, text)),
                Place::Open => true,
                Place::Nowhere => false,
            },
            Statement::Condition(number, ref variables) => {
                let mut placed = Vec::with_capacity(variables.len());
                for &variable in variables {
                    match place(variable) {
                        Place::At(vertex) => placed.push(vertex),
                        Place::Open => return true,
                        Place::Nowhere => return false,
                    }
                }
                placed.sort_unstable();
                has(&Statement::Condition(number, placed))
            }
        };
        self.predicted.all.iter().filter(may_be_said).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_logic::{Form, Spelling};

    fn graph(text: &str) -> QueryGraph {
        QueryGraph::of(&Form::parse(text, &Spelling).expect("a form").to_query().expect("a query"))
    }

    fn f1(predicted: &str, gold: &str) -> f64 {
        aligned(&graph(predicted), &graph(gold), None).f1()
    }

    #[test]
    fn one_entity_may_have_two_ids() {
        struct Ids;
        impl Inverses for Ids {
            fn inverse(&self, _: &str) -> Option<&str> {
                None
            }
            fn same(&self, entity: &str) -> Option<&str> {
                (entity == "m.02").then_some("m.01")
            }
        }
        let (predicted, gold) = (graph("(AND t.a (JOIN t.a.r m.02))"), graph("(AND t.a (JOIN t.a.r m.01))"));
        assert!(aligned(&predicted, &gold, None).f1() < 1.0);
        assert_eq!(aligned(&predicted, &gold, Some(&Ids)).f1(), 1.0);
    }

    #[test]
    fn patterns_without_a_graph() {
        let f1 = |predicted: &str, gold: &str| {
            let parse = |text: &str| touchstone_logic::sparql::parse(text).expect("SPARQL");
            let (predicted, gold) = (parse(predicted), parse(gold));
            let structure = |query| Structure::of(query).expect("a structure");
            let (a, b) = (Statements::of(&predicted.query), Statements::of(&gold.query));
            let (c, d) = (structure(&predicted.query), structure(&gold.query));
            aligned_patterns((&a, &c), (&b, &d)).f1()
        };
        let gold = "SELECT ?x { ?x <urn:p>* ?y . ?y <urn:q> ?z OPTIONAL { ?z <urn:r> ?w } FILTER(?w > 3) }";
        let renamed = gold.replace('?', "?other_");
        assert_eq!(f1(&renamed, gold), 1.0);
        let reordered =
            "SELECT ?c { ?b <urn:q> ?a . ?c <urn:p>* ?b OPTIONAL { ?a <urn:r> ?e } FILTER(3 < ?e) }";
        assert_eq!(f1(reordered, gold), 1.0);
        assert_eq!(f1(&gold.replace("> 3", "> 4"), gold), 0.75);
        assert!(f1(&gold.replace("SELECT ?x", "SELECT ?z"), gold) < 1.0, "another answer");
        assert_eq!(f1("SELECT ?x { ?x <urn:a>* <urn:b> }", gold), 0.0);
        // Many variables: all ways cannot be tried, and need not be.
        let chain = |names: &mut dyn Iterator<Item = usize>| {
            let names: Vec<usize> = names.collect();
            let triples = names.windows(2).map(|pair| format!("?v{} <urn:p> ?v{} . ", pair[0], pair[1]));
            format!("SELECT ?v{} {{ {} }}", names[0], triples.collect::<String>())
        };
        assert_eq!(f1(&chain(&mut (0..14)), &chain(&mut (0..14).rev())), 1.0);
    }

    #[test]
    fn variables_stand_for_variables() {
        let chain = "(AND t.a (JOIN t.a.r (AND t.b (JOIN t.b.s m.01))))";
        assert_eq!(f1(chain, chain), 1.0);
        // One relation of two is right, and both classes are.
        let other = "(AND t.a (JOIN t.a.r (AND t.b (JOIN t.b.q m.01))))";
        assert!(f1(other, chain) > 0.5 && f1(other, chain) < 1.0);
        // The same relations in another arrangement.
        let star = "(AND t.a (AND (JOIN t.a.r m.01) (JOIN t.b.s m.01)))";
        assert!(f1(star, chain) < 0.7, "{}", f1(star, chain));
        assert_eq!(f1("(AND t.x (JOIN t.x.y m.09))", chain), 0.0);
    }
}
