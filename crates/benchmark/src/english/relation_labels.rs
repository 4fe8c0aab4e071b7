//! Words for relations, derived from their labels: verbs, "has ...", plurals and participles.

use super::inflect::{is_participle, plural, singular, with_article};
use super::labels::{PREPOSITIONS, readable};
use super::lexicon::RelationWords;

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

/// Participles of what still goes on, with their verbs in the present.
const PRESENT: [(&str, &str, &str); 5] = [
    ("spoken", "speaks", "speak"),
    ("used", "uses", "use"),
    ("owned", "owns", "own"),
    ("supported", "supports", "support"),
    ("known", "knows", "know"),
];

/// Verbs that a preposition follows, in the third person; other words that end so are plurals: buildings in complex.
const WITH_PREPOSITION: [&str; 22] = [
    "belongs",
    "works",
    "lives",
    "lies",
    "plays",
    "serves",
    "comes",
    "leads",
    "runs",
    "stars",
    "acts",
    "ends",
    "starts",
    "begins",
    "flows",
    "flies",
    "evolves",
    "depends",
    "refers",
    "applies",
    "consists",
    "participates",
];

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

/// The active and the passive verb of a participle: wrote, was written by.
fn voices(participle: &str) -> (String, String) {
    match PRESENT.iter().find(|(known, ..)| *known == participle) {
        Some((_, one, many)) => (format!("{one}|{many}"), format!("is {participle} by|are {participle} by")),
        None => {
            let past = past_tense(participle);
            (format!("{past}|{past}"), format!("was {participle} by|were {participle} by"))
        }
    }
}

/// A label without what refers to the thing itself: games on this platform, literary series set here.
fn without_self(label: &str) -> String {
    let cut = label.find(" this ").map(|at| &label[..at]).or_else(|| label.strip_suffix(" here"));
    let Some(text) = cut else { return label.to_owned() };
    let mut words: Vec<&str> = text.split(' ').collect();
    let is_joint = |word: &str| {
        word == "the"
            || PREPOSITIONS.contains(&word)
            || word.ends_with("ing")
            || matches!(word, "set" | "held")
    };
    while words.len() > 1 && words.last().is_some_and(|last| is_joint(last)) {
        words.pop();
    }
    words.join(" ")
}

/// The words for parts, members and kinds: part of network, member of, subclass of.
fn part_words(words: &[&str]) -> Option<RelationWords> {
    let [first @ ("part" | "member" | "subclass" | "subtype" | "variant"), "of", rest @ ..] = words else {
        return None;
    };
    let list = |phrases: &[&str]| phrases.iter().map(|&phrase| phrase.to_owned()).collect::<Vec<_>>();
    let (subject, object) = match *first {
        "part" => ("is part of|are part of", list(&["includes|include"])),
        "member" => (
            "is a member of|are members of",
            list(&["has {X} as a member|have {X} as a member", "has as a member|have as a member"]),
        ),
        "variant" => (
            "is a variant of|are variants of",
            list(&["has {X} as a variant|have {X} as a variant", "has as a variant|have as a variant"]),
        ),
        _ => ("is a kind of|are kinds of", list(&["includes|include"])),
    };
    let noun = if rest.is_empty() { (*first).to_owned() } else { rest.join(" ") };
    Some(RelationWords { subject: list(&[subject]), object, noun, ..RelationWords::default() })
}

/// Prepositions before the place where, or the thing to which, something is done.
fn is_place(word: &str) -> bool {
    PREPOSITIONS.contains(&word) && !matches!(word, "of" | "by" | "as")
}

/// The words for something that is done in a place, which a noun names: found in fictional universe.
fn done_somewhere(done: &str, preposition: &str, noun: &str) -> RelationWords {
    let many = plural(noun);
    RelationWords {
        subject: vec![
            format!("is {done} {preposition} the {noun} {{X}}|are {done} {preposition} the {noun} {{X}}"),
            format!("is {done} {preposition}|are {done} {preposition}"),
        ],
        object: vec![format!(
            "is the {noun} that {{X}} is {done} {preposition}|are the {many} that {{X}} is {done} {preposition}"
        )],
        noun: noun.to_owned(),
        ..RelationWords::default()
    }
}

/// The words for a verb with a preposition, and a noun if the label has one: belongs to, belongs to the generation.
fn verb_with_preposition(verb: &str, preposition: &str, noun: &str, label: &str) -> RelationWords {
    let own = base(verb);
    let (subject, object, noun) = match noun {
        "" => (
            format!("{verb} {preposition}|{own} {preposition}"),
            passive(&format!("{verb} {preposition}")),
            label,
        ),
        noun => (
            format!("{verb} {preposition} the {noun} {{X}}|{own} {preposition} the {noun} {{X}}"),
            format!(
                "is the {noun} that {{X}} {verb} {preposition}|are the {} that {{X}} {verb} {preposition}",
                plural(noun)
            ),
            noun,
        ),
    };
    RelationWords {
        subject: vec![subject],
        object: vec![object],
        noun: noun.to_owned(),
        ..RelationWords::default()
    }
}

/// The words of a relation.
pub(super) fn relation_words(label: &str) -> RelationWords {
    let label = without_self(&readable(label));
    let words: Vec<&str> = label.split(' ').collect();
    if let Some(known) = part_words(&words) {
        return known;
    }
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
            let (active, passive) = voices(first);
            (passive, active, label.clone())
        }
        // found in fictional universe
        _ if is_participle(first) && words.len() > 2 && is_place(words[1]) => {
            return done_somewhere(first, words[1], &words[2..].join(" "));
        }
        // uncompressed formats, spoken languages
        _ if is_participle(first) && words.len() > 1 && singular(last).is_some() && !ends_in_preposition => {
            return noun_words(&label);
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
            let (active, passive) = voices(last);
            (active, passive, label.clone())
        }
        // countries spoken in
        _ if words.len() == 3 && ends_in_preposition && is_participle(words[1]) => {
            let noun = singular(first).unwrap_or_else(|| first.to_owned());
            return RelationWords { noun, ..relation_words(&words[1..].join(" ")) };
        }
        // belongs to, flies to; belongs to the generation
        _ if words.len() > 1
            && PREPOSITIONS.contains(&words[1])
            && (WITH_PREPOSITION.contains(&first) || words.len() == 2 && first.ends_with('s')) =>
        {
            return verb_with_preposition(first, words[1], &words[2..].join(" "), &label);
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
    // games on a platform: the noun before the preposition
    let (front, place) = PREPOSITIONS
        .iter()
        .filter_map(|preposition| noun.find(&format!(" {preposition} ")))
        .min()
        .map_or((noun, ""), |at| noun.split_at(at));
    let last = front.rsplit(' ').next().unwrap_or(front);
    let one = singular(last).filter(|_| !last.ends_with("ss") && last.len() > 3);
    let words = |phrases: &[&str]| phrases.iter().map(|&phrase| phrase.to_owned()).collect::<Vec<_>>();
    match one {
        Some(one) => RelationWords {
            subject: words(&[
                &format!("has {{X}} among its {noun}|have {{X}} among their {noun}"),
                &format!("has among its {noun}|have among their {noun}"),
            ]),
            object: words(&[&format!("is one of the {noun} of|are {noun} of")]),
            noun: format!("{}{one}{place}", &front[..front.len() - last.len()]),
            ..RelationWords::default()
        },
        None => RelationWords {
            subject: words(&[
                &format!("has {{X}} as its {noun}|have {{X}} as their {noun}"),
                &format!("has as its {noun}|have as their {noun}"),
            ]),
            object: words(&[&format!("is the {noun} of|are the {} of", plural(noun))]),
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

#[cfg(test)]
mod tests {
    use super::*;

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
            ("member of", "is a member of", "has {X} as a member"),
            ("author of", "is an author of", "has {X} as its author"),
            ("part_of_network", "is part of", "includes"),
            ("subclass_of", "is a kind of", "includes"),
            (
                "found_in_fictional_universe",
                "is found in the fictional universe {X}",
                "is the fictional universe that {X} is found in",
            ),
            ("countries_spoken_in", "is spoken in", "is where {X} is spoken"),
            ("languages_spoken", "speaks", "is spoken by"),
            ("games_on_this_platform", "has {X} among its games", "is one of the games of"),
            ("literary_series_set_here", "has {X} as its literary series", "is the literary series of"),
            ("locations_in_the_this_time_zone", "has {X} among its locations", "is one of the locations of"),
            ("coaches_holding_this_position", "has {X} among its coaches", "is one of the coaches of"),
            (
                "buildings_in_complex",
                "has {X} among its buildings in complex",
                "is one of the buildings in complex of",
            ),
            ("flies to", "flies to", "is what {X} flies to"),
            ("teams owned", "owns", "is owned by"),
            ("structures designed", "designed", "was designed by"),
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
}
