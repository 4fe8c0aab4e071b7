//! Says a query in English: all of its constraints, directions, functions and qualifiers.

use super::inflect::{at_time, plural, value, with_article};
use super::lexicon::{AttributeWords, ClassWords, Lexicon};
use super::phrases::{agreeing, capitalised, finish, joined};
use super::tense::{asked_in_past, in_past, is_past};
use crate::random::Random;
use crate::words::with_ids;
use serde::{Deserialize, Serialize};
use touchstone_kb::{ClassId, Comparison, Kb, LiteralFamily, NodeId, Property};
use touchstone_logic::{
    Answer, Condition, Direction, Extreme, Mark, Query, Relate, Set, Step, Superlative, Value,
};

/// Where a question names an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// The entity.
    pub id: String,
    /// The name as it stands in the question.
    pub text: String,
    /// Its first character, counted from 0.
    pub start: usize,
    /// The character after its last one.
    pub end: usize,
}

/// A question with the places where it names entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// The question.
    pub text: String,
    /// In their order in the text.
    pub mentions: Vec<Mention>,
}

/// Why something cannot be said.
pub(super) type Unsayable = &'static str;

/// Says a query. `many`: whether to ask for several things. The same seed chooses the same phrasings.
pub fn verbalise(
    query: &Query,
    kb: &Kb,
    lexicon: &Lexicon,
    many: bool,
    seed: u64,
) -> Result<Spoken, Unsayable> {
    if !query.rules.different.is_empty() || query.rules.english {
        return Err("side conditions");
    }
    let query = with_ids(query.clone(), kb);
    let random = Random::new(seed, "phrasings");
    let mut speaker = Speaker { kb, lexicon, random, entities: Vec::new(), marks: Vec::new() };
    let sentence = capitalised(&speaker.question(&query.answer, many)?);
    let (text, places) = finish(&sentence);
    let chars: Vec<char> = text.chars().collect();
    let mention = |(number, start, end): (usize, usize, usize)| Mention {
        id: kb.node_id(speaker.entities[number]).to_owned(),
        text: chars[start..end].iter().collect(),
        start,
        end,
    };
    let mentions = places.into_iter().map(mention).collect();
    Ok(Spoken { text, mentions })
}

pub(super) struct Speaker<'a> {
    pub(super) kb: &'a Kb,
    pub(super) lexicon: &'a Lexicon,
    random: Random,
    /// The entities mentioned so far.
    pub(super) entities: Vec<NodeId>,
    /// Marked things, with their nouns.
    marks: Vec<(Mark, String)>,
}

pub(super) type Said<T> = Result<T, Unsayable>;

impl Speaker<'_> {
    pub(super) fn pick(&mut self, phrases: &[String]) -> Said<String> {
        self.random.choose(phrases).cloned().ok_or("the lexicon has no phrase for it")
    }

    fn question(&mut self, answer: &Answer, many: bool) -> Said<String> {
        Ok(match answer {
            Answer::Members(Set::Superlative(superlative)) => {
                let Superlative { of, path, extreme, start: None } = &**superlative else {
                    return Err("a superlative of a thing on the way");
                };
                self.superlative(of, path, *extreme, many)?
            }
            Answer::SelectAmong { among, attribute, extreme } => {
                let step = Step { property: attribute.clone(), direction: Direction::Forward };
                self.superlative(among, &[step], *extreme, many)?
            }
            Answer::Members(set) => {
                let (noun, clauses) = self.described(set, many)?;
                let beginning = match noun.person && noun.one == "person" {
                    true => "who".to_owned(),
                    false => format!("which {}", if many { &noun.many } else { &noun.one }),
                };
                match clauses.is_empty() {
                    true => format!("which {} are there?", noun.many),
                    // `Who` takes the singular.
                    false if beginning == "who" && many => {
                        let (_, clauses) = self.described(set, false)?;
                        format!("who {}?", together(&clauses))
                    }
                    false => format!("{beginning} {}?", together(&clauses)),
                }
            }
            Answer::Count(set) => {
                let (noun, clauses) = self.described(set, true)?;
                match clauses.is_empty() {
                    true => format!("how many {} are there?", noun.many),
                    false => format!("how many {} {}?", noun.many, together(&clauses)),
                }
            }
            Answer::Exists(set) => format!("is there {}?", self.noun_phrase(set, Number::One)?),
            Answer::Attribute { of, attribute, conditions } => {
                let words = self.attribute(attribute)?;
                let subject = self.noun_phrase(of, Number::The)?;
                let qualifiers = self.qualifiers(conditions)?;
                let phrase = self.pick(&words.ask)?;
                let phrase = if is_past(conditions) { asked_in_past(&phrase) } else { phrase };
                let asked = phrase.replace("{S}", &subject);
                asked.trim_end_matches('?').to_owned() + &qualifiers + "?"
            }
            Answer::Verify { of, attribute, conditions, comparison, value } => {
                let subject = self.noun_phrase(of, Number::The)?;
                let clause = self.value_clause(attribute, *comparison, value, false)?;
                let clause = if is_past(conditions) { in_past(&clause) } else { clause };
                format!("is it true that {subject} {clause}{}?", self.qualifiers(conditions)?)
            }
            Answer::Relation { from, to } => {
                let (from, to) = (self.noun_phrase(from, Number::The)?, self.noun_phrase(to, Number::The)?);
                format!("how is {from} related to {to}?")
            }
            Answer::AttributeQualifier { of, attribute, value, qualifier } => {
                let subject = self.noun_phrase(of, Number::The)?;
                let clause = self.value_clause(attribute, Comparison::Equal, value, false)?;
                self.about_fact(&format!("{subject} {clause}"), qualifier)?
            }
            Answer::RelationQualifier { from, relation, to, qualifier } => {
                let (subject, object) =
                    (self.noun_phrase(from, Number::The)?, self.noun_phrase(to, Number::The)?);
                let words = self.lexicon.relations.get(relation).ok_or("an unknown relation")?;
                let phrase = self.pick(&words.subject)?;
                self.about_fact(
                    &format!("{subject} {}", with_other(agreeing(&phrase, false), &object)),
                    qualifier,
                )?
            }
            Answer::SelectBetween { left, right, attribute, extreme } => {
                let (noun, _) = self.described(left, false)?;
                self.entities.clear();
                let words = self.attribute(attribute)?;
                let (left, right) =
                    (self.noun_phrase(left, Number::The)?, self.noun_phrase(right, Number::The)?);
                let comparison = match extreme {
                    Extreme::Max => &words.between_greater,
                    Extreme::Min => &words.between_less,
                };
                format!("which {} {comparison}, {left} or {right}?", noun.one)
            }
        })
    }

    /// A question for what qualifies a fact.
    fn about_fact(&self, fact: &str, qualifier: &str) -> Said<String> {
        let words = self.lexicon.qualifiers.get(qualifier).ok_or("an unknown qualifier")?;
        Ok(match words.when {
            true => format!("at what time does the statement hold that {fact}?"),
            false => format!("what is the {} in the statement that {fact}?", words.noun),
        })
    }

    /// What is said of the thing with the greatest or smallest value at the end of a path.
    fn extreme(&mut self, path: &[Step], extreme: Extreme, many: bool) -> Said<String> {
        match path {
            [] => Err("a superlative without a value"),
            [last] => {
                let words = self.attribute(&last.property)?;
                let phrases = if extreme == Extreme::Max { &words.largest } else { &words.smallest };
                let phrase = self.pick(phrases)?;
                Ok(agreeing(&phrase, many).to_owned())
            }
            [step, rest @ ..] => {
                let words = self.lexicon.relations.get(&step.property).ok_or("an unknown relation")?;
                let relation = self.kb.relation(&step.property).ok_or("an unknown relation")?;
                let (phrases, class) = match step.direction {
                    Direction::Forward => (&words.subject, self.kb.relation_range(relation)),
                    Direction::Backward => (&words.object, self.kb.relation_domain(relation)),
                };
                let phrase = self.pick(phrases)?;
                let noun = self.noun_of(class);
                // Only what has the value itself is one thing: others may lead to it, too.
                let article =
                    if rest.len() == 1 { format!("the {}", noun.one) } else { with_article(&noun.one) };
                let other = format!("{article} {} {}", noun.pronoun(), self.extreme(rest, extreme, false)?);
                Ok(with_other(agreeing(&phrase, many), &other))
            }
        }
    }

    fn superlative(&mut self, of: &Set, path: &[Step], extreme: Extreme, many: bool) -> Said<String> {
        let phrase = self.extreme(path, extreme, many)?;
        let (noun, clauses) = self.described(of, true)?;
        let asked = if many { &noun.many } else { &noun.one };
        Ok(match clauses.is_empty() {
            true => format!("which {asked} {phrase}?"),
            false => format!(
                "among the {} {} {}, which {} {phrase}?",
                noun.many,
                noun.pronoun(),
                with_pronoun(&clauses, noun.pronoun()),
                if many { "ones" } else { "one" }
            ),
        })
    }

    /// The noun for the members of a set, and what is said of them.
    fn described(&mut self, set: &Set, many: bool) -> Said<(Noun, Vec<Clause>)> {
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
                        return Err("a choice between classes");
                    }
                    clauses.push(together(&said));
                    nouns.push(noun);
                }
                if nouns.windows(2).any(|pair| pair[0] != pair[1]) {
                    return Err("a choice between classes");
                }
                let noun = nouns.pop().ok_or("an empty choice")?;
                let text = format!("either {}", joined(&clauses, "or"));
                Ok((noun, vec![Clause { text, nested: true }]))
            }
            _ => {
                let parts = set.conjuncts();
                let noun = self.noun(parts);
                let mut clauses = Vec::new();
                let mut class_said = false;
                for part in parts {
                    match part {
                        Set::Class(_) if !class_said => class_said = true,
                        part => clauses.push(self.clause(part, many, &noun)?),
                    }
                }
                // What contains another description comes last, so that it is clear what the others belong to.
                clauses.sort_by_key(|clause| clause.nested);
                Ok((noun, clauses))
            }
        }
    }

    /// A noun phrase for the members of a set.
    fn noun_phrase(&mut self, set: &Set, number: Number) -> Said<String> {
        match set {
            Set::Entity(_) | Set::Named(_) => {
                let node = self.entity(set)?;
                self.named(node)
            }
            Set::Same(mark) => {
                let noun = self.marks.iter().find(|(other, _)| other == mark).map(|(_, noun)| noun);
                Ok(format!("that same {}", noun.ok_or("a reference forwards")?))
            }
            Set::Marked(mark, inner) => {
                let noun = self.noun(inner.conjuncts());
                self.marks.push((*mark, noun.one.clone()));
                self.noun_phrase(inner, number)
            }
            Set::Values(..) => Err("values on their own"),
            _ => {
                let (noun, clauses) = self.described(set, false)?;
                let article = match number {
                    Number::One => with_article(&noun.one),
                    Number::The => format!("the {}", noun.one),
                };
                Ok(match clauses.is_empty() {
                    true => article,
                    false => {
                        format!("{article} {} {}", noun.pronoun(), with_pronoun(&clauses, noun.pronoun()))
                    }
                })
            }
        }
    }

    /// What one constraint says of the members.
    fn clause(&mut self, part: &Set, many: bool, noun: &Noun) -> Said<Clause> {
        let simple = |text: String| Clause { text, nested: false };
        Ok(match part {
            Set::Relate(relate) => match &relate.from {
                Set::Values(comparison, value) => {
                    let clause = self.value_clause(&relate.property, *comparison, value, many)?;
                    let clause = if is_past(&relate.conditions) { in_past(&clause) } else { clause };
                    simple(clause + &self.qualifiers(&relate.conditions)?)
                }
                _ => self.relation_clause(relate, many)?,
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
                Clause { text: format!("either {}", joined(&said, "or")), nested: true }
            }
            Set::Same(_) => {
                let other = self.noun_phrase(part, Number::The)?;
                simple(format!("{} {other}", if many { "are" } else { "is" }))
            }
            Set::Marked(mark, inner) => {
                self.marks.push((*mark, noun.one.clone()));
                self.clause(inner, many, noun)?
            }
            _ => return Err("a description that English has no clause for"),
        })
    }

    fn relation_clause(&mut self, relate: &Relate, many: bool) -> Said<Clause> {
        let words = self.lexicon.relations.get(&relate.property).ok_or("an unknown relation")?;
        let phrases = match relate.direction {
            Direction::Backward => &words.subject,
            Direction::Forward => &words.object,
        };
        let phrase = self.pick(phrases)?;
        let other = match &relate.from {
            // Something, whatever it is: of the class that the schema tells.
            Set::All => {
                let class = self.far_class(relate)?;
                format!("some {}", self.noun_of(class).one)
            }
            Set::Marked(mark, inner) => {
                let class = self.far_class(relate)?;
                let noun = match (&**inner, class) {
                    (Set::All, class) => self.noun_of(class),
                    (inner, class) => self.more_special(class, self.noun(inner.conjuncts())),
                };
                self.marks.push((*mark, noun.one.clone()));
                match &**inner {
                    Set::All => format!("some {}", noun.one),
                    inner => self.in_place(inner, relate)?,
                }
            }
            from => self.in_place(from, relate)?,
        };
        let mut text = with_other(agreeing(&phrase, many), &other);
        if is_past(&relate.conditions) {
            text = in_past(&text);
        }
        text += &self.qualifiers(&relate.conditions)?;
        // What refers back must stay behind what it refers to.
        let nested = !matches!(relate.from, Set::Entity(_) | Set::Named(_) | Set::All);
        Ok(Clause { text, nested })
    }

    /// The thing at the other end of a relation; if nothing tells its class, the schema does.
    fn in_place(&mut self, from: &Set, relate: &Relate) -> Said<String> {
        let described = !matches!(from, Set::Entity(_) | Set::Named(_) | Set::Same(_) | Set::Marked(..));
        let has_class = from.conjuncts().iter().any(|part| matches!(part, Set::Class(_) | Set::Or(_)));
        if !described || has_class {
            return self.noun_phrase(from, Number::One);
        }
        let class = self.far_class(relate)?;
        let (own, clauses) = self.described(from, false)?;
        let noun = self.more_special(class, own);
        let article = with_article(&noun.one);
        Ok(format!("{article} {} {}", noun.pronoun(), with_pronoun(&clauses, noun.pronoun())))
    }

    /// The class of what a relation leads to from the thing that is described.
    fn far_class(&self, relate: &Relate) -> Said<Option<ClassId>> {
        let relation = self.kb.relation(&relate.property).ok_or("an unknown relation")?;
        Ok(match relate.direction {
            Direction::Backward => self.kb.relation_range(relation),
            Direction::Forward => self.kb.relation_domain(relation),
        })
    }

    /// The more special of what both ends tell.
    fn more_special(&self, class: Option<ClassId>, own: Noun) -> Noun {
        match class {
            Some(class) if own.class.is_none_or(|own| self.kb.ancestors(class).any(|above| above == own)) => {
                self.noun_of(Some(class))
            }
            _ => own,
        }
    }

    pub(super) fn value_clause(
        &mut self,
        attribute: &str,
        comparison: Comparison,
        target: &Value,
        many: bool,
    ) -> Said<String> {
        let words = self.attribute(attribute)?;
        let literal = target.literal();
        let family = literal.kind().family();
        if family == LiteralFamily::Boolean {
            let yes = literal.as_bool() == Some(comparison == Comparison::Equal);
            return Ok(agreeing(if yes { &words.yes } else { &words.no }, many).to_owned());
        }
        let has = if many { "have" } else { "has" };
        let fill = |phrase: &str| phrase.replace("{V}", &value(&literal)).replace("{T}", &at_time(&literal));
        let noun = with_article(&words.noun);
        let is_time = family == LiteralFamily::Time;
        Ok(match comparison {
            Comparison::Equal => {
                let phrase = self.pick(&words.equal)?;
                fill(agreeing(&phrase, many))
            }
            Comparison::NotEqual => fill(&format!("{has} {noun} other than {{V}}")),
            Comparison::Less | Comparison::Greater => {
                let phrase =
                    self.pick(if comparison == Comparison::Less { &words.less } else { &words.greater })?;
                fill(agreeing(&phrase, many))
            }
            Comparison::LessOrEqual if is_time => {
                let phrase = self.pick(&words.less)?;
                fill(agreeing(&phrase, many)) + " or " + &at_time(&literal)
            }
            Comparison::GreaterOrEqual if is_time => {
                let phrase = self.pick(&words.greater)?;
                fill(agreeing(&phrase, many)) + " or " + &at_time(&literal)
            }
            Comparison::LessOrEqual => fill(&format!("{has} {noun} of at most {{V}}")),
            Comparison::GreaterOrEqual => fill(&format!("{has} {noun} of at least {{V}}")),
        })
    }

    fn qualifiers(&mut self, conditions: &[Condition]) -> Said<String> {
        let mut out = String::new();
        for condition in conditions {
            if condition.comparison != Comparison::Equal {
                return Err("a comparison of a qualifier");
            }
            let words = self.lexicon.qualifiers.get(&condition.qualifier);
            let phrase = self.pick(&words.ok_or("an unknown qualifier")?.phrase)?;
            let literal = condition.value.literal();
            out.push(' ');
            out += &phrase.replace("{V}", &value(&literal)).replace("{T}", &at_time(&literal));
        }
        Ok(out)
    }

    /// The noun for what satisfies some constraints: their class, or what the schema tells of their properties.
    fn noun(&self, parts: &[Set]) -> Noun {
        let named = parts.iter().find_map(|part| match part {
            Set::Class(id) => self.kb.class(id),
            _ => None,
        });
        let class = named.or_else(|| {
            parts.iter().find_map(|part| match part {
                Set::Relate(relate) => match (self.property(&relate.property)?, relate.direction) {
                    (Property::Relation(relation), Direction::Backward) => self.kb.relation_domain(relation),
                    (Property::Relation(relation), Direction::Forward) => self.kb.relation_range(relation),
                    (Property::Attribute(attribute), _) => self.kb.attribute_domain(attribute),
                },
                Set::Marked(_, inner) => self.noun(inner.conjuncts()).class,
                _ => None,
            })
        });
        self.noun_of(class)
    }

    fn noun_of(&self, class: Option<ClassId>) -> Noun {
        let words =
            class.and_then(|class| self.lexicon.classes.get(self.kb.node_id(self.kb.class_node(class))));
        match words {
            Some(ClassWords { one, many, person, .. }) => {
                Noun { one: one.clone(), many: many.clone(), person: *person, class }
            }
            None => Noun { one: "thing".to_owned(), many: plural("thing"), person: false, class: None },
        }
    }

    fn entity(&self, set: &Set) -> Said<NodeId> {
        match set {
            Set::Entity(id) => self.kb.node(id).ok_or("an unknown entity"),
            Set::Named(name) => {
                let mut nodes = self.kb.nodes_labelled(name);
                match (nodes.next(), nodes.next()) {
                    (Some(node), None) => Ok(node),
                    _ => Err("a name of several things"),
                }
            }
            _ => Err("no entity"),
        }
    }

    fn property(&self, word: &str) -> Option<Property> {
        let relation = self.kb.relation(word).map(Property::Relation);
        relation.or_else(|| self.kb.attribute(word).map(Property::Attribute))
    }

    fn attribute(&self, id: &str) -> Said<AttributeWords> {
        self.lexicon.attributes.get(id).cloned().ok_or("an unknown attribute")
    }
}

/// One thing, or the thing.
#[derive(Clone, Copy)]
enum Number {
    One,
    The,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Noun {
    one: String,
    many: String,
    person: bool,
    class: Option<ClassId>,
}

impl Noun {
    fn pronoun(&self) -> &'static str {
        if self.person { "who" } else { "that" }
    }
}

/// What is said of a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Clause {
    text: String,
    /// Whether it contains another description.
    nested: bool,
}

/// Verb phrases of one subject. After a description, a comma shows that the subject is the first one again.
fn together(clauses: &[Clause]) -> String {
    let nested = clauses.iter().filter(|clause| clause.nested).count();
    let texts: Vec<String> = clauses.iter().map(|clause| clause.text.clone()).collect();
    if nested > 1 { texts.join(", and ") } else { joined(&texts, "and") }
}

/// Verb phrases after a relative pronoun, which is repeated.
fn with_pronoun(clauses: &[Clause], pronoun: &str) -> String {
    let texts: Vec<&str> = clauses.iter().map(|clause| clause.text.as_str()).collect();
    texts.join(&format!(" and {pronoun} "))
}

pub(super) fn with_other(phrase: &str, other: &str) -> String {
    let (before, after) = phrase.split_once(" {X}").unwrap_or((phrase, ""));
    // "in the climate zone that same climate zone" says it twice.
    let said = before.rfind(" the ").and_then(|at| {
        let noun = &before[at + " the ".len()..];
        let again = ["a ", "an ", "the ", "some ", "that same "].iter().any(|article| {
            other
                .strip_prefix(article)
                .and_then(|rest| rest.strip_prefix(noun))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| !c.is_alphanumeric()))
        });
        again.then(|| &before[..at])
    });
    format!("{} {other}{after}", said.unwrap_or(before))
}
