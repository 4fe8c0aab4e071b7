//! Separates OWL expressions: restrictions, unions and lists of them are blank nodes that describe classes and properties, not things
//! to ask about. Their triples stay in the graph but are not part of the model.

use super::builder::{KbBuilder, RawNode, RawValue};
use super::sorter::Spill;
use crate::cast::index32;
use crate::error::Result;
use crate::vocabulary::{OWL, RDF};
use hashbrown::{HashMap, HashSet};

/// Predicates whose subject, if it is blank, is an expression.
const OF_EXPRESSIONS: [&str; 22] = [
    "onProperty",
    "onProperties",
    "someValuesFrom",
    "allValuesFrom",
    "hasValue",
    "hasSelf",
    "cardinality",
    "minCardinality",
    "maxCardinality",
    "qualifiedCardinality",
    "minQualifiedCardinality",
    "maxQualifiedCardinality",
    "onClass",
    "onDataRange",
    "complementOf",
    "datatypeComplementOf",
    "onDatatype",
    "annotatedSource",
    "annotatedProperty",
    "annotatedTarget",
    "sourceIndividual",
    "targetIndividual",
];

/// Predicates whose value is a list that belongs to an expression or an axiom; their blank subjects are expressions, too.
const OF_LISTS: [&str; 10] = [
    "unionOf",
    "intersectionOf",
    "oneOf",
    "disjointUnionOf",
    "members",
    "distinctMembers",
    "propertyChainAxiom",
    "hasKey",
    "withRestrictions",
    "onProperties",
];

impl KbBuilder {
    /// See the module. Returns the number of facts that were removed from the model.
    pub(crate) fn set_expressions_apart(&mut self) -> Result<u64> {
        let find = |iri: String| self.properties.find(&iri);
        let lists: HashSet<u32> = OF_LISTS.iter().filter_map(|name| find(format!("{OWL}{name}"))).collect();
        let mut owl: HashSet<u32> =
            OF_EXPRESSIONS.iter().filter_map(|name| find(format!("{OWL}{name}"))).collect();
        owl.extend(&lists);
        if owl.is_empty() {
            return Ok(0);
        }
        let cells: HashSet<u32> =
            ["first", "rest"].iter().filter_map(|name| find(format!("{RDF}{name}"))).collect();
        let is_blank: Vec<bool> =
            (0..index32(self.nodes.len())).map(|node| self.nodes.bytes_of(node).starts_with(b"_:")).collect();
        // The links between the parts of an expression.
        let mut parts: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut open: Vec<u32> = Vec::new();
        self.facts.for_each(|fact| {
            let is_owl = owl.contains(&fact.property);
            if !is_owl && !cells.contains(&fact.property) {
                return Ok(());
            }
            if is_owl && is_blank[fact.subject as usize] {
                open.push(fact.subject);
            }
            let value = RawValue(fact.value);
            if !value.is_literal() && is_blank[value.index()] {
                parts.entry(fact.subject).or_default().push(fact.value);
                if lists.contains(&fact.property) {
                    open.push(fact.value);
                }
            }
            Ok(())
        })?;
        let mut apart: HashSet<u32> = HashSet::new();
        while let Some(node) = open.pop() {
            if apart.insert(node) {
                open.extend(parts.get(&node).into_iter().flatten());
            }
        }
        if apart.is_empty() {
            return Ok(0);
        }
        let mut n_apart = 0;
        let facts = std::mem::replace(&mut self.facts, Spill::new(&self.workspace));
        facts.into_each(|fact| {
            let value = RawValue(fact.value);
            let of_value = !value.is_literal() && apart.contains(&fact.value);
            if !of_value && !apart.contains(&fact.subject) {
                return self.facts.push(fact);
            }
            n_apart += 1;
            let predicate = self.properties.get(fact.property).to_owned();
            self.assert_triple(RawNode(fact.subject), &predicate, value)
        })?;
        self.names.retain(|(node, ..)| !apart.contains(node));
        let mut kinds: HashSet<u32> = HashSet::new();
        self.class_of.retain(|&(node, class)| {
            let stays = !apart.contains(&node) && !apart.contains(&class);
            if !stays && self.nodes.bytes_of(class).starts_with(OWL.as_bytes()) {
                kinds.insert(class);
            }
            stays
        });
        // A class that has only expressions as members (owl:AllDifferent, ...) is not a class of the model.
        for (_, class) in &self.class_of {
            kinds.remove(class);
        }
        self.parents.retain(|(class, parent)| !apart.contains(class) && !apart.contains(parent));
        for &node in apart.iter().chain(&kinds) {
            self.is_class[node as usize] = false;
        }
        Ok(n_apart)
    }
}
