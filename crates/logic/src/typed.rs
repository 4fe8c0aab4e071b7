//! Text typed at a prompt: is a query complete, or is it a question in English?

/// Whether all brackets and quotes of a query are closed and no step is missing. An empty line at the end completes
/// any query, even an unclosed one.
pub fn is_complete(text: &str) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0i64, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '(' | '{' | '[' if !quoted => depth += 1,
            ')' | '}' | ']' if !quoted => depth -= 1,
            _ => {}
        }
    }
    let end = text.trim_end();
    let step_missing = end.ends_with('>') && !end.contains('<');
    text.ends_with('\n') || depth <= 0 && !quoted && !step_missing
}

/// Whether a line is a question in English: no query begins or ends like one.
pub fn is_english(line: &str) -> bool {
    const BEGINNINGS: [&str; 22] = [
        "who", "whom", "whose", "what", "which", "when", "where", "why", "how", "is", "are", "was", "were",
        "do", "does", "did", "can", "list", "name", "give", "show", "tell",
    ];
    let is_word = |word: &str| word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | ','));
    let mut words = line.trim_end_matches(['?', '.', '!']).split_whitespace();
    let first = words.next().unwrap_or("").to_lowercase();
    let has_more = words.next().is_some_and(is_word);
    let is_query = line.contains(['(', ')', '{', '}', '<', '>']);
    !is_query && has_more && (line.ends_with('?') || BEGINNINGS.contains(&first.trim_end_matches("'s")))
}

#[cfg(test)]
mod tests {
    use super::{is_complete, is_english};

    #[test]
    fn queries_end_when_everything_is_closed() {
        for complete in
            ["Find(a) > What()", "(JOIN a b)", "SELECT ?x WHERE { ?x a <c> }", ".help", "(JOIN a\n", ""]
        {
            assert!(is_complete(complete), "{complete:?}");
        }
        for open in ["Find(a) >", "(JOIN a", "SELECT ?x WHERE {", "Find(\"a)"] {
            assert!(!is_complete(open), "{open:?}");
        }
    }

    #[test]
    fn questions_are_distinguished_from_queries() {
        let questions = [
            "Who directed Alien?",
            "what's the capital of France",
            "Germany borders which countries?",
            "List the films of Ridley Scott.",
            "how many moons does Jupiter have",
        ];
        assert!(questions.iter().all(|line| is_english(line)));
        let queries = [
            "film",
            "What()",
            "Find(Paris) > What()",
            "(AND film (JOIN director person/f-frank-darabont))",
            "SELECT ?x WHERE { ?x ?p ?y }",
            "ASK {}",
            "PREFIX ex: <urn:ex> SELECT * {}",
            "describe ?x",
            "Find Paris",
        ];
        for line in queries {
            assert!(!is_english(line), "{line}");
        }
    }
}
