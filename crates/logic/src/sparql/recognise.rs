//! From SPARQL to the algebra: plain triples, as in GrailQA, WebQSP, ComplexWebQuestions, LC-QuAD and DBNQA.

use super::block::{Block, Count, Head, repeats_values, select_head};
use super::filters::{self, Condition, Side};
use super::names::{Namespaces, kqapro};
use super::simplify::{Simplified, conjuncts, says_more_than_meant};
use super::variables::Variables;
use super::{Dialect, NotRecognised, OutsideAlgebra, Recognised, facts};
use crate::equal::canonical;
use crate::loss::Loss;
use crate::pattern::{Described, Pattern, PatternError, PatternFact, is_too_deep};
use crate::query::{Ask, Extreme, Mark, Operand, Query, Rules, Set};
use hashbrown::HashSet;
use spargebra::algebra::{Expression, Function, GraphPattern};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern, Variable};
use std::cell::Cell;
use std::rc::Rc;
use touchstone_kb::rdf::KQAPRO_BASE;
use touchstone_kb::{Comparison, FREEBASE, RdfVocabulary, XSD};

/// Recognises a query, or gives the reason why it is outside the algebra.
pub fn recognise(query: &spargebra::Query, names: &Namespaces) -> Result<Recognised, NotRecognised> {
    let as_written = checked(query, names);
    let (spargebra::Query::Select { pattern, .. } | spargebra::Query::Ask { pattern, .. }) = query else {
        return as_written;
    };
    // What another spelling would not lose: a COUNT of rows, and the text of an IRI.
    let loses = |found: &Result<Recognised, NotRecognised>| {
        let is_spelling = |loss: &Loss| matches!(loss, Loss::CountsRows | Loss::TextOnly { .. });
        matches!(found, Ok(found) if found.lost.iter().any(is_spelling))
    };
    if as_written.is_ok() && !loses(&as_written) && !says_more_than_meant(pattern) {
        return as_written;
    }
    let Some(simplified) = Simplified::of(query) else { return as_written };
    let follows_meaning = simplified.n_meant > 0;
    if as_written.is_ok() && !follows_meaning && !loses(&as_written) {
        return as_written;
    }
    let recognised = checked(&simplified.query, names);
    if as_written.is_ok() && !follows_meaning && loses(&recognised) {
        return as_written;
    }
    let recognised = recognised.map(|mut recognised| {
        recognised.lost.push(match simplified.decoration.is_empty() {
            true => Loss::Simplified,
            false => Loss::Labels { columns: simplified.decoration },
        });
        recognised
    });
    if recognised.is_err() && as_written.is_ok() { as_written } else { recognised }
}

fn checked(query: &spargebra::Query, names: &Namespaces) -> Result<Recognised, NotRecognised> {
    let recognised = translated(query, names)?;
    let mut too_deep = false;
    recognised.query.sets(&mut |set| too_deep |= is_too_deep(set));
    if too_deep { Err(PatternError::TooDeep.into()) } else { Ok(recognised) }
}

fn translated(query: &spargebra::Query, names: &Namespaces) -> Result<Recognised, NotRecognised> {
    match query {
        spargebra::Query::Select { pattern, dataset: None, .. } => {
            let head = select_head(pattern)?;
            if is_kqapro(head.pattern) { facts::select(&head) } else { select(&head, names) }
        }
        spargebra::Query::Ask { pattern, dataset: None, .. } => {
            // The parser projects the pattern of an ASK to all its variables.
            let pattern = match pattern {
                GraphPattern::Project { inner, .. } => inner,
                other => other,
            };
            if is_kqapro(pattern) {
                return facts::ask(pattern);
            }
            let mut lost = Vec::new();
            let graph = Graph::of(pattern, names, &mut lost, None)?;
            let root = graph.first.ok_or_else(|| NotRecognised::new(OutsideAlgebra::NoTriples))?;
            let described = graph.describe(root)?;
            let rules = graph.rules(root, &described, &mut lost)?;
            Ok(Recognised {
                query: Query { answer: Ask::Exists(described.set), rules },
                lost,
                dialect: dialect(pattern, names),
            })
        }
        spargebra::Query::Construct { .. } => Err(NotRecognised::new(OutsideAlgebra::Construct)),
        spargebra::Query::Describe { .. } => Err(NotRecognised::new(OutsideAlgebra::Describe)),
        _ => Err(NotRecognised::new(OutsideAlgebra::From)),
    }
}

/// Takes the names that filters compare out of a block: `?x rdfs:label ?name FILTER(STR(?name) = "Inception")`. Gives what has which name.
fn names_by_filter<'q>(block: &mut Block<'q>, names: &Namespaces) -> Vec<(&'q TermPattern, &'q str)> {
    let mut found = Vec::new();
    let mut at = 0;
    block.filters = block.filters.iter().flat_map(|filter| conjuncts(filter)).collect();
    while let Some(triple) = block.triples.get(at).copied() {
        let label = match (&triple.predicate, &triple.object) {
            (NamedNodePattern::NamedNode(p), TermPattern::Variable(label)) if names.is_name(p.as_str()) => {
                label
            }
            _ => {
                at += 1;
                continue;
            }
        };
        let mut with = block.filters.iter().enumerate().filter(|(_, filter)| mentions(filter, label));
        let only = with.next().filter(|_| with.next().is_none());
        let is = |term: &TermPattern| matches!(term, TermPattern::Variable(variable) if variable == label);
        let uses = block.triples.iter().filter(|t| is(&t.subject) || is(&t.object)).count();
        let name = only.and_then(|(filter_at, filter)| Some((filter_at, compared_name(filter, label)?)));
        match name {
            Some((filter_at, name)) if uses == 1 && block.unions.is_empty() && block.extremes.is_empty() => {
                found.push((&triple.subject, name));
                block.filters.remove(filter_at);
                block.triples.remove(at);
            }
            _ => at += 1,
        }
    }
    found
}

fn mentions(expression: &Expression, variable: &Variable) -> bool {
    let mut stack = vec![expression];
    while let Some(expression) = stack.pop() {
        match expression {
            Expression::Variable(found) | Expression::Bound(found) if found == variable => return true,
            // What is inside is not looked at.
            Expression::Exists(_) => return true,
            other => super::operands(other, &mut stack),
        }
    }
    false
}

/// The text that a condition compares a label with, in whatever language.
fn compared_name<'q>(condition: &'q Expression, label: &Variable) -> Option<&'q str> {
    let Expression::Equal(left, right) = condition else { return None };
    let (operand, Expression::Literal(name)) = (match (left.as_ref(), right.as_ref()) {
        (name @ Expression::Literal(_), operand) => (operand, name),
        pair => pair,
    }) else {
        return None;
    };
    let inner = match operand {
        Expression::FunctionCall(Function::Str, arguments) => arguments.first()?,
        other => other,
    };
    matches!(inner, Expression::Variable(found) if found == label).then(|| name.value())
}

/// Whether the pattern has value nodes and fact nodes, as KQA Pro's do.
fn is_kqapro(pattern: &GraphPattern) -> bool {
    let mut stack = vec![pattern];
    while let Some(pattern) = stack.pop() {
        match pattern {
            GraphPattern::Bgp { patterns } => {
                let own = |t: &TriplePattern| matches!(&t.predicate, NamedNodePattern::NamedNode(p) if kqapro::ALL.contains(&p.as_str()));
                if patterns.iter().any(own) {
                    return true;
                }
            }
            GraphPattern::Join { left, right } | GraphPattern::Union { left, right } => {
                stack.push(right);
                stack.push(left);
            }
            GraphPattern::Filter { inner, .. } => stack.push(inner),
            _ => {}
        }
    }
    false
}

/// Freebase, if one of its names is there and the KB does not say otherwise; plain triples otherwise.
fn dialect(pattern: &GraphPattern, names: &Namespaces) -> Dialect {
    let maybe_freebase = matches!(names.vocabulary, None | Some(RdfVocabulary::Freebase));
    let mut stack = if maybe_freebase { vec![pattern] } else { Vec::new() };
    while let Some(pattern) = stack.pop() {
        match pattern {
            GraphPattern::Bgp { patterns } => {
                let freebase = |t: &TriplePattern| matches!(&t.predicate, NamedNodePattern::NamedNode(p) if p.as_str().starts_with(FREEBASE));
                if patterns.iter().any(freebase) {
                    return Dialect::Freebase;
                }
            }
            GraphPattern::Join { left, right } | GraphPattern::Union { left, right } => {
                stack.push(right);
                stack.push(left);
            }
            GraphPattern::Filter { inner, .. } => stack.push(inner),
            _ => {}
        }
    }
    Dialect::Plain { base: names.base.clone().unwrap_or_else(|| KQAPRO_BASE.to_owned()) }
}

fn select(head: &Head<'_>, names: &Namespaces) -> Result<Recognised, NotRecognised> {
    let mut lost = Vec::new();
    let mut graph = Graph::of(head.pattern, names, &mut lost, None)?;
    let root = graph.existing(head.variable).ok_or_else(|| NotRecognised::not_in_pattern(head.variable))?;
    if let Some((expression, extreme)) = head.order {
        let variable =
            filters::uncast(expression, &mut lost).ok_or_else(|| NotRecognised::order(expression))?;
        let value = graph.existing(variable).ok_or_else(|| NotRecognised::not_in_pattern(variable))?;
        graph.extreme(value, extreme)?;
        lost.push(Loss::OneOfTies);
    } else if !head.distinct && head.count.is_none() && !graph.has_one_variable() {
        lost.push(Loss::Repeats);
    }
    let described = graph.describe(root)?;
    let rules = graph.rules(root, &described, &mut lost)?;
    let answer = match head.count {
        None => Ask::Members(described.set),
        Some(Count::Distinct) => Ask::Count(described.set),
        Some(Count::Rows) if repeats_values(head.pattern) => {
            return Err(NotRecognised::new(OutsideAlgebra::CountOfRepeatedValues));
        }
        Some(Count::Rows) => {
            lost.push(Loss::CountsRows);
            Ask::Count(described.set)
        }
    };
    Ok(Recognised { query: Query { answer, rules }, lost, dialect: dialect(head.pattern, names) })
}

/// A pattern with the names of its variables.
pub(super) struct Graph<'q> {
    pub(super) pattern: Pattern,
    variables: Variables,
    different: Vec<(usize, Side<'q>)>,
    english: Vec<usize>,
    /// Whether something is found by its name.
    finds_by_name: bool,
    value: Option<(usize, Extreme)>,
    /// The subject of the first triple.
    first: Option<usize>,
    /// The variables that belong to the branches of each union.
    in_branches: Vec<Vec<String>>,
    names: &'q Namespaces,
}

impl<'q> Graph<'q> {
    /// Whether the answer is the only variable: then no answer is repeated.
    fn has_one_variable(&self) -> bool {
        self.variables.len() == 1 && self.in_branches.is_empty()
    }

    /// Reads a pattern. `outside` names the variable that a branch of a union shares with what is around it.
    fn of(
        pattern: &'q GraphPattern,
        names: &'q Namespaces,
        lost: &mut Vec<Loss>,
        outside: Option<(&str, &Rc<Cell<Mark>>)>,
    ) -> Result<Graph<'q>, NotRecognised> {
        let mut block = Block::of(pattern)?;
        let by_filter = names_by_filter(&mut block, names);
        let mut graph = Graph {
            pattern: Pattern::default(),
            variables: Variables::default(),
            different: Vec::new(),
            english: Vec::new(),
            finds_by_name: false,
            value: None,
            first: None,
            in_branches: Vec::new(),
            names,
        };
        if let Some((name, marks)) = outside {
            graph.pattern.marks = Rc::clone(marks);
            graph.variable(name);
        }
        let is_class = |name: &str| graph.names_classes(&block.triples, name);
        let (classes, values): (Vec<_>, Vec<_>) =
            block.values.iter().partition(|(variable, _)| is_class(variable.as_str()));
        for triple in &block.triples {
            let object = match &triple.object {
                TermPattern::Variable(object) => classes.iter().find(|(variable, _)| *variable == object),
                _ => None,
            };
            let Some((_, terms)) = object else {
                graph.triple(triple)?;
                continue;
            };
            let subject = graph.term(&triple.subject)?;
            graph.first.get_or_insert(subject);
            let mut of_classes = Vec::new();
            for term in terms {
                let Set::Entity(class) = ground(term, names)? else {
                    return Err(NotRecognised::new(OutsideAlgebra::ClassNotIri));
                };
                of_classes.push(Set::Class(class));
            }
            graph.pattern.things[subject].push(Set::or(of_classes));
        }
        for (subject, name) in by_filter {
            let thing = graph.term(subject)?;
            graph.first.get_or_insert(thing);
            graph.pattern.things[thing].push(Set::Named(name.into()));
            graph.finds_by_name = true;
        }
        for (variable, terms) in values {
            let terms = terms.iter().map(|term| ground(term, names)).collect::<Result<Vec<_>, _>>()?;
            let thing = graph.variable(variable.as_str());
            graph.pattern.things[thing].push(Set::or(terms));
        }
        if graph.finds_by_name {
            lost.push(Loss::FindsByName);
        }
        for branches in &block.unions {
            graph.union(branches, lost)?;
        }
        graph.check_branches()?;
        graph.filters(&block, lost)?;
        for extreme in &block.extremes {
            graph.extreme_select(extreme, names, lost)?;
        }
        Ok(graph)
    }

    /// Whether a variable is there only for the class of something.
    fn names_classes(&self, triples: &[&TriplePattern], name: &str) -> bool {
        let is =
            |term: &TermPattern| matches!(term, TermPattern::Variable(variable) if variable.as_str() == name);
        let mut with = triples.iter().filter(|triple| is(&triple.subject) || is(&triple.object));
        let only = with.next().filter(|_| with.next().is_none());
        only.is_some_and(|triple| {
            let is_type =
                matches!(&triple.predicate, NamedNodePattern::NamedNode(p) if self.names.is_type(p.as_str()));
            is_type && is(&triple.object) && !is(&triple.subject)
        })
    }

    /// The thing that a variable stands for, if the pattern has it.
    fn existing(&self, variable: &Variable) -> Option<usize> {
        self.variables.get(variable.as_str())
    }

    fn variable(&mut self, name: &str) -> usize {
        self.variables.get(name).unwrap_or_else(|| {
            let thing = self.pattern.thing();
            self.variables.insert(name, thing);
            thing
        })
    }

    fn term(&mut self, term: &TermPattern) -> Result<usize, NotRecognised> {
        match term {
            TermPattern::Variable(variable) => Ok(self.variable(variable.as_str())),
            TermPattern::BlankNode(node) => Ok(self.variable(&format!("_:{}", node.as_str()))),
            TermPattern::NamedNode(node) => {
                Ok(self.constant(Set::Entity(self.names.node(node.as_str()).into())))
            }
            TermPattern::Literal(literal) => {
                Ok(self.constant(Set::Values(Comparison::Equal, Box::new(self.names.value(literal)))))
            }
            TermPattern::Triple(_) => Err(NotRecognised::new(OutsideAlgebra::TripleTerm)),
        }
    }

    /// Each occurrence of a constant is a thing of its own.
    fn constant(&mut self, set: Set) -> usize {
        let thing = self.pattern.thing();
        self.pattern.things[thing].push(set);
        thing
    }

    fn triple(&mut self, triple: &TriplePattern) -> Result<(), NotRecognised> {
        let NamedNodePattern::NamedNode(predicate) = &triple.predicate else {
            return Err(NotRecognised::new(OutsideAlgebra::RelationVariable));
        };
        let subject = self.term(&triple.subject)?;
        self.first.get_or_insert(subject);
        if let (true, TermPattern::NamedNode(class)) =
            (self.names.is_type(predicate.as_str()), &triple.object)
        {
            let class = Set::Class(self.names.node(class.as_str()).into());
            if !self.pattern.things[subject].contains(&class) {
                self.pattern.things[subject].push(class);
            }
            return Ok(());
        }
        if let (true, TermPattern::Literal(name)) = (self.names.is_name(predicate.as_str()), &triple.object)
            && (name.language().is_some() || name.datatype().as_str().strip_prefix(XSD) == Some("string"))
        {
            self.pattern.things[subject].push(Set::Named(name.value().into()));
            self.finds_by_name = true;
            return Ok(());
        }
        let object = self.term(&triple.object)?;
        let property = self.names.property(predicate.as_str());
        self.pattern.facts.push(PatternFact {
            subject,
            property: property.into(),
            object,
            conditions: Vec::new(),
        });
        Ok(())
    }

    /// A union whose branches share one variable with the rest.
    fn union(&mut self, branches: &[&'q GraphPattern], lost: &mut Vec<Loss>) -> Result<(), NotRecognised> {
        let (shared, own) = shared_variable(branches, |name| self.variables.get(name).is_some())?;
        self.in_branches.push(own);
        let mut sets = Vec::new();
        for branch in branches {
            let graph = Graph::of(branch, self.names, lost, Some((&shared, &self.pattern.marks)))?;
            if !graph.different.is_empty() || !graph.english.is_empty() || graph.value.is_some() {
                return Err(NotRecognised::new(OutsideAlgebra::ConditionInUnion));
            }
            let set = graph.describe(0)?.set;
            if is_too_deep(&set) {
                return Err(PatternError::TooDeep.into());
            }
            sets.push(set);
        }
        let thing = self.variable(&shared);
        self.first.get_or_insert(thing);
        self.pattern.things[thing].push(Set::or(sets));
        Ok(())
    }

    /// A variable of a branch may occur nowhere else: it would join the branch with that.
    fn check_branches(&self) -> Result<(), NotRecognised> {
        check_branches(&self.in_branches, &self.variables)
    }

    fn filters(&mut self, block: &Block<'q>, lost: &mut Vec<Loss>) -> Result<(), NotRecognised> {
        let mut bounds = Vec::new();
        for condition in filters::read(&block.filters, self.names, lost)? {
            match condition {
                Condition::Different(variable, side) => {
                    let thing = self.variable(variable.as_str());
                    if let Side::Variable(other) = side {
                        self.variable(other.as_str());
                    }
                    self.different.push((thing, side));
                }
                Condition::Value(variable, comparison, value) => {
                    let thing = self.variable(variable.as_str());
                    self.pattern.things[thing].push(Set::Values(comparison, Box::new(value)));
                }
                Condition::English(variable) => {
                    let thing = self.variable(variable.as_str());
                    self.english.push(thing);
                }
                Condition::Bound(variable, property, comparison, value) => {
                    bounds.push((variable, property, comparison, value))
                }
            }
        }
        for (variable, period) in filters::periods(&bounds, self.names)? {
            let thing = self.variable(variable.as_str());
            self.pattern.things[thing].push(period);
        }
        Ok(())
    }

    /// Says that the value at a thing must be extreme.
    fn extreme(&mut self, value: usize, extreme: Extreme) -> Result<(), NotRecognised> {
        match self.value.replace((value, extreme)) {
            None => Ok(()),
            Some(_) => Err(NotRecognised::new(OutsideAlgebra::TwoSuperlatives)),
        }
    }

    /// A sub-select for the extreme value: it must describe the same things as the pattern around it.
    fn extreme_select(
        &mut self,
        select: &super::block::ExtremeSelect<'q>,
        names: &'q Namespaces,
        lost: &mut Vec<Loss>,
    ) -> Result<(), NotRecognised> {
        let mut ignored = Vec::new();
        let inner = Graph::of(select.pattern, names, &mut ignored, None)?;
        if inner.value.is_some() {
            return Err(NotRecognised::new(OutsideAlgebra::NestedSuperlative));
        }
        let missing = || NotRecognised::new(OutsideAlgebra::SuperlativeValueNotInPattern);
        let inner_value = inner.existing(select.inner).ok_or_else(missing)?;
        let outer_value = self.existing(select.outer).ok_or_else(missing)?;
        let inside = inner.pattern.describe(inner_value, &[], &[])?.set;
        let outside = self.pattern.describe(outer_value, &[], &[])?.set;
        if canonical::set_key(&inside) != canonical::set_key(&outside) {
            return Err(NotRecognised::new(OutsideAlgebra::SuperlativeOverOtherPattern));
        }
        // The converter of GrailQA writes its inequalities inside only; the dataset writes them in both places.
        if self.different.is_empty() && self.english.is_empty() {
            let place = |thing: usize| inner.variables.name(thing).map(str::to_owned);
            for (thing, side) in &inner.different {
                match (place(*thing), side) {
                    (Some(name), Side::Iri(iri)) => {
                        let thing = self.variable(&name);
                        self.different.push((thing, Side::Iri(iri)));
                    }
                    _ => return Err(NotRecognised::new(OutsideAlgebra::InequalityInSuperlative)),
                }
            }
            for name in inner.english.iter().filter_map(|&thing| place(thing)) {
                let thing = self.variable(&name);
                self.english.push(thing);
            }
            if !self.different.is_empty() {
                lost.push(Loss::InnerOnly);
            }
        } else if inner.different.len() != self.different.len() || inner.english.len() != self.english.len() {
            return Err(NotRecognised::new(OutsideAlgebra::OtherInequalitiesInSuperlative));
        }
        self.extreme(outer_value, select.extreme)
    }

    /// Describes a thing, with marks for what the rules refer to.
    fn describe(&self, root: usize) -> Result<Described, PatternError> {
        let mut wanted: Vec<usize> = Vec::new();
        for (thing, side) in &self.different {
            wanted.push(*thing);
            if let Side::Variable(other) = side {
                wanted.extend(self.existing(other));
            }
        }
        wanted.retain(|&thing| thing != root && Some(thing) != self.value.map(|(value, _)| value));
        wanted.sort_unstable();
        wanted.dedup();
        match self.value {
            None => self.pattern.describe(root, &wanted, &[]),
            Some((value, extreme)) => self.superlative(root, value, extreme, &wanted),
        }
    }

    /// A thing on the way to the superlative's value has no mark; what is only said to be different needs none.
    fn superlative(
        &self,
        root: usize,
        value: usize,
        extreme: Extreme,
        wanted: &[usize],
    ) -> Result<Described, PatternError> {
        let free: Vec<usize> = wanted
            .iter()
            .copied()
            .filter(|&t| !self.pattern.things[t].is_empty() || self.pattern.facts_at(t).count() != 2)
            .collect();
        self.pattern.superlative(root, value, extreme, &free)
    }

    fn rules(
        &self,
        root: usize,
        described: &Described,
        lost: &mut Vec<Loss>,
    ) -> Result<Rules, NotRecognised> {
        let mut rules = Rules::default();
        let mut dropped = 0;
        let operand = |thing: usize| match described.marks.get(thing).copied().flatten() {
            _ if thing == root => Some(Operand::Answer),
            mark => mark.map(Operand::Marked),
        };
        for (thing, side) in &self.different {
            let left = operand(*thing);
            let right = match side {
                Side::Iri(iri) => Some(Operand::Entity(self.names.node(iri).into())),
                Side::Variable(variable) => self.existing(variable).and_then(operand),
            };
            match (left, right) {
                (Some(left), Some(right)) => rules.different.push((left, right)),
                // A value is never an entity; anything else that has no place in the description is reported.
                _ if self.is_value(*thing, side) => {}
                _ => dropped += 1,
            }
        }
        if dropped > 0 {
            lost.push(Loss::Different { pairs: dropped });
        }
        if let Some(other) = self.english.iter().find(|&&thing| thing != root) {
            return Err(NotRecognised::variable(
                self.variables.name(*other).unwrap_or_default(),
                |variable| OutsideAlgebra::LanguageOfOther { variable },
            ));
        }
        rules.english = !self.english.is_empty();
        Ok(rules)
    }

    /// Whether the inequality goes without saying: one side is the superlative's value, the other a thing that facts are about.
    fn is_value(&self, thing: usize, side: &Side<'_>) -> bool {
        let Some((value, _)) = self.value else { return false };
        let is_entity = |thing: usize| {
            let subject = self.pattern.facts.iter().any(|fact| fact.subject == thing);
            subject
                || self.pattern.things[thing].iter().any(|set| matches!(set, Set::Class(_) | Set::Entity(_)))
        };
        match side {
            Side::Iri(_) => thing == value,
            Side::Variable(variable) => match self.existing(variable) {
                Some(other) if thing == value => is_entity(other),
                Some(other) if other == value => is_entity(thing),
                _ => false,
            },
        }
    }
}

fn ground(term: &GroundTerm, names: &Namespaces) -> Result<Set, NotRecognised> {
    match term {
        GroundTerm::NamedNode(node) => Ok(Set::Entity(names.node(node.as_str()).into())),
        GroundTerm::Literal(literal) => Ok(Set::Values(Comparison::Equal, Box::new(names.value(literal)))),
        GroundTerm::Triple(_) => Err(NotRecognised::new(OutsideAlgebra::TripleTerm)),
    }
}

/// The one variable that all branches of a union have in common with each other or with what is around them, and the other variables of the branches.
pub(super) fn shared_variable(
    branches: &[&GraphPattern],
    outside: impl Fn(&str) -> bool,
) -> Result<(String, Vec<String>), NotRecognised> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for branch in branches {
        let mut names = Vec::new();
        branch.on_in_scope_variable(|variable| names.push(variable.as_str().to_owned()));
        names.sort_unstable();
        names.dedup();
        all.push(names);
    }
    let common: Vec<&String> =
        all[0].iter().filter(|name| all.iter().all(|names| names.contains(name))).collect();
    let linked: Vec<&String> = common.iter().copied().filter(|name| outside(name)).collect();
    let one = match (&linked[..], &common[..]) {
        ([one], _) => *one,
        ([], [one]) => *one,
        // KQA Pro's branches reuse ?pv and ?v for themselves; ?e is what they describe.
        ([], many) => *many
            .iter()
            .find(|name| name.as_str() == "e")
            .ok_or_else(|| NotRecognised::new(OutsideAlgebra::UnionBranchesShareVariables))?,
        _ => return Err(NotRecognised::new(OutsideAlgebra::UnionSharesVariables)),
    };
    let leaks = all.iter().flatten().any(|name| name != one && outside(name));
    if leaks {
        return Err(NotRecognised::new(OutsideAlgebra::UnionBranchSharesVariables));
    }
    let shared = one.clone();
    let mut own: Vec<String> = all.into_iter().flatten().filter(|name| *name != shared).collect();
    own.sort_unstable();
    own.dedup();
    Ok((shared, own))
}

/// A variable of a branch may occur in no other union and nowhere else.
pub(super) fn check_branches(branches: &[Vec<String>], outside: &Variables) -> Result<(), NotRecognised> {
    let mut seen: HashSet<&str> = HashSet::new();
    for own in branches {
        // Each list is free of repetition, so what was seen belongs to another union.
        if let Some(name) = own.iter().find(|name| outside.get(name).is_some() || !seen.insert(name.as_str()))
        {
            return Err(NotRecognised::variable(name, |variable| OutsideAlgebra::UnionLeak { variable }));
        }
    }
    Ok(())
}
