//! Replays the search of GrailQA's evaluator, to reproduce a bug of its node test.
//!
//! The test *removes* function and time constraint from both nodes if their ids are equal. When the search
//! returns to a node, nothing is left that could differ, or what should agree is missing on one side. The verdict therefore
//! depends on the order in which VF2 in networkx tries pairs: on the order in which the graphs were built, and
//! on the order of small integers in a Python set. Both are reproduced here.

use super::graph::{Graph, Node, Step};
use crate::ontology::{NO_NAME, NameId};

/// Maximum number of nodes of a graph to replay. Real graphs have at most ten.
pub(super) const MAX_NODES: usize = 64;
/// Maximum work of a replay: the search is exponential on graphs with many equal nodes. Trying a pair is one unit of work, and
/// accepting it is one unit for each node of the graph.
const MAX_WORK: usize = 100_000;

/// The verdict of the evaluator, or `None` if the replay would take too long.
pub(super) fn replay(one: &Graph, two: &Graph) -> Option<bool> {
    if one.nodes.len() != two.nodes.len() {
        return Some(false);
    }
    if one.nodes.len() > MAX_NODES {
        return None;
    }
    Search::new(Network::new(one), Network::new(two)).run()
}

/// A graph with the iteration orders of networkx.
struct Network {
    nodes: Vec<Node>,
    /// The nodes in iteration order.
    order: Vec<usize>,
    /// The integer of the node in Python.
    numbers: Vec<usize>,
    /// The edges in the order in which they were added to the adjacency lists.
    edges: Vec<(usize, usize)>,
    /// The relation from one node to another.
    relations: Vec<[NameId; MAX_NODES]>,
    /// The sets of a node's successors and predecessors.
    after: Vec<u64>,
    before: Vec<u64>,
}

/// A part of a [`Network`] under construction.
struct Part {
    /// The nodes by their number in Python.
    numbered: Vec<usize>,
    order: Vec<usize>,
    edges: Vec<(usize, usize)>,
}

impl Part {
    /// The edges in the iteration order of networkx, which is also the order in a copy of the graph: by source.
    fn iterated(&self) -> Vec<(usize, usize)> {
        let of = |&node: &usize| self.edges.iter().filter(move |edge| edge.0 == node).copied();
        self.order.iter().flat_map(of).collect()
    }

    /// The union with a part that shares the node `shared`.
    fn compose(self, other: Part, shared: usize, numbered: Vec<usize>) -> Part {
        let edges = [self.iterated(), other.iterated()].concat();
        let mut order = self.order;
        order.extend(other.order.into_iter().filter(|&node| node != shared));
        Part { numbered, order, edges }
    }
}

impl Network {
    fn new(graph: &Graph) -> Network {
        let place = |node: u32| graph.place(node) as usize;
        let mut parts: Vec<Part> = Vec::new();
        for &step in &graph.steps {
            let part = match step {
                Step::One(node) => {
                    Part { numbered: vec![place(node)], order: vec![place(node)], edges: Vec::new() }
                }
                Step::Two(range, domain, has_inverse) => {
                    let (range, domain) = (place(range), place(domain));
                    let mut edges = vec![(domain, range)];
                    edges.extend(has_inverse.then_some((range, domain)));
                    Part { numbered: vec![range, domain], order: vec![range, domain], edges }
                }
                Step::Reverse => {
                    let Some(mut part) = parts.pop() else { continue };
                    part.edges = part.iterated();
                    part.numbered.reverse();
                    part
                }
                Step::Join | Step::And => {
                    let (Some(two), Some(one)) = (parts.pop(), parts.pop()) else { continue };
                    let Some((&shared, rest)) = two.numbered.split_last() else { continue };
                    let numbered = match step {
                        Step::Join => [&two.numbered, &one.numbered[1..]].concat(),
                        _ => [rest, &one.numbered].concat(),
                    };
                    one.compose(two, shared, numbered)
                }
            };
            parts.push(part);
        }
        let whole =
            parts.pop().unwrap_or(Part { numbered: Vec::new(), order: Vec::new(), edges: Vec::new() });
        let n = graph.nodes.len();
        let mut network = Network {
            nodes: graph.nodes.clone(),
            order: whole.order,
            numbers: vec![0; n],
            edges: whole.edges,
            relations: vec![[NO_NAME; MAX_NODES]; n],
            after: vec![0; n],
            before: vec![0; n],
        };
        whole.numbered.into_iter().zip(1..).for_each(|(node, number)| network.numbers[node] = number);
        for link in &graph.links {
            let (from, to) = (link.from as usize, link.to as usize);
            network.relations[from][to] = link.forward;
            network.relations[to][from] = link.back;
        }
        for &(from, to) in &network.edges {
            network.after[from] |= 1 << to;
            network.before[to] |= 1 << from;
        }
        network
    }

    fn successors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.edges.iter().filter(move |edge| edge.0 == node).map(|edge| edge.1)
    }

    fn predecessors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.edges.iter().filter(move |edge| edge.1 == node).map(|edge| edge.0)
    }

    /// The nodes in the iteration order of a Python set to which they were added in this order.
    fn as_set(&self, nodes: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut by_number = [0; MAX_NODES + 1];
        self.numbers.iter().enumerate().for_each(|(node, &number)| by_number[number] = node);
        let mut set = PythonSet::default();
        nodes.for_each(|node| set.insert(self.numbers[node]));
        set.slots.into_iter().filter(|&number| number != 0).map(|number| by_number[number]).collect()
    }
}

/// One graph's side of a partial mapping.
#[derive(Clone, Copy, Default)]
struct Side {
    mapped: u64,
    /// Mapped nodes and nodes with an edge to one.
    reaching: u64,
    /// Mapped nodes and nodes with an edge from one.
    reached: u64,
}

impl Side {
    /// Numbers of neighbours that are at the frontier of the mapping, in three senses.
    fn counts(self, neighbours: u64) -> [u32; 3] {
        let reaching = neighbours & self.reaching & !self.mapped;
        let reached = neighbours & self.reached & !self.mapped;
        let new = neighbours & !self.reaching & !self.reached;
        [reaching.count_ones(), reached.count_ones(), new.count_ones()]
    }
}

/// A level of the search.
struct Level {
    /// The pairs to try: these nodes of the first graph, in this order, with one of the second.
    candidates: Vec<usize>,
    next: usize,
    partner: usize,
    /// The mapping before this level's pair.
    sides: [Side; 2],
    n_reaching: usize,
    n_reached: usize,
}

struct Search {
    one: Network,
    two: Network,
    /// The pairs so far.
    pairs: Vec<(usize, usize)>,
    sides: [Side; 2],
    /// The first graph's sets in the order of Python's dictionaries.
    reaching: Vec<usize>,
    reached: Vec<usize>,
}

impl Search {
    fn new(one: Network, two: Network) -> Search {
        let sides = [Side::default(); 2];
        Search { one, two, pairs: Vec::new(), sides, reaching: Vec::new(), reached: Vec::new() }
    }

    fn run(mut self) -> Option<bool> {
        let n = self.one.nodes.len();
        let mut levels = vec![self.level()];
        let mut work = 0;
        while work < MAX_WORK {
            work += 1;
            let Some(level) = levels.last_mut() else { return Some(false) };
            let Some(&candidate) = level.candidates.get(level.next) else {
                levels.pop();
                // Undo the pair that led to the level.
                if let Some(level) = levels.last() {
                    self.pairs.pop();
                    self.sides = level.sides;
                    self.reaching.truncate(level.n_reaching);
                    self.reached.truncate(level.n_reached);
                }
                continue;
            };
            level.next += 1;
            let partner = level.partner;
            if self.fits(candidate, partner) && self.means_the_same(candidate, partner) {
                self.add(candidate, partner);
                work += n;
                if self.pairs.len() == n {
                    return Some(true);
                }
                levels.push(self.level());
            }
        }
        None
    }

    /// The pairs to try next.
    fn level(&self) -> Level {
        let [one, two] = self.sides;
        let open = |nodes: &[usize]| -> Vec<usize> {
            nodes.iter().copied().filter(|&node| one.mapped & 1 << node == 0).collect()
        };
        let (reached, reaching) = (two.reached & !two.mapped, two.reaching & !two.mapped);
        let (mut candidates, mut partners) = (open(&self.reached), reached);
        if candidates.is_empty() || partners == 0 {
            (candidates, partners) = (open(&self.reaching), reaching);
        }
        if candidates.is_empty() || partners == 0 {
            candidates = open(&self.one.as_set(self.one.order.iter().copied()));
            partners = !two.mapped;
        }
        let partner = self.two.order.iter().copied().find(|&node| partners & 1 << node != 0).unwrap_or(0);
        let (n_reaching, n_reached) = (self.reaching.len(), self.reached.len());
        Level { candidates, next: 0, partner, sides: self.sides, n_reaching, n_reached }
    }

    /// Whether the pair is consistent with the mapping in the number of edges.
    fn fits(&self, node: usize, partner: usize) -> bool {
        let [one, two] = self.sides;
        let (before, after) = (self.one.before[node], self.one.after[node]);
        let (before_partner, after_partner) = (self.two.before[partner], self.two.after[partner]);
        self.pairs.iter().all(|&(a, b)| {
            (before >> a & 1, after >> a & 1) == (before_partner >> b & 1, after_partner >> b & 1)
        }) && one.counts(before) == two.counts(before_partner)
            && one.counts(after) == two.counts(after_partner)
    }

    /// Whether nodes and relations of the pair are the same. This is the test with the bug.
    fn means_the_same(&mut self, node: usize, partner: usize) -> bool {
        let (a, b) = (&mut self.one.nodes[node], &mut self.two.nodes[partner]);
        if (a.id, a.kind) != (b.id, b.kind) {
            return false;
        }
        let same = a == b;
        (*a, *b) = (a.bare(), b.bare());
        same && self.pairs.iter().all(|&(a, b)| {
            self.one.relations[node][a] == self.two.relations[partner][b]
                && self.one.relations[a][node] == self.two.relations[b][partner]
        })
    }

    fn add(&mut self, node: usize, partner: usize) {
        self.pairs.push((node, partner));
        let [one, two] = &mut self.sides;
        let (bit, bit_of_partner) = (1 << node, 1 << partner);
        for (side, bit) in [(&mut *one, bit), (&mut *two, bit_of_partner)] {
            side.mapped |= bit;
        }
        if one.reaching & bit == 0 {
            self.reaching.push(node);
        }
        if one.reached & bit == 0 {
            self.reached.push(node);
        }
        (one.reaching, one.reached) = (one.reaching | bit, one.reached | bit);
        two.reaching |= bit_of_partner | self.two.before[partner];
        two.reached |= bit_of_partner | self.two.after[partner];

        // The evaluator collects the whole frontier in a set each time, whose order depends on all elements.
        let mapped = one.mapped;
        let pairs = self.pairs.iter();
        let before = pairs.clone().flat_map(|&(a, _)| self.one.predecessors(a));
        for node in self.one.as_set(before.filter(|&node| mapped & 1 << node == 0)) {
            if one.reaching & 1 << node == 0 {
                one.reaching |= 1 << node;
                self.reaching.push(node);
            }
        }
        let after = pairs.flat_map(|&(a, _)| self.one.successors(a));
        for node in self.one.as_set(after.filter(|&node| mapped & 1 << node == 0)) {
            if one.reached & 1 << node == 0 {
                one.reached |= 1 << node;
                self.reached.push(node);
            }
        }
    }
}

/// The iteration order of small integers in a set of CPython (3.7 and later): a hash table in which an integer is its own hash.
struct PythonSet {
    /// 0 is a free slot; nodes are numbered from 1.
    slots: Vec<usize>,
    len: usize,
}

impl Default for PythonSet {
    fn default() -> PythonSet {
        PythonSet { slots: vec![0; 8], len: 0 }
    }
}

impl PythonSet {
    fn insert(&mut self, number: usize) {
        let slot = self.slot(number);
        if self.slots[slot] == number {
            return;
        }
        self.slots[slot] = number;
        self.len += 1;
        if self.len * 5 >= (self.slots.len() - 1) * 3 {
            let size = (self.len * 4 + 1).next_power_of_two().max(8);
            let old = std::mem::replace(&mut self.slots, vec![0; size]);
            for number in old.into_iter().filter(|&number| number != 0) {
                let slot = self.slot(number);
                self.slots[slot] = number;
            }
        }
    }

    /// The slot of the number, or the free slot for it.
    fn slot(&self, number: usize) -> usize {
        /// Number of neighbouring slots to try before the next jump.
        const NEIGHBOURS: usize = 9;
        let mask = self.slots.len() - 1;
        let (mut slot, mut perturb) = (number & mask, number);
        loop {
            let last = if slot + NEIGHBOURS <= mask { slot + NEIGHBOURS } else { slot };
            if let Some(found) = (slot..=last).find(|&i| self.slots[i] == 0 || self.slots[i] == number) {
                return found;
            }
            perturb >>= 5;
            slot = (slot * 5 + 1 + perturb) & mask;
        }
    }
}
