//! The compiled store: a directory of columns, memory-mapped.
//!
//! | question | look-up | cost |
//! |---|---|---|
//! | which node has this id? | [`Kb::node`] | a binary search |
//! | what does an entity point to by a relation? | [`Kb::objects`] | a search among its few properties, then a slice |
//! | what points to it? | [`Kb::subjects`] | the same |
//! | who is in a class? | [`Kb::members`], [`Kb::direct_members`] | a slice |
//! | who has a value in a range? | [`Kb::facts_by_value`] | a slice to search in |
//! | which qualifiers has a fact? | [`Kb::fact_qualifiers`] | a binary search |
//! | what if some facts were different? | [`Kb::overlay`] | proportional to the groups of facts that change |
//! | which records did the file have, in which order? | [`Kb::records`], [`Kb::node_rank`] | a slice |
//! | what is called exactly this? | [`Kb::nodes_named`] | a bucket of a hash table |
//! | what is called like this? | [`Kb::find_names`] | see `search.rs` |
//!
//! Slices are sorted, so sets are intersected by merging or galloping.

pub(crate) mod asserted;
mod columns;
mod facts;
mod file_order;
pub(crate) mod fingerprint;
mod groups;
mod id_index;
mod kb;
mod literals;
mod manifest;
mod mapping;
mod merged;
mod overlay;
mod qualifiers;
mod schema;
mod search;
mod verify;
pub(crate) mod writer;

pub use facts::{Fact, LiteralFacts};
pub(crate) use file_order::BACKWARD_BIT;
pub use file_order::FileRecord;
pub(crate) use kb::STORE_OUTPUT;
pub use kb::{Kb, is_store};
pub(crate) use kb::{name_of_iri, readable_id};
pub use manifest::{Counts, KbManifest, STORE_FORMAT};
pub use overlay::Change;
pub use qualifiers::Qualifier;
pub use schema::ValueKind;
pub use search::{Match, NameHit};
