//! What speaks for a candidate: how its items, words and form fit the question. A feature is a number and a value; names are hashed.

use crate::candidate::{Asked, Candidate, Denotation, leaf_words, unused_leaves};
use crate::feature_names::*;
use crate::leaves::{LeafThing, Question};
use crate::model::Weights;
use crate::qualified::StatedCondition;
use crate::schema::{ItemNames, SchemaNames};
use crate::search::{Item, ItemScore, ItemScores, PartId, Search, Step};
use crate::synonyms::are_synonyms;
use crate::text::{QuestionWord, likeness};
use hashbrown::HashMap;
use std::ops::Range;
use touchstone_kb::{AttributeId, ClassId, Kb, LiteralId, NodeId};
use touchstone_logic::{Direction, Extreme};

/// A list of features: the number of a weight, and a value.
pub(crate) type Features = Vec<(u32, f32)>;

/// How well the name of an item fits the words of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Alignment {
    /// Mean likeness of the words of the name with the most similar words of the question.
    pub(crate) fit: f32,
    /// The words that fit, as bits.
    pub(crate) words: u64,
}

/// What is known about a schema item for a question.
#[derive(Debug, Clone)]
struct ItemView {
    /// How well its name fits; for a relation, the name of the other direction is evidence, too.
    best: Alignment,
    /// The fit of its own name.
    own: f32,
    /// The fit of the name of the other direction.
    other: f32,
    /// Where its lexical features are.
    lexical: Range<usize>,
    /// Its score without a query around it.
    score: f32,
}

/// What is known about a question, computed once.
pub(crate) struct QuestionView<'q, 'k> {
    pub(crate) question: &'q Question,
    schema: &'q SchemaNames<'k>,
    weights: &'q Weights,
    /// The words that neither connect others nor are part of a name, as bits.
    content: u64,
    stems: Vec<Name>,
    items: HashMap<Item, ItemView>,
    lexical: Features,
    question_word: Name,
    first: Name,
    first_word: Name,
    /// Words that may ask for an extreme, as bits.
    extreme_words: u64,
    /// The class that the question names first.
    head: Option<ClassId>,
    /// Whether a word after the first one has a capital letter.
    has_capitals: bool,
}

impl<'q, 'k> QuestionView<'q, 'k> {
    pub(crate) fn new(question: &'q Question, schema: &'q SchemaNames<'k>, weights: &'q Weights) -> Self {
        let named = question.named_words();
        let bits = |is: &dyn Fn(&QuestionWord) -> bool| {
            question.words.iter().enumerate().fold(0_u64, |bits, (at, word)| bits | u64::from(is(word)) << at)
        };
        let content = bits(&|word| !word.is_plain) & !named;
        let stem = |at: usize| Name::of(&question.words[at].stem);
        let stems = (0..question.words.len()).filter(|at| content & (1 << at) != 0).map(stem).collect();
        let begin = question.begin();
        let word =
            |at: usize| Name::of(question.words.get(begin + at).map_or("", |word| word.lower.as_str()));
        let classes = question.leaves.iter().filter_map(|leaf| match leaf.thing {
            LeafThing::Class(class) => Some((leaf.first, class)),
            _ => None,
        });
        QuestionView {
            question,
            schema,
            weights,
            content,
            stems,
            items: HashMap::new(),
            lexical: Features::new(),
            question_word: Name::of(&question_word(question)),
            first: word(0).with(word(1)),
            first_word: word(0),
            extreme_words: bits(&|word| is_extreme(&word.lower)),
            has_capitals: question.words.iter().skip(1).any(|word| word.is_capital),
            head: classes.min_by_key(|(first, _)| *first).map(|(_, class)| class),
        }
    }

    fn names(&self, item: Item) -> &'q ItemNames {
        match item {
            Item::Relation(relation, Direction::Forward) => &self.schema.relations[relation.index()],
            Item::Relation(relation, Direction::Backward) => &self.schema.inverses[relation.index()],
            Item::Attribute(attribute) => &self.schema.attributes[attribute.index()],
            Item::Class(class) => &self.schema.classes[class.index()],
            Item::Qualifier(qualifier) => &self.schema.qualifiers[qualifier.index()],
        }
    }

    /// Looks an item up, or computes what is known about it.
    fn see(&mut self, item: Item) -> &ItemView {
        if !self.items.contains_key(&item) {
            let view = self.view(item);
            self.items.insert(item, view);
        }
        &self.items[&item]
    }

    fn view(&mut self, item: Item) -> ItemView {
        let own = self.aligned(self.names(item));
        let other = match item {
            Item::Relation(relation, direction) => {
                self.aligned(self.names(Item::Relation(relation, direction.flipped())))
            }
            _ => Alignment::default(),
        };
        let weaker = Alignment { fit: other.fit * OTHER_DIRECTION, ..other };
        let best = if weaker.fit > own.fit { weaker } else { own };
        let name = item_name(self.schema.kb, item);
        let start = self.lexical.len();
        let value = 1.0 / (self.stems.len().max(1) as f32).sqrt();
        self.lexical.extend(self.stems.iter().map(|stem| (name.with(*stem).weight(), value)));
        self.lexical.push((name.with(ITEM).weight(), 0.3));
        let lexical = start..self.lexical.len();
        let score = 1.5 * best.fit + self.weights.score(&self.lexical[lexical.clone()]);
        ItemView { best, own: own.fit, other: other.fit, lexical, score }
    }

    fn aligned(&self, names: &ItemNames) -> Alignment {
        let mut best = Alignment::default();
        for name in &names.names {
            let (mut sum, mut words) = (0.0, 0);
            for stem in name {
                let mut most = (0.0, 0);
                for (at, word) in self.question.words.iter().enumerate() {
                    let share = if self.content & (1 << at) == 0 { 0.3 } else { 1.0 };
                    let like = match likeness(stem, &word.stem) {
                        0.0 if are_synonyms(stem, &word.stem) => SYNONYM,
                        like => like,
                    } * share;
                    if like > most.0 {
                        most = (like, 1_u64 << at);
                    }
                }
                sum += most.0;
                if most.0 >= EXPLAINED {
                    words |= most.1;
                }
            }
            let fit = sum / name.len() as f32;
            if fit > best.fit {
                best = Alignment { fit, words };
            }
        }
        best
    }

    /// The leaves and items of a candidate.
    fn used<'s>(&self, search: &'s Search<'_, '_>, candidate: &Candidate) -> Used<'s> {
        let mut used = Used::default();
        for id in candidate.parts() {
            self.collect(search, id, &mut used);
        }
        match candidate.asked {
            Asked::Attribute(_, attribute, _) => used.items.push((Item::Attribute(attribute), None)),
            Asked::Between { attribute, extreme, .. } => used.extremes.push((attribute, extreme)),
            Asked::Verify { leaf, value, .. } => {
                used.compared.push(leaf);
                if let LeafThing::Value { values, .. } = &self.question.leaves[leaf].thing {
                    used.items.push((Item::Attribute(values[value].0), None));
                }
                used.fit += self.question.leaves[leaf].fit;
            }
            Asked::ValueQualifier { leaf, value, qualifier, .. } => {
                if let LeafThing::Value { values, .. } = &self.question.leaves[leaf].thing {
                    used.items.push((Item::Attribute(values[value].0), None));
                }
                used.items.push((Item::Qualifier(qualifier), None));
                used.fit += self.question.leaves[leaf].fit;
            }
            Asked::Qualifier { relation, qualifier, .. } => {
                used.items.push((Item::Relation(relation, Direction::Forward), None));
                used.items.push((Item::Qualifier(qualifier), None));
            }
            _ => {}
        }
        used.conditions.extend(search.stated(candidate.conditions()));
        used
    }

    /// Writes all features of a candidate to a list.
    pub(crate) fn features(
        &mut self,
        search: &Search<'_, '_>,
        candidate: &Candidate,
        features: &mut Features,
    ) {
        features.clear();
        let mut used = self.used(search, candidate);
        let kind = ASK.with(Name::of(candidate.kind()));
        let mut add = |name: Name, value: f32| features.push((name.weight(), value));
        add(kind.with(self.question_word), 1.0);
        add(kind.with(LEAF).with(self.first_word), 1.0);
        add(kind.with(self.first), 1.0);
        add(kind, 1.0);
        add(CONDITIONS, used.conditions.len() as f32);
        for condition in &used.conditions {
            let qualifier = Name::of(search.kb.qualifier_id(condition.qualifier));
            add(CONDITION_FIT, condition.fit);
            add(CONDITIONS.with(qualifier), 1.0);
            add(CONDITIONS.with(qualifier).with(Name::number(condition.comparison as usize)), 1.0);
        }
        let leaf_words = leaf_words(search, candidate);
        let (sure, unsure) = unused_leaves(search, leaf_words);
        add(UNUSED_LEAVES, sure as f32);
        add(UNUSED_LEAVES.with(LEAF), unsure as f32);
        add(LEAF_FIT, used.fit);
        add(RETURNS, used.returns as f32);
        add(OUTER_CLASSES, used.outer_classes as f32);
        add(EDGES, used.edges as f32);
        add(EDGES.with(Name::number(used.edges.min(6))), 1.0);
        for &leaf in &used.compared {
            let leaf = &self.question.leaves[leaf];
            if let LeafThing::Value { comparison, .. } = leaf.thing {
                let compared = COMPARED.with(Name::number(comparison as usize));
                for before in 1..=2 {
                    let word =
                        leaf.first.checked_sub(before).map(|at| self.question.words[at].lower.as_str());
                    add(compared.with(Name::number(before)).with(Name::of(word.unwrap_or_default())), 1.0);
                }
            }
        }
        for &class in &used.implied_classes {
            let is_stated =
                candidate.parts().next().and_then(|id| search.class_of_relation(id)) == Some(class);
            let implied = IMPLIED_CLASS.with(Name::truth(is_stated));
            let class = Name::of(search.kb.node_id(search.kb.class_node(class)));
            add(implied, 1.0);
            add(implied.with(self.question_word), 1.0);
            add(IMPLIED_CLASS.with(class).with(self.question_word), 1.0);
        }
        self.links(&used, &mut add);
        self.coverage(&used, leaf_words, &mut add);
        self.answer(search, candidate, &mut add);
        for &(item, leaf) in &used.items {
            self.direction(item, leaf, &mut add);
        }
        for &(attribute, extreme) in &used.extremes {
            self.extreme_features(attribute, extreme, features);
            used.items.push((Item::Attribute(attribute), None));
        }
        self.word_features(&used, features);
    }

    /// What the words of the question say about the items: each word speaks for the item that it fits best.
    fn word_features(&mut self, used: &Used<'_>, features: &mut Features) {
        let mut ranges: Vec<Range<usize>> = Vec::with_capacity(used.items.len());
        for (item, _) in &used.items {
            let lexical = self.see(*item).lexical.clone();
            if !ranges.contains(&lexical) {
                ranges.push(lexical);
            }
        }
        let weight = |feature: &(u32, f32)| self.weights.score(std::slice::from_ref(feature));
        for word in 0..self.stems.len() {
            let of_items = ranges.iter().map(|range| self.lexical[range.start + word]);
            let best = of_items.max_by(|one, other| weight(one).total_cmp(&weight(other)));
            features.extend(best);
        }
        // The last feature of an item is the item itself.
        features.extend(ranges.iter().map(|range| self.lexical[range.end - 1]));
    }

    /// The leaves and items of a part.
    fn collect<'s>(&self, search: &'s Search<'_, '_>, id: PartId, used: &mut Used<'s>) {
        let part = search.part(id);
        match part.step {
            Step::Entity(node) => {
                used.fit += part.score / 2.0;
                used.entities.push((node, part.words));
            }
            Step::Class(class) if part.words == 0 => used.implied_classes.push(class),
            Step::Class(class) => used.items.push((Item::Class(class), None)),
            Step::Relate { from, relation, direction, conditions } => {
                used.conditions.extend(search.stated(conditions));
                let turns = Step::Relate { from: 0, relation, direction: direction.flipped(), conditions };
                used.returns += usize::from(is_reached_by(search, from, turns));
                let leaf = first_word(search.part(from).words);
                used.items.push((Item::Relation(relation, direction), leaf));
                used.edges += 1;
                self.collect(search, from, used);
            }
            Step::Compared { leaf, value } => {
                used.compared.push(leaf);
                if let LeafThing::Value { values, .. } = &self.question.leaves[leaf].thing {
                    used.items.push((Item::Attribute(values[value].0), None));
                }
                used.fit += self.question.leaves[leaf].fit;
                used.edges += 1;
            }
            Step::Flagged { attribute, .. } => {
                used.items.push((Item::Attribute(attribute), None));
                used.edges += 1;
            }
            Step::Both(one, other) | Step::Either(one, other) => {
                let is = |id, wanted: fn(Step) -> bool| wanted(search.part(id).step);
                let is_class = |step| matches!(step, Step::Class(_));
                let is_superlative = |step| matches!(step, Step::Superlative { .. });
                used.outer_classes += usize::from(
                    is(one, is_class) && is(other, is_superlative)
                        || is(other, is_class) && is(one, is_superlative),
                );
                self.collect(search, one, used);
                self.collect(search, other, used);
            }
            Step::Superlative { of, attribute, extreme } => {
                used.extremes.push((attribute, extreme));
                used.edges += 1;
                self.collect(search, of, used);
            }
            Step::SuperlativeAlong { of, relation, direction, attribute, extreme } => {
                used.extremes.push((attribute, extreme));
                used.items.push((Item::Relation(relation, direction), None));
                used.edges += 2;
                self.collect(search, of, used);
            }
        }
    }

    /// How well the entities fit as names: how they are written, how many words they have, and how well known they are.
    fn links(&self, used: &Used<'_>, add: &mut dyn FnMut(Name, f32)) {
        let kb = self.schema.kb;
        for &(node, words) in &used.entities {
            let leaf = self
                .question
                .leaves
                .iter()
                .find(|leaf| leaf.words == words && leaf.thing == LeafThing::Entity(node));
            let Some(leaf) = leaf else { continue };
            let sure = LINK.with(Name::truth(leaf.is_sure));
            add(sure, 1.0);
            add(sure.with(LEAF).with(Name::truth(self.has_capitals)), 1.0);
            add(sure.with(Name::number(words.count_ones().min(4) as usize)), 1.0);
            add(LINK_FIT, 1.0 - leaf.fit);
            add(LINK_DEGREE, (kb.degree(node) as f32).ln_1p());
            let class = kb.classes_of(node).next().map_or("", |class| kb.node_id(kb.class_node(class)));
            add(sure.with(Name::of(class)), 1.0);
            if words.count_ones() == 1 && !leaf.is_sure {
                let word = &self.question.words[leaf.first];
                add(sure.with(LEAF).with(Name::of(&word.lower)), 1.0);
            }
        }
    }

    /// The words that ask for something and that a candidate does not explain, as bits.
    pub(crate) fn missed(&mut self, search: &Search<'_, '_>, candidate: &Candidate) -> u64 {
        let used = self.used(search, candidate);
        self.content & !self.covered(&used, leaf_words(search, candidate))
    }

    /// The words of leaves, and those that the items fit, as bits.
    fn covered(&mut self, used: &Used<'_>, leaf_words: u64) -> u64 {
        let mut covered = leaf_words;
        for &(item, _) in used.items.iter().filter(|(item, _)| !matches!(item, Item::Class(_))) {
            covered |= self.see(item).best.words;
        }
        for &(attribute, _) in &used.extremes {
            covered |= self.see(Item::Attribute(attribute)).best.words | self.extreme_words;
        }
        covered
    }

    /// How many of the question's words the candidate explains, and how many of its items have a word.
    fn coverage(&mut self, used: &Used<'_>, leaf_words: u64, add: &mut dyn FnMut(Name, f32)) {
        let (mut sum, mut least, mut unexplained) = (0.0, 1.0_f32, 0.0);
        let covered = self.covered(used, leaf_words);
        let (mut known, mut twice) = (0_u64, 0);
        let extremes = used.extremes.iter().map(|&(attribute, _)| Item::Attribute(attribute));
        for item in used.items.iter().map(|&(item, _)| item).chain(extremes) {
            if matches!(item, Item::Class(_)) {
                continue;
            }
            let Alignment { fit, words } = self.see(item).best;
            twice += (words & known).count_ones();
            known |= words;
            sum += fit;
            least = least.min(fit);
            unexplained += f32::from(u8::from(fit < EXPLAINED));
        }
        let content = self.content.count_ones().max(1) as f32;
        let missed = (self.content & !covered).count_ones() as f32;
        add(MISSED_WORDS, missed);
        add(MISSED_SHARE, missed / content);
        add(ITEM_FIT, sum);
        add(LEAST_FIT, least);
        add(UNEXPLAINED_ITEMS, unexplained);
        add(TWICE, twice as f32);
    }

    /// The kind, class and number of answers.
    fn answer(&self, search: &Search<'_, '_>, candidate: &Candidate, add: &mut dyn FnMut(Name, f32)) {
        let kb = search.kb;
        let (kind, count) = match &candidate.denotation {
            Denotation::Nodes(nodes) => {
                let class = nodes.first().and_then(|&node| kb.classes_of(NodeId(node)).next());
                let class = class.map_or("", |class| kb.node_id(kb.class_node(class)));
                (Name::of("class").with(Name::of(class)), nodes.len())
            }
            Denotation::Literals(literals) => {
                let family = literals.first().map(|&id| kb.literal_family(LiteralId(id)) as usize);
                (Name::of("literal").with(Name::number(family.unwrap_or(99))), literals.len())
            }
            Denotation::Relations(relations) => (Name::of("relation"), relations.len()),
            Denotation::Count(count) => (Name::of("count"), usize::from(*count > 0)),
            Denotation::Boolean(value) => (Name::of("boolean").with(Name::truth(*value)), 1),
        };
        add(ANSWER.with(kind), 1.0);
        add(ANSWER.with(kind).with(self.question_word), 1.0);
        let bucket = Name::number(match count {
            0 => 0,
            1 => 1,
            2..=5 => 2,
            6..=50 => 3,
            51..=500 => 4,
            _ => 5,
        });
        add(ANSWERS.with(bucket), 1.0);
        add(ANSWERS.with(bucket).with(Name::of(candidate.kind())), 1.0);
        // The class that the question names first is nearly always that of the answer.
        let counted = match candidate.asked {
            Asked::Count(id) => Some(&search.part(id).members),
            _ => None,
        };
        let nodes = match &candidate.denotation {
            Denotation::Nodes(nodes) => Some(nodes),
            _ => counted,
        };
        if let (Some(class), Some(nodes)) = (self.head, nodes) {
            let is_root = candidate.parts().any(|id| has_class(search, id, class));
            let fits = nodes.iter().take(8).all(|&node| kb.is_member(NodeId(node), class));
            add(HEAD_CLASS.with(Name::truth(is_root)), 1.0);
            add(HEAD_FITS.with(Name::truth(fits)), 1.0);
        }
    }

    /// Which way a relation goes, seen from the place of its leaf and of its word.
    fn direction(&mut self, item: Item, leaf: Option<usize>, add: &mut dyn FnMut(Name, f32)) {
        let Item::Relation(_, direction) = item else { return };
        let ItemView { own, other, best, .. } = *self.see(item);
        let way = DIRECTION.with(Name::truth(direction == Direction::Forward));
        add(OWN_NAME, own);
        add(OTHER_NAME.with(way), other);
        let Some((leaf, word)) = leaf.zip(first_word(best.words)) else { return };
        if best.fit < EXPLAINED {
            return;
        }
        let words = &self.question.words;
        let text = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", |word| word.lower.as_str());
        let ordered = way.with(Name::truth(word < leaf));
        let ending = ordered.with(Name::of(ending(text(Some(word)))));
        add(ordered, 1.0);
        add(ending, 1.0);
        add(ending.with(Name::of(text(Some(word + 1)))), 1.0);
        add(ordered.with(LEAF).with(Name::of(text(leaf.checked_sub(1)))), 1.0);
    }

    fn extreme_features(&self, attribute: AttributeId, extreme: Extreme, features: &mut Features) {
        let name = EXTREME.with(Name::of(self.schema.kb.attribute_id(attribute)));
        let way = Name::truth(extreme == Extreme::Max);
        for (at, word) in self.question.words.iter().enumerate() {
            if self.extreme_words & (1 << at) != 0 {
                if let Some(usual) = usual_extreme(&word.lower) {
                    features.push((EXTREME.with(Name::truth(usual == extreme)).weight(), 1.0));
                }
                let word = Name::of(&word.lower);
                features.push((EXTREME.with(word).with(way).weight(), 1.0));
                features.push((name.with(word).weight(), 1.0));
                features.push((name.with(word).with(way).weight(), 1.0));
            }
        }
    }
}

impl ItemScores for QuestionView<'_, '_> {
    fn item(&mut self, item: Item) -> ItemScore {
        let ItemView { score, best, .. } = *self.see(item);
        ItemScore { score, words: best.words }
    }

    fn extreme(&mut self, attribute: AttributeId, extreme: Extreme) -> ItemScore {
        let mut features = Features::new();
        self.extreme_features(attribute, extreme, &mut features);
        let ItemScore { score, words } = self.item(Item::Attribute(attribute));
        ItemScore { score: score + self.weights.score(&features), words }
    }
}

/// The name of a schema item among features: its id, which is the same in every version of a KB.
fn item_name(kb: &Kb, item: Item) -> Name {
    let (kind, id) = match item {
        Item::Relation(relation, Direction::Forward) => (">", kb.relation_id(relation)),
        Item::Relation(relation, Direction::Backward) => ("<", kb.relation_id(relation)),
        Item::Attribute(attribute) => ("@", kb.attribute_id(attribute)),
        Item::Class(class) => ("#", kb.node_id(kb.class_node(class))),
        Item::Qualifier(qualifier) => ("?", kb.qualifier_id(qualifier)),
    };
    Name::of(kind).with(Name::of(id))
}

/// Whether a word may ask for an extreme or compare two things.
fn is_extreme(word: &str) -> bool {
    word.ends_with("est")
        || word.ends_with("er")
        || matches!(word, "most" | "least" | "first" | "last" | "top" | "more" | "less")
}

/// The extreme that a word asks for of most attributes.
fn usual_extreme(word: &str) -> Option<Extreme> {
    const MOST: [&str; 30] = [
        "biggest", "bigger", "deepest", "denser", "densest", "fastest", "greater", "greatest", "heavier",
        "heaviest", "higher", "highest", "hottest", "larger", "largest", "last", "later", "latest", "longer",
        "longest", "more", "most", "newer", "newest", "richest", "taller", "tallest", "top", "wider",
        "widest",
    ];
    const LEAST: [&str; 20] = [
        "cheapest",
        "coldest",
        "earlier",
        "earliest",
        "fewer",
        "fewest",
        "first",
        "least",
        "less",
        "lighter",
        "lightest",
        "lower",
        "lowest",
        "narrowest",
        "poorest",
        "shorter",
        "shortest",
        "slowest",
        "smaller",
        "smallest",
    ];
    match word {
        _ if MOST.contains(&word) => Some(Extreme::Max),
        _ if LEAST.contains(&word) => Some(Extreme::Min),
        _ => None,
    }
}

/// The parts of a candidate, as features see them.
#[derive(Default)]
struct Used<'s> {
    /// The items with the first word of the leaf that their step starts from.
    items: Vec<(Item, Option<usize>)>,
    extremes: Vec<(AttributeId, Extreme)>,
    conditions: Vec<&'s StatedCondition>,
    /// The entities with their words.
    entities: Vec<(NodeId, u64)>,
    /// The leaves with values that are compared.
    compared: Vec<usize>,
    /// The classes that no word names.
    implied_classes: Vec<ClassId>,
    /// Sum of the fits of leaves.
    fit: f32,
    edges: usize,
    /// Number of classes of what a superlative leaves, not of what it is taken of.
    outer_classes: usize,
    /// Number of relations that go back the way they came.
    returns: usize,
}

/// The weight of the name of the other direction.
const OTHER_DIRECTION: f32 = 0.9;

/// How alike synonyms are.
const SYNONYM: f32 = 0.7;

/// Minimum fit of an item that has a word in the question.
const EXPLAINED: f32 = 0.45;

fn first_word(words: u64) -> Option<usize> {
    (words != 0).then(|| words.trailing_zeros() as usize)
}

/// Whether the last relation of a part is that of a step.
fn is_reached_by(search: &Search<'_, '_>, id: PartId, step: Step) -> bool {
    match (search.part(id).step, step) {
        (
            Step::Relate { relation, direction, .. },
            Step::Relate { relation: other, direction: other_direction, .. },
        ) => relation == other && direction == other_direction,
        (Step::Both(one, other), _) => is_reached_by(search, one, step) || is_reached_by(search, other, step),
        _ => false,
    }
}

fn has_class(search: &Search<'_, '_>, id: PartId, class: touchstone_kb::ClassId) -> bool {
    match search.part(id).step {
        Step::Class(own) => own == class,
        Step::Both(one, other) => has_class(search, one, class) || has_class(search, other, class),
        Step::Superlative { of, .. } | Step::SuperlativeAlong { of, .. } => has_class(search, of, class),
        _ => false,
    }
}

fn ending(word: &str) -> &'static str {
    for ending in ["ing", "ed", "er", "or", "s"] {
        if word.ends_with(ending) {
            return ending;
        }
    }
    "-"
}

/// The word that says what is asked for.
fn question_word(question: &Question) -> String {
    let words: Vec<&str> = question.words.iter().map(|word| word.lower.as_str()).collect();
    let has = |first: &str, second: &[&str]| {
        words.windows(2).any(|pair| pair[0] == first && second.contains(&pair[1]))
    };
    if has("how", &["many"]) || has("number", &["of"]) || words.first() == Some(&"count") {
        return "how many".to_owned();
    }
    if let Some(pair) = words.windows(2).find(|pair| pair[0] == "how") {
        return format!("how {}", pair[1]);
    }
    const ASKING: [&str; 7] = ["who", "whom", "whose", "when", "where", "which", "what"];
    if let Some(word) = words.iter().find(|word| ASKING.contains(word)) {
        return (*word).to_owned();
    }
    words.first().map_or_else(String::new, |word| (*word).to_owned())
}
