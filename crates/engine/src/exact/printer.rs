//! Writes conjuncts as the text of a query, for either view.

use super::conjuncts::{ANSWER, Atom, Conjunct, FactAtom, Kind, Var, add_path, expand};
use super::direct_values::{Condition, MAX_LISTED};
use super::group::{Group, indented, term, union};
use super::kb_values::KbValues;
use super::resolve::{Resolved, Splitting, listed, resolve};
use super::{NoExactForm, View, ViewDialect};
use crate::cast::index32;
use crate::plan::{Extremes, Plan, PlanSet, SetKind, Side};
use std::cell::Cell;
use std::sync::Arc;
use touchstone_kb::rdf::{RdfTerm, RdfView};
use touchstone_kb::{NodeId, Property};
use touchstone_logic::sparql::write::list;

/// Whether a conjunct can have solutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Possible {
    Yes,
    No,
}

/// Maximum length of a list of nodes in a query.
const MAX_NODES: usize = 2000;

/// Prints one plan.
pub(super) struct Printer<'a, 'k> {
    pub(super) knowledge: &'a KbValues<'k>,
    pub(super) dialect: &'a ViewDialect<'k>,
    pub(super) plan: &'a Plan,
    /// Next number for a variable.
    counter: Cell<usize>,
}

/// Prints one conjunct.
pub(super) struct Scope<'s, 'a, 'k> {
    pub(super) printer: &'s Printer<'a, 'k>,
    pub(super) resolved: &'s Resolved<'a>,
    pub(super) group: Group,
    /// The number of this conjunct's first variable.
    base: usize,
    /// The name of the answer, if it is not numbered like other variables.
    answer: Option<&'static str>,
}

impl<'a, 'k> Printer<'a, 'k> {
    pub(super) fn new(knowledge: &'a KbValues<'k>, dialect: &'a ViewDialect<'k>, plan: &'a Plan) -> Self {
        Printer { knowledge, dialect, plan, counter: Cell::new(0) }
    }

    pub(super) fn view(&self) -> View {
        match self.dialect {
            ViewDialect::Direct(_) => View::Direct,
            ViewDialect::KqaPro(_) => View::KqaPro,
        }
    }

    /// A node, as queries write it.
    pub(super) fn node(&self, node: u32) -> Result<String, NoExactForm> {
        let code = RdfTerm::Node(NodeId(node));
        term(&match self.dialect {
            ViewDialect::Direct(direct) => direct.view.decode(code),
            ViewDialect::KqaPro(kqapro) => kqapro.view.decode(code),
        })
    }

    /// Nodes, as queries name them.
    pub(super) fn nodes(&self, nodes: &[&u32]) -> Result<Vec<String>, NoExactForm> {
        nodes.iter().map(|&&node| self.node(node)).collect()
    }

    /// The condition that a qualifier's value is a node that passes a test; `is_node` distinguishes nodes from literals.
    pub(super) fn one_of_nodes(
        &self,
        value: &str,
        is_node: &str,
        pass: &[&u32],
        fail: &[&u32],
    ) -> Result<String, NoExactForm> {
        if fail.is_empty() {
            Ok(is_node.to_owned())
        } else if pass.len() <= MAX_LISTED {
            Ok(format!("{value} IN {}", list(self.nodes(pass)?)))
        } else if fail.len() <= MAX_LISTED {
            Ok(format!("{is_node} && {value} NOT IN {}", list(self.nodes(fail)?)))
        } else {
            Err(NoExactForm::new("a qualifier with many things as values, half of which pass"))
        }
    }

    pub(super) fn splitting(&self, answer: bool) -> Splitting {
        let direct = self.view() == View::Direct;
        Splitting { by_unit: direct, classes_apart: !direct, answer }
    }

    /// The alternatives of the set that the question asks about.
    pub(super) fn alternatives(&self, set: &'a PlanSet) -> Result<Vec<Resolved<'a>>, NoExactForm> {
        let start = vec![Conjunct::new(self.plan.n_marks)];
        Ok(resolve(self.knowledge.kb, expand(set, ANSWER, start)?, self.splitting(true)))
    }

    /// A scope for a conjunct.
    pub(super) fn scope<'s>(
        &'s self,
        resolved: &'s Resolved<'a>,
        answer: Option<&'static str>,
    ) -> Scope<'s, 'a, 'k> {
        let base = self.counter.get();
        self.counter.set(base + resolved.conjunct.n_vars());
        Scope { printer: self, resolved, group: Group::default(), base, answer }
    }

    /// A scope in which the answer has no description of its own.
    pub(super) fn scope_of<'s>(&'s self, resolved: &'s Resolved<'a>) -> Scope<'s, 'a, 'k> {
        self.scope(resolved, None)
    }

    /// The superlative that is the whole question, and the marks of its candidates.
    fn ruled(&self) -> Option<(&'a Extremes, Vec<usize>)> {
        let [mut set] = self.plan.sets()[..] else { return None };
        let mut marks = Vec::new();
        while let SetKind::Marked(mark, inner) = &set.kind {
            marks.push(*mark);
            set = inner;
        }
        match &set.kind {
            SetKind::Superlative(extremes) => Some((extremes, marks)),
            _ => None,
        }
    }

    /// The pattern in which the extreme of a superlative is searched: alternatives that bind `value` in the same way. `None` if
    /// there are no solutions.
    pub(super) fn contest(
        &self,
        extremes: &'a Extremes,
        mut finish: impl FnMut(&mut Scope<'_, 'a, 'k>, Var) -> Result<Possible, NoExactForm>,
    ) -> Result<Option<String>, NoExactForm> {
        let mut start = Conjunct::new(self.plan.n_marks);
        let ruled = self.ruled().filter(|(ruled, _)| std::ptr::eq(*ruled, extremes));
        for &mark in ruled.iter().flat_map(|(_, marks)| marks) {
            start.marks[mark] = Some(ANSWER);
        }
        let mut conjuncts = expand(&extremes.of, ANSWER, vec![start])?;
        let values: Vec<Var> = conjuncts.iter_mut().map(|c| add_path(c, extremes, ANSWER)).collect();
        let mut groups = Vec::new();
        for (conjunct, value) in conjuncts.into_iter().zip(values) {
            for resolved in resolve(self.knowledge.kb, vec![conjunct], self.splitting(false)) {
                if resolved.kinds[value] != Kind::Literal {
                    continue;
                }
                let mut scope = self.scope(&resolved, None);
                let possible = scope.atoms()? == Possible::Yes
                    && (ruled.is_none() || scope.rules()? == Possible::Yes)
                    && finish(&mut scope, value)? == Possible::Yes;
                if possible {
                    groups.push(scope.group.text());
                }
            }
        }
        Ok(if groups.is_empty() { None } else { Some(indented(&union(&groups))) })
    }
}

impl<'a, 'k> Scope<'_, 'a, 'k> {
    pub(super) fn kind(&self, var: Var) -> Kind {
        self.resolved.kinds[var]
    }

    /// The name of a variable, or the only possible node.
    pub(super) fn name(&self, var: Var) -> Result<String, NoExactForm> {
        if var == ANSWER
            && let Some(answer) = self.answer
        {
            return Ok(answer.to_owned());
        }
        match listed(&self.resolved.conjunct, var) {
            Some([only]) => self.printer.node(*only),
            _ => Ok(format!("?x{}", self.base + var)),
        }
    }

    pub(super) fn node(&self, node: u32) -> Result<String, NoExactForm> {
        self.printer.node(node)
    }

    /// A new variable.
    pub(super) fn fresh(&self, prefix: &str) -> String {
        let number = self.printer.counter.get();
        self.printer.counter.set(number + 1);
        format!("?{prefix}{number}")
    }

    /// A term, or a variable for one of several.
    pub(super) fn one_of(&mut self, prefix: &str, terms: Vec<String>) -> String {
        match terms.as_slice() {
            [only] => only.clone(),
            _ => {
                let variable = self.fresh(prefix);
                self.group.one_of(&variable, terms);
                variable
            }
        }
    }

    /// Adds a condition on a variable.
    pub(super) fn restrict(&mut self, variable: &str, condition: Condition) -> Possible {
        match condition {
            Condition::Nothing => return Possible::No,
            Condition::Everything => {}
            Condition::OneOf(terms) => self.group.one_of(variable, terms),
            Condition::Expression(expression) => self.group.filter(&expression),
        }
        Possible::Yes
    }

    /// The facts that have a variable as their value.
    pub(super) fn facts_to(&self, var: Var) -> Vec<&'_ FactAtom<'a>> {
        let facts = self.resolved.conjunct.atoms.iter().filter_map(|atom| match atom {
            Atom::Fact(fact) if fact.value == var => Some(fact),
            _ => None,
        });
        facts.collect()
    }

    /// The properties of the first fact from one variable to another.
    pub(super) fn linking(&self, subject: Var, value: Var) -> Vec<Property> {
        let facts = self.facts_to(value);
        let link = facts.iter().find(|fact| fact.subject == subject);
        link.map(|fact| fact.properties.clone()).unwrap_or_default()
    }

    /// The possible literals of a variable: those of the attribute with the fewest.
    pub(super) fn own(&self, var: Var) -> Arc<[u32]> {
        let facts = self.facts_to(var);
        let lists = facts.iter().map(|fact| self.printer.knowledge.literals(&fact.properties));
        lists.min_by_key(|list| list.len()).unwrap_or_default()
    }

    /// The unit of plain numbers of the attributes that lead to a variable; in the direct view all have the same.
    pub(super) fn usual(&self, var: Var) -> &'k str {
        let facts = self.facts_to(var);
        let attribute = facts.iter().flat_map(|fact| &fact.properties).find_map(|property| match property {
            Property::Attribute(attribute) => Some(*attribute),
            Property::Relation(_) => None,
        });
        attribute.map_or("", |attribute| self.printer.knowledge.kb.plain_unit(attribute))
    }

    /// Writes all conditions of the conjunct.
    pub(super) fn atoms(&mut self) -> Result<Possible, NoExactForm> {
        let resolved = self.resolved;
        for atom in &resolved.conjunct.atoms {
            if self.atom(atom)? == Possible::No {
                return Ok(Possible::No);
            }
        }
        Ok(Possible::Yes)
    }

    fn atom(&mut self, atom: &Atom<'a>) -> Result<Possible, NoExactForm> {
        let dialect = self.printer.dialect;
        match atom {
            Atom::Nodes(var, nodes) => {
                let name = self.name(*var)?;
                if name.starts_with('?') {
                    let nodes: Result<Vec<String>, NoExactForm> =
                        nodes.iter().map(|&n| self.node(n)).collect();
                    self.group.one_of(&name, nodes?);
                }
                Ok(Possible::Yes)
            }
            Atom::Entity(var) => self.entity(*var),
            Atom::Member { var, classes, .. } => match dialect {
                ViewDialect::Direct(direct) => direct.member(self, *var, classes),
                ViewDialect::KqaPro(kqapro) => kqapro.member(self, *var, classes),
            },
            Atom::Passes(var, test) => {
                let wanted = super::wanted::Wanted::Test(test);
                self.literal(*var, &wanted)
            }
            Atom::Fact(fact) => match dialect {
                ViewDialect::Direct(direct) => direct.fact(self, fact),
                ViewDialect::KqaPro(kqapro) => kqapro.fact(self, fact),
            },
            Atom::Lacks(var, properties) => {
                match dialect {
                    ViewDialect::Direct(direct) => direct.lacks(self, *var, properties)?,
                    ViewDialect::KqaPro(kqapro) => kqapro.lacks(self, *var, properties)?,
                }
                Ok(Possible::Yes)
            }
            Atom::Extreme(var, extremes) => self.extreme(*var, extremes),
        }
    }

    fn entity(&mut self, var: Var) -> Result<Possible, NoExactForm> {
        let kb = self.printer.knowledge.kb;
        let n_entities = kb.n_entities();
        let classified = (0..index32(n_entities)).all(|node| kb.classes_of(NodeId(node)).len() > 0);
        if classified {
            return match self.printer.dialect {
                ViewDialect::Direct(direct) => direct.entity(self, var),
                ViewDialect::KqaPro(kqapro) => kqapro.entity(self, var),
            };
        }
        if n_entities > MAX_NODES {
            return Err(NoExactForm::new("all entities, of which some are in no class"));
        }
        let name = self.name(var)?;
        let nodes: Result<Vec<String>, NoExactForm> =
            (0..index32(n_entities)).map(|n| self.node(n)).collect();
        self.group.one_of(&name, nodes?);
        Ok(Possible::Yes)
    }

    /// The side conditions.
    pub(super) fn rules(&mut self) -> Result<Possible, NoExactForm> {
        let plan = self.printer.plan;
        let conjunct = &self.resolved.conjunct;
        for (a, b) in &plan.different {
            if [a, b].contains(&&Side::Node(None)) {
                continue;
            }
            let var = |side: &Side| match side {
                Side::Answer => Some(Some(conjunct.root(ANSWER))),
                Side::Marked(mark) => conjunct.marked(*mark).map(Some),
                Side::Node(_) => Some(None),
            };
            // A mark without a thing cannot be compared, so the inequality is not true.
            let (Some(left), Some(right)) = (var(a), var(b)) else { return Ok(Possible::No) };
            let possible = match (left, right, a, b) {
                (Some(left), Some(right), ..) => self.unequal(left, right)?,
                (Some(var), None, _, Side::Node(Some(node)))
                | (None, Some(var), Side::Node(Some(node)), _) => self.is_not(var, *node)?,
                _ if a == b => Possible::No,
                _ => Possible::Yes,
            };
            if possible == Possible::No {
                return Ok(Possible::No);
            }
        }
        if plan.english && self.kind(ANSWER) == Kind::Literal {
            return self.literal(ANSWER, &super::wanted::Wanted::English);
        }
        Ok(Possible::Yes)
    }

    fn is_not(&mut self, var: Var, node: u32) -> Result<Possible, NoExactForm> {
        if self.kind(var) == Kind::Node {
            let (name, node) = (self.name(var)?, self.node(node)?);
            self.group.filter(&format!("{name} != {node}"));
        }
        Ok(Possible::Yes)
    }

    fn unequal(&mut self, left: Var, right: Var) -> Result<Possible, NoExactForm> {
        if left == right {
            return Ok(Possible::No);
        }
        match (self.kind(left), self.kind(right)) {
            (Kind::Node, Kind::Node) => {
                let filter = format!("{} != {}", self.name(left)?, self.name(right)?);
                self.group.filter(&filter);
            }
            (Kind::Literal, Kind::Literal) => self.unequal_literals(left, right)?,
            _ => {}
        }
        Ok(Possible::Yes)
    }
}
