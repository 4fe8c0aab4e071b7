//! The algebra that the three languages translate to.
//!
//! A [`Query`] asks something about [`Set`]s. A set is described, never computed here: "the things that some member of `from` leads to by
//! `property`", "the members of this class", "what is in all of these sets". Nothing refers to a KB: properties, classes and entities are the
//! words of the source, looked up when the query runs (by id first, then by name).

use crate::schema_ids::{entities, is_freebase};
use crate::value::{Symbol, Value};
use touchstone_kb::Comparison;

/// A question: what is asked, and the side conditions that SPARQL dialects add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// What is asked.
    pub answer: Ask,
    /// Side conditions.
    pub rules: Rules,
}

/// What a query asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// The members of a set. KoPL's `What` asks for them by name; an answer carries both id and name.
    Members(Set),
    /// How many members a set has.
    Count(Set),
    /// Whether a set has members.
    Exists(Set),
    /// The values of an attribute, of facts that satisfy the conditions.
    Attribute {
        /// Whose values.
        of: Set,
        /// Which attribute.
        attribute: Symbol,
        /// Conditions on the qualifiers of the fact.
        conditions: Vec<Condition>,
    },
    /// Whether some value of an attribute satisfies a comparison.
    Verify {
        /// Whose values.
        of: Set,
        /// Which attribute.
        attribute: Symbol,
        /// Conditions on the qualifiers of the fact.
        conditions: Vec<Condition>,
        /// How to compare.
        comparison: Comparison,
        /// With what.
        value: Box<Value>,
    },
    /// Which relations lead from members of one set to members of another.
    Relation {
        /// The subjects.
        from: Set,
        /// The objects.
        to: Set,
    },
    /// A qualifier of a literal fact.
    AttributeQualifier {
        /// The subjects of the fact.
        of: Set,
        /// Its attribute.
        attribute: Symbol,
        /// Its value.
        value: Box<Value>,
        /// The qualifier asked for.
        qualifier: Symbol,
    },
    /// A qualifier of a relational fact.
    RelationQualifier {
        /// The subjects of the fact.
        from: Set,
        /// Its relation.
        relation: Symbol,
        /// The objects of the fact.
        to: Set,
        /// The qualifier asked for.
        qualifier: Symbol,
    },
    /// Which of two has the greater or smaller value; both if they tie.
    SelectBetween {
        /// The one.
        left: Set,
        /// The other.
        right: Set,
        /// By which attribute.
        attribute: Symbol,
        /// Greater or smaller.
        extreme: Extreme,
    },
    /// Which member has the greatest or smallest value.
    SelectAmong {
        /// The candidates.
        among: Set,
        /// By which attribute.
        attribute: Symbol,
        /// Greatest or smallest.
        extreme: Extreme,
    },
}

/// A description of entities or literals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Set {
    /// Everything.
    All,
    /// One entity, by id.
    Entity(Symbol),
    /// Every entity and class with this name.
    Named(Symbol),
    /// The members of a class, by the class's id or name.
    Class(Symbol),
    /// The literals that compare so with a value, by the rules of `touchstone_kb::compare`: a year equals the dates in it.
    Values(Comparison, Box<Value>),
    /// What the members of another set lead to.
    Relate(Box<Relate>),
    /// What is in all of these sets.
    And(Vec<Set>),
    /// What is in one of these sets.
    Or(Vec<Set>),
    /// The members with the greatest or smallest value at the end of a path; all of those that tie.
    Superlative(Box<Superlative>),
    /// What was so during a period, by its properties for start and end.
    During(Box<During>),
    /// A set whose member, in a given solution, can be referred to by [`Set::Same`], [`Superlative::start`] and [`Rules`].
    Marked(Mark, Box<Set>),
    /// The same thing as the marked one: this closes cycles.
    Same(Mark),
}

/// The number of a marked thing.
pub type Mark = u32;

/// One step along a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relate {
    /// Where the step starts.
    pub from: Set,
    /// The relation or attribute.
    pub property: Symbol,
    /// `Forward`: from subjects to objects. `Backward`: from objects to subjects.
    pub direction: Direction,
    /// Conditions on the qualifiers of the fact; all must hold of the same fact.
    pub conditions: Vec<Condition>,
}

/// Which way a step goes along its facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// From subject to object.
    Forward,
    /// From object to subject.
    Backward,
}

impl Direction {
    /// The other way.
    pub fn flipped(self) -> Direction {
        match self {
            Direction::Forward => Direction::Backward,
            Direction::Backward => Direction::Forward,
        }
    }

    /// KoPL's word.
    pub fn word(self) -> &'static str {
        match self {
            Direction::Forward => "forward",
            Direction::Backward => "backward",
        }
    }
}

/// A condition on a qualifier of a fact: some value under the key compares so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The qualifier key.
    pub qualifier: Symbol,
    /// How to compare.
    pub comparison: Comparison,
    /// With what.
    pub value: Value,
}

/// Greatest or smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Extreme {
    /// The greatest.
    Max,
    /// The smallest.
    Min,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// The relation or attribute.
    pub property: Symbol,
    /// Which way.
    pub direction: Direction,
}

/// See [`Set::Superlative`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superlative {
    /// The candidates.
    pub of: Set,
    /// From the start to the value; the last step leads to literals.
    pub path: Vec<Step>,
    /// Greatest or smallest.
    pub extreme: Extreme,
    /// Where the path starts: at the candidate, or at a thing marked inside `of`. The extreme is taken over all solutions of `of`, and a
    /// candidate is kept when one of *its* solutions reaches it.
    pub start: Option<Mark>,
}

/// See [`Set::During`]: a missing start or end counts as open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct During {
    /// The property for the start.
    pub start: Symbol,
    /// The property for the end.
    pub end: Symbol,
    /// The start may not be after this.
    pub latest_start: Value,
    /// The end may not be before this.
    pub earliest_end: Value,
}

/// Side conditions that datasets write into their SPARQL and that are not part of what is asked. They hold of each solution; if the answer is
/// a superlative, the extreme is one of those that they leave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// Pairs that must not be the same thing.
    pub different: Vec<(Operand, Operand)>,
    /// Answers that are texts must be English or without a language.
    pub english: bool,
}

/// A side of an inequality.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// The answer.
    Answer,
    /// A marked thing.
    Marked(Mark),
    /// An entity, by id.
    Entity(Symbol),
}

impl Query {
    /// A query without side conditions.
    pub fn new(answer: Ask) -> Query {
        Query { answer, rules: Rules::default() }
    }

    /// Forgets inequalities of unknown things if the query is about Freebase: data sets write them into all SPARQL, and their S-expressions do
    /// not have them.
    pub fn forget_conventions(&mut self) {
        if self.rules.different.is_empty() || !entities(self).into_iter().any(is_freebase) {
            return;
        }
        let is_entity = |side: &Operand| matches!(side, Operand::Entity(_));
        self.rules.different.retain(|(a, b)| is_entity(a) || is_entity(b));
    }

    /// Calls `visit` for each set of the answer, outermost only.
    pub fn sets<'q>(&'q self, visit: &mut dyn FnMut(&'q Set)) {
        match &self.answer {
            Ask::Members(set) | Ask::Count(set) | Ask::Exists(set) => visit(set),
            Ask::Attribute { of, .. } | Ask::Verify { of, .. } | Ask::AttributeQualifier { of, .. } => {
                visit(of)
            }
            Ask::Relation { from, to } | Ask::RelationQualifier { from, to, .. } => {
                visit(from);
                visit(to);
            }
            Ask::SelectBetween { left, right, .. } => {
                visit(left);
                visit(right);
            }
            Ask::SelectAmong { among, .. } => visit(among),
        }
    }

    /// The same, to change them.
    pub fn sets_mut(&mut self, visit: &mut dyn FnMut(&mut Set)) {
        match &mut self.answer {
            Ask::Members(set) | Ask::Count(set) | Ask::Exists(set) => visit(set),
            Ask::Attribute { of, .. } | Ask::Verify { of, .. } | Ask::AttributeQualifier { of, .. } => {
                visit(of)
            }
            Ask::Relation { from, to } | Ask::RelationQualifier { from, to, .. } => {
                visit(from);
                visit(to);
            }
            Ask::SelectBetween { left, right, .. } => {
                visit(left);
                visit(right);
            }
            Ask::SelectAmong { among, .. } => visit(among),
        }
    }
}

impl Set {
    /// The conjunction, flattened; `All` is dropped if there is another condition.
    pub fn and(sets: impl IntoIterator<Item = Set>) -> Set {
        let mut parts: Vec<Set> = Vec::with_capacity(2);
        let mut add = |set: Set| match set {
            Set::All => {}
            // Programs repeat the class in each branch of an And.
            Set::Class(_) if parts.len() < 64 && parts.contains(&set) => {}
            other => parts.push(other),
        };
        for set in sets {
            match set {
                Set::And(inner) => inner.into_iter().for_each(&mut add),
                other => add(other),
            }
        }
        match parts.len() {
            0 => Set::All,
            1 => parts.remove(0),
            _ => Set::And(parts),
        }
    }

    /// The disjunction, flattened.
    pub fn or(sets: impl IntoIterator<Item = Set>) -> Set {
        let mut parts = Vec::new();
        for set in sets {
            match set {
                Set::Or(inner) => parts.extend(inner),
                other => parts.push(other),
            }
        }
        if parts.len() == 1 { parts.remove(0) } else { Set::Or(parts) }
    }

    /// One step along a property.
    pub fn relate(from: Set, property: impl Into<Symbol>, direction: Direction) -> Set {
        Set::Relate(Box::new(Relate { from, property: property.into(), direction, conditions: Vec::new() }))
    }

    /// The parts of a conjunction; the set itself if it is none.
    pub fn conjuncts(&self) -> &[Set] {
        match self {
            Set::And(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }

    /// The sets that this one is made of.
    pub fn children<'s>(&'s self, visit: &mut dyn FnMut(&'s Set)) {
        match self {
            Set::And(parts) | Set::Or(parts) => parts.iter().for_each(visit),
            Set::Relate(relate) => visit(&relate.from),
            Set::Superlative(superlative) => visit(&superlative.of),
            Set::Marked(_, set) => visit(set),
            _ => {}
        }
    }
}
