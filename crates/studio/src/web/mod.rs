//! The web application: a KB to explore, queries to run, and systems to ask, in the browser.
//!
//! Pages are made on the server and work without scripts. Each page is also JSON, its whole state is in its address, and it shows what
//! the command of the same name shows, because both call the same functions. `routes.rs` is the table of all addresses, `security.rs`
//! what protects them. There is one file per page.

mod ask;
mod ask_systems;
mod assets;
mod complete;
mod examples;
mod find;
mod folder;
mod home;
mod kb;
mod layout;
mod links;
mod parts;
mod problem;
mod property;
mod query;
mod query_result;
mod query_steps;
mod request;
mod response;
mod routes;
mod saved_query;
mod security;
mod show;
mod suggest;

pub use ask_systems::{AskSystems, AskSystemsError, NamedSystem};
pub use folder::{StudioFolder, StudioFolderError};
pub use routes::{RouteKind, StudioRoute, studio_routes};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, Response, StatusCode, header};
use axum::routing::{MethodFilter, MethodRouter, on};
use examples::Examples;
use hyper::body::Incoming;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use problem::Problem;
use request::PageRequest;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use thiserror::Error;
use tokio::sync::Semaphore;
use touchstone_benchmark::english::Lexicon;
use touchstone_engine::Session;
use touchstone_engine::budget::{Cancel, Limits};
use touchstone_engine::completion::Completions;
use touchstone_kb::Kb;
use touchstone_kb::info::KbInfo;
use touchstone_protocol::{ConnectionCounts, ConnectionLimits, accept, listen};
use tower_http::csrf::CsrfLayer;

/// The longest form that can be sent, in bytes.
const LONGEST_BODY: usize = 1 << 20;
/// How long a form may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// How the studio is served.
#[derive(Debug, Clone)]
pub struct StudioOptions {
    /// The address to listen on; port 0 picks a free one.
    pub address: SocketAddr,
    /// The most that a query may cost. Users can choose less.
    pub limits: Limits,
    /// The maximum number of queries that run at once; others wait.
    pub at_once: usize,
    /// What connections may take.
    pub connections: ConnectionLimits,
    /// Host names that are answered besides localhost.
    pub hosts: Vec<String>,
}

impl Default for StudioOptions {
    fn default() -> StudioOptions {
        StudioOptions {
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080),
            limits: Limits::default(),
            at_once: std::thread::available_parallelism().map_or(1, usize::from),
            connections: ConnectionLimits::default(),
            hosts: Vec::new(),
        }
    }
}

/// Why the studio did not start or stopped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StudioError {
    /// The address is in use, or does not belong to this machine.
    #[error("cannot listen on {address}: {source}; choose another port with --port")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The address is open to others, who would not have to sign in.
    #[error(
        "{0} is not a loopback address; the studio has no sign-in yet, so it is served to this machine only"
    )]
    NotLoopback(IpAddr),
    /// The system refused something.
    #[error("the studio stopped: {0}")]
    Io(#[from] std::io::Error),
}

/// Opens the systems of the ask page, in the background: it may take a minute.
pub type OpenSystems = Box<dyn FnOnce() -> Result<AskSystems, String> + Send>;

/// Everything that pages show. It lives as long as the program, like its KB.
pub struct Studio {
    session: &'static Session<'static>,
    completions: Completions,
    lexicon: Lexicon,
    folder: StudioFolder,
    /// The most that a query may cost.
    limits: Limits,
    hosts: Vec<String>,
    info: OnceLock<KbInfo<'static>>,
    examples: OnceLock<Examples>,
    systems: OnceLock<Result<AskSystems, String>>,
    slots: Arc<Semaphore>,
}

/// What all requests share.
type Shared = Arc<Studio>;

impl Studio {
    /// A studio for a KB.
    pub fn new(kb: &'static Kb, folder: StudioFolder) -> Studio {
        Studio {
            session: Box::leak(Box::new(Session::new(kb))),
            completions: Completions::new(Arc::new(kb.clone()), &[]),
            lexicon: Lexicon::of(kb),
            folder,
            limits: Limits::default(),
            hosts: Vec::new(),
            info: OnceLock::new(),
            examples: OnceLock::new(),
            systems: OnceLock::new(),
            slots: Arc::new(Semaphore::new(1)),
        }
    }

    fn kb(&self) -> &'static Kb {
        self.session.kb()
    }

    /// The contents of the KB in numbers, with its schema; counted once.
    fn info(&self) -> &KbInfo<'static> {
        self.info.get_or_init(|| KbInfo::of(self.kb(), true))
    }

    /// Queries that work on this KB; found once.
    fn examples(&self) -> &Examples {
        self.examples.get_or_init(|| Examples::of(self.session))
    }
}

/// Serves a studio until `stop` is cancelled; calls `ready` with the address as soon as requests are accepted. `systems` opens what the
/// ask page asks.
pub fn serve_studio(
    studio: Studio,
    options: &StudioOptions,
    systems: OpenSystems,
    stop: &Cancel,
    ready: impl FnOnce(SocketAddr),
) -> Result<ConnectionCounts, StudioError> {
    if !options.address.ip().is_loopback() {
        return Err(StudioError::NotLoopback(options.address.ip()));
    }
    let studio = Arc::new(Studio {
        limits: options.limits,
        hosts: options.hosts.clone(),
        slots: Arc::new(Semaphore::new(options.at_once.clamp(1, 1 << 16))),
        ..studio
    });
    let background = Arc::clone(&studio);
    let opening = std::thread::Builder::new().name("systems".to_owned()).spawn(move || {
        let _ = background.systems.set(systems());
    })?;
    // It ends by itself; the program does not wait for it.
    drop(opening);
    let service = TowerToHyperService::new(router(studio));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let refused = |source| StudioError::Listen { address: options.address, source };
        let listener = listen(options.address).map_err(refused)?;
        ready(listener.local_addr()?);
        let answer = move |request: hyper::Request<Incoming>| {
            let answered = service.call(request);
            async move {
                match answered.await {
                    Ok(response) => response,
                    Err(never) => match never {},
                }
            }
        };
        Ok(accept(listener, answer, &options.connections, stop).await)
    })
}

/// All routes, with what protects them.
fn router(studio: Shared) -> Router {
    let mut router: Router<Shared> = Router::new();
    for &route in routes::all() {
        let filter = if route.kind == RouteKind::Change { MethodFilter::POST } else { MethodFilter::GET };
        let methods: MethodRouter<Shared, Infallible> =
            on(filter, move |State(shared): State<Shared>, request: Request| answer(shared, route, request));
        router = router.route(route.path, methods);
    }
    router
        .fallback(|request: Request| async move { unknown_address(&request) })
        .method_not_allowed_fallback(|request: Request| async move { wrong_method(&request) })
        .layer(CsrfLayer::new())
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&studio), security::guard))
        .with_state(studio)
}

/// Answers a request on a thread that may take its time.
async fn answer(studio: Shared, route: StudioRoute, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let early = |problem: Problem| {
        let about = PageRequest::of(&Method::GET, &head.uri, &head.headers, b"");
        problem.reply(about.wants_json).into_response()
    };
    let length =
        head.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > LONGEST_BODY as u64) {
        // It is not read at all.
        return early(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the form is larger than {LONGEST_BODY} bytes"),
        ));
    }
    let body = match tokio::time::timeout(BODY_TIME, to_bytes(body, LONGEST_BODY)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let message = format!("the form is larger than {LONGEST_BODY} bytes, or its end is missing");
            return early(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message));
        }
        Err(_) => {
            let message = format!("the form did not arrive within {} s", BODY_TIME.as_secs());
            return early(Problem::new(StatusCode::REQUEST_TIMEOUT, message));
        }
    };
    let slot = match route.runs_queries {
        true => match Arc::clone(&studio.slots).acquire_owned().await {
            Ok(slot) => Some(slot),
            Err(_) => return early(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the studio is stopping")),
        },
        false => None,
    };
    let page = PageRequest::of(&head.method, &head.uri, &head.headers, &body);
    // A client that hangs up stops its queries.
    let hang_up = CancelOnDrop(page.cancel.clone());
    let work = tokio::task::spawn_blocking(move || {
        let reply = (route.handler)(&studio, &page).unwrap_or_else(|problem| problem.reply(page.wants_json));
        // Also after a disconnection, others wait until this work has ended.
        drop(slot);
        reply
    });
    let finished = work.await;
    drop(hang_up);
    match finished {
        Ok(reply) => reply.into_response(),
        Err(_) => early(Problem::defect("a defect in the studio; the page could not be made")),
    }
}

fn unknown_address(request: &Request) -> Response<Body> {
    let about = PageRequest::of(request.method(), request.uri(), request.headers(), b"");
    let pages = routes::all().iter().filter(|route| route.kind == RouteKind::Page);
    let known = pages.map(|route| route.path).filter(|path| !path.contains('{'));
    let mut problem = Problem::not_found(format!("there is nothing at {}", about.path));
    if let Some(nearest) = touchstone_kb::nearest_name(&about.path, known) {
        problem = problem.hint(format!("Did you mean {nearest}?"));
    }
    problem.reply(about.wants_json).into_response()
}

fn wrong_method(request: &Request) -> Response<Body> {
    let about = PageRequest::of(request.method(), request.uri(), request.headers(), b"");
    let message = format!("{} does not accept {}", about.path, request.method());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, message).reply(about.wants_json).into_response()
}

/// Stops queries when their request is dropped.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
