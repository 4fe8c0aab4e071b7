//! Gold SPARQL of all recipes, rewritten so that it still asks the same, scores 1; near misses of it do not.

use super::gold::{renamed_and_reordered, with_prefixes};
use super::{evaluated, form, grader, knowledge};
use std::collections::BTreeMap;
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{Benchmark, Function, Question};
use touchstone_engine::Words;
use touchstone_forge::{Recipe, make};
use touchstone_grade::Measure;
use touchstone_grade::degrade::{Degradation, degrade};
use touchstone_kb::{Kb, NoProgress};
use touchstone_logic::Language;

const TYPE: &str = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
const LABEL: &str = "<http://www.w3.org/2000/01/rdf-schema#label>";
const MEASURES: [Measure; 4] = [Measure::EmCanonical, Measure::F1Sem, Measure::F1Tri, Measure::F1Aligned];

fn built(kb: &Kb, recipe: &str, questions: usize) -> Benchmark {
    let mut recipe = Recipe::parse(Recipe::text(recipe).unwrap()).unwrap();
    recipe.questions = questions;
    make(kb, &recipe, &Lexicon::of(kb), &NoProgress).unwrap()
}

/// A line with one triple: its subject, predicate and object.
fn triple(line: &str) -> Option<[&str; 3]> {
    let line = line.trim();
    let body = line.strip_suffix(" .")?;
    let mut parts = body.splitn(3, ' ');
    let triple = [parts.next()?, parts.next()?, parts.next()?];
    let is_term = |text: &str| text.starts_with(['?', '<']) && !text.contains([' ', '{']);
    (is_term(triple[0]) && triple[1].starts_with('<') && !triple[2].starts_with("<<")).then_some(triple)
}

/// Triples of the same subject in one list.
fn with_lists(sparql: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in sparql.lines() {
        if let (Some([subject, predicate, object]), Some(last)) = (triple(line), lines.last_mut())
            && let Some([known, ..]) = triple(&last.replace(" ;", " ."))
            && known == subject
        {
            let open = last.strip_suffix(" .").unwrap_or(last).to_owned();
            *last = format!("{open} ; {predicate} {object} .");
            continue;
        }
        lines.push(line.to_owned());
    }
    lines.join("\n")
}

/// Every triple with a variable or IRI as object the other way round.
fn with_inverse_paths(sparql: &str) -> String {
    let turn = |line: &str| match triple(line) {
        Some([subject, predicate, object]) if object.starts_with(['?', '<']) && predicate != TYPE => {
            format!("{object} ^{predicate} {subject} .")
        }
        _ => line.to_owned(),
    };
    sparql.lines().map(turn).collect::<Vec<_>>().join("\n")
}

/// Every type twice. SPARQL sees explicit types only, and a domain says nothing about each thing: no other type is sure to be redundant.
fn with_redundant_types(sparql: &str) -> String {
    let repeat = |line: &str| match triple(line) {
        Some([_, TYPE, object]) if object.starts_with('<') => format!("{line}\n{line}"),
        _ => line.to_owned(),
    };
    sparql.lines().map(repeat).collect::<Vec<_>>().join("\n")
}

/// With a column for the name of the answer, bound by `pattern`.
fn with_label(sparql: &str, pattern: &str) -> Option<String> {
    let rest = sparql.strip_prefix("SELECT DISTINCT ?answer WHERE {")?;
    let body = rest.strip_suffix('}')?;
    Some(format!("SELECT DISTINCT ?answer ?answerLabel WHERE {{{body} {pattern} }}"))
}

/// The rewritten forms of a question, by name.
fn rewritten(question: &Question, kb: &Kb) -> Vec<(&'static str, String)> {
    let Some(gold) = question.forms.sparql.as_deref() else { return Vec::new() };
    let mut found = vec![
        ("renamed and reordered", renamed_and_reordered(gold)),
        ("prefixes", with_prefixes(gold, &kb.manifest().base)),
        ("lists", with_lists(gold)),
        ("inverse paths", with_inverse_paths(gold)),
        ("a redundant type", with_redundant_types(gold)),
    ];
    // Only things have names.
    let finds_things =
        matches!(question.function, Function::None | Function::Comparative | Function::Superlative)
            && question.answers.iter().all(|answer| answer.id().is_some());
    if finds_things {
        let optional =
            format!("OPTIONAL {{ ?answer {LABEL} ?answerLabel FILTER(LANG(?answerLabel) = \"en\") }}");
        found.extend(
            with_label(gold, &format!("?answer {LABEL} ?answerLabel .")).map(|text| ("a label", text)),
        );
        found.extend(with_label(gold, &optional).map(|text| ("an optional label", text)));
    }
    found.retain(|(_, text)| text != gold);
    found
}

#[test]
fn gold_in_other_words_is_gold_in_all_recipes() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let words = Words::new(&kb);
    let grader = grader(&kb, &words);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for recipe in Recipe::built_in() {
        let benchmark = built(&kb, recipe, 150);
        for question in &benchmark.questions {
            for (name, text) in rewritten(question, &kb) {
                let prediction = form(&text, Language::Sparql);
                let grade = grader.grade(question, Some(&prediction));
                for measure in MEASURES.into_iter().chain([Measure::F1Exec, Measure::EmAnswer]) {
                    let value = grade.values.get(measure);
                    assert_eq!(value, Some(1.0), "{recipe}, {name}: {}\n{text}", measure.name());
                }
                *counts.entry(name).or_default() += 1;
            }
        }
    }
    assert_eq!(counts.len(), 7, "{counts:?}");
    assert!(counts.values().all(|&n| n >= 50), "{counts:?}");
}

/// The table in docs/grading.md: 1 if a measure never changes, `<` if it is always below 1, `~` otherwise.
fn felt(values: &[f64]) -> &'static str {
    if values.iter().all(|&value| value == 1.0) {
        "1"
    } else if values.iter().all(|&value| value < 1.0) {
        "<"
    } else {
        "~"
    }
}

#[test]
fn near_misses_are_not_gold() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let words = Words::new(&kb);
    let mut grader = grader(&kb, &words);
    // Gold must be compared as well.
    grader.trusts_gold_text = false;
    let mut values: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for recipe in Recipe::built_in() {
        let benchmark = built(&kb, recipe, 150);
        let questions = evaluated(&benchmark);
        for (name, degradation) in Degradation::ALL {
            let degraded = degrade(&questions, &questions, degradation, 1.0, 1, &knowledge(&kb, &words));
            for prediction in &degraded.predictions {
                let question = questions.iter().find(|question| question.id == prediction.id).unwrap();
                let text = prediction.logical_form.as_deref();
                let forms = &question.forms;
                if [&forms.sexpr, &forms.program, &forms.sparql].iter().any(|form| form.as_deref() == text) {
                    continue;
                }
                let grade = grader.grade(question, Some(prediction));
                for measure in MEASURES {
                    let value = grade.values.get(measure).unwrap();
                    if measure == Measure::EmCanonical {
                        assert!(value < 1.0, "{recipe}, {name}: {}\n{forms:#?}", text.unwrap());
                    }
                    values.entry((name, measure.name())).or_default().push(value);
                }
            }
        }
    }
    let row = |name: &str| {
        let cells: Vec<&str> = MEASURES.iter().map(|m| felt(&values[&(name, m.name())])).collect();
        format!("| `{name}` | {} |", cells.join(" | "))
    };
    let table: Vec<String> = Degradation::ALL.iter().map(|(name, _)| row(name)).collect();
    let page = include_str!("../../../../docs/grading.md");
    for row in &table {
        assert!(page.contains(row.as_str()), "docs/grading.md has another table than\n{}", table.join("\n"));
    }
}
