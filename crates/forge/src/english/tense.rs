//! Tenses: a fact at a point in time is in the past tense (how many people lived there in 1990); a fact at some unspecified time is in the
//! past with "once" (once had a population of 3).

use touchstone_logic::Condition;

/// Whether conditions include a time.
pub(super) fn is_past(conditions: &[Condition]) -> bool {
    conditions.iter().any(|condition| condition.value.literal().as_time().is_some())
}

/// A clause that begins with its verb, in the past tense. Unknown verbs are not changed.
pub(super) fn in_past(clause: &str) -> String {
    let (first, rest) = clause.split_once(' ').unwrap_or((clause, ""));
    let (second, others) = rest.split_once(' ').unwrap_or((rest, ""));
    match (first, second) {
        ("has", "been") => format!("was {others}"),
        ("have", "been") => format!("were {others}"),
        // The past participle of a regular verb equals its past tense.
        ("has" | "have", "had") => rest.to_owned(),
        ("has" | "have", verb) if verb.len() > 4 && verb.ends_with("ed") || verb == "used" => rest.to_owned(),
        _ => match past_of(first) {
            Some(past) => format!("{past} {rest}"),
            None => clause.to_owned(),
        },
    }
}

/// How requests begin.
const REQUESTS: [&str; 7] = ["Give ", "Name ", "Tell ", "Find ", "State ", "List ", "Identify "];

/// The verb of a question if it has one of these.
const AUXILIARIES: [&str; 6] = ["is", "are", "does", "do", "has", "have"];

/// A question like `What is the population of {S}?`, with its first verb in the past tense.
pub(super) fn asked_in_past(question: &str) -> String {
    // A request has no verb of its own: "Give the number of merchant ships."
    if REQUESTS.iter().any(|request| question.starts_with(request)) {
        return question.to_owned();
    }
    // "How many merchant ships does Aruba have?": the auxiliary is the verb, not "ships".
    let is_auxiliary = |word: &str| AUXILIARIES.contains(&word.to_lowercase().as_str());
    let has_auxiliary = question.split(' ').any(is_auxiliary);
    let mut done = false;
    let words = question.split(' ').map(|word| match past_of(word) {
        Some(past) if !done && (!has_auxiliary || is_auxiliary(word)) => {
            done = true;
            past
        }
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A clause that begins with `has` or `have`, about an unspecified time.
pub(super) fn at_some_time(clause: &str) -> String {
    match clause.split_once(' ') {
        Some(("has" | "have", rest)) => format!("at one point had {rest}"),
        _ => clause.to_owned(),
    }
}

/// `has had` for `has`; `None` for other verbs.
pub(super) fn perfect(clause: &str) -> Option<String> {
    let (verb, rest) = clause.split_once(' ')?;
    match verb {
        "has" | "have" => Some(format!("{verb} had {rest}")),
        _ => None,
    }
}

/// A question for the time of a clause. The subject follows the verb.
pub(super) fn asked_when(subject: &str, clause: &str) -> String {
    let past = in_past(clause);
    let (verb, rest) = past.split_once(' ').unwrap_or((&past, ""));
    match (verb, base_of(verb)) {
        ("was" | "were", _) => format!("when {verb} {subject} {rest}?"),
        (_, Some(base)) => format!("when did {subject} {base} {rest}?"),
        (_, None) => format!("when was it that {subject} {past}?"),
    }
}

/// The auxiliary and the infinitive of a verb in the present or the past; `None` if it is not known.
pub(super) fn base_form(verb: &str) -> Option<(&'static str, String)> {
    if let Some(base) = base_of(verb) {
        return Some(("did", base.to_owned()));
    }
    match verb {
        "has" => return Some(("does", "have".to_owned())),
        "have" => return Some(("do", "have".to_owned())),
        _ => {}
    }
    let base = verb.strip_suffix('s').filter(|base| !base.ends_with(['s', 'u', 'i']))?;
    let is_word = base.len() > 1 && verb.bytes().all(|byte| byte.is_ascii_lowercase());
    let base = match base.strip_suffix("ie") {
        Some(stem) if stem.len() > 1 => format!("{stem}y"),
        _ => match base.strip_suffix('e') {
            Some(stem)
                if stem.ends_with("ch")
                    || stem.ends_with("sh")
                    || stem.ends_with("ss")
                    || stem.ends_with(['x', 'o']) =>
            {
                stem.to_owned()
            }
            _ => base.to_owned(),
        },
    };
    is_word.then_some(("does", base))
}

/// Verbs: infinitive, third person, past tense.
const VERBS: &[(&str, &str, &str)] = &[
    ("have", "has", "had"),
    ("hold", "holds", "held"),
    ("spend", "spends", "spent"),
    ("win", "wins", "won"),
    ("sit", "sits", "sat"),
    ("receive", "receives", "received"),
    ("obtain", "obtains", "obtained"),
    ("work", "works", "worked"),
    ("represent", "represents", "represented"),
    ("live", "lives", "lived"),
    ("use", "uses", "used"),
    ("belong", "belongs", "belonged"),
    ("earn", "earns", "earned"),
    ("cover", "covers", "covered"),
    ("produce", "produces", "produced"),
    ("emit", "emits", "emitted"),
    ("record", "records", "recorded"),
    ("export", "exports", "exported"),
    ("import", "imports", "imported"),
    ("gain", "gains", "gained"),
    ("become", "becomes", "became"),
    ("sell", "sells", "sold"),
    ("send", "sends", "sent"),
    ("buy", "buys", "bought"),
    ("find", "finds", "found"),
    ("take", "takes", "took"),
    ("get", "gets", "got"),
    ("come", "comes", "came"),
    ("form", "forms", "formed"),
    ("ship", "ships", "shipped"),
    ("provide", "provides", "provided"),
    ("bring", "brings", "brought"),
    ("source", "sources", "sourced"),
    ("head", "heads", "headed"),
    ("lead", "leads", "led"),
    ("serve", "serves", "served"),
    ("act", "acts", "acted"),
    ("recognise", "recognises", "recognised"),
    ("direct", "directs", "directed"),
    ("reign", "reigns", "reigned"),
    ("rank", "ranks", "ranked"),
    ("consume", "consumes", "consumed"),
    ("see", "sees", "saw"),
    ("average", "averages", "averaged"),
    ("release", "releases", "released"),
    ("need", "needs", "needed"),
    ("score", "scores", "scored"),
    ("offer", "offers", "offered"),
    ("rely", "relies", "relied"),
    ("do", "does", "did"),
];

/// The infinitive of a past tense.
fn base_of(past: &str) -> Option<&'static str> {
    VERBS.iter().find(|(_, _, known)| *known == past).map(|(base, _, _)| *base)
}

/// The past tense of a verb in the present.
fn past_of(verb: &str) -> Option<&'static str> {
    match verb {
        "is" => Some("was"),
        "are" => Some("were"),
        _ => VERBS.iter().find(|(base, third, _)| *base == verb || *third == verb).map(|(_, _, past)| *past),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_change() {
        for (now, then) in [
            ("has a population of 3", "had a population of 3"),
            ("has been used in Malta", "was used in Malta"),
            ("has circulated in Malta", "circulated in Malta"),
            ("have had the euro", "had the euro"),
            ("was born in 1990", "was born in 1990"),
        ] {
            assert_eq!(in_past(now), then);
        }
        assert_eq!(at_some_time("has a population of 3"), "at one point had a population of 3");
        for (clause, question) in [
            ("has a population of 3", "when did Malta have a population of 3?"),
            ("is home to 3 people", "when was Malta home to 3 people?"),
            ("won the prize", "when did Malta win the prize?"),
            ("grew", "when was it that Malta grew?"),
        ] {
            assert_eq!(asked_when("Malta", clause), question);
        }
        let request = "Give the number of merchant ships of {S}.";
        assert_eq!(asked_in_past(request), request);
        assert_eq!(asked_in_past("How many people live in {S}?"), "How many people lived in {S}?");
        assert_eq!(asked_in_past("How much does {S} have?"), "How much did {S} have?");
        assert_eq!(asked_in_past("What is the share that is held?"), "What was the share that is held?");
    }
}
