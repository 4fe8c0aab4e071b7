//! The class hierarchy: cycles are found, reported and cut; then ancestors are closed transitively.

use crate::cast::index32;
use crate::error::{KbError, Result};
use crate::progress::Progress;

/// Why the ancestors could not be computed.
#[derive(Debug)]
pub(crate) enum Unclosed {
    /// There are more of them than allowed; this is the last class examined.
    TooMany { class: u32, ancestors: usize },
    /// The work was stopped.
    Stopped(KbError),
}

/// Direct parents of each class, with cycles cut.
pub(crate) struct Hierarchy {
    /// Sorted parents of each class.
    pub(crate) parents: Vec<Vec<u32>>,
    /// Each cut edge with the cycle it closed: the classes from the parent back down to the child.
    pub(crate) cycles: Vec<Vec<u32>>,
}

impl Hierarchy {
    /// Builds the hierarchy from (class, parent) pairs. Classes are visited in the order of their
    /// numbers, so the same input always loses the same edges.
    pub(crate) fn new(n_classes: usize, mut edges: Vec<(u32, u32)>) -> Hierarchy {
        edges.sort_unstable();
        edges.dedup();
        let mut parents: Vec<Vec<u32>> = vec![Vec::new(); n_classes];
        let mut cycles = Vec::new();
        for (class, parent) in edges {
            if class == parent {
                cycles.push(vec![class]);
            } else {
                parents[class as usize].push(parent);
            }
        }
        cut_cycles(&mut parents, &mut cycles);
        Hierarchy { parents, cycles }
    }

    /// All ancestors of each class, sorted, without the class itself; at most `limit` in all.
    pub(crate) fn ancestors(&self, limit: u64, progress: &dyn Progress) -> Result<Vec<Vec<u32>>, Unclosed> {
        let n = self.parents.len();
        let mut ancestors: Vec<Option<Vec<u32>>> = vec![None; n];
        let mut total = 0;
        for root in 0..n {
            let mut stack = vec![root];
            while let Some(&class) = stack.last() {
                if ancestors[class].is_some() {
                    stack.pop();
                    continue;
                }
                let waiting: Vec<usize> = self.parents[class]
                    .iter()
                    .map(|&p| p as usize)
                    .filter(|&p| ancestors[p].is_none())
                    .collect();
                if !waiting.is_empty() {
                    stack.extend(waiting);
                    continue;
                }
                let mut all = self.parents[class].clone();
                for &parent in &self.parents[class] {
                    all.extend(ancestors[parent as usize].iter().flatten());
                }
                all.sort_unstable();
                all.dedup();
                total += all.len() as u64;
                if total > limit {
                    return Err(Unclosed::TooMany { class: index32(class), ancestors: all.len() });
                }
                if progress.cancelled() {
                    return Err(Unclosed::Stopped(KbError::Interrupted));
                }
                ancestors[class] = Some(all);
                stack.pop();
            }
        }
        Ok(ancestors.into_iter().map(Option::unwrap_or_default).collect())
    }
}

/// Depth-first search; an edge to a class that is still on the path closes a cycle and is removed.
fn cut_cycles(parents: &mut [Vec<u32>], cycles: &mut Vec<Vec<u32>>) {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        OnPath,
        Done,
    }
    let mut state = vec![State::New; parents.len()];
    for root in 0..parents.len() {
        if state[root] != State::New {
            continue;
        }
        state[root] = State::OnPath;
        let mut path = vec![(root, 0usize)];
        while let Some((class, next)) = path.last_mut() {
            let class = *class;
            let Some(&parent) = parents[class].get(*next) else {
                state[class] = State::Done;
                path.pop();
                continue;
            };
            match state[parent as usize] {
                State::Done => *next += 1,
                State::New => {
                    *next += 1;
                    state[parent as usize] = State::OnPath;
                    path.push((parent as usize, 0));
                }
                State::OnPath => {
                    let from = path.iter().position(|&(c, _)| c == parent as usize).unwrap_or(0);
                    cycles.push(path[from..].iter().map(|&(c, _)| index32(c)).collect());
                    parents[class].retain(|&p| p != parent);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::NoProgress;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn cycles_are_cut_and_reported() {
        // 0 -> 1 -> 2 -> 0 is a cycle, 3 -> 3 is one, 4 -> 0 and 4 -> 2 are fine.
        let edges = vec![(0, 1), (1, 2), (2, 0), (3, 3), (4, 0), (4, 2)];
        let hierarchy = Hierarchy::new(5, edges.clone());
        assert_eq!(hierarchy.cycles, [vec![3], vec![0, 1, 2]]);
        assert_eq!(
            hierarchy.ancestors(6, &NoProgress).expect("few"),
            [vec![1, 2], vec![2], vec![], vec![], vec![0, 1, 2]]
        );
        let mut reversed = edges;
        reversed.reverse();
        assert_eq!(Hierarchy::new(5, reversed).parents, hierarchy.parents, "order does not matter");
    }

    #[test]
    fn a_deep_chain_does_not_overflow_the_stack() {
        let n = 200_000;
        let hierarchy = Hierarchy::new(n, (0..3000).map(|i| (i, i + 1)).collect());
        assert!(hierarchy.cycles.is_empty());
        assert_eq!(hierarchy.ancestors(u64::MAX, &NoProgress).expect("closed")[0].len(), 3000);
    }

    #[test]
    fn a_chain_is_closed_up_to_the_limit_and_no_further() {
        let hierarchy = Hierarchy::new(1001, (0..1000).map(|i| (i, i + 1)).collect());
        let all = 1000 * 1001 / 2;
        assert!(hierarchy.ancestors(all, &NoProgress).is_ok());
        // The roots are closed first: what does not fit is met when the limit is reached, not at the end.
        match hierarchy.ancestors(5000, &NoProgress) {
            Err(Unclosed::TooMany { ancestors, .. }) => assert_eq!(ancestors, 100),
            other => panic!("{other:?}"),
        }
    }

    /// Stops the work after this number of checks.
    struct StopAfter(AtomicU64);

    impl Progress for StopAfter {
        fn stage(&self, _name: &str, _total: Option<u64>) {}
        fn advance(&self, _amount: u64) {}
        fn cancelled(&self) -> bool {
            self.0.fetch_sub(1, Ordering::Relaxed) == 1
        }
    }

    #[test]
    fn closing_is_stopped_between_any_two_classes() {
        let hierarchy = Hierarchy::new(1001, (0..1000).map(|i| (i, i + 1)).collect());
        for after in [1, 2, 500, 1001] {
            let stop = StopAfter(AtomicU64::new(after));
            assert!(matches!(hierarchy.ancestors(u64::MAX, &stop), Err(Unclosed::Stopped(_))));
            assert_eq!(stop.0.load(Ordering::Relaxed), 0, "it stops at once");
        }
    }
}
