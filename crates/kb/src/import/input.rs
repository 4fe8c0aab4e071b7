//! Input files: decompressed on the fly, cut into blocks, parsed by several threads.

use super::import_log::Problem;
use crate::error::{KbError, Result};
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};

/// The name of a file in messages.
pub(crate) fn display_name(path: &Path) -> String {
    path.display().to_string()
}

/// Opens a file, decompressing gzip, zstd or bzip2 as detected from its first bytes.
/// Progress advances by bytes of the file on disk.
pub fn open<'p>(path: &Path, progress: &'p dyn Progress) -> Result<Box<dyn BufRead + Send + 'p>> {
    let file = File::open(path).map_err(KbError::io("open", path))?;
    let mut reader = BufReader::with_capacity(1 << 18, Counted { file, progress });
    let magic = reader.fill_buf().map_err(|error| {
        if is_cancelled(&error) { KbError::Interrupted } else { KbError::io("read", path)(error) }
    })?;
    let kind = Compression::of(magic);
    let mut reader: Box<dyn BufRead + Send + 'p> = match kind {
        Compression::None => Box::new(reader),
        Compression::Gzip => {
            Box::new(BufReader::with_capacity(1 << 18, flate2::bufread::MultiGzDecoder::new(reader)))
        }
        Compression::Bzip2 => {
            Box::new(BufReader::with_capacity(1 << 18, bzip2::bufread::MultiBzDecoder::new(reader)))
        }
        Compression::Zstd => {
            let mut decoder = zstd::Decoder::with_buffer(reader).map_err(KbError::io("read", path))?;
            decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(KbError::io("read", path))?;
            Box::new(BufReader::with_capacity(1 << 18, decoder))
        }
    };
    // Some editors write a byte order mark before the text. Errors are reported when the input is read.
    if reader.fill_buf().is_ok_and(|start| start.starts_with(b"\xef\xbb\xbf")) {
        reader.consume(3);
    }
    Ok(reader)
}

/// The window size of decompression (as a power of two): the default of the command-line tool.
const ZSTD_WINDOW_LOG: u32 = 27;

/// The sum of the files' sizes, for the progress bar.
pub(crate) fn total_size<'a>(paths: impl IntoIterator<Item = &'a std::path::PathBuf>) -> u64 {
    paths.into_iter().filter_map(|path| path.metadata().ok()).map(|meta| meta.len()).sum()
}

#[derive(Clone, Copy)]
enum Compression {
    None,
    Gzip,
    Zstd,
    Bzip2,
}

impl Compression {
    fn of(magic: &[u8]) -> Compression {
        match magic {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            [b'B', b'Z', b'h', ..] => Compression::Bzip2,
            _ => Compression::None,
        }
    }
}

struct Counted<'p> {
    file: File,
    progress: &'p dyn Progress,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.progress.cancelled() {
            return Err(io::Error::other(Cancelled));
        }
        let n = self.file.read(buffer)?;
        self.progress.advance(n as u64);
        Ok(n)
    }
}

/// Marks an input error as a cancellation.
#[derive(Debug)]
struct Cancelled;

impl std::fmt::Display for Cancelled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Cancelled {}

fn is_cancelled(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Cancelled>())
}

/// An input error at a line: what was read may be truncated, so the import cannot continue.
pub(crate) fn read_error(file: &str, line: u64, error: &io::Error) -> KbError {
    if is_cancelled(error) {
        return KbError::Interrupted;
    }
    let message = match error.get_ref().and_then(|inner| inner.downcast_ref::<TooLong>()) {
        Some(too_long) => too_long.to_string(),
        None => format!("the input ends or breaks here ({error}); is the file truncated?"),
    };
    problem_at(file, line, message)
}

fn problem_at(file: &str, line: u64, message: String) -> KbError {
    let (file, snippet) = (file.to_owned(), String::new());
    KbError::Input(Box::new(Problem { file, line, column: 1, snippet, caret: 0, message }))
}

/// A record is longer than allowed: a file of another kind, or one made to exhaust the memory.
#[derive(Debug, thiserror::Error)]
#[error("a record is longer than {} bytes; is --from right? Longer ones are read with --max-record", limit)]
pub(crate) struct TooLong {
    pub(crate) limit: usize,
}

/// Whole lines.
pub(crate) struct Block {
    /// The bytes.
    pub(crate) bytes: Vec<u8>,
    /// The number of the first line, from 1.
    pub(crate) first_line: u64,
}

const BLOCK_BYTES: usize = 1 << 20;

/// Cuts an input into blocks of whole lines.
pub(crate) struct LineBlocks<'r> {
    reader: Box<dyn BufRead + Send + 'r>,
    file: String,
    longest: usize,
    next_line: u64,
    rest: Vec<u8>,
    done: bool,
}

impl<'r> LineBlocks<'r> {
    /// Lines of more than `longest` bytes (and a block) are an error.
    pub(crate) fn new(reader: Box<dyn BufRead + Send + 'r>, file: String, longest: usize) -> LineBlocks<'r> {
        LineBlocks { reader, file, longest, next_line: 1, rest: Vec::new(), done: false }
    }
}

impl Iterator for LineBlocks<'_> {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Result<Block>> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut searched = 0;
        while !self.done {
            let start = bytes.len();
            let wanted = BLOCK_BYTES.min(self.longest + 1) as u64;
            match (&mut self.reader).take(wanted).read_to_end(&mut bytes) {
                Ok(0) => self.done = true,
                Ok(_) => {}
                Err(error) => {
                    self.done = true;
                    let line = self.next_line + memchr::memchr_iter(b'\n', &bytes).count() as u64;
                    return Some(Err(read_error(&self.file, line, &error)));
                }
            }
            searched = searched.max(start);
            if let Some(end) = memchr::memrchr(b'\n', &bytes[searched..]) {
                self.rest = bytes.split_off(searched + end + 1);
                break;
            }
            searched = bytes.len();
            // There is no end of line up to here, so all of this is one line.
            if bytes.len() > self.longest {
                self.done = true;
                let too_long = TooLong { limit: self.longest };
                return Some(Err(problem_at(&self.file, self.next_line, too_long.to_string())));
            }
        }
        if bytes.is_empty() {
            return None;
        }
        let first_line = self.next_line;
        self.next_line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        Some(Ok(Block { bytes, first_line }))
    }
}

/// Runs `parse` on items in several threads and `consume` on the results in this one, in the order of the
/// items. At most a few items are in progress at any time, so memory stays bounded.
pub(crate) fn in_parallel<T: Send, P: Send>(
    items: impl Iterator<Item = Result<T>> + Send,
    parse: impl Fn(T) -> P + Sync,
    mut consume: impl FnMut(P) -> Result<()>,
) -> Result<()> {
    let n_workers = std::thread::available_parallelism().map_or(2, usize::from).clamp(1, 16);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (item_sender, item_receiver) = sync_channel::<(usize, Result<T>)>(n_workers);
        let (result_sender, result_receiver) = sync_channel::<(usize, Result<P>)>(2 * n_workers);
        let item_receiver = Arc::new(Mutex::new(item_receiver));
        let (parse, stop) = (&parse, &stop);
        scope.spawn(move || {
            for numbered in items.enumerate() {
                if stop.load(Ordering::Relaxed) || item_sender.send(numbered).is_err() {
                    break;
                }
            }
        });
        for _ in 0..n_workers {
            let (result_sender, item_receiver) = (result_sender.clone(), Arc::clone(&item_receiver));
            scope.spawn(move || {
                loop {
                    let received = item_receiver.lock().unwrap_or_else(|e| e.into_inner()).recv();
                    let Ok((number, item)) = received else { break };
                    // Once the consumer has failed, items are only drained so that the reader can end.
                    if !stop.load(Ordering::Relaxed) {
                        let _ = result_sender.send((number, item.map(parse)));
                    }
                }
            });
        }
        drop(result_sender);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        let mut outcome = Ok(());
        'results: for (number, result) in result_receiver.iter() {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&next) {
                next += 1;
                outcome = result.and_then(&mut consume);
                if outcome.is_err() {
                    break 'results;
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
        outcome
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::NoProgress;
    use std::io::Write;

    #[test]
    fn blocks_are_whole_lines_with_their_numbers() {
        let long = "y".repeat(3 << 20);
        let text = format!("{}{long}\nlast", "line\n".repeat(300_000));
        let reader: Box<dyn BufRead + Send> = Box::new(io::Cursor::new(text.clone().into_bytes()));
        let mut joined = Vec::new();
        let mut line = 1;
        for block in LineBlocks::new(reader, "x".into(), usize::MAX - 1) {
            let block = block.expect("readable");
            assert_eq!(block.first_line, line);
            line += block.bytes.iter().filter(|&&b| b == b'\n').count() as u64;
            joined.extend(block.bytes);
        }
        assert_eq!(joined, text.as_bytes());
    }

    #[test]
    fn a_line_without_an_end_is_not_collected() {
        for (length, fits) in [(99, true), (100, true), (301, false), (5 << 20, false)] {
            let text = format!("short\n{}\nshort\n", "y".repeat(length));
            let reader: Box<dyn BufRead + Send> = Box::new(io::Cursor::new(text.clone().into_bytes()));
            let blocks: Vec<Result<Block>> = LineBlocks::new(reader, "x".into(), 100).collect();
            assert_eq!(blocks.iter().all(Result::is_ok), fits, "{length}");
            let largest = blocks.iter().flatten().map(|block| block.bytes.len()).max();
            assert!(largest.is_none_or(|bytes| bytes <= 2 * 101), "{largest:?}");
            if let Some(Err(error)) = blocks.last() {
                assert!(error.to_string().starts_with("x:2:1: a record is longer than 100 bytes"), "{error}");
            }
        }
    }

    #[test]
    fn every_compression_reads_the_same() {
        let dir = tempfile::tempdir().expect("directory");
        let text = "hello\n".repeat(1000);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).expect("write");
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(text.as_bytes()).expect("write");
        let files = [
            ("plain", text.clone().into_bytes()),
            ("gz", gzip.finish().expect("gzip")),
            ("bz2", bzip2.finish().expect("bzip2")),
            ("zst", zstd::encode_all(text.as_bytes(), 3).expect("zstd")),
        ];
        for (name, bytes) in files {
            let path = dir.path().join(name);
            std::fs::write(&path, &bytes).expect("write");
            let mut read = String::new();
            open(&path, &NoProgress).expect("open").read_to_string(&mut read).expect("read");
            assert_eq!(read, text, "{name}");
            if name != "plain" {
                std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("write");
                let reader = open(&path, &NoProgress).expect("open");
                let cut = LineBlocks::new(reader, name.into(), usize::MAX - 1).find_map(Result::err);
                assert!(cut.expect("truncated").to_string().contains("truncated"), "{name}");
            }
        }
    }

    #[test]
    fn results_come_in_order_and_errors_stop_everything() {
        let mut seen = Vec::new();
        in_parallel(
            (0..1000).map(Ok),
            |n| n * 2,
            |n| {
                seen.push(n);
                Ok(())
            },
        )
        .expect("all fine");
        assert_eq!(seen, (0..1000).map(|n| n * 2).collect::<Vec<_>>());
        let mut n_seen = 0;
        let stopped = in_parallel(
            (0..1_000_000).map(Ok),
            |n| n,
            |n| {
                n_seen += 1;
                if n == 10 { Err(KbError::Interrupted) } else { Ok(()) }
            },
        );
        assert!(stopped.is_err());
        assert_eq!(n_seen, 11);
    }
}
