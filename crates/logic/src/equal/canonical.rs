//! Our equivalence: equality up to the order of conjuncts and triples, names of variables and inverse relations, across languages.
//!
//! A query becomes a tree in normal form: conjunctions are flattened, sorted and deduplicated; what all branches of a union share is
//! factored out; each relation is replaced by itself or its inverse, whichever comes first; KoPL's questions are expressed by sets. Of the
//! side conditions ([`crate::Rules`]), those are ignored that data sets add to every query (see `differences`). A query with a cycle or with
//! things that must differ, and a yes/no question, which has no root, are compared as graphs.

mod difference;
mod unions;

use super::labelled::LabelledGraph;
use crate::query::{Ask, Condition, Direction, Mark, Operand, Query, Relate, Set, Step, Superlative};
use crate::schema_ids::{entities, is_freebase};
use crate::value::{Symbol, Value};
use crate::vocabulary::Vocabulary;
use difference::difference;
use touchstone_kb::Comparison;
use unions::join_union;

/// The kind of a node of the normal form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The question.
    Question,
    /// A thing; the nodes below describe it.
    Thing,
    Class,
    Entity,
    Value,
    /// A property that leads to the thing below.
    Relation,
    Union,
    Superlative,
    Period,
    /// A reference to a thing that occurred before.
    Same,
}

/// A node of the normal form.
#[derive(Debug, Clone)]
struct Norm {
    kind: Kind,
    label: String,
    /// The label in messages.
    shown: Symbol,
    children: Vec<Norm>,
    /// The whole subtree, as text.
    key: String,
    /// The thing's number, if it is part of a cycle.
    mark: Option<Mark>,
    /// The label in a template, if it differs.
    masked: Option<Symbol>,
}

impl Norm {
    fn new(kind: Kind, label: String, shown: Symbol, children: Vec<Norm>) -> Norm {
        let mut key =
            String::with_capacity(label.len() + children.iter().map(|c| c.key.len() + 1).sum::<usize>() + 2);
        key.push_str(&label);
        if !children.is_empty() {
            key.push('{');
            for child in &children {
                key.push_str(&child.key);
                key.push(';');
            }
            key.push('}');
        }
        Norm { kind, label, shown, children, key, mark: None, masked: None }
    }

    /// The same with placeholders for entities and literals. Nothing is omitted: "by A and by B" is not the template of "by A".
    fn template(&self) -> Norm {
        let mut children: Vec<Norm> = self.children.iter().map(Norm::template).collect();
        if matches!(self.kind, Kind::Thing | Kind::Union) {
            children.sort_by(|a, b| (a.kind, &a.key).cmp(&(b.kind, &b.key)));
        }
        let label = self.masked.as_ref().map_or_else(|| self.label.clone(), ToString::to_string);
        Norm { mark: self.mark, ..Norm::new(self.kind, label, self.shown.clone(), children) }
    }

    fn leaf(kind: Kind, label: String, shown: impl Into<Symbol>) -> Norm {
        Norm::new(kind, label, shown.into(), Vec::new())
    }
}

/// The normal form of a query.
///
/// ```
/// use touchstone_logic::{Form, Program, Spelling, equal::Canonical};
/// let gold = Program::parse("Find(Ada) > Relate(author, backward) > FilterConcept(book) > Count()")?;
/// let same = Form::parse(r#"(COUNT (AND book (JOIN author "Ada")))"#, &Spelling)?;
/// let other = Form::parse(r#"(AND book (JOIN author "Ada"))"#, &Spelling)?;
/// let gold = Canonical::of(&gold.to_query(&())?, &());
/// assert!(gold.compare(&Canonical::of(&same.to_query()?, &())).equal);
/// assert!(!gold.compare(&Canonical::of(&other.to_query()?, &())).equal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Canonical {
    tree: Norm,
    key: String,
    /// Whether equal keys imply equal queries.
    exact: bool,
    /// The number of conditions that two things differ.
    n_different: usize,
}

/// Whether two queries are equal, and if not, the first difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether they are equal.
    pub equal: bool,
    /// The first difference.
    pub why: Option<String>,
}

impl Canonical {
    /// The normal form of a query.
    pub fn of(query: &Query, inverses: &dyn Vocabulary) -> Canonical {
        Canonical::new(query, inverses, false)
    }

    /// The normal form of a query's template: entities and literals are replaced by placeholders.
    pub fn template(query: &Query, inverses: &dyn Vocabulary) -> Canonical {
        Canonical::new(query, inverses, true)
    }

    fn new(query: &Query, inverses: &dyn Vocabulary, template: bool) -> Canonical {
        let different = differences(query);
        let marks = different.iter().flat_map(|(a, b)| [a, b]).filter_map(|side| match side {
            Operand::Marked(mark) => Some(*mark),
            Operand::Answer | Operand::Entity(_) => None,
        });
        let mut writer = Writer { inverses, start: None, cycles: false, different: marks.collect() };
        let tree = writer.query(query);
        let tree = if template { tree.template() } else { tree };
        let rootless = matches!(query.answer, Ask::Exists(_) | Ask::Verify { .. });
        let (key, exact) = if writer.cycles || rootless || !different.is_empty() {
            graph_key(&tree, rootless, &different, template)
        } else {
            (tree.key.clone(), true)
        };
        Canonical { tree, key, exact, n_different: different.len() }
    }

    /// A key that is equal for equal queries.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Compares two normal forms; the first is the gold one.
    pub fn compare(&self, predicted: &Canonical) -> Verdict {
        if self.key == predicted.key {
            let same = self.exact || self.tree.key == predicted.tree.key;
            let why =
                (!same).then(|| "the graphs are so large and regular that this was not decided".to_owned());
            return Verdict { equal: same, why };
        }
        let mut why = None;
        if self.n_different != predicted.n_different {
            let only = if self.n_different > predicted.n_different { "gold" } else { "predicted" };
            why = Some(format!("only {only} has a condition that two things differ"));
        }
        difference(&self.tree, &predicted.tree, "the answer", &mut why);
        Verdict {
            equal: false,
            why: Some(why.unwrap_or_else(|| "the same parts, joined differently".to_owned())),
        }
    }
}

/// The things that must differ. Data sets of Freebase exclude the entities that a question names from its answers, which is not part of what
/// is asked, and two known entities differ in any case.
fn differences(query: &Query) -> Vec<(Operand, Operand)> {
    let mut found: Vec<(Operand, Operand)> = Vec::new();
    if query.rules.different.is_empty() {
        return found;
    }
    let named = entities(query);
    let mut known = Vec::new();
    query.sets(&mut |set| known_marks(set, &mut known));
    let asked = match &query.answer {
        Ask::Members(set) | Ask::Count(set) | Ask::Exists(set) => known_entity(set),
        _ => None,
    };
    let resolved = |side: &Operand| {
        let id = match side {
            Operand::Marked(mark) => known.iter().find(|(known, _)| known == mark).map(|(_, id)| *id),
            Operand::Answer => asked,
            Operand::Entity(_) => None,
        };
        id.map_or_else(|| side.clone(), |id| Operand::Entity(id.clone()))
    };
    let is_convention = |side: &Operand| match side {
        Operand::Entity(id) => is_freebase(id) && named.iter().any(|known| *known == id.as_str()),
        Operand::Answer | Operand::Marked(_) => false,
    };
    for (a, b) in &query.rules.different {
        let (a, b) = (resolved(a), resolved(b));
        let is_certain = matches!((&a, &b), (Operand::Entity(a), Operand::Entity(b)) if a != b);
        let is_known = found.iter().any(|(x, y)| (x, y) == (&a, &b) || (y, x) == (&a, &b));
        if !is_certain && !is_known && !is_convention(&a) && !is_convention(&b) {
            found.push((a, b));
        }
    }
    found
}

/// The marked things that are a known entity.
fn known_marks<'q>(set: &'q Set, found: &mut Vec<(Mark, &'q Symbol)>) {
    if let Set::Marked(mark, inner) = set {
        found.extend(known_entity(inner).map(|id| (*mark, id)));
    }
    set.children(&mut |child| known_marks(child, found));
}

/// The entity that a set is, if it is one.
fn known_entity(set: &Set) -> Option<&Symbol> {
    set.conjuncts().iter().find_map(|part| match part {
        Set::Entity(id) => Some(id),
        Set::Marked(_, inner) => known_entity(inner),
        _ => None,
    })
}

/// A text that is equal for equal sets, without knowledge of inverses.
pub(crate) fn set_key(set: &Set) -> String {
    let mut writer = Writer { inverses: &(), start: None, cycles: false, different: Vec::new() };
    let tree = writer.thing(set);
    if writer.cycles {
        graph_key(&Norm::new(Kind::Question, String::new(), Symbol::default(), vec![tree]), false, &[], false)
            .0
    } else {
        tree.key
    }
}

/// The property of a step.
fn without_arrow(label: &str) -> &str {
    label.trim_start_matches(['→', '←', '↔'])
}

/// From a thing to a property of its fact, in the inverse direction, and both.
const OUT: &str = "→";
const IN: &str = "←";
const BOTH: &str = "↔";

struct Writer<'w> {
    inverses: &'w dyn Vocabulary,
    /// The start of the path of the enclosing superlative.
    start: Option<Mark>,
    cycles: bool,
    /// The things that must differ from others.
    different: Vec<Mark>,
}

impl Writer<'_> {
    fn query(&mut self, query: &Query) -> Norm {
        let question =
            |word: &str, children| Norm::new(Kind::Question, word.to_owned(), word.into(), children);
        match &query.answer {
            Ask::Members(set) => question("members", vec![self.thing(set)]),
            Ask::Count(set) => question("count", vec![self.thing(set)]),
            Ask::Exists(set) => question("exists", vec![self.thing(set)]),
            Ask::Attribute { of, attribute, conditions } => {
                let values = related(of.clone(), attribute, Direction::Forward, conditions);
                question("members", vec![self.thing(&values)])
            }
            Ask::Verify { of, attribute, conditions, comparison, value } => {
                let values = Set::Values(*comparison, value.clone());
                let fact = related(values, attribute, Direction::Backward, conditions);
                question("exists", vec![self.thing(&Set::and([of.clone(), fact]))])
            }
            Ask::Relation { from, to } => question("relation", vec![self.thing(from), self.thing(to)]),
            Ask::AttributeQualifier { of, attribute, value, qualifier } => {
                // A program does not give the kind of the value: the key decides it.
                let of = self.thing(of);
                let value = Norm {
                    masked: Some(Symbol::new_static("= literal")),
                    ..Norm::leaf(Kind::Value, quoted("= ", &value.written_key()), value.to_string())
                };
                question(&format!("qualifier {qualifier:?} of {attribute:?}"), vec![of, value])
            }
            Ask::RelationQualifier { from, relation, to, qualifier } => {
                let label = format!("qualifier {qualifier:?} of {relation:?}");
                question(&label, vec![self.thing(from), self.thing(to)])
            }
            Ask::SelectBetween { left, right, attribute, extreme } => {
                let of = Set::or([left.clone(), right.clone()]);
                question("members", vec![self.thing(&superlative(of, attribute, *extreme))])
            }
            Ask::SelectAmong { among, attribute, extreme } => {
                question("members", vec![self.thing(&superlative(among.clone(), attribute, *extreme))])
            }
        }
    }

    /// A set as a thing with its description.
    fn thing(&mut self, set: &Set) -> Norm {
        let (mut parts, mut mark, mut starts) = (Vec::new(), None, false);
        self.collect(set, &mut parts, &mut mark, &mut starts);
        thing_of(parts, mark, starts)
    }

    fn collect(&mut self, set: &Set, parts: &mut Vec<Norm>, mark: &mut Option<Mark>, starts: &mut bool) {
        match set {
            Set::All => {}
            Set::And(inner) => inner.iter().for_each(|part| self.collect(part, parts, mark, starts)),
            Set::Marked(number, inner) => {
                *starts |= self.start == Some(*number);
                *mark = Some(*number);
                if self.different.contains(number) {
                    // Two things that must differ are not one, even if nothing else tells them apart.
                    self.cycles = true;
                    let shown = "a thing that must differ from another";
                    parts.push(Norm { mark: *mark, ..Norm::leaf(Kind::Same, "different".to_owned(), shown) });
                }
                self.collect(inner, parts, mark, starts);
            }
            Set::Same(number) => {
                self.cycles = true;
                parts.push(Norm {
                    mark: Some(*number),
                    ..Norm::leaf(Kind::Same, "same".to_owned(), "a thing that occurred before")
                });
            }
            Set::Entity(id) => parts.push(entity("entity ", id)),
            Set::Named(name) => parts.push(entity("named ", name)),
            Set::Class(class) => parts.push(Norm::leaf(Kind::Class, quoted("class ", class), class.clone())),
            Set::Values(comparison, value) => parts.push(self.value(*comparison, value)),
            Set::Relate(relate) => parts.push(self.relation(relate)),
            Set::Or(branches) => self.union(branches, parts),
            Set::Superlative(superlative) => parts.push(self.superlative(superlative)),
            Set::During(period) => {
                let shown = format!(
                    "{}..{} within {}..{}",
                    period.start, period.end, period.earliest_end, period.latest_start
                );
                let properties = format!("{:?} {:?}", period.start, period.end);
                let label = format!(
                    "during {properties} {:?} {:?}",
                    period.earliest_end.key(),
                    period.latest_start.key()
                );
                let masked = Some(format!("during {properties}").into());
                parts.push(Norm { masked, ..Norm::leaf(Kind::Period, label, shown) });
            }
        }
    }

    fn value(&self, comparison: Comparison, value: &Value) -> Norm {
        let shown =
            if comparison == Comparison::Equal { value.to_string() } else { format!("{comparison} {value}") };
        let masked = Some(format!("{comparison} literal").into());
        let label = quoted(&format!("{comparison} "), &value.key());
        Norm { masked, ..Norm::leaf(Kind::Value, label, shown) }
    }

    /// The property or its inverse, whichever comes first, with an arrow for its direction.
    fn step(&self, property: &str, direction: Direction) -> String {
        let (property, direction) = match self.inverses.inverse(property) {
            // A symmetric relation means the same in both directions.
            Some(inverse) if inverse == property => return quoted(BOTH, property),
            Some(inverse) if inverse < property => (inverse, direction.flipped()),
            _ => (property, direction),
        };
        quoted(if direction == Direction::Backward { OUT } else { IN }, property)
    }

    fn relation(&mut self, relate: &Relate) -> Norm {
        let step = self.step(&relate.property, relate.direction);
        if relate.conditions.is_empty() {
            let inner = self.thing(&relate.from);
            return Norm::new(Kind::Relation, step, relate.property.clone(), vec![inner]);
        }
        let mut conditions: Vec<String> =
            relate.conditions.iter().map(|condition| self.condition(condition, false)).collect();
        conditions.sort_unstable();
        conditions.dedup();
        let mut masked: Vec<String> =
            relate.conditions.iter().map(|condition| self.condition(condition, true)).collect();
        masked.sort_unstable();
        let shown: String = relate
            .conditions
            .iter()
            .map(|c| format!(" ({} {} {})", c.qualifier, c.comparison, c.value))
            .collect();
        let shown = format!("{}{shown}", relate.property).into();
        let inner = self.thing(&relate.from);
        let norm = Norm::new(Kind::Relation, format!("{step}{}", conditions.concat()), shown, vec![inner]);
        Norm { masked: Some(format!("{step}{}", masked.concat()).into()), ..norm }
    }

    fn condition(&self, condition: &Condition, masked: bool) -> String {
        let value =
            if masked { "literal".to_owned() } else { format!("{:?}", condition.value.written_key()) };
        format!("[{:?} {} {value}]", condition.qualifier, condition.comparison)
    }

    /// A union.
    fn union(&mut self, branches: &[Set], parts: &mut Vec<Norm>) {
        join_union(branches.iter().map(|branch| self.thing(branch)).collect(), parts);
    }

    fn superlative(&mut self, superlative: &Superlative) -> Norm {
        let outer = std::mem::replace(&mut self.start, superlative.start);
        let of = self.thing(&superlative.of);
        self.start = outer;
        // The steps of a path have the opposite direction of a description.
        let path: Vec<String> =
            superlative.path.iter().map(|step| self.step(&step.property, step.direction.flipped())).collect();
        let word = superlative.extreme.word();
        let shown =
            superlative.path.iter().map(|step| step.property.as_str()).collect::<Vec<_>>().join(" / ");
        Norm::new(
            Kind::Superlative,
            format!("{word} {}", path.join(" ")),
            format!("{word} of {shown}").into(),
            vec![of],
        )
    }
}

fn entity(word: &str, name: &str) -> Norm {
    Norm { masked: Some(Symbol::new_static("entity")), ..Norm::leaf(Kind::Entity, quoted(word, name), name) }
}

/// A word, and another in quotes. Nearly all are copied unchanged.
fn quoted(before: &str, word: &str) -> String {
    if !word.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\') {
        return format!("{before}{word:?}");
    }
    let mut text = String::with_capacity(before.len() + word.len() + 2);
    text.push_str(before);
    text.push('"');
    text.push_str(word);
    text.push('"');
    text
}

fn related(from: Set, property: &str, direction: Direction, conditions: &[Condition]) -> Set {
    Set::Relate(Box::new(Relate {
        from,
        property: property.into(),
        direction,
        conditions: conditions.to_vec(),
    }))
}

fn superlative(of: Set, attribute: &str, extreme: crate::query::Extreme) -> Set {
    let path = vec![Step { property: attribute.into(), direction: Direction::Forward }];
    Set::Superlative(Box::new(Superlative { of, path, extreme, start: None }))
}

fn thing_of(mut parts: Vec<Norm>, mark: Option<Mark>, starts: bool) -> Norm {
    parts.sort_by(|a, b| (a.kind, &a.key).cmp(&(b.kind, &b.key)));
    // Repeated descriptions count once, except of a thing that closes a cycle.
    parts.dedup_by(|a, b| a.key == b.key && !has_marks(a));
    let label = if starts { "*" } else { "" };
    let mut norm = Norm::new(Kind::Thing, label.to_owned(), Symbol::default(), parts);
    norm.mark = mark;
    norm
}

fn has_marks(norm: &Norm) -> bool {
    norm.kind == Kind::Same || norm.children.iter().any(has_marks)
}

/// The key of a normal form with repeated things or without a root: the canonical form of its graph, and whether it is exact.
fn graph_key(
    tree: &Norm,
    rootless: bool,
    different: &[(Operand, Operand)],
    template: bool,
) -> (String, bool) {
    let mut graph = LabelledGraph::default();
    let mut marks: Vec<(Mark, usize)> = Vec::new();
    let mut answer = None;
    let root = graph.vertex(if rootless { String::new() } else { tree.label.clone() });
    let mut stack: Vec<(&Norm, usize)> = Vec::new();
    for (i, child) in tree.children.iter().enumerate() {
        let vertex = graph.vertex(String::new());
        if !rootless {
            graph.edge(root, vertex, format!("asked {i}"));
        }
        answer = answer.or(Some(vertex));
        stack.push((child, vertex));
    }
    let mut closing: Vec<(Mark, usize)> = Vec::new();
    while let Some((thing, vertex)) = stack.pop() {
        if let Some(mark) = thing.mark {
            marks.push((mark, vertex));
        }
        let mut labels: Vec<&str> = vec![&thing.label];
        for part in &thing.children {
            match part.kind {
                Kind::Relation => {
                    let other = graph.vertex(String::new());
                    let name = without_arrow(&part.label).to_owned();
                    if !part.label.starts_with(IN) {
                        graph.edge(vertex, other, name.clone());
                    }
                    if !part.label.starts_with(OUT) {
                        graph.edge(other, vertex, name);
                    }
                    stack.extend(part.children.iter().map(|child| (child, other)));
                }
                Kind::Same => closing.extend(part.mark.map(|mark| (mark, vertex))),
                // Unions and superlatives contain other sets, so each is a label as a whole.
                _ if !has_marks(part) => labels.push(&part.key),
                _ => {
                    let other = graph.vertex(part.label.clone());
                    graph.edge(vertex, other, "part".to_owned());
                    for child in &part.children {
                        let inner = graph.vertex(String::new());
                        graph.edge(other, inner, "inside".to_owned());
                        stack.push((child, inner));
                    }
                }
            }
        }
        graph.label(vertex, labels.join("&"));
    }
    for (mark, vertex) in closing {
        if let Some(&(_, target)) = marks.iter().find(|(known, _)| *known == mark)
            && target != vertex
        {
            graph.same(vertex, target);
        }
    }
    for (a, b) in different {
        let mut place = |side: &Operand| match side {
            Operand::Answer => answer,
            Operand::Marked(mark) => marks.iter().find(|(known, _)| known == mark).map(|(_, vertex)| *vertex),
            Operand::Entity(_) if template => Some(graph.vertex("entity".to_owned())),
            Operand::Entity(id) => Some(graph.vertex(quoted("entity ", id))),
        };
        let (a, b) = (place(a), place(b));
        let (a, b) = (a.unwrap_or(root), b.unwrap_or(root));
        graph.edge(a, b, "differs".to_owned());
        graph.edge(b, a, "differs".to_owned());
    }
    let (text, exact) = graph.canonical();
    (format!("{} graph {text}", tree.label), exact)
}
