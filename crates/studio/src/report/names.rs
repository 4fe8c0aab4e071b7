//! The names of what query graphs name by ids.

use std::collections::BTreeMap;
use touchstone_benchmark::{GradeRow, Graph};
use touchstone_kb::Kb;

/// The names of all ids in the graphs of some rows, as the KB has them.
pub(crate) fn names_in<'r>(kb: &Kb, rows: impl Iterator<Item = &'r GradeRow>) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let mut add = |id: &str, name: Option<&str>| {
        if let Some(name) = name.filter(|name| !name.is_empty() && *name != id) {
            names.insert(id.to_owned(), name.to_owned());
        }
    };
    for graph in rows.flat_map(|row| [&row.graph, &row.predicted_graph]).flatten() {
        let Graph { vertices, edges, .. } = graph;
        vertices.iter().for_each(|vertex| add(&vertex.label, node_name(kb, &vertex.label)));
        edges.iter().for_each(|edge| add(&edge.label, property_name(kb, &edge.label)));
    }
    names
}

fn node_name<'k>(kb: &'k Kb, id: &str) -> Option<&'k str> {
    kb.node(id).map(|node| kb.label(node))
}

fn property_name<'k>(kb: &'k Kb, id: &str) -> Option<&'k str> {
    let relation = || kb.relation(id).map(|relation| kb.relation_label(relation));
    let attribute = || kb.attribute(id).map(|attribute| kb.attribute_label(attribute));
    let qualifier = || kb.qualifier_key(id).map(|key| kb.qualifier_label(key));
    relation().or_else(attribute).or_else(qualifier)
}
