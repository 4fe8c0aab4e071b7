//! Names of entities in questions, with descriptions that distinguish entities with the same name.

use super::phrases::{agreeing, mention};
use super::verbalise::{Verbalised, Verbaliser, with_other};
use crate::reject::RejectReason;
use touchstone_benchmark::english::ClassWords;
use touchstone_benchmark::english::inflect::with_article;
use touchstone_kb::{AttributeId, Comparison, LiteralId, NodeId, Property, RelationId, ValueKind};
use touchstone_logic::Value;

impl Verbaliser<'_, '_> {
    /// The name of an entity; if others share the name, with a description that applies only to this one.
    pub(super) fn named(&mut self, node: NodeId) -> Verbalised<String> {
        let kb = self.kb;
        let label = kb.label(node);
        self.entities.push(node);
        let name = mention(self.entities.len() - 1, label);
        // Where only a language can stand, "English" is the language.
        let expected = self.expected.take().filter(|&class| kb.is_member(node, class));
        let is_possible = |other: NodeId| expected.is_none_or(|class| kb.is_member(other, class));
        let others: Vec<NodeId> =
            kb.nodes_labelled(label).filter(|&other| other != node && is_possible(other)).collect();
        // This description distinguishes it from the others.
        if let Some(words) = self.class_words(node).find(|words| !words.name.is_empty()) {
            let article = with_article(label);
            let article = article.strip_suffix(label).unwrap_or_default();
            return Ok(words.name.replace("{a N}", &format!("{article}{name}")).replace("{N}", &name));
        }
        let article = self.article(node);
        if others.is_empty() {
            return Ok(format!("{article}{name}"));
        }
        let class = kb.classes_of(node).min_by_key(|&class| kb.members(class).len());
        if let Some(class) = class
            && others.iter().all(|&other| !kb.is_member(other, class))
        {
            return Ok(format!("{article}{name} (the {})", self.noun_of(Some(class)).one));
        }
        let own =
            kb.description(node).filter(|own| others.iter().all(|&other| kb.description(other) != Some(own)));
        let only_true = |verbaliser: &mut Self| {
            verbaliser.only_true_of(node, &others).map(|said| format!("the one that {said}"))
        };
        let description = match own {
            // Avoid surprising descriptions, such as Australia being a country in the region Australia and New Zealand.
            Some(description) if description.contains(label) => {
                only_true(self).unwrap_or_else(|_| format!("the {description}"))
            }
            Some(description) => format!("the {description}"),
            None => only_true(self)?,
        };
        Ok(format!("{article}{name} ({description})"))
    }

    fn class_words(&self, node: NodeId) -> impl Iterator<Item = &ClassWords> {
        let kb = self.kb;
        kb.classes_of(node).filter_map(|class| self.lexicon.classes.get(kb.node_id(kb.class_node(class))))
    }

    /// The article before a name, with a trailing space.
    fn article(&self, node: NodeId) -> &'static str {
        let kb = self.kb;
        let name = kb.label(node);
        let mut classes = self.class_words(node);
        // A single word may be an abbreviation, like NATO.
        let by_class = classes.any(|words| {
            words.article && (name.contains(' ') || matches!(words.one.as_str(), "river" | "currency"))
        });
        let has_one = name.starts_with("The ") || name.starts_with("the ");
        if (by_class || takes_article(name)) && !has_one { "the " } else { "" }
    }

    /// A fact that holds for an entity and for none of the others: the first one found.
    fn only_true_of(&mut self, node: NodeId, others: &[NodeId]) -> Verbalised<String> {
        let kb = self.kb;
        for (property, _) in kb.properties_of(node) {
            let said = match property {
                Property::Attribute(attribute) => self.value_of_its_own(node, others, attribute),
                Property::Relation(relation) => self.neighbour_of_its_own(node, others, relation),
            };
            if let Some(said) = said {
                return Ok(said);
            }
        }
        Err(RejectReason::AmbiguousName)
    }

    fn value_of_its_own(
        &mut self,
        node: NodeId,
        others: &[NodeId],
        attribute: AttributeId,
    ) -> Option<String> {
        let kb = self.kb;
        if kb.attribute_kind(attribute) != ValueKind::Time {
            return None;
        }
        let year = |literal: u32| kb.literal(LiteralId(literal)).as_time().map(|time| time.year());
        let own = kb
            .literals(node, attribute)
            .iter()
            .find_map(|&literal| year(literal))
            .filter(|year| *year > 0)?;
        let has_it =
            |other: &NodeId| kb.literals(*other, attribute).iter().any(|&literal| year(literal) == Some(own));
        if others.iter().any(has_it) {
            return None;
        }
        let value = Value::xsd(format!("{own:04}"), "gYear");
        self.value_clause(kb.attribute_id(attribute), Comparison::Equal, &value, false).ok()
    }

    fn neighbour_of_its_own(
        &mut self,
        node: NodeId,
        others: &[NodeId],
        relation: RelationId,
    ) -> Option<String> {
        let kb = self.kb;
        let has_it = |other: NodeId, object: u32| kb.objects(other, relation).binary_search(&object).is_ok();
        let is_clear = |object: u32| {
            let label = kb.label(NodeId(object));
            kb.label_literal(NodeId(object)).is_some() && kb.nodes_labelled(label).count() == 1
        };
        let own = kb.objects(node, relation).iter().copied();
        let object = own
            .into_iter()
            .find(|&object| is_clear(object) && !others.iter().any(|&other| has_it(other, object)))?;
        let words = self.lexicon.relations.get(kb.relation_id(relation))?;
        let phrase = self.pick(&words.subject).ok()?;
        let label = kb.label(NodeId(object));
        let article = self.article(NodeId(object));
        Some(with_other(agreeing(&phrase, false), &format!("{article}{label}")))
    }
}

/// Names that take the definite article.
const WITH_ARTICLE: [&str; 19] = [
    "United States",
    "United Kingdom",
    "United Arab Emirates",
    "United Nations",
    "Netherlands",
    "Philippines",
    "Bahamas",
    "Maldives",
    "Gambia",
    "Soviet Union",
    "European Union",
    "Caribbean",
    "Comoros",
    "Capital Region",
    "Rock of Gibraltar",
    "British Indian Ocean Territory",
    "Turks and Caicos Islands",
    "peace movement",
    "Quad",
];

/// Endings of names that take the definite article.
const ENDINGS_WITH_ARTICLE: [&str; 34] = [
    " Islands",
    " Republic",
    " River",
    " Sea",
    " Ocean",
    " Party",
    " election",
    " Desert",
    " Fund",
    " Office",
    " Bureau",
    " Forces",
    " Force",
    " Corporation",
    " Institute",
    " Agency",
    " Organization",
    " Organisation",
    " Commission",
    " Committee",
    " Council",
    " Association",
    " Academy",
    " Society",
    " Foundation",
    " Laboratory",
    " Territories",
    " Netherlands",
    " Gulf",
    " Isles",
    " Hospital",
    " Depression",
    " Lagoon",
    " Reservoir",
];

/// Beginnings of names that take the definite article.
const BEGINNINGS_WITH_ARTICLE: [&str; 15] = [
    "Republic of ",
    "Democratic Republic",
    "Nobel ",
    "University of ",
    "Institute of ",
    "Institute for ",
    "National Institute",
    "International ",
    "Office of ",
    "Isle of ",
    "Gulf of ",
    "Pugwash Conferences",
    "League of ",
    "Intergovernmental ",
    "Max-Planck-Institut ",
];

/// Words inside names that take the definite article.
const PARTS_WITH_ARTICLE: [&str; 7] = [
    " Institute of ",
    " Institute for ",
    " Office for ",
    " Organization for ",
    " Panel on ",
    " Amendment to ",
    "-class ",
];

/// Names of countries and similar names that take the definite article.
pub(super) fn takes_article(name: &str) -> bool {
    // "Heard Island and McDonald Islands" takes none, and neither does "Tom's Birthday Party".
    let head = name.split(", ").next().unwrap_or(name);
    ENDINGS_WITH_ARTICLE.iter().any(|end| head.ends_with(end))
        && !name.contains(" and ")
        && !name.contains("'s ")
        || BEGINNINGS_WITH_ARTICLE.iter().any(|begin| name.starts_with(begin))
            && !name.starts_with("International Physicians")
        || PARTS_WITH_ARTICLE.iter().any(|inside| name.contains(inside))
        || name.ends_with(" Children's Fund")
        || election_in_place(name)
        || WITH_ARTICLE.contains(&name)
}

/// Names that are plurals: "the Cayman Islands have".
pub(super) fn is_plural_name(name: &str) -> bool {
    [" Islands", " Territories", " Isles", " Forces"].iter().any(|end| name.ends_with(end))
        || name.starts_with("Pugwash Conferences")
}

/// For example "2008 United States Senate election in Louisiana".
fn election_in_place(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit()) && name.contains(" election in ")
}
