//! Opens a store; look-ups of nodes, classes and literals.

use super::asserted::AssertedColumns;
use super::columns::{Rows, Strings, check_below, check_len, path_of};
use super::facts::FactColumns;
use super::file_order::FileOrderColumns;
use super::id_index::IdIndex;
use super::literals::LiteralColumns;
use super::manifest::KbManifest;
use super::mapping::Column;
use super::overlay::Delta;
use super::schema::SchemaColumns;
use super::search::NameColumns;
use super::verify;
use crate::cast::{index32, to_usize};
use crate::error::{KbError, Result};
use crate::ids::{ClassId, LiteralId, NodeId};
use crate::output::{self, OutputKind};
use std::path::Path;
use std::sync::Arc;

/// Whether a directory looks like a compiled KB.
pub fn is_store(dir: &Path) -> bool {
    let has = |name| dir.join(name).is_file();
    output::read(dir, || Ok::<bool, KbError>(has(verify::MANIFEST) && has(verify::CHECKSUMS)))
        .unwrap_or(false)
}

/// A compiled KB as an output.
pub(crate) const STORE_OUTPUT: OutputKind = OutputKind {
    name: "compiled KB",
    manifest: verify::MANIFEST,
    owns_folder: true,
    is_durable: false,
    volatile: &[verify::STAMP],
    unmarked: verify::valid_files,
};

/// Absent from an optional column.
pub(crate) const ABSENT: u32 = u32::MAX;

/// A compiled knowledge base, open for reading. Cheap to open and to clone (clones share the mapped columns), safe to share between
/// threads.
///
/// ```
/// use touchstone_kb::import::{ImportRequest, Source, import};
/// use touchstone_kb::{Kb, NoProgress};
///
/// let folder = tempfile::tempdir()?;
/// let (lines, store) = (folder.path().join("cities.jsonl"), folder.path().join("kb"));
/// std::fs::write(&lines, r#"{"touchstone_kb": 1, "name": "cities"}
/// {"relation": "capital", "label": "capital"}
/// {"entity": "paris", "label": "Paris"}
/// {"entity": "france", "label": "France", "relations": [["capital", "paris"]]}"#)?;
/// import(&ImportRequest::new(Source::Lines, vec![lines]), &store, &NoProgress)?;
///
/// let kb = Kb::open(&store)?;
/// let france = kb.nodes_meant_by("France")[0];
/// let capital = kb.relation("capital").ok_or("no such relation")?;
/// assert_eq!(kb.objects(france, capital).len(), 1);
/// assert_eq!(kb.label(kb.nodes_meant_by("paris")[0]), "Paris");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Kb {
    manifest: KbManifest,
    n_entities: usize,
    n_nodes: usize,
    node_id: Strings,
    /// Shared by overlays: they have the same nodes.
    ids: Arc<IdIndex>,
    node_label: Column<u32>,
    decoded_names: Option<DecodedNames>,
    node_description: Column<u32>,
    aliases: Rows,
    class_parents: Rows,
    class_children: Rows,
    class_ancestors: Rows,
    class_members: Rows,
    class_members_all: Rows,
    node_classes: Rows,
    pub(super) literals: LiteralColumns,
    pub(super) facts: FactColumns,
    pub(super) file_order: Option<FileOrderColumns>,
    pub(crate) asserted: Option<AssertedColumns>,
    pub(super) schema: SchemaColumns,
    pub(super) names: NameColumns,
    /// Changes of the facts, see `overlay.rs`.
    pub(super) delta: Option<Box<Delta>>,
}

impl Kb {
    /// Opens a compiled KB. A damaged store is refused.
    pub fn open(dir: &Path) -> Result<Kb> {
        output::read(dir, || Kb::open_version(dir))
    }

    /// Opens the current content.
    fn open_version(dir: &Path) -> Result<Kb> {
        let manifest = KbManifest::read(dir)?;
        if cfg!(target_endian = "big") {
            return Err(KbError::damaged(dir, "stores are little-endian, this machine is big-endian"));
        }
        let mut opened = None;
        verify::verify(dir, || {
            let kb = Kb::map(dir, manifest.clone())?;
            kb.check_structure(dir)?;
            opened = Some(kb);
            Ok(())
        })?;
        match opened {
            Some(kb) => Ok(kb),
            None => Kb::map(dir, manifest),
        }
    }

    fn map(dir: &Path, manifest: KbManifest) -> Result<Kb> {
        let counts = manifest.counts;
        Ok(Kb {
            n_entities: to_usize(counts.entities),
            n_nodes: to_usize(counts.entities + counts.classes),
            node_id: Strings::open(dir, "node_id")?,
            ids: Arc::default(),
            node_label: Column::open(&path_of(dir, "node_label"))?,
            decoded_names: DecodedNames::open(dir)?,
            node_description: Column::open(&path_of(dir, "node_description"))?,
            aliases: Rows::open(dir, "aliases")?,
            class_parents: Rows::open(dir, "class_parents")?,
            class_children: Rows::open(dir, "class_children")?,
            class_ancestors: Rows::open(dir, "class_ancestors")?,
            class_members: Rows::open(dir, "class_members")?,
            class_members_all: Rows::open(dir, "class_members_all")?,
            node_classes: Rows::open(dir, "node_classes")?,
            literals: LiteralColumns::open(dir)?,
            facts: FactColumns::open(dir)?,
            file_order: FileOrderColumns::open(dir)?,
            asserted: AssertedColumns::open(dir)?,
            schema: SchemaColumns::open(dir)?,
            names: NameColumns::open(dir)?,
            delta: None,
            manifest,
        })
    }

    /// Checks that all columns are consistent, so that every look-up stays within bounds.
    fn check_structure(&self, dir: &Path) -> Result<()> {
        let counts = &self.manifest.counts;
        let (n_nodes, n_classes) = (self.n_nodes, to_usize(counts.classes));
        let n_literals = to_usize(counts.literals);
        self.node_id.check(dir, "node_id", n_nodes)?;
        for (name, column) in [("node_label", &self.node_label), ("node_description", &self.node_description)]
        {
            check_len(dir, name, column.len(), n_nodes)?;
            check_optional(dir, name, column, n_literals)?;
        }
        if let Some(decoded) = &self.decoded_names {
            check_below(dir, "decoded_name_node", &decoded.nodes, n_nodes)?;
            decoded.names.check(dir, "decoded_name", decoded.nodes.len())?;
        }
        self.aliases.check(dir, "aliases", n_nodes, n_literals)?;
        for (name, rows, limit) in [
            ("class_parents", &self.class_parents, n_classes),
            ("class_children", &self.class_children, n_classes),
            ("class_ancestors", &self.class_ancestors, n_classes),
            ("class_members", &self.class_members, n_nodes),
            ("class_members_all", &self.class_members_all, n_nodes),
        ] {
            rows.check(dir, name, n_classes, limit)?;
        }
        self.node_classes.check(dir, "node_classes", n_nodes, n_classes)?;
        self.literals.check(dir, n_literals)?;
        self.schema.check(dir, counts)?;
        self.facts.check(dir, counts)?;
        if let Some(order) = &self.file_order {
            order.check(dir, counts)?;
        }
        if let Some(asserted) = &self.asserted {
            asserted.check(dir, counts)?;
        }
        self.names.check(dir, n_nodes)
    }

    /// The metadata of the KB.
    pub fn manifest(&self) -> &KbManifest {
        &self.manifest
    }

    pub(super) fn manifest_mut(&mut self) -> &mut KbManifest {
        &mut self.manifest
    }

    /// The number of entities; their nodes are `0..n_entities`.
    pub fn n_entities(&self) -> usize {
        self.n_entities
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_nodes - self.n_entities
    }

    /// The number of nodes: entities, then classes.
    pub fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    /// All nodes: entities, then classes.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..index32(self.n_nodes)).map(NodeId)
    }

    /// All classes.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = ClassId> + use<> {
        (0..index32(self.n_classes())).map(ClassId)
    }

    /// The entity or class with this id.
    pub fn node(&self, id: &str) -> Option<NodeId> {
        let parts = [0..self.n_entities, self.n_entities..self.n_nodes];
        let found = self.ids.find(&self.node_id, parts, id);
        found.map(|index| NodeId(index32(index)))
    }

    /// The class with this id.
    pub fn class(&self, id: &str) -> Option<ClassId> {
        self.node(id).and_then(|node| self.as_class(node))
    }

    /// The class of this node, if the node is a class.
    pub fn as_class(&self, node: NodeId) -> Option<ClassId> {
        (node.0 as usize).checked_sub(self.n_entities).map(|index| ClassId(index32(index)))
    }

    /// A class as a node.
    pub fn class_node(&self, class: ClassId) -> NodeId {
        NodeId(class.0 + index32(self.n_entities))
    }

    /// The id of a node, as in the source.
    pub fn node_id(&self, node: NodeId) -> &str {
        self.node_id.get(node.index())
    }

    /// The main name of a node. If it has none: its id, or, if that is an IRI, the last part of it, percent-decoded.
    pub fn label(&self, node: NodeId) -> &str {
        match self.label_literal(node) {
            Some(label) => self.literal_text(label),
            None => {
                let name = readable_id(self.node_id(node));
                let decoded = self.decoded_names.as_ref().filter(|_| name.contains('%'));
                decoded.and_then(|decoded| decoded.get(node)).unwrap_or(name)
            }
        }
    }

    /// The main name as a literal, with its language.
    pub fn label_literal(&self, node: NodeId) -> Option<LiteralId> {
        optional(&self.node_label, node.index()).map(LiteralId)
    }

    /// The description of a node.
    pub fn description(&self, node: NodeId) -> Option<&str> {
        self.description_literal(node).map(|id| self.literal(id).text())
    }

    /// The description as a literal, with its language.
    pub(crate) fn description_literal(&self, node: NodeId) -> Option<LiteralId> {
        optional(&self.node_description, node.index()).map(LiteralId)
    }

    /// Other names of a node.
    pub fn aliases(&self, node: NodeId) -> impl ExactSizeIterator<Item = LiteralId> + '_ {
        self.aliases.row(node.index()).iter().map(|&id| LiteralId(id))
    }

    /// The direct classes of a node, sorted.
    pub fn classes_of(&self, node: NodeId) -> impl ExactSizeIterator<Item = ClassId> + '_ {
        self.node_classes.row(node.index()).iter().map(|&id| ClassId(id))
    }

    /// Whether a node is a member of a class, directly or through subclasses.
    pub fn is_member(&self, node: NodeId, class: ClassId) -> bool {
        self.members(class).binary_search(&node.0).is_ok()
    }

    /// The nodes that are direct members of a class, sorted: entities come before classes.
    pub fn direct_members(&self, class: ClassId) -> &[u32] {
        self.class_members.row(class.index())
    }

    /// The nodes that are members of a class or of its subclasses, sorted.
    pub fn members(&self, class: ClassId) -> &[u32] {
        self.class_members_all.row(class.index())
    }

    /// The direct superclasses of a class.
    pub fn parents(&self, class: ClassId) -> impl ExactSizeIterator<Item = ClassId> + '_ {
        self.class_parents.row(class.index()).iter().map(|&id| ClassId(id))
    }

    /// The direct subclasses of a class.
    pub fn children(&self, class: ClassId) -> impl ExactSizeIterator<Item = ClassId> + '_ {
        self.class_children.row(class.index()).iter().map(|&id| ClassId(id))
    }

    /// All superclasses of a class, sorted.
    pub fn ancestors(&self, class: ClassId) -> impl ExactSizeIterator<Item = ClassId> + '_ {
        self.class_ancestors.row(class.index()).iter().map(|&id| ClassId(id))
    }
}

/// The names of nodes without a label whose IRI has a percent-encoded last part, sorted by node.
#[derive(Clone)]
struct DecodedNames {
    nodes: Column<u32>,
    names: Strings,
}

impl DecodedNames {
    /// Opens the columns; most stores have none.
    fn open(dir: &Path) -> Result<Option<DecodedNames>> {
        let path = path_of(dir, "decoded_name_node");
        // If the list of checksums has the file but it is missing, the store is reported as damaged.
        if !path.exists() {
            return Ok(None);
        }
        Ok(Some(DecodedNames { nodes: Column::open(&path)?, names: Strings::open(dir, "decoded_name")? }))
    }

    fn get(&self, node: NodeId) -> Option<&str> {
        self.nodes.binary_search(&node.0).ok().map(|position| self.names.get(position))
    }
}

/// The value of an optional column.
pub(super) fn optional(column: &[u32], index: usize) -> Option<u32> {
    Some(column[index]).filter(|&value| value != ABSENT)
}

/// Checks an optional column: absent, or below the limit.
pub(super) fn check_optional(dir: &Path, name: &str, column: &[u32], limit: usize) -> Result<()> {
    let max = column.iter().filter(|&&value| value != ABSENT).max();
    match max {
        Some(&max) if max as usize >= limit => {
            Err(KbError::damaged(&path_of(dir, name), format!("it refers to item {max} of {limit}")))
        }
        _ => Ok(()),
    }
}

/// The name of a node without a label, if its id is an IRI: the last part of it, percent-decoded if the result is a
/// text that can be displayed.
pub(crate) fn name_of_iri(id: &str) -> Option<std::borrow::Cow<'_, str>> {
    let end = readable_id(id);
    if end.len() == id.len() {
        return None;
    }
    let decoded = crate::iri::decode(end);
    let shown = !decoded.trim().is_empty() && !decoded.contains(char::is_control);
    Some(if shown { decoded } else { end.into() })
}

/// The readable part of an id: the part of an IRI after the last `/`, `#` or `:`, else the whole id.
pub(crate) fn readable_id(id: &str) -> &str {
    if !id.contains("://") && !id.starts_with("urn:") {
        return id;
    }
    let local = id.rsplit(['/', '#', ':']).next().unwrap_or(id);
    if local.is_empty() { id } else { local }
}
