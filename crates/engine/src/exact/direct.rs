//! Patterns of the direct view: one triple per fact; a fact with qualifiers has a name that reifies its triple.

use super::NoExactForm;
use super::conjuncts::{FactAtom, Kind, Var};
use super::direct_values::{Condition, MAX_LISTED, Place};
use super::printer::{Possible, Scope};
use super::wanted::{Wanted, node_passes};
use crate::plan::Test;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, OnceLock, PoisonError};
use touchstone_kb::rdf::DirectView;
use touchstone_kb::{ClassId, Kb, Property, QualifierId, RelationId, VocabularyTerm as Word};
use touchstone_logic::sparql::write::{any, iri_ref, list, triple_term};

/// Writes patterns of the direct view.
pub(super) struct Direct<'k> {
    kb: &'k Kb,
    pub(super) view: DirectView<'k>,
    /// By property: whether all its triples in the graph are facts.
    only_facts: Mutex<HashMap<Property, bool>>,
    /// Predicates that lead to nodes and are not relations, as queries write them.
    not_relations: OnceLock<Vec<String>>,
}

impl<'k> Direct<'k> {
    pub(super) fn new(kb: &'k Kb) -> Direct<'k> {
        Direct { kb, view: DirectView::new(kb), only_facts: Mutex::default(), not_relations: OnceLock::new() }
    }

    pub(super) fn word(&self, word: Word) -> String {
        iri_ref(self.kb.manifest().vocabulary.iri(word))
    }

    fn decoded(&self, code: touchstone_kb::rdf::RdfTerm) -> String {
        use touchstone_kb::rdf::RdfView as _;
        match self.view.decode(code) {
            oxrdf::Term::NamedNode(node) => node.into_string(),
            _ => String::new(),
        }
    }

    pub(super) fn property(&self, property: Property) -> String {
        use touchstone_kb::rdf::RdfTerm;
        match property {
            Property::Relation(relation) => self.decoded(RdfTerm::Relation(relation)),
            Property::Attribute(attribute) => self.decoded(RdfTerm::Attribute(attribute)),
        }
    }

    fn qualifier(&self, key: QualifierId) -> String {
        self.decoded(touchstone_kb::rdf::RdfTerm::Qualifier(key))
    }

    /// Members have only their direct classes, so all subclasses are listed.
    pub(super) fn member(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        var: Var,
        classes: &[ClassId],
    ) -> Result<Possible, NoExactForm> {
        let below = |class: &ClassId| {
            let class = *class;
            let inside = move |other: &ClassId| {
                *other == class || self.kb.ancestors(*other).any(|ancestor| ancestor == class)
            };
            self.kb.classes().filter(inside).filter(|&class| !self.kb.direct_members(class).is_empty())
        };
        let mut all: Vec<ClassId> = classes.iter().flat_map(below).collect();
        all.sort_unstable();
        all.dedup();
        self.typed(scope, var, &all)
    }

    fn typed(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        var: Var,
        classes: &[ClassId],
    ) -> Result<Possible, NoExactForm> {
        let mut terms = Vec::new();
        for &class in classes {
            if !self.view.types_are_members(class) {
                return Err(NoExactForm::new("a class whose members differ between the graph and the model"));
            }
            let class = scope.node(self.kb.class_node(class).0)?;
            // The schema also uses these terms.
            if !self.kb.is_exact_rdf()
                && self.kb.manifest().vocabulary.term(class.trim_matches(['<', '>'])).is_some()
            {
                return Err(NoExactForm::new("a class that is itself a schema term"));
            }
            terms.push(class);
        }
        let name = scope.name(var)?;
        if terms.is_empty() {
            return Ok(Possible::No);
        }
        let class = scope.one_of("c", terms);
        scope.group.triple(&name, &self.word(Word::Type), &class);
        Ok(Possible::Yes)
    }

    /// Any entity: everything that is in some class and is not a class.
    pub(super) fn entity(&self, scope: &mut Scope<'_, '_, '_>, var: Var) -> Result<Possible, NoExactForm> {
        let used: Vec<ClassId> =
            self.kb.classes().filter(|&class| !self.kb.direct_members(class).is_empty()).collect();
        let name = scope.name(var)?;
        let members = used.iter().flat_map(|&class| self.kb.direct_members(class).iter().copied());
        let mut classes: Vec<u32> = members.filter(|&m| m as usize >= self.kb.n_entities()).collect();
        classes.sort_unstable();
        classes.dedup();
        if self.kb.is_exact_rdf() {
            // Nothing in the graph marks what the model treats as a class.
            if classes.len() > MAX_LISTED {
                return Err(NoExactForm::new("any entity, in a KB with many classes in classes"));
            }
            let classes: Result<Vec<String>, NoExactForm> =
                classes.iter().map(|&class| scope.node(class)).collect();
            let classes = classes?;
            if !classes.is_empty() {
                scope.group.filter(&format!("{name} NOT IN {}", list(classes)));
            }
        } else if !classes.is_empty() {
            let class = self.word(Word::Class);
            scope.group.none(&format!("{name} {} {class}", self.word(Word::SchemaType)));
        }
        self.typed(scope, var, &used)
    }

    /// A fact.
    pub(super) fn fact(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        fact: &FactAtom<'_>,
    ) -> Result<Possible, NoExactForm> {
        let (subject, value) = (scope.name(fact.subject)?, scope.name(fact.value)?);
        let predicate = self.predicate(scope, &fact.properties)?;
        if self.is_ambiguous(&fact.properties) && value.starts_with('?') {
            let not = if scope.kind(fact.value) == Kind::Literal { "" } else { "!" };
            scope.group.filter(&format!("{not}isLiteral({value})"));
        }
        if fact.conditions.is_empty() {
            scope.group.triple(&subject, &predicate, &value);
            self.no_fact_name(scope, &fact.properties, &subject);
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

    /// The name of a fact.
    pub(super) fn named_fact(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        subject: &str,
        predicate: &str,
        value: &str,
    ) -> String {
        let name = scope.fresh("f");
        // The plain triple is found by an index; not every engine can look up the triple term.
        scope.group.triple(subject, predicate, value);
        scope.group.triple(&name, &self.word(Word::Reifies), &triple_term(subject, predicate, value));
        name
    }

    /// Any relation.
    pub(super) fn any_relation(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        subject: &str,
        relation: &str,
        value: &str,
    ) -> Result<(), NoExactForm> {
        scope.group.triple(subject, relation, value);
        let all: Vec<Property> = self.kb.relations().map(Property::Relation).collect();
        if self.kb.is_exact_rdf() {
            // The user's graph need not declare which properties are relations; it is known which are not.
            self.only_facts(&all)?;
            let others = self.not_relations.get_or_init(|| {
                let relations: HashSet<String> =
                    all.iter().map(|&property| self.property(property)).collect();
                let linking = self.view.linking_predicates().into_iter().map(|code| self.decoded(code));
                linking.filter(|iri| !relations.contains(iri)).map(|text| iri_ref(&text)).collect()
            });
            if !others.is_empty() {
                scope.group.filter(&format!("{relation} NOT IN {}", list(others.clone())));
            }
        } else {
            scope.group.triple(relation, &self.word(Word::SchemaType), &self.word(Word::Relation));
        }
        if (self.kb.is_exact_rdf() || self.is_ambiguous(&all)) && value.starts_with('?') {
            scope.group.filter(&format!("!isLiteral({value})"));
        }
        self.no_fact_name(scope, &all, subject);
        Ok(())
    }

    /// Rejects properties that have triples which are not facts of the model.
    fn only_facts(&self, properties: &[Property]) -> Result<(), NoExactForm> {
        let mut known = self.only_facts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut only_facts = |&property: &Property| {
            *known.entry(property).or_insert_with(|| self.view.triples_are_facts(property, true))
        };
        if !self.kb.is_exact_rdf() || properties.iter().all(&mut only_facts) {
            Ok(())
        } else {
            Err(NoExactForm::new("a property whose triples differ between the graph and the model"))
        }
    }

    /// The relation with an IRI.
    pub(super) fn relation(&self, iri: &str) -> Option<RelationId> {
        self.kb.relations().find(|&relation| self.property(Property::Relation(relation)) == iri)
    }

    pub(super) fn predicate(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        properties: &[Property],
    ) -> Result<String, NoExactForm> {
        let mut iris: Vec<String> = properties.iter().map(|&property| self.property(property)).collect();
        iris.dedup();
        self.only_facts(properties)?;
        if !self.kb.is_exact_rdf() && iris.iter().any(|iri| self.kb.manifest().vocabulary.term(iri).is_some())
        {
            return Err(NoExactForm::new("a property that is itself a schema term"));
        }
        Ok(scope.one_of("p", iris.iter().map(|text| iri_ref(text)).collect()))
    }

    /// Whether an IRI denotes both a relation and an attribute.
    fn is_ambiguous(&self, properties: &[Property]) -> bool {
        properties.iter().any(|&property| {
            let id = self.kb.property_id(property);
            self.kb.relation(id).is_some() && self.kb.attribute(id).is_some()
        })
    }

    /// If the IRI of a property is also that of a qualifier, the subject may be the name of a fact.
    fn no_fact_name(&self, scope: &mut Scope<'_, '_, '_>, properties: &[Property], subject: &str) {
        let shared = properties.iter().any(|&property| {
            let key = self.kb.qualifier_key(self.kb.property_id(property));
            key.is_some_and(|key| self.qualifier(key) == self.property(property))
        });
        if shared && subject.starts_with('?') {
            let other = scope.fresh("t");
            scope.group.none(&format!("{subject} {} {other}", self.word(Word::Reifies)));
        }
    }

    pub(super) fn lacks(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        var: Var,
        properties: &[Property],
    ) -> Result<(), NoExactForm> {
        let subject = scope.name(var)?;
        for &property in properties {
            let predicate = self.predicate(scope, &[property])?;
            let value = scope.fresh("v");
            let other_kind = match property {
                _ if !self.is_ambiguous(&[property]) => String::new(),
                Property::Relation(_) => format!(" FILTER(!isLiteral({value}))"),
                Property::Attribute(_) => format!(" FILTER(isLiteral({value}))"),
            };
            scope.group.none(&format!("{subject} {predicate} {value}{other_kind}"));
        }
        Ok(())
    }

    /// A condition on the qualifiers of a fact.
    fn qualified(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        fact: &str,
        test: &Test,
    ) -> Result<Possible, NoExactForm> {
        let domain = scope.printer.knowledge.qualifiers(&test.keys);
        let label = |node: &&u32| self.kb.label(touchstone_kb::NodeId(**node));
        let (pass, fail): (Vec<&u32>, Vec<&u32>) =
            domain.nodes.iter().partition(|node| node_passes(label(node), test));
        let knowledge = &scope.printer.knowledge;
        let place = Place { knowledge, view: &self.view, usual: "", own: &domain.literals };
        let value = scope.fresh("q");
        let literals = if domain.literals.is_empty() {
            Condition::Nothing
        } else {
            place.condition(&value, &Wanted::Test(test))?
        };
        if pass.is_empty() && literals == Condition::Nothing {
            return Ok(Possible::No);
        }
        let all_literals = literals == Condition::Everything || domain.literals.is_empty();
        let mut terms: Option<Vec<String>> = None;
        let mut expressions: Vec<String> = Vec::new();
        if !(all_literals && fail.is_empty()) {
            match &literals {
                Condition::Nothing if pass.len() <= MAX_LISTED => {
                    terms = Some(scope.printer.nodes(&pass)?);
                }
                Condition::OneOf(list) if pass.len() <= MAX_LISTED => {
                    terms = Some(list.iter().cloned().chain(scope.printer.nodes(&pass)?).collect());
                }
                Condition::Nothing => {}
                Condition::Everything => expressions.push(format!("isLiteral({value})")),
                Condition::OneOf(terms) => expressions.push(format!("{value} IN {}", list(terms.clone()))),
                Condition::Expression(expression) if domain.nodes.is_empty() => {
                    expressions.push(expression.clone());
                }
                Condition::Expression(expression) => {
                    expressions.push(format!("isLiteral({value}) && ({expression})"));
                }
            }
            if terms.is_none() && !pass.is_empty() {
                expressions.push(scope.printer.one_of_nodes(
                    &value,
                    &format!("!isLiteral({value})"),
                    &pass,
                    &fail,
                )?);
            }
        }
        let key = scope.one_of("k", test.keys.iter().map(|&key| iri_ref(&self.qualifier(key))).collect());
        if !expressions.is_empty() {
            scope.group.filter(&any(expressions));
        }
        match terms {
            Some(terms) => {
                let value = scope.one_of("q", terms);
                scope.group.triple(fact, &key, &value);
            }
            None => scope.group.triple(fact, &key, &value),
        }
        Ok(Possible::Yes)
    }

    /// The values of a fact's qualifiers.
    pub(super) fn qualifier_value(
        &self,
        scope: &mut Scope<'_, '_, '_>,
        fact: &str,
        keys: &[QualifierId],
        value: &str,
    ) {
        let key = scope.one_of("k", keys.iter().map(|&key| iri_ref(&self.qualifier(key))).collect());
        scope.group.triple(fact, &key, value);
    }
}
