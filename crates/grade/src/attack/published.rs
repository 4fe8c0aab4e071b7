//! The figures of published data sets.

use super::Attack;

/// The figures of a published data set.
#[derive(Debug, Clone, Copy)]
pub struct PublishedFigures {
    /// Its name.
    pub name: &'static str,
    /// What was measured.
    pub source: &'static str,
    /// The figures that it has.
    pub figures: &'static [(Attack, f64)],
}

impl PublishedFigures {
    /// The figure of an attack.
    pub fn figure(&self, attack: Attack) -> Option<f64> {
        self.figures.iter().find(|(known, _)| *known == attack).map(|(_, value)| *value)
    }
}

/// Measured with [`attacks`](super::attacks) on the files of each data set, imported without a KB.
pub const PUBLISHED: &[PublishedFigures] = &[
    PublishedFigures {
        name: "GrailQA",
        source: "GrailQA v1.0: the development set (6,763 questions) and 1,000 training questions, with the ontology of Freebase",
        figures: &[
            (Attack::ShapeFromSurface, 0.28),
            (Attack::FunctionFromFirstWords, 0.87),
            (Attack::ConstantAnswer, 0.28),
            (Attack::LargestZeroShotClass, 0.12),
            (Attack::NearestTemplate, 0.68),
            (Attack::PairsInTraining, 0.02),
            (Attack::ZeroShotPairsInTraining, 0.00),
            (Attack::LabelOverlapIid, 0.74),
            (Attack::LabelOverlapZeroShot, 0.72),
            (Attack::SelfBleu, 0.29),
            (Attack::DistinctStarts, 0.85),
            (Attack::CommonestFirstWord, 0.30),
        ],
    },
    PublishedFigures {
        name: "CWQ",
        source: "ComplexWebQuestions 1.1: the test set (3,531 questions)",
        figures: &[
            (Attack::ShapeFromSurface, 0.33),
            (Attack::FunctionFromFirstWords, 0.84),
            (Attack::ConstantAnswer, 0.02),
            (Attack::SelfBleu, 0.33),
            (Attack::DistinctStarts, 0.81),
            (Attack::CommonestFirstWord, 0.53),
        ],
    },
    PublishedFigures {
        name: "LC-QuAD",
        source: "LC-QuAD 1.0: the training set (4,000 questions)",
        figures: &[
            (Attack::FunctionFromFirstWords, 0.93),
            (Attack::SelfBleu, 0.22),
            (Attack::DistinctStarts, 0.87),
            (Attack::CommonestFirstWord, 0.23),
        ],
    },
    PublishedFigures {
        name: "KQA Pro",
        source: "KQA Pro: 1,873 training questions with SPARQL; choices from the first 100 training questions",
        figures: &[
            (Attack::FunctionFromFirstWords, 0.63),
            (Attack::NamedChoice, 0.61),
            (Attack::RankOfCount, 0.31),
            (Attack::SelfBleu, 0.30),
            (Attack::DistinctStarts, 0.74),
            (Attack::CommonestFirstWord, 0.23),
        ],
    },
    PublishedFigures {
        name: "WebQSP",
        source: "WebQSP: 3,451 questions",
        figures: &[
            (Attack::FunctionFromFirstWords, 0.96),
            (Attack::SelfBleu, 0.24),
            (Attack::DistinctStarts, 0.87),
            (Attack::CommonestFirstWord, 0.54),
        ],
    },
    PublishedFigures {
        name: "QALD-9",
        source: "QALD-9: the training set (400 questions that can be read)",
        figures: &[
            (Attack::FunctionFromFirstWords, 0.77),
            (Attack::SelfBleu, 0.29),
            (Attack::CommonestFirstWord, 0.18),
        ],
    },
    PublishedFigures {
        name: "QALD-10",
        source: "QALD-10: the training set (412 questions)",
        figures: &[
            (Attack::FunctionFromFirstWords, 0.82),
            (Attack::SelfBleu, 0.33),
            (Attack::CommonestFirstWord, 0.22),
        ],
    },
    PublishedFigures {
        name: "WWQ",
        source: "WikiWebQuestions: the training set (2,431 questions)",
        figures: &[
            (Attack::FunctionFromFirstWords, 0.94),
            (Attack::SelfBleu, 0.23),
            (Attack::DistinctStarts, 0.90),
            (Attack::CommonestFirstWord, 0.55),
        ],
    },
];
