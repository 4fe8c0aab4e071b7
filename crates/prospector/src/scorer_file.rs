//! What a [`Prospector`] has learned, as a file: a line of JSON, and the weights that differ from their start, compressed.

use crate::confidence::{Confidence, EVIDENCE};
use crate::model::Weights;
use crate::prospector::Prospector;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use touchstone_benchmark::english::Lexicon;
use touchstone_kb::Kb;

/// The version of the file.
const FORMAT: u32 = 1;

/// The version of the features: weights mean nothing to other features. It changes whenever what is extracted from a question and a query changes.
pub(crate) const FEATURES: u32 = 1;

/// The first line of a scorer file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScorerHeader {
    /// The version of the file.
    touchstone_scorer: u32,
    /// The version of the features.
    features: u32,
    /// The fingerprint of the KB.
    pub kb: String,
    /// What it was trained on.
    pub trained_on: String,
    /// Number of training questions.
    pub questions: usize,
    /// The seed of the training.
    pub seed: u64,
    /// Whether the phrases of the KB's lexicon are names of schema items, besides their labels.
    pub lexicon: bool,
    confidence: [f32; EVIDENCE],
    weights: usize,
}

/// Why a scorer file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScorerError {
    /// It does not start with a line of JSON.
    #[error("this is not a scorer of Prospector; `touchstone train prospector` writes one")]
    NotAScorer,
    /// Another version wrote it.
    #[error(
        "the scorer has version {found} of the format, and this version of Touchstone reads {FORMAT}; train it again"
    )]
    OtherVersion {
        /// The version in the file.
        found: u32,
    },
    /// Another version trained it.
    #[error(
        "the scorer has weights for version {found} of the features, and this version of Touchstone has version {FEATURES}; train it again"
    )]
    OtherFeatures {
        /// The version in the file.
        found: u32,
    },
    /// It was trained on another KB.
    #[error("the scorer was trained on another KB (fingerprint {trained_on}, this one has {found})")]
    OtherKb {
        /// The fingerprint of the KB that it was trained on.
        trained_on: String,
        /// The fingerprint of the KB that it was opened with.
        found: String,
    },
    /// Its weights are damaged.
    #[error("the weights of the scorer are damaged; train it again")]
    Damaged,
}

/// Minimum difference of a weight from its start for it to be kept.
const LEAST: f32 = 0.01;

impl<'k> Prospector<'k> {
    /// What was learned, as the bytes of a file.
    pub fn to_bytes(&self, trained_on: &str, seed: u64) -> Result<Vec<u8>, std::io::Error> {
        let start = Weights::start();
        let changed: Vec<(usize, f32)> = (self.weights.0.iter().zip(&start.0).enumerate())
            .filter(|(_, (weight, start))| (*weight - *start).abs() >= LEAST)
            .map(|(at, (weight, _))| (at, *weight))
            .collect();
        let header = ScorerHeader {
            touchstone_scorer: FORMAT,
            features: FEATURES,
            kb: self.kb().manifest().fingerprint.clone(),
            trained_on: trained_on.to_owned(),
            questions: self.learned_from,
            seed,
            lexicon: self.has_lexicon,
            confidence: self.confidence.0,
            weights: changed.len(),
        };
        let mut bytes = serde_json::to_vec(&header)?;
        bytes.push(b'\n');
        let mut packed = zstd::Encoder::new(bytes, 19)?;
        packed.include_checksum(true)?;
        let mut last = 0;
        for (at, weight) in changed {
            write_number(&mut packed, at - last)?;
            packed.write_all(&half(weight).to_le_bytes())?;
            last = at;
        }
        packed.finish()
    }

    /// The header of a scorer file.
    pub fn header(bytes: &[u8]) -> Result<ScorerHeader, ScorerError> {
        split(bytes).map(|(header, _)| header)
    }

    /// A system that has learned what a file says.
    pub fn from_bytes(kb: &'k Kb, bytes: &[u8]) -> Result<Prospector<'k>, ScorerError> {
        let (header, packed) = split(bytes)?;
        let found = &kb.manifest().fingerprint;
        if header.kb != *found {
            return Err(ScorerError::OtherKb { trained_on: header.kb, found: found.clone() });
        }
        let mut prospector = Prospector::new(kb);
        if header.lexicon {
            prospector = prospector.with_lexicon(&Lexicon::of(kb));
        }
        let weights = &mut prospector.weights.0;
        // Each weight takes at most 10 bytes and 2.
        let most = header.weights.min(weights.len()) as u64 * 12 + 1;
        let mut unpacked = Vec::new();
        let decoder = zstd::Decoder::new(packed).map_err(|_| ScorerError::Damaged)?;
        decoder.take(most).read_to_end(&mut unpacked).map_err(|_| ScorerError::Damaged)?;
        let (mut rest, mut at) = (&unpacked[..], 0_usize);
        for _ in 0..header.weights {
            let step = read_number(&mut rest).ok_or(ScorerError::Damaged)?;
            let (value, after) = rest.split_first_chunk::<2>().ok_or(ScorerError::Damaged)?;
            at = at.checked_add(step).ok_or(ScorerError::Damaged)?;
            *weights.get_mut(at).ok_or(ScorerError::Damaged)? = whole(u16::from_le_bytes(*value));
            rest = after;
        }
        if !rest.is_empty() {
            return Err(ScorerError::Damaged);
        }
        prospector.confidence = Confidence(header.confidence);
        prospector.learned_from = header.questions;
        Ok(prospector)
    }
}

fn split(bytes: &[u8]) -> Result<(ScorerHeader, &[u8]), ScorerError> {
    #[derive(Deserialize)]
    struct Version {
        touchstone_scorer: u32,
        #[serde(default)]
        features: u32,
    }
    let end = bytes.iter().position(|&byte| byte == b'\n').ok_or(ScorerError::NotAScorer)?;
    let line = &bytes[..end];
    let version: Version = serde_json::from_slice(line).map_err(|_| ScorerError::NotAScorer)?;
    if version.touchstone_scorer != FORMAT {
        return Err(ScorerError::OtherVersion { found: version.touchstone_scorer });
    }
    if version.features != FEATURES {
        return Err(ScorerError::OtherFeatures { found: version.features });
    }
    let header = serde_json::from_slice(line).map_err(|_| ScorerError::Damaged)?;
    Ok((header, &bytes[end + 1..]))
}

/// The upper half of a number, rounded: three digits are enough for a weight.
fn half(value: f32) -> u16 {
    let bytes = (f32::from_bits(value.to_bits().saturating_add(0x8000))).to_bits().to_be_bytes();
    u16::from_be_bytes([bytes[0], bytes[1]])
}

fn whole(half: u16) -> f32 {
    f32::from_bits(u32::from(half) << 16)
}

fn write_number(out: &mut impl Write, mut number: usize) -> std::io::Result<()> {
    while number >= 0x80 {
        out.write_all(&[(number & 0x7f) as u8 | 0x80])?;
        number >>= 7;
    }
    out.write_all(&[number as u8])
}

fn read_number(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in (0..usize::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use touchstone_kb::NoProgress;

    #[test]
    fn a_scorer_is_read_as_it_was_written() {
        let kb = touchstone_world::open(&NoProgress).unwrap();
        let mut prospector = Prospector::new(&kb);
        prospector.weights.0[7] = 1.5;
        prospector.weights.0[70_000] = -0.123;
        prospector.confidence.0[0] = 0.25;
        prospector.learned_from = 3;
        let bytes = prospector.to_bytes("three questions", 5).unwrap();
        let read = Prospector::from_bytes(&kb, &bytes).unwrap();
        assert_eq!(read.weights.0[7], 1.5);
        assert!((read.weights.0[70_000] + 0.123).abs() < 0.001);
        assert_eq!(read.confidence, prospector.confidence);
        assert_eq!(read.learned_from, 3);
        assert_eq!(read.to_bytes("three questions", 5).unwrap(), bytes);
        let header = Prospector::header(&bytes).unwrap();
        assert_eq!((header.trained_on.as_str(), header.seed, header.lexicon), ("three questions", 5, false));
    }

    #[test]
    fn what_is_not_a_scorer_is_refused() {
        let kb = touchstone_world::open(&NoProgress).unwrap();
        let bytes = Prospector::new(&kb).to_bytes("nothing", 1).unwrap();
        let refused = |bytes: &[u8]| Prospector::from_bytes(&kb, bytes).map(drop).unwrap_err();
        assert!(matches!(refused(b""), ScorerError::NotAScorer));
        assert!(matches!(refused(b"{}\n"), ScorerError::NotAScorer));
        assert!(matches!(refused(b"{\"touchstone_scorer\":9}\n"), ScorerError::OtherVersion { found: 9 }));
        assert!(matches!(refused(&bytes[..bytes.len() - 3]), ScorerError::Damaged));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let fingerprint = kb.manifest().fingerprint.clone();
        let other = [text.lines().next().unwrap().replace(&fingerprint, "x").as_bytes(), b"\n"].concat();
        assert!(matches!(refused(&other), ScorerError::OtherKb { .. }));
    }
}
