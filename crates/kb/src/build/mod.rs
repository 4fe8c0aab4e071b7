//! From a stream of statements to a compiled store.
//!
//! Importers pass what they read to a [`KbBuilder`], in any order; [`KbBuilder::compile`] sorts it and writes
//! the columns. Facts beyond the memory budget are stored on disk; only the distinct names,
//! literals and qualifier sets stay in memory.

mod asserted;
mod builder;
mod compile;
mod expressions;
mod facts;
mod file_order;
mod hierarchy;
mod interner;
mod literals;
mod name_index;
mod naming;
mod nodes;
mod rdf_finish;
mod schema;
mod sorter;
mod statements;

pub(crate) use builder::Ignored;
pub use builder::{KbBuilder, KbMeta, NameKind, PropertyInfo, RawNode, RawProperty, RawQualifier, RawValue};
pub use compile::CompileReport;
pub use sorter::Workspace;
