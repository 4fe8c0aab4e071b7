//! Guesses of answers: always the same ones, and choices that give themselves away.

use super::{Measured, evaluated};
use crate::cast::float;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;
use touchstone_benchmark::{Answer, Question, QuestionType};
use touchstone_kb::{ClassId, Kb, NodeId, RelationId};
use touchstone_logic::level::Level;

/// Maximum number of answers to guess at once.
const MOST: usize = 50;
/// Questions that a class needs: with fewer, nothing can be learned about it.
const ENOUGH: usize = 6;

/// The class that a question asks for.
fn asked_class(question: &Question) -> Option<&str> {
    let root = question.graph.vertices.get(question.graph.root)?;
    (!root.grounded && question.answers.iter().all(|answer| answer.id().is_some()))
        .then_some(root.label.as_str())
}

/// The mean F1 of always giving the most frequent answers of a class: how many, and which, is learned from one half of the questions for the
/// other. Classes with few questions count as 0.
pub(super) fn constant_answer(questions: &[&Question]) -> Option<Measured> {
    let mut by_class: BTreeMap<&str, Vec<HashSet<&str>>> = BTreeMap::new();
    for question in evaluated(questions) {
        let ids: HashSet<&str> = question.answers.iter().filter_map(Answer::id).collect();
        if let Some(class) = asked_class(question).filter(|_| !ids.is_empty()) {
            by_class.entry(class).or_default().push(ids);
        }
    }
    let mut values = Vec::new();
    for answers in by_class.values() {
        if answers.len() < ENOUGH {
            values.extend(std::iter::repeat_n(0.0, answers.len()));
            continue;
        }
        let half = |parity: usize| answers.iter().skip(parity).step_by(2);
        for parity in 0..2 {
            let guess = best_constant(&half(1 - parity).collect::<Vec<_>>());
            values.extend(half(parity).map(|answers| f1(answers, &guess)));
        }
    }
    Measured::mean(&values, None)
}

/// The most frequent answers, as many as give the best mean F1.
fn best_constant<'q>(questions: &[&HashSet<&'q str>]) -> HashSet<&'q str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    questions.iter().flat_map(|answers| answers.iter()).for_each(|id| *counts.entry(id).or_default() += 1);
    let mut ranked: Vec<(&str, usize)> = counts.into_iter().collect();
    ranked.sort_by_key(|&(id, n)| (std::cmp::Reverse(n), id));
    let mut best = (0.0, HashSet::new());
    let mut guess = HashSet::new();
    for (id, _) in ranked.into_iter().take(MOST) {
        guess.insert(id);
        let score: f64 = questions.iter().map(|answers| f1(answers, &guess)).sum();
        if score > best.0 {
            best = (score, guess.clone());
        }
    }
    best.1
}

fn f1(gold: &HashSet<&str>, guess: &HashSet<&str>) -> f64 {
    2.0 * float(gold.intersection(guess).count()) / float((gold.len() + guess.len()).max(1))
}

/// The share of the zero-shot questions that ask for the most frequent class.
pub(super) fn largest_class(questions: &[&Question]) -> Option<Measured> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let zero_shot = questions.iter().copied().filter(|question| question.level == Some(Level::ZeroShot));
    let asked: Vec<&str> = zero_shot.filter_map(asked_class).collect();
    asked.iter().for_each(|class| *counts.entry(class).or_default() += 1);
    let most = counts.values().copied().max()?;
    Some(Measured { value: float(most) / float(asked.len()), chance: None, questions: asked.len() })
}

/// The questions of a type with choices, each with its answer.
fn with_choices<'q>(
    questions: &[&'q Question],
    kind: QuestionType,
) -> impl Iterator<Item = (&'q Question, String)> {
    questions
        .iter()
        .copied()
        .filter(move |question| question.kind == kind && question.choices.len() > 1)
        .filter_map(|question| match &question.answers[..] {
            [answer] => Some((question, answer.text().into_owned())),
            _ => None,
        })
}

/// The chance of the answer among candidates; if there are none, among all choices.
fn among(candidates: &[&String], answer: &str, all: usize) -> f64 {
    match candidates {
        [] => 1.0 / float(all),
        some if some.iter().any(|choice| *choice == answer) => 1.0 / float(some.len()),
        _ => 0.0,
    }
}

/// Of two things to compare, those that are offered.
pub(super) fn named_choice(questions: &[&Question]) -> Option<Measured> {
    let values: Vec<f64> = with_choices(questions, QuestionType::SelectBetween)
        .map(|(question, answer)| {
            let named: Vec<&String> = question
                .choices
                .iter()
                .filter(|choice| question.question.contains(choice.as_str()))
                .collect();
            among(&named, &answer, question.choices.len())
        })
        .collect();
    // Both candidates are in the question.
    Measured::mean(&values, Some(0.5))
}

/// Choices whose unit no other choice has.
pub(super) fn only_unit(questions: &[&Question]) -> Option<Measured> {
    let unit = |text: &str| text.split_once(' ').map_or("", |(_, unit)| unit).to_owned();
    let mut values = Vec::new();
    for question in questions {
        let [answer @ Answer::Quantity { .. }] = &question.answers[..] else { continue };
        if question.choices.len() < 2 {
            continue;
        }
        let mut counts: HashMap<String, usize> = HashMap::new();
        question.choices.iter().for_each(|choice| *counts.entry(unit(choice)).or_default() += 1);
        let alone: Vec<&String> =
            question.choices.iter().filter(|choice| counts[&unit(choice)] == 1).collect();
        let candidates = if alone.len() == 1 { alone } else { Vec::new() };
        values.push(among(&candidates, &answer.text(), question.choices.len()));
    }
    Measured::mean(&values, Some(0.1))
}

/// The share of the best rank of the answer among the sorted choices of counts.
pub(super) fn rank_of_count(questions: &[&Question]) -> Option<Measured> {
    let mut ranks: BTreeMap<usize, usize> = BTreeMap::new();
    let mut asked = 0;
    for (question, answer) in with_choices(questions, QuestionType::Count) {
        let (Ok(answer), numbers) = (
            answer.parse::<u64>(),
            question.choices.iter().filter_map(|choice| choice.parse::<u64>().ok()).collect::<Vec<_>>(),
        ) else {
            continue;
        };
        asked += 1;
        *ranks.entry(numbers.iter().filter(|&&number| number < answer).count()).or_default() += 1;
    }
    let most = ranks.values().copied().max()?;
    Some(Measured { value: float(most) / float(asked), chance: Some(0.1), questions: asked })
}

/// The relations among the choices that the classes of both things allow.
pub(super) fn relation_from_types(questions: &[&Question], kb: &Kb) -> Option<Measured> {
    let labels: HashMap<&str, Vec<RelationId>> = kb.relations().fold(HashMap::new(), |mut map, relation| {
        map.entry(kb.relation_label(relation)).or_default().push(relation);
        map
    });
    let is_in = |node: NodeId, class: Option<ClassId>| {
        class.is_none_or(|class| kb.members(class).binary_search(&node.0).is_ok())
    };
    let fits = |from: NodeId, to: NodeId, relation: RelationId| {
        is_in(from, kb.relation_domain(relation)) && is_in(to, kb.relation_range(relation))
    };
    let values: Vec<f64> = with_choices(questions, QuestionType::Relation)
        .filter_map(|(question, answer)| {
            let [from, to] = &question.entities[..] else { return None };
            let (from, to) = (kb.node(&from.id)?, kb.node(&to.id)?);
            let is_possible = |choice: &&String| {
                let relations = labels.get(choice.as_str()).map_or(&[][..], Vec::as_slice);
                relations.iter().any(|&relation| fits(from, to, relation) || fits(to, from, relation))
            };
            let possible: Vec<&String> = question.choices.iter().filter(is_possible).collect();
            Some(among(&possible, &answer, question.choices.len()))
        })
        .collect();
    Measured::mean(&values, Some(0.1))
}
