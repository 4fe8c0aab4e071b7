//! Engines by their names.

use crate::endpoint::{Endpoint, EndpointError, EndpointSettings};
use std::sync::Arc;
use touchstone_engine::{AutoEngine, EmbeddedEngine, Engine, SparevalEngine};

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineNameError {
    /// No engine has this name.
    #[error("there is no engine `{0}`; choose from auto, embedded, spareval and endpoint:URL")]
    Unknown(String),
    /// The endpoint cannot be used.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
}

/// The engine with a name: `auto`, `embedded`, `spareval`, or `endpoint:URL` for a SPARQL server.
///
/// ```
/// use touchstone_protocol::{EndpointSettings, named_engine};
/// assert_eq!(named_engine("embedded", EndpointSettings::default())?.name(), "embedded");
/// assert!(named_engine("fast", EndpointSettings::default()).is_err());
/// # Ok::<(), touchstone_protocol::EngineNameError>(())
/// ```
pub fn named_engine(name: &str, settings: EndpointSettings) -> Result<Arc<dyn Engine>, EngineNameError> {
    Ok(match (name, name.strip_prefix("endpoint:")) {
        ("auto", _) => Arc::new(AutoEngine),
        ("embedded", _) => Arc::new(EmbeddedEngine),
        ("spareval", _) => Arc::new(SparevalEngine),
        (_, Some(url)) => Arc::new(Endpoint::new(url, settings)?),
        _ => return Err(EngineNameError::Unknown(name.to_owned())),
    })
}
