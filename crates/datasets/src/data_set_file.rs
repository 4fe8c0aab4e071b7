//! A file of a published data set, named as FORMAT:FILE.

use crate::data_set::{DataSet, UnknownDataSet};
use crate::import::{ImportConfig, Imported, import};
use crate::importer::Importer;
use crate::input::InputError;
use std::path::Path;
use std::str::FromStr;
use touchstone_engine::QueryContext;
use touchstone_kb::Progress;

/// A file of a published data set.
///
/// ```
/// use touchstone_datasets::{DataSet, DataSetFile};
/// let file: DataSetFile = "grailqa:dev.json".parse()?;
/// assert_eq!((file.data_set, file.file.as_str()), (DataSet::GrailQa, "dev.json"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSetFile {
    /// The data set.
    pub data_set: DataSet,
    /// The file; `-` is standard input.
    pub file: String,
}

/// A text that does not name a file of a data set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDataSetFile {
    /// It does not name a format.
    #[error("`{0}` is not a data set; write it like grailqa:dev.json")]
    NoFormat(String),
    /// The questions of this format cannot be read.
    #[error(transparent)]
    Unknown(#[from] UnknownDataSet),
}

impl FromStr for DataSetFile {
    type Err = InvalidDataSetFile;

    fn from_str(text: &str) -> Result<DataSetFile, InvalidDataSetFile> {
        let (format, file) =
            text.split_once(':').ok_or_else(|| InvalidDataSetFile::NoFormat(text.to_owned()))?;
        let data_set = DataSet::named(format, "format", DataSet::reads_questions)?;
        Ok(DataSetFile { data_set, file: file.to_owned() })
    }
}

impl DataSetFile {
    /// The file as seen from a directory.
    #[must_use]
    pub fn in_directory(self, directory: Option<&Path>) -> DataSetFile {
        match directory {
            Some(directory) => DataSetFile { file: directory.join(&self.file).display().to_string(), ..self },
            None => self,
        }
    }

    /// Its questions as they are, to be graded: levels are kept, and no query is run.
    pub fn import(
        &self,
        context: &QueryContext<'_>,
        progress: &dyn Progress,
    ) -> Result<Imported, InputError> {
        let importer = Importer { data_set: self.data_set, knowledge: context.knowledge(), kb: context.kb() };
        import(&ImportConfig::of_file(importer, &self.file), progress)
    }
}
