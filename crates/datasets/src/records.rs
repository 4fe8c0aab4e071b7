//! Cuts a file of any size into records without reading it whole: the elements of a JSON array, JSON lines, or logical forms as plain text.

use std::io::{self, BufRead, Read};
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

/// What the file is made of, as its beginning shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// The elements of an array, perhaps inside an object (`{"Questions": [...]}`, `{"dataset": ..., "questions": [...]}`).
    Array,
    /// An object on each line.
    Lines,
    /// A logical form on each line; SPARQL and programs in JSON may go over several.
    Text,
}

/// Reads records one by one.
pub struct Records<R> {
    reader: R,
    layout: Option<Layout>,
    line: usize,
    /// The text that was read and not handed on.
    pending: String,
    pending_line: usize,
    /// Whether the array is inside an object, of which the rest does not matter.
    inside: bool,
    done: bool,
    /// The longest record, in bytes.
    longest: usize,
}

/// Maximum length of a record.
const MAX_RECORD: usize = 64 << 20;

impl<R: BufRead> Records<R> {
    /// Records of a text.
    pub fn new(reader: R) -> Records<R> {
        Records {
            reader,
            layout: None,
            line: 1,
            pending: String::new(),
            pending_line: 1,
            inside: false,
            done: false,
            longest: MAX_RECORD,
        }
    }

    fn read_line(&mut self) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        let limit = self.longest as u64 + 1;
        if (&mut self.reader).take(limit).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.len() as u64 == limit {
            return Err(self.too_long(self.line));
        }
        self.line += 1;
        match String::from_utf8(bytes) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(invalid(format!("line {}: the text is not UTF-8", self.line - 1))),
        }
    }

    fn too_long(&self, line: usize) -> io::Error {
        invalid(format!("line {line}: a record of more than {} bytes", self.longest))
    }

    /// Finds out what the file is made of, and goes to the first record.
    fn begin(&mut self) -> io::Result<Layout> {
        if self.reader.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
            self.reader.consume(3);
        }
        loop {
            let buffer = self.reader.fill_buf()?;
            let Some(&first) = buffer.first() else { return Ok(Layout::Text) };
            if first.is_ascii_whitespace() {
                self.line += usize::from(first == b'\n');
                self.reader.consume(1);
                continue;
            }
            return Ok(match first {
                b'[' if is_array_of_objects(buffer) => {
                    self.reader.consume(1);
                    Layout::Array
                }
                b'{' if names_questions(buffer) => {
                    self.inside = true;
                    self.skip_to_array()?;
                    Layout::Array
                }
                b'{' => Layout::Lines,
                _ => Layout::Text,
            });
        }
    }

    /// Goes behind the `[` that follows `"Questions":` or `"questions":`.
    fn skip_to_array(&mut self) -> io::Result<()> {
        let mut seen = Vec::new();
        loop {
            let buffer = self.reader.fill_buf()?;
            let Some(&byte) = buffer.first() else {
                return Err(invalid("the list of questions is missing".to_owned()));
            };
            self.line += usize::from(byte == b'\n');
            self.reader.consume(1);
            if byte == b'[' && String::from_utf8_lossy(&seen).trim_end().ends_with(':') && contains_key(&seen)
            {
                return Ok(());
            }
            seen.push(byte);
            if seen.len() > 1 << 16 {
                return Err(invalid("the list of questions is missing".to_owned()));
            }
        }
    }

    /// The next element of an array.
    fn element(&mut self) -> io::Result<Option<Record>> {
        let mut bytes: Vec<u8> = Vec::new();
        let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
        let mut start = self.line;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return if bytes.is_empty() {
                    Err(invalid(format!("line {}: the list does not end with `]`", self.line)))
                } else {
                    Err(invalid(format!("line {start}: the file ends inside this record")))
                };
            }
            let mut used = 0;
            let mut complete = false;
            let mut ended = false;
            for &byte in buffer {
                used += 1;
                self.line += usize::from(byte == b'\n');
                if bytes.is_empty() {
                    match byte {
                        b if b.is_ascii_whitespace() || b == b',' => continue,
                        b']' => {
                            ended = true;
                            break;
                        }
                        _ => start = self.line,
                    }
                }
                if depth == 0 && !in_string && !bytes.is_empty() && matches!(byte, b',' | b']') {
                    // A bare value ends before the separator.
                    used -= 1;
                    complete = true;
                    break;
                }
                bytes.push(byte);
                if in_string {
                    in_string = escaped || byte != b'"';
                    escaped = byte == b'\\' && !escaped;
                } else {
                    match byte {
                        b'"' => in_string = true,
                        b'{' | b'[' => depth += 1,
                        b'}' | b']' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                }
                if depth == 0 && !in_string && matches!(byte, b'}' | b']' | b'"') {
                    complete = true;
                    break;
                }
            }
            self.reader.consume(used);
            if ended {
                if self.inside || !self.another_array()? {
                    return Ok(None);
                }
                continue;
            }
            if bytes.len() > self.longest {
                return Err(self.too_long(start));
            }
            if complete {
                let text = String::from_utf8(bytes)
                    .map_err(|_| invalid(format!("line {start}: the text is not UTF-8")))?;
                return Ok(Some(Record { line: start, text, json: true }));
            }
        }
    }

    /// Whether another array follows, as when files were put together; then goes into it.
    fn another_array(&mut self) -> io::Result<bool> {
        loop {
            let buffer = self.reader.fill_buf()?;
            let Some(&byte) = buffer.first() else { return Ok(false) };
            if !byte.is_ascii_whitespace() && byte != b'[' {
                return Err(invalid(format!("line {}: text after the end of the list", self.line)));
            }
            self.line += usize::from(byte == b'\n');
            self.reader.consume(1);
            if byte == b'[' {
                return Ok(true);
            }
        }
    }

    /// The next line that is not blank.
    fn json_line(&mut self) -> io::Result<Option<Record>> {
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
    fn form(&mut self) -> io::Result<Option<Record>> {
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
            if self.pending.len() > self.longest {
                return Err(self.too_long(self.pending_line));
            }
        }
    }

    fn take(&mut self) -> Record {
        let text = std::mem::take(&mut self.pending);
        Record { line: self.pending_line, text: text.trim().to_owned(), json: false }
    }
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<io::Result<Record>> {
        if self.done {
            return None;
        }
        let layout = match self.layout {
            Some(layout) => Ok(layout),
            None => self.begin(),
        };
        let result = layout.and_then(|layout| {
            self.layout = Some(layout);
            match layout {
                Layout::Array => self.element(),
                Layout::Lines => self.json_line(),
                Layout::Text => self.form(),
            }
        });
        self.done = !matches!(result, Ok(Some(_)));
        result.transpose()
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Whether `[` begins a list of questions, not a KoPL program.
fn is_array_of_objects(buffer: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&buffer[..buffer.len().min(1 << 12)]).into_owned();
    let first = start.split('}').next().unwrap_or("");
    // Questions have programs, too, but deeper.
    let shallow = first.matches('{').count() == 1;
    !(shallow && (first.contains("\"function\"") || first.contains("\"func\"")))
}

fn names_questions(buffer: &[u8]) -> bool {
    contains_key(&buffer[..buffer.len().min(1 << 12)])
}

/// Whether the text has the key under which WebQSP or QALD lists its questions.
fn contains_key(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let is_key = |(at, name): (usize, &str)| text[at + name.len()..].trim_start().starts_with(':');
    ["\"Questions\"", "\"questions\""].into_iter().any(|name| text.match_indices(name).any(is_key))
}

fn is_sparql(text: &str) -> bool {
    Language::guess(text) == Language::Sparql
}

/// Whether a line belongs to the query that seemed complete: what may follow a pattern.
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

/// How often brackets open and close, outside quotes.
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
            records.longest = 1000;
            let read: Vec<io::Result<Record>> = records.collect();
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
