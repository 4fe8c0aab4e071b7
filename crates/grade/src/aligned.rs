//! F1 over what two query graphs say, with their variables aligned in the best way.
//!
//! Comparing patterns with all variables taken for one forgives too much: a chain and a star of the same relations look alike. Here a
//! variable of the one graph stands for one variable of the other, and the answer for the answer.

use crate::sets::Overlap;
use touchstone_logic::graph::Vertex;
use touchstone_logic::{Inverses, QueryGraph};

/// What a graph says: relations between vertices, and what a vertex is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Statement<'g> {
    Relation(usize, &'g str, usize),
    /// The class or the function of a vertex.
    Quality(usize, &'g str),
}

/// A graph as statements; constraints are numbered by what they are, so that the same ones of both graphs have one number.
struct Statements<'g> {
    all: Vec<Statement<'g>>,
    variables: Vec<usize>,
    root: usize,
}

/// More variables than this are not tried in all ways; the first ways count.
const MAX_TRIES: usize = 50_000;

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
    let predicted = statements(predicted, &names, inverses);
    let gold = statements(gold, &names, inverses);
    let mut search = Search { predicted: &predicted, gold: &gold, map: Vec::new(), best: 0, tries: 0 };
    search.map.resize(predicted.variables.len(), None);
    // The answer stands for the answer.
    if let (Some(from), true) =
        (predicted.variables.iter().position(|&v| v == predicted.root), gold.variables.contains(&gold.root))
    {
        search.map[from] = Some(gold.root);
    }
    search.extend(0);
    Overlap { common: search.best, predicted: predicted.all.len(), gold: gold.all.len() }
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
) -> Statements<'g> {
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
    Statements { all, variables, root: numbers.get(graph.root).copied().unwrap_or(usize::MAX) }
}

struct Search<'s, 'g> {
    predicted: &'s Statements<'g>,
    gold: &'s Statements<'g>,
    /// For each variable of the prediction, the one it stands for.
    map: Vec<Option<usize>>,
    best: usize,
    tries: usize,
}

impl Search<'_, '_> {
    fn extend(&mut self, at: usize) {
        if self.tries > MAX_TRIES || self.best == self.predicted.all.len().min(self.gold.all.len()) {
            return;
        }
        if at == self.map.len() {
            self.tries += 1;
            self.best = self.best.max(self.common());
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

    fn common(&self) -> usize {
        let first = self.predicted.variables.first().copied().unwrap_or(usize::MAX);
        let moved = |v: usize| if v < first { Some(v) } else { self.map.get(v - first).copied().flatten() };
        let is_said = |statement: &&Statement<'_>| {
            let moved = match **statement {
                Statement::Relation(from, label, to) => match (moved(from), moved(to)) {
                    (Some(from), Some(to)) => Statement::Relation(from, label, to),
                    _ => return false,
                },
                Statement::Quality(vertex, text) => match moved(vertex) {
                    Some(vertex) => Statement::Quality(vertex, text),
                    None => return false,
                },
            };
            self.gold.all.binary_search(&moved).is_ok()
        };
        self.predicted.all.iter().filter(is_said).count()
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
