//! Where the benchmark of a run is.

use crate::package::Benchmark;
use crate::run_manifest::RunHeader;
use std::path::{Path, PathBuf};

/// Folders above a run that are searched for its benchmark.
const LEVELS_UP: usize = 3;

/// Maximum number of entries of a folder that are looked at.
const MAX_ENTRIES: usize = 10_000;

/// The folder of the benchmark that a run was made on: where it was then, or in one of the folders above the run. Only a benchmark with
/// the same identity is taken; for runs of 0.1, which have none, one of the same name.
pub(crate) fn benchmark_of_run(run: &Path, header: &RunHeader) -> Option<PathBuf> {
    let is_it = |dir: &Path| {
        if !dir.join("benchmark.json").is_file() {
            return false;
        }
        match header.benchmark_identity.as_str() {
            "" => Benchmark::read(dir).is_ok_and(|found| found.manifest.name == header.benchmark),
            identity => Benchmark::identity_in(dir).is_ok_and(|found| found == identity),
        }
    };
    let before = PathBuf::from(&header.benchmark_path);
    if !header.benchmark_path.is_empty() && is_it(&before) {
        return Some(before);
    }
    let run = run.canonicalize().ok()?;
    for folder in run.ancestors().skip(1).take(LEVELS_UP) {
        let mut candidates = vec![folder.to_path_buf()];
        let entries = std::fs::read_dir(folder).into_iter().flatten().take(MAX_ENTRIES);
        candidates.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
        candidates.sort();
        if let Some(found) = candidates.into_iter().find(|dir| is_it(dir)) {
            return Some(found);
        }
    }
    None
}
