//! Conditions on literals of KQA Pro's graph, in which a literal is a node with a value and a unit, or with a year and possibly a date.

use super::conjuncts::FactAtom;
use super::direct_values::MAX_LISTED;
use super::group::Group;
use super::kb_values::{KbValues, is_plain_time};
use super::keys::ValueKey;
use super::printer::{Possible, Scope};
use super::wanted::{Wanted, targets, within};
use super::{NoExactForm, View};
use std::collections::{BTreeSet, HashSet};
use touchstone_kb::compare::satisfies;
use touchstone_kb::rdf::KqaProPredicate;
use touchstone_kb::{Comparison, Literal, LiteralFamily, Precision, Time};
use touchstone_logic::sparql::write::{any, double, kqapro, list, quoted, typed, xsd};

/// The components of a value node, as variables named after it.
pub(super) struct Parts<'g> {
    pub(super) group: &'g mut Group,
    pub(super) node: &'g str,
    /// Whether the node must have the components that are used; otherwise they are optional.
    pub(super) required: bool,
}

/// The name of the answer if it is a value node: its components are the columns of the result.
pub(super) const ANSWER_NODE: &str = "?node";

/// The name of a component of a value node.
pub(super) fn part_name(node: &str, part: &str) -> String {
    if node == ANSWER_NODE { format!("?{part}") } else { format!("{node}_{part}") }
}

impl Parts<'_> {
    fn part(&mut self, part: &str, predicate: KqaProPredicate, required: bool) -> String {
        let (predicate, name) = (kqapro(predicate), part_name(self.node, part));
        if required {
            self.group.triple(self.node, &predicate, &name);
        } else {
            self.group.optional(self.node, &predicate, &name);
        }
        name
    }

    pub(super) fn value(&mut self) -> String {
        self.part("value", KqaProPredicate::Value, self.required)
    }

    pub(super) fn unit(&mut self) -> String {
        self.part("unit", KqaProPredicate::Unit, self.required)
    }

    pub(super) fn year(&mut self) -> String {
        self.part("year", KqaProPredicate::Year, self.required)
    }

    /// Years have no date.
    pub(super) fn date(&mut self) -> String {
        self.part("date", KqaProPredicate::Date, false)
    }

    /// Expressions, at least one of which must be true.
    pub(super) fn alternatives(
        &mut self,
        knowledge: &KbValues<'_>,
        own: &[u32],
        wanted: &Wanted<'_>,
    ) -> Result<Vec<String>, NoExactForm> {
        check_alike(knowledge, own, wanted)?;
        match wanted {
            Wanted::Test(test) => {
                let mut alternatives = Vec::new();
                for target in passing_targets(knowledge, own, test) {
                    alternatives.push(self.comparison(knowledge, own, test.comparison, &target.literal())?);
                }
                Ok(alternatives)
            }
            Wanted::Measure(LiteralFamily::Quantity, unit) => {
                let name = self.unit();
                Ok(vec![format!("{name} = {}", unit_text(unit))])
            }
            Wanted::Measure(..) => {
                let year = self.year();
                Ok(vec![format!("BOUND({year})")])
            }
            Wanted::English => {
                let divided = wanted.divide(knowledge, own);
                if divided.fail.len() > MAX_LISTED {
                    return Err(NoExactForm::new("only English, where KQA Pro's graph has no languages"));
                }
                self.required = false;
                let value = self.value();
                let texts = divided.fail.iter().map(|&id| quoted(knowledge.literal(id).text()));
                Ok(vec![format!("!BOUND({value}) || STR({value}) NOT IN {}", list(texts))])
            }
        }
    }

    /// A comparison with a value.
    fn comparison(
        &mut self,
        knowledge: &KbValues<'_>,
        own: &[u32],
        comparison: Comparison,
        target: &Literal<'_>,
    ) -> Result<String, NoExactForm> {
        let symbol = comparison.symbol();
        Ok(match target.kind().family() {
            LiteralFamily::Quantity => {
                let number = double(target.number().unwrap_or(0.0));
                let (value, unit) = (self.value(), unit_text(target.unit()));
                if self.required {
                    self.group.triple(self.node, &kqapro(KqaProPredicate::Unit), &unit);
                    return Ok(format!("{value} {symbol} {number}"));
                }
                format!("{} = {unit} && {value} {symbol} {number}", self.unit())
            }
            LiteralFamily::Text => {
                let value = self.value();
                let compared = format!("{value} {symbol} {}", quoted(target.text()));
                if families(knowledge, own).len() == 1 {
                    return Ok(compared);
                }
                format!("DATATYPE({value}) = {} && {compared}", xsd("string"))
            }
            LiteralFamily::Boolean => {
                let value = self.value();
                let wanted = (target.as_bool() == Some(true)) == (comparison == Comparison::Equal);
                format!("DATATYPE({value}) = {} && {value} = {}", xsd("boolean"), boolean(wanted))
            }
            LiteralFamily::Time => self.time(knowledge, own, comparison, target)?,
        })
    }

    fn time(
        &mut self,
        knowledge: &KbValues<'_>,
        own: &[u32],
        comparison: Comparison,
        target: &Literal<'_>,
    ) -> Result<String, NoExactForm> {
        let Some(time) = target.as_time() else { return Ok("false".to_owned()) };
        let odd = if is_plain_time(target) { Some(knowledge.odd_times(own)) } else { None };
        let times = odd.as_deref().unwrap_or(own);
        for (id, own) in times.iter().filter_map(|&id| Some((id, knowledge.literal(id).as_time()?))) {
            let right = satisfies(&knowledge.literal(id), comparison, target) == Ok(true);
            if holds(comparison, time, own) != right {
                return Err(NoExactForm::new("a comparison of times that KQA Pro's graph cannot hold"));
            }
        }
        let year = self.year();
        let symbol = comparison.symbol();
        if time.precision() == Precision::Year {
            return Ok(format!("{year} {symbol} {}", time.year()));
        }
        let date = self.date();
        let day = time.date_text();
        let cut = if time.precision() == Precision::Month {
            format!("SUBSTR(STR({date}), 1, {})", day.len())
        } else {
            format!("STR({date})")
        };
        let compared = |symbol: &str| format!("BOUND({date}) && {cut} {symbol} {}", quoted(&day));
        let this = time.year();
        let (strict, vague) = (&symbol[..1], format!("!BOUND({date}) || "));
        Ok(match comparison {
            // No day equals a time of day.
            Comparison::Equal if time.precision() == Precision::Second => format!("{year} != {year}"),
            Comparison::NotEqual if time.precision() == Precision::Second => format!("{year} = {year}"),
            Comparison::Equal => compared("="),
            Comparison::NotEqual => format!("!BOUND({date}) || {cut} != {}", quoted(&day)),
            Comparison::Less | Comparison::Greater => {
                format!("{year} {symbol} {this} || ({year} = {this} && {})", compared(symbol))
            }
            Comparison::LessOrEqual | Comparison::GreaterOrEqual => {
                format!("{year} {strict} {this} || ({year} = {this} && ({vague}{}))", compared(symbol))
            }
        })
    }
}

/// The value of the expression for times, which sees only a year and possibly a day.
pub(super) fn holds(comparison: Comparison, target: Time, own: Time) -> bool {
    let dated = own.precision() >= Precision::Day;
    // A time of day is compared as its day, which is neither before nor after.
    let precision = target.precision().min(Precision::Day);
    let (year, other) = (target.key_at(Precision::Year), own.key_at(Precision::Year));
    let (this, that) = (target.key_at(precision), own.key_at(precision));
    match (comparison, precision) {
        (Comparison::Equal | Comparison::NotEqual, _) if target.precision() == Precision::Second => {
            comparison == Comparison::NotEqual
        }
        (Comparison::Equal, Precision::Year) => other == year,
        (Comparison::NotEqual, Precision::Year) => other != year,
        (Comparison::Equal, _) => dated && that == this,
        (Comparison::NotEqual, _) => !dated || that != this,
        (Comparison::Less, Precision::Year) => other < year,
        (Comparison::LessOrEqual, Precision::Year) => other <= year,
        (Comparison::Greater, Precision::Year) => other > year,
        (Comparison::GreaterOrEqual, Precision::Year) => other >= year,
        (Comparison::Less, _) => other < year || (other == year && dated && that < this),
        (Comparison::Greater, _) => other > year || (other == year && dated && that > this),
        (Comparison::LessOrEqual, _) => other < year || (other == year && (!dated || that <= this)),
        (Comparison::GreaterOrEqual, _) => other > year || (other == year && (!dated || that >= this)),
    }
}

/// The interpretations of a test that some value passes.
fn passing_targets(
    knowledge: &KbValues<'_>,
    own: &[u32],
    test: &crate::plan::Test,
) -> Vec<touchstone_logic::Value> {
    let mut passing = targets(test);
    // Some value passes, but it is not known under which interpretation.
    if passing.len() == 1 {
        return passing;
    }
    passing.retain(|target| {
        let target = target.literal();
        let passes = |&id: &u32| satisfies(&knowledge.literal(id), test.comparison, &target) == Ok(true);
        own.iter().any(passes)
    });
    passing
}

/// Values that pass must be distinguishable from values that do not.
fn check_alike(knowledge: &KbValues<'_>, own: &[u32], wanted: &Wanted<'_>) -> Result<(), NoExactForm> {
    // Tests depend on what the graph holds, except for times and for the restriction to English: the graph has no languages.
    let family = match wanted {
        Wanted::Test(_) => LiteralFamily::Time,
        Wanted::English => LiteralFamily::Text,
        Wanted::Measure(..) => return Ok(()),
    };
    let family = within(own, &knowledge.kb.literals_of(family, ""));
    if matches!(wanted, Wanted::Test(_)) && knowledge.odd_times(family).is_empty() {
        return Ok(());
    }
    let divided = wanted.divide(knowledge, family);
    let key = |&id: &u32| ValueKey::of(View::KqaPro, &knowledge.literal(id));
    let (few, many) = if divided.pass.len() < divided.fail.len() {
        (divided.pass, divided.fail)
    } else {
        (divided.fail, divided.pass)
    };
    let keys: HashSet<ValueKey> = few.iter().map(key).collect();
    if many.iter().any(|id| keys.contains(&key(id))) {
        return Err(NoExactForm::new("values that KQA Pro's graph does not distinguish"));
    }
    Ok(())
}

pub(super) fn unit_text(unit: &str) -> String {
    quoted(if unit.is_empty() { "1" } else { unit })
}

fn boolean(value: bool) -> String {
    typed(&value.to_string(), "boolean")
}

/// The components of the literals of a node.
pub(super) fn families(knowledge: &KbValues<'_>, own: &[u32]) -> BTreeSet<LiteralFamily> {
    let mut families = BTreeSet::new();
    let mut rest = own;
    // Ids are ordered by family.
    while let Some(&first) = rest.first() {
        let family = knowledge.literal(first).kind().family();
        families.insert(family);
        let behind = |id: &u32| knowledge.literal(*id).kind().family() <= family;
        rest = &rest[rest.partition_point(behind)..];
    }
    families
}

impl Scope<'_, '_, '_> {
    /// Adds a requirement on the literal of a value node.
    pub(super) fn value_node(
        &mut self,
        node: &str,
        own: &[u32],
        wanted: &Wanted<'_>,
    ) -> Result<Possible, NoExactForm> {
        let knowledge = self.printer.knowledge;
        let divided = wanted.divide(knowledge, own);
        if divided.pass.is_empty() {
            return Ok(Possible::No);
        }
        if divided.fail.is_empty() {
            return Ok(Possible::Yes);
        }
        // If there is one way to pass, the node must have the components that are used.
        let mut required = true;
        if let Wanted::Test(test) = wanted {
            let passing = passing_targets(knowledge, own, test);
            required = passing.len() == 1;
            if let ([target], Comparison::Equal) = (passing.as_slice(), test.comparison) {
                let target = target.literal();
                check_alike(knowledge, own, wanted)?;
                if self.exactly(node, &target) {
                    return Ok(Possible::Yes);
                }
            }
        }
        let mut parts = Parts { group: &mut self.group, node, required };
        let alternatives = parts.alternatives(knowledge, own, wanted)?;
        self.group.filter(&any(alternatives));
        Ok(Possible::Yes)
    }

    /// A node with exactly this value, as triples that an index finds; false for times, which contain others.
    fn exactly(&mut self, node: &str, target: &Literal<'_>) -> bool {
        match (target.number(), target.as_bool(), target.as_time()) {
            (Some(number), ..) => {
                self.group.triple(node, &kqapro(KqaProPredicate::Value), &double(number));
                self.group.triple(node, &kqapro(KqaProPredicate::Unit), &unit_text(target.unit()));
            }
            (_, Some(value), _) => self.group.triple(node, &kqapro(KqaProPredicate::Value), &boolean(value)),
            (_, _, Some(_)) => return false,
            _ => self.group.triple(node, &kqapro(KqaProPredicate::Value), &quoted(target.text())),
        }
        true
    }

    /// Two value nodes have the same content.
    pub(super) fn same_value(
        &mut self,
        first: &str,
        second: &str,
        fact: &FactAtom<'_>,
    ) -> Result<Possible, NoExactForm> {
        let knowledge = self.printer.knowledge;
        let other = knowledge.literals(&fact.properties);
        let own = self.own(fact.value);
        let common: Vec<u32> = own.iter().copied().filter(|id| other.binary_search(id).is_ok()).collect();
        let common = self.passing(fact.value, &common);
        let families: Vec<LiteralFamily> = families(knowledge, &common).into_iter().collect();
        let [family] = families[..] else {
            return if families.is_empty() {
                Ok(Possible::No)
            } else {
                Err(NoExactForm::new("a repeated value that may be of several kinds"))
            };
        };
        match family {
            LiteralFamily::Time => {
                let year = part_name(first, "year");
                self.group.triple(first, &kqapro(KqaProPredicate::Year), &year);
                self.group.triple(second, &kqapro(KqaProPredicate::Year), &year);
                let (a, b) = (part_name(first, "date"), part_name(second, "date"));
                self.group.optional(first, &kqapro(KqaProPredicate::Date), &a);
                self.group.optional(second, &kqapro(KqaProPredicate::Date), &b);
                self.group.filter(&format!("COALESCE(STR({a}), \"\") = COALESCE(STR({b}), \"\")"));
            }
            family => {
                let value = part_name(first, "value");
                self.group.triple(first, &kqapro(KqaProPredicate::Value), &value);
                self.group.triple(second, &kqapro(KqaProPredicate::Value), &value);
                if family == LiteralFamily::Quantity {
                    let unit = part_name(first, "unit");
                    self.group.triple(first, &kqapro(KqaProPredicate::Unit), &unit);
                    self.group.triple(second, &kqapro(KqaProPredicate::Unit), &unit);
                } else {
                    let datatype = if family == LiteralFamily::Text { "string" } else { "boolean" };
                    self.group.filter(&format!("DATATYPE({value}) = {}", xsd(datatype)));
                }
            }
        }
        Ok(Possible::Yes)
    }
}
