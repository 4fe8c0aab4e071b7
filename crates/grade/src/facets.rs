//! Facets: the groups of questions.

use crate::grade_error::GradeError;
use hashbrown::HashSet;
use touchstone_benchmark::{Answer, Question};
use touchstone_logic::QueryGraph;
use touchstone_logic::level::Level;

/// The facets that every question has.
pub(crate) const FACETS: [&str; 17] = [
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
    "wording",
    "relations",
];

/// The schema items of training questions.
pub(crate) type SeenItems = HashSet<String>;

/// The schema items of training questions.
pub(crate) fn seen_items(training: &[&Question]) -> SeenItems {
    training.iter().flat_map(|question| question.schema_items.iter().cloned()).collect()
}

/// Rejects unknown facets; two facets with `*` between them are crossed.
pub fn check(facets: &[String]) -> Result<(), GradeError> {
    for facet in facets.iter().flat_map(|facet| facet.split('*')) {
        if !FACETS.contains(&facet) {
            let nearest = touchstone_kb::nearest_name(facet, FACETS).map(str::to_owned);
            return Err(GradeError::UnknownFacet { name: facet.to_owned(), nearest });
        }
    }
    Ok(())
}

/// The values of a facet, or of two crossed facets.
pub(crate) fn crossed_values(facet: &str, question: &Question, seen: &SeenItems) -> Vec<String> {
    match facet.split_once('*') {
        None => values(facet, question, seen),
        Some((left, right)) => {
            let (left, right) = (values(left, question, seen), crossed_values(right, question, seen));
            left.iter().flat_map(|l| right.iter().map(move |r| format!("{l} · {r}"))).collect()
        }
    }
}

/// The values of one facet of a question; usually one, but there may be several categories or none.
pub(crate) fn values(facet: &str, question: &Question, seen: &SeenItems) -> Vec<String> {
    let graph = &question.graph;
    let one = |text: &str| vec![if text.is_empty() { "-".to_owned() } else { text.to_owned() }];
    match facet {
        "shape" => one(&question.shape),
        "alias" => one(question.alias.as_deref().unwrap_or("")),
        // The same counts as in `touchstone shape`.
        "complexity" => one(if QueryGraph::from(graph).shape().simple { "simple" } else { "complex" }),
        "function" => one(question.function.name()),
        "level" => one(question.level.map_or("", Level::name)),
        "dataset" => one(&question.source),
        "split" => one(question.split.name()),
        "hops" => one(&QueryGraph::from(graph).shape().hops.to_string()),
        "constraints" => one(&graph.vertices.iter().filter(|vertex| vertex.grounded).count().to_string()),
        "relations" => one(&graph.edges.len().to_string()),
        "answer_type" => one(question.answers.first().map_or("", Answer::kind)),
        "answers" => one(band(question.answers.len(), &[1, 2, 5, 10, 50])),
        "type" => one(question.kind.name()),
        "category" => question.categories.clone(),
        "unseen" => {
            let n = question.schema_items.iter().filter(|item| !seen.contains(*item)).count();
            one(&n.to_string())
        }
        "wording" => one(if question.new_words { "new words" } else { "usual words" }),
        "words" => one(band(question.question.split_whitespace().count(), &[5, 10, 15, 20, 30, 40])),
        _ => Vec::new(),
    }
}

/// The range that a number is in.
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
    use touchstone_benchmark::{Function, QuestionParts, QuestionType};
    use touchstone_logic::level::SchemaItems;
    use touchstone_logic::{Form, Spelling};

    #[test]
    fn simple_is_what_shapes_call_simple() {
        let value = |form: &str, facet: &str| {
            let query = Form::parse(form, &Spelling).expect("a form").to_query().expect("a query");
            let graph = QueryGraph::of(&query);
            let items = SchemaItems::of(&query);
            let parts = QuestionParts {
                function: Function::of(&query),
                kind: QuestionType::of(&query),
                graph: &graph,
                items: &items,
                template: "",
                program: None,
            };
            let question = Question::about(&parts);
            values(facet, &question, &HashSet::new()).remove(0)
        };
        let two = "(AND t.a (JOIN t.a.r (JOIN t.b.s m.01)))";
        let three = "(AND t.a (JOIN t.a.r (JOIN t.b.s (JOIN t.c.q m.01))))";
        assert_eq!((value(two, "complexity"), value(two, "hops")), ("simple".to_owned(), "2".to_owned()));
        assert_eq!(
            (value(three, "complexity"), value(three, "hops")),
            ("complex".to_owned(), "3".to_owned())
        );
    }

    #[test]
    fn bands() {
        assert_eq!(band(0, &[1, 5]), "0");
        assert_eq!(band(3, &[1, 5]), "up to 5");
        assert_eq!(band(6, &[1, 5]), "more");
    }
}
