//! A KB as a SPARQL 1.1 protocol endpoint: queries only, bounded, on loopback unless configured otherwise.
//!
//! `/sparql` queries the direct view, `/kqapro/sparql` KQA Pro's graph. GET and POST, results in the format that the client accepts.

mod bodies;
mod connections;

use bodies::{Memory, Reply, Reserved, Unread};
pub use connections::{ConnectionCounts, ConnectionLimits, accept, host_name, is_local_host, listen};
use hyper::body::Incoming;
use hyper::{HeaderMap, Method, Request, Response, StatusCode, header, header::HeaderValue};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::sparql::{ReplyFormat, ResultFormat, Results, negotiate, write};
use touchstone_engine::{Answers, Outcome, Session, Settings, View};
use touchstone_logic::Language;

/// Options of the server.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The address to listen on.
    pub address: SocketAddr,
    /// What each query may cost.
    pub limits: Limits,
    /// The maximum number of queries that run at once; others wait.
    pub at_once: usize,
    /// What each connection may take.
    pub connections: ConnectionLimits,
    /// The maximum number of bytes that the bodies of all requests hold together; others wait to be read.
    pub max_bodies: u64,
    /// The maximum number of bytes that all replies hold together until they are sent.
    pub max_replies: u64,
    /// How long the body of a request may take.
    pub body_time: Duration,
    /// The origin whose pages may send queries, `*` for all.
    pub cors: Option<String>,
}

impl Default for ServeOptions {
    fn default() -> ServeOptions {
        ServeOptions {
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7878),
            limits: Limits::default(),
            at_once: std::thread::available_parallelism().map_or(1, usize::from),
            connections: ConnectionLimits::default(),
            max_bodies: 32 << 20,
            max_replies: 1 << 30,
            body_time: Duration::from_secs(10),
            cors: None,
        }
    }
}

/// Statistics of a server that was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Served {
    /// Connections that were accepted.
    pub connections: u64,
    /// The most connections that were open at once.
    pub most_connections: u64,
    /// The most bytes that were reserved for bodies of requests at once.
    pub most_body_bytes: u64,
}

/// Why the server did not start or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is in use, or does not belong to this machine.
    #[error("cannot listen on {address}: {source}; choose another with --port or --bind")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not an origin.
    #[error("`{0}` is not an origin; write `*` or something like https://example.org")]
    Origin(String),
    /// The system refused something.
    #[error("the server stopped: {0}")]
    Io(#[from] std::io::Error),
}

/// The state that all requests share.
struct Service {
    session: &'static Session<'static>,
    limits: Limits,
    slots: Arc<Semaphore>,
    bodies: Arc<Memory>,
    replies: Arc<Memory>,
    body_time: Duration,
    cors: Option<HeaderValue>,
    loopback: bool,
}

/// The longest query, in bytes.
const LONGEST: usize = 1 << 20;

const TOO_LONG: &str = "the query is longer than 1 MB";

/// Serves until `stop` is cancelled; calls `ready` with the address as soon as requests are accepted.
pub fn serve(
    session: &'static Session<'static>,
    options: &ServeOptions,
    stop: &Cancel,
    ready: impl FnOnce(SocketAddr),
) -> Result<Served, ServeError> {
    let cors = options.cors.as_deref().map(|origin| {
        let fits = origin == "*" || origin.contains("://");
        let value = HeaderValue::from_str(origin).ok().filter(|_| fits);
        value.ok_or_else(|| ServeError::Origin(origin.to_owned()))
    });
    let service = Arc::new(Service {
        session,
        limits: options.limits,
        slots: Arc::new(Semaphore::new(options.at_once.clamp(1, 1 << 16))),
        bodies: Memory::new(options.max_bodies),
        replies: Memory::new(options.max_replies),
        body_time: options.body_time,
        cors: cors.transpose()?,
        loopback: options.address.ip().is_loopback(),
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listen = |source| ServeError::Listen { address: options.address, source };
        let listener = connections::listen(options.address).map_err(listen)?;
        ready(listener.local_addr()?);
        let bodies = Arc::clone(&service.bodies);
        let answer = move |request| answer(Arc::clone(&service), request);
        let counts = connections::accept(listener, answer, &options.connections, stop).await;
        Ok(Served { connections: counts.all, most_connections: counts.most, most_body_bytes: bodies.most() })
    })
}

/// Answers a request. Its body is read only if there is room for it.
async fn answer(service: Arc<Service>, request: Request<Incoming>) -> Response<Reply> {
    if let Some(refused) = service.refused(request.headers()) {
        return refused;
    }
    let view = match request.uri().path() {
        "/" => return service.about(request.method()),
        "/sparql" | "/sparql/" => View::Direct,
        "/kqapro/sparql" | "/kqapro/sparql/" => View::KqaPro,
        path => {
            let message = format!("there is no {path}; use /sparql or /kqapro/sparql");
            return service.problem(StatusCode::NOT_FOUND, &message);
        }
    };
    if request.method() == Method::OPTIONS {
        return service.respond(StatusCode::NO_CONTENT, "text/plain", Reply::short(String::new()));
    }
    let (head, body) = request.into_parts();
    let (method, headers) = (head.method, head.headers);
    let mut reserved = None;
    let body = if method == Method::POST {
        let length =
            headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        if length.is_some_and(|length: u64| length > LONGEST as u64) {
            return service.too_long();
        }
        reserved = service.bodies.reserve(2 * length.unwrap_or(LONGEST as u64)).await;
        match tokio::time::timeout(service.body_time, bodies::read(body, LONGEST)).await {
            Ok(Ok(body)) => body,
            Ok(Err(Unread::TooLong)) => return service.too_long(),
            Ok(Err(Unread::Broken)) => {
                return service.problem(StatusCode::BAD_REQUEST, "the body of the request is incomplete");
            }
            Err(_) => {
                let message = format!("the body did not arrive within {} s", service.body_time.as_secs_f32());
                return service.problem(StatusCode::REQUEST_TIMEOUT, &message);
            }
        }
    } else {
        Vec::new()
    };
    let text = match query_text(&method, &headers, head.uri.query().unwrap_or(""), &body) {
        Ok(text) => text,
        Err((status, message)) => return service.problem(status, &message),
    };
    drop(body);
    service.run(view, text, reserved, &headers).await
}

impl Service {
    /// A short page for browsers.
    fn about(&self, method: &Method) -> Response<Reply> {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return self.problem(StatusCode::METHOD_NOT_ALLOWED, "use GET");
        }
        let kb = self.session.kb();
        let text = format!(
            "{}: {} entities, {} facts.\nSPARQL 1.1 queries by GET or POST: /sparql (plain triples), /kqapro/sparql (KQA Pro's graph).\n",
            kb.manifest().name,
            kb.n_entities(),
            kb.n_facts()
        );
        self.respond(StatusCode::OK, "text/plain; charset=utf-8", Reply::short(text))
    }

    /// Runs a query and writes its results.
    async fn run(
        &self,
        view: View,
        text: String,
        reserved: Option<Reserved>,
        headers: &HeaderMap,
    ) -> Response<Reply> {
        let accept = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let accept = accept.collect::<Vec<&str>>().join(", ");
        let accept = if accept.is_empty() { "*/*".to_owned() } else { accept };
        // Whether a table or a graph format is needed is known with the results, but a client that accepts neither need not wait for them.
        let (table, graph) = (negotiate(&accept, false), negotiate(&accept, true));
        if table.is_none() && graph.is_none() {
            let offered: Vec<&str> = ReplyFormat::all().map(ReplyFormat::media_type).collect();
            return self.problem(StatusCode::NOT_ACCEPTABLE, &format!("there are: {}", offered.join(", ")));
        }
        let started = Instant::now();
        let Ok(slot) = Arc::clone(&self.slots).acquire_owned().await else {
            return self.problem(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping");
        };
        let settings = Settings { view: Some(view), limits: self.limits, terms: true, ..Settings::default() };
        // A client that disconnects cancels its query.
        let cancel = Cancel::default();
        let hang_up = CancelOnDrop(cancel.clone());
        let session = self.session;
        let work = tokio::task::spawn_blocking(move || {
            let reply = session.run(Language::Sparql, &text, &settings, &cancel);
            let written = match &reply.outcome {
                Outcome::Answered(answers) => Some(written(answers, table, graph)),
                _ => None,
            };
            // Also after a disconnection, others wait until this query has ended and its text is freed.
            drop((text, reserved, slot));
            (reply, written)
        });
        let finished = work.await;
        drop(hang_up);
        let Ok((reply, written)) = finished else {
            return self.problem(StatusCode::INTERNAL_SERVER_ERROR, "internal error in the engine");
        };
        tracing::info!(outcome = reply.outcome.word(), milliseconds = started.elapsed().as_millis(), "query");
        match (&reply.outcome, written) {
            (_, Some(Ok((format, bytes)))) => {
                let Some(reserved) = self.replies.try_reserve(bytes.len() as u64) else {
                    let message = "too many replies are waiting for their clients; try again later";
                    return self.problem(StatusCode::SERVICE_UNAVAILABLE, message);
                };
                let content = format.media_type();
                self.respond(StatusCode::OK, content, Reply::new(bytes, reserved))
            }
            (_, Some(Err(message))) => self.problem(StatusCode::NOT_ACCEPTABLE, &message),
            (Outcome::Unparsable(message), None) => self.problem(StatusCode::BAD_REQUEST, message),
            (Outcome::OverBudget(stopped), None) => {
                self.problem(StatusCode::INTERNAL_SERVER_ERROR, &format!("the query was {stopped}"))
            }
            (Outcome::Failed(message), None) => self.problem(StatusCode::INTERNAL_SERVER_ERROR, message),
            (Outcome::Answered(_), None) => self.problem(StatusCode::INTERNAL_SERVER_ERROR, "no results"),
        }
    }
}

/// The results in a format that the client accepts.
fn written(
    answers: &Answers,
    table: Option<ReplyFormat>,
    graph: Option<ReplyFormat>,
) -> Result<(ReplyFormat, Vec<u8>), String> {
    let (results, format) = match answers {
        Answers::Rdf(results @ Results::Graph(_)) => (results, graph),
        Answers::Rdf(results) => (results, table),
        Answers::List { .. } | Answers::Table { .. } => {
            return Err("there are no RDF terms for these answers".to_owned());
        }
    };
    // CSV and TSV have no booleans; JSON has.
    let format = match (results, format) {
        (Results::Boolean(_), Some(ReplyFormat::Results(ResultFormat::Csv | ResultFormat::Tsv))) => {
            Some(ReplyFormat::Results(ResultFormat::Json))
        }
        (_, format) => format,
    };
    let format = format.ok_or("the client accepts no format that fits these results")?;
    let mut bytes = Vec::new();
    write(results, format, &mut bytes).map_err(|error| error.to_string())?;
    Ok((format, bytes))
}

/// The query of a request, in the protocol's three ways.
fn query_text(
    method: &Method,
    headers: &HeaderMap,
    url: &str,
    body: &[u8],
) -> Result<String, (StatusCode, String)> {
    let bad = |message: &str| (StatusCode::BAD_REQUEST, message.to_owned());
    let content = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let content = content.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    let parameters: Vec<(String, String)> = match (method, content.as_str()) {
        (&Method::GET | &Method::HEAD, _) => form_urlencoded::parse(url.as_bytes()).into_owned().collect(),
        (&Method::POST, "application/x-www-form-urlencoded") => {
            let both = form_urlencoded::parse(url.as_bytes()).into_owned();
            both.chain(form_urlencoded::parse(body).into_owned()).collect()
        }
        (&Method::POST, "application/sparql-query") => {
            let text = std::str::from_utf8(body).map_err(|_| bad("the query is not UTF-8"))?;
            let mut parameters: Vec<(String, String)> =
                form_urlencoded::parse(url.as_bytes()).into_owned().collect();
            parameters.push(("query".to_owned(), text.to_owned()));
            parameters
        }
        (&Method::POST, "application/sparql-update") => {
            return Err(bad("this endpoint answers queries only"));
        }
        (&Method::POST, other) => {
            let message = format!(
                "a POST must have the type application/sparql-query or application/x-www-form-urlencoded, not `{other}`"
            );
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
        _ => return Err((StatusCode::METHOD_NOT_ALLOWED, "use GET or POST".to_owned())),
    };
    let graphs = ["default-graph-uri", "named-graph-uri"];
    if parameters.iter().any(|(name, value)| graphs.contains(&name.as_str()) && !value.is_empty()) {
        return Err(bad(
            "a KB has one graph only, which is the default: leave default-graph-uri and named-graph-uri out",
        ));
    }
    if parameters.iter().any(|(name, _)| name == "update") {
        return Err(bad("this endpoint answers queries only"));
    }
    let mut queries = parameters.into_iter().filter(|(name, _)| name == "query").map(|(_, text)| text);
    match (queries.next(), queries.next()) {
        (Some(text), None) if text.len() <= LONGEST => Ok(text),
        (Some(_), None) => Err((StatusCode::PAYLOAD_TOO_LARGE, TOO_LONG.to_owned())),
        (Some(_), Some(_)) => Err(bad("there are two queries; send one")),
        (None, _) => Err(bad("there is no query; send it as ?query=... or in the body of a POST")),
    }
}

impl Service {
    /// Refuses requests to other host names than this machine's: a page of another site whose name resolves to this machine must not read a KB that is
    /// served on loopback. An allowed origin addresses this machine by its own name as well.
    fn refused(&self, headers: &HeaderMap) -> Option<Response<Reply>> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("");
        let fine = !self.loopback || host.is_empty() || is_local_host(host);
        (!fine).then(|| {
            self.problem(
                StatusCode::FORBIDDEN,
                "this server answers requests to localhost only; start it with --bind to open it to others",
            )
        })
    }

    fn too_long(&self) -> Response<Reply> {
        self.problem(StatusCode::PAYLOAD_TOO_LARGE, TOO_LONG)
    }

    fn problem(&self, status: StatusCode, message: &str) -> Response<Reply> {
        self.respond(status, "text/plain; charset=utf-8", Reply::short(format!("{message}\n")))
    }

    fn respond(&self, status: StatusCode, content: &str, body: Reply) -> Response<Reply> {
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        if let Ok(content) = HeaderValue::from_str(content) {
            headers.insert(header::CONTENT_TYPE, content);
        }
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::VARY, HeaderValue::from_static("Accept, Origin"));
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD, POST, OPTIONS"));
        }
        if let Some(origin) = &self.cors {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers
                .insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, OPTIONS"));
            headers.insert(
                header::ACCESS_CONTROL_ALLOW_HEADERS,
                HeaderValue::from_static("Accept, Content-Type"),
            );
        }
        response
    }
}

/// Cancels a query when its request is dropped.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
