//! A group of triples seen from one variable: which others it leads to, and what is left as a description of it.

use super::group::{Group, predicate};
use super::rows::RowColumn;
use super::select::{self, Select};
use super::variables::name_of;
use crate::query::{Ask, Direction, Rules, Set, Step};
use crate::sparql::names::kqapro;
use crate::sparql::{Namespaces, recognise};
use spargebra::Query;
use spargebra::term::{TermPattern, TriplePattern, Variable};
use std::collections::{BTreeMap, VecDeque};

/// Maximum number of triples from a thing to what a column shows.
const MAX_PATH: usize = 3;

/// Maximum number of columns.
const MAX_COLUMNS: usize = 12;

/// A triple that a path may use.
struct Edge {
    from: String,
    to: String,
    property: String,
    place: Place,
}

/// Where a triple is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Group(usize),
    Optional(usize),
}

/// The triples of a group as edges between its variables and entities.
pub(super) struct Triples<'q> {
    group: &'q Group,
    names: &'q Namespaces,
    edges: Vec<Edge>,
}

/// The variables that a view must lead to.
pub(super) struct Wanted<'q> {
    pub(super) all: &'q [&'q str],
    /// Those that rows show or that make groups.
    pub(super) shown: &'q [&'q str],
    /// Those that are counted.
    pub(super) counted: &'q [&'q str],
    /// Those of which something else is computed: they are values of things, not the things.
    pub(super) measured: &'q [&'q str],
}

/// The steps of a path: the numbers of edges, and which way.
type Route = Vec<(usize, Direction)>;

/// The query seen from one variable.
pub(super) struct View<'q> {
    /// The set that the rest of the query describes.
    pub(super) of: Set,
    routes: BTreeMap<String, Route>,
    edges: &'q [Edge],
    /// The edges that only show something.
    removed: Vec<usize>,
}

impl<'q> Triples<'q> {
    pub(super) fn of(group: &'q Group, names: &'q Namespaces) -> Triples<'q> {
        let mut edges = Vec::new();
        let mut add = |triple: &TriplePattern, place: Place| {
            let Some(iri) = predicate(triple) else { return };
            if names.is_type(iri) || names.is_name(iri) || kqapro::ALL.contains(&iri) {
                return;
            }
            let from = match &triple.subject {
                TermPattern::NamedNode(node) => Some(node.to_string()),
                other => name_of(other),
            };
            if let (Some(from), Some(to)) = (from, name_of(&triple.object)) {
                edges.push(Edge { from, to, property: names.property(iri), place });
            }
        };
        for (at, triple) in group.triples.iter().enumerate() {
            add(triple, Place::Group(at));
        }
        for (at, optional) in group.optionals.iter().enumerate() {
            let rest = Group { triples: Vec::new(), ..optional.group.clone() };
            if let [only] = &optional.group.triples[..]
                && rest.is_empty()
                && optional.conditions.is_empty()
            {
                add(only, Place::Optional(at));
            }
        }
        Triples { group, names, edges }
    }

    /// The query seen from the variable that leads to all wanted ones: along the direction of the triples if possible.
    pub(super) fn view(&'q self, wanted: &Wanted<'_>) -> Option<View<'q>> {
        if wanted.all.len() > MAX_COLUMNS {
            return None;
        }
        let (root, routes) = self.best(wanted, false).or_else(|| self.best(wanted, true))?;
        let (of, removed) = self.described(&root, &routes)?;
        Some(View { of, routes, edges: &self.edges, removed })
    }

    fn best(&self, wanted: &Wanted<'_>, both_ways: bool) -> Option<(String, BTreeMap<String, Route>)> {
        let mut candidates: Vec<&str> = Vec::new();
        for edge in &self.edges {
            for name in [edge.from.as_str(), edge.to.as_str()] {
                if !candidates.contains(&name) {
                    candidates.push(name);
                }
            }
        }
        // A thing without columns of its own is in no edge.
        let in_edges = candidates.clone();
        candidates.extend(wanted.all.iter().filter(|name| !in_edges.contains(name)));
        candidates.retain(|name| !wanted.measured.contains(name));
        let mut best: Option<((usize, usize, usize), _, _)> = None;
        for (at, name) in candidates.into_iter().enumerate() {
            let rank = match wanted.counted.contains(&name) {
                true => 0,
                false => 1 + usize::from(!wanted.shown.contains(&name)),
            };
            if both_ways && rank == 2 {
                continue;
            }
            let mut routes = self.routes(name, both_ways);
            routes.retain(|end, _| wanted.all.contains(&end.as_str()));
            if routes.len() < wanted.all.len() {
                continue;
            }
            let score = (rank, routes.values().map(Vec::len).sum::<usize>(), at);
            if best.as_ref().is_none_or(|(least, ..)| score < *least) {
                best = Some((score, name.to_owned(), routes));
            }
        }
        best.map(|(_, root, routes)| (root, routes))
    }

    /// The shortest ways from a variable.
    fn routes(&self, root: &str, both_ways: bool) -> BTreeMap<String, Route> {
        let mut routes = BTreeMap::from([(root.to_owned(), Route::new())]);
        let mut queue = VecDeque::from([root.to_owned()]);
        while let Some(at) = queue.pop_front() {
            let route = routes.get(&at).cloned().unwrap_or_default();
            let after_optional =
                route.last().is_some_and(|(edge, _)| matches!(self.edges[*edge].place, Place::Optional(_)));
            let is_constant = at.starts_with('<') && at != root;
            if route.len() == MAX_PATH || after_optional || is_constant {
                continue;
            }
            for (number, edge) in self.edges.iter().enumerate() {
                let (next, direction) = if edge.from == at {
                    (&edge.to, Direction::Forward)
                } else if both_ways && edge.to == at {
                    (&edge.from, Direction::Backward)
                } else {
                    continue;
                };
                if !routes.contains_key(next) {
                    let mut longer = route.clone();
                    longer.push((number, direction));
                    routes.insert(next.clone(), longer);
                    queue.push_back(next.clone());
                }
            }
        }
        routes
    }

    /// The set that the rest of the query describes, and the edges that are not part of it.
    fn described(&self, root: &str, routes: &BTreeMap<String, Route>) -> Option<(Set, Vec<usize>)> {
        let is_used = |edge: usize| routes.values().flatten().any(|(used, _)| *used == edge);
        let mut removed: Vec<usize> = (0..self.edges.len())
            .filter(|&edge| is_used(edge) && matches!(self.edges[edge].place, Place::Optional(_)))
            .collect();
        let mut steps: Route = routes.values().flatten().copied().collect();
        steps.sort_unstable();
        steps.dedup();
        loop {
            let n_before = removed.len();
            for &(number, direction) in &steps {
                let edge = &self.edges[number];
                let far = if direction == Direction::Forward { &edge.to } else { &edge.from };
                if removed.contains(&number) || far == root {
                    continue;
                }
                removed.push(number);
                if self.without(&removed).mentions(far) {
                    removed.pop();
                }
            }
            if removed.len() == n_before {
                break;
            }
        }
        let rest = self.without(&removed);
        if let Some(iri) = root.strip_prefix('<').and_then(|iri| iri.strip_suffix('>')) {
            return rest.is_empty().then(|| (Set::Entity(self.names.node(iri).into()), removed));
        }
        if rest.is_empty() {
            return Some((Set::All, removed));
        }
        let root = Variable::new_unchecked(root);
        let column = select::Column { source: root.clone(), name: root };
        let select = Select {
            columns: vec![column],
            group: rest,
            grouping: None,
            order: Vec::new(),
            slice: None,
            distinct: true,
        };
        let query = Query::Select { dataset: None, pattern: select.pattern(false), base_iri: None };
        let recognised = recognise(&query, self.names).ok()?.query;
        match recognised.answer {
            Ask::Members(set) if recognised.rules == Rules::default() => Some((set, removed)),
            _ => None,
        }
    }

    /// The group without some of its edges.
    fn without(&self, removed: &[usize]) -> Group {
        let has = |place: Place| removed.iter().any(|&edge| self.edges[edge].place == place);
        let mut rest = self.group.clone();
        let mut at = 0..;
        rest.triples.retain(|_| !at.next().is_some_and(|at| has(Place::Group(at))));
        let mut at = 0..;
        rest.optionals.retain(|_| !at.next().is_some_and(|at| has(Place::Optional(at))));
        rest
    }
}

impl View<'_> {
    /// What a variable shows.
    pub(super) fn column(&self, name: &str) -> Option<RowColumn> {
        let route = self.routes.get(name)?;
        let step = |&(edge, direction): &(usize, Direction)| Step {
            property: self.edges[edge].property.as_str().into(),
            direction,
        };
        let optional =
            route.last().is_some_and(|(edge, _)| matches!(self.edges[*edge].place, Place::Optional(_)));
        let described = route.first().is_some_and(|(edge, _)| !self.removed.contains(edge));
        Some(RowColumn { path: route.iter().map(step).collect(), optional, described })
    }
}
