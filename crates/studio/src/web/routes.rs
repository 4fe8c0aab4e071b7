//! The table of all addresses. The router and the tests are made from it.

use super::assets;
use super::problem::Problem;
use super::request::PageRequest;
use super::response::Reply;
use super::{Studio, ask, complete, find, home, kb, property, query, saved_query, show, suggest};
use axum::http::Method;
use std::sync::LazyLock;

/// What an address gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteKind {
    /// A page, which is also JSON.
    Page,
    /// JSON for scripts, or a file.
    Data,
    /// A change, after which the browser goes to a page.
    Change,
}

/// Answers a request.
pub(super) type Handler = fn(&Studio, &PageRequest) -> Result<Reply, Problem>;

/// An address of the studio.
#[derive(Debug, Clone, Copy)]
pub struct StudioRoute {
    /// The path; a part in braces stands for any text.
    pub path: &'static str,
    /// What it gives. Only [`RouteKind::Change`] is sent with POST.
    pub kind: RouteKind,
    /// An address that works with the World KB, or the form that is sent.
    pub example: &'static str,
    /// Whether it may run queries: then it waits for a free slot.
    pub(super) runs_queries: bool,
    pub(super) handler: Handler,
}

impl StudioRoute {
    /// The method of its requests.
    pub fn method(&self) -> Method {
        if self.kind == RouteKind::Change { Method::POST } else { Method::GET }
    }
}

const fn page(path: &'static str, example: &'static str, handler: Handler) -> StudioRoute {
    StudioRoute { path, kind: RouteKind::Page, example, runs_queries: false, handler }
}

const fn data(path: &'static str, example: &'static str, handler: Handler) -> StudioRoute {
    StudioRoute { path, kind: RouteKind::Data, example, runs_queries: false, handler }
}

const fn change(path: &'static str, example: &'static str, handler: Handler) -> StudioRoute {
    StudioRoute { path, kind: RouteKind::Change, example, runs_queries: false, handler }
}

const fn with_queries(route: StudioRoute) -> StudioRoute {
    StudioRoute { runs_queries: true, ..route }
}

static ROUTES: LazyLock<Vec<StudioRoute>> = LazyLock::new(|| {
    let mut routes = vec![
        with_queries(page("/", "/", home::page)),
        with_queries(page("/kb", "/kb?domain=film", kb::page)),
        page("/kb/find", "/kb/find?q=paris", find::page),
        data("/kb/suggest", "/kb/suggest?q=par", suggest::data),
        page("/kb/show", "/kb/show?id=Paris", show::page),
        page("/kb/property", "/kb/property?id=director", property::page),
        with_queries(page(
            "/query",
            "/query?q=Find(Paris)+%3E+Relate(country,+forward)+%3E+What()",
            query::page,
        )),
        change("/query", "q=Find(Paris)+%3E+What()", saved_query::save),
        data("/query/complete", "/query/complete?q=Find(Par&at=8", complete::data),
        with_queries(page("/query/{hash}", "/query/0000000000000000", saved_query::page)),
        with_queries(page("/ask", "/ask?q=Which+films+did+Christopher+Nolan+direct%3F", ask::page)),
        change("/ask/feedback", "q=Who%3F&system=nearest&right=yes", ask::feedback),
    ];
    routes.extend(assets::ROUTES);
    routes
});

pub(super) fn all() -> &'static [StudioRoute] {
    &ROUTES
}

/// Every address of the studio with an example, for tests and for programs that read the JSON twins.
pub fn studio_routes() -> Vec<StudioRoute> {
    ROUTES.clone()
}
