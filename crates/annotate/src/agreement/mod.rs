//! How far people agree: coefficients of agreement with intervals, each with the reason if it is not defined.

mod cohen;
mod fleiss;
mod interval;
mod krippendorff;
mod of_project;
mod ratings;

pub use cohen::cohen_kappa;
pub use fleiss::fleiss_kappa;
pub use interval::{Proportion, wilson};
pub use krippendorff::{Metric, krippendorff_alpha};
pub use of_project::{
    AnsweringAgreement, JudgingAgreement, PairAgreement, ProjectAgreement, WritingAgreement,
};
pub use ratings::{Ratings, RatingsSummary};

use serde::Serialize;

/// Why a coefficient is not defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Undefined {
    /// Nothing was rated by two people.
    #[error("nothing was rated by two people")]
    NoPairs,
    /// Everybody gave the same rating to everything, so chance would agree as well.
    #[error(
        "everybody gave the same rating to everything: agreement is 100 %, but a coefficient is not defined"
    )]
    NoVariation,
    /// Items have different numbers of ratings.
    #[error("items have different numbers of ratings; Krippendorff's alpha can be used instead")]
    UnequalNumbers,
    /// Two people have too few items in common.
    #[error("the two people rated fewer than 10 items in common")]
    TooFewInCommon,
}

/// A coefficient of agreement.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AgreementFigure {
    /// Its value; 1 is perfect agreement, 0 is chance.
    pub value: Option<f64>,
    /// The lower end of its 95 % interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Number of items with at least two ratings.
    pub items: usize,
    /// Why there is no value.
    pub undefined: Option<Undefined>,
}

impl AgreementFigure {
    fn without_interval(found: Result<f64, Undefined>, items: usize) -> AgreementFigure {
        AgreementFigure { value: found.ok(), low: None, high: None, items, undefined: found.err() }
    }
}
