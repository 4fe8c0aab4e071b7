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

mod build;
mod cache;
mod cast;
pub mod compare;
pub mod counts;
mod coverage;
pub mod entity_page;
mod error;
pub mod export;
mod ids;
pub mod import;
pub mod info;
pub mod iri;
mod line_value;
mod literal;
mod names;
pub mod output;
mod progress;
pub mod property_page;
pub mod rdf;
pub mod registry;
mod store;
pub mod survey;
mod time;
mod vocabulary;

pub use build::{
    CompileReport, KbBuilder, KbMeta, NameKind, PropertyInfo, RawNode, RawProperty, RawQualifier, RawValue,
    Workspace,
};
pub use cache::cache_dir;
pub use compare::Comparison;
pub use coverage::{Completeness, Coverage, CoverageTable};
pub use error::{ChangeError, KbError, Result, is_broken_pipe};
pub use ids::{AttributeId, ClassId, FactId, LiteralId, NodeId, Property, QualifierId, RelationId, Value};
pub use line_value::LineValue;
pub use literal::{Literal, LiteralFamily, LiteralKind, NumberType, UNIT_NAMESPACE, XSD};
pub use names::{fold, nearest_name, shortened};
pub use progress::{NoProgress, Progress};
pub use store::{
    Change, Counts, Fact, FileRecord, Kb, KbManifest, LiteralFacts, Match, NameHit, Qualifier, STORE_FORMAT,
    ValueKind, is_store,
};
pub use time::{Precision, Time, plain_date};
pub use vocabulary::{FREEBASE, OWL, RDF, RDFS, RdfVocabulary, SKOS, VocabularyTerm};
