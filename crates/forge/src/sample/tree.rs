//! Shapes as trees: what hangs on the answer.

/// A vertex of a shape with what hangs on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree(pub Vec<Tree>);

impl Tree {
    /// Reads the code of a tree, like `T1:(()(()))`.
    pub fn parse(code: &str) -> Option<Tree> {
        let brackets = code.strip_prefix("T1:").unwrap_or(code).as_bytes();
        let mut open: Vec<Tree> = Vec::new();
        for (at, bracket) in brackets.iter().enumerate() {
            match bracket {
                b'(' => open.push(Tree(Vec::new())),
                b')' => {
                    let done = open.pop()?;
                    match open.last_mut() {
                        Some(parent) => parent.0.push(done),
                        None => return (at + 1 == brackets.len()).then_some(done),
                    }
                }
                _ => return None,
            }
        }
        None
    }

    /// The number of relations.
    pub fn relations(&self) -> usize {
        self.0.iter().map(|child| 1 + child.relations()).sum()
    }

    /// Its canonical code, without the prefix.
    pub fn code(&self) -> String {
        let mut children: Vec<String> = self.0.iter().map(Tree::code).collect();
        children.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        format!("({})", children.concat())
    }

    /// All trees with this number of relations, each once.
    pub fn all(relations: usize) -> Vec<Tree> {
        let mut trees = vec![Tree(Vec::new())];
        for _ in 0..relations {
            let mut grown: Vec<Tree> = trees.iter().flat_map(Tree::with_one_more).collect();
            grown.sort_by_key(Tree::code);
            grown.dedup_by_key(|tree| tree.code());
            trees = grown;
        }
        trees
    }

    fn with_one_more(&self) -> Vec<Tree> {
        let mut here = self.clone();
        here.0.push(Tree(Vec::new()));
        let below = self.0.iter().enumerate().flat_map(|(at, child)| {
            child.with_one_more().into_iter().map(move |grown| {
                let mut tree = self.clone();
                tree.0[at] = grown;
                tree
            })
        });
        std::iter::once(here).chain(below).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read() {
        let tree = Tree::parse("T1:(()(()))").expect("a tree");
        assert_eq!(tree.relations(), 3);
        assert_eq!(tree.0.len(), 2);
        for wrong in ["", "T1:", "T1:(", "T1:())", "T1:()()", "G1:x"] {
            assert_eq!(Tree::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn there_are_as_many_trees_as_there_should_be() {
        // Rooted trees with n + 1 vertices.
        let counts: Vec<usize> = (1..=6).map(|n| Tree::all(n).len()).collect();
        assert_eq!(counts, [1, 2, 4, 9, 20, 48]);
    }
}
