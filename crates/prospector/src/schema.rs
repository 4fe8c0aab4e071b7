//! What the classes and properties of a KB are called.

use crate::text::{label_stems, words};
use hashbrown::{HashMap, HashSet};
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::english::inflect::plural;
use touchstone_kb::{AttributeId, ClassId, FactId, Kb, LiteralId, NodeId, Property, RelationId, ValueKind};

/// The names of a schema item: for a relation those of each direction.
#[derive(Debug, Clone, Default)]
pub(crate) struct ItemNames {
    /// The stems of each name.
    pub(crate) names: Vec<Vec<String>>,
}

impl ItemNames {
    fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> ItemNames {
        ItemNames { names: names.into_iter().map(label_stems).filter(|stems| !stems.is_empty()).collect() }
    }

    /// Adds phrases of a lexicon by their words; what stands in braces is left out, and so are phrases that only connect.
    fn add<'n>(&mut self, phrases: impl IntoIterator<Item = &'n String>) {
        for phrase in phrases {
            let singular = phrase.split('|').next().unwrap_or_default();
            let content: Vec<String> = words(&without_places(singular))
                .into_iter()
                .filter(|word| !word.is_plain)
                .map(|word| word.stem)
                .collect();
            if !content.is_empty() && !self.names.contains(&content) {
                self.names.push(content);
            }
        }
    }
}

/// A phrase without its places: "directed by {X}" is "directed by ".
fn without_places(phrase: &str) -> String {
    let mut text = String::new();
    for part in phrase.split('{') {
        text.push_str(part.split_once('}').map_or(part, |(_, rest)| rest));
        text.push(' ');
    }
    text
}

/// The names of the schema of a KB, and where its texts are values.
pub(crate) struct SchemaNames<'k> {
    pub(crate) kb: &'k Kb,
    pub(crate) relations: Vec<ItemNames>,
    /// Names of relations from objects to subjects.
    pub(crate) inverses: Vec<ItemNames>,
    pub(crate) attributes: Vec<ItemNames>,
    pub(crate) classes: Vec<ItemNames>,
    pub(crate) qualifiers: Vec<ItemNames>,
    /// Whether some fact of a relation, and after the relations of an attribute, has qualifiers.
    pub(crate) is_qualified: Vec<bool>,
    /// Classes by the stems of their names, separated by spaces.
    class_names: HashMap<String, Vec<ClassId>>,
    /// The attributes that have a text as a value.
    texts: HashMap<LiteralId, Vec<AttributeId>>,
    /// Ids of relations and attributes that are treated as if the KB did not have them.
    hidden: HashSet<String>,
}

impl<'k> SchemaNames<'k> {
    /// Reads the names of a KB.
    pub(crate) fn new(kb: &'k Kb) -> SchemaNames<'k> {
        let relation = |id: RelationId| ItemNames::of([kb.relation_label(id)]);
        let inverse = |id: RelationId| {
            let own = kb.relation_inverse_label(id).map(|label| kb.literal_text(label));
            let other = kb.relation_inverse(id).map(|other| kb.relation_label(other));
            ItemNames::of(own.into_iter().chain(other))
        };
        let class = |id: ClassId| ItemNames::of([kb.label(kb.class_node(id))]);
        let mut class_names: HashMap<String, Vec<ClassId>> = HashMap::new();
        for id in kb.classes() {
            let node = kb.class_node(id);
            let label = kb.label(node);
            let aliases = kb.aliases(node).map(|alias| kb.literal_text(alias).to_owned());
            for name in aliases.chain([label.to_owned(), plural(label)]) {
                let key = label_stems(&name).join(" ");
                let classes = class_names.entry(key).or_default();
                if !classes.contains(&id) {
                    classes.push(id);
                }
            }
        }
        let mut texts: HashMap<LiteralId, Vec<AttributeId>> = HashMap::new();
        for attribute in kb.attributes().filter(|&id| kb.attribute_kind(id) == ValueKind::Text) {
            let facts = kb.facts_by_value(attribute);
            for at in 0..facts.len() {
                let attributes = texts.entry(facts.value(at)).or_default();
                if attributes.last() != Some(&attribute) {
                    attributes.push(attribute);
                }
            }
        }
        let mut is_qualified = vec![false; kb.n_relations() + kb.n_attributes()];
        for fact in kb.qualified_facts().iter().filter_map(|&id| kb.fact(FactId(id))) {
            let at = match fact.property {
                Property::Relation(relation) => relation.index(),
                Property::Attribute(attribute) => kb.n_relations() + attribute.index(),
            };
            is_qualified[at] = true;
        }
        SchemaNames {
            kb,
            is_qualified,
            relations: kb.relations().map(relation).collect(),
            inverses: kb.relations().map(inverse).collect(),
            attributes: kb.attributes().map(|id| ItemNames::of([kb.attribute_label(id)])).collect(),
            classes: kb.classes().map(class).collect(),
            qualifiers: kb.qualifier_keys().map(|id| ItemNames::of([kb.qualifier_label(id)])).collect(),
            class_names,
            texts,
            hidden: HashSet::new(),
        }
    }

    /// Treats these relations and attributes as if the KB did not have them, and no others.
    pub(crate) fn hide(&mut self, ids: HashSet<String>) {
        self.hidden = ids;
    }

    /// Whether a relation or an attribute is not hidden.
    pub(crate) fn is_visible(&self, property: Property) -> bool {
        let id = |property| match property {
            Property::Relation(relation) => self.kb.relation_id(relation),
            Property::Attribute(attribute) => self.kb.attribute_id(attribute),
        };
        self.hidden.is_empty() || !self.hidden.contains(id(property))
    }

    /// The relations that lead from a node, and its attributes.
    pub(crate) fn properties_of(&self, node: NodeId) -> impl Iterator<Item = (Property, &'k [u32])> + '_ {
        self.kb.properties_of(node).filter(|&(property, _)| self.is_visible(property))
    }

    /// The attributes whose values are of a kind.
    pub(crate) fn attributes_of_kind(&self, kind: ValueKind) -> impl Iterator<Item = AttributeId> + '_ {
        let is_kind = move |&id: &AttributeId| self.kb.attribute_kind(id) == kind;
        self.kb.attributes().filter(is_kind).filter(|&id| self.is_visible(Property::Attribute(id)))
    }

    /// Adds the phrases of a lexicon to the names.
    pub(crate) fn add_lexicon(&mut self, lexicon: &Lexicon) {
        let kb = self.kb;
        for (id, words) in
            kb.relations().filter_map(|id| Some((id, lexicon.relations.get(kb.relation_id(id))?)))
        {
            // The object does what leads from the subject to it.
            let forward = &mut self.relations[id.index()];
            forward.add(words.object.iter().chain(&words.object_after).chain([&words.noun]));
            let backward = &mut self.inverses[id.index()];
            backward.add(words.subject.iter().chain(&words.subject_after).chain([&words.inverse_noun]));
        }
        for (id, words) in
            kb.attributes().filter_map(|id| Some((id, lexicon.attributes.get(kb.attribute_id(id))?)))
        {
            let phrases =
                [&words.ask, &words.equal, &words.less, &words.greater, &words.largest, &words.smallest];
            let single = [&words.noun, &words.yes, &words.largest_before, &words.smallest_before];
            let between = [&words.between_greater, &words.between_less];
            let names = &mut self.attributes[id.index()];
            names.add(phrases.into_iter().flatten().chain(single).chain(between));
        }
        for (id, words) in
            kb.qualifier_keys().filter_map(|id| Some((id, lexicon.qualifiers.get(kb.qualifier_id(id))?)))
        {
            self.qualifiers[id.index()].add(words.phrase.iter().chain([&words.noun]));
        }
        for (id, words) in
            kb.classes().filter_map(|id| Some((id, lexicon.classes.get(kb.node_id(kb.class_node(id)))?)))
        {
            for name in [&words.one, &words.many] {
                let classes = self.class_names.entry(label_stems(name).join(" ")).or_default();
                if !classes.contains(&id) {
                    classes.push(id);
                }
            }
        }
    }

    /// The classes with these stems as their name.
    pub(crate) fn classes_named(&self, stems: &str) -> &[ClassId] {
        self.class_names.get(stems).map_or(&[], Vec::as_slice)
    }

    /// The attributes that have a text as a value.
    pub(crate) fn attributes_with(&self, text: LiteralId) -> &[AttributeId] {
        self.texts.get(&text).map_or(&[], Vec::as_slice)
    }
}
