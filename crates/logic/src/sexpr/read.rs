//! Parses brackets and tokens: the layer below the S-expression language, without recursion and in one arena.
//!
//! Tolerates the spellings found in prediction files: spaces after `(` and before `)`, repeated spaces, line breaks, and `)` attached to
//! tokens.

use crate::cast::index32;
use crate::text::{MAX_DEPTH, Span, SyntaxError};

/// The index of an item in a [`SexprTree`].
pub type ItemId = u32;

const NONE: u32 = u32::MAX;

/// A token or a list of items.
#[derive(Debug, Clone, Copy)]
struct Item {
    span: Span,
    /// The first item of a list; `NONE` for a token or an empty list.
    first: u32,
    /// The next item of the same list.
    next: u32,
    is_list: bool,
}

/// The items of one text. Reused for several texts to save allocations.
#[derive(Debug, Default)]
pub struct SexprTree {
    items: Vec<Item>,
    /// Open lists during parsing: the list and its last item so far.
    open: Vec<(u32, u32)>,
}

impl SexprTree {
    /// Parses one expression and replaces the tree.
    pub fn read(&mut self, source: &str) -> Result<ItemId, SyntaxError> {
        self.items.clear();
        self.open.clear();
        let bytes = source.as_bytes();
        let mut root = NONE;
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            if byte.is_ascii_whitespace() {
                at += 1;
                continue;
            }
            if root != NONE && self.open.is_empty() {
                let message =
                    if byte == b')' { "one `)` too many" } else { "text after the end of the expression" };
                return Err(SyntaxError::new(Span::new(at, source.len()), message));
            }
            match byte {
                b'(' => {
                    if self.open.len() == MAX_DEPTH {
                        let message = format!("brackets are nested deeper than {MAX_DEPTH} levels");
                        return Err(SyntaxError::new(Span::new(at, at + 1), message));
                    }
                    let list = self.push(Item {
                        span: Span::new(at, at + 1),
                        first: NONE,
                        next: NONE,
                        is_list: true,
                    });
                    root = root.min(list);
                    self.open.push((list, NONE));
                    at += 1;
                }
                b')' => {
                    let Some((list, _)) = self.open.pop() else {
                        return Err(SyntaxError::new(Span::new(at, at + 1), "`)` without a `(` before it"));
                    };
                    at += 1;
                    self.items[list as usize].span.end = Span::new(0, at).end;
                }
                _ => {
                    let end = token_end(bytes, at);
                    let token =
                        self.push(Item { span: Span::new(at, end), first: NONE, next: NONE, is_list: false });
                    root = root.min(token);
                    at = end;
                }
            }
        }
        if let Some(&(list, _)) = self.open.last() {
            let missing = self.open.len();
            let brackets = if missing == 1 {
                "a `)` is missing".to_owned()
            } else {
                format!("{missing} `)` are missing")
            };
            return Err(SyntaxError::new(
                self.items[list as usize].span,
                format!("{brackets} for the `(` here"),
            ));
        }
        if root == NONE {
            return Err(SyntaxError::new(Span::new(0, source.len()), "the expression is empty"));
        }
        Ok(root)
    }

    fn push(&mut self, item: Item) -> u32 {
        let id = index32(self.items.len());
        self.items.push(item);
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

    /// The position of the item.
    pub fn span(&self, item: ItemId) -> Span {
        self.items[item as usize].span
    }

    /// Whether the item is a list.
    pub fn is_list(&self, item: ItemId) -> bool {
        self.items[item as usize].is_list
    }

    /// The items of a list; none for a token.
    pub fn children(&self, item: ItemId) -> impl Iterator<Item = ItemId> + '_ {
        let mut next = self.items[item as usize].first;
        std::iter::from_fn(move || {
            let id = next;
            (id != NONE).then(|| {
                next = self.items[id as usize].next;
                id
            })
        })
    }
}

/// The end of the token that starts at `at`: a quoted text with its suffix, or everything up to a space or bracket.
fn token_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    if bytes[at] == b'"' {
        let mut i = at + 1;
        while i < bytes.len() && bytes[i] != b'"' {
            i += if bytes[i] == b'\\' { 2 } else { 1 };
        }
        // Without a closing quote, the quote is an ordinary character.
        if i < bytes.len() {
            end = i + 1;
        }
    }
    while end < bytes.len() && !bytes[end].is_ascii_whitespace() && !matches!(bytes[end], b'(' | b')') {
        end += 1;
    }
    end
}
