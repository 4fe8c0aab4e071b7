//! What questions are grouped by.

use hashbrown::HashSet;
use touchstone_benchmark::{Answer, Question};

/// The facets that every question has.
pub const FACETS: [&str; 16] = [
    "shape",
    "alias",
    "complexity",
    "function",
    "level",
    "dataset",
    "split",
    "hops",
    "constraints",
    "answer_type",
    "answers",
    "type",
    "category",
    "unseen",
    "words",
    "relations",
];

/// The values of one facet of a question; most have one, categories may be several or none.
pub fn values(facet: &str, question: &Question, seen: &HashSet<String>) -> Vec<String> {
    let graph = &question.graph;
    let one = |text: &str| vec![if text.is_empty() { "-".to_owned() } else { text.to_owned() }];
    match facet {
        "shape" => one(&question.shape),
        "alias" => one(question.alias.as_deref().unwrap_or("")),
        "complexity" => one(if graph.edges.len() <= 1 { "simple" } else { "complex" }),
        "function" => one(&question.function),
        "level" => one(&question.level),
        "dataset" => one(&question.source),
        "split" => one(&question.split),
        "hops" => one(&hops(question).to_string()),
        "constraints" => one(&graph.vertices.iter().filter(|vertex| vertex.grounded).count().to_string()),
        "relations" => one(&graph.edges.len().to_string()),
        "answer_type" => one(question.answers.first().map_or("", Answer::kind)),
        "answers" => one(band(question.answers.len(), &[1, 2, 5, 10, 50])),
        "type" => one(&question.kind),
        "category" => question.categories.clone(),
        "unseen" => {
            let n = question.schema_items.iter().filter(|item| !seen.contains(*item)).count();
            one(&n.to_string())
        }
        "words" => one(band(question.question.split_whitespace().count(), &[5, 10, 15, 20, 30, 40])),
        _ => Vec::new(),
    }
}

/// How far the farthest vertex is from the answer.
fn hops(question: &Question) -> usize {
    let graph = &question.graph;
    let mut distance = vec![usize::MAX; graph.vertices.len()];
    if let Some(root) = distance.get_mut(graph.root) {
        *root = 0;
    }
    for round in 0..graph.vertices.len() {
        for edge in &graph.edges {
            for (a, b) in [(edge.from, edge.to), (edge.to, edge.from)] {
                if distance.get(a) == Some(&round) && distance.get(b) == Some(&usize::MAX) {
                    distance[b] = round + 1;
                }
            }
        }
    }
    distance.into_iter().filter(|&d| d != usize::MAX).max().unwrap_or(0)
}

/// The band that a number lies in.
fn band(n: usize, ends: &[usize]) -> &'static str {
    const BANDS: [(usize, &str); 10] = [
        (0, "0"),
        (1, "1"),
        (2, "2"),
        (5, "up to 5"),
        (10, "up to 10"),
        (15, "up to 15"),
        (20, "up to 20"),
        (30, "up to 30"),
        (40, "up to 40"),
        (50, "up to 50"),
    ];
    let fits = |(end, _): &&(usize, &str)| n <= *end && (*end == 0 || ends.contains(end));
    BANDS.iter().find(fits).map_or("more", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands() {
        assert_eq!(band(0, &[1, 5]), "0");
        assert_eq!(band(3, &[1, 5]), "up to 5");
        assert_eq!(band(6, &[1, 5]), "more");
    }
}
