//! Decides which questions may be in training: some domains of the schema and some templates are held out.

use crate::cast;
use crate::make::Cell;
use crate::recipe::Splits;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;
use touchstone_benchmark::Random;
use touchstone_kb::{ClassId, Kb, Property, nearest_name};
use touchstone_logic::level::SchemaItems;

/// What is held out of training.
pub(crate) struct Division {
    /// Domains of the schema.
    pub held_out: Vec<String>,
    items: HashSet<String>,
    seed: u64,
    /// Number of templates per thousand that are held out.
    permille: u64,
}

/// Error: the schema does not have a domain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("[splits] held_out: the schema has no domain `{name}`{hint}; it has {known}", hint = .nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
pub struct UnknownDomain {
    /// The name in the recipe.
    pub name: String,
    /// The domains of the schema, separated by commas.
    pub known: String,
    /// The nearest known domain.
    pub nearest: Option<String>,
}

impl Division {
    /// Chooses what to hold out.
    pub(crate) fn new(kb: &Kb, splits: &Splits, seed: u64) -> Result<Division, UnknownDomain> {
        let mut random = Random::new(seed, "division");
        let mut groups: Vec<&str> = kb.groups().collect();
        for name in &splits.held_out {
            if !groups.contains(&name.as_str()) {
                let known = if groups.is_empty() { "none".to_owned() } else { groups.join(", ") };
                let nearest = nearest_name(name, groups.iter().copied()).map(str::to_owned);
                return Err(UnknownDomain { name: name.clone(), known, nearest });
            }
        }
        let [iid, compositional, zero_shot_weight] = splits.level_weights();
        let zero_shot = zero_shot_weight > 0.0 && splits.dev + splits.test > 0.0;
        let mut held_out = splits.held_out.clone();
        let in_group = |group: &str| items(kb).filter(|(_, of)| *of == Some(group)).count();
        if held_out.is_empty() && zero_shot {
            // Domains with enough to ask about, but small enough to leave something for training.
            let n_items = items(kb).count();
            groups.retain(|group| (4..=n_items / 4).contains(&in_group(group)) && *group != "general");
            random.shuffle(&mut groups);
            held_out.extend(groups.iter().take(splits.held_out_domains).map(|group| (*group).to_owned()));
        }
        let mut kept_out: HashSet<String> = items(kb)
            .filter(|(_, group)| group.is_some_and(|group| held_out.iter().any(|held| held == group)))
            .map(|(id, _)| id.to_owned())
            .collect();
        if zero_shot {
            let wanted = cast::truncated((splits.held_out_share * cast::float(items(kb).count())).ceil());
            for id in scattered(kb, &kept_out, &mut random) {
                if kept_out.len() >= wanted {
                    break;
                }
                kept_out.insert(id);
            }
        }
        held_out.sort();
        let evaluated =
            (splits.dev + splits.test) / (splits.train + splits.dev + splits.test).max(f64::MIN_POSITIVE);
        let levels = (iid + compositional + zero_shot_weight).max(f64::MIN_POSITIVE);
        let share = evaluated * compositional / levels;
        // Hold out more templates than the number of questions wanted: rare templates give one question, frequent ones many.
        let permille =
            if share > 0.0 { (cast::truncated((share * 1000.0).ceil()) as u64 + 50).min(500) } else { 0 };
        Ok(Division { held_out, items: kept_out, seed, permille })
    }

    /// The schema items that are held out, in order.
    pub(crate) fn held_out_items(&self) -> Vec<String> {
        let mut items: Vec<String> = self.items.iter().cloned().collect();
        items.sort_unstable();
        items
    }

    /// Whether a class or property is held out of training.
    pub(crate) fn keeps_out(&self, id: &str) -> bool {
        self.items.contains(id)
    }

    /// The cell for a question with these schema items and this template.
    pub(crate) fn cell(&self, items: &SchemaItems, template: &str) -> Cell {
        let SchemaItems { classes, properties, qualifiers } = items;
        if classes.iter().chain(properties).chain(qualifiers).any(|item| self.items.contains(item.as_str())) {
            return Cell::ZERO_SHOT;
        }
        match Random::new(self.seed, template).number() % 1000 < self.permille {
            true => Cell::COMPOSITIONAL,
            false => Cell::Train,
        }
    }
}

/// Maximum number of properties at a class that may be held out: without a class that many relations lead to, little is left for training.
const FEW_PROPERTIES: usize = 4;

/// A class with more than this fraction of all entities is large.
const LARGE: usize = 20;

/// Items of the schema to hold out, one of each domain in turn: relations, attributes and the classes that few properties are about.
fn scattered(kb: &Kb, kept_out: &HashSet<String>, random: &mut Random) -> Vec<String> {
    let mut uses: HashMap<ClassId, usize> = HashMap::new();
    let ends = kb.relations().flat_map(|r| [kb.relation_domain(r), kb.relation_range(r)]);
    let ends = ends.chain(kb.attributes().map(|a| kb.attribute_domain(a)));
    ends.flatten().for_each(|class| *uses.entry(class).or_default() += 1);
    // A schema may say nothing about classes: a class that many entities are in is left alone, too.
    let is_small = |class: &ClassId| kb.members(*class).len() * LARGE <= kb.n_entities();
    let classes = kb.classes().filter(|class| uses.get(class).copied().unwrap_or(0) <= FEW_PROPERTIES);
    let classes = classes.filter(is_small);
    let classes = classes.map(|c| (kb.node_id(kb.class_node(c)), kb.class_group(c)));
    let mut by_domain: BTreeMap<Option<&str>, Vec<&str>> = BTreeMap::new();
    for (id, domain) in classes.chain(properties(kb)).filter(|(id, _)| !kept_out.contains(*id)) {
        by_domain.entry(domain).or_default().push(id);
    }
    by_domain.values_mut().for_each(|ids| random.shuffle(ids));
    let longest = by_domain.values().map(Vec::len).max().unwrap_or(0);
    // A domain keeps at least two thirds of its items.
    let in_turn = (0..longest).flat_map(|at| {
        by_domain.values().filter(move |ids| at < ids.len().div_ceil(3)).map(move |ids| ids[at])
    });
    in_turn.map(str::to_owned).collect()
}

/// Relations and attributes with their domains.
fn properties(kb: &Kb) -> impl Iterator<Item = (&str, Option<&str>)> {
    let relations = kb.relations().map(|r| (kb.relation_id(r), kb.property_group(Property::Relation(r))));
    let attributes = kb.attributes().map(|a| (kb.attribute_id(a), kb.property_group(Property::Attribute(a))));
    relations.chain(attributes)
}

/// Classes, relations, attributes and qualifier keys with their domains.
fn items(kb: &Kb) -> impl Iterator<Item = (&str, Option<&str>)> {
    let classes = kb.classes().map(|c| (kb.node_id(kb.class_node(c)), kb.class_group(c)));
    let qualifiers = kb.qualifier_keys().map(|q| (kb.qualifier_id(q), kb.qualifier_group(q)));
    classes.chain(properties(kb)).chain(qualifiers)
}
