//! Writes the name index: exact names and folded names to nodes, and words to folded names.

use super::builder::KbBuilder;
use super::compile::{Numbers, check};
use crate::cast::index32;
use crate::error::{KbError, Result};
use crate::names::{fold, name_bucket};
use crate::progress::Progress;
use crate::store::writer::{RowsBuffer, StoreWriter};
use rayon::prelude::*;

/// Writes the index over `names`, pairs of node and literal, and `iri_names`, the names of nodes without a label.
pub(crate) fn write(
    builder: &KbBuilder,
    numbers: &Numbers,
    names: &[(u32, u32)],
    iri_names: &[(u32, String)],
    degree: &[u32],
    writer: &StoreWriter,
    progress: &dyn Progress,
) -> Result<()> {
    let text = |name: u32| builder.literals.get(numbers.literal_order[name as usize]).text();
    // Best-connected nodes come first here as well.
    let n_buckets = (names.len() + iri_names.len()).next_power_of_two();
    let all = || {
        let literals = names.par_iter().map(|&(node, name)| (node, text(name)));
        literals.chain(iri_names.par_iter().map(|(node, name)| (*node, name.as_str())))
    };
    let mut exact: Vec<(u32, std::cmp::Reverse<u32>, u32)> = all()
        .map(|(node, name)| {
            let bucket = index32(name_bucket(name, n_buckets));
            (bucket, std::cmp::Reverse(degree[node as usize]), node)
        })
        .collect();
    exact.par_sort_unstable();
    exact.dedup();
    let exact: Vec<(u32, u32)> = exact.into_iter().map(|(bucket, _, node)| (bucket, node)).collect();
    writer.write_rows("name_buckets", &RowsBuffer::from_sorted_pairs(n_buckets, &exact)?)?;

    check(progress)?;
    let mut folded: Vec<(String, u32)> =
        all().map(|(node, name)| (fold(name), node)).filter(|(name, _)| !name.is_empty()).collect();
    check(progress)?;
    // Within one name the best-connected node comes first.
    folded.par_sort_unstable_by(|(a, x), (b, y)| {
        let popularity = degree[*y as usize].cmp(&degree[*x as usize]);
        a.cmp(b).then(popularity).then(x.cmp(y))
    });
    folded.dedup();

    check(progress)?;
    let mut keys: Vec<&str> = Vec::new();
    let mut postings: Vec<(u32, u32)> = Vec::with_capacity(folded.len());
    for (name, node) in &folded {
        if keys.last() != Some(&name.as_str()) {
            keys.push(name);
        }
        postings.push((index32(keys.len()) - 1, *node));
    }
    let (names_written, words_written) = rayon::join(
        || -> Result<()> {
            write_map(writer, "names", keys.iter().copied(), progress)?;
            writer.write_rows("name_nodes", &RowsBuffer::from_sorted_pairs(keys.len(), &postings)?)
        },
        || -> Result<()> {
            let mut words: Vec<(&str, u32)> = keys
                .par_iter()
                .enumerate()
                .flat_map_iter(|(key, name)| name.split(' ').map(move |word| (word, index32(key))))
                .collect();
            check(progress)?;
            words.par_sort_unstable();
            words.dedup();
            let mut distinct: Vec<&str> = Vec::new();
            let mut rows: Vec<(u32, u32)> = Vec::with_capacity(words.len());
            for (word, key) in words {
                if distinct.last() != Some(&word) {
                    distinct.push(word);
                }
                rows.push((index32(distinct.len()) - 1, key));
            }
            write_map(writer, "words", distinct.iter().copied(), progress)?;
            writer.write_rows("word_names", &RowsBuffer::from_sorted_pairs(distinct.len(), &rows)?)
        },
    );
    names_written.and(words_written)
}

/// Writes a finite-state map from each key to its position.
fn write_map<'a>(
    writer: &StoreWriter,
    name: &str,
    keys: impl Iterator<Item = &'a str>,
    progress: &dyn Progress,
) -> Result<()> {
    let mut map = fst::MapBuilder::memory();
    let failed =
        |e: fst::Error| KbError::Io { action: "build", path: name.into(), source: std::io::Error::other(e) };
    for (position, key) in keys.enumerate() {
        if position.is_multiple_of(1 << 16) {
            check(progress)?;
        }
        map.insert(key, position as u64).map_err(failed)?;
    }
    writer.write(name, &map.into_inner().map_err(failed)?)
}
