//! Sorts facts and writes their columns: by subject, by value, by property.

use super::builder::{LITERAL_BIT, RawFact, RawValue, SOURCE_MASK};
use super::compile::{ABSENT, Numbers};
use super::literals::LiteralTable;
use super::sorter::{Sorter, Workspace};
use crate::cast::{index32, index32_of};
use crate::error::{KbError, Result};
use crate::literal::LiteralFamily;
use crate::progress::Progress;
use crate::store::fingerprint::ContentHasher;
use crate::store::writer::{ColumnWriter, StoreWriter};

/// Facts under final numbers: subject, property (relations, then attributes), value, qualifier set, source.
type FactRow = [u32; 5];

/// Takes facts in any order.
pub(crate) struct FactInput<'a> {
    sorter: Sorter<FactRow>,
    workspace: &'a Workspace,
    has_sources: bool,
    /// By final literal: its family and its tag, as an index into `literals`.
    families: Vec<LiteralFamily>,
    literals: &'a LiteralTable,
}

/// What the schema and the name index need to know about the facts.
pub(crate) struct FactSummary {
    pub(crate) n_relational: u64,
    pub(crate) n_literal: u64,
    pub(crate) n_qualified: u64,
    pub(crate) n_duplicates: u64,
    pub(crate) content: ContentHasher,
    /// By node: the number of facts that contain it.
    pub(crate) degree: Vec<u32>,
    /// By attribute.
    pub(crate) attribute_use: Vec<ValueUse>,
    /// By qualifier key.
    pub(crate) qualifier_use: Vec<ValueUse>,
}

impl FactSummary {
    fn new(numbers: &Numbers) -> FactSummary {
        FactSummary {
            n_relational: 0,
            n_literal: 0,
            n_qualified: 0,
            n_duplicates: 0,
            content: ContentHasher::new(),
            degree: vec![0; numbers.n_nodes()],
            attribute_use: vec![ValueUse::default(); numbers.attribute_order.len()],
            qualifier_use: vec![ValueUse::default(); numbers.qualifier_order.len()],
        }
    }

    /// Counts a fact with qualifiers, and records the kinds of their values.
    fn see_qualifiers(
        &mut self,
        pairs: &[(u32, u32)],
        families: &[LiteralFamily],
        numbers: &Numbers,
        literals: &LiteralTable,
    ) {
        self.n_qualified += 1;
        for &(key, value) in pairs {
            let seen = &mut self.qualifier_use[key as usize];
            if value & LITERAL_BIT != 0 {
                let literal = (value & !LITERAL_BIT) as usize;
                seen.see_literal(families[literal], numbers.literal_order[literal], literals);
            } else {
                seen.families |= NODE_FAMILY;
            }
        }
    }
}

/// The kinds of values and the units that occur with a property.
#[derive(Clone, Default)]
pub(crate) struct ValueUse {
    /// One bit per literal family, and one for nodes.
    pub(crate) families: u8,
    /// The provisional literals with the first two different units.
    units: Vec<u32>,
}

/// The bit of [`ValueUse::families`] for values that are nodes.
pub(crate) const NODE_FAMILY: u8 = 1 << 7;

impl ValueUse {
    /// The unit, if all quantities have the same one.
    pub(crate) fn only_unit<'l>(&self, literals: &'l LiteralTable) -> Option<&'l str> {
        match self.units[..] {
            [literal] => Some(literals.get(literal).unit()).filter(|unit| !unit.is_empty()),
            _ => None,
        }
    }

    fn see_literal(&mut self, family: LiteralFamily, raw: u32, literals: &LiteralTable) {
        self.families |= 1 << family as u8;
        if family == LiteralFamily::Quantity
            && self.units.len() < 2
            && self.units.iter().all(|&seen| literals.get(seen).unit() != literals.get(raw).unit())
        {
            self.units.push(raw);
        }
    }
}

impl<'a> FactInput<'a> {
    pub(crate) fn new(
        workspace: &'a Workspace,
        numbers: &Numbers,
        literals: &'a LiteralTable,
    ) -> FactInput<'a> {
        let families = numbers.literal_order.iter().map(|&id| literals.get(id).kind.family()).collect();
        FactInput { sorter: Sorter::new(workspace), workspace, has_sources: false, families, literals }
    }

    pub(crate) fn push(&mut self, fact: &RawFact, numbers: &Numbers) -> Result<()> {
        let value = RawValue(fact.value);
        let property = fact.property as usize;
        let (property, value) = if value.is_literal() {
            let n_relations = index32(numbers.relation_order.len());
            (n_relations + numbers.attribute[property], numbers.literal[value.index()])
        } else {
            (numbers.relation[property], numbers.node[value.index()])
        };
        debug_assert!(value != ABSENT);
        let source = fact.source & SOURCE_MASK;
        self.has_sources |= source != 0;
        let subject = numbers.node[fact.subject as usize];
        self.sorter.push([subject, property, value, numbers.set_rank[fact.qualifiers as usize], source])
    }

    /// Sorts and writes everything about facts.
    pub(crate) fn write(
        self,
        numbers: &Numbers,
        writer: &StoreWriter,
        progress: &dyn Progress,
    ) -> Result<FactSummary> {
        let FactInput { sorter, workspace, has_sources, families, literals, .. } = self;
        let n_relations = index32(numbers.relation_order.len());
        let n_properties = n_relations as usize + numbers.attribute_order.len();
        let mut summary = FactSummary::new(numbers);
        let mut by_value = Sorter::<[u32; 4]>::new(workspace);
        let mut by_literal = Sorter::<[u32; 4]>::new(workspace);
        let mut subjects = writer.column::<u32>("fact_subject")?;
        let mut values = writer.column::<u32>("fact_value")?;
        let mut sources = writer.column::<u16>("fact_source")?;
        let mut qualifiers = QualifierColumns::new(writer)?;
        let mut out = GroupColumns::new(writer, workspace, "out")?;
        let mut last: Option<[u32; 4]> = None;
        let mut n_facts: u32 = 0;
        let content = &mut ContentHasher::new();
        content.section("facts");
        sorter.for_each(|&[subject, property, value, set, source]| {
            let fact = [subject, property, value, set];
            report_progress(n_facts, progress)?;
            if last == Some(fact) {
                summary.n_duplicates += 1;
                return Ok(());
            }
            last = Some(fact);
            if n_facts >= LITERAL_BIT {
                return Err(KbError::TooMany { what: "facts", limit: LITERAL_BIT.into() });
            }
            out.add(subject, property, n_facts)?;
            subjects.push(subject)?;
            values.push(value)?;
            if has_sources {
                // The mask of sources has 16 bits.
                sources.push(u16::try_from(source).unwrap_or(u16::MAX))?;
            }
            content.numbers(&[subject, property, value]);
            summary.degree[subject as usize] += 1;
            if property < n_relations {
                summary.n_relational += 1;
                summary.degree[value as usize] += 1;
                by_value.push([value, property, subject, n_facts])?;
            } else {
                summary.n_literal += 1;
                let attribute = property - n_relations;
                let (family, raw) = (families[value as usize], numbers.literal_order[value as usize]);
                summary.attribute_use[attribute as usize].see_literal(family, raw, literals);
                by_literal.push([attribute, value, subject, n_facts])?;
            }
            if set != 0 {
                let pairs = &numbers.sets[set as usize];
                qualifiers.add(n_facts, pairs)?;
                content.u32(index32(pairs.len()) | LITERAL_BIT);
                pairs.iter().for_each(|&(key, value)| content.numbers(&[key, value]));
                summary.see_qualifiers(pairs, &families, numbers, literals);
            }
            n_facts += 1;
            Ok(())
        })?;
        summary.content = std::mem::take(content);
        subjects.finish()?;
        values.finish()?;
        sources.finish()?;
        qualifiers.finish()?;
        out.finish(numbers.n_nodes(), n_properties, n_facts)?;

        let (relational, literal) = rayon::join(
            || write_incoming(by_value, numbers.n_nodes(), n_relations as usize, workspace, writer),
            || write_by_literal(by_literal, numbers.attribute_order.len(), writer),
        );
        relational.and(literal)?;
        Ok(summary)
    }
}

/// Reports progress every 65,536 facts, and returns an error if the user has cancelled the work.
fn report_progress(n_facts: u32, progress: &dyn Progress) -> Result<()> {
    const STEP: u32 = 1 << 16;
    if n_facts.is_multiple_of(STEP) {
        progress.advance(STEP.into());
        if progress.cancelled() {
            return Err(KbError::Interrupted);
        }
    }
    Ok(())
}

/// Writes, for each node, the facts that have it as their value.
fn write_incoming(
    sorter: Sorter<[u32; 4]>,
    n_nodes: usize,
    n_relations: usize,
    workspace: &Workspace,
    writer: &StoreWriter,
) -> Result<()> {
    let mut incoming = GroupColumns::new(writer, workspace, "in")?;
    let mut subjects = writer.column::<u32>("in_subject")?;
    let mut facts = writer.column::<u32>("in_fact")?;
    let mut n = 0;
    sorter.for_each(|&[value, relation, subject, fact]| {
        incoming.add(value, relation, n)?;
        subjects.push(subject)?;
        facts.push(fact)?;
        n += 1;
        Ok(())
    })?;
    subjects.finish()?;
    facts.finish()?;
    incoming.finish(n_nodes, n_relations, n)
}

/// Writes, for each attribute, its facts in the order of their values.
fn write_by_literal(sorter: Sorter<[u32; 4]>, n_attributes: usize, writer: &StoreWriter) -> Result<()> {
    let mut starts = vec![0u32; n_attributes + 1];
    let mut subjects = writer.column::<u32>("by_literal_subject")?;
    let mut facts = writer.column::<u32>("by_literal_fact")?;
    sorter.for_each(|&[attribute, _, subject, fact]| {
        starts[attribute as usize + 1] += 1;
        subjects.push(subject)?;
        facts.push(fact)
    })?;
    accumulate(&mut starts);
    writer.write("by_literal.starts", &starts)?;
    subjects.finish()?;
    facts.finish().map(drop)
}

/// Turns counts into starting positions.
fn accumulate(starts: &mut [u32]) {
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
}

/// Two-level rows: node -> (property, range of positions). A hub with a million facts has few properties,
/// so the facts of one property are found in a handful of comparisons.
struct GroupColumns<'w> {
    name: &'static str,
    writer: &'w StoreWriter,
    property: ColumnWriter<'w, u32>,
    start: ColumnWriter<'w, u32>,
    /// By node: the number of groups.
    groups_of_node: Vec<u32>,
    by_property: Sorter<[u32; 2]>,
    last: Option<(u32, u32)>,
    n_groups: u32,
}

impl<'w> GroupColumns<'w> {
    fn new(writer: &'w StoreWriter, workspace: &Workspace, name: &'static str) -> Result<GroupColumns<'w>> {
        Ok(GroupColumns {
            name,
            writer,
            property: writer.column(&format!("{name}_group_property"))?,
            start: writer.column(&format!("{name}_group_start"))?,
            groups_of_node: vec![0],
            by_property: Sorter::new(workspace),
            last: None,
            n_groups: 0,
        })
    }

    /// Adds the entry at `position`; nodes and properties come in ascending order.
    fn add(&mut self, node: u32, property: u32, position: u32) -> Result<()> {
        if self.last == Some((node, property)) {
            return Ok(());
        }
        self.last = Some((node, property));
        if self.groups_of_node.len() < node as usize + 2 {
            self.groups_of_node.resize(node as usize + 2, 0);
        }
        self.groups_of_node[node as usize + 1] += 1;
        self.property.push(property)?;
        self.start.push(position)?;
        self.by_property.push([property, self.n_groups])?;
        self.n_groups += 1;
        Ok(())
    }

    fn finish(mut self, n_nodes: usize, n_properties: usize, n_entries: u32) -> Result<()> {
        let name = self.name;
        self.start.push(n_entries)?;
        self.start.finish()?;
        self.property.finish()?;
        self.groups_of_node.resize(n_nodes + 1, 0);
        accumulate(&mut self.groups_of_node);
        self.writer.write(&format!("{name}_groups"), &self.groups_of_node)?;
        let mut starts = vec![0u32; n_properties + 1];
        let mut groups = self.writer.column::<u32>(&format!("{name}_by_property.values"))?;
        self.by_property.for_each(|&[property, group]| {
            starts[property as usize + 1] += 1;
            groups.push(group)
        })?;
        groups.finish()?;
        accumulate(&mut starts);
        self.writer.write(&format!("{name}_by_property.starts"), &starts)
    }
}

/// Qualifiers of the facts that have some.
struct QualifierColumns<'w> {
    facts: ColumnWriter<'w, u32>,
    starts: ColumnWriter<'w, u32>,
    keys: ColumnWriter<'w, u32>,
    values: ColumnWriter<'w, u32>,
}

impl<'w> QualifierColumns<'w> {
    fn new(writer: &'w StoreWriter) -> Result<QualifierColumns<'w>> {
        Ok(QualifierColumns {
            facts: writer.column("qualified_fact")?,
            starts: writer.column("qualifier_start")?,
            keys: writer.column("qualifier_key")?,
            values: writer.column("qualifier_value")?,
        })
    }

    fn add(&mut self, fact: u32, pairs: &[(u32, u32)]) -> Result<()> {
        self.facts.push(fact)?;
        self.starts.push(index32_of(self.keys.len()))?;
        for &(key, value) in pairs {
            self.keys.push(key)?;
            self.values.push(value)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.starts.push(index32_of(self.keys.len()))?;
        self.facts.finish()?;
        self.starts.finish()?;
        self.keys.finish()?;
        self.values.finish().map(drop)
    }
}
