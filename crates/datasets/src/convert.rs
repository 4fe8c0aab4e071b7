//! Translation of the logical forms of a file into another language.

use crate::{DataSet, InputError, ReasonCounts, Record, RecordInput};
use serde::Serialize;
use touchstone_kb::{Progress, RdfVocabulary};
use touchstone_logic::sparql::Dialect;
use touchstone_logic::{Knowledge, Language, Printed, Reading, kopl, sexpr, sparql};

/// The language to write, with its options.
#[derive(Debug, Clone)]
pub enum TargetLanguage {
    /// S-expressions.
    Sexpr,
    /// KoPL programs.
    Kopl(ProgramStyle),
    /// SPARQL for a graph. If `None`: the graph of a SPARQL source, KQA Pro's for programs; for S-expressions the graph of
    /// the KB, or Freebase's.
    Sparql(Option<DialectChoice>),
}

/// How a KoPL program is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramStyle {
    /// For people.
    Readable,
    /// With `<func>` and `<arg>`.
    Linear,
    /// As in KQA Pro's files.
    Json,
}

impl ProgramStyle {
    /// All styles, each with its name and a description.
    pub const NAMED: [(&'static str, &'static str, ProgramStyle); 3] = [
        ("readable", "For people", ProgramStyle::Readable),
        ("linear", "With <func> and <arg>", ProgramStyle::Linear),
        ("json", "As in KQA Pro's files", ProgramStyle::Json),
    ];
}

/// The graph that SPARQL is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialectChoice {
    /// Freebase.
    Freebase,
    /// KQA Pro's graph: values and facts are nodes.
    KqaPro,
    /// Plain triples, with the IRIs of the KB.
    Plain,
}

impl DialectChoice {
    /// All graphs, each with its name and a description.
    pub const NAMED: [(&'static str, &'static str, DialectChoice); 3] = [
        ("freebase", "Freebase", DialectChoice::Freebase),
        ("kqapro", "KQA Pro's graph: values and facts are nodes", DialectChoice::KqaPro),
        ("plain", "Plain triples, with the IRIs of the KB", DialectChoice::Plain),
    ];
}

/// Translates the logical forms of records.
pub struct Converter<'k> {
    /// The format of the records.
    pub data_set: DataSet,
    /// The language to write.
    pub target: TargetLanguage,
    /// Whether to refuse forms that cannot be translated exactly.
    pub strict: bool,
    /// What is known about words.
    pub knowledge: Knowledge<'k>,
}

/// A translated form: a line of JSON.
#[derive(Debug, Clone, Serialize)]
pub struct Converted {
    /// The id of the question, or the line of the record.
    pub id: String,
    /// The language of the source, if it was found.
    pub from: Option<&'static str>,
    /// The translation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What was repaired in the source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<String>,
    /// Where the translation differs from the source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// Why there is no translation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// How many forms were translated.
#[derive(Debug, Clone, Default)]
pub struct ConvertedCounts {
    /// Number of translated forms.
    pub done: usize,
    /// Number of translations that are not exactly the same as their source.
    pub lossy: usize,
    /// Why there is no translation.
    pub failed: ReasonCounts,
    /// The only record: it was not passed on.
    pub only: Option<Converted>,
}

impl ConvertedCounts {
    /// Number of records.
    pub fn total(&self) -> usize {
        self.done + self.failed.total()
    }

    fn add(&mut self, converted: &Converted) {
        match &converted.error {
            Some(error) => self.failed.add(&converted.id, error.clone()),
            None => {
                self.done += 1;
                self.lossy += usize::from(!converted.lost.is_empty());
            }
        }
    }
}

fn texts<T: ToString>(items: &[T]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

impl Converter<'_> {
    /// Translates all forms of a file, in parallel, and passes the translations on in the order of the file. If there is only one, it
    /// is returned instead.
    pub fn convert_all<E: From<InputError>>(
        &self,
        input: &RecordInput,
        progress: &dyn Progress,
        mut pass_on: impl FnMut(&Converted) -> Result<(), E>,
    ) -> Result<ConvertedCounts, E> {
        let mut counts = ConvertedCounts::default();
        input.for_each(
            progress,
            |record| self.convert(record),
            |converted| {
                counts.add(&converted);
                if counts.total() == 1 {
                    counts.only = Some(converted);
                    return Ok(());
                }
                if let Some(first) = counts.only.take() {
                    pass_on(&first)?;
                }
                pass_on(&converted)
            },
        )?;
        Ok(counts)
    }

    /// Translates the logical form of a record.
    pub fn convert(&self, record: &Record) -> Converted {
        let mut converted = Converted {
            id: record.line.to_string(),
            from: None,
            text: None,
            repairs: Vec::new(),
            lost: Vec::new(),
            error: None,
        };
        match self.translate(record, &mut converted) {
            Ok(_) if self.strict && !converted.lost.is_empty() => {
                converted.error = Some(format!("not exactly the same: {}", converted.lost.join("; ")));
            }
            Ok(text) => converted.text = Some(text),
            Err(error) => converted.error = Some(error),
        }
        converted
    }

    /// The translation; everything else that is known about it goes into `converted`.
    fn translate(&self, record: &Record, converted: &mut Converted) -> Result<String, String> {
        let item = self.data_set.item(record).map_err(|error| error.to_string())?;
        let language = item.source.language();
        converted.id.clone_from(&item.id);
        converted.from = Some(language.word());
        let reading = item.source.read(&self.knowledge).map_err(|error| error.to_string())?;
        converted.repairs = texts(&reading.repairs);
        converted.lost = texts(&reading.lost);
        let printed = self.print(language, &reading)?;
        converted.lost.extend(texts(&printed.lost));
        converted.lost.dedup();
        Ok(printed.text)
    }

    fn print(&self, from: Language, reading: &Reading) -> Result<Printed, String> {
        let query = &reading.query;
        match &self.target {
            TargetLanguage::Sexpr => sexpr::print(query).map_err(|error| error.to_string()),
            TargetLanguage::Sparql(choice) => {
                let dialect = self.dialect(*choice, from, reading);
                sparql::print(query, &dialect).map_err(|error| error.to_string())
            }
            TargetLanguage::Kopl(style) => {
                let (program, lost) =
                    kopl::from_query(query, self.knowledge.words).map_err(|error| error.to_string())?;
                let text = match style {
                    ProgramStyle::Readable => program.to_readable(),
                    ProgramStyle::Linear => program.to_linear(),
                    ProgramStyle::Json => Ok(program.to_json()),
                };
                Ok(Printed { text: text.map_err(|error| error.to_string())?, lost })
            }
        }
    }

    fn dialect(&self, choice: Option<DialectChoice>, from: Language, reading: &Reading) -> Dialect {
        let namespaces = &self.knowledge.namespaces;
        let plain = || Dialect::Plain {
            base: namespaces.base.clone().unwrap_or_else(|| "urn:touchstone:kb:".to_owned()),
        };
        match (choice, &reading.dialect) {
            (Some(DialectChoice::KqaPro), _) => Dialect::KqaPro,
            (Some(DialectChoice::Freebase), _) => Dialect::Freebase,
            (Some(DialectChoice::Plain), _) => plain(),
            (None, _) if from == Language::Kopl => Dialect::KqaPro,
            (None, Some(dialect)) => dialect.clone(),
            (None, None) => match namespaces.vocabulary {
                None | Some(RdfVocabulary::Freebase) => Dialect::Freebase,
                Some(RdfVocabulary::Rdfs | RdfVocabulary::Wikidata) => plain(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_kb::NoProgress;

    fn converted(lines: &str) -> (Vec<String>, ConvertedCounts) {
        let converter = Converter {
            data_set: DataSet::Lines,
            target: TargetLanguage::Sexpr,
            strict: false,
            knowledge: Knowledge::of_spelling(),
        };
        let mut ids = Vec::new();
        let counts = converter.convert_all(&RecordInput::Text(lines.to_owned()), &NoProgress, |converted| {
            ids.push(converted.id.clone());
            Ok::<(), InputError>(())
        });
        (ids, counts.expect("read"))
    }

    #[test]
    fn the_only_translation_is_returned_and_several_are_passed_on() {
        let (ids, counts) = converted(r#"{"id": "a", "query": "(COUNT film)"}"#);
        assert!(ids.is_empty() && counts.done == 1);
        assert_eq!(counts.only.and_then(|only| only.text).as_deref(), Some("(COUNT film)"));
        let (ids, counts) = converted(
            "{\"id\": \"a\", \"query\": \"(COUNT film)\"}\n{\"id\": \"b\", \"query\": \"(COUNT film\"}\n{\"id\": \"c\"}",
        );
        // A record without a form is named by its line.
        assert_eq!(ids, ["a", "b", "3"]);
        assert!(counts.only.is_none() && counts.total() == 3 && counts.failed.total() >= 1);
    }
}
