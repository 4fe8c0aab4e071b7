#![doc = include_str!("../README.md")]

mod bm25;
mod cache;
mod command;
mod driver;
mod errors;
mod http;
mod link;
mod llm;
mod locate;
mod nearest;
mod started;
mod system;
mod usage;
mod web;

pub use cache::{Cache, CacheKey, Cached, CachedReply};
pub use command::CommandSystem;
pub use driver::{Progressed, run};
pub use errors::{ErrorLimit, ErrorMessages, NotALimit};
pub use http::{Contract, HttpSystem};
pub use link::{Linked, Linker, Thing};
pub use llm::schema::packed_schema;
pub use llm::{DEFAULT_PROMPT, LlmSettings, LlmSystem};
pub use locate::benchmark_of;
pub use nearest::{Adapted, Nearest};
pub use started::{remember_started, was_started_here};
pub use system::{Asked, Given, System, Worker};
pub use usage::Priced;
pub use web::WebSettings;
