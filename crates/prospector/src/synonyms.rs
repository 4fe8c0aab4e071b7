//! Words that people use for the same thing, in any KB: they are alike, though their letters are not.

use crate::text;
use hashbrown::HashMap;
use std::sync::OnceLock;

/// Words that mean about the same when they name a relation or an attribute.
const GROUPS: [&[&str]; 40] = [
    &["border", "neighbour", "neighbor", "adjacent", "adjoin", "touch", "surround"],
    &["currency", "money", "coin", "pay"],
    &["duration", "runtime", "length", "long", "lasts", "longest", "longer"],
    &["height", "tall", "high", "elevation", "altitude", "tallest", "taller", "highest", "higher"],
    &["birth", "born", "native"],
    &["death", "died", "dead", "killed"],
    &["spouse", "wife", "husband", "married", "partner"],
    &["director", "directed", "directs", "filmmaker"],
    &["cast", "actor", "actress", "star", "starring", "starred", "played", "appear"],
    &["author", "writer", "wrote", "written", "screenwriter", "penned"],
    &["population", "inhabitants", "populous", "residents", "populated"],
    &["area", "size", "big", "large", "biggest", "largest", "bigger", "larger", "smallest"],
    &["revenue", "gross", "grossed", "earned", "takings", "earnings"],
    &["language", "speak", "spoken", "speaks", "tongue"],
    &["founded", "established", "created", "inception", "founder", "founding"],
    &["winner", "won", "victor", "victory", "wins"],
    &["discoverer", "discovered", "discovery", "found"],
    &["weight", "mass", "heavy", "heaviest", "heavier", "lightest", "lighter", "weigh"],
    &["price", "cost", "costs", "expensive", "cheap"],
    &["located", "location", "situated", "place", "lies", "based", "headquarters"],
    &["owner", "owns", "owned", "belongs", "belong"],
    &["genre", "kind", "type", "sort"],
    &["released", "release", "publication", "published", "premiere", "premiered", "debut"],
    &["religion", "faith", "religious", "belief"],
    &["job", "occupation", "profession", "work", "career"],
    &["nationality", "citizenship", "citizen"],
    &["studied", "educated", "education", "school", "university", "attended"],
    &["child", "children", "son", "daughter", "kids"],
    &["parent", "father", "mother"],
    &["sibling", "brother", "sister"],
    &["leader", "head", "president", "ruler", "chief"],
    &["dense", "density", "denser", "densest"],
    &["temperature", "hot", "cold", "hottest", "coldest"],
    &["fast", "speed", "fastest", "faster", "quick"],
    &["deep", "depth", "deepest", "deeper"],
    &["old", "age", "oldest", "older", "youngest", "younger"],
    &["flows", "runs", "crosses", "passes", "through"],
    &["export", "sells", "exports", "sold"],
    &["import", "buys", "imports", "bought"],
    &["prize", "award", "medal", "honour", "honor"],
];

/// The group of a stem.
fn group(stem: &str) -> Option<usize> {
    static BY_STEM: OnceLock<HashMap<String, usize>> = OnceLock::new();
    let by_stem = BY_STEM.get_or_init(|| {
        let words =
            GROUPS.iter().enumerate().flat_map(|(at, words)| words.iter().map(move |word| (*word, at)));
        let mut by_stem = HashMap::new();
        for (word, at) in words {
            by_stem.entry(text::stem(word)).or_insert(at);
        }
        by_stem
    });
    by_stem.get(stem).copied()
}

/// Whether two different stems mean about the same.
pub(crate) fn are_synonyms(one: &str, other: &str) -> bool {
    group(one).is_some_and(|group| Some(group) == self::group(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_are_those_of_a_group() {
        let are = |one: &str, other: &str| are_synonyms(&text::stem(one), &text::stem(other));
        assert!(are("money", "currency") && are("borders", "neighbours") && are("wife", "spouse"));
        assert!(!are("money", "border") && !are("xyzzy", "plugh"));
    }
}
