//! Names of data sets as arguments; the lists come from `DataSet`.

use crate::output;
use anyhow::{Context, Result};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::sync::LazyLock;
use touchstone_datasets::DataSet;

/// The names of the data sets that can do what is wanted.
fn names(can: fn(DataSet) -> bool) -> Vec<&'static str> {
    DataSet::ALL.into_iter().filter(|data_set| can(*data_set)).map(DataSet::name).collect()
}

/// The same for a help text.
pub(crate) fn list(can: fn(DataSet) -> bool) -> String {
    names(can).join(", ")
}

/// Whether a data set has an official evaluator.
pub(crate) fn has_evaluator(data_set: DataSet) -> bool {
    !data_set.official_scores().is_empty()
}

/// The data set with a name, among those that can do what is wanted; `kind` is what a message calls it.
pub(crate) fn named(name: &str, kind: &str, can: fn(DataSet) -> bool) -> Result<DataSet> {
    DataSet::from_name(name).filter(|data_set| can(*data_set)).with_context(|| {
        let known = names(can);
        let nearest = touchstone_kb::nearest_name(name, known.iter().copied());
        let hint = nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
        format!("there is no {kind} `{}`; there are {}{hint}", output::shortened(name), known.join(", "))
    })
}

/// What a file of logical forms is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FormsFormat(pub(crate) DataSet);

impl FormsFormat {
    /// Any records: they show themselves what they are.
    pub(crate) const AUTO: FormsFormat = FormsFormat(DataSet::Lines);
}

impl ValueEnum for FormsFormat {
    fn value_variants<'a>() -> &'a [FormsFormat] {
        static ALL: LazyLock<Vec<FormsFormat>> = LazyLock::new(|| {
            let others = DataSet::ALL.into_iter().map(FormsFormat);
            let others = others.filter(|format| format.0.reads_forms() && *format != FormsFormat::AUTO);
            [FormsFormat::AUTO].into_iter().chain(others).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let name = if *self == FormsFormat::AUTO { "auto" } else { self.0.name() };
        Some(PossibleValue::new(name).help(self.0.description()))
    }
}

/// How predictions are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PredictionsFormat(pub(crate) DataSet);

impl ValueEnum for PredictionsFormat {
    fn value_variants<'a>() -> &'a [PredictionsFormat] {
        static ALL: LazyLock<Vec<PredictionsFormat>> = LazyLock::new(|| {
            let all = DataSet::ALL.into_iter().filter(|data_set| data_set.reads_predictions());
            all.map(PredictionsFormat).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = self.0.predictions_description().unwrap_or_default();
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}
