//! The variables of a pattern and the things they stand for.

use hashbrown::HashMap;

/// Names with their things. Queries have few, so they are searched in a row; hostile ones have thousands, and get an index.
#[derive(Default)]
pub(super) struct Variables {
    all: Vec<(String, usize)>,
    index: HashMap<String, usize>,
}

/// Maximum number of variables without an index.
const FEW: usize = 16;

impl Variables {
    /// The thing that a variable stands for.
    pub(super) fn get(&self, name: &str) -> Option<usize> {
        if self.all.len() <= FEW {
            return self.all.iter().find(|(known, _)| known == name).map(|&(_, thing)| thing);
        }
        self.index.get(name).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn insert(&mut self, name: &str, thing: usize) {
        self.all.push((name.to_owned(), thing));
        if self.all.len() == FEW + 1 {
            self.index.extend(self.all.iter().cloned());
        } else if self.all.len() > FEW {
            self.index.insert(name.to_owned(), thing);
        }
    }

    /// The name of a thing.
    pub(super) fn name(&self, thing: usize) -> Option<&str> {
        self.all.iter().find(|&&(_, known)| known == thing).map(|(name, _)| name.as_str())
    }
}
