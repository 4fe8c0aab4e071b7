//! The simplest evaluator of plans: it tests for every thing of the KB whether it is in the set, and tries every fact. Slow, but too
//! simple to be wrong; faster engines are compared with it.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use touchstone_engine::plan::{
    Extremes, Period, Plan, PlanSet, PlannedAsk, QualifiersOf, RelateTo, SetKind, Side, Test,
};
use touchstone_kb::compare::{order, satisfies};
use touchstone_kb::{
    Comparison, Fact, FactId, Kb, Literal, LiteralFamily, LiteralId, LiteralKind, NodeId, Property,
    RelationId, Value,
};
use touchstone_logic::kopl::readings;
use touchstone_logic::{Direction, Extreme};

/// One answer, in a comparable form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnswerKey {
    /// An entity or a class.
    Node(NodeId),
    /// A literal.
    Literal(LiteralId),
    /// A relation.
    Relation(RelationId),
    /// A count.
    Count(u64),
    /// Yes or no.
    Boolean(bool),
}

/// The answers to a plan.
pub fn answer(kb: &Kb, plan: &Plan) -> BTreeSet<AnswerKey> {
    Naive::new(kb, plan).answer()
}

/// The things that marks denote, as far as known.
type Marks = Vec<Option<Value>>;

/// A choice of marks with which a thing is in a set.
#[derive(Debug, Clone)]
struct Way {
    marks: Marks,
    hold: Hold,
}

/// How much a description restricts a thing. It matters only if a description that restricts nothing is the whole question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hold {
    /// Not at all: as an answer it means the entities.
    Everything,
    /// Only by the absence of dates: as an answer it means entities and classes.
    Nodes,
    /// To particular things.
    Members,
}

struct Naive<'a> {
    kb: &'a Kb,
    plan: &'a Plan,
    things: Vec<Value>,
    by_subject: HashMap<NodeId, Vec<Fact>>,
    by_value: HashMap<Value, Vec<Fact>>,
    /// By the step of a superlative: its winners, with the marks of the solution that won.
    winners: RefCell<HashMap<usize, Winners>>,
}

/// The things that won, with the marks of the solution by which they did.
type Winners = Rc<Vec<(Value, Marks)>>;

impl<'a> Naive<'a> {
    fn new(kb: &'a Kb, plan: &'a Plan) -> Naive<'a> {
        let nodes = kb.nodes().map(Value::Node);
        let literals = (0..kb.n_literals() as u32).map(|id| Value::Literal(LiteralId(id)));
        let (mut by_subject, mut by_value) = (HashMap::new(), HashMap::new());
        for fact in kb.nodes().flat_map(|node| kb.facts_about(node)) {
            by_subject.entry(fact.subject).or_insert_with(Vec::new).push(fact);
            by_value.entry(fact.value).or_insert_with(Vec::new).push(fact);
        }
        let things = nodes.chain(literals).collect();
        Naive { kb, plan, things, by_subject, by_value, winners: RefCell::default() }
    }

    fn answer(&self) -> BTreeSet<AnswerKey> {
        let key = |thing: Value| match thing {
            Value::Node(node) => AnswerKey::Node(node),
            Value::Literal(literal) => AnswerKey::Literal(literal),
        };
        match &self.plan.ask {
            PlannedAsk::Members(set) => self.members(set).into_iter().map(key).collect(),
            PlannedAsk::Count(set) => [AnswerKey::Count(self.members(set).len() as u64)].into(),
            PlannedAsk::Exists(set) => [AnswerKey::Boolean(!self.members(set).is_empty())].into(),
            PlannedAsk::Relations { from, to } => {
                let relation = |fact: &Fact| match fact.property {
                    Property::Relation(relation) => Some(AnswerKey::Relation(relation)),
                    Property::Attribute(_) => None,
                };
                self.facts_between(from, to, None).iter().filter_map(relation).collect()
            }
            PlannedAsk::Qualifiers(of) => {
                let QualifiersOf { from, properties, to, keys } = &**of;
                let facts = self.facts_between(from, to, Some(properties));
                let qualifiers = facts.iter().flat_map(|fact| self.kb.fact_qualifiers(fact.id));
                let asked = qualifiers.filter(|qualifier| keys.contains(&qualifier.key));
                asked.map(|qualifier| qualifier.value).filter(|&v| self.is_fit(v)).map(key).collect()
            }
        }
    }

    /// The members of the set that is asked about that satisfy the side conditions.
    fn members(&self, set: &PlanSet) -> BTreeSet<Value> {
        let mut marks_of_answer = Vec::new();
        let mut inner = set;
        while let SetKind::Marked(mark, set) = &inner.kind {
            marks_of_answer.push(*mark);
            inner = set;
        }
        if let SetKind::Superlative(extremes) = &inner.kind {
            // The side conditions choose the candidates, not the winners.
            let winners = self.find_winners(extremes, &|thing, marks| {
                let mut marks = Some(marks.clone());
                for &mark in &marks_of_answer {
                    marks = marks.and_then(|marks| bound(&marks, mark, thing));
                }
                marks.is_some_and(|marks| self.is_allowed(thing, &marks))
            });
            return winners.into_iter().map(|(thing, _)| thing).collect();
        }
        let is_answer = |thing: Value| {
            self.ways(set, thing, &self.no_marks()).iter().any(|way| {
                let meant = match (way.hold, thing) {
                    (Hold::Everything, Value::Node(node)) => node.index() < self.kb.n_entities(),
                    (Hold::Nodes, Value::Node(_)) | (Hold::Members, _) => true,
                    (_, Value::Literal(_)) => false,
                };
                meant && self.is_allowed(thing, &way.marks)
            })
        };
        self.things.iter().copied().filter(|&thing| is_answer(thing)).collect()
    }

    /// The facts that lead from one set to another.
    fn facts_between(&self, from: &PlanSet, to: &PlanSet, properties: Option<&[Property]>) -> Vec<Fact> {
        let leads = |fact: &Fact| {
            properties.is_none_or(|properties| properties.contains(&fact.property))
                && !self.ways(from, Value::Node(fact.subject), &self.no_marks()).is_empty()
                && !self.ways(to, fact.value, &self.no_marks()).is_empty()
        };
        self.by_subject.values().flatten().filter(|fact| leads(fact)).copied().collect()
    }

    fn no_marks(&self) -> Marks {
        vec![None; self.plan.n_marks]
    }

    /// Whether the inequalities hold, and the answer is English, if required.
    fn is_allowed(&self, answer: Value, marks: &Marks) -> bool {
        let differ = self.plan.different.iter().all(|(a, b)| {
            if [a, b].contains(&&Side::Node(None)) {
                return true;
            }
            let thing = |side: &Side| match side {
                Side::Answer => Some(answer),
                Side::Marked(mark) => marks[*mark],
                Side::Node(node) => node.map(|node| Value::Node(NodeId(node))),
            };
            // A mark without a thing cannot be compared: as in SPARQL, the comparison is not true.
            matches!((thing(a), thing(b)), (Some(a), Some(b)) if a != b)
        });
        differ && self.is_fit(answer)
    }

    fn is_fit(&self, answer: Value) -> bool {
        let Value::Literal(literal) = answer else { return true };
        let literal = self.kb.literal(literal);
        let language = literal.language().to_ascii_lowercase();
        !self.plan.english
            || literal.kind() != LiteralKind::LanguageText
            || language == "en"
            || language.starts_with("en-")
    }

    /// All choices of marks with which a thing is in a set, given some of them.
    fn ways(&self, set: &PlanSet, thing: Value, marks: &Marks) -> Vec<Way> {
        let one = |holds: bool, hold: Hold| {
            holds.then(|| Way { marks: marks.clone(), hold }).into_iter().collect::<Vec<Way>>()
        };
        let marked = |mark: usize, way: Way| {
            let Way { marks, hold } = way;
            bound(&marks, mark, thing).map(|marks| Way { marks, hold })
        };
        match &set.kind {
            SetKind::All => one(true, Hold::Everything),
            SetKind::Nodes(nodes) => {
                one(matches!(thing, Value::Node(node) if nodes.contains(&node.0)), Hold::Members)
            }
            SetKind::Classes(classes) => {
                let is_member = |node: NodeId| classes.iter().any(|&c| self.kb.members(c).contains(&node.0));
                one(matches!(thing, Value::Node(node) if is_member(node)), Hold::Members)
            }
            SetKind::Values(test) => {
                one(matches!(thing, Value::Literal(id) if self.literal_passes(test, id)), Hold::Members)
            }
            SetKind::Relate(relate) => self.related(relate, thing, marks),
            SetKind::And(parts) => {
                let mut ways = one(true, Hold::Everything);
                for part in parts {
                    let next = ways.iter().flat_map(|way| {
                        let more = self.ways(part, thing, &way.marks).into_iter();
                        more.map(move |next| Way { hold: next.hold.max(way.hold), ..next })
                    });
                    ways = next.collect();
                }
                ways
            }
            SetKind::Or(parts) => parts.iter().flat_map(|part| self.ways(part, thing, marks)).collect(),
            SetKind::Superlative(extremes) => {
                let known = self.winners.borrow().get(&set.step).cloned();
                let winners = known.unwrap_or_else(|| {
                    let found = Rc::new(self.find_winners(extremes, &|_, _| true));
                    self.winners.borrow_mut().insert(set.step, Rc::clone(&found));
                    found
                });
                let same = winners.iter().filter(|(winner, _)| *winner == thing);
                let joined = same.filter_map(|(_, own)| both(marks, own));
                joined.map(|marks| Way { marks, hold: Hold::Members }).collect()
            }
            SetKind::During(period) => one(self.is_during(period, thing), Hold::Nodes),
            SetKind::Marked(mark, inner) => {
                self.ways(inner, thing, marks).into_iter().filter_map(|way| marked(*mark, way)).collect()
            }
            SetKind::Same(mark) => {
                marked(*mark, Way { marks: marks.clone(), hold: Hold::Everything }).into_iter().collect()
            }
        }
    }

    fn related(&self, relate: &RelateTo, thing: Value, marks: &Marks) -> Vec<Way> {
        let facts = match (relate.direction, thing) {
            (Direction::Forward, value) => self.by_value.get(&value),
            (Direction::Backward, Value::Node(subject)) => self.by_subject.get(&subject),
            (Direction::Backward, Value::Literal(_)) => None,
        };
        let fits = |fact: &&Fact| {
            relate.properties.contains(&fact.property)
                && relate.conditions.iter().all(|condition| self.fact_passes(condition, fact.id))
        };
        let mut ways = Vec::new();
        for fact in facts.into_iter().flatten().filter(fits) {
            let start = match relate.direction {
                Direction::Forward => Value::Node(fact.subject),
                Direction::Backward => fact.value,
            };
            let found = self.ways(&relate.from, start, marks);
            ways.extend(found.into_iter().map(|way| Way { hold: Hold::Members, ..way }));
        }
        // The same choice may be found through many facts.
        let mut seen = std::collections::HashSet::new();
        ways.retain(|way| seen.insert(way.marks.clone()));
        ways
    }

    /// Whether some qualifier of a fact passes.
    fn fact_passes(&self, test: &Test, fact: FactId) -> bool {
        self.kb.fact_qualifiers(fact).filter(|qualifier| test.keys.contains(&qualifier.key)).any(
            |qualifier| match qualifier.value {
                Value::Literal(literal) => self.literal_passes(test, literal),
                Value::Node(node) => {
                    let label = Literal::text_value(self.kb.label(node));
                    let ordered = !matches!(test.comparison, Comparison::Equal | Comparison::NotEqual);
                    !ordered && self.passes(test, &label)
                }
            },
        )
    }

    fn literal_passes(&self, test: &Test, literal: LiteralId) -> bool {
        self.passes(test, &self.kb.literal(literal))
    }

    fn passes(&self, test: &Test, literal: &Literal<'_>) -> bool {
        let readings =
            if test.value.is_untyped() { readings(&test.value.text) } else { vec![test.value.clone()] };
        readings.iter().any(|reading| satisfies(literal, test.comparison, &reading.literal()) == Ok(true))
    }

    /// Whether something held during a period; a missing start or end is open.
    fn is_during(&self, period: &Period, thing: Value) -> bool {
        let Value::Node(node) = thing else { return true };
        [&period.start, &period.end].into_iter().all(|(properties, test)| {
            let facts = self.by_subject.get(&node).into_iter().flatten();
            let values: Vec<Value> =
                facts.filter(|fact| properties.contains(&fact.property)).map(|fact| fact.value).collect();
            let passes =
                |value: &Value| matches!(value, Value::Literal(id) if self.literal_passes(test, *id));
            values.is_empty() || values.iter().any(passes)
        })
    }

    /// The candidates of a superlative whose values are not beaten by any other.
    fn find_winners(
        &self,
        extremes: &Extremes,
        is_candidate: &dyn Fn(Value, &Marks) -> bool,
    ) -> Vec<(Value, Marks)> {
        let mut contenders: Vec<(Value, Marks, LiteralId)> = Vec::new();
        for &thing in &self.things {
            for way in self.ways(&extremes.of, thing, &self.no_marks()) {
                if !is_candidate(thing, &way.marks) {
                    continue;
                }
                let start = extremes.start.and_then(|mark| way.marks[mark]).unwrap_or(thing);
                for literal in self.values_at_end(extremes, start) {
                    contenders.push((thing, way.marks.clone(), literal));
                }
            }
        }
        let better = match extremes.extreme {
            Extreme::Max => std::cmp::Ordering::Greater,
            Extreme::Min => std::cmp::Ordering::Less,
        };
        let values: BTreeSet<LiteralId> = contenders.iter().map(|contender| contender.2).collect();
        let beats =
            |a: LiteralId, b: LiteralId| order(&self.kb.literal(a), &self.kb.literal(b)) == Some(better);
        let unbeaten: BTreeSet<LiteralId> = values
            .iter()
            .copied()
            .filter(|&value| !values.iter().any(|&other| beats(other, value)))
            .collect();
        let winners = contenders.into_iter().filter(|contender| unbeaten.contains(&contender.2));
        let mut winners: Vec<(Value, Marks)> = winners.map(|(thing, marks, _)| (thing, marks)).collect();
        winners.sort();
        winners.dedup();
        winners
    }

    /// The candidate values at the end of a superlative's path.
    fn values_at_end(&self, extremes: &Extremes, start: Value) -> BTreeSet<LiteralId> {
        let mut level = BTreeSet::from([start]);
        for (properties, direction) in &extremes.path {
            let mut next = BTreeSet::new();
            for thing in level {
                let facts = match (direction, thing) {
                    (Direction::Forward, Value::Node(subject)) => self.by_subject.get(&subject),
                    (Direction::Forward, Value::Literal(_)) => None,
                    (Direction::Backward, value) => self.by_value.get(&value),
                };
                for fact in facts.into_iter().flatten().filter(|fact| properties.contains(&fact.property)) {
                    next.insert(match direction {
                        Direction::Forward => fact.value,
                        Direction::Backward => Value::Node(fact.subject),
                    });
                }
            }
            level = next;
        }
        let Some(measure) = extremes.path.last().and_then(|(properties, _)| self.measure(properties)) else {
            return BTreeSet::new();
        };
        let competes = |literal: &Literal<'_>| {
            let kind = (literal.kind().family(), literal.unit().to_owned());
            kind == measure
        };
        let literals = level.into_iter().filter_map(|thing| match thing {
            Value::Literal(literal) => Some(literal),
            Value::Node(_) => None,
        });
        literals.filter(|&literal| competes(&self.kb.literal(literal))).collect()
    }

    /// The candidate values: quantities in the usual unit of the attribute, or times if there are none. If a name denotes several attributes,
    /// the first with such values decides.
    fn measure(&self, properties: &[Property]) -> Option<(LiteralFamily, String)> {
        properties.iter().find_map(|&property| {
            let Property::Attribute(attribute) = property else { return None };
            let usual = self.kb.attribute_unit(attribute);
            let facts = self.by_subject.values().flatten().filter(|fact| fact.property == property);
            let literals: Vec<Literal<'_>> = facts
                .filter_map(|fact| match fact.value {
                    Value::Literal(literal) => Some(self.kb.literal(literal)),
                    Value::Node(_) => None,
                })
                .collect();
            let quantity = |literal: &Literal<'_>| literal.number().is_some() && literal.unit() == usual;
            if literals.iter().any(quantity) {
                Some((LiteralFamily::Quantity, usual.to_owned()))
            } else if literals.iter().any(|literal| literal.as_time().is_some()) {
                Some((LiteralFamily::Time, String::new()))
            } else {
                None
            }
        })
    }
}

/// Marks with one more; `None` if it already denotes something else.
fn bound(marks: &Marks, mark: usize, thing: Value) -> Option<Marks> {
    let mut marks = marks.clone();
    match marks[mark] {
        Some(known) if known != thing => None,
        _ => {
            marks[mark] = Some(thing);
            Some(marks)
        }
    }
}

/// The union of two lists of marks; `None` if they contradict each other.
fn both(a: &Marks, b: &Marks) -> Option<Marks> {
    let mut marks = a.clone();
    for (mark, thing) in b.iter().enumerate() {
        if let Some(thing) = thing {
            marks = bound(&marks, mark, *thing)?;
        }
    }
    Some(marks)
}
