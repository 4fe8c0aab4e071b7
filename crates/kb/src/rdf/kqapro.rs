//! KQA Pro's graph: a node for every literal value and every fact, names instead of ids for properties.

use super::{
    Candidates, KqaProPredicate as Pred, Position, RdfTerm, RdfTriple, RdfView, TripleSink, Triples, matching,
};
use crate::cast::index32;
use crate::ids::{AttributeId, FactId, LiteralId, NodeId, Property, QualifierId, RelationId, Value};
use crate::iri::{IriScheme, Resource, is_absolute};
use crate::literal::{Literal, LiteralFamily, XSD};
use crate::store::{Fact, Kb};
use crate::time::{Precision, Time};
use crate::vocabulary::RdfVocabulary;
use hashbrown::HashMap;
use oxrdf::{BlankNode, NamedNode, Term};
use std::ops::ControlFlow;
use std::sync::OnceLock;

/// KQA Pro's queries use relative IRIs (`<Q42>`, `<shares_border_with>`): they are relative to this base.
pub const KQAPRO_BASE: &str = "http://kqapro.invalid/";

/// A name that one or more properties have.
pub(super) struct Key {
    /// The name with underscores for blanks, as in IRIs.
    name: String,
    pub(super) relations: Vec<RelationId>,
    pub(super) attributes: Vec<AttributeId>,
    pub(super) qualifiers: Vec<QualifierId>,
    /// The number of facts with one of the properties, counted when it is first needed.
    pub(super) size: OnceLock<usize>,
}

/// A KB as KQA Pro's graph.
pub struct KqaProView<'k> {
    pub(super) kb: &'k Kb,
    scheme: IriScheme,
    keys: Vec<Key>,
    /// By key: the term of its IRI. A name that is also the id of a node has the node's term.
    key_terms: Vec<RdfTerm>,
    keys_of_nodes: HashMap<NodeId, u32>,
    relation_keys: Vec<u32>,
    attribute_keys: Vec<u32>,
    qualifier_keys: Vec<u32>,
    /// Units that are not also texts of the KB, sorted.
    units: Vec<String>,
}

impl<'k> KqaProView<'k> {
    /// The view of a KB; takes time in proportion to the schema and to the number of units.
    pub fn new(kb: &'k Kb) -> KqaProView<'k> {
        let key_name = |label: &str| label.replace(' ', "_");
        let mut names: Vec<String> = kb
            .relations()
            .map(|r| key_name(kb.relation_label(r)))
            .chain(kb.attributes().map(|a| key_name(kb.attribute_label(a))))
            .chain(kb.qualifier_keys().map(|q| key_name(kb.qualifier_label(q))))
            .collect();
        names.sort();
        names.dedup();
        let mut keys: Vec<Key> = names
            .into_iter()
            .map(|name| Key {
                name,
                relations: Vec::new(),
                attributes: Vec::new(),
                qualifiers: Vec::new(),
                size: OnceLock::new(),
            })
            .collect();
        let position = |keys: &[Key], label: &str| {
            let name = key_name(label);
            index32(keys.partition_point(|key| key.name < name))
        };
        let relation_keys: Vec<u32> = kb.relations().map(|r| position(&keys, kb.relation_label(r))).collect();
        let attribute_keys: Vec<u32> =
            kb.attributes().map(|a| position(&keys, kb.attribute_label(a))).collect();
        let qualifier_keys: Vec<u32> =
            kb.qualifier_keys().map(|q| position(&keys, kb.qualifier_label(q))).collect();
        kb.relations().zip(&relation_keys).for_each(|(r, &key)| keys[key as usize].relations.push(r));
        kb.attributes().zip(&attribute_keys).for_each(|(a, &key)| keys[key as usize].attributes.push(a));
        kb.qualifier_keys().zip(&qualifier_keys).for_each(|(q, &key)| keys[key as usize].qualifiers.push(q));
        let mut units: Vec<String> = kb.tags().chain(["1"]).map(str::to_owned).collect();
        units.sort();
        units.dedup();
        let scheme = IriScheme { base: KQAPRO_BASE.to_owned(), vocabulary: RdfVocabulary::Freebase };
        let node_of = |key: &Key| kb.node(&key.name).filter(|_| !is_absolute(&key.name));
        let key_terms =
            keys.iter().zip(0..).map(|(key, at)| node_of(key).map_or(RdfTerm::Key(at), RdfTerm::Node));
        let key_terms = key_terms.collect();
        let keys_of_nodes = keys.iter().zip(0..).filter_map(|(key, at)| Some((node_of(key)?, at))).collect();
        let mut view = KqaProView {
            kb,
            scheme,
            keys,
            key_terms,
            keys_of_nodes,
            relation_keys,
            attribute_keys,
            qualifier_keys,
            units: Vec::new(),
        };
        units.retain(|unit| view.find_text(unit).is_none());
        view.units = units;
        view
    }

    /// The value behind the value node of a qualifier.
    pub fn qualifier_value(&self, position: u32) -> Option<Value> {
        let known = self.kb.has_qualifier(position as usize);
        known.then(|| self.kb.qualifier_at(position as usize).value)
    }

    /// The relation that a property IRI stands for; the first of those that share it.
    pub fn key_relation(&self, key: u32) -> Option<RelationId> {
        self.keys.get(key as usize)?.relations.first().copied()
    }

    /// One text, one code: the first literal with this text, whatever its language.
    fn find_text(&self, text: &str) -> Option<RdfTerm> {
        let at = self.kb.literal_position(&Literal::text_value(text));
        let found = (at < self.kb.n_literals()).then(|| self.kb.literal(LiteralId(index32(at))))?;
        let same = found.kind().family() == LiteralFamily::Text && found.text() == text;
        same.then_some(RdfTerm::Literal(LiteralId(index32(at))))
    }

    pub(super) fn text_term(&self, id: LiteralId) -> RdfTerm {
        let text = self.kb.literal(id).text();
        let mut first = id;
        while first.0 > 0 {
            let before = self.kb.literal(LiteralId(first.0 - 1));
            if before.kind().family() != LiteralFamily::Text || before.text() != text {
                break;
            }
            first = LiteralId(first.0 - 1);
        }
        RdfTerm::Literal(first)
    }

    pub(super) fn unit_term(&self, unit: &str) -> RdfTerm {
        let unit = if unit.is_empty() { "1" } else { unit };
        self.find_text(unit).unwrap_or_else(|| {
            RdfTerm::SchemaText(index32(self.units.partition_point(|u| u.as_str() < unit)))
        })
    }

    fn key_of(&self, property: Property) -> RdfTerm {
        let key = match property {
            Property::Relation(relation) => self.relation_keys[relation.index()],
            Property::Attribute(attribute) => self.attribute_keys[attribute.index()],
        };
        self.key_terms[key as usize]
    }

    /// The key that a term stands for as a predicate.
    pub(super) fn as_key(&self, term: RdfTerm) -> Option<&Key> {
        let key = match term {
            RdfTerm::Key(key) => key,
            RdfTerm::Node(node) => *self.keys_of_nodes.get(&node)?,
            _ => return None,
        };
        self.keys.get(key as usize)
    }

    fn value_term(&self, fact: &Fact) -> RdfTerm {
        match fact.value {
            Value::Node(node) => RdfTerm::Node(node),
            Value::Literal(_) => RdfTerm::ValueOf(fact.id),
        }
    }

    pub(super) fn name_triple(&self, node: NodeId) -> RdfTriple {
        let name = match self.kb.label_literal(node) {
            Some(label) => self.text_term(label),
            None => RdfTerm::Node(node),
        };
        [RdfTerm::Node(node), RdfTerm::Predicate(Pred::Name), name]
    }

    fn node_triples(&self, node: NodeId) -> impl Iterator<Item = RdfTriple> + '_ {
        let named = self.kb.label_literal(node).map(|_| self.name_triple(node));
        named.into_iter().chain(self.instance_triples(node))
    }

    /// Membership in all classes, also inherited; classes are not members.
    fn instance_triples(&self, node: NodeId) -> impl Iterator<Item = RdfTriple> + '_ {
        let mut classes: Vec<u32> = Vec::new();
        if self.kb.as_class(node).is_none() {
            for class in self.kb.classes_of(node) {
                classes.push(class.0);
                classes.extend(self.kb.ancestors(class).map(|c| c.0));
            }
            classes.sort_unstable();
            classes.dedup();
        }
        classes.into_iter().map(move |class| {
            let class = self.kb.class_node(crate::ids::ClassId(class));
            [RdfTerm::Node(node), RdfTerm::Predicate(Pred::InstanceOf), RdfTerm::Node(class)]
        })
    }

    /// The edge of a fact, unless an earlier fact has the same one. Relations with the same name are merged.
    fn edge(&self, fact: &Fact) -> Option<RdfTriple> {
        let edge = [RdfTerm::Node(fact.subject), self.key_of(fact.property), self.value_term(fact)];
        if let Property::Relation(relation) = fact.property {
            let value = match fact.value {
                Value::Node(node) => node.0,
                Value::Literal(_) => return Some(edge),
            };
            let homonyms = &self.keys[self.relation_keys[relation.index()] as usize].relations;
            for &other in homonyms {
                let facts = self.kb.facts_of(fact.subject, Property::Relation(other));
                let first = facts.start
                    + index32(self.kb.objects(fact.subject, other).partition_point(|&o| o < value));
                let says_it = first < facts.end
                    && self.kb.objects(fact.subject, other)[(first - facts.start) as usize] == value;
                if says_it {
                    return (first == fact.id.0).then_some(edge);
                }
            }
        }
        Some(edge)
    }

    /// The triples of the fact node.
    fn fact_node_triples(&self, fact: Fact) -> impl Iterator<Item = RdfTriple> + '_ {
        let node = RdfTerm::Fact(fact.id);
        let own = [
            [node, RdfTerm::Predicate(Pred::FactSubject), RdfTerm::Node(fact.subject)],
            [node, RdfTerm::Predicate(Pred::FactRelation), self.key_of(fact.property)],
            [node, RdfTerm::Predicate(Pred::FactValue), self.value_term(&fact)],
        ];
        let qualifiers = self.kb.qualifier_positions(fact.id).map(move |position| {
            let key = self.kb.qualifier_at(position).key;
            [node, self.qualifier_key_term(key), self.qualifier_term(position)]
        });
        own.into_iter().chain(qualifiers)
    }

    fn all_facts(&self) -> impl Iterator<Item = Fact> + '_ {
        self.kb.nodes().flat_map(|node| self.kb.facts_about(node))
    }

    fn with_key<'a>(&'a self, key: &'a Key, object: Option<RdfTerm>) -> Triples<'a> {
        let edges: Triples<'_> = match object {
            Some(RdfTerm::Node(value)) => {
                let facts = key.relations.iter().flat_map(move |&r| self.kb.facts_into(r, value));
                Box::new(facts.filter_map(|&f| self.kb.fact(FactId(f))).filter_map(|fact| self.edge(&fact)))
            }
            Some(RdfTerm::ValueOf(fact)) => {
                Box::new(self.kb.fact(fact).and_then(|fact| self.edge(&fact)).into_iter())
            }
            Some(_) => Box::new(std::iter::empty()),
            None => {
                let relations = key.relations.iter().map(|&r| Property::Relation(r));
                let properties = relations.chain(key.attributes.iter().map(|&a| Property::Attribute(a)));
                Box::new(properties.flat_map(|p| self.kb.facts_with(p)).filter_map(|fact| self.edge(&fact)))
            }
        };
        if key.qualifiers.is_empty() {
            return edges;
        }
        let one = match object {
            Some(RdfTerm::QualifierValueOf(position)) => Some(position as usize),
            _ => None,
        };
        let is_open = matches!(object, Some(RdfTerm::Node(_)) | None);
        let all = is_open.then(|| self.kb.all_qualifier_positions());
        let positions = one.into_iter().chain(all.into_iter().flatten());
        let qualified = positions.filter_map(move |position| {
            let qualifier = self.kb.qualifier_at(position);
            let fits = match object {
                Some(RdfTerm::Node(node)) => qualifier.value == Value::Node(node),
                _ => true,
            };
            let fits = fits && key.qualifiers.contains(&qualifier.key);
            fits.then(|| self.kb.fact_of_qualifier(position)).flatten().map(|fact| {
                [RdfTerm::Fact(fact), self.qualifier_key_term(qualifier.key), self.qualifier_term(position)]
            })
        });
        Box::new(edges.chain(qualified))
    }

    fn qualifier_key_term(&self, key: QualifierId) -> RdfTerm {
        self.key_terms[self.qualifier_keys[key.index()] as usize]
    }

    fn qualifier_term(&self, position: usize) -> RdfTerm {
        match self.kb.qualifier_at(position).value {
            Value::Node(node) => RdfTerm::Node(node),
            Value::Literal(_) => RdfTerm::QualifierValueOf(index32(position)),
        }
    }

    /// Fact nodes by their subject, relation or value.
    fn fact_nodes(&self, predicate: Pred, object: Option<RdfTerm>) -> Triples<'_> {
        let triple = move |fact: Fact| {
            let object = match predicate {
                Pred::FactSubject => RdfTerm::Node(fact.subject),
                Pred::FactRelation => self.key_of(fact.property),
                _ => self.value_term(&fact),
            };
            [RdfTerm::Fact(fact.id), RdfTerm::Predicate(predicate), object]
        };
        match (predicate, object) {
            (_, None) => Box::new(self.all_facts().map(triple)),
            (Pred::FactSubject, Some(RdfTerm::Node(node))) => Box::new(self.kb.facts_about(node).map(triple)),
            (Pred::FactRelation, Some(object)) => {
                let key = self.as_key(object).into_iter();
                let properties = key.flat_map(|key| {
                    let relations = key.relations.iter().map(|&r| Property::Relation(r));
                    relations.chain(key.attributes.iter().map(|&a| Property::Attribute(a)))
                });
                Box::new(properties.flat_map(|property| self.kb.facts_with(property)).map(triple))
            }
            (Pred::FactValue, Some(RdfTerm::Node(node))) => Box::new(self.kb.facts_to(node).map(triple)),
            (Pred::FactValue, Some(RdfTerm::ValueOf(fact))) => {
                Box::new(self.kb.fact(fact).into_iter().map(triple))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    /// Fact nodes whose subject, relation, value or qualifier is this term, and perhaps more.
    fn fact_nodes_with(&self, object: RdfTerm) -> Triples<'_> {
        let mut facts: Vec<u32> = Vec::new();
        if let Some(key) = self.as_key(object) {
            let relations = key.relations.iter().map(|&r| Property::Relation(r));
            let properties = relations.chain(key.attributes.iter().map(|&a| Property::Attribute(a)));
            facts.extend(properties.flat_map(|p| self.kb.facts_with(p)).map(|fact| fact.id.0));
        }
        match object {
            RdfTerm::Node(node) => {
                facts.extend(self.kb.facts_about(node).chain(self.kb.facts_to(node)).map(|fact| fact.id.0));
                let positions = self.kb.all_qualifier_positions();
                let qualified = positions
                    .filter(|&at| self.kb.qualifier_at(at).value == Value::Node(node))
                    .filter_map(|at| self.kb.fact_of_qualifier(at));
                facts.extend(qualified.map(|fact| fact.0));
            }
            RdfTerm::ValueOf(fact) => facts.push(fact.0),
            _ => {}
        }
        facts.sort_unstable();
        facts.dedup();
        let facts = facts.into_iter().filter_map(|fact| self.kb.fact(FactId(fact)));
        Box::new(facts.flat_map(|fact| self.fact_node_triples(fact)))
    }
}

impl Candidates for KqaProView<'_> {
    fn with_subject(&self, subject: RdfTerm, predicate: Option<RdfTerm>) -> Triples<'_> {
        let key = predicate.and_then(|predicate| self.as_key(predicate));
        if let (RdfTerm::Node(node), Some(key)) = (subject, key) {
            let relations = key.relations.iter().map(|&r| Property::Relation(r));
            let properties = relations.chain(key.attributes.iter().map(|&a| Property::Attribute(a)));
            let facts = properties
                .flat_map(move |p| self.kb.facts_of(node, p))
                .filter_map(|f| self.kb.fact(FactId(f)));
            return Box::new(facts.filter_map(|fact| self.edge(&fact)));
        }
        match (subject, predicate) {
            (RdfTerm::Node(node), Some(RdfTerm::Predicate(_))) => Box::new(self.node_triples(node)),
            (RdfTerm::Node(node), _) => {
                let edges = self.kb.facts_about(node).filter_map(|fact| self.edge(&fact));
                Box::new(self.node_triples(node).chain(edges))
            }
            (RdfTerm::Fact(fact), _) => {
                Box::new(self.kb.fact(fact).into_iter().flat_map(|fact| self.fact_node_triples(fact)))
            }
            (RdfTerm::ValueOf(fact), _) => {
                Box::new(self.kb.fact(fact).into_iter().flat_map(|fact| self.value_node_triples(fact)))
            }
            (RdfTerm::QualifierValueOf(position), _) => {
                Box::new(self.qualifier_value_triples(position as usize))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    fn with_predicate(&self, predicate: RdfTerm, object: Option<RdfTerm>) -> Triples<'_> {
        if let Some(key) = self.as_key(predicate) {
            return self.with_key(key, object);
        }
        match predicate {
            RdfTerm::Predicate(Pred::Name) => match object {
                Some(RdfTerm::Literal(literal)) => {
                    let nodes = self.kb.nodes_named(self.kb.literal(literal).text());
                    Box::new(nodes.into_iter().flat_map(|node| self.node_triples(node)))
                }
                _ => Box::new(
                    self.kb
                        .nodes()
                        .filter(|&n| self.kb.label_literal(n).is_some())
                        .map(|n| self.name_triple(n)),
                ),
            },
            RdfTerm::Predicate(Pred::InstanceOf) => match object {
                Some(RdfTerm::Node(node)) => {
                    let members = self.kb.as_class(node).map_or(&[][..], |class| self.kb.members(class));
                    let entities = members.iter().take_while(|&&m| (m as usize) < self.kb.n_entities());
                    Box::new(
                        entities.map(move |&m| [RdfTerm::Node(NodeId(m)), predicate, RdfTerm::Node(node)]),
                    )
                }
                _ => Box::new(self.kb.nodes().flat_map(|node| self.instance_triples(node))),
            },
            RdfTerm::Predicate(part @ (Pred::FactSubject | Pred::FactRelation | Pred::FactValue)) => {
                self.fact_nodes(part, object)
            }
            RdfTerm::Predicate(Pred::Value | Pred::Unit | Pred::Year | Pred::Date) => {
                self.value_nodes_with(object)
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    fn with_object(&self, object: RdfTerm) -> Triples<'_> {
        match object {
            RdfTerm::Node(node) => {
                let facts = self.kb.facts_to(node).filter_map(|fact| self.edge(&fact));
                let members = self.with_predicate(RdfTerm::Predicate(Pred::InstanceOf), Some(object));
                Box::new(facts.chain(members).chain(self.fact_nodes_with(object)))
            }
            RdfTerm::Key(_) => self.fact_nodes_with(object),
            RdfTerm::ValueOf(fact) => Box::new(
                self.kb
                    .fact(fact)
                    .into_iter()
                    .flat_map(|fact| self.edge(&fact).into_iter().chain(self.fact_node_triples(fact))),
            ),
            RdfTerm::QualifierValueOf(position) => {
                let fact = self.kb.fact_of_qualifier(position as usize).and_then(|fact| self.kb.fact(fact));
                Box::new(fact.into_iter().flat_map(|fact| self.fact_node_triples(fact)))
            }
            RdfTerm::Literal(_) => {
                let names = self.with_predicate(RdfTerm::Predicate(Pred::Name), Some(object));
                Box::new(names.chain(self.value_nodes_with(Some(object))))
            }
            _ => self.value_nodes_with(Some(object)),
        }
    }

    fn all(&self) -> Triples<'_> {
        let nodes = self.kb.nodes().flat_map(|node| self.node_triples(node));
        let facts = self.all_facts().flat_map(|fact| {
            self.edge(&fact)
                .into_iter()
                .chain(self.value_node_triples(fact))
                .chain(self.fact_node_triples(fact))
        });
        let qualifiers =
            self.kb.all_qualifier_positions().flat_map(|position| self.qualifier_value_triples(position));
        Box::new(nodes.chain(facts).chain(qualifiers))
    }
}

impl RdfView for KqaProView<'_> {
    fn matching(
        &self,
        subject: Option<RdfTerm>,
        predicate: Option<RdfTerm>,
        object: Option<RdfTerm>,
    ) -> Triples<'_> {
        matching(self, subject, predicate, object)
    }

    fn for_each_match(
        &self,
        subject: Option<RdfTerm>,
        predicate: Option<RdfTerm>,
        object: Option<RdfTerm>,
        sink: TripleSink<'_>,
    ) -> ControlFlow<()> {
        match self.look_up(subject, predicate, object, sink) {
            Some(flow) => flow,
            None => self.matching(subject, predicate, object).try_for_each(sink),
        }
    }

    fn estimate(&self, subject: Position, predicate: Position, object: Position) -> f64 {
        self.estimate_pattern(subject, predicate, object)
    }

    fn encode(&self, term: &Term) -> Option<RdfTerm> {
        match term {
            Term::NamedNode(iri) => {
                let iri = iri.as_str();
                if let Some(predicate) = Pred::ALL.into_iter().find(|p| p.iri() == iri) {
                    return Some(RdfTerm::Predicate(predicate));
                }
                if let Some(node) = self.kb.node(iri) {
                    return Some(RdfTerm::Node(node));
                }
                let Resource::Node(id) = self.scheme.resource(iri) else { return None };
                if let Some(node) = self.kb.node(&id) {
                    return Some(RdfTerm::Node(node));
                }
                let at = self.keys.partition_point(|key| *key.name < *id);
                self.keys.get(at).filter(|key| key.name == id).map(|_| self.key_terms[at])
            }
            Term::BlankNode(blank) => {
                let label = blank.as_str();
                if let Some(node) = self.kb.node(&format!("_:{label}")) {
                    return Some(RdfTerm::Node(node));
                }
                let number = |prefix: &str| label.strip_prefix(prefix)?.parse::<u32>().ok();
                let fact = |number: u32| self.kb.fact(FactId(number)).map(|fact| fact.id);
                if let Some(n) = number("fact") {
                    return fact(n).map(RdfTerm::Fact);
                }
                if let Some(n) = number("value") {
                    return fact(n).map(RdfTerm::ValueOf);
                }
                number("qualifier")
                    .filter(|&n| self.kb.has_qualifier(n as usize))
                    .map(RdfTerm::QualifierValueOf)
            }
            Term::Literal(literal) => {
                let text = literal.value();
                match literal.datatype().as_str().strip_prefix(XSD) {
                    Some("double") => text
                        .parse()
                        .ok()
                        .map(|n: f64| RdfTerm::Double(if n == 0.0 { 0 } else { n.to_bits() })),
                    Some("integer") => text.parse().ok().map(RdfTerm::Integer),
                    Some("date") => Time::parse_date(text).map(|t| RdfTerm::Date(t.key())),
                    Some("boolean") => {
                        let value = Literal::from_rdf(text, literal.datatype().as_str(), "");
                        self.kb.find_literal(&value).map(RdfTerm::Literal)
                    }
                    Some("string") => self.find_text(text).or_else(|| {
                        let at = self.units.binary_search_by(|unit| unit.as_str().cmp(text)).ok()?;
                        Some(RdfTerm::SchemaText(index32(at)))
                    }),
                    _ => None,
                }
            }
            Term::Triple(_) => None,
        }
    }

    fn decode(&self, term: RdfTerm) -> Term {
        let iri = |iri: String| Term::NamedNode(NamedNode::new_unchecked(iri));
        let blank = |label: String| Term::BlankNode(BlankNode::new_unchecked(label));
        match term {
            RdfTerm::Node(node) => {
                let id = self.kb.node_id(node);
                match id.strip_prefix("_:").and_then(|label| BlankNode::new(label).ok()) {
                    Some(blank) => Term::BlankNode(blank),
                    None => iri(self.scheme.node(id)),
                }
            }
            RdfTerm::Key(key) => iri(self.scheme.node_in_base(&self.keys[key as usize].name)),
            RdfTerm::Predicate(predicate) => iri(predicate.iri().to_owned()),
            RdfTerm::Fact(fact) => blank(format!("fact{}", fact.0)),
            RdfTerm::ValueOf(fact) => blank(format!("value{}", fact.0)),
            RdfTerm::QualifierValueOf(position) => blank(format!("qualifier{position}")),
            RdfTerm::Literal(id) => {
                let literal = self.kb.literal(id);
                Term::Literal(match literal.as_bool() {
                    Some(value) => oxrdf::Literal::from(value),
                    None => oxrdf::Literal::new_simple_literal(literal.text()),
                })
            }
            RdfTerm::SchemaText(at) => {
                Term::Literal(oxrdf::Literal::new_simple_literal(self.units[at as usize].as_str()))
            }
            RdfTerm::Double(bits) => Term::Literal(oxrdf::Literal::from(f64::from_bits(bits))),
            RdfTerm::Integer(number) => Term::Literal(oxrdf::Literal::from(number)),
            RdfTerm::Date(key) => {
                let text = Time::from_key(key, Precision::Day).date_text();
                Term::Literal(oxrdf::Literal::new_typed_literal(
                    text,
                    NamedNode::new_unchecked(format!("{XSD}date")),
                ))
            }
            // Codes of the other view.
            RdfTerm::Relation(_)
            | RdfTerm::Attribute(_)
            | RdfTerm::Qualifier(_)
            | RdfTerm::Vocabulary(_)
            | RdfTerm::Asserted(_)
            | RdfTerm::Dimensionless(_)
            | RdfTerm::Quoted(_) => blank("none".to_owned()),
        }
    }
}
