//! A naive KB in plain collections, random ones, and helpers that all tests share.
#![allow(dead_code, unused_imports, missing_docs, unreachable_pub, clippy::unwrap_used)]

use proptest::test_runner::{Config as ProptestConfig, RngSeed};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use touchstone_kb::import::{ImportReport, ImportRequest, Source, import};
use touchstone_kb::rdf::{RdfTerm, RdfTriple, RdfView};
use touchstone_kb::{
    Change, FactId, Kb, KbBuilder, Literal, LiteralId, LiteralKind, NameKind, NoProgress, NodeId, NumberType,
    Property, RawQualifier, RawValue, Result, Value, Workspace,
};

/// A literal or node, written so that it can be compared and ordered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Val {
    Node(String),
    Text(String),
    Lang(String, String),
    Typed(String, String),
    Number(String, String, &'static str),
    Year(i64),
    Month(String),
    Date(String),
    DateTime(String),
    Bool(bool),
}

impl Val {
    pub fn with_literal<R>(&self, f: impl FnOnce(Option<&Literal<'_>>) -> R) -> R {
        let year;
        let literal = match self {
            Val::Node(_) => None,
            Val::Text(t) => Some(Literal::text_value(t)),
            Val::Lang(t, l) => Some(Literal::language_text(t, l)),
            Val::Typed(t, d) => Some(Literal::typed_text(t, d)),
            Val::Number(n, u, t) => Literal::quantity_of(n, u, NumberType::from_name(t).unwrap()),
            Val::Year(y) => {
                year = y.to_string();
                Literal::year(&year)
            }
            Val::Month(t) => Literal::month(t),
            Val::Date(t) => Literal::date(t),
            Val::DateTime(t) => Literal::datetime(t),
            Val::Bool(b) => Some(Literal::boolean(*b)),
        };
        f(literal.as_ref())
    }

    fn raw(&self, builder: &mut KbBuilder) -> RawValue {
        if let Val::Node(id) = self {
            return builder.node(id).unwrap().into();
        }
        self.with_literal(|literal| builder.literal(literal.unwrap()).unwrap())
    }
}

pub type Quals = BTreeSet<(String, Val)>;
pub type NaiveFact = (String, String, Val, Quals);

/// The same random cases every time; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` change them.
pub fn cases(n: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let rng_seed = match default.rng_seed {
        RngSeed::Random => RngSeed::Fixed(7),
        fixed @ RngSeed::Fixed(_) => fixed,
    };
    ProptestConfig {
        cases: if asked { default.cases } else { n },
        failure_persistence: None,
        rng_seed,
        ..default
    }
}

/// One call of a builder.
type Step<'a> = Box<dyn Fn(&mut KbBuilder) + 'a>;

/// Everything a KB holds, in plain collections.
#[derive(Clone, Debug, Default)]
pub struct NaiveKb {
    pub labels: BTreeMap<String, String>,
    pub aliases: BTreeSet<(String, String)>,
    pub descriptions: BTreeMap<String, String>,
    pub classes: BTreeSet<String>,
    pub parents: BTreeSet<(String, String)>,
    pub class_of: BTreeSet<(String, String)>,
    pub facts: BTreeSet<NaiveFact>,
}

/// A small generator with a fixed sequence for each seed.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) as usize) % n.max(1)
    }
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// Which kinds of content a random KB may have: formats differ in what they can hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Content {
    Everything,
    KqaPro,
}

const WORDS: [&str; 12] = [
    "Paris",
    "São Paulo",
    "the \"best\"",
    "Łódź",
    "a/b",
    "x:y",
    "50%",
    "東京",
    "O'Neil",
    "new york",
    "Paris",
    "z",
];

impl NaiveKb {
    pub fn random(seed: u64, size: usize, content: Content) -> NaiveKb {
        let rng = &mut Rng::new(seed);
        let mut kb = NaiveKb::default();
        let n_entities = 1 + rng.below(size);
        let n_classes = 1 + rng.below(6);
        let entities: Vec<String> = (0..n_entities)
            .map(|i| match rng.below(8) {
                0 if content == Content::Everything => format!("http://example.org/e{i}"),
                1 => format!("odd id {i}/%"),
                // Ids that are also names of properties or words of a vocabulary.
                2 if i < 4 && content == Content::Everything => format!("rel{i}"),
                3 if i == 0 && content == Content::Everything => {
                    "http://www.w3.org/2000/01/rdf-schema#Class".into()
                }
                _ => format!("Q{i}"),
            })
            .collect();
        let classes: Vec<String> = (0..n_classes).map(|i| format!("C{i}")).collect();
        for id in entities.iter().chain(&classes) {
            kb.labels.insert(id.clone(), format!("{} {}", WORDS[rng.below(WORDS.len())], rng.below(4)));
            if content == Content::Everything {
                if rng.below(3) == 0 {
                    kb.aliases.insert((id.clone(), format!("alias {}", WORDS[rng.below(WORDS.len())])));
                }
                if rng.below(3) == 0 {
                    kb.descriptions.insert(id.clone(), format!("about {}", rng.below(5)));
                }
            }
        }
        kb.classes.extend(classes.iter().cloned());
        for (i, class) in classes.iter().enumerate() {
            for parent in &classes[i + 1..] {
                if rng.below(3) == 0 {
                    kb.parents.insert((class.clone(), parent.clone()));
                }
            }
        }
        for entity in &entities {
            for _ in 0..rng.below(3) {
                kb.class_of.insert((entity.clone(), classes[rng.below(n_classes)].clone()));
            }
        }
        for _ in 0..rng.below(size * 4) {
            let subject = entities[rng.below(n_entities)].clone();
            let (property, value) = if rng.below(2) == 0 {
                let mut object = &entities[rng.below(n_entities)];
                if content == Content::Everything && rng.below(10) == 0 {
                    object = &classes[rng.below(n_classes)];
                }
                (format!("rel{}", rng.below(4)), Val::Node(object.clone()))
            } else {
                random_literal(rng, content)
            };
            let mut quals = Quals::new();
            for _ in 0..rng.below(5).saturating_sub(2) {
                let (key, value) = match rng.below(4) {
                    0 if content == Content::Everything => {
                        ("by".to_owned(), Val::Node(entities[rng.below(n_entities)].clone()))
                    }
                    _ => random_literal(rng, content),
                };
                quals.insert((format!("q {key}"), value));
            }
            kb.facts.insert((subject, property, value, quals));
        }
        kb
    }

    /// Passes everything to a builder, in an order that the seed determines.
    pub fn build(&self, builder: &mut KbBuilder, order: u64) {
        let rng = &mut Rng::new(order);
        let mut steps: Vec<Step<'_>> = Vec::new();
        for (id, label) in &self.labels {
            steps.push(Box::new(move |b| named(b, id, NameKind::Label, label)));
        }
        for (id, alias) in &self.aliases {
            steps.push(Box::new(move |b| named(b, id, NameKind::Alias, alias)));
        }
        for (id, text) in &self.descriptions {
            steps.push(Box::new(move |b| named(b, id, NameKind::Description, text)));
        }
        for class in &self.classes {
            steps.push(Box::new(move |b| {
                let node = b.node(class).unwrap();
                b.mark_class(node);
            }));
        }
        for (class, parent) in &self.parents {
            steps.push(Box::new(move |b| {
                let (class, parent) = (b.node(class).unwrap(), b.node(parent).unwrap());
                b.add_parent(class, parent);
            }));
        }
        for (entity, class) in &self.class_of {
            steps.push(Box::new(move |b| {
                let (entity, class) = (b.node(entity).unwrap(), b.node(class).unwrap());
                b.add_class(entity, class);
            }));
        }
        for (subject, property, value, quals) in &self.facts {
            steps.push(Box::new(move |b| {
                let subject = b.node(subject).unwrap();
                let property = b.property(property);
                let value = value.raw(b);
                let mut raw: Vec<(RawQualifier, RawValue)> =
                    quals.iter().map(|(key, value)| (b.qualifier(key), value.raw(b))).collect();
                b.fact(subject, property, value, &mut raw, None).unwrap();
            }));
        }
        // Some calls are repeated, which must not matter.
        let repeated: Vec<usize> = (0..steps.len() / 5).map(|_| rng.below(steps.len())).collect();
        let mut all: Vec<usize> = (0..steps.len()).chain(repeated).collect();
        rng.shuffle(&mut all);
        all.into_iter().for_each(|step| steps[step](builder));
    }

    pub fn compile(&self, dir: &Path, order: u64, memory: usize) -> Kb {
        let mut builder = KbBuilder::new(Workspace { dir: dir.parent().unwrap().into(), memory });
        builder.meta.lang = "en".into();
        self.build(&mut builder, order);
        builder.compile(dir, &NoProgress).unwrap();
        Kb::open(dir).unwrap()
    }
}

fn named(builder: &mut KbBuilder, id: &str, kind: NameKind, name: &str) {
    let node = builder.node(id).unwrap();
    builder.add_name(node, kind, &Literal::language_text(name, "en"));
}

fn random_literal(rng: &mut Rng, content: Content) -> (String, Val) {
    let day = format!("19{:02}-0{}-1{}", rng.below(3), 1 + rng.below(9), rng.below(10));
    let unit = ["", "metre", "square kilometre"][rng.below(3)].to_owned();
    let number = format!("{}{}", ["", "-"][rng.below(2)], rng.below(30));
    let number = if rng.below(3) == 0 { format!("{number}.50") } else { number };
    let n_kinds = if content == Content::Everything { 10 } else { 4 };
    match rng.below(n_kinds) {
        0 => (format!("num{}", rng.below(2)), Val::Number(number.replace("-0.50", "0.5"), unit, "decimal")),
        1 => ("year".into(), Val::Year(rng.below(40) as i64 - 20)),
        2 => ("when".into(), Val::Date(day)),
        3 => ("says".into(), Val::Text(WORDS[rng.below(WORDS.len())].to_owned())),
        4 => (
            "says".into(),
            Val::Lang(WORDS[rng.below(WORDS.len())].to_owned(), ["en", "fr"][rng.below(2)].into()),
        ),
        5 => ("when".into(), Val::Year(1900 + rng.below(3) as i64)),
        6 => ("when".into(), Val::Month(day[..7].to_owned())),
        7 => ("when".into(), Val::DateTime(format!("{day}T10:00:0{}Z", rng.below(10)))),
        8 => ("is".into(), Val::Bool(rng.below(2) == 0)),
        _ => ("num0".into(), Val::Number(number, String::new(), ["integer", "float"][rng.below(2)])),
    }
}

/// A value of the store in the model's terms.
pub fn val(kb: &Kb, value: Value) -> Val {
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

/// A random change of a KB, and the model with the same change: facts of one hub, of one group or of anywhere removed; facts added anywhere,
/// also about nodes without facts and about themselves, also existing facts and facts that were just removed.
pub fn random_change(kb: &Kb, model: &NaiveKb, rng: &mut Rng) -> (Change, NaiveKb) {
    let (mut change, mut changed) = (Change::default(), model.clone());
    let all: Vec<_> = kb.nodes().flat_map(|node| kb.facts_about(node)).collect();
    let naive = |id: FactId| -> NaiveFact {
        let fact = kb.fact(id).unwrap();
        let quals = kb.fact_qualifiers(id).map(|q| (kb.qualifier_id(q.key).to_owned(), val(kb, q.value)));
        (
            kb.node_id(fact.subject).to_owned(),
            kb.property_id(fact.property).to_owned(),
            val(kb, fact.value),
            quals.collect(),
        )
    };
    for _ in 0..rng.below(5) {
        if all.is_empty() {
            break;
        }
        let fact = all[rng.below(all.len())];
        let share = 1 + rng.below(3);
        let kind = rng.below(4);
        let removed = all.iter().filter(|other| match kind {
            0 => other.subject == fact.subject && other.property == fact.property,
            1 => other.property == fact.property && other.value == fact.value,
            _ => other.id == fact.id,
        });
        for other in removed {
            if kind > 1 || rng.below(share) == 0 {
                change.removed.push(other.id);
                changed.facts.remove(&naive(other.id));
            }
        }
    }
    for _ in 0..rng.below(8) {
        let subject = NodeId(rng.below(kb.n_nodes()) as u32);
        let (subject, property, value) = match rng.below(4) {
            0 if !all.is_empty() => {
                let again = all[rng.below(all.len())];
                (if rng.below(2) == 0 { again.subject } else { subject }, again.property, again.value)
            }
            1 if kb.n_attributes() > 0 => {
                let attribute = kb.attributes().nth(rng.below(kb.n_attributes())).unwrap();
                (
                    subject,
                    Property::Attribute(attribute),
                    Value::Literal(LiteralId(rng.below(kb.n_literals()) as u32)),
                )
            }
            _ if kb.n_relations() > 0 => {
                let relation = kb.relations().nth(rng.below(kb.n_relations())).unwrap();
                let value = if rng.below(4) == 0 { subject } else { NodeId(rng.below(kb.n_nodes()) as u32) };
                (subject, Property::Relation(relation), Value::Node(value))
            }
            _ => continue,
        };
        change.added.push((subject, property, value));
        changed.facts.insert((
            kb.node_id(subject).to_owned(),
            kb.property_id(property).to_owned(),
            val(kb, value),
            Quals::new(),
        ));
    }
    (change, changed)
}

/// Imports with the usual settings.
pub fn import_file(source: Source, inputs: &[&Path], out: &Path) -> Result<ImportReport> {
    import(&ImportRequest::new(source, inputs.iter().map(|p| p.to_path_buf()).collect()), out, &NoProgress)
}

/// Every pattern that some triple matches, and some that none matches, returns the same as filtering all triples.
pub fn check_view(view: &dyn RdfView, seed: u64) {
    let all: Vec<RdfTriple> = view.triples().collect();
    let distinct: BTreeSet<RdfTriple> = all.iter().copied().collect();
    assert_eq!(all.len(), distinct.len(), "no triple comes twice");
    let mut codes: HashMap<String, RdfTerm> = HashMap::new();
    for triple in &all {
        for &term in triple {
            let decoded = view.decode(term);
            assert_eq!(view.encode(&decoded), Some(term), "{decoded}");
            let other = codes.insert(decoded.to_string(), term);
            assert!(other.is_none_or(|other| other == term), "{decoded} has one code");
        }
        assert!(view.decode_triple(*triple).is_some(), "{triple:?} is a valid triple");
    }
    let rng = &mut Rng::new(seed);
    for _ in 0..60 {
        if all.is_empty() {
            break;
        }
        // Parts of a triple, or of two different ones.
        let (one, two) = (all[rng.below(all.len())], all[rng.below(all.len())]);
        let mixed = [one[0], one[1], if rng.below(4) == 0 { two[2] } else { one[2] }];
        for mask in 0..8 {
            let part = |i: usize| (mask & (1 << i) != 0).then_some(mixed[i]);
            let found: Vec<RdfTriple> = view.matching(part(0), part(1), part(2)).collect();
            let expected: BTreeSet<RdfTriple> =
                all.iter().copied().filter(|t| (0..3).all(|i| part(i).is_none_or(|p| p == t[i]))).collect();
            let as_set: BTreeSet<RdfTriple> = found.iter().copied().collect();
            assert_eq!(
                found.len(),
                as_set.len(),
                "pattern {:?} returns a triple twice",
                [part(0), part(1), part(2)]
            );
            assert_eq!(as_set, expected, "pattern {:?}", [part(0), part(1), part(2)]);
        }
    }
}
