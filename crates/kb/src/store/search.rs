//! Looks names up: exactly, folded, by prefix, and with typing errors.
//!
//! A look-up goes through three stages and stops when it has enough hits: the folded name; names that begin with
//! it or contain its words, the last of which may be incomplete; names that contain words similar to its words (one
//! edit for words of four letters and more, two for seven and more; two letters swapped are one edit).
//! Hits are ranked in tiers: the full name; names that contain all words of the query as whole words; names in
//! which the last word is incomplete; names with similar words. Within the second and third tier the
//! prominent ones come first: nodes with many facts, and with many facts compared to others of their class.

use super::columns::{Rows, path_of};
use super::kb::Kb;
use super::mapping::{Column, MappedBytes};
use crate::cast::{float, index32_of, to_usize};
use crate::error::{KbError, Result};
use crate::ids::{ClassId, NodeId};
use crate::names::{edit_distance, fold, name_bucket};
use fst::automaton::{Automaton, Levenshtein, Str};
use fst::{IntoStreamer, Map, Streamer};
use hashbrown::HashMap;
use std::path::Path;
use std::sync::Arc;

/// How a hit matches the query, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Match {
    /// A label or alias is equal to the query.
    Exact,
    /// Equal except for case, accents, punctuation and a leading article.
    Folded,
    /// A name begins with it.
    Prefix,
    /// A name contains its words; the last may be incomplete.
    Words,
    /// A name is similar.
    Fuzzy,
}

impl Match {
    /// A word for display.
    pub fn name(self) -> &'static str {
        match self {
            Match::Exact => "exact",
            Match::Folded => "folded",
            Match::Prefix => "prefix",
            Match::Words => "words",
            Match::Fuzzy => "fuzzy",
        }
    }
}

/// A node whose name matches.
#[derive(Clone, Debug, PartialEq)]
pub struct NameHit {
    /// The node.
    pub node: NodeId,
    /// The name that matches: its label or an alias.
    pub name: String,
    /// How it matches.
    pub matched: Match,
    /// From 1 down to 0, in the order of hits.
    pub score: f64,
}

/// Maximum number of names with a prefix to scan.
const MAX_PREFIX_NAMES: usize = 20_000;
/// Maximum number of names of a word that proposes candidates; more frequent words only help to rank them.
const MAX_WORD_NAMES: usize = 20_000;
/// Maximum number of words to consider that begin with the last word of a query.
const MAX_BEGUN_WORDS: usize = 500;
/// Maximum number of candidates to score in the last stage.
const MAX_CANDIDATES: usize = 400;

#[derive(Clone)]
pub(super) struct NameColumns {
    /// The nodes of all exact names that fall into a bucket.
    buckets: Rows,
    names: Map<MappedBytes>,
    name_nodes: Rows,
    words: Map<MappedBytes>,
    word_names: Rows,
}

impl NameColumns {
    pub(super) fn open(dir: &Path) -> Result<NameColumns> {
        let map = |name: &str| {
            let path = path_of(dir, name);
            let bytes = MappedBytes(Arc::new(Column::open(&path)?));
            Map::new(bytes).map_err(|e| KbError::damaged(&path, e.to_string()))
        };
        Ok(NameColumns {
            buckets: Rows::open(dir, "name_buckets")?,
            names: map("names")?,
            name_nodes: Rows::open(dir, "name_nodes")?,
            words: map("words")?,
            word_names: Rows::open(dir, "word_names")?,
        })
    }

    pub(super) fn check(&self, dir: &Path, n_nodes: usize) -> Result<()> {
        let n_buckets = self.buckets.n_rows();
        if !n_buckets.is_power_of_two() {
            return Err(KbError::damaged(
                &path_of(dir, "name_buckets.starts"),
                "its buckets are inconsistent",
            ));
        }
        self.buckets.check(dir, "name_buckets", n_buckets, n_nodes)?;
        self.name_nodes.check(dir, "name_nodes", self.names.len(), n_nodes)?;
        self.word_names.check(dir, "word_names", self.words.len(), self.names.len())
    }

    /// The folded name with a number.
    fn name(&self, number: u32) -> String {
        self.names
            .as_fst()
            .get_key(u64::from(number))
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .unwrap_or_default()
    }

    /// Names that contain all words of the query; of the last word the beginning is enough.
    fn with_words(&self, query: &str) -> Vec<u32> {
        let words: Vec<&str> = query.split(' ').collect();
        // The words of the KB that each word of the query can be.
        let numbers = |(at, word): (usize, &&str)| -> Vec<u32> {
            let exact = self.words.get(word).map(index32_of);
            let begun = at + 1 == words.len() && word.chars().count() >= 2;
            let mut numbers: Vec<u32> = exact.into_iter().collect();
            if begun {
                let mut stream = self.words.search(Str::new(word).starts_with()).into_stream();
                while let Some((_, number)) = stream.next() {
                    if numbers.len() >= MAX_BEGUN_WORDS {
                        break;
                    }
                    if exact != Some(index32_of(number)) {
                        numbers.push(index32_of(number));
                    }
                }
            }
            numbers
        };
        let options: Vec<Vec<u32>> = words.iter().enumerate().map(numbers).collect();
        let size = |numbers: &Vec<u32>| {
            numbers.iter().map(|&n| self.word_names.row(n as usize).len()).sum::<usize>()
        };
        let Some((rarest, numbers)) = options.iter().enumerate().min_by_key(|(_, numbers)| size(numbers))
        else {
            return Vec::new();
        };
        let mut names: Vec<u32> = Vec::new();
        for &number in numbers {
            names.extend(self.word_names.row(number as usize).iter().take(MAX_WORD_NAMES));
            if names.len() > MAX_WORD_NAMES {
                break;
            }
        }
        names.sort_unstable();
        names.dedup();
        if words.len() > 1 {
            names.retain(|&name| {
                let name = self.name(name);
                let has = |at: usize, word: &str| {
                    let last = at + 1 == words.len();
                    name.split(' ').any(|w| w == word || last && w.starts_with(word))
                };
                words.iter().enumerate().all(|(at, word)| at == rarest || has(at, word))
            });
        }
        names
    }

    /// The word itself, and all similar words.
    fn like(&self, word: &str) -> Vec<(u32, f64)> {
        let edits = match word.chars().count() {
            0..4 => 0,
            4..7 => 1,
            _ => 2,
        };
        let mut found: Vec<(u32, f64)> = Vec::new();
        if let Some(exact) = self.words.get(word) {
            found.push((index32_of(exact), 1.0));
        }
        if edits == 1 {
            // Swapping two letters counts as two edits, so swaps are tried separately where only one edit is allowed.
            let mut letters: Vec<char> = word.chars().collect();
            for at in 1..letters.len() {
                letters.swap(at - 1, at);
                let swapped: String = letters.iter().collect();
                letters.swap(at - 1, at);
                if let Some(number) = self.words.get(&swapped).filter(|_| swapped != word) {
                    found.push((index32_of(number), 1.0 - 1.0 / float(letters.len())));
                }
            }
        }
        if edits > 0
            && let Ok(automaton) = Levenshtein::new(word, edits)
        {
            let mut stream = self.words.search(automaton).into_stream();
            while let Some((other, number)) = stream.next() {
                let other = std::str::from_utf8(other).unwrap_or("");
                if other != word {
                    found.push((index32_of(number), likeness(word, other)));
                }
            }
        }
        found
    }

    /// Names that have words of the query or similar ones: the best `MAX_CANDIDATES` by weight of shared words.
    fn by_words(&self, query: &str, popularity: impl Fn(u32) -> usize) -> Vec<u32> {
        let n_names = float(self.names.len().max(1));
        let mut weight_of: HashMap<u32, f64> = HashMap::new();
        for word in query.split(' ') {
            let mut best: HashMap<u32, f64> = HashMap::new();
            for (word, like) in self.like(word) {
                let names = self.word_names.row(word as usize);
                if names.len() > MAX_WORD_NAMES {
                    continue;
                }
                let weight = like * like * (n_names / float(names.len())).ln().max(0.1);
                for &name in names {
                    let entry = best.entry(name).or_default();
                    *entry = entry.max(weight);
                }
            }
            for (name, weight) in best {
                *weight_of.entry(name).or_default() += weight;
            }
        }
        let mut candidates: Vec<(u32, f64)> = weight_of.into_iter().collect();
        candidates.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        // Among names that share as much with the query, those with the best-connected nodes.
        if let Some(&(_, last)) = candidates.get(MAX_CANDIDATES) {
            let tied = candidates.partition_point(|&(_, weight)| weight > last)
                ..candidates.partition_point(|&(_, weight)| weight >= last);
            candidates.truncate(tied.end);
            candidates[tied].sort_by_key(|&(name, _)| std::cmp::Reverse(popularity(name)));
            candidates.truncate(MAX_CANDIDATES);
        }
        candidates.into_iter().map(|(name, _)| name).collect()
    }
}

impl Kb {
    /// The nodes whose label or alias is exactly `name`, or that have no label and are shown as `name`; best connected first.
    pub fn nodes_named(&self, name: &str) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = self.in_bucket(name).filter(|&node| self.has_name(node, name)).collect();
        let by_id = self.node(name).filter(|&node| self.label_literal(node).is_none());
        nodes.extend(by_id.filter(|node| !nodes.contains(node)));
        nodes
    }

    /// The nodes whose label is exactly `name`, best connected first. A node without a label is not found by its id.
    pub fn nodes_labelled<'a>(&'a self, name: &'a str) -> impl Iterator<Item = NodeId> + 'a {
        let is_name = |literal| self.literal_bytes(literal) == name.as_bytes();
        self.in_bucket(name).filter(move |&node| self.label_literal(node).is_some_and(is_name))
    }

    /// The nodes with names that share a bucket with `name`.
    fn in_bucket(&self, name: &str) -> impl Iterator<Item = NodeId> + '_ {
        let buckets = &self.names.buckets;
        buckets.row(name_bucket(name, buckets.n_rows())).iter().map(|&node| NodeId(node))
    }

    /// The nodes with a name that folds to the same as `name`, best connected first.
    pub fn nodes_named_like(&self, name: &str) -> &[u32] {
        match self.names.names.get(fold(name)) {
            Some(number) => self.names.name_nodes.row(to_usize(number)),
            None => &[],
        }
    }

    fn has_name(&self, node: NodeId, name: &str) -> bool {
        let is_name = |literal| self.literal_bytes(literal) == name.as_bytes();
        match self.label_literal(node) {
            Some(label) => is_name(label) || self.aliases(node).any(is_name),
            None => self.label(node) == name || self.aliases(node).any(is_name),
        }
    }

    /// Finds nodes by name, best first; see the module documentation for the stages.
    pub fn find_names(&self, query: &str, limit: usize) -> Vec<NameHit> {
        let folded = fold(query);
        if folded.is_empty() || limit == 0 {
            return Vec::new();
        }
        let mut hits =
            Hits { kb: self, query: &folded, found: Vec::new(), seen: HashMap::new(), usual: HashMap::new() };
        // `the united states` is the United States; but `The Matrix` is itself.
        let bare = ["the ", "a ", "an "].iter().find_map(|article| folded.strip_prefix(article));
        for &node in bare.map_or(&[][..], |bare| self.nodes_named_like(bare)) {
            hits.add(node, bare.unwrap_or_default(), Match::Folded);
        }
        if let Some(node) = self.node(query.trim()) {
            hits.add(node.0, &folded, Match::Exact);
        }
        for &node in self.nodes_named_like(query) {
            let exact = self.has_name(NodeId(node), query.trim());
            hits.add(node, &folded, if exact { Match::Exact } else { Match::Folded });
        }
        let mut stream = self.names.names.search(Str::new(&folded).starts_with()).into_stream();
        let mut scanned = 0;
        while let Some((name, number)) = stream.next() {
            scanned += 1;
            if scanned > MAX_PREFIX_NAMES {
                break;
            }
            let name = String::from_utf8_lossy(name);
            for &node in self.names.name_nodes.row(to_usize(number)) {
                hits.add(node, &name, Match::Prefix);
            }
        }
        for number in self.names.with_words(&folded) {
            let name = self.names.name(number);
            for &node in self.names.name_nodes.row(number as usize) {
                hits.add(node, &name, Match::Words);
            }
        }
        if hits.found.len() < limit {
            let popularity = |name: u32| {
                // The nodes of a name are sorted by it.
                self.names.name_nodes.row(name as usize).first().map_or(0, |&node| self.degree(NodeId(node)))
            };
            for number in self.names.by_words(&folded, popularity) {
                let name = self.names.name(number);
                for &node in self.names.name_nodes.row(number as usize) {
                    hits.add(node, &name, Match::Fuzzy);
                }
            }
        }
        hits.ranked(limit)
    }

    /// The node whose whole name is most similar to a misspelled one; of equally similar ones, the best connected.
    pub fn nearest_named(&self, wrong: &str) -> Option<NameHit> {
        let folded = fold(wrong);
        let mut best: Option<(f64, usize, NameHit)> = None;
        for hit in self.find_names(wrong, MAX_CANDIDATES) {
            let (like, degree) = (likeness(&folded, &fold(&hit.name)), self.degree(hit.node));
            let is_better = |(old, old_degree, _): &(f64, usize, NameHit)| {
                like > *old || like == *old && degree > *old_degree
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some((like, degree, hit));
            }
        }
        best.map(|(.., hit)| hit)
    }
}

/// Number of members of a class to sample for the typical number of facts.
const MAX_SAMPLE: usize = 256;

/// Collects hits, one per node.
struct Hits<'a> {
    kb: &'a Kb,
    query: &'a str,
    found: Vec<(u32, Match, f64, String)>,
    seen: HashMap<u32, usize>,
    /// The mean logarithm of the number of facts, by class.
    usual: HashMap<ClassId, f64>,
}

impl Hits<'_> {
    /// How well connected a node is, in itself and compared to others of its class: about -3 to 15.
    fn prominence(&mut self, node: NodeId) -> f64 {
        let kb = self.kb;
        let logarithm = |node: NodeId| (1.0 + float(kb.degree(node))).ln();
        // The smallest class is the most specific one.
        let class = kb.classes_of(node).min_by_key(|&class| kb.members(class).len());
        let usual = class.map_or(0.0, |class| {
            *self.usual.entry(class).or_insert_with(|| {
                let members = kb.members(class);
                let step = members.len().div_ceil(MAX_SAMPLE).max(1);
                let sample = || members.iter().step_by(step).map(|&member| logarithm(NodeId(member)));
                sample().sum::<f64>() / float(sample().count().max(1))
            })
        });
        logarithm(node) - 0.5 * usual
    }

    fn add(&mut self, node: u32, folded: &str, matched: Match) {
        // Among names that match equally well, better connected nodes come first.
        let popularity = 0.002 * (1.0 + float(self.kb.degree(NodeId(node)))).ln().min(16.0);
        let score = match matched {
            Match::Exact => 0.9 + popularity,
            Match::Folded => 0.85 + popularity,
            Match::Prefix | Match::Words => {
                let rank = self.prominence(NodeId(node)) + part_likeness(self.query, folded);
                let rank = ((rank + 3.0) / 20.0).clamp(0.0, 1.0);
                if has_words(folded, self.query) { 0.65 + 0.19 * rank } else { 0.5 + 0.14 * rank }
            }
            Match::Fuzzy => (0.45 * name_likeness(self.query, folded) + popularity).min(0.49),
        };
        match self.seen.get(&node) {
            Some(&at) => {
                let old = &mut self.found[at];
                if score > old.2 {
                    *old = (node, matched, score, folded.to_owned());
                }
            }
            None => {
                self.seen.insert(node, self.found.len());
                self.found.push((node, matched, score, folded.to_owned()));
            }
        }
    }

    /// The best hits.
    fn ranked(mut self, limit: usize) -> Vec<NameHit> {
        let kb = self.kb;
        self.found.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        self.found.truncate(limit);
        let full_name = |node: NodeId, folded: &str| {
            let label = kb.label(node);
            if fold(label) == folded {
                return label.to_owned();
            }
            let alias = kb.aliases(node).map(|a| kb.literal(a).text()).find(|a| fold(a) == folded);
            alias.unwrap_or(label).to_owned()
        };
        let hits = self.found.into_iter().map(|(node, matched, score, folded)| NameHit {
            node: NodeId(node),
            name: full_name(NodeId(node), &folded),
            matched,
            score,
        });
        hits.collect()
    }
}

/// Whether a name contains all words of the query as whole words.
fn has_words(name: &str, query: &str) -> bool {
    query.split(' ').all(|word| name.split(' ').any(|w| w == word))
}

/// How well a name matches that begins with the query or contains its words: the less of the name is left over, the
/// better. At most 0.75.
fn part_likeness(query: &str, name: &str) -> f64 {
    let begins = if name.starts_with(query) { 0.25 } else { 0.0 };
    let covered = float(query.chars().count()) / float(name.chars().count().max(1));
    0.5 * covered.min(1.0) + begins
}

/// Similarity of two words: 1 minus the edit distance divided by the longer length.
fn likeness(a: &str, b: &str) -> f64 {
    let longer = a.chars().count().max(b.chars().count()).max(1);
    1.0 - float(edit_distance(a, b)) / float(longer)
}

/// Similarity of two names: each word of the query against its best partner, and how much of the name that covers.
fn name_likeness(query: &str, name: &str) -> f64 {
    let length = |text: &str| float(text.chars().filter(|&c| c != ' ').count().max(1));
    let words: Vec<&str> = name.split(' ').collect();
    let mut used = vec![false; words.len()];
    let mut matched = 0.0;
    let mut covered = 0.0;
    for word in query.split(' ') {
        let free = words.iter().enumerate().filter(|&(at, _)| !used[at]);
        let best = free.map(|(at, other)| (at, likeness(word, other))).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((at, like)) = best
            && like >= 0.5
        {
            used[at] = true;
            matched += like * length(word);
            covered += like * length(words[at]);
        }
    }
    0.75 * matched / length(query) + 0.25 * covered / length(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_of_names() {
        assert!(name_likeness("shawshnk redemtion", "the shawshank redemption") > 0.85);
        assert!(name_likeness("paris", "the shawshank redemption") < 0.5);
    }
}
