//! Reads RDF in every syntax of `oxrdfio`. Line-based syntaxes are parsed by several threads.

use super::import_log::{ImportLog, Problem};
use super::input::{self, Block, LineBlocks, TooLong, in_parallel};
use super::profile::Mapper;
use super::{ImportRequest, Profile, freebase};
use crate::build::KbBuilder;
use crate::cast::to_usize;
use crate::error::{KbError, Result};
use crate::progress::Progress;
use oxrdf::Quad;
use oxrdfio::{JsonLdProfileSet, RdfFormat, RdfParseError, RdfParser, RdfSyntaxError};
use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The file endings whose syntax is known; a compression ending may follow.
fn known_endings() -> &'static str {
    ".nt .nq .ttl .trig .n3 .rdf .owl .xml .jsonld, each also with .gz .zst .bz2"
}

pub(super) fn format_of(path: &Path) -> Result<RdfFormat> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = [".gz", ".zst", ".bz2"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("nt") => Ok(RdfFormat::NTriples),
        Some("nq") => Ok(RdfFormat::NQuads),
        Some("ttl") => Ok(RdfFormat::Turtle),
        Some("trig") => Ok(RdfFormat::TriG),
        Some("n3") => Ok(RdfFormat::N3),
        Some("rdf" | "owl" | "xml") => Ok(RdfFormat::RdfXml),
        Some("jsonld" | "json") => Ok(RdfFormat::JsonLd { profile: JsonLdProfileSet::default() }),
        _ => Err(KbError::UnknownSyntax { path: path.to_path_buf(), known: known_endings().to_owned() }),
    }
}

/// Reads all input files, and Freebase's ontology if there is one.
pub(super) fn read(
    request: &ImportRequest,
    profile: Profile,
    builder: &mut KbBuilder,
    log: &mut ImportLog,
    progress: &dyn Progress,
) -> Result<()> {
    let formats = request.inputs.iter().map(|path| format_of(path)).collect::<Result<Vec<_>>>()?;
    progress.stage("reading", Some(input::total_size(&request.inputs)));
    let mut mapper = Mapper::new(profile, &request.lang, builder);
    mapper.prefer_labels(&request.label_properties);
    for (number, (path, format)) in request.inputs.iter().zip(formats).enumerate() {
        let file = input::display_name(path);
        let reader = input::open(path, progress)?;
        mapper.start_file(number);
        let mut collect = |batch: Batch| {
            for problem in batch.problems {
                log.problem(problem)?;
            }
            for quad in &batch.quads {
                mapper.quad(quad, builder, log)?;
            }
            Ok(())
        };
        match format {
            RdfFormat::NTriples | RdfFormat::NQuads => {
                let blocks = LineBlocks::new(reader, file.clone(), request.max_record);
                in_parallel(blocks, |block| parse_block(&file, &block, format), &mut collect)?;
            }
            _ => {
                let batches = QuadBatches::new(reader, file, path, format, request.max_record);
                in_parallel(batches, |batch| batch, &mut collect)?;
            }
        }
    }
    mapper.finish(builder, log)?;
    if let Some(dir) = &request.ontology {
        freebase::read_ontology(dir, builder, log)?;
    }
    Ok(())
}

/// Quads and problems of one batch.
#[derive(Default)]
struct Batch {
    quads: Vec<Quad>,
    problems: Vec<Problem>,
}

fn parse_block(file: &str, block: &Block, format: RdfFormat) -> Batch {
    let mut quads = Vec::with_capacity(block.bytes.len() / 100);
    for result in RdfParser::from_format(format).for_slice(&block.bytes) {
        match result {
            Ok(quad) => quads.push(quad),
            // After an error the parser may skip valid lines, so each line is parsed separately.
            Err(_) => return parse_lines(file, block, format),
        }
    }
    Batch { quads, problems: Vec::new() }
}

/// Parses each line separately.
fn parse_lines(file: &str, block: &Block, format: RdfFormat) -> Batch {
    let mut batch = Batch::default();
    for (number, line) in block.bytes.split(|&b| b == b'\n').enumerate() {
        let parsed: Result<Vec<Quad>, RdfSyntaxError> =
            RdfParser::from_format(format).for_slice(line).collect();
        match parsed {
            Ok(quads) => batch.quads.extend(quads),
            Err(error) => {
                let offset = error.location().map_or(0, |range| to_usize(range.start.offset));
                let number = block.first_line + number as u64;
                batch.problems.push(Problem::in_line(file, number, line, offset, plain_message(&error)));
            }
        }
    }
    batch
}

/// The message of a parser without its own position, which is reported separately.
fn plain_message(error: &RdfSyntaxError) -> String {
    let text = error.to_string();
    match text.strip_prefix("Parser error ").and_then(|rest| rest.split_once(": ")) {
        Some((_, message)) => message.to_owned(),
        None => text,
    }
}

const BATCH_QUADS: usize = 8192;

/// Batches of quads from a syntax that one thread has to read from the start.
struct QuadBatches<'r> {
    parser: oxrdfio::ReaderQuadParser<Tailed<'r>>,
    tail: Arc<Mutex<Tail>>,
    file: String,
    /// Number of errors at the same place since the last quad: a parser that cannot recover must not report errors endlessly.
    errors_in_a_row: usize,
    last_error: Option<u64>,
    /// The address of a JSON-LD context that would have to be fetched.
    remote_context: Arc<Mutex<Option<String>>>,
    done: bool,
}

const MAX_ERRORS_IN_A_ROW: usize = 100;

impl<'r> QuadBatches<'r> {
    fn new(
        reader: Box<dyn BufRead + Send + 'r>,
        file: String,
        path: &Path,
        format: RdfFormat,
        longest: usize,
    ) -> QuadBatches<'r> {
        let tail = Tail { bytes: VecDeque::new(), start: 0, lines: 1, since_statement: 0 };
        let tail = Arc::new(Mutex::new(tail));
        let mut parser = RdfParser::from_format(format);
        // Relative IRIs are resolved against the file, as everywhere in RDF.
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let base = format!("file://{}", absolute.display()).replace(' ', "%20");
        if let Ok(with_base) = parser.clone().with_base_iri(base) {
            parser = with_base;
        }
        let parser = parser.for_reader(Tailed { reader, tail: Arc::clone(&tail), longest });
        let remote_context = Arc::new(Mutex::new(None));
        let refused = Arc::clone(&remote_context);
        // An import reads only the given files and nothing from the network.
        let parser = parser.with_document_loader(move |address| {
            *refused.lock().unwrap_or_else(|e| e.into_inner()) = Some(address.to_owned());
            Err("remote contexts are not fetched".into())
        });
        QuadBatches { parser, tail, file, errors_in_a_row: 0, last_error: None, remote_context, done: false }
    }

    /// A JSON-LD document without its context has another meaning, so this stops the import.
    fn missing_context(&self) -> Option<KbError> {
        let address = self.remote_context.lock().unwrap_or_else(|e| e.into_inner()).take()?;
        let message = format!(
            "the JSON-LD context {address} is not part of the file, and an import fetches nothing; \
             put the object that it holds under \"@context\" in place of its address, or convert the file to Turtle"
        );
        let tail = self.tail.lock().unwrap_or_else(|e| e.into_inner());
        Some(KbError::Input(Box::new(tail.problem_at_text(&self.file, &address, message))))
    }

    fn problem(&self, error: &RdfSyntaxError) -> Problem {
        let tail = self.tail.lock().unwrap_or_else(|e| e.into_inner());
        match error.location() {
            Some(range) => {
                tail.problem(&self.file, range.start.line + 1, range.start.offset, plain_message(error))
            }
            None => Problem {
                file: self.file.clone(),
                line: tail.lines,
                column: 1,
                snippet: String::new(),
                caret: 0,
                message: format!("{} (at this line or somewhat before it)", plain_message(error)),
            },
        }
    }
}

impl Iterator for QuadBatches<'_> {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        let mut batch = Batch::default();
        while !self.done && batch.quads.len() < BATCH_QUADS && batch.problems.len() < BATCH_QUADS {
            match self.parser.next() {
                None => self.done = true,
                Some(Ok(quad)) => {
                    self.errors_in_a_row = 0;
                    self.tail.lock().unwrap_or_else(|e| e.into_inner()).since_statement = 0;
                    batch.quads.push(quad);
                }
                Some(Err(RdfParseError::Syntax(error))) => {
                    if let Some(error) = self.missing_context() {
                        self.done = true;
                        return Some(Err(error));
                    }
                    let problem = self.problem(&error);
                    let place = error.location().map(|range| range.start.offset);
                    let advanced = place.is_some() && place > self.last_error;
                    self.last_error = place.or(self.last_error);
                    self.errors_in_a_row = if advanced { 0 } else { self.errors_in_a_row + 1 };
                    if self.errors_in_a_row > MAX_ERRORS_IN_A_ROW {
                        self.done = true;
                        return Some(Err(KbError::Input(Box::new(problem))));
                    }
                    batch.problems.push(problem);
                }
                Some(Err(RdfParseError::Io(error))) => {
                    self.done = true;
                    let line = self.tail.lock().unwrap_or_else(|e| e.into_inner()).lines;
                    return Some(Err(input::read_error(&self.file, line, &error)));
                }
            }
        }
        (!batch.quads.is_empty() || !batch.problems.is_empty()).then_some(Ok(batch))
    }
}

/// The last bytes that a parser has read, to show the text around an error.
struct Tail {
    bytes: VecDeque<u8>,
    /// The offset in the file of the first of them.
    start: u64,
    /// The number of the line that was read last, from 1.
    lines: u64,
    /// The number of bytes read since the last statement.
    since_statement: usize,
}

const TAIL_BYTES: usize = 1 << 16;

impl Tail {
    fn push(&mut self, read: &[u8]) {
        self.lines += memchr::memchr_iter(b'\n', read).count() as u64;
        self.bytes.extend(read);
        let excess = self.bytes.len().saturating_sub(TAIL_BYTES);
        self.bytes.drain(..excess);
        self.start += excess as u64;
    }

    /// A problem at the first occurrence of a text, or at the last line.
    fn problem_at_text(&self, file: &str, text: &str, message: String) -> Problem {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        // The parser may have resolved a shorter form in the file.
        let name = text.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(text);
        let found = [text, name].iter().find_map(|text| memchr::memmem::find(&bytes, text.as_bytes()));
        let at = found.unwrap_or(bytes.len());
        let lines_after = memchr::memchr_iter(b'\n', &bytes[at..]).count() as u64;
        self.problem(file, self.lines - lines_after, self.start + at as u64, message)
    }

    fn problem(&self, file: &str, line: u64, offset: u64, message: String) -> Problem {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let offset = to_usize(offset.saturating_sub(self.start)).min(bytes.len());
        let from = memchr::memrchr(b'\n', &bytes[..offset]).map_or(0, |at| at + 1);
        let to = memchr::memchr(b'\n', &bytes[offset..]).map_or(bytes.len(), |at| offset + at);
        Problem::in_line(file, line, &bytes[from..to], offset - from, message)
    }
}

struct Tailed<'r> {
    reader: Box<dyn BufRead + Send + 'r>,
    tail: Arc<Mutex<Tail>>,
    /// Maximum number of bytes without a complete statement, which parsers keep in memory.
    longest: usize,
}

impl Read for Tailed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        let mut tail = self.tail.lock().unwrap_or_else(|e| e.into_inner());
        tail.push(&buffer[..n]);
        tail.since_statement += n;
        if n > 0 && tail.since_statement > self.longest {
            return Err(io::Error::other(TooLong { limit: self.longest }));
        }
        Ok(n)
    }
}
