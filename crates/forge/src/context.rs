//! The KB as samplers see it: what may be asked about, and which names can be used in English.

use std::sync::OnceLock;
use touchstone_benchmark::english::readable;
use touchstone_engine::budget::{Budget, Limits};
use touchstone_engine::plan::Plan;
use touchstone_engine::{Found, Words, embedded};
use touchstone_kb::{
    AttributeId, ClassId, Completeness, FactId, Kb, NodeId, Property, RelationId, ValueKind,
};
use touchstone_logic::{Direction, Query, Set};

/// A KB with the filters of a recipe.
pub struct SamplingContext<'k> {
    /// Looks up names.
    pub words: Words<'k>,
    /// By relation and by attribute: whether it may be asked about.
    allowed: (Vec<bool>, Vec<bool>),
    /// By node: whether its name can be used in English. Precomputed, because sampling checks it constantly.
    speakable: Vec<bool>,
    /// By node: number of outgoing pairs of relation and direction, up to 255.
    degrees: Vec<u8>,
    /// By class: maximum number of pairs of relation and direction over its direct members.
    class_degrees: Vec<u8>,
    qualified: OnceLock<Qualified>,
    /// Classes with enough members.
    pub(crate) classes: Vec<ClassId>,
}

/// By class: its direct members that have facts with qualifiers.
#[derive(Default)]
pub(crate) struct Qualified {
    /// Members with qualified facts of attributes.
    pub(crate) attributes: Vec<Vec<u32>>,
    /// Members with qualified facts of relations.
    pub(crate) relations: Vec<Vec<u32>>,
}

/// An edge that leaves an entity: a relation, its direction and the neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SchemaEdge {
    /// The relation.
    pub(crate) relation: RelationId,
    /// `Forward`: the entity is the subject.
    pub(crate) direction: Direction,
    /// The neighbour.
    pub(crate) other: NodeId,
}

/// Budget of a query; a query that exceeds it is rejected.
const OPERATIONS: u64 = 8_000;

/// Properties that are not worth asking about, by their ids or labels: identifiers and links.
const USUALLY_ILLEGAL: [&str; 8] =
    [" id", "identifier", "url", "website", "image", "commons category", "code", "logo"];

/// How the ids of properties begin that are about the KB itself: Freebase's own domains, and the vocabularies of ontologies.
const BOOKKEEPING: [&str; 11] = [
    "freebase.",
    "type.",
    "common.",
    "user.",
    "kg.",
    "dataworld.",
    "pipeline.",
    touchstone_kb::OWL,
    touchstone_kb::RDF,
    touchstone_kb::RDFS,
    touchstone_kb::SKOS,
];

impl<'k> SamplingContext<'k> {
    /// The same without the properties that the KB has only a sample of; `None` if it has all of each.
    pub(crate) fn complete(&self) -> Option<SamplingContext<'k>> {
        let kb = self.kb();
        let has_all = |property: Property| {
            kb.property_coverage(property).is_none_or(|known| known.completeness != Completeness::Sample)
        };
        let allowed: (Vec<bool>, Vec<bool>) = (
            kb.relations().map(Property::Relation).map(|p| self.allows(p) && has_all(p)).collect(),
            kb.attributes().map(Property::Attribute).map(|p| self.allows(p) && has_all(p)).collect(),
        );
        (allowed != self.allowed).then(|| SamplingContext::with(kb, allowed, self.speakable.clone()))
    }

    /// A KB without the properties that a recipe excludes, by id or label. `None`: identifiers, codes and links are excluded.
    pub fn new(kb: &'k Kb, illegal: Option<&[String]>) -> SamplingContext<'k> {
        let is_illegal = |property: &Property| {
            let (id, label) = (kb.property_id(*property), kb.property_label(*property));
            match illegal {
                Some(list) => list.iter().any(|word| word == id || word == label),
                None => {
                    let label = format!(" {}", readable(label).to_lowercase());
                    USUALLY_ILLEGAL.iter().any(|end| label.ends_with(end))
                        || BOOKKEEPING.iter().any(|start| id.starts_with(start))
                }
            }
        };
        let speakable = |node: NodeId| kb.label_literal(node).is_some() && is_speakable(kb.label(node));
        let allowed: (Vec<bool>, Vec<bool>) = (
            kb.relations().map(|relation| !is_illegal(&Property::Relation(relation))).collect(),
            kb.attributes()
                .map(|attribute| {
                    let is_listed = illegal.is_some();
                    !is_illegal(&Property::Attribute(attribute))
                        && !is_name(kb, attribute)
                        && (is_listed || !is_unfit(kb, attribute) && !is_constant(kb, attribute))
                })
                .collect(),
        );
        SamplingContext::with(kb, allowed, kb.nodes().map(speakable).collect())
    }

    fn with(kb: &'k Kb, allowed: (Vec<bool>, Vec<bool>), speakable: Vec<bool>) -> SamplingContext<'k> {
        let enough = |class: &ClassId| kb.direct_members(*class).len() >= 3;
        let degree = |node: NodeId| {
            let out = kb.properties_of(node).map(|(property, _)| property);
            let relation = |property| match property {
                Property::Relation(relation) => Some(relation),
                Property::Attribute(_) => None,
            };
            let out = out.filter_map(relation).filter(|r| allowed.0[r.index()]).count();
            let into = kb.relations_to(node).map(|(relation, _)| relation);
            let into = into.filter(|&r| allowed.0[r.index()] && !kb.is_symmetric(r)).count();
            u8::try_from(out + into).unwrap_or(u8::MAX)
        };
        let degrees: Vec<u8> = kb.nodes().map(degree).collect();
        let most = |class: ClassId| {
            kb.direct_members(class).iter().map(|&node| degrees[node as usize]).max().unwrap_or(0)
        };
        SamplingContext {
            words: Words::new(kb),
            class_degrees: kb.classes().map(most).collect(),
            qualified: OnceLock::new(),
            degrees,
            allowed,
            speakable,
            classes: kb.classes().filter(enough).collect(),
        }
    }

    /// The KB.
    pub fn kb(&self) -> &'k Kb {
        self.words.kb()
    }

    /// Whether a property may be asked about.
    pub(crate) fn allows(&self, property: Property) -> bool {
        match property {
            Property::Relation(relation) => self.allowed.0[relation.index()],
            Property::Attribute(attribute) => self.allowed.1[attribute.index()],
        }
    }

    /// Runs a query. `None` if it is invalid or exceeds the budget; the caller then rejects it.
    pub(crate) fn run(&self, query: &Query) -> Option<Found<'k>> {
        self.run_within(query, OPERATIONS)
    }

    /// Runs a query to confirm a known answer, with a larger budget: another form of the query may take a longer path.
    pub(crate) fn run_with_large_budget(&self, query: &Query) -> Option<Found<'k>> {
        self.run_within(query, 1_000 * OPERATIONS)
    }

    /// The number of members of a set. `None` as for [`SamplingContext::run`].
    pub(crate) fn count(&self, set: &Set) -> Option<u64> {
        match self.run_plan(&Plan::count(set, &self.words).ok()?, OPERATIONS)? {
            Found::Count(count) => Some(count),
            _ => None,
        }
    }

    fn run_within(&self, query: &Query, operations: u64) -> Option<Found<'k>> {
        self.run_plan(&Plan::of(query, &self.words).ok()?, operations)
    }

    fn run_plan(&self, plan: &Plan, operations: u64) -> Option<Found<'k>> {
        if !plan.unknown.is_empty() {
            return None;
        }
        // Without the `Engine` trait: sampling runs tens of thousands of plans per second, many of them in under a microsecond.
        // A limit of operations, not of seconds, gives the same result on every machine.
        let limits = Limits { operations, ..Limits::none() };
        embedded::run(self.kb(), plan, &Budget::new(limits)).ok()
    }

    /// The edges that leave an entity, one for each relation and direction; `pick` chooses among several neighbours.
    pub(crate) fn edges(&self, node: NodeId, mut pick: impl FnMut(usize) -> usize) -> Vec<SchemaEdge> {
        let kb = self.kb();
        let mut edges = Vec::new();
        for (property, objects) in kb.properties_of(node) {
            if let Property::Relation(relation) = property
                && self.allows(property)
            {
                let other = NodeId(objects[pick(objects.len())]);
                edges.push(SchemaEdge { relation, direction: Direction::Forward, other });
            }
        }
        for (relation, subjects) in kb.relations_to(node) {
            if self.allows(Property::Relation(relation)) && !kb.is_symmetric(relation) {
                let other = NodeId(subjects[pick(subjects.len())]);
                edges.push(SchemaEdge { relation, direction: Direction::Backward, other });
            }
        }
        edges
    }

    /// The attributes of an entity that may be asked about, with their values.
    pub(crate) fn attributes(&self, node: NodeId) -> Vec<(AttributeId, &'k [u32])> {
        let kb = self.kb();
        kb.properties_of(node)
            .filter(|(property, _)| self.allows(*property))
            .filter_map(|(property, literals)| match property {
                Property::Attribute(attribute) => Some((attribute, literals)),
                Property::Relation(_) => None,
            })
            .collect()
    }

    /// Whether the values of an attribute are ordered: quantities and times.
    pub(crate) fn is_ordered(&self, attribute: AttributeId) -> bool {
        matches!(self.kb().attribute_kind(attribute), ValueKind::Quantity | ValueKind::Time)
    }

    /// Whether an entity has a name that can be used in English and is unique to it.
    pub(crate) fn has_clear_name(&self, node: NodeId) -> bool {
        self.has_speakable_name(node) && self.kb().nodes_labelled(self.kb().label(node)).count() == 1
    }

    /// Number of pairs of relation and direction that leave an entity, up to 255.
    pub(crate) fn degree(&self, node: NodeId) -> usize {
        usize::from(self.degrees[node.index()])
    }

    /// Maximum number of pairs of relation and direction that leave a direct member of a class, up to 255.
    pub(crate) fn class_degree(&self, class: ClassId) -> usize {
        usize::from(self.class_degrees[class.index()])
    }

    /// Entities with qualified facts, by class.
    pub(crate) fn qualified(&self) -> &Qualified {
        self.qualified.get_or_init(|| {
            let kb = self.kb();
            let none = || vec![Vec::new(); kb.n_classes()];
            let mut found = Qualified { attributes: none(), relations: none() };
            for fact in kb.qualified_facts().iter().filter_map(|&fact| kb.fact(FactId(fact))) {
                let lists = match fact.property {
                    Property::Attribute(_) => &mut found.attributes,
                    Property::Relation(_) => &mut found.relations,
                };
                for class in kb.classes_of(fact.subject).filter(|_| self.allows(fact.property)) {
                    let members = &mut lists[class.index()];
                    // Facts are ordered by subject.
                    if members.last() != Some(&fact.subject.0) {
                        members.push(fact.subject.0);
                    }
                }
            }
            found
        })
    }

    /// Whether an entity has a name that can be used in English.
    pub(crate) fn has_speakable_name(&self, node: NodeId) -> bool {
        self.speakable[node.index()]
    }

    /// The most specific class of an entity: the smallest one that it is a direct member of.
    pub(crate) fn class_of(&self, node: NodeId) -> Option<ClassId> {
        self.kb().classes_of(node).min_by_key(|&class| (self.kb().members(class).len(), class))
    }
}

/// Whether an attribute holds labels: a question about it would give its answer away.
fn is_name(kb: &Kb, attribute: AttributeId) -> bool {
    let facts = kb.facts_by_value(attribute);
    mostly(kb, attribute, |position| {
        let label = kb.label_literal(NodeId(facts.subjects[position]));
        label.is_some_and(|label| kb.literal_text(label) == kb.literal_text(facts.value(position)))
    })
}

/// Whether an attribute holds values that make no question: links, phone numbers and long texts.
fn is_unfit(kb: &Kb, attribute: AttributeId) -> bool {
    let facts = kb.facts_by_value(attribute);
    mostly(kb, attribute, |position| {
        let literal = kb.literal(facts.value(position));
        let text = literal.text();
        literal.number().is_none()
            && literal.as_time().is_none()
            && (is_link(text) || is_phone(text) || is_long(text))
    })
}

/// Whether all values of an attribute are the same, such as a mark of how the data was made: there is nothing to ask.
fn is_constant(kb: &Kb, attribute: AttributeId) -> bool {
    let facts = kb.facts_by_value(attribute);
    // In the order of values.
    facts.len() > 4 && facts.value(0) == facts.value(facts.len() - 1)
}

fn is_link(text: &str) -> bool {
    const FILES: [&str; 6] = [".jpg", ".jpeg", ".png", ".svg", ".gif", ".pdf"];
    text.contains("://")
        || text.starts_with("www.")
        || FILES.iter().any(|file| text.to_lowercase().ends_with(file))
}

fn is_phone(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    digits >= 7 && text.chars().all(|c| c.is_ascii_digit() || " +-()./".contains(c))
}

fn is_long(text: &str) -> bool {
    text.len() > 100
}

/// Whether something holds for most values of an attribute, by a sample spread over all of them.
fn mostly(kb: &Kb, attribute: AttributeId, holds: impl Fn(usize) -> bool) -> bool {
    const LOOKED_AT: usize = 200;
    let n_facts = kb.facts_by_value(attribute).len();
    let n = n_facts.min(LOOKED_AT);
    let looked_at = (0..n).map(|i| i * n_facts / n);
    n > 0 && looked_at.filter(|&position| holds(position)).count() * 2 > n
}

/// Latin letters, digits and common punctuation, with at least one letter or digit.
fn is_speakable(name: &str) -> bool {
    let usual = |c: char| {
        c.is_ascii_graphic() || c == ' ' || ('\u{c0}'..'\u{250}').contains(&c) || "–’‘“”·×°".contains(c)
    };
    let awkward = |c: char| matches!(c, '{' | '}' | '|' | '<' | '>' | '\\' | '^' | '`' | '~' | '_' | '?');
    name.len() <= 80
        && name.chars().any(char::is_alphanumeric)
        && name.chars().all(|c| usual(c) && !awkward(c))
        && name.trim() == name
}
