//! From SPARQL to the algebra: KQA Pro's graph, where a value is a node and a fact is a node.

mod resolve;

use super::block::{Block, Count, Head};
use super::names::{Namespaces, kqapro, kqapro_id, kqapro_name};
use super::recognise::{check_branches, shared_variable};
use super::variables::Variables;
use super::{Dialect, NotRecognised, OutsideAlgebra, Recognised};
use crate::loss::Loss;
use crate::pattern::{Pattern, PatternError, PatternFact, is_too_deep};
use crate::query::{Ask, Mark, Query, Set};
use crate::value::Value;
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, Variable};
use std::cell::Cell;
use std::rc::Rc;
use touchstone_kb::Comparison;

/// Recognises a SELECT.
pub(super) fn select(head: &Head<'_>) -> Result<Recognised, NotRecognised> {
    let mut lost = Vec::new();
    let graph = Graph::of(head.pattern, &mut lost, None)?;
    if let Some(count) = head.count {
        if count == Count::Rows {
            lost.push(Loss::CountsRows);
        }
        graph.no_open_relation()?;
        let root = graph.existing(head.variable.as_str())?;
        if graph.is_literal(root) {
            return Err(NotRecognised::new(OutsideAlgebra::CountOfValues));
        }
        return Ok(recognised(Ask::Count(graph.pattern.describe(root, &[], &graph.hidden)?.set), lost));
    }
    if let Some((expression, extreme)) = head.order {
        let Expression::Variable(variable) = expression else {
            return Err(NotRecognised::order(expression));
        };
        return graph.superlative(head.variable, variable, extreme, lost);
    }
    if !head.distinct {
        lost.push(Loss::Repeats);
    }
    let answer = graph.answer(head.variable.as_str())?;
    Ok(recognised(answer, lost))
}

/// Recognises an ASK.
pub(super) fn ask(pattern: &GraphPattern) -> Result<Recognised, NotRecognised> {
    let mut lost = Vec::new();
    let graph = Graph::of(pattern, &mut lost, None)?;
    graph.no_open_relation()?;
    let root = graph.first.ok_or_else(|| NotRecognised::new(OutsideAlgebra::NoTriples))?;
    let set = graph.pattern.describe(root, &[], &graph.hidden)?.set;
    Ok(recognised(Ask::Exists(set), lost))
}

fn recognised(answer: Ask, lost: Vec<Loss>) -> Recognised {
    Recognised { query: Query::new(answer), lost, dialect: Dialect::KqaPro }
}

/// What is known of a value node.
#[derive(Default, Clone)]
struct ValueNode<'q> {
    is_value: bool,
    unit: Option<String>,
    /// The property that gives the value: `pred:value`, `pred:year` or `pred:date`.
    kind: &'static str,
    constant: Option<Value>,
    variables: Vec<&'q str>,
}

/// A fact node: its three parts, and its qualifiers.
#[derive(Default, Clone)]
struct FactNode {
    subject: Option<usize>,
    property: Option<String>,
    object: Option<usize>,
    qualifiers: Vec<(String, usize)>,
}

struct Graph<'q> {
    pattern: Pattern,
    variables: Variables,
    values: Vec<ValueNode<'q>>,
    facts: Vec<FactNode>,
    /// Triples with a variable for the relation.
    open: Vec<(usize, &'q str, usize)>,
    /// Things that are not part of the pattern itself: fact nodes, qualifiers, classes, bare values.
    hidden: Vec<bool>,
    first: Option<usize>,
    /// The variables that belong to the branches of each union.
    in_branches: Vec<Vec<String>>,
    /// Qualifiers that are tested by nothing: one may be asked for.
    untested: Vec<usize>,
    /// Value nodes with a variable that nothing tests: one may decide the order.
    unbound: Vec<usize>,
}

impl<'q> Graph<'q> {
    fn of(
        pattern: &'q GraphPattern,
        lost: &mut Vec<Loss>,
        outside: Option<(&str, &Rc<Cell<Mark>>)>,
    ) -> Result<Graph<'q>, NotRecognised> {
        let block = Block::of(pattern)?;
        if !block.extremes.is_empty() {
            return Err(NotRecognised::new(OutsideAlgebra::NestedSelectInKqaPro));
        }
        let mut graph = Graph {
            pattern: Pattern::default(),
            variables: Variables::default(),
            values: Vec::new(),
            facts: Vec::new(),
            open: Vec::new(),
            hidden: Vec::new(),
            first: None,
            in_branches: Vec::new(),
            untested: Vec::new(),
            unbound: Vec::new(),
        };
        if let Some((name, marks)) = outside {
            graph.pattern.marks = Rc::clone(marks);
            graph.variable(name);
        }
        graph.triples(&block)?;
        for (variable, terms) in &block.values {
            let thing = graph.variable(variable.as_str());
            let entities = terms.iter().map(|term| match term {
                GroundTerm::NamedNode(node) => Ok(Set::Entity(kqapro_id(node.as_str()).into())),
                _ => Err(NotRecognised::new(OutsideAlgebra::ValuesNotEntities)),
            });
            let entities = entities.collect::<Result<Vec<_>, _>>()?;
            graph.pattern.things[thing].push(Set::or(entities));
        }
        for branches in &block.unions {
            let (shared, own) = shared_variable(branches, |name| graph.variables.get(name).is_some())?;
            graph.in_branches.push(own);
            let mut sets = Vec::new();
            for branch in branches {
                let inner = Graph::of(branch, lost, Some((&shared, &graph.pattern.marks)))?;
                inner.no_open_relation()?;
                let set = inner.pattern.describe(0, &[], &inner.hidden)?.set;
                if is_too_deep(&set) {
                    return Err(PatternError::TooDeep.into());
                }
                sets.push(set);
            }
            let thing = graph.variable(&shared);
            graph.pattern.things[thing].insert(0, Set::or(sets));
            graph.first.get_or_insert(thing);
        }
        check_branches(&graph.in_branches, &graph.variables)?;
        graph.resolve(&block, lost)?;
        Ok(graph)
    }

    /// Nothing but a question for a relation may leave a relation open, and nothing but a question for a qualifier a qualifier.
    fn no_open_relation(&self) -> Result<(), NotRecognised> {
        match (self.open.is_empty(), self.untested.is_empty(), self.unbound.is_empty()) {
            (true, true, true) => Ok(()),
            (false, ..) => Err(NotRecognised::new(OutsideAlgebra::RelationVariable)),
            (_, false, _) => Err(NotRecognised::new(OutsideAlgebra::AnyQualifierValue)),
            (.., false) => Err(NotRecognised::new(OutsideAlgebra::AnyValue)),
        }
    }

    fn existing(&self, name: &str) -> Result<usize, NotRecognised> {
        let missing = || NotRecognised::variable(name, |variable| OutsideAlgebra::NotInPattern { variable });
        self.variables.get(name).ok_or_else(missing)
    }

    fn variable(&mut self, name: &str) -> usize {
        self.variables.get(name).unwrap_or_else(|| {
            let thing = self.thing();
            self.variables.insert(name, thing);
            thing
        })
    }

    fn thing(&mut self) -> usize {
        self.values.push(ValueNode::default());
        self.facts.push(FactNode::default());
        self.hidden.push(false);
        self.pattern.thing()
    }

    fn term(&mut self, term: &TermPattern) -> Result<usize, NotRecognised> {
        match term {
            TermPattern::Variable(variable) => Ok(self.variable(variable.as_str())),
            TermPattern::BlankNode(node) => Ok(self.variable(&format!("_:{}", node.as_str()))),
            TermPattern::NamedNode(node) => {
                let thing = self.thing();
                self.pattern.things[thing].push(Set::Entity(kqapro_id(node.as_str()).into()));
                Ok(thing)
            }
            _ => Err(NotRecognised::new(OutsideAlgebra::LiteralInRelation)),
        }
    }

    fn triples(&mut self, block: &Block<'q>) -> Result<(), NotRecognised> {
        let mut named: Vec<(usize, String)> = Vec::new();
        let mut classes: Vec<(usize, usize)> = Vec::new();
        let mut plain: Vec<(usize, String, usize)> = Vec::new();
        for triple in &block.triples {
            let subject = self.term(&triple.subject)?;
            let predicate = match &triple.predicate {
                NamedNodePattern::NamedNode(predicate) => predicate.as_str(),
                NamedNodePattern::Variable(variable) => {
                    let object = self.term(&triple.object)?;
                    self.open.push((subject, variable.as_str(), object));
                    continue;
                }
            };
            match predicate {
                kqapro::NAME => named.push((subject, text(&triple.object)?)),
                kqapro::INSTANCE_OF => classes.push((subject, self.term(&triple.object)?)),
                kqapro::UNIT => {
                    once(self.values[subject].unit.replace(text(&triple.object)?).is_none())?;
                    self.values[subject].is_value = true;
                }
                kqapro::VALUE => self.value(subject, kqapro::VALUE, &triple.object)?,
                kqapro::YEAR => self.value(subject, kqapro::YEAR, &triple.object)?,
                kqapro::DATE => self.value(subject, kqapro::DATE, &triple.object)?,
                kqapro::FACT_H => {
                    let end = self.term(&triple.object)?;
                    once(self.facts[subject].subject.replace(end).is_none())?;
                }
                kqapro::FACT_T => {
                    let end = self.term(&triple.object)?;
                    once(self.facts[subject].object.replace(end).is_none())?;
                }
                kqapro::FACT_R => {
                    let TermPattern::NamedNode(relation) = &triple.object else {
                        return Err(NotRecognised::new(OutsideAlgebra::FactRelationVariable));
                    };
                    once(self.facts[subject].property.replace(kqapro_name(relation.as_str())).is_none())?;
                }
                other => {
                    let object = self.term(&triple.object)?;
                    plain.push((subject, kqapro_name(other), object));
                }
            }
            if self.facts[subject].subject.is_none()
                && self.facts[subject].property.is_none()
                && self.facts[subject].object.is_none()
            {
                self.first.get_or_insert(subject);
            }
        }
        self.add_classes_and_names(&classes, named)?;
        self.add_plain(plain);
        Ok(())
    }

    /// Adds the classes of things, which are known by their names, and the names of all other things.
    fn add_classes_and_names(
        &mut self,
        classes: &[(usize, usize)],
        named: Vec<(usize, String)>,
    ) -> Result<(), NotRecognised> {
        for &(thing, class) in classes {
            let names: Vec<_> = named.iter().filter(|(subject, _)| *subject == class).collect();
            let [(_, name)] = names[..] else {
                return Err(NotRecognised::new(OutsideAlgebra::UnnamedClass));
            };
            self.pattern.things[thing].push(Set::Class(name.as_str().into()));
            self.hidden[class] = true;
        }
        for (thing, name) in named {
            if self.values[thing].is_value {
                return Err(NotRecognised::new(OutsideAlgebra::NamedValue));
            }
            if !self.hidden[thing] {
                self.pattern.things[thing].push(Set::Named(name.into()));
            }
        }
        Ok(())
    }

    /// Adds triples with properties of the KB: qualifiers of fact nodes, and facts.
    fn add_plain(&mut self, plain: Vec<(usize, String, usize)>) {
        for (subject, property, object) in plain {
            if self.facts[subject].property.is_some() || self.facts[subject].subject.is_some() {
                self.facts[subject].qualifiers.push((property, object));
                self.hidden[object] = true;
            } else {
                self.pattern.facts.push(PatternFact {
                    subject,
                    property: property.into(),
                    object,
                    conditions: Vec::new(),
                });
            }
        }
    }

    fn value(
        &mut self,
        subject: usize,
        kind: &'static str,
        object: &'q TermPattern,
    ) -> Result<(), NotRecognised> {
        let node = &mut self.values[subject];
        node.is_value = true;
        if !node.kind.is_empty() && (node.kind != kind || node.constant.is_some()) {
            return Err(NotRecognised::new(OutsideAlgebra::TwoValuesOfNode));
        }
        node.kind = kind;
        match object {
            TermPattern::Literal(literal) => node.constant = Some(Namespaces::default().value(literal)),
            TermPattern::Variable(variable) => node.variables.push(variable.as_str()),
            _ => return Err(NotRecognised::new(OutsideAlgebra::IriAsValue)),
        }
        Ok(())
    }

    fn answer(&self, name: &str) -> Result<Ask, NotRecognised> {
        if let [(from, variable, to)] = self.open[..]
            && variable == name
            && self.untested.is_empty()
            && self.unbound.is_empty()
        {
            let (from, to) = self.two_sides(from, to, None)?;
            return Ok(Ask::Relation { from, to });
        }
        let root = self.existing(name)?;
        let asked: Vec<(&FactNode, &String)> = self
            .facts
            .iter()
            .flat_map(|fact| {
                fact.qualifiers.iter().filter(|&&(_, thing)| thing == root).map(move |(key, _)| (fact, key))
            })
            .collect();
        if let ([(fact, qualifier)], true) =
            (&asked[..], self.open.is_empty() && self.unbound.is_empty() && self.untested == [root])
        {
            return self.qualifier_answer(fact, qualifier);
        }
        self.no_open_relation()?;
        if self.is_literal(root) {
            if !self.pattern.things[root].is_empty() {
                return Err(NotRecognised::new(OutsideAlgebra::ConditionOnAskedValue));
            }
            let at: Vec<usize> = self.pattern.facts_at(root).collect();
            let [fact] = at[..] else { return Err(NotRecognised::new(OutsideAlgebra::ValueOfSeveralFacts)) };
            let fact = &self.pattern.facts[fact];
            let rest = self.without(&at, &[root]);
            let of = rest.describe(fact.subject, &[], &self.but(root))?.set;
            return Ok(Ask::Attribute {
                of,
                attribute: fact.property.clone(),
                conditions: fact.conditions.clone(),
            });
        }
        Ok(Ask::Members(self.pattern.describe(root, &[], &self.hidden)?.set))
    }

    /// Whether a thing is a value: it has a value, or its variable is named as KQA Pro names values.
    fn is_literal(&self, thing: usize) -> bool {
        let name = self.variables.name(thing);
        self.values[thing].is_value || name.is_some_and(|name| name.starts_with("pv"))
    }

    fn qualifier_answer(&self, fact: &FactNode, qualifier: &str) -> Result<Ask, NotRecognised> {
        let (Some(subject), Some(property), Some(object)) = (fact.subject, &fact.property, fact.object)
        else {
            return Err(NotRecognised::new(OutsideAlgebra::IncompleteFactNode));
        };
        let place = self
            .pattern
            .facts
            .iter()
            .position(|f| f.subject == subject && f.property == *property && f.object == object);
        let place = place.ok_or_else(|| NotRecognised::new(OutsideAlgebra::FactNotInPattern))?;
        if !self.pattern.facts[place].conditions.is_empty() {
            return Err(NotRecognised::new(OutsideAlgebra::QualifierOfConditionedFact));
        }
        if self.is_literal(object) {
            let [Set::Values(Comparison::Equal, value)] = &self.pattern.things[object][..] else {
                return Err(NotRecognised::new(OutsideAlgebra::QualifierOfOpenFact));
            };
            let of = self.without(&[place], &[object]).describe(subject, &[], &self.but(object))?.set;
            return Ok(Ask::AttributeQualifier {
                of,
                attribute: property.as_str().into(),
                value: value.clone(),
                qualifier: qualifier.into(),
            });
        }
        let (from, to) = self.two_sides(subject, object, Some(place))?;
        Ok(Ask::RelationQualifier {
            from,
            relation: property.as_str().into(),
            to,
            qualifier: qualifier.into(),
        })
    }

    /// The pattern without some facts.
    fn without(&self, facts: &[usize], values: &[usize]) -> Pattern {
        let mut rest = self.pattern.clone();
        let mut number = 0;
        rest.facts.retain(|_| {
            number += 1;
            !facts.contains(&(number - 1))
        });
        for &value in values {
            rest.things[value].clear();
        }
        rest
    }

    fn but(&self, thing: usize) -> Vec<bool> {
        let mut hidden = self.hidden.clone();
        hidden[thing] = true;
        hidden
    }

    /// Describes the two ends of a fact, each by what hangs on its own side.
    fn two_sides(&self, from: usize, to: usize, fact: Option<usize>) -> Result<(Set, Set), NotRecognised> {
        let rest = self.without(&fact.into_iter().collect::<Vec<_>>(), &[]);
        let (left, right) = (rest.reach(from, None), rest.reach(to, None));
        if left[to] {
            return Err(NotRecognised::new(OutsideAlgebra::SeveralConnections));
        }
        let other = |side: &[bool]| {
            side.iter().zip(&self.hidden).map(|(&reached, &hidden)| reached || hidden).collect::<Vec<_>>()
        };
        let one = rest.describe(from, &[], &other(&right))?.set;
        let two = rest.describe(to, &[], &other(&left))?.set;
        Ok((one, two))
    }

    fn superlative(
        &self,
        answer: &Variable,
        ordered: &Variable,
        extreme: crate::query::Extreme,
        mut lost: Vec<Loss>,
    ) -> Result<Recognised, NotRecognised> {
        let root = self.existing(answer.as_str())?;
        let value = self.values.iter().position(|node| node.variables.contains(&ordered.as_str()));
        let not_a_value =
            || NotRecognised::variable(ordered.as_str(), |variable| OutsideAlgebra::NotAValue { variable });
        let value = value.ok_or_else(not_a_value)?;
        if self.unbound != [value] || !self.open.is_empty() || !self.untested.is_empty() {
            return Err(NotRecognised::new(OutsideAlgebra::OpenSuperlative));
        }
        lost.push(Loss::OneOfTies);
        match self.values[value].kind {
            kqapro::VALUE => lost.push(Loss::UnitsIgnored),
            kind => lost.push(Loss::Cast { function: kind.to_owned() }),
        }
        let at: Vec<usize> = self.pattern.facts_at(value).collect();
        let [fact] = at[..] else {
            return Err(NotRecognised::new(OutsideAlgebra::SuperlativeOverSeveralFacts));
        };
        let fact = &self.pattern.facts[fact];
        if fact.subject != root || !fact.conditions.is_empty() || !self.pattern.things[value].is_empty() {
            return Err(NotRecognised::new(OutsideAlgebra::SuperlativeOverOtherValue));
        }
        let attribute = fact.property.clone();
        let set = self.without(&at, &[]).describe(root, &[], &self.but(value))?.set;
        let answer = match set {
            Set::Or(mut branches) if branches.len() == 2 && branches.iter().all(names_something) => {
                let right = branches.pop().unwrap_or(Set::All);
                let left = branches.pop().unwrap_or(Set::All);
                Ask::SelectBetween { left, right, attribute, extreme }
            }
            among => Ask::SelectAmong { among, attribute, extreme },
        };
        Ok(recognised(answer, lost))
    }
}

/// Whether a set is about entities of a given name, as the two sides of a choice are.
fn names_something(set: &Set) -> bool {
    set.conjuncts().iter().any(|part| matches!(part, Set::Named(_) | Set::Entity(_)))
}

/// A second statement about one node cannot be kept.
fn once(first: bool) -> Result<(), NotRecognised> {
    if first { Ok(()) } else { Err(NotRecognised::new(OutsideAlgebra::PartStatedTwice)) }
}

fn text(term: &TermPattern) -> Result<String, NotRecognised> {
    match term {
        TermPattern::Literal(literal) if literal.language().is_none() => Ok(literal.value().to_owned()),
        _ => Err(NotRecognised::new(OutsideAlgebra::NameNotText)),
    }
}
