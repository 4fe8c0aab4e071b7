//! The two structures made of columns: rows of numbers, and tables of strings.

use super::mapping::Column;
use crate::cast::to_usize;
use crate::error::{KbError, Result};
use std::path::Path;

/// The path of a column's file.
pub(crate) fn path_of(dir: &Path, name: &str) -> std::path::PathBuf {
    dir.join(format!("{name}.col"))
}

/// For each row a slice of values: compressed sparse rows.
#[derive(Clone)]
pub(crate) struct Rows {
    starts: Column<u32>,
    values: Column<u32>,
}

impl Rows {
    /// Opens `NAME.starts` and `NAME.values`.
    pub(crate) fn open(dir: &Path, name: &str) -> Result<Rows> {
        Ok(Rows {
            starts: Column::open(&path_of(dir, &format!("{name}.starts")))?,
            values: Column::open(&path_of(dir, &format!("{name}.values")))?,
        })
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    #[inline]
    pub(crate) fn row(&self, index: usize) -> &[u32] {
        &self.values[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Checks that there are `n_rows` rows and that every value is below `limit`.
    pub(crate) fn check(&self, dir: &Path, name: &str, n_rows: usize, limit: usize) -> Result<()> {
        check_starts(dir, &format!("{name}.starts"), &self.starts, n_rows, self.values.len())?;
        check_below(dir, &format!("{name}.values"), &self.values, limit)
    }
}

/// A table of strings.
#[derive(Clone)]
pub(crate) struct Strings {
    starts: Column<u64>,
    bytes: Column<u8>,
}

impl Strings {
    /// Opens `NAME.starts` and `NAME.bytes`.
    pub(crate) fn open(dir: &Path, name: &str) -> Result<Strings> {
        Ok(Strings {
            starts: Column::open(&path_of(dir, &format!("{name}.starts")))?,
            bytes: Column::open(&path_of(dir, &format!("{name}.bytes")))?,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    #[inline]
    pub(crate) fn bytes(&self, index: usize) -> &[u8] {
        &self.bytes[to_usize(self.starts[index])..to_usize(self.starts[index + 1])]
    }

    /// The string at a position. The bytes were checked to be UTF-8 when the store was verified.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> &str {
        std::str::from_utf8(self.bytes(index)).unwrap_or("\u{fffd}")
    }

    /// The position of a string within a sorted part of the table.
    pub(crate) fn find(&self, part: std::ops::Range<usize>, text: &str) -> Option<usize> {
        let (mut low, mut high) = (part.start, part.end);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.bytes(middle).cmp(text.as_bytes()) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Checks that there are `n` strings, all of them UTF-8.
    pub(crate) fn check(&self, dir: &Path, name: &str, n: usize) -> Result<()> {
        let starts_name = format!("{name}.starts");
        let fits = self.starts.len() == n + 1
            && self.starts.first() == Some(&0)
            && self.starts.last() == Some(&(self.bytes.len() as u64))
            && self.starts.is_sorted();
        if !fits {
            return Err(KbError::damaged(&path_of(dir, &starts_name), "the string table is inconsistent"));
        }
        let utf8 = std::str::from_utf8(&self.bytes)
            .is_ok_and(|text| self.starts.iter().all(|&at| text.is_char_boundary(to_usize(at))));
        if !utf8 {
            return Err(KbError::damaged(&path_of(dir, &format!("{name}.bytes")), "text is not UTF-8"));
        }
        Ok(())
    }
}

/// Checks the starts of `n_rows` rows over `n_values` values.
pub(crate) fn check_starts(
    dir: &Path,
    name: &str,
    starts: &[u32],
    n_rows: usize,
    n_values: usize,
) -> Result<()> {
    let fits = starts.len() == n_rows + 1
        && starts.first() == Some(&0)
        && starts.last().map(|&at| at as usize) == Some(n_values)
        && starts.is_sorted();
    if fits { Ok(()) } else { Err(KbError::damaged(&path_of(dir, name), "its rows are inconsistent")) }
}

/// Checks that every value is below a limit.
pub(crate) fn check_below(dir: &Path, name: &str, values: &[u32], limit: usize) -> Result<()> {
    match values.iter().max() {
        Some(&max) if max as usize >= limit => {
            Err(KbError::damaged(&path_of(dir, name), format!("it refers to item {max} of {limit}")))
        }
        _ => Ok(()),
    }
}

/// Checks the length of a column.
pub(crate) fn check_len(dir: &Path, name: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(KbError::damaged(&path_of(dir, name), format!("it has {found} items instead of {expected}")))
}
