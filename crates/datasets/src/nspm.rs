//! Neural SPARQL machines: questions next to encoded queries, in two texts or in a table of templates.

use crate::data_set::Published;
use crate::export::{Export, ExportError, ExportJob, Exported, LeftOut};
use crate::input::InputError;
use crate::item::ItemSource;
use crate::questions::ReadQuestions;
use crate::records::Record;
use serde_json::{Value as Json, json};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use touchstone_benchmark::Question;
use touchstone_logic::sparql::encode_neural;

/// The format.
pub(crate) struct Nspm;

impl Published for Nspm {
    fn name(&self) -> &'static str {
        "nspm"
    }

    fn description(&self) -> &'static str {
        "Neural SPARQL machines: a question and an encoded query"
    }

    fn questions(&self) -> Option<&dyn ReadQuestions> {
        Some(self)
    }

    fn export(&self) -> Option<&dyn Export> {
        Some(self)
    }
}

impl ReadQuestions for Nspm {
    fn expected(&self) -> &'static str {
        "`sparql`"
    }

    fn source(&self, json: &Json) -> Option<ItemSource> {
        ItemSource::sparql(json)
    }
}

/// The records of a file: a table of templates, or the `.sparql` text of a pair with its `.en` text next to it.
pub(crate) fn records_of_file(file: &Path) -> Result<Vec<Record>, InputError> {
    let open = |path: &Path| {
        File::open(path)
            .map(BufReader::new)
            .map_err(|error| InputError::Read { file: path.to_path_buf(), source: error.into() })
    };
    let queries = open(file)?;
    let records = if file.extension().is_some_and(|end| end == "sparql") {
        records_of_pair(open(&file.with_extension("en"))?, queries)
    } else {
        records_of_templates(queries).map_err(PairError::Io)
    };
    records.map_err(|error| match error {
        PairError::Io(error) => InputError::Read { file: file.to_path_buf(), source: error.into() },
        PairError::Lengths { line } => InputError::UnequalTexts { file: file.to_path_buf(), line },
    })
}

/// Errors of a pair of texts.
#[derive(Debug)]
enum PairError {
    Io(std::io::Error),
    Lengths { line: usize },
}

impl From<std::io::Error> for PairError {
    fn from(error: std::io::Error) -> PairError {
        PairError::Io(error)
    }
}

fn record(line: usize, question: &str, query: &str) -> Record {
    let text = json!({ "question": question, "sparql": query }).to_string();
    Record { line: line + 1, text, json: true }
}

/// A question and its query on the same line of two texts.
fn records_of_pair(questions: impl BufRead, queries: impl BufRead) -> Result<Vec<Record>, PairError> {
    let mut records = Vec::new();
    let (mut questions, mut queries) = (questions.lines(), queries.lines());
    for line in 0.. {
        match (questions.next().transpose()?, queries.next().transpose()?) {
            (Some(question), Some(query)) => records.push(record(line, question.trim(), query.trim())),
            (None, None) => break,
            _ => return Err(PairError::Lengths { line }),
        }
    }
    Ok(records)
}

/// Rows of templates: `...;question;query;...`.
fn records_of_templates(rows: impl BufRead) -> std::io::Result<Vec<Record>> {
    let mut records = Vec::new();
    for (line, row) in rows.lines().enumerate() {
        let row = row?;
        let cells: Vec<&str> = row.split(';').map(str::trim).collect();
        let starts = |cell: &str, word: &str| {
            cell.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        let is_query = |cell: &&str| ["select", "ask", "prefix"].iter().any(|word| starts(cell, word));
        match cells.iter().position(is_query) {
            Some(at) if at > 0 => records.push(record(line, cells[at - 1], cells[at])),
            _ if row.trim().is_empty() => {}
            _ => records.push(record(line, cells.first().unwrap_or(&""), "")),
        }
    }
    Ok(records)
}

impl Export for Nspm {
    fn endings(&self) -> &'static [&'static str] {
        &["en", "sparql"]
    }

    fn write(&self, job: &ExportJob<'_>) -> Result<Exported, ExportError> {
        let (splits, mut exported) = job.by_split(pair);
        for (split, pairs) in splits {
            let (questions, queries): (String, String) =
                pairs.iter().map(|(question, query)| (format!("{question}\n"), format!("{query}\n"))).unzip();
            for (ending, text) in [("en", questions), ("sparql", queries)] {
                let name = format!("{split}.{ending}");
                job.write_text(&name, &text)?;
                exported.written.insert(name, pairs.len());
            }
        }
        Ok(exported)
    }
}

/// The question in lower case with its punctuation set apart, and the encoded query.
fn pair(question: &Question) -> Result<(String, String), LeftOut> {
    let sparql = question.forms.sparql.as_ref().ok_or(LeftOut::NoSparql)?;
    let mut english = String::with_capacity(question.question.len() + 8);
    for c in question.question.chars().flat_map(char::to_lowercase) {
        match c {
            '?' | '.' | '!' | ',' | ';' => english.extend([' ', c, ' ']),
            _ => english.push(c),
        }
    }
    let english: Vec<&str> = english.split_whitespace().collect();
    Ok((english.join(" "), encode_neural(sparql)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::data_set::DataSet;
    use crate::importer::import_text;

    #[test]
    fn templates_and_pairs_are_read() {
        let rows = "dbo:Monument;;;where is <A> located in;select ?x where { <A> dbo:location ?x };select distinct ?a where { ?a dbo:location [] }\n\nnothing here\n";
        let records = records_of_templates(rows.as_bytes()).unwrap();
        assert_eq!(records.len(), 2);
        let question = import_text(DataSet::Nspm, &records[0].text).unwrap();
        assert_eq!(question.question, "where is <A> located in");
        assert_eq!(question.shape, "T1:(())");
        assert!(import_text(DataSet::Nspm, &records[1].text).is_err());

        let query = &b"select var_a where brack_open dbr_X dbo_location var_a brack_close\n"[..];
        let pairs = records_of_pair(&b"where is x\n"[..], query).unwrap();
        assert_eq!(import_text(DataSet::Nspm, &pairs[0].text).unwrap().shape, "T1:(())");
        assert!(matches!(records_of_pair(&b"a\nb\n"[..], &b"c\n"[..]), Err(PairError::Lengths { line: 1 })));
    }
}
