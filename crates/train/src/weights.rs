//! Networks and the states of optimisers as bytes.

use crate::error::TrainError;
use crate::optimise::numbered;
use burn::module::Module;
use burn::optim::{ModuleOptimizer, OptimizerRecord};
use burn::store::{ModuleSnapshot, SafetensorsStore};
use burn::tensor::Bytes;
use std::path::Path;

/// The parameters of a network in the format of safetensors.
pub fn network_bytes<N: Module>(network: &N) -> Result<Vec<u8>, TrainError> {
    // One key only: the order of several would be random.
    let mut store = SafetensorsStore::from_bytes(None).clear_metadata().metadata("touchstone", "model");
    let failed =
        |error: &dyn std::fmt::Display| TrainError::damaged(Path::new("the network"), error.to_string());
    network.save_into(&mut store).map_err(|error| failed(&error))?;
    store.get_bytes().map_err(|error| failed(&error))
}

/// A network with the parameters of a file; `network` gives it its shape, `path` is named in messages.
pub fn network_from_bytes<N: Module>(network: N, bytes: &[u8], path: &Path) -> Result<N, TrainError> {
    let mut network = numbered(network);
    let mut store = SafetensorsStore::from_bytes(Some(bytes.to_vec())).validate(true).allow_partial(false);
    let damaged = |detail: String| TrainError::damaged(path, detail);
    let found = network.load_from(&mut store).map_err(|error| damaged(first_line(&error.to_string())))?;
    if let Some(missing) = found.missing.first() {
        return Err(damaged(format!("the file has no parameters `{}`", missing.0)));
    }
    if let Some(unused) = found.unused.first() {
        return Err(damaged(format!("the network has no parameters `{unused}`, which the file has")));
    }
    Ok(network)
}

/// The state of an optimiser.
pub(crate) fn optimizer_bytes(optimizer: &ModuleOptimizer) -> Result<Vec<u8>, TrainError> {
    let bytes = optimizer.to_record().into_bytes();
    let failed = |error: &dyn std::fmt::Display| {
        TrainError::damaged(Path::new("the state of the optimiser"), error.to_string())
    };
    Ok(bytes.map_err(|error| failed(&error))?.to_vec())
}

/// An optimiser with a saved state.
pub(crate) fn optimizer_from_bytes(
    optimizer: ModuleOptimizer,
    bytes: &[u8],
    path: &Path,
) -> Result<ModuleOptimizer, TrainError> {
    let record = OptimizerRecord::from_bytes(Bytes::from_bytes_vec(bytes.to_vec()))
        .map_err(|error| TrainError::damaged(path, first_line(&error.to_string())))?;
    Ok(optimizer.load_record(record))
}

/// The number of rows of a table of vectors in a file of parameters, from the header of the file alone.
pub fn stored_rows(bytes: &[u8], name: &str) -> Option<usize> {
    let length = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
    let header = bytes.get(8..8 + usize::try_from(length).ok()?)?;
    let header: serde_json::Value = serde_json::from_slice(header).ok()?;
    header.get(name)?.get("shape")?.get(0)?.as_u64().and_then(|rows| usize::try_from(rows).ok())
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
}
