//! Turns what a [`KbBuilder`] collected into a compiled store.
//!
//! Everything gets its final number by sorting its text, so the result does not depend on the order of
//! import. Then facts are sorted and written (`facts.rs`) next to nodes and literals (`nodes.rs`), then the schema (`schema.rs`) and the names
//! (`name_index.rs`).

use super::builder::{KbBuilder, LITERAL_BIT, NameKind, RawFact, RawValue};
use super::sorter::Spill;
use super::statements::{COVERED, POINTS_AT_STATEMENT, RawFactUse, Statements};
use super::{facts, name_index, schema};
use crate::cast::index32;
use crate::error::{KbError, Result};
use crate::literal::Literal;
use crate::output::OutputFolder;
use crate::progress::Progress;
use crate::store::fingerprint::fingerprint;
use crate::store::writer::StoreWriter;
use crate::store::{Counts, KbManifest, STORE_FORMAT, STORE_OUTPUT};
use hashbrown::HashMap;
use rayon::prelude::*;
use std::path::Path;

/// The result of compiling.
#[derive(Clone, Debug)]
pub struct CompileReport {
    /// The manifest of the new store.
    pub manifest: KbManifest,
    /// Facts that were given more than once, with the same qualifiers.
    pub duplicate_facts: u64,
    /// Cycles of the class hierarchy that were cut, as class ids.
    pub cycles: Vec<Vec<String>>,
    /// Facts that could not be kept, by reason.
    pub left_out: Vec<(&'static str, u64)>,
    /// Whether all triples of an RDF file are kept, including those that are not part of the model.
    pub is_exact_rdf: bool,
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

impl KbBuilder {
    /// Sorts everything and writes the store to `out`, where it appears complete or not at all. An existing KB is replaced.
    pub fn compile(self, out: &Path, progress: &dyn Progress) -> Result<CompileReport> {
        self.compile_to(OutputFolder::reserve(out, &STORE_OUTPUT, &[], false)?, progress)
    }

    /// The same for a reserved folder.
    pub(crate) fn compile_to(
        mut self,
        pending: OutputFolder,
        progress: &dyn Progress,
    ) -> Result<CompileReport> {
        let mut left_out: HashMap<&'static str, u64> = HashMap::new();
        let statements = self.resolve_statements(&mut left_out)?;
        progress.stage("sorting names", None);
        let usage = self.mark_used(&statements, &mut left_out, progress)?;
        check(progress)?;
        let numbers = self.number_everything(&usage, progress)?;
        let raw_facts = std::mem::replace(&mut self.facts, Spill::new(&self.workspace));
        check(progress)?;

        let writer = StoreWriter::new(&pending.path());
        self.write_file_order(&numbers, &writer)?;
        progress.stage("sorting facts", Some(raw_facts.len()));
        let (nodes, facts) = rayon::join(
            || self.write_nodes_and_literals(&numbers, &writer, progress),
            || {
                let mut input = facts::FactInput::new(&self.workspace, &numbers, &self.literals);
                raw_facts.into_each(|fact| match statements.use_of(&self.statements, &fact) {
                    RawFactUse::Kept => input.push(&fact, &numbers),
                    RawFactUse::Qualifies | RawFactUse::PointsAtStatement | RawFactUse::Covered => Ok(()),
                })?;
                input.write(&numbers, &writer, progress)
            },
        );
        let (nodes, mut facts) = (nodes?, facts?);
        let schema_content = schema::write(&self, &numbers, &facts, &writer)?;
        check(progress)?;
        progress.stage("indexing names", None);
        let n_names = nodes.names.len() as u64;
        name_index::write(&self, &numbers, &nodes.names, &nodes.iri_names, &facts.degree, &writer, progress)?;
        let asserted = self.write_asserted(&numbers, &writer)?;
        let is_exact_rdf = asserted.is_some();
        let content = [nodes.content, std::mem::take(&mut facts.content), schema_content];
        let content = content.into_iter().chain(asserted);
        let hierarchy = nodes.hierarchy;

        let cycles = hierarchy.cycles.iter().map(|cycle| {
            let id = |&class: &u32| numbers.node_order[numbers.n_entities + class as usize];
            cycle.iter().map(|class| self.nodes.get(id(class)).to_owned()).collect()
        });
        let cycles = cycles.collect();
        let counts = Counts {
            entities: numbers.n_entities as u64,
            classes: numbers.n_classes as u64,
            relations: numbers.relation_order.len() as u64,
            attributes: numbers.attribute_order.len() as u64,
            qualifiers: numbers.qualifier_order.len() as u64,
            literals: numbers.literal_order.len() as u64,
            relational_facts: facts.n_relational,
            literal_facts: facts.n_literal,
            qualified_facts: facts.n_qualified,
            names: n_names,
        };
        let manifest = self.manifest(fingerprint(content), is_exact_rdf, counts);
        check(progress)?;
        writer.finish(&manifest.to_bytes())?;
        pending.commit()?;
        let mut left_out: Vec<_> = left_out.into_iter().collect();
        left_out.sort_unstable();
        Ok(CompileReport { manifest, duplicate_facts: facts.n_duplicates, cycles, left_out, is_exact_rdf })
    }

    /// The manifest of the store.
    fn manifest(&self, fingerprint: String, is_exact_rdf: bool, counts: Counts) -> KbManifest {
        let meta = &self.meta;
        KbManifest {
            touchstone_store: STORE_FORMAT,
            name: meta.name.clone(),
            fingerprint,
            source: meta.source.clone(),
            license: meta.license.clone(),
            // All ids of an RDF file are IRIs and need no base.
            base: if meta.base.is_empty() && !is_exact_rdf {
                DEFAULT_BASE.to_owned()
            } else {
                meta.base.clone()
            },
            lang: meta.lang.clone(),
            vocabulary: meta.vocabulary,
            unit_namespace: meta.unit_namespace.clone(),
            sources: meta.sources.clone(),
            counts,
            coverage: meta.coverage.clone(),
        }
    }

    /// Finds the nodes, properties and literals that the kept facts refer to.
    fn mark_used(
        &mut self,
        statements: &Statements,
        left_out: &mut HashMap<&'static str, u64>,
        progress: &dyn Progress,
    ) -> Result<Usage> {
        let mut usage = Usage {
            node: self.is_class.clone(),
            literal: vec![false; self.literals.len()],
            relation: self.property_info.iter().map(|p| p.is_relation).collect(),
            attribute: self.property_info.iter().map(|p| p.is_attribute).collect(),
            set: vec![false; self.qualifier_sets.len()],
        };
        self.mark_facts(statements, &mut usage, left_out, progress)?;
        for set in 0..index32(self.qualifier_sets.len()) {
            if usage.set[set as usize] {
                for (_, value) in set_pairs(self.qualifier_sets.bytes_of(set)) {
                    usage.mark_value(RawValue(value));
                }
            }
        }
        for &node in &self.declared {
            usage.node[node as usize] = true;
        }
        self.mark_names(&mut usage, left_out);
        if let Some(triples) = &mut self.asserted {
            triples.for_each(|&[_, _, object]| {
                let object = RawValue(object);
                if object.is_literal() {
                    usage.mark_value(object);
                }
                Ok(())
            })?;
        }
        self.is_class.resize(self.nodes.len(), false);
        usage.node.resize(self.nodes.len(), false);
        self.add_bare_numbers(&mut usage);
        Ok(usage)
    }

    /// Marks everything that facts refer to; triples that cannot be facts of the model remain triples.
    fn mark_facts(
        &mut self,
        statements: &Statements,
        usage: &mut Usage,
        left_out: &mut HashMap<&'static str, u64>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let KbBuilder { facts, statements: names, asserted, nodes, properties, .. } = self;
        let mut assert = |fact: &RawFact| match asserted {
            Some(triples) => {
                let predicate = nodes.intern(properties.get(fact.property));
                triples.push([fact.subject, predicate, fact.value])
            }
            None => Ok(()),
        };
        let mut n_facts = 0u64;
        facts.for_each(|fact| {
            if n_facts.is_multiple_of(1 << 16) {
                check(progress)?;
            }
            n_facts += 1;
            match statements.use_of(names, fact) {
                RawFactUse::Kept => {
                    let value = RawValue(fact.value);
                    usage.node[fact.subject as usize] = true;
                    usage.mark_value(value);
                    let used = if value.is_literal() { &mut usage.attribute } else { &mut usage.relation };
                    used[fact.property as usize] = true;
                    usage.set[fact.qualifiers as usize] = true;
                }
                RawFactUse::Qualifies => assert(fact)?,
                RawFactUse::PointsAtStatement => {
                    *left_out.entry(POINTS_AT_STATEMENT).or_default() += 1;
                    assert(fact)?;
                }
                RawFactUse::Covered => *left_out.entry(COVERED).or_default() += 1,
            }
            Ok(())
        })
    }

    /// Marks nodes with a class or a name, and the names of used properties.
    fn mark_names(&mut self, usage: &mut Usage, left_out: &mut HashMap<&'static str, u64>) {
        for &(node, _) in &self.class_of {
            usage.node[node as usize] = true;
            if self.statements.contains_key(&node) {
                *left_out.entry("class of a statement").or_default() += 1;
            }
        }
        let statements = &self.statements;
        self.names.retain(|(node, _, _)| {
            let of_statement = statements.contains_key(node);
            if of_statement {
                *left_out.entry("name or description of a statement").or_default() += 1;
            }
            !of_statement
        });
        for name in self.statements.keys() {
            usage.node[*name as usize] = false;
        }
        let labels = self.names.iter().filter(|(_, kind, _)| *kind == NameKind::Label);
        let mut labelled: HashMap<u32, u32> = HashMap::new();
        let second =
            labels.filter(|(node, _, name)| *labelled.entry(*node).or_insert(*name) != *name).count();
        if second > 0 {
            left_out.insert("second label, which becomes an alias", second as u64);
        }
        let n_dropped = self.keep_one_description();
        if n_dropped > 0 {
            left_out.insert("second description", n_dropped);
        }
        for &(node, _, name) in &self.names {
            // The name of a property does not make it an entity.
            if !self.also_properties.contains(&node) || usage.node[node as usize] {
                usage.node[node as usize] = true;
                usage.literal[name as usize] = true;
            }
        }
        let used_property = |(index, _): &(usize, &_)| usage.relation[*index] || usage.attribute[*index];
        let infos = self.property_info.iter().enumerate().filter(used_property).map(|(_, info)| info);
        for info in infos.chain(&self.qualifier_info) {
            for literal in [info.label, info.description, info.inverse_label].into_iter().flatten() {
                usage.literal[literal as usize] = true;
            }
        }
    }

    /// Of several descriptions of a node, keeps the one in the preferred language.
    fn keep_one_description(&mut self) -> u64 {
        let mut first: HashMap<u32, u32> = HashMap::new();
        let descriptions = self.names.iter().filter(|(_, kind, _)| *kind == NameKind::Description);
        for &(node, _, text) in descriptions {
            let kept = first.entry(node).or_insert(text);
            if self.name_order(text, *kept).is_lt() {
                *kept = text;
            }
        }
        let before = self.names.len();
        let keeps = |&(node, kind, text): &(u32, NameKind, u32)| {
            kind != NameKind::Description || first.get(&node) == Some(&text)
        };
        self.names.retain(keeps);
        (before - self.names.len()) as u64
    }

    /// Every quantity with a unit gets a twin without: the *direct* RDF view shows it as a plain number.
    fn add_bare_numbers(&mut self, usage: &mut Usage) {
        for id in 0..index32(self.literals.len()) {
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

    fn number_everything(&self, usage: &Usage, progress: &dyn Progress) -> Result<Numbers> {
        let mut numbers = Numbers::default();
        let by_id = |interner: &super::interner::Interner, keep: &dyn Fn(u32) -> bool| {
            let mut order: Vec<u32> = (0..index32(interner.len())).filter(|&i| keep(i)).collect();
            order.par_sort_unstable_by(|&a, &b| interner.bytes_of(a).cmp(interner.bytes_of(b)));
            order
        };
        let invert = |order: &[u32], len: usize| {
            let mut inverse = vec![ABSENT; len];
            for (position, &item) in order.iter().enumerate() {
                inverse[item as usize] = index32(position);
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

        check(progress)?;
        numbers.relation_order = by_id(&self.properties, &|i| usage.relation[i as usize]);
        numbers.relation = invert(&numbers.relation_order, self.properties.len());
        numbers.attribute_order = by_id(&self.properties, &|i| usage.attribute[i as usize]);
        numbers.attribute = invert(&numbers.attribute_order, self.properties.len());
        numbers.qualifier_order = by_id(&self.qualifiers, &|_| true);
        numbers.qualifier = invert(&numbers.qualifier_order, self.qualifiers.len());

        check(progress)?;
        let literals = self.literals.sorted(|id| usage.literal[id as usize]);
        numbers.literal = invert(&literals, self.literals.len());
        numbers.literal_order = literals;

        check(progress)?;
        let mut sets: Vec<(Vec<(u32, u32)>, u32)> = (1..index32(self.qualifier_sets.len()))
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
            numbers.set_rank[set as usize] = index32(numbers.sets.len());
            numbers.sets.push(pairs);
        }
        Ok(numbers)
    }
}

/// The base of ids that are not IRIs, if the source has no base.
pub(crate) const DEFAULT_BASE: &str = "urn:touchstone:kb:";

/// Everything that the kept facts refer to, by provisional number.
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

/// The (key, value) pairs of a qualifier set, as the builder stores them.
pub(super) fn set_pairs(bytes: &[u8]) -> impl Iterator<Item = (u32, u32)> {
    let number = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    bytes.chunks_exact(8).map(move |pair| (number(&pair[..4]), number(&pair[4..])))
}

/// Returns an error if the user has cancelled the work.
pub(super) fn check(progress: &dyn Progress) -> Result<()> {
    if progress.cancelled() { Err(KbError::Interrupted) } else { Ok(()) }
}
