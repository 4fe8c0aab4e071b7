//! Puts filters on values, values on things, and conditions on facts, after all triples of KQA Pro's graph are read.

use super::{FactNode, Graph, ValueNode, once};
use crate::loss::Loss;
use crate::pattern::PatternFact;
use crate::query::{Condition as QualifierCondition, Set};
use crate::sparql::block::Block;
use crate::sparql::filters::{self, Condition};
use crate::sparql::names::{Namespaces, kqapro};
use crate::sparql::{NotRecognised, OutsideAlgebra};
use crate::value::Value;
use touchstone_kb::{Comparison, LiteralKind};

/// What values are compared with, by thing.
type Comparisons = Vec<Vec<(Comparison, Value)>>;

impl<'q> Graph<'q> {
    /// Puts filters on values, values on things, and conditions on facts.
    pub(super) fn resolve(&mut self, block: &Block<'q>, lost: &mut Vec<Loss>) -> Result<(), NotRecognised> {
        let comparisons = self.comparisons(block, lost)?;
        self.add_fact_nodes(&comparisons, lost)?;
        self.check_hidden()?;
        for (thing, comparisons) in comparisons.into_iter().enumerate() {
            if !self.hidden[thing] {
                let values = comparisons
                    .into_iter()
                    .map(|(comparison, value)| Set::Values(comparison, Box::new(value)));
                self.pattern.things[thing].extend(values);
            }
        }
        Ok(())
    }

    /// What each value node is compared with, by its constant and by filters on its variables.
    fn comparisons(&mut self, block: &Block<'q>, lost: &mut Vec<Loss>) -> Result<Comparisons, NotRecognised> {
        let names = Namespaces::default();
        let mut compared: Vec<(&str, Comparison, Value)> = Vec::new();
        for condition in filters::read(&block.filters, &names, lost)? {
            match condition {
                Condition::Value(variable, comparison, value) => {
                    compared.push((variable.as_str(), comparison, value));
                }
                _ => return Err(NotRecognised::new(OutsideAlgebra::FilterWithoutComparison)),
            }
        }
        let mut used = vec![false; compared.len()];
        let mut all: Comparisons = vec![Vec::new(); self.values.len()];
        for (thing, node) in self.values.iter().enumerate() {
            if let Some(constant) = &node.constant {
                all[thing].push((Comparison::Equal, node.value(constant)));
            }
            for (i, (variable, comparison, value)) in compared.iter().enumerate() {
                if node.variables.contains(variable) {
                    all[thing].push((*comparison, node.value(value)));
                    once(!std::mem::replace(&mut used[i], true))?;
                }
            }
            node.check(&all[thing], lost)?;
            if !node.variables.is_empty() && all[thing].is_empty() {
                self.unbound.push(thing);
            }
        }
        let shared =
            |variable: &str| self.values.iter().filter(|node| node.variables.contains(&variable)).count() > 1;
        if self.values.iter().flat_map(|node| &node.variables).any(|variable| shared(variable)) {
            return Err(NotRecognised::new(OutsideAlgebra::EqualValues));
        }
        if used.contains(&false) {
            return Err(NotRecognised::new(OutsideAlgebra::FilterOnNonValue));
        }
        Ok(all)
    }

    /// Adds the facts that fact nodes stand for, with conditions on their qualifiers.
    fn add_fact_nodes(
        &mut self,
        comparisons: &Comparisons,
        lost: &mut Vec<Loss>,
    ) -> Result<(), NotRecognised> {
        let mut described: Vec<usize> = Vec::new();
        let facts: Vec<(usize, FactNode)> =
            self.facts.iter().cloned().enumerate().filter(|(_, f)| f.property.is_some()).collect();
        for (node, fact) in facts {
            self.hidden[node] = true;
            let (Some(subject), Some(property), Some(object)) = (fact.subject, fact.property, fact.object)
            else {
                return Err(NotRecognised::new(OutsideAlgebra::IncompleteFactNode));
            };
            let found = self
                .pattern
                .facts
                .iter()
                .position(|f| f.subject == subject && f.property == property && f.object == object);
            let place = found.unwrap_or_else(|| {
                self.pattern.facts.push(PatternFact {
                    subject,
                    property: property.into(),
                    object,
                    conditions: Vec::new(),
                });
                self.pattern.facts.len() - 1
            });
            if described.contains(&place) {
                lost.push(Loss::SameFact);
            }
            described.push(place);
            for (qualifier, value) in fact.qualifiers {
                if comparisons[value].is_empty() {
                    self.untested.push(value);
                }
                for (comparison, value) in &comparisons[value] {
                    let condition = QualifierCondition {
                        qualifier: qualifier.as_str().into(),
                        comparison: *comparison,
                        value: value.clone(),
                    };
                    self.pattern.facts[place].conditions.push(condition);
                }
            }
        }
        Ok(())
    }

    /// What is not part of the pattern itself may be used in one place only.
    fn check_hidden(&self) -> Result<(), NotRecognised> {
        for thing in (0..self.hidden.len()).filter(|&thing| self.hidden[thing]) {
            let in_fact = self.pattern.facts.iter().any(|fact| fact.subject == thing || fact.object == thing);
            let qualifiers = self.facts.iter().flat_map(|fact| &fact.qualifiers);
            let n_qualifiers = qualifiers.filter(|(_, value)| *value == thing).count();
            if in_fact || n_qualifiers > 1 || !self.pattern.things[thing].is_empty() {
                return Err(NotRecognised::new(OutsideAlgebra::HelperNodeUsedTwice));
            }
        }
        Ok(())
    }
}

impl ValueNode<'_> {
    /// The value with its unit and its kind.
    fn value(&self, written: &Value) -> Value {
        match (self.kind, &self.unit) {
            (kqapro::YEAR, _) => Value::xsd(written.text.clone(), "gYear"),
            (kqapro::DATE, _) => Value::xsd(written.text.clone(), "date"),
            (_, Some(unit)) => Value::quantity(written.text.clone(), unit),
            _ => written.clone(),
        }
    }

    /// Refuses units that do not belong to a number that is compared, and notes what the comparisons lose.
    fn check(&self, comparisons: &[(Comparison, Value)], lost: &mut Vec<Loss>) -> Result<(), NotRecognised> {
        if self.unit.is_some() && self.kind != kqapro::VALUE {
            return Err(NotRecognised::new(OutsideAlgebra::UnitOfNonNumber));
        }
        let is_inexact = comparisons.iter().any(|(comparison, _)| *comparison != Comparison::Equal);
        if self.kind == kqapro::DATE && is_inexact {
            lost.push(Loss::DatesOnly);
        }
        if self.unit.is_some() && comparisons.is_empty() {
            return Err(NotRecognised::new(OutsideAlgebra::UnitWithoutValue));
        }
        let is_quantity = |(_, value): &(Comparison, Value)| value.literal().kind() == LiteralKind::Quantity;
        if self.unit.is_none() && comparisons.iter().any(is_quantity) {
            lost.push(Loss::UnitsIgnored);
        }
        Ok(())
    }
}
