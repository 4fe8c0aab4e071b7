//! How far trivial attacks get on a benchmark: what can be guessed without understanding a question.
//!
//! [`attacks`] needs nothing but the questions; with the KB, it also guesses relations from the types of two things, and compares questions with
//! the labels of the schema. [`PUBLISHED`] has the same figures of published data sets.

mod guesses;
mod leaks;
mod published;
mod surface;
mod variety;

pub use published::{PUBLISHED, PublishedFigures};

use crate::table::ScoreTable;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use touchstone_benchmark::{Benchmark, Question, Random};
use touchstone_kb::{Kb, nearest_name};

/// A trivial attack, or a figure of how varied the questions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Attack {
    /// The shape, from function words, commas, the length and the first words: accuracy over six shapes, on templates that are not in training.
    ShapeFromSurface,
    /// The function, from the first two words: accuracy.
    FunctionFromFirstWords,
    /// Always the same answers for a class: mean F1.
    ConstantAnswer,
    /// The share of the most frequent answer class among the zero-shot questions.
    LargestZeroShotClass,
    /// The relation between two things, from their classes alone: accuracy.
    RelationFromTypes,
    /// Of two things to compare, the one that is offered as a choice: accuracy.
    NamedChoice,
    /// The only choice with its unit: accuracy.
    OnlyUnit,
    /// The best rank of a number among the sorted choices: accuracy.
    RankOfCount,
    /// The template of the most similar training question: accuracy over questions whose template is in training.
    NearestTemplate,
    /// Share of evaluation questions all of whose pairs of entity and relation are in training.
    PairsInTraining,
    /// The same for zero-shot questions.
    ZeroShotPairsInTraining,
    /// Mean share of the words of schema labels that a question uses, for i.i.d. questions.
    LabelOverlapIid,
    /// The same for zero-shot questions.
    LabelOverlapZeroShot,
    /// Mean BLEU of a question against 499 others.
    SelfBleu,
    /// Distinct first four words in 1,000 questions, as a share.
    DistinctStarts,
    /// Share of the most frequent first word.
    CommonestFirstWord,
}

impl Attack {
    /// All of them, in the order of reports.
    pub const ALL: [Attack; 16] = [
        Attack::ShapeFromSurface,
        Attack::FunctionFromFirstWords,
        Attack::ConstantAnswer,
        Attack::LargestZeroShotClass,
        Attack::RelationFromTypes,
        Attack::NamedChoice,
        Attack::OnlyUnit,
        Attack::RankOfCount,
        Attack::NearestTemplate,
        Attack::PairsInTraining,
        Attack::ZeroShotPairsInTraining,
        Attack::LabelOverlapIid,
        Attack::LabelOverlapZeroShot,
        Attack::SelfBleu,
        Attack::DistinctStarts,
        Attack::CommonestFirstWord,
    ];

    /// The key in JSON and in the `[check]` section of recipes.
    pub fn key(self) -> &'static str {
        match self {
            Attack::ShapeFromSurface => "shape_from_surface",
            Attack::FunctionFromFirstWords => "function_from_first_words",
            Attack::ConstantAnswer => "constant_answer",
            Attack::LargestZeroShotClass => "largest_zero_shot_class",
            Attack::RelationFromTypes => "relation_from_types",
            Attack::NamedChoice => "named_choice",
            Attack::OnlyUnit => "only_unit",
            Attack::RankOfCount => "rank_of_count",
            Attack::NearestTemplate => "nearest_template",
            Attack::PairsInTraining => "pairs_in_training",
            Attack::ZeroShotPairsInTraining => "zero_shot_pairs_in_training",
            Attack::LabelOverlapIid => "label_overlap_iid",
            Attack::LabelOverlapZeroShot => "label_overlap_zero_shot",
            Attack::SelfBleu => "self_bleu",
            Attack::DistinctStarts => "distinct_starts",
            Attack::CommonestFirstWord => "commonest_first_word",
        }
    }

    /// The attack with a key.
    pub fn from_key(key: &str) -> Option<Attack> {
        Attack::ALL.into_iter().find(|attack| attack.key() == key)
    }

    /// The name in tables.
    fn title(self) -> String {
        let words = self.key().replace('_', " ");
        words.replace("zero shot", "zero-shot").replace("iid", "i.i.d.").replace("self bleu", "self-BLEU")
    }

    fn figure(self, questions: &[&Question], kb: Option<&Kb>) -> Option<AttackFigure> {
        use touchstone_logic::level::Level::{Iid, ZeroShot};
        let Measured { value, chance, questions } = match self {
            Attack::ShapeFromSurface => surface::shape(questions),
            Attack::FunctionFromFirstWords => surface::function(questions),
            Attack::ConstantAnswer => guesses::constant_answer(questions),
            Attack::LargestZeroShotClass => guesses::largest_class(questions),
            Attack::RelationFromTypes => guesses::relation_from_types(questions, kb?),
            Attack::NamedChoice => guesses::named_choice(questions),
            Attack::OnlyUnit => guesses::only_unit(questions),
            Attack::RankOfCount => guesses::rank_of_count(questions),
            Attack::NearestTemplate => leaks::nearest_template(questions),
            Attack::PairsInTraining => leaks::pairs_in_training(questions, None),
            Attack::ZeroShotPairsInTraining => leaks::pairs_in_training(questions, Some(ZeroShot)),
            Attack::LabelOverlapIid => leaks::label_overlap(questions, kb, Iid),
            Attack::LabelOverlapZeroShot => leaks::label_overlap(questions, kb, ZeroShot),
            Attack::SelfBleu => variety::self_bleu(questions),
            Attack::DistinctStarts => variety::distinct_starts(questions),
            Attack::CommonestFirstWord => variety::commonest_first_word(questions),
        }?;
        Some(AttackFigure { attack: self, value, chance, questions })
    }

    /// Whether a benchmark is better the greater the figure is. All others are better the smaller they are.
    pub fn is_better_greater(self) -> bool {
        self == Attack::DistinctStarts
    }
}

/// The figure of an attack.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AttackFigure {
    /// The attack.
    #[serde(serialize_with = "as_key")]
    pub attack: Attack,
    /// How far it gets, from 0 to 1.
    pub value: f64,
    /// What guessing would get, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// Number of questions that it was tried on.
    pub questions: usize,
}

fn as_key<S: serde::Serializer>(attack: &Attack, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(attack.key())
}

/// A limit is set for an attack that there is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("[check]: there is no attack `{key}`{hint} (`touchstone stats` lists them)", hint = .nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
pub struct UnknownAttack {
    /// The name.
    pub key: String,
    /// The nearest name of an attack.
    pub nearest: Option<&'static str>,
}

/// The limits of attacks, given by their names.
pub fn attack_limits(limits: &BTreeMap<String, f64>) -> Result<Vec<(Attack, f64)>, UnknownAttack> {
    let limit = |(key, &limit): (&String, &f64)| match Attack::from_key(key) {
        Some(attack) => Ok((attack, limit)),
        None => {
            let nearest = nearest_name(key, Attack::ALL.iter().map(|attack| attack.key()));
            Err(UnknownAttack { key: key.clone(), nearest })
        }
    };
    limits.iter().map(limit).collect()
}

/// A limit that a figure exceeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exceeded {
    /// The figure.
    pub figure: AttackFigure,
    /// The limit.
    pub limit: f64,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let than =
            if self.figure.attack.is_better_greater() { "requires at least" } else { "allows at most" };
        write!(
            f,
            "{} is {:.3}; the recipe {than} {}",
            self.figure.attack.key(),
            self.figure.value,
            self.limit
        )
    }
}

/// The figures that a benchmark has enough questions for.
///
/// ```
/// use touchstone_benchmark::Benchmark;
/// use touchstone_grade::attack::attacks;
/// # fn check(benchmark: &Benchmark) {
/// for figure in attacks(benchmark, None) {
///     println!("{}: {:.2}", figure.attack.key(), figure.value);
/// }
/// # }
/// ```
pub fn attacks(benchmark: &Benchmark, kb: Option<&Kb>) -> Vec<AttackFigure> {
    let questions = &in_fixed_order(&benchmark.questions)[..];
    Attack::ALL.into_iter().filter_map(|attack| attack.figure(questions, kb)).collect()
}

/// The figure of one attack; `None` if the benchmark does not have enough questions for it.
pub fn one_attack(attack: Attack, benchmark: &Benchmark, kb: Option<&Kb>) -> Option<AttackFigure> {
    attack.figure(&in_fixed_order(&benchmark.questions), kb)
}

/// The published data sets that a benchmark is compared with.
const COMPARED: [&str; 4] = ["GrailQA", "CWQ", "LC-QuAD", "KQA Pro"];

/// The figures, compared with the nearest published data sets.
pub fn table(figures: &[AttackFigure]) -> ScoreTable {
    let compared = || PUBLISHED.iter().filter(|set| COMPARED.contains(&set.name));
    let headings = ["trivial attack", "here", "chance"].into_iter().chain(compared().map(|set| set.name));
    let mut table = ScoreTable::new("", headings);
    let cell = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    for figure in figures {
        let own = [figure.attack.title(), cell(Some(figure.value)), cell(figure.chance)];
        table.add(own.into_iter().chain(compared().map(|set| cell(set.figure(figure.attack)))));
    }
    table
}

/// The figures beyond their limits; figures that a benchmark does not have are within.
pub fn exceeded(figures: &[AttackFigure], limits: &[(Attack, f64)]) -> Vec<Exceeded> {
    let is_beyond = |figure: &AttackFigure, limit: f64| match figure.attack.is_better_greater() {
        true => figure.value < limit,
        false => figure.value > limit,
    };
    let limit_of = |figure: &AttackFigure| limits.iter().find(|(attack, _)| *attack == figure.attack);
    let beyond = |figure: &AttackFigure| {
        let &(_, limit) = limit_of(figure)?;
        is_beyond(figure, limit).then_some(Exceeded { figure: *figure, limit })
    };
    figures.iter().filter_map(beyond).collect()
}

/// A figure without its name.
struct Measured {
    value: f64,
    chance: Option<f64>,
    questions: usize,
}

impl Measured {
    /// The mean of some values; `None` if there are none.
    fn mean(values: &[f64], chance: Option<f64>) -> Option<Measured> {
        let questions = values.len();
        let value = values.iter().sum::<f64>() / crate::cast::float(questions);
        (questions > 0).then_some(Measured { value, chance, questions })
    }
}

/// The questions in an order that depends on their texts and not on the file: samples and folds are then the same for the same questions.
fn in_fixed_order(questions: &[Question]) -> Vec<&Question> {
    let mut questions: Vec<&Question> = questions.iter().collect();
    questions.sort_by(|a, b| (&a.question, &a.id).cmp(&(&b.question, &b.id)));
    Random::new(1, "order").shuffle(&mut questions);
    questions
}

/// A random sample; all if there are fewer. The same name draws the same sample.
fn sample<'q>(mut questions: Vec<&'q Question>, most: usize, name: &str) -> Vec<&'q Question> {
    Random::new(1, name).shuffle(&mut questions);
    questions.truncate(most);
    questions
}

/// The words and marks of a question in lower case.
fn lower_tokens(text: &str) -> Vec<String> {
    touchstone_benchmark::linguistic::tokens(text).into_iter().map(str::to_lowercase).collect()
}

/// The development and test questions; all where there is only one split.
fn evaluated<'q>(questions: &[&'q Question]) -> Vec<&'q Question> {
    let is_evaluated = |question: &&Question| question.split != touchstone_benchmark::Split::Train;
    let found: Vec<&Question> = questions.iter().copied().filter(is_evaluated).collect();
    if found.is_empty() { questions.to_vec() } else { found }
}
