//! From the algebra to SPARQL, over plain triples.

use super::dialect::Dialect;
use super::print_facts;
use super::write::{literal, quoted, triple, triple_term, values, xsd};
use crate::loss::{Inexpressible, Language, Loss, Printed};
use crate::query::{
    Ask, Condition, Direction, During, Extreme, Mark, Operand, Query, Relate, Rules, Set, Step, Superlative,
};
use crate::value::Value;
use touchstone_kb::{Comparison, FREEBASE, LiteralKind, UNIT_NAMESPACE, iri};

/// The predicate from a named fact to its triple.
const REIFIES: &str = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>";

/// Maximum length of the pattern of a superlative.
const MAX_PATTERN: usize = 1 << 17;

/// Prints a query as SPARQL 1.1.
pub fn print(query: &Query, dialect: &Dialect) -> Result<Printed, Inexpressible> {
    if *dialect == Dialect::KqaPro {
        return print_facts::print(query);
    }
    let mut writer = Writer {
        dialect,
        text: String::new(),
        marks: Marks::default(),
        used: [0; 4],
        lost: Vec::new(),
        rules: Some(&query.rules),
    };
    let text = writer.query(query)?;
    writer.lost.sort();
    writer.lost.dedup();
    Ok(Printed { text, lost: writer.lost })
}

pub(super) fn cannot(what: impl Into<String>) -> Inexpressible {
    Inexpressible::new(Language::Sparql, what)
}

/// The variables or constants of marked things.
#[derive(Default)]
pub(super) struct Marks(Vec<(Mark, String)>);

impl Marks {
    pub(super) fn add(&mut self, mark: Mark, term: &str) {
        self.0.push((mark, term.to_owned()));
    }

    /// What stands for a marked thing.
    pub(super) fn term(&self, mark: Mark) -> Result<String, Inexpressible> {
        let found = self.0.iter().rev().find(|(known, _)| *known == mark);
        found
            .map(|(_, term)| term.clone())
            .ok_or_else(|| cannot("a reference to a thing that is never defined"))
    }
}

/// What a variable stands for.
#[derive(Clone, Copy)]
enum VariableKind {
    Thing,
    Value,
    OrderKey,
    Other,
}

impl VariableKind {
    fn letters(self) -> &'static str {
        match self {
            VariableKind::Thing => "y",
            VariableKind::Value => "v",
            VariableKind::OrderKey => "sk",
            VariableKind::Other => "f",
        }
    }
}

struct Writer<'w> {
    dialect: &'w Dialect,
    text: String,
    /// The variables of marked things.
    marks: Marks,
    /// How many variables of each kind there are.
    used: [usize; 4],
    lost: Vec<Loss>,
    /// The side conditions, until they are written.
    rules: Option<&'w Rules>,
}

impl<'w> Writer<'w> {
    fn query(&mut self, query: &Query) -> Result<String, Inexpressible> {
        let head = match &query.answer {
            Ask::Members(set) => {
                self.set(set, "?x")?;
                "SELECT DISTINCT ?x"
            }
            Ask::Count(set) => {
                self.set(set, "?x")?;
                "SELECT (COUNT(DISTINCT ?x) AS ?count)"
            }
            Ask::Exists(set) => {
                self.set(set, "?x")?;
                "ASK"
            }
            Ask::Attribute { of, attribute, conditions } => {
                self.relate(of, attribute, Direction::Forward, conditions, "?x")?;
                "SELECT DISTINCT ?x"
            }
            Ask::Verify { of, attribute, conditions, comparison, value } => {
                self.set(of, "?x")?;
                let values = Set::Values(*comparison, value.clone());
                self.relate(&values, attribute, Direction::Backward, conditions, "?x")?;
                "ASK"
            }
            Ask::Relation { from, to } => {
                let from = self.term(from)?;
                let to = self.term(to)?;
                self.line(&triple(&from, "?p", &to));
                "SELECT DISTINCT ?p"
            }
            Ask::AttributeQualifier { of, attribute, value, qualifier } => {
                let from = self.term(of)?;
                let value = self.literal(value);
                self.qualifier_of(&from, attribute, &value, qualifier)?;
                "SELECT DISTINCT ?x"
            }
            Ask::RelationQualifier { from, relation, to, qualifier } => {
                let from = self.term(from)?;
                let to = self.term(to)?;
                self.qualifier_of(&from, relation, &to, qualifier)?;
                "SELECT DISTINCT ?x"
            }
            Ask::SelectBetween { left, right, attribute, extreme } => {
                let of = Set::or([left.clone(), right.clone()]);
                self.select(of, attribute, *extreme)?;
                "SELECT DISTINCT ?x"
            }
            Ask::SelectAmong { among, attribute, extreme } => {
                self.select(among.clone(), attribute, *extreme)?;
                "SELECT DISTINCT ?x"
            }
        };
        self.rules()?;
        let prefix = if *self.dialect == Dialect::Freebase {
            "PREFIX ns: <http://rdf.freebase.com/ns/>\n"
        } else {
            ""
        };
        let keyword = if head == "ASK" { " " } else { " WHERE " };
        Ok(format!("{prefix}{head}{keyword}{{\n{}}}", self.text))
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A new variable of a kind.
    fn fresh(&mut self, kind: VariableKind) -> String {
        let number = &mut self.used[kind as usize];
        *number += 1;
        format!("?{}{}", kind.letters(), *number - 1)
    }

    /// A constant, or a new variable that is described.
    fn term(&mut self, set: &Set) -> Result<String, Inexpressible> {
        match set {
            Set::Entity(id) => Ok(self.node(id)),
            Set::Values(Comparison::Equal, value) => Ok(self.literal(value)),
            Set::Same(mark) => self.marks.term(*mark),
            Set::Values(..) => {
                let variable = self.fresh(VariableKind::Value);
                self.set(set, &variable)?;
                Ok(variable)
            }
            _ => {
                let variable = self.fresh(VariableKind::Thing);
                self.set(set, &variable)?;
                Ok(variable)
            }
        }
    }

    /// Says of a variable that it is in a set.
    fn set(&mut self, set: &Set, variable: &str) -> Result<(), Inexpressible> {
        match set {
            // What stands around a thing binds it; nothing binds an answer that can be anything.
            Set::All if variable == "?x" => return Err(cannot("everything")),
            Set::All => {}
            Set::Entity(id) => {
                let node = self.node(id);
                self.line(&values(variable, &[node]));
            }
            Set::Named(name) => {
                let label = self.fresh(VariableKind::Other);
                let predicate = match self.dialect {
                    Dialect::Freebase => "ns:type.object.name",
                    _ => "<http://www.w3.org/2000/01/rdf-schema#label>",
                };
                self.line(&triple(variable, predicate, &label));
                self.line(&format!("FILTER (str({label}) = {})", quoted(name)));
            }
            Set::Class(class) => {
                let (predicate, class) = (self.type_predicate(), self.node(class));
                self.line(&triple(variable, predicate, &class));
            }
            Set::Values(comparison, value)
                if !value.unit.is_empty()
                    && !matches!(comparison, Comparison::Equal | Comparison::NotEqual) =>
            {
                return Err(cannot("which of two quantities with a unit is greater, over plain triples"));
            }
            Set::Values(comparison, value) => {
                let literal = self.literal(value);
                self.line(&format!("FILTER ({variable} {comparison} {literal})"));
            }
            Set::Relate(relate) => {
                let Relate { from, property, direction, conditions } = relate.as_ref();
                self.relate(from, property, *direction, conditions, variable)?;
            }
            Set::And(parts) => {
                // Filters on a variable come after what binds it.
                let (last, first): (Vec<&Set>, Vec<&Set>) =
                    parts.iter().partition(|part| matches!(part, Set::Values(..) | Set::During(_)));
                for part in first.into_iter().chain(last) {
                    self.set(part, variable)?;
                }
            }
            Set::Or(branches) if branches.iter().all(|branch| matches!(branch, Set::Values(..))) => {
                let mut tests = Vec::new();
                for branch in branches {
                    let Set::Values(comparison, value) = branch else { continue };
                    tests.push(format!("{variable} {comparison} {}", self.literal(value)));
                }
                self.line(&format!("FILTER ({})", tests.join(" || ")));
            }
            Set::Or(branches) => self.union(branches, variable)?,
            Set::Superlative(superlative) => self.superlative(superlative, variable)?,
            Set::During(period) => self.during(period, variable),
            Set::Marked(mark, inner) => {
                self.marks.add(*mark, variable);
                self.set(inner, variable)?;
            }
            Set::Same(mark) => {
                let other = self.marks.term(*mark)?;
                self.line(&format!("FILTER ({variable} = {other})"));
            }
        }
        Ok(())
    }

    /// Alternatives.
    fn union(&mut self, branches: &[Set], variable: &str) -> Result<(), Inexpressible> {
        // A filter inside a branch does not see what is bound around it.
        if !branches.iter().all(binds) {
            return Err(cannot("a union with a branch that is nothing but a condition"));
        }
        for (i, branch) in branches.iter().enumerate() {
            if i > 0 {
                self.line("UNION");
            }
            self.line("{");
            self.set(branch, variable)?;
            self.line("}");
        }
        Ok(())
    }

    /// A period whose start or end may be unknown.
    fn during(&mut self, period: &During, variable: &str) {
        let date_time = xsd("dateTime");
        let (start, end) = (self.property(&period.start), self.property(&period.end));
        let (latest, earliest) = (self.bound(&period.latest_start), self.bound(&period.earliest_end));
        for (property, comparison, bound) in [(start, "<=", latest), (end, ">=", earliest)] {
            let (absent, present) = (self.fresh(VariableKind::Value), self.fresh(VariableKind::Value));
            self.line(&format!("FILTER (NOT EXISTS {{ {variable} {property} {absent} }} ||"));
            self.line(&format!(
                "EXISTS {{ {variable} {property} {present} . FILTER ({date_time}({present}) {comparison} {bound}) }})"
            ));
        }
    }

    fn relate(
        &mut self,
        from: &Set,
        property: &str,
        direction: Direction,
        conditions: &[Condition],
        variable: &str,
    ) -> Result<(), Inexpressible> {
        // The fact is written before the description of its other end, so that comparisons follow what binds them.
        let (other, describe) = match from {
            Set::Entity(_) | Set::Values(Comparison::Equal, _) | Set::Same(_) => (self.term(from)?, false),
            Set::Values(..) => (self.fresh(VariableKind::Value), true),
            _ => (self.fresh(VariableKind::Thing), true),
        };
        let name = self.property(property);
        let (subject, object) = if direction == Direction::Forward {
            (other.as_str(), variable)
        } else {
            (variable, other.as_str())
        };
        self.line(&triple(subject, &name, object));
        if !conditions.is_empty() {
            let fact = self.fact(subject, &name, object)?;
            for condition in conditions {
                let key = self.qualifier(&condition.qualifier);
                let value = self.fresh(VariableKind::Value);
                self.line(&triple(&fact, &key, &value));
                let literal = self.literal(&condition.value);
                self.line(&format!("FILTER ({value} {} {literal})", condition.comparison));
            }
        }
        if describe {
            self.set(from, &other)?;
        }
        Ok(())
    }

    /// A variable for the fact itself, to refer to its qualifiers.
    fn fact(&mut self, subject: &str, property: &str, object: &str) -> Result<String, Inexpressible> {
        if *self.dialect == Dialect::Freebase {
            return Err(cannot("a condition on qualifiers, because Freebase has none"));
        }
        let fact = self.fresh(VariableKind::Other);
        let stated = triple_term(subject, property, object);
        self.line(&triple(&fact, REIFIES, &stated));
        Ok(fact)
    }

    fn qualifier_of(
        &mut self,
        subject: &str,
        property: &str,
        object: &str,
        qualifier: &str,
    ) -> Result<(), Inexpressible> {
        let (property, qualifier) = (self.property(property), self.qualifier(qualifier));
        self.line(&triple(subject, &property, object));
        let fact = self.fact(subject, &property, object)?;
        self.line(&triple(&fact, &qualifier, "?x"));
        Ok(())
    }

    fn select(&mut self, of: Set, attribute: &str, extreme: Extreme) -> Result<(), Inexpressible> {
        let path = vec![Step { property: attribute.into(), direction: Direction::Forward }];
        self.superlative(&Superlative { of, path, extreme, start: None }, "?x")
    }

    /// The pattern, and a sub-select of the same pattern that finds the extreme value.
    fn superlative(&mut self, superlative: &Superlative, variable: &str) -> Result<(), Inexpressible> {
        let outside = std::mem::take(&mut self.text);
        let value = self.fresh(VariableKind::OrderKey);
        self.set(&superlative.of, variable)?;
        let mut at = match superlative.start {
            Some(mark) => self.marks.term(mark)?,
            None => variable.to_owned(),
        };
        for (i, step) in superlative.path.iter().enumerate() {
            let next =
                if i + 1 == superlative.path.len() { value.clone() } else { self.fresh(VariableKind::Thing) };
            let property = self.property(&step.property);
            match step.direction {
                Direction::Forward => self.line(&triple(&at, &property, &next)),
                Direction::Backward => self.line(&triple(&next, &property, &at)),
            }
            at = next;
        }
        // An extreme among the answers, not among what the side conditions leave out.
        if variable == "?x" {
            self.rules()?;
        }
        let pattern = std::mem::replace(&mut self.text, outside);
        // The pattern stands twice, so superlatives inside superlatives double it each time.
        if pattern.len() > MAX_PATTERN {
            return Err(cannot("superlatives nested this deeply"));
        }
        self.text.push_str(&pattern);
        let order =
            if superlative.extreme == Extreme::Max { format!("DESC({value})") } else { value.clone() };
        self.line(&format!("{{ SELECT {value} WHERE {{\n{pattern}}} ORDER BY {order} LIMIT 1 }}"));
        Ok(())
    }

    /// The side conditions, if they are not written yet.
    fn rules(&mut self) -> Result<(), Inexpressible> {
        let Some(rules) = self.rules.take() else { return Ok(()) };
        for (left, right) in &rules.different {
            let (left, right) = (self.operand(left)?, self.operand(right)?);
            self.line(&format!("FILTER ({left} != {right})"));
        }
        if rules.english {
            self.line("FILTER (!isLiteral(?x) || lang(?x) = '' || langMatches(lang(?x), 'en'))");
        }
        Ok(())
    }

    fn operand(&self, operand: &Operand) -> Result<String, Inexpressible> {
        match operand {
            Operand::Answer => Ok("?x".to_owned()),
            Operand::Marked(mark) => self.marks.term(*mark),
            Operand::Entity(id) => Ok(self.node(id)),
        }
    }

    fn type_predicate(&self) -> &'static str {
        match self.dialect {
            Dialect::Freebase => "ns:type.object.type",
            _ => "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>",
        }
    }

    fn node(&self, id: &str) -> String {
        self.iri(id, "")
    }

    fn property(&self, id: &str) -> String {
        self.iri(id, "property:")
    }

    fn qualifier(&self, id: &str) -> String {
        self.iri(id, "qualifier:")
    }

    fn iri(&self, id: &str, part: &str) -> String {
        match self.dialect {
            _ if iri::is_absolute(id) => format!("<{id}>"),
            Dialect::Plain { base } => format!("<{}>", iri::encode(&format!("{base}{part}"), id)),
            _ if is_local_name(id) => format!("ns:{id}"),
            _ => format!("<{}>", iri::encode(FREEBASE, id)),
        }
    }

    fn literal(&mut self, value: &Value) -> String {
        let value = &typed(value, &mut self.lost);
        if !value.unit.is_empty() {
            return literal(&value.text, &iri::encode(UNIT_NAMESPACE, &value.unit), "");
        }
        if matches!(value.literal().kind(), LiteralKind::Year | LiteralKind::Month) {
            self.lost.push(Loss::YearItself);
        }
        let zone = *self.dialect == Dialect::Freebase
            && matches!(value.xsd_name(), Some("gYear" | "gYearMonth" | "date"));
        let text = if zone { format!("{}-08:00", value.text) } else { value.text.to_string() };
        literal(&text, &value.datatype, &value.language)
    }

    /// A bound of a period: without a time zone, as it is compared after a cast.
    fn bound(&self, value: &Value) -> String {
        literal(&value.text, &value.datatype, &value.language)
    }
}

/// A value that a program left untyped, as what it looks like; this is reported.
pub(super) fn typed(value: &Value, lost: &mut Vec<Loss>) -> Value {
    if !value.is_untyped() {
        return value.clone();
    }
    let year = value.text.len() == 4 && value.text.bytes().all(|b| b.is_ascii_digit());
    let (typed, kind) = match value.text.parse::<f64>() {
        _ if year => (Value::xsd(value.text.clone(), "gYear"), "year"),
        Ok(_) => (Value::xsd(value.text.clone(), "double"), "number"),
        Err(_) => (Value::text(value.text.clone()), "text"),
    };
    lost.push(Loss::Guessed { value: value.text.to_string(), kind });
    typed
}

/// Whether a name can follow a prefix as it is.
fn is_local_name(id: &str) -> bool {
    let bytes = id.as_bytes();
    let inner = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    bytes.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
        && bytes.iter().all(inner)
        && bytes.last() != Some(&b'.')
}

/// Whether a set binds its variable by itself: it is more than a condition.
fn binds(set: &Set) -> bool {
    match set {
        Set::All | Set::Values(..) | Set::During(_) | Set::Same(_) => false,
        Set::And(parts) => parts.iter().any(binds),
        Set::Or(parts) => parts.iter().all(binds),
        Set::Marked(_, inner) => binds(inner),
        Set::Entity(_) | Set::Named(_) | Set::Class(_) | Set::Relate(_) | Set::Superlative(_) => true,
    }
}
