//! Variables for literals: conditions, repeated values, extremes.

use super::conjuncts::{ANSWER, Kind, Var};
use super::direct_values::Place;
use super::keys::ValueKey;
use super::printer::{Possible, Printer, Scope};
use super::wanted::{Wanted, measure};
use super::{NoExactForm, View, ViewDialect};
use crate::plan::Extremes;
use std::collections::HashMap;
use touchstone_kb::rdf::KqaProPredicate;
use touchstone_kb::{LiteralFamily, LiteralId, Precision, Property};
use touchstone_logic::Extreme;
use touchstone_logic::sparql::write::{kqapro, quoted, xsd};

/// Maximum number of literals to list as an answer.
const MAX_LITERALS: usize = 1000;

impl<'a> Scope<'_, 'a, '_> {
    /// Adds a requirement on a literal.
    pub(super) fn literal(&mut self, var: Var, wanted: &Wanted<'_>) -> Result<Possible, NoExactForm> {
        if self.facts_to(var).is_empty() {
            // A description of literals that is the whole question; see `free_literals`.
            return Ok(Possible::Yes);
        }
        let own = self.own(var);
        let name = self.name(var)?;
        match self.printer.dialect {
            ViewDialect::Direct(direct) => {
                let knowledge = self.printer.knowledge;
                let place = Place { knowledge, view: &direct.view, usual: self.usual(var), own: &own };
                let condition = place.condition(&name, wanted)?;
                Ok(self.restrict(&name, condition))
            }
            ViewDialect::KqaPro(_) => self.value_node(&name, &own, wanted),
        }
    }

    /// The literals that are the answer without any fact that leads to them.
    pub(super) fn free_literals(&self) -> Result<Option<Vec<u32>>, NoExactForm> {
        if self.kind(ANSWER) != Kind::Literal || !self.facts_to(ANSWER).is_empty() {
            return Ok(None);
        }
        let mut ranges: Option<crate::values::LiteralRanges> = None;
        for atom in &self.resolved.conjunct.atoms {
            if let super::conjuncts::Atom::Passes(ANSWER, test) = atom {
                ranges = Some(match ranges {
                    Some(ranges) => ranges.intersection(test.literals(self.printer.knowledge.kb)),
                    None => test.literals(self.printer.knowledge.kb).clone(),
                });
            }
        }
        let ranges = ranges.unwrap_or_default();
        if ranges.len() > MAX_LITERALS {
            return Err(NoExactForm::new("all literals that satisfy the comparison"));
        }
        let english =
            |id: &u32| !self.printer.plan.english || Wanted::English.accepts(self.printer.knowledge, *id);
        Ok(Some(ranges.literals().filter(english).collect()))
    }

    /// The possible literals of a variable: those that pass its tests.
    pub(super) fn passing(&self, var: Var, own: &[u32]) -> Vec<u32> {
        let tests: Vec<_> = self
            .resolved
            .conjunct
            .atoms
            .iter()
            .filter_map(|atom| match atom {
                super::conjuncts::Atom::Passes(other, test) if *other == var => Some(*test),
                _ => None,
            })
            .collect();
        let kb = self.printer.knowledge.kb;
        let passes = |id: &u32| tests.iter().all(|test| test.literals(kb).contains(*id));
        own.iter().copied().filter(passes).collect()
    }

    /// Checks that literals that are the same in the view are the same in the KB, if several attributes lead to one variable.
    pub(super) fn check_joins(&self) -> Result<(), NoExactForm> {
        for var in 0..self.resolved.kinds.len() {
            let facts = self.facts_to(var);
            if self.kind(var) != Kind::Literal || facts.len() < 2 {
                continue;
            }
            for (at, fact) in facts.iter().enumerate() {
                for other in &facts[at + 1..] {
                    self.check_same(var, &fact.properties, var, &other.properties)?;
                }
            }
        }
        Ok(())
    }

    fn check_same(&self, a: Var, of_a: &[Property], b: Var, of_b: &[Property]) -> Result<(), NoExactForm> {
        let knowledge = self.printer.knowledge;
        let key = |id: u32, properties: &[Property]| {
            let literal = knowledge.literal(id);
            match (self.printer.view(), properties.first()) {
                (View::Direct, Some(Property::Attribute(attribute))) => {
                    ValueKey::shown(&literal, knowledge.kb.plain_unit(*attribute))
                }
                (view, _) => ValueKey::of(view, &literal),
            }
        };
        let literals = |var: Var, properties: &[Property]| self.passing(var, &knowledge.literals(properties));
        let mut known: HashMap<ValueKey, Vec<u32>> = HashMap::new();
        let first = literals(a, of_a);
        for &id in &first {
            known.entry(key(id, of_a)).or_default().push(id);
        }
        for id in literals(b, of_b) {
            let alike = known.get(&key(id, of_b)).map_or(&[][..], Vec::as_slice);
            let is_known = first.binary_search(&id).is_ok();
            if alike.iter().any(|&other| other != id) || alike.is_empty() == is_known {
                return Err(NoExactForm::new("a repeated value that the view does not distinguish"));
            }
        }
        Ok(())
    }

    pub(super) fn unequal_literals(&mut self, left: Var, right: Var) -> Result<(), NoExactForm> {
        if self.printer.view() == View::KqaPro {
            return Err(NoExactForm::new("an inequality between values"));
        }
        for a in self.facts_to(left) {
            for b in self.facts_to(right) {
                self.check_same(left, &a.properties, right, &b.properties)?;
            }
        }
        let filter = format!("!sameTerm({}, {})", self.name(left)?, self.name(right)?);
        self.group.filter(&filter);
        Ok(())
    }

    /// A value is the extreme one of a superlative.
    pub(super) fn extreme(&mut self, var: Var, extremes: &'a Extremes) -> Result<Possible, NoExactForm> {
        let Some((family, unit)) = measure(self.printer.knowledge, extremes) else { return Ok(Possible::No) };
        let wanted = Wanted::Measure(family, unit.clone());
        if self.literal(var, &wanted)? == Possible::No {
            return Ok(Possible::No);
        }
        let direct = self.printer.view() == View::Direct;
        match (family, direct) {
            (LiteralFamily::Quantity, true) => self.greatest_number(var, extremes, &wanted),
            (LiteralFamily::Quantity, false) => self.greatest_value(var, extremes, &wanted, &unit),
            (_, true) => self.latest(var, extremes, &wanted),
            (_, false) => self.latest_value(var, extremes, &wanted),
        }
    }

    fn greatest_number(
        &mut self,
        var: Var,
        extremes: &'a Extremes,
        wanted: &Wanted<'_>,
    ) -> Result<Possible, NoExactForm> {
        let best = self.fresh("best");
        let number = |variable: &str| format!("{}(STR({variable}))", xsd("double"));
        let pattern = self.printer.contest(extremes, |scope, value| {
            if scope.literal(value, wanted)? == Possible::No {
                return Ok(Possible::No);
            }
            let name = scope.name(value)?;
            scope.group.bind(&number(&name), &best);
            Ok(Possible::Yes)
        })?;
        let Some(pattern) = pattern else { return Ok(Possible::No) };
        let order = if extremes.extreme == Extreme::Max { "DESC" } else { "ASC" };
        self.group
            .select(format!("{{ SELECT {best} WHERE {{\n{pattern}\n}} ORDER BY {order}({best}) LIMIT 1 }}"));
        let filter = format!("{} = {best}", number(&self.name(var)?));
        self.group.filter(&filter);
        Ok(Possible::Yes)
    }

    /// Times as texts: at each precision, the greatest of those with at least that precision.
    fn latest(
        &mut self,
        var: Var,
        extremes: &'a Extremes,
        wanted: &Wanted<'_>,
    ) -> Result<Possible, NoExactForm> {
        let lengths = self.time_lengths(extremes)?;
        let value = self.fresh("time");
        let pattern = self.printer.contest(extremes, |scope, end| {
            if scope.literal(end, wanted)? == Possible::No {
                return Ok(Possible::No);
            }
            let name = scope.name(end)?;
            scope.group.bind(&format!("STR({name})"), &value);
            Ok(Possible::Yes)
        })?;
        let Some(pattern) = pattern else { return Ok(Possible::No) };
        let (function, never) = extreme_words(extremes.extreme);
        let name = self.name(var)?;
        let (mut columns, mut filters) = (Vec::new(), Vec::new());
        for (at, length) in lengths.iter().enumerate() {
            let best = self.fresh("best");
            let cut = |text: &str| format!("SUBSTR({text}, 1, {length})");
            if at == 0 {
                columns.push(format!("({function}({}) AS {best})", cut(&value)));
                filters.push(format!("{} = {best}", cut(&format!("STR({name})"))));
            } else {
                let exact = format!("STRLEN({value}) >= {length}");
                columns.push(format!("({function}(IF({exact}, {}, \"{never}\")) AS {best})", cut(&value)));
                let text = format!("STR({name})");
                filters.push(format!("(STRLEN({text}) < {length} || {} = {best})", cut(&text)));
            }
        }
        self.group.select(format!("{{ SELECT {} WHERE {{\n{pattern}\n}} }}", columns.join(" ")));
        self.group.filter(&filters.join(" && "));
        Ok(Possible::Yes)
    }

    /// The lengths of the texts of the candidate times, shortest first.
    fn time_lengths(&self, extremes: &Extremes) -> Result<Vec<usize>, NoExactForm> {
        let Some((properties, _)) = extremes.path.last() else { return Ok(Vec::new()) };
        let knowledge = self.printer.knowledge;
        let mut lengths = Vec::new();
        let own = knowledge.literals(properties);
        let odd = knowledge.odd_times(&own);
        // By the compared text: the time that it denotes.
        let mut clocks: HashMap<&str, i64> = HashMap::new();
        for &id in own.iter() {
            let Some(time) = knowledge.kb.literal_time(LiteralId(id)) else { continue };
            let length = match time.precision() {
                Precision::Year => 4,
                Precision::Month => 7,
                Precision::Day => 10,
                Precision::Second => 19,
            };
            // In the spelling of XML Schema, so that texts sort like times.
            let is_usual = |text: &str| {
                (1..=9999).contains(&time.year())
                    && match time.precision() {
                        Precision::Year => text == time.year().to_string(),
                        Precision::Month | Precision::Day => text == time.date_text(),
                        Precision::Second => {
                            let rest = text.strip_prefix(&time.date_text());
                            rest.is_some_and(begins_with_clock)
                        }
                    }
            };
            let text = knowledge.literal(id).text();
            if odd.binary_search(&id).is_ok() && !is_usual(text) {
                return Err(NoExactForm::new(
                    "the earliest or latest of times that are written in unusual ways",
                ));
            }
            // Fractions of a second and time zones are cut off: engines write them in several ways.
            if let Some(clock) = text.get(..length).filter(|_| time.precision() == Precision::Second)
                && clocks.insert(clock, time.key()).is_some_and(|other| other != time.key())
            {
                return Err(NoExactForm::new(
                    "the earliest or latest of times that differ by less than a second",
                ));
            }
            if !lengths.contains(&length) {
                lengths.push(length);
            }
        }
        lengths.sort_unstable();
        Ok(lengths)
    }

    fn greatest_value(
        &mut self,
        var: Var,
        extremes: &'a Extremes,
        wanted: &Wanted<'_>,
        unit: &str,
    ) -> Result<Possible, NoExactForm> {
        let best = self.fresh("best");
        let unit = quoted(if unit.is_empty() { "1" } else { unit });
        let pattern = self.printer.contest(extremes, |scope, value| {
            if scope.literal(value, wanted)? == Possible::No {
                return Ok(Possible::No);
            }
            let name = scope.name(value)?;
            scope.group.triple(&name, &kqapro(KqaProPredicate::Value), &best);
            scope.group.triple(&name, &kqapro(KqaProPredicate::Unit), &unit);
            Ok(Possible::Yes)
        })?;
        let Some(pattern) = pattern else { return Ok(Possible::No) };
        let order = if extremes.extreme == Extreme::Max { "DESC" } else { "ASC" };
        self.group
            .select(format!("{{ SELECT {best} WHERE {{\n{pattern}\n}} ORDER BY {order}({best}) LIMIT 1 }}"));
        let name = self.name(var)?;
        self.group.triple(&name, &kqapro(KqaProPredicate::Value), &best);
        self.group.triple(&name, &kqapro(KqaProPredicate::Unit), &unit);
        Ok(Possible::Yes)
    }

    fn latest_value(
        &mut self,
        var: Var,
        extremes: &'a Extremes,
        wanted: &Wanted<'_>,
    ) -> Result<Possible, NoExactForm> {
        let lengths = self.value_lengths(extremes)?;
        let (year, date) = (self.fresh("year"), self.fresh("date"));
        let pattern = self.printer.contest(extremes, |scope, value| {
            if scope.literal(value, wanted)? == Possible::No {
                return Ok(Possible::No);
            }
            let name = scope.name(value)?;
            scope.group.triple(&name, &kqapro(KqaProPredicate::Year), &year);
            if lengths.dated {
                scope.group.optional(&name, &kqapro(KqaProPredicate::Date), &date);
            }
            Ok(Possible::Yes)
        })?;
        let Some(pattern) = pattern else { return Ok(Possible::No) };
        let (function, never) = extreme_words(extremes.extreme);
        let (best_year, best_date) = (self.fresh("best"), self.fresh("best"));
        let mut columns = format!("({function}({year}) AS {best_year})");
        let name = self.name(var)?;
        self.group.triple(&name, &kqapro(KqaProPredicate::Year), &best_year);
        if lengths.dated {
            let own = self.fresh("date");
            columns += &format!(" ({function}(IF(BOUND({date}), STR({date}), \"{never}\")) AS {best_date})");
            self.group.optional(&name, &kqapro(KqaProPredicate::Date), &own);
            self.group.filter(&format!("!BOUND({own}) || STR({own}) = {best_date}"));
        }
        self.group.select(format!("{{ SELECT {columns} WHERE {{\n{pattern}\n}} }}"));
        Ok(Possible::Yes)
    }

    /// The kinds of candidate times in KQA Pro's graph, which has only years and days.
    fn value_lengths(&self, extremes: &Extremes) -> Result<Lengths, NoExactForm> {
        let Some((properties, _)) = extremes.path.last() else { return Ok(Lengths { dated: false }) };
        let knowledge = self.printer.knowledge;
        let mut lengths = Lengths { dated: false };
        for &id in knowledge.literals(properties).iter() {
            let Some(time) = knowledge.kb.literal_time(LiteralId(id)) else { continue };
            match time.precision() {
                Precision::Year => {}
                Precision::Day if (1..=9999).contains(&time.year()) => lengths.dated = true,
                _ => {
                    return Err(NoExactForm::new(
                        "the earliest or latest of times that KQA Pro's graph cannot hold",
                    ));
                }
            }
        }
        Ok(lengths)
    }
}

struct Lengths {
    dated: bool,
}

/// Whether a text begins with `Thh:mm:ss`, the time of day in XML Schema; a fraction and a time zone may follow.
fn begins_with_clock(text: &str) -> bool {
    let Some(&[b'T', h0, h1, b':', m0, m1, b':', s0, s1]) = text.as_bytes().first_chunk::<9>() else {
        return false;
    };
    let number = |tens: u8, ones: u8| {
        let digits = tens.is_ascii_digit() && ones.is_ascii_digit();
        digits.then(|| (tens - b'0') * 10 + (ones - b'0'))
    };
    // Engines that read hour 24 and second 60 write them differently.
    number(h0, h1).is_some_and(|hour| hour < 24)
        && number(m0, m1).is_some_and(|minute| minute < 60)
        && number(s0, s1).is_some_and(|second| second < 60)
}

/// The aggregate, and a text that never wins.
fn extreme_words(extreme: Extreme) -> (&'static str, &'static str) {
    match extreme {
        Extreme::Max => ("MAX", ""),
        Extreme::Min => ("MIN", "~"),
    }
}

/// Checks that no two possible answers are indistinguishable: they would be counted once.
pub(super) fn check_count(printer: &Printer<'_, '_>, literals: &[u32]) -> Result<(), NoExactForm> {
    let mut seen = std::collections::HashSet::new();
    let alike = |&id: &u32| !seen.insert(ValueKey::of(printer.view(), &printer.knowledge.literal(id)));
    if literals.iter().any(alike) {
        return Err(NoExactForm::new("a count of values that the view does not distinguish"));
    }
    Ok(())
}
