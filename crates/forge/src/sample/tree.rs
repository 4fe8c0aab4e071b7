//! Shapes as trees with the answer as the root.

/// A vertex of a shape with its subtrees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree(pub(crate) Vec<Tree>);

impl Tree {
    /// Parses the code of a tree, like `T1:(()(()))`.
    pub(crate) fn parse(code: &str) -> Option<Tree> {
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
    pub(crate) fn relations(&self) -> usize {
        self.0.iter().map(|child| 1 + child.relations()).sum()
    }

    /// Whether no vertex has several subtrees.
    pub(crate) fn is_chain(&self) -> bool {
        self.0.len() <= 1 && self.0.iter().all(Tree::is_chain)
    }

    /// Its canonical code, without the prefix.
    pub(crate) fn code(&self) -> String {
        let mut children: Vec<String> = self.0.iter().map(Tree::code).collect();
        children.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        format!("({})", children.concat())
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
}
