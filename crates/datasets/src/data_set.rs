//! The data sets, and what can be done with each.

use crate::export::Export;
use crate::official::Evaluator;
use crate::questions::ReadQuestions;
use crate::{
    cwq, gek, grailqa, graphquestions, kqapro, lcquad, lines, nspm, parquet, plain, qald, text2sparql, webqsp,
};
use touchstone_kb::{nearest_name, shortened};
use touchstone_logic::Language;

/// A published data set, or a format or evaluator that several of them share. The module of each holds everything about it.
///
/// ```
/// use touchstone_datasets::DataSet;
/// assert_eq!(DataSet::from_name("qald"), Some(DataSet::Qald));
/// assert!(DataSet::Qald.reads_predictions() && DataSet::Qald.exports());
/// assert_eq!(DataSet::Qald.official_scores(), ["qald_precision", "qald_recall", "qald_f1"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataSet {
    /// GrailQA: `graph_query` and `s_expression`.
    GrailQa,
    /// GraphQuestions, as GrailQA's authors re-released it.
    GraphQuestions,
    /// WebQSP: `Parses` with `Sparql`.
    WebQsp,
    /// ComplexWebQuestions: `sparql`.
    Cwq,
    /// KQA Pro: `program` and `sparql`.
    KqaPro,
    /// LC-QuAD: `sparql_query`.
    LcQuad,
    /// LC-QuAD 2: `sparql_wikidata`.
    LcQuad2,
    /// QALD: `query` with `sparql`, and the question in several languages.
    Qald,
    /// TEXT2SPARQL: YAML with questions in several languages, and `query` with `sparql`.
    Text2Sparql,
    /// Neural SPARQL machines: a question and an encoded query, on two lines or in one row of templates.
    Nspm,
    /// Touchstone's own lines: questions with a logical form in any language.
    Lines,
    /// Logical forms of one language, as text or in JSON.
    Forms(Language),
    /// Parquet with a row for each question.
    Parquet,
    /// The scores of the GERBIL platform.
    Gerbil,
    /// The scores of the GEK paper, exactly as published.
    Gek,
}

/// No data set that can do what is wanted has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} `{}`; choose from {}{}", shortened(name), known.join(", "),
    nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?")))]
#[non_exhaustive]
pub struct UnknownDataSet {
    /// The name.
    pub name: String,
    /// What it was to be: a format, an evaluator.
    pub kind: &'static str,
    /// The names of the data sets that can do it.
    pub known: Vec<&'static str>,
    /// The nearest of them.
    pub nearest: Option<&'static str>,
}

/// What each data set's module provides.
pub(crate) trait Published: Sync {
    /// The name on command lines.
    fn name(&self) -> &'static str;

    /// A short description of its records.
    fn description(&self) -> &'static str;

    /// How its questions are read.
    fn questions(&self) -> Option<&dyn ReadQuestions> {
        None
    }

    /// A short description of its predictions, if they can be read.
    fn predictions(&self) -> Option<&'static str> {
        None
    }

    /// How its files are written.
    fn export(&self) -> Option<&dyn Export> {
        None
    }

    /// Its official scores.
    fn evaluator(&self) -> Option<&dyn Evaluator> {
        None
    }
}

impl DataSet {
    /// All of them.
    pub const ALL: [DataSet; 17] = [
        DataSet::GrailQa,
        DataSet::GraphQuestions,
        DataSet::WebQsp,
        DataSet::Cwq,
        DataSet::KqaPro,
        DataSet::LcQuad,
        DataSet::LcQuad2,
        DataSet::Qald,
        DataSet::Text2Sparql,
        DataSet::Nspm,
        DataSet::Lines,
        DataSet::Forms(Language::Sexpr),
        DataSet::Forms(Language::Sparql),
        DataSet::Forms(Language::Kopl),
        DataSet::Parquet,
        DataSet::Gerbil,
        DataSet::Gek,
    ];

    fn published(self) -> &'static dyn Published {
        match self {
            DataSet::GrailQa => &grailqa::GrailQa,
            DataSet::GraphQuestions => &graphquestions::GraphQuestions,
            DataSet::WebQsp => &webqsp::WebQsp,
            DataSet::Cwq => &cwq::Cwq,
            DataSet::KqaPro => &kqapro::KqaPro,
            DataSet::LcQuad => &lcquad::FIRST,
            DataSet::LcQuad2 => &lcquad::SECOND,
            DataSet::Qald => &qald::Qald,
            DataSet::Text2Sparql => &text2sparql::Text2Sparql,
            DataSet::Nspm => &nspm::Nspm,
            DataSet::Lines => &lines::Lines,
            DataSet::Forms(Language::Sexpr) => &plain::SEXPR,
            DataSet::Forms(Language::Sparql) => &plain::SPARQL,
            DataSet::Forms(Language::Kopl) => &plain::KOPL,
            DataSet::Parquet => &parquet::Parquet,
            DataSet::Gerbil => &qald::Gerbil,
            DataSet::Gek => &gek::Gek,
        }
    }

    /// The names of the data sets that can do what is wanted.
    pub fn names(can: fn(DataSet) -> bool) -> Vec<&'static str> {
        DataSet::ALL.into_iter().filter(|data_set| can(*data_set)).map(DataSet::name).collect()
    }

    /// The data set with a name, among those that can do what is wanted; `kind` is what a message calls it.
    ///
    /// ```
    /// use touchstone_datasets::DataSet;
    /// let unknown = DataSet::named("gralqa", "format", DataSet::exports).expect_err("no such data set");
    /// assert!(unknown.to_string().ends_with("did you mean `grailqa`?"));
    /// ```
    pub fn named(
        name: &str,
        kind: &'static str,
        can: fn(DataSet) -> bool,
    ) -> Result<DataSet, UnknownDataSet> {
        DataSet::from_name(name).filter(|data_set| can(*data_set)).ok_or_else(|| {
            let known = DataSet::names(can);
            let nearest = nearest_name(name, known.iter().copied());
            UnknownDataSet { name: name.to_owned(), kind, nearest, known }
        })
    }

    /// The data set with a name.
    pub fn from_name(name: &str) -> Option<DataSet> {
        DataSet::ALL.into_iter().find(|data_set| data_set.name() == name)
    }

    /// The name on command lines.
    pub fn name(self) -> &'static str {
        self.published().name()
    }

    /// A short description of its records.
    pub fn description(self) -> &'static str {
        self.published().description()
    }

    /// Whether logical forms can be found in its records.
    pub fn reads_forms(self) -> bool {
        self.published().questions().is_some()
    }

    /// Whether its questions can become a benchmark.
    pub fn reads_questions(self) -> bool {
        self.reads_forms() && !matches!(self, DataSet::Forms(_))
    }

    /// Whether predictions in its format can be read.
    pub fn reads_predictions(self) -> bool {
        self.predictions_description().is_some()
    }

    /// A short description of predictions in its format, if they can be read.
    pub fn predictions_description(self) -> Option<&'static str> {
        self.published().predictions()
    }

    /// Whether benchmarks can be written in its format.
    pub fn exports(self) -> bool {
        self.published().export().is_some()
    }

    /// Whether it has an official evaluator.
    pub fn has_evaluator(self) -> bool {
        self.published().evaluator().is_some()
    }

    /// The names of its official scores; empty if it has no evaluator of its own.
    pub fn official_scores(self) -> &'static [&'static str] {
        self.published().evaluator().map_or(&[], Evaluator::scores)
    }

    /// Why its official scores differ from Touchstone's.
    pub fn official_difference(self) -> Option<&'static str> {
        self.published().evaluator().map(Evaluator::difference)
    }

    /// How its questions are read; as records of any kind if it has no format of its own.
    pub(crate) fn questions(self) -> &'static dyn ReadQuestions {
        self.published().questions().unwrap_or(&lines::Lines)
    }

    pub(crate) fn export(self) -> Option<&'static dyn Export> {
        self.published().export()
    }

    pub(crate) fn evaluator(self) -> Option<&'static dyn Evaluator> {
        self.published().evaluator()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for data_set in DataSet::ALL {
            assert_eq!(DataSet::from_name(data_set.name()), Some(data_set));
            assert!(!data_set.description().is_empty());
        }
    }

    #[test]
    fn what_can_be_done_with_each() {
        let imported = [
            "grailqa",
            "graphquestions",
            "webqsp",
            "cwq",
            "kqapro",
            "lcquad",
            "lcquad2",
            "qald",
            "text2sparql",
            "nspm",
            "lines",
        ];
        assert_eq!(DataSet::names(DataSet::reads_questions), imported);
        assert_eq!(DataSet::names(DataSet::exports), ["grailqa", "kqapro", "qald", "nspm", "parquet"]);
        assert_eq!(
            DataSet::names(DataSet::reads_predictions),
            ["grailqa", "kqapro", "qald", "text2sparql", "lines"]
        );
        let scored = ["grailqa", "webqsp", "kqapro", "qald", "text2sparql", "gerbil", "gek"];
        assert_eq!(DataSet::names(DataSet::has_evaluator), scored);
    }
}
