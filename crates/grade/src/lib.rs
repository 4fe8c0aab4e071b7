#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )
)]

mod aligned;
mod answers;
pub mod attack;
pub mod axioms;
mod cast;
mod columns;
mod compare_runs;
mod compare_tables;
mod comparison;
pub mod degrade;
mod degrade_sexpr;
pub mod distil;
mod elements;
pub mod facets;
mod gold_order;
mod grade_error;
mod grade_files;
mod grade_run;
mod grader;
mod holds;
mod language;
mod measure;
mod neighbour;
mod null_as_nan;
pub mod overlap;
mod paired;
mod prediction_source;
mod qualifiers;
mod regress_run;
pub mod regression;
mod requirements;
mod risk_coverage;
mod run_overview;
mod running_score;
pub mod same;
mod scan;
pub mod sensitivity;
mod sets;
mod shown;
pub mod statistics;
pub mod summary;
pub mod table;
mod tagger;
mod time_limit;
mod usage;
mod witness_facts;

pub use compare_runs::{
    CompareConfig, ComparedRuns, FacetComparison, GradedFolder, RunComparison, compare_runs,
};
pub use compare_tables::{COLUMN_MEANINGS, comparison_table};
pub use comparison::tokens;
pub use grade_error::{GradeError, NeedsKb};
pub use grade_files::read_rows;
pub use grade_run::{GradeConfig, GradeOptions, GradedRun, grade_benchmark, grade_run};
pub use grader::{GoldAnswers, Grade, Grader};
pub use measure::{
    Family, Measure, MeasureDescription, Product, ProductError, USUAL, USUAL_BY_FACET, Values, measures,
};
pub use neighbour::{Neighbour, NeighbourError, Statement};
pub use paired::{PairedTest, PairedValues, test_all};
pub use prediction_source::PredictionSource;
pub use regress_run::{RegressConfig, RegressedRun, regress_run};
pub use requirements::{NotAThreshold, Requirements, Threshold};
pub use risk_coverage::{RiskCoverage, RiskPoint};
pub use run_overview::{RunOverview, RunState};
pub use running_score::RunningScore;
pub use shown::ShownMeasures;
pub use usage::{Spread, UsageSummary};
