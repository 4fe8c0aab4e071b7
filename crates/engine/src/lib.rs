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

pub mod batch;
pub mod budget;
mod cast;
mod column_units;
pub mod compat;
mod complete_lines;
pub mod completion;
mod context;
pub mod embedded;
mod engine;
mod engines;
pub mod exact;
mod found;
pub mod native;
pub mod plan;
mod program_steps;
mod query_context;
mod query_text;
mod reply;
mod reply_json;
mod session;
mod shell_line;
mod shortcut;
mod sorted;
pub mod sparql;
mod sparql_request;
mod terms;
#[cfg(test)]
mod testing;
mod values;
mod words;

pub use complete_lines::complete_lines;
pub use context::KbContext;
pub use engine::{Engine, EngineError, EngineReply, PlanRequest, SparqlAnswers};
pub use engines::{AutoEngine, EmbeddedEngine, SparevalEngine, run_plan_as_sparql};
pub use found::Found;
pub use program_steps::program_steps;
pub use query_context::QueryContext;
pub use query_text::{QueryTextError, query_text};
pub use reply::{AnswerTable, Answers, Outcome, Reply};
pub use session::{Session, Settings};
pub use shell_line::{ShellLine, ShellLineError};
pub use shortcut::View;
pub use sorted::gallop;
pub use sparql_request::SparqlRequest;
pub use touchstone_logic::Answer;
pub use values::LiteralRanges;
pub use words::{SmallList, UnknownWord, WordKind, Words};
