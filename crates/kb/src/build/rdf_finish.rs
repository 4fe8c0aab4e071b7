//! Steps that need all triples: names of properties, usual units, the base of ids.

use super::builder::{KbBuilder, LITERAL_BIT, NameKind, RawFact, RawValue};
use super::literals::LiteralTable;
use super::sorter::Spill;
use crate::cast::index32;
use crate::error::Result;
use crate::iri::{IriScheme, Resource, encode, is_absolute};
use crate::literal::{Literal, LiteralKind, UNIT_NAMESPACE};
use crate::vocabulary::RdfVocabulary;

impl KbBuilder {
    /// In RDF a property is named like any other resource, and whether it is a property is known only at the end.
    /// Returns the number of names that were dropped because properties have no aliases.
    pub(crate) fn name_properties(&mut self) -> u64 {
        let mut n_aliases = 0;
        let mut names: Vec<(Option<u32>, Option<u32>, NameKind, u32)> = Vec::new();
        for &(node, kind, name) in &self.names {
            let id = self.nodes.get(node);
            // Other ids have separate IRIs as properties.
            if self.meta.vocabulary != RdfVocabulary::Freebase && !is_absolute(id) {
                continue;
            }
            let property = self.properties.find(id);
            let qualifier = self.qualifiers.find(id);
            if property.is_none() && qualifier.is_none() {
                continue;
            }
            self.also_properties.insert(node);
            match kind {
                NameKind::Alias => {
                    n_aliases += u64::from(property.is_some()) + u64::from(qualifier.is_some())
                }
                _ => names.push((property, qualifier, kind, name)),
            }
        }
        for (property, qualifier, kind, name) in names {
            for (is_qualifier, index) in [(false, property), (true, qualifier)] {
                let Some(index) = index else { continue };
                let infos = if is_qualifier { &self.qualifier_info } else { &self.property_info };
                let info = &infos[index as usize];
                let old = if kind == NameKind::Label { info.label } else { info.description };
                if old.is_some_and(|old| self.name_order(old, name).is_le()) {
                    continue;
                }
                let infos = if is_qualifier { &mut self.qualifier_info } else { &mut self.property_info };
                let info = &mut infos[index as usize];
                *(if kind == NameKind::Label { &mut info.label } else { &mut info.description }) = Some(name);
            }
        }
        let groups = std::mem::take(&mut self.node_groups);
        for (node, group) in groups {
            let id = self.nodes.get(node).to_owned();
            let shared = self.meta.vocabulary == RdfVocabulary::Freebase || is_absolute(&id);
            let property = self.properties.find(&id).filter(|_| shared);
            let qualifier = self.qualifiers.find(&id).filter(|_| shared);
            if let Some(property) = property {
                self.property_info[property as usize].group = Some(group.clone());
            }
            if let Some(qualifier) = qualifier {
                self.qualifier_info[qualifier as usize].group = Some(group.clone());
            }
            if self.is_class[node as usize] || property.is_none() && qualifier.is_none() {
                self.node_groups.insert(node, group);
            }
        }
        n_aliases
    }

    /// In RDF a quantity in the usual unit of its attribute is written as a plain number: restores its unit,
    /// now that the units of all attributes are known.
    pub(crate) fn apply_units(&mut self) -> Result<()> {
        let dimensionless = format!("{UNIT_NAMESPACE}1");
        // If triples are kept as written, no two of them may become equal.
        let exact = self.asserted.is_some();
        let namespace = self.meta.unit_namespace.clone().unwrap_or_else(|| UNIT_NAMESPACE.to_owned());
        let units: Vec<String> =
            self.property_info.iter().map(|info| info.unit.clone().unwrap_or_default()).collect();
        if units.iter().all(String::is_empty) {
            return Ok(());
        }
        let with_unit = |literals: &mut LiteralTable, property: u32, value: RawValue| {
            let unit = &units[property as usize];
            if unit.is_empty() || !value.is_literal() {
                return value;
            }
            let literal = literals.get(index32(value.index()));
            let text = literal.text().to_owned();
            let datatype = encode(&namespace, unit);
            let changed = match literal.kind() {
                LiteralKind::Quantity if literal.unit().is_empty() => {
                    Literal::quantity_of(&text, unit, literal.number_type())
                }
                // With its unit it is another term than the plain number with the same meaning.
                LiteralKind::Quantity if exact && literal.unit() == unit => {
                    Some(Literal::typed_text(&text, &datatype))
                }
                LiteralKind::TypedText if !exact && literal.datatype() == dimensionless => {
                    Literal::quantity(&text, "")
                }
                _ => None,
            };
            changed.map_or(value, |literal| RawValue(literals.intern(&literal) | LITERAL_BIT))
        };
        let quotes = self.more_quotes.iter_mut().map(|(_, statement)| statement);
        for statement in self.statements.values_mut().chain(quotes) {
            if let (Some(property), Some(value)) = (statement.property, statement.value) {
                statement.value = Some(with_unit(&mut self.literals, property, value));
            }
        }
        let old = std::mem::replace(&mut self.facts, Spill::new(&self.workspace));
        old.into_each(|mut fact: RawFact| {
            // Statements about a statement are qualifiers, which have their own unit.
            if !self.statements.contains_key(&fact.subject) {
                fact.value = with_unit(&mut self.literals, fact.property, RawValue(fact.value)).0;
            }
            self.facts.push(fact)
        })
    }

    /// Removes the base from the ids of an exported KB.
    pub(crate) fn take_away_base(&mut self, base: &str) {
        self.meta.base = base.to_owned();
        let scheme = IriScheme { base: base.to_owned(), vocabulary: self.meta.vocabulary };
        self.nodes = self.nodes.renamed(|id| match scheme.resource(id) {
            Resource::Node(id) => id.into_owned(),
            Resource::Property(_) | Resource::Qualifier(_) => id.to_owned(),
        });
        // Qualifier keys that occur as predicates keep their IRI until they are known to be qualifiers.
        self.properties = self.properties.renamed(|id| match scheme.resource(id) {
            Resource::Property(id) => id.into_owned(),
            Resource::Node(_) | Resource::Qualifier(_) => id.to_owned(),
        });
        self.qualifiers = self.qualifiers.renamed(|id| match scheme.resource(id) {
            Resource::Qualifier(id) => id.into_owned(),
            Resource::Node(_) | Resource::Property(_) => id.to_owned(),
        });
    }
}
