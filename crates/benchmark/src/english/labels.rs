//! Words for classes and attributes, derived from their labels: plurals, participles, units and abbreviations. `relation_labels.rs` does the same for relations.

use super::inflect::{is_participle, singular, with_article};
use super::lexicon::AttributeWords;
use touchstone_kb::ValueKind;

/// Short forms that labels use.
const ABBREVIATIONS: [(&str, &str); 18] = [
    ("gen", "generation"),
    ("num", "number"),
    ("qty", "quantity"),
    ("avg", "average"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("addr", "address"),
    ("org", "organization"),
    ("dept", "department"),
    ("lang", "language"),
    ("loc", "location"),
    ("temp", "temperature"),
    ("sp", "special"),
    ("hp", "HP"),
    ("tv", "TV"),
    ("dst", "DST"),
    ("utc", "UTC"),
    ("uct", "UTC"),
];

/// Units at the end of labels, longest first.
const UNITS: [(&str, &str); 44] = [
    ("m 2", "square metres"),
    ("km 2", "square kilometres"),
    ("m 3", "cubic metres"),
    ("in m per s", "metres per second"),
    ("m per s", "metres per second"),
    ("km per h", "kilometres per hour"),
    ("km h", "kilometres per hour"),
    ("km2", "square kilometres"),
    ("m2", "square metres"),
    ("m3", "cubic metres"),
    ("in bits per second", "bits per second"),
    ("in hertz", "hertz"),
    ("in mm", "millimetres"),
    ("in cm", "centimetres"),
    ("in km", "kilometres"),
    ("in kg", "kilograms"),
    ("in m", "metres"),
    ("mm", "millimetres"),
    ("cm", "centimetres"),
    ("km", "kilometres"),
    ("kg", "kilograms"),
    ("lb", "pounds"),
    ("lbs", "pounds"),
    ("ft", "feet"),
    ("usd", "US dollars"),
    ("eur", "euros"),
    ("ms", "milliseconds"),
    ("percent", "percent"),
    ("kmph", "kilometres per hour"),
    ("mph", "miles per hour"),
    ("knots", "knots"),
    ("meters", "metres"),
    ("metres", "metres"),
    ("kilometers", "kilometres"),
    ("kilometres", "kilometres"),
    ("feet", "feet"),
    ("miles", "miles"),
    ("kilograms", "kilograms"),
    ("pounds", "pounds"),
    ("seconds", "seconds"),
    ("minutes", "minutes"),
    ("hours", "hours"),
    ("days", "days"),
    ("m", "metres"),
];

pub(super) const PREPOSITIONS: [&str; 12] =
    ["of", "by", "in", "to", "for", "at", "with", "from", "on", "as", "through", "into"];

/// Nouns whose values are the names of places.
const PLACES: [&str; 8] = ["city", "country", "region", "state", "province", "town", "continent", "county"];

/// A label as it stands in a sentence: `film.directed_by` and `filmDirectedBy` are split into words, and short forms are written out.
pub fn readable(label: &str) -> String {
    if label.contains(' ') {
        // People wrote it.
        return label.to_owned();
    }
    let last = label.rsplit(['.', '/', '#']).find(|part| !part.is_empty()).unwrap_or(label);
    let chars: Vec<char> = last.chars().collect();
    let mut out = String::new();
    for (at, &c) in chars.iter().enumerate() {
        let (before, after) = (at.checked_sub(1).map(|at| chars[at]), chars.get(at + 1));
        let after_is_lower = after.is_some_and(|c| c.is_lowercase());
        match c {
            '_' => out.push(' '),
            c if c.is_uppercase() && before.is_some_and(char::is_lowercase) => {
                out.push(' ');
                // An acronym stays: `baseHP`.
                if after_is_lower { out.extend(c.to_lowercase()) } else { out.push(c) }
            }
            c => out.push(c),
        }
    }
    let word = |word: &str| {
        let short = ABBREVIATIONS.iter().find(|(short, _)| word.eq_ignore_ascii_case(short));
        short.map_or_else(|| word.to_owned(), |(_, long)| (*long).to_owned())
    };
    let text = out.split(' ').filter(|part| !part.is_empty()).map(word).collect::<Vec<_>>().join(" ");
    // `no_islands`, `num_pages`
    let counted = ["no ", "nr ", "number "].iter().find_map(|short| text.strip_prefix(short));
    match counted.filter(|things| singular(things).is_some()) {
        Some(things) => format!("number of {things}"),
        None => text,
    }
}

/// A noun for a class: `OrderDetail` is an order detail, but a name such as `NASA` stays.
pub(super) fn class_noun(label: &str) -> String {
    let noun = readable(label);
    let is_camel = !label.contains([' ', '_'])
        && label.chars().any(char::is_lowercase)
        && label.starts_with(char::is_uppercase)
        && label.is_ascii();
    match (is_camel, noun.chars().next()) {
        (true, Some(first)) => noun.replacen(first, &first.to_ascii_lowercase().to_string(), 1),
        _ => noun,
    }
}

/// A label without the unit at its end, and the unit.
fn without_unit(label: &str) -> (String, Option<&'static str>) {
    let plain = label.replace(['(', ')', '[', ']'], " ");
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = plain.to_lowercase();
    let found = UNITS.iter().find(|(short, _)| lower.ends_with(&format!(" {short}")));
    match found {
        Some((short, unit)) => {
            // `distance in meters`
            let named = plain[..plain.len() - short.len() - 1].trim_end_matches(" in");
            (named.to_owned(), Some(unit))
        }
        None => (label.to_owned(), None),
    }
}

/// The words of an attribute. `has_unit`: whether its values have a unit of their own.
pub(super) fn attribute_words(label: &str, kind: ValueKind, has_unit: bool) -> AttributeWords {
    let label = readable(label);
    let noun = label.strip_prefix("has ").or_else(|| label.strip_prefix("is ")).unwrap_or(&label);
    let words: Vec<&str> = noun.split(' ').collect();
    let is_state = label.starts_with("is ") || is_participle(words[0]) && words.len() == 1;
    if kind == ValueKind::Boolean && is_state {
        return state(noun);
    }
    let names_unit = without_unit(noun).1.is_some();
    if kind == ValueKind::Quantity && !has_unit && !names_unit && is_plural(&words) {
        return counted_things(noun);
    }
    if kind == ValueKind::Time
        && let [first] | [first, "on" | "in" | "at"] | ["date" | "year" | "day" | "time", first] = words[..]
        && is_participle(first)
    {
        return dated_event(first);
    }
    let (noun, unit) = match kind {
        ValueKind::Quantity if !has_unit => without_unit(noun),
        _ => (noun.to_owned(), None),
    };
    let value = unit.map_or_else(|| "{V}".to_owned(), |unit| format!("{{V}} {unit}"));
    let both = |text: &str| vec![format!("has {text}|have {text}")];
    let of = |text: &str| both(&format!("{} {text}", with_article(&noun)));
    let is_place = words.last().is_some_and(|last| PLACES.contains(last));
    let (equal, less, greater, largest, smallest, more, fewer) = match kind {
        ValueKind::Time => {
            (of("{T}"), of("before {V}"), of("after {V}"), "latest", "earliest", "later", "earlier")
        }
        ValueKind::Quantity => (
            of(&format!("of {value}")),
            of(&format!("of less than {value}")),
            of(&format!("of more than {value}")),
            "highest",
            "lowest",
            "higher",
            "lower",
        ),
        // "has Canada as its country", but "has the title Hamlet".
        _ => (
            match is_place {
                true => vec![format!("has {{V}} as its {noun}|have {{V}} as their {noun}")],
                false => both(&format!("the {noun} {{V}}")),
            },
            of("below {V}"),
            of("above {V}"),
            "largest",
            "smallest",
            "larger",
            "smaller",
        ),
    };
    AttributeWords {
        ask: vec![format!("What is the {noun} of {{S}}?")],
        equal,
        less,
        greater,
        largest: both(&format!("the {largest} {noun}")),
        smallest: both(&format!("the {smallest} {noun}")),
        between_greater: format!("has the {more} {noun}"),
        between_less: format!("has the {fewer} {noun}"),
        yes: format!("has {noun}: yes|have {noun}: yes"),
        no: format!("has {noun}: no|have {noun}: no"),
        equal_after: match kind {
            ValueKind::Quantity | ValueKind::Time | ValueKind::Boolean => Vec::new(),
            _ => vec![format!("whose {noun} is {{V}}")],
        },
        noun,
        ..AttributeWords::default()
    }
}

/// Whether the head of a noun phrase is a plural: `units in stock`.
fn is_plural(words: &[&str]) -> bool {
    let head = words.iter().position(|word| PREPOSITIONS.contains(word)).unwrap_or(words.len());
    let Some(word) = head.checked_sub(1).map(|at| words[at]) else { return false };
    word.len() > 3 && !word.ends_with("ss") && !word.ends_with("us") && singular(word).is_some()
}

/// `is default`, `discontinued`: something is so or not.
fn state(noun: &str) -> AttributeWords {
    AttributeWords {
        noun: noun.to_owned(),
        ask: vec![format!("Is {{S}} {noun}?")],
        yes: format!("is {noun}|are {noun}"),
        no: format!("is not {noun}|are not {noun}"),
        ..AttributeWords::default()
    }
}

/// `units in stock`: a number of things.
fn counted_things(noun: &str) -> AttributeWords {
    let both = |text: &str| vec![format!("has {text} {noun}|have {text} {noun}")];
    AttributeWords {
        noun: format!("number of {noun}"),
        ask: vec![match noun.split_once(" in ") {
            // units in stock
            Some((things, place)) => format!("How many {things} of {{S}} are in {place}?"),
            None => format!("How many {noun} does {{S}} have?"),
        }],
        equal: both("{V}"),
        less: both("fewer than {V}"),
        greater: both("more than {V}"),
        largest: both("the most"),
        smallest: both("the fewest"),
        between_greater: format!("has more {noun}"),
        between_less: format!("has fewer {noun}"),
        ..AttributeWords::default()
    }
}

/// `proposed on`: something was done at a time.
fn dated_event(done: &str) -> AttributeWords {
    let both = |text: &str| vec![format!("was {done} {text}|were {done} {text}")];
    AttributeWords {
        noun: format!("date on which it was {done}"),
        ask: vec![format!("When was {{S}} {done}?")],
        equal: both("{T}"),
        less: both("before {V}"),
        greater: both("after {V}"),
        largest: both("most recently"),
        smallest: both("first"),
        between_greater: format!("was {done} later"),
        between_less: format!("was {done} earlier"),
        ..AttributeWords::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_words() {
        for (label, words) in [
            ("baseSpDefense", "base special defense"),
            ("baseHP", "base HP"),
            ("belongsToGen", "belongs to generation"),
            ("film.film.directed_by", "directed by"),
            ("place of birth", "place of birth"),
        ] {
            assert_eq!(readable(label), words);
        }
        assert_eq!(class_noun("OrderDetail"), "order detail");
        assert_eq!(class_noun("NASA"), "NASA");
        assert_eq!(class_noun("U.S. state"), "U.S. state");
    }

    #[test]
    fn units_are_taken_from_labels() {
        let equal = |label: &str| attribute_words(label, ValueKind::Quantity, false).equal[0].clone();
        assert_eq!(equal("height m"), "has a height of {V} metres|have a height of {V} metres");
        assert_eq!(
            equal("speed in m per s"),
            "has a speed of {V} metres per second|have a speed of {V} metres per second"
        );
        assert_eq!(equal("population"), "has a population of {V}|have a population of {V}");
        assert_eq!(equal("units_in_stock"), "has {V} units in stock|have {V} units in stock");
        assert_eq!(attribute_words("isDefault", ValueKind::Boolean, false).yes, "is default|are default");
        assert_eq!(attribute_words("proposed_on", ValueKind::Time, false).ask, ["When was {S} proposed?"]);
        assert_eq!(
            attribute_words("date_published", ValueKind::Time, false).ask,
            ["When was {S} published?"]
        );
        assert_eq!(
            attribute_words("unitsInStock", ValueKind::Quantity, false).ask,
            ["How many units of {S} are in stock?"]
        );
        assert_eq!(equal("frequency_in_hertz"), "has a frequency of {V} hertz|have a frequency of {V} hertz");
        let text = |label: &str| attribute_words(label, ValueKind::Text, false);
        assert_eq!(text("country").equal, ["has {V} as its country|have {V} as their country"]);
        assert_eq!(text("contactName").equal, ["has the contact name {V}|have the contact name {V}"]);
        assert_eq!(text("contactName").equal_after, ["whose contact name is {V}"]);
    }
}
