//! Turns what a [`KbBuilder`] collected into a compiled store.
//!
//! Everything gets its final number by sorting its text, so the result does not depend on the order of
//! import. Then facts are sorted and written (`facts.rs`), the schema (`schema.rs`) and the names
//! (`name_index.rs`).

use super::builder::{KbBuilder, LITERAL_BIT, NameKind, RawFact, RawValue, STATEMENT_BIT, TRUTHY_BIT};
use super::facts;
use super::hierarchy::Hierarchy;
use super::name_index;
use super::output::PendingDir;
use super::schema;
use super::sorter::Spill;
use crate::error::{KbError, Result};
use crate::literal::Literal;
use crate::progress::Progress;
use crate::store::fingerprint::ContentHasher;
use crate::store::writer::{RowsBuffer, StoreWriter};
use crate::store::{Counts, Manifest, STORE_FORMAT};
use crate::vocabulary::Vocabulary;
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use std::path::Path;

/// What compiling made of the input.
#[derive(Clone, Debug)]
pub struct CompileReport {
    /// The manifest of the new store.
    pub manifest: Manifest,
    /// Facts that were given more than once, with the same qualifiers.
    pub duplicate_facts: u64,
    /// Cycles of the class hierarchy that were cut, as class ids.
    pub cycles: Vec<Vec<String>>,
    /// Facts that could not be kept, by reason.
    pub left_out: Vec<(&'static str, u64)>,
}

/// No final number: the item is not part of the KB.
pub(crate) const ABSENT: u32 = u32::MAX;

/// Final numbers of everything.
#[derive(Default)]
pub(crate) struct Numbers {
    pub(crate) n_entities: usize,
    pub(crate) n_classes: usize,
    /// By provisional node: the final node.
    pub(crate) node: Vec<u32>,
    /// Provisional numbers in final order: entities, then classes.
    pub(crate) node_order: Vec<u32>,
    pub(crate) literal: Vec<u32>,
    pub(crate) literal_order: Vec<u32>,
    pub(crate) relation: Vec<u32>,
    pub(crate) relation_order: Vec<u32>,
    pub(crate) attribute: Vec<u32>,
    pub(crate) attribute_order: Vec<u32>,
    pub(crate) qualifier: Vec<u32>,
    pub(crate) qualifier_order: Vec<u32>,
    /// By provisional qualifier set: its rank by content, 0 for the empty set.
    pub(crate) set_rank: Vec<u32>,
    /// By rank: the (key, value) pairs, under final numbers.
    pub(crate) sets: Vec<Vec<(u32, u32)>>,
}

impl Numbers {
    pub(crate) fn n_nodes(&self) -> usize {
        self.n_entities + self.n_classes
    }

    /// A value under its final number, with the literal bit.
    pub(crate) fn value(&self, raw: RawValue) -> u32 {
        if raw.is_literal() { self.literal[raw.index()] | LITERAL_BIT } else { self.node[raw.index()] }
    }
}

/// What becomes of a raw fact.
enum Fate {
    Kept,
    /// It says something about the statement that is its subject.
    Qualifies,
    LeftOut(&'static str),
}

/// The statements of the source, and what they make of plain facts.
struct Statements {
    /// (subject, property) pairs for which there are statements: shortcuts give way to them.
    claimed: HashSet<(u32, u32)>,
    /// Quoted triples, and whether they are asserted.
    quoted: HashMap<(u32, u32, u32), bool>,
}

const POINTS_AT_STATEMENT: &str = "the value is the name of a statement";
const COVERED: &str = "a statement with qualifiers says the same";
const INCOMPLETE: &str = "statement without a value or subject";
const NESTED: &str = "statement about a statement";
const NOT_ASSERTED: &str = "triple that is quoted but not asserted";

impl KbBuilder {
    /// Sorts everything and writes the store to `out`, where it appears complete or not at all.
    pub fn compile(mut self, out: &Path, progress: &dyn Progress) -> Result<CompileReport> {
        let pending = PendingDir::create(out)?;
        let mut left_out: HashMap<&'static str, u64> = HashMap::new();
        let statements = self.resolve_statements(&mut left_out)?;
        progress.stage("sorting names", None);
        let usage = self.mark_used(&statements, &mut left_out)?;
        let numbers = self.number_everything(&usage)?;
        let raw_facts = std::mem::replace(&mut self.facts, Spill::new(&self.workspace));
        check(progress)?;

        let writer = StoreWriter::new(pending.path());
        let mut content = ContentHasher::new();
        let mut aliases = self.write_nodes(&numbers, &writer, &mut content)?;
        let hierarchy = self.write_classes(&numbers, &writer, &mut content)?;
        self.write_literals(&numbers, &writer, &mut content)?;
        check(progress)?;

        let mut input = facts::FactInput::new(&self.workspace, &numbers, &self.literals);
        raw_facts.into_each(|fact| match statements.fate(&self.statements, &fact) {
            Fate::Kept => input.push(&fact, &numbers),
            Fate::Qualifies | Fate::LeftOut(_) => Ok(()),
        })?;
        progress.stage("sorting facts", Some(input.len()));
        let facts = input.write(&numbers, &writer, &mut content, progress)?;
        schema::write(&self, &numbers, &facts, &writer, &mut content)?;
        check(progress)?;
        progress.stage("indexing names", None);
        aliases.sort_unstable();
        let names = name_index::write(&self, &numbers, &aliases, &facts.degree, &writer)?;

        let cycles = hierarchy.cycles.iter().map(|cycle| {
            let id = |&class: &u32| numbers.node_order[numbers.n_entities + class as usize];
            cycle.iter().map(|class| self.nodes.get(id(class)).to_owned()).collect()
        });
        let cycles = cycles.collect();
        let meta = &self.meta;
        let manifest = Manifest {
            touchstone_store: STORE_FORMAT,
            name: meta.name.clone(),
            fingerprint: content.finish(),
            source: meta.source.clone(),
            license: meta.license.clone(),
            base: if meta.base.is_empty() { DEFAULT_BASE.to_owned() } else { meta.base.clone() },
            lang: meta.lang.clone(),
            vocabulary: meta.vocabulary,
            sources: meta.sources.clone(),
            counts: Counts {
                entities: numbers.n_entities as u64,
                classes: numbers.n_classes as u64,
                relations: numbers.relation_order.len() as u64,
                attributes: numbers.attribute_order.len() as u64,
                qualifiers: numbers.qualifier_order.len() as u64,
                literals: numbers.literal_order.len() as u64,
                relational_facts: facts.n_relational,
                literal_facts: facts.n_literal,
                qualified_facts: facts.n_qualified,
                names,
            },
        };
        check(progress)?;
        writer.finish(&manifest.to_bytes())?;
        pending.commit()?;
        let mut left_out: Vec<_> = left_out.into_iter().collect();
        left_out.sort_unstable();
        Ok(CompileReport { manifest, duplicate_facts: facts.n_duplicates, cycles, left_out })
    }

    /// Turns complete statements into facts with qualifiers.
    fn resolve_statements(&mut self, left_out: &mut HashMap<&'static str, u64>) -> Result<Statements> {
        let mut resolved = Statements { claimed: HashSet::new(), quoted: HashMap::new() };
        if self.statements.is_empty() {
            return Ok(resolved);
        }
        for statement in self.statements.values() {
            if let (Some(s), Some(p), Some(v)) = (statement.subject, statement.property, statement.value) {
                if statement.quoted {
                    resolved.quoted.insert((s, p, v.0), false);
                } else {
                    resolved.claimed.insert((s, p));
                }
            }
        }
        let mut about: Vec<(u32, u32, u32)> = Vec::new();
        let KbBuilder { facts, statements, .. } = self;
        facts.for_each(|fact| {
            if let Some(asserted) = resolved.quoted.get_mut(&(fact.subject, fact.property, fact.value)) {
                *asserted = true;
            }
            if let Fate::Qualifies = resolved.fate(statements, fact) {
                about.push((fact.subject, fact.property, fact.value));
            }
            Ok(())
        })?;
        about.sort_unstable();
        let mut names: Vec<u32> = self.statements.keys().copied().collect();
        names.sort_unstable_by_key(|&name| self.nodes.bytes_of(name));
        for name in names {
            let statement = self.statements[&name];
            let (Some(subject), Some(property), Some(value)) =
                (statement.subject, statement.property, statement.value)
            else {
                *left_out.entry(INCOMPLETE).or_default() += 1;
                continue;
            };
            if statement.quoted && resolved.quoted.get(&(subject, property, value.0)) != Some(&true) {
                *left_out.entry(NOT_ASSERTED).or_default() += 1;
                continue;
            }
            if self.statements.contains_key(&subject) {
                *left_out.entry(NESTED).or_default() += 1;
                continue;
            }
            let from = about.partition_point(|&(s, _, _)| s < name);
            let mut qualifiers = Vec::new();
            for &(_, property, value) in about[from..].iter().take_while(|&&(s, _, _)| s == name) {
                let id = self.properties.get(property).to_owned();
                let label = self.property_info[property as usize].label;
                let qualifier = self.qualifier(&id);
                let info = &mut self.qualifier_info[qualifier.0 as usize];
                // Where properties and qualifier keys share their IRIs, they share their names.
                if crate::iri::is_absolute(&id) || self.meta.vocabulary == Vocabulary::Wikidata {
                    info.label = info.label.or(label);
                }
                qualifiers.push((qualifier, RawValue(value)));
            }
            let qualifiers = self.qualifier_set(&mut qualifiers);
            let value = value.0;
            self.facts.push(RawFact { subject, property, value, qualifiers, source: STATEMENT_BIT })?;
        }
        Ok(resolved)
    }

    /// Finds out what the facts that stay refer to.
    fn mark_used(
        &mut self,
        statements: &Statements,
        left_out: &mut HashMap<&'static str, u64>,
    ) -> Result<Usage> {
        let mut usage = Usage {
            node: self.is_class.clone(),
            literal: vec![false; self.literals.len()],
            relation: self.property_info.iter().map(|p| p.is_relation).collect(),
            attribute: self.property_info.iter().map(|p| p.is_attribute).collect(),
            set: vec![false; self.qualifier_sets.len()],
        };
        let KbBuilder { facts, statements: names, .. } = self;
        facts.for_each(|fact| {
            match statements.fate(names, fact) {
                Fate::Kept => {
                    let value = RawValue(fact.value);
                    usage.node[fact.subject as usize] = true;
                    usage.mark_value(value);
                    let used = if value.is_literal() { &mut usage.attribute } else { &mut usage.relation };
                    used[fact.property as usize] = true;
                    usage.set[fact.qualifiers as usize] = true;
                }
                Fate::Qualifies => {}
                Fate::LeftOut(reason) => *left_out.entry(reason).or_default() += 1,
            }
            Ok(())
        })?;
        for set in 0..self.qualifier_sets.len() as u32 {
            if usage.set[set as usize] {
                for (_, value) in set_pairs(self.qualifier_sets.bytes_of(set)) {
                    usage.mark_value(RawValue(value));
                }
            }
        }
        for &(node, _, name) in &self.names {
            if !self.statements.contains_key(&node) {
                usage.node[node as usize] = true;
                usage.literal[name as usize] = true;
            }
        }
        for &(node, _) in &self.class_of {
            usage.node[node as usize] |= !self.statements.contains_key(&node);
        }
        for name in self.statements.keys() {
            usage.node[*name as usize] = false;
        }
        let used_property = |(index, _): &(usize, &_)| usage.relation[*index] || usage.attribute[*index];
        let infos = self.property_info.iter().enumerate().filter(used_property).map(|(_, info)| info);
        for info in infos.chain(&self.qualifier_info) {
            for literal in [info.label, info.description, info.inverse_label].into_iter().flatten() {
                usage.literal[literal as usize] = true;
            }
        }
        self.add_bare_numbers(&mut usage);
        Ok(usage)
    }

    /// Every quantity with a unit gets a twin without: the *direct* RDF view shows it as a plain number.
    fn add_bare_numbers(&mut self, usage: &mut Usage) {
        for id in 0..self.literals.len() as u32 {
            let literal = self.literals.get(id);
            if usage.literal[id as usize] && !literal.unit().is_empty() {
                let text = literal.text().to_owned();
                let (number_type, kind, key) = (literal.number_type, literal.kind, literal.key);
                let bare = Literal { kind, number_type, key, text: &text, tag: "" };
                let bare = self.literals.intern(&bare) as usize;
                usage.literal.resize(self.literals.len(), false);
                usage.literal[bare] = true;
            }
        }
    }

    fn number_everything(&self, usage: &Usage) -> Result<Numbers> {
        let mut numbers = Numbers::default();
        let by_id = |interner: &super::interner::Interner, keep: &dyn Fn(u32) -> bool| {
            let mut order: Vec<u32> = (0..interner.len() as u32).filter(|&i| keep(i)).collect();
            order.par_sort_unstable_by(|&a, &b| interner.bytes_of(a).cmp(interner.bytes_of(b)));
            order
        };
        let invert = |order: &[u32], len: usize| {
            let mut inverse = vec![ABSENT; len];
            for (position, &item) in order.iter().enumerate() {
                inverse[item as usize] = position as u32;
            }
            inverse
        };
        let (is_class, used) = (&self.is_class, &usage.node);
        numbers.node_order = by_id(&self.nodes, &|i| used[i as usize] && !is_class[i as usize]);
        numbers.n_entities = numbers.node_order.len();
        let classes = by_id(&self.nodes, &|i| used[i as usize] && is_class[i as usize]);
        numbers.n_classes = classes.len();
        numbers.node_order.extend(classes);
        numbers.node = invert(&numbers.node_order, self.nodes.len());

        numbers.relation_order = by_id(&self.properties, &|i| usage.relation[i as usize]);
        numbers.relation = invert(&numbers.relation_order, self.properties.len());
        numbers.attribute_order = by_id(&self.properties, &|i| usage.attribute[i as usize]);
        numbers.attribute = invert(&numbers.attribute_order, self.properties.len());
        numbers.qualifier_order = by_id(&self.qualifiers, &|_| true);
        numbers.qualifier = invert(&numbers.qualifier_order, self.qualifiers.len());

        let literals = self.literals.sorted(|id| usage.literal[id as usize]);
        numbers.literal = invert(&literals, self.literals.len());
        numbers.literal_order = literals;

        let mut sets: Vec<(Vec<(u32, u32)>, u32)> = (1..self.qualifier_sets.len() as u32)
            .filter(|&set| usage.set[set as usize])
            .map(|set| {
                let pairs = set_pairs(self.qualifier_sets.bytes_of(set));
                let mut pairs: Vec<_> = pairs
                    .map(|(key, value)| (numbers.qualifier[key as usize], numbers.value(RawValue(value))))
                    .filter(|&(_, value)| value != ABSENT)
                    .collect();
                pairs.sort_unstable();
                (pairs, set)
            })
            .collect();
        sets.par_sort_unstable();
        numbers.set_rank = vec![0; self.qualifier_sets.len()];
        numbers.sets.push(Vec::new());
        for (pairs, set) in sets {
            numbers.set_rank[set as usize] = numbers.sets.len() as u32;
            numbers.sets.push(pairs);
        }
        Ok(numbers)
    }

    /// Writes ids, labels, descriptions and aliases; returns the aliases as (node, literal).
    fn write_nodes(
        &self,
        numbers: &Numbers,
        writer: &StoreWriter,
        content: &mut ContentHasher,
    ) -> Result<Vec<(u32, u32)>> {
        let n = numbers.n_nodes();
        let ids = || numbers.node_order.iter().map(|&node| self.nodes.get(node));
        writer.write_strings("node_id", ids())?;
        content.section("nodes");
        content.u32(numbers.n_entities as u32);
        ids().for_each(|id| content.text(id));

        let mut names: Vec<(u32, NameKind, u32)> = self
            .names
            .iter()
            .map(|&(node, kind, name)| (numbers.node[node as usize], kind, numbers.literal[name as usize]))
            .filter(|&(node, _, _)| node != ABSENT)
            .collect();
        names.par_sort_unstable();
        names.dedup();
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
        writer.write_rows("aliases", &RowsBuffer::from_sorted_pairs(n, &aliases))?;
        content.section("names");
        content.numbers(&labels);
        content.numbers(&descriptions);
        aliases.iter().for_each(|&(node, name)| content.numbers(&[node, name]));
        let labelled = labels.iter().enumerate().filter(|&(_, &label)| label != ABSENT);
        let mut all = aliases;
        all.extend(labelled.map(|(node, &label)| (node as u32, label)));
        Ok(all)
    }

    /// Writes the hierarchy and the members of each class.
    fn write_classes(
        &self,
        numbers: &Numbers,
        writer: &StoreWriter,
        content: &mut ContentHasher,
    ) -> Result<Hierarchy> {
        let n_classes = numbers.n_classes;
        let class = |raw: u32| numbers.node[raw as usize] - numbers.n_entities as u32;
        let edges = self.parents.iter().map(|&(child, parent)| (class(child), class(parent))).collect();
        let hierarchy = Hierarchy::new(n_classes, edges);
        let ancestors = hierarchy.ancestors();
        let pairs = |lists: &[Vec<u32>]| -> Vec<(u32, u32)> {
            let rows = lists.iter().enumerate();
            rows.flat_map(|(row, list)| list.iter().map(move |&v| (row as u32, v))).collect()
        };
        let parents = pairs(&hierarchy.parents);
        let mut children: Vec<(u32, u32)> = parents.iter().map(|&(c, p)| (p, c)).collect();
        children.sort_unstable();
        writer.write_rows("class_parents", &RowsBuffer::from_sorted_pairs(n_classes, &parents))?;
        writer.write_rows("class_children", &RowsBuffer::from_sorted_pairs(n_classes, &children))?;
        writer
            .write_rows("class_ancestors", &RowsBuffer::from_sorted_pairs(n_classes, &pairs(&ancestors)))?;

        let mut class_of: Vec<(u32, u32)> = self
            .class_of
            .iter()
            .map(|&(node, c)| (numbers.node[node as usize], class(c)))
            .filter(|&(node, _)| node != ABSENT)
            .collect();
        class_of.par_sort_unstable();
        class_of.dedup();
        let classes = RowsBuffer::from_sorted_pairs(numbers.n_nodes(), &class_of);
        writer.write_rows("node_classes", &classes)?;
        let mut members: Vec<(u32, u32)> = class_of.iter().map(|&(node, c)| (c, node)).collect();
        members.par_sort_unstable();
        writer.write_rows("class_members", &RowsBuffer::from_sorted_pairs(n_classes, &members))?;
        let inherited = class_of
            .par_iter()
            .flat_map_iter(|&(node, c)| ancestors[c as usize].iter().map(move |&ancestor| (ancestor, node)));
        members.par_extend(inherited);
        members.par_sort_unstable();
        members.dedup();
        writer.write_rows("class_members_all", &RowsBuffer::from_sorted_pairs(n_classes, &members))?;

        content.section("classes");
        parents.iter().for_each(|&(c, p)| content.numbers(&[c, p]));
        content.section("class of");
        class_of.iter().for_each(|&(node, c)| content.numbers(&[node, c]));
        Ok(hierarchy)
    }

    fn write_literals(
        &self,
        numbers: &Numbers,
        writer: &StoreWriter,
        content: &mut ContentHasher,
    ) -> Result<()> {
        let literals = || numbers.literal_order.iter().map(|&id| self.literals.get(id));
        writer.write_strings("literal_text", literals().map(|l| l.text))?;
        let mut tags: Vec<&str> = literals().map(|l| l.tag).chain([""]).collect();
        tags.par_sort_unstable();
        tags.dedup();
        writer.write_strings("tag", tags.iter().copied())?;
        let mut tag_column = writer.column::<u32>("literal_tag")?;
        let mut kind_column = writer.column::<u8>("literal_kind")?;
        let mut type_column = writer.column::<u8>("literal_number_type")?;
        let mut key_column = writer.column::<u64>("literal_key")?;
        content.section("literals");
        for literal in literals() {
            tag_column.push(tags.binary_search(&literal.tag).unwrap_or(0) as u32)?;
            kind_column.push(literal.kind as u8)?;
            type_column.push(literal.number_type as u8)?;
            key_column.push(literal.key)?;
            content.u32((literal.kind as u32) << 8 | literal.number_type as u32);
            content.text(literal.text);
            content.text(literal.tag);
        }
        tag_column.finish()?;
        kind_column.finish()?;
        type_column.finish()?;
        key_column.finish().map(drop)
    }
}

/// Put before ids that are not IRIs when the source names no base.
pub(crate) const DEFAULT_BASE: &str = "urn:touchstone:kb:";

/// What the facts that stay refer to, by provisional number.
struct Usage {
    node: Vec<bool>,
    literal: Vec<bool>,
    relation: Vec<bool>,
    attribute: Vec<bool>,
    set: Vec<bool>,
}

impl Usage {
    fn mark_value(&mut self, value: RawValue) {
        let used = if value.is_literal() { &mut self.literal } else { &mut self.node };
        used[value.index()] = true;
    }
}

impl Statements {
    fn fate(&self, names: &HashMap<u32, super::builder::Statement>, fact: &RawFact) -> Fate {
        if names.is_empty() {
            return Fate::Kept;
        }
        let value = RawValue(fact.value);
        let key = (fact.subject, fact.property);
        if !value.is_literal() && names.contains_key(&fact.value) {
            Fate::LeftOut(POINTS_AT_STATEMENT)
        } else if names.contains_key(&fact.subject) {
            Fate::Qualifies
        } else if fact.source & STATEMENT_BIT != 0 {
            Fate::Kept
        } else if fact.source & TRUTHY_BIT != 0 && self.claimed.contains(&key)
            || fact.qualifiers == 0 && self.quoted.contains_key(&(key.0, key.1, fact.value))
        {
            Fate::LeftOut(COVERED)
        } else {
            Fate::Kept
        }
    }
}

/// The (key, value) pairs of a qualifier set, as the builder stores them.
fn set_pairs(bytes: &[u8]) -> impl Iterator<Item = (u32, u32)> {
    let number = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    bytes.chunks_exact(8).map(move |pair| (number(&pair[..4]), number(&pair[4..])))
}

fn check(progress: &dyn Progress) -> Result<()> {
    if progress.cancelled() { Err(KbError::Interrupted) } else { Ok(()) }
}
