//! One way to write parts of a group: what must exist or must not, and lists of things and relations.

use super::Simplifier;
use super::conditions::things_of_filter;
use super::group::{Group, Optional, Table, predicate};
use super::select::Select;
use super::variables::{self, Names};
use crate::sparql::Namespaces;
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{GroundTerm, NamedNode, NamedNodePattern, TermPattern, TriplePattern, Variable};

/// Maximum number of parts to look at; each costs a walk over the group.
const MAX_PARTS: usize = 50;

impl Select {
    /// Writes the parts of the group in one way.
    pub(super) fn rewrite_parts(&mut self, simplifier: &mut Simplifier) {
        let used = self.used_above();
        self.group.deny_optionals(&used);
        self.group.spell_out_relations(&used);
        if !self.counts_rows(simplifier) {
            self.group.join_existing(simplifier, &used);
        }
    }
}

impl Group {
    /// An optional part that must not be found is NOT EXISTS: `OPTIONAL { ?x :p ?y } FILTER(!BOUND(?y))`. `used`: the names used above.
    pub(super) fn deny_optionals(&mut self, used: &Names) {
        if self.optionals.is_empty() || self.filters.len() > MAX_PARTS || self.optionals.len() > MAX_PARTS {
            return;
        }
        let mut at = 0;
        while at < self.filters.len() {
            match unbound(&self.filters[at]).and_then(|name| self.denied(at, name, used)) {
                Some(optional) => {
                    let Optional { mut group, conditions } = self.optionals.remove(optional);
                    group.filters.extend(conditions);
                    group.rewrite_conditions(false);
                    group.deduplicate();
                    let exists = Expression::Exists(Box::new(group.pattern()));
                    self.filters[at] = Expression::Not(Box::new(exists));
                }
                None => at += 1,
            }
        }
    }

    /// The optional part that alone binds a name, if nothing else looks at what it binds.
    fn denied(&self, filter: usize, name: &str, used: &Names) -> Option<usize> {
        let at = self.optionals.iter().position(|optional| optional.group.certain().has(name))?;
        let mut rest = self.clone();
        let optional = rest.optionals.remove(at);
        rest.filters.remove(filter);
        let known = rest.certain();
        let around = rest.names();
        let is_hidden = |inner: &str| known.has(inner) || !(used.has(inner) || around.has(inner));
        let scope = optional.group.scope();
        // A condition may look at what every row has. NOT EXISTS sees more than an optional part does.
        let mut looked_at = Names::default();
        optional.conditions.iter().for_each(|condition| variables::of_expression(condition, &mut looked_at));
        let is_closed = looked_at.iter().all(|name| scope.has(name) || known.has(name))
            && optional.group.names().iter().all(|name| scope.has(name));
        let is_new = !known.has(name) && scope.iter().all(is_hidden);
        (is_closed && is_new).then_some(at)
    }

    /// What must exist is joined, where it does not matter how often each row comes up. `used`: the names used above.
    pub(super) fn join_existing(&mut self, simplifier: &mut Simplifier, used: &Names) {
        if self.filters.len() > MAX_PARTS {
            return;
        }
        for filter in std::mem::take(&mut self.filters) {
            let Expression::Exists(pattern) = &filter else {
                self.filters.push(filter);
                continue;
            };
            match self.existing(pattern, simplifier, used) {
                Some(group) => {
                    let whole = std::mem::take(self);
                    *self = whole.join(group);
                }
                None => self.filters.push(filter),
            }
        }
    }

    /// The group of a pattern that must exist, with new names for what only it has.
    fn existing(&self, pattern: &GraphPattern, simplifier: &mut Simplifier, used: &Names) -> Option<Group> {
        if !simplifier.may_look_again() {
            return None;
        }
        let mut group = simplifier.group_in(pattern, false)?;
        let is_plain = group.nested.is_empty()
            && group.optionals.is_empty()
            && group.minus.is_empty()
            && group.binds.is_empty();
        let (inside, known) = (group.certain(), self.certain());
        let around = self.names();
        // A row that does not bind what both have may match anything.
        let joins = group.names().iter().all(|name| {
            inside.has(name) && (known.has(name) || !around.has(name)) || !inside.has(name) && known.has(name)
        });
        // A branch sees what is around it only while it is tested for each row.
        let branches_are_closed =
            group.unions.iter().flatten().all(|branch| branch.names().iter().all(|name| inside.has(name)));
        if !is_plain || !joins || !branches_are_closed || group.scope().iter().any(|name| !inside.has(name)) {
            return None;
        }
        for name in inside.iter().filter(|name| !known.has(name)) {
            let is_blank = name.starts_with("_:");
            if !is_blank || used.has(name) || around.has(name) {
                let new = simplifier.fresh();
                group.rename(name, &new);
            }
        }
        group.rewrite_conditions(false);
        Some(group)
    }

    /// Branches that differ in one thing are one group with a list of these things. Each row comes up as often.
    pub(super) fn list_of_branches(branches: &[Group], simplifier: &mut Simplifier) -> Option<Group> {
        let (first, others) = branches.split_first()?;
        if others.is_empty() || branches.len() > MAX_PARTS || !branches.iter().all(has_triples_only) {
            return None;
        }
        let mut places: Vec<(usize, bool)> = Vec::new();
        for (at, triple) in first.triples.iter().enumerate() {
            for of_object in [false, true] {
                if others.iter().any(|other| {
                    other.triples.get(at).is_none_or(|t| end(t, of_object) != end(triple, of_object))
                }) {
                    places.push((at, of_object));
                }
            }
        }
        let (&(at, of_object), further) = places.split_first()?;
        let mut rows = Vec::with_capacity(branches.len());
        for branch in branches {
            let same_rest = branch.triples.len() == first.triples.len()
                && branch.triples.iter().zip(&first.triples).all(|(a, b)| a.predicate == b.predicate);
            let TermPattern::NamedNode(thing) = end(branch.triples.get(at)?, of_object) else { return None };
            let is_thing = |&(at, of_object): &(usize, bool)| {
                branch.triples.get(at).is_some_and(|triple| {
                    matches!(end(triple, of_object), TermPattern::NamedNode(other) if other == thing)
                })
            };
            if !same_rest || !further.iter().all(is_thing) {
                return None;
            }
            rows.push(vec![Some(GroundTerm::NamedNode(thing.clone()))]);
        }
        // A class labels its thing and is no thing of its own.
        let names = Namespaces::default();
        let is_class = |&(at, of_object): &(usize, bool)| {
            of_object && first.triples.get(at).and_then(predicate).is_some_and(|iri| names.is_type(iri))
        };
        if places.iter().any(is_class) {
            return None;
        }
        let variable = Variable::new_unchecked(simplifier.fresh());
        let mut triples = first.triples.clone();
        for (at, of_object) in places {
            let term = if of_object { &mut triples[at].object } else { &mut triples[at].subject };
            *term = TermPattern::Variable(variable.clone());
        }
        Some(Group { triples, values: vec![Table { variables: vec![variable], rows }], ..Group::default() })
    }

    /// A list of relations is a union, as for the path `p|q`. `used`: the names used above.
    pub(super) fn spell_out_relations(&mut self, used: &Names) {
        if self.values.len() > MAX_PARTS {
            return;
        }
        let mut at = 0;
        while at < self.values.len() {
            match self.listed_relation(at, used) {
                Some((triple, relations)) => {
                    self.values.remove(at);
                    let triple = self.triples.remove(triple);
                    let branch = |relation: NamedNode| {
                        let predicate = NamedNodePattern::NamedNode(relation);
                        Group {
                            triples: vec![TriplePattern { predicate, ..triple.clone() }],
                            ..Group::default()
                        }
                    };
                    self.unions.push(relations.into_iter().map(branch).collect());
                }
                None => at += 1,
            }
        }
    }

    /// The triple that a table lists the relations of, if nothing else has their variable.
    fn listed_relation(&self, at: usize, used: &Names) -> Option<(usize, Vec<NamedNode>)> {
        let Table { variables, rows } = &self.values[at];
        let [variable] = &variables[..] else { return None };
        let is_relation = |triple: &TriplePattern| matches!(&triple.predicate, NamedNodePattern::Variable(v) if v == variable);
        let triple = self.triples.iter().position(is_relation)?;
        let relations: Option<Vec<NamedNode>> = rows
            .iter()
            .map(|row| match &row[..] {
                [Some(GroundTerm::NamedNode(iri))] => Some(iri.clone()),
                _ => None,
            })
            .collect();
        let mut rest = self.clone();
        rest.values.remove(at);
        let removed = rest.triples.remove(triple);
        let mut ends = Names::default();
        variables::of_term(&removed.subject, &mut ends);
        variables::of_term(&removed.object, &mut ends);
        let name = variable.as_str();
        let is_free = !used.has(name) && !rest.mentions(name) && !ends.has(name);
        relations
            .filter(|relations| is_free && (2..=MAX_PARTS).contains(&relations.len()))
            .map(|r| (triple, r))
    }

    /// Conditions that a variable is one of some things become tables, if every solution has the variable.
    pub(super) fn list_things(&mut self) {
        let is_resource = |variable: &Variable| self.is_resource(variable);
        if !self.filters.iter().any(|filter| things_of_filter(filter, &is_resource).is_some()) {
            return;
        }
        let certain = self.certain();
        let (mut filters, mut tables) = (Vec::new(), Vec::new());
        for filter in &self.filters {
            match things_of_filter(filter, &is_resource)
                .filter(|(variable, _)| certain.has(variable.as_str()))
            {
                Some((variable, list)) => {
                    let rows = list.into_iter().map(|iri| vec![Some(GroundTerm::NamedNode(iri))]).collect();
                    let mut table = Table { variables: vec![variable], rows };
                    table.remove_repetition();
                    tables.push(table);
                }
                None => filters.push(filter.clone()),
            }
        }
        self.filters = filters;
        self.values.extend(tables);
    }
}

/// The variable that must not be bound.
fn unbound(filter: &Expression) -> Option<&str> {
    match filter {
        Expression::Not(inner) => match inner.as_ref() {
            Expression::Bound(variable) => Some(variable.as_str()),
            _ => None,
        },
        _ => None,
    }
}

fn has_triples_only(group: &Group) -> bool {
    let rest = Group { triples: Vec::new(), ..group.clone() };
    rest.is_empty() && !group.triples.is_empty()
}

fn end(triple: &TriplePattern, of_object: bool) -> &TermPattern {
    if of_object { &triple.object } else { &triple.subject }
}
