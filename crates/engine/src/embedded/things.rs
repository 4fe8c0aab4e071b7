//! Sets of things while a query runs: sorted lists of nodes and of literals, borrowed from the store where possible.

use crate::sorted;
use crate::values::LiteralRanges;
use std::borrow::Cow;

/// One thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Thing {
    Node(u32),
    Literal(u32),
}

/// A set of things.
#[derive(Debug, Clone)]
pub(crate) enum Things<'k> {
    /// Everything: no restriction.
    All,
    /// Ranges of literals by value, not expanded: there may be millions.
    Ranges(LiteralRanges),
    /// A list of each, sorted, without duplicates.
    Listed { nodes: Cow<'k, [u32]>, literals: Cow<'k, [u32]> },
}

impl<'k> Things<'k> {
    pub(crate) fn none() -> Things<'k> {
        Things::nodes(Cow::Borrowed(&[]))
    }

    pub(crate) fn nodes(nodes: Cow<'k, [u32]>) -> Things<'k> {
        Things::Listed { nodes, literals: Cow::Borrowed(&[]) }
    }

    pub(crate) fn literals(literals: Cow<'k, [u32]>) -> Things<'k> {
        Things::Listed { nodes: Cow::Borrowed(&[]), literals }
    }

    /// The number of things; `None` for everything.
    pub(crate) fn len(&self) -> Option<usize> {
        match self {
            Things::All => None,
            Things::Ranges(ranges) => Some(ranges.len()),
            Things::Listed { nodes, literals } => Some(nodes.len() + literals.len()),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    #[inline]
    pub(crate) fn contains(&self, thing: Thing) -> bool {
        match (self, thing) {
            (Things::All, _) => true,
            (Things::Ranges(ranges), Thing::Literal(literal)) => ranges.contains(literal),
            (Things::Ranges(_), Thing::Node(_)) => false,
            (Things::Listed { nodes, .. }, Thing::Node(node)) => nodes.binary_search(&node).is_ok(),
            (Things::Listed { literals, .. }, Thing::Literal(literal)) => {
                literals.binary_search(&literal).is_ok()
            }
        }
    }

    /// The things one by one; none for everything and for ranges, which can only be probed.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Thing> + '_ {
        let (nodes, literals): (&[u32], &[u32]) = match self {
            Things::Listed { nodes, literals } => (nodes, literals),
            _ => (&[], &[]),
        };
        nodes.iter().map(|&n| Thing::Node(n)).chain(literals.iter().map(|&l| Thing::Literal(l)))
    }

    /// Intersection.
    pub(crate) fn intersection(self, other: Things<'k>) -> Things<'k> {
        match (self, other) {
            (Things::All, other) | (other, Things::All) => other,
            (Things::Ranges(a), Things::Ranges(b)) => Things::Ranges(a.intersection(&b)),
            (Things::Ranges(ranges), Things::Listed { literals, .. })
            | (Things::Listed { literals, .. }, Things::Ranges(ranges)) => {
                let kept = literals.iter().copied().filter(|&literal| ranges.contains(literal));
                Things::literals(Cow::Owned(kept.collect()))
            }
            (
                Things::Listed { nodes, literals },
                Things::Listed { nodes: others, literals: other_literals },
            ) => Things::Listed {
                nodes: Cow::Owned(sorted::intersection(&nodes, &others)),
                literals: Cow::Owned(sorted::intersection(&literals, &other_literals)),
            },
        }
    }

    /// Union.
    pub(crate) fn union(self, other: Things<'k>) -> Things<'k> {
        match (self, other) {
            (Things::All, _) | (_, Things::All) => Things::All,
            (Things::Ranges(a), Things::Ranges(b)) => Things::Ranges(a.union(&b)),
            (Things::Ranges(ranges), listed) | (listed, Things::Ranges(ranges)) => {
                let written = Things::literals(Cow::Owned(ranges.literals().collect()));
                written.union(listed)
            }
            (
                Things::Listed { nodes, literals },
                Things::Listed { nodes: others, literals: other_literals },
            ) => Things::Listed { nodes: joined(nodes, others), literals: joined(literals, other_literals) },
        }
    }
}

fn joined<'k>(a: Cow<'k, [u32]>, b: Cow<'k, [u32]>) -> Cow<'k, [u32]> {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b,
        (_, true) => a,
        _ => Cow::Owned(sorted::union(&a, &b)),
    }
}
