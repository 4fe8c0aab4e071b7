//! The units of the columns of a SPARQL query: plain triples show a quantity in the usual unit of its attribute as a bare number.

use crate::sparql::{for_each_inside, is_shallow};
use hashbrown::HashMap;
use oxrdf::{Term, Variable};
use spargebra::Query;
use spargebra::algebra::GraphPattern;
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};
use touchstone_kb::Kb;
use touchstone_kb::rdf::{DirectView, RdfTerm, RdfView};

/// The unit of each column that is always the value of an attribute with a usual unit; `None` for all others.
pub(crate) fn column_units<'k>(
    query: &Query,
    variables: &[Variable],
    view: &DirectView<'k>,
    kb: &'k Kb,
) -> Vec<Option<&'k str>> {
    let mut finder = UnitFinder { view, kb, units: HashMap::new() };
    if let Query::Select { pattern, .. } = query
        && is_shallow(query)
    {
        finder.look_at(pattern);
    }
    variables.iter().map(|variable| finder.units.get(variable).copied().flatten()).collect()
}

struct UnitFinder<'v, 'k> {
    view: &'v DirectView<'k>,
    kb: &'k Kb,
    /// By variable: its unit; `None` if there are several, or if it is computed.
    units: HashMap<Variable, Option<&'k str>>,
}

impl UnitFinder<'_, '_> {
    fn look_at(&mut self, pattern: &GraphPattern) {
        match pattern {
            GraphPattern::Bgp { patterns } => patterns.iter().for_each(|triple| self.triple(triple)),
            GraphPattern::Extend { variable, .. } => {
                self.units.insert(variable.clone(), None);
            }
            _ => {}
        }
        for_each_inside(pattern, &mut |inner| self.look_at(inner));
    }

    fn triple(&mut self, triple: &TriplePattern) {
        let (NamedNodePattern::NamedNode(predicate), TermPattern::Variable(object)) =
            (&triple.predicate, &triple.object)
        else {
            return;
        };
        let Some(RdfTerm::Attribute(attribute)) = self.view.encode(&Term::NamedNode(predicate.clone()))
        else {
            return;
        };
        let unit = Some(self.kb.plain_unit(attribute)).filter(|unit| !unit.is_empty());
        let known = self.units.entry(object.clone()).or_insert(unit);
        if *known != unit {
            *known = None;
        }
    }
}
