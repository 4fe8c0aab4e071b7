//! Checks of what a person writes, before and when it is submitted.

use crate::rules::Activity;
use crate::state::ProjectState;
use serde::Serialize;
use touchstone_benchmark::{Answer, Question};
use touchstone_kb::fold;

/// What a check of a text finds.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TextCheck {
    /// What prevents its submission.
    pub faults: Vec<TextFault>,
    /// What its author should know.
    pub warnings: Vec<TextWarning>,
    /// The share of characters of the folded text that differ from the question.
    pub distance: f64,
    /// Number of words that differ from the question.
    pub changed_words: usize,
}

/// Why a text cannot be submitted.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[serde(tag = "fault", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TextFault {
    /// There is nothing.
    #[error("the text is empty; write the question")]
    Empty,
    /// It has the id of something in the KB.
    #[error("`{id}` is an id of the knowledge base; write its name instead")]
    HasId {
        /// The id.
        id: String,
    },
    /// It gives an answer away.
    #[error("the text contains the answer `{answer}`; leave it out, or say why it has to be there")]
    HasAnswer {
        /// The answer.
        answer: String,
    },
    /// Another task has the same text.
    #[error(
        "the text is the same as that of the task `{task}`, which has another query; say how they differ"
    )]
    OfAnotherTask {
        /// The other task.
        task: String,
    },
    /// A paraphrase is too close to the question.
    #[error(
        "the text differs from the question in {distance:.2} of its characters; change at least {least:.2}"
    )]
    TooClose {
        /// Its distance.
        distance: f64,
        /// The minimum.
        least: f64,
    },
    /// A paraphrase has too few words of its own.
    #[error("{changed} words differ from the question; change at least {least}")]
    TooFewChanges {
        /// Number of words that differ.
        changed: usize,
        /// The minimum.
        least: usize,
    },
}

impl TextFault {
    /// Whether the author may give a reason instead.
    pub fn can_be_overridden(&self) -> bool {
        matches!(self, TextFault::HasAnswer { .. })
    }
}

/// What may be wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "warning", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TextWarning {
    /// A thing that the query names is missing.
    #[error("`{name}` is not mentioned")]
    NotMentioned {
        /// Its name in the question.
        name: String,
    },
    /// There is no question mark.
    #[error("there is no question mark")]
    NoQuestionMark,
    /// There are few words.
    #[error("it has only {words} words")]
    TooShort {
        /// Number of words.
        words: usize,
    },
}

/// Minimum number of words of a question.
const MIN_WORDS: usize = 3;

/// Minimum number of characters of an answer that would be noticed in a text.
const MIN_ANSWER: usize = 3;

/// The share of characters of the folded texts that differ: the edit distance relative to the longer one.
///
/// ```
/// use touchstone_annotate::text_distance;
/// assert_eq!(text_distance("Who directed M?", "who directed  m"), 0.0);
/// assert!(text_distance("Who directed M?", "Who is the director of M?") > 0.3);
/// ```
pub fn text_distance(question: &str, text: &str) -> f64 {
    1.0 - strsim::normalized_levenshtein(&fold(question), &fold(text))
}

/// Number of words to insert, remove or replace.
fn changed_words(question: &str, text: &str) -> usize {
    let (a, b) = (fold(question), fold(text));
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    strsim::generic_levenshtein(&words(&a), &words(&b))
}

/// Whether a folded text has some folded words in a row.
fn has_words(text: &str, words: &str) -> bool {
    !words.is_empty() && format!(" {text} ").contains(&format!(" {words} "))
}

/// What prevents the submission of a text for a task.
pub(crate) fn text_faults(state: &ProjectState, at: usize, activity: Activity, text: &str) -> Vec<TextFault> {
    if text.trim().is_empty() {
        return vec![TextFault::Empty];
    }
    let question = &state.tasks[at].question;
    let mut faults = Vec::new();
    faults.extend(id_in(question, text).map(|id| TextFault::HasId { id }));
    let users = state.text_users.get(&fold(text)).into_iter().flatten();
    let mut others = users.filter_map(|user| usize::try_from(*user).ok()).filter(|user| *user != at);
    faults.extend(others.next().map(|user| TextFault::OfAnotherTask { task: state.tasks[user].id.clone() }));
    if activity == Activity::Paraphrase
        && let Some(rules) = &state.rules.paraphrase
    {
        let distance = text_distance(&question.question, text);
        if distance < rules.min_distance {
            faults.push(TextFault::TooClose { distance, least: rules.min_distance });
        }
        let changed = changed_words(&question.question, text);
        if changed < rules.min_changed_words {
            faults.push(TextFault::TooFewChanges { changed, least: rules.min_changed_words });
        }
    }
    faults.extend(answer_in(question, text).map(|answer| TextFault::HasAnswer { answer }));
    faults
}

/// An id of the query or the answers in a text. What reads like a word is not an id.
fn id_in(question: &Question, text: &str) -> Option<String> {
    let of_answers = question.answers.iter().filter_map(Answer::id);
    let of_mentions = question.entities.iter().map(|mention| mention.id.as_str());
    let ids = of_answers.chain(of_mentions).chain(question.schema_items.iter().map(String::as_str));
    let is_id = |id: &&str| id.contains(['_', ':', '/', '.']) || id.contains(|c: char| c.is_ascii_digit());
    let is_name = |id: &&str| question.entities.iter().any(|mention| mention.text == **id);
    let is_in_question = |id: &&str| has_token(&question.question, id);
    let mut found = ids.filter(is_id).filter(|id| !is_name(id) && !is_in_question(id));
    found.find(|id| has_token(text, id)).map(str::to_owned)
}

/// Whether a text has a token with nothing of a word around it.
fn has_token(text: &str, token: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !token.is_empty()
        && text.match_indices(token).any(|(at, found)| {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            !is_word(before.chars().next_back()) && !is_word(after.chars().next())
        })
}

/// An answer that a text gives away. An answer that the question of the benchmark names has to be there.
fn answer_in(question: &Question, text: &str) -> Option<String> {
    let (asked, text) = (fold(&question.question), fold(text));
    let mut answers = question.answers.iter().filter_map(|answer| match answer {
        Answer::Entity { label, .. } | Answer::Class { label, .. } => Some(label.as_str()),
        Answer::Text { value, .. } => Some(value.as_str()),
        Answer::Relation { .. }
        | Answer::Quantity { .. }
        | Answer::Time { .. }
        | Answer::Boolean { .. }
        | Answer::Number { .. }
        | Answer::Term { .. }
        | Answer::Tuple { .. } => None,
    });
    let is_given_away = |answer: &&str| {
        let answer = fold(answer);
        answer.chars().count() >= MIN_ANSWER && has_words(&text, &answer) && !has_words(&asked, &answer)
    };
    answers.find(is_given_away).map(str::to_owned)
}

/// What may be wrong with a text.
fn text_warnings(question: &Question, text: &str) -> Vec<TextWarning> {
    let folded = fold(text);
    let names = question.entities.iter().map(|mention| &mention.text);
    let is_missing = |name: &&String| {
        let short = name.split_once(" (").map_or(name.as_str(), |(short, _)| short);
        !has_words(&folded, &fold(short))
    };
    let mut warnings: Vec<TextWarning> =
        names.filter(is_missing).map(|name| TextWarning::NotMentioned { name: name.clone() }).collect();
    if !text.contains(['?', '？', '؟']) {
        warnings.push(TextWarning::NoQuestionMark);
    }
    let words = text.split_whitespace().count();
    if words < MIN_WORDS {
        warnings.push(TextWarning::TooShort { words });
    }
    warnings
}

impl ProjectState {
    /// Checks a text for a task; `None` if the task does not exist.
    pub fn check_text(&self, task: &str, activity: Activity, text: &str) -> Option<TextCheck> {
        let at = self.place(task)?;
        let question = &self.tasks[at].question;
        Some(TextCheck {
            faults: text_faults(self, at, activity, text),
            warnings: text_warnings(question, text),
            distance: text_distance(&question.question, text),
            changed_words: changed_words(&question.question, text),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_tokens() {
        assert!(has_words("who directed the film", "the film") && !has_words("the filmed", "the film"));
        assert!(has_token("is Q42 here?", "Q42") && !has_token("is Q421 here?", "Q42"));
        assert_eq!(changed_words("Who directed M?", "Who was it that directed M?"), 3);
    }
}
