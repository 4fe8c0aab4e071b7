//! In which order the members of a group are joined.
//!
//! Members are chosen greedily, by estimates. Where only the set of rows matters, not how often each comes up, members that are needed for
//! nothing but their existence are checked once, and rows that differ only in variables of no further use are taken once.

use super::cells::{Slot, Slots, one, slots_of};
use super::run::Halt;
use super::tree::{Expr, Group, Kept, Node, Part, PathPart, Pos, Tail};
use std::rc::Rc;
use touchstone_kb::rdf::{Position, RdfView};

/// One step of the evaluation of a group.
pub(super) enum Step {
    Scan([Pos; 3]),
    Quoted(Slot, [Pos; 3]),
    Path(Rc<PathPart>),
    /// Rows that agree with the row so far. `bound` has a value by then; `index` numbers the index by these slots.
    Rows {
        rows: RowSource,
        bound: Slots,
        index: usize,
    },
    Union(Vec<Vec<Step>>),
    Bind(Slot, Rc<Expr>),
    Filter(Rc<Expr>),
    /// Continues with the first of the rows that have the same values in these slots.
    Once {
        slots: Vec<Slot>,
        memo: usize,
    },
    /// Whether the steps after this one find a row depends on these slots only.
    Recall {
        slots: Vec<Slot>,
        memo: usize,
    },
    /// Continues if the steps find a row, or if they find none.
    Check {
        steps: Vec<Step>,
        finds: bool,
        slots: Vec<Slot>,
        memo: Option<usize>,
    },
    /// Continues unless one of the rows agrees with the row so far and has a variable in common with it.
    Minus {
        rows: RowSource,
        shared: Vec<Slot>,
        bound: Slots,
        index: usize,
    },
    Optional(Vec<Step>, Option<Rc<Expr>>),
}

/// Rows that are worked out once.
#[derive(Clone)]
pub(super) enum RowSource {
    Table(Rc<super::cells::Table>),
    Kept(Rc<Kept>, Goal),
}

/// What the rows of a group are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// All rows, each as often as it comes up.
    Bag,
    /// The different values of these slots.
    Set(Slots),
    /// Whether there is one.
    Exists,
}

/// Slots that have a value, or may have one, at a step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct State {
    pub(super) certain: Slots,
    pub(super) possible: Slots,
    /// Slots of no further use whose repetitions were already removed.
    pub(super) dropped: Slots,
}

/// Numbers for what a run remembers.
#[derive(Default)]
pub(super) struct Numbers {
    pub(super) memos: usize,
    pub(super) indexes: usize,
    pub(super) kept: usize,
}

fn next(number: &mut usize) -> usize {
    *number += 1;
    *number - 1
}

/// Makes steps.
pub(super) struct Planner<'p> {
    pub(super) view: &'p dyn RdfView,
    pub(super) numbers: &'p mut Numbers,
    /// Whether the values of outer variables are to be seen everywhere inside, as in `EXISTS`.
    pub(super) substituted: bool,
}

type Members<'g> = Vec<&'g Part>;

fn mentions(parts: &[&Part]) -> Slots {
    parts.iter().fold(0, |set, part| set | part.mentions())
}

fn finds_rows(parts: &[&Part]) -> bool {
    parts.iter().any(|part| part.finds_rows())
}

impl Planner<'_> {
    /// The steps of a group.
    pub(super) fn group(&mut self, group: &Group, state: &mut State, goal: Goal) -> Result<Vec<Step>, Halt> {
        let mut steps = Vec::new();
        let tails = useful_tails(group, goal);
        let after = tails.iter().fold(0, |set, tail| set | tail.mentions());
        let parts_goal = match goal {
            Goal::Set(needed) => Goal::Set(needed | after),
            Goal::Exists if tails.is_empty() => Goal::Exists,
            Goal::Exists | Goal::Bag => Goal::Bag,
        };
        self.parts(group.possible(), group.parts.iter().collect(), state, parts_goal, &mut steps)?;
        for tail in tails {
            self.tail(tail, state, &mut steps)?;
        }
        Ok(steps)
    }

    fn tail(&mut self, tail: &Tail, state: &mut State, steps: &mut Vec<Step>) -> Result<(), Halt> {
        match tail {
            Tail::Filter(expression) => steps.push(Step::Filter(Rc::clone(expression))),
            Tail::Bind(slot, expression) => {
                steps.push(Step::Bind(*slot, Rc::clone(expression)));
                state.possible |= one(*slot);
            }
            Tail::Optional(group, filter) => {
                let mut inner = *state;
                let inside = if group.accepts(state.possible) {
                    self.group(group, &mut inner, Goal::Bag)?
                } else {
                    let apart = Part::Kept(self.apart(Group::clone(group))?);
                    let mut steps = Vec::new();
                    self.emit(&apart, &[], &mut inner, Goal::Bag, &mut steps)?;
                    steps
                };
                steps.push(Step::Optional(inside, filter.clone()));
                state.possible |= group.possible();
            }
            Tail::Minus(group) => self.minus(group, state, steps)?,
        }
        Ok(())
    }

    fn minus(&mut self, group: &Rc<Group>, state: &State, steps: &mut Vec<Step>) -> Result<(), Halt> {
        let shared = group.possible() & state.possible;
        let is_certain = shared & !(group.certain() & state.certain) == 0;
        if is_certain && group.accepts(state.possible) {
            let mut inner = *state;
            let slots = slots_of(group.mentions() & state.possible).collect();
            let inside = self.group(group, &mut inner, Goal::Exists)?;
            let memo = Some(next(&mut self.numbers.memos));
            steps.push(Step::Check { steps: inside, finds: false, slots, memo });
        } else {
            let kept = self.apart(Group::clone(group))?;
            let bound = shared & group.certain() & state.certain;
            let index = next(&mut self.numbers.indexes);
            let rows = RowSource::Kept(kept, Goal::Set(shared));
            steps.push(Step::Minus { rows, shared: slots_of(shared).collect(), bound, index });
        }
        Ok(())
    }

    /// A group that is evaluated by itself.
    fn apart(&mut self, group: Group) -> Result<Rc<Kept>, Halt> {
        if self.substituted {
            return Err(Halt::GiveUp);
        }
        Ok(Rc::new(Kept { id: next(&mut self.numbers.kept), node: Node::Group(Rc::new(group)) }))
    }

    /// Joins members of a group. `scope` are the variables that the group can bind.
    fn parts(
        &mut self,
        scope: Slots,
        mut rest: Members<'_>,
        state: &mut State,
        goal: Goal,
        out: &mut Vec<Step>,
    ) -> Result<(), Halt> {
        loop {
            self.ready(scope, &mut rest, state, goal, out)?;
            if !finds_rows(&rest) {
                for part in std::mem::take(&mut rest) {
                    self.emit(part, &[], state, goal, out)?;
                }
                return Ok(());
            }
            let (components, spanning) = components(&rest, scope, state.certain);
            let needs_nothing = match goal {
                Goal::Set(needed) => mentions(&rest) & needed & !state.certain == 0,
                Goal::Bag | Goal::Exists => false,
            };
            if components.len() > 1 || needs_nothing {
                return self.components(scope, components, spanning, state, goal, out);
            }
            let part = rest.remove(self.choose(&rest, state));
            self.emit(part, &rest, state, goal, out)?;
            self.forget(&rest, state, goal, out);
        }
    }

    /// Members that have no unbound variable in common.
    fn components(
        &mut self,
        scope: Slots,
        mut components: Vec<Members<'_>>,
        mut spanning: Members<'_>,
        state: &mut State,
        goal: Goal,
        out: &mut Vec<Step>,
    ) -> Result<(), Halt> {
        let cost = |this: &Self, parts: &Members<'_>| {
            parts.iter().map(|part| this.cost(part, state)).fold(f64::INFINITY, f64::min)
        };
        let mut costs: Vec<(f64, Members<'_>)> =
            components.drain(..).map(|component| (cost(self, &component), component)).collect();
        costs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let needed = match goal {
            Goal::Set(needed) => Some(needed),
            Goal::Exists => Some(0),
            Goal::Bag => None,
        };
        let across = mentions(&spanning);
        let is_checked = |component: &Members<'_>| {
            needed.is_some_and(|needed| mentions(component) & (needed | across) & !state.certain == 0)
        };
        let (checked, mut listed): (Vec<_>, Vec<_>) =
            costs.into_iter().map(|(_, component)| component).partition(is_checked);
        for component in checked {
            self.check(scope, component, state, out)?;
        }
        listed.reverse();
        while let Some(component) = listed.pop() {
            let others = listed.iter().fold(across, |set, other| set | mentions(other));
            let inner_goal = match goal {
                Goal::Set(needed) => Goal::Set(needed | others),
                // What comes after decides whether there is a row.
                Goal::Bag | Goal::Exists => Goal::Bag,
            };
            let is_simple = component.iter().filter(|part| part.finds_rows()).count() == 1
                && component.iter().any(|part| matches!(part, Part::Table(_) | Part::Kept(_)));
            let is_first = state.possible == 0 || mentions(&component) & state.possible != 0;
            if is_first || is_simple || self.substituted {
                self.parts(scope, component, state, inner_goal, out)?;
            } else {
                let group = Group { parts: component.into_iter().cloned().collect(), tail: Vec::new() };
                let apart = Part::Kept(self.apart(group)?);
                self.emit(&apart, &[], state, inner_goal, out)?;
            }
            self.ready(scope, &mut spanning, state, goal, out)?;
        }
        for part in spanning {
            self.emit(part, &[], state, goal, out)?;
        }
        Ok(())
    }

    /// Checks that members have a row.
    fn check(
        &mut self,
        scope: Slots,
        component: Members<'_>,
        state: &State,
        out: &mut Vec<Step>,
    ) -> Result<(), Halt> {
        let slots: Vec<Slot> = slots_of(mentions(&component) & state.possible).collect();
        let is_large = component.iter().filter(|part| part.finds_rows()).count() > 1
            || component.iter().any(|part| matches!(part, Part::Union(_) | Part::Path(_)));
        let memo = is_large.then(|| next(&mut self.numbers.memos));
        let (mut inner, mut steps) = (*state, Vec::new());
        self.parts(scope, component, &mut inner, Goal::Exists, &mut steps)?;
        out.push(Step::Check { steps, finds: true, slots, memo });
        Ok(())
    }

    /// Filters and new variables whose values are known by now.
    fn ready(
        &mut self,
        scope: Slots,
        rest: &mut Members<'_>,
        state: &mut State,
        goal: Goal,
        out: &mut Vec<Step>,
    ) -> Result<(), Halt> {
        loop {
            let at = rest.iter().position(|part| match part {
                Part::Filter(expression) | Part::Bind(_, expression) => {
                    expression.slots & scope & !state.certain == 0
                }
                _ => false,
            });
            let Some(at) = at else { return Ok(()) };
            let part = rest.remove(at);
            self.emit(part, rest, state, goal, out)?;
        }
    }

    /// Adds the step of a member.
    fn emit(
        &mut self,
        part: &Part,
        rest: &[&Part],
        state: &mut State,
        goal: Goal,
        out: &mut Vec<Step>,
    ) -> Result<(), Halt> {
        let later = mentions(rest);
        let step = match part {
            Part::Triple(positions) => Step::Scan(*positions),
            Part::Quoted(slot, positions) => Step::Quoted(*slot, *positions),
            Part::Path(path) => Step::Path(Rc::clone(path)),
            Part::Bind(slot, expression) => Step::Bind(*slot, Rc::clone(expression)),
            Part::Filter(expression) => Step::Filter(Rc::clone(expression)),
            Part::Table(table) => {
                let (bound, index) = (table.certain & state.certain, next(&mut self.numbers.indexes));
                Step::Rows { rows: RowSource::Table(Rc::clone(table)), bound, index }
            }
            Part::Kept(kept) => {
                let goal = match goal {
                    Goal::Bag => Goal::Bag,
                    Goal::Set(needed) => Goal::Set((needed | later | state.possible) & kept.node.possible()),
                    Goal::Exists => Goal::Set((later | state.possible) & kept.node.possible()),
                };
                let bound = kept.node.certain() & state.certain;
                let index = next(&mut self.numbers.indexes);
                Step::Rows { rows: RowSource::Kept(Rc::clone(kept), goal), bound, index }
            }
            Part::Union(branches) => {
                if !branches.iter().all(|branch| branch.accepts(state.possible)) {
                    let kept = self.apart(Group::of(part.clone()))?;
                    return self.emit(&Part::Kept(kept), rest, state, goal, out);
                }
                let goal = match goal {
                    Goal::Set(needed) => Goal::Set(needed | later),
                    Goal::Exists if rest.is_empty() => Goal::Exists,
                    Goal::Bag | Goal::Exists => Goal::Bag,
                };
                let plans = branches.iter().map(|branch| {
                    let mut inner = State { dropped: state.possible, ..*state };
                    self.group(branch, &mut inner, goal)
                });
                Step::Union(plans.collect::<Result<Vec<_>, _>>()?)
            }
        };
        out.push(step);
        state.certain |= part.certain();
        state.possible |= part.possible();
        if let Part::Bind(slot, expression) = part
            && let super::tree::ExprKind::Slot(from) = expression.kind
            && state.certain & one(from) != 0
        {
            state.certain |= one(*slot);
        }
        Ok(())
    }

    /// Takes rows once that differ only in what is of no further use.
    fn forget(&mut self, rest: &[&Part], state: &mut State, goal: Goal, out: &mut Vec<Step>) {
        let needed = match goal {
            Goal::Bag => return,
            Goal::Set(needed) => needed,
            Goal::Exists => 0,
        };
        let live = needed | mentions(rest);
        let gone = state.possible & !live & !state.dropped;
        if gone == 0 || !finds_rows(rest) {
            return;
        }
        state.dropped |= gone;
        let (slots, memo) = (slots_of(live & state.possible).collect(), next(&mut self.numbers.memos));
        out.push(match goal {
            Goal::Exists => Step::Recall { slots, memo },
            Goal::Bag | Goal::Set(_) => Step::Once { slots, memo },
        });
    }

    /// The member to continue with.
    fn choose(&self, rest: &[&Part], state: &State) -> usize {
        let mut best: Option<(f64, usize)> = None;
        for (at, part) in rest.iter().enumerate() {
            if !part.finds_rows() {
                continue;
            }
            let mut cost = self.cost(part, state);
            let is_connected = state.certain == 0 || part.mentions() & state.certain != 0;
            if !is_connected && cost > 1.0 {
                cost *= 1e6;
            }
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, at));
            }
        }
        best.map_or(0, |(_, at)| at)
    }

    /// About how many rows a member adds to each row.
    fn cost(&self, part: &Part, state: &State) -> f64 {
        let position = |pos: Pos| match pos {
            Pos::Const(super::cells::Cell::Term(term)) => Some(Position::Term(term)),
            Pos::Const(_) => None,
            Pos::Slot(slot) if state.certain & one(slot) != 0 => Some(Position::Bound),
            Pos::Slot(_) => Some(Position::Open),
        };
        let estimate = |[subject, predicate, object]: [Pos; 3]| {
            match (position(subject), position(predicate), position(object)) {
                (Some(subject), Some(predicate), Some(object)) => {
                    self.view.estimate(subject, predicate, object)
                }
                // A term that the view does not have.
                _ => 0.0,
            }
        };
        match part {
            Part::Triple(positions) => estimate(*positions),
            Part::Quoted(slot, _) if state.certain & one(*slot) != 0 => 0.5,
            Part::Quoted(_, positions) => estimate(*positions),
            Part::Path(path) => match path.ends.map(|end| end.slots() & !state.certain != 0) {
                [false, false] => 2.0,
                [true, true] => 1e7,
                _ => 20.0,
            },
            Part::Table(table) if part.mentions() & state.certain != 0 => rounded(table.len()).min(0.5),
            Part::Table(table) => rounded(table.len()),
            Part::Kept(_) if part.mentions() & state.certain != 0 => 0.7,
            Part::Kept(kept) => kept.node.estimate(),
            Part::Union(branches) => {
                let cheapest = |branch: &Rc<Group>| {
                    let finding = branch.parts.iter().filter(|part| part.finds_rows());
                    let least = finding.map(|part| self.cost(part, state)).fold(f64::INFINITY, f64::min);
                    if least.is_finite() { least } else { 1.0 }
                };
                branches.iter().map(cheapest).sum()
            }
            Part::Bind(..) | Part::Filter(_) => f64::INFINITY,
        }
    }
}

fn rounded(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// What is done with the rows of a group, without what changes nothing.
fn useful_tails(group: &Group, goal: Goal) -> Vec<&Tail> {
    let mut needed = match goal {
        Goal::Bag => return group.tail.iter().collect(),
        Goal::Set(needed) => needed,
        Goal::Exists => 0,
    };
    let certain = group.certain();
    let mut kept = Vec::new();
    for tail in group.tail.iter().rev() {
        let useful = match tail {
            Tail::Optional(optional, _) => optional.possible() & !certain & needed != 0,
            Tail::Bind(slot, _) => one(*slot) & needed != 0,
            Tail::Minus(_) | Tail::Filter(_) => true,
        };
        if useful {
            needed |= tail.mentions();
            kept.push(tail);
        }
    }
    kept.reverse();
    kept
}

/// The members of a group as sets that have no unbound variable in common, and the filters that need several of them.
fn components<'g>(rest: &[&'g Part], scope: Slots, certain: Slots) -> (Vec<Members<'g>>, Members<'g>) {
    let is_filter = |part: &&&Part| matches!(part, Part::Filter(_));
    let mut found: Vec<(Slots, Members<'g>)> = Vec::new();
    for part in rest.iter().filter(|part| !is_filter(part)) {
        let mut slots = part.mentions() & !certain;
        let mut members = vec![*part];
        found.retain_mut(|(other, parts)| {
            let joined = *other & slots != 0;
            if joined {
                slots |= *other;
                members.append(parts);
            }
            !joined
        });
        found.push((slots, members));
    }
    let mut spanning = Vec::new();
    for part in rest.iter().filter(is_filter) {
        let wanted = part.mentions() & scope & !certain;
        match found.iter_mut().find(|(slots, _)| wanted & !*slots == 0) {
            Some((_, members)) => members.push(part),
            None => spanning.push(*part),
        }
    }
    (found.into_iter().map(|(_, members)| members).collect(), spanning)
}
