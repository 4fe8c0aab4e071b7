//! The bodies of requests and replies, within a limit on the memory of all of them together.

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory is counted in units of this many bytes.
const UNIT: u64 = 1024;

/// A reply is passed to its connection in pieces of this size, so that the memory of sent pieces is freed.
const PIECE: usize = 64 << 10;

/// The memory that bodies may hold. It is reserved before a body is held.
#[derive(Debug)]
pub(super) struct Memory {
    units: Arc<Semaphore>,
    total: u32,
    reserved: AtomicU64,
    most: AtomicU64,
}

/// Reserved memory; dropping it releases the memory.
#[derive(Debug)]
pub(super) struct Reserved {
    permit: OwnedSemaphorePermit,
    memory: Arc<Memory>,
}

impl Memory {
    pub(super) fn new(bytes: u64) -> Arc<Memory> {
        let total = units(bytes).min(1 << 29);
        Arc::new(Memory {
            units: Arc::new(Semaphore::new(total as usize)),
            total,
            reserved: AtomicU64::new(0),
            most: AtomicU64::new(0),
        })
    }

    /// Waits until this number of bytes is free. A request for more than the whole memory waits for all of it.
    pub(super) async fn reserve(self: &Arc<Memory>, bytes: u64) -> Option<Reserved> {
        let wanted = units(bytes).min(self.total);
        Arc::clone(&self.units).acquire_many_owned(wanted).await.ok().map(|permit| self.counted(permit))
    }

    /// The same without waiting; `None` if there is not enough memory.
    pub(super) fn try_reserve(self: &Arc<Memory>, bytes: u64) -> Option<Reserved> {
        let wanted = units(bytes).min(self.total);
        Arc::clone(&self.units).try_acquire_many_owned(wanted).ok().map(|permit| self.counted(permit))
    }

    /// The most bytes that were reserved at once.
    pub(super) fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    fn counted(self: &Arc<Memory>, permit: OwnedSemaphorePermit) -> Reserved {
        let bytes = permit.num_permits() as u64 * UNIT;
        let reserved = self.reserved.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.most.fetch_max(reserved, Ordering::Relaxed);
        Reserved { permit, memory: Arc::clone(self) }
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.memory.reserved.fetch_sub(self.permit.num_permits() as u64 * UNIT, Ordering::Relaxed);
    }
}

fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).max(1)
}

/// Why there is no body.
#[derive(Debug)]
pub(super) enum Unread {
    TooLong,
    Broken,
}

/// Reads a body, up to a number of bytes.
pub(super) async fn read(body: Incoming, longest: usize) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    let mut body = pin!(body);
    while let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await {
        let frame = frame.map_err(|_| Unread::Broken)?;
        if let Ok(data) = frame.into_data() {
            if bytes.len() + data.len() > longest {
                return Err(Unread::TooLong);
            }
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes)
}

/// The body of a reply, with the memory reserved for it.
#[derive(Debug)]
pub(super) struct Reply {
    bytes: Vec<u8>,
    sent: usize,
    _reserved: Option<Reserved>,
}

impl Reply {
    pub(super) fn new(bytes: Vec<u8>, reserved: Reserved) -> Reply {
        Reply { bytes, sent: 0, _reserved: Some(reserved) }
    }

    /// A message of a line or two, for which nothing is reserved.
    pub(super) fn short(text: String) -> Reply {
        Reply { bytes: text.into(), sent: 0, _reserved: None }
    }
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let end = self.bytes.len().min(self.sent + PIECE);
        // A copy: a slice would keep the whole reply in memory after the end of the reservation.
        let piece = Bytes::copy_from_slice(&self.bytes[self.sent..end]);
        self.sent = end;
        Poll::Ready((!piece.is_empty()).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.sent == self.bytes.len()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact((self.bytes.len() - self.sent) as u64)
    }
}
