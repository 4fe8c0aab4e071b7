//! The names of features, as hashes: what is named is not stored, only the number of its weight.

/// Number of weights.
pub(crate) const WEIGHTS: usize = 1 << 18;

/// The name of a feature, or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name(u64);

impl Name {
    /// A name from a text.
    pub(crate) const fn of(text: &str) -> Name {
        Name(hash(text, 0))
    }

    /// A name from a small number.
    pub(crate) const fn number(number: usize) -> Name {
        Name((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// A name from a truth value.
    pub(crate) const fn truth(value: bool) -> Name {
        Name::number(value as usize)
    }

    /// A name of two parts; their order counts.
    pub(crate) const fn with(self, other: Name) -> Name {
        let mixed = (self.0.rotate_left(23) ^ other.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Name(mixed ^ (mixed >> 29))
    }

    /// The number of its weight.
    pub(crate) const fn weight(self) -> u32 {
        ((self.0 ^ (self.0 >> 31)) as usize % WEIGHTS) as u32
    }
}

/// The FNV-1a hash of a text.
pub(crate) const fn hash(text: &str, seed: u64) -> u64 {
    let bytes = text.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ seed;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

pub(crate) const ANSWER: Name = Name::of("answer");
pub(crate) const ANSWERS: Name = Name::of("number of answers");
pub(crate) const ASK: Name = Name::of("ask");
pub(crate) const COMPARED: Name = Name::of("compared");
pub(crate) const CONDITIONS: Name = Name::of("conditions");
pub(crate) const CONDITION_FIT: Name = Name::of("condition fit");
pub(crate) const DIRECTION: Name = Name::of("direction");
pub(crate) const EDGES: Name = Name::of("edges");
pub(crate) const EXTREME: Name = Name::of("extreme");
pub(crate) const HEAD_CLASS: Name = Name::of("head class");
pub(crate) const HEAD_FITS: Name = Name::of("head fits");
pub(crate) const IMPLIED_CLASS: Name = Name::of("implied class");
pub(crate) const ITEM: Name = Name::of("item");
pub(crate) const ITEM_FIT: Name = Name::of("item fit");
pub(crate) const LEAF: Name = Name::of("leaf");
pub(crate) const LEAF_FIT: Name = Name::of("leaf fit");
pub(crate) const LEAST_FIT: Name = Name::of("least fit");
pub(crate) const LINK: Name = Name::of("link");
pub(crate) const LINK_DEGREE: Name = Name::of("link degree");
pub(crate) const LINK_FIT: Name = Name::of("link fit");
pub(crate) const MISSED_SHARE: Name = Name::of("missed share");
pub(crate) const MISSED_WORDS: Name = Name::of("missed words");
pub(crate) const OTHER_NAME: Name = Name::of("name of the other direction");
pub(crate) const OUTER_CLASSES: Name = Name::of("outer classes");
pub(crate) const OWN_NAME: Name = Name::of("own name");
pub(crate) const RETURNS: Name = Name::of("returns");
pub(crate) const TWICE: Name = Name::of("explained twice");
pub(crate) const UNEXPLAINED_ITEMS: Name = Name::of("unexplained items");
pub(crate) const UNUSED_LEAVES: Name = Name::of("unused leaves");
