//! The things that a question names: entities, classes, and values with what they are compared by. Spans may overlap; the search chooses.

use crate::common_words::is_common;
use crate::schema::SchemaNames;
use crate::text::{QuestionWord, without_scope, words};
use hashbrown::HashSet;
use touchstone_benchmark::Mention;
use touchstone_benchmark::english::inflect::MONTHS;
use touchstone_kb::{AttributeId, ClassId, Comparison, Kb, Literal, Match, NodeId, Property, ValueKind};
use touchstone_logic::Value;

/// Something that a question names.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
    /// What is named.
    pub thing: LeafThing,
    /// How well the name fits, from 0 to 1.
    pub fit: f32,
    /// Its words, as bits.
    pub(crate) words: u64,
    /// The number of its first word.
    pub(crate) first: usize,
    /// Whether its words are a name by themselves: several, or one with a capital letter inside of a sentence.
    pub(crate) is_sure: bool,
}

/// What a part of a question names.
#[derive(Debug, Clone, PartialEq)]
pub enum LeafThing {
    /// An entity.
    Entity(NodeId),
    /// A class.
    Class(ClassId),
    /// A value that some attributes are compared with.
    Value {
        /// How it is compared.
        comparison: Comparison,
        /// The attributes with the value in their unit.
        values: Vec<(AttributeId, Value)>,
    },
}

impl Leaf {
    /// What using it adds to the score of a query: little if its words may not be a name at all.
    pub(crate) fn weight(&self) -> f32 {
        if self.is_sure { 2.0 * self.fit } else { (self.fit - 0.3).max(0.0) }
    }
}

/// Maximum number of words of a name.
const LONGEST: usize = 10;

/// Maximum number of entities for a span.
const ENTITIES: usize = 5;

/// Maximum number of entities with a word in their name, if the word is a name itself.
const MORE_NAMES: usize = 2;

/// Maximum number of spans whose names are searched for by single words or misspelt.
const SEARCHES: usize = 6;

/// What questions are made of.
pub(crate) struct Question {
    pub(crate) words: Vec<QuestionWord>,
    pub(crate) leaves: Vec<Leaf>,
    /// Whether it ends with a question mark.
    pub(crate) ends_with_mark: bool,
}

impl Question {
    /// The words and leaves of a question; entities that are `given` are not searched for.
    pub(crate) fn read(schema: &SchemaNames<'_>, text: &str, given: Option<&[Mention]>) -> Question {
        let text = &without_scope(text);
        let words = words(text);
        let mut finder = Finder { schema, kb: schema.kb, text, words: &words, leaves: Vec::new() };
        match given {
            Some(given) => finder.given(given),
            None => finder.entities(),
        }
        finder.classes();
        finder.texts();
        finder.numbers();
        let leaves = finder.leaves;
        Question { words, leaves, ends_with_mark: text.trim_end().ends_with('?') }
    }

    /// Where the question itself begins, after a greeting, a request, or what it is about: "Hello, can you tell me".
    pub(crate) fn begin(&self) -> usize {
        const ASKING: [&str; 9] = ["who", "whom", "whose", "when", "where", "which", "what", "how", "why"];
        self.words.iter().position(|word| ASKING.contains(&word.lower.as_str())).unwrap_or_default()
    }

    /// Whether it asks for yes or no: it begins with a verb that does.
    pub(crate) fn is_yes_or_no(&self) -> bool {
        const VERBS: [&str; 12] =
            ["is", "are", "was", "were", "does", "do", "did", "has", "have", "had", "isn't", "aren't"];
        const ASKING: [&str; 6] = ["who", "whom", "whose", "which", "what", "how"];
        const BEFORE: [&str; 6] = ["so", "and", "hey", "well", "hello", "true"];
        let words = || self.words.iter().map(|word| word.lower.as_str());
        let first = words().find(|word| !BEFORE.contains(word));
        let is_short = self.words.len() <= 4 && self.ends_with_mark;
        let asks = words().any(|word| ASKING.contains(&word));
        !asks && (first.is_some_and(|first| VERBS.contains(&first)) || is_short || self.asserts())
    }

    /// Whether it asks if a sentence is right: "X is Y, is that right?"
    fn asserts(&self) -> bool {
        let count = self.words.len();
        let last: Vec<&str> =
            self.words[count.saturating_sub(3)..].iter().map(|word| word.lower.as_str()).collect();
        self.ends_with_mark && last.iter().any(|word| matches!(*word, "right" | "true" | "correct" | "it"))
    }

    /// The texts of some words, those that follow each other together.
    pub(crate) fn phrases(&self, words: u64) -> Vec<String> {
        let mut phrases: Vec<String> = Vec::new();
        let mut last = None;
        for (at, word) in self.words.iter().enumerate().filter(|(at, _)| words & (1 << at) != 0) {
            match phrases.last_mut() {
                Some(phrase) if last == Some(at.wrapping_sub(1)) => {
                    phrase.push(' ');
                    phrase.push_str(&word.lower);
                }
                _ => phrases.push(word.lower.clone()),
            }
            last = Some(at);
        }
        phrases
    }

    /// The bits of the words that surely are names or values: of several words, with a capital letter, or with digits.
    pub(crate) fn named_words(&self) -> u64 {
        let is_sure = |leaf: &&Leaf| match leaf.thing {
            LeafThing::Class(_) => false,
            LeafThing::Value { .. } => true,
            LeafThing::Entity(_) => leaf.is_sure,
        };
        self.leaves.iter().filter(is_sure).fold(0, |all, leaf| all | leaf.words)
    }
}

struct Finder<'f, 'k> {
    schema: &'f SchemaNames<'k>,
    kb: &'k Kb,
    text: &'f str,
    words: &'f [QuestionWord],
    leaves: Vec<Leaf>,
}

impl Finder<'_, '_> {
    /// Adds a leaf for the words `first..=last`.
    fn add(&mut self, first: usize, last: usize, thing: LeafThing, fit: f32) {
        let words = (first..=last).fold(0, |bits, at| bits | 1 << at);
        let (start, end) = (self.words[first].start, self.words[last].end);
        let n_content = (first..=last).filter(|&at| !self.words[at].is_plain).count();
        let is_capital = self.text[start..].starts_with(char::is_uppercase);
        let is_written_as_name = is_capital && first > 0;
        let is_common = |at: usize| self.words[at].is_plain || is_common(&self.words[at].lower);
        let is_phrase =
            matches!(thing, LeafThing::Entity(_)) && !is_written_as_name && (first..=last).all(is_common);
        let fit = if is_phrase { fit * PHRASE } else { fit };
        let is_sure = fit >= 0.85 && (n_content > 1 || is_written_as_name);
        self.leaves.push(Leaf { start, end, thing, fit, words, first, is_sure });
    }

    fn span(&self, first: usize, last: usize) -> &str {
        &self.text[self.words[first].start..self.words[last].end]
    }

    fn given(&mut self, given: &[Mention]) {
        // Positions of mentions are characters.
        let starts: Vec<usize> =
            self.text.char_indices().map(|(at, _)| at).chain([self.text.len()]).collect();
        for mention in given {
            let Some(node) = self.kb.node(&mention.id) else { continue };
            let byte = |at: usize| starts.get(at).copied().unwrap_or(self.text.len());
            let (start, end) = (byte(mention.start), byte(mention.end));
            let inside = |at: &usize| self.words[*at].end > start && self.words[*at].start < end;
            let found: Vec<usize> = (0..self.words.len()).filter(inside).collect();
            if let (Some(&first), Some(&last)) = (found.first(), found.last()) {
                self.add(first, last, LeafThing::Entity(node), 1.0);
            }
        }
    }

    fn entities(&mut self) {
        let n = self.words.len();
        let mut covered = 0_u64;
        for length in (1..=LONGEST.min(n)).rev() {
            for first in 0..=n - length {
                let last = first + length - 1;
                if (first..=last).all(|at| self.words[at].is_plain) {
                    continue;
                }
                let span = self.span(first, last);
                let mut nodes: Vec<u32> = self.kb.nodes_named_like(span).to_vec();
                if nodes.is_empty()
                    && let Some(whole) = self.spelt_out(first, last)
                {
                    nodes = self.kb.nodes_named_like(&whole).to_vec();
                }
                let mut found = false;
                let entities = nodes.into_iter().map(NodeId).filter(|&node| self.kb.as_class(node).is_none());
                for (rank, node) in entities.take(ENTITIES).enumerate() {
                    let fit = self.fit(first, last, node) - 0.05 * rank as f32;
                    self.add(first, last, LeafThing::Entity(node), fit);
                    found = true;
                }
                if found && length > 1 {
                    covered |= (first..=last).fold(0, |bits, at| bits | 1 << at);
                }
            }
        }
        self.partial_names(covered);
    }

    /// A span of several words with the names of countries that are abbreviated in it.
    fn spelt_out(&self, first: usize, last: usize) -> Option<String> {
        let whole = |word: &'_ QuestionWord| match word.lower.as_str() {
            "us" => Some("united states"),
            "uk" => Some("united kingdom"),
            _ => None,
        };
        let words = &self.words[first..=last];
        let is_name = first < last && words.iter().any(|word| whole(word).is_some());
        is_name.then(|| {
            words.iter().map(|word| whole(word).unwrap_or(&word.lower)).collect::<Vec<_>>().join(" ")
        })
    }

    /// How well a span fits the name of a node. A common word that also is a name fits badly.
    fn fit(&self, first: usize, last: usize, node: NodeId) -> f32 {
        let (span, label) = (self.span(first, last), self.kb.label(node));
        let is_exact = label == span;
        let is_name = span.chars().next().is_some_and(char::is_uppercase) && self.words[first].start > 0;
        let base = if is_exact { 1.0 } else { 0.9 };
        match (last > first, is_name) {
            (true, _) | (false, true) => base,
            (false, false) => base - 0.2,
        }
    }

    /// Surnames and misspelt names, for words that are not part of a known name.
    fn partial_names(&mut self, covered: u64) {
        let known: HashSet<usize> =
            self.leaves.iter().filter(|leaf| leaf.words.count_ones() == 1).map(|leaf| leaf.first).collect();
        let is_typed_in_lower_case = self.words.iter().skip(1).all(|word| !word.is_capital);
        let candidates: Vec<usize> = (0..self.words.len())
            .filter(|&at| covered & (1 << at) == 0)
            .filter(|&at| is_typed_in_lower_case || self.words[at].is_capital)
            .filter(|&at| !is_common(&self.words[at].lower))
            .filter(|&at| !self.words[at].is_plain && self.words[at].lower.len() >= 4)
            .filter(|&at| !self.is_schema_word(at) && self.words[at].lower.chars().all(char::is_alphabetic))
            .collect();
        for at in candidates.into_iter().take(SEARCHES) {
            let word = self.words[at].lower.clone();
            let hits = self.kb.find_names(&word, 4 * ENTITIES);
            let is_part = |name: &str| touchstone_kb::fold(name).split(' ').any(|part| part == word);
            let mut n_found = 0;
            // "Lincoln" is a film, and part of the name of a person.
            let is_known = known.contains(&at);
            let most = if is_known { MORE_NAMES } else { ENTITIES };
            for hit in &hits {
                if n_found == most || self.kb.as_class(hit.node).is_some() {
                    continue;
                }
                let fit = match hit.matched {
                    Match::Exact | Match::Folded if is_known => continue,
                    Match::Exact | Match::Folded => 0.9,
                    _ if is_part(&hit.name) => 0.6,
                    _ => continue,
                };
                self.add(at, at, LeafThing::Entity(hit.node), fit - 0.04 * n_found as f32);
                n_found += 1;
            }
            if n_found == 0 && !is_known {
                self.misspelt(at);
            }
        }
    }

    /// A misspelt name: the longest span from a word on whose nearest name is close.
    fn misspelt(&mut self, at: usize) {
        let n = self.words.len();
        for last in (at..n.min(at + 3)).rev() {
            if self.words[last].is_plain {
                continue;
            }
            let span = self.span(at, last).to_owned();
            let Some(hit) = self.kb.nearest_named(&span) else { continue };
            let (wrong, name) = (touchstone_kb::fold(&span), touchstone_kb::fold(&hit.name));
            let likeness = strsim::normalized_damerau_levenshtein(&wrong, &name);
            if likeness >= MISSPELT && self.kb.as_class(hit.node).is_none() {
                self.add(at, last, LeafThing::Entity(hit.node), (likeness as f32) * 0.6);
                return;
            }
        }
    }

    /// Whether a word is part of the name of a class or property.
    fn is_schema_word(&self, at: usize) -> bool {
        let stem = &self.words[at].stem;
        let schema = self.schema;
        let items =
            [&schema.relations, &schema.inverses, &schema.attributes, &schema.classes].into_iter().flatten();
        items.flat_map(|item| &item.names).any(|name| name.contains(stem))
    }

    fn classes(&mut self) {
        let n = self.words.len();
        for length in 1..=4.min(n) {
            for first in 0..=n - length {
                let last = first + length - 1;
                if self.words[first].is_plain || self.words[last].is_plain {
                    continue;
                }
                let content = self.words[first..=last].iter().filter(|word| !word.is_plain);
                let key: Vec<&str> = content.map(|word| word.stem.as_str()).collect();
                let classes = self.schema.classes_named(&key.join(" ")).to_vec();
                for class in classes {
                    self.add(first, last, LeafThing::Class(class), 1.0);
                }
            }
        }
    }

    /// Texts that are values of attributes.
    fn texts(&mut self) {
        let n = self.words.len();
        for length in (1..=LONGEST.min(n)).rev() {
            for first in 0..=n - length {
                let last = first + length - 1;
                let span = self.span(first, last);
                // "IN" in capital letters may be the abbreviation of a state.
                let is_code = length == 1 && span.len() > 1 && span.chars().all(char::is_uppercase);
                if !is_code && (first..=last).all(|at| self.words[at].is_plain) {
                    continue;
                }
                let upper = span.to_uppercase();
                let tries = [span, self.words[last].lower.as_str(), upper.as_str()];
                let tries = if length == 1 { &tries[..] } else { &tries[..1] };
                let mut values: Vec<(AttributeId, Value)> = Vec::new();
                for text in tries {
                    let Some(id) = self.kb.find_literal(&Literal::text_value(text)) else { continue };
                    for &attribute in self.schema.attributes_with(id) {
                        if self.schema.is_visible(Property::Attribute(attribute))
                            && !values.iter().any(|(known, _)| *known == attribute)
                        {
                            values.push((attribute, Value::of(&self.kb.literal(id))));
                        }
                    }
                }
                if !values.is_empty() {
                    let thing = LeafThing::Value { comparison: Comparison::Equal, values };
                    self.add(first, last, thing, if length == 1 { 0.7 } else { 0.9 });
                }
            }
        }
    }

    /// Years, dates and numbers with their comparisons.
    fn numbers(&mut self) {
        for at in 0..self.words.len() {
            if let Some((last, date)) = self.date(at) {
                self.times(at, last, &date);
                continue;
            }
            let Some((last, number)) = self.number(at) else { continue };
            if last == at
                && let Some(year) = self.year(at)
            {
                self.times(at, at, &year);
            }
            self.quantities(at, last, number);
        }
    }

    /// A number of the words from `at` on: its last word and its value.
    fn number(&self, at: usize) -> Option<(usize, f64)> {
        const SMALL: [&str; 13] = [
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
            "twelve",
        ];
        let word = &self.words[at].lower;
        let digits: String = word.chars().filter(|&c| c != ',').collect();
        let value = match digits.parse::<f64>() {
            Ok(value) if digits.starts_with(|c: char| c.is_ascii_digit()) => value,
            _ => SMALL.iter().position(|small| small == word)? as f64,
        };
        let factor = |word: &str| match word {
            "hundred" => Some(1e2),
            "thousand" => Some(1e3),
            "million" | "m" => Some(1e6),
            "billion" | "bn" => Some(1e9),
            "trillion" => Some(1e12),
            _ => None,
        };
        let is_negative = self.text[..self.words[at].start].ends_with(['-', '−', '–']);
        let value = if is_negative { -value } else { value };
        match self.words.get(at + 1).and_then(|next| factor(&next.lower)) {
            Some(factor) => Some((at + 1, value * factor)),
            // "One of those" is not a number.
            None if word == "one" => None,
            None => Some((at, value)),
        }
    }

    fn year(&self, at: usize) -> Option<Value> {
        let word = &self.words[at].lower;
        let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
        is_year.then(|| Value::xsd(word.as_str(), "gYear"))
    }

    /// A date of the words from `at` on: its last word and its value.
    fn date(&self, at: usize) -> Option<(usize, Value)> {
        let word = |at: usize| self.words.get(at).map(|word| word.lower.as_str());
        let month = |at: usize| {
            let word = word(at)?;
            let is_month = |name: &&str| {
                let name = name.to_lowercase();
                name == word || word.len() == 3 && name.starts_with(word)
            };
            MONTHS.iter().position(is_month).map(|month| month + 1)
        };
        let day = |at: usize| {
            let word = word(at)?;
            let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            digits.parse::<u32>().ok().filter(|day| (1..=31).contains(day))
        };
        let year = |at: usize| word(at)?.parse::<u32>().ok().filter(|year| (1000..=2999).contains(year));
        if let Some(text) = word(at)
            && text.len() == 10
            && Literal::date(text).is_some()
        {
            return Some((at, Value::xsd(text, "date")));
        }
        // May 17, 1990 and 17 May 1990.
        for (month_at, day_at) in [(at, at + 1), (at + 1, at)] {
            if let (Some(month), Some(day), Some(year)) = (month(month_at), day(day_at), year(at + 2)) {
                return Some((at + 2, Value::xsd(format!("{year:04}-{month:02}-{day:02}"), "date")));
            }
        }
        let (month, year) = (month(at)?, year(at + 1)?);
        Some((at + 1, Value::xsd(format!("{year:04}-{month:02}"), "gYearMonth")))
    }

    fn times(&mut self, first: usize, last: usize, value: &Value) {
        let attributes = self.schema.attributes_of_kind(ValueKind::Time);
        let values: Vec<(AttributeId, Value)> = attributes.map(|id| (id, value.clone())).collect();
        self.compared(first, last, values);
    }

    fn quantities(&mut self, first: usize, last: usize, number: f64) {
        let mut values = Vec::new();
        let unit = self.words.get(last + 1).map(|word| (word.lower.as_str(), word.stem.as_str()));
        let mut measured = Vec::new();
        for attribute in self.schema.attributes_of_kind(ValueKind::Quantity) {
            let own = self.kb.attribute_unit(attribute);
            match unit.and_then(|(word, stem)| crate::units::factor(word, stem, own)) {
                Some(factor) => measured.push((attribute, self.quantity(attribute, number * factor, own))),
                None => values.push((attribute, self.quantity(attribute, number, own))),
            }
        }
        // Attributes in the unit that the question states leave no room for others.
        if !measured.is_empty() {
            values = measured;
        }
        self.compared(first, last, values);
    }

    /// A number in the way in which an attribute has its numbers.
    fn quantity(&self, attribute: AttributeId, number: f64, unit: &str) -> Value {
        let facts = self.kb.facts_by_value(attribute);
        let mut value = match facts.is_empty() {
            true => Value::quantity("0", unit),
            false => Value::of(&self.kb.literal(facts.value(0))),
        };
        // A conversion of units leaves the digits that it was given: 190 cm are 1.9 m.
        let number: f64 = format!("{number:.9e}").parse().unwrap_or(number);
        value.text = format!("{number}").into();
        if unit.is_empty() {
            let kind = if number.fract() == 0.0 { "integer" } else { "decimal" };
            value = Value::xsd(value.text, kind);
        }
        value
    }

    /// Adds a leaf for each comparison that the words before and after a value say.
    fn compared(&mut self, first: usize, last: usize, values: Vec<(AttributeId, Value)>) {
        if values.is_empty() {
            return;
        }
        let is_time = values
            .iter()
            .any(|(_, value)| value.xsd_name().is_some_and(|name| name.starts_with('g') || name == "date"));
        for comparison in self.comparisons(first, last, is_time) {
            let thing = LeafThing::Value { comparison, values: values.clone() };
            self.add(first, last, thing, 1.0);
        }
    }

    fn comparisons(&self, first: usize, last: usize, is_time: bool) -> Vec<Comparison> {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        const MORE: [&str; 18] = [
            "east",
            "north",
            "more",
            "over",
            "above",
            "greater",
            "larger",
            "bigger",
            "higher",
            "longer",
            "taller",
            "exceeding",
            "exceeds",
            "beyond",
            "later",
            "heavier",
            "older",
            "exceed",
        ];
        const LESS: [&str; 15] = [
            "south", "west", "less", "under", "below", "fewer", "smaller", "lower", "shorter", "earlier",
            "lighter", "younger", "beneath", "cheaper", "slower",
        ];
        let before = self.words[first.saturating_sub(4)..first].iter();
        let after = self.words[(last + 1).min(self.words.len())..].iter().take(3);
        let near: Vec<&str> = before.chain(after).map(|word| word.lower.as_str()).collect();
        let has = |wanted: &[&str]| near.iter().any(|word| wanted.contains(word));
        let pair = |first: &[&str], second: &[&str]| {
            near.windows(2).any(|pair| first.contains(&pair[0]) && second.contains(&pair[1]))
        };
        let negated = &["no", "not"][..];
        if pair(&["at"], &["least"])
            || pair(negated, &LESS)
            || pair(&["or"], &["after"])
            || pair(&["or"], &MORE)
            || has(&["minimum"])
        {
            return vec![GreaterOrEqual];
        }
        if pair(&["at"], &["most"])
            || pair(negated, &MORE)
            || pair(&["or"], &["before"])
            || pair(&["or"], &LESS)
            || has(&["maximum", "until"])
        {
            return vec![LessOrEqual];
        }
        if has(&["not", "except", "other"]) && !has(&["more", "less", "after", "before"]) {
            return vec![NotEqual, Equal];
        }
        if has(&["after"]) || has(&MORE) {
            return vec![Greater];
        }
        if has(&["before"]) || has(&LESS) {
            return vec![Less];
        }
        if has(&["since"]) || is_time && has(&["from"]) {
            return vec![Equal, GreaterOrEqual];
        }
        if is_time && has(&["by"]) { vec![Equal, LessOrEqual] } else { vec![Equal] }
    }
}

/// How much worse a name of frequent words fits that is not written as a name.
const PHRASE: f32 = 0.5;

/// Minimum likeness of a misspelt name.
const MISSPELT: f64 = 0.8;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use touchstone_kb::NoProgress;

    /// Pieces of questions, names, numbers and what people paste.
    const PIECES: [&str; 36] = [
        "which ",
        "films ",
        "Christopher Nolan",
        " after ",
        "2008",
        "?",
        "how many ",
        "é",
        "İ",
        "ß",
        "日本",
        "\u{200d}",
        "'s",
        "’",
        "\"",
        "-",
        "5 ft",
        "May 17, 1990",
        "in 1990-05-17",
        "at least ",
        "1,000.5 ",
        "1e999",
        "-4 hours",
        "U.S. ",
        "u.s.",
        "New York",
        "nolan",
        "or ",
        "not ",
        "counting only ",
        "as of ",
        ",",
        "\n",
        "\u{0}",
        "longest",
        "AGE",
    ];

    #[test]
    fn leaves_lie_inside_of_any_text() {
        let kb = touchstone_world::open(&NoProgress).unwrap();
        let schema = SchemaNames::new(&kb);
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |n: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % n as u64) as usize
        };
        for _ in 0..300 {
            let text: String = (0..1 + next(12)).map(|_| PIECES[next(PIECES.len())]).collect();
            let read = Question::read(&schema, &text, None);
            assert!(read.words.len() <= 64);
            for leaf in &read.leaves {
                assert!(
                    text.get(leaf.start..leaf.end).is_some_and(|part| !part.is_empty()),
                    "{text:?} {leaf:?}"
                );
                assert!((0.0..=1.0).contains(&leaf.fit) && leaf.words != 0, "{text:?} {leaf:?}");
            }
        }
    }

    #[test]
    fn names_values_and_classes_are_found() {
        let kb = touchstone_world::open(&NoProgress).unwrap();
        let schema = SchemaNames::new(&kb);
        let named = |question: &str| -> Vec<String> {
            let read = Question::read(&schema, question, None);
            let thing = |leaf: &Leaf| match &leaf.thing {
                LeafThing::Entity(node) => kb.node_id(*node).to_owned(),
                LeafThing::Class(class) => kb.node_id(kb.class_node(*class)).to_owned(),
                LeafThing::Value { comparison, values } => {
                    let texts = values.iter().map(|(_, value)| format!("{comparison} {value}"));
                    texts.collect::<Vec<_>>().join("; ")
                }
            };
            read.leaves.iter().map(thing).collect()
        };
        for (question, wanted) in [
            ("kubrick movies", vec!["person/f-stanley-kubrick", "film"]),
            ("rivers longer than 4,000 km", vec!["river", "> 4000 kilometre"]),
            ("how many us states are there", vec!["us_state"]),
            ("what was discovered in or after 1989", vec![">= 1989"]),
        ] {
            let found = named(question);
            for one in wanted {
                let is_it = |name: &String| name.split("; ").any(|part| part == one);
                assert!(found.iter().any(is_it), "{question}: {one} in {found:?}");
            }
        }
        // Nobody means the film "Right Now" or the airport with the code NOW.
        assert!(!named("who is the prime minister right now").iter().any(|name| name.starts_with("airport")));
    }
}
