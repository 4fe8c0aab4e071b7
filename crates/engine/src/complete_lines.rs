//! Queries from the lines of a pipe: a query goes on until its brackets and quotes are closed.

use std::io;
use touchstone_logic::typed::is_complete;

/// Joins lines into complete texts.
///
/// ```
/// use touchstone_engine::complete_lines;
/// let lines = ["Find(Paris", ") > What()", ".quit"].map(|line| Ok(line.to_owned()));
/// let texts: Vec<String> = complete_lines(lines.into_iter()).collect::<Result<_, _>>()?;
/// assert_eq!(texts, ["Find(Paris\n) > What()", ".quit"]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn complete_lines(
    mut lines: impl Iterator<Item = io::Result<String>>,
) -> impl Iterator<Item = io::Result<String>> {
    std::iter::from_fn(move || {
        let mut text = String::new();
        loop {
            match lines.next() {
                Some(Ok(line)) => {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(&line);
                    if text.trim().is_empty() || is_complete(&text) {
                        return Some(Ok(text));
                    }
                }
                Some(Err(error)) => return Some(Err(error)),
                None => return (!text.is_empty()).then_some(Ok(text)),
            }
        }
    })
}
