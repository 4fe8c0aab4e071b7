//! Accepts HTTP connections: a limited number at once, each with time limits. What answers the requests is given.

use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io::{Error, ErrorKind, Result};
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Sleep;
use touchstone_engine::budget::Cancel;

/// Size of a connection's buffer: the head of a request and the start of its body. Addresses are shorter than 64 KB.
const READ_BUFFER: usize = 128 << 10;

/// The interval at which the server checks whether it was stopped, and the wait after the system refuses a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Maximum number of connections that wait to be accepted. With the usual 128, further clients are reset while slow queries occupy all connections.
const BACKLOG: u32 = 4096;

/// The limits on connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// The maximum number of open connections; others wait to be accepted.
    pub at_once: usize,
    /// How long a connection may be idle, or take to send the head of a request.
    pub header_time: Duration,
    /// Maximum time without progress while a reply is sent.
    pub idle_time: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        ConnectionLimits {
            // Half of the files that a process may have open on most systems.
            at_once: 512,
            header_time: Duration::from_secs(5),
            idle_time: Duration::from_secs(10),
        }
    }
}

/// Whether the host of a request is this machine itself: `localhost` or a loopback address, with or without a port.
///
/// A page of another site whose name resolves to this machine sends its own name as the host. A server on loopback that refuses other
/// hosts than these cannot be read by such a page.
///
/// ```
/// use touchstone_protocol::is_local_host;
/// assert!(is_local_host("localhost:8080") && is_local_host("[::1]") && is_local_host("127.0.0.1"));
/// assert!(!is_local_host("localhost.example.org"));
/// ```
pub fn is_local_host(host: &str) -> bool {
    let name = host_name(host);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The name of a host without its port.
pub fn host_name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(""),
        None => host.split(':').next().unwrap_or(""),
    }
}

/// Listens at an address; call it within a runtime.
pub fn listen(address: SocketAddr) -> Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A port that was in use shortly before can be used again, as with the standard library.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// The numbers of connections that a server had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConnectionCounts {
    /// All of them.
    pub all: u64,
    /// The most that were open at once.
    pub most: u64,
}

/// Accepts connections until `stop` is cancelled, then waits for those that are open. `answer` gets every request.
pub async fn accept<A, F, B>(
    listener: TcpListener,
    answer: A,
    limits: &ConnectionLimits,
    stop: &Cancel,
) -> ConnectionCounts
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let limit = u32::try_from(limits.at_once).unwrap_or(u32::MAX).clamp(1, 1 << 29);
    let free = Arc::new(Semaphore::new(limit as usize));
    let mut counts = ConnectionCounts::default();
    let (stopping, stopped) = watch::channel(());
    let mut protocol = http1::Builder::new();
    protocol.timer(TokioTimer::new()).header_read_timeout(limits.header_time).max_buf_size(READ_BUFFER);
    loop {
        // Clients without a free connection wait in the queue of the operating system, at no cost to the server.
        let accepted = tokio::select! {
            () = cancelled(stop) => break,
            accepted = next(&listener, &free) => accepted,
        };
        let (stream, permit) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Usually too many open files: it works again when other connections close.
                tracing::debug!(%error, "cannot accept a connection");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        counts.all += 1;
        counts.most = counts.most.max(u64::from(limit) - free.available_permits() as u64);
        let stream = ImpatientStream { stream, patience: limits.idle_time, stalled: None };
        let (answer, protocol, mut stopped) = (answer.clone(), protocol.clone(), stopped.clone());
        tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let answered = answer(request);
                async move { Ok::<_, Infallible>(answered.await) }
            });
            let mut connection = pin!(protocol.serve_connection(TokioIo::new(stream), answer));
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                _ = stopped.changed() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended");
            }
            drop(permit);
        });
    }
    drop(listener);
    drop(stopping);
    // Every connection that has ended has returned its permit.
    let _ = free.acquire_many(limit).await;
    counts
}

async fn cancelled(stop: &Cancel) {
    while !stop.is_cancelled() {
        tokio::time::sleep(PAUSE).await;
    }
}

async fn next(listener: &TcpListener, free: &Arc<Semaphore>) -> Result<(TcpStream, OwnedSemaphorePermit)> {
    let permit = Arc::clone(free).acquire_owned().await.map_err(Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, permit))
}

/// A connection that fails if the other side accepts no data for too long.
struct ImpatientStream {
    stream: TcpStream,
    patience: Duration,
    /// Runs while data is waiting to be written.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl ImpatientStream {
    fn watched<T>(&mut self, context: &mut Context<'_>, written: Poll<Result<T>>) -> Poll<Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        match stalled.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for ImpatientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for ImpatientStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watched(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watched(context, shut)
    }
}
