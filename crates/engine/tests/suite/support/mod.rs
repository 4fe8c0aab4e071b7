use std::path::Path;
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::{Kb, NoProgress};

pub(crate) use touchstone_testing::shared_data;

/// Imports files into a KB whose folder is deleted when the process ends.
pub(crate) fn imported(source: Source, file: &Path) -> Kb {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("kb");
    import(&ImportRequest::new(source, vec![file.to_path_buf()]), &store, &NoProgress).unwrap();
    // The columns stay mapped after the files are deleted.
    Kb::open(&store).unwrap()
}

/// The part of Freebase that the dev questions are about.
pub(crate) fn freebase_mini() -> Option<Kb> {
    shared_data("freebase/mini.nt").map(|path| imported(Source::Rdf(Profile::Freebase), &path))
}

pub mod naive;
pub mod random;
pub mod random_facts;
pub mod random_kb;
pub mod random_values;
pub mod rng;
pub mod server;
pub mod statistics;
