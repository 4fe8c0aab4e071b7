//! Cuts one huge JSON object of objects into its members, without reading it whole.
//!
//! `kb.json` is `{"concepts": {"Q1": {...}, ...}, "entities": {...}}`: the scanner yields each `"Q1": {...}`
//! with the section it stands in and its place in the file, so that members are parsed in parallel and a
//! broken one can be reported and skipped.

use super::import_log::Problem;
use super::input::{self, TooLong};
use crate::error::{KbError, Result};
use std::io::BufRead;

/// One member of a section.
pub(crate) struct JsonRecord {
    /// The key of the section.
    pub(crate) section: String,
    /// The text `"key": value`.
    pub(crate) bytes: Vec<u8>,
    /// The line it starts on, from 1.
    pub(crate) line: u64,
    /// The byte column it starts at, from 0.
    pub(crate) column: usize,
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

/// Approximate size of a batch of records, in bytes.
const BATCH_BYTES: usize = 1 << 20;

/// Yields batches of members.
pub(crate) struct JsonRecords<'r> {
    reader: Box<dyn BufRead + Send + 'r>,
    file: String,
    state: Scanner,
    done: bool,
}

#[derive(Default)]
struct Scanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
    line: u64,
    column: usize,
    /// Bytes of the member or of the section key that is being read.
    current: Vec<u8>,
    start: (u64, usize),
    section: String,
    batch: Vec<JsonRecord>,
    batch_bytes: usize,
    longest: usize,
}

/// What is wrong with the object as a whole.
enum Flaw {
    Syntax(&'static str),
    TooLong,
}

impl<'r> JsonRecords<'r> {
    /// Members of more than `longest` bytes are an error.
    pub(crate) fn new(reader: Box<dyn BufRead + Send + 'r>, file: String, longest: usize) -> JsonRecords<'r> {
        let state = Scanner { line: 1, longest, ..Scanner::default() };
        JsonRecords { reader, file, state, done: false }
    }

    fn problem(&self, message: impl Into<String>) -> KbError {
        KbError::Input(Box::new(Problem {
            file: self.file.clone(),
            line: self.state.line,
            column: self.state.column as u64 + 1,
            snippet: String::new(),
            caret: 0,
            message: message.into(),
        }))
    }
}

impl Iterator for JsonRecords<'_> {
    type Item = Result<Vec<JsonRecord>>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.done {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) => {
                    self.done = true;
                    return Some(Err(input::read_error(&self.file, self.state.line, &error)));
                }
            };
            let n = chunk.len();
            if n == 0 {
                self.done = true;
                if self.state.depth != 0 || self.state.in_string {
                    return Some(Err(
                        self.problem("the JSON ends in the middle of a value; is the file cut short?")
                    ));
                }
                break;
            }
            let scanned = chunk.iter().try_for_each(|&byte| self.state.byte(byte));
            self.reader.consume(n);
            if let Err(flaw) = scanned {
                self.done = true;
                return Some(Err(match flaw {
                    Flaw::Syntax(message) => self.problem(message),
                    Flaw::TooLong => self.problem(TooLong { limit: self.state.longest }.to_string()),
                }));
            }
            if self.state.batch_bytes >= BATCH_BYTES {
                break;
            }
        }
        let batch = std::mem::take(&mut self.state.batch);
        self.state.batch_bytes = 0;
        (!batch.is_empty()).then_some(Ok(batch))
    }
}

impl Scanner {
    fn byte(&mut self, byte: u8) -> Result<(), Flaw> {
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
        let structural = if was_in_string || self.in_string { b' ' } else { byte };
        match structural {
            b'{' | b'[' => {
                if self.depth == 0 && byte != b'{' {
                    return Err(Flaw::Syntax("expected an object with `concepts` and `entities`"));
                }
                if self.depth == 1 {
                    // The section's key stands in `current`, followed by a colon.
                    let text = String::from_utf8_lossy(&self.current).into_owned();
                    let key = text.trim().trim_end_matches(':').trim_end();
                    self.section = serde_json::from_str(key)
                        .map_err(|_| Flaw::Syntax("expected the name of a section"))?;
                    self.current.clear();
                }
                self.depth += 1;
                if self.depth <= 2 {
                    self.step(byte);
                    return Ok(());
                }
            }
            b'}' | b']' => {
                if self.depth == 0 {
                    return Err(Flaw::Syntax("unmatched closing bracket"));
                }
                self.depth -= 1;
                if self.depth == 1 {
                    self.end_record();
                }
                if self.depth <= 1 {
                    self.current.clear();
                    self.step(byte);
                    return Ok(());
                }
            }
            b',' if self.depth == 2 => {
                self.end_record();
                self.step(byte);
                return Ok(());
            }
            b',' if self.depth == 1 => {
                self.current.clear();
                self.step(byte);
                return Ok(());
            }
            _ => {}
        }
        if self.depth == 0
            && !was_in_string
            && !byte.is_ascii_whitespace()
            && byte != 0xEF
            && byte != 0xBB
            && byte != 0xBF
        {
            return Err(Flaw::Syntax("expected a JSON object"));
        }
        if !self.current.is_empty() || !byte.is_ascii_whitespace() {
            if self.current.is_empty() {
                self.start = (self.line, self.column);
            }
            if self.current.len() >= self.longest {
                return Err(Flaw::TooLong);
            }
            self.current.push(byte);
        }
        self.step(byte);
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

    fn end_record(&mut self) {
        let mut bytes = std::mem::take(&mut self.current);
        while bytes.last().is_some_and(u8::is_ascii_whitespace) {
            bytes.pop();
        }
        if !bytes.is_empty() {
            self.batch_bytes += bytes.len();
            let (line, column) = self.start;
            self.batch.push(JsonRecord { section: self.section.clone(), bytes, line, column });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Result<Vec<(String, String, u64, usize)>> {
        let reader: Box<dyn BufRead + Send> = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
        let mut all = Vec::new();
        for batch in JsonRecords::new(reader, "kb.json".into(), 100) {
            for r in batch? {
                all.push((r.section, String::from_utf8_lossy(&r.bytes).into_owned(), r.line, r.column));
            }
        }
        Ok(all)
    }

    #[test]
    fn members_with_their_places() {
        let text = "{\n \"concepts\": {\n  \"Q1\": {\"name\": \"a, {b}\"},\n  \"Q\\\"2\": [1, {}]\n },\n\"entities\":{}\n}\n";
        let expected = [
            ("concepts".to_owned(), "\"Q1\": {\"name\": \"a, {b}\"}".to_owned(), 3, 2),
            ("concepts".to_owned(), "\"Q\\\"2\": [1, {}]".to_owned(), 4, 2),
        ];
        assert_eq!(scan(text).expect("valid"), expected);
        assert_eq!(scan("{}").expect("valid"), []);
    }

    #[test]
    fn damage_is_an_error_with_a_place() {
        for (text, message) in [
            ("[1]", "expected an object"),
            ("{\"a\": {\"b\": {", "cut short"),
            ("{\"a\": {}}}", "unmatched closing bracket"),
            ("hello", "expected a JSON object"),
            ("{\"a\": {\"b\": \"unclosed}}", "cut short"),
            (&format!("{{\"a\": {{\"b\": \"{}\"}}}}", "x".repeat(100)), "longer than 100 bytes"),
        ] {
            let error = scan(text).expect_err(text).to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
