//! Words for properties, derived from their labels: verbs, "has ...", plurals, participles, units and abbreviations.

use super::inflect::{is_participle, plural, singular, with_article};
use super::lexicon::{AttributeWords, RelationWords};
use touchstone_kb::ValueKind;

/// Short forms that labels use.
const ABBREVIATIONS: [(&str, &str); 14] = [
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
];

/// Units at the end of labels, longest first.
const UNITS: [(&str, &str); 39] = [
    ("in m per s", "metres per second"),
    ("m per s", "metres per second"),
    ("km per h", "kilometres per hour"),
    ("km h", "kilometres per hour"),
    ("km2", "square kilometres"),
    ("m2", "square metres"),
    ("m3", "cubic metres"),
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

/// Verbs in the third person that labels use alone.
const VERBS: [&str; 40] = [
    "owns",
    "uses",
    "contains",
    "includes",
    "produces",
    "employs",
    "supplies",
    "sells",
    "buys",
    "teaches",
    "plays",
    "supports",
    "requires",
    "provides",
    "treats",
    "causes",
    "affects",
    "follows",
    "precedes",
    "borders",
    "directs",
    "manages",
    "operates",
    "publishes",
    "sponsors",
    "represents",
    "replaces",
    "succeeds",
    "influences",
    "inspires",
    "creates",
    "designs",
    "develops",
    "discovers",
    "invents",
    "founds",
    "governs",
    "serves",
    "covers",
    "hosts",
];

/// Participles with another past tense.
const PAST: [(&str, &str); 8] = [
    ("written", "wrote"),
    ("spoken", "spoke"),
    ("known", "knew"),
    ("drawn", "drew"),
    ("given", "gave"),
    ("driven", "drove"),
    ("sung", "sang"),
    ("taken", "took"),
];

const PREPOSITIONS: [&str; 12] =
    ["of", "by", "in", "to", "for", "at", "with", "from", "on", "as", "through", "into"];

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
    out.split(' ').filter(|part| !part.is_empty()).map(word).collect::<Vec<_>>().join(" ")
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

/// The third person of a verb without its ending: `flies` is `fly`.
fn base(verb: &str) -> String {
    let stem = |ending: &str, put: &str| verb.strip_suffix(ending).map(|stem| format!("{stem}{put}"));
    let sibilant = ["ches", "shes", "sses", "xes", "zes", "oes"].iter().any(|ending| verb.ends_with(ending));
    match verb {
        "has" => Some("have".to_owned()),
        "is" => Some("are".to_owned()),
        _ if verb.ends_with("ies") => stem("ies", "y"),
        _ if sibilant => stem("es", ""),
        _ => stem("s", ""),
    }
    .unwrap_or_else(|| verb.to_owned())
}

/// The participle of a regular verb, from its base.
fn participle(base: &str) -> String {
    match base {
        "teach" => "taught".to_owned(),
        "buy" => "bought".to_owned(),
        "sell" => "sold".to_owned(),
        _ if base.ends_with('e') => format!("{base}d"),
        _ if base.ends_with('y') && !base.ends_with(['a', 'e', 'o']) && !base.ends_with("ay") => {
            format!("{}ied", &base[..base.len() - 1])
        }
        _ => format!("{base}ed"),
    }
}

/// The past tense of a verb, from its participle.
fn past_tense(participle: &str) -> &str {
    PAST.iter().find(|(known, _)| *known == participle).map_or(participle, |(_, past)| past)
}

/// The words of a relation.
pub(super) fn relation_words(label: &str) -> RelationWords {
    let label = readable(label);
    let words: Vec<&str> = label.split(' ').collect();
    let (first, last) = (words[0], words[words.len() - 1]);
    let rest = words[1..].join(" ");
    let ends_in_preposition = words.len() > 1 && PREPOSITIONS.contains(&last);
    let (subject, object, noun) = match first {
        "has" | "have" if words.len() > 1 && !ends_in_preposition => return noun_words(&rest),
        "is" | "are" if ends_in_preposition && words.len() > 2 => return relation_words(&rest),
        _ if last == "of" && words.len() > 1 && !is_participle(first) && !VERBS.contains(&first) => {
            let noun = words[..words.len() - 1].join(" ");
            (
                format!("is {} of|are {} of", with_article(&noun), plural(&noun)),
                format!("has {{X}} as its {noun}|have {{X}} as their {noun}"),
                noun,
            )
        }
        _ if is_participle(first) && last == "by" && words.len() == 2 => {
            let past = past_tense(first);
            (format!("was {label}|were {label}"), format!("{past}|{past}"), label.clone())
        }
        _ if is_participle(first) && words.len() > 1 => {
            let place = matches!(words[1], "in" | "at") && words.len() == 2;
            let object = match place {
                true => format!("is where {{X}} is {first}|are where {{X}} is {first}"),
                false => passive(&format!("is {label}")),
            };
            (format!("is {label}|are {label}"), object, label.clone())
        }
        // teams owned, languages spoken
        _ if words.len() == 2 && is_participle(last) && singular(first).is_some() => {
            let past = past_tense(last);
            (format!("{past}|{past}"), format!("was {last} by|were {last} by"), label.clone())
        }
        // belongs to, flies to; belongs to the generation
        _ if words.len() > 1 && first.ends_with('s') && PREPOSITIONS.contains(&words[1]) => {
            let (own, preposition) = (base(first), words[1]);
            match words[2..].join(" ").as_str() {
                "" => (
                    format!("{first} {preposition}|{own} {preposition}"),
                    passive(&format!("{first} {preposition}")),
                    label.clone(),
                ),
                noun => (
                    format!("{first} {preposition} the {noun} {{X}}|{own} {preposition} the {noun} {{X}}"),
                    format!(
                        "is the {noun} that {{X}} {first} {preposition}|are the {} that {{X}} {first} {preposition}",
                        plural(noun)
                    ),
                    noun.to_owned(),
                ),
            }
        }
        _ if VERBS.contains(&first) && words.len() == 1 => {
            let own = base(first);
            let done = participle(&own);
            (format!("{first}|{own}"), format!("is {done} by|are {done} by"), label.clone())
        }
        _ if ends_in_preposition => {
            (format!("is {label}|are {label}"), passive(&format!("is {label}")), label.clone())
        }
        _ => return noun_words(&label),
    };
    RelationWords { subject: vec![subject], object: vec![object], noun, ..RelationWords::default() }
}

/// The words of a relation that a noun names; a plural names several. Some phrases end with the object, for objects that are described.
fn noun_words(noun: &str) -> RelationWords {
    let last = noun.rsplit(' ').next().unwrap_or(noun);
    let one = singular(last).filter(|_| !last.ends_with("ss") && last.len() > 3);
    let words = |phrases: [&str; 2]| phrases.map(str::to_owned).to_vec();
    match one {
        Some(one) => RelationWords {
            subject: words([
                &format!("has {{X}} among its {noun}|have {{X}} among their {noun}"),
                &format!("has among its {noun}|have among their {noun}"),
            ]),
            object: words([
                &format!("is one of the {noun} of|are {noun} of"),
                "is listed for|are listed for",
            ]),
            noun: format!("{}{one}", &noun[..noun.len() - last.len()]),
            ..RelationWords::default()
        },
        None => RelationWords {
            subject: words([
                &format!("has {{X}} as its {noun}|have {{X}} as their {noun}"),
                &format!("has as its {noun}|have as their {noun}"),
            ]),
            object: words([
                &format!("is the {noun} of|are the {} of", plural(noun)),
                "is listed for|are listed for",
            ]),
            noun: noun.to_owned(),
            subject_after: vec![format!("whose {noun} is {{X}}")],
            ..RelationWords::default()
        },
    }
}

/// A phrase for the object of a relation, derived from the phrase for its subject.
fn passive(phrase: &str) -> String {
    format!("is what {{X}} {phrase}|are what {{X}} {phrase}")
}

/// A label without the unit at its end, and the unit.
fn without_unit(label: &str) -> (String, Option<&'static str>) {
    let plain = label.replace(['(', ')', '[', ']'], " ");
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = plain.to_lowercase();
    let found = UNITS.iter().find(|(short, _)| lower.ends_with(&format!(" {short}")));
    match found {
        Some((short, unit)) => (plain[..plain.len() - short.len() - 1].to_owned(), Some(unit)),
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
        && let [first] | [first, "on" | "in" | "at"] = words[..]
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
        _ => (
            both(&format!("the {noun} {{V}}")),
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
        ask: vec![format!("How many {noun} does {{S}} have?")],
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
    fn labels_become_phrases() {
        for (label, subject, object) in [
            ("hasSecondaryType", "has {X} as its secondary type", "is the secondary type of"),
            ("belongsToGen", "belongs to the generation {X}", "is the generation that {X} belongs to"),
            ("directed_by", "was directed by", "directed"),
            ("written by", "was written by", "wrote"),
            ("located in", "is located in", "is where {X} is located"),
            ("owns", "owns", "is owned by"),
            ("supplies", "supplies", "is supplied by"),
            ("length_units", "has {X} among its length units", "is one of the length units of"),
            ("member of", "is a member of", "has {X} as its member"),
            ("flies to", "flies to", "is what {X} flies to"),
            ("teams owned", "owned", "was owned by"),
            ("capital", "has {X} as its capital", "is the capital of"),
        ] {
            let words = relation_words(label);
            let singular = |phrases: &[String]| phrases[0].split('|').next().unwrap_or_default().to_owned();
            assert_eq!(
                (singular(&words.subject).as_str(), singular(&words.object).as_str()),
                (subject, object),
                "{label}"
            );
        }
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
    }
}
