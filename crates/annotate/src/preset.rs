//! Presets: what the papers did, with numbers that can be changed. Where a paper gives no number, it is ours.

use crate::plan::{PilotPlan, ProjectPlan, SourceFilter, Strata};
use crate::rules::{
    AnswerRules, AnswerTools, CompareRules, JudgeRules, ParaphraseRules, ProjectRules, Shares, WriteRules,
};
use std::fmt;
use touchstone_benchmark::Split;

/// A way to annotate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Preset {
    /// Experts write questions. Three people write five of each of seven shapes and compare them; then each has a share of the rest.
    ExpertQuestions,
    /// Questions are paraphrased; five other people judge each paraphrase. At least three must say that it means the same, and it must be fluent.
    ParaphraseAndValidate,
    /// People answer 200 questions, drawn by category.
    HumanPerformance,
    /// People judge texts that were written elsewhere: the paraphrases of the benchmark.
    JudgeOnly,
}

impl Preset {
    /// All of them.
    pub const ALL: [Preset; 4] =
        [Preset::ExpertQuestions, Preset::ParaphraseAndValidate, Preset::HumanPerformance, Preset::JudgeOnly];

    /// The name on the command line and in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Preset::ExpertQuestions => "expert-questions",
            Preset::ParaphraseAndValidate => "paraphrase",
            Preset::HumanPerformance => "human-performance",
            Preset::JudgeOnly => "judge",
        }
    }

    /// The preset with a name.
    pub fn from_name(name: &str) -> Option<Preset> {
        Preset::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// The plan, without a name.
    pub fn plan(self) -> ProjectPlan {
        let judge = JudgeRules { judges: 5, min_same: 3, min_fluency: 3.0 };
        let rules = ProjectRules::default();
        let plan = ProjectPlan::default();
        match self {
            Preset::ExpertQuestions => ProjectPlan {
                strata: Strata::Shape,
                pilot: Some(PilotPlan { shapes: 7, per_shape: 5 }),
                rules: ProjectRules {
                    write: Some(WriteRules { writers: 1, pilot_writers: 3, shares: Shares::Equal }),
                    compare: Some(CompareRules { comparers: 1 }),
                    ..rules
                },
                ..plan
            },
            Preset::ParaphraseAndValidate => ProjectPlan {
                control_share: 0.05,
                rules: ProjectRules {
                    paraphrase: Some(ParaphraseRules {
                        attempts: 2,
                        min_distance: 0.15,
                        min_changed_words: 2,
                    }),
                    judge: Some(judge),
                    confusing_removes: true,
                    ..rules
                },
                ..plan
            },
            Preset::HumanPerformance => ProjectPlan {
                filter: SourceFilter { splits: vec![Split::Dev, Split::Test], ..SourceFilter::default() },
                questions: Some(200),
                strata: Strata::Category,
                rules: ProjectRules {
                    answer: Some(AnswerRules { overlap: 1, tools: AnswerTools::Browse, choices: false }),
                    ..rules
                },
                ..plan
            },
            Preset::JudgeOnly => ProjectPlan {
                control_share: 0.05,
                rules: ProjectRules { judge: Some(judge), ..rules },
                ..plan
            },
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
