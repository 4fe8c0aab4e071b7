//! Cuts a JSON text of any size into its records, without reading it whole.
//!
//! Published files are one huge list, `[{...}, {...}]`, or one object with sections, `{"concepts": {"Q1": {...}, ...}, "entities": {...}}`.
//! Each element, or each member of a section, is returned as text with its place in the file, so that records are parsed in parallel and a
//! broken one can be reported and skipped.

use super::import_log::Problem;
use std::io::{self, BufRead};

/// One element of a list, or one member of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonRecord {
    /// The key of the section; empty in a list.
    pub section: String,
    /// The text: a value, or `"key": value` in a section that is an object.
    pub bytes: Vec<u8>,
    /// The line it starts on, from 1.
    pub line: u64,
    /// The byte column it starts at, from 0.
    pub column: usize,
}

impl JsonRecord {
    /// A problem at a byte offset of this record.
    pub(crate) fn problem(&self, file: &str, offset: usize, message: impl Into<String>) -> Problem {
        let offset = offset.min(self.bytes.len());
        let before = &self.bytes[..offset];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let line_end =
            memchr::memchr(b'\n', &self.bytes[offset..]).map_or(self.bytes.len(), |at| offset + at);
        let line = self.line + memchr::memchr_iter(b'\n', before).count() as u64;
        let text = &self.bytes[line_start..line_end];
        let mut problem = Problem::in_line(file, line, text, offset - line_start, message);
        if line_start == 0 {
            problem.column += self.column as u64;
        }
        problem
    }
}

/// The rest of the text cannot be cut into records.
#[derive(Debug, thiserror::Error)]
#[error("line {line}, column {column}: {kind}", column = .column + 1)]
#[non_exhaustive]
pub struct JsonRecordsError {
    /// What is wrong.
    #[source]
    pub kind: JsonRecordsErrorKind,
    /// The line where it was noticed, from 1.
    pub line: u64,
    /// The byte column where it was noticed, from 0.
    pub column: usize,
    /// The line on which the current record starts.
    pub record_line: u64,
}

/// Why the rest of a text cannot be cut into records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonRecordsErrorKind {
    /// Reading failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A list where an object with sections was expected.
    #[error("expected an object, found a list")]
    List,
    /// Neither a list nor an object.
    #[error("expected a JSON object or list")]
    NotContainer,
    /// A section without a name.
    #[error("expected the name of a section")]
    Section,
    /// A closing bracket without an opening one.
    #[error("unmatched closing bracket")]
    Unmatched,
    /// The text ends between two records.
    #[error("the list does not end")]
    EndsInList,
    /// The text ends inside a record.
    #[error("the text ends inside a record")]
    EndsInRecord,
    /// A record is longer than allowed.
    #[error("a record is longer than {maximum} bytes")]
    TooLong {
        /// The maximum length.
        maximum: usize,
    },
}

/// Which values are records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// The elements of a list, or of several lists one after another.
    List,
    /// The members of the sections of an object.
    Sections,
}

impl Layout {
    /// The number of open brackets around a record.
    fn depth(self) -> usize {
        match self {
            Layout::List => 1,
            Layout::Sections => 2,
        }
    }
}

/// Reads records one by one.
///
/// ```
/// use touchstone_kb::import::JsonRecords;
/// let records = JsonRecords::of_list(&b"[{\"a\": 1},\n {\"b\": [2]}]"[..], 1 << 20);
/// let found: Vec<(u64, Vec<u8>)> = records.map(|record| record.map(|r| (r.line, r.bytes))).collect::<Result<_, _>>()?;
/// assert_eq!(found, [(1, b"{\"a\": 1}".to_vec()), (2, b"{\"b\": [2]}".to_vec())]);
/// # Ok::<(), touchstone_kb::import::JsonRecordsError>(())
/// ```
pub struct JsonRecords<R> {
    reader: R,
    scanner: Scanner,
    done: bool,
}

struct Scanner {
    layout: Layout,
    maximum: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    line: u64,
    column: usize,
    /// Bytes of the record, or of the key of the section, that is being read.
    current: Vec<u8>,
    /// Line and column where `current` starts.
    start: (u64, usize),
    section: String,
}

impl<R: BufRead> JsonRecords<R> {
    /// The elements of a list, or of several lists one after another. Records of more than `maximum` bytes are an error.
    pub fn of_list(reader: R, maximum: usize) -> JsonRecords<R> {
        JsonRecords::new(reader, Layout::List, maximum)
    }

    /// The members of the sections of an object. Records of more than `maximum` bytes are an error.
    pub fn of_sections(reader: R, maximum: usize) -> JsonRecords<R> {
        JsonRecords::new(reader, Layout::Sections, maximum)
    }

    fn new(reader: R, layout: Layout, maximum: usize) -> JsonRecords<R> {
        let scanner = Scanner {
            layout,
            maximum,
            depth: 0,
            in_string: false,
            escaped: false,
            line: 1,
            column: 0,
            current: Vec::new(),
            start: (1, 0),
            section: String::new(),
        };
        JsonRecords { reader, scanner, done: false }
    }

    /// For a reader whose first line is not the first line of the file.
    #[must_use]
    pub fn starting_at_line(mut self, line: u64) -> JsonRecords<R> {
        self.scanner.line = line;
        self
    }

    /// The section that was read last.
    pub fn section(&self) -> &str {
        &self.scanner.section
    }

    fn fail(&mut self, kind: JsonRecordsErrorKind) -> JsonRecordsError {
        self.done = true;
        let Scanner { line, column, start, .. } = self.scanner;
        JsonRecordsError { kind, line, column, record_line: start.0 }
    }
}

impl<R: BufRead> Iterator for JsonRecords<R> {
    type Item = Result<JsonRecord, JsonRecordsError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.done {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) => return Some(Err(self.fail(error.into()))),
            };
            if chunk.is_empty() {
                self.done = true;
                return match (self.scanner.depth, self.scanner.current.is_empty()) {
                    (0, _) => None,
                    (_, true) => Some(Err(self.fail(JsonRecordsErrorKind::EndsInList))),
                    (_, false) => Some(Err(self.fail(JsonRecordsErrorKind::EndsInRecord))),
                };
            }
            let mut used = 0;
            let mut found = Ok(None);
            while matches!(found, Ok(None)) && used < chunk.len() {
                used += self.scanner.text(&chunk[used..]);
                if let Some(&byte) = chunk.get(used) {
                    used += 1;
                    found = self.scanner.byte(byte);
                }
            }
            self.reader.consume(used);
            match found {
                Ok(None) => {}
                Ok(Some(record)) => return Some(Ok(record)),
                Err(kind) => return Some(Err(self.fail(kind))),
            }
        }
        None
    }
}

impl Scanner {
    /// Takes the bytes of a string up to the next one that may end it; returns their number.
    fn text(&mut self, bytes: &[u8]) -> usize {
        if !self.in_string || self.escaped || self.current.is_empty() {
            return 0;
        }
        let plain = memchr::memchr3(b'"', b'\\', b'\n', bytes).unwrap_or(bytes.len());
        let taken = plain.min(self.maximum.saturating_sub(self.current.len()));
        self.current.extend_from_slice(&bytes[..taken]);
        self.column += taken;
        taken
    }

    /// Takes the next byte; returns the record that it ends.
    fn byte(&mut self, byte: u8) -> Result<Option<JsonRecord>, JsonRecordsErrorKind> {
        let was_in_string = self.in_string;
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
        } else if byte == b'"' {
            self.in_string = true;
        }
        let around = self.layout.depth();
        match if was_in_string || self.in_string { b' ' } else { byte } {
            b'{' | b'[' => {
                self.open(byte)?;
                if self.depth <= around {
                    self.step(byte);
                    return Ok(None);
                }
            }
            b'}' | b']' => {
                if self.depth == 0 {
                    return Err(JsonRecordsErrorKind::Unmatched);
                }
                self.depth -= 1;
                if self.depth == around {
                    self.push(byte)?;
                    self.step(byte);
                    return Ok(self.take());
                }
                if self.depth < around {
                    let record = if self.depth + 1 == around { self.take() } else { None };
                    self.current.clear();
                    self.step(byte);
                    return Ok(record);
                }
            }
            b',' if self.depth <= around => {
                let record = if self.depth == around { self.take() } else { None };
                self.current.clear();
                self.step(byte);
                return Ok(record);
            }
            _ => {}
        }
        let is_space = byte.is_ascii_whitespace();
        if self.depth == 0 && !was_in_string && !is_space {
            return Err(JsonRecordsErrorKind::NotContainer);
        }
        if !self.current.is_empty() || !is_space {
            self.push(byte)?;
        }
        self.step(byte);
        Ok(None)
    }

    /// An opening bracket.
    fn open(&mut self, byte: u8) -> Result<(), JsonRecordsErrorKind> {
        match (self.layout, self.depth) {
            (Layout::Sections, 0) if byte == b'[' => return Err(JsonRecordsErrorKind::List),
            (Layout::List, 0) if byte == b'{' => return Err(JsonRecordsErrorKind::NotContainer),
            (Layout::Sections, 1) => {
                // The key of the section is in `current`, followed by a colon.
                let text = String::from_utf8_lossy(&self.current).into_owned();
                let key = text.trim().trim_end_matches(':').trim_end();
                self.section = serde_json::from_str(key).map_err(|_| JsonRecordsErrorKind::Section)?;
                self.current.clear();
            }
            _ => {}
        }
        self.depth += 1;
        Ok(())
    }

    fn push(&mut self, byte: u8) -> Result<(), JsonRecordsErrorKind> {
        if self.current.is_empty() {
            self.start = (self.line, self.column);
        }
        if self.current.len() >= self.maximum {
            return Err(JsonRecordsErrorKind::TooLong { maximum: self.maximum });
        }
        self.current.push(byte);
        Ok(())
    }

    fn step(&mut self, byte: u8) {
        if byte == b'\n' {
            self.line += 1;
            self.column = 0;
        } else {
            self.column += 1;
        }
    }

    /// The record that was read, unless there is nothing between two separators.
    fn take(&mut self) -> Option<JsonRecord> {
        let mut bytes = std::mem::take(&mut self.current);
        while bytes.last().is_some_and(u8::is_ascii_whitespace) {
            bytes.pop();
        }
        let (line, column) = self.start;
        (!bytes.is_empty()).then(|| JsonRecord { section: self.section.clone(), bytes, line, column })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = (String, String, u64, usize);

    fn all(records: JsonRecords<&[u8]>) -> Result<Vec<Found>, JsonRecordsError> {
        let found =
            |r: JsonRecord| (r.section, String::from_utf8_lossy(&r.bytes).into_owned(), r.line, r.column);
        records.map(|record| record.map(found)).collect()
    }

    fn sections(text: &str) -> Result<Vec<Found>, JsonRecordsError> {
        all(JsonRecords::of_sections(text.as_bytes(), 100))
    }

    fn elements(text: &str) -> Result<Vec<String>, JsonRecordsError> {
        let found = all(JsonRecords::of_list(text.as_bytes(), 100))?;
        Ok(found.into_iter().map(|(_, text, ..)| text).collect())
    }

    #[test]
    fn members_with_their_places() {
        let text = "{\n \"concepts\": {\n  \"Q1\": {\"name\": \"a, {b}\"},\n  \"Q\\\"2\": [1, {}]\n },\n\"entities\":{}\n}\n";
        let expected = [
            ("concepts".to_owned(), "\"Q1\": {\"name\": \"a, {b}\"}".to_owned(), 3, 2),
            ("concepts".to_owned(), "\"Q\\\"2\": [1, {}]".to_owned(), 4, 2),
        ];
        assert_eq!(sections(text).expect("valid"), expected);
        assert_eq!(sections("{}").expect("valid"), []);
        let mixed =
            sections("{\"version\": 1, \"a\": {\"b\": 2, \"c\": \"d\"}, \"e\": [3, {}]}").expect("valid");
        let texts: Vec<&str> = mixed.iter().map(|(_, text, ..)| text.as_str()).collect();
        assert_eq!(texts, ["\"b\": 2", "\"c\": \"d\"", "3", "{}"]);
    }

    #[test]
    fn elements_of_lists() {
        assert_eq!(elements("[{\"a\": \"]}\\\"\"}, [1, [2]] , 3,null ]\n").expect("valid").len(), 4);
        assert_eq!(elements("[1]\n[2, \"x\"]").expect("valid"), ["1", "2", "\"x\""], "two lists");
        assert_eq!(elements(" [ ] ").expect("valid"), [""; 0]);
    }

    #[test]
    fn damage_is_an_error_with_a_place() {
        for (text, message) in [
            ("[1]", "expected an object"),
            ("{\"a\": {\"b\": {", "ends inside a record"),
            ("{\"a\": {}, ", "the list does not end"),
            ("{\"a\": {}}}", "unmatched closing bracket"),
            ("hello", "expected a JSON object"),
            ("{\"a\": {\"b\": \"unclosed}}", "ends inside a record"),
            (&format!("{{\"a\": {{\"b\": \"{}\"}}}}", "x".repeat(100)), "longer than 100 bytes"),
        ] {
            let error = sections(text).expect_err(text).to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
        let error = elements("[{\"a\": 1},\n{\"b\": \n").expect_err("truncated");
        assert!(matches!(error.kind, JsonRecordsErrorKind::EndsInRecord));
        assert_eq!((error.record_line, error.line), (2, 3));
    }
}
