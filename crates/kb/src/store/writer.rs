//! Writes the columns of a store, hashing them on the way.

use super::columns::path_of;
use super::verify;
use crate::cast::index32;
use crate::error::{KbError, Result};
use bytemuck::Pod;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Collects the files of one store directory.
pub(crate) struct StoreWriter {
    dir: PathBuf,
    hashes: Mutex<Vec<(String, blake3::Hash)>>,
}

impl StoreWriter {
    pub(crate) fn new(dir: &Path) -> StoreWriter {
        StoreWriter { dir: dir.to_path_buf(), hashes: Mutex::new(Vec::new()) }
    }

    /// Starts a column of numbers.
    pub(crate) fn column<T: Pod>(&self, name: &str) -> Result<ColumnWriter<'_, T>> {
        Ok(ColumnWriter {
            file: self.file(path_of(&self.dir, name))?,
            len: 0,
            _kind: std::marker::PhantomData,
        })
    }

    /// Writes a whole column at once.
    pub(crate) fn write<T: Pod>(&self, name: &str, values: &[T]) -> Result<()> {
        let mut column = self.column(name)?;
        column.extend(values)?;
        column.finish().map(drop)
    }

    /// Writes rows at once.
    pub(crate) fn write_rows(&self, name: &str, rows: &RowsBuffer) -> Result<()> {
        self.write(&format!("{name}.starts"), &rows.starts)?;
        self.write(&format!("{name}.values"), &rows.values)
    }

    /// Writes a table of strings.
    pub(crate) fn write_strings<'a>(
        &self,
        name: &str,
        strings: impl IntoIterator<Item = &'a str>,
    ) -> Result<()> {
        let mut starts = self.column::<u64>(&format!("{name}.starts"))?;
        let mut bytes = self.column::<u8>(&format!("{name}.bytes"))?;
        starts.push(0)?;
        for text in strings {
            bytes.extend(text.as_bytes())?;
            starts.push(bytes.len())?;
        }
        starts.finish()?;
        bytes.finish().map(drop)
    }

    fn file(&self, path: PathBuf) -> Result<HashedFile<'_>> {
        let file = File::create(&path).map_err(KbError::io("create", &path))?;
        let block = Vec::with_capacity(BLOCK);
        Ok(HashedFile { file, block, hasher: blake3::Hasher::new(), path, store: self })
    }

    /// Writes the manifest and the checksums; the store is complete after it.
    pub(crate) fn finish(self, manifest: &[u8]) -> Result<()> {
        let mut file = self.file(self.dir.join(verify::MANIFEST))?;
        file.write(manifest)?;
        file.finish()?;
        let mut hashes = self.hashes.into_inner().unwrap_or_else(|e| e.into_inner());
        hashes.sort_by(|a, b| a.0.cmp(&b.0));
        verify::write_checksums(&self.dir, &hashes)
    }
}

/// Size of the blocks that are hashed and written: hashing four bytes at a time would dominate.
const BLOCK: usize = 1 << 17;

struct HashedFile<'s> {
    file: File,
    block: Vec<u8>,
    hasher: blake3::Hasher,
    path: PathBuf,
    store: &'s StoreWriter,
}

impl HashedFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if self.block.len() + bytes.len() > BLOCK {
            self.flush_block()?;
        }
        if bytes.len() >= BLOCK {
            self.hasher.update(bytes);
            return self.file.write_all(bytes).map_err(KbError::io("write", &self.path));
        }
        self.block.extend_from_slice(bytes);
        Ok(())
    }

    fn flush_block(&mut self) -> Result<()> {
        self.hasher.update(&self.block);
        self.file.write_all(&self.block).map_err(KbError::io("write", &self.path))?;
        self.block.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.flush_block()?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut hashes = self.store.hashes.lock().unwrap_or_else(|e| e.into_inner());
        hashes.push((name, self.hasher.finalize()));
        Ok(())
    }
}

/// A column that grows value by value.
pub(crate) struct ColumnWriter<'s, T: Pod> {
    file: HashedFile<'s>,
    len: u64,
    _kind: std::marker::PhantomData<T>,
}

impl<T: Pod> ColumnWriter<'_, T> {
    pub(crate) fn push(&mut self, value: T) -> Result<()> {
        self.extend(&[value])
    }

    pub(crate) fn extend(&mut self, values: &[T]) -> Result<()> {
        self.len += values.len() as u64;
        self.file.write(bytemuck::cast_slice(values))
    }

    /// The number of values so far.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Closes the column and returns its length.
    pub(crate) fn finish(self) -> Result<u64> {
        self.file.finish()?;
        Ok(self.len)
    }
}

/// Rows that fit in memory.
#[derive(Default)]
pub(crate) struct RowsBuffer {
    pub(crate) starts: Vec<u32>,
    pub(crate) values: Vec<u32>,
}

impl RowsBuffer {
    /// Rows in the given order.
    pub(crate) fn from_lists(lists: &[Vec<u32>]) -> Result<RowsBuffer> {
        let n_values: usize = lists.iter().map(Vec::len).sum();
        if n_values > u32::MAX as usize {
            return Err(KbError::TooMany { what: "entries in one table", limit: u32::MAX.into() });
        }
        let mut rows = RowsBuffer::default();
        rows.starts.push(0);
        rows.values.reserve_exact(n_values);
        for list in lists {
            rows.values.extend_from_slice(list);
            rows.starts.push(index32(rows.values.len()));
        }
        Ok(rows)
    }

    /// Rows from pairs that are sorted by row; duplicates are kept.
    pub(crate) fn from_sorted_pairs(n_rows: usize, pairs: &[(u32, u32)]) -> Result<RowsBuffer> {
        if pairs.len() > u32::MAX as usize {
            return Err(KbError::TooMany { what: "entries in one table", limit: u32::MAX.into() });
        }
        let mut starts = Vec::with_capacity(n_rows + 1);
        starts.push(0);
        let mut at = 0;
        for row in 0..index32(n_rows) {
            while at < pairs.len() && pairs[at].0 == row {
                at += 1;
            }
            starts.push(index32(at));
        }
        Ok(RowsBuffer { starts, values: pairs.iter().map(|&(_, value)| value).collect() })
    }
}
