//! A KB as a SPARQL 1.1 protocol endpoint, for every existing client: queries only, bounded, on loopback unless told otherwise.
//!
//! `/sparql` asks the direct view, `/kqapro/sparql` KQA Pro's graph. GET and POST, results in the format that the client accepts.

use crate::budget::{Cancel, Limits};
use crate::session::{Answers, Engine, Outcome, Session, Settings};
use crate::shortcut::View;
use crate::sparql::{Format, ResultFormat, Results, negotiate, write};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use axum::routing::{any, get};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use touchstone_logic::Language;

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// Where to listen.
    pub address: SocketAddr,
    /// What each query may cost.
    pub limits: Limits,
    /// How many queries run at once; others wait.
    pub at_once: usize,
    /// The origin whose pages may ask, `*` for all.
    pub cors: Option<String>,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}: {source}; choose another with --port or --bind")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The origin is not one.
    #[error("`{0}` is no origin; write `*` or something like https://example.org")]
    Origin(String),
    /// The system refused something.
    #[error("the server stopped: {0}")]
    Io(#[from] std::io::Error),
}

/// What requests are answered with.
struct Service {
    session: &'static Session<'static>,
    limits: Limits,
    slots: Semaphore,
    cors: Option<HeaderValue>,
    loopback: bool,
}

/// A query longer than this is no query.
const LONGEST: usize = 1 << 20;

/// Serves until `stop` is cancelled; calls `ready` with the address as soon as requests are taken.
pub fn serve(
    session: &'static Session<'static>,
    options: &ServeOptions,
    stop: &Cancel,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let cors = options.cors.as_deref().map(|origin| {
        let fits = origin == "*" || origin.contains("://");
        let value = HeaderValue::from_str(origin).ok().filter(|_| fits);
        value.ok_or_else(|| ServeError::Origin(origin.to_owned()))
    });
    let service = Arc::new(Service {
        session,
        limits: options.limits,
        slots: Semaphore::new(options.at_once.max(1)),
        cors: cors.transpose()?,
        loopback: options.address.ip().is_loopback(),
    });
    let router = Router::new()
        .route("/", get(about))
        .route("/sparql", any(direct))
        .route("/kqapro/sparql", any(kqapro))
        .layer(DefaultBodyLimit::max(LONGEST))
        .with_state(service);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listen = |source| ServeError::Listen { address: options.address, source };
        let listener = tokio::net::TcpListener::bind(options.address).await.map_err(listen)?;
        ready(listener.local_addr()?);
        let stop = stop.clone();
        let stopped = async move {
            while !stop.is_cancelled() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        axum::serve(listener, router).with_graceful_shutdown(stopped).await?;
        Ok(())
    })
}

type Request = (Method, HeaderMap, RawQuery, State<Arc<Service>>, Bytes);

async fn direct(
    method: Method,
    headers: HeaderMap,
    query: RawQuery,
    service: State<Arc<Service>>,
    body: Bytes,
) -> Response {
    answer(View::Direct, (method, headers, query, service, body)).await
}

async fn kqapro(
    method: Method,
    headers: HeaderMap,
    query: RawQuery,
    service: State<Arc<Service>>,
    body: Bytes,
) -> Response {
    answer(View::KqaPro, (method, headers, query, service, body)).await
}

/// Something for people who look with a browser.
async fn about(State(service): State<Arc<Service>>, headers: HeaderMap) -> Response {
    if let Some(refused) = service.refused(&headers) {
        return refused;
    }
    let kb = service.session.kb();
    let text = format!(
        "{}: {} entities, {} facts.\nSPARQL 1.1 queries by GET or POST: /sparql (plain triples), /kqapro/sparql (KQA Pro's graph).\n",
        kb.manifest().name,
        kb.n_entities(),
        kb.n_facts()
    );
    service.respond(StatusCode::OK, "text/plain; charset=utf-8", text.into())
}

async fn answer(view: View, (method, headers, RawQuery(url), State(service), body): Request) -> Response {
    if let Some(refused) = service.refused(&headers) {
        return refused;
    }
    if method == Method::OPTIONS {
        return service.respond(StatusCode::NO_CONTENT, "text/plain", Body::empty());
    }
    let text = match query_text(&method, &headers, url.as_deref().unwrap_or(""), &body) {
        Ok(text) => text,
        Err((status, message)) => return service.problem(status, &message),
    };
    let accept = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let accept = accept.collect::<Vec<&str>>().join(", ");
    let accept = if accept.is_empty() { "*/*".to_owned() } else { accept };
    // Which of the two families is wanted shows with the results, but a client that accepts neither need not wait for them.
    let (table, graph) = (negotiate(&accept, false), negotiate(&accept, true));
    if table.is_none() && graph.is_none() {
        let offered: Vec<&str> = Format::all().map(Format::media_type).collect();
        return service.problem(StatusCode::NOT_ACCEPTABLE, &format!("there are: {}", offered.join(", ")));
    }
    let started = Instant::now();
    let Ok(slot) = service.slots.acquire().await else {
        return service.problem(StatusCode::SERVICE_UNAVAILABLE, "the server stops");
    };
    let settings = Settings {
        engine: Engine::Auto,
        view: Some(view),
        limits: service.limits,
        terms: true,
        ..Settings::default()
    };
    // Whoever hangs up is not waited for.
    let cancel = Cancel::default();
    let hang_up = CancelOnDrop(cancel.clone());
    let session = service.session;
    let work = tokio::task::spawn_blocking(move || {
        let reply = session.run(Language::Sparql, &text, &settings, &cancel);
        let written = match &reply.outcome {
            Outcome::Answered(answers) => Some(written(answers, table, graph)),
            _ => None,
        };
        (reply, written)
    });
    let finished = work.await;
    drop(slot);
    drop(hang_up);
    let Ok((reply, written)) = finished else {
        return service.problem(StatusCode::INTERNAL_SERVER_ERROR, "a defect in the engine");
    };
    tracing::info!(
        outcome = reply.outcome.word(),
        milliseconds = started.elapsed().as_millis() as u64,
        "query"
    );
    match (&reply.outcome, written) {
        (_, Some(Ok((format, bytes)))) => {
            let charset = if format.media_type().starts_with("text/") { "; charset=utf-8" } else { "" };
            service.respond(StatusCode::OK, &format!("{}{charset}", format.media_type()), bytes.into())
        }
        (_, Some(Err(message))) => service.problem(StatusCode::NOT_ACCEPTABLE, &message),
        (Outcome::Unparsable(message), None) => service.problem(StatusCode::BAD_REQUEST, message),
        (Outcome::OverBudget(stopped), None) => {
            service.problem(StatusCode::INTERNAL_SERVER_ERROR, &format!("the query was {stopped}"))
        }
        (Outcome::Failed(message), None) => service.problem(StatusCode::INTERNAL_SERVER_ERROR, message),
        (Outcome::Answered(_), None) => service.problem(StatusCode::INTERNAL_SERVER_ERROR, "no results"),
    }
}

/// The results in a format that the client accepts.
fn written(
    answers: &Answers,
    table: Option<Format>,
    graph: Option<Format>,
) -> Result<(Format, Vec<u8>), String> {
    let (results, format) = match answers {
        Answers::List { results: Some(results), .. } | Answers::Table { results, .. } => (results, table),
        Answers::Graph(results) => (results, graph),
        Answers::List { results: None, .. } => {
            return Err("there are no RDF terms for these answers".to_owned());
        }
    };
    // CSV and TSV have no booleans; JSON has.
    let format = match (results, format) {
        (Results::Boolean(_), Some(Format::Results(ResultFormat::Csv | ResultFormat::Tsv))) => {
            Some(Format::Results(ResultFormat::Json))
        }
        (_, format) => format,
    };
    let format = format.ok_or("the client accepts no format that fits these results")?;
    let mut bytes = Vec::new();
    write(results, format, &mut bytes).map_err(|error| error.to_string())?;
    Ok((format, bytes))
}

/// The query of a request, by the protocol's three ways.
fn query_text(
    method: &Method,
    headers: &HeaderMap,
    url: &str,
    body: &Bytes,
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
                "a POST has application/sparql-query or application/x-www-form-urlencoded, not `{other}`"
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
        (Some(_), None) => Err((StatusCode::PAYLOAD_TOO_LARGE, "the query is longer than 1 MB".to_owned())),
        (Some(_), Some(_)) => Err(bad("there are two queries; send one")),
        (None, _) => Err(bad("there is no query; send it as ?query=... or in the body of a POST")),
    }
}

impl Service {
    /// A page of another site whose name points here must not read the KB of somebody who serves it for himself.
    fn refused(&self, headers: &HeaderMap) -> Option<Response> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("");
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or(""),
            None => host.split(':').next().unwrap_or(""),
        };
        let local = name.eq_ignore_ascii_case("localhost")
            || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        let fine = !self.loopback || self.cors.is_some() || local || host.is_empty();
        (!fine).then(|| {
            self.problem(
                StatusCode::FORBIDDEN,
                "this server is for its own machine only; serve with --bind to open it",
            )
        })
    }

    fn problem(&self, status: StatusCode, message: &str) -> Response {
        self.respond(status, "text/plain; charset=utf-8", format!("{message}\n").into())
    }

    fn respond(&self, status: StatusCode, content: &str, body: Body) -> Response {
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        if let Ok(content) = HeaderValue::from_str(content) {
            headers.insert(header::CONTENT_TYPE, content);
        }
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::VARY, HeaderValue::from_static("Accept, Origin"));
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
