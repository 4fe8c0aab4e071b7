//! Cuts a file of any size into records without reading it whole: the elements of a JSON array, JSON lines, or logical forms as plain text.

use crate::text2sparql;
use std::io::{self, BufRead, Read};
use touchstone_kb::import::{JsonRecords, JsonRecordsError, JsonRecordsErrorKind};
use touchstone_logic::Language;

/// A piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The line it starts on, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// Whether it is JSON.
    pub json: bool,
}

/// A file that cannot be cut into records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// Reading failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file ends inside a record.
    #[error("line {line}: the file ends inside this record")]
    EndsInRecord {
        /// The line on which the record starts.
        line: usize,
    },
    /// The file ends inside a list.
    #[error("line {line}: the list does not end with `]`")]
    EndsInList {
        /// The last line.
        line: usize,
    },
    /// There is text after the list.
    #[error("line {line}: text after the end of the list")]
    AfterList {
        /// Its line.
        line: usize,
    },
    /// A record is too long.
    #[error("line {line}: a record of more than {maximum} bytes")]
    TooLong {
        /// The line on which the record starts.
        line: usize,
        /// The maximum length.
        maximum: usize,
    },
    /// A record has bytes that are not text.
    #[error("line {line}: the text is not UTF-8")]
    NotUtf8 {
        /// The line on which the record starts.
        line: usize,
    },
    /// A file is not valid YAML, or not a list of questions in it.
    #[error("line {line}: not a list of questions in YAML: {problem}")]
    Yaml {
        /// Where the problem is.
        line: usize,
        /// What the parser reports.
        problem: String,
    },
    /// There is no list under `questions` or `Questions`.
    #[error("the list of questions is missing")]
    NoQuestions,
}

/// The structure of the file, detected from its beginning.
enum Layout<R> {
    /// Not detected yet.
    Unknown(R),
    /// The elements of an array.
    List(JsonRecords<R>),
    /// The elements of an array inside an object: `{"Questions": [...]}`, `{"dataset": ..., "questions": [...]}`.
    Questions { records: JsonRecords<R>, is_found: bool },
    /// An object on each line.
    Lines(Lines<R>),
    /// A logical form on each line; SPARQL and programs in JSON may take several.
    Forms(Lines<R>),
    /// The questions of a YAML file, in reverse order.
    Yaml(Vec<Record>),
    /// The end of the file was reached.
    Done,
}

/// Reads records one by one.
pub struct Records<R> {
    layout: Layout<R>,
    /// The maximum length of a record, in bytes.
    maximum: usize,
}

/// Maximum length of a record.
const MAX_RECORD: usize = 64 << 20;

/// The keys under which WebQSP and QALD list their questions.
const QUESTIONS: [&str; 2] = ["Questions", "questions"];

impl<R: BufRead> Records<R> {
    /// Records of a text.
    pub fn new(reader: R) -> Records<R> {
        Records { layout: Layout::Unknown(reader), maximum: MAX_RECORD }
    }

    /// Detects the structure of the file, and moves to the first record.
    fn begin(&self, mut reader: R) -> Result<Layout<R>, RecordsError> {
        if reader.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
            reader.consume(3);
        }
        let mut line = 1;
        loop {
            let buffer = reader.fill_buf()?;
            let Some(&first) = buffer.first() else { return Ok(Layout::Done) };
            if first.is_ascii_whitespace() {
                line += usize::from(first == b'\n');
                reader.consume(1);
                continue;
            }
            if text2sparql::is_question_file(buffer) {
                return self.yaml(reader);
            }
            let is_list = first == b'[' && is_array_of_objects(buffer);
            let has_questions = first == b'{' && names_questions(buffer);
            return Ok(match first {
                _ if is_list => {
                    Layout::List(JsonRecords::of_list(reader, self.maximum).starting_at_line(line as u64))
                }
                _ if has_questions => {
                    let records = JsonRecords::of_sections(reader, self.maximum);
                    Layout::Questions { records: records.starting_at_line(line as u64), is_found: false }
                }
                b'{' => Layout::Lines(Lines::new(reader, line, self.maximum)),
                _ => Layout::Forms(Lines::new(reader, line, self.maximum)),
            });
        }
    }

    fn next_record(&mut self) -> Result<Option<Record>, RecordsError> {
        if matches!(self.layout, Layout::Unknown(_))
            && let Layout::Unknown(reader) = std::mem::replace(&mut self.layout, Layout::Done)
        {
            self.layout = self.begin(reader)?;
        }
        match &mut self.layout {
            Layout::Unknown(_) | Layout::Done => Ok(None),
            Layout::List(records) => json_record(records),
            Layout::Questions { records, is_found } => {
                while let Some(record) = json_record(records)? {
                    if QUESTIONS.contains(&records.section()) {
                        *is_found = true;
                        return Ok(Some(record));
                    }
                }
                let has_list = *is_found || QUESTIONS.contains(&records.section());
                if has_list { Ok(None) } else { Err(RecordsError::NoQuestions) }
            }
            Layout::Lines(lines) => lines.json_line(),
            Layout::Forms(lines) => lines.form(),
            Layout::Yaml(records) => Ok(records.pop()),
        }
    }

    fn yaml(&self, reader: R) -> Result<Layout<R>, RecordsError> {
        let mut text = String::new();
        let limit = self.maximum as u64 + 1;
        reader.take(limit).read_to_string(&mut text)?;
        if text.len() > self.maximum {
            return Err(RecordsError::TooLong { line: 1, maximum: self.maximum });
        }
        let mut records = text2sparql::records(&text)?;
        records.reverse();
        Ok(Layout::Yaml(records))
    }
}

fn json_record<R: BufRead>(records: &mut JsonRecords<R>) -> Result<Option<Record>, RecordsError> {
    let Some(record) = records.next() else { return Ok(None) };
    let record = record?;
    let line = line_number(record.line);
    let text = String::from_utf8(record.bytes).map_err(|_| RecordsError::NotUtf8 { line })?;
    Ok(Some(Record { line, text, json: true }))
}

fn line_number(line: u64) -> usize {
    usize::try_from(line).unwrap_or(usize::MAX)
}

impl From<JsonRecordsError> for RecordsError {
    fn from(error: JsonRecordsError) -> RecordsError {
        let (line, record_line) = (line_number(error.line), line_number(error.record_line));
        match error.kind {
            JsonRecordsErrorKind::Io(error) => RecordsError::Io(error),
            JsonRecordsErrorKind::EndsInRecord => RecordsError::EndsInRecord { line: record_line },
            JsonRecordsErrorKind::EndsInList => RecordsError::EndsInList { line },
            JsonRecordsErrorKind::TooLong { maximum } => RecordsError::TooLong { line: record_line, maximum },
            _ => RecordsError::AfterList { line },
        }
    }
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = Result<Record, RecordsError>;

    fn next(&mut self) -> Option<Result<Record, RecordsError>> {
        let result = self.next_record();
        if !matches!(result, Ok(Some(_))) {
            self.layout = Layout::Done;
        }
        result.transpose()
    }
}

/// Reads texts line by line.
struct Lines<R> {
    reader: R,
    /// The number of the next line.
    line: usize,
    maximum: usize,
    /// Text that was read and not yet returned.
    pending: String,
    pending_line: usize,
}

impl<R: BufRead> Lines<R> {
    fn new(reader: R, line: usize, maximum: usize) -> Lines<R> {
        Lines { reader, line, maximum, pending: String::new(), pending_line: line }
    }

    fn read_line(&mut self) -> Result<Option<String>, RecordsError> {
        let mut bytes = Vec::new();
        let limit = self.maximum as u64 + 1;
        if (&mut self.reader).take(limit).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.len() as u64 == limit {
            return Err(self.too_long(self.line));
        }
        self.line += 1;
        match String::from_utf8(bytes) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(RecordsError::NotUtf8 { line: self.line - 1 }),
        }
    }

    fn too_long(&self, line: usize) -> RecordsError {
        RecordsError::TooLong { line, maximum: self.maximum }
    }

    /// The next line that is not blank.
    fn json_line(&mut self) -> Result<Option<Record>, RecordsError> {
        while let Some(text) = self.read_line()? {
            if !text.trim().is_empty() {
                return Ok(Some(Record {
                    line: self.line - 1,
                    text: text.trim_end().to_owned(),
                    json: true,
                }));
            }
        }
        Ok(None)
    }

    /// The next logical form: one line, or a SPARQL query up to the line where another begins.
    fn form(&mut self) -> Result<Option<Record>, RecordsError> {
        loop {
            let line = self.read_line()?;
            let open = is_open(&self.pending);
            match line {
                None if self.pending.trim().is_empty() => return Ok(None),
                None => return Ok(Some(self.take())),
                Some(line) if self.pending.trim().is_empty() => {
                    self.pending_line = self.line - 1;
                    self.pending = line;
                }
                Some(line) if open || (is_sparql(&self.pending) && goes_on(&line)) => {
                    self.pending.push_str(&line)
                }
                Some(line) => {
                    let record = self.take();
                    self.pending = line;
                    self.pending_line = self.line - 1;
                    return Ok(Some(record));
                }
            }
            if self.pending.len() > self.maximum {
                return Err(self.too_long(self.pending_line));
            }
        }
    }

    fn take(&mut self) -> Record {
        let text = std::mem::take(&mut self.pending);
        Record { line: self.pending_line, text: text.trim().to_owned(), json: false }
    }
}

/// Whether `[` begins a list of questions, not a KoPL program.
fn is_array_of_objects(buffer: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&buffer[..buffer.len().min(1 << 12)]).into_owned();
    let first = start.split('}').next().unwrap_or("");
    // Questions also have programs, but at a deeper level.
    let shallow = first.matches('{').count() == 1;
    !(shallow && (first.contains("\"function\"") || first.contains("\"func\"")))
}

/// Whether the beginning of an object has the key under which WebQSP or QALD lists its questions.
fn names_questions(buffer: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&buffer[..buffer.len().min(1 << 12)]);
    QUESTIONS.iter().any(|name| {
        let key = format!("\"{name}\"");
        start.match_indices(&key).any(|(at, _)| start[at + key.len()..].trim_start().starts_with(':'))
    })
}

fn is_sparql(text: &str) -> bool {
    Language::guess(text) == Language::Sparql
}

/// Whether a line continues a query that seemed complete, with a clause that may follow a pattern.
fn goes_on(line: &str) -> bool {
    let start = line.trim_start();
    let word: String = start.chars().take_while(|c| c.is_ascii_alphabetic()).collect();
    let after = ["order", "limit", "offset", "group", "having", "values", "union"];
    start.is_empty()
        || start.starts_with(['}', '{', '#'])
        || after.contains(&word.to_ascii_lowercase().as_str())
}

/// Whether a text is not complete: a SPARQL query whose pattern has not begun or not ended, or a program in JSON with open brackets.
fn is_open(text: &str) -> bool {
    if text.trim_start().starts_with('[') {
        let (opened, closed) = brackets(text, '[', ']');
        return opened > closed;
    }
    let (opened, closed) = brackets(text, '{', '}');
    is_sparql(text) && (opened == 0 || opened > closed)
}

/// The numbers of opening and closing brackets outside quotes.
fn brackets(text: &str, open: char, close: char) -> (usize, usize) {
    let (mut opened, mut closed, mut quote, mut escaped) = (0, 0, None, false);
    for c in text.chars() {
        match quote {
            Some(q) => {
                // A quote that is not closed in its line is an apostrophe.
                if (c == q && !escaped) || c == '\n' {
                    quote = None;
                }
                escaped = c == '\\' && !escaped;
            }
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == open => opened += 1,
            None if c == close => closed += 1,
            None => {}
        }
    }
    (opened, closed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn all(text: &str) -> Vec<(usize, String)> {
        Records::new(text.as_bytes())
            .map(|record| record.unwrap())
            .map(|record| (record.line, record.text))
            .collect()
    }

    fn texts(text: &str) -> Vec<String> {
        all(text).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn a_record_without_an_end_is_not_collected() {
        for start in ["{\"a\": 1}\n{\"a\": \"", "[{\"a\": 1}, {\"b\": \"", "(COUNT film)\n(COUNT "] {
            let mut endless = start.as_bytes().chain(io::repeat(b'x').take(1 << 20));
            let mut records = Records::new(io::BufReader::with_capacity(100, &mut endless));
            records.maximum = 1000;
            let read: Vec<Result<Record, RecordsError>> = records.collect();
            let error = read.last().unwrap().as_ref().expect_err(start).to_string();
            assert!(error.contains("a record of more than 1000 bytes"), "{error}");
            let mut rest = Vec::new();
            endless.read_to_end(&mut rest).unwrap();
            assert!(rest.len() > (1 << 20) - 2000, "{start}: {} bytes are left", rest.len());
        }
    }

    #[test]
    fn json_arrays_and_lines() {
        assert_eq!(
            all("[\n {\"a\": \"]}\\\"\"},\n\n {\"b\": [1]}\n]\n"),
            [(2, "{\"a\": \"]}\\\"\"}".to_owned()), (4, "{\"b\": [1]}".to_owned())]
        );
        assert_eq!(
            all("{\"a\": 1}\n\n{\"b\": 2}"),
            [(1, "{\"a\": 1}".to_owned()), (3, "{\"b\": 2}".to_owned())]
        );
        assert_eq!(texts("[1, \"x\", null]"), ["1", "\"x\"", "null"]);
        assert_eq!(
            texts("{\"Version\": \"1\", \"Questions\": [{\"q\": 1}, {\"q\": 2}]}"),
            ["{\"q\": 1}", "{\"q\": 2}"]
        );
        assert_eq!(
            texts(
                "{\n\"dataset\": {\"id\": \"x\", \"tags\": [1]},\n\"questions\": [\n{\"q\": [1]},\n{\"q\": 2}\n]\n}\n"
            ),
            ["{\"q\": [1]}", "{\"q\": 2}"]
        );
        assert_eq!(texts("[1]\n[2]"), ["1", "2"], "files put together");
        assert_eq!(texts("\u{feff}{\"a\": 1}"), ["{\"a\": 1}"]);
        assert_eq!(texts("{\"title\": \"Questions\"}").len(), 1);
        assert!(texts("[]").is_empty() && texts("").is_empty() && texts(" \n ").is_empty());
    }

    #[test]
    fn logical_forms() {
        assert_eq!(
            all("(COUNT x)\n\n(AND a b)\n"),
            [(1, "(COUNT x)".to_owned()), (3, "(AND a b)".to_owned())]
        );
        let sparql = "PREFIX ns: <x>\nSELECT ?x WHERE {\n ?x ns:a ?y\n}\nORDER BY ?y LIMIT 1\nASK { ?s ?p ?o }\nASK { ?s ?p 1 }";
        assert_eq!(all(sparql).iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 6, 7]);
        assert_eq!(texts("[{\"function\": \"FindAll\", \"inputs\": []}]\nFind(x) > What()").len(), 2);
        assert_eq!(texts("[\n {\"inputs\": [], \"function\": \"FindAll\"},\n {\"function\": \"Count\"}\n]\nFind(x) > What()").len(), 2);
        assert_eq!(texts("ASK { ?x ns:a.b \"{\" }\n(COUNT x)\nASK { ?x ns:a.b 1 }").len(), 3);
    }

    #[test]
    fn broken_files() {
        let message = |text: &str| Records::new(text.as_bytes()).find_map(Result::err).unwrap().to_string();
        assert_eq!(message("[{\"a\": 1},\n{\"b\": "), "line 2: the file ends inside this record");
        assert_eq!(message("[{\"a\": 1}"), "line 1: the list does not end with `]`");
    }
}
