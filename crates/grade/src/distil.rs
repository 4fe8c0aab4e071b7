//! Makes neighbours of a KB on which near misses of a gold query give different answers from gold. A predicted query that gives the right
//! answer by luck gives a wrong one on some of them. If possible, one of them changes gold's own answers, because the answers of an
//! unrelated query with the same answers would not change.
//!
//! Facts around the gold graph, starting with those that make its answers true, are removed, moved to other subjects, given other values, or
//! moved across the value that the query compares with. Added facts fit the
//! schema: the subject already has the property or is in its domain, and the value is one that the property has elsewhere. So a
//! query that differs from gold only by what the schema implies is not considered lucky.

use crate::degrade::{Degradation, worse_query};
use crate::grade_error::{GradeError, NeedsKb, io};
use crate::neighbour::{Neighbour, facts_of_triple, run};
use crate::witness_facts::WitnessFacts;
use hashbrown::HashSet;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use touchstone_benchmark::{OpenBenchmark, Question, Random};
use touchstone_engine::plan::Plan;
use touchstone_engine::{Found, QueryContext, Words};
use touchstone_kb::output::OutputFile;
use touchstone_kb::{
    AttributeId, Change, Fact, FactId, Kb, LiteralId, NodeId, Progress, Property, Value, cache_dir,
};
use touchstone_logic::Knowledge;
use touchstone_logic::with_ids;
use touchstone_logic::{Ask, Query, Set, Value as Written, Vocabulary};

/// The neighbours of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distilled {
    /// The question.
    pub id: String,
    /// Number of near misses.
    pub misses: usize,
    /// Number of near misses whose answers differ from gold's on some neighbour.
    #[serde(alias = "told")]
    pub distinguished: usize,
    /// Number of near misses that give gold's answers on the unchanged KB: only these can be right by luck.
    pub lucky: usize,
    /// Number of these whose answers differ from gold's on some neighbour.
    #[serde(alias = "lucky_told")]
    pub lucky_distinguished: usize,
    /// Whether gold's answers on some neighbour differ from those on the unchanged KB.
    #[serde(default)]
    pub moves_gold: bool,
    /// The smallest set of neighbours that distinguishes as many near misses from gold as all that were tried, and changes gold's answers
    /// if one of them does.
    pub neighbours: Vec<Neighbour>,
}

/// Maximum number of facts around the gold graph to consider, and of adjacent facts to remove at once.
const MAX_FACTS: usize = 300;
const MAX_REMOVED: usize = 40;
/// Maximum number of facts of one property to use at one node.
const MAX_FAN: usize = 10;
/// Maximum number of answers of each query whose neighbourhood is searched.
const MAX_SEEDS: usize = 5;
/// Maximum and minimum number of neighbours to try: after the minimum, only near misses that are not distinguished yet are run.
const MAX_TRIED: usize = 60;
const TRIED_IN_FULL: usize = 12;
/// Maximum number of operations of all queries of one question together.
const MAX_OPERATIONS: u64 = 20_000_000;

/// Configuration of `distil`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DistilConfig {
    /// Maximum number of questions.
    pub limit: usize,
    /// The same seed makes the same neighbours.
    pub seed: u64,
    /// The file of neighbours.
    pub out: PathBuf,
    /// Replace the file even if Touchstone did not write it or it was changed since.
    pub force: bool,
}

/// Writes neighbours of the KB for the selected questions of a benchmark.
pub fn distil_benchmark(
    open: &OpenBenchmark,
    config: &DistilConfig,
    progress: &dyn Progress,
) -> Result<Vec<Distilled>, GradeError> {
    let mut file = OutputFile::reserve(&config.out, Some(&cache_dir()), config.force)?;
    let kb = open.kb.as_ref().ok_or(GradeError::NoKb(NeedsKb::Distil))?;
    let context = QueryContext::new(Some(kb), open.ontology.as_ref()).without_suggestions();
    let knowledge = context.knowledge();
    let mut questions = open.questions()?;
    questions.truncate(config.limit);
    progress.stage("making neighbours", Some(questions.len() as u64));
    let distil_one = |question: &&Question| {
        progress.advance(1);
        if progress.cancelled() { None } else { distil(kb, &knowledge, question, config.seed) }
    };
    let found: Vec<Distilled> = questions.par_iter().filter_map(distil_one).collect();
    if progress.cancelled() {
        return Err(GradeError::Cancelled);
    }
    let line = |distilled: &Distilled| serde_json::to_string(distilled).map(|line| line + "\n");
    let text: Result<String, _> = found.iter().map(line).collect();
    let written = text.map_err(std::io::Error::from).and_then(|text| file.write_all(text.as_bytes()));
    written.map_err(io("write", &config.out))?;
    file.commit()?;
    Ok(found)
}

/// Makes neighbours for the gold query of a question; `None` if it cannot be parsed or run, or if there is nothing to
/// distinguish it from.
pub fn distil(kb: &Kb, knowledge: &Knowledge<'_>, question: &Question, seed: u64) -> Option<Distilled> {
    let gold = with_ids(question.query(knowledge)?, kb);
    let mut random = Random::new(seed, &question.id);
    let misses = near_misses(&gold, knowledge.words, &mut random);
    let words = Words::new(kb).without_suggestions();
    let mut contest = Contest {
        gold: Plan::of(&gold, &words).ok()?,
        misses: misses.iter().map(|miss| Plan::of(miss, &words).ok()).collect(),
        operations: 0,
    };
    let all: Distinguished = (1 << misses.len()) - 1;
    let (distinguished_here, answers) = contest.distinguish(kb, all)?;
    let lucky = all & !distinguished_here;
    let mut changes = Changes::around(kb, &words, question, &gold, &misses, random);
    let mut tried: Vec<Tried> = Vec::new();
    // Gold with its answers on the unchanged KB is one more query to distinguish from gold.
    let still: Distinguished = 1 << misses.len();
    let mut known: Distinguished = 0;
    for number in 0..MAX_TRIED {
        let is_enough = known == all | still && number >= TRIED_IN_FULL;
        if is_enough || contest.operations > MAX_OPERATIONS {
            break;
        }
        let Some(change) = changes.next(number) else { continue };
        let wanted = if number < TRIED_IN_FULL { all } else { all & !known };
        let Ok(neighbour) = kb.overlay(&change) else { continue };
        let Some((mut distinguished, given)) = contest.distinguish(&neighbour, wanted) else { continue };
        let moves_gold = given != answers;
        distinguished |= if moves_gold { still } else { 0 };
        if distinguished != 0 {
            known |= distinguished;
            tried.push(Tried { change, distinguished, moves_gold });
        }
    }
    if misses.is_empty() && tried.is_empty() {
        return None;
    }
    let kept = fewest(&tried, known);
    Some(Distilled {
        id: question.id.clone(),
        misses: misses.len(),
        distinguished: (known & all).count_ones() as usize,
        lucky: lucky.count_ones() as usize,
        lucky_distinguished: (known & lucky).count_ones() as usize,
        moves_gold: known & still != 0,
        neighbours: kept.iter().map(|&at| Neighbour::of(kb, &tried[at].change)).collect(),
    })
}

/// The near misses that are distinguished from gold: one bit each.
type Distinguished = u32;

/// A change, and its effect.
struct Tried {
    change: Change,
    distinguished: Distinguished,
    /// Gold's answers differ from those on the unchanged KB: a query that is right without any relation to gold is then wrong.
    moves_gold: bool,
}

fn near_misses(gold: &Query, words: &dyn Vocabulary, random: &mut Random) -> Vec<Query> {
    let mut misses: Vec<Query> = Vec::new();
    for (_, degradation) in Degradation::ALL.iter().skip(3).chain(&Degradation::ALL[3..4]) {
        if let Some(miss) = worse_query(gold, *degradation, words, random)
            && !misses.contains(&miss)
        {
            misses.push(miss);
        }
    }
    misses
}

/// Compares gold with its near misses. Plans are made once: they are valid for the KB and all its overlays.
struct Contest {
    gold: Plan,
    /// `None` for a near miss that cannot be run at all.
    misses: Vec<Option<Plan>>,
    operations: u64,
}

impl Contest {
    /// The near misses whose result differs from gold's, and the result of gold; `None` if gold exceeds the limits. A near miss that
    /// exceeds them is not distinguished: its result is unknown.
    fn distinguish<'k>(&mut self, kb: &'k Kb, wanted: Distinguished) -> Option<(Distinguished, Found<'k>)> {
        let (right, spent) = run(kb, &self.gold);
        self.operations += spent;
        let right = right.ok()?;
        let mut distinguished = 0;
        for (at, miss) in self.misses.iter().enumerate().filter(|(at, _)| wanted & (1 << at) != 0) {
            let differs = match miss {
                None => true,
                Some(miss) => {
                    let (found, spent) = run(kb, miss);
                    self.operations += spent;
                    found.is_ok_and(|found| found != right)
                }
            };
            distinguished |= Distinguished::from(differs) << at;
        }
        Some((distinguished, right))
    }
}

/// The smallest set of tried neighbours that distinguishes all that can be distinguished; among ties, the one with the most neighbours that
/// change gold's answers, then the one with the smallest changes.
fn fewest(tried: &[Tried], known: Distinguished) -> Vec<usize> {
    // For each set that can be distinguished together, the best choice so far: its size, how many of them keep gold's answers, the size of
    // the changes; the choice.
    let mut best: BTreeMap<Distinguished, ([usize; 3], Vec<usize>)> =
        BTreeMap::from([(0, ([0; 3], Vec::new()))]);
    for (at, Tried { change, distinguished, moves_gold }) in tried.iter().enumerate() {
        let size = change.removed.len() + change.added.len();
        for (before, ([n, n_still, total], chosen)) in best.clone() {
            let cost = [n + 1, n_still + usize::from(!moves_gold), total + size];
            if best.get(&(before | distinguished)).is_none_or(|(other, _)| cost < *other) {
                best.insert(before | distinguished, (cost, chosen.into_iter().chain([at]).collect()));
            }
        }
    }
    best.remove(&known).map(|(_, chosen)| chosen).unwrap_or_default()
}

/// Generates changes around the gold graph.
struct Changes<'k> {
    kb: &'k Kb,
    random: Random,
    /// Facts of the query's properties. The first `n_near` make gold's answers true, or, if there are none, are adjacent to them.
    facts: Vec<Fact>,
    n_near: usize,
    /// Facts that are necessary for something to be an answer.
    supports: Vec<Vec<Fact>>,
    /// Subjects that a fact may be moved to: subjects of those facts, and members of the classes in the query.
    subjects: Vec<NodeId>,
    /// Critical values of the comparisons in the query: the compared value, and the nearest ones above and below.
    thresholds: Vec<(AttributeId, Vec<LiteralId>)>,
}

impl<'k> Changes<'k> {
    fn around(
        kb: &'k Kb,
        words: &Words<'_>,
        question: &Question,
        gold: &Query,
        misses: &[Query],
        mut random: Random,
    ) -> Changes<'k> {
        let ids = question.schema_items.iter();
        let properties: Vec<Property> = ids
            .flat_map(|id| {
                let relation = kb.relation(id).map(Property::Relation);
                relation.into_iter().chain(kb.attribute(id).map(Property::Attribute))
            })
            .collect();
        let named = named(gold);
        let some = |nodes: &[u32], random: &mut Random| -> Vec<NodeId> {
            (0..MAX_SEEDS).filter_map(|_| random.choose(nodes)).map(|&node| NodeId(node)).collect()
        };
        let answers = some(&members(words, gold), &mut random);
        let entities = named.entities.iter().filter_map(|id| kb.node(id));
        let mut seeds: Vec<NodeId> = answers.iter().copied().chain(entities).collect();
        for miss in misses {
            seeds.extend(some(&members(words, miss), &mut random));
        }
        let mut facts = around(kb, &seeds, &properties);
        let is_near = |fact: &Fact| {
            answers.contains(&fact.subject)
                || matches!(fact.value, Value::Node(node) if answers.contains(&node))
        };
        let witnesses = WitnessFacts::of(words, gold, &mut random);
        let witness_ids: HashSet<FactId> = witnesses.facts.iter().map(|fact| fact.id).collect();
        facts.retain(|fact| !witness_ids.contains(&fact.id));
        facts.sort_by_key(|fact| !is_near(fact));
        let n_near = match witnesses.facts.len() {
            0 => facts.iter().filter(|fact| is_near(fact)).count(),
            n_witnesses => n_witnesses,
        };
        let facts: Vec<Fact> = witnesses.facts.into_iter().chain(facts).collect();
        let domains = properties.iter().filter_map(|&property| domain(kb, property));
        let classes = domains.chain(named.classes.iter().filter_map(|id| kb.class(id)));
        let mut subjects: Vec<NodeId> = facts.iter().map(|fact| fact.subject).chain(answers).collect();
        for class in classes {
            subjects.extend(some(kb.members(class), &mut random));
        }
        subjects.sort_unstable();
        subjects.dedup();
        let thresholds = named.compared.iter().filter_map(|(id, value)| {
            let attribute = kb.attribute(id)?;
            Some((attribute, turning_points(kb, attribute, value)))
        });
        let thresholds = thresholds.filter(|(_, values)| !values.is_empty()).collect();
        Changes { kb, random, facts, n_near, supports: witnesses.supports, subjects, thresholds }
    }

    /// The next change; `None` if nothing can be changed in this way.
    fn next(&mut self, number: usize) -> Option<Change> {
        let mut change = Change::default();
        match number % 7 {
            0 => self.remove_one(&mut change),
            1 => self.add_one(&mut change),
            2 => self.move_value(&mut change),
            3 => self.remove_share(&mut change),
            4 => self.remove_support(&mut change),
            5 => self.add_value(&mut change),
            _ => {
                self.remove_one(&mut change);
                self.add_one(&mut change);
                self.add_one(&mut change);
                self.move_value(&mut change);
            }
        }
        change.removed.sort_unstable();
        change.removed.dedup();
        change.added.sort_unstable();
        change.added.dedup();
        (change != Change::default()).then_some(change)
    }

    fn fact(&mut self) -> Option<Fact> {
        let near = self.n_near > 0 && self.random.percent(70);
        let from = if near { &self.facts[..self.n_near] } else { &self.facts[..] };
        self.random.choose(from).copied()
    }

    fn remove(&self, fact: &Fact, change: &mut Change) {
        change.removed.extend(facts_of_triple(self.kb, (fact.subject, fact.property, fact.value)));
    }

    fn remove_one(&mut self, change: &mut Change) {
        if let Some(fact) = self.fact() {
            self.remove(&fact, change);
        }
    }

    /// All facts by which something satisfies a constraint of the query.
    fn remove_support(&mut self, change: &mut Change) {
        if let Some(facts) = self.random.choose(&self.supports) {
            facts.iter().for_each(|fact| self.remove(fact, change));
        }
    }

    /// A share of the facts near gold's answers, and of the adjacent ones.
    fn remove_share(&mut self, change: &mut Change) {
        let share = 20 + 10 * self.random.below(5) as u64;
        let n = self.facts.len().min(2 * MAX_REMOVED);
        let mut removed: Vec<Fact> = Vec::new();
        for at in 0..n {
            if removed.len() < MAX_REMOVED && self.random.percent(share) {
                removed.push(self.facts[at]);
            }
        }
        removed.iter().for_each(|fact| self.remove(fact, change));
    }

    /// Copies a fact to another subject, which then satisfies one constraint, and possibly not the others.
    fn add_one(&mut self, change: &mut Change) {
        // Not every subject fits every fact, so try a few times.
        for _ in 0..8 {
            let (Some(fact), Some(&subject)) = (self.fact(), self.random.choose(&self.subjects)) else {
                return;
            };
            let triple = (subject, fact.property, fact.value);
            let fits = !self.kb.facts_of(subject, fact.property).is_empty()
                || domain(self.kb, fact.property).is_some_and(|class| self.kb.is_member(subject, class));
            if fits && facts_of_triple(self.kb, triple).is_empty() {
                change.added.push(triple);
                return;
            }
        }
    }

    /// Adds to a subject the value of another fact of the same property.
    fn add_value(&mut self, change: &mut Change) {
        let Some(fact) = self.fact() else { return };
        let others = self.facts.iter().filter(|other| other.property == fact.property);
        let others: Vec<Value> =
            others.map(|other| other.value).filter(|value| *value != fact.value).collect();
        let Some(&value) = self.random.choose(&others) else { return };
        let triple = (fact.subject, fact.property, value);
        if facts_of_triple(self.kb, triple).is_empty() {
            change.added.push(triple);
        }
    }

    /// Moves a value across the compared value; without comparisons, to the value of another fact.
    fn move_value(&mut self, change: &mut Change) {
        let threshold = self.random.choose(&self.thresholds).cloned();
        let of_attribute = |fact: &&Fact| match (&threshold, fact.property) {
            (Some((attribute, _)), Property::Attribute(found)) => found == *attribute,
            (None, Property::Attribute(_)) => true,
            _ => false,
        };
        let places: Vec<Fact> = self.facts.iter().filter(of_attribute).copied().collect();
        let Some(&fact) = self.random.choose(&places) else { return };
        let value = match &threshold {
            Some((_, values)) => self.random.choose(values).map(|&value| Value::Literal(value)),
            None => {
                let others = places.iter().filter(|other| other.property == fact.property);
                let others: Vec<Value> = others.map(|other| other.value).collect();
                self.random.choose(&others).copied()
            }
        };
        if let Some(value) = value.filter(|value| *value != fact.value) {
            self.remove(&fact, change);
            change.added.push((fact.subject, fact.property, value));
        }
    }
}

fn domain(kb: &Kb, property: Property) -> Option<touchstone_kb::ClassId> {
    match property {
        Property::Relation(relation) => kb.relation_domain(relation),
        Property::Attribute(attribute) => kb.attribute_domain(attribute),
    }
}

/// The value that a query compares with, if it is in the KB, and the nearest values of the attribute.
fn turning_points(kb: &Kb, attribute: AttributeId, value: &Written) -> Vec<LiteralId> {
    let literal = value.literal();
    let exact = kb.find_literal(&literal);
    let column = kb.facts_by_value(attribute);
    let at = column.positions(0..kb.literal_position(&literal)).end;
    // Several facts may have the same value, and a year precedes the dates in it.
    let above = (at..column.len()).map(|at| column.value(at)).filter(|found| Some(*found) != exact);
    let below = (0..at).rev().map(|at| column.value(at));
    let comparable =
        |found: &LiteralId| touchstone_kb::compare::order(&kb.literal(*found), &literal).is_some();
    let mut points: Vec<LiteralId> = exact.into_iter().collect();
    points.extend(above.take(MAX_FAN).find(comparable));
    points.extend(below.take(MAX_FAN).find(comparable));
    points
}

/// The entities that a query is about: its answers, or the members of the set that it counts.
fn members(words: &Words<'_>, query: &Query) -> Vec<u32> {
    let set = match &query.answer {
        Ask::Count(set) | Ask::Exists(set) => Some(set),
        Ask::Attribute { of, .. } | Ask::Verify { of, .. } | Ask::AttributeQualifier { of, .. } => Some(of),
        _ => None,
    };
    let asked = set.map_or_else(|| query.clone(), |set| Query::new(Ask::Members(set.clone())));
    let plan = Plan::of(&asked, words);
    match plan.map(|plan| run(words.kb(), &plan).0) {
        Ok(Ok(Found::Things { nodes, .. })) => nodes.to_vec(),
        _ => Vec::new(),
    }
}

/// The names in a query: entities, classes, and attributes with the values that it compares them with.
#[derive(Default)]
struct Named {
    entities: Vec<String>,
    classes: Vec<String>,
    compared: Vec<(String, Written)>,
}

fn named(query: &Query) -> Named {
    fn visit(set: &Set, named: &mut Named) {
        match set {
            Set::Entity(id) => named.entities.push(id.to_string()),
            Set::Class(id) => named.classes.push(id.to_string()),
            Set::Relate(relate) => {
                if let Set::Values(_, value) = &relate.from {
                    named.compared.push((relate.property.to_string(), *value.clone()));
                }
            }
            _ => {}
        }
        set.children(&mut |child| visit(child, named));
    }
    let mut named = Named::default();
    if let Ask::Verify { attribute, value, .. } = &query.answer {
        named.compared.push((attribute.to_string(), *value.clone()));
    }
    query.sets(&mut |set| visit(set, &mut named));
    named
}

/// The facts of some properties near some nodes, nearest first.
fn around(kb: &Kb, seeds: &[NodeId], properties: &[Property]) -> Vec<Fact> {
    let mut queue: Vec<NodeId> = Vec::new();
    let mut met: HashSet<NodeId> = HashSet::new();
    queue.extend(seeds.iter().filter(|node| met.insert(**node)));
    let (mut facts, mut known): (Vec<Fact>, HashSet<FactId>) = (Vec::new(), HashSet::new());
    let mut at = 0;
    while at < queue.len() && facts.len() < MAX_FACTS {
        let node = queue[at];
        at += 1;
        for &property in properties {
            let about = kb.facts_of(node, property).take(2 * MAX_FAN);
            let into = match property {
                Property::Relation(relation) => kb.facts_into(relation, node),
                Property::Attribute(_) => &[],
            };
            for id in about.chain(into.iter().copied().take(MAX_FAN)).map(FactId) {
                let Some(fact) = kb.fact(id).filter(|_| facts.len() < MAX_FACTS && known.insert(id)) else {
                    continue;
                };
                facts.push(fact);
                let ends =
                    [Some(fact.subject), if let Value::Node(node) = fact.value { Some(node) } else { None }];
                queue.extend(ends.into_iter().flatten().filter(|end| met.insert(*end)));
            }
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_few_as_possible_are_kept() {
        let tried = |size: u32, distinguished: Distinguished, moves_gold: bool| {
            let change = Change { removed: (0..size).map(FactId).collect(), added: Vec::new() };
            Tried { change, distinguished, moves_gold }
        };
        let all = [
            tried(9, 0b0111, true),
            tried(1, 0b0011, true),
            tried(1, 0b1100, true),
            tried(5, 0b1111, true),
            tried(4, 0b1111, true),
            tried(2, 0b1111, false),
        ];
        assert_eq!(fewest(&all, 0b1111), [4], "the smallest of those that move gold");
        assert_eq!(fewest(&all[..3], 0b1111), [1, 2]);
        assert_eq!(fewest(&all[..1], 0b0111), [0]);
        assert!(fewest(&[], 0).is_empty());
    }
}
