//! Guesses from the surface of a question: function words, commas, length and first words.

use super::{Measured, lower_tokens, sample};
use crate::cast::float;
use hashbrown::HashMap;
use std::collections::BTreeMap;
use touchstone_benchmark::Question;

const SHAPES: usize = 6;
const PER_SHAPE: usize = 60;
const FOLDS: usize = 5;
/// Samples to average: the accuracy on one sample varies by several points.
const SAMPLES: usize = 5;

/// The words that are counted one by one: those that hold a sentence together. Other words tell the topic, not the shape.
const FUNCTION_WORDS: [&str; 34] = [
    "that", "who", "which", "whose", "where", "and", "both", "or", "of", "in", "the", "a", "an", "is", "are",
    "was", "were", "has", "have", "had", "with", "by", "to", "from", "one", "it", "its", "as", "at", "for",
    "on", "than", "this", "those",
];

/// The accuracy of logistic regression on the six most frequent shapes with 60 questions each, cross-validated, as a mean
/// over five samples. The attack is fixed: the same samples, features and training for every benchmark. All questions of a
/// template are in the same fold: otherwise a paraphrase of a test question in training would give its shape away.
pub(super) fn shape(questions: &[&Question]) -> Option<Measured> {
    let mut by_shape: BTreeMap<&str, Vec<&Question>> = BTreeMap::new();
    for question in questions {
        by_shape.entry(question.alias.as_deref().unwrap_or(&question.shape)).or_default().push(question);
    }
    let mut groups: Vec<Vec<&Question>> = by_shape.into_values().filter(|of| of.len() >= PER_SHAPE).collect();
    groups.sort_by_key(|of| std::cmp::Reverse(of.len()));
    if groups.len() < SHAPES {
        return None;
    }
    groups.truncate(SHAPES);
    let accuracies: Vec<f64> = (0..SAMPLES).map(|sample| accuracy(&groups, sample)).collect();
    let value = accuracies.iter().sum::<f64>() / float(SAMPLES);
    Some(Measured { value, chance: Some(1.0 / float(SHAPES)), questions: SHAPES * PER_SHAPE })
}

/// The accuracy on one sample of each shape.
fn accuracy(groups: &[Vec<&Question>], number: usize) -> f64 {
    let name = format!("shape from surface {number}");
    let mut features = Features::default();
    let mut samples = Vec::new();
    for (label, group) in groups.iter().enumerate() {
        let drawn = sample(group.clone(), PER_SHAPE, &name);
        let folds = folds_by_template(&drawn);
        for (question, fold) in drawn.into_iter().zip(folds) {
            samples.push(Sample { label, fold, features: features.of(&question.question) });
        }
    }
    let n_features = features.index.len();
    let right =
        (0..FOLDS).map(|fold| n_right(&scaled(&samples, fold, n_features), fold, n_features)).sum::<usize>();
    float(right) / float(samples.len())
}

/// The fold of each question. The most frequent templates are dealt first, each to the fold with the fewest questions.
fn folds_by_template(questions: &[&Question]) -> Vec<usize> {
    let mut by_template: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, question) in questions.iter().enumerate() {
        // Questions outside the algebra have no template: each is on its own.
        let template = if question.template.is_empty() { &question.question } else { &question.template };
        by_template.entry(template).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = by_template.into_values().collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    let (mut folds, mut sizes) = (vec![0; questions.len()], [0; FOLDS]);
    for group in groups {
        let fold = (0..FOLDS).min_by_key(|&fold| sizes[fold]).unwrap_or(0);
        sizes[fold] += group.len();
        group.into_iter().for_each(|at| folds[at] = fold);
    }
    folds
}

#[derive(Clone)]
struct Sample {
    label: usize,
    fold: usize,
    features: Vec<(usize, f64)>,
}

/// The samples with each feature divided by its standard deviation in training, so that the penalty treats all alike.
fn scaled(samples: &[Sample], fold: usize, n_features: usize) -> Vec<Sample> {
    let (mut sums, mut squares, mut n) = (vec![0.0; n_features], vec![0.0; n_features], 0.0);
    for sample in samples.iter().filter(|sample| sample.fold != fold) {
        n += 1.0;
        for &(feature, value) in &sample.features {
            sums[feature] += value;
            squares[feature] += value * value;
        }
    }
    let scale = |feature: usize| {
        let mean = sums[feature] / n;
        let variance: f64 = squares[feature] / n - mean * mean;
        if variance > 1e-9 { variance.sqrt().recip() } else { 1.0 }
    };
    let mut scaled = samples.to_vec();
    for sample in &mut scaled {
        sample.features.iter_mut().for_each(|(feature, value)| *value *= scale(*feature));
    }
    scaled
}

/// Numbers features.
#[derive(Default)]
struct Features {
    index: HashMap<String, usize>,
}

impl Features {
    fn number(&mut self, name: String) -> usize {
        let next = self.index.len();
        *self.index.entry(name).or_insert(next)
    }

    fn of(&mut self, text: &str) -> Vec<(usize, f64)> {
        let tokens = lower_tokens(text);
        let count = |word: &str| float(tokens.iter().filter(|token| *token == word).count());
        let first: Vec<&str> = tokens.iter().take(2).map(String::as_str).collect();
        let is_word = |token: &&String| token.starts_with(char::is_alphanumeric);
        let mut found = vec![
            (self.number("bias".to_owned()), 1.0),
            (self.number("length".to_owned()), float(tokens.iter().filter(is_word).count())),
            (self.number("commas".to_owned()), count(",")),
            (self.number(format!("first {}", first.first().copied().unwrap_or(""))), 1.0),
            (self.number(format!("first two {}", first.join(" "))), 1.0),
        ];
        for word in FUNCTION_WORDS {
            found.push((self.number(format!("word {word}")), count(word)));
        }
        found.retain(|(_, value)| *value != 0.0);
        found
    }
}

/// Steps of Adam on all training questions at once, with a penalty on the squares of weights: a fixed and strong learner.
const STEPS: i32 = 300;
const RATE: f64 = 0.05;

/// Trains on all folds but one, and counts the right guesses on that one.
fn n_right(samples: &[Sample], fold: usize, n_features: usize) -> usize {
    let mut weights = vec![[0.0; SHAPES]; n_features];
    let mut means = vec![[0.0; SHAPES]; n_features];
    let mut squares = vec![[0.0; SHAPES]; n_features];
    for step in 1..=STEPS {
        let mut slopes = weights.clone();
        for sample in samples.iter().filter(|sample| sample.fold != fold) {
            let mut errors = softmax(scores(&weights, &sample.features));
            errors[sample.label] -= 1.0;
            for &(feature, value) in &sample.features {
                slopes[feature].iter_mut().zip(errors).for_each(|(slope, error)| *slope += error * value);
            }
        }
        let (first, second) = (1.0 - 0.9_f64.powi(step), 1.0 - 0.999_f64.powi(step));
        for feature in 0..n_features {
            for label in 0..SHAPES {
                let slope = slopes[feature][label];
                let (mean, square) = (&mut means[feature][label], &mut squares[feature][label]);
                *mean = 0.9 * *mean + 0.1 * slope;
                *square = 0.999 * *square + 0.001 * slope * slope;
                weights[feature][label] -= RATE * (*mean / first) / ((*square / second).sqrt() + 1e-8);
            }
        }
    }
    let is_right = |sample: &&Sample| {
        let scores = scores(&weights, &sample.features);
        let best = (0..SHAPES).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        best == Some(sample.label)
    };
    samples.iter().filter(|sample| sample.fold == fold).filter(is_right).count()
}

fn scores(weights: &[[f64; SHAPES]], features: &[(usize, f64)]) -> [f64; SHAPES] {
    let mut scores = [0.0; SHAPES];
    for &(feature, value) in features {
        for (score, weight) in scores.iter_mut().zip(weights[feature]) {
            *score += weight * value;
        }
    }
    scores
}

fn softmax(scores: [f64; SHAPES]) -> [f64; SHAPES] {
    let most = scores.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let raised = scores.map(|score| (score - most).exp());
    let sum: f64 = raised.iter().sum();
    raised.map(|value| value / sum)
}

/// The accuracy of the most frequent function of the first two words, cross-validated; for words that are new, of all questions.
pub(super) fn function(questions: &[&Question]) -> Option<Measured> {
    let start =
        |question: &Question| lower_tokens(&question.question).into_iter().take(2).collect::<Vec<_>>();
    let known: Vec<(Vec<String>, String)> =
        questions.iter().map(|question| (start(question), question.function.to_string())).collect();
    if known.len() < FOLDS {
        return None;
    }
    let mut right = 0;
    for fold in 0..FOLDS {
        let is_test = |at: usize| at % FOLDS == fold;
        let mut by_start: HashMap<&[String], BTreeMap<&str, usize>> = HashMap::new();
        let mut overall: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, (start, function)) in known.iter().enumerate().filter(|(at, _)| !is_test(*at)) {
            *by_start.entry(start).or_default().entry(function).or_default() += 1;
            *overall.entry(function).or_default() += 1;
        }
        let most = |counts: &BTreeMap<&str, usize>| {
            counts.iter().max_by_key(|(_, n)| **n).map(|(f, _)| f.to_string())
        };
        let usual = most(&overall);
        for (_, (start, function)) in known.iter().enumerate().filter(|(at, _)| is_test(*at)) {
            let guess = by_start.get(start.as_slice()).map_or(usual.clone(), most);
            right += usize::from(guess.as_ref() == Some(function));
        }
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    known.iter().for_each(|(_, function)| *counts.entry(function).or_default() += 1);
    let majority = float(counts.values().copied().max().unwrap_or(0)) / float(known.len());
    Some(Measured {
        value: float(right) / float(known.len()),
        chance: Some(majority),
        questions: known.len(),
    })
}
