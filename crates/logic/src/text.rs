//! Positions in a text, and errors that point at them.

use std::fmt;
use touchstone_kb::nearest_name;

/// Maximum nesting depth in every language. Real queries stay below 20; the limit bounds all later recursion.
pub(crate) const MAX_DEPTH: usize = 200;

/// The position of the first matching byte. Names and IRIs are long, so eight bytes are tested together.
#[inline]
pub(crate) fn first_byte(bytes: &[u8], is_one: impl Fn(u8) -> bool) -> Option<usize> {
    let (chunks, _) = bytes.as_chunks::<8>();
    let has_one = |chunk: &&[u8; 8]| chunk.iter().fold(false, |any, &byte| any | is_one(byte));
    let without = 8 * chunks.iter().take_while(|chunk| !has_one(chunk)).count();
    bytes[without..].iter().position(|&byte| is_one(byte)).map(|place| without + place)
}

/// A byte range of a source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: u32::try_from(start).unwrap_or(u32::MAX), end: u32::try_from(end).unwrap_or(u32::MAX) }
    }

    /// The text under the span.
    pub fn of(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// The kind of a [`SyntaxError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// The text does not follow the grammar of its language.
    #[default]
    Malformed,
    /// Brackets are nested deeper than the parser allows.
    TooDeep {
        /// The maximum depth.
        maximum: usize,
    },
    /// The text has more operators than the parser allows. It may be valid otherwise.
    TooManyOperators {
        /// The maximum number.
        maximum: usize,
    },
}

/// A text that does not follow the grammar of its language: what is wrong, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct SyntaxError {
    /// The kind of error.
    pub kind: SyntaxErrorKind,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The position.
    pub span: Span,
    /// What to do next, if known.
    pub hint: Option<String>,
    /// Line, column (both from 1) and the line's text around the span; empty until [`SyntaxError::located`].
    place: Option<(usize, usize, String)>,
}

impl SyntaxError {
    /// An error at a position.
    pub fn new(span: Span, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            kind: SyntaxErrorKind::Malformed,
            message: message.into(),
            span,
            hint: None,
            place: None,
        }
    }

    /// The same error with another kind.
    #[must_use]
    pub(crate) fn of_kind(mut self, kind: SyntaxErrorKind) -> SyntaxError {
        self.kind = kind;
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> SyntaxError {
        self.hint = Some(hint.into());
        self
    }

    /// Adds "did you mean ...?" if there is a similar known name.
    #[must_use]
    pub fn nearest<'n>(mut self, wrong: &str, known: impl IntoIterator<Item = &'n str>) -> SyntaxError {
        if let Some(name) = nearest_name(wrong, known) {
            self.hint = Some(format!("did you mean `{name}`?"));
        }
        self
    }

    /// Adds line, column and snippet, so that the message can be shown without the source.
    #[must_use]
    pub fn located(mut self, source: &str) -> SyntaxError {
        let at = (self.span.start as usize).min(source.len());
        let at = (0..=at).rev().find(|&i| source.is_char_boundary(i)).unwrap_or(0);
        let line_start = source[..at].rfind('\n').map_or(0, |i| i + 1);
        let line = source[..line_start].matches('\n').count() + 1;
        let column = source[line_start..at].chars().count() + 1;
        let line_text = source[line_start..].lines().next().unwrap_or("");
        self.place = Some((line, column, window(line_text, column - 1)));
        self
    }

    /// Line and column, both from 1, after [`SyntaxError::located`].
    pub fn position(&self) -> Option<(usize, usize)> {
        self.place.as_ref().map(|&(line, column, _)| (line, column))
    }
}

/// About 60 characters of the line around a column, on one line.
fn window(line: &str, column: usize) -> String {
    let start = column.saturating_sub(25);
    let mut text: String =
        line.chars().skip(start).take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if start > 0 {
        text.insert(0, '…');
    }
    if line.chars().count() > start + 60 {
        text.push('…');
    }
    text.trim().to_owned()
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some((line, column, snippet)) if !snippet.is_empty() => {
                write!(f, "line {line}, column {column}: {} in `{snippet}`", self.message)?;
            }
            Some((line, column, _)) => write!(f, "line {line}, column {column}: {}", self.message)?,
            None => f.write_str(&self.message)?,
        }
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}
