//! Attacks find what is planted, and only that.

use super::quick;
use std::collections::BTreeSet;
use touchstone_benchmark::{Benchmark, Question, QuestionType};
use touchstone_grade::attack::{Attack, AttackFigure, attacks, exceeded};
use touchstone_kb::NoProgress;

fn figure(benchmark: &Benchmark, attack: Attack) -> Option<AttackFigure> {
    attacks(benchmark, None).into_iter().find(|figure| figure.attack == attack)
}

#[test]
fn planted_weaknesses_are_found() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let benchmark = quick(&kb, 2000);
    let said = |change: &dyn Fn(&mut Benchmark)| {
        let mut changed = quick(&kb, 2000);
        change(&mut changed);
        changed
    };
    // Each question states its shape.
    let open = said(&|b| {
        let name = |question: &Question| question.alias.clone().unwrap_or_else(|| question.shape.clone());
        let shapes: BTreeSet<String> = b.questions.iter().map(name).collect();
        for question in &mut b.questions {
            let number = shapes.range(..name(question)).count();
            // Letters only: a word for each shape.
            let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap());
            question.question = format!("x{}{}?", letter(number / 26), letter(number));
        }
    });
    let shape = figure(&open, Attack::ShapeFromSurface).unwrap().value;
    assert!(shape > 0.99, "{shape}");
    // All questions are the same.
    let closed = said(&|b| b.questions.iter_mut().for_each(|q| q.question = "What is it?".to_owned()));
    assert!(figure(&closed, Attack::ShapeFromSurface).unwrap().value < 0.25);
    assert_eq!(figure(&closed, Attack::CommonestFirstWord).unwrap().value, 1.0);
    assert!(figure(&closed, Attack::SelfBleu).unwrap().value > 0.99);
    assert!(figure(&closed, Attack::DistinctStarts).unwrap().value < 0.01);
    // Words that give the template away, but not the shape: a paraphrase in training must not help.
    let templates: Vec<String> = benchmark.questions.iter().map(|q| q.template.clone()).collect();
    let signed = said(&|b| {
        for (question, template) in b.questions.iter_mut().zip(&templates) {
            let hash =
                template.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
            let words = ["of", "the", "and", "in", "that", "a", "with", "by", "who", "is"];
            let times = |at: usize| (hash >> (3 * at)) as usize % 5;
            question.question =
                (0..words.len()).map(|at| format!("{} ", words[at]).repeat(times(at))).collect();
        }
    });
    assert!(figure(&signed, Attack::ShapeFromSurface).unwrap().value < 0.3);
    // Only the answer is offered of two things.
    let named = said(&|b| {
        for question in b.questions.iter_mut().filter(|q| q.kind == QuestionType::SelectBetween) {
            let answer = question.answers[0].text().into_owned();
            question.choices = vec![answer.clone(), "nothing of this name".to_owned()];
            question.question = format!("Is it {answer}?");
        }
    });
    assert_eq!(figure(&named, Attack::NamedChoice).unwrap().value, 1.0);
    assert!(figure(&benchmark, Attack::NamedChoice).unwrap().value < 0.6);
    // One class in all zero-shot questions.
    let narrow = said(&|b| {
        for question in &mut b.questions {
            let root = question.graph.root;
            question.graph.vertices[root].label = "film".to_owned();
        }
    });
    assert_eq!(figure(&narrow, Attack::LargestZeroShotClass).unwrap().value, 1.0);
    assert!(figure(&benchmark, Attack::LargestZeroShotClass).unwrap().value < 0.15);
}

#[test]
fn figures_do_not_depend_on_the_order_of_questions() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let benchmark = quick(&kb, 2000);
    let mut reordered = quick(&kb, 2000);
    reordered.questions.reverse();
    reordered.questions.rotate_left(77);
    assert_eq!(attacks(&benchmark, Some(&kb)), attacks(&reordered, Some(&kb)));
}

#[test]
fn limits_are_checked_in_the_right_direction() {
    let figure = |attack, value| AttackFigure { attack, value, chance: None, questions: 1 };
    let figures = [figure(Attack::SelfBleu, 0.6), figure(Attack::DistinctStarts, 0.6)];
    let beyond = |limit: f64| -> Vec<Attack> {
        let limits = [(Attack::SelfBleu, limit), (Attack::DistinctStarts, limit), (Attack::OnlyUnit, 0.0)];
        exceeded(&figures, &limits).into_iter().map(|beyond| beyond.figure.attack).collect()
    };
    assert_eq!(beyond(0.5), [Attack::SelfBleu]);
    assert_eq!(beyond(0.7), [Attack::DistinctStarts]);
    assert!(beyond(0.6).is_empty());
    for attack in Attack::ALL {
        assert_eq!(Attack::from_key(attack.key()), Some(attack));
    }
}
