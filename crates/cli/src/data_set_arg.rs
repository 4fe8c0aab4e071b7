//! Names of data sets as arguments; the lists come from `DataSet`.

use crate::choice::choice;
use clap::builder::TypedValueParser;
use touchstone_datasets::DataSet;

/// The names of the data sets that can do what is wanted, for a help text.
pub(crate) fn list(can: fn(DataSet) -> bool) -> String {
    DataSet::names(can).join(", ")
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
