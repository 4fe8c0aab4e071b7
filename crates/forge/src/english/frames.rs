//! The frames of questions: the same content as a question with which, what or who, as a request, with the constraint first or last.

use super::nouns::Noun;
use super::phrases::finish;
use super::tense::base_form;
use super::verbalise::{Clause, Place, Verbaliser, together, with_pronoun};

/// Requests.
const REQUESTS: [&str; 5] = ["name", "give me", "find", "tell me", "identify"];

/// What may stand at the end of a statement to make it a question.
pub(crate) const CONFIRM: &str = ", is that right";

/// What may stand before a question, with the mark that ends it.
const POLITE: [(&str, &str); 7] = [
    ("can you tell me ", "?"),
    ("do you know ", "?"),
    ("could you tell me ", "?"),
    ("can you find out ", "?"),
    ("I'd like to know ", "."),
    ("I'm trying to find out ", "."),
    ("I want to know ", "."),
];

/// What "is" may be contracted with at the start of a question.
const CONTRACTED: [&str; 3] = ["what is ", "who is ", "where is "];

/// Percentage of clauses that are reduced to a phrase before or after the noun: of several, at the top.
const REDUCED: u64 = 70;

/// The same for the only clause of a question: a short question can afford its relative clause.
const REDUCED_ALONE: u64 = 35;

/// The same within a description, where another relative clause would be hard to follow.
const REDUCED_WITHIN: u64 = 90;

impl Verbaliser<'_, '_> {
    /// One of several frames, by their weights.
    fn weighted<'f, T>(&mut self, frames: &'f [(usize, T)]) -> &'f T {
        let total = frames.iter().map(|(weight, _)| weight).sum();
        let mut at = self.random.below(total);
        for (weight, frame) in frames {
            if at < *weight {
                return frame;
            }
            at -= weight;
        }
        &frames[0].1
    }

    /// The question, sometimes with "what's" for "what is" at its start.
    pub(super) fn contracted(&mut self, text: String) -> String {
        let rest = CONTRACTED.iter().find_map(|start| text.strip_prefix(start).map(|rest| (*start, rest)));
        match rest {
            Some((start, rest)) if self.random.percent(35) => {
                format!("{}'s {rest}", start.trim_end_matches(" is "))
            }
            _ => text,
        }
    }

    pub(super) fn one_of(&mut self, words: &[&'static str]) -> &'static str {
        self.random.choose(words).copied().unwrap_or("")
    }

    /// A noun with some of its clauses before or after it, and the clauses that are left as verb phrases. A clause that contains another
    /// description stays a verb phrase if anything follows it: what follows would be read as part of the description.
    fn reduced(
        &mut self,
        noun: &Noun,
        clauses: Vec<Clause>,
        many: bool,
        keeps_verb: bool,
        percent: u64,
    ) -> (String, Vec<Clause>) {
        let n = clauses.len();
        let mut noun = noun.clone();
        let (mut before, mut after, mut left) = (None, Vec::new(), Vec::new());
        for (at, clause) in clauses.into_iter().enumerate() {
            let is_last = at + 1 == n && left.is_empty();
            let may_follow = after.is_empty() && (clause.place != Place::Last || is_last && !keeps_verb);
            let must_stay = keeps_verb && at + 1 == n && left.is_empty();
            if must_stay || clause.place == Place::First {
                left.push(clause);
            } else if before.is_none() && clause.before.is_some() && self.random.percent(percent) {
                before = clause.before;
            } else if clause.after.is_some() && may_follow && (clause.clumsy || self.random.percent(percent))
            {
                after.extend(clause.after);
                noun = clause.noun.unwrap_or(noun);
            } else {
                left.push(clause);
            }
        }
        let mut text = before.map_or(String::new(), |before| before + " ");
        text += if many { &noun.many } else { &noun.one };
        let mut is_clause_last = false;
        for part in after {
            is_clause_last = is_clause(&part);
            text = format!("{text} {part}");
        }
        if is_clause_last && !keeps_verb && !left.is_empty() {
            // "the pokemon that X evolves from and that are small"
            text += " and";
        }
        (text, left)
    }

    /// A noun with all of its clauses, without an article.
    pub(super) fn nominal(&mut self, noun: &Noun, clauses: Vec<Clause>, many: bool) -> String {
        let percent = if clauses.len() > 1 { REDUCED } else { REDUCED_ALONE };
        self.nominal_reduced(noun, clauses, many, percent)
    }

    /// The same within a description.
    pub(super) fn nominal_within(&mut self, noun: &Noun, clauses: Vec<Clause>, many: bool) -> String {
        self.nominal_reduced(noun, clauses, many, REDUCED_WITHIN)
    }

    fn nominal_reduced(&mut self, noun: &Noun, mut clauses: Vec<Clause>, many: bool, percent: u64) -> String {
        // A clause with a pronoun would be read as part of a phrase after the noun: "countries with exports of oil that import coal".
        // Two phrases after the noun are joined: "films by Herzog and with Kinski".
        if let [one, other] = &clauses[..]
            && let (Some(first), Some(second)) = (&one.after, &other.after)
            && one.place == Place::Between
            && !one.clumsy
            && !other.clumsy
            && ![first, second].iter().any(|after| is_clause(after))
            && are_alike(first, second)
            && !(second.starts_with("of ") && other.place == Place::Last)
            && self.random.percent(75)
        {
            let noun = if many { &noun.many } else { &noun.one };
            // "isotopes of iodine discovered in 1977", not "isotopes discovered in 1977 and of iodine"
            return match (first.starts_with("of "), second.starts_with("of ")) {
                (true, false) => format!("{noun} {first} {second}"),
                (false, true) => format!("{noun} {second} {first}"),
                _ => format!("{noun} {first} and {second}"),
            };
        }
        if clauses.len() > 1 {
            // After a proper name, a relative clause can only be about the noun: "the countries next to Chad that export oil".
            let follows_name = |clause: &Clause| clause.after.as_deref().is_some_and(ends_with_proper_name);
            let is_first = clauses.len() == 2 && follows_name(&clauses[0]) && self.random.percent(60);
            let kept = usize::from(is_first);
            let others = clauses.iter_mut().skip(kept).filter(|clause| !clause.clumsy);
            others.for_each(|clause| clause.after = None);
        }
        let (text, left) = self.reduced(noun, clauses, many, false, percent);
        if left.is_empty() {
            return text;
        }
        format!("{text} {} {}", noun.pronoun(), self.said_with_pronoun(&left, noun.pronoun()))
    }

    /// Verb phrases with one subject, sometimes with "both".
    fn said_together(&mut self, clauses: &[Clause]) -> String {
        both(clauses).filter(|_| self.random.percent(30)).unwrap_or_else(|| together(clauses))
    }

    /// Verb phrases after a relative pronoun, which is repeated or, with "both", said once.
    fn said_with_pronoun(&mut self, clauses: &[Clause], pronoun: &str) -> String {
        both(clauses).filter(|_| self.random.percent(40)).unwrap_or_else(|| with_pronoun(clauses, pronoun))
    }

    /// A question that asks for things.
    pub(super) fn members_frame(&mut self, noun: &Noun, clauses: Vec<Clause>, many: bool) -> String {
        #[derive(Clone, Copy)]
        enum Frame {
            Which,
            What,
            WhatIs,
            Request,
            Among,
        }
        if clauses.is_empty() {
            return match self.one_of(&["which", "what", "name"]) {
                "name" => format!("name all {}.", noun.many),
                word => format!("{word} {} are there?", noun.many),
            };
        }
        let several = clauses.len() > 1;
        let has_verb = several || !is_clumsy(&clauses);
        let frames = [
            (if has_verb { 40 } else { 0 }, Frame::Which),
            (if has_verb { 22 } else { 0 }, Frame::What),
            (8, Frame::WhatIs),
            (22, Frame::Request),
            (if several { 12 } else { 0 }, Frame::Among),
        ];
        match *self.weighted(&frames) {
            Frame::Which => self.asked("which", noun, clauses, many),
            Frame::What => self.asked("what", noun, clauses, many),
            Frame::WhatIs => {
                let word = if noun.person { "who" } else { "what" };
                let verb = if many { "are" } else { "is" };
                format!("{word} {verb} the {}?", self.nominal(noun, clauses, many))
            }
            Frame::Request => {
                let request = if many && self.random.percent(25) { "list" } else { self.one_of(&REQUESTS) };
                let all = if many && self.random.percent(30) { "all " } else { "" };
                format!("{request} {all}the {}.", self.nominal(noun, clauses, many))
            }
            Frame::Among => {
                // The clauses about the group are in the plural; those of the question agree with it. A description would hide where the
                // group ends.
                let may_lead = |clause: &Clause| clause.place != Place::Last && clause.after.is_some();
                let at = clauses.iter().position(|clause| may_lead(clause) && clause.clumsy);
                let at = at.or_else(|| clauses.iter().position(may_lead));
                let Some(at) = at else { return self.asked("which", noun, clauses, many) };
                let mut clauses = clauses;
                let group = clauses.remove(at);
                let preposition = self.one_of(&["among", "of"]);
                let ones = if many { "ones" } else { "one" };
                let after = group.after.unwrap_or_default();
                let many = &group.noun.as_ref().unwrap_or(noun).many;
                format!("{preposition} the {many} {after}, which {ones} {}?", self.said_together(&clauses))
            }
        }
    }

    /// A question whose question word stands before the noun, sometimes within another question.
    fn asked(&mut self, word: &str, noun: &Noun, clauses: Vec<Clause>, many: bool) -> String {
        let (head, left) = self.reduced(noun, clauses, many, true, REDUCED);
        // A short question is more often asked with an opening.
        let is_short = left.len() == 1 && head.split(' ').count() <= 2 && left[0].place == Place::Between;
        let opening = self.random.percent(if is_short { 32 } else { 12 });
        let (start, mark) = match self.random.choose(&POLITE).filter(|_| opening) {
            Some(&polite) => polite,
            None => ("", "?"),
        };
        let said = self.said_together(&left);
        format!("{start}{word} {head} {said}{mark}")
    }

    /// A question that asks for a number of things.
    pub(super) fn count_frame(&mut self, noun: &Noun, clauses: Vec<Clause>) -> String {
        if clauses.is_empty() {
            return match self.one_of(&["how many", "what is the number of", "count the"]) {
                "how many" => format!("how many {} are there?", noun.many),
                "count the" => format!("count the {}.", noun.many),
                _ => format!("what is the number of {}?", noun.many),
            };
        }
        let with_verb = if is_clumsy(&clauses) { [0, 0] } else { [44, 10] };
        match *self.weighted(&[(with_verb[0], 0), (20, 1), (8, 2), (9, 3), (9, 4), (with_verb[1], 5)]) {
            0 => self.asked("how many", noun, clauses, true),
            1 => format!("what is the number of {}?", self.nominal(noun, clauses, true)),
            2 => {
                let (head, left) = self.reduced(noun, clauses, true, false, REDUCED);
                match left.is_empty() {
                    true => format!("how many {head} are there?"),
                    false => format!(
                        "how many {head} are there {} {}?",
                        noun.pronoun(),
                        with_pronoun(&left, noun.pronoun())
                    ),
                }
            }
            3 => format!("count the {}.", self.nominal(noun, clauses, true)),
            4 => format!("give the number of {}.", self.nominal(noun, clauses, true)),
            _ => {
                let (head, left) = self.reduced(noun, clauses, true, true, REDUCED);
                let start = self.one_of(&["in total, ", "altogether, "]);
                format!("{start}how many {head} {}?", self.said_together(&left))
            }
        }
    }

    /// A question about the truth of a clause.
    pub(super) fn yes_no_frame(&mut self, subject: &str, clause: &str) -> String {
        if self.random.percent(65)
            && let Some(inverted) = inverted(subject, clause)
        {
            return inverted;
        }
        if self.random.percent(40) {
            return format!("{subject} {clause}{CONFIRM}?");
        }
        let start = self.one_of(&["is it true that", "is it correct that", "is it right that"]);
        format!("{start} {subject} {clause}?")
    }

    /// A question about how two things are related.
    pub(super) fn relation_frame(&mut self, from: &str, to: &str, is_plural: bool) -> String {
        let is = if is_plural { "are" } else { "is" };
        match self.random.below(9) {
            0 | 5 | 6 => format!("how are {from} and {to} related?"),
            1 => format!("what is the relationship between {from} and {to}?"),
            2 => format!("in what way {is} {from} connected to {to}?"),
            3 => format!("what is the connection between {from} and {to}?"),
            4 => format!("tell me how {from} {is} related to {to}."),
            _ => format!("how {is} {from} related to {to}?"),
        }
    }

    /// A question about which of two things is ahead.
    pub(super) fn between_frame(
        &mut self,
        noun: &Noun,
        comparison: &str,
        left: &str,
        right: &str,
        is_clear: bool,
    ) -> String {
        let or = if is_clear { " or" } else { ", or" };
        let which = if noun.person { "who" } else { "which" };
        match self.random.below(if is_clear { 5 } else { 1 }) {
            0 => format!("which {} {comparison}, {left}{or} {right}?", noun.one),
            1 => format!("{which} {comparison}: {left} or {right}?"),
            2 => format!("of {left} and {right}, {which} {comparison}?"),
            3 => format!("between {left} and {right}, which {} {comparison}?", noun.one),
            _ => format!("{left} or {right}: {which} {comparison}?"),
        }
    }

    /// A question about the thing with an extreme value, which a verb phrase says.
    pub(super) fn superlative_frame(
        &mut self,
        phrase: &str,
        noun: &Noun,
        clauses: Vec<Clause>,
        many: bool,
    ) -> String {
        let asked = if many { &noun.many } else { &noun.one };
        let pronoun = noun.pronoun();
        if clauses.is_empty() {
            return match self.random.below(4) {
                0 => format!("what {asked} {phrase}?"),
                1 => format!("{} the {asked} {pronoun} {phrase}.", self.one_of(&REQUESTS)),
                _ => format!("which {asked} {phrase}?"),
            };
        }
        let ones = if many { "ones" } else { "one" };
        let group = self.nominal(noun, clauses, true);
        match self.random.below(5) {
            0 => format!("of the {group}, which {phrase}?"),
            1 => format!("which of the {group} {phrase}?"),
            2 => format!("of all {group}, name the {ones} {pronoun} {phrase}."),
            3 => format!("among {group}, which {ones} {phrase}?"),
            _ => format!("among the {group}, which {ones} {phrase}?"),
        }
    }

    /// A question about the thing with an extreme value, which an adjective says.
    pub(super) fn adjective_frame(
        &mut self,
        adjective: &str,
        noun: &Noun,
        clauses: Vec<Clause>,
        many: bool,
    ) -> String {
        let described = self.nominal(noun, clauses, many);
        let verb = if many { "are" } else { "is" };
        match self.random.below(3) {
            0 => format!("{} the {adjective} {described}.", self.one_of(&REQUESTS)),
            1 => format!("which {verb} the {adjective} {described}?"),
            _ => {
                let word = if noun.person { "who" } else { "what" };
                format!("{word} {verb} the {adjective} {described}?")
            }
        }
    }
}

/// The clause as a question; `None` if its verb is not known.
pub(super) fn inverted(subject: &str, clause: &str) -> Option<String> {
    if let Some(rest) = clause.strip_prefix("at one point had ") {
        return Some(format!("did {subject} ever have {rest}?"));
    }
    let (verb, rest) = clause.split_once(' ')?;
    Some(match verb {
        "is" | "are" | "was" | "were" => format!("{verb} {subject} {rest}?"),
        "has" | "have" if rest.starts_with("had ") || rest.starts_with("been ") => {
            format!("{verb} {subject} {rest}?")
        }
        _ => {
            let (auxiliary, base) = base_form(verb)?;
            format!("{auxiliary} {subject} {base} {rest}?")
        }
    })
}

/// Two verb phrases with "both": "both border Chad and export oil", "are both in Asia and rich in gold". `None` if they cannot share it.
fn both(clauses: &[Clause]) -> Option<String> {
    let [one, other] = clauses else { return None };
    if one.place != Place::Between || other.text.starts_with("also ") || other.text.contains(" also ") {
        return None;
    }
    let (verb, rest) = one.text.split_once(' ')?;
    let (other_verb, other_rest) = other.text.split_once(' ')?;
    let is_auxiliary = |verb: &str| matches!(verb, "is" | "are" | "was" | "were" | "has" | "have" | "had");
    match (is_auxiliary(verb), is_auxiliary(other_verb)) {
        (true, true) if verb == other_verb && !verb.starts_with("ha") && are_alike(rest, other_rest) => {
            Some(format!("{verb} both {rest} and {other_rest}"))
        }
        (false, false) => Some(format!("both {} and {}", one.text, other.text)),
        _ => None,
    }
}

/// Whether text ends with a mention of a name with a capital letter.
fn ends_with_proper_name(text: &str) -> bool {
    let (plain, mentions) = finish(text);
    let Some(&(_, start, end)) = mentions.last() else { return false };
    end == plain.chars().count() && plain.chars().nth(start).is_some_and(char::is_uppercase)
}

/// Whether the only clause is said better after the noun, so that no verb is left for a question.
fn is_clumsy(clauses: &[Clause]) -> bool {
    matches!(clauses, [only] if only.clumsy && only.after.is_some())
}

/// Whether text after a noun is a relative clause, which cannot be joined with a phrase.
fn is_clause(after: &str) -> bool {
    ["where ", "who ", "whose ", "that "].iter().any(|start| after.starts_with(start))
}

/// Whether two phrases after a noun are of the same kind, so that "and" can join them: "made in France and released in 2005", but not
/// "discovered in France and from the halogen series". A phrase with "of" stands before the other.
fn are_alike(first: &str, second: &str) -> bool {
    let word = |text: &str| text.split(' ').next().unwrap_or("").to_owned();
    let (one, other) = (word(first), word(second));
    let has = |ending: &str| one.ends_with(ending) && other.ends_with(ending);
    one == other && one != "of" || (one == "of") != (other == "of") || has("ing") || has("ed")
}

#[cfg(test)]
mod tests {
    use super::inverted;

    #[test]
    fn clauses_become_questions() {
        for (clause, question) in [
            ("is longer than 3 metres", Some("is X longer than 3 metres?")),
            ("has an area of 3", Some("does X have an area of 3?")),
            ("have an area of 3", Some("do X have an area of 3?")),
            ("has had a population of 3", Some("has X had a population of 3?")),
            ("at one point had a population of 3", Some("did X ever have a population of 3?")),
            ("covers 3 hectares", Some("does X cover 3 hectares?")),
            ("had 3 people", Some("did X have 3 people?")),
            ("won the prize", Some("did X win the prize?")),
            ("underwent changes", None),
        ] {
            assert_eq!(inverted("X", clause).as_deref(), question, "{clause}");
        }
    }
}
