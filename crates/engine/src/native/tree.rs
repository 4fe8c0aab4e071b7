//! A query as a tree of operators, with numbered variables and encoded constants.

use super::cells::{Cell, Slot, Slots, Table, one};
use super::paths::Path;
use regex::Regex;
use spareval::ExpressionTerm;
use spargebra::algebra::Function;
use std::rc::Rc;

/// One position of a pattern.
#[derive(Clone, Copy)]
pub(super) enum Pos {
    Const(Cell),
    Slot(Slot),
}

impl Pos {
    pub(super) fn slots(self) -> Slots {
        match self {
            Pos::Const(_) => 0,
            Pos::Slot(slot) => one(slot),
        }
    }
}

/// The slots of a pattern.
pub(super) fn pattern_slots(positions: &[Pos]) -> Slots {
    positions.iter().fold(0, |set, pos| set | pos.slots())
}

/// A path between two positions.
pub(super) struct PathPart {
    pub(super) ends: [Pos; 2],
    pub(super) forward: Path,
    pub(super) backward: Path,
}

/// A node of the tree whose rows are worked out once and kept.
pub(super) struct Kept {
    /// The number of the node among those of the query.
    pub(super) id: usize,
    pub(super) node: Node,
}

/// A member of a group. The order of members means nothing.
#[derive(Clone)]
pub(super) enum Part {
    Triple([Pos; 3]),
    /// A triple term in a slot, and the triple that it is made of.
    Quoted(Slot, [Pos; 3]),
    Path(Rc<PathPart>),
    Table(Rc<Table>),
    Kept(Rc<Kept>),
    Union(Vec<Rc<Group>>),
    /// All variables of the expression that the group can bind at all have a value in every row of the group.
    Bind(Slot, Rc<Expr>),
    /// The same.
    Filter(Rc<Expr>),
}

/// What is done with the rows of a group, in this order.
#[derive(Clone)]
pub(super) enum Tail {
    Optional(Rc<Group>, Option<Rc<Expr>>),
    Minus(Rc<Group>),
    Filter(Rc<Expr>),
    Bind(Slot, Rc<Expr>),
}

/// Patterns that are joined.
#[derive(Clone, Default)]
pub(super) struct Group {
    pub(super) parts: Vec<Part>,
    pub(super) tail: Vec<Tail>,
}

impl Part {
    /// The slots that have a value in every row.
    pub(super) fn certain(&self) -> Slots {
        match self {
            Part::Triple(_) | Part::Quoted(..) | Part::Path(_) => self.possible(),
            Part::Table(table) => table.certain,
            Part::Kept(kept) => kept.node.certain(),
            Part::Union(branches) => {
                branches.iter().map(|branch| branch.certain()).reduce(|a, b| a & b).unwrap_or(0)
            }
            Part::Bind(slot, expression) if expression.never_fails() => one(*slot),
            Part::Bind(..) | Part::Filter(_) => 0,
        }
    }

    /// The slots that may have a value.
    pub(super) fn possible(&self) -> Slots {
        match self {
            Part::Triple(positions) => pattern_slots(positions),
            Part::Quoted(slot, positions) => one(*slot) | pattern_slots(positions),
            Part::Path(path) => pattern_slots(&path.ends),
            Part::Table(table) => table.possible(),
            Part::Kept(kept) => kept.node.possible(),
            Part::Union(branches) => branches.iter().fold(0, |set, branch| set | branch.possible()),
            Part::Bind(slot, _) => one(*slot),
            Part::Filter(_) => 0,
        }
    }

    /// All slots that matter to it.
    pub(super) fn mentions(&self) -> Slots {
        match self {
            Part::Union(branches) => branches.iter().fold(0, |set, branch| set | branch.mentions()),
            Part::Bind(slot, expression) => one(*slot) | expression.slots,
            Part::Filter(expression) => expression.slots,
            other => other.possible(),
        }
    }

    /// Whether it finds rows, and does not only test or extend them.
    pub(super) fn finds_rows(&self) -> bool {
        !matches!(self, Part::Bind(..) | Part::Filter(_))
    }
}

impl Tail {
    fn possible(&self) -> Slots {
        match self {
            Tail::Optional(group, _) => group.possible(),
            Tail::Bind(slot, _) => one(*slot),
            Tail::Minus(_) | Tail::Filter(_) => 0,
        }
    }

    pub(super) fn mentions(&self) -> Slots {
        match self {
            Tail::Optional(group, filter) => {
                group.mentions() | filter.as_ref().map_or(0, |filter| filter.slots)
            }
            Tail::Minus(group) => group.mentions(),
            Tail::Filter(expression) => expression.slots,
            Tail::Bind(slot, expression) => one(*slot) | expression.slots,
        }
    }
}

impl Group {
    /// A group of one member.
    pub(super) fn of(part: Part) -> Group {
        Group { parts: vec![part], tail: Vec::new() }
    }

    /// The slots that have a value in every row.
    pub(super) fn certain(&self) -> Slots {
        let known = self.parts.iter().fold(0, |set, part| set | part.certain());
        // A renamed variable is as certain as the variable itself.
        self.parts.iter().fold(known, |set, part| match part {
            Part::Bind(slot, expression) => match expression.kind {
                ExprKind::Slot(from) if known & one(from) != 0 => set | one(*slot),
                _ => set,
            },
            _ => set,
        })
    }

    /// The slots that may have a value.
    pub(super) fn possible(&self) -> Slots {
        let parts = self.parts.iter().fold(0, |set, part| set | part.possible());
        self.tail.iter().fold(parts, |set, tail| set | tail.possible())
    }

    /// All slots that matter to it.
    pub(super) fn mentions(&self) -> Slots {
        let parts = self.parts.iter().fold(0, |set, part| set | part.mentions());
        self.tail.iter().fold(parts, |set, tail| set | tail.mentions())
    }

    /// Whether values of the slots `outer` from outside may be given to it before it is evaluated: its rows are then exactly those that
    /// agree with these values.
    pub(super) fn accepts(&self, outer: Slots) -> bool {
        let certain = self.certain();
        let accepted = |mentions: Slots| mentions & outer & !certain == 0;
        let parts = self.parts.iter().all(|part| match part {
            Part::Filter(expression) | Part::Bind(_, expression) => accepted(expression.slots),
            _ => true,
        });
        parts
            && self.tail.iter().all(|tail| match tail {
                Tail::Bind(slot, _) => outer & one(*slot) == 0 && accepted(tail.mentions()),
                _ => accepted(tail.mentions()),
            })
    }
}

/// A part of a query that is more than a group.
pub(super) enum Node {
    Group(Rc<Group>),
    Project { input: Box<Node>, slots: Slots },
    Distinct { input: Box<Node> },
    Order { input: Box<Node>, keys: Vec<SortKey> },
    Slice { input: Box<Node>, start: usize, length: Option<usize> },
    Aggregate(Box<Aggregation>),
}

/// A sort key.
pub(super) struct SortKey {
    pub(super) expression: Rc<Expr>,
    pub(super) descending: bool,
}

/// Groups of rows with the same keys, and what is worked out for each.
pub(super) struct Aggregation {
    pub(super) input: Node,
    pub(super) keys: Vec<Slot>,
    pub(super) aggregates: Vec<(Slot, Aggregate)>,
    /// The variables of the rows that are counted.
    pub(super) visible: Slots,
}

/// What is worked out for a group of rows.
pub(super) enum Aggregate {
    CountRows { distinct: bool },
    Call { function: AggregateFunction, expression: Rc<Expr>, distinct: bool },
}

/// The functions of aggregates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AggregateFunction {
    Count,
    Sum,
    Avg,
    Min,
    Max,
    Sample,
    Concat { separator: String },
}

impl Node {
    /// The slots that have a value in every row.
    pub(super) fn certain(&self) -> Slots {
        match self {
            Node::Group(group) => group.certain(),
            Node::Project { input, slots } => input.certain() & slots,
            Node::Distinct { input } | Node::Order { input, .. } | Node::Slice { input, .. } => {
                input.certain()
            }
            Node::Aggregate(aggregation) => {
                let input = aggregation.input.certain();
                let keys = aggregation.keys.iter().fold(0, |set, &key| set | one(key));
                let counts = aggregation
                    .aggregates
                    .iter()
                    .filter(|(_, aggregate)| matches!(aggregate, Aggregate::CountRows { .. }));
                counts.fold(keys & input, |set, (slot, _)| set | one(*slot))
            }
        }
    }

    /// The slots that may have a value.
    pub(super) fn possible(&self) -> Slots {
        match self {
            Node::Group(group) => group.possible(),
            Node::Project { input, slots } => input.possible() & slots,
            Node::Distinct { input } | Node::Order { input, .. } | Node::Slice { input, .. } => {
                input.possible()
            }
            Node::Aggregate(aggregation) => {
                let keys = aggregation.keys.iter().fold(0, |set, &key| set | one(key));
                aggregation.aggregates.iter().fold(keys, |set, (slot, _)| set | one(*slot))
            }
        }
    }

    /// About how many rows there are, as far as that is easy to see.
    pub(super) fn estimate(&self) -> f64 {
        match self {
            Node::Project { input, .. } | Node::Distinct { input } | Node::Order { input, .. } => {
                input.estimate()
            }
            Node::Slice { length: Some(0 | 1), .. } => 1.0,
            Node::Slice { length: Some(2..=20), .. } => 10.0,
            Node::Aggregate(aggregation) if aggregation.keys.is_empty() => 1.0,
            Node::Group(_) | Node::Aggregate(_) | Node::Slice { .. } => 500.0,
        }
    }
}

/// An expression, with the slots that it mentions.
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) slots: Slots,
}

/// Comparisons by order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Operators of arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// The kinds of expressions.
pub(super) enum ExprKind {
    Const(Cell, ExpressionTerm),
    Slot(Slot),
    Bound(Slot),
    Exists(Rc<Existence>),
    Or(Vec<Expr>),
    And(Vec<Expr>),
    Not(Box<Expr>),
    Equal(Box<[Expr; 2]>),
    SameTerm(Box<[Expr; 2]>),
    Compare(Order, Box<[Expr; 2]>),
    In(Box<Expr>, Vec<Expr>),
    Arithmetic(Operator, Box<[Expr; 2]>),
    Plus(Box<Expr>),
    Minus(Box<Expr>),
    If(Box<[Expr; 3]>),
    Coalesce(Vec<Expr>),
    Call(Box<Call>),
}

/// The pattern of `EXISTS`.
pub(super) struct Existence {
    /// The number of the pattern among those of the query.
    pub(super) id: usize,
    pub(super) group: Rc<Group>,
}

/// The call of a function.
pub(super) struct Call {
    pub(super) function: Function,
    pub(super) arguments: Vec<Expr>,
    /// The only variable that the value depends on, and the number of the call among those that are remembered by it.
    pub(super) remembered: Option<(Slot, usize)>,
    /// The pattern of `REGEX`, where it is a constant.
    pub(super) regex: Option<Regex>,
}

impl Expr {
    /// Whether it has a value in every row.
    pub(super) fn never_fails(&self) -> bool {
        matches!(self.kind, ExprKind::Const(..))
    }
}
