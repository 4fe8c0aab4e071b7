//! Levels of the questions in one file, relative to the training questions in another.

use crate::data_set::DataSet;
use crate::input::{InputError, RecordInput, benchmark_question, benchmark_questions};
use crate::item::RecordError;
use crate::meaning::Meaning;
use crate::reasons::ReasonCounts;
use crate::records::Record;
use touchstone_benchmark::Split;
use touchstone_engine::QueryContext;
use touchstone_kb::Progress;
use touchstone_logic::Knowledge;
use touchstone_logic::level::{Judgement, LevelCounts, LevelSummary, Training, Traits};

/// Which questions, and how they are read.
pub struct LevelConfig<'a, 'k> {
    /// The training questions: a file, a logical form, `-` for standard input, or the folder of a benchmark, which gives its training split.
    pub train: String,
    /// The test questions; of a benchmark all but its training split.
    pub test: String,
    /// What the files are.
    pub data_set: DataSet,
    /// What is known about words.
    pub context: &'a QueryContext<'k>,
    /// GrailQA++: a relation counts as seen when its inverse is.
    pub inverse_rule: bool,
}

/// Training questions that were read, to judge others by.
pub struct LevelJudge<'a, 'k> {
    config: &'a LevelConfig<'a, 'k>,
    training: Training,
    /// Whether the training questions come from a benchmark.
    pub train_is_benchmark: bool,
    test_is_benchmark: bool,
    /// The number of training questions.
    pub trained: usize,
    /// Training questions that could not be read.
    pub unread: ReasonCounts,
}

/// The levels of test questions.
pub struct JudgedLevels {
    /// How often each level occurs.
    pub summary: LevelSummary,
    /// Questions that could not be judged.
    pub unjudged: ReasonCounts,
}

/// The id of a question with what its level depends on, or with why it cannot be read. `None`: it is of another split.
type ReadTraits = Option<(String, Result<Traits, RecordError>)>;

impl<'a, 'k> LevelJudge<'a, 'k> {
    /// Reads the training questions.
    pub fn train(
        config: &'a LevelConfig<'a, 'k>,
        progress: &dyn Progress,
    ) -> Result<LevelJudge<'a, 'k>, InputError> {
        let is_benchmark = |file: &str| benchmark_questions(file).is_some();
        let mut judge = LevelJudge {
            config,
            training: Training::default(),
            train_is_benchmark: is_benchmark(&config.train),
            test_is_benchmark: is_benchmark(&config.test),
            trained: 0,
            unread: ReasonCounts::default(),
        };
        let (mut training, mut trained, mut unread) = (Training::default(), 0, ReasonCounts::default());
        let knowledge = config.context.knowledge();
        let is_training = |split: Split| split == Split::Train || !judge.train_is_benchmark;
        RecordInput::file_or_form(&config.train)?.for_each(
            progress,
            |record| judge.read(record, &knowledge, is_training),
            |read| {
                match read {
                    Some((_, Ok(traits))) => {
                        trained += 1;
                        training.add(traits);
                    }
                    Some((id, Err(error))) => unread.add(&id, error.to_string()),
                    None => {}
                }
                Ok::<(), InputError>(())
            },
        )?;
        (judge.training, judge.trained, judge.unread) = (training, trained, unread);
        Ok(judge)
    }

    /// Judges the test questions and hands each on with its id: its level, or why it has none.
    pub fn judge<E: From<InputError>>(
        &self,
        progress: &dyn Progress,
        mut hand_on: impl FnMut(&str, Result<&Judgement, &RecordError>) -> Result<(), E>,
    ) -> Result<JudgedLevels, E> {
        let (mut counts, mut unjudged) = (LevelCounts::default(), ReasonCounts::default());
        let knowledge = self.config.context.knowledge();
        let is_test = |split: Split| split != Split::Train || !self.test_is_benchmark;
        RecordInput::file_or_form(&self.config.test)?.for_each(
            progress,
            |record| self.read(record, &knowledge, is_test),
            |read| {
                match read {
                    Some((id, Ok(traits))) => {
                        let judgement = self.training.judge(&traits);
                        counts.add(&judgement);
                        hand_on(&id, Ok(&judgement))?;
                    }
                    Some((id, Err(error))) => {
                        hand_on(&id, Err(&error))?;
                        unjudged.add(&id, error.to_string());
                    }
                    None => {}
                }
                Ok::<(), E>(())
            },
        )?;
        let summary = counts.summary(&self.training, self.trained, unjudged.total());
        Ok(JudgedLevels { summary, unjudged })
    }

    /// Questions of benchmarks list their schema items and template; next to other files, their forms are read like those.
    fn read(&self, record: &Record, knowledge: &Knowledge<'_>, wanted: impl Fn(Split) -> bool) -> ReadTraits {
        let LevelConfig { data_set, context, inverse_rule, .. } = self.config;
        if let Some(question) = benchmark_question(record) {
            if !wanted(question.split) {
                return None;
            }
            let reads_forms = !(self.train_is_benchmark && self.test_is_benchmark);
            let query = if reads_forms { question.query(knowledge) } else { None };
            let traits = match query {
                Some(query) => question.traits_of(&query, *context, *inverse_rule),
                None => question.traits(context.kb(), *context, *inverse_rule),
            };
            return Some((question.id, Ok(traits)));
        }
        let item = match data_set.item(record) {
            Ok(item) => item,
            Err(error) => return Some((record.line.to_string(), Err(error))),
        };
        let meaning = Meaning::of(&item.source, knowledge).map_err(RecordError::from);
        let traits = meaning.map(|meaning| meaning.traits(*context, *inverse_rule));
        Some((item.id, traits))
    }
}
