//! Verbalises queries for rows: several columns of the same things, and values that are computed of groups.

use super::nouns::Noun;
use super::phrases::joined;
use super::verbalise::{Verbalised, VerbalisedQuestion, Verbaliser, Wording, sentences};
use crate::reject::RejectReason;
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::english::inflect::{plural, value as said_value};
use touchstone_engine::Words;
use touchstone_kb::{Comparison, Property, RelationId, ValueKind};
use touchstone_logic::sparql::{Aggregate, Grouped, RowColumn, RowFunction, RowQuery};
use touchstone_logic::{Ask, Direction, Extreme, Query, Set, Step, Value, with_ids};

/// How many members of a class are looked at to see whether a relation usually leads to several things.
const SAMPLE: usize = 50;

/// Verbalises a query for rows.
pub(super) fn verbalise(
    rows: &RowQuery,
    known: &Words<'_>,
    lexicon: &Lexicon,
    wording: Wording,
) -> Result<VerbalisedQuestion, RejectReason> {
    let mut rows = rows.clone();
    let members = with_ids(Query::new(Ask::Members(rows.of)), known.kb());
    let Ask::Members(of) = members.answer else { return Err(RejectReason::NoEnglishClause) };
    rows.of = of;
    sentences(known, lexicon, wording, |verbaliser| match &rows.group {
        Some(group) => verbaliser.groups(&rows, group),
        None => verbaliser.tuples(&rows),
    })
}

/// The things that rows are about.
struct Things {
    noun: Noun,
    /// The noun with all clauses, in the plural and without an article; the name of a single thing.
    text: String,
    /// Whether there are no clauses.
    bare: bool,
    /// Whether they are one thing with a name.
    named: bool,
    /// The first steps of columns that need no "that", whatever the set says about them: values, and things whose class the schema gives.
    plain: Vec<Step>,
}

impl Things {
    /// `films`, or `of the films by Frank Darabont` after a number or a pronoun.
    fn after(&self, number: &str) -> String {
        match self.bare {
            true => format!("{number} {}", self.text),
            false => format!("{number} of the {}", self.text),
        }
    }

    /// What follows would be read as part of the last clause.
    fn is_long(&self) -> bool {
        [" that ", " who "].iter().any(|pronoun| self.text.contains(pronoun))
    }

    fn is_described(&self, column: &RowColumn) -> bool {
        column.described && column.path.first().is_some_and(|step| !self.plain.contains(step))
    }
}

impl Verbaliser<'_, '_> {
    /// The question for several columns.
    fn tuples(&mut self, rows: &RowQuery) -> Verbalised<String> {
        let things = self.things(&rows.of, rows.columns.iter().chain(rows.order.iter().map(|(by, _)| by)))?;
        let order = match &rows.order {
            Some((by, extreme)) => Some(self.with_extreme(by, *extreme, &things)?),
            None => None,
        };
        let shows_thing = rows.columns.iter().any(|column| column.path.is_empty());
        let mut paths: Vec<&RowColumn> =
            rows.columns.iter().filter(|column| !column.path.is_empty()).collect();
        // After "that director", "their" would be the director's.
        paths.sort_by_key(|column| things.is_described(column));
        let n = rows.limit;
        if let ([], Some(order), Some(n)) = (&paths[..], &order, n) {
            let (which, have) =
                if n == 1 { ("which".to_owned(), "has") } else { (format!("which {n}"), "have") };
            return Ok(match (n, things.bare) {
                (1, true) => format!("which {} has {order}?", things.noun.one),
                _ => format!("{} {have} {order}?", things.after(&which)),
            });
        }
        let (start, target) = self.target(&things, order.as_deref(), n);
        if shows_thing {
            let shown = self.columns(&paths, &things, n == Some(1) && !things.named)?;
            let together = if order.is_some() || things.is_long() { ", together with" } else { " with" };
            let with = if shown.is_empty() { String::new() } else { format!("{together} {shown}") };
            return Ok(format!("{start}list {target}{}.", with));
        }
        let mut shown = Vec::new();
        for column in &paths {
            let text = self.path(&column.path, "the", things.is_described(column))?;
            shown.push(if column.optional { format!("{text} (if known)") } else { text });
        }
        let each = match (things.named || n == Some(1), things.bare && n.is_none() && order.is_none()) {
            (true, _) => target,
            (false, true) => format!("each {}", things.noun.one),
            (false, false) => format!("each of {target}"),
        };
        Ok(format!("{start}list {} of {each}.", joined(&shown, "and")))
    }

    /// What comes first, and the things to list: `of the films by Frank Darabont, ` and `the 5 with the greatest duration`.
    fn target(&self, things: &Things, order: Option<&str>, n: Option<usize>) -> (String, String) {
        let none = String::new();
        match (n, order) {
            _ if things.named => (none, things.text.clone()),
            (None, _) if things.bare => (none, format!("all {}", things.text)),
            (None, _) => (none, format!("the {}", things.text)),
            (Some(1), None) if things.bare => (none, format!("any one {}", things.noun.one)),
            (Some(1), None) => (none, things.after("any one")),
            (Some(n), None) => (none, things.after(&format!("any {n}"))),
            (Some(1), Some(order)) if things.bare => (none, format!("the {} with {order}", things.noun.one)),
            (Some(n), Some(order)) if things.bare => (none, format!("the {n} {} with {order}", things.text)),
            (Some(n), Some(order)) => {
                let ones = if n == 1 { "one".to_owned() } else { n.to_string() };
                (format!("of the {}, ", things.text), format!("the {ones} with {order}"))
            }
        }
    }

    /// `their duration and their director, and their spouse if known`.
    fn columns(&mut self, columns: &[&RowColumn], things: &Things, is_one: bool) -> Verbalised<String> {
        let owner = match (is_one, things.noun.person) {
            (false, _) | (_, true) => "their",
            (true, false) => "its",
        };
        let (mut always, mut if_known) = (Vec::new(), Vec::new());
        for column in columns {
            let text = self.path(&column.path, owner, things.is_described(column))?;
            if column.optional { &mut if_known } else { &mut always }.push(text);
        }
        let (always, if_known) = (joined(&always, "and"), joined(&if_known, "and"));
        Ok(match (always.is_empty(), if_known.is_empty()) {
            (_, true) => always,
            (true, false) => format!("{if_known} if known"),
            (false, false) => format!("{always}, and {if_known} if known"),
        })
    }

    /// `the greatest duration`.
    fn with_extreme(&mut self, by: &RowColumn, extreme: Extreme, things: &Things) -> Verbalised<String> {
        let (last, before) = by.path.split_last().ok_or(RejectReason::NoEnglishClause)?;
        let word = self.extreme_word(last, extreme)?;
        let noun = self.step_noun(last)?.0;
        Ok(match before {
            [] => format!("the {word} {noun}"),
            before => {
                format!("the {word} {noun} of {}", self.path(before, "their", things.is_described(by))?)
            }
        })
    }

    /// The question for groups.
    fn groups(&mut self, rows: &RowQuery, group: &Grouped) -> Verbalised<String> {
        let columns = group.keys.iter().chain(group.aggregates.iter().map(|aggregate| &aggregate.of));
        let things = self.things(&rows.of, columns)?;
        if things.named && group.aggregates.iter().any(|aggregate| aggregate.of.path.is_empty()) {
            return Err(RejectReason::CountOfOne);
        }
        let keys = Keys::of(self, &group.keys, &things)?;
        let per_thing = keys.per_thing;
        let mut having = Vec::new();
        for (number, comparison, value) in &group.having {
            let aggregate = group.aggregates.get(*number).ok_or(RejectReason::NoEnglishClause)?;
            having.push(self.having(aggregate, *comparison, value, &things)?);
        }
        let having = joined(&having, "and");
        let with = if having.is_empty() { String::new() } else { format!(" with {having}") };
        if let Some((number, extreme)) = group.order {
            let aggregate = group.aggregates.get(number).ok_or(RejectReason::NoEnglishClause)?;
            return self.extreme_groups(
                (aggregate, extreme),
                rows.limit.unwrap_or(1),
                group,
                &keys,
                &with,
                &things,
            );
        }
        let shown: Vec<&Aggregate> = group.aggregates.iter().filter(|aggregate| aggregate.shown).collect();
        // A group that fulfils a condition on itself stands after the things that it consists of.
        let trails = keys.is_described || !having.is_empty() && !things.bare && !per_thing;
        let each = format!("{}{with}", keys.each);
        Ok(match &shown[..] {
            [] if having.is_empty() => return Err(RejectReason::NoEnglishClause),
            [] if things.bare || per_thing => format!("which {} have {having}?", keys.many),
            [] => format!("of the {}, which {} have {having}?", things.text, keys.many),
            [only] if only.function == RowFunction::Count => {
                let counted = self.counted(only, &things, per_thing)?;
                match (keys.each.is_empty(), trails) {
                    (true, _) => format!("how many {counted}?"),
                    (false, true) => format!("how many {counted} for {each}?"),
                    (false, false) => format!("for {each}, how many {counted}?"),
                }
            }
            several => {
                let asked = self.computed(several, &things, per_thing)?;
                let verb = if several.len() == 1 { "is" } else { "are" };
                match (keys.each.is_empty(), per_thing) {
                    (true, _) => format!("what {verb} {asked}?"),
                    (false, true) => format!("for {each}, what {verb} {asked}?"),
                    (false, false) => format!("what {verb} {asked}, for {each}?"),
                }
            }
        })
    }

    /// `which 5 directors have the most films, and how many?`
    fn extreme_groups(
        &mut self,
        (by, extreme): (&Aggregate, Extreme),
        n: usize,
        group: &Grouped,
        keys: &Keys,
        with: &str,
        things: &Things,
    ) -> Verbalised<String> {
        let most = match (by.function, extreme) {
            (RowFunction::Count, Extreme::Max) => "most".to_owned(),
            (RowFunction::Count, Extreme::Min) => "fewest".to_owned(),
            (function, extreme) => {
                let last = by.of.path.last().ok_or(RejectReason::NoEnglishClause)?;
                let word = self.extreme_word(last, extreme)?;
                match (function, extreme) {
                    (RowFunction::Max, Extreme::Max) | (RowFunction::Min, Extreme::Min) => word.to_owned(),
                    (function, _) => format!("{word} {}", self.bounded_word(function, last)?),
                }
            }
        };
        let shown: Vec<&Aggregate> = group.aggregates.iter().filter(|aggregate| aggregate.shown).collect();
        let also = match &shown[..] {
            [] => String::new(),
            [only] if *only == by && by.function == RowFunction::Count => ", and how many".to_owned(),
            [only] if *only == by => ", and what is it".to_owned(),
            several => {
                let verb = if several.len() == 1 { "is" } else { "are" };
                format!(", and what {verb} {}", self.computed(several, things, keys.per_thing)?)
            }
        };
        let (which, have) = match n {
            1 => (format!("which {}", keys.one), "has"),
            n => (format!("which {n} {}", keys.many), "have"),
        };
        let measured = match (by.function, by.of.path.is_empty()) {
            (RowFunction::Count, true) if keys.is_described => String::new(),
            (RowFunction::Count, true) => format!(" {}", things.text),
            (RowFunction::Count, false) => format!(" {}", self.path_noun(&by.of.path, true)?),
            _ => {
                let of =
                    if keys.per_thing || keys.is_described { "" } else { &format!(" of {}", things.text) };
                format!(" {}{of}", self.path_noun(&by.of.path, false)?)
            }
        };
        let start = match keys.is_described {
            true => format!("of the {}, ", things.text),
            false => String::new(),
        };
        Ok(format!("{start}{which}{with} {have} the {most}{measured}{also}?"))
    }

    /// `films are there`, `directors do the films have`.
    fn counted(&mut self, count: &Aggregate, things: &Things, per_thing: bool) -> Verbalised<String> {
        if count.of.path.is_empty() {
            return Ok(format!("{} are there", things.text));
        }
        let noun = self.path_noun(&count.of.path, true)?;
        Ok(match (per_thing, things.named) {
            (true, _) => format!("{noun} are there"),
            (false, true) => format!("{noun} does {} have", things.text),
            (false, false) => format!("different {noun} do the {} have", things.text),
        })
    }

    /// `the average and the greatest duration of the films and their total area`.
    fn computed(&mut self, several: &[&Aggregate], things: &Things, per_thing: bool) -> Verbalised<String> {
        let mut said: Vec<String> = Vec::new();
        for of_one in several.chunk_by(|one, other| {
            one.of.path == other.of.path
                && one.function != RowFunction::Count
                && other.function != RowFunction::Count
        }) {
            let Some((path, last)) = of_one.first().and_then(|a| Some((&a.of.path, a.of.path.last()?)))
            else {
                said.push(format!("the number of {}", things.text));
                continue;
            };
            let article = if said.is_empty() || per_thing { "the" } else { "their" };
            let mut words = Vec::new();
            for aggregate in of_one {
                words.push(match aggregate.function {
                    RowFunction::Count => format!("{article} number of"),
                    function => format!("{article} {}", self.function_word(function, last)?),
                });
            }
            let noun = self.path_noun(path, of_one.iter().any(|a| a.function == RowFunction::Count))?;
            let of = match (per_thing || !said.is_empty(), things.named) {
                (true, _) => String::new(),
                (false, true) => format!(" of {}", things.text),
                (false, false) => format!(" of the {}", things.text),
            };
            said.push(format!("{} {noun}{of}", joined(&words, "and")));
        }
        Ok(joined(&said, "and"))
    }

    /// `more than 5 films`, `an average duration of more than 100`.
    fn having(
        &mut self,
        aggregate: &Aggregate,
        comparison: Comparison,
        value: &Value,
        things: &Things,
    ) -> Verbalised<String> {
        let is_count = aggregate.function == RowFunction::Count;
        let bound = match comparison {
            Comparison::Greater => "more than",
            Comparison::GreaterOrEqual => "at least",
            Comparison::Less if is_count => "fewer than",
            Comparison::Less => "less than",
            Comparison::LessOrEqual => "at most",
            Comparison::Equal => "exactly",
            Comparison::NotEqual => return Err(RejectReason::NoEnglishClause),
        };
        let value = said_value(&value.literal());
        let path = &aggregate.of.path;
        Ok(match path.last() {
            None => {
                let noun = if value == "1" { &things.noun.one } else { &things.noun.many };
                let such = if things.bare { "" } else { "such " };
                format!("{bound} {value} {such}{noun}")
            }
            Some(_) if is_count => format!("{bound} {value} {}", self.path_noun(path, value != "1")?),
            Some(last) => {
                let word = self.bounded_word(aggregate.function, last)?;
                let article = if word == "average" { "an" } else { "a" };
                format!("{article} {word} {} of {bound} {value}", self.path_noun(path, false)?)
            }
        })
    }

    /// The things of a set, with a noun that fits its columns if it has no class.
    fn things<'c>(&mut self, set: &Set, columns: impl Iterator<Item = &'c RowColumn>) -> Verbalised<Things> {
        let starts: Vec<&Step> = columns.filter_map(|column| column.path.first()).collect();
        if matches!(set, Set::Entity(_) | Set::Named(_)) {
            let node = self.entity(set)?;
            let text = self.named(node)?;
            return Ok(Things {
                noun: self.noun_of(None),
                text,
                bare: false,
                named: true,
                plain: Vec::new(),
            });
        }
        let is_attribute =
            |step: &&&Step| matches!(self.property(&step.property), Some(Property::Attribute(_)));
        let mut plain: Vec<Step> = starts.iter().filter(is_attribute).map(|step| (*step).clone()).collect();
        let parts = set.conjuncts().iter().filter(|part| match self.implied_by(part, &starts) {
            Some(step) => {
                plain.push(step);
                false
            }
            None => true,
        });
        let set = Set::and(parts.cloned().collect::<Vec<_>>());
        let (noun, clauses) = match &set {
            Set::All => (self.noun_of(None), Vec::new()),
            set => self.described(set, true)?,
        };
        let has_class = set.conjuncts().iter().any(|part| matches!(part, Set::Class(_)));
        let noun = starts.iter().filter(|_| !has_class).fold(noun, |noun, step| {
            let class = self.class_of_start(step);
            self.more_special(class, noun)
        });
        let bare = clauses.is_empty();
        let text = self.nominal_within(&noun, clauses, true);
        Ok(Things { noun, text, bare, named: false, plain })
    }

    /// The step of a column for which the schema says all that one part of a set says: that directors are people.
    fn implied_by(&self, part: &Set, starts: &[&Step]) -> Option<Step> {
        let Set::Relate(relate) = part else { return None };
        let Set::Class(class) = &relate.from else { return None };
        let class = self.kb.class(class)?;
        let direction = relate.direction.flipped();
        let end = self.class_of_end(&relate.property, direction)?;
        let is_implied = end == class || self.kb.ancestors(end).any(|above| above == class);
        let is_start =
            |step: &&&Step| step.property == relate.property && step.direction == direction && is_implied;
        starts.iter().find(is_start).map(|step| (*step).clone())
    }

    /// `the capital of their country`.
    fn path(&self, path: &[Step], owner: &str, is_that: bool) -> Verbalised<String> {
        let mut text = String::new();
        for (at, step) in path.iter().enumerate() {
            let (one, many) = self.step_noun(step)?;
            let several = self.leads_to_several(step);
            let noun = if several { many } else { one };
            text = match (at, is_that) {
                (0, false) => format!("{owner} {noun}"),
                (0, true) => format!("{} {noun}", if several { "those" } else { "that" }),
                _ => format!("the {noun} of {text}"),
            };
        }
        Ok(text)
    }

    /// `capital of the country`, without an article.
    fn path_noun(&self, path: &[Step], is_plural: bool) -> Verbalised<String> {
        let (last, before) = path.split_last().ok_or(RejectReason::NoEnglishClause)?;
        let (one, many) = self.step_noun(last)?;
        let mut text = if is_plural { many } else { one };
        for step in before.iter().rev() {
            text += &format!(" of the {}", self.step_noun(step)?.0);
        }
        Ok(text)
    }

    /// The noun of what a step leads to, in the singular and the plural.
    fn step_noun(&self, step: &Step) -> Verbalised<(String, String)> {
        let property = step.property.as_str();
        let noun = match (self.property(property), step.direction) {
            (Some(Property::Attribute(_)), Direction::Forward) => self.attribute(property)?.noun,
            (Some(Property::Relation(_)), direction) => {
                let words = self.lexicon.relations.get(property).ok_or(RejectReason::UnknownRelation)?;
                match direction {
                    Direction::Forward => words.noun.clone(),
                    Direction::Backward if !words.inverse_noun.is_empty() => words.inverse_noun.clone(),
                    Direction::Backward => {
                        let noun = self.noun_of(self.class_of_end(property, direction));
                        return Ok((noun.one, noun.many));
                    }
                }
            }
            _ => return Err(RejectReason::NoEnglishClause),
        };
        if noun.is_empty() { Err(RejectReason::NoPhrase) } else { Ok((noun.clone(), plural(&noun))) }
    }

    /// Whether most things have several of what a step leads to.
    fn leads_to_several(&self, step: &Step) -> bool {
        let several = |relation: RelationId| {
            let class = self.kb.relation_domain(relation);
            let members = class.map_or(&[][..], |class| self.kb.members(class));
            let counts =
                members.iter().map(|&node| self.kb.objects(touchstone_kb::NodeId(node), relation).len());
            let counts: Vec<usize> = counts.filter(|n| *n > 0).take(SAMPLE).collect();
            2 * counts.iter().filter(|n| **n > 1).count() > counts.len()
        };
        match (self.property(&step.property), step.direction) {
            (_, Direction::Backward) => true,
            (Some(Property::Relation(relation)), _) => several(relation),
            _ => false,
        }
    }

    fn value_kind(&self, step: &Step) -> Verbalised<ValueKind> {
        match (self.property(&step.property), step.direction) {
            (Some(Property::Attribute(attribute)), Direction::Forward) => {
                Ok(self.kb.attribute_kind(attribute))
            }
            _ => Err(RejectReason::NoEnglishClause),
        }
    }

    fn extreme_word(&self, step: &Step, extreme: Extreme) -> Verbalised<&'static str> {
        Ok(match (self.value_kind(step)?, extreme) {
            (ValueKind::Time, Extreme::Max) => "latest",
            (ValueKind::Time, Extreme::Min) => "earliest",
            (ValueKind::Quantity, Extreme::Max) => "greatest",
            (ValueKind::Quantity, Extreme::Min) => "smallest",
            _ => return Err(RejectReason::NoEnglishClause),
        })
    }

    /// The word for a computed number that is compared.
    fn bounded_word(&self, function: RowFunction, step: &Step) -> Verbalised<&'static str> {
        match (function, self.value_kind(step)?) {
            (RowFunction::Max, ValueKind::Quantity) => Ok("maximum"),
            (RowFunction::Min, ValueKind::Quantity) => Ok("minimum"),
            (function, ValueKind::Quantity) => self.function_word(function, step),
            _ => Err(RejectReason::NoEnglishClause),
        }
    }

    fn function_word(&self, function: RowFunction, step: &Step) -> Verbalised<&'static str> {
        match (function, self.value_kind(step)?) {
            (RowFunction::Max, _) => self.extreme_word(step, Extreme::Max),
            (RowFunction::Min, _) => self.extreme_word(step, Extreme::Min),
            (RowFunction::Sum, ValueKind::Quantity) => Ok("total"),
            (RowFunction::Average, ValueKind::Quantity) => Ok("average"),
            _ => Err(RejectReason::NoEnglishClause),
        }
    }
}

/// What groups are called.
struct Keys {
    /// `director`.
    one: String,
    /// `directors`.
    many: String,
    /// `each director and genre`; empty if there is one group.
    each: String,
    /// Whether each thing is a group.
    per_thing: bool,
    /// Whether the things are described by what they share.
    is_described: bool,
}

impl Keys {
    fn of(verbaliser: &Verbaliser<'_, '_>, keys: &[RowColumn], things: &Things) -> Verbalised<Keys> {
        if let [key] = keys
            && key.path.is_empty()
        {
            let each = match things.bare {
                true => format!("each {}", things.noun.one),
                false => things.after("each"),
            };
            let (one, many) = match things.bare {
                true => (things.noun.one.clone(), things.text.clone()),
                false => (format!("of the {}", things.text), format!("of the {}", things.text)),
            };
            return Ok(Keys { one, many, each, per_thing: true, is_described: false });
        }
        let mut nouns = Vec::new();
        for key in keys {
            nouns.push(verbaliser.path_noun(&key.path, false)?);
        }
        let is_described = keys.iter().any(|key| things.is_described(key));
        let such = if is_described { "such " } else { "" };
        let (one, many) = match keys {
            [key] => (nouns[0].clone(), verbaliser.path_noun(&key.path, true)?),
            [_, _] => {
                (format!("pair of {}", nouns.join(" and ")), format!("pairs of {}", nouns.join(" and ")))
            }
            _ => {
                let all = joined(&nouns, "and");
                (format!("combination of {all}"), format!("combinations of {all}"))
            }
        };
        let each =
            if keys.is_empty() { String::new() } else { format!("each {such}{}", joined(&nouns, "and")) };
        Ok(Keys {
            one: format!("{such}{one}"),
            many: format!("{such}{many}"),
            each,
            per_thing: false,
            is_described,
        })
    }
}
