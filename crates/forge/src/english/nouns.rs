//! Nouns for things, by their class or by their description.

use super::verbalise::{Verbalised, Verbaliser};
use crate::reject::RejectReason;
use touchstone_benchmark::english::ClassWords;
use touchstone_benchmark::english::inflect::plural;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::plan::Plan;
use touchstone_engine::{Found, embedded};
use touchstone_kb::{ClassId, Completeness, NodeId, Property};
use touchstone_logic::{Ask, Direction, Query, Set, Step};

/// Budget for finding the members of a description; beyond it, nothing is assumed about them.
const OPERATIONS: u64 = 4_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Noun {
    pub(super) one: String,
    pub(super) many: String,
    pub(super) person: bool,
    pub(super) class: Option<ClassId>,
}

impl Noun {
    /// Whether a word is one of the noun's content words, in the singular or the plural.
    pub(super) fn has_word(&self, word: &str) -> bool {
        word.len() > 3
            && self.one.split(' ').chain(self.many.split(' ')).any(|own| own.len() > 3 && own == word)
    }

    pub(super) fn pronoun(&self) -> &'static str {
        if self.person { "who" } else { "that" }
    }
}

impl Verbaliser<'_, '_> {
    /// The more specific of the two classes that the ends of a relation imply.
    pub(super) fn more_special(&self, class: Option<ClassId>, own: Noun) -> Noun {
        match class {
            Some(class) if own.class.is_none_or(|own| self.kb.ancestors(class).any(|above| above == own)) => {
                self.noun_of(Some(class))
            }
            _ => own,
        }
    }

    /// The members of a described set, if they are quickly found.
    pub(super) fn members_of(&self, set: &Set) -> Option<Vec<u32>> {
        let plan = Plan::of(&Query::new(Ask::Members(set.clone())), self.known).ok()?;
        let budget = Budget::new(Limits { operations: OPERATIONS, ..Limits::default() });
        match embedded::run(self.kb, &plan, &budget).ok()? {
            Found::Things { nodes, literals } if literals.is_empty() => Some(nodes.into_owned()),
            _ => None,
        }
    }

    /// A better noun for a described set, and whether the set has one member. For `country or territory`, and where the schema has no class for
    /// the ends of a relation, it is the noun of the smallest class that holds all members.
    pub(super) fn narrowed(&self, noun: Noun, set: &Set) -> (Noun, bool) {
        let Some(nodes) = self.members_of(set) else { return (noun, false) };
        let is_unique = nodes.len() == 1 && self.is_complete(set);
        let is_wide = noun.class.is_none() || noun.one.contains(" or ") || noun.one == "place";
        let Some(&first) = nodes.first().filter(|_| is_wide) else { return (noun, is_unique) };
        let holds_all = |class: &ClassId| {
            let members = self.kb.members(*class);
            nodes.iter().all(|node| members.binary_search(node).is_ok())
        };
        let own = self.kb.classes_of(NodeId(first));
        // Without a class in the schema, the data decide.
        let is_below = |own: &ClassId| {
            noun.class.is_none_or(|class| self.kb.ancestors(*own).any(|above| above == class))
        };
        let below = own.filter(is_below).filter(holds_all);
        match below.min_by_key(|&class| (self.kb.members(class).len(), class)) {
            Some(narrower) => (self.noun_of(Some(narrower)), is_unique),
            None => (noun, is_unique),
        }
    }

    /// Whether the KB has all facts that describe a set: otherwise one member of the KB may be one of several in the world.
    fn is_complete(&self, set: &Set) -> bool {
        set.conjuncts().iter().all(|part| match part {
            Set::Relate(relate) => {
                let coverage = self.property(&relate.property).and_then(|p| self.kb.property_coverage(p));
                coverage.is_none_or(|coverage| coverage.completeness == Completeness::Complete)
                    && self.is_complete(&relate.from)
            }
            _ => true,
        })
    }

    /// The noun for things that satisfy some constraints: their class, or the class that the schema gives for their properties.
    pub(super) fn noun(&self, parts: &[Set]) -> Noun {
        let named = parts.iter().find_map(|part| match part {
            Set::Class(id) => self.kb.class(id),
            _ => None,
        });
        let class =
            named.or_else(|| {
                let classes = parts.iter().filter_map(|part| match part {
                    Set::Relate(relate) => self.class_of_end(&relate.property, relate.direction),
                    Set::Marked(_, inner) => self.noun(inner.conjuncts()).class,
                    _ => None,
                });
                // The most specific of the compatible ones.
                classes.reduce(|found, other| {
                    if self.kb.ancestors(other).any(|above| above == found) { other } else { found }
                })
            });
        match class {
            Some(class) => self.noun_of(Some(class)),
            None => self.noun_of_relation(parts),
        }
    }

    /// The noun of a relation for what it leads to, where nothing gives a class: the ability of a Pokemon.
    fn noun_of_relation(&self, parts: &[Set]) -> Noun {
        let words = parts.iter().find_map(|part| match part {
            Set::Relate(relate) if relate.direction == Direction::Forward => {
                self.lexicon.relations.get(relate.property.as_str())
            }
            _ => None,
        });
        match words.filter(|words| !words.subject_after.is_empty()) {
            Some(words) => Noun { one: words.noun.clone(), many: plural(&words.noun), ..self.noun_of(None) },
            None => self.noun_of(None),
        }
    }

    /// The class of the things that a step along a property describes.
    pub(super) fn class_of_end(&self, property: &str, direction: Direction) -> Option<ClassId> {
        match (self.property(property)?, direction) {
            (Property::Relation(relation), Direction::Backward) => self.kb.relation_domain(relation),
            (Property::Relation(relation), Direction::Forward) => self.kb.relation_range(relation),
            (Property::Attribute(attribute), _) => self.kb.attribute_domain(attribute),
        }
    }

    /// The class of the things that a step of a path starts from.
    pub(super) fn class_of_start(&self, step: &Step) -> Option<ClassId> {
        self.class_of_end(&step.property, step.direction.flipped())
    }

    /// The noun for two things: the smallest class that both are in.
    pub(super) fn noun_of_both(&self, left: &Set, right: &Set) -> Verbalised<Noun> {
        let classes = |set: &Set| -> Verbalised<Vec<ClassId>> {
            let own: Vec<ClassId> = match set {
                Set::Entity(_) | Set::Named(_) => self.kb.classes_of(self.entity(set)?).collect(),
                set => self.noun(set.conjuncts()).class.into_iter().collect(),
            };
            let above = own.iter().flat_map(|&class| self.kb.ancestors(class));
            Ok(own.iter().copied().chain(above).collect())
        };
        let (left, right) = (classes(left)?, classes(right)?);
        let shared = left.into_iter().filter(|class| right.contains(class));
        let smallest = shared.min_by_key(|&class| (self.kb.members(class).len(), class));
        smallest.map(|class| self.noun_of(Some(class))).ok_or(RejectReason::DifferentKinds)
    }

    pub(super) fn noun_of(&self, class: Option<ClassId>) -> Noun {
        let words =
            class.and_then(|class| self.lexicon.classes.get(self.kb.node_id(self.kb.class_node(class))));
        match words {
            Some(ClassWords { one, many, person, .. }) => {
                Noun { one: one.clone(), many: many.clone(), person: *person, class }
            }
            None => Noun { one: "thing".to_owned(), many: plural("thing"), person: false, class: None },
        }
    }
}
