//! The names of shapes in the literature: Iso-n in GrailQA++, RP-n in the work on reasoning paths.
//!
//! Not all drawings of the classes are published. Some names are certain, others were inferred by comparing
//! published counts with counts of the data sets, so the code is the key, and the name states its certainty. The classes
//! Iso-20, Iso-22 to Iso-26 and the cyclic CIso-0 to CIso-4 cannot be derived from publications and have no entry.

use std::fmt;

/// The name of a class of shapes. It is displayed unchanged if it is certain, with `~` if strongly inferred (`Iso-6~`)
/// and with `?` if weakly inferred (`Iso-10?`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Alias {
    /// `Iso-` and a number.
    pub name: &'static str,
    /// The certainty that the name belongs to the shape.
    pub certainty: Certainty,
    /// `RP-` and a number, for the seven shapes that have one; these are certain.
    pub reasoning_path: Option<&'static str>,
}

/// The certainty that a name belongs to a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Certainty {
    /// One of few possibilities.
    Weak,
    /// Counts and structure leave almost no other possibility.
    Strong,
    /// A paper shows the shape.
    Certain,
}

/// A class of shapes with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Class {
    /// Its name.
    pub alias: Alias,
    /// The canonical code of its shape.
    pub code: &'static str,
    /// The shape in words.
    pub description: &'static str,
}

impl Alias {
    /// The name of the shape with a code.
    pub(crate) fn of_code(code: &str) -> Option<Alias> {
        CLASSES.iter().find(|class| class.code == code).map(|class| class.alias)
    }
}

impl Class {
    /// The class with a name: `Iso-8`, `iso-8`, `Iso-8~` or `RP-4`.
    pub fn by_name(name: &str) -> Option<&'static Class> {
        let name = name.trim().trim_end_matches(['~', '?']);
        CLASSES.iter().find(|class| {
            let names = [Some(class.alias.name), class.alias.reasoning_path];
            names.into_iter().flatten().any(|known| known.eq_ignore_ascii_case(name))
        })
    }

    /// The number of relations of the shape.
    pub fn relations(&self) -> usize {
        // Every vertex except the answer is attached by one relation, and every vertex opens one bracket.
        self.code.matches('(').count() - 1
    }
}

impl fmt::Display for Alias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        f.write_str(match self.certainty {
            Certainty::Certain => "",
            Certainty::Strong => "~",
            Certainty::Weak => "?",
        })
    }
}

/// All classes with a name, by number.
pub const CLASSES: &[Class] = &[
    named("Iso-0", Certainty::Certain, "RP-0", "T1:(())", "one hop"),
    named("Iso-1", Certainty::Certain, "RP-1", "T1:((()))", "two-hop chain"),
    named("Iso-2", Certainty::Certain, "RP-2", "T1:(()())", "two constraints, each at one hop"),
    named("Iso-3", Certainty::Certain, "RP-4", "T1:(()(()))", "one constraint at one hop, one at two hops"),
    named("Iso-4", Certainty::Certain, "RP-5", "T1:((()()))", "two constraints on a shared variable"),
    // The two numberings differ: RP-3 is the chain.
    named("Iso-5", Certainty::Certain, "RP-3", "T1:(((())))", "three-hop chain"),
    named("Iso-6", Certainty::Strong, "", "T1:((())(()))", "two two-hop branches"),
    named("Iso-7", Certainty::Strong, "", "T1:(()((())))", "one constraint at one hop, one three-hop chain"),
    named(
        "Iso-8",
        Certainty::Strong,
        "",
        "T1:((()(())))",
        "a variable with a constraint and a second variable with a constraint",
    ),
    named(
        "Iso-9",
        Certainty::Strong,
        "",
        "T1:(()(()()))",
        "one constraint at one hop, two constraints on a shared variable",
    ),
    named("Iso-10", Certainty::Weak, "", "T1:(((()())))", "two constraints on a shared variable at two hops"),
    named("Iso-11", Certainty::Certain, "RP-6", "T1:(()()())", "three constraints, each at one hop"),
    named("Iso-12", Certainty::Strong, "", "T1:((()()()))", "three constraints on a shared variable"),
    named(
        "Iso-13",
        Certainty::Strong,
        "",
        "T1:(()(())(()))",
        "one constraint at one hop, two two-hop branches",
    ),
    named(
        "Iso-14",
        Certainty::Strong,
        "",
        "T1:((()((()))))",
        "a variable with a constraint and a three-hop chain",
    ),
    named("Iso-15", Certainty::Weak, "", "T1:(()(((()))))", "one constraint at one hop, one four-hop chain"),
    named("Iso-16", Certainty::Certain, "", "T1:((((()))))", "four-hop chain"),
    named(
        "Iso-17",
        Certainty::Strong,
        "",
        "T1:((())(()()))",
        "one two-hop branch, two constraints on a shared variable",
    ),
    named("Iso-18", Certainty::Strong, "", "T1:(()()(()))", "two constraints at one hop, one two-hop branch"),
    named(
        "Iso-19",
        Certainty::Weak,
        "",
        "T1:((()()(())))",
        "a variable with two constraints and a two-hop chain",
    ),
    named(
        "Iso-21",
        Certainty::Weak,
        "",
        "T1:((()()((()))))",
        "a variable with two constraints and a three-hop chain",
    ),
];

const fn named(
    name: &'static str,
    certainty: Certainty,
    path: &'static str,
    code: &'static str,
    description: &'static str,
) -> Class {
    let reasoning_path = if path.is_empty() { None } else { Some(path) };
    Class { alias: Alias { name, certainty, reasoning_path }, code, description }
}

#[cfg(test)]
mod tests {
    use super::{Alias, CLASSES, Certainty, Class};
    use crate::graph::{Coder, Skeleton};

    /// The tree that a code of round brackets describes.
    fn tree(code: &str) -> Skeleton {
        let mut skeleton = Skeleton::default();
        let mut open = Vec::new();
        for c in code.trim_start_matches("T1:").chars() {
            if c == ')' {
                open.pop();
                continue;
            }
            let v = skeleton.grounded.len() as u32;
            skeleton.grounded.push(true);
            if let Some(&parent) = open.last() {
                skeleton.grounded[parent as usize] = false;
                skeleton.edges.push((parent, v));
            }
            open.push(v);
        }
        skeleton
    }

    #[test]
    fn every_code_is_the_code_of_its_tree() {
        let mut coder = Coder::new();
        for class in CLASSES {
            let skeleton = tree(class.code);
            assert_eq!(coder.code(&skeleton), class.code, "{}", class.alias);
            assert_eq!(class.relations(), skeleton.edges.len());
            let shape = coder.shape(&skeleton);
            assert_eq!(shape.alias, Some(class.alias));
            assert_eq!(shape.simple, ["Iso-0", "Iso-1", "Iso-2"].contains(&class.alias.name));
        }
    }

    #[test]
    fn names_and_codes_are_unique() {
        for (i, class) in CLASSES.iter().enumerate() {
            assert_eq!(Class::by_name(class.alias.name), Some(class));
            assert_eq!(Alias::of_code(class.code), Some(class.alias));
            assert!(CLASSES[..i].iter().all(|other| other.code != class.code));
        }
        let mut paths: Vec<_> = CLASSES.iter().filter_map(|class| class.alias.reasoning_path).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["RP-0", "RP-1", "RP-2", "RP-3", "RP-4", "RP-5", "RP-6"]);
    }

    #[test]
    fn names() {
        let code = |name| Class::by_name(name).map(|class| class.code);
        assert_eq!(code("iso-8"), Some("T1:((()(())))"));
        assert_eq!(code(" Iso-8~ "), Some("T1:((()(())))"));
        assert_eq!(code("RP-3"), Some("T1:(((())))"));
        assert_eq!(code("rp-4"), Some("T1:(()(()))"));
        for unknown in ["Iso-20", "Iso-22", "CIso-0", "RP-7", "Iso-", ""] {
            assert_eq!(code(unknown), None, "{unknown}");
        }
        let shown = |name| Class::by_name(name).map(|class| class.alias.to_string());
        assert_eq!(shown("iso-6").as_deref(), Some("Iso-6~"));
        assert_eq!(shown("iso-10").as_deref(), Some("Iso-10?"));
        assert_eq!(shown("iso-16").as_deref(), Some("Iso-16"));
        assert!(Certainty::Weak < Certainty::Strong && Certainty::Strong < Certainty::Certain);
    }
}
