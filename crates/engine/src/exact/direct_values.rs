//! Conditions on literals of the direct view, in which one RDF term is the whole value.

use super::NoExactForm;
use super::group::term;
use super::kb_values::{KbValues, is_plain_time};
use super::keys::shown;
use super::wanted::{Wanted, targets};
use std::borrow::Cow;
use std::collections::BTreeSet;
use touchstone_kb::compare::satisfies;
use touchstone_kb::rdf::DirectView;
use touchstone_kb::{Comparison, Literal, LiteralFamily, Precision, Time};
use touchstone_logic::sparql::write::{any, double, iri_ref, list, quoted, xsd};

/// Maximum number of values to list rather than describe, unless the printer has another limit; also the maximum number of
/// exceptions in a description.
pub(super) const MAX_LISTED: usize = 64;

/// A condition on one term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Condition {
    /// All values that occur pass.
    Everything,
    /// No value passes.
    Nothing,
    /// These values pass, as terms.
    OneOf(Vec<String>),
    /// The values for which this expression is true pass.
    Expression(String),
}

/// The values at one position in the direct view.
pub(super) struct Place<'a, 'k> {
    pub(super) knowledge: &'a KbValues<'k>,
    pub(super) view: &'a DirectView<'k>,
    /// The usual unit, which numbers without a unit are in. Empty for qualifiers.
    pub(super) usual: &'a str,
    /// The literals that occur.
    pub(super) own: &'a [u32],
}

impl Place<'_, '_> {
    /// The condition on a variable.
    pub(super) fn condition(&self, variable: &str, wanted: &Wanted<'_>) -> Result<Condition, NoExactForm> {
        let divided = wanted.divide(self.knowledge, self.own);
        if divided.pass.is_empty() {
            return Ok(Condition::Nothing);
        }
        if divided.fail.is_empty() {
            return Ok(Condition::Everything);
        }
        if divided.pass.len() <= self.knowledge.max_listed {
            return Ok(Condition::OneOf(self.terms(&divided.pass)?));
        }
        let described = match wanted {
            Wanted::Test(test) => self.comparison(variable, test),
            Wanted::Measure(..) => self.guard(variable, &divided.pass),
            Wanted::English => {
                Some(format!("LANG({variable}) = \"\" || LANGMATCHES(LANG({variable}), \"en\")"))
            }
        };
        if let Some(expression) = described {
            return Ok(Condition::Expression(expression));
        }
        if divided.fail.len() > MAX_LISTED {
            return Err(NoExactForm::new("a comparison with many values that are written in unusual ways"));
        }
        let same = any(self.same_terms(variable, &divided.fail)?);
        Ok(Condition::Expression(format!("!({same})")))
    }

    pub(super) fn terms(&self, literals: &[u32]) -> Result<Vec<String>, NoExactForm> {
        let terms: Result<BTreeSet<String>, NoExactForm> =
            literals.iter().map(|&id| term(&shown(self.knowledge.kb, self.view, id, self.usual))).collect();
        Ok(terms?.into_iter().collect())
    }

    /// Unlike `=`, this is never an error.
    fn same_terms(&self, variable: &str, literals: &[u32]) -> Result<Vec<String>, NoExactForm> {
        let terms = self.terms(literals)?;
        Ok(terms.iter().map(|term| format!("sameTerm({variable}, {term})")).collect())
    }

    /// The datatypes that distinguish some values from the others; `None` if that is impossible.
    fn guard(&self, variable: &str, members: &[u32]) -> Option<String> {
        let datatypes = |ids: &mut dyn Iterator<Item = u32>| -> BTreeSet<String> {
            let mut found = BTreeSet::new();
            for id in ids {
                if let oxrdf::Term::Literal(literal) = shown(self.knowledge.kb, self.view, id, self.usual) {
                    let datatype = literal.datatype().as_str().to_owned();
                    // Engines store integers of all types as `xsd:integer`.
                    if is_whole(&datatype) {
                        found.insert(format!("{}integer", touchstone_kb::XSD));
                    }
                    found.insert(datatype);
                }
            }
            found
        };
        let inside = datatypes(&mut members.iter().copied());
        let members: BTreeSet<u32> = members.iter().copied().collect();
        let outside = datatypes(&mut self.own.iter().copied().filter(|id| !members.contains(id)));
        let listed = || list(inside.iter().map(|datatype| iri_ref(datatype)));
        inside.is_disjoint(&outside).then(|| format!("DATATYPE({variable}) IN {}", listed()))
    }

    /// A comparison with a value, for each interpretation of the value.
    fn comparison(&self, variable: &str, test: &crate::plan::Test) -> Option<String> {
        let mut alternatives = Vec::new();
        for target in targets(test) {
            let target = target.literal();
            if satisfies(&target, test.comparison, &target).is_err() {
                continue;
            }
            // Ids are ordered by family and unit, so comparable values are contiguous.
            let comparable = self.knowledge.kb.literals_of(target.kind().family(), target.unit());
            let from = self.own.partition_point(|&id| id < comparable.start);
            let to = self.own.partition_point(|&id| id < comparable.end);
            let members = &self.own[from..to];
            if members.is_empty() {
                continue;
            }
            let symbol = test.comparison.symbol();
            let expression = match target.kind().family() {
                LiteralFamily::Quantity => {
                    format!("{}(STR({variable})) {symbol} {}", xsd("double"), double(target.number()?))
                }
                LiteralFamily::Text => format!("STR({variable}) {symbol} {}", quoted(target.text())),
                LiteralFamily::Time => self.time(variable, members, test.comparison, &target)?,
                // Two values, or a few more if they have unusual spellings.
                LiteralFamily::Boolean => {
                    let passes = |id: &u32| test.literals(self.knowledge.kb).contains(*id);
                    let passing: Vec<u32> = members.iter().copied().filter(passes).collect();
                    any(self.same_terms(variable, &passing).ok()?)
                }
            };
            let all = members.len() == self.own.len();
            let guard = if all { None } else { Some(self.guard(variable, members)?) };
            alternatives.push(match guard {
                Some(guard) => format!("{guard} && ({expression})"),
                None => expression,
            });
        }
        Some(any(alternatives))
    }

    /// Compares times as texts, truncated to the precision of the target, because engines do not compare years with dates. Values with
    /// unusual spellings are exceptions.
    fn time(
        &self,
        variable: &str,
        members: &[u32],
        comparison: Comparison,
        target: &Literal<'_>,
    ) -> Option<String> {
        let prefix = Prefix::of(target)?;
        let (mut too_many, mut missing) = (Vec::new(), Vec::new());
        let odd = if is_plain_time(target) { Some(self.knowledge.odd_times(members)) } else { None };
        for &id in odd.as_deref().unwrap_or(members) {
            let literal = self.knowledge.literal(id);
            let wanted = satisfies(&literal, comparison, target).ok()?;
            match (prefix.holds(comparison, &written(&literal)), wanted) {
                (true, false) => too_many.push(id),
                (false, true) => missing.push(id),
                _ => {}
            }
        }
        if too_many.len() + missing.len() > MAX_LISTED {
            return None;
        }
        let mut expression = prefix.expression(variable, comparison);
        if !too_many.is_empty() {
            let wrong = any(self.same_terms(variable, &too_many).ok()?);
            expression = format!("({expression}) && !({wrong})");
        }
        if !missing.is_empty() {
            let right = any(self.same_terms(variable, &missing).ok()?);
            expression = format!("({expression}) || ({right})");
        }
        Some(expression)
    }
}

/// The text of a time in the direct view: bare years have four digits.
fn written<'l>(literal: &Literal<'l>) -> Cow<'l, str> {
    match literal.as_time() {
        Some(time) if literal.text() == time.year().to_string() => {
            let sign = if time.year() < 0 { "-" } else { "" };
            Cow::Owned(format!("{sign}{:04}", time.year().abs()))
        }
        _ => Cow::Borrowed(literal.text()),
    }
}

fn is_whole(datatype: &str) -> bool {
    const WHOLE: [&str; 12] = [
        "long",
        "int",
        "short",
        "byte",
        "nonNegativeInteger",
        "positiveInteger",
        "nonPositiveInteger",
        "negativeInteger",
        "unsignedLong",
        "unsignedInt",
        "unsignedShort",
        "unsignedByte",
    ];
    datatype.strip_prefix(touchstone_kb::XSD).is_some_and(|name| WHOLE.contains(&name))
}

/// A time as the common prefix of the texts of all times in it.
struct Prefix {
    text: String,
    /// The same time at a coarser precision: neither before nor after.
    vague: Vec<String>,
}

impl Prefix {
    /// `None` for years that are not written with four digits.
    fn of(target: &Literal<'_>) -> Option<Prefix> {
        let time = target.as_time()?;
        let year = u32::try_from(time.year()).ok().filter(|year| (1..=9999).contains(year))?;
        let year = format!("{year:04}");
        // The text of a day is a prefix of the texts of its hours; only the literal holds the time of day.
        let day = Time::date_text(time);
        let text = match time.precision() {
            Precision::Year => year.clone(),
            Precision::Month | Precision::Day => day.clone(),
            Precision::Second => target.text().get(..19)?.to_owned(),
        };
        let vague = [4, 7, 10].into_iter().filter(|&n| n < text.len()).filter_map(|n| text.get(..n));
        let vague = vague.map(str::to_owned).collect();
        Some(Prefix { text, vague })
    }

    /// The value of the expression for a text.
    fn holds(&self, comparison: Comparison, written: &str) -> bool {
        let this = self.text.as_str();
        let cut = written.get(..self.text.len()).unwrap_or(written);
        let vague = self.vague.iter().any(|vague| vague == written);
        match comparison {
            Comparison::Equal => cut == this,
            Comparison::NotEqual => cut != this,
            Comparison::Less => cut < this && !vague,
            Comparison::LessOrEqual => cut <= this,
            Comparison::Greater => cut > this,
            Comparison::GreaterOrEqual => cut >= this || vague,
        }
    }

    fn expression(&self, variable: &str, comparison: Comparison) -> String {
        let cut = format!("SUBSTR(STR({variable}), 1, {})", self.text.len());
        let compared = format!("{cut} {} {}", comparison.symbol(), quoted(&self.text));
        let vague = list(self.vague.iter().map(|vague| quoted(vague)));
        match comparison {
            Comparison::Less if !self.vague.is_empty() => {
                format!("{compared} && STR({variable}) NOT IN {vague}")
            }
            Comparison::GreaterOrEqual if !self.vague.is_empty() => {
                format!("({compared} || STR({variable}) IN {vague})")
            }
            _ => compared,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::kqapro_values::holds;

    /// Only unusual times are checked one by one: plain ones must compare correctly in both views.
    #[test]
    fn plain_times_need_no_look() {
        let texts = ["44", "987", "1793", "1794", "1795", "9999", "0044-01-01", "1794-05-06", "1794-05-07"];
        let more = ["1794-06-05", "1793-12-31", "1795-01-01"];
        let literals =
            || texts.iter().chain(&more).filter_map(|text| Literal::year(text).or(Literal::date(text)));
        let comparisons = [
            Comparison::Equal,
            Comparison::NotEqual,
            Comparison::Less,
            Comparison::LessOrEqual,
            Comparison::Greater,
            Comparison::GreaterOrEqual,
        ];
        assert_eq!(literals().count(), texts.len() + more.len());
        for (target, own) in literals().flat_map(|target| literals().map(move |own| (target, own))) {
            assert!(is_plain_time(&target) && is_plain_time(&own));
            let prefix = Prefix::of(&target).expect("a year of four digits");
            for comparison in comparisons {
                let wanted = satisfies(&own, comparison, &target).expect("times compare");
                let shown = format!("{own} {comparison} {target}");
                assert_eq!(prefix.holds(comparison, &written(&own)), wanted, "direct: {shown}");
                let (target, own) = (target.as_time().expect("a time"), own.as_time().expect("a time"));
                assert_eq!(holds(comparison, target, own), wanted, "KQA Pro: {shown}");
            }
        }
    }
}
