//! The plan of a project: which questions of a benchmark, and what is done with them.

use crate::cast::{float, whole};
use crate::event::SameMeaning;
use crate::near_misses::near_misses;
use crate::rules::{ProjectRules, Role, RulesFault};
use crate::task::{Task, TaskRole, shape_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use touchstone_benchmark::english::Lexicon;
use touchstone_benchmark::{Benchmark, Function, KbIdentity, Question, QuestionType, Random, Split};
use touchstone_engine::QueryContext;
use touchstone_kb::Kb;
use touchstone_logic::level::Level;

/// Which questions of a benchmark, and what is done with them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectPlan {
    /// The name of the project.
    pub name: String,
    /// The language of the texts, as in BCP 47.
    pub language: String,
    /// Which questions may be drawn.
    #[serde(default)]
    pub filter: SourceFilter,
    /// Number of questions to draw, without those of the pilot; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<usize>,
    /// What is kept in proportion when they are drawn.
    #[serde(default)]
    pub strata: Strata,
    /// Questions that several people write for first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pilot: Option<PilotPlan>,
    /// Number of control tasks, as a share of the questions.
    #[serde(default)]
    pub control_share: f64,
    /// The seed of all random choices.
    #[serde(default)]
    pub seed: u64,
    /// The rules.
    pub rules: ProjectRules,
}

impl Default for ProjectPlan {
    fn default() -> ProjectPlan {
        ProjectPlan {
            name: String::new(),
            language: "en".to_owned(),
            filter: SourceFilter::default(),
            questions: None,
            strata: Strata::None,
            pilot: None,
            control_share: 0.0,
            seed: 1,
            rules: ProjectRules::default(),
        }
    }
}

/// Which questions may be drawn; an empty list allows all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceFilter {
    /// Splits.
    pub splits: Vec<Split>,
    /// Shapes, by the name in the literature or the code.
    pub shapes: Vec<String>,
    /// Functions on top of queries.
    pub functions: Vec<Function>,
    /// Levels, by name.
    pub levels: Vec<String>,
    /// KQA Pro's types.
    pub types: Vec<QuestionType>,
    /// Maximum number of words.
    pub max_words: Option<usize>,
}

impl SourceFilter {
    fn allows(&self, question: &Question) -> bool {
        fn has<T: PartialEq<U>, U: ?Sized>(list: &[T], wanted: &U) -> bool {
            list.is_empty() || list.iter().any(|item| item == wanted)
        }
        has(&self.splits, &question.split)
            && has(&self.shapes, shape_of(question))
            && has(&self.functions, &question.function)
            && has(&self.levels, question.level.map_or("", Level::name))
            && has(&self.types, &question.kind)
            && self.max_words.is_none_or(|most| question.question.split_whitespace().count() <= most)
    }
}

/// What is kept in proportion when questions are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strata {
    /// Nothing.
    #[default]
    None,
    /// Shapes.
    Shape,
    /// KQA Pro's categories. A question of several counts under the rarest of them.
    Category,
}

/// The pilot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PilotPlan {
    /// Number of shapes: the most frequent ones.
    pub shapes: usize,
    /// Number of questions of each shape.
    pub per_shape: usize,
}

/// Where the tasks of a project come from.
#[derive(Clone, Copy)]
pub struct TaskSource<'s> {
    /// The benchmark.
    pub benchmark: &'s Benchmark,
    /// Its KB, which control tasks need.
    pub kb: Option<&'s Kb>,
    /// Texts to judge that were written elsewhere, by the id of the question. Without them, the paraphrases of the benchmark are judged.
    pub texts: &'s [(String, String)],
}

impl<'s> TaskSource<'s> {
    /// A benchmark without its KB.
    pub fn new(benchmark: &'s Benchmark) -> TaskSource<'s> {
        TaskSource { benchmark, kb: None, texts: &[] }
    }
}

/// How much work a plan is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanSummary {
    /// Number of ordinary tasks.
    pub ordinary: usize,
    /// Number of tasks of the pilot.
    pub pilot: usize,
    /// Number of control tasks.
    pub controls: usize,
    /// Number of ordinary tasks by shape or category.
    pub by_stratum: BTreeMap<String, usize>,
    /// Number of contributions, if no text is rejected.
    pub contributions: usize,
    /// The same for each person, rounded up.
    pub per_person: usize,
    /// Hours for each person at 60 seconds a contribution.
    pub hours: f64,
}

/// Why a plan cannot be carried out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFault {
    /// The name is missing.
    #[error("the project has no name")]
    NoName,
    /// The rules cannot be.
    #[error(transparent)]
    Rules(#[from] RulesFault),
    /// Too few people to judge what one of them wrote.
    #[error("with {people} people a text has {} judges who did not write it; you asked for {judges}", people.saturating_sub(1))]
    TooFewJudges {
        /// Number of people who contribute.
        people: usize,
        /// Number of judges of a text.
        judges: usize,
    },
    /// Too few people for the same task.
    #[error("{needed} people are needed for a task ({rule}), but the project has {people}")]
    TooFewPeople {
        /// Number of people who contribute.
        people: usize,
        /// Number of people that a task needs.
        needed: usize,
        /// The rule that needs them.
        rule: &'static str,
    },
    /// The benchmark has too few questions.
    #[error("{wanted} questions are wanted{}, but the benchmark has {found} that fit", stratum.as_ref().map(|name| format!(" of the shape {name}")).unwrap_or_default())]
    TooFewQuestions {
        /// The shape; absent if it is about all of them.
        stratum: Option<String>,
        /// The number that is wanted.
        wanted: usize,
        /// The number that there is.
        found: usize,
    },
    /// The benchmark has too few shapes for the pilot.
    #[error("the pilot wants {wanted} shapes, but the benchmark has {found}")]
    TooFewShapes {
        /// The number that is wanted.
        wanted: usize,
        /// The number that there is.
        found: usize,
    },
    /// There is nothing to judge.
    #[error(
        "nothing to judge: the benchmark has no paraphrases (`touchstone paraphrase` adds some), and no texts were given"
    )]
    NoTexts,
    /// A text for a question that does not exist.
    #[error("a text is for the question `{id}`, which the benchmark does not have{}", nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    NoQuestion {
        /// The id.
        id: String,
        /// The nearest known one.
        nearest: Option<String>,
    },
    /// Control tasks need the KB.
    #[error(
        "control tasks are made with the knowledge base, which was not given; give it, or set the share of control tasks to 0"
    )]
    ControlsNeedKb,
    /// A share that is not one.
    #[error("the share of control tasks is {share}; it must be from 0 to 1")]
    ControlShare {
        /// What was given.
        share: f64,
    },
    /// Another KB.
    #[error("the benchmark was made from {wanted}, but the knowledge base is {found}")]
    OtherKb {
        /// The KB of the benchmark.
        wanted: KbIdentity,
        /// The KB that was given.
        found: KbIdentity,
    },
}

impl ProjectPlan {
    /// How much work a plan is for the members, or why it cannot be carried out.
    pub fn summary(
        &self,
        source: &TaskSource<'_>,
        members: &BTreeMap<String, Role>,
    ) -> Result<PlanSummary, PlanFault> {
        Ok(self.summary_of(&self.tasks(source, members)?, members))
    }

    pub(crate) fn summary_of(&self, tasks: &[Task], members: &BTreeMap<String, Role>) -> PlanSummary {
        let n = |role| tasks.iter().filter(|task| task.role == role).count();
        let mut by_stratum = BTreeMap::new();
        for task in tasks.iter().filter(|task| task.role == TaskRole::Ordinary) {
            *by_stratum.entry(task.stratum.clone()).or_default() += 1;
        }
        let (ordinary, pilot, controls) = (n(TaskRole::Ordinary), n(TaskRole::Pilot), n(TaskRole::Control));
        let ProjectRules { write, paraphrase, judge, answer, compare, .. } = &self.rules;
        let writers =
            write.as_ref().map_or(0, |write| ordinary * write.writers + pilot * write.pilot_writers);
        let contributions = writers
            + paraphrase.as_ref().map_or(0, |_| ordinary)
            + judge.as_ref().map_or(0, |judge| (ordinary + controls) * judge.judges)
            + answer.as_ref().map_or(0, |answer| ordinary * answer.overlap)
            + compare.as_ref().map_or(0, |compare| pilot * compare.comparers);
        let per_person = contributions.div_ceil(contributors(members).max(1));
        let hours = float(per_person) / 60.0;
        PlanSummary { ordinary, pilot, controls, by_stratum, contributions, per_person, hours }
    }

    /// The tasks of a project, or why it cannot be.
    pub fn tasks(
        &self,
        source: &TaskSource<'_>,
        members: &BTreeMap<String, Role>,
    ) -> Result<Vec<Task>, PlanFault> {
        self.check(source, members)?;
        let mut candidates: Vec<&Question> =
            source.benchmark.questions.iter().filter(|question| self.filter.allows(question)).collect();
        Random::new(self.seed, "candidates").shuffle(&mut candidates);
        let pilot = self.pilot(&mut candidates)?;
        let drawn = self.draw(candidates)?;
        let has_foreign_texts =
            self.rules.judge.is_some() && self.rules.write.is_none() && self.rules.paraphrase.is_none();
        let mut tasks: Vec<Task> = Vec::new();
        let mut add = |role, stratum: &str, question: &Question, text: Option<String>, expected| {
            let id = format!("t{}", tasks.len() + 1);
            let stratum = stratum.to_owned();
            tasks.push(Task { role, stratum, text, expected, ..Task::new(&id, question.clone()) });
        };
        for (stratum, question) in pilot {
            add(TaskRole::Pilot, &stratum, question, None, None);
        }
        let mut n = 0;
        for (stratum, question) in &drawn {
            if !has_foreign_texts {
                n += 1;
                add(TaskRole::Ordinary, stratum, question, None, None);
                continue;
            }
            for text in texts_for(source, question) {
                n += 1;
                add(TaskRole::Ordinary, stratum, question, Some(text), None);
            }
        }
        if n == 0 {
            return Err(match has_foreign_texts {
                true => PlanFault::NoTexts,
                false => PlanFault::TooFewQuestions { stratum: None, wanted: 1, found: 0 },
            });
        }
        let controls = whole((float(n) * self.control_share).round());
        if let (Some(kb), true) = (source.kb, self.rules.judge.is_some()) {
            for (stratum, question, text) in control_texts(kb, &drawn, controls) {
                add(TaskRole::Control, stratum, question, Some(text), Some(SameMeaning::No));
            }
        }
        Ok(tasks)
    }

    fn check(&self, source: &TaskSource<'_>, members: &BTreeMap<String, Role>) -> Result<(), PlanFault> {
        if self.name.trim().is_empty() {
            return Err(PlanFault::NoName);
        }
        self.rules.check()?;
        let people = contributors(members);
        let ProjectRules { write, paraphrase, judge, answer, compare, .. } = &self.rules;
        let writes_texts = write.is_some() || paraphrase.is_some();
        if let Some(judge) = judge {
            let judges = judge.judges;
            if writes_texts && people < judges + 1 {
                return Err(PlanFault::TooFewJudges { people, judges });
            }
        }
        let pilot_writers = |write: &crate::rules::WriteRules| self.pilot.map_or(0, |_| write.pilot_writers);
        let needed = [
            ("judge.judges", judge.as_ref().map_or(0, |judge| judge.judges)),
            ("write.writers", write.as_ref().map_or(0, |write| write.writers)),
            ("write.pilot_writers", write.as_ref().map_or(0, pilot_writers)),
            ("answer.overlap", answer.as_ref().map_or(0, |answer| answer.overlap)),
            ("compare.comparers", compare.as_ref().map_or(0, |compare| compare.comparers)),
        ];
        if let Some((rule, needed)) = needed.into_iter().find(|(_, needed)| *needed > people) {
            return Err(PlanFault::TooFewPeople { people, needed, rule });
        }
        if !(0.0..=1.0).contains(&self.control_share) {
            return Err(PlanFault::ControlShare { share: self.control_share });
        }
        let wanted = &source.benchmark.manifest.kb;
        match source.kb {
            Some(kb) if kb.manifest().fingerprint != wanted.fingerprint => {
                Err(PlanFault::OtherKb { wanted: wanted.clone(), found: KbIdentity::of(Some(kb)) })
            }
            None if self.control_share > 0.0 && judge.is_some() => Err(PlanFault::ControlsNeedKb),
            _ => {
                let ids = || source.benchmark.questions.iter().map(|question| question.id.as_str());
                let unknown = |(id, _): &&(String, String)| !ids().any(|known| known == id);
                match source.texts.iter().find(unknown) {
                    Some((id, _)) => Err(PlanFault::NoQuestion {
                        id: id.clone(),
                        nearest: touchstone_kb::nearest_name(id, ids()).map(str::to_owned),
                    }),
                    None => Ok(()),
                }
            }
        }
    }

    /// Draws the questions of the pilot, and removes them from the candidates.
    fn pilot<'q>(
        &self,
        candidates: &mut Vec<&'q Question>,
    ) -> Result<Vec<(String, &'q Question)>, PlanFault> {
        let Some(PilotPlan { shapes, per_shape }) = self.pilot else { return Ok(Vec::new()) };
        let mut by_shape = grouped(candidates, |question| shape_of(question).to_owned());
        if by_shape.len() < shapes {
            return Err(PlanFault::TooFewShapes { wanted: shapes, found: by_shape.len() });
        }
        by_shape.sort_by(|(a, of_a), (b, of_b)| of_b.len().cmp(&of_a.len()).then_with(|| a.cmp(b)));
        by_shape.truncate(shapes);
        if let Some((shape, found)) = by_shape.iter().find(|(_, found)| found.len() < per_shape) {
            return Err(PlanFault::TooFewQuestions {
                stratum: Some(shape.clone()),
                wanted: per_shape,
                found: found.len(),
            });
        }
        by_shape.iter_mut().for_each(|(_, questions)| questions.truncate(per_shape));
        let pilot = in_turn(by_shape);
        candidates.retain(|question| !pilot.iter().any(|(_, drawn)| std::ptr::eq(*drawn, *question)));
        Ok(pilot)
    }

    /// Draws the ordinary questions, those of different shapes in turn.
    fn draw<'q>(&self, candidates: Vec<&'q Question>) -> Result<Vec<(String, &'q Question)>, PlanFault> {
        let found = candidates.len();
        let wanted = self.questions.unwrap_or(found);
        if wanted > found {
            return Err(PlanFault::TooFewQuestions { stratum: None, wanted, found });
        }
        let rarest = rarest_categories(&candidates);
        let mut strata = grouped(&candidates, |question| match self.strata {
            Strata::None => String::new(),
            Strata::Shape => shape_of(question).to_owned(),
            Strata::Category => rarest(question),
        });
        let sizes: Vec<usize> = strata.iter().map(|(_, questions)| questions.len()).collect();
        for ((_, questions), n) in strata.iter_mut().zip(proportional(wanted, &sizes)) {
            questions.truncate(n);
        }
        Ok(in_turn(strata))
    }
}

/// The people who contribute.
fn contributors(members: &BTreeMap<String, Role>) -> usize {
    members.values().filter(|role| **role == Role::Annotator).count()
}

/// Questions by a key, in the order of the keys.
fn grouped<'q>(
    questions: &[&'q Question],
    key: impl Fn(&Question) -> String,
) -> Vec<(String, Vec<&'q Question>)> {
    let mut groups: BTreeMap<String, Vec<&Question>> = BTreeMap::new();
    for question in questions {
        groups.entry(key(question)).or_default().push(question);
    }
    groups.into_iter().collect()
}

/// One of each group in turn.
fn in_turn<'q>(groups: Vec<(String, Vec<&'q Question>)>) -> Vec<(String, &'q Question)> {
    let longest = groups.iter().map(|(_, questions)| questions.len()).max().unwrap_or(0);
    let at = |place: usize| {
        let of =
            move |(key, questions): &(String, Vec<&'q Question>)| Some((key.clone(), *questions.get(place)?));
        groups.iter().filter_map(of).collect::<Vec<_>>()
    };
    (0..longest).flat_map(at).collect()
}

/// The category of a question that the fewest questions have; `-` if it has none.
fn rarest_categories(questions: &[&Question]) -> impl Fn(&Question) -> String + use<> {
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for category in questions.iter().flat_map(|question| &question.categories) {
        *sizes.entry(category.clone()).or_default() += 1;
    }
    move |question| {
        let rarest = question.categories.iter().min_by_key(|category| (sizes.get(*category), *category));
        rarest.map_or_else(|| "-".to_owned(), Clone::clone)
    }
}

/// Numbers that add up to `wanted` and are proportional to the sizes, by the largest remainders.
fn proportional(wanted: usize, sizes: &[usize]) -> Vec<usize> {
    let total: usize = sizes.iter().sum::<usize>().max(1);
    let mut numbers: Vec<usize> = sizes.iter().map(|size| wanted * size / total).collect();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(wanted * sizes[at] % total), at));
    let missing = wanted.saturating_sub(numbers.iter().sum());
    for at in order.into_iter().filter(|&at| numbers[at] < sizes[at]).take(missing).collect::<Vec<_>>() {
        numbers[at] += 1;
    }
    numbers
}

/// The texts to judge for a question.
fn texts_for(source: &TaskSource<'_>, question: &Question) -> Vec<String> {
    if source.texts.is_empty() {
        return question.paraphrases.iter().map(|paraphrase| paraphrase.text.clone()).collect();
    }
    let own = source.texts.iter().filter(|(id, _)| *id == question.id);
    own.map(|(_, text)| text.clone()).collect()
}

/// Texts that do not mean the same as their questions: near misses in English, one for each of up to `n` questions.
fn control_texts<'q>(
    kb: &Kb,
    drawn: &'q [(String, &'q Question)],
    n: usize,
) -> Vec<(&'q str, &'q Question, String)> {
    let context = QueryContext::new(Some(kb), None).without_suggestions();
    let (knowledge, lexicon) = (context.knowledge(), Lexicon::of(kb));
    let words = touchstone_engine::Words::new(kb);
    let text = |(stratum, question): &'q (String, &'q Question)| {
        let query = question.query(&knowledge)?;
        let text = near_misses(question, &query, &words, &lexicon, 1).pop()?;
        Some((stratum.as_str(), *question, text))
    };
    drawn.iter().filter_map(text).take(n).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_proportional_and_add_up() {
        assert_eq!(proportional(10, &[50, 30, 20]), [5, 3, 2]);
        assert_eq!(proportional(3, &[1, 1, 1, 1]), [1, 1, 1, 0]);
        assert_eq!(proportional(0, &[3, 4]), [0, 0]);
        assert_eq!(proportional(7, &[3, 4]), [3, 4]);
        let sizes = [97, 13, 1, 0, 55];
        for wanted in 0..=166 {
            let parts = proportional(wanted, &sizes);
            assert_eq!(parts.iter().sum::<usize>(), wanted);
            assert!(parts.iter().zip(&sizes).all(|(part, size)| part <= size), "{parts:?}");
        }
    }
}
