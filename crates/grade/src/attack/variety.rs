//! How varied questions are.

use super::{Measured, lower_tokens, sample};
use crate::cast::float;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;
use touchstone_benchmark::Question;

const COMPARED: usize = 500;
const STARTS: usize = 1000;
const ORDER: usize = 4;

/// The mean BLEU-4 of 500 questions, each with the 499 others as references. Orders without a match count as a tenth of one.
pub(super) fn self_bleu(questions: &[&Question]) -> Option<Measured> {
    if questions.len() < 2 {
        return None;
    }
    let tokens: Vec<Vec<String>> =
        sample(questions.to_vec(), COMPARED, "self-BLEU").iter().map(|q| lower_tokens(&q.question)).collect();
    let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
    tokens.iter().for_each(|tokens| *lengths.entry(tokens.len()).or_default() += 1);
    let counts: Vec<[HashMap<&[String], usize>; ORDER]> =
        tokens.iter().map(|tokens| counted(tokens)).collect();
    let mut most: [HashMap<&[String], MostFrequent>; ORDER] = Default::default();
    for (at, counts) in counts.iter().enumerate() {
        for (order, counts) in counts.iter().enumerate() {
            for (&gram, &n) in counts {
                most[order].entry(gram).or_default().add(at, n);
            }
        }
    }
    let score = |at: usize| {
        let mut log = 0.0;
        for order in 0..ORDER {
            let total: usize = counts[at][order].values().sum();
            if total == 0 {
                return 0.0;
            }
            let matched: usize =
                counts[at][order].iter().map(|(gram, &n)| n.min(most[order][gram].elsewhere(at))).sum();
            log += (float(matched).max(0.1) / float(total)).ln();
        }
        let own = tokens[at].len();
        let others = lengths.iter().filter(|&(&length, &n)| length != own || n > 1);
        let nearest = others.map(|(&length, _)| length).min_by_key(|&length| (length.abs_diff(own), length));
        let reference = nearest.unwrap_or(own);
        let brevity = if own >= reference { 1.0 } else { (1.0 - float(reference) / float(own)).exp() };
        brevity * (log / float(ORDER)).exp()
    };
    let values: Vec<f64> = (0..tokens.len()).map(score).collect();
    Measured::mean(&values, None)
}

/// The greatest count of an n-gram in a question, which question has it, and the greatest count in any other.
#[derive(Default)]
struct MostFrequent {
    count: usize,
    question: usize,
    second: usize,
}

impl MostFrequent {
    fn add(&mut self, question: usize, count: usize) {
        if count > self.count {
            *self = MostFrequent { count, question, second: self.count };
        } else {
            self.second = self.second.max(count);
        }
    }

    /// The greatest count in another question.
    fn elsewhere(&self, question: usize) -> usize {
        if self.question == question { self.second } else { self.count }
    }
}

fn counted(tokens: &[String]) -> [HashMap<&[String], usize>; ORDER] {
    std::array::from_fn(|order| {
        let mut counts = HashMap::new();
        tokens.windows(order + 1).for_each(|gram| *counts.entry(gram).or_default() += 1);
        counts
    })
}

/// The share of distinct first four words among 1,000 questions.
pub(super) fn distinct_starts(questions: &[&Question]) -> Option<Measured> {
    let some = sample(questions.to_vec(), STARTS, "first words");
    let starts: HashSet<Vec<String>> =
        some.iter().map(|question| lower_tokens(&question.question).into_iter().take(4).collect()).collect();
    (some.len() == STARTS).then(|| Measured {
        value: float(starts.len()) / float(STARTS),
        chance: None,
        questions: STARTS,
    })
}

/// The share of the most frequent first word.
pub(super) fn commonest_first_word(questions: &[&Question]) -> Option<Measured> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for question in questions {
        *counts
            .entry(lower_tokens(&question.question).into_iter().next().unwrap_or_default())
            .or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    Some(Measured { value: float(most) / float(questions.len()), chance: None, questions: questions.len() })
}
