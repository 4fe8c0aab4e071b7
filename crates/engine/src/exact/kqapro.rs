//! Patterns of KQA Pro's graph: a node for every fact and every literal, and names instead of ids for properties.

use super::NoExactForm;
use super::conjuncts::{FactAtom, Kind, Var};
use super::direct_values::MAX_LISTED;
use super::kb_values::KbValues;
use super::kqapro_values::Parts;
use super::printer::{Possible, Scope};
use super::wanted::{Wanted, node_passes};
use crate::plan::Test;
use std::collections::HashMap;
use touchstone_kb::rdf::{KQAPRO_BASE, KqaProPredicate, KqaProView};
use touchstone_kb::{ClassId, Kb, NodeId, Property, QualifierId, RelationId};
use touchstone_logic::sparql::write::{any, iri_ref, kqapro};

/// Writes patterns of KQA Pro's graph.
pub(super) struct KqaPro<'k> {
    kb: &'k Kb,
    pub(super) view: KqaProView<'k>,
    keys: HashMap<String, Key>,
}

/// The meanings of a name; only those with facts count.
#[derive(Debug, Default)]
struct Key {
    relations: Vec<Property>,
    attributes: Vec<Property>,
    qualifiers: Vec<QualifierId>,
}

/// The IRI of a name.
fn key(label: &str) -> String {
    touchstone_kb::iri::encode(KQAPRO_BASE, &label.replace(' ', "_"))
}

impl<'k> KqaPro<'k> {
    pub(super) fn new(kb: &'k Kb) -> KqaPro<'k> {
        let mut keys: HashMap<String, Key> = HashMap::new();
        for relation in kb.relations().map(Property::Relation).filter(|&r| kb.subjects_with(r).len() > 0) {
            keys.entry(key(kb.property_label(relation))).or_default().relations.push(relation);
        }
        for attribute in kb.attributes().map(Property::Attribute).filter(|&a| kb.subjects_with(a).len() > 0) {
            keys.entry(key(kb.property_label(attribute))).or_default().attributes.push(attribute);
        }
        for qualifier in kb.qualifier_keys() {
            keys.entry(key(kb.qualifier_label(qualifier))).or_default().qualifiers.push(qualifier);
        }
        KqaPro { kb, view: KqaProView::new(kb), keys }
    }

    /// The relations with this name.
    pub(super) fn relations(&self, iri: &str) -> impl Iterator<Item = RelationId> + '_ {
        let relations = self.keys.get(iri).map_or(&[][..], |key| key.relations.as_slice());
        relations.iter().filter_map(|property| match property {
            Property::Relation(relation) => Some(*relation),
            Property::Attribute(_) => None,
        })
    }

    /// The first relation that has the same name.
    pub(super) fn first_homonym(&self, relation: RelationId) -> RelationId {
        self.relations(&key(self.kb.relation_label(relation))).next().unwrap_or(relation)
    }

    /// Membership of entities is materialised for all superclasses.
    pub(super) fn member(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        var: Var,
        classes: &[ClassId],
    ) -> Result<Possible, NoExactForm> {
        let used = classes.iter().filter(|&&class| !self.kb.members(class).is_empty());
        let terms: Result<Vec<String>, NoExactForm> =
            used.map(|&class| scope.node(self.kb.class_node(class).0)).collect();
        let name = scope.name(var)?;
        let class = scope.one_of("c", terms?);
        scope.group.triple(&name, &kqapro(KqaProPredicate::InstanceOf), &class);
        Ok(Possible::Yes)
    }

    pub(super) fn entity(&self, scope: &mut Scope<'_, '_, '_>, var: Var) -> Result<Possible, NoExactForm> {
        let (name, class) = (scope.name(var)?, scope.fresh("c"));
        scope.group.triple(&name, &kqapro(KqaProPredicate::InstanceOf), &class);
        Ok(Possible::Yes)
    }

    /// A fact.
    pub(super) fn fact(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        fact: &FactAtom<'_>,
    ) -> Result<Possible, NoExactForm> {
        let kind = scope.kind(fact.value);
        let (subject, first) = (scope.name(fact.subject)?, scope.name(fact.value)?);
        let before = scope.facts_to(fact.value).iter().position(|other| std::ptr::eq(*other, fact));
        let joined = kind == Kind::Literal && before.is_some_and(|at| at > 0);
        // Each fact has its own value node, so a repeated value is another node with the same content.
        let value = if joined { scope.fresh("x") } else { first.clone() };
        if joined && scope.same_value(&first, &value, fact)? == Possible::No {
            return Ok(Possible::No);
        }
        let Some(keys) = self.names(scope.printer.knowledge, &fact.properties, kind)? else {
            return Ok(Possible::No);
        };
        if keys.guard_value && value.starts_with('?') {
            let test = if kind == Kind::Literal { "isBlank" } else { "isIRI" };
            scope.group.filter(&format!("{test}({value})"));
        }
        let predicate = scope.one_of("p", keys.iris);
        if fact.conditions.is_empty() {
            scope.group.triple(&subject, &predicate, &value);
            if keys.guard_subject && subject.starts_with('?') {
                scope.group.filter(&format!("isIRI({subject})"));
            }
            return Ok(Possible::Yes);
        }
        let name = self.named_fact(scope, &subject, &predicate, &value);
        for condition in fact.conditions {
            if self.qualified(scope, &name, condition)? == Possible::No {
                return Ok(Possible::No);
            }
        }
        Ok(Possible::Yes)
    }

    /// The node of a fact.
    pub(super) fn named_fact(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        subject: &str,
        predicate: &str,
        value: &str,
    ) -> String {
        let name = scope.fresh("f");
        scope.group.triple(&name, &kqapro(KqaProPredicate::FactSubject), subject);
        scope.group.triple(&name, &kqapro(KqaProPredicate::FactRelation), predicate);
        scope.group.triple(&name, &kqapro(KqaProPredicate::FactValue), value);
        name
    }

    /// The names of properties. Properties with the same name cannot be distinguished, except by the kind of their values.
    pub(super) fn names(
        &self,
        knowledge: &KbValues<'_>,
        properties: &[Property],
        kind: Kind,
    ) -> Result<Option<Names>, NoExactForm> {
        let mut names = Names { iris: Vec::new(), guard_value: false, guard_subject: false };
        for &property in properties {
            let iri = key(self.kb.property_label(property));
            let Some(key) = self.keys.get(&iri) else { continue };
            let (same, others) = match kind {
                Kind::Node => (&key.relations, &key.attributes),
                Kind::Literal => (&key.attributes, &key.relations),
            };
            if !same.contains(&property) {
                continue;
            }
            if same.iter().any(|other| !properties.contains(other)) {
                return Err(NoExactForm::new("one of several properties of the same name"));
            }
            names.guard_value |= !others.is_empty();
            names.guard_subject |= !key.qualifiers.is_empty();
            let iri = iri_ref(&iri);
            if !names.iris.contains(&iri) {
                names.iris.push(iri);
            }
        }
        if (names.guard_value || names.guard_subject) && knowledge.has_blank_nodes() {
            return Err(NoExactForm::new("a name that is shared, in a KB with blank nodes"));
        }
        Ok(if names.iris.is_empty() { None } else { Some(names) })
    }

    pub(super) fn lacks(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        var: Var,
        properties: &[Property],
    ) -> Result<(), NoExactForm> {
        let subject = scope.name(var)?;
        for kind in [Kind::Node, Kind::Literal] {
            let Some(names) = self.names(scope.printer.knowledge, properties, kind)? else { continue };
            for predicate in &names.iris {
                let value = scope.fresh("v");
                let guard = match kind {
                    _ if !names.guard_value => String::new(),
                    Kind::Node => format!(" FILTER(isIRI({value}))"),
                    Kind::Literal => format!(" FILTER(isBlank({value}))"),
                };
                scope.group.none(&format!("{subject} {predicate} {value}{guard}"));
            }
        }
        Ok(())
    }

    /// The names of qualifier keys.
    fn qualifier_names(&self, keys: &[QualifierId]) -> Result<Vec<String>, NoExactForm> {
        let mut iris = Vec::new();
        for &qualifier in keys {
            let name = key(self.kb.qualifier_label(qualifier));
            let same = self.keys.get(&name).map_or(&[][..], |key| key.qualifiers.as_slice());
            if same.iter().any(|other| !keys.contains(other)) {
                return Err(NoExactForm::new("one of several qualifiers of the same name"));
            }
            let name = iri_ref(&name);
            if !iris.contains(&name) {
                iris.push(name);
            }
        }
        Ok(iris)
    }

    /// A condition on the qualifiers of a fact.
    fn qualified(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        fact: &str,
        test: &Test,
    ) -> Result<Possible, NoExactForm> {
        let knowledge = scope.printer.knowledge;
        let domain = knowledge.qualifiers(&test.keys);
        let label = |node: &&u32| self.kb.label(NodeId(**node));
        let (pass, fail): (Vec<&u32>, Vec<&u32>) =
            domain.nodes.iter().partition(|node| node_passes(label(node), test));
        let wanted = Wanted::Test(test);
        let divided = wanted.divide(knowledge, &domain.literals);
        if pass.is_empty() && divided.pass.is_empty() {
            return Ok(Possible::No);
        }
        let key = scope.one_of("k", self.qualifier_names(&test.keys)?);
        let value = scope.fresh("q");
        let all = fail.is_empty() && divided.fail.is_empty();
        if all || pass.is_empty() {
            scope.group.triple(fact, &key, &value);
            return if all { Ok(Possible::Yes) } else { scope.value_node(&value, &domain.literals, &wanted) };
        }
        if divided.pass.is_empty() && pass.len() <= MAX_LISTED {
            let value = scope.one_of("q", scope.printer.nodes(&pass)?);
            scope.group.triple(fact, &key, &value);
            return Ok(Possible::Yes);
        }
        if knowledge.has_blank_nodes() {
            return Err(NoExactForm::new(
                "a qualifier with things and texts as values, in a KB with blank nodes",
            ));
        }
        let is_node = format!("isIRI({value})");
        let mut alternatives = vec![scope.printer.one_of_nodes(&value, &is_node, &pass, &fail)?];
        if divided.fail.is_empty() && !divided.pass.is_empty() {
            alternatives.push(format!("isBlank({value})"));
        } else if !divided.pass.is_empty() {
            let mut parts = Parts { group: &mut scope.group, node: &value, required: false };
            alternatives.extend(parts.alternatives(knowledge, &domain.literals, &wanted)?);
        }
        scope.group.triple(fact, &key, &value);
        scope.group.filter(&any(alternatives));
        Ok(Possible::Yes)
    }

    /// The values of a fact's qualifiers.
    pub(super) fn qualifier_value(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        fact: &str,
        keys: &[QualifierId],
        value: &str,
    ) -> Result<(), NoExactForm> {
        let key = scope.one_of("k", self.qualifier_names(keys)?);
        scope.group.triple(fact, &key, value);
        Ok(())
    }
}

/// See [`KqaPro::names`].
pub(super) struct Names {
    pub(super) iris: Vec<String>,
    /// Values of the other kind have the same name.
    pub(super) guard_value: bool,
    /// Qualifiers have the same name: the subject may be a fact.
    pub(super) guard_subject: bool,
}
