//! Tables that fit the terminal.
//!
//! A table is at most as wide as the terminal (80 columns where there is none; `COLUMNS` and `--wide` overrule
//! that). Numbers are never broken or shortened. Text wraps between words, and a word that is too long loses its
//! middle to an ellipsis. If that is not enough, columns that the caller declared optional are left out, with a
//! line that names them; if that is not enough either, the table is printed in blocks of columns, each of which
//! repeats the first column.

use std::fmt::{Display, Formatter, Write};
use std::io::IsTerminal;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width where there is no terminal.
const DEFAULT_WIDTH: usize = 80;
/// No table is made narrower than this.
const MIN_WIDTH: usize = 20;
/// Text columns are at least this wide as long as optional columns can be left out instead.
const ROOMY: usize = 22;
/// Text columns are at least this wide as long as the table can be printed in blocks instead.
const NARROW: usize = 10;

/// A blank at which no line is broken.
const KEEP: char = '\u{a0}';

static WIDE: AtomicBool = AtomicBool::new(false);

/// From now on tables are as wide as their content (`--wide`).
pub fn set_wide() {
    WIDE.store(true, Ordering::Relaxed);
}

/// The number of columns that lines may use.
pub fn width() -> usize {
    if WIDE.load(Ordering::Relaxed) {
        return usize::MAX / 2;
    }
    if let Some(width) = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok()) {
        return MIN_WIDTH.max(width);
    }
    let out = std::io::stdout();
    let terminal = if out.is_terminal() { terminal_size::terminal_size_of(out) } else { None };
    terminal.map_or(DEFAULT_WIDTH, |(width, _)| MIN_WIDTH.max(usize::from(width.0)))
}

/// Rows under headings.
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

struct Column {
    heading: String,
    /// Whether it can be left out, and when: 1 is the first.
    optional: Option<usize>,
    /// Shown whole, if half of the width is enough for it.
    whole: bool,
}

/// What a column needs.
#[derive(Clone, Copy)]
struct Needs {
    /// Everything in one line.
    natural: usize,
    /// Numbers and whole words of the heading.
    least: usize,
    /// Numbers, or a column that is shown whole: `least` is what it gets.
    rigid: bool,
}

impl Table {
    /// An empty table.
    pub fn new(headings: &[&str]) -> Table {
        let column = |heading: &&str| Column { heading: (*heading).to_owned(), optional: None, whole: false };
        Table { columns: headings.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Names the columns that are left out where space is short, in this order.
    pub fn optional(mut self, headings: &[&str]) -> Table {
        for (at, heading) in headings.iter().enumerate() {
            for column in self.columns.iter_mut().filter(|column| column.heading == *heading) {
                column.optional = Some(at + 1);
            }
        }
        self
    }

    /// Names the columns whose text is worth more than that of others, such as ids to be copied.
    pub fn whole(mut self, headings: &[&str]) -> Table {
        for column in self.columns.iter_mut().filter(|column| headings.contains(&column.heading.as_str())) {
            column.whole = true;
        }
        self
    }

    /// Adds a row; cells that are missing are empty.
    pub fn add_row<I>(&mut self, cells: I)
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    fn needs(&self, at: usize, width: usize) -> Needs {
        let Column { heading, whole, .. } = &self.columns[at];
        let cells = || self.rows.iter().map(|row| row[at].as_str()).filter(|cell| !cell.is_empty());
        let widest = cells().flat_map(str::lines).map(UnicodeWidthStr::width).max().unwrap_or(0);
        let natural = widest.max(heading.width());
        let heading_word = heading.split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0);
        let mut all = cells().peekable();
        let numeric = all.peek().is_some() && all.all(is_numeric);
        if numeric || *whole && widest <= width / 2 {
            return Needs { natural, least: widest.max(heading_word), rigid: true };
        }
        let numbers = cells().flat_map(str::split_whitespace).filter(|word| is_number(word));
        let number = numbers.map(UnicodeWidthStr::width).max().unwrap_or(0);
        Needs { natural, least: number.min(width / 2), rigid: false }
    }

    /// The widths with which columns fit, if text may become as narrow as `narrow`.
    fn fit(all: &[Needs], columns: &[usize], width: usize, narrow: usize) -> Option<Vec<usize>> {
        let needs: Vec<Needs> = columns.iter().map(|&at| all[at]).collect();
        // A blank before and after each cell, but not at the end of the line.
        let room = (width + 1).checked_sub(2 * columns.len())?;
        if needs.iter().map(|needs| needs.natural).sum::<usize>() <= room {
            return Some(needs.iter().map(|needs| needs.natural).collect());
        }
        let floor = |needs: &Needs| {
            if needs.rigid { needs.least } else { needs.least.max(needs.natural.min(narrow)) }
        };
        let mut widths: Vec<usize> = needs.iter().map(floor).collect();
        let mut left = room.checked_sub(widths.iter().sum())?;
        // What is left goes to the narrowest column that needs more, one by one: text first, then headings.
        for rigid in [false, true] {
            while left > 0 {
                let open = (0..widths.len())
                    .filter(|&at| needs[at].rigid == rigid && widths[at] < needs[at].natural);
                let Some(at) = open.min_by_key(|&at| widths[at]) else { break };
                widths[at] += 1;
                left -= 1;
            }
        }
        Some(widths)
    }

    /// The table in at most `width` columns.
    fn render(&self, width: usize) -> String {
        let mut columns: Vec<usize> = (0..self.columns.len()).collect();
        let needs: Vec<Needs> = columns.iter().map(|&at| self.needs(at, width)).collect();
        let mut left_out: Vec<usize> = Vec::new();
        let mut text = String::new();
        loop {
            let next = columns.iter().copied().filter(|&at| self.columns[at].optional.is_some());
            let next = next.min_by_key(|&at| self.columns[at].optional);
            let narrow = if next.is_some() { ROOMY } else { NARROW };
            if let Some(widths) = Table::fit(&needs, &columns, width, narrow) {
                self.block(&mut text, &columns, &widths);
                break;
            }
            match next {
                Some(at) => {
                    columns.retain(|&column| column != at);
                    left_out.push(at);
                }
                None => {
                    self.blocks(&mut text, &needs, &columns, width);
                    break;
                }
            }
        }
        if !left_out.is_empty() {
            left_out.sort_unstable();
            let names: Vec<&str> = left_out.iter().map(|&at| self.columns[at].heading.as_str()).collect();
            let note = format!("not shown for lack of space: {} (--wide shows all)", names.join(", "));
            text.push_str(&wrapped(&note, "", width));
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Blocks of as many columns as fit, each with the first column.
    fn blocks(&self, text: &mut String, needs: &[Needs], columns: &[usize], width: usize) {
        let Some((&first, mut rest)) = columns.split_first() else { return };
        if rest.is_empty() {
            return self.squeezed(text, needs, columns, width);
        }
        while !rest.is_empty() {
            let with_first = |range: Range<usize>| -> Vec<usize> {
                std::iter::once(first).chain(rest[range].iter().copied()).collect()
            };
            let fitting = (1..=rest.len()).rev().find_map(|n| {
                let columns = with_first(0..n);
                Table::fit(needs, &columns, width, NARROW).map(|widths| (n, columns, widths))
            });
            let n = match fitting {
                Some((n, columns, widths)) => {
                    self.block(text, &columns, &widths);
                    n
                }
                None => {
                    self.squeezed(text, needs, &with_first(0..1), width);
                    1
                }
            };
            rest = &rest[n..];
            if !rest.is_empty() {
                text.push('\n');
            }
        }
    }

    /// One or two columns for which there is no room: even numbers may be shortened.
    fn squeezed(&self, text: &mut String, needs: &[Needs], columns: &[usize], width: usize) {
        let room = (width + 1).saturating_sub(2 * columns.len());
        let mut left = room;
        let mut widths = Vec::new();
        for (at, &column) in columns.iter().enumerate() {
            let share = left / (columns.len() - at);
            let natural = needs[column].natural.min(share).max(1);
            left = left.saturating_sub(natural);
            widths.push(natural);
        }
        self.block(text, columns, &widths);
    }

    fn block(&self, text: &mut String, columns: &[usize], widths: &[usize]) {
        let headings: Vec<&str> = columns.iter().map(|&at| self.columns[at].heading.as_str()).collect();
        line_of(text, &headings, widths);
        let all = widths.iter().map(|width| width + 2).sum::<usize>().saturating_sub(1);
        let _ = writeln!(text, "{}", "─".repeat(all));
        for row in &self.rows {
            let cells: Vec<&str> = columns.iter().map(|&at| row[at].as_str()).collect();
            line_of(text, &cells, widths);
        }
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.render(width()))
    }
}

/// Writes the cells of a row next to each other, in as many lines as the longest needs.
fn line_of(text: &mut String, cells: &[&str], widths: &[usize]) {
    let lines: Vec<Vec<String>> = cells.iter().zip(widths).map(|(cell, width)| lines(cell, *width)).collect();
    for number in 0..lines.iter().map(Vec::len).max().unwrap_or(0) {
        let mut line = String::new();
        for (lines, width) in lines.iter().zip(widths) {
            let part = lines.get(number).map_or("", String::as_str);
            line.push(' ');
            line.push_str(&part.replace(KEEP, " "));
            line.extend(std::iter::repeat_n(' ', width.saturating_sub(part.width()) + 1));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

/// Text in lines of at most `width`; words are broken nowhere, but shortened if they are longer.
fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        if paragraph.width() <= width {
            lines.push(paragraph.to_owned());
            continue;
        }
        let indent = paragraph.len() - paragraph.trim_start().len();
        let mut line = paragraph[..indent.min(width / 2)].to_owned();
        let mut begun = false;
        for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
            let word = shortened(word, width);
            if begun && line.width() + 1 + word.width() > width {
                lines.push(std::mem::take(&mut line));
                begun = false;
            }
            if begun {
                line.push(' ');
            }
            if line.width() + word.width() > width {
                line.clear();
            }
            line.push_str(&word);
            begun = true;
        }
        lines.push(line);
    }
    lines
}

/// Text for people in lines that fit the terminal; lines after the first of a paragraph begin with `indent`.
pub fn wrapped(text: &str, indent: &str, width: usize) -> String {
    let mut out = String::new();
    for paragraph in text.lines() {
        if paragraph.width() <= width {
            let _ = writeln!(out, "{paragraph}");
            continue;
        }
        let mut line = String::new();
        let mut begun = false;
        // Words with the blanks before them: where a line is not broken, it stays as it is.
        let mut rest = paragraph.trim_end();
        while !rest.is_empty() {
            let blanks = rest.len() - rest.trim_start_matches(' ').len();
            let end = rest[blanks..].find(' ').map_or(rest.len(), |end| blanks + end);
            if begun && line.width() + rest[..end].width() > width {
                let _ = writeln!(out, "{line}");
                indent.clone_into(&mut line);
                line.push_str(&rest[blanks..end]);
            } else {
                line.push_str(&rest[..end]);
            }
            begun = true;
            rest = &rest[end..];
        }
        let _ = writeln!(out, "{line}");
    }
    out
}

/// A text of at most `width` columns; an ellipsis replaces its middle.
fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let keep = width.saturating_sub(1);
    let take = |chars: &mut dyn Iterator<Item = char>, room: usize| {
        let mut used = 0;
        chars
            .take_while(|c| {
                used += c.width().unwrap_or(0);
                used <= room
            })
            .collect::<Vec<char>>()
    };
    // The ends of paths and IRIs tell more than their beginnings.
    let head = if text.contains('/') { keep / 3 } else { keep - keep / 3 };
    let start: String = take(&mut text.chars(), head).into_iter().collect();
    let end: String = take(&mut text.chars().rev(), keep - head).into_iter().rev().collect();
    format!("{start}…{end}")
}

/// Numbers, signs, dates, intervals: what must stay in one piece.
fn is_numeric(cell: &str) -> bool {
    cell.split_whitespace().all(|word| word == "to" || word.chars().all(|c| !c.is_alphabetic()))
}

/// A word that is a number.
fn is_number(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || "+-–.,%()*†‡".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchstone_benchmark::Random;

    fn table(headings: &[&str], rows: &[&[&str]]) -> Table {
        let mut table = Table::new(headings);
        for row in rows {
            table.add_row(row.iter().copied());
        }
        table
    }

    #[test]
    fn numbers_stay_whole_and_words_wrap() {
        let rows: &[&[&str]] =
            &[&["gek_3", "0.123", "+0.420 to +0.617", "a sentence that is longer than its column can be"]];
        let text = table(&["measure", "all", "95 % interval", "why"], rows).render(50);
        assert_eq!(
            text,
            " measure  all    95 % interval     why\n\
             ──────────────────────────────────────────────────\n \
             gek_3    0.123  +0.420 to +0.617  a sentence that\n                                   \
             is longer than\n                                   \
             its column can\n                                   \
             be"
        );
    }

    #[test]
    fn optional_columns_go_first_and_are_named() {
        let make = || {
            let mut table = Table::new(&["run", "system", "started", "f1"]).optional(&["started", "system"]);
            table.add_row(["nearest", "nearest", "2026-11-17 19:47", "0.123"]);
            table
        };
        assert!(make().render(80).starts_with(" run      system   started           f1\n"));
        assert_eq!(
            make().render(40),
            " run      system   f1\n────────────────────────\n nearest  nearest  0.123\n\
             not shown for lack of space: started\n(--wide shows all)"
        );
    }

    #[test]
    fn too_many_numbers_make_blocks() {
        let headings: Vec<String> = (0..12).map(|n| format!("T{n} 10 %")).collect();
        let mut all = vec!["measure"];
        all.extend(headings.iter().map(String::as_str));
        let mut table = Table::new(&all);
        let numbers: Vec<String> = (0..12).map(|n| format!("0.{:03}", n * 7)).collect();
        table.add_row(std::iter::once("f1".to_owned()).chain(numbers.iter().cloned()));
        let text = table.render(60);
        assert_eq!(text.matches("measure").count(), 2);
        assert!(numbers.iter().all(|number| text.contains(number.as_str())), "{text}");
        assert!(text.lines().all(|line| line.width() <= 60), "{text}");
    }

    #[test]
    fn sentences_wrap_under_their_beginning() {
        assert_eq!(
            wrapped("  n      what it is over", "         ", 20),
            "  n      what it is\n         over\n"
        );
        assert_eq!(wrapped("short", "  ", 20), "short\n");
        assert_eq!(
            wrapped("a/path/that/is/too/long for it", "  ", 12),
            "a/path/that/is/too/long\n  for it\n"
        );
    }

    #[test]
    fn long_words_lose_their_middle() {
        assert_eq!(shortened("http://example.org/pokemon/Bohemian_Rhapsody", 21), "http:/…emian_Rhapsody");
        assert_eq!(shortened("Rindfleischetikettierung", 12), "Rindflei…ung");
        assert_eq!(shortened("日本語日本語", 5), "日…");
    }

    /// Whatever is in a table: no line is too wide, and each number can be read in one piece.
    #[test]
    fn random_tables_fit() {
        let mut random = Random::new(7, "tables");
        let words = ["a", "of", "Pokemon", "http://example.org/a/long/name", "Ünïcödé", "日本語", "12", ""];
        for _ in 0..400 {
            let n_columns = 1 + random.below(9);
            let numeric: Vec<bool> = (0..n_columns).map(|_| random.below(2) == 0).collect();
            let headings: Vec<String> =
                (0..n_columns).map(|at| format!("column {}", "x".repeat(at % 5))).collect();
            let mut table = Table::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
            let mut numbers = Vec::new();
            for row in 0..1 + random.below(5) {
                let cells: Vec<String> = (0..n_columns)
                    .map(|at| {
                        if numeric[at] {
                            numbers.push(format!("{row}{at}.{:03}", random.below(1000)));
                            return numbers.last().cloned().unwrap_or_default();
                        }
                        let n = random.below(12);
                        (0..n).map(|_| words[random.below(words.len())]).collect::<Vec<_>>().join(" ")
                    })
                    .collect();
                table.add_row(cells);
            }
            for width in [24, 40, 80, 100, 300] {
                let text = table.render(width);
                assert!(text.lines().all(|line| line.width() <= width), "{width}:\n{text}");
                for number in &numbers {
                    assert!(text.contains(number.as_str()), "{width}: {number}\n{text}");
                }
            }
        }
    }
}
