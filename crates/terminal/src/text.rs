//! Text from strangers that a terminal shows and does not obey.

use std::borrow::Cow;
use std::io::Write;

/// Whether a terminal obeys a character instead of showing it: controls, ends of lines other than ours, and what turns the direction of
/// writing. Labels and questions come from strangers.
fn is_unsafe(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() && !matches!(c, '\n' | '\t') || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A text that can be shown on a terminal: what a terminal would obey is replaced visibly.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(is_unsafe) { text.replace(is_unsafe, "\u{fffd}").into() } else { text.into() }
}

/// JSON that can be shown on a terminal, with the same value: outside of ASCII there are only strings, which have escapes.
pub fn escaped(json: &str) -> Cow<'_, str> {
    if !json.contains(is_unsafe) {
        return json.into();
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_unsafe(c) {
            escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            escaped.push(c);
        }
    }
    escaped.into()
}

/// Makes what is written to a terminal [`visible`].
pub struct VisibleWriter<W: Write> {
    out: W,
    /// The start of a character whose end has not been written yet.
    cut: Vec<u8>,
}

impl<W: Write> VisibleWriter<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> VisibleWriter<W> {
        VisibleWriter { out, cut: Vec::new() }
    }
}

impl<W: Write> Write for VisibleWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.cut.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.cut) {
            // An error without a length is a character that is cut off.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.cut.len(),
        };
        let text = String::from_utf8_lossy(&self.cut[..whole]);
        self.out.write_all(visible(&text).as_bytes())?;
        self.cut.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// A word of a command line of unknown origin: quoted if necessary, and without characters that change what a terminal shows.
///
/// ```
/// use touchstone_terminal::quoted;
/// assert_eq!(quoted("--out=a/b"), "--out=a/b");
/// assert_eq!(quoted("two words\u{1b}[1m"), r#""two words\u{1b}[1m""#);
/// ```
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("{word:?}") }
}

#[cfg(test)]
mod tests {
    use super::{VisibleWriter, escaped, visible};
    use std::io::Write;

    /// What terminals obey, and nothing else.
    const UNSAFE: &str = "\u{0}\u{7}\u{8}\r\u{1b}\u{7f}\u{85}\u{9b}\u{9d}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";

    #[test]
    fn terminals_obey_nothing_that_is_shown() {
        assert_eq!(visible(UNSAFE), "\u{fffd}".repeat(UNSAFE.chars().count()));
        let plain = "a\tb\n\u{200f}ש\u{200e}é\u{301}\u{200d}👩";
        assert_eq!(visible(plain), plain);
    }

    #[test]
    fn json_has_the_same_value_without_unsafe_characters() {
        let value = serde_json::json!({ UNSAFE: [UNSAFE, "é"] });
        let pretty = serde_json::to_string_pretty(&value).expect("JSON");
        let shown = escaped(&pretty);
        assert_eq!(visible(&shown), shown);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).expect("JSON"), value);
    }

    #[test]
    fn characters_that_are_cut_by_a_write_are_whole_again() {
        let text = format!("é{UNSAFE}👩\nend");
        let mut writer = VisibleWriter::new(Vec::new());
        for byte in text.as_bytes() {
            writer.write_all(&[*byte]).expect("written");
        }
        assert_eq!(String::from_utf8(writer.out).expect("text"), visible(&text));
    }
}
