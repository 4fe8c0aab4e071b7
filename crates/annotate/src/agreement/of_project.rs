//! The agreement of the people of a project.

use crate::agreement::{AgreementFigure, Metric, Proportion, Ratings, RatingsSummary, wilson};
use crate::cast::float;
use crate::event::{AnsweredQuestion, DisagreementCause, SameMeaning};
use crate::state::{Contribution, ProjectState, live};
use crate::task::{Task, TaskRole};
use crate::verdict::{counted_comparisons, is_compared, largest_group};
use serde::Serialize;
use std::collections::BTreeMap;
use touchstone_benchmark::{Prediction, Question};
use touchstone_engine::QueryContext;
use touchstone_grade::{Grader, Measure};

/// How far the people of a project agree, by activity. All contributions count that their authors did not take back, also those beyond what was
/// wanted; tasks for training and control do not.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ProjectAgreement {
    /// Judging; absent if nothing was judged.
    pub judging: Option<JudgingAgreement>,
    /// Writing; absent if no texts were compared.
    pub writing: Option<WritingAgreement>,
    /// Answering; absent if nothing was answered.
    pub answering: Option<AnsweringAgreement>,
}

/// How far two people agree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairAgreement {
    /// One person.
    pub a: String,
    /// The other.
    pub b: String,
    /// Cohen's kappa.
    pub kappa: AgreementFigure,
}

/// How far judges agree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgingAgreement {
    /// Number of texts that were judged.
    pub texts: usize,
    /// Whether a text means the same.
    pub same: RatingsSummary,
    /// Fluency from 1 to 5.
    pub fluency: RatingsSummary,
    /// Numbers of texts by how judges are divided: "4:1" if four say the same and one something else.
    pub divisions: BTreeMap<String, usize>,
}

/// How far writers agree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WritingAgreement {
    /// All texts of a task mean the same.
    pub all_agree: Proportion,
    /// At least two do.
    pub two_agree: Proportion,
    /// All texts of a task mean the same, by shape.
    pub all_agree_by_shape: BTreeMap<String, Proportion>,
    /// At least two do, by shape.
    pub two_agree_by_shape: BTreeMap<String, Proportion>,
    /// Numbers of tasks by cause of disagreement.
    pub causes: BTreeMap<DisagreementCause, usize>,
}

/// How well people answer, and how far they agree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnsweringAgreement {
    /// The share of answers that are exactly those of the benchmark.
    pub accuracy: Proportion,
    /// The same by category of KQA Pro; a question counts in each of its categories.
    pub by_category: BTreeMap<String, Proportion>,
    /// The same by person.
    pub by_person: BTreeMap<String, Proportion>,
    /// The median of seconds of work on an answer.
    pub median_seconds: f64,
    /// The share of pairs of people who give the same answers to a question.
    pub equal_pairs: Proportion,
    /// The mean F1 of pairs of people; absent if no question was answered by two.
    pub pair_f1: Option<f64>,
}

impl ProjectState {
    /// How far people agree.
    pub fn agreement(&self) -> ProjectAgreement {
        ProjectAgreement {
            judging: self.judging_agreement(),
            writing: self.writing_agreement(),
            answering: self.answering_agreement(),
        }
    }

    /// The ordinary tasks and those of the pilot, with what is known about them.
    fn counted_tasks(&self) -> impl Iterator<Item = (&Task, &crate::state::TaskState)> {
        let all = self.tasks.iter().zip(&self.states);
        all.filter(|(task, _)| matches!(task.role, TaskRole::Ordinary | TaskRole::Pilot))
    }

    /// The judgements as ratings: whether texts mean the same (1 yes, 2 no, 3 unsure), and their fluency.
    pub fn judgement_ratings(&self) -> (Ratings, Ratings) {
        let (mut same, mut fluency) = (Ratings::default(), Ratings::default());
        for (task, state) in self.counted_tasks() {
            for text in live(&state.texts) {
                let item = format!("{} {}", task.id, text.n);
                for judged in live(&text.body.judgements) {
                    let said = match judged.body.same {
                        SameMeaning::Yes => 1.0,
                        SameMeaning::No => 2.0,
                        SameMeaning::Unsure => 3.0,
                    };
                    same.add(&item, &judged.by, said);
                    fluency.add(&item, &judged.by, f64::from(judged.body.fluency));
                }
                same.set_cluster(&item, &task.id);
                fluency.set_cluster(&item, &task.id);
            }
        }
        (same, fluency)
    }

    fn judging_agreement(&self) -> Option<JudgingAgreement> {
        let (same, fluency) = self.judgement_ratings();
        if same.is_empty() {
            return None;
        }
        let mut divisions: BTreeMap<String, usize> = BTreeMap::new();
        for row in same.rows() {
            let most = row.iter().map(|value| row.iter().filter(|other| *other == value).count()).max();
            let most = most.unwrap_or(0);
            *divisions.entry(format!("{most}:{}", row.len() - most)).or_default() += 1;
        }
        Some(JudgingAgreement {
            texts: same.items().count(),
            same: same.summary(Metric::Nominal),
            fluency: fluency.summary(Metric::Ordinal),
            divisions,
        })
    }

    fn writing_agreement(&self) -> Option<WritingAgreement> {
        let mut all: Tally = Tally::default();
        let mut two: Tally = Tally::default();
        let mut causes: BTreeMap<DisagreementCause, usize> = BTreeMap::new();
        for (task, state) in self.counted_tasks().filter(|(task, _)| is_compared(&self.rules, task)) {
            let Some(compared) = counted_comparisons(state).next() else { continue };
            let is_one = compared.body.groups.len() == 1;
            all.add(task.shape(), is_one);
            two.add(task.shape(), largest_group(&compared.body).len() >= 2);
            for cause in compared.body.causes.iter().filter(|_| !is_one) {
                *causes.entry(*cause).or_default() += 1;
            }
        }
        (all.total.1 > 0).then(|| WritingAgreement {
            all_agree: wilson(all.total.0, all.total.1),
            two_agree: wilson(two.total.0, two.total.1),
            all_agree_by_shape: all.proportions(),
            two_agree_by_shape: two.proportions(),
            causes,
        })
    }

    fn answering_agreement(&self) -> Option<AnsweringAgreement> {
        let context = QueryContext::new(None, None);
        let grader = Grader::new(context.knowledge());
        let (mut by_category, mut by_person) = (Tally::default(), Tally::default());
        let (mut seconds, mut right, mut equal, mut f1) = (Vec::new(), 0, 0, Vec::new());
        for (task, state) in self.counted_tasks() {
            let answers: Vec<&Contribution<AnsweredQuestion>> = live(&state.answers).collect();
            for (at, answer) in answers.iter().enumerate() {
                seconds.push(answer.body.seconds);
                if task.question.has_gold_answers() {
                    let is_right = scores(&grader, &task.question, &answer.body).0;
                    right += usize::from(is_right);
                    by_person.add(&answer.by, is_right);
                    by_category.total.1 += 1;
                    for category in &task.question.categories {
                        by_category.add_to(category, is_right);
                    }
                }
                for other in &answers[at + 1..] {
                    let of_other = answered_by(&task.question, &other.body);
                    let (is_equal, value) = scores(&grader, &of_other, &answer.body);
                    equal += usize::from(is_equal);
                    f1.push(value);
                }
            }
        }
        seconds.sort_by(f64::total_cmp);
        let median_seconds = *seconds.get(seconds.len() / 2)?;
        Some(AnsweringAgreement {
            accuracy: wilson(right, by_category.total.1),
            by_category: by_category.proportions(),
            by_person: by_person.proportions(),
            median_seconds,
            equal_pairs: wilson(equal, f1.len()),
            pair_f1: (!f1.is_empty()).then(|| f1.iter().sum::<f64>() / float(f1.len())),
        })
    }
}

/// The question with the answers of a person as gold.
fn answered_by(question: &Question, answer: &AnsweredQuestion) -> Question {
    Question {
        answers: answer.answers.clone(),
        answers_empty: answer.answers.is_empty(),
        other_answers: Vec::new(),
        ..question.clone()
    }
}

/// Whether answers are exactly those of the question, and their F1.
fn scores(grader: &Grader<'_>, question: &Question, answer: &AnsweredQuestion) -> (bool, f64) {
    let answers = Some(answer.answers.clone());
    let prediction = Prediction { id: question.id.clone(), answers, ..Prediction::default() };
    let values = grader.grade(question, Some(&prediction)).values;
    let of = |measure| values.get(measure).unwrap_or(0.0);
    (of(Measure::EmAnswer) == 1.0, of(Measure::F1))
}

/// Shares in all and by group.
#[derive(Default)]
struct Tally {
    total: (usize, usize),
    groups: BTreeMap<String, (usize, usize)>,
}

impl Tally {
    fn add(&mut self, group: &str, fits: bool) {
        self.total = (self.total.0 + usize::from(fits), self.total.1 + 1);
        self.add_to(group, fits);
    }

    fn add_to(&mut self, group: &str, fits: bool) {
        let (count, n) = self.groups.entry(group.to_owned()).or_default();
        (*count, *n) = (*count + usize::from(fits), *n + 1);
    }

    fn proportions(&self) -> BTreeMap<String, Proportion> {
        let proportion =
            |(group, (count, n)): (&String, &(usize, usize))| (group.clone(), wilson(*count, *n));
        self.groups.iter().map(proportion).collect()
    }
}
