//! The other end of a relation: a name, a description in the singular or the plural, or a possessive.

use super::direct::only_relation;
use super::phrases::{finish, is_bare_name, with_article};
use super::verbalise::{HEAVY, Number, Verbalised, Verbaliser, is_name};
use touchstone_kb::Property;
use touchstone_logic::{Direction, Relate, Set};

/// Roles that a thing has for its owner only: "Chad's capital".
const OWNED: [&str; 6] =
    ["capital", "head of state", "head of government", "highest point", "lowest point", "parent committee"];

/// Number of ends of a relation to look at for one with several others.
const EXAMPLES: usize = 50;

impl Verbaliser<'_, '_> {
    /// The thing at the other end of a relation, of any kind, and whether it is in the plural.
    pub(super) fn other_end(&mut self, relate: &Relate) -> Verbalised<(String, bool)> {
        Ok(match &relate.from {
            // Any member of the class that the schema gives for it.
            Set::All => {
                let class = self.far_class(relate)?;
                (format!("some {}", self.noun_of(class).one), false)
            }
            Set::Marked(mark, inner) => {
                let class = self.far_class(relate)?;
                let noun = match (&**inner, class) {
                    (Set::All, class) => self.noun_of(class),
                    (inner, class) => self.more_special(class, self.noun(inner.conjuncts())),
                };
                self.marks.push((*mark, noun.one.clone()));
                match &**inner {
                    Set::All => (format!("some {}", noun.one), false),
                    // What refers back to it is in the singular.
                    inner => self.in_place(inner, relate, false)?,
                }
            }
            from => {
                self.expected = if is_name(from) { self.far_class(relate)? } else { None };
                self.in_place(from, relate, true)?
            }
        })
    }

    /// The thing at the other end of a relation, and whether it is in the plural; if the query does not name its class, the class in the schema.
    fn in_place(&mut self, from: &Set, relate: &Relate, may_be_many: bool) -> Verbalised<(String, bool)> {
        let described = !matches!(from, Set::Entity(_) | Set::Named(_) | Set::Same(_) | Set::Marked(..));
        let has_class = from.conjuncts().iter().any(|part| matches!(part, Set::Class(_) | Set::Or(_)));
        let class = self.far_class(relate)?;
        if described && let Some(reference) = self.introduced(from, class)? {
            return Ok((reference, false));
        }
        // A class alone has many members.
        let is_alone = matches!(from, Set::Class(_) | Set::Or(_));
        if !described || is_alone {
            return Ok((self.noun_phrase(from, Number::One)?, false));
        }
        let own = self.noun(from.conjuncts());
        let noun = if has_class { own } else { self.more_special(class, own) };
        let (narrower, is_unique) = self.narrowed(noun.clone(), from);
        let noun = if has_class { noun } else { narrower };
        if is_unique && let Some(owned) = self.owned(from)? {
            return Ok((owned, false));
        }
        // "the countries where X was born" would say that there are several.
        let has_several = || self.members_of(from).is_none_or(|members| members.len() > 1);
        let may_be_many = may_be_many && !is_unique && self.takes_several(relate) && has_several();
        let many = may_be_many && self.random.percent(60);
        let (_, clauses) = self.described(from, many)?;
        let described = self.nominal_within(&noun, clauses, many);
        let text = match (is_unique, many) {
            (true, _) => format!("the {described}"),
            (false, true) => described,
            (false, false) => with_article(&described),
        };
        Ok((text, many))
    }

    /// Whether a description at the other end of a relation may be in the plural: "rivers that flow through countries in Asia". Not where each
    /// thing has one only: "the city that is the capital of countries in Asia".
    fn takes_several(&self, relate: &Relate) -> bool {
        let Some(relation) = self.kb.relation(&relate.property) else { return false };
        let words = self.lexicon.relations.get(relate.property.as_str());
        let phrases = words.map(|words| match relate.direction {
            Direction::Backward => &words.subject,
            Direction::Forward => &words.object,
        });
        // A phrase with a singular noun for the other end needs a singular.
        let is_open = phrases.is_some_and(|phrases| phrases.iter().any(|phrase| !is_singular(phrase)));
        is_open
            && match relate.direction {
                Direction::Backward => {
                    let mut subjects = self.kb.subjects_with(Property::Relation(relation)).take(EXAMPLES);
                    subjects.any(|subject| self.kb.objects(subject, relation).len() > 1)
                }
                Direction::Forward => {
                    let mut objects = self.kb.objects_with(relation).take(EXAMPLES);
                    objects.any(|object| self.kb.subjects(relation, object).len() > 1)
                }
            }
    }

    /// `Chad's capital` for the city that is the capital of Chad, sometimes.
    fn owned(&mut self, from: &Set) -> Verbalised<Option<String>> {
        let Some(relate) = only_relation(from.conjuncts()) else { return Ok(None) };
        let words = self.relation_words(&relate.property)?;
        let own = self.noun(from.conjuncts());
        let is_role = relate.direction == Direction::Forward
            && !words.noun.contains(&own.one)
            && !own.one.contains(&words.noun)
            && OWNED.contains(&words.noun.as_str());
        if !is_role || !self.random.percent(60) {
            return Ok(None);
        }
        self.expected = self.far_class(relate)?;
        let owner = self.noun_phrase(&relate.from, Number::The)?;
        let noun = &words.noun;
        Ok(Some(match is_bare_name(&owner) && !finish(&owner).0.ends_with('s') && self.random.percent(70) {
            true => format!("{owner}'s {noun}"),
            false => format!("the {noun} of {owner}"),
        }))
    }
}

/// Whether a phrase gives the other end a singular noun.
pub(super) fn is_singular(phrase: &str) -> bool {
    // "the sea that is the lowest point of countries in Asia"
    let is_role = ["is the ", "was the ", "serves as the "].iter().any(|start| phrase.starts_with(start));
    is_role || phrase.contains("{X}") || HEAVY.iter().any(|part| phrase.contains(part))
}
