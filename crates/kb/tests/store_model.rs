//! The compiled store against a naive model: every look-up on random KBs.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod support;

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use support::{Content, NaiveFact, NaiveKb, Quals, Val};
use touchstone_kb::{Kb, LiteralKind, Property, Value};

/// A value of the store in the model's terms.
fn val(kb: &Kb, value: Value) -> Val {
    let id = match value {
        Value::Node(node) => return Val::Node(kb.node_id(node).to_owned()),
        Value::Literal(id) => id,
    };
    let literal = kb.literal(id);
    let text = literal.text().to_owned();
    match literal.kind() {
        LiteralKind::Text => Val::Text(text),
        LiteralKind::LanguageText => Val::Lang(text, literal.language().to_owned()),
        LiteralKind::TypedText => Val::Typed(text, literal.datatype().to_owned()),
        LiteralKind::Quantity => Val::Number(text, literal.unit().to_owned(), literal.number_type().name()),
        LiteralKind::Year => Val::Year(literal.as_time().unwrap().year()),
        LiteralKind::Month => Val::Month(text),
        LiteralKind::Date => Val::Date(text),
        LiteralKind::DateTime => Val::DateTime(text),
        LiteralKind::Boolean => Val::Bool(literal.as_bool().unwrap()),
    }
}

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

proptest! {
    #![proptest_config(support::cases(60))]

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
        // 64 bytes of memory: everything goes through sorted runs on disk.
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
