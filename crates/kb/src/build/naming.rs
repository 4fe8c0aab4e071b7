//! Labels from other properties than `rdfs:label`, once all triples are read: those that the user prefers, sub-properties of `rdfs:label`,
//! and the name properties of common vocabularies. The facts are kept: a value that is used as a label can still be queried by its own property.

use super::builder::{KbBuilder, NameKind, RawNode, RawValue};
use crate::cast::index32;
use crate::error::Result;
use crate::literal::{Literal, LiteralFamily};
use crate::vocabulary::{RDFS, SKOS};
use hashbrown::{HashMap, HashSet};

/// Properties that hold names in common vocabularies, the best first.
const USUAL_NAMES: [&str; 8] = [
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    "http://www.w3.org/2006/vcard/ns#fn",
    "http://www.geonames.org/ontology#name",
    "http://www.geonames.org/ontology#officialName",
];

/// Maximum length of a name: longer texts of common name properties are not names.
const LONGEST: usize = 200;

/// A value that may become a label. The lowest rank wins.
#[derive(Clone, Copy)]
pub(crate) struct LabelCandidate {
    node: u32,
    rank: u32,
    literal: u32,
}

impl KbBuilder {
    /// Adds a name, which is preferred to all names of a higher rank.
    pub(crate) fn prefer_label(&mut self, node: RawNode, rank: usize, name: &Literal<'_>) {
        let literal = self.literals.intern(name);
        self.label_candidates.push(LabelCandidate { node: node.0, rank: index32(rank), literal });
    }

    /// Chooses labels among the values of name properties. The `preferred` ones (lists of ids, the best first) rank before `rdfs:label`,
    /// which then is an alias; its sub-properties and, if `usual`, those of common vocabularies are used for nodes without a label.
    /// Returns the number of nodes that got their label this way.
    pub(crate) fn label_by_properties(
        &mut self,
        preferred: &[Vec<String>],
        usual: bool,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<u64> {
        let mut ranks: HashMap<u32, u32> = HashMap::new();
        let mut next = 0;
        for ids in preferred {
            for property in ids.iter().filter_map(|id| self.properties.find(id)) {
                ranks.entry(property).or_insert(next);
            }
            next += 1;
        }
        let n_preferred = next;
        if usual {
            for property in self.label_sub_properties()? {
                ranks.entry(property).or_insert(next);
            }
            for property in USUAL_NAMES.iter().filter_map(|iri| self.properties.find(iri)) {
                next += 1;
                ranks.entry(property).or_insert(next);
            }
        }
        let mut candidates = std::mem::take(&mut self.label_candidates);
        if ranks.is_empty() && candidates.is_empty() {
            return Ok(0);
        }
        let has_label = |&&(_, kind, _): &&(u32, NameKind, u32)| kind == NameKind::Label;
        let labelled: HashSet<u32> = self.names.iter().filter(has_label).map(|&(node, ..)| node).collect();
        let KbBuilder { facts, literals, statements, .. } = self;
        facts.for_each(|fact| {
            let value = RawValue(fact.value);
            let Some(&rank) = ranks.get(&fact.property).filter(|_| value.is_literal()) else {
                return Ok(());
            };
            let is_preferred = rank < n_preferred;
            if statements.contains_key(&fact.subject) || !is_preferred && labelled.contains(&fact.subject) {
                return Ok(());
            }
            let literal = literals.get(index32(value.index()));
            let is_text = literal.kind().family() == LiteralFamily::Text && literal.text().len() <= LONGEST;
            let speaks = literal.language().is_empty() || is_wanted(literal.language());
            if speaks && (is_text || is_preferred) && !literal.text().trim().is_empty() {
                let (node, literal) = (fact.subject, index32(value.index()));
                candidates.push(LabelCandidate { node, rank, literal });
            }
            Ok(())
        })?;
        let order = |a: &LabelCandidate, b: &LabelCandidate| {
            let texts = || literals.get(a.literal).storage_order(&literals.get(b.literal));
            (a.node, a.rank).cmp(&(b.node, b.rank)).then_with(texts)
        };
        candidates.sort_unstable_by(order);
        let mut renamed: HashSet<u32> = HashSet::new();
        let mut names: Vec<(u32, NameKind, u32)> = Vec::new();
        let mut n_labels = 0;
        for of_node in candidates.chunk_by(|a, b| a.node == b.node) {
            let best = of_node[0];
            if best.rank < n_preferred && labelled.contains(&best.node) {
                renamed.insert(best.node);
            }
            n_labels += 1;
            for (position, other) in of_node.iter().filter(|other| other.rank == best.rank).enumerate() {
                let kind = if position == 0 { NameKind::Label } else { NameKind::Alias };
                names.push((best.node, kind, self.as_text(other.literal)));
            }
        }
        for (node, kind, _) in &mut self.names {
            if *kind == NameKind::Label && renamed.contains(node) {
                *kind = NameKind::Alias;
            }
        }
        self.names.extend(names);
        Ok(n_labels)
    }

    /// A name is text, whatever its datatype.
    fn as_text(&mut self, literal: u32) -> u32 {
        let found = self.literals.get(literal);
        if found.kind().family() == LiteralFamily::Text {
            return literal;
        }
        let text = found.text().to_owned();
        self.literals.intern(&Literal::text_value(&text))
    }

    /// The properties declared as sub-properties of `rdfs:label` or `skos:prefLabel`, directly or indirectly.
    fn label_sub_properties(&mut self) -> Result<Vec<u32>> {
        let Some(sub_property) = self.properties.find(&format!("{RDFS}subPropertyOf")) else {
            return Ok(Vec::new());
        };
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        self.facts.for_each(|fact| {
            if fact.property == sub_property && !RawValue(fact.value).is_literal() {
                children.entry(fact.value).or_default().push(fact.subject);
            }
            Ok(())
        })?;
        let labels = [format!("{RDFS}label"), format!("{SKOS}prefLabel")];
        let mut open: Vec<u32> = labels.iter().filter_map(|iri| self.nodes.find(iri)).collect();
        let mut found: HashSet<u32> = HashSet::new();
        while let Some(parent) = open.pop() {
            for &child in children.get(&parent).map_or(&[][..], Vec::as_slice) {
                if found.insert(child) {
                    open.push(child);
                }
            }
        }
        let mut properties: Vec<u32> =
            found.iter().filter_map(|&node| self.properties.find(self.nodes.get(node))).collect();
        properties.sort_unstable();
        Ok(properties)
    }
}
