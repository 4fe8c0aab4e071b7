#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )
)]

mod ask_system;
mod bm25;
mod cache;
mod command;
mod driver;
mod errors;
mod http;
mod link;
mod llm;
mod nearest;
mod registry;
mod run_system;
mod started;
mod system;
mod system_error;
mod system_spec;
mod usage;
mod web;

pub use ask_system::{AskedSystem, ask_system};
pub use cache::{Cache, CacheInfo, CacheKey, Cached, CachedReply};
pub use command::CommandSystem;
pub use driver::{AskSettings, RunProgress, ask_all};
pub use errors::{ErrorMessage, ErrorMessages};
pub use http::{Contract, HttpSystem};
pub use link::{Linked, Thing};
pub use llm::{ChatError, DEFAULT_PROMPT, LlmSettings, LlmSystem};
pub use nearest::{Adapted, Nearest};
pub use registry::{
    OpenSystemError, SystemContext, SystemFactory, SystemRegistry, SystemSettings, open_llm, open_nearest,
};
pub use run_system::{RunConfig, RunError, RunSummary, run_system};
pub use started::was_started_here;
pub use system::{FixedPredictions, System, SystemInput, Worker};
pub use system_error::SystemError;
pub use system_spec::{InvalidSystemSpec, SystemSpec};
pub use web::{WebError, WebSettings};
