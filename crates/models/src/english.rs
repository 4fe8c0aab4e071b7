//! The words of questions, as the published systems cut them.

use serde::{Deserialize, Serialize};
use touchstone_benchmark::linguistic;

/// How a question is cut into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionWords {
    /// At blanks, with blanks around `? . ! , ;`: the neural SPARQL study.
    Blanks,
    /// At blanks and before every other mark, like NLTK's `word_tokenize`: KQA Pro.
    Tokens,
}

impl QuestionWords {
    /// The words of a question.
    pub fn of(self, question: &str, lower_case: bool) -> Vec<String> {
        let lower;
        let text = if lower_case {
            lower = question.to_lowercase();
            &lower
        } else {
            question
        };
        match self {
            QuestionWords::Blanks => with_blanks(text).split_whitespace().map(str::to_owned).collect(),
            QuestionWords::Tokens => linguistic::tokens(text).into_iter().map(str::to_owned).collect(),
        }
    }
}

/// Sets marks apart. A full stop or comma inside a number or an abbreviation stays, because the study put blanks around the marks of sentences.
fn with_blanks(text: &str) -> String {
    let mut apart = String::with_capacity(text.len() + 8);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_end = chars.peek().is_none_or(|next| next.is_whitespace());
        let is_mark = matches!(c, '?' | '!' | ';') || (matches!(c, '.' | ',') && is_end);
        if is_mark {
            apart.push(' ');
            apart.push(c);
            apart.push(' ');
        } else {
            apart.push(c);
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_cut() {
        let words = |how: QuestionWords| how.of("Who, in the U.S.A., is 1.5 m?", true).join("|");
        assert_eq!(words(QuestionWords::Blanks), "who|,|in|the|u.s.a.|,|is|1.5|m|?");
        assert_eq!(words(QuestionWords::Tokens), "who|,|in|the|u|.|s|.|a|.|,|is|1.5|m|?");
    }
}
