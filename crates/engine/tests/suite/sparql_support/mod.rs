//! Small KBs with all kinds of literals, a generator of queries, and reference engines.

pub mod generator;

use std::path::Path;
use touchstone_kb::{
    Kb, KbBuilder, Literal, NameKind, NoProgress, NumberType, RawQualifier, RawValue, Workspace,
};

/// A small generator with a fixed sequence for each seed.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % n.max(1)
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Whether literals are written in the canonical form of Oxigraph.
#[derive(Clone, Copy, PartialEq)]
pub enum Spelling {
    Canonical,
    Any,
}

/// A KB with everything that a view can show.
pub fn small_kb(dir: &Path, seed: u64, spelling: Spelling) -> Kb {
    let rng = &mut Rng::new(seed);
    let mut b = KbBuilder::new(Workspace { dir: dir.parent().unwrap().into(), memory: 1 << 20 });
    b.meta.lang = "en".into();
    let entities: Vec<String> = (0..12).map(|i| format!("Q{i}")).collect();
    let classes: Vec<String> = (0..4).map(|i| format!("C{i}")).collect();
    for (i, id) in entities.iter().chain(&classes).enumerate() {
        let node = b.node(id).unwrap();
        let label = format!("{} {}", ["Paris", "Łódź", "the \"best\"", "new york"][i % 4], i / 3);
        b.add_name(node, NameKind::Label, &Literal::language_text(&label, "en"));
        if rng.one_in(3) {
            b.add_name(node, NameKind::Alias, &Literal::language_text("alias", ["en", "fr"][i % 2]));
        }
        if rng.one_in(4) {
            b.add_name(node, NameKind::Description, &Literal::language_text("about it", "en"));
        }
    }
    for (i, class) in classes.iter().enumerate() {
        let node = b.node(class).unwrap();
        b.mark_class(node);
        if i > 0 {
            let parent = b.node(&classes[i / 2]).unwrap();
            b.add_parent(node, parent);
        }
    }
    for id in &entities {
        let (node, class) = (b.node(id).unwrap(), b.node(rng.pick(&classes).as_str()).unwrap());
        b.add_class(node, class);
    }
    for _ in 0..70 {
        let subject = b.node(rng.pick(&entities).as_str()).unwrap();
        let (property, value) = random_value(&mut b, rng, &entities, spelling, true);
        let property = b.property(&property);
        let mut qualifiers: Vec<(RawQualifier, RawValue)> = Vec::new();
        for _ in 0..rng.below(5).saturating_sub(2) {
            let (key, value) = random_value(&mut b, rng, &entities, spelling, true);
            qualifiers.push((b.qualifier(&format!("q {key}")), value));
        }
        b.fact(subject, property, value, &mut qualifiers, None).unwrap();
    }
    b.compile(dir, &NoProgress).unwrap();
    Kb::open(dir).unwrap()
}

fn random_value(
    b: &mut KbBuilder,
    rng: &mut Rng,
    entities: &[String],
    spelling: Spelling,
    nodes: bool,
) -> (String, RawValue) {
    if nodes && rng.one_in(2) {
        return (format!("rel{}", rng.below(3)), b.node(rng.pick(entities).as_str()).unwrap().into());
    }
    let odd = spelling == Spelling::Any && rng.one_in(2);
    let day = format!("19{:02}-0{}-1{}", rng.below(3), 1 + rng.below(9), rng.below(10));
    let number = format!("{}{}", rng.below(20), if rng.one_in(2) { ".5" } else { "" });
    let odd_number =
        if odd { format!("{number}{}", if number.contains('.') { "0" } else { ".0" }) } else { number };
    let integer = format!("{}{}", if odd { "0" } else { "" }, rng.below(30));
    let instant = format!("{day}T10:00:00Z");
    let year = (1900 + rng.below(3)).to_string();
    let word = *rng.pick(&["red", "green", "50%", "Łódź", "a\nb", "é"]);
    let (property, literal) = match rng.below(10) {
        0 => ("length", Literal::quantity(&odd_number, ["", "metre", "square kilometre"][rng.below(3)])),
        1 => ("weight", Literal::quantity(&odd_number, "")),
        2 => ("founded", Literal::year(&year)),
        3 => ("founded", Literal::month(&day[..7])),
        4 => ("born", Literal::date(&day)),
        5 => ("seen", Literal::datetime(&instant)),
        6 => ("is", Some(Literal::boolean(rng.one_in(2)))),
        7 => ("says", Some(Literal::text_value(word))),
        8 => ("says", Some(Literal::language_text(word, ["en", "fr"][rng.below(2)]))),
        _ => ("count", Literal::quantity_of(&integer, "", NumberType::from_name("integer").unwrap())),
    };
    (property.to_owned(), b.literal(&literal.unwrap()).unwrap())
}
