//! Degradations of S-expressions, for data sets that have no SPARQL.

use std::collections::BTreeSet;
use touchstone_benchmark::{Question, Random};
use touchstone_logic::Knowledge;
use touchstone_logic::{Language, Query, Symbol, Word, read_text, sexpr};

/// The names in the S-expressions of a benchmark.
#[derive(Default)]
pub(crate) struct FormNames {
    entities: Vec<Symbol>,
    classes: Vec<Symbol>,
    properties: Vec<Symbol>,
}

fn read(question: &Question, knowledge: &Knowledge<'_>) -> Option<Query> {
    let text = question.forms.sexpr.as_deref()?;
    read_text(Language::Sexpr, text, knowledge).ok().map(|reading| reading.query)
}

impl FormNames {
    /// The names of some questions.
    pub(crate) fn of(questions: &[&Question], knowledge: &Knowledge<'_>) -> FormNames {
        let (mut entities, mut classes, mut properties) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for mut query in questions.iter().filter_map(|question| read(question, knowledge)) {
            query.words_mut(&mut |word| {
                let (names, word) = match word {
                    Word::Entity(word) => (&mut entities, word),
                    Word::Class(word) => (&mut classes, word),
                    Word::Property(word) => (&mut properties, word),
                    Word::Name(_) | Word::Qualifier(_) | Word::Value(_) => return,
                };
                names.insert(word.clone());
            });
        }
        FormNames {
            entities: entities.into_iter().collect(),
            classes: classes.into_iter().collect(),
            properties: properties.into_iter().collect(),
        }
    }

    /// The S-expression with every entity, class and property replaced at random.
    pub(crate) fn other_names(
        &self,
        question: &Question,
        knowledge: &Knowledge<'_>,
        random: &mut Random,
    ) -> Option<String> {
        let gold = read(question, knowledge)?;
        let mut other = gold.clone();
        other.words_mut(&mut |word| {
            let (names, word) = match word {
                Word::Entity(word) => (&self.entities, word),
                Word::Class(word) => (&self.classes, word),
                Word::Property(word) => (&self.properties, word),
                Word::Name(_) | Word::Qualifier(_) | Word::Value(_) => return,
            };
            if let Some(new) = random.choose(names) {
                *word = new.clone();
            }
        });
        if other == gold {
            return None;
        }
        let printed = sexpr::print(&other).ok()?;
        printed.lost.is_empty().then_some(printed.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::degrade::{Degradation, degrade};
    use touchstone_benchmark::Split;
    use touchstone_datasets::{DataSet, Importer, Record};

    #[test]
    fn data_sets_without_sparql_can_be_degraded() {
        let knowledge = Knowledge::of_spelling();
        let importer = Importer { data_set: DataSet::GrailQa, knowledge, kb: None };
        let record = |line: usize, text: &str| Record {
            line,
            text: serde_json::json!({ "question": "?", "qid": line, "s_expression": text, "answer": [] })
                .to_string(),
            json: true,
        };
        let texts = [
            "(AND t.a (JOIN t.a.r m.01))",
            "(AND t.b (JOIN t.b.s m.02))",
            "(COUNT (AND t.c (JOIN t.c.q m.03)))",
        ];
        let imported = texts
            .iter()
            .enumerate()
            .map(|(at, text)| importer.question(&record(at, text), Split::Dev, "g").ok());
        let imported = imported.collect::<Option<Vec<_>>>().expect("questions");
        let questions: Vec<&Question> = imported.iter().map(|imported| &imported.question).collect();
        for degradation in [Degradation::T1, Degradation::T2, Degradation::T3] {
            let run = degrade(&questions, &questions, degradation, 1.0, 1, &importer.knowledge);
            assert_eq!((run.predictions.len(), run.changed), (3, 3), "{degradation}");
            for (question, prediction) in questions.iter().zip(&run.predictions) {
                assert_ne!(prediction.logical_form, question.forms.sexpr, "{degradation}");
                assert_eq!(prediction.language, Some(Language::Sexpr));
                let text = prediction.logical_form.as_deref().unwrap_or_default();
                let reads = read_text(Language::Sexpr, text, &importer.knowledge).is_ok();
                assert_eq!(reads, degradation != Degradation::T1, "{text}");
            }
        }
    }
}
