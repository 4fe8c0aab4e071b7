//! Neighbour KBs: small KBs around a gold query in which near misses of it give other answers. A predicted query that gives the right
//! answer on the whole KB by luck gives a wrong one on some of them.

use crate::degrade::{Degradation, worse_query};
use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::io::Write;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::plan::Plan;
use touchstone_engine::{Answer as Given, Found, Words, embedded};
use touchstone_forge::{Question, Random, with_ids};
use touchstone_kb::export::part;
use touchstone_kb::import::{ImportRequest, Source, import};
use touchstone_kb::{FactId, Kb, NoProgress, NodeId, Property, Value};
use touchstone_logic::dataset::Knowledge;
use touchstone_logic::{Query, Set};

/// The neighbours of one question, as lines of KBs (`docs/kb-lines.md`) without schema and classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distilled {
    /// The question.
    pub id: String,
    /// How many near misses were made.
    pub misses: usize,
    /// How many of them give other answers than gold on some neighbour.
    pub told: usize,
    /// The entities of each neighbour.
    pub neighbours: Vec<Vec<Json>>,
}

/// So many facts make a neighbour.
const MAX_FACTS: usize = 300;
/// So many answers of each query are taken into it.
const MAX_SEEDS: usize = 5;
/// So many neighbours are tried, and so many kept.
const MAX_TRIED: usize = 8;
const MAX_KEPT: usize = 3;

/// Makes neighbours of the gold query of a question; `None` if it cannot be read, or has no near misses.
pub fn distil(kb: &Kb, knowledge: &Knowledge<'_>, question: &Question, seed: u64) -> Option<Distilled> {
    let gold = with_ids(question.query(knowledge)?, kb);
    let mut random = Random::new(seed, &question.id);
    let mut misses: Vec<Query> = Vec::new();
    for (_, degradation) in Degradation::ALL.iter().skip(3).chain(&Degradation::ALL[3..4]) {
        if let Some(miss) = worse_query(&gold, *degradation, &mut random)
            && !misses.contains(&miss)
        {
            misses.push(miss);
        }
    }
    if misses.is_empty() {
        return None;
    }
    let words = Words::new(kb);
    let mut seeds: Vec<NodeId> = Vec::new();
    for query in std::iter::once(&gold).chain(&misses) {
        let nodes = members(&words, query);
        seeds.extend((0..MAX_SEEDS).filter_map(|_| random.choose(&nodes)).map(|&node| NodeId(node)));
    }
    seeds.extend(entities(&gold).iter().filter_map(|id| kb.node(id)));
    let facts = around(kb, &seeds, &question.schema_items);
    let mut tried: Vec<Vec<Json>> = vec![lines(kb, &facts, None)];
    while tried.len() < MAX_TRIED && !facts.is_empty() {
        let &left_out = random.choose(&facts)?;
        tried.push(match random.percent(30) {
            true => changed(lines(kb, &facts, None), &gold, &mut random),
            false => lines(kb, &facts, Some(left_out)),
        });
    }
    let told: Vec<Vec<bool>> = tried.iter().map(|lines| tells(kb, lines, &gold, &misses)).collect();
    // The fewest that tell as much as all: the best one first, then what adds to it.
    let (mut known, mut kept) = (vec![false; misses.len()], Vec::new());
    while kept.len() < MAX_KEPT {
        let gain = |at: &usize| told[*at].iter().zip(&known).filter(|(new, old)| **new && !**old).count();
        let best = (0..tried.len()).max_by_key(|at| (gain(at), std::cmp::Reverse(*at)))?;
        if gain(&best) == 0 {
            break;
        }
        known.iter_mut().zip(&told[best]).for_each(|(known, new)| *known |= new);
        kept.push(tried[best].clone());
    }
    let told = known.iter().filter(|known| **known).count();
    Some(Distilled { id: question.id.clone(), misses: misses.len(), told, neighbours: kept })
}

/// A small KB in a folder of its own.
pub struct Neighbour {
    kb: Kb,
    _folder: tempfile::TempDir,
}

impl Neighbour {
    /// Builds it, with the schema and the classes of the KB that it is a part of.
    pub fn build(of: &Kb, entities: &[Json]) -> Option<Neighbour> {
        let folder = tempfile::tempdir().ok()?;
        let path = folder.path().join("lines.jsonl");
        let mut file = std::io::BufWriter::new(std::fs::File::create(&path).ok()?);
        for line in part(of, &[], &|_| false).iter().chain(entities) {
            writeln!(file, "{line}").ok()?;
        }
        file.flush().ok()?;
        let store = folder.path().join("kb");
        import(&ImportRequest::new(Source::Lines, vec![path]), &store, &NoProgress).ok()?;
        Some(Neighbour { kb: Kb::open(&store).ok()?, _folder: folder })
    }

    /// The answers to a query, sorted; `None` if it cannot be run.
    pub fn answers(&self, query: &Query) -> Option<Vec<Given>> {
        let mut answers = run(&Words::new(&self.kb), query)?.answers(&self.kb);
        answers.sort();
        Some(answers)
    }
}

/// Whether two queries give the same on all neighbours; `None` if none can be built.
pub fn agree(kb: &Kb, neighbours: &[Vec<Json>], gold: &Query, predicted: &Query) -> Option<bool> {
    let mut checked = None;
    for entities in neighbours {
        let Some(neighbour) = Neighbour::build(kb, entities) else { continue };
        let same = neighbour.answers(gold) == neighbour.answers(predicted);
        checked = Some(checked.unwrap_or(true) && same);
    }
    checked
}

fn tells(kb: &Kb, lines: &[Json], gold: &Query, misses: &[Query]) -> Vec<bool> {
    let Some(neighbour) = Neighbour::build(kb, lines) else { return vec![false; misses.len()] };
    let right = neighbour.answers(gold);
    misses.iter().map(|miss| neighbour.answers(miss) != right).collect()
}

fn run<'k>(words: &Words<'k>, query: &Query) -> Option<Found<'k>> {
    let plan = Plan::of(query, words).ok()?;
    let limits = Limits { operations: 1_000_000, ..Limits::none() };
    embedded::run(words.kb(), &plan, &Budget::new(limits)).ok()
}

/// The entities that a query is about: its answers, or the members of the set that it counts.
fn members(words: &Words<'_>, query: &Query) -> Vec<u32> {
    use touchstone_logic::Answer;
    let set = match &query.answer {
        Answer::Count(set) | Answer::Exists(set) => Some(set),
        Answer::Attribute { of, .. } | Answer::Verify { of, .. } | Answer::AttributeQualifier { of, .. } => {
            Some(of)
        }
        _ => None,
    };
    let asked = set.map_or_else(|| query.clone(), |set| Query::new(Answer::Members(set.clone())));
    match run(words, &asked) {
        Some(Found::Things { nodes, .. }) => nodes.to_vec(),
        _ => Vec::new(),
    }
}

fn entities(query: &Query) -> Vec<String> {
    fn visit(set: &Set, found: &mut Vec<String>) {
        if let Set::Entity(id) = set {
            found.push(id.to_string());
        }
        set.children(&mut |child| visit(child, found));
    }
    let mut found = Vec::new();
    query.sets(&mut |set| visit(set, &mut found));
    found
}

/// The facts near some nodes, of the properties of the query only.
fn around(kb: &Kb, seeds: &[NodeId], properties: &[String]) -> Vec<FactId> {
    let is_wanted = |property: Property| properties.iter().any(|id| kb.property_id(property) == id);
    let mut queue: Vec<NodeId> = seeds.to_vec();
    let mut met: HashSet<NodeId> = queue.iter().copied().collect();
    let mut facts: Vec<FactId> = Vec::new();
    let mut at = 0;
    while at < queue.len() && facts.len() < MAX_FACTS {
        let node = queue[at];
        at += 1;
        let mut add = |fact: FactId, other: Option<NodeId>| {
            if !facts.contains(&fact) && facts.len() < MAX_FACTS {
                facts.push(fact);
            }
            if let Some(other) = other.filter(|other| met.insert(*other)) {
                queue.push(other);
            }
        };
        for fact in kb.facts_about(node).filter(|fact| is_wanted(fact.property)).take(20) {
            let other = match fact.value {
                Value::Node(node) => Some(node),
                Value::Literal(_) => None,
            };
            add(fact.id, other);
        }
        for (relation, _) in kb.relations_to(node).filter(|(r, _)| is_wanted(Property::Relation(*r))) {
            let ids = kb.facts_into(relation, node).iter().zip(kb.subjects(relation, node));
            ids.take(10).for_each(|(&fact, &subject)| add(FactId(fact), Some(NodeId(subject))));
        }
    }
    facts
}

/// The entities of some facts, but for one of them.
fn lines(kb: &Kb, facts: &[FactId], left_out: Option<FactId>) -> Vec<Json> {
    let kept: HashSet<FactId> = facts.iter().copied().filter(|fact| Some(*fact) != left_out).collect();
    let mut nodes: Vec<NodeId> = Vec::new();
    for fact in facts.iter().filter_map(|&fact| kb.fact(fact)) {
        nodes.push(fact.subject);
        if let Value::Node(node) = fact.value {
            nodes.push(node);
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    let all = part(kb, &nodes, &|fact| kept.contains(&fact.id));
    all.into_iter().filter(|line| line.get("entity").is_some()).collect()
}

/// With a value moved to the one that the query compares with: that tells less from at most.
fn changed(mut lines: Vec<Json>, gold: &Query, random: &mut Random) -> Vec<Json> {
    let mut compared: HashMap<String, Json> = HashMap::new();
    fn visit(set: &Set, compared: &mut HashMap<String, Json>) {
        if let Set::Relate(relate) = set
            && let Set::Values(_, value) = &relate.from
        {
            let literal = value.literal();
            let json = match (literal.number(), literal.as_time()) {
                (Some(_), _) => Some(json!([literal.text(), literal.unit()])),
                (_, Some(time)) if literal.text().len() == 4 => Some(json!({ "year": time.year() })),
                _ => None,
            };
            compared.extend(json.map(|json| (relate.property.to_string(), json)));
        }
        set.children(&mut |child| visit(child, compared));
    }
    gold.sets(&mut |set| visit(set, &mut compared));
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        for (fact, stated) in line["attributes"].as_array().into_iter().flatten().enumerate() {
            if stated[0].as_str().is_some_and(|id| compared.contains_key(id)) {
                places.push((at, fact));
            }
        }
    }
    if let Some(&(at, fact)) = random.choose(&places) {
        let stated = &mut lines[at]["attributes"][fact];
        let id = stated[0].as_str().unwrap_or_default().to_owned();
        stated[1] = compared[&id].clone();
    }
    lines
}
