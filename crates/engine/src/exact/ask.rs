//! Writes the outermost part of a query.

use super::conjuncts::{ANSWER, Atom, Conjunct, FactAtom, Kind, Var, expand};
use super::direct_values::Place;
use super::group::{Group, indented, term, union};
use super::kb_values::Domain;
use super::keys::shown;
use super::kqapro_values::{ANSWER_NODE, Parts, families, unit_text};
use super::printer::{Possible, Printer, Scope};
use super::resolve::resolve;
use super::wanted::Wanted;
use super::{Column, ExactQuery, Holds, NoExactForm, View, ViewDialect};
use crate::plan::{Plan, PlanSet, PlannedAsk};
use std::collections::BTreeSet;
use touchstone_kb::{LiteralFamily, Property, QualifierId};
use touchstone_logic::sparql::write::{double, quoted, typed};

/// A triple that no KB has, for queries without answers.
const NOTHING: &str = "?answer <urn:touchstone:nothing> ?nothing .";

/// One alternative.
struct Branch {
    group: Group,
    columns: BTreeSet<Column>,
    /// The unit of numbers that are written without one.
    unit: Option<String>,
    /// The literals that may be answers.
    literals: Vec<u32>,
}

/// The query for a plan.
pub(super) fn print<'a>(printer: &Printer<'a, '_>) -> Result<ExactQuery, NoExactForm> {
    let plan: &'a Plan = printer.plan;
    match &plan.ask {
        PlannedAsk::Members(set) => Ok(members(things(printer, set)?)),
        PlannedAsk::Count(set) => count(printer, things(printer, set)?),
        PlannedAsk::Exists(set) => {
            let groups: Vec<String> =
                things(printer, set)?.iter().map(|branch| branch.group.text()).collect();
            Ok(ExactQuery { text: format!("ASK WHERE {{\n{}\n}}", pattern(&groups)), holds: Holds::Boolean })
        }
        PlannedAsk::Relations { .. } => relations(printer),
        PlannedAsk::Qualifiers(of) => Ok(members(qualifiers(printer, &of.properties, &of.keys)?)),
    }
}

fn pattern(groups: &[String]) -> String {
    indented(&if groups.is_empty() { NOTHING.to_owned() } else { union(groups) })
}

fn members(branches: Vec<Branch>) -> ExactQuery {
    let (columns, unit, groups) = finished(branches);
    let names: Vec<&str> = columns.iter().map(|column| column.selected()).collect();
    let text = format!("SELECT DISTINCT {} WHERE {{\n{}\n}}", names.join(" "), pattern(&groups));
    ExactQuery { text, holds: Holds::Things { columns, unit } }
}

fn count(printer: &Printer<'_, '_>, branches: Vec<Branch>) -> Result<ExactQuery, NoExactForm> {
    let mut literals: Vec<u32> = branches.iter().flat_map(|branch| branch.literals.iter().copied()).collect();
    literals.sort_unstable();
    literals.dedup();
    super::literals::check_count(printer, &literals)?;
    let (columns, _, groups) = finished(branches);
    let names = columns.iter().filter(|column| **column != Column::Number).map(|column| column.selected());
    let names: Vec<&str> = names.collect();
    let pattern = pattern(&groups);
    let text = match names.as_slice() {
        [only] => format!("SELECT (COUNT(DISTINCT {only}) AS ?count) WHERE {{\n{pattern}\n}}"),
        several => {
            let rows = format!("SELECT DISTINCT {} WHERE {{\n{pattern}\n}}", several.join(" "));
            format!("SELECT (COUNT(*) AS ?count) WHERE {{\n  {{\n{}\n  }}\n}}", indented(&indented(&rows)))
        }
    };
    Ok(ExactQuery { text, holds: Holds::Count })
}

/// The columns, the unit of plain numbers, and the text of each branch. If units differ between branches, they get a column.
fn finished(mut branches: Vec<Branch>) -> (Vec<Column>, String, Vec<String>) {
    let units: BTreeSet<&str> = branches.iter().filter_map(|branch| branch.unit.as_deref()).collect();
    let unit = units.iter().next().map_or(String::new(), |&unit| unit.to_owned());
    if units.len() > 1 {
        for branch in &mut branches {
            if let Some(unit) = &branch.unit {
                branch.group.bind(&quoted(unit), "?unit");
                branch.columns.insert(Column::Unit);
            }
        }
    }
    let mut columns: Vec<Column> = branches
        .iter()
        .flat_map(|branch| branch.columns.iter().copied())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    if columns.is_empty() {
        columns.push(Column::Answer);
    }
    let groups = branches.iter().map(|branch| branch.group.text()).collect();
    (columns, unit, groups)
}

/// The alternatives of the set that is asked about.
fn things<'a>(printer: &Printer<'a, '_>, set: &'a PlanSet) -> Result<Vec<Branch>, NoExactForm> {
    let mut branches = Vec::new();
    for resolved in printer.alternatives(set)? {
        let kind = resolved.kinds[ANSWER];
        let as_node = kind == Kind::Node || printer.view() == View::Direct;
        let mut scope = printer.scope(&resolved, Some(if as_node { "?answer" } else { ANSWER_NODE }));
        if scope.atoms()? == Possible::No || scope.rules()? == Possible::No {
            continue;
        }
        scope.check_joins()?;
        branches.extend(match kind {
            Kind::Node => Some(Branch {
                group: scope.group,
                columns: [Column::Answer].into(),
                unit: None,
                literals: Vec::new(),
            }),
            Kind::Literal => literal_branch(scope)?,
        });
    }
    Ok(branches)
}

fn literal_branch(mut scope: Scope<'_, '_, '_>) -> Result<Option<Branch>, NoExactForm> {
    if let Some(literals) = scope.free_literals()? {
        return if literals.is_empty() { Ok(None) } else { listed(scope, literals).map(Some) };
    }
    let own = scope.own(ANSWER);
    let literals = scope.passing(ANSWER, &own);
    if scope.printer.view() == View::Direct {
        let unit = scope.usual(ANSWER).to_owned();
        let numbers = literals.iter().any(|&id| scope.printer.knowledge.literal(id).number().is_some());
        let unit = numbers.then_some(unit);
        return Ok(Some(Branch { group: scope.group, columns: [Column::Answer].into(), unit, literals }));
    }
    let columns = value_columns(&mut scope, &literals);
    Ok(Some(Branch { group: scope.group, columns, unit: None, literals }))
}

/// The components of the answer's value node.
fn value_columns(scope: &mut Scope<'_, '_, '_>, literals: &[u32]) -> BTreeSet<Column> {
    let families = families(scope.printer.knowledge, literals);
    let mut columns = BTreeSet::new();
    let mut parts = Parts { group: &mut scope.group, node: ANSWER_NODE, required: families.len() <= 1 };
    if families.iter().any(|family| *family != LiteralFamily::Time) {
        parts.value();
        columns.insert(Column::Value);
    }
    if families.contains(&LiteralFamily::Quantity) {
        parts.unit();
        columns.extend([Column::Unit, Column::Number]);
    }
    if families.contains(&LiteralFamily::Time) {
        parts.year();
        parts.date();
        columns.extend([Column::Year, Column::Date]);
    }
    columns
}

/// Literals that no fact leads to.
fn listed(mut scope: Scope<'_, '_, '_>, literals: Vec<u32>) -> Result<Branch, NoExactForm> {
    let knowledge = scope.printer.knowledge;
    match scope.printer.dialect {
        ViewDialect::Direct(direct) => {
            let terms: Result<Vec<String>, NoExactForm> =
                literals.iter().map(|&id| term(&shown(knowledge.kb, &direct.view, id, ""))).collect();
            scope.group.one_of("?answer", terms?);
            let unit = Some(String::new());
            Ok(Branch { group: scope.group, columns: [Column::Answer].into(), unit, literals })
        }
        ViewDialect::KqaPro(_) => {
            let rows = literals.iter().map(|&id| {
                let literal = knowledge.literal(id);
                let parts = match (literal.number(), literal.as_time(), literal.as_bool()) {
                    (Some(number), ..) => {
                        [double(number), unit_text(literal.unit()), "UNDEF".into(), "UNDEF".into()]
                    }
                    (_, Some(time), _) => {
                        let date = if time.precision() >= touchstone_kb::Precision::Day {
                            typed(&time.date_text(), "date")
                        } else {
                            "UNDEF".to_owned()
                        };
                        ["UNDEF".into(), "UNDEF".into(), time.year().to_string(), date]
                    }
                    (_, _, Some(value)) => {
                        [typed(&value.to_string(), "boolean"), "UNDEF".into(), "UNDEF".into(), "UNDEF".into()]
                    }
                    _ => [quoted(literal.text()), "UNDEF".into(), "UNDEF".into(), "UNDEF".into()],
                };
                format!("({})", parts.join(" "))
            });
            scope.group.one_of("(?value ?unit ?year ?date)", rows.collect::<Vec<String>>());
            let columns = [Column::Value, Column::Number, Column::Unit, Column::Year, Column::Date].into();
            Ok(Branch { group: scope.group, columns, unit: None, literals })
        }
    }
}

/// Both descriptions of the plan; `link` is a fact that leads from one to the other, if its property is known.
fn two<'a>(
    printer: &Printer<'a, '_>,
    link: Option<&[Property]>,
) -> Result<(Vec<super::resolve::Resolved<'a>>, Var, Var), NoExactForm> {
    let mut start = Conjunct::new(printer.plan.n_marks);
    let (a, b) = (start.new_var(), start.new_var());
    if let Some(properties) = link {
        let properties = properties.to_vec();
        start.atoms.push(Atom::Fact(FactAtom { subject: a, properties, value: b, conditions: &[] }));
    }
    let mut conjuncts = vec![start];
    for (set, var) in printer.plan.sets().into_iter().zip([a, b]) {
        conjuncts = expand(set, var, conjuncts)?;
    }
    Ok((resolve(printer.knowledge.kb, conjuncts, printer.splitting(false)), a, b))
}

fn relations(printer: &Printer<'_, '_>) -> Result<ExactQuery, NoExactForm> {
    let (alternatives, a, b) = two(printer, None)?;
    let mut groups = Vec::new();
    for resolved in alternatives {
        if resolved.kinds[a] == Kind::Literal || resolved.kinds[b] == Kind::Literal {
            continue;
        }
        let mut scope = printer.scope(&resolved, None);
        if scope.atoms()? == Possible::No || scope.rules()? == Possible::No {
            continue;
        }
        scope.check_joins()?;
        let (subject, value) = (scope.name(a)?, scope.name(b)?);
        match printer.dialect {
            ViewDialect::Direct(direct) => direct.any_relation(&mut scope, &subject, "?relation", &value)?,
            ViewDialect::KqaPro(kqapro) => {
                kqapro.named_fact(&mut scope, &subject, "?relation", &value);
                if value.starts_with('?') {
                    if printer.knowledge.has_blank_nodes() {
                        return Err(NoExactForm::new("any relation, in a KB with blank nodes"));
                    }
                    scope.group.filter(&format!("isIRI({value})"));
                }
            }
        }
        groups.push(scope.group.text());
    }
    let text = format!("SELECT DISTINCT ?relation WHERE {{\n{}\n}}", pattern(&groups));
    Ok(ExactQuery { text, holds: Holds::Relations })
}

fn qualifiers(
    printer: &Printer<'_, '_>,
    properties: &[Property],
    keys: &[QualifierId],
) -> Result<Vec<Branch>, NoExactForm> {
    let domain = printer.knowledge.qualifiers(keys);
    let mut branches = Vec::new();
    if keys.is_empty() {
        return Ok(branches);
    }
    let (alternatives, a, b) = two(printer, Some(properties))?;
    for resolved in &alternatives {
        for kind in [Kind::Node, Kind::Literal] {
            let none = match kind {
                Kind::Node => domain.nodes.is_empty(),
                Kind::Literal => domain.literals.is_empty(),
            };
            if !none {
                branches.extend(qualifier_branch(printer, resolved, (a, b), keys, &domain, kind)?);
            }
        }
    }
    Ok(branches)
}

fn qualifier_branch(
    printer: &Printer<'_, '_>,
    resolved: &super::resolve::Resolved<'_>,
    (a, b): (Var, Var),
    keys: &[QualifierId],
    domain: &Domain,
    kind: Kind,
) -> Result<Option<Branch>, NoExactForm> {
    // A plan's lifetime is that of its printer.
    let mut scope = printer.scope_of(resolved);
    if scope.atoms()? == Possible::No || scope.rules()? == Possible::No {
        return Ok(None);
    }
    scope.check_joins()?;
    let (subject, value) = (scope.name(a)?, scope.name(b)?);
    let properties = scope.linking(a, b);
    let mixed = !domain.nodes.is_empty() && !domain.literals.is_empty();
    let literals = if kind == Kind::Literal { domain.literals.to_vec() } else { Vec::new() };
    match printer.dialect {
        ViewDialect::Direct(direct) => {
            let predicate = direct.predicate(&mut scope, &properties)?;
            let fact = direct.named_fact(&mut scope, &subject, &predicate, &value);
            direct.qualifier_value(&mut scope, &fact, keys, "?answer");
            if mixed {
                let not = if kind == Kind::Literal { "" } else { "!" };
                scope.group.filter(&format!("{not}isLiteral(?answer)"));
            }
            if kind == Kind::Literal && printer.plan.english {
                let place = Place {
                    knowledge: printer.knowledge,
                    view: &direct.view,
                    usual: "",
                    own: &domain.literals,
                };
                let condition = place.condition("?answer", &Wanted::English)?;
                if scope.restrict("?answer", condition) == Possible::No {
                    return Ok(None);
                }
            }
            let unit = Some(String::new()).filter(|_| kind == Kind::Literal);
            Ok(Some(Branch { group: scope.group, columns: [Column::Answer].into(), unit, literals }))
        }
        ViewDialect::KqaPro(kqapro) => {
            let names = kqapro.names(printer.knowledge, &properties, scope.kind(b))?;
            let Some(names) = names else { return Ok(None) };
            let predicate = scope.one_of("p", names.iris);
            let fact = kqapro.named_fact(&mut scope, &subject, &predicate, &value);
            let name = if kind == Kind::Node { "?answer" } else { ANSWER_NODE };
            kqapro.qualifier_value(&mut scope, &fact, keys, name)?;
            if mixed {
                if printer.knowledge.has_blank_nodes() {
                    return Err(NoExactForm::new(
                        "qualifiers that are things or texts, in a KB with blank nodes",
                    ));
                }
                let test = if kind == Kind::Node { "isIRI" } else { "isBlank" };
                scope.group.filter(&format!("{test}({name})"));
            }
            if kind == Kind::Node {
                let columns = [Column::Answer].into();
                return Ok(Some(Branch { group: scope.group, columns, unit: None, literals }));
            }
            if printer.plan.english
                && scope.value_node(ANSWER_NODE, &domain.literals, &Wanted::English)? == Possible::No
            {
                return Ok(None);
            }
            let columns = value_columns(&mut scope, &literals);
            Ok(Some(Branch { group: scope.group, columns, unit: None, literals }))
        }
    }
}
