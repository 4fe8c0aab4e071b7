//! Writes nodes, their names, the class hierarchy, and literals.

use super::builder::{KbBuilder, NameKind};
use super::compile::{ABSENT, Numbers, check};
use super::hierarchy::{Hierarchy, Unclosed};
use crate::cast::index32;
use crate::error::{KbError, Result};
use crate::progress::Progress;
use crate::store::fingerprint::ContentHasher;
use crate::store::name_of_iri;
use crate::store::writer::{RowsBuffer, StoreWriter};
use rayon::prelude::*;

/// Maximum number of pairs of a class with a superclass, or with a member, unless there are very many classes or members.
const DEFAULT_MAX_CLOSURE: u64 = 50_000_000;

/// What later stages need to know about nodes.
pub(crate) struct NodeSummary {
    /// Labels and aliases, as (node, literal).
    pub(crate) names: Vec<(u32, u32)>,
    /// The names of nodes without a label.
    pub(crate) iri_names: Vec<(u32, String)>,
    pub(crate) hierarchy: Hierarchy,
    pub(crate) content: ContentHasher,
}

/// The names of nodes.
struct NodeNames {
    /// Labels and aliases, as (node, literal).
    names: Vec<(u32, u32)>,
    /// The names of nodes without a label.
    iri_names: Vec<(u32, String)>,
}

impl KbBuilder {
    /// Writes everything about nodes and literals that does not depend on facts.
    pub(crate) fn write_nodes_and_literals(
        &self,
        numbers: &Numbers,
        writer: &StoreWriter,
        progress: &dyn Progress,
    ) -> Result<NodeSummary> {
        let mut content = ContentHasher::new();
        let NodeNames { names, iri_names } = self.write_nodes(numbers, writer, &mut content)?;
        check(progress)?;
        let hierarchy = self.write_classes(numbers, writer, &mut content, progress)?;
        check(progress)?;
        self.write_literals(numbers, writer, &mut content, progress)?;
        Ok(NodeSummary { names, iri_names, hierarchy, content })
    }

    /// Writes ids, labels, descriptions and aliases; returns all names.
    fn write_nodes(
        &self,
        numbers: &Numbers,
        writer: &StoreWriter,
        content: &mut ContentHasher,
    ) -> Result<NodeNames> {
        let n = numbers.n_nodes();
        let ids = || numbers.node_order.iter().map(|&node| self.nodes.get(node));
        writer.write_strings("node_id", ids())?;
        content.section("nodes");
        content.u32(index32(numbers.n_entities));
        ids().for_each(|id| content.text(id));

        let mut names: Vec<(u32, NameKind, u32)> = self
            .names
            .iter()
            .map(|&(node, kind, name)| (numbers.node[node as usize], kind, name))
            .filter(|&(node, _, _)| node != ABSENT)
            .collect();
        // The first label is the main one.
        names.par_sort_unstable_by(|a, b| {
            (a.0, a.1)
                .cmp(&(b.0, b.1))
                .then_with(|| if a.2 == b.2 { std::cmp::Ordering::Equal } else { self.name_order(a.2, b.2) })
        });
        names.dedup();
        let names = names.into_iter().map(|(node, kind, name)| (node, kind, numbers.literal[name as usize]));
        let (mut labels, mut descriptions) = (vec![ABSENT; n], vec![ABSENT; n]);
        let mut aliases: Vec<(u32, u32)> = Vec::new();
        for (node, kind, name) in names {
            let place = match kind {
                NameKind::Label => &mut labels[node as usize],
                NameKind::Description => &mut descriptions[node as usize],
                NameKind::Alias => {
                    aliases.push((node, name));
                    continue;
                }
            };
            if *place == ABSENT {
                *place = name;
            } else if kind == NameKind::Label {
                aliases.push((node, name));
            }
        }
        aliases.retain(|&(node, name)| labels[node as usize] != name);
        aliases.sort_unstable();
        aliases.dedup();
        writer.write("node_label", &labels)?;
        writer.write("node_description", &descriptions)?;
        writer.write_rows("aliases", &RowsBuffer::from_sorted_pairs(n, &aliases)?)?;
        content.section("names");
        content.numbers(&labels);
        content.numbers(&descriptions);
        aliases.iter().for_each(|&(node, name)| content.numbers(&[node, name]));
        let labelled = labels.iter().enumerate().filter(|&(_, &label)| label != ABSENT);
        let mut all = aliases;
        all.extend(labelled.map(|(node, &label)| (index32(node), label)));
        let unlabelled = ids().zip(&labels).enumerate().filter(|(_, (_, label))| **label == ABSENT);
        let iri_names: Vec<(u32, String)> = unlabelled
            .filter_map(|(node, (id, _))| Some((index32(node), name_of_iri(id)?.into_owned())))
            .collect();
        let is_decoded = |(node, name): &&(u32, String)| {
            !self.nodes.get(numbers.node_order[*node as usize]).ends_with(name.as_str())
        };
        let decoded: Vec<&(u32, String)> = iri_names.iter().filter(is_decoded).collect();
        if !decoded.is_empty() {
            let nodes: Vec<u32> = decoded.iter().map(|(node, _)| *node).collect();
            writer.write("decoded_name_node", &nodes)?;
            writer.write_strings("decoded_name", decoded.iter().map(|(_, name)| name.as_str()))?;
        }
        Ok(NodeNames { names: all, iri_names })
    }

    /// Writes the hierarchy and the members of each class.
    fn write_classes(
        &self,
        numbers: &Numbers,
        writer: &StoreWriter,
        content: &mut ContentHasher,
        progress: &dyn Progress,
    ) -> Result<Hierarchy> {
        let n_classes = numbers.n_classes;
        let class = |raw: u32| numbers.node[raw as usize] - index32(numbers.n_entities);
        let edges = self.parents.iter().map(|&(child, parent)| (class(child), class(parent))).collect();
        let hierarchy = Hierarchy::new(n_classes, edges);
        let too_deep = |what, limit, class: u32, ancestors| {
            let node = numbers.node_order[numbers.n_entities + class as usize];
            let class = self.nodes.get(node).to_owned();
            KbError::DeepHierarchy { what, limit, class, ancestors }
        };
        let limit = self.closure_limit(n_classes);
        let ancestors = hierarchy.ancestors(limit, progress).map_err(|unclosed| match unclosed {
            Unclosed::TooMany { class, ancestors } => {
                too_deep("pairs of a class and a super-class", limit, class, ancestors)
            }
            Unclosed::Stopped(error) => error,
        })?;
        let pairs = |lists: &[Vec<u32>]| -> Vec<(u32, u32)> {
            let rows = lists.iter().enumerate();
            rows.flat_map(|(row, list)| list.iter().map(move |&v| (index32(row), v))).collect()
        };
        let parents = pairs(&hierarchy.parents);
        let mut children: Vec<(u32, u32)> = parents.iter().map(|&(c, p)| (p, c)).collect();
        children.sort_unstable();
        writer.write_rows("class_parents", &RowsBuffer::from_sorted_pairs(n_classes, &parents)?)?;
        writer.write_rows("class_children", &RowsBuffer::from_sorted_pairs(n_classes, &children)?)?;
        writer.write_rows("class_ancestors", &RowsBuffer::from_lists(&ancestors)?)?;
        check(progress)?;

        let mut class_of: Vec<(u32, u32)> = self
            .class_of
            .iter()
            .map(|&(node, c)| (numbers.node[node as usize], class(c)))
            .filter(|&(node, _)| node != ABSENT)
            .collect();
        class_of.par_sort_unstable();
        class_of.dedup();
        let classes = RowsBuffer::from_sorted_pairs(numbers.n_nodes(), &class_of)?;
        writer.write_rows("node_classes", &classes)?;
        let mut members: Vec<(u32, u32)> = class_of.iter().map(|&(node, c)| (c, node)).collect();
        members.par_sort_unstable();
        writer.write_rows("class_members", &RowsBuffer::from_sorted_pairs(n_classes, &members)?)?;
        check(progress)?;
        let limit = self.closure_limit(class_of.len());
        let n_inherited: u64 = class_of.iter().map(|&(_, c)| ancestors[c as usize].len() as u64).sum();
        if n_inherited > limit {
            let deepest = (0..index32(n_classes)).max_by_key(|&c| ancestors[c as usize].len()).unwrap_or(0);
            let depth = ancestors.get(deepest as usize).map_or(0, Vec::len);
            return Err(too_deep("pairs of a class and a member", limit, deepest, depth));
        }
        // Nodes come in ascending order, so all lists are sorted, and duplicates are adjacent.
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); n_classes];
        for (position, &(node, class)) in class_of.iter().enumerate() {
            if position.is_multiple_of(1 << 8) {
                check(progress)?;
            }
            for &class in std::iter::once(&class).chain(&ancestors[class as usize]) {
                let members = &mut members[class as usize];
                if members.last() != Some(&node) {
                    members.push(node);
                }
            }
        }
        drop(ancestors);
        writer.write_rows("class_members_all", &RowsBuffer::from_lists(&members)?)?;

        content.section("classes");
        parents.iter().for_each(|&(c, p)| content.numbers(&[c, p]));
        content.section("class of");
        class_of.iter().for_each(|&(node, c)| content.numbers(&[node, c]));
        Ok(hierarchy)
    }

    /// Maximum number of pairs of a closure over `direct` pairs: a typical number for each of them is always allowed.
    fn closure_limit(&self, direct: usize) -> u64 {
        self.max_closure.unwrap_or_else(|| (64 * direct as u64).max(DEFAULT_MAX_CLOSURE))
    }

    fn write_literals(
        &self,
        numbers: &Numbers,
        writer: &StoreWriter,
        content: &mut ContentHasher,
        progress: &dyn Progress,
    ) -> Result<()> {
        let order = &numbers.literal_order;
        let tags = self.literals.sorted_tags(order);
        writer.write_strings("tag", tags.iter().copied())?;
        let rank_of_tag = self.literals.tag_ranks(&tags);
        let rank = |&id: &u32| rank_of_tag[self.literals.tag_of(id) as usize];
        writer.write("literal_tag", &order.par_iter().map(rank).collect::<Vec<u32>>())?;
        // Literals are scattered in memory, so each is visited once for all columns.
        let mut starts: Vec<u64> = Vec::with_capacity(order.len() + 1);
        let (mut kinds, mut types, mut keys) = (Vec::new(), Vec::new(), Vec::with_capacity(order.len()));
        let mut bytes = writer.column::<u8>("literal_text.bytes")?;
        starts.push(0);
        content.section("literals");
        for (position, &id) in order.iter().enumerate() {
            if position.is_multiple_of(1 << 16) {
                check(progress)?;
            }
            let literal = self.literals.get(id);
            kinds.push(literal.kind as u8);
            types.push(literal.number_type as u8);
            keys.push(literal.key);
            bytes.extend(literal.text.as_bytes())?;
            starts.push(bytes.len());
            content.u32((literal.kind as u32) << 8 | literal.number_type as u32);
            content.text(literal.text);
            content.text(literal.tag);
        }
        bytes.finish()?;
        writer.write("literal_text.starts", &starts)?;
        writer.write("literal_kind", &kinds)?;
        writer.write("literal_number_type", &types)?;
        writer.write::<u64>("literal_key", &keys)
    }
}
