//! The line editor of the shell: what Tab completes, and when a query is complete.

use crate::output;
use reedline::{Completer, CompletionResult, Span, Suggestion, ValidationResult, Validator};
use std::sync::Arc;
use touchstone_engine::ShellLine;
use touchstone_engine::completion::Completions;
use touchstone_kb::Kb;
use touchstone_logic::typed::is_complete;

/// Completes words of a KB.
pub(super) struct Words(Completions);

impl Words {
    pub(super) fn new(kb: Arc<Kb>) -> Words {
        Words(Completions::new(kb, &ShellLine::COMMANDS))
    }
}

impl Completer for Words {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let (start, found) = self.0.at_end_of(&line[..pos]);
        let suggestion = |completion: touchstone_engine::completion::Completion| Suggestion {
            value: completion.text,
            description: Some(output::shortened(&output::visible(&completion.what))),
            span: Span::new(start, pos),
            ..Suggestion::default()
        };
        CompletionResult::fresh(found.into_iter().map(suggestion).collect::<Vec<_>>())
    }
}

/// A query continues on the next line while a bracket or a quote is open.
pub(super) struct Brackets;

impl Validator for Brackets {
    fn validate(&self, text: &str) -> ValidationResult {
        if is_complete(text) { ValidationResult::Complete } else { ValidationResult::Incomplete }
    }
}
