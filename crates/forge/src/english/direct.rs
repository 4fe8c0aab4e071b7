//! Other ways to say what the verb phrase of a relation says clumsily: "the pokemon that X evolves from" for "is what X evolves from", "the
//! category of X" for "is the category of X", and questions with the verb of the relation.

use super::frames::inverted;
use super::nouns::Noun;
use super::phrases::{agreeing, finish};
use super::verbalise::{Number, Verbalised, Verbaliser, is_name};
use touchstone_benchmark::english::inflect::plural;
use touchstone_logic::{Direction, Relate, Set};

/// What begins a question within a question.
const ASIDE: [&str; 3] = ["do you know ", "can you tell me ", "could you tell me "];

impl Verbaliser<'_, '_> {
    /// `Where was Marie Curie born? Name the city.`, for one relation from a name to a place. The second sentence says which kind of place.
    pub(super) fn where_question(&mut self, set: &Set, many: bool) -> Verbalised<Option<String>> {
        let parts = set.conjuncts();
        let Some(relate) = only_relation(parts) else { return Ok(None) };
        let words = self.relation_words(&relate.property)?;
        let noun = self.more_special(self.class_of_end(&relate.property, relate.direction), self.noun(parts));
        let is_place = noun.one.split(' ').next_back().is_some_and(|last| PLACES.contains(&last));
        if relate.direction != Direction::Forward || !is_place || self.is_plural(&relate.from) {
            return Ok(None);
        }
        let fitting = words.subject.iter().filter(|phrase| WHERE.contains(&agreeing(phrase, false)));
        let fitting: Vec<String> = fitting.cloned().collect();
        if fitting.is_empty() || !self.random.percent(40) {
            return Ok(None);
        }
        let phrase = self.pick(&fitting)?;
        let name = self.noun_phrase(&relate.from, Number::The)?;
        let asked = inverted(&name, agreeing(&phrase, false));
        let Some(asked) = asked.as_deref().and_then(|asked| asked.strip_suffix(" in?")) else {
            return Ok(None);
        };
        let request = self.one_of(&["Name", "Give"]);
        Ok(Some(format!("where {asked}? {request} the {}.", if many { &noun.many } else { &noun.one })))
    }

    /// `Which pokemon does lopunny evolve from?`, for one relation from a name, if the phrases for its objects do not make a good question.
    pub(super) fn direct_question(&mut self, set: &Set, many: bool) -> Verbalised<Option<String>> {
        let parts = set.conjuncts();
        let Some(relate) = only_relation(parts) else { return Ok(None) };
        let words = self.relation_words(&relate.property)?;
        let clumsy: Vec<(&str, &str)> = words.object.iter().filter_map(|phrase| passive(phrase)).collect();
        let is_clumsy = clumsy.len() == words.object.len() && relate.direction == Direction::Forward;
        if !is_clumsy || self.is_plural(&relate.from) || !self.random.percent(75) {
            return Ok(None);
        }
        let subject = words.subject.first().map(|phrase| agreeing(phrase, false));
        let verb = match clumsy.first() {
            // "is where X is located" lacks the preposition, which the phrase for the subject has.
            Some(("where", _)) => subject.filter(|phrase| !phrase.contains("{X}")),
            Some((_, verb)) => Some(*verb),
            None => None,
        };
        let Some(verb) = verb else { return Ok(None) };
        let noun = self.more_special(self.class_of_end(&relate.property, relate.direction), self.noun(parts));
        let asked = if many { &noun.many } else { &noun.one };
        let name = self.noun_phrase(&relate.from, Number::The)?;
        if self.random.percent(15) {
            let aside = self.one_of(&ASIDE);
            return Ok(Some(format!("{aside}which {asked} {name} {verb}?")));
        }
        Ok(inverted(&name, verb).map(|question| format!("which {asked} {question}")))
    }
}

/// What can be asked with "where", and the nouns that can be the answer.
const WHERE: [&str; 18] = [
    "was born in",
    "is located in",
    "is situated in",
    "is based in",
    "lies in",
    "rises in",
    "ends in",
    "originates in",
    "has its source in",
    "has its mouth in",
    "has its headquarters in",
    "has its seat in",
    "was held in",
    "took place in",
    "was discovered in",
    "was first discovered in",
    "was made in",
    "was produced in",
];
const PLACES: [&str; 10] =
    ["city", "country", "territory", "continent", "region", "state", "division", "place", "town", "province"];

/// The relation, if a set has one to a name, without qualifiers, and nothing else but a class.
pub(super) fn only_relation(parts: &[Set]) -> Option<&Relate> {
    let mut relates = parts.iter().filter_map(|part| match part {
        Set::Relate(relate) => Some(&**relate),
        _ => None,
    });
    let (Some(relate), None) = (relates.next(), relates.next()) else { return None };
    let is_plain =
        parts.len() <= 2 && parts.iter().all(|part| matches!(part, Set::Class(_) | Set::Relate(_)));
    (is_plain && is_name(&relate.from) && relate.conditions.is_empty()).then_some(relate)
}

/// The pronoun or noun, and the verb, of a phrase like `is what {X} evolves from`, `is the generation that {X} belongs to`.
fn passive(phrase: &str) -> Option<(&str, &str)> {
    let (what, verb) = agreeing(phrase, false).strip_prefix("is ")?.split_once(" {X} ")?;
    let is_noun = what.starts_with("the ") && what.ends_with(" that");
    (matches!(what, "what" | "where") || is_noun).then_some((what, verb))
}

/// What stands after the noun of the object in place of a clumsy phrase: `that X evolves from` for `is what {X} evolves from`.
pub(super) fn relative(phrase: &str, noun: &Noun, other: &str) -> Option<String> {
    let (what, verb) = passive(phrase)?;
    let said = what.strip_prefix("the ").and_then(|what| what.strip_suffix(" that"));
    match what {
        "where" => Some(format!("where {other} {verb}")),
        "what" => Some(format!("that {other} {verb}")),
        _ => said.filter(|said| *said == noun.one).map(|_| format!("that {other} {verb}")),
    }
}

/// The noun that a relation gives its objects, if it says what their own noun says: a hidden ability is an ability.
pub(super) fn noun_of_object(relation_noun: &str, own: &Noun) -> Option<Noun> {
    let is_within = |longer: &str, shorter: &str| {
        longer.strip_suffix(shorter).is_some_and(|rest| rest.is_empty() || rest.ends_with(' '))
    };
    if is_within(&own.one, relation_noun) {
        return Some(own.clone());
    }
    is_within(relation_noun, &own.one).then(|| Noun {
        one: relation_noun.to_owned(),
        many: plural(relation_noun),
        ..own.clone()
    })
}

/// `of` the subjects, after the noun of the objects: all that some subject has. `many`: of several objects, a subject that is described may
/// have one each.
pub(super) fn of_subjects(other: &str, many: bool) -> String {
    let all = ["any of ", "one of ", "at least one of "].iter().find_map(|some| other.strip_prefix(some));
    if let Some(all) = all {
        return format!("of {all}");
    }
    let one = ["a ", "an "].iter().find_map(|article| other.strip_prefix(article));
    match one.filter(|_| many) {
        Some(one) => format!("of any {one}"),
        None => format!("of {other}"),
    }
}

/// Whether a description is short enough to stand where a name can: "the ability of elgyem", "that category".
pub(super) fn is_short(other: &str) -> bool {
    let (plain, _) = finish(other);
    let has_clause = [" that ", " who ", " whose ", " where ", " which ", " with ", " and ", ","]
        .iter()
        .any(|word| plain.contains(word));
    !has_clause && plain.split(' ').count() <= 7
}

/// A phrase after a noun, with the other end. "Whose supplier is a supplier that is in Bend" becomes "whose supplier is in Bend".
pub(super) fn with_other_after(phrase: &str, other: &str) -> String {
    let shorter = || {
        let noun = phrase.strip_prefix("whose ")?.strip_suffix(" is {X}")?;
        let described = ["a ", "an ", "the "].iter().find_map(|article| other.strip_prefix(article))?;
        let rest = described.strip_prefix(noun)?;
        if rest.is_empty() {
            return Some(format!("with {other}"));
        }
        let rest = rest.strip_prefix(" that ").or_else(|| rest.strip_prefix(" who "))?;
        let is_verb = rest.starts_with(|c: char| c.is_ascii_lowercase()) && !rest.starts_with("the ");
        let is_one = ![" and that ", " and who ", ", that ", ", who "].iter().any(|and| rest.contains(and));
        (is_verb && is_one).then(|| format!("whose {noun} {rest}"))
    };
    shorter().unwrap_or_else(|| phrase.replace("{X}", other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noun(one: &str) -> Noun {
        Noun { one: one.to_owned(), many: plural(one), person: false, class: None }
    }

    #[test]
    fn clumsy_phrases_have_others() {
        let relative = |phrase: &str, own: &str| relative(phrase, &noun(own), "lopunny");
        assert_eq!(
            relative("is what {X} evolves from|are what {X} evolves from", "pokemon").as_deref(),
            Some("that lopunny evolves from")
        );
        let belongs = "is the generation that {X} belongs to|are the generations that {X} belongs to";
        assert_eq!(relative(belongs, "generation").as_deref(), Some("that lopunny belongs to"));
        assert_eq!(relative(belongs, "thing"), None);
        assert_eq!(relative("is the capital of|are the capitals of", "city"), None);
        let of = |relation: &str, own: &str| noun_of_object(relation, &noun(own)).map(|noun| noun.many);
        assert_eq!(of("hidden ability", "ability").as_deref(), Some("hidden abilities"));
        assert_eq!(of("language", "human language").as_deref(), Some("human languages"));
        assert_eq!(of("director", "person"), None);
        assert_eq!(of("ability", "inability"), None);
    }

    #[test]
    fn subjects_are_any_of_several() {
        assert_eq!(of_subjects("a product that is cheap", true), "of any product that is cheap");
        assert_eq!(of_subjects("a product that is cheap", false), "of a product that is cheap");
        assert_eq!(of_subjects("one of those products", true), "of those products");
        assert!(is_short("the ability of elgyem") && !is_short("a city that is old"));
    }

    #[test]
    fn nouns_are_not_repeated() {
        for (other, text) in [
            ("the supplier that has Bend as its city", "whose supplier has Bend as its city"),
            (
                "a supplier that is old and that is large",
                "whose supplier is a supplier that is old and that is large",
            ),
            ("a supplier", "with a supplier"),
            ("the supplier of X", "whose supplier is the supplier of X"),
            ("a product that is old", "whose supplier is a product that is old"),
            ("the supplier that the Nile feeds", "whose supplier is the supplier that the Nile feeds"),
        ] {
            assert_eq!(with_other_after("whose supplier is {X}", other), text);
        }
    }
}
