//! Sorting more records than memory holds: sorted runs on disk, merged while reading.
//!
//! Memory is bounded by the given budget; below it nothing is written to disk.

use crate::error::{KbError, Result};
use bytemuck::Pod;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The folder and the memory that an import may use.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The folder for temporary files.
    pub dir: PathBuf,
    /// Bytes of records that each stage may hold in memory before it writes to disk.
    pub memory: usize,
}

impl Workspace {
    fn temporary_file(&self) -> Result<File> {
        tempfile::tempfile_in(&self.dir).map_err(KbError::io("create a temporary file in", &self.dir))
    }

    fn capacity<T>(&self) -> usize {
        (self.memory / size_of::<T>()).max(16)
    }
}

/// Records in insertion order, on disk beyond the budget.
pub(crate) struct Spill<T> {
    workspace: Workspace,
    buffer: Vec<T>,
    file: Option<(File, u64)>,
}

impl<T: Pod> Spill<T> {
    pub(crate) fn new(workspace: &Workspace) -> Spill<T> {
        Spill { workspace: workspace.clone(), buffer: Vec::new(), file: None }
    }

    pub(crate) fn len(&self) -> u64 {
        self.buffer.len() as u64 + self.file.as_ref().map_or(0, |(_, n)| *n)
    }

    pub(crate) fn push(&mut self, record: T) -> Result<()> {
        if self.buffer.len() >= self.workspace.capacity::<T>() {
            let (file, n) = match &mut self.file {
                Some(file) => file,
                none => none.insert((self.workspace.temporary_file()?, 0)),
            };
            file.write_all(bytemuck::cast_slice(&self.buffer))
                .map_err(KbError::io("write to", &self.workspace.dir))?;
            *n += self.buffer.len() as u64;
            self.buffer.clear();
        }
        self.buffer.push(record);
        Ok(())
    }

    /// Visits all records in insertion order; may be called again.
    pub(crate) fn for_each(&mut self, mut visit: impl FnMut(&T) -> Result<()>) -> Result<()> {
        if let Some((file, n)) = &mut self.file {
            let dir = &self.workspace.dir;
            file.seek(SeekFrom::Start(0)).map_err(KbError::io("read from", dir))?;
            let mut run = Run::new(&*file, *n);
            while let Some(record) = run.next(dir)? {
                visit(&record)?;
            }
            file.seek(SeekFrom::End(0)).map_err(KbError::io("read from", dir))?;
        }
        self.buffer.iter().try_for_each(visit)
    }

    /// Passes on all records, in insertion order.
    pub(crate) fn into_each(mut self, mut visit: impl FnMut(T) -> Result<()>) -> Result<()> {
        self.for_each(|record| visit(*record))
    }
}

/// Reads records back from a file.
struct Run<R, T> {
    reader: BufReader<R>,
    left: u64,
    _kind: std::marker::PhantomData<T>,
}

impl<R: Read, T: Pod> Run<R, T> {
    fn new(file: R, left: u64) -> Run<R, T> {
        Run { reader: BufReader::with_capacity(1 << 18, file), left, _kind: std::marker::PhantomData }
    }

    fn next(&mut self, dir: &Path) -> Result<Option<T>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut record = T::zeroed();
        self.reader.read_exact(bytemuck::bytes_of_mut(&mut record)).map_err(KbError::io("read from", dir))?;
        Ok(Some(record))
    }
}

/// Records that are returned in ascending order.
pub(crate) struct Sorter<T> {
    workspace: Workspace,
    buffer: Vec<T>,
    runs: Vec<(File, u64)>,
}

impl<T: Pod + Ord + Send + Sync> Sorter<T> {
    pub(crate) fn new(workspace: &Workspace) -> Sorter<T> {
        Sorter { workspace: workspace.clone(), buffer: Vec::new(), runs: Vec::new() }
    }

    pub(crate) fn push(&mut self, record: T) -> Result<()> {
        if self.buffer.len() >= self.workspace.capacity::<T>() {
            self.write_run()?;
        }
        self.buffer.push(record);
        Ok(())
    }

    fn write_run(&mut self) -> Result<()> {
        self.buffer.par_sort_unstable();
        let dir = &self.workspace.dir;
        let mut out = BufWriter::with_capacity(1 << 18, self.workspace.temporary_file()?);
        let written = out
            .write_all(bytemuck::cast_slice(&self.buffer))
            .and_then(|()| out.into_inner().map_err(std::io::IntoInnerError::into_error))
            .and_then(|mut file| file.seek(SeekFrom::Start(0)).map(|_| file));
        self.runs.push((written.map_err(KbError::io("write to", dir))?, self.buffer.len() as u64));
        self.buffer.clear();
        if self.runs.len() >= MAX_RUNS {
            self.join_runs()?;
        }
        Ok(())
    }

    /// Merges all runs into one: every run needs an open file, whose number is limited.
    fn join_runs(&mut self) -> Result<()> {
        let dir = self.workspace.dir.clone();
        let mut out = BufWriter::with_capacity(1 << 18, self.workspace.temporary_file()?);
        let mut n = 0;
        merge(std::mem::take(&mut self.runs), &dir, |record: &T| {
            n += 1;
            out.write_all(bytemuck::bytes_of(record)).map_err(KbError::io("write to", &dir))
        })?;
        let written = out
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)
            .and_then(|mut file| file.seek(SeekFrom::Start(0)).map(|_| file));
        self.runs.push((written.map_err(KbError::io("write to", &dir))?, n));
        Ok(())
    }

    /// Visits all records in ascending order.
    pub(crate) fn for_each(mut self, visit: impl FnMut(&T) -> Result<()>) -> Result<()> {
        if self.runs.is_empty() {
            self.buffer.par_sort_unstable();
            return self.buffer.iter().try_for_each(visit);
        }
        self.write_run()?;
        merge(self.runs, &self.workspace.dir, visit)
    }
}

/// Maximum number of runs to keep before they are joined.
const MAX_RUNS: usize = 64;

/// Visits the records of several sorted runs in ascending order.
fn merge<T: Pod + Ord>(
    runs: Vec<(File, u64)>,
    dir: &Path,
    mut visit: impl FnMut(&T) -> Result<()>,
) -> Result<()> {
    let mut runs: Vec<Run<File, T>> = runs.into_iter().map(|(file, n)| Run::new(file, n)).collect();
    let mut heap = BinaryHeap::with_capacity(runs.len());
    for (index, run) in runs.iter_mut().enumerate() {
        if let Some(record) = run.next(dir)? {
            heap.push(Reverse((record, index)));
        }
    }
    while let Some(Reverse((record, index))) = heap.pop() {
        visit(&record)?;
        if let Some(next) = runs[index].next(dir)? {
            heap.push(Reverse((next, index)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_disk_and_in_memory_agree() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let records: Vec<[u32; 2]> = (0..5000u32).map(|i| [i.wrapping_mul(2654435761) % 977, i]).collect();
        let mut expected = records.clone();
        expected.sort_unstable();
        for memory in [64, 4096, 1 << 20] {
            let workspace = Workspace { dir: dir.path().to_path_buf(), memory };
            let (mut spill, mut sorter) = (Spill::new(&workspace), Sorter::new(&workspace));
            for record in &records {
                spill.push(*record).expect("push");
                sorter.push(*record).expect("push");
            }
            let mut sorted = Vec::new();
            sorter
                .for_each(|r| {
                    sorted.push(*r);
                    Ok(())
                })
                .expect("sort");
            assert_eq!(sorted, expected, "memory {memory}");
            for _ in 0..2 {
                let mut seen = Vec::new();
                spill
                    .for_each(|r| {
                        seen.push(*r);
                        Ok(())
                    })
                    .expect("read");
                assert_eq!(seen, records, "memory {memory}");
            }
            assert_eq!(spill.len(), 5000);
        }
    }
}
