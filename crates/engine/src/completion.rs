//! Completions of a query that is being typed: functions, names of the schema, entities.

use std::sync::Arc;
use touchstone_kb::{Kb, fold};
use touchstone_logic::graph::is_unprintable;
use touchstone_logic::kopl::KoplFunction;

/// Maximum number of completions.
const MAX_COMPLETIONS: usize = 20;

/// A word that can be typed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Completion {
    /// The word; it has no unprintable characters.
    pub text: String,
    /// What it is: `function`, `class`, ..., or the description of an entity.
    pub what: String,
}

/// Completes words of a KB.
pub struct Completions {
    kb: Arc<Kb>,
    /// Names of functions, operators, classes and properties, sorted.
    schema: Vec<Completion>,
}

impl Completions {
    /// The words of a KB, and the commands of a prompt.
    pub fn new(kb: Arc<Kb>, commands: &[&str]) -> Completions {
        let operators = ["AND", "JOIN", "COUNT", "ARGMAX", "ARGMIN", "SELECT", "WHERE", "ASK", "FILTER"];
        let mut schema: Vec<Completion> = Vec::new();
        let mut add = |text: &str, what: &str| {
            if !text.contains(is_unprintable) {
                schema.push(Completion { text: text.to_owned(), what: what.to_owned() });
            }
        };
        KoplFunction::ALL.iter().for_each(|function| add(function.name(), "function"));
        operators.iter().for_each(|word| add(word, "operator"));
        commands.iter().for_each(|word| add(word, "command"));
        kb.classes().for_each(|class| add(kb.label(kb.class_node(class)), "class"));
        kb.relations().for_each(|relation| add(kb.relation_label(relation), "relation"));
        kb.attributes().for_each(|attribute| add(kb.attribute_label(attribute), "attribute"));
        kb.qualifier_keys().for_each(|key| add(kb.qualifier_label(key), "qualifier"));
        schema.sort();
        schema.dedup();
        Completions { kb, schema }
    }

    /// Completions for the end of a line: the start of the text that they replace, and the words. Names may contain spaces, so the longest
    /// end of the line that is a prefix of a name is completed.
    pub fn at_end_of(&self, line: &str) -> (usize, Vec<Completion>) {
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

    fn beginning_with(&self, word: &str) -> Vec<Completion> {
        let folded = fold(word);
        let begins = |name: &str| {
            if folded.is_empty() { name.starts_with(word.trim()) } else { fold(name).starts_with(&folded) }
        };
        let schema = self.schema.iter().filter(|completion| begins(&completion.text));
        let mut found: Vec<Completion> = schema.take(MAX_COMPLETIONS).cloned().collect();
        // A single letter is a prefix of too many names.
        if word.chars().count() >= 2 && word.len() <= 100 {
            for hit in self.kb.find_names(word, MAX_COMPLETIONS) {
                let is_known = found.iter().any(|completion| completion.text == hit.name);
                if !hit.name.contains(is_unprintable) && begins(&hit.name) && !is_known {
                    let what = self.kb.description(hit.node).unwrap_or("").to_owned();
                    found.push(Completion { text: hit.name, what });
                }
            }
        }
        found.truncate(MAX_COMPLETIONS);
        found
    }
}
