//! The graph of an expression as GrailQA's evaluator builds it.
//!
//! A relation creates two nodes, and an operator merges one node of its first argument with one of its second, so the
//! graph is always a tree, with at most one edge in each direction between two nodes.

use super::reader::{Fault, ItemId, Items, What};
use crate::cast::index32;
use crate::ontology::{LOCAL, NO_NAME, NameId, NameTable, Ontology};

/// The id that the evaluator gives to the value of a superlative: the number 0, which is not equal to any token.
pub(super) const ZERO: NameId = NO_NAME - 1;

/// A function on a node: the index of one of [`FUNCTIONS`], or the number of a text in [`KnownNames`].
pub(super) type Function = NameId;
/// The functions that occur in practice. Any operator that contains `ARG` is also a function.
pub(super) const FUNCTIONS: [&str; 8] = ["none", "count", "<=", ">=", "<", ">", "argmax", "argmin"];
const NO_FUNCTION: Function = 0;
const COUNT: Function = 1;

/// The names of an ontology, followed by those of one comparison.
#[derive(Debug)]
pub(super) struct KnownNames<'o> {
    pub(super) ontology: &'o Ontology,
    local: NameTable,
}

impl<'o> KnownNames<'o> {
    pub(super) fn new(ontology: &'o Ontology) -> KnownNames<'o> {
        KnownNames { ontology, local: NameTable::default() }
    }

    /// Clears the names of the previous comparison.
    pub(super) fn clear(&mut self) {
        self.local.clear();
    }

    pub(super) fn text(&self, name: NameId) -> &str {
        match name {
            ZERO => "0",
            NO_NAME => "",
            _ if name < LOCAL => self.ontology.name(name),
            _ => self.local.text(name - LOCAL),
        }
    }

    pub(super) fn function_text(&self, function: Function) -> &str {
        FUNCTIONS.get(function as usize).copied().unwrap_or_else(|| self.text(function))
    }

    fn number(&mut self, text: &str) -> NameId {
        let hash = self.ontology.hash(text);
        self.ontology.find(hash, text).unwrap_or_else(|| LOCAL + self.local.intern(hash, text))
    }
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Entity,
    Literal,
    Class,
}

/// A node with everything that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) id: NameId,
    pub(super) kind: Kind,
    pub(super) function: Function,
    /// Relation and time of a time constraint; `NO_NAME` twice if there is none.
    pub(super) time: [NameId; 2],
}

impl Node {
    /// The node without what the evaluator removes from it.
    pub(super) fn bare(self) -> Node {
        Node { function: NO_FUNCTION, time: [NO_NAME; 2], ..self }
    }
}

/// The edges between two nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) from: u32,
    pub(super) to: u32,
    /// The relation as written.
    pub(super) forward: NameId,
    /// Its inverse, an edge in the opposite direction; or `NO_NAME`.
    pub(super) back: NameId,
}

/// How the graph was built: the order of steps that the replay of the evaluator's search needs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// A graph with this node.
    One(u32),
    /// The graph of a relation: the nodes of range and domain, and whether the relation has an inverse.
    Two(u32, u32, bool),
    Reverse,
    /// Merges the first node of the last graph but one with the last node of the last.
    Join,
    /// Merges the last nodes of the last two graphs.
    And,
}

/// The graph of an expression. Reused for several expressions to save allocations.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) links: Vec<Link>,
    pub(super) steps: Vec<Step>,
    /// For each created node, the one that it was merged with or itself; at the end its index in `nodes`.
    glued: Vec<u32>,
    tasks: Vec<Task>,
    parts: Vec<Part>,
}

/// The graph of a part of the expression, as far as operators need it.
#[derive(Debug, Clone, Copy)]
struct Part {
    first: u32,
    /// The answer.
    last: u32,
}

impl Part {
    /// Whether the part has a single node.
    fn is_single(self) -> bool {
        self.first == self.last
    }
}

#[derive(Debug, Clone, Copy)]
enum Task {
    Build(ItemId),
    Reverse,
    Join(Function),
    And,
    Superlative(Function),
    Count,
    Time(ItemId, ItemId),
}

impl Graph {
    /// Builds the graph of an expression and replaces the previous one.
    pub(super) fn build(
        &mut self,
        source: &str,
        items: &Items,
        root: ItemId,
        names: &mut KnownNames<'_>,
    ) -> Result<(), Fault> {
        self.nodes.clear();
        self.links.clear();
        self.steps.clear();
        self.glued.clear();
        self.parts.clear();
        self.tasks.clear();
        self.tasks.push(Task::Build(root));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Build(item) if items.is_list(item) => self.plan(source, items, item, names)?,
                Task::Build(item) => self.leaf(items.text(source, item), items.is_literal(item), names),
                _ => self.apply(task, source, items, names),
            }
        }
        self.compact();
        Ok(())
    }

    /// The index in `nodes` of a node of `steps`.
    pub(super) fn place(&self, node: u32) -> u32 {
        self.glued[node as usize]
    }

    /// Pushes the arguments of an operator and then its effect on the agenda. Extra arguments are ignored.
    fn plan(
        &mut self,
        source: &str,
        items: &Items,
        list: ItemId,
        names: &mut KnownNames<'_>,
    ) -> Result<(), Fault> {
        let mut children = items.children(list);
        let Some(head) = children.next() else {
            return Err(Fault { what: What::EmptyBrackets, span: items.span(list) });
        };
        if items.is_list(head) {
            return Err(Fault { what: What::ListAsOperator, span: items.span(head) });
        }
        let operator = items.text(source, head);
        let arguments = [children.next(), children.next(), children.next()];
        let (task, wanted) = match operator {
            "R" => (Task::Reverse, 1),
            "JOIN" => (Task::Join(NO_FUNCTION), 2),
            "le" => (Task::Join(2), 2),
            "ge" => (Task::Join(3), 2),
            "lt" => (Task::Join(4), 2),
            "gt" => (Task::Join(5), 2),
            "AND" => (Task::And, 2),
            "COUNT" => (Task::Count, 1),
            "ARGMAX" => (Task::Superlative(6), 2),
            "ARGMIN" => (Task::Superlative(7), 2),
            _ if operator.contains("ARG") => {
                let lower = operator.to_lowercase();
                let known = FUNCTIONS.iter().position(|&function| function == lower);
                let function = match known {
                    Some(function) => index32(function),
                    // Not `number`: the number of a name of the ontology could equal that of a function.
                    None => LOCAL + names.local.intern(names.ontology.hash(&lower), &lower),
                };
                (Task::Superlative(function), 2)
            }
            "TC" => match arguments {
                [_, Some(relation), Some(time)] => (Task::Time(relation, time), 3),
                _ => return Err(Fault { what: What::MissingArgument(3), span: items.span(head) }),
            },
            _ => return Err(Fault { what: What::UnknownOperator, span: items.span(head) }),
        };
        self.tasks.push(task);
        let n_graphs = if wanted == 2 { 2 } else { 1 };
        for argument in arguments[..n_graphs].iter().rev() {
            let argument =
                argument.ok_or(Fault { what: What::MissingArgument(wanted), span: items.span(head) })?;
            self.tasks.push(Task::Build(argument));
        }
        Ok(())
    }

    fn leaf(&mut self, token: &str, is_literal: bool, names: &mut KnownNames<'_>) {
        let id = names.number(token);
        if is_literal {
            return self.push_single(id, Kind::Literal);
        }
        if id < LOCAL {
            let entry = names.ontology.entry(id);
            if entry.is_class {
                return self.push_single(id, Kind::Class);
            }
            if entry.is_relation {
                let to = self.push_node(entry.range, Kind::Class);
                let from = self.push_node(entry.domain, Kind::Class);
                self.links.push(Link { from, to, forward: id, back: entry.inverse });
                self.parts.push(Part { first: to, last: from });
                self.steps.push(Step::Two(to, from, entry.inverse != NO_NAME));
                return;
            }
        }
        self.push_single(id, Kind::Entity);
    }

    fn push_single(&mut self, id: NameId, kind: Kind) {
        let node = self.push_node(id, kind);
        self.parts.push(Part { first: node, last: node });
        self.steps.push(Step::One(node));
    }

    fn push_node(&mut self, id: NameId, kind: Kind) -> u32 {
        let node = index32(self.nodes.len());
        self.nodes.push(Node { id, kind, function: NO_FUNCTION, time: [NO_NAME; 2] });
        self.glued.push(node);
        node
    }

    fn apply(&mut self, task: Task, source: &str, items: &Items, names: &mut KnownNames<'_>) {
        // The agenda pushes as many parts before a task as it takes, so there is always one to pop.
        let Some(last) = self.parts.pop() else { return };
        match task {
            Task::Build(_) => {}
            Task::Reverse => {
                self.parts.push(Part { first: last.last, last: last.first });
                self.steps.push(Step::Reverse);
            }
            Task::Join(function) => {
                let Some(relation) = self.parts.pop() else { return };
                self.join(relation, last, names.ontology);
                if function != NO_FUNCTION {
                    // Not the argument's answer: the evaluator uses the first node as the value.
                    self.nodes[last.first as usize].function = function;
                }
            }
            Task::And => {
                let Some(first) = self.parts.pop() else { return };
                self.and(first, last);
            }
            Task::Superlative(function) => {
                let Some(first) = self.parts.pop() else { return };
                let value = &mut self.nodes[last.first as usize];
                (value.id, value.kind, value.function) = (ZERO, Kind::Literal, function);
                self.and(first, last);
            }
            Task::Count => {
                self.nodes[last.last as usize].function = COUNT;
                self.parts.push(last);
            }
            Task::Time(relation, time) => {
                let time = [relation, time].map(|item| {
                    if items.is_list(item) {
                        names.number(&outline(source, items, item))
                    } else {
                        names.number(items.text(source, item))
                    }
                });
                self.nodes[last.last as usize].time = time;
                self.parts.push(last);
            }
        }
    }

    fn join(&mut self, relation: Part, argument: Part, ontology: &Ontology) {
        let (side, answer) = (self.nodes[relation.first as usize], &mut self.nodes[argument.last as usize]);
        if (side.kind, answer.kind) == (Kind::Class, Kind::Class)
            && ontology.is_direct_superclass(answer.id, side.id)
        {
            answer.id = side.id;
        }
        self.glue(relation.first, argument.last);
        let last = if relation.is_single() { argument.last } else { relation.last };
        self.parts.push(Part { first: argument.first, last });
        self.steps.push(Step::Join);
    }

    fn and(&mut self, one: Part, two: Part) {
        let (first, second) = (self.nodes[one.last as usize], &mut self.nodes[two.last as usize]);
        if (first.kind, second.kind) == (Kind::Class, Kind::Class) {
            second.id = first.id;
        }
        self.glue(one.last, two.last);
        let first = match (one.is_single(), two.is_single()) {
            (_, false) => two.first,
            (false, true) => one.first,
            (true, true) => two.last,
        };
        self.parts.push(Part { first, last: two.last });
        self.steps.push(Step::And);
    }

    /// Merges two nodes; the result has the properties of the second, and those of the first that the second lacks.
    fn glue(&mut self, lost: u32, kept: u32) {
        let (other, node) = (self.nodes[lost as usize], &mut self.nodes[kept as usize]);
        if node.function == NO_FUNCTION {
            node.function = other.function;
        }
        if node.time == [NO_NAME; 2] {
            node.time = other.time;
        }
        self.glued[lost as usize] = kept;
    }

    /// Removes the nodes that were merged into others.
    fn compact(&mut self) {
        for node in 0..self.nodes.len() {
            let mut kept = node;
            while self.glued[kept] != index32(kept) {
                // Path halving keeps long chains cheap.
                let next = self.glued[kept] as usize;
                self.glued[kept] = self.glued[next];
                kept = self.glued[kept] as usize;
            }
            self.glued[node] = index32(kept);
        }
        // Until all nodes have an index, indexes are distinguished from nodes by their highest bit.
        const PLACE: u32 = 1 << 31;
        let mut n_kept = 0;
        for node in 0..self.nodes.len() {
            if self.glued[node] == index32(node) {
                self.nodes[n_kept] = self.nodes[node];
                self.glued[node] = PLACE | index32(n_kept);
                n_kept += 1;
            }
        }
        self.nodes.truncate(n_kept);
        for node in 0..self.glued.len() {
            let kept = self.glued[node];
            let place = if kept & PLACE == 0 { self.glued[kept as usize] } else { kept };
            self.glued[node] = place;
        }
        self.glued.iter_mut().for_each(|place| *place &= !PLACE);
        for link in &mut self.links {
            (link.from, link.to) = (self.glued[link.from as usize], self.glued[link.to as usize]);
        }
    }
}

/// A text that is equal for two lists exactly if they have the same tokens in the same brackets. Tokens have no spaces.
fn outline(source: &str, items: &Items, list: ItemId) -> String {
    let mut text = String::new();
    let mut rest = vec![Some(list)];
    while let Some(item) = rest.pop() {
        match item {
            None => text.push_str(" )"),
            Some(item) if items.is_list(item) => {
                text.push_str(" (");
                rest.push(None);
                let children = rest.len();
                rest.extend(items.children(item).map(Some));
                rest[children..].reverse();
            }
            Some(item) => {
                text.push_str(" =");
                text.push_str(items.text(source, item));
            }
        }
    }
    text
}
