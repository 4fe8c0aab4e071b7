//! Collects what an importer reads, under provisional numbers.

use super::asserted::RawTriples;
use super::file_order::FileOrder;
use super::interner::Interner;
use super::literals::LiteralTable;
use super::naming::LabelCandidate;
use super::sorter::{Spill, Workspace};
use crate::coverage::CoverageTable;
use crate::error::{KbError, Result};
use crate::literal::{Literal, LiteralKind};
use crate::store::ValueKind;
use crate::time::padded_year;
use crate::vocabulary::RdfVocabulary;
use bytemuck::{Pod, Zeroable};
use hashbrown::{HashMap, HashSet};

/// The metadata of a KB.
#[derive(Clone, Debug, Default)]
pub struct KbMeta {
    /// A short name.
    pub name: String,
    /// The source of the data.
    pub source: String,
    /// The licence of the data.
    pub license: String,
    /// The base of ids that are not absolute IRIs; empty for the default.
    pub base: String,
    /// The language of labels.
    pub lang: String,
    /// The IRIs of the *direct* RDF view.
    pub vocabulary: RdfVocabulary,
    /// The namespace of RDF datatypes that are units, if it is not Touchstone's own.
    pub unit_namespace: Option<String>,
    /// The sources of facts.
    pub sources: Vec<String>,
    /// How complete schema items are.
    pub coverage: CoverageTable,
}

/// A node under its provisional number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawNode(pub(crate) u32);
/// A property under its provisional number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawProperty(pub(crate) u32);
/// A qualifier key under its provisional number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawQualifier(pub(crate) u32);

/// A value under its provisional number: the top bit distinguishes literals from nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RawValue(pub(crate) u32);

pub(crate) const LITERAL_BIT: u32 = 1 << 31;

impl RawValue {
    pub(crate) fn is_literal(self) -> bool {
        self.0 & LITERAL_BIT != 0
    }

    pub(crate) fn index(self) -> usize {
        (self.0 & !LITERAL_BIT) as usize
    }
}

impl From<RawNode> for RawValue {
    fn from(node: RawNode) -> Self {
        RawValue(node.0)
    }
}

/// The role of a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NameKind {
    /// The main name. Of several, the preferred one is kept, and the rest become aliases.
    Label,
    /// Another name.
    Alias,
    /// A short text about the node. Of several, the first in the same order is kept.
    Description,
}

/// What is known about a property; everything is optional.
#[derive(Clone, Debug, Default)]
pub struct PropertyInfo {
    /// The main name, with its language.
    pub(crate) label: Option<u32>,
    pub(crate) description: Option<u32>,
    pub(crate) domain: Option<RawNode>,
    pub(crate) range: Option<RawNode>,
    pub(crate) inverse: Option<RawProperty>,
    pub(crate) inverse_label: Option<u32>,
    /// Whether it holds in both directions whenever it holds in one.
    pub symmetric: bool,
    /// The usual unit of its quantities.
    pub unit: Option<String>,
    /// The domain of the schema it belongs to.
    pub group: Option<String>,
    /// Whether it is a relation even if no fact uses it.
    pub is_relation: bool,
    /// Whether it is an attribute even if no fact uses it.
    pub is_attribute: bool,
    /// The kind of its values, used if no fact has a value.
    pub kind: Option<ValueKind>,
}

#[derive(Clone, Copy, Pod, Zeroable, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub(crate) struct RawFact {
    pub(crate) subject: u32,
    pub(crate) property: u32,
    pub(crate) value: u32,
    pub(crate) qualifiers: u32,
    /// The position in `sources` plus one, or 0; the top bits are flags.
    pub(crate) source: u32,
}

/// The fact is replaced by a statement with the same subject and property.
pub(crate) const TRUTHY_BIT: u32 = 1 << 31;
/// The fact was made from a statement with a name of its own.
pub(crate) const STATEMENT_BIT: u32 = 1 << 30;
/// The bits of `source` that hold a position in the list of sources.
pub(crate) const SOURCE_MASK: u32 = 0xffff;

/// A fact that has a name in the source, so that other triples can refer to it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Statement {
    pub(crate) subject: Option<u32>,
    pub(crate) property: Option<u32>,
    pub(crate) value: Option<RawValue>,
    /// Whether it only quotes the triple, which is a fact only if it is asserted as well.
    pub(crate) quoted: bool,
    /// Why it does not become a fact.
    pub(crate) ignored: Option<Ignored>,
}

/// Why a statement does not become a fact.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ignored {
    /// The source has withdrawn it.
    Deprecated,
    /// It states a class or superclass of its subject; that is kept, its qualifiers are not.
    ClassLink,
}

/// Collects a KB piece by piece, in any order.
///
/// ```
/// use touchstone_kb::{Kb, KbBuilder, Literal, NameKind, NoProgress, Workspace};
/// let dir = tempfile::tempdir().unwrap();
/// let mut builder = KbBuilder::new(Workspace { dir: dir.path().into(), memory: 1 << 20 });
/// let (paris, city) = (builder.node("Q90").unwrap(), builder.node("Q515").unwrap());
/// builder.add_name(paris, NameKind::Label, &Literal::language_text("Paris", "en"));
/// builder.add_class(paris, city);
/// let population = builder.property("population");
/// let value = builder.literal(&Literal::quantity("2102650", "").unwrap()).unwrap();
/// builder.fact(paris, population, value, &mut [], None).unwrap();
/// builder.compile(&dir.path().join("kb"), &NoProgress).unwrap();
///
/// let kb = Kb::open(&dir.path().join("kb")).unwrap();
/// assert_eq!(kb.label(kb.node("Q90").unwrap()), "Paris");
/// ```
pub struct KbBuilder {
    /// The metadata of the KB.
    pub meta: KbMeta,
    pub(crate) workspace: Workspace,
    pub(crate) nodes: Interner,
    pub(crate) is_class: Vec<bool>,
    pub(crate) node_groups: HashMap<u32, String>,
    pub(crate) names: Vec<(u32, NameKind, u32)>,
    pub(crate) class_of: Vec<(u32, u32)>,
    pub(crate) parents: Vec<(u32, u32)>,
    pub(crate) properties: Interner,
    pub(crate) property_info: Vec<PropertyInfo>,
    pub(crate) qualifiers: Interner,
    pub(crate) qualifier_info: Vec<PropertyInfo>,
    pub(crate) literals: LiteralTable,
    pub(crate) qualifier_sets: Interner,
    pub(crate) facts: Spill<RawFact>,
    pub(crate) statements: HashMap<u32, Statement>,
    /// Further triples that the same name quotes.
    pub(crate) more_quotes: Vec<(u32, Statement)>,
    /// Nodes that exist even without statements about them.
    pub(crate) declared: Vec<u32>,
    /// Nodes that are properties as well: their names alone do not make them entities.
    pub(crate) also_properties: HashSet<u32>,
    /// Names that rank before or after the labels, see `naming.rs`.
    pub(crate) label_candidates: Vec<LabelCandidate>,
    /// The records in the order of the file, if it is kept.
    pub(crate) file_order: Option<FileOrder>,
    /// Maximum number of pairs of a class with a superclass, or with a member.
    pub(crate) max_closure: Option<u64>,
    /// Triples of an RDF file that are not facts, if they are kept.
    pub(crate) asserted: Option<RawTriples>,
}

impl KbBuilder {
    /// An empty KB.
    pub fn new(workspace: Workspace) -> KbBuilder {
        let mut qualifier_sets = Interner::default();
        qualifier_sets.intern(""); // number 0: no qualifiers
        KbBuilder {
            meta: KbMeta::default(),
            nodes: Interner::default(),
            is_class: Vec::new(),
            node_groups: HashMap::new(),
            names: Vec::new(),
            class_of: Vec::new(),
            parents: Vec::new(),
            properties: Interner::default(),
            property_info: Vec::new(),
            qualifiers: Interner::default(),
            qualifier_info: Vec::new(),
            literals: LiteralTable::default(),
            qualifier_sets,
            facts: Spill::new(&workspace),
            statements: HashMap::new(),
            more_quotes: Vec::new(),
            declared: Vec::new(),
            also_properties: HashSet::new(),
            label_candidates: Vec::new(),
            file_order: None,
            max_closure: None,
            asserted: None,
            workspace,
        }
    }

    /// The entity or class with this id.
    pub fn node(&mut self, id: &str) -> Result<RawNode> {
        let node = self.nodes.intern(id);
        if node as usize == self.is_class.len() {
            if node >= LITERAL_BIT {
                return Err(KbError::TooMany { what: "entities and classes", limit: LITERAL_BIT.into() });
            }
            self.is_class.push(false);
        }
        Ok(RawNode(node))
    }

    /// Declares a node as an entity, even if there are no statements about it.
    pub fn declare(&mut self, node: RawNode) {
        self.declared.push(node.0);
    }

    /// The number of nodes that were mentioned but never declared.
    pub(crate) fn n_undeclared(&self) -> u64 {
        let declared: HashSet<u32> = self.declared.iter().copied().collect();
        (self.nodes.len() - declared.len()) as u64
    }

    /// Marks a node as a class.
    pub fn mark_class(&mut self, node: RawNode) {
        self.is_class[node.0 as usize] = true;
    }

    /// Puts a class into a domain of the schema.
    pub fn set_class_group(&mut self, class: RawNode, group: &str) {
        self.mark_class(class);
        self.node_groups.insert(class.0, group.to_owned());
    }

    /// Gives a node a name or a description.
    pub fn add_name(&mut self, node: RawNode, kind: NameKind, name: &Literal<'_>) {
        let name = self.literals.intern(name);
        self.names.push((node.0, kind, name));
    }

    /// Makes a node a direct member of a class.
    pub fn add_class(&mut self, node: RawNode, class: RawNode) {
        self.mark_class(class);
        self.class_of.push((node.0, class.0));
    }

    /// Makes a class a direct subclass of another.
    pub fn add_parent(&mut self, class: RawNode, parent: RawNode) {
        self.mark_class(class);
        self.mark_class(parent);
        self.parents.push((class.0, parent.0));
    }

    /// The relation or attribute with this id.
    pub fn property(&mut self, id: &str) -> RawProperty {
        let property = self.properties.intern(id);
        if property as usize == self.property_info.len() {
            self.property_info.push(PropertyInfo::default());
        }
        RawProperty(property)
    }

    /// What is known about a property.
    pub fn property_info(&mut self, property: RawProperty) -> &mut PropertyInfo {
        &mut self.property_info[property.0 as usize]
    }

    /// Sets the label of a property; of several, the one in the preferred language is kept.
    pub fn set_property_label(&mut self, property: RawProperty, label: &Literal<'_>) {
        let label = self.first_literal(self.property_info[property.0 as usize].label, label);
        self.property_info(property).label = Some(label);
    }

    /// Sets the description of a property.
    pub fn set_property_description(&mut self, property: RawProperty, text: &Literal<'_>) {
        let text = self.first_literal(self.property_info[property.0 as usize].description, text);
        self.property_info(property).description = Some(text);
    }

    /// Sets the label of a relation in the inverse direction.
    pub fn set_inverse_label(&mut self, property: RawProperty, label: &Literal<'_>) {
        let label = self.first_literal(self.property_info[property.0 as usize].inverse_label, label);
        self.property_info(property).inverse_label = Some(label);
    }

    fn first_literal(&mut self, old: Option<u32>, new: &Literal<'_>) -> u32 {
        let new_id = self.literals.intern(new);
        match old {
            Some(old) if self.name_order(old, new_id).is_le() => old,
            _ => new_id,
        }
    }

    /// Which of two names or descriptions is preferred: the language of the KB comes first (English if it has
    /// none), then texts without a language, then the languages in the order of their tags.
    pub(crate) fn name_order(&self, a: u32, b: u32) -> std::cmp::Ordering {
        let wanted = if self.meta.lang.is_empty() { "en" } else { self.meta.lang.as_str() };
        let (a, b) = (self.literals.get(a), self.literals.get(b));
        let rank = |literal: &Literal<'_>| match literal.language() {
            "" => 1,
            language if language.eq_ignore_ascii_case(wanted) => 0,
            language if language.split('-').next().is_some_and(|p| p.eq_ignore_ascii_case(wanted)) => 2,
            _ => 3,
        };
        let key = |literal: &Literal<'_>| (rank(literal), literal.language().to_owned());
        key(&a).cmp(&key(&b)).then_with(|| a.storage_order(&b))
    }

    /// Sets the class of a property's subjects. Of several, the first by id is kept; returns `false`
    /// if one was dropped.
    pub fn set_domain(&mut self, property: RawProperty, class: RawNode) -> bool {
        self.mark_class(class);
        let (kept, only) = self.first_node(self.property_info[property.0 as usize].domain, class);
        self.property_info(property).domain = Some(kept);
        only
    }

    /// Sets the class of a relation's values; see [`KbBuilder::set_domain`].
    pub fn set_range(&mut self, property: RawProperty, class: RawNode) -> bool {
        self.mark_class(class);
        let (kept, only) = self.first_node(self.property_info[property.0 as usize].range, class);
        self.property_info(property).range = Some(kept);
        only
    }

    fn first_node(&self, old: Option<RawNode>, new: RawNode) -> (RawNode, bool) {
        match old {
            Some(old) if old != new => {
                let old_first = self.nodes.bytes_of(old.0) <= self.nodes.bytes_of(new.0);
                (if old_first { old } else { new }, false)
            }
            _ => (new, true),
        }
    }

    /// Makes a relation the inverse of another; see [`KbBuilder::set_domain`].
    pub fn set_inverse(&mut self, relation: RawProperty, inverse: RawProperty) -> bool {
        let old = self.property_info[relation.0 as usize].inverse;
        let (kept, only) = match old {
            Some(old) if old != inverse => {
                let (a, b) = (self.properties.bytes_of(old.0), self.properties.bytes_of(inverse.0));
                (if a <= b { old } else { inverse }, false)
            }
            _ => (inverse, true),
        };
        self.property_info(relation).inverse = Some(kept);
        only
    }

    /// The qualifier key with this id.
    pub fn qualifier(&mut self, id: &str) -> RawQualifier {
        let qualifier = self.qualifiers.intern(id);
        if qualifier as usize == self.qualifier_info.len() {
            self.qualifier_info.push(PropertyInfo::default());
        }
        RawQualifier(qualifier)
    }

    /// What is known about a qualifier key.
    pub fn qualifier_info(&mut self, qualifier: RawQualifier) -> &mut PropertyInfo {
        &mut self.qualifier_info[qualifier.0 as usize]
    }

    /// Sets the label and the schema domain of a qualifier key.
    pub fn describe_qualifier(
        &mut self,
        qualifier: RawQualifier,
        label: Option<&Literal<'_>>,
        group: Option<&str>,
    ) {
        if let Some(label) = label {
            let label = self.first_literal(self.qualifier_info[qualifier.0 as usize].label, label);
            self.qualifier_info[qualifier.0 as usize].label = Some(label);
        }
        if let Some(group) = group {
            self.qualifier_info[qualifier.0 as usize].group = Some(group.to_owned());
        }
    }

    /// The value that is this literal.
    pub fn literal(&mut self, literal: &Literal<'_>) -> Result<RawValue> {
        let id = match (literal.kind(), literal.as_time()) {
            // `0044` and `44` are the same year; XML Schema's padding is restored when RDF is written.
            (LiteralKind::Year, Some(time)) if padded_year(time.year()) == literal.text() => {
                self.literals.intern(&Literal { text: &time.year().to_string(), ..*literal })
            }
            _ => self.literals.intern(literal),
        };
        if id >= LITERAL_BIT {
            return Err(KbError::TooMany { what: "distinct literals", limit: LITERAL_BIT.into() });
        }
        Ok(RawValue(id | LITERAL_BIT))
    }

    /// Adds a fact. `qualifiers` is sorted in place; `source` is a position in `meta.sources`.
    pub fn fact(
        &mut self,
        subject: RawNode,
        property: RawProperty,
        value: RawValue,
        qualifiers: &mut [(RawQualifier, RawValue)],
        source: Option<u16>,
    ) -> Result<()> {
        let qualifiers = self.qualifier_set(qualifiers);
        let source = source.map_or(0, |s| u32::from(s) + 1);
        self.facts.push(RawFact {
            subject: subject.0,
            property: property.0,
            value: value.0,
            qualifiers,
            source,
        })
    }

    /// Adds a fact that is replaced by a statement with the same subject and property, if there is one.
    pub(crate) fn truthy_fact(
        &mut self,
        subject: RawNode,
        property: RawProperty,
        value: RawValue,
    ) -> Result<()> {
        self.facts.push(RawFact {
            subject: subject.0,
            property: property.0,
            value: value.0,
            qualifiers: 0,
            source: TRUTHY_BIT,
        })
    }

    pub(crate) fn qualifier_set(&mut self, qualifiers: &mut [(RawQualifier, RawValue)]) -> u32 {
        if qualifiers.is_empty() {
            return 0;
        }
        qualifiers.sort_unstable_by_key(|(key, value)| (key.0, value.0));
        let mut bytes = Vec::with_capacity(qualifiers.len() * 8);
        let mut last = None;
        for pair in qualifiers.iter() {
            if last != Some(pair) {
                bytes.extend_from_slice(&pair.0.0.to_le_bytes());
                bytes.extend_from_slice(&pair.1.0.to_le_bytes());
            }
            last = Some(pair);
        }
        self.qualifier_sets.intern_bytes(&bytes)
    }

    /// Makes `name` the name of a fact about `subject`; facts with `name` as subject become its qualifiers.
    pub(crate) fn statement_subject(&mut self, name: RawNode, subject: RawNode, property: RawProperty) {
        let statement = self.statements.entry(name.0).or_default();
        statement.subject = Some(subject.0);
        statement.property = Some(property.0);
    }

    /// Sets the value of a statement.
    pub(crate) fn statement_value(&mut self, name: RawNode, value: RawValue) {
        self.statements.entry(name.0).or_default().value = Some(value);
    }

    /// Makes `name` the name of a quoted triple, which is a fact only if the triple is asserted as well.
    pub(crate) fn quoted_statement(
        &mut self,
        name: RawNode,
        subject: RawNode,
        property: RawProperty,
        value: RawValue,
    ) {
        let statement = Statement {
            subject: Some(subject.0),
            property: Some(property.0),
            value: Some(value),
            quoted: true,
            ignored: None,
        };
        if let Some(first) = self.statements.insert(name.0, statement) {
            self.more_quotes.push((name.0, first));
        }
    }

    /// Withdraws a statement.
    pub(crate) fn ignore_statement(&mut self, name: RawNode, why: Ignored) {
        self.statements.entry(name.0).or_default().ignored = Some(why);
    }

    /// Puts the item with an id, of whatever kind, into a domain of the schema; of several, the first in order is kept.
    pub(crate) fn set_group_of_any(&mut self, id: &str, group: &str) -> Result<()> {
        let node = self.node(id)?;
        let place = self.node_groups.entry(node.0).or_insert_with(|| group.to_owned());
        if group < place.as_str() {
            *place = group.to_owned();
        }
        Ok(())
    }

    /// Puts a property, a qualifier key or a class into a domain of the schema, whatever the id stands for.
    pub fn set_group(&mut self, id: &str, group: &str) -> Result<()> {
        let mut known = false;
        if let Some(property) = self.properties.find(id) {
            self.property_info[property as usize].group = Some(group.to_owned());
            known = true;
        }
        if let Some(qualifier) = self.qualifiers.find(id) {
            self.qualifier_info[qualifier as usize].group = Some(group.to_owned());
            known = true;
        }
        if !known || self.nodes.find(id).is_some_and(|node| self.is_class[node as usize]) {
            let node = self.node(id)?;
            self.node_groups.insert(node.0, group.to_owned());
        }
        Ok(())
    }
}
