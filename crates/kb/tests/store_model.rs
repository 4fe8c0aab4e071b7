//! The compiled store against a naive model: every look-up on random KBs.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod support;

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use support::{Content, NaiveFact, NaiveKb, Quals, Rng, Val, random_change, val};
use touchstone_kb::{Change, FactId, Kb, NodeId, Property, Value};

fn facts(kb: &Kb, facts: impl Iterator<Item = touchstone_kb::Fact>) -> BTreeSet<NaiveFact> {
    let mut set = BTreeSet::new();
    for fact in facts {
        assert_eq!(kb.fact(fact.id), Some(fact), "a fact is found by its id");
        let quals: Quals = kb
            .fact_qualifiers(fact.id)
            .map(|q| (kb.qualifier_id(q.key).to_owned(), val(kb, q.value)))
            .collect();
        let naive = (
            kb.node_id(fact.subject).to_owned(),
            kb.property_id(fact.property).to_owned(),
            val(kb, fact.value),
            quals,
        );
        assert!(set.insert(naive), "no fact comes twice");
    }
    set
}

fn check_nodes(kb: &Kb, model: &NaiveKb) {
    let mut ids: BTreeSet<&String> = model.labels.keys().collect();
    ids.extend(model.classes.iter());
    assert_eq!(kb.n_nodes(), ids.len());
    assert_eq!(kb.n_classes(), model.classes.len());
    for id in ids {
        let node = kb.node(id).unwrap();
        assert_eq!(kb.node_id(node), id);
        assert_eq!(kb.as_class(node).is_some(), model.classes.contains(id));
        assert_eq!(kb.label(node), model.labels[id]);
        assert_eq!(kb.description(node), model.descriptions.get(id).map(String::as_str));
        let aliases: BTreeSet<&str> = kb.aliases(node).map(|a| kb.literal(a).text()).collect();
        let expected: BTreeSet<&str> =
            model.aliases.iter().filter(|(n, _)| n == id).map(|(_, a)| a.as_str()).collect();
        assert_eq!(aliases, expected);
        assert!(kb.nodes_named(&model.labels[id]).contains(&node));
    }
    assert_eq!(kb.node("no such id"), None);
    for name in model.labels.values() {
        let found: BTreeSet<&str> = kb.nodes_named(name).into_iter().map(|n| kb.node_id(n)).collect();
        let by_label = model.labels.iter().filter(|(_, l)| *l == name).map(|(id, _)| id.as_str());
        let by_alias = model.aliases.iter().filter(|(_, a)| a == name).map(|(id, _)| id.as_str());
        assert_eq!(found, by_label.chain(by_alias).collect());
    }
}

fn check_classes(kb: &Kb, model: &NaiveKb) {
    let mut up: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for class in &model.classes {
        let mut open = vec![class.as_str()];
        let mut seen = BTreeSet::new();
        while let Some(c) = open.pop() {
            for (_, parent) in model.parents.iter().filter(|(child, _)| child == c) {
                if seen.insert(parent.as_str()) {
                    open.push(parent);
                }
            }
        }
        up.insert(class, seen);
    }
    for class in &model.classes {
        let id = kb.class(class).unwrap();
        let names = |ids: Vec<touchstone_kb::ClassId>| -> BTreeSet<&str> {
            ids.into_iter().map(|c| kb.node_id(kb.class_node(c))).collect()
        };
        assert_eq!(names(kb.ancestors(id).collect()), up[class.as_str()]);
        let parents = model.parents.iter().filter(|(c, _)| c == class).map(|(_, p)| p.as_str());
        assert_eq!(names(kb.parents(id).collect()), parents.collect());
        let children = model.parents.iter().filter(|(_, p)| p == class).map(|(c, _)| c.as_str());
        assert_eq!(names(kb.children(id).collect()), children.collect());
        let members = |slice: &[u32]| -> BTreeSet<&str> {
            assert!(slice.is_sorted_by(|a, b| a < b));
            slice.iter().map(|&n| kb.node_id(touchstone_kb::NodeId(n))).collect()
        };
        let direct = model.class_of.iter().filter(|(_, c)| c == class).map(|(e, _)| e.as_str());
        assert_eq!(members(kb.direct_members(id)), direct.collect());
        let all =
            model.class_of.iter().filter(|(_, c)| c == class || up[c.as_str()].contains(class.as_str()));
        assert_eq!(members(kb.members(id)), all.map(|(e, _)| e.as_str()).collect());
    }
}

fn check_facts(kb: &Kb, model: &NaiveKb) {
    let all: BTreeSet<NaiveFact> = facts(kb, kb.nodes().flat_map(|n| kb.facts_about(n)));
    assert_eq!(all, model.facts);
    assert_eq!(kb.n_facts(), model.facts.len());
    let incoming = facts(kb, kb.nodes().flat_map(|n| kb.facts_to(n)));
    assert_eq!(incoming, model.facts.iter().filter(|f| matches!(f.2, Val::Node(_))).cloned().collect());
    let properties: Vec<Property> =
        kb.relations().map(Property::Relation).chain(kb.attributes().map(Property::Attribute)).collect();
    for &property in &properties {
        let id = kb.property_id(property);
        let expected: BTreeSet<NaiveFact> = model.facts.iter().filter(|f| f.1 == id).cloned().collect();
        assert_eq!(facts(kb, kb.facts_with(property)), expected);
        let subjects: Vec<&str> = kb.subjects_with(property).map(|n| kb.node_id(n)).collect();
        assert_eq!(
            subjects.iter().copied().collect::<BTreeSet<_>>(),
            expected.iter().map(|f| f.0.as_str()).collect()
        );
        assert_eq!(subjects.len(), subjects.iter().collect::<BTreeSet<_>>().len());
    }
    for relation in kb.relations() {
        let values: Vec<Val> =
            kb.objects_with(relation).map(|n| Val::Node(kb.node_id(n).to_owned())).collect();
        let expected: BTreeSet<&Val> =
            model.facts.iter().filter(|f| f.1 == kb.relation_id(relation)).map(|f| &f.2).collect();
        assert_eq!(values.iter().collect::<BTreeSet<_>>(), expected);
        assert_eq!(values.len(), expected.len(), "each value once");
    }
    for node in kb.nodes() {
        for relation in kb.relations() {
            let values = kb.objects(node, relation);
            assert!(values.is_sorted());
            let found: Vec<&str> = values.iter().map(|&v| kb.node_id(touchstone_kb::NodeId(v))).collect();
            let mut expected: Vec<&str> = model
                .facts
                .iter()
                .filter(|f| f.0 == kb.node_id(node) && f.1 == kb.relation_id(relation))
                .map(|f| match &f.2 {
                    Val::Node(id) => id.as_str(),
                    _ => unreachable!("a relation has nodes as values"),
                })
                .collect();
            expected.sort_by_key(|id| kb.node(id));
            assert_eq!(found, expected);
            let subjects = kb.subjects(relation, node);
            assert!(subjects.is_sorted());
            let wanted = Val::Node(kb.node_id(node).to_owned());
            let n = model.facts.iter().filter(|f| f.1 == kb.relation_id(relation) && f.2 == wanted).count();
            assert_eq!(subjects.len(), n);
            assert_eq!(kb.facts_into(relation, node).len(), n);
        }
    }
}

fn check_values(kb: &Kb, model: &NaiveKb) {
    for attribute in kb.attributes() {
        let by_value = kb.facts_by_value(attribute);
        let ids: Vec<_> = (0..by_value.len()).map(|at| by_value.value(at)).collect();
        assert!(ids.is_sorted(), "facts are in the order of values");
        for window in ids.windows(2) {
            let (a, b) = (kb.literal(window[0]), kb.literal(window[1]));
            let order = touchstone_kb::compare::order(&a, &b);
            assert!(order.is_none_or(|order| order.is_le()), "{a:?} {b:?}");
        }
        for (at, &fact) in by_value.facts.iter().enumerate() {
            let fact = kb.fact(touchstone_kb::FactId(fact)).unwrap();
            assert_eq!(fact.subject.0, by_value.subjects[at]);
            assert_eq!(fact.value, Value::Literal(ids[at]));
        }
        let n = model.facts.iter().filter(|f| f.1 == kb.attribute_id(attribute)).count();
        assert_eq!(by_value.len(), n);
    }
    for (_, _, value, _) in &model.facts {
        value.with_literal(|literal| {
            if let Some(literal) = literal {
                let found = kb.find_literal(literal).unwrap();
                assert_eq!(&val(kb, Value::Literal(found)), value);
            }
        });
    }
}

/// Look-ups by node and by qualifier, which the others do not cover.
fn check_groups(kb: &Kb, model: &NaiveKb) {
    for node in kb.nodes() {
        let id = kb.node_id(node);
        let about: BTreeMap<&str, usize> =
            model.facts.iter().filter(|f| f.0 == id).fold(BTreeMap::new(), |mut n, f| {
                *n.entry(f.1.as_str()).or_default() += 1;
                n
            });
        let properties: Vec<_> = kb.properties_of(node).collect();
        assert_eq!(kb.properties_of(node).len(), properties.len());
        assert!(properties.is_sorted_by_key(|(property, _)| *property));
        assert_eq!(
            properties
                .iter()
                .map(|(p, values)| (kb.property_id(*p), values.len()))
                .collect::<BTreeMap<_, _>>(),
            about
        );
        for (property, values) in properties {
            let facts = kb.facts_of(node, property);
            assert_eq!(kb.values_of(facts.clone()), values);
            match property {
                Property::Relation(relation) => assert_eq!(kb.objects(node, relation), values),
                Property::Attribute(attribute) => assert_eq!(kb.literals(node, attribute), values),
            }
            assert!(facts.map(|fact| kb.fact(FactId(fact)).unwrap().property).all(|p| p == property));
        }
        let wanted = Val::Node(id.to_owned());
        let to: Vec<&NaiveFact> = model.facts.iter().filter(|f| f.2 == wanted).collect();
        assert_eq!(kb.degree(node), about.values().sum::<usize>() + to.len());
        let relations: BTreeMap<&str, usize> =
            kb.relations_to(node).map(|(r, subjects)| (kb.relation_id(r), subjects.len())).collect();
        assert_eq!(relations.len(), kb.relations_to(node).len());
        assert_eq!(relations.values().sum::<usize>(), to.len());
        for (relation, subjects) in kb.relations_to(node) {
            assert!(!subjects.is_empty());
            assert_eq!(kb.subjects(relation, node), subjects);
            for (&fact, &subject) in kb.facts_into(relation, node).iter().zip(subjects) {
                let fact = kb.fact(FactId(fact)).unwrap();
                assert_eq!(
                    (fact.subject, fact.property, fact.value),
                    (NodeId(subject), Property::Relation(relation), Value::Node(node))
                );
            }
        }
    }
    let qualified = facts(kb, kb.qualified_facts().iter().map(|&fact| kb.fact(FactId(fact)).unwrap()));
    assert_eq!(qualified, model.facts.iter().filter(|f| !f.3.is_empty()).cloned().collect());
    assert_eq!(kb.n_qualifiers(), model.facts.iter().map(|f| f.3.len()).sum::<usize>());
    for &fact in kb.qualified_facts() {
        let qualifiers = kb.fact_qualifiers(FactId(fact));
        assert!(qualifiers.eq(kb.fact_qualifiers(kb.fact(FactId(fact)).unwrap().id)), "by either number");
    }
    for attribute in kb.attributes() {
        let by_value = kb.facts_by_value(attribute);
        for at in 0..by_value.len() {
            let value = by_value.value(at).index();
            assert!(by_value.positions(value..value + 1).contains(&at));
        }
        let pairs: Vec<_> =
            (0..by_value.len()).map(|at| (by_value.value(at), by_value.subjects[at])).collect();
        assert!(pairs.is_sorted(), "by value, then by subject");
    }
    let counts = kb.manifest().counts;
    assert_eq!(counts.relational_facts + counts.literal_facts, kb.n_facts() as u64);
    assert_eq!(counts.qualified_facts, kb.qualified_facts().len() as u64);
}

/// Changes that an overlay rejects.
#[test]
fn impossible_changes_are_refused() {
    let model = NaiveKb::random(5, 20, Content::Everything);
    let dir = tempfile::tempdir().unwrap();
    let kb = model.compile(&dir.path().join("kb"), 5, 1 << 20);
    let removed = |fact: usize| Change { removed: vec![FactId(fact as u32)], added: Vec::new() };
    assert!(kb.overlay(&removed(kb.n_facts())).is_err());
    let relation = Property::Relation(kb.relations().next().unwrap());
    let attribute = Property::Attribute(kb.attributes().next().unwrap());
    let unknown_node = NodeId(kb.n_nodes() as u32);
    let literal = Value::Literal(touchstone_kb::LiteralId(0));
    for added in [
        (unknown_node, relation, Value::Node(NodeId(0))),
        (NodeId(0), relation, Value::Node(unknown_node)),
        (NodeId(0), relation, literal),
        (NodeId(0), attribute, Value::Node(NodeId(0))),
        (NodeId(0), attribute, Value::Literal(touchstone_kb::LiteralId(kb.n_literals() as u32))),
        (
            NodeId(0),
            Property::Relation(touchstone_kb::RelationId(kb.n_relations() as u32)),
            Value::Node(NodeId(0)),
        ),
        (NodeId(0), Property::Attribute(touchstone_kb::AttributeId(kb.n_attributes() as u32)), literal),
    ] {
        assert!(kb.overlay(&Change { removed: Vec::new(), added: vec![added] }).is_err(), "{added:?}");
    }
    let overlay = kb.overlay(&removed(0)).unwrap();
    assert!(overlay.is_overlay() && !kb.is_overlay());
    assert!(overlay.overlay(&removed(1)).is_err());
    assert_eq!(overlay.fact(FactId(0)), None);
    assert_ne!(overlay.manifest().fingerprint, kb.manifest().fingerprint);
}

proptest! {
    #![proptest_config(support::cases(60))]

    #[test]
    fn an_overlay_agrees_with_the_changed_model(seed in 0u64..1_000_000, size in 1usize..40) {
        let model = NaiveKb::random(seed, size, Content::Everything);
        let dir = tempfile::tempdir().unwrap();
        let kb = model.compile(&dir.path().join("kb"), seed, 1 << 20);
        let rng = &mut Rng::new(seed);
        for _ in 0..6 {
            let (change, changed) = random_change(&kb, &model, rng);
            let overlay = kb.overlay(&change).unwrap();
            check_nodes(&overlay, &changed);
            check_facts(&overlay, &changed);
            check_values(&overlay, &changed);
            check_groups(&overlay, &changed);
        }
        // The KB below the overlay is unchanged.
        check_facts(&kb, &model);
        check_groups(&kb, &model);
    }

    #[test]
    fn every_look_up_agrees_with_the_model(seed in 0u64..1_000_000, size in 1usize..40) {
        let model = NaiveKb::random(seed, size, Content::Everything);
        let dir = tempfile::tempdir().unwrap();
        let kb = model.compile(&dir.path().join("kb"), seed, 1 << 20);
        check_nodes(&kb, &model);
        check_classes(&kb, &model);
        check_facts(&kb, &model);
        check_values(&kb, &model);
    }

    #[test]
    fn neither_order_nor_memory_changes_a_byte(seed in 0u64..1_000_000, size in 1usize..40) {
        let model = NaiveKb::random(seed, size, Content::Everything);
        let dir = tempfile::tempdir().unwrap();
        let one = model.compile(&dir.path().join("one"), 1, 1 << 20);
        // 64 bytes of memory: everything is sorted on disk.
        let two = model.compile(&dir.path().join("two"), 2, 64);
        prop_assert_eq!(&one.manifest().fingerprint, &two.manifest().fingerprint);
        let sums = |name: &str| std::fs::read_to_string(dir.path().join(name).join("checksums")).unwrap();
        prop_assert_eq!(sums("one"), sums("two"));
    }

    #[test]
    fn another_content_has_another_fingerprint(seed in 0u64..1_000_000) {
        let model = NaiveKb::random(seed, 12, Content::Everything);
        let dir = tempfile::tempdir().unwrap();
        let fingerprint = |m: &NaiveKb, name: &str| m.compile(&dir.path().join(name), 1, 1 << 20).manifest().fingerprint.clone();
        let original = fingerprint(&model, "a");
        let mut changed = model.clone();
        let id = changed.labels.keys().next().unwrap().clone();
        changed.labels.insert(id.clone(), "Another".into());
        prop_assert_ne!(&original, &fingerprint(&changed, "b"));
        let mut fewer = model.clone();
        if let Some(fact) = model.facts.iter().next() {
            fewer.facts.remove(fact);
            prop_assert_ne!(&original, &fingerprint(&fewer, "c"));
            let mut unqualified = fewer.clone();
            let mut quals = fact.3.clone();
            quals.insert(("q new".into(), Val::Text("x".into())));
            unqualified.facts.insert((fact.0.clone(), fact.1.clone(), fact.2.clone(), quals));
            prop_assert_ne!(&original, &fingerprint(&unqualified, "d"));
        }
    }
}
