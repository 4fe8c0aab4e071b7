//! F1 over the statements of two query graphs, under the best alignment of their variables.
//!
//! Comparing patterns with all variables treated as equal is too lenient: a chain and a star of the same relations look alike. Here a
//! variable of one graph is aligned to one variable of the other, and the answer to the answer.
//!
//! The best alignment is found by branch and bound: the variable with the most decided neighbours is placed next, on each gold variable
//! that some statement supports, and a branch is pruned when the statements that can still agree are no more than the best alignment has.

#[cfg(test)]
mod tests;

use crate::qualifiers::Qualified;
use crate::sets::Overlap;
use smallvec::SmallVec;
use touchstone_logic::graph::Vertex;
use touchstone_logic::sparql::{StatementTerm, Statements, Structure};
use touchstone_logic::{QueryGraph, SparqlForm, Vocabulary};

/// How a statement relates its vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Label<'g> {
    /// A relation from the first vertex to the second.
    Relation(&'g str),
    /// The class or the function of a vertex; or a condition on a qualifier of a fact, which has no vertex.
    Quality(&'g str),
    /// A column of SPARQL that has several.
    Column,
    /// What SPARQL makes groups by.
    Key,
    /// The language of names that SPARQL asks for.
    Language(&'g str),
    /// A condition of SPARQL, by its number; the order of its variables is ignored.
    Condition(u64),
}

impl Label<'_> {
    /// Whether it is about what is done with the solutions of the patterns.
    fn is_head(&self) -> bool {
        matches!(self, Label::Column | Label::Key)
    }
}

/// A statement of a query, before the labels of both queries are numbered.
type Statement<'g> = (Label<'g>, Ends);

/// The vertices of a statement. Constants come first and have the same number in both queries.
type Ends = SmallVec<[usize; 2]>;

/// A query as statements.
#[derive(Debug, Clone)]
struct GraphStatements<'g> {
    all: Vec<Statement<'g>>,
    /// Number of constants of both queries; higher vertex numbers are variables.
    n_constants: usize,
    n_variables: usize,
    /// The answer, if it is a single variable.
    root: Option<usize>,
}

/// Maximum number of partial alignments to try; the best one found counts.
const MAX_TRIES: usize = 50_000;

/// A query of the algebra: its graph, and its conditions on qualifiers.
pub(crate) type Drawn<'g> = (&'g QueryGraph, &'g [Qualified<'g>]);

/// The overlap of the statements of two queries, with the variables of `predicted` aligned to those of `gold`. With `inverses`, a relation
/// equals its inverse in the other direction, and all ids of one entity are the same.
pub(crate) fn aligned<'g>(
    (predicted, predicted_conditions): Drawn<'g>,
    (gold, gold_conditions): Drawn<'g>,
    inverses: Option<&'g dyn Vocabulary>,
) -> Overlap {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for vertex in predicted.vertices.iter().chain(&gold.vertices).filter(|vertex| vertex.grounded) {
        names.push(name(vertex, inverses));
    }
    names.sort_unstable();
    names.dedup();
    let texts =
        |conditions: &[Qualified<'_>]| conditions.iter().map(|c| c.text(inverses)).collect::<Vec<_>>();
    let (predicted_texts, gold_texts) = (texts(predicted_conditions), texts(gold_conditions));
    let mut found = (statements(predicted, &names, inverses), statements(gold, &names, inverses));
    found.0.add_qualities(&predicted_texts);
    found.1.add_qualities(&gold_texts);
    best_overlap(&found.0, &found.1)
}

impl<'g> GraphStatements<'g> {
    /// Adds what is said about no vertex.
    fn add_qualities(&mut self, texts: &'g [String]) {
        if texts.is_empty() {
            return;
        }
        self.all.extend(texts.iter().map(|text| (Label::Quality(text), Ends::new())));
        self.all.sort_unstable();
        self.all.dedup();
    }
}

/// A parsed query.
pub(crate) struct ParsedQuery<'q> {
    pub(crate) statements: Statements<'q>,
    pub(crate) structure: Structure<'q>,
    /// The languages of the names that it asks for.
    pub(crate) languages: &'q [String],
}

impl<'q> ParsedQuery<'q> {
    pub(crate) fn of(form: &'q SparqlForm, structure: Structure<'q>) -> ParsedQuery<'q> {
        ParsedQuery { statements: Statements::of(form.simplified()), structure, languages: form.languages() }
    }
}

/// The overlap of the triple patterns, conditions, columns and keys of groups of two parsed SPARQL queries, with the variables of `predicted`
/// aligned to those of `gold`. For queries without a graph.
pub(crate) fn aligned_patterns<'q>(predicted: &'q ParsedQuery<'q>, gold: &'q ParsedQuery<'q>) -> Overlap {
    let fixed = |statements: &'q Statements<'q>| {
        statements.patterns.iter().flat_map(|[from, _, to]| [from, to]).filter_map(|term| match term {
            StatementTerm::Fixed(text) => Some(&**text),
            StatementTerm::Variable(_) | StatementTerm::Blank(_) => None,
        })
    };
    let mut names: Vec<&str> = fixed(&predicted.statements).chain(fixed(&gold.statements)).collect();
    names.sort_unstable();
    names.dedup();
    // A query that does not say in which language it wants names accepts any.
    let with_languages = !predicted.languages.is_empty() && !gold.languages.is_empty();
    let found = [predicted, gold].map(|query| patterns(query, &names, with_languages));
    let overlap = best_overlap(&found[0], &found[1]);
    // Without a pattern in common, columns and keys say nothing.
    let has_head = |found: &GraphStatements<'_>| found.all.iter().any(|(label, _)| label.is_head());
    if !found.iter().all(has_head) {
        return overlap;
    }
    let common = |is_counted: fn(&Label<'_>) -> bool| {
        let [mut predicted, mut gold] = found.clone();
        predicted.all.retain(|(label, _)| is_counted(label));
        gold.all.retain(|(label, _)| is_counted(label));
        best_overlap(&predicted, &gold).common
    };
    match common(|label| matches!(label, Label::Relation(_))) {
        0 => Overlap { common: common(|label| !label.is_head()), ..overlap },
        _ => overlap,
    }
}

/// A parsed query as statements.
fn patterns<'q>(query: &'q ParsedQuery<'q>, names: &[&str], with_languages: bool) -> GraphStatements<'q> {
    let ParsedQuery { statements, structure, languages } = query;
    let mut known: Vec<&StatementTerm<'q>> = Vec::new();
    let mut number = |term: &'q StatementTerm<'q>| match term {
        StatementTerm::Fixed(text) => names.binary_search(&&**text).unwrap_or(usize::MAX),
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
            StatementTerm::Fixed(text) => text,
            StatementTerm::Variable(_) | StatementTerm::Blank(_) => "?",
        };
        all.push((Label::Relation(property), Ends::from_buf([number(from), number(to)])));
    }
    // A computed value is in no pattern.
    let mut computed: Vec<&str> = Vec::new();
    let n_known = known.len();
    let mut number = |name: &'q str| {
        let in_patterns = known.iter().position(|known| **known == StatementTerm::Variable(name));
        names.len()
            + in_patterns.unwrap_or_else(|| {
                n_known
                    + computed.iter().position(|known| *known == name).unwrap_or_else(|| {
                        computed.push(name);
                        computed.len() - 1
                    })
            })
    };
    // One column is the answer, which is aligned with the answer.
    let columns = Some(structure.columns()).filter(|columns| columns.len() > 1).unwrap_or(&[]);
    all.extend(columns.iter().map(|name| (Label::Column, Ends::from_slice(&[number(name)]))));
    all.extend(structure.keys().iter().map(|name| (Label::Key, Ends::from_slice(&[number(name)]))));
    if with_languages {
        all.extend(languages.iter().map(|language| (Label::Language(language), Ends::new())));
    }
    let place = |name: &str| {
        let in_patterns = known.iter().position(|known| **known == StatementTerm::Variable(name));
        in_patterns.or_else(|| Some(n_known + computed.iter().position(|known| *known == name)?))
    };
    let root = structure.answer().and_then(place).map(|place| names.len() + place);
    for condition in structure.conditions() {
        let mut variables: Ends =
            condition.variables.iter().filter_map(|name| Some(names.len() + place(name)?)).collect();
        variables.sort_unstable();
        all.push((Label::Condition(condition.number), variables));
    }
    all.sort_unstable();
    all.dedup();
    GraphStatements { all, n_constants: names.len(), n_variables: n_known + computed.len(), root }
}

/// The label of a constraint.
fn name<'g>(vertex: &'g Vertex, inverses: Option<&'g dyn Vocabulary>) -> (&'g str, &'g str) {
    let same = inverses.filter(|_| vertex.grounded).and_then(|inverses| inverses.same(&vertex.label));
    (same.unwrap_or(&vertex.label), &vertex.note)
}

fn statements<'g>(
    graph: &'g QueryGraph,
    names: &[(&str, &str)],
    inverses: Option<&'g dyn Vocabulary>,
) -> GraphStatements<'g> {
    let mut n_variables = 0;
    let mut numbers = Vec::with_capacity(graph.vertices.len());
    for vertex in &graph.vertices {
        let known = names.binary_search(&name(vertex, inverses));
        numbers.push(match (vertex.grounded, known) {
            (true, Ok(number)) => number,
            _ => {
                n_variables += 1;
                names.len() + n_variables - 1
            }
        });
    }
    let mut all = Vec::new();
    for edge in &graph.edges {
        let (Some(&from), Some(&to)) = (numbers.get(edge.from), numbers.get(edge.to)) else { continue };
        let inverse = inverses.and_then(|inverses| inverses.inverse(&edge.label));
        all.push(match inverse {
            Some(inverse) if inverse < edge.label.as_str() => {
                (Label::Relation(inverse), Ends::from_buf([to, from]))
            }
            _ => (Label::Relation(&edge.label), Ends::from_buf([from, to])),
        });
    }
    for (vertex, &number) in graph.vertices.iter().zip(&numbers) {
        if !vertex.grounded {
            let qualities = [&vertex.label, &vertex.note].into_iter().filter(|text| !text.is_empty());
            all.extend(qualities.map(|text| (Label::Quality(text), Ends::from_slice(&[number]))));
        }
    }
    all.sort_unstable();
    all.dedup();
    let is_variable = |number: &usize| *number >= names.len();
    let root = numbers.get(graph.root).copied().filter(is_variable);
    GraphStatements { all, n_constants: names.len(), n_variables, root }
}

fn best_overlap(predicted: &GraphStatements<'_>, gold: &GraphStatements<'_>) -> Overlap {
    let n_constants = predicted.n_constants;
    // Both lists are sorted by label: statements that may agree are adjacent.
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut n_seen = 0;
    for chunk in predicted.all.chunk_by(|one, other| one.0 == other.0) {
        let label = chunk[0].0;
        n_seen += gold.all[n_seen..].partition_point(|(other, _)| *other < label);
        let n_same = gold.all[n_seen..].partition_point(|(other, _)| *other == label);
        let same = &gold.all[n_seen..n_seen + n_same];
        if !same.is_empty() {
            let is_ordered = !matches!(label, Label::Condition(_));
            groups.push(Group { predicted: chunk, gold: same, is_ordered });
        }
    }
    let mut search = Search {
        groups,
        n_constants,
        places: vec![Place::Open; predicted.n_variables],
        is_taken: vec![false; gold.n_variables],
        best: 0,
        tries: 0,
    };
    // The answer is aligned with the answer.
    if let (Some(from), Some(to)) = (predicted.root, gold.root) {
        search.places[from - n_constants] = Place::At(to);
        search.is_taken[to - n_constants] = true;
    }
    search.extend();
    Overlap { common: search.best, predicted: predicted.all.len(), gold: gold.all.len() }
}

/// The statements of both queries with one label.
struct Group<'s> {
    predicted: &'s [Statement<'s>],
    gold: &'s [Statement<'s>],
    is_ordered: bool,
}

/// The gold vertex that a vertex of the prediction is aligned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    At(usize),
    /// Not decided yet.
    Open,
    Nowhere,
}

struct Search<'s> {
    groups: Vec<Group<'s>>,
    n_constants: usize,
    /// For each variable of the prediction, the gold vertex that it is aligned to.
    places: Vec<Place>,
    /// For each variable of gold, whether a variable of the prediction is aligned to it.
    is_taken: Vec<bool>,
    best: usize,
    tries: usize,
}

impl Search<'_> {
    /// Places the open variables in all ways that may be better than the best one so far.
    fn extend(&mut self) {
        self.tries += 1;
        if self.tries > MAX_TRIES {
            return;
        }
        let possible = self.possible();
        if possible <= self.best {
            return;
        }
        let Some(variable) = self.next_variable() else {
            self.best = possible;
            return;
        };
        for candidate in self.candidates(variable) {
            self.places[variable] = Place::At(candidate);
            self.is_taken[candidate - self.n_constants] = true;
            self.extend();
            self.is_taken[candidate - self.n_constants] = false;
        }
        // If it stays unaligned, other variables may agree with more statements.
        self.places[variable] = Place::Nowhere;
        self.extend();
        self.places[variable] = Place::Open;
    }

    /// Upper bound of the number of agreeing statements, whatever the open variables become.
    fn possible(&self) -> usize {
        let count = |group: &Group<'_>| match (group.predicted, group.gold) {
            ([one], [other]) => usize::from(self.may_agree(group, &one.1, &other.1)),
            (predicted, gold) => {
                let agrees =
                    |one: &&Statement<'_>| gold.iter().any(|other| self.may_agree(group, &one.1, &other.1));
                let is_met = |other: &&Statement<'_>| {
                    predicted.iter().any(|one| self.may_agree(group, &one.1, &other.1))
                };
                let n = predicted.iter().filter(agrees).count();
                if n <= 1 { n } else { n.min(gold.iter().filter(is_met).count()) }
            }
        };
        self.groups.iter().map(count).sum()
    }

    fn place(&self, vertex: usize) -> Place {
        match vertex.checked_sub(self.n_constants) {
            None => Place::At(vertex),
            // A constant that gold does not have.
            Some(variable) => self.places.get(variable).copied().unwrap_or(Place::Nowhere),
        }
    }

    /// Whether a gold vertex is a variable without an aligned variable.
    fn is_free(&self, vertex: usize) -> bool {
        vertex.checked_sub(self.n_constants).is_some_and(|variable| !self.is_taken[variable])
    }

    /// Whether two statements with the same label agree, or may agree when open variables are placed.
    fn may_agree(&self, group: &Group<'_>, predicted: &Ends, gold: &Ends) -> bool {
        if predicted.len() != gold.len() {
            return false;
        }
        if group.is_ordered {
            return predicted.iter().zip(gold).all(|(&from, &to)| match self.place(from) {
                Place::At(vertex) => vertex == to,
                Place::Open => self.is_free(to),
                Place::Nowhere => false,
            });
        }
        let n_open = predicted.iter().filter(|&&from| self.place(from) == Place::Open).count();
        let n_free = gold.iter().filter(|&&to| self.is_free(to)).count();
        let is_aligned = |&from: &usize| match self.place(from) {
            Place::At(vertex) => gold.contains(&vertex),
            Place::Open => true,
            Place::Nowhere => false,
        };
        n_open == n_free && predicted.iter().all(is_aligned)
    }

    /// The pairs of statements that may agree and contain an open variable.
    fn pairs(&self) -> impl Iterator<Item = (&Group<'_>, &Ends, &Ends)> {
        self.groups.iter().flat_map(move |group| {
            let is_open = |ends: &Ends| ends.iter().any(|&end| self.place(end) == Place::Open);
            let open = group.predicted.iter().filter(move |one| is_open(&one.1));
            open.flat_map(move |one| {
                let agreeing = group.gold.iter().filter(|other| self.may_agree(group, &one.1, &other.1));
                agreeing.map(move |other| (group, &one.1, &other.1))
            })
        })
    }

    /// The next variable to place: the one with the fewest options per statement, those with decided neighbours first.
    fn next_variable(&self) -> Option<usize> {
        let mut weights: SmallVec<[usize; 16]> = SmallVec::from_elem(0, self.places.len());
        for group in &self.groups {
            for (_, ends) in group.predicted {
                let is_open = |end: &usize| self.place(*end) == Place::Open;
                let n_open = ends.iter().filter(|end| is_open(end)).count();
                let n_ways = match n_open {
                    0 => continue,
                    _ => group.gold.iter().filter(|(_, gold)| self.may_agree(group, ends, gold)).count(),
                };
                if n_ways > 0 {
                    let weight = WEIGHT / (n_ways * n_open * n_open);
                    for &end in ends.iter().filter(|end| is_open(end)) {
                        weights[end - self.n_constants] += weight.max(1);
                    }
                }
            }
        }
        let (variable, &weight) = weights.iter().enumerate().max_by_key(|(_, weight)| **weight)?;
        (weight > 0).then_some(variable)
    }

    /// The gold variables that a statement supports for an open variable, the best supported first.
    fn candidates(&self, variable: usize) -> SmallVec<[usize; 8]> {
        let mut support: SmallVec<[(usize, usize); 8]> = SmallVec::new();
        let vertex = variable + self.n_constants;
        for (group, predicted, gold) in self.pairs() {
            for place in (0..predicted.len()).filter(|&place| predicted[place] == vertex) {
                let ends = if group.is_ordered { &gold[place..=place] } else { &gold[..] };
                for &to in ends.iter().filter(|&&to| self.is_free(to)) {
                    match support.iter_mut().find(|(_, known)| *known == to) {
                        Some((n, _)) => *n += 1,
                        None => support.push((1, to)),
                    }
                }
            }
        }
        support.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
        support.into_iter().map(|(_, to)| to).collect()
    }
}

/// The weight of a statement that decides a variable by itself.
const WEIGHT: usize = 720;
