//! From a parsed query to a tree of operators. What cannot be run exactly here is refused with `None`.

use super::cells::{Cell, MOST_SLOTS, Slot, Slots, Table, Terms, one};
use super::compile_expression::CallPart;
use super::paths::Path;
use super::tree::{
    Aggregate, AggregateFunction, Aggregation, ExprKind, Group, Kept, Node, Part, PathPart, Pos, SortKey,
    Tail,
};
use oxrdf::{Term, Variable};
use spargebra::Query;
use spargebra::algebra::{
    AggregateExpression, AggregateFunction as ParsedFunction, Expression, GraphPattern, OrderExpression,
    PropertyPathExpression,
};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// A query that can be run here.
pub(super) struct Compiled {
    pub(super) root: Node,
    /// The columns of `SELECT`, with their slots; `None` for `ASK`.
    pub(super) columns: Option<Vec<(Variable, Slot)>>,
    pub(super) slots: usize,
    /// The number of kept nodes and of remembered calls.
    pub(super) kept: usize,
    pub(super) calls: usize,
}

/// Compiles a query; `None` if it is to be run in another way.
pub(super) fn compile(query: &Query, terms: &mut Terms<'_>) -> Option<Compiled> {
    let (pattern, base, is_ask) = match query {
        Query::Select { pattern, base_iri, .. } => (pattern, base_iri, false),
        Query::Ask { pattern, base_iri, .. } => (pattern, base_iri, true),
        Query::Construct { .. } | Query::Describe { .. } => return None,
    };
    let mut compiler = Compiler {
        terms,
        scope: HashMap::new(),
        slots: 0,
        kept: 0,
        existences: 0,
        calls: 0,
        known_calls: HashMap::new(),
        has_base: base.is_some(),
        counts_rows: false,
        has_negated_set: false,
    };
    let columns = if is_ask { None } else { Some(projected(pattern)?) };
    let columns = columns.map(|columns| {
        let columns = columns.iter().map(|v| Some((v.clone(), compiler.variable(v)?)));
        columns.collect::<Option<Vec<_>>>()
    });
    let columns = match columns {
        Some(columns) => Some(columns?),
        None => None,
    };
    let root = compiler.node(pattern)?;
    // How often a negated set leads to the same end is understood differently.
    let is_set = is_ask || matches!(root, Node::Distinct { .. });
    if compiler.has_negated_set && (compiler.counts_rows || !is_set) {
        return None;
    }
    let Compiler { slots, kept, calls, .. } = compiler;
    Some(Compiled { root, columns, slots, kept, calls })
}

/// The columns of `SELECT`.
fn projected(mut pattern: &GraphPattern) -> Option<&[Variable]> {
    loop {
        pattern = match pattern {
            GraphPattern::Project { variables, .. } => return Some(variables),
            GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Slice { inner, .. }
            | GraphPattern::OrderBy { inner, .. } => inner,
            _ => return None,
        };
    }
}

/// The state of a compilation.
pub(super) struct Compiler<'t, 'v> {
    pub(super) terms: &'t mut Terms<'v>,
    /// Variables and blank nodes of the sub-query that is being compiled.
    scope: HashMap<String, Slot>,
    slots: usize,
    pub(super) kept: usize,
    pub(super) existences: usize,
    pub(super) calls: usize,
    /// The numbers of remembered calls.
    pub(super) known_calls: HashMap<Vec<CallPart>, usize>,
    pub(super) has_base: bool,
    /// Whether the number of equal rows can matter inside the query.
    counts_rows: bool,
    has_negated_set: bool,
}

impl Compiler<'_, '_> {
    fn fresh(&mut self) -> Option<Slot> {
        let slot = self.slots;
        self.slots += 1;
        (slot < MOST_SLOTS).then_some(slot)
    }

    fn named(&mut self, name: String) -> Option<Slot> {
        if let Some(&slot) = self.scope.get(&name) {
            return Some(slot);
        }
        let slot = self.fresh()?;
        self.scope.insert(name, slot);
        Some(slot)
    }

    pub(super) fn variable(&mut self, variable: &Variable) -> Option<Slot> {
        self.named(format!("?{}", variable.as_str()))
    }

    /// The slots of the variables that a pattern can bind.
    fn in_scope(&mut self, pattern: &GraphPattern) -> Option<Slots> {
        let mut names = Vec::new();
        pattern.on_in_scope_variable(|variable| names.push(variable.clone()));
        names.iter().try_fold(0, |set, variable| Some(set | one(self.variable(variable)?)))
    }

    /// Compiles a pattern of any kind.
    pub(super) fn node(&mut self, pattern: &GraphPattern) -> Option<Node> {
        Some(match pattern {
            GraphPattern::OrderBy { inner, expression } => {
                let input = Box::new(self.node(inner)?);
                let keys = expression.iter().map(|key| self.sort_key(key)).collect::<Option<Vec<_>>>()?;
                Node::Order { input, keys }
            }
            GraphPattern::Project { inner, variables } => self.project(inner, variables)?,
            GraphPattern::Distinct { inner } | GraphPattern::Reduced { inner } => {
                let input = self.node(inner)?;
                // What a row is must be clear.
                if !matches!(input, Node::Project { .. }) {
                    return None;
                }
                Node::Distinct { input: Box::new(input) }
            }
            GraphPattern::Slice { inner, start, length } => {
                self.counts_rows = true;
                Node::Slice { input: Box::new(self.node(inner)?), start: *start, length: *length }
            }
            GraphPattern::Group { inner, variables, aggregates } => {
                self.aggregation(inner, variables, aggregates)?
            }
            other => Node::Group(Rc::new(self.group(other)?)),
        })
    }

    fn sort_key(&mut self, key: &OrderExpression) -> Option<SortKey> {
        let (OrderExpression::Asc(expression) | OrderExpression::Desc(expression)) = key;
        let descending = matches!(key, OrderExpression::Desc(_));
        Some(SortKey { expression: Rc::new(self.expression(expression)?), descending })
    }

    /// Only the projected variables are those of the query outside.
    fn project(&mut self, inner: &GraphPattern, variables: &[Variable]) -> Option<Node> {
        let visible = variables.iter().map(|v| Some((v, self.variable(v)?))).collect::<Option<Vec<_>>>()?;
        let slots = visible.iter().fold(0, |set, (_, slot)| set | one(*slot));
        let inside = visible.iter().map(|(v, slot)| (format!("?{}", v.as_str()), *slot)).collect();
        let outside = std::mem::replace(&mut self.scope, inside);
        let input = self.node(inner);
        self.scope = outside;
        Some(Node::Project { input: Box::new(input?), slots })
    }

    fn aggregation(
        &mut self,
        inner: &GraphPattern,
        variables: &[Variable],
        aggregates: &[(Variable, AggregateExpression)],
    ) -> Option<Node> {
        let input = self.node(inner)?;
        let visible = self.in_scope(inner)?;
        let keys = variables.iter().map(|v| self.variable(v)).collect::<Option<Vec<_>>>()?;
        let aggregates = aggregates.iter().map(|(variable, aggregate)| {
            let aggregate = self.aggregate(aggregate)?;
            Some((self.variable(variable)?, aggregate))
        });
        let aggregates = aggregates.collect::<Option<Vec<_>>>()?;
        let all_distinct = aggregates.iter().all(|(_, aggregate)| aggregate.ignores_repetitions());
        self.counts_rows |= !all_distinct;
        Some(Node::Aggregate(Box::new(Aggregation { input, keys, aggregates, visible })))
    }

    fn aggregate(&mut self, aggregate: &AggregateExpression) -> Option<Aggregate> {
        Some(match aggregate {
            AggregateExpression::CountSolutions { distinct } => Aggregate::CountRows { distinct: *distinct },
            AggregateExpression::FunctionCall { name, expr, distinct } => {
                let function = match name {
                    ParsedFunction::Count => AggregateFunction::Count,
                    ParsedFunction::Sum => AggregateFunction::Sum,
                    ParsedFunction::Avg => AggregateFunction::Avg,
                    ParsedFunction::Min => AggregateFunction::Min,
                    ParsedFunction::Max => AggregateFunction::Max,
                    ParsedFunction::Sample => AggregateFunction::Sample,
                    ParsedFunction::GroupConcat { separator } => AggregateFunction::Concat {
                        separator: separator.clone().unwrap_or_else(|| " ".to_owned()),
                    },
                    ParsedFunction::Custom(_) => return None,
                };
                let expression = Rc::new(self.expression(expr)?);
                Aggregate::Call { function, expression, distinct: *distinct }
            }
        })
    }

    /// A pattern as a group.
    pub(super) fn group(&mut self, pattern: &GraphPattern) -> Option<Group> {
        match pattern {
            GraphPattern::Bgp { patterns } => {
                let mut group = Group::default();
                for triple in patterns {
                    self.triple(triple, &mut group)?;
                }
                Some(group)
            }
            GraphPattern::Path { subject, path, object } => {
                let mut group = Group::default();
                let subject = self.position(subject, &mut group)?;
                let object = self.position(object, &mut group)?;
                self.path(path, subject, object, &mut group)?;
                Some(group)
            }
            GraphPattern::Join { left, right } => {
                let (left, right) = (self.group(left)?, self.group(right)?);
                self.join(left, right)
            }
            GraphPattern::LeftJoin { left, right, expression } => {
                let mut group = self.group(left)?;
                let optional = Rc::new(self.group(right)?);
                let filter = match expression {
                    Some(expression) => Some(Rc::new(self.expression(expression)?)),
                    None => None,
                };
                group.tail.push(Tail::Optional(optional, filter));
                Some(group)
            }
            GraphPattern::Minus { left, right } => {
                let mut group = self.group(left)?;
                let excluded = self.group(right)?;
                // Without a common variable nothing is taken away.
                if group.possible() & excluded.possible() != 0 {
                    group.tail.push(Tail::Minus(Rc::new(excluded)));
                }
                Some(group)
            }
            GraphPattern::Union { left, right } => {
                let mut branches = Vec::new();
                self.branches(left, &mut branches)?;
                self.branches(right, &mut branches)?;
                Some(Group::of(Part::Union(branches)))
            }
            GraphPattern::Filter { expr, inner } => {
                let group = self.group(inner)?;
                self.filter(group, expr)
            }
            GraphPattern::Extend { inner, variable, expression } => {
                let group = self.group(inner)?;
                self.extend(group, variable, expression)
            }
            GraphPattern::Values { variables, bindings } => self.values(variables, bindings),
            GraphPattern::Graph { .. } | GraphPattern::Service { .. } | GraphPattern::Lateral { .. } => None,
            other => match self.node(other)? {
                Node::Group(group) => Some(Rc::unwrap_or_clone(group)),
                // A plain sub-query is a group whose other variables are hidden.
                Node::Project { input, .. } if matches!(*input, Node::Group(_)) => match *input {
                    Node::Group(group) => Some(Rc::unwrap_or_clone(group)),
                    _ => None,
                },
                node => Some(Group::of(self.keep(node))),
            },
        }
    }

    /// The branches of a union; unions within it are flattened.
    fn branches(&mut self, pattern: &GraphPattern, branches: &mut Vec<Rc<Group>>) -> Option<()> {
        if let GraphPattern::Union { left, right } = pattern {
            self.branches(left, branches)?;
            return self.branches(right, branches);
        }
        branches.push(Rc::new(self.group(pattern)?));
        Some(())
    }

    pub(super) fn keep(&mut self, node: Node) -> Part {
        self.kept += 1;
        Part::Kept(Rc::new(Kept { id: self.kept - 1, node }))
    }

    /// A group that is evaluated by itself.
    fn apart(&mut self, group: Group) -> Group {
        Group::of(self.keep(Node::Group(Rc::new(group))))
    }

    fn join(&mut self, mut left: Group, mut right: Group) -> Option<Group> {
        if !left.accepts(right.mentions()) {
            left = self.apart(left);
        }
        if !right.accepts(left.mentions()) {
            right = self.apart(right);
            // Hidden variables may now be out of the way, but never new ones in it.
        }
        left.parts.append(&mut right.parts);
        left.tail.append(&mut right.tail);
        Some(left)
    }

    fn filter(&mut self, mut group: Group, expression: &Expression) -> Option<Group> {
        if let Expression::And(a, b) = expression {
            let group = self.filter(group, a)?;
            return self.filter(group, b);
        }
        let expression = Rc::new(self.expression(expression)?);
        if expression.slots & group.possible() & !group.certain() == 0 {
            group.parts.push(Part::Filter(expression));
        } else {
            group.tail.push(Tail::Filter(expression));
        }
        Some(group)
    }

    fn extend(&mut self, mut group: Group, variable: &Variable, expression: &Expression) -> Option<Group> {
        let expression = Rc::new(self.expression(expression)?);
        let slot = self.variable(variable)?;
        if group.possible() & one(slot) != 0 {
            return None;
        }
        let is_certain = expression.slots & group.possible() & !group.certain() == 0;
        let is_plain = !matches!(expression.kind, ExprKind::Exists(_));
        if is_certain && is_plain && group.mentions() & one(slot) == 0 {
            group.parts.push(Part::Bind(slot, expression));
        } else {
            group.tail.push(Tail::Bind(slot, expression));
        }
        Some(group)
    }

    fn values(&mut self, variables: &[Variable], bindings: &[Vec<Option<GroundTerm>>]) -> Option<Group> {
        let slots = variables.iter().map(|v| self.variable(v)).collect::<Option<Vec<_>>>()?;
        let mut table = Table::new(slots);
        for row in bindings {
            let cells = row.iter().map(|term| match term {
                Some(term) => self.terms.cell(Term::from(term.clone())),
                None => Cell::Unbound,
            });
            let cells: Vec<Cell> = cells.collect();
            table.push(cells);
        }
        if table.len() == 0 {
            table.certain = 0;
        }
        Some(Group::of(Part::Table(Rc::new(table))))
    }

    fn triple(&mut self, triple: &TriplePattern, group: &mut Group) -> Option<()> {
        let positions = self.positions(triple, group)?;
        group.parts.push(Part::Triple(positions));
        Some(())
    }

    fn positions(&mut self, triple: &TriplePattern, group: &mut Group) -> Option<[Pos; 3]> {
        let subject = self.position(&triple.subject, group)?;
        let predicate = match &triple.predicate {
            NamedNodePattern::NamedNode(iri) => Pos::Const(self.terms.cell(iri.clone().into())),
            NamedNodePattern::Variable(variable) => Pos::Slot(self.variable(variable)?),
        };
        let object = self.position(&triple.object, group)?;
        Some([subject, predicate, object])
    }

    fn position(&mut self, term: &TermPattern, group: &mut Group) -> Option<Pos> {
        Some(match term {
            TermPattern::NamedNode(iri) => Pos::Const(self.terms.cell(iri.clone().into())),
            TermPattern::Literal(literal) => Pos::Const(self.terms.cell(literal.clone().into())),
            TermPattern::Variable(variable) => Pos::Slot(self.variable(variable)?),
            TermPattern::BlankNode(blank) => Pos::Slot(self.named(blank.to_string())?),
            TermPattern::Triple(triple) => {
                if !self.terms.view.quotes_own_triples_only() {
                    return None;
                }
                let positions = self.positions(triple, group)?;
                let slot = self.fresh()?;
                group.parts.push(Part::Quoted(slot, positions));
                Pos::Slot(slot)
            }
        })
    }

    /// A path as patterns, as far as it can be written with them.
    fn path(&mut self, path: &PropertyPathExpression, start: Pos, end: Pos, group: &mut Group) -> Option<()> {
        match path {
            PropertyPathExpression::NamedNode(iri) => {
                let predicate = Pos::Const(self.terms.cell(iri.clone().into()));
                group.parts.push(Part::Triple([start, predicate, end]));
            }
            PropertyPathExpression::Reverse(inner) => self.path(inner, end, start, group)?,
            PropertyPathExpression::Sequence(a, b) => {
                let middle = Pos::Slot(self.fresh()?);
                self.path(a, start, middle, group)?;
                self.path(b, middle, end, group)?;
            }
            PropertyPathExpression::Alternative(a, b) => {
                let branches = [a, b].into_iter().map(|path| {
                    let mut branch = Group::default();
                    self.path(path, start, end, &mut branch)?;
                    Some(Rc::new(branch))
                });
                let branches = branches.collect::<Option<Vec<_>>>()?;
                group.parts.push(Part::Union(branches));
            }
            PropertyPathExpression::ZeroOrMore(_)
            | PropertyPathExpression::OneOrMore(_)
            | PropertyPathExpression::ZeroOrOne(_)
            | PropertyPathExpression::NegatedPropertySet(_) => {
                let forward = self.steps(path, false)?;
                self.has_negated_set |= matches!(path, PropertyPathExpression::NegatedPropertySet(_));
                if forward.is_nullable() && ![start, end].into_iter().all(|end| self.is_in_graph(end)) {
                    return None;
                }
                let backward = forward.reversed();
                group.parts.push(Part::Path(Rc::new(PathPart { ends: [start, end], forward, backward })));
            }
        }
        Some(())
    }

    /// Whether a constant end of a path is a node of the graph. What a path of length zero gives for others is understood differently.
    fn is_in_graph(&self, end: Pos) -> bool {
        let view = self.terms.view;
        let term = match end {
            Pos::Slot(_) => return true,
            Pos::Const(Cell::Term(term)) => term,
            Pos::Const(_) => return false,
        };
        let stop = &mut |_| ControlFlow::Break(());
        view.for_each_match(Some(term), None, None, stop).is_break()
            || view.for_each_match(None, None, Some(term), stop).is_break()
    }

    fn steps(&mut self, path: &PropertyPathExpression, inverse: bool) -> Option<Path> {
        let code = |cell: Cell| match cell {
            Cell::Term(code) => Some(code),
            Cell::Unbound | Cell::Made(_) => None,
        };
        Some(match path {
            PropertyPathExpression::NamedNode(iri) => {
                Path::Step(code(self.terms.cell(iri.clone().into())), inverse)
            }
            PropertyPathExpression::Reverse(inner) => self.steps(inner, !inverse)?,
            PropertyPathExpression::Sequence(a, b) => {
                let (a, b) = (Box::new(self.steps(a, inverse)?), Box::new(self.steps(b, inverse)?));
                if inverse { Path::Sequence(b, a) } else { Path::Sequence(a, b) }
            }
            PropertyPathExpression::Alternative(a, b) => {
                Path::Alternative(Box::new(self.steps(a, inverse)?), Box::new(self.steps(b, inverse)?))
            }
            PropertyPathExpression::ZeroOrMore(inner) => Path::Star(Box::new(self.steps(inner, inverse)?)),
            PropertyPathExpression::OneOrMore(inner) => Path::Plus(Box::new(self.steps(inner, inverse)?)),
            PropertyPathExpression::ZeroOrOne(inner) => Path::Maybe(Box::new(self.steps(inner, inverse)?)),
            PropertyPathExpression::NegatedPropertySet(iris) => {
                let excluded = iris.iter().filter_map(|iri| code(self.terms.cell(iri.clone().into())));
                Path::Not(excluded.collect(), inverse)
            }
        })
    }
}

impl Aggregate {
    /// Whether equal rows may be counted once.
    pub(super) fn ignores_repetitions(&self) -> bool {
        match self {
            Aggregate::CountRows { distinct } => *distinct,
            Aggregate::Call { function, distinct, .. } => {
                *distinct
                    || matches!(
                        function,
                        AggregateFunction::Min | AggregateFunction::Max | AggregateFunction::Sample
                    )
            }
        }
    }
}
