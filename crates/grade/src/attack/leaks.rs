//! What training gives away about the evaluation.

use super::{Measured, lower_tokens, sample};
use crate::cast::float;
use hashbrown::{HashMap, HashSet};
use touchstone_benchmark::{Question, Split};
use touchstone_kb::{Kb, Property};
use touchstone_logic::level::Level;

const TRAINING: usize = 1500;
const EVALUATED: usize = 1000;

/// The question with `E` for entities and `0` for numbers.
fn delexicalised(question: &Question) -> Vec<String> {
    let chars: Vec<char> = question.question.chars().collect();
    let mut text = String::new();
    let mut at = 0;
    for mention in &question.entities {
        if mention.start < at || mention.end > chars.len() {
            continue;
        }
        text.extend(&chars[at..mention.start]);
        text.push_str(" E ");
        at = mention.end;
    }
    text.extend(&chars[at..]);
    let is_number = |token: &str| token.starts_with(|c: char| c.is_ascii_digit());
    lower_tokens(&text)
        .into_iter()
        .map(|token| if is_number(&token) { "0".to_owned() } else { token })
        .collect()
}

/// Words and pairs of words.
fn grams(tokens: &[String]) -> HashSet<String> {
    let pairs = tokens.windows(2).map(|pair| pair.join(" "));
    tokens.iter().cloned().chain(pairs).collect()
}

/// The accuracy of taking the template of the training question that shares the most words and pairs of words, rare ones counting more.
pub(super) fn nearest_template(questions: &[&Question]) -> Option<Measured> {
    let training: Vec<&Question> =
        questions.iter().copied().filter(|question| question.split == Split::Train).collect();
    let training = sample(training, TRAINING, "nearest template");
    let templates: HashSet<&str> = training.iter().map(|question| question.template.as_str()).collect();
    let seen = |question: &&Question| {
        question.split != Split::Train && templates.contains(question.template.as_str())
    };
    let asked = sample(questions.iter().copied().filter(seen).collect(), EVALUATED, "nearest template");
    let known: Vec<HashSet<String>> =
        training.iter().map(|question| grams(&delexicalised(question))).collect();
    let mut index: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, grams) in known.iter().enumerate() {
        grams.iter().for_each(|gram| index.entry(gram).or_default().push(at));
    }
    let weight =
        |gram: &str| index.get(gram).map_or(0.0, |at| (float(known.len()) / float(at.len())).ln() + 0.1);
    let lengths: Vec<f64> =
        known.iter().map(|grams| grams.iter().map(|gram| weight(gram).powi(2)).sum::<f64>().sqrt()).collect();
    let mut right = 0;
    for question in &asked {
        let mut scores = vec![0.0; known.len()];
        for gram in grams(&delexicalised(question)) {
            let weight = weight(&gram).powi(2);
            for &at in index.get(gram.as_str()).map_or(&[][..], Vec::as_slice) {
                scores[at] += weight;
            }
        }
        let score = |at: usize| scores[at] / lengths[at].max(f64::MIN_POSITIVE);
        let nearest = (0..known.len()).max_by(|&a, &b| score(a).total_cmp(&score(b)));
        right += usize::from(nearest.is_some_and(|at| training[at].template == question.template));
    }
    (asked.len() >= ENOUGH).then(|| Measured {
        value: float(right) / float(asked.len()),
        chance: None,
        questions: asked.len(),
    })
}

/// Minimum number of questions with a template of training, for a figure.
const ENOUGH: usize = 20;

/// The pairs of a named thing and a relation at it.
fn pairs(question: &Question) -> Vec<(&str, &str)> {
    let graph = &question.graph;
    let named = |at: usize| {
        graph.vertices.get(at).filter(|vertex| vertex.grounded).map(|vertex| vertex.label.as_str())
    };
    let ends = graph.edges.iter().flat_map(|edge| [(edge.from, edge), (edge.to, edge)]);
    ends.filter_map(|(at, edge)| Some((named(at)?, edge.label.as_str()))).collect()
}

/// The share of questions all of whose pairs of a named thing and a relation are in training.
pub(super) fn pairs_in_training(questions: &[&Question], level: Option<Level>) -> Option<Measured> {
    let training = questions.iter().copied().filter(|question| question.split == Split::Train);
    let known: HashSet<(&str, &str)> = training.flat_map(pairs).collect();
    if known.is_empty() {
        return None;
    }
    let asked = questions
        .iter()
        .copied()
        .filter(|question| question.split != Split::Train)
        .filter(|question| level.is_none() || question.level == level);
    let values: Vec<f64> = asked
        .map(pairs)
        .filter(|pairs| !pairs.is_empty())
        .map(|pairs| f64::from(u8::from(pairs.iter().all(|pair| known.contains(pair)))))
        .collect();
    Measured::mean(&values, None)
}

/// The mean share of the words of the labels of schema items that a question uses. Words are compared by their first five letters.
pub(super) fn label_overlap(questions: &[&Question], kb: Option<&Kb>, level: Level) -> Option<Measured> {
    let stem = |word: &str| word.chars().take(5).collect::<String>();
    let asked = questions.iter().copied().filter(|question| question.level == Some(level));
    let values: Vec<f64> = asked
        .filter_map(|question| {
            let said: HashSet<String> =
                lower_tokens(&question.question).iter().map(|word| stem(word)).collect();
            let words: Vec<String> = question
                .schema_items
                .iter()
                .flat_map(|item| label_words(item, kb))
                .map(|word| stem(&word))
                .collect();
            let shared = words.iter().filter(|word| said.contains(*word)).count();
            (!words.is_empty()).then(|| float(shared) / float(words.len()))
        })
        .collect();
    Measured::mean(&values, None)
}

/// The words of a label that mean something; without a KB, of the last part of an id.
fn label_words(item: &str, kb: Option<&Kb>) -> Vec<String> {
    let label = kb.and_then(|kb| {
        let property =
            kb.relation(item).map(Property::Relation).or_else(|| kb.attribute(item).map(Property::Attribute));
        let property = property.map(|property| kb.property_label(property));
        property.or_else(|| kb.node(item).map(|node| kb.label(node)))
    });
    let text = label.unwrap_or_else(|| item.rsplit(['/', '#', '.', ':']).next().unwrap_or(item));
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words.map(str::to_lowercase).filter(|word| !["the", "and", "for"].contains(&word.as_str())).collect()
}
