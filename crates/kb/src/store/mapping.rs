//! Memory-mapped columns: the only `unsafe` code of the project.
//!
//! A [`Column`] is a file as a slice of plain numbers. Reading it needs no parsing and no copy,
//! and several processes share one copy in memory.
#![allow(unsafe_code)]

use crate::cast::to_usize;
use crate::error::{KbError, Result};
use bytemuck::Pod;
use memmap2::Mmap;
use std::fs::File;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

/// A read-only slice of `T` backed by a mapped file. Clones share the mapping.
#[derive(Clone)]
pub(crate) struct Column<T: Pod> {
    start: *const T,
    len: usize,
    /// Keeps the mapping alive as long as `start` is used; `None` for an empty column.
    _map: Option<Arc<Mmap>>,
}

// SAFETY: a column is an immutable view of plain data; the pointer is owned together with its mapping,
// and neither has thread affinity.
unsafe impl<T: Pod + Sync> Send for Column<T> {}
// SAFETY: as above; there is no interior mutability.
unsafe impl<T: Pod + Sync> Sync for Column<T> {}

impl<T: Pod> Column<T> {
    /// Maps a file. Its length must be a multiple of the size of `T`.
    pub(crate) fn open(path: &Path) -> Result<Column<T>> {
        let file = File::open(path).map_err(KbError::io("open", path))?;
        let bytes = to_usize(file.metadata().map_err(KbError::io("inspect", path))?.len());
        if bytes == 0 {
            return Ok(Column { start: std::ptr::NonNull::dangling().as_ptr(), len: 0, _map: None });
        }
        // SAFETY: the file is opened read-only and never written by this program after it was renamed
        // into place. If another program truncates it while it is mapped, the system ends this process
        // with a bus error; that cannot be excluded by any means short of copying the file.
        let map = unsafe { Mmap::map(&file) }.map_err(KbError::io("map", path))?;
        let slice: &[T] = bytemuck::try_cast_slice(&map).map_err(|_| {
            KbError::damaged(path, format!("{bytes} bytes is not a multiple of {}", size_of::<T>()))
        })?;
        let (start, len) = (slice.as_ptr(), slice.len());
        Ok(Column { start, len, _map: Some(Arc::new(map)) })
    }
}

impl<T: Pod> Deref for Column<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `start` and `len` come from a slice into `_map` (or are dangling and 0), the mapping is
        // never moved or unmapped while `self` lives, and `T: Pod` accepts every bit pattern.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

/// A mapped name index: the bytes of a finite-state transducer.
#[derive(Clone)]
pub(crate) struct MappedBytes(pub(crate) Arc<Column<u8>>);

impl AsRef<[u8]> for MappedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
