//! Schema items, templates, and the level of a question relative to a training set.

pub use crate::level_counts::{LevelCounts, LevelRow, LevelSummary, NoLevel, QuestionLevel};

use crate::equal::Canonical;
use crate::query::{Ask, Query, Set};
use crate::sparql::{Namespaces, StatementTerm, Statements};
use crate::value::Symbol;
use crate::vocabulary::Vocabulary;
use hashbrown::HashSet;
use std::collections::BTreeSet;
use std::fmt;

/// The classes and properties that a query uses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SchemaItems {
    /// Classes.
    pub classes: BTreeSet<Symbol>,
    /// Relations and attributes, in either direction.
    pub properties: BTreeSet<Symbol>,
    /// Qualifier keys.
    pub qualifiers: BTreeSet<Symbol>,
}

impl SchemaItems {
    /// The schema items of a query.
    pub fn of(query: &Query) -> SchemaItems {
        let mut items = SchemaItems::default();
        let mut add = |property: &Symbol, qualifiers: &mut dyn Iterator<Item = &Symbol>| {
            items.properties.insert(property.clone());
            items.qualifiers.extend(qualifiers.cloned());
        };
        match &query.answer {
            Ask::Attribute { attribute, conditions, .. } | Ask::Verify { attribute, conditions, .. } => {
                add(attribute, &mut conditions.iter().map(|condition| &condition.qualifier));
            }
            Ask::AttributeQualifier { attribute, qualifier, .. } => {
                add(attribute, &mut std::iter::once(qualifier))
            }
            Ask::RelationQualifier { relation, qualifier, .. } => {
                add(relation, &mut std::iter::once(qualifier))
            }
            Ask::SelectBetween { attribute, .. } | Ask::SelectAmong { attribute, .. } => {
                add(attribute, &mut std::iter::empty());
            }
            Ask::Members(_) | Ask::Count(_) | Ask::Exists(_) | Ask::Relation { .. } => {}
        }
        query.sets(&mut |set| items.add(set));
        items
    }

    /// The schema items of a SPARQL query: the properties of its patterns, and the classes that they name.
    pub fn of_sparql(query: &spargebra::Query, names: &Namespaces) -> SchemaItems {
        let mut items = SchemaItems::default();
        let Statements { patterns, properties, .. } = Statements::of(query);
        items.properties =
            properties.iter().filter(|p| !names.is_type(p)).map(|p| names.property(p).into()).collect();
        for [_, predicate, object] in &patterns {
            if let (StatementTerm::Fixed(predicate), StatementTerm::Fixed(class)) = (predicate, object)
                && names.is_type(predicate)
            {
                items.classes.insert(names.node(class).into());
            }
        }
        items
    }

    fn add(&mut self, set: &Set) {
        match set {
            Set::Class(class) => {
                self.classes.insert(class.clone());
            }
            Set::Relate(relate) => {
                self.properties.insert(relate.property.clone());
                self.qualifiers.extend(relate.conditions.iter().map(|condition| condition.qualifier.clone()));
            }
            Set::Superlative(superlative) => {
                self.properties.extend(superlative.path.iter().map(|step| step.property.clone()));
            }
            Set::During(period) => {
                self.properties.insert(period.start.clone());
                self.properties.insert(period.end.clone());
            }
            _ => {}
        }
        set.children(&mut |child| self.add(child));
    }
}

/// The level of a question relative to a training set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Its template occurs in training.
    Iid,
    /// Its schema items occur in training, its template does not.
    Compositional,
    /// Some of its schema items do not occur in training.
    ZeroShot,
}

impl Level {
    /// All of them.
    pub const ALL: [Level; 3] = [Level::Iid, Level::Compositional, Level::ZeroShot];

    /// The spelling in GrailQA's files.
    pub fn name(self) -> &'static str {
        match self {
            Level::Iid => "i.i.d.",
            Level::Compositional => "compositional",
            Level::ZeroShot => "zero-shot",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The schema items and templates of a training set.
#[derive(Debug, Default)]
pub struct Training {
    items: HashSet<String>,
    templates: HashSet<String>,
}

/// The level of a question, with its schema items that are not in training (#Z is their number).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The level.
    pub level: Level,
    /// The unseen classes, properties and qualifier keys.
    pub unseen: Vec<String>,
}

/// What [`Training`] keeps of one question. Making it is the expensive part and depends only on the question.
#[derive(Debug, Clone)]
pub struct Traits {
    /// Each item, as compared and as shown.
    items: Vec<(String, Symbol)>,
    template: String,
}

impl Traits {
    /// The schema items and template of a question. Templates are compared up to inverse relations; with the inverse rule of GrailQA++, a
    /// relation also counts as seen if its inverse was seen.
    pub fn of(query: &Query, inverses: &dyn Vocabulary, inverse_rule: bool) -> Traits {
        let template = Canonical::template(query, inverses).key().to_owned();
        Traits::new(SchemaItems::of(query), template, inverses, inverse_rule)
    }

    /// The same for a question whose schema items and template are known.
    pub fn new(
        items: SchemaItems,
        template: String,
        inverses: &dyn Vocabulary,
        inverse_rule: bool,
    ) -> Traits {
        let SchemaItems { classes, properties, qualifiers } = items;
        let property = |name: Symbol| {
            let inverse = if inverse_rule { inverses.inverse(&name) } else { None };
            let seen_as = inverse.filter(|&inverse| inverse < name.as_str()).unwrap_or(&name);
            (format!("property {seen_as}"), name)
        };
        let classes = classes.into_iter().map(|name| (format!("class {name}"), name));
        let qualifiers = qualifiers.into_iter().map(|name| (format!("qualifier {name}"), name));
        let items = classes.chain(properties.into_iter().map(property)).chain(qualifiers).collect();
        Traits { items, template }
    }
}

impl Training {
    /// Adds a training question.
    pub fn add(&mut self, traits: Traits) {
        self.items.extend(traits.items.into_iter().map(|(key, _)| key));
        self.templates.insert(traits.template);
    }

    /// The level of a question.
    pub fn judge(&self, traits: &Traits) -> Judgement {
        let unseen: Vec<String> = traits
            .items
            .iter()
            .filter(|(key, _)| !self.items.contains(key))
            .map(|(_, name)| name.to_string())
            .collect();
        let level = if !unseen.is_empty() {
            Level::ZeroShot
        } else if self.templates.contains(&traits.template) {
            Level::Iid
        } else {
            Level::Compositional
        };
        Judgement { level, unseen }
    }

    /// The number of distinct schema items.
    pub(crate) fn item_count(&self) -> usize {
        self.items.len()
    }

    /// The number of distinct templates.
    pub fn template_count(&self) -> usize {
        self.templates.len()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sexpr::Form;
    use crate::vocabulary::Spelling;

    struct Pairs;

    impl Vocabulary for Pairs {
        fn inverse(&self, relation: &str) -> Option<&str> {
            match relation {
                "a.b" => Some("b.a"),
                "b.a" => Some("a.b"),
                _ => None,
            }
        }
    }

    fn query(text: &str) -> Query {
        Form::parse(text, &Spelling).unwrap().to_query().unwrap()
    }

    fn judged(inverse_rule: bool, text: &str) -> (Level, usize) {
        let mut training = Training::default();
        for text in [
            "(AND x (JOIN a.b m.1))",
            "(AND y (JOIN c.d m.1))",
            "(AND x (AND (JOIN a.b m.1) (lt e.f 3^^xsd:integer)))",
        ] {
            training.add(Traits::of(&query(text), &Pairs, inverse_rule));
        }
        let judgement = training.judge(&Traits::of(&query(text), &Pairs, inverse_rule));
        (judgement.level, judgement.unseen.len())
    }

    #[test]
    fn levels_follow_items_and_templates() {
        assert_eq!(judged(false, "(AND x (JOIN a.b m.2))"), (Level::Iid, 0));
        assert_eq!(
            judged(false, "(AND x (AND (lt e.f 9^^xsd:integer) (JOIN a.b m.7)))"),
            (Level::Iid, 0),
            "order does not matter"
        );
        assert_eq!(judged(false, "(AND x (JOIN c.d m.2))"), (Level::Compositional, 0));
        assert_eq!(judged(false, "(COUNT (AND x (JOIN a.b m.2)))"), (Level::Compositional, 0));
        assert_eq!(judged(false, "(AND z (JOIN k.h m.2))"), (Level::ZeroShot, 2));
    }

    #[test]
    fn with_the_inverse_rule_an_inverse_counts_as_seen() {
        assert_eq!(judged(false, "(AND x (JOIN (R b.a) m.2))"), (Level::ZeroShot, 1));
        assert_eq!(judged(true, "(AND x (JOIN (R b.a) m.2))"), (Level::Iid, 0));
    }
}
