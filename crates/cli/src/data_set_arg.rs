//! Names of data sets as arguments; the lists come from `DataSet`.

use crate::choice::choice;
use crate::output;
use anyhow::{Context, Result};
use clap::builder::TypedValueParser;
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
        format!("there is no {kind} `{}`; choose from {}{hint}", output::shortened(name), known.join(", "))
    })
}

/// The formats of files of logical forms; in `auto`, records show themselves what they are.
pub(crate) fn forms_formats() -> impl TypedValueParser<Value = DataSet> {
    let others = DataSet::ALL.into_iter().filter(|set| set.reads_forms() && *set != DataSet::Lines);
    let others = others.map(|data_set| (data_set.name(), data_set.description(), data_set));
    choice(std::iter::once(("auto", DataSet::Lines.description(), DataSet::Lines)).chain(others))
}

/// The formats of predictions.
pub(crate) fn predictions_formats() -> impl TypedValueParser<Value = DataSet> {
    let all = DataSet::ALL.into_iter().filter(|data_set| data_set.reads_predictions());
    choice(all.map(|set| (set.name(), set.predictions_description().unwrap_or_default(), set)))
}
