//! What the shell completes: functions, schema names, entities; and when a query is complete.

use reedline::{Completer, CompletionResult, Span, Suggestion, ValidationResult, Validator};
use std::sync::Arc;
use touchstone_kb::{Kb, fold};
use touchstone_logic::kopl::Function;

/// Maximum number of suggestions.
const SHOWN: usize = 20;

/// Completes words of a KB.
pub(super) struct Words {
    kb: Arc<Kb>,
    /// Names of functions, operators, classes and properties, with what they are.
    schema: Vec<(String, &'static str)>,
}

impl Words {
    pub(super) fn new(kb: Arc<Kb>) -> Words {
        let mut schema: Vec<(String, &'static str)> = Vec::new();
        schema.extend(Function::ALL.iter().map(|function| (function.name().to_owned(), "function")));
        let operators = ["AND", "JOIN", "COUNT", "ARGMAX", "ARGMIN", "SELECT", "WHERE", "ASK", "FILTER"];
        schema.extend(operators.iter().map(|word| ((*word).to_owned(), "operator")));
        schema.extend(super::shell::COMMANDS.iter().map(|word| ((*word).to_owned(), "command")));
        schema.extend(kb.classes().map(|class| (kb.label(kb.class_node(class)).to_owned(), "class")));
        schema.extend(kb.relations().map(|r| (kb.relation_label(r).to_owned(), "relation")));
        schema.extend(kb.attributes().map(|a| (kb.attribute_label(a).to_owned(), "attribute")));
        schema.extend(kb.qualifier_keys().map(|q| (kb.qualifier_label(q).to_owned(), "qualifier")));
        schema.retain(|(name, _)| crate::output::visible(name) == *name);
        schema.sort();
        schema.dedup();
        Words { kb, schema }
    }

    /// Completions of the end of a line: the start of what they replace, and the words. Names may have blanks in them, so the longest end
    /// of the line that is the beginning of a name counts.
    pub(super) fn at_end_of(&self, line: &str) -> (usize, Vec<(String, String)>) {
        let from = line.rfind(['(', ',', '"', '>', '<', '{', '}', '\n']).map_or(0, |at| at + 1);
        let from = from + (line[from..].len() - line[from..].trim_start().len());
        let starts = std::iter::once(from)
            .chain(line[from..].match_indices(' ').map(|(at, _)| from + at + 1))
            .filter(|&start| start < line.len());
        for start in starts {
            let found = self.beginning_with(&line[start..]);
            if !found.is_empty() {
                return (start, found);
            }
        }
        (line.len(), Vec::new())
    }

    fn beginning_with(&self, word: &str) -> Vec<(String, String)> {
        let folded = fold(word);
        let begins = |name: &str| {
            if folded.is_empty() { name.starts_with(word.trim()) } else { fold(name).starts_with(&folded) }
        };
        let schema = self.schema.iter().filter(|(name, _)| begins(name));
        let mut found: Vec<(String, String)> =
            schema.map(|(name, kind)| (name.clone(), (*kind).to_owned())).take(SHOWN).collect();
        // A single letter begins half of the names of a KB.
        if word.chars().count() >= 2 && word.len() <= 100 {
            for hit in self.kb.find_names(word, SHOWN) {
                // A name that a terminal cannot show as it is cannot be edited either.
                let plain = crate::output::visible(&hit.name) == hit.name;
                if plain && begins(&hit.name) && !found.iter().any(|(name, _)| *name == hit.name) {
                    let what = self.kb.description(hit.node).unwrap_or("");
                    found.push((hit.name, crate::output::shortened(&crate::output::visible(what))));
                }
            }
        }
        found.truncate(SHOWN);
        found
    }
}

impl Completer for Words {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let (start, found) = self.at_end_of(&line[..pos]);
        let suggestions: Vec<Suggestion> = found
            .into_iter()
            .map(|(value, description)| Suggestion {
                value,
                description: Some(description),
                span: Span::new(start, pos),
                ..Suggestion::default()
            })
            .collect();
        CompletionResult::fresh(suggestions)
    }
}

/// A query continues on the next line while a bracket or a quote is open.
pub(super) struct Brackets;

impl Validator for Brackets {
    fn validate(&self, text: &str) -> ValidationResult {
        if is_complete(text) { ValidationResult::Complete } else { ValidationResult::Incomplete }
    }
}

/// Whether all brackets and quotes are closed and no step is missing.
pub(super) fn is_complete(text: &str) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0i64, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '(' | '{' | '[' if !quoted => depth += 1,
            ')' | '}' | ']' if !quoted => depth -= 1,
            _ => {}
        }
    }
    let end = text.trim_end();
    let step_missing = end.ends_with('>') && !end.contains('<');
    // An empty line ends everything, also what will never be closed.
    text.ends_with('\n') || depth <= 0 && !quoted && !step_missing
}

#[cfg(test)]
mod tests {
    use super::is_complete;

    #[test]
    fn queries_end_when_everything_is_closed() {
        for complete in
            ["Find(a) > What()", "(JOIN a b)", "SELECT ?x WHERE { ?x a <c> }", ".help", "(JOIN a\n", ""]
        {
            assert!(is_complete(complete), "{complete:?}");
        }
        for open in ["Find(a) >", "(JOIN a", "SELECT ?x WHERE {", "Find(\"a)"] {
            assert!(!is_complete(open), "{open:?}");
        }
    }
}
