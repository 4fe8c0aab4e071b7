//! The official reader: the tokens and lists of GrailQA's evaluator.
//!
//! It differs from the parser of the language ([`crate::sexpr`]) because the evaluator is more lenient: text
//! after the end is ignored, and if `)` are missing, the first item of the innermost open list is
//! taken. Items are checked only when they are needed.

use crate::cast::index32;
use crate::text::{MAX_DEPTH, Span, SyntaxError};
use touchstone_kb::nearest_name;

/// The index of an item in [`Items`].
pub(super) type ItemId = u32;

const NONE: u32 = u32::MAX;

/// The operators of the language, for suggestions.
const OPERATORS: [&str; 11] = ["AND", "JOIN", "R", "COUNT", "ARGMAX", "ARGMIN", "TC", "le", "lt", "ge", "gt"];

/// Why a text is not an expression. Small and without heap memory: most comparisons never show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) what: What,
    pub(super) span: Span,
}

/// The kinds of [`Fault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    TooLong,
    Empty,
    LoneBracket,
    EmptyBrackets,
    TooManyClosed,
    TooDeep,
    ListAsOperator,
    UnknownOperator,
    /// An operator with this number of arguments lacks one.
    MissingArgument(u8),
    UnknownToken,
}

impl Fault {
    /// The message, with its position.
    pub(super) fn located(self, source: &str) -> SyntaxError {
        let text = self.span.of(source);
        let message = match self.what {
            What::TooLong => "the text is longer than 4 GB".to_owned(),
            What::Empty => "the expression is empty".to_owned(),
            What::LoneBracket => "the official reader does not accept a bracket between spaces".to_owned(),
            What::EmptyBrackets => "nothing between the brackets".to_owned(),
            What::TooManyClosed => "one `)` too many".to_owned(),
            What::TooDeep => format!("brackets are nested deeper than {MAX_DEPTH} levels"),
            What::ListAsOperator => "expected an operator after `(`, found another `(`".to_owned(),
            What::UnknownOperator => format!("unknown operator `{text}`"),
            What::MissingArgument(wanted) => format!("`{text}` needs {wanted} argument{}", plural(wanted)),
            What::UnknownToken => "the text contains `@@UNKNOWN@@`, which never matches".to_owned(),
        };
        let error = SyntaxError::new(self.span, message);
        let error = match self.what {
            What::UnknownOperator => match nearest_name(text, OPERATORS) {
                Some(name) => error.hint(format!("did you mean `{name}`?")),
                None => error.hint(format!("the operators are {}", OPERATORS.join(", "))),
            },
            _ => error,
        };
        error.located(source)
    }
}

fn plural(n: u8) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// The tokens and lists of one text. Reused for several texts to save allocations.
#[derive(Debug, Default)]
pub(super) struct Items {
    items: Vec<Item>,
    /// The open lists and their last items so far. The lowest is the whole text.
    open: Vec<(ItemId, ItemId)>,
    /// Tokens with `)` inside, with the `)` removed.
    cleaned: String,
}

/// A token or a list.
#[derive(Debug, Clone, Copy)]
struct Item {
    /// In the source, or in `cleaned`.
    span: Span,
    first: ItemId,
    next: ItemId,
    kind: ItemKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    List,
    Token { literal: bool, cleaned: bool },
}

impl Items {
    /// Parses a text and returns its expression. `lenient` allows spaces inside the brackets.
    pub(super) fn read(&mut self, source: &str, lenient: bool) -> Result<ItemId, Fault> {
        self.items.clear();
        self.open.clear();
        self.cleaned.clear();
        if u32::try_from(source.len()).is_err() {
            return Err(Fault { what: What::TooLong, span: Span::default() });
        }
        let bytes = source.as_bytes();
        self.push_list(0);
        let mut at = 0;
        loop {
            while let blank @ 1.. = blank_len(source, at) {
                at += blank;
            }
            if at == bytes.len() {
                break;
            }
            let start = at;
            while bytes.get(at) == Some(&b'(') {
                // The lowest open list is not a list in the text.
                if self.open.len() > MAX_DEPTH {
                    return Err(Fault { what: What::TooDeep, span: Span::new(at, at + 1) });
                }
                self.push_list(at);
                at += 1;
            }
            let body = at;
            let token = scan(source, body);
            at = token.end;
            if token.core_end == body {
                // Only brackets.
                if body > start && at > body {
                    return Err(Fault { what: What::EmptyBrackets, span: Span::new(start, at) });
                }
                if !lenient {
                    return Err(Fault { what: What::LoneBracket, span: Span::new(start, at) });
                }
            } else {
                self.push_token(source, body, &token);
            }
            for closing in token.core_end..at {
                self.close(closing)?;
            }
        }
        match self.open.last().map(|&(list, _)| self.items[list as usize].first) {
            Some(root) if root != NONE => Ok(root),
            _ => Err(Fault { what: What::Empty, span: Span::new(0, source.len()) }),
        }
    }

    /// Number of missing `)`.
    pub(super) fn missing_brackets(&self) -> usize {
        self.open.len().saturating_sub(1)
    }

    /// The items of a list; none for a token.
    pub(super) fn children(&self, list: ItemId) -> impl Iterator<Item = ItemId> + '_ {
        let mut next = self.items[list as usize].first;
        std::iter::from_fn(move || {
            let id = next;
            (id != NONE).then(|| {
                next = self.items[id as usize].next;
                id
            })
        })
    }

    pub(super) fn is_list(&self, item: ItemId) -> bool {
        self.items[item as usize].kind == ItemKind::List
    }

    /// Whether a token contains `^^`.
    pub(super) fn is_literal(&self, item: ItemId) -> bool {
        matches!(self.items[item as usize].kind, ItemKind::Token { literal: true, .. })
    }

    /// The text of a token.
    pub(super) fn text<'t>(&'t self, source: &'t str, item: ItemId) -> &'t str {
        let item = &self.items[item as usize];
        match item.kind {
            ItemKind::Token { cleaned: true, .. } => item.span.of(&self.cleaned),
            _ => item.span.of(source),
        }
    }

    /// The position of the item in the source.
    pub(super) fn span(&self, item: ItemId) -> Span {
        let item = &self.items[item as usize];
        match item.kind {
            // A copied token has lost its position.
            ItemKind::Token { cleaned: true, .. } => Span::default(),
            _ => item.span,
        }
    }

    /// All lists of the text.
    pub(super) fn lists(&self) -> impl Iterator<Item = ItemId> + '_ {
        (1..index32(self.items.len())).filter(|&item| self.is_list(item))
    }

    fn push_list(&mut self, at: usize) {
        let list = self.push(Span::new(at, at + 1), ItemKind::List);
        self.open.push((list, NONE));
    }

    fn push_token(&mut self, source: &str, body: usize, token: &Scan) {
        let core = &source[body..token.core_end];
        if !token.bracket_inside {
            let kind = ItemKind::Token { literal: token.literal, cleaned: false };
            self.push(Span::new(body, token.core_end), kind);
            return;
        }
        let start = self.cleaned.len();
        self.cleaned.extend(core.chars().filter(|&c| c != ')'));
        let literal = self.cleaned[start..].contains("^^");
        self.push(Span::new(start, self.cleaned.len()), ItemKind::Token { literal, cleaned: true });
    }

    fn push(&mut self, span: Span, kind: ItemKind) -> ItemId {
        let id = index32(self.items.len());
        self.items.push(Item { span, first: NONE, next: NONE, kind });
        if let Some((list, last)) = self.open.last_mut() {
            if *last == NONE {
                self.items[*list as usize].first = id;
            } else {
                self.items[*last as usize].next = id;
            }
            *last = id;
        }
        id
    }

    fn close(&mut self, at: usize) -> Result<(), Fault> {
        let span = Span::new(at, at + 1);
        match self.open.pop() {
            Some((_, last)) if last == NONE => Err(Fault { what: What::EmptyBrackets, span }),
            Some((list, _)) if !self.open.is_empty() => {
                self.items[list as usize].span.end = span.end;
                Ok(())
            }
            _ => Err(Fault { what: What::TooManyClosed, span }),
        }
    }
}

/// A run of text without spaces.
struct Scan {
    end: usize,
    /// The end, excluding trailing `)`.
    core_end: usize,
    /// Whether `)` occurs before other characters: the official reader then drops it.
    bracket_inside: bool,
    literal: bool,
}

fn scan(source: &str, start: usize) -> Scan {
    let bytes = source.as_bytes();
    let (mut end, mut core_end, mut brackets, mut literal) = (start, start, 0, false);
    while let Some(&byte) = bytes.get(end) {
        match CLASSES[byte as usize] {
            Class::Other => core_end = end + 1,
            Class::Close => brackets += 1,
            Class::Caret => {
                literal |= end > start && bytes[end - 1] == b'^';
                core_end = end + 1;
            }
            Class::Blank => break,
            Class::PerhapsBlank if blank_len(source, end) > 0 => break,
            Class::PerhapsBlank => core_end = end + 1,
        }
        end += 1;
    }
    Scan { end, core_end, bracket_inside: brackets > end - core_end, literal }
}

#[derive(Clone, Copy)]
enum Class {
    Other,
    Close,
    Caret,
    Blank,
    /// The first byte of characters, some of which are spaces.
    PerhapsBlank,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    classes[b')' as usize] = Class::Close;
    classes[b'^' as usize] = Class::Caret;
    // White space in Python's `str.split`, with four separators that Rust does not count.
    let blanks = b"\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f ";
    let mut i = 0;
    while i < blanks.len() {
        classes[blanks[i] as usize] = Class::Blank;
        i += 1;
    }
    classes[0xc2] = Class::PerhapsBlank;
    classes[0xe1] = Class::PerhapsBlank;
    classes[0xe2] = Class::PerhapsBlank;
    classes[0xe3] = Class::PerhapsBlank;
    classes
};

/// The length of the space at `at`, or 0.
fn blank_len(source: &str, at: usize) -> usize {
    match source.as_bytes().get(at).map(|&byte| CLASSES[byte as usize]) {
        Some(Class::Blank) => 1,
        Some(Class::PerhapsBlank) => {
            let first = source.get(at..).and_then(|rest| rest.chars().next());
            first.filter(|c| c.is_whitespace()).map_or(0, char::len_utf8)
        }
        _ => 0,
    }
}
