//! Completions of a query that is being typed.

use super::Studio;
use super::problem::Problem;
use super::request::PageRequest;
use super::response::Reply;
use serde::Serialize;
use touchstone_engine::completion::Completion;

#[derive(Serialize)]
struct Completed<'c> {
    /// What the words replace: from this character of the query to the cursor, counted as JavaScript does.
    from: usize,
    words: Vec<Word<'c>>,
}

#[derive(Serialize)]
struct Word<'c> {
    text: &'c str,
    what: &'c str,
}

pub(super) fn data(studio: &Studio, request: &PageRequest) -> Result<Reply, Problem> {
    // Spaces matter here: they separate words.
    let query = request.raw("q");
    let at = match request.text("at")? {
        "" => None,
        text => {
            let number = text.parse::<usize>().ok();
            Some(number.ok_or_else(|| Problem::bad("`at` must be the position of the cursor").field("at"))?)
        }
    };
    let before = at.map_or(query, |at| up_to(query, at));
    let (from, found) = studio.completions.at_end_of(before);
    let from = before[..from].encode_utf16().count();
    let word = |completion: &'_ Completion| -> bool { completion.what != "command" };
    let words = found.iter().filter(|completion| word(completion));
    let words = words.map(|completion| Word { text: &completion.text, what: &completion.what }).collect();
    Ok(Reply::json(&Completed { from, words }))
}

/// The text before a position in UTF-16 units.
fn up_to(text: &str, at: usize) -> &str {
    let mut units = 0;
    for (index, character) in text.char_indices() {
        if units >= at {
            return &text[..index];
        }
        units += character.len_utf16();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::up_to;

    #[test]
    fn positions_are_those_of_javascript() {
        for (at, expected) in [(0, ""), (1, "a"), (2, "aé"), (4, "aé😀"), (5, "aé😀b"), (9, "aé😀b")]
        {
            assert_eq!(up_to("aé😀b", at), expected);
        }
        // In the middle of a pair.
        assert_eq!(up_to("aé😀b", 3), "aé😀");
    }
}
