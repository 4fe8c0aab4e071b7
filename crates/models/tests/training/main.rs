//! Trains all systems on a tiny benchmark; kills, resumes and damages trainings.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr, unreachable_pub)]

mod bad_input;
mod full_disk;
mod memorise;
mod resume;
mod support;
mod word_vectors;
