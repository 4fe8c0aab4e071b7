//! The *direct* view: one triple per fact.

use super::asserted::AssertedTriples;
use super::literal_memo::LiteralMemo;
use super::{Candidates, RdfTerm, RdfTriple, Triples};
use crate::cast::index32;
use crate::ids::{AttributeId, FactId, LiteralId, NodeId, Property, RelationId, Value};
use crate::iri::{IriScheme, Resource};
use crate::literal::{Literal, LiteralKind, UNIT_NAMESPACE};
use crate::store::{Fact, Kb};
use crate::vocabulary::{RdfVocabulary, VocabularyTerm};
use hashbrown::{HashMap, HashSet};
use std::sync::OnceLock;

/// A KB as triples `subject property value`.
pub struct DirectView<'k> {
    pub(super) kb: &'k Kb,
    pub(super) scheme: IriScheme,
    pub(super) vocabulary: RdfVocabulary,
    /// The namespace of datatypes that are units.
    pub(super) units: &'k str,
    /// Units and domains of the schema, sorted: they are literals in triples about the schema.
    pub(super) schema_texts: Vec<String>,
    /// By word of the vocabulary: the term of its IRI.
    pub(super) word_terms: Vec<RdfTerm>,
    /// By attribute: the term of its IRI.
    pub(super) attribute_terms: Vec<RdfTerm>,
    /// By qualifier key: the term of its IRI.
    pub(super) qualifier_terms: Vec<RdfTerm>,
    /// By relation: the term of its IRI, which may be a node as well.
    pub(super) relation_terms: Vec<RdfTerm>,
    /// The triples of an RDF file besides the facts.
    pub(super) asserted: Option<AssertedTriples<'k>>,
    /// By the term of a predicate: the properties that it stands for.
    pub(super) properties: HashMap<RdfTerm, (Option<RelationId>, Option<AttributeId>)>,
    /// Nodes whose IRI is that of a property or a qualifier key as well.
    pub(super) property_nodes: HashSet<NodeId>,
    /// By relation: the number of its facts, counted when it is first needed.
    pub(super) relation_sizes: Vec<OnceLock<usize>>,
    /// By number in the usual unit of its attribute: the number without a unit. Searching for it again took half of the time of queries
    /// about qualified quantities.
    pub(super) without_unit: LiteralMemo,
    /// Whether there are numbers of type `xsd:double`, found out when it is first needed.
    pub(super) has_doubles: OnceLock<bool>,
}

impl<'k> DirectView<'k> {
    /// The view of a KB; takes time in proportion to the schema, not to the facts.
    pub fn new(kb: &'k Kb) -> DirectView<'k> {
        let manifest = kb.manifest();
        let scheme = IriScheme { base: manifest.base.clone(), vocabulary: manifest.vocabulary };
        let mut schema_texts: Vec<String> = kb
            .attributes()
            .map(|a| kb.attribute_unit(a).to_owned())
            .chain(kb.groups().map(str::to_owned))
            .filter(|text| !text.is_empty() && kb.find_literal(&Literal::text_value(text)).is_none())
            .collect();
        schema_texts.sort();
        schema_texts.dedup();
        let mut view = DirectView {
            kb,
            scheme,
            vocabulary: manifest.vocabulary,
            units: manifest.unit_namespace.as_deref().unwrap_or(UNIT_NAMESPACE),
            schema_texts,
            word_terms: Vec::new(),
            attribute_terms: Vec::new(),
            qualifier_terms: Vec::new(),
            relation_terms: Vec::new(),
            asserted: None,
            properties: HashMap::new(),
            property_nodes: HashSet::new(),
            relation_sizes: kb.relations().map(|_| OnceLock::new()).collect(),
            without_unit: LiteralMemo::new(kb.n_literals()),
            has_doubles: OnceLock::new(),
        };
        // One IRI must have one code: nodes come before words of the vocabulary, relations, attributes and
        // qualifier keys.
        let word_term = |word: VocabularyTerm| {
            let node = match view.scheme.resource(view.vocabulary.iri(word)) {
                Resource::Node(id) => kb.node(&id),
                Resource::Property(_) | Resource::Qualifier(_) => None,
            };
            node.map_or(RdfTerm::Vocabulary(view.vocabulary.canonical(word)), RdfTerm::Node)
        };
        view.word_terms = VocabularyTerm::ALL.into_iter().map(word_term).collect();
        view.relation_terms = kb
            .relations()
            .map(|r| view.iri_term(&view.scheme.property(kb.relation_id(r)), RdfTerm::Relation(r)))
            .collect();
        view.attribute_terms = kb
            .attributes()
            .map(|a| view.iri_term(&view.scheme.property(kb.attribute_id(a)), RdfTerm::Attribute(a)))
            .collect();
        view.qualifier_terms = kb
            .qualifier_keys()
            .map(|q| view.iri_term(&view.scheme.qualifier(kb.qualifier_id(q)), RdfTerm::Qualifier(q)))
            .collect();
        let words =
            VocabularyTerm::ALL.into_iter().map(|w| (view.vocabulary.iri(w).to_owned(), view.word(w)));
        let relations =
            kb.relations().map(|r| (kb.relation_id(r).to_owned(), view.relation_terms[r.index()]));
        let attributes =
            kb.attributes().map(|a| (kb.attribute_id(a).to_owned(), view.attribute_terms[a.index()]));
        let qualifiers =
            kb.qualifier_keys().map(|q| (kb.qualifier_id(q).to_owned(), view.qualifier_terms[q.index()]));
        let known = words.chain(relations).chain(attributes).chain(qualifiers);
        view.asserted = AssertedTriples::new(kb, known);
        let predicates = view.relation_terms.iter().chain(&view.attribute_terms);
        view.properties = predicates.map(|&term| (term, view.find_properties(term))).collect();
        let schema_terms =
            view.relation_terms.iter().chain(&view.attribute_terms).chain(&view.qualifier_terms);
        let as_node = |term: &RdfTerm| match term {
            RdfTerm::Node(node) => Some(*node),
            _ => None,
        };
        view.property_nodes = schema_terms.filter_map(as_node).collect();
        view
    }

    fn iri_term(&self, iri: &str, otherwise: RdfTerm) -> RdfTerm {
        self.encode_iri(iri).unwrap_or(otherwise)
    }

    /// The code of an IRI, trying what it could stand for in a fixed order.
    pub(super) fn encode_iri(&self, iri: &str) -> Option<RdfTerm> {
        self.encode_known_iri(iri).or_else(|| self.asserted.as_ref()?.find(iri))
    }

    fn encode_known_iri(&self, iri: &str) -> Option<RdfTerm> {
        if let Some(word) = self.vocabulary.term(iri) {
            return Some(self.word(word));
        }
        let kb = self.kb;
        let by_id = |id: &str, as_node: bool, as_property: bool, as_qualifier: bool| {
            let node = || kb.node(id).filter(|_| as_node).map(RdfTerm::Node);
            let relation = || kb.relation(id).filter(|_| as_property).map(RdfTerm::Relation);
            let attribute = || kb.attribute(id).filter(|_| as_property).map(RdfTerm::Attribute);
            let qualifier = || kb.qualifier_key(id).filter(|_| as_qualifier).map(RdfTerm::Qualifier);
            node().or_else(relation).or_else(attribute).or_else(qualifier)
        };
        match self.scheme.resource(iri) {
            Resource::Property(id) => by_id(&id, false, true, false),
            Resource::Qualifier(id) => by_id(&id, false, false, true),
            // Ids that are IRIs themselves, and Freebase's ids, may stand for any kind of item.
            Resource::Node(id) => {
                let shared = self.vocabulary == RdfVocabulary::Freebase || crate::iri::is_absolute(&id);
                by_id(&id, true, shared, shared)
            }
        }
    }

    pub(super) fn word(&self, word: VocabularyTerm) -> RdfTerm {
        self.word_terms[word as usize]
    }

    pub(super) fn property_term(&self, property: Property) -> RdfTerm {
        match property {
            Property::Relation(relation) => self.relation_terms[relation.index()],
            Property::Attribute(attribute) => self.attribute_terms[attribute.index()],
        }
    }

    /// The properties that a predicate's code stands for.
    #[inline]
    pub(super) fn properties_of(&self, term: RdfTerm) -> (Option<RelationId>, Option<AttributeId>) {
        self.properties.get(&term).copied().unwrap_or_default()
    }

    fn find_properties(&self, term: RdfTerm) -> (Option<RelationId>, Option<AttributeId>) {
        let id = match term {
            RdfTerm::Relation(relation) => self.kb.relation_id(relation),
            RdfTerm::Attribute(attribute) => self.kb.attribute_id(attribute),
            RdfTerm::Node(node) => self.kb.node_id(node),
            _ => return (None, None),
        };
        let relation = self.kb.relation(id).filter(|r| self.relation_terms[r.index()] == term);
        let attribute = self.kb.attribute(id).filter(|a| self.attribute_terms[a.index()] == term);
        (relation, attribute)
    }

    pub(super) fn schema_text(&self, text: &str) -> Option<RdfTerm> {
        let literal = self.kb.find_literal(&Literal::text_value(text)).map(RdfTerm::Literal);
        literal.or_else(|| {
            let found = self.schema_texts.binary_search_by(|t| t.as_str().cmp(text)).ok();
            found.map(|at| RdfTerm::SchemaText(index32(at)))
        })
    }

    /// The value of a fact, as it is shown: a quantity in the attribute's usual unit is a plain number.
    pub(super) fn value_term(&self, fact: &Fact) -> RdfTerm {
        match (fact.value, fact.property) {
            (Value::Node(node), _) => RdfTerm::Node(node),
            (Value::Literal(literal), Property::Attribute(attribute)) => {
                self.literal_term(attribute, literal)
            }
            (Value::Literal(literal), Property::Relation(_)) => RdfTerm::Literal(literal),
        }
    }

    /// How a literal is shown as a value of an attribute.
    pub fn literal_term(&self, attribute: AttributeId, id: LiteralId) -> RdfTerm {
        let usual = self.kb.plain_unit(attribute);
        if usual.is_empty() {
            return RdfTerm::Literal(id);
        }
        match self.kb.literal_unit(id) {
            Some("") => RdfTerm::Dimensionless(id),
            Some(unit) if unit == usual => RdfTerm::Literal(self.without_unit.get_or_insert_with(id, || {
                let bare = Literal { tag: "", ..self.kb.literal(id) };
                self.kb.find_literal(&bare).unwrap_or(id)
            })),
            _ => RdfTerm::Literal(id),
        }
    }

    /// The literal behind a shown value of an attribute.
    pub(super) fn stored_literal(&self, attribute: AttributeId, term: RdfTerm) -> Option<LiteralId> {
        let usual = self.kb.plain_unit(attribute);
        match term {
            RdfTerm::Dimensionless(id) => Some(id).filter(|_| !usual.is_empty()),
            RdfTerm::Literal(id) => {
                let literal = self.kb.literal(id);
                if usual.is_empty() || literal.kind() != LiteralKind::Quantity {
                    Some(id)
                } else if !literal.unit().is_empty() {
                    // A number in the usual unit is shown without it.
                    Some(id).filter(|_| literal.unit() != usual)
                } else {
                    self.kb.find_literal(&Literal { tag: usual, ..literal })
                }
            }
            _ => None,
        }
    }

    /// Whether a fact is the first of those with the same triple; it stands for all of them.
    fn is_first(&self, fact: &Fact) -> bool {
        self.kb.same_triple(fact).start == fact.id.0
    }

    /// The triples of a fact: itself, unless an earlier fact has the same triple, and its name if it has
    /// qualifiers or has the same triple as another.
    fn fact_triples(&self, fact: Fact) -> impl Iterator<Item = RdfTriple> + '_ {
        let triple = [RdfTerm::Node(fact.subject), self.property_term(fact.property), self.value_term(&fact)];
        let plain = self.is_first(&fact).then_some(triple);
        plain.into_iter().chain(self.name_triples(fact))
    }

    fn name_triples(&self, fact: Fact) -> impl Iterator<Item = RdfTriple> + '_ {
        let same = self.kb.same_triple(&fact);
        let name = RdfTerm::Fact(fact.id);
        let mut positions = self.kb.qualifier_positions(fact.id);
        // An RDF file has its own names for its triples.
        if self.asserted.is_some() {
            positions = 0..0;
        }
        let named = self.asserted.is_none() && (same.len() > 1 || !positions.is_empty());
        let reifies =
            named.then(|| [name, self.word(VocabularyTerm::Reifies), RdfTerm::Quoted(FactId(same.start))]);
        reifies.into_iter().chain(positions.map(move |position| {
            let qualifier = self.kb.qualifier_at(position);
            let value = match qualifier.value {
                Value::Node(node) => RdfTerm::Node(node),
                Value::Literal(literal) => RdfTerm::Literal(literal),
            };
            [name, self.qualifier_terms[qualifier.key.index()], value]
        }))
    }

    fn node_names(&self, node: NodeId) -> impl Iterator<Item = RdfTriple> + '_ {
        let subject = RdfTerm::Node(node);
        let kb = self.kb;
        let named =
            |word: VocabularyTerm, literal: LiteralId| [subject, self.word(word), RdfTerm::Literal(literal)];
        let label = kb.label_literal(node).map(|l| named(VocabularyTerm::Label, l));
        let description = kb.description_literal(node).map(|l| named(VocabularyTerm::Description, l));
        let aliases =
            kb.aliases(node).map(move |l| [subject, self.word(VocabularyTerm::Alias), RdfTerm::Literal(l)]);
        label.into_iter().chain(description).chain(aliases)
    }

    fn node_types(&self, node: NodeId) -> impl Iterator<Item = RdfTriple> + '_ {
        let subject = RdfTerm::Node(node);
        let types = self.kb.classes_of(node).map(move |class| {
            [subject, self.word(VocabularyTerm::Type), RdfTerm::Node(self.kb.class_node(class))]
        });
        types.chain(self.kb.as_class(node).into_iter().flat_map(move |class| self.class_schema(class)))
    }

    /// Everything that is not a fact about a node: the schema comes first in exports.
    fn schema(&self) -> impl Iterator<Item = RdfTriple> + '_ {
        let relations = self.kb.relations().flat_map(|r| self.relation_schema(r));
        let attributes = self.kb.attributes().flat_map(|a| self.attribute_schema(a));
        let qualifiers = self.kb.qualifier_keys().flat_map(|q| self.qualifier_schema(q));
        relations.chain(attributes).chain(qualifiers)
    }

    fn about_node(&self, node: NodeId) -> impl Iterator<Item = RdfTriple> + '_ {
        self.node_names(node).chain(self.node_types(node)).chain(self.facts_about(node))
    }

    pub(super) fn facts_about(&self, node: NodeId) -> Triples<'_> {
        Box::new(self.kb.facts_about(node).flat_map(|fact| {
            let triple =
                [RdfTerm::Node(fact.subject), self.property_term(fact.property), self.value_term(&fact)];
            self.is_first(&fact).then_some(triple)
        }))
    }

    /// The facts about a node whose property has a code.
    pub(super) fn facts_of(&self, node: NodeId, predicate: RdfTerm) -> Triples<'_> {
        let (relation, attribute) = self.properties_of(predicate);
        let relation = relation.map(Property::Relation);
        let both = relation.into_iter().chain(attribute.map(Property::Attribute));
        let facts = both.flat_map(move |property| {
            self.kb.facts_of(node, property).filter_map(|f| self.kb.fact(FactId(f)))
        });
        Box::new(facts.filter(|fact| self.is_first(fact)).map(move |fact| {
            [RdfTerm::Node(node), self.property_term(fact.property), self.value_term(&fact)]
        }))
    }

    /// The facts with a value, whatever their property.
    pub(super) fn facts_with_value(&self, value: RdfTerm) -> Triples<'_> {
        match value {
            RdfTerm::Node(node) => Box::new(
                self.kb.relations_to(node).flat_map(move |(r, _)| self.relation_triples(r, Some(value))),
            ),
            RdfTerm::Literal(_) | RdfTerm::Dimensionless(_) => {
                Box::new(self.kb.attributes().flat_map(move |a| self.attribute_triples(a, Some(value))))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    pub(super) fn relation_triples(&self, relation: RelationId, object: Option<RdfTerm>) -> Triples<'_> {
        let predicate = self.relation_terms[relation.index()];
        match object {
            Some(RdfTerm::Node(value)) => {
                let mut last = None;
                let subjects = self.kb.subjects(relation, value).iter().copied();
                let distinct = subjects.filter(move |&s| last.replace(s) != Some(s));
                Box::new(distinct.map(move |s| [RdfTerm::Node(NodeId(s)), predicate, RdfTerm::Node(value)]))
            }
            Some(_) => Box::new(std::iter::empty()),
            None => Box::new(self.property_triples(Property::Relation(relation))),
        }
    }

    pub(super) fn attribute_triples(&self, attribute: AttributeId, object: Option<RdfTerm>) -> Triples<'_> {
        let predicate = self.attribute_terms[attribute.index()];
        let Some(shown) = object else {
            return Box::new(self.property_triples(Property::Attribute(attribute)));
        };
        let Some(literal) = self.stored_literal(attribute, shown) else {
            return Box::new(std::iter::empty());
        };
        let facts = self.kb.facts_by_value(attribute);
        let positions = facts.positions(literal.index()..literal.index() + 1);
        let mut last = None;
        let subjects = facts.subjects[positions].iter().copied().filter(move |&s| last.replace(s) != Some(s));
        Box::new(subjects.map(move |s| [RdfTerm::Node(NodeId(s)), predicate, shown]))
    }

    fn property_triples(&self, property: Property) -> impl Iterator<Item = RdfTriple> + '_ {
        let predicate = self.property_term(property);
        let facts = self.kb.facts_with(property).filter(|fact| self.is_first(fact));
        facts.map(move |fact| [RdfTerm::Node(fact.subject), predicate, self.value_term(&fact)])
    }

    fn qualifier_triples(&self) -> impl Iterator<Item = RdfTriple> + '_ {
        let facts = self.kb.qualified_facts().iter().filter_map(|&fact| self.kb.fact(FactId(fact)));
        facts.flat_map(|fact| self.name_triples(fact))
    }

    /// Qualifiers with a key, of all facts.
    fn qualifiers_with(&self, predicate: RdfTerm, object: Option<RdfTerm>) -> Triples<'_> {
        let keys: Vec<bool> = self.qualifier_terms.iter().map(|term| *term == predicate).collect();
        if !keys.contains(&true) {
            return Box::new(std::iter::empty());
        }
        let wanted = match object {
            None => None,
            Some(RdfTerm::Node(node)) => Some(Value::Node(node)),
            Some(RdfTerm::Literal(literal)) => Some(Value::Literal(literal)),
            Some(_) => return Box::new(std::iter::empty()),
        };
        Box::new(self.kb.all_qualifier_positions().filter_map(move |position| {
            let qualifier = self.kb.qualifier_at(position);
            let fits = keys[qualifier.key.index()] && wanted.is_none_or(|wanted| wanted == qualifier.value);
            fits.then(|| self.kb.fact_of_qualifier(position)).flatten().map(|fact| {
                let value = match qualifier.value {
                    Value::Node(node) => RdfTerm::Node(node),
                    Value::Literal(literal) => RdfTerm::Literal(literal),
                };
                [RdfTerm::Fact(fact), predicate, value]
            })
        }))
    }

    fn all_names(&self) -> impl Iterator<Item = RdfTriple> + '_ {
        let facts = self.kb.nodes().flat_map(|node| self.kb.facts_about(node));
        facts.flat_map(|fact| self.name_triples(fact))
    }
}

impl Candidates for DirectView<'_> {
    /// Triples whose subject is this term, and perhaps more.
    fn with_subject(&self, subject: RdfTerm, predicate: Option<RdfTerm>) -> Triples<'_> {
        match subject {
            RdfTerm::Node(node) => {
                if let Some(predicate) = predicate {
                    let (relation, attribute) = self.properties_of(predicate);
                    if relation.is_some() || attribute.is_some() {
                        return self.facts_of(node, predicate);
                    }
                }
                // Where ids are IRIs, a node can be a property as well.
                let id = self.kb.node_id(node);
                let relation = self.kb.relation(id).filter(|r| self.relation_terms[r.index()] == subject);
                let attribute = self.kb.attribute(id).filter(|a| self.attribute_terms[a.index()] == subject);
                let qualifier =
                    self.kb.qualifier_key(id).filter(|q| self.qualifier_terms[q.index()] == subject);
                let schema = relation.into_iter().flat_map(|r| self.relation_schema(r));
                let schema = schema.chain(attribute.into_iter().flat_map(|a| self.attribute_schema(a)));
                let schema = schema.chain(qualifier.into_iter().flat_map(|q| self.qualifier_schema(q)));
                Box::new(self.about_node(node).chain(schema))
            }
            RdfTerm::Relation(_) | RdfTerm::Attribute(_) | RdfTerm::Qualifier(_) | RdfTerm::Vocabulary(_) => {
                Box::new(self.schema())
            }
            RdfTerm::Fact(fact) => {
                Box::new(self.kb.fact(fact).into_iter().flat_map(|fact| self.name_triples(fact)))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    /// Triples with this predicate whose subject is open, and perhaps more.
    fn with_predicate(&self, predicate: RdfTerm, object: Option<RdfTerm>) -> Triples<'_> {
        let (relation, attribute) = self.properties_of(predicate);
        if relation.is_some() || attribute.is_some() {
            let by_relation = relation.into_iter().flat_map(move |r| self.relation_triples(r, object));
            let by_attribute = attribute.into_iter().flat_map(move |a| self.attribute_triples(a, object));
            // The IRI may also be that of a qualifier key.
            return Box::new(by_relation.chain(by_attribute).chain(self.qualifiers_with(predicate, object)));
        }
        if !self.word_terms.contains(&predicate) {
            return self.qualifiers_with(predicate, object);
        }
        let is = |word: VocabularyTerm| self.word(word) == predicate;
        if is(VocabularyTerm::Type)
            && let Some(RdfTerm::Node(node)) = object
            && let Some(class) = self.kb.as_class(node)
        {
            let members = self.kb.direct_members(class).iter();
            return Box::new(
                members.map(move |&member| [RdfTerm::Node(NodeId(member)), predicate, RdfTerm::Node(node)]),
            );
        }
        if (is(VocabularyTerm::Label) || is(VocabularyTerm::Alias))
            && let Some(RdfTerm::Literal(literal)) = object
        {
            let nodes = self.kb.nodes_named(self.kb.literal(literal).text());
            return Box::new(nodes.into_iter().flat_map(|node| self.node_names(node)).chain(self.schema()));
        }
        if is(VocabularyTerm::Reifies) {
            if let Some(object) = object {
                return if matches!(object, RdfTerm::Quoted(_)) {
                    self.with_object(object)
                } else {
                    Box::new(std::iter::empty())
                };
            }
            return Box::new(self.all_names());
        }
        if is(VocabularyTerm::Type) && object.is_some() {
            // Not a class: nodes have only classes as their types, besides what the schema says of classes.
            let classes = self.kb.classes().flat_map(|class| self.class_schema(class));
            return Box::new(self.schema().chain(classes));
        }
        let nodes = self.kb.nodes().flat_map(|node| self.node_types(node).chain(self.node_names(node)));
        Box::new(self.schema().chain(nodes))
    }

    /// Triples with this object whose subject and predicate are open, and perhaps more.
    fn with_object(&self, object: RdfTerm) -> Triples<'_> {
        match object {
            RdfTerm::Node(node) => {
                let facts = self.facts_with_value(object);
                let members = self.kb.as_class(node).into_iter().flat_map(move |class| {
                    let members = self.kb.direct_members(class).iter();
                    let typed = members
                        .map(move |&m| [RdfTerm::Node(NodeId(m)), self.word(VocabularyTerm::Type), object]);
                    let children = self.kb.children(class).map(move |child| {
                        [
                            RdfTerm::Node(self.kb.class_node(child)),
                            self.word(VocabularyTerm::SubClassOf),
                            object,
                        ]
                    });
                    typed.chain(children)
                });
                let is_word = self.word_terms.contains(&object);
                let classes =
                    self.kb.classes().filter(move |_| is_word).flat_map(|class| self.class_schema(class));
                // Sub-classes were listed above.
                let classes = classes.filter(|triple| triple[1] != self.word(VocabularyTerm::SubClassOf));
                Box::new(
                    facts.chain(members).chain(classes).chain(self.schema()).chain(self.qualifier_triples()),
                )
            }
            RdfTerm::Literal(_) => {
                let facts = self.facts_with_value(object);
                // Descriptions are not indexed.
                let names = self.kb.nodes().flat_map(|node| self.node_names(node));
                let classes = self.kb.classes().flat_map(|class| self.class_schema(class));
                Box::new(
                    facts.chain(names).chain(classes).chain(self.schema()).chain(self.qualifier_triples()),
                )
            }
            RdfTerm::Dimensionless(_) => self.facts_with_value(object),
            RdfTerm::Quoted(fact) => {
                let same = self.kb.fact(fact).into_iter().flat_map(|first| self.kb.same_triple(&first));
                let same = same.filter_map(|id| self.kb.fact(FactId(id)));
                Box::new(same.flat_map(|fact| self.name_triples(fact)))
            }
            _ => {
                let classes = self.kb.classes().flat_map(|class| self.class_schema(class));
                Box::new(self.schema().chain(classes))
            }
        }
    }

    fn all(&self) -> Triples<'_> {
        let nodes = self.kb.nodes().flat_map(|node| {
            let facts = self.kb.facts_about(node).flat_map(|fact| self.fact_triples(fact));
            self.node_types(node).chain(self.node_names(node)).chain(facts)
        });
        Box::new(self.schema().chain(nodes))
    }
}
