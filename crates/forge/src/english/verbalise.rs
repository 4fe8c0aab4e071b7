//! Verbalises a query in English: all of its constraints, directions, functions and qualifiers.

use super::direct::{is_short, noun_of_object, of_subjects, only_relation, relative, with_other_after};
use super::naming::is_plural_name;
use super::nouns::Noun;
use super::other_end::is_singular;
use super::phrases::{
    agreeing, capitalised, finish, is_bare_name, joined, punctuated, uncapitalised, with_article, with_both,
};
use super::tense::{asked_in_past, in_past, is_past, perfect};
use super::values::{Fact, subject_agrees};
use crate::reject::RejectReason;
use serde::Serialize;
use touchstone_benchmark::english::inflect::value as said_value;
use touchstone_benchmark::english::{AttributeWords, Lexicon, RelationWords};
use touchstone_benchmark::{Mention, Random};
use touchstone_engine::Words;
use touchstone_kb::{ClassId, Comparison, Kb, NodeId, Property};
use touchstone_logic::{
    Ask, Condition, Direction, Extreme, Mark, Query, Relate, Set, Step, Superlative, with_ids,
};

/// A question with the positions of its entity mentions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerbalisedQuestion {
    /// The question.
    #[serde(rename = "question")]
    pub text: String,
    /// The mentions, in text order.
    #[serde(rename = "entities")]
    pub mentions: Vec<Mention>,
    /// Whether it has a phrase that the lexicon keeps for zero-shot questions.
    #[serde(skip)]
    pub new_words: bool,
    /// The phrases of the lexicon that it was made from.
    #[serde(skip)]
    pub phrases: Vec<String>,
}

/// How to verbalise a query.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wording {
    /// Whether to ask for several things.
    pub many: bool,
    /// The same seed gives the same phrasing.
    pub seed: u64,
    /// Whether to also use the phrases that the lexicon keeps for zero-shot questions.
    pub new_words: bool,
}

/// Verbalises a query.
pub fn verbalise(
    query: &Query,
    known: &Words<'_>,
    lexicon: &Lexicon,
    wording: Wording,
) -> Result<VerbalisedQuestion, RejectReason> {
    if !query.rules.different.is_empty() || query.rules.english {
        return Err(RejectReason::SideConditions);
    }
    let query = with_ids(query.clone(), known.kb());
    sentences(known, lexicon, wording, |verbaliser| verbaliser.question(&query.answer, wording.many))
}

/// The sentences of a question, which `ask` says.
pub(super) fn sentences<'a, 'k>(
    known: &'a Words<'k>,
    lexicon: &'a Lexicon,
    wording: Wording,
    ask: impl FnOnce(&mut Verbaliser<'a, 'k>) -> Verbalised<String>,
) -> Result<VerbalisedQuestion, RejectReason> {
    let kb = known.kb();
    let Wording { seed, new_words, .. } = wording;
    let random = Random::new(seed, "phrasings");
    let mut verbaliser = Verbaliser {
        kb,
        known,
        lexicon,
        random,
        new_words,
        said_new_words: false,
        expected: None,
        entities: Vec::new(),
        marks: Vec::new(),
        introduction: None,
        phrases: Vec::new(),
    };
    let asked = punctuated(&ask(&mut verbaliser)?);
    let asked = capitalised(&verbaliser.contracted(asked));
    let sentences = match verbaliser.introduction.take() {
        Some(introduction) => format!("{}. {asked}", capitalised(&introduction)),
        None => asked,
    };
    let (text, places) = finish(&sentences);
    let chars: Vec<char> = text.chars().collect();
    let mention = |(number, start, end): (usize, usize, usize)| Mention {
        id: kb.node_id(verbaliser.entities[number]).to_owned(),
        text: chars[start..end].iter().collect(),
        start,
        end,
    };
    let mentions = places.into_iter().map(mention).collect();
    let (new_words, phrases) = (verbaliser.said_new_words, verbaliser.phrases);
    Ok(VerbalisedQuestion { text, mentions, new_words, phrases })
}

pub(super) struct Verbaliser<'a, 'k> {
    pub(super) kb: &'k Kb,
    pub(super) known: &'a Words<'k>,
    pub(super) lexicon: &'a Lexicon,
    pub(super) random: Random,
    new_words: bool,
    said_new_words: bool,
    /// The class of the next name, if the relation that leads to it allows no other.
    pub(super) expected: Option<ClassId>,
    /// The entities mentioned so far.
    pub(super) entities: Vec<NodeId>,
    /// Marked things, with their nouns.
    pub(super) marks: Vec<(Mark, String)>,
    /// A sentence before the question that describes a thing that the question refers to.
    pub(super) introduction: Option<String>,
    /// The phrases of the lexicon that were chosen so far.
    phrases: Vec<String>,
}

pub(super) type Verbalised<T> = Result<T, RejectReason>;

impl<'a> Verbaliser<'a, '_> {
    pub(super) fn relation_words(&self, relation: &str) -> Verbalised<&'a RelationWords> {
        self.lexicon.relations.get(relation).ok_or(RejectReason::UnknownRelation)
    }

    pub(super) fn pick(&mut self, phrases: &[String]) -> Verbalised<String> {
        let phrase = self.random.choose(phrases).ok_or(RejectReason::NoPhrase)?;
        self.phrases.push(phrase.clone());
        Ok(phrase.clone())
    }

    /// The phrases to choose from: half of the time those for zero-shot questions only, if they may be used.
    pub(super) fn usable<'p>(&mut self, usual: &'p [String], new: &'p [String]) -> &'p [String] {
        let is_new = self.new_words && !new.is_empty() && self.random.percent(50);
        self.said_new_words |= is_new;
        if is_new { new } else { usual }
    }

    fn question(&mut self, answer: &Ask, many: bool) -> Verbalised<String> {
        Ok(match answer {
            Ask::Members(Set::Superlative(superlative)) => {
                let Superlative { of, path, extreme, start: None } = &**superlative else {
                    return Err(RejectReason::SuperlativeOnPath);
                };
                self.superlative(of, path, *extreme, many)?
            }
            Ask::SelectAmong { among, attribute, extreme } => {
                let step = Step { property: attribute.clone(), direction: Direction::Forward };
                self.superlative(among, &[step], *extreme, many)?
            }
            Ask::Members(set) => self.members(set, many)?,
            Ask::Count(set) => {
                let (noun, clauses) = self.described(set, true)?;
                self.count_frame(&noun, clauses)
            }
            Ask::Exists(set) => format!("is there {}?", self.noun_phrase(set, Number::One)?),
            Ask::Attribute { of, attribute, conditions } => {
                self.attribute_question(of, attribute, conditions)?
            }
            Ask::Verify { of, attribute, conditions, comparison, value } => {
                let subject = self.noun_phrase(of, Number::The)?;
                let many = self.is_plural(of);
                let clause = self.fact_clause(attribute, *comparison, value, many, conditions)?;
                self.yes_no_frame(&subject, &clause)
            }
            Ask::Relation { from, to } => {
                let is_plural = self.is_plural(from);
                let (from, to) = (self.noun_phrase(from, Number::The)?, self.noun_phrase(to, Number::The)?);
                self.relation_frame(&from, &to, is_plural)
            }
            Ask::AttributeQualifier { of, attribute, value, qualifier } => {
                let fact = Fact {
                    subject: self.noun_phrase(of, Number::The)?,
                    clause: self.value_clause(attribute, Comparison::Equal, value, self.is_plural(of))?,
                    object: said_value(&value.literal()),
                    property: attribute,
                    many: self.is_plural(of),
                };
                self.about_fact(&fact, qualifier)?
            }
            Ask::RelationQualifier { from, relation, to, qualifier } => {
                let (subject, object) =
                    (self.noun_phrase(from, Number::The)?, self.noun_phrase(to, Number::The)?);
                let words = self.relation_words(relation)?;
                let phrase = self.pick(&fitting(&words.subject, is_name(to)))?;
                let many = self.is_plural(from);
                let clause = with_other(agreeing(&phrase, many), &object);
                self.about_fact(&Fact { subject, clause, object, property: relation, many }, qualifier)?
            }
            Ask::SelectBetween { left, right, attribute, extreme } => {
                self.between(left, right, attribute, *extreme)?
            }
        })
    }

    /// A question that asks for the members of a set.
    fn members(&mut self, set: &Set, many: bool) -> Verbalised<String> {
        if let Some(direct) = self.direct_question(set, many)? {
            return Ok(direct);
        }
        if let Some(question) = self.where_question(set, many)? {
            return Ok(question);
        }
        if let Some(late) = self.late_question(set, many)? {
            return Ok(late);
        }
        let noun = self.noun(set.conjuncts());
        // `Who` takes the singular, and stands for the class if the relation implies it.
        if noun.person
            && !matches!(set, Set::Or(_))
            && (noun.one == "person" || self.is_implied(set, &noun))
            && self.random.percent(60)
        {
            let (_, clauses) = self.described(set, false)?;
            if !clauses.is_empty() {
                return Ok(format!("who {}?", together(&clauses)));
            }
        }
        let (noun, clauses) = self.described(set, many)?;
        Ok(self.members_frame(&noun, clauses, many))
    }

    /// Whether every member of a set is in the class of its noun by the schema.
    fn is_implied(&self, set: &Set, noun: &Noun) -> bool {
        let implies = |part: &Set| match part {
            Set::Relate(relate) => {
                let end = self.class_of_end(&relate.property, relate.direction);
                end.is_some_and(|end| {
                    noun.class.is_some_and(|class| {
                        end == class || self.kb.ancestors(end).any(|above| above == class)
                    })
                })
            }
            _ => false,
        };
        set.conjuncts().iter().any(implies)
    }

    /// `The Godfather was directed by which film director?`, for one relation to a name.
    fn late_question(&mut self, set: &Set, many: bool) -> Verbalised<Option<String>> {
        let parts = set.conjuncts();
        let Some(relate) = only_relation(parts).filter(|_| self.random.percent(6)) else { return Ok(None) };
        let words = self.relation_words(&relate.property)?;
        let (usual, new) = match relate.direction {
            Direction::Backward => (&words.object, &words.test_object),
            Direction::Forward => (&words.subject, &words.test_subject),
        };
        let noun = self.more_special(self.class_of_end(&relate.property, relate.direction), self.noun(parts));
        // Not "had which production companies as a production company".
        let says_noun = |phrase: &str| phrase.split(' ').any(|word| noun.one == word || noun.many == word);
        let fits = |phrase: &&String| {
            !says_noun(phrase) && !HEAVY.iter().any(|part| phrase.contains(part)) && is_open(phrase)
        };
        let phrases: Vec<String> = self.usable(usual, new).iter().filter(fits).cloned().collect();
        if phrases.is_empty() {
            return Ok(None);
        }
        let phrase = self.pick(&phrases)?;
        let is_plural = self.is_plural(&relate.from);
        let name = self.noun_phrase(&relate.from, Number::The)?;
        let asked = format!("which {}", if many { &noun.many } else { &noun.one });
        Ok(Some(format!("{name} {}?", with_other(agreeing(&phrase, is_plural), &asked))))
    }

    /// A question that asks for the value of an attribute.
    fn attribute_question(
        &mut self,
        of: &Set,
        attribute: &str,
        conditions: &[Condition],
    ) -> Verbalised<String> {
        let words = self.attribute(attribute)?;
        let subject = self.noun_phrase(of, Number::The)?;
        let qualifiers = self.qualifiers(conditions)?;
        // A long subject comes last if there is a phrase for that.
        let asks = self.usable(&words.ask, &words.test_ask).to_vec();
        let at_end = |ask: &&String| ask.ends_with("{S}?") || ask.ends_with("{S}.");
        let at_end: Vec<String> = asks.iter().filter(at_end).cloned().collect();
        let is_long = !is_name(of) && !at_end.is_empty();
        let phrase = self.pick(if is_long { &at_end } else { &asks })?;
        let phrase = if is_past(conditions) { asked_in_past(&phrase) } else { phrase };
        let asked = subject_agrees(&phrase, self.is_plural(of)).replace("{S}", &subject);
        match conditions {
            [] => Ok(asked),
            _ if is_name(of) => {
                let (text, mark) = match asked.strip_suffix('.') {
                    Some(text) => (text, "."),
                    None => (asked.trim_end_matches('?'), "?"),
                };
                Ok(format!("{text}{qualifiers}{mark}"))
            }
            // After a description, it would be read as part of the description.
            [only] if is_past(std::slice::from_ref(only)) => {
                Ok(format!("{}, {}", qualifiers.trim_start(), uncapitalised(&asked)))
            }
            _ => Err(RejectReason::QualifierOnDescription),
        }
    }

    /// A question that asks which of two things has the greater or smaller value.
    fn between(&mut self, left: &Set, right: &Set, attribute: &str, extreme: Extreme) -> Verbalised<String> {
        let noun = self.noun_of_both(left, right)?;
        let words = self.attribute(attribute)?;
        let is_clear = is_name(left) && is_name(right);
        let (left, right) = (self.noun_phrase(left, Number::The)?, self.noun_phrase(right, Number::The)?);
        let comparison = match extreme {
            Extreme::Max => &words.between_greater,
            Extreme::Min => &words.between_less,
        };
        let dated = if words.dated { perfect(comparison) } else { None };
        let comparison = dated.as_deref().unwrap_or(comparison);
        Ok(self.between_frame(&noun, comparison, &left, &right, is_clear))
    }

    /// The clause for the thing with the greatest or smallest value at the end of a path.
    fn extreme(&mut self, path: &[Step], extreme: Extreme, many: bool) -> Verbalised<String> {
        match path {
            [] => Err(RejectReason::SuperlativeWithoutValue),
            [last] => {
                let words = self.attribute(&last.property)?;
                let (usual, new) = match extreme {
                    Extreme::Max => (&words.largest, &words.test_largest),
                    Extreme::Min => (&words.smallest, &words.test_smallest),
                };
                let phrases = self.usable(usual, new).to_vec();
                let phrase = self.pick(&words.of_any_year(&phrases))?;
                let phrase = agreeing(&phrase, many);
                let dated = if words.dated { perfect(phrase) } else { None };
                Ok(dated.unwrap_or_else(|| phrase.to_owned()))
            }
            [step, rest @ ..] => {
                let words = self.relation_words(&step.property)?;
                let relation = self.kb.relation(&step.property).ok_or(RejectReason::UnknownRelation)?;
                let (phrases, class) = match step.direction {
                    Direction::Forward => (&words.subject, self.kb.relation_range(relation)),
                    Direction::Backward => (&words.object, self.kb.relation_domain(relation)),
                };
                let phrase = self.pick(&fitting(phrases, false))?;
                let next = rest.first().and_then(|next| self.class_of_start(next));
                let noun = self.more_special(next, self.noun_of(class));
                // Only the thing that has the value itself is unique: several things may lead to it.
                let article = match (rest.len(), noun.class) {
                    (1, None) => "the one".to_owned(),
                    (1, Some(_)) => format!("the {}", noun.one),
                    _ => with_article(&noun.one),
                };
                let other = format!("{article} {} {}", noun.pronoun(), self.extreme(rest, extreme, false)?);
                Ok(with_other(agreeing(&phrase, many), &other))
            }
        }
    }

    fn superlative(&mut self, of: &Set, path: &[Step], extreme: Extreme, many: bool) -> Verbalised<String> {
        let adjective = match path {
            [last] => {
                let words = self.attribute(&last.property)?;
                let before =
                    if extreme == Extreme::Max { words.largest_before } else { words.smallest_before };
                Some(before).filter(|before| !before.is_empty() && !words.dated)
            }
            _ => None,
        };
        if let Some(adjective) = adjective
            && self.random.percent(50)
        {
            let (noun, clauses) = self.described(of, many)?;
            return Ok(self.adjective_frame(&adjective, &noun, clauses, many));
        }
        let phrase = self.extreme(path, extreme, many)?;
        let (noun, clauses) = self.described(of, true)?;
        Ok(self.superlative_frame(&phrase, &noun, clauses, many))
    }

    /// The noun for the members of a set, and the clauses about them.
    pub(super) fn described(&mut self, set: &Set, many: bool) -> Verbalised<(Noun, Vec<Clause>)> {
        match set {
            Set::Entity(_) | Set::Named(_) => {
                let node = self.entity(set)?;
                let class = self.kb.classes_of(node).min_by_key(|&c| self.kb.members(c).len());
                Ok((self.noun_of(class), Vec::new()))
            }
            Set::Marked(mark, inner) => {
                let noun = self.noun(inner.conjuncts());
                self.marks.push((*mark, noun.one));
                self.described(inner, many)
            }
            Set::Or(parts) => {
                let mut clauses = Vec::new();
                let mut nouns = Vec::new();
                for part in parts {
                    let (noun, said) = self.described(part, many)?;
                    if said.is_empty() {
                        return Err(RejectReason::ChoiceBetweenClasses);
                    }
                    clauses.push(together(&said));
                    nouns.push(noun);
                }
                if nouns.windows(2).any(|pair| pair[0] != pair[1]) {
                    return Err(RejectReason::ChoiceBetweenClasses);
                }
                let noun = nouns.pop().ok_or(RejectReason::EmptyChoice)?;
                let text = format!("either {}", joined(&clauses, "or"));
                Ok((noun, vec![Clause::of(text, Place::Last)]))
            }
            _ => {
                let parts = set.conjuncts();
                let noun = self.noun(parts);
                let mut clauses = Vec::new();
                let mut class_said = false;
                let n_outside = self.marks.len();
                for (at, part) in parts.iter().enumerate() {
                    match part {
                        Set::Class(_) if !class_said => class_said = true,
                        part => {
                            if let Some(both) = self.with_both(&parts[..at], part, &clauses)? {
                                clauses.pop();
                                clauses.push(both);
                                continue;
                            }
                            let mut clause = self.clause(part, many, &noun)?;
                            if parts[..at].iter().any(|earlier| is_same_relation(earlier, part)) {
                                clause = clause.with_also();
                            }
                            if let Set::Relate(relate) = part
                                && let Set::Same(mark) = &relate.from
                                && self.marks[..n_outside].iter().any(|(outside, _)| outside == mark)
                            {
                                clause.place = Place::First;
                            }
                            clauses.push(clause);
                        }
                    }
                }
                // A clause that contains another description comes last, so that the other clauses attach to the right noun.
                // A clause that refers back to the outer thing comes first: after a name, it would be read as referring to the name.
                clauses.sort_by_key(|clause| (clause.place, !clause.clumsy));
                Ok((noun, clauses))
            }
        }
    }

    /// The clause before, about both names: "belongs to both the African Union and the Arab League". `None` if the part before has another
    /// relation, or one of the two is not a plain name.
    fn with_both(&mut self, before: &[Set], part: &Set, clauses: &[Clause]) -> Verbalised<Option<Clause>> {
        let (Some(Set::Relate(one)), Set::Relate(other), Some(clause)) =
            (before.last(), part, clauses.last())
        else {
            return Ok(None);
        };
        let is_plain = |relate: &Relate| is_name(&relate.from) && relate.conditions.is_empty();
        let is_same = before.last().is_some_and(|earlier| is_same_relation(earlier, part));
        if !is_same || !is_plain(one) || !is_plain(other) || clause.clumsy {
            return Ok(None);
        }
        self.expected = self.far_class(other)?;
        let name = self.noun_phrase(&other.from, Number::The)?;
        let with_both = |text: &String| with_both(text, &name);
        let Some(text) = with_both(&clause.text) else { return Ok(None) };
        let after = clause.after.as_ref().and_then(with_both);
        Ok(Some(Clause { after, ..Clause::of(text, clause.place) }))
    }

    /// A noun phrase for the members of a set.
    pub(super) fn noun_phrase(&mut self, set: &Set, number: Number) -> Verbalised<String> {
        match set {
            Set::Entity(_) | Set::Named(_) => {
                let node = self.entity(set)?;
                self.named(node)
            }
            Set::Same(mark) => {
                let noun = self.marks.iter().find(|(other, _)| other == mark).map(|(_, noun)| noun);
                Ok(format!("that same {}", noun.ok_or(RejectReason::ForwardReference)?))
            }
            Set::Marked(mark, inner) => {
                let noun = self.noun(inner.conjuncts());
                self.marks.push((*mark, noun.one.clone()));
                self.noun_phrase(inner, number)
            }
            Set::Values(..) => Err(RejectReason::ValuesAlone),
            _ => {
                let (noun, clauses) = self.described(set, false)?;
                let described = self.nominal_within(&noun, clauses, false);
                Ok(match number {
                    Number::One => with_article(&described),
                    Number::The => format!("the {described}"),
                })
            }
        }
    }

    /// The clause that one constraint adds to the members.
    fn clause(&mut self, part: &Set, many: bool, noun: &Noun) -> Verbalised<Clause> {
        let simple = |text: String| Clause::of(text, Place::Between);
        Ok(match part {
            Set::Relate(relate) => match &relate.from {
                Set::Values(comparison, value) => {
                    let text =
                        self.fact_clause(&relate.property, *comparison, value, many, &relate.conditions)?;
                    let after = match relate.conditions.is_empty() {
                        true => self.value_after(&relate.property, *comparison, value)?,
                        false => None,
                    };
                    Clause { after, ..simple(text) }
                }
                _ => self.relation_clause(relate, many, noun)?,
            },
            Set::Class(_) => {
                let other = self.noun(std::slice::from_ref(part));
                simple(if many {
                    format!("are {}", other.many)
                } else {
                    format!("is {}", with_article(&other.one))
                })
            }
            Set::Or(parts) => {
                let mut said = Vec::new();
                for part in parts {
                    said.push(self.clause(part, many, noun)?.text);
                }
                Clause::of(format!("either {}", joined(&said, "or")), Place::Last)
            }
            Set::Same(_) => {
                let other = self.noun_phrase(part, Number::The)?;
                simple(format!("{} {other}", if many { "are" } else { "is" }))
            }
            Set::Marked(mark, inner) => {
                self.marks.push((*mark, noun.one.clone()));
                self.clause(inner, many, noun)?
            }
            _ => return Err(RejectReason::NoEnglishClause),
        })
    }

    fn relation_clause(&mut self, relate: &Relate, many: bool, noun: &Noun) -> Verbalised<Clause> {
        let words = self.relation_words(&relate.property)?;
        let (usual, new, after) = match relate.direction {
            Direction::Backward => (&words.subject, &words.test_subject, &words.subject_after),
            Direction::Forward => (&words.object, &words.test_object, &words.object_after),
        };
        let is_described = !matches!(relate.from, Set::Entity(_) | Set::Named(_) | Set::All | Set::Same(_));
        if is_described && !relate.conditions.is_empty() {
            return Err(RejectReason::QualifierOnDescription);
        }
        let usual = self.usable(usual, new);
        let all = if relate.direction == Direction::Backward { &words.subject } else { &words.object };
        let (other, is_many) = self.other_end(relate)?;
        let is_brief = is_name(&relate.from) || is_described && !is_many && is_short(&other);
        let mut phrases = fitting(usual, is_brief);
        if is_many {
            phrases.retain(|phrase| !is_singular(phrase));
            if phrases.is_empty() {
                phrases = all.iter().filter(|phrase| !is_singular(phrase)).cloned().collect();
            }
        }
        // Avoid "an isotope that is an isotope of" and "took place in a place".
        let far = self.noun_of(self.far_class(relate)?);
        let says = |phrase: &String, noun: &Noun| {
            phrase.split([' ', '|']).any(|word| noun.has_word(word) || word == noun.one)
        };
        let repeats = |phrase: &String| says(phrase, noun) || !is_name(&relate.from) && says(phrase, &far);
        if !phrases.iter().all(repeats) {
            phrases.retain(|phrase| !repeats(phrase));
        }
        let phrase = self.pick(&phrases)?;
        // A long description in the middle of a phrase cannot be followed: "is what a thing that ... evolves from".
        if is_described && !is_brief && agreeing(&phrase, many).contains("{X} ") {
            return Err(RejectReason::NoEnglishClause);
        }
        let mut text = with_other(agreeing(&phrase, many), &other);
        if is_past(&relate.conditions) {
            text = in_past(&text);
        }
        text += &self.qualifiers(&relate.conditions)?;
        // A back reference must follow the thing that it refers to.
        let is_simple = matches!(relate.from, Set::Entity(_) | Set::Named(_) | Set::All);
        let place = if is_simple { Place::Between } else { Place::Last };
        let mut clause = Clause::of(text, place);
        // A back reference needs its verb.
        if relate.conditions.is_empty() && !matches!(relate.from, Set::Same(_)) {
            // A description in the middle of a phrase would tear it apart.
            let takes_many =
                |phrase: &str| !["whose ", "where ", " as "].iter().any(|one| phrase.contains(one));
            let fits =
                |phrase: &&String| (is_brief || phrase.ends_with("{X}")) && (!is_many || takes_many(phrase));
            let after: Vec<&String> = after.iter().filter(fits).collect();
            clause.after = self.random.choose(&after).map(|phrase| with_other_after(phrase, &other));
            if relate.direction == Direction::Forward {
                clause = clause.without_clumsy_verb(&phrase, noun, words, &other, many);
            }
            let is_bare = is_name(&relate.from) && is_bare_name(&other);
            if is_bare && relate.direction == Direction::Backward {
                clause.before = self.random.choose(&words.subject_before).map(|b| b.replace("{X}", &other));
            }
        }
        Ok(clause)
    }

    /// The class of the things that a relation leads to from the described thing.
    pub(super) fn far_class(&self, relate: &Relate) -> Verbalised<Option<ClassId>> {
        let relation = self.kb.relation(&relate.property).ok_or(RejectReason::UnknownRelation)?;
        Ok(match relate.direction {
            Direction::Backward => self.kb.relation_range(relation),
            Direction::Forward => self.kb.relation_domain(relation),
        })
    }

    /// Whether a set is one thing with a plural name.
    pub(super) fn is_plural(&self, set: &Set) -> bool {
        matches!(set, Set::Entity(_) | Set::Named(_))
            && self.entity(set).is_ok_and(|node| is_plural_name(self.kb.label(node)))
    }

    pub(super) fn entity(&self, set: &Set) -> Verbalised<NodeId> {
        match set {
            Set::Entity(id) => self.kb.node(id).ok_or(RejectReason::UnknownEntity),
            Set::Named(name) => {
                let mut nodes = self.kb.nodes_labelled(name);
                match (nodes.next(), nodes.next()) {
                    (Some(node), None) => Ok(node),
                    (None, _) => Err(RejectReason::UnknownName),
                    _ => Err(RejectReason::AmbiguousName),
                }
            }
            _ => Err(RejectReason::NotAnEntity),
        }
    }

    pub(super) fn property(&self, word: &str) -> Option<Property> {
        let relation = self.kb.relation(word).map(Property::Relation);
        relation.or_else(|| self.kb.attribute(word).map(Property::Attribute))
    }

    pub(super) fn attribute(&self, id: &str) -> Verbalised<AttributeWords> {
        self.lexicon.attributes.get(id).cloned().ok_or(RejectReason::UnknownAttribute)
    }
}

/// "a" or "the" thing.
#[derive(Clone, Copy)]
pub(super) enum Number {
    One,
    The,
}

/// A clause about a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    /// A verb phrase.
    pub(super) text: String,
    pub(super) place: Place,
    /// The same after the noun, without a verb.
    pub(super) after: Option<String>,
    /// The same before the noun.
    pub(super) before: Option<String>,
    /// Whether `after` says it better than the verb phrase, which is clumsy.
    pub(super) clumsy: bool,
    /// The noun that `after` needs.
    pub(super) noun: Option<Noun>,
}

impl Clause {
    fn of(text: String, place: Place) -> Clause {
        Clause { text, place, after: None, before: None, clumsy: false, noun: None }
    }

    /// With what stands after the noun of the objects of a relation, if the verb phrase is clumsy or says their noun again.
    fn without_clumsy_verb(
        mut self,
        phrase: &str,
        own: &Noun,
        words: &RelationWords,
        other: &str,
        many: bool,
    ) -> Clause {
        let says_noun = phrase.split([' ', '|']).any(|word| own.has_word(word) || word == own.one);
        if let Some(after) = relative(phrase, own, other) {
            self.clumsy = true;
            self.after = Some(after);
        } else if let Some(noun) = noun_of_object(&words.noun, own)
            && (says_noun || self.after.is_none() && noun == *own)
        {
            // The category of a product: its class says what the relation says.
            self.clumsy = says_noun;
            self.after = Some(of_subjects(other, many));
            self.noun = Some(noun);
        }
        self
    }

    /// The clause with "also", for a relation that an earlier clause has as well.
    fn with_also(self) -> Clause {
        let text = match self.text.split_once(' ') {
            Some((verb @ ("is" | "are" | "was" | "were"), rest)) => {
                format!("{verb} also {rest}")
            }
            _ => format!("also {}", self.text),
        };
        Clause::of(text, self.place)
    }
}

/// Whether two constraints follow the same relation in the same direction.
fn is_same_relation(one: &Set, other: &Set) -> bool {
    match (one, other) {
        (Set::Relate(one), Set::Relate(other)) => {
            one.property == other.property
                && one.direction == other.direction
                && !matches!(one.from, Set::Values(..))
        }
        _ => false,
    }
}

/// The position of a clause among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    First,
    Between,
    /// It contains another description.
    Last,
}

/// Whether a set is referred to by name, not by a description.
pub(super) fn is_name(set: &Set) -> bool {
    matches!(set, Set::Entity(_) | Set::Named(_))
}

/// Whether the other end of a relation comes last in a phrase.
fn is_open(phrase: &str) -> bool {
    phrase.split('|').all(|one| one.split_once("{X}").is_none_or(|(_, after)| after.is_empty()))
}

/// In phrases that are for descriptions only, unless `{X}` comes before them.
pub(super) const HEAVY: [&str; 6] =
    [" as its ", " as a ", " as an ", " among its ", " on its ", "that include"];

/// The phrases for use with a name or with a description: `has {X} as its capital`, but `has as its capital a city that ...`.
fn fitting(phrases: &[String], is_name: bool) -> Vec<String> {
    let has_place = phrases.iter().any(|phrase| phrase.contains("{X}"));
    let is_heavy = |phrase: &str| HEAVY.iter().any(|part| phrase.contains(part)) && !phrase.contains("{X}");
    let fits = |phrase: &&String| match is_name {
        true => !(has_place && is_heavy(phrase)),
        false => !phrase.contains("{X}"),
    };
    let found: Vec<String> = phrases.iter().filter(fits).cloned().collect();
    if found.is_empty() { phrases.to_vec() } else { found }
}

/// Verb phrases with one subject. After a description, a comma shows that the first subject applies again.
pub(super) fn together(clauses: &[Clause]) -> String {
    let nested = clauses.iter().filter(|clause| clause.place == Place::Last).count();
    let texts: Vec<String> = clauses.iter().map(|clause| clause.text.clone()).collect();
    if nested > 1 { texts.join(", and ") } else { joined(&texts, "and") }
}

/// Verb phrases after a relative pronoun, which is repeated.
pub(super) fn with_pronoun(clauses: &[Clause], pronoun: &str) -> String {
    let mut out = String::new();
    for (at, clause) in clauses.iter().enumerate() {
        if at > 0 {
            let is_last = at + 1 == clauses.len();
            // After a description, a comma shows that the first subject applies again; three or more clauses are a list.
            let comma = if clauses[at - 1].place == Place::Last || clauses.len() > 2 { "," } else { "" };
            let and = if is_last || clauses[at - 1].place == Place::Last { " and" } else { "" };
            out += &format!("{comma}{and} {pronoun} ");
        }
        out += &clause.text;
    }
    out
}

pub(super) fn with_other(phrase: &str, other: &str) -> String {
    let (before, after) = phrase.split_once(" {X}").unwrap_or((phrase, ""));
    // Avoid the repetition in "in the climate zone that same climate zone", "have as their order an order that", and "have the ability of X as
    // their ability".
    let is_said = |noun: &str| {
        ["a ", "an ", "the ", "some ", "that same ", "that "].iter().any(|article| {
            other
                .strip_prefix(article)
                .and_then(|rest| rest.strip_prefix(noun))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| !c.is_alphanumeric()))
        })
    };
    let owners = [" as its ", " as their "];
    let said = [" the "].iter().chain(&owners).find_map(|joint| {
        let at = before.rfind(joint)?;
        is_said(&before[at + joint.len()..]).then(|| &before[..at])
    });
    let after = match owners.iter().find_map(|owner| after.strip_prefix(owner)) {
        Some(noun) if is_said(noun) => "",
        _ => after,
    };
    format!("{} {other}{after}", said.unwrap_or(before))
}
