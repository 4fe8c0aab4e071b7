//! Determines the kind of each variable of a conjunct: a node, or a literal of certain attributes.
//!
//! A name may denote both a relation and an attribute. A view shows their values differently, so each conjunct is split until
//! every variable has one kind; contradictory conjuncts are dropped.

use super::conjuncts::{ANSWER, Atom, Conjunct, FactAtom, Kind, Var};
use touchstone_kb::{ClassId, Kb, NodeId, Property};

/// A conjunct in which every variable has one kind, and which may have solutions.
#[derive(Debug, Clone)]
pub(super) struct Resolved<'p> {
    pub(super) conjunct: Conjunct<'p>,
    /// By variable.
    pub(super) kinds: Vec<Kind>,
}

/// How a view requires conjuncts to be split further.
#[derive(Debug, Clone, Copy)]
pub(super) struct Splitting {
    /// By the usual unit of attributes, which is not written with the number.
    pub(super) by_unit: bool,
    /// Members that are classes themselves: they are not classified.
    pub(super) classes_apart: bool,
    /// Whether the answer is unrestricted: a description that restricts nothing then means all entities.
    pub(super) answer: bool,
}

/// The conjuncts that may have solutions, after splitting.
pub(super) fn resolve<'p>(kb: &Kb, conjuncts: Vec<Conjunct<'p>>, splitting: Splitting) -> Vec<Resolved<'p>> {
    let mut open = conjuncts;
    open.reverse();
    let mut resolved = Vec::new();
    while let Some(mut conjunct) = open.pop() {
        unify(&mut conjunct);
        if splitting.answer && !is_anchored(&conjunct) {
            let without_dates = conjunct.atoms.iter().any(|atom| matches!(atom, Atom::Lacks(ANSWER, _)));
            let mut entities = conjunct.clone();
            entities.atoms.push(Atom::Entity(ANSWER));
            if without_dates && kb.n_classes() > 0 {
                let classes = kb.classes().map(|class| kb.class_node(class).0).collect();
                conjunct.atoms.push(Atom::Nodes(ANSWER, classes));
                open.push(conjunct);
            }
            open.push(entities);
            continue;
        }
        match one_step(kb, &mut conjunct, splitting) {
            Outcome::Impossible => {}
            Outcome::Split(parts) => open.extend(parts.into_iter().rev()),
            Outcome::Done(kinds) => resolved.push(Resolved { conjunct, kinds }),
        }
    }
    resolved
}

enum Outcome<'p> {
    Impossible,
    Split(Vec<Conjunct<'p>>),
    Done(Vec<Kind>),
}

/// Replaces equal variables by one.
fn unify(conjunct: &mut Conjunct<'_>) {
    let mut atoms = std::mem::take(&mut conjunct.atoms);
    for atom in &mut atoms {
        match atom {
            Atom::Nodes(var, _)
            | Atom::Entity(var)
            | Atom::Member { var, .. }
            | Atom::Passes(var, _)
            | Atom::Lacks(var, _)
            | Atom::Extreme(var, _) => *var = conjunct.root(*var),
            Atom::Fact(fact) => {
                fact.subject = conjunct.root(fact.subject);
                fact.value = conjunct.root(fact.value);
            }
        }
    }
    conjunct.atoms = atoms;
}

/// Whether some condition restricts the answer.
fn is_anchored(conjunct: &Conjunct<'_>) -> bool {
    conjunct.atoms.iter().any(|atom| match atom {
        Atom::Nodes(var, _) | Atom::Entity(var) | Atom::Member { var, .. } | Atom::Passes(var, _) => {
            *var == ANSWER
        }
        Atom::Fact(fact) => fact.subject == ANSWER || fact.value == ANSWER,
        Atom::Lacks(..) | Atom::Extreme(..) => false,
    })
}

fn one_step<'p>(kb: &Kb, conjunct: &mut Conjunct<'p>, splitting: Splitting) -> Outcome<'p> {
    let mut kinds: Vec<Option<Kind>> = vec![None; conjunct.n_vars()];
    let mut contradiction = false;
    let mut set = |kinds: &mut Vec<Option<Kind>>, var: Var, kind: Kind| {
        contradiction |= kinds[var].is_some_and(|known| known != kind);
        kinds[var] = Some(kind);
    };
    for atom in &conjunct.atoms {
        match atom {
            Atom::Nodes(var, _) | Atom::Entity(var) | Atom::Member { var, .. } => {
                set(&mut kinds, *var, Kind::Node)
            }
            Atom::Passes(var, _) | Atom::Extreme(var, _) => set(&mut kinds, *var, Kind::Literal),
            Atom::Fact(fact) => set(&mut kinds, fact.subject, Kind::Node),
            Atom::Lacks(..) => {}
        }
    }
    let of_kind = |fact: &FactAtom<'_>, kind: Kind| -> Vec<Property> {
        let fits = |property: &&Property| matches!(property, Property::Relation(_)) == (kind == Kind::Node);
        fact.properties.iter().filter(fits).copied().collect()
    };
    for at in 0..conjunct.atoms.len() {
        let Atom::Fact(fact) = &conjunct.atoms[at] else { continue };
        let (relations, attributes) = (of_kind(fact, Kind::Node), of_kind(fact, Kind::Literal));
        let (value, mixed) = (fact.value, !relations.is_empty() && !attributes.is_empty());
        if mixed && kinds[value].is_none() {
            return Outcome::Split([relations, attributes].map(|p| with_properties(conjunct, at, p)).into());
        }
        let kind = kinds[value].unwrap_or(if relations.is_empty() { Kind::Literal } else { Kind::Node });
        set(&mut kinds, value, kind);
        let kept = if kind == Kind::Node { relations } else { attributes };
        if kept.is_empty() {
            return Outcome::Impossible;
        }
        if splitting.by_unit && kind == Kind::Literal {
            let unit = |property: &Property| match property {
                Property::Attribute(attribute) => kb.plain_unit(*attribute),
                Property::Relation(_) => "",
            };
            let first = unit(&kept[0]);
            let (same, other): (Vec<Property>, Vec<Property>) = kept.iter().partition(|p| unit(p) == first);
            if !other.is_empty() {
                return Outcome::Split([same, other].map(|p| with_properties(conjunct, at, p)).into());
            }
        }
        if let Atom::Fact(fact) = &mut conjunct.atoms[at] {
            fact.properties = kept;
        }
    }
    if contradiction || denies_itself(conjunct) {
        return Outcome::Impossible;
    }
    if let Some(outcome) = check_members(kb, conjunct, splitting) {
        return outcome;
    }
    let literal = |var: Var| kinds[var] == Some(Kind::Literal);
    // Literals have no facts, so they have no dates.
    conjunct.atoms.retain(|atom| !matches!(atom, Atom::Lacks(var, _) if literal(*var)));
    intersect_nodes(conjunct);
    if conjunct.atoms.iter().any(|atom| matches!(atom, Atom::Nodes(_, nodes) if nodes.is_empty())) {
        return Outcome::Impossible;
    }
    Outcome::Done(kinds.into_iter().map(|kind| kind.unwrap_or(Kind::Node)).collect())
}

/// Finds sets without members, and classes that must be separated from entities.
fn check_members<'p>(kb: &Kb, conjunct: &Conjunct<'p>, splitting: Splitting) -> Option<Outcome<'p>> {
    for at in 0..conjunct.atoms.len() {
        match &conjunct.atoms[at] {
            Atom::Nodes(_, nodes) if nodes.is_empty() => return Some(Outcome::Impossible),
            &Atom::Member { var, ref classes, entities_only } => {
                let members = |class: &ClassId| kb.members(*class).iter();
                if classes.iter().all(|class| kb.members(*class).is_empty()) {
                    return Some(Outcome::Impossible);
                }
                let is_class = |member: &u32| !is_entity(kb, *member);
                let mut among_classes: Vec<u32> =
                    classes.iter().flat_map(members).copied().filter(is_class).collect();
                if splitting.classes_apart && !entities_only && !among_classes.is_empty() {
                    among_classes.sort_unstable();
                    among_classes.dedup();
                    let (mut entities, mut others) = (conjunct.clone(), conjunct.clone());
                    entities.atoms[at] = Atom::Member { var, classes: classes.clone(), entities_only: true };
                    others.atoms[at] = Atom::Nodes(var, among_classes);
                    return Some(Outcome::Split(vec![entities, others]));
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether the same fact is both required and excluded.
fn denies_itself(conjunct: &Conjunct<'_>) -> bool {
    conjunct.atoms.iter().any(|atom| match atom {
        Atom::Lacks(var, lacking) => conjunct.atoms.iter().any(|other| match other {
            Atom::Fact(fact) => {
                fact.subject == *var && fact.properties.iter().all(|property| lacking.contains(property))
            }
            _ => false,
        }),
        _ => false,
    })
}

fn with_properties<'p>(conjunct: &Conjunct<'p>, at: usize, properties: Vec<Property>) -> Conjunct<'p> {
    let mut conjunct = conjunct.clone();
    if let Atom::Fact(fact) = &mut conjunct.atoms[at] {
        fact.properties = properties;
    }
    conjunct
}

/// Merges several lists of nodes for one variable.
fn intersect_nodes(conjunct: &mut Conjunct<'_>) {
    let mut at = 0;
    while at < conjunct.atoms.len() {
        if let Atom::Nodes(var, nodes) = conjunct.atoms[at].clone() {
            let mut kept = nodes;
            let mut later = at + 1;
            while later < conjunct.atoms.len() {
                match &conjunct.atoms[later] {
                    Atom::Nodes(other, more) if *other == var => {
                        kept.retain(|node| more.contains(node));
                        conjunct.atoms.remove(later);
                    }
                    _ => later += 1,
                }
            }
            conjunct.atoms[at] = Atom::Nodes(var, kept);
        }
        at += 1;
    }
}

/// The nodes of a conjunct's variable, if they are listed.
pub(super) fn listed<'c>(conjunct: &'c Conjunct<'_>, var: Var) -> Option<&'c [u32]> {
    conjunct.atoms.iter().find_map(|atom| match atom {
        Atom::Nodes(other, nodes) if *other == var => Some(nodes.as_slice()),
        _ => None,
    })
}

/// Whether a node is an entity.
pub(super) fn is_entity(kb: &Kb, node: u32) -> bool {
    NodeId(node).index() < kb.n_entities()
}
